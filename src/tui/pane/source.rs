//! The source pane: the text of the definition with breakpoints, the run's current location and findings.
//!
//! ```text
//!  ● 41      "ChargeCard": {
//!    42        "Type": "Task",
//!    52 =>     { "ErrorEquals": ["Payment.Throttled"],
//! ```

use super::block::state_of;
use super::breakpoints::{breakpoint_mark, finding_mark};
use super::list::moved;
use super::paint::Text;
use super::search::{holds, next_match, occurrences};
use super::source_row::{Frame, Marks, Piece, cells_of, draw_text, indent_of};
use super::{Click, Match, Motion, Paint, Surface};
use crate::source::{Diagnostic, Severity, SourceFile, SourceId, SourceMap, Span};
use crate::tui::border::Pen;
use crate::tui::fit::{clip_middle, words};
use crate::tui::highlight::Highlighter;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use std::ops::{Range, RangeInclusive};
use unicode_width::UnicodeWidthStr as _;

/// The source pane.
#[derive(Clone, Debug, Default)]
pub struct SourcePane {
    source: SourceId,
    /// The selected line, starting at 1; 0 before any text was shown.
    line: usize,
    top: usize,
    left: usize,
    rows: usize,
    columns: usize,
    /// Number of cells that are left out at the start of each line: the indentation that all visible lines have.
    dedent: usize,
    /// The line that each row of the pane shows, as last drawn.
    lines: Vec<usize>,
    /// The file and line that the last search found, and the text that it searched for, in lower case.
    searched: Option<(SourceId, usize, String)>,
    /// The location of the run to which the pane has scrolled last. The pane scrolls again only when this location
    /// changes.
    followed: Option<Span>,
    /// True if a line was selected since the last draw. The pane then shows this line instead of the run's location.
    is_sent: bool,
    highlighter: Highlighter,
}

const ARROW: usize = 2;
/// Columns of the title that are not available for the name of the text.
const TITLE: usize = 15;

impl SourcePane {
    /// Scrolls so that the selected line is visible, even if lines before it are wrapped. If the current field of the
    /// run begins on that line, makes the whole field visible.
    fn keep_whole_in_view(
        &mut self,
        file: &SourceFile,
        here: &RangeInclusive<usize>,
        focused: bool,
        room: usize,
    ) -> Frame {
        let last = match here.contains(&self.line) {
            true => *here.end(),
            false => self.line,
        };
        loop {
            let shown = self.top + 1..=(self.top + self.rows).min(file.line_count());
            // Leaves out the indentation that all visible lines have, because it tells nothing.
            let indents = shown.filter_map(|line| indent_of(file.line(line)));
            let frame = Frame {
                dedent: indents.min().unwrap_or(0),
                left: self.left,
                room,
            };
            let rows_of = |line: usize| {
                let whole = here.contains(&line) || (focused && line == self.line);
                self.pieces(file, line, frame, whole, self.rows).len()
            };
            // A field can be as long as the file, so the count stops when the rows do not fit into the pane.
            let mut rows = 0;
            let fits = (self.top + 1..=last).all(|line| {
                rows += rows_of(line);
                rows <= self.rows
            });
            if fits || self.top + 1 >= self.line {
                return frame;
            }
            self.top += 1;
        }
    }

    /// Splits a line into rows: a single row if `whole` is false, otherwise as many rows as the line needs, but at most
    /// `most`.
    fn pieces(
        &self,
        file: &SourceFile,
        line: usize,
        frame: Frame,
        whole: bool,
        most: usize,
    ) -> Vec<Piece> {
        if !whole || self.left > 0 {
            return vec![frame.piece()];
        }
        let text = file.line(line);
        let matches = self.found_in(file, line);
        let until = matches.first().and_then(|first| text.get(..first.end));
        let cells = until.map_or(0, |until| until.chars().map(cells_of).sum());
        frame.pieces(text, most, cells)
    }

