//! Why a function gives no value, and how much it may hold.
//!
//! It must not know which function it is.

/// Bytes of compact JSON that a function takes or gives, at most.
pub(super) const HELD: u64 = 64 << 20;

/// Why a function gives no value.
#[derive(Debug)]
pub(super) enum Failure {
    /// AWS's one sentence for every wrong argument.
    Arguments,
    /// Its own sentence.
    Message(String),
}
