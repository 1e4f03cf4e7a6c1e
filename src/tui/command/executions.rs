//! Orders of the user about other executions: executions that clients started on the API server of `--listen`, child
//! executions, and the recorded execution that the run repeats.

use super::screen::switched;
use crate::query::abridged;
use crate::session::recorded::{Payload, RecordedRun};
use crate::session::view::RunStatus;
use crate::session::{Command, Direction, Left, Session, Stop};
use crate::tui::action::Action;
use crate::tui::app::{App, SLICE};
use crate::tui::executions::Ran;
use crate::tui::popup::Reply;
use crate::tui::popup::picker::{Item, Picker};
use crate::tui::popup::whole::{Part, Whole};
use crate::tui::theme::Role;
use std::time::Instant;

/// Argument that selects the run of the opened file instead of a client's execution.
const FILE: &str = "-";

impl App {
    /// Adds executions that clients have just started to the list of executions. Also handles clients' requests to stop
    /// executions.
    pub(in crate::tui) fn let_in(&mut self) {
        let Some(door) = self.setup.door.clone() else {
            return;
        };
        door.hear();
        while let Some(visit) = door.take() {
            self.executions.add(visit);
        }
        for name in self.executions.look() {
            let text = format!("a client stopped the execution {name}");
            self.model.say(text, Role::Warning);
        }
    }

    /// The session of the opened file, even if it is not on the screen. Only this session's settings are saved.
    pub(in crate::tui) fn file_session(&self) -> &Session {
        let file = self.executions.file();
        file.unwrap_or_else(|| self.outer.outermost(&self.session))
    }

    /// Runs executions in the background for some milliseconds.
    pub(in crate::tui) fn run_others(&mut self) {
        // The commands given at the start are executed first, because they may set breakpoints.
        if self.executions.all().is_empty()
            || !self.queue.is_empty()
            || !self.setup.script.is_empty()
        {
            return;
        }
        let points = self.outer.outermost(&self.session);
        let (place, is_stop) = match self.executions.run(points, Instant::now() + SLICE / 2) {
            Some(Ran::Began(place)) => (place, false),
            Some(Ran::Stopped(place)) => (place, true),
            None => return,
        };
        if self.is_free() {
            self.show_execution(place);
        } else if is_stop && let Some(entry) = self.executions.all().get(place) {
            let key = self.setup.keymap.shown(Action::Executions);
            let (name, status) = (&entry.name, entry.detail(&self.session));
            let text = format!("execution {name}: {status}; press {key} to open the execution");
            self.model.say(text, Role::Info);
        }
    }

    /// True if another execution may replace the one on the screen although the user did not ask for it.
    fn is_free(&self) -> bool {
        let is_idle = match &self.view.header.status {
            RunStatus::Ready => true,
            RunStatus::Paused(stop) => *stop == Stop::Start,
            status => status.is_over(),
        };
        let is_alone = self.model.popup.is_none() && self.model.prompt.is_none();
        is_idle
            && is_alone
            && self.outer.is_empty()
            && !self.reading.is_open()
            && !self.is_at_work()
    }

    fn show_execution(&mut self, place: usize) {
        self.leave_children();
        if !self
            .executions
            .show(place, &mut self.session, &mut self.setup.origin)
        {
            return;
        }
        self.shown_another();
    }

    /// Puts the run of the opened file back on the screen.
    pub(in crate::tui) fn show_file(&mut self) {
        self.leave_children();
        if self
            .executions
            .show_file(&mut self.session, &mut self.setup.origin)
        {
            self.shown_another();
        }
    }

    fn shown_another(&mut self) {
        self.other_execution();
        if !self.executions.shows_foreign() && std::mem::take(&mut self.executions.is_file_changed)
        {
            self.reload();
        }
    }

    /// Without an argument, lists the executions; otherwise shows the execution with this name.
    pub(in crate::tui) fn executions(&mut self, argument: &str) -> Result<(), String> {
        if self.setup.door.is_none() {
            return Err(
                "no server is running; start a server with asldbg FILE --listen 127.0.0.1:8083"
                    .into(),
            );
        }
        let all = self.executions.all();
        if argument.is_empty() {
            let entries = all.iter().rev();
            let mut items: Vec<Item> = entries
                .map(|entry| {
                    let reply = Reply::Line(format!("executions {name}", name = entry.name));
                    Item::new(&entry.name, &entry.detail(&self.session), reply)
                })
                .collect();
            let machine = &self.file_session().definition().name;
            let reply = Reply::Line(format!("executions {FILE}"));
            items.push(Item::new(machine, "the run of the opened file", reply));
            self.open(Picker::new("Executions", items, ""));
            return Ok(());
        }
        if argument == FILE {
            self.show_file();
            return Ok(());
        }
        let place = all.iter().rposition(|entry| entry.name == argument);
        let place = place.ok_or_else(|| {
            format!("no execution is named {argument}; the command \"executions\" lists all names")
        })?;
        if self.executions.shown() != Some(place) {
            self.show_execution(place);
        }
        Ok(())
    }

