//! Breakpoints, watches, frames and pending tasks.
//!
//! It must not know keys, borders or the session.

use super::data_line::outcome;
use super::finding_row::{finding_line, finding_lines, finding_rows};
use super::line::{Line, moved, say, scroll, style, width};
use super::task_line::{answer_rule_line, mock_line, task_line};
use super::{Click, Motion, Paint};
use crate::interpreter::{AskId, FrameId};
use crate::session::view::{BreakpointView, FrameView, WatchView};
use crate::session::{BreakpointId, Location};
use crate::tui::finding::FindingRow;
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;
use crate::wording;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Which list is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// Breakpoints.
    #[default]
    Break,
    /// Watches.
    Watch,
    /// Frames.
    Frames,
    /// Pending tasks.
    Tasks,
    /// What the mock file answers next.
    Mocks,
    /// What `check` finds in the text.
    Findings,
}

impl Tab {
    /// All, in order.
    pub const ALL: [Self; 6] = [
        Self::Break,
        Self::Watch,
        Self::Frames,
        Self::Tasks,
        Self::Mocks,
        Self::Findings,
    ];

    /// `break`, `watch`, `frames`, `tasks`, `mocks`, `!`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Break => "break",
            Self::Watch => "watch",
            Self::Frames => "frames",
            Self::Tasks => "tasks",
            Self::Mocks => "mocks",
            Self::Findings => "!",
        }
    }

    fn place(self) -> usize {
        self as usize
    }
}

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BreakpointRow {
    /// A breakpoint.
    Breakpoint(BreakpointId),
    /// A watch, by its place.
    Watch(usize),
    /// A frame.
    Frame(FrameId),
    /// A pending task.
    Task(AskId),
    /// A task that is answered, later or never.
    Held(AskId),
    /// An answer for many tasks, by its place.
    AnswerRule(usize),
    /// An entry of the mock file, by its place.
    Mock(usize),
    /// A finding, by its place.
    Finding(usize),
}

/// The breakpoints pane.
#[derive(Clone, Debug, Default)]
pub struct BreakpointsPane {
    tab: Tab,
    selection: [Option<BreakpointRow>; 6],
    /// Where the selection was in its list, should it go away.
    rows: [usize; 6],
    top: [usize; 6],
    height: usize,
    /// How many rows there are.
    len: usize,
    /// Which of them each row on the screen belongs to, as last drawn.
    drawn: Vec<usize>,
    /// Whether a person went to a row since the run went on: then it is that row that is spoken of.
    is_read: bool,
}

/// What is said while there is no breakpoint.
const HOW_TO_SET: &str = "no breakpoints: b sets one where you are";
/// It never needs more columns than these.
const MOST: usize = 78;
/// So many of its first rows say how wide it has to be.
const LINES: usize = 64;
/// Columns of its name beside its tabs.
const TITLE: usize = 20;

/// Findings from one on, each in as many rows as are free.
fn finding_list(
    paint: &Paint,
    points: &[BreakpointRow],
    top: usize,
    (cells, height): (usize, usize),
) -> Vec<(usize, Line)> {
    let shown = points.iter().enumerate().skip(top).take(height);
    let mut free = height.saturating_sub(shown.len());
    let mut lines = Vec::new();
    for (row, point) in shown {
        let BreakpointRow::Finding(place) = *point else {
            continue;
        };
        let more = finding_rows(paint, place, cells)
            .saturating_sub(1)
            .min(free);
        free -= more;
        let own = finding_lines(paint, place, cells, more + 1);
        lines.extend(own.into_iter().map(|line| (row, line)));
    }
    lines
}

impl BreakpointsPane {
    /// Which list is shown.
    #[must_use]
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// Shows another list. (Left and Right do so too.)
    pub fn show(&mut self, tab: Tab) {
        self.tab = tab;
        self.is_read = true;
    }

    /// The run goes on: it is spoken of again, not a row.
    pub fn follow(&mut self) {
        self.is_read = false;
    }

    fn points(&self, paint: &Paint) -> Vec<BreakpointRow> {
        let view = paint.view;
        match self.tab {
            Tab::Break => view
                .breakpoints
                .iter()
                .map(|point| BreakpointRow::Breakpoint(point.id))
                .collect(),
            Tab::Watch => (0..view.watches.len()).map(BreakpointRow::Watch).collect(),
            Tab::Frames => view
                .frames
                .iter()
                .map(|frame| BreakpointRow::Frame(frame.frame))
                .collect(),
            Tab::Tasks => {
                let tasks = view
                    .tasks
                    .iter()
                    .map(|task| BreakpointRow::Task(task.ask.id));
                let held = view
                    .held
                    .iter()
                    .map(|task| BreakpointRow::Held(task.ask.id));
                let rule = (0..view.answer_rules.len()).map(BreakpointRow::AnswerRule);
                tasks.chain(held).chain(rule).collect()
            }
            Tab::Mocks => (0..view.to_come.entries.len())
                .map(BreakpointRow::Mock)
                .collect(),
            Tab::Findings => {
                // The one that explains a failure comes first.
                let first = paint.findings.explaining(view, paint.definition);
                let all = 0..paint.findings.rows().len();
                let others = all.filter(|place| Some(*place) != first);
                let places = first.into_iter().chain(others);
                places.map(BreakpointRow::Finding).collect()
            }
        }
    }

