//! The scopes of a frame: the state's data by stage, the error, variables, context object, retries and children.

use super::client::number;
use super::debuggee::Debuggee;
use super::handle::{Container, Node, Row, ScopeKind};
use super::protocol::{FrameArguments, Scope, ScopesBody};
use super::refusal::Refusal;
use crate::definition::Definition;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::session::view::{AttemptView, HandlingView, StatePane, StateStatus, View};
use crate::session::{duration, word_of};
use crate::wording;

/// A child of a scope.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A value with its name.
    Value(String, Node),
    /// A row of text.
    Row(Row),
}

impl Debuggee {
    /// Returns the scopes of a frame.
    pub fn scopes(&mut self, arguments: &FrameArguments) -> Result<ScopesBody, Refusal> {
        if self.handles.is_outside(arguments.frame_id) {
            return Ok(ScopesBody { scopes: Vec::new() });
        }
        let frame = self.handles.frame_of(arguments.frame_id)?;
        let view = self.look(frame)?;
        let mut scopes = Vec::new();
        let mut add = |kind: ScopeKind, name: &str, hint, count: usize| {
            scopes.push(Scope {
                name: name.to_string(),
                presentation_hint: hint,
                variables_reference: self.handles.add(Container::Scope(frame, kind)),
                named_variables: Some(number(count)),
                expensive: kind == ScopeKind::Context,
                ..Scope::default()
            });
        };
        let stages = view.data.stages.len();
        if view.data.state.is_some() {
            add(ScopeKind::Data, "Data", Some("locals"), stages);
        }
        if view.data.fault.is_some() {
            add(
                ScopeKind::Error,
                "Error",
                None,
                error_parts(&view, frame).len(),
            );
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
        let members = view
            .data
            .context
            .as_object()
            .map_or(0, |all| all.members().len());
        add(ScopeKind::Context, "Context", Some("globals"), members);
        Ok(ScopesBody { scopes })
    }

    /// The children of a scope.
    pub fn scope_parts(&mut self, frame: FrameId, kind: ScopeKind) -> Result<Vec<Part>, Refusal> {
        let view = self.look(frame)?;
        let rows = |rows: Vec<Row>| rows.into_iter().map(Part::Row).collect();
        Ok(match kind {
            ScopeKind::Data => data_parts(&view, frame),
            ScopeKind::Error => error_parts(&view, frame),
            ScopeKind::Variables => {
                let variables = view.data.variables.iter();
                variables
                    .map(|(name, value)| named(frame, &format!("${name}"), value))
                    .collect()
            }
            ScopeKind::Context => {
                let members = view.data.context.as_object();
                let members = members.map_or(&[][..], |object| object.members());
                let context = Node {
                    frame,
                    value: Value::Null,
                    expression: Some("$$".to_string()),
                    place: None,
                };
                let part = |(name, value): &(Text, Value)| {
                    let step = crate::json::Step::Member(name.clone());
                    Part::Value(name.to_string(), context.child(step, value.clone()))
                };
                members.iter().map(part).collect()
            }
            ScopeKind::Retries => rows(retry_rows(&view, self.session.definition())),
            ScopeKind::Children => rows(child_rows(&view, self.session.definition())),
        })
    }
}

/// A value whose name is also the expression that evaluates to it.
fn named(frame: FrameId, name: &str, value: &Value) -> Part {
    let node = Node {
        frame,
        value: value.clone(),
        expression: Some(name.to_string()),
        place: None,
    };
    Part::Value(name.to_string(), node)
}

/// Name of a stage; the raw input and the output have a readable name, the other stages AWS's name.
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
    for own in stages {
        let name = stage_name(own.stage).to_string();
        match &own.value {
            None => parts.push(Part::Row(Row {
                name,
                text: view.data.to_come.word(own.stage).to_string(),
            })),
            Some(value) => parts.push(Part::Value(
                name,
                Node {
                    frame,
                    value: value.clone(),
                    expression: word_of(own.stage, is_reached).map(str::to_string),
                    place: Some((own.stage, Pointer::root())),
                },
            )),
        }
        if let Some(loss) = &own.loss {
            parts.push(Part::Row(Row {
                name: format!("{} lost", stage_name(own.stage)),
                text: loss.clone(),
            }));
        }
    }
    parts
}

