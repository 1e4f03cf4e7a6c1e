//! How far something is that takes long: on standard error, on one line where that is a terminal.

use super::output::warn;
use crate::json::on_line;
use std::io::{self, IsTerminal as _, Write as _};

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// One line, overwritten.
    Terminal,
    /// A line each.
    Lines,
    /// Nothing is said.
    Silent,
}

impl Progress {
    /// As standard error is.
    #[must_use]
    pub fn new() -> Self {
        match io::stderr().is_terminal() {
            true => Self::Terminal,
            false => Self::Lines,
        }
    }

    /// For what somebody else tells of.
    #[must_use]
    pub fn silent() -> Self {
        Self::Silent
    }

    /// Says how far it is.
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

    /// Takes the line away.
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
    // Nobody is left to tell of a failure.
    drop(write!(out, "{text}").and_then(|()| out.flush()));
}
