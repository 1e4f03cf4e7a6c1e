//! Determines the value of a plain (unquoted) scalar. The rules of YAML 1.2 apply, except for words such as `yes`.
//! Reports a scalar that has another value in YAML 1.1, and converts tags to the template functions that they
//! abbreviate.

use super::place::{Aligned, after_properties, align, tag};
use super::{Built, MapKey, Stop, Tagged, YamlReader, leaf};
use crate::json::{Number, Text};
use crate::source::{Key, Member, Node, NodeKind, Span, StringNode};
use saphyr_parser::ScalarStyle;

impl<'t> YamlReader<'t> {
    pub(super) fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        start: usize,
        anchor: usize,
        tagged: bool,
    ) -> Result<(), Stop> {
        let properties = anchor > 0 || tagged;
        let tag = if tagged { self.tag_at(start) } else { None };
        let plain = style == ScalarStyle::Plain;
        let (start, aligned) = if plain && text.is_empty() && !properties {
            // For an empty value, the parser reports the position of the next token, which is not where the value would
            // be.
            let at = self.after_colon();
            (at, Aligned::empty(self.id, at))
        } else {
            let from = if properties {
                after_properties(self.text, start)
            } else {
                start
            };
            let aligned = align(self.text, self.id, from, style, text, properties);
            (start, aligned)
        };
        self.last = aligned.end.max(start);
        let span = self.span(start..self.last);
        if self.wants_key() {
            if plain && text == "<<" {
                self.key(MapKey::Merge);
                return Ok(());
            }
            if plain && old_bool(text).is_some() {
                let message = format!("the key {text} is a boolean in YAML 1.1");
                let help = "CloudFormation and SAM read YAML 1.1; put the key in quotes";
                self.warn(span.range(), &message, Some(help));
            }
            if anchor > 0 {
                let node = Node::of_text(text, aligned.map, span);
                self.anchors.insert(anchor, leaf(node));
            }
            self.key(MapKey::Name(Key {
                text: text.into(),
                span,
            }));
            return Ok(());
        }
        let standard = tag.and_then(|tag| standard(tag.text));
        let kind = match (plain, standard) {
            (_, Some(name)) => self.standard(name, text, &aligned, span),
            (true, None) if tag.is_some_and(|tag| function(tag.text).is_some()) => None,
            (true, None) => self.plain(text, span),
            (false, None) => None,
        };
        let node = match kind {
            Some(kind) => Node { span, kind },
            None => Node::of_text(text, aligned.map, span),
        };
        let tag = if standard.is_some() { None } else { tag };
        self.finish(leaf(node), anchor, tag)
    }

    /// The byte offset at which an omitted value would be: after the colon, or after the last node if no colon follows
    /// it.
    fn after_colon(&self) -> usize {
        let rest = self.text.get(self.last..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        match rest.as_bytes().get(blanks) {
            Some(b':') => self.last + blanks + 1,
            _ => self.last,
        }
    }

    /// The value of a plain scalar, if it is not text.
    fn plain(&mut self, text: &str, span: Span) -> Option<NodeKind> {
        match resolve(text) {
            Plain::Text => None,
            Plain::Is(kind) => Some(kind),
            Plain::OldBool(flag) => {
                let message = format!(
                    "{text} is read as {flag}, as in YAML 1.1, but YAML 1.2 reads {text} as text"
                );
                let help = format!("write {flag}, or put {text} in quotes if text is meant");
                self.warn(span.range(), &message, Some(&help));
                Some(NodeKind::Bool(flag))
            }
            Plain::OldNumber => {
                let message = format!("{text} is kept as text; YAML 1.1 reads it as a number");
                self.warn(span.range(), &message, Some("put the text in quotes"));
                None
            }
            Plain::NoNumber => {
                let message = format!("{text} has no counterpart in JSON and is kept as text");
                self.warn(span.range(), &message, Some("put the text in quotes"));
                None
            }
        }
    }

    /// The value of a scalar with one of YAML's standard tags, such as `!!str` or `!!int`.
    fn standard(
        &mut self,
        name: &str,
        text: &str,
        aligned: &Aligned,
        span: Span,
    ) -> Option<NodeKind> {
        if matches!(name, "int" | "float" | "bool" | "null") {
            return match resolve(text) {
                Plain::Is(kind) => Some(kind),
                Plain::OldBool(flag) if name == "bool" => Some(NodeKind::Bool(flag)),
                _ => {
                    self.refuse(span.range(), format!("\"{text}\" is no !!{name}"));
                    None
                }
            };
        }
        Some(NodeKind::String(StringNode {
            text: text.into(),
            map: aligned.map.clone(),
        }))
    }

    /// Applies a tag to a node. If the tag stands for a template function, the result is a call of the function.
    /// Otherwise the node is unchanged.
    pub(super) fn tagged(&mut self, built: Built, tag: Tagged<'t>) -> Built {
        if standard(tag.text).is_some() || tag.text == "!" {
            return built;
        }
        let span = self.span(tag.at..tag.at + tag.text.len());
        let Some(name) = function(tag.text) else {
            let message = format!(
                "the tag {tag} is unknown, so the value is read without the tag",
                tag = tag.text
            );
            self.warn(span.range(), &message, None);
            return built;
        };
        let whole = Span {
            start: span.start,
            ..built.node.span
        };
        Built {
            node: Node {
                span: whole,
                kind: NodeKind::Object(vec![Member {
                    key: Key { text: name, span },
                    value: built.node,
                }]),
            },
            count: built.count + 1,
            height: built.height + 1,
        }
    }

    /// The tag among the tags and anchors that begin at `start`.
    pub(super) fn tag_at(&self, start: usize) -> Option<Tagged<'t>> {
        let (at, text) = tag(self.text, start)?;
        Some(Tagged { text, at })
    }
}

