//! The tree that every parser produces, whose nodes have source ranges. Also text that is joined from pieces of several
//! sources.

use super::Span;
use crate::json::{Number, Text, Value};
use std::ops::Range;
use std::sync::Arc;

/// A value of the tree with its source range.
#[derive(Clone, Debug)]
pub struct Node {
    /// Source range, including quotes and brackets.
    pub span: Span,
    /// Type and content.
    pub kind: NodeKind,
}

/// Type and content of a [`Node`].
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, including its original text.
    Number(Number),
    /// A string.
    String(StringNode),
    /// An array.
    Array(Vec<Node>),
    /// An object. Duplicate names are kept; the parser has reported them.
    Object(Vec<Member>),
}

/// The decoded text of a string, with a map from offsets in this text to the source.
#[derive(Clone, Debug)]
pub struct StringNode {
    /// The decoded text.
    pub text: Text,
    /// Maps decoded offsets to source offsets.
    pub map: OffsetMap,
}

/// Maps offsets in a decoded text to the source. The map consists of pieces; within a piece, each decoded byte
/// corresponds to one source byte.
#[derive(Clone, Debug)]
pub struct OffsetMap {
    /// For each piece, its offset in the decoded text and its source span. Sorted by offset; never empty.
    pieces: Arc<[(u32, Span)]>,
}

impl OffsetMap {
    /// Creates a map from pieces of (decoded offset, source span).
    #[must_use]
    pub fn new(pieces: Vec<(u32, Span)>) -> Self {
        Self {
            pieces: pieces.into(),
        }
    }

    /// Creates a map with a single piece, for a decoded text that is identical to the source text at `span`.
    #[must_use]
    pub fn plain(span: Span) -> Self {
        Self {
            pieces: Arc::new([(0, span)]),
        }
    }

    /// The source range of a range of decoded bytes.
    #[must_use]
    pub fn span(&self, decoded: Range<usize>) -> Span {
        let start = self.locate(decoded.start);
        let end = self.locate(decoded.end.max(decoded.start));
        Span {
            source: start.source,
            start: start.start,
            end: end.start.max(start.start),
        }
    }

    fn locate(&self, decoded: usize) -> Span {
        let decoded = u32::try_from(decoded).unwrap_or(u32::MAX);
        let place = self.pieces.partition_point(|(from, _)| *from <= decoded);
        let piece = place
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index));
        let Some((from, span)) = piece else {
            let first = self.pieces.first();
            return first.map(|(_, span)| *span).unwrap_or_default();
        };
        let start = span.start.saturating_add(decoded - from).min(span.end);
        Span { start, ..*span }
    }
}

/// A member of an object: its name and its value.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name with its source range.
    pub key: Key,
    /// The value.
    pub value: Node,
}

/// A member's name with its source range.
#[derive(Clone, Debug)]
pub struct Key {
    /// The decoded name.
    pub text: Text,
    /// Source range, including quotes.
    pub span: Span,
}

impl Node {
    /// Creates a string node with the decoded text `text`, the map of its offsets, and its source range.
    pub(super) fn of_text(text: &str, map: OffsetMap, span: Span) -> Self {
        let text = text.into();
        let kind = NodeKind::String(StringNode { text, map });
        Self { span, kind }
    }

    /// Replaces each value of an object or array with the result of `child`. In an object, `child` may also change the
    /// key.
    pub(super) fn with_children(
        self,
        mut child: impl FnMut(Option<&mut Key>, Self) -> Self,
    ) -> Self {
        let kind = match self.kind {
            NodeKind::Array(items) => {
                NodeKind::Array(items.into_iter().map(|item| child(None, item)).collect())
            }
            NodeKind::Object(members) => {
                let changed = members.into_iter().map(|Member { mut key, value }| {
                    let value = child(Some(&mut key), value);
                    Member { key, value }
                });
                NodeKind::Object(changed.collect())
            }
            kind => kind,
        };
        Self { kind, ..self }
    }

    /// The members of an object; `None` for other types.
    #[must_use]
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            NodeKind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items of an array; `None` for other types.
    #[must_use]
    pub fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Every value in the tree, in source order. A value inside an object is accompanied by its member.
    #[must_use]
    pub fn walk(&self) -> Vec<(Option<&Member>, &Self)> {
        let (mut values, mut waiting) = (Vec::new(), vec![(None, self)]);
        while let Some((member, node)) = waiting.pop() {
            values.push((member, node));
            let items = node.items().unwrap_or_default().iter().rev();
            waiting.extend(items.map(|item| (None, item)));
            let members = node.members().unwrap_or_default().iter().rev();
            waiting.extend(members.map(|member| (Some(member), &member.value)));
        }
        values
    }

