//! Finds parts of a path that AWS's library reads differently from what its author may expect, without evaluating the
//! path.

use super::Selector;
use super::aws::Token;
use std::ops::Range;

/// A part of a path that AWS reads differently from the specification, or ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAws {
    /// A negative index. AWS never finds such an item, so the path fails.
    NegativeIndex,
    /// A name in double quotes, or spaces around a star. The path fails.
    Unreadable,
    /// Double quotes in a filter, which become part of the compared text.
    DoubleQuotes,
    /// A negated group in parentheses, which never holds.
    Negation,
    /// The step of a slice and anything else after its end, which are ignored.
    SliceStep,
    /// Quotes or brackets inside names, or text between names, which are read differently.
    Quotes,
    /// Several names before another step. The path fails.
    NamesBefore,
    /// A name that is read from several values. The path fails if any of them lacks it.
    MayMiss,
}

/// Parts of a path, each with its byte range.
pub(super) type Parts = Vec<(Range<usize>, OnAws)>;

/// Finds the parts of `text` that AWS reads differently.
pub(super) fn parts(
    steps: &[Selector],
    tokens: &[Token],
    ranges: &[Range<usize>],
    text: &str,
) -> Parts {
    let last = steps.len().saturating_sub(1);
    let mut found = Parts::new();
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
            (Selector::Name(name), Token::Name(own)) => (name != own).then_some(OnAws::Quotes),
            (Selector::Names(names), Token::Names(own)) => {
                let odd = names != own || divided_oddly(written);
                odd.then_some(OnAws::Quotes)
            }
            (Selector::Name(_), _) | (_, Token::Name(_)) => Some(OnAws::Quotes),
            (Selector::Filter(filter) | Selector::FilterEach(filter), _) => {
                found.extend(filter.on_aws().iter().cloned());
                None
            }
            _ => None,
        };
        found.extend(part.map(|part| (range.clone(), part)));
    }
    if let Some(range) = ranges.last()
        && may_miss(steps, ranges, text)
    {
        found.push((range.clone(), OnAws::MayMiss));
    }
    found
}

/// True if the path ends with a name that is read from several values. A star over an array does not count, because it
/// skips items without the name.
fn may_miss(steps: &[Selector], ranges: &[Range<usize>], text: &str) -> bool {
    let Some((Selector::Name(_), before)) = steps.split_last() else {
        return false;
    };
    let mut several = false;
    for (place, (step, range)) in before.iter().zip(ranges).enumerate() {
        match step {
            Selector::Slice(..) | Selector::Filter(_) | Selector::FilterEach(_) => several = true,
            // The name directly after a descent selects only values that have it.
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
