//! All keys and commands: those of the pane in focus first.
//!
//! It must not know any key itself: everything is printed from the table and the key map.

use super::dialog::{Reply, motion, open, wheel};
use crate::tui::action::{Action, Group, Offer, Pane, TABLE};
use crate::tui::border::Brush;
use crate::tui::fit::width;
use crate::tui::glyph::Glyphs;
use crate::tui::keymap::Keymap;
use crate::tui::pane::line::{Line, cells};
use crate::tui::pane::list::{List, Rows};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

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
    list: List<()>,
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
                list: List::default(),
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
            list: List::default(),
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
        if let KeyCode::Esc | KeyCode::Char('q' | '?') | KeyCode::Enter | KeyCode::F(1) = key.code {
            return Reply::Close;
        }
        if let Some(motion) = motion(key, true) {
            self.list.scroll(motion);
        }
        Reply::Stay
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: i32) {
        wheel(rows).for_each(|motion| self.list.scroll(motion));
    }

    /// Draws it.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let most = usize::from(screen.width.saturating_sub(8));
        let rows = made(&self.rows, brush.glyphs, most);
        let height = cells(rows.len()).saturating_add(2);
        // The keys stand in the border below it.
        let width = rows.width(usize::MAX).clamp(LEAST.min(most), most) + 4;
        let height = height.min(screen.height.saturating_sub(2)).max(3);
        let size = (cells(width), height);
        let area = open(brush, screen, buffer, size, "Help", "j k scroll  Esc close");
        let rows = made(&self.rows, brush.glyphs, most);
        self.list.draw(rows, (brush, true), area, buffer);
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

/// Rows in lines of so many cells; text that does not fit continues below in its own column.
fn made<'g>(rows: &[Row], glyphs: &'g Glyphs, cells: usize) -> Rows<'g, ()> {
    let column = if cells < 96 { NARROW } else { WIDE };
    let mut made = Rows::new(glyphs, cells);
    for row in rows {
        if row.command.is_empty() {
            made.say(Line::new().text(&row.text, row.role));
            continue;
        }
        let mut head = match (column, row.keys.as_str()) {
            (WIDE, keys) => format!("  {keys:<15} {}", row.command),
            (_, "") => format!("  {}", row.command),
            (_, keys) => format!("  {keys}"),
        };
        if width(&head) >= column {
            made.say(Line::new().text(std::mem::take(&mut head), row.role));
        }
        made.labelled((&head, row.role), column, &row.text, row.role);
    }
    made
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
