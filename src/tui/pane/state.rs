//! What follows for the state by its type: retriers, catchers, rules, items, lanes, deadline.
//!
//! It must not know keys, borders or the session.

use super::difference_line::difference_lines;
use super::end_line::{end_lines, left_out_lines, went_well};
use super::handling_line::handling_lines;
use super::line::{Line, count, moved, scroll, span_of_time, style, width};
use super::rule_form::{Form, forms};
use super::rule_line::{deciding, opened, rule_lines, to_be_taken};
use super::state_line::{
    Columns, List, detail_lines, item_line, lane_line, not_entered, state_name, summary_lines,
    wait_lines,
};
use super::state_row::Row;
use super::task_line::next_answer;
use super::{Click, Motion, Paint};
use crate::definition::{StateId, Unit};
use crate::interpreter::FrameId;
use crate::session::view::{EndView, HandlingView, OperandView, StatePane as Content, reason};
use crate::source::Span;
use crate::tui::border::wrapped;
use crate::tui::theme::Role;
use crate::wording;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The state pane.
#[derive(Clone, Debug, Default)]
pub struct StatePane {
    of: Option<StateId>,
    selection: Option<Row>,
    top: usize,
    height: usize,
    width: usize,
    /// How many lines there are.
    len: usize,
    /// How the first rules are drawn, where not all of them have room: what decided is not seen otherwise.
    forms: Vec<Form>,
    out_of_sight: Option<String>,
}

/// It never needs more columns than these: what is longer is read wrapped.
const MOST: usize = 78;
/// Columns of its number and the blanks beside its title.
const TITLE: usize = 6;

impl StatePane {
    fn note_position(&mut self, paint: &Paint) {
        let state = paint.view.data.state;
        if self.of != state {
            self.of = state;
            self.selection = None;
            self.top = 0;
            self.forms.clear();
        }
    }

