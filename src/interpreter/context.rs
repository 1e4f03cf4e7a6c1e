//! The values of a machine that an expression can read: variables, the document `$`, and the context object, which `$$`
//! selects. Also the names that are generated for the context object.

use super::children::Item;
use super::evaluate::name_of;
use super::event::FrameId;
use super::fault::Difference;
use super::frame::{Begun, Frame};
use super::machine::Machine;
use super::run::{random_bits, uuid_of};
use super::stage::has_work;
use crate::definition::{State, StateKind};
use crate::json::{Text, Value};
use crate::query::{Bindings, Divergence, Profile};
use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

/// The context object for an expression in the frame. `item` is the item for which an ItemSelector is evaluated; `None`
/// at other times.
#[must_use]
pub fn context(machine: &Machine, frame: &Frame, item: Option<&Item>) -> Value {
    made(machine, frame, item, None, None)
}

/// A context object for a path that needs only the member `member` and, if `inner` is given, only the member `inner` of
/// that member. The object may have more members.
pub(super) fn context_with(
    machine: &Machine,
    frame: &Frame,
    item: Option<&Item>,
    (member, inner): (&str, Option<&str>),
) -> Value {
    made(machine, frame, item, Some(member), inner)
}

/// Looks up a path of names in the context object without building the object. Returns the number of names at the start
/// of the path that were resolved, and the value to which they lead. `None` if the object has to be built. A template
/// calls this function once per item.
pub(super) fn context_at(
    machine: &Machine,
    frame: &Frame,
    item: Option<&Item>,
    names: &[&str],
) -> Option<(usize, Value)> {
    let run = machine.run();
    let is_laid_over = |over: &Value| {
        over.as_object()
            .is_none_or(|over| !over.members().is_empty())
    };
    if run.header.tests_state || is_laid_over(&run.header.context) {
        return None;
    }
    match names {
        ["Execution", inner @ ..] => {
            let inner = inner.first().copied();
            let begun = begun_around(machine, frame);
            if let (Some((child, begun)), Some(inner)) = (begun, inner)
                && let Some(member) = machine.child_member(child, begun, inner)
            {
                return Some((2, member));
            }
            let of_child = child_execution(machine, frame, inner);
            let of_run = || Some(run.execution_context()?.clone());
            of_child.or_else(of_run).map(|execution| (1, execution))
        }
        ["Map", "Item", name, ..] => {
            let item = match (item, machine.profile()) {
                (None, Profile::Spec) => item_around(machine, frame),
                (item, _) => item,
            }?;
            let value = match *name {
                "Index" => Value::from(i64::from(item.index)),
                "Value" => item_value(item),
                _ => return None,
            };
            Some((3, value))
        }
        _ => None,
    }
}

/// Builds the context object. If `only` is set, only the member with that name is computed; if `inner` is set as well,
/// only the member `inner` of that member. Members that the run's settings give are always present.
fn made(
    machine: &Machine,
    frame: &Frame,
    item: Option<&Item>,
    only: Option<&str>,
    inner: Option<&str>,
) -> Value {
    let run = machine.run();
    if run.header.tests_state {
        let given = &run.header.context;
        return match item {
            Some(item) => {
                let part = map_part(item, source(machine, Some(frame)));
                merged(given.clone(), &Value::object(vec![("Map".into(), part)]))
            }
            None => given.clone(),
        };
    }
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let mut members: Vec<(Text, Value)> = Vec::new();
    for (name, value) in run.execution.iter().filter(|(name, _)| wanted(name)) {
        let of_child = (&**name == "Execution").then(|| child_execution(machine, frame, inner));
        let value = of_child.flatten().unwrap_or_else(|| value.clone());
        members.push((name.clone(), value));
    }
    if wanted("State") {
        members.push((name_of(&STATE), state_part(machine, frame)));
    }
    if let Some(token) = frame.visit.token().filter(|_| wanted("Task")) {
        let task = Value::object(vec![("Token".into(), Value::String(token))]);
        members.push(("Task".into(), task));
    }
    // On AWS, the context object was observed to lack the item inside the iteration's own states (12.1).
    let is_spec = machine.profile() == Profile::Spec;
    let around = is_spec.then(|| item_around(machine, frame)).flatten();
    if let Some(shown) = item.or(around).filter(|_| wanted("Map")) {
        // An ItemSelector reads an item of the frame's own Map. All other fields read an item of an enclosing Map.
        let map = match item {
            Some(_) => Some(frame),
            None => frame.parent.and_then(|parent| machine.frame(parent)),
        };
        members.push((name_of(&MAP), map_part(shown, source(machine, map))));
    }
    merged(Value::object(members), &run.header.context)
}

