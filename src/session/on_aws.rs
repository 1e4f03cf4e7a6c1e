//! What AWS does otherwise than the specification at an event of a run that follows the specification.

use super::written::inner;
use crate::definition::{Compiled, PathField, StageGroup};
use crate::interpreter::{Difference, Event, EventKind, Frame, Machine};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::Evaluate as _;
use crate::query::{Bindings, Divergence, Expression, Profile, abridged};
use crate::source::Span;
use std::cell::Cell;

/// Columns of a value.
const VALUE: usize = 60;

/// `States.Runtime, cannot be caught`; `None` where both come to the same.
pub(super) fn on_aws(machine: &Machine, event: &Event) -> Option<Text> {
    let frame = machine.frame(event.frame)?;
    if let Some(difference) = frame.difference.filter(|_| event.diverges) {
        return Some(match otherwise(machine, frame, event) {
            Some(field) => field.text().into(),
            None => difference.text().into(),
        });
    }
    if event.kind != EventKind::ErrorRaised {
        return None;
    }
    // Seen where it arose, not again in every Parallel and Map around it.
    let (fault, _) = frame.visit.fault.as_ref()?;
    let is_own = !fault.from_branch;
    let aws = fault.aws.as_ref().filter(|_| is_own);
    aws.map(|aws| aws.text().into())
}

/// A field that AWS reads otherwise.
pub(super) struct Otherwise {
    /// As it is written: `soakSeconds.$`.
    pub field: String,
    /// Where its value stands.
    pub span: Option<Span>,
    /// What AWS comes to, in a line.
    pub aws: String,
}

impl Otherwise {
    /// `soak.$ finds nothing: States.Runtime, cannot be caught; here it is []`.
    pub fn text(&self) -> String {
        format!("{}{}", self.field, self.aws)
    }
}

/// What an expression may read, as one of the profiles, noting where the two part company.
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
        // Whether that is one depends on who asks.
        if divergence != Divergence::MapItemInside {
            self.noted.set(Some(divergence));
        }
    }
}

/// The first field that AWS reads otherwise, of those that made the stage of an event.
pub(super) fn otherwise(machine: &Machine, frame: &Frame, event: &Event) -> Option<Otherwise> {
    let EventKind::Stage(stage) = event.kind else {
        return None;
    };
    if machine.profile() != Profile::Spec || !event.diverges || event.frame != frame.id {
        return None;
    }
    let definition = machine.definition();
    let state = definition.state(frame.visit.state)?;
    // An item is not at hand here.
    let step = state
        .step(stage)
        .filter(|_| stage.group() != StageGroup::Item)?;
    let written = expressions(state.compiled(step.field)?);
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
        let name = match &at {
            Some(at) => dotted(at),
            None => step.field.to_string(),
        };
        Some(Otherwise {
            field: name,
            span,
            aws: value_on_aws(&expression, &bindings)?,
        })
    })
}

/// An expression with its place in the field, where it is not the field's whole value.
type Placed = (Option<Pointer>, Expression);

/// The expressions of a field in JSONPath, each with its place in it.
fn expressions(compiled: Compiled<'_>) -> Vec<Placed> {
    match compiled {
        Compiled::Select(PathField::Path(path)) => {
            vec![(None, Expression::Path(path.clone()))]
        }
        Compiled::Template(template) => {
            let all = template.expressions().into_iter();
            all.map(|(at, own)| (Some(at), own.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// What an expression comes to on AWS, where that is something else.
fn value_on_aws(expression: &Expression, bindings: &dyn Bindings) -> Option<String> {
    let as_one = |profile| {
        let noting = Noting {
            inner: bindings,
            profile,
            noted: Cell::new(None),
        };
        (expression.eval(&noting), noting.noted.get())
    };
    let (own, noted) = as_one(Profile::Spec);
    let noted = noted?;
    if !matches!(
        noted,
        Divergence::Path | Divergence::Slice | Divergence::ScalarFilter
    ) {
        return Some(format!(": {}", Difference::Query(noted).text()));
    }
    let own = abridged(&own.ok()?, VALUE);
    match as_one(Profile::Aws).0 {
        Ok(value) => Some(format!(
            " is {}, here {own}: Jayway JsonPath 2.0.0 reads the path otherwise",
            abridged(&value, VALUE)
        )),
        Err(_) => Some(format!(
            " finds nothing: States.Runtime, cannot be caught; here it is {own}"
        )),
    }
}

/// The names on the way to a field, as they are written.
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
