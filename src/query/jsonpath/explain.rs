//! Records how a path is evaluated, and counts the values after each step.

use super::aws::{self, Selection};
use super::select::{Cursor, Walk, apply, definite, split_names, walk};
use super::token::Token;
use super::{Path, Selector};
use crate::json::{Pointer, Step, Value};
use crate::query::trace::{Base, Miss, Provenance, Recorder, Spot};
use crate::query::{Bindings, Profile, Root};

impl Path {
    /// Returns the number of values that the first `steps` steps of the path select. On AWS, counts as if the path
    /// ended there; a descent (`..`) counts together with the step after it.
    #[must_use]
    pub fn count(&self, steps: usize, bindings: &dyn Bindings) -> usize {
        let inner = &*self.inner;
        let Some(root) = self.spot(Pointer::root()).value(bindings) else {
            return 0;
        };
        if bindings.profile() == Profile::Aws {
            let tokens = inner.tokens.get(..steps).unwrap_or_default();
            let tokens = match tokens.split_last() {
                Some((Token::Descend, before)) => before,
                _ => tokens,
            };
            let selected = aws::select(tokens, false, &root, &root, bindings.selects_at_most());
            return selected.map_or(0, |selected| selected.len());
        }
        let mut selected = vec![&root];
        for step in inner.steps.iter().take(steps) {
            selected = apply(step, &selected, &root, bindings).unwrap_or_default();
        }
        selected.len()
    }

    /// The document that the path starts from.
    #[must_use]
    pub fn base(&self) -> Base {
        match &self.inner.root {
            Root::Data => Base::Data,
            Root::Context => Base::Context,
            Root::Variable(name) => Base::Variable(name.clone()),
        }
    }

    pub(super) fn spot(&self, at: Pointer) -> Spot {
        let base = self.base();
        Spot { base, at }
    }

    /// Records that the document does not exist.
    pub(super) fn note_no_document(&self, recorder: Option<&mut Recorder>) {
        if let Some(recorder) = recorder {
            let within = Provenance::Copy(self.spot(Pointer::root()));
            recorder.misses(Miss::of(within, Vec::new()));
        }
    }

    /// Returns the provenance of a selected value: the place in the document from which it, or each of its members, was
    /// copied.
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

    /// Describes a failed lookup: the value at `at` has no match for the step with the index `place`.
    pub(super) fn miss(&self, at: Pointer, place: usize) -> Miss {
        let rest = self.inner.steps.get(place..).unwrap_or_default();
        let rest = rest.iter().map_while(|step| definite(step, &Value::Null));
        Miss::of(Provenance::Copy(self.spot(at)), rest.collect())
    }

    /// Records how the step with the index `place` affects the values in `from`: which of them a filter reads, and in
    /// which of them a name or an index is missing.
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
            // A name or an index after a descent (`..`) is missing in most values, so a missing one is not recorded.
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
                    let miss = Miss::of(within, steps.into_iter().collect());
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
    pub(super) fn note_selection(&self, selection: &Selection<'_>, recorder: &mut Recorder) {
        let selected = selection.selected.iter();
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
            let within = Provenance::Copy(self.spot(place.pointer()));
            recorder.misses(Miss::of(within, step.iter().cloned().collect()));
        }
    }
}
