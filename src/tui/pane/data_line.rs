//! Draws the rows of the data pane: the titles of blocks, the members and items of values, and short previews of
//! values.

use super::Paint;
use super::block::{Listed, Part, size_share};
use super::folds::json_text;
use super::line::{Line, bytes, count, counted};
use super::pipeline::{expression_at, template};
use super::tree::{Fold, Row};
use crate::definition::{StateKind, Unit};
use crate::interpreter::{Reason, Stage};
use crate::json::{ChangeKind, Step, Value, is_not_recorded, one_line};
use crate::query::Unevaluated;
use crate::service::Kind;
use crate::session::note::own_words;
use crate::tui::fit::{clip, width};
use crate::tui::theme::Role;
use crate::tui::whereabouts::arose;

/// Column in which a row at the nesting depth `depth` shows whether it is folded.
pub(super) fn indent(depth: usize, cells: usize) -> usize {
    2 + (depth * 2).min(cells / 3)
}

fn fold_mark(paint: &Paint, fold: Fold) -> &'static str {
    match fold {
        Fold::Leaf => " ",
        Fold::Open => paint.glyphs.unfolded,
        Fold::Closed => paint.glyphs.folded,
    }
}

pub(super) fn title_line(paint: &Paint, listed: &Listed, cells: usize) -> Line {
    let block = &listed.block;
    let mark = match block.part {
        Part::Error => "!",
        _ => "",
    };
    let name = match block.part {
        Part::Error => Role::Error,
        _ if block.quiet => Role::Dim,
        _ if block.section => Role::Title,
        _ => Role::Text,
    };
    let mut line = Line::new()
        .cell(mark, 2, Role::Error)
        .cell(fold_mark(paint, listed.fold()), 2, Role::Text)
        .text(&block.name, name);
    let value = block.value.as_ref();
    let mut right = right_of(paint, listed, Some(Size::Whole));
    if let Some(expression) = &block.expression {
        // If there is too little room, omits the size of the value first, and then the name of the field. The
        // expression in the field is always shown.
        let fits = |text: &str, right: &[(String, Role)]| {
            let right: usize = right.iter().map(|(text, _)| width(text)).sum();
            line.width() + 2 + width(text) + 1 + right <= cells
        };
        for size in [Some(Size::Counted), None] {
            if !fits(expression, &right) {
                right = right_of(paint, listed, size);
            }
        }
        let end = expression.split_once(' ').map(|(_, end)| end);
        let end = end.filter(|end| !fits(expression, &right) && fits(end, &right));
        line = line
            .text("  ", Role::Text)
            .text(end.unwrap_or(expression), Role::Path);
    }
    let scalar = |value: &Value| value.as_object().is_none() && !value.is_array();
    if let Some(value) = value
        && block.part != Part::Error
        && (!listed.open || scalar(value))
    {
        let (text, role) = preview(value, cells);
        let right: usize = right.iter().map(|(text, _)| width(text)).sum();
        let room = cells.saturating_sub(line.width() + 3 + right);
        // Leaves out the value if only a few of its characters could be shown.
        if room >= width(&text).min(STUB) {
            line = line.text("  ", Role::Text).text(text, role);
        }
    }
    if block.section {
        line = line.rule(Role::Border);
    }
    right
        .into_iter()
        .fold(line, |line, (text, role)| line.right(text, role))
}

/// A value beside its title is cut to no fewer cells than this; if there is less room, the value is left out.
const STUB: usize = 8;

/// The numbers with which a title gives the size of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Number of members and number of bytes.
    Whole,
    /// Number of members.
    Counted,
}

/// Texts at the right of a block's title: numbers of changes, the remark, the size of the value, and the size as a
/// percentage of AWS's limit if it is at least half of the limit.
fn right_of(paint: &Paint, listed: &Listed, size: Option<Size>) -> Vec<(String, Role)> {
    let block = &listed.block;
    let value = block.value.as_ref().filter(|_| block.part != Part::Error);
    let kinds = [
        (ChangeKind::Added, Role::Added),
        (ChangeKind::Changed, Role::Changed),
        (ChangeKind::Removed, Role::Removed),
    ];
    let marks = kinds.into_iter().zip(listed.marks.counts());
    let marks = marks.filter(|(_, number)| *number > 0);
    let mut right: Vec<(String, Role)> = marks
        .map(|((kind, role), number)| {
            let text = format!("{}{number} ", paint.glyphs.change(kind));
            (text, role)
        })
        .collect();
    if let Some((remark, role)) = &block.remark {
        let gap = if value.is_some() { "  " } else { "" };
        right.push((format!("{remark}{gap}"), *role));
    }
    if let Some(value) = value {
        if let Some(size) = size {
            let text = measure(value, size == Size::Whole, unit_of(block.part));
            right.push((text, Role::Dim));
        }
        let share = size_share(value);
        right.extend(share);
    }
    if let Some((last, _)) = right.last_mut() {
        last.truncate(last.trim_end().len());
    }
    right
}

