//! Checks the fields of objects: which fields are allowed, in which query language, and with which JSON type.

use super::facts::ScopeAt;
use super::left_out::joined;
use super::located::Located;
use super::map::{BATCH_OR_WRITER, PROCESSOR_CONFIG, READER_CONFIG};
use super::{Checker, StateAt};
use crate::definition::field::{self, FieldSpec, Languages};
use crate::definition::lower::rules::{UNKNOWN_JITTER, VALUE};
use crate::definition::lower::{is_filled_later, is_jsonata, is_opaque, is_reference};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{Comparator, LintRule, QueryLanguage};
use crate::json::Number;
use crate::source::did_you_mean;

lint_rules! {
    UNKNOWN_FIELD = 14, "unknown-field", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a field is unknown, or not allowed in this type of state";
    OTHER_LANGUAGE = 15, "other-language", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a field belongs to the other query language";
    QUERY_LANGUAGE = 16, "query-language", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "QueryLanguage has a wrong value, or is not allowed in this object" {
        BRANCH_LANGUAGE = Severities::WARNING, "if a branch has a QueryLanguage";
    };
    MACHINE_TIMEOUT = 26, "machine-timeout", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "TimeoutSeconds of the machine is out of range";
    VERSION = 75, "version", "VERSION", Severities::WARNING, "Version is not \"1.0\"";
    SIZE = 77, "size", "DEFINITION_TOO_LARGE", Severities::WARNING, "the definition is larger than AWS accepts";
}

const LANGUAGES: &[&str] = &["JSONPath", "JSONata"];

