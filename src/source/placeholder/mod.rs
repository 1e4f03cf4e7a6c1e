//! Placeholders `${NAME}` in a tree: they are replaced by values, with a source position for every character, or listed
//! if their value is not known.

mod unquoted;
mod values;
mod weave;

pub use unquoted::parse_json_with;
pub use values::{Values, read_values};
pub(in crate::source) use weave::{Woven, relocate};

use super::{Diagnostic, Key, Member, Node, NodeKind, OffsetMap, SourceMap, Span, StringNode};
use crate::json::{Text, Value, one_line};

/// Maximum number of bytes that values may add to a definition.
const MAX_ADDED: usize = 8 << 20;
/// Maximum length of a placeholder name in bytes.
const MAX_NAME: usize = 256;
/// Maximum number of names that a note lists.
const LISTED: usize = 8;

/// The placeholders of a text: the byte range of `${NAME}`, and NAME. `${!NAME}` is the escaped form of the text
/// `${NAME}` and not a placeholder.
pub(in crate::source) fn placeholders(
    text: &str,
) -> impl Iterator<Item = (std::ops::Range<usize>, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.get(from..)?.find("${")?;
            from = at + 2;
            let rest = text.get(from..)?;
            let Some(length) = rest.find(|c: char| c == '}' || !is_name(c)) else {
                continue;
            };
            let name = rest.get(..length)?;
            if !rest.get(length..)?.starts_with('}')
                || name.is_empty()
                || name.len() > MAX_NAME
                || name.starts_with('!')
            {
                continue;
            }
            from += length + 1;
            return Some((at..from, name));
        }
    })
}

/// True if a placeholder name may contain the character. Includes the syntax of Serverless (`self:custom.x`,
/// `file(a.yml)`).
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/@()!, '*+#".contains(c)
}

/// True if the text is exactly one placeholder.
pub(in crate::source) fn is_one(text: &str) -> bool {
    placeholders(text)
        .next()
        .is_some_and(|(range, _)| range == (0..text.len()))
}

/// The treatment of a string that is exactly one placeholder.
#[derive(Clone, Copy)]
pub(in crate::source) enum Whole<'t> {
    /// It becomes text, as in AWS's own tools.
    Text,
    /// It becomes its value, whatever the type.
    Value,
    /// It becomes a number or a boolean if the field requires one and if the placeholder is not quoted in these
    /// sources.
    Bare(&'t SourceMap),
}

/// Replaces placeholders by their values. Those without a value are kept.
#[must_use]
pub(in crate::source) fn substitute(node: Node, values: &Values, whole: Whole<'_>) -> Node {
    let mut left = MAX_ADDED;
    substitute_within(node, values, whole, &mut left)
}

/// Like [`substitute`], with a limit in bytes that is reduced by the size of the inserted values.
pub(in crate::source) fn substitute_within(
    node: Node,
    values: &Values,
    whole: Whole<'_>,
    left: &mut usize,
) -> Node {
    if values.is_empty() {
        return node;
    }
    let mut filler = Filler {
        values,
        whole,
        left: *left,
    };
    let node = filler.node(node, None);
    *left = filler.left;
    node
}

struct Filler<'v> {
    values: &'v Values,
    whole: Whole<'v>,
    left: usize,
}

impl Filler<'_> {
    fn node(&mut self, node: Node, field: Option<&str>) -> Node {
        let span = node.span;
        let kind = match node.kind {
            NodeKind::String(string) => return self.string(string, span, field),
            NodeKind::Array(items) => NodeKind::Array(
                items
                    .into_iter()
                    .map(|item| self.node(item, field))
                    .collect(),
            ),
            NodeKind::Object(members) => NodeKind::Object(
                members
                    .into_iter()
                    .map(|member| self.member(member))
                    .collect(),
            ),
            kind => kind,
        };
        Node { span, kind }
    }

    fn member(&mut self, member: Member) -> Member {
        let Member { key, value } = member;
        let value = self.node(value, Some(&key.text));
        let map = OffsetMap::plain(key.span);
        let text = self.filled(&key.text, &map, key.span);
        let text = text.map_or(key.text, |string| string.text);
        Member {
            key: Key { text, ..key },
            value,
        }
    }

    fn string(&mut self, string: StringNode, span: Span, field: Option<&str>) -> Node {
        if let Some((_, name)) = placeholders(&string.text).next()
            && is_one(&string.text)
            && let Some(value) = self.values.get(name)
            && let Some(kind) = self.typed(value, field, span)
        {
            return Node { span, kind };
        }
        let filled = self.filled(&string.text, &string.map, span);
        Node {
            span,
            kind: NodeKind::String(filled.unwrap_or(string)),
        }
    }

    /// The value, if it replaces a whole string and is not text.
    fn typed(&mut self, value: &Value, field: Option<&str>, span: Span) -> Option<NodeKind> {
        let value = match (self.whole, value) {
            (Whole::Value, Value::String(_)) | (Whole::Text, _) => return None,
            (Whole::Value, other) => other.clone(),
            (Whole::Bare(sources), value) => {
                let is_bare = sources.written(span)?.starts_with("${");
                let takes = is_bare && wants_scalar(field.unwrap_or_default());
                takes.then(|| crate::json::parse(&shown(value)).ok())??
            }
        };
        let size = usize::try_from(value.size()).unwrap_or(usize::MAX);
        self.left = self.left.checked_sub(size)?;
        Some(kind_of(&value, span))
    }

    /// The text with its placeholders replaced; `None` if nothing changes.
    fn filled(&mut self, text: &str, map: &OffsetMap, span: Span) -> Option<StringNode> {
        let mut woven = Woven::default();
        let mut done = 0;
        for (range, name) in placeholders(text) {
            let Some(value) = self.values.get(name) else {
                continue;
            };
            let value = shown(value);
            let Some(left) = self.left.checked_sub(value.len()) else {
                continue;
            };
            self.left = left;
            woven.written(text, map, done..range.start);
            woven.put(&value, map.span(range.clone()));
            done = range.end;
        }
        if done == 0 {
            return None;
        }
        woven.written(text, map, done..text.len());
        Some(woven.string(span))
    }
}

