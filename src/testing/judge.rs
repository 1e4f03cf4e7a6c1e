//! Compares the result of a run with the expectations of its case. Also checks whether a mocked answer has the members
//! and types that a real result of the task's resource has.

use super::expected::{Difference, Expected, Extent};
use super::file::{Case, Check, Visit, numbered};
use super::observed::{At, End, Observed};
use crate::definition::{Definition, StateId, Task};
use crate::interpreter::{Answer, Fault, Outcome};
use crate::json::{Text, Value, count, one_line};
use crate::service::{FieldValidation, mock_fault};
use crate::session::seconds;
use crate::source::{Span, with_article};

/// An expectation that was not met.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Name of the expectation: `status`, `output`, `inputs Pay`, ...
    pub what: String,
    /// Expected value, on one line.
    pub expected: String,
    /// Actual value, on one line.
    pub actual: String,
    /// If a value is wrong, the parts in which it differs from the expected value.
    pub differences: Vec<Difference>,
    /// Number of the event at which the run first differed from the expectation, if known.
    pub event: Option<u64>,
    /// The state that caused the failure, if known.
    pub state: Option<StateId>,
    /// Location of the expectation in the test file.
    pub span: Option<Span>,
    /// The location in the definition's text that caused the failure, if it is more precise than the state.
    pub blame: Option<Span>,
}

impl Failure {
    /// Creates a failure with no event, state, location in the definition or differences.
    #[must_use]
    pub fn new(
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            expected: expected.into(),
            actual: actual.into(),
            differences: Vec::new(),
            event: None,
            state: None,
            span: None,
            blame: None,
        }
    }

    /// The failure on one line; for a value, only its first difference.
    #[must_use]
    pub fn brief(&self) -> String {
        let inside = self
            .differences
            .iter()
            .find(|difference| !difference.at.0.is_empty());
        match inside {
            None => format!(
                "{value}: expected {expected}, got {actual}",
                value = self.what,
                expected = self.expected,
                actual = self.actual
            ),
            Some(difference) => {
                let actual = difference.actual.as_ref();
                let actual = actual.map_or_else(|| "nothing".to_string(), one_line);
                let (value, at) = (&self.what, &difference.at);
                format!(
                    "{value} {at}: expected {expected}, got {actual}",
                    expected = difference.expected
                )
            }
        }
    }
}

/// Returns the expectations that were not met; empty if the case passes.
#[must_use]
pub fn judge(case: &Case, observed: &Observed, definition: &Definition) -> Vec<Failure> {
    let mut judge = Judge {
        observed,
        definition,
        failures: Vec::new(),
    };
    judge.end(case);
    if observed.end.status().is_some() {
        judge.values(case);
    }
    judge.way(case);
    judge.failures
}

struct Judge<'j> {
    observed: &'j Observed,
    definition: &'j Definition,
    failures: Vec<Failure>,
}

impl<'j> Judge<'j> {
    fn fail(
        &mut self,
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
        at: Option<&At>,
        span: Option<Span>,
    ) {
        self.failures.push(Failure {
            event: at.map(|at| at.event),
            state: at.map(|at| at.state),
            span,
            ..Failure::new(what, expected, actual)
        });
    }

    /// Checks whether the run ended, and its status, output and error.
    fn end(&mut self, case: &Case) {
        let observed = self.observed;
        let at = observed.last();
        let Some(status) = observed.end.status() else {
            let actual = match &observed.end {
                End::NoAnswer(..) => "a task without an answer",
                End::Stuck(_) => {
                    "a run that cannot continue: a task never answers and has no TimeoutSeconds"
                }
                End::TooLong { .. } => "a run that was stopped: it may never end",
                End::TooLarge(_) => "a run that was stopped: its values take too much memory",
                _ => "a run that was interrupted",
            };
            let at = observed.visits.last();
            self.fail("end", "the run ends", actual, at, None);
            return;
        };
        let actual = match &observed.end {
            End::Failed(fault) => format!("{status}: {}", error_text(fault)),
            _ => status.to_string(),
        };
        if let Some(check) = &case.expect.status
            && !check.expected.holds(Some(&Value::from(status)))
        {
            let wanted = match &check.expected {
                Expected::Value(Value::String(text)) => text.to_string(),
                other => other.text(),
            };
            self.fail("status", wanted, actual, at, Some(check.span));
        }
    }

