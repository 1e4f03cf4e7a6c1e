//! What a front end may ask of a session.
//!
//! It must not know keys or words: a front end maps those to commands.

use super::breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, SourceBreakpoint, StateBreakpoint,
};
use super::landmark::Landmark;
use crate::definition::StateId;
use crate::interpreter::{Answer, AskId, FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::query::Profile;
use crate::source::SourceId;

/// One wish. Those that run or travel only begin to: call [`super::Session::advance`] until it is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// To the next stage of the focus frame, into Map and Parallel (DAP: stepIn).
    Step(Direction),
    /// To the next state of the focus frame, over Map and Parallel (DAP: next).
    Next(Direction),
    /// To the end of the focus frame, then its parent is the focus (DAP: stepOut).
    Finish(Direction),
    /// To the next stop (DAP: continue, reverseContinue).
    Continue(Direction),
    /// To the next or previous attempt or item outcome.
    Attempt(Direction),
    /// Stop where it is.
    Pause,
    /// Until a state is entered.
    RunTo(StateId),
    /// To an event that is recorded, 0 being before the first.
    Travel(u64),
    /// To the nearest recorded event of a kind in the focus frame; runs nothing.
    Seek(Landmark, Direction),
    /// To the event before the cursor at which the value of this path in the data last changed (who wrote it).
    SeekWriter(Text),
    /// To the last recorded event.
    Now,
    /// Run again from the start.
    Restart(Restart),
    /// Back to where the current state was entered, and run from there again.
    RedoState,
    /// Run all items of the Map that failed, in a fork; not what AWS does.
    IgnoreFailures,
    /// Which expression is shown beside each item of a Map; none for the item itself.
    Items(Option<Text>),
    /// Show only the items of Maps that hold a text; an empty one shows all.
    FilterItems(Text),
    /// Travel into an item of the Map looked at: to its error, else to its beginning.
    EnterItem(u32),
    /// Give an answer to a question.
    Answer(AskId, Answer),
    /// Give an answer to a question and to all others like it, now and from now on.
    AnswerAll(AskId, Answer, Reach),
    /// Take an answer for many back, by its place.
    ForgetAnswer(usize),
    /// Put a value in the place of a stage's, at the cursor, and go on from it.
    Edit {
        /// Which value.
        stage: Stage,
        /// Where in it.
        at: Pointer,
        /// What it becomes.
        value: Value,
    },
    /// Make another frame the focus.
    Focus(FrameId),
    /// To the parent of the focus frame.
    FrameUp,
    /// To a child of the focus frame.
    FrameDown,
    /// To the previous or next sibling of the focus frame.
    Sibling(Direction),
    /// Add a breakpoint.
    Break(Breakpoint),
    /// Add one on a line of a source.
    BreakLine(SourceId, SourceBreakpoint),
    /// Make another breakpoint of one; its number stays.
    ChangeBreak(BreakpointId, Breakpoint),
    /// The breakpoints on lines of a source, in the place of all that were set so (DAP: setBreakpoints).
    SetBreakpoints(SourceId, Vec<SourceBreakpoint>),
    /// The breakpoints on states by name, in the place of all that were set so (DAP: setFunctionBreakpoints).
    SetStateBreakpoints(Vec<StateBreakpoint>),
    /// Which errors stop, in the place of all that did, and whether a difference of the profiles does
    /// (DAP: setExceptionBreakpoints).
    SetErrorFilters(Vec<ErrorFilter>, Switch),
    /// Toggle: add one on the state, or disable, enable or remove the one that is there.
    ToggleBreak(StateId),
    /// The same for a line of a source (from 1).
    ToggleBreakLine(SourceId, usize),
    /// The same for any place.
    ToggleBreakAt(Location),
    /// Switch a breakpoint on or off.
    EnableBreak(BreakpointId, Switch),
    /// Switch a breakpoint on that is off, and off one that is on.
    SwitchBreak(BreakpointId),
    /// Take a breakpoint away.
    RemoveBreak(BreakpointId),
    /// Take all breakpoints away.
    RemoveAllBreaks,
    /// Which moments of errors stop.
    StopOn(ErrorMoment, Switch),
    /// Whether a difference of the profiles stops.
    StopOnDifference(Switch),
    /// Watch an expression.
    Watch(Text),
    /// Take a watch away, by its place.
    Unwatch(usize),
    /// Follow another profile and replay.
    SetProfile(Profile),
    /// Begin another run.
    Begin {
        /// At this state; where it began before, if not given.
        start_at: Option<StateId>,
        /// With this input; the one before, if not given.
        input: Option<Value>,
    },
}

/// Which questions an answer is for, besides the one it is given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the same state.
    State,
    /// Those of the same Resource.
    Resource,
    /// Those of the same state for which an expression holds, in items above all.
    Items(Text),
}

/// Which way in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Onwards.
    Forward,
    /// Back.
    Backward,
}

/// What a restart keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restart {
    /// Typed answers.
    KeepAnswers,
    /// Nothing but input, seed and start time.
    Fresh,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// What [`super::Session::advance`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget is used up; call again.
    Running,
    /// Nothing is under way.
    Idle,
}
