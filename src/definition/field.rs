//! The fields of the language: where each is allowed, in which query language, and how its value is parsed.
//!
//! Parsing, checks, the steps of a state and breakpoints all use this table.

use super::edition::Edition;
use super::field_at::{FieldAt, Owner};
use super::{Field, QueryLanguage, Stage, State, StateKind};
use Content::{Comment, Data, Nested, Number, Object, Role, States, Target, Template};
use Effect::{
    Assignment, Call, Exit, Failure, Items, Nothing, Results, Stage as Makes, Test, Wait,
};
use Stage::{
    AfterArguments, AfterBatchInput, AfterInputPath, AfterItemBatcher, AfterItemReader,
    AfterItemSelector, AfterItemsPath, AfterParameters, AfterResultPath, AfterResultSelector,
};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// A field that the language defines for one of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// The field's name.
    pub name: &'static str,
    /// The types of states that may have the field; empty if it is not a field of a state.
    pub types: &'static [&'static str],
    /// The query languages in which the field is allowed.
    pub languages: Languages,
    /// How the field's value is parsed.
    pub content: Content,
    /// The moment at which the field takes effect while its state runs.
    pub effect: Effect,
    /// The edition of the language that introduced the field.
    pub since: Edition,
    /// The fixed set of texts that the field may contain; empty if there is no fixed set.
    pub words: &'static [&'static str],
}

/// The moment at which a field of a state takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The field itself never takes effect. The objects that it names or contains may do so.
    Nothing,
    /// The field takes effect when the state computes this stage of its data.
    Stage(Stage),
    /// The field takes effect when the task is called.
    Call,
    /// The field takes effect when a Wait begins.
    Wait,
    /// The field takes effect when a Fail raises its error.
    Failure,
    /// The field takes effect when the items of a Map begin to run.
    Items,
    /// The field takes effect when the items of a Map are done.
    Results,
    /// The field takes effect when a Choice takes its `Default`, because no rule matches.
    Default,
    /// The field takes effect when variables are assigned.
    Assignment,
    /// The field takes effect when a rule of a Choice is evaluated.
    Test,
    /// The field takes effect when the state exits.
    Exit,
}

/// The query languages in which a field is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// The field is allowed in JSONPath and in JSONata.
    Both,
    /// The field is allowed only in JSONPath.
    JsonPath,
    /// The field is allowed only in JSONata.
    Jsonata,
}

impl Languages {
    /// True if the field is allowed in this query language.
    #[must_use]
    pub fn has(self, language: QueryLanguage) -> bool {
        match self {
            Self::Both => true,
            Self::JsonPath => language == QueryLanguage::JsonPath,
            Self::Jsonata => language == QueryLanguage::Jsonata,
        }
    }
}

/// How the value of a field is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Literal text in either language, such as a name, a type or a mode.
    Constant,
    /// A number or a boolean; in JSONata also an expression.
    Number,
    /// Text or an array; in JSONata also an expression.
    Object,
    /// Text for human readers, which the language ignores.
    Comment,
    /// Literal data, in which nothing is evaluated.
    Data,
    /// A path or, if the field allows it, an intrinsic function.
    Path,
    /// A path to the place where a value is written.
    Target,
    /// Data with expressions at any depth: members named `….$` in JSONPath, strings in `{% %}` in JSONata.
    Template,
    /// Like [`Content::Template`], but AWS defines the names of the members, as in `Credentials`.
    Role,
    /// An object with fields of its own, some of which are evaluated.
    Nested,
    /// Rules, retriers or catchers, each of which has fields.
    Rules,
    /// One or more objects that contain states, as in `States`, `Branches` and `ItemProcessor`.
    States,
}

/// The types of states, in the order of the specification.
pub const STATE_TYPES: [&str; 8] = [
    "Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map",
];

const NONE: &[&str] = &[];
const ALL_TYPES: &[&str] = &STATE_TYPES;
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

