//! An answer to a task: a result, an error, or none ever.
//!
//! It must not know the run: what would follow is handed in with the offer.

use super::editor::{JsonEditor, LONGEST};
use super::{Reply, draw_field, open};
use crate::interpreter::{Answer, Outcome};
use crate::json::Value;
use crate::session::Command;
use crate::session::view::AnswerOffer;
use crate::tui::border::{Look, put};
use crate::tui::line::Line;
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Result,
    Error,
    Never,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Result, Self::Error, Self::Never];

    fn title(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Error => "error",
            Self::Never => "never answers (time out)",
        }
    }

    fn next(self) -> Self {
        match self {
            Self::Result => Self::Error,
            Self::Error => Self::Never,
            Self::Never => Self::Result,
        }
    }
}

/// What is being typed into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// The result, or the error's name.
    Main,
    Cause,
    Took,
}

/// The form.
#[derive(Debug)]
pub struct AnswerForm {
    offer: AnswerOffer,
    state: String,
    kind: Kind,
    field: Field,
    result: JsonEditor,
    error: Line,
    cause: Line,
    took: Line,
    row: Option<usize>,
    problem: String,
}

impl AnswerForm {
    /// Begins with the result in the shape of the resource.
    #[must_use]
    pub fn new(offer: AnswerOffer, state: &str) -> Self {
        let result = if offer.result.size() > LONGEST {
            JsonEditor::empty()
        } else {
            JsonEditor::new(&offer.result)
        };
        Self {
            state: state.to_owned(),
            kind: Kind::Result,
            field: Field::Main,
            result,
            error: Line::default(),
            cause: Line::default(),
            took: Line::default(),
            row: None,
            problem: String::new(),
            offer,
        }
    }

