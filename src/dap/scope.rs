//! The scopes of a frame with their contents: the stages of the state's data, the error, the variables, the context
//! object, the retries, and the branches or items.

use super::client::{given_count, number};
use super::debuggee::Debuggee;
use super::handle::{Container, Node, Row, ScopeKind};
use super::message::Refusal;
use super::protocol::{FrameArguments, VariablesArguments};
use crate::definition::Definition;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Text, Value, one_line};
use crate::query::abridged;
use crate::session::view::{AttemptView, HandlingView, StatePane, StateStatus, View, When};
use crate::session::{duration, word_of};
use crate::wording::{self, absent};
use serde_json::{Value as Json, json};

/// An entry that the client shows in a scope.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A value of the run, with the name to show.
    Value(String, Node),
    /// A row of text, which is not a value of the run.
    Row(Row),
}

impl Debuggee {
    /// Handles `scopes`: returns the context object as a scope, and each other scope of the frame that has entries. A
    /// parent execution's frame has no scopes.
    pub fn scopes(&mut self, arguments: &FrameArguments) -> Result<Vec<Json>, Refusal> {
        if self.handles.is_outside(arguments.frame_id) {
            return Ok(Vec::new());
        }
        let frame = self.handles.frame_of(arguments.frame_id)?;
        let view = self.look(frame)?;
        let mut scopes = Vec::new();
        let mut add = |kind: ScopeKind, name: &str, hint, count: usize| {
            let reference = self.handles.add(Container::Scope(frame, kind));
            scopes.push(json!({
                "name": name, "presentationHint": hint, "variablesReference": reference,
                "namedVariables": count, "expensive": kind == ScopeKind::Context,
            }));
        };
        let stages = view.data.stages.len();
        if view.data.state.is_some() {
            add(ScopeKind::Data, "Data", Some("locals"), stages);
        }
        if view.data.fault.is_some() {
            let parts = error_parts(&view, frame).len();
            add(ScopeKind::Error, "Error", None, parts);
        }
        if !view.data.variables.is_empty() {
            let count = view.data.variables.len();
            add(ScopeKind::Variables, "Variables", None, count);
        }
        let definition = self.session.definition();
        let retries = retry_rows(&view, definition).len();
        if retries > 0 {
            add(ScopeKind::Retries, "Retries", None, retries);
        }
        let children = child_rows(&view, definition).len();
        if children > 0 {
            let name = match view.state {
                StatePane::Parallel { .. } => "Branches",
                _ => "Items",
            };
            add(ScopeKind::Children, name, None, children);
        }
        let members = view.data.context.as_object();
        let members = members.map_or(0, |object| object.members().len());
        add(ScopeKind::Context, "Context", Some("globals"), members);
        Ok(scopes)
    }

    /// Returns the entries of a scope.
    pub fn scope_parts(&mut self, frame: FrameId, kind: ScopeKind) -> Result<Vec<Part>, Refusal> {
        let view = self.look(frame)?;
        let rows = |rows: Vec<Row>| rows.into_iter().map(Part::Row).collect();
        Ok(match kind {
            ScopeKind::Data => data_parts(&view, frame),
            ScopeKind::Error => error_parts(&view, frame),
            ScopeKind::Variables => {
                let variables = view.data.variables.iter();
                let part = |(name, value): &(Text, Value)| {
                    let name = format!("${name}");
                    Part::Value(name.clone(), Node::of(frame, value.clone(), name))
                };
                variables.map(part).collect()
            }
            ScopeKind::Context => {
                let members = view.data.context.as_object();
                let members = members.map_or(&[][..], |object| object.members());
                let context = Node::of(frame, Value::Null, "$$".to_string());
                let part = |(name, value): &(Text, Value)| {
                    let step = Step::Member(name.clone());
                    Part::Value(name.to_string(), context.child(step, value.clone()))
                };
                members.iter().map(part).collect()
            }
            ScopeKind::Retries => rows(retry_rows(&view, self.session.definition())),
            ScopeKind::Children => rows(child_rows(&view, self.session.definition())),
        })
    }
}

/// The name that the client shows for a stage: `Input`, `Effective output` and `Result`, or else AWS's name for the
/// stage.
pub(super) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Input => "Input",
        Stage::Output => "Effective output",
        Stage::Result => "Result",
        other => other.name(),
    }
}

