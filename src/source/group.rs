//! Groups diagnostics for reading: the most severe first, consequences next to their cause, repeated notes once.

use super::{Diagnostic, Severity, Span};
use std::collections::HashMap;

/// A diagnostic with others that do not need to be listed separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingGroup<'d> {
    /// The main diagnostic.
    pub first: &'d Diagnostic,
    /// The same warning or note at other places, in the order of the text.
    pub same: Vec<&'d Diagnostic>,
    /// Diagnostics caused by the main one, in the order of the text. Fixing it fixes them, too.
    pub follows: Vec<&'d Diagnostic>,
}

/// Groups diagnostics: errors, then warnings, then notes, each in their original order.
#[must_use]
pub fn grouped(found: &[Diagnostic]) -> Vec<FindingGroup<'_>> {
    let by_place = causes(found);
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    // Index of the group by the index of its main diagnostic.
    let mut led: HashMap<usize, usize> = HashMap::new();
    let mut told: HashMap<(u8, &str, Option<&str>), usize> = HashMap::new();
    let mut following: Vec<(usize, &Diagnostic)> = Vec::new();
    for (place, one) in found.iter().enumerate() {
        if let Some(cause) = root(place, found, &by_place) {
            following.push((cause, one));
            continue;
        }
        let words = (one.rule, one.message.as_str(), one.help.as_deref());
        let repeats = one.severity < Severity::Error && one.rule > 0;
        if let Some(group) = told
            .get(&words)
            .filter(|_| repeats)
            .and_then(|group| groups.get_mut(*group))
        {
            group.same.push(one);
            continue;
        }
        told.insert(words, groups.len());
        led.insert(place, groups.len());
        groups.push(FindingGroup {
            first: one,
            same: Vec::new(),
            follows: Vec::new(),
        });
    }
    for (cause, one) in following {
        match led.get(&cause).and_then(|group| groups.get_mut(*group)) {
            Some(group) => group.follows.push(one),
            // Diagnostics that cause each other would be a bug in the rules; even then, none of them is omitted.
            None => groups.push(FindingGroup {
                first: one,
                same: Vec::new(),
                follows: Vec::new(),
            }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.first.severity));
    groups
}

/// The errors by their place; only errors can be causes.
fn causes(found: &[Diagnostic]) -> HashMap<Span, usize> {
    let mut places = HashMap::new();
    for (place, one) in found.iter().enumerate() {
        if let Some(span) = one.span.filter(|_| one.severity == Severity::Error) {
            places.entry(span).or_insert(place);
        }
    }
    places
}

/// Index of the diagnostic that ultimately causes this one; `None` if there is none.
fn root(place: usize, found: &[Diagnostic], causes: &HashMap<Span, usize>) -> Option<usize> {
    let mut current = place;
    for _ in 0..found.len() {
        let next = found.get(current).and_then(|one| one.follows);
        match next.and_then(|span| causes.get(&span)) {
            Some(cause) if *cause != current && *cause != place => current = *cause,
            _ => break,
        }
    }
    (current != place).then_some(current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn at(severity: Severity, rule: u8, place: usize) -> Diagnostic {
        let span = Span::new(SourceId(0), place..place + 1);
        Diagnostic::new(severity, "CODE", rule, "words").at(span, "")
    }

    #[test]
    fn the_worst_come_first_and_what_follows_stands_below() {
        let span = |place| Some(Span::new(SourceId(0), place..place + 1));
        let found = vec![
            at(Severity::Info, 25, 1),
            at(Severity::Warning, 46, 2),
            at(Severity::Info, 25, 3),
            at(Severity::Error, 8, 4).following(span(6)),
            at(Severity::Error, 8, 5).following(span(9)),
            at(Severity::Error, 6, 6),
            at(Severity::Error, 6, 7).following(span(6)),
            at(Severity::Error, 8, 8).following(span(7)),
        ];
        let groups = grouped(&found);
        let shown: Vec<(u8, usize, usize)> = groups
            .iter()
            .map(|group| (group.first.rule, group.same.len(), group.follows.len()))
            .collect();
        assert_eq!(shown, [(8, 0, 0), (6, 0, 3), (46, 0, 0), (25, 1, 0)]);
    }

    #[test]
    fn findings_that_follow_from_each_other_are_not_lost() {
        let span = |place| Some(Span::new(SourceId(0), place..place + 1));
        let found = vec![
            at(Severity::Error, 1, 1).following(span(2)),
            at(Severity::Error, 2, 2).following(span(1)),
        ];
        let count: usize = grouped(&found)
            .iter()
            .map(|group| 1 + group.same.len() + group.follows.len())
            .sum();
        assert_eq!(count, 2);
    }
}
