//! Fits text into cells: measures it, makes it safe for the terminal, cuts and wraps it.

use super::glyph::Glyphs;
use crate::json::visible;
use crate::session::Phrase;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Makes `text` safe for the terminal and cuts it to `width` cells. Text that was cut ends with a mark such as `…`.
#[must_use]
pub fn clip(text: &str, width: usize, glyphs: &Glyphs) -> String {
    if width == 0 {
        return String::new();
    }
    let mut used = 0_usize;
    let mut fits = 0_usize;
    let mark = glyphs.cut.width();
    let mut short = 0_usize;
    let mut zero = 0_usize;
    for (place, c) in text.char_indices() {
        let safe = safe_width(c);
        zero = if safe == 0 { zero + 1 } else { 0 };
        if used + safe > width || zero > 8 {
            let head = text
                .get(..if width > mark { short } else { fits })
                .unwrap_or("");
            let mut cut = visible(head).into_owned();
            if width > mark {
                cut.push_str(glyphs.cut);
            }
            return cut;
        }
        used += safe;
        fits = place + c.len_utf8();
        if used + mark <= width {
            short = fits;
        }
    }
    visible(text).into_owned()
}

/// Number of cells that a character takes after [`visible`] has made it safe for the terminal.
fn safe_width(c: char) -> usize {
    if c.is_ascii() {
        return 1;
    }
    c.width()
        .filter(|width| *width > 0)
        .unwrap_or_else(|| usize::from(!is_combining(c)))
}

/// True if the character takes no cell, because the terminal draws it over the character before it (and [`visible`]
/// does not replace it).
fn is_combining(c: char) -> bool {
    let mut bytes = [0; 4];
    let text: &str = c.encode_utf8(&mut bytes);
    c.width() == Some(0) && matches!(visible(text), std::borrow::Cow::Borrowed(_))
}

/// Number of cells that a text takes after it is made safe for the terminal.
#[must_use]
pub fn width(text: &str) -> usize {
    match text.is_ascii() {
        true => text.len(),
        false => text.chars().map(safe_width).sum(),
    }
}

/// Number of cells that a text takes if it is already safe for the terminal.
fn cells_of(text: &str) -> usize {
    match text.is_ascii() {
        true => text.len(),
        false => text.width(),
    }
}

/// Cuts `text` to `width_wanted` cells by replacing its middle with a mark such as `…`.
#[must_use]
pub fn clip_middle(text: &str, width_wanted: usize, glyphs: &Glyphs) -> String {
    if width(text) <= width_wanted {
        return visible(text).into_owned();
    }
    let mark = glyphs.cut.width();
    if width_wanted <= mark + 2 {
        return clip(text, width_wanted, glyphs);
    }
    let room = width_wanted - mark;
    let tail_room = room / 2;
    let taken = |chars: &mut dyn Iterator<Item = char>, room: usize| -> Vec<char> {
        let mut used = 0;
        let fits = |c: &char| {
            used += safe_width(*c);
            used <= room
        };
        chars.take_while(fits).collect()
    };
    let head = String::from_iter(taken(&mut text.chars(), room - tail_room));
    let tail = taken(&mut text.chars().rev(), tail_room);
    let tail = String::from_iter(tail.into_iter().rev());
    format!("{}{}{}", visible(&head), glyphs.cut, visible(&tail))
}

/// If the screen uses ASCII only, replaces the symbols in one of the program's own texts, such as `→`, by ASCII.
#[must_use]
pub fn words(glyphs: &Glyphs, text: &str) -> String {
    if !glyphs.ascii || text.is_ascii() {
        return text.to_owned();
    }
    text.replace('→', "->")
        .replace('↝', "~>")
        .replace('×', "x")
        .replace('≤', "<=")
        .replace('≥', ">=")
        .replace('≠', "!=")
        .replace(['−', '–', '—'], "-")
        .replace('·', "-")
        .replace('…', "..")
}

