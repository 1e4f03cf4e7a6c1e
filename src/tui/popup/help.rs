//! The help popup, which lists all keys and commands. Those of the focused pane come first.

use super::dialog::{Dialog, Reply, draw_field, motion, open, wheel};
use crate::tui::action::{Action, Entry, Group, Offer, Pane, TABLE};
use crate::tui::border::Brush;
use crate::tui::fit::width;
use crate::tui::glyph::Glyphs;
use crate::tui::keymap::Keymap;
use crate::tui::layout::cut_top;
use crate::tui::line::Line as Input;
use crate::tui::pane::line::{Line, cells};
use crate::tui::pane::list::{List, Rows};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Help text about `$` in typed expressions.
pub const EXPRESSIONS: &[&str] = &[
    "In watches, conditions and data points, $ is a state's input, or its output after the state's exit.",
    "$input, $effective, $result and $output are stages of the state; $$ is the context object.",
    "$error is the current error, with members such as $error.Cause; $name is a variable.",
    "The words attempt, index and error (the name of the error) are written without $.",
    "A condition compares values: $.total > 100, attempt >= 3, States.ArrayLength($.items) == 2.",
    "JSONata is written between {% and %} in any state: {% $sum($states.input.items.price) > 100 %}.",
    "In a JSONata state, {% and %} may be omitted.",
];

#[derive(Clone, Debug)]
struct Row {
    /// The keys that trigger the command. A narrow popup shows a command with keys only if it lists no other command.
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

/// The help popup.
#[derive(Clone, Debug)]
pub struct Help {
    /// The sections: each has a heading and rows.
    sections: Vec<(String, Vec<Row>)>,
    list: List<()>,
    /// Words that a row must contain; `None` if there is no filter.
    filter: Option<Input>,
    /// True while the user types the filter.
    types: bool,
}

impl Help {
    /// Help for the focused pane. If `only` names a command, help for this command alone.
    #[must_use]
    pub fn new(pane: Pane, keymap: &Keymap, only: Option<Action>) -> Self {
        let mut help = Self {
            sections: Vec::new(),
            list: List::default(),
            filter: None,
            types: false,
        };
        let mut section = |title: &str, rows: Vec<Row>| {
            help.sections.push((title.to_owned(), rows));
        };
        if let Some(entry) = only.and_then(Action::entry) {
            let mut rows = vec![row(keymap, entry.action)];
            if !entry.words.is_empty() {
                let words = format!("also: {names}", names = entry.words.join(" "));
                rows.push(Row::of(words, Role::Dim));
            }
            section(entry.name, rows);
            return help;
        }
        let rows = |is: &dyn Fn(&Entry) -> bool| {
            let entries = TABLE.iter().filter(|entry| is(entry));
            entries.map(|entry| row(keymap, entry.action)).collect()
        };
        let title = format!(
            "{number} {pane}",
            number = pane.number(),
            pane = pane.name()
        );
        section(&title, rows(&|entry| is_of(entry.offer, pane)));
        for group in Group::ALL {
            section(group.title(), rows(&|entry| entry.group == group));
        }
        let expressions = EXPRESSIONS.iter();
        let expressions = expressions.map(|text| Row::of((*text).to_owned(), Role::Text));
        section("What $ means", expressions.collect());
        help
    }

    /// Adds the legend of the graph's symbols.
    #[must_use]
    pub fn with_legend(mut self, glyphs: &Glyphs) -> Self {
        let legend = glyphs.legend();
        let rows = legend.chunks(3).map(|row| {
            let cells = row
                .iter()
                .map(|(sign, meaning)| format!("{sign:<4} {meaning:<25}"));
            Row::of(cells.collect::<String>(), Role::Text)
        });
        let title = "What the graph shows".to_owned();
        self.sections.push((title, rows.collect()));
        self
    }

