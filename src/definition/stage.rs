//! The stages of a state's data, from input to output. The *work* of a state is its task, its branches or its items.

/// The values that a state's pipeline produces, named as TestState names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// The raw input.
    Input,
    /// After `InputPath`.
    AfterInputPath,
    /// After the Parameters or Arguments of an `ItemReader`: the request for the items (Map).
    AfterItemReader,
    /// After `ItemsPath` (Map).
    AfterItemsPath,
    /// After `BatchInput`: the data that is added to every batch (Map).
    AfterBatchInput,
    /// After `ItemSelector`: the input of the next item; with batches, the inputs of all items (Map).
    AfterItemSelector,
    /// After `ItemBatcher`: the batches (Map).
    AfterItemBatcher,
    /// After `Parameters`: the effective input.
    AfterParameters,
    /// After `Arguments`: the effective input in JSONata mode.
    AfterArguments,
    /// The raw result of the state's work.
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
    /// The effective input, on which the state's work is based.
    Effective,
    /// The items of a Map and the values computed from them.
    Item,
    /// The raw result and the effective result.
    Result,
    /// The values passed on to the next state.
    Output,
}

impl Stage {
    /// The part of the pipeline that the stage belongs to.
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

    /// The name in the form `afterInputPath`.
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