/// The value that a plain scalar (a scalar without quotes) stands for.
pub(super) enum Plain {
    /// The scalar is a string.
    Text,
    /// The scalar is a null, boolean or number, which JSON can represent.
    Is(NodeKind),
    /// `yes`, `on` and similar words, which are booleans only in YAML 1.1.
    OldBool(bool),
    /// Text that is a number in YAML 1.1, such as `0644`, `1_000`, `12:30:00`.
    OldNumber,
    /// `.inf` or `.nan`, for which JSON has no number.
    NoNumber,
}

/// The boolean value of the text in YAML 1.1, if the text is no boolean in YAML 1.2.
fn old_bool(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// Interprets a plain scalar.
pub(super) fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Is(NodeKind::Null),
        "true" | "True" | "TRUE" => return Plain::Is(NodeKind::Bool(true)),
        "false" | "False" | "FALSE" => return Plain::Is(NodeKind::Bool(false)),
        _ => {}
    }
    if let Some(flag) = old_bool(text) {
        return Plain::OldBool(flag);
    }
    let bare = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(bare, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Plain::NoNumber;
    }
    if !bare.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Plain::Text;
    }
    if let Some(number) = Number::parse(text) {
        return Plain::Is(NodeKind::Number(number));
    }
    let (digits, radix) = match (bare.strip_prefix("0x"), bare.strip_prefix("0o")) {
        (Some(hex), _) => (hex, 16),
        (_, Some(octal)) => (octal, 8),
        _ => ("", 10),
    };
    if !digits.is_empty() {
        let number = i64::from_str_radix(digits, radix).ok();
        return match number {
            Some(number) if !digits.starts_with(['-', '+']) && bare.len() == text.len() => {
                Plain::Is(NodeKind::Number(Number::Int(number)))
            }
            _ => Plain::Text,
        };
    }
    if old_number(bare) {
        return Plain::OldNumber;
    }
    match as_json(text).and_then(|text| Number::parse(&text)) {
        Some(number) => Plain::Is(NodeKind::Number(number)),
        None => Plain::Text,
    }
}

/// True if YAML 1.1 reads the text as a number, and YAML 1.2 reads it as text or as another number.
fn old_number(bare: &str) -> bool {
    let digits =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if bare.len() > 1 && bare.starts_with('0') && digits(bare) {
        return true;
    }
    if bare.contains('_') {
        return bare.starts_with(|c: char| c.is_ascii_digit())
            && digits(&bare.replacen('.', "", 1));
    }
    let mut parts = bare.split(':');
    let first = parts.next().unwrap_or("");
    let mut rest = parts.peekable();
    rest.peek().is_some()
        && digits(first)
        && rest
            .all(|part| digits(part) && part.len() <= 2 && part.parse().is_ok_and(|n: u8| n < 60))
}

/// Converts a YAML number such as `+1`, `.5`, `1.` or `1.e3` to JSON notation.
fn as_json(text: &str) -> Option<String> {
    let (sign, bare) = match text.strip_prefix('-') {
        Some(bare) => ("-", bare),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let mark = bare.find(['e', 'E']).unwrap_or(bare.len());
    let (mantissa, exponent) = bare.split_at_checked(mark)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() {
        format!("{sign}{whole}{exponent}")
    } else {
        format!("{sign}{whole}.{fraction}{exponent}")
    })
}

/// The name of a standard tag of YAML, such as `str` for `!!str`. `None` for any other tag.
fn standard(tag: &str) -> Option<&str> {
    tag.strip_prefix("!!").or_else(|| {
        tag.strip_prefix("!<tag:yaml.org,2002:")
            .and_then(|rest| rest.strip_suffix('>'))
    })
}

/// The name of the template function that a tag abbreviates, if it abbreviates one.
fn function(tag: &str) -> Option<Text> {
    const NAMES: &str = "And Base64 Cidr Equals FindInMap GetAtt GetAZs If ImportValue Join Length Not Or Select Split \
        Sub ToJsonString Transform";
    match tag.strip_prefix('!')? {
        name @ ("Ref" | "Condition") => Some(name.into()),
        name if NAMES.split(' ').any(|known| known == name) => Some(format!("Fn::{name}").into()),
        _ => None,
    }
}
