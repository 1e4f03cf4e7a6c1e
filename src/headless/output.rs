//! Where results and messages go: results to standard output, everything else to standard error.
//!
//! It must not know what they say.

use crate::json::visible;
use crate::source::{Diagnostic, SourceMap, Style, render};
use std::io::{self, IsTerminal as _, Write as _};

/// Why nothing could be done: one paragraph for standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// From a sentence of ours.
    #[must_use]
    pub fn new(sentence: impl AsRef<str>) -> Self {
        Self(format!("error: {}", lines_visible(sentence.as_ref())))
    }

    /// From findings with their places.
    #[must_use]
    pub fn of(found: &[Diagnostic], sources: &SourceMap) -> Self {
        let style = style();
        let texts: Vec<String> = found
            .iter()
            .map(|diagnostic| render(diagnostic, sources, style))
            .collect();
        Self(texts.join("\n"))
    }
}

/// Colours on standard error, where it is a terminal that wants them.
pub(super) fn style() -> Style {
    style_on(supports_color::Stream::Stderr, io::stderr().is_terminal())
}

/// Colours on standard output, where it is a terminal that wants them.
pub(super) fn style_of_results() -> Style {
    style_on(supports_color::Stream::Stdout, io::stdout().is_terminal())
}

fn style_on(stream: supports_color::Stream, terminal: bool) -> Style {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && terminal && supports_color::on(stream).is_some() {
        Style::Coloured
    } else {
        Style::Plain
    }
}

/// Writes a result. Whoever reads it may go away: that is no error.
///
/// # Errors
/// Where standard output cannot be written for another reason.
pub fn print(text: &str) -> Result<(), Refusal> {
    if io::stdout().is_terminal() {
        print_rendered(&lines_visible(text))
    } else {
        print_rendered(text)
    }
}

/// The same for a text that has colours in it and nothing else that steers a terminal.
pub(super) fn print_rendered(text: &str) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.or_else(|error| failed(&error))
}

/// What a failed write to standard output comes to.
///
/// # Errors
/// Unless the reader has gone away.
pub(super) fn failed(error: &io::Error) -> Result<(), Refusal> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Ok(())
    } else {
        Err(Refusal::new(format!(
            "cannot write to standard output: {error}"
        )))
    }
}

/// Writes a message. Where nobody reads it, it is lost.
pub fn warn(text: &str) {
    let mut out = io::stderr().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    // Nobody is left to tell of a failure.
    drop(write!(out, "{text}{end}").and_then(|()| out.flush()));
}

/// Each line without anything that steers a terminal.
pub(super) fn lines_visible(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}
