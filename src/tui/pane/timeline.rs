//! The timeline: the recorded events, with one row for each event, for each attempt of a state, or for each visit. A
//! slider is below the rows.

use super::line::{Line, align, clock, count};
use super::list::{moved, say, scroll};
use super::timeline_column::{Columns, Matched, slider, slider_width};
use super::visit_row::{Folding, VisitRow};
use super::visit_table::VisitTable;
use super::{Click, Level, Motion, Paint, Surface};
use crate::interpreter::{EventKind, Stage};
use crate::json::visible;
use crate::session::recorded::RecordedRow;
use crate::tui::layout::{cut_bottom, cut_left};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::ops::Range;

/// A table covers at most this many events around the selected event.
const TABLE_EVENTS: u64 = 2000;
/// Approximate number of events that one row combines if each row is one attempt of a state. For each visible row, this
/// many events before the selected event are read, and half as many after it.
const FOLDED: u64 = 12;
/// Maximum number of events after the shown rows in which the ends of the shown visits are searched.
const AHEAD: u64 = 2000;

/// The way in which the timeline lists the events: as a list or a table, and what each row contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Listing {
    /// One row for all events of one attempt of a state.
    #[default]
    States,
    /// One row for each event.
    Events,
    /// A table with one row per visit, in the order of the visits.
    Table,
    /// A table with one row per visit, the longest visit first.
    Longest,
}

/// The first event of the selected row, and the visible rows. Each row has its first event, or `None` if it is a
/// heading.
type Drawn = (Option<u64>, Vec<(Option<u64>, Line)>);

/// The timeline pane.
#[derive(Clone, Debug, Default)]
pub struct TimelinePane {
    /// Run and event at the last draw. When the event changes, the pane selects the new event.
    drawn_at: Option<(u32, u64)>,
    selection: Option<u64>,
    height: usize,
    /// Scroll position in the list of the recording's events that follow the first difference between recording and
    /// run.
    rest: RecordedRest,
    listing: Listing,
    /// The first event of each row around the selected row, at the last draw.
    numbers: Vec<u64>,
    /// Events that match a search; only these are shown.
    matched: Option<Matched>,
}

/// True if a row shows a stage that has no field and so only passes its value on. This row tells nothing and is hidden.
/// Always false at level TRACE, and for the row of the current event.
fn is_quiet(paint: &Paint, row: &VisitRow) -> bool {
    let VisitRow::Event(row) = row else {
        return false;
    };
    let EventKind::Stage(
        stage @ (Stage::AfterInputPath
        | Stage::AfterParameters
        | Stage::AfterArguments
        | Stage::AfterResultSelector),
    ) = row.kind
    else {
        return false;
    };
    let state = row.state.and_then(|id| paint.definition.state(id));
    let step = state.and_then(|state| state.step(stage));
    paint.level != Level::Trace
        && row.number != paint.view.header.event
        && step.is_none_or(|step| step.written.is_none())
}

impl TimelinePane {
    fn note_position(&mut self, paint: &Paint) {
        let header = &paint.view.header;
        let position = Some((header.run, header.event));
        if self.drawn_at != position {
            self.drawn_at = position;
            self.selection = None;
        }
    }

