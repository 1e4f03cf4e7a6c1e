//! Relates the output of the YAML parser to the source: converts positions to byte offsets, finds where each character
//! of a decoded text is in the source, and rewords the parser's errors.

use crate::source::{OffsetMap, SourceId, Span};
use saphyr_parser::{Marker, ScalarStyle};

/// Converts the parser's markers (line and column) to byte offsets. This is fast if the markers come in the order of
/// the text.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    ascii: bool,
    /// Line, column and byte offset of the marker that was converted last.
    last: (usize, usize, usize),
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        Self {
            text,
            starts,
            ascii: text.is_ascii(),
            last: (0, 0, 0),
        }
    }

    /// The byte offset of a marker.
    pub(super) fn byte(&mut self, marker: Marker) -> usize {
        let line = marker.line().saturating_sub(1);
        let Some(start) = self.starts.get(line).copied() else {
            return self.text.len();
        };
        if self.ascii {
            return (start + marker.col()).min(self.text.len());
        }
        let (from, skip) = match self.last {
            (known, column, byte) if known == line && column <= marker.col() => {
                (byte, marker.col() - column)
            }
            _ => (start, marker.col()),
        };
        let rest = self.text.get(from..).unwrap_or("");
        let byte = rest
            .char_indices()
            .nth(skip)
            .map_or(self.text.len(), |(at, _)| from + at);
        self.last = (line, marker.col(), byte);
        byte
    }
}

/// Offset of the first character at or after `from` that is not in whitespace, a line break or a comment.
fn after_blanks(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        at += blanks;
        let rest = text.get(at..).unwrap_or("");
        if !rest.starts_with('#') || blanks == 0 {
            return at;
        }
        at += rest.find(['\n', '\r']).unwrap_or(rest.len());
    }
}

/// Offset of the end of a tag or anchor that begins at `at`.
fn property_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let stops: &[char] = if rest.starts_with("!<") {
        &[' ', '\t', '\r', '\n']
    } else {
        &[' ', '\t', '\r', '\n', ',', '[', ']', '{', '}']
    };
    at + rest.find(stops).unwrap_or(rest.len())
}

/// Offset of the node that follows the tags and anchors at `start`.
pub(super) fn after_properties(text: &str, start: usize) -> usize {
    let mut at = start;
    for _ in 0..2 {
        match text.as_bytes().get(at) {
            Some(b'!' | b'&') => at = after_blanks(text, property_end(text, at)),
            _ => break,
        }
    }
    at
}

/// Finds a tag among the tags and anchors that begin at `start`. Returns its offset and its text.
pub(super) fn tag(text: &str, start: usize) -> Option<(usize, &str)> {
    let mut at = start;
    for _ in 0..2 {
        let end = property_end(text, at);
        match text.as_bytes().get(at)? {
            b'!' => return text.get(at..end).map(|tag| (at, tag)),
            b'&' => at = after_blanks(text, end),
            _ => return None,
        }
    }
    None
}

/// Offset of the first character that YAML forbids in a text; `None` if there is none.
pub(super) fn control(text: &str) -> Option<usize> {
    text.bytes()
        .position(|byte| (byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 127)
}

/// Where a decoded scalar is in the source: a map from offsets in its text to offsets in the source, and the source
/// offset of its end.
pub(super) struct Aligned {
    pub(super) map: OffsetMap,
    pub(super) end: usize,
}

impl Aligned {
    /// The map and the end of an empty scalar, which is at the source offset `at`.
    pub(super) fn empty(id: SourceId, at: usize) -> Self {
        Self {
            map: OffsetMap::plain(Span::new(id, at..at)),
            end: at,
        }
    }
}

/// Maps the decoded text of a scalar to the source. `from` is the offset at which the scalar begins, including its
/// opening quote. For a block scalar, `from` is an offset in the first line of its text or, if `headed` is true, the
/// offset of its `|` or `>`.
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
    /// Byte offset in the source up to which the text is mapped. For a block scalar, this field is not updated: it
    /// stays the `from` of [`align`].
    raw: usize,
    /// Byte offset in the decoded text up to which the text is mapped.
    done: usize,
    /// If the bytes mapped last are the same in both texts: the offsets at which this run of equal bytes begins, first
    /// in the decoded text and then in the source.
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

    /// Finishes the map. Maps the end of the decoded text to the source offset `content`. The scalar, with its closing
    /// quote if there is one, ends at `end`.
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

    /// Adds a piece to the map: the next `raw` bytes of the source, such as an escape, are decoded to `decoded` bytes.
    fn jump(&mut self, raw: usize, decoded: usize) {
        self.shut();
        self.piece(self.done, self.raw..self.raw + raw);
        self.raw += raw;
        self.done = (self.done + decoded).min(self.decoded.len());
    }

    /// Number of line breaks, at most `breaks`, with which the rest of the decoded text begins.
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

/// Length in bytes of the spaces and line breaks before `shown` at the start of `decoded`. `None` if anything else
/// comes before `shown`.
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

/// Offset at which the next line after the offset `at` begins.
fn next_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let Some(end) = rest.find(['\n', '\r']) else {
        return text.len();
    };
    let pair = rest.get(end..).is_some_and(|rest| rest.starts_with("\r\n"));
    at + end + if pair { 2 } else { 1 }
}

/// Rewordings of the YAML parser's errors. Each line has three parts: a part of the parser's message, our message
/// (empty if the parser's message is kept), and advice.
const ERRORS: &str = r#"
recursion limit exceeded|brackets are nested more than 255 levels deep|
tab|a tab in the indentation; YAML allows only spaces|indent with spaces
mapping values are not allowed|unexpected ": ": no key can begin here|put text that contains ": " in quotes, or check the indentation of the line
invalid indentation in quoted|the quotes are not closed before a line that is indented less|close the quotes, or indent the lines of the text
invalid indentation|the line is indented less than the entry that it belongs to|INDENT
wrongly indented|the line is indented less than the text block it belongs to|INDENT
did not find expected key|expected a key: the line does not fit the lines above|INDENT
did not find expected '-'|expected "- ": the line does not fit the lines above|INDENT
block sequence entries are not allowed|unexpected "- ": no list can begin here|INDENT
mapping keys are not allowed|unexpected "? ": no key can begin here|INDENT
simple key expect|the key is not followed by ":"|write NAME: VALUE, or indent the continuation of the text
unknown anchor|no anchor of this name precedes the alias|text that begins with * needs quotes
unexpected end of stream|the quotes are not closed|
trailing content|text follows the closing quotes|double the quotes that belong to the text
unexpected character||text that begins with %, @ or ` needs quotes
unknown escape|in double quotes, a \ must begin an escape|write \\, or use single quotes
comment intercepting|a comment cannot interrupt a text of several lines|
expected ',' or '}'|expected "," or "}"|
expected ',' or ']'|expected "," or "]"|
<document start>|text follows the end of the document|INDENT
expected node content|expected a value|
"#;

/// Rewords an error of the YAML parser. Returns the message and advice.
pub(super) fn plain(info: &str) -> (String, Option<&'static str>) {
    let rows = ERRORS.lines().filter_map(|line| {
        let (part, rest) = line.split_once('|')?;
        Some((part, rest.split_once('|')?))
    });
    let mut known = rows.filter(|(part, _)| info.contains(part));
    let Some((_, (message, help))) = known.next() else {
        return (info.to_string(), None);
    };
    let message = match message {
        "" => info.replace('`', "'"),
        message => message.to_string(),
    };
    let help = match help {
        "" => None,
        "INDENT" => Some("compare the indentation of this line with the lines above it"),
        help => Some(help),
    };
    (message, help)
}
