//! Everything that a frame is drawn from.

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
use crate::tui::pane::Paint;
use crate::tui::pane::Rows;
use crate::tui::pane::Text;
use crate::tui::reached::Reached;

/// Everything that a frame is drawn from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The run at the cursor.
    pub view: &'a View,
    /// The definition in force.
    pub definition: &'a Definition,
    /// The machine around it, where this is a child execution that was stepped into.
    pub child_of: Option<&'a str>,
    /// Source text of the definition.
    pub text: Text<'a>,
    /// Access to the recorded events.
    pub rows: &'a Rows<'a>,
    /// Event at the cursor.
    pub last: Option<&'a EventRow>,
    /// Styles and signs.
    pub brush: Brush<'a>,
    /// Keys.
    pub keymap: &'a Keymap,
    /// Whether files are watched for changes.
    pub watching: bool,
    /// Whether the run is in progress.
    pub busy: bool,
    /// Deadline that it waits for in real time.
    pub rest: Option<Millis>,
    /// What `check` finds in the text.
    pub findings: &'a Findings,
    /// What test cases reached, while that is looked at.
    pub reached: Option<&'a Reached>,
}

impl<'a> Scene<'a> {
    /// Where the run stands and why; `is_beside`: the state pane is seen.
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
            outline: false,
            alone: false,
        }
    }

    /// What a pane draws from at its place on the screen.
    #[must_use]
    pub fn paint_in(&self, model: &Model, layout: &Layout, pane: Pane) -> Paint<'a> {
        Paint {
            outline: !layout.kind.has_boxes() && !model.present,
            alone: layout.panes.len() == 1,
            ..self.paint(model, pane)
        }
    }
}
