//! Executes what the user types in the debug console.

use super::command::{Given, Queued, What, given};
use super::debuggee::{Debuggee, Phase};
use super::listing::{Said, help};
use super::outbox::Outbox;
use super::protocol::Event;
use super::refusal::Refusal;
use super::run_reason::Aim;
use super::wording;
use crate::launch::Workspace as _;
use crate::query::Profile;
use crate::session::grammar;
use crate::session::outer::Outer;
use crate::session::{BreakpointId, Command, Direction, Landmark, Restart, Sought, Switch};
use Direction::{Backward, Forward};
use std::path::Path;

/// Maximum number of waiting commands.
const MOST_QUEUED: usize = 20_000;

impl Debuggee {
    /// Executes a command and returns its output.
    pub fn console(&mut self, command: &Given, out: &mut Outbox) -> Said {
        let (what, bang, argument) = match command {
            Given::Unknown(problem) => return Err(Refusal::new(problem.clone())),
            Given::Screen(name) => {
                return Err(Refusal::new(format!("{name} works only in the terminal")));
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
        match what {
            What::Pause => {
                self.queue.clear();
                if let Phase::Running(_) = self.phase {
                    self.apply(Command::Pause, out)?;
                    self.phase = Phase::Running(Aim::Pause);
                }
                Ok(String::new())
            }
            What::Until => self.until(argument, out),
            What::Restart => {
                let kept = match bang {
                    true => Restart::Fresh,
                    false => Restart::KeepAnswers,
                };
                self.go_on_with(Command::Restart(kept), Aim::Entry, out)
            }
            What::Goto => self.goto_state(argument, out),
            What::Input => self.take_input(argument, out),
            What::Profile => {
                let profile = match argument {
                    "spec" => Profile::Spec,
                    "aws" => Profile::Aws,
                    _ => return Err("profile spec, or profile aws".into()),
                };
                self.go_on_with(Command::SetProfile(profile), Aim::Reload, out)
            }
            What::Event => {
                let event = self.session.event_named(argument)?;
                self.go_on_with(Command::Travel(event), Aim::Step, out)
            }
            What::WhoWrote => {
                let sought = match self.session.view().led_to {
                    _ if !argument.is_empty() => Sought::Path(argument.into()),
                    Some(led) => Sought::At(led.holder, led.at),
                    None => return Err("who wrote what? who PATH".into()),
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
                None => Err("no stop has moved the focus".into()),
            },
            What::Break => self.set_break(argument, false, out),
            What::TemporaryBreak => self.set_break(argument, true, out),
            What::Delete if argument.is_empty() => self.say(Command::RemoveAllBreaks, out),
            What::Delete => self.say(Command::RemoveBreak(number(argument)?), out),
            What::Enable => self.say(Command::EnableBreak(number(argument)?, Switch::On), out),
            What::Disable => self.say(Command::EnableBreak(number(argument)?, Switch::Off), out),
            What::StopOn => self.stop_on(argument, out),
            What::Answer => self.answer(argument, out),
            What::Fail => self.fail(argument, out),
            What::NeverAnswer => self.never_answer(out),
            What::Edit => self.edit(argument, out),
            What::Print if argument.is_empty() => Err("print what? print EXPR".into()),
            What::Print => self.print(argument),
            What::Why => self.why(),
            What::Watch if argument.is_empty() => Err("watch what? watch EXPR".into()),
            What::Watch => self.say(Command::Watch(argument.into()), out),
            What::Unwatch => self.unwatch(argument, out),
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
            _ => Err("this cannot be done here".into()),
        }
    }

    /// Executes the next queued command.
    pub fn next_of_queue(&mut self, out: &mut Outbox) {
        if !self.has_queued() {
            return;
        }
        match self.queue.pop_front() {
            Some(Queued::Repeat(command)) => {
                let begun = self.run(command, Aim::Step, out);
                // If a repeated command is refused once, the remaining repetitions would be refused, too.
                begun.unwrap_or_else(|_| self.queue.clear());
            }
            Some(Queued::Line(line)) => self.scripted(&line, out),
            None => {}
        }
        if self.queue.is_empty() && self.phase == Phase::Stopped {
            self.tell_stop(Aim::Step, out);
        }
    }

    /// Executes a line of a script.
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
        Ok(wording::reply(&reply).unwrap_or_default())
    }

    /// Applies a command that continues the run and reports that, because no request of the client did.
    fn go_on_with(&mut self, command: Command, aim: Aim, out: &mut Outbox) -> Said {
        let thread = self.focus_frame().map_or(1, super::debuggee::thread_of);
        self.run(command, aim, out)?;
        out.event(Event::Continued {
            thread_id: thread,
            all_threads_continued: true,
        });
        Ok(String::new())
    }

    fn go_repeatedly(&mut self, command: Command, argument: &str, out: &mut Outbox) -> Said {
        let count = match argument {
            "" => 1,
            text => text
                .parse::<u64>()
                .ok()
                .filter(|count| (1..=100_000).contains(count))
                .ok_or_else(|| Refusal::new(format!("{text} is not a count from 1 to 100000")))?,
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

    fn until(&mut self, argument: &str, out: &mut Outbox) -> Said {
        if argument.is_empty() {
            return Err("until which state? until STATE, or until EVENT".into());
        }
        if let Ok(event) = argument.parse::<u64>() {
            return self.go_on_with(Command::Travel(event), Aim::Step, out);
        }
        let state = grammar::state_named(argument, self.session.definition())?;
        self.go_on_with(Command::RunTo(state), Aim::Goto, out)
    }

    fn goto_state(&mut self, argument: &str, out: &mut Outbox) -> Said {
        let (state, input) = grammar::parse_goto(argument, self.session.definition())?;
        let input = match input {
            "" => None,
            text => Some(self.read_input(text)?),
        };
        let command = Command::Begin {
            start_at: Some(state),
            input,
        };
        self.go_on_with(command, Aim::Goto, out)
    }

    fn take_input(&mut self, argument: &str, out: &mut Outbox) -> Said {
        if argument.is_empty() {
            return Err("input FILE, input JSON, or input event:SERVICE".into());
        }
        let command = Command::Begin {
            start_at: None,
            input: Some(self.read_input(argument)?),
        };
        self.go_on_with(command, Aim::Entry, out)
    }

    fn read_input(&self, typed: &str) -> Result<crate::json::Value, Refusal> {
        let value = self.project.value(typed);
        value.map_err(|error| Refusal::new(error.brief()))
    }

    fn move_focus(&mut self, command: Command, out: &mut Outbox) -> Said {
        self.standing()?;
        self.apply(command, out)?;
        self.invalidate(&["stacks", "variables"], out);
        let view = self.session.view();
        let state = view
            .current
            .and_then(|id| self.session.definition().state(id));
        let state = state.map_or("", |state| &*state.name);
        Ok(format!("stepping in {}, at {state}", view.header.frame))
    }

    fn set_break(&mut self, argument: &str, once: bool, out: &mut Outbox) -> Said {
        let typed = grammar::parse_breakpoint(argument, self.session.definition())?;
        let own = self.session.definition().node.span.source;
        let command = typed.command(own, once);
        self.say(command, out)
    }

    fn stop_on(&mut self, argument: &str, out: &mut Outbox) -> Said {
        if argument.is_empty() {
            return self.info("stops");
        }
        let command = grammar::parse_stop_on(
            argument,
            &self.session.stops_on(),
            self.session.stops_on_difference(),
        )?;
        self.apply(command, out)?;
        self.info("stops")
    }

    /// `edit PATH JSON`: the longest prefix that parses as a path is the path, the rest is JSON.
    fn edit(&mut self, argument: &str, out: &mut Outbox) -> Said {
        let usage = || Refusal::new("edit which value? edit PATH JSON, such as edit $input.qty 3");
        let frame = self
            .focus_frame()
            .ok_or_else(|| Refusal::new("nothing has run yet"))?;
        let blanks = argument
            .char_indices()
            .filter(|(_, c)| c.is_whitespace() || *c == '=');
        let ends: Vec<usize> = blanks.map(|(at, _)| at).collect();
        let mut problem = None;
        for end in ends {
            let (path, json) = argument.split_at_checked(end).ok_or_else(usage)?;
            let json = json.trim_start_matches(|c: char| c.is_whitespace() || c == '=');
            match self.place_of_expression(frame, path.trim()) {
                Ok(place) => {
                    let expression = Some(path.trim().to_string());
                    let changed = self.change(frame, expression, place, json, out)?;
                    return Ok(format!("{} = {}", path.trim(), changed.value));
                }
                Err(refusal) => problem = problem.or(Some(refusal)),
            }
        }
        Err(problem.unwrap_or_else(usage))
    }

    fn unwatch(&mut self, argument: &str, out: &mut Outbox) -> Said {
        let watches = self.session.view().watches;
        let place = match argument.parse::<usize>() {
            Ok(number) => number.checked_sub(1).filter(|place| *place < watches.len()),
            Err(_) if argument.is_empty() => watches.len().checked_sub(1),
            Err(_) => watches.iter().position(|watch| &*watch.text == argument),
        };
        let place = place.ok_or_else(|| Refusal::new(format!("no watch is {argument}")))?;
        self.say(Command::Unwatch(place), out)
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
        let chosen = self
            .project
            .choose_case(name, self.outer.outermost(&self.session).saved().as_ref());
        self.outer = Outer::default();
        self.session = chosen.map_err(|error| Refusal::new(error.brief()))?;
        self.handles.clear();
        self.set_lists_again(out);
        self.phase = Phase::Running(Aim::Entry);
        Ok(String::new())
    }

    fn script(&mut self, argument: &str) -> Said {
        if argument.is_empty() {
            return Err("source which file? source FILE".into());
        }
        let file = self.project.text(Path::new(argument));
        let file = file.map_err(|error| Refusal::new(error.brief()))?;
        let count = file.text.lines().count();
        if self.queue.len().saturating_add(count) > MOST_QUEUED {
            return Err(Refusal::new(format!(
                "more than {MOST_QUEUED} commands would be waiting, so none of them is run; does a script run itself?"
            )));
        }
        for line in file.text.lines().rev() {
            self.queue.push_front(Queued::Line(line.to_string()));
        }
        Ok(String::new())
    }
}

/// The session command of a console command without arguments.
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

fn number(argument: &str) -> Result<BreakpointId, Refusal> {
    let id = argument.trim().parse::<u32>().map(BreakpointId);
    id.map_err(|_| Refusal::new(format!("no breakpoint has the number {argument}")))
}
