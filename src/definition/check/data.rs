//! Checks the contents of templates, results and expressions: text that was meant to be evaluated, and calls that must
//! fail.

use super::located::Located;
use super::reach::Flow;
use super::{Checker, StateAt};
use crate::definition::field::{self, Content};
use crate::definition::lower::rules::{
    ARGUMENT_COUNT, INTRINSIC, PLAIN_PAYLOAD, PLAIN_TEMPLATE, REFERENCE_PATH, SEVERAL_ITEMS, VALUE,
};
use crate::definition::lower::{is_jsonata, is_opaque};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{Comparator, LintRule};
use crate::json::Value;
use crate::query::{
    Braces, Call, Expression, Intrinsic, Path, Unevaluated, is_jsonpath, paths_inside,
};
use crate::source::{Node, Span};

lint_rules! {
    NO_DOLLAR = 36, "no-dollar", "NO_DOLLAR", Severities::WARNING,
        "text looks like a path or a function call, but the name of the text's field does not end in .$" {
            NO_PATH("NO_PATH") = Severities::WARNING, "if the field's name should end in Path instead of .$";
        };
    STATIC_RESULT = 37, "static-result", "PASS_RESULT_IS_STATIC", Severities::WARNING,
        "the Result of a Pass state contains text that looks like a path";
    INTRINSIC_LITERAL = 40, "intrinsic-literal", "INTRINSIC_ARGUMENT", Severities::WARNING,
        "a literal argument makes an intrinsic function fail";
    BRACES = 86, "format-braces", "BRACES_STAY", Severities::WARNING,
        "escaped braces in a States.Format template stay text: a placeholder is written {}" {
            BRACES_AROUND = Severities::INFO, "if the escaped braces surround a placeholder";
        };
    FAIL_INTRINSIC = 41, "fail-intrinsic", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "ErrorPath or CausePath calls a function that returns no string";
    MIXED = 73, "mixed", "OTHER_LANGUAGE", Severities::WARNING, "syntax of the other query language is not evaluated and remains text";
    LARGE_CONSTANT = 79, "large-constant", "CONSTANT_TOO_LARGE", Severities::WARNING,
        "a constant is larger than the data of a state may be on AWS";
}

/// Maximum size of a state's data on AWS, in bytes.
const LARGEST: u64 = 256 << 10;
/// Maximum nesting depth of intrinsic function calls in a field.
const NESTED: usize = 10;
/// Functions whose result is text, or can be text.
const TEXT: [&str; 7] = [
    "States.Format",
    "States.JsonToString",
    "States.ArrayGetItem",
    "States.Base64Encode",
    "States.Base64Decode",
    "States.Hash",
    "States.UUID",
];
const DIGESTS: [&str; 5] = ["MD5", "SHA-1", "SHA-256", "SHA-384", "SHA-512"];
/// For a text that contains paths: a message that says that the paths are not evaluated, and the function call that
/// would insert their values. `None` if the text contains no paths.
fn inside(text: &str) -> Option<(String, String)> {
    let ranges = paths_inside(text);
    let path = text.get(ranges.first()?.clone())?;
    let (mut template, mut arguments, mut at) = (String::new(), String::new(), 0);
    for range in &ranges {
        template.push_str(text.get(at..range.start)?);
        template.push_str("{}");
        arguments.push_str(&format!(", {}", text.get(range.clone())?));
        at = range.end;
    }
    template.push_str(text.get(at..)?);
    let message = format!("{path} stays text: a path inside other text is not evaluated");
    let template = template.replace('\'', "\\'");
    Some((message, format!("States.Format('{template}'{arguments})")))
}

/// For a States.Format call whose only argument is a text that contains paths: a message that says that the paths are
/// not evaluated, and the call that would insert their values. `None` for any other call.
fn path_in_literal(call: &Call<'_>) -> Option<(String, String)> {
    let only = call.function.name == "States.Format" && call.arguments.len() == 1;
    let template = call.arguments.first().filter(|_| only)?;
    inside(template.literal?.as_str()?)
}

