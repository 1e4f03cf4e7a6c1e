//! Settings for compiling a DSL text.

/// Maximum nesting depth of blocks and values.
pub const MAX_NESTING: usize = 224;

/// Region and account for completing the names of Lambda functions and activities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DslEnvironment {
    /// AWS region; if unset, names contain an empty region.
    pub region: Option<String>,
    /// AWS account; if unset, names contain an empty account.
    pub account: Option<String>,
}
