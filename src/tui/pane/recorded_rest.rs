//! Shows the recorded events from the first difference on, beside the run's own events.

use super::Motion;
use super::Paint;
use super::line::{Line, align, clock};
use super::list::moved;
use crate::json::visible;
use crate::session::recorded::RecordedRow;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// From this number of columns on, the run's own events and the recorded ones are shown side by side.
const BESIDE: u16 = 130;
/// Minimum number of rows for showing the recorded events.
const LEAST: u16 = 6;

/// Scroll position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordedRest {
    top: usize,
    height: usize,
}

fn rows<'p>(paint: &Paint<'p>) -> &'p [RecordedRow] {
    let recorded = paint.view.recorded.as_ref();
    recorded.map_or(&[], |recorded| &recorded.rest)
}

/// The areas for the run's own events and for the recorded ones.
pub(super) fn split(paint: &Paint, area: Rect) -> (Rect, Option<Rect>) {
    let count = u16::try_from(rows(paint).len()).unwrap_or(u16::MAX);
    if count == 0 || area.height < LEAST {
        return (area, None);
    }
    if area.width >= BESIDE {
        let own = area.width / 2;
        let left = Rect { width: own, ..area };
        let right = Rect {
            x: area.x + own + 1,
            width: area.width - own - 1,
            ..area
        };
        return (left, Some(right));
    }
    let height = count.saturating_add(1).min((area.height / 2).max(3));
    let upper = Rect {
        height: area.height - height,
        ..area
    };
    let lower = Rect {
        y: area.y + upper.height,
        height,
        ..area
    };
    (upper, Some(lower))
}

impl RecordedRest {
    /// Draws the recorded events.
    pub(super) fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let rows = rows(paint);
        self.height = usize::from(area.height).saturating_sub(1);
        self.top = self.top.min(rows.len().saturating_sub(self.height));
        let shown: Vec<&RecordedRow> = rows.iter().skip(self.top).take(self.height).collect();
        let left = rows.len().saturating_sub(self.top + self.height);
        let more = match left {
            0 => String::new(),
            left => format!("  {left} more below (Down goes on, :recording lists all)"),
        };
        let begins = rows.first().map_or(0, |row| row.id);
        let heading = format!("on AWS, from #{begins} on");
        let heading = Line::new()
            .text(heading, Role::Changed)
            .text(more, Role::Dim);
        let lines = shown.into_iter().map(|row| {
            let role = match row.id == begins {
                true => Role::Changed,
                false => Role::Text,
            };
            let time = row.time.filter(|_| area.width >= 60);
            Line::new()
                .column(format!("#{}", row.id), 12, role)
                .column(time.map_or_else(String::new, clock), 16, Role::Dim)
                .column(&*row.type_name, 26, role)
                .column(visible(&row.state), usize::from(area.width) / 4, Role::Text)
                .text(visible(&row.data), Role::Dim)
        });
        let mut lines: Vec<Line> = lines.collect();
        align(&mut lines);
        for (line, y) in std::iter::once(heading).chain(lines).zip(area.rows()) {
            line.draw(paint.brush(), y, buffer);
        }
    }

    /// Scrolls the recorded events if the run's own are at their end; returns whether it did.
    pub(super) fn motion(&mut self, paint: &Paint, motion: Motion, is_at_end: bool) -> bool {
        let scrolls = matches!(
            motion,
            Motion::Up | Motion::Down | Motion::PageUp | Motion::PageDown
        );
        let tops = rows(paint).len().saturating_sub(self.height) + 1;
        let to = moved(motion, self.top, tops, self.height.max(2) - 1);
        let moves = scrolls && is_at_end && to != self.top;
        if moves {
            self.top = to;
        }
        moves
    }
}
