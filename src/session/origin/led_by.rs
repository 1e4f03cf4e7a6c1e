//! Finds the transition because of which a run reached a state. For a Fail state: the error that was caught on the way,
//! or the last Choice. For other states: the last Choice at which the run could have taken a path without this state.

use super::document::split;
use super::history::{Before, Past};
use super::{Holder, Lead, LeftBy, Site};
use crate::definition::{ResultPath, Rule, State, StateId, StateKind, Test, reach};
use crate::interpreter::{Edge, EventKind, FrameId, Stage};
use crate::json::{Pointer, Step};
use crate::query::{Path, Root};
use crate::session::choice::{reason, rules};
use crate::session::fault::no_retry;
use crate::session::note::EventNote;
use crate::session::place::{Between, DecidingTest};
use std::collections::HashSet;

impl Past<'_> {
    /// The transition that led a frame to its Fail state at an event. This is the last caught error if, without the
    /// error, the run could have ended elsewhere, and if no later Choice decided independently of the error. Otherwise
    /// it is the last Choice.
    pub fn led_by(&self, frame: FrameId, event: u64) -> Option<Lead> {
        Some(self.explained(self.lead_to_fail(frame, event)?))
    }

    fn lead_to_fail(&self, frame: FrameId, event: u64) -> Option<Lead> {
        let visit = self.visit(frame, event)?;
        if !matches!(self.state(visit.state)?.kind, StateKind::Fail(_)) {
            return None;
        }
        let target = visit.state;
        let last_caught = self.last_caught(frame, visit.entered);
        let (mut way, mut choice): (Vec<Between>, Option<Lead>) = (Vec::new(), None);
        let (mut taken, mut number) = (target, visit.entered);
        while let Before::State(left, id, edge) = self.before(frame, number) {
            let state = self.state(id)?;
            let by = match edge {
                Edge::Catch(place) => {
                    let well = self.well(id);
                    let only = !way.iter().any(|step| well.contains(&step.state))
                        && !well.contains(&target);
                    let leads = match &choice {
                        None => only || self.can_pass_by(id, taken, target),
                        Some(choice) => only || self.compares_error(choice, state, place),
                    };
                    let caught = || self.caught(frame, left, id, (place, target));
                    match choice {
                        _ if leads => {
                            return Some(Lead {
                                way: in_order(way),
                                ..caught()?
                            });
                        }
                        None => None,
                        Some(mut choice) => {
                            let is_right_before =
                                way.iter().filter(|step| step.by.is_some()).count() == 1;
                            choice.after = caught().filter(|_| is_right_before).map(Box::new);
                            return Some(choice);
                        }
                    }
                }
                Edge::Rule(_) | Edge::Default => {
                    let lead = self.chosen(frame, left, id, (edge, target));
                    let by = lead.as_ref().map(|lead| (lead.by.clone(), lead.span));
                    if choice.is_none() {
                        choice = lead.map(|lead| Lead {
                            way: in_order(way.clone()),
                            ..lead
                        });
                    }
                    if choice.is_some() && last_caught.is_none_or(|caught| caught > left) {
                        return choice;
                    }
                    by
                }
                _ => None,
            };
            way.push(Between { state: id, by });
            (taken, number) = (id, left.saturating_sub(1));
        }
        choice
    }

    /// The last decision without which the run might not have reached the frame's current state (or the Parallel or Map
    /// that runs the frame). A decision is a transition of a Choice or of a catcher that has an alternative: a path on
    /// which the run can end without this state.
    pub fn chosen_by(&self, frame: FrameId, event: u64) -> Option<Lead> {
        let (mut frame, mut event) = (frame, event);
        if let Some(lead) = self.caught_here(frame, event) {
            return Some(self.explained(lead));
        }
        loop {
            let visit = self.visit(frame, event)?;
            let (mut taken, mut number) = (visit.state, visit.entered);
            let mut way = Vec::new();
            while let Before::State(left, id, edge) = self.before(frame, number) {
                let decides =
                    !matches!(edge, Edge::Next) && self.can_pass_by(id, taken, visit.state);
                let lead = match edge {
                    _ if !decides => None,
                    Edge::Catch(place) => self.caught(frame, left, id, (place, visit.state)),
                    _ => self.chosen(frame, left, id, (edge, visit.state)),
                };
                if let Some(lead) = lead {
                    return Some(self.explained(Lead {
                        way: in_order(way),
                        ..lead
                    }));
                }
                way.push(Between {
                    state: id,
                    by: None,
                });
                (taken, number) = (id, left.saturating_sub(1));
            }
            event = self.began(frame, visit.entered)?;
            frame = self.parent(frame)?;
        }
    }

    /// True if the run can end without reaching `state` after `choice` makes another transition than the one to
    /// `taken`. Paths that return to `choice` do not count. Catchers of `choice` count as transitions, too.
    fn can_pass_by(&self, choice: StateId, taken: StateId, state: StateId) -> bool {
        let others = self.next_of(choice);
        if others.is_empty() {
            return true;
        }
        let left = self.state(choice).into_iter();
        let caught = left.flat_map(|left| left.catch_targets().filter_map(|target| target.state));
        let is_other = |id: &StateId| ![choice, state].contains(id);
        let others = others.into_iter().chain(caught).filter(|id| *id != taken);
        let reached: HashSet<StateId> = reach(others.filter(is_other), |id| {
            self.next_of(id).into_iter().filter(is_other)
        });
        reached.into_iter().any(|id| self.next_of(id).is_empty())
    }

    /// All states that can follow a state, directly or later, if no error occurs.
    pub(super) fn well(&self, state: StateId) -> HashSet<StateId> {
        reach(self.next_of(state), |id| self.next_of(id))
    }

    /// The states that can directly follow a state if no error occurs.
    fn next_of(&self, id: StateId) -> Vec<StateId> {
        let targets = self.state(id).into_iter().flat_map(State::next_targets);
        targets.filter_map(|target| target.state).collect()
    }

    /// True if the Choice of `lead` tests the error output that a catcher of `state` wrote; `place` is the index of the
    /// catcher.
    fn compares_error(&self, lead: &Lead, state: &State, place: u32) -> bool {
        let catcher = state.catch.get(place as usize);
        let path = catcher.map(|catcher| &catcher.result_path);
        match (path, &lead.to.holder) {
            (Some(ResultPath::Insert(path)), Holder::Stage(_)) => {
                super::step_back::are_related(path.steps(), &lead.to.at.0)
            }
            _ => false,
        }
    }

    /// The last event up to `before` with which a frame caught an error. Searches only events that have a note, which
    /// is fast even in a long run.
    fn last_caught(&self, frame: FrameId, before: u64) -> Option<u64> {
        let timeline = self.timeline();
        let is_caught = |(number, note): &(u64, &EventNote)| {
            *number <= before
                && matches!(note, EventNote::Caught { .. })
                && timeline
                    .get(*number)
                    .is_some_and(|event| event.frame == frame)
        };
        Some(timeline.notes().rev().find(is_caught)?.0)
    }

    /// The transition by a catcher, if an event of a frame belongs to that catcher, such as the evaluation of its
    /// Assign or Output.
    fn caught_here(&self, frame: FrameId, event: u64) -> Option<Lead> {
        let visit = self.visit(frame, event)?;
        let entry = self.timeline().get(event)?;
        let edge = match (visit.left, entry.kind) {
            (Some(edge), _) => edge,
            (None, EventKind::Caught) => Edge::Catch(entry.arg),
            (None, _) => self.timeline().assigned_by(event),
        };
        let Edge::Catch(place) = edge else {
            return None;
        };
        let catcher = self.state(visit.state)?.catch.get(place as usize)?;
        let target = catcher.next.as_ref()?.state?;
        self.caught(frame, event, visit.state, (place, target))
    }

    fn caught(
        &self,
        frame: FrameId,
        left: u64,
        id: StateId,
        (place, target): (u32, StateId),
    ) -> Option<Lead> {
        let event = (self.timeline()).last_of(frame, left, EventKind::ErrorRaised)?;
        let note = self.timeline().note(event);
        let (state, profile) = (self.state(id)?, self.recording.head.machine.profile());
        let catcher = state.catch.get(place as usize);
        let no_retry = match note {
            Some(EventNote::Raised { fault, spent }) => {
                let spent = spent.map(|place| place as usize);
                no_retry((self.definition, profile), state, fault, spent)
            }
            _ => None,
        };
        let by = LeftBy::Catcher(place, note.and_then(|note| note.error().cloned()));
        let to = Site::error(event, frame);
        Some(Lead {
            no_retry: no_retry.map(|(said, span)| (said.into(), span)),
            ..Lead::new(to, (id, by), catcher.map(|catcher| catcher.span), target)
        })
    }

    fn chosen(
        &self,
        frame: FrameId,
        left: u64,
        id: StateId,
        (edge, target): (Edge, StateId),
    ) -> Option<Lead> {
        let state = self.state(id)?;
        let StateKind::Choice(choice) = &state.kind else {
            return None;
        };
        let event = (self.timeline()).last_of(frame, left, EventKind::Chosen)?;
        let (by, rule, span) = match edge {
            Edge::Rule(place) => {
                let rule = choice.rules.get(place as usize);
                (LeftBy::Rule(place), rule, rule.map(|rule| rule.span))
            }
            _ => {
                let span = state.field("Default").map(|field| field.value);
                (LeftBy::Default, choice.rules.first(), span)
            }
        };
        let (holder, at) = rule.map_or_else(|| whole(state), |rule| compared(state, rule));
        let to = Site {
            event,
            frame,
            holder,
            at,
        };
        Some(Lead::new(to, (id, by), span, target))
    }
}

