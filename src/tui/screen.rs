//! Writes the screen to a file: as plain text or an SVG image.

use crate::source::store::{self, Readers, Replace, StoreError};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write as _;
use std::path::Path;
use unicode_width::UnicodeWidthStr as _;

/// Writes a screen to a new file: as SVG if the file's extension is `svg`, otherwise as plain text.
///
/// # Errors
/// If the file exists or cannot be written.
pub fn write(buffer: &Buffer, file: &Path) -> Result<(), StoreError> {
    let extension = file.extension();
    let is_picture = extension.is_some_and(|name| name.eq_ignore_ascii_case("svg"));
    let content = match is_picture {
        true => svg(buffer),
        false => text(buffer),
    };
    let content = content.as_bytes();
    store::write(file, content, Replace::Nothing, Readers::Default)
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = Vec<(u16, &Cell)>> {
    let columns = buffer.area.left()..buffer.area.right();
    let lines = buffer.content.chunks(columns.len().max(1));
    lines.map(move |cells| {
        let mut row = Vec::with_capacity(cells.len());
        let mut hidden = 0;
        for (x, cell) in columns.clone().zip(cells) {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            row.push((x, cell));
            // The cells that a wide character covers after its first cell are skipped.
            let symbol = cell.symbol();
            hidden = match symbol.len() {
                1 => 0,
                _ => symbol.width().saturating_sub(1),
            };
        }
        row
    })
}

/// The screen as lines without trailing spaces.
#[must_use]
pub fn text(buffer: &Buffer) -> String {
    let (mut out, mut line) = (String::new(), String::new());
    for row in rows(buffer) {
        line.clear();
        for (_, cell) in row {
            line.push_str(cell.symbol());
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

const WIDE: u32 = 8;
const HIGH: u32 = 17;
const INK: &str = "#d8d8d8";
const PAPER: &str = "#181818";

/// The screen as an SVG image.
#[must_use]
pub fn svg(buffer: &Buffer) -> String {
    let (width, height) = (
        u32::from(buffer.area.width) * WIDE,
        u32::from(buffer.area.height) * HIGH,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" font-size=\"13\" xml:space=\"preserve\">\n<rect width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>\n"
    );
    for (y, row) in rows(buffer).enumerate() {
        let top = u32::try_from(y).unwrap_or(0) * HIGH;
        for run in row.chunk_by(|(_, a), (_, b)| same(a, b)) {
            let Some((x, first)) = run.first() else {
                continue;
            };
            let (ink, paper) = colours(first);
            let line: String = run.iter().map(|(_, cell)| cell.symbol()).collect();
            let left = u32::from(*x) * WIDE;
            let wide = u32::try_from(line.width()).unwrap_or(0) * WIDE;
            // Writing to a String cannot fail.
            if paper != PAPER {
                let _ = writeln!(
                    out,
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{HIGH}\" fill=\"{paper}\"/>"
                );
            }
            if line.trim().is_empty() {
                continue;
            }
            let mut style = String::new();
            if first.modifier.contains(Modifier::BOLD) {
                style.push_str(" font-weight=\"bold\"");
            }
            if first.modifier.contains(Modifier::UNDERLINED) {
                style.push_str(" text-decoration=\"underline\"");
            }
            if first.modifier.contains(Modifier::DIM) {
                style.push_str(" opacity=\"0.7\"");
            }
            let line = line.replace('&', "&amp;").replace('<', "&lt;");
            let base = top + 13;
            let _ = writeln!(
                out,
                "<text x=\"{left}\" y=\"{base}\" textLength=\"{wide}\" fill=\"{ink}\"{style}>{line}</text>"
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

fn same(a: &Cell, b: &Cell) -> bool {
    (a.fg, a.bg, a.modifier) == (b.fg, b.bg, b.modifier)
}

fn colours(cell: &Cell) -> (String, String) {
    let (ink, paper) = (colour(cell.fg, INK), colour(cell.bg, PAPER));
    if cell.modifier.contains(Modifier::REVERSED) {
        (paper, ink)
    } else {
        (ink, paper)
    }
}

/// The 16 named colours of a terminal, in the order of their numbers, each with its value in an SVG image.
const NAMED: [(Color, &str); 16] = [
    (Color::Black, "#000000"),
    (Color::Red, "#cc4444"),
    (Color::Green, "#55aa55"),
    (Color::Yellow, "#c8a030"),
    (Color::Blue, "#4f86d0"),
    (Color::Magenta, "#b060b0"),
    (Color::Cyan, "#40a8a8"),
    (Color::Gray, "#b8b8b8"),
    (Color::DarkGray, "#808080"),
    (Color::LightRed, "#ff6b6b"),
    (Color::LightGreen, "#7fd77f"),
    (Color::LightYellow, "#f0d060"),
    (Color::LightBlue, "#80b0ff"),
    (Color::LightMagenta, "#e090e0"),
    (Color::LightCyan, "#70d8d8"),
    (Color::White, "#ffffff"),
];

fn colour(colour: Color, default: &str) -> String {
    match colour {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(index) => indexed(index),
        named => {
            let named = NAMED.iter().find(|(colour, _)| *colour == named);
            named.map_or(default, |(_, hex)| hex).to_owned()
        }
    }
}

/// The SVG value of a colour from the terminal's palette of 256: 16 named colours, a cube of 216, and 24 greys.
fn indexed(index: u8) -> String {
    if let Some((_, hex)) = NAMED.get(usize::from(index)) {
        return (*hex).to_owned();
    }
    if index >= 232 {
        let grey = (index - 232) * 10 + 8;
        return format!("#{grey:02x}{grey:02x}{grey:02x}");
    }
    let cube = index - 16;
    let part = |step: u8| if step == 0 { 0 } else { step * 40 + 55 };
    let (r, g, b) = (part(cube / 36), part(cube / 6 % 6), part(cube % 6));
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    #[test]
    fn text_and_picture_hold_what_is_seen() {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 8, 2));
        buffer.set_string(0, 0, "漢a<b", Style::new().fg(Color::Red));
        buffer.set_string(0, 1, "x", Style::new().add_modifier(Modifier::REVERSED));
        assert_eq!(text(&buffer), "漢a<b\nx\n");
        let picture = svg(&buffer);
        assert!(
            picture.contains("fill=\"#cc4444\">漢a&lt;b</text>"),
            "{picture}"
        );
        assert!(picture.contains(&format!("fill=\"{INK}\"/>")), "{picture}");
        assert_eq!(indexed(231), "#ffffff");
        assert_eq!(indexed(255), "#eeeeee");
    }
}
