//! Shortens the labels of the lines that leave one box. No two of these lines ever show the same text.
//!
//! The possible texts of a label are its forms: the complete text, and shorter texts. The label shows the first of its
//! forms for which there is room. In order of preference, the forms are:
//!
//! 1. the complete text, with a path shortened to as many names as distinguish it from the other paths of the Choice;
//! 2. the text with each nested list replaced by its number of parts: `a and (any of 2)`;
//! 3. fewer comparisons, rules or errors, with the number of hidden ones: `a and +2 more`;
//! 4. a single comparison with only its last name, without a name, or without its constant: `….status = "OPEN"`,
//!    `… = "OPEN"`, `status = …`;
//! 5. only the number of parts of a list: `any of 3`; or the beginning of an expression, up to an operator or bracket
//!    outside of quotes;
//! 6. the source lines of the rules or catchers: `lines 12, 20, default`; or their indices if several are in one line.
//!
//! So an error name or a constant is never cut, `and` never reads as `or`, and every omission is visible. A form that
//! could also be the form of another line is not used.
//!
//! Labels are shortened only after other ways to get room: free columns of the pane, room on the line instead of beside
//! it, names of boxes in several lines. Once all labels have a position, shortened labels get the space that is left.

use super::clause::{Clause, count, tail};
use super::frame::width;
use super::model::{EdgeKind, Glyphs};
use crate::json::visible;
use std::collections::{BTreeMap, BTreeSet};

/// The content of the label of one line in the drawing. Several transitions between the same two boxes share one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The label contents of the transitions that share the line, without duplicates.
    pub(super) clauses: Vec<Clause>,
    /// The kinds of the transitions that share the line.
    pub(super) kinds: Vec<EdgeKind>,
    /// The source lines of the rules or catchers; empty if two of them begin in the same source line.
    pub(super) lines: Vec<u32>,
}

impl Said {
    /// The possible texts (forms) of the label, in order of preference.
    fn forms(&self, glyphs: Glyphs) -> Vec<String> {
        let dots = if glyphs == Glyphs::Ascii { ".." } else { "…" };
        let mut out = match self.clauses.as_slice() {
            [] => return Vec::new(),
            [clause] => clause.forms(dots),
            several if self.catches() => names_of(several).forms(dots),
            several => alternatives(several),
        };
        for form in &mut out {
            if let std::borrow::Cow::Owned(safe) = visible(form) {
                *form = safe;
            }
        }
        out.push(self.numbered(glyphs));
        out
    }

    /// True if `form`, a text of the label, says only how many parts there are, such as `any of 3`, or in which lines
    /// they are: `lines 12, 20`. Texts like these are the last in the list of forms.
    pub(super) fn is_number(&self, form: &str) -> bool {
        let is_list = self.clauses.len() == 1 && self.clauses.iter().all(Clause::is_list);
        form == self.numbered(Glyphs::Unicode)
            || form == self.numbered(Glyphs::Ascii)
            || (is_list && self.clauses.iter().any(|clause| clause.number() == form))
    }

    fn catches(&self) -> bool {
        !self.kinds.is_empty() && self.kinds.iter().all(|kind| kind.is_catch())
    }

    /// The form of the label that gives only the source lines of the rules or catchers: `lines 12, 20, default`. If the
    /// lines are not distinct, gives the indices of the rules or catchers instead: `rules 0, 2`.
    fn numbered(&self, glyphs: Glyphs) -> String {
        let index = |kind: &EdgeKind| match kind {
            EdgeKind::Rule(index) | EdgeKind::Catch(index) => Some(*index),
            _ => None,
        };
        let (mut numbers, [singular, several]) = match (self.lines.is_empty(), self.catches()) {
            (false, _) => (self.lines.clone(), ["line", "lines"]),
            (true, is_catch) => {
                let words = match is_catch {
                    true => ["catch", "catches"],
                    false => ["rule", "rules"],
                };
                (self.kinds.iter().filter_map(index).collect(), words)
            }
        };
        numbers.sort_unstable();
        let mut parts = match numbers.as_slice() {
            [] => Vec::new(),
            [number] => vec![format!("{singular} {number}")],
            _ => vec![format!("{several} {}", runs(&numbers, glyphs))],
        };
        if self.kinds.contains(&EdgeKind::Default) {
            parts.push(DEFAULT.to_owned());
        }
        parts.join(", ")
    }
}

