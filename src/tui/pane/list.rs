//! A list: its rows, its selection and its scroll position.
//!
//! A pane only makes [`Rows`]. A [`List`] keeps the selection, scrolls and draws the rows, and finds the row of a
//! click.

use super::line::{Line, align};
use super::{Motion, Paint};
use crate::tui::border::Brush;
use crate::tui::fit::{width, words, wrapped};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;

/// The rows of a list. A row that can be selected has a key; a row without a key belongs to the row above it.
pub(in crate::tui) struct Rows<'a, K> {
    glyphs: &'a Glyphs,
    /// Width of a row, in cells.
    pub(super) cells: usize,
    rows: Vec<Row<'a, K>>,
    /// Key of the row that is selected by default; `None` for the first row that can be selected.
    start: Option<K>,
}

struct Row<'a, K> {
    key: Option<K>,
    /// True if the row belongs to the row above and should be visible together with it.
    inner: bool,
    line: Made<'a>,
}

enum Made<'a> {
    Now(Line),
    /// The row is made only when it is drawn, because few rows of a long list are drawn.
    Later(Box<dyn FnOnce() -> Line + 'a>),
}

impl<'a, K: Clone + PartialEq> Rows<'a, K> {
    /// Creates an empty list whose rows have `cells` cells.
    pub(in crate::tui) fn new(glyphs: &'a Glyphs, cells: usize) -> Self {
        Self {
            glyphs,
            cells,
            rows: Vec::new(),
            start: None,
        }
    }

    /// Sets the row that is selected by default.
    pub(in crate::tui) fn start_at(&mut self, key: Option<K>) {
        self.start = key;
    }

    /// Adds a row that can be selected.
    pub(in crate::tui) fn row(&mut self, key: K, line: Line) {
        self.put(Some(key), false, Made::Now(line));
    }

    /// Adds a row that can be selected and is made only if it is drawn.
    pub(super) fn later(&mut self, key: K, line: impl FnOnce() -> Line + 'a) {
        self.put(Some(key), false, Made::Later(Box::new(line)));
    }

    /// Adds a row that can be selected and belongs to the row above.
    pub(super) fn inner(&mut self, key: K, line: Line) {
        self.put(Some(key), true, Made::Now(line));
    }

    /// Adds rows that can be selected, with aligned columns.
    pub(super) fn table(&mut self, rows: impl Iterator<Item = (K, Line)>) {
        let (keys, mut lines): (Vec<K>, Vec<Line>) = rows.unzip();
        align(&mut lines);
        for (key, line) in keys.into_iter().zip(lines) {
            self.row(key, line);
        }
    }

    /// Adds a row that cannot be selected.
    pub(in crate::tui) fn say(&mut self, line: Line) {
        self.put(None, true, Made::Now(line));
    }

    /// Adds a row that can be selected if it has a key.
    pub(in crate::tui) fn add(&mut self, key: Option<K>, line: Line) {
        let inner = key.is_none();
        self.put(key, inner, Made::Now(line));
    }

    fn put(&mut self, key: Option<K>, inner: bool, line: Made<'a>) {
        self.rows.push(Row { key, inner, line });
    }

    /// Adds a heading with text at its right end.
    pub(super) fn title(&mut self, text: &str, right: impl Into<String>) {
        let line = Line::new().text(text, Role::Title);
        self.say(line.right(right, Role::Dim));
    }

    /// Adds an indented text that cannot be selected, on as many rows as needed; adds nothing if the text is empty.
    pub(in crate::tui) fn note(&mut self, indent: usize, text: &str, role: Role) {
        self.field(("", indent), text, role);
    }

    /// Like [`Self::note`], with a name before the text. `label` is the name and the width of the column for names.
    pub(super) fn field(&mut self, label: (&str, usize), text: &str, role: Role) {
        let (name, column) = label;
        if !text.is_empty() {
            self.labelled((name, Role::Dim), column, text, role);
        }
    }

    /// Like [`Self::field`], but the name also has a role, which gives its style.
    pub(in crate::tui) fn labelled(
        &mut self,
        (mut name, name_role): (&str, Role),
        column: usize,
        text: &str,
        role: Role,
    ) {
        let room = self.cells.saturating_sub(column).max(10);
        for part in wrapped(&words(self.glyphs, text), room) {
            let line = match std::mem::take(&mut name) {
                "" => Line::new().gap(column),
                name => Line::new().cell(name, column, name_role),
            };
            self.say(line.text(part, role));
        }
    }