/// Wraps a text to lines of at most `width` cells, at spaces if possible. A word that is longer than a line is broken
/// after punctuation such as `/` or `.`, if the last third of the line contains any.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let word_cells = cells_of(word.trim_end());
        if used > 0 && used + word_cells > width {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            used = 0;
        }
        if word_cells <= width {
            line.push_str(word);
            used += cells_of(word);
            continue;
        }
        for c in word.chars() {
            let cells = c.width().unwrap_or(0);
            if used + cells > width {
                let end = line.rfind(PARTS).map(|at| at + 1);
                let end =
                    end.filter(|end| line.get(..*end).unwrap_or_default().width() * 3 > width * 2);
                let rest = line.split_off(end.unwrap_or(line.len()));
                lines.push(std::mem::replace(&mut line, rest));
                used = line.width();
            }
            line.push(c);
            used += cells;
        }
    }
    if !line.trim_end().is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Like [`wrapped`], but makes at most `most` lines. If more would be needed, the last line contains all the remaining
/// text and may be wider than `width`.
#[must_use]
pub fn wrapped_in(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines = wrapped(text, width);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    lines
}

/// Characters after which a long word, such as an ARN, a URL or a path, may be broken.
const PARTS: [char; 8] = [':', '/', '.', ',', '-', '_', '&', '='];

/// A text for a place with little room, in several forms: the longest and most informative first, then shorter ones.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    forms: Vec<Form>,
    /// Number of forms (versions of the text) that were dropped to save room, counted from the longest. The next one is
    /// the chosen form.
    gone: usize,
    /// Width to which the chosen form of the text is cut, in cells. Has no effect if it is less than the form's minimum
    /// width.
    given: usize,
}

#[derive(Clone, Debug)]
struct Form {
    text: String,
    /// Number that says how soon the form (version of the text) is dropped if space is short: the form with the highest
    /// rank first, a form with rank 0 never.
    rank: u8,
    /// Minimum width to which the form may be cut, in cells; `usize::MAX` if it may not be cut.
    least: usize,
}

impl Piece {
    /// Creates a text with one form, which may not be cut. A form with a high `rank` is dropped early if space is
    /// short; with rank 0, never.
    #[must_use]
    pub fn new(text: impl Into<String>, rank: u8) -> Self {
        Self::default().or(text, rank)
    }

    /// Adds a shorter form of the text, which may not be cut. A form with a high `rank` is dropped early if space is
    /// short; with rank 0, never.
    #[must_use]
    pub fn or(mut self, text: impl Into<String>, rank: u8) -> Self {
        self.forms.push(Form {
            text: text.into(),
            rank,
            least: usize::MAX,
        });
        self
    }

    /// Allows cutting the form of the text that was added last, but not to fewer cells than `least`.
    pub(super) fn cut_to(mut self, least: usize) -> Self {
        if let Some(form) = self.forms.last_mut() {
            form.least = least;
        }
        self
    }

    /// Creates a piece whose forms are the versions of a phrase, from the longest to the shortest. `rank` is for the
    /// shortest form, which may be cut to `least` cells.
    #[must_use]
    pub fn of(phrase: &Phrase, rank: u8, least: usize) -> Self {
        let forms = phrase.forms();
        let count = forms.len();
        let forms = forms.into_iter().enumerate();
        let piece = forms.fold(Self::default(), |piece, (place, text)| {
            let more = count - 1 - place;
            piece.or(
                text,
                rank.saturating_add(u8::try_from(more).unwrap_or(u8::MAX)),
            )
        });
        piece.cut_to(least)
    }

    /// Creates a text that may be cut to `least` cells. If space is short, it is cut before any text with a lower
    /// `rank` loses a form.
    #[must_use]
    pub fn cut(text: &str, rank: u8, least: usize) -> Self {
        Self::new(text, rank + 1).or(text, rank).cut_to(least)
    }

    /// Forbids cutting any form (version) of the text.
    #[must_use]
    pub fn uncut(mut self) -> Self {
        for form in &mut self.forms {
            form.least = usize::MAX;
        }
        self
    }

    /// The chosen form of the text; empty if no form fits.
    #[must_use]
    pub fn text(&self) -> &str {
        self.forms.get(self.gone).map_or("", |form| &form.text)
    }

