//! Reads the tree of a test file: its cases, with the rules for expected values. Continues after an error, to report
//! all errors.

use super::expected::{Expected, Rule};
use super::file::{
    Answering, CASE_KEYS, CODE, Case, Check, EXPECT_KEYS, Expectations, FILE_KEYS, MATCHER_KEYS,
    TestFile, Visit, is_rules, mock_of,
};
use super::find::definition_for;
use super::write::parse_text;
use crate::json::{Text, Value};
use crate::launch::{Given, LaunchError};
use crate::query::{Profile, parse_timestamp};
use crate::service::FieldValidation;
use crate::session::Unmocked;
use crate::session::answers::MockFile;
use crate::source::{
    Diagnostic, Diagnostics, Key, Member, Node, NodeKind, Severity, SourceFile, SourceMap, Span,
    did_you_mean, load, with_article,
};
use regex::RegexBuilder;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Help in the diagnostic for an empty test file: an example of a first case.
const BEGINNING: &str = "write cases: [{name: first, expect: {status: SUCCEEDED}}]";

/// Reads the tree of a test file and collects diagnostics.
pub(super) struct Reader {
    diagnostics: Diagnostics,
}

impl TestFile {
    /// Reads a test file, which must have no errors.
    ///
    /// # Errors
    /// If the file cannot be read or has errors.
    pub fn load(path: &Path) -> Result<Self, LaunchError> {
        let (file, sources, mut diagnostics) = Self::parse(path, load::load(path)?);
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        file.ok_or_else(|| LaunchError::invalid(diagnostics, &sources))
    }

    /// Parses a test file. If there are diagnostics of severity error, the tests cannot be run.
    #[must_use]
    pub fn parse(path: &Path, text: SourceFile) -> (Option<Self>, Arc<SourceMap>, Diagnostics) {
        let (node, mut diagnostics) = parse_text(path, &text);
        let is_empty = node.is_none() && text.text.trim().is_empty();
        if let (true, Some(empty)) = (is_empty, diagnostics.first_mut()) {
            empty.help = Some(BEGINNING.to_string());
        }
        let sources = Arc::new(SourceMap::of(text));
        let mut reader = Reader { diagnostics };
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = node.map(|node| {
            let mut file = Self::empty(path, &sources);
            reader.file(&node, folder, &mut file);
            if file.program.file.as_os_str().is_empty() {
                file.program.file = reader.definition_beside(path, &node);
            }
            file
        });
        let failed = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        let broken = reader.diagnostics.iter().any(failed);
        (file.filter(|_| !broken), sources, reader.diagnostics)
    }
}

