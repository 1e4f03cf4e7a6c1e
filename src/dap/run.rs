//! Requests after a launch, and the run between two stops.

use super::body::{Body, body, read, unknown};
use super::debuggee::{Debuggee, Phase};
use super::outbox::Outbox;
use super::protocol::{
    ContinueBody, FrameArguments, GotoArguments, SetExceptionBreakpointsArguments, StepArguments,
};
use super::refusal::Refusal;
use super::run_reason::Aim;
use crate::session::{Command, Direction, Progress};
use Direction::{Backward, Forward};
use serde_json::Value;

/// True if the request is known, whether or not something has been launched.
pub(super) fn is_known(command: &str) -> bool {
    KNOWN.contains(&command)
}

const KNOWN: [&str; 33] = [
    "configurationDone",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setExceptionBreakpoints",
    "dataBreakpointInfo",
    "setDataBreakpoints",
    "breakpointLocations",
    "continue",
    "reverseContinue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "pause",
    "restartFrame",
    "goto",
    "gotoTargets",
    "stepInTargets",
    "threads",
    "stackTrace",
    "scopes",
    "variables",
    "setVariable",
    "setExpression",
    "evaluate",
    "completions",
    "exceptionInfo",
    "loadedSources",
    "source",
    "launch",
    "restart",
    "terminate",
    "cancel",
];

impl Debuggee {
    /// Handles a request.
    pub fn perform(&mut self, command: &str, arguments: Value, out: &mut Outbox) -> Body {
        match command {
            "configurationDone" => self.configured(out).map(|()| None),
            "setBreakpoints" => body(&self.set_breakpoints(read(arguments)?, out)),
            "setFunctionBreakpoints" => body(&self.set_function_breakpoints(read(arguments)?, out)),
            "setExceptionBreakpoints" => {
                let arguments: SetExceptionBreakpointsArguments = read(arguments)?;
                body(&self.set_exception_breakpoints(arguments, out)?)
            }
            "dataBreakpointInfo" => body(&self.data_breakpoint_info(&read(arguments)?)?),
            "setDataBreakpoints" => body(&self.set_data_breakpoints(read(arguments)?, out)?),
            "breakpointLocations" => body(&self.breakpoint_locations(&read(arguments)?)),
            "threads" => body(&self.thread_list()),
            "loadedSources" => body(&self.loaded_sources()),
            "source" => body(&self.source(&read(arguments)?)?),
            "gotoTargets" => body(&self.goto_targets(&read(arguments)?)),
            "completions" => body(&self.completions(&read(arguments)?)),
            "evaluate" => self.evaluate(&read(arguments)?, out),
            "pause" => {
                let _: StepArguments = read(arguments)?;
                self.pause(out);
                Ok(None)
            }
            "stackTrace" => {
                self.standing()?;
                body(&self.stack_trace(&read(arguments)?)?)
            }
            "scopes" => {
                self.standing()?;
                body(&self.scopes(&read(arguments)?)?)
            }
            "variables" => {
                self.standing()?;
                body(&self.variables(&read(arguments)?)?)
            }
            "setVariable" => {
                self.standing()?;
                body(&self.set_variable(&read(arguments)?, out)?)
            }
            "setExpression" => {
                self.standing()?;
                body(&self.set_expression(&read(arguments)?, out)?)
            }
            "exceptionInfo" => {
                self.standing()?;
                body(&self.exception_info(&read(arguments)?)?)
            }
            "stepInTargets" => {
                self.standing()?;
                body(&self.step_in_targets(&read(arguments)?)?)
            }
            _ => self.go(command, arguments, out),
        }
    }

