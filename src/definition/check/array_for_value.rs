//! Checks for paths that always return an array where a single value is needed, either directly or after the array was
//! stored under a name.

use super::facts::Evaluated;
use super::gathered::{SEVERAL, Search, Told, searches};
use super::reads::document;
use super::shape::{Maker, Part, Shape, members};
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::{Comparator, Integration, Source, Stage, StateKind};
use crate::query::{Expression, Function, Parameter, Path, Profile};
use crate::source::{Diagnostic, Span};

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
struct Wanted<'d> {
    path: &'d Path,
    place: (Span, String),
    /// Name of the function, field or comparator that needs the value.
    what: String,
    /// For a function that processes an array: how it processes the items.
    items: Option<Search>,
    /// The document that `$` refers to.
    document: Source,
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
                if let Some((told, _)) = self.told(wanted.path, &wanted, None) {
                    let (span, location) = wanted.place.clone();
                    self.add(told.at(span, location));
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
                    if !said.contains(&maker)
                        && let Some(told) = self.array_comes(maker, at, &wanted)
                    {
                        self.add(told);
                        said.push(maker);
                    }
                }
            }
        }
        for at in self.states.clone() {
            self.index_in_matches(at);
        }
    }

    /// The diagnostic for a path used in a place that needs a single value. `reader` is the state with that place if it
    /// is not the state with the path.
    fn told(&self, path: &Path, wanted: &Wanted<'_>, reader: Option<&str>) -> Option<Told> {
        let reader = reader.map_or_else(String::new, |reader| format!(" in \"{reader}\""));
        if let Some(search) = &wanted.items {
            return self.told_of_items(path, &wanted.what, search, &reader);
        }
        let (text, what) = (path.text(), &wanted.what);
        let message = format!("{text} always gives an array, but {what}{reader} needs one value");
        let found = self.found(SEVERAL, message).help(take_one(path, what));
        (!path.is_definite()).then_some((found, "one value is needed here"))
    }

    /// Reports an index after a filter. The index applies inside each match, and if the filter tests members of the
    /// matches, these are objects rather than arrays.
    fn index_in_matches(&mut self, at: StateAt<'d>) {
        if at.is_jsonata() {
            return;
        }
        for one in at.evaluated() {
            for (span, path) in one.paths() {
                let mut found = self.found.iter();
                let known =
                    found.any(|found| found.rule == SEVERAL.number && found.span == Some(span));
                let (matches, Some(index)) = path.without_index_in_matches() else {
                    continue;
                };
                let steps = 0..path.ranges().len();
                let mut tests = steps.filter_map(|step| path.filter_tests(step)).flatten();
                if known || !tests.any(|test| !test.member.is_empty()) {
                    continue;
                }
                let place = match one.name() == one.place.name() {
                    true => "in Parameters or ResultSelector of a state before, ",
                    false => "",
                };
                let message = format!(
                    "[{index}] counts in each match of {matches}, not among the matches, so nothing is found in objects"
                );
                let help =
                    format!("{place}take one of them: States.ArrayGetItem({matches}, {index})");
                self.report(SEVERAL, message, (span, &one.place.location), help);
            }
        }
    }

    /// The diagnostic for an array that reaches a place where a single value is needed.
    fn array_comes(
        &self,
        maker: Maker,
        at: StateAt<'d>,
        wanted: &Wanted<'_>,
    ) -> Option<Diagnostic> {
        let by = self.state_at(maker.state)?;
        let Part::Path(span) = maker.part else {
            return None;
        };
        let mut made = by.evaluated().iter();
        let made = made.find(|one| one.place.node.span == span)?;
        let Expression::Path(path) = &made.expression else {
            return None;
        };
        let (read, location) = &wanted.place;
        if made.field != "InputPath" {
            let (told, label) = self.told(path, wanted, Some(&at.state.name))?;
            return Some(told.at(span, by.at(made.field)).related(*read, label));
        }
        // InputPath cannot call a function, so the reading place has to change.
        self.told(path, wanted, None)
            .filter(|_| wanted.items.is_none())?;
        let (text, what, by) = (wanted.path.text(), &wanted.what, &by.state.name);
        let message = format!(
            "{text} is always an array, as \"{by}\" takes {} for it, but {what} needs one value",
            path.text()
        );
        let found = self
            .found(SEVERAL, message)
            .help(take_one(wanted.path, what));
        Some(
            found
                .at(*read, location.as_str())
                .related(span, "the array comes from here"),
        )
    }
}

/// The places of a state that need a single value.
fn wants(at: StateAt<'_>, profile: Profile) -> Vec<Wanted<'_>> {
    let mut found = Vec::new();
    if at.is_jsonata() {
        return found;
    }
    if let StateKind::Choice(choice) = &at.state.kind {
        for one in choice.rules.iter().flat_map(|rule| rule.test.comparisons()) {
            let is_pattern = one.comparator == Comparator::StringMatches;
            if !(is_pattern || one.comparator.has_path_form()) {
                continue;
            }
            found.extend(one.paths().map(|path| Wanted {
                path,
                place: (one.span.opening(), at.at("Choices")),
                what: one.comparator.to_string(),
                items: None,
                document: Source::Stage(Stage::AfterInputPath),
            }));
        }
        return found;
    }
    for one in at.evaluated() {
        let document = document(at, one);
        let location = &one.place.location;
        if let Expression::Path(path) = &one.expression
            && let Some(what) = wanted_by_name(at, one)
        {
            found.push(Wanted {
                path,
                place: (one.place.node.span, location.clone()),
                what,
                items: None,
                document,
            });
        }
        for call in one.calls() {
            for (place, argument) in call.arguments.iter().enumerate() {
                let Some(path) = argument.path else { continue };
                let items = searches(one.expression.text(), &call, place);
                if items.is_none() && !takes_one(call.function, place, profile) {
                    continue;
                }
                let span = one.place.node.inner_span(argument.range.clone());
                found.push(Wanted {
                    path,
                    place: (span, location.clone()),
                    what: call.function.name.to_string(),
                    items,
                    document,
                });
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