// Texts that are needed for every item, so they are allocated only once.
static STATE: LazyLock<Text> = LazyLock::new(|| "State".into());
static NAME: LazyLock<Text> = LazyLock::new(|| "Name".into());
static ENTERED_TIME: LazyLock<Text> = LazyLock::new(|| "EnteredTime".into());
static MAP: LazyLock<Text> = LazyLock::new(|| "Map".into());
static ITEM: LazyLock<Text> = LazyLock::new(|| "Item".into());
static INDEX: LazyLock<Text> = LazyLock::new(|| "Index".into());
static VALUE: LazyLock<Text> = LazyLock::new(|| "Value".into());
static SOURCE: LazyLock<Text> = LazyLock::new(|| "Source".into());
static STATE_DATA: LazyLock<Text> = LazyLock::new(|| "STATE_DATA".into());

fn state_part(machine: &Machine, frame: &Frame) -> Value {
    let Some(state) = machine.state_of(frame) else {
        debug_assert!(
            false,
            "frame {frame_id:?} is in a state that the definition does not have",
            frame_id = frame.id
        );
        return Value::empty_object();
    };
    let entered = machine.run().time_text(frame.visit.entered_at);
    let mut part = vec![
        (name_of(&NAME), Value::String(state.name.clone())),
        (name_of(&ENTERED_TIME), Value::string(entered)),
    ];
    if has_work(&state.kind) {
        let retries = i64::from(frame.visit.attempt) - 1;
        part.push(("RetryCount".into(), Value::from(retries)));
    }
    Value::object(part)
}

/// The member `Execution` of the context object, for the child execution that contains the frame. With `inner`, only
/// this member of it.
fn child_execution(machine: &Machine, frame: &Frame, inner: Option<&str>) -> Option<Value> {
    let (child, begun) = begun_around(machine, frame)?;
    Some(machine.child_execution(child, begun, inner))
}

/// The innermost child execution that the frame is in (or is itself), with its start time and input.
fn begun_around<'m>(machine: &'m Machine, frame: &'m Frame) -> Option<(&'m Frame, &'m Begun)> {
    let mut at = frame.in_child_execution.then_some(frame);
    while let Some(frame) = at {
        if let Some(begun) = &frame.execution {
            return Some((frame, begun));
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    None
}

/// True if an iteration contains the frame. The context object then has the iteration's item under the specification,
/// but not on AWS.
fn inside_iteration(machine: &Machine, frame: &Frame) -> bool {
    !machine.run().header.tests_state && item_around(machine, frame).is_some()
}

/// The Map item of the innermost iteration that contains the frame.
fn item_around<'m>(machine: &'m Machine, frame: &'m Frame) -> Option<&'m Item> {
    let mut at = Some(frame);
    while let Some(frame) = at {
        if let Some(item) = &frame.item {
            return Some(item);
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    None
}

/// The member `Source` of an item in the context object: where the items of the innermost Map that contains the frame
/// come from.
fn source<'m>(machine: &'m Machine, mut at: Option<&'m Frame>) -> Text {
    while let Some(frame) = at {
        let is_map = |state: &State| matches!(state.kind, StateKind::Map(_));
        if machine.state_of(frame).is_some_and(is_map) {
            let source = frame.visit.source.clone();
            return source.unwrap_or_else(|| name_of(&STATE_DATA));
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    name_of(&STATE_DATA)
}

/// The member `Map` of the context object: `{"Item": ...}`.
fn map_part(item: &Item, source: Text) -> Value {
    Value::object(vec![(name_of(&ITEM), item_part(item, source))])
}

fn item_part(item: &Item, source: Text) -> Value {
    let mut part = vec![(name_of(&INDEX), Value::from(i64::from(item.index)))];
    if let Some(key) = &item.key {
        part.push(("Key".into(), Value::String(key.clone())));
    }
    part.push((name_of(&VALUE), item_value(item)));
    part.push((name_of(&SOURCE), Value::String(source)));
    Value::object(part)
}

/// The value of an item. If the item is a member of an object, the value without the member's name.
fn item_value(item: &Item) -> Value {
    match &item.key {
        Some(_) => item.value.get("Value").cloned().unwrap_or_default(),
        None => item.value.clone(),
    }
}

/// Merges `over` into `base`, objects member by member.
fn merged(base: Value, over: &Value) -> Value {
    match (base.as_object(), over.as_object()) {
        (Some(members_of_run), Some(other)) if !other.members().is_empty() => {
            let mut members = members_of_run.members().to_vec();
            for (name, value) in other.members() {
                match members.iter_mut().find(|(known, _)| known == name) {
                    Some(slot) => slot.1 = merged(std::mem::take(&mut slot.1), value),
                    None => members.push((name.clone(), value.clone())),
                }
            }
            Value::object(members)
        }
        (_, Some(other)) if other.members().is_empty() => base,
        _ => over.clone(),
    }
}

/// Maximum number of values that one step of a path may select for display, because the user waits for the result.
const SHOWN: usize = 500_000;

impl Machine {
    /// The values that an expression in the current state of `frame` can read, with `data` as `$`.
    #[must_use]
    pub fn bindings<'m>(&'m self, frame: &'m Frame, data: &'m Value) -> FrameBindings<'m> {
        FrameBindings {
            machine: self,
            frame,
            data,
            item: None,
            with_item: OnceCell::new(),
            draws: None,
        }
    }

    /// Like `bindings`, but for an expression that is evaluated only for display: its random functions do not advance
    /// the machine's random numbers.
    #[must_use]
    pub fn inspect<'m>(&'m self, frame: &'m Frame, data: &'m Value) -> FrameBindings<'m> {
        FrameBindings {
            draws: Some(Cell::new(self.draws.get())),
            ..self.bindings(frame, data)
        }
    }
}

