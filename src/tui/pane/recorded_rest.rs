//! What was recorded on AWS from the first difference on, beside the run's own events.
//!
//! It must not know how it came to be, nor keys.

use super::Motion;
use super::Paint;
use super::line::{Line, clock, style, width};
use crate::session::recorded::RecordedRow;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// From so many columns on the two stand side by side.
const BESIDE: u16 = 130;
/// Fewer rows than this show nothing of it.
const LEAST: u16 = 6;

/// How far it is scrolled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordedRest {
    top: usize,
    height: usize,
}

fn rows<'p>(paint: &Paint<'p>) -> &'p [RecordedRow] {
    let recorded = paint.view.recorded.as_ref();
    recorded.map_or(&[], |recorded| &recorded.rest)
}

/// Where the run's own events stand, and where the rest of what was recorded does.
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
    /// Draws it.
    pub(super) fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let rows = rows(paint);
        self.height = usize::from(area.height).saturating_sub(1);
        self.top = self.top.min(rows.len().saturating_sub(self.height));
        let shown: Vec<&RecordedRow> = rows.iter().skip(self.top).take(self.height).collect();
        let dim = style(paint.theme, Role::Dim);
        let left = rows.len().saturating_sub(self.top + self.height);
        let more = match left {
            0 => String::new(),
            left => format!("  {left} more below (Down goes on, :recording lists all)"),
        };
        let begins = rows.first().map_or(0, |row| row.id);
        let heading = Line::new()
            .text(
                format!("on AWS, from #{begins} on"),
                style(paint.theme, Role::Changed),
            )
            .text(more, dim);
        let most =
            |of: fn(&RecordedRow) -> usize| shown.iter().map(|row| of(row)).max().unwrap_or(0);
        let id = most(|row| row.id.to_string().len()) + 2;
        let time = most(|row| row.time.map_or(0, |time| clock(time).len()));
        let kind = most(|row| width(&row.type_name)).min(26);
        let state = most(|row| width(&row.state)).min(usize::from(area.width) / 4);
        let lines = shown.iter().map(|row| {
            let text = style(paint.theme, Role::Text);
            let role = if row.id == begins {
                Role::Changed
            } else {
                Role::Text
            };
            let mut line = Line::new().cell(format!("#{}", row.id), id, style(paint.theme, role));
            if time > 0 && area.width >= 60 {
                line = line.cell(row.time.map_or_else(String::new, clock), time + 2, dim);
            }
            line.cell(&*row.type_name, kind + 1, style(paint.theme, role))
                .cell(crate::json::visible(&row.state), state + 1, text)
                .text(crate::json::visible(&row.data), dim)
        });
        let lines = std::iter::once(heading).chain(lines);
        for (line, y) in lines.zip(area.rows()) {
            line.draw(paint, y, buffer);
        }
    }

    /// Scrolls it, where the run's own events are at their end; whether it did.
    pub(super) fn motion(&mut self, paint: &Paint, motion: Motion, is_at_end: bool) -> bool {
        let last = rows(paint).len().saturating_sub(self.height);
        let page = self.height.max(2) - 1;
        let to = match motion {
            Motion::Down => self.top + 1,
            Motion::PageDown => self.top + page,
            Motion::Up if self.top > 0 => self.top - 1,
            Motion::PageUp if self.top > 0 => self.top.saturating_sub(page),
            _ => return false,
        };
        if !is_at_end || to.min(last) == self.top {
            return false;
        }
        self.top = to.min(last);
        true
    }
}
