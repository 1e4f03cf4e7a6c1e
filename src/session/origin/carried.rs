//! Whether a field would pass on a value that was not there: the value is put where it would have been, and what the field
//! makes is made again.
//!
//! It must not know why the value was not there.

use super::document::{Base, Code, Documents};
use super::expression::{by_jsonata, plain};
use super::past::Past;
use super::{Holder, Site};
use crate::definition::{Compiled, QueryLanguage};
use crate::interpreter::Machine;
use crate::json::{Pointer, Step, Value};
use crate::query::Maker;

impl Past<'_> {
    /// Whether what makes a place leaves it out even where what it is made of has it, which is `before`.
    pub(super) fn leaves_out(&self, site: &Site, before: &Site, run: &Machine) -> bool {
        let Some(frame) = run.frame(site.frame) else {
            return false;
        };
        let (Holder::Stage(stage), Some(state)) = (&site.holder, self.state(frame.visit.state))
        else {
            return true;
        };
        let step = state.step_by(*stage, frame.visit.way());
        let made = step.and_then(|step| {
            let (code, rest) = maker_of(state.compiled(step.field)?, &site.at.0)?;
            Some((step, code, rest))
        });
        let Some((step, code, rest)) = made else {
            return true;
        };
        let base = match state.language {
            QueryLanguage::Jsonata => Base::States("input".into()),
            QueryLanguage::JsonPath => Base::Data,
        };
        let documents = Documents::of_step(self, run, frame, site, step);
        let Some(whole) = documents.value(&base) else {
            return false;
        };
        let changed = with(&whole, &before.at, Value::from("~"));
        let made = changed.and_then(|whole| documents.eval(code, Some((&base, &whole))));
        made.is_some_and(|made| rest.get(&made).is_none())
    }
}

/// A value with another one at a place, and the objects above that which are not there.
pub(super) fn with(whole: &Value, at: &Pointer, value: Value) -> Option<Value> {
    let holds = |count: &usize| {
        let above = at.0.get(..*count).unwrap_or_default().to_vec();
        Pointer(above)
            .get(whole)
            .is_some_and(|value| value.as_object().is_some())
    };
    let count = (0..at.0.len()).rev().find(holds)?;
    let (head, tail) = at.0.split_at_checked(count + 1)?;
    let mut made = value;
    for step in tail.iter().rev() {
        let Step::Member(name) = step else {
            return None;
        };
        made = Value::object(vec![(name.clone(), made)]);
    }
    Pointer(head.to_vec()).set(whole, made)
}

/// The expression of a template that makes a place, and what leads there in its value; `None` where none does.
fn maker_of<'s>(compiled: Compiled<'s>, at: &[Step]) -> Option<(Code<'s>, Pointer)> {
    match compiled {
        Compiled::Template(template) => match template.maker(at) {
            Maker::Expression {
                expression, rest, ..
            } => Some((plain(expression), Pointer(rest))),
            _ => None,
        },
        Compiled::Jsonata(template) => match template.maker(at) {
            Maker::Expression {
                expression, rest, ..
            } => Some((by_jsonata(expression), Pointer(rest))),
            _ => None,
        },
        _ => None,
    }
}
