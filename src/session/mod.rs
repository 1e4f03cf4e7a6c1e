//! A person watching a run: commands in, views and notices out; answers, timeline, stops, breakpoints, going back, reload.
//!
//! It must not know files, threads, the wall clock or the terminal.

pub mod answers;
pub mod breakpoint;
pub mod command;
pub mod shape;
pub mod stop;
pub mod view;

pub use breakpoint::{Breakpoint, BreakpointId, ErrorMoment, Location, Part};
pub use command::{Command, Direction, Notice, Progress, Restart, Switch};
pub use stop::Stop;
pub use view::View;

use crate::definition::Definition;
use crate::interpreter::AskId;
use crate::json::Value;
use crate::query::Profile;
use crate::source::{Diagnostics, SourceMap};
use std::sync::Arc;
use view::{AnswerOffer, EventRow};

/// One debugging session over one definition.
pub struct Session {
    placeholder: std::convert::Infallible,
}

impl Session {
    /// Does what a command says, or begins to. Running and travelling go on in [`Session::advance`].
    pub fn apply(&mut self, command: Command) -> Vec<Notice> {
        match self.placeholder {}
    }

    /// Runs or travels for at most `events` events; a front end calls it between frames while it answers `Running`.
    pub fn advance(&mut self, events: u64) -> Progress {
        match self.placeholder {}
    }

    /// Whether [`Session::advance`] has something to do.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        match self.placeholder {}
    }

    /// The definition in force.
    #[must_use]
    pub fn definition(&self) -> &Arc<Definition> {
        match self.placeholder {}
    }

    /// What its text was found to have, in force or of the refused reload.
    #[must_use]
    pub fn diagnostics(&self) -> &Diagnostics {
        match self.placeholder {}
    }

    /// The sources to show: of the refused reload while there is one, else of the definition in force.
    #[must_use]
    pub fn sources(&self) -> &Arc<SourceMap> {
        match self.placeholder {}
    }

    /// Everything about the run at the cursor.
    #[must_use]
    pub fn view(&self) -> View {
        match self.placeholder {}
    }

    /// The recorded events of these numbers (from 1), as rows.
    #[must_use]
    pub fn rows(&self, numbers: std::ops::Range<u64>) -> Vec<EventRow> {
        match self.placeholder {}
    }

    /// What a person may answer to a question.
    #[must_use]
    pub fn offer(&self, ask: AskId) -> Option<AnswerOffer> {
        match self.placeholder {}
    }

    /// Takes a changed text: blocking errors keep the old definition in force, else the log is replayed.
    pub fn reload(&mut self, definition: Arc<Definition>, diagnostics: Diagnostics) -> Vec<Notice> {
        match self.placeholder {}
    }

    /// Evaluates an expression (a path or an intrinsic) at the cursor against the current document.
    ///
    /// # Errors
    /// Why there is no value, in one sentence.
    pub fn evaluate(&self, expression: &str) -> Result<Value, String> {
        match self.placeholder {}
    }

    /// The event before the cursor at which the value of this path in the data last changed (who wrote it).
    #[must_use]
    pub fn writer_of(&self, path: &str) -> Option<u64> {
        match self.placeholder {}
    }

    /// The next event from the cursor whose row holds `text`.
    #[must_use]
    pub fn find_event(&self, text: &str, direction: Direction) -> Option<u64> {
        match self.placeholder {}
    }

    /// Which moments of errors stop now.
    #[must_use]
    pub fn stops_on(&self) -> Vec<ErrorMoment> {
        match self.placeholder {}
    }

    /// Whom it follows.
    #[must_use]
    pub fn profile(&self) -> Profile {
        match self.placeholder {}
    }
}
