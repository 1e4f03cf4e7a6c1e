//! Parses the fields that only a Map has, including their older names, and the fields of `ItemReader`, `ItemBatcher`
//! and `ResultWriter`.

use super::lowering::{Object, text_of};
use super::path::Need;
use super::rules::{ITEM_PROCESSOR, VALUE};
use super::state::{MOST_SECONDS, StateReader};
use crate::definition::{
    HeldIn, InputType, ItemBatcher, ItemReader, Map, MapMode, MaxItems, Payload, Quantity,
    QueryLanguage, ReaderFormat, ResultWriter, ScopeId, Transformation,
};
use crate::json::Text;
use crate::source::Node;

impl<'n> StateReader<'_, 'n> {
    pub(super) fn map(&mut self, object: Object<'n, '_>) -> Map {
        self.only_one(object, &["ItemProcessor", "Iterator"]);
        self.only_one(object, &["ItemSelector", "Parameters"]);
        let selector = object.first_of(["ItemSelector", "Parameters"]);
        let (processor, mode, is_express) = self.processor(object);
        Map {
            processor,
            mode,
            is_express,
            items_path: self.path_field(object, "ItemsPath", Need::Path),
            items: self.jsonata_field(object, "Items", "Items"),
            item_selector: self.template(object, selector),
            jsonata_selector: self.jsonata_field(object, "ItemSelector", "ItemSelector"),
            max_concurrency: self.quantity(object, "MaxConcurrency", (0, MOST_SECONDS)),
            tolerated_failure_count: self.quantity(
                object,
                "ToleratedFailureCount",
                (0, MOST_SECONDS),
            ),
            tolerated_failure_percentage: self.percentage(object),
            label: self.text(object, "Label", VALUE),
            reader: self.item_reader(object),
            batcher: self.item_batcher(object),
            writer: self.result_writer(object),
        }
    }

    fn processor(&mut self, object: Object<'n, '_>) -> (ScopeId, MapMode, bool) {
        let name = object.first_of(["ItemProcessor", "Iterator"]);
        let prefix = format!("{}/", self.state_path());
        let Some(processor) = object.get(name) else {
            let help = "ItemProcessor is the object with StartAt and States that every item runs";
            self.required(object, "ItemProcessor", ITEM_PROCESSOR, help);
            let scope = self.inner(nothing(), "ItemProcessor", 0, prefix);
            return (scope, MapMode::Inline, false);
        };
        if processor.members().is_none() {
            self.wrong_type(processor, object.at(name), "Object", ITEM_PROCESSOR);
        }
        let config = processor.get("ProcessorConfig");
        let word = |field| config.and_then(|config| config.get(field)?.as_str());
        let mode = match word("Mode") {
            Some("DISTRIBUTED") => MapMode::Distributed,
            _ => MapMode::Inline,
        };
        let is_express = word("ExecutionType") == Some("EXPRESS");
        (self.inner(processor, name, 0, prefix), mode, is_express)
    }

    fn percentage(&mut self, object: Object<'n, '_>) -> Option<Quantity<f64>> {
        const NAME: &str = "ToleratedFailurePercentage";
        const PATH: &str = "ToleratedFailurePercentagePath";
        self.only_one(object, &[NAME, PATH]);
        if let Some(expression) = self.expression_field(object, NAME) {
            return Some(Quantity::Expression(expression));
        }
        if let Some(number) = self.number(object, NAME, (0.0, 100.0), VALUE) {
            return Some(Quantity::Constant(number));
        }
        self.path(object, PATH, Need::Reference).map(Quantity::Path)
    }
}

/// An empty node that stands for a missing object.
fn nothing() -> &'static Node {
    static NOTHING: Node = Node {
        span: crate::source::Span {
            source: crate::source::SourceId(0),
            start: 0,
            end: 0,
        },
        kind: crate::source::NodeKind::Null,
    };
    &NOTHING
}

/// Maximum values that AWS accepts for MaxItems, MaxItemsPerBatch and MaxInputBytesPerBatch, in this order.
const MOST_ITEMS: u64 = 100_000_000;
const MOST_IN_BATCH: u64 = 99_999_999;
const MOST_BYTES: u64 = 262_144;

