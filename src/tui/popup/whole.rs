//! The popup that shows a value in full, with its expression, its loss and its source line. The user can scroll and
//! search the rows, and ask for the origin of the value in the selected row.

use super::dialog::{Dialog, Reply, motion, open, rim, wheel};
use crate::json::{Pointer, Step, Value};
use crate::session::origin::Holder;
use crate::session::{Command, Sought};
use crate::tui::border::Brush;
use crate::tui::fit::{words, wrapped};
use crate::tui::glyph::Glyphs;
use crate::tui::line::Line;
use crate::tui::pane::Motion;
use crate::tui::pane::line::{Line as Row, cells};
use crate::tui::pane::list::{List, Rows};
use crate::tui::pane::search::{holds, next_match};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The key by which the list selects the row that a search found, if no line of the value begins in this row. Rows in
/// which a line of the value begins have the index of that line as their key.
const FOUND: usize = usize::MAX;

/// The popup that shows a value in full.
#[derive(Clone, Debug)]
pub struct Whole {
    title: String,
    parts: Vec<Part>,
    /// The stage or variable that holds the value, and one position for each line of the value's text: the position of
    /// the member that the line shows. `None` if the user cannot select rows.
    places: Option<(Holder, Vec<Pointer>)>,
    list: List<usize>,
    /// The text of each row as last drawn. If a line of the value begins in the row, also the index of this line in
    /// `places`.
    drawn: Vec<(String, Option<usize>)>,
    /// The search text being typed.
    typed: Option<Line>,
    /// The last search text, in lower case. `match_row` is the index of the row that contains this text and was found
    /// last.
    wanted: String,
    match_row: Option<usize>,
}

/// One section of the popup, such as the value, its expression or its loss: a text with a heading.
#[derive(Clone, Debug)]
pub struct Part {
    /// The heading; empty for the value itself.
    pub heading: &'static str,
    /// The text, which may have several lines.
    pub text: String,
    /// Style role in which the text is drawn.
    pub role: Role,
}

impl Part {
    pub(in crate::tui) fn new(heading: &'static str, text: String, role: Role) -> Self {
        Self {
            heading,
            text,
            role,
        }
    }
}

impl Whole {
    /// Creates the popup; `title` is the path of the value.
    #[must_use]
    pub fn new(title: String, parts: Vec<Part>) -> Self {
        Self {
            title,
            parts,
            places: None,
            list: List::default(),
            drawn: Vec::new(),
            typed: None,
            wanted: String::new(),
            match_row: None,
        }
    }

    /// Lets the user select rows of the value and ask for the origins of its members. `at` is the position of `value`
    /// in `holder`.
    #[must_use]
    pub fn with_places(mut self, holder: Holder, at: Pointer, value: &Value) -> Self {
        let mut places = Vec::new();
        line_places(value, at, &mut places);
        self.places = Some((holder, places));
        self
    }

    /// True if the value has members that the user can select.
    fn has_members(&self) -> bool {
        let places = self.places.as_ref();
        places.is_some_and(|(_, places)| places.len() > 1)
    }

    /// Asks for the origin of the value in the selected row and closes the popup. Does nothing if the row has no such
    /// value.
    fn follow(&self) -> Reply {
        let row = self.list.selected(&self.rows()).unwrap_or(0);
        let place = self.places.as_ref();
        let place = place.and_then(|(holder, places)| Some((holder, places.get(row)?)));
        place.map_or(Reply::Stay, |(holder, at)| {
            let sought = Sought::At(holder.clone(), at.clone());
            Reply::Do(vec![Command::SeekOrigin(sought)])
        })
    }

