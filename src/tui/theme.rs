//! The themes: each has a style for every role and is read from TOML. Five themes are embedded in the program.

use crate::session::view::StateStatus;
use ratatui::style::{Color, Modifier, Style};
use std::fmt::Write as _;
use thiserror::Error;

macro_rules! roles {
    ($($role:ident $name:literal $doc:literal),* $(,)?) => {
        /// The meaning of a text on the screen, which determines its style.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role { $(#[doc = $doc] $role),* }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Self] = &[$(Self::$role),*];

            /// Name of the role in the TOML text of a theme.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$role => $name),* }
            }

            /// Description of the text that the role styles.
            fn meaning(self) -> &'static str {
                match self { $(Self::$role => $doc),* }
            }
        }
    };
}

roles! {
    Text "text" "Plain text.",
    Dim "dim" "Less important text.",
    Title "title" "Titles of panes and sections.",
    Focus "focus" "The border of the pane in focus.",
    Border "border" "Other borders and rules.",
    Header "header" "The header line.",
    Ok "ok" "A state that succeeded.",
    Failed "failed" "A state whose error made its item, branch or run fail.",
    Raised "raised" "A state with an error that Retry and Catch have not handled yet.",
    Retrying "retrying" "A state that is retried.",
    Caught "caught" "A state whose error was caught.",
    Running "running" "A state that was entered and is running.",
    Waiting "waiting" "A state that waits for virtual time.",
    Asking "asking" "A state that waits for an answer.",
    Aborted "aborted" "A state that was stopped because a sibling failed.",
    NotReached "not-reached" "A state that was not reached.",
    Current "current" "The current state.",
    Breakpoint "breakpoint" "An enabled breakpoint.",
    BreakpointOff "breakpoint-off" "A disabled breakpoint.",
    LogPoint "log-point" "A breakpoint that logs a message and does not stop.",
    Added "added" "A value that was added.",
    Removed "removed" "A value that was removed.",
    Changed "changed" "A value that changed.",
    Key "key" "Names of members.",
    String "string" "Strings.",
    Number "number" "Numbers.",
    Keyword "keyword" "`true`, `false`, `null`.",
    Path "path" "Paths.",
    Intrinsic "intrinsic" "Intrinsic functions.",
    Punctuation "punctuation" "Brackets and commas.",
    Error "error" "Errors.",
    Warning "warning" "Warnings.",
    Info "info" "Hints and notes.",
    Selected "selected" "The row under the cursor.",
    Mark "mark" "Arrows and other marks.",
    Edge "edge" "An edge of the graph.",
    EdgeTaken "edge-taken" "An edge that was taken.",
    Match "match" "A match of a search.",
}

impl Role {
    /// The role in which a state with this status is drawn.
    #[must_use]
    pub fn of(status: StateStatus) -> Self {
        match status {
            StateStatus::NotReached => Self::NotReached,
            StateStatus::Running => Self::Running,
            StateStatus::Succeeded => Self::Ok,
            StateStatus::ErrorRaised => Self::Raised,
            StateStatus::Retrying => Self::Retrying,
            StateStatus::Caught => Self::Caught,
            StateStatus::Failed | StateStatus::TimedOut => Self::Failed,
            StateStatus::Waiting => Self::Waiting,
            StateStatus::Asking => Self::Asking,
            StateStatus::Aborted => Self::Aborted,
        }
    }
}

/// The reason why the text of a theme is invalid.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ThemeError {
    /// The text of the theme is not TOML.
    #[error("the theme is not valid TOML: {0}")]
    Toml(String),
    /// A key of the theme is not a role.
    #[error("no role is named {0}")]
    Role(String),
    /// The value of a role is not a string.
    #[error("{0} must be a string such as \"red bold\"")]
    Kind(String),
    /// The value of a role contains a word that is neither a colour nor a modifier.
    #[error("{role}: no colour or modifier is named {word}")]
    Word {
        /// Name of the role.
        role: String,
        /// The word that is neither a colour nor a modifier.
        word: String,
    },
    /// The theme that `base` names does not exist.
    #[error("no theme is named {0}")]
    Base(String),
}

/// A named set of styles, one for each role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    name: String,
    styles: Vec<Style>,
}

/// Name and TOML text of each embedded theme.
const EMBEDDED: [(&str, &str); 5] = [
    ("default", include_str!("../../themes/default.toml")),
    ("light", include_str!("../../themes/light.toml")),
    (
        "high-contrast",
        include_str!("../../themes/high-contrast.toml"),
    ),
    (
        "colour-blind",
        include_str!("../../themes/colour-blind.toml"),
    ),
    ("mono", include_str!("../../themes/mono.toml")),
];

impl Default for Theme {
    fn default() -> Self {
        Self::named("default").unwrap_or_else(|| Self::plain("default"))
    }
}

