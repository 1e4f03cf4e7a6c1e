//! Computes the view: everything that a front end shows about the run at the cursor. Evaluates stages again to explain
//! them.
//!
//! Computing a view does not change the session.

mod data;
mod end;
mod left_out;
mod output;
mod pane;
mod standing;

use super::answerer::{Answerer, MockedNext, MocksToCome};
use super::breakpoint::BreakpointId;
use super::breakpoints::PlacedBreakpoint;
use super::choice::{RuleView, rules};
use super::event_row::failed_children;
use super::fault::{is_thrown_at_once, limit_field};
use super::log::AnsweredBy;
use super::on_aws::otherwise;
use super::origin::{Holder, LedTo};
use super::replay::Differing;
use super::session::Session;
use super::stop_condition::Stop;
use super::view::{
    AnswerOffer, AnswerRuleView, AnswerView, BreakpointView, EventRow, FrameView, HeaderView,
    LaneView, RunStatus, StatePane, TaskView, View,
};
use crate::definition::field::Effect;
use crate::definition::{Definition, Owner, State, StateKind};
use crate::interpreter::{
    Ask, AskId, Edge, Event, EventKind, Frame, FrameId, Handled, Machine, Stage, Status, Timer,
    Want,
};
use crate::query::Profile;
use crate::source::Span;
pub(in crate::session) use data::data_view;
use pane::state_pane;
use standing::{Standing, row};

fn task_view(machine: &Machine, ask: &Ask) -> TaskView {
    let due = |wanted: Timer| machine.due(ask.frame, wanted);
    let frame = machine.frame(ask.frame);
    let since = frame.and_then(|frame| frame.visit.attempts.last().map(|attempt| attempt.started));
    TaskView {
        ask: ask.clone(),
        since: since.unwrap_or_else(|| machine.now()),
        heartbeat_at: due(Timer::HeartbeatTimeout),
        timeout_at: due(Timer::Timeout),
        answer_at: due(Timer::Completion),
    }
}

/// The answer rules as front ends show them: for each rule, the calls that it answers, and the answer.
fn answer_rule_views(answerer: &Answerer, definition: &Definition) -> Vec<AnswerRuleView> {
    let rules = answerer.rules().iter();
    let views = rules.map(|rule| AnswerRuleView {
        what: rule.text(definition),
        answer: rule.answer().clone(),
    });
    views.collect()
}

impl Session {
    /// Returns everything that front ends show about the run at the cursor.
    #[must_use]
    pub fn view(&self) -> View {
        let machine = &self.snapshot().machine;
        let frame = self.focus_frame().filter(|_| self.snapshot().events > 0);
        let event = self.recording.timeline.get(self.snapshot().events);
        let head = &self.recording.head.machine;
        let rules = frame
            .map(|frame| rules(machine, frame, head, &*self.setup.server))
            .unwrap_or_default();
        let mut data = frame
            .map(|frame| data_view(machine, frame, event, (&rules, &*self.setup.server)))
            .unwrap_or_default();
        self.mark_unknown(&mut data);
        if let (Some(frame), Some(fault)) = (frame, &mut data.fault) {
            fault.because.extend(self.last_failed(frame));
            fault.drop_advice_on_lost(self.missing());
        }
        // A child execution of a Map Run has its own history, so the event ids in its error do not belong to this run.
        if let Some(fault) = &mut data.fault
            && frame.is_some_and(|frame| !frame.in_child_execution)
        {
            let id = fault.fault.entered;
            fault.entered = id.and_then(|id| Some((id, self.event_of_id(id)?)));
        }
        data.answer = frame.and_then(|frame| self.answer_view(machine, frame));
        // At an error, the current line is the line of the field that failed.
        let raised = event.is_some_and(|event| {
            let kinds = [
                EventKind::ErrorRaised,
                EventKind::Uncaught,
                EventKind::ExecutionFailed,
            ];
            kinds.contains(&event.kind) && frame.is_some_and(|frame| frame.id == event.frame)
        });
        let failed = data.fault.as_ref().and_then(|fault| fault.span);
        let (inner, causes) = (self.raised(), self.causes());
        let end = self.end_view(&data, inner.as_ref());
        let standing = Standing::of(self, self.focus_frame());
        let edges = standing.edges();
        let states = standing.states();
        let state = data.state.and_then(|id| states.get(id.0 as usize));
        if let (Some(visit), Some(state)) = (&mut data.visit, state) {
            visit.status = state.status;
        }
        View {
            header: self.header(),
            recorded: self.recorded_view(),
            current: frame.map(|frame| frame.visit.state),
            current_span: self
                .led_to_span()
                .or_else(|| self.differing()?.span)
                .or_else(|| failed.filter(|_| raised))
                .or_else(|| otherwise(machine, frame?, event?)?.span)
                .or_else(|| frame.and_then(|frame| self.current_span(frame, event))),
            states,
            edges,
            data,
            state: frame
                .map(|frame| self.state_pane(machine, frame, &rules))
                .unwrap_or_default(),
            frames: self.frame_views(frame),
            tasks: machine
                .open_asks()
                // The debugger itself answers evaluations of expressions, so they are not tasks that wait for the user.
                .filter(|ask| !matches!(ask.want, Want::Evaluate(_)))
                .map(|ask| task_view(machine, ask))
                .collect(),
            held: machine
                .held_asks()
                .map(|ask| task_view(machine, ask))
                .collect(),
            end,
            to_come: MocksToCome {
                entries: self.answering.answerer.mocked_next().collect(),
                next: frame
                    .filter(|_| self.recording.past.is_none())
                    .and_then(|frame| self.next_answer(machine, frame)),
            },
            answer_rules: answer_rule_views(&self.answering.answerer, &self.setup.definition),
            breakpoints: self.breakpoint_views(),
            watches: self.watches.views(),
            has_answer: self.has_answer(machine),
            led_to: self.led_to().or_else(|| self.led_to_differing()),
            missing: self.missing().cloned(),
            made_by: causes.map_or_else(Vec::new, |causes| causes.made_by.clone()),
            led: causes.and_then(|causes| causes.led.as_deref().cloned()),
            raised: inner,
        }
    }

