//! The rules of a Choice as they are drawn: each test on lines of its own, then what came of the rule.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::line::{Line, clip, style, width, words};
use super::state_line::List;
use super::state_row::Row;
use crate::session::view::{OperandView, RuleView, StateStatus};
use crate::tui::border::wrapped;
use crate::tui::theme::Role;

/// Columns before a rule's text.
const HEAD: usize = 6;

pub(super) fn rule_lines(
    paint: &Paint,
    place: usize,
    rule: &RuleView,
    forecast: bool,
    cells: usize,
    list: &mut List,
) {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let (outcome, role) = outcome(rule, forecast);
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
    let own = style(theme, text_role);
    let head =
        Line::new()
            .cell(mark, 2, style(theme, Role::Mark))
            .cell(label, 4, style(theme, Role::Dim));
    let line = line_of(paint, rule);
    let next = match rule.absent && rule.after {
        true => String::new(),
        false => format!("{} {}", glyphs.arrow, rule.next),
    };
    let tail = width(&outcome) + 2 + width(&next) + width(&line);
    let mut texts = operand_texts(paint, &rule.operands, own, cells);
    // A rule of one short comparison is one line.
    if texts.len() == 1
        && let Some((test, text, style_of, indent)) = texts.pop()
    {
        if HEAD + width(&text) + 2 + tail < cells {
            let line = head
                .text(text, style_of)
                .right(format!("{outcome}  "), style(theme, role))
                .right(next, own)
                .right(line, style(theme, Role::Dim));
            list.row(Row::Rule(place), line);
            return;
        }
        texts.push((test, text, style_of, indent));
    }
    let mut texts = texts.into_iter();
    let (_, first, first_style, _) = texts.next().unwrap_or_default();
    list.row(Row::Rule(place), head.text(first, first_style));
    for (test, text, own, indent) in texts {
        let line = Line::new().gap(HEAD + indent).text(text, own);
        match test {
            Some(test) => list.row(Row::Test(place, test), line),
            None => list.say(line),
        }
    }
    let dim = style(theme, Role::Dim);
    if HEAD + tail <= cells {
        let last = Line::new().gap(HEAD).text(outcome, style(theme, role));
        list.say(last.text(format!("  {next}"), own).text(line, dim));
        return;
    }
    for part in wrapped(&outcome, cells.saturating_sub(HEAD)) {
        list.say(Line::new().gap(HEAD).text(part, style(theme, role)));
    }
    list.say(Line::new().gap(HEAD).text(next, own).text(line, dim));
}

/// Makes one line of a rule that was passed over: where it would have led, and what of it was false.
pub(super) fn fold_rule(
    paint: &Paint,
    place: usize,
    rule: &RuleView,
    cells: usize,
    list: &mut List,
) {
    let own = list
        .lines
        .iter()
        .rposition(|(row, _)| *row == Some(Row::Rule(place)));
    let Some(first) = own.filter(|first| list.lines.len() - first > 1) else {
        return;
    };
    if rule.result != Some(Ok(false)) {
        return;
    }
    list.lines.truncate(first);
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let index = rule
        .index
        .map_or_else(String::new, |index| format!("[{index}]"));
    let next = format!("{} {}", glyphs.arrow, rule.next);
    let line = line_of(paint, rule);
    let sign = sign_of(paint, StateStatus::Failed);
    let taken = HEAD + width(&sign) + 2 + width(&next) + width(&line);
    let room = cells.saturating_sub(taken);
    let forms = passed_over(&rule.operands);
    let mut forms = forms.iter().map(|form| words(glyphs, form));
    let last = forms.clone().next_back().unwrap_or_default();
    let text = forms.find(|form| width(form) <= room).unwrap_or(last);
    let text = clip(&text, room, glyphs);
    let dim = style(theme, Role::Dim);
    let row = Line::new()
        .gap(2)
        .cell(index, 4, dim)
        .text(format!("{sign}{text}"), style(theme, Role::Text))
        .right(next, style(theme, Role::Text))
        .right(line, dim);
    list.row(Row::Rule(place), row);
}

