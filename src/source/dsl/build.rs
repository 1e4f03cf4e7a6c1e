//! Constructors for tree nodes, each with the source range that it comes from.

use crate::json::{Number, Text};
use crate::source::{Key, Member, Node, NodeKind, OffsetMap, Span, StringNode};
use std::collections::HashMap;

/// A string that does not occur in the source. Every offset in it maps to the beginning of `span`.
pub(super) fn made(text: impl Into<Text>, span: Span) -> Node {
    let start = Span {
        end: span.start,
        ..span
    };
    string(text, span, OffsetMap::plain(start))
}

/// A string with a map from its offsets to the source.
pub(super) fn string(text: impl Into<Text>, span: Span, map: OffsetMap) -> Node {
    let text = text.into();
    Node {
        span,
        kind: NodeKind::String(StringNode { text, map }),
    }
}

/// A number.
pub(super) fn number(number: Number, span: Span) -> Node {
    Node {
        span,
        kind: NodeKind::Number(number),
    }
}

/// `true` or `false`.
pub(super) fn boolean(flag: bool, span: Span) -> Node {
    Node {
        span,
        kind: NodeKind::Bool(flag),
    }
}

/// An array.
pub(super) fn array(items: Vec<Node>, span: Span) -> Node {
    Node {
        span,
        kind: NodeKind::Array(items),
    }
}

/// An object.
pub(super) fn object(members: Vec<Member>, span: Span) -> Node {
    Node {
        span,
        kind: NodeKind::Object(members),
    }
}

/// A member whose name has the source range `span`.
pub(super) fn member(name: impl Into<Text>, span: Span, value: Node) -> Member {
    Member {
        key: Key {
            text: name.into(),
            span,
        },
        value,
    }
}

/// Members with unique names.
#[derive(Default)]
pub(super) struct Members {
    /// The members, each at the position where its name first occurred.
    pub list: Vec<Member>,
    places: HashMap<Text, usize>,
}

impl Members {
    /// Adds a member. If it replaces one with the same name, returns the span of the replaced name.
    pub fn set(&mut self, new: Member) -> Option<Span> {
        let name = new.key.text.clone();
        let place = *self.places.entry(name).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some(old) => Some(std::mem::replace(old, new).key.span),
            None => {
                self.list.push(new);
                None
            }
        }
    }
}

/// The span from the beginning of `from` to the end of `to`.
pub(super) fn from_to(from: Span, to: Span) -> Span {
    Span {
        end: to.end.max(from.end),
        ..from
    }
}
