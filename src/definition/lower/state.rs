//! Parses a state: first the fields that every type has, then the fields of the state's type.

use super::lowering::{
    Lowering, Object, TRANSITION, TYPES, inner_scopes, is_filled_later, is_jsonata, is_opaque,
    last_members, misspelt, opening, text_of,
};
use super::path::{Need, at_error, meant};
use super::rules::{BRANCHES, CONSTANT, INTRINSIC, REFERENCE_PATH, RESOURCE, TYPE, VALUE, WAIT};
use crate::definition::field::{Content, FieldSpec};
use crate::definition::rule::LintRule;
use crate::definition::step_table::steps_of;
use crate::definition::{
    Fail, FailText, Field, Integration, QueryLanguage, State, StateId, StateKind, Target, Task,
    Transition, WaitUntil,
};
use crate::query::{Expression, SyntaxError, parse_timestamp};
use crate::source::{Diagnostic, Node, Span, did_you_mean};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Maximum number of seconds that AWS accepts in any field.
pub(in crate::definition) const MOST_SECONDS: u64 = 99_999_999;

/// The state that is being parsed.
pub(super) struct StateReader<'l, 'n> {
    pub(super) lowering: &'l mut Lowering<'n>,
    pub(super) names: &'l HashMap<&'n str, StateId>,
    pub(super) id: StateId,
    pub(super) node: &'n Node,
    pub(super) state: State,
}

