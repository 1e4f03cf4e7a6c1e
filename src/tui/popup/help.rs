//! All keys and commands: those of the pane in focus first.
//!
//! It must not know any key itself: everything is printed from the table and the key map.

use super::dialog::{Reply, open};
use crate::tui::action::{Action, Group, Offer, Pane, TABLE};
use crate::tui::border::{Brush, put};
use crate::tui::glyph::Glyphs;
use crate::tui::keymap::Keymap;
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

/// What `$` means where a person types an expression.
pub const EXPRESSIONS: &[&str] = &[
    "In watches, conditions and data points $ is the document between states: the input of a state",
    "until it is left, then its output. $input $effective $result $output name the stages of the",
    "pipeline, $error is the current error ($error.Cause), $$ the context object, $name a variable;",
    "attempt, index and error (its name) are bare words.",
    "A path is followed by a comparison in a condition: $.total > 100, attempt >= 3. Intrinsic",
    "functions work too: States.ArrayLength($.items). JSONata goes between {% and %}, in any state:",
    "{% $sum($states.input.items.price) > 100 %}; in a JSONata state {% and %} may be left out.",
];

#[derive(Clone, Debug)]
struct Row {
    /// Keys and command, in columns of their own.
    keys: String,
    command: String,
    text: String,
    role: Role,
}

impl Row {
    fn of(text: impl Into<String>, role: Role) -> Self {
        Self {
            keys: String::new(),
            command: String::new(),
            text: text.into(),
            role,
        }
    }
}

/// The help as lines.
#[derive(Clone, Debug)]
pub struct Help {
    rows: Vec<Row>,
    top: usize,
    seen: usize,
}

impl Help {
    /// For the pane in focus; of one command where it is named.
    #[must_use]
    pub fn new(pane: Pane, keymap: &Keymap, only: Option<Action>) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        let title = |rows: &mut Vec<Row>, text: &str| {
            if !rows.is_empty() {
                rows.push(Row::of(String::new(), Role::Text));
            }
            rows.push(Row::of(text.to_owned(), Role::Title));
        };
        if let Some(entry) = only.and_then(Action::entry) {
            title(&mut rows, entry.name);
            rows.push(row(keymap, entry.action));
            if !entry.words.is_empty() {
                let words = format!("also: {}", entry.words.join(" "));
                rows.push(Row::of(words, Role::Dim));
            }
            return Self {
                rows,
                top: 0,
                seen: 1,
            };
        }
        title(&mut rows, &format!("{} {}", pane.number(), pane.name()));
        for entry in TABLE.iter().filter(|entry| is_of(entry.offer, pane)) {
            rows.push(row(keymap, entry.action));
        }
        for group in Group::ALL {
            title(&mut rows, group.title());
            for entry in TABLE.iter().filter(|entry| entry.group == group) {
                rows.push(row(keymap, entry.action));
            }
        }
        title(&mut rows, "What $ means");
        rows.extend(
            EXPRESSIONS
                .iter()
                .map(|text| Row::of((*text).to_owned(), Role::Text)),
        );
        Self {
            rows,
            top: 0,
            seen: 1,
        }
    }

    /// The same with what the symbols of the graph mean.
    #[must_use]
    pub fn with_legend(mut self, glyphs: &Glyphs) -> Self {
        self.rows.push(Row::of(String::new(), Role::Text));
        self.rows.push(Row::of("What the graph shows", Role::Title));
        let legend = glyphs.legend();
        let lines = legend.chunks(3).map(|row| {
            let cells = row
                .iter()
                .map(|(sign, word)| format!("{sign:<4} {word:<25}"));
            Row::of(cells.collect::<String>(), Role::Text)
        });
        self.rows.extend(lines);
        self
    }

    /// A key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = i32::try_from(self.seen).unwrap_or(20);
        match key.code {
            KeyCode::Esc | KeyCode::Char('q' | '?') | KeyCode::Enter | KeyCode::F(1) => {
                return Reply::Close;
            }
            KeyCode::Char('d') if control => self.scroll(page / 2),
            KeyCode::Char('u') if control => self.scroll(-page / 2),
            KeyCode::Down | KeyCode::Char('j') => self.scroll(1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll(-1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll(page),
            KeyCode::PageUp => self.scroll(-page),
            KeyCode::Home | KeyCode::Char('g') => self.top = 0,
            KeyCode::End | KeyCode::Char('G') => self.top = self.rows.len(),
            _ => {}
        }
        Reply::Stay
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: i32) {
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(0);
        self.top = if rows < 0 {
            self.top.saturating_sub(by)
        } else {
            self.top.saturating_add(by)
        };
    }

    /// Draws it.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let most = usize::from(screen.width.saturating_sub(8));
        let lines = wrap(&self.rows, most);
        let widest = lines.iter().map(|(text, _)| text.width()).max();
        // The keys stand in the border below it.
        let width = widest.unwrap_or(0).clamp(LEAST.min(most), most) + 4;
        let width = u16::try_from(width).unwrap_or(screen.width);
        let rows = u16::try_from(lines.len())
            .unwrap_or(u16::MAX)
            .saturating_add(2);
        let size = (width, rows.min(screen.height.saturating_sub(2)).max(3));
        let area = open(brush, screen, buffer, size, "Help", "j k scroll  Esc close");
        self.seen = usize::from(area.height).max(1);
        self.top = self.top.min(lines.len().saturating_sub(self.seen));
        for (line, (text, role)) in lines.iter().skip(self.top).take(self.seen).enumerate() {
            let line = u16::try_from(line).unwrap_or(u16::MAX);
            put(buffer, area, line, text, brush.style(*role), brush);
        }
    }
}

