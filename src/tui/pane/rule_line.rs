//! The rules of a Choice as they are drawn: each test on lines of its own, then what came of the rule.

use super::Paint;
use super::line::Line;
use super::rule_form::Form;
use super::state_row::{Row, StateRows};
use super::test_text::clipped;
use crate::session::view::{Joint, OperandView, RuleView, StateStatus, joined, reason};
use crate::tui::fit::{width, words, wrapped};
use crate::tui::theme::Role;

/// Columns before a rule's text.
const HEAD: usize = 6;
/// Columns of a test in a sentence.
const TEST: usize = 60;

/// A rule at its place in a form; `forecast`: it will be taken.
pub(super) fn rule_lines(
    paint: &Paint,
    (place, rule): (usize, &RuleView),
    forecast: bool,
    form: Form,
    rows: &mut StateRows,
) {
    let begins = rows.len();
    whole_rule(paint, (place, rule), forecast, form, rows);
    let is_long = rows.len() - begins > 1;
    if form >= Form::Said && is_long && rule.result == Some(Ok(false)) {
        rows.truncate(begins);
        passed_over(paint, (place, rule), form, rows);
    }
}

/// A rule with its tests, each on rows of its own.
fn whole_rule(
    paint: &Paint,
    (place, rule): (usize, &RuleView),
    forecast: bool,
    form: Form,
    rows: &mut StateRows,
) {
    let (glyphs, cells) = (paint.glyphs, rows.cells);
    let (outcome, role) = outcome(rule, forecast);
    let mark = if rule.taken { glyphs.here } else { "" };
    let label = match rule.index {
        Some(index) => format!("[{index}]"),
        None => " -".to_owned(),
    };
    let own = match (rule.taken, rule.asked) {
        (true, _) => Role::Ok,
        (false, true) => Role::Text,
        (false, false) => Role::Dim,
    };
    let head = Line::new().cell(mark, 2, Role::Mark);
    let head = head.cell(label, 4, Role::Dim);
    let line = paint.line_of(rule.span);
    let next = match rule.absent && rule.after {
        true => String::new(),
        false => format!("{} {}", glyphs.arrow, rule.next),
    };
    let tail = width(&outcome) + 2 + width(&next) + width(&line);
    let at_end = |row: Line| {
        let row = row.right(format!("{outcome}  "), role).right(&*next, own);
        row.right(&*line, Role::Dim)
    };
    let mut texts = operand_texts(paint, rule, own, (form, cells));
    // A rule of one short comparison is one line.
    if texts.len() == 1
        && let Some((test, text, style_of, indent)) = texts.pop()
    {
        if HEAD + width(&text) + 2 + tail < cells {
            return rows.row(Row::Rule(place), at_end(head.text(text, style_of)));
        }
        texts.push((test, text, style_of, indent));
    }
    let mut texts = texts.into_iter();
    let (_, first, first_style, _) = texts.next().unwrap_or((None, String::new(), own, 0));
    // Of tests that are joined the first row says what came of them.
    let is_joined = rule.operands.len() > 1;
    let is_beside = is_joined && HEAD + width(&first) + 2 + tail <= cells;
    let head = head.text(first, first_style);
    let head = if is_beside { at_end(head) } else { head };
    rows.row(Row::Rule(place), head);
    for (test, text, own, indent) in texts {
        let line = Line::new().gap(HEAD + indent).text(text, own);
        match test {
            Some(test) => rows.inner(Row::Test(place, test), line),
            None => rows.say(line),
        }
    }
    if is_beside {
        return;
    }
    if HEAD + tail <= cells {
        let last = Line::new().gap(HEAD).text(outcome, role);
        rows.say(last.text(format!("  {next}"), own).text(line, Role::Dim));
        return;
    }
    rows.note(HEAD, &outcome, role);
    rows.say(Line::new().gap(HEAD).text(next, own).text(line, Role::Dim));
}

/// A rule that was passed over: what of it was false, and where it would have led, as far as that has room.
fn passed_over(paint: &Paint, (place, rule): (usize, &RuleView), form: Form, rows: &mut StateRows) {
    let index = rule
        .index
        .map_or_else(String::new, |index| format!("[{index}]"));
    let next = format!("{} {}", paint.glyphs.arrow, rule.next);
    let line = paint.line_of(rule.span);
    let sign = sign_of(paint, StateStatus::Failed);
    let narrow = rows
        .cells
        .saturating_sub(HEAD + width(&sign) + 1 + width(&line));
    let room = narrow.saturating_sub(1 + width(&next));
    let (mut parts, is_beside) = passed_text(paint, rule, form, (room, narrow));
    let first = match parts.is_empty() {
        true => String::new(),
        false => parts.remove(0),
    };
    let head = Line::new()
        .gap(2)
        .cell(index, 4, Role::Dim)
        .text(format!("{sign}{first}"), Role::Text);
    let head = match is_beside {
        true => head.right(next, Role::Text),
        false => head,
    };
    rows.row(Row::Rule(place), head.right(line, Role::Dim));
    for part in parts {
        rows.say(Line::new().gap(HEAD + width(&sign)).text(part, Role::Text));
    }
}