/// The embedded themes and the roles, as Markdown tables for the documentation.
#[must_use]
pub fn themes_markdown() -> String {
    let mut text = String::from("| Theme | Description |\n|---|---|\n");
    for (name, content) in EMBEDDED {
        let first = content.lines().next().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| `{name}` | {} |",
            first.trim_start_matches('#').trim_start()
        );
    }
    text.push_str("\n| Role | Styled text | In the default theme |\n|---|---|---|\n");
    let (_, default) = EMBEDDED[0];
    for role in Role::ALL {
        let key = format!("{} = ", role.name());
        let style = default.lines().find_map(|line| line.strip_prefix(&key));
        let style = style.unwrap_or_default().trim_matches('"');
        let style = if style.is_empty() { "plain" } else { style };
        let (name, meaning) = (role.name(), role.meaning());
        let _ = writeln!(text, "| `{name}` | {meaning} | `{style}` |");
    }
    text
}

impl Theme {
    /// Names of the embedded themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(name, _)| *name)
    }

    /// The embedded theme with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (name, text) = EMBEDDED.iter().find(|(known, _)| *known == name)?;
        Self::parse(name, text).ok()
    }

    /// Parses the text of a theme. Roles that it omits are taken from its `base`, which defaults to `default`.
    ///
    /// # Errors
    /// If the text is not TOML, or has an unknown role, colour or base.
    pub fn parse(name: &str, text: &str) -> Result<Self, ThemeError> {
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| ThemeError::Toml(error.message().to_owned()))?;
        let base = table.get("base").and_then(toml::Value::as_str);
        let mut theme = match base {
            Some(base) if base == name => return Err(ThemeError::Base(base.to_owned())),
            Some(base) => Self::named(base).ok_or_else(|| ThemeError::Base(base.to_owned()))?,
            None if name == "default" => Self::plain(name),
            None => Self::named("default").unwrap_or_else(|| Self::plain(name)),
        };
        theme.name = name.to_owned();
        for (key, value) in table.iter().filter(|(key, _)| *key != "base") {
            let place = Role::ALL.iter().position(|role| role.name() == key);
            let style = place.and_then(|place| theme.styles.get_mut(place));
            let style = style.ok_or_else(|| ThemeError::Role(key.clone()))?;
            let words = value
                .as_str()
                .ok_or_else(|| ThemeError::Kind(key.clone()))?;
            *style = parse_style(words).map_err(|word| ThemeError::Word {
                role: key.clone(),
                word,
            })?;
        }
        Ok(theme)
    }

    fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            styles: vec![Style::new(); Role::ALL.len()],
        }
    }

    /// Name of the theme.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }
}

fn parse_style(words: &str) -> Result<Style, String> {
    let mut style = Style::new();
    let mut background = false;
    for word in words.split_whitespace() {
        let modifier = match word {
            "on" => {
                background = true;
                continue;
            }
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underlined" => Modifier::UNDERLINED,
            "reverse" => Modifier::REVERSED,
            _ => {
                let colour: Color = word.parse().map_err(|_| word.to_owned())?;
                style = if background {
                    style.bg(colour)
                } else {
                    style.fg(colour)
                };
                background = false;
                continue;
            }
        };
        style = style.add_modifier(modifier);
    }
    Ok(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_theme_reads() {
        for (name, text) in EMBEDDED {
            let theme = Theme::parse(name, text);
            assert!(theme.is_ok(), "{name}: {theme:?}");
        }
    }

    #[test]
    fn default_names_every_role_and_paints_no_background() {
        let table: toml::Table = EMBEDDED[0].1.parse().expect("toml");
        let theme = Theme::default();
        for role in Role::ALL {
            assert!(table.contains_key(role.name()), "{}", role.name());
            let style = theme.style(*role);
            assert!(style.bg.is_none() || *role == Role::Match);
        }
    }

    #[test]
    fn mono_has_no_colour() {
        let theme = Theme::named("mono").expect("there");
        for role in Role::ALL {
            let style = theme.style(*role);
            assert!(style.fg.is_none() && style.bg.is_none(), "{}", role.name());
        }
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| Theme::parse("mine", text).expect_err("refused").to_string();
        assert_eq!(
            error("ok = \"gren\""),
            "ok: no colour or modifier is named gren"
        );
        assert_eq!(error("okay = \"green\""), "no role is named okay");
        assert_eq!(error("base = \"dracula\""), "no theme is named dracula");
        assert_eq!(error("ok = 3"), "ok must be a string such as \"red bold\"");
        assert!(error("ok = ").starts_with("the theme is not valid TOML"));
    }

    #[test]
    fn a_theme_of_ones_own_builds_on_another() {
        let theme =
            Theme::parse("mine", "base = \"mono\"\nok = \"#00ff00 on 17 italic\"").expect("valid");
        assert_eq!(
            theme.style(Role::Ok),
            Style::new()
                .fg(Color::Rgb(0, 255, 0))
                .bg(Color::Indexed(17))
                .add_modifier(Modifier::ITALIC)
        );
        assert_eq!(theme.style(Role::String), Style::new());
    }
}
