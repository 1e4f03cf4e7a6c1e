//! Output streams: results go to standard output, messages and progress to standard error.

use crate::interpreter::Fault;
use crate::json::{Text, Value, escaped, every_byte, on_line, pretty_in_parts, steers, visible};
use crate::launch::LaunchError;
use crate::source::{Diagnostic, SourceMap, Style, render};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

/// The reason why a command failed, as one paragraph for standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Text before the sentence, such as `error: `.
    head: &'static str,
    text: String,
}

impl Refusal {
    /// Creates a refusal from a sentence, which is printed on one line.
    #[must_use]
    pub fn new(sentence: impl AsRef<str>) -> Self {
        Self {
            head: "error: ",
            text: on_line(sentence.as_ref()).into_owned(),
        }
    }

    /// Creates a refusal from lines, each of which [`on_line`] has made safe.
    #[must_use]
    pub fn of_lines(lines: &str) -> Self {
        Self {
            head: "error: ",
            text: lines.to_string(),
        }
    }

    /// Creates a refusal from diagnostics with their locations.
    #[must_use]
    pub fn of(diagnostics: &[Diagnostic], sources: &SourceMap) -> Self {
        let style = style();
        let texts = diagnostics.iter();
        let texts = texts.map(|diagnostic| render(diagnostic, sources, style));
        let texts: Vec<String> = texts.collect();
        Self {
            head: "",
            text: texts.join("\n"),
        }
    }

    /// The sentence or the diagnostics.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes the message to standard error.
    pub fn report(&self) {
        // The text was made safe when it was created. The only escape sequences in it are the colours of diagnostics.
        write_message(&gate(&format!("{}{}", self.head, self.text), style()));
    }
}

impl From<LaunchError> for Refusal {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Invalid {
                diagnostics,
                sources,
            } => Self::of(&diagnostics, &sources),
            LaunchError::Folder { .. } | LaunchError::EmptyFolder { .. } => {
                Self::of_lines(&error.to_string())
            }
            other => Self::new(other.to_string()),
        }
    }
}

/// Style for standard error: with colours if standard error is a terminal that supports them.
pub(super) fn style() -> Style {
    style_on(supports_color::Stream::Stderr, io::stderr().is_terminal())
}

/// Style for standard output: with colours if standard output is a terminal that supports them.
#[must_use]
pub fn style_of_results() -> Style {
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

/// Writes a result. It is not an error if the reader has closed the pipe.
///
/// # Errors
/// If writing to standard output fails for another reason.
pub fn print(text: &str) -> Result<(), Refusal> {
    print_rendered(text, Style::Plain)
}

/// Writes JSON and a line break. Control characters become JSON escapes, which do not change the value.
///
/// # Errors
/// See [`print()`].
pub fn print_json(text: &str) -> Result<(), Refusal> {
    write_parts(&[&gate(&escaped(text), Style::Plain), "\n"])
}

/// Writes a value as indented JSON and a line break, like [`print_json`]. The text is written while it is being made,
/// so it is never completely in memory.
///
/// # Errors
/// See [`print()`].
pub fn print_value(value: &Value) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let mut write = |part: &str| {
        if written.is_ok() {
            written = out.write_all(gate(&escaped(part), Style::Plain).as_bytes());
        }
    };
    pretty_in_parts(value, &mut write);
    write("\n");
    written
        .and_then(|()| out.flush())
        .or_else(|error| failed(&error))
}

/// Writes a text that contains the colours of a style, and keeps these colours.
///
/// # Errors
/// See [`print()`].
pub fn print_rendered(text: &str, style: Style) -> Result<(), Refusal> {
    write_parts(&[&gate(text, style)])
}

fn write_parts(parts: &[&str]) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    let mut parts = parts.iter();
    let written = parts
        .try_for_each(|part| out.write_all(part.as_bytes()))
        .and_then(|()| out.flush());
    written.or_else(|error| failed(&error))
}

/// Handles a failed write to standard output.
///
/// # Errors
/// If the write failed for a reason other than a closed pipe.
pub(super) fn failed(error: &io::Error) -> Result<(), Refusal> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Refusal::new(format!(
            "cannot write to standard output: {error}"
        ))),
    }
}

