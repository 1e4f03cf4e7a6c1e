//! Reports how a path was evaluated: its trace, and the matches after each step.

use super::aws::{self, Selection};
use super::select::{Cursor, Walk, apply, definite, merged, split_names, walk};
use super::{Path, Selector};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::scan::nearest;
use crate::query::trace::{Base, Miss, Provenance, Recorder, Spot, There};
use crate::query::{Bindings, Profile, Root};

/// Maximum number of values listed for a step.
const SHOWN: usize = 1_000;

/// The step-by-step evaluation of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathExplanation {
    /// The value that the path starts from; `None` if the variable has no value.
    pub root: Option<Value>,
    /// The steps in order; empty if the variable has no value.
    pub steps: Vec<PathStep>,
    /// The deepest place reached by the definite steps at the beginning of the path.
    pub deepest: Pointer,
    /// Description of the data where the first missing step was expected.
    pub there: Option<There>,
    /// If a name is missing: the most similar name that exists there.
    pub nearest: Option<Text>,
}

/// One step of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct PathStep {
    /// The value after the step; from the first indefinite step on, a list of at most 1,000 values.
    pub value: Option<Value>,
    /// Number of values after the step.
    pub count: usize,
}

impl Path {
    /// Evaluates the path and reports each step. On AWS, each prefix of the path is evaluated as a path.
    #[must_use]
    pub fn explain(&self, bindings: &dyn Bindings) -> PathExplanation {
        let root = match self.root() {
            Root::Data => Some(bindings.data().clone()),
            Root::Context => Some(bindings.context()),
            Root::Variable(name) => bindings.variable(name),
        };
        let mut explanation = PathExplanation {
            root: root.clone(),
            steps: Vec::new(),
            deepest: Pointer::root(),
            there: None,
            nearest: None,
        };
        let Some(root) = root else { return explanation };
        let inner = &*self.inner;
        let is_aws = bindings.profile() == Profile::Aws;
        let select = |from: &Value, steps: std::ops::RangeInclusive<usize>| {
            let tokens = inner.tokens.get(steps).unwrap_or_default();
            let selected = aws::select(tokens, false, from, from, bindings.selects_at_most());
            selected.unwrap_or_default()
        };
        let mut before = vec![root.clone()];
        let mut single = true;
        for (place, step) in inner.steps.iter().enumerate() {
            let is_last = place + 1 == inner.steps.len();
            single &= match step {
                Selector::Name(_) | Selector::Index(_) => true,
                Selector::Names(_) => is_last || is_aws,
                _ => false,
            };
            let mut selected: Vec<Value> = Vec::new();
            match step {
                Selector::Descend if is_aws && !is_last => {
                    let count = before.len();
                    explanation.steps.push(PathStep { value: None, count });
                    continue;
                }
                _ if is_aws => selected = select(&root, 0..=place),
                Selector::Names(names) if is_last => {
                    selected.extend(before.iter().filter_map(|value| merged(value, names)));
                }
                _ => {
                    let from: Vec<&Value> = before.iter().collect();
                    let next = apply(step, &from, &root, bindings).unwrap_or_default();
                    selected.extend(next.into_iter().cloned());
                }
            }
            if selected.is_empty() {
                // On AWS, the step counts as missing as soon as one value lacks it.
                let lacks = |value: &&Value| !is_aws || select(value, place..=place).is_empty();
                explanation.breaks(before.iter().find(lacks).or(before.first()), step);
            } else if single {
                let reached = before.first().and_then(|value| definite(step, value));
                explanation.deepest.0.extend(reached);
            }
            explanation.steps.push(PathStep {
                count: selected.len(),
                value: match single {
                    true => selected.first().cloned(),
                    false => Some(Value::array(selected.iter().take(SHOWN).cloned().collect())),
                },
            });
            before = selected;
        }
        explanation
    }

    pub(super) fn spot(&self, at: Pointer) -> Spot {
        let base = match &self.inner.root {
            Root::Data => Base::Data,
            Root::Context => Base::Context,
            Root::Variable(name) => Base::Variable(name.clone()),
        };
        Spot { base, at }
    }

    /// Records that the document does not exist.
    pub(super) fn note_no_document(&self, recorder: Option<&mut Recorder>) {
        if let Some(recorder) = recorder {
            let within = Provenance::Copy(self.spot(Pointer::root()));
            recorder.misses(Miss::of(within, Vec::new(), None));
        }
    }

    /// The provenance of a selected value.
    pub(super) fn selected(&self, at: &Pointer, value: &Value) -> Provenance {
        match split_names(&self.inner.steps).1 {
            Some(_) => self.merged_from(at, value),
            None => Provenance::Copy(self.spot(at.clone())),
        }
    }

