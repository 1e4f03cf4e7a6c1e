//! Checks for an array where a single value is needed, or the reverse. The value comes directly from a path or an
//! expression, or was stored by an earlier state.

use super::facts::{Evaluated, Used, User};
use super::shape::{Maker, Part, Shape};
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::field::{Content, Effect, FieldSpec};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{Comparator, Integration, Source, Stage, StateKind};
use crate::json::{Value, one_line};
use crate::query::jsonata::Made;
use crate::query::{Call, Expression, Function, Gathered, Parameter, Path, Profile};
use crate::source::{Diagnostic, Node};

lint_rules! {
    SEVERAL = 84, "several-values", "SEVERAL_VALUES", Severities::WARNING,
        "a path with a filter, wildcard or slice returns an array where a single value is needed, or an array of arrays where their items are needed; or an index follows a filter" {
            COUNTED_ARRAYS = Severities::INFO, "if a function counts or divides such an array";
        };
    SINGLE_ITEM = 85, "single-item", "SINGLE_ITEM", Severities::WARNING,
        "a JSONata filter or map produces the Items of a Map or an array parameter, although a single result is not an array";
}

/// The use that a function makes of the items of its array argument.
pub(super) struct Search {
    /// The text or number that the function searches for, if it is a literal.
    sought: Option<String>,
    /// A phrase that says what the function does with items that are arrays themselves; `None` for
    /// States.ArrayContains.
    does: Option<&'static str>,
}

/// A diagnostic that has no span yet, and a label for the use of the value. The label is shown if the diagnostic is
/// at another place, such as the path that produced the value.
type Labelled = (Diagnostic, &'static str);

/// The use that the function called in `text` makes of the items of its argument with the index `place`. `None` if it
/// does not use the items.
pub(super) fn searches(text: &str, call: &Call<'_>, place: usize) -> Option<Search> {
    if place > 0 {
        return None;
    }
    let does = match call.function.name {
        "States.ArrayContains" => None,
        "States.ArrayLength" => Some("counts those arrays, not their items"),
        "States.ArrayUnique" => Some("compares those arrays, not their items"),
        "States.ArrayPartition" => Some("groups those arrays as wholes, not their items"),
        _ => return None,
    };
    let second = call.arguments.get(1).filter(|_| does.is_none());
    let made = second.and_then(|argument| text.get(argument.range.clone()));
    let sought = second.and_then(|argument| argument.literal);
    let is_array = made.is_some_and(|made| made.starts_with("States.Array"));
    if is_array || matches!(sought, Some(Value::Array(_) | Value::Object(_))) {
        return None;
    }
    let sought = sought.map(one_line);
    Some(Search { sought, does })
}

impl Checker<'_> {
    /// The diagnostic for a function whose array argument consists of the values that `path` selects, if these values
    /// are probably not what the function needs.
    fn items_diagnostic(
        &self,
        path: &Path,
        function: &str,
        search: &Search,
        in_state: &str,
    ) -> Option<Labelled> {
        let (gathered, path) = (path.gathered()?, path.text());
        let Gathered::Members(name) = gathered else {
            let sought = search.sought.as_ref()?;
            let message = format!(
                "{function}{in_state} never finds {sought}: {path} returns an array of objects"
            );
            let help = format!("name the member to search, as in {path}.name");
            let diagnostic = self.finding(SEVERAL, message).help(help);
            return Some((diagnostic, "the array is searched here"));
        };
        let sought = search.sought.as_deref().unwrap_or("its value");
        let (rule, action) = match search.does {
            None => (
                SEVERAL,
                &*format!("looks for {sought} among those arrays, not among their items"),
            ),
            Some(action) => (COUNTED_ARRAYS, action),
        };
        let message = format!(
            "{path} returns an array of all values named \"{name}\": if those values are arrays, {function}{in_state} {action}"
        );
        let help = format!("to get the items themselves, write {path}[*]");
        let diagnostic = self.finding(rule, message).help(help);
        is_plural(&name).then_some((diagnostic, "the items of the arrays are needed here"))
    }
}

