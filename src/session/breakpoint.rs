//! Places at which a run stops, with conditions, hit counts and log messages.

use crate::definition::StatePath;
use crate::json::Text;
use std::fmt;

/// A breakpoint's number; grows and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// What stops.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// Where.
    pub at: Location,
    /// Stops only where this holds: a path and a comparison, as typed.
    pub condition: Option<Text>,
    /// Stops only from this hit on; 0 and 1 mean every hit.
    pub hit_count: u64,
    /// Does not stop but notes this message, `{expression}` filled in.
    pub log_message: Option<Text>,
    /// Goes away after its first stop.
    pub once: bool,
}

impl Breakpoint {
    /// One without condition.
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

/// A breakpoint on a line of a source, the line not looked up yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceBreakpoint {
    /// From 1.
    pub line: usize,
    /// In characters, from 1: what stands at or before it in the line is meant. Without one the line as a whole is.
    pub column: Option<usize>,
    /// As [`Breakpoint::condition`].
    pub condition: Option<Text>,
    /// As [`Breakpoint::hit_count`].
    pub hit_count: u64,
    /// As [`Breakpoint::log_message`].
    pub log_message: Option<Text>,
    /// As [`Breakpoint::once`].
    pub once: bool,
}

impl SourceBreakpoint {
    /// One without condition.
    #[must_use]
    pub fn on(line: usize) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    /// The breakpoint at the place that its line means.
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

/// A breakpoint on the entry of a state, its name not looked up yet (DAP: function breakpoint).
#[derive(Clone, Debug, PartialEq)]
pub struct StateBreakpoint {
    /// Its name, or its path.
    pub state: Text,
    /// As [`Breakpoint::condition`].
    pub condition: Option<Text>,
    /// As [`Breakpoint::hit_count`].
    pub hit_count: u64,
}

impl StateBreakpoint {
    /// The breakpoint on the state that its name means.
    #[must_use]
    pub fn breakpoint(&self, at: Location) -> Breakpoint {
        Breakpoint {
            condition: self.condition.clone(),
            hit_count: self.hit_count,
            ..Breakpoint::at(at)
        }
    }
}

/// Errors that stop (DAP: exception filter).
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFilter {
    /// In which moment.
    pub moment: ErrorMoment,
    /// Only errors of this name pattern (`*` stands for anything).
    pub pattern: Option<Text>,
    /// Only where this holds.
    pub condition: Option<Text>,
}

impl ErrorFilter {
    /// The breakpoint that stops at them.
    #[must_use]
    pub fn breakpoint(self) -> Breakpoint {
        let pattern = self.pattern.unwrap_or_else(|| "*".into());
        Breakpoint {
            condition: self.condition,
            ..Breakpoint::at(Location::Error(self.moment, pattern))
        }
    }
}

/// Where a breakpoint stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// When the state is entered.
    State(StatePath),
    /// When this part of the state takes effect.
    Part(StatePath, Part),
    /// When an item of a Map begins.
    Item(StatePath, u32),
    /// When an error of this name pattern (`*` stands for anything) is raised, retried, caught or uncaught.
    Error(ErrorMoment, Text),
    /// When the value at a path changes.
    Data(Text),
}

/// The part of a state that a source line means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A field that makes a stage: `Parameters`, `ResultPath`, ...
    Field(Text),
    /// A retrier takes the error.
    Retrier(u32),
    /// A catcher takes the error.
    Catcher(u32),
    /// A Choice rule matches.
    Rule(u32),
    /// `Default` is taken.
    Default,
}

/// A moment in the life of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorMoment {
    /// It stands in a state.
    Raised,
    /// A retrier takes it.
    Retried,
    /// A catcher takes it.
    Caught,
    /// Nothing takes it.
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
