//! What follows for the state by its type: retriers, catchers, rules, items, lanes, deadline.
//!
//! It must not know keys, borders or the session.

use super::data::preview;
use super::line::{Line, clock, count, moved, scroll, span_of_time, style, width, words};
use super::{Click, Motion, Paint};
use crate::definition::StateId;
use crate::interpreter::{FrameId, Millis};
use crate::json::Text;
use crate::session::view::{
    AttemptView, CatcherView, HandlingView, ItemView, LaneView, RetrierView, RuleView,
    StatePane as Content, StateStatus,
};
use crate::source::Span;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A rule is shown on at most so many lines.
const RULE_LINES: usize = 4;

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// A retrier, by its place.
    Retrier(usize),
    /// A catcher, by its place.
    Catcher(usize),
    /// An attempt, by its number.
    Attempt(u32),
    /// A rule, by its place in the list; Default is the last.
    Rule(usize),
    /// A branch.
    Lane(u32),
    /// An item.
    Item(u32),
}

/// The state pane.
#[derive(Clone, Debug, Default)]
pub struct StatePane {
    of: Option<StateId>,
    selection: Option<Row>,
    top: usize,
    height: usize,
    width: usize,
}

/// Lines with what they belong to; a row's first line is the one that is marked.
#[derive(Default)]
struct List {
    lines: Vec<(Option<Row>, Line)>,
}

impl List {
    fn row(&mut self, row: Row, line: Line) {
        self.lines.push((Some(row), line));
    }

    fn say(&mut self, line: Line) {
        self.lines.push((None, line));
    }

    fn rows(&self) -> Vec<(usize, Row)> {
        let lines = self.lines.iter().enumerate();
        lines
            .filter_map(|(place, (row, _))| Some((place, (*row)?)))
            .collect()
    }
}

impl StatePane {
    fn stand(&mut self, paint: &Paint) {
        let state = paint.view.data.state;
        if self.of != state {
            self.of = state;
            self.selection = None;
            self.top = 0;
        }
    }

    fn list(&self, paint: &Paint, cells: usize) -> List {
        let mut list = List::default();
        let say = |list: &mut List, text: &str| {
            list.say(Line::new().text(text, style(paint.theme, Role::Dim)));
        };
        match &paint.view.state {
            Content::Nothing => match paint
                .view
                .data
                .state
                .and_then(|id| paint.definition.state(id))
            {
                None => say(&mut list, "not reached"),
                Some(state) => say(
                    &mut list,
                    &format!(
                        "a {} state: nothing to retry, catch or wait for",
                        state.type_name()
                    ),
                ),
            },
            Content::Task(handling) => handling_lines(paint, handling, cells, &mut list),
            Content::Choice(rules) => {
                if rules.is_empty() {
                    say(&mut list, "no rules");
                }
                for (place, rule) in rules.iter().enumerate() {
                    rule_lines(paint, place, rule, cells, &mut list);
                }
            }
            Content::Wait { since, until } => wait_lines(paint, *since, *until, cells, &mut list),
            Content::Parallel { lanes, handling } => {
                if lanes.is_empty() {
                    say(&mut list, "no branch has begun");
                }
                for lane in lanes {
                    list.row(Row::Lane(lane.index), lane_line(paint, lane));
                }
                handling_lines(paint, handling, cells, &mut list);
            }
            Content::Map {
                items,
                summary,
                total,
                handling,
            } => {
                list.say(summary_line(paint, summary, *total));
                if items.is_empty() {
                    say(&mut list, "no items");
                }
                let names = items
                    .iter()
                    .map(|item| state_name(paint, item.state))
                    .map(|name| width(&name));
                let names = names.max().unwrap_or(0).min(16);
                let errors = items.iter().filter_map(|item| item.error.as_deref());
                let errors = errors.map(width).max().unwrap_or(0).min(cells / 3);
                for item in items {
                    let line = item_line(paint, item, names, errors, *total, cells);
                    list.row(Row::Item(item.index), line);
                }
                if items.len() < *total as usize {
                    let more = *total as usize - items.len();
                    say(&mut list, &format!("  and {more} more, not listed"));
                }
                handling_lines(paint, handling, cells, &mut list);
            }
        }
        list
    }

