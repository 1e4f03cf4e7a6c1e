//! Which field may stand in which object, in which query language, and of which JSON type.
//!
//! It must not know what a field's value means.

use super::{Checker, ScopeAt, StateAt};
use crate::definition::LintRule;
use crate::definition::field::{self, FieldSpec, Languages};
use crate::definition::lower::rules::VALUE;
use crate::definition::lower::{is_opaque, is_reference, last_members};
use crate::definition::rule::{Severities, rules};
use crate::definition::{Comparator, QueryLanguage};
use crate::source::{Node, did_you_mean};

rules! {
    UNKNOWN_FIELD = 14, "unknown-field", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a field is unknown, or not allowed on this type of state";
    OTHER_LANGUAGE = 15, "other-language", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a field belongs to the other query language";
    QUERY_LANGUAGE = 16, "query-language", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "QueryLanguage is wrong, or not allowed where it is" {
        BRANCH_LANGUAGE = Severities::WARNING, "where a branch has one";
    };
    MACHINE_TIMEOUT = 26, "machine-timeout", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "TimeoutSeconds of the machine is out of range";
    VERSION = 75, "version", "VERSION", Severities::WARNING, "Version is not \"1.0\"";
    SIZE = 77, "size", "DEFINITION_TOO_LARGE", Severities::WARNING, "the definition is larger than AWS accepts";
}

