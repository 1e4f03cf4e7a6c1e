//! Traces: records of where a value came from and how it was computed. To record a trace, the evaluation is repeated.
//!
//! A trace gives each place as a document and a pointer. Only its reader knows where in a run the document is.

use super::{Bindings, QueryError};
use crate::json::{Pointer, Step, Text, Value};
use std::collections::HashSet;

/// Identifies a JSON document that an expression can read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// `$`.
    Data,
    /// `$$`, and `$states.context`.
    Context,
    /// `$name`, a variable.
    Variable(Text),
    /// `$states.input` or another member of `$states`, by its name; `$states.context` is [`Self::Context`].
    States(Text),
}

impl Base {
    /// The document that `$states.name` refers to.
    #[must_use]
    pub fn of_states(name: &Text) -> Self {
        match &**name {
            "context" => Self::Context,
            _ => Self::States(name.clone()),
        }
    }

    /// The value of this document, as JSONPath reads it; `None` for a member of `$states` and for an unset variable.
    #[must_use]
    pub fn value(&self, bindings: &dyn Bindings) -> Option<Value> {
        match self {
            Self::Data => Some(bindings.data().clone()),
            Self::Context => Some(bindings.context()),
            Self::Variable(name) => bindings.variable(name),
            Self::States(_) => None,
        }
    }
}

/// Maximum number of nested acts (evaluated parts of an expression) that [`Trace::decides`] examines.
const AROUND: usize = 64;

/// The members of `$states`.
pub(super) const STATES: [&str; 4] = ["input", "result", "errorOutput", "context"];

/// A place in a document that an expression can read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The document.
    pub base: Base,
    /// Where the place is in the document.
    pub at: Pointer,
}

impl Spot {
    /// The root of a document.
    #[must_use]
    pub fn root(base: Base) -> Self {
        Self {
            base,
            at: Pointer::root(),
        }
    }

    /// The value that JSONPath reads at this place.
    #[must_use]
    pub fn value(&self, bindings: &dyn Bindings) -> Option<Value> {
        self.at.get(&self.base.value(bindings)?).cloned()
    }

    /// Returns the place that is reached from this place by following `steps`.
    #[must_use]
    pub fn below(&self, steps: &[Step]) -> Self {
        let mut at = self.at.clone();
        at.0.extend_from_slice(steps);
        Self {
            base: self.base.clone(),
            at,
        }
    }
}

/// Identifies a part of an expression, such as a function call or an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// Index of the expression within its field.
    pub expression: u32,
    /// Number of the part within the expression's tree.
    pub node: u32,
}

/// How one expression, path or template was evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The acts: one for each evaluated part, in the order in which the evaluations began. A part precedes the parts
    /// below it.
    pub acts: Vec<Act>,
    /// Where the result came from.
    pub result: Provenance,
    /// Index, in `acts`, of the innermost part whose evaluation failed; `None` if the evaluation succeeded.
    pub failed: Option<u32>,
    /// True if the evaluation had more parts than can be recorded; `result` is then [`Provenance::Reads`].
    pub cut: bool,
}

/// The evaluation of one part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The evaluated part.
    pub node: NodeId,
    /// Index of the act that contains this act; `None` for an outermost act.
    pub parent: Option<u32>,
    /// How the evaluation of the containing part uses the value of this part.
    pub role: Role,
    /// The value of the part.
    pub value: Shown,
    /// Where the value of the part came from.
    pub from: Provenance,
    /// The lookup that found nothing in this part, if there was one.
    pub miss: Option<Miss>,
}

/// How an evaluation uses the value of one of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The result contains the value or is computed from it.
    #[default]
    Operand,
    /// The value decides how the evaluation proceeds: a condition, a filter, an operand of `and` or `or`, a sort key,
    /// the computed name of a member.
    Decides,
    /// The value is what a function's callback returned. The number counts the earlier calls of that callback.
    Callback(u32),
}