    /// The line that is selected: what was selected, else what takes the error or is taken, else the first.
    fn selected_line(&self, paint: &Paint, list: &List) -> Option<(usize, Row)> {
        let rows = list.rows();
        let stands = self.of == paint.view.data.state;
        let selection = self.selection.filter(|_| stands);
        let by = |wanted: Row| rows.iter().find(|(_, row)| *row == wanted).copied();
        selection
            .and_then(by)
            .or_else(|| by(taken(&paint.view.state)?))
            .or_else(|| rows.first().copied())
    }

    /// Draws it inside `area`.
    pub fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        self.stand(paint);
        self.width = usize::from(area.width);
        self.height = usize::from(area.height);
        let list = self.list(paint, self.width);
        let selected = self.selected_line(paint, &list).map(|(line, _)| line);
        self.show(&list, selected);
        let lines = list.lines.into_iter().enumerate().skip(self.top);
        for (y, (place, (_, line))) in area.rows().zip(lines) {
            line.selected(Some(place) == selected, paint.focused)
                .draw(paint, y, buffer);
        }
    }

    fn show(&mut self, list: &List, selected: Option<usize>) {
        let rows = list.rows();
        let line = selected.unwrap_or(0);
        let first = rows.first().is_none_or(|(place, _)| *place == line);
        let last = rows.last().is_some_and(|(place, _)| *place == line);
        self.top = scroll(self.top, line, list.lines.len(), self.height);
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
                state.type_name(),
                super::line::clip(&state.name, 32, paint.glyphs)
            ),
            None => "State".to_owned(),
        };
        let handled = |handling: &HandlingView| {
            format!(
                "{}, {}",
                count(handling.retriers.len(), "retrier"),
                count(handling.catchers.len(), "catcher")
            )
        };
        let right = match &paint.view.state {
            Content::Nothing => String::new(),
            Content::Task(handling) => handled(handling),
            Content::Choice(rules) => {
                let rules = rules.iter().filter(|rule| rule.index.is_some()).count();
                count(rules, "rule")
            }
            Content::Wait { since, until } => span_of_time(until.saturating_sub(*since)),
            Content::Parallel { lanes, .. } => match lanes.len() {
                1 => "1 branch".to_owned(),
                number => format!("{number} branches"),
            },
            Content::Map { total, .. } => count(*total as usize, "item"),
        };
        (left, right)
    }

    /// Moves the selection.
    pub fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.stand(paint);
        let list = self.list(paint, self.width);
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
        self.stand(paint);
        let list = self.list(paint, usize::from(area.width));
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

    /// What is selected.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<Row> {
        let list = self.list(paint, self.width);
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
            _ => None,
        }
    }
}

fn taken(content: &Content) -> Option<Row> {
    match content {
        Content::Task(handling) => {
            let retrier = handling.retriers.iter().position(|retrier| retrier.takes);
            let catcher = handling.catchers.iter().position(|catcher| catcher.takes);
            retrier.map(Row::Retrier).or(catcher.map(Row::Catcher))
        }
        Content::Choice(rules) => rules.iter().position(|rule| rule.taken).map(Row::Rule),
        _ => None,
    }
}

fn state_name(paint: &Paint, state: Option<StateId>) -> Text {
    state
        .and_then(|id| paint.definition.state(id))
        .map_or_else(|| "".into(), |state| state.name.clone())
}