/// True if the name is probably the name of an array.
fn is_plural(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let singular = ["ss", "us", "is", "as"];
    let list = ["list", "array", "items"];
    let is_list = list.iter().any(|end| name.ends_with(end));
    is_list || name.ends_with('s') && !singular.iter().any(|end| name.ends_with(end))
}

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
/// Help text that says how to select one of the values that a path finds.
fn take_one(path: &Path, user: &str) -> String {
    let (matches, index) = path.without_index_in_matches();
    let index_note = match index {
        Some(index) => format!("[{index}] applies to each match, not to the list of matches; "),
        None => String::new(),
    };
    let index = index.unwrap_or(0).max(0);
    let or_as_text = match user {
        "States.Format" => {
            format!(", or convert all of them to text: States.JsonToString({matches})")
        }
        _ => String::new(),
    };
    format!("{index_note}take one value: States.ArrayGetItem({matches}, {index}){or_as_text}")
}

impl<'d> Checker<'d> {
    /// Reports the path `used` if its value is an array but its user needs a single value. `reported` are the states
    /// and parts whose arrays have already been reported.
    pub(super) fn array_as_value(
        &mut self,
        at: StateAt<'d>,
        used: &Used<'d>,
        shape: &Shape,
        reported: &mut Vec<Maker>,
    ) {
        let Some(user) = used.needs_one(at, self.profile) else {
            return;
        };
        if let Some((diagnostic, _)) = self.array_diagnostic(used.path, (used, &user), None) {
            let (span, location) = used.place();
            self.add(diagnostic.at(span, location));
        }
        let Shape::Several(makers) = shape else {
            return;
        };
        for maker in makers {
            if !reported.contains(maker)
                && let Some(diagnostic) = self.stored_array_diagnostic(*maker, at, (used, &user))
            {
                self.add(diagnostic);
                reported.push(*maker);
            }
        }
    }

