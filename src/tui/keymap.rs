//! Maps keys to actions. The user's key map overrides the default keys of the action table.

use super::action::{Action, TABLE};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// A key with its modifiers, written as `c`, `C`, `Ctrl-d`, `Shift-F11`, `Space`, `PgDn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// The text is not the name of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no key is named {0}; write keys as c, C, Ctrl-d, Shift-F11, Alt-x, Space, Enter, PgDn, ..."
)]
pub struct KeyError(String);

const NAMES: [(&str, KeyCode); 16] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Backspace", KeyCode::Backspace),
    ("Del", KeyCode::Delete),
    ("Ins", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("Minus", KeyCode::Char('-')),
];

impl Key {
    /// The key of an event. Shift with a letter counts as the capital letter without Shift; BackTab counts as Tab with
    /// Shift.
    #[must_use]
    pub fn of(event: &KeyEvent) -> Self {
        let wanted = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let mut key = Self {
            code: event.code,
            modifiers: event.modifiers & wanted,
        };
        match key.code {
            KeyCode::BackTab => {
                key.code = KeyCode::Tab;
                key.modifiers |= KeyModifiers::SHIFT;
            }
            KeyCode::Char(c) => {
                if key.modifiers.contains(KeyModifiers::CONTROL) {
                    key.code = KeyCode::Char(c.to_ascii_lowercase());
                } else {
                    if key.modifiers.contains(KeyModifiers::SHIFT) {
                        key.code = KeyCode::Char(c.to_ascii_uppercase());
                    }
                    key.modifiers -= KeyModifiers::SHIFT;
                }
            }
            _ => {}
        }
        key
    }

    /// The event that a terminal would report for the key.
    #[must_use]
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let error = || KeyError(text.to_owned());
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((word, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty())
        {
            modifiers |= match word.to_ascii_lowercase().as_str() {
                "ctrl" | "c" => KeyModifiers::CONTROL,
                "shift" | "s" => KeyModifiers::SHIFT,
                "alt" | "a" | "m" => KeyModifiers::ALT,
                _ => return Err(error()),
            };
            rest = after;
        }
        let mut names = NAMES.iter();
        let code = if let Some((_, code)) = names.find(|(name, _)| name.eq_ignore_ascii_case(rest))
        {
            *code
        } else if let Some(number) = rest
            .strip_prefix(['F', 'f'])
            .and_then(|digits| digits.parse::<u8>().ok())
            .filter(|number| (1..=24).contains(number))
        {
            KeyCode::F(number)
        } else {
            let mut chars = rest.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if !c.is_control() => KeyCode::Char(c),
                _ => return Err(error()),
            }
        };
        Ok(Self::of(&KeyEvent::new(code, modifiers)))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in [
            (KeyModifiers::CONTROL, "Ctrl-"),
            (KeyModifiers::ALT, "Alt-"),
            (KeyModifiers::SHIFT, "Shift-"),
        ] {
            if self.modifiers.contains(modifier) {
                out.write_str(name)?;
            }
        }
        if let Some((name, _)) = NAMES
            .iter()
            .find(|(name, code)| *code == self.code && *name != "Minus")
        {
            return out.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) => write!(out, "{c}"),
            KeyCode::F(number) => write!(out, "F{number}"),
            other => write!(out, "{other:?}"),
        }
    }
}

/// The reason why the user's key map is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// The text of the key map is not TOML.
    #[error("the key map is not valid TOML: {0}")]
    Toml(String),
    /// The key map names an action that does not exist.
    #[error("no command is named {0}")]
    Action(String),
    /// The value given for the named action is neither a key nor a list of keys.
    #[error("{0} must be a key such as \"c\" or a list of keys")]
    Kind(String),
    /// For the named action, the key map has a text that is not a key; the second field says why.
    #[error("{0}: {1}")]
    Key(String, KeyError),
    /// The key map binds the first field, a key, to two actions, which the other fields name.
    #[error("the key {0} is bound to both {1} and {2}")]
    Twice(String, String, String),
}

/// Bindings of keys to actions.
#[derive(Clone, Debug)]
pub struct Keymap {
    actions: HashMap<Key, Action>,
    keys: HashMap<Action, Vec<Key>>,
}

impl Default for Keymap {
    fn default() -> Self {
        let mut map = Self {
            actions: HashMap::new(),
            keys: HashMap::new(),
        };
        for entry in TABLE {
            for key in entry.keys.iter().filter_map(|key| key.parse().ok()) {
                map.bind(key, entry.action);
            }
        }
        map
    }
}