impl Reader {
    fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.refuse_with(span, message, None);
    }

    fn refuse_with(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        let mut diagnostic = Diagnostic::error(CODE, 0, message).at(span, "").blocking();
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Adds a diagnostic that says which type the value `name` must have (`wanted`), and which type it actually has.
    fn wants(&mut self, node: &Node, name: &str, wanted: &str) {
        self.wants_of(node, &format!("\"{name}\""), wanted);
    }

    /// Like `wants`, but `value` is a description of the value, which may have no name.
    fn wants_of(&mut self, node: &Node, value: &str, wanted: &str) {
        let actual = with_article(node.type_name());
        self.refuse(node.span, format!("{value} must be {wanted}, not {actual}"));
    }

    fn known(&mut self, key: &Key, known: &[&str], place: &str) -> bool {
        if known.contains(&&*key.text) {
            return true;
        }
        let help = did_you_mean(&key.text, known.iter().copied())
            .unwrap_or_else(|| format!("the fields are {fields}", fields = known.join(", ")));
        let text = format!("unknown field \"{field}\" in {place}", field = key.text);
        self.refuse_with(key.span, text, Some(help));
        false
    }

    fn file(&mut self, node: &Node, folder: &Path, file: &mut TestFile) {
        let Some(members) = node.members() else {
            self.wants_of(node, "a test file", "an object with \"cases\"");
            return;
        };
        for member in members {
            if self.known(&member.key, &FILE_KEYS, "a test file") {
                self.file_member(&member.key.text, &member.value, folder, file);
            }
        }
        if node.get("cases").is_none() {
            let text = "\"cases\" is missing: a test file needs a list of test cases";
            self.refuse_with(node.span, text, Some(BEGINNING.to_string()));
        }
    }

    fn file_member(&mut self, key: &str, value: &Node, folder: &Path, file: &mut TestFile) {
        match key {
            "definition" => file.program.file = self.path(key, value, folder).unwrap_or_default(),
            "state_machine" => {
                file.program.state_machine = self.text(key, value).map(|text| text.to_string());
            }
            "mock" => file.mock = self.path(key, value, folder),
            "s3_root" => file.s3_root = self.path(key, value, folder),
            "set" => {
                for (name, value) in self.members(key, value) {
                    let text = crate::json::bare(&value.to_value());
                    file.program.set.push((name.to_string(), text));
                }
            }
            "children" => {
                for (name, value) in self.members(key, value) {
                    if let Some(path) = self.path("a child", value, folder) {
                        file.children.push((name.to_string(), path));
                    }
                }
            }
            "field_validation" => {
                file.validation = self.validation(value).unwrap_or(FieldValidation::Present)
            }
            "cases" => self.cases(value, folder, file),
            _ => {}
        }
    }

    fn cases(&mut self, node: &Node, folder: &Path, file: &mut TestFile) {
        let Some(items) = node.items() else {
            self.wants(node, "cases", "a list of test cases");
            return;
        };
        if items.is_empty() {
            let text = "\"cases\" contains no test case";
            self.refuse_with(node.span, text, Some(BEGINNING.to_string()));
        }
        for item in items {
            let Some(case) = self.case(item, folder) else {
                continue;
            };
            if let Some(other) = file.cases.iter().find(|other| other.name == case.name) {
                let why = format!("two test cases have the name \"{name}\"", name = case.name);
                let error = Diagnostic::error(CODE, 0, why).at(case.span, "").blocking();
                self.diagnostics
                    .push(error.related(other.span, "the first test case"));
            }
            file.cases.push(case);
        }
    }

    fn case(&mut self, node: &Node, folder: &Path) -> Option<Case> {
        let Some(members) = node.members() else {
            self.wants_of(node, "a test case", "an object with a \"name\"");
            return None;
        };
        let mut case = Case {
            whole: node.span,
            ..Case::default()
        };
        match node.get("name") {
            None => {
                self.refuse(node.span, "\"name\" is missing: a test case needs a name");
            }
            Some(name) => {
                case.span = name.span;
                case.name = self.text("name", name)?;
                if case.name.trim().is_empty() || case.name.chars().any(char::is_control) {
                    let text = "the name of a test case must be one line, and not empty";
                    self.refuse(name.span, text);
                }
            }
        }
        for member in members {
            if self.known(&member.key, &CASE_KEYS, "a test case") {
                self.case_member(&member.key.text, &member.value, folder, &mut case);
            }
        }
        if let (Some(_), Some(second)) = (node.get("input"), node.member("input_file")) {
            let text = "a test case can have \"input\" or \"input_file\", not both";
            self.refuse(second.key.span, text);
        }
        Some(case)
    }

    fn case_member(&mut self, key: &str, value: &Node, folder: &Path, case: &mut Case) {
        match key {
            "skip" => match value.as_bool() {
                Some(skips) => case.skip = skips.then(|| "no reason for skipping is given".into()),
                None => case.skip = self.text(key, value),
            },
            "input" => case.input = Some(Given::Value(value.to_value())),
            "input_file" => case.input = self.path(key, value, folder).map(Given::File),
            "answers" => case.answers = self.answers(value, &case.name.clone()),
            "profile" => {
                let names = [("spec", Profile::Spec), ("aws", Profile::Aws)];
                case.profile = self.one_of(key, value, &names);
            }
            "seed" => match value.as_number().and_then(crate::json::Number::as_i64) {
                Some(seed) if seed >= 0 => case.seed = seed.unsigned_abs(),
                _ => self.wants(value, key, "a whole number, 0 or more"),
            },
            "start_time" => {
                case.start_time = self.text(key, value);
                let text = case.start_time.clone().unwrap_or_else(|| "".into());
                if value.as_str().is_some() && parse_timestamp(&text).is_none() {
                    let text = format!("\"{text}\" is not an RFC 3339 time (2026-01-31T10:00:00Z)");
                    self.refuse(value.span, text);
                }
            }
            "context" => {
                if value.members().is_none() {
                    self.wants(value, key, "an object");
                }
                case.context = Some(value.to_value());
            }
            "variables" => {
                let members = self.members(key, value).into_iter();
                let members = members.map(|(name, value)| (name, value.to_value()));
                case.variables = members.collect();
            }
            "start_at" => {
                case.start_at = self.text(key, value);
                case.start_at_span = value.span;
            }
            "unmocked" => {
                let names = [("echo", Unmocked::Echo), ("fail", Unmocked::Fail)];
                case.unmocked = self.one_of(key, value, &names);
            }
            "field_validation" => case.validation = self.validation(value),
            "expect" => case.expect = self.expectations(value),
            _ => {}
        }
    }

    fn validation(&mut self, value: &Node) -> Option<FieldValidation> {
        let names = [
            ("strict", FieldValidation::Strict),
            ("present", FieldValidation::Present),
            ("none", FieldValidation::None),
        ];
        self.one_of("field_validation", value, &names)
    }

    /// Reads where the answers of a case come from: the name of a test case in the mock file, or states with their
    /// answers.
    fn answers(&mut self, node: &Node, case: &Text) -> Answering {
        if let Some(name) = node.as_str() {
            return Answering::Case(name.into());
        }
        let members = self.members("answers", node).into_iter();
        let states = members.map(|(state, value)| (state, numbered(value)));
        let states: Vec<(Text, Value)> = states.collect();
        let mock = mock_of("StateMachine", case, states.clone());
        // The reader of mock files checks the answers, so that test files and mock files accept the same answers.
        for (problem, at) in MockFile::misread(&mock) {
            let span = at.and_then(|state| Some(node.member(&state)?.value.span));
            self.refuse_with(span.unwrap_or(node.span), problem.message, problem.help);
        }
        Answering::Inline(states)
    }

    fn expectations(&mut self, node: &Node) -> Expectations {
        let mut expect = Expectations {
            span: Some(node.span),
            ..Expectations::default()
        };
        let Some(members) = node.members() else {
            self.wants(node, "expect", "an object");
            return expect;
        };
        for member in members {
            if self.known(&member.key, &EXPECT_KEYS, "\"expect\"") {
                let span = member.key.span;
                self.expectation(&member.key.text, &member.value, span, &mut expect);
            }
        }
        expect
    }

    fn expectation(&mut self, key: &str, value: &Node, span: Span, expect: &mut Expectations) {
        let whole = |reader: &mut Self| {
            Some(Check {
                expected: reader.expected(value),
                span,
            })
        };
        match key {
            "status" => {
                let known = ["SUCCEEDED", "FAILED", "TIMED_OUT"];
                let wrong = value.as_str().is_some_and(|text| !known.contains(&text));
                if wrong || (value.as_str().is_none() && value.members().is_none()) {
                    let text = "the status must be SUCCEEDED, FAILED or TIMED_OUT";
                    self.refuse(value.span, text);
                }
                expect.status = whole(self);
            }
            "error" => {
                let wanted = "the name of the error, or rules such as {$matches: A.*}";
                self.is_of(key, value, &["string", "null"], wanted);
                expect.error = whole(self);
            }
            "cause" => {
                let wanted = "a text that the cause contains, or rules such as {$matches: A.*}";
                self.is_of(key, value, &["string", "null"], wanted);
                let expected = match value.as_str() {
                    Some(_) => {
                        Expected::Rules(vec![Rule::Contains(Box::new(self.expected(value)))])
                    }
                    None => self.expected(value),
                };
                expect.cause = Some(Check { expected, span });
            }
            "output" => expect.output = whole(self),
            "output_includes" => expect.output_includes = whole(self),
            "duration" => {
                let wanted = "a number of seconds, or rules such as {$max: 30}";
                self.is_of(key, value, &["number"], wanted);
                expect.duration = whole(self);
            }
            "visits" => {
                let Some(items) = value.items() else {
                    self.wants(value, key, "a list of states (… stands for any states)");
                    return;
                };
                let mut expected = Vec::new();
                for item in items {
                    match self.text("a visit", item).as_deref() {
                        None => {}
                        Some("…" | "...") => expected.push(Visit::Any),
                        Some(name) => expected.push(Visit::State(name.into())),
                    }
                }
                expect.visits = Some(Check { expected, span });
            }
            "never" => {
                let Some(items) = value.items() else {
                    self.wants(value, key, "a list of states");
                    return;
                };
                for item in items {
                    if let Some(expected) = self.text("a state", item) {
                        let span = item.span;
                        expect.never.push(Check { expected, span });
                    }
                }
            }
            "attempts" => {
                for member in value.members().unwrap_or_default() {
                    let wanted = "a number of attempts, or rules such as {$min: 2}";
                    self.is_of(&member.key.text, &member.value, &["number"], wanted);
                }
                expect.attempts = self.checks(key, value);
            }
            "inputs" => expect.inputs = self.checks(key, value),
            "calls" => expect.calls = self.checks(key, value),
            "variables" => expect.variables = self.checks(key, value),
            _ => {}
        }
    }

    /// Reports an expected value that is no rule and has a type that is not in `types`. No actual value could equal it.
    fn is_of(&mut self, key: &str, node: &Node, types: &[&str], wanted: &str) {
        if !is_rules(node) && !types.contains(&node.type_name()) {
            self.wants(node, key, wanted);
        }
    }

    /// Reads an object that has an expectation for each name, such as `inputs` with the names of states.
    fn checks(&mut self, key: &str, node: &Node) -> Vec<(Text, Check<Expected>)> {
        if node.members().is_none() {
            self.wants(node, key, "an object");
        }
        let members = node.members().unwrap_or_default().iter();
        let checks = members.map(|member| {
            let expected = self.expected(&member.value);
            let span = member.key.span;
            (member.key.text.clone(), Check { expected, span })
        });
        checks.collect()
    }

    fn text(&mut self, key: &str, node: &Node) -> Option<Text> {
        let text = node.string().map(|string| string.text.clone());
        if text.is_none() {
            self.wants(node, key, "a string");
        }
        text
    }

    /// Reads the path of a file, relative to the test file's folder.
    fn path(&mut self, key: &str, node: &Node, folder: &Path) -> Option<PathBuf> {
        self.text(key, node).map(|text| folder.join(&*text))
    }

    fn members<'n>(&mut self, key: &str, node: &'n Node) -> Vec<(Text, &'n Node)> {
        if node.members().is_none() {
            self.wants(node, key, "an object");
        }
        let members = node.members().unwrap_or_default().iter();
        let members = members.map(|member| (member.key.text.clone(), &member.value));
        members.collect()
    }

    fn one_of<T: Copy>(&mut self, key: &str, node: &Node, names: &[(&str, T)]) -> Option<T> {
        let text = self.text(key, node)?;
        let choice = names.iter().find(|(name, _)| *name == &*text);
        if choice.is_none() {
            let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            let names = known.join(", ");
            let help = did_you_mean(&text, known);
            let text = format!("\"{key}\" must be one of {names}, not \"{text}\"");
            self.refuse_with(node.span, text, help);
        }
        choice.map(|(_, value)| *value)
    }

    /// The definition beside the test file.
    fn definition_beside(&mut self, path: &Path, node: &Node) -> PathBuf {
        definition_for(path).unwrap_or_else(|| {
            let span = Span {
                end: node.span.start,
                ..node.span
            };
            let name = super::find::stem(path);
            let text = format!(
                "no definition {name}.asl.json, {name}.asl.yaml, {name}.json, {name}.yaml or {name}.sfn is beside this test file"
            );
            self.refuse_with(span, text, Some("name the definition: \"definition: FILE\"".into()));
            PathBuf::new()
        })
    }
}

