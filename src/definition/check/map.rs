//! What a Map's fields ask of each other: mode, item files, batches, results.
//!
//! It must not know what a file holds.

use super::{Checker, StateAt};
use crate::definition::LintRule;
use crate::definition::field;
use crate::definition::lower::rules::{ONLY_ONE, RESOURCE, VALUE};
use crate::definition::lower::{is_filled_later, is_jsonata, is_opaque, last_members, opening};
use crate::definition::rule::{Severities, rules};
use crate::definition::{MapMode, QueryLanguage, StateKind};
use crate::query::Profile;
use crate::source::{Node, did_you_mean};
use std::collections::HashSet;

rules! {
    DEPRECATED = 51, "deprecated", "DEPRECATED", Severities::WARNING, "an older spelling: Iterator, or Parameters of a Map";
    PROCESSOR_CONFIG = 52, "processor-config", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "ProcessorConfig is not consistent" {
        TYPE_WITHOUT_MODE = Severities::WARNING, "where ExecutionType stands without a Mode";
    };
    INLINE = 53, "inline", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "ItemReader, ItemBatcher or ResultWriter in an INLINE Map" {
        UNMEASURED = Severities::WARNING, "where no Mode is written, and of Label";
    };
    INLINE_LIMITS = 54, "inline-limits", "NOT_HEEDED", Severities::INFO, "limits that an INLINE Map ignores";
    ITEMS_IGNORED = 56, "items-ignored", "ITEMS_IGNORED", Severities::WARNING, "ItemsPath beside an ItemReader";
    READER_CONFIG = 57, "reader-config", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "ReaderConfig is not consistent" {
        HEADER_TWICE = Severities::WARNING, "where two columns have one name";
    };
    BATCH_OR_WRITER = 58, "batch-or-writer", "SCHEMA_VALIDATION_FAILED", Severities::ERROR,
        "an ItemBatcher without a limit, or a ResultWriter that says nothing or, under spec, has no Resource" {
            HALF_WRITER = Severities::REFUSED_BY_AWS, "where a ResultWriter has only half of where it writes";
        };
}

/// Fields that only a distributed Map has on AWS.
const DISTRIBUTED: [&str; 4] = ["ItemReader", "ItemBatcher", "ResultWriter", "Label"];
const HELP: &str = "set ProcessorConfig.Mode to DISTRIBUTED, with an ExecutionType";

impl<'d> Checker<'d> {
    pub(super) fn map(&mut self, at: StateAt<'d>) {
        let StateKind::Map(map) = &at.state.kind else {
            return;
        };
        self.older(at);
        self.items(at);
        if let Some(processor) = at.get("ItemProcessor").or_else(|| at.get("Iterator")) {
            let name = if at.get("ItemProcessor").is_some() {
                "ItemProcessor"
            } else {
                "Iterator"
            };
            self.processor_config(processor, &at.at(name));
        }
        if map.mode == MapMode::Inline {
            self.inline(at);
        } else {
            self.express_children(at);
        }
        if let Some(reader) = at.node.member("ItemReader") {
            self.reader(at, &reader.value);
        }
        if let Some(batcher) = at.get("ItemBatcher") {
            self.batcher(at, batcher);
        }
        if let Some(writer) = at.get("ResultWriter") {
            self.writer(at, writer);
        }
    }

    fn older(&mut self, at: StateAt<'_>) {
        for (old, new) in [
            ("Iterator", "ItemProcessor"),
            ("Parameters", "ItemSelector"),
        ] {
            if let Some(member) = at.node.member(old)
                && !(old == "Parameters" && at.is_jsonata())
            {
                let message = format!("{old} of a Map is the older spelling of {new}");
                self.report(
                    DEPRECATED,
                    message,
                    member.key.span,
                    at.at(old),
                    format!("write {new}"),
                );
            }
        }
    }

    /// What a Map of JSONata goes through.
    fn items(&mut self, at: StateAt<'_>) {
        let Some(value) = at.get("Items").filter(|_| at.is_jsonata()) else {
            return;
        };
        let text = value.as_str().unwrap_or_default();
        let is_list = value.items().is_some() || value.members().is_some();
        // An expression that lacks a delimiter is told of as such.
        let is_evaluated = is_jsonata(text) || is_opaque(text) || text.contains("{%");
        if !is_list && !is_evaluated {
            self.wrong_type(value, at.at("Items"), "Array", VALUE);
        }
    }

    fn object(&mut self, node: &Node, location: &str) -> bool {
        let is_object = node.members().is_some();
        if !is_object && !node.as_str().is_some_and(is_opaque) {
            self.wrong_type(node, location.to_string(), "Object", VALUE);
        }
        is_object
    }