    /// Number of the event that the user selected, otherwise of the current event; 0 before the first event.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> u64 {
        let header = &paint.view.header;
        let unmoved = self.drawn_at == Some((header.run, header.event));
        self.selection
            .filter(|_| unmoved)
            .unwrap_or(header.event)
            .min(header.event_count)
    }

    /// Selects an event.
    pub fn select(&mut self, paint: &Paint, number: u64) {
        self.note_position(paint);
        self.selection = Some(number);
    }

    /// Switches to the next way of listing the events.
    pub fn toggle_view(&mut self) {
        self.listing = match self.listing {
            Listing::States => Listing::Events,
            Listing::Events => Listing::Table,
            Listing::Table => Listing::Longest,
            Listing::Longest => Listing::States,
        };
    }

    /// The visible rows of a list of events or attempts, each with its first event; and the first event of the selected
    /// row.
    fn row_lines(&mut self, paint: &Paint, cells: usize) -> Drawn {
        let shown = self.shown_rows(paint);
        let columns = Columns::new(paint, cells);
        let lines = shown.iter().map(|row| match row {
            VisitRow::Event(event) => (Some(row.number()), columns.line(paint, event)),
            VisitRow::Visit(visit) => (Some(row.number()), columns.visit_line(paint, visit)),
        });
        let at = self.row_of(self.selected(paint));
        (self.numbers.get(at).copied(), lines.collect())
    }

    /// Like `row_lines`, but for a table; the first row is the heading.
    fn table_lines(&mut self, paint: &Paint, cells: usize) -> Drawn {
        let count = paint.view.header.event_count;
        let selected = self.selected(paint);
        let from = selected.saturating_sub(TABLE_EVENTS / 2).max(1);
        let until = count.min(from.saturating_add(TABLE_EVENTS)) + 1;
        let longest_first = self.listing == Listing::Longest;
        let table = VisitTable::new(paint, (paint.rows)(from..until), longest_first);
        self.numbers = table.numbers();
        if self.numbers.is_empty() {
            return (None, Vec::new());
        }
        let here = table.here.filter(|_| self.selection.is_none());
        let shown = self.shown(here.unwrap_or(selected), self.room(paint));
        let at = here.or_else(|| self.numbers.get(self.row_of(selected)).copied());
        let numbers = self.numbers.get(shown.clone()).unwrap_or_default();
        let numbers = std::iter::once(None).chain(numbers.iter().map(|number| Some(*number)));
        let lines = table.lines(paint, shown, cells);
        (at, numbers.zip(lines).collect())
    }

    /// Number of rows that fit into the pane. The heading of a table does not count.
    fn room(&self, paint: &Paint) -> usize {
        match self.is_table(paint) {
            true => self.height.saturating_sub(1).max(1),
            false => self.height,
        }
    }

    /// Shows only the events that contain a text; `matching` is the text and the numbers of these events. `None` shows
    /// all events again.
    pub fn show_matching(&mut self, paint: &Paint, matching: Option<(String, Vec<u64>)>) {
        self.matched = matching.map(|(wanted, numbers)| Matched::new(paint, wanted, numbers));
    }

    fn matched(&self, paint: &Paint) -> Option<&Matched> {
        self.matched.as_ref().filter(|matched| matched.is_of(paint))
    }

    fn is_table(&self, paint: &Paint) -> bool {
        let is_table = matches!(self.listing, Listing::Table | Listing::Longest);
        is_table && self.matched(paint).is_none()
    }

    /// The rows around the selected event, before they are cut to the height of the pane.
    fn shown_rows(&mut self, paint: &Paint) -> Vec<VisitRow> {
        let count = paint.view.header.event_count;
        let selected = self.selected(paint);
        let mut made = Vec::new();
        self.numbers = match (self.matched(paint), self.listing) {
            (Some(matched), _) => matched.numbers.clone(),
            (None, Listing::States) => {
                made = self.folded(paint);
                made.iter().map(VisitRow::number).collect()
            }
            (None, _) => {
                let around = self.height as u64;
                let from = selected.saturating_sub(around).max(1);
                (from..=count.min(selected.saturating_add(around))).collect()
            }
        };
        let shown = self.shown(selected, self.height);
        let events = |number: u64| {
            let rows = (paint.rows)(number..number + 1).into_iter();
            rows.map(VisitRow::Event)
        };
        if made.is_empty() {
            let numbers = self.numbers.get(shown).unwrap_or_default();
            return numbers.iter().flat_map(|number| events(*number)).collect();
        }
        made.into_iter()
            .skip(shown.start)
            .take(shown.len())
            .collect()
    }

    /// The events around the selected event, with one row for each attempt of a state.
    fn folded(&self, paint: &Paint) -> Vec<VisitRow> {
        let count = paint.view.header.event_count;
        let selected = self.selected(paint);
        let around = (self.height as u64).clamp(8, 80).saturating_mul(FOLDED);
        let from = selected.saturating_sub(around).max(1);
        let until = count.min(selected.saturating_add(around / 2)) + 1;
        let mut folding = Folding::new(paint.view.header.event);
        folding.show((paint.rows)(from..until));
        let mut ahead = until;
        while ahead <= count && ahead < until.saturating_add(AHEAD) && folding.is_open() {
            let end = count.saturating_add(1).min(ahead.saturating_add(AHEAD / 8));
            folding.look_ahead((paint.rows)(ahead..end));
            ahead = end;
        }
        let mut rows = folding.rows(ahead <= count);
        rows.retain(|row| !is_quiet(paint, row));
        rows
    }

    /// Indices of the rows to show on `room` screen rows.
    fn shown(&self, selected: u64, room: usize) -> Range<usize> {
        let (at, room) = (self.row_of(selected), room.max(1));
        let len = self.numbers.len();
        let top = scroll(at.saturating_sub(room * 3 / 4), at, len, room);
        top..len.min(top + room)
    }

    /// Index of the row that contains this event, among the rows of the last draw.
    fn row_of(&self, number: u64) -> usize {
        let firsts = self.numbers.iter().enumerate();
        let before = firsts.filter(|(_, first)| **first <= number);
        before
            .max_by_key(|(_, first)| **first)
            .map_or(0, |(place, _)| place)
    }
}

