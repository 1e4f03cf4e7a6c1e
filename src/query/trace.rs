//! Where a value came from and how it was computed: the record of an evaluation that is repeated to explain it.
//!
//! A trace names places by document and pointer; where a document is in the run, only its reader knows.

use super::there::There;
use crate::json::{Pointer, Step, Text, Value};

/// A document that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// `$`.
    Data,
    /// `$$`, and `$states.context`.
    Context,
    /// `$name`.
    Variable(Text),
    /// A member of `$states`, except `context`.
    States(Text),
}

impl Base {
    /// The document that a member of `$states` is.
    #[must_use]
    pub fn of_states(name: &Text) -> Self {
        match &**name {
            "context" => Self::Context,
            _ => Self::States(name.clone()),
        }
    }
}

/// The members of `$states`.
pub(super) const STATES: [&str; 4] = ["input", "result", "errorOutput", "context"];

/// A place in a document that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The document.
    pub base: Base,
    /// The place in it.
    pub at: Pointer,
}

impl Spot {
    /// The whole of a document.
    #[must_use]
    pub fn root(base: Base) -> Self {
        Self {
            base,
            at: Pointer::root(),
        }
    }

    /// The place some steps further down.
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

/// A part of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// Index of the expression in its field.
    pub expression: u32,
    /// Number of the part in the expression's tree.
    pub node: u32,
}

/// How one expression, path or template was evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The evaluated parts in the order in which their evaluation began; a part comes before the parts below it.
    pub acts: Vec<Act>,
    /// Where the result came from.
    pub result: Provenance,
    /// Index of the innermost act that failed; `None` if the evaluation did not.
    pub failed: Option<u32>,
    /// True if the evaluation had more parts than are recorded; `result` is [`Provenance::Reads`] then.
    pub cut: bool,
}

/// The evaluation of one part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The part.
    pub node: NodeId,
    /// Index of the act whose evaluation needed this one; `None` for an outermost part.
    pub parent: Option<u32>,
    /// What the parent does with the value.
    pub role: Role,
    /// The value.
    pub value: Shown,
    /// Where the value came from.
    pub from: Provenance,
    /// What a lookup of this part did not find.
    pub miss: Option<Miss>,
}

/// What an evaluation does with the value of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The value is made of it, or is it.
    #[default]
    Operand,
    /// It decides what happens: a condition, a filter, a side of `and` and `or`, a sort key, a member's computed name.
    Decides,
    /// A function called back for it, for this many times before.
    Callback(u32),
}

/// Where a value came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Provenance {
    /// It is the value at this place.
    Copy(Spot),
    /// A new object or array of these parts.
    Built(Vec<(Step, Provenance)>),
    /// A value into which another was written.
    Inserted {
        /// Where the value around came from.
        into: Box<Provenance>,
        /// The place in it.
        at: Pointer,
        /// Where the written value came from.
        value: Box<Provenance>,
    },
    /// It was computed from the values of the acts directly below the act of this index. What a function hands to its
    /// callback was made by the act of the call, which is around the callback's acts.
    Made(u32),
    /// It is the value of the act of this index.
    Same(u32),
    /// It is written in the expression, or in the template at the same place if there is no part.
    Literal(Option<NodeId>),
    /// It was computed from some of these places.
    Reads(Vec<Spot>),
    /// Nothing is known of it.
    #[default]
    Unknown,
}

/// The value of a part, if it is small enough to keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shown {
    /// There is no value.
    #[default]
    Nothing,
    /// The whole value.
    Value(Value),
    /// A value that is not kept: its type, and its size in bytes.
    Large(&'static str, u64),
}

/// A lookup that found nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss {
    /// Where the value came from in which it was looked for.
    pub within: Provenance,
    /// The step that found nothing and the steps after it, as far as they are names and indexes from the front.
    pub steps: Vec<Step>,
    /// What is there instead; `None` if the document itself is missing.
    pub found: Option<There>,
    /// Number of values without it.
    pub without: u32,
    /// Number of values in which it was looked for.
    pub of: u32,
}

