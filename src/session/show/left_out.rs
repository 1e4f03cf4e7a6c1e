//! Lists, for a finished run, the states that it did not reach and the Waits that did not wait. Also lists the states
//! at which AWS behaves differently, and the frames that were waiting when the run timed out.

use super::end::LISTED;
use super::standing::inner_frame;
use crate::definition::{
    Asked, Owner, Rule, State, StateId, StateKind, Transition, implies, reach,
};
use crate::interpreter::{
    Edge, Event, EventKind, Frame, FrameId, Handled, Machine, Millis, Phase, Stage, Status, Timer,
    holds,
};
use crate::json::Text;
use crate::session::no_items::NoItems;
use crate::session::note::{EventNote, duration};
use crate::session::origin::AT_A_STOP;
use crate::session::place::{Site, WAIT_FIELDS};
use crate::session::session::Session;
use crate::session::snapshot::Repeated;
use crate::session::tally::StateTally;
use crate::session::view::{
    ByDefault, EndView, KeptAway, LeftOut, Remarked, SpentView, TimeoutView,
};
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// Maximum number of unreached states to list.
const LEFT_OUT: usize = 40;
/// Maximum number of events to search for the last Choice that took its Default.
const FAR: u64 = 100_000;
/// Maximum number of entered states from which unreached states are searched.
const SEARCHED: usize = 1_000;

impl Session {
    /// Adds to `end` the remark that is noted with an event, if any, once per state: a Wait that did not wait, a Map
    /// that never had items, or a Choice rule that cannot match.
    pub(super) fn note_remark(
        &self,
        end: &mut EndView,
        (number, event): (u64, &Event),
        note: &EventNote,
    ) {
        let definition = &self.setup.definition;
        let Some((id, state)) = event.state.and_then(|id| Some((id, definition.state(id)?))) else {
            return;
        };
        let line = |span: Option<Span>| definition.sources.line(span);
        let value_of = |names: &[&str]| {
            let field = names.iter().find_map(|name| state.field(name))?;
            Some(field.value)
        };
        match note {
            EventNote::NoWait(why) => once(&mut end.no_waits, id, || {
                (number, line(value_of(&WAIT_FIELDS)), why.clone())
            }),
            EventNote::NoItems(why) => {
                let had_any = |state: &StateTally| state.items().1 > 0;
                if self.snapshot().tally.get(id).is_some_and(had_any) {
                    return;
                }
                once(&mut end.no_items, id, || {
                    let left = Site::error(number.saturating_sub(1), event.frame);
                    let is_items = |kind| kind == EventKind::Stage(Stage::AfterItemsPath);
                    let made = self.past().last(&left, is_items).unwrap_or(number);
                    let field = value_of(&["ItemReader", "Items", "ItemsPath"]);
                    (
                        made,
                        line(field.or(Some(state.name_span))),
                        NoItems::clone(why),
                    )
                });
            }
            EventNote::Misfit(misfit) => once(&mut end.misfits, id, || {
                let rule = state.part_span(Owner::Rule(misfit.rule));
                (number, line(rule), misfit.text.clone())
            }),
            _ => {}
        }
    }

    /// Adds to `end` the states at which AWS behaves differently, in the order of the run.
    pub(super) fn note_differing(&self, end: &mut EndView) {
        for (number, event) in self.recording.timeline.diverging() {
            if let Some(state) = event.state {
                let row = || (number, self.line_of(state), ());
                once(&mut end.differing, state, row);
            }
        }
    }

    /// Line of a state's name.
    fn line_of(&self, id: StateId) -> Option<usize> {
        let definition = &self.setup.definition;
        definition.sources.line(definition.state(id)?.name_span)
    }

