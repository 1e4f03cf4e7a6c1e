//! Parses single fields of an object in a state: text, numbers, paths, templates, JSONata expressions.

use super::lowering::{Object, is_jsonata, is_opaque, is_reference};
use super::path::{Need, at_error, compile_path, meant, path_message, with_path};
use super::rules::{
    DUPLICATE_FIELD, DYNAMIC_FIELD, INTRINSIC, ONLY_ONE, PATH, REFERENCE_PATH, RESULT_PATH, VALUE,
};
use super::state::StateReader;
use crate::definition::rule::LintRule;
use crate::definition::{Jsonata, PathField, Payload, Quantity, QueryLanguage, ResultPath, Target};
use crate::json::{Number, Pointer, Step, Text, Value};
use crate::query::jsonata::{self, Expression, inner};
use crate::query::{Path, ReferencePath, SyntaxError, Template, TemplateError, TemplateErrorKind};
use crate::source::{Diagnostic, Node, with_article};
use std::sync::Arc;

impl<'n> StateReader<'_, 'n> {
    /// Reports that a value has the wrong JSON type. The state cannot run.
    pub(super) fn wrong_type(
        &mut self,
        value: &Node,
        location: String,
        wanted: &str,
        rule: LintRule,
    ) {
        if is_reference(value) {
            self.broken("a field contains an unresolved template function");
            return;
        }
        let message = format!("Expected value of type {wanted}");
        let name = location.rsplit('/').next().unwrap_or_default().to_string();
        self.broken(format!("{name}: {message}"));
        let help = self
            .put_in(value, &name)
            .or_else(|| meant(value, &name, self.language()))
            .unwrap_or_else(|| {
                format!(
                    "{name} is written as {json_type} here",
                    json_type = with_article(value.type_name())
                )
            });
        self.report(rule, message, (value.span, location), help);
    }

    /// Help for a placeholder or a template function in a field that needs a number, where it would insert text.
    fn put_in(&self, value: &Node, name: &str) -> Option<String> {
        value.string()?;
        let written = self.written(value)?;
        let inner = written.trim_start_matches(['"', '\'', '\\']);
        let of_serverless = || {
            let kinds = ["${env:", "${opt:", "${param:", "${self:"];
            kinds.iter().any(|kind| inner.starts_with(kind))
        };
        let reason = match inner.starts_with("${") {
            true if of_serverless() => {
                return Some("a value that is in quotes, or that Serverless reads from env, opt or param, is text: write the number into the configuration".to_owned());
            }
            true if inner.len() < written.len() => "a placeholder in quotes becomes text",
            true if value.as_str().is_some_and(is_opaque) => return None,
            true => "a placeholder in a template's Definition becomes text",
            false if inner.starts_with(['!', '{']) => "a template's function returns text",
            false => return None,
        };
        let or = match with_path(name) {
            Some(path) if self.language() == QueryLanguage::JsonPath => {
                format!(", or use {path} to read the value from the data")
            }
            _ => String::new(),
        };
        Some(format!(
            "{reason}: write ${{NAME}} without quotes, in a DefinitionString or a JSON file{or}"
        ))
    }

    /// True if the string in a numeric field is a placeholder, or an expression in JSONata mode: its value is known
    /// only later. Reports a placeholder; the field then counts as absent.
    fn is_later(&mut self, value: &Node, object: Object<'n, '_>, name: &str) -> bool {
        let Some(text) = value.as_str() else {
            return false;
        };
        if is_opaque(text) {
            let message =
                format!("{name} is the placeholder {text}, so the field counts as absent");
            let help = self.put_in(value, name);
            let help = help.unwrap_or_else(|| {
                "give the placeholder a number with --set NAME=VALUE".to_owned()
            });
            self.add(
                Diagnostic::info("UNRESOLVED_PLACEHOLDER", 0, message)
                    .at(value.span, object.at(name))
                    .help(help),
            );
            return true;
        }
        self.language() == QueryLanguage::Jsonata && is_jsonata(text)
    }

    /// Parses the field `name` as a string.
    pub(super) fn text(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        rule: LintRule,
    ) -> Option<Text> {
        let value = object.get(name)?;
        let text = value.string().map(|string| string.text.clone());
        if text.is_none() {
            self.wrong_type(value, object.at(name), "String", rule);
        }
        text
    }

    /// Parses an integer from `least` to `most`. Reports any other value; if it is negative or not an integer, the
    /// state cannot run.
    pub(super) fn integer(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        (least, most): (u64, u64),
        rule: LintRule,
    ) -> Option<u64> {
        let value = object.get(name)?;
        if self.is_later(value, object, name) {
            return None;
        }
        let number = value.as_number();
        let integer = number.and_then(Number::as_i64);
        let is_huge =
            integer.is_none() && number.is_some_and(|number| number.as_f64() > most as f64);
        let count = match integer {
            Some(integer) => u64::try_from(integer).ok(),
            None if is_huge => Some(most),
            None => {
                self.wrong_type(value, object.at(name), "Integer", rule);
                return None;
            }
        };
        let message = match count {
            Some(count) if is_huge || count > most => format!("Maximum value is {most}"),
            Some(count) if count >= least => return Some(count),
            _ => format!("Minimum value is {least}"),
        };
        if count.is_none() {
            self.broken(format!("{name}: {message}"));
        }
        self.out_of_range((value, object.at(name)), message, rule);
        count
    }

    /// Parses a number from `least` to `most`.
    pub(super) fn number(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        (least, most): (f64, f64),
        rule: LintRule,
    ) -> Option<f64> {
        let value = object.get(name)?;
        if self.is_later(value, object, name) {
            return None;
        }
        let Some(number) = value.as_number().map(Number::as_f64) else {
            self.wrong_type(value, object.at(name), "Number", rule);
            return None;
        };
        let message = match number {
            _ if number < least => format!("Minimum value is {least}"),
            _ if number > most => format!("Maximum value is {most}"),
            _ => return Some(number),
        };
        self.out_of_range((value, object.at(name)), message, rule);
        Some(number)
    }

    /// Reports a number outside of its limits.
    pub(super) fn out_of_range(&mut self, value: (&Node, String), message: String, rule: LintRule) {
        let (value, location) = value;
        let help = "choose a value inside the limits";
        self.report(rule, message, (value.span, location), help);
    }

    /// Parses the field `name` as an integer (in JSONata also as an expression), or else its `...Path` form as a path.
    /// Reports the fields if both are present.
    pub(super) fn quantity(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        limits: (u64, u64),
    ) -> Option<Quantity<u64>> {
        let path = format!("{name}Path");
        self.only_one(object, &[name, &path]);
        if let Some(expression) = self.expression_field(object, name) {
            return Some(Quantity::Expression(expression));
        }
        if let Some(count) = self.integer(object, name, limits, VALUE) {
            return Some(Quantity::Constant(count));
        }
        self.path(object, &path, Need::Reference)
            .map(Quantity::Path)
    }

    /// Reports fields that exclude each other.
    pub(super) fn only_one(&mut self, object: Object<'n, '_>, names: &[&str]) {
        let mut given = names.iter().filter_map(|name| object.node.member(name));
        let (Some(first), Some(second)) = (given.next(), given.next()) else {
            return;
        };
        let [early, late] = match first.key.span.start <= second.key.span.start {
            true => [first, second],
            false => [second, first],
        };
        let names = names.join(", ");
        let message = format!("There should only be one of the following fields: [{names}]");
        let diagnostic = ONLY_ONE
            .found_reading(message)
            .at(late.key.span, object.location)
            .related(early.key.span, "the other field")
            .help(format!("remove {} or {}", early.key.text, late.key.text));
        self.add(diagnostic);
    }

    /// Parses a path. In JSONata mode, does nothing.
    pub(super) fn path(&mut self, object: Object<'n, '_>, name: &str, need: Need) -> Option<Path> {
        let value = object.get(name)?;
        if self.language() == QueryLanguage::Jsonata {
            return None;
        }
        let Some(text) = value.as_str() else {
            self.wrong_type(value, object.at(name), "String", need.rule());
            return None;
        };
        if is_opaque(text) {
            self.broken(format!("{name} contains the placeholder {text}"));
            return None;
        }
        match compile_path(text, need) {
            Ok(path) => Some(path),
            Err(error) => {
                self.bad_path(value, object.at(name), name, need, &error);
                None
            }
        }
    }

    /// Reports a path that does not parse. The state cannot run.
    fn bad_path(
        &mut self,
        value: &Node,
        location: String,
        name: &str,
        need: Need,
        error: &SyntaxError,
    ) {
        let (rule, message) = path_message(value, name, need, error);
        self.broken(message.clone());
        self.report_syntax(rule, message, (value, location), error);
    }

    /// Parses `InputPath`, `OutputPath` or `ItemsPath`.
    pub(super) fn path_field(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        need: Need,
    ) -> PathField {
        match object.get(name) {
            Some(value) if value.is_null() => PathField::Null,
            _ => match self.path(object, name, need) {
                Some(path) if path.is_identity() => PathField::Whole,
                Some(path) => PathField::Path(path),
                None => PathField::Whole,
            },
        }
    }

    /// Parses the `ResultPath` of a state or a catcher.
    pub(super) fn result_path(&mut self, object: Object<'n, '_>) -> ResultPath {
        let Some(value) = object.get("ResultPath") else {
            return ResultPath::Replace;
        };
        if value.is_null() {
            return ResultPath::Discard;
        }
        if self.language() == QueryLanguage::Jsonata {
            return ResultPath::Replace;
        }
        let location = object.at("ResultPath");
        let Some(text) = value.as_str() else {
            self.wrong_type(value, location, "String", RESULT_PATH);
            return ResultPath::Replace;
        };
        if is_opaque(text) {
            self.broken(format!("ResultPath contains the placeholder {text}"));
            return ResultPath::Replace;
        }
        match ReferencePath::parse(text) {
            Ok(path) if path.steps().is_empty() => ResultPath::Replace,
            Ok(path) => ResultPath::Insert(path),
            Err(error) => {
                self.broken(error.message.as_str());
                let rule = match text.starts_with('$') {
                    true => RESULT_PATH,
                    false => REFERENCE_PATH,
                };
                self.report_syntax(rule, error.message.as_str(), (value, location), &error);
                ResultPath::Replace
            }
        }
    }

    /// Parses a payload template. In JSONata mode, does nothing.
    pub(super) fn template(&mut self, object: Object<'n, '_>, name: &str) -> Option<Template> {
        let value = object.get(name)?;
        if self.language() == QueryLanguage::Jsonata {
            return None;
        }
        let (template, errors) = Template::compile(&value.to_value());
        for error in &errors {
            self.bad_template(value, &object.at(name), error);
        }
        Some(template)
    }

    fn bad_template(&mut self, root: &Node, location: &str, template_error: &TemplateError) {
        let node = node_at(root, &template_error.at);
        let error = &template_error.error;
        if let Some(text) = node.as_str().filter(|text| is_opaque(text)) {
            self.broken(format!(
                "{field} contains the placeholder {text}",
                field = template_error.field
            ));
            return;
        }
        let message = template_error.message();
        if template_error.kind == TemplateErrorKind::Duplicate {
            self.broken(message.clone());
            let name = template_error.field.strip_suffix(".$").unwrap_or_default();
            let twin = parent_at(root, &template_error.at).and_then(|parent| parent.member(name));
            let diagnostic = DUPLICATE_FIELD.found_reading(message);
            let diagnostic = at_error(diagnostic, node, error, location);
            self.add(match twin {
                Some(twin) => diagnostic.related(twin.key.span, "the other field"),
                None => diagnostic,
            });
            return;
        }
        self.broken(format!("{message}: {}", error.message));
        let rule = match node.as_str() {
            Some(text) if text.starts_with('$') => PATH,
            Some(text) if text.contains('(') => INTRINSIC,
            _ => DYNAMIC_FIELD,
        };
        self.report_syntax(rule, message, (node, location), error);
    }

    /// Resolves the state that the field `name` refers to.
    pub(super) fn target(&mut self, object: Object<'n, '_>, name: &str) -> Option<Target> {
        let value = object.get(name)?;
        let location = object.at(name);
        self.find(value, &location)
    }
}

