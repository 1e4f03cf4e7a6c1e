//! A step of a state: a value that it makes, by which field, of which document.

use super::field_at::FieldAt;
use super::stage::Stage;
use crate::source::Span;

/// A value that a state makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageStep {
    /// What the value is.
    pub makes: Makes,
    /// The field that makes it, or that would if it were written.
    pub field: FieldAt,
    /// Where the value of that field is written; `None` where it is not.
    pub written: Option<Span>,
    /// How the value is made.
    pub make: Make,
    /// What `$` is in the field; in JSONata what `$states.input` is.
    pub dollar: Source,
    pub(super) replaced: [Option<Source>; 2],
    /// The document that takes the place of the value as it is where the field is not written; `None` where there is
    /// then no value, or one that is made of no document.
    pub otherwise: Option<Source>,
}

/// What the value of a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// A stage of the data.
    Stage(Stage),
    /// Variables.
    Assign,
    /// Whether a rule of a Choice holds.
    Test,
    /// A value for the work alone: a number, a time, the text of an error, what goes with a request.
    Work,
}

/// How a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// A path selects it.
    Path,
    /// A payload template is filled in.
    Template,
    /// Expressions in JSONata are evaluated.
    Jsonata,
    /// It is written in the definition.
    Literal,
    /// A value is put into a document at a path.
    Insert,
    /// A task answers with it.
    Call,
    /// It is read from a file.
    Read,
    /// It is what became of results that were written to files.
    Write,
    /// It is the results of branches or items.
    Collect,
    /// Items are put into batches.
    Batch,
    /// A rule compares values.
    Compare,
}

/// A document of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The value of a stage.
    Stage(Stage),
    /// The error that a catcher takes, as `{Error, Cause}`.
    Error,
    /// The item that an ItemSelector makes an input of.
    Item,
    /// What a file or a service answered.
    Answer,
    /// The value that the variable had before.
    Variable,
}

impl StageStep {
    /// The stage that it makes.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        match self.makes {
            Makes::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// The stage that `$` is in its field.
    #[must_use]
    pub fn reads(&self) -> Option<Stage> {
        match self.dollar {
            Source::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// The documents whose place the value takes: what it does not hand on of them is dropped by it.
    pub fn replaces(&self) -> impl Iterator<Item = Source> + use<> {
        self.replaced.into_iter().flatten()
    }
}

/// The steps of a state, and where those of its stages are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// In the order of the pipeline; those of rules and catchers come last.
    rows: Vec<StageStep>,
    /// For each stage, the row that makes it where the state is left in its usual way.
    usual: [Option<u8>; Stage::ALL.len()],
    /// For each stage, the next one of the state.
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

    /// In the order of the pipeline; those of rules and catchers come last.
    pub fn iter(&self) -> std::slice::Iter<'_, StageStep> {
        self.rows.iter()
    }

    /// The step that makes a stage where the state is left in its usual way.
    pub(super) fn usual(&self, stage: Stage) -> Option<&StageStep> {
        let row = *self.usual.get(stage as usize)?;
        self.rows.get(usize::from(row?))
    }

    /// The stage after this one.
    pub(super) fn next(&self, stage: Stage) -> Option<Stage> {
        *self.next.get(stage as usize)?
    }
}
