//! Shapes: static knowledge about a value, which is its possible contents and the states that produced it.

use crate::definition::StateId;
use crate::json::{Step, Text};
use crate::query::{Path, Root};
use crate::source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum nesting depth of the data that a shape (the possible contents of a value) describes. The limit ensures that
/// the analysis of a loop ends, even if each iteration nests its data more deeply.
pub(super) const DEEPEST: usize = 4;
/// Maximum number of members of an object whose shapes (possible contents) are stored. Also the maximum number of
/// variables whose shapes are stored.
pub(super) const WIDEST: usize = 100;
/// Maximum number of makers (the parts of states that produced a value) that the value's shape stores.
const MOST_MAKERS: usize = 12;

/// The possible contents of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing is known statically about the value.
    Anything,
    /// The value does not exist.
    Nothing,
    Object(Object),
    /// The value is a text, and so has no members. The makers are the states that produced the text.
    Text(Vec<Maker>),
    /// The value is an array, and each of its items has this shape.
    List(Arc<Shape>),
    /// The value is the result of a query that can have several matches. With the maker [`Part::Path`], the result is
    /// always an array. With [`Part::Sequence`], a single match is returned without an array.
    Several(Vec<Maker>),
}

/// The possible contents of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) members: Arc<BTreeMap<Text, Shape>>,
    /// The shape of the members that are not listed; `None` if the object has only the listed members.
    open: Option<Arc<Shape>>,
    /// The parts of states that left out the members which are not listed. A part that selected this object from a
    /// larger document comes before the parts that made the object.
    pub(super) makers: Vec<Maker>,
}

/// A state, and the part of this state that produces a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Maker {
    pub(super) state: StateId,
    pub(super) part: Part,
}

/// The part of a state that produces a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A field of the state, such as `ResultSelector`.
    Field(&'static str),
    /// The Output of a rule of a Choice.
    Rule(u32),
    /// A catcher, with or without an Output.
    Catcher(u32),
    /// The envelope in which `lambda:invoke` returns the function's result.
    Envelope,
    /// The response of a service that a Task calls.
    Answer,
    /// The output that SendTaskSuccess sends to a `lambda:invoke.waitForTaskToken`. This output has no envelope.
    Callback,
    /// A path that can select several values, and the path's span.
    Path(Span),
    /// A JSONata construct that can return several values: its description, and the span of the expression.
    Sequence(&'static str, Span),
}

/// A member that an object certainly lacks.
pub(super) struct Lack<'s> {
    /// Number of names on the path to the missing member, including the name of this member.
    pub(super) steps: usize,
    /// The members that the object can have; the missing member is not one of them.
    pub(super) members: Vec<&'s Text>,
    pub(super) makers: &'s [Maker],
}

impl Shape {
    pub(super) fn object(members: impl IntoIterator<Item = (Text, Self)>, maker: Maker) -> Self {
        Self::Object(Object {
            members: Arc::new(members.into_iter().collect()),
            open: None,
            makers: vec![maker],
        })
        .bounded(DEEPEST)
    }

    /// An object of this shape that may also have members that are not listed. Each of these members has the shape
    /// `each`.
    pub(super) fn opened(mut self, each: Self) -> Self {
        if let Self::Object(object) = &mut self {
            object.open = Some(Arc::new(each));
        }
        self.bounded(DEEPEST)
    }

    /// An object that can have any members except those in `names`.
    pub(super) fn without(names: impl IntoIterator<Item = Text>, maker: Maker) -> Self {
        let members = names.into_iter().map(|name| (name, Self::Nothing));
        Self::object(members, maker).opened(Self::Anything)
    }

    /// Records that `by` selected this value from a larger document, and so left out the rest.
    pub(super) fn narrowed(mut self, by: Maker) -> Self {
        if let Self::Object(Object { makers, .. }) = &mut self {
            makers.retain(|maker| *maker != by);
            makers.insert(0, by);
            makers.truncate(MOST_MAKERS);
        }
        self
    }

    /// Follows a path from this shape to inner shapes, as far as they are known. Returns the number of steps that were
    /// followed, and the shape to which they lead. If `through` is true, a name after a list applies to each item of
    /// the list, as in JSONata.
    fn follow(&self, steps: &[Step], through: bool) -> (usize, &Self) {
        let mut shape = self;
        for (place, step) in steps.iter().enumerate() {
            if let (true, Step::Member(_)) = (through, step) {
                while let Self::List(item) = shape {
                    shape = item;
                }
            }
            let next = match (shape, step) {
                (Self::List(item), Step::Item(_)) => Some(&**item),
                (Self::Object(object), Step::Member(name)) => object.member(name),
                // If the path selects several values, they form an array, and JSONata looks up the member in each item.
                // If the path selects a single value, JSONata looks up the member in that value.
                (Self::Several(makers), Step::Member(_)) => {
                    makers.iter().all(Maker::is_sequence).then_some(shape)
                }
                _ => None,
            };
            match next {
                Some(next) => shape = next,
                None => return (place, shape),
            }
        }
        (steps.len(), shape)
    }

