//! What a front end may ask of a session, and which of its functions does it.
//!
//! It must not know keys or words: a front end maps those to commands.

mod answer;
mod edit;
mod focus;
mod ignore_failures;
mod reload;
mod restart;
mod reverse;
mod seek;
mod seek_origin;
mod step;

pub use step::Progress;

use crate::definition::{Definition, StateId};
use crate::interpreter::{Answer, AskId, FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::query::Profile;
use crate::session::argument::{Direction, Reach, Restart, Sought, Switch};
use crate::session::breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, SourceBreakpoint, StateBreakpoint,
};
use crate::session::breakpoints::Breakpoints;
use crate::session::goal::Goal;
use crate::session::landmark::Landmark;
use crate::session::reply::{Refused, Reply};
use crate::session::session::Session;
use crate::source::SourceId;

/// One wish. Those that run or travel only begin to: call [`Session::advance`] until it is done.
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
    /// To the field, the answer or the input that a value comes from; asked again there, to what that was made of.
    SeekOrigin(Sought),
    /// Back to where an origin was first asked for, else to the last recorded event.
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
    /// Which errors stop, in the place of all that did, and whether a difference between the profiles does
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
    /// Whether a difference between the profiles stops.
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

/// What a command is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Concern {
    /// Where the cursor stands, or how the run goes.
    Run,
    /// The run, and what is kept for the next.
    Answer,
    /// What is kept for the next run alone: breakpoints, watches, answers for many.
    Keep,
    /// Neither: which part is looked at, and what stops for as long as the program runs.
    Look,
}

impl Command {
    /// Whether it moves the cursor or changes the run, so that it has to wait while another does: all but what only looks
    /// or sets up.
    #[must_use]
    pub fn moves_cursor(&self) -> bool {
        matches!(self.concern(), Concern::Run | Concern::Answer)
    }

    /// Whether it may change what [`Session::saved`] has: breakpoints, watches, typed answers.
    #[must_use]
    pub fn sets_up(&self) -> bool {
        matches!(self.concern(), Concern::Answer | Concern::Keep)
    }

    fn concern(&self) -> Concern {
        match self {
            Self::Step(_)
            | Self::Next(_)
            | Self::Finish(_)
            | Self::Continue(_)
            | Self::Attempt(_)
            | Self::RunTo(_)
            | Self::Travel(_)
            | Self::Seek(..)
            | Self::SeekOrigin(_)
            | Self::Now
            | Self::Restart(_)
            | Self::RedoState
            | Self::IgnoreFailures
            | Self::EnterItem(_)
            | Self::Edit { .. }
            | Self::SetProfile(_)
            | Self::Begin { .. } => Concern::Run,
            Self::Answer(..) | Self::AnswerAll(..) => Concern::Answer,
            Self::ForgetAnswer(_)
            | Self::Break(_)
            | Self::BreakLine(..)
            | Self::ChangeBreak(..)
            | Self::SetBreakpoints(..)
            | Self::SetStateBreakpoints(_)
            | Self::SetErrorFilters(..)
            | Self::ToggleBreak(_)
            | Self::ToggleBreakLine(..)
            | Self::ToggleBreakAt(_)
            | Self::EnableBreak(..)
            | Self::SwitchBreak(_)
            | Self::RemoveBreak(_)
            | Self::RemoveAllBreaks
            | Self::Watch(_)
            | Self::Unwatch(_) => Concern::Keep,
            Self::Pause
            | Self::Items(_)
            | Self::FilterItems(_)
            | Self::Focus(_)
            | Self::FrameUp
            | Self::FrameDown
            | Self::Sibling(_)
            | Self::StopOn(..)
            | Self::StopOnDifference(_) => Concern::Look,
        }
    }
}