    /// Ranges that contain the searched text, if the last search led to this line.
    fn found_in(&self, file: &SourceFile, line: usize) -> Vec<Range<usize>> {
        match &self.searched {
            Some((source, at, wanted)) if (*source, *at) == (self.source, line) => {
                occurrences(file.line(line), wanted)
            }
            _ => Vec::new(),
        }
    }

    /// Symbol before a line number: it marks a breakpoint, or, if there is none, an error or a warning.
    fn mark<'p>(
        &self,
        paint: &Paint<'p>,
        bytes: &Range<usize>,
        worst: Option<&Diagnostic>,
    ) -> (&'p str, Role) {
        let mut mark = match worst.map(|finding| finding.severity) {
            Some(severity @ (Severity::Error | Severity::Warning)) => {
                finding_mark(severity, paint.glyphs)
            }
            _ => (" ", Role::Dim),
        };
        for point in &paint.view.breakpoints {
            let at = point.span.filter(|span| span.source == self.source);
            if at.is_some_and(|span| bytes.contains(&(span.start as usize))) {
                mark = breakpoint_mark(paint.glyphs, point);
            }
        }
        mark
    }

    /// Selects the line of a location. If the line is not in the upper two thirds of the pane, scrolls it to one third
    /// of the height.
    fn go_to(&mut self, sources: &SourceMap, span: Span) {
        let Some(file) = sources.get(span.source) else {
            return;
        };
        self.source = span.source;
        self.line = file.telling_line(span.start as usize);
        let seen = self.top < self.line && self.line <= self.top + self.rows * 2 / 3;
        if !seen || self.rows == 0 {
            self.top = self.line.saturating_sub(1 + self.rows / 3);
        }
    }

    fn keep_in_view(&mut self, lines: usize) {
        let row = self.line.saturating_sub(1);
        if row < self.top {
            self.top = row;
        } else if self.rows > 0 && row >= self.top + self.rows {
            self.top = row + 1 - self.rows;
        }
        self.top = self.top.min(lines.saturating_sub(self.rows.min(lines)));
    }

    /// The selected file and line (from 1).
    #[must_use]
    pub fn selected(&self) -> (SourceId, usize) {
        (self.source, self.line.max(1))
    }

    /// Selects the line of a location.
    pub fn select(&mut self, sources: &SourceMap, span: Span) {
        self.go_to(sources, span);
        self.is_sent = true;
    }

    /// The most severe finding at the selected line.
    #[must_use]
    pub fn diagnostic<'t>(&self, text: &Text<'t>) -> Option<&'t Diagnostic> {
        let file = text.sources.get(self.source)?;
        worst(text.diagnostics, self.source, &marked(file, self.line))
    }

    /// Selects the next or previous line that contains `wanted`, and returns the match.
    pub fn find(&mut self, text: &Text, wanted: &str, forward: bool) -> Option<Match> {
        let file = text.sources.get(self.source)?;
        let wanted = wanted.to_lowercase();
        let lines = 1..=file.line_count();
        let lines = lines.filter(|line| holds(file.line(*line), &wanted));
        let (numbers, line) = next_match(&lines.collect::<Vec<_>>(), self.line.max(1), forward)?;
        self.line = line;
        self.left = 0;
        self.searched = Some((self.source, line, wanted.clone()));
        Some(Match::new(numbers, file.line(line).trim(), &wanted))
    }
}