/// Each line declares a field: its name, the types of states that have the field (NONE for a field of another object),
/// its query languages, content, effect and edition. If the field may contain only certain texts, they follow after a
/// colon.
macro_rules! fields {
    ($($name:literal $types:ident $languages:ident $content:ident $effect:expr, $since:ident $(: $($word:literal)+)?;)*) => {
        &[$(FieldSpec {
            name: $name,
            types: $types,
            languages: Languages::$languages,
            content: Content::$content,
            effect: $effect,
            since: Edition::$since,
            words: &[$($($word),+)?],
        }),*]
    };
}

/// The fields of states.
pub const STATE: &[FieldSpec] = fields! {
    "Type" ALL_TYPES Both Constant Nothing, First;
    "Comment" ALL_TYPES Both Comment Nothing, First;
    "QueryLanguage" ALL_TYPES Both Constant Nothing, Expressions;
    "Next" GOING_ON Both Constant Exit, First;
    "End" GOING_ON Both Constant Exit, First;
    "InputPath" ENDING_WELL JsonPath Path Makes(AfterInputPath), First;
    "OutputPath" ENDING_WELL JsonPath Path Makes(Stage::Output), First;
    "Output" ENDING_WELL Jsonata Template Makes(Stage::Output), Expressions;
    "Assign" ASSIGNING Both Template Assignment, Expressions;
    "Parameters" MAKING JsonPath Template Makes(AfterParameters), First;
    "ResultSelector" WORKING JsonPath Template Makes(AfterResultSelector), Selectors;
    "ResultPath" MAKING JsonPath Target Makes(AfterResultPath), First;
    "Retry" WORKING Both Rules Nothing, First;
    "Catch" WORKING Both Rules Nothing, First;
    "Arguments" CALLING Jsonata Template Makes(AfterArguments), Expressions;
    "Resource" TASK Both Constant Call, First;
    "Credentials" TASK Both Role Call, Roles;
    "TimeoutSeconds" TASK Both Number Call, First;
    "HeartbeatSeconds" TASK Both Number Call, First;
    "TimeoutSecondsPath" TASK JsonPath Path Call, Selectors;
    "HeartbeatSecondsPath" TASK JsonPath Path Call, Selectors;
    "Result" PASS JsonPath Data Makes(Stage::Result), First;
    "Choices" CHOICE Both Rules Nothing, First;
    "Default" CHOICE Both Constant Effect::Default, First;
    "Seconds" WAIT Both Number Wait, First;
    "Timestamp" WAIT Both Object Wait, First;
    "SecondsPath" WAIT JsonPath Path Wait, First;
    "TimestampPath" WAIT JsonPath Path Wait, First;
    "Error" FAIL Both Object Failure, First;
    "Cause" FAIL Both Object Failure, First;
    "ErrorPath" FAIL JsonPath Path Failure, ErrorPaths;
    "CausePath" FAIL JsonPath Path Failure, ErrorPaths;
    "Branches" PARALLEL Both States Nothing, First;
    "ItemProcessor" MAP Both States Nothing, Distributed;
    "Iterator" MAP Both States Nothing, Maps;
    "ItemsPath" MAP JsonPath Path Makes(AfterItemsPath), Maps;
    "Items" MAP Jsonata Object Makes(AfterItemsPath), Expressions;
    "ItemSelector" MAP Both Template Makes(AfterItemSelector), Distributed;
    "ItemReader" MAP Both Nested Makes(AfterItemReader), Distributed;
    "ItemBatcher" MAP Both Nested Makes(AfterItemBatcher), Distributed;
    "ResultWriter" MAP Both Nested Results, Distributed;
    "MaxConcurrency" MAP Both Number Items, Maps;
    "MaxConcurrencyPath" MAP JsonPath Path Items, Distributed;
    "ToleratedFailureCount" MAP Both Number Items, Distributed;
    "ToleratedFailureCountPath" MAP JsonPath Path Items, Distributed;
    "ToleratedFailurePercentage" MAP Both Number Items, Distributed;
    "ToleratedFailurePercentagePath" MAP JsonPath Path Items, Distributed;
    "Label" MAP Both Constant Items, Aws;
};

