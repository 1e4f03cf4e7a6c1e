//! `States.Format`: a template whose `{}` placeholders are replaced by values in order.

use super::function::Failure;
use crate::json::Value;
use crate::query::{Bindings, Divergence, Profile};
use std::fmt::Write as _;

/// A parsed template: the texts before, between and after its placeholders. The number of texts is the number of
/// placeholders plus one.
#[derive(Debug)]
pub(super) struct Template {
    texts: Vec<String>,
    braces: Option<Braces>,
}

/// Escaped braces in a template that were probably meant as a placeholder. The function's result contains these braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Braces {
    /// `\\{\\}` instead of a placeholder: the result contains `{}`, not the value.
    InsteadOfPlace,
    /// `\\{{}\\}`, a placeholder in escaped braces: the result contains the value in braces.
    AroundPlace,
}

/// A part of a template, for the check that finds braces escaped by mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Open,
    Close,
    Place,
    Quote,
    Other,
}

/// An unmatched brace in a template.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unmatched {
    Open,
    Close,
}

impl Unmatched {
    pub(super) fn message(self) -> String {
        let (missing, brace) = match self {
            Self::Open => ('}', '{'),
            Self::Close => ('{', '}'),
        };
        format!("Invalid template in States.Format: matching '{missing}' not found for '{brace}'.")
    }
}

impl Template {
    /// Parses a template whose backslash escapes have not been resolved.
    pub(super) fn parse(raw: &str) -> Result<Self, Unmatched> {
        let mut texts = Vec::new();
        let mut text = String::new();
        let mut pieces = Vec::new();
        let mut chars = raw.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next_if(|next| matches!(next, '\'' | '{' | '}' | '\\')) {
                    Some(escaped) => {
                        pieces.push(match escaped {
                            '{' => Piece::Open,
                            '}' => Piece::Close,
                            _ => Piece::Other,
                        });
                        text.push(escaped);
                    }
                    None => text.push('\\'),
                },
                '{' => match chars.next_if_eq(&'}') {
                    Some(_) => {
                        pieces.push(Piece::Place);
                        texts.push(std::mem::take(&mut text));
                    }
                    None => return Err(Unmatched::Open),
                },
                '}' => return Err(Unmatched::Close),
                c => {
                    pieces.push(match c {
                        '"' => Piece::Quote,
                        _ => Piece::Other,
                    });
                    text.push(c);
                }
            }
        }
        texts.push(text);
        Ok(Self {
            texts,
            braces: braces(&pieces),
        })
    }

    pub(super) fn braces(&self) -> Option<Braces> {
        self.braces
    }

    pub(super) fn places(&self) -> usize {
        self.texts.len().saturating_sub(1)
    }
}

/// Finds braces that are escaped although the author probably meant a placeholder, and escaped braces around a
/// placeholder. If the template has other escaped braces too, it is probably JSON text. Then only an escaped `{}` in
/// quotes is reported, because in JSON, quoted braces are not an object.
fn braces(pieces: &[Piece]) -> Option<Braces> {
    const QUOTED: [Piece; 4] = [Piece::Quote, Piece::Open, Piece::Close, Piece::Quote];
    if pieces.windows(4).any(|four| *four == QUOTED) {
        return Some(Braces::InsteadOfPlace);
    }
    let opened = pieces.iter().filter(|piece| **piece == Piece::Open).count();
    let empty = pieces
        .windows(2)
        .filter(|two| *two == [Piece::Open, Piece::Close]);
    let around = pieces
        .windows(3)
        .filter(|three| *three == [Piece::Open, Piece::Place, Piece::Close]);
    let (empty, around) = (empty.count(), around.count());
    if opened == 0 || empty + around != opened {
        None
    } else if empty > 0 {
        Some(Braces::InsteadOfPlace)
    } else {
        Some(Braces::AroundPlace)
    }
}

/// Returns the template's text, in which each placeholder is replaced by one of `values`, in order.
pub(super) fn fill(
    template: Result<&Template, &Unmatched>,
    values: &[Value],
    bindings: &dyn Bindings,
) -> Result<Value, Failure> {
    let template = template.map_err(|unmatched| Failure::Message(unmatched.message()))?;
    let size = values
        .iter()
        .fold(0_u64, |sum, value| sum.saturating_add(value.size()));
    if template.places() != values.len() || !bindings.fits(size) {
        return Err(Failure::Arguments);
    }
    let mut out = String::new();
    let mut values = values.iter();
    for (place, text) in template.texts.iter().enumerate() {
        if place > 0
            && let Some(value) = values.next()
        {
            if bindings.profile() == Profile::Spec && value.depth() > 0 {
                bindings.diverges(Divergence::FormatOf);
                return Err(Failure::Arguments);
            }
            java(value, &mut out);
        }
        out.push_str(text);
    }
    Ok(Value::string(out))
}

/// Appends a value the way Java prints its maps and lists: `{a=1, b=[x, y]}`.
fn java(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(array) => {
            out.push('[');
            for (place, item) in array.items().iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                java(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (place, (name, member)) in object.members().iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push('=');
                java(member, out);
            }
            out.push('}');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}
