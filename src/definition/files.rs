//! How a Map reads its items from files, batches them, and writes its results.

use super::field_value::{Payload, Quantity};
use crate::json::Text;

/// `ItemReader`.
#[derive(Clone, Debug)]
pub struct ItemReader {
    /// `Resource` as written.
    pub resource: Text,
    /// `Parameters` or `Arguments`.
    pub arguments: Option<Payload>,
    /// The format of the file.
    pub format: ReaderFormat,
    /// `ReaderConfig.MaxItems` or its path form.
    pub max_items: Option<MaxItems>,
}

/// `ReaderConfig.MaxItems`. Unlike other numbers it may be negative, which fails when the items are read.
#[derive(Clone, Debug)]
pub enum MaxItems {
    /// A constant.
    Constant(i64),
    /// Read from the data.
    Computed(Quantity<u64>),
}

/// `ReaderConfig` without its numeric fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReaderFormat {
    /// `InputType`.
    pub input_type: InputType,
    /// `CSVHeaders`, if `CSVHeaderLocation` is `GIVEN`.
    pub csv_headers: Option<Vec<Text>>,
    /// `CSVDelimiter`.
    pub csv_delimiter: char,
    /// `ItemsPointer`.
    pub items_pointer: Option<Text>,
    /// The files that contain the items.
    pub held_in: HeldIn,
}

/// The files that contain the items of an ItemReader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeldIn {
    /// The file that is read. If this is a list of files, each entry is an item.
    #[default]
    File,
    /// All files in the list, because `Transformation` is `LOAD_AND_FLATTEN`.
    Listed,
    /// The files listed in the lines of the manifest, because `ManifestType` is `ATHENA_DATA`.
    AthenaManifest,
    /// The files of an S3 inventory, which are listed in its `manifest.json` together with their columns.
    InventoryManifest,
}

/// `ReaderConfig.InputType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputType {
    /// One JSON value.
    #[default]
    Json,
    /// One JSON value per line.
    Jsonl,
    /// Rows of delimited cells.
    Csv,
    /// Parquet files, which are not supported.
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
    /// `Resource`; absent if the ResultWriter only changes the format of the result.
    pub resource: Option<Text>,
    /// `Parameters` or `Arguments`.
    pub arguments: Option<Payload>,
    /// True if `WriterConfig.OutputType` is `JSONL`.
    pub lines: bool,
    /// `WriterConfig.Transformation`.
    pub transformation: Transformation,
}

/// `WriterConfig.Transformation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transformation {
    /// The details of each child execution, including input and output.
    #[default]
    None,
    /// Only the outputs.
    Compact,
    /// Only the outputs; those that are arrays are flattened by one level.
    Flatten,
}