    /// The rows that contain the words of the filter, below the headings of their sections.
    fn rows(&self) -> Vec<Row> {
        let wanted = self.filter.as_ref().map(Input::text).unwrap_or_default();
        let wanted = wanted.to_lowercase();
        let mut rows = Vec::new();
        for (title, section) in &self.sections {
            let has = |row: &&Row| {
                let all = [&*row.keys, &row.command, &row.text].join(" ");
                let all = all.to_lowercase();
                wanted.split_whitespace().all(|word| all.contains(word))
            };
            let matching: Vec<Row> = section.iter().filter(has).cloned().collect();
            if matching.is_empty() {
                continue;
            }
            if !rows.is_empty() {
                rows.push(Row::of(String::new(), Role::Text));
            }
            rows.push(Row::of(title.clone(), Role::Title));
            rows.extend(matching);
        }
        if rows.is_empty() {
            rows.push(Row::of("no help entry contains these words", Role::Dim));
        }
        rows
    }
}

impl Dialog for Help {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        match (key.code, &mut self.filter) {
            (KeyCode::Enter, _) if self.types => self.types = false,
            (KeyCode::Esc, Some(_)) => {
                self.filter = None;
                self.types = false;
                self.list.reset();
            }
            (_, Some(filter)) if self.types && motion(key, false).is_none() => {
                filter.key(key);
                self.list.reset();
            }
            (KeyCode::Char('/'), _) => {
                self.filter = Some(Input::default());
                self.types = true;
                self.list.reset();
            }
            (KeyCode::Esc | KeyCode::Char('q' | '?') | KeyCode::Enter | KeyCode::F(1), _) => {
                return Reply::Close;
            }
            _ => {
                if let Some(motion) = motion(key, !self.types) {
                    self.list.scroll(motion);
                }
            }
        }
        Reply::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(filter) = self.filter.as_mut().filter(|_| self.types) {
            filter.insert(text);
        }
    }

    fn scroll(&mut self, rows: i32) {
        wheel(rows).for_each(|motion| self.list.scroll(motion));
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let most = usize::from(screen.width.saturating_sub(8));
        let all = self.sections.iter().flat_map(|(_, rows)| rows.clone());
        let all: Vec<Row> = all.collect();
        let widest = made(&all, brush.glyphs, most).width(usize::MAX);
        let rows = self.rows();
        let rows = made(&rows, brush.glyphs, most);
        // While there is a filter, the box has its maximum height, so that its size does not change with each typed
        // letter. The lower border shows the keys of the popup.
        let height = match self.filter {
            Some(_) => u16::MAX,
            None => cells(rows.len()).saturating_add(2),
        };
        let width = widest.clamp(LEAST.min(most), most) + 4;
        let height = height.min(screen.height.saturating_sub(2)).max(3);
        let size = (cells(width), height);
        let keys = match (self.types, &self.filter) {
            (true, _) => "Enter keep filter  Esc show all",
            (false, Some(_)) => "j k scroll  / new filter  Esc show all",
            (false, None) => "j k scroll  / filter  Esc close",
        };
        let mut area = open(brush, screen, buffer, size, "Help", keys);
        if let Some(filter) = &self.filter {
            draw_field(buffer, area, 0, ("/", filter, self.types), brush);
            area = cut_top(area, 1).1;
        }
        self.list.draw(rows, (brush, true), area, buffer);
    }
}

fn is_of(offer: Offer, pane: Pane) -> bool {
    matches!(offer, Offer::In(panes) if panes.contains(&pane))
}

fn row(keymap: &Keymap, action: Action) -> Row {
    let keys = keymap.keys(action).iter().map(ToString::to_string);
    let keys: Vec<String> = keys.collect();
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

/// Width, in cells, of the column with the keys and the command of each row. Only a wide popup has this column.
const WIDE: usize = 44;
/// Minimum width of the popup's text, in cells, if the screen has room for it.
const LEAST: usize = 40;
const NARROW: usize = 18;

/// The rows as lines that are `cells` cells wide. Keys and command are at the left. The description is at the right and
/// wraps in its own column.
fn made<'g>(rows: &[Row], glyphs: &'g Glyphs, cells: usize) -> Rows<'g, ()> {
    let column = if cells < 96 { NARROW } else { WIDE };
    let mut made = Rows::new(glyphs, cells);
    let single = rows.iter().filter(|row| !row.command.is_empty()).count() == 1;
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
        if single && column == NARROW && !row.keys.is_empty() {
            made.labelled((&head, row.role), column, &row.command, row.role);
            head.clear();
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
        let rows = help.rows();
        let texts = rows.iter().map(|row| format!("{}\n", row.text));
        let all: String = texts.collect();
        for entry in TABLE {
            assert!(all.contains(entry.help), "{}", entry.name);
        }
        assert!(all.contains("$effective"));
        assert_eq!(rows.first().map(|row| row.text.as_str()), Some("3 Data"));
    }
}
