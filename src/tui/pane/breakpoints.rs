//! The breakpoints pane: lists of breakpoints, watches, frames, pending tasks, mocked answers and findings of `check`.

use super::data_line::outcome;
use super::line::Line;
use super::list::{List, Rows};
use super::task_line::{answer_rule_line, mock_line, task_line};
use super::{Click, Motion, Paint, Surface};
use crate::interpreter::{AskId, FrameId};
use crate::session::view::BreakpointView;
use crate::session::{BreakpointId, Location};
use crate::source::Severity;
use crate::tui::finding::{FindingRow, finding_role};
use crate::tui::fit::{width, words, wrapped_in};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;
use crate::wording;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A list of the breakpoints pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// The list of breakpoints.
    #[default]
    Break,
    /// The list of watched expressions and their values.
    Watch,
    /// The list of the run's frames.
    Frames,
    /// The list of tasks that have no result yet.
    Tasks,
    /// The list of answers that the mock file gives next.
    Mocks,
    /// The list of the findings of `check`.
    Findings,
}

impl Tab {
    /// All lists, in the order of their tabs.
    pub const ALL: [Self; 6] = [
        Self::Break,
        Self::Watch,
        Self::Frames,
        Self::Tasks,
        Self::Mocks,
        Self::Findings,
    ];

    /// Name of the list: `break`, `watch`, `frames`, `tasks`, `mocks`, `!`.
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
}

/// The breakpoints pane.
#[derive(Clone, Debug, Default)]
pub struct BreakpointsPane {
    tab: Tab,
    lists: [List<BreakpointRow>; Tab::ALL.len()],
    /// True if the user has selected a row or a list since the run last moved to another event. Only then does the
    /// message line show the selected finding.
    is_read: bool,
}

impl BreakpointsPane {
    /// The list that the pane shows.
    #[must_use]
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// Shows another list; the keys Left and Right do this, too.
    pub fn show(&mut self, tab: Tab) {
        self.tab = tab;
        self.is_read = true;
    }

    fn list(&self) -> &List<BreakpointRow> {
        let [lists @ .., last] = &self.lists;
        lists.get(self.tab as usize).unwrap_or(last)
    }

    fn list_mut(&mut self) -> &mut List<BreakpointRow> {
        let [lists @ .., last] = &mut self.lists;
        lists.get_mut(self.tab as usize).unwrap_or(last)
    }

    /// The rows of the shown list, laid out for the pane's size when it was last drawn.
    fn rows<'p>(&self, paint: &Paint<'p>) -> PointRows<'p> {
        let list = self.list();
        self.made(paint, (list.width, list.height))
    }

    fn made<'p>(&self, paint: &Paint<'p>, (cells, height): (usize, usize)) -> PointRows<'p> {
        let mut rows = PointRows::new(paint.glyphs, cells);
        let view = paint.view;
        match self.tab {
            Tab::Break => {
                let here = view.breakpoints.iter().find(|point| point.here);
                rows.start_at(here.map(|point| BreakpointRow::Breakpoint(point.id)));
                for point in &view.breakpoints {
                    let line = break_line(paint, point, cells);
                    rows.row(BreakpointRow::Breakpoint(point.id), line);
                }
            }
            Tab::Watch => watch_lines(paint, &mut rows),
            Tab::Frames => frame_lines(paint, &mut rows),
            Tab::Tasks => {
                for task in &view.tasks {
                    let line = task_line(paint, task, false, cells);
                    rows.row(BreakpointRow::Task(task.ask.id), line);
                }
                for task in &view.held {
                    let line = task_line(paint, task, true, cells);
                    rows.row(BreakpointRow::Held(task.ask.id), line);
                }
                for (place, rule) in view.answer_rules.iter().enumerate() {
                    let line = answer_rule_line(rule, cells);
                    rows.row(BreakpointRow::AnswerRule(place), line);
                }
            }
            Tab::Mocks => {
                let next = view.to_come.next.as_ref().map(|next| &next.entry);
                let entries = &view.to_come.entries;
                let here = entries.iter().position(|mock| Some(&mock.entry) == next);
                rows.start_at(here.map(BreakpointRow::Mock));
                let lines = entries.iter().map(|mock| mock_line(paint, mock, cells));
                rows.table((0..).map(BreakpointRow::Mock).zip(lines));
            }
            Tab::Findings => finding_rows(paint, height, &mut rows),
        }
        if rows.len() == 0 {
            let words = match self.tab {
                Tab::Break if cells < 40 => "no breakpoints: b sets one",
                Tab::Break => "no breakpoints: b sets one at the cursor",
                Tab::Watch => "no watches: w adds one",
                Tab::Frames => "no frames: nothing is running",
                Tab::Tasks => "no task waits, and no task was answered in advance",
                Tab::Mocks => "no mock file answers the tasks of this run",
                Tab::Findings => "check finds no problem in the definition",
            };
            rows.note(0, words, Role::Dim);
        }
        rows
    }

    /// The selected row of the shown list.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<BreakpointRow> {
        self.list().selected(&self.rows(paint))
    }

    /// The selected finding, if the user has selected it since the run last moved to another event; `None` if another
    /// list is shown.
    #[must_use]
    pub fn finding<'a>(&self, paint: &Paint<'a>) -> Option<&'a FindingRow> {
        match self.selected(paint)? {
            BreakpointRow::Finding(place) if self.is_read => paint.findings.rows().get(place),
            _ => None,
        }
    }
}