/// Puts the states that the run passed in order. The search found them backwards.
fn in_order(mut way: Vec<Between>) -> Vec<Between> {
    way.reverse();
    way
}

/// The whole input that the rules of a Choice read.
fn whole(state: &State) -> (Holder, Pointer) {
    let stage = match state.field("InputPath") {
        Some(_) => Stage::AfterInputPath,
        None => Stage::Input,
    };
    (Holder::Stage(stage), Pointer::root())
}

/// The part of a frame's data, such as a stage or a variable, and the position in it, that a path in a Choice reads.
fn place_at(state: &State, path: &Path) -> (Holder, Pointer) {
    let at = Pointer(path.names().unwrap_or_default());
    match path.root() {
        Root::Data => (whole(state).0, at),
        Root::Context => (Holder::Context, at),
        Root::Variable(name) => (Holder::Variable(name.clone()), at),
    }
}

/// The part of a frame's data, such as a stage or a variable, and the position in it, that the first comparison of a
/// Choice rule reads. For a JSONata condition, the position has only the first name of the path, because further names
/// may apply to the items of an array.
fn compared(state: &State, rule: &Rule) -> (Holder, Pointer) {
    let place = match &rule.test {
        Test::Condition(expression) => {
            let tree = expression.parsed();
            let variables = tree.map(|tree| tree.variables(tree.root()));
            let variables = variables.unwrap_or_default();
            let all = tree.map(|tree| tree.root().paths()).unwrap_or_default();
            all.into_iter().find_map(|names| {
                let (first, rest) = names.split_first()?;
                let (holder, rest) = match (first.as_str(), rest.split_first()) {
                    ("states", Some((input, rest))) if input == "input" => {
                        (Holder::Stage(Stage::Input), rest)
                    }
                    ("states", _) => return None,
                    (first, _) => {
                        let name = variables.iter().find(|name| ***name == *first)?;
                        (Holder::Variable(name.clone()), rest)
                    }
                };
                let step = rest.first().map(|name| Step::Member(name.as_str().into()));
                Some((holder, Pointer(step.into_iter().collect())))
            })
        }
        test => {
            let all = test.comparisons();
            all.first()
                .map(|comparison| place_at(state, &comparison.variable))
        }
    };
    place.unwrap_or_else(|| whole(state))
}

