//! What a DSL text is compiled with.

/// Deepest nesting of blocks and values that is accepted.
pub const MAX_NESTING: usize = 224;

/// Completes the names of Lambda functions and activities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DslEnvironment {
    /// AWS region; empty in the names if unset.
    pub region: Option<String>,
    /// AWS account; empty in the names if unset.
    pub account: Option<String>,
}
