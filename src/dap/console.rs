//! Executes what the user types in the debug console: commands that continue the run, answers to tasks, edits, and
//! commands that write files.

use super::command::{Given, Queued, What, given, reply_text};
use super::debuggee::{Aim, Debuggee, Phase, thread_of};
use super::listing::{Said, help};
use super::message::{Outbox, Refusal};
use super::scope::shown;
use crate::interpreter::{Answer, AskId, Outcome};
use crate::json::Pointer;
use crate::launch::{LaunchError, NewCase, Workspace as _};
use crate::session::Outer;
use crate::session::grammar::{self, TypedCommand, parse_answer};
use crate::session::origin::Holder;
use crate::session::{Command, Direction, ExistingCase, Landmark, Sought};
use crate::testing;
use Direction::{Backward, Forward};
use serde_json::json;
use std::path::Path;

/// Maximum number of commands in the queue after the lines of a script were added to it.
const MOST_QUEUED: usize = 20_000;

impl Debuggee {
    /// Executes a command and returns its output.
    pub fn console(&mut self, command: &Given, out: &mut Outbox) -> Said {
        let (what, bang, argument) = match command {
            Given::Unknown(problem) => return Err(Refusal::new(problem.clone())),
            Given::Screen(name) => {
                return Err(format!("the command {name} works only in the terminal").into());
            }
            Given::Command {
                what,
                bang,
                argument,
            } => (*what, *bang, argument.as_str()),
        };
        if let Some(command) = stepping(what) {
            return self.go_repeatedly(command, argument, out);
        }
        let typed = TypedCommand {
            name: what.name(),
            bang,
            argument,
        };
        let source = self.session.definition().node.span.source;
        if let Some(command) = typed.command(&self.session, source) {
            let command = command?;
            let aim = match command {
                Command::Restart(_) => Aim::Entry,
                Command::SetProfile(_) => Aim::Reload,
                Command::Travel(_) => Aim::Step,
                Command::RunTo(_) => Aim::Goto,
                _ => return self.say(command, out),
            };
            return self.go_on_with(command, aim, out);
        }
        match what {
            What::Pause => {
                self.queue.clear();
                if let Phase::Running(_) = self.phase {
                    self.apply(Command::Pause, out)?;
                    self.phase = Phase::Running(Aim::Pause);
                }
                Ok(String::new())
            }
            What::Until => {
                Err("\"until\" needs a state or an event: until STATE or until EVENT".into())
            }
            What::Goto => self.goto_state(argument, out),
            What::Input => self.take_input(argument, out),
            What::WhoWrote => {
                let view = self.session.view();
                let sought = match view.led_to {
                    _ if !argument.is_empty() => Sought::Path(argument.into()),
                    Some(led) => Sought::At(led.holder, led.at),
                    None if view.missing.is_some() => Sought::Missing,
                    None if view.data.fault.is_some() => {
                        Sought::At(Holder::Error, Pointer::default())
                    }
                    None => {
                        return Err(
                            "\"who\" needs a path, unless an error was raised at this event: who PATH".into()
                        );
                    }
                };
                self.go_on_with(Command::SeekOrigin(sought), Aim::Step, out)
            }
            What::FrameUp => self.move_focus(Command::FrameUp, out),
            What::FrameDown => self.move_focus(Command::FrameDown, out),
            What::PreviousSibling => self.move_focus(Command::Sibling(Backward), out),
            What::NextSibling => self.move_focus(Command::Sibling(Forward), out),
            What::FrameBack => match self.frame_before.take() {
                Some(frame) => {
                    self.frame_before = self.focus_frame();
                    self.move_focus(Command::Focus(frame), out)
                }
                None => {
                    Err("no stop has moved the focus, so there is no frame to return to".into())
                }
            },
            What::Break => {
                grammar::parse_breakpoint(argument, self.session.definition())?;
                Ok(String::new())
            }
            What::StopOn => self.stop_on(argument, out),
            What::Answer => self.answer(argument, out),
            What::Fail => self.fail(argument, out),
            What::NeverAnswer => self.never_answer(out),
            What::Edit => self.edit(argument, out),
            What::Print if argument.is_empty() => {
                Err("\"print\" needs an expression: print EXPR".into())
            }
            What::Print => self.print(argument),
            What::Why => self.why(),
            What::Watch => Err("\"watch\" needs an expression: watch EXPR".into()),
            What::Items => self.items(argument, out),
            What::Info => self.info(argument),
            What::States => Ok(self.states(argument)),
            What::Cases => self.choose_case(argument, out),
            What::Machines => self.machines(argument),
            What::Write => self.write(argument, bang),
            What::Script => self.script(argument),
            What::Reload => {
                self.standing()?;
                self.reload(out);
                Ok(String::new())
            }
            What::Help => help(argument),
            What::Quit => {
                self.terminate(out);
                Ok(String::new())
            }
            _ => Err("this command does not work in the debug console".into()),
        }
    }

