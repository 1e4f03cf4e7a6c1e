//! Determines the possible input of each state without a run: follows every path from the start, and applies the steps
//! of each state on the way.

use super::StateAt;
use super::facts::{Document, HashMap, Read};
use super::shape::{DEEPEST, Maker, Object, Part, Shape, WIDEST, members, names};
use crate::definition::scope::tested_for_presence;
use crate::definition::{
    CallPattern, Definition, HeldIn, InputType, Integration, Make, Makes, Map, Owner, Source,
    Stage, StageStep, State, StateId, StateKind,
};
use crate::json::{Step, Text};
use crate::query::jsonata::Made;
use crate::query::{Path, ReferencePath, Root};
use crate::service::{self, Call, Kind, Naming};
use crate::source::{Member, Node};
use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, LazyLock};

/// Maximum number of visits to a state in the analysis. After that, the input of the state counts as unknown. The limit
/// is needed because data can grow endlessly in a loop.
const AGAIN: u32 = 50;

/// The shapes (possible contents) of the input and the variables when a state is entered. A variable that is not listed
/// has an unknown shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) input: Shape,
    pub(super) variables: Variables,
}

/// The shapes (possible contents) of the input and the variables when a state is entered, for each reachable state.
pub(super) struct Shapes {
    before: HashMap<StateId, Known>,
    documents: Vec<OnceCell<Documents>>,
}

/// The documents of a state, which are the values that its fields can read, such as its input and its result. Also the
/// variables when the state is entered.
#[derive(Clone, Default)]
pub(super) struct Documents {
    made: Vec<(Source, Shape)>,
    variables: Variables,
}

type Variables = Arc<BTreeMap<Text, Shape>>;

static UNKNOWN: LazyLock<Known> = LazyLock::new(|| Known::of(Shape::Anything));

impl Known {
    pub(super) fn of(input: Shape) -> Self {
        Self {
            input,
            variables: Arc::default(),
        }
    }

    fn or(&self, other: &Self) -> Self {
        let variables = self.variables.iter().filter_map(|(name, shape)| {
            let other = other.variables.get(name)?;
            Some((name.clone(), shape.or(other)))
        });
        Self {
            input: self.input.or(&other.input),
            variables: match Arc::ptr_eq(&self.variables, &other.variables) {
                true => Arc::clone(&self.variables),
                false => Arc::new(variables.collect()),
            },
        }
    }
}

