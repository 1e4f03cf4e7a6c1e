//! Text joined from pieces of several sources, and trees parsed from a text inside another text.

use crate::json::Text;
use crate::source::{Key, Member, Node, NodeKind, OffsetMap, Span, StringNode};
use std::ops::Range;

/// A text with the origin of each of its pieces.
#[derive(Clone, Debug, Default)]
pub(in crate::source) struct Woven {
    pub(in crate::source) text: String,
    pieces: Vec<(u32, Span)>,
}

impl Woven {
    fn at(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    /// Appends bytes of a decoded text, with the map back to its source.
    pub(in crate::source) fn written(&mut self, text: &str, map: &OffsetMap, range: Range<usize>) {
        let Some(part) = text.get(range.clone()) else {
            return;
        };
        self.runs(part, |at| map.span(range.start + at..range.start + at));
        self.text.push_str(part);
    }

    /// Appends text that replaces the source at `span`.
    pub(in crate::source) fn put(&mut self, text: &str, span: Span) {
        if !text.is_empty() {
            // The inserted text is not in the source, so every offset maps to the start of the span.
            let (begin, end) = ends(span);
            self.pieces.push((self.at(), begin));
            self.text.push_str(text);
            self.pieces.push((self.at(), end));
        }
    }

    /// Appends another joined text.
    pub(in crate::source) fn join(&mut self, other: &Self) {
        let base = self.at();
        let moved = other.pieces.iter();
        self.pieces
            .extend(moved.map(|(at, span)| (base.saturating_add(*at), *span)));
        self.text.push_str(&other.text);
    }

    /// Adds the pieces of `part`. A new piece begins wherever source offsets are not contiguous.
    fn runs(&mut self, part: &str, place: impl Fn(usize) -> Span) {
        let base = self.at();
        let mut open: Option<(u32, Span)> = None;
        let mut next = 0;
        for (at, c) in part.char_indices() {
            let here = place(at);
            let length = u32::try_from(c.len_utf8()).unwrap_or(1);
            let runs_on = open
                .as_ref()
                .is_some_and(|(_, span)| here.start == next && here.source == span.source);
            if !runs_on {
                if let Some((at, span)) = open.take() {
                    self.pieces.push((at, span));
                }
                let at = base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
                open = Some((at, here));
            }
            next = here.start.saturating_add(length);
            if let Some((_, span)) = &mut open {
                span.end = next;
            }
        }
        if let Some((at, span)) = open {
            self.pieces.push((at, span));
            let end = place(part.len());
            let at = base.saturating_add(u32::try_from(part.len()).unwrap_or(u32::MAX));
            self.pieces.push((
                at,
                Span {
                    end: end.start,
                    ..end
                },
            ));
        }
    }

    /// Creates the string; `span` is its position if it has no pieces.
    pub(in crate::source) fn string(self, span: Span) -> StringNode {
        let map = if self.pieces.is_empty() {
            OffsetMap::plain(span)
        } else {
            OffsetMap::new(self.pieces)
        };
        StringNode {
            text: self.text.into(),
            map,
        }
    }
}

/// The empty spans at the start and at the end of a span.
fn ends(span: Span) -> (Span, Span) {
    let begin = Span {
        end: span.start,
        ..span
    };
    let end = Span {
        start: span.end,
        ..span
    };
    (begin, end)
}

/// A string that replaces the source at `span` and has no positions inside it.
pub(in crate::source) fn put(text: Text, span: Span) -> StringNode {
    let (begin, end) = ends(span);
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    StringNode {
        text,
        map: OffsetMap::new(vec![(0, begin), (length, end)]),
    }
}

/// Moves the positions of a tree that was parsed from a text inside another text to the outer text.
pub(in crate::source) fn relocate(node: Node, outer: &OffsetMap) -> Node {
    let span = outer.span(node.span.range());
    let kind = match node.kind {
        NodeKind::String(string) => {
            let mut woven = Woven::default();
            let inner = &string.map;
            let length = string.text.len();
            woven.runs(&string.text, |at| {
                let inside = inner.span(at..at).start as usize;
                outer.span(inside..inside)
            });
            if length == 0 {
                let inside = inner.span(0..0).start as usize;
                woven.pieces.push((0, outer.span(inside..inside)));
            }
            NodeKind::String(StringNode {
                map: woven.string(span).map,
                text: string.text,
            })
        }
        NodeKind::Array(items) => NodeKind::Array(
            items
                .into_iter()
                .map(|item| relocate(item, outer))
                .collect(),
        ),
        NodeKind::Object(members) => NodeKind::Object(
            members
                .into_iter()
                .map(|member| Member {
                    key: Key {
                        span: outer.span(member.key.span.range()),
                        text: member.key.text,
                    },
                    value: relocate(member.value, outer),
                })
                .collect(),
        ),
        kind => kind,
    };
    Node { span, kind }
}
