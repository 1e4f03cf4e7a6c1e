//! A clock that is controlled from outside: the run waits before each deadline until the clock may advance to it.

use crate::interpreter::Millis;

/// How far the clock may advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clock {
    /// Without limit: deadlines pass at once.
    #[default]
    Free,
    /// Up to this time.
    Held {
        /// The time.
        until: Millis,
        /// The deadline that the run is waiting for.
        due: Option<Millis>,
    },
}

impl Clock {
    /// A clock that may not advance beyond this time.
    pub fn held_at(now: Millis) -> Self {
        Self::Held {
            until: now,
            due: None,
        }
    }

    /// True if the clock is controlled from outside.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The deadline that the run is waiting for.
    pub fn due(self) -> Option<Millis> {
        match self {
            Self::Free => None,
            Self::Held { due, .. } => due,
        }
    }

    /// The time up to which a step may advance.
    pub fn horizon(self) -> Millis {
        match self {
            Self::Free => Millis::MAX,
            Self::Held { until, .. } => until,
        }
    }

    /// Lets the clock advance to a time.
    pub fn let_pass(&mut self, to: Millis) {
        if let Self::Held { until, due } = self {
            *until = to.max(*until);
            if due.is_some_and(|due| due <= *until) {
                *due = None;
            }
        }
    }

    /// Makes the run wait for a deadline if the clock is controlled from outside; returns whether it waits.
    pub fn rest(&mut self, deadline: Millis) -> bool {
        match self {
            Self::Free => false,
            Self::Held { due, .. } => {
                *due = Some(deadline);
                true
            }
        }
    }
}