fn is_of(offer: Offer, pane: Pane) -> bool {
    matches!(offer, Offer::In(panes) if panes.contains(&pane))
}

fn row(keymap: &Keymap, action: Action) -> Row {
    let keys: Vec<String> = keymap
        .keys(action)
        .iter()
        .map(ToString::to_string)
        .collect();
    let (name, argument, help) = action.entry().map_or(("", "", ""), |entry| {
        (entry.name, entry.argument, entry.help)
    });
    let command = if argument.is_empty() {
        format!(":{name}")
    } else {
        format!(":{name} {argument}")
    };
    Row {
        keys: keys.join(" "),
        command,
        text: help.to_owned(),
        role: Role::Text,
    }
}

/// The columns of keys and command where there is room for both, and of either where there is not.
const WIDE: usize = 44;
/// The least columns of the text.
const LEAST: usize = 40;
const NARROW: usize = 18;

/// Rows as lines of at most `width` columns; text that does not fit continues below in its own column.
fn wrap(rows: &[Row], width: usize) -> Vec<(String, Role)> {
    let mut lines = Vec::new();
    let column = if width < 96 { NARROW } else { WIDE };
    for row in rows {
        if row.command.is_empty() {
            lines.push((row.text.clone(), row.role));
            continue;
        }
        let head = match (column, row.keys.as_str()) {
            (WIDE, keys) => format!("  {keys:<15} {}", row.command),
            (_, "") => format!("  {}", row.command),
            (_, keys) => format!("  {keys}"),
        };
        let mut line = format!("{head:<column$}");
        if head.chars().count() >= column {
            lines.push((head, row.role));
            line = " ".repeat(column);
        }
        let mut fresh = true;
        for word in row.text.split(' ') {
            if !fresh && line.chars().count() + 1 + word.chars().count() > width {
                lines.push((std::mem::replace(&mut line, " ".repeat(column)), row.role));
                fresh = true;
            }
            if !fresh {
                line.push(' ');
            }
            line.push_str(word);
            fresh = false;
        }
        lines.push((line, row.role));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_the_help() {
        let help = Help::new(Pane::Data, &Keymap::default(), None);
        let all: String = help
            .rows
            .iter()
            .map(|row| format!("{}\n", row.text))
            .collect();
        for entry in TABLE {
            assert!(all.contains(entry.help), "{}", entry.name);
        }
        assert!(all.contains("$effective"));
        assert_eq!(
            help.rows.first().map(|row| row.text.as_str()),
            Some("3 Data")
        );
    }
}
