//! The content of a label in the drawing: a condition or a list of error names. It is stored in parts, so that parts
//! can be left out if there is little room. In the conditions of Choice rules, each path is shortened to its last
//! names: as many as distinguish it from the other paths.

use crate::definition::{Ask, Asked, Choice, Definition, Family, Term, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The content of a label: a condition or a list of error names, stored in parts so that parts can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// A text without parts, such as `default` or an expression.
    Text(String),
    /// One comparison of a variable with a value. If `sign` is empty, the variable is tested for truth. If all rules of
    /// the Choice test the same variable, `name` is empty.
    Is {
        /// The path of the variable, or only its last names: as many as distinguish it from the other paths of the
        /// Choice.
        name: String,
        /// The operator, such as `=` or `is not`; empty if the variable is tested for truth.
        sign: String,
        /// The value to compare with: a constant, a path, or a word such as `present`; empty if the variable is tested
        /// for truth.
        value: String,
    },
    /// A condition that is true if all of these conditions are true.
    All(Vec<Clause>),
    /// A condition that is true if at least one of these conditions is true.
    Any(Vec<Clause>),
    /// A condition that is true if this condition is false.
    Not(Box<Clause>),
    /// The names of the errors that a catcher catches.
    Names(Vec<String>),
}

impl Clause {
    /// Returns a comparison of the variable `name` with `value`; `sign` is the operator.
    #[must_use]
    pub fn is(name: &str, sign: &str, value: &str) -> Self {
        Self::Is {
            name: name.to_owned(),
            sign: sign.to_owned(),
            value: value.to_owned(),
        }
    }

    /// Returns the error names of a comma-separated list.
    #[must_use]
    pub fn names(text: &str) -> Self {
        let names = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        Self::Names(names.map(str::to_owned).collect())
    }

    /// Returns the negation of the condition. If the condition is an equality, its operator becomes `!=`.
    #[must_use]
    pub fn denied(self) -> Self {
        match self {
            Self::Is { name, sign, value } if sign == "=" => Self::Is {
                name,
                sign: "!=".to_owned(),
                value,
            },
            other => Self::Not(Box::new(other)),
        }
    }

    /// The complete text of the content, with no part left out.
    #[must_use]
    pub fn whole(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Is { name, sign, value } => {
                let parts = [name, sign, value]
                    .into_iter()
                    .filter(|part| !part.is_empty());
                parts.map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            Self::All(parts) => list(parts, "and"),
            Self::Any(parts) => list(parts, "or"),
            Self::Not(part) => format!("not {}", part.inside()),
            Self::Names(names) => names.join(", "),
        }
    }

    /// The text of the condition as a part of a longer condition: with parentheses if it is itself joined with `and` or
    /// `or`.
    pub(super) fn inside(&self) -> String {
        match self.is_list() {
            true => format!("({})", self.whole()),
            false => self.whole(),
        }
    }

    /// True if the condition consists of several conditions joined with `and` or `or`.
    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::All(parts) | Self::Any(parts) if parts.len() > 1)
    }

    /// The text of this condition in a list that is joined with `or`; `before` is the previous condition of the list.
    /// If both compare the same variable with `=` or `~`, the text is only the value.
    pub(super) fn after(&self, before: Option<&Self>) -> String {
        match (before, self) {
            (
                Some(Self::Is {
                    name: said,
                    sign: before,
                    ..
                }),
                Self::Is { name, sign, value },
            ) if said == name
                && before == sign
                && ["=", "~"].contains(&&**sign)
                && !name.is_empty() =>
            {
                value.clone()
            }
            _ => self.inside(),
        }
    }
}

/// The texts of the conditions, joined with `word`, which is `and` or `or`.
fn list(parts: &[Clause], word: &str) -> String {
    let said = (0..parts.len()).filter_map(|place| {
        let before = place.checked_sub(1).and_then(|before| parts.get(before));
        let part = parts.get(place)?;
        Some(match parts.len() {
            1 => part.whole(),
            _ => part.after(before.filter(|_| word == "or")),
        })
    });
    said.collect::<Vec<_>>().join(&format!(" {word} "))
}

/// Byte offsets at which the names in a path begin. The first name is the root, such as `$`.
fn segments(path: &str) -> Vec<usize> {
    let mut out = vec![0];
    let mut quote = None;
    for (at, c) in path.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '.') => out.push(at + 1),
            (None, '[') if at > 0 => out.push(at),
            _ => {}
        }
    }
    out
}

/// The last `names` names of a path; the whole path if it has fewer names.
pub(super) fn tail(path: &str, names: usize) -> &str {
    let all = segments(path);
    let begin = all.len().checked_sub(names).and_then(|at| all.get(at));
    begin.and_then(|at| path.get(*at..)).unwrap_or(path)
}

/// Number of names at the end of a path that are enough for a reader: together, they have more than two characters and
/// do not begin with an index. A path of at most 9 characters keeps all of its names.
pub(super) fn telling(path: &str) -> usize {
    let most = segments(path).len();
    if path.chars().count() <= 9 {
        return most;
    }
    let says = |names: &usize| {
        let text = tail(path, *names);
        !text.starts_with('[') && text.chars().count() > 2
    };
    (1..=most).find(says).unwrap_or(most)
}

