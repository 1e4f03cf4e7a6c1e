//! Describes how AWS would behave differently at an event, if the run follows the specification.

use super::written::inner;
use crate::definition::StageGroup;
use crate::interpreter::{Difference, Event, EventKind, Frame, Machine};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::Evaluate as _;
use crate::query::{Bindings, Divergence, Expression, Profile, abridged};
use crate::source::Span;
use std::cell::Cell;

/// Maximum width of a value that is shown in a sentence, in columns.
const VALUE: usize = 60;

/// The behaviour of AWS at an event, such as `States.Runtime (cannot be caught)`; `None` if AWS behaves the same.
pub(super) fn on_aws(machine: &Machine, event: &Event) -> Option<Text> {
    let frame = machine.frame(event.frame)?;
    if let Some(difference) = frame.difference.filter(|_| event.diverges) {
        return Some(match otherwise(machine, frame, event) {
            Some(field) => field.text.into(),
            None => difference.text().into(),
        });
    }
    if event.kind != EventKind::ErrorRaised {
        return None;
    }
    // Reported only in the frame that raised the error, not in every enclosing Parallel and Map.
    let (fault, _) = frame.visit.fault.as_ref()?;
    let is_own = !fault.from_branch;
    let aws = fault.aws.as_ref().filter(|_| is_own);
    aws.map(|aws| aws.text().into())
}

/// A field for which AWS computes another value.
pub(super) struct Otherwise {
    /// Location of the field's value.
    pub span: Option<Span>,
    /// A sentence such as `soak.$ finds nothing on AWS: States.Runtime (cannot be caught); asldbg finds []`.
    pub text: String,
}

/// Bindings that follow one profile and note whether the other profile would read a different value.
struct Noting<'b> {
    inner: &'b dyn Bindings,
    profile: Profile,
    noted: Cell<Option<Divergence>>,
}

impl Bindings for Noting<'_> {
    fn data(&self) -> &Value {
        self.inner.data()
    }
    fn context(&self) -> Value {
        self.inner.context()
    }
    fn variable(&self, name: &str) -> Option<Value> {
        self.inner.variable(name)
    }
    fn random(&self) -> u64 {
        self.inner.random()
    }
    fn profile(&self) -> Profile {
        self.profile
    }
    fn selects_at_most(&self) -> usize {
        self.inner.selects_at_most()
    }
    fn diverges(&self, divergence: Divergence) {
        // This difference between the profiles is only reported for some fields.
        if divergence != Divergence::MapItemInside {
            self.noted.set(Some(divergence));
        }
    }
}

/// The first field that AWS evaluates differently, among the fields that produced the event's stage.
pub(super) fn otherwise(machine: &Machine, frame: &Frame, event: &Event) -> Option<Otherwise> {
    let EventKind::Stage(stage) = event.kind else {
        return None;
    };
    if machine.profile() != Profile::Spec || !event.diverges || event.frame != frame.id {
        return None;
    }
    let definition = machine.definition();
    let state = definition.state(frame.visit.state)?;
    // A stage that exists once per item is skipped, because the item is not available here.
    let step = state
        .step(stage)
        .filter(|_| stage.group() != StageGroup::Item)?;
    let written = state.compiled(step.field)?.expressions();
    let document = frame.visit.document(step.dollar)?;
    let bindings = machine.inspect(frame, &document);
    written.into_iter().find_map(|(at, expression)| {
        let span = match &at {
            Some(at) => {
                let node = definition.node.at(step.written?);
                node.and_then(|node| inner(node, at))
            }
            None => step.written,
        };
        let field = match &at {
            Some(at) => dotted(at),
            None => step.field.to_string(),
        };
        Some(Otherwise {
            span,
            text: value_on_aws(&field, &expression, &bindings)?,
        })
    })
}

/// A sentence with the value that the expression of a field has on AWS, if AWS computes another value.
fn value_on_aws(field: &str, expression: &Expression, bindings: &dyn Bindings) -> Option<String> {
    let as_one = |profile| {
        let noting = Noting {
            inner: bindings,
            profile,
            noted: Cell::new(None),
        };
        (expression.eval(&noting), noting.noted.get())
    };
    let (spec_value, noted) = as_one(Profile::Spec);
    let noted = noted?;
    if !matches!(
        noted,
        Divergence::Path | Divergence::Slice | Divergence::ScalarFilter
    ) {
        let difference = Difference::Query(noted).text();
        return Some(format!("{field}: {difference}"));
    }
    let spec_value = abridged(&spec_value.ok()?, VALUE);
    match as_one(Profile::Aws).0 {
        Ok(value) => Some(format!(
            "{field} is {aws_value} on AWS, but {spec_value} in asldbg: Jayway JsonPath 2.0.0 reads the path differently",
            aws_value = abridged(&value, VALUE)
        )),
        Err(_) => Some(format!(
            "{field} finds nothing on AWS: States.Runtime (cannot be caught); asldbg finds {spec_value}"
        )),
    }
}

/// The path of a field as a dotted name.
fn dotted(at: &Pointer) -> String {
    let mut text = String::new();
    for step in &at.0 {
        match step {
            Step::Member(name) if text.is_empty() => text.push_str(name),
            Step::Member(name) => text.push_str(&format!(".{name}")),
            Step::Item(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