    /// Executes the next queued command; does nothing unless the run is stopped.
    pub fn next_of_queue(&mut self, out: &mut Outbox) {
        if !self.has_queued() {
            return;
        }
        match self.queue.pop_front() {
            Some(Queued::Repeat(command)) => {
                let begun = self.run(command, Aim::Step, out);
                // If the session refuses a repeated command, it would refuse every further repetition, too. So the
                // queue is emptied.
                begun.unwrap_or_else(|_| self.queue.clear());
            }
            Some(Queued::Line(line)) => self.scripted(&line, out),
            None => {}
        }
        if self.queue.is_empty() && self.phase == Phase::Stopped {
            self.tell_stop(Aim::Step, out);
        }
    }

    /// Executes a line of a script, which is a command or an expression. If the line fails, empties the queue.
    fn scripted(&mut self, line: &str, out: &mut Outbox) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        let said = match given(line) {
            Some(command) => self.console(&command, out),
            None => self.print(line),
        };
        match said {
            Ok(text) if text.is_empty() => {}
            Ok(text) => out.say(&text),
            Err(refusal) => {
                self.queue.clear();
                out.output("important", &format!("{line}: {}", refusal.text));
            }
        }
    }

    /// Applies a command to the session and returns a description of the outcome.
    pub fn say(&mut self, command: Command, out: &mut Outbox) -> Said {
        let reply = self.apply(command, out)?;
        Ok(reply_text(&reply).unwrap_or_default())
    }

    /// Applies a command that continues the run. Also sends the client the event `continued`, because the client did
    /// not request that the run continues.
    fn go_on_with(&mut self, command: Command, aim: Aim, out: &mut Outbox) -> Said {
        let thread = self.focus_frame().map_or(1, thread_of);
        self.run(command, aim, out)?;
        let body = json!({"threadId": thread, "allThreadsContinued": true});
        out.event("continued", body);
        Ok(String::new())
    }

    fn go_repeatedly(&mut self, command: Command, argument: &str, out: &mut Outbox) -> Said {
        let count = match argument {
            "" => 1,
            text => match text.parse::<u64>() {
                Ok(count @ 1..=100_000) => count,
                _ => return Err(format!("{text} is not a count from 1 to 100000").into()),
            },
        };
        let aim = match command {
            Command::Continue(_) => Aim::Continue,
            _ => Aim::Step,
        };
        let said = self.go_on_with(command.clone(), aim, out)?;
        for _ in 1..count {
            self.queue.push_front(Queued::Repeat(command.clone()));
        }
        Ok(said)
    }

    fn goto_state(&mut self, argument: &str, out: &mut Outbox) -> Said {
        let (state, input) = grammar::parse_goto(argument, self.session.definition())?;
        let input = match input {
            "" => None,
            text => Some(self.project.value(text)?),
        };
        let command = Command::Begin {
            start_at: Some(state),
            input,
        };
        self.go_on_with(command, Aim::Goto, out)
    }

    fn take_input(&mut self, argument: &str, out: &mut Outbox) -> Said {
        if argument.is_empty() {
            return Err(
                "\"input\" needs an input: input FILE, input JSON or input event:SERVICE".into(),
            );
        }
        let command = Command::Begin {
            start_at: None,
            input: Some(self.project.value(argument)?),
        };
        self.go_on_with(command, Aim::Entry, out)
    }

    fn move_focus(&mut self, command: Command, out: &mut Outbox) -> Said {
        self.standing()?;
        self.apply(command, out)?;
        self.invalidate(&["stacks", "variables"], out);
        let view = self.session.view();
        let definition = self.session.definition();
        let state = view.current.and_then(|id| definition.state(id));
        let state = state.map_or("", |state| &*state.name);
        Ok(format!(
            "\"next\", \"step\" and \"finish\" now follow {frame}, at {state}",
            frame = view.header.frame
        ))
    }

    fn stop_on(&mut self, argument: &str, out: &mut Outbox) -> Said {
        if argument.is_empty() {
            return self.info("stops");
        }
        let (moments, differs) = (self.session.stops_on(), self.session.stops_on_difference());
        let command = grammar::parse_stop_on(argument, &moments, differs)?;
        self.apply(command, out)?;
        self.info("stops")
    }

    /// Handles `edit PATH JSON`. The path is the longest beginning of the argument that is a valid path; the rest is
    /// JSON.
    fn edit(&mut self, argument: &str, out: &mut Outbox) -> Said {
        let usage = || {
            Refusal::new(
                "\"edit\" needs a path and a value: edit PATH JSON, such as edit $input.qty 3",
            )
        };
        let frame = self.frame_or_focus(None)?;
        let is_blank = |c: char| c.is_whitespace() || c == '=';
        let mut problem = None;
        for (end, _) in argument.match_indices(is_blank) {
            let (path, json) = argument.split_at_checked(end).ok_or_else(usage)?;
            let (path, json) = (path.trim(), json.trim_start_matches(is_blank));
            match self.place_of_expression(frame, path) {
                Ok(place) => {
                    let value = self.change(frame, &place, json, out)?;
                    return Ok(format!("{path} = {}", shown(&value)));
                }
                Err(refusal) => problem = problem.or(Some(refusal)),
            }
        }
        Err(problem.unwrap_or_else(usage))
    }

    fn choose_case(&mut self, name: &str, out: &mut Outbox) -> Said {
        if name.is_empty() {
            let cases = &self.origin.cases;
            return match cases.is_empty() {
                true => Err("there is no mock file with test cases".into()),
                false => Ok(cases.join("\n")),
            };
        }
        self.ready_to_go()?;
        let saved = self.outer.outermost(&self.session).saved();
        let chosen = self.project.choose_case(name, saved.as_ref());
        self.outer = Outer::default();
        self.session = chosen?;
        self.handles.clear();
        self.set_lists_again(out);
        self.phase = Phase::Running(Aim::Entry);
        Ok(String::new())
    }

    fn script(&mut self, argument: &str) -> Said {
        if argument.is_empty() {
            return Err("\"source\" needs a file: source FILE".into());
        }
        let file = self.project.text(Path::new(argument))?;
        let count = file.text.lines().count();
        if self.queue.len().saturating_add(count) > MOST_QUEUED {
            return Err(Refusal::new(format!(
                "more than {MOST_QUEUED} commands are queued, so none of them is run; perhaps a script runs itself"
            )));
        }
        for line in file.text.lines().rev() {
            self.queue.push_front(Queued::Line(line.to_string()));
        }
        Ok(String::new())
    }
}

