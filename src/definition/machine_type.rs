//! The types of state machines that AWS has.
//!
//! It must not know what a machine of a type may not hold; that is `check`.

/// The type of a state machine on AWS. No definition holds it: a template or an answer of AWS beside it says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineType {
    /// Runs for up to a year, each state once.
    #[default]
    Standard,
    /// Runs for up to five minutes, without jobs, callbacks and activities.
    Express,
}

impl MachineType {
    /// The longest execution of type EXPRESS, in seconds.
    pub const EXPRESS_SECONDS: u64 = 300;

    /// `STANDARD` or `EXPRESS`, as AWS writes them.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "STANDARD" => Some(Self::Standard),
            "EXPRESS" => Some(Self::Express),
            _ => None,
        }
    }
}
