//! The slider below the timeline: position of the cursor within the recording.

use super::Paint;
use super::line::Line;
use crate::tui::fit::width;
use crate::tui::theme::Role;

/// Number of cells between the brackets of the slider.
pub(super) fn slider_width(paint: &Paint, cells: usize) -> usize {
    let digits = paint.view.header.event_count.to_string().len();
    cells.saturating_sub(digits + 3)
}

/// A line such as `[start====|15-----now] 26`.
pub(super) fn slider(paint: &Paint, cells: usize) -> Line {
    let header = &paint.view.header;
    let glyphs = paint.glyphs;
    let inner = slider_width(paint, cells);
    let knob = if header.event == header.event_count {
        glyphs.knob.to_owned()
    } else {
        format!("{}{}", glyphs.knob, header.event)
    };
    let room = inner.saturating_sub(width(&knob));
    let past = u128::from(header.event.min(header.event_count)) * room as u128
        / u128::from(header.event_count.max(1));
    let past = usize::try_from(past).unwrap_or(0);
    let future = room - past;
    let start = if past >= 8 { "start" } else { "" };
    let now = if future >= 6 { "now" } else { "" };
    Line::new()
        .text("[", Role::Dim)
        .text(start, Role::Dim)
        .text(
            glyphs.past.repeat(past.saturating_sub(start.len())),
            Role::Focus,
        )
        .text(knob, Role::Mark)
        .text(
            glyphs.future.repeat(future.saturating_sub(now.len())),
            Role::Dim,
        )
        .text(now, Role::Dim)
        .text("] ", Role::Dim)
        .text(header.event_count.to_string(), Role::Dim)
}