impl Surface for SourcePane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let text = &paint.text;
        let was_drawn = self.rows > 0;
        self.rows = usize::from(area.height);
        self.columns = usize::from(area.width);
        let of_run = text.in_force;
        let current = paint.view.current_span.filter(|_| of_run);
        let is_sent = std::mem::take(&mut self.is_sent);
        if let Some(span) = current.filter(|_| self.followed != current && !is_sent) {
            self.go_to(text.sources, span);
        }
        if is_sent && !was_drawn {
            self.top = self.line.saturating_sub(1 + self.rows / 3);
        }
        self.followed = current;
        let Some(file) = text.sources.get(self.source) else {
            return;
        };
        self.line = self.line.clamp(1, file.line_count().max(1));
        self.keep_in_view(file.line_count());
        let digits = file.line_count().to_string().len().max(3);
        let here = current
            .filter(|span| span.source == self.source)
            .map(|span| (file.telling_line(span.start as usize), span.range()));
        let gutter = digits + 2 + ARROW;
        let room = usize::from(area.width).saturating_sub(gutter);
        let here_lines = here.as_ref().map_or(0..=0, |(line, range)| {
            let fields = state_of(paint).map_or(&[][..], |state| &state.fields);
            let field = fields.iter().find(|field| Some(field.key) == current);
            let end = field.map_or(range.end, |field| field.value.range().end);
            *line..=file.line_at(end.saturating_sub(1))
        });
        let frame = self.keep_whole_in_view(file, &here_lines, paint.focused, room);
        let shown = self.top + 1..=(self.top + self.rows).min(file.line_count());
        self.dedent = frame.dedent;
        self.lines.clear();
        let mut row = 0;
        for line in shown {
            let Some(bytes) = file.line_range(line).filter(|_| row < self.rows) else {
                break;
            };
            let is_here = here.as_ref().is_some_and(|(at, _)| *at == line);
            let is_selected = line == self.line && paint.focused;
            let marked = marked(file, line);
            let worst = worst(text.diagnostics, self.source, &marked);
            let mark = self.mark(paint, &marked, worst);
            let parts = self.highlighter.line_of(file, line);
            let spans = Marks {
                current: here.clone().filter(|_| is_here).map(|(_, range)| range),
                wrong: found_at(text.diagnostics, self.source, &bytes)
                    .map(|(finding, span)| (span.range(), finding.severity))
                    .collect(),
                matches: self.found_in(file, line),
            };
            let text = file.line(line);
            let whole = here_lines.contains(&line) || is_selected;
            let pieces = self.pieces(file, line, frame, whole, self.rows - row);
            self.lines.extend(pieces.iter().map(|_| line));
            for (place, piece) in pieces.iter().enumerate() {
                let y = area
                    .y
                    .saturating_add(u16::try_from(row + place).unwrap_or(u16::MAX));
                let mut pen = Pen::new(area, y, buffer);
                if place == 0 {
                    let reached = paint.reached.filter(|_| of_run);
                    let share = reached.and_then(|reached| reached.line(self.source, line));
                    let (sign, role) =
                        share.map_or((" ", Role::Dim), |share| (share.mark(), share.role()));
                    let number = format!("{line:>digits$}{sign}");
                    let (arrow, style) = match is_here {
                        true => (paint.glyphs.here, paint.style(Role::Mark)),
                        false => ("  ", Style::new()),
                    };
                    pen.put(mark.0, paint.style(mark.1));
                    pen.put(&number, paint.style(role));
                    pen.put(arrow, style);
                } else {
                    pen.put(&" ".repeat(gutter + piece.indent), Style::new());
                }
                let match_columns =
                    draw_text(paint, &mut pen, text, &bytes, &parts, &spans, *piece);
                // An error prevents the run from using this text, so the error's message is shown at the end of the
                // line.
                let is_own = |finding: &&Diagnostic| {
                    finding.severity == Severity::Error && finding.follows.is_none()
                };
                if let Some(finding) = worst.filter(is_own)
                    && place + 1 == pieces.len()
                {
                    pen.put("  ", Style::new());
                    let words = words(paint.glyphs, &finding.message);
                    pen.put(&words, paint.style(Role::Error));
                }
                let cells = |x, width| Rect::new(x, y, width, 1);
                let style = match (is_here, is_selected) {
                    (_, true) => paint.style(Role::Selected),
                    (true, _) => Style::new().add_modifier(Modifier::BOLD),
                    _ => Style::new(),
                };
                buffer.set_style(cells(area.x, area.width), style);
                let mut match_style = paint.style(Role::Match);
                if is_selected {
                    // The selected row is drawn with reversed colours, so a match in this row stands out without
                    // reversed colours.
                    match_style = match_style.remove_modifier(Modifier::REVERSED);
                }
                for part in match_columns {
                    buffer.set_style(cells(part.start, part.end - part.start), match_style);
                }
            }
            row += pieces.len();
        }
    }

    fn title(&self, paint: &Paint) -> (String, String) {
        let text = &paint.text;
        let line = format!(":{}", self.line.max(1));
        let refused = if text.in_force { "" } else { " (not in use)" };
        let mut right = text.title(self.source);
        // If room is short, only the state machine is named, because the header also shows the file.
        let room = self.columns.saturating_sub(TITLE + line.len());
        if right.width() > room
            && let Some((_, machine)) = right.split_once('>')
        {
            right = machine.trim_start().to_owned();
        }
        let room = room.saturating_sub(refused.len()).max(8);
        let name = clip_middle(&right, room, paint.glyphs);
        ("Source".to_owned(), format!("{name}{line}{refused}"))
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        let Some(file) = paint.text.sources.get(self.source) else {
            return;
        };
        let (line, page) = (self.line.max(1), self.rows.max(2) - 1);
        match motion {
            Motion::Left => self.left = self.left.saturating_sub(4),
            Motion::Right => {
                let longest = file.line(line).chars().count().saturating_sub(self.dedent);
                self.left = (self.left + 4).min(longest.saturating_sub(4));
            }
            _ => self.line = moved(motion, line - 1, file.line_count(), page) + 1,
        }
    }

    /// Scrolls the text; the selected line changes only if it would not be visible any more.
    fn scroll(&mut self, paint: &Paint, rows: i32) {
        let Some(file) = paint.text.sources.get(self.source) else {
            return;
        };
        let lines = file.line_count();
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(0);
        self.top = if rows < 0 {
            self.top.saturating_sub(by)
        } else {
            (self.top + by).min(lines.saturating_sub(self.rows.min(lines)))
        };
        let last = (self.top + self.rows).max(self.top + 1);
        self.line = self.line.clamp(self.top + 1, last);
    }

    /// Selects the clicked line. Returns [`Click::Selected`] for a click on the text, and [`Click::Folded`] for a click
    /// on the line number or the symbol before it.
    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        let Some(file) = paint.text.sources.get(self.source) else {
            return Click::Nothing;
        };
        let Some(line) = self.lines.get(usize::from(at.y - area.y)) else {
            return Click::Nothing;
        };
        self.line = *line;
        let gutter = file.line_count().to_string().len().max(3) + 2;
        if usize::from(at.x - area.x) < gutter {
            Click::Folded
        } else {
            Click::Selected
        }
    }

    fn follow(&mut self) {
        self.is_sent = false;
        self.followed = None;
    }
}