impl Shapes {
    pub(super) fn of(definition: &Definition, states: &[StateAt<'_>]) -> Self {
        let places: HashMap<StateId, &StateAt<'_>> = states.iter().map(|at| (at.id, at)).collect();
        let mut visits: HashMap<StateId, u32> = HashMap::default();
        let machine = definition.scopes.first();
        let first = machine.and_then(|scope| scope.start_at.as_ref()?.state);
        let mut before: HashMap<StateId, Known> = HashMap::default();
        before.extend(first.map(|id| (id, UNKNOWN.clone())));
        let mut waiting: VecDeque<StateId> = first.into_iter().collect();
        while let Some(id) = waiting.pop_front() {
            let (Some(at), Some(known)) = (places.get(&id), before.get(&id).cloned()) else {
                continue;
            };
            let inside = inside(definition, **at, &known);
            for (next, given) in inside.into_iter().chain(after(**at, &known)) {
                let visited = visits.entry(next).or_default();
                *visited += 1;
                let joined = match before.get(&next) {
                    Some(known) if *visited <= AGAIN => known.or(&given),
                    Some(_) => UNKNOWN.clone(),
                    None => given,
                };
                if before.get(&next) != Some(&joined) {
                    before.insert(next, joined);
                    waiting.push_back(next);
                }
            }
        }
        Self {
            before,
            documents: vec![OnceCell::new(); definition.states.len()],
        }
    }

    /// The shapes that are known when a state is entered; everything is unknown if the state is unreachable.
    pub(super) fn before(&self, id: StateId) -> &Known {
        self.before.get(&id).unwrap_or(&UNKNOWN)
    }

    /// The possible input of a state.
    pub(super) fn input(&self, id: StateId) -> &Shape {
        &self.before(id).input
    }

    /// The documents that the fields of a state read.
    pub(super) fn documents(&self, at: StateAt<'_>) -> &Documents {
        static NONE: LazyLock<Documents> = LazyLock::new(Documents::default);
        let documents = self.documents.get(at.id.0 as usize);
        documents.map_or(&NONE, |documents| {
            documents.get_or_init(|| Documents::of(at, self.before(at.id), false))
        })
    }
}

/// The states at which the branches of a Parallel or the items of a Map start, each with the shapes of the input and
/// the variables when it is entered.
fn inside(definition: &Definition, at: StateAt<'_>, known: &Known) -> Vec<(StateId, Known)> {
    if at.state.inner().is_empty() {
        return Vec::new();
    }
    let work = at.state.step(Stage::Result);
    let input = match (&at.state.kind, work) {
        // The input of each iteration is an item of the Map.
        (StateKind::Map(map), Some(_)) if !map.makes_inputs() => {
            Documents::of(at, known, false).item()
        }
        (_, Some(step)) => Documents::of(at, known, false).get(step.dollar).clone(),
        (_, None) => Shape::Anything,
    };
    let given = Known {
        input,
        variables: match at.state.is_distributed() {
            true => Arc::default(),
            false => Arc::clone(&known.variables),
        },
    };
    let scopes = at.state.inner().iter();
    let starts = scopes.filter_map(|id| definition.scope(*id)?.start_at.as_ref()?.state);
    starts.map(|first| (first, given.clone())).collect()
}

/// The successors of a state, in the order in which the state names them. With each successor come the shapes that are
/// known when the successor is entered.
pub(super) fn after(at: StateAt<'_>, known: &Known) -> Vec<(StateId, Known)> {
    let mut documents = Documents::of(at, known, true);
    let mut given = Vec::new();
    let ways = at.state.ways();
    for (way, next) in ways.filter_map(|(way, target)| Some((way, target.state?))) {
        if let Owner::Catcher(index) = way {
            documents.made.push((Source::Error, error(at.id, index)));
        }
        let output = at.state.step_by(Stage::Output, way);
        let is_own = |step: &&StageStep| {
            let is_made = step.written.is_some() || matches!(way, Owner::Catcher(_));
            way != Owner::State && step.field.owner == way && is_made
        };
        let input = match output.filter(is_own) {
            Some(step) => documents.value(at, step),
            None => documents.get(Source::Stage(Stage::Output)).clone(),
        };
        let mut variables = Arc::clone(&known.variables);
        if let Some(step) = at.state.assign_by(way) {
            let changed = Arc::make_mut(&mut variables);
            match documents.value(at, step) {
                Shape::Object(Object { members, .. }) => {
                    changed.extend(Arc::unwrap_or_clone(members));
                    changed.retain(|_, shape| *shape != Shape::Anything);
                }
                _ => changed.clear(),
            }
            if changed.len() > WIDEST {
                changed.clear();
            }
        }
        given.push((next, Known { input, variables }));
    }
    given
}

impl Documents {
    /// Determines the documents of a state. If `leaves` is true, the documents are those at the end of the state: the
    /// members of the input that the state has read are then known to exist.
    fn of(at: StateAt<'_>, known: &Known, leaves: bool) -> Self {
        let mut input = known.input.clone();
        if leaves {
            let names = at.reads().iter().filter_map(Read::needs);
            input = names.fold(input, Shape::read);
        }
        let mut documents = Self {
            made: vec![(Source::Stage(Stage::Input), input)],
            variables: Arc::clone(&known.variables),
        };
        if !at.state.catch.is_empty() {
            documents.made.push((Source::Error, error(at.id, 0)));
        }
        let stages = at.state.stages().filter_map(|stage| at.state.step(stage));
        for step in stages {
            let Makes::Stage(stage) = step.makes else {
                continue;
            };
            let mut shape = documents.value(at, step);
            if leaves && stage == Stage::AfterInputPath {
                let asked = tested_for_presence(at.state).into_iter().filter_map(names);
                shape = asked.fold(shape, |shape, names| shape.asked(&names));
            }
            documents.made.push((Source::Stage(stage), shape));
        }
        documents
    }

