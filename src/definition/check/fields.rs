//! Which field may stand in which object, in which query language, and of which JSON type.
//!
//! It must not know what a field's value means.

use super::{Checker, ScopeAt, StateAt};
use crate::definition::LintRule;
use crate::definition::lower::rules::VALUE;
use crate::definition::lower::{is_opaque, is_reference, last_members};
use crate::definition::rule::{Severities, rules};
use crate::definition::{Comparator, QueryLanguage};
use crate::source::{Node, did_you_mean};

/// The types of states in the order of section 2.4.
pub(super) const TYPES: [&str; 8] = [
    "Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map",
];

/// In which query languages a field may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Both,
    JsonPath,
    Jsonata,
}

use Mode::{Both, JsonPath, Jsonata};

rules! {
    UNKNOWN_FIELD = 14, "unknown-field", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a field is unknown, or not allowed on this type of state";
    OTHER_LANGUAGE = 15, "other-language", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a field belongs to the other query language";
    QUERY_LANGUAGE = 16, "query-language", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "QueryLanguage is wrong, or where it may not be" {
        BRANCH_LANGUAGE = Severities::WARNING, "where a branch has one";
    };
    MACHINE_TIMEOUT = 26, "machine-timeout", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "TimeoutSeconds of the machine is out of range";
    VERSION = 75, "version", "VERSION", Severities::WARNING, "Version is not \"1.0\"";
    SIZE = 77, "size", "DEFINITION_TOO_LARGE", Severities::WARNING, "the definition is larger than AWS takes";
}

/// Fields with their modes.
pub(super) type Fields = &'static [(&'static str, Mode)];

const MACHINE: Fields = &[
    ("StartAt", Both),
    ("States", Both),
    ("Comment", Both),
    ("Version", Both),
    ("TimeoutSeconds", Both),
    ("QueryLanguage", Both),
];
const BRANCH: Fields = &[("StartAt", Both), ("States", Both), ("Comment", Both)];
const PROCESSOR: Fields = &[
    ("StartAt", Both),
    ("States", Both),
    ("Comment", Both),
    ("ProcessorConfig", Both),
];
const COMMON: Fields = &[("Type", Both), ("Comment", Both), ("QueryLanguage", Both)];
const FLOW: Fields = &[("Next", Both), ("End", Both)];
const IN_OUT: Fields = &[
    ("InputPath", JsonPath),
    ("OutputPath", JsonPath),
    ("Output", Jsonata),
];
const ASSIGN: Fields = &[("Assign", Both)];
const WORK: Fields = &[
    ("Parameters", JsonPath),
    ("ResultSelector", JsonPath),
    ("ResultPath", JsonPath),
    ("Retry", Both),
    ("Catch", Both),
];
const ARGUMENTS: Fields = &[("Arguments", Jsonata)];
const TASK: Fields = &[
    ("Resource", Both),
    ("Credentials", Both),
    ("TimeoutSeconds", Both),
    ("HeartbeatSeconds", Both),
    ("TimeoutSecondsPath", JsonPath),
    ("HeartbeatSecondsPath", JsonPath),
];
const PASS: Fields = &[
    ("Result", JsonPath),
    ("Parameters", JsonPath),
    ("ResultPath", JsonPath),
];
const CHOICE: Fields = &[("Choices", Both), ("Default", Both)];
const WAIT: Fields = &[
    ("Seconds", Both),
    ("Timestamp", Both),
    ("SecondsPath", JsonPath),
    ("TimestampPath", JsonPath),
];
const FAIL: Fields = &[
    ("Error", Both),
    ("Cause", Both),
    ("ErrorPath", JsonPath),
    ("CausePath", JsonPath),
];
const PARALLEL: Fields = &[("Branches", Both)];
const MAP: Fields = &[
    ("ItemProcessor", Both),
    ("Iterator", Both),
    ("ItemsPath", JsonPath),
    ("Items", Jsonata),
    ("ItemSelector", Both),
    ("ItemReader", Both),
    ("ItemBatcher", Both),
    ("ResultWriter", Both),
    ("MaxConcurrency", Both),
    ("MaxConcurrencyPath", JsonPath),
    ("ToleratedFailureCount", Both),
    ("ToleratedFailureCountPath", JsonPath),
    ("ToleratedFailurePercentage", Both),
    ("ToleratedFailurePercentagePath", JsonPath),
    ("Label", Both),
];
const RETRIER: Fields = &[
    ("ErrorEquals", Both),
    ("IntervalSeconds", Both),
    ("MaxAttempts", Both),
    ("BackoffRate", Both),
    ("MaxDelaySeconds", Both),
    ("JitterStrategy", Both),
    ("Comment", Both),
];
const CATCHER: Fields = &[
    ("ErrorEquals", Both),
    ("Next", Both),
    ("ResultPath", JsonPath),
    ("Output", Jsonata),
    ("Assign", Both),
    ("Comment", Both),
];
const RULE: Fields = &[
    ("And", JsonPath),
    ("Or", JsonPath),
    ("Not", JsonPath),
    ("Variable", JsonPath),
    ("Comment", Both),
];
const TOP_RULE: Fields = &[
    ("Next", Both),
    ("Assign", Both),
    ("Condition", Jsonata),
    ("Output", Jsonata),
];

