//! Handles the requests that come after a launch, such as steps, `goto` and `stepIn`. Also runs the session until it
//! stops, and reports the progress of a long run.

use super::debuggee::{Aim, Debuggee, Phase};
use super::message::{Body, Outbox, Refusal, body, list, read, unknown};
use super::protocol::{FrameArguments, GotoArguments, GotoTargetsArguments, StepArguments};
use crate::definition::{StateId, StateKind};
use crate::interpreter::{FrameId, Stage};
use crate::session::{Breakpoint, Command, Direction, Location, Progress};
use Direction::{Backward, Forward};
use serde_json::{Value, json};

/// Requests that are refused while the run is in progress.
const OF_STOPPED_RUN: [&str; 7] = [
    "stackTrace",
    "scopes",
    "variables",
    "setVariable",
    "setExpression",
    "exceptionInfo",
    "stepInTargets",
];

/// True if the adapter handles the request once a debuggee has been launched.
pub(super) fn is_known(command: &str) -> bool {
    KNOWN.contains(&command)
}

const KNOWN: [&str; 30] = [
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
    "restart",
];

impl Debuggee {
    /// Handles a request to a launched debuggee, and returns the body of the response or a refusal.
    pub fn perform(&mut self, command: &str, arguments: Value, out: &mut Outbox) -> Body {
        if OF_STOPPED_RUN.contains(&command) {
            self.standing()?;
        }
        match command {
            "configurationDone" => self.configured(out).map(|()| None),
            "setBreakpoints" => {
                let breakpoints = self.set_breakpoints(read(arguments)?, out);
                body(json!({"breakpoints": breakpoints}))
            }
            "setFunctionBreakpoints" => {
                let breakpoints = self.set_function_breakpoints(read(arguments)?, out);
                body(json!({"breakpoints": breakpoints}))
            }
            "setExceptionBreakpoints" => {
                let breakpoints = self.set_exception_breakpoints(&read(arguments)?, out)?;
                body(json!({"breakpoints": breakpoints}))
            }
            "setDataBreakpoints" => {
                let breakpoints = self.set_data_breakpoints(read(arguments)?, out)?;
                body(json!({"breakpoints": breakpoints}))
            }
            // The response must have the member `dataId` even if it is `null`. So `body`, which removes members that
            // are `null`, is not called.
            "dataBreakpointInfo" => self.data_breakpoint_info(&read(arguments)?).map(Some),
            "breakpointLocations" => body(self.breakpoint_locations(&read(arguments)?)),
            "threads" => body(self.thread_list()),
            "loadedSources" => body(json!({"sources": self.loaded_sources()})),
            "source" => body(self.source(&read(arguments)?)?),
            "gotoTargets" => body(self.goto_targets(&read(arguments)?)),
            "completions" => body(self.completions(&read(arguments)?)),
            "evaluate" => body(self.evaluate(&read(arguments)?, out)?),
            "pause" => {
                let _: StepArguments = read(arguments)?;
                self.pause(out);
                Ok(None)
            }
            "stackTrace" => body(self.stack_trace(&read(arguments)?)?),
            "scopes" => list("scopes", self.scopes(&read(arguments)?)?),
            "variables" => list("variables", self.variables(&read(arguments)?)?),
            "setVariable" => body(self.set_variable(&read(arguments)?, out)?),
            "setExpression" => body(self.set_expression(&read(arguments)?, out)?),
            "exceptionInfo" => body(self.exception_info(&read(arguments)?)?),
            "stepInTargets" => body(self.step_in_targets(&read(arguments)?)?),
            _ => self.go(command, arguments, out),
        }
    }