fn data_parts(view: &View, frame: FrameId) -> Vec<Part> {
    let stages = &view.data.stages;
    let is_reached = |stage: Stage| view.data.value(stage).is_some();
    let mut parts = Vec::new();
    for view_of_stage in stages {
        let stage = view_of_stage.stage;
        let name = stage_name(stage).to_string();
        let lost = format!("{name} lost");
        parts.push(match view_of_stage.value.clone() {
            None => Part::Row(Row::new(name, view.data.to_come.word(stage))),
            Some(value) => {
                let node = Node {
                    frame,
                    value,
                    expression: word_of(stage, is_reached).map(str::to_string),
                    place: Some((stage, Pointer::root())),
                };
                Part::Value(name, node)
            }
        });
        let loss = view_of_stage.loss.as_ref();
        parts.extend(loss.map(|loss| Part::Row(Row::new(lost, loss))));
    }
    parts
}

fn error_parts(view: &View, frame: FrameId) -> Vec<Part> {
    let Some(error) = &view.data.fault else {
        return Vec::new();
    };
    let output = error.fault.error_output();
    let members = output.as_object();
    let members = members.map_or(&[][..], |object| object.members());
    let values = members.iter().map(|(name, value)| {
        let node = Node::of(frame, value.clone(), format!("$error.{name}"));
        Part::Value(name.to_string(), node)
    });
    let stage = error.stage.map(|stage| Row::new("raised in", stage.name()));
    let reasons = (1..).zip(&error.because);
    let reasons = reasons.map(|(n, text): (u64, _)| Row::new(format!("why {n}"), text.to_string()));
    let aws = error.aws.as_ref().map(|text| Row::new("on AWS", text));
    let rows = stage.into_iter().chain(reasons).chain(aws);
    values.chain(rows.map(Part::Row)).collect()
}

/// Retriers and catchers of the state that is shown; `None` unless it is a Task, Parallel or Map state.
pub(super) fn handling(view: &View) -> Option<&HandlingView> {
    match &view.state {
        StatePane::Task(handling)
        | StatePane::Parallel { handling, .. }
        | StatePane::Map { handling, .. } => Some(handling),
        _ => None,
    }
}

/// Makes the rows for retriers, catchers, attempts and Choice rules, and for what happens next for each possible error.
fn retry_rows(view: &View, definition: &Definition) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name: String, text: String| rows.push(Row::new(name, text));
    if let Some(handling) = handling(view) {
        for (index, retrier) in handling.retriers.iter().enumerate() {
            let waited = retrier.waited.iter().map(|wait| duration(*wait));
            let mut waited: Vec<String> = waited.collect();
            let waits = if retrier.waits { waited.pop() } else { None };
            let (used, max) = (retrier.used, retrier.max);
            let back_off = &retrier.back_off;
            let mut text = format!("{used} of {max} retries used, {back_off}");
            if !waited.is_empty() {
                text += &format!("; waited {durations}", durations = waited.join(", "));
            }
            if let Some(duration) = waits {
                text += &format!("; waits {duration}");
            }
            if let Some(next) = retrier.next {
                text += &format!("; next {duration}", duration = duration(next));
            }
            if !retrier.why.is_empty() {
                text += &format!("; {}", retrier.why);
            }
            add(
                format!("Retry[{index}] {errors}", errors = retrier.errors.join(" ")),
                text,
            );
        }
        for (index, catcher) in handling.catchers.iter().enumerate() {
            let mut text = format!("{} → {}", catcher.result_path, catcher.next);
            if !catcher.why.is_empty() {
                text += &format!("; {}", catcher.why);
            }
            add(
                format!("Catch[{index}] {errors}", errors = catcher.errors.join(" ")),
                text,
            );
        }
        for attempt in &handling.attempts {
            add(
                format!("attempt {number}", number = attempt.number),
                attempt_text(attempt),
            );
        }
    }
    if let StatePane::Choice(rules) = &view.state {
        for rule in rules {
            let name = rule
                .index
                .map(|index| definition.rule_name(rule.span, index));
            let name = name.unwrap_or_else(|| "Default".to_string());
            let outcome = match &rule.result {
                Some(Ok(holds)) => format!(": {holds}"),
                Some(Err(problem)) => format!(": {problem}"),
                None => String::new(),
            };
            let taken = if rule.taken { ", taken" } else { "" };
            let rule_text = rule.text();
            let next_state = &rule.next;
            add(name, format!("{rule_text}{outcome} → {next_state}{taken}"));
        }
    }
    for line in &view.data.forecast {
        let name = match line.when {
            When::Now => "then".to_string(),
            when => format!("then {}", when.words()),
        };
        add(name, without_paths(&one_blank(&line.follows.to_string())));
    }
    rows
}

