//! JSONata as text: which strings are expressions, what they read, what an evaluation of them carries and gives.
//!
//! It must not know the engine that evaluates, nor which state asks.

mod analysis;
mod function;
mod literal;
mod template;
mod wording;

pub use analysis::{Analysis, Finding, JsonataError, analyse};
pub use function::FUNCTIONS;
pub use literal::paths;
pub use template::{Template, TemplateProblem};

use crate::json::{Text, Value};
use std::fmt;
use std::sync::Arc;

/// At most so many bytes of an expression are read.
pub const LONGEST: usize = 1 << 18;

/// What stands between `{%` and `%}`, trimmed; `None` for a string that is no expression.
#[must_use]
pub fn inner(text: &str) -> Option<&str> {
    if text.len() < 4 {
        return None;
    }
    Some(text.strip_prefix("{%")?.strip_suffix("%}")?.trim())
}

/// One expression of a field, compiled as far as text goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The expression without its delimiters, trimmed.
    pub text: Text,
    /// Its place in the state as AWS prints it: `Output/total`, `Choices[1]/Condition`.
    pub location: Text,
    /// What it may read.
    pub reads: Reads,
}

impl Expression {
    /// Compiles the text between the delimiters.
    ///
    /// # Errors
    /// Where it does not parse.
    pub fn parse(text: &str, location: &str) -> Result<Self, JsonataError> {
        let analysis = analyse(text)?;
        Ok(Self {
            text: text.into(),
            location: location.into(),
            reads: analysis.reads,
        })
    }
}

/// What an expression may read, so that only that is handed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reads {
    /// Names of variables that occur, `states` excepted.
    pub variables: Vec<Text>,
    /// Members of `$states` that are read by name.
    pub states: Vec<Text>,
    /// Whether `$states` is read as a whole.
    pub whole: bool,
}

impl Reads {
    /// Whether this member of `$states` may be read.
    #[must_use]
    pub fn reads(&self, member: &str) -> bool {
        self.whole || self.states.iter().any(|own| &**own == member)
    }
}

/// Expressions to be evaluated together: the same request has the same results.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The expressions in order.
    pub expressions: Vec<Arc<Expression>>,
    /// The members of `$states` that they read.
    pub states: Vec<(Text, Value)>,
    /// The variables that they read.
    pub variables: Vec<(Text, Value)>,
    /// Milliseconds since 1970, for `$now` and `$millis`.
    pub now: i64,
    /// For `$random` and `$uuid`.
    pub seed: u64,
    /// Whether to stop after the first expression that gives `true` or fails.
    pub until_true: bool,
    /// What each expression may take.
    pub budget: Budget,
}

/// What an expression may take before it is ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// What a state may take that is being run: about a second.
    #[default]
    Run,
    /// What may be taken to show something while a person waits for a key: some 50 milliseconds.
    Glance,
}

/// What an expression came to.
pub type Evaluated = Result<Value, Failure>;

/// Why an expression gave no JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// It selects nothing.
    Undefined,
    /// It gives a function or another thing that JSON does not have.
    Unsupported,
    /// It threw; the engine's code and message.
    Thrown(Text),
    /// It needs more than an evaluation may take: depth or memory.
    Bound(Text),
    /// The engine broke off without a reason of its own.
    Internal(Text),
    /// It was ended from outside: it took too long or too much memory.
    Overdue(Text),
}

impl Failure {
    /// AWS's text for an expression that failed in this way.
    #[must_use]
    pub fn reason(&self, expression: &Expression) -> String {
        format!(
            "The JSONata expression '{}' specified for the field '{}' {}",
            expression.text, expression.location, self
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined => out.write_str("returned nothing (undefined)."),
            Self::Unsupported => out.write_str("returned an unsupported result type."),
            Self::Thrown(message) => {
                write!(out, "threw an error during evaluation. {message}")
            }
            Self::Internal(message) => {
                write!(out, "threw an internal error during evaluation. {message}")
            }
            // AWS puts a colon where no code of JSONata follows.
            Self::Bound(message) | Self::Overdue(message) => {
                write!(out, "threw an error during evaluation: {message}")
            }
        }
    }
}

/// What is said where a value has a type that the field does not take.
#[must_use]
pub fn wrong_type(expression: &Expression, wanted: &str, value: &Value) -> String {
    // A number is no number where it has a fraction, or is too large for what it counts.
    let wanted = match (wanted, value) {
        ("number", Value::Number(_)) => "integer",
        _ => wanted,
    };
    format!(
        "The JSONata expression '{}' specified for the field '{}' returned an unexpected result type. Expected '{wanted}', but was '{}' for value: {}",
        expression.text,
        expression.location,
        value.type_name(),
        super::abridged(value, 10_000)
    )
}
