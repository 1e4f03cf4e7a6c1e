//! Rows of the state pane for the rules of a Choice: for each rule, its tests and its result.

use super::Paint;
use super::line::Line;
use super::state_line::{Row, StateRows};
use crate::session::view::{Compared, Joint, OperandView, RuleView, Side, StateStatus, reason};
use crate::tui::fit::{clip_middle, width, words, wrapped};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;

/// Columns before the text of a rule: for the arrow at the taken rule, and for the line number.
const HEAD: usize = 8;
/// Columns of the line number.
const LINE: usize = 6;

/// Adds rows for the rules of a Choice, the deciding rule first. If `folded`, all tests are shown only of the deciding
/// rule, of the rule that best explains why no rule matched, and of the selected rule; each other rule takes one row.
pub(super) fn choice_lines(
    paint: &Paint,
    rules: &[RuleView],
    (selected, folded): (Option<usize>, bool),
    rows: &mut StateRows,
) {
    let next = to_be_taken(rules);
    let decides = deciding(rules).or(next);
    // If no rule matched, the rule that best explains why no rule matched comes second.
    let telling = decides.and_then(|place| reason(rules, place));
    let telling = telling.map(|reason| reason.place);
    let first = decides
        .into_iter()
        .chain(telling.filter(|_| telling != decides));
    let first: Vec<usize> = first.collect();
    let others = (0..rules.len()).filter(|place| !first.contains(place));
    for place in first.iter().copied().chain(others) {
        let Some(rule) = rules.get(place) else {
            continue;
        };
        let forecast = next == Some(place);
        match !folded || first.contains(&place) || selected == Some(place) {
            true => whole_rule(paint, (place, rule), (forecast, folded), rows),
            false => rule_row(paint, (place, rule), forecast, rows),
        }
    }
}

/// The line of a rule in the source, such as `:37`; the rule's index if the line is not known.
fn label(paint: &Paint, rule: &RuleView) -> String {
    match (paint.line_of(rule.span).as_str(), rule.index) {
        ("", Some(index)) => format!("[{index}]"),
        ("", None) => " -".to_owned(),
        (line, _) => line.to_owned(),
    }
}

/// A rule in a single row: its most informative test, its result, and the next state.
fn rule_row(
    paint: &Paint,
    (place, rule): (usize, &RuleView),
    forecast: bool,
    rows: &mut StateRows,
) {
    let (outcome, role) = outcome(rule, forecast);
    let text_role = if rule.asked { Role::Text } else { Role::Dim };
    let next = match rule.absent {
        true => String::new(),
        false => format!("  {} {}", paint.glyphs.arrow, rule.next),
    };
    let tail = 2 + width(&outcome) + width(&next);
    let beside = rows.cells.saturating_sub(HEAD + tail);
    let is_beside = beside >= rows.cells / 3;
    let room = match is_beside {
        true => beside,
        false => rows.cells.saturating_sub(HEAD),
    };
    let tests = rule.operands.iter();
    let more = match tests.filter(|test| test.joint == Joint::None).count() {
        0 | 1 => String::new(),
        count => format!(", {tests} more", tests = count - 1),
    };
    let test = rule.telling().or(rule.operands.first());
    let text = test.map_or_else(String::new, |test| {
        let room = room.saturating_sub(width(&more));
        clipped(test, room, paint.glyphs) + &more
    });
    let head = Line::new().gap(2).cell(label(paint, rule), LINE, Role::Dim);
    let head = head.text(text, text_role);
    let end = |row: Line| row.right(&*outcome, role).right(&*next, text_role);
    match is_beside {
        true => rows.row(Row::Rule(place), end(head)),
        false => {
            rows.row(Row::Rule(place), head);
            rows.say(end(Line::new()));
        }
    }
}