pub(super) const MACHINE: &[FieldSpec] = fields! {
    "StartAt" NONE Both Constant Nothing, First;
    "States" NONE Both States Nothing, First;
    "Comment" NONE Both Comment Nothing, First;
    "Version" NONE Both Constant Nothing, First;
    "TimeoutSeconds" NONE Both Number Nothing, First;
    "QueryLanguage" NONE Both Constant Nothing, Expressions;
};
pub(super) const BRANCH: &[FieldSpec] = fields! {
    "StartAt" NONE Both Constant Nothing, First;
    "States" NONE Both States Nothing, First;
    "Comment" NONE Both Comment Nothing, First;
};
pub(super) const PROCESSOR: &[FieldSpec] = fields! {
    "StartAt" NONE Both Constant Nothing, Distributed;
    "States" NONE Both States Nothing, Distributed;
    "Comment" NONE Both Comment Nothing, Distributed;
    "ProcessorConfig" NONE Both Nested Nothing, Distributed;
};
pub(super) const PROCESSOR_CONFIG: &[FieldSpec] = fields! {
    "Mode" NONE Both Constant Nothing, Aws : "INLINE" "DISTRIBUTED";
    "ExecutionType" NONE Both Constant Nothing, Aws : "STANDARD" "EXPRESS";
};
pub(super) const RETRIER: &[FieldSpec] = fields! {
    "ErrorEquals" NONE Both Constant Nothing, First;
    "IntervalSeconds" NONE Both Constant Nothing, First;
    "MaxAttempts" NONE Both Constant Nothing, First;
    "BackoffRate" NONE Both Constant Nothing, First;
    "MaxDelaySeconds" NONE Both Constant Nothing, ErrorPaths;
    "JitterStrategy" NONE Both Constant Nothing, ErrorPaths : "FULL" "NONE";
    "Comment" NONE Both Comment Nothing, First;
};
pub(super) const CATCHER: &[FieldSpec] = fields! {
    "ErrorEquals" NONE Both Constant Nothing, First;
    "Next" NONE Both Constant Nothing, First;
    "ResultPath" NONE JsonPath Target Makes(Stage::Output), First;
    "Output" NONE Jsonata Template Makes(Stage::Output), Expressions;
    "Assign" NONE Both Template Assignment, Expressions;
    "Comment" NONE Both Comment Nothing, First;
};
/// The fields of a Choice rule at any depth, except for the comparators.
pub(super) const CHOICE_RULE: &[FieldSpec] = fields! {
    "And" NONE JsonPath Rules Test, First;
    "Or" NONE JsonPath Rules Test, First;
    "Not" NONE JsonPath Rules Test, First;
    "Variable" NONE JsonPath Path Test, First;
    "Comment" NONE Both Comment Nothing, First;
};
/// Additional fields of the top-level rules in `Choices`.
pub(super) const TOP_CHOICE_RULE: &[FieldSpec] = fields! {
    "Next" NONE Both Constant Nothing, First;
    "Assign" NONE Both Template Assignment, Expressions;
    "Condition" NONE Jsonata Object Test, Expressions;
    "Output" NONE Jsonata Template Makes(Stage::Output), Expressions;
};
pub(super) const READER: &[FieldSpec] = fields! {
    "Resource" NONE Both Constant Nothing, Distributed;
    "Parameters" NONE JsonPath Template Makes(AfterItemReader), Distributed;
    "Arguments" NONE Jsonata Template Makes(AfterItemReader), Expressions;
    "ReaderConfig" NONE Both Nested Nothing, Distributed;
    "Comment" NONE Both Comment Nothing, Distributed;
};
pub(super) const READER_CONFIG: &[FieldSpec] = fields! {
    "InputType" NONE Both Constant Nothing, Aws : "CSV" "JSON" "JSONL" "PARQUET" "MANIFEST";
    "CSVHeaderLocation" NONE Both Constant Nothing, Aws : "FIRST_ROW" "GIVEN";
    "CSVHeaders" NONE Both Constant Nothing, Aws;
    "CSVDelimiter" NONE Both Constant Nothing, Aws : "COMMA" "PIPE" "SEMICOLON" "TAB" "SPACE";
    "MaxItems" NONE Both Number Items, Distributed;
    "MaxItemsPath" NONE JsonPath Path Items, Distributed;
    "ItemsPointer" NONE Both Constant Nothing, Aws;
    "Transformation" NONE Both Constant Nothing, Aws : "NONE" "LOAD_AND_FLATTEN";
    "ManifestType" NONE Both Constant Nothing, Aws : "ATHENA_DATA" "S3_INVENTORY";
    "Comment" NONE Both Comment Nothing, Distributed;
};
pub(super) const BATCHER: &[FieldSpec] = fields! {
    "BatchInput" NONE Both Template Makes(AfterBatchInput), Distributed;
    "MaxItemsPerBatch" NONE Both Number Items, Distributed;
    "MaxItemsPerBatchPath" NONE JsonPath Path Items, Distributed;
    "MaxInputBytesPerBatch" NONE Both Number Items, Distributed;
    "MaxInputBytesPerBatchPath" NONE JsonPath Path Items, Distributed;
    "Comment" NONE Both Comment Nothing, Distributed;
};
pub(super) const WRITER: &[FieldSpec] = fields! {
    "Resource" NONE Both Constant Nothing, Distributed;
    "Parameters" NONE JsonPath Template Results, Distributed;
    "Arguments" NONE Jsonata Template Results, Expressions;
    "WriterConfig" NONE Both Nested Nothing, Aws;
    "Comment" NONE Both Comment Nothing, Distributed;
};
pub(super) const WRITER_CONFIG: &[FieldSpec] = fields! {
    "OutputType" NONE Both Constant Nothing, Aws : "JSON" "JSONL";
    "Transformation" NONE Both Constant Nothing, Aws : "NONE" "COMPACT" "FLATTEN";
    "Comment" NONE Both Comment Nothing, Distributed;
};

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

