//! Finds where a missing value was lost: at which event, and by which field. If the value never existed, finds similar
//! values, and a state that would have written the value but did not run.

use super::document::{member_named, value_at};
use super::dropped::{drop_of, dropped, identity, moved, withheld};
use super::history::{Moment, Past};
use super::{Holder, Hop, Site};
use crate::definition::{Compiled, Owner, QueryLanguage, ResultPath, State, StateId, StateKind};
use crate::interpreter::{EventKind, Frame, Machine, Stage};
use crate::json::{Pointer, Step, Text, Value};
use crate::session::place::{Absence, Absent, Drop, assigned};
use crate::source::{Span, nearest};
use std::collections::HashSet;

/// A search for where a value was lost.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    /// The result so far.
    absent: Absent,
    /// The whole value of the stage, variable or other data that should contain the missing value.
    whole: Option<Value>,
    /// Places where the value may have been. The last place of the list is examined next.
    sites: Vec<Site>,
    /// The steps of the missing value's position that follow the first missing member or item.
    below: Pointer,
    seen: Vec<Site>,
}

impl Lost {
    /// Starts a search for the reason why the place `of` has no value; `machine` is the run directly after the place's
    /// event.
    pub fn begin(of: &Site, machine: &Machine) -> Self {
        let whole = value_at(&of.at(Pointer::root()), machine);
        let existing = (0..of.at.0.len()).rev().find_map(|count| {
            let at = Pointer(of.at.0.get(..count)?.to_vec());
            let value = at.get(whole.as_ref()?)?.clone();
            Some((at, value))
        });
        // An array does not count as a value without members, because JSONata applies names to the items of an array.
        let has_none = |value: &Value| value.as_object().is_none() && !value.is_array();
        let above = existing.clone().filter(|(_, value)| has_none(value));
        let (deepest, value) = existing.unwrap_or_default();
        let step = of.at.0.get(deepest.0.len());
        let name = match step {
            Some(Step::Member(name)) => Some(name.clone()),
            _ => None,
        };
        let names = value.as_object().map(|object| object.members().iter());
        let names = names.into_iter().flatten().map(|(name, _)| &**name);
        // For a name of one letter, no similar name is shown, because every other name of one letter would be similar.
        let near = name.as_ref().filter(|name| name.chars().count() > 1);
        let near = near.and_then(|name| nearest(name, names));
        let elsewhere = name
            .as_ref()
            .filter(|_| above.is_none())
            .and_then(|name| member_named(whole.as_ref()?, name, None));
        let missing = match step {
            // If a variable is not set, the missing position is the root of the variable.
            Some(_) if whole.is_none() && matches!(of.holder, Holder::Variable(_)) => {
                Pointer::root()
            }
            Some(step) => deepest.child(step.clone()),
            None => of.at.clone(),
        };
        // A variable that is not set was never set, so there are no earlier places to search.
        let unset = match &of.holder {
            Holder::Variable(name) if whole.is_none() => Some(name),
            _ => None,
        };
        let frame = machine.frame(of.frame);
        let assigned = unset.and_then(|name| assigned(machine, frame?, name));
        let sites = match unset {
            Some(_) => Vec::new(),
            None => vec![of.at(missing.clone())],
        };
        let other = frame.and_then(|frame| other(frame, of));
        Self {
            whole,
            sites,
            below: Pointer(of.at.0.get(missing.0.len()..).unwrap_or_default().to_vec()),
            seen: Vec::new(),
            absent: Absent {
                of: of.clone(),
                state: None,
                missing,
                absence: Absence::Never,
                nearest: near.map(Into::into),
                items: None,
                elsewhere: elsewhere.map(|at| (None, at)),
                discarded: None,
                assigned,
                other,
                above,
                unrun: None,
            },
        }
    }

    /// The place to examine next.
    pub fn next(&self) -> Option<&Site> {
        self.sites.last()
    }