impl Checker<'_> {
    pub(super) fn data(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let objects = field::STATE.iter().filter(|spec| spec.is_template());
        // The type of Credentials is checked with the other rules of a Task.
        for spec in objects.filter(|spec| spec.content == Content::Template) {
            let name = spec.name;
            let Some(value) = at.field(name) else {
                continue;
            };
            let is_object = value.node.members().is_some();
            let text = value.text().unwrap_or_default();
            let later = is_opaque(text) || (name != "Assign" && is_jsonata(text));
            if name == "Assign" && !is_object && !later {
                self.wrong_type(&value, "Object", VALUE);
            } else if !(is_object || later || name == "ItemSelector" && at.is_jsonata()) {
                let help = "write the value as an object, or build it in an earlier state";
                let rule = match name {
                    "ResultSelector" | "ItemSelector" => PLAIN_PAYLOAD,
                    _ => PLAIN_TEMPLATE,
                };
                self.no_object(rule, &value, help);
            }
        }
        if let Some(result) = at.field("Result").filter(|_| at.kind() == Some("Pass")) {
            self.result(result);
        }
        if at.is_jsonata() {
            self.left_as_text(at, flow);
            return;
        }
        // The payload templates inside ItemReader and ItemBatcher must be objects, too.
        for (outer, name) in [("ItemReader", "Parameters"), ("ItemBatcher", "BatchInput")] {
            let value = at.field(outer).and_then(|outer| outer.get(name));
            let is_later = |value: &Located<'_>| value.text().is_some_and(is_opaque);
            if let Some(value) = value
                && value.node.members().is_none()
                && !is_later(&value)
            {
                self.no_object(PLAIN_PAYLOAD, &value, "write the value as an object");
            }
        }
        for value in templates(at) {
            self.template(&value, flow);
            self.size(&value);
        }
        self.fail_text(at);
        self.items_path(at);
        self.path_in_text(at, flow);
    }

    fn no_object(&mut self, rule: LintRule, value: &Located<'_>, help: &str) {
        let (field, json_type) = (value.name(), value.node.type_name());
        let message = format!("{field} must be an object, found {json_type}");
        self.report(rule, message, value.value(), help);
    }

    fn size(&mut self, value: &Located<'_>) {
        let Span { start, end, .. } = value.node.span;
        let length = end.saturating_sub(start);
        if u64::from(length) > LARGEST && value.node.to_value().size() > LARGEST {
            let message =
                "the constant is larger than the 262144 bytes that a state's data may have on AWS";
            let help = "store the value in S3 and pass its location";
            self.report(LARGE_CONSTANT, message, value.start(), help);
        }
    }

    fn result(&mut self, result: Located<'_>) {
        self.size(&result);
        for (_, node) in result.node.walk() {
            if let Some(text) = node.as_str().filter(|text| Unevaluated::of(text).is_some()) {
                let message = format!("Result is not evaluated, so {text} stays text");
                let help = "use Parameters instead of Result, and a field name that ends in .$";
                self.report(STATIC_RESULT, message, (node.span, &result.location), help);
            }
        }
    }

    /// Checks a template for text that is not evaluated and for calls that must fail.
    fn template(&mut self, root: &Located<'_>, flow: &Flow<'_>) {
        let location = root.location.as_str();
        for (member, node) in root.node.walk() {
            let key = member.map_or("", |member| &*member.key.text);
            let Some(text) = node.as_str() else { continue };
            if !key.ends_with(".$") {
                self.literal(text, (node.span, location), key, flow);
            } else if let Ok(Expression::Intrinsic(intrinsic)) = Expression::parse(text)
                && !is_opaque(text)
            {
                self.intrinsic(&intrinsic, node, location);
            }
        }
    }

    fn literal(&mut self, text: &str, place: (Span, &str), key: &str, flow: &Flow<'_>) {
        if is_jsonata(text) || Unevaluated::of(text) == Some(Unevaluated::Bare) {
            let message = "the state uses JSONPath, so this JSONata expression stays text";
            let help = "set QueryLanguage to JSONata, or use a path";
            self.report(MIXED, message, place, help);
        } else if is_jsonpath(text) || flow.is_variable(text) {
            let message = format!("{text} is not evaluated and stays text");
            let help = if key.is_empty() {
                "only a field whose name ends in .$ is evaluated: build the array with States.Array in such a field"
                    .to_string()
            } else {
                format!("name the field \"{key}.$\"")
            };
            self.report(NO_DOLLAR, message, place, help);
        } else if let Some((message, format)) = inside(text) {
            let help = match key.is_empty() {
                true => format!("build the array with States.Array, and the text with {format}"),
                false => format!("write \"{key}.$\": \"{format}\""),
            };
            self.report(NO_DOLLAR, message, place, help);
        }
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, node: &Node, location: &str) {
        let calls = intrinsic.calls();
        if depth(&calls) > NESTED {
            let message = format!("more than {NESTED} function calls are nested in each other");
            let help = "move a part of the expression to an earlier state";
            self.report(INTRINSIC, message, (node.span, location), help);
        }
        for call in &calls {
            let part = |argument: Option<usize>| {
                let argument = argument.and_then(|index| call.arguments.get(index));
                let range = argument.map_or(&call.range, |argument| &argument.range);
                (node.inner_span(range.clone()), location)
            };
            let (low, high) = (call.function.min, call.function.max);
            let (name, given) = (call.function.name, call.arguments.len());
            if !call.function.takes(given) {
                let message = format!("{name} takes {}, not {given}", arity(low, high));
                let help = "AWS does not report a wrong number of arguments until the state runs, and the state then fails";
                self.report(ARGUMENT_COUNT, message, part(None), help);
            } else if let Some((message, format)) = path_in_literal(call) {
                let help = format!("write {format}");
                self.report(NO_DOLLAR, message, part(Some(0)), help);
            } else if let Some(braces) = call.braces {
                let (rule, message) = match braces {
                    Braces::InsteadOfPlace => (
                        BRACES,
                        r"States.Format keeps \{\} as the text {} and inserts no value there",
                    ),
                    Braces::AroundPlace => (
                        BRACES_AROUND,
                        r"the template \{{}\} produces the value with braces around it",
                    ),
                };
                let help = "write a placeholder as {} without backslashes";
                self.report(rule, message, part(Some(0)), help);
            } else if let Some((message, argument)) = must_fail(call) {
                let help = format!("{name} fails each time this state runs");
                let message = message.trim_end_matches('.');
                self.report(INTRINSIC_LITERAL, message, part(Some(argument)), help);
            }
        }
    }

    /// Checks the calls in `ErrorPath` and `CausePath`.
    fn fail_text(&mut self, at: StateAt<'_>) {
        let fields = ["ErrorPath", "CausePath"].into_iter();
        let fields = fields.filter_map(|name| at.field(name));
        for field in fields.filter(|_| at.kind() == Some("Fail")) {
            let Some(Ok(Expression::Intrinsic(intrinsic))) = field.text().map(Expression::parse)
            else {
                continue;
            };
            if !is_opaque(intrinsic.text()) {
                self.intrinsic(&intrinsic, field.node, &field.location);
            }
            if !TEXT.contains(&intrinsic.name()) {
                let message = format!(
                    "{function} does not return a string",
                    function = intrinsic.name()
                );
                let help = format!("one of {}", TEXT.join(", "));
                self.report(FAIL_INTRINSIC, message, field.value(), help);
            }
        }
    }

    /// Reports fields of a Fail and comparators of a Choice whose text looks like a path. Only their `...Path` form
    /// would evaluate that path.
    fn path_in_text(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let mut waiting = match at.kind() {
            Some("Fail") => vec![at.object()],
            Some("Choice") => at.entries("Choices"),
            _ => return,
        };
        while let Some(object) = waiting.pop() {
            for member in object.members() {
                let name = member.name();
                match (name, member.text()) {
                    ("Not", _) => waiting.push(member),
                    ("And" | "Or", _) => waiting.extend(member.items()),
                    (_, Some(text))
                        if has_path_form(name) && (is_jsonpath(text) || flow.is_variable(text)) =>
                    {
                        let message = format!("{text} is not evaluated and stays text");
                        let help = format!("name the field {name}Path");
                        self.report(NO_PATH, message, member.value(), help);
                    }
                    _ => {}
                }
            }
        }
    }

    fn items_path(&mut self, at: StateAt<'_>) {
        let Some(field) = at.field("ItemsPath").filter(|_| at.kind() == Some("Map")) else {
            return;
        };
        if field.node.is_null() {
            self.wrong_type(&field, "String", REFERENCE_PATH);
        } else if let Some(Ok(path)) = field.text().map(Path::parse)
            && !path.is_reference()
        {
            let message =
                "ItemsPath must be a Reference Path, but this path can select several values";
            let help = "write the path of the array itself";
            self.report(SEVERAL_ITEMS, message, field.value(), help);
        }
    }
}

