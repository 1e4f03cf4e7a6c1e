//! The stages of a state's data, from its input to its output.
//!
//! It must not know how a stage is computed.

/// The values that a state's pipeline goes through, named as TestState prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Raw input.
    Input,
    /// After `InputPath`.
    AfterInputPath,
    /// After the Parameters or Arguments of an `ItemReader`: what it is asked for (Map).
    AfterItemReader,
    /// After `ItemsPath` (Map).
    AfterItemsPath,
    /// After `BatchInput`: what goes with every batch (Map).
    AfterBatchInput,
    /// After `ItemSelector`: the input of the item that starts next, of all items where they go into batches (Map).
    AfterItemSelector,
    /// After `ItemBatcher`: the batches (Map).
    AfterItemBatcher,
    /// After `Parameters`: the effective input.
    AfterParameters,
    /// After `Arguments`: the call input in JSONata mode.
    AfterArguments,
    /// What the work gave.
    Result,
    /// After `ResultSelector`: the effective result.
    AfterResultSelector,
    /// After `ResultPath`.
    AfterResultPath,
    /// After `OutputPath`: the effective output.
    Output,
}

/// A part of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageGroup {
    /// The raw input.
    Input,
    /// What the work is given.
    Effective,
    /// What a Map makes of its items.
    Item,
    /// What the work gave, and what is made of that alone.
    Result,
    /// What goes on to the next state.
    Output,
}

impl Stage {
    /// The part of the pipeline that it belongs to.
    #[must_use]
    pub fn group(self) -> StageGroup {
        let of_items = Self::AfterBatchInput..=Self::AfterItemBatcher;
        match self {
            Self::Input => StageGroup::Input,
            _ if of_items.contains(&self) => StageGroup::Item,
            _ if self < Self::Result => StageGroup::Effective,
            _ if self < Self::AfterResultPath => StageGroup::Result,
            _ => StageGroup::Output,
        }
    }

    /// All stages in order.
    pub const ALL: [Self; 13] = [
        Self::Input,
        Self::AfterInputPath,
        Self::AfterItemReader,
        Self::AfterItemsPath,
        Self::AfterBatchInput,
        Self::AfterItemSelector,
        Self::AfterItemBatcher,
        Self::AfterParameters,
        Self::AfterArguments,
        Self::Result,
        Self::AfterResultSelector,
        Self::AfterResultPath,
        Self::Output,
    ];

    /// `afterInputPath`, ...
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::AfterInputPath => "afterInputPath",
            Self::AfterItemReader => "afterItemReader",
            Self::AfterItemsPath => "afterItemsPath",
            Self::AfterBatchInput => "afterBatchInput",
            Self::AfterItemSelector => "afterItemSelector",
            Self::AfterItemBatcher => "afterItemBatcher",
            Self::AfterParameters => "afterParameters",
            Self::AfterArguments => "afterArguments",
            Self::Result => "result",
            Self::AfterResultSelector => "afterResultSelector",
            Self::AfterResultPath => "afterResultPath",
            Self::Output => "output",
        }
    }
}