    /// The rows as last drawn, with their keys but without their texts, for the list's motions.
    fn rows(&self) -> Rows<'static, usize> {
        let mut rows = Rows::new(Glyphs::of(true), 0);
        for (_, place) in &self.drawn {
            rows.add(*place, Row::new());
        }
        rows
    }

    fn move_by(&mut self, motion: Motion) {
        self.match_row = None;
        let rows = self.rows();
        self.list.motion(&rows, motion);
    }

    /// Handles a key while the search text is typed; after each change, goes to the first matching row.
    fn type_wanted(&mut self, key: &KeyEvent) {
        let Some(line) = &mut self.typed else {
            return;
        };
        match key.code {
            KeyCode::Esc => {
                self.typed = None;
                self.wanted.clear();
                self.match_row = None;
            }
            KeyCode::Enter => self.typed = None,
            KeyCode::Backspace if line.is_empty() => self.typed = None,
            _ => {
                line.key(key);
                self.look();
            }
        }
    }

    /// Starts a search for the typed text, and goes to the first row that matches it at or below the top of the visible
    /// rows.
    fn look(&mut self) {
        let typed = self.typed.as_ref().map(Line::text);
        self.wanted = typed.unwrap_or_default().to_lowercase();
        self.match_row = None;
        self.find(true);
    }

    /// Goes to the next or previous matching row; wraps around at both ends.
    fn find(&mut self, forward: bool) {
        let at = self.match_row.unwrap_or_else(|| match forward {
            true => self.list.top().wrapping_sub(1),
            false => self.list.top(),
        });
        let next = next_match(&self.matches(), at, forward);
        self.match_row = next.map(|(_, row)| row);
        let row = self.match_row.and_then(|row| self.drawn.get(row));
        self.list
            .select(row.map_or(FOUND, |(_, place)| place.unwrap_or(FOUND)));
    }

    fn matches(&self) -> Vec<usize> {
        if self.wanted.is_empty() {
            return Vec::new();
        }
        let rows = self.drawn.iter().enumerate();
        let rows = rows.filter(|(_, (row, _))| holds(row, &self.wanted));
        rows.map(|(place, _)| place).collect()
    }

    /// Text of the lower border: the number of hidden rows or of matches, and the keys of the popup.
    fn keys(&self) -> String {
        let matches = self.matches();
        let count = match self.match_row {
            Some(row) => {
                let number = matches.iter().position(|matching| *matching == row);
                let number = number.map_or(0, |place| place + 1);
                format!("matching row {number} of {count}", count = matches.len())
            }
            None if self.wanted.is_empty() => String::new(),
            None if matches.is_empty() => "text not found".to_owned(),
            None => format!("found in {rows} rows", rows = matches.len()),
        };
        if let Some(line) = &self.typed {
            return format!(
                "/{text}  {count}  Enter keep  Esc cancel",
                text = line.text()
            );
        }
        let (above, hidden) = self.list.hidden();
        let more = match hidden {
            0 => String::new(),
            1 => "1 more row below  ".to_owned(),
            more => format!("{more} more rows below  "),
        };
        let scroll = match (self.has_members(), above + hidden > 0) {
            (true, _) => "j k select  Enter or W where from  ",
            (false, true) => "j k PgDn scroll  ",
            (false, false) => "",
        };
        let origin = match &self.places {
            Some(_) if !self.has_members() => "W where from  ",
            _ => "",
        };
        match count.is_empty() {
            true => format!("{more}{scroll}{origin}/ find  Esc closes"),
            false => format!("{count}  n next match  N previous match  Esc closes"),
        }
    }

    /// The rows of all sections, wrapped to this width. Each has its text and style role and, if a line of the value
    /// begins in the row, the index of this line in `places`.
    fn lines(&self, width: usize, brush: Brush) -> Vec<(String, Role, Option<usize>)> {
        let mut lines = Vec::new();
        let places = self.places.as_ref().filter(|_| self.has_members());
        let places = places.map_or(0, |(_, places)| places.len());
        for part in &self.parts {
            if !part.heading.is_empty() {
                if !lines.is_empty() {
                    lines.push((String::new(), Role::Text, None));
                }
                lines.push((part.heading.to_owned(), Role::Title, None));
            }
            let text = words(brush.glyphs, &part.text);
            for (place, line) in text.lines().enumerate() {
                let is_place = part.heading.is_empty() && place < places;
                let mut place = is_place.then_some(place);
                let indent = line.len() - line.trim_start().len();
                let indent = indent.min(width / 2);
                let blank = " ".repeat(indent);
                let rows = wrapped(&crate::json::visible(line.trim_start()), width - indent);
                let rows = rows.into_iter();
                lines.extend(rows.map(|row| (format!("{blank}{row}"), part.role, place.take())));
            }
        }
        lines
    }
}

impl Dialog for Whole {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        if self.typed.is_some() {
            self.type_wanted(key);
            return Reply::Stay;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return Reply::Close,
            KeyCode::Char('W') | KeyCode::Right => return self.follow(),
            KeyCode::Enter => {
                return match self.has_members() {
                    true => self.follow(),
                    false => Reply::Close,
                };
            }
            KeyCode::Char('/') => self.typed = Some(Line::default()),
            KeyCode::Char('n') => self.find(true),
            KeyCode::Char('N') => self.find(false),
            _ => {
                if let Some(motion) = motion(key, true) {
                    self.move_by(motion);
                }
            }
        }
        Reply::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.typed {
            line.insert(text);
            self.look();
        }
    }

    fn scroll(&mut self, rows: i32) {
        wheel(rows).for_each(|motion| self.move_by(motion));
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let width = screen.width.saturating_sub(4).min(140);
        let lines = self.lines(usize::from(width.saturating_sub(6)), brush);
        let mut rows = Rows::new(brush.glyphs, width.into());
        self.drawn.clear();
        for (row, (text, role, place)) in lines.into_iter().enumerate() {
            let matched = (self.match_row == Some(row)).then_some(FOUND);
            rows.add(place.or(matched), Row::new().text(text.clone(), role));
            self.drawn.push((text, place));
        }
        let height = cells(rows.len()).saturating_add(2);
        let size = (width, height.min(screen.height.saturating_sub(2)));
        let area = open(brush, screen, buffer, size, &self.title, "");
        self.list.draw(rows, (brush, true), area, buffer);
        // The border is drawn again after the rows, because only then is the number of hidden rows known.
        rim(brush, screen, buffer, size, &self.title, &self.keys());
    }
}

/// Maximum number of lines of a value in which the user can select rows.
const SELECTABLE: usize = 20_000;

/// Adds one position to `places` for each line of the formatted text of `value`: the position of the value that begins
/// or ends in the line. `at` is the position of `value` itself.
fn line_places(value: &Value, at: Pointer, places: &mut Vec<Pointer>) {
    places.push(at.clone());
    match value {
        Value::Array(array) if !array.is_empty() => {
            for place in 0..array.len() {
                if places.len() >= SELECTABLE {
                    return;
                }
                if let Some(item) = array.item(place) {
                    line_places(&item, at.child(Step::Item(place)), places);
                }
            }
        }
        Value::Object(object) if !object.members().is_empty() => {
            for (name, member) in object.members() {
                if places.len() >= SELECTABLE {
                    return;
                }
                line_places(member, at.child(Step::Member(name.clone())), places);
            }
        }
        _ => return,
    }
    if places.len() < SELECTABLE {
        places.push(at);
    }
}
