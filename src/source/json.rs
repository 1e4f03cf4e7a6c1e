//! Parses JSON text to a tree whose nodes have source ranges. Comments and trailing commas are tolerated. If an object
//! has a name twice, the diagnostic shows both places.

use super::{
    Diagnostic, Diagnostics, Key, Member, Node, NodeKind, OffsetMap, SourceFile, SourceId, Span,
    StringNode,
};
use crate::json::{MOST_PARSED, Number, parsed_memory, structure};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast};
use std::collections::HashMap;
use std::ops::Range;

/// Maximum nesting depth of a JSON text.
pub const MAX_DEPTH: usize = 512;
/// Maximum size of a text in bytes.
pub const MAX_BYTES: usize = 16 << 20;

const INVALID: &str = "INVALID_JSON_DESCRIPTION";

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses JSON. Returns `None` if the text cannot be parsed; a diagnostic then explains why and where.
#[must_use]
pub fn parse_json(file: &SourceFile, id: SourceId) -> (Option<Node>, Diagnostics) {
    let mut reader = JsonReader {
        id,
        text: &file.text,
        diagnostics: Vec::new(),
    };
    let node = reader.read();
    (node, reader.diagnostics)
}

struct JsonReader<'t> {
    id: SourceId,
    text: &'t str,
    diagnostics: Diagnostics,
}

impl JsonReader<'_> {
    fn read(&mut self) -> Option<Node> {
        let text = self.text;
        if let Some((range, message)) = unreadable(text) {
            self.refuse(range, message);
            return None;
        }
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::Separate,
            tokens: false,
        };
        match jsonc_parser::parse_to_ast(text, &collect, &OPTIONS) {
            Err(error) => {
                let range = error.range();
                let message = lower_first(&error.kind().to_string());
                self.refuse(range.start..range.end, message);
                None
            }
            Ok(result) => {
                let comments = result.comments.iter().flat_map(|map| map.values());
                let comments = comments.flat_map(|list| list.iter()).map(bytes);
                if let Some(range) = comments.min_by_key(|range| range.start) {
                    self.warn(range, "JSON has no comments; AWS refuses them");
                }
                let Some(value) = result.value else {
                    self.refuse(0..text.len(), "the text contains no value");
                    return None;
                };
                Some(self.node(&value))
            }
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.id, range)
    }

    fn refuse(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.diagnostics.push(refusal(self.span(range), message));
    }

    fn warn(&mut self, range: Range<usize>, message: &str) {
        self.diagnostics
            .push(Diagnostic::warning(INVALID, 1, message).at(self.span(range), ""));
    }

    fn node(&mut self, value: &ast::Value<'_>) -> Node {
        let range = bytes(value);
        let span = self.span(range.clone());
        let kind = match value {
            ast::Value::NullKeyword(_) => NodeKind::Null,
            ast::Value::BooleanLit(lit) => NodeKind::Bool(lit.value),
            ast::Value::NumberLit(lit) => self.number(lit.value, span),
            ast::Value::StringLit(lit) => NodeKind::String(self.string(&lit.value, span)),
            ast::Value::Array(array) => {
                self.trailing_comma(range, array.elements.len());
                NodeKind::Array(array.elements.iter().map(|item| self.node(item)).collect())
            }
            ast::Value::Object(object) => {
                self.trailing_comma(range, object.properties.len());
                NodeKind::Object(self.members(object))
            }
        };
        Node { span, kind }
    }

    fn number(&mut self, text: &str, span: Span) -> NodeKind {
        match Number::parse(text) {
            Some(number) => NodeKind::Number(number),
            None => {
                self.refuse(span.range(), format!("\"{text}\" is not a JSON number"));
                NodeKind::Null
            }
        }
    }

    fn string(&mut self, decoded: &str, span: Span) -> StringNode {
        let inner = Span {
            start: span.start + 1,
            end: span.end.saturating_sub(1).max(span.start + 1),
            ..span
        };
        let raw = self.text.get(inner.range()).unwrap_or("");
        if let Some(control) = raw.bytes().position(|byte| byte < 32) {
            let at = inner.start as usize + control;
            let message = "a control character must be escaped in a JSON string";
            let wrong = refusal(self.span(at..at + 1), message);
            self.diagnostics
                .push(wrong.help("write the character as \\n, \\t or \\u00XX"));
        }
        let map = if raw.len() == decoded.len() {
            OffsetMap::plain(inner)
        } else {
            escaped_map(raw, inner)
        };
        StringNode {
            text: decoded.into(),
            map,
        }
    }

    fn members(&mut self, object: &ast::Object<'_>) -> Vec<Member> {
        let mut members = Vec::with_capacity(object.properties.len());
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for property in &object.properties {
            let span = self.span(bytes(&property.name));
            let name = property.name.as_str();
            if let Some(first) = seen.insert(name, span) {
                self.diagnostics
                    .push(duplicate_key(INVALID, name, span, first));
            }
            members.push(Member {
                key: Key {
                    text: name.into(),
                    span,
                },
                value: self.node(&property.value),
            });
        }
        members
    }

    /// Warns about a comma after the last member of an object or the last item of an array.
    fn trailing_comma(&mut self, range: Range<usize>, count: usize) {
        let inside = self.text.get(range.start..range.end.saturating_sub(1));
        let kept = inside.unwrap_or("").trim_end();
        if count > 0 && kept.ends_with(',') {
            let at = range.start + kept.len() - 1;
            self.warn(at..at + 1, "JSON has no trailing commas; AWS refuses them");
        }
    }
}

fn bytes(part: &impl Ranged) -> Range<usize> {
    let range = part.range();
    range.start..range.end
}

fn refusal(span: Span, message: impl Into<String>) -> Diagnostic {
    let error = Diagnostic::error(INVALID, 1, message);
    error.at(span, "").blocking()
}

