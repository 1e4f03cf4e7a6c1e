//! Functions as values, and the scopes (here called frames) with the names that functions can refer to.

use super::builtin::Builtin;
use super::datum::{Datum, Held, Letters};
use super::plan::{LambdaPlan, TransformPlan};
use super::regular::Regular;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// A callable value.
#[derive(Debug)]
pub(super) enum Function {
    /// A built-in function.
    Builtin(&'static Builtin),
    /// A function that the expression defines, with the scope and the input that it captured.
    Lambda {
        plan: Rc<LambdaPlan>,
        input: Datum,
        frame: Frame,
        _held: Held,
    },
    /// A function of which some arguments are already given.
    Partial {
        function: Rc<Function>,
        arguments: Vec<Option<Datum>>,
    },
    /// Two functions in sequence: the second one is called with the result of the first.
    Chain(Rc<Function>, Rc<Function>),
    /// A function that returns a copy of its argument in which parts are changed.
    Transform {
        plan: Rc<TransformPlan>,
        frame: Frame,
    },
    /// A regular expression as a function: called with a text, it returns the first match.
    Pattern(Rc<Regular>),
    /// A function without arguments that returns the next match of a regular expression in `text`. The search begins at
    /// the UTF-16 code unit `from`.
    Next {
        pattern: Rc<Regular>,
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

/// A scope: names with their values, and the enclosing scope. A clone is the same scope, not a copy.
#[derive(Clone, Debug)]
pub(super) struct Frame(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    bound: RefCell<Vec<(Letters, Datum)>>,
    around: Option<Frame>,
    /// Maximum nesting depth of the values in this scope and in the enclosing ones.
    depth: Cell<u32>,
    /// True if the scope contains a function. The function may refer back to the scope.
    circles: Cell<bool>,
    _held: Held,
}

/// The scopes that contain functions. If a function refers to the scope that contains it, this reference cycle would
/// never be freed; so these scopes are cleared at the end of the evaluation.
#[derive(Debug, Default)]
pub(super) struct Circles(Vec<Weak<Inner>>);

impl Frame {
    /// A new scope that no other scope encloses.
    pub(super) fn outermost() -> Self {
        Self::of(None, 0)
    }

    /// A new scope, which this one encloses.
    pub(super) fn inner(&self) -> Self {
        Self::of(Some(self.clone()), self.depth())
    }

    fn of(around: Option<Self>, depth: u32) -> Self {
        Self(Rc::new(Inner {
            bound: RefCell::new(Vec::new()),
            around,
            depth: Cell::new(depth.saturating_add(1)),
            circles: Cell::new(false),
            _held: Held::new(160),
        }))
    }

    /// Maximum nesting depth of the values in this scope and in the enclosing ones.
    pub(super) fn depth(&self) -> u32 {
        self.0.depth.get()
    }

    /// The value of a name in this scope or in the nearest enclosing one that has the name.
    pub(super) fn get(&self, name: &str) -> Option<Datum> {
        let mut frame = Some(self);
        while let Some(current) = frame {
            let bound = current.0.bound.borrow();
            if let Some((_, value)) = bound.iter().rev().find(|(key, _)| **key == *name) {
                return Some(value.clone());
            }
            frame = current.0.around.as_ref();
        }
        None
    }

    /// Binds a name to a value in this scope. If the value contains a function, adds the scope to `circles`.
    pub(super) fn bind(&self, name: &Letters, value: Datum, circles: &mut Circles) {
        let extent = value.extent();
        if extent.functions && !self.0.circles.replace(true) {
            circles.0.push(Rc::downgrade(&self.0));
        }
        let depth = self.0.depth.get().max(extent.depth.saturating_add(1));
        self.0.depth.set(depth);
        let mut bound = self.0.bound.borrow_mut();
        match bound.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => bound.push((name.clone(), value)),
        }
    }
}

impl Drop for Circles {
    fn drop(&mut self) {
        for frame in self.0.drain(..) {
            if let Some(frame) = frame.upgrade() {
                let bound = std::mem::take(&mut *frame.bound.borrow_mut());
                drop(bound);
            }
        }
    }
}