    fn list(&self, paint: &Paint, cells: usize, forms: &[Form]) -> List {
        let mut list = List::default();
        let say = |list: &mut List, text: &str| {
            list.say(Line::new().text(text, style(paint.theme, Role::Dim)));
        };
        if let Some(found) = paint
            .view
            .recorded
            .as_ref()
            .and_then(|own| own.difference.as_ref())
            && paint.view.header.event >= found.number
        {
            difference_lines(paint, found, cells, &mut list);
        }
        if let Some(end) = &paint.view.end {
            end_lines(paint, end, cells, &mut list);
        }
        let plain = match &paint.view.state {
            Content::Nothing => true,
            Content::Task(handling) => is_plain(handling),
            _ => false,
        };
        // Behind what the run came to, what is of the state says so.
        let own = paint.view.data.state.filter(|_| paint.view.end.is_some());
        let is_alike = plain || matches!(paint.view.state, Content::Wait { .. });
        if let Some(state) = own
            .and_then(|id| paint.definition.state(id))
            .filter(|_| is_alike)
        {
            let title = style(paint.theme, Role::Title);
            list.say(Line::new().text(&*state.name, title));
        }
        // Of a plain state the details say it.
        if paint.view.data.state.is_some() && paint.view.data.visit.is_none() && !plain {
            say(&mut list, not_entered(paint));
        }
        match &paint.view.state {
            Content::Nothing => match paint
                .view
                .data
                .state
                .and_then(|id| paint.definition.state(id))
            {
                None => say(&mut list, "not reached"),
                Some(state) => detail_lines(paint, state, cells, &mut list),
            },
            Content::Task(handling) => {
                if let Some(mock) = &paint.view.to_come.next {
                    list.say(next_answer(paint, mock, cells));
                }
                handling_lines(paint, handling, cells, &mut list);
                let own = paint.view.data.state;
                let own = own.filter(|_| is_plain(handling));
                if let Some(state) = own.and_then(|id| paint.definition.state(id)) {
                    detail_lines(paint, state, cells, &mut list);
                }
            }
            Content::Choice(rules) => {
                if rules.is_empty() {
                    say(&mut list, "no rules");
                }
                let next = to_be_taken(rules);
                for (place, rule) in rules.iter().enumerate() {
                    let chosen = match self.selection {
                        Some(Row::Rule(own) | Row::Test(own, _)) => own == place,
                        _ => false,
                    };
                    let form = forms.get(place).copied().filter(|_| !chosen);
                    let form = (form.unwrap_or_default(), cells);
                    rule_lines(paint, (place, rule), next == Some(place), form, &mut list);
                }
            }
            Content::Wait { .. } => wait_lines(paint, &paint.view.state, cells, &mut list),
            Content::Parallel { lanes, handling } => {
                if lanes.is_empty() {
                    say(&mut list, "no branch has started");
                }
                let names = lanes.iter().map(|lane| state_name(paint, lane.state));
                let names = names.map(|name| width(&name)).max().unwrap_or(0);
                for lane in lanes {
                    // What became of it is read also beside a long name.
                    let line = lane_line(paint, lane, names.min(cells / 2));
                    list.row(Row::Lane(lane.index), line);
                }
                handling_lines(paint, handling, cells, &mut list);
            }
            Content::Map {
                items,
                summary,
                total,
                fitting,
                filter,
                column,
                no_items,
                handling,
            } => {
                if let Some(none) = no_items {
                    let own = style(paint.theme, Role::Warning);
                    for part in wrapped(&wording::no_items(none, unit(paint)), cells) {
                        list.say(Line::new().text(part, own));
                    }
                } else if items.is_empty() && summary.is_empty() {
                    say(&mut list, &format!("no {} has started", unit(paint)));
                } else {
                    for line in summary_lines(paint, summary, &unit(paint).counted(*total), cells) {
                        list.say(line);
                    }
                }
                let columns = Columns::of(items, *total, cells);
                if let Some(fitting) = fitting {
                    say(
                        &mut list,
                        &format!("{fitting} of {total} contain \"{filter}\"; an empty / shows all"),
                    );
                }
                if let Some(column) = column {
                    say(&mut list, &format!("with {column}"));
                }
                for item in items {
                    let line = item_line(paint, item, columns, cells);
                    list.row(Row::Item(item.index), line);
                }
                let all = fitting.unwrap_or(*total) as usize;
                if items.len() < all {
                    let more = all - items.len();
                    say(
                        &mut list,
                        &format!("  and {more} more, not listed; / filters"),
                    );
                }
                handling_lines(paint, handling, cells, &mut list);
            }
        }
        // Where a run failed, the state that it failed in tells more than those behind it.
        if let Some(end) = paint.view.end.as_ref().filter(|_| !went_well(paint)) {
            left_out_lines(paint, end, cells, &mut list);
        }
        list
    }

    /// The line that is selected: what was selected, else what takes the error, is taken or will be, else the first.
    fn selected_line(&self, paint: &Paint, list: &List) -> Option<(usize, Row)> {
        let rows = list.rows();
        let unmoved = self.of == paint.view.data.state;
        let selection = self.selection.filter(|_| unmoved);
        let by = |wanted: Row| rows.iter().find(|(_, row)| *row == wanted).copied();
        selection
            .and_then(by)
            // After the end one reads what it was from its first line on.
            .or_else(|| by(taken(&paint.view.state).filter(|_| paint.view.end.is_none())?))
            .or_else(|| rows.first().copied())
    }

    /// Columns that it needs.
    pub fn need(&mut self, paint: &Paint) -> u16 {
        self.note_position(paint);
        let lines = self.list(paint, MOST, &[]).lines.into_iter();
        let most = lines.map(|(_, line)| line.width()).max().unwrap_or(0);
        let title = width(&self.title(paint).0) + TITLE;
        super::line::cells(most.max(title).min(MOST))
    }

    /// How many rows it has where so many columns are there for it.
    #[must_use]
    pub fn rows(&self, paint: &Paint, columns: u16) -> u16 {
        super::line::cells(self.list(paint, columns.into(), &[]).lines.len())
    }