/// Rows for a rule with all its tests; each test begins a new row.
fn whole_rule(
    paint: &Paint,
    (place, rule): (usize, &RuleView),
    (forecast, folded): (bool, bool),
    rows: &mut StateRows,
) {
    let (glyphs, cells) = (paint.glyphs, rows.cells);
    let (outcome, role) = outcome(rule, forecast);
    let mark = if rule.taken { glyphs.here } else { "" };
    let text_role = match (rule.taken, rule.asked) {
        (true, _) => Role::Ok,
        (false, true) => Role::Text,
        (false, false) => Role::Dim,
    };
    let head = Line::new().cell(mark, 2, Role::Mark);
    let head = head.cell(label(paint, rule), LINE, Role::Dim);
    let next = match rule.absent && rule.after {
        true => String::new(),
        false => format!("{} {}", glyphs.arrow, rule.next),
    };
    let tail = width(&outcome) + 2 + width(&next);
    let at_end = |row: Line| {
        row.right(format!("{outcome}  "), role)
            .right(&*next, text_role)
    };
    let texts = operand_texts(paint, rule, text_role, (folded, cells));
    // A rule with a single short comparison takes one row.
    if let [(_, text, style_of, _)] = texts.as_slice()
        && HEAD + width(text) + 2 + tail < cells
    {
        return rows.row(Row::Rule(place), at_end(head.text(text, *style_of)));
    }
    let mut texts = texts.into_iter();
    let (_, first, first_style, _) = texts.next().unwrap_or((None, String::new(), text_role, 0));
    // If the rule joins several tests, its result is in the first row.
    let is_joined = rule.operands.len() > 1;
    let is_beside = is_joined && HEAD + width(&first) + 2 + tail <= cells;
    let head = head.text(first, first_style);
    let head = if is_beside { at_end(head) } else { head };
    rows.row(Row::Rule(place), head);
    for (test, text, text_role, indent) in texts {
        let line = Line::new().gap(HEAD + indent).text(text, text_role);
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
        rows.say(last.text(format!("  {next}"), text_role));
        return;
    }
    rows.note(HEAD, &outcome, role);
    rows.say(Line::new().gap(HEAD).text(next, text_role));
}

/// Index of the rule that decided the Choice: the rule that matched, or the rule whose evaluation failed.
pub(super) fn deciding(rules: &[RuleView]) -> Option<usize> {
    rules.iter().position(|rule| {
        rule.taken || (rule.asked && (rule.absent || matches!(rule.result, Some(Err(_)))))
    })
}

/// Index of the rule that will match, or of Default if all rules will be false. `None` if this is not known yet, or if
/// the Choice has already decided.
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