    /// Handles a request that continues the run, such as `next`; refuses any unknown request.
    fn go(&mut self, command: &str, arguments: Value, out: &mut Outbox) -> Body {
        let by_state =
            |arguments: &StepArguments| arguments.granularity.as_deref() != Some("instruction");
        match command {
            "continue" | "reverseContinue" => {
                let arguments: StepArguments = read(arguments)?;
                self.ready_to_go()?;
                // All threads share one virtual clock, so the argument `singleThread` is ignored: no thread can run
                // alone.
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
                    "continue" => body(json!({"allThreadsContinued": true})),
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

    /// Returns an error unless the run is stopped, so that it can be continued or edited.
    pub fn ready_to_go(&self) -> Result<(), Refusal> {
        match self.phase {
            Phase::Configuring => Err(Refusal::new(
                "the request \"configurationDone\" must come first",
            )),
            Phase::Ended => Err(Refusal::new(
                "the run has ended; \"restart\" begins a new run",
            )),
            Phase::Running(_) => Err(Refusal::not_stopped()),
            Phase::Stopped => Ok(()),
        }
    }

    /// Moves the focus to the thread that the request names; an error if the run is not stopped.
    fn focus_on(&mut self, arguments: &StepArguments, out: &mut Outbox) -> Result<(), Refusal> {
        self.ready_to_go()?;
        let frame = self.frame_of_thread(arguments.thread_id)?;
        self.focus(frame, out)
    }

    /// Applies a command that continues the run. `aim` says why the run continues.
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
                // The session never refuses to pause.
                drop(self.apply(Command::Pause, out));
                self.phase = Phase::Running(Aim::Pause);
            }
            Phase::Stopped => self.tell_stop(Aim::Pause, out),
            Phase::Configuring | Phase::Ended => {}
        }
    }

    /// Runs the session until it stops or `keep_on` returns false. If the session is already stopped, executes the next
    /// queued command.
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

/// Maximum number of branches or items that the client can choose from for `stepIn`.
const MOST_TARGETS: u32 = 100;

impl Debuggee {
    /// Handles `gotoTargets`: returns the state that a line belongs to, if a run can begin at that state.
    fn goto_targets(&self, arguments: &GotoTargetsArguments) -> Value {
        let state_and_line = self.state_at(&arguments.source, arguments.line);
        let target = state_and_line.and_then(|(id, line)| {
            let state = self.session.definition().state(id)?;
            // A run cannot begin inside a Parallel or Map state, so only states outside of these are offered.
            let label = format!("begin a run at {state}", state = state.name);
            let id = i64::from(id.0).saturating_add(1);
            (state.scope.0 == 0).then(|| json!({"id": id, "label": label, "line": line}))
        });
        json!({"targets": Vec::from_iter(target)})
    }

    /// The command that begins a run at the state that the client chose. `target` is the id from `goto_targets`.
    fn goto_command(&self, target: i64) -> Result<Command, Refusal> {
        let id = target.checked_sub(1).and_then(|id| u32::try_from(id).ok());
        let known = id.filter(|id| (*id as usize) < self.session.definition().states.len());
        let state = known.ok_or_else(|| Refusal::new("this goto target no longer exists"))?;
        Ok(Command::Begin {
            start_at: Some(StateId(state)),
            input: None,
        })
    }

    /// Handles `stepInTargets`: returns the branches or items that the user can step into from a Parallel or Map state.
    fn step_in_targets(&self, arguments: &FrameArguments) -> Result<Value, Refusal> {
        let frame = self.handles.frame_of(arguments.frame_id)?;
        let labels = (1_i64..).zip(self.children_of(frame));
        let targets = labels.map(|(id, label)| json!({"id": id, "label": label}));
        Ok(json!({"targets": targets.collect::<Vec<_>>()}))
    }

