//! Finds the Choice of a finished run that took a rule although a later rule, which leads to a state that the run never
//! reached, matched as well.

use super::origin::AT_A_STOP;
use super::session::Session;
use super::snapshot::Repeated;
use super::view::ByDefault;
use crate::definition::{Asked, Rule, StateId, StateKind, implies};
use crate::interpreter::{Event, EventKind, Machine, Stage, Status, holds};

impl Session {
    /// At the end of a run that succeeded, finds the last such Choice, once per run; repeats the run to do so, unless
    /// the run is long.
    pub(super) fn note_also_true(&mut self) {
        let machine = &self.recording.head.machine;
        let here = (self.recording.number, self.recording.timeline.len());
        let is_known = self
            .also_true
            .as_ref()
            .is_some_and(|(known, _)| *known == here);
        let is_over = matches!(machine.status(), Status::Succeeded(_));
        if is_known || !is_over || self.recording.past.is_some() || here.1 > AT_A_STOP as u64 {
            return;
        }
        self.also_true = Some((here, self.last_also_true()));
    }

    /// The Choice found at the end of this run.
    pub(super) fn also_true(&self) -> Option<&ByDefault> {
        let here = (self.recording.number, self.recording.timeline.len());
        let (known, found) = self.also_true.as_ref()?;
        found.as_ref().filter(|_| *known == here)
    }

    fn last_also_true(&self) -> Option<ByDefault> {
        let definition = &self.setup.definition;
        let tally = &self.recording.head.tally;
        let is_missed = |id: &StateId| tally.get(*id).is_none_or(|own| own.visits == 0);
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
        let mut run = self.recording.kept_before(0);
        let mut found = None;
        loop {
            let event = match run.repeat(&self.recording.log, &*self.setup.server) {
                Repeated::Event(event) => event,
                Repeated::Pending => continue,
                Repeated::End => return found,
            };
            let state = event.state.filter(|id| open.contains(id));
            let (EventKind::Chosen, Some(state)) = (event.kind, state) else {
                continue;
            };
            let line = |span| Some(definition.sources.place(span)?.line);
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
            found = also.or(found);
        }
    }
}

/// The rule that was taken, and the first later rule that matches as well and leads to another state. Rules that follow
/// logically from the taken rule are skipped: the author meant the narrower rule to come first.
fn also_true<'m>(event: &Event, machine: &'m Machine) -> Option<[&'m Rule; 2]> {
    let state = machine.definition().state(event.state?)?;
    let (StateKind::Choice(choice), frame) = (&state.kind, machine.frame(event.frame)?) else {
        return None;
    };
    let taken = choice.rules.get(event.arg as usize)?;
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    let mut later = choice.rules.iter().skip(event.arg as usize + 1);
    let found = later.find(|rule| {
        let elsewhere =
            rule.next.as_ref().map(|next| next.state) != taken.next.as_ref().map(|next| next.state);
        elsewhere
            && holds(&rule.test, &bindings) == Ok(true)
            && !implies(&Asked::of(&taken.test), &Asked::of(&rule.test))
    });
    Some([taken, found?])
}
