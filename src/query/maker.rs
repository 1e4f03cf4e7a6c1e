//! Describes which part of a template produces a given place of its value: a literal, an expression, or several of
//! these.

use crate::json::{Pointer, Step, Value};

/// The origin of a place; `written` is the corresponding place in the template.
#[derive(Clone, Debug)]
pub enum Maker<'t, E> {
    /// A literal.
    Literal {
        /// Place of the literal.
        written: Pointer,
    },
    /// An expression, whose value is or contains the place.
    Expression {
        /// Place of the expression.
        written: Pointer,
        /// The expression.
        expression: &'t E,
        /// The steps from the expression's value to the place.
        rest: Vec<Step>,
    },
    /// An object or array that contains expressions.
    Fields {
        /// Place of the object or array.
        written: Pointer,
        /// The expressions in order, each with the steps from the object or array to its value.
        expressions: Vec<(Pointer, &'t E)>,
        /// Number of literals beside the expressions.
        literals: usize,
    },
    /// The template does not produce this place.
    Nothing,
}

impl<E> Maker<'_, E> {
    /// The origin of a place in a literal value.
    pub(super) fn literal(value: &Value, at: &[Step], written: Pointer) -> Self {
        if Pointer(at.to_vec()).get(value).is_none() {
            return Self::Nothing;
        }
        let written = Pointer(written.0.into_iter().chain(at.iter().cloned()).collect());
        Self::Literal { written }
    }
}
