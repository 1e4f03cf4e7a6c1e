//! Mocks of an sfn-test suite, converted to answers of a test file.

use crate::json::{Text, Value};

/// Mocks by state name; if a name occurs twice, the first mock is used.
#[derive(Debug, Default)]
pub(super) struct Mocks(Vec<(Text, Value)>);

impl Mocks {
    /// Mocks of a file.
    pub(super) fn of(file: &Value) -> Self {
        Self::of_list(file.get("mocks"))
    }

    /// Mocks of a list.
    pub(super) fn of_list(list: Option<&Value>) -> Self {
        let mut all: Vec<(Text, Value)> = Vec::new();
        for mock in list.and_then(Value::as_array).unwrap_or_default() {
            let state = text(mock, "state").unwrap_or_default();
            if !all.iter().any(|(own, _)| &**own == state) {
                all.push((state.into(), mock.clone()));
            }
        }
        Self(all)
    }

    /// The mocks of `self`, followed by those of `others` for states that `self` does not mock.
    pub(super) fn over(&self, others: &Self) -> Vec<(Text, Value)> {
        let own = |name: &Text| self.0.iter().any(|(own, _)| own == name);
        let others = others.0.iter().filter(|(name, _)| !own(name));
        self.0.iter().chain(others).cloned().collect()
    }
}

/// Returns the answer for a state and, if needed, a note for the user.
///
/// # Errors
/// The reason, if a test file cannot express the answer.
pub(super) fn answer(mock: Value, input: &Value) -> Result<(Value, Option<String>), String> {
    let delay = mock.get("delay").cloned();
    if mock
        .get("response")
        .is_some_and(|response| response.get("Next").is_some())
    {
        return Err("an answer in place of a Choice's rules is not taken over".into());
    }
    match text(&mock, "type") {
        Some("fixed") => match mock.get("response") {
            Some(response) => Ok((given(response.clone(), delay.as_ref()), None)),
            None => Err("its answer in a file of its own is not taken over".into()),
        },
        Some("error") => {
            let note = mock
                .get("probability")
                .map(|_| "it fails always, whatever the probability".to_string());
            let error = mock
                .get("error")
                .cloned()
                .unwrap_or_else(Value::empty_object);
            Ok((thrown(&error, delay.as_ref()), note))
        }
        Some("stateful") => stateful(&mock, delay.as_ref()),
        Some("conditional") => conditional(&mock, input, delay.as_ref()),
        Some("itemReader") => match mock.get("data") {
            Some(data) => Ok((given(data.clone(), None), None)),
            None => Err("its items in a file of their own are not taken over".into()),
        },
        other => Err(format!(
            "an answer of type {} is not taken over",
            other.unwrap_or("nothing")
        )),
    }
}

/// Answers that differ from call to call.
fn stateful(mock: &Value, delay: Option<&Value>) -> Result<(Value, Option<String>), String> {
    let responses = mock.get("responses").and_then(Value::as_array);
    let responses = responses.filter(|all| !all.is_empty());
    let responses = responses.ok_or("its answers in a file of their own are not taken over")?;
    let calls = responses
        .iter()
        .map(|response| match response.get("error") {
            Some(error) => thrown(error, delay),
            None => given(response.clone(), delay),
        });
    let note = "after the last of its answers the first comes again there, and none here";
    Ok((Value::array(calls.collect()), Some(note.to_string())))
}

/// Evaluates conditions against the case's input, because the state's own input is not known before the run.
fn conditional(
    mock: &Value,
    input: &Value,
    delay: Option<&Value>,
) -> Result<(Value, Option<String>), String> {
    let conditions = mock.get("conditions").and_then(Value::as_array);
    let conditions = conditions.unwrap_or_default();
    let matches = |condition: &&Value| {
        let when = condition.get("when").and_then(|when| when.get("input"));
        when.is_some_and(|wanted| {
            let inner = ["Payload", "input"].map(|name| wanted.get(name));
            let mut ways = std::iter::once(wanted).chain(inner.into_iter().flatten());
            ways.any(|wanted| is_part(wanted, input))
        })
    };
    let met = conditions.iter().find(matches);
    let default = || conditions.iter().find(|one| one.get("default").is_some());
    let met = met.or_else(default);
    let met = met.ok_or("no condition of its answers is met by the input of the case")?;
    let delay = met.get("delay").or(delay);
    let answer = match (
        met.get("error"),
        met.get("response").or_else(|| met.get("default")),
    ) {
        (Some(error), _) => thrown(error, delay),
        (None, Some(response)) => given(response.clone(), delay),
        (None, None) => return Err("its answer in a file of its own is not taken over".into()),
    };
    let note = "its conditions were held against the input of the case, not against what the state is called with";
    let note = (conditions.len() > 1).then(|| note.to_string());
    Ok((answer, note))
}

/// True if `there` contains everything in `wanted`.
fn is_part(wanted: &Value, there: &Value) -> bool {
    match (wanted.as_object(), there.as_object()) {
        (Some(wanted), Some(there)) => wanted
            .members()
            .iter()
            .all(|(name, value)| there.get(name).is_some_and(|there| is_part(value, there))),
        _ => wanted == there,
    }
}

fn given(value: Value, delay: Option<&Value>) -> Value {
    with_delay(vec![("Return".into(), value)], delay)
}

fn thrown(error: &Value, delay: Option<&Value>) -> Value {
    let cause = text(error, "cause").or_else(|| text(error, "message"));
    let error = Value::object(vec![
        (
            "Error".into(),
            Value::from(text(error, "type").unwrap_or("Error")),
        ),
        ("Cause".into(), Value::from(cause.unwrap_or("Mock error"))),
    ]);
    with_delay(vec![("Throw".into(), error)], delay)
}

/// Adds the delay, converted from sfn-test's milliseconds to seconds.
fn with_delay(mut members: Vec<(Text, Value)>, delay: Option<&Value>) -> Value {
    let seconds = delay
        .and_then(Value::as_number)
        .map(|delay| delay.as_f64() / 1000.0);
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0)
        && let Ok(seconds) = crate::json::parse(&seconds.to_string())
    {
        members.push(("Delay".into(), seconds));
    }
    Value::object(members)
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}