/// Writes ascending numbers as ranges: `0–2, 5`.
fn runs(numbers: &[u32], glyphs: Glyphs) -> String {
    let dash = if glyphs == Glyphs::Ascii { "-" } else { "–" };
    let mut out: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => out.push((*number, *number)),
        }
    }
    let written = out.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}{dash}{last}"),
    });
    written.collect::<Vec<_>>().join(", ")
}

/// Keeps each form of a label that is not empty and is narrower than all forms before it.
fn narrower(forms: Vec<String>) -> Vec<String> {
    let mut least = i32::MAX;
    let is_narrower = |form: &String| {
        let form_width = width(form);
        let is_narrower = form_width < least && form_width > 0;
        if is_narrower {
            least = form_width;
        }
        is_narrower
    };
    forms.into_iter().filter(is_narrower).collect()
}

/// The forms (possible texts) of the labels of all lines that leave one box. Every line with a clause gets at least one
/// form. No two lines have a form in common, so each label can be shortened independently of the others.
pub(super) fn told_apart(said: &[Said], glyphs: Glyphs) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = said.iter().map(|said| said.forms(glyphs)).collect();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut wholes: Vec<String> = Vec::new();
    for forms in &all {
        wholes.extend(forms.first().cloned());
        let distinct: BTreeSet<&String> = forms.iter().collect();
        for form in distinct {
            *times.entry(form.clone()).or_default() += 1;
        }
    }
    wholes.sort_unstable();
    // For a form that is cut at its end, returns the number of complete labels that begin with its text, at most 2.
    let begins = |form: &str| {
        let head = form.strip_suffix('…').or_else(|| form.strip_suffix(".."));
        head.map_or(1, |head| {
            let first = wholes.partition_point(|whole| whole.as_str() < head);
            let candidates = wholes.iter().skip(first);
            candidates
                .take(2)
                .take_while(|whole| whole.starts_with(head))
                .count()
        })
    };
    for (said, forms) in said.iter().zip(&mut all) {
        if forms.is_empty() {
            continue;
        }
        let numbered = said.numbered(glyphs);
        forms.retain(|form| {
            *form == numbered
                || (times.get(form).is_none_or(|times| *times < 2) && begins(form) < 2)
        });
        if forms.is_empty() && !numbered.is_empty() {
            forms.push(numbered);
        }
        *forms = narrower(std::mem::take(forms));
    }
    all
}

/// Joins the error names of several catchers into one list.
fn names_of(clauses: &[Clause]) -> Clause {
    let mut out: Vec<String> = Vec::new();
    for clause in clauses {
        match clause {
            Clause::Names(names) => out.extend(names.iter().cloned()),
            other => out.push(other.whole()),
        }
    }
    Clause::Names(out)
}

/// Maximum number of conditions or error names that a label shows of a list, if it does not show all of them.
const MOST: usize = 8;

