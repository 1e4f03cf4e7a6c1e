//! The user's permanent settings, from `config.toml` in the platform's configuration folder.

use crate::source::load;
use etcetera::BaseStrategy as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The settings. Those that are not set are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// `"spec"` or `"aws"`.
    pub profile: Option<String>,
    /// Name or file of a theme.
    pub theme: Option<String>,
    /// `"unicode"` or `"ascii"`.
    pub glyphs: Option<String>,
    /// Keys by action name.
    pub keys: BTreeMap<String, Keys>,
    /// Command line of the editor; if not set, `$VISUAL` or `$EDITOR` is used.
    pub editor: Option<String>,
    /// True to wait for the editor, because it uses the terminal; false for an editor with a window of its own.
    pub editor_waits: Option<bool>,
    /// `"ask"`, `"echo"` or `"fail"`.
    pub unmocked: Option<String>,
    /// Names of rules whose diagnostics are suppressed.
    pub allow: Vec<String>,
}

/// One or several keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Keys {
    /// `"s"`
    One(String),
    /// `["s", "F10"]`
    Several(Vec<String>),
}

impl Settings {
    /// Path of the settings file; `None` if there is no home folder.
    #[must_use]
    pub fn path() -> Option<PathBuf> {
        let strategy = etcetera::choose_base_strategy().ok()?;
        Some(strategy.config_dir().join("asldbg").join("config.toml"))
    }

    /// Reads the settings. If there is no file, none are set.
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
