//! Paths that give an array, whatever they find, where one value is wanted: in their own place, or where the array
//! comes to after it was given a name.
//!
//! It must not know the data; a name that the text does not lead to has no findings.

use super::evaluated::{Evaluated, evaluated};
use super::flow::{FAR, Flow};
use super::gathered::{Search, Told, searches, told_of_items};
use super::{Checker, StateAt};
use crate::definition::dropped_data::Dropped;
use crate::definition::rule::{Severities, rules};
use crate::definition::{
    Comparator, Integration, Operand, PathField, ResultPath, State, StateId, StateKind, Transition,
};
use crate::json::{Pointer, Step, Text};
use crate::query::{Expression, Path, Profile, Root, Template};
use crate::source::{Node, Span};
use std::collections::{HashMap, HashSet};

rules! {
    SEVERAL = 84, "several-values", "SEVERAL_VALUES", Severities::WARNING,
        "a path with a filter, a wildcard or a slice gives an array where one value is needed, or an array of arrays where their items are" {
            COUNTED_ARRAYS = Severities::INFO, "where a function counts or divides such an array";
        };
}

/// Parameters of services that are text or a number.
const ONE_VALUE: [&str; 30] = [
    "ActivityArn",
    "Bucket",
    "Cluster",
    "ClusterId",
    "CrawlerName",
    "EventBusName",
    "ExecutionArn",
    "FunctionName",
    "InstanceId",
    "JobDefinition",
    "JobName",
    "JobQueue",
    "KeyId",
    "MessageDeduplicationId",
    "MessageGroupId",
    "PhoneNumber",
    "ProjectName",
    "QueryExecutionId",
    "QueryString",
    "QueueUrl",
    "SecretId",
    "StateMachineArn",
    "Subject",
    "TableName",
    "TaskDefinition",
    "TaskToken",
    "TopicArn",
    "UserPoolId",
    "VersionId",
    "WorkGroup",
];
/// Members of DynamoDB's typed values that are text or a flag.
const TYPED: [&str; 3] = ["S", "N", "BOOL"];
/// Fields in which `$` is not what a state was given.
const NOT_INPUT: [&str; 4] = ["OutputPath", "ResultSelector", "Assign", "Catch"];

/// A place where one value is wanted.
struct Wanted {
    path: Path,
    span: Span,
    location: String,
    /// What wants it.
    what: String,
    /// Of a function that goes through an array: what it does with the items.
    items: Option<Search>,
    /// The state it stands in, and whether the path begins at what that state was given.
    state: StateId,
    of_input: bool,
}

/// An array that a path gives a name.
struct Named<'d> {
    path: &'d Path,
    span: Span,
    location: String,
    /// Where it comes to.
    to: Goal,
    /// Its place there.
    place: Vec<Step>,
}

/// What is to say of a path and a place that wants something of it, in the state `reader` where that is another.
fn told(path: &Path, wanted: &Wanted, reader: Option<&str>) -> Option<Told> {
    let reader = reader.map_or_else(String::new, |reader| format!(" in \"{reader}\""));
    if let Some(search) = &wanted.items {
        return told_of_items(path, &wanted.what, search, &reader);
    }
    (!path.is_definite()).then(|| Told {
        rule: SEVERAL,
        message: format!(
            "{} always gives an array, but {}{reader} needs one value",
            path.text(),
            wanted.what
        ),
        help: take_one(path, &wanted.what),
        read: "one value is needed here",
    })
}

/// The same of an array that an InputPath takes, where no function may stand: the place that reads it is to be changed.
fn told_of_selected(named: &Named<'_>, wanted: &Wanted, by: &str) -> Option<Told> {
    let usual = told(named.path, wanted, None)?;
    if wanted.items.is_some() {
        return None;
    }
    let (path, what) = (wanted.path.text(), &wanted.what);
    let made = named.path.text();
    Some(Told {
        message: format!(
            "{path} is always an array, as \"{by}\" takes {made} for it, but {what} needs one value"
        ),
        help: take_one(&wanted.path, what),
        read: "the array comes from here",
        ..usual
    })
}