/// The possible label texts of several rules that lead to the same state, joined with `or`, the complete text first.
/// `default` comes last.
fn alternatives(clauses: &[Clause]) -> Vec<String> {
    let is_default = |clause: &&Clause| matches!(clause, Clause::Text(text) if text == DEFAULT);
    let rules: Vec<&Clause> = clauses
        .iter()
        .filter(|clause| !is_default(clause))
        .collect();
    let default = clauses.iter().any(|clause| is_default(&clause));
    let joined = |shown: usize, said: &dyn Fn(&Clause, Option<&Clause>) -> String| {
        let mut parts = Vec::new();
        let mut before = None;
        for rule in rules.iter().take(shown) {
            parts.push(said(rule, before));
            before = Some(rule);
        }
        match rules.len() - shown.min(rules.len()) {
            0 => {}
            hidden => parts.push(format!("+{hidden} more")),
        }
        if default {
            parts.push(DEFAULT.to_owned());
        }
        parts.join(", or ")
    };
    let whole = |rule: &Clause, before: Option<&Clause>| match rule.is_list() {
        true => rule.whole(),
        false => rule.after(before),
    };
    let mut out = vec![joined(rules.len(), &whole)];
    out.push(joined(rules.len(), &|rule, before| match rule.is_list() {
        true => rule.flat(),
        false => rule.after(before),
    }));
    for shown in (1..rules.len().min(MOST + 1)).rev() {
        out.push(joined(shown, &whole));
    }
    out
}

/// Label of a Choice's `Default`.
const DEFAULT: &str = "default";

impl Clause {
    /// The possible label texts of the clause, in order of preference. No text cuts a name or a constant.
    fn forms(&self, dots: &str) -> Vec<String> {
        let mut out = vec![self.whole()];
        match self {
            Self::Text(text) => out.extend(beginnings(text, dots)),
            Self::Is { name, sign, value } => out.extend(comparison(name, sign, value, dots)),
            Self::Not(part) if part.is_list() => out.push(format!("not ({})", part.number())),
            Self::Not(part) => {
                out.extend(
                    part.forms(dots)
                        .into_iter()
                        .map(|form| format!("not {form}")),
                );
            }
            Self::Names(names) => {
                let most = names.len().min(MOST + 1);
                for shown in (1..most).rev() {
                    let shown_names = names.get(..shown).unwrap_or_default().join(", ");
                    let hidden = names.len() - shown;
                    out.push(format!("{shown_names}, +{hidden} more"));
                    out.push(format!("{shown_names}, +{hidden}"));
                }
            }
            Self::All(parts) => self.list_forms(parts, "and", dots, &mut out),
            Self::Any(parts) => self.list_forms(parts, "or", dots, &mut out),
        }
        out
    }

    fn list_forms(&self, parts: &[Self], word: &str, dots: &str, out: &mut Vec<String>) {
        if let [part] = parts {
            out.extend(part.forms(dots));
            return;
        }
        out.push(self.flat());
        for shown in (1..parts.len().min(MOST + 1)).rev() {
            let before = |place: usize| place.checked_sub(1).and_then(|before| parts.get(before));
            let shown_parts = parts
                .iter()
                .take(shown)
                .enumerate()
                .map(|(place, part)| match part.is_list() {
                    true => format!("({})", part.number()),
                    false => part.after(before(place).filter(|_| word == "or")),
                });
            let shown_parts = shown_parts.collect::<Vec<_>>().join(&format!(" {word} "));
            out.push(format!(
                "{shown_parts} {word} +{} more",
                parts.len() - shown
            ));
        }
        // The labels of other lines may begin with the same parts; then only the last part distinguishes the lines.
        if let Some(last) = parts.last().filter(|last| !last.is_list()) {
            out.push(format!("+{} more {word} {}", parts.len() - 1, last.whole()));
        }
        out.push(self.number());
    }

    /// The text of a list in which each inner list is replaced by its number of parts: `a and (any of 2)`.
    fn flat(&self) -> String {
        let (parts, word) = match self {
            Self::All(parts) => (parts, "and"),
            Self::Any(parts) => (parts, "or"),
            other => return other.whole(),
        };
        let mut before = None;
        let mut written = Vec::new();
        for part in parts {
            written.push(match part.is_list() {
                true => format!("({})", part.number()),
                false => part.after(before.filter(|_| word == "or")),
            });
            before = Some(part);
        }
        written.join(&format!(" {word} "))
    }

    /// The number of parts of a list: `any of 3` or `all of 3`.
    fn number(&self) -> String {
        match self {
            Self::All(parts) => format!("all of {}", parts.len()),
            Self::Any(parts) => format!("any of {}", parts.len()),
            other => other.whole(),
        }
    }
}

