//! The commands that a user gives to a session, and the function that executes them.

mod answer;
mod focus;
mod reload;
mod seek;
mod seek_origin;
mod step;

pub use step::Progress;

use super::reply::{Direction, Landmark, Reach, Restart, Sought, Switch};
use crate::definition::{Definition, StateId};
use crate::interpreter::{Answer, AskId, FrameId, Stage};
use crate::json::{Pointer, Text, Value};
use crate::query::Profile;
use crate::session::breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, SourceBreakpoint, StateBreakpoint,
};
use crate::session::breakpoints::Breakpoints;
use crate::session::reply::{Refused, Reply};
use crate::session::session::Session;
use crate::session::stepper::{Goal, Rule};
use crate::source::SourceId;

/// A command of the user. A command that runs or travels is only started: afterwards, call [`Session::advance`] until
/// it reports that nothing is in progress.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Runs to the next stage of the focus frame, or into its Map or Parallel (DAP: stepIn).
    Step(Direction),
    /// Runs to the next state of the focus frame, stepping over Map and Parallel (DAP: next).
    Next(Direction),
    /// Runs to the end of the focus frame, and moves the focus to its parent (DAP: stepOut).
    Finish(Direction),
    /// Runs to the next stop (DAP: continue, reverseContinue).
    Continue(Direction),
    /// Runs to the next or previous attempt, or to the next or previous end of an item.
    Attempt(Direction),
    /// Stops at the current event.
    Pause,
    /// Runs until this state is entered.
    RunTo(StateId),
    /// Travels to a recorded event; 0 means before the first event.
    Travel(u64),
    /// Travels to the nearest landmark, such as an error of the focus frame, among the recorded events; runs nothing.
    Seek(Landmark, Direction),
    /// Travels to the field, answer or input that a value comes from. If the command is given again, travels to the
    /// origin of the value that was found.
    SeekOrigin(Sought),
    /// Travels back to the event at which the user first asked for an origin; without such an event, to the last
    /// recorded event.
    Now,
    /// Starts the run again.
    Restart(Restart),
    /// Travels back to the event that entered the current state, and forks there, to run the state again.
    RedoState,
    /// Runs all items of the failed Map in a fork, and does not end the Map when items fail; AWS cannot do this.
    IgnoreFailures,
    /// Sets the expression to show beside each item of a Map; `None` shows the item itself.
    Items(Option<Text>),
    /// In the item table of a Map, shows only the items that contain this text; an empty text shows all items.
    FilterItems(Text),
    /// Travels into an item of the shown Map: to the item's error, or to its start if it has no error.
    EnterItem(u32),
    /// Gives an answer of the user to a request.
    Answer(AskId, Answer),
    /// Gives an answer of the user to a request, and to all other requests that the [`Reach`] selects, now and later.
    AnswerAll(AskId, Answer, Reach),
    /// Removes the answer rule with this index.
    ForgetAnswer(usize),
    /// Replaces the value of a stage at the cursor, and continues the run with it.
    Edit {
        /// The stage.
        stage: Stage,
        /// The place within the value of the stage.
        at: Pointer,
        /// The new value.
        value: Value,
    },
    /// Moves the focus to another frame.
    Focus(FrameId),
    /// Moves the focus to the parent frame.
    FrameUp,
    /// Moves the focus to a branch or item inside the focus frame.
    FrameDown,
    /// Moves to the previous or next branch or item beside the focus frame.
    Sibling(Direction),
    /// Sets a breakpoint.
    Break(Breakpoint),
    /// Sets a breakpoint on a line of a source.
    BreakLine(SourceId, SourceBreakpoint),
    /// Changes a breakpoint; its id stays the same.
    ChangeBreak(BreakpointId, Breakpoint),
    /// Replaces all breakpoints on lines of a source (DAP: setBreakpoints).
    SetBreakpoints(SourceId, Vec<SourceBreakpoint>),
    /// Replaces all breakpoints on states by name (DAP: setFunctionBreakpoints).
    SetStateBreakpoints(Vec<StateBreakpoint>),
    /// Replaces the error filters, and sets whether to stop at differences between the profiles (DAP:
    /// setExceptionBreakpoints).
    SetErrorFilters(Vec<ErrorFilter>, Switch),
    /// Toggles the breakpoint on a state: sets a breakpoint, or disables, enables or removes the existing breakpoint.
    ToggleBreak(StateId),
    /// Toggles the breakpoint on a line of a source; lines start at 1.
    ToggleBreakLine(SourceId, usize),
    /// Toggles the breakpoint at this location.
    ToggleBreakAt(Location),
    /// Enables or disables a breakpoint.
    EnableBreak(BreakpointId, Switch),
    /// Toggles a breakpoint between enabled and disabled.
    SwitchBreak(BreakpointId),
    /// Removes a breakpoint.
    RemoveBreak(BreakpointId),
    /// Removes all breakpoints.
    RemoveAllBreaks,
    /// Sets whether to stop when an error is raised, retried, caught or left uncaught; the moment says which of these.
    StopOn(ErrorMoment, Switch),
    /// Sets whether to stop at differences between the profiles.
    StopOnDifference(Switch),
    /// Adds a watch expression.
    Watch(Text),
    /// Removes a watch expression, by index.
    Unwatch(usize),
    /// Switches to another profile and repeats the run.
    SetProfile(Profile),
    /// Starts a run at another state or with another input.
    Begin {
        /// State to begin at; defaults to the start state of the previous run.
        start_at: Option<StateId>,
        /// Input of the run; defaults to the input of the previous run.
        input: Option<Value>,
    },
}

/// The part of a session that a command changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Concern {
    /// The command moves the cursor or changes the run.
    Run,
    /// The command changes the run and the settings that are saved for the next session.
    Answer,
    /// The command changes only settings that are saved for the next session: breakpoints, watches, answer rules.
    Keep,
    /// The command changes neither the run nor saved settings: only the view, or stop settings that are not saved.
    Look,
}

impl Command {
    /// True if the command moves the cursor or changes the run. These commands wait for one another; commands that only
    /// affect the view or the settings need not wait.
    #[must_use]
    pub fn moves_cursor(&self) -> bool {
        matches!(self.concern(), Concern::Run | Concern::Answer)
    }

    /// True if the command may change the settings that [`Session::saved`] returns: breakpoints, watches, typed
    /// answers.
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
    /// Executes a command. If the command runs or travels, only starts it; [`Session::advance`] continues.
    /// [`Session::take_outputs`] returns the outputs of both.
    ///
    /// # Errors
    /// The reason why the command is refused; nothing has changed then.
    pub fn apply(&mut self, command: Command) -> Result<Reply, Refused> {
        let frame = self.stepper.focus;
        let by = |rule| Goal::Frame { frame, rule };
        match command {
            Command::Step(direction) => self.aim(by(Rule::Stage), direction),
            Command::Next(direction) => self.aim(by(Rule::State), direction),
            Command::Finish(direction) => {
                let rule = if self.is_top() { Rule::Exit } else { Rule::End };
                self.aim(by(rule), direction)
            }
            Command::Continue(direction) => self.aim(Goal::Continue, direction),
            Command::Attempt(direction) => self.aim(by(Rule::Attempt), direction),
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

    /// Sets breakpoints, and records the current values of data breakpoints.
    fn set_breakpoints(
        &mut self,
        set: impl FnOnce(&mut Breakpoints, &Definition) -> Result<Reply, Refused>,
    ) -> Result<Reply, Refused> {
        let reply = set(&mut self.breakpoints, &self.setup.definition)?;
        self.sample_data_breakpoints();
        Ok(reply)
    }
}
