//! What is known of a value before anything runs: nothing, or the members that it can have at most and what made it so.
//!
//! It must not know how data goes from state to state.

use crate::definition::StateId;
use crate::json::Text;
use std::collections::BTreeMap;

/// Deeper than this nothing is known: a loop that wraps its data again and again comes to an end.
const DEEPEST: usize = 4;
/// Of an object with more members than these nothing is known.
const WIDEST: usize = 100;
/// At most so many makers are kept.
const MOST_MAKERS: usize = 12;

/// What a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The text does not tell.
    Anything,
    /// An object that has no other members than these, each of which it may have.
    Object {
        members: BTreeMap<Text, Shape>,
        /// What left the others out, in the order in which it ran.
        makers: Vec<Maker>,
    },
}

/// What makes an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Maker {
    pub(super) state: StateId,
    pub(super) part: Part,
}

/// The part of a state that makes an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A field of the state.
    Field(&'static str),
    /// A rule of a Choice, by its Output.
    Rule(usize),
    /// A catcher, by its Output or without one.
    Catcher(usize),
}

/// A member that an object surely lacks.
pub(super) struct Lack<'s> {
    /// How many names of the path lead to the member, itself included.
    pub(super) steps: usize,
    /// What the object can have.
    pub(super) members: Vec<&'s Text>,
    pub(super) makers: &'s [Maker],
}

impl Shape {
    pub(super) fn object(members: impl IntoIterator<Item = (Text, Self)>, maker: Maker) -> Self {
        Self::Object {
            members: members.into_iter().collect(),
            makers: vec![maker],
        }
        .bounded(DEEPEST)
    }

    /// What it has at these names; what it lacks may be anything, so that one lack is told once.
    pub(super) fn at(&self, names: &[Text]) -> Self {
        let mut here = self;
        for name in names {
            match here {
                Self::Object { members, .. } => match members.get(name) {
                    Some(member) => here = member,
                    None => return Self::Anything,
                },
                Self::Anything => return Self::Anything,
            }
        }
        here.clone()
    }

    /// The first name of a path that it surely lacks.
    pub(super) fn lack(&self, names: &[Text]) -> Option<Lack<'_>> {
        let mut here = self;
        for (place, name) in names.iter().enumerate() {
            let Self::Object { members, makers } = here else {
                return None;
            };
            match members.get(name) {
                Some(member) => here = member,
                None => {
                    return Some(Lack {
                        steps: place + 1,
                        members: members.keys().collect(),
                        makers,
                    });
                }
            }
        }
        None
    }

    /// Where else in it a member of this name can be: the names down to it, itself the last.
    pub(super) fn elsewhere(&self, name: &Text) -> Option<Vec<Text>> {
        let Self::Object { members, .. } = self else {
            return None;
        };
        if members.contains_key(name) {
            return Some(vec![name.clone()]);
        }
        members.iter().find_map(|(own, shape)| {
            let mut below = shape.elsewhere(name)?;
            below.insert(0, own.clone());
            Some(below)
        })
    }

    /// What either of them can be.
    pub(super) fn or(&self, other: &Self) -> Self {
        self.with(other, &|own, other| own.or(other))
    }

    /// One object of both, the other's members over its own.
    pub(super) fn merged(&self, other: &Self) -> Self {
        self.with(other, &|_, other| other.clone())
    }

    fn with(&self, other: &Self, both: &dyn Fn(&Self, &Self) -> Self) -> Self {
        let (
            Self::Object { members, makers },
            Self::Object {
                members: more,
                makers: others,
            },
        ) = (self, other)
        else {
            return Self::Anything;
        };
        let mut members = members.clone();
        for (name, shape) in more {
            let shape = members
                .get(name)
                .map_or_else(|| shape.clone(), |own| both(own, shape));
            members.insert(name.clone(), shape);
        }
        let mut makers = makers.clone();
        for maker in others {
            if makers.len() < MOST_MAKERS && !makers.contains(maker) {
                makers.push(*maker);
            }
        }
        Self::Object { members, makers }.bounded(DEEPEST)
    }

    /// What it is with a value put at a place.
    pub(super) fn set(mut self, names: &[Text], value: Self) -> Self {
        match (&mut self, names) {
            (_, []) => return value,
            (Self::Object { members, makers }, [name, rest @ ..]) => {
                let empty = || Self::Object {
                    members: BTreeMap::new(),
                    makers: makers.clone(),
                };
                let member = members.remove(name).unwrap_or_else(empty);
                members.insert(name.clone(), member.set(rest, value));
            }
            (Self::Anything, _) => {}
        }
        self.bounded(DEEPEST)
    }

    /// The same, known to a depth alone.
    fn bounded(self, depth: usize) -> Self {
        match self {
            Self::Object { members, makers } if depth > 0 && members.len() <= WIDEST => {
                let members = members.into_iter();
                Self::Object {
                    members: members
                        .map(|(name, shape)| (name, shape.bounded(depth - 1)))
                        .collect(),
                    makers,
                }
            }
            _ => Self::Anything,
        }
    }
}
