//! The fields of the language: where each may stand, in which query language, and how its value is read.
//!
//! It must not know what a field does when a state runs. Reading, checking and breakpoints all go by this table.

use super::QueryLanguage;
use Content::{
    Comment, Constant, Data, Nested, Number, Object, Path, Role, Rules, States, Target, Template,
};
use Languages::{Both, JsonPath, Jsonata};

/// A field of an object of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// Its name.
    pub name: &'static str,
    /// The types of states that have it; none where it is no field of a state.
    pub types: &'static [&'static str],
    /// The query languages in which it may stand.
    pub languages: Languages,
    /// How its value is read.
    pub content: Content,
}

/// In which query languages a field may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// In either.
    Both,
    /// In JSONPath alone.
    JsonPath,
    /// In JSONata alone.
    Jsonata,
}

impl Languages {
    /// Whether the language is one of them.
    #[must_use]
    pub fn has(self, language: QueryLanguage) -> bool {
        match self {
            Self::Both => true,
            Self::JsonPath => language == QueryLanguage::JsonPath,
            Self::Jsonata => language == QueryLanguage::Jsonata,
        }
    }
}

/// How the value of a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// As written, in either language: a name, a type, a mode.
    Constant,
    /// A number or a flag, or in JSONata an expression.
    Number,
    /// Text or an array, or in JSONata an expression.
    Object,
    /// What people write to each other.
    Comment,
    /// Data as written: nothing in it is evaluated.
    Data,
    /// A path or, where the field takes one, an intrinsic function.
    Path,
    /// A path to where something is written.
    Target,
    /// Data with expressions at any depth: `….$` in JSONPath, `{% %}` in JSONata.
    Template,
    /// The same with names that AWS fixes.
    Role,
    /// An object with fields of its own, some of which are evaluated.
    Nested,
    /// Rules, retriers or catchers, each with fields of its own.
    Rules,
    /// States inside the state.
    States,
}

/// The types of states in the order of the specification.
pub const STATE_TYPES: [&str; 8] = [
    "Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map",
];

const TASK: &[&str] = &["Task"];
const PASS: &[&str] = &["Pass"];
const CHOICE: &[&str] = &["Choice"];
const WAIT: &[&str] = &["Wait"];
const FAIL: &[&str] = &["Fail"];
const PARALLEL: &[&str] = &["Parallel"];
const MAP: &[&str] = &["Map"];
const WORKING: &[&str] = &["Task", "Parallel", "Map"];
const CALLING: &[&str] = &["Task", "Parallel"];
const MAKING: &[&str] = &["Task", "Parallel", "Map", "Pass"];
const GOING_ON: &[&str] = &["Task", "Parallel", "Map", "Pass", "Wait"];
const ASSIGNING: &[&str] = &["Task", "Parallel", "Map", "Pass", "Wait", "Choice"];
const ENDING_WELL: &[&str] = &[
    "Task", "Parallel", "Map", "Pass", "Wait", "Choice", "Succeed",
];

const fn of(
    types: &'static [&'static str],
    name: &'static str,
    languages: Languages,
    content: Content,
) -> FieldSpec {
    FieldSpec {
        name,
        types,
        languages,
        content,
    }
}

const fn field(name: &'static str, languages: Languages, content: Content) -> FieldSpec {
    of(&[], name, languages, content)
}

