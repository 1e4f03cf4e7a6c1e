//! The view: what a front end shows, computed from the run at the cursor; explanations are a second look at it.
//!
//! It must not change the session.

mod data;
mod explain;
mod handling;
mod items;
mod offer;
mod pane;
mod row;

pub(super) use row::note_of;

use super::command::Direction;
use super::expression;
use super::session::Session;
use super::stop::Stop;
use super::view::{
    BreakpointView, FrameView, HeaderView, RunStatus, StateStatus, StateView, TaskView, View,
    WatchView,
};
use crate::definition::{State, StateId, StateKind};
use crate::interpreter::OnAws;
use crate::interpreter::{
    Ask, Event, EventKind, Fault, Frame, FrameId, Handled, Machine, Phase, Stage, Status, Timer,
};
use crate::query::Profile;
use crate::source::Span;

/// `AWS: States.Runtime, cannot be caught`, where AWS would make something else of a fault.
pub(super) fn difference(fault: &Fault) -> Option<String> {
    fault.aws.as_ref().map(OnAws::text)
}

fn task_view(machine: &Machine, ask: &Ask) -> TaskView {
    let due = |wanted: Timer| {
        let mut timers = machine.timers(ask.frame).iter();
        timers
            .find(|(_, timer)| *timer == wanted)
            .map(|(at, _)| *at)
    };
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

/// A task that has its answer, which arrives later or never.
fn held(machine: &Machine) -> impl Iterator<Item = &Ask> {
    machine.frames().filter_map(|frame| {
        let call = frame.visit.call.as_ref()?;
        let held = frame.visit.phase == Phase::Parked && call.answer.is_some();
        held.then_some(&call.ask)
    })
}

impl Session {
    /// Everything about the run at the cursor.
    #[must_use]
    pub fn view(&self) -> View {
        let machine = &self.snapshot().machine;
        let frame = self.focus_frame().filter(|_| self.snapshot().events > 0);
        let event = self.recording.timeline.get(self.snapshot().events);
        View {
            header: self.header(),
            current: frame.map(|frame| frame.visit.state),
            current_span: frame.and_then(|frame| self.current_span(frame, event)),
            states: self.state_views(),
            edges: self.snapshot().tally.edges().collect(),
            data: frame
                .map(|frame| self.data_view(frame, event))
                .unwrap_or_default(),
            state: frame
                .map(|frame| self.state_pane(frame))
                .unwrap_or_default(),
            frames: self.frame_views(frame),
            tasks: machine
                .open_asks()
                .map(|ask| task_view(machine, ask))
                .collect(),
            held: held(machine).map(|ask| task_view(machine, ask)).collect(),
            answer_rules: self.answer_rule_views(),
            breakpoints: self.breakpoint_views(),
            watches: self.watches.iter().map(watch_view).collect(),
        }
    }

    fn header(&self) -> HeaderView {
        let snapshot = self.snapshot();
        HeaderView {
            machine: self.setup.definition.name.clone(),
            run: self.recording.number,
            not_aws: self.recording.log.ignores_failures(snapshot.applied),
            status: self.run_status(),
            event: snapshot.events,
            event_count: self.recording.timeline.len(),
            history_id: snapshot.tally.history_id,
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

    /// Why the run last stopped.
    #[must_use]
    pub fn stop(&self) -> &Stop {
        &self.stepper.stop
    }

    /// The last stop in one sentence.
    #[must_use]
    pub fn stop_sentence(&self) -> String {
        let state = self
            .focus_frame()
            .map(|frame| self.state_name(frame.visit.state));
        let state = state.as_deref().unwrap_or("");
        match &self.stepper.stop {
            Stop::Start => {
                "ready to run: s goes to the next stage, n to the next state, c to the next stop"
                    .to_string()
            }
            Stop::Step => self
                .recording
                .timeline
                .get(self.snapshot().events)
                .map_or_else(String::new, |event| {
                    let row = self.row(self.snapshot().events, event);
                    [state, row.title.as_str(), row.detail.as_str()]
                        .join(" ")
                        .trim()
                        .to_string()
                }),
            Stop::Breakpoint(id) => format!("breakpoint {} at {state}", id.0),
            Stop::Error(moment, name) => {
                format!("{state}: error {moment}: {name}{}", self.cause_sentence())
            }
            Stop::Ask(_) => format!("{state} waits for an answer: m gives one"),
            Stop::ProfilesDiffer(text) => format!(
                "{state}: the profiles part company here; {text}{}",
                self.cause_sentence()
            ),
            Stop::Target => format!("arrived at {state}"),
            Stop::Pause => format!("paused in {state}"),
            Stop::Travel => format!(
                "at event {} of {}",
                self.snapshot().events,
                self.recording.timeline.len()
            ),
            Stop::Reload(None) => "reloaded: nothing is different up to here".to_string(),
            Stop::Reload(Some(event)) => format!("reloaded: the run differs from event {event} on"),
            Stop::Memory(bytes) => format!(
                "the run and its record take {} MiB: nothing more is run",
                bytes >> 20
            ),
            Stop::Stuck => format!(
                "{state} never gets an answer and has no timeout: nothing can happen any more"
            ),
            Stop::End => match self.recording.head.machine.status() {
                Status::Succeeded(_) => format!(
                    "the run succeeded in {} events; r runs it again, C goes back",
                    self.recording.timeline.len()
                ),
                Status::Failed(fault) => {
                    let name = fault.error.as_deref().unwrap_or("an error without a name");
                    format!("the run failed with {name}; C goes back, r runs it again")
                }
                Status::TimedOut => {
                    "the run's TimeoutSeconds passed; C goes back, r runs it again".to_string()
                }
                Status::Running => "the run goes on".to_string(),
            },
        }
    }

    fn cause_sentence(&self) -> String {
        let fault = self
            .focus_frame()
            .and_then(|frame| frame.visit.fault.as_ref());
        match fault
            .map(|(fault, _)| fault.cause_text())
            .filter(|cause| !cause.is_empty())
        {
            Some(cause) => format!(": {cause}"),
            None => String::new(),
        }
    }

    fn state_views(&self) -> Vec<StateView> {
        let snapshot = self.snapshot();
        let views = self.setup.definition.state_ids().map(|id| {
            let tally = snapshot.tally.get(id).cloned().unwrap_or_default();
            StateView {
                status: tally.status,
                visits: tally.visits,
                retries: None,
                progress: None,
                live: 0,
            }
        });
        let mut views: Vec<StateView> = views.collect();
        for ask in held(&snapshot.machine) {
            let mut open = snapshot.machine.open_asks();
            if let Some(view) = views.get_mut(ask.state.0 as usize)
                && view.status == StateStatus::Asking
                && !open.any(|own| own.state == ask.state)
            {
                view.status = StateStatus::Waiting;
            }
        }
        for frame in snapshot.machine.frames() {
            let Some(view) = views.get_mut(frame.visit.state.0 as usize) else {
                continue;
            };
            view.live += 1;
            if let Some(group) = &frame.visit.group {
                let over = matches!(self.kind_of(frame.visit.state), Some(StateKind::Map(_)));
                view.progress = over.then_some((group.succeeded + group.failed, group.total));
            }
            let last = frame
                .visit
                .retriers
                .iter()
                .enumerate()
                .rfind(|(_, one)| one.used > 0);
            if let Some((place, one)) = last {
                let max = self
                    .setup
                    .definition
                    .state(frame.visit.state)
                    .and_then(|state| state.retry.get(place));
                view.retries = max.map(|retrier| (one.used, retrier.max_attempts));
            }
        }
        views
    }

    pub(super) fn kind_of(&self, id: StateId) -> Option<&StateKind> {
        self.setup.definition.state(id).map(|state| &state.kind)
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

    /// A frame in words: `main`, `Orders[12]`, `Fan[1]/Each[3]`.
    #[must_use]
    pub fn frame_name(&self, id: FrameId) -> String {
        let names = self
            .recording
            .timeline
            .path(id)
            .into_iter()
            .filter_map(|id| {
                let lineage = self.recording.timeline.lineage(id)?;
                let owner = self.setup.definition.state(lineage.owner?)?;
                Some(format!("{}[{}]", owner.name, lineage.index))
            });
        let name = names.collect::<Vec<_>>().join("/");
        if name.is_empty() {
            "main".to_string()
        } else {
            name
        }
    }

    fn breakpoint_views(&self) -> Vec<BreakpointView> {
        let views = self.breakpoints.placed.iter().map(|placed| {
            let place =
                super::breakpoint_location::span_of(&self.setup.definition, &placed.breakpoint.at);
            let names_state = !matches!(
                placed.breakpoint.at,
                super::Location::Error(..) | super::Location::Data(_)
            );
            BreakpointView {
                id: placed.id,
                breakpoint: placed.breakpoint.clone(),
                enabled: placed.enabled,
                hits: placed.hits_until(self.snapshot().events),
                here: self.recording.past.is_none()
                    && self.stepper.stop == Stop::Breakpoint(placed.id),
                gone: names_state && place.is_none(),
                state: place.map(|(state, _)| state),
                span: place.map(|(_, span)| span),
            }
        });
        views.collect()
    }

    /// The text that the cursor's event is about.
    fn current_span(&self, frame: &Frame, event: Option<&Event>) -> Option<Span> {
        let state = self.setup.definition.state(frame.visit.state)?;
        let of_event = event
            .filter(|event| event.frame == frame.id)
            .and_then(|event| event_span(state, frame, event));
        Some(of_event.unwrap_or(state.name_span))
    }

    /// The event before the cursor at which the value of this path in the data last changed (who wrote it).
    #[must_use]
    pub fn writer_of(&self, path: &str) -> Option<u64> {
        let frame = self.focus_frame()?.id;
        let value_in = |machine: &Machine| {
            machine.frame(frame).and_then(|frame| {
                expression::evaluate(machine, frame, path, &*self.setup.server).ok()
            })
        };
        let now = value_in(&self.snapshot().machine)?;
        let mut end = self.snapshot().events;
        // Interval by interval between checkpoints, backwards.
        while end > 0 {
            let mut snapshot = self.recording.kept_before(end.saturating_sub(1));
            let start = snapshot.events;
            let mut last = (value_in(&snapshot.machine).as_ref() == Some(&now)).then_some(0);
            let mut found = None;
            while snapshot.events < end
                && snapshot
                    .repeat(&self.recording.log, &*self.setup.server)
                    .is_some()
            {
                let same = value_in(&snapshot.machine).as_ref() == Some(&now);
                if same && last.is_none() {
                    found = Some(snapshot.events);
                }
                last = same.then_some(snapshot.events);
            }
            if found.is_some() || start == 0 {
                return found;
            }
            end = start;
        }
        None
    }

    /// The next event from the cursor whose row holds `text`.
    #[must_use]
    pub fn find_event(&self, text: &str, direction: Direction) -> Option<u64> {
        let wanted = text.to_lowercase();
        let at = self.snapshot().events;
        let holds = |number: &u64| {
            self.recording.timeline.get(*number).is_some_and(|event| {
                let row = self.row(*number, event);
                let state = row
                    .state
                    .map(|id| self.state_name(id))
                    .unwrap_or_else(|| "".into());
                let line = [&*state, &row.title, &row.detail, &row.frame].join(" ");
                line.to_lowercase().contains(&wanted)
            })
        };
        match direction {
            Direction::Forward => (at + 1..=self.recording.timeline.len()).find(holds),
            Direction::Backward => (1..at).rev().find(holds),
        }
    }

    /// How many events are recorded.
    #[must_use]
    pub fn event_count(&self) -> u64 {
        self.recording.timeline.len()
    }

    /// The machine at the cursor, to be looked at.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.snapshot().machine
    }

    /// The recorded event of a number (from 1).
    #[must_use]
    pub fn event(&self, number: u64) -> Option<&Event> {
        self.recording.timeline.get(number)
    }
}

fn watch_view(watch: &super::session::Watch) -> WatchView {
    WatchView {
        text: watch.text.clone(),
        value: watch.now.clone(),
        was: (watch.was != watch.now).then(|| watch.was.clone()),
    }
}

/// The part of a state's text that an event is about.
fn event_span(state: &State, frame: &Frame, event: &Event) -> Option<Span> {
    let field = |name: &str| state.field(name).map(|field| field.key);
    match event.kind {
        EventKind::Stage(Stage::Result) => field("Result"),
        EventKind::Stage(stage) => {
            let older = matches!(stage, Stage::AfterItemsPath)
                .then(|| field("ItemsPath"))
                .flatten();
            older.or_else(|| stage.field().and_then(field))
        }
        EventKind::Chosen => match &state.kind {
            StateKind::Choice(_) if event.arg == u32::MAX => field("Default"),
            StateKind::Choice(choice) => choice.rules.get(event.arg as usize).map(|rule| rule.span),
            _ => None,
        },
        EventKind::TaskScheduled | EventKind::TaskStarted => field("Resource"),
        EventKind::RetryScheduled => state.retry.get(event.arg as usize).map(|one| one.span),
        EventKind::Caught => state.catch.get(event.arg as usize).map(|one| one.span),
        EventKind::ErrorRaised => match (&frame.visit.fault, frame.visit.handled) {
            (Some((_, Some(stage))), _) => stage.field().and_then(field),
            (_, Some(Handled::Nothing)) => field("Resource"),
            _ => None,
        },
        EventKind::WaitStarted => ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"]
            .into_iter()
            .find_map(field),
        EventKind::StateExited => field("Next").or_else(|| field("End")),
        _ => None,
    }
}

/// How a frame stands, for lanes and items.
fn frame_status(machine: &Machine, frame: &Frame) -> StateStatus {
    let kind = machine
        .definition()
        .state(frame.visit.state)
        .map(|state| &state.kind);
    match (frame.visit.phase, kind, &frame.visit.handled) {
        (Phase::Parked, _, Some(Handled::Retrier(_))) => StateStatus::Retrying,
        (Phase::Parked, Some(StateKind::Task(_)), _) => {
            let answered = frame
                .visit
                .call
                .as_ref()
                .is_some_and(|call| call.answer.is_some());
            match answered {
                true => StateStatus::Waiting,
                false => StateStatus::Asking,
            }
        }
        (Phase::Parked, Some(StateKind::Wait(_)), _) => StateStatus::Waiting,
        (Phase::Handle | Phase::Fail, ..) => StateStatus::ErrorRaised,
        _ => StateStatus::Running,
    }
}

/// Milliseconds as a person says them: `250 ms`, `2 s`, `1.5 s`, `3 min`, `1 h 5 min`, `2 d`.
#[must_use]
pub fn duration(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..120_000 if millis.is_multiple_of(1000) => format!("{} s", millis / 1000),
        1000..120_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        120_000..7_200_000 => format!("{} min", millis / 60_000),
        7_200_000..172_800_000 => format!(
            "{} h {} min",
            millis / 3_600_000,
            millis % 3_600_000 / 60_000
        ),
        _ => format!("{} d", millis / 86_400_000),
    }
}

/// The profile as it is typed.
#[must_use]
pub fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Spec => "spec",
        Profile::Aws => "aws",
    }
}