fn handling_lines(paint: &Paint, handling: &HandlingView, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (title, dim) = (style(theme, Role::Title), style(theme, Role::Dim));
    let heading = |list: &mut List, text: &str, words: &str| {
        list.say(Line::new().text(text, title).right(words, dim));
    };
    for (name, deadline) in [
        ("times out", handling.timeout_at),
        ("heartbeat due", handling.heartbeat_at),
    ] {
        if let Some(at) = deadline {
            let left = at.saturating_sub(paint.view.header.clock);
            let waiting = style(theme, Role::Waiting);
            list.say(
                Line::new()
                    .text(format!("{name} at {}", clock(at)), waiting)
                    .right(format!("in {}", span_of_time(left)), waiting),
            );
        }
    }
    if handling.retriers.is_empty() && handling.catchers.is_empty() {
        list.say(Line::new().text("no retriers, no catchers", dim));
    } else if handling.retriers.is_empty() {
        list.say(Line::new().text("no retriers", dim));
    } else {
        heading(list, "Retry", "");
        let names = names_width(
            handling.retriers.iter().map(|retrier| &retrier.errors),
            cells.saturating_sub(22).max(8),
        );
        for (place, retrier) in handling.retriers.iter().enumerate() {
            retrier_lines(paint, place, retrier, names, list);
        }
    }
    if handling.catchers.is_empty() {
        if !handling.retriers.is_empty() {
            list.say(Line::new().text("no catchers", dim));
        }
    } else {
        heading(list, "Catch", "asked when retries run out");
        let names = names_width(
            handling.catchers.iter().map(|catcher| &catcher.errors),
            cells / 2,
        );
        for (place, catcher) in handling.catchers.iter().enumerate() {
            catcher_lines(paint, place, catcher, names, list);
        }
    }
    if handling.attempts.is_empty() {
        return;
    }
    heading(list, "Attempts", &handling.attempts.len().to_string());
    for attempt in &handling.attempts {
        list.row(Row::Attempt(attempt.number), attempt_line(paint, attempt));
    }
}

fn names_width<'a>(errors: impl Iterator<Item = &'a Vec<Text>>, most: usize) -> usize {
    errors
        .map(|errors| width(&errors.join(", ")))
        .max()
        .unwrap_or(0)
        .min(most)
}

fn retrier_lines(
    paint: &Paint,
    place: usize,
    retrier: &RetrierView,
    names: usize,
    list: &mut List,
) {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let (mark, role) = match (retrier.takes, retrier.used >= retrier.max) {
        (true, _) => (glyphs.here, Role::Retrying),
        (false, true) if retrier.max > 0 => ("", Role::Failed),
        _ => ("", Role::Text),
    };
    let own = style(theme, role);
    let gauge = glyphs.gauge(retrier.used, retrier.max, 8);
    let line = Line::new()
        .cell(mark, 2, style(theme, Role::Mark))
        .cell(format!("[{place}]"), 4, style(theme, Role::Dim))
        .cell(retrier.errors.join(", "), names + 2, own)
        .cell(format!("{}/{}", retrier.used, retrier.max), 6, own)
        .text(gauge, own);
    list.row(Row::Retrier(place), line);
    let mut timing = words(glyphs, &retrier.back_off);
    if !retrier.waited.is_empty() {
        let skipped = retrier.waited.len().saturating_sub(4);
        let waited: Vec<String> = retrier
            .waited
            .iter()
            .skip(skipped)
            .map(|time| span_of_time(*time))
            .collect();
        let more = if skipped > 0 { ".. " } else { "" };
        timing = format!("{timing}   waited {more}{}", waited.join(", "));
    }
    let mut line = Line::new().gap(6).text(timing, style(theme, Role::Dim));
    if let Some(next) = retrier.next {
        line = line.text("   ", style(theme, Role::Dim)).text(
            format!("next {}", span_of_time(next)),
            style(theme, Role::Waiting),
        );
    }
    list.say(line);
    why_line(paint, &retrier.why, retrier.takes, list);
}

fn catcher_lines(
    paint: &Paint,
    place: usize,
    catcher: &CatcherView,
    names: usize,
    list: &mut List,
) {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let mark = if catcher.takes {
        glyphs.catch_arrow
    } else {
        ""
    };
    let role = if catcher.takes {
        Role::Caught
    } else {
        Role::Text
    };
    let own = style(theme, role);
    let line = Line::new()
        .cell(mark, 2, own)
        .cell(format!("[{place}]"), 4, style(theme, Role::Dim))
        .cell(catcher.errors.join(", "), names + 1, own)
        .text(format!("{} {}", glyphs.arrow, catcher.next), own)
        .right(&*catcher.result_path, style(theme, Role::Path));
    list.row(Row::Catcher(place), line);
    why_line(paint, &catcher.why, catcher.takes, list);
}

