//! Puts values in the place of `${NAME}` in the strings of a tree; every character keeps its way back to the text.
//!
//! It must not know where the tree came from.

use crate::source::{Key, Member, Node, NodeKind, OffsetMap, Span, StringNode};

/// The tree with the values put in; other placeholders stay as they are.
#[must_use]
pub(super) fn substitute(node: Node, values: &[(String, String)]) -> Node {
    if values.is_empty() {
        return node;
    }
    let kind = match node.kind {
        NodeKind::String(string) => NodeKind::String(in_string(string, values)),
        NodeKind::Array(items) => NodeKind::Array(
            items
                .into_iter()
                .map(|item| substitute(item, values))
                .collect(),
        ),
        NodeKind::Object(members) => NodeKind::Object(
            members
                .into_iter()
                .map(|member| Member {
                    key: Key {
                        text: replaced(&member.key.text, values).into(),
                        span: member.key.span,
                    },
                    value: substitute(member.value, values),
                })
                .collect(),
        ),
        kind => kind,
    };
    Node { kind, ..node }
}

fn replaced(text: &str, values: &[(String, String)]) -> String {
    pieces(text, values)
        .into_iter()
        .map(|(_, piece, _)| piece)
        .collect()
}

/// Pieces of a text: where each begins, what stands there then, and whether it is a value put in.
fn pieces<'t>(text: &'t str, values: &'t [(String, String)]) -> Vec<(usize, &'t str, bool)> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices("${") {
        let found = text.get(at + 2..).and_then(|rest| rest.split_once('}'));
        let Some((name, _)) = found.filter(|_| at >= done) else {
            continue;
        };
        let Some((_, value)) = values.iter().find(|(known, _)| known == name) else {
            continue;
        };
        pieces.push((done, text.get(done..at).unwrap_or(""), false));
        pieces.push((at, value.as_str(), true));
        done = at + 3 + name.len();
    }
    pieces.push((done, text.get(done..).unwrap_or(""), false));
    pieces
}

fn in_string(string: StringNode, values: &[(String, String)]) -> StringNode {
    let pieces = pieces(&string.text, values);
    if pieces.len() == 1 {
        return string;
    }
    let mut text = String::new();
    let mut map: Vec<(u32, Span)> = Vec::new();
    let starts: Vec<usize> = pieces.iter().map(|(at, ..)| *at).collect();
    for (index, (at, piece, _)) in pieces.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(string.text.len());
        if piece.is_empty() {
            continue;
        }
        let from = u32::try_from(text.len()).unwrap_or(u32::MAX);
        map.push((from, string.map.span(*at..end)));
        text.push_str(piece);
    }
    let end = string.map.span(string.text.len()..string.text.len());
    map.push((u32::try_from(text.len()).unwrap_or(u32::MAX), end));
    StringNode {
        text: text.into(),
        map: OffsetMap::new(map),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceFile, SourceId, parse_json};

    fn check(text: &str, values: &[(&str, &str)], wanted: &str) {
        let (node, _) = parse_json(&SourceFile::new("t", text), SourceId(0));
        let values: Vec<(String, String)> = values
            .iter()
            .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
            .collect();
        let got = node.map(|node| substitute(node, &values).to_value().to_string());
        assert_eq!(got.as_deref(), Some(wanted), "{text}");
    }

    #[test]
    fn values_are_put_in() {
        check(r#""arn:${A}:x""#, &[("A", "one")], r#""arn:one:x""#);
        check(
            r#"["${A}${B}", "${C}"]"#,
            &[("A", "1"), ("B", "2")],
            r#"["12","${C}"]"#,
        );
        check(r#"{"${A}": "${"}"#, &[("A", "k")], r#"{"k":"${"}"#);
        check(r#""plain""#, &[("A", "k")], r#""plain""#);
    }

    #[test]
    fn places_survive() {
        let (node, _) = parse_json(&SourceFile::new("t", r#""ab${X}cd""#), SourceId(0));
        let node = node.map(|node| substitute(node, &[("X".into(), "long value".into())]));
        let span = node.map(|node| node.inner_span(12..13).range());
        assert_eq!(span, Some(7..8));
    }
}