/// The node that a pointer leads to below `root`. If there is no such node, the last existing node on the pointer's
/// path.
fn node_at<'a>(root: &'a Node, at: &Pointer) -> &'a Node {
    at.0.iter()
        .try_fold(root, |node, step| child(node, step).ok_or(node))
        .unwrap_or_else(|last| last)
}

fn parent_at<'a>(root: &'a Node, at: &Pointer) -> Option<&'a Node> {
    let (_, above) = at.0.split_last()?;
    above.iter().try_fold(root, |node, step| child(node, step))
}

fn child<'a>(node: &'a Node, step: &Step) -> Option<&'a Node> {
    match step {
        Step::Member(name) => node.get(name),
        Step::Item(index) => node.items()?.get(*index),
    }
}

impl<'n> StateReader<'_, 'n> {
    /// Parses the JSONata fields `Arguments`, `Output` and `Assign`, but only those in `names`, which the object may
    /// have.
    pub(super) fn jsonata(
        &mut self,
        object: Object<'n, '_>,
        names: &[&str],
        below: &str,
    ) -> Jsonata {
        let mut read = |name: &str| {
            let location = format!("{below}{name}");
            names
                .contains(&name)
                .then(|| self.jsonata_field(object, name, &location))
                .flatten()
        };
        Jsonata {
            arguments: read("Arguments"),
            output: read("Output"),
            assign: read("Assign"),
        }
    }

    /// Parses a field in JSONata mode whose value may contain expressions at any depth.
    pub(super) fn jsonata_field(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        location: &str,
    ) -> Option<jsonata::Template> {
        if self.language() != QueryLanguage::Jsonata {
            return None;
        }
        let value = object.get(name)?.to_value();
        Some(self.compiled(&value, location))
    }

    fn compiled(&mut self, value: &Value, location: &str) -> jsonata::Template {
        let (template, problems) = jsonata::Template::compile(value, location);
        for problem in problems {
            self.broken(format!("{}: {}", problem.location, problem.error.message));
        }
        let opaque = template
            .expressions()
            .iter()
            .find(|expression| is_opaque(&expression.text));
        if let Some(expression) = opaque {
            self.broken(format!("{} contains a placeholder", expression.location));
        }
        template
    }

    /// Parses a field in the query language of the state.
    pub(super) fn payload(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
        location: &str,
    ) -> Option<Payload> {
        match self.language() {
            QueryLanguage::JsonPath => self.template(object, name).map(Payload::Template),
            QueryLanguage::Jsonata => self
                .jsonata_field(object, name, location)
                .map(Payload::Jsonata),
        }
    }

    /// Parses a field whose whole value is an expression.
    pub(super) fn expression_field(
        &mut self,
        object: Object<'n, '_>,
        name: &str,
    ) -> Option<Arc<Expression>> {
        let value = object.get(name)?;
        self.expression(value, name)
    }

    /// Parses a value that is an expression as a whole; `None` for any other value.
    pub(super) fn expression(&mut self, value: &Node, location: &str) -> Option<Arc<Expression>> {
        if self.language() != QueryLanguage::Jsonata {
            return None;
        }
        inner(value.as_str()?)?;
        let template = self.compiled(&value.to_value(), location);
        template.expressions().first().cloned()
    }
}
