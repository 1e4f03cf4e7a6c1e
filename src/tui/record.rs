//! Records the screen for playback with asciinema (format version 2).

use super::screen::NAMED;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;
use unicode_width::UnicodeWidthStr as _;

/// A recording in progress.
#[derive(Debug)]
pub struct Recorder {
    out: BufWriter<File>,
    begun: Instant,
    last: Option<Buffer>,
}

impl Recorder {
    /// Starts a recording in a new file.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn begin(file: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).open(file)?;
        Ok(Self {
            out: BufWriter::new(file),
            begun: Instant::now(),
            last: None,
        })
    }

    /// Records the current screen.
    ///
    /// # Errors
    /// If writing to the file fails.
    pub fn frame(&mut self, shown: &Buffer) -> io::Result<()> {
        let seconds = self.begun.elapsed().as_secs_f64();
        let area = shown.area;
        match &self.last {
            None => {
                let head = serde_json::json!({"version": 2, "width": area.width, "height": area.height,
                    "title": "asldbg", "env": {"TERM": "xterm-256color"}});
                writeln!(self.out, "{head}")?;
            }
            Some(last) if last.area != area => {
                let size = format!("{}x{}", area.width, area.height);
                self.event(seconds, "r", &size)?;
            }
            Some(_) => {}
        }
        let last = self.last.as_ref().filter(|last| last.area == area);
        let text = changes(last, shown);
        if !text.is_empty() {
            self.event(seconds, "o", &text)?;
        }
        self.last = Some(shown.clone());
        self.out.flush()
    }

    fn event(&mut self, seconds: f64, kind: &str, text: &str) -> io::Result<()> {
        let time = (seconds * 1_000.0).round() / 1_000.0;
        writeln!(self.out, "{}", serde_json::json!([time, kind, text]))
    }
}

/// Terminal output for the rows that differ from the last screen; without a last screen, for all rows on a cleared
/// screen.
fn changes(last: Option<&Buffer>, now: &Buffer) -> String {
    let mut out = String::new();
    if last.is_none() {
        out.push_str("\u{1b}[2J\u{1b}[?25l");
    }
    let columns = usize::from(now.area.width.max(1));
    for (y, row) in now.content.chunks(columns).enumerate() {
        if last.is_some_and(|last| last.content.chunks(columns).nth(y) == Some(row)) {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = write!(out, "\u{1b}[{};1H", y + 1);
        let mut style = None;
        let mut covered = 0;
        for cell in row {
            if covered > 0 {
                covered -= 1;
                continue;
            }
            let own = (cell.fg, cell.bg, cell.modifier);
            if style != Some(own) {
                out.push_str(&select(own));
                style = Some(own);
            }
            out.push_str(cell.symbol());
            covered = cell.symbol().width().saturating_sub(1);
        }
        out.push_str("\u{1b}[0m");
    }
    out
}

/// The escape sequence for a style.
fn select((ink, paper, modifier): (Color, Color, Modifier)) -> String {
    let mut out = String::from("\u{1b}[0");
    let modifiers = [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ];
    for (wanted, code) in modifiers {
        if modifier.contains(wanted) {
            let _ = write!(out, ";{code}");
        }
    }
    for (colour, base) in [(ink, 30), (paper, 40)] {
        // Writing to a String cannot fail.
        let _ = match colour {
            Color::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
            Color::Indexed(index) => write!(out, ";{};5;{index}", base + 8),
            named => match NAMED.iter().position(|(colour, _)| *colour == named) {
                Some(dark @ 0..8) => write!(out, ";{}", base + dark),
                Some(light) => write!(out, ";{}", base + 52 + light),
                None => Ok(()),
            },
        };
    }
    out.push('m');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn only_rows_that_differ_are_sent_again() {
        let mut first = Buffer::empty(Rect::new(0, 0, 4, 2));
        first.set_string(0, 0, "漢a", Style::new().fg(Color::Red));
        let whole = changes(None, &first);
        assert!(whole.starts_with("\u{1b}[2J"), "{whole:?}");
        assert!(whole.contains("\u{1b}[0;31m漢a"), "{whole:?}");
        let mut second = first.clone();
        second.set_string(0, 1, "b", Style::new().add_modifier(Modifier::BOLD));
        let more = changes(Some(&first), &second);
        assert_eq!(more, "\u{1b}[2;1H\u{1b}[0;1mb\u{1b}[0m   \u{1b}[0m");
        assert_eq!(changes(Some(&second), &second), "");
    }

    #[test]
    fn a_recording_is_a_head_and_events() {
        let file = std::env::temp_dir().join(format!("asldbg-record-{}.cast", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let mut recorder = Recorder::begin(&file).expect("a new file");
        let buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
        recorder.frame(&buffer).expect("written");
        recorder.frame(&buffer).expect("written");
        assert!(Recorder::begin(&file).is_err());
        let text = std::fs::read_to_string(&file).expect("there");
        let _ = std::fs::remove_file(&file);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let head: serde_json::Value = serde_json::from_str(lines[0]).expect("json");
        assert_eq!((&head["version"], &head["width"]), (&2.into(), &4.into()));
        let event: serde_json::Value = serde_json::from_str(lines[1]).expect("json");
        assert_eq!(event[1], "o");
    }
}