impl Checker<'_> {
    /// Reports the members that an object must not have.
    pub(super) fn known_fields(
        &mut self,
        object: &Located<'_>,
        fields: &[FieldSpec],
        language: QueryLanguage,
    ) {
        for member in object.members() {
            let name = member.name();
            match fields.iter().find(|spec| spec.name == name) {
                None => {
                    let known = fields.iter().map(|spec| spec.name);
                    let help = instead(name, fields, language)
                        .or_else(|| did_you_mean(name, known))
                        .unwrap_or_else(|| "remove it".to_string());
                    let message = format!("Field '{name}' is not supported");
                    self.report(UNKNOWN_FIELD, message, member.key(), help);
                }
                Some(spec) => {
                    self.other_language((object, &member), spec.languages, language);
                    if !spec.words.is_empty() {
                        self.one_of(object, &member, spec.words);
                    }
                }
            }
            if name == "Comment" && member.text().is_none() {
                self.wrong_type(&member, "String", VALUE);
            }
        }
    }

    /// Reports a field that exists only in the other query language.
    fn other_language(
        &mut self,
        (object, field): (&Located<'_>, &Located<'_>),
        languages: Languages,
        has: QueryLanguage,
    ) {
        let needs = match languages {
            Languages::JsonPath => QueryLanguage::JsonPath,
            Languages::Jsonata => QueryLanguage::Jsonata,
            Languages::Both => return,
        };
        if has == needs {
            return;
        }
        let name = field.name();
        let message = format!(
            "The QueryLanguage is set to '{has}', but field '{name}' is only supported for the '{needs}' QueryLanguage"
        );
        let is_map = object
            .get("Type")
            .and_then(|kind| kind.text().map(|it| it == "Map"));
        let help = match has {
            QueryLanguage::Jsonata => in_jsonata(name, is_map == Some(true)),
            QueryLanguage::JsonPath => in_jsonpath(name, is_map == Some(true)),
        };
        // AWS does not allow JSONPath states in a JSONata machine.
        let is_free =
            has == QueryLanguage::JsonPath || self.definition.language == QueryLanguage::JsonPath;
        let help = match is_free {
            true => format!("{help}, or set QueryLanguage to {needs}"),
            false => help,
        };
        self.report(OTHER_LANGUAGE, message, field.key(), help);
    }

    pub(super) fn wrong_type(&mut self, value: &Located<'_>, wanted: &str, rule: LintRule) {
        if is_reference(value.node) {
            return;
        }
        let help = format!("found {}", value.node.type_name());
        let message = format!("Expected value of type {wanted}");
        self.report(rule, message, value.value(), help);
    }

    /// Checks the top-level fields of the machine.
    pub(super) fn machine(&mut self) {
        let definition = self.definition;
        let machine = Located::root(&definition.node, "");
        self.known_fields(&machine, field::MACHINE, QueryLanguage::JsonPath);
        if let Some(version) = machine.get("Version") {
            match version.text() {
                None => self.wrong_type(&version, "String", VALUE),
                Some("1.0") => {}
                Some(_) => {
                    let message = "the only Version is \"1.0\"";
                    let help = "write \"1.0\" or omit Version";
                    self.report(VERSION, message, version.value(), help);
                }
            }
        }
        if let Some(value) = machine.get("TimeoutSeconds") {
            self.machine_timeout(&value);
        }
        if let Some(value) = machine.get("QueryLanguage") {
            self.one_of(&machine, &value, LANGUAGES);
        }
        let file = definition.sources.get(machine.node.span.source);
        let size = file.map_or(0, |file| file.text.len());
        if size > 1 << 20 {
            let message = format!("the definition has {size} bytes, but AWS accepts at most 1 MB");
            let help = "move parts of the definition to separate state machines";
            self.report(SIZE, message, machine.start(), help);
        }
    }

    fn machine_timeout(&mut self, value: &Located<'_>) {
        let seconds = value.node.as_number().and_then(Number::as_i64);
        let message = match seconds {
            Some(..1) => "Minimum value is 1",
            Some(99_999_999..) => "Maximum value is 99999998",
            Some(_) => return,
            None if value.text().is_some_and(is_opaque) => return,
            None => return self.wrong_type(value, "Integer", VALUE),
        };
        let help = "choose a value inside the limits";
        self.report(MACHINE_TIMEOUT, message, value.value(), help);
    }

    /// Checks that the value of a field of the object is one of a fixed set.
    fn one_of(&mut self, object: &Located<'_>, value: &Located<'_>, words: &[&str]) {
        let text = value.text().unwrap_or_default();
        let rule = match object.name() {
            "Retry" => UNKNOWN_JITTER,
            "ProcessorConfig" => PROCESSOR_CONFIG,
            "ReaderConfig" => READER_CONFIG,
            "WriterConfig" => BATCH_OR_WRITER,
            _ => QUERY_LANGUAGE,
        };
        let is_evaluated = is_jsonata(text) && !matches!(rule, UNKNOWN_JITTER | QUERY_LANGUAGE);
        if !words.contains(&text) && !is_evaluated && !is_filled_later(value.node) {
            let help = did_you_mean(text, words.iter().copied())
                .unwrap_or_else(|| "choose one of the listed values".to_string());
            let (name, words) = (value.name(), words.join(", "));
            let message = format!("The field '{name}' should have one of these values: [{words}]");
            self.report(rule, message, value.value(), help);
        }
    }

    /// Checks the fields of a branch or an item processor.
    pub(super) fn scope_fields(&mut self, at: ScopeAt<'_>) {
        if at.scope.owner.is_none() {
            return;
        }
        let object = Located::root(at.node, &at.scope.location);
        let is_branch = at.scope.location.ends_with(']');
        let mut fields = match is_branch {
            true => field::BRANCH.to_vec(),
            false => field::PROCESSOR.to_vec(),
        };
        if let Some(language) = object.get("QueryLanguage") {
            fields.extend(FieldSpec::of_state("QueryLanguage"));
            let help = "set QueryLanguage on the machine or on single states";
            let (rule, message) = match is_branch {
                true => (
                    BRANCH_LANGUAGE,
                    "a branch cannot have its own QueryLanguage",
                ),
                false => (QUERY_LANGUAGE, "Field 'QueryLanguage' is not supported"),
            };
            self.report(rule, message, language.key(), help);
        }
        self.known_fields(&object, &fields, QueryLanguage::JsonPath);
    }

    /// Checks the fields of a state and of its rules, retriers and catchers.
    pub(super) fn state_fields(&mut self, at: StateAt<'_>) {
        let language = at.state.language;
        if let Some(value) = at.field("QueryLanguage") {
            self.one_of(&at.object(), &value, LANGUAGES);
            if value.text() == Some("JSONPath")
                && self.definition.language == QueryLanguage::Jsonata
            {
                let message = "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine";
                let help = "omit QueryLanguage here, or set the machine to JSONPath and single states to JSONata";
                let place = (value.node.span, &*at.state.location);
                self.report(QUERY_LANGUAGE, message, place, help);
            }
        }
        let Some(kind) = at.kind() else {
            return;
        };
        self.known_fields(&at.object(), FieldSpec::of_type(kind), language);
        if matches!(kind, "Task" | "Parallel" | "Map") {
            for (name, fields) in [("Retry", field::RETRIER), ("Catch", field::CATCHER)] {
                for entry in at.entries(name) {
                    self.known_fields(&entry, fields, language);
                }
            }
        }
        if kind == "Choice" {
            for rule in at.entries("Choices") {
                self.rule_fields(&rule, true, language);
            }
        }
    }

    fn rule_fields(&mut self, rule: &Located<'_>, top: bool, language: QueryLanguage) {
        for member in rule.members() {
            let name = member.name();
            let mut specs = field::CHOICE_RULE.iter();
            let mut top_specs = field::TOP_CHOICE_RULE.iter().filter(|_| top);
            let is_it = |spec: &&FieldSpec| spec.name == name;
            let known = match Comparator::parse(name) {
                Some(_) => Some(Languages::JsonPath),
                None => {
                    (specs.find(is_it).or_else(|| top_specs.find(is_it))).map(|spec| spec.languages)
                }
            };
            match known {
                // A rule inside And, Or or Not must not have a `Next`. The parser has already reported this.
                None if name == "Next" => {}
                None => {
                    let names = Comparator::names();
                    let fields = field::CHOICE_RULE.iter().chain(field::TOP_CHOICE_RULE);
                    let fields = fields.map(|spec| spec.name);
                    let help = did_you_mean(name, names.iter().map(String::as_str).chain(fields))
                        .unwrap_or_else(|| "remove it".to_string());
                    let message = format!("Field '{name}' is not supported");
                    self.report(UNKNOWN_FIELD, message, member.key(), help);
                }
                Some(languages) if !languages.has(language) => {
                    self.other_language((rule, &member), languages, language);
                }
                Some(_) if name == "Not" => self.rule_fields(&member, false, language),
                Some(_) if matches!(name, "And" | "Or") => {
                    for rule in member.items() {
                        self.rule_fields(&rule, false, language);
                    }
                }
                Some(_) => {}
            }
        }
    }
}