/// The form of a value inside a text.
fn shown(value: &Value) -> Text {
    match value {
        Value::String(text) => text.clone(),
        other => one_line(other).into(),
    }
}

/// True if the field requires a number or a boolean, so that text inserted there is parsed as one.
pub(crate) fn wants_scalar(field: &str) -> bool {
    field.starts_with("Numeric") && !field.ends_with("Path")
        || matches!(
            field,
            "Seconds"
                | "TimeoutSeconds"
                | "HeartbeatSeconds"
                | "IntervalSeconds"
                | "MaxAttempts"
                | "MaxDelaySeconds"
                | "BackoffRate"
                | "MaxConcurrency"
                | "MaxItems"
                | "MaxItemsPerBatch"
                | "MaxInputBytesPerBatch"
                | "ToleratedFailureCount"
                | "ToleratedFailurePercentage"
                | "BooleanEquals"
                | "End"
        )
}

/// Converts a value to a tree whose nodes all have the same span.
pub(in crate::source) fn kind_of(value: &Value, span: Span) -> NodeKind {
    match value {
        Value::Null => NodeKind::Null,
        Value::Bool(flag) => NodeKind::Bool(*flag),
        Value::Number(number) => NodeKind::Number(number.clone()),
        Value::String(text) => NodeKind::String(weave::put(text.clone(), span)),
        Value::Array(array) => NodeKind::Array(
            array
                .items()
                .iter()
                .map(|item| Node {
                    span,
                    kind: kind_of(item, span),
                })
                .collect(),
        ),
        Value::Object(object) => NodeKind::Object(
            object
                .members()
                .iter()
                .map(|(name, value)| Member {
                    key: Key {
                        text: name.clone(),
                        span,
                    },
                    value: Node {
                        span,
                        kind: kind_of(value, span),
                    },
                })
                .collect(),
        ),
    }
}

/// The placeholders of a tree in the order of the source. Each name is listed once, with its first span.
#[must_use]
pub fn unresolved(node: &Node) -> Vec<(Text, Span)> {
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    collect(node, &mut |name, span| {
        if seen.insert(Text::from(name)) {
            found.push((Text::from(name), span));
        }
    });
    found
}

fn collect(node: &Node, note: &mut impl FnMut(&str, Span)) {
    match &node.kind {
        NodeKind::String(string) => {
            for (range, name) in placeholders(&string.text) {
                note(name, string.map.span(range));
            }
        }
        NodeKind::Array(items) => {
            for item in items {
                collect(item, note);
            }
        }
        NodeKind::Object(members) => {
            for member in members {
                for (_, name) in placeholders(&member.key.text) {
                    note(name, member.key.span);
                }
                collect(&member.value, note);
            }
        }
        _ => {}
    }
}

/// A note about the remaining placeholders, if there are any.
#[must_use]
pub fn note(node: &Node) -> Option<Diagnostic> {
    let left = unresolved(node);
    let (_, first) = left.first()?;
    let names: Vec<String> = left
        .iter()
        .take(LISTED)
        .map(|(name, _)| format!("${{{name}}}"))
        .collect();
    let more = match left.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let count = match left.len() {
        1 => "a placeholder has no value".to_string(),
        count => format!("{count} placeholders have no value"),
    };
    let message = format!("{count}: {}{more}", names.join(", "));
    let mut note = Diagnostic::info("UNRESOLVED_PLACEHOLDER", 0, message)
        .at(*first, "")
        .help("they are kept as text; --set NAME=VALUE or --set-file FILE gives them values");
    for (name, span) in left.iter().take(LISTED).skip(1) {
        note = note.related(*span, format!("${{{name}}}"));
    }
    Some(note)
}

#[cfg(test)]
mod tests;