    /// The text of the shortest form, even if it was not chosen.
    pub(super) fn shortest(&self) -> &str {
        self.forms.last().map_or("", |form| &form.text)
    }

    /// Width of the chosen form, in cells, after cutting.
    pub(super) fn cells(&self) -> usize {
        self.forms
            .get(self.gone)
            .map_or(0, |form| width(&form.text).min(form.least.max(self.given)))
    }
}

/// Chooses for each text the form (version) that is shown: drops forms, those with the highest rank first, until `fits`
/// is true, and cuts forms that allow it. Returns false if not even the shortest forms fit.
pub fn fit(pieces: &mut [Piece], fits: impl Fn(&[Piece]) -> bool) -> bool {
    let give = |pieces: &mut [Piece], cells| {
        pieces.iter_mut().for_each(|piece| piece.given = cells);
    };
    give(pieces, 0);
    while !fits(pieces) {
        let ranks = pieces.iter().enumerate();
        let ranks =
            ranks.filter_map(|(place, piece)| Some((piece.forms.get(piece.gone)?.rank, place)));
        let worst = ranks.filter(|(rank, _)| *rank > 0).max();
        let Some(piece) = worst.and_then(|(_, place)| pieces.get_mut(place)) else {
            return false;
        };
        piece.gone += 1;
    }
    // Then takes dropped forms back, those with a low rank first, as long as all texts still fit without being cut.
    give(pieces, usize::MAX);
    while let Some(place) = lowest(pieces) {
        let mut changed = pieces.to_vec();
        if let Some(piece) = changed.get_mut(place) {
            piece.gone -= 1;
        }
        if !fits(&changed) {
            break;
        }
        pieces.clone_from_slice(&changed);
    }
    give(pieces, 0);
    for place in 0..pieces.len() {
        let most = pieces.get(place).map_or(0, |piece| width(piece.text()));
        let (mut given, mut beyond) = (0, most + 1);
        while given + 1 < beyond {
            let tried = given.midpoint(beyond);
            if let Some(piece) = pieces.get_mut(place) {
                piece.given = tried;
            }
            match fits(pieces) {
                true => given = tried,
                false => beyond = tried,
            }
        }
        if let Some(piece) = pieces.get_mut(place) {
            piece.given = given;
        }
    }
    true
}

/// Index of the text whose last dropped form has the lowest rank; `None` if no text has dropped a form.
fn lowest(pieces: &[Piece]) -> Option<usize> {
    let gone = pieces.iter().enumerate();
    let gone = gone.filter_map(|(place, piece)| {
        let longer = piece.forms.get(piece.gone.checked_sub(1)?)?;
        Some((longer.rank, place))
    });
    gone.min().map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::super::glyph::{ASCII, UNICODE};
    use super::*;

    #[test]
    fn cuts_by_cells() {
        assert_eq!(clip("abcdef", 6, &ASCII), "abcdef");
        assert_eq!(clip("abcdefg", 6, &ASCII), "abcd..");
        assert_eq!(clip("漢字漢字", 5, &UNICODE), "漢字…");
        assert_eq!(clip("漢字漢字", 1, &UNICODE), "");
        assert_eq!(clip("\u{1b}[2J", 3, &UNICODE), "␛[…");
        assert_eq!(clip("e\u{301}".repeat(4).as_str(), 4, &ASCII).width(), 4);
        let many = format!("e{}x", "\u{301}".repeat(100));
        assert!(clip(&many, 9, &ASCII).chars().count() < 20);
        assert_eq!(clip_middle("NotifyDeclined", 9, &ASCII), "Noti..ned");
    }

    #[test]
    fn long_words_break_between_their_parts() {
        let lines = |text: &str, width| wrapped(text, width).join("|");
        let arn = "arn:aws:lambda:eu-central-1:1:function:release-stock";
        assert_eq!(
            lines(arn, 24),
            "arn:aws:lambda:eu-|central-1:1:function:|release-stock"
        );
        assert_eq!(lines("abcdefgh", 3), "abc|def|gh");
        assert_eq!(lines("at a.bcdefgh", 6), "at|a.bcde|fgh");
    }
}