    /// A key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        self.problem.clear();
        match key.code {
            KeyCode::Esc => return Reply::Close,
            KeyCode::Enter if !alt => return self.done(),
            KeyCode::Char('t') if control => {
                self.kind = self.kind.next();
                self.field = Field::Main;
            }
            KeyCode::Tab => self.field = self.next_field(),
            KeyCode::BackTab => {
                self.field = self.next_field();
                if self.kind == Kind::Error {
                    self.field = self.next_field();
                }
            }
            KeyCode::Down | KeyCode::Up if self.is_picking() => {
                self.pick(key.code == KeyCode::Down)
            }
            _ => match (self.kind, self.field) {
                (Kind::Result, Field::Main) => self.result.key(key),
                _ => {
                    self.row = None;
                    if let Some(line) = self.line() {
                        line.key(key);
                    }
                }
            },
        }
        Reply::Stay
    }

    fn is_picking(&self) -> bool {
        self.kind == Kind::Error && self.field == Field::Main
    }

    fn next_field(&self) -> Field {
        match (self.kind, self.field) {
            (Kind::Never, _) => Field::Main,
            (Kind::Error, Field::Main) => Field::Cause,
            (_, Field::Main | Field::Cause) => Field::Took,
            (_, Field::Took) => Field::Main,
        }
    }

    fn line(&mut self) -> Option<&mut Line> {
        match (self.kind, self.field) {
            (Kind::Never, _) | (Kind::Result, Field::Main) => None,
            (Kind::Error, Field::Main) => Some(&mut self.error),
            (_, Field::Cause) => Some(&mut self.cause),
            (_, Field::Took) => Some(&mut self.took),
        }
    }

    fn pick(&mut self, down: bool) {
        let last = self.offer.errors.len().saturating_sub(1);
        let row = match (self.row, down) {
            (None, true) => 0,
            (None, false) => last,
            (Some(row), true) => (row + 1).min(last),
            (Some(row), false) => row.saturating_sub(1),
        };
        if let Some((name, _)) = self.offer.errors.get(row) {
            self.row = Some(row);
            self.error = Line::new(name);
        }
    }

    /// A text that was pasted.
    pub fn paste(&mut self, text: &str) {
        if self.kind == Kind::Result && self.field == Field::Main {
            self.result.paste(text);
        } else if let Some(line) = self.line() {
            line.insert(text);
        }
    }

    fn done(&mut self) -> Reply {
        let outcome = match self.kind {
            Kind::Never => Outcome::Never,
            Kind::Error => {
                let some = |line: &Line| (!line.is_empty()).then(|| line.text().trim().into());
                Outcome::Failure {
                    error: some(&self.error),
                    cause: some(&self.cause),
                }
            }
            Kind::Result => {
                let Some(value) = self.value() else {
                    self.field = Field::Main;
                    return Reply::Stay;
                };
                Outcome::Success(value)
            }
        };
        match seconds(&self.took.text()) {
            Ok(took) => Reply::Do(vec![Command::Answer(
                self.offer.ask,
                Answer {
                    outcome,
                    took,
                    heartbeats: Vec::new(),
                },
            )]),
            Err(problem) => {
                self.problem = problem;
                self.field = Field::Took;
                Reply::Stay
            }
        }
    }

    fn value(&mut self) -> Option<Value> {
        self.result.value()
    }

    /// Draws it.
    pub fn draw(&mut self, look: Look, screen: Rect, buffer: &mut Buffer) {
        let rows = match self.kind {
            Kind::Result => self.result.text().lines().count() + 8,
            Kind::Error => self.offer.errors.len() + 9,
            Kind::Never => 9,
        };
        let size = (
            screen.width.saturating_sub(8).min(96),
            u16::try_from(rows)
                .unwrap_or(u16::MAX)
                .clamp(12, screen.height.saturating_sub(2).max(12)),
        );
        let title = format!("Answer {}", self.state);
        let keys = match screen.width {
            94.. => {
                "Enter answer  Ctrl-t result, error or never  Tab next field  Alt-Enter new line  Esc leave"
            }
            64.. => "Enter answer  Ctrl-t result, error, never  Esc leave",
            _ => "Enter answer  Ctrl-t kind  Esc leave",
        };
        let area = open(look, screen, buffer, size, &title, keys);
        let mut x = area.x;
        for kind in Kind::ALL {
            let (text, role) = if kind == self.kind {
                (format!("[{}]", kind.title()), Role::Title)
            } else {
                (format!(" {} ", kind.title()), Role::Dim)
            };
            let room = usize::from(area.right().saturating_sub(x));
            (x, _) = buffer.set_stringn(x, area.y, &text, room, look.style(role));
            x = x.saturating_add(1).min(area.right());
        }
        let last = area.height.saturating_sub(1);
        let body = Rect {
            y: area.y.saturating_add(2).min(area.bottom()),
            height: area.height.saturating_sub(4),
            ..area
        };
        match self.kind {
            Kind::Result => {
                let focused = self.field == Field::Main;
                self.result.draw(look, body, focused, buffer);
            }
            Kind::Error => self.draw_error(look, body, buffer),
            Kind::Never => {
                let text = "No answer comes: TimeoutSeconds or HeartbeatSeconds passes, else the run is stuck here.";
                put(buffer, body, 0, text, look.style(Role::Text), look);
            }
        }
        if self.kind != Kind::Never {
            let took = ("took seconds (0)", &self.took, self.field == Field::Took);
            draw_field(buffer, area, last.saturating_sub(1), took, look);
        }
        let (text, role) = match (self.kind, self.problem.as_str()) {
            (_, problem) if !problem.is_empty() => (problem.to_owned(), Role::Error),
            (Kind::Result, _) => (format!("then: {}", self.offer.then), Role::Dim),
            _ => (self.follows(), Role::Dim),
        };
        put(buffer, area, last, &text, look.style(role), look);
    }

    /// What the name typed would lead to, where it is one of the offered.
    fn follows(&self) -> String {
        let name = self.error.text();
        self.offer
            .errors
            .iter()
            .find(|(known, _)| **known == *name)
            .map_or_else(String::new, |(_, then)| format!("then: {then}"))
    }

    fn draw_error(&self, look: Look, area: Rect, buffer: &mut Buffer) {
        draw_field(
            buffer,
            area,
            0,
            ("Error", &self.error, self.field == Field::Main),
            look,
        );
        draw_field(
            buffer,
            area,
            1,
            ("Cause", &self.cause, self.field == Field::Cause),
            look,
        );
        let seen = usize::from(area.height.saturating_sub(3));
        let top = self.row.map_or(0, |row| (row + 1).saturating_sub(seen));
        for (place, (name, then)) in self.offer.errors.iter().enumerate().skip(top).take(seen) {
            let role = if self.row == Some(place) {
                Role::Selected
            } else {
                Role::Text
            };
            let row = u16::try_from(place - top + 3).unwrap_or(u16::MAX);
            let arrow = look.glyphs.arrow;
            put(
                buffer,
                area,
                row,
                &format!("{name:<32} {arrow} {then}"),
                look.style(role),
                look,
            );
        }
    }
}