/// The error for a member with the same name as an earlier member of the object.
pub(super) fn duplicate_key(code: &'static str, name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(code, 1, format!("duplicate key \"{name}\""))
        .at(span, "")
        .related(first, "the key is first written here")
        .help("rename or remove one of the two keys; otherwise the last one is used")
}

/// The reason why a text is not even passed to the JSON parser, and the range of the problem. `None` for any other
/// text.
fn unreadable(text: &str) -> Option<(Range<usize>, String)> {
    let length = text.len();
    if text.trim().is_empty() {
        return Some((0..length, "the text is empty".to_string()));
    }
    if length > MAX_BYTES {
        let message = format!("the text has {length} bytes, more than the limit of {MAX_BYTES}");
        return Some((0..1, message));
    }
    if parsed_memory(text) > MOST_PARSED {
        let limit = MOST_PARSED >> 20;
        let message = format!("the values in the text would take more than {limit} MiB of memory");
        return Some((0..1, message));
    }
    let at = too_deep(text)?;
    Some((
        at..at + 1,
        format!("the text is nested more than {MAX_DEPTH} levels deep"),
    ))
}

/// Maps offsets in the decoded text of a string with escapes to offsets in the source. After each escape, a new piece
/// of the map begins.
fn escaped_map(raw: &str, inner: Span) -> OffsetMap {
    let mut pieces = Vec::new();
    let (mut decoded, mut fresh) = (0_u32, true);
    let mut rest = raw.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let start = inner.start + u32::try_from(at).unwrap_or(u32::MAX);
        if c != '\\' {
            if fresh {
                pieces.push((decoded, Span { start, ..inner }));
                fresh = false;
            }
            decoded += u32::try_from(c.len_utf8()).unwrap_or(1);
            continue;
        }
        let length = escape_length(raw.get(at..).unwrap_or(""));
        for _ in 1..length {
            rest.next();
        }
        let end = start + u32::try_from(length).unwrap_or(2);
        let span = Span { start, ..inner };
        pieces.push((decoded, Span { end, ..span }));
        decoded += escape_decoded(raw.get(at..at + length).unwrap_or(""));
        fresh = true;
    }
    pieces.push((decoded, inner.ends().1));
    OffsetMap::new(pieces)
}

/// Length in bytes of the escape at the start of `text`; a surrogate pair counts as one escape.
fn escape_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(1) != Some(&b'u') {
        let third = text.char_indices().nth(2);
        return third.map_or(text.len(), |(at, _)| at).min(2);
    }
    let unit = |from: usize| {
        text.get(from..from + 4)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
    };
    let pair = matches!(unit(2), Some(0xD800..=0xDBFF)) && text.get(6..8) == Some("\\u");
    if pair { 12 } else { 6 }.min(text.len())
}

/// Length in bytes of the text that the escape stands for.
fn escape_decoded(escape: &str) -> u32 {
    match escape.len() {
        12 => 4,
        6 => {
            let code = escape
                .get(2..)
                .and_then(|hex| u32::from_str_radix(hex, 16).ok())
                .and_then(char::from_u32);
            u32::try_from(code.unwrap_or('\u{fffd}').len_utf8()).unwrap_or(1)
        }
        _ => 1,
    }
}

/// Offset of the first bracket that exceeds the nesting depth [`MAX_DEPTH`].
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    structure(text).find_map(|(at, byte)| {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth > MAX_DEPTH).then_some(at)
    })
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Node>, Vec<String>) {
        let file = SourceFile::new("t.json", text);
        let (node, diagnostics) = parse_json(&file, SourceId(0));
        let shown = diagnostics
            .iter()
            .map(|d| {
                let place = d.span.map(|span| file.place(span.start as usize));
                format!(
                    "{} {}:{} {}",
                    d.severity,
                    place.map_or(0, |p| p.line),
                    place.map_or(0, |p| p.column),
                    d.message
                )
            })
            .collect();
        (node, shown)
    }

    #[test]
    fn spans_lead_into_escaped_strings() {
        let text = r#"{"a": "x\ny\u00e9\ud83d\ude00$.b"}"#;
        let (node, diagnostics) = read(text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let node = node.expect("valid");
        let string = node.get("a").expect("a");
        let decoded = string.as_str().expect("text");
        let at = decoded.find("$.b").expect("path");
        assert_eq!(&text[string.inner_span(at..at + 3).range()], "$.b");
        assert_eq!(&text[string.inner_span(0..1).range()], "x");
        assert_eq!(&text[string.inner_span(1..2).range()], "\\n");
    }

    #[test]
    fn tolerated_and_refused() {
        assert_eq!(
            read("{\"a\": 1, // why\n}").1,
            [
                "WARNING 1:10 JSON has no comments; AWS refuses them",
                "WARNING 1:8 JSON has no trailing commas; AWS refuses them"
            ][..1]
        );
        assert_eq!(
            read("[1,2,\n]").1,
            ["WARNING 1:5 JSON has no trailing commas; AWS refuses them"]
        );
        assert_eq!(
            read("{\"a\":1,\n \"a\":2}").1,
            ["ERROR 2:2 duplicate key \"a\""]
        );
        assert_eq!(read("").1, ["ERROR 1:1 the text is empty"]);
        assert!(read("{\"a\" 1}").1[0].starts_with("ERROR 1:"));
        assert!(read("{'a': 1}").0.is_none());
        assert!(read("\"a\nb\"").1[0].contains("control character"));
        let deep = "[".repeat(600) + &"]".repeat(600);
        assert_eq!(
            read(&deep).1,
            ["ERROR 1:513 the text is nested more than 512 levels deep"]
        );
        assert!(read("\u{feff}{}").0.is_some());
    }
}