    /// One of some words; the word, where it is one.
    fn word<'n>(
        &mut self,
        node: &'n Node,
        location: &str,
        name: &str,
        words: &[&str],
        rule: LintRule,
    ) -> Option<&'n str> {
        let value = node.get(name)?;
        let text = value.as_str();
        match text {
            Some(text) if words.contains(&text) => return Some(text),
            Some(text) if is_opaque(text) || is_jsonata(text) => return None,
            _ => {}
        }
        let help = did_you_mean(text.unwrap_or_default(), words.iter().copied())
            .unwrap_or_else(|| "choose one of them".to_string());
        let message = format!(
            "The field '{name}' should have one of these values: [{}]",
            words.join(", ")
        );
        self.report(
            rule,
            message,
            value.span,
            format!("{location}/{name}"),
            help,
        );
        None
    }

    fn processor_config(&mut self, processor: &Node, location: &str) {
        let Some(config) = processor.get("ProcessorConfig") else {
            return;
        };
        let location = format!("{location}/ProcessorConfig");
        if !self.object(config, &location) {
            return;
        }
        self.known_fields(
            config,
            &location,
            field::PROCESSOR_CONFIG,
            QueryLanguage::JsonPath,
        );
        let mode = self.word(
            config,
            &location,
            "Mode",
            &["INLINE", "DISTRIBUTED"],
            PROCESSOR_CONFIG,
        );
        let types = ["STANDARD", "EXPRESS"];
        self.word(config, &location, "ExecutionType", &types, PROCESSOR_CONFIG);
        let kind = config.member("ExecutionType");
        match (mode, kind) {
            (Some("DISTRIBUTED"), None) => {
                let message = "The field 'ExecutionType' is required but was missing";
                self.report(
                    PROCESSOR_CONFIG,
                    message,
                    opening(config),
                    location,
                    "add STANDARD or EXPRESS",
                );
            }
            (None, Some(member)) if config.get("Mode").is_none() => {
                let at = format!("{location}/ExecutionType");
                let message = "without Mode the Map is INLINE, which has no ExecutionType";
                self.report(TYPE_WITHOUT_MODE, message, member.key.span, at, HELP);
            }
            (Some("INLINE"), Some(member)) => {
                let at = format!("{location}/ExecutionType");
                let message = "Field 'ExecutionType' is not supported";
                self.report(
                    PROCESSOR_CONFIG,
                    message,
                    member.key.span,
                    at,
                    "only a DISTRIBUTED Map has one",
                );
            }
            _ => {}
        }
    }

    fn inline(&mut self, at: StateAt<'_>) {
        let processor = at.get("ItemProcessor").or_else(|| at.get("Iterator"));
        let mode = processor
            .and_then(|node| node.get("ProcessorConfig"))
            .and_then(|config| config.get("Mode"));
        if mode.is_some_and(is_filled_later) {
            return;
        }
        for name in DISTRIBUTED {
            if let Some(member) = at.node.member(name) {
                let message = format!("Field '{name}' is only supported in DISTRIBUTED mode");
                let help = match name {
                    "Label" => format!("remove it, or {HELP}"),
                    _ => HELP.to_string(),
                };
                // AWS takes a Label with INLINE, and was not measured where no mode is written.
                let rule = match mode.is_none() || name == "Label" {
                    true => UNMEASURED,
                    false => INLINE,
                };
                self.report(rule, message, member.key.span, at.at(name), help);
            }
        }
        for member in last_members(at.node) {
            if member.key.text.starts_with("ToleratedFailure") {
                let message = format!("an INLINE Map on AWS ignores {}", member.key.text);
                self.report(
                    INLINE_LIMITS,
                    message,
                    member.key.span,
                    at.at(&member.key.text),
                    HELP,
                );
            }
        }
        if let Some(value) = at.get("MaxConcurrency")
            && value
                .as_number()
                .is_some_and(|number| number.as_f64() > 40.0)
        {
            let message = "an INLINE Map on AWS runs about 40 iterations at a time";
            self.report(
                INLINE_LIMITS,
                message,
                value.span,
                at.at("MaxConcurrency"),
                HELP,
            );
        }
    }

    fn reader(&mut self, at: StateAt<'_>, reader: &Node) {
        let location = at.at("ItemReader");
        if !self.object(reader, &location) {
            return;
        }
        self.known_fields(reader, &location, field::READER, at.state.language);
        self.needs_resource(reader, &location);
        for name in ["ItemsPath", "Items"] {
            if let Some(member) = at.node.member(name) {
                let message = format!("AWS ignores {name} beside an ItemReader");
                self.report(
                    ITEMS_IGNORED,
                    message,
                    member.key.span,
                    at.at(name),
                    "remove it, or use ItemsPointer",
                );
            }
        }
        let Some(config) = reader.get("ReaderConfig") else {
            return;
        };
        let location = format!("{location}/ReaderConfig");
        if !self.object(config, &location) {
            return;
        }
        self.known_fields(config, &location, field::READER_CONFIG, at.state.language);
        let types = ["CSV", "JSON", "JSONL", "PARQUET", "MANIFEST"];
        let input = self.word(config, &location, "InputType", &types, READER_CONFIG);
        let delimiters = ["COMMA", "PIPE", "SEMICOLON", "TAB", "SPACE"];
        self.word(
            config,
            &location,
            "CSVDelimiter",
            &delimiters,
            READER_CONFIG,
        );
        self.word(
            config,
            &location,
            "Transformation",
            &["NONE", "LOAD_AND_FLATTEN"],
            READER_CONFIG,
        );
        self.word(
            config,
            &location,
            "ManifestType",
            &["ATHENA_DATA", "S3_INVENTORY"],
            READER_CONFIG,
        );
        self.headers(config, &location);
        self.limit(config, &location, "MaxItems", 0.0, 100_000_000.0);
        if matches!(input, Some("JSON" | "JSONL" | "PARQUET")) {
            for member in last_members(config) {
                if member.key.text.starts_with("CSV") {
                    let message = format!(
                        "Field '{}' is only supported with InputType CSV",
                        member.key.text
                    );
                    let at = format!("{location}/{}", member.key.text);
                    self.report(READER_CONFIG, message, member.key.span, at, "remove it");
                }
            }
        }
    }

    fn needs_resource(&mut self, node: &Node, location: &str) {
        match node.get("Resource") {
            None => self.report(
                RESOURCE,
                "The field 'Resource' is required but was missing",
                opening(node),
                location,
                "add the ARN of what is called, such as arn:aws:states:::s3:getObject",
            ),
            Some(value) if value.as_str().is_none() => {
                self.wrong_type(value, format!("{location}/Resource"), "String", RESOURCE);
            }
            Some(_) => {}
        }
    }

    fn headers(&mut self, config: &Node, location: &str) {
        let place = self.word(
            config,
            location,
            "CSVHeaderLocation",
            &["FIRST_ROW", "GIVEN"],
            READER_CONFIG,
        );
        let headers = config.member("CSVHeaders");
        match (place, headers) {
            (Some("GIVEN"), None) => {
                let message = "CSVHeaderLocation GIVEN needs CSVHeaders";
                self.report(
                    READER_CONFIG,
                    message,
                    opening(config),
                    location,
                    "add the array of names",
                );
            }
            (Some("FIRST_ROW"), Some(member)) => {
                let message = "CSVHeaders needs CSVHeaderLocation GIVEN";
                let at = format!("{location}/CSVHeaders");
                self.report(
                    READER_CONFIG,
                    message,
                    member.key.span,
                    at,
                    "remove it, or write GIVEN",
                );
            }
            (None, Some(member)) if config.get("CSVHeaderLocation").is_none() => {
                let message = "CSVHeaders needs CSVHeaderLocation GIVEN";
                let at = format!("{location}/CSVHeaders");
                let help = "add \"CSVHeaderLocation\": \"GIVEN\"";
                self.report(READER_CONFIG, message, member.key.span, at, help);
            }
            _ => {}
        }
        let Some(value) = headers.map(|member| &member.value) else {
            return;
        };
        let at = format!("{location}/CSVHeaders");
        let Some(items) = value.items() else {
            self.wrong_type(value, at, "Array", READER_CONFIG);
            return;
        };
        let mut seen = HashSet::new();
        for item in items {
            match item.as_str() {
                None => self.wrong_type(item, at.clone(), "String", READER_CONFIG),
                Some(name) if !seen.insert(name) => {
                    let message = format!("the header \"{name}\" appears twice");
                    // AWS takes the definition, and the run fails.
                    self.report(
                        HEADER_TWICE,
                        message,
                        item.span,
                        at.as_str(),
                        "names of columns must be unique",
                    );
                }
                Some(_) => {}
            }
        }
    }

    /// A whole number within limits, or its `...Path` form, not both; whether either is there.
    fn limit(&mut self, node: &Node, location: &str, name: &str, least: f64, most: f64) -> bool {
        let path_name = format!("{name}Path");
        let (number, path) = (node.member(name), node.member(&path_name));
        if let (Some(_), Some(path)) = (number, path) {
            let message =
                format!("There should only be one of the following fields: [{name}, {path_name}]");
            let help = format!("remove {name} or {path_name}");
            self.report(ONLY_ONE, message, path.key.span, location, help);
        }
        if let Some(member) = number {
            let value = &member.value;
            let at = format!("{location}/{name}");
            match value.as_number() {
                Some(count) if count.as_f64() < least => {
                    let message = format!("Minimum value is {least}");
                    self.report(
                        VALUE,
                        message,
                        value.span,
                        at,
                        "choose a value inside the limits",
                    );
                }
                Some(count) if count.as_f64() > most => {
                    let message = format!("Maximum value is {most}");
                    self.report(
                        VALUE,
                        message,
                        value.span,
                        at,
                        "choose a value inside the limits",
                    );
                }
                Some(count) if count.as_i64().is_none() => {
                    self.wrong_type(value, at, "Integer", VALUE)
                }
                Some(_) => {}
                None if value
                    .as_str()
                    .is_some_and(|text| is_opaque(text) || is_jsonata(text)) => {}
                None => self.wrong_type(value, at, "Integer", VALUE),
            }
        }
        number.is_some() || path.is_some()
    }

    fn batcher(&mut self, at: StateAt<'_>, batcher: &Node) {
        let location = at.at("ItemBatcher");
        if !self.object(batcher, &location) {
            return;
        }
        self.known_fields(batcher, &location, field::BATCHER, at.state.language);
        let items = self.limit(batcher, &location, "MaxItemsPerBatch", 1.0, 99_999_999.0);
        let bytes = self.limit(batcher, &location, "MaxInputBytesPerBatch", 1.0, 262_144.0);
        if !items && !bytes {
            let message = "an ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch";
            self.report(
                BATCH_OR_WRITER,
                message,
                opening(batcher),
                location,
                "add one of them",
            );
        }
    }

    /// A Resource that is not told where to write to, or the other way round.
    fn half_writer(&mut self, at: StateAt<'_>, member: &crate::source::Member, missing: &str) {
        let arguments = if at.is_jsonata() {
            "Arguments"
        } else {
            "Parameters"
        };
        self.report(
            HALF_WRITER,
            format!("the ResultWriter lacks {missing}"),
            member.key.span,
            format!("{}/{}", at.at("ResultWriter"), member.key.text),
            format!("write Resource and {arguments}, or neither"),
        );
    }

    fn writer(&mut self, at: StateAt<'_>, writer: &Node) {
        let location = at.at("ResultWriter");
        if !self.object(writer, &location) {
            return;
        }
        self.known_fields(writer, &location, field::WRITER, at.state.language);
        if writer.members().is_some_and(<[_]>::is_empty) {
            let help = "add WriterConfig, or Resource with where to write to";
            self.report(
                BATCH_OR_WRITER,
                "Value cannot be empty",
                writer.span,
                location,
                help,
            );
            return;
        }
        if let Some(resource) = writer.get("Resource")
            && resource.as_str().is_none()
        {
            self.wrong_type(resource, format!("{location}/Resource"), "String", RESOURCE);
        }
        let target = ["Parameters", "Arguments"]
            .into_iter()
            .find_map(|name| writer.member(name));
        match (writer.member("Resource"), target) {
            (None, _) if self.profile == Profile::Spec => self.report(
                BATCH_OR_WRITER,
                "The field 'Resource' is required but was missing",
                opening(writer),
                location.as_str(),
                "add the ARN of what writes, such as arn:aws:states:::s3:putObject",
            ),
            (Some(member), None) => self.half_writer(at, member, "where in the bucket to write to"),
            (None, Some(member)) => self.half_writer(at, member, "the Resource that writes"),
            _ => {}
        }
        let Some(config) = writer.get("WriterConfig") else {
            return;
        };
        let location = format!("{location}/WriterConfig");
        if !self.object(config, &location) {
            return;
        }
        self.known_fields(config, &location, field::WRITER_CONFIG, at.state.language);
        if config.get("OutputType").is_none() {
            let message = "The field 'OutputType' is required but was missing";
            self.report(
                BATCH_OR_WRITER,
                message,
                opening(config),
                location.as_str(),
                "add JSON or JSONL",
            );
        }
        self.word(
            config,
            &location,
            "OutputType",
            &["JSON", "JSONL"],
            BATCH_OR_WRITER,
        );
        self.word(
            config,
            &location,
            "Transformation",
            &["NONE", "COMPACT", "FLATTEN"],
            BATCH_OR_WRITER,
        );
    }
}