    /// Every string value in the tree, in the order of the source.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        let all = self.walk().into_iter();
        all.filter_map(|(_, node)| node.as_str()).collect()
    }

    /// Number of nodes in the tree.
    #[must_use]
    pub fn count(&self) -> usize {
        self.walk().len()
    }

    /// The last member with this name, if this is an object.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member> {
        let mut members = self.members()?.iter().rev();
        members.find(|member| &*member.key.text == name)
    }

    /// The value of the last member with this name, if this is an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.member(name).map(|member| &member.value)
    }

    /// The value that is reached from this node by the given member names, one after the other.
    #[must_use]
    pub fn path(&self, names: &[&str]) -> Option<&Node> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.string().map(|string| &*string.text)
    }

    /// The string node, if this is a string.
    #[must_use]
    pub fn string(&self) -> Option<&StringNode> {
        match &self.kind {
            NodeKind::String(string) => Some(string),
            _ => None,
        }
    }

    /// The number, if this is a number.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match &self.kind {
            NodeKind::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The boolean, if this is a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            NodeKind::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// True if this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    /// Name of the JSON type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "boolean",
            NodeKind::Number(_) => "number",
            NodeKind::String(_) => "string",
            NodeKind::Array(_) => "array",
            NodeKind::Object(_) => "object",
        }
    }

    /// The value without source ranges. Of members with the same name, the last one is used.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(flag) => Value::Bool(*flag),
            NodeKind::Number(number) => Value::Number(number.clone()),
            NodeKind::String(string) => Value::String(string.text.clone()),
            NodeKind::Array(items) => Value::array(items.iter().map(Self::to_value).collect()),
            NodeKind::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|Member { key, value }| (key.text.clone(), value.to_value()));
                Value::object(members.collect())
            }
        }
    }

    /// The node that has exactly this span: this node, or a node inside it.
    #[must_use]
    pub fn at(&self, span: Span) -> Option<&Self> {
        self.matching(span, |_| true)
    }

    /// The first node with exactly this span for which `accepts` returns true. In a compiled program, several nodes may
    /// have the same span, such as a branch and its only state.
    pub fn matching(&self, span: Span, accepts: impl Fn(&Self) -> bool) -> Option<&Self> {
        let in_order = self.at_in_order(span).filter(|node| accepts(node));
        in_order.or_else(|| self.at_anywhere(span, &accepts))
    }

    /// Like [`Self::at`], but only works if the children of each node that contains `span` are in the order of the text
    /// and do not overlap. This is a binary search, because the root may have 10,000 states.
    fn at_in_order(&self, span: Span) -> Option<&Self> {
        let mut node = self;
        while node.span != span {
            let is_before = |child: &Self| child.span.end < span.end;
            let (before, child) = match (node.members(), node.items()) {
                (Some(members), _) => {
                    let index = members.partition_point(|member| is_before(&member.value));
                    let at = |index: usize| members.get(index).map(|member| &member.value);
                    (index.checked_sub(1).and_then(at), at(index)?)
                }
                (None, items) => {
                    let items = items?;
                    let index = items.partition_point(is_before);
                    let before = index.checked_sub(1).and_then(|index| items.get(index));
                    (before, items.get(index)?)
                }
            };
            // A state that is generated for a `while` has the span of the whole loop, so its span overlaps those of its
            // siblings.
            if before.is_some_and(|before| before.span.end > child.span.start) {
                return None;
            }
            node = child;
        }
        Some(node)
    }

    /// Like [`Self::at`], but searches all children that may contain the node, because in a compiled program the spans
    /// of nodes may overlap.
    fn at_anywhere(&self, span: Span, accepts: &dyn Fn(&Self) -> bool) -> Option<&Self> {
        if self.span == span && accepts(self) {
            return Some(self);
        }
        let members = self.members().unwrap_or_default().iter();
        let items = self.items().unwrap_or_default().iter();
        let children = members.map(|member| &member.value).chain(items);
        let mut around = children.filter(|node| node.span.holds(span));
        around.find_map(|node| node.at_anywhere(span, accepts))
    }

    /// The source range of decoded bytes of a string; for other types, the range of the whole node.
    #[must_use]
    pub fn inner_span(&self, decoded: Range<usize>) -> Span {
        self.string()
            .map_or(self.span, |string| string.map.span(decoded))
    }
}