/// The unit in which the elements of an array in this block are counted: batches or items.
pub(super) fn unit_of(part: Part) -> Unit {
    match part {
        Part::Stage(Stage::AfterItemBatcher) => Unit::Batch,
        _ => Unit::Item,
    }
}

/// From this size on, in bytes, the size of a value is shown after the number of its members.
const LARGE: u64 = 10_000;

/// Text about the size of a value, such as `2 keys` or `400 items  12.3 kB`. The bytes are included if `size` is true
/// and the value is large.
fn measure(value: &Value, size: bool, unit: Unit) -> String {
    let counted = match value {
        Value::Object(object) => count(object.members().len(), "key"),
        Value::Array(array) => counted(unit, array.len()),
        // A value that was not recorded has no size.
        _ if is_not_recorded(value) => return String::new(),
        _ => return bytes(value.size()),
    };
    if size && value.size() >= LARGE {
        format!("{counted}  {size}", size = bytes(value.size()))
    } else {
        counted
    }
}

/// Number of cells that a value keeps if the name before it is too long.
const LEAST_VALUE: usize = 12;

pub(super) fn node_line(paint: &Paint, part: Part, node: &Row, cells: usize) -> Line {
    let (sign, role) = match node.change {
        Some(kind @ ChangeKind::Added) => (paint.glyphs.change(kind), Some(Role::Added)),
        Some(kind @ ChangeKind::Removed) => (paint.glyphs.change(kind), Some(Role::Removed)),
        Some(kind @ ChangeKind::Changed) => (paint.glyphs.change(kind), Some(Role::Changed)),
        None if part == Part::Error && node.depth == 1 => ("!", Some(Role::Error)),
        None => ("", None),
    };
    let name_role = if node.item { Role::Dim } else { Role::Key };
    let name_style = role.unwrap_or(name_role);
    let value_role = role.filter(|role| matches!(role, Role::Removed | Role::Error));
    let column = indent(node.depth, cells);
    let container = node.value.as_object().is_some() || node.value.as_array().is_some();
    let cause = (part == Part::Error && node.depth == 1).then(|| folded_cause(paint, node));
    let shown = (!container || node.fold != Fold::Open).then(|| {
        cause
            .flatten()
            .unwrap_or_else(|| preview(&node.value, cells))
    });
    // A name that is too long for the column of names may also use cells that the value does not need. It may even
    // cover part of a long value.
    let value = shown.as_ref().map_or(0, |(text, _)| width(text));
    let left = cells.saturating_sub(column + 2 + value.min(LEAST_VALUE));
    let names = node
        .name_width
        .min(cells / 2)
        .max(width(&node.name).min(left.saturating_sub(2)));
    let mut line = Line::new()
        .cell(sign, 2, name_style)
        .gap(column - 2)
        .cell(fold_mark(paint, node.fold), 2, Role::Text)
        .cell(&*node.name, names + 2, name_style);
    if let Some((text, role)) = shown {
        line = line.text(text, value_role.unwrap_or(role));
    }
    let steps = node.place.pointer();
    if let Value::String(text) = &node.value
        && Unevaluated::of(text).is_some()
    {
        line = line.right("not evaluated", Role::Warning);
    } else if !node.place.is_in_text()
        && let Some(template) = template(paint, part)
        && let Some(expression) = expression_at(template, &steps.0)
    {
        // Leaves little room to the expression if the value is short, so that the value is shown in full.
        let least = match !container && value <= cells / 2 {
            true => cells / 6,
            false => cells * 2 / 5,
        };
        let room = least.max(cells.saturating_sub(line.width() + 1));
        let text = clip(&format!("= {expression}"), room, paint.glyphs);
        line = line.right(text, Role::Path);
    } else if node.text {
        line = line.right("JSON text", Role::Info);
    } else if let Some(kind) = kind_on_aws(paint, part, &steps.0, &node.value) {
        line = line.right(kind, Role::Dim);
    } else if container {
        let size = node.fold == Fold::Closed && node.value.size() >= 100;
        line = line.right(measure(&node.value, size, Unit::Item), Role::Dim);
    } else if node.value.size() as usize > cells {
        line = line.right(measure(&node.value, true, Unit::Item), Role::Dim);
    }
    line
}