/// Reads seconds as milliseconds.
///
/// # Errors
/// Where it is no number of seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let text = text.trim().trim_end_matches('s').trim();
    if text.is_empty() {
        return Ok(0);
    }
    let refused = || format!("{text} is not a number of seconds");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || (whole.is_empty() && part.is_empty()) {
        return Err(refused());
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().map_err(|_| refused())?
    };
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    let part: u64 = part.parse().map_err(|_| refused())?;
    Ok(whole.saturating_mul(1_000).saturating_add(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::StateId;
    use crate::interpreter::AskId;
    use crate::json::parse;

    fn form() -> AnswerForm {
        let offer = AnswerOffer {
            ask: AskId(7),
            state: StateId(0),
            result: parse("{\"ok\":true}").expect("json"),
            errors: vec![
                ("Payment.Declined".into(), "catch[0] → Notify".into()),
                ("X".into(), "uncaught, run fails".into()),
            ],
            then: "→ Ship".into(),
        };
        AnswerForm::new(offer, "Pay")
    }

    fn press(form: &mut AnswerForm, code: KeyCode, modifiers: KeyModifiers) -> Reply {
        form.key(&KeyEvent::new(code, modifiers))
    }

    fn answered(reply: &Reply) -> Option<&Answer> {
        match reply {
            Reply::Do(commands) => match commands.as_slice() {
                [Command::Answer(AskId(7), answer)] => Some(answer),
                _ => None,
            },
            _ => None,
        }
    }

    #[test]
    fn the_result_is_prefilled() {
        let reply = press(&mut form(), KeyCode::Enter, KeyModifiers::NONE);
        let answer = answered(&reply).expect("an answer");
        assert_eq!(
            answer.outcome,
            Outcome::Success(parse("{\"ok\":true}").expect("json"))
        );
    }

    #[test]
    fn an_error_is_picked_with_its_cause_and_time() {
        let mut form = form();
        press(&mut form, KeyCode::Char('t'), KeyModifiers::CONTROL);
        press(&mut form, KeyCode::Down, KeyModifiers::NONE);
        press(&mut form, KeyCode::Tab, KeyModifiers::NONE);
        form.paste("no money");
        press(&mut form, KeyCode::Tab, KeyModifiers::NONE);
        form.paste("x");
        assert_eq!(
            press(&mut form, KeyCode::Enter, KeyModifiers::NONE),
            Reply::Stay
        );
        press(&mut form, KeyCode::Backspace, KeyModifiers::NONE);
        form.paste("1.5");
        let reply = press(&mut form, KeyCode::Enter, KeyModifiers::NONE);
        let answer = answered(&reply).expect("an answer");
        assert_eq!(answer.took, 1_500);
        assert_eq!(
            answer.outcome,
            Outcome::Failure {
                error: Some("Payment.Declined".into()),
                cause: Some("no money".into())
            }
        );
    }

    #[test]
    fn seconds_read() {
        assert_eq!(seconds(" 2.25 s"), Ok(2_250));
        assert_eq!(seconds(".5"), Ok(500));
        assert_eq!(seconds(""), Ok(0));
        assert!(seconds("-1").is_err() && seconds("1e3").is_err() && seconds(".").is_err());
    }
}