/// The fields of the object in the member `name` of a state or of an item processor, such as `ItemReader`.
pub(super) fn nested(name: &str) -> &'static [FieldSpec] {
    match name {
        "ItemReader" => READER,
        "ItemBatcher" => BATCHER,
        "ResultWriter" => WRITER,
        "ReaderConfig" => READER_CONFIG,
        "WriterConfig" => WRITER_CONFIG,
        "ProcessorConfig" => PROCESSOR_CONFIG,
        _ => &[],
    }
}

impl Owner {
    /// The fields that an object of this kind may have.
    pub fn fields(self) -> impl Iterator<Item = &'static FieldSpec> {
        self.specs().into_iter().flatten()
    }

    pub(super) fn specs(self) -> [&'static [FieldSpec]; 2] {
        match self {
            Self::State => [STATE, &[]],
            Self::Rule(_) => [TOP_CHOICE_RULE, CHOICE_RULE],
            Self::Retrier(_) => [RETRIER, &[]],
            Self::Catcher(_) => [CATCHER, &[]],
            Self::Reader => [READER, &[]],
            Self::ReaderConfig => [READER_CONFIG, &[]],
            Self::Batcher => [BATCHER, &[]],
            Self::Writer => [WRITER, &[]],
        }
    }
}

impl FieldAt {
    /// The field with this name in the object; `None` if the language has no such field.
    #[must_use]
    pub fn named(owner: Owner, name: &str) -> Option<Self> {
        let spec = owner.fields().find(|spec| spec.name == name)?;
        let name = spec.name;
        Some(Self { owner, name })
    }
}