/// The range of bytes whose breakpoints and findings are marked at a line: the bytes of the line itself, and of the
/// lines directly before it that contain only an opening bracket.
fn marked(file: &SourceFile, line: usize) -> Range<usize> {
    let range = |line| file.line_range(line).unwrap_or_default();
    let belongs = |before: &usize| file.telling_line(range(*before).start) == line;
    let first = (1..=line).rev().take_while(belongs).last();
    first.map_or(0..0, |first| range(first).start..range(line).end)
}

/// The findings that begin in these bytes, with their spans.
fn found_at<'d>(
    diagnostics: &'d [Diagnostic],
    source: SourceId,
    bytes: &Range<usize>,
) -> impl Iterator<Item = (&'d Diagnostic, Span)> {
    diagnostics.iter().filter_map(move |finding| {
        let span = finding.span.filter(|span| span.source == source)?;
        bytes
            .contains(&(span.start as usize))
            .then_some((finding, span))
    })
}

/// The most severe finding that begins in these bytes.
fn worst<'d>(
    diagnostics: &'d [Diagnostic],
    source: SourceId,
    bytes: &Range<usize>,
) -> Option<&'d Diagnostic> {
    let findings = found_at(diagnostics, source, bytes).map(|(finding, _)| finding);
    findings.max_by_key(|finding| finding.severity)
}
