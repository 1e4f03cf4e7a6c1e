//! Parses JSON with unquoted placeholders in place of values.

use super::{Values, kind_of, placeholders};
use crate::json::Value;
use crate::source::{
    Diagnostics, Key, Member, Node, NodeKind, OffsetMap, SourceFile, SourceId, Span, StringNode,
    parse_json,
};
use std::borrow::Cow;
use std::collections::HashSet;

/// Parses JSON in which an unquoted `${NAME}` is also a value: the value with that name or, if there is none, the text
/// `${NAME}`.
#[must_use]
pub fn parse_json_with(
    file: &SourceFile,
    id: SourceId,
    values: &Values,
) -> (Option<Node>, Diagnostics) {
    let (masked, bare) = mask(&file.text);
    let Cow::Owned(masked) = masked else {
        return parse_json(file, id);
    };
    let copy = SourceFile::new(file.name.clone(), &masked);
    let (node, found) = parse_json(&copy, id);
    let fill = Fill {
        text: &file.text,
        bare,
        values,
    };
    (node.map(|node| fill.node(node)), found)
}

/// Replaces each unquoted placeholder with a string of the same length. Also returns the offsets of these strings.
fn mask(text: &str) -> (Cow<'_, str>, HashSet<usize>) {
    let mut bare = HashSet::new();
    if !text.contains("${") {
        return (Cow::Borrowed(text), bare);
    }
    let mut masked = String::new();
    let (mut done, mut quoted, mut escaped) = (0, false, false);
    let mut comment: Option<&str> = None;
    for (at, byte) in text.bytes().enumerate() {
        if at < done {
            continue;
        }
        let rest = || text.get(at..).unwrap_or("");
        match byte {
            _ if comment.is_some_and(|end| rest().starts_with(end)) => comment = None,
            _ if comment.is_some() => {}
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'/' if !quoted && rest().starts_with("//") => comment = Some("\n"),
            b'/' if !quoted && rest().starts_with("/*") => comment = Some("*/"),
            b'$' if !quoted => {
                let end = at + run(rest());
                if end >= at + 4 {
                    masked.push_str(text.get(done..at).unwrap_or(""));
                    masked.push('"');
                    masked.extend(std::iter::repeat_n('_', end - at - 2));
                    masked.push('"');
                    bare.insert(at);
                    done = end;
                }
            }
            _ => {}
        }
    }
    if bare.is_empty() {
        return (Cow::Borrowed(text), bare);
    }
    masked.push_str(text.get(done..).unwrap_or(""));
    (Cow::Owned(masked), bare)
}

/// Length in bytes of the consecutive placeholders at the start of `text`.
fn run(text: &str) -> usize {
    // A placeholder is on one line, and its name is short.
    let mut end = text.len().min(2048);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line = text.get(..end).unwrap_or("");
    let mut length = 0;
    for (range, _) in placeholders(line) {
        if range.start != length {
            break;
        }
        length = range.end;
    }
    length
}

struct Fill<'t> {
    text: &'t str,
    bare: HashSet<usize>,
    values: &'t Values,
}

impl Fill<'_> {
    fn node(&self, node: Node) -> Node {
        let span = node.span;
        let kind = match node.kind {
            NodeKind::String(_) if self.bare.contains(&(span.start as usize)) => self.bare(span),
            NodeKind::Array(items) => {
                NodeKind::Array(items.into_iter().map(|item| self.node(item)).collect())
            }
            NodeKind::Object(members) => NodeKind::Object(
                members
                    .into_iter()
                    .map(|member| Member {
                        key: self.key(member.key),
                        value: self.node(member.value),
                    })
                    .collect(),
            ),
            kind => kind,
        };
        Node { span, kind }
    }

    fn key(&self, key: Key) -> Key {
        if !self.bare.contains(&(key.span.start as usize)) {
            return key;
        }
        let text = self.text.get(key.span.range()).unwrap_or("");
        Key {
            text: text.into(),
            span: key.span,
        }
    }

    fn bare(&self, span: Span) -> NodeKind {
        let text = self.text.get(span.range()).unwrap_or("");
        let whole = placeholders(text)
            .next()
            .filter(|(range, _)| range.end == text.len());
        let value = whole.and_then(|(_, name)| self.values.get(name));
        let parsed = match value {
            Some(Value::String(text)) => crate::json::parse(text).ok(),
            other => other.cloned(),
        };
        match parsed {
            Some(value) if usize::try_from(value.size()).is_ok_and(|size| size < 1 << 16) => {
                kind_of(&value, span)
            }
            _ => NodeKind::String(StringNode {
                text: text.into(),
                map: OffsetMap::plain(span),
            }),
        }
    }
}