/// The answers of a state in the format of a mock file. A single answer applies to every call; a list has an answer for
/// each call.
fn numbered(node: &Node) -> Value {
    let ways = ["Return", "Throw", "Never"];
    if ways.iter().any(|way| node.get(way).is_some()) {
        let every = format!("0-{}", u32::MAX);
        return Value::object(vec![(every.into(), node.to_value())]);
    }
    match node.items() {
        Some(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(place, item)| (place.to_string().into(), item.to_value()));
            Value::object(items.collect())
        }
        None => node.to_value(),
    }
}

/// Maximum memory of a compiled regular expression, in bytes.
const REGEX_BYTES: usize = 1 << 20;

impl Reader {
    /// Reads a value that may contain rules.
    fn expected(&mut self, node: &Node) -> Expected {
        match &node.kind {
            NodeKind::Object(members) if is_rules(node) => {
                let mut rules = Vec::new();
                for member in members {
                    if self.known(&member.key, &MATCHER_KEYS, "a rule for a value") {
                        rules.extend(self.rule(&member.key.text, &member.value));
                    }
                }
                Expected::Rules(rules)
            }
            NodeKind::Object(members) if holds_rules(node) => {
                let name = |member: &Member| member.key.text.clone();
                let members = members.iter();
                let members = members.map(|member| (name(member), self.expected(&member.value)));
                Expected::Object(members.collect())
            }
            NodeKind::Array(items) if holds_rules(node) => {
                Expected::Array(items.iter().map(|item| self.expected(item)).collect())
            }
            _ => Expected::Value(node.to_value()),
        }
    }

