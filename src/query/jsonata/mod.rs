//! JSONata as text: which strings are expressions, what they read, and the request and result of an evaluation.
//!
//! It must not know the engine that evaluates, nor which state requests it.

mod analysis;
mod bare;
mod binding;
mod comparison;
mod constructed;
mod depth;
mod error;
mod function;
mod joined;
mod lexer;
mod limit;
mod literal;
mod made;
mod number;
mod operand;
mod parser;
mod read;
mod sequence;
mod signature;
mod template;
mod tree;

pub use analysis::{Analysis, Finding, Reads, analyse, free_names, variables};
pub use bare::needs;
pub use comparison::{Compared, counts_as_true};
pub use constructed::{LeftOut, left_out};
pub use depth::LONGEST;
pub use error::JsonataError;
pub use function::{ADDED, FUNCTIONS, is_function};
pub use joined::{NoCondition, joins_values, no_conditions, reads_number, taken_for_number};
pub use limit::{AWS_DEPTH, AWS_LONGEST_RANGE, MEMORY, STACK, TIMEOUT, padding_error, range_error};
pub use literal::{asked, drawn, paths, unrepeatable};
pub use made::{Made, made};
pub use number::{js_text, number_text};
pub use read::{ReadPath, ReadStep, item_asked, read_paths};
pub use signature::{Count, Parameter, Signature};
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

/// One expression of a field, parsed and analysed.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The expression without its delimiters, trimmed.
    pub text: Text,
    /// Its location within the state as AWS prints it: `Output/total`, `Choices[1]/Condition`.
    pub location: Text,
    /// Its tree, or why it does not parse.
    pub tree: Result<Arc<Tree>, JsonataError>,
    /// What it may read.
    pub reads: Reads,
    /// Whether it may draw random numbers.
    pub draws: bool,
    /// An operator in it that is younger than the JSONata of AWS, which refuses it.
    pub younger: Option<&'static str>,
}

impl Expression {
    /// Compiles the text between the delimiters.
    ///
    /// # Errors
    /// If it does not parse.
    pub fn parse(text: &str, location: &str) -> Result<Self, JsonataError> {
        let expression = Self::new(text, location);
        match &expression.tree {
            Ok(_) => Ok(expression),
            Err(error) => Err(error.clone()),
        }
    }

    /// The text between the delimiters, whether it parses or not.
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

/// Expressions to be evaluated together; the same request always has the same results.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The expressions, in order.
    pub expressions: Vec<Arc<Expression>>,
    /// The members of `$states` that they read.
    pub states: Vec<(Text, Value)>,
    /// The variables that they read.
    pub variables: Vec<(Text, Value)>,
    /// Time for `$now` and `$millis`, in milliseconds since 1970 (UTC).
    pub now: i64,
    /// Seed of `$random` and `$uuid`.
    pub seed: u64,
    /// Whether to stop after the first expression that gives `true` or fails.
    pub until_true: bool,
    /// Resource limits.
    pub budget: Budget,
    /// Whose bounds and operators hold.
    pub profile: Profile,
}

/// How much time an expression may use before it is ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// For a state being run: eight million steps for each expression, and a minute, which ends only what hangs.
    #[default]
    Run,
    /// For what is shown while a person waits for a key: 250,000 steps and 40 milliseconds for all expressions together.
    /// Each may take its share of what is left, so that one that needs little leaves more to those after it.
    Glance,
}

/// Result of an expression.
pub type Evaluated = Result<Value, Failure>;

/// Result of an expression, and how it was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// The result.
    pub value: Evaluated,
    /// How it was evaluated.
    pub trace: Trace,
}

impl Traced {
    /// An expression of whose evaluation nothing is known.
    #[must_use]
    pub fn failed(failure: Failure) -> Self {
        Self {
            value: Err(failure),
            trace: Trace::default(),
        }
    }
}

/// Why an expression gave no JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The result is undefined.
    Undefined,
    /// The result is a function or another value that JSON cannot represent.
    Unsupported,
    /// It raised an error; the engine's code and message.
    Thrown(Text),
    /// An operand of an arithmetic operator is no number.
    Operand {
        /// The operator: `+`.
        operator: &'static str,
        /// True for the operand before the operator.
        is_left: bool,
    },
    /// It exceeds a limit of an evaluation: depth or memory.
    Bound(Text),
    /// The engine failed without a reason.
    Internal(Text),
    /// It was ended from outside, because it took too much time or memory.
    Overdue(Text),
}

impl Failure {
    /// The code and the message of an error that the expression raised.
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

    /// Whether it took more steps or time than it had.
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
            // AWS puts a colon where no JSONata code follows.
            Self::Bound(message) | Self::Overdue(message) => {
                write!(out, "threw an error during evaluation: {message}")
            }
        }
    }
}