    fn values(&mut self, case: &Case) {
        let observed = self.observed;
        let fault = match &observed.end {
            End::Failed(fault) => Some(fault),
            _ => None,
        };
        let timed_out = matches!(observed.end, End::TimedOut);
        let error = fault.and_then(|fault| fault.error.clone());
        let error = error.or_else(|| timed_out.then(|| "States.Timeout".into()));
        let cause = fault.and_then(|fault| fault.cause.clone());
        for (what, check, actual) in [
            ("error", &case.expect.error, error),
            ("cause", &case.expect.cause, cause),
        ] {
            let actual = actual.map(Value::String);
            if let Some(check) = check {
                self.value(what, check, actual.as_ref(), Extent::Whole, observed.last());
            }
        }
        let output = match &observed.end {
            End::Succeeded(output) => Some(output),
            _ => None,
        };
        let expect = &case.expect;
        for (what, check, extent) in [
            ("output", &expect.output, Extent::Whole),
            ("output_includes", &expect.output_includes, Extent::Part),
        ] {
            let Some(check) = check else { continue };
            let differences = check.expected.differences(output, extent);
            let Some(first) = differences.first() else {
                continue;
            };
            let wrote = output.and_then(|output| observed.wrote(&first.at, output));
            let at = wrote.or_else(|| observed.last());
            self.value(what, check, output, extent, at);
        }
        for (name, check) in &case.expect.variables {
            let name = name.trim_start_matches('$');
            let variables = observed.variables.as_ref();
            let actual = variables.and_then(|variables| variables.get(name));
            let what = format!("variables ${name}");
            self.value(&what, check, actual, Extent::Whole, observed.last());
        }
        if let Some(check) = &case.expect.duration {
            let (took, last) = (seconds(observed.took), observed.last());
            self.value("duration", check, Some(&took), Extent::Whole, last);
        }
    }

    fn value(
        &mut self,
        what: &str,
        check: &Check<Expected>,
        actual: Option<&Value>,
        extent: Extent,
        at: Option<&At>,
    ) {
        let differences = check.expected.differences(actual, extent);
        if differences.is_empty() {
            return;
        }
        let text = actual.map_or_else(|| "nothing".to_string(), one_line);
        let span = Some(check.span);
        self.fail(what, check.expected.text(), text, at, span);
        if let Some(last) = self.failures.last_mut() {
            last.differences = differences;
        }
    }

    /// Checks which states the run entered, and the inputs that they got.
    fn way(&mut self, case: &Case) {
        if let Some(check) = &case.expect.visits {
            self.visits(check);
        }
        for check in &case.expect.never {
            let (name, observed) = (&check.expected, self.observed);
            let mut visits = observed.visits.iter();
            if let Some(at) = visits.find(|at| self.is(at.state, name)) {
                let wanted = format!("{name} never entered");
                let actual = format!("{name} entered");
                self.fail("never", wanted, actual, Some(at), Some(check.span));
            }
        }
        for (name, check) in &case.expect.attempts {
            let states = self.definition.state_ids();
            let named = states.filter(|id| self.is(*id, name));
            let begun = named.map(|id| self.observed.begun.get(&id).copied().unwrap_or(0));
            let actual = count(begun.sum::<u64>());
            let at = self.last_visit(name);
            let what = format!("attempts {name}");
            self.value(&what, check, Some(&actual), Extent::Whole, at);
        }
        let (visits, calls) = (&self.observed.visits, &self.observed.calls);
        self.given("inputs", &case.expect.inputs, visits);
        self.given("calls", &case.expect.calls, calls);
    }

    fn given(&mut self, what: &str, checks: &[(Text, Check<Expected>)], all: &[At]) {
        for (name, check) in checks {
            let (state, number) = numbered(name);
            let visits: Vec<&At> = all.iter().filter(|at| self.is(at.state, state)).collect();
            let wanted: Vec<&At> = match number {
                None => visits,
                Some(number) => visits.get(number - 1).copied().into_iter().collect(),
            };
            let reached_or_called = match what {
                "calls" => "called",
                _ => "reached",
            };
            let what = format!("{what} {name}");
            if wanted.is_empty() {
                let entered = self.last_visit(state);
                let actual = match (number, entered) {
                    (Some(number), Some(_)) => {
                        format!("{state} was not {reached_or_called} {number} times")
                    }
                    (None, Some(_)) => format!("{state} was entered, but called no task"),
                    (_, None) => format!("{state} was never reached"),
                };
                let at = entered.or(self.observed.last());
                self.fail(what, check.expected.text(), actual, at, Some(check.span));
                continue;
            }
            for at in wanted {
                self.value(&what, check, Some(&at.value), Extent::Whole, Some(at));
            }
        }
    }