/// A constant of at most this width, in cells, is never left out of a label.
const LONG: i32 = 12;

/// Shorter forms of a comparison: with fewer names of the path, without the path, or without the constant if it is
/// long.
fn comparison(name: &str, sign: &str, value: &str, dots: &str) -> Vec<String> {
    let mut out = Vec::new();
    let names = count(name);
    for kept in (1..names).rev() {
        let name_end = tail(name, kept);
        if !name_end.starts_with('[') {
            let joined = [name_end, sign, value]
                .into_iter()
                .filter(|part| !part.is_empty());
            out.push(format!("{dots}.{}", joined.collect::<Vec<_>>().join(" ")));
        }
    }
    if !sign.is_empty() && !name.is_empty() {
        out.push(format!("{dots} {sign} {value}"));
    }
    let is_sign = !sign.is_empty() && !sign.starts_with("is");
    if is_sign && !name.is_empty() {
        out.push(format!("{sign} {value}"));
    }
    if is_sign && width(value) > LONG {
        let left = [name, sign, dots]
            .into_iter()
            .filter(|part| !part.is_empty());
        out.push(left.collect::<Vec<_>>().join(" "));
    }
    out
}

/// Minimum width, in cells, of the beginning of an expression that a label shows.
const BEGINNING: i32 = 10;
/// Maximum number of label texts that show only the beginning of an expression.
const BEGINNINGS: usize = 12;

/// The beginnings of an expression that can replace it in a label, longest first. Each ends after a blank, bracket or
/// comma outside of quotes.
fn beginnings(text: &str, dots: &str) -> Vec<String> {
    let mut quote = None;
    let mut ends = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, ' ' | '(' | '[' | '{' | ',') => ends.push(at + c.len_utf8()),
            _ => {}
        }
    }
    let heads = ends.iter().rev().filter_map(|end| text.get(..*end));
    let long = heads.filter(|head| width(head) >= BEGINNING && width(head) < WIDE);
    long.take(BEGINNINGS)
        .map(|head| format!("{head}{dots}"))
        .collect()
}