    /// Adds to `end` the states that the run did not reach, with the reasons.
    pub(super) fn left_out(&self, end: &mut EndView) {
        let definition = &self.setup.definition;
        let tally = &self.snapshot().tally;
        let ran = |id: &StateId| tally.get(*id).is_some_and(|state| state.visits > 0);
        let by = self.kept_away();
        let mut rows: Vec<LeftOut> = (definition.state_ids())
            .filter(|id| !ran(id))
            .map(|state| {
                let kept = by.get(&state);
                let how = kept.and_then(|kept| kept.iter().map(|(_, how)| *how).min());
                let keepers = kept.into_iter().flatten();
                let keepers = keepers.filter(|(_, kept)| Some(*kept) == how);
                LeftOut {
                    state,
                    line: self.line_of(state),
                    by: keepers.map(|(id, _)| (*id, self.line_of(*id))).collect(),
                    how: how.unwrap_or(KeptAway::Ended),
                }
            })
            .collect();
        rows.sort_by_key(|row| row.how);
        end.by_default = self.by_default(&rows);
        end.not_reached = rows.len();
        rows.truncate(LEFT_OUT);
        end.left_out = rows;
    }

    /// The Choice that best explains why states in `rows` were not reached. This is the last Choice at which a rule
    /// after the taken rule matched as well. Without such a Choice, it is the last Choice of the run, if that Choice
    /// took its Default.
    fn by_default(&self, rows: &[LeftOut]) -> Option<ByDefault> {
        let led = |id: StateId| {
            let led = rows.iter().filter(|row| row.how == KeptAway::Led);
            led.filter(move |row| row.by.iter().any(|(by, _)| *by == id))
        };
        // Searches the timeline only if a transition led the run away from one of the states.
        rows.iter().find(|row| row.how == KeptAway::Led)?;
        let timeline = &self.recording.timeline;
        let also = self.also_true();
        let also = also.filter(|row| led(row.state).any(|led| led.state == row.missed));
        also.cloned().or_else(|| {
            let last = timeline.len();
            let mut numbers = (last.saturating_sub(FAR).max(1)..=last).rev();
            let (number, event) = numbers.find_map(|number| {
                let event = timeline.get(number)?;
                (event.kind == EventKind::Chosen).then_some((number, event))
            })?;
            let state = event.state.filter(|_| event.arg == u32::MAX)?;
            let mut led = led(state).filter(|row| !self.only_fails(row.state));
            Some(ByDefault {
                number,
                state,
                line: self.line_of(state),
                missed: led.next()?.state,
                more: led.count(),
                rules: None,
            })
        })
    }

    /// True if the run fails on every path from this state: no path leads to an end or a Succeed state.
    fn only_fails(&self, id: StateId) -> bool {
        let definition = &self.setup.definition;
        let state = |id| definition.state(id).into_iter();
        let reached: HashSet<StateId> = reach([id], |id| {
            let targets = state(id).flat_map(State::targets);
            targets.filter_map(|target| target.state)
        });
        let ends_well = |state: &State| {
            let ends = matches!(state.transition, Transition::End);
            ends || matches!(state.kind, StateKind::Succeed)
        };
        !reached.into_iter().flat_map(state).any(ends_well)
    }

