//! Summary of a finished run, as plain data for display: errors, waits, states that were not reached.

use super::no_items::NoItems;
use crate::definition::{StateId, Unit};
use crate::interpreter::{FrameId, Millis, NoWait};
use crate::json::Text;

/// Summary of a finished run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndView {
    /// Number of errors raised. An error that fails an item and is then caught by the Map counts only once.
    pub raised: u64,
    /// Number of retries.
    pub retried: u64,
    /// Number of retries that were waiting when the run ended.
    pub cut_short: u64,
    /// Number of errors caught.
    pub caught: u64,
    /// Number of failed items.
    pub items_failed: u64,
    /// If more items of a Map failed than the Map tolerates: the error of the item whose failure exceeded the limit.
    pub exceeded: Option<ErrorRow>,
    /// Number of failed items that their Map tolerated.
    pub tolerated: u64,
    /// Maps that continued because the user ignored their failures.
    pub run_on: Vec<RunOn>,
    /// Number of answers that the user typed.
    pub answers: usize,
    /// Number of values that the user edited.
    pub edits: usize,
    /// The first errors of the run. The error with which the run failed comes first, then the error that led to the
    /// Fail state, if there is one. The others are sorted by [`Became::rank`]: uncaught, tolerated, caught, retried
    /// errors.
    pub errors: Vec<ErrorRow>,
    /// Wait states that did not wait.
    pub no_waits: Vec<Remarked<NoWait>>,
    /// Maps that never had items.
    pub no_items: Vec<Remarked<NoItems>>,
    /// Choices with a rule that could not match the data. The text shows both compared values and says why they cannot
    /// match.
    pub misfits: Vec<Remarked<String>>,
    /// States at which AWS behaves differently from the specification, if the run follows the specification.
    pub differing: Vec<Remarked<()>>,
    /// States that were not reached (only some if there are many), sorted by [`KeptAway`] in the order of its variants.
    pub left_out: Vec<LeftOut>,
    /// Number of states that were not reached.
    pub not_reached: usize,
    /// The Choice that best explains why states were not reached: the last Choice that took a rule although a later
    /// rule matched as well. If there is no such Choice, the last Choice of the run, if it took its Default.
    pub by_default: Option<ByDefault>,
    /// Details if the run timed out.
    pub timeout: Option<TimeoutView>,
}

impl EndView {
    /// Outcomes of the errors with their counts: `1 retried`, `2 caught`.
    #[must_use]
    pub fn handled(&self) -> Vec<String> {
        let all = [
            (self.retried, "retried"),
            (self.cut_short, "cut short"),
            (self.caught, "caught"),
        ];
        let counted = all.into_iter().filter(|(count, _)| *count > 0);
        counted
            .map(|(count, outcome)| format!("{count} {outcome}"))
            .collect()
    }
}

/// An error of a finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorRow {
    /// Number of the event that raised the error.
    pub number: u64,
    /// Time of the event.
    pub time: Millis,
    /// The state that raised the error.
    pub state: Option<StateId>,
    /// Line of the state, or of the field that failed the run.
    pub line: Option<usize>,
    /// Readable name of the frame that raised the error; empty for the outermost frame.
    pub frame: String,
    /// The frame that had the error last: the frame that raised it, or, if the error then failed the Parallel or Map
    /// around that frame, the frame of this Parallel or Map.
    pub frame_id: FrameId,
    /// Name of the error.
    pub error: Text,
    /// Short cause of the error; empty if there is none.
    pub reason: String,
    /// Why a retrier did not retry the error: the retrier has no attempts left, or it names only a similar error.
    /// `None` if no retrier is the reason.
    pub no_retry: Option<String>,
    /// Outcome of the error.
    pub became: Became,
}