/// Quotes a word for a shell, for commands that the user may copy.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Writes a message of one line. The message is lost if standard error is closed.
pub fn warn(text: &str) {
    write_message(&on_line(text));
}

/// Like [`warn`], for lines that [`on_line`] has made safe.
pub fn warn_lines(lines: &str) {
    write_message(&gate(lines, Style::Plain));
}

/// Makes the messages of panics safe to print, because they may quote input. If `caught` returns true, the caller
/// handles the panic and no message is printed.
pub fn gate_panics(caught: fn() -> bool) {
    std::panic::set_hook(Box::new(move |panic| {
        if caught() {
            return;
        }
        warn(&format!("error: this is a bug in asldbg: {panic}"));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            warn_lines(&trace.to_string());
        }
    }));
}

fn write_message(text: &str) {
    let mut out = io::stderr().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    // If this fails, there is no place to report it.
    drop(write!(out, "{text}{end}").and_then(|()| out.flush()));
}

/// Filters all output, whether or not it goes to a terminal. Line breaks, tabs and, if the style has them, colours are
/// kept. All other control characters are replaced by visible symbols.
fn gate(text: &str, style: Style) -> Cow<'_, str> {
    let passes = |c: char| matches!(c, '\n' | '\t') || !steers(c);
    let harmless = |byte: u8| (byte == b'\n') | (byte == b'\t') | (b' '..=b'~').contains(&byte);
    if every_byte(text, harmless) || text.chars().all(passes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = match style {
            Style::Coloured => colour_length(rest),
            Style::Plain => 0,
        };
        let (part, after) = rest.split_at(if colour > 0 { colour } else { c.len_utf8() });
        if colour > 0 || passes(c) {
            out.push_str(part);
        } else {
            out.push_str(&visible(part));
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// Length of the colour sequence `ESC [ numbers m` at the start of a text; 0 if there is none.
fn colour_length(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';');
    match end {
        Some(end) if numbers.get(end..).is_some_and(|rest| rest.starts_with('m')) => end + 3,
        _ => 0,
    }
}

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
    /// Chooses one line that is overwritten if standard error is a terminal, otherwise a new line for each message.
    #[must_use]
    pub fn new() -> Self {
        match io::stderr().is_terminal() {
            true => Self::Terminal,
            false => Self::Lines,
        }
    }

    /// Shows a progress message.
    pub fn step(self, text: &str) {
        match self {
            Self::Terminal => {
                let line: String = on_line(text).chars().take(78).collect();
                write_raw(&format!("\r\u{1b}[K{line}"));
            }
            Self::Lines => warn(text),
            Self::Silent => {}
        }
    }

    /// Clears the line with the progress message.
    pub fn clear(self) {
        if self == Self::Terminal {
            write_raw("\r\u{1b}[K");
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

fn write_raw(text: &str) {
    let mut out = io::stderr().lock();
    // If this fails, there is no place to report it.
    drop(write!(out, "{text}").and_then(|()| out.flush()));
}

/// The members `error` and `cause` of a fault; each is left out if it has no value.
pub(super) fn error_members(fault: &Fault) -> Vec<(Text, Value)> {
    let part = |name: &str, text: &Option<Text>| {
        text.clone().map(|text| (name.into(), Value::String(text)))
    };
    let parts = [part("error", &fault.error), part("cause", &fault.cause)];
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_of_ours_pass_the_gate() {
        let text = "a\u{1b}[1;31mb\u{1b}[0m\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1m\tc\n\r\u{202e}";
        assert_eq!(
            gate(text, Style::Plain),
            "a␛[1;31mb␛[0m␛[2J␛]0;x␇\u{fffd}1m\tc\n␍·"
        );
        assert_eq!(
            gate(text, Style::Coloured),
            "a\u{1b}[1;31mb\u{1b}[0m␛[2J␛]0;x␇\u{fffd}1m\tc\n␍·"
        );
        assert_eq!(gate("é漢 x\n", Style::Plain), "é漢 x\n");
    }
}
