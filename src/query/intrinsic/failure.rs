//! Why a function gives no value, and the size limit of its values.
//!
//! It must not know which function it is.

/// Largest argument or result of a function, in bytes of compact JSON.
pub(super) const HELD: u64 = 64 << 20;

/// Why a function gives no value.
#[derive(Debug)]
pub(super) enum Failure {
    /// AWS's single message for all wrong arguments.
    Arguments,
    /// A message of the function's own.
    Message(String),
}
