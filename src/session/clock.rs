//! Virtual time that somebody else lets pass: the run rests before each deadline until the clock is allowed to reach it.

use crate::interpreter::Millis;

/// How far the clock may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clock {
    /// As far as it likes: deadlines pass at once.
    #[default]
    Free,
    /// Up to this time.
    Held {
        /// The time.
        until: Millis,
        /// The deadline that the run rests before.
        due: Option<Millis>,
    },
}

impl Clock {
    /// One that no deadline passes which is later than this.
    pub fn held_at(now: Millis) -> Self {
        Self::Held {
            until: now,
            due: None,
        }
    }

    /// Whether deadlines have to be let pass.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The deadline that the run rests before.
    pub fn due(self) -> Option<Millis> {
        match self {
            Self::Free => None,
            Self::Held { due, .. } => due,
        }
    }

    /// How far a step may let it go.
    pub fn horizon(self) -> Millis {
        match self {
            Self::Free => Millis::MAX,
            Self::Held { until, .. } => until,
        }
    }

    /// Lets it reach a time.
    pub fn let_pass(&mut self, to: Millis) {
        if let Self::Held { until, due } = self {
            *until = to.max(*until);
            if due.is_some_and(|due| due <= *until) {
                *due = None;
            }
        }
    }

    /// The run rests before a deadline, if it is the clock that keeps it; whether it does.
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