    /// Continues the search: `hop` is the result of going one step back from the place to examine next, and `run` is
    /// the run directly after this place's event. Returns true if the search is over.
    pub fn take(&mut self, past: &Past<'_>, hop: Hop, run: Option<Moment<'_>>) -> bool {
        let Some(site) = self.sites.pop() else {
            return true;
        };
        if self.seen.contains(&site) {
            return false;
        }
        // The step only found the event that produced the value of the place. Examines the place at that event next.
        if let Hop::To(to) = &hop
            && *to == site.on(to.event)
            && to.event != site.event
        {
            self.sites.push(to.clone());
            return false;
        }
        // Remembers the examined places, because a place would otherwise be examined again and again if a value is
        // passed on in a long run.
        if matches!(site.holder, Holder::Stage(_)) && run.is_some() && self.seen.len() < 1_000 {
            self.seen.push(site.clone());
        }
        if let Some(run) = run {
            self.look_around(past, &site, &hop, run);
            self.look_at_discarded(past, &site, run);
            if let Some(mut drop) = dropped(past, &site, &hop, run) {
                drop.now = self.stands(past, &site, &drop.was, run);
                self.absent.absence = Absence::Dropped(drop);
                return true;
            }
            if let Some(drop) = self.moved_result(past, &site, &hop, run) {
                self.absent.absence = Absence::Dropped(drop);
                return true;
            }
            if let Some(withheld) = withheld(past, &site, &hop, run) {
                self.absent.absence = Absence::Withheld(withheld);
                return true;
            }
        }
        let same = run.and_then(|run| identity(past, &site, run));
        let same = same.filter(|same| !matches!(&hop, Hop::To(to) if to == same));
        self.sites.extend(same);
        let is_missing = |to: &Site| run.is_none_or(|run| value_at(to, run.machine).is_none());
        match &hop {
            Hop::To(to) if *to != site => self.sites.push(to.clone()),
            // The field that wrote this data had read other places. The search goes on at the first of these places,
            // but only if that place has no value either.
            Hop::Written(write) => {
                let read = write.reads.first().filter(|to| is_missing(to));
                self.sites.extend(read.cloned());
            }
            Hop::Missing(loss) => {
                self.sites.extend(loss.before.first().cloned());
            }
            _ => {}
        }
        false
    }

    /// If a field moved the value away from `was`: the new position of the value in the document from which the search
    /// started; `None` if that document does not have the value at the new position.
    fn stands(&self, past: &Past<'_>, site: &Site, was: &Site, run: Moment<'_>) -> Option<Pointer> {
        let (at, value) = moved(past, site, was, &self.below.0, run)?;
        let now = at.get(self.whole.as_ref()?)?;
        (*now == value).then_some(at)
    }

    /// For the output of a JSONata state: describes the Output field if it moved the value from the result to another
    /// position.
    fn moved_result(
        &self,
        past: &Past<'_>,
        site: &Site,
        hop: &Hop,
        run: Moment<'_>,
    ) -> Option<Drop> {
        let id = run.machine.frame(site.frame)?.visit.state;
        let is_output = site.holder == Holder::Stage(Stage::Output)
            && past.state(id)?.language == QueryLanguage::Jsonata;
        let was = site.held_by(Holder::Stage(Stage::Result));
        let now = is_output.then(|| self.stands(past, site, &was, run))??;
        Some(drop_of(past, (site, was), hop, run, Some(now)))
    }

    /// Checks if the state of the place discards its result because its ResultPath is null. If the result has the
    /// value, stores the state in `discarded`.
    fn look_at_discarded(&mut self, past: &Past<'_>, site: &Site, run: Moment<'_>) {
        let merged = matches!(
            site.holder,
            Holder::Stage(Stage::Output | Stage::AfterResultPath)
        );
        let frame = run.machine.frame(site.frame).filter(|_| merged);
        let Some(frame) =
            frame.filter(|_| self.absent.discarded.is_none() && !self.below.0.is_empty())
        else {
            return;
        };
        let id = frame.visit.state;
        let state = past.state(id).filter(|state| {
            state.language == QueryLanguage::JsonPath
                && matches!(state.result_path, ResultPath::Discard)
        });
        let result = frame.visit.data.latest(Stage::AfterResultSelector);
        if let Some(state) = state.filter(|_| self.below.get(&result).is_some()) {
            let span = state.field("ResultPath").map(|field| field.value);
            self.absent.discarded = Some((id, span));
        }
    }

