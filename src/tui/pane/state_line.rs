//! The rows of the state pane as they are drawn: details, items, lanes, a deadline.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::data_line::{preview, preview_of_item};
use super::line::{Line, clock, span_of_time, style, width};
use super::outline::status_word;
use super::state_row::Row;
use crate::definition::{State, StateId, StateKind, Transition};
use crate::interpreter::Millis;
use crate::json::{Text, Value};
use crate::session::view::{
    Inner, ItemStanding, ItemView, LaneView, StatePane, StateStatus, ToCome,
};
use crate::tui::border::wrapped;
use crate::tui::theme::Role;
use crate::wording;
use ratatui::style::Style;

/// Lines with what they belong to; a row's first line is the one that is marked.
#[derive(Default)]
pub(super) struct List {
    pub(super) lines: Vec<(Option<Row>, Line)>,
}

impl List {
    pub(super) fn row(&mut self, row: Row, line: Line) {
        self.lines.push((Some(row), line));
    }

    pub(super) fn say(&mut self, line: Line) {
        self.lines.push((None, line));
    }

    /// Where each rule of a Choice begins, and the end of the last.
    pub(super) fn begins(&self) -> Vec<usize> {
        let rows = self.rows().into_iter();
        let rules = rows.filter_map(|(line, row)| matches!(row, Row::Rule(_)).then_some(line));
        rules.chain([self.lines.len()]).collect()
    }

    pub(super) fn rows(&self) -> Vec<(usize, Row)> {
        let lines = self.lines.iter().enumerate();
        lines
            .filter_map(|(place, (row, _))| Some((place, (*row)?)))
            .collect()
    }
}

pub(super) fn state_name(paint: &Paint, state: Option<StateId>) -> Text {
    state
        .and_then(|id| paint.definition.state(id))
        .map_or_else(|| "".into(), |state| state.name.clone())
}

/// That the frame in focus has come to the state and has not entered it: what is told of it is of no other frame's visit.
pub(super) fn not_entered(paint: &Paint) -> &'static str {
    match paint.view.end {
        Some(_) => "not entered",
        None => "not entered yet",
    }
}

/// What AWS's console tells of a step: how it stands, when it began, how long it took, what it calls, what follows.
pub(super) fn detail_lines(paint: &Paint, state: &State, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (dim, text) = (style(theme, Role::Dim), style(theme, Role::Text));
    let mut say = |name: &str, words: String, own: Style| {
        let parts = wrapped(&words, cells.saturating_sub(10).max(10));
        for (place, part) in parts.into_iter().enumerate() {
            let name = if place == 0 { name } else { "" };
            list.say(Line::new().cell(name, 10, dim).text(part, own));
        }
    };
    match &paint.view.data.visit {
        None => say("status", not_entered(paint).to_owned(), dim),
        Some(visit) => {
            let visits = match visit.number {
                0 | 1 => String::new(),
                number => format!(", visit {number}"),
            };
            let word = status_word(paint, visit.status);
            let own = theme.status(visit.status);
            say("status", format!("{word}{visits}"), own);
            say("entered", clock(visit.entered), text);
            // After an error that nothing takes up, no more time passes in it.
            let is_over = visit.is_over || paint.view.data.to_come == ToCome::Nothing;
            let so_far = if is_over { "" } else { " so far" };
            let took = span_of_time(visit.took);
            say("duration", format!("{took}{so_far}"), text);
        }
    }
    if let Some(led) = paint
        .view
        .led
        .as_ref()
        .filter(|_| matches!(state.kind, StateKind::Fail(_)))
    {
        say(
            "led by",
            wording::led(led, paint.definition),
            style(theme, Role::Failed),
        );
        say("", wording::led_way(led, paint.definition), text);
    }
    if let StateKind::Task(task) = &state.kind {
        say("resource", task.resource.to_string(), text);
    }
    let next = match &state.transition {
        Transition::Next(next) => Some(next.name.to_string()),
        Transition::End => Some("end".to_owned()),
        _ => None,
    };
    if let Some(next) = next {
        say("next", next, text);
    }
}