    pub(super) fn get(&self, source: Source) -> &Shape {
        let mut made = self.made.iter().rev();
        let shape_made = made.find(|(key, _)| *key == source);
        shape_made.map_or(&Shape::Anything, |(_, shape)| shape)
    }

    /// The document or variable at the root of a path, if anything is known about it. `dollar` is the document that `$`
    /// refers to.
    pub(super) fn root(&self, root: &Root, dollar: Source) -> Option<&Shape> {
        match root {
            Root::Data => Some(self.get(dollar)),
            Root::Variable(name) => self.variables.get(name),
            Root::Context => None,
        }
    }

    /// The document or variable that a read refers to; `None` for the context object.
    pub(super) fn read(&self, read: &Read<'_>) -> Option<&Shape> {
        match &read.document {
            Document::Made(source) => Some(self.get(*source)),
            Document::Variable(name) => Some(self.variables.get(name).unwrap_or(&Shape::Anything)),
            Document::Context => None,
        }
    }

    /// The shape of a Map's item, before ItemSelector is applied.
    fn item(&self) -> Shape {
        match self.get(Source::Stage(Stage::AfterItemsPath)) {
            Shape::List(item) => (**item).clone(),
            _ => Shape::Anything,
        }
    }

    /// The shape of the value that a step produces.
    fn value(&self, at: StateAt<'_>, step: &StageStep) -> Shape {
        let part = match step.field.owner {
            Owner::Rule(index) => Part::Rule(index),
            Owner::Catcher(index) => Part::Catcher(index),
            _ => Part::Field(step.field.outermost()),
        };
        let by = Maker { state: at.id, part };
        let dollar = self.get(step.dollar);
        match (step.make, step.field.node(at.node)) {
            (Make::Call, _) => answer(at.state, by),
            (Make::Batch, _) => {
                let source = Source::Stage(Stage::AfterBatchInput);
                let given = self.made.iter().find(|(made, _)| *made == source);
                let given = given.map(|(_, shape)| ("BatchInput".into(), shape.clone()));
                let items = match &at.state.kind {
                    StateKind::Map(map) if !map.has_selector() => Shape::List(self.item().into()),
                    _ => Shape::Anything,
                };
                let items = std::iter::once(("Items".into(), items));
                Shape::object(items.chain(given), by)
            }
            (Make::Read, _) => match &at.state.kind {
                StateKind::Map(map) => rows(at.id, map),
                _ => Shape::Anything,
            },
            (Make::Write | Make::Collect | Make::Compare, _) => Shape::Anything,
            (_, None) => match step.otherwise {
                Some(source) => self.get(source).clone(),
                None => Shape::Anything,
            },
            (Make::Path, Some(node)) => match node.as_str() {
                Some("$") => dollar.clone(),
                _ => self.evaluated(node, by, dollar).narrowed(by),
            },
            (Make::Insert, Some(node)) => self.inserted(node, dollar),
            (_, Some(node)) => self.built(at, step, node, by),
        }
    }

    /// The input of the state after ResultPath inserted `value` into it.
    fn inserted(&self, path: &Node, value: &Shape) -> Shape {
        let input = self.get(Source::Stage(Stage::Input));
        if path.is_null() {
            return input.clone();
        }
        let path = path.as_str().map(ReferencePath::parse);
        let names = path.and_then(|path| members(path.ok()?.steps()));
        names.map_or(Shape::Anything, |names| {
            input.clone().set(&names, value.clone())
        })
    }

    /// The shape of a value that is written in the definition, with the expressions in the value replaced by their
    /// results.
    fn built(&self, at: StateAt<'_>, step: &StageStep, node: &Node, by: Maker) -> Shape {
        if step.make == Make::Jsonata
            && let Some(tree) = at.tree(node)
        {
            return self.resolved(&tree.made(), node, by);
        }
        let Some(members) = node.members() else {
            return Shape::Anything;
        };
        let member = |member: &Member| {
            let (written, value) = (&member.key.text, &member.value);
            let name = written.strip_suffix(".$");
            match name.filter(|_| step.make == Make::Template) {
                Some(name) => (
                    name.into(),
                    self.evaluated(value, by, self.get(step.dollar)),
                ),
                None => (written.clone(), self.built(at, step, value, by)),
            }
        };
        Shape::object(members.iter().map(member), by)
    }

