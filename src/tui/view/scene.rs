//! Everything needed to draw a frame.

use crate::definition::Definition;
use crate::interpreter::Millis;
use crate::session::view::{EventRow, View};
use crate::tui::action::Pane;
use crate::tui::border::Brush;
use crate::tui::caption::{self, Said};
use crate::tui::finding::Findings;
use crate::tui::keymap::Keymap;
use crate::tui::layout::Layout;
use crate::tui::model::Model;
use crate::tui::pane::{Paint, Rows, Text};
use crate::tui::reached::Reached;

/// Everything needed to draw the screen once.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The run at the cursor.
    pub view: &'a View,
    /// The definition in use.
    pub definition: &'a Definition,
    /// Text about executions that clients started: the name of the one on the screen, and how many others wait; if
    /// there is neither, the address of the server.
    pub execution: Option<&'a str>,
    /// Name of the parent's state machine, if the user stepped into a child execution, which is now on the screen.
    pub child_of: Option<&'a str>,
    /// Source text of the definition.
    pub text: Text<'a>,
    /// Access to the recorded events.
    pub rows: &'a Rows<'a>,
    /// Event at the cursor.
    pub last: Option<&'a EventRow>,
    /// Theme and glyphs.
    pub brush: Brush<'a>,
    /// Key bindings.
    pub keymap: &'a Keymap,
    /// True if the run is in progress.
    pub busy: bool,
    /// The deadline for which the run waits in real time, in milliseconds of the run's clock.
    pub rest: Option<Millis>,
    /// Findings of `check`.
    pub findings: &'a Findings,
    /// Coverage of the definition by test cases; `None` while no coverage is shown.
    pub reached: Option<&'a Reached>,
}

impl<'a> Scene<'a> {
    /// Sentences about the position of the run and the reason for the stop. `is_beside` is true if the state pane is
    /// visible.
    pub(super) fn sentence(&self, is_beside: bool) -> Said {
        let Self {
            view,
            definition,
            last,
            keymap,
            findings,
            ..
        } = *self;
        caption::sentence(view, definition, last, keymap, findings, is_beside)
    }

    pub(super) fn paint(&self, model: &Model, pane: Pane) -> Paint<'a> {
        Paint {
            view: self.view,
            definition: self.definition,
            theme: self.brush.theme,
            glyphs: self.brush.glyphs,
            focused: model.focus == pane && model.popup.is_none(),
            level: model.level,
            findings: self.findings,
            reached: self.reached,
            text: self.text,
            rows: self.rows,
            alone: false,
        }
    }

    /// Drawing context of a pane at its place on the screen.
    #[must_use]
    pub fn paint_in(&self, model: &Model, layout: &Layout, pane: Pane) -> Paint<'a> {
        Paint {
            alone: layout.panes.len() == 1,
            ..self.paint(model, pane)
        }
    }
}
