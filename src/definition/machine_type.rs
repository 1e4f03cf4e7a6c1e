//! The types of state machines on AWS.

/// The type of a state machine on AWS. It is not part of the definition; a template or a response of AWS contains it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineType {
    /// Runs for up to a year and executes each state exactly once.
    #[default]
    Standard,
    /// Runs for up to five minutes, without jobs, callbacks or activities.
    Express,
}

impl MachineType {
    /// Maximum duration of an EXPRESS execution, in seconds.
    pub const EXPRESS_SECONDS: u64 = 300;

    /// Parses AWS's name of the type: `STANDARD` or `EXPRESS`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "STANDARD" => Some(Self::Standard),
            "EXPRESS" => Some(Self::Express),
            _ => None,
        }
    }
}