pub(super) fn wait_lines(paint: &Paint, wait: &StatePane, cells: usize, list: &mut List) {
    let StatePane::Wait {
        since,
        until,
        date,
        written,
        no_wait,
        cut,
    } = wait
    else {
        return;
    };
    let theme = paint.theme;
    let now = paint.view.header.clock;
    if paint.view.data.visit.is_none() {
        let (dim, text) = (style(theme, Role::Dim), style(theme, Role::Text));
        let by = written.as_deref().unwrap_or_default();
        return list.say(Line::new().cell("by", 10, dim).text(by, text));
    }
    let Some(until) = *until else {
        let dim = style(theme, Role::Dim);
        let failed = paint.view.data.fault.is_some();
        let by = written.as_deref().unwrap_or_default();
        if failed && !by.is_empty() {
            let text = style(theme, Role::Text);
            list.say(Line::new().cell("by", 10, dim).text(by, text));
        }
        let told = match failed {
            true => "how long it waits could not be evaluated",
            false => "how long it waits is not evaluated yet",
        };
        list.say(Line::new().text(told, dim));
        return;
    };
    let since = *since;
    if let Some(no_wait) = no_wait {
        let own = style(theme, Role::Warning);
        for part in wrapped(&wording::no_wait(no_wait), cells) {
            list.say(Line::new().text(part, own));
        }
        let (dim, text) = (style(theme, Role::Dim), style(theme, Role::Text));
        let by = written.as_deref().unwrap_or_default();
        for (name, words) in [("by", by), ("at", &*clock(since))] {
            if !words.is_empty() {
                list.say(Line::new().cell(name, 10, dim).text(words, text));
            }
        }
        return;
    }
    let length = until.saturating_sub(since);
    // The machine's own limit may come first.
    let ends = cut.as_ref().map_or(until, |cut| cut.at);
    let left = ends.saturating_sub(now);
    let (dim, own) = (style(theme, Role::Dim), style(theme, Role::Waiting));
    let waits = span_of_time(length);
    if let Some(cut) = cut {
        let text = wording::cut_wait(cut.line, &clock(cut.at), paint.view.end.is_some());
        for part in wrapped(&text, cells) {
            list.say(Line::new().text(part, style(theme, Role::Warning)));
        }
    }
    let said = |text: &Option<Text>| text.as_deref().unwrap_or_default().to_owned();
    for (name, text) in [
        ("since", clock(since)),
        (
            if cut.is_some() { "planned" } else { "until" },
            clock(until),
        ),
        ("that is", said(date)),
        ("by", said(written)),
        ("waits", waits),
        (
            "left",
            match (left, &paint.view.end) {
                (0, Some(_)) if cut.is_some() => {
                    let left = span_of_time(until.saturating_sub(now));
                    format!("{left} not waited: the run timed out")
                }
                (0, _) => "nothing".to_owned(),
                (left, None) => format!("{} on the virtual clock", span_of_time(left)),
                (left, Some(_)) => format!("{} not waited: the run ended", span_of_time(left)),
            },
        ),
    ] {
        if !text.is_empty() {
            list.say(Line::new().cell(name, 10, dim).text(text, own));
        }
    }
    let room = cells.saturating_sub(4).clamp(1, 40) as u64;
    let scale = |time: Millis| {
        u64::try_from(u128::from(time) * u128::from(room) / u128::from(length.max(1)))
            .unwrap_or(room)
    };
    let gauge = paint
        .glyphs
        .gauge(scale(now.saturating_sub(since).min(length)), room, room);
    list.say(Line::new().text(gauge, own));
}

/// The word of a status; what is not reached may be reached while the run goes on.
pub(super) fn to_come(paint: &Paint, status: StateStatus) -> &'static str {
    match (status, paint.view.data.visit.as_ref()) {
        (StateStatus::NotReached, Some(visit)) if !visit.is_over && paint.view.end.is_none() => {
            "not yet"
        }
        _ => paint.glyphs.word(status),
    }
}

/// A branch, with the names of the states that branches are in in a column of so many cells.
pub(super) fn lane_line(paint: &Paint, lane: &LaneView, names: usize) -> Line {
    let theme = paint.theme;
    let status = theme.status(lane.status);
    let word = match &lane.error {
        Some(error) => told(error, lane.inner),
        None => to_come(paint, lane.status).to_owned(),
    };
    Line::new()
        .cell(format!("[{}]", lane.index), 5, style(theme, Role::Dim))
        .cell(paint.glyphs.status(lane.status), 3, status)
        .cell(
            &*state_name(paint, lane.state),
            names + 2,
            style(theme, Role::Text),
        )
        .text(word, status)
}

/// How many items stand how, or that there are so many in `all`, in as many rows as that takes.
pub(super) fn summary_lines(
    paint: &Paint,
    summary: &[(ItemStanding, u32)],
    all: &str,
    cells: usize,
) -> Vec<Line> {
    let theme = paint.theme;
    let mut lines = Vec::new();
    let mut line = Line::new();
    for (item, number) in summary {
        let role = match item {
            ItemStanding::Ok => Role::Ok,
            ItemStanding::Running => Role::Running,
            ItemStanding::CutShort | ItemStanding::Aborted => Role::Aborted,
            ItemStanding::NotBegun => Role::NotReached,
            ItemStanding::Failed(_) => Role::Failed,
        };
        let text = format!("{number} {}", item.words());
        if line.width() > 0 && line.width() + 3 + width(&text) > cells {
            lines.push(std::mem::take(&mut line));
        }
        if line.width() > 0 {
            line = line.text(format!(" {} ", paint.glyphs.dot), style(theme, Role::Dim));
        }
        line = line.text(text, style(theme, role));
    }
    if summary.is_empty() {
        line = line.text(all, style(theme, Role::Dim));
    }
    lines.push(line);
    lines
}

