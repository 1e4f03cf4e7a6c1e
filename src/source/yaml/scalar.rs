//! Determines the value of a plain scalar in YAML 1.2, differences from YAML 1.1, and the functions that tags
//! abbreviate.

use crate::json::Number;
use crate::source::NodeKind;

/// The interpretation of a plain scalar.
pub(super) enum Plain {
    /// Text.
    Text,
    /// A value that JSON can represent.
    Is(NodeKind),
    /// `yes`, `on` and the like, which are booleans only in YAML 1.1.
    OldBool(bool),
    /// Text that is a number in YAML 1.1, such as `0644`, `1_000`, `12:30:00`.
    OldNumber,
    /// `.inf` or `.nan`.
    NoNumber,
}

/// True if the text is a boolean only in YAML 1.1.
pub(super) fn is_old_bool(text: &str) -> bool {
    old_bool(text).is_some()
}

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

/// True if the text is a number in YAML 1.1, but text or a different number in YAML 1.2.
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

/// The name of one of YAML's standard tags, such as `str` for `!!str`.
pub(super) fn standard(tag: &str) -> Option<&str> {
    tag.strip_prefix("!!").or_else(|| {
        tag.strip_prefix("!<tag:yaml.org,2002:")
            .and_then(|rest| rest.strip_suffix('>'))
    })
}

/// The template function that a tag abbreviates.
pub(super) fn function(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "!Ref" => "Ref",
        "!Condition" => "Condition",
        "!And" => "Fn::And",
        "!Base64" => "Fn::Base64",
        "!Cidr" => "Fn::Cidr",
        "!Equals" => "Fn::Equals",
        "!FindInMap" => "Fn::FindInMap",
        "!GetAtt" => "Fn::GetAtt",
        "!GetAZs" => "Fn::GetAZs",
        "!If" => "Fn::If",
        "!ImportValue" => "Fn::ImportValue",
        "!Join" => "Fn::Join",
        "!Length" => "Fn::Length",
        "!Not" => "Fn::Not",
        "!Or" => "Fn::Or",
        "!Select" => "Fn::Select",
        "!Split" => "Fn::Split",
        "!Sub" => "Fn::Sub",
        "!ToJsonString" => "Fn::ToJsonString",
        "!Transform" => "Fn::Transform",
        _ => return None,
    })
}
