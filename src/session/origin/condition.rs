//! Which part of an expression made a place of its value: by the members that it writes, the objects that it merges and the
//! ways that its conditionals took, and what their conditions read.
//!
//! It must not know which field holds the expression.

use super::Site;
use super::document::{Code, Documents};
use super::expression::{Sources, sources};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::jsonata::{ConditionPart, Expression, Part, Split, is_literal};
use crate::query::trace::Base;
use crate::source::Span;
use std::ops::Range;

/// At most so many conditionals and merges are gone through.
const DEEPEST: usize = 32;
/// So many values of a condition are told.
const COMPARED: usize = 6;

/// A condition that chose between two parts of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it is written.
    pub text: Text,
    /// Where it stands in the text.
    pub span: Option<Span>,
    /// Whether it counts as true.
    pub holds: bool,
    /// What it gives; `None` where that is nothing.
    pub value: Option<Value>,
    /// What it compares, as written, with the values: of a test that decides it where there are more.
    pub compared: Vec<(Text, Option<Value>)>,
    /// The places that it read, what decides it first.
    pub reads: Vec<Site>,
}

/// The part of an expression that was taken.
pub(super) struct Taken {
    /// The conditions on the way, the last one first.
    pub conditions: Vec<Condition>,
    /// Byte range of the part in the expression.
    pub range: Range<usize>,
    /// Whether it is a literal.
    pub is_literal: bool,
    /// The place that the last condition finds nothing at, for which it is what it is.
    pub lack: Option<(Base, Pointer)>,
    /// An expression that gives it.
    pub expression: Expression,
    /// The steps from its value down to the place.
    pub rest: Vec<Step>,
}

/// The part of an expression that gives what stands at `rest`, where a conditional chose it, an object names it or a `$merge`
/// has it from one object; `place` tells where a part of the expression stands.
pub(super) fn taken(
    documents: &Documents<'_>,
    expression: &Expression,
    rest: &[Step],
    place: &dyn Fn(Range<usize>) -> Option<Span>,
) -> Option<Taken> {
    let mut part = Part::of(expression.tree.as_ref().ok()?, rest);
    let mut conditions = Vec::new();
    let mut lack = None;
    let mut is_narrowed = false;
    for _ in 0..DEEPEST {
        let (own, split) = part.split();
        let (condition, then, otherwise) = match split {
            Split::Conditional(ways) => (ways.condition, ways.then, ways.otherwise),
            Split::Merged(parts) => {
                part = giving(documents, parts, expression)?;
                is_narrowed = true;
                continue;
            }
            // A member that it writes is told by itself.
            Split::Literal | Split::Other
                if conditions.is_empty() && own.rest.len() == rest.len() && !is_narrowed =>
            {
                return None;
            }
            other => {
                return Some(Taken {
                    conditions,
                    range: own.node.range.clone(),
                    is_literal: other == Split::Literal,
                    lack,
                    expression: parsed(&own.expression(), expression)?,
                    rest: own.rest,
                });
            }
        };
        let mut asked;
        (asked, lack) = self::asked(documents, &condition, expression)?;
        asked.span = place(condition.node.range.clone());
        part = if asked.holds { then } else { otherwise? };
        conditions.insert(0, asked);
    }
    None
}

/// Of objects that are merged, the last one that has the place: later ones win.
fn giving<'t>(
    documents: &Documents<'_>,
    parts: Vec<Part<'t>>,
    around: &Expression,
) -> Option<Part<'t>> {
    for part in parts.into_iter().rev() {
        let value = parsed(&part.expression(), around)
            .and_then(|expression| documents.eval(Code::Jsonata(&expression), None));
        let Some(value) = value else { continue };
        // An array is merged item by item.
        value.as_object()?;
        let first = part.rest.get(..1).unwrap_or_default();
        if Pointer(first.to_vec()).get(&value).is_some() {
            return Some(part);
        }
    }
    None
}

fn parsed(text: &str, around: &Expression) -> Option<Expression> {
    Expression::parse(text, &around.location).ok()
}

/// What a condition gives, and what it read for that, or where it finds nothing.
fn asked(
    documents: &Documents<'_>,
    condition: &Part<'_>,
    around: &Expression,
) -> Option<(Condition, Option<(Base, Pointer)>)> {
    let value = |text: &str| {
        let expression = parsed(&condition.with(text), around)?;
        documents.eval(Code::Jsonata(&expression), None)
    };
    let holds = |text: &str| value(&format!("({text}) ? true : false")) == Some(Value::Bool(true));
    let text = condition.text();
    let is_true = holds(text);
    let mut tests = Vec::new();
    decisive(ConditionPart::parse(text), is_true, &holds, &mut tests);
    let mut compared: Vec<(Text, Option<Value>)> = Vec::new();
    let mut reads: Vec<Site> = Vec::new();
    let mut lack = None;
    for test in tests.iter().map(String::as_str).chain([text]) {
        let own = parsed(&condition.with(test), around)
            .map(|expression| sources(documents, Code::Jsonata(&expression), &[]));
        match own {
            Some(Sources::Read(own, _)) => {
                for site in own {
                    if !reads.contains(&site) {
                        reads.push(site);
                    }
                }
            }
            Some(Sources::Nothing(base, at)) if reads.is_empty() => {
                lack.get_or_insert((base, at));
            }
            _ => {}
        }
        let sides = match ConditionPart::parse(test) {
            ConditionPart::Compare { left, right, .. } => vec![left, right],
            ConditionPart::Value(side) if side != text => vec![side],
            _ => Vec::new(),
        };
        for side in sides.iter().filter(|side| !is_literal(side)) {
            if !compared.iter().any(|(own, _)| **own == **side) && compared.len() < COMPARED {
                compared.push((side.as_str().into(), value(side)));
            }
        }
    }
    let condition = Condition {
        text: text.into(),
        span: None,
        holds: is_true,
        value: value(text),
        compared,
        reads,
    };
    Some((condition, lack))
}

/// The tests that make a condition what it is: of `and` those that are false, where it is false; of `or` those that are true,
/// where it is true; else all.
fn decisive(
    part: ConditionPart,
    is_true: bool,
    holds: &dyn Fn(&str) -> bool,
    found: &mut Vec<String>,
) {
    let (tests, deciding) = match part {
        ConditionPart::Compare { text, .. } | ConditionPart::Value(text) => {
            return found.push(text);
        }
        ConditionPart::Not(test) => return decisive(*test, !is_true, holds, found),
        ConditionPart::All(tests) => (tests, !is_true),
        ConditionPart::Any(tests) => (tests, is_true),
    };
    let mut own = Vec::new();
    for test in tests {
        let given = gives(&test, holds);
        if !deciding || given == is_true {
            own.push((test, given));
        }
    }
    for (test, given) in own {
        decisive(test, given, holds, found);
    }
}

/// Whether a test is true, by those that it joins.
fn gives(test: &ConditionPart, holds: &dyn Fn(&str) -> bool) -> bool {
    match test {
        ConditionPart::Compare { text, .. } | ConditionPart::Value(text) => holds(text),
        ConditionPart::Not(test) => !gives(test, holds),
        ConditionPart::All(tests) => tests.iter().all(|test| gives(test, holds)),
        ConditionPart::Any(tests) => tests.iter().any(|test| gives(test, holds)),
    }
}
