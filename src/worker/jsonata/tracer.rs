//! Records how an expression is evaluated: which of its nodes were evaluated, and where their values came from. An act
//! is one recorded step: the evaluation of a node, or the reading of a value that no node has.
//!
//! A value carries its origin as a tag, so operations that only move a value need no special handling. If a node's
//! value has no tag, the node created the value.

use super::datum::{Datum, Origin, Tag};
use super::function::Function;
use super::plan::{Form, Node};
use super::value::to_json;
use crate::json::{Pointer, Step};
use crate::query::jsonata::Reads;
use crate::query::trace::{Act, Base, Miss, NodeId, Provenance, Role, Shown, Spot, Trace};
use std::cell::Cell;
use std::rc::Rc;

/// Maximum number of acts in a trace.
const ACTS: usize = 100_000;
/// Maximum number of parts of the inputs that are tracked, and of parts of the values that the evaluation creates.
const PARTS: usize = 1_000_000;
/// Maximum size, in bytes, of a value that the trace keeps. Of a larger value, it keeps only the type and the size.
const SHOWN: u64 = 4 << 10;
/// Maximum total size of the values kept, in bytes.
const ALL_SHOWN: u64 = 16 << 20;
/// Functions that select their result from their arguments or from parts of them.
const SELECTING: [&str; 5] = ["distinct", "lookup", "max", "min", "partition"];

/// The recording of an evaluation in progress.
#[derive(Debug)]
pub(super) struct Tracer {
    /// Index of the expression in its field.
    expression: u32,
    spots: Spots,
    acts: Vec<Evaluated>,
    scope: Scope,
    /// The act that ended most recently.
    ended: Option<u32>,
    /// Number of parts of values created by the evaluation.
    parts: usize,
    /// Number of parts of created values that can still get a provenance of their own.
    apart: Cell<usize>,
    cut: bool,
}

/// A recorded act, with the value of its node.
#[derive(Debug)]
struct Evaluated {
    node: u32,
    parent: Option<u32>,
    role: Role,
    value: Datum,
    miss: Option<Lookup>,
    /// True if the node's value was selected from its operands or their parts. The value then depends on the operands
    /// that were not selected, too.
    selects: bool,
}

/// A lookup of a member or item that at least one of the searched values lacks. `within` is the first value that lacks
/// it.
#[derive(Debug)]
struct Lookup {
    within: Datum,
    step: Step,
    without: u32,
    of: u32,
}

/// The acts and calls that enclose the current point of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The innermost act that has not ended.
    act: Option<u32>,
    /// Number of calls that have begun directly below the innermost act.
    calls: u32,
    /// The number of the current call, counted from 0, if a built-in function calls a callback.
    callback: Option<u32>,
}

impl Tracer {
    pub(super) fn new(expression: u32, spots: Spots) -> Self {
        Self {
            cut: spots.are_full(),
            expression,
            spots,
            acts: Vec::new(),
            scope: Scope::default(),
            ended: None,
            parts: 0,
            apart: Cell::new(PARTS),
        }
    }

    /// Begins an act for the evaluation of a node. Returns the previous scope, which [`Self::end`] restores.
    pub(super) fn begin(&mut self, node: &Node) -> Scope {
        let role = match self.scope.callback {
            _ if node.decides => Role::Decides,
            Some(number) => Role::Callback(number),
            None => Role::Operand,
        };
        self.enter(node.id, role)
    }

    fn enter(&mut self, node: u32, role: Role) -> Scope {
        let parent = self.scope.act;
        self.cut |= self.acts.len() >= ACTS || self.parts > PARTS;
        if self.cut {
            return std::mem::take(&mut self.scope);
        }
        let act = u32::try_from(self.acts.len()).unwrap_or(u32::MAX);
        self.acts.push(Evaluated {
            node,
            parent,
            role,
            value: Datum::Nothing,
            miss: None,
            selects: false,
        });
        let scope = Scope {
            act: Some(act),
            ..Scope::default()
        };
        std::mem::replace(&mut self.scope, scope)
    }

    /// Ends the recorded evaluation (the act) of a node, and makes `around` the current scope again. Returns the node's
    /// value with a tag that refers to the act.
    pub(super) fn end(&mut self, node: &Node, around: Scope, value: Datum) -> Datum {
        let act = std::mem::replace(&mut self.scope, around).act;
        self.ended = act;
        match &node.form {
            Form::Literal(_) if node.is_plain() => self.keep(value.with_tag(Tag::literal(node.id))),
            _ => self.made(value),
        }
    }