/// Writes counts such as `1/3` as `1 of 3`, because some editors take `/3` for a path and make it a link.
fn without_paths(text: &str) -> String {
    let mut parts = text.split('/');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let is_count = out.ends_with(|c: char| c.is_ascii_digit())
            && part.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(if is_count { " of " } else { "/" });
        out.push_str(part);
    }
    out
}

fn attempt_text(attempt: &AttemptView) -> String {
    let took = attempt
        .took
        .map(|took| format!(" after {duration}", duration = duration(took)));
    let text = status_text(attempt.status, attempt.error.as_ref());
    text + &took.unwrap_or_default()
}

/// The name of the error if there is one, otherwise the status in words.
fn status_text(status: StateStatus, error: Option<&Text>) -> String {
    error.map_or(status_word(status), |error| error).to_string()
}

/// Makes rows for the state that is shown: one row for each branch of a Parallel state, or one for each of the first
/// items of a Map state.
fn child_rows(view: &View, definition: &Definition) -> Vec<Row> {
    match &view.state {
        StatePane::Parallel { lanes, .. } => {
            let lanes = lanes.iter().map(|lane| {
                let name = wording::branch(view.data.state, lane.index, definition);
                Row::new(name, status_text(lane.status, lane.error.as_ref()))
            });
            lanes.collect()
        }
        StatePane::Map { items, .. } => {
            let items = items.iter().map(|item| {
                let value = abridged(&item.item, 100);
                let status = status_text(item.lane.status, item.lane.error.as_ref());
                Row::new(
                    format!("item {index}", index = item.lane.index),
                    format!("{status}  {value}"),
                )
            });
            items.collect()
        }
        _ => Vec::new(),
    }
}

fn status_word(status: StateStatus) -> &'static str {
    match status {
        StateStatus::NotReached => "not started",
        StateStatus::Running => "running",
        StateStatus::Succeeded => "ok",
        StateStatus::ErrorRaised => "error",
        StateStatus::Retrying => "retrying",
        StateStatus::Caught => "caught",
        StateStatus::Failed => "failed",
        StateStatus::Waiting => "waiting",
        StateStatus::Asking => "waits for an answer",
        StateStatus::Aborted => "aborted",
        StateStatus::TimedOut => "timed out",
    }
}

/// Approximate maximum length, in bytes, of the text for an object, array or other value that is not a string.
const SHOWN: usize = 200;
/// Maximum length, in characters, of the text for a string; the rest is cut off.
pub(super) const TEXT_SHOWN: usize = 8_000;
/// Number of items in each group of a long array. Clients that do not support paging get these groups.
const PART: usize = 1_000;
/// Maximum number of children that a request returns if it does not say how many it wants.
const PAGE: usize = 100_000;

/// Writes a value on one line. A long value is abridged; a long array begins with its number of items.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let cut = text.char_indices().nth(TEXT_SHOWN);
            match cut.and_then(|(at, _)| text.get(..at)) {
                Some(kept) => one_line(&Value::string(kept)) + "…",
                None => one_line(value),
            }
        }
        Value::Array(array) if array.len() > 8 => {
            format!("({}) {}", array.len(), abridged(value, SHOWN))
        }
        _ => abridged(value, SHOWN),
    }
}

/// Returns two counts for a value: its members if it is an object, and its items if it is an array.
pub(super) fn counts(value: &Value) -> (Option<i64>, Option<i64>) {
    match value {
        Value::Array(array) => (None, Some(number(array.len()))),
        Value::Object(object) => (Some(number(object.members().len())), None),
        _ => (None, None),
    }
}

impl Debuggee {
    /// Returns a new number by which the client can request the members or items of a value; 0 if there are none.
    pub fn reference(&mut self, node: Node) -> i64 {
        match counts(&node.value) {
            (None | Some(0), None | Some(0)) => 0,
            _ => self.handles.add(Container::Value(node)),
        }
    }