    /// The last visit of the state with this path or name.
    fn last_visit(&self, name: &str) -> Option<&'j At> {
        let mut visits = self.observed.visits.iter().rev();
        visits.find(|at| self.is(at.state, name))
    }

    fn is(&self, id: StateId, name: &str) -> bool {
        let state = self.definition.state(id);
        state.is_some_and(|state| &*state.path.0 == name || &*state.name == name)
    }

    /// Checks the visited states against the pattern. A gap in the pattern matches any number of states, so a run can
    /// match the pattern in several ways. All positions reached in the pattern are tracked.
    fn visits(&mut self, check: &Check<Vec<Visit>>) {
        let pattern = &check.expected;
        let spread = |places: Vec<usize>| {
            let mut all: Vec<usize> = Vec::new();
            for mut place in places {
                loop {
                    if !all.contains(&place) {
                        all.push(place);
                    }
                    if pattern.get(place) != Some(&Visit::Any) {
                        break;
                    }
                    place += 1;
                }
            }
            all
        };
        let wanted = |places: &[usize]| {
            let names = places.iter().filter_map(|place| match pattern.get(*place) {
                Some(Visit::State(name)) => Some(name.to_string()),
                Some(Visit::Any) => None,
                None => Some("the end".to_string()),
            });
            names.collect::<Vec<_>>().join(" or ")
        };
        let observed = self.observed;
        let mut places = spread(vec![0]);
        for (number, at) in observed.visits.iter().enumerate() {
            let next = places
                .iter()
                .filter_map(|place| match pattern.get(*place)? {
                    Visit::Any => Some(*place),
                    Visit::State(name) => self.is(at.state, name).then_some(place + 1),
                });
            let next = spread(next.collect());
            if next.is_empty() {
                let state = self.definition.state(at.state);
                let state = state.map_or("", |state| &*state.path.0);
                let actual = format!("{state} as visit {number}", number = number + 1);
                self.fail(
                    "visits",
                    wanted(&places),
                    actual,
                    Some(at),
                    Some(check.span),
                );
                return;
            }
            places = next;
        }
        if !places.contains(&pattern.len()) {
            let last = observed.visits.last();
            let count = observed.visits.len();
            let actual = format!("the end of the run after {count} visits");
            self.fail("visits", wanted(&places), actual, last, Some(check.span));
        }
    }
}

/// An error with its cause, on one line.
fn error_text(fault: &Fault) -> String {
    let name = match fault.name() {
        "" => "an error without a name",
        name => name,
    };
    match fault.cause_text() {
        "" => name.to_string(),
        cause => format!("{name}: {}", cause.replace('\n', " ")),
    }
}

/// Returns a sentence that says what is wrong with a mocked answer. `None` if the answer is valid, or if it is not
/// known which members the task's result has.
#[must_use]
pub fn misshapen(task: &Task, answer: &Answer, validation: FieldValidation) -> Option<String> {
    let Outcome::Success(value) = &answer.outcome else {
        return None;
    };
    let call = task.call()?;
    let names: Vec<&str> = (call.result.iter().flatten())
        .map(|member| member.name(call.naming))
        .collect();
    if validation == FieldValidation::None || names.is_empty() || !call.pattern.is_empty() {
        return None;
    }
    let resource = task.resource.rsplit(":::").next().unwrap_or_default();
    let Some(object) = value.as_object() else {
        let json_type = with_article(value.type_name());
        return Some(format!("{resource} returns an object, not {json_type}"));
    };
    let is_foreign = |name: &str| !names.contains(&name) && !name.starts_with("Sdk");
    let mut given = object.members().iter();
    if !object.members().is_empty() && given.all(|(name, _)| is_foreign(name)) {
        let advice = match names.contains(&"Payload") {
            true => format!(
                "; write {{\"Payload\": {payload}}}",
                payload = shortened(value)
            ),
            false => String::new(),
        };
        let names = names.join(", ");
        return Some(format!(
            "{resource} returns {names}, but the answer has none of these members{advice}"
        ));
    }
    mock_fault(call, value, validation)
}

fn shortened(value: &Value) -> String {
    let text = one_line(value);
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
