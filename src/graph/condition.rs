//! The label of a Choice rule: its test in comparisons, paths by as many of their names as tells them apart.
//!
//! It must not know the other lines of a drawing, nor how much room there is.

use super::clause::Clause;
use super::expression::{count, is_path, tail, telling};
use crate::definition::{Choice, Comparator, Comparison, Operand, Relation, Test};
use crate::json::{Value, one_line};
use std::collections::{BTreeMap, BTreeSet};

/// The labels of the rules in order.
pub(super) fn rule_labels(choice: &Choice) -> Vec<Clause> {
    let rules = choice.rules.iter().enumerate();
    let mut out: Vec<Clause> = rules
        .map(|(index, rule)| {
            say(&rule.test, 0).unwrap_or_else(|| Clause::Text(format!("rule {index}")))
        })
        .collect();
    tell_apart(&mut out);
    omit_same(&mut out);
    out
}

/// Where all rules compare the same, its name is omitted.
fn omit_same(rules: &mut [Clause]) {
    let name = |rule: &Clause| match rule {
        Clause::Is { name, sign, .. } if !sign.is_empty() => Some(name.clone()),
        // What is asked for its truth would not be told without its name.
        _ => None,
    };
    let Some(first) = rules.first().and_then(name) else {
        return;
    };
    if rules.len() > 1 && rules.iter().all(|rule| name(rule).as_ref() == Some(&first)) {
        for rule in rules {
            rule.each(&mut |name, _| name.clear());
        }
    }
}

/// Names paths by their last names, as many as no other path among the rules ends with.
fn tell_apart(rules: &mut [Clause]) {
    let mut paths = BTreeSet::new();
    for rule in rules.iter_mut() {
        rule.each(&mut |name, value| {
            for side in [name, value] {
                if is_path(side) {
                    paths.insert(side.clone());
                }
            }
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
    let short: BTreeMap<&String, String> = paths.iter().map(|path| (path, short(path))).collect();
    for rule in rules {
        rule.each(&mut |name, value| {
            for side in [name, value] {
                if let Some(short) = short.get(side) {
                    side.clone_from(short);
                }
            }
        });
    }
}

/// Lists deeper inside of others are told as one.
const DEEPEST: usize = 4;

/// The parts of a test; `None` if it has none that can be told.
fn say(test: &Test, depth: usize) -> Option<Clause> {
    let all = |tests: &[Test]| -> Option<Vec<Clause>> {
        let all = tests.iter().map(|test| say(test, depth + 1));
        all.collect::<Option<Vec<_>>>()
            .filter(|all| !all.is_empty())
    };
    match test {
        Test::Compare(comparison) => Some(say_comparison(comparison)),
        Test::And(tests) if depth < DEEPEST => Some(Clause::All(all(tests)?)),
        Test::Or(tests) if depth < DEEPEST => Some(Clause::Any(all(tests)?)),
        Test::Not(test) if depth < DEEPEST => Some(say(test, depth + 1)?.denied()),
        Test::Condition(expression) => {
            Some(Clause::read(&expression.text)).filter(|clause| !clause.whole().is_empty())
        }
        Test::Always(truth) => Some(Clause::Text(truth.to_string())),
        _ => None,
    }
}

fn say_comparison(comparison: &Comparison) -> Clause {
    let name = comparison.variable.text().to_string();
    let value = match &comparison.operand {
        Operand::Constant(value) => one_line(value),
        Operand::Path(path) => path.text().to_string(),
        Operand::Pattern(text, _) => format!("\"{text}\""),
    };
    let truth = match &comparison.operand {
        Operand::Constant(Value::Bool(flag)) => Some(*flag),
        _ => None,
    };
    let clause = |sign: &str, value: String| Clause::Is {
        name: name.clone(),
        sign: sign.to_owned(),
        value,
    };
    let is = |word: &str| {
        let verb = if truth == Some(false) { "is not" } else { "is" };
        clause(verb, word.to_owned())
    };
    match comparison.comparator {
        Comparator::String(relation)
        | Comparator::Numeric(relation)
        | Comparator::Timestamp(relation) => {
            let sign = match relation {
                Relation::Equals => "=",
                Relation::LessThan => "<",
                Relation::GreaterThan => ">",
                Relation::LessThanEquals => "<=",
                Relation::GreaterThanEquals => ">=",
            };
            clause(sign, value)
        }
        Comparator::BooleanEquals => match truth {
            Some(true) => clause("", String::new()),
            Some(false) => clause("", String::new()).denied(),
            None => clause("=", value),
        },
        Comparator::StringMatches => clause("~", value),
        Comparator::IsNull => is("null"),
        Comparator::IsPresent => is("present"),
        Comparator::IsNumeric => is("number"),
        Comparator::IsString => is("string"),
        Comparator::IsBoolean => is("boolean"),
        Comparator::IsTimestamp => is("timestamp"),
    }
}
