//! Placeholders `${NAME}` in a tree. A placeholder with a known value is replaced, and the inserted text keeps a source
//! position. The other placeholders are listed.

use super::node::Woven;
use super::yaml::parse_yaml;
use super::{
    Diagnostic, Diagnostics, Key, Member, Node, NodeKind, OffsetMap, Severity, SourceFile,
    SourceId, SourceMap, Span, StringNode, parse_json,
};
use crate::json::{Text, Value, one_line};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Maximum number of bytes that values may add to a definition.
const MAX_ADDED: usize = 8 << 20;
/// Maximum length of a placeholder name in bytes.
const MAX_NAME: usize = 256;
/// Maximum number of names that a note lists.
const LISTED: usize = 8;

/// Finds the placeholders of a text. For each, returns the byte range of `${NAME}`, and NAME. A text `${!NAME}` is no
/// placeholder, but stands for the literal text `${NAME}`.
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

/// True if the name of a placeholder may contain this character. The characters include those in variables of the
/// Serverless Framework, such as `self:custom.x` and `file(a.yml)`.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/@()!, '*+#".contains(c)
}

/// True if the text is exactly one placeholder.
pub(in crate::source) fn is_one(text: &str) -> bool {
    let first = placeholders(text).next();
    first.is_some_and(|(range, _)| range == (0..text.len()))
}

/// How to replace a string that consists of exactly one placeholder.
#[derive(Clone, Copy)]
pub(in crate::source) enum Whole<'t> {
    /// The placeholder becomes text, as in AWS's own tools.
    Text,
    /// The placeholder becomes its value, whatever the type of the value is.
    Value,
    /// The placeholder becomes a number or a boolean if its field requires one and if the placeholder is written
    /// without quotes in these sources. Otherwise it becomes text.
    Bare(&'t SourceMap),
}

/// Replaces placeholders by their values. Placeholders without a value are kept.
pub(in crate::source) fn substitute(node: Node, values: &Values, whole: Whole<'_>) -> Node {
    let mut left = MAX_ADDED;
    substitute_within(node, values, whole, &mut left)
}

/// Like [`substitute`]. `left` is the number of bytes that values may still add, and is reduced by their sizes.
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
        if let NodeKind::String(string) = node.kind {
            return self.string(string, node.span, field);
        }
        node.with_children(|key, value| {
            let Some(key) = key else {
                return self.node(value, field);
            };
            let value = self.node(value, Some(&key.text));
            let map = OffsetMap::plain(key.span);
            if let Some(filled) = self.filled(&key.text, &map, key.span) {
                key.text = filled.text;
            }
            value
        })
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

    /// The value that replaces a whole string if the result is not text; `None` if the string becomes text.
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

/// The text that is inserted for a value inside a longer text.
fn shown(value: &Value) -> Text {
    match value {
        Value::String(text) => text.clone(),
        other => one_line(other).into(),
    }
}

/// True if the field requires a number or a boolean. A text that replaces a placeholder in this field is then parsed as
/// a number or boolean.
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
        Value::String(text) => NodeKind::String(StringNode::inserted(text.clone(), span)),
        Value::Array(array) => {
            let items = array.items().iter();
            NodeKind::Array(items.map(|item| node_of(item, span)).collect())
        }
        Value::Object(object) => {
            let members = object.members().iter().map(|(name, value)| Member {
                key: Key {
                    text: name.clone(),
                    span,
                },
                value: node_of(value, span),
            });
            NodeKind::Object(members.collect())
        }
    }
}

fn node_of(value: &Value, span: Span) -> Node {
    let kind = kind_of(value, span);
    Node { span, kind }
}

/// The placeholders of a tree in the order of the source. Each name is listed once, with its first span.
#[must_use]
pub fn unresolved(node: &Node) -> Vec<(Text, Span)> {
    let mut seen = HashSet::new();
    let mut noted = Vec::new();
    let mut note = |name: &str, span| {
        if seen.insert(Text::from(name)) {
            noted.push((Text::from(name), span));
        }
    };
    for (member, node) in node.walk() {
        if let Some(Member { key, .. }) = member {
            for (_, name) in placeholders(&key.text) {
                note(name, key.span);
            }
        }
        if let Some(string) = node.string() {
            for (range, name) in placeholders(&string.text) {
                note(name, string.map.span(range));
            }
        }
    }
    noted
}

/// A note that lists the placeholders without a value; `None` if there are none.
#[must_use]
pub fn note(node: &Node) -> Option<Diagnostic> {
    let left = unresolved(node);
    let (_, first) = left.first()?;
    let names = left.iter().take(LISTED);
    let names: Vec<String> = names.map(|(name, _)| format!("${{{name}}}")).collect();
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
        .help("placeholders without a value remain as text; set values with --set NAME=VALUE or --set-file FILE");
    for (name, span) in left.iter().take(LISTED).skip(1) {
        note = note.related(*span, format!("${{{name}}}"));
    }
    Some(note)
}

