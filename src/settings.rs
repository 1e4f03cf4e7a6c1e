//! A person's permanent settings: `config.toml` in the platform's configuration folder.
//!
//! It must not know what the settings do.

use crate::source::load;
use etcetera::BaseStrategy as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The settings; unset ones are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// `"spec"` or `"aws"`.
    pub profile: Option<String>,
    /// A theme's name or file.
    pub theme: Option<String>,
    /// `"unicode"` or `"ascii"`.
    pub glyphs: Option<String>,
    /// Keys by action name.
    pub keys: BTreeMap<String, Keys>,
    /// The editor's command line; `$VISUAL`, `$EDITOR` where not set.
    pub editor: Option<String>,
    /// Whether to wait for the editor, which uses the terminal; `false` for one with its own window.
    pub editor_waits: Option<bool>,
    /// `"ask"`, `"echo"` or `"fail"`.
    pub unmocked: Option<String>,
    /// Who answers tasks that nothing else answers, each as `PATTERN=TARGET`.
    pub task: Vec<String>,
    /// Names of rules whose findings are suppressed.
    pub allow: Vec<String>,
}

/// One key or several.
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

    /// Reads the settings; none are set where there is no file.
    ///
    /// # Errors
    /// One paragraph with the place, where the file cannot be read or understood.
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

    /// Reads the text of a settings file.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}
