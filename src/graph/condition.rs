//! The label of a Choice rule: its test in a few words.
//!
//! It must not know the other lines of a drawing, nor how much room there is.

use super::wording::width;
use crate::definition::{Choice, Comparator, Comparison, Operand, Relation, Test};
use crate::json::{Value, one_line};

/// Tests of more cells than this are told by a part of them.
const LONGEST: i32 = 40;

/// How variables are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    /// Not at all: every rule tests the same.
    Left,
    /// By the end of their path.
    Short,
    /// By their path.
    Whole,
}

/// The labels of the rules in order.
pub(super) fn rule_labels(choice: &Choice) -> Vec<String> {
    let short = if same_variable(choice) {
        Names::Left
    } else {
        Names::Short
    };
    let label = |index: usize, test: &Test, names| {
        say(test, names, 0).unwrap_or_else(|| format!("rule {index}"))
    };
    let labels: Vec<String> = (choice.rules.iter().enumerate())
        .map(|(index, rule)| label(index, &rule.test, short))
        .collect();
    let twice = |text: &String| labels.iter().filter(|other| *other == text).count() > 1;
    // Paths that end alike are written in full.
    (choice.rules.iter().zip(&labels).enumerate())
        .map(
            |(index, (rule, text))| match choice.rules.len() < 200 && twice(text) {
                true => label(index, &rule.test, Names::Whole),
                false => text.clone(),
            },
        )
        .collect()
}

/// Whether all rules test the same variable, so that its name can be omitted.
fn same_variable(choice: &Choice) -> bool {
    let mut names = choice.rules.iter().map(|rule| match &rule.test {
        Test::Compare(comparison) => Some(comparison.variable.text()),
        _ => None,
    });
    match names.next() {
        Some(Some(first)) => choice.rules.len() > 1 && names.all(|name| name == Some(first)),
        _ => false,
    }
}

/// A short form of a test; `None` if it has none.
fn say(test: &Test, names: Names, depth: usize) -> Option<String> {
    let inner = match names {
        Names::Left => Names::Short,
        names => names,
    };
    let list = |tests: &[Test], sign: &str, word: &str| {
        let first = say(tests.first()?, inner, depth + 1)?;
        let all: Option<Vec<String>> = (tests.iter().take(4))
            .map(|test| say(test, inner, depth + 1))
            .collect();
        let all = all.filter(|all| depth == 0 && all.len() == tests.len());
        let joined = all.map(|all| all.join(sign));
        let short = joined.filter(|joined| width(joined) <= LONGEST);
        Some(short.unwrap_or_else(|| match tests.len() {
            1 => first,
            count => format!("{first} {word} {} more", count - 1),
        }))
    };
    match test {
        Test::Compare(comparison) => say_comparison(comparison, names),
        Test::And(tests) if depth < 2 => list(tests, " & ", "and"),
        Test::Or(tests) if depth < 2 => list(tests, " | ", "or"),
        Test::Not(test) if depth < 2 => Some(match say(test, inner, depth + 1)? {
            text if matches!(**test, Test::And(_) | Test::Or(_)) => format!("not ({text})"),
            text => format!("not {text}"),
        }),
        Test::Condition(expression) => {
            let text = expression
                .text
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            Some(text).filter(|text| width(text) <= LONGEST && !text.is_empty())
        }
        Test::Always(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// A path, or its last name if it is long; the last two where the last says little.
fn short_path(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((before, last)) if path.chars().count() > 9 && !last.is_empty() => {
            let more = before.rsplit_once('.').map_or(0, |(_, own)| own.len() + 1);
            let from = before.len() + 1 - if last.len() < 3 { more } else { 0 };
            path.get(from..).unwrap_or(last)
        }
        _ => path,
    }
}

fn say_comparison(comparison: &Comparison, names: Names) -> Option<String> {
    let same = names == Names::Left;
    let shown = |path| match names {
        Names::Whole => path,
        _ => short_path(path),
    };
    let name = match names {
        Names::Left => "",
        _ => shown(comparison.variable.text()),
    };
    let value = match &comparison.operand {
        Operand::Constant(value) => one_line(value),
        Operand::Path(path) => shown(path.text()).to_string(),
        Operand::Pattern(text, _) => format!("\"{text}\""),
    };
    let truth = match &comparison.operand {
        Operand::Constant(Value::Bool(flag)) => Some(*flag),
        _ => None,
    };
    let is = |word: &str| {
        let verb = if truth == Some(false) { "is not" } else { "is" };
        format!("{name} {verb} {word}")
    };
    let text = match comparison.comparator {
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
            format!("{name} {sign} {value}")
        }
        Comparator::BooleanEquals if !same => match truth {
            Some(true) => name.to_string(),
            Some(false) => format!("not {name}"),
            None => format!("{name} = {value}"),
        },
        Comparator::BooleanEquals => format!("= {value}"),
        Comparator::StringMatches => format!("{name} ~ {value}"),
        Comparator::IsNull => is("null"),
        Comparator::IsPresent => is("present"),
        Comparator::IsNumeric => is("number"),
        Comparator::IsString => is("string"),
        Comparator::IsBoolean => is("boolean"),
        Comparator::IsTimestamp => is("timestamp"),
    };
    Some(text.trim().to_string()).filter(|text| !text.is_empty())
}
