//! The form for answering a task: with a result, with an error, or with no answer at all.

use super::dialog::{Dialog, Reply, draw_field, open};
use super::editor::{JsonEditor, LONGEST};
use crate::interpreter::{Answer, Millis, Outcome};
use crate::json::Text;
use crate::session::grammar::{beats, seconds};
use crate::session::view::AnswerOffer;
use crate::session::{Command, Reach};
use crate::tui::border::{Brush, Pen, put};
use crate::tui::layout::{cut_bottom, cut_top};
use crate::tui::line::Line;
use crate::tui::pane::line::cells;
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The kind of answer that the form gives to the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    Result,
    Error,
    Never,
}

const KINDS: [(AnswerKind, &str); 3] = [
    (AnswerKind::Result, "result"),
    (AnswerKind::Error, "error"),
    (AnswerKind::Never, "no answer (heartbeats only, or timeout)"),
];

/// An input field of the form. `Main` is the editor for the result or, if the answer is an error, the name of the
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Main,
    Cause,
    Took,
    Beats,
    Where,
}

/// The tasks that get the answer, as the user chooses in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    Attempt,
    State,
    Resource,
    Items,
}

const REACHES: [(For, &str); 4] = [
    (For::Attempt, "this attempt"),
    (For::State, "this state"),
    (For::Resource, "this Resource"),
    (For::Items, "items where"),
];

/// The form in which the user answers a task.
#[derive(Debug)]
pub struct AnswerForm {
    offer: AnswerOffer,
    state: String,
    kind: AnswerKind,
    field: Field,
    result: JsonEditor,
    /// The input lines, in the order of [`Field`].
    lines: [Line; 5],
    reach: For,
    row: Option<usize>,
    problem: String,
}

impl AnswerForm {
    /// Creates the form. It initially contains the earlier answer to the task or, if there is none, a sample result.
    #[must_use]
    pub fn new(offer: AnswerOffer, state: &str) -> Self {
        let result = if offer.result.size() > LONGEST {
            JsonEditor::empty()
        } else {
            JsonEditor::new(&offer.result)
        };
        let before = offer.before.as_ref();
        let failed = before.and_then(|answer| match &answer.outcome {
            Outcome::Failure { error, cause } => Some([error, cause]),
            _ => None,
        });
        let part = |text: Option<&Option<Text>>| {
            let text = text.and_then(Option::as_deref).unwrap_or_default();
            Line::new(text)
        };
        let took = match before.map_or(0, |answer| answer.took) {
            0 => Line::default(),
            took => Line::new(&written_seconds(took)),
        };
        Self {
            state: state.to_owned(),
            kind: match before.map(|answer| &answer.outcome) {
                Some(Outcome::Failure { .. }) => AnswerKind::Error,
                Some(Outcome::Never) => AnswerKind::Never,
                _ => AnswerKind::Result,
            },
            field: Field::Main,
            result,
            lines: [
                part(failed.map(|[error, _]| error)),
                part(failed.map(|[_, cause]| cause)),
                took,
                Line::default(),
                Line::default(),
            ],
            reach: For::Attempt,
            row: None,
            problem: String::new(),
            offer,
        }
    }

    /// Adds to the typed result all further members that a result of the task can have.
    fn unfold(&mut self) {
        if let (Some(whole), Some(typed)) = (self.offer.whole.take(), self.result.value()) {
            self.result = JsonEditor::new(&typed.over(&whole));
        }
    }

    fn is_picking(&self) -> bool {
        self.kind == AnswerKind::Error && self.field == Field::Main
    }

    /// The fields that the form shows for the chosen kind of answer, in the order in which Tab visits them.
    fn fields(&self) -> Vec<Field> {
        let all = [
            (Field::Main, true),
            (Field::Cause, self.kind == AnswerKind::Error),
            (Field::Took, self.kind != AnswerKind::Never),
            (Field::Beats, self.offer.heartbeat.is_some()),
            (Field::Where, self.reach == For::Items),
        ];
        let shown = all.into_iter().filter(|(_, is_shown)| *is_shown);
        shown.map(|(field, _)| field).collect()
    }

    /// Moves the focus to the next field or, if `on` is false, to the previous one.
    fn turn(&mut self, on: bool) {
        let fields = self.fields();
        let step = if on { 1 } else { fields.len() - 1 };
        self.field = next(&fields, self.field, step);
    }

    /// The input line that has the focus; `None` while the editor for the result has it.
    fn line(&mut self) -> Option<&mut Line> {
        let is_line = self.kind == AnswerKind::Error || self.field != Field::Main;
        let line = self.lines.get_mut(self.field as usize);
        line.filter(|_| is_line)
    }

    /// The text of a field, without spaces around it.
    fn text(&self, field: Field) -> String {
        let line = self.lines.get(field as usize);
        line.map_or_else(String::new, |line| line.text().trim().to_owned())
    }

    /// Draws the input line of a field.
    fn draw_line(&self, field: Field, label: &str, at: (Rect, u16), brush: Brush, to: &mut Buffer) {
        if let Some(line) = self.lines.get(field as usize) {
            let line = (label, line, self.field == field);
            draw_field(to, at.0, at.1, line, brush);
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
            let [error, ..] = &mut self.lines;
            *error = Line::new(name);
        }
    }