/// What of a rule was false in one line, in forms: the tests as they are, a test in a test only named; fewer of them; how many.
fn passed_over(operands: &[OperandView]) -> Vec<String> {
    let name = |text: &str| text.split(": ").next().unwrap_or(text).to_owned();
    let (outer, inner) = match operands {
        [] => return Vec::new(),
        [only] => return vec![only.text.clone()],
        [outer, inner @ ..] => (outer, inner),
    };
    let own = inner.iter().enumerate();
    let own = own.filter(|(_, operand)| operand.depth == outer.depth + 1);
    let is_not = outer.text.starts_with("Not");
    let all = own.clone().count();
    let told =
        own.filter(|(_, operand)| !operand.after && (is_not || operand.result != Some(Ok(true))));
    let parts = told.map(|(place, operand)| {
        let after = inner.get(place + 1);
        match after.is_some_and(|after| after.depth > operand.depth) {
            true => format!("{} …", name(operand.text.trim_end_matches(':'))),
            false => operand.text.clone(),
        }
    });
    let parts: Vec<String> = parts.collect();
    let outer = name(outer.text.trim_end_matches(':'));
    let mut forms = vec![format!("{outer}: {}", parts.join(", "))];
    forms.extend((1..parts.len()).rev().filter_map(|count| {
        let (told, more) = (parts.get(..count)?.join(", "), parts.len() - count);
        Some(format!("{outer}: {told}, {more} more"))
    }));
    let first = parts.first().filter(|_| parts.len() > 1);
    forms.extend(first.map(|first| format!("{outer}: {first} …")));
    forms.push(match (is_not, parts.len()) {
        (true, _) => format!("{outer}: it is true"),
        (false, count) if count == all => format!("{outer}: all {all} false"),
        (false, count) => format!("{outer}: {count} of {all} false"),
    });
    forms
}

/// The place of the rule that decided: the one taken, or the one that failed.
pub(super) fn deciding(rules: &[RuleView]) -> Option<usize> {
    rules.iter().position(|rule| {
        rule.taken || (rule.asked && (rule.absent || matches!(rule.result, Some(Err(_)))))
    })
}

/// The place of the rule to open with; `None` where Default decides: then it is the others that say why.
pub(super) fn opened(rules: &[RuleView]) -> Option<usize> {
    let place = deciding(rules).or_else(|| to_be_taken(rules))?;
    rules.get(place)?.index.map(|_| place)
}

/// The place of the rule that will be taken, Default where every other one is false; `None` once the state has chosen.
pub(super) fn to_be_taken(rules: &[RuleView]) -> Option<usize> {
    if rules.iter().any(|rule| rule.asked || rule.taken) {
        return None;
    }
    let place = rules
        .iter()
        .position(|rule| rule.result != Some(Ok(false)) || rule.index.is_none())?;
    let rule = rules.get(place)?;
    (rule.result == Some(Ok(true)) || rule.index.is_none()).then_some(place)
}

