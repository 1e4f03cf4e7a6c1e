//! Checks how the fields of a Map depend on each other: mode, item reader, batches, results.

use super::facts::HashSet;
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::field::{self, FieldSpec};
use crate::definition::lower::rules::{ONLY_ONE, RESOURCE, VALUE};
use crate::definition::lower::{is_filled_later, is_jsonata, is_opaque};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{LintRule, MapMode, QueryLanguage, StateKind};
use crate::json::Number;
use crate::query::Profile;
use crate::source::Span;

lint_rules! {
    DEPRECATED = 51, "deprecated", "DEPRECATED", Severities::WARNING, "an older spelling: Iterator, or Parameters of a Map";
    PROCESSOR_CONFIG = 52, "processor-config", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "ProcessorConfig is not consistent" {
        TYPE_WITHOUT_MODE = Severities::WARNING, "if ExecutionType is given without a Mode";
    };
    INLINE = 53, "inline", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "ItemReader, ItemBatcher or ResultWriter in an INLINE Map" {
        UNMEASURED = Severities::WARNING, "if no Mode is given; also for Label";
    };
    INLINE_LIMITS = 54, "inline-limits", "NOT_HEEDED", Severities::INFO, "limits that an INLINE Map ignores";
    ITEMS_IGNORED = 56, "items-ignored", "ITEMS_IGNORED", Severities::WARNING, "ItemsPath beside an ItemReader";
    READER_CONFIG = 57, "reader-config", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "ReaderConfig is not consistent" {
        HEADER_TWICE = Severities::WARNING, "if two columns have the same name";
    };
    BATCH_OR_WRITER = 58, "batch-or-writer", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "an ItemBatcher without a limit, or a ResultWriter that is empty or, under spec, has no Resource" {
            HALF_WRITER = Severities::REFUSED_BY_AWS, "if a ResultWriter has only a part of its destination";
        };
}

/// Fields that on AWS only a distributed Map may have.
const DISTRIBUTED: [&str; 4] = ["ItemReader", "ItemBatcher", "ResultWriter", "Label"];
const HELP: &str = "set ProcessorConfig.Mode to DISTRIBUTED, with an ExecutionType";
const MODES: &[&str] = &["INLINE", "DISTRIBUTED"];
const EXECUTIONS: &[&str] = &["STANDARD", "EXPRESS"];
/// Fields of a ReaderConfig that have a fixed set of values.
const READER_WORDS: [(&str, &[&str]); 5] = [
    (
        "InputType",
        &["CSV", "JSON", "JSONL", "PARQUET", "MANIFEST"],
    ),
    (
        "CSVDelimiter",
        &["COMMA", "PIPE", "SEMICOLON", "TAB", "SPACE"],
    ),
    ("Transformation", &["NONE", "LOAD_AND_FLATTEN"]),
    ("ManifestType", &["ATHENA_DATA", "S3_INVENTORY"]),
    ("CSVHeaderLocation", &["FIRST_ROW", "GIVEN"]),
];
/// Fields of a WriterConfig that have a fixed set of values.
const WRITER_WORDS: [(&str, &[&str]); 2] = [
    ("OutputType", &["JSON", "JSONL"]),
    ("Transformation", &["NONE", "COMPACT", "FLATTEN"]),
];

impl<'d> Checker<'d> {
    pub(super) fn map(&mut self, at: StateAt<'d>) {
        let StateKind::Map(map) = &at.state.kind else {
            return;
        };
        self.older(at);
        self.items(at);
        if let Some(processor) = processor(at) {
            self.processor_config(&processor);
        }
        if map.mode == MapMode::Inline {
            self.inline(at);
        } else {
            self.express_children(at);
        }
        self.reader(at);
        self.batcher(at);
        self.writer(at);
    }

