//! Checks for paths that always return an array where a single value is needed, either directly or after the array was
//! stored under a name.

use super::facts::Evaluated;
use super::gathered::{SEVERAL, Search, Told, searches, told_of_items};
use super::hashed::HashMap;
use super::reads::document;
use super::shape::{Maker, Part, Shape, members};
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::{Comparator, Integration, Operand, Source, Stage, StateKind};
use crate::query::{Expression, Function, Parameter, Path, Profile};
use crate::source::Span;

/// Service parameters that are a text or a number.
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
/// Members of DynamoDB's typed values that are a text or a boolean.
const TYPED: [&str; 3] = ["S", "N", "BOOL"];
/// A place that needs a single value.
struct Wanted {
    path: Path,
    span: Span,
    location: String,
    /// Name of the function, field or comparator that needs the value.
    what: String,
    /// For a function that processes an array: how it processes the items.
    items: Option<Search>,
    /// The document that `$` refers to.
    document: Source,
}

/// The diagnostic for a path used in a place that needs a single value. `reader` is the state with that place, if it is
/// another one than the state with the path.
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

/// Like [`told`], for an array that InputPath selects. InputPath cannot call a function, so the reading place has to
/// change.
fn told_of_selected(path: &Path, wanted: &Wanted, by: &str) -> Option<Told> {
    let usual = told(path, wanted, None)?;
    if wanted.items.is_some() {
        return None;
    }
    let (read, what, made) = (wanted.path.text(), &wanted.what, path.text());
    Some(Told {
        message: format!(
            "{read} is always an array, as \"{by}\" takes {made} for it, but {what} needs one value"
        ),
        help: take_one(&wanted.path, what),
        read: "the array comes from here",
        ..usual
    })
}

/// Help on selecting one of the values that a path finds.
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

impl<'d> Checker<'d> {
    pub(super) fn several(&mut self, shapes: &Shapes) {
        let mut said: Vec<Maker> = Vec::new();
        for at in self.states.clone() {
            let documents = shapes.documents(at);
            for wanted in wants(at, self.profile) {
                if let Some(told) = told(&wanted.path, &wanted, None) {
                    self.several_found(told, wanted.span, wanted.location.clone(), None);
                }
                let read = documents.root(wanted.path.root(), wanted.document);
                let names = wanted.path.names().and_then(|steps| members(&steps));
                let (Some(read), Some(names)) = (read, names) else {
                    continue;
                };
                let Shape::Several(makers) = read.at(&names) else {
                    continue;
                };
                for maker in makers {
                    if !said.contains(&maker) && self.array_comes(maker, at, &wanted) {
                        said.push(maker);
                    }
                }
            }
        }
        for at in self.states.clone() {
            self.index_in_matches(at);
        }
    }

    /// Reports an index after a filter. The index applies inside each match, and if the filter tests members of the
    /// matches, these are objects rather than arrays.
    fn index_in_matches(&mut self, at: StateAt<'d>) {
        if at.is_jsonata() {
            return;
        }
        for one in at.evaluated() {
            let span = one.place.node.span;
            let paths = match &one.expression {
                Expression::Path(path) => vec![(span, path)],
                Expression::Intrinsic(intrinsic) => {
                    let paths = intrinsic.located_paths().into_iter();
                    let spanned =
                        paths.map(|(range, path)| (one.place.node.inner_span(range), path));
                    spanned.collect()
                }
            };
            for (span, path) in paths {
                let mut found = self.found.iter();
                let known =
                    found.any(|found| found.rule == SEVERAL.number && found.span == Some(span));
                let (matches, Some(index)) = path.without_index_in_matches() else {
                    continue;
                };
                let steps = 0..path.ranges().len();
                let tests = steps.filter_map(|step| path.filter_tests(step));
                let mut compares =
                    tests.flat_map(|tests| tests.iter().map(|test| !test.member.is_empty()));
                if known || !compares.any(|compares| compares) {
                    continue;
                }
                let place = match one.name() == one.place.name() {
                    true => "in Parameters or ResultSelector of a state before, ",
                    false => "",
                };
                let told = Told {
                    rule: SEVERAL,
                    message: format!(
                        "[{index}] counts in each match of {matches}, not among the matches, so nothing is found in objects"
                    ),
                    help: format!(
                        "{place}take one of them: States.ArrayGetItem({matches}, {index})"
                    ),
                    read: "",
                };
                self.several_found(told, span, one.place.location.clone(), None);
            }
        }
    }

    /// Reports an array that reaches a place where a single value is needed. Returns true if there was something to
    /// report.
    fn array_comes(&mut self, maker: Maker, at: StateAt<'d>, wanted: &Wanted) -> bool {
        let by = self.state_at(maker.state);
        let (Some(by), Part::Path(span)) = (by, maker.part) else {
            return false;
        };
        let mut made = by.evaluated().iter();
        let made = made.find(|one| one.place.node.span == span);
        let Some((Expression::Path(path), field)) = made.map(|one| (&one.expression, one.field))
        else {
            return false;
        };
        let place = (wanted.span, wanted.location.clone());
        let (told, (span, location), read) = match field {
            "InputPath" => (told_of_selected(path, wanted, &by.state.name), place, span),
            _ => {
                let told = told(path, wanted, Some(&at.state.name));
                (told, (span, by.at(field)), wanted.span)
            }
        };
        let is_told = told.is_some();
        if let Some(told) = told {
            self.several_found(told, span, location, Some(read));
        }
        is_told
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
}

/// The places of a state that need a single value.
fn wants(at: StateAt<'_>, profile: Profile) -> Vec<Wanted> {
    if at.is_jsonata() {
        return Vec::new();
    }
    let state = at.state;
    let mut found = Vec::new();
    let mut add = |path: &Path,
                   span: Span,
                   location: String,
                   (what, items): (String, Option<Search>),
                   document: Source| {
        found.push(Wanted {
            path: path.clone(),
            span,
            location,
            what,
            items,
            document,
        });
    };
    if let StateKind::Choice(choice) = &state.kind {
        let input = Source::Stage(Stage::AfterInputPath);
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
                    input,
                );
                if let Operand::Path(path) = &one.operand {
                    add(path, span, at.at("Choices"), (what, None), input);
                }
            }
        }
        return found;
    }
    for one in at.evaluated() {
        let span = one.place.node.span;
        let document = document(at, one);
        match &one.expression {
            Expression::Path(path) => {
                if let Some(what) = wanted_by_name(at, one) {
                    add(
                        path,
                        span,
                        one.place.location.clone(),
                        (what, None),
                        document,
                    );
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
                        if items.is_none() && !takes_one(call.function, place, profile) {
                            continue;
                        }
                        let span = one.place.node.inner_span(range.clone());
                        let what = (call.function.name.to_string(), items);
                        let location = one.place.location.clone();
                        add(path, span, location, what, document);
                    }
                }
            }
        }
    }
    found
}

/// The name of the field, if a field with this name needs a single value.
fn wanted_by_name(at: StateAt<'_>, one: &Evaluated<'_>) -> Option<String> {
    let name = one.name();
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

/// True if the argument at an index must be a single value.
fn takes_one(function: &Function, index: usize, profile: Profile) -> bool {
    match (function.name, index) {
        ("States.Format", 0) => false,
        // AWS prints an array as text, which may be intended.
        ("States.Format", _) => profile == Profile::Spec,
        _ => matches!(
            function.parameter(index),
            Parameter::Text | Parameter::Number
        ),
    }
}
