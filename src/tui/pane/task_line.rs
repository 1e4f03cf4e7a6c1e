//! The rows of tasks and of their answers: those that wait, those that were given for many, those of the mock file.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::data_line::outcome;
use super::line::{Line, clip_middle, clock, span_of_time, style, width};
use crate::interpreter::{Answer, Millis, Outcome, Want};
use crate::session::answerer::MockedNext;
use crate::session::view::{AnswerRuleView, TaskView};
use crate::tui::theme::Role;

/// What an answer is, in a few words, and after what time it comes, where that is not at once: `in 45 s: { Payload }`.
fn said(answer: &Answer, cells: usize) -> (String, Role) {
    let after = match &answer.outcome {
        Outcome::Success(_) | Outcome::Failure { .. } if answer.took > 0 => {
            format!("in {}: ", span_of_time(answer.took))
        }
        _ => String::new(),
    };
    let cells = cells.saturating_sub(width(&after));
    let (text, role) = match &answer.outcome {
        Outcome::Success(value) => outcome(&Ok(value.clone()), cells),
        Outcome::Failure { error, .. } => (
            error
                .as_deref()
                .unwrap_or("an error without a name")
                .to_owned(),
            Role::Failed,
        ),
        Outcome::Never | Outcome::Evaluated(_) => ("never answers".to_owned(), Role::Waiting),
    };
    (after + &text, role)
}

/// Cells of the first column of the next answer.
const NEXT_ANSWER: usize = 13;
/// Cells of the name of a mocked response at the least.
const LEAST_NAME: usize = 4;

/// `mock Declined #2  Payment.Declined`: the next answer of the mock file.
pub(super) fn next_answer(paint: &Paint, mock: &MockedNext, cells: usize) -> Line {
    let theme = paint.theme;
    let number = format!(" #{}  ", mock.number);
    let besides = NEXT_ANSWER + "mock ".len() + width(&number);
    let left = cells.saturating_sub(besides);
    let (text, role) = match &mock.answer {
        Some(answer) => {
            let beside_name = left.saturating_sub(width(&mock.response));
            said(answer, beside_name.max(cells / 2))
        }
        None => ("no answer for a call this late".to_owned(), Role::Warning),
    };
    // Which error it is matters more than what the answer is called.
    let room = left.saturating_sub(width(&text)).max(LEAST_NAME);
    let response = clip_middle(&mock.response, room, paint.glyphs);
    let name = format!("mock {response}{number}");
    Line::new()
        .cell("next answer", NEXT_ANSWER, style(theme, Role::Dim))
        .text(name, style(theme, Role::Text))
        .text(text, style(theme, role))
}

/// An entry of the mock file with its next answer.
pub(super) fn mock_line(paint: &Paint, mock: &MockedNext, names: usize, cells: usize) -> Line {
    let theme = paint.theme;
    let next = paint.view.to_come.next.as_ref();
    let here = next.is_some_and(|next| next.entry == mock.entry);
    let mark = if here { paint.glyphs.here } else { "" };
    let (text, role) = match &mock.answer {
        Some(answer) => said(answer, cells / 2),
        None => ("no answer left".to_owned(), Role::Warning),
    };
    Line::new()
        .cell(mark, 2, style(theme, Role::Mark))
        .cell(&*mock.entry, names + 2, style(theme, Role::Text))
        .text(
            format!("{} #{}  ", mock.response, mock.number),
            style(theme, Role::Dim),
        )
        .text(text, style(theme, role))
}

pub(super) fn task_line(paint: &Paint, task: &TaskView, held: bool, cells: usize) -> Line {
    let theme = paint.theme;
    let ask = &task.ask;
    let state = paint.definition.state(ask.state);
    let dim = style(theme, Role::Dim);
    let asking = match held {
        true => crate::session::view::StateStatus::Waiting,
        false => crate::session::view::StateStatus::Asking,
    };
    let place: String = ask
        .key
        .indices
        .iter()
        .map(|index| format!("[{index}]"))
        .collect();
    let mut line = Line::new()
        .cell(paint.glyphs.status(asking), 3, theme.status(asking))
        .text(
            state.map_or("", |state| &*state.name),
            style(theme, Role::Text),
        )
        .text(place, dim);
    if ask.key.attempt > 1 {
        line = line.text(format!("  attempt {}", ask.key.attempt), dim);
    }
    let token = match &ask.want {
        Want::Call { token, .. } => token.as_deref(),
        _ => None,
    };
    // What tells least stands first: a narrow line drops its parts from the left, the next deadline last.
    let short = |at: Millis| clock(at).trim_end_matches(".000").to_owned();
    let waiting = style(theme, Role::Waiting);
    let mut parts = vec![(format!("since {}", short(task.since)), dim)];
    if let Some(token) = token {
        let start: String = token.chars().take(8).collect();
        parts.push((format!("token {start}"), style(theme, Role::Info)));
    }
    let mut deadlines: Vec<(Millis, &str, &str)> = Vec::new();
    deadlines.extend(task.heartbeat_at.map(|at| (at, "heartbeat", "beat")));
    deadlines.extend(task.timeout_at.map(|at| (at, "times out", "out")));
    deadlines.extend(task.answer_at.map(|at| (at, "answered", "answer")));
    deadlines.sort_unstable_by_key(|(at, ..)| std::cmp::Reverse(*at));
    for (at, what, word) in &deadlines {
        let left = span_of_time(at.saturating_sub(paint.view.header.clock));
        parts.push(match cells {
            100.. => (format!("{what} {} (in {left})", short(*at)), waiting),
            _ => (format!("{word} {}", short(*at)), waiting),
        });
    }
    if held && task.answer_at.is_none() {
        parts.push(("never answers".to_owned(), waiting));
    } else if task.timeout_at.is_none() && task.answer_at.is_none() && cells >= 40 {
        parts.push(("no timeout".to_owned(), dim));
    }
    let last = parts.len().saturating_sub(1);
    for (place, (text, own)) in parts.into_iter().enumerate() {
        let gap = if place < last { "  " } else { "" };
        line = line.right(format!("{text}{gap}"), own);
    }
    line
}

pub(super) fn answer_rule_line(paint: &Paint, rule: &AnswerRuleView, cells: usize) -> Line {
    let theme = paint.theme;
    let (text, role) = said(&rule.answer, cells / 2);
    Line::new()
        .cell("=", 3, style(theme, Role::Mark))
        .text(&*rule.what, style(theme, Role::Text))
        .text("  from now on  ", style(theme, Role::Dim))
        .text(text, style(theme, role))
}
