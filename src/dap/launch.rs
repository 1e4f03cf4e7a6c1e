//! Opens, starts, restarts and reloads the debuggee, and reports the findings of `check` on its definition.

use super::client::Client;
use super::command::{Queued, refusal, reply_text};
use super::debuggee::{Aim, Debuggee, Lists, Manner, Phase, Progress};
use super::handle::Handles;
use super::launch_arguments::{LaunchArguments, launch_error, misspelt};
use super::message::{Outbox, Refusal};
use super::protocol::RestartArguments;
use crate::definition::LintRule;
use crate::launch::{LaunchConfig, Project, Question, Workspace as _};
use crate::session::Outer;
use crate::session::{Command, Direction, Restart, Stop};
use crate::source::{Diagnostic, Severity, SourceMap, short};
use crate::wording::note;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

impl Debuggee {
    /// Opens the definition that a launch configuration names, and creates the session. Nothing runs yet.
    pub fn open(
        client: Client,
        arguments: Value,
        base: &LaunchConfig,
        out: &mut Outbox,
    ) -> Result<Self, Refusal> {
        let launch: LaunchArguments = match &arguments {
            Value::Null => LaunchArguments::default(),
            given => serde_json::from_value(given.clone())
                .map_err(|error| Refusal::shown(format!("launch: {error}")))?,
        };
        let config = launch.config(base)?;
        let mut project = Project::open(config).map_err(|error| launch_error(&error))?;
        let begun = project.begin().map_err(|error| launch_error(&error))?;
        for text in misspelt(&arguments) {
            out.output("important", &text);
        }
        let origin = begun.origin;
        let no_input = "\"input\" of the launch configuration sets the input";
        for text in origin.notes.iter().filter_map(|text| note(text, no_input)) {
            out.say(&text);
        }
        if origin.ask.contains(&Question::Case) {
            let cases = origin.cases.join(", ");
            let text = format!(
                "the mock file has several test cases, so none is used ({cases}); name a case as \"testCase\", or type: case NAME"
            );
            out.output("important", &text);
        }
        let debuggee = Self {
            client,
            session: begun.session,
            outer: Outer::default(),
            project,
            origin,
            launched: arguments,
            manner: Manner {
                stop_on_entry: launch.stop_on_entry,
                stop_at_end: launch.stop_at_end,
                no_debug: launch.no_debug,
            },
            phase: Phase::Configuring,
            handles: Handles::default(),
            lists: Lists::default(),
            threads: BTreeSet::new(),
            frame_before: None,
            queue: launch.commands.into_iter().map(Queued::Line).collect(),
            progress: Progress::default(),
            watch_again: true,
        };
        debuggee.tell_findings(out);
        Ok(debuggee)
    }

    /// Handles `configurationDone`, which says that the client has set its breakpoints: starts the run.
    pub fn configured(&mut self, out: &mut Outbox) -> Result<(), Refusal> {
        if self.phase != Phase::Configuring {
            return Err(Refusal::new(
                "the request \"configurationDone\" was already sent",
            ));
        }
        self.begin(out);
        Ok(())
    }

    /// Starts the run from its beginning. With `stop_on_entry` or queued commands, the run stops before the first
    /// state.
    pub fn begin(&mut self, out: &mut Outbox) {
        if self.manner.no_debug {
            self.lists = Lists::default();
            for command in super::breakpoint::nothing_stops() {
                // The session never refuses these commands.
                drop(self.apply(command, out));
            }
        }
        if self.manner.stop_on_entry || !self.queue.is_empty() {
            self.phase = Phase::Running(Aim::Entry);
            return;
        }
        self.run_from_start(out);
    }

    /// Moves the session back to before the first event, and then lets it run. A breakpoint on the first state can stop
    /// this run.
    pub fn run_from_start(&mut self, out: &mut Outbox) {
        self.set_off(Command::Travel(0), Aim::Rewind, out);
    }

    /// Continues a run that has moved back to its start, or that has come to the end of its earlier recorded events.
    pub fn go_on(&mut self, out: &mut Outbox) {
        self.set_off(Command::Continue(Direction::Forward), Aim::Start, out);
    }

    /// Applies a command that starts a run or continues its start. If the session refuses the command, the run stops at
    /// once.
    fn set_off(&mut self, command: Command, aim: Aim, out: &mut Outbox) {
        let applied = self.apply(command, out);
        self.phase = Phase::Running(applied.map_or(Aim::Entry, |_| aim));
    }

