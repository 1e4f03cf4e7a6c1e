//! How AWS's library reads the steps of a path. Also finds the parts that it reads differently from the specification.

use super::Selector;
use super::aws::Criteria;
use crate::json::Text;
use std::ops::Range;
use std::sync::Arc;

/// One step of a path, as Jayway JsonPath, AWS's library, reads it.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Name(Text),
    /// Several names, which select one merged object; only valid at the end of a path.
    Names(Arc<[Text]>),
    /// One or more indexes. Jayway never finds a negative index.
    Indexes(Arc<[i64]>),
    /// `(@.length-N)`.
    FromEnd(i64),
    Slice(Option<i64>, Option<i64>),
    All,
    Descend,
    Filter(Arc<Criteria>),
    /// A step that Jayway cannot parse, with its error message.
    Unreadable(Text),
}

/// Converts the steps of a path; `ranges` are the byte ranges of the steps in `text`.
pub(super) fn tokens(steps: &[Selector], ranges: &[Range<usize>], text: &str) -> Vec<Token> {
    let written = ranges
        .iter()
        .map(|range| text.get(range.clone()).unwrap_or(""));
    steps
        .iter()
        .zip(written)
        .map(|(step, written)| token(step, written.trim_start_matches('.')))
        .collect()
}

fn token(step: &Selector, written: &str) -> Token {
    let unreadable =
        || Token::Unreadable(format!("Could not analyze path component: {written}").into());
    match step {
        _ if written.starts_with("[\"") => unreadable(),
        Selector::Name(_) | Selector::Names(_) if written.starts_with('[') => names(written),
        Selector::Name(name) => Token::Name(name.clone()),
        Selector::Names(names) => Token::Names(Arc::clone(names)),
        Selector::Index(index) if written.starts_with("[(") => {
            Token::FromEnd(index.saturating_neg())
        }
        Selector::Index(index) => Token::Indexes(Arc::from([*index])),
        Selector::Indexes(indexes) => Token::Indexes(Arc::clone(indexes)),
        Selector::Slice(from, to) => Token::Slice(*from, *to),
        Selector::All if written.starts_with('[') && written != "[*]" => unreadable(),
        Selector::All => Token::All,
        Selector::Descend => Token::Descend,
        Selector::Filter(filter) | Selector::FilterEach(filter) => {
            Token::Filter(Arc::clone(&filter.criteria))
        }
    }
}

/// Reads names in brackets as Jayway does: a name is the text between two quotes, without escapes, and the first
/// closing bracket ends the list even inside a name. Jayway finds the end of the step differently, by counting nested
/// brackets.
fn names(written: &str) -> Token {
    let mut names: Vec<Text> = Vec::new();
    let mut open = None;
    for (place, c) in written.char_indices() {
        match (c, open) {
            (']', _) => break,
            ('\'', None) => open = Some(place + 1),
            ('\'', Some(start)) => {
                names.push(written.get(start..place).unwrap_or_default().into());
                open = None;
            }
            _ => {}
        }
    }
    let mut nested = 0_i32;
    let ends = written.bytes().position(|byte| {
        nested += i32::from(byte == b'[') - i32::from(byte == b']');
        nested == 0
    });
    if ends.is_some_and(|end| end + 1 < written.len()) {
        let shown: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let shown = shown.join(",");
        let said = format!("Multi properties can only be used as path leafs: $[{shown}]");
        return Token::Unreadable(said.into());
    }
    match names.as_slice() {
        [name] => Token::Name(name.clone()),
        _ => Token::Names(names.into()),
    }
}

/// True if AWS reads a step of a definite path differently from the specification.
pub(super) fn read_otherwise(tokens: &[Token], steps: &[Selector]) -> bool {
    tokens.iter().zip(steps).any(|pair| match pair {
        (Token::Indexes(indexes), _) => indexes.iter().any(|index| *index < 0),
        (Token::Name(aws_names), Selector::Name(name)) => aws_names != name,
        (Token::Names(aws_names), Selector::Names(names)) => aws_names != names,
        (Token::Unreadable(_), _)
        | (Token::Name(_), Selector::Names(_))
        | (Token::Names(_), Selector::Name(_)) => true,
        _ => false,
    })
}