/// Remark on a member of a task's result, if AWS gives it a type that the JSON value does not show: a time, or a type
/// different from that of this value.
fn kind_on_aws(paint: &Paint, part: Part, place: &[Step], value: &Value) -> Option<&'static str> {
    let state = paint.definition.state(paint.view.data.state?)?;
    let StateKind::Task(task) = &state.kind else {
        return None;
    };
    if part != Part::Stage(Stage::Result) {
        return None;
    }
    Some(match (task.call()?.kind_of(place)?, value) {
        (Kind::Timestamp, Value::String(_)) => "time",
        (Kind::Timestamp, _) => "is a time on AWS",
        (Kind::Text | Kind::Blob, Value::Number(_) | Value::Bool(_)) => "is a string on AWS",
        (Kind::Integer | Kind::Float, Value::String(_) | Value::Bool(_)) => "is a number on AWS",
        (Kind::Boolean, Value::String(_) | Value::Number(_)) => "is a boolean on AWS",
        _ => return None,
    })
}

/// A Cause with at least this many words may be replaced by its length.
const FEW: usize = 6;

/// Text in place of the Cause of the shown error: its length. `None` unless the Cause is long and the banner already
/// says the same.
fn folded_cause(paint: &Paint, node: &Row) -> Option<(String, Role)> {
    let (_, fault) = arose(paint.view, paint.definition);
    let fault = fault?;
    let text = node.value.as_str().filter(|_| &*node.name == "Cause")?;
    let cause = own_words(&fault.fault);
    let is_ours = !matches!(
        fault.fault.reason.read(),
        Reason::Answer | Reason::Fail { .. }
    );
    let is_said = is_ours
        || fault
            .finding
            .to_string()
            .contains(cause.trim_end_matches('.'));
    let is_long = text.split_whitespace().count() >= FEW;
    (is_long && is_said).then(|| {
        let size = text.chars().count();
        (format!("{size} characters, Enter opens them"), Role::Dim)
    })
}

/// A short text for a value, about `cells` cells wide; for a large object, only the names of its members.
pub(super) fn preview(value: &Value, cells: usize) -> (String, Role) {
    let is_small = value.size() <= 40 && value.depth() == 1;
    abridged(value, cells, is_small)
}

/// Like [`preview`], but shows the values of an object's members, because the names alone would be the same for all
/// items of a list.
pub(super) fn preview_of_item(value: &Value, cells: usize) -> (String, Role) {
    abridged(value, cells, value.size() <= 4096)
}

fn abridged(value: &Value, cells: usize, with_values: bool) -> (String, Role) {
    match value {
        Value::Null | Value::Bool(_) => (one_line(value), Role::Keyword),
        Value::Number(_) => (one_line(value), Role::Number),
        Value::String(text) if is_not_recorded(value) => (text.to_string(), Role::Warning),
        Value::String(text) => {
            if json_text(value).is_some() && text.len() > cells {
                let head: String = text.chars().take(cells).collect();
                return (head, Role::String);
            }
            let head: String = text.chars().take(cells.saturating_add(1)).collect();
            let quoted = one_line(&Value::string(head.as_str()));
            (quoted, Role::String)
        }
        Value::Array(array) if array.is_empty() => ("[]".to_owned(), Role::Punctuation),
        Value::Object(object) if object.members().is_empty() => {
            ("{}".to_owned(), Role::Punctuation)
        }
        Value::Array(array) => {
            let texts = array.from(0).map(|item| match item {
                Value::Array(_) => "[..]".to_owned(),
                Value::Object(_) => "{..}".to_owned(),
                _ => preview(item, 20).0,
            });
            (format!("[ {} ]", first_of(texts, cells)), Role::Dim)
        }
        Value::Object(object) => {
            let texts = object.members().iter().map(|(name, member)| {
                let name: String = name.chars().take(24).collect();
                match with_values {
                    true => format!("{name}: {}", preview(member, 40).0),
                    false => name,
                }
            });
            (format!("{{ {} }}", first_of(texts, cells)), Role::Dim)
        }
    }
}

/// Joins the texts with commas, but only as many as fit; dots stand for the others.
fn first_of(texts: impl Iterator<Item = String>, cells: usize) -> String {
    let mut parts = Vec::new();
    let mut room = cells.min(60);
    for text in texts {
        let needed = text.chars().count() + 2;
        if needed > room {
            parts.push("..".to_owned());
            break;
        }
        room -= needed;
        parts.push(text);
    }
    parts.join(", ")
}

/// Text for an expression's result, at most `cells` cells wide: the value, or the reason why there is none.
pub(super) fn outcome(value: &Result<Value, String>, cells: usize) -> (String, Role) {
    match value {
        Ok(value) => {
            if value.size() <= cells as u64 {
                let (_, role) = preview(value, cells);
                (one_line(value), role)
            } else {
                preview(value, cells)
            }
        }
        Err(why) => (why.clone(), Role::Warning),
    }
}