impl Surface for TimelinePane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        self.note_position(paint);
        if paint.view.header.event_count == 0 {
            say(paint, area, buffer, "no events yet: c runs, s steps");
            return;
        }
        let (area, rest) = split_rest(paint, area);
        if let Some(rest) = rest {
            self.rest.draw(paint, rest, buffer);
        }
        let (list, below) = list_area(area);
        slider(paint, area.width.into()).draw(paint.brush(), below, buffer);
        self.height = list.height.into();
        let selected = self.selected(paint);
        let is_table = self.is_table(paint);
        let (at, lines) = match is_table {
            true => self.table_lines(paint, list.width.into()),
            false => self.row_lines(paint, list.width.into()),
        };
        if lines.is_empty() {
            return say(paint, area, buffer, "no state entered yet");
        }
        let skipped = usize::from(is_table && self.height < 2);
        for ((number, line), y) in lines.into_iter().skip(skipped).zip(list.rows()) {
            line.selected(number == at && selected > 0, paint.focused)
                .dim(number > Some(paint.view.header.event))
                .draw(paint.brush(), y, buffer);
        }
    }

    fn title(&self, paint: &Paint) -> (String, String) {
        let header = &paint.view.header;
        if let Some(matched) = self.matched(paint) {
            return ("Timeline".to_owned(), matched.title(self.selected(paint)));
        }
        let view = match self.listing {
            Listing::States => "[states] events table",
            Listing::Events => "states [events] table",
            Listing::Table => "states events [table]",
            Listing::Longest => "states events [table, longest first]",
        };
        let ahead = usize::try_from(header.event_count.saturating_sub(header.event));
        let words = match ahead.unwrap_or(usize::MAX) {
            0 => view.to_owned(),
            ahead => format!(
                "{view}  {events} recorded later",
                events = count(ahead, "event")
            ),
        };
        ("Timeline".to_owned(), words)
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.note_position(paint);
        let selected = self.selected(paint);
        let count = paint.view.header.event_count;
        if self.rest.motion(paint, motion, selected == count) {
            return;
        }
        self.selection = match motion {
            // The first and the last event are selected by number, because only events around the selected event have
            // rows.
            Motion::Home if self.matched(paint).is_none() => Some(1.min(count)),
            Motion::End if self.matched(paint).is_none() => Some(count),
            _ => {
                let page = self.height.saturating_sub(1);
                let row = moved(motion, self.row_of(selected), self.numbers.len(), page);
                self.numbers.get(row).copied()
            }
        };
    }

    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        let header = &paint.view.header;
        self.note_position(paint);
        let (area, _) = split_rest(paint, area);
        if !area.contains(at) || header.event_count == 0 {
            return Click::Nothing;
        }
        let (list, _) = list_area(area);
        if at.y >= list.bottom() {
            let inner = slider_width(paint, usize::from(area.width));
            let place = usize::from(at.x - area.x).saturating_sub(1).min(inner);
            let number = u128::from(header.event_count) * place as u128 / (inner.max(1) as u128);
            return Click::Event(u64::try_from(number).unwrap_or(header.event_count));
        }
        self.height = list.height.into();
        let room = self.room(paint);
        let head = self.height - room;
        let place = usize::from(at.y - area.y).checked_sub(head);
        let shown = self.shown(self.selected(paint), room);
        let place = place.and_then(|place| shown.into_iter().nth(place));
        match place.and_then(|place| self.numbers.get(place)) {
            Some(number) => {
                self.selection = Some(*number);
                Click::Selected
            }
            None => Click::Nothing,
        }
    }

    fn follow(&mut self) {
        self.selection = None;
    }
}

