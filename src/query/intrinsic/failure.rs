//! The reason why a function has no value.

/// The reason why a function has no value.
#[derive(Debug)]
pub(super) enum Failure {
    /// Wrong arguments of any kind, for which AWS has only one message.
    Arguments,
    /// A message specific to the function.
    Message(String),
}
