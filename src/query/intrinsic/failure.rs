//! The reason why a function has no value, and the size limit of values.

/// Maximum size of an argument or a result, in bytes of compact JSON.
pub(super) const HELD: u64 = 64 << 20;

/// The reason why a function has no value.
#[derive(Debug)]
pub(super) enum Failure {
    /// Wrong arguments of any kind, for which AWS has only one message.
    Arguments,
    /// A message specific to the function.
    Message(String),
}
