//! Breakpoints with conditions, hit counts and log messages, and the search for the location at which a breakpoint on a
//! source line stops.

use crate::definition::field::{Effect, FieldSpec};
use crate::definition::{
    Definition, Make, Makes, Owner, QueryLanguage, Stage, State, StateId, StateKind, StatePath,
};
use crate::json::Text;
use crate::source::{SourceId, Span};
use std::fmt;

/// Id of a breakpoint; increases and is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// A breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint<At = Location> {
    /// Where the breakpoint stops the run.
    pub at: At,
    /// Condition as typed, such as a path and a comparison; the breakpoint stops only if the condition is true.
    pub condition: Option<Text>,
    /// Number of the first hit that may stop the run; 0 and 1 mean that every hit may.
    pub hit_count: u64,
    /// Message to log instead of stopping; `{expression}` is replaced by the expression's value.
    pub log_message: Option<Text>,
    /// True if the breakpoint is removed after its first stop.
    pub once: bool,
}

impl<At> Breakpoint<At> {
    /// Creates a breakpoint that stops at every hit: without a condition, a hit count and a message.
    #[must_use]
    pub fn at(at: At) -> Self {
        Self {
            at,
            condition: None,
            hit_count: 0,
            log_message: None,
            once: false,
        }
    }

    /// This breakpoint with another location.
    #[must_use]
    pub fn moved_to<To>(self, at: To) -> Breakpoint<To> {
        Breakpoint {
            at,
            condition: self.condition,
            hit_count: self.hit_count,
            log_message: self.log_message,
            once: self.once,
        }
    }
}

/// A line of a source and optionally a column in characters, both starting at 1. If a run can stop at several locations
/// on the line, the column selects the last location that begins at or before the column. Without a column, the whole
/// line is meant.
pub type LineAndColumn = (usize, Option<usize>);

/// A breakpoint that was requested on a source line, before the line is resolved to a location of the definition.
pub type SourceBreakpoint = Breakpoint<LineAndColumn>;

/// A breakpoint that stops the run when it enters a state. The state is given by its name or path, before it is looked
/// up in the definition (DAP: function breakpoint).
pub type StateBreakpoint = Breakpoint<Text>;

/// A breakpoint on a moment in the handling of errors, for all errors or only for those whose name matches a pattern;
/// `*` matches any characters (DAP: exception filter).
pub type ErrorFilter = Breakpoint<(ErrorMoment, Option<Text>)>;

/// Where a breakpoint stops the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// The moment when the run enters this state.
    State(StatePath),
    /// The moment when this part of the state, such as a field or a retrier, takes effect.
    Part(StatePath, Part),
    /// The start of this item of a Map.
    Item(StatePath, u32),
    /// The moment when an error that matches this name pattern (`*` matches any characters) is raised, retried, caught
    /// or uncaught.
    Error(ErrorMoment, Text),
    /// A change of the value that this path has in the focus frame.
    Data(Text),
}

/// The part of a state that a source line refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A field that produces a stage, such as `Parameters` or `ResultPath`.
    Field(Text),
    /// The retrier with this index, when it handles an error.
    Retrier(u32),
    /// The catcher with this index, when it handles an error.
    Catcher(u32),
    /// The Choice rule with this index, when it matches.
    Rule(u32),
    /// `Default` of a Choice, when no rule matches.
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

/// The breakpoint location for a line (from 1) of a source, and the line of that location. If the run cannot stop on
/// the requested line, the location is on the nearest earlier line of the same state. A column (in characters, from 1)
/// selects one of several locations on the line: the last that begins at or before the column.
#[must_use]
pub fn location_of_line(
    definition: &Definition,
    source: SourceId,
    line: usize,
    column: Option<usize>,
) -> Option<(Location, usize)> {
    let file = definition.sources.get(source)?;
    let range = file.line_range(line)?;
    let until = match column {
        None => range.end,
        Some(column) => {
            let before = file.line(line).chars().take(column.max(1));
            range.start + before.map(char::len_utf8).sum::<usize>()
        }
    };
    let at_column =
        column.and_then(|_| state_at(definition, source, until.saturating_sub(1)..until));
    let state = at_column.or_else(|| state_at(definition, source, range))?;
    let best = parts(state)
        .into_iter()
        // A value that is substituted from a template may be in another file than its state.
        .filter(|(_, span)| span.source == source)
        .map(|(part, span)| (part, span.start as usize))
        .filter(|(_, start)| *start < until || file.place(*start).line < line)
        .filter(|(_, start)| file.line_at(*start) <= line)
        .map(|(part, start)| (part, file.telling_line(start), start))
        // Of these locations, takes one on the last line; if a column is given, takes the last one on that line.
        .max_by_key(|(_, field_line, start)| (*field_line, column.map(|_| *start)));
    let name_start = state.name_span.start as usize;
    let name_line = file.place(name_start).line;
    let is_meant = |field_line: usize, start: usize| match column {
        None => field_line > name_line || field_line == line && name_line != line,
        Some(_) => start > name_start,
    };
    Some(match best {
        Some((Some(part), field_line, start)) if is_meant(field_line, start) => {
            (Location::Part(state.path.clone(), part), field_line)
        }
        _ => (Location::State(state.path.clone()), name_line),
    })
}