/// A text that is built from pieces of several sources, with the source range of each piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Woven {
    pub(super) text: String,
    pieces: Vec<(u32, Span)>,
}

impl Woven {
    fn at(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    /// Appends the bytes `range` of a decoded text. `map` maps that text to its source.
    pub(super) fn written(&mut self, text: &str, map: &OffsetMap, range: Range<usize>) {
        let Some(part) = text.get(range.clone()) else {
            return;
        };
        self.runs(part, |at| map.span(range.start + at..range.start + at));
        self.text.push_str(part);
    }

    /// Appends a text that is identical to the source at `span`.
    pub(super) fn copied(&mut self, text: &str, span: Span) {
        self.pieces.push((self.at(), span));
        self.text.push_str(text);
    }

    /// Appends text that replaces the source at `span`.
    pub(super) fn put(&mut self, text: &str, span: Span) {
        if !text.is_empty() {
            // The inserted text is not in the source, so every offset maps to the start of the span.
            let (begin, end) = span.ends();
            self.pieces.push((self.at(), begin));
            self.text.push_str(text);
            self.pieces.push((self.at(), end));
        }
    }

    /// Appends another text together with the source ranges of its pieces.
    pub(super) fn join(&mut self, other: &Self) {
        let base = self.at();
        let moved = other.pieces.iter();
        self.pieces
            .extend(moved.map(|(at, span)| (base.saturating_add(*at), *span)));
        self.text.push_str(&other.text);
    }

    /// Adds pieces of the map for the text `part`. `place` returns the source position of an offset in `part`. Wherever
    /// the source positions have a gap, a new piece begins.
    fn runs(&mut self, part: &str, place: impl Fn(usize) -> Span) {
        let base = self.at();
        let mut open: Option<(u32, Span)> = None;
        let mut next = 0;
        for (at, c) in part.char_indices() {
            let piece = place(at);
            let length = u32::try_from(c.len_utf8()).unwrap_or(1);
            let is_next =
                |(_, span): &(u32, Span)| piece.start == next && piece.source == span.source;
            if !open.as_ref().is_some_and(is_next) {
                if let Some((at, span)) = open.take() {
                    self.pieces.push((at, span));
                }
                let at = base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
                open = Some((at, piece));
            }
            next = piece.start.saturating_add(length);
            if let Some((_, span)) = &mut open {
                span.end = next;
            }
        }
        if let Some((at, span)) = open {
            self.pieces.push((at, span));
            let end = place(part.len());
            let at = base.saturating_add(u32::try_from(part.len()).unwrap_or(u32::MAX));
            self.pieces.push((at, end.ends().0));
        }
    }

    /// Creates the string node. If nothing was appended, `span` is its source range.
    pub(super) fn string(self, span: Span) -> StringNode {
        let text = self.text.into();
        let map = match self.pieces.is_empty() {
            true => OffsetMap::plain(span),
            false => OffsetMap::new(self.pieces),
        };
        StringNode { text, map }
    }
}

impl StringNode {
    /// A string that replaces the source at `span`. All its offsets map to that span.
    pub(super) fn inserted(text: Text, span: Span) -> Self {
        let (begin, end) = span.ends();
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let map = OffsetMap::new(vec![(0, begin), (length, end)]);
        Self { text, map }
    }
}

/// Converts the source ranges of a tree that was parsed from a string in another text. Afterwards they refer to the
/// outer text.
pub(super) fn relocate(node: Node, outer: &OffsetMap) -> Node {
    let span = outer.span(node.span.range());
    if let NodeKind::String(string) = node.kind {
        let mut woven = Woven::default();
        let inner = |at: usize| string.map.span(at..at).start as usize;
        woven.runs(&string.text, |at| outer.span(inner(at)..inner(at)));
        if string.text.is_empty() {
            woven.pieces.push((0, outer.span(inner(0)..inner(0))));
        }
        let map = woven.string(span).map;
        let text = string.text;
        let kind = NodeKind::String(StringNode { text, map });
        return Node { span, kind };
    }
    let node = node.with_children(|key, value| {
        if let Some(key) = key {
            key.span = outer.span(key.span.range());
        }
        relocate(value, outer)
    });
    Node { span, ..node }
}