/// The session command for a console command that moves through the run and can be repeated by a count, such as `next`
/// or `previous-event`; `None` for any other console command.
fn stepping(what: What) -> Option<Command> {
    Some(match what {
        What::Continue => Command::Continue(Forward),
        What::Next => Command::Next(Forward),
        What::Step => Command::Step(Forward),
        What::Finish => Command::Finish(Forward),
        What::ReverseContinue => Command::Continue(Backward),
        What::ReverseNext => Command::Next(Backward),
        What::ReverseStep => Command::Step(Backward),
        What::ReverseFinish => Command::Finish(Backward),
        What::Redo => Command::RedoState,
        What::IgnoreFailures => Command::IgnoreFailures,
        What::Now => Command::Now,
        What::NextAttempt => Command::Attempt(Forward),
        What::PreviousAttempt => Command::Attempt(Backward),
        What::PreviousStage => Command::Seek(Landmark::Stage, Backward),
        What::NextStage => Command::Seek(Landmark::Stage, Forward),
        What::PreviousState => Command::Seek(Landmark::State, Backward),
        What::NextState => Command::Seek(Landmark::State, Forward),
        What::PreviousEvent => Command::Seek(Landmark::Event, Backward),
        What::NextEvent => Command::Seek(Landmark::Event, Forward),
        _ => return None,
    })
}

impl Debuggee {
    /// Finds the waiting task to answer: the task of the frame that has the focus, otherwise a task of the state that
    /// is shown, otherwise the first waiting task.
    fn task(&self) -> Result<AskId, Refusal> {
        self.standing()?;
        let view = self.session.view();
        let focus = view.frames.last().map(|frame| frame.frame);
        let tasks = || view.tasks.iter().map(|task| &task.ask);
        let of_frame = tasks().find(|ask| Some(ask.frame) == focus);
        let of_state = || tasks().find(|ask| Some(ask.state) == view.current);
        let task = of_frame.or_else(of_state).or_else(|| tasks().next());
        let task = task.map(|ask| ask.id);
        task.ok_or_else(|| Refusal::new("no task is waiting for an answer"))
    }