/// Where a value came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Provenance {
    /// The value is a copy of the value at this place.
    Copy(Spot),
    /// The value is a new object or array. The list gives the provenance of each part.
    Built(Vec<(Step, Provenance)>),
    /// The value is a copy of an outer value, into which another value was inserted.
    Inserted {
        /// Provenance of the outer value.
        into: Box<Provenance>,
        /// Place of the inserted value in the outer value.
        at: Pointer,
        /// Provenance of the inserted value.
        value: Box<Provenance>,
    },
    /// The act with this index computed the value, from the values of the acts directly below. If a function creates
    /// an argument of its callback, this is the act of the function's call, which contains the callback's acts.
    Made(u32),
    /// The value is that of the act with this index, unchanged.
    Same(u32),
    /// The value is a literal: the node with this id. Without an id, it is a literal of a template, at the same place
    /// as the value in the result.
    Literal(Option<NodeId>),
    /// The value was computed from some of the values at these places; which ones is not known.
    Reads(Vec<Spot>),
    /// The provenance is not known.
    #[default]
    Unknown,
}

/// The value of a part, if it is small enough to be recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shown {
    /// The part has no value.
    #[default]
    Nothing,
    /// The complete value.
    Value(Value),
    /// The value is too large to be recorded. Only its type and its size in bytes are known.
    Large(&'static str, u64),
}

/// A lookup (of a member or an item, by a path) that found nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss {
    /// Provenance of the value in which the lookup failed.
    pub within: Provenance,
    /// The steps that were not found: the failed step and the steps after it, up to the first that is not a name or a
    /// non-negative index.
    pub steps: Vec<Step>,
    /// Number of values in which the lookup failed.
    pub without: u32,
    /// Number of values in which the lookup was tried.
    pub of: u32,
}

impl Provenance {
    /// The provenance of an array whose items have these provenances.
    #[must_use]
    pub fn items(items: impl Iterator<Item = Self>) -> Self {
        let items = items.enumerate();
        Self::Built(
            items
                .map(|(place, item)| (Step::Item(place), item))
                .collect(),
        )
    }
}

impl Miss {
    /// A failed lookup of `steps` in a single value, which has the provenance `within`.
    #[must_use]
    pub fn of(within: Provenance, steps: Vec<Step>) -> Self {
        Self {
            within,
            steps,
            without: 1,
            of: 1,
        }
    }

    /// Sets the counts of a lookup that was tried in `of` values and failed in `without` of them.
    #[must_use]
    pub fn among(self, without: usize, of: usize) -> Self {
        Self {
            without: u32::try_from(without).unwrap_or(u32::MAX),
            of: u32::try_from(of).unwrap_or(u32::MAX),
            ..self
        }
    }

    /// The place in the data at which a value is missing; `None` if the lookup was in a computed value.
    #[must_use]
    pub fn spot(&self) -> Option<Spot> {
        match &self.within {
            Provenance::Copy(spot) => Some(spot.below(&self.steps)),
            _ => None,
        }
    }
}

impl Trace {
    /// The provenance of the part of the result at `steps`. If no provenance is recorded for that part, returns the
    /// provenance of the smallest enclosing part that has one.
    #[must_use]
    pub fn at(&self, steps: &[Step]) -> Provenance {
        self.part(&self.result, steps)
    }

    /// The provenance of the part at `steps` of a value whose provenance is `whole`.
    #[must_use]
    pub fn part(&self, whole: &Provenance, steps: &[Step]) -> Provenance {
        match (whole, steps) {
            (Provenance::Copy(spot), _) => Provenance::Copy(spot.below(steps)),
            (Provenance::Built(parts), [step, rest @ ..]) => {
                // If several members have the same name, the last one counts.
                let part = parts.iter().rev().find(|(key, _)| key == step);
                part.map_or(Provenance::Unknown, |(_, part)| self.part(part, rest))
            }
            (Provenance::Inserted { into, at, value }, _) => {
                let common = at.0.iter().zip(steps).take_while(|(key, step)| key == step);
                match (at.0.get(common.count()..), steps.get(at.0.len()..)) {
                    (Some([]), Some(rest)) => self.part(value, rest),
                    (Some(below), None) if at.0.len() - below.len() == steps.len() => {
                        Provenance::Inserted {
                            into: Box::new(self.part(into, steps)),
                            at: Pointer(below.to_vec()),
                            value: value.clone(),
                        }
                    }
                    _ => self.part(into, steps),
                }
            }
            (Provenance::Same(act), _) => match self.act(*act) {
                Some(act) => self.part(&act.from, steps),
                None => Provenance::Unknown,
            },
            _ => whole.clone(),
        }
    }

