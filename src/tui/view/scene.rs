//! The data needed to draw the screen once.

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

/// The data needed to draw the screen once, except for the model.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The session's view of the run at the cursor.
    pub view: &'a View,
    /// The definition in use.
    pub definition: &'a Definition,
    /// Text about the executions that clients started: the name of the one on the screen, and how many others wait. If
    /// there is neither, the address of the API server.
    pub execution: Option<&'a str>,
    /// Name of the parent's state machine, if the screen shows a child execution that the user stepped into.
    pub child_of: Option<&'a str>,
    /// Source text of the definition.
    pub text: Text<'a>,
    /// Access to the recorded events.
    pub rows: &'a Rows<'a>,
    /// The event at the cursor.
    pub last: Option<&'a EventRow>,
    /// Theme and glyphs.
    pub brush: Brush<'a>,
    /// Key bindings.
    pub keymap: &'a Keymap,
    /// True if the run is in progress, not halted at a stop.
    pub busy: bool,
    /// The time of the run's clock until which the run waits in real time, in milliseconds; `None` if it does not wait.
    pub rest: Option<Millis>,
    /// Findings of `check`.
    pub findings: &'a Findings,
    /// Coverage of the definition by test cases; `None` while no coverage is shown.
    pub reached: Option<&'a Reached>,
}

impl<'a> Scene<'a> {
    /// Sentences that say where the run is and why it stopped. `is_beside` is true if the state pane is visible.
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

    /// The drawing context for a pane in its area of the screen.
    #[must_use]
    pub fn paint_in(&self, model: &Model, layout: &Layout, pane: Pane) -> Paint<'a> {
        Paint {
            alone: layout.panes.len() == 1,
            ..self.paint(model, pane)
        }
    }
}