    /// Answers the waiting task with the answer in `argument`; without an argument, returns an error that suggests a
    /// result.
    fn answer(&mut self, argument: &str, out: &mut Outbox) -> Result<String, Refusal> {
        let ask = self.task()?;
        if argument.is_empty() {
            let offer = self.session.offer(ask);
            let offer = offer.ok_or_else(|| Refusal::new("this task cannot be answered now"))?;
            let result = crate::json::one_line(&offer.result);
            return Err(Refusal::new(format!(
                "\"answer\" needs a result, such as {result}"
            )));
        }
        let typed = parse_answer(argument)?;
        let command = match typed.reach {
            None => Command::Answer(ask, typed.answer),
            Some(reach) => Command::AnswerAll(ask, typed.answer, reach),
        };
        self.given(command, out)
    }

    /// Answers the waiting task with an error. `argument` has the error name and, after a blank, the cause.
    fn fail(&mut self, argument: &str, out: &mut Outbox) -> Result<String, Refusal> {
        let ask = self.task()?;
        let (error, cause) = argument.split_once(' ').unwrap_or((argument, ""));
        if error.is_empty() {
            return Err("\"fail\" needs an error: fail ERROR [CAUSE]".into());
        }
        let answer = Answer::failure(error, cause.trim());
        self.given(Command::Answer(ask, answer), out)
    }

    /// Decides that the waiting task never gets an answer. It then waits until its timeout, or forever if it has none.
    fn never_answer(&mut self, out: &mut Outbox) -> Result<String, Refusal> {
        let ask = self.task()?;
        let answer = Answer::of(Outcome::Never);
        self.given(Command::Answer(ask, answer), out)
    }

    fn given(&mut self, command: Command, out: &mut Outbox) -> Result<String, Refusal> {
        let said = self.say(command, out)?;
        self.invalidate(&["stacks", "variables"], out);
        Ok(said)
    }
}

impl Debuggee {
    /// Handles `write case NAME`, `write test NAME` and `write input`, which save the answers, the outcome or the input
    /// of the run in a file. `replaces` says whether to replace a case, test or input that already exists.
    pub(super) fn write(&mut self, argument: &str, replaces: bool) -> Said {
        let existing = match replaces {
            true => ExistingCase::IsReplaced,
            false => ExistingCase::Stays,
        };
        match argument.split_once(' ') {
            Some(("case", name)) => self.write_case(name.trim(), existing),
            Some(("test", name)) => self.write_test(name.trim(), existing),
            None if argument == "input" => self.write_input(existing),
            Some(("screen" | "graph", _)) => {
                Err("only the terminal can write its screen or graph".into())
            }
            _ => Err(
                "\"write\" needs an argument: write case NAME, write test NAME or write input"
                    .into(),
            ),
        }
    }

    fn write_case(&mut self, name: &str, existing: ExistingCase) -> Said {
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err("\"write case\" needs a name: write case NAME".into());
        }
        let answers = self.session.answers();
        if answers.is_empty() {
            return Err("no task was answered in this run yet".into());
        }
        let machine = self.session.definition().name.to_string();
        let case = NewCase {
            machine: &machine,
            name,
            answers: &answers,
            existing,
        };
        let written = self.project.write_case(&case);
        let file = written.map_err(|error| Refusal::new(error.of_case(name)))?;
        if !self.origin.cases.iter().any(|case| case == name) {
            self.origin.cases.push(name.to_string());
        }
        Ok(format!(
            "case {name} written to {file}",
            file = file.display()
        ))
    }

    fn write_test(&mut self, name: &str, existing: ExistingCase) -> Said {
        let definition = self.origin.file.as_deref();
        let own_writes = self.project.own_writes();
        let written = testing::write_run(&self.session, definition, name, existing, &own_writes);
        let file = written?.display().to_string();
        Ok(format!(
            "test written; {file} now expects the outcome of this run"
        ))
    }

    fn write_input(&mut self, existing: ExistingCase) -> Said {
        let input = self.session.machine().run().header.input.clone();
        let written = self.project.write_input(&input, existing);
        let file = written.map_err(|error| match error {
            LaunchError::InputExists(_) => Refusal::new(format!(
                "{error}; \"write! input\" replaces the file",
                error = error.brief()
            )),
            _ => error.into(),
        })?;
        Ok(format!("wrote {file}", file = file.display()))
    }
}
