//! Values reached while a path is followed, with their places if these are to be recorded.

use crate::json::{Pointer, Step, Text, Value};
use std::rc::Rc;

/// A place in a document. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(Option<Rc<(Place, Part)>>);

#[derive(Debug)]
enum Part {
    Name(Text),
    /// Index from the front. For an item that does not exist, this may be the negative index of the path.
    Index(i64),
}

impl Place {
    pub(super) fn name(&self, name: &Text) -> Self {
        Self(Some(Rc::new((self.clone(), Part::Name(name.clone())))))
    }

    pub(super) fn index(&self, index: i64) -> Self {
        Self(Some(Rc::new((self.clone(), Part::Index(index)))))
    }

    /// Converts to a pointer, up to the first negative index.
    pub(super) fn pointer(&self) -> Pointer {
        let steps = self.parts().into_iter().map_while(|part| match part {
            Part::Name(name) => Some(Step::Member(name.clone())),
            Part::Index(index) => usize::try_from(*index).ok().map(Step::Item),
        });
        Pointer(steps.collect())
    }

    fn parts(&self) -> Vec<&Part> {
        let mut parts = Vec::new();
        let mut at = self;
        while let Some(inner) = &at.0 {
            parts.push(&inner.1);
            at = &inner.0;
        }
        parts.reverse();
        parts
    }
}

/// Prints the form that AWS uses: `$['a'][0]`.
impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("$")?;
        for part in self.parts() {
            match part {
                Part::Name(name) => write!(out, "['{name}']")?,
                Part::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A value reached while a path is followed.
pub(super) trait Cursor<'v>: Clone {
    fn value(&self) -> &'v Value;

    /// Moves to a member of the value.
    fn member(&self, name: &Text, value: &'v Value) -> Self;

    /// Moves to an item of the value.
    fn item(&self, index: usize, value: &'v Value) -> Self;

    /// The place of the value; the root if places are not recorded.
    fn pointer(&self) -> Pointer;
}

impl<'v> Cursor<'v> for &'v Value {
    fn value(&self) -> &'v Value {
        self
    }

    fn member(&self, _: &Text, value: &'v Value) -> Self {
        value
    }

    fn item(&self, _: usize, value: &'v Value) -> Self {
        value
    }

    fn pointer(&self) -> Pointer {
        Pointer::root()
    }
}

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Located<'v> {
    value: &'v Value,
    place: Place,
}

impl<'v> Located<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self {
            value,
            place: Place::default(),
        }
    }
}

impl<'v> Cursor<'v> for Located<'v> {
    fn value(&self) -> &'v Value {
        self.value
    }

    fn member(&self, name: &Text, value: &'v Value) -> Self {
        Self {
            value,
            place: self.place.name(name),
        }
    }

    fn item(&self, index: usize, value: &'v Value) -> Self {
        Self {
            value,
            place: self.place.index(i64::try_from(index).unwrap_or(i64::MAX)),
        }
    }

    fn pointer(&self) -> Pointer {
        self.place.pointer()
    }
}
