//! Aligns the decoded text of a scalar with its source, so that every decoded offset has a source offset.

use crate::source::{OffsetMap, SourceId, Span};
use saphyr_parser::ScalarStyle;

/// The map to the source, and the offset of the end of the scalar.
pub(super) struct Aligned {
    pub(super) map: OffsetMap,
    pub(super) end: usize,
}

impl Aligned {
    /// The alignment of an empty scalar at an offset.
    pub(super) fn empty(id: SourceId, at: usize) -> Self {
        Self {
            map: OffsetMap::plain(Span::new(id, at..at)),
            end: at,
        }
    }
}

/// Aligns `decoded` with the source from the offset `from`. If `headed`, this is the `|` or `>` of a block scalar
/// instead of its first line.
pub(super) fn align(
    text: &str,
    id: SourceId,
    from: usize,
    style: ScalarStyle,
    decoded: &str,
    headed: bool,
) -> Aligned {
    let walk = Walk {
        text,
        id,
        decoded,
        raw: from,
        done: 0,
        open: None,
        pieces: Vec::new(),
    };
    match style {
        ScalarStyle::Literal | ScalarStyle::Folded => walk.block(headed),
        ScalarStyle::SingleQuoted => walk.flow(Some('\'')),
        ScalarStyle::DoubleQuoted => walk.flow(Some('"')),
        ScalarStyle::Plain => walk.flow(None),
    }
}

struct Walk<'t> {
    text: &'t str,
    id: SourceId,
    decoded: &'t str,
    /// Offset in the source.
    raw: usize,
    /// Offset in the decoded text.
    done: usize,
    /// Decoded and source offset at which the current run of identical bytes began.
    open: Option<(usize, usize)>,
    pieces: Vec<(u32, Span)>,
}

impl Walk<'_> {
    fn piece(&mut self, decoded: usize, range: std::ops::Range<usize>) {
        let decoded = u32::try_from(decoded).unwrap_or(u32::MAX);
        self.pieces.push((decoded, Span::new(self.id, range)));
    }

    fn shut(&mut self) {
        if let Some((decoded, raw)) = self.open.take() {
            self.piece(decoded, raw..self.raw);
        }
    }

    /// Finishes the map. The rest of the decoded text is mapped to `content`.
    fn end(mut self, content: usize, end: usize) -> Aligned {
        self.shut();
        self.piece(self.done, content..content);
        Aligned {
            map: OffsetMap::new(self.pieces),
            end,
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.raw..).unwrap_or("")
    }

    fn wanted(&self) -> Option<char> {
        self.decoded.get(self.done..)?.chars().next()
    }

    /// Adds a piece of `raw` source bytes that decodes to `decoded` other bytes.
    fn jump(&mut self, raw: usize, decoded: usize) {
        self.shut();
        self.piece(self.done, self.raw..self.raw + raw);
        self.raw += raw;
        self.done = (self.done + decoded).min(self.decoded.len());
    }

    /// Number of decoded line breaks that result from `breaks` line breaks in the source.
    fn folded(&self, breaks: usize) -> usize {
        let rest = self.decoded.get(self.done..).unwrap_or("");
        let lines = rest.bytes().take(breaks).take_while(|byte| *byte == b'\n');
        lines.count()
    }

    fn flow(mut self, quote: Option<char>) -> Aligned {
        if quote.is_some() {
            self.raw += 1;
        }
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                break;
            };
            if quote.is_none() && self.done >= self.decoded.len() {
                break;
            }
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let breaks = breaks(rest.get(..blanks).unwrap_or(""));
            if breaks > 0 {
                let decoded = match self.folded(breaks.saturating_sub(1)) {
                    0 => usize::from(self.wanted() == Some(' ')),
                    lines => lines,
                };
                self.jump(blanks, decoded);
                continue;
            }
            if quote == Some('\'') && rest.starts_with("''") {
                self.jump(2, 1);
                continue;
            }
            if quote == Some(c) {
                let end = self.raw;
                return self.end(end, end + 1);
            }
            if quote == Some('"') && c == '\\' {
                self.escape();
                continue;
            }
            if self.wanted() != Some(c) {
                break;
            }
            self.open.get_or_insert((self.done, self.raw));
            self.raw += c.len_utf8();
            self.done += c.len_utf8();
        }
        let end = self.raw;
        self.end(end, end)
    }

    fn escape(&mut self) {
        let rest = self.rest();
        let after = rest.get(1..).unwrap_or("");
        let next = after.chars().next();
        if matches!(next, Some('\r' | '\n')) {
            let blanks = after.len() - after.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let more = breaks(after.get(..blanks).unwrap_or("")).saturating_sub(1);
            let decoded = self.folded(more);
            self.jump(1 + blanks, decoded);
            return;
        }
        let length = match next {
            Some('x') => 4,
            Some('u') => 6,
            Some('U') => 10,
            Some(c) => 1 + c.len_utf8(),
            None => 1,
        };
        let length = length.min(rest.len());
        let decoded = self.wanted().map_or(0, char::len_utf8);
        self.jump(length, decoded);
    }

    fn block(mut self, headed: bool) -> Aligned {
        let mut at = if headed {
            next_line(self.text, self.raw)
        } else {
            let before = self.text.get(..self.raw).unwrap_or("");
            before.rfind(['\n', '\r']).map_or(0, |at| at + 1)
        };
        let written = self.decoded.trim_end_matches('\n').len();
        let body = self.decoded.trim_start_matches('\n');
        let inner = body.len() - body.trim_start_matches(' ').len();
        let mut indent = None;
        let mut content = self.raw;
        while self.done < written && at < self.text.len() {
            let next = next_line(self.text, at);
            let line = self.text.get(at..next).unwrap_or("");
            let line = line.trim_end_matches(['\n', '\r']);
            let spaces = line.len() - line.trim_start_matches(' ').len();
            if indent.is_none() && spaces == line.len() {
                at = next;
                continue;
            }
            let indent = *indent.get_or_insert(spaces.saturating_sub(inner));
            let strip = spaces.min(indent);
            let shown = line.get(strip..).unwrap_or("");
            if !shown.is_empty() {
                let decoded = self.decoded.get(self.done..).unwrap_or("");
                let gap = gap(decoded, shown);
                let Some(gap) = gap else {
                    break;
                };
                self.done += gap;
                self.piece(self.done, at + strip..next);
                self.done += shown.len();
                content = at + line.len();
            }
            at = next;
        }
        if self.pieces.is_empty() {
            return Aligned::empty(self.id, self.raw);
        }
        let map = OffsetMap::new(self.pieces);
        Aligned { map, end: content }
    }
}

/// Length in bytes of the whitespace in `decoded` before `shown`; `None` if `shown` does not come next.
fn gap(decoded: &str, shown: &str) -> Option<usize> {
    let mut gap = 0;
    loop {
        let rest = decoded.get(gap..)?;
        if rest.starts_with(shown) {
            return Some(gap);
        }
        if !rest.starts_with([' ', '\n']) {
            return None;
        }
        gap += 1;
    }
}

fn breaks(blanks: &str) -> usize {
    let bytes = blanks.as_bytes();
    let ends = |(at, byte): (usize, &u8)| {
        *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    };
    bytes.iter().enumerate().filter(|pair| ends(*pair)).count()
}

/// Offset of the line after the one that contains `at`.
fn next_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let Some(end) = rest.find(['\n', '\r']) else {
        return text.len();
    };
    let pair = rest.get(end..).is_some_and(|rest| rest.starts_with("\r\n"));
    at + end + if pair { 2 } else { 1 }
}