    /// The diagnostic for a path whose value is used where a single value is needed. `user` is the function, field or
    /// comparator that uses the value. `reader` is the name of the state with this use, if the path is in another
    /// state.
    fn array_diagnostic(
        &self,
        path: &Path,
        (used, user): (&Used<'_>, &str),
        reader: Option<&str>,
    ) -> Option<Labelled> {
        if path.is_definite() {
            return None;
        }
        let in_state = reader.map_or_else(String::new, |reader| format!(" in \"{reader}\""));
        if let Some(search) = used.search() {
            return self.items_diagnostic(path, user, &search, &in_state);
        }
        let help = take_one(path, user);
        let path = path.text();
        let message =
            format!("{path} always returns an array, but {user}{in_state} needs a single value");
        let diagnostic = self.finding(SEVERAL, message).help(help);
        Some((diagnostic, "a single value is needed here"))
    }

    /// Reports an index that follows a filter. The index applies inside each match of the filter. If the filter tests
    /// members of the matches, the matches are objects, which have no items.
    pub(super) fn index_in_matches(&mut self, at: StateAt<'d>) {
        for expression in at.evaluated() {
            for (range, path) in expression.expression.located_paths() {
                let steps = 0..path.ranges().len();
                let mut tests = steps.filter_map(|step| path.filter_tests(step)).flatten();
                if path.is_definite() || !tests.any(|test| !test.member.is_empty()) {
                    continue;
                }
                let (matches, Some(index)) = path.without_index_in_matches() else {
                    continue;
                };
                let span = expression.span_of(range);
                let is_it = |diagnostic: &Diagnostic| {
                    diagnostic.rule == SEVERAL.number && diagnostic.span == Some(span)
                };
                if self.findings.iter().any(is_it) {
                    continue;
                }
                let in_earlier_state = match expression.name() == expression.place.name() {
                    true => "in Parameters or ResultSelector of an earlier state, ",
                    false => "",
                };
                let message = format!(
                    "[{index}] applies to each match of {matches}, not to their list, so it finds nothing in objects"
                );
                let help = format!(
                    "{in_earlier_state}take one match: States.ArrayGetItem({matches}, {index})"
                );
                self.report(SEVERAL, message, (span, &expression.place.location), help);
            }
        }
    }

    /// The diagnostic for an array that was stored earlier and is now used where a single value is needed.
    fn stored_array_diagnostic(
        &self,
        maker: Maker,
        at: StateAt<'d>,
        (used, user): (&Used<'_>, &str),
    ) -> Option<Diagnostic> {
        let by = self.state_at(maker.state)?;
        let Part::Path(span) = maker.part else {
            return None;
        };
        let mut made = by.evaluated().iter();
        let made = made.find(|expression| expression.place.node.span == span)?;
        let Expression::Path(path) = &made.expression else {
            return None;
        };
        let (read, location) = used.place();
        if made.field != "InputPath" {
            let (diagnostic, label) =
                self.array_diagnostic(path, (used, user), Some(&at.state.name))?;
            return Some(diagnostic.at(span, by.at(made.field)).related(read, label));
        }
        // InputPath cannot call a function, so the field that reads the value has to change.
        if path.is_definite() || used.search().is_some() {
            return None;
        }
        let (path, state, array_path) = (used.path.text(), &by.state.name, path.text());
        let message = format!(
            "{path} is always an array, because \"{state}\" reads it from {array_path}, but {user} needs a single value"
        );
        let diagnostic = self
            .finding(SEVERAL, message)
            .help(take_one(used.path, user));
        Some((diagnostic.at(read, location)).related(span, "the array comes from here"))
    }
}

impl Used<'_> {
    /// The name of the function, field or comparator that uses the value, if this user needs a single value or works on
    /// the items of an array.
    fn needs_one(&self, at: StateAt<'_>, profile: Profile) -> Option<String> {
        let is_choice = matches!(at.state.kind, StateKind::Choice(_));
        match &self.by {
            User::Comparator(comparator) => {
                let needs = *comparator == Comparator::StringMatches || comparator.has_path_form();
                needs.then(|| comparator.to_string())
            }
            _ if is_choice => None,
            User::Field(expression) => wanted_by_name(at, expression),
            User::Argument(_, call, index) => {
                let needs = takes_one(call.function, *index, profile) || self.search().is_some();
                needs.then(|| call.function.name.to_string())
            }
        }
    }

    fn search(&self) -> Option<Search> {
        match &self.by {
            User::Argument(expression, call, index) => {
                searches(expression.expression.text(), call, *index)
            }
            _ => None,
        }
    }
}

/// The name of the field that contains the expression, if a field of this name needs a single value.
fn wanted_by_name(at: StateAt<'_>, expression: &Evaluated<'_>) -> Option<String> {
    let name = expression.name();
    let is_scalar = FieldSpec::of_state(expression.field).is_some_and(|spec| {
        let effects = [Effect::Call, Effect::Wait, Effect::Failure];
        spec.content == Content::Path && effects.contains(&spec.effect)
    });
    if is_scalar {
        return Some(name.to_string());
    }
    let StateKind::Task(task) = &at.state.kind else {
        return None;
    };
    let Integration::Service { service, api, .. } = &task.integration else {
        return None;
    };
    let typed = service.ends_with("dynamodb") && TYPED.contains(&name);
    let is_one = expression.field == "Parameters" && (typed || ONE_VALUE.contains(&name));
    is_one.then(|| format!("{name} of {service}:{api}"))
}

/// True if a function's argument at the index `index` must be a single value.
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

impl Checker<'_> {
    pub(super) fn single_items(&mut self, at: StateAt<'_>, shapes: &Shapes) {
        let Some(items) = at.get("Items").filter(|_| at.is_jsonata()) else {
            return;
        };
        let documents = shapes.documents(at);
        let shape = documents.get(Source::Stage(Stage::AfterItemsPath));
        let name = &at.state.name;
        let gets = format!(
            "the Items of \"{name}\" are the single value instead of an array; if the value is an object, the Map iterates over the object's members"
        );
        self.single_item(shape, items, &gets, "here the value is used as Items");
    }

    /// Reports each JSONata expression that may have produced a single match instead of an array, although `node` needs
    /// an array.
    pub(super) fn single_item(
        &mut self,
        shape: &Shape,
        node: &Node,
        consequence: &str,
        use_label: &str,
    ) {
        let Shape::Several(makers) = shape else {
            return;
        };
        for maker in makers {
            let by = self.state_at(maker.state);
            let (Part::Sequence(operation, span), Some(by)) = (maker.part, by) else {
                continue;
            };
            let mut written = by.expressions().iter();
            let Some(expression) = written.find(|expression| expression.place.node.span == span)
            else {
                continue;
            };
            let message = format!("if {operation} finds a single value, {consequence}");
            let help = match &expression.tree {
                Ok(tree) if tree.text().len() < 60 && matches!(tree.made(), Made::Each(..)) => {
                    format!(
                        "write the expression in brackets: {{% [{expression}] %}}",
                        expression = tree.text()
                    )
                }
                _ => "write the expression in brackets: {% [ … ] %}".to_string(),
            };
            self.report(
                SINGLE_ITEM,
                message,
                (span, &expression.place.location),
                help,
            );
            if span != node.span {
                self.related(node.span, use_label);
            }
        }
    }
}
