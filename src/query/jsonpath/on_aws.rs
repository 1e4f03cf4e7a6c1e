//! What AWS's library makes otherwise of a path than its author may think, as far as the text alone tells.
//!
//! It must not know any document, nor how such findings are worded.

use super::Selector;
use super::aws::Token;
use std::ops::Range;

/// A part of a path that AWS reads differently from the specification, or passes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAws {
    /// A negative index: there is no such item, and the path fails.
    NegativeIndex,
    /// A name in double quotes, or blanks around a star: the path fails.
    Unreadable,
    /// Double quotes in a filter belong to the text that is compared.
    DoubleQuotes,
    /// The negation of parentheses holds for nothing.
    Negation,
    /// The step of a slice and what else follows its end is passed over.
    SliceStep,
    /// Quotes and brackets inside names, and what stands between names, do not mean what they do elsewhere.
    Quotes,
    /// Several names before another step: the path fails.
    NamesBefore,
    /// A name that one of several values may not have: the path fails then.
    MayMiss,
}

/// A part with its bytes in the path.
pub(super) type Parts = Vec<(Range<usize>, OnAws)>;

/// What there is to say of the steps of `text`.
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

/// Whether the path ends with a name that is asked of several values. Of the items of an array that a star selects, those
/// without it are passed over.
fn may_miss(steps: &[Selector], ranges: &[Range<usize>], text: &str) -> bool {
    let Some((Selector::Name(_), before)) = steps.split_last() else {
        return false;
    };
    let mut several = false;
    for (place, (step, range)) in before.iter().zip(ranges).enumerate() {
        match step {
            Selector::Slice(..) | Selector::Filter(_) | Selector::FilterEach(_) => several = true,
            // The name right after it selects only what has it.
            Selector::Descend => several |= place + 1 < before.len(),
            Selector::All if text.get(range.clone()) == Some(".*") => several = true,
            Selector::All => return false,
            _ => {}
        }
    }
    several
}

/// Whether something else than one comma stands between two names, or after the last.
fn divided_oddly(written: &str) -> bool {
    let inner = written.trim_start_matches(['.', '[']).trim_end_matches(']');
    // Outside of quotes is every second part.
    let outside: Vec<&str> = inner.split('\'').step_by(2).map(str::trim).collect();
    let last = outside.len().saturating_sub(1);
    let odd = |(place, part): (usize, &&str)| match place {
        0 => !part.is_empty(),
        place if place == last => !part.is_empty(),
        _ => *part != ",",
    };
    outside.iter().enumerate().any(odd)
}