impl Provenance {
    /// Of an array of items that came from these places.
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
    /// Of one value that does not have these steps.
    #[must_use]
    pub fn of(within: Provenance, steps: Vec<Step>, found: Option<There>) -> Self {
        Self {
            within,
            steps,
            found,
            without: 1,
            of: 1,
        }
    }

    /// The same of the first of several values of so many.
    #[must_use]
    pub fn among(self, without: usize, of: usize) -> Self {
        Self {
            without: u32::try_from(without).unwrap_or(u32::MAX),
            of: u32::try_from(of).unwrap_or(u32::MAX),
            ..self
        }
    }

    /// The place that does not exist.
    #[must_use]
    pub fn spot(&self) -> Option<Spot> {
        match &self.within {
            Provenance::Copy(spot) => Some(spot.below(&self.steps)),
            _ => None,
        }
    }
}

impl Trace {
    /// Where a part of the result came from: the provenance of the smallest known value that contains it, moved down to
    /// the part if that value is a copy.
    #[must_use]
    pub fn at(&self, steps: &[Step]) -> Provenance {
        self.part(&self.result, steps)
    }

    /// Where a part of a value of this provenance came from.
    #[must_use]
    pub fn part(&self, whole: &Provenance, steps: &[Step]) -> Provenance {
        match (whole, steps) {
            (Provenance::Copy(spot), _) => Provenance::Copy(spot.below(steps)),
            (Provenance::Built(parts), [step, rest @ ..]) => {
                // Of members with the same name the last one counts.
                let part = parts.iter().rev().find(|(own, _)| own == step);
                part.map_or(Provenance::Unknown, |(_, part)| self.part(part, rest))
            }
            (Provenance::Inserted { into, at, value }, _) => {
                let common = at.0.iter().zip(steps).take_while(|(own, step)| own == step);
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

    /// The act of an index.
    #[must_use]
    pub fn act(&self, index: u32) -> Option<&Act> {
        self.acts.get(usize::try_from(index).ok()?)
    }

    /// The acts directly below the act of an index.
    pub fn below(&self, index: u32) -> impl Iterator<Item = (u32, &Act)> {
        let start = usize::try_from(index).unwrap_or(usize::MAX);
        let acts = (0_u32..).zip(&self.acts).skip(start.saturating_add(1));
        acts.take_while(move |(_, act)| act.parent.is_some_and(|parent| parent >= index))
            .filter(move |(_, act)| act.parent == Some(index))
    }

    /// The places on which the result depends: with every value elsewhere changed, it stays the same.
    #[must_use]
    pub fn reads(&self) -> Vec<Spot> {
        let mut reads = Reads {
            trace: self,
            seen: vec![[false; 3]; self.acts.len()],
            waiting: Vec::new(),
            spots: Vec::new(),
        };
        let outermost = (0_u32..)
            .zip(&self.acts)
            .filter(|(_, act)| act.parent.is_none());
        reads
            .waiting
            .extend(outermost.map(|(index, _)| (index, Asked::Way)));
        reads.add(&self.result);
        reads.follow();
        reads.spots.sort();
        reads.spots.dedup();
        reads.spots
    }
}

/// What is asked of an act.
#[derive(Clone, Copy)]
enum Asked {
    /// On which places the way depends that its evaluation took.
    Way,
    /// On which places its value depends, once the way is known.
    Value,
    /// On which places the values of the acts directly below it depend.
    Below,
}

/// The walk of [`Trace::reads`].
struct Reads<'t> {
    trace: &'t Trace,
    seen: Vec<[bool; 3]>,
    waiting: Vec<(u32, Asked)>,
    spots: Vec<Spot>,
}

impl Reads<'_> {
    fn follow(&mut self) {
        while let Some((index, asked)) = self.waiting.pop() {
            let place = usize::try_from(index).unwrap_or(usize::MAX);
            let seen = self
                .seen
                .get_mut(place)
                .map(|[way, value, below]| match asked {
                    Asked::Way => way,
                    Asked::Value => value,
                    Asked::Below => below,
                });
            if seen.is_some_and(|seen| !std::mem::replace(seen, true)) {
                match asked {
                    Asked::Way => self.way(index),
                    Asked::Value => self.value(index),
                    Asked::Below => self
                        .trace
                        .below(index)
                        .for_each(|(below, _)| self.both(below)),
                }
            }
        }
    }

    fn add(&mut self, from: &Provenance) {
        match from {
            Provenance::Copy(spot) => self.spots.push(spot.clone()),
            Provenance::Reads(spots) => self.spots.extend_from_slice(spots),
            Provenance::Built(parts) => parts.iter().for_each(|(_, part)| self.add(part)),
            Provenance::Inserted { into, value, .. } => {
                self.add(into);
                self.add(value);
            }
            Provenance::Made(act) => self
                .waiting
                .extend([(*act, Asked::Way), (*act, Asked::Below)]),
            Provenance::Same(act) => self.both(*act),
            Provenance::Literal(_) | Provenance::Unknown => {}
        }
    }

    fn both(&mut self, index: u32) {
        self.waiting
            .extend([(index, Asked::Way), (index, Asked::Value)]);
    }

    fn value(&mut self, index: u32) {
        // What does not exist depends on the place where it was looked for alone, which is on the way.
        let made = |act: &&Act| act.miss.is_none() || act.value != Shown::Nothing;
        if let Some(act) = self.trace.act(index).filter(made) {
            self.add(&act.from);
        }
    }

    fn way(&mut self, index: u32) {
        let trace = self.trace;
        let miss = trace.act(index).and_then(|act| act.miss.as_ref());
        self.spots.extend(miss.and_then(Miss::spot));
        for (below, act) in trace.below(index) {
            match act.role {
                Role::Operand => self.waiting.push((below, Asked::Way)),
                Role::Decides | Role::Callback(_) => self.both(below),
            }
        }
    }
}

/// A trace while it is recorded. What is evaluated with a recorder leaves in it where the value came from.
#[derive(Debug, Default)]
pub struct Recorder {
    trace: Trace,
    /// Index of the expression in its field.
    expression: u32,
    /// Number of the next part of the expression.
    next: u32,
    /// The innermost act that has not ended.
    act: Option<u32>,
}

impl Recorder {
    /// What `evaluate` returns, and its trace.
    pub(super) fn record<T>(evaluate: impl FnOnce(&mut Self) -> T) -> (T, Trace) {
        let mut recorder = Self::default();
        let result = evaluate(&mut recorder);
        (result, recorder.trace)
    }