/// How one of what a path finds is taken.
fn take_one(path: &Path, what: &str) -> String {
    let (matches, index) = path.without_index_in_matches();
    let why = match index {
        Some(index) => format!("[{index}] counts in each match, not among them; "),
        None => String::new(),
    };
    let index = index.unwrap_or(0).max(0);
    let all = match what {
        "States.Format" => format!(", or all as text: States.JsonToString({matches})"),
        _ => String::new(),
    };
    format!("{why}take one of them: States.ArrayGetItem({matches}, {index}){all}")
}

impl Named<'_> {
    /// Whether it is what a place reads, and something is to be said of that.
    fn is_met(&self, wanted: &Wanted) -> bool {
        let reads = wanted.path.names();
        reads.is_some_and(|names| names == self.place) && told(self.path, wanted, None).is_some()
    }
}

enum Goal {
    /// The input of these states.
    Input(Vec<StateId>),
    /// A variable.
    Variable(Text),
}

impl<'d> Checker<'d> {
    pub(super) fn several(&mut self, flow: &Flow<'d>) {
        let states = self.states.clone();
        let mut wanted: HashMap<StateId, Vec<Wanted>> = HashMap::new();
        let mut variables: HashMap<Text, Vec<&Wanted>> = HashMap::new();
        for at in states.iter().filter(|at| !at.is_jsonata()) {
            let found = wants(*at, self.profile);
            if !found.is_empty() {
                wanted.insert(at.id, found);
            }
        }
        // A search begins only for a place that some state wants one value from.
        let mut places: HashSet<String> = HashSet::new();
        for one in states.iter().filter_map(|at| wanted.get(&at.id)).flatten() {
            if one.of_input && *one.path.root() == Root::Data {
                places.extend(one.path.names().map(|names| format!("{names:?}")));
            }
            if let Root::Variable(name) = one.path.root() {
                variables.entry(name.clone()).or_default().push(one);
            }
            if let Some(told) = told(&one.path, one, None) {
                self.several_found(told, one.span, one.location.clone(), None);
            }
        }
        for at in states.iter().filter(|at| !at.is_jsonata()) {
            for named in self.named(*at) {
                let met = match &named.to {
                    Goal::Input(_) if !places.contains(&format!("{:?}", named.place)) => None,
                    Goal::Input(starts) => self.met(starts, &named, &wanted),
                    // Another Assign may give it one value.
                    Goal::Variable(name) if flow.assigned(name).len() > 1 => None,
                    Goal::Variable(name) => variables
                        .get(name)
                        .into_iter()
                        .flatten()
                        .find(|one| named.is_met(one))
                        .copied(),
                };
                let Some(met) = met else { continue };
                if named.location.ends_with("/InputPath")
                    && let Some(told) = told_of_selected(&named, met, &at.state.name)
                {
                    let from = Some(named.span);
                    self.several_found(told, met.span, met.location.clone(), from);
                    continue;
                }
                let reader = self.definition.state(met.state);
                let reader = reader.map_or("?", |reader| &*reader.name);
                if let Some(told) = told(named.path, met, Some(reader)) {
                    let read = Some(met.span);
                    self.several_found(told, named.span, named.location, read);
                }
            }
        }
    }

    fn several_found(&mut self, told: Told, span: Span, location: String, read: Option<Span>) {
        let mut diagnostic = self
            .found(told.rule, told.message)
            .at(span, location)
            .help(told.help);
        if let Some(read) = read {
            diagnostic = diagnostic.related(read, told.read);
        }
        self.add(diagnostic);
    }

