//! Diagnostics about a source text. Each states a problem, its place and a fix. Also groups diagnostics for display,
//! and finds the known name that is most similar to a mistyped name.

use super::{SourceMap, Span};
use std::collections::HashMap;
use std::fmt;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Useful information.
    Info,
    /// Probably a mistake.
    Warning,
    /// Rejected by the language or by AWS.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        })
    }
}

/// A diagnostic about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity of the diagnostic.
    pub severity: Severity,
    /// AWS's code if there is one (`SCHEMA_VALIDATION_FAILED`); otherwise a code of asldbg in the same style.
    pub code: &'static str,
    /// Number of the validation rule, as `asldbg help rules` lists it; 0 if no rule applies.
    pub rule: u8,
    /// A single sentence. It has AWS's wording if that is known; otherwise it has our own wording and starts in lower
    /// case.
    pub message: String,
    /// Place in the definition, as the path with slashes that AWS prints: `/States/C/Choices[0]/Next`. Empty if there
    /// is none.
    pub location: String,
    /// The source range in question.
    pub span: Option<Span>,
    /// Other relevant source ranges, each with a label.
    pub related: Vec<(Span, String)>,
    /// Suggested fix, in one sentence.
    pub help: Option<String>,
    /// True if the diagnostic prevents a run or a reload.
    pub blocking: bool,
    /// Source range of another diagnostic that causes this diagnostic. A fix of the cause fixes this diagnostic, too.
    pub follows: Option<Span>,
}

/// Maximum number of related places that are shown when a diagnostic is printed on one line.
const RELATED: usize = 2;

impl Diagnostic {
    /// Returns the related places as text for output with one line per diagnostic: ` (line 12: the earlier rule)`.
    #[must_use]
    pub fn also(&self, sources: &SourceMap) -> String {
        let related = self.related.iter().take(RELATED);
        let others = related
            .filter_map(|(span, label)| Some(format!("line {}: {label}", sources.line(*span)?)));
        let others: Vec<String> = others.collect();
        match others.is_empty() {
            true => String::new(),
            false => format!(" ({})", others.join(", ")),
        }
    }

    /// Creates a diagnostic without a place or a suggested fix.
    #[must_use]
    pub fn new(
        severity: Severity,
        code: &'static str,
        rule: u8,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            rule,
            message: message.into(),
            location: String::new(),
            span: None,
            related: Vec::new(),
            help: None,
            blocking: false,
            follows: None,
        }
    }

    /// Creates an error.
    #[must_use]
    pub fn error(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, rule, message)
    }

    /// Creates a warning.
    #[must_use]
    pub fn warning(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, rule, message)
    }

    /// Creates an informational diagnostic.
    #[must_use]
    pub fn info(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, rule, message)
    }

    /// Sets the source range, and the place in the definition as a path with slashes.
    #[must_use]
    pub fn at(mut self, span: Span, location: impl Into<String>) -> Self {
        self.span = Some(span);
        self.location = location.into();
        self
    }

    /// Sets the suggested fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another relevant source range with its label.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// Marks this diagnostic as caused by the diagnostic whose source range is `from`.
    #[must_use]
    pub fn following(mut self, from: Option<Span>) -> Self {
        self.follows = from;
        self
    }

    /// Replaces each source range of the diagnostic with the range that `to` returns for it.
    pub(super) fn relocate(&mut self, to: impl Fn(Span) -> Span) {
        let related = self.related.iter_mut().map(|(span, _)| span);
        for span in self.span.iter_mut().chain(related).chain(&mut self.follows) {
            *span = to(*span);
        }
    }

    /// Marks this diagnostic as preventing a run or a reload.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}

/// Diagnostics in the order in which they were found.
pub type Diagnostics = Vec<Diagnostic>;

/// A diagnostic and those that need not be listed separately: its repetitions at other places, and its consequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingGroup<'d> {
    /// The main diagnostic.
    pub first: &'d Diagnostic,
    /// Diagnostics at other places with the same rule, message and help as the main diagnostic, in their original
    /// order. Only for warnings and notes.
    pub same: Vec<&'d Diagnostic>,
    /// Diagnostics that the main diagnostic causes, in their original order. A fix of the main diagnostic fixes them,
    /// too.
    pub follows: Vec<&'d Diagnostic>,
}

/// Groups diagnostics. The groups are sorted by the severity of their main diagnostics: errors, then warnings, then
/// notes. Otherwise the original order is kept.
#[must_use]
pub fn grouped(diagnostics: &[Diagnostic]) -> Vec<FindingGroup<'_>> {
    let alone = |first| FindingGroup {
        first,
        same: Vec::new(),
        follows: Vec::new(),
    };
    let by_place = causes(diagnostics);
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    // Maps the index of each main diagnostic to the index of its group.
    let mut led: HashMap<usize, usize> = HashMap::new();
    let mut shown: HashMap<(u8, &str, Option<&str>), usize> = HashMap::new();
    let mut following: Vec<(usize, &Diagnostic)> = Vec::new();
    for (place, diagnostic) in diagnostics.iter().enumerate() {
        if let Some(cause) = root(place, diagnostics, &by_place) {
            following.push((cause, diagnostic));
            continue;
        }
        let words = (
            diagnostic.rule,
            diagnostic.message.as_str(),
            diagnostic.help.as_deref(),
        );
        let repeats = diagnostic.severity < Severity::Error && diagnostic.rule > 0;
        let same = shown.get(&words).filter(|_| repeats);
        if let Some(group) = same.and_then(|group| groups.get_mut(*group)) {
            group.same.push(diagnostic);
            continue;
        }
        shown.insert(words, groups.len());
        led.insert(place, groups.len());
        groups.push(alone(diagnostic));
    }
    for (cause, diagnostic) in following {
        match led.get(&cause).and_then(|group| groups.get_mut(*group)) {
            Some(group) => group.follows.push(diagnostic),
            // Diagnostics can cause each other only because of a bug in the rules. Even then, each of them is shown.
            None => groups.push(alone(diagnostic)),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.first.severity));
    groups
}