    /// Adds indented texts side by side, as many in each row as fit. A text that is too long for one row is wrapped.
    pub(super) fn fill(&mut self, indent: usize, between: &str, texts: Vec<(String, Role)>) {
        let mut line = Line::new().gap(indent);
        for (text, role) in texts {
            let used = line.width();
            if used > indent && used + width(between) + width(&text) <= self.cells {
                line = line.text(between, Role::Dim).text(text, role);
                continue;
            }
            if used > indent {
                self.say(line);
            }
            let mut parts = wrapped(&text, self.cells.saturating_sub(indent));
            let last = parts.pop().unwrap_or_default();
            for part in parts {
                self.say(Line::new().gap(indent).text(part, role));
            }
            line = Line::new().gap(indent).text(last, role);
        }
        self.say(line);
    }

    pub(in crate::tui) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Width of the widest of the first `most` rows, in cells.
    pub(in crate::tui) fn width(self, most: usize) -> usize {
        let lines = self.rows.into_iter().take(most);
        let widths = lines.map(|row| row.line.made().width());
        widths.max().unwrap_or(0)
    }

    /// Index of the row with this key.
    fn place_of(&self, key: &K) -> Option<usize> {
        let mut rows = self.rows.iter();
        rows.position(|row| row.key.as_ref() == Some(key))
    }

    /// Indices of the row with this key and of the rows that belong to it.
    pub(super) fn block(&self, key: &K) -> Option<Range<usize>> {
        let place = self.place_of(key)?;
        let below = self.rows.iter().skip(place + 1);
        Some(place..place + 1 + below.take_while(|row| row.inner).count())
    }

    /// Indices of the rows that can be selected.
    fn places(&self) -> Vec<usize> {
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.key.is_some());
        rows.map(|(place, _)| place).collect()
    }

    fn key(&self, place: usize) -> Option<&K> {
        self.rows.get(place)?.key.as_ref()
    }
}

impl Made<'_> {
    fn made(self) -> Line {
        match self {
            Self::Now(line) => line,
            Self::Later(make) => make(),
        }
    }
}

/// Selection and scroll position of a list.
#[derive(Clone, Debug)]
pub(in crate::tui) struct List<K> {
    selection: Option<K>,
    /// Index of the selected row among the rows that can be selected. If this row disappears, the row that then has
    /// this index is selected.
    place: usize,
    top: usize,
    /// Height and width as last drawn.
    pub(super) height: usize,
    pub(super) width: usize,
    /// Number of rows as last drawn.
    len: usize,
}

impl<K> Default for List<K> {
    fn default() -> Self {
        Self {
            selection: None,
            place: 0,
            top: 0,
            height: 0,
            width: 0,
            len: 0,
        }
    }
}

impl<K: Clone + PartialEq> List<K> {
    /// Selects the row with this key.
    pub(in crate::tui) fn select(&mut self, key: K) {
        self.selection = Some(key);
    }

    /// Clears the selection and scrolls to the top.
    pub(in crate::tui) fn reset(&mut self) {
        self.selection = None;
        self.top = 0;
    }

    /// Key of the row that the user selected, even if the list no longer has such a row.
    pub(super) fn selection(&self) -> Option<&K> {
        self.selection.as_ref()
    }

    /// Key of the selected row among these rows; the default row if the user selected none.
    pub(in crate::tui) fn selected(&self, rows: &Rows<K>) -> Option<K> {
        rows.key(self.line(rows)?).cloned()
    }

    fn line(&self, rows: &Rows<K>) -> Option<usize> {
        let wanted = self.selection.as_ref().or(rows.start.as_ref());
        wanted.and_then(|key| rows.place_of(key)).or_else(|| {
            let places = rows.places();
            let place = self.selection.as_ref().map_or(0, |_| self.place);
            places.get(place).or(places.last()).copied()
        })
    }

    /// Numbers of hidden rows: above the visible rows, and below them.
    pub(in crate::tui) fn hidden(&self) -> (usize, usize) {
        let below = self.len.saturating_sub(self.top + self.height);
        (self.top.min(self.len), below)
    }

    /// Draws the rows; the selected row has a stronger style if the list has the focus.
    pub(in crate::tui) fn draw(
        &mut self,
        rows: Rows<K>,
        (brush, focused): (Brush, bool),
        area: Rect,
        buffer: &mut Buffer,
    ) {
        (self.height, self.width) = (area.height.into(), area.width.into());
        self.len = rows.len();
        let selected = self.line(&rows);
        self.show(&rows, selected);
        let shown = rows.rows.into_iter().enumerate().skip(self.top);
        for (y, (place, row)) in area.rows().zip(shown) {
            let line = row.line.made().selected(Some(place) == selected, focused);
            line.draw(brush, y, buffer);
        }
    }

