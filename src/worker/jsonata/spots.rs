//! Locations in the inputs of an evaluation, by the tags of the values.

use super::datum::{Origin, Tag};
use crate::json::{Pointer, Step};
use crate::query::trace::{Base, Provenance, Spot};

/// Maximum number of parts of the inputs.
const PARTS: usize = 1_000_000;

/// Locations in the inputs; each is a document, or has its container's index and a step.
#[derive(Debug, Default)]
pub(super) struct Spots(Vec<Place>);

#[derive(Debug)]
enum Place {
    Document(Base),
    Part(u32, Step),
}

impl Spots {
    /// The tag of a document.
    pub(super) fn document(&mut self, base: Base) -> Tag {
        self.add(Place::Document(base))
    }

    /// The tag of a part of the value that has the tag `whole`.
    pub(super) fn part(&mut self, whole: Tag, step: Step) -> Tag {
        match whole.origin() {
            Some(Origin::Spot(index)) => self.add(Place::Part(index, step)),
            _ => Tag::NONE,
        }
    }

    fn add(&mut self, place: Place) -> Tag {
        if self.are_full() {
            return Tag::NONE;
        }
        let index = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(place);
        Tag::spot(index)
    }

    /// True if the inputs have more parts than can be tracked.
    pub(super) fn are_full(&self) -> bool {
        self.0.len() > PARTS
    }

    /// The location that a tag's index refers to.
    pub(super) fn spot(&self, mut index: u32) -> Provenance {
        let mut steps = Vec::new();
        loop {
            match usize::try_from(index).ok().and_then(|at| self.0.get(at)) {
                Some(Place::Part(whole, step)) => {
                    steps.push(step.clone());
                    index = *whole;
                }
                Some(Place::Document(base)) => {
                    steps.reverse();
                    let base = base.clone();
                    let at = Pointer(steps);
                    return Provenance::Copy(Spot { base, at });
                }
                None => return Provenance::Unknown,
            }
        }
    }
}
