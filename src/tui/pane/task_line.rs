//! Rows for tasks and their answers: waiting tasks, rules for answers, mocked answers.

use super::Paint;
use super::data_line::outcome;
use super::line::{Line, clock, span_of_time};
use super::state_line::StateRows;
use crate::interpreter::{Answer, Millis, Outcome, Want};
use crate::session::answerer::MockedNext;
use crate::session::view::{AnswerRuleView, TaskView};
use crate::tui::fit::{clip_middle, width};
use crate::tui::theme::Role;

/// Short text of an answer, such as `in 45 s: { Payload }` for an answer that arrives after a delay.
fn said(answer: &Answer, cells: usize) -> (String, Role) {
    let after = match &answer.outcome {
        Outcome::Success(_) | Outcome::Failure { .. } if answer.took > 0 => {
            format!("in {time}: ", time = span_of_time(answer.took))
        }
        _ => String::new(),
    };
    let cells = cells.saturating_sub(width(&after));
    let (text, role) = match &answer.outcome {
        Outcome::Success(value) => outcome(&Ok(value.clone()), cells),
        Outcome::Failure { error, .. } => {
            let error = error.as_deref().unwrap_or("an error without a name");
            (error.to_owned(), Role::Failed)
        }
        Outcome::Never | Outcome::Evaluated(_) => ("never answers".to_owned(), Role::Waiting),
    };
    (after + &text, role)
}

/// Adds a row with the next answer of the mock file: `mock Declined #2  Payment.Declined`.
pub(super) fn next_answer(paint: &Paint, mock: &MockedNext, rows: &mut StateRows) {
    let number = format!(" #{}  ", mock.number);
    let left = rows.cells.saturating_sub(13 + 5 + width(&number));
    let (text, role) = match &mock.answer {
        Some(answer) => said(answer, rows.cells / 2),
        None => ("no answer for this call".to_owned(), Role::Warning),
    };
    // If room is short, the name of the response is cut, because the error is more important.
    let room = left.saturating_sub(width(&text)).max(4);
    let response = clip_middle(&mock.response, room, paint.glyphs);
    let line = Line::new().cell("next answer", 13, Role::Dim);
    let line = line.text(format!("mock {response}{number}"), Role::Text);
    rows.say(line.text(text, role));
}

/// A row for an entry of the mock file: the entry's name and its next answer.
pub(super) fn mock_line(paint: &Paint, mock: &MockedNext, cells: usize) -> Line {
    let next = paint.view.to_come.next.as_ref();
    let here = next.is_some_and(|next| next.entry == mock.entry);
    let mark = if here { paint.glyphs.here } else { "" };
    let (text, role) = match &mock.answer {
        Some(answer) => said(answer, cells / 2),
        None => ("no answer left".to_owned(), Role::Warning),
    };
    Line::new()
        .cell(mark, 2, Role::Mark)
        .column(&*mock.entry, cells / 3, Role::Text)
        .text(format!("{} #{}  ", mock.response, mock.number), Role::Dim)
        .text(text, role)
}

pub(super) fn task_line(paint: &Paint, task: &TaskView, held: bool, cells: usize) -> Line {
    let ask = &task.ask;
    let state = paint.definition.state(ask.state);
    let asking = match held {
        true => crate::session::view::StateStatus::Waiting,
        false => crate::session::view::StateStatus::Asking,
    };
    let indices = ask.key.indices.iter();
    let place: String = indices.map(|index| format!("[{index}]")).collect();
    let mut line = Line::new()
        .cell(paint.glyphs.status(asking), 3, Role::of(asking))
        .text(state.map_or("", |state| &*state.name), Role::Text)
        .text(place, Role::Dim);
    if ask.key.attempt > 1 {
        line = line.text(
            format!("  attempt {number}", number = ask.key.attempt),
            Role::Dim,
        );
    }
    let token = match &ask.want {
        Want::Call { token, .. } => token.as_deref(),
        _ => None,
    };
    // If the row is narrow, the parts at the left are omitted first. The last part is the next deadline, because it is
    // the most important.
    let short = |at: Millis| clock(at).trim_end_matches(".000").to_owned();
    let mut parts = vec![(format!("since {time}", time = short(task.since)), Role::Dim)];
    if let Some(token) = token {
        let prefix: String = token.chars().take(8).collect();
        parts.push((format!("token {prefix}"), Role::Info));
    }
    let mut deadlines: Vec<(Millis, &str, &str)> = Vec::new();
    deadlines.extend(task.heartbeat_at.map(|at| (at, "heartbeat", "beat")));
    deadlines.extend(task.timeout_at.map(|at| (at, "times out", "out")));
    deadlines.extend(task.answer_at.map(|at| (at, "answered", "answer")));
    deadlines.sort_unstable_by_key(|(at, ..)| std::cmp::Reverse(*at));
    for (at, event, event_in_short) in &deadlines {
        let left = span_of_time(at.saturating_sub(paint.view.header.clock));
        let time = short(*at);
        parts.push(match cells {
            100.. => (format!("{event} {time} (in {left})"), Role::Waiting),
            _ => (format!("{event_in_short} {time}"), Role::Waiting),
        });
    }
    if held && task.answer_at.is_none() {
        parts.push(("never answers".to_owned(), Role::Waiting));
    } else if task.timeout_at.is_none() && task.answer_at.is_none() && cells >= 40 {
        parts.push(("no timeout".to_owned(), Role::Dim));
    }
    let last = parts.len().saturating_sub(1);
    for (place, (text, role)) in parts.into_iter().enumerate() {
        let gap = if place < last { "  " } else { "" };
        line = line.right(format!("{text}{gap}"), role);
    }
    line
}

pub(super) fn answer_rule_line(rule: &AnswerRuleView, cells: usize) -> Line {
    let (text, role) = said(&rule.answer, cells / 2);
    Line::new()
        .cell("=", 3, Role::Mark)
        .text(&*rule.what, Role::Text)
        .text("  always answered  ", Role::Dim)
        .text(text, role)
}