    /// Describes a value as a variable, the protocol's type for everything that has a name and a value.
    fn variable(&mut self, name: &str, node: Node) -> Json {
        let (named, indexed) = counts(&node.value);
        let attributes = node.place.is_none().then_some(["readOnly"]);
        json!({
            "name": name, "value": shown(&node.value), "type": self.type_name(&node.value),
            "presentationHint": {"kind": "data", "attributes": attributes},
            "evaluateName": &node.expression, "variablesReference": self.reference(node),
            "namedVariables": named, "indexedVariables": indexed,
        })
    }

    /// Name of the value's JSON type; `None` if the client does not show types.
    pub fn type_name(&self, value: &Value) -> Option<String> {
        self.client.types.then(|| value.type_name().to_string())
    }

    /// Handles `variables`: returns the entries of a scope, or the members or items of a value.
    pub fn variables(&mut self, arguments: &VariablesArguments) -> Result<Vec<Json>, Refusal> {
        let start = given_count(arguments.start).unwrap_or(0);
        let count = given_count(arguments.count).filter(|count| *count > 0);
        let most = count.unwrap_or(PAGE);
        let container = self.handles.container(arguments.variables_reference)?;
        let named = arguments.filter.as_deref() != Some("indexed");
        let indexed = arguments.filter.as_deref() != Some("named");
        Ok(match container.clone() {
            Container::Scope(frame, kind) if named => {
                let parts = self.scope_parts(frame, kind)?;
                let parts = parts.into_iter().skip(start).take(most);
                let variables = parts.map(|part| match part {
                    Part::Value(name, node) => self.variable(&name, node),
                    Part::Row(row) => {
                        let hint = json!({"kind": "virtual", "attributes": ["readOnly"]});
                        json!({
                            "name": row.name, "value": row.text, "presentationHint": hint,
                            "variablesReference": 0,
                        })
                    }
                });
                variables.collect()
            }
            Container::Range(node, first, length) if indexed => {
                self.page(&node, first, first.saturating_add(length))
            }
            Container::Value(node) => match &node.value {
                Value::Object(object) if named => {
                    let members = object.members().iter().skip(start).take(most);
                    let variables = members.map(|(name, value)| {
                        let step = Step::Member(name.clone());
                        self.variable(name, node.child(step, value.clone()))
                    });
                    variables.collect()
                }
                Value::Array(array) if indexed => match count {
                    None if !self.client.paging && array.len() > PART => {
                        self.ranges(&node, array.len())
                    }
                    _ => self.page(&node, start, start.saturating_add(most)),
                },
                _ => Vec::new(),
            },
            _ => Vec::new(),
        })
    }

    /// Returns the items of an array from index `from` to before index `to`.
    fn page(&mut self, node: &Node, from: usize, to: usize) -> Vec<Json> {
        let Value::Array(items) = &node.value else {
            return Vec::new();
        };
        let parts = (from..to.min(items.len())).filter_map(|index| {
            let part = node.child(Step::Item(index), items.item(index)?);
            Some(self.variable(&index.to_string(), part))
        });
        parts.collect()
    }

    /// Divides an array that is too long to be shown at once into groups, and returns a container for each group.
    fn ranges(&mut self, node: &Node, length: usize) -> Vec<Json> {
        let starts = (0..length).step_by(PART);
        let parts = starts.map(|first| {
            let count = PART.min(length - first);
            let last = first.saturating_add(count).saturating_sub(1);
            let container = Container::Range(node.clone(), first, count);
            json!({
                "name": format!("[{first}..{last}]"), "value": "",
                "presentationHint": {"kind": "virtual", "attributes": ["readOnly"]},
                "variablesReference": self.handles.add(container), "indexedVariables": count,
            })
        });
        parts.collect()
    }
}

/// Puts exactly one blank between the words of a text, which turns a table row into a sentence.
pub(super) fn one_blank(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Explains the current error, one line for each fact: where a missing value was lost, why the error was raised, how
/// AWS differs, and how Retry, Catch and Choice rules handle it.
pub(super) fn reasons(view: &View, definition: &Definition) -> Vec<String> {
    let mut lines = Vec::new();
    let missing = view.missing.as_ref();
    lines.extend(missing.map(|missing| absent(missing, definition).whole().to_string()));
    if let Some(error) = &view.data.fault {
        lines.extend(error.because.iter().map(ToString::to_string));
        lines.extend(error.aws.clone());
    }
    let rows = retry_rows(view, definition).into_iter();
    lines.extend(rows.map(|row| format!("{}: {}", row.name, row.text)));
    lines
}