    fn row(&self, paint: &Paint, points: &[BreakpointRow]) -> usize {
        let own = self.selection.get(self.tab.place()).copied().flatten();
        let kept = own.and_then(|own| points.iter().position(|point| *point == own));
        let here = || match self.tab {
            Tab::Break => paint.view.breakpoints.iter().position(|point| point.here),
            Tab::Frames => points.len().checked_sub(1),
            Tab::Mocks => {
                let next = paint.view.to_come.next.as_ref();
                let mut mocks = paint.view.to_come.entries.iter();
                mocks.position(|mock| next.is_some_and(|next| next.entry == mock.entry))
            }
            Tab::Watch | Tab::Tasks | Tab::Findings => None,
        };
        kept.or_else(|| match own {
            Some(_) => self.rows.get(self.tab.place()).copied(),
            None => here(),
        })
        .unwrap_or(0)
        .min(points.len().saturating_sub(1))
    }

    fn select(&mut self, points: &[BreakpointRow], row: usize) {
        let place = self.tab.place();
        if let (Some(selection), Some(kept)) =
            (self.selection.get_mut(place), self.rows.get_mut(place))
        {
            *selection = points.get(row).copied();
            *kept = row;
        }
    }

    /// What is selected.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<BreakpointRow> {
        let points = self.points(paint);
        points.get(self.row(paint, &points)).copied()
    }

    /// The finding that a person went to since the run went on, where findings are shown.
    #[must_use]
    pub fn finding<'a>(&self, paint: &Paint<'a>) -> Option<&'a FindingRow> {
        match self.selected(paint)? {
            BreakpointRow::Finding(place) if self.is_read => paint.findings.rows().get(place),
            _ => None,
        }
    }

    /// Whether there is nothing to show in the first of its lists.
    pub fn is_bare(&self, paint: &Paint) -> bool {
        self.tab == Tab::Break && self.points(paint).is_empty()
    }

    /// Columns that it needs.
    pub fn need(&self, paint: &Paint) -> u16 {
        let len = self.points(paint).len();
        let lines = (0..len.min(LINES)).map(|row| self.line(paint, row, MOST).width());
        super::line::cells(lines.max().unwrap_or(0).min(MOST))
    }

    /// How many columns its title with the tabs needs.
    #[must_use]
    pub fn tabs_need(&self, paint: &Paint) -> u16 {
        super::line::cells(width(&self.title(paint).1) + TITLE)
    }

    /// How many rows are not seen, above and below.
    pub fn hidden(&self) -> (usize, usize) {
        let place = self.tab.place();
        let top = self.top.get(place).copied().unwrap_or(0);
        (
            top.min(self.len),
            self.len.saturating_sub(top + self.height),
        )
    }

    /// Draws it inside `area`.
    pub fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let points = self.points(paint);
        self.len = points.len();
        if points.is_empty() {
            let words = match self.tab {
                Tab::Break if usize::from(area.width) < width(HOW_TO_SET) => "none: b sets one",
                Tab::Break => HOW_TO_SET,
                Tab::Watch => "no watches: w adds one",
                Tab::Frames => "no frames: nothing runs",
                Tab::Tasks => "no task is waiting, none is answered in advance",
                Tab::Mocks => "no mock file answers here",
                Tab::Findings => "check finds nothing in the definition",
            };
            say(paint, area, buffer, words);
            return;
        }
        let selected = self.row(paint, &points);
        self.height = usize::from(area.height);
        let place = self.tab.place();
        let top = self.top.get(place).copied().unwrap_or(0);
        let top = scroll(top, selected, points.len(), self.height);
        if let Some(own) = self.top.get_mut(place) {
            *own = top;
        }
        let cells = usize::from(area.width);
        let lines: Vec<(usize, Line)> = match self.tab {
            Tab::Findings => finding_list(paint, &points, top, (cells, self.height)),
            _ => (top..points.len())
                .map(|row| (row, self.line(paint, row, cells)))
                .collect(),
        };
        self.drawn.clear();
        for (y, (row, line)) in area.rows().zip(lines) {
            self.drawn.push(row);
            line.selected(row == selected, paint.focused)
                .draw(paint, y, buffer);
        }
    }

    fn line(&self, paint: &Paint, row: usize, cells: usize) -> Line {
        let view = paint.view;
        match self.tab {
            Tab::Break => view
                .breakpoints
                .get(row)
                .map(|point| break_line(paint, point, cells)),
            Tab::Watch => {
                let names = view.watches.iter().map(|watch| width(&watch.text)).max();
                let names = names.unwrap_or(0).min(cells / 2);
                view.watches
                    .get(row)
                    .map(|watch| watch_line(paint, watch, names, cells))
            }
            Tab::Frames => {
                let names = view
                    .frames
                    .iter()
                    .map(|frame| width(&frame.name) + row.min(8) * 2)
                    .max();
                let last = row + 1 == view.frames.len();
                view.frames.get(row).map(|frame| {
                    frame_line(paint, frame, row, names.unwrap_or(0).min(cells / 2), last)
                })
            }
            Tab::Mocks => {
                let names = view
                    .to_come
                    .entries
                    .iter()
                    .map(|mock| width(&mock.entry))
                    .max();
                let names = names.unwrap_or(0).min(cells / 3);
                view.to_come
                    .entries
                    .get(row)
                    .map(|mock| mock_line(paint, mock, names, cells))
            }
            Tab::Findings => match self.points(paint).get(row) {
                Some(BreakpointRow::Finding(place)) => Some(finding_line(paint, *place)),
                _ => None,
            },
            Tab::Tasks => {
                let mut tasks = view.tasks.iter().chain(&view.held);
                let before = view.tasks.len() + view.held.len();
                match tasks.nth(row) {
                    Some(task) => Some(task_line(paint, task, row >= view.tasks.len(), cells)),
                    None => view
                        .answer_rules
                        .get(row.saturating_sub(before))
                        .map(|rule| answer_rule_line(paint, rule, cells)),
                }
            }
        }
        .unwrap_or_default()
    }

    /// Left and right of the border's title; the right is the tab bar.
    #[must_use]
    pub fn title(&self, paint: &Paint) -> (String, String) {
        let view = paint.view;
        let numbers = [
            view.breakpoints.len(),
            view.watches.len(),
            view.frames.len(),
            view.tasks.len() + view.held.len(),
            view.to_come.entries.len(),
            paint.findings.problems(),
        ];
        let tabs = Tab::ALL.iter().zip(numbers);
        // Where there are notes alone, they need not be known of.
        let tabs = tabs.filter(|(tab, number)| {
            !matches!(tab, Tab::Findings | Tab::Mocks) || *number > 0 || self.tab == **tab
        });
        let tabs = tabs.map(|(tab, number)| {
            let count = match tab {
                Tab::Findings if number > 0 => number.to_string(),
                Tab::Tasks | Tab::Watch | Tab::Break if number > 0 => {
                    format!(" {number}")
                }
                _ => String::new(),
            };
            if *tab == self.tab {
                format!("[{}{count}]", tab.name())
            } else {
                format!("{}{count}", tab.name())
            }
        });
        let name = match self.tab {
            Tab::Findings => "Findings",
            _ => "Breakpoints",
        };
        (name.to_owned(), tabs.collect::<Vec<_>>().join(" "))
    }

    /// Moves the selection; Left and Right change the tab.
    pub fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.is_read = true;
        if matches!(motion, Motion::Left | Motion::Right) {
            let known: Vec<Tab> = Tab::ALL
                .into_iter()
                .filter(|tab| match tab {
                    Tab::Mocks => !paint.view.to_come.entries.is_empty(),
                    Tab::Findings => !paint.findings.rows().is_empty(),
                    _ => true,
                })
                .collect();
            let here = known.iter().position(|tab| *tab == self.tab).unwrap_or(0);
            let place = match motion {
                Motion::Left => (here + known.len() - 1) % known.len().max(1),
                _ => (here + 1) % known.len().max(1),
            };
            self.tab = known.get(place).copied().unwrap_or_default();
            return;
        }
        let points = self.points(paint);
        let row = self.row(paint, &points);
        let row = moved(motion, row, points.len(), self.height.saturating_sub(1));
        self.select(&points, row);
    }

    /// Selects the row there; on the mark of a breakpoint it names it.
    pub fn click(&mut self, paint: &Paint, area: Rect, column: u16, row: u16) -> Click {
        if !area.contains((column, row).into()) {
            return Click::Nothing;
        }
        let points = self.points(paint);
        let row = self.drawn.get(usize::from(row - area.y)).copied();
        let Some(row) = row else {
            return Click::Nothing;
        };
        let Some(point) = points.get(row).copied() else {
            return Click::Nothing;
        };
        self.select(&points, row);
        match point {
            BreakpointRow::Breakpoint(id) if column - area.x < 4 => Click::Breakpoint(id),
            BreakpointRow::Frame(frame) => Click::Frame(frame),
            BreakpointRow::Task(task) => Click::Task(task),
            BreakpointRow::Breakpoint(_)
            | BreakpointRow::Watch(_)
            | BreakpointRow::Held(_)
            | BreakpointRow::AnswerRule(_)
            | BreakpointRow::Mock(_)
            | BreakpointRow::Finding(_) => Click::Selected,
        }
    }
}