    fn rule(&mut self, key: &str, node: &Node) -> Option<Rule> {
        let number = node.as_number().map(crate::json::Number::as_f64);
        Some(match key {
            "$any" | "$absent" => {
                if node.as_bool() != Some(true) {
                    self.wants(node, key, "true");
                }
                if key == "$any" {
                    Rule::Any
                } else {
                    Rule::Absent
                }
            }
            "$type" => {
                let known = [
                    "null", "boolean", "number", "integer", "string", "array", "object",
                ];
                let names = known.map(|name| (name, name));
                Rule::Type(self.one_of(key, node, &names)?.into())
            }
            "$min" | "$max" => {
                let Some(number) = number else {
                    self.wants(node, key, "a number");
                    return None;
                };
                match key {
                    "$min" => Rule::Min(number),
                    _ => Rule::Max(number),
                }
            }
            "$length" => self.length(node)?,
            "$matches" => {
                let text = self.text(key, node)?;
                let built = RegexBuilder::new(&text).size_limit(REGEX_BYTES).build();
                match built {
                    Ok(regex) => Rule::Matches(regex),
                    Err(error) => {
                        // The last line of the error is its message; the lines before it only show the position.
                        let error = error.to_string();
                        let last = error.lines().last().unwrap_or("");
                        let error = last.strip_prefix("error:").unwrap_or(last).trim_start();
                        self.refuse(node.span, format!("not a regular expression: {error}"));
                        return None;
                    }
                }
            }
            "$contains" => Rule::Contains(Box::new(self.expected(node))),
            "$includes" => Rule::Includes(Box::new(self.expected(node))),
            "$one_of" => {
                let Some(items) = node.items() else {
                    self.wants(node, key, "a list of values");
                    return None;
                };
                Rule::OneOf(items.iter().map(|item| self.expected(item)).collect())
            }
            _ => Rule::Equals(node.to_value()),
        })
    }

    /// Reads the argument of `$length`: `3`, or `{min: 1, max: 4}`.
    fn length(&mut self, node: &Node) -> Option<Rule> {
        let whole = |node: &Node| {
            let number = node.as_number().and_then(crate::json::Number::as_i64)?;
            u64::try_from(number).ok()
        };
        if let Some(length) = whole(node) {
            return Some(Rule::Length(length, length));
        }
        let bound = |name: &str, default| match node.get(name) {
            None => Some(default),
            Some(node) => whole(node),
        };
        let known = node.members().is_some_and(|members| {
            let mut names = members.iter().map(|member| &*member.key.text);
            names.all(|name| ["min", "max"].contains(&name))
        });
        match (known, bound("min", 0), bound("max", u64::MAX)) {
            (true, Some(least), Some(most)) => Some(Rule::Length(least, most)),
            _ => {
                let text = "\"$length\" must be a number, or {min: N, max: N}";
                self.refuse(node.span, text);
                None
            }
        }
    }
}

/// True if a value contains rules at any depth.
fn holds_rules(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Object(members) => {
            is_rules(node) || members.iter().any(|member| holds_rules(&member.value))
        }
        NodeKind::Array(items) => items.iter().any(holds_rules),
        _ => false,
    }
}
