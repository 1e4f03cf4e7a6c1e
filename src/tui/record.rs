//! Records the screen for playback with asciinema (format version 2).

use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::Buffer;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

/// A recording of the screen that is in progress.
#[derive(Debug)]
pub struct Recorder {
    out: BufWriter<File>,
    begun: Instant,
    last: Option<Buffer>,
}

impl Recorder {
    /// Starts a recording of the screen in a new file.
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

    /// Records the cells of the screen that have changed since the last call.
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
        let text = changes(last, shown)?;
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

/// Terminal output that draws the cells in which `now` differs from the last screen. If there is no last screen, the
/// output clears the terminal and draws all cells.
fn changes(last: Option<&Buffer>, now: &Buffer) -> io::Result<String> {
    let mut out = Vec::new();
    if last.is_none() {
        out.extend(b"\x1b[2J\x1b[?25l");
    }
    let blank = Buffer::empty(now.area);
    let cells = last.unwrap_or(&blank).diff(now);
    if !cells.is_empty() {
        CrosstermBackend::new(&mut out).draw(cells.into_iter())?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Modifier, Style};

    #[test]
    fn only_cells_that_differ_are_sent_again() {
        let sent = |last, now: &Buffer| changes(last, now).expect("output");
        let mut first = Buffer::empty(Rect::new(0, 0, 4, 2));
        first.set_string(0, 0, "漢a", Style::new());
        let whole = sent(None, &first);
        assert!(whole.starts_with("\u{1b}[2J"), "{whole:?}");
        assert!(whole.contains("\u{1b}[1;1H漢"), "{whole:?}");
        let mut second = first.clone();
        second.set_string(0, 1, "b", Style::new().add_modifier(Modifier::BOLD));
        let more = sent(Some(&first), &second);
        assert!(more.starts_with("\u{1b}[2;1H\u{1b}[1mb"), "{more:?}");
        assert_eq!(sent(Some(&second), &second), "");
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