    fn done(&mut self) -> Reply {
        let outcome = match self.kind {
            AnswerKind::Never => Outcome::Never,
            AnswerKind::Error => {
                let some = |text: String| (!text.is_empty()).then(|| text.into());
                Outcome::Failure {
                    error: some(self.text(Field::Main)),
                    cause: some(self.text(Field::Cause)),
                }
            }
            AnswerKind::Result => {
                let Some(value) = self.result.value() else {
                    self.field = Field::Main;
                    return Reply::Stay;
                };
                Outcome::Success(value)
            }
        };
        let took = match seconds(&self.text(Field::Took)) {
            Ok(took) => took,
            Err(problem) => return self.wrong(Field::Took, problem),
        };
        let heartbeats = match beats(&self.text(Field::Beats)) {
            Ok(beats) => beats,
            Err(problem) => return self.wrong(Field::Beats, problem),
        };
        let answer = Answer {
            outcome,
            took,
            heartbeats,
        };
        let reach = match self.reach {
            For::Attempt => return Reply::Do(vec![Command::Answer(self.offer.ask, answer)]),
            For::State => Reach::State,
            For::Resource => Reach::Resource,
            For::Items => {
                let condition = self.text(Field::Where);
                if condition.is_empty() {
                    let problem = "the scope \"items where\" needs a condition, such as $.sku == \"A\" or index >= 3";
                    return self.wrong(Field::Where, problem.to_owned());
                }
                Reach::Items(condition.into())
            }
        };
        Reply::Do(vec![Command::AnswerAll(self.offer.ask, answer, reach)])
    }

    fn wrong(&mut self, field: Field, problem: String) -> Reply {
        self.problem = problem;
        self.field = field;
        Reply::Stay
    }

    /// Text about what the run does after the error that the user typed; empty if the form does not list this error.
    fn follows(&self) -> String {
        let name = self.text(Field::Main);
        let mut errors = self.offer.errors.iter();
        let listed = errors.find(|(known, _)| **known == *name);
        listed.map_or_else(String::new, |(_, effect)| format!("then: {effect}"))
    }

    fn draw_error(&self, brush: Brush, area: Rect, buffer: &mut Buffer) {
        self.draw_line(Field::Main, "Error", (area, 0), brush, buffer);
        self.draw_line(Field::Cause, "Cause", (area, 1), brush, buffer);
        let seen = usize::from(area.height.saturating_sub(3));
        let top = self.row.map_or(0, |row| (row + 1).saturating_sub(seen));
        for (place, (error, effect)) in self.offer.errors.iter().enumerate().skip(top).take(seen) {
            let role = match self.row == Some(place) {
                true => Role::Selected,
                false => Role::Text,
            };
            let row = u16::try_from(place - top + 3).unwrap_or(u16::MAX);
            let text = format!("{error:<32} {arrow} {effect}", arrow = brush.glyphs.arrow);
            put(buffer, area, row, &text, brush.style(role), brush);
        }
    }
}