    /// The nearest place that wants one value where the array stands, as far as the data goes on unchanged.
    fn met<'w>(
        &self,
        starts: &[StateId],
        named: &Named<'_>,
        wanted: &'w HashMap<StateId, Vec<Wanted>>,
    ) -> Option<&'w Wanted> {
        let Some(Step::Member(top)) = named.place.first() else {
            return None;
        };
        let mut seen: HashSet<StateId> = starts.iter().copied().collect();
        let mut waiting: Vec<StateId> = starts.to_vec();
        while let Some(id) = waiting.pop() {
            let own = wanted.get(&id).into_iter().flatten();
            let met = own.into_iter().find(|one| {
                let is_data = one.of_input && *one.path.root() == Root::Data;
                is_data && named.is_met(one)
            });
            if met.is_some() {
                return met;
            }
            let Some(state) = self.definition.state(id).filter(|_| seen.len() <= FAR) else {
                continue;
            };
            for (next, still) in self
                .definition
                .ways(state, &Dropped::These(vec![top.clone()]))
            {
                // Where something is written to the name, it is another value.
                if !still.is_nothing() && seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        None
    }

    /// The arrays that a state gives names.
    fn named(&self, at: StateAt<'d>) -> Vec<Named<'d>> {
        let state = at.state;
        let mut found = Vec::new();
        let starts = |scopes: &[crate::definition::ScopeId]| {
            let scopes = scopes.iter().filter_map(|id| self.definition.scope(*id));
            scopes
                .filter_map(|scope| scope.start_at.as_ref()?.state)
                .collect()
        };
        match &state.kind {
            StateKind::Map(map) if map.batcher.is_none() => {
                let field = match at.get("ItemSelector") {
                    Some(_) => "ItemSelector",
                    None => "Parameters",
                };
                let to = starts(std::slice::from_ref(&map.processor));
                in_template(at, field, map.item_selector.as_ref(), &[], to, &mut found);
            }
            StateKind::Parallel { branches } => {
                let to = starts(branches);
                in_template(
                    at,
                    "Parameters",
                    state.template("Parameters"),
                    &[],
                    to,
                    &mut found,
                );
            }
            _ => {}
        }
        if let Some(assign) = state.template("Assign") {
            for one in expressions(at, "Assign", assign) {
                let Some((Step::Member(name), place)) = one.2.split_first() else {
                    continue;
                };
                found.push(Named {
                    path: one.0,
                    span: one.1,
                    location: at.at("Assign"),
                    to: Goal::Variable(name.clone()),
                    place: place.to_vec(),
                });
            }
        }
        let (Some(base), Transition::Next(next)) = (result_place(state), &state.transition) else {
            return found;
        };
        let to: Vec<StateId> = next.state.into_iter().collect();
        match (&state.kind, &state.input_path) {
            (StateKind::Pass { result: Some(_) }, _) => {}
            (StateKind::Pass { result: None }, PathField::Path(path))
                if state.template("Parameters").is_none() && !path.is_definite() =>
            {
                let span = at
                    .get("InputPath")
                    .map_or(state.name_span, |node| node.span);
                found.push(Named {
                    path,
                    span,
                    location: at.at("InputPath"),
                    to: Goal::Input(to),
                    place: base.to_vec(),
                });
            }
            (StateKind::Pass { result: None }, _) => {
                in_template(
                    at,
                    "Parameters",
                    state.template("Parameters"),
                    base,
                    to,
                    &mut found,
                );
            }
            _ => in_template(
                at,
                "ResultSelector",
                state.template("ResultSelector"),
                base,
                to,
                &mut found,
            ),
        }
        found
    }
}

/// Where the result of a state stands in its output.
fn result_place(state: &State) -> Option<&[Step]> {
    match (&state.output_path, &state.result_path) {
        (PathField::Whole, ResultPath::Replace) => Some(&[]),
        (PathField::Whole, ResultPath::Insert(path)) => Some(path.steps()),
        _ => None,
    }
}

fn in_template<'d>(
    at: StateAt<'d>,
    field: &str,
    template: Option<&'d Template>,
    base: &[Step],
    to: Vec<StateId>,
    found: &mut Vec<Named<'d>>,
) {
    let Some(template) = template else { return };
    found.extend(
        expressions(at, field, template)
            .into_iter()
            .map(|(path, span, place)| Named {
                path,
                span,
                location: at.at(field),
                to: Goal::Input(to.clone()),
                place: base.iter().cloned().chain(place).collect(),
            }),
    );
}

/// The paths of a template that give an array, with their place in the text and in the value that is made.
fn expressions<'d>(
    at: StateAt<'d>,
    field: &str,
    template: &'d Template,
) -> Vec<(&'d Path, Span, Vec<Step>)> {
    let node = at.get(field);
    let all = template.expressions().into_iter();
    all.filter_map(|(written, expression)| {
        let Expression::Path(path) = expression else {
            return None;
        };
        if path.is_definite() {
            return None;
        }
        let span = at_pointer(node?, &written)?.span;
        let mut place = written.0;
        if let Some(Step::Member(name)) = place.last_mut() {
            *name = name.strip_suffix(".$").unwrap_or(name).into();
        }
        Some((path, span, place))
    })
    .collect()
}

