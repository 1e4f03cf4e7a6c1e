//! The recorded events, folded under their states, as rows or as a table of visits, with a slider.
//!
//! It must not know keys, borders or the session.

use super::line::{count, moved, say};
use super::matched::Matched;
use super::recorded_rest::{self, RecordedRest};
use super::slider::{slider, slider_width};
use super::timeline_column::{Columns, Widths};
use super::visit_row::{Folding, VisitRow};
use super::visit_table::{self, VisitTable};
use super::{Click, Motion, Paint};
use crate::session::view::EventRow;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;

/// Gives the recorded events of these numbers (from 1).
pub type Rows<'a> = dyn Fn(Range<u64>) -> Vec<EventRow> + 'a;

/// Number of events around the selected one from which the table is made.
const TABLE_EVENTS: u64 = 2000;
/// Events of a visit, about: so many are folded before the selected one for each row there is, half as many after it.
const FOLDED: u64 = 12;
/// Events behind those that are folded that are looked at for what came of these.
const AHEAD: u64 = 2000;

/// How the events are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Listing {
    /// Those of a state and attempt as one row.
    #[default]
    States,
    /// Each by itself.
    Events,
    /// Visits in a table.
    Table,
    /// The same, those first that took longest.
    Longest,
}

/// The timeline pane.
#[derive(Clone, Debug, Default)]
pub struct TimelinePane {
    /// The run and event of the cursor at the last draw: when it moves, the pane follows it again.
    drawn_at: Option<(u32, u64)>,
    selection: Option<u64>,
    /// The number of the first row shown.
    top: u64,
    height: u64,
    /// What was recorded on AWS from the first difference on.
    rest: RecordedRest,
    listing: Listing,
    /// First event of each row, as last drawn; empty where each event is a row.
    visits: Vec<u64>,
    /// The events that hold a text, which alone are shown.
    matched: Option<Matched>,
    /// How wide the columns of this run have come to be: they never get narrower, so that nothing jumps.
    widths: (u32, Widths),
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

    /// The selected event; the cursor until another is selected. 0 is before the first.
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

    /// Goes back to following the cursor.
    pub fn follow(&mut self) {
        self.selection = None;
    }

    /// States, events or table.
    pub fn toggle_view(&mut self) {
        self.visits = Vec::new();
        self.listing = match self.listing {
            Listing::States => Listing::Events,
            Listing::Events => Listing::Table,
            Listing::Table => Listing::Longest,
            Listing::Longest => Listing::States,
        };
    }

    /// Draws it inside `area`.
    pub fn draw(&mut self, paint: &Paint, rows: &Rows, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        self.note_position(paint);
        if paint.view.header.event_count == 0 {
            say(paint, area, buffer, "no events yet: c runs, s steps");
            return;
        }
        let (area, rest) = recorded_rest::split(paint, area);
        if let Some(rest) = rest {
            self.rest.draw(paint, rest, buffer);
        }
        let list = list_area(area);
        if list.height < area.height {
            let y = Rect {
                y: list.bottom(),
                height: 1,
                ..area
            };
            slider(paint, usize::from(area.width)).draw(paint, y, buffer);
        }
        self.height = u64::from(list.height);
        if let Some(rows) = self.matching(paint, rows) {
            return self.draw_matching(paint, &rows, list, buffer);
        }
        match self.listing {
            Listing::States => self.draw_states(paint, rows, list, buffer),
            Listing::Events => self.draw_events(paint, rows, list, buffer),
            Listing::Table | Listing::Longest => self.draw_table(paint, rows, list, buffer),
        }
    }

    /// Columns that it needs for what it would show.
    pub fn need(&mut self, paint: &Paint, rows: &Rows) -> u16 {
        self.note_position(paint);
        if paint.view.header.event_count == 0 {
            return 0;
        }
        self.height = self.height.max(8);
        if let Some(rows) = self.matching(paint, rows) {
            self.grow_by_matching(paint, &rows);
            return super::line::cells(Columns::whole(self.widths.1));
        }
        match self.listing {
            Listing::Table | Listing::Longest => return visit_table::COLUMNS,
            Listing::Events => drop(self.measured(paint, rows)),
            Listing::States => drop(self.folded(paint, rows)),
        }
        let widths = self.widths.1;
        super::line::cells(Columns::whole(widths))
    }

    /// The rows to show; the columns are as wide then as those need.
    fn measured(&mut self, paint: &Paint, rows: &Rows) -> Vec<EventRow> {
        let window = self.window(paint);
        let number = window.end.to_string().len().max(2);
        let rows = rows(window);
        self.begin_widths(paint);
        self.widths.1.grow(paint, number, &rows);
        rows
    }

    /// Shows only the events of these numbers, which hold a text; all again for none.
    pub fn show_matching(&mut self, paint: &Paint, found: Option<(String, Vec<u64>)>) {
        self.matched = found.map(|(wanted, numbers)| Matched::new(paint, wanted, numbers));
    }