    /// The shape of the value at the path `steps`, which may lead through list items. The shape is unknown if a member
    /// on this path is missing: the missing member is then reported only once.
    pub(super) fn within(&self, steps: &[Step]) -> Self {
        match self.follow(steps, false) {
            (taken, shape) if taken == steps.len() => shape.clone(),
            _ => Self::Anything,
        }
    }

    /// Tests whether a path continues below a text. Returns the number of steps that lead to the text, and the makers
    /// of the text. With `through`, a name that follows a list applies to each item of the list, as in JSONata.
    pub(super) fn text_before(&self, steps: &[Step], through: bool) -> Option<(usize, &[Maker])> {
        let (taken, shape) = self.follow(steps, through);
        match (shape, steps.get(taken)?) {
            (Self::Text(makers), Step::Member(_)) => Some((taken, makers)),
            _ => None,
        }
    }

    /// The shape of the value at the path `names`.
    pub(super) fn at(&self, names: &[Text]) -> Self {
        self.within(&steps(names))
    }

    /// The first member on a path of names that the value certainly lacks.
    pub(super) fn lack(&self, names: &[Text]) -> Option<Lack<'_>> {
        let (taken, shape) = self.follow(&steps(names), false);
        names.get(taken)?;
        let Self::Object(Object {
            members, makers, ..
        }) = shape
        else {
            return None;
        };
        let (steps, members) = (taken + 1, members.keys().collect());
        Some(Lack {
            steps,
            members,
            makers,
        })
    }

    /// The shape after a state has tested whether the path `names` has a value. If the path has no value according to
    /// this shape, it may have one from here on.
    pub(super) fn asked(self, names: &[Text]) -> Self {
        let lacked = self.lack(names).map(|lack| lack.steps);
        match lacked.and_then(|steps| names.get(..steps)) {
            Some(lacked) => self.set(lacked, Self::Anything),
            None => self,
        }
    }

    /// The shape after a state read the member `name`. The member must exist, because the run would otherwise have
    /// ended.
    pub(super) fn read(self, name: &Text) -> Self {
        let is_known = match &self {
            Self::Object(object) => {
                let is_open = object.open.as_deref() == Some(&Self::Anything);
                !is_open || object.members.contains_key(name)
            }
            other => *other != Self::Anything,
        };
        match is_known {
            true => self,
            false => self.set(std::slice::from_ref(name), Self::Anything),
        }
    }

    /// The names of the value's known or possible members.
    pub(super) fn names(&self) -> Vec<Text> {
        match self {
            Self::Object(object) => object.members.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Searches the value, at any depth, for a member with the name `name`. Returns the member names on the path to it.
    pub(super) fn elsewhere(&self, name: &Text) -> Option<Vec<Text>> {
        let Self::Object(Object { members, .. }) = self else {
            return None;
        };
        if members.contains_key(name) {
            return Some(vec![name.clone()]);
        }
        members.iter().find_map(|(member_name, shape)| {
            let mut below = shape.elsewhere(name)?;
            below.insert(0, member_name.clone());
            Some(below)
        })
    }

    /// The shape of a value that has the shape `self` or the shape `other`.
    pub(super) fn or(&self, other: &Self) -> Self {
        self.with(other, &Self::or)
    }

    /// The shape of two merged objects; the members of `other` take precedence.
    pub(super) fn merged(&self, other: &Self) -> Self {
        match (self, other) {
            // Nothing is known about the first object, but each member of the second object replaces its member of that
            // name.
            (Self::Anything, Self::Object(object)) => Self::Object(Object {
                makers: Vec::new(),
                ..object.clone()
            })
            .opened(Self::Anything),
            _ => self.with(other, &|_, other| other.clone()),
        }
    }

    fn with(&self, other: &Self, both: &dyn Fn(&Self, &Self) -> Self) -> Self {
        match (self, other) {
            (Self::Object(first), Self::Object(second)) => first.with(second, both),
            (Self::Several(makers), Self::Several(more)) => Self::Several(all(makers, more)),
            (Self::Text(makers), Self::Text(more)) => Self::Text(all(makers, more)),
            (Self::List(item), Self::List(other)) => Self::List(Arc::new(both(item, other))),
            (Self::Nothing, Self::Nothing) => Self::Nothing,
            _ => Self::Anything,
        }
    }

    /// The shape of a value after `value` was set at the path `names` inside it.
    pub(super) fn set(self, names: &[Text], value: Self) -> Self {
        let Some((name, rest)) = names.split_first() else {
            return value;
        };
        let mut object = match self {
            Self::Object(object) => object,
            _ => Object {
                open: Some(Arc::new(Self::Anything)),
                ..Object::default()
            },
        };
        let members = Arc::make_mut(&mut object.members);
        let member = members.remove(name).unwrap_or_else(|| match &object.open {
            Some(each) => (**each).clone(),
            None => Self::Object(Object {
                makers: object.makers.clone(),
                ..Object::default()
            }),
        });
        members.insert(name.clone(), member.set(rest, value));
        Self::Object(object).bounded(DEEPEST)
    }

    /// This shape, with everything below the given depth replaced by unknown shapes.
    fn bounded(self, depth: usize) -> Self {
        let below = |shape: &Self| shape.clone().bounded(depth - 1);
        match self {
            Self::Object(object) if depth == 0 || object.members.len() > WIDEST => Self::Anything,
            Self::List(_) if depth == 0 => Self::Anything,
            _ if self.depth() <= depth => self,
            Self::Object(object) => {
                let members = object.members.iter();
                let members = members.map(|(name, shape)| (name.clone(), below(shape)));
                Self::Object(Object {
                    members: Arc::new(members.collect()),
                    open: object.open.map(|each| Arc::new(below(&each))),
                    makers: object.makers,
                })
            }
            Self::List(item) => Self::List(Arc::new(below(&item))),
            other => other,
        }
    }

    /// Nesting depth of the objects and lists in this shape.
    fn depth(&self) -> usize {
        match self {
            Self::Object(object) => {
                let open = object.open.as_deref();
                let inner = object.members.values().chain(open);
                1 + inner.map(Self::depth).max().unwrap_or(0)
            }
            Self::List(item) => 1 + item.depth(),
            _ => 0,
        }
    }
}

impl Object {
    /// The shape of a member; `None` if it is unknown or there is no such member.
    fn member(&self, name: &Text) -> Option<&Shape> {
        let member = self.members.get(name).or(self.open.as_deref());
        member.filter(|member| **member != Shape::Nothing)
    }

    fn with(&self, other: &Self, both: &dyn Fn(&Shape, &Shape) -> Shape) -> Shape {
        // For a member that only one of the two objects lists: if the other object may have the member as well, it can
        // have any shape.
        let only = |shape: &Shape, other: &Self| {
            let open = other.open.as_deref();
            let is_kept = open.is_none_or(|each| *each != Shape::Anything && each == shape);
            is_kept.then(|| shape.clone())
        };
        let joined = |name: &Text| match (self.members.get(name), other.members.get(name)) {
            (Some(shape), Some(other)) => Some(both(shape, other)),
            (Some(shape), None) => only(shape, other),
            (None, shape) => only(shape?, self),
        };
        let names = self.members.keys().chain(other.members.keys());
        let members = names.filter_map(|name| Some((name.clone(), joined(name)?)));
        Shape::Object(Self {
            members: Arc::new(members.collect()),
            open: match (&self.open, &other.open) {
                (None, shape) | (shape, None) => shape.clone(),
                (Some(shape), Some(other)) if shape == other => Some(Arc::clone(shape)),
                _ => Some(Arc::new(Shape::Anything)),
            },
            makers: all(&self.makers, &other.makers),
        })
        .bounded(DEEPEST)
    }
}

impl Maker {
    fn is_sequence(&self) -> bool {
        matches!(self.part, Part::Sequence(..))
    }
}

/// Converts member names to the steps of a path.
fn steps(names: &[Text]) -> Vec<Step> {
    names.iter().cloned().map(Step::Member).collect()
}

/// The names of a path, if it consists only of names.
pub(super) fn members(steps: &[Step]) -> Option<Vec<Text>> {
    let name = |step: &Step| match step {
        Step::Member(name) => Some(name.clone()),
        Step::Item(_) => None,
    };
    steps.iter().map(name).collect()
}

/// All makers of both lists, without duplicates.
fn all(makers: &[Maker], more: &[Maker]) -> Vec<Maker> {
    let mut all = makers.to_vec();
    for maker in more {
        if all.len() < MOST_MAKERS && !all.contains(maker) {
            all.push(*maker);
        }
    }
    all
}

/// The names of a path below `$`, if it consists only of names.
pub(super) fn names(path: &Path) -> Option<Vec<Text>> {
    members(&path.names().filter(|_| *path.root() == Root::Data)?)
}