/// Every beginning of an expression that a label shows is narrower than this width, in cells; the ellipsis does not
/// count.
const WIDE: i32 = 72;

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a clause from a text such as `a = 1 or b and c`. Parentheses are not supported.
    fn clause(text: &str) -> Clause {
        let parts = |word: &str| text.split(word).map(clause).collect();
        if text.contains(" or ") {
            return Clause::Any(parts(" or "));
        }
        if text.contains(" and ") {
            return Clause::All(parts(" and "));
        }
        let mut words = text.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default();
        match (word(), word(), word()) {
            ("=", value, _) => Clause::is("", "=", value),
            (name, sign @ ("=" | ">" | ">="), value) => Clause::is(name, sign, value),
            _ => Clause::Text(text.to_owned()),
        }
    }

    fn said(texts: &[&str]) -> Vec<Said> {
        let rule = |(index, text): (u32, &&str)| match *text {
            DEFAULT => (Clause::Text(DEFAULT.into()), EdgeKind::Default),
            text => (clause(text), EdgeKind::Rule(index)),
        };
        (0u32..).zip(texts).map(rule).map(alone).collect()
    }

    fn alone((clause, kind): (Clause, EdgeKind)) -> Said {
        Said {
            clauses: vec![clause],
            kinds: vec![kind],
            lines: Vec::new(),
        }
    }

    /// Checks the texts that the labels show if each may be at most `most` cells wide.
    fn check(said: &[Said], most: i32, expected: &[&str]) {
        let made = told_apart(said, Glyphs::Unicode);
        let shown: Vec<&str> = (made.iter())
            .map(|forms| {
                let fits = forms.iter().find(|form| width(form) <= most);
                fits.or(forms.last()).map_or("", String::as_str)
            })
            .collect();
        assert_eq!(shown, expected, "{said:?} in {most}");
    }

    #[test]
    fn siblings_never_read_the_same() {
        let same = said(&["= \"ACTIVE\"", "= \"ABSENT\"", "default"]);
        check(&same, 24, &["= \"ACTIVE\"", "= \"ABSENT\"", "default"]);
        check(&same, 4, &["rule 0", "rule 1", "default"]);
        let other = said(&["status = \"ACTIVE\"", "status = \"ABSENT\""]);
        check(&other, 12, &["… = \"ACTIVE\"", "… = \"ABSENT\""]);
        check(&other, 10, &["= \"ACTIVE\"", "= \"ABSENT\""]);
        let paths = said(&["a.status = \"ACTIVE\"", "b.status = \"ACTIVE\""]);
        check(&paths, 16, &["rule 0", "rule 1"]);
        check(
            &said(&["a = 1", "a = 1", "b"]),
            20,
            &["rule 0", "rule 1", "b"],
        );
        let heads = said(&["$contains($a, \"x\")", "$contains($a, \"y\")"]);
        check(&heads, 17, &["rule 0", "rule 1"]);
    }

    #[test]
    fn lists_are_cut_between_their_parts() {
        let parts = [
            clause("score >= 560"),
            clause("vip or $age > 30"),
            clause("paid = \"in full\""),
        ];
        let listed = [alone((Clause::All(parts.into()), EdgeKind::Rule(0)))];
        for (most, expected) in [
            (
                60,
                "score >= 560 and (vip or $age > 30) and paid = \"in full\"",
            ),
            (54, "score >= 560 and (any of 2) and paid = \"in full\""),
            (40, "score >= 560 and (any of 2) and +1 more"),
            (30, "score >= 560 and +2 more"),
            (20, "all of 3"),
            (7, "rule 0"),
        ] {
            check(&listed, most, &[expected]);
        }
        let any = said(&["status = \"FAILED\" or status = \"ABORTED\""]);
        check(&any, 40, &["status = \"FAILED\" or \"ABORTED\""]);
    }

    #[test]
    fn rules_to_one_state_are_alternatives() {
        let texts = ["vip", "$total > 100 and $paid", "default"];
        let all = said(&texts);
        let merged = Said {
            clauses: all.iter().flat_map(|said| said.clauses.clone()).collect(),
            kinds: all.iter().flat_map(|said| said.kinds.clone()).collect(),
            lines: Vec::new(),
        };
        for (most, expected) in [
            (50, "vip, or $total > 100 and $paid, or default"),
            (28, "vip, or +1 more, or default"),
            (20, "rules 0, 1, default"),
        ] {
            check(std::slice::from_ref(&merged), most + 1, &[expected]);
        }
        let lines = Said {
            lines: vec![12, 20],
            ..merged
        };
        check(&[lines], 21, &["lines 12, 20, default"]);
        assert_eq!(runs(&[0, 1, 2, 5], Glyphs::Ascii), "0-2, 5");
    }

    #[test]
    fn catchers_name_what_they_catch() {
        let of = |texts: &[&str], kinds: &[u32]| Said {
            clauses: texts.iter().map(|text| Clause::names(text)).collect(),
            kinds: kinds.iter().copied().map(EdgeKind::Catch).collect(),
            lines: Vec::new(),
        };
        let both = of(&["Payment.Declined", "Hotel.Full, TaskFailed"], &[0, 1]);
        for (most, expected) in [
            (40, "Payment.Declined, Hotel.Full, TaskFailed"),
            (39, "Payment.Declined, Hotel.Full, +1 more"),
            (30, "Payment.Declined, +2 more"),
            (20, "Payment.Declined, +2"),
            (16, "catches 0, 1"),
        ] {
            check(
                &[both.clone(), of(&["ALL"], &[2])],
                most,
                &[expected, "ALL"],
            );
        }
        let same = [of(&["Timeout, A"], &[0]), of(&["Timeout, B"], &[1])];
        check(&same, 9, &["catch 0", "catch 1"]);
    }
}