    /// Handles a request that continues the run.
    fn go(&mut self, command: &str, arguments: Value, out: &mut Outbox) -> Body {
        let by_state =
            |arguments: &StepArguments| arguments.granularity.as_deref() != Some("instruction");
        match command {
            "continue" | "reverseContinue" => {
                let arguments: StepArguments = read(arguments)?;
                self.ready_to_go()?;
                // The virtual clock is shared by all threads: no thread can run alone.
                let direction = match command {
                    "continue" => Forward,
                    _ => Backward,
                };
                if arguments.thread_id > 0
                    && let Ok(frame) = self.frame_of_thread(arguments.thread_id)
                {
                    self.focus(frame, out)?;
                }
                self.run(Command::Continue(direction), Aim::Continue, out)?;
                match command {
                    "continue" => body(&ContinueBody {
                        all_threads_continued: true,
                    }),
                    _ => Ok(None),
                }
            }
            "next" | "stepBack" => {
                let arguments: StepArguments = read(arguments)?;
                self.focus_on(&arguments, out)?;
                let direction = match command {
                    "next" => Forward,
                    _ => Backward,
                };
                let command = match by_state(&arguments) {
                    true => Command::Next(direction),
                    false => Command::Step(direction),
                };
                self.run(command, Aim::Step, out).map(|()| None)
            }
            "stepIn" => {
                let arguments: StepArguments = read(arguments)?;
                self.focus_on(&arguments, out)?;
                self.step_in(arguments.target_id, out).map(|()| None)
            }
            "stepOut" => {
                let arguments: StepArguments = read(arguments)?;
                self.focus_on(&arguments, out)?;
                let command = self.way_out();
                self.run(command, Aim::Step, out).map(|()| None)
            }
            "restartFrame" => {
                let arguments: FrameArguments = read(arguments)?;
                self.ready_to_go()?;
                let frame = self.handles.frame_of(arguments.frame_id)?;
                self.focus(frame, out)?;
                self.run(Command::RedoState, Aim::Step, out).map(|()| None)
            }
            "goto" => {
                let arguments: GotoArguments = read(arguments)?;
                self.ready_to_go()?;
                let command = self.goto_command(arguments.target_id)?;
                self.run(command, Aim::Goto, out).map(|()| None)
            }
            other => Err(unknown(other)),
        }
    }

    /// Returns an error unless the run is stopped.
    pub fn ready_to_go(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Configuring => Err(Refusal::new("configurationDone must come first")),
            Phase::Ended => Err(Refusal::new("the run has ended; restart starts over")),
            Phase::Running(_) => Err(Refusal::not_stopped()),
            Phase::Stopped => Ok(()),
        }
    }

    /// Moves the focus to the thread of a step.
    fn focus_on(&mut self, arguments: &StepArguments, out: &mut Outbox) -> Result<(), Refusal> {
        self.ready_to_go()?;
        let frame = self.frame_of_thread(arguments.thread_id)?;
        self.focus(frame, out)
    }

    /// Applies a command that continues the run.
    pub fn run(&mut self, command: Command, aim: Aim, out: &mut Outbox) -> Result<(), Refusal> {
        self.ready_to_go()?;
        self.frame_before = self.focus_frame();
        self.apply(command, out)?;
        self.phase = Phase::Running(aim);
        self.handles.clear();
        Ok(())
    }

    fn pause(&mut self, out: &mut Outbox) {
        self.queue.clear();
        match self.phase {
            Phase::Running(_) => {
                // Pausing is never refused.
                drop(self.apply(Command::Pause, out));
                self.phase = Phase::Running(Aim::Pause);
            }
            Phase::Stopped => self.tell_stop(Aim::Pause, out),
            Phase::Configuring | Phase::Ended => {}
        }
    }

    /// Runs while `keep_on` returns true.
    pub fn slice(&mut self, keep_on: impl FnMut() -> bool, out: &mut Outbox) {
        let Phase::Running(aim) = self.phase else {
            self.next_of_queue(out);
            return;
        };
        let progress = self.session.advance_while(keep_on);
        self.tell_outputs(out);
        if progress == Progress::Running {
            return;
        }
        match aim {
            Aim::Rewind => self.go_on(out),
            aim if self.is_passing(aim) => self.go_on(out),
            aim => {
                self.end_progress(out);
                self.phase = Phase::Stopped;
                self.stopped(aim, out);
            }
        }
    }
}
