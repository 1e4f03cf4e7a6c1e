//! How a Map reads its items from files, groups them, and writes its results.
//!
//! It must not know where files are, nor how they are read.

use super::field_value::{Payload, Quantity};
use crate::json::Text;

/// `ItemReader`.
#[derive(Clone, Debug)]
pub struct ItemReader {
    /// `Resource` as written.
    pub resource: Text,
    /// `Parameters` or `Arguments`.
    pub arguments: Option<Payload>,
    /// What the file holds.
    pub format: ReaderFormat,
    /// `ReaderConfig.MaxItems` or its path form.
    pub max_items: Option<MaxItems>,
}

/// `ReaderConfig.MaxItems`: unlike other numbers it may be negative, which fails when it is read.
#[derive(Clone, Debug)]
pub enum MaxItems {
    /// As written.
    Constant(i64),
    /// Read from the data.
    Computed(Quantity<u64>),
}

/// `ReaderConfig` without its numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReaderFormat {
    /// `InputType`.
    pub input_type: InputType,
    /// `CSVHeaders`, where `CSVHeaderLocation` is `GIVEN`.
    pub csv_headers: Option<Vec<Text>>,
    /// `CSVDelimiter`.
    pub csv_delimiter: char,
    /// `ItemsPointer`.
    pub items_pointer: Option<Text>,
    /// Which files hold the items.
    pub held_in: HeldIn,
}

/// Which files hold the items of an ItemReader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeldIn {
    /// The one that is read; of a list each entry is an item.
    #[default]
    File,
    /// `Transformation` is `LOAD_AND_FLATTEN`: all files of the list.
    Listed,
    /// `ManifestType` is `ATHENA_DATA`: the files that the lines of the manifest name.
    AthenaManifest,
    /// An inventory of S3: the files that its `manifest.json` names, which also names their columns.
    InventoryManifest,
}

/// `ReaderConfig.InputType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputType {
    /// One JSON value.
    #[default]
    Json,
    /// A JSON value a line.
    Jsonl,
    /// Rows of cells.
    Csv,
    /// Columns, which nothing here reads.
    Parquet,
}

/// `ItemBatcher`.
#[derive(Clone, Debug)]
pub struct ItemBatcher {
    /// `BatchInput`.
    pub input: Option<Payload>,
    /// `MaxItemsPerBatch` or its path form.
    pub max_items: Option<Quantity<u64>>,
    /// `MaxInputBytesPerBatch` or its path form.
    pub max_bytes: Option<Quantity<u64>>,
}

/// `ResultWriter`.
#[derive(Clone, Debug)]
pub struct ResultWriter {
    /// `Resource`; absent where the configuration only shapes the result.
    pub resource: Option<Text>,
    /// `Parameters` or `Arguments`.
    pub arguments: Option<Payload>,
    /// `WriterConfig.OutputType` is `JSONL`.
    pub lines: bool,
    /// `WriterConfig.Transformation`.
    pub transformation: Transformation,
}

/// `WriterConfig.Transformation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transformation {
    /// What is known of each child execution, with its input and output.
    #[default]
    None,
    /// Outputs alone.
    Compact,
    /// Outputs alone, those that are arrays one level flatter.
    Flatten,
}