    /// The place that a path selected. If no value is there, returns the last place along the path that has a value.
    #[must_use]
    pub fn reached(&self) -> Pointer {
        let missed = self.acts.first().and_then(|act| act.miss.as_ref());
        match missed.map_or(&self.result, |miss| &miss.within) {
            Provenance::Copy(spot) => spot.at.clone(),
            _ => Pointer::root(),
        }
    }

    /// The act with this index.
    #[must_use]
    pub fn act(&self, index: u32) -> Option<&Act> {
        self.acts.get(usize::try_from(index).ok()?)
    }

    /// True if the value of this act, or of an act that contains it, decided how the evaluation proceeded.
    #[must_use]
    pub fn decides(&self, act: &Act) -> bool {
        let around = std::iter::successors(Some(act), |act| self.act(act.parent?));
        let mut around = around.take(AROUND);
        around.any(|act| act.role == Role::Decides)
    }

    /// The acts directly below the act with this index.
    pub fn below(&self, index: u32) -> impl Iterator<Item = (u32, &Act)> {
        let start = usize::try_from(index).unwrap_or(usize::MAX);
        let acts = (0_u32..).zip(&self.acts).skip(start.saturating_add(1));
        acts.take_while(move |(_, act)| act.parent.is_some_and(|parent| parent >= index))
            .filter(move |(_, act)| act.parent == Some(index))
    }

    /// The places that the result depends on. A change at any other place would not change the result.
    #[must_use]
    pub fn reads(&self) -> Vec<Spot> {
        let mut followed = Followed {
            ways: true,
            ..Followed::up_to(usize::MAX)
        };
        let below = |index| self.below(index).map(|(below, _)| below).collect();
        let outermost = (0_u32..)
            .zip(&self.acts)
            .filter(|(_, act)| act.parent.is_none());
        for (index, _) in outermost {
            self.follow(Follow::Way(index), &mut followed, &below);
        }
        self.follow(Follow::From(&self.result), &mut followed, &below);
        let mut spots = followed.found;
        spots.append(&mut followed.missing);
        spots.sort();
        spots.dedup();
        spots
    }