impl Keymap {
    /// The default key map, changed by `text`, which is TOML such as `continue = ["c", "F5"]`. An action that `text`
    /// names loses its default keys, and a key that `text` binds is removed from its default action.
    ///
    /// # Errors
    /// If the text is not a valid key map.
    pub fn parse(text: &str) -> Result<Self, KeymapError> {
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| KeymapError::Toml(error.message().to_owned()))?;
        let mut map = Self::default();
        let mut bound: HashMap<Key, &str> = HashMap::new();
        for (name, value) in &table {
            let entry = TABLE.iter().find(|entry| entry.name == name);
            let entry = entry.ok_or_else(|| KeymapError::Action(name.clone()))?;
            let action = entry.action;
            let kind = || KeymapError::Kind(name.clone());
            let texts: Vec<&str> = match value {
                toml::Value::String(text) => vec![text],
                toml::Value::Array(items) => items
                    .iter()
                    .map(|item| item.as_str().ok_or_else(kind))
                    .collect::<Result<_, _>>()?,
                _ => return Err(kind()),
            };
            map.unbind_action(action, &bound);
            for text in texts {
                let key: Key = text
                    .parse()
                    .map_err(|error| KeymapError::Key(name.clone(), error))?;
                if let Some(first) = bound.insert(key, name) {
                    let first = first.to_owned();
                    return Err(KeymapError::Twice(key.to_string(), first, name.clone()));
                }
                map.bind(key, action);
            }
        }
        Ok(map)
    }

    fn bind(&mut self, key: Key, action: Action) {
        if let Some(before) = self.actions.insert(key, action)
            && let Some(keys) = self.keys.get_mut(&before)
        {
            keys.retain(|other| *other != key);
        }
        self.keys.entry(action).or_default().push(key);
    }

    /// Removes the default keys of an action, except those that the user has bound to other actions.
    fn unbind_action(&mut self, action: Action, bound: &HashMap<Key, &str>) {
        for key in self.keys.remove(&action).unwrap_or_default() {
            if !bound.contains_key(&key) {
                self.actions.remove(&key);
            }
        }
    }

    /// The action that the key of this event is bound to.
    #[must_use]
    pub fn action(&self, event: &KeyEvent) -> Option<Action> {
        self.actions.get(&Key::of(event)).copied()
    }

    /// The keys of an action; the first one is displayed.
    #[must_use]
    pub fn keys(&self, action: Action) -> &[Key] {
        self.keys.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The key to display for an action; empty if the action has no key.
    #[must_use]
    pub fn shown(&self, action: Action) -> String {
        let first = self.keys(action).first();
        first.map_or_else(String::new, Key::to_string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> KeyEvent {
        text.parse::<Key>().expect("a key").event()
    }

    #[test]
    fn every_default_key_reads_and_prints_as_written() {
        let map = Keymap::default();
        for entry in TABLE {
            for text in entry.keys {
                assert_eq!(text.parse::<Key>().expect("a key").to_string(), *text);
                assert_eq!(map.action(&key(text)), Some(entry.action), "{text}");
            }
            assert_eq!(map.keys(entry.action).len(), entry.keys.len());
        }
    }

    #[test]
    fn terminals_differ_in_how_they_report_shift() {
        let map = Keymap::default();
        for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
            let event = KeyEvent::new(KeyCode::Char('C'), modifiers);
            assert_eq!(map.action(&event), Some(Action::ReverseContinue));
            let event = KeyEvent::new(KeyCode::Char('?'), modifiers);
            assert_eq!(map.action(&event), Some(Action::Help));
        }
        let event = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
        assert_eq!(map.action(&event), Some(Action::FocusPrevious));
    }

    #[test]
    fn ones_own_keys_replace_the_defaults() {
        let map = Keymap::parse("next = [\"F8\", \"c\"]\ncontinue = \"Alt-c\"").expect("a map");
        assert_eq!(map.action(&key("F8")), Some(Action::Next));
        assert_eq!(map.action(&key("c")), Some(Action::Next));
        assert_eq!(map.action(&key("n")), None);
        assert_eq!(map.action(&key("Alt-c")), Some(Action::Continue));
        assert_eq!(map.action(&key("F5")), None);
        assert_eq!(map.shown(Action::Next), "F8");
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| Keymap::parse(text).expect_err("refused").to_string();
        assert_eq!(error("contine = \"c\""), "no command is named contine");
        assert_eq!(
            error("next = \"x\"\nstep = \"x\""),
            "the key x is bound to both next and step"
        );
        assert!(error("next = \"Hyper-x\"").starts_with("next: no key is named Hyper-x"));
        assert_eq!(
            error("next = 3"),
            "next must be a key such as \"c\" or a list of keys"
        );
    }
}