    fn older(&mut self, at: StateAt<'_>) {
        for (old, new) in [
            ("Iterator", "ItemProcessor"),
            ("Parameters", "ItemSelector"),
        ] {
            let field = at.field(old);
            if let Some(field) = field.filter(|_| !(old == "Parameters" && at.is_jsonata())) {
                let message = format!("{old} of a Map is the older spelling of {new}");
                self.report(DEPRECATED, message, field.key(), format!("write {new}"));
            }
        }
    }

    /// Checks the Items of a Map in JSONata.
    fn items(&mut self, at: StateAt<'_>) {
        let Some(items) = at.field("Items").filter(|_| at.is_jsonata()) else {
            return;
        };
        let text = items.text().unwrap_or_default();
        let is_list = items.node.items().is_some() || items.node.members().is_some();
        // An expression with a missing delimiter is reported elsewhere.
        let is_evaluated = is_jsonata(text) || is_opaque(text) || text.contains("{%");
        if !is_list && !is_evaluated {
            self.wrong_type(&items, "Array", VALUE);
        }
    }

    /// Checks a nested object and its fields. Returns the object.
    fn object_in<'n>(
        &mut self,
        outer: &Located<'n>,
        name: &str,
        fields: &[FieldSpec],
        language: QueryLanguage,
    ) -> Option<Located<'n>> {
        let object = outer.get(name)?;
        if object.node.members().is_none() {
            if !object.text().is_some_and(is_opaque) {
                self.wrong_type(&object, "Object", VALUE);
            }
            return None;
        }
        self.known_fields(&object, fields, language);
        Some(object)
    }

    /// Checks a field that has a fixed set of values. Returns the value if it is valid.
    fn word<'n>(
        &mut self,
        object: &Located<'n>,
        (name, words): (&str, &[&str]),
        rule: LintRule,
    ) -> Option<&'n str> {
        let value = object.get(name)?;
        match value.text().is_some_and(is_jsonata) {
            true => None,
            false => self.one_of(&value, words, rule),
        }
    }

    fn processor_config(&mut self, processor: &Located<'_>) {
        let fields = field::PROCESSOR_CONFIG;
        let config = self.object_in(
            processor,
            "ProcessorConfig",
            fields,
            QueryLanguage::JsonPath,
        );
        let Some(config) = config else { return };
        let mode = self.word(&config, ("Mode", MODES), PROCESSOR_CONFIG);
        self.word(&config, ("ExecutionType", EXECUTIONS), PROCESSOR_CONFIG);
        match (mode, config.get("ExecutionType")) {
            (Some("DISTRIBUTED"), None) => {
                let help = "add STANDARD or EXPRESS";
                self.required(PROCESSOR_CONFIG, "ExecutionType", config.start(), help);
            }
            (None, Some(kind)) if config.get("Mode").is_none() => {
                let message = "without Mode the Map is INLINE, which has no ExecutionType";
                self.report(TYPE_WITHOUT_MODE, message, kind.key(), HELP);
            }
            (Some("INLINE"), Some(kind)) => {
                let message = "Field 'ExecutionType' is not supported";
                let help = "only a DISTRIBUTED Map has one";
                self.report(PROCESSOR_CONFIG, message, kind.key(), help);
            }
            _ => {}
        }
    }

    /// Reports a missing field.
    fn required(&mut self, rule: LintRule, name: &str, place: (Span, &str), help: &str) {
        let message = format!("The field '{name}' is required but was missing");
        self.report(rule, message, place, help);
    }

    fn inline(&mut self, at: StateAt<'_>) {
        let config = processor(at).and_then(|processor| processor.get("ProcessorConfig"));
        let mode = config.and_then(|config| config.get("Mode"));
        if mode.as_ref().is_some_and(|mode| is_filled_later(mode.node)) {
            return;
        }
        for name in DISTRIBUTED {
            let Some(field) = at.field(name) else {
                continue;
            };
            let message = format!("Field '{name}' is only supported in DISTRIBUTED mode");
            let help = match name {
                "Label" => format!("remove it, or {HELP}"),
                _ => HELP.to_string(),
            };
            // AWS accepts a Label in INLINE mode. Its behaviour without a mode has not been measured.
            let rule = match mode.is_none() || name == "Label" {
                true => UNMEASURED,
                false => INLINE,
            };
            self.report(rule, message, field.key(), help);
        }
        for field in at.object().members() {
            let name = field.name();
            let number = field.node.as_number().map_or(0.0, Number::as_f64);
            if name.starts_with("ToleratedFailure") {
                let message = format!("an INLINE Map on AWS ignores {name}");
                self.report(INLINE_LIMITS, message, field.key(), HELP);
            } else if name == "MaxConcurrency" && number > 40.0 {
                let message = "an INLINE Map on AWS runs about 40 iterations at a time";
                self.report(INLINE_LIMITS, message, field.value(), HELP);
            }
        }
    }

    fn reader(&mut self, at: StateAt<'_>) {
        let language = at.state.language;
        let Some(reader) = self.object_in(&at.object(), "ItemReader", field::READER, language)
        else {
            return;
        };
        match reader.get("Resource") {
            None => {
                let help =
                    "add the ARN of the action to call, such as arn:aws:states:::s3:getObject";
                self.required(RESOURCE, "Resource", reader.start(), help);
            }
            Some(value) if value.text().is_none() => self.wrong_type(&value, "String", RESOURCE),
            Some(_) => {}
        }
        for field in ["ItemsPath", "Items"].map(|name| at.field(name)) {
            let Some(field) = field else { continue };
            let message = format!("AWS ignores {} beside an ItemReader", field.name());
            let help = "remove it, or use ItemsPointer";
            self.report(ITEMS_IGNORED, message, field.key(), help);
        }
        let config = self.object_in(&reader, "ReaderConfig", field::READER_CONFIG, language);
        let Some(config) = config else { return };
        let [input, _, _, _, place] =
            READER_WORDS.map(|words| self.word(&config, words, READER_CONFIG));
        self.headers(&config, place);
        self.limit(&config, "MaxItems", 0.0, 100_000_000.0);
        if matches!(input, Some("JSON" | "JSONL" | "PARQUET")) {
            for field in config.members() {
                if field.name().starts_with("CSV") {
                    let name = field.name();
                    let message = format!("Field '{name}' is only supported with InputType CSV");
                    self.report(READER_CONFIG, message, field.key(), "remove it");
                }
            }
        }
    }

    /// Checks the CSV headers; `place` is the CSVHeaderLocation.
    fn headers(&mut self, config: &Located<'_>, place: Option<&str>) {
        let headers = config.get("CSVHeaders");
        let needless = match place {
            Some("GIVEN") if headers.is_none() => {
                let message = "CSVHeaderLocation GIVEN needs CSVHeaders";
                let help = "add the array of names";
                self.report(READER_CONFIG, message, config.start(), help);
                None
            }
            Some("FIRST_ROW") => Some("remove it, or write GIVEN"),
            None if config.get("CSVHeaderLocation").is_none() => {
                Some("add \"CSVHeaderLocation\": \"GIVEN\"")
            }
            _ => None,
        };
        let Some(headers) = headers else { return };
        if let Some(help) = needless {
            let message = "CSVHeaders needs CSVHeaderLocation GIVEN";
            self.report(READER_CONFIG, message, headers.key(), help);
        }
        let Some(items) = headers.node.items() else {
            self.wrong_type(&headers, "Array", READER_CONFIG);
            return;
        };
        let mut seen = HashSet::default();
        for item in items {
            let item = Located {
                node: item,
                ..headers.clone()
            };
            match item.text() {
                None => self.wrong_type(&item, "String", READER_CONFIG),
                Some(name) if !seen.insert(name) => {
                    let message = format!("the header \"{name}\" appears twice");
                    // AWS accepts the definition, but the execution fails.
                    let help = "names of columns must be unique";
                    self.report(HEADER_TWICE, message, item.value(), help);
                }
                Some(_) => {}
            }
        }
    }

    /// Checks a number within limits, or its `...Path` form; only one of them may be present. Returns true if either is
    /// present.
    fn limit(&mut self, object: &Located<'_>, name: &str, least: f64, most: f64) -> bool {
        let path_name = format!("{name}Path");
        let (number, path) = (object.get(name), object.get(&path_name));
        if let (Some(_), Some(path)) = (&number, &path) {
            let message =
                format!("There should only be one of the following fields: [{name}, {path_name}]");
            let help = format!("remove {name} or {path_name}");
            let (span, _) = path.key();
            self.report(ONLY_ONE, message, (span, object.location.as_str()), help);
        }
        if let Some(value) = &number {
            let inside = "choose a value inside the limits";
            match value.node.as_number() {
                Some(count) if count.as_f64() < least => {
                    let message = format!("Minimum value is {least}");
                    self.report(VALUE, message, value.value(), inside);
                }
                Some(count) if count.as_f64() > most => {
                    let message = format!("Maximum value is {most}");
                    self.report(VALUE, message, value.value(), inside);
                }
                Some(count) if count.as_i64().is_some() => {}
                None if value
                    .text()
                    .is_some_and(|text| is_opaque(text) || is_jsonata(text)) => {}
                _ => self.wrong_type(value, "Integer", VALUE),
            }
        }
        number.is_some() || path.is_some()
    }

    fn batcher(&mut self, at: StateAt<'_>) {
        let (outer, language) = (at.object(), at.state.language);
        let Some(batcher) = self.object_in(&outer, "ItemBatcher", field::BATCHER, language) else {
            return;
        };
        let items = self.limit(&batcher, "MaxItemsPerBatch", 1.0, 99_999_999.0);
        let bytes = self.limit(&batcher, "MaxInputBytesPerBatch", 1.0, 262_144.0);
        if !items && !bytes {
            let message = "an ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch";
            self.report(BATCH_OR_WRITER, message, batcher.start(), "add one of them");
        }
    }

    fn writer(&mut self, at: StateAt<'_>) {
        let (outer, language) = (at.object(), at.state.language);
        let Some(writer) = self.object_in(&outer, "ResultWriter", field::WRITER, language) else {
            return;
        };
        if writer.members().is_empty() {
            let help = "add WriterConfig, or Resource with a destination";
            let message = "Value cannot be empty";
            self.report(BATCH_OR_WRITER, message, writer.value(), help);
            return;
        }
        let resource = writer.get("Resource");
        if let Some(resource) = resource.as_ref().filter(|value| value.text().is_none()) {
            self.wrong_type(resource, "String", RESOURCE);
        }
        let mut targets = ["Parameters", "Arguments"].into_iter();
        let target = targets.find_map(|name| writer.get(name));
        let half = match (resource, target) {
            (None, _) if self.profile == Profile::Spec => {
                let help =
                    "add the ARN of the action that writes, such as arn:aws:states:::s3:putObject";
                self.required(BATCH_OR_WRITER, "Resource", writer.start(), help);
                None
            }
            (Some(resource), None) => Some((resource, "a destination")),
            (None, Some(target)) => Some((target, "a Resource")),
            _ => None,
        };
        // Resource and its arguments must either both be present or both be absent.
        if let Some((field, missing)) = half {
            let message = format!("the ResultWriter lacks {missing}");
            let help = format!("write Resource and {}, or neither", at.arguments());
            self.report(HALF_WRITER, message, field.key(), help);
        }
        let config = self.object_in(&writer, "WriterConfig", field::WRITER_CONFIG, language);
        let Some(config) = config else { return };
        if config.get("OutputType").is_none() {
            let help = "add JSON or JSONL";
            self.required(BATCH_OR_WRITER, "OutputType", config.start(), help);
        }
        for words in WRITER_WORDS {
            self.word(&config, words, BATCH_OR_WRITER);
        }
    }
}

/// The object that contains the states of a Map.
pub(super) fn processor<'d>(at: StateAt<'d>) -> Option<Located<'d>> {
    at.field("ItemProcessor").or_else(|| at.field("Iterator"))
}