/// The fields of states.
pub const STATE: &[FieldSpec] = &[
    of(&STATE_TYPES, "Type", Both, Constant),
    of(&STATE_TYPES, "Comment", Both, Comment),
    of(&STATE_TYPES, "QueryLanguage", Both, Constant),
    of(GOING_ON, "Next", Both, Constant),
    of(GOING_ON, "End", Both, Constant),
    of(ENDING_WELL, "InputPath", JsonPath, Path),
    of(ENDING_WELL, "OutputPath", JsonPath, Path),
    of(ENDING_WELL, "Output", Jsonata, Template),
    of(ASSIGNING, "Assign", Both, Template),
    of(MAKING, "Parameters", JsonPath, Template),
    of(WORKING, "ResultSelector", JsonPath, Template),
    of(MAKING, "ResultPath", JsonPath, Target),
    of(WORKING, "Retry", Both, Rules),
    of(WORKING, "Catch", Both, Rules),
    of(CALLING, "Arguments", Jsonata, Template),
    of(TASK, "Resource", Both, Constant),
    of(TASK, "Credentials", Both, Role),
    of(TASK, "TimeoutSeconds", Both, Number),
    of(TASK, "HeartbeatSeconds", Both, Number),
    of(TASK, "TimeoutSecondsPath", JsonPath, Path),
    of(TASK, "HeartbeatSecondsPath", JsonPath, Path),
    of(PASS, "Result", JsonPath, Data),
    of(CHOICE, "Choices", Both, Rules),
    of(CHOICE, "Default", Both, Constant),
    of(WAIT, "Seconds", Both, Number),
    of(WAIT, "Timestamp", Both, Object),
    of(WAIT, "SecondsPath", JsonPath, Path),
    of(WAIT, "TimestampPath", JsonPath, Path),
    of(FAIL, "Error", Both, Object),
    of(FAIL, "Cause", Both, Object),
    of(FAIL, "ErrorPath", JsonPath, Path),
    of(FAIL, "CausePath", JsonPath, Path),
    of(PARALLEL, "Branches", Both, States),
    of(MAP, "ItemProcessor", Both, States),
    of(MAP, "Iterator", Both, States),
    of(MAP, "ItemsPath", JsonPath, Path),
    of(MAP, "Items", Jsonata, Object),
    of(MAP, "ItemSelector", Both, Template),
    of(MAP, "ItemReader", Both, Nested),
    of(MAP, "ItemBatcher", Both, Nested),
    of(MAP, "ResultWriter", Both, Nested),
    of(MAP, "MaxConcurrency", Both, Number),
    of(MAP, "MaxConcurrencyPath", JsonPath, Path),
    of(MAP, "ToleratedFailureCount", Both, Number),
    of(MAP, "ToleratedFailureCountPath", JsonPath, Path),
    of(MAP, "ToleratedFailurePercentage", Both, Number),
    of(MAP, "ToleratedFailurePercentagePath", JsonPath, Path),
    of(MAP, "Label", Both, Constant),
];

pub(super) const MACHINE: &[FieldSpec] = &[
    field("StartAt", Both, Constant),
    field("States", Both, States),
    field("Comment", Both, Comment),
    field("Version", Both, Constant),
    field("TimeoutSeconds", Both, Number),
    field("QueryLanguage", Both, Constant),
];
pub(super) const BRANCH: &[FieldSpec] = &[
    field("StartAt", Both, Constant),
    field("States", Both, States),
    field("Comment", Both, Comment),
];
pub(super) const PROCESSOR: &[FieldSpec] = &[
    field("StartAt", Both, Constant),
    field("States", Both, States),
    field("Comment", Both, Comment),
    field("ProcessorConfig", Both, Constant),
];
pub(super) const PROCESSOR_CONFIG: &[FieldSpec] = &[
    field("Mode", Both, Constant),
    field("ExecutionType", Both, Constant),
];
pub(super) const RETRIER: &[FieldSpec] = &[
    field("ErrorEquals", Both, Constant),
    field("IntervalSeconds", Both, Constant),
    field("MaxAttempts", Both, Constant),
    field("BackoffRate", Both, Constant),
    field("MaxDelaySeconds", Both, Constant),
    field("JitterStrategy", Both, Constant),
    field("Comment", Both, Comment),
];
pub(super) const CATCHER: &[FieldSpec] = &[
    field("ErrorEquals", Both, Constant),
    field("Next", Both, Constant),
    field("ResultPath", JsonPath, Target),
    field("Output", Jsonata, Template),
    field("Assign", Both, Template),
    field("Comment", Both, Comment),
];
/// The fields of a choice rule at any depth, but for the comparators.
pub(super) const CHOICE_RULE: &[FieldSpec] = &[
    field("And", JsonPath, Rules),
    field("Or", JsonPath, Rules),
    field("Not", JsonPath, Rules),
    field("Variable", JsonPath, Path),
    field("Comment", Both, Comment),
];
/// What only the rules of `Choices` have besides.
pub(super) const TOP_CHOICE_RULE: &[FieldSpec] = &[
    field("Next", Both, Constant),
    field("Assign", Both, Template),
    field("Condition", Jsonata, Object),
    field("Output", Jsonata, Template),
];
pub(super) const READER: &[FieldSpec] = &[
    field("Resource", Both, Constant),
    field("Parameters", JsonPath, Template),
    field("Arguments", Jsonata, Template),
    field("ReaderConfig", Both, Nested),
    field("Comment", Both, Comment),
];
pub(super) const READER_CONFIG: &[FieldSpec] = &[
    field("InputType", Both, Constant),
    field("CSVHeaderLocation", Both, Constant),
    field("CSVHeaders", Both, Constant),
    field("CSVDelimiter", Both, Constant),
    field("MaxItems", Both, Number),
    field("MaxItemsPath", JsonPath, Path),
    field("ItemsPointer", Both, Constant),
    field("Transformation", Both, Constant),
    field("ManifestType", Both, Constant),
    field("Comment", Both, Comment),
];
pub(super) const BATCHER: &[FieldSpec] = &[
    field("BatchInput", Both, Template),
    field("MaxItemsPerBatch", Both, Number),
    field("MaxItemsPerBatchPath", JsonPath, Path),
    field("MaxInputBytesPerBatch", Both, Number),
    field("MaxInputBytesPerBatchPath", JsonPath, Path),
    field("Comment", Both, Comment),
];
pub(super) const WRITER: &[FieldSpec] = &[
    field("Resource", Both, Constant),
    field("Parameters", JsonPath, Template),
    field("Arguments", Jsonata, Template),
    field("WriterConfig", Both, Constant),
    field("Comment", Both, Comment),
];
pub(super) const WRITER_CONFIG: &[FieldSpec] = &[
    field("OutputType", Both, Constant),
    field("Transformation", Both, Constant),
    field("Comment", Both, Comment),
];