    /// The first difference after a reload, if the cursor is at the event with this difference.
    fn differing(&self) -> Option<&Differing> {
        let place = self.replay.differing.as_ref();
        place.filter(|place| {
            let at = (place.run, place.event, place.frame);
            at == (
                self.recording.number,
                self.snapshot().events,
                self.stepper.focus,
            )
        })
    }

    /// The first difference after a reload, as a place to highlight.
    fn led_to_differing(&self) -> Option<LedTo> {
        let place = self.differing()?;
        Some(LedTo {
            holder: Holder::Stage(place.stage),
            at: place.at.clone(),
            // A number that differs from the number of every place to which a search for an origin leads.
            number: u64::MAX - u64::from(place.run),
        })
    }

    /// True if the task that the user may answer already has an answer. This task is the waiting task of the focus
    /// frame, or else the first waiting task.
    fn has_answer(&self, machine: &Machine) -> bool {
        let asks = || {
            let asks = machine.open_asks();
            asks.filter(|ask| !matches!(ask.want, Want::Evaluate(_)))
        };
        let focus = self.stepper.focus;
        let shown = asks()
            .find(|ask| ask.frame == focus)
            .or_else(|| asks().next());
        let Some(ask) = shown else {
            return machine.held_asks().next().is_some();
        };
        let log = &self.recording.log;
        let is_recorded =
            self.recording.past.is_some() && log.answered(&ask.key, log.len()).is_some();
        is_recorded || self.answering.answerer.has_answer(machine, ask)
    }

    /// The source of the answer to the frame's task; `None` while the task has no result.
    fn answer_view(&self, machine: &Machine, frame: &Frame) -> Option<AnswerView> {
        frame.visit.data.get(Stage::Result)?;
        let state = machine.definition().state(frame.visit.state)?;
        if !matches!(state.kind, StateKind::Task(_)) {
            return None;
        }
        let key = machine.key(frame);
        let by = self.recording.log.answered(&key, self.snapshot().applied);
        let mocked = self.answering.answerer.mocked_call(state, &key);
        let last = frame.visit.attempts.last();
        Some(AnswerView {
            by,
            mocked: mocked.filter(|_| by == Some(AnsweredBy::Mock)),
            took: last.and_then(|attempt| attempt.ended?.checked_sub(attempt.started)),
        })
    }

    /// The answer that the mock file will give to the next call of the frame's task, also while a retrier waits.
    fn next_answer(&self, machine: &Machine, frame: &Frame) -> Option<MockedNext> {
        let state = machine.definition().state(frame.visit.state)?;
        let retried = matches!(frame.visit.handled, Some(Handled::Retrier(_)));
        let over = frame.visit.data.get(Stage::Result).is_some()
            || frame.visit.fault.is_some() && !retried
            || !matches!(machine.status(), Status::Running);
        if over || !matches!(state.kind, StateKind::Task(_)) {
            return None;
        }
        let key = machine.key(frame);
        let key = (!retried).then_some(&key);
        self.answering.answerer.mocked_for(state, key)
    }

