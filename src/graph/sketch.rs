//! What a drawing shows of a definition: states, links and scopes.
//!
//! It must not know positions on the screen.

use super::model::{BoxType, EdgeKind};
use crate::definition::{
    Choice, Comparator, Comparison, Definition, Operand, Relation, State, StateId, StateKind,
    Target, Test, Transition,
};
use crate::json::{Value, one_line};

/// A machine, reduced to what a drawing needs. State ids are indices of `states`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Every scope, an outer one before its inner ones; the first is the machine's own.
    pub scopes: Vec<SketchScope>,
    /// Every state.
    pub states: Vec<SketchState>,
}

/// The states of one scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchScope {
    /// The first state.
    pub start: Option<StateId>,
    /// Its states.
    pub states: Vec<StateId>,
}

/// One state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchState {
    /// Name as written, or a description of a generated state of a compiled program.
    pub name: String,
    /// Its type.
    pub kind: BoxType,
    /// Total number of retries its retriers allow; `None` without `Retry`.
    pub retries: Option<u64>,
    /// Its successors, the usual one first.
    pub links: Vec<Link>,
    /// The scopes inside, as indices of [`Sketch::scopes`].
    pub scopes: Vec<usize>,
}

/// One transition from a state to a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The next state; `None` for the end.
    pub to: Option<StateId>,
    /// Why it is taken.
    pub kind: EdgeKind,
    /// Its label, not yet cut.
    pub label: Option<String>,
}

impl Sketch {
    /// What is drawn of `definition`.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let scopes = definition.scopes.iter().map(|scope| SketchScope {
            start: scope.start_at.as_ref().and_then(|target| target.state),
            states: scope.states.clone(),
        });
        let states = definition.states.iter().map(|state| SketchState {
            name: state.label().into_owned(),
            kind: kind(state),
            retries: (!state.retry.is_empty()).then(|| {
                let sum = |sum: u64, attempts: u64| sum.saturating_add(attempts);
                state.retry.iter().map(|r| r.max_attempts).fold(0, sum)
            }),
            links: links(state),
            scopes: state.inner().iter().map(|id| id.0 as usize).collect(),
        });
        Self {
            scopes: scopes.collect(),
            states: states.collect(),
        }
    }

    /// A state.
    #[must_use]
    pub fn state(&self, id: StateId) -> Option<&SketchState> {
        self.states.get(id.0 as usize)
    }
}

fn kind(state: &State) -> BoxType {
    match state.kind {
        StateKind::Pass { .. } => BoxType::Pass,
        StateKind::Task(_) => BoxType::Task,
        StateKind::Choice(_) => BoxType::Choice,
        StateKind::Wait(_) => BoxType::Wait,
        StateKind::Succeed => BoxType::Succeed,
        StateKind::Fail(_) => BoxType::Fail,
        StateKind::Parallel { .. } => BoxType::Parallel,
        StateKind::Map(_) => BoxType::Map,
    }
}

fn links(state: &State) -> Vec<Link> {
    let mut out = Vec::new();
    let mut to = |target: Option<&Target>, kind, label: Option<String>| {
        if let Some(id) = target.and_then(|target| target.state) {
            out.push(Link {
                to: Some(id),
                kind,
                label,
            });
        }
    };
    match &state.transition {
        Transition::Next(target) => to(Some(target), EdgeKind::Next, None),
        Transition::End | Transition::None => {}
    }
    if let StateKind::Choice(choice) = &state.kind {
        let same = same_variable(choice);
        for (index, rule) in (0u32..).zip(&choice.rules) {
            let label = say(&rule.test, same, 0).unwrap_or_else(|| format!("rule {index}"));
            to(rule.next.as_ref(), EdgeKind::Rule(index), Some(label));
        }
        let label = Some("default".to_string());
        to(choice.default.as_ref(), EdgeKind::Default, label);
    }
    for (index, catcher) in (0u32..).zip(&state.catch) {
        let names: Vec<&str> = (catcher.error_equals.iter())
            .map(|name| name.strip_prefix("States.").unwrap_or(name))
            .collect();
        let label = Some(names.join(", "));
        to(catcher.next.as_ref(), EdgeKind::Catch(index), label);
    }
    // The drawing shows Succeed and Fail as ends already.
    if matches!(state.transition, Transition::End) {
        out.insert(
            0,
            Link {
                to: None,
                kind: EdgeKind::End,
                label: None,
            },
        );
    }
    out
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
fn say(test: &Test, same: bool, depth: usize) -> Option<String> {
    let list = |tests: &[Test], with: &str| {
        if depth > 0 || tests.len() > 3 {
            return None;
        }
        let parts: Option<Vec<String>> = tests.iter().map(|t| say(t, false, depth + 1)).collect();
        Some(parts?.join(with))
    };
    match test {
        Test::Compare(comparison) => say_comparison(comparison, same),
        Test::And(tests) => list(tests, " & "),
        Test::Or(tests) => list(tests, " | "),
        Test::Not(test) if depth < 2 => Some(format!("not {}", say(test, false, depth + 1)?)),
        _ => None,
    }
}

/// A path, or its last name if it is long.
fn short_path(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((_, last)) if path.chars().count() > 9 && !last.is_empty() => last,
        _ => path,
    }
}

fn say_comparison(comparison: &Comparison, same: bool) -> Option<String> {
    let name = if same {
        ""
    } else {
        short_path(comparison.variable.text())
    };
    let value = match &comparison.operand {
        Operand::Constant(value) => one_line(value),
        Operand::Path(path) => short_path(path.text()).to_string(),
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
