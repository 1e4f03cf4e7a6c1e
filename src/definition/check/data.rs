//! What stands in templates, results and expressions: text that was meant to be evaluated, calls that must fail.
//!
//! It must not know values that only a run has.

use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::Comparator;
use crate::definition::field::{self, Content};
use crate::definition::lower::rules::{
    ARGUMENT_COUNT, INTRINSIC, PLAIN_PAYLOAD, PLAIN_TEMPLATE, REFERENCE_PATH, SEVERAL_ITEMS, VALUE,
};
use crate::definition::lower::{is_jsonata, is_opaque, last_members};
use crate::definition::rule::{Severities, rules};
use crate::json::Value;
use crate::query::{Braces, Call, Expression, Intrinsic, Path, Unevaluated, is_jsonpath};
use crate::source::{Node, NodeKind};

rules! {
    NO_DOLLAR = 36, "no-dollar", "NO_DOLLAR", Severities::WARNING,
        "text that looks like a path or a call under a name without .$" {
            NO_PATH("NO_PATH") = Severities::WARNING, "where the name of the field is to end in Path instead";
        };
    STATIC_RESULT = 37, "static-result", "PASS_RESULT_IS_STATIC", Severities::WARNING,
        "text that looks like a path in a Pass state's Result";
    INTRINSIC_LITERAL = 40, "intrinsic-literal", "INTRINSIC_ARGUMENT", Severities::WARNING,
        "a literal argument makes an intrinsic function fail";
    BRACES = 86, "format-braces", "BRACES_STAY", Severities::WARNING,
        "escaped braces of States.Format stay in the text, where a place for a value is {}" {
            BRACES_AROUND = Severities::INFO, "where they stand around a value";
        };
    FAIL_INTRINSIC = 41, "fail-intrinsic", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "ErrorPath or CausePath calls a function that returns no string";
    MIXED = 73, "mixed", "OTHER_LANGUAGE", Severities::WARNING, "a spelling of the other query language, which stays text";
    LARGE_CONSTANT = 79, "large-constant", "CONSTANT_TOO_LARGE", Severities::WARNING,
        "a constant is larger than a state's data may be on AWS";
}