/// A remark on a state of a finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remarked<W> {
    /// Number of the first event that the remark is about. For a Map without items, this is the event that produced the
    /// Map's array.
    pub number: u64,
    /// The state.
    pub state: StateId,
    /// Line of the field or rule that the remark is about, or of the state.
    pub line: Option<usize>,
    /// The reason for the remark, as it was at the first event.
    pub why: W,
    /// Number of events that the remark is about.
    pub times: u64,
}

/// A state that was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The state.
    pub state: StateId,
    /// Line of the state's name.
    pub line: Option<usize>,
    /// The states that kept the run from reaching this state, with the lines of their names.
    pub by: Vec<(StateId, Option<usize>)>,
    /// The reason why the run did not reach this state, for example that a rule of a state in `by` led elsewhere.
    pub how: KeptAway,
}

/// A Choice that led the run away from states, so that these were not reached. The Choice took its Default, or took a
/// rule although a later rule matched as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByDefault {
    /// Number of the event at which the Choice chose.
    pub number: u64,
    /// The Choice.
    pub state: StateId,
    /// Line of the Choice's name.
    pub line: Option<usize>,
    /// The first state that was not reached because of this Choice.
    pub missed: StateId,
    /// Number of further states that were not reached because of this Choice.
    pub more: usize,
    /// Lines of the rule that was taken and of the later rule that matched as well; `None` if the Choice took its
    /// Default.
    pub rules: Option<[Option<usize>; 2]>,
}

/// The reason why a run did not reach a state after it had passed other states. If several variants apply, the first of
/// them is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptAway {
    /// A rule, Default or catcher of these states led to another state.
    Led,
    /// These states are Maps that had no items.
    Empty,
    /// Only catchers of these states lead to the unreached state, and these states raised no error.
    Unfailed,
    /// No state kept the run away: the run ended before it could reach the state.
    Ended,
}

/// The final outcome of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Became {
    /// The run ended before Retry and Catch could handle the error.
    Raised,
    /// The error was retried; the text names the retrier and the delay.
    Retried(String),
    /// The run ended while a retrier was waiting; the text names the retrier and how long it waited.
    CutShort(String),
    /// The error was caught; the text names the catcher and the next state.
    Caught(String),
    /// A catcher matched, but then raised an error itself; the text names that error.
    Overtaken(String),
    /// The error was not caught.
    Failed,
    /// The error failed an item, and the Map continued; the text gives the reason.
    Tolerated(String),
}

impl Became {
    /// Position in the list of errors: outcomes with lower numbers are more important and come first.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self {
            Self::Raised | Self::Failed => 0,
            Self::Tolerated(_) => 1,
            Self::Caught(_) | Self::Overtaken(_) => 2,
            Self::Retried(_) | Self::CutShort(_) => 3,
        }
    }
}

/// A Map that continued only because the user chose to ignore its failures. On AWS, the Map would have failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOn {
    /// Name of the Map.
    pub map: Text,
    /// The unit that the Map processes: an item or a batch.
    pub unit: Unit,
    /// Number of failed items or batches.
    pub failed: u32,
    /// Number of all items or batches.
    pub all: u32,
}

/// Details of a run that timed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeoutView {
    /// TimeoutSeconds of the state machine; `None` if the limit comes from the state machine's type (Standard or
    /// Express).
    pub seconds: Option<u64>,
    /// Line of TimeoutSeconds.
    pub line: Option<usize>,
    /// A text for each of the first waiting frames, with what the frame waited for.
    pub waiting: Vec<String>,
    /// Number of further waiting frames.
    pub others: usize,
    /// The states that took the most time.
    pub spent: Vec<SpentView>,
    /// A state that was waiting, and the name in its Catch that looks as if it catches the timeout but does not.
    pub not_caught: Option<(Text, Text)>,
}

/// Time that a run spent in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentView {
    /// The state.
    pub state: Text,
    /// Total time over all visits.
    pub time: Millis,
    /// Part of the time that was spent waiting for retries.
    pub between_tries: Millis,
}
