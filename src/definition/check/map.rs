//! Checks whether the fields of a Map fit together: the mode, the item reader, the batches and the results.

use super::facts::HashSet;
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::field;
use crate::definition::lower::rules::{RESOURCE, VALUE};
use crate::definition::lower::{is_filled_later, is_jsonata, is_opaque};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{LintRule, MapMode, StateKind};
use crate::json::Number;
use crate::query::Profile;
use crate::source::Span;

lint_rules! {
    DEPRECATED = 51, "deprecated", "DEPRECATED", Severities::WARNING, "a Map has a field under its older name: Iterator or Parameters";
    PROCESSOR_CONFIG = 52, "processor-config", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "the fields of ProcessorConfig do not fit together" {
        TYPE_WITHOUT_MODE = Severities::WARNING, "if ExecutionType is given without a Mode";
    };
    INLINE = 53, "inline", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "an INLINE Map has an ItemReader, ItemBatcher or ResultWriter" {
        UNMEASURED = Severities::WARNING, "if the Map has no Mode, or if the field is Label";
    };
    INLINE_LIMITS = 54, "inline-limits", "NOT_HEEDED", Severities::INFO, "an INLINE Map sets ToleratedFailureCount, ToleratedFailurePercentage or a MaxConcurrency above 40, which AWS ignores";
    ITEMS_IGNORED = 56, "items-ignored", "ITEMS_IGNORED", Severities::WARNING, "a Map has both ItemsPath and an ItemReader";
    READER_CONFIG = 57, "reader-config", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "the fields of ReaderConfig do not fit together" {
        HEADER_TWICE = Severities::WARNING, "if two columns have the same name";
    };
    BATCH_OR_WRITER = 58, "batch-or-writer", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "an ItemBatcher has no limit, or a ResultWriter is empty, or (in the profile spec) a ResultWriter has no Resource" {
            HALF_WRITER = Severities::REFUSED_BY_AWS, "if a ResultWriter has only part of its destination";
        };
}

/// Fields that on AWS only a distributed Map may have.
const DISTRIBUTED: [&str; 4] = ["ItemReader", "ItemBatcher", "ResultWriter", "Label"];
const HELP: &str = "set ProcessorConfig.Mode to DISTRIBUTED, with an ExecutionType";
impl<'d> Checker<'d> {
    pub(super) fn map(&mut self, at: StateAt<'d>) {
        let StateKind::Map(map) = &at.state.kind else {
            return;
        };
        self.older(at);
        self.items(at);
        if let Some(processor) = processor(at) {
            self.processor_config(at, &processor);
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
                let message = format!("{old} of a Map is the older name of {new}");
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
        // An expression with a missing delimiter is reported by another check.
        let is_evaluated = is_jsonata(text) || is_opaque(text) || text.contains("{%");
        if !is_list && !is_evaluated {
            self.wrong_type(&items, "Array", VALUE);
        }
    }

    /// Checks the fields of the object that is the value of the member `name`, and returns the object. `None` if the
    /// member is missing or is not an object.
    fn object_in<'n>(
        &mut self,
        outer: &Located<'n>,
        name: &str,
        at: StateAt<'_>,
    ) -> Option<Located<'n>> {
        let object = outer.get(name)?;
        if object.node.members().is_none() {
            if !object.text().is_some_and(is_opaque) {
                self.wrong_type(&object, "Object", VALUE);
            }
            return None;
        }
        self.known_fields(&object, field::nested(name), at.state.language);
        Some(object)
    }

    fn processor_config(&mut self, at: StateAt<'_>, processor: &Located<'_>) {
        let Some(config) = self.object_in(processor, "ProcessorConfig", at) else {
            return;
        };
        let mode = config.get("Mode");
        match (
            mode.as_ref().map(Located::text),
            config.get("ExecutionType"),
        ) {
            (Some(Some("DISTRIBUTED")), None) => {
                let help = "add ExecutionType STANDARD or EXPRESS";
                self.required(PROCESSOR_CONFIG, "ExecutionType", config.start(), help);
            }
            (None, Some(kind)) => {
                let message =
                    "without Mode, the Map is INLINE, and an INLINE Map has no ExecutionType";
                self.report(TYPE_WITHOUT_MODE, message, kind.key(), HELP);
            }
            (Some(Some("INLINE")), Some(kind)) => {
                let message = "Field 'ExecutionType' is not supported";
                let help = "only a DISTRIBUTED Map has an ExecutionType";
                self.report(PROCESSOR_CONFIG, message, kind.key(), help);
            }
            _ => {}
        }
    }

    /// Reports the missing field `name` of an object.
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
                "Label" => format!("remove the Label, or {HELP}"),
                _ => HELP.to_string(),
            };
            // AWS accepts a Label in INLINE mode. How AWS treats a Label if the mode is missing has not been measured.
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
        let Some(reader) = self.object_in(&at.object(), "ItemReader", at) else {
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
            let message = format!(
                "AWS ignores {name} in a Map that has an ItemReader",
                name = field.name()
            );
            let help = "remove this field, or use ItemsPointer";
            self.report(ITEMS_IGNORED, message, field.key(), help);
        }
        let Some(config) = self.object_in(&reader, "ReaderConfig", at) else {
            return;
        };
        self.headers(&config);
        let input = config.get("InputType").and_then(|input| input.text());
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

    fn headers(&mut self, config: &Located<'_>) {
        let headers = config.get("CSVHeaders");
        let place = config.get("CSVHeaderLocation");
        let needless = match place.as_ref().map(Located::text) {
            Some(Some("GIVEN")) if headers.is_none() => {
                let message = "CSVHeaderLocation GIVEN needs CSVHeaders";
                let help = "add CSVHeaders, the array of column names";
                self.report(READER_CONFIG, message, config.start(), help);
                None
            }
            Some(Some("FIRST_ROW")) => Some("remove CSVHeaders, or set CSVHeaderLocation to GIVEN"),
            None => Some("add \"CSVHeaderLocation\": \"GIVEN\""),
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
                    let help = "the names of columns must be unique";
                    self.report(HEADER_TWICE, message, item.value(), help);
                }
                Some(_) => {}
            }
        }
    }

    fn batcher(&mut self, at: StateAt<'_>) {
        let Some(batcher) = self.object_in(&at.object(), "ItemBatcher", at) else {
            return;
        };
        let mut limits = batcher.members().into_iter();
        if !limits.any(|member| member.name().starts_with("Max")) {
            let message = "an ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch";
            self.report(
                BATCH_OR_WRITER,
                message,
                batcher.start(),
                "add one of these two limits",
            );
        }
    }

    fn writer(&mut self, at: StateAt<'_>) {
        let Some(writer) = self.object_in(&at.object(), "ResultWriter", at) else {
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
        // A ResultWriter needs both its Resource and the arguments for it, or neither of them.
        if let Some((field, missing)) = half {
            let message = format!("the ResultWriter lacks {missing}");
            let help = format!(
                "write both Resource and {arguments}, or neither",
                arguments = at.arguments()
            );
            self.report(HALF_WRITER, message, field.key(), help);
        }
        let Some(config) = self.object_in(&writer, "WriterConfig", at) else {
            return;
        };
        if config.get("OutputType").is_none() {
            let help = "add OutputType JSON or JSONL";
            self.required(BATCH_OR_WRITER, "OutputType", config.start(), help);
        }
    }
}

/// The object that contains the states of a Map.
pub(super) fn processor<'d>(at: StateAt<'d>) -> Option<Located<'d>> {
    at.field("ItemProcessor").or_else(|| at.field("Iterator"))
}