/// AWS's largest data of a state, in bytes.
const LARGEST: u64 = 256 << 10;
/// Deepest nesting of calls in one field.
const NESTED: usize = 10;
/// Functions that always give text, or may.
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
impl Checker<'_> {
    pub(super) fn data(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let objects = field::STATE.iter().filter(|spec| spec.is_template());
        // What Credentials are to be, the rules of a Task say.
        for spec in objects.filter(|spec| spec.content == Content::Template) {
            let name = spec.name;
            let location = at.at(name);
            let Some(value) = at.get(name) else { continue };
            let is_object = matches!(value.kind, NodeKind::Object(_));
            let text = value.as_str().unwrap_or_default();
            let later = is_opaque(text) || (name != "Assign" && is_jsonata(text));
            if name == "Assign" && !is_object && !later {
                self.wrong_type(value, location, "Object", VALUE);
            } else if !(is_object || later || name == "ItemSelector" && at.is_jsonata()) {
                let message = format!("{name} must be an object, found {}", value.type_name());
                let help = "write it as an object, or build the value in an earlier state";
                let rule = match name {
                    "ResultSelector" | "ItemSelector" => PLAIN_PAYLOAD,
                    _ => PLAIN_TEMPLATE,
                };
                self.report(rule, message, value.span, location, help);
            }
        }
        for (outer, name) in [("ItemReader", "Parameters"), ("ItemBatcher", "BatchInput")] {
            self.inner_payload(at, outer, name);
        }
        self.result(at);
        if at.is_jsonata() {
            self.left_as_text(at, flow);
            return;
        }
        for (value, location) in templates(at) {
            self.template(value, &location, flow);
            self.size(value, &location);
        }
        self.fail_text(at);
        self.items_path(at);
        self.path_in_text(at, flow);
    }

    /// A payload template inside a field, which is to be an object as well.
    fn inner_payload(&mut self, at: StateAt<'_>, outer: &str, name: &str) {
        let value = at.get(outer).and_then(|node| node.get(name));
        let Some(value) = value.filter(|_| !at.is_jsonata()) else {
            return;
        };
        let is_later = value.as_str().is_some_and(is_opaque);
        if value.members().is_none() && !is_later {
            let message = format!("{name} must be an object, found {}", value.type_name());
            let location = format!("{}/{name}", at.at(outer));
            let help = "write it as an object";
            self.report(PLAIN_PAYLOAD, message, value.span, location, help);
        }
    }

    fn size(&mut self, value: &Node, location: &str) {
        let length = value.span.end.saturating_sub(value.span.start);
        if u64::from(length) > LARGEST && value.to_value().size() > LARGEST {
            let message =
                "the constant is larger than the 262144 bytes that a state's data may have on AWS";
            let span = crate::definition::lower::opening(value);
            self.report(
                LARGE_CONSTANT,
                message,
                span,
                location,
                "store it in S3 and pass its location",
            );
        }
    }

    fn result(&mut self, at: StateAt<'_>) {
        let Some(result) = at.get("Result").filter(|_| at.kind() == Some("Pass")) else {
            return;
        };
        self.size(result, &at.at("Result"));
        let mut waiting = vec![result];
        while let Some(node) = waiting.pop() {
            match &node.kind {
                NodeKind::String(string) if Unevaluated::of(&string.text).is_some() => {
                    let message =
                        format!("Result is static, so this stays the text {}", string.text);
                    let help = "use Parameters instead, with a name that ends in .$";
                    self.report(STATIC_RESULT, message, node.span, at.at("Result"), help);
                }
                NodeKind::Array(items) => waiting.extend(items.iter().rev()),
                NodeKind::Object(members) => {
                    waiting.extend(members.iter().rev().map(|member| &member.value));
                }
                _ => {}
            }
        }
    }

    /// Looks through a template for what is not evaluated, and for calls that must fail.
    fn template(&mut self, root: &Node, location: &str, flow: &Flow<'_>) {
        let mut waiting = vec![(root, "")];
        while let Some((node, key)) = waiting.pop() {
            match &node.kind {
                NodeKind::String(string) if key.ends_with(".$") => {
                    let call = Expression::parse(&string.text);
                    if let Ok(Expression::Intrinsic(intrinsic)) = call
                        && !is_opaque(&string.text)
                    {
                        self.intrinsic(&intrinsic, node, location);
                    }
                }
                NodeKind::String(string) => {
                    self.literal(&string.text, node, (key, location), flow);
                }
                NodeKind::Array(items) => waiting.extend(items.iter().rev().map(|item| (item, ""))),
                NodeKind::Object(_) => waiting.extend(
                    last_members(node)
                        .into_iter()
                        .rev()
                        .map(|member| (&member.value, &*member.key.text)),
                ),
                _ => {}
            }
        }
    }

    fn literal(&mut self, text: &str, node: &Node, (key, location): (&str, &str), flow: &Flow<'_>) {
        if is_jsonata(text) || Unevaluated::of(text) == Some(Unevaluated::Bare) {
            let message = "the state is in JSONPath, so this stays text";
            self.report(
                MIXED,
                message,
                node.span,
                location,
                "set QueryLanguage to JSONata, or use a path",
            );
        } else if is_jsonpath(text) || flow.is_variable(text) {
            let message = format!("{text} stays text, it is not evaluated");
            let help = if key.is_empty() {
                "only fields whose name ends in .$ are evaluated; build the array with States.Array"
                    .to_string()
            } else {
                format!("name the field \"{key}.$\"")
            };
            self.report(NO_DOLLAR, message, node.span, location, help);
        }
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, node: &Node, location: &str) {
        let calls = intrinsic.calls();
        if depth(&calls) > NESTED {
            let message = format!("more than {NESTED} calls nested in each other");
            self.report(
                INTRINSIC,
                message,
                node.span,
                location,
                "do part of it in an earlier state",
            );
        }
        for call in &calls {
            let (low, high) = (call.function.min, call.function.max);
            let given = call.arguments.len();
            if !call.function.takes(given) {
                let message = format!(
                    "{} takes {}, not {given}",
                    call.function.name,
                    arity(low, high)
                );
                let help = "AWS finds this only when the state runs, and fails";
                let span = node.inner_span(call.range.clone());
                self.report(ARGUMENT_COUNT, message, span, location, help);
            } else if let Some(braces) = call.braces {
                self.braces(call, braces, node, location);
            } else if let Some((message, argument)) = must_fail(call) {
                let range = call
                    .arguments
                    .get(argument)
                    .map_or_else(|| call.range.clone(), |(range, _)| range.clone());
                let help = format!("{} fails whenever this runs", call.function.name);
                let message = message.trim_end_matches('.');
                self.report(
                    INTRINSIC_LITERAL,
                    message,
                    node.inner_span(range),
                    location,
                    help,
                );
            }
        }
    }

    fn braces(&mut self, call: &Call<'_>, braces: Braces, node: &Node, location: &str) {
        let (rule, message) = match braces {
            Braces::InsteadOfPlace => (
                BRACES,
                r"\{\} is not replaced by a value: the text keeps the braces {}",
            ),
            Braces::AroundPlace => (BRACES_AROUND, r"\{{}\} leaves braces around the value"),
        };
        let first = call.arguments.first();
        let range = first.map_or_else(|| call.range.clone(), |(range, _)| range.clone());
        let help = "a place for a value is {} without backslashes";
        self.report(rule, message, node.inner_span(range), location, help);
    }

    /// Calls in `ErrorPath` and `CausePath`.
    fn fail_text(&mut self, at: StateAt<'_>) {
        if at.kind() != Some("Fail") {
            return;
        }
        for name in ["ErrorPath", "CausePath"] {
            let Some(node) = at.get(name) else { continue };
            let Some(Ok(Expression::Intrinsic(intrinsic))) = node.as_str().map(Expression::parse)
            else {
                continue;
            };
            if !is_opaque(intrinsic.text()) {
                self.intrinsic(&intrinsic, node, &at.at(name));
            }
            if !TEXT.contains(&intrinsic.name()) {
                let message = format!("{} does not return a string", intrinsic.name());
                let help = format!("one of {}", TEXT.join(", "));
                self.report(FAIL_INTRINSIC, message, node.span, at.at(name), help);
            }
        }
    }

    /// Plain fields that hold what their `...Path` form would evaluate.
    fn path_in_text(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let mut waiting = match at.kind() {
            Some("Fail") => vec![(at.node, at.state.location.to_string())],
            Some("Choice") => {
                let rules = at.get("Choices").and_then(Node::items).unwrap_or_default();
                let places = rules.iter().enumerate();
                places
                    .map(|(index, rule)| (rule, format!("{}[{index}]", at.at("Choices"))))
                    .collect()
            }
            _ => return,
        };
        while let Some((node, location)) = waiting.pop() {
            for member in last_members(node) {
                let name = &*member.key.text;
                let below = format!("{location}/{name}");
                match (name, &member.value.kind) {
                    ("Not", _) => waiting.push((&member.value, below)),
                    ("And" | "Or", NodeKind::Array(items)) => {
                        let places = items.iter().enumerate();
                        waiting.extend(
                            places.map(|(index, item)| (item, format!("{below}[{index}]"))),
                        );
                    }
                    (_, NodeKind::String(string))
                        if has_path_form(name)
                            && (is_jsonpath(&string.text) || flow.is_variable(&string.text)) =>
                    {
                        let message = format!("{} stays text, it is not evaluated", string.text);
                        let help = format!("name the field {name}Path");
                        self.report(NO_PATH, message, member.value.span, below, help);
                    }
                    _ => {}
                }
            }
        }
    }

    fn items_path(&mut self, at: StateAt<'_>) {
        let Some(node) = at.get("ItemsPath").filter(|_| at.kind() == Some("Map")) else {
            return;
        };
        if node.is_null() {
            self.wrong_type(node, at.at("ItemsPath"), "String", REFERENCE_PATH);
            return;
        }
        if let Some(Ok(path)) = node.as_str().map(Path::parse)
            && !path.is_reference()
        {
            let message =
                "ItemsPath must be a Reference Path, but this one can select several values";
            self.report(
                SEVERAL_ITEMS,
                message,
                node.span,
                at.at("ItemsPath"),
                "name the array itself",
            );
        }
    }
}

