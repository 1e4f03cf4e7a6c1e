//! The error handling of a state: its retriers and catchers.

use super::field_value::{Jsonata, ResultPath};
use super::target::Target;
use crate::json::Text;
use crate::query::Template;
use crate::source::Span;

/// A retrier: an element of `Retry`.
#[derive(Clone, Debug)]
pub struct Retrier {
    /// Span of the retrier.
    pub span: Span,
    /// `ErrorEquals`.
    pub error_equals: Vec<Text>,
    /// `IntervalSeconds`, default 1.
    pub interval_seconds: u64,
    /// `MaxAttempts`, default 3: maximum number of retries.
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
    /// Waits exactly the computed delay.
    #[default]
    None,
    /// Waits a random time up to the computed delay.
    Full,
}

/// A catcher: an element of `Catch`.
#[derive(Clone, Debug)]
pub struct Catcher {
    /// Span of the catcher.
    pub span: Span,
    /// `ErrorEquals`.
    pub error_equals: Vec<Text>,
    /// `Next`; `None` if the field is missing.
    pub next: Option<Target>,
    /// `ResultPath`.
    pub result_path: ResultPath,
    /// `Assign` in JSONPath mode.
    pub assign: Option<Template>,
    /// `Output` and `Assign` in JSONata mode.
    pub jsonata: Jsonata,
}
