//! The user's permanent settings, from `config.toml` in the platform's configuration folder.

use crate::source::load;
use etcetera::BaseStrategy as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The settings. Those that are not set are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The behaviour to follow: `"spec"` or `"aws"`.
    pub profile: Option<String>,
    /// Name or file of a theme.
    pub theme: Option<String>,
    /// The characters of drawings: `"unicode"` or `"ascii"`.
    pub glyphs: Option<String>,
    /// The keys of each command, by the command's name; they replace the default keys.
    pub keys: BTreeMap<String, Keys>,
    /// Command line of the editor; if not set, `$VISUAL` or `$EDITOR` is used.
    pub editor: Option<String>,
    /// True to wait until the editor ends, because it uses the terminal; false if the editor opens its own window.
    pub editor_waits: Option<bool>,
    /// The default of `--unmocked`, for tasks without an answer: `"ask"`, `"echo"` or `"fail"`.
    pub unmocked: Option<String>,
    /// Targets that answer tasks, each written as `PATTERN=TARGET` like after `--task`.
    pub task: Vec<String>,
    /// Names or numbers of rules of `check` whose findings are ignored.
    pub allow: Vec<String>,
}

/// The keys of a command: one key, or a list of keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Keys {
    /// `"s"`
    One(String),
    /// `["s", "F10"]`
    Several(Vec<String>),
}

/// Name, example and meaning of each setting.
const TABLE: [(&str, &str, &str); 9] = [
    (
        "profile",
        "\"aws\"",
        "The default of `--profile`: `spec` or `aws`",
    ),
    (
        "theme",
        "\"light\"",
        "The default of `--theme`: a theme's name, or a file",
    ),
    (
        "glyphs",
        "\"ascii\"",
        "Characters of drawings: `unicode`, or `ascii` as with the option `--ascii`",
    ),
    (
        "unmocked",
        "\"echo\"",
        "The default of `--unmocked`: `ask`, `echo` or `fail`",
    ),
    (
        "task",
        "[\"ChargeCard=http://127.0.0.1:9001\"]",
        "Targets that answer tasks; each is written as after `--task`",
    ),
    (
        "allow",
        "[\"no-timeout\"]",
        "Rules of `check` whose findings are ignored, by name or number",
    ),
    (
        "editor",
        "\"code --wait\"",
        "The editor that `E` starts, instead of `$VISUAL` or `$EDITOR`",
    ),
    (
        "editor_waits",
        "false",
        "`false` for an editor that opens its own window, so that the debugger does not wait until the editor ends",
    ),
    (
        "keys",
        "{ continue = [\"c\", \"F8\"] }",
        "Keys of commands, usually written as a table `[keys]`; these keys replace the default keys of a command",
    ),
];

/// The settings as a Markdown table for the documentation.
#[must_use]
pub fn settings_markdown() -> String {
    let mut text = String::from("| Setting | Example | Meaning |\n|---|---|---|\n");
    for (name, example, meaning) in TABLE {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{name}` | `{name} = {example}` | {meaning} |");
    }
    text
}

impl Settings {
    /// Path of the settings file; `None` if there is no home folder.
    #[must_use]
    pub fn path() -> Option<PathBuf> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(strategy.config_dir().join("asldbg").join("config.toml"))
    }

    /// Reads the settings. Without a settings file, no setting is set.
    ///
    /// # Errors
    /// A message with the position, if the file cannot be read or parsed.
    pub fn load() -> Result<Self, String> {
        match Self::path().filter(|path| path.exists()) {
            None => Ok(Self::default()),
            Some(path) => {
                let file = load::load(&path).map_err(|error| error.to_string())?;
                Self::parse(&file.text)
                    .map_err(|error| format!("{}: {}", file.name, error.trim_end()))
            }
        }
    }

    /// Parses the text of a settings file.
    ///
    /// # Errors
    /// A description of the error, with its line.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_setting_with_an_example_that_is_read() {
        let error = Settings::parse("nothing = 1").unwrap_err();
        let (_, known) = error.split_once("expected one of ").unwrap();
        let mut known: Vec<&str> = known.trim().split(", ").collect();
        let names = TABLE.map(|(name, _, _)| format!("`{name}`"));
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        known.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, known);
        for (name, example, _) in TABLE {
            let settings = Settings::parse(&format!("{name} = {example}"));
            assert_ne!(settings, Ok(Settings::default()), "{name}");
            assert!(settings.is_ok(), "{settings:?}");
        }
    }
}