fn fields_of(kind: &str) -> &'static [Fields] {
    match kind {
        "Task" => &[COMMON, FLOW, IN_OUT, ASSIGN, WORK, ARGUMENTS, TASK],
        "Parallel" => &[COMMON, FLOW, IN_OUT, ASSIGN, WORK, ARGUMENTS, PARALLEL],
        "Map" => &[COMMON, FLOW, IN_OUT, ASSIGN, WORK, MAP],
        "Pass" => &[COMMON, FLOW, IN_OUT, ASSIGN, PASS],
        "Choice" => &[COMMON, IN_OUT, ASSIGN, CHOICE],
        "Wait" => &[COMMON, FLOW, IN_OUT, ASSIGN, WAIT],
        "Succeed" => &[COMMON, IN_OUT],
        "Fail" => &[COMMON, FAIL],
        _ => &[],
    }
}

fn mode(fields: &[Fields], name: &str) -> Option<Mode> {
    fields
        .iter()
        .flat_map(|some| some.iter())
        .find(|(field, _)| *field == name)
        .map(|(_, mode)| *mode)
}

impl Checker<'_> {
    /// Reports the members of an object that may not stand there.
    pub(super) fn known_fields(
        &mut self,
        node: &Node,
        location: &str,
        fields: &[Fields],
        language: QueryLanguage,
    ) {
        for member in last_members(node) {
            let name = &*member.key.text;
            let at = format!("{location}/{name}");
            let found = mode(fields, name);
            match (found, language) {
                (None, _) => {
                    let known = fields
                        .iter()
                        .flat_map(|some| some.iter())
                        .map(|(field, _)| *field);
                    let help = did_you_mean(name, known).unwrap_or_else(|| "remove it".to_string());
                    let message = format!("Field '{name}' is not supported");
                    self.report(UNKNOWN_FIELD, message, member.key.span, at, help);
                }
                (Some(JsonPath), QueryLanguage::Jsonata) => {
                    self.other_language(name, member.key.span, at, "JSONata", "JSONPath");
                }
                (Some(Jsonata), QueryLanguage::JsonPath) => {
                    self.other_language(name, member.key.span, at, "JSONPath", "JSONata");
                }
                _ => {}
            }
            if name == "Comment" && member.value.as_str().is_none() {
                let at = format!("{location}/Comment");
                self.wrong_type(&member.value, at, "String", VALUE);
            }
        }
    }

    fn other_language(
        &mut self,
        name: &str,
        span: crate::source::Span,
        location: String,
        has: &str,
        needs: &str,
    ) {
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
        let help = format!("here stands {}", value.type_name());
        let message = format!("Expected value of type {wanted}");
        self.report(rule, message, value.span, location, help);
    }

    /// The machine's own fields.
    pub(super) fn machine(&mut self) {
        let node = &*self.definition.node;
        self.known_fields(node, "", &[MACHINE], QueryLanguage::JsonPath);
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
                format!("the definition has {size} bytes, AWS takes 1 MB"),
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
        let Some(language) = at.node.member("QueryLanguage") else {
            let fields = if is_branch { BRANCH } else { PROCESSOR };
            self.known_fields(at.node, location, &[fields], QueryLanguage::JsonPath);
            return;
        };
        const TOLERATED: Fields = &[("QueryLanguage", Both)];
        if is_branch {
            self.known_fields(
                at.node,
                location,
                &[BRANCH, TOLERATED],
                QueryLanguage::JsonPath,
            );
            self.report(
                BRANCH_LANGUAGE,
                "a branch has no QueryLanguage of its own",
                language.key.span,
                format!("{location}/QueryLanguage"),
                "set it on the machine or on the states",
            );
        } else {
            self.known_fields(
                at.node,
                location,
                &[PROCESSOR, TOLERATED],
                QueryLanguage::JsonPath,
            );
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
        self.known_fields(at.node, location, fields_of(kind), language);
        if matches!(kind, "Task" | "Parallel" | "Map") {
            for (name, fields) in [("Retry", RETRIER), ("Catch", CATCHER)] {
                let items = at.get(name).and_then(Node::items).unwrap_or_default();
                for (index, item) in items.iter().enumerate() {
                    let location = format!("{location}/{name}[{index}]");
                    self.known_fields(item, &location, &[fields], language);
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
            let known = if Comparator::parse(name).is_some() {
                Some(JsonPath)
            } else if top {
                mode(&[RULE, TOP_RULE], name)
            } else {
                mode(&[RULE], name)
            };
            match (known, language) {
                // Reading the rule has reported it.
                (None, _) if name == "Next" => {}
                (None, _) => {
                    let names: Vec<String> = Comparator::all()
                        .flat_map(|comparator| {
                            [format!("{comparator}"), format!("{comparator}Path")]
                        })
                        .filter(|name| Comparator::parse(name).is_some())
                        .collect();
                    let fields = RULE.iter().chain(TOP_RULE).map(|(field, _)| *field);
                    let help = did_you_mean(name, names.iter().map(String::as_str).chain(fields))
                        .unwrap_or_else(|| "remove it".to_string());
                    let message = format!("Field '{name}' is not supported");
                    self.report(UNKNOWN_FIELD, message, member.key.span, at, help);
                }
                (Some(JsonPath), QueryLanguage::Jsonata) => {
                    self.other_language(name, member.key.span, at, "JSONata", "JSONPath");
                }
                (Some(Jsonata), QueryLanguage::JsonPath) => {
                    self.other_language(name, member.key.span, at, "JSONPath", "JSONata");
                }
                _ => self.inner_rules(name, &member.value, &at, language),
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