/// The rows of what of a rule was false, of so many cells with where it leads beside them and without, and whether that
/// has room.
fn passed_text(
    paint: &Paint,
    rule: &RuleView,
    form: Form,
    (room, narrow): (usize, usize),
) -> (Vec<String>, bool) {
    let glyphs = paint.glyphs;
    let forms = was_false(paint, rule);
    let forms: Vec<String> = forms.iter().map(|form| words(glyphs, form)).collect();
    let whole = match form {
        Form::Said => forms.first(),
        Form::Bare => forms.get(1),
        _ => None,
    };
    if let Some(text) = whole {
        let beside = room.max(narrow / 2);
        let rows = wrapped(text, beside);
        let alone = wrapped(text, narrow);
        return match beside == room && rows.len() == alone.len() {
            true => (rows, true),
            false => (alone, false),
        };
    }
    let fits = |cells: usize| forms.iter().find(|form| width(form) <= cells).cloned();
    match (fits(room), fits(narrow), rule.telling()) {
        (Some(text), _, _) => (vec![text], true),
        (None, Some(text), _) => (vec![text], false),
        (None, None, Some(test)) if form == Form::First => (wrapped(&test.brief(), narrow), false),
        (None, None, Some(test)) => (vec![clipped(test, narrow, glyphs)], false),
        (None, None, None) => (Vec::new(), false),
    }
}

/// What of a rule was false, in forms: every test that decides, with why and without; the one that tells most, and how many
/// more.
fn was_false(paint: &Paint, rule: &RuleView) -> Vec<String> {
    let decisive = rule.operands.iter().zip(rule.decisive());
    let decisive = decisive.filter(|(one, decides)| *decides && !one.after);
    let decisive: Vec<OperandView> = decisive.map(|(one, _)| one.clone()).collect();
    let bare = |one: &OperandView| clipped(one, TEST, paint.glyphs);
    let said = joined(&decisive, &|one| match &one.why {
        Some(why) => format!("{} ({why})", bare(one)),
        None => bare(one),
    });
    let first = rule.telling().map(bare).unwrap_or_default();
    let mut forms = vec![said, joined(&decisive, &bare)];
    let tests = decisive.iter().filter(|one| one.joint == Joint::None);
    forms.extend(match tests.count() {
        0 | 1 => None,
        count => Some(format!("{first}, {} more", count - 1)),
    });
    forms.push(first);
    forms
}

/// The place of the rule that decided: the one taken, or the one that failed.
pub(super) fn deciding(rules: &[RuleView]) -> Option<usize> {
    rules.iter().position(|rule| {
        rule.taken || (rule.asked && (rule.absent || matches!(rule.result, Some(Err(_)))))
    })
}

/// The place of the rule to open with: the one that tells why the Choice goes where it does.
pub(super) fn opened(rules: &[RuleView]) -> Option<usize> {
    let place = deciding(rules).or_else(|| to_be_taken(rules))?;
    reason(rules, place).map(|reason| reason.place)
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
type Styled = (Option<usize>, String, Role, usize);

/// The tests as lines with their columns further right; where there are several, each with its mark.
fn operand_texts(
    paint: &Paint,
    rule: &RuleView,
    own: Role,
    (form, cells): (Form, usize),
) -> Vec<Styled> {
    let glyphs = paint.glyphs;
    let operands = &rule.operands;
    let several = operands.len() > 1;
    let (decisive, telling) = (rule.decisive(), rule.telling());
    let (mut given_way, mut all_held, mut within) = (0, true, None);
    let mut lines = Vec::new();
    // What is inside of one that is not reached is not reached either: that is said once.
    let mut skipped: Option<u32> = None;
    for ((test, operand), decides) in operands.iter().enumerate().zip(decisive) {
        let told = operand.after && skipped.is_some_and(|depth| depth < operand.depth);
        if !told {
            skipped = operand.after.then_some(operand.depth);
        }
        if !decides && form >= Form::Tight {
            // Those inside of one go with it.
            if within.is_none_or(|depth| operand.depth <= depth) {
                given_way += 1;
                all_held &= operand.result == Some(Ok(true));
                within = Some(operand.depth);
            }
            continue;
        }
        within = None;
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
        let is_short = form >= if decides { Form::Tight } else { Form::Short };
        let text = match (&operand.result, operand.after && !told) {
            (_, after) if is_short && !telling.is_some_and(|one| std::ptr::eq(one, operand)) => {
                let note = if after { ", not reached" } else { "" };
                clipped(operand, room.saturating_sub(note.len()), glyphs) + note
            }
            (Some(Ok(result)), true) => {
                format!("{}, not reached; would be {result}", operand.text)
            }
            (None, true) => format!("{}, not reached", operand.text),
            (_, _) => operand.text.clone(),
        };
        let text = words(glyphs, &text);
        for (row, part) in wrapped(&text, room).into_iter().enumerate() {
            let sign = if row == 0 { &sign } else { &blank };
            let own = (row == 0 && operand.depth > 0).then_some(test);
            lines.push((own, format!("{sign}{part}"), style_of, indent));
        }
        let problem = match &operand.result {
            _ if is_short && (!decides || operand.after) => None,
            Some(Err(_)) if told => None,
            Some(Err(error)) if operand.after => Some(format!("not reached: {error}")),
            Some(Err(error)) if several && operand.depth > 0 => Some(error.clone()),
            _ => operand.why.clone(),
        };
        if let Some(why) = &problem {
            for part in wrapped(&words(glyphs, why), room) {
                lines.push((None, format!("{blank}{part}"), Role::Warning, indent));
            }
        }
    }
    if given_way > 0 {
        let what = match all_held {
            true => "true",
            false => "not what decides",
        };
        let text = format!("{} {given_way} more, {what}", glyphs.cut);
        lines.push((None, text, Role::Dim, 2));
    }
    lines
}

fn sign_of(paint: &Paint, status: StateStatus) -> String {
    format!("{} ", paint.glyphs.status(status).trim_end())
}
