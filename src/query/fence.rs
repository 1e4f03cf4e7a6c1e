//! Catches panics in third-party code and turns them into ordinary errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// True while this thread runs inside `fenced`. A panic will then be caught, so a panic hook should not report it.
#[must_use]
pub fn is_fenced() -> bool {
    DEPTH.get() > 0
}

/// Runs `work`; `None` if it panics. Values that `work` may have left half modified must not be used afterwards.
pub fn fenced<T>(work: impl FnOnce() -> T) -> Option<T> {
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