    /// For each unreached state, the entered states that kept the run away from it, in the order of the definition.
    /// From each of these entered states, a path of unreached states leads to the unreached state.
    fn kept_away(&self) -> HashMap<StateId, Vec<(StateId, KeptAway)>> {
        let definition = &self.setup.definition;
        let tally = &self.snapshot().tally;
        let is_missed = |id: &StateId| tally.get(*id).is_none_or(|state| state.visits == 0);
        // States that were left by a catcher, a rule or Default. Their other transitions lead to states that the run
        // avoided.
        let decides = |edge: &Edge| matches!(edge, Edge::Catch(_) | Edge::Rule(_) | Edge::Default);
        let decided: HashSet<StateId> = (tally.edges())
            .filter(|(_, edge, _)| decides(edge))
            .map(|(id, ..)| id)
            .collect();
        let begins = |id: StateId| {
            let scopes = definition.scopes.iter();
            let inner = scopes.filter(move |scope| scope.owner == Some(id));
            inner.filter_map(|scope| scope.start_at.as_ref()?.state)
        };
        let targets = |state: &State| -> Vec<StateId> {
            state.targets().filter_map(|target| target.state).collect()
        };
        let mut by: HashMap<StateId, Vec<(StateId, KeptAway)>> = HashMap::new();
        let ran = definition.state_ids().filter(|id| !is_missed(id));
        for id in ran.take(SEARCHED) {
            let Some(state) = definition.state(id) else {
                continue;
            };
            let (mut open, how) = match decided.contains(&id) {
                true => (targets(state), KeptAway::Led),
                false => {
                    let targets = state.catch_targets().filter_map(|target| target.state);
                    (targets.collect(), KeptAway::Unfailed)
                }
            };
            let mut kept = HashMap::new();
            if tally.get(id).is_some_and(|state| state.items().1 == 0)
                && matches!(state.kind, StateKind::Map(_))
            {
                kept.extend(begins(id).map(|id| (id, KeptAway::Empty)));
            }
            open.retain(is_missed);
            kept.extend(open.into_iter().map(|id| (id, how)));
            let mut open: Vec<(StateId, KeptAway)> =
                kept.iter().map(|(id, how)| (*id, *how)).collect();
            while let Some((missed, how)) = open.pop() {
                let next = definition.state(missed).map_or_else(Vec::new, targets);
                for next in next.into_iter().chain(begins(missed)).filter(is_missed) {
                    if kept.get(&next).is_none_or(|known| how < *known) {
                        kept.insert(next, how);
                        open.push((next, how));
                    }
                }
            }
            kept.into_iter()
                .for_each(|(missed, how)| by.entry(missed).or_default().push((id, how)));
        }
        by
    }
}

impl Session {
    /// At the end of a successful run, finds the last Choice that took a rule although a later rule matches as well.
    /// Repeats the run to find it, only once per run and only if the run is not long.
    pub(in crate::session) fn note_also_true(&mut self) {
        let machine = &self.recording.head.machine;
        let run = (self.recording.number, self.recording.timeline.len());
        let known = self.also_true.as_ref();
        let is_known = known.is_some_and(|(known, _)| *known == run);
        let is_over = matches!(machine.status(), Status::Succeeded(_));
        if is_known || !is_over || self.recording.past.is_some() || run.1 > AT_A_STOP as u64 {
            return;
        }
        self.also_true = Some((run, self.last_also_true()));
    }

    /// The last Choice of this run that took a rule although a later rule matches as well, if
    /// [`Session::note_also_true`] found a Choice like that.
    fn also_true(&self) -> Option<&ByDefault> {
        let run = (self.recording.number, self.recording.timeline.len());
        let (known, rules) = self.also_true.as_ref()?;
        rules.as_ref().filter(|_| *known == run)
    }

    fn last_also_true(&self) -> Option<ByDefault> {
        let definition = &self.setup.definition;
        let tally = &self.recording.head.tally;
        let is_missed = |id: &StateId| tally.get(*id).is_none_or(|state| state.visits == 0);
        let missed = |rule: &Rule| rule.next.as_ref()?.state.filter(is_missed);
        let is_open = |id: &StateId| match definition.state(*id).map(|state| &state.kind) {
            Some(StateKind::Choice(choice)) => {
                !is_missed(id) && choice.rules.iter().any(|rule| missed(rule).is_some())
            }
            _ => false,
        };
        let open: Vec<StateId> = definition.state_ids().filter(is_open).collect();
        if open.is_empty() {
            return None;
        }
        let mut run = self.recording.kept_before(0, None);
        let mut latest = None;
        loop {
            let event = match run.repeat(&self.recording.log, &*self.setup.server) {
                Repeated::Event(event) => event,
                Repeated::Pending => continue,
                Repeated::End => return latest,
            };
            let state = event.state.filter(|id| open.contains(id));
            let (EventKind::Chosen, Some(state)) = (event.kind, state) else {
                continue;
            };
            let line = |span: Span| definition.sources.line(span);
            let also = also_true(&event, &run.machine).and_then(|[taken, later]| {
                Some(ByDefault {
                    number: run.events,
                    state,
                    line: line(definition.state(state)?.name_span),
                    missed: missed(later)?,
                    more: 0,
                    rules: Some([line(taken.span), line(later.span)]),
                })
            });
            latest = also.or(latest);
        }
    }
}