/// The sign of a breakpoint and how it is drawn.
pub(super) fn breakpoint_mark(glyphs: &Glyphs, point: &BreakpointView) -> (&'static str, Role) {
    if !point.enabled || point.gone {
        (glyphs.breakpoint_off, Role::BreakpointOff)
    } else if point.breakpoint.log_message.is_some() {
        (glyphs.breakpoint_log, Role::LogPoint)
    } else if point.breakpoint.condition.is_some() || point.breakpoint.hit_count > 1 {
        (glyphs.breakpoint_condition, Role::Breakpoint)
    } else {
        (glyphs.breakpoint, Role::Breakpoint)
    }
}

fn break_line(paint: &Paint, point: &BreakpointView, cells: usize) -> Line {
    let theme = paint.theme;
    let (mark, role) = breakpoint_mark(paint.glyphs, point);
    let dim = style(theme, Role::Dim);
    let off = !point.enabled || point.gone;
    let text = style(theme, if off { Role::Dim } else { Role::Text });
    let here = if point.here { paint.glyphs.here } else { "" };
    let breakpoint = &point.breakpoint;
    let kind = match &breakpoint.at {
        _ if breakpoint.log_message.is_some() => "log",
        Location::State(_) => "state",
        Location::Part(..) => "part",
        Location::Item(..) => "item",
        Location::Error(..) => "error",
        Location::Data(_) => "data",
    };
    let what = wording::place(&breakpoint.at);
    let digits = paint
        .view
        .breakpoints
        .last()
        .map_or(1, |last| last.id.0.to_string().len());
    let mut line = Line::new()
        .cell(here, 2, style(theme, Role::Mark))
        .cell(mark, 2, style(theme, role))
        .cell(format!("{:>digits$}", point.id.0), digits + 1, text);
    if cells >= 36 {
        line = line.cell(kind, 6, dim);
    }
    line = line.text(what, text);
    if let Some(condition) = &breakpoint.condition {
        line = line
            .text(" if ", dim)
            .text(&**condition, style(theme, Role::Path));
    }
    if breakpoint.hit_count > 1 {
        line = line.text(format!(" from hit {}", breakpoint.hit_count), dim);
    }
    if let Some(message) = &breakpoint.log_message {
        line = line.text(format!(" \"{message}\""), style(theme, Role::String));
    }
    if breakpoint.once {
        line = line.text(" once", dim);
    }
    match (point.gone, point.enabled) {
        (true, _) => line.right("gone", style(theme, Role::Warning)),
        (false, false) => line.right("off", dim),
        (false, true) => line.right(format!("hit {}", point.hits), dim),
    }
}