    /// Begins a part of the expression that has this many numbers; returns its act.
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

    /// A part of the expression that is written out.
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

    /// Ends a part with its value; where that came from has been left here.
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

    /// Leaves where the value came from.
    pub(super) fn result(&mut self, from: Provenance) {
        self.trace.result = from;
    }

    /// Takes where the last value came from.
    pub(super) fn take(&mut self) -> Provenance {
        std::mem::take(&mut self.trace.result)
    }

    /// Where a part came from of a value of this provenance.
    pub(super) fn part(&self, whole: &Provenance, steps: &[Step]) -> Provenance {
        self.trace.part(whole, steps)
    }

    /// The innermost part looked for something that does not exist.
    pub(super) fn misses(&mut self, miss: Miss) {
        if let Some(act) = self.act.and_then(|act| self.act_mut(act)) {
            act.miss.get_or_insert(miss);
        }
    }

    /// A part of the innermost act, this many numbers after its own, that decides and whose value is not recorded.
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

    /// The operands of the innermost act decide, too, of which parts its value is built.
    pub(super) fn decide_below(&mut self) {
        let operands = self.trace.acts.iter_mut();
        for act in operands.filter(|act| act.parent == self.act && act.role == Role::Operand) {
            act.role = Role::Decides;
        }
    }

    /// Begins the next expression of a field.
    pub(super) fn next_expression(&mut self) {
        (self.expression, self.next) = (self.expression.saturating_add(1), 0);
    }
}