impl<'n> StateReader<'_, 'n> {
    fn item_reader(&mut self, object: Object<'n, '_>) -> Option<ItemReader> {
        let node = object.get("ItemReader")?;
        node.members()?;
        let location = object.at("ItemReader");
        let reader = Object::new(node, &location);
        let config = node.get("ReaderConfig");
        let place = format!("{location}/ReaderConfig");
        let max_items = config.and_then(|node| {
            let config = Object::new(node, &place);
            self.max_items(config)
        });
        Some(ItemReader {
            resource: text_of(node, "Resource").unwrap_or_else(|| "".into()),
            arguments: self.file_arguments(reader, "ItemReader"),
            format: config.map(format_of).unwrap_or_else(|| ReaderFormat {
                csv_delimiter: ',',
                ..ReaderFormat::default()
            }),
            max_items,
        })
    }

    fn max_items(&mut self, config: Object<'n, '_>) -> Option<MaxItems> {
        const NAME: &str = "MaxItems";
        self.only_one(config, &[NAME, "MaxItemsPath"]);
        let value = config.get(NAME);
        if let Some(value) = value {
            if let Some(number) = value.as_number().and_then(|number| number.as_i64()) {
                let message = match u64::try_from(number) {
                    Err(_) => Some("Minimum value is 0".to_string()),
                    Ok(count) => {
                        (count > MOST_ITEMS).then(|| format!("Maximum value is {MOST_ITEMS}"))
                    }
                };
                if let Some(message) = message {
                    self.out_of_range((value, config.at(NAME)), message, VALUE);
                }
                return Some(MaxItems::Constant(number));
            }
            if let Some(expression) = self.expression(value, "ItemReader/ReaderConfig/MaxItems") {
                return Some(MaxItems::Computed(Quantity::Expression(expression)));
            }
            self.integer(config, NAME, (0, MOST_ITEMS), VALUE);
            return None;
        }
        self.path(config, "MaxItemsPath", Need::Reference)
            .map(|path| MaxItems::Computed(Quantity::Path(path)))
    }

    fn file_arguments(&mut self, object: Object<'n, '_>, below: &str) -> Option<Payload> {
        match self.language() {
            QueryLanguage::JsonPath => self.template(object, "Parameters").map(Payload::Template),
            QueryLanguage::Jsonata => self
                .jsonata_field(object, "Arguments", &format!("{below}/Arguments"))
                .map(Payload::Jsonata),
        }
    }

    fn item_batcher(&mut self, object: Object<'n, '_>) -> Option<ItemBatcher> {
        let node = object.get("ItemBatcher")?;
        node.members()?;
        let location = object.at("ItemBatcher");
        let batcher = Object::new(node, &location);
        Some(ItemBatcher {
            input: self.payload(batcher, "BatchInput", "ItemBatcher/BatchInput"),
            max_items: self.batch_limit(batcher, "MaxItemsPerBatch", MOST_IN_BATCH),
            max_bytes: self.batch_limit(batcher, "MaxInputBytesPerBatch", MOST_BYTES),
        })
    }

    fn batch_limit(
        &mut self,
        batcher: Object<'n, '_>,
        name: &str,
        most: u64,
    ) -> Option<Quantity<u64>> {
        let location = format!("ItemBatcher/{name}");
        let value = batcher.get(name);
        if let Some(expression) = value.and_then(|value| self.expression(value, &location)) {
            return Some(Quantity::Expression(expression));
        }
        self.quantity(batcher, name, (1, most))
    }

    fn result_writer(&mut self, object: Object<'n, '_>) -> Option<ResultWriter> {
        let node = object.get("ResultWriter")?;
        node.members()?;
        let location = object.at("ResultWriter");
        let writer = Object::new(node, &location);
        let config = |name: &str| {
            let config = node.get("WriterConfig")?;
            config.get(name).and_then(Node::as_str)
        };
        Some(ResultWriter {
            resource: text_of(node, "Resource"),
            arguments: self.file_arguments(writer, "ResultWriter"),
            lines: config("OutputType") == Some("JSONL"),
            transformation: match config("Transformation") {
                Some("COMPACT") => Transformation::Compact,
                Some("FLATTEN") => Transformation::Flatten,
                _ => Transformation::None,
            },
        })
    }
}

fn format_of(config: &Node) -> ReaderFormat {
    let text = |name: &str| config.get(name).and_then(Node::as_str);
    let headers = config.get("CSVHeaders").and_then(Node::items);
    let given = text("CSVHeaderLocation") == Some("GIVEN");
    ReaderFormat {
        input_type: match text("InputType") {
            Some("CSV" | "MANIFEST") => InputType::Csv,
            Some("JSONL") => InputType::Jsonl,
            Some("PARQUET") => InputType::Parquet,
            _ => InputType::Json,
        },
        csv_headers: headers.filter(|_| given).map(|headers| {
            let texts = headers.iter().filter_map(Node::as_str);
            texts.map(Text::from).collect()
        }),
        csv_delimiter: match text("CSVDelimiter") {
            Some("PIPE") => '|',
            Some("SEMICOLON") => ';',
            Some("SPACE") => ' ',
            Some("TAB") => '\t',
            _ => ',',
        },
        items_pointer: text("ItemsPointer").map(Text::from),
        held_in: match (text("ManifestType"), text("InputType")) {
            (Some("ATHENA_DATA"), _) => HeldIn::AthenaManifest,
            (Some("S3_INVENTORY"), _) | (None, Some("MANIFEST")) => HeldIn::InventoryManifest,
            _ if text("Transformation") == Some("LOAD_AND_FLATTEN") => HeldIn::Listed,
            _ => HeldIn::File,
        },
    }
}
