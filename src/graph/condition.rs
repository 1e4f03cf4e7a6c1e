//! Labels of Choice rules: conditions as comparisons, with paths shortened to as few names as distinguish them.

use super::clause::{Clause, count, tail, telling};
use crate::definition::{Ask, Asked, Choice, Definition, Family, Term, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The labels of the rules, in order.
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

/// Omits the name if all rules compare the same one.
fn omit_same(rules: &mut [Clause]) {
    let name = |rule: &Clause| match rule {
        Clause::Is { name, sign, .. } if !sign.is_empty() => Some(name.clone()),
        // A name tested for truth would leave nothing if omitted.
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

/// Short names for the paths in a Choice's rules.
struct Names(BTreeMap<String, String>);

impl Names {
    /// Shortens each path to as many last names as no other path among the rules ends with.
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
            let own = (telling(path)..count(path)).map(|names| tail(path, names));
            let mut own = own.filter(|end| ends.get(end).is_some_and(|paths| *paths == 1));
            own.next().unwrap_or(path).to_owned()
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

    /// The clause for a condition; `None` if no part of the condition can be described.
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
