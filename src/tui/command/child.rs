//! Orders for stepping into and out of child executions.

use crate::session::Left;
use crate::session::view::RunStatus;
use crate::session::{Command, Direction, Stop};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::theme::Role;

impl App {
    /// Enters the child execution at which the run is stopped.
    pub(in crate::tui) fn enter_child(&mut self) {
        if !matches!(self.session.stop(), Stop::Child(_)) || !self.outer.enter(&mut self.session) {
            return;
        }
        if self.setup.realtime.is_some() {
            self.session.hold_clock();
        }
        self.other_execution();
        let around = self.outer.sessions().next_back();
        let around = around.map_or("", |around| &*around.definition().name);
        let child = &self.session.definition().name;
        let up = self.setup.keymap.shown(Action::FrameUp).unwrap_or_default();
        let text = format!(
            "in the execution of {child}, started by {around}; at its end, stepping returns to the parent; {up} returns now"
        );
        self.model.say(text, Role::Info);
    }

    /// True if a command continues from the end of a child execution, which leads back to its parent.
    pub(in crate::tui) fn leaves_child(&self, command: &Command) -> bool {
        let is_over = matches!(
            self.view.header.status,
            RunStatus::Succeeded { .. } | RunStatus::Failed(_) | RunStatus::TimedOut
        );
        let goes_on = matches!(
            command,
            Command::Step(Direction::Forward)
                | Command::Next(Direction::Forward)
                | Command::Finish(Direction::Forward)
                | Command::Continue(Direction::Forward)
        );
        !self.outer.is_empty() && is_over && goes_on
    }

    /// Returns to the parent of a child execution; returns whether there is one.
    pub(in crate::tui) fn leave_child(&mut self) -> bool {
        let Some(left) = self.outer.leave(&mut self.session) else {
            return false;
        };
        self.other_execution();
        if left == Left::Unfinished {
            let text = "back in the parent; when this run continues, the child execution runs without stepping";
            self.model.say(text, Role::Info);
        }
        true
    }

    /// Returns to the outermost execution, the only one that has files, test cases and saved settings.
    pub(in crate::tui) fn leave_children(&mut self) {
        if self.outer.leave_all(&mut self.session) {
            self.other_execution();
        }
    }

    /// Resets messages and selections, because they belong to another execution.
    pub(in crate::tui) fn other_execution(&mut self) {
        self.queue.clear();
        self.model.message = None;
        self.model.explained = None;
        self.model.frame_before = None;
        self.model.panes.follow();
        self.refresh();
    }
}
