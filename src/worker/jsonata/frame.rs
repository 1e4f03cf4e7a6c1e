//! Frames: nested scopes that bind names to values.

use super::datum::{Datum, Held, Letters};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// A shared frame.
#[derive(Clone, Debug)]
pub(super) struct Frame(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    bound: RefCell<Vec<(Letters, Datum)>>,
    around: Option<Frame>,
    /// Maximum nesting depth of the values in this frame and in the enclosing ones.
    depth: Cell<u32>,
    /// True if the frame contains a function, which may refer to the frame in turn.
    circles: Cell<bool>,
    _held: Held,
}

/// Frames that contain functions. They are cleared when the evaluation ends; otherwise reference cycles would keep
/// them.
#[derive(Debug, Default)]
pub(super) struct Circles(Vec<Weak<Inner>>);

impl Frame {
    /// The outermost frame.
    pub(super) fn outermost() -> Self {
        Self::of(None, 0)
    }

    /// A new frame nested in this one.
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

    /// Maximum nesting depth of the values in the frame.
    pub(super) fn depth(&self) -> u32 {
        self.0.depth.get()
    }

    /// The value that a name is bound to.
    pub(super) fn get(&self, name: &str) -> Option<Datum> {
        let mut frame = Some(self);
        while let Some(here) = frame {
            let bound = here.0.bound.borrow();
            if let Some((_, value)) = bound.iter().rev().find(|(own, _)| **own == *name) {
                return Some(value.clone());
            }
            frame = here.0.around.as_ref();
        }
        None
    }

    /// Binds a name to a value in this frame.
    pub(super) fn bind(&self, name: &Letters, value: Datum, circles: &mut Circles) {
        let extent = value.extent();
        if extent.functions && !self.0.circles.replace(true) {
            circles.0.push(Rc::downgrade(&self.0));
        }
        let depth = self.0.depth.get().max(extent.depth.saturating_add(1));
        self.0.depth.set(depth);
        let mut bound = self.0.bound.borrow_mut();
        match bound.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = value,
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
