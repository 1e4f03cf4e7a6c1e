//! Commands for executions that clients of the local server started.

use crate::session::view::RunStatus;
use crate::session::{Session, Stop};
use crate::tui::action::Action;
use crate::tui::app::{App, SLICE};
use crate::tui::executions::Ran;
use crate::tui::popup::picker::{Item, Picker};
use crate::tui::popup::{Popup, Reply};
use crate::tui::theme::Role;
use std::time::Instant;

/// Argument that selects the run of the opened file instead of a client's execution.
const FILE: &str = "-";

impl App {
    /// Adds the executions that have arrived to the list, and processes clients' requests to stop.
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

    /// The session of the opened file. Its settings are saved.
    pub(in crate::tui) fn file_session(&self) -> &Session {
        let file = self.executions.file();
        file.unwrap_or_else(|| self.outer.outermost(&self.session))
    }

    /// Runs executions in the background for some milliseconds.
    pub(in crate::tui) fn run_others(&mut self) {
        // First execute the commands given at the start, because they may set breakpoints.
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
            let key = self
                .setup
                .keymap
                .shown(Action::Executions)
                .unwrap_or_default();
            let detail = entry.detail(&self.session);
            let text = format!("execution {}: {detail}; {key} opens it", entry.name);
            self.model.say(text, Role::Info);
        }
    }

    /// True if an execution may be shown without a command of the user.
    fn is_free(&self) -> bool {
        let is_idle = match &self.view.header.status {
            RunStatus::Succeeded { .. } | RunStatus::Failed(_) | RunStatus::TimedOut => true,
            RunStatus::Ready => true,
            RunStatus::Paused(stop) => *stop == Stop::Start,
            _ => false,
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

    /// Shows the run of the opened file.
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
        if self.setup.realtime.is_some() {
            self.session.hold_clock();
        }
        self.other_execution();
        if !self.executions.shows_foreign() && std::mem::take(&mut self.executions.is_file_changed)
        {
            self.reload();
        }
    }

    /// Lists the executions, or opens the one with this name.
    pub(in crate::tui) fn executions(&mut self, argument: &str) -> Result<(), String> {
        if self.setup.door.is_none() {
            return Err(
                "no server runs here; asldbg FILE --listen 127.0.0.1:8083 starts one".into(),
            );
        }
        let all = self.executions.all();
        if argument.is_empty() {
            let entries = all.iter().rev();
            let mut items: Vec<Item> = entries
                .map(|entry| Item {
                    name: entry.name.clone(),
                    detail: entry.detail(&self.session),
                    reply: Reply::Line(format!("executions {}", entry.name)),
                })
                .collect();
            let machine = &self.file_session().definition().name;
            items.push(Item {
                name: machine.to_string(),
                detail: "the run of the file".to_string(),
                reply: Reply::Line(format!("executions {FILE}")),
            });
            self.open(Popup::Picker(Picker::new("Executions", items, "")));
            return Ok(());
        }
        if argument == FILE {
            self.show_file();
            return Ok(());
        }
        let place = all.iter().rposition(|entry| entry.name == argument);
        let place = place.ok_or_else(|| format!("there is no execution {argument}"))?;
        if self.executions.shown() != Some(place) {
            self.show_execution(place);
        }
        Ok(())
    }

    /// Holds the executions in the background, or lets them continue.
    pub(in crate::tui) fn hold(&mut self, argument: &str) -> Result<(), String> {
        self.executions.is_held = match argument {
            "" => !self.executions.is_held,
            "on" => true,
            "off" => false,
            _ => return Err("hold, hold on, or hold off".into()),
        };
        let text = match self.executions.is_held {
            true => "the other executions are paused; hold off lets them run",
            false => "the other executions run to their next stop",
        };
        self.model.say(text, Role::Info);
        Ok(())
    }
}