    /// Whether it says more than what the state is.
    #[must_use]
    pub fn says_more(&self, paint: &Paint) -> bool {
        match &paint.view.state {
            Content::Nothing => paint.view.end.is_some(),
            Content::Task(handling) => !is_plain(handling),
            Content::Choice(_) | Content::Wait { .. } | Content::Parallel { .. } => true,
            Content::Map { .. } => true,
        }
    }

    /// Whether it is here that one reads why the run goes the way it goes.
    #[must_use]
    pub fn decides(&self, paint: &Paint) -> bool {
        matches!(paint.view.state, Content::Choice(_)) || paint.view.end.is_some()
    }

    /// Which rule decides, where its row is out of sight.
    #[must_use]
    pub fn out_of_sight(&self) -> Option<&str> {
        self.out_of_sight.as_deref()
    }

    /// How many rows are not seen, above and below.
    pub fn hidden(&self) -> (usize, usize) {
        let below = self.len.saturating_sub(self.top + self.height);
        (self.top.min(self.len), below)
    }

    /// Draws it inside `area`.
    pub fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        self.note_position(paint);
        self.width = usize::from(area.width);
        self.height = usize::from(area.height);
        let whole = self.list(paint, self.width, &[]);
        self.forms = self.fitting(paint, &whole);
        let list = match self.forms.is_empty() {
            true => whole,
            false => self.list(paint, self.width, &self.forms),
        };
        let selected = self.selected_line(paint, &list).map(|(line, _)| line);
        self.show(&list, selected);
        self.len = list.lines.len();
        self.out_of_sight = self.decision(paint).and_then(|(place, said)| {
            // What came of it stands in its last line.
            let last = list.begins().get(place + 1)?.checked_sub(1)?;
            let seen = (self.top..self.top + self.height).contains(&last);
            (!seen).then_some(said)
        });
        let lines = list.lines.into_iter().enumerate().skip(self.top);
        for (y, (place, (_, line))) in area.rows().zip(lines) {
            line.selected(Some(place) == selected, paint.focused)
                .draw(paint, y, buffer);
        }
    }

    /// The place of the rule that decides, and what there is to say of it in a word.
    fn decision(&self, paint: &Paint) -> Option<(usize, String)> {
        let Content::Choice(rules) = &paint.view.state else {
            return None;
        };
        let decided = deciding(rules);
        let place = decided.or_else(|| to_be_taken(rules))?;
        let rule = rules.get(place)?;
        let name = match rule.index {
            Some(index) => format!("[{index}]"),
            None if rule.absent => return Some((place, "no rule matches".to_owned())),
            None => "Default".to_owned(),
        };
        let what = match decided {
            Some(_) if rule.taken => "taken",
            Some(_) => "failed",
            None => "will be taken",
        };
        Some((place, format!("{name} {what}")))
    }

    /// The forms in which the last line of the rule that decides is seen.
    fn fitting(&self, paint: &Paint, whole: &List) -> Vec<Form> {
        let Content::Choice(rules) = &paint.view.state else {
            return Vec::new();
        };
        let open = opened(rules);
        let begins = whole.begins();
        let decides = deciding(rules).or_else(|| to_be_taken(rules));
        let last = decides.unwrap_or(rules.len().saturating_sub(1));
        let before = begins.first().copied().unwrap_or(0);
        if begins.get(last + 1).is_none_or(|end| *end <= self.height) {
            return Vec::new();
        }
        let room = self.height.saturating_sub(before).max(self.height / 2);
        let next = to_be_taken(rules);
        forms(rules, (open, last), room, |place, form| {
            let mut own = List::default();
            if let Some(rule) = rules.get(place) {
                let is_next = next == Some(place);
                rule_lines(paint, (place, rule), is_next, (form, self.width), &mut own);
            }
            own.lines.len()
        })
    }

    fn show(&mut self, list: &List, selected: Option<usize>) {
        let rows = list.rows();
        let line = selected.unwrap_or(0);
        let first = rows.first().is_none_or(|(place, _)| *place == line);
        let last = rows.last().is_some_and(|(place, _)| *place == line);
        self.top = scroll(self.top, line, list.lines.len(), self.height);
        // Of a rule its last line says what came of it.
        let begins = list.begins();
        let own = begins.iter().position(|begin| *begin == line);
        if let Some(end) = own.and_then(|own| begins.get(own + 1).copied()) {
            self.top = self.top.max(end.saturating_sub(self.height)).min(line);
        }
        if first && line < self.height {
            self.top = 0;
        }
        if last {
            let end = list.lines.len().saturating_sub(self.height);
            self.top = end.min(line).max(self.top);
        }
    }

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, paint: &Paint) -> (String, String) {
        let state = paint
            .view
            .data
            .state
            .and_then(|id| paint.definition.state(id));
        let left = match state {
            Some(state) => format!(
                "{}  {}",
                state.caption(),
                super::line::clip(&state.name, 32, paint.glyphs)
            ),
            None => "State".to_owned(),
        };
        let handled = |handling: &HandlingView| {
            let parts = [
                (handling.retriers.len(), "retrier"),
                (handling.catchers.len(), "catcher"),
            ];
            let parts = parts.into_iter().filter(|(number, _)| *number > 0);
            let words: Vec<String> = parts.map(|(number, word)| count(number, word)).collect();
            words.join(", ")
        };
        let right = match &paint.view.state {
            Content::Nothing => String::new(),
            Content::Task(handling) => handled(handling),
            Content::Choice(rules) => {
                let rules = rules.iter().filter(|rule| rule.index.is_some()).count();
                count(rules, "rule")
            }
            Content::Wait {
                no_wait: Some(_), ..
            } => "does not wait".to_owned(),
            Content::Wait { since, until, .. } => until.map_or_else(String::new, |until| {
                span_of_time(until.saturating_sub(*since))
            }),
            Content::Parallel { lanes, .. } => match lanes.len() {
                1 => "1 branch".to_owned(),
                number => format!("{number} branches"),
            },
            Content::Map {
                total: 0,
                no_items: None,
                ..
            } => String::new(),
            Content::Map { total, .. } => unit(paint).counted(*total),
        };
        (left, right)
    }

    /// Moves the selection.
    pub fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.note_position(paint);
        let list = self.list(paint, self.width, &self.forms);
        let rows = list.rows();
        let Some((line, _)) = self.selected_line(paint, &list) else {
            return;
        };
        let at = rows.partition_point(|(place, _)| *place < line);
        let row = moved(motion, at, rows.len(), self.height.saturating_sub(1));
        self.selection = rows.get(row).map(|(_, row)| *row);
    }

    /// Selects the row there.
    pub fn click(&mut self, paint: &Paint, area: Rect, column: u16, row: u16) -> Click {
        if !area.contains((column, row).into()) {
            return Click::Nothing;
        }
        self.note_position(paint);
        let list = self.list(paint, usize::from(area.width), &self.forms);
        let line = self.top + usize::from(row - area.y);
        if line >= list.lines.len() {
            return Click::Nothing;
        }
        let above = list.lines.iter().take(line + 1).rev();
        match above.into_iter().find_map(|(row, _)| *row) {
            Some(row) => {
                self.selection = Some(row);
                match self.frame(paint) {
                    Some(frame) => Click::Frame(frame),
                    None => Click::Selected,
                }
            }
            None => Click::Nothing,
        }
    }

    /// Whether there is something to go to.
    #[must_use]
    pub fn has_rows(&self, view: &crate::session::view::View) -> bool {
        let handles = |handling: &HandlingView| -> bool {
            !handling.retriers.is_empty()
                || !handling.catchers.is_empty()
                || !handling.attempts.is_empty()
        };
        let told = |end: &EndView| {
            let events = end.errors.len() + end.no_waits.len() + end.no_items.len();
            let has_events = events > 0;
            has_events || !end.left_out.is_empty()
        };
        if view.end.as_ref().is_some_and(told) {
            return true;
        }
        match &view.state {
            Content::Nothing | Content::Wait { .. } => false,
            Content::Task(handling) => handles(handling),
            Content::Choice(rules) => !rules.is_empty(),
            Content::Parallel { lanes, handling } => !lanes.is_empty() || handles(handling),
            Content::Map {
                items, handling, ..
            } => !items.is_empty() || handles(handling),
        }
    }

    /// What is selected.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<Row> {
        let list = self.list(paint, self.width, &self.forms);
        self.selected_line(paint, &list).map(|(_, row)| row)
    }

    /// The frame of the selected item or branch, while it lives.
    #[must_use]
    pub fn frame(&self, paint: &Paint) -> Option<FrameId> {
        match (self.selected(paint)?, &paint.view.state) {
            (Row::Item(index), Content::Map { items, .. }) => {
                items.iter().find(|item| item.index == index)?.frame
            }
            (Row::Lane(index), Content::Parallel { lanes, .. }) => {
                lanes.iter().find(|lane| lane.index == index)?.frame
            }
            _ => None,
        }
    }

    /// The test of a Choice to ask about: the one that is selected, or that which tells most of the selected rule.
    #[must_use]
    pub fn test<'v>(&self, paint: &Paint<'v>) -> Option<&'v OperandView> {
        let Content::Choice(rules) = &paint.view.state else {
            return None;
        };
        let found = match self.selected(paint)? {
            // Of Default the others tell why.
            Row::Rule(place) if rules.get(place)?.index.is_none() => {
                Some(reason(rules, place)?.test)
            }
            Row::Rule(place) => rules.get(place)?.telling(),
            Row::Test(place, test) => rules.get(place)?.operands.get(test),
            _ => None,
        };
        found.filter(|test| !test.paths.is_empty())
    }

    /// Selects a row that a state had.
    pub fn select(&mut self, state: Option<StateId>, row: Row) {
        *self = Self {
            of: state,
            selection: Some(row),
            ..Self::default()
        };
    }

    /// Where the selected row stands in the text.
    #[must_use]
    pub fn span(&self, paint: &Paint) -> Option<Span> {
        let handling = match &paint.view.state {
            Content::Task(handling)
            | Content::Parallel { handling, .. }
            | Content::Map { handling, .. } => Some(handling),
            _ => None,
        };
        match (self.selected(paint)?, &paint.view.state) {
            (Row::Retrier(place), _) => Some(handling?.retriers.get(place)?.span),
            (Row::Catcher(place), _) => Some(handling?.catchers.get(place)?.span),
            (Row::Rule(place), Content::Choice(rules)) => rules.get(place)?.span,
            (Row::Test(place, test), Content::Choice(rules)) => {
                let rule = rules.get(place)?;
                rule.operands.get(test)?.span.or(rule.span)
            }
            (Row::LeftOut(state, _), _) => Some(paint.definition.state(state)?.name_span),
            _ => None,
        }
    }
}

/// What the Map that is looked at runs its processor for.
fn unit(paint: &Paint) -> Unit {
    let map = paint.view.data.state;
    map.map_or(Unit::Item, |id| paint.definition.unit(id))
}

/// Whether nothing retries or catches what fails there.
fn is_plain(handling: &HandlingView) -> bool {
    handling.retriers.is_empty() && handling.catchers.is_empty()
}

fn taken(content: &Content) -> Option<Row> {
    match content {
        Content::Task(handling) => {
            let retrier = handling.retriers.iter().position(|retrier| retrier.takes);
            let catcher = handling.catchers.iter().position(|catcher| catcher.takes);
            retrier.map(Row::Retrier).or(catcher.map(Row::Catcher))
        }
        Content::Choice(rules) => deciding(rules)
            .or_else(|| to_be_taken(rules))
            .map(Row::Rule),
        _ => None,
    }
}
