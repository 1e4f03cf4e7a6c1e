//! Opens, starts and restarts the debuggee.

use super::breakpoint_list::Lists;
use super::client::Client;
use super::command::Queued;
use super::debuggee::{Debuggee, Manner, Phase, Progress};
use super::handle::Handles;
use super::launch_arguments::{LaunchArguments, misspelt};
use super::outbox::Outbox;
use super::protocol::{Event, RestartArguments};
use super::refusal::Refusal;
use super::run_reason::Aim;
use super::wording;
use crate::launch::{LaunchConfig, LaunchError, Origin, Project, Question};
use crate::session::outer::Outer;
use crate::session::{Command, Direction, Restart, Session, Stop};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// A definition that was opened.
struct Opened {
    project: Project,
    session: Session,
    origin: Origin,
    manner: Manner,
    queue: VecDeque<Queued>,
}

/// Opens the definition of a launch configuration and starts its session.
fn open(arguments: &Value, base: &LaunchConfig, out: &mut Outbox) -> Result<Opened, Refusal> {
    let launch: LaunchArguments = match arguments {
        Value::Null => LaunchArguments::default(),
        given => serde_json::from_value(given.clone())
            .map_err(|error| Refusal::shown(format!("launch: {error}")))?,
    };
    let config = launch.config(base)?;
    let failed = |error: LaunchError| Refusal::shown(wording::launch_error(&error));
    let mut project = Project::open(config).map_err(failed)?;
    let begun = project.begin().map_err(failed)?;
    for text in misspelt(arguments) {
        out.output("important", &text);
    }
    let origin = begun.origin;
    for text in origin.notes.iter().filter_map(wording::note) {
        out.say(&text);
    }
    if origin.ask.contains(&Question::Case) {
        let cases = origin.cases.join(", ");
        out.output(
            "important",
            &format!(
                "the mock file has several test cases, so none is used: {cases}; name one as \"testCase\", or type: case NAME"
            ),
        );
    }
    Ok(Opened {
        project,
        session: begun.session,
        origin,
        manner: Manner {
            stop_on_entry: launch.stop_on_entry,
            stop_at_end: launch.stop_at_end,
            no_debug: launch.no_debug,
        },
        queue: launch.commands.into_iter().map(Queued::Line).collect(),
    })
}

impl Debuggee {
    /// Opens the debuggee.
    pub fn open(
        client: Client,
        arguments: Value,
        base: &LaunchConfig,
        out: &mut Outbox,
    ) -> Result<Self, Refusal> {
        let opened = open(&arguments, base, out)?;
        let debuggee = Self {
            client,
            session: opened.session,
            outer: Outer::default(),
            project: opened.project,
            origin: opened.origin,
            launched: arguments,
            manner: opened.manner,
            phase: Phase::Configuring,
            handles: Handles::default(),
            lists: Lists::default(),
            threads: BTreeSet::new(),
            frame_before: None,
            queue: opened.queue,
            progress: Progress::default(),
            watch_again: true,
        };
        debuggee.tell_findings(out);
        Ok(debuggee)
    }

    /// Starts the run after the client has finished its configuration.
    pub fn configured(&mut self, out: &mut Outbox) -> Result<(), Refusal> {
        if self.phase != Phase::Configuring {
            return Err(Refusal::new("configurationDone was already sent"));
        }
        self.begin(out);
        Ok(())
    }

    /// Runs from the start to the first stop.
    pub fn begin(&mut self, out: &mut Outbox) {
        if self.manner.no_debug {
            self.lists.clear();
            for command in super::breakpoint::nothing_stops() {
                // These commands are never refused.
                drop(self.apply(command, out));
            }
        }
        if self.manner.stop_on_entry || !self.queue.is_empty() {
            self.phase = Phase::Running(Aim::Entry);
            return;
        }
        self.run_from_start(out);
    }

    /// Travels to before the first event, so that the run passes a breakpoint on the first state like any other, and
    /// continues.
    pub fn run_from_start(&mut self, out: &mut Outbox) {
        self.phase = match self.apply(Command::Travel(0), out) {
            Ok(_) => Phase::Running(Aim::Rewind),
            Err(_) => Phase::Running(Aim::Entry),
        };
    }

    /// Continues from before the first event, or from the end of an earlier recording.
    pub fn go_on(&mut self, out: &mut Outbox) {
        self.phase = match self.apply(Command::Continue(Direction::Forward), out) {
            Ok(_) => Phase::Running(Aim::Start),
            Err(_) => Phase::Running(Aim::Entry),
        };
    }

    /// True if the session is only at the end of events that were recorded earlier, so that the run has to continue.
    pub fn is_passing(&self, aim: Aim) -> bool {
        aim == Aim::Start && *self.session.stop() == Stop::Travel
    }

    /// Restarts. Keeps the answers if the launch configuration is unchanged; otherwise launches with the new one.
    pub fn restart(
        &mut self,
        arguments: RestartArguments,
        base: &LaunchConfig,
        out: &mut Outbox,
    ) -> Result<(), Refusal> {
        let given = arguments.arguments.filter(|given| !given.is_null());
        match given.filter(|given| *given != self.launched) {
            None => {
                self.leave_children(out);
                let reply = self.apply(Command::Restart(Restart::KeepAnswers), out)?;
                if let Some(text) = wording::reply(&reply) {
                    out.say(&text);
                }
            }
            Some(given) => {
                let opened = open(&given, base, out)?;
                self.session = opened.session;
                self.outer = Outer::default();
                self.project = opened.project;
                self.origin = opened.origin;
                self.manner = opened.manner;
                self.queue = opened.queue;
                self.launched = given;
                self.watch_again = true;
                self.tell_findings(out);
                self.set_lists_again(out);
            }
        }
        self.handles.clear();
        self.threads.clear();
        self.begin(out);
        Ok(())
    }

    /// Ends the run for the client; the recording can still be inspected.
    pub fn terminate(&mut self, out: &mut Outbox) {
        if self.phase == Phase::Ended {
            return;
        }
        // Pausing is never refused.
        drop(self.apply(Command::Pause, out));
        self.end_progress(out);
        self.queue.clear();
        self.phase = Phase::Ended;
        out.event(Event::Terminated);
    }
}
