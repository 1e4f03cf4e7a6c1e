//! What a run that is over came to, as lines: each error with what became of it.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::line::{Line, clip, clock, count, span_of_time, style, width, words};
use super::state_line::{List, state_name};
use super::state_row::Row;
use crate::definition::StateId;
use crate::session::view::{Became, EndView, ErrorRow, LeftOut, RunStatus, StateStatus};
use crate::tui::border::wrapped;
use crate::tui::theme::Role;
use crate::wording;

/// Cells of a name before what is said of it.
const NAME: usize = 10;
/// The reason of an error takes at most so many cells: all of it is read at the error.
const REASON: usize = 240;

pub(super) fn end_lines(paint: &Paint, end: &EndView, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (title, dim) = (style(theme, Role::Title), style(theme, Role::Dim));
    let mut counts = vec![count(
        usize::try_from(end.raised).unwrap_or(usize::MAX),
        "error",
    )];
    counts.extend(end.handled());
    if end.raised > 0 {
        let (heading, counts) = ("Errors of the run", counts.join(", "));
        let head = Line::new().text(heading, title);
        if width(heading) + 1 + width(&counts) <= cells {
            list.say(head.right(counts, dim));
        } else {
            list.say(head);
            list.say(Line::new().gap(3).text(counts, dim));
        }
    }
    let listed = end.errors.len();
    if end.raised > listed as u64 {
        let text = format!("the first {listed} of them");
        list.say(Line::new().gap(3).text(text, dim));
    }
    if end.raised == 0 {
        run_lines(paint, end, list);
    }
    if let Some(timeout) = end.timeout.as_ref().filter(|_| end.raised > 0) {
        let own = style(theme, Role::Failed);
        let limit = Line::new()
            .cell(paint.glyphs.status(StateStatus::TimedOut), 3, own)
            .text("the run timed out", own);
        let now = clock(paint.view.header.clock);
        list.say(limit.right(now, dim));
        for part in wrapped(&wording::limit_in_short(timeout), cells.saturating_sub(6)) {
            list.say(Line::new().gap(6).text(part, style(theme, Role::Text)));
        }
    }
    error_lines(paint, end, cells, list);
    for one in &end.no_waits {
        let text = wording::no_wait(&one.why);
        let row = (one.number, one.state, one.line, one.times);
        remarked(paint, StateStatus::Waiting, row, &text, cells, list);
    }
    for one in &end.no_items {
        let text = wording::no_items(&one.why, paint.definition.unit(one.state));
        let row = (one.number, Some(one.state), one.line, one.times);
        remarked(paint, StateStatus::NotReached, row, &text, cells, list);
    }
    for one in &end.differing {
        let text = "spec and AWS behave differently here";
        let row = (one.number, Some(one.state), one.line, one.times);
        remarked(paint, StateStatus::Caught, row, text, cells, list);
    }
    timeout_lines(paint, end, cells, list);
    if went_well(paint) {
        left_out_lines(paint, end, cells, list);
    }
}

/// A state where something is worth knowing, by its first event, with its line and how often, and what that is.
fn remarked(
    paint: &Paint,
    sign: StateStatus,
    (number, state, line, times): (u64, Option<StateId>, Option<usize>, u64),
    text: &str,
    cells: usize,
    list: &mut List,
) {
    let own = style(paint.theme, Role::Warning);
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let times = match times {
        1 => String::new(),
        times => format!("  {}{times}", paint.glyphs.times),
    };
    let head = Line::new()
        .cell(paint.glyphs.status(sign), 3, own)
        .text(format!("{}{line}{times}", state_name(paint, state)), own);
    list.row(Row::Event(number), head);
    for part in wrapped(text, cells.saturating_sub(6)) {
        list.say(
            Line::new()
                .gap(6)
                .text(part, style(paint.theme, Role::Text)),
        );
    }
}

/// Whether the run that is over succeeded.
pub(super) fn went_well(paint: &Paint) -> bool {
    matches!(paint.view.header.status, RunStatus::Succeeded { .. })
}