const ALL: [&[FieldSpec]; 14] = [
    STATE,
    MACHINE,
    BRANCH,
    PROCESSOR,
    PROCESSOR_CONFIG,
    RETRIER,
    CATCHER,
    CHOICE_RULE,
    TOP_CHOICE_RULE,
    READER,
    READER_CONFIG,
    BATCHER,
    WRITER,
    WRITER_CONFIG,
];

/// The fields that an object of a state has which has fields of its own.
pub(super) fn nested(name: &str) -> &'static [FieldSpec] {
    match name {
        "ItemReader" => READER,
        "ItemBatcher" => BATCHER,
        "ResultWriter" => WRITER,
        "ReaderConfig" => READER_CONFIG,
        _ => &[],
    }
}

impl FieldSpec {
    /// The fields of a type of state.
    pub fn of_type(name: &str) -> impl Iterator<Item = &'static Self> {
        STATE.iter().filter(move |spec| spec.types.contains(&name))
    }

    /// The field of a state of this name.
    #[must_use]
    pub fn of_state(name: &str) -> Option<&'static Self> {
        STATE.iter().find(|spec| spec.name == name)
    }

    /// Whether something happens at the field when its state runs, so that a breakpoint there means something.
    #[must_use]
    pub fn is_step(&self) -> bool {
        !matches!(self.content, Comment | Rules | States)
            && !matches!(self.name, "Type" | "QueryLanguage")
    }

    /// Whether it says how a Task calls what it calls.
    #[must_use]
    pub fn is_of_call(&self) -> bool {
        self.types == TASK
    }

    /// Whether a state in JSONata evaluates expressions in it.
    #[must_use]
    pub fn has_expressions(&self) -> bool {
        let evaluated = matches!(self.content, Template | Role | Number | Object | Nested);
        evaluated && self.languages.has(QueryLanguage::Jsonata)
    }

    /// Whether it is a payload template in a state in JSONPath.
    pub(super) fn is_template(&self) -> bool {
        matches!(self.content, Template | Role) && self.languages.has(QueryLanguage::JsonPath)
    }

    /// Whether it holds data of the author's own in a state in JSONata.
    pub(super) fn is_data(&self) -> bool {
        self.content == Template && self.languages.has(QueryLanguage::Jsonata)
    }

    /// Whether nothing of the state's own is evaluated in it in JSONPath.
    pub(super) fn is_unread(&self) -> bool {
        matches!(self.content, States | Data | Comment | Target)
    }
}