fn at_pointer<'d>(node: &'d Node, pointer: &Pointer) -> Option<&'d Node> {
    pointer.0.iter().try_fold(node, |node, step| match step {
        Step::Member(name) => node.get(name),
        Step::Item(place) => node.items()?.get(*place),
    })
}

/// The places of a state where one value is wanted.
fn wants(at: StateAt<'_>, profile: Profile) -> Vec<Wanted> {
    let state = at.state;
    let is_whole = matches!(state.input_path, PathField::Whole);
    let mut found = Vec::new();
    let mut add = |path: &Path,
                   span: Span,
                   location: String,
                   (what, items): (String, Option<Search>),
                   field: &str| {
        found.push(Wanted {
            path: path.clone(),
            span,
            location,
            what,
            items,
            state: at.id,
            of_input: is_whole && !NOT_INPUT.contains(&field),
        });
    };
    if let StateKind::Choice(choice) = &state.kind {
        for one in choice.rules.iter().flat_map(|rule| rule.test.comparisons()) {
            let scalar = matches!(
                one.comparator,
                Comparator::String(_)
                    | Comparator::Numeric(_)
                    | Comparator::Timestamp(_)
                    | Comparator::BooleanEquals
                    | Comparator::StringMatches
            );
            if scalar {
                let what = one.comparator.to_string();
                let span = Span {
                    end: one.span.start.saturating_add(1),
                    ..one.span
                };
                add(
                    &one.variable,
                    span,
                    at.at("Choices"),
                    (what.clone(), None),
                    "Choices",
                );
                if let Operand::Path(path) = &one.operand {
                    add(path, span, at.at("Choices"), (what, None), "Choices");
                }
            }
        }
        return found;
    }
    for one in evaluated(at) {
        let span = one.member.value.span;
        match &one.expression {
            Expression::Path(path) => {
                if let Some(what) = wanted_by_name(at, &one) {
                    add(path, span, one.location, (what, None), one.field);
                }
            }
            Expression::Intrinsic(intrinsic) => {
                let paths: HashMap<usize, &Path> = intrinsic
                    .located_paths()
                    .into_iter()
                    .map(|(range, path)| (range.start, path))
                    .collect();
                for call in intrinsic.calls() {
                    for (place, (range, _)) in call.arguments.iter().enumerate() {
                        let Some(path) = paths.get(&range.start).copied() else {
                            continue;
                        };
                        let items = searches(intrinsic.text(), &call, place);
                        if items.is_none() && !takes_one(call.function.name, place, profile) {
                            continue;
                        }
                        let span = one.member.value.inner_span(range.clone());
                        let what = (call.function.name.to_string(), items);
                        add(path, span, one.location.clone(), what, one.field);
                    }
                }
            }
        }
    }
    found
}

/// What wants one value in a field of this name.
fn wanted_by_name(at: StateAt<'_>, one: &Evaluated<'_>) -> Option<String> {
    let written = &*one.member.key.text;
    let name = written.strip_suffix(".$").unwrap_or(written);
    let own = [
        "ErrorPath",
        "CausePath",
        "SecondsPath",
        "TimestampPath",
        "TimeoutSecondsPath",
        "HeartbeatSecondsPath",
    ];
    if own.contains(&one.field) {
        return Some(name.to_string());
    }
    let StateKind::Task(task) = &at.state.kind else {
        return None;
    };
    let Integration::Service { service, api, .. } = &task.integration else {
        return None;
    };
    let typed = service.ends_with("dynamodb") && TYPED.contains(&name);
    let is_one = one.field == "Parameters" && (typed || ONE_VALUE.contains(&name));
    is_one.then(|| format!("{name} of {service}:{api}"))
}

/// Whether an argument of a function is text, a number or a flag.
fn takes_one(function: &str, place: usize, profile: Profile) -> bool {
    match function {
        // AWS prints an array, and a text may be meant to have it.
        "States.Format" => place > 0 && profile == Profile::Spec,
        "States.MathAdd"
        | "States.MathRandom"
        | "States.ArrayRange"
        | "States.StringSplit"
        | "States.StringToJson"
        | "States.Base64Encode"
        | "States.Base64Decode" => true,
        "States.ArrayPartition" | "States.ArrayGetItem" | "States.Hash" => place == 1,
        _ => false,
    }
}