/// What the time of a run that timed out went to.
fn timeout_lines(paint: &Paint, end: &EndView, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (title, dim) = (style(theme, Role::Title), style(theme, Role::Dim));
    if let Some(timeout) = &end.timeout {
        list.say(Line::new().text("What the time went to", title));
        for spent in &timeout.spent {
            list.say(
                Line::new()
                    .gap(3)
                    .text(&*spent.state, style(theme, Role::Text))
                    .right(span_of_time(spent.time), dim),
            );
            if spent.between_tries > 0 {
                let waited = span_of_time(spent.between_tries);
                let words = format!("of that waiting between tries: {waited}");
                list.say(Line::new().gap(6).text(words, dim));
            }
        }
        if let Some((state, name)) = &timeout.not_caught {
            let words = format!(
                "A state machine's timeout cannot be caught, not even by {name} of {state}"
            );
            for part in wrapped(&words, cells) {
                list.say(Line::new().text(part, style(theme, Role::Failed)));
            }
        }
    }
}

/// Equal errors, the first of which stands for all.
struct Group<'e> {
    first: &'e ErrorRow,
    frames: Vec<&'e str>,
}

fn groups(errors: &[ErrorRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in errors {
        let same = groups.iter_mut().find(|group| {
            let first = group.first;
            (first.state, first.line, &first.error) == (row.state, row.line, &row.error)
                && (&first.reason, &first.spent) == (&row.reason, &row.spent)
                && first.became == row.became
        });
        match same {
            Some(group) => group.frames.push(&row.frame),
            None => groups.push(Group {
                first: row,
                frames: vec![&row.frame],
            }),
        }
    }
    groups
}

impl Group<'_> {
    fn error(&self) -> String {
        match self.frames.len() {
            1 => self.first.error.to_string(),
            times => format!("{times} × {}", self.first.error),
        }
    }

    /// `Send Bills[5] [11] [12] … Render Pdf:93`: as many items as so many cells hold.
    fn place(&self, paint: &Paint, cells: usize) -> String {
        let line = self.first.line;
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        let state = format!("{}{line}", state_name(paint, self.first.state));
        let Some((first, others)) = self.frames.split_first().filter(|(own, _)| !own.is_empty())
        else {
            return state;
        };
        let head = first.rfind('[').and_then(|at| first.get(..at));
        let mut text = (*first).to_owned();
        for (place, frame) in others.iter().enumerate() {
            let index = head.and_then(|head| frame.strip_prefix(head));
            let more = match index.filter(|index| index.starts_with('[')) {
                Some(index) => format!(" {index}"),
                None => format!(", {frame}"),
            };
            let is_last = place + 1 == others.len();
            let rest = if is_last { 0 } else { 2 };
            if width(&text) + width(&more) + rest + 1 + width(&state) > cells {
                text.push_str(&format!(" {}", paint.glyphs.cut));
                break;
            }
            text.push_str(&more);
        }
        format!("{text} {state}")
    }
}

/// The errors, equal ones as one; all entries have the same form.
fn error_lines(paint: &Paint, end: &EndView, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (plain, dim) = (style(theme, Role::Text), style(theme, Role::Dim));
    let groups = groups(&end.errors);
    let room = |group: &Group, place: usize| {
        let time = width(&clock(group.first.time)) + 1;
        (3 + width(&group.error()) + place, time)
    };
    let whole = |group: &Group| width(&group.place(paint, cells.saturating_sub(6)));
    let beside = |timed: bool| {
        let mut sizes = groups.iter().map(|group| room(group, 2 + whole(group)));
        sizes.all(|(head, time)| head + if timed { time } else { 0 } <= cells)
    };
    let below = || {
        let mut sizes = groups.iter().map(|group| room(group, 0));
        sizes.all(|(head, time)| head + time <= cells)
    };
    // The place beside the name, and the time at the end of the row, or neither in any entry.
    let (is_beside, is_timed) = match (beside(true), beside(false)) {
        (true, _) => (true, true),
        (false, true) => (true, false),
        (false, false) => (false, below()),
    };
    let mut before: Option<&ErrorRow> = None;
    for group in &groups {
        let row = group.first;
        // What is raised again and again is said once.
        let is_said = before.is_some_and(|before| {
            (before.state, &before.reason) == (row.state, &row.reason) && before.frame == row.frame
        });
        before = Some(row);
        let (status, role, text) = match &row.became {
            Became::Raised => (StateStatus::ErrorRaised, Role::Raised, String::new()),
            Became::Retried(by) => (
                StateStatus::Retrying,
                Role::Retrying,
                format!("retried by {by}"),
            ),
            Became::CutShort(how) => (StateStatus::Failed, Role::Failed, how.clone()),
            Became::Overtaken(by) => (StateStatus::ErrorRaised, Role::Raised, by.clone()),
            Became::Caught(by) => (StateStatus::Caught, Role::Caught, by.clone()),
            Became::Failed => (StateStatus::Failed, Role::Failed, "not caught".to_owned()),
            Became::Tolerated(why) => {
                let text = format!("not caught; {why}");
                (StateStatus::Failed, Role::Failed, text)
            }
        };
        let own = style(theme, role);
        let place = group.place(paint, cells.saturating_sub(6));
        let head = Line::new()
            .cell(paint.glyphs.status(status), 3, own)
            .text(words(paint.glyphs, &group.error()), own);
        let head = match is_beside {
            true => head.text(format!("  {place}"), plain),
            false => head,
        };
        let head = match is_timed {
            true => head.right(clock(row.time), dim),
            false => head,
        };
        list.row(Row::Event(row.number), head);
        let mut below = |text: &str, own| {
            for part in wrapped(&words(paint.glyphs, text), cells.saturating_sub(6)) {
                if !part.is_empty() {
                    list.say(Line::new().gap(6).text(part, own));
                }
            }
        };
        if !is_beside {
            below(&place, plain);
        }
        if !is_said {
            below(&clip(&row.reason, REASON, paint.glyphs), plain);
        }
        below(row.spent.as_deref().unwrap_or_default(), plain);
        below(&text, own);
    }
}

