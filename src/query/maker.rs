//! What makes one place of a template's value: a literal, an expression, or several of them below it.
//!
//! It must not know the language of the template.

use crate::json::{Pointer, Step, Value};

/// What makes a place; `written` is the place in the template as written.
#[derive(Clone, Debug)]
pub enum Maker<'t, E> {
    /// It is written as it is.
    Literal {
        /// Where.
        written: Pointer,
    },
    /// An expression gives it, or what it is a part of.
    Expression {
        /// Where the expression stands.
        written: Pointer,
        /// The expression.
        expression: &'t E,
        /// The steps from the expression's value down to the place.
        rest: Vec<Step>,
    },
    /// It is an object or array with expressions in it.
    Fields {
        /// Where it stands.
        written: Pointer,
        /// Its expressions, in order, and the way down to what each makes.
        expressions: Vec<(Pointer, &'t E)>,
        /// How many literals stand beside them.
        literals: usize,
    },
    /// The template makes no such place.
    Nothing,
}

impl<E> Maker<'_, E> {
    /// Of a literal value.
    pub(super) fn literal(value: &Value, at: &[Step], written: Pointer) -> Self {
        if Pointer(at.to_vec()).get(value).is_none() {
            return Self::Nothing;
        }
        let written = Pointer(written.0.into_iter().chain(at.iter().cloned()).collect());
        Self::Literal { written }
    }
}