impl Session {
    /// Does what a command says, or begins to. Running and travelling go on in [`Session::advance`]; what comes up then,
    /// and beside the reply here, is had from [`Session::take_outputs`].
    ///
    /// # Errors
    /// Why it cannot be done; nothing has changed then.
    pub fn apply(&mut self, command: Command) -> Result<Reply, Refused> {
        match command {
            Command::Step(direction) => self.aim(Goal::step(self.stepper.focus), direction),
            Command::Next(direction) => self.aim(Goal::next(self.stepper.focus), direction),
            Command::Finish(direction) => {
                self.aim(Goal::finish(self.stepper.focus, self.is_top()), direction)
            }
            Command::Continue(direction) => self.aim(Goal::Continue, direction),
            Command::Attempt(direction) => self.aim(Goal::attempt(self.stepper.focus), direction),
            Command::RunTo(state) => {
                let from = self.snapshot().events;
                self.aim(Goal::Enter(state, from), Direction::Forward)
            }
            Command::Pause => Ok(self.pause()),
            Command::Travel(event) => self.travel_to(event),
            Command::Seek(landmark, direction) => self.seek(landmark, direction),
            Command::SeekOrigin(sought) => self.seek_origin(sought),
            Command::Now => Ok(self.return_or_travel_to_now()),
            Command::Restart(kept) => Ok(self.restart(kept)),
            Command::RedoState => self.redo_state(),
            Command::IgnoreFailures => self.ignore_failures(),
            Command::Items(text) => self.items.show_beside(text),
            Command::FilterItems(text) => Ok(self.items.show_holding(&text)),
            Command::EnterItem(index) => self.enter_item(index),
            Command::Answer(ask, answer) => self.answer_by_person(ask, answer),
            Command::AnswerAll(ask, answer, reach) => self.answer_all(ask, &answer, &reach),
            Command::ForgetAnswer(place) => self.forget_answer_rule(place),
            Command::Edit { stage, at, value } => self.edit(stage, at, value),
            Command::Focus(frame) => self.set_focus(frame),
            Command::FrameUp => self.focus_on(self.parent_of_focus(), Refused::Outermost),
            Command::FrameDown => self.enter_child(),
            Command::Sibling(direction) => self.go_to_sibling(direction),
            Command::Break(breakpoint) => {
                self.set_breakpoints(|all, definition| Ok(all.set(breakpoint, definition)))
            }
            Command::BreakLine(source, wanted) => {
                self.set_breakpoints(|all, definition| all.set_on_line(source, wanted, definition))
            }
            Command::ChangeBreak(id, breakpoint) => {
                self.set_breakpoints(|all, definition| all.change(id, breakpoint, definition))
            }
            Command::SetBreakpoints(source, wanted) => self
                .set_breakpoints(|all, definition| Ok(all.set_lines(source, wanted, definition))),
            Command::SetStateBreakpoints(wanted) => {
                self.set_breakpoints(|all, definition| Ok(all.set_states(wanted, definition)))
            }
            Command::SetErrorFilters(filters, differences) => {
                self.set_breakpoints(|all, definition| {
                    Ok(all.set_error_filters(filters, differences, definition))
                })
            }
            Command::ToggleBreak(state) => {
                self.set_breakpoints(|all, definition| all.toggle_state(state, definition))
            }
            Command::ToggleBreakLine(source, line) => {
                self.set_breakpoints(|all, definition| all.toggle_line(source, line, definition))
            }
            Command::ToggleBreakAt(location) => self
                .set_breakpoints(|all, definition| Ok(all.toggle_at(location, None, definition))),
            Command::EnableBreak(id, switch) => self.breakpoints.enable(id, switch),
            Command::SwitchBreak(id) => self.breakpoints.switch(id),
            Command::RemoveBreak(id) => self.breakpoints.remove(id),
            Command::RemoveAllBreaks => {
                self.breakpoints.placed.clear();
                Ok(Reply::Done)
            }
            Command::StopOn(moment, switch) => {
                self.breakpoints.stop_on(moment, switch);
                Ok(Reply::Done)
            }
            Command::StopOnDifference(switch) => {
                self.breakpoints.differences = switch == Switch::On;
                Ok(Reply::Done)
            }
            Command::Watch(text) => {
                let value = self.evaluate(&text);
                Ok(self.watches.add(text, value))
            }
            Command::Unwatch(place) => self.watches.remove(place),
            Command::SetProfile(profile) => Ok(self.set_profile(profile)),
            Command::Begin { start_at, input } => self.begin_elsewhere(start_at, input),
        }
    }

    /// Sets breakpoints, and notes what those on data see now.
    fn set_breakpoints(
        &mut self,
        set: impl FnOnce(&mut Breakpoints, &Definition) -> Result<Reply, Refused>,
    ) -> Result<Reply, Refused> {
        let reply = set(&mut self.breakpoints, &self.setup.definition)?;
        self.sample_data_breakpoints();
        Ok(reply)
    }
}