    /// Pauses the executions in the background, or lets them continue.
    pub(in crate::tui) fn hold(&mut self, argument: &str) -> Result<(), String> {
        self.executions.is_held = switched(argument, self.executions.is_held)
            .map_err(|_| "type \"hold\", \"hold on\" or \"hold off\"")?;
        let text = match self.executions.is_held {
            true => "the other executions are paused; \"hold off\" lets these executions continue",
            false => "the other executions run to their next stop",
        };
        self.model.say(text, Role::Info);
        Ok(())
    }

    /// If the run stopped at the start of a child execution, shows this child execution.
    pub(in crate::tui) fn enter_child(&mut self) {
        if !matches!(self.session.stop(), Stop::Child(_)) || !self.outer.enter(&mut self.session) {
            return;
        }
        self.other_execution();
        let parent = self.outer.sessions().next_back();
        let parent = parent.map_or("", |parent| &*parent.definition().name);
        let child = &self.session.definition().name;
        let up = self.setup.keymap.shown(Action::FrameUp);
        let text = format!(
            "now in the child execution {child}, started by {parent}; a step past the end of {child} returns to {parent}; press {up} to return now"
        );
        self.model.say(text, Role::Info);
    }

    /// True if `command` would continue the run but the child execution on the screen has ended. The command then
    /// continues the parent.
    pub(in crate::tui) fn leaves_child(&self, command: &Command) -> bool {
        let is_over = self.view.header.status.is_over();
        let goes_on = matches!(
            command,
            Command::Step(Direction::Forward)
                | Command::Next(Direction::Forward)
                | Command::Finish(Direction::Forward)
                | Command::Continue(Direction::Forward)
        );
        !self.outer.is_empty() && is_over && goes_on
    }

    /// Goes back from a child execution to its parent. Returns false if the execution on the screen has no parent.
    pub(in crate::tui) fn leave_child(&mut self) -> bool {
        let Some(left) = self.outer.leave(&mut self.session) else {
            return false;
        };
        self.other_execution();
        if left == Left::Unfinished {
            let text = "back in the parent execution; when the parent continues, the child execution runs without stepping";
            self.model.say(text, Role::Info);
        }
        true
    }

    /// Goes back to the outermost parent, which is the only execution that has files, test cases and saved settings.
    pub(in crate::tui) fn leave_children(&mut self) {
        if self.outer.leave_all(&mut self.session) {
            self.other_execution();
        }
    }

    /// Drops the message, the queued commands and the selections, because they belong to the execution that was on the
    /// screen before.
    pub(in crate::tui) fn other_execution(&mut self) {
        self.queue.clear();
        self.model.message = None;
        self.model.explained = None;
        self.model.frame_before = None;
        self.model.panes.follow();
        if self.setup.realtime.is_some() {
            self.session.hold_clock();
        }
        self.refresh();
    }

    /// Shows the recorded execution as a list of AWS's events. A sign marks the first event at which the run differs
    /// from the recording.
    pub(in crate::tui) fn show_recording(&mut self) -> Result<(), String> {
        let nothing = "this run does not repeat a recorded execution; start asldbg with --history FILE to repeat a recorded execution";
        let run = self.session.recorded().ok_or(nothing)?;
        let repeated = self.view.recorded.as_ref();
        let repeated = repeated.map_or(0, |recorded| recorded.count);
        let difference = self.session.first_difference();
        let mut parts = Vec::new();
        if let Some(first) = difference {
            parts.push(Part::new(
                "First difference from AWS",
                first.text(),
                Role::Changed,
            ));
            parts.push(Part::new("On AWS", first.there.clone(), Role::Text));
            parts.push(Part::new("Here", first.here.clone(), Role::Text));
        }
        let text = recording_text(run, difference.and_then(|first| first.event));
        parts.push(Part::new("Events on AWS", text, Role::Text));
        let title = format!(
            "this run has repeated {repeated} of the {total} recorded events",
            total = run.recorded().count()
        );
        self.open(Whole::new(title, parts));
        Ok(())
    }
}

/// Maximum number of events to list.
const LISTED: usize = 30_000;
/// Approximate length, in bytes, to which the list cuts a value.
const VALUE: usize = 160;

/// The recorded execution as text. Each line shows one event: id, time, type, state, data. A sign marks the line of the
/// event `differs`.
fn recording_text(run: &RecordedRun, differs: Option<u32>) -> String {
    let mut text = String::new();
    for (place, event) in run.recorded().take(LISTED) {
        let mark = if differs == Some(event.id) { ">" } else { " " };
        let time = match (run.has_times, run.time(place)) {
            (true, Some(time)) => crate::tui::caption::clock(time),
            _ => String::new(),
        };
        let state = run.state_at(place).map_or("", |name| name);
        let data = match &event.data {
            Payload::Absent => event.error.as_deref().unwrap_or("").to_owned(),
            Payload::Unknown => "(not recorded)".to_owned(),
            data => data
                .value()
                .map_or_else(String::new, |value| abridged(&value, VALUE)),
        };
        let line = format!(
            "{mark} #{id:<5} {time:<12} {event_type} {state} {data}\n",
            id = event.id,
            event_type = event.type_name
        );
        text.push_str(&line);
    }
    text
}