    /// Scrolls as little as possible to show the selected row and the rows that belong to it.
    fn show(&mut self, rows: &Rows<K>, selected: Option<usize>) {
        let Some(line) = selected else {
            self.top = self.top.min(self.len.saturating_sub(self.height));
            return;
        };
        self.top = scroll(self.top, line, self.len, self.height);
        if let Some(block) = rows.key(line).and_then(|key| rows.block(key)) {
            let end = block.end.saturating_sub(self.height);
            self.top = self.top.max(end).min(line);
        }
        // If the selected row is the first that can be selected, the rows before it are shown, too, if there is room.
        let is_first = rows.places().first() == Some(&line);
        if is_first && line < self.height {
            self.top = 0;
        }
    }

    /// Scrolls a list in which no row can be selected.
    pub(in crate::tui) fn scroll(&mut self, motion: Motion) {
        let tops = self.len.saturating_sub(self.height) + 1;
        self.top = moved(motion, self.top, tops, self.height.saturating_sub(1));
    }

    /// Index of the first visible row.
    pub(in crate::tui) fn top(&self) -> usize {
        self.top
    }

    /// Moves the selection; if nothing can be selected, scrolls.
    pub(in crate::tui) fn motion(&mut self, rows: &Rows<K>, motion: Motion) {
        let page = self.height.saturating_sub(1);
        let Some(line) = self.line(rows) else {
            return self.scroll(motion);
        };
        let places = rows.places();
        let at = places.partition_point(|place| *place < line);
        self.place = moved(motion, at, places.len(), page);
        let to = places.get(self.place).and_then(|place| rows.key(*place));
        self.selection = to.cloned();
    }

    /// Selects the row that is drawn at the screen row `row`. If this row cannot be selected, selects the nearest row
    /// above it that can be. Returns the key of the selected row.
    pub(super) fn click(&mut self, rows: &Rows<K>, area: Rect, row: u16) -> Option<K> {
        let place = self.top + usize::from(row.checked_sub(area.y)?);
        let until = rows.rows.get(..=place)?;
        let key = until.iter().rev().find_map(|row| row.key.clone())?;
        self.place = until.iter().filter(|row| row.key.is_some()).count() - 1;
        self.selection = Some(key.clone());
        Some(key)
    }
}

/// Draws `words` in a pane that has nothing else to show.
pub(super) fn say(paint: &Paint, area: Rect, buffer: &mut Buffer, words: &str) {
    let mut rows: Rows<()> = Rows::new(paint.glyphs, area.width.into());
    rows.note(0, words, Role::Dim);
    List::default().draw(rows, (paint.brush(), false), area, buffer);
}

/// Scrolls a list of `len` rows as little as possible from `top`, so that `row` is visible on `height` rows. Returns
/// the new first visible row.
pub(super) fn scroll(top: usize, row: usize, len: usize, height: usize) -> usize {
    if height == 0 {
        return row;
    }
    let margin = (height / 4).min(2);
    let least = (row + margin + 1)
        .min(len.max(row + 1))
        .saturating_sub(height);
    let most = row.saturating_sub(margin);
    top.max(least)
        .min(most.max(least))
        .min(len.saturating_sub(height).max(least))
}

/// Index of the row to which a motion leads from `row`.
pub(super) fn moved(motion: Motion, row: usize, len: usize, page: usize) -> usize {
    let page = page.max(1);
    let half = (page / 2).max(1);
    match motion {
        Motion::Up => row.saturating_sub(1),
        Motion::Down => row.saturating_add(1),
        Motion::PageUp => row.saturating_sub(page),
        Motion::PageDown => row.saturating_add(page),
        Motion::HalfUp => row.saturating_sub(half),
        Motion::HalfDown => row.saturating_add(half),
        Motion::Home => 0,
        Motion::End => usize::MAX,
        Motion::Left | Motion::Right => row,
    }
    .min(len.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::scroll;

    #[test]
    fn scrolling_moves_little() {
        assert_eq!(scroll(0, 3, 100, 10), 0);
        assert_eq!(scroll(0, 9, 100, 10), 2);
        assert_eq!(scroll(50, 52, 100, 10), 50);
        assert_eq!(scroll(50, 51, 100, 10), 49);
        assert_eq!(scroll(0, 99, 100, 10), 90);
        assert_eq!(scroll(95, 99, 100, 10), 90);
        assert_eq!(scroll(9, 0, 1, 1), 0);
        assert_eq!(scroll(5, 0, 0, 0), 0);
    }
}
