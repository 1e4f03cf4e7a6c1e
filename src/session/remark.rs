//! What a person should know of how questions came to their answers, besides the answers.

use super::no_answer::NoAnswer;
use super::no_items::NoItems;
use crate::interpreter::NoWait;
use crate::json::Text;

/// One thing worth a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The state (its path) is called with other data than before: its old answer is offered, not taken.
    OtherData(Text),
    /// The state (its path) is called with different data than in the recording: the recorded answer is not used.
    OtherThanRecorded(Text),
    /// A state is called with other data than before a reload, and the mock file answers it by the number of the call.
    MockedAlike {
        /// Its path.
        state: Text,
        /// The mocked response.
        response: Text,
        /// The number of the call, from 0.
        number: u64,
    },
    /// The ItemReader of the state (its path) has nothing to read, and no input to echo: it fails.
    NothingToEcho(Text),
    /// The state (its path) gives back its input, as the child execution that it starts came to no answer.
    EchoesInstead {
        /// The state.
        state: Text,
        /// Why the child came to none.
        why: NoAnswer,
    },
    /// A child execution that no task waits for failed.
    ChildFailed {
        /// Its machine's name.
        child: Text,
        /// Its error and cause.
        failure: Text,
    },
    /// The Wait (its path) does not wait.
    NoWait(Text, NoWait),
    /// The Map (its path) had no items, however often it ran.
    NoItems(Text, Box<NoItems>),
    /// A rule of the Choice, in this line, cannot match what it was given.
    Misfit {
        /// The Choice.
        state: Text,
        /// The line of the rule.
        line: Option<usize>,
        /// The comparison with both values, and why it cannot be true.
        text: String,
    },
    /// At a state, in this line, AWS does otherwise than the specification that the run follows: what AWS does.
    Differs {
        /// The state.
        state: Text,
        /// The line of its name.
        line: Option<usize>,
        /// What AWS does: `goes on`.
        aws: Text,
    },
    /// A child execution that no task waits for cannot go on.
    ChildAbandoned(NoAnswer),
}