impl Surface for BreakpointsPane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let rows = self.made(paint, (area.width.into(), area.height.into()));
        let brush = (paint.brush(), paint.focused);
        self.list_mut().draw(rows, brush, area, buffer);
    }

    fn title(&self, paint: &Paint) -> (String, String) {
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
        // The list of findings and the list of mocked answers have a tab only while they have entries or are shown.
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

    fn hidden(&self) -> (usize, usize) {
        self.list().hidden()
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.is_read = true;
        if !matches!(motion, Motion::Left | Motion::Right) {
            let rows = self.rows(paint);
            return self.list_mut().motion(&rows, motion);
        }
        let known = Tab::ALL.into_iter().filter(|tab| match tab {
            Tab::Mocks => !paint.view.to_come.entries.is_empty(),
            Tab::Findings => !paint.findings.rows().is_empty(),
            _ => true,
        });
        let known: Vec<Tab> = known.collect();
        let current = known.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let step = match motion {
            Motion::Left => known.len() - 1,
            _ => 1,
        };
        let place = (current + step) % known.len().max(1);
        self.tab = known.get(place).copied().unwrap_or_default();
    }

    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        let rows = self.rows(paint);
        match self.list_mut().click(&rows, area, at.y) {
            None => Click::Nothing,
            Some(BreakpointRow::Breakpoint(id)) if at.x - area.x < 4 => Click::Breakpoint(id),
            Some(BreakpointRow::Frame(frame)) => Click::Frame(frame),
            Some(_) => Click::Selected,
        }
    }

    fn follow(&mut self) {
        self.is_read = false;
    }
}

fn break_line(paint: &Paint, point: &BreakpointView, cells: usize) -> Line {
    let (mark, role) = breakpoint_mark(paint.glyphs, point);
    let off = !point.enabled || point.gone;
    let text = if off { Role::Dim } else { Role::Text };
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
    let location = wording::place(&breakpoint.at);
    let last = paint.view.breakpoints.last();
    let digits = last.map_or(1, |last| last.id.0.to_string().len());
    let mut line = Line::new()
        .cell(here, 2, Role::Mark)
        .cell(mark, 2, role)
        .cell(format!("{:>digits$}", point.id.0), digits + 1, text);
    if cells >= 36 {
        line = line.cell(kind, 6, Role::Dim);
    }
    line = line.text(location, text);
    if let Some(condition) = &breakpoint.condition {
        line = line.text(" if ", Role::Dim).text(&**condition, Role::Path);
    }
    if breakpoint.hit_count > 1 {
        line = line.text(
            format!(" from hit {number}", number = breakpoint.hit_count),
            Role::Dim,
        );
    }
    if let Some(message) = &breakpoint.log_message {
        line = line.text(format!(" \"{message}\""), Role::String);
    }
    if breakpoint.once {
        line = line.text(" once", Role::Dim);
    }
    match (point.gone, point.enabled) {
        (true, _) => line.right("gone", Role::Warning),
        (false, false) => line.right("off", Role::Dim),
        (false, true) => line.right(format!("hit {hits}", hits = point.hits), Role::Dim),
    }
}

fn watch_lines(paint: &Paint, rows: &mut PointRows) {
    let cells = rows.cells;
    let lines = paint.view.watches.iter().map(|watch| {
        let (text, role) = outcome(&watch.value, cells);
        let (mark, name) = match watch.was {
            Some(_) => ("~", Role::Changed),
            None => ("", Role::Path),
        };
        let line = Line::new()
            .cell(mark, 2, Role::Changed)
            .column(&*watch.text, cells / 2, name)
            .text(text, role);
        match &watch.was {
            Some(was) => {
                let (old_value, _) = outcome(was, cells / 3);
                line.text(format!(" (was {old_value})"), Role::Dim)
            }
            None => line,
        }
    });
    rows.table((0..).map(BreakpointRow::Watch).zip(lines));
}