    /// Adds to `followed` the places that a value was made from. `order` returns the acts directly below an act, in the
    /// order in which this function visits them.
    pub fn follow<'t>(
        &'t self,
        start: Follow<'t>,
        followed: &mut Followed,
        order: &dyn Fn(u32) -> Vec<u32>,
    ) {
        // A loop instead of recursion, because acts can be nested deeper than the stack allows.
        let mut waiting = vec![start];
        while let Some(next) = waiting.pop() {
            if followed.found.len() >= followed.most {
                return;
            }
            let begun = waiting.len();
            let seen = match next {
                Follow::From(_) => None,
                Follow::Act(index) => Some((index, 0)),
                Follow::Below(index) => Some((index, 1)),
                Follow::Way(index) => Some((index, 2)),
            };
            if seen.is_some_and(|seen| !followed.seen.insert(seen)) {
                continue;
            }
            match next {
                Follow::Act(index) => {
                    match self.act(index) {
                        Some(Act {
                            miss: Some(miss),
                            value: Shown::Nothing,
                            ..
                        }) => followed.missing.extend(miss.spot()),
                        Some(act) => waiting.push(Follow::From(&act.from)),
                        None => {}
                    }
                    waiting.extend(followed.ways.then_some(Follow::Way(index)));
                }
                Follow::From(Provenance::Copy(spot)) => followed.found.push(spot.clone()),
                Follow::From(Provenance::Reads(reads)) => followed.found.extend_from_slice(reads),
                Follow::From(Provenance::Built(parts)) => {
                    waiting.extend(parts.iter().map(|(_, part)| Follow::From(part)));
                }
                Follow::From(Provenance::Inserted { into, value, .. }) => {
                    waiting.extend([Follow::From(value), Follow::From(into)]);
                }
                Follow::From(Provenance::Made(act)) => {
                    waiting.push(Follow::Below(*act));
                    waiting.extend(followed.ways.then_some(Follow::Way(*act)));
                }
                Follow::From(Provenance::Same(act)) => waiting.push(Follow::Act(*act)),
                Follow::From(Provenance::Literal(_) | Provenance::Unknown) => {}
                Follow::Below(index) => waiting.extend(order(index).into_iter().map(Follow::Act)),
                Follow::Way(index) => {
                    let miss = self.act(index).and_then(|act| act.miss.as_ref());
                    followed.missing.extend(miss.and_then(Miss::spot));
                    waiting.extend(self.below(index).map(|(below, act)| match act.role {
                        Role::Operand => Follow::Way(below),
                        Role::Decides | Role::Callback(_) => Follow::Act(below),
                    }));
                }
            }
            // `waiting` is a stack. The entries just added are reversed, because the first of them must be on top.
            if let Some(added) = waiting.get_mut(begun..) {
                added.reverse();
            }
        }
    }
}

/// Where [`Trace::follow`] starts or continues: something to trace back to the places it came from.
#[derive(Clone, Copy, Debug)]
pub enum Follow<'t> {
    /// The value of the act with this index.
    Act(u32),
    /// A value with this provenance.
    From(&'t Provenance),
    /// The values of the acts directly below the act with this index.
    Below(u32),
    /// The places that decided how the act with this index was evaluated.
    Way(u32),
}

/// The places that [`Trace::follow`] has found.
#[derive(Debug, Default)]
pub struct Followed {
    /// Places at which a value was read.
    pub found: Vec<Spot>,
    /// Places at which a lookup found no value.
    pub missing: Vec<Spot>,
    /// [`Trace::follow`] ends when `found` has this number of places or more.
    most: usize,
    /// True to include the places whose values only decided how the evaluation proceeded.
    ways: bool,
    /// The starting points that have been followed: the index of an act, and a number for the variant of [`Follow`].
    seen: HashSet<(u32, u8)>,
}

impl Followed {
    /// An empty result that collects about `most` places.
    #[must_use]
    pub fn up_to(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }
}

/// Records the trace of an evaluation. Each evaluated part stores the provenance of its value in the recorder.
#[derive(Debug, Default)]
pub struct Recorder {
    trace: Trace,
    /// Index of the expression within its field.
    expression: u32,
    /// Node number of the part of the expression that is evaluated next.
    next: u32,
    /// Index of the innermost act that has not ended.
    act: Option<u32>,
}

impl Recorder {
    /// Runs `evaluate` and returns its result with the trace.
    pub(super) fn record<T>(evaluate: impl FnOnce(&mut Self) -> T) -> (T, Trace) {
        let mut recorder = Self::default();
        let result = evaluate(&mut recorder);
        (result, recorder.trace)
    }

    /// Begins the act of the next part of the expression and returns the index of the act. The part takes up `numbers`
    /// node numbers.
    pub(super) fn begin(&mut self, numbers: usize, role: Role) -> u32 {
        let node = NodeId {
            expression: self.expression,
            node: self.next,
        };
        let numbers = u32::try_from(numbers).unwrap_or(u32::MAX);
        self.next = self.next.saturating_add(numbers);
        let act = self.push(node, role);
        self.act = Some(act);
        self.trace.result = Provenance::Unknown;
        act
    }

    /// Records a complete act for a literal.
    pub(super) fn literal(&mut self, value: &Value) {
        let act = self.begin(1, Role::Operand);
        let node = self.trace.act(act).map(|act| act.node);
        self.result(Provenance::Literal(node));
        self.end(act, Some(value));
    }