    /// The shape of the value that a path selects. `dollar` is the shape of `$`.
    fn evaluated(&self, node: &Node, by: Maker, dollar: &Shape) -> Shape {
        let Some(Ok(path)) = node.as_str().map(Path::parse) else {
            return Shape::Anything;
        };
        let names = path.names();
        let of = match path.root() {
            Root::Data => Some(dollar),
            Root::Variable(name) => self.variables.get(name),
            Root::Context => {
                let below = names.as_deref().and_then(in_item);
                return below.map_or(Shape::Anything, |below| self.item().within(below));
            }
        };
        match (of, names) {
            (Some(of), Some(steps)) => of.within(&steps),
            (Some(_), None) if !path.is_definite() => {
                let part = Part::Path(node.span);
                Shape::Several(vec![Maker { part, ..by }])
            }
            _ => Shape::Anything,
        }
    }

    /// The shape of a JSONata expression in the Arguments of a state.
    pub(super) fn argument(&self, at: StateAt<'_>, node: &Node) -> Shape {
        let part = Part::Field("Arguments");
        let by = Maker { state: at.id, part };
        at.tree(node).map_or(Shape::Anything, |tree| {
            self.resolved(&tree.made(), node, by)
        })
    }

    fn resolved(&self, made: &Made, node: &Node, by: Maker) -> Shape {
        let all = |parts: &[Made], join: &dyn Fn(&Shape, &Shape) -> Shape| {
            let shapes = parts.iter().map(|part| self.resolved(part, node, by));
            let joined = shapes.reduce(|first, other| join(&first, &other));
            joined.unwrap_or(Shape::Anything)
        };
        let of = |stage, names: &[Text]| self.get(Source::Stage(stage)).at(names);
        match made {
            Made::Anything | Made::Scalar | Made::Items(_) => Shape::Anything,
            Made::Input(names) => of(Stage::Input, names),
            Made::Result(names) => of(Stage::Result, names),
            Made::Error(names) => self.get(Source::Error).at(names),
            Made::Item(names) => self.item().at(names),
            Made::Variable(name, names) => self
                .variables
                .get(name)
                .map_or(Shape::Anything, |shape| shape.at(names)),
            Made::Each(operation, _) => {
                let part = Part::Sequence(operation, node.span);
                Shape::Several(vec![Maker { part, ..by }])
            }
            Made::Object(members) => {
                let member =
                    |(name, made): &(Text, Made)| (name.clone(), self.resolved(made, node, by));
                Shape::object(members.iter().map(member), by)
            }
            Made::Merged(parts) => all(parts, &Shape::merged),
            Made::Either(ways) => all(ways, &Shape::or),
        }
    }
}

/// The path of the current item in the context object.
const ITEM: [&str; 3] = ["Map", "Item", "Value"];

/// The rest of a path into the context object after the current item of a Map. `None` if the path does not lead to the
/// item.
fn in_item(steps: &[Step]) -> Option<&[Step]> {
    let (first, below) = steps.split_at_checked(ITEM.len())?;
    let is_it =
        |(step, name): (&Step, &str)| matches!(step, Step::Member(member) if **member == *name);
    first.iter().zip(ITEM).all(is_it).then_some(below)
}

/// The shape of the items that an ItemReader reads. The cells of a CSV file are known to be text.
fn rows(state: StateId, map: &Map) -> Shape {
    let by = Maker {
        state,
        part: Part::Field("ItemReader"),
    };
    let format = map.reader.as_ref().map(|reader| &reader.format);
    let cell = Shape::Text(vec![by]);
    let row = match format {
        Some(format) if format.input_type == InputType::Csv && format.held_in == HeldIn::File => {
            match &format.csv_headers {
                Some(names) => {
                    Shape::object(names.iter().map(|name| (name.clone(), cell.clone())), by)
                }
                None => Shape::object([], by).opened(cell),
            }
        }
        _ => return Shape::Anything,
    };
    Shape::List(Arc::new(row))
}

/// The shape of the error output that a catcher receives.
fn error(state: StateId, catcher: u32) -> Shape {
    let part = Part::Catcher(catcher);
    let by = Maker { state, part };
    let names = ["Error", "Cause"].into_iter();
    Shape::object(names.map(|name| (name.into(), Shape::Text(vec![by]))), by)
}

/// The shape of the response of the service that a Task calls.
fn answer(state: &State, by: Maker) -> Shape {
    let part = |part| Maker { part, ..by };
    let StateKind::Task(task) = &state.kind else {
        return Shape::Anything;
    };
    match &task.integration {
        Integration::Service {
            service, pattern, ..
        } if &**service == "lambda" => match pattern {
            CallPattern::RequestResponse => {
                let members = ENVELOPE.map(|name| (name.into(), Shape::Anything));
                return Shape::object(members, part(Part::Envelope));
            }
            CallPattern::Callback => {
                // StatusCode is left out here, because the function's own result may have a member with this name.
                let names = ENVELOPE.iter().filter(|name| **name != "StatusCode");
                let names = names.map(|name| (*name).into());
                return Shape::without(names, part(Part::Callback));
            }
            CallPattern::RunJob => {}
        },
        _ => {}
    }
    let call = task.call();
    let Some((call, members)) = call.and_then(|call| Some((call, call.result.as_ref()?))) else {
        return Shape::Anything;
    };
    let by = part(Part::Answer);
    let besides: &[&str] = match call.naming {
        Naming::Optimized => &["SdkHttpMetadata", "SdkResponseMetadata"],
        Naming::Sdk => &[],
    };
    let besides = besides.iter().map(|name| ((*name).into(), Shape::Anything));
    Shape::object(returned(call, members, by, DEEPEST).chain(besides), by)
}

/// The service and the API action of a Task whose result is the response of a service, or the outcome of a job. `None`
/// for any other state.
pub(super) fn answering(state: &State) -> Option<(&str, &str)> {
    let StateKind::Task(task) = &state.kind else {
        return None;
    };
    match &task.integration {
        Integration::Service {
            service,
            api,
            pattern,
        } if *pattern != CallPattern::Callback => Some((service, api)),
        _ => None,
    }
}

/// The members of an API action's response, with their shapes.
fn returned(
    call: &Call,
    members: &[service::Member],
    by: Maker,
    depth: usize,
) -> impl Iterator<Item = (Text, Shape)> {
    members.iter().map(move |member| {
        let shape = given(call, member.kind, by, depth);
        (member.name(call.naming).into(), shape)
    })
}

/// The shape of a value of type `kind` in a response.
fn given(call: &Call, kind: Kind, by: Maker, depth: usize) -> Shape {
    let is_text = |kind| matches!(kind, Kind::Text | Kind::Timestamp);
    match call.shape(kind) {
        None if is_text(kind) => Shape::Text(vec![by]),
        Some(service::Shape::Scalar(scalar)) if is_text(scalar.kind) => Shape::Text(vec![by]),
        Some(service::Shape::Structure(members)) if depth > 0 => {
            Shape::object(returned(call, members, by, depth - 1), by)
        }
        Some(service::Shape::List(item)) if depth > 0 => {
            Shape::List(Arc::new(given(call, *item, by, depth - 1)))
        }
        // For some services, it is not known how the member names inside the values of a map are spelt.
        Some(service::Shape::Map(value)) if depth > 0 => {
            let value = given(call, *value, by, depth - 1);
            Shape::object([], by).opened(value.opened(Shape::Anything))
        }
        _ => Shape::Anything,
    }
}

/// Members of the result of `lambda:invoke`. The function's own result is in `Payload`.
pub(super) const ENVELOPE: [&str; 5] = [
    "ExecutedVersion",
    "Payload",
    "SdkHttpMetadata",
    "SdkResponseMetadata",
    "StatusCode",
];