/// The templates of a state, its rules, catchers and item files.
fn templates<'d>(at: StateAt<'d>) -> Vec<(&'d Node, String)> {
    let mut found = Vec::new();
    let mut add = |node: &'d Node, name: &str, location: String| {
        if let Some(value) = node.get(name) {
            found.push((value, format!("{location}/{name}")));
        }
    };
    for spec in field::STATE.iter().filter(|spec| spec.is_template()) {
        add(at.node, spec.name, at.state.location.to_string());
    }
    for outer in field::STATE {
        let inner = field::nested(outer.name).iter();
        for spec in inner.filter(|spec| spec.is_template()) {
            if let Some(node) = at.get(outer.name) {
                add(node, spec.name, at.at(outer.name));
            }
        }
    }
    for field in ["Choices", "Catch"] {
        let items = at.get(field).and_then(Node::items).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            add(item, "Assign", format!("{}[{index}]", at.at(field)));
        }
    }
    found
}

/// Whether a field has a `...Path` form that takes what looks like a path here.
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

/// The most calls that stand inside each other.
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

/// Why a call fails whatever the data, with the argument to blame.
fn must_fail(call: &Call<'_>) -> Option<(String, usize)> {
    let literal = |index: usize| call.arguments.get(index).and_then(|(_, value)| *value);
    match call.function.name {
        "States.Hash" => {
            let name = literal(1)?;
            let known = name.as_str().is_some_and(|name| DIGESTS.contains(&name));
            (!known).then(|| (format!("the algorithm is one of {}", DIGESTS.join(", ")), 1))
        }
        "States.JsonMerge" => (literal(2)?.as_bool() != Some(false))
            .then(|| ("the third argument must be false on AWS".to_string(), 2)),
        "States.ArrayRange" => {
            let step = literal(2)?.as_number()?.as_f64();
            (step == 0.0).then(|| ("the step must not be 0".to_string(), 2))
        }
        "States.ArrayPartition" => {
            let size = literal(1)?.as_number()?.as_f64();
            (size < 1.0).then(|| ("the size must be at least 1".to_string(), 1))
        }
        "States.Format" => match call.placeholders.as_ref()? {
            Err(message) => Some((message.clone(), 0)),
            Ok(places) => {
                let values = call.arguments.len().saturating_sub(1);
                (*places != values).then(|| {
                    (
                        format!("the template has {places} places for {values} values"),
                        0,
                    )
                })
            }
        },
        "States.StringToJson" | "States.Base64Encode" | "States.Base64Decode" => {
            let value = literal(0)?;
            (!matches!(value, Value::String(_)))
                .then(|| ("the argument must be a string".to_string(), 0))
        }
        _ => None,
    }
}