impl Dialog for AnswerForm {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        self.problem.clear();
        match key.code {
            KeyCode::Esc => return Reply::Close,
            KeyCode::Enter if !alt => return self.done(),
            KeyCode::Char('t') if control => {
                self.kind = next(&KINDS.map(|(kind, _)| kind), self.kind, 1);
                self.field = Field::Main;
            }
            KeyCode::Char('s') if control => {
                self.reach = next(&REACHES.map(|(reach, _)| reach), self.reach, 1);
                self.field = match self.reach {
                    For::Items => Field::Where,
                    _ => Field::Main,
                };
            }
            KeyCode::Char('f') if control && self.kind == AnswerKind::Result => self.unfold(),
            KeyCode::Tab => self.turn(true),
            KeyCode::BackTab => self.turn(false),
            KeyCode::Down | KeyCode::Up if self.is_picking() => {
                self.pick(key.code == KeyCode::Down)
            }
            _ => match (self.kind, self.field) {
                (AnswerKind::Result, Field::Main) => self.result.key(key),
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

    fn paste(&mut self, text: &str) {
        if self.kind == AnswerKind::Result && self.field == Field::Main {
            self.result.paste(text);
        } else if let Some(line) = self.line() {
            line.insert(text);
        }
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let rows = match self.kind {
            AnswerKind::Result => self.result.line_count() + 7,
            AnswerKind::Error => self.offer.errors.len() + 8,
            AnswerKind::Never => 7,
        };
        let below = u16::try_from(self.fields().len()).unwrap_or(0);
        let below = below - u16::from(self.kind == AnswerKind::Error) + 1;
        let rows = rows + usize::from(below);
        let most = screen.height.saturating_sub(2).max(12);
        let size = (
            screen.width.saturating_sub(8).min(96),
            cells(rows).clamp(12, most),
        );
        let title = format!("Answer {state}", state = self.state);
        let keys = match screen.width {
            98.. => {
                "Enter answer  Ctrl-t kind  Ctrl-s scope  Tab next field  Alt-Enter new line  Esc cancel"
            }
            64.. => "Enter answer  Ctrl-t kind  Ctrl-s scope  Tab field  Esc cancel",
            _ => "Enter  Ctrl-t kind  Ctrl-s scope  Esc",
        };
        let area = open(brush, screen, buffer, size, &title, keys);
        let kinds = KINDS.map(|(kind, title)| (title, kind == self.kind));
        draw_choice(buffer, area, 0, "", &kinds, brush);
        let last = area.height.saturating_sub(1);
        let (body, _) = cut_bottom(cut_top(area, 2).1, below);
        match self.kind {
            AnswerKind::Result => {
                let focused = self.field == Field::Main;
                self.result.draw(brush, body, focused, buffer);
            }
            AnswerKind::Error => self.draw_error(brush, body, buffer),
            AnswerKind::Never => {
                let text = "The task times out; if the task has no timeout, the run is stuck.";
                put(buffer, body, 0, text, brush.style(Role::Text), brush);
            }
        }
        let mut row = last.saturating_sub(below - 1);
        for field in self.fields() {
            let label = match field {
                Field::Took => "duration in seconds (default 0)",
                Field::Beats => "heartbeat times in s (default none)",
                Field::Main | Field::Cause | Field::Where => continue,
            };
            self.draw_line(field, label, (area, row), brush, buffer);
            row = row.saturating_add(1);
        }
        let reaches = REACHES.map(|(reach, title)| (title, reach == self.reach));
        draw_choice(buffer, area, row, "for", &reaches, brush);
        if self.reach == For::Items {
            let at = (area, row.saturating_add(1));
            self.draw_line(Field::Where, "where", at, brush, buffer);
        }
        let (text, role) = match (self.kind, self.problem.as_str()) {
            (_, problem) if !problem.is_empty() => (problem.to_owned(), Role::Error),
            (AnswerKind::Result, _) => {
                let hint = match self.offer.whole.is_some() {
                    true => "; Ctrl-f adds all members of the result",
                    false => "",
                };
                (
                    format!("then: {effect}{hint}", effect = self.offer.then),
                    Role::Dim,
                )
            }
            _ => (self.follows(), Role::Dim),
        };
        put(buffer, area, last, &text, brush.style(role), brush);
    }
}

/// The item that is `steps` places after `now` in `all`. After the last item, the first item follows.
fn next<T: Copy + PartialEq>(all: &[T], now: T, steps: usize) -> T {
    let at = all.iter().position(|item| *item == now).unwrap_or(0);
    all.iter().cycle().nth(at + steps).copied().unwrap_or(now)
}

/// A time in seconds, as a user would type it.
fn written_seconds(millis: Millis) -> String {
    let (whole, rest) = (millis / 1000, millis % 1000);
    let text = format!("{whole}.{rest:03}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Draws the choices, with the selected one in brackets.
fn draw_choice(
    buffer: &mut Buffer,
    area: Rect,
    row: u16,
    label: &str,
    choices: &[(&str, bool)],
    brush: Brush,
) {
    if row >= area.height {
        return;
    }
    let mut pen = Pen::new(area, area.y.saturating_add(row), buffer);
    if !label.is_empty() {
        pen.put(label, brush.style(Role::Dim));
        pen.skip(1);
    }
    for (title, chosen) in choices {
        let (text, role) = match chosen {
            true => (format!("[{title}]"), Role::Title),
            false => (format!(" {title} "), Role::Dim),
        };
        pen.put(&text, brush.style(role));
        pen.skip(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::StateId;
    use crate::interpreter::AskId;
    use crate::json::parse;

    fn form() -> AnswerForm {
        AnswerForm::new(offer(), "Pay")
    }

    fn offer() -> AnswerOffer {
        AnswerOffer {
            ask: AskId(7),
            state: StateId(0),
            whole: Some(parse("{\"ok\":false,\"more\":{\"a\":0}}").expect("json")),
            result: parse("{\"ok\":true}").expect("json"),
            before: None,
            errors: vec![
                ("Payment.Declined".into(), "catch[0] → Notify".into()),
                ("X".into(), "uncaught, run fails".into()),
            ],
            then: "→ Ship".into(),
            heartbeat: None,
        }
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
    fn the_rest_of_the_result_is_added() {
        let mut form = form();
        press(&mut form, KeyCode::Char('f'), KeyModifiers::CONTROL);
        let reply = press(&mut form, KeyCode::Enter, KeyModifiers::NONE);
        let whole = parse("{\"ok\":true,\"more\":{\"a\":0}}").expect("json");
        let answer = answered(&reply).expect("an answer");
        assert_eq!(answer.outcome, Outcome::Success(whole));
    }

    #[test]
    fn what_was_answered_before_is_prefilled() {
        let before = Answer {
            took: 1_500,
            ..Answer::failure("Payment.Declined", "no money")
        };
        let offer = AnswerOffer {
            before: Some(before.clone()),
            ..offer()
        };
        let reply = press(
            &mut AnswerForm::new(offer, "Pay"),
            KeyCode::Enter,
            KeyModifiers::NONE,
        );
        assert_eq!(answered(&reply), Some(&before));
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
}