impl Past<'_> {
    /// Adds to a transition by a Choice the test that explains it, and the place that the test reads. Leaves the
    /// transition unchanged if it would take long to evaluate the Choice.
    pub(super) fn explained(&self, lead: Lead) -> Lead {
        let Some((test, place)) = self.decided(&lead) else {
            return lead;
        };
        let mut lead = lead;
        if let Some((holder, at)) = place {
            (lead.to.holder, lead.to.at) = (holder, at);
        }
        lead.test = Some(test);
        lead
    }

    fn decided(&self, lead: &Lead) -> Option<(DecidingTest, Option<(Holder, Pointer)>)> {
        if matches!(lead.by, LeftBy::Catcher(..)) {
            return None;
        }
        let run = self.repeated_up_to(lead.to.event)?;
        let (frame, head) = (run.machine.frame(lead.to.frame)?, &self.recording.head);
        let rules = rules(&run.machine, frame, &head.machine, self.server);
        let taken = rules.iter().position(|rule| rule.taken)?;
        let reason = reason(&rules, taken)?;
        let is_before = lead.by != LeftBy::Default && reason.place != taken;
        let test = DecidingTest {
            said: reason.said().map(|said| said.as_str().into()),
            before: reason.rule.index.filter(|_| is_before),
            span: reason.test.span.or(reason.rule.span),
        };
        let path = reason.test.paths.first();
        let place = path.and_then(|path| place_of(self.state(lead.state)?, path));
        Some((test, place))
    }
}

/// The part of a frame's data, such as a stage or a variable, and the position in it, that a path in a test reads;
/// `None` if the text is not a path.
fn place_of(state: &State, path: &str) -> Option<(Holder, Pointer)> {
    let (holder, path) = split(path);
    let (default_holder, at) = place_at(state, &Path::parse(&path).ok()?);
    Some((holder.unwrap_or(default_holder), at))
}
