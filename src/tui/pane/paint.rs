//! The drawing context that every pane receives.

use crate::definition::Definition;
use crate::json::visible;
use crate::session::view::{EventRow, View};
use crate::source::{Diagnostic, SourceId, SourceMap, Span};
use crate::tui::border::Brush;
use crate::tui::finding::Findings;
use crate::tui::glyph::Glyphs;
use crate::tui::reached::Reached;
use crate::tui::theme::{Role, Theme};
use ratatui::style::Style;
use std::ops::Range;

/// Drawing context of a pane.
#[derive(Clone, Copy)]
pub struct Paint<'a> {
    /// The run at the cursor.
    pub view: &'a View,
    /// The definition the run uses.
    pub definition: &'a Definition,
    /// Styles.
    pub theme: &'a Theme,
    /// Signs.
    pub glyphs: &'a Glyphs,
    /// Whether the pane has the focus.
    pub focused: bool,
    /// How much of the pipeline is shown.
    pub level: Level,
    /// What `check` finds in the text.
    pub findings: &'a Findings,
    /// What test cases reached, while that is looked at.
    pub reached: Option<&'a Reached>,
    /// The text.
    pub text: Text<'a>,
    /// The events.
    pub rows: &'a Rows<'a>,
    /// Whether the graph has no room for boxes.
    pub outline: bool,
    /// Whether the pane is the only one on the screen.
    pub alone: bool,
}

impl<'a> Paint<'a> {
    /// Styles and signs.
    #[must_use]
    pub fn brush(&self) -> Brush<'a> {
        Brush {
            theme: self.theme,
            glyphs: self.glyphs,
        }
    }

    /// How a role is drawn.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// The line in which a place begins, behind two blanks: `  :41`; empty if there is none.
    pub(super) fn line_of(&self, span: Option<Span>) -> String {
        let place = span.and_then(|span| self.definition.sources.place(span));
        place.map_or_else(String::new, |place| format!("  :{}", place.line))
    }
}

/// The text of the definition.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// The files.
    pub sources: &'a SourceMap,
    /// Diagnostics for the files.
    pub diagnostics: &'a [Diagnostic],
    /// Whether the run uses these files; if not, the run's spans refer to another text.
    pub in_force: bool,
    /// Name of the state machine in the first file, if it has its own.
    pub machine: Option<&'a str>,
}

impl Text<'_> {
    /// A file's name without its folders, and the state machine of it where it is one of several.
    #[must_use]
    pub fn title(&self, source: SourceId) -> String {
        let Some(file) = self.sources.get(source) else {
            return String::new();
        };
        let name = match file.derived {
            // It is named after the file and the state machine already.
            true => &*file.name,
            false => file.name.rsplit('/').next().unwrap_or(&file.name),
        };
        match self.machine.filter(|_| source == SourceId(0)) {
            Some(machine) => visible(&format!("{name} > {machine}")).into_owned(),
            None => visible(name).into_owned(),
        }
    }
}

/// Gives the recorded events of these numbers (from 1).
pub type Rows<'a> = dyn Fn(Range<u64>) -> Vec<EventRow> + 'a;

/// How much of the pipeline is shown (TestState's inspection levels).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Input and output.
    Info,
    /// Every stage that has a field.
    #[default]
    Debug,
    /// All stages, variables and the context object.
    Trace,
}

impl Level {
    /// The next one, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Info => Self::Debug,
            Self::Debug => Self::Trace,
            Self::Trace => Self::Info,
        }
    }

    /// `INFO`, `DEBUG`, `TRACE`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
            Self::Trace => "TRACE",
        }
    }
}