fn error_parts(view: &View, frame: FrameId) -> Vec<Part> {
    let Some(error) = &view.data.fault else {
        return Vec::new();
    };
    let output = error.fault.error_output();
    let members = output
        .as_object()
        .map_or(&[][..], |object| object.members());
    let mut parts: Vec<Part> = members
        .iter()
        .map(|(name, value)| {
            let node = Node {
                frame,
                value: value.clone(),
                expression: Some(format!("$error.{name}")),
                place: None,
            };
            Part::Value(name.to_string(), node)
        })
        .collect();
    let mut say = |name: &str, text: &str| {
        parts.push(Part::Row(Row {
            name: name.to_string(),
            text: text.to_string(),
        }));
    };
    if let Some(stage) = error.stage {
        say("raised in", stage.name());
    }
    for (place, text) in error.because.iter().enumerate() {
        say(
            &format!("why {}", place.saturating_add(1)),
            &text.to_string(),
        );
    }
    if let Some(text) = &error.aws {
        say("on AWS", text);
    }
    parts
}

/// Retriers and catchers of the state that is shown.
pub(super) fn handling(view: &View) -> Option<&HandlingView> {
    match &view.state {
        StatePane::Task(handling)
        | StatePane::Parallel { handling, .. }
        | StatePane::Map { handling, .. } => Some(handling),
        _ => None,
    }
}

/// Rows for retriers, catchers, attempts and rules, and what each possible error would lead to.
pub(super) fn retry_rows(view: &View, definition: &Definition) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name: String, text: String| rows.push(Row { name, text });
    if let Some(handling) = handling(view) {
        for (index, one) in handling.retriers.iter().enumerate() {
            let mut waited: Vec<String> = one.waited.iter().map(|wait| duration(*wait)).collect();
            let waits = if one.waits { waited.pop() } else { None };
            let mut text = format!("{} of {} used, {}", one.used, one.max, one.back_off);
            if !waited.is_empty() {
                text += &format!("; waited {}", waited.join(", "));
            }
            if let Some(waits) = waits {
                text += &format!("; waits {waits}");
            }
            if let Some(next) = one.next {
                text += &format!("; next {}", duration(next));
            }
            if !one.why.is_empty() {
                text += &format!("; {}", one.why);
            }
            add(format!("Retry[{index}] {}", one.errors.join(" ")), text);
        }
        for (index, one) in handling.catchers.iter().enumerate() {
            let mut text = format!("{} → {}", one.result_path, one.next);
            if !one.why.is_empty() {
                text += &format!("; {}", one.why);
            }
            add(format!("Catch[{index}] {}", one.errors.join(" ")), text);
        }
        for one in &handling.attempts {
            add(format!("attempt {}", one.number), attempt_text(one));
        }
    }
    if let StatePane::Choice(rules) = &view.state {
        for rule in rules {
            let name = rule.index.map_or_else(
                || "Default".to_string(),
                |n| definition.rule_name(rule.span, n),
            );
            let said = match &rule.result {
                Some(Ok(holds)) => format!(": {holds}"),
                Some(Err(problem)) => format!(": {problem}"),
                None => String::new(),
            };
            let taken = if rule.taken { ", taken" } else { "" };
            add(
                name,
                format!("{}{said} → {}{taken}", rule.text(), rule.next),
            );
        }
    }
    for (place, line) in view.data.forecast.iter().enumerate() {
        let text = without_paths(&super::stop::one_blank(&line.to_string()));
        add(format!("then {}", place.saturating_add(1)), text);
    }
    rows
}

/// Replaces `1/3` by `1 of 3`, because editors treat text that begins with a slash as a path and link it.
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

fn attempt_text(one: &AttemptView) -> String {
    let took = one
        .took
        .map_or_else(String::new, |took| format!(" after {}", duration(took)));
    match &one.error {
        Some(error) => format!("{error}{took}"),
        None => format!("{}{took}", status_word(one.status)),
    }
}

/// Rows for the branches or items of the state that is shown.
fn child_rows(view: &View, definition: &Definition) -> Vec<Row> {
    let text = |status: StateStatus, error: Option<&Text>| match error {
        Some(error) => error.to_string(),
        None => status_word(status).to_string(),
    };
    match &view.state {
        StatePane::Parallel { lanes, .. } => lanes
            .iter()
            .map(|lane| Row {
                name: wording::branch(view.data.state, lane.index, definition),
                text: text(lane.status, lane.error.as_ref()),
            })
            .collect(),
        StatePane::Map { items, .. } => items
            .iter()
            .map(|item| {
                let beside = crate::query::abridged(&item.item, 100);
                let said = text(item.status, item.error.as_ref());
                Row {
                    name: format!("item {}", item.index),
                    text: format!("{said}  {beside}"),
                }
            })
            .collect(),
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
