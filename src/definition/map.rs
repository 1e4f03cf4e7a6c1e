//! The fields of a Map: how it reads its items from files, batches them, and writes its results.

use super::field_value::ScopeId;
use super::field_value::{PathField, Payload, Quantity};
use crate::json::Text;
use crate::query::{Template, jsonata};
use std::fmt;

/// The fields of a Map.
#[derive(Clone, Debug)]
pub struct Map {
    /// The states in `ItemProcessor` or the older `Iterator`.
    pub processor: ScopeId,
    /// The mode in `ProcessorConfig.Mode`: inline or distributed.
    pub mode: MapMode,
    /// True if `ProcessorConfig.ExecutionType` is `EXPRESS`.
    pub is_express: bool,
    /// The path in `ItemsPath`, which selects the array of items.
    pub items_path: PathField,
    /// The field `Items` in JSONata mode.
    pub items: Option<jsonata::Template>,
    /// The template in `ItemSelector` or the older `Parameters`, which creates the input of each item.
    pub item_selector: Option<Template>,
    /// The template in `ItemSelector` in JSONata mode.
    pub jsonata_selector: Option<jsonata::Template>,
    /// The number in `MaxConcurrency`, or its path form. Absent means 0, which is unlimited.
    pub max_concurrency: Option<Quantity<u64>>,
    /// The number in `ToleratedFailureCount`, or its path form.
    pub tolerated_failure_count: Option<Quantity<u64>>,
    /// The number in `ToleratedFailurePercentage`, or its path form.
    pub tolerated_failure_percentage: Option<Quantity<f64>>,
    /// The text in `Label`, a part of the ARNs of the Map Run and its child executions.
    pub label: Option<Text>,
    /// The fields of `ItemReader`.
    pub reader: Option<ItemReader>,
    /// The fields of `ItemBatcher`.
    pub batcher: Option<ItemBatcher>,
    /// The fields of `ResultWriter`.
    pub writer: Option<ResultWriter>,
}

impl Map {
    /// True if an ItemSelector or ItemBatcher creates the input of each iteration. Otherwise the input is the item
    /// itself.
    #[must_use]
    pub fn makes_inputs(&self) -> bool {
        self.item_selector.is_some() || self.jsonata_selector.is_some() || self.batcher.is_some()
    }

    /// True if a template creates the input of each item: `ItemSelector`, or the older `Parameters`.
    #[must_use]
    pub fn has_selector(&self) -> bool {
        self.item_selector.is_some() || self.jsonata_selector.is_some()
    }

    /// The unit of work of an iteration of the Map: a single item or a batch.
    #[must_use]
    pub fn unit(&self) -> Unit {
        match self.batcher {
            Some(_) => Unit::Batch,
            None => Unit::Item,
        }
    }

    /// `BatchInput`: the data that is added to every batch.
    #[must_use]
    pub fn batch_input(&self) -> Option<&Payload> {
        self.batcher.as_ref()?.input.as_ref()
    }
}

/// The unit of work of one iteration of a Map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Each iteration works on a single item.
    #[default]
    Item,
    /// Each iteration works on a batch of items.
    Batch,
}

impl Unit {
    /// A number with the unit, such as `1 item` or `3 batches`.
    #[must_use]
    pub fn counted(self, number: u32) -> String {
        match number {
            1 => format!("1 {self}"),
            _ => format!("{number} {}", self.plural()),
        }
    }

    /// The plural: `items`, `batches`.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Item => "items",
            Self::Batch => "batches",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Item => "item",
            Self::Batch => "batch",
        })
    }
}

/// The value of `ProcessorConfig.Mode`, which determines how the iterations of a Map are executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapMode {
    /// The iterations run inside the execution of the Map itself.
    #[default]
    Inline,
    /// Every iteration is a separate child execution.
    Distributed,
}

/// The fields of `ItemReader`, which reads the items of a Map from files or from a list of files.
#[derive(Clone, Debug)]
pub struct ItemReader {
    /// The field `Resource`, as written.
    pub resource: Text,
    /// The value of `Parameters` or `Arguments`, which says what to read.
    pub arguments: Option<Payload>,
    /// The format of the file with the items.
    pub format: ReaderFormat,
    /// The number in `ReaderConfig.MaxItems`, or its path form.
    pub max_items: Option<MaxItems>,
}

/// The value of `ReaderConfig.MaxItems`. Unlike in other number fields, a negative constant is accepted here; the Map
/// then fails when it reads the items.
#[derive(Clone, Debug)]
pub enum MaxItems {
    /// A constant.
    Constant(i64),
    /// A number that is computed from the data during the run.
    Computed(Quantity<u64>),
}

/// The fields of `ReaderConfig` that describe the format of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReaderFormat {
    /// The format in `InputType`.
    pub input_type: InputType,
    /// The column names in `CSVHeaders`, if `CSVHeaderLocation` is `GIVEN`.
    pub csv_headers: Option<Vec<Text>>,
    /// The character in `CSVDelimiter`, which separates the cells of a row.
    pub csv_delimiter: char,
    /// The pointer in `ItemsPointer` to the items inside a JSON file.
    pub items_pointer: Option<Text>,
    /// The files that contain the items.
    pub held_in: HeldIn,
}

/// Where the items of an ItemReader are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeldIn {
    /// In the file that is read. If the file is a list of files, each entry of the list is an item.
    #[default]
    File,
    /// In all files that the list of files names, because `Transformation` is `LOAD_AND_FLATTEN`.
    Listed,
    /// In the files that the lines of the manifest name, because `ManifestType` is `ATHENA_DATA`.
    AthenaManifest,
    /// In the files of an S3 inventory. Its `manifest.json` lists these files and names their columns.
    InventoryManifest,
}

/// The value of `ReaderConfig.InputType`: the format of a file with items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputType {
    /// The file has a single JSON value.
    #[default]
    Json,
    /// The file has one JSON value per line.
    Jsonl,
    /// The file has rows of delimited cells.
    Csv,
    /// The file is a Parquet file; these files are not supported.
    Parquet,
}

/// The fields of `ItemBatcher`, which groups the items of a Map into batches.
#[derive(Clone, Debug)]
pub struct ItemBatcher {
    /// The value of `BatchInput`, which is added to every batch.
    pub input: Option<Payload>,
    /// The number in `MaxItemsPerBatch`, or its path form.
    pub max_items: Option<Quantity<u64>>,
    /// The number in `MaxInputBytesPerBatch`, or its path form.
    pub max_bytes: Option<Quantity<u64>>,
}

/// The fields of `ResultWriter`, which writes the results of a Map to files.
#[derive(Clone, Debug)]
pub struct ResultWriter {
    /// The field `Resource`; absent if the ResultWriter only changes the format of the result.
    pub resource: Option<Text>,
    /// The value of `Parameters` or `Arguments`, which says where the files are written.
    pub arguments: Option<Payload>,
    /// True if `WriterConfig.OutputType` is `JSONL`, which means one JSON value per line.
    pub lines: bool,
    /// The contents of the result, from `WriterConfig.Transformation`.
    pub transformation: Transformation,
}

/// The value of `WriterConfig.Transformation`: the contents of a Map's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transformation {
    /// The result has the details of each child execution, including input and output.
    #[default]
    None,
    /// The result has only the outputs of the child executions.
    Compact,
    /// The result has only the outputs of the child executions. Outputs that are arrays are flattened by one level.
    Flatten,
}