/// The values that an expression can read: the values of a frame of the machine, and a document as `$`.
#[derive(Debug)]
pub struct FrameBindings<'m> {
    machine: &'m Machine,
    frame: &'m Frame,
    data: &'m Value,
    item: Option<&'m Item>,
    /// A context object that has only the item, cached because templates read parts of the item one after another.
    with_item: OnceCell<Value>,
    /// Position of the next random number in the sequence, if the evaluation is only for display; `None` if it uses the
    /// machine's own random numbers.
    draws: Option<Cell<u64>>,
}

impl<'m> FrameBindings<'m> {
    /// Index of the Map item in the context object.
    pub(in crate::interpreter) fn item(&self) -> Option<u32> {
        self.item.map(|item| item.index)
    }

    /// Returns the bindings with this Map item in the context object, or without an item if `item` is `None`.
    #[must_use]
    pub fn for_item(mut self, item: impl Into<Option<&'m Item>>) -> Self {
        self.item = item.into();
        self.with_item = OnceCell::new();
        self
    }
}

impl Bindings for FrameBindings<'_> {
    fn data(&self) -> &Value {
        self.data
    }

    fn context(&self) -> Value {
        context(self.machine, self.frame, self.item)
    }

    fn context_with(&self, member: &str, inner: Option<&str>) -> Value {
        if member != "Map" {
            return context_with(self.machine, self.frame, self.item, (member, inner));
        }
        let make = || context_with(self.machine, self.frame, self.item, (member, None));
        self.with_item.get_or_init(make).clone()
    }

    fn context_at(&self, names: &[&str]) -> Option<(usize, Value)> {
        context_at(self.machine, self.frame, self.item, names)
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.frame.variables.get(name).cloned()
    }

    fn random(&self) -> u64 {
        match &self.draws {
            None => self.machine.random(),
            Some(draws) => {
                let draw = draws.get();
                draws.set(draw.wrapping_add(1));
                random_bits(self.machine.run.header.seed, draw)
            }
        }
    }

    fn profile(&self) -> Profile {
        self.machine.profile()
    }

    fn fits(&self, size: u64) -> bool {
        match &self.draws {
            None => self.machine.fits(size),
            // A large value that is only displayed is not recorded as refused for lack of memory.
            Some(_) => size <= self.machine.run().header.max_value,
        }
    }

    fn selects_at_most(&self) -> usize {
        match self.draws {
            None => 10_000_000,
            Some(_) => SHOWN,
        }
    }

    fn diverges(&self, divergence: Divergence) {
        // An item in the context object is not reported as a difference from AWS in an ItemSelector, where AWS has an
        // item too. No difference at all is reported for an evaluation that is only for display.
        let is_own = divergence == Divergence::MapItemInside
            && (self.item.is_some() || !inside_iteration(self.machine, self.frame));
        if self.draws.is_none() && !is_own {
            self.machine.diverge(Difference::Query(divergence));
        }
    }
}