impl Checker<'_> {
    /// Reports the members of an object that may not stand there.
    pub(super) fn known_fields(
        &mut self,
        node: &Node,
        location: &str,
        fields: &[FieldSpec],
        language: QueryLanguage,
    ) {
        for member in last_members(node) {
            let name = &*member.key.text;
            let at = format!("{location}/{name}");
            let found = fields.iter().find(|spec| spec.name == name);
            match found.map(|spec| spec.languages) {
                None => {
                    let known = fields.iter().map(|spec| spec.name);
                    let help = instead(name, fields, language)
                        .or_else(|| did_you_mean(name, known))
                        .unwrap_or_else(|| "remove it".to_string());
                    let message = format!("Field '{name}' is not supported");
                    self.report(UNKNOWN_FIELD, message, member.key.span, at, help);
                }
                Some(languages) => {
                    self.other_language(name, member.key.span, at, (languages, language))
                }
            }
            if name == "Comment" && member.value.as_str().is_none() {
                let at = format!("{location}/Comment");
                self.wrong_type(&member.value, at, "String", VALUE);
            }
        }
    }

    /// Reports a field that only the other query language has.
    fn other_language(
        &mut self,
        name: &str,
        span: crate::source::Span,
        location: String,
        (languages, has): (Languages, QueryLanguage),
    ) {
        let needs = match languages {
            Languages::JsonPath => QueryLanguage::JsonPath,
            Languages::Jsonata => QueryLanguage::Jsonata,
            Languages::Both => return,
        };
        if has == needs {
            return;
        }
        let message = format!(
            "The QueryLanguage is set to '{has}', but field '{name}' is only supported for the '{needs}' QueryLanguage"
        );
        let help = format!("remove it, or set QueryLanguage to {needs}");
        self.report(OTHER_LANGUAGE, message, span, location, help);
    }

    pub(super) fn wrong_type(
        &mut self,
        value: &Node,
        location: String,
        wanted: &str,
        rule: LintRule,
    ) {
        if is_reference(value) {
            return;
        }
        let help = format!("found {}", value.type_name());
        let message = format!("Expected value of type {wanted}");
        self.report(rule, message, value.span, location, help);
    }

    /// The machine's own fields.
    pub(super) fn machine(&mut self) {
        let node = &*self.definition.node;
        self.known_fields(node, "", field::MACHINE, QueryLanguage::JsonPath);
        if let Some(version) = node.get("Version") {
            match version.as_str() {
                None => self.wrong_type(version, "/Version".to_string(), "String", VALUE),
                Some("1.0") => {}
                Some(_) => self.report(
                    VERSION,
                    "the only Version is \"1.0\"",
                    version.span,
                    "/Version",
                    "write \"1.0\" or leave it out",
                ),
            }
        }
        if let Some(value) = node.get("TimeoutSeconds") {
            self.machine_timeout(value);
        }
        if let Some(value) = node.get("QueryLanguage") {
            self.query_language(value, "/QueryLanguage".to_string());
        }
        let size = self
            .definition
            .sources
            .get(node.span.source)
            .map_or(0, |file| file.text.len());
        if size > 1 << 20 {
            self.report(
                SIZE,
                format!("the definition has {size} bytes, AWS accepts 1 MB"),
                crate::definition::lower::opening(node),
                "",
                "move parts into state machines of their own",
            );
        }
    }

    fn machine_timeout(&mut self, value: &Node) {
        let at = "/TimeoutSeconds";
        let seconds = value.as_number().and_then(crate::json::Number::as_i64);
        match seconds {
            Some(1..99_999_999) => {}
            Some(seconds) => {
                let message = if seconds < 1 {
                    "Minimum value is 1"
                } else {
                    "Maximum value is 99999998"
                };
                self.report(
                    MACHINE_TIMEOUT,
                    message,
                    value.span,
                    at,
                    "choose a value inside the limits",
                );
            }
            None if value.as_str().is_some_and(is_opaque) => {}
            None => self.wrong_type(value, at.to_string(), "Integer", VALUE),
        }
    }

    fn query_language(&mut self, value: &Node, location: String) {
        match value.as_str() {
            Some("JSONPath" | "JSONata") => {}
            Some(text) if is_opaque(text) => {}
            None if is_reference(value) => {}
            _ => {
                let help =
                    did_you_mean(value.as_str().unwrap_or_default(), ["JSONPath", "JSONata"])
                        .unwrap_or_else(|| "choose one of them".to_string());
                self.report(
                    QUERY_LANGUAGE,
                    "The field 'QueryLanguage' should have one of these values: [JSONPath, JSONata]",
                    value.span,
                    location,
                    help,
                );
            }
        }
    }

    /// The fields of a branch or an item processor.
    pub(super) fn scope_fields(&mut self, at: ScopeAt<'_>) {
        if at.scope.owner.is_none() {
            return;
        }
        let location = &*at.scope.location;
        let is_branch = location.ends_with(']');
        let fields = if is_branch {
            field::BRANCH
        } else {
            field::PROCESSOR
        };
        let Some(language) = at.node.member("QueryLanguage") else {
            self.known_fields(at.node, location, fields, QueryLanguage::JsonPath);
            return;
        };
        let tolerated = FieldSpec::of_state("QueryLanguage").into_iter().copied();
        let fields: Vec<FieldSpec> = fields.iter().copied().chain(tolerated).collect();
        self.known_fields(at.node, location, &fields, QueryLanguage::JsonPath);
        if is_branch {
            self.report(
                BRANCH_LANGUAGE,
                "a branch has no QueryLanguage of its own",
                language.key.span,
                format!("{location}/QueryLanguage"),
                "set it on the machine or on the states",
            );
        } else {
            self.report(
                QUERY_LANGUAGE,
                "Field 'QueryLanguage' is not supported",
                language.key.span,
                format!("{location}/QueryLanguage"),
                "set it on the machine or on the states",
            );
        }
    }

    /// The fields of a state, its rules, retriers and catchers.
    pub(super) fn state_fields(&mut self, at: StateAt<'_>) {
        let language = at.state.language;
        let location = &*at.state.location;
        if let Some(value) = at.get("QueryLanguage") {
            self.query_language(value, at.at("QueryLanguage"));
            if value.as_str() == Some("JSONPath")
                && self.definition.language == QueryLanguage::Jsonata
            {
                self.report(
                    QUERY_LANGUAGE,
                    "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine",
                    value.span,
                    location,
                    "leave it out here, or set the machine to JSONPath and single states to JSONata",
                );
            }
        }
        let Some(kind) = at.kind() else {
            return;
        };
        let fields: Vec<FieldSpec> = FieldSpec::of_type(kind).copied().collect();
        self.known_fields(at.node, location, &fields, language);
        if matches!(kind, "Task" | "Parallel" | "Map") {
            for (name, fields) in [("Retry", field::RETRIER), ("Catch", field::CATCHER)] {
                let items = at.get(name).and_then(Node::items).unwrap_or_default();
                for (index, item) in items.iter().enumerate() {
                    let location = format!("{location}/{name}[{index}]");
                    self.known_fields(item, &location, fields, language);
                }
            }
        }
        if kind == "Choice" {
            let items = at.get("Choices").and_then(Node::items).unwrap_or_default();
            for (index, item) in items.iter().enumerate() {
                self.rule_fields(
                    item,
                    &format!("{location}/Choices[{index}]"),
                    true,
                    language,
                );
            }
        }
    }

    fn rule_fields(&mut self, node: &Node, location: &str, top: bool, language: QueryLanguage) {
        for member in last_members(node) {
            let name = &*member.key.text;
            let at = format!("{location}/{name}");
            let own = field::CHOICE_RULE.iter();
            let mut own = own.chain(field::TOP_CHOICE_RULE.iter().filter(|_| top));
            let known = if Comparator::parse(name).is_some() {
                Some(Languages::JsonPath)
            } else {
                own.find(|spec| spec.name == name)
                    .map(|spec| spec.languages)
            };
            match known {
                // Reading the rule has reported it.
                None if name == "Next" => {}
                None => {
                    let names: Vec<String> = Comparator::all()
                        .flat_map(|comparator| {
                            [format!("{comparator}"), format!("{comparator}Path")]
                        })
                        .filter(|name| Comparator::parse(name).is_some())
                        .collect();
                    let fields = field::CHOICE_RULE.iter().chain(field::TOP_CHOICE_RULE);
                    let fields = fields.map(|spec| spec.name);
                    let help = did_you_mean(name, names.iter().map(String::as_str).chain(fields))
                        .unwrap_or_else(|| "remove it".to_string());
                    let message = format!("Field '{name}' is not supported");
                    self.report(UNKNOWN_FIELD, message, member.key.span, at, help);
                }
                Some(languages) if !languages.has(language) => {
                    self.other_language(name, member.key.span, at, (languages, language));
                }
                Some(_) => self.inner_rules(name, &member.value, &at, language),
            }
        }
    }

    fn inner_rules(&mut self, name: &str, value: &Node, location: &str, language: QueryLanguage) {
        match name {
            "Not" => self.rule_fields(value, location, false, language),
            "And" | "Or" => {
                for (index, item) in value.items().unwrap_or_default().iter().enumerate() {
                    self.rule_fields(item, &format!("{location}[{index}]"), false, language);
                }
            }
            _ => {}
        }
    }
}

/// What to write for a field that belongs to other objects than one with these fields.
fn instead(name: &str, fields: &[FieldSpec], language: QueryLanguage) -> Option<String> {
    let has = |name: &str| fields.iter().any(|spec| spec.name == name);
    if name == "Arguments" && has("ItemSelector") {
        let items = match language {
            QueryLanguage::Jsonata => "Items",
            QueryLanguage::JsonPath => "ItemsPath",
        };
        return Some(format!(
            "the array that a Map goes over is its {items}, what each item gets its ItemSelector"
        ));
    }
    let spec = FieldSpec::of_state(name).filter(|_| has("Type"))?;
    let (last, others) = spec.types.split_last()?;
    let types = match others {
        [] => format!("only a {last}"),
        _ => format!("only {} and {last}", others.join(", ")),
    };
    Some(match (name, others) {
        ("TimeoutSeconds", _) => format!("{types} and the whole machine have it: remove it"),
        (_, []) => format!("{types} has it: remove it"),
        _ => format!("{types} have it: remove it"),
    })
}
