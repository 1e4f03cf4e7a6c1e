//! A list from which the user picks an item by typing letters of its name.

use super::dialog::{Dialog, Reply, draw_field, motion, open, wheel};
use crate::tui::border::Brush;
use crate::tui::glyph::Glyphs;
use crate::tui::layout::cut_top;
use crate::tui::line::Line;
use crate::tui::pane::Motion;
use crate::tui::pane::line::{Line as Row, cells};
use crate::tui::pane::list::{List, Rows};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// One item of the list from which the user picks.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Name to show and to compare with the typed letters.
    pub name: String,
    /// Text beside the name.
    pub detail: String,
    /// The action of the app when the user picks this item.
    pub reply: Reply,
}

impl Item {
    pub(in crate::tui) fn new(name: &str, detail: &str, reply: Reply) -> Self {
        Self {
            name: name.to_owned(),
            detail: detail.to_owned(),
            reply,
        }
    }
}

/// The popup with the list, which shows only the items that match the typed letters.
#[derive(Clone, Debug)]
pub struct Picker {
    title: String,
    items: Vec<Item>,
    filter: Line,
    /// Indices of the matching items, the best first.
    matching: Vec<usize>,
    list: List<usize>,
    /// The action of the app when the user presses Esc.
    leave: Reply,
}

impl Picker {
    /// Creates a list of items; `typed` is the initial filter.
    #[must_use]
    pub fn new(title: impl Into<String>, items: Vec<Item>, typed: &str) -> Self {
        let mut picker = Self {
            title: title.into(),
            items,
            filter: Line::new(typed),
            matching: Vec::new(),
            list: List::default(),
            leave: Reply::Close,
        };
        picker.search();
        picker
    }

    /// Makes Esc quit the program, for a list that is shown before any run exists.
    #[must_use]
    pub fn or_quit(mut self) -> Self {
        self.leave = Reply::Quit;
        self
    }

    fn search(&mut self) {
        let wanted = self.filter.text();
        let items = self.items.iter().enumerate();
        let scores = items.filter_map(|(place, item)| Some((score(&wanted, &item.name)?, place)));
        let mut scores: Vec<(usize, usize)> = scores.collect();
        scores.sort_unstable();
        self.matching = scores.into_iter().map(|(_, place)| place).collect();
        self.list.reset();
    }

    fn rows<'g>(&self, glyphs: &'g Glyphs, cells: usize) -> Rows<'g, usize> {
        let mut rows = Rows::new(glyphs, cells);
        for place in &self.matching {
            if let Some(item) = self.items.get(*place) {
                rows.row(*place, Row::new().text(row(item), Role::Text));
            }
        }
        rows
    }

    /// The item that Enter would pick.
    #[must_use]
    pub fn selected(&self) -> Option<&Item> {
        let rows = self.rows(Glyphs::of(true), 0);
        self.items.get(self.list.selected(&rows)?)
    }

    /// True if nothing has been typed and no name contains this letter.
    fn is_idle(&self, letter: char) -> bool {
        let holds = |item: &Item| item.name.to_lowercase().contains(letter);
        self.filter.text().is_empty() && !self.items.iter().any(holds)
    }

    fn motion(&mut self, motion: Motion) {
        let rows = self.rows(Glyphs::of(true), 0);
        self.list.motion(&rows, motion);
    }

    /// Width of the list, in columns: enough for the longest item, but at most `most`.
    fn width(&self, most: u16) -> u16 {
        let rows = self.items.iter().map(row);
        let longest = rows.map(|row| row.chars().count()).max().unwrap_or(0);
        cells(longest + 4).min(most.saturating_sub(4)).max(70)
    }
}

impl Dialog for Picker {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return self.leave.clone(),
            // Nothing is typed and no name contains a `q`. As a filter, the letter would only hide all items, so the
            // key closes the list.
            KeyCode::Char('q') if !control && self.is_idle('q') => return self.leave.clone(),
            KeyCode::Enter => {
                let selected = self.selected();
                return selected.map_or(Reply::Stay, |item| item.reply.clone());
            }
            _ if let Some(motion) = motion(key, false) => self.motion(motion),
            _ => {
                let before = self.filter.text();
                self.filter.key(key);
                if self.filter.text() != before {
                    self.search();
                }
            }
        }
        Reply::Stay
    }

    fn scroll(&mut self, rows: i32) {
        wheel(rows).for_each(|motion| self.motion(motion));
    }

    fn paste(&mut self, text: &str) {
        self.filter.insert(text);
        self.search();
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let rows = cells(self.items.len() + 3);
        let most = screen.height.saturating_sub(4).max(4);
        let keys = format!(
            "{matching} of {all}  Enter pick  Esc {effect}",
            matching = self.matching.len(),
            all = self.items.len(),
            effect = if self.leaves() { "quit" } else { "close" }
        );
        let size = (self.width(screen.width), rows.clamp(6, most));
        let area = open(brush, screen, buffer, size, &self.title, &keys);
        draw_field(buffer, area, 0, (">", &self.filter, true), brush);
        let (_, below) = cut_top(area, 1);
        let rows = self.rows(brush.glyphs, area.width.into());
        self.list.draw(rows, (brush, true), below, buffer);
    }

    fn leaves(&self) -> bool {
        self.leave == Reply::Quit
    }
}

/// Text of an item's row.
fn row(item: &Item) -> String {
    format!(
        "{name:<28} {detail}",
        name = item.name,
        detail = item.detail
    )
}

/// Rates how well `name` matches `wanted`; 0 is best. `None` if `name` does not contain the letters of `wanted` in this
/// order.
fn score(wanted: &str, name: &str) -> Option<usize> {
    let wanted = wanted.trim().to_lowercase();
    if let Some(at) = name.to_lowercase().find(&wanted) {
        return Some(if wanted.is_empty() {
            0
        } else {
            at.min(1) + name.len() - wanted.len()
        });
    }
    let mut at = 0;
    let mut gaps = 0;
    if initials(name, &wanted) {
        return Some(500 + name.len());
    }
    let name = name.to_lowercase();
    for c in wanted.chars() {
        let rest = name.get(at..)?;
        let gap = rest.find(c)?;
        gaps += gap;
        at += gap + c.len_utf8();
    }
    Some(1_000 + gaps * 10 + name.len())
}

/// True if the letters of `wanted` are initials of words in `name`, in this order: `cc` matches `ChargeCard`.
fn initials(name: &str, wanted: &str) -> bool {
    let mut before = ' ';
    let mut left = wanted.chars().peekable();
    for c in name.chars() {
        let begins = !before.is_alphanumeric() || (c.is_uppercase() && !before.is_uppercase());
        if begins && left.peek().is_some_and(|next| c.to_lowercase().eq([*next])) {
            left.next();
        }
        before = c;
    }
    left.peek().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_order_find_a_name() {
        let items = [
            "ValidateOrder",
            "CheckStock",
            "ChargeCard",
            "Ship",
            "BackOrder",
        ]
        .map(|name| Item {
            name: name.into(),
            detail: String::new(),
            reply: Reply::Line(name.into()),
        })
        .to_vec();
        let first = |typed: &str| {
            let picker = Picker::new("x", items.clone(), typed);
            picker.selected().map(|item| item.name.clone())
        };
        assert_eq!(first("ship").as_deref(), Some("Ship"));
        assert_eq!(first("cc").as_deref(), Some("ChargeCard"));
        assert_eq!(first("order").as_deref(), Some("BackOrder"));
        assert_eq!(first("xyz"), None);
        assert_eq!(first("").as_deref(), Some("ValidateOrder"));
    }
}