fn why_line(paint: &Paint, why: &str, takes: bool, list: &mut List) {
    if !why.is_empty() {
        let role = if takes { Role::Info } else { Role::Dim };
        list.say(
            Line::new()
                .gap(6)
                .text(words(paint.glyphs, why), style(paint.theme, role)),
        );
    }
}

fn attempt_line(paint: &Paint, attempt: &AttemptView) -> Line {
    let theme = paint.theme;
    let status = match (&attempt.error, attempt.done) {
        (Some(_), _) => StateStatus::ErrorRaised,
        (None, true) => StateStatus::Succeeded,
        (None, false) => StateStatus::Running,
    };
    let word = attempt
        .error
        .as_deref()
        .unwrap_or(paint.glyphs.word(status));
    let took = attempt.took.map_or(String::new(), span_of_time);
    Line::new()
        .cell(
            format!("{:>4}", attempt.number),
            6,
            style(theme, Role::Text),
        )
        .cell(clock(attempt.started), 12, style(theme, Role::Dim))
        .cell(took, 9, style(theme, Role::Dim))
        .cell(paint.glyphs.status(status), 3, theme.status(status))
        .text(word, theme.status(status))
}

fn rule_lines(paint: &Paint, place: usize, rule: &RuleView, cells: usize, list: &mut List) {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let (outcome, role) = match (&rule.result, rule.asked) {
        _ if rule.taken && rule.index.is_none() => ("taken".to_owned(), Role::Ok),
        (Some(Ok(true)), true) => ("true".to_owned(), Role::Ok),
        (Some(Ok(false)), true) => ("false".to_owned(), Role::Dim),
        (Some(Err(error)), true) => (error.clone(), Role::Error),
        (Some(Ok(result)), false) => (format!("not asked; would be {result}"), Role::Dim),
        (Some(Err(error)), false) => (format!("not asked; would be an error: {error}"), Role::Dim),
        (None, true) => ("asked".to_owned(), Role::Dim),
        (None, false) if rule.index.is_none() => ("if no rule holds".to_owned(), Role::Dim),
        (None, false) => ("not asked yet".to_owned(), Role::Dim),
    };
    let mark = if rule.taken { glyphs.here } else { "" };
    let label = match rule.index {
        Some(index) => format!("[{index}]"),
        None => " -".to_owned(),
    };
    let text_role = match (rule.taken, rule.asked) {
        (true, _) => Role::Ok,
        (false, true) => Role::Text,
        (false, false) => Role::Dim,
    };
    let head =
        Line::new()
            .cell(mark, 2, style(theme, Role::Mark))
            .cell(label, 4, style(theme, Role::Dim));
    let text = words(glyphs, &rule.text);
    let next = format!("{} {}", glyphs.arrow, rule.next);
    let wrapped = wrap(&text, cells.saturating_sub(6).max(8));
    let mut parts = wrapped.into_iter();
    let own = style(theme, text_role);
    let first = parts.next().unwrap_or_default();
    let tail = format!("{outcome}  {next}");
    if parts.len() == 0 && 6 + width(&first) + 2 + width(&tail) < cells {
        let line = head
            .text(first, own)
            .right(format!("{outcome}  "), style(theme, role))
            .right(next, own);
        list.row(Row::Rule(place), line);
        return;
    }
    list.row(Row::Rule(place), head.text(first, own));
    for part in parts {
        list.say(Line::new().gap(6).text(part, own));
    }
    list.say(
        Line::new()
            .gap(6)
            .text(format!("{outcome}  "), style(theme, role))
            .text(next, own),
    );
}