/// A part of a path that AWS reads differently from the specification, or ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAws {
    /// A negative index. AWS never finds such an item, so the path fails.
    NegativeIndex,
    /// A name in double quotes, or spaces around a star. The path fails.
    Unreadable,
    /// Double quotes in a filter. On AWS, the quotes are a part of the text that is compared.
    DoubleQuotes,
    /// A negation of tests in parentheses. On AWS, no item passes it.
    Negation,
    /// The third number of a slice, which is the step, and anything after it. AWS ignores these parts.
    SliceStep,
    /// Quotes or brackets inside names, or text between names. On AWS, the step selects other names.
    Quotes,
    /// Several names before another step. The path fails.
    NamesBefore,
    /// A name that is read from several values. The path fails if any of them lacks it.
    MayMiss,
}

/// Parts of a path, each with its byte range.
pub(super) type Parts = Vec<(Range<usize>, OnAws)>;

/// Finds the parts of the path `text` that AWS reads differently from the specification of JSONPath.
pub(super) fn parts(
    steps: &[Selector],
    tokens: &[Token],
    ranges: &[Range<usize>],
    text: &str,
) -> Parts {
    let last = steps.len().saturating_sub(1);
    let mut parts = Parts::new();
    for (place, ((step, token), range)) in steps.iter().zip(tokens).zip(ranges).enumerate() {
        let written = text.get(range.clone()).unwrap_or("");
        let part = match (step, token) {
            (_, Token::Unreadable(_)) => Some(OnAws::Unreadable),
            (_, Token::Indexes(indexes)) => indexes
                .iter()
                .any(|index| *index < 0)
                .then_some(OnAws::NegativeIndex),
            (Selector::Slice(..), _) => {
                let more = written.split([':', ',']).count() > 2;
                more.then_some(OnAws::SliceStep)
            }
            (_, Token::Names(_)) if place < last => Some(OnAws::NamesBefore),
            (Selector::Name(name), Token::Name(aws_names)) => {
                (name != aws_names).then_some(OnAws::Quotes)
            }
            (Selector::Names(names), Token::Names(aws_names)) => {
                let odd = names != aws_names || divided_oddly(written);
                odd.then_some(OnAws::Quotes)
            }
            (Selector::Name(_), _) | (_, Token::Name(_)) => Some(OnAws::Quotes),
            (Selector::Filter(filter) | Selector::FilterEach(filter), _) => {
                parts.extend(filter.on_aws.iter().cloned());
                None
            }
            _ => None,
        };
        parts.extend(part.map(|part| (range.clone(), part)));
    }
    if let Some(range) = ranges.last()
        && may_miss(steps, ranges, text)
    {
        parts.push((range.clone(), OnAws::MayMiss));
    }
    parts
}

/// True if the path ends with a name that is read from several values, and AWS fails if one of them lacks the name.
/// False after a star over an array: there, AWS skips these items.
fn may_miss(steps: &[Selector], ranges: &[Range<usize>], text: &str) -> bool {
    let Some((Selector::Name(_), before)) = steps.split_last() else {
        return false;
    };
    let mut several = false;
    for (place, (step, range)) in before.iter().zip(ranges).enumerate() {
        match step {
            Selector::Slice(..) | Selector::Filter(_) | Selector::FilterEach(_) => several = true,
            // A name directly after a descent selects only from the objects that have it, so none can lack it.
            Selector::Descend => several |= place + 1 < before.len(),
            Selector::All if text.get(range.clone()) == Some(".*") => several = true,
            Selector::All => return false,
            _ => {}
        }
    }
    several
}

/// True if anything but a single comma separates two names, or if anything follows the last name.
fn divided_oddly(written: &str) -> bool {
    let inner = written.trim_start_matches(['.', '[']).trim_end_matches(']');
    // After splitting at quotes, every second part is outside of them.
    let outside: Vec<&str> = inner.split('\'').step_by(2).map(str::trim).collect();
    let last = outside.len().saturating_sub(1);
    let odd = |(place, part): (usize, &&str)| match place {
        0 => !part.is_empty(),
        place if place == last => !part.is_empty(),
        _ => *part != ",",
    };
    outside.iter().enumerate().any(odd)
}