    /// The provenance of an object merged from members of the object at `at`.
    pub(super) fn merged_from(&self, at: &Pointer, object: &Value) -> Provenance {
        let members = object
            .as_object()
            .map_or(&[][..], |object| object.members());
        let parts = members.iter().map(|(name, _)| {
            let step = Step::Member(name.clone());
            let spot = self.spot(at.child(step.clone()));
            (step, Provenance::Copy(spot))
        });
        Provenance::Built(parts.collect())
    }

    /// Records that the value at `at` does not have the step with the index `place`.
    pub(super) fn miss(&self, at: &Pointer, place: usize, root: &Value) -> Miss {
        let rest = self.inner.steps.get(place..).unwrap_or_default();
        let rest = rest.iter().map_while(|step| definite(step, &Value::Null));
        let found = at.get(root).map(There::of);
        Miss::of(
            Provenance::Copy(self.spot(at.clone())),
            rest.collect(),
            found,
        )
    }

    /// Records the effect of the step with the index `place` on each value in `from`: which values a filter reads, and
    /// where a name or an index is missing.
    pub(super) fn note_step<'v, C: Cursor<'v>>(
        &self,
        place: usize,
        from: &[C],
        recorder: &mut Recorder,
    ) {
        let step = self.inner.steps.get(place);
        let before = place
            .checked_sub(1)
            .and_then(|before| self.inner.steps.get(before));
        match step {
            Some(Selector::Filter(_) | Selector::FilterEach(_)) => {
                let places = from.iter().map(|at| self.spot(at.pointer()));
                self.note_filter(1 + place, places.collect(), recorder);
            }
            // After a descent, it is normal that most values lack the step.
            Some(Selector::Name(_) | Selector::Index(_))
                if !matches!(before, Some(Selector::Descend)) =>
            {
                let lacks = |at: &&C| {
                    let steps = step.map(std::slice::from_ref).unwrap_or_default();
                    matches!(walk(steps, at.value(), None), Walk::Missing(_))
                };
                let mut without = from.iter().filter(lacks);
                if let Some(first) = without.next() {
                    let within = Provenance::Copy(self.spot(first.pointer()));
                    let steps = step.and_then(|step| definite(step, &Value::Null));
                    let found = Some(There::of(first.value()));
                    let miss = Miss::of(within, steps.into_iter().collect(), found);
                    recorder.misses(miss.among(1 + without.count(), from.len()));
                }
            }
            _ => {}
        }
    }

    /// Records that a filter was applied to the values at `places`.
    fn note_filter(&self, part: usize, mut places: Vec<Spot>, recorder: &mut Recorder) {
        let names_root = |step: &Selector| match step {
            Selector::Filter(filter) | Selector::FilterEach(filter) => filter.names_root,
            _ => false,
        };
        if self.inner.steps.iter().any(names_root) {
            places.push(self.spot(Pointer::root()));
        }
        recorder.decides(part, Provenance::Reads(places));
    }

    /// Records the values that AWS's library selected.
    pub(super) fn note_selection(
        &self,
        selection: &Selection<'_>,
        root: &Value,
        recorder: &mut Recorder,
    ) {
        let selected = selection.found.iter();
        let mut selected = selected.map(|(place, value)| self.selected(&place.pointer(), value));
        recorder.result(match self.inner.definite {
            true => selected.next().unwrap_or_default(),
            false => Provenance::items(selected),
        });
        if !selection.filtered.is_empty() {
            let places = selection.filtered.iter();
            let places = places.map(|place| self.spot(place.pointer()));
            let filter =
                |step: &Selector| matches!(step, Selector::Filter(_) | Selector::FilterEach(_));
            let part = self.inner.steps.iter().position(filter);
            self.note_filter(
                part.map_or(0, |place| 1 + place),
                places.collect(),
                recorder,
            );
        }
        if let Some((place, step)) = &selection.missed {
            let at = place.pointer();
            let selected = at.get(root).map(There::of);
            let within = Provenance::Copy(self.spot(at));
            recorder.misses(Miss::of(within, step.iter().cloned().collect(), selected));
        }
    }
}

impl PathExplanation {
    /// Records what exists in place of `step`; only the first call has an effect.
    fn breaks(&mut self, at: Option<&Value>, step: &Selector) {
        let (None, Some(at)) = (&self.there, at) else {
            return;
        };
        self.there = Some(There::of(at));
        if let (Selector::Name(name), Some(object)) = (step, at.as_object()) {
            let known = object.members().iter().map(|(name, _)| &**name);
            self.nearest = nearest(name, known).map(Text::from);
        }
    }
}
