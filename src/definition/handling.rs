//! What a state does about errors: its retriers and catchers.
//!
//! It must not know which errors there are, nor how a name is matched.

use super::field_value::{Jsonata, ResultPath};
use super::target::Target;
use crate::json::Text;
use crate::query::Template;
use crate::source::Span;

/// One element of `Retry`.
#[derive(Clone, Debug)]
pub struct Retrier {
    /// Where it stands.
    pub span: Span,
    /// `ErrorEquals`.
    pub error_equals: Vec<Text>,
    /// `IntervalSeconds`, default 1.
    pub interval_seconds: u64,
    /// `MaxAttempts`, default 3: how often the state is tried again.
    pub max_attempts: u64,
    /// `BackoffRate`, default 2.0.
    pub backoff_rate: f64,
    /// `MaxDelaySeconds`.
    pub max_delay_seconds: Option<u64>,
    /// `JitterStrategy`.
    pub jitter: Jitter,
}

/// `JitterStrategy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// Waits as computed.
    #[default]
    None,
    /// Waits a random part of it.
    Full,
}

/// One element of `Catch`.
#[derive(Clone, Debug)]
pub struct Catcher {
    /// Where it stands.
    pub span: Span,
    /// `ErrorEquals`.
    pub error_equals: Vec<Text>,
    /// `Next`; `None` where the field is missing.
    pub next: Option<Target>,
    /// `ResultPath`.
    pub result_path: ResultPath,
    /// `Assign` in JSONPath mode.
    pub assign: Option<Template>,
    /// `Output` and `Assign` in JSONata mode.
    pub jsonata: Jsonata,
}