impl FieldSpec {
    /// The fields that a state of the type `name` may have.
    #[must_use]
    pub fn of_type(name: &str) -> &'static [Self] {
        static BY_TYPE: LazyLock<HashMap<&str, Vec<FieldSpec>>> = LazyLock::new(|| {
            let of = |name: &'static str| {
                let specs = STATE.iter().filter(|spec| spec.types.contains(&name));
                (name, specs.copied().collect())
            };
            STATE_TYPES.into_iter().map(of).collect()
        });
        BY_TYPE.get(name).map_or(&[], Vec::as_slice)
    }

    /// The state field with the name `name`; `None` if the language has no such field.
    #[must_use]
    pub fn of_state(name: &str) -> Option<&'static Self> {
        STATE.iter().find(|spec| spec.name == name)
    }

    /// True if the field takes effect while its state runs, so that a run can stop at the field.
    #[must_use]
    pub fn is_step(&self) -> bool {
        self.effect != Nothing
    }

    /// True if a state in JSONata evaluates expressions in the field.
    #[must_use]
    pub fn has_expressions(&self) -> bool {
        let evaluated = matches!(self.content, Template | Role | Number | Object | Nested);
        evaluated && self.languages.has(QueryLanguage::Jsonata)
    }

    /// True if the field is a payload template in a state in JSONPath.
    pub(super) fn is_template(&self) -> bool {
        matches!(self.content, Template | Role) && self.languages.has(QueryLanguage::JsonPath)
    }

    /// True if the field contains data whose members the author chooses, such as `Arguments`, in a state in JSONata.
    pub(super) fn is_data(&self) -> bool {
        self.content == Template && self.languages.has(QueryLanguage::Jsonata)
    }

    /// True if a state in JSONPath does not evaluate the field's value, although fields of nested states may be
    /// evaluated.
    pub(super) fn is_unread(&self) -> bool {
        matches!(self.content, States | Data | Comment | Target)
    }
}

impl State {
    /// The first field of this state, in the order of the field table, that has the given effect, with its spans. Only
    /// fields of the state's query language count.
    #[must_use]
    pub fn field_with(&self, effect: Effect) -> Option<&Field> {
        let specs = STATE.iter().filter(|spec| spec.effect == effect);
        let mut specs = specs.filter(|spec| spec.languages.has(self.language));
        specs.find_map(|spec| self.field(spec.name))
    }

    /// The moment at which the field `spec` takes effect in this state.
    #[must_use]
    pub fn effect_of(&self, spec: &FieldSpec) -> Effect {
        match (&self.kind, spec.effect) {
            // `Parameters` of a Map is the older name of ItemSelector.
            (StateKind::Map(_), Makes(AfterParameters)) => Makes(AfterItemSelector),
            (_, effect) => effect,
        }
    }
}

/// The fields by edition, as a Markdown table for the documentation.
#[must_use]
pub fn editions_markdown() -> String {
    let mut text =
        String::from("| Since | Fields of states | Fields of objects in states |\n|---|---|---|\n");
    let listed = |objects: &[&[FieldSpec]], edition: Edition| {
        let mut names: Vec<String> = Vec::new();
        for spec in objects.iter().copied().flatten() {
            let name = format!("`{}`", spec.name);
            if spec.since == edition && !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" ")
    };
    let (states, others) = ALL.split_at(1);
    for edition in Edition::ALL {
        let (states, others) = (listed(states, edition), listed(others, edition));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {} | {states} | {others} |", edition.date());
    }
    text
}

/// True if any object of the language has a field with this name for which `asked` returns true.
pub(super) fn is_any(name: &str, asked: fn(&FieldSpec) -> bool) -> bool {
    static BY_NAME: LazyLock<HashMap<&str, Vec<&FieldSpec>>> = LazyLock::new(|| {
        let mut by_name: HashMap<&str, Vec<&FieldSpec>> = HashMap::new();
        for spec in ALL.iter().copied().flatten() {
            by_name.entry(spec.name).or_default().push(spec);
        }
        by_name
    });
    BY_NAME
        .get(name)
        .is_some_and(|specs| specs.iter().any(|spec| asked(spec)))
}

#[cfg(test)]
mod tests {
    use super::Content::{Constant, Path, Rules};
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

    /// A valid value for the field.
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
        let state_start = r#""A":{"Type":"#;
        let text = format!(
            r#"{{"StartAt":"A","QueryLanguage":"{language}","States":{{{state_start}"{type_name}"{field}}},"Z":{{"Type":"Succeed"}}}}}}"#
        );
        let file = SourceFile::new("f", &text);
        let (node, _) = parse_json(&file, SourceId(0));
        let sources = Arc::new(SourceMap::of(file.clone()));
        lower(Arc::new(node.expect("JSON")), sources, "f").0
    }

    /// The parsed state as text, without its positions.
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
        let calls = STATE.iter().filter(|spec| spec.effect == Call);
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
            let has_fields = !nested(spec.name).is_empty();
            assert_eq!(spec.content == Nested, has_fields, "{}", spec.name);
        }
    }
}