    fn matched(&self, paint: &Paint) -> Option<&Matched> {
        self.matched.as_ref().filter(|own| own.is_of(paint))
    }

    /// The rows to show of the events that hold a text, where they are wanted.
    fn matching(&self, paint: &Paint, rows: &Rows) -> Option<Vec<EventRow>> {
        let matched = self.matched(paint)?;
        let (selected, room) = (self.selected(paint), usize::try_from(self.height).ok()?);
        let shown = matched.shown(selected, room).iter();
        Some(shown.flat_map(|number| rows(*number..number + 1)).collect())
    }

    fn grow_by_matching(&mut self, paint: &Paint, rows: &[EventRow]) {
        let number = paint.view.header.event_count.to_string().len().max(2);
        self.begin_widths(paint);
        self.widths.1.grow(paint, number, rows);
    }

    fn draw_matching(&mut self, paint: &Paint, rows: &[EventRow], area: Rect, buffer: &mut Buffer) {
        self.grow_by_matching(paint, rows);
        let columns = Columns::new(usize::from(area.width), self.widths.1);
        self.draw_rows(paint, &columns, rows, area, buffer);
    }

    fn begin_widths(&mut self, paint: &Paint) {
        let run = paint.view.header.run;
        if self.widths.0 != run {
            self.widths = (run, Widths::default());
        }
    }

    /// The events around the selected one, folded; the columns are as wide then as those near it need.
    fn folded(&mut self, paint: &Paint, rows: &Rows) -> Vec<VisitRow> {
        let count = paint.view.header.event_count;
        let selected = self.selected(paint);
        let around = self.height.clamp(8, 80).saturating_mul(FOLDED);
        let from = selected.saturating_sub(around).max(1);
        let until = count
            .min(selected.saturating_add(around / 2))
            .saturating_add(1);
        let mut folding = Folding::new(paint.view.header.event);
        folding.show(rows(from..until));
        let mut ahead = until;
        while ahead <= count && ahead < until.saturating_add(AHEAD) && folding.is_open() {
            let end = count.saturating_add(1).min(ahead.saturating_add(AHEAD / 8));
            folding.look_ahead(rows(ahead..end));
            ahead = end;
        }
        let is_cut = ahead <= count;
        let made = folding.rows(is_cut);
        self.visits = made.iter().map(VisitRow::number).collect();
        self.begin_widths(paint);
        let number = count.to_string().len().max(2);
        let (_, shown) = self.shown(selected, usize::try_from(self.height).unwrap_or(0));
        for row in made.get(shown).unwrap_or_default() {
            match row {
                VisitRow::Event(row) => {
                    self.widths.1.grow(paint, number, std::slice::from_ref(row));
                }
                VisitRow::Visit(visit) => self.widths.1.grow_by(paint, visit),
            }
        }
        made
    }

    /// Of the rows as last drawn, the one that an event is in, and those that so many rows show.
    fn shown(&self, number: u64, room: usize) -> (usize, Range<usize>) {
        let (at, room) = (self.row_of(number), room.max(1));
        let top = super::line::scroll(at.saturating_sub(room * 3 / 4), at, self.visits.len(), room);
        (at, top..self.visits.len().min(top + room))
    }

    fn draw_states(&mut self, paint: &Paint, rows: &Rows, area: Rect, buffer: &mut Buffer) {
        let made = self.folded(paint, rows);
        let columns = Columns::new(usize::from(area.width), self.widths.1);
        let selected = self.selected(paint);
        let (at, shown) = self.shown(selected, usize::from(area.height));
        let top = shown.start;
        let rows = made.get(shown).unwrap_or_default();
        for ((place, row), y) in rows.iter().enumerate().zip(area.rows()) {
            let line = match row {
                VisitRow::Event(row) => columns.line(paint, row),
                VisitRow::Visit(visit) => columns.visit_line(paint, visit),
            };
            line.selected(top + place == at && selected > 0, paint.focused)
                .dim(row.number() > paint.view.header.event)
                .draw(paint, y, buffer);
        }
    }

    fn window(&mut self, paint: &Paint) -> Range<u64> {
        let count = paint.view.header.event_count;
        let row = self.selected(paint).max(1);
        let margin = (self.height / 4).min(2);
        let last_top = count.saturating_add(1).saturating_sub(self.height).max(1);
        let least = row
            .saturating_add(margin)
            .min(count)
            .saturating_add(1)
            .saturating_sub(self.height);
        let most = row.saturating_sub(margin).max(1);
        self.top = self.top.max(least).min(most.max(least)).clamp(1, last_top);
        self.top
            ..count
                .min(self.top.saturating_add(self.height).saturating_sub(1))
                .saturating_add(1)
    }

    fn draw_events(&mut self, paint: &Paint, rows: &Rows, area: Rect, buffer: &mut Buffer) {
        let rows = self.measured(paint, rows);
        let columns = Columns::new(usize::from(area.width), self.widths.1);
        self.draw_rows(paint, &columns, &rows, area, buffer);
    }