/// Maps the source range of each error to the index of the error. Only errors can cause other diagnostics.
fn causes(diagnostics: &[Diagnostic]) -> HashMap<Span, usize> {
    let mut places = HashMap::new();
    for (place, diagnostic) in diagnostics.iter().enumerate() {
        if let Some(span) = diagnostic
            .span
            .filter(|_| diagnostic.severity == Severity::Error)
        {
            places.entry(span).or_insert(place);
        }
    }
    places
}

/// Follows the causes of a diagnostic back to the first cause, and returns the index of the first cause. `None` if the
/// diagnostic has no cause.
fn root(place: usize, diagnostics: &[Diagnostic], causes: &HashMap<Span, usize>) -> Option<usize> {
    let mut current = place;
    for _ in 0..diagnostics.len() {
        let next = diagnostics
            .get(current)
            .and_then(|diagnostic| diagnostic.follows);
        match next.and_then(|span| causes.get(&span)) {
            Some(cause) if *cause != current && *cause != place => current = *cause,
            _ => break,
        }
    }
    (current != place).then_some(current)
}

/// Maximum length, in characters, of names that are compared.
const MAX_LENGTH: usize = 200;

/// The known name nearest to `typed`, if it is similar enough to be a typo.
#[must_use]
pub fn nearest<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (typed.chars().count() / 3).clamp(1, 4);
    let wanted: Vec<char> = typed.to_lowercase().chars().collect();
    if wanted.len() > MAX_LENGTH {
        return None;
    }
    let wanted_letters = letters(wanted.iter().copied());
    let is_near = |name: &&str| {
        let name_letters = letters(name.chars().flat_map(char::to_lowercase));
        apart(&wanted_letters, &name_letters) <= limit
    };
    let distances = known.into_iter().filter(is_near).map(|name| {
        let letters: Vec<char> = name.to_lowercase().chars().collect();
        (distance(&wanted, &letters), name)
    });
    let near = distances.filter(|(far, name)| *far <= limit && *name != typed);
    // If several names are equally near, a name that begins with the typed text is preferred.
    near.min_by_key(|(far, name)| (*far, !name.starts_with(typed)))
        .map(|(_, name)| name)
}

/// `did you mean "X"?` for the nearest known name.
#[must_use]
pub fn did_you_mean<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(typed, known).map(|name| format!("did you mean \"{name}\"?"))
}

/// Counts the letters of a name in 32 counters. Letters that share a counter are counted together.
fn letters(name: impl Iterator<Item = char>) -> [u8; 32] {
    let mut counts = [0_u8; 32];
    for c in name {
        if let Some(count) = counts.get_mut(c as usize % 32) {
            *count = count.saturating_add(1);
        }
    }
    counts
}

/// A lower bound of the edit distance of two names, computed from their letter counts. This test is cheap and rules out
/// most names.
fn apart(a: &[u8; 32], b: &[u8; 32]) -> usize {
    let more = |a: &[u8; 32], b: &[u8; 32]| -> usize {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| usize::from(a.saturating_sub(*b))).sum()
    };
    more(a, b).max(more(b, a))
}

/// Number of edits (insertions, deletions, replacements, swaps of neighbours) from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 9);
            let mut best = (get(&last, j) + usize::from(x != y))
                .min(get(&last, j + 1) + 1)
                .min(get(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(get(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
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
        let diagnostics = vec![
            at(Severity::Info, 25, 1),
            at(Severity::Warning, 46, 2),
            at(Severity::Info, 25, 3),
            at(Severity::Error, 8, 4).following(span(6)),
            at(Severity::Error, 8, 5).following(span(9)),
            at(Severity::Error, 6, 6),
            at(Severity::Error, 6, 7).following(span(6)),
            at(Severity::Error, 8, 8).following(span(7)),
        ];
        let groups = grouped(&diagnostics);
        let shown: Vec<(u8, usize, usize)> = groups
            .iter()
            .map(|group| (group.first.rule, group.same.len(), group.follows.len()))
            .collect();
        assert_eq!(shown, [(8, 0, 0), (6, 0, 3), (46, 0, 0), (25, 1, 0)]);
    }

    #[test]
    fn findings_that_follow_from_each_other_are_not_lost() {
        let span = |place| Some(Span::new(SourceId(0), place..place + 1));
        let diagnostics = vec![
            at(Severity::Error, 1, 1).following(span(2)),
            at(Severity::Error, 2, 2).following(span(1)),
        ];
        let count: usize = grouped(&diagnostics)
            .iter()
            .map(|group| 1 + group.same.len() + group.follows.len())
            .sum();
        assert_eq!(count, 2);
    }

    #[test]
    fn slips_are_found() {
        let known = ["Ship", "BackOrder", "ChargeCard"];
        assert_eq!(nearest("Shipp", known), Some("Ship"));
        assert_eq!(nearest("Backorder", known), Some("BackOrder"));
        assert_eq!(nearest("ChragecCard", known), Some("ChargeCard"));
        assert_eq!(nearest("Nothing", known), None);
        assert_eq!(nearest(&"x".repeat(300), ["x".repeat(299).as_str()]), None);
    }
}