/// `text` on at most [`RULE_LINES`] lines, broken at blanks where it can be.
fn wrap(text: &str, cells: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        if !line.is_empty() && width(&line) + width(word.trim_end()) > cells {
            if lines.len() + 1 == RULE_LINES {
                line.push_str(word);
                line.push_str("..");
                break;
            }
            lines.push(std::mem::take(&mut line));
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

fn wait_lines(paint: &Paint, since: Millis, until: Millis, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let now = paint.view.header.clock;
    let length = until.saturating_sub(since);
    let left = until.saturating_sub(now);
    let (dim, own) = (style(theme, Role::Dim), style(theme, Role::Waiting));
    for (name, text) in [
        ("since", clock(since)),
        ("until", clock(until)),
        ("in all", span_of_time(length)),
        (
            "left",
            if left == 0 {
                "over".to_owned()
            } else {
                format!("{} on the virtual clock", span_of_time(left))
            },
        ),
    ] {
        list.say(Line::new().cell(name, 8, dim).text(text, own));
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

fn lane_line(paint: &Paint, lane: &LaneView) -> Line {
    let theme = paint.theme;
    let status = theme.status(lane.status);
    let word = lane
        .error
        .as_deref()
        .unwrap_or(paint.glyphs.word(lane.status));
    Line::new()
        .cell(format!("[{}]", lane.index), 5, style(theme, Role::Dim))
        .cell(paint.glyphs.status(lane.status), 3, status)
        .cell(
            &*state_name(paint, lane.state),
            18,
            style(theme, Role::Text),
        )
        .text(word, status)
}

fn summary_line(paint: &Paint, summary: &[(String, u32)], total: u32) -> Line {
    let theme = paint.theme;
    let mut line = Line::new();
    for (place, (word, number)) in summary.iter().enumerate() {
        let role = match word.as_str() {
            "ok" => Role::Ok,
            "live" => Role::Running,
            "pending" => Role::NotReached,
            "aborted" => Role::Aborted,
            _ => Role::Failed,
        };
        if place > 0 {
            line = line.text(format!(" {} ", paint.glyphs.dot), style(theme, Role::Dim));
        }
        line = line.text(format!("{number} {word}"), style(theme, role));
    }
    line.right(format!("of {total}"), style(theme, Role::Dim))
}

fn item_line(
    paint: &Paint,
    item: &ItemView,
    names: usize,
    errors: usize,
    total: u32,
    cells: usize,
) -> Line {
    let theme = paint.theme;
    let status = theme.status(item.status);
    let digits = total.saturating_sub(1).to_string().len();
    let (text, _) = preview(&item.item, cells);
    let mut line = Line::new()
        .cell(
            format!("{:>digits$}", item.index),
            digits + 2,
            style(theme, Role::Text),
        )
        .cell(paint.glyphs.status(item.status), 3, status);
    if names > 0 && cells >= 48 {
        line = line.cell(
            &*state_name(paint, item.state),
            names + 2,
            style(theme, Role::Text),
        );
    }
    if errors > 0 {
        line = line.cell(item.error.as_deref().unwrap_or(""), errors + 2, status);
    }
    line.text(text, style(theme, Role::Dim))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{self, Scene, screen};
    use super::*;

    fn shown(scene: &Scene, pane: &mut StatePane, width: u16, height: u16) -> String {
        screen(width, height, |area, buffer| {
            pane.draw(&scene.paint(), area, buffer)
        })
    }

    #[test]
    fn look() {
        let mut scene = Scene::new();
        println!("{}", shown(&scene, &mut StatePane::default(), 50, 20));
        println!("{}", shown(&scene, &mut StatePane::default(), 30, 6));
        for content in [
            sample::rules(),
            sample::map(&scene.definition),
            sample::lanes(&scene.definition),
            Content::Wait {
                since: 412,
                until: 30_412,
            },
            Content::Nothing,
        ] {
            scene.view.state = content;
            println!("{:?}", StatePane::default().title(&scene.paint()));
            println!("{}", shown(&scene, &mut StatePane::default(), 50, 10));
        }
        scene.view.state = sample::rules();
        println!("{}", shown(&scene, &mut StatePane::default(), 30, 12));
    }
}
