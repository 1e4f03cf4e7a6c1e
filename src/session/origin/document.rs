//! The documents that an expression of a state may read: their values, and where each stands in the run.
//!
//! It must not know which field holds the expression.

use super::moment::{Moment, Traces, Unseen};
use super::past::Past;
use super::{Holder, Site};
use crate::definition::{FieldAt, Source, StageStep};
use crate::interpreter::{Frame, Item, Machine, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::jsonata::{self, ReadPath, ReadStep};
use crate::query::trace::{Base, Provenance, Spot, Trace};
use crate::query::{Bindings as _, Expression, Path, Root};
use std::borrow::Cow;

/// An expression of either language.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code<'c> {
    Path(&'c Path),
    Expression(&'c Expression),
    Jsonata(&'c jsonata::Expression),
}

/// A place that an expression reads, or what it reads is below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Read {
    pub base: Base,
    pub at: Pointer,
    /// Whether the expression's value is the value there.
    pub whole: bool,
    /// The place in each item, where names go into arrays; else the place itself.
    pub places: Vec<Pointer>,
}

/// At most so many places of one path are told apart.
const PLACES: usize = 1_000;

/// The documents of a frame's state.
pub(super) struct Documents<'m> {
    past: Past<'m>,
    pub machine: &'m Machine,
    /// With the variables that the state's fields read: those from before its own Assign.
    pub frame: Cow<'m, Frame>,
    /// What `$` names.
    pub data: Value,
    /// Where that stands.
    pub site: Site,
    /// The item in the context object, of an ItemSelector.
    pub item: Option<Item>,
    /// The field that reads them.
    pub field: Option<FieldAt>,
    /// The event for which it was evaluated.
    pub made: u64,
    /// How it was, if that was recorded.
    pub traces: Option<&'m Traces>,
}

impl<'m> Documents<'m> {
    /// Of a stage as `$`, or of what comes last before it.
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

    /// Those that the field of a step reads.
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

    /// How the field was evaluated.
    ///
    /// # Errors
    /// A request for that, if it was not recorded.
    pub fn traced(&self) -> Result<&'m Traces, Unseen> {
        let after = self.past.evaluated_after(self.frame.id, self.made);
        let own = |traces: &&Traces| traces.frame == self.frame.id && traces.after <= after;
        self.traces.filter(own).ok_or(Unseen(self.frame.id, after))
    }

    /// The record of an expression of the field, and where a part of its value came from: `whole` leads there from the value
    /// of the field, `rest` from that of the expression.
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

    /// Of an expression whose evaluation was not recorded: all that it names.
    pub fn unseen(&self, code: Code<'_>) -> Provenance {
        let reads = self.reads(code).into_iter();
        let spots = reads.map(|read| Spot {
            base: read.base,
            at: read.at,
        });
        Provenance::Reads(spots.collect())
    }

    /// Where a place of a document stands in the run.
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
            // What the state itself assigns is not what its fields read.
            Base::Variable(_) => self
                .past
                .read_at(self.site.frame, self.site.event, holder, at),
            _ => self.site.held_by(holder).at(at),
        }
    }

    fn context_place(&self, at: Pointer) -> Site {
        let own = self.item.as_ref().map(|item| item.index);
        match (own, at.0.as_slice()) {
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

    /// A document.
    pub fn value(&self, base: &Base) -> Option<Value> {
        match base {
            Base::Data => Some(self.data.clone()),
            Base::Context => Some(self.context()),
            Base::Variable(name) => self.frame.variables.get(name).cloned(),
            Base::States(name) => match &**name {
                "input" => Some(self.frame.visit.data.latest(Stage::Input)),
                "result" => self.frame.visit.data.get(Stage::Result).cloned(),
                "errorOutput" => {
                    let fault = self.frame.visit.fault.as_ref();
                    fault.map(|(fault, _)| fault.error_output())
                }
                _ => None,
            },
        }
    }

    fn context(&self) -> Value {
        let bindings = self.machine.inspect(&self.frame, &self.data);
        match &self.item {
            Some(item) => bindings.for_item(item).context(),
            None => bindings.context(),
        }
    }

    /// What an expression reads, in the order of its text.
    pub fn reads(&self, code: Code<'_>) -> Vec<Read> {
        match code {
            Code::Path(path) => vec![self.read(path, true)],
            Code::Expression(Expression::Path(path)) => vec![self.read(path, true)],
            Code::Expression(Expression::Intrinsic(intrinsic)) => {
                let paths = intrinsic.paths();
                paths
                    .into_iter()
                    .map(|path| self.read(path, false))
                    .collect()
            }
            Code::Jsonata(expression) => self.jsonata_reads(&expression.text),
        }
    }

    fn read(&self, path: &Path, alone: bool) -> Read {
        let base = match path.root() {
            Root::Data => Base::Data,
            Root::Context => Base::Context,
            Root::Variable(name) => Base::Variable(name.clone()),
        };
        let bindings = self.machine.inspect(&self.frame, &self.data);
        let bindings = match &self.item {
            Some(item) => bindings.for_item(item),
            None => bindings,
        };
        let walk = path.explain(&bindings);
        // A missing place is meant as it is written.
        let at = match path.names() {
            Some(steps) => Pointer(steps),
            None => walk.deepest,
        };
        Read {
            base,
            places: vec![at.clone()],
            at,
            whole: alone && path.is_definite(),
        }
    }

    fn jsonata_reads(&self, text: &str) -> Vec<Read> {
        let paths = jsonata::read_paths(text).into_iter();
        let reads = paths.filter_map(|path| {
            let (base, steps) = base_of_read(&path);
            let value = self.value(&base)?;
            let (at, is_all) = deepest(&value, steps);
            let mut places = match path.goes_on {
                true => Vec::new(),
                false => places(&value, steps),
            };
            if places.is_empty() {
                places = vec![at.clone()];
            }
            let whole = path.alone && is_all && !path.goes_on;
            Some(Read {
                base,
                at,
                whole,
                places,
            })
        });
        reads.collect()
    }

    /// The places that a JSONata expression names and that have no value, in a document that is there. Names go into
    /// arrays as well: what is missing there is another matter.
    pub fn lacks(&self, text: &str) -> Vec<(Base, Pointer)> {
        let paths = jsonata::paths(text).into_iter();
        let found = paths.filter_map(|names| {
            let (base, names) = base_of(&names)?;
            let steps = names.iter().map(|name| Step::Member(name.as_str().into()));
            let at = Pointer(steps.collect());
            let value = self.value(&base)?;
            let through = (0..at.0.len()).any(|count| {
                let above = Pointer(at.0.get(..count).unwrap_or_default().to_vec());
                above.get(&value).is_some_and(|value| value.is_array())
            });
            (!through && at.get(&value).is_none()).then_some((base, at))
        });
        found.collect()
    }
}

/// What the names of a JSONata path begin with, and the names after it.
pub(super) fn base_of(names: &[String]) -> Option<(Base, &[String])> {
    let (first, rest) = names.split_first()?;
    if first != "states" {
        return Some((Base::Variable(first.as_str().into()), rest));
    }
    Some(match rest.split_first() {
        Some((member, rest)) if member == "context" => (Base::Context, rest),
        Some((member, rest)) => (Base::States(member.as_str().into()), rest),
        None => (Base::States("input".into()), rest),
    })
}

/// The same of a path as it is read.
fn base_of_read(path: &ReadPath) -> (Base, &[ReadStep]) {
    if &*path.variable != "states" {
        return (Base::Variable(path.variable.clone()), &path.steps);
    }
    match path.steps.split_first() {
        Some((ReadStep::Name(member), rest)) if &**member == "context" => (Base::Context, rest),
        Some((ReadStep::Name(member), rest)) => (Base::States(member.clone()), rest),
        _ => (Base::States("input".into()), &path.steps),
    }
}

/// The item of a value that an index means; a single value is its own only item.
fn indexed(value: &Value, index: i64) -> Option<Option<Step>> {
    let Some(items) = value.as_array() else {
        return matches!(index, 0 | -1).then_some(None);
    };
    let index = usize::try_from(index).ok().or_else(|| {
        let back = usize::try_from(index.unsigned_abs()).ok()?;
        items.len().checked_sub(back)
    })?;
    (index < items.len()).then_some(Some(Step::Item(index)))
}

/// As far as these steps lead in a value one by one, and whether that is all of them.
fn deepest(value: &Value, steps: &[ReadStep]) -> (Pointer, bool) {
    let (mut at, mut value) = (Pointer::root(), value);
    for step in steps {
        let step = match step {
            ReadStep::Name(name) => Some(Some(Step::Member(name.clone()))),
            ReadStep::Index(index) => indexed(value, *index),
        };
        let below = match step {
            Some(None) => continue,
            Some(Some(step)) => Pointer(vec![step]),
            None => return (at, false),
        };
        let Some(inner) = below.get(value) else {
            return (at, false);
        };
        at.0.extend(below.0.iter().cloned());
        value = inner;
    }
    (at, true)
}

/// The places in a value that these steps lead to, names in each item of an array; none where there are too many.
pub(in crate::session) fn places(value: &Value, steps: &[ReadStep]) -> Vec<Pointer> {
    let mut found = Vec::new();
    spread(value, Pointer::root(), steps, &mut found);
    if found.len() > PLACES {
        found.clear();
    }
    found
}

fn spread(value: &Value, at: Pointer, steps: &[ReadStep], found: &mut Vec<Pointer>) {
    if found.len() > PLACES {
        return;
    }
    let Some((step, rest)) = steps.split_first() else {
        return found.push(at);
    };
    match (step, value) {
        (ReadStep::Name(_), Value::Array(items)) => {
            for (place, item) in items.items().iter().enumerate() {
                spread(item, at.child(Step::Item(place)), steps, found);
            }
        }
        (ReadStep::Name(name), _) => {
            if let Some(inner) = value.get(name) {
                spread(inner, at.child(Step::Member(name.clone())), rest, found);
            }
        }
        (ReadStep::Index(index), _) => match indexed(value, *index) {
            Some(None) => spread(value, at, rest, found),
            Some(Some(step)) => {
                let below = at.child(step.clone());
                if let Some(inner) = Pointer(vec![step]).get(value) {
                    spread(inner, below, rest, found);
                }
            }
            None => {}
        },
    }
}

/// The last stage up to `stage` that was reached.
pub(super) fn present(frame: &Frame, stage: Stage) -> Stage {
    let reached = |one: &Stage| *one <= stage && frame.visit.data.get(*one).is_some();
    Stage::ALL
        .into_iter()
        .rev()
        .find(reached)
        .unwrap_or(Stage::Input)
}

/// The value at a place, in the run right after its event.
pub(in crate::session) fn value_at(site: &Site, machine: &Machine) -> Option<Value> {
    let frame = machine.frame(site.frame)?;
    let whole = match &site.holder {
        Holder::Stage(stage) => frame.visit.data.get(*stage).cloned()?,
        Holder::Error => frame.visit.fault.as_ref()?.0.error_output(),
        Holder::Variable(name) => frame.variables.get(name).cloned()?,
        Holder::Context => machine.inspect(frame, &Value::Null).context(),
        Holder::Item(index) => super::item::item_of(frame, *index)?.value,
    };
    site.at.get(&whole).cloned()
}