fn watch_line(paint: &Paint, watch: &WatchView, names: usize, cells: usize) -> Line {
    let theme = paint.theme;
    let changed = watch.was.is_some();
    let (text, role) = outcome(&watch.value, cells);
    let mark = if changed { "~" } else { "" };
    let name = if changed { Role::Changed } else { Role::Path };
    let line = Line::new()
        .cell(mark, 2, style(theme, Role::Changed))
        .cell(&*watch.text, names + 2, style(theme, name))
        .text(text, style(theme, role));
    match &watch.was {
        Some(was) => {
            let (text, _) = outcome(was, cells / 3);
            line.text(format!(" (was {text})"), style(theme, Role::Dim))
        }
        None => line,
    }
}

fn frame_line(paint: &Paint, frame: &FrameView, depth: usize, names: usize, last: bool) -> Line {
    let theme = paint.theme;
    let state = frame.state.and_then(|id| paint.definition.state(id));
    let status = frame
        .state
        .and_then(|id| paint.view.states.get(id.0 as usize))
        .map_or_else(Default::default, |state| state.status);
    let mark = if last { paint.glyphs.here } else { "" };
    Line::new()
        .cell(mark, 2, style(theme, Role::Mark))
        .gap(1 + depth.min(8) * 2)
        .cell(
            &*frame.name,
            names.saturating_sub(depth.min(8) * 2) + 2,
            style(theme, Role::Text),
        )
        .cell(paint.glyphs.status(status), 3, theme.status(status))
        .text(
            state.map_or("ended", |state| &*state.name),
            style(theme, Role::Text),
        )
}