impl<'n> StateReader<'_, 'n> {
    /// Marks the state as broken, which means that it cannot run. If there are several reasons, the first one is kept.
    pub(super) fn broken(&mut self, reason: impl Into<String>) {
        if self.state.broken.is_none() {
            self.state.broken = Some(reason.into().into());
        }
    }

    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        self.lowering.findings.push(diagnostic);
    }

    pub(super) fn report(
        &mut self,
        rule: LintRule,
        message: impl Into<String>,
        (span, location): (Span, impl Into<String>),
        help: impl Into<String>,
    ) {
        let diagnostic = rule.found_reading(message).at(span, location);
        self.add(diagnostic.help(help));
    }

    /// Reports a text that does not parse. The diagnostic marks the invalid bytes of the text.
    pub(super) fn report_syntax(
        &mut self,
        rule: LintRule,
        message: impl Into<String>,
        (value, location): (&Node, impl Into<String>),
        error: &SyntaxError,
    ) {
        let diagnostic = rule.found_reading(message);
        self.add(at_error(diagnostic, value, error, location));
    }

    /// The source text of a node, as written.
    pub(super) fn written(&self, node: &Node) -> Option<&'n str> {
        self.lowering.sources.written(node.span)
    }

    pub(super) fn language(&self) -> QueryLanguage {
        self.state.language
    }

    /// Finds the state that `value` names, among the states of the same list.
    pub(super) fn find(&mut self, value: &Node, location: &str) -> Option<Target> {
        self.lowering
            .target(value, self.names, location, TRANSITION)
    }

    /// Adds a scope (list of states) inside this state to the scopes that are still to be parsed.
    pub(super) fn inner(
        &mut self,
        node: &'n Node,
        below: &str,
        index: u32,
        prefix: String,
    ) -> crate::definition::ScopeId {
        let location = format!("{}/{below}", self.state.location);
        self.lowering
            .scope(node, Some(self.id), index, location, prefix)
    }

    pub(super) fn state_path(&self) -> &str {
        &self.state.path.0
    }

    pub(super) fn read(mut self) -> State {
        let node = self.node;
        let location = self.state.location.clone();
        if node.members().is_none() {
            self.wrong_type(node, location.to_string(), "Object", VALUE);
            return self.state;
        }
        let object = Object::new(node, &location);
        self.state.fields = last_members(node)
            .into_iter()
            .map(|member| Field {
                name: member.key.text.clone(),
                key: member.key.span,
                value: member.value.span,
            })
            .collect();
        self.state.comment = text_of(node, "Comment");
        self.state.language = match node.get("QueryLanguage").and_then(Node::as_str) {
            None => self.lowering.language,
            Some("JSONPath") => QueryLanguage::JsonPath,
            Some(_) => QueryLanguage::Jsonata,
        };
        self.state.transition = self.transition(object);
        self.state.kind = self.kind(object);
        self.common(object);
        self.state.steps = steps_of(&self.state, node);
        self.state
    }

    fn transition(&mut self, object: Object<'n, '_>) -> Transition {
        let next = self.target(object, "Next");
        let end = object.get("End");
        if let Some(value) = end
            && value.as_bool().is_none()
            && !value.as_str().is_some_and(is_opaque)
        {
            self.wrong_type(value, object.at("End"), "Boolean", VALUE);
        }
        match (next, end.and_then(Node::as_bool)) {
            (Some(next), _) => Transition::Next(next),
            (None, Some(true)) => Transition::End,
            (None, _) => Transition::None,
        }
    }

    /// Parses the fields that several types of states have: the data fields and the error handling.
    fn common(&mut self, object: Object<'n, '_>) {
        if matches!(self.state.kind, StateKind::Fail(_)) {
            return;
        }
        self.state.input_path = self.path_field(object, "InputPath", Need::Path);
        self.state.output_path = self.path_field(object, "OutputPath", Need::Path);
        let kind = &self.state.kind;
        let works = matches!(
            kind,
            StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Map(_)
        );
        let passes = matches!(kind, StateKind::Pass { .. });
        let is_map = matches!(kind, StateKind::Map(_));
        if works || passes {
            self.state.result_path = self.result_path(object);
        }
        let is_template = |spec: &FieldSpec| {
            // The template that creates the inputs of a Map's items is parsed and stored with the fields that only a
            // Map has.
            let of_kind = is_map && matches!(spec.name, "Parameters" | "ItemSelector");
            spec.content == Content::Template
                && spec.languages.has(QueryLanguage::JsonPath)
                && !of_kind
        };
        let specs = FieldSpec::of_type(self.state.type_name()).iter();
        for spec in specs.filter(|spec| is_template(spec)) {
            if let Some(template) = self.template(object, spec.name) {
                self.state.templates.push((spec.name, template));
            }
        }
        if works {
            self.state.retry = self.retry(object);
            self.state.catch = self.catch(object);
        }
        let computed: &[&str] = match &self.state.kind {
            StateKind::Task(_) | StateKind::Parallel { .. } => &["Arguments", "Output", "Assign"],
            StateKind::Succeed => &["Output"],
            _ => &["Output", "Assign"],
        };
        self.state.jsonata = self.jsonata(object, computed, "");
    }

    fn kind(&mut self, object: Object<'n, '_>) -> StateKind {
        let node = object.node;
        match self.type_of(object).unwrap_or_default() {
            "Pass" => StateKind::Pass {
                result: node.get("Result").map(Node::to_value),
            },
            "Task" => StateKind::Task(self.task(object)),
            "Choice" => StateKind::Choice(self.choice(object)),
            "Wait" => StateKind::Wait(self.wait(object)),
            "Succeed" => StateKind::Succeed,
            "Fail" => StateKind::Fail(self.fail(object)),
            "Parallel" => StateKind::Parallel {
                branches: self.branches(object),
            },
            "Map" => StateKind::Map(Box::new(self.map(object))),
            _ => {
                // This state will never run, but its nested states are parsed so that they can be displayed.
                for (scope, below) in inner_scopes(node) {
                    let prefix = format!("{}/", self.state_path());
                    self.inner(scope, &below, 0, prefix);
                }
                StateKind::Pass { result: None }
            }
        }
    }

    fn type_of(&mut self, object: Object<'n, '_>) -> Option<&'n str> {
        let Some(value) = object.get("Type") else {
            let message = "The field 'Type' is required";
            self.broken(message);
            let place = (opening(object.node), object.location);
            self.report(TYPE, message, place, format!("write one of {TYPES}"));
            return None;
        };
        let name = value.as_str().unwrap_or_default();
        let known: Vec<&str> = (TYPES.trim_matches(['[', ']']).split(','))
            .map(str::trim)
            .collect();
        if known.contains(&name) {
            return Some(name);
        }
        let message = format!("The field 'Type' should have one of these values: {TYPES}");
        self.broken(message.clone());
        let help = did_you_mean(name, known)
            .unwrap_or_else(|| "choose one of the listed types".to_string());
        self.report(TYPE, message, (value.span, object.at("Type")), help);
        None
    }

    fn branches(&mut self, object: Object<'n, '_>) -> Vec<crate::definition::ScopeId> {
        let Some(value) = object.get("Branches") else {
            let help = "Branches is an array of objects with StartAt and States";
            self.required(object, "Branches", BRANCHES, help);
            return Vec::new();
        };
        let Some(items) = value.items() else {
            self.wrong_type(value, object.at("Branches"), "Array", BRANCHES);
            return Vec::new();
        };
        if items.is_empty() {
            let help = "a Parallel needs at least one branch";
            self.empty(value, object.at("Branches"), BRANCHES, help);
        }
        let mut branches = Vec::with_capacity(items.len());
        for (index, branch) in items.iter().enumerate() {
            if branch.members().is_none() {
                let location = format!("{}[{index}]", object.at("Branches"));
                self.wrong_type(branch, location, "Object", BRANCHES);
            }
            let below = format!("Branches[{index}]");
            let prefix = format!("{}[{index}]/", self.state_path());
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            branches.push(self.inner(branch, &below, index, prefix));
        }
        branches
    }

    /// Reports that a field is missing. The state cannot run.
    pub(super) fn required(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        rule: LintRule,
        help: &str,
    ) {
        let message = format!("The field '{name}' is required but was missing");
        self.broken(message.clone());
        let diagnostic = rule.found_reading(message);
        let diagnostic = diagnostic.at(opening(object.node), object.location);
        let slip = misspelt(object.node, &[name]).map(|slip| slip.0);
        self.add(diagnostic.help(help).following(slip));
    }

    /// Reports an empty array, object or string. The state cannot run.
    pub(super) fn empty(&mut self, value: &Node, location: String, rule: LintRule, help: &str) {
        let name = location.rsplit('/').next().unwrap_or_default();
        self.broken(format!("{name}: Value cannot be empty"));
        self.report(rule, "Value cannot be empty", (value.span, location), help);
    }

    pub(super) fn task(&mut self, object: Object<'n, '_>) -> Task {
        if object.get("Resource").is_none() {
            let help = "Resource is the ARN of the action that the task calls";
            self.required(object, "Resource", RESOURCE, help);
        }
        let resource = self.text(object, "Resource", RESOURCE);
        let resource = resource.unwrap_or_else(|| "".into());
        let integration = Integration::parse(&resource);
        let is_lambda = matches!(&integration, Integration::Service { service, .. }
            if matches!(&**service, "lambda" | "aws-sdk:lambda"));
        let parameters = object.get("Parameters").or_else(|| object.get("Arguments"));
        let function = parameters.and_then(|given| text_of(given, "FunctionName"));
        Task {
            function: function.filter(|name| is_lambda && !is_jsonata(name)),
            integration,
            resource,
            timeout: self.quantity(object, "TimeoutSeconds", (1, MOST_SECONDS)),
            heartbeat: self.quantity(object, "HeartbeatSeconds", (1, MOST_SECONDS)),
            credentials: self.payload(object, "Credentials", "Credentials"),
            call: OnceLock::new(),
        }
    }

    fn wait(&mut self, object: Object<'n, '_>) -> WaitUntil {
        const FORMS: [&str; 4] = ["SecondsPath", "Seconds", "TimestampPath", "Timestamp"];
        self.only_one(object, &FORMS);
        if !FORMS.iter().any(|name| object.node.member(name).is_some()) {
            let message = format!(
                "This object should have only one of the following fields: [{fields}]",
                fields = FORMS.join(", ")
            );
            self.broken(message.clone());
            let place = (opening(object.node), object.location);
            self.report(
                WAIT,
                message,
                place,
                "write how long, or until when, the state waits",
            );
            return WaitUntil::Nothing;
        }
        let until = if let Some(expression) = self.expression_field(object, "Seconds") {
            Some(WaitUntil::SecondsBy(expression))
        } else if let Some(expression) = self.expression_field(object, "Timestamp") {
            Some(WaitUntil::TimestampBy(expression))
        } else if let Some(value) = object.get("Seconds") {
            let seconds = self.integer(object, "Seconds", (0, MOST_SECONDS), VALUE);
            // The value of a placeholder is not known, so it counts as 0: the rest of the machine can still be run.
            let seconds = seconds.or(is_filled_later(value).then_some(0));
            seconds.map(WaitUntil::Seconds)
        } else if object.get("SecondsPath").is_some() {
            let path = self.path(object, "SecondsPath", Need::Reference);
            path.map(WaitUntil::SecondsPath)
        } else if object.get("TimestampPath").is_some() {
            let path = self.path(object, "TimestampPath", Need::Reference);
            path.map(WaitUntil::TimestampPath)
        } else {
            self.timestamp(object)
        };
        until.unwrap_or(WaitUntil::Nothing)
    }

    fn timestamp(&mut self, object: Object<'n, '_>) -> Option<WaitUntil> {
        let text = self.text(object, "Timestamp", VALUE)?;
        let later = self.language() == QueryLanguage::Jsonata && is_jsonata(&text);
        if is_opaque(&text) {
            self.broken(format!("Timestamp contains the placeholder {text}"));
        } else if !later && parse_timestamp(&text).is_none() {
            let value = object.get("Timestamp").unwrap_or(object.node);
            self.bad_timestamp(value, object.at("Timestamp"));
            self.broken("Timestamp: String does not match RFC3339 timestamp");
        }
        Some(WaitUntil::Timestamp(text))
    }

    pub(super) fn bad_timestamp(&mut self, value: &Node, location: String) {
        let help = meant(value, "Timestamp", self.language());
        let plain = "write the time like 2024-08-18T17:33:00Z, with T and a time zone";
        let help = help.as_deref().unwrap_or(plain);
        let message = "String does not match RFC3339 timestamp";
        self.report(CONSTANT, message, (value.span, location), help);
    }

    fn fail(&mut self, object: Object<'n, '_>) -> Fail {
        Fail {
            error: self.fail_text(object, "Error"),
            cause: self.fail_text(object, "Cause"),
        }
    }

    fn fail_text(&mut self, object: Object<'n, '_>, name: &str) -> Option<FailText> {
        let path_name = format!("{name}Path");
        self.only_one(object, &[name, &path_name]);
        if let Some(expression) = self.expression_field(object, name) {
            return Some(FailText::Jsonata(expression));
        }
        if object.get(name).is_some() {
            return self.text(object, name, VALUE).map(FailText::Constant);
        }
        let value = object.get(&path_name)?;
        if self.language() == QueryLanguage::Jsonata {
            return None;
        }
        let location = object.at(&path_name);
        let Some(text) = value.as_str() else {
            self.wrong_type(value, location, "String", REFERENCE_PATH);
            return None;
        };
        if is_opaque(text) {
            self.broken(format!("{path_name} contains the placeholder {text}"));
            return None;
        }
        if text.starts_with('$') {
            return self
                .path(object, &path_name, Need::Reference)
                .and_then(|_| Expression::parse(text).ok())
                .map(FailText::Expression);
        }
        match Expression::parse(text) {
            Ok(expression) => Some(FailText::Expression(expression)),
            Err(error) => {
                let message = format!(
                    "The value for the field '{path_name}' must be a valid JSONPath or a valid intrinsic function call"
                );
                let rule = match text.contains('(') {
                    true => INTRINSIC,
                    false => REFERENCE_PATH,
                };
                self.broken(format!("{message}: {}", error.message));
                self.report_syntax(rule, message, (value, location), &error);
                None
            }
        }
    }
}
