//! Explains a run that timed out: the limit, the waiting branches, and how the time was spent.

use crate::definition::StateKind;
use crate::interpreter::{Frame, FrameId, Handled, Machine, Millis, Phase, Timer};
use crate::json::Text;
use crate::session::note::duration;
use crate::session::session::Session;
use crate::session::view::{SpentView, TimeoutView};
use std::collections::HashSet;

/// Maximum number of waiting branches or items to name.
const NAMED: usize = 3;

/// Branches or items that waited in the same state for the same thing.
struct Waiting {
    /// Name of the first branch or item; empty for the outermost frame.
    owner: String,
    owners: usize,
    what: String,
}

impl Waiting {
    fn text(&self) -> String {
        let Self { owner, what, .. } = self;
        match (owner.is_empty(), self.owners) {
            (true, _) => what.clone(),
            (false, 1) => format!("{owner} {what}"),
            (false, owners) => format!("{owner} and {} more: {what}", owners - 1),
        }
    }
}

impl Session {
    /// A catcher of the interrupted state that looks as if it could catch the execution's timeout, but does not.
    fn not_caught(&self, machine: &Machine) -> Option<(Text, Text)> {
        let wide = ["States.ALL", "States.Timeout", "States.TaskFailed"];
        let states = machine.frames().filter_map(|frame| {
            let state = self.setup.definition.state(frame.visit.state)?;
            let mut names = state.catch.iter().flat_map(|one| one.error_equals.iter());
            let name = names.find(|name| wide.contains(&&***name))?;
            Some((state.name.clone(), name.clone()))
        });
        states.last()
    }

    /// Details of a run that timed out: the limit, the waiting frames, and how the time was spent.
    pub(super) fn timeout_view(&self, machine: &Machine) -> TimeoutView {
        let definition = &self.setup.definition;
        let field = definition.node.get("TimeoutSeconds");
        let parents: HashSet<FrameId> = machine.frames().filter_map(|one| one.parent).collect();
        let leaves = machine
            .frames()
            .filter(|frame| !parents.contains(&frame.id));
        let mut waiting: Vec<Waiting> = Vec::new();
        for (owner, what) in leaves.filter_map(|frame| self.was_waiting(machine, frame)) {
            match waiting.iter_mut().find(|one| one.what == what) {
                Some(same) => same.owners += 1,
                None => waiting.push(Waiting {
                    owner,
                    owners: 1,
                    what,
                }),
            }
        }
        let named: Vec<String> = waiting.iter().take(NAMED).map(Waiting::text).collect();
        let others = waiting.iter().skip(NAMED).map(|one| one.owners).sum();
        let main = machine.frame(FrameId(0)).map(|frame| frame.visit.state);
        let now = main.map(|state| (state, machine.now()));
        let mut spent = self
            .past()
            .took(FrameId(0), self.recording.timeline.len(), now);
        spent.sort_by_key(|one| std::cmp::Reverse(one.time));
        let spent = spent.into_iter().take(5).filter_map(|one| {
            Some(SpentView {
                state: definition.state(one.state)?.name.clone(),
                time: one.time,
                between_tries: one.between_tries,
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

    /// Name of the branch or item (empty for the outermost frame), and text such as `EnableRegions (line 13) was
    /// waiting for retry 6 of 6, 1 min 5 s of 8 min waited`.
    fn was_waiting(&self, machine: &Machine, frame: &Frame) -> Option<(String, String)> {
        let state = self.setup.definition.state(frame.visit.state)?;
        let line = self.setup.definition.sources.line(state.name_span)?;
        let owner = match self.frame_name(frame.id).as_str() {
            "main" => String::new(),
            name => name.to_owned(),
        };
        let due = |wanted: Timer| machine.due(frame.id, wanted);
        let now = machine.now();
        let of = |whole: Millis, due: Millis| {
            let left = due.saturating_sub(now);
            let waited = duration(whole.saturating_sub(left));
            format!("{waited} of {} waited", duration(whole))
        };
        let what = match (frame.visit.phase, &frame.visit.handled, &state.kind) {
            (Phase::Parked, Some(Handled::Retrier(place)), _) => {
                let used = frame.visit.retriers.get(*place as usize)?;
                let max = state.retry.get(*place as usize)?.max_attempts;
                let whole = used.waited.last().copied().unwrap_or_default();
                let waited = due(Timer::Retry).map(|due| format!(", {}", of(whole, due)));
                let waited = waited.unwrap_or_default();
                format!("was waiting for retry {} of {max}{waited}", used.used)
            }
            (Phase::Parked, _, StateKind::Wait(_)) => {
                let due = due(Timer::Wake)?;
                let whole = due.saturating_sub(frame.visit.entered_at);
                format!("was waiting, {}", of(whole, due))
            }
            (Phase::Parked, _, StateKind::Task(_)) => {
                let began = frame.visit.attempts.last().map_or(now, |one| one.started);
                let waited = duration(now.saturating_sub(began));
                match due(Timer::Completion) {
                    Some(due) => format!(
                        "was waiting for its answer, which takes {}, {waited} waited",
                        duration(due.saturating_sub(began))
                    ),
                    None => format!("was waiting for its answer, {waited} waited"),
                }
            }
            _ => "was running".to_string(),
        };
        Some((owner, format!("{} (line {line}) {what}", state.name)))
    }
}