    fn header(&self) -> HeaderView {
        let snapshot = self.snapshot();
        HeaderView {
            machine: self.setup.definition.name.clone(),
            run: self.recording.number,
            // Considers the whole log, because a run with edits, answers or ignored failures differs from AWS at every
            // position of the cursor.
            not_aws: self.recording.log.ignores_failures(usize::MAX),
            touched: self.recording.log.touched(usize::MAX),
            calls: self.recording.log.calls(),
            calling: self.setup.server.calling(),
            differs: self.replay.words.clone(),
            status: self.run_status(),
            event: snapshot.events,
            event_count: self.recording.timeline.len(),
            history_id: match self.focus_frame() {
                Some(frame) if frame.in_child_execution => 0,
                _ => self.aws_id_at(snapshot.events, snapshot.tally.history_id),
            },
            clock: snapshot.machine.now(),
            frame: self
                .focus_frame()
                .map_or_else(|| "main".to_string(), |frame| self.frame_name(frame.id)),
            profile: self.setup.header.profile,
            test_case: self.setup.test_case.clone(),
        }
    }

    fn run_status(&self) -> RunStatus {
        if self.stepper.goal.is_some() {
            return RunStatus::Running;
        }
        if self.recording.past.is_some() {
            return RunStatus::Past;
        }
        match self.recording.head.machine.status() {
            Status::Succeeded(output) => RunStatus::Succeeded {
                output: output.clone(),
            },
            Status::Failed(fault) => RunStatus::Failed(fault.clone()),
            Status::TimedOut => RunStatus::TimedOut,
            Status::Running if self.recording.head.events == 0 => RunStatus::Ready,
            Status::Running => RunStatus::Paused(self.stepper.stop.clone()),
        }
    }

    /// Reason for the last stop.
    #[must_use]
    pub fn stop(&self) -> &Stop {
        &self.stepper.stop
    }

    /// The state pane, with the place at which each branch or item failed.
    fn state_pane(&self, machine: &Machine, frame: &Frame, rules: &[RuleView]) -> StatePane {
        let mut pane = state_pane(machine, frame, (&self.items, rules), &self.breakpoints);
        let group = frame.visit.group.as_deref();
        if group.is_none_or(|group| group.failed == 0) {
            return pane;
        }
        let (timeline, cursor) = (&self.recording.timeline, self.snapshot().events);
        let children = failed_children(timeline, frame.id, cursor, &self.setup.definition);
        let lanes: Vec<&mut LaneView> = match &mut pane {
            StatePane::Map { items, .. } => items.iter_mut().map(|item| &mut item.lane).collect(),
            StatePane::Parallel { lanes, .. } => lanes.iter_mut().collect(),
            _ => Vec::new(),
        };
        for lane in lanes.into_iter().filter(|lane| lane.error.is_some()) {
            if let Some(child) = children.get(&lane.index) {
                (lane.state, lane.inner) = (Some(child.state), child.inner.clone());
            }
        }
        pane
    }

    fn frame_views(&self, frame: Option<&Frame>) -> Vec<FrameView> {
        let Some(frame) = frame else {
            return Vec::new();
        };
        let machine = &self.snapshot().machine;
        let path = self.recording.timeline.path(frame.id);
        path.into_iter()
            .map(|id| FrameView {
                frame: id,
                name: self.frame_name(id),
                state: machine.frame(id).map(|frame| frame.visit.state),
            })
            .collect()
    }

    /// Readable name of a frame: `main`, `Orders[12]`, `Fan[1]/Each[3]`.
    #[must_use]
    pub fn frame_name(&self, id: FrameId) -> String {
        standing::frame_name(&self.recording, id)
    }

    /// The events with these numbers, as rows of the timeline; numbers start at 1.
    #[must_use]
    pub fn rows(&self, numbers: std::ops::Range<u64>) -> Vec<EventRow> {
        let cursor = self.snapshot().events;
        let rows = numbers.filter_map(|number| {
            let event = self.recording.timeline.get(number)?;
            // A row after the cursor may use all recorded events; a row before the cursor may use only events up to the
            // cursor.
            let known = match number <= cursor {
                true => cursor,
                false => self.recording.timeline.len(),
            };
            let mut row = row(&self.recording, (number, event), known);
            row.history_id = self.aws_id(number, row.history_id);
            Some(row)
        });
        rows.collect()
    }

    /// Answers that the user may give to a request of the machine.
    #[must_use]
    pub fn offer(&self, ask: AskId) -> Option<AnswerOffer> {
        pane::offer(&self.snapshot().machine, &self.answering.answerer, ask)
    }

    fn breakpoint_views(&self) -> Vec<BreakpointView> {
        let placed = self.breakpoints.placed.iter();
        placed.map(|placed| self.breakpoint_view(placed)).collect()
    }

