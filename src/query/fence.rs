//! A fence around other people's code that may panic: the panic ends here and is an answer like any other.
//!
//! It must not know what runs inside it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread runs inside a fence, so that a panic now is caught: a panic hook has nothing to do then.
#[must_use]
pub fn is_fenced() -> bool {
    DEPTH.get() > 0
}

/// Does `work`; `None` where it panics. What it leaves half done must not be looked at again.
pub(super) fn fenced<T>(work: impl FnOnce() -> T) -> Option<T> {
    DEPTH.set(DEPTH.get().saturating_add(1));
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get().saturating_sub(1));
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_is_told_from_one_outside() {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| assert!(is_fenced())));
        assert_eq!(fenced(|| fenced(|| 1)), Some(Some(1)));
        assert!(!is_fenced());
        assert_eq!(fenced(|| panic!("inside")), None::<()>);
        assert!(!is_fenced());
        std::panic::set_hook(before);
    }
}