fn frame_lines(paint: &Paint, rows: &mut PointRows) {
    let frames = &paint.view.frames;
    let last = frames.last().map(|frame| frame.frame);
    rows.start_at(last.map(BreakpointRow::Frame));
    let cells = rows.cells;
    let lines = frames.iter().enumerate().map(|(depth, frame)| {
        let state = frame.state.and_then(|id| paint.definition.state(id));
        let status = frame.state.map(|id| paint.view.status_of(id));
        let status = status.unwrap_or_default();
        let is_last = last == Some(frame.frame);
        let name = format!("{}{}", "  ".repeat(depth.min(8)), frame.name);
        let line = Line::new()
            .cell(if is_last { paint.glyphs.here } else { "" }, 3, Role::Mark)
            .column(name, cells / 2, Role::Text)
            .cell(paint.glyphs.status(status), 3, Role::of(status))
            .text(state.map_or("ended", |state| &*state.name), Role::Text);
        (BreakpointRow::Frame(frame.frame), line)
    });
    rows.table(lines);
}

/// Symbol for a finding of this severity, and its style role. A note has an empty symbol.
pub(super) fn finding_mark(severity: Severity, glyphs: &Glyphs) -> (&'static str, Role) {
    let is_seen = severity > Severity::Info;
    let sign = if is_seen { glyphs.finding } else { "" };
    (sign, finding_role(severity))
}

/// Text of a finding: its rule, its message, and its help if there is one.
fn text(paint: &Paint, row: &FindingRow) -> String {
    let help = row.help.iter().map(|help| format!("; {help}"));
    let said = format!("{rule} {message}", rule = row.rule, message = row.message);
    words(
        paint.glyphs,
        (said + &help.collect::<String>()).trim_start(),
    )
}

/// Text at the right of a finding: the number of places with the same finding or, if there is only one place, the
/// number of other findings that are consequences of this one. Empty if there are none.
fn count(row: &FindingRow) -> String {
    match (row.more, row.follows) {
        (0, 0) => String::new(),
        (0, errors) => format!("consequences: {errors}"),
        (more, _) => format!("{places} places", places = more + 1),
    }
}

/// Adds the findings to `rows`, first the one that the header or the banner refers to. Long findings are wrapped while
/// there are free rows.
pub(super) fn finding_rows(paint: &Paint, height: usize, rows: &mut PointRows) {
    let all = paint.findings.rows();
    let first = paint.findings.leading();
    let line_of = |row: &FindingRow| row.line.map_or_else(String::new, |line| line.to_string());
    let digits = all.iter().map(|row| width(&line_of(row)));
    let digits = digits.max().unwrap_or(0);
    let indent = 4 + digits + 1;
    let mut free = height.saturating_sub(all.len());
    let others = (0..all.len()).filter(|place| Some(*place) != first);
    for place in first.into_iter().chain(others) {
        let Some(row) = all.get(place) else {
            continue;
        };
        let (mark, role) = finding_mark(row.severity, paint.glyphs);
        let (text, count) = (text(paint, row), count(row));
        let room = rows.cells.saturating_sub(indent + width(&count) + 1).max(8);
        let parts = wrapped_in(&text, room, free + 1);
        free = (free + 1).saturating_sub(parts.len());
        let here = if first == Some(place) {
            paint.glyphs.here
        } else {
            ""
        };
        let head = Line::new()
            .cell(here, 2, Role::Mark)
            .cell(mark, 2, role)
            .cell(format!("{:>digits$}", line_of(row)), digits + 1, Role::Dim);
        let mut parts = parts.into_iter();
        let head = head.text(parts.next().unwrap_or_default(), Role::Text);
        rows.row(BreakpointRow::Finding(place), head.right(count, Role::Dim));
        for part in parts {
            rows.say(Line::new().gap(indent).text(part, Role::Text));
        }
    }
}

/// A row of the breakpoints pane that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BreakpointRow {
    /// A breakpoint.
    Breakpoint(BreakpointId),
    /// A watch, by index.
    Watch(usize),
    /// A frame.
    Frame(FrameId),
    /// A pending task.
    Task(AskId),
    /// A task whose answer is decided but has not arrived yet; it arrives later or never.
    Held(AskId),
    /// The index of a rule that answers every task to which it applies.
    AnswerRule(usize),
    /// An entry of the mock file, by index.
    Mock(usize),
    /// A finding, by index.
    Finding(usize),
}

/// The rows of a list in the breakpoints pane. A [`BreakpointRow`] identifies each row that can be selected.
pub(super) type PointRows<'a> = Rows<'a, BreakpointRow>;

/// Symbol that shows a breakpoint's type and whether it is enabled, and its style role.
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
