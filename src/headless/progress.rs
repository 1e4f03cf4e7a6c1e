//! Progress messages on standard error; on a terminal they share a single line.

use super::output::warn;
use crate::json::on_line;
use std::io::{self, IsTerminal as _, Write as _};

/// How to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// On one line that is overwritten.
    Terminal,
    /// On a new line for each message.
    Lines,
    /// Not at all.
    Silent,
}

impl Progress {
    /// Chooses by whether standard error is a terminal.
    #[must_use]
    pub fn new() -> Self {
        match io::stderr().is_terminal() {
            true => Self::Terminal,
            false => Self::Lines,
        }
    }

    /// Shows nothing; for work whose progress is reported by the caller.
    #[must_use]
    pub fn silent() -> Self {
        Self::Silent
    }

    /// Shows a progress message.
    pub fn step(self, text: &str) {
        match self {
            Self::Terminal => {
                let line: String = on_line(text).chars().take(78).collect();
                write(&format!("\r\u{1b}[K{line}"));
            }
            Self::Lines => warn(text),
            Self::Silent => {}
        }
    }

    /// Clears the line.
    pub fn clear(self) {
        if self == Self::Terminal {
            write("\r\u{1b}[K");
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

fn write(text: &str) {
    let mut out = io::stderr().lock();
    // A failure cannot be reported anywhere.
    drop(write!(out, "{text}").and_then(|()| out.flush()));
}
