//! The documents that a state's expressions can read, such as `$` and the variables, with their values and their places
//! in the run.

use super::history::{Moment, Past, Traces, Unseen};
use super::{Holder, Site};
use crate::definition::{FieldAt, Source, StageStep};
use crate::interpreter::{Frame, Item, Machine, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::trace::{Base, Provenance, Spot, Trace};
use crate::query::{Bindings as _, Expression, Path, jsonata};
use crate::session::place::{Items, MOST, odd};
use std::borrow::Cow;
use std::collections::VecDeque;

/// An expression of either query language.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code<'c> {
    Path(&'c Path),
    Expression(&'c Expression),
    Jsonata(&'c jsonata::Expression),
}

/// The documents, such as `$` and the variables, that a field of a frame's current state reads.
pub(super) struct Documents<'m> {
    past: Past<'m>,
    pub machine: &'m Machine,
    /// The frame, with the variables as they were before the state's Assign, because the state's fields read those
    /// values.
    pub frame: Cow<'m, Frame>,
    /// Value of `$`.
    pub data: Value,
    /// Place of `$` in the run.
    pub site: Site,
    /// For an ItemSelector: the item that the context object contains.
    pub item: Option<Item>,
    /// The field that reads the documents.
    pub field: Option<FieldAt>,
    /// The event that the evaluation of the field produced.
    pub made: u64,
    /// Traces of the frame's evaluations, if they were recorded.
    pub traces: Option<&'m Traces>,
}

impl<'m> Documents<'m> {
    /// The documents of a frame's state, with the data of `stage` as `$`. If the state has no data for `stage`, `$` is
    /// the data of the closest earlier stage that has data.
    pub fn of(
        past: &Past<'m>,
        machine: &'m Machine,
        frame: &'m Frame,
        site: &Site,
        stage: Stage,
    ) -> Self {
        let held = present(frame, stage);
        Self {
            past: *past,
            machine,
            frame: frame.before_assign(),
            data: frame.visit.data.latest(stage),
            site: site.held_by(Holder::Stage(held)).at(Pointer::root()),
            item: None,
            field: None,
            made: site.event,
            traces: None,
        }
    }

    /// The documents that the field of a step reads.
    pub fn of_step(
        past: &Past<'m>,
        run: Moment<'m>,
        frame: &'m Frame,
        site: &Site,
        step: &StageStep,
    ) -> Self {
        let stage = step.reads().unwrap_or(Stage::Input);
        let mut documents = Self::of(past, run.machine, frame, site, stage);
        documents.field = Some(step.field);
        documents.traces = run.traces;
        if step.dollar == Source::Error {
            documents.data = frame.visit.document(step.dollar).unwrap_or_default();
            documents.site = documents.site.held_by(Holder::Error);
        }
        documents
    }

    /// The traces that include the evaluation of the field.
    ///
    /// # Errors
    ///
    /// If the traces have not been recorded: a request to record them.
    pub fn traced(&self) -> Result<&'m Traces, Unseen> {
        let after = self.past.evaluated_after(self.frame.id, self.made);
        let has_traced =
            |traces: &&Traces| traces.has_seen(self.frame.id, after) && traces.is_complete();
        self.traces
            .filter(has_traced)
            .ok_or(Unseen(self.frame.id, after))
    }

    /// Returns the trace of an expression of the field, and how a part of the value was made. The part is at position
    /// `whole` in the field's value and at position `rest` in the expression's value.
    pub fn trace(
        &self,
        code: Code<'_>,
        (whole, rest): (&[Step], &[Step]),
    ) -> Result<Option<(&'m Trace, Provenance)>, Unseen> {
        let traces = self.traced()?;
        let item = self.item.as_ref().map(|item| item.index);
        Ok(match (code, self.field) {
            (Code::Jsonata(expression), _) => {
                let trace = traces.expression(expression, item);
                trace.map(|trace| (trace, trace.at(rest)))
            }
            (_, Some(field)) => {
                let trace = traces.field(field, item);
                trace.map(|trace| (trace, trace.at(whole)))
            }
            _ => None,
        })
    }

    /// The places that an expression read, according to its trace. Without a trace, all places that its text names.
    pub fn spots(&self, code: Code<'_>) -> Result<Vec<Spot>, Unseen> {
        if let Code::Jsonata(expression) = code
            && let Some((trace, _)) = self.trace(code, (&[], &[]))?
        {
            return Ok(match trace.cut {
                true => expression.reads.spots(),
                false => trace.reads(),
            });
        }
        Ok(named(code))
    }

    /// Converts a position in a document to a place in the run.
    pub fn place(&self, base: &Base, at: Pointer) -> Site {
        let holder = match base {
            Base::Data => return self.site.at(at),
            Base::Context => return self.context_place(at),
            Base::Variable(name) => Holder::Variable(name.clone()),
            Base::States(name) => match &**name {
                "result" => Holder::Stage(Stage::Result),
                "errorOutput" => Holder::Error,
                _ => Holder::Stage(Stage::Input),
            },
        };
        match base {
            // The field read the variable as it was before the state's own Assign, so the place is at the event that
            // entered the state.
            Base::Variable(_) => self
                .past
                .read_at(self.site.frame, self.site.event, holder, at),
            _ => self.site.held_by(holder).at(at),
        }
    }

    fn context_place(&self, at: Pointer) -> Site {
        let item = self.item.as_ref().map(|item| item.index);
        match (item, at.0.as_slice()) {
            (
                Some(index),
                [
                    Step::Member(map),
                    Step::Member(item),
                    Step::Member(value),
                    rest @ ..,
                ],
            ) if &**map == "Map" && &**item == "Item" && &**value == "Value" => self
                .site
                .held_by(Holder::Item(index))
                .at(Pointer(rest.to_vec())),
            _ => self.site.held_by(Holder::Context).at(at),
        }
    }

    /// Value of a whole document.
    pub fn value(&self, base: &Base) -> Option<Value> {
        match base {
            Base::Data => Some(self.data.clone()),
            Base::Context => {
                let bindings = self.machine.inspect(&self.frame, &self.data);
                Some(bindings.for_item(self.item.as_ref()).context())
            }
            _ => self.value_at(&self.place(base, Pointer::root())),
        }
    }

    /// Value at a place in one of the documents, as the field read it.
    pub fn value_at(&self, site: &Site) -> Option<Value> {
        match &site.holder {
            // Fields read variables as they were before the state's own Assign.
            Holder::Variable(name) => site.at.get(self.frame.variables.get(name)?).cloned(),
            _ => value_at(site, self.machine),
        }
    }
}

/// The places that the text of an expression names.
pub(super) fn named(code: Code<'_>) -> Vec<Spot> {
    let spot = |path: &Path| Spot {
        base: path.base(),
        at: Pointer(path.names().unwrap_or_default()),
    };
    match code {
        Code::Path(path) | Code::Expression(Expression::Path(path)) => vec![spot(path)],
        Code::Expression(Expression::Intrinsic(intrinsic)) => {
            intrinsic.paths().into_iter().map(spot).collect()
        }
        Code::Jsonata(expression) => expression.reads.spots(),
    }
}

/// The last stage, up to and including `stage`, for which the frame has data.
pub(super) fn present(frame: &Frame, stage: Stage) -> Stage {
    let reached = |earlier: &Stage| *earlier <= stage && frame.visit.data.get(*earlier).is_some();
    Stage::ALL
        .into_iter()
        .rev()
        .find(reached)
        .unwrap_or(Stage::Input)
}

/// Value at a place; `machine` is the run directly after the place's event.
pub(in crate::session) fn value_at(site: &Site, machine: &Machine) -> Option<Value> {
    let frame = machine.frame(site.frame)?;
    let whole = match &site.holder {
        Holder::Stage(stage) => frame.visit.data.get(*stage).cloned()?,
        Holder::Error => frame.visit.fault.as_ref()?.0.error_output(),
        Holder::Variable(name) => frame.variables.get(name).cloned()?,
        Holder::Context => machine.inspect(frame, &Value::Null).context(),
        Holder::Item(index) => frame.visit.items()?.item(*index)?.value,
    };
    site.at.get(&whole).cloned()
}

/// If the places are the same member of several items: the item whose value differs from the others in its type or its
/// member names. Otherwise `None`.
pub(super) fn items(documents: &Documents<'_>, places: &[Site]) -> Option<Items> {
    let first = places.first().filter(|_| places.len() > 1)?;
    if places.len() > MOST || !places.iter().all(|place| same_member(first, place)) {
        return None;
    }
    let values = places.iter().map(|site| documents.value_at(site));
    let values: Option<Vec<Value>> = values.collect();
    let values = values?;
    let odd = odd(&values.iter().collect::<Vec<_>>());
    Some(Items { odd })
}

/// True if two places differ only in array indices.
fn same_member(left: &Site, right: &Site) -> bool {
    let same = |pair: (&Step, &Step)| match pair {
        (Step::Item(_), Step::Item(_)) => true,
        (left, right) => left == right,
    };
    left.holder == right.holder
        && left.frame == right.frame
        && left.at.0.len() == right.at.0.len()
        && left.at.0.iter().zip(&right.at.0).all(same)
}

/// Maximum number of values to examine in the search for a member name.
const SEARCHED: usize = 20_000;

/// The position of the member with this name. If there are several, the position of the one closest to the root. Does
/// not search values that are identical to `without`.
pub(super) fn member_named(value: &Value, name: &str, without: Option<&Value>) -> Option<Pointer> {
    let mut waiting = VecDeque::from([(Pointer::root(), value)]);
    let mut left = SEARCHED;
    while let Some((at, value)) = waiting.pop_front() {
        left = left.checked_sub(1)?;
        match value {
            value if without.is_some_and(|without| without.same(value)) => {}
            Value::Object(object) => {
                if object.get(name).is_some() {
                    return Some(at.child(Step::Member(name.into())));
                }
                let below = object.members().iter();
                waiting.extend(
                    below.map(|(name, value)| (at.child(Step::Member(name.clone())), value)),
                );
            }
            Value::Array(array) => {
                let below = array.items().iter().enumerate();
                waiting.extend(below.map(|(place, value)| (at.child(Step::Item(place)), value)));
            }
            _ => {}
        }
    }
    None
}

/// Splits a path into the document in which it starts, and the rest of the path with `$` as its start. For example,
/// `$states.result.id` becomes the result and `$.id`. The document is `None` if the path does not start with the name
/// of a document.
pub(in crate::session) fn split(text: &str) -> (Option<Holder>, String) {
    let text = text.trim();
    let text = text
        .strip_prefix("$states.context")
        .map_or_else(|| text.to_string(), |rest| format!("$${rest}"));
    let words = [
        ("$states.input", Holder::Stage(Stage::Input)),
        ("$states.result", Holder::Stage(Stage::Result)),
        ("$states.errorOutput", Holder::Error),
        ("$input", Holder::Stage(Stage::Input)),
        ("$effective", Holder::Stage(Stage::AfterArguments)),
        ("$result", Holder::Stage(Stage::Result)),
        ("$output", Holder::Stage(Stage::Output)),
        ("Arguments", Holder::Stage(Stage::AfterArguments)),
        ("Output", Holder::Stage(Stage::Output)),
        ("$error", Holder::Error),
    ];
    for (word, holder) in words {
        if let Some(rest) = text.strip_prefix(word)
            && (rest.is_empty() || rest.starts_with(['.', '[']))
        {
            return (Some(holder), format!("${rest}"));
        }
    }
    (None, text)
}
