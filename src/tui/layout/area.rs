//! Operations on rectangles: cut off, divide, centre.

use ratatui::layout::Rect;

/// True if a rectangle contains a cell.
#[must_use]
pub fn holds(area: Rect, column: u16, row: u16) -> bool {
    (area.left()..area.right()).contains(&column) && (area.top()..area.bottom()).contains(&row)
}

pub(super) fn cut_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let top = Rect {
        height: rows,
        ..area
    };
    let rest = Rect {
        y: area.y.saturating_add(rows),
        height: area.height - rows,
        ..area
    };
    (top, rest)
}

pub(super) fn cut_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let (rest, bottom) = cut_top(area, area.height - rows);
    (rest, bottom)
}

/// Divides `total` among parts given as (wished, minimum) sizes. Excess or shortage is shared; the last part gets the
/// rest.
pub(super) fn split<const N: usize>(total: u16, parts: [(i32, i32); N]) -> [u16; N] {
    let mut sizes = divided(total, &parts).into_iter();
    parts.map(|_| sizes.next().unwrap_or(0))
}

/// Like [`split`] for any number of parts.
pub(super) fn divided(total: u16, parts: &[(i32, i32)]) -> Vec<u16> {
    let total = i32::from(total);
    let wanted: i32 = parts.iter().map(|(wish, least)| (*wish).max(*least)).sum();
    let mut left = total;
    let mut result = Vec::with_capacity(parts.len());
    for (place, (wish, least)) in parts.iter().copied().enumerate() {
        let size = if place + 1 == parts.len() {
            left
        } else {
            let after: i32 = parts.iter().skip(place + 1).map(|(_, least)| *least).sum();
            let scaled = wish.max(least) * total / wanted.max(1);
            scaled.max(least).min(left - after).clamp(0, left.max(0))
        };
        let size = u16::try_from(size).unwrap_or(0);
        left -= i32::from(size);
        result.push(size);
    }
    result
}

/// A rectangle of at most this size in the centre of another.
#[must_use]
pub fn centred(screen: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(screen.width), height.min(screen.height));
    Rect {
        x: screen.x.saturating_add((screen.width - width) / 2),
        y: screen.y.saturating_add((screen.height - height) / 2),
        width,
        height,
    }
}
