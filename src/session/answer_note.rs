//! Remarks for the user on how requests were answered.

use super::no_answer::NoAnswer;
use super::no_items::NoItems;
use crate::interpreter::NoWait;
use crate::json::Text;

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The state with this path is called with a different input than before: its old answer is offered, but not used.
    OtherData(Text),
    /// The state with this path is called with a different input than in the recording: the recorded answer is not
    /// used.
    OtherThanRecorded(Text),
    /// A state is called with a different input than before a reload, and the mock file answers by call number.
    MockedAlike {
        /// Path of the state.
        state: Text,
        /// The mocked response.
        response: Text,
        /// Number of the call, starting at 0.
        number: u64,
    },
    /// The ItemReader of the state with this path has nothing to read and no input to echo, so it fails.
    NothingToEcho(Text),
    /// A state returns its input, because the child execution that it starts has no result.
    EchoesInstead {
        /// Path of the state.
        state: Text,
        /// Why the child execution has no result.
        why: NoAnswer,
    },
    /// A child execution that no task waits for failed.
    ChildFailed {
        /// Name of the child's state machine.
        child: Text,
        /// Error and cause of the failure.
        failure: Text,
    },
    /// The Wait with this path does not wait.
    NoWait(Text, NoWait),
    /// The Map with this path never had items.
    NoItems(Text, Box<NoItems>),
    /// A rule of a Choice cannot match the data.
    Misfit {
        /// The Choice.
        state: Text,
        /// The line of the rule.
        line: Option<usize>,
        /// The comparison with both values, and why it cannot be true.
        text: String,
    },
    /// AWS behaves differently at a state from the specification that the run follows.
    Differs {
        /// The state.
        state: Text,
        /// Line of the state's name.
        line: Option<usize>,
        /// AWS's behaviour: `goes on`.
        aws: Text,
    },
    /// A child execution that no task waits for cannot continue.
    ChildAbandoned(NoAnswer),
}