    fn draw_rows(
        &self,
        paint: &Paint,
        columns: &Columns,
        rows: &[EventRow],
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let selected = self.selected(paint);
        for (y, row) in area.rows().zip(rows) {
            columns
                .line(paint, row)
                .selected(row.number == selected && selected > 0, paint.focused)
                .dim(row.number > paint.view.header.event)
                .draw(paint, y, buffer);
        }
    }

    fn draw_table(&mut self, paint: &Paint, rows: &Rows, area: Rect, buffer: &mut Buffer) {
        let count = paint.view.header.event_count;
        let selected = self.selected(paint);
        let from = selected.saturating_sub(TABLE_EVENTS / 2).max(1);
        let until = count
            .min(from.saturating_add(TABLE_EVENTS))
            .saturating_add(1);
        let table = VisitTable::new(paint, rows(from..until), self.listing == Listing::Longest);
        self.visits = table.numbers();
        if self.visits.is_empty() {
            say(paint, area, buffer, "no state entered yet");
            return;
        }
        let here = table.here().filter(|_| self.selection.is_none());
        let at = here.unwrap_or_else(|| self.row_of(selected));
        table.draw(paint, at, area, buffer);
    }

    /// The row as last drawn that an event is in.
    fn row_of(&self, number: u64) -> usize {
        let firsts = self.visits.iter().enumerate();
        let before = firsts.filter(|(_, first)| **first <= number);
        before
            .max_by_key(|(_, first)| **first)
            .map_or(0, |(place, _)| place)
    }

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, paint: &Paint) -> (String, String) {
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
        let words = if header.event < header.event_count {
            let ahead = header.event_count - header.event;
            format!(
                "{view}  {} recorded ahead",
                count(usize::try_from(ahead).unwrap_or(usize::MAX), "event")
            )
        } else {
            view.to_owned()
        };
        ("Timeline".to_owned(), words)
    }

    /// Moves the selection.
    pub fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.note_position(paint);
        let selected = self.selected(paint);
        let is_at_end = selected == paint.view.header.event_count;
        if self.rest.motion(paint, motion, is_at_end) {
            return;
        }
        let page = usize::try_from(self.height.saturating_sub(1)).unwrap_or(1);
        if let Some(matched) = self.matched(paint) {
            self.selection = matched.moved(selected, motion, page);
            return;
        }
        if !self.visits.is_empty() && !matches!(motion, Motion::Home | Motion::End) {
            let at = self.row_of(selected);
            let row = moved(motion, at, self.visits.len(), page);
            self.selection = self.visits.get(row).copied();
            return;
        }
        let len = usize::try_from(paint.view.header.event_count).unwrap_or(usize::MAX);
        let row = usize::try_from(selected.max(1) - 1).unwrap_or(usize::MAX);
        self.selection = Some(moved(motion, row, len, page) as u64 + 1);
    }

    /// Selects the row there; on the slider it names the event to travel to.
    pub fn click(&mut self, paint: &Paint, area: Rect, column: u16, row: u16) -> Click {
        let header = &paint.view.header;
        if !area.contains((column, row).into()) || header.event_count == 0 {
            return Click::Nothing;
        }
        self.note_position(paint);
        let (area, _) = recorded_rest::split(paint, area);
        if !area.contains((column, row).into()) {
            return Click::Nothing;
        }
        let list = list_area(area);
        if row >= list.bottom() {
            let inner = slider_width(paint, usize::from(area.width));
            let place = usize::from(column - area.x).saturating_sub(1).min(inner);
            let number = u128::from(header.event_count) * place as u128 / (inner.max(1) as u128);
            return Click::Event(u64::try_from(number).unwrap_or(header.event_count));
        }
        self.height = u64::from(list.height);
        let place = u64::from(row - area.y);
        let matched = self.matched(paint);
        let number = if let Some(matched) = matched {
            let shown = matched.shown(self.selected(paint), usize::from(list.height));
            shown.get(usize::from(row - area.y)).copied()
        } else if self.listing == Listing::States {
            let (_, shown) = self.shown(self.selected(paint), usize::from(list.height));
            let place = shown.start + usize::try_from(place).unwrap_or(usize::MAX);
            self.visits.get(place).copied()
        } else if self.listing != Listing::Events {
            let at = self.row_of(self.selected(paint));
            let top = visit_table::top(at, self.visits.len(), list.height);
            let head = u64::from(list.height > 1);
            place
                .checked_sub(head)
                .and_then(|place| self.visits.get(top + usize::try_from(place).ok()?))
                .copied()
        } else {
            let window = self.window(paint);
            Some(window.start + place).filter(|number| window.contains(number))
        };
        match number {
            Some(number) => {
                self.selection = Some(number);
                Click::Selected
            }
            None => Click::Nothing,
        }
    }
}

/// The rows above the slider.
fn list_area(area: Rect) -> Rect {
    Rect {
        height: if area.height >= 4 {
            area.height - 1
        } else {
            area.height
        },
        ..area
    }
}