/// Help for the field `name` in an object that may have only the fields `fields`: what to write instead, or why to
/// remove the field. `None` if there is no such help.
fn instead(name: &str, fields: &[FieldSpec], language: QueryLanguage) -> Option<String> {
    let has = |name: &str| fields.iter().any(|spec| spec.name == name);
    if name == "Arguments" && has("ItemSelector") {
        let items_field = match language {
            QueryLanguage::Jsonata => "Items",
            QueryLanguage::JsonPath => "ItemsPath",
        };
        return Some(format!(
            "a Map iterates over its {items_field}, and its ItemSelector builds each item's input"
        ));
    }
    let spec = FieldSpec::of_state(name).filter(|_| has("Type"))?;
    let types = joined(spec.types);
    Some(match (name, spec.types) {
        (_, []) => return None,
        ("TimeoutSeconds", [_]) => {
            format!(
                "remove {name}: only a {types} state and the machine itself can have this field"
            )
        }
        ("TimeoutSeconds", _) => {
            format!("remove {name}: only {types} states and the machine itself can have this field")
        }
        (_, [_]) => format!("remove {name}: only a {types} state can have this field"),
        _ => format!("remove {name}: only {types} states can have this field"),
    })
}

/// Help that says what to write in JSONata instead of a JSONPath field.
fn in_jsonata(name: &str, is_map: bool) -> String {
    match name {
        "Parameters" if is_map => "write ItemSelector".to_string(),
        "Parameters" => "write Arguments".to_string(),
        "ResultSelector" | "ResultPath" | "OutputPath" => "write Output".to_string(),
        "ItemsPath" => "write Items".to_string(),
        "InputPath" => "remove InputPath, and read $states.input".to_string(),
        "Variable" | "And" | "Or" | "Not" => "write a Condition".to_string(),
        _ if Comparator::parse(name).is_some() => "write a Condition".to_string(),
        _ => match name.strip_suffix("Path") {
            Some(plain) => format!("write {plain}"),
            None => "remove it".to_string(),
        },
    }
}

/// Help that says what to write in JSONPath instead of a JSONata field.
fn in_jsonpath(name: &str, is_map: bool) -> String {
    match name {
        "Arguments" if is_map => "write ItemSelector".to_string(),
        "Arguments" => "write Parameters".to_string(),
        "Output" => "write ResultSelector, ResultPath or OutputPath".to_string(),
        "Items" => "write ItemsPath".to_string(),
        "Condition" => "write a Variable and a comparator".to_string(),
        _ => "remove it".to_string(),
    }
}
