//! The status of a state, as an execution left it.

/// How a state stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StateStatus {
    /// Not reached.
    #[default]
    NotReached,
    /// Entered, being worked on.
    Running,
    /// Left well.
    Succeeded,
    /// An error stands in it, not yet handled.
    ErrorRaised,
    /// A retry is scheduled or running.
    Retrying,
    /// Left by a catcher.
    Caught,
    /// Its error ended its scope.
    Failed,
    /// Waits for virtual time.
    Waiting,
    /// Waits for an answer.
    Asking,
    /// Stopped because a sibling failed.
    Aborted,
    /// The machine's time ran out while it was in it.
    TimedOut,
}
