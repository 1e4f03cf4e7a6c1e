//! The values that a state produces. The stages are the state's data from input to output. A step describes how one
//! value is produced: by which field, and from which document. The *work* of a state is its task, its branches or its
//! items.

use super::field_at::FieldAt;
use crate::source::Span;

/// A stage of a state's data between input and output, named as in AWS's TestState.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// The raw input of the state.
    Input,
    /// The data after `InputPath` is applied.
    AfterInputPath,
    /// After the Parameters or Arguments of an `ItemReader`: the request for the items (Map).
    AfterItemReader,
    /// The items of a Map, from `ItemsPath`, `Items` or an `ItemReader`.
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
    /// The raw input after `ResultPath` has inserted the result.
    AfterResultPath,
    /// After `OutputPath`: the effective output.
    Output,
}

/// A group of stages that follow each other in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageGroup {
    /// The raw input.
    Input,
    /// The effective input, on which the state's work (its task, branches or items) is based.
    Effective,
    /// The items of a Map and the values computed from them.
    Item,
    /// The raw result and the effective result.
    Result,
    /// The values computed after the result, which lead to the output for the next state.
    Output,
}

impl Stage {
    /// The group of stages to which this stage belongs.
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

    /// The name of the stage in the form `afterInputPath`.
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

/// Describes a value that a state produces: its field, how it is made and from which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageStep {
    /// The kind of value: a stage, variables, a test result or another value.
    pub makes: Makes,
    /// The field that produces the value, or that would produce the value if the definition had the field.
    pub field: FieldAt,
    /// Span of the field's value; `None` if the field is missing.
    pub written: Option<Span>,
    /// The operation that makes the value.
    pub make: Make,
    /// The document that `$` refers to in the field; in JSONata, the document that `$states.input` refers to.
    pub dollar: Source,
    pub(super) replaced: [Option<Source>; 2],
    /// The document that becomes the value, unchanged, if the field is missing. `None` if there is no value without the
    /// field, or if the state's task, branches or items make the value.
    pub otherwise: Option<Source>,
}

/// The kind of value that a step produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// A stage of the data, such as the effective input.
    Stage(Stage),
    /// The variables that an Assign sets.
    Assign,
    /// The result of testing a Choice rule.
    Test,
    /// A value that only the state itself uses, such as a timeout, the time at which a Wait ends, the error of a Fail,
    /// or credentials.
    Work,
}

/// The operation that makes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// A path selects the value.
    Path,
    /// A payload template is evaluated.
    Template,
    /// JSONata expressions are evaluated.
    Jsonata,
    /// The value is a literal in the definition.
    Literal,
    /// A value is inserted into a document at a path.
    Insert,
    /// The value is the result of a task.
    Call,
    /// The value is read from a file.
    Read,
    /// Results are written to files, and the value describes these files.
    Write,
    /// The value is collected from the results of branches or items.
    Collect,
    /// Items are grouped into batches.
    Batch,
    /// A rule compares values.
    Compare,
}

/// A document: a value that a field reads or replaces, such as the state's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The value of a stage of the same state.
    Stage(Stage),
    /// The error that a catcher handles, as `{Error, Cause}`.
    Error,
    /// The item from which an ItemSelector creates an input.
    Item,
    /// The content of a file, or the response of a service.
    Answer,
    /// The value that the variable had before it is assigned.
    Variable,
}

impl StageStep {
    /// The stage that the step produces; `None` if its value is not a stage.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        match self.makes {
            Makes::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// The stage that `$` refers to in the step's field; `None` if `$` refers to another document.
    #[must_use]
    pub fn reads(&self) -> Option<Stage> {
        match self.dollar {
            Source::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// The documents that the step's value replaces. Their data is lost at this step, unless the value contains the
    /// data.
    pub fn replaces(&self) -> impl Iterator<Item = Source> + use<> {
        self.replaced.into_iter().flatten()
    }
}

/// The steps of a state, with an index by stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// The steps in the order of the pipeline, followed by the steps of rules and catchers.
    rows: Vec<StageStep>,
    /// For each stage, the index in `rows` of the step that produces the stage if the state exits normally.
    usual: [Option<u8>; Stage::ALL.len()],
    /// For each stage, the next stage that this state has.
    next: [Option<Stage>; Stage::ALL.len()],
}

impl Steps {
    pub(super) fn new(rows: Vec<StageStep>) -> Self {
        let mut usual = [None; Stage::ALL.len()];
        for (row, step) in (0..=u8::MAX).zip(&rows) {
            let stage = step.stage().filter(|_| step.field.is_of_state());
            if let Some(slot) = stage.and_then(|stage| usual.get_mut(stage as usize)) {
                *slot = Some(row);
            }
        }
        let mut next = [None; Stage::ALL.len()];
        let mut later = None;
        let stages = Stage::ALL.into_iter().zip(&usual).zip(&mut next);
        for ((stage, row), next) in stages.rev() {
            *next = later;
            later = row.map(|_| stage).or(later);
        }
        Self { rows, usual, next }
    }

    /// Iterates over the steps in the order of the pipeline; the steps of rules and catchers come last.
    pub fn iter(&self) -> std::slice::Iter<'_, StageStep> {
        self.rows.iter()
    }

    /// The step that produces a stage if the state exits normally.
    pub(super) fn usual(&self, stage: Stage) -> Option<&StageStep> {
        let row = *self.usual.get(stage as usize)?;
        self.rows.get(usize::from(row?))
    }

    /// The next stage after `stage` that this state has.
    pub(super) fn next(&self, stage: Stage) -> Option<Stage> {
        *self.next.get(stage as usize)?
    }
}
