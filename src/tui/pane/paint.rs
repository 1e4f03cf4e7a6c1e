//! The drawing context that every pane receives.

use crate::definition::{Definition, StateId};
use crate::json::visible;
use crate::session::view::{EventRow, View};
use crate::source::{Diagnostic, SourceId, SourceMap, Span};
use crate::tui::border::Brush;
use crate::tui::finding::Findings;
use crate::tui::fit::width;
use crate::tui::glyph::Glyphs;
use crate::tui::reached::Reached;
use crate::tui::theme::{Role, Theme};
use ratatui::style::Style;
use std::ops::Range;

/// Everything that a pane needs for drawing.
#[derive(Clone, Copy)]
pub struct Paint<'a> {
    /// The run at the current event, which is the event that the session shows.
    pub view: &'a View,
    /// The definition that the run uses.
    pub definition: &'a Definition,
    /// The style for each [`Role`], which is the meaning of a text on the screen.
    pub theme: &'a Theme,
    /// The symbols and border characters to draw with.
    pub glyphs: &'a Glyphs,
    /// True if the pane has the focus.
    pub focused: bool,
    /// The inspection level: the amount of the state's data that is shown.
    pub level: Level,
    /// Findings of `check`.
    pub findings: &'a Findings,
    /// Coverage by test cases; `None` while coverage is not shown.
    pub reached: Option<&'a Reached>,
    /// The text of the definition.
    pub text: Text<'a>,
    /// Function that reads recorded events by their numbers.
    pub rows: &'a Rows<'a>,
    /// True if the pane is the only one on the screen.
    pub alone: bool,
}

impl<'a> Paint<'a> {
    /// The theme and the glyphs, for drawing without the rest of this context.
    #[must_use]
    pub fn brush(&self) -> Brush<'a> {
        Brush {
            theme: self.theme,
            glyphs: self.glyphs,
        }
    }

    /// The style that the theme gives to a text with this role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Width of the longest name of a state.
    pub(super) fn longest_name(&self) -> usize {
        let states = self.definition.states.iter();
        states.map(|state| width(&state.name)).max().unwrap_or(0)
    }

    /// Symbol and style role of a state. They show the state's coverage while coverage is shown, and otherwise the
    /// state's status in the run.
    pub(super) fn mark_of(&self, state: StateId) -> (&'static str, Role) {
        match self.reached.map(|reached| reached.state(state).share) {
            Some(share) => (share.sign(self.glyphs), share.role()),
            None => {
                let status = self.view.status_of(state);
                (self.glyphs.status(status), Role::of(status))
            }
        }
    }

    /// True if a state was reached: by test cases while coverage is shown, otherwise by the run.
    pub(super) fn is_reached(&self, state: StateId) -> bool {
        match self.reached {
            Some(reached) => reached.state(state).times > 0,
            None => self
                .view
                .of_state(state)
                .is_some_and(|state| state.visits > 0),
        }
    }

    /// Line in which a span begins, such as `:41`; empty if there is no span.
    pub(super) fn line_of(&self, span: Option<Span>) -> String {
        let line = span.and_then(|span| self.definition.sources.line(span));
        line.map_or_else(String::new, |line| format!(":{line}"))
    }
}

/// The text of the definition.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// The files of the definition.
    pub sources: &'a SourceMap,
    /// Errors, warnings and notes about the files.
    pub diagnostics: &'a [Diagnostic],
    /// True if the run uses this text. Otherwise the run uses an older text, and the spans in the run's view refer to
    /// the older text.
    pub in_force: bool,
    /// Name that the first file gives to the state machine; `None` if the file gives it no name.
    pub machine: Option<&'a str>,
}

impl Text<'_> {
    /// File name without folders, and the name of the state machine if the file contains several.
    #[must_use]
    pub fn title(&self, source: SourceId) -> String {
        let Some(file) = self.sources.get(source) else {
            return String::new();
        };
        let name = match file.derived {
            // The name already contains the file and the state machine.
            true => &*file.name,
            false => file.name.rsplit('/').next().unwrap_or(&file.name),
        };
        match self.machine.filter(|_| source == SourceId(0)) {
            Some(machine) => visible(&format!("{name} > {machine}")).into_owned(),
            None => visible(name).into_owned(),
        }
    }
}

/// A function that returns the events of the run with these numbers; the first event has number 1.
pub type Rows<'a> = dyn Fn(Range<u64>) -> Vec<EventRow> + 'a;

/// The amount of a state's data that is shown, named as the inspection levels of AWS's TestState.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The input and the output of the state.
    Info,
    /// Input, result, output, every other stage that a field of the state produces, and variables.
    #[default]
    Debug,
    /// All stages, variables and the context object.
    Trace,
}

impl Level {
    /// The next level, cyclically.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Info => Self::Debug,
            Self::Debug => Self::Trace,
            Self::Trace => Self::Info,
        }
    }

    /// Name of the level: `INFO`, `DEBUG`, `TRACE`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
            Self::Trace => "TRACE",
        }
    }
}