/// Parses JSON in which a `${NAME}` without quotes is also accepted as a value. The placeholder becomes the value of
/// NAME. If NAME has no value, the placeholder becomes the text `${NAME}`.
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
    let (node, diagnostics) = parse_json(&copy, id);
    let fill = Fill {
        text: &file.text,
        bare,
        values,
    };
    (node.map(|node| fill.node(node)), diagnostics)
}

/// Replaces each placeholder without quotes with a JSON string of the same length. Also returns the offsets of these
/// strings.
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

/// Length in bytes of the placeholder at the start of `text`, including further placeholders that follow without a gap.
fn run(text: &str) -> usize {
    // A placeholder does not continue on another line, and its name is short.
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
        let is_bare = |span: Span| self.bare.contains(&(span.start as usize));
        if matches!(node.kind, NodeKind::String(_)) && is_bare(node.span) {
            let kind = self.bare(node.span);
            return Node { kind, ..node };
        }
        node.with_children(|key, value| {
            if let Some(key) = key.filter(|key| is_bare(key.span)) {
                key.text = self.text.get(key.span.range()).unwrap_or("").into();
            }
            self.node(value)
        })
    }

    fn bare(&self, span: Span) -> NodeKind {
        let text = self.text.get(span.range()).unwrap_or("");
        let first = placeholders(text).next();
        let whole = first.filter(|(range, _)| range.end == text.len());
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

/// Values by name. If several values are added for a name, the first one is used.
#[derive(Clone, Debug, Default)]
pub struct Values {
    known: HashMap<Text, Value>,
}

impl Values {
    /// The value for a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.known.get(name)
    }

    /// True if there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds a value, unless there is already one for the name.
    pub fn add(&mut self, name: &str, value: Value) {
        self.known.entry(name.into()).or_insert(value);
    }
}

impl FromIterator<(String, Value)> for Values {
    fn from_iter<T: IntoIterator<Item = (String, Value)>>(values: T) -> Self {
        let mut all = Self::default();
        for (name, value) in values {
            all.add(&name, value);
        }
        all
    }
}

/// Reads a file of values: an object in JSON or YAML, CloudFormation's list of parameters, or `NAME=VALUE` lines.
///
/// # Errors
/// A diagnostic if the file has none of these forms.
pub fn read_values(file: &SourceFile, id: SourceId) -> Result<Vec<(String, Value)>, Diagnostics> {
    let text = file.text.trim_start();
    if !text.starts_with(['{', '[']) && is_lines(text) {
        return lines(file, id);
    }
    let (node, mut diagnostics) = match text.starts_with(['{', '[']) {
        true => parse_json(file, id),
        false => parse_yaml(file, id),
    };
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    let Some(node) = node.filter(|_| diagnostics.is_empty()) else {
        return Err(diagnostics);
    };
    let inner = node.get("Parameters").unwrap_or(&node);
    if let Some(members) = inner.members() {
        let members = members.iter();
        let values = members.map(|Member { key, value }| (key.text.to_string(), value.to_value()));
        return Ok(values.collect());
    }
    let listed = inner
        .items()
        .and_then(|items| items.iter().map(parameter).collect());
    listed.ok_or_else(|| {
        let message =
            "the values must be an object, a list of objects with ParameterKey and ParameterValue, or lines NAME=VALUE";
        vec![Diagnostic::error("INVALID_VALUES", 0, message).at(node.span, "")]
    })
}

fn parameter(item: &Node) -> Option<(String, Value)> {
    let name = item.get("ParameterKey")?.as_str()?;
    Some((name.to_string(), item.get("ParameterValue")?.to_value()))
}

/// True if the first line with content is `NAME=VALUE`.
fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| pair(line).is_some())
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_good = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
    let good = !name.is_empty() && name.chars().all(is_good);
    good.then(|| (name, value.trim()))
}

fn lines(file: &SourceFile, id: SourceId) -> Result<Vec<(String, Value)>, Diagnostics> {
    let mut values = Vec::new();
    for number in 1..=file.line_count() {
        let line = file.line(number).trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = pair(line) else {
            let range = file.line_range(number).unwrap_or_default();
            let end = range.start + file.line(number).len();
            let diagnostic = Diagnostic::error(
                "INVALID_VALUES",
                0,
                "the line must have the form NAME=VALUE",
            )
            .at(Span::new(id, range.start..end), "");
            return Err(vec![diagnostic]);
        };
        values.push((name.to_string(), Value::string(unquoted(value))));
    }
    Ok(values)
}

/// The value of a `NAME=VALUE` line. Quotes around the value are removed. If it has no quotes, a comment at its end is
/// removed.
fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote)
            && let Some((inner, _)) = rest.split_once(quote)
        {
            return inner.to_string();
        }
    }
    let bare = value.split_once(" #").map_or(value, |(value, _)| value);
    bare.trim().to_string()
}

#[cfg(test)]
mod tests;