/// Number of names in a path, including its root.
pub(super) fn count(path: &str) -> usize {
    segments(path).len()
}

/// The labels of the rules of a Choice, in the order of the rules.
pub(super) fn rule_labels(choice: &Choice, definition: &Definition) -> Vec<Clause> {
    let asked: Vec<Asked<'_>> = (choice.rules.iter())
        .map(|rule| Asked::of(&rule.test))
        .collect();
    let names = Names::of(&asked);
    let rules = (0_u32..).zip(asked.iter().zip(&choice.rules));
    let mut out: Vec<Clause> = rules
        .map(|(index, (asked, rule))| {
            let label = names.say(asked);
            label.unwrap_or_else(|| Clause::Text(definition.rule_name(Some(rule.span), index)))
        })
        .collect();
    omit_same(&mut out);
    out
}

/// If every rule compares the value of the same variable, removes the variable's name from all rules.
fn omit_same(rules: &mut [Clause]) {
    let name = |rule: &Clause| match rule {
        Clause::Is { name, sign, .. } if !sign.is_empty() => Some(name.clone()),
        // Without the name, a rule that tests a variable for truth would have no text.
        _ => None,
    };
    let Some(first) = rules.first().and_then(name) else {
        return;
    };
    if rules.len() > 1 && rules.iter().all(|rule| name(rule).as_ref() == Some(&first)) {
        for rule in rules {
            if let Clause::Is { name, .. } = rule {
                name.clear();
            }
        }
    }
}

/// The short name of each path in the rules of a Choice.
struct Names(BTreeMap<String, String>);

impl Names {
    /// Shortens each path to as few of its last names as possible. No other path in the rules may end with these names.
    fn of(rules: &[Asked<'_>]) -> Self {
        let mut paths = BTreeSet::new();
        for rule in rules {
            rule.each(true, &mut |part, _| {
                let is_named = !matches!(part.ask, Ask::Present(Term::Node(..), _));
                let named = part.ask.terms().filter(|term| is_named && term.is_path());
                paths.extend(named.map(Term::text));
            });
        }
        let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
        for path in &paths {
            for names in 1..=count(path) {
                *ends.entry(tail(path, names)).or_default() += 1;
            }
        }
        let short = |path: &String| {
            let ends_of_path = (telling(path)..count(path)).map(|names| tail(path, names));
            let mut ends_of_path =
                ends_of_path.filter(|end| ends.get(end).is_some_and(|paths| *paths == 1));
            ends_of_path.next().unwrap_or(path).to_owned()
        };
        Self(
            paths
                .iter()
                .map(|path| (path.clone(), short(path)))
                .collect(),
        )
    }

    fn name(&self, term: &Term<'_>) -> String {
        let text = term.text();
        match term.is_path() {
            true => self.0.get(&text).cloned().unwrap_or(text),
            false => text,
        }
    }

    /// The label content for a condition; `None` if a part of the condition cannot be described.
    fn say(&self, asked: &Asked<'_>) -> Option<Clause> {
        let all = |parts: &[Asked<'_>]| -> Option<Vec<Clause>> {
            let all: Option<Vec<_>> = parts.iter().map(|part| self.say(part)).collect();
            all.filter(|all| !all.is_empty())
        };
        Some(match &asked.ask {
            Ask::All(parts) => Clause::All(all(parts)?),
            Ask::Any(parts) => Clause::Any(all(parts)?),
            Ask::Not(part) => self.say(part)?.denied(),
            Ask::Always(truth) => Clause::Text(truth.to_string()),
            Ask::Present(term @ Term::Node(..), _) => {
                Clause::Text(format!("$exists({})", term.text()))
            }
            Ask::Present(term, flag) => self.is(term, "present", *flag),
            Ask::Is(term, kind, flag) => {
                let kind = match kind {
                    Type::Null => "null",
                    Type::Number => "number",
                    Type::Text => "string",
                    Type::Flag => "boolean",
                    Type::Time => "timestamp",
                };
                self.is(term, kind, *flag)
            }
            Ask::Matches(term, pattern) => Clause::is(&self.name(term), "~", &pattern.text()),
            Ask::Truth(term) => match term.is_path() {
                true => Clause::is(&self.name(term), "", ""),
                false => Clause::Text(Some(term.text()).filter(|text| !text.is_empty())?),
            },
            Ask::Compare {
                left,
                relation,
                right,
                family,
            } => {
                let flag = right.literal().filter(|_| *family == Family::Flag);
                match flag.and_then(|value| value.as_bool()) {
                    Some(true) => Clause::is(&self.name(left), "", ""),
                    Some(false) => Clause::is(&self.name(left), "", "").denied(),
                    None => Clause::is(&self.name(left), relation.sign(), &self.name(right)),
                }
            }
            Ask::Unread => return None,
        })
    }

    fn is(&self, term: &Term<'_>, what: &str, flag: bool) -> Clause {
        let verb = if flag { "is" } else { "is not" };
        Clause::is(&self.name(term), verb, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_names() {
        assert_eq!(tail("$.a['b.c'].d", 2), "['b.c'].d");
        assert_eq!(telling("$.QualityResults[0]['check_status']"), 3);
        assert_eq!(telling("$.execution.status.S"), 2);
    }
}