    fn push(&mut self, node: NodeId, role: Role) -> u32 {
        let index = u32::try_from(self.trace.acts.len()).unwrap_or(u32::MAX);
        self.trace.acts.push(Act {
            node,
            parent: self.act,
            role,
            value: Shown::Nothing,
            from: Provenance::Unknown,
            miss: None,
        });
        index
    }

    /// Ends the act with this index; without a value, the part failed. The provenance must be stored before this call.
    pub(super) fn end(&mut self, index: u32, value: Option<&Value>) {
        let from = std::mem::take(&mut self.trace.result);
        self.trace.result = match &from {
            Provenance::Built(_) | Provenance::Inserted { .. } => Provenance::Same(index),
            other => other.clone(),
        };
        if value.is_none() {
            self.trace.failed.get_or_insert(index);
        }
        if let Some(act) = self.act_mut(index) {
            act.value = value.cloned().map_or(Shown::Nothing, Shown::Value);
            act.from = from;
            self.act = act.parent;
        }
    }

    fn act_mut(&mut self, index: u32) -> Option<&mut Act> {
        self.trace.acts.get_mut(usize::try_from(index).ok()?)
    }

    /// Stores the provenance of the value that was computed last.
    pub(super) fn result(&mut self, from: Provenance) {
        self.trace.result = from;
    }

    /// Removes and returns the provenance of the value that was computed last.
    pub(super) fn take(&mut self) -> Provenance {
        std::mem::take(&mut self.trace.result)
    }

    /// The provenance of the part at `steps` of a value whose provenance is `whole`.
    pub(super) fn part(&self, whole: &Provenance, steps: &[Step]) -> Provenance {
        self.trace.part(whole, steps)
    }

    /// Records, in the innermost act, a lookup that found nothing.
    pub(super) fn misses(&mut self, miss: Miss) {
        if let Some(act) = self.act.and_then(|act| self.act_mut(act)) {
            act.miss.get_or_insert(miss);
        }
    }

    /// Adds an act for a value that decided how the evaluation proceeds, with its provenance `from` but without the
    /// value. Its node number is `after` more than the node number of the innermost act.
    pub(super) fn decides(&mut self, after: usize, from: Provenance) {
        let Some(mut node) = self
            .act
            .and_then(|act| self.trace.act(act))
            .map(|act| act.node)
        else {
            return;
        };
        let after = u32::try_from(after).unwrap_or(u32::MAX);
        node.node = node.node.saturating_add(after);
        let act = self.push(node, Role::Decides);
        if let Some(act) = self.act_mut(act) {
            act.from = from;
        }
    }

    /// Changes the role of the innermost act's operands to [`Role::Decides`]: they only select the parts of which the
    /// act's value consists.
    pub(super) fn decide_below(&mut self) {
        let operands = self.trace.acts.iter_mut();
        for act in operands.filter(|act| act.parent == self.act && act.role == Role::Operand) {
            act.role = Role::Decides;
        }
    }

    /// Begins the next expression of the field; its parts are numbered from 0.
    pub(super) fn next_expression(&mut self) {
        (self.expression, self.next) = (self.expression.saturating_add(1), 0);
    }
}

/// A path, an intrinsic function or a template: anything that can be evaluated to a value.
pub trait Evaluate {
    /// Returns the value. A recorder, if there is one, receives where the value came from.
    ///
    /// # Errors
    /// If a definite path has no match, a variable has no value or a function fails.
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError>;

    /// Returns the value.
    ///
    /// # Errors
    /// If a definite path has no match, a variable has no value or a function fails.
    fn eval(&self, bindings: &dyn Bindings) -> Result<Value, QueryError> {
        self.record(bindings, None)
    }

    /// Returns the value, and the trace of how it was computed.
    fn trace(&self, bindings: &dyn Bindings) -> (Result<Value, QueryError>, Trace) {
        Recorder::record(|recorder| self.record(bindings, Some(recorder)))
    }
}