/// The states that were not reached, each with the Choice that led elsewhere.
pub(super) fn left_out_lines(paint: &Paint, end: &EndView, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (dim, text) = (style(theme, Role::Dim), style(theme, Role::Text));
    if end.left_out.is_empty() {
        return;
    }
    let all = paint.definition.states.len();
    list.say(
        Line::new()
            .text("Not reached", style(theme, Role::Title))
            .right(format!("{} of {all} states", end.not_reached), dim),
    );
    let own = |row: &LeftOut| {
        let line = row.line.map_or_else(String::new, |line| format!(":{line}"));
        format!("{}{line}", state_name(paint, Some(row.state)))
    };
    let by = |row: &LeftOut, is_long: bool| {
        if row.by.is_none() && end.timeout.is_some() {
            return Some("the run timed out".to_owned());
        }
        let (choice, line) = row.by?;
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        let choice = format!("{}{line}", state_name(paint, Some(choice)));
        Some(match is_long {
            true => format!("{choice} led elsewhere"),
            false => format!("see {choice}"),
        })
    };
    // The same form in all rows: the selected one leads to the Choice anyway.
    let fits = |is_long: &bool| {
        let mut rows = end.left_out.iter();
        rows.all(|row| {
            let by = by(row, *is_long).map_or(0, |by| 2 + width(&by));
            3 + width(&own(row)) + by <= cells
        })
    };
    let form = [true, false].into_iter().find(fits);
    for row in &end.left_out {
        let line = Line::new()
            .cell(paint.glyphs.status(StateStatus::NotReached), 3, dim)
            .text(own(row), text);
        let line = match form.and_then(|is_long| by(row, is_long)) {
            Some(by) => line.right(by, dim),
            None => line,
        };
        let choice = row.by.map(|(choice, _)| choice);
        list.row(Row::LeftOut(row.state, choice), line);
    }
    let more = end.not_reached.saturating_sub(end.left_out.len());
    if more > 0 {
        list.say(Line::new().gap(3).text(format!("and {more} more"), dim));
    }
}

/// What there is to say of a run in which no error was raised: how long it took, and that it left no state out.
fn run_lines(paint: &Paint, end: &EndView, list: &mut List) {
    let theme = paint.theme;
    let (dim, text) = (style(theme, Role::Dim), style(theme, Role::Text));
    let title = style(theme, Role::Title);
    let raised = match end.timeout {
        Some(_) => "timed out, no error before that",
        None => "no error raised",
    };
    list.say(Line::new().text("The run", title).right(raised, dim));
    let took = span_of_time(paint.view.header.clock);
    list.say(Line::new().cell("duration", NAME, dim).text(took, text));
    if end.not_reached == 0 {
        let reached = match paint.definition.states.len() {
            1 => "the only one was reached".to_owned(),
            2 => "both reached".to_owned(),
            all => format!("all {all} reached"),
        };
        list.say(Line::new().cell("states", NAME, dim).text(reached, text));
    }
}