/// Records a remark on a state, with the number of the event, the line of the state and the reason. If the state
/// already has such a remark, only increases the count of that remark.
fn once<W>(
    rows: &mut Vec<Remarked<W>>,
    state: StateId,
    row: impl FnOnce() -> (u64, Option<usize>, W),
) {
    if let Some(same) = rows.iter_mut().find(|row| row.state == state) {
        same.times += 1;
    } else if rows.len() < LISTED {
        let (number, line, why) = row();
        rows.push(Remarked {
            number,
            state,
            line,
            why,
            times: 1,
        });
    }
}

/// The rule that was taken, and the first later rule that matches as well and leads to another state. Skips later rules
/// that are always true if the taken rule is true, because the author put the narrower rule first on purpose.
fn also_true<'m>(event: &Event, machine: &'m Machine) -> Option<[&'m Rule; 2]> {
    let state = machine.definition().state(event.state?)?;
    let (StateKind::Choice(choice), frame) = (&state.kind, machine.frame(event.frame)?) else {
        return None;
    };
    let taken = choice.rules.get(event.arg as usize)?;
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    let mut later = choice.rules.iter().skip(event.arg as usize + 1);
    let matching = later.find(|rule| {
        let elsewhere =
            rule.next.as_ref().map(|next| next.state) != taken.next.as_ref().map(|next| next.state);
        elsewhere
            && holds(&rule.test, &bindings) == Ok(true)
            && !implies(&Asked::of(&taken.test), &Asked::of(&rule.test))
    });
    Some([taken, matching?])
}

/// Maximum number of waiting branches or items to name.
const NAMED: usize = 3;

/// Branches or items that were waiting in the same way when the run timed out: in the same state, with the same
/// progress.
struct Waiting {
    /// Name of the first branch or item; empty for the outermost frame.
    owner: String,
    owners: usize,
    text: String,
}

impl Waiting {
    fn text(&self) -> String {
        let Self { owner, text, .. } = self;
        match (owner.is_empty(), self.owners) {
            (true, _) => text.clone(),
            (false, 1) => format!("{owner} {text}"),
            (false, owners) => {
                let others = owners - 1;
                format!("{owner} and {others} more: {text}")
            }
        }
    }
}

impl Session {
    /// For a run that ended because of the execution's time limit: an interrupted state with a catcher that looks as if
    /// it could catch this timeout, and the name in the catcher's ErrorEquals.
    fn not_caught(&self, machine: &Machine) -> Option<(Text, Text)> {
        let wide = ["States.ALL", "States.Timeout", "States.TaskFailed"];
        let states = machine.frames().filter_map(|frame| {
            let state = self.setup.definition.state(frame.visit.state)?;
            let mut names = state
                .catch
                .iter()
                .flat_map(|catcher| catcher.error_equals.iter());
            let name = names.find(|name| wide.contains(&&***name))?;
            Some((state.name.clone(), name.clone()))
        });
        states.last()
    }