/// Text for the result of a rule: its result, or, if the rule was not evaluated, the result that it would have.
fn outcome(rule: &RuleView, forecast: bool) -> (String, Role) {
    match (&rule.result, rule.asked) {
        _ if rule.absent && rule.asked => ("no rule matches".to_owned(), Role::Failed),
        _ if rule.absent && forecast => ("no match, will be raised".to_owned(), Role::Warning),
        _ if rule.taken && rule.index.is_none() => ("taken".to_owned(), Role::Ok),
        (Some(Ok(true)), true) if rule.taken => ("true, taken".to_owned(), Role::Ok),
        (Some(Ok(result)), true) => (result.to_string(), Role::Dim),
        (Some(Err(_)), true) => ("failed".to_owned(), Role::Error),
        (Some(Ok(result)), false) if rule.after => {
            let role = if *result { Role::Warning } else { Role::Dim };
            (format!("would be {result}"), role)
        }
        (Some(Err(_)), false) if rule.after => ("would be an error".to_owned(), Role::Dim),
        (None, false) if forecast && rule.index.is_none() => {
            ("no match, Default will be taken".to_owned(), Role::Info)
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

/// A row for a rule: the index of the test that begins in this row, and the row's text, style role and indentation.
type Styled = (Option<usize>, String, Role, usize);

/// The tests of a rule as indented rows. If the rule has several tests, each test has a symbol for its result.
fn operand_texts(
    paint: &Paint,
    rule: &RuleView,
    text_role: Role,
    (folded, cells): (bool, usize),
) -> Vec<Styled> {
    let glyphs = paint.glyphs;
    let operands = &rule.operands;
    let several = operands.len() > 1;
    let mut lines = Vec::new();
    // If a test was skipped, the tests inside it were skipped, too; only the outer test says so.
    let mut skipped: Option<u32> = None;
    let decisive = rule.decisive();
    for ((test, operand), decides) in operands.iter().enumerate().zip(decisive) {
        let is_outer_skipped = operand.after && skipped.is_some_and(|depth| depth < operand.depth);
        if !is_outer_skipped {
            skipped = operand.after.then_some(operand.depth);
        }
        let indent = 2 * operand.depth as usize;
        let (sign, style_of) = match &operand.result {
            _ if !several || operand.depth == 0 => (String::new(), text_role),
            Some(Ok(true)) => (sign_of(paint, StateStatus::Succeeded), text_role),
            Some(Ok(false)) => (sign_of(paint, StateStatus::Failed), text_role),
            Some(Err(_)) if operand.after => (sign_of(paint, StateStatus::NotReached), text_role),
            Some(Err(_)) => (sign_of(paint, StateStatus::ErrorRaised), text_role),
            None => (String::new(), text_role),
        };
        let room = cells.saturating_sub(HEAD + indent + sign.len()).max(16);
        let blank = " ".repeat(width(&sign));
        let is_short = folded && !decides;
        let text = match (&operand.result, operand.after && !is_outer_skipped) {
            (_, after) if is_short => {
                let note = if after { ", not reached" } else { "" };
                clipped(operand, room.saturating_sub(note.len()), glyphs) + note
            }
            (Some(Ok(result)), true) => {
                format!(
                    "{test}, not reached; would be {result}",
                    test = operand.text
                )
            }
            (None, true) => format!("{test}, not reached", test = operand.text),
            (_, _) => operand.text.clone(),
        };
        let text = words(glyphs, &text);
        for (row, part) in wrapped(&text, room).into_iter().enumerate() {
            let sign = if row == 0 { &sign } else { &blank };
            let begun_test = (row == 0 && operand.depth > 0).then_some(test);
            lines.push((begun_test, format!("{sign}{part}"), style_of, indent));
        }
        let problem = match &operand.result {
            _ if is_short => None,
            Some(Err(_)) if is_outer_skipped => None,
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
    lines
}

fn sign_of(paint: &Paint, status: StateStatus) -> String {
    format!("{} ", paint.glyphs.status(status).trim_end())
}

/// A test, shortened to `cells` cells. First the beginnings of paths are left out, then the compared values are cut.
pub(super) fn clipped(test: &OperandView, cells: usize, glyphs: &Glyphs) -> String {
    let whole = words(glyphs, &test.text);
    if width(&whole) <= cells {
        return whole;
    }
    let Some(compared) = &test.compared else {
        return clip_middle(&whole, cells, glyphs);
    };
    let forms = forms(compared, glyphs);
    let last = forms.last().cloned().unwrap_or(whole);
    let fits = forms.into_iter().find(|form| width(form) <= cells);
    fits.unwrap_or_else(|| clip_middle(&last, cells, glyphs))
}

/// Texts for a comparison, from the longest to the shortest.
fn forms(compared: &Compared, glyphs: &Glyphs) -> Vec<String> {
    let Compared { left, sign, right } = compared;
    let said = |left: &Side, right: &Side| words(glyphs, &format!("{left} {sign} {right}"));
    let mut forms = vec![said(left, right)];
    let ends = |side: &Side| -> Vec<Side> {
        let shorter = shorter(&side.written, glyphs).into_iter();
        let shorter = shorter.map(|written| Side {
            written,
            value: side.value.clone(),
        });
        std::iter::once(side.clone()).chain(shorter).collect()
    };
    let (lefts, rights) = (ends(left), ends(right));
    forms.extend(lefts.iter().map(|left| said(left, right)));
    let (Some(left), Some(short)) = (lefts.last(), rights.last()) else {
        return forms;
    };
    forms.extend(rights.iter().map(|right| said(left, right)));
    let bare = |side: &Side| Side {
        value: None,
        ..side.clone()
    };
    forms.push(said(&bare(left), short));
    forms.push(said(&bare(left), &bare(short)));
    forms
}

/// Shorter texts for a path, without its first names, from the longest to the shortest; empty if the text is not a
/// path.
fn shorter(written: &str, glyphs: &Glyphs) -> Vec<String> {
    let is_path = written.starts_with('$') && !written.contains([' ', '(', '"']);
    let ends = written.match_indices('.').filter(|_| is_path);
    let ends = ends.filter_map(|(at, _)| written.get(at..).filter(|_| at > 1));
    ends.map(|end| format!("{}{end}", glyphs.cut)).collect()
}