    /// A breakpoint as front ends show it; `None` if there is no breakpoint with this id.
    #[must_use]
    pub fn breakpoint(&self, id: BreakpointId) -> Option<BreakpointView> {
        let mut placed = self.breakpoints.placed.iter();
        let placed = placed.find(|placed| placed.id == id)?;
        Some(self.breakpoint_view(placed))
    }

    fn breakpoint_view(&self, placed: &PlacedBreakpoint) -> BreakpointView {
        let at = &placed.breakpoint.at;
        let place = super::breakpoint::span_of(&self.setup.definition, at);
        let names_state = !matches!(at, super::Location::Error(..) | super::Location::Data(_));
        BreakpointView {
            id: placed.id,
            breakpoint: placed.breakpoint.clone(),
            enabled: placed.enabled,
            hits: placed.hits_until(self.snapshot().events),
            here: self.recording.past.is_none() && self.stepper.stop == Stop::Breakpoint(placed.id),
            gone: names_state && place.is_none(),
            state: place.map(|(state, _)| state),
            span: place.map(|(_, span)| span),
        }
    }

    /// Location of the source text that the event at the cursor refers to.
    fn current_span(&self, frame: &Frame, event: Option<&Event>) -> Option<Span> {
        let state = self.setup.definition.state(frame.visit.state)?;
        let of_event = event
            .filter(|event| event.frame == frame.id)
            .and_then(|event| event_span(&self.setup.definition, state, frame, event));
        Some(of_event.unwrap_or(state.name_span))
    }

    /// Number of events in the timeline.
    #[must_use]
    pub fn event_count(&self) -> u64 {
        self.recording.timeline.len()
    }

    /// Number of the event at the cursor; 0 before the first.
    #[must_use]
    pub fn event_number(&self) -> u64 {
        self.snapshot().events
    }

    /// The interpreter as it was directly after the event at the cursor, read-only.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.snapshot().machine
    }

    /// The event with this number in the timeline; numbers start at 1.
    #[must_use]
    pub fn event(&self, number: u64) -> Option<&Event> {
        self.recording.timeline.get(number)
    }
}

/// Location of the part of a state's source text that an event refers to.
fn event_span(
    definition: &Definition,
    state: &State,
    frame: &Frame,
    event: &Event,
) -> Option<Span> {
    let field = |effect| state.field_with(effect).map(|field| field.key);
    let within = |owner: Span| {
        let mut members = definition.node.at(owner)?.members()?.iter();
        let member = members.find(|member| &*member.key.text == "Assign");
        Some(member.map_or(owner, |member| member.key.span))
    };
    match event.kind {
        EventKind::Stage(stage) => stage_key(state, stage),
        EventKind::Chosen if event.arg == u32::MAX => field(Effect::Default),
        EventKind::Chosen => state.part_span(Owner::Rule(event.arg)),
        EventKind::TaskScheduled | EventKind::TaskStarted => field(Effect::Call),
        EventKind::TaskTimedOut => {
            let (fault, _) = frame.visit.fault.as_ref()?;
            match is_thrown_at_once(frame, fault) {
                true => field(Effect::Call),
                false => limit_field(state, fault.origin).map(|field| field.key),
            }
        }
        EventKind::RetryScheduled => state.part_span(Owner::Retrier(event.arg)),
        EventKind::Caught => state.part_span(Owner::Catcher(event.arg)),
        EventKind::ErrorRaised => match (&frame.visit.fault, frame.visit.handled) {
            _ if frame.visit.failed_catcher().is_some() => {
                let place = frame.visit.failed_catcher()?;
                state.catch.get(place).map(|catcher| catcher.span)
            }
            (Some((_, Some(stage))), _) => stage_key(state, *stage),
            (_, Some(Handled::Nothing)) => field(Effect::Call),
            _ => None,
        },
        EventKind::WaitStarted => field(Effect::Wait),
        EventKind::Assigned => {
            let owner = frame.visit.edge.map_or(Owner::State, Edge::owner);
            match state.part_span(owner) {
                Some(span) => within(span),
                None => state.field("Assign").map(|field| field.key),
            }
        }
        EventKind::StateExited => field(Effect::Exit),
        _ => None,
    }
}

/// Location of the name of the field that produces a stage.
fn stage_key(state: &State, stage: Stage) -> Option<Span> {
    state.written(stage)?;
    let name = state.step(stage)?.field.outermost();
    state.field(name).map(|field| field.key)
}

/// Name of the profile as users type it.
#[must_use]
pub fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Spec => "spec",
        Profile::Aws => "aws",
    }
}