    /// If the step back (`hop`) leads to an item of a Map: notes how many items have the value, and a member with the
    /// same name in the Map's input.
    fn look_around(&mut self, past: &Past<'_>, site: &Site, hop: &Hop, run: Moment<'_>) {
        let of_item = match hop {
            Hop::To(to) => Some(to),
            Hop::Written(write) => write.reads.first(),
            _ => None,
        };
        let Some((to, Holder::Item(_))) = of_item.map(|to| (to, &to.holder)) else {
            return;
        };
        let Some(frame) = run.machine.frame(to.frame) else {
            return;
        };
        let items = frame.visit.data.get(Stage::AfterItemsPath);
        if let Some(items) = items.and_then(Value::as_array) {
            let with = items.iter().filter(|item| to.at.get(item).is_some());
            // With nested Maps, keeps the number for the innermost Map, which is the most informative, unless none of
            // its items has the value.
            if self.absent.items.is_none_or(|(with, ..)| with == 0) {
                self.absent.items = Some((with.count(), items.len(), frame.visit.state));
            }
        }
        if self.absent.elsewhere.is_none()
            && self.absent.above.is_none()
            && let Some(Step::Member(name)) = site.at.0.last()
            && past.state(frame.visit.state).is_some()
        {
            let input = frame.visit.data.latest(Stage::Input);
            // Does not search the items if some have the value, because their number is reported.
            let items = items.filter(|_| self.absent.items.is_some_and(|(with, ..)| with > 0));
            let place = member_named(&input, name, items);
            self.absent.elsewhere = place.map(|at| (Some(frame.visit.state), at));
        }
    }

    /// Result of the search.
    pub fn found(&self, past: &Past<'_>) -> Absent {
        let (absent, of) = (&self.absent, &self.absent.of);
        let never = absent.absence == Absence::Never && absent.above.is_none();
        let unrun = never.then(|| past.unrun(&of.at(absent.missing.clone())));
        Absent {
            state: past.state_at(of),
            unrun: unrun.flatten(),
            ..absent.clone()
        }
    }
}

/// If the search is about a state's input, and the state's result has a value at the same position: the state and the
/// stage of the result. The same with input and result exchanged, if the search is about the result.
fn other(frame: &Frame, of: &Site) -> Option<(StateId, Stage)> {
    let stage = match of.holder {
        Holder::Stage(Stage::Input) => Stage::Result,
        Holder::Stage(Stage::Result) => Stage::Input,
        _ => return None,
    };
    let held = frame.visit.data.get(stage)?;
    let has = !of.at.0.is_empty() && of.at.get(held).is_some();
    has.then_some((frame.visit.state, stage))
}

impl Past<'_> {
    /// A state that was not entered, would write the missing member, and can lead to the state of the place. Also
    /// returns the location of the field that writes the member.
    pub(super) fn unrun(&self, site: &Site) -> Option<(StateId, Span)> {
        let (Holder::Stage(stage), [Step::Member(name)]) = (&site.holder, site.at.0.as_slice())
        else {
            return None;
        };
        // Only the state itself writes its result, so no other state would have written the value.
        if matches!(stage, Stage::Result | Stage::AfterResultSelector) {
            return None;
        }
        let state = self.visit(site.frame, site.event)?.state;
        let scope = self.state(state)?.scope;
        let entered: HashSet<StateId> = self
            .backwards(site.frame, site.event)
            .filter(|(_, event)| event.kind == EventKind::StateEntered)
            .filter_map(|(_, event)| event.state)
            .collect();
        let all = (0..).map(StateId).zip(&self.definition.states);
        let writers = all.filter(|(_, state)| state.scope == scope);
        let mut writers = writers.filter_map(|(id, state)| Some((id, state, writes(state, name)?)));
        writers
            .clone()
            .all(|(id, ..)| id == state || !entered.contains(&id))
            .then_some(())?;
        let (id, _, span) =
            writers.find(|(id, ..)| !entered.contains(id) && self.well(*id).contains(&state))?;
        Some((id, span))
    }
}

/// Location of the field of a state that adds the member `name` to the state's output.
fn writes(state: &State, name: &Text) -> Option<Span> {
    let replaces = matches!(state.result_path, ResultPath::Replace);
    let is_plain = matches!(state.kind, StateKind::Pass { result: None });
    let mut steps = (state.steps.iter()).filter(|step| step.field.owner == Owner::State);
    steps.find_map(|step| {
        let is_written = match (state.compiled(step.field)?, step.stage()?) {
            (Compiled::Insert(ResultPath::Insert(path)), _) => {
                matches!(path.steps(), [Step::Member(member), ..] if member == name)
            }
            (Compiled::Jsonata(output), Stage::Output) => match (output.names(), output.whole()) {
                (Some(names), _) => names.contains(name),
                (None, Some(expression)) => {
                    (expression.parsed()).is_some_and(|tree| tree.made().writes(name))
                }
                (None, None) => false,
            },
            (Compiled::Template(template), stage) if replaces => {
                let is_passed_on = stage == Stage::AfterResultSelector
                    || is_plain && stage == Stage::AfterParameters;
                is_passed_on && template.names()?.contains(name)
            }
            _ => false,
        };
        step.written.filter(|_| is_written)
    })
}
