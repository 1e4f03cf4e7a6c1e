//! JSONata expressions: how they are recognized, what they read, and the request and the result of an evaluation.

mod analysis;
mod binding;
mod composition;
mod condition;
mod constructed;
mod function;
mod lexer;
mod limit;
mod parser;
mod read;
mod template;
mod tree;

pub use analysis::{Analysis, Finding, Reads};
pub use composition::Made;
pub use condition::{Compared, NoCondition, counts_as_true};
pub use constructed::LeftOut;
pub use function::{ADDED, Count, FUNCTIONS, Parameter, Signature, is_function};
pub use limit::{
    AWS_DEPTH, AWS_LONGEST_RANGE, JsonataError, LONGEST, MEMORY, STACK, TIMEOUT, js_text,
    number_text, padding_error, range_error,
};
pub use template::{Template, TemplateProblem};
pub use tree::{Binding, Form, Node, Operator, Pair, Stage, Step, Tree};

use super::Profile;
use super::trace::Trace;
use crate::json::{Text, Value};
use std::fmt;
use std::sync::Arc;

/// The text between `{%` and `%}`, trimmed; `None` for a string that is not an expression.
#[must_use]
pub fn inner(text: &str) -> Option<&str> {
    if text.len() < 4 {
        return None;
    }
    Some(text.strip_prefix("{%")?.strip_suffix("%}")?.trim())
}

/// A parsed and analysed expression of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The expression without its delimiters, trimmed.
    pub text: Text,
    /// Location within the state in the form that AWS prints: `Output/total`, `Choices[1]/Condition`.
    pub location: Text,
    /// The syntax tree, or the error if the text does not parse.
    pub tree: Result<Arc<Tree>, JsonataError>,
    /// The values that the expression may read.
    pub reads: Reads,
    /// True if the expression may call a function that uses random numbers.
    pub draws: bool,
    /// An operator that AWS's version of JSONata does not have yet and therefore refuses.
    pub younger: Option<&'static str>,
}

impl Expression {
    /// Compiles an expression without delimiters.
    ///
    /// # Errors
    /// If the text does not parse.
    pub fn parse(text: &str, location: &str) -> Result<Self, JsonataError> {
        let expression = Self::new(text, location);
        match &expression.tree {
            Ok(_) => Ok(expression),
            Err(error) => Err(error.clone()),
        }
    }

    /// The parsed tree; `None` if the expression does not parse.
    #[must_use]
    pub fn parsed(&self) -> Option<&Tree> {
        self.tree.as_deref().ok()
    }

    /// Compiles the text between `{%` and `%}`. If the text does not parse, [`Self::tree`] contains the error.
    #[must_use]
    pub fn new(text: &str, location: &str) -> Self {
        let tree = Tree::parse(text).map(Arc::new);
        let analysis = tree.as_deref().map(Analysis::of).unwrap_or_default();
        let younger = analysis.findings.iter().find_map(|finding| match finding {
            Finding::Operator { name, .. } => Some(*name),
            _ => None,
        });
        let draws = tree.as_deref();
        let draws = draws.is_ok_and(|tree| tree.root().calls(&["random", "uuid", "shuffle"]));
        Self {
            text: text.into(),
            location: location.into(),
            tree,
            reads: analysis.reads,
            draws,
            younger,
        }
    }
}

/// A request to evaluate expressions together. Equal requests always have equal results.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The expressions, in order.
    pub expressions: Vec<Arc<Expression>>,
    /// The members of `$states` that the expressions read.
    pub states: Vec<(Text, Value)>,
    /// The variables that the expressions read.
    pub variables: Vec<(Text, Value)>,
    /// Time for `$now` and `$millis`, in milliseconds since 1970 (UTC).
    pub now: i64,
    /// Seed of `$random` and `$uuid`.
    pub seed: u64,
    /// True if the evaluation stops after the first expression that returns `true` or fails, which is how the rules of
    /// a Choice are evaluated.
    pub until_true: bool,
    /// The limits of steps and time for the evaluation.
    pub budget: Budget,
    /// Maximum size, in bytes, of each value that is passed to the evaluation and of each result. While expressions are
    /// evaluated, each new value may have at most half of this size, and all live values together at most one and a
    /// half times this size.
    pub largest: u64,
    /// The profile whose limits and operators apply.
    pub profile: Profile,
}

/// The limit of steps and time after which an expression is aborted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// For running a state: eight million steps per expression, and one minute. The time limit only aborts an
    /// evaluation that hangs.
    #[default]
    Run,
    /// For display while the user waits for the effect of a key: at most 250,000 steps and 40 milliseconds for all
    /// expressions together. Before each expression, the steps and time not used yet are divided equally among the
    /// remaining expressions.
    Glance,
}

/// Result of evaluating an expression.
pub type Evaluated = Result<Value, Failure>;

/// Result of an expression with a record of how it was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// The result.
    pub value: Evaluated,
    /// The record of the evaluation: how the result was computed.
    pub trace: Trace,
}

impl Traced {
    /// Returns the result of an expression that failed, with an empty record of its evaluation.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self {
            value: Err(failure),
            trace: Trace::default(),
        }
    }
}

/// The reason why an expression has no JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The result is undefined.
    Undefined,
    /// The result is a function or another value that JSON cannot represent.
    Unsupported,
    /// The expression raised an error, with the code and message of the JSONata engine.
    Thrown(Text),
    /// An operand of an arithmetic operator is not a number.
    Operand {
        /// The operator, such as `+`.
        operator: &'static str,
        /// True if the wrong operand is the left one, false if it is the right one.
        is_left: bool,
    },
    /// The evaluation exceeded a limit of depth or memory.
    Bound(Text),
    /// The JSONata engine failed, but the expression raised no error. The text describes the failure.
    Internal(Text),
    /// The evaluation was stopped because it took too much time or was cancelled.
    Overdue(Text),
}

impl Failure {
    /// The code and message of an error that the expression raised.
    #[must_use]
    pub fn thrown(&self) -> Option<Text> {
        match self {
            Self::Thrown(message) => Some(message.clone()),
            Self::Operand { operator, is_left } => {
                let (code, side) = match is_left {
                    true => ("T2001", "left"),
                    false => ("T2002", "right"),
                };
                let message = format!(
                    "{code}: The {side} side of the \"{operator}\" operator must evaluate to a number"
                );
                Some(message.into())
            }
            _ => None,
        }
    }

    /// True if the evaluation exceeded its limit of steps or time.
    #[must_use]
    pub fn is_of_time(&self) -> bool {
        match self {
            Self::Overdue(_) => true,
            Self::Bound(message) => **message == *TIMEOUT,
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined => out.write_str("returned nothing (undefined)."),
            Self::Unsupported => out.write_str("returned an unsupported result type."),
            Self::Thrown(_) | Self::Operand { .. } => {
                let message = self.thrown().unwrap_or_default();
                write!(out, "threw an error during evaluation. {message}")
            }
            Self::Internal(message) => {
                write!(out, "threw an internal error during evaluation. {message}")
            }
            // AWS prints a colon before a message that has no JSONata error code.
            Self::Bound(message) | Self::Overdue(message) => {
                write!(out, "threw an error during evaluation: {message}")
            }
        }
    }
}