/// The innermost state whose text overlaps a range of a source.
fn state_at(
    definition: &Definition,
    source: SourceId,
    range: std::ops::Range<usize>,
) -> Option<&State> {
    let touches = |state: &&State| {
        let (from, to) = (state.name_span.start as usize, state.span.end as usize);
        state.span.source == source && from < range.end && range.start < to
    };
    definition
        .states
        .iter()
        .filter(touches)
        .min_by_key(|state| state.span.end - state.span.start)
}

/// The stage whose value is `$` in the field at a location. `None` if the location is not in the state, if the state
/// does not use JSONPath, or if the field reads no stage.
pub(super) fn stage_read(
    definition: &Definition,
    state_id: StateId,
    at: &Location,
) -> Option<Stage> {
    let Location::Part(path, part) = at else {
        return None;
    };
    let state = definition.state(state_id)?;
    if state.path != *path || state.language != QueryLanguage::JsonPath {
        return None;
    }
    let step = match part {
        Part::Field(name) => state.step_within(name)?,
        Part::Rule(index) => {
            let owner = Owner::Rule(*index);
            let mut steps = state.steps.iter();
            steps.find(|step| step.field.owner == owner && step.makes == Makes::Test)?
        }
        Part::Retrier(_) | Part::Catcher(_) | Part::Default => return None,
    };
    match step.make {
        // ResultPath names a place to write to. That place has a value only in the stage that ResultPath produces.
        Make::Insert => step.stage(),
        Make::Literal => None,
        _ => step.reads(),
    }
}

/// The fields, retriers, catchers and rules of a state, each with its location in the source text. The [`Part`] is
/// `None` for a field without an effect.
fn parts(state: &State) -> Vec<(Option<Part>, Span)> {
    let mut parts: Vec<(Option<Part>, Span)> = Vec::new();
    for field in &state.fields {
        let spec = FieldSpec::of_state(&field.name);
        let part = match spec.map(|spec| spec.effect) {
            Some(Effect::Default) => Some(Part::Default),
            // A breakpoint on a field without an effect, such as Comment, stops when the run enters the state.
            Some(Effect::Nothing) => None,
            _ => Some(Part::Field(field.name.clone())),
        };
        parts.push((part, field.key));
    }
    let rules = match &state.kind {
        StateKind::Choice(choice) => &*choice.rules,
        _ => &[],
    };
    let retriers = (0..).map(Part::Retrier).zip(&state.retry);
    let catchers = (0..).map(Part::Catcher).zip(&state.catch);
    let rules = (0..).map(Part::Rule).zip(rules);
    parts.extend(retriers.map(|(part, retrier)| (Some(part), retrier.span)));
    parts.extend(catchers.map(|(part, catcher)| (Some(part), catcher.span)));
    parts.extend(rules.map(|(part, rule)| (Some(part), rule.span)));
    parts
}

/// State and span of a breakpoint location; `None` if the location is not on a state, or the state no longer exists.
#[must_use]
pub fn span_of(definition: &Definition, at: &Location) -> Option<(StateId, Span)> {
    let path = match at {
        Location::State(path) | Location::Part(path, _) | Location::Item(path, _) => path,
        Location::Error(..) | Location::Data(_) => return None,
    };
    let id = definition.find(path)?;
    let state = definition.state(id)?;
    let span = match at {
        Location::Part(_, part) => part_span(state, part).unwrap_or(state.name_span),
        _ => state.name_span,
    };
    Some((id, span))
}

/// The source text of a part of a state; for a field, only its name. `None` if the state does not have this part.
#[must_use]
pub fn part_span(state: &State, part: &Part) -> Option<Span> {
    match part {
        Part::Field(name) => state.field(name).map(|field| field.key),
        Part::Default => state.field_with(Effect::Default).map(|field| field.key),
        Part::Retrier(index) => state.part_span(Owner::Retrier(*index)),
        Part::Catcher(index) => state.part_span(Owner::Catcher(*index)),
        Part::Rule(index) => state.part_span(Owner::Rule(*index)),
    }
}