/// Splits the timeline: the area for the list of events, and the row of the slider below it.
fn list_area(area: Rect) -> (Rect, Rect) {
    cut_bottom(area, u16::from(area.height >= 4))
}

/// Minimum number of columns for showing the events of the recording beside the events of the run instead of below
/// them.
const BESIDE: u16 = 130;
/// Minimum number of rows of the timeline for showing the recording's events.
const LEAST: u16 = 6;

/// Scroll position in the recording's remaining events, which follow the first difference between recording and run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordedRest {
    top: usize,
    height: usize,
}

fn rows<'p>(paint: &Paint<'p>) -> &'p [RecordedRow] {
    let recorded = paint.view.recorded.as_ref();
    recorded.map_or(&[], |recorded| &recorded.rest)
}

/// Splits the pane: the area for the run's events, and the area for the recording's remaining events if there are any.
fn split_rest(paint: &Paint, area: Rect) -> (Rect, Option<Rect>) {
    let count = u16::try_from(rows(paint).len()).unwrap_or(u16::MAX);
    if count == 0 || area.height < LEAST {
        return (area, None);
    }
    if area.width >= BESIDE {
        let (left, rest) = cut_left(area, area.width / 2);
        return (left, Some(cut_left(rest, 1).1));
    }
    let height = count.saturating_add(1).min((area.height / 2).max(3));
    let (upper, lower) = cut_bottom(area, height);
    (upper, Some(lower))
}

impl RecordedRest {
    /// Draws the remaining events of the recording, with a heading.
    pub(super) fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let rows = rows(paint);
        self.height = usize::from(area.height).saturating_sub(1);
        self.top = self.top.min(rows.len().saturating_sub(self.height));
        let shown: Vec<&RecordedRow> = rows.iter().skip(self.top).take(self.height).collect();
        let left = rows.len().saturating_sub(self.top + self.height);
        let more = match left {
            0 => String::new(),
            left => format!("  {left} more events below (Down continues, :recording lists all)"),
        };
        let begins = rows.first().map_or(0, |row| row.id);
        let heading = format!("on AWS, from event #{begins} on");
        let heading = Line::new()
            .text(heading, Role::Changed)
            .text(more, Role::Dim);
        let lines = shown.into_iter().map(|row| {
            let role = match row.id == begins {
                true => Role::Changed,
                false => Role::Text,
            };
            let time = row.time.filter(|_| area.width >= 60);
            Line::new()
                .column(format!("#{}", row.id), 12, role)
                .column(time.map_or_else(String::new, clock), 16, Role::Dim)
                .column(&*row.type_name, 26, role)
                .column(visible(&row.state), usize::from(area.width) / 4, Role::Text)
                .text(visible(&row.data), Role::Dim)
        });
        let mut lines: Vec<Line> = lines.collect();
        align(&mut lines);
        for (line, y) in std::iter::once(heading).chain(lines).zip(area.rows()) {
            line.draw(paint.brush(), y, buffer);
        }
    }

    /// Scrolls the recording's remaining events if the selection is at the end of the run's events; returns true if it
    /// scrolled.
    pub(super) fn motion(&mut self, paint: &Paint, motion: Motion, is_at_end: bool) -> bool {
        let scrolls = matches!(
            motion,
            Motion::Up | Motion::Down | Motion::PageUp | Motion::PageDown
        );
        let tops = rows(paint).len().saturating_sub(self.height) + 1;
        let to = moved(motion, self.top, tops, self.height.max(2) - 1);
        let moves = scrolls && is_at_end && to != self.top;
        if moves {
            self.top = to;
        }
        moves
    }
}
