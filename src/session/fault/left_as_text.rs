//! Finds text in a task's input that was probably meant to be evaluated: paths and expressions that were passed on as
//! they are.

use crate::definition::{Definition, State, StateKind};
use crate::interpreter::{Frame, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::{Unevaluated, abridged};
use crate::session::finding::Finding;

/// Maximum number of unevaluated texts to report.
const TOLD: usize = 2;
/// Maximum number of values to search.
const SEARCHED: usize = 2_000;

/// One sentence for each text in a task's input that was probably meant to be evaluated.
pub(in crate::session) fn lines(
    definition: &Definition,
    state: &State,
    frame: &Frame,
) -> Vec<Finding> {
    if !matches!(state.kind, StateKind::Task(_)) {
        return Vec::new();
    }
    let data = &frame.visit.data;
    let arguments = data.get(Stage::AfterArguments).cloned();
    let given = arguments.unwrap_or_else(|| data.latest(Stage::AfterParameters));
    let mut found = Vec::new();
    let mut waiting = vec![(Pointer::root(), &given)];
    let mut left = SEARCHED;
    while let Some((at, value)) = waiting.pop() {
        left = left.saturating_sub(1);
        if left == 0 || found.len() == TOLD {
            break;
        }
        match value {
            Value::String(text) => {
                let kind = Unevaluated::of(text);
                found.extend(kind.map(|kind| line(definition, state, (&at, text), kind)));
            }
            Value::Object(object) => {
                let members = object.members().iter().rev();
                waiting.extend(members.map(|(name, value)| {
                    let step = Step::Member(name.clone());
                    (at.child(step), value)
                }));
            }
            Value::Array(array) => {
                let items = array.items().iter().enumerate().rev();
                waiting.extend(items.map(|(place, value)| (at.child(Step::Item(place)), value)));
            }
            _ => {}
        }
    }
    found
}

/// A sentence such as `Payload.document, line 22, is the text "$.contract.key", not evaluated: is .$ missing?`
fn line(
    definition: &Definition,
    state: &State,
    (at, text): (&Pointer, &str),
    kind: Unevaluated,
) -> Finding {
    let field = ["Parameters", "Arguments"]
        .into_iter()
        .find_map(|name| state.field(name));
    let node = field.and_then(|field| definition.node.at(field.value));
    let written = node.and_then(|node| {
        at.0.iter().try_fold(node, |node, step| match step {
            Step::Member(name) => node.get(name),
            Step::Item(place) => node.items()?.get(*place),
        })
    });
    let written = written.filter(|node| node.as_str() == Some(text));
    let line = written.and_then(|node| definition.sources.line(node.span));
    let line = line.map_or_else(String::new, |line| format!(", line {line},"));
    let name = at.to_string();
    let name = match name.strip_prefix("$.").unwrap_or(&name) {
        "$" => "the input",
        name => name,
    };
    let shown = abridged(&Value::from(text), 60);
    let missing = match kind {
        Unevaluated::JsonPath => "is .$ missing?",
        Unevaluated::Bare => "are {% %} missing?",
        Unevaluated::Delimited => "is the state in JSONPath?",
    };
    let says = format!("{name}{line} is the text {shown}, not evaluated: {missing}");
    Finding::new("left-as-text", says)
}
