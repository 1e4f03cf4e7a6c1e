//! Findings as a person reads them: the worst first, what follows from one beside it, the same note once.
//!
//! It must not know the rules, nor how findings are printed.

use super::{Diagnostic, Severity, Span};
use std::collections::HashMap;

/// A finding with those that need no place of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingGroup<'d> {
    /// The finding to be read.
    pub first: &'d Diagnostic,
    /// The same warning or note at other places, in the order of the text.
    pub same: Vec<&'d Diagnostic>,
    /// What follows from it, and is gone when it is mended, in the order of the text.
    pub follows: Vec<&'d Diagnostic>,
}

/// Groups findings: errors, then warnings, then notes, each in the order in which they came.
#[must_use]
pub fn grouped(found: &[Diagnostic]) -> Vec<FindingGroup<'_>> {
    let by_place = causes(found);
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    // Where the group of each finding that leads one is.
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
            // Findings that follow from each other would be a fault of the rules; none of them is left out.
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

/// The errors by their place: what others can follow from.
fn causes(found: &[Diagnostic]) -> HashMap<Span, usize> {
    let mut places = HashMap::new();
    for (place, one) in found.iter().enumerate() {
        if let Some(span) = one.span.filter(|_| one.severity == Severity::Error) {
            places.entry(span).or_insert(place);
        }
    }
    places
}

/// The finding that one follows from in the end; `None` where it stands by itself.
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