    fn children_of(&self, frame: FrameId) -> Vec<String> {
        let machine = self.session.machine();
        let Some(frame) = machine.frame(frame) else {
            return Vec::new();
        };
        let Some(state) = self.session.definition().state(frame.visit.state) else {
            return Vec::new();
        };
        let count = match (&state.kind, &frame.visit.group) {
            (StateKind::Parallel { branches }, _) => u32::try_from(branches.len()).unwrap_or(0),
            (StateKind::Map(_), Some(group)) => group.total,
            (StateKind::Map(_), None) => {
                let items = frame.visit.data.get(Stage::AfterItemsPath);
                let items = items.and_then(crate::json::Value::as_array);
                u32::try_from(items.map_or(0, <[_]>::len)).unwrap_or(u32::MAX)
            }
            _ => 0,
        };
        let name = |index| format!("{}[{index}]", state.name);
        (0..count.min(MOST_TARGETS)).map(name).collect()
    }

    /// Steps into the branch or item with this id; without an id, steps to the next stage.
    fn step_in(&mut self, target: Option<i64>, out: &mut Outbox) -> Result<(), Refusal> {
        let Some(target) = target else {
            return self.run(Command::Step(Direction::Forward), Aim::Step, out);
        };
        let index = target.checked_sub(1).and_then(|n| u32::try_from(n).ok());
        let index = index.ok_or_else(|| Refusal::new("this branch or item does not exist"))?;
        let focus = self.focus_frame();
        let frame = focus.and_then(|id| self.session.machine().frame(id));
        let state = frame.and_then(|frame| self.session.definition().state(frame.visit.state));
        let state = state.ok_or_else(|| Refusal::new("nothing has run yet"))?;
        match &state.kind {
            StateKind::Parallel { branches } => {
                let scope = branches.get(index as usize);
                let scope = scope.and_then(|id| self.session.definition().scope(*id));
                let start = scope.and_then(|scope| scope.start_at.as_ref()?.state);
                let start = start.ok_or_else(|| Refusal::new("this branch does not exist"))?;
                self.run(Command::RunTo(start), Aim::Step, out)
            }
            StateKind::Map(_) => {
                let begun = frame.and_then(|frame| frame.visit.group.as_ref());
                if begun.is_some_and(|group| index < group.next) {
                    return self.run(Command::EnterItem(index), Aim::Step, out);
                }
                let once = Breakpoint {
                    once: true,
                    ..Breakpoint::at(Location::Item(state.path.clone(), index))
                };
                self.apply(Command::Break(once), out)?;
                self.run(Command::Continue(Direction::Forward), Aim::Step, out)
            }
            _ => self.run(Command::Step(Direction::Forward), Aim::Step, out),
        }
    }
}

fn progress_id(number: u64) -> String {
    format!("run-{number}")
}

impl Debuggee {
    /// Reports the number of events to a client that shows progress; does nothing unless the run is in progress.
    pub fn beat(&mut self, out: &mut Outbox) {
        if !matches!(self.phase, Phase::Running(_)) || !self.client.progress {
            return;
        }
        let number = match self.progress.shown {
            Some(number) => number,
            None => {
                self.progress.last += 1;
                let number = self.progress.last;
                self.progress.shown = Some(number);
                let title = format!(
                    "Running {machine}",
                    machine = self.session.definition().name
                );
                let id = progress_id(number);
                let body = json!({"progressId": id, "title": title, "cancellable": true});
                out.event("progressStart", body);
                number
            }
        };
        let message = format!("{count} events", count = self.session.event_count());
        let body = json!({"progressId": progress_id(number), "message": message});
        out.event("progressUpdate", body);
    }

    /// Tells the client to close its progress display, because the run has stopped.
    pub fn end_progress(&mut self, out: &mut Outbox) {
        if let Some(number) = self.progress.shown.take() {
            out.event("progressEnd", json!({"progressId": progress_id(number)}));
        }
    }

    /// Pauses the run because the user cancelled it in the progress display with this id.
    pub fn cancel(&mut self, id: &str, out: &mut Outbox) -> Result<(), Refusal> {
        let shown = self.progress.shown.map(progress_id);
        if shown.as_deref() != Some(id) {
            return Err(Refusal::new(format!(
                "nothing is in progress under the id \"{id}\""
            )));
        }
        self.queue.clear();
        self.apply(Command::Pause, out).map(|_| ())
    }
}
