//! Breakpoints, with conditions, hit counts and log messages.

use crate::definition::StatePath;
use crate::json::Text;
use std::fmt;

/// Id of a breakpoint; increases and is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// A breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// Location of the breakpoint.
    pub at: Location,
    /// Stops only if this condition is true: a path and a comparison, as typed.
    pub condition: Option<Text>,
    /// Stops only from this hit on; 0 and 1 mean every hit.
    pub hit_count: u64,
    /// Logs this message instead of stopping; `{expression}` is replaced by its value.
    pub log_message: Option<Text>,
    /// True if the breakpoint is removed after its first stop.
    pub once: bool,
}

impl Breakpoint {
    /// Creates a breakpoint without a condition.
    #[must_use]
    pub fn at(at: Location) -> Self {
        Self {
            at,
            condition: None,
            hit_count: 0,
            log_message: None,
            once: false,
        }
    }
}

/// A breakpoint on a line of a source whose location has not been resolved yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceBreakpoint {
    /// Line number, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1: selects the last location that begins at or before it. Without a column,
    /// the whole line is meant.
    pub column: Option<usize>,
    /// See [`Breakpoint::condition`].
    pub condition: Option<Text>,
    /// See [`Breakpoint::hit_count`].
    pub hit_count: u64,
    /// See [`Breakpoint::log_message`].
    pub log_message: Option<Text>,
    /// See [`Breakpoint::once`].
    pub once: bool,
}

impl SourceBreakpoint {
    /// Creates a breakpoint without a condition.
    #[must_use]
    pub fn on(line: usize) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    /// Converts to a breakpoint at the resolved location.
    #[must_use]
    pub fn breakpoint(self, at: Location) -> Breakpoint {
        Breakpoint {
            at,
            condition: self.condition,
            hit_count: self.hit_count,
            log_message: self.log_message,
            once: self.once,
        }
    }
}

/// A breakpoint on the entry of a state whose name has not been resolved yet (DAP: function breakpoint).
#[derive(Clone, Debug, PartialEq)]
pub struct StateBreakpoint {
    /// Name or path of the state.
    pub state: Text,
    /// See [`Breakpoint::condition`].
    pub condition: Option<Text>,
    /// See [`Breakpoint::hit_count`].
    pub hit_count: u64,
}

impl StateBreakpoint {
    /// Converts to a breakpoint at the resolved location.
    #[must_use]
    pub fn breakpoint(&self, at: Location) -> Breakpoint {
        Breakpoint {
            condition: self.condition.clone(),
            hit_count: self.hit_count,
            ..Breakpoint::at(at)
        }
    }
}

/// Stops on errors (DAP: exception filter).
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFilter {
    /// The moment at which to stop.
    pub moment: ErrorMoment,
    /// Only errors that match this name pattern; `*` matches any characters.
    pub pattern: Option<Text>,
    /// Only if this condition is true.
    pub condition: Option<Text>,
}

impl ErrorFilter {
    /// Converts to a breakpoint.
    #[must_use]
    pub fn breakpoint(self) -> Breakpoint {
        let pattern = self.pattern.unwrap_or_else(|| "*".into());
        Breakpoint {
            condition: self.condition,
            ..Breakpoint::at(Location::Error(self.moment, pattern))
        }
    }
}

/// Location of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// The entry of this state.
    State(StatePath),
    /// The moment when this part of the state takes effect.
    Part(StatePath, Part),
    /// The start of this item of a Map.
    Item(StatePath, u32),
    /// The moment when an error that matches this name pattern (`*` matches any characters) is raised, retried, caught
    /// or uncaught.
    Error(ErrorMoment, Text),
    /// A change of the value at this path.
    Data(Text),
}

/// The part of a state that a source line refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A field that produces a stage: `Parameters`, `ResultPath`, ...
    Field(Text),
    /// A retrier handles the error.
    Retrier(u32),
    /// A catcher handles the error.
    Catcher(u32),
    /// A Choice rule matches.
    Rule(u32),
    /// `Default` is followed.
    Default,
}

/// A moment in the handling of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorMoment {
    /// The error was raised in a state.
    Raised,
    /// A retrier handles the error.
    Retried,
    /// A catcher handles the error.
    Caught,
    /// Neither a retrier nor a catcher handles the error.
    Uncaught,
}

impl ErrorMoment {
    /// All moments.
    pub const ALL: [Self; 4] = [Self::Raised, Self::Retried, Self::Caught, Self::Uncaught];
}

impl fmt::Display for ErrorMoment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Raised => "raised",
            Self::Retried => "retried",
            Self::Caught => "caught",
            Self::Uncaught => "uncaught",
        })
    }
}