    /// Tags a value that the most recently ended act created.
    pub(super) fn made(&mut self, value: Datum) -> Datum {
        let value = match self.ended {
            Some(act) => value.tagged(Tag::act(act), &mut self.parts),
            None => value,
        };
        self.keep(value)
    }

    fn keep(&mut self, value: Datum) -> Datum {
        if let Some(act) = self.ended.and_then(|act| self.evaluated(act)) {
            act.value = value.clone();
        }
        value
    }

    fn evaluated(&mut self, act: u32) -> Option<&mut Evaluated> {
        self.acts.get_mut(usize::try_from(act).ok()?)
    }

    /// Begins a call of `function` from the innermost act. Returns the value for [`Self::end_call`]. Arguments without
    /// a tag get the innermost act as their origin: a built-in function that calls a callback creates such arguments.
    pub(super) fn begin_call(
        &mut self,
        function: &Function,
        arguments: &mut [Datum],
    ) -> Option<u32> {
        let number = self.scope.calls.checked_sub(1);
        self.scope.calls = self.scope.calls.saturating_add(1);
        if let Some(act) = self.scope.act {
            for argument in &mut *arguments {
                *argument = std::mem::take(argument).tagged(Tag::act(act), &mut self.parts);
            }
        }
        let around = std::mem::replace(&mut self.scope.callback, number);
        // Only a lambda has nodes that read the arguments. For any other callback, the reading is recorded here.
        if let (Some(number), false) = (number, matches!(function, Function::Lambda { .. })) {
            for argument in arguments {
                self.reads(argument, Role::Callback(number));
            }
        }
        around
    }

    /// Records that the innermost act read a value that is not the value of a node in the expression.
    pub(super) fn reads(&mut self, value: &Datum, role: Role) {
        if let Some(act) = self.scope.act.and_then(|act| self.evaluated(act)) {
            let node = act.node;
            let around = self.enter(node, role);
            self.ended = std::mem::replace(&mut self.scope, around).act;
            self.keep(value.clone());
        }
    }

    /// Ends a call; `around` comes from [`Self::begin_call`].
    pub(super) fn end_call(&mut self, around: Option<u32>) {
        self.scope.callback = around;
    }

    /// Records that the innermost act calls a built-in function.
    pub(super) fn runs(&mut self, builtin: &str) {
        let selects = SELECTING.contains(&builtin);
        if let Some(act) = self.scope.act.and_then(|act| self.evaluated(act)) {
            act.selects |= selects;
        }
    }

    /// Records that the innermost act searched `of` values for a member or item, and that `without` of them lack it.
    /// `within` is the first value that lacks it.
    pub(super) fn misses(&mut self, within: &Datum, step: Step, without: usize, of: usize) {
        if let Some(act) = self.scope.act.and_then(|act| self.evaluated(act)) {
            act.miss.get_or_insert_with(|| Lookup {
                within: within.clone(),
                step,
                without: u32::try_from(without).unwrap_or(u32::MAX),
                of: u32::try_from(of).unwrap_or(u32::MAX),
            });
        }
    }

    /// Returns the trace of an expression. `reads` lists the values that the expression reads; they are the result's
    /// provenance if the trace became too large.
    pub(super) fn finish(self, reads: &Reads) -> Trace {
        if self.cut || self.parts > PARTS {
            return Trace {
                acts: Vec::new(),
                result: Provenance::Reads(reads.spots()),
                failed: None,
                cut: true,
            };
        }
        let mut room = ALL_SHOWN;
        let acts = (0_u32..).zip(&self.acts).map(|(index, act)| Act {
            node: self.node(act.node),
            parent: act.parent,
            role: self.role(act),
            value: shown(&act.value, &mut room),
            from: self.from(&act.value, Some(index)),
            miss: act.miss.as_ref().map(|lookup| self.miss(lookup)),
        });
        let acts: Vec<Act> = acts.collect();
        let whole = acts.first().map(|act| act.from.clone());
        Trace {
            result: whole.unwrap_or_default(),
            acts,
            failed: self.scope.act,
            cut: false,
        }
    }

    fn node(&self, node: u32) -> NodeId {
        NodeId {
            expression: self.expression,
            node,
        }
    }

    fn role(&self, act: &Evaluated) -> Role {
        let parent = act.parent.and_then(|parent| usize::try_from(parent).ok());
        match parent.and_then(|parent| self.acts.get(parent)) {
            Some(parent) if parent.selects && act.role == Role::Operand => Role::Decides,
            _ => act.role,
        }
    }