/// What came of a rule, or would come.
fn outcome(rule: &RuleView, forecast: bool) -> (String, Role) {
    match (&rule.result, rule.asked) {
        _ if rule.absent && rule.asked => ("no rule matches".to_owned(), Role::Failed),
        _ if rule.absent && forecast => ("no rule matches, comes next".to_owned(), Role::Warning),
        _ if rule.taken && rule.index.is_none() => ("taken".to_owned(), Role::Ok),
        (Some(Ok(true)), true) if rule.taken => ("true, taken".to_owned(), Role::Ok),
        (Some(Ok(result)), true) => (result.to_string(), Role::Dim),
        (Some(Err(error)), true) => (error.clone(), Role::Error),
        (Some(Ok(result)), false) if rule.after => {
            let role = if *result { Role::Warning } else { Role::Dim };
            (format!("not reached; would be {result}"), role)
        }
        (Some(Err(error)), false) if rule.after => (
            format!("not reached; would be an error: {error}"),
            Role::Dim,
        ),
        (None, false) if forecast && rule.index.is_none() => {
            ("no rule matches, will be taken".to_owned(), Role::Info)
        }
        (Some(Ok(true)), false) if forecast => ("true, will be taken".to_owned(), Role::Info),
        (Some(Ok(result)), false) => (result.to_string(), Role::Dim),
        (Some(Err(error)), false) => (format!("will fail: {error}"), Role::Warning),
        (None, true) => ("asked".to_owned(), Role::Dim),
        (None, false) if rule.after => ("not reached".to_owned(), Role::Dim),
        (None, false) if rule.index.is_none() => ("if no rule matches".to_owned(), Role::Dim),
        (None, false) => ("not evaluated yet".to_owned(), Role::Dim),
    }
}

/// A line: the test inside a rule that begins with it, its text, how that is drawn, its columns further right.
type Styled = (Option<usize>, String, ratatui::style::Style, usize);

/// The tests as lines with their columns further right; where there are several, each with its mark.
fn operand_texts(
    paint: &Paint,
    operands: &[OperandView],
    own: ratatui::style::Style,
    cells: usize,
) -> Vec<Styled> {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let several = operands.len() > 1;
    let mut lines = Vec::new();
    // What is inside of one that is not reached is not reached either: that is said once.
    let mut skipped: Option<u32> = None;
    for (test, operand) in operands.iter().enumerate() {
        let told = operand.after && skipped.is_some_and(|depth| depth < operand.depth);
        if !told {
            skipped = operand.after.then_some(operand.depth);
        }
        let indent = 2 * operand.depth as usize;
        let (sign, style_of) = match &operand.result {
            _ if !several || operand.depth == 0 => (String::new(), own),
            Some(Ok(true)) => (sign_of(paint, StateStatus::Succeeded), own),
            Some(Ok(false)) => (sign_of(paint, StateStatus::Failed), own),
            Some(Err(_)) if operand.after => (sign_of(paint, StateStatus::NotReached), own),
            Some(Err(_)) => (sign_of(paint, StateStatus::ErrorRaised), own),
            None => (String::new(), own),
        };
        let room = cells.saturating_sub(HEAD + indent + sign.len()).max(16);
        let blank = " ".repeat(width(&sign));
        let text = match (&operand.result, operand.after && !told) {
            (Some(Ok(result)), true) => {
                format!("{}, not reached; would be {result}", operand.text)
            }
            (None, true) => format!("{}, not reached", operand.text),
            (_, _) => operand.text.clone(),
        };
        for (row, part) in wrapped(&words(glyphs, &text), room).into_iter().enumerate() {
            let sign = if row == 0 { &sign } else { &blank };
            let own = (row == 0 && operand.depth > 0).then_some(test);
            lines.push((own, format!("{sign}{part}"), style_of, indent));
        }
        let problem = match &operand.result {
            Some(Err(_)) if told => None,
            Some(Err(error)) if operand.after => Some(format!("not reached: {error}")),
            Some(Err(error)) if several && operand.depth > 0 => Some(error.clone()),
            _ if operand.after => None,
            _ => operand.why.clone(),
        };
        if let Some(why) = &problem {
            let style = style(theme, Role::Warning);
            for part in wrapped(&words(glyphs, why), room) {
                lines.push((None, format!("{blank}{part}"), style, indent));
            }
        }
    }
    lines
}

/// The line it stands in, in front of it what keeps it apart.
fn line_of(paint: &Paint, rule: &RuleView) -> String {
    let place = rule
        .span
        .and_then(|span| paint.definition.sources.place(span));
    place.map_or_else(String::new, |place| format!("  :{}", place.line))
}

fn sign_of(paint: &Paint, status: StateStatus) -> String {
    format!("{} ", paint.glyphs.status(status).trim_end())
}
