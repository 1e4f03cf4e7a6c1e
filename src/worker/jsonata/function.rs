//! Functions as values.
//!
//! It must not know how they are called.

use super::builtin::Builtin;
use super::datum::{Datum, Held, Letters};
use super::frame::Frame;
use super::pattern::Pattern;
use super::plan::{LambdaPlan, TransformPlan};
use std::rc::Rc;

/// What can be called.
#[derive(Debug)]
pub(super) enum Function {
    /// One that the language has.
    Builtin(&'static Builtin),
    /// One that the expression defines, with what stood around it.
    Lambda {
        plan: Rc<LambdaPlan>,
        input: Datum,
        frame: Frame,
        _held: Held,
    },
    /// One with some of its arguments given.
    Partial {
        function: Rc<Function>,
        arguments: Vec<Option<Datum>>,
    },
    /// The second of what the first gives.
    Chain(Rc<Function>, Rc<Function>),
    /// A copy of its argument with parts changed.
    Transform {
        plan: Rc<TransformPlan>,
        frame: Frame,
    },
    /// A regular expression: called with text, it gives the first match.
    Pattern(Rc<Pattern>),
    /// The matches after one, from that unit on.
    Next {
        pattern: Rc<Pattern>,
        text: Letters,
        from: usize,
    },
}

impl Function {
    /// How many arguments it looks at.
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

    /// How deep what it holds is nested.
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