    /// Provenance of a value. `act` is the recorded evaluation step (act) that produced the value, or the act that
    /// created the list or record that contains it.
    fn from(&self, value: &Datum, act: Option<u32>) -> Provenance {
        match value.tag().origin() {
            Some(Origin::Spot(spot)) => self.spots.spot(spot),
            Some(Origin::Literal(node)) => Provenance::Literal(Some(self.node(node))),
            Some(Origin::Act(maker)) if act != Some(maker) && self.is_value(maker, value) => {
                Provenance::Same(maker)
            }
            Some(Origin::Act(maker)) => self.built(value, maker),
            None => act.map_or(Provenance::Unknown, Provenance::Made),
        }
    }

    /// True if a list or record is the very value that an act produced, not an equal copy.
    fn is_value(&self, act: u32, value: &Datum) -> bool {
        let whole = usize::try_from(act).ok().and_then(|at| self.acts.get(at));
        match (whole.map(|act| &act.value), value) {
            (Some(Datum::List(whole)), Datum::List(list)) => whole.same(list),
            (Some(Datum::Record(whole, _)), Datum::Record(record, _)) => Rc::ptr_eq(whole, record),
            _ => false,
        }
    }

    /// Provenance of a value that an act built: the provenance of each part, if the parts differ.
    fn built(&self, value: &Datum, act: u32) -> Provenance {
        let made = Provenance::Made(act);
        let count = match value {
            Datum::List(list) => list.len(),
            Datum::Record(record, _) => record.members().len(),
            _ => 0,
        };
        let Some(left) = self.apart.get().checked_sub(count) else {
            return made;
        };
        self.apart.set(left);
        let part = |part: &Datum| {
            stacker::maybe_grow(128 << 10, 2 << 20, || match part.tag().origin() {
                Some(Origin::Act(maker)) if maker == act => self.built(part, act),
                _ => self.from(part, Some(act)),
            })
        };
        let parts: Vec<(Step, Provenance)> = match value {
            Datum::List(list) => {
                let items = list.iter().enumerate();
                items
                    .map(|(place, item)| (Step::Item(place), part(item)))
                    .collect()
            }
            Datum::Record(record, _) => {
                let members = record.members().iter();
                members
                    .map(|(name, member)| (Step::Member((&**name).into()), part(member)))
                    .collect()
            }
            _ => Vec::new(),
        };
        if parts.iter().all(|(_, part)| *part == made) {
            return made;
        }
        Provenance::Built(parts)
    }

    fn miss(&self, lookup: &Lookup) -> Miss {
        Miss {
            within: self.from(&lookup.within, None),
            steps: vec![lookup.step.clone()],
            without: lookup.without,
            of: lookup.of,
        }
    }
}

fn shown(value: &Datum, room: &mut u64) -> Shown {
    let extent = value.extent();
    match value {
        Datum::Nothing => Shown::Nothing,
        value if extent.bytes <= SHOWN.min(*room) && !extent.functions => {
            *room = room.saturating_sub(extent.bytes);
            to_json(value).map_or(Shown::Nothing, Shown::Value)
        }
        value => Shown::Large(value.kind(), extent.bytes),
    }
}

/// All tracked locations in the inputs. A location is a whole input, or a part of another location.
#[derive(Debug, Default)]
pub(super) struct Spots(Vec<Place>);

#[derive(Debug)]
enum Place {
    Document(Base),
    Part(u32, Step),
}

impl Spots {
    /// The tag of a whole input.
    pub(super) fn document(&mut self, base: Base) -> Tag {
        self.add(Place::Document(base))
    }

    /// The tag of the part to which `step` leads from the location with the tag `whole`.
    pub(super) fn part(&mut self, whole: Tag, step: Step) -> Tag {
        match whole.origin() {
            Some(Origin::Spot(index)) => self.add(Place::Part(index, step)),
            _ => Tag::NONE,
        }
    }

    fn add(&mut self, place: Place) -> Tag {
        if self.are_full() {
            return Tag::NONE;
        }
        let index = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(place);
        Tag::spot(index)
    }

    /// True if the inputs have more parts than can be tracked.
    fn are_full(&self) -> bool {
        self.0.len() > PARTS
    }

    /// The location that a tag's index refers to.
    pub(super) fn spot(&self, mut index: u32) -> Provenance {
        let mut steps = Vec::new();
        loop {
            match usize::try_from(index).ok().and_then(|at| self.0.get(at)) {
                Some(Place::Part(whole, step)) => {
                    steps.push(step.clone());
                    index = *whole;
                }
                Some(Place::Document(base)) => {
                    steps.reverse();
                    let base = base.clone();
                    let at = Pointer(steps);
                    return Provenance::Copy(Spot { base, at });
                }
                None => return Provenance::Unknown,
            }
        }
    }
}
