//! Keys in the prompt: history, completion, and values shown while typing.

use super::action::{Action, Entry};
use super::app::App;
use super::command::data::{raw, shown};
use super::model::{Prompt, PromptKind};
use super::popup::editor::OFFERED;
use super::prompt;
use super::theme::Role;
use crate::json::pretty;
use crate::session::Command;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Maximum number of lines that are shown above the prompt.
const NOTES: usize = 10;

impl App {
    /// Handles a key in the prompt.
    pub(super) fn prompt_key(&mut self, key: &KeyEvent) {
        let Some(prompt) = &mut self.model.prompt else {
            return;
        };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Esc => self.model.prompt = None,
            KeyCode::Enter => self.prompt_done(),
            KeyCode::Backspace if prompt.line.is_empty() => self.model.prompt = None,
            KeyCode::Tab => self.complete(true),
            KeyCode::BackTab => self.complete(false),
            KeyCode::Up => self.recall(true),
            KeyCode::Down => self.recall(false),
            KeyCode::Char('p') if control => self.recall(true),
            KeyCode::Char('n') if control => self.recall(false),
            KeyCode::Char('y') if control && prompt.kind == PromptKind::Evaluate => {
                if let Ok(value) = self.session.evaluate(&prompt.line.text()) {
                    self.effects.push(super::app::Effect::Copy(raw(&value)));
                }
            }
            _ => {
                match key.code {
                    KeyCode::Char(c) if !control && !alt => prompt.give_way(c),
                    _ => prompt.offered = false,
                }
                prompt.line.key(key);
                self.prompt_changed();
            }
        }
    }

    fn prompt_done(&mut self) {
        let Some(prompt) = self.model.prompt.take() else {
            return;
        };
        let text = prompt.line.text();
        let text = text.trim();
        if text.is_empty() {
            if prompt.kind == PromptKind::Find {
                if self.shows_items() {
                    self.apply(Command::FilterItems("".into()));
                }
                self.show_all_events();
            }
            return;
        }
        self.model.message = None;
        match prompt.kind {
            PromptKind::Command => {
                self.model.remember(text);
                self.line(text);
            }
            PromptKind::Watch => self.apply(Command::Watch(text.into())),
            PromptKind::Evaluate => self.keep_result(text),
            PromptKind::Find => {
                self.model.wanted = text.to_owned();
                let done = self.find(true);
                self.done(done);
            }
        }
    }

    /// The value of an expression. If a row is selected in the data pane, `$` in the expression means the same as in
    /// the field that produced this row.
    fn evaluated(&self, text: &str) -> Result<crate::json::Value, String> {
        let part = self.selected_data().map(|selected| selected.part);
        match part.and_then(|part| self.stage_read(part)) {
            Some(stage) => self.session.evaluate_on(text, stage),
            None => self.session.evaluate(text),
        }
    }

    /// Shows the value of an expression as a message, with the state and event of the evaluation; adds no watch.
    fn keep_result(&mut self, text: &str) {
        let value = match self.evaluated(text) {
            Ok(value) => value,
            Err(problem) => return self.model.say(problem, Role::Warning),
        };
        let state = super::whereabouts::name(self.session.definition(), self.view.current);
        let event = self.view.header.event;
        let (value, kind) = (shown(&value), value.type_name());
        let text = format!("{text} = {value} ({kind}; {state}, event {event})");
        self.model.say(text, Role::Text);
    }

    /// Updates the lines above the prompt after the text changed.
    pub(super) fn prompt_changed(&mut self) {
        let Some(mut prompt) = self.model.prompt.take() else {
            return;
        };
        prompt.completing = None;
        prompt.notes.clear();
        let text = prompt.line.text();
        match prompt.kind {
            PromptKind::Command => {
                let before = prompt.line.before();
                let (from, mut choices) = self.completions(&before);
                if from == 0 {
                    let matching = prompt::commands(&before).into_iter();
                    // Commands that would have an effect now come first.
                    let (can, cannot): (Vec<&Entry>, Vec<&Entry>) =
                        matching.partition(|entry| self.hindrance(entry.action).is_none());
                    let entries = can.into_iter().chain(cannot);
                    choices = entries.map(|entry| entry.name.to_owned()).collect();
                }
                if !text.is_empty() {
                    prompt.notes = self.notes_of(&choices, from, None);
                }
            }
            PromptKind::Watch | PromptKind::Evaluate if !text.trim().is_empty() => {
                let evaluated = match prompt.kind {
                    PromptKind::Evaluate => self.evaluated(text.trim()),
                    _ => self.session.evaluate(text.trim()),
                };
                prompt.notes = match evaluated {
                    Ok(value) => {
                        let whole = match value.size() > 20_000 {
                            true => shown(&value),
                            false => pretty(&value),
                        };
                        let lines = whole.lines().take(NOTES);
                        let lines = lines.map(|line| (line.to_owned(), Role::Text));
                        let mut lines: Vec<(String, Role)> = lines.collect();
                        let size = match value.size() {
                            1 => "1 byte".to_owned(),
                            size => format!("{size} bytes"),
                        };
                        let kind = format!("{}, {size}", value.type_name());
                        lines.push((kind, Role::Dim));
                        if prompt.offered {
                            lines.push((OFFERED.to_owned(), Role::Dim));
                        }
                        lines
                    }
                    Err(problem) => vec![(problem, Role::Warning)],
                };
            }
            _ => {}
        }
        self.model.prompt = Some(prompt);
    }

    /// Completions of the text before the cursor, in the form that [`prompt::complete`] returns.
    fn completions(&self, before: &str) -> (usize, Vec<String>) {
        let (origin, machines) = (&self.setup.origin, self.setup.workspace.choices());
        prompt::complete(before, self.session.definition(), origin, machines)
    }

    /// Handles Tab: completes the common beginning of all candidates; pressed again, cycles through the candidates.
    fn complete(&mut self, forward: bool) {
        let is_command = |prompt: &mut Prompt| prompt.kind == PromptKind::Command;
        let Some(mut prompt) = self.model.prompt.take_if(is_command) else {
            return;
        };
        let changed = self.completed(&mut prompt, forward);
        self.model.prompt = Some(prompt);
        if changed {
            self.prompt_changed();
        }
    }

    /// Completes the text before the cursor. Returns true if the caller has to update the lines above the prompt.
    fn completed(&self, prompt: &mut Prompt, forward: bool) -> bool {
        if let Some((from, choices, place)) = &mut prompt.completing {
            let count = choices.len().max(1);
            *place = (*place + if forward { 1 } else { count - 1 }) % count;
            if let Some(choice) = choices.get(*place) {
                prompt.line.complete(*from, choice);
            }
            prompt.notes = self.notes_of(choices, *from, Some(*place));
            return false;
        }
        let before = prompt.line.before();
        let (from, choices) = self.completions(&before);
        let common = prompt::common(&choices);
        let typed = before.chars().count().saturating_sub(from);
        match choices.as_slice() {
            [] => {}
            [only] => {
                let end = if from == 0 { " " } else { "" };
                prompt.line.complete(from, &format!("{only}{end}"));
                return true;
            }
            _ if common.chars().count() > typed => {
                prompt.line.complete(from, &common);
                prompt.notes = self.notes_of(&choices, from, None);
            }
            [first, ..] => {
                prompt.line.complete(from, first);
                prompt.notes = self.notes_of(&choices, from, Some(0));
                prompt.completing = Some((from, choices, 0));
            }
        }
        false
    }

    /// Recalls an older or newer line of the history.
    fn recall(&mut self, older: bool) {
        let Some(prompt) = &mut self.model.prompt else {
            return;
        };
        if prompt.kind != PromptKind::Command {
            return;
        }
        let count = self.model.history.len();
        let place = match (prompt.history, older) {
            (None, true) => count.checked_sub(1),
            (None, false) => None,
            (Some(place), true) => Some(place.saturating_sub(1)),
            (Some(place), false) => Some(place + 1).filter(|place| *place < count),
        };
        let text = place.and_then(|place| self.model.history.get(place));
        prompt.line = super::line::Line::new(text.map_or("", String::as_str));
        self.prompt_changed();
        if let Some(prompt) = &mut self.model.prompt {
            prompt.history = place;
        }
    }

    /// Lines that list the candidates around the chosen one. If a candidate is a command, its line also has the key and
    /// the description of the command and, if the command would have no effect now, the reason.
    fn notes_of(
        &self,
        choices: &[String],
        from: usize,
        chosen: Option<usize>,
    ) -> Vec<(String, Role)> {
        let top = chosen.map_or(0, |place| (place + 1).saturating_sub(NOTES));
        let choices = choices.iter().enumerate().skip(top).take(NOTES);
        let note = |(place, choice): (usize, &String)| {
            let action = Action::named(choice).filter(|_| from == 0);
            let entry = action.and_then(Action::entry);
            let why = action.and_then(|action| self.hindrance(action));
            let text = entry.map_or_else(
                || choice.clone(),
                |entry| {
                    let key = self.setup.keymap.shown(entry.action);
                    let command = format!("{} {}", entry.name, entry.argument);
                    let why_not = why.map_or_else(String::new, |why| format!("({why}) "));
                    let help = entry.help;
                    format!("{key:<9} {command:<26} {why_not}{help}")
                },
            );
            let role = match (chosen == Some(place), why) {
                (true, _) => Role::Selected,
                (false, Some(_)) => Role::Dim,
                (false, None) => Role::Text,
            };
            (text, role)
        };
        choices.map(note).collect()
    }
}
