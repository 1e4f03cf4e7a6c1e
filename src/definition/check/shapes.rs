//! What each state can get as its input, as far as the texts of the states before it tell: worked out along every way.
//!
//! It must not know the rules that go by it.

use super::StateAt;
use super::invocation::{ENVELOPE, is_invocation};
use super::shape::{Maker, Part, Shape};
use crate::definition::inputs::tested_for_presence;
use crate::definition::{
    Definition, PathField, QueryLanguage, ResultPath, StateId, StateKind, Transition,
};
use crate::json::{Step, Text, Value};
use crate::query::jsonata::{Made, inner, made};
use crate::query::{Path, Root};
use crate::source::{Node, NodeKind};
use std::collections::{HashMap, HashSet, VecDeque};

/// So often a state is looked at again before its input counts as unknown: what grows without end is stopped.
const AGAIN: u32 = 50;

/// The shapes of the inputs of all states that anything leads to.
pub(super) struct Shapes {
    inputs: HashMap<StateId, Shape>,
}

impl Shapes {
    /// The envelopes of the states in `but` count as anything.
    pub(super) fn of(
        definition: &Definition,
        states: &[StateAt<'_>],
        but: &HashSet<StateId>,
    ) -> Self {
        let places: HashMap<StateId, &StateAt<'_>> = states.iter().map(|at| (at.id, at)).collect();
        let mut inputs: HashMap<StateId, Shape> = HashMap::new();
        let mut visits: HashMap<StateId, u32> = HashMap::new();
        let first = definition
            .scopes
            .first()
            .and_then(|scope| scope.start_at.as_ref()?.state);
        let mut waiting: VecDeque<StateId> = first.into_iter().collect();
        inputs.extend(first.map(|id| (id, Shape::Anything)));
        while let Some(id) = waiting.pop_front() {
            let (Some(at), Some(input)) = (places.get(&id), inputs.get(&id).cloned()) else {
                continue;
            };
            for (next, shape) in gives(definition, **at, &input, but) {
                let visited = visits.entry(next).or_default();
                *visited += 1;
                let joined = match inputs.get(&next) {
                    Some(known) if *visited <= AGAIN => known.or(&shape),
                    Some(_) => Shape::Anything,
                    None => shape,
                };
                if inputs.get(&next) != Some(&joined) {
                    inputs.insert(next, joined);
                    waiting.push_back(next);
                }
            }
        }
        Self { inputs }
    }

    /// What a state can get; of one that nothing leads to nothing is known.
    pub(super) fn input(&self, id: StateId) -> &Shape {
        self.inputs.get(&id).unwrap_or(&Shape::Anything)
    }
}

/// What a state with this input gives to each state after it, and to the first states inside it.
fn gives(
    definition: &Definition,
    at: StateAt<'_>,
    input: &Shape,
    but: &HashSet<StateId>,
) -> Vec<(StateId, Shape)> {
    let state = at.state;
    let mut given = Vec::new();
    let effective = effective(at, input);
    let start = |scope| definition.scope(scope)?.start_at.as_ref()?.state;
    for scope in state.inner() {
        given.extend(start(*scope).map(|first| (first, inner_input(at, &effective))));
    }
    if let Transition::Next(target) = &state.transition {
        let plain = || output(at, input, &effective, but);
        given.extend(target.state.map(|next| (next, plain())));
    }
    if let StateKind::Choice(choice) = &state.kind {
        let rules = at.get("Choices").and_then(Node::items).unwrap_or_default();
        let plain = output(at, input, &effective, but);
        for (place, rule) in choice.rules.iter().enumerate() {
            let own = rules.get(place).and_then(|rule| rule.get("Output"));
            let shape = match own.filter(|_| at.is_jsonata()) {
                Some(node) => jsonata(node, maker(at, Part::Rule(place)), input),
                None => plain.clone(),
            };
            given.extend(
                rule.next
                    .as_ref()
                    .and_then(|next| Some((next.state?, shape))),
            );
        }
        let default = choice.default.as_ref().and_then(|next| next.state);
        given.extend(default.map(|next| (next, plain)));
    }
    let catchers = at.get("Catch").and_then(Node::items).unwrap_or_default();
    for (place, catcher) in state.catch.iter().enumerate() {
        let by = maker(at, Part::Catcher(place));
        let error = || {
            let names: [Text; 2] = ["Error".into(), "Cause".into()];
            Shape::object(names.map(|name| (name, Shape::Anything)), by)
        };
        let own = catchers
            .get(place)
            .and_then(|catcher| catcher.get("Output"));
        let shape = match (at.is_jsonata(), own) {
            (true, Some(node)) => jsonata(node, by, input),
            (true, None) => error(),
            (false, _) => placed(&catcher.result_path, input, error()),
        };
        given.extend(
            catcher
                .next
                .as_ref()
                .and_then(|next| Some((next.state?, shape))),
        );
    }
    given
}

fn maker(at: StateAt<'_>, part: Part) -> Maker {
    Maker { state: at.id, part }
}

/// The input after InputPath, and after the Parameters of a state that is no Map.
fn effective(at: StateAt<'_>, input: &Shape) -> Shape {
    if at.is_jsonata() {
        return input.clone();
    }
    let selected = selected(at, "InputPath", &at.state.input_path, input);
    match at.get("Parameters") {
        Some(node) if at.state.template("Parameters").is_some() => {
            template(node, maker(at, Part::Field("Parameters")), &selected)
        }
        _ => selected,
    }
}

/// What the first state of a branch or of an item gets.
fn inner_input(at: StateAt<'_>, effective: &Shape) -> Shape {
    let StateKind::Map(map) = &at.state.kind else {
        return match at.get("Arguments").filter(|_| at.is_jsonata()) {
            Some(node) => jsonata(node, maker(at, Part::Field("Arguments")), effective),
            None => effective.clone(),
        };
    };
    if map.batcher.is_some() {
        let by = maker(at, Part::Field("ItemBatcher"));
        let own = at
            .get("ItemBatcher")
            .and_then(|batcher| batcher.get("BatchInput"));
        let own = own.map(|node| match at.is_jsonata() {
            true => jsonata(node, by, effective),
            false => template(node, by, effective),
        });
        let own = own.map(|shape| ("BatchInput".into(), shape));
        let items = ("Items".into(), Shape::Anything);
        return Shape::object([items].into_iter().chain(own), by);
    }
    let field = match at.get("ItemSelector") {
        Some(_) => "ItemSelector",
        None => "Parameters",
    };
    match at.get(field).filter(|_| map.has_selector()) {
        Some(node) if at.is_jsonata() => jsonata(node, maker(at, Part::Field(field)), effective),
        Some(node) => template(node, maker(at, Part::Field(field)), effective),
        None => Shape::Anything,
    }
}

/// What a state gives to the next one.
fn output(at: StateAt<'_>, input: &Shape, effective: &Shape, but: &HashSet<StateId>) -> Shape {
    let state = at.state;
    let passes = state.kind.passes_input();
    let result = match is_invocation(state) && !but.contains(&at.id) {
        true => envelope(at),
        false => Shape::Anything,
    };
    if state.language == QueryLanguage::Jsonata {
        return match at.get("Output") {
            Some(node) => with_result(node, maker(at, Part::Field("Output")), (input, &result)),
            None if passes => input.clone(),
            None => result,
        };
    }
    let raw = match &state.kind {
        StateKind::Pass {
            result: Some(result),
        } => literal(result, maker(at, Part::Field("Result"))),
        _ if passes => {
            let asked = tested_for_presence(state);
            let asked = asked.into_iter().filter_map(names);
            asked.fold(effective.clone(), |shape, names| shape.asked(&names))
        }
        _ => result,
    };
    let result = match at.get("ResultSelector") {
        Some(node) if state.template("ResultSelector").is_some() => {
            template(node, maker(at, Part::Field("ResultSelector")), &raw)
        }
        _ => raw,
    };
    let whole = match &state.kind {
        StateKind::Choice(_) | StateKind::Wait(_) => result,
        _ => placed(&state.result_path, input, result),
    };
    selected(at, "OutputPath", &state.output_path, &whole)
}

fn envelope(at: StateAt<'_>) -> Shape {
    let members = ENVELOPE.map(|name| (name.into(), Shape::Anything));
    Shape::object(members, maker(at, Part::Envelope))
}

/// A result where a ResultPath puts it.
fn placed(path: &ResultPath, input: &Shape, result: Shape) -> Shape {
    match path {
        ResultPath::Replace => result,
        ResultPath::Discard => input.clone(),
        ResultPath::Insert(path) => match members(path.steps()) {
            Some(names) => input.clone().set(&names, result),
            None => Shape::Anything,
        },
    }
}

fn selected(at: StateAt<'_>, name: &'static str, field: &PathField, of: &Shape) -> Shape {
    match field {
        PathField::Whole => of.clone(),
        PathField::Path(path) => names(path).map_or(Shape::Anything, |names| {
            of.at(&names).narrowed(maker(at, Part::Field(name)))
        }),
        PathField::Null => Shape::Anything,
    }
}

/// The names of a path below `$`, where it has nothing else.
pub(super) fn names(path: &Path) -> Option<Vec<Text>> {
    members(&path.names().filter(|_| *path.root() == Root::Data)?)
}

pub(super) fn members(steps: &[Step]) -> Option<Vec<Text>> {
    let name = |step: &Step| match step {
        Step::Member(name) => Some(name.clone()),
        Step::Item(_) => None,
    };
    steps.iter().map(name).collect()
}

/// What a payload template makes of `$`.
fn template(node: &Node, by: Maker, data: &Shape) -> Shape {
    let NodeKind::Object(members) = &node.kind else {
        return Shape::Anything;
    };
    let member = |member: &crate::source::Member| {
        let written = &member.key.text;
        let Some(name) = written.strip_suffix(".$") else {
            return (written.clone(), template(&member.value, by, data));
        };
        let path = member
            .value
            .as_str()
            .and_then(|text| Path::parse(text).ok());
        let names = path.as_ref().and_then(names);
        let shape = names.map_or(Shape::Anything, |names| data.at(&names));
        (name.into(), shape)
    };
    Shape::object(members.iter().map(member), by)
}

/// What a value with JSONata expressions makes of the input.
fn jsonata(node: &Node, by: Maker, input: &Shape) -> Shape {
    with_result(node, by, (input, &Shape::Anything))
}

/// The same where there is a result besides.
fn with_result(node: &Node, by: Maker, data: (&Shape, &Shape)) -> Shape {
    match &node.kind {
        NodeKind::Object(members) => {
            let member = |member: &crate::source::Member| {
                (
                    member.key.text.clone(),
                    with_result(&member.value, by, data),
                )
            };
            Shape::object(members.iter().map(member), by)
        }
        NodeKind::String(text) => {
            inner(&text.text).map_or(Shape::Anything, |text| resolved(&made(text), by, data))
        }
        _ => Shape::Anything,
    }
}

fn resolved(made: &Made, by: Maker, data: (&Shape, &Shape)) -> Shape {
    let all = |parts: &[Made], join: &dyn Fn(&Shape, &Shape) -> Shape| {
        let shapes = parts.iter().map(|part| resolved(part, by, data));
        shapes
            .reduce(|one, other| join(&one, &other))
            .unwrap_or(Shape::Anything)
    };
    match made {
        Made::Anything | Made::Scalar | Made::Items(_) | Made::Each(_) => Shape::Anything,
        Made::Input(names) => data.0.at(names),
        Made::Result(names) => data.1.at(names),
        Made::Object(members) => {
            let member = |(name, made): &(Text, Made)| (name.clone(), resolved(made, by, data));
            Shape::object(members.iter().map(member), by)
        }
        Made::Merged(parts) => all(parts, &Shape::merged),
        Made::Either(ways) => all(ways, &Shape::or),
    }
}

fn literal(value: &Value, by: Maker) -> Shape {
    match value.as_object() {
        Some(object) => {
            let members = object.members().iter();
            Shape::object(
                members.map(|(name, value)| (name.clone(), literal(value, by))),
                by,
            )
        }
        None => Shape::Anything,
    }
}