/// Whether a field of this name, in whichever object, is such as asked.
pub(super) fn is_any(name: &str, asked: fn(&FieldSpec) -> bool) -> bool {
    ALL.iter()
        .copied()
        .flatten()
        .any(|spec| spec.name == name && asked(spec))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Definition, lower};
    use crate::source::{SourceFile, SourceId, SourceMap, parse_json};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[test]
    fn every_field_is_of_a_type_that_there_is() {
        let mut names = BTreeMap::new();
        for spec in STATE {
            assert!(!spec.types.is_empty(), "{}", spec.name);
            assert!(spec.types.iter().all(|name| STATE_TYPES.contains(name)));
            assert_eq!(names.insert(spec.name, spec), None, "{} twice", spec.name);
        }
    }

    /// A value that means something to the field.
    fn example(spec: &FieldSpec, language: QueryLanguage) -> String {
        let text = match (spec.name, spec.content) {
            ("Next" | "Default", _) => "\"Z\"",
            ("End", _) => "true",
            ("Resource", _) => "\"arn:aws:states:::sqs:sendMessage\"",
            ("Timestamp", _) => "\"2024-01-01T00:00:00Z\"",
            ("Choices", _) => {
                r#"[{"Variable":"$.a","IsNull":true,"Next":"Z"},{"Condition":true,"Next":"Z"}]"#
            }
            ("Retry", _) => r#"[{"ErrorEquals":["E"]}]"#,
            ("Catch", _) => r#"[{"ErrorEquals":["E"],"Next":"Z"}]"#,
            ("Branches", _) => r#"[{"StartAt":"I","States":{"I":{"Type":"Succeed"}}}]"#,
            (_, States) => r#"{"StartAt":"I","States":{"I":{"Type":"Succeed"}}}"#,
            ("Items", _) => "[1]",
            ("QueryLanguage", _) => match language {
                QueryLanguage::JsonPath => "\"JSONata\"",
                QueryLanguage::Jsonata => "\"JSONPath\"",
            },
            (_, Comment | Constant | Object) => "\"x\"",
            (_, Number) => "7",
            (_, Data) => "{\"x\":1}",
            (_, Path | Target) => "\"$.x\"",
            (_, Template | Role | Nested | Rules) => "{\"x\":1}",
        };
        text.to_string()
    }

    fn lowered(type_name: &str, language: QueryLanguage, field: &str) -> Definition {
        let own = r#""A":{"Type":"#;
        let text = format!(
            r#"{{"StartAt":"A","QueryLanguage":"{language}","States":{{{own}"{type_name}"{field}}},"Z":{{"Type":"Succeed"}}}}}}"#
        );
        let file = SourceFile::new("f", &text);
        let (node, _) = parse_json(&file, SourceId(0));
        let sources = Arc::new(SourceMap::of(file.clone()));
        lower(Arc::new(node.expect("JSON")), sources, "f").0
    }

    /// What a state was read into, without where it stood.
    fn read(definition: &Definition) -> String {
        let mut state = definition.states.first().expect("a state").clone();
        state.fields.clear();
        state.span = Default::default();
        format!("{state:?} {}", definition.scopes.len())
    }

    #[test]
    fn reading_takes_every_field_that_the_table_has() {
        for spec in STATE.iter().filter(|spec| spec.name != "Type") {
            for type_name in spec.types {
                for language in [QueryLanguage::JsonPath, QueryLanguage::Jsonata] {
                    if !spec.languages.has(language) {
                        continue;
                    }
                    let field = format!(",\"{}\":{}", spec.name, example(spec, language));
                    let with = read(&lowered(type_name, language, &field));
                    let without = read(&lowered(type_name, language, ""));
                    assert_ne!(with, without, "{type_name} {language}: {field} is not read");
                }
            }
        }
    }

    #[test]
    fn a_placeholder_of_a_number_is_filled_with_a_number() {
        for spec in ALL.iter().copied().flatten() {
            let takes = crate::source::placeholder::wants_scalar(spec.name);
            assert!(takes || spec.content != Number, "{}", spec.name);
        }
    }

    #[test]
    fn breakpoints_know_what_happens_at_a_field() {
        let steps = |name| FieldSpec::of_state(name).is_some_and(FieldSpec::is_step);
        assert!(
            ["Parameters", "HeartbeatSecondsPath", "End"]
                .into_iter()
                .all(steps)
        );
        assert!(
            !["Type", "Comment", "Retry", "Branches"]
                .into_iter()
                .any(steps)
        );
        let calls = STATE.iter().filter(|spec| spec.is_of_call());
        let calls: Vec<&str> = calls.map(|spec| spec.name).collect();
        assert_eq!(
            calls,
            [
                "Resource",
                "Credentials",
                "TimeoutSeconds",
                "HeartbeatSeconds",
                "TimeoutSecondsPath",
                "HeartbeatSecondsPath"
            ]
        );
    }

    #[test]
    fn what_has_fields_of_its_own_is_known() {
        for spec in ALL.iter().copied().flatten() {
            assert_eq!(
                spec.content == Nested,
                !nested(spec.name).is_empty(),
                "{}",
                spec.name
            );
        }
    }
}