/// The templates of a state, including the templates in its rules, its catchers and its nested objects.
fn templates(at: StateAt<'_>) -> Vec<Located<'_>> {
    let outermost = (at.object(), field::STATE);
    let nested = field::STATE.iter();
    let nested = nested.filter(|spec| spec.content == Content::Nested);
    let nested = nested.filter_map(|spec| at.field(spec.name));
    let nested = nested.map(|object| (object.clone(), field::nested(object.name())));
    let entries = ["Choices", "Catch"].into_iter();
    let entries = entries.flat_map(|field| at.entries(field));
    let mut nodes = Vec::new();
    for (object, fields) in std::iter::once(outermost).chain(nested) {
        let specs = fields.iter().filter(|spec| spec.is_template());
        nodes.extend(specs.filter_map(|spec| object.get(spec.name)));
    }
    nodes.extend(entries.filter_map(|entry| entry.get("Assign")));
    nodes
}

/// True if the field has a `...Path` form that accepts a path.
fn has_path_form(name: &str) -> bool {
    let comparator = Comparator::parse(name).filter(|(_, path)| !path);
    matches!(name, "Error" | "Cause")
        || comparator.is_some_and(|(comparator, _)| comparator.has_path_form())
}

fn arity(low: usize, high: Option<usize>) -> String {
    let plural = if low == 1 { "" } else { "s" };
    match high {
        Some(high) if low == high => format!("{low} argument{plural}"),
        Some(high) => format!("{low} to {high} arguments"),
        None => format!("at least {low} argument{plural}"),
    }
}

/// Maximum nesting depth of the calls.
fn depth(calls: &[Call<'_>]) -> usize {
    let mut open: Vec<usize> = Vec::new();
    let mut most = 0;
    let mut ranges: Vec<_> = calls.iter().map(|call| call.range.clone()).collect();
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    for range in ranges {
        open.retain(|end| *end > range.start);
        open.push(range.end);
        most = most.max(open.len());
    }
    most
}

/// The reason why a call fails whatever the data is, and the index of the argument that causes the failure. `None` if
/// the call can succeed.
fn must_fail(call: &Call<'_>) -> Option<(String, usize)> {
    let literal = |index: usize| {
        call.arguments
            .get(index)
            .and_then(|argument| argument.literal)
    };
    let number = |index| Some(literal(index)?.as_number()?.as_f64());
    let (fails, why, index) = match call.function.name {
        "States.Hash" => {
            let name = literal(1)?.as_str();
            let known = name.is_some_and(|name| DIGESTS.contains(&name));
            let why = format!(
                "the algorithm must be one of {algorithms}",
                algorithms = DIGESTS.join(", ")
            );
            (!known, why, 1)
        }
        "States.JsonMerge" => {
            let why = "the third argument must be false on AWS".to_string();
            (literal(2)?.as_bool() != Some(false), why, 2)
        }
        "States.ArrayRange" => (
            number(2)? == 0.0,
            "the step of States.ArrayRange must not be 0".to_string(),
            2,
        ),
        "States.ArrayPartition" => {
            let why = "the group size must be at least 1".to_string();
            (number(1)? < 1.0, why, 1)
        }
        "States.Format" => match call.placeholders.as_ref()? {
            Err(message) => (true, message.clone(), 0),
            Ok(places) => {
                let values = call.arguments.len().saturating_sub(1);
                let why = format!("the template has {places} placeholders for {values} values");
                (*places != values, why, 0)
            }
        },
        "States.StringToJson" | "States.Base64Encode" | "States.Base64Decode" => {
            let is_text = matches!(literal(0)?, Value::String(_));
            (!is_text, "the argument must be a string".to_string(), 0)
        }
        _ => return None,
    };
    fails.then_some((why, index))
}