impl Machine {
    /// The innermost child execution that the frame is in (or is itself), with the execution's input. `None` if there
    /// is none.
    #[must_use]
    pub fn execution_around(&self, id: FrameId) -> Option<(&Frame, &Value)> {
        let (frame, begun) = begun_around(self, self.frame(id)?)?;
        Some((frame, &begun.input))
    }

    /// ARN of the Map Run of a frame's DISTRIBUTED Map.
    #[must_use]
    pub fn map_run_arn(&self, frame: &Frame) -> String {
        let name = self.labelled(frame);
        let (number, header) = (frame.visit.map_run, &self.run().header);
        let id = match header.identity.execution {
            // Each execution of a state machine has Map Runs of its own.
            Some(_) => uuid_of(header.seed, u64::from(number) ^ (5 << 60)),
            None => format!("00000000-0000-4000-8000-{number:012}"),
        };
        header.identity.arn("mapRun", &format!("{name}:{id}"))
    }

    /// ARN of a child execution.
    pub(in crate::interpreter) fn child_arn(&self, frame: &Frame, name: &str) -> String {
        let machine = self.labelled(frame);
        let identity = &self.run().header.identity;
        identity.arn("execution", &format!("{machine}:{name}"))
    }

    /// The text `<machine>/<label of the Map>`, which the ARNs of a Map Run and of its child executions contain.
    fn labelled(&self, frame: &Frame) -> String {
        let state = self.state_of(frame);
        let label = state.and_then(|state| match &state.kind {
            StateKind::Map(map) => map.label.as_deref(),
            _ => None,
        });
        let header = &self.run().header;
        let label = match (label, &header.identity.execution) {
            (Some(label), _) => label.to_string(),
            // AWS also generates a label for a Map that has none.
            (None, Some(_)) => uuid_of(header.seed, u64::from(frame.visit.state.0) ^ (7 << 60)),
            (None, None) => state.map_or_else(String::new, |state| state.name.to_string()),
        };
        format!("{}/{label}", self.definition().name)
    }

    /// The member `Execution` of the context object in a child execution; with `only`, just this member of it.
    fn child_execution(&self, child: &Frame, begun: &Begun, only: Option<&str>) -> Value {
        let Some(frame) = child.parent.and_then(|parent| self.frame(parent)) else {
            debug_assert!(
                false,
                "child execution {child_id:?} has no parent frame",
                child_id = child.id
            );
            return Value::Null;
        };
        let name = self.child_name(frame, child);
        // Starts from the members of the parent execution.
        let run = self.run();
        let whole = run.execution_context().and_then(Value::as_object);
        let members = whole.map_or(&[][..], |execution| execution.members());
        let member = |(known, value): &(Text, Value)| {
            let value = match &**known {
                "Id" => Value::string(self.child_arn(frame, &name)),
                "Input" => begun.input.clone(),
                "Name" => Value::from(&*name),
                "StartTime" if begun.at > 0 => Value::string(run.time_text(begun.at)),
                _ => value.clone(),
            };
            (known.clone(), value)
        };
        let wanted = |(known, _): &&(Text, Value)| only.is_none_or(|only| **known == *only);
        Value::object(members.iter().filter(wanted).map(member).collect())
    }

    /// The member `member` of `Execution`, if it can be computed without the other members; `None` for every other
    /// member.
    fn child_member(&self, child: &Frame, begun: &Begun, member: &str) -> Option<Value> {
        let parent = child.parent.and_then(|parent| self.frame(parent))?;
        match member {
            "Name" => Some(Value::string(self.child_name(parent, child))),
            "Input" => Some(begun.input.clone()),
            _ => None,
        }
    }

    fn child_name(&self, parent: &Frame, child: &Frame) -> String {
        let draw = u64::from(parent.id.0) << 32 | u64::from(child.index);
        uuid_of(self.run().header.seed, draw ^ (1 << 62))
    }
}
