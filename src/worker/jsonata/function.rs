//! Functions as values.

use super::builtin::Builtin;
use super::datum::{Datum, Held, Letters};
use super::frame::Frame;
use super::pattern::Pattern;
use super::plan::{LambdaPlan, TransformPlan};
use std::rc::Rc;

/// A callable value.
#[derive(Debug)]
pub(super) enum Function {
    /// A built-in function.
    Builtin(&'static Builtin),
    /// A function that the expression defines, with its closure.
    Lambda {
        plan: Rc<LambdaPlan>,
        input: Datum,
        frame: Frame,
        _held: Held,
    },
    /// A function with some of its arguments bound.
    Partial {
        function: Rc<Function>,
        arguments: Vec<Option<Datum>>,
    },
    /// A composition: the second function is applied to the result of the first.
    Chain(Rc<Function>, Rc<Function>),
    /// A transform: returns a copy of its argument with parts changed.
    Transform {
        plan: Rc<TransformPlan>,
        frame: Frame,
    },
    /// A regular expression: called with a text, it returns the first match.
    Pattern(Rc<Pattern>),
    /// Returns the next match, searching from a UTF-16 code unit on.
    Next {
        pattern: Rc<Pattern>,
        text: Letters,
        from: usize,
    },
}

impl Function {
    /// Number of arguments that the function accepts.
    pub(super) fn arity(&self) -> usize {
        match self {
            Self::Builtin(builtin) => builtin.arity,
            Self::Lambda { plan, .. } => plan.parameters.len(),
            Self::Partial { arguments, .. } => {
                arguments.iter().filter(|given| given.is_none()).count()
            }
            Self::Chain(..) | Self::Transform { .. } => 1,
            Self::Pattern(_) => 2,
            Self::Next { .. } => 0,
        }
    }

    /// Nesting depth of the values that the function captures.
    pub(super) fn depth(&self) -> u32 {
        let inner = match self {
            Self::Lambda { frame, input, .. } => frame.depth().max(input.extent().depth),
            Self::Transform { frame, .. } => frame.depth(),
            Self::Partial {
                function,
                arguments,
            } => {
                let given = arguments.iter().flatten();
                let deepest = given.map(|given| given.extent().depth).max();
                function.depth().max(deepest.unwrap_or(0))
            }
            Self::Chain(first, second) => first.depth().max(second.depth()),
            Self::Builtin(_) | Self::Pattern(_) | Self::Next { .. } => 0,
        };
        inner.saturating_add(1)
    }
}