/// How wide the columns of the item table are; 0 where there is nothing to show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub points: bool,
    pub digits: usize,
    pub tries: bool,
    pub chosen: usize,
    pub items: usize,
}

impl Columns {
    pub(super) fn of(items: &[ItemView], total: u32, cells: usize) -> Self {
        let chosen = items.iter().filter_map(|item| item.column.as_ref());
        let chosen = chosen.map(|value| width(&beside(value))).max();
        let widths = items.iter().map(|item| width(&of_item(&item.item)));
        Self {
            points: items.iter().any(|item| item.point.is_some()),
            digits: total.saturating_sub(1).to_string().len(),
            tries: items.iter().any(|item| item.tries > 1),
            chosen: chosen.unwrap_or(0).min(cells / 3),
            items: widths.max().unwrap_or(0),
        }
    }

    /// Cells that are left of so many for the item and what came of it.
    fn left(&self, cells: usize) -> usize {
        let points = if self.points { 2 } else { 0 };
        let tries = if self.tries { 4 } else { 0 };
        let chosen = if self.chosen > 0 { self.chosen + 2 } else { 0 };
        cells.saturating_sub(points + self.digits + 2 + 3 + tries + chosen)
    }
}

/// Cells that an item has where the name of its error wants them.
const ITEM: usize = 10;

/// Cells that a result takes at most, and at least.
const RESULT: (usize, usize) = (40, 8);

/// The error that an item ended with, and what it took that over from; empty where it did not fail.
fn failed_with(item: &ItemView) -> String {
    let error = item.error.as_deref();
    error.map_or_else(String::new, |error| told(error, item.inner))
}

/// `inner item 3: Payment.Declined`.
fn told(error: &str, inner: Option<Inner>) -> String {
    match inner {
        Some(inner) => format!("{}: {error}", wording::inner(inner)),
        None => error.to_owned(),
    }
}

/// An item on one line.
fn of_item(item: &Value) -> String {
    preview_of_item(item, 60).0
}

/// What came of an item, in at most so many cells where it is told by several things: the state that it is in, the error
/// that it failed with, and the state where that has room, or its result.
fn outcome(paint: &Paint, item: &ItemView, cells: usize) -> String {
    let (name, error) = (state_name(paint, item.state), failed_with(item));
    match (&item.result, error.is_empty()) {
        (_, false) if name.is_empty() => error,
        (_, false) if width(&name) + 2 + width(&error) > cells => error,
        (_, false) => format!("{name}  {error}"),
        (Some(result), true) => {
            let result = preview_of_item(result, RESULT.0).0;
            format!("{} {result}", paint.glyphs.arrow)
        }
        (None, true) => name.to_string(),
    }
}

/// What the chosen expression gives for an item, on one line.
pub(super) fn beside(value: &Result<Value, String>) -> String {
    match value {
        Ok(value) => preview(value, 48).0,
        Err(_) => "-".to_owned(),
    }
}

/// An item, and what came of it beside it; the name of an error is read before the item, which is cut where both want columns.
pub(super) fn item_line(paint: &Paint, item: &ItemView, columns: Columns, cells: usize) -> Line {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let status = theme.status(item.status);
    let (point, role) = match item.point {
        Some(true) => (glyphs.breakpoint, Role::Breakpoint),
        Some(false) => (glyphs.breakpoint_off, Role::BreakpointOff),
        None => ("", Role::Dim),
    };
    let digits = columns.digits;
    let mark = if columns.points { 2 } else { 0 };
    let mut line = Line::new()
        .cell(point, mark, style(theme, role))
        .cell(
            format!("{:>digits$}", item.index),
            digits + 2,
            style(theme, Role::Text),
        )
        .cell(glyphs.status(item.status), 3, status);
    if columns.tries {
        let tries = match item.tries {
            1 => String::new(),
            tries => format!("{}{tries}", glyphs.times),
        };
        line = line.cell(tries, 4, style(theme, Role::Retrying));
    }
    if let Some(value) = &item.column {
        let role = if value.is_ok() { Role::Text } else { Role::Dim };
        line = line.cell(beside(value), columns.chosen + 2, style(theme, role));
    }
    let left = columns.left(cells);
    let came = outcome(paint, item, left.saturating_sub(ITEM + 2));
    let own = style(theme, Role::Dim);
    // A result has what the item leaves; it is in the data, too.
    if item.error.is_none() && item.result.is_some() {
        let line = line.cell(of_item(&item.item), columns.items + 2, own);
        return match left.saturating_sub(columns.items + 2) >= RESULT.1 {
            true => line.text(came, own),
            false => line,
        };
    }
    let role = match item.error {
        Some(_) => status,
        None => style(theme, Role::Text),
    };
    let most = left
        .saturating_sub(width(&came) + 2)
        .max(ITEM.min(left / 3));
    match came.is_empty() {
        true => line.text(of_item(&item.item), own),
        false => line
            .cell(of_item(&item.item), columns.items.min(most) + 2, own)
            .text(came, role),
    }
}