    /// True if the session has stopped only because it came to the end of the events that were recorded earlier. The
    /// run then has to continue.
    pub fn is_passing(&self, aim: Aim) -> bool {
        aim == Aim::Start && *self.session.stop() == Stop::Travel
    }

    /// Restarts the run and keeps its answers. If the client sends a changed launch configuration, launches with the
    /// changed configuration instead.
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
                if let Some(text) = reply_text(&reply) {
                    out.say(&text);
                }
            }
            Some(given) => {
                let opened = Self::open(self.client, given, base, out)?;
                let before = std::mem::replace(self, opened);
                (self.lists, self.progress) = (before.lists, before.progress);
                self.set_lists_again(out);
            }
        }
        self.handles.clear();
        self.threads.clear();
        self.begin(out);
        Ok(())
    }

    /// Tells the client that the run has ended. The recorded events stay, so the client can still inspect them.
    pub fn terminate(&mut self, out: &mut Outbox) {
        if self.phase == Phase::Ended {
            return;
        }
        // The session never refuses to pause.
        drop(self.apply(Command::Pause, out));
        self.end_progress(out);
        self.queue.clear();
        self.phase = Phase::Ended;
        out.event("terminated", Value::Null);
    }
}

impl Debuggee {
    /// Reads the definition again, and repeats the recorded run with the new definition.
    pub fn reload(&mut self, out: &mut Outbox) {
        if self.phase == Phase::Ended {
            return;
        }
        let reloaded = match self.project.reload() {
            Ok(reloaded) => reloaded,
            Err(problem) => return out.output("important", &format!("reload: {problem}")),
        };
        for file in reloaded.definition.sources.named() {
            let path = PathBuf::from(&*file.name);
            if !self.origin.watched.contains(&path) {
                self.origin.watched.push(path);
                self.watch_again = true;
            }
        }
        self.leave_children(out);
        self.session.set_children(reloaded.children);
        if let Some(recorded) = reloaded.recorded {
            self.session.take_recording(recorded);
        }
        let session = &mut self.session;
        let result = session.reload(reloaded.definition, reloaded.diagnostics);
        self.tell_outputs(out);
        self.handles.clear();
        match &result {
            Err(refused) => out.output("important", &refusal(refused).text),
            Ok(reply) => {
                if let Some(text) = reply_text(reply) {
                    out.say(&text);
                }
            }
        }
        self.tell_findings(out);
        if result.is_ok() {
            self.move_lists(out);
            self.tell_sources("changed", out);
            if self.phase != Phase::Configuring {
                self.phase = Phase::Running(Aim::Reload);
            }
        }
    }

    /// Tells a client that supports the `invalidated` event to request the data of these areas of its display again. An
    /// area is a word of the protocol, such as `variables`.
    pub fn invalidate(&self, areas: &[&'static str], out: &mut Outbox) {
        if self.client.invalidated {
            out.event("invalidated", json!({"areas": areas}));
        }
    }
}

/// Maximum number of findings to report.
const MOST_FINDINGS: usize = 200;

impl Debuggee {
    /// Reports the findings of `check` on the definition.
    fn tell_findings(&self, out: &mut Outbox) {
        let (findings, sources) = (self.session.diagnostics(), self.session.sources());
        for finding in findings.iter().take(MOST_FINDINGS) {
            let place = finding.span.and_then(|span| {
                let file = sources.get(span.source)?;
                let (line, column) = self.client.place(file, span.start as usize);
                Some(((self.source_view(span.source, file), line), column))
            });
            let (place, column) = place.unzip();
            let category = match finding.severity {
                Severity::Error => "stderr",
                _ => "console",
            };
            out.output_at(category, &finding_line(finding, sources), place, column);
        }
        if findings.len() > MOST_FINDINGS {
            let more = findings.len() - MOST_FINDINGS;
            out.say(&format!(
                "{more} more findings; \"asldbg check\" lists them"
            ));
        }
    }
}

/// Writes a finding as one line, with the name of its rule.
pub(super) fn finding_line(finding: &Diagnostic, sources: &SourceMap) -> String {
    let rule = LintRule::of(finding.rule);
    let rule = rule.map_or_else(String::new, |rule| format!(" [{}]", rule.name));
    short(finding, sources) + &rule
}
