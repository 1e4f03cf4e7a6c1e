//! Status of a state.

/// Status of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StateStatus {
    /// The state has not been reached.
    #[default]
    NotReached,
    /// The state was entered and is in progress.
    Running,
    /// The state succeeded.
    Succeeded,
    /// The state has an error that has not been handled yet.
    ErrorRaised,
    /// A retry is scheduled or running.
    Retrying,
    /// The state was left by a catcher.
    Caught,
    /// The state's error ended its scope.
    Failed,
    /// The state is waiting for virtual time.
    Waiting,
    /// The state is waiting for an answer.
    Asking,
    /// The state was aborted because a sibling failed.
    Aborted,
    /// The execution timed out in the state.
    TimedOut,
}