    /// Details of a run that timed out: the limit, the waiting frames, and how the time was spent.
    pub(super) fn timeout_view(&self, machine: &Machine) -> TimeoutView {
        let definition = &self.setup.definition;
        let field = definition.node.get("TimeoutSeconds");
        let parents: HashSet<FrameId> = machine.frames().filter_map(|frame| frame.parent).collect();
        let leaves = machine
            .frames()
            .filter(|frame| !parents.contains(&frame.id));
        let mut waiting: Vec<Waiting> = Vec::new();
        for (owner, text) in leaves.filter_map(|frame| self.was_waiting(machine, frame)) {
            match waiting.iter_mut().find(|frames| frames.text == text) {
                Some(same) => same.owners += 1,
                None => waiting.push(Waiting {
                    owner,
                    owners: 1,
                    text,
                }),
            }
        }
        let named: Vec<String> = waiting.iter().take(NAMED).map(Waiting::text).collect();
        let others = waiting.iter().skip(NAMED).map(|frames| frames.owners).sum();
        let main = machine.frame(FrameId(0)).map(|frame| frame.visit.state);
        let now = main.map(|state| (state, machine.now()));
        let mut spent =
            self.past()
                .took(FrameId(0), self.recording.timeline.len(), now, usize::MAX);
        spent.sort_by_key(|state| std::cmp::Reverse(state.time));
        let spent = spent.into_iter().take(5).filter_map(|state| {
            Some(SpentView {
                state: definition.state(state.state)?.name.clone(),
                time: state.time,
                between_tries: state.between_tries,
            })
        });
        TimeoutView {
            seconds: definition.timeout_seconds,
            line: definition.sources.line(field.map(|node| node.span)),
            waiting: named,
            others,
            spent: spent.collect(),
            not_caught: self.not_caught(machine),
        }
    }

    /// The name of the branch or item of a frame (empty for the outermost frame), and a text that says what the frame
    /// was waiting for: `EnableRegions (line 13) was waiting for retry 6 of 6, 1 min 5 s of 8 min waited`.
    fn was_waiting(&self, machine: &Machine, frame: &Frame) -> Option<(String, String)> {
        let state = self.setup.definition.state(frame.visit.state)?;
        let line = self.setup.definition.sources.line(state.name_span)?;
        let owner = inner_frame(&self.recording, frame.id);
        let due = |wanted: Timer| machine.due(frame.id, wanted);
        let now = machine.now();
        let of = |whole: Millis, due: Millis| {
            let left = due.saturating_sub(now);
            let (waited, whole) = (duration(whole.saturating_sub(left)), duration(whole));
            format!("after {waited} of {whole}")
        };
        let name = format!("{state} (line {line})", state = state.name);
        let text = match (frame.visit.phase, &frame.visit.handled, &state.kind) {
            (Phase::Parked, Some(Handled::Retrier(place)), _) => {
                let used = frame.visit.retriers.get(*place as usize)?;
                let max = state.retry.get(*place as usize)?.max_attempts;
                let whole = used.waited.last().copied().unwrap_or_default();
                let progress = due(Timer::Retry).map(|due| format!(", {}", of(whole, due)));
                let progress = progress.unwrap_or_default();
                let number = used.used;
                format!("{name} was waiting for retry {number} of {max}{progress}")
            }
            (Phase::Parked, _, StateKind::Wait(_)) => {
                let due = due(Timer::Wake)?;
                let whole = due.saturating_sub(frame.visit.entered_at);
                let progress = of(whole, due);
                format!("{name} was waiting, {progress}")
            }
            (Phase::Parked, _, StateKind::Task(_)) => {
                let began = frame
                    .visit
                    .attempts
                    .last()
                    .map_or(now, |attempt| attempt.started);
                let waited = duration(now.saturating_sub(began));
                match due(Timer::Completion) {
                    Some(due) => {
                        let whole = duration(due.saturating_sub(began));
                        format!("{name} had waited {waited} for its answer, which takes {whole}")
                    }
                    None => format!("{name} had waited {waited} for its answer"),
                }
            }
            _ => format!("{name} was running"),
        };
        Some((owner, text))
    }
}
