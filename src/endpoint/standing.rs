//! The status of an execution or a Map Run.

/// The status of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    #[default]
    Running,
    Succeeded,
    Failed,
    TimedOut,
    Aborted,
}

impl Standing {
    /// AWS's name of the status.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
            Self::Aborted => "ABORTED",
        }
    }
}
