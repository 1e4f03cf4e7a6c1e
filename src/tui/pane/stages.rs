//! Shows the values before and after the selected stage, and how the stage was produced. The data pane shows this
//! beside its list of stages if the pane is wide and the only one on the screen.

use super::block::{Listed, Part};
use super::data_line::{node_line, unit_of};
use super::folds::{Folds, Marks, Place};
use super::line::{Line, bytes, cells, count, counted};
use super::pipeline::template;
use super::tree::Tree;
use super::{Paint, block, how};
use crate::definition::Unit;
use crate::interpreter::Stage;
use crate::json::Value;
use crate::tui::fit::{words, wrapped};
use crate::tui::layout::{cut_left, cut_top};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Minimum width of the data pane, in cells, for showing the values beside the stages.
pub(super) const WIDE: u16 = 108;
/// Maximum number of containers to unfold in each value.
const UNFOLDED: usize = 500;

/// Splits the data pane: the area for the list of stages, and the area for the values beside it.
pub(super) fn split(area: Rect) -> (Rect, Rect) {
    let left = (area.width * 36 / 100).clamp(40, 60);
    apart(area, left)
}

/// Splits an area into two areas side by side with an empty column between them; `left` is the width of the left area.
fn apart(area: Rect, left: u16) -> (Rect, Rect) {
    let (left, rest) = cut_left(area, left);
    (left, cut_left(rest, 1).1)
}

/// One of the two values that are shown beside the list of stages, with its title.
struct Shown {
    title: String,
    part: Part,
    /// The name of the elements, if the value is an array: items, batches or something else.
    unit: Unit,
    value: Option<Value>,
    marks: std::rc::Rc<Marks>,
    /// Text to show if there is no value.
    otherwise: &'static str,
}

impl Shown {
    /// Number of rows that the value needs without the title.
    fn rows(&self) -> usize {
        self.value.as_ref().map_or(1, |value| {
            let mut folds = Folds::default();
            folds.open_below(value, &Place::default(), UNFOLDED);
            Tree::new(value, &folds, &self.marks).len().max(1)
        })
    }
}

/// The complete text of a string, because the drawn value may show only a part of it: the selected string, or the Cause
/// of an error.
fn in_full(paint: &Paint, shown: &Shown, place: &Place, room: usize) -> Vec<Line> {
    let value = match (&shown.value, shown.part) {
        (Some(value), Part::Error) => value.get("Cause").cloned(),
        (Some(value), _) if !place.0.is_empty() => place.get(value),
        _ => None,
    };
    let text = value.as_ref().and_then(Value::as_str).unwrap_or_default();
    if text.chars().count() < room / 3 {
        return Vec::new();
    }
    let head: String = text.chars().take(4000).collect();
    wrapped(&words(paint.glyphs, &head), room.saturating_sub(4))
        .into_iter()
        .map(|piece| Line::new().gap(2).text(piece, Role::String))
        .collect()
}

/// Draws the values and how they were produced.
pub(super) fn draw(paint: &Paint, listed: &Listed, place: &Place, area: Rect, buffer: &mut Buffer) {
    let half = area.width.saturating_sub(1) / 2;
    let (before, after) = values(paint, listed);
    let mut how = how(paint, listed, place, usize::from(area.width));
    how.extend(in_full(paint, &after, place, usize::from(area.width)));
    let below = cells(how.len()).clamp(4, (area.height / 2).max(4));
    // The explanation of how the stage was produced begins below the longer of the two values.
    let needed = before.rows().max(after.rows()).saturating_add(2);
    let above = cells(needed).clamp(8, area.height.saturating_sub(below).max(8));
    let (upper, lower) = cut_top(area, above);
    let (left, right) = apart(upper, half);
    rules(paint, area, half, above, buffer);
    draw_value(paint, &before, place, left, buffer);
    draw_value(paint, &after, place, right, buffer);
    for (y, line) in lower.rows().zip(how) {
        line.draw(paint.brush(), y, buffer);
    }
}

/// Draws the lines that separate the stages and the two values.
fn rules(paint: &Paint, area: Rect, half: u16, above: u16, buffer: &mut Buffer) {
    let (bar, border) = (paint.glyphs.border.vertical, paint.style(Role::Border));
    for y in area.y..area.bottom() {
        buffer.set_string(area.x.saturating_sub(1), y, bar, border);
        if y < area.y.saturating_add(above) {
            buffer.set_string(area.x.saturating_add(half), y, bar, border);
        }
    }
}

/// The values before and after the selected stage.
fn values(paint: &Paint, listed: &Listed) -> (Shown, Shown) {
    let block = &listed.block;
    let stages = &paint.view.data.stages;
    let at = match block.part {
        Part::Stage(stage) => stages.iter().position(|view| view.stage == stage),
        // The block of an error takes the position of the stage Result.
        Part::Error => stages
            .iter()
            .position(|view| view.stage == Stage::Result)
            .or(Some(stages.len())),
        Part::Variables | Part::Context => Some(0),
    };
    // ResultPath inserts the result into the input, so the input is shown as the value before.
    let merged = block.base.as_ref().filter(|_| {
        matches!(
            block.part,
            Part::Stage(Stage::AfterResultPath | Stage::Output)
        )
    });
    let before = match merged {
        Some(value) => Some((Stage::Input, value.clone())),
        None => stages
            .iter()
            .take(at.unwrap_or(0))
            .rev()
            .find_map(|view| Some((view.stage, view.value.clone()?))),
    };
    let title = match &before {
        Some((stage, _)) => format!("before: {stage}", stage = stage.name()),
        None => "before".to_owned(),
    };
    let unit = before
        .as_ref()
        .map(|(stage, _)| unit_of(Part::Stage(*stage)));
    let before = Shown {
        title,
        part: Part::Stage(Stage::Input),
        unit: unit.unwrap_or(Unit::Item),
        value: before.map(|(_, value)| value),
        marks: std::rc::Rc::default(),
        otherwise: "no stage comes before this stage",
    };
    let stage_or_part = match block.part {
        Part::Stage(stage) => stage.name(),
        _ => &block.name,
    };
    let after = Shown {
        title: format!("after: {stage_or_part}"),
        // The rows of the value show no expressions, because the explanation below shows them in full.
        part: match block.part {
            Part::Error => Part::Error,
            _ => Part::Stage(Stage::Input),
        },
        unit: unit_of(block.part),
        value: block.value.clone(),
        marks: listed.marks.clone(),
        otherwise: match block.part {
            Part::Stage(stage) => paint.view.data.to_come.word(stage),
            _ => "nothing",
        },
    };
    (before, after)
}

fn draw_value(paint: &Paint, shown: &Shown, place: &Place, area: Rect, buffer: &mut Buffer) {
    let size = shown.value.as_ref().map_or_else(String::new, |value| {
        let counted = match value {
            Value::Object(object) => format!("{}  ", count(object.members().len(), "key")),
            Value::Array(array) => format!("{}  ", counted(shown.unit, array.len())),
            _ => String::new(),
        };
        format!("{counted}{}", bytes(value.size()))
    });
    let title = Line::new().text(format!(" {}", shown.title), Role::Title);
    let mut lines = vec![title.right(size, Role::Dim)];
    match &shown.value {
        Some(value) => lines.extend(value_lines(paint, shown, value, place, area)),
        None => lines.push(Line::new().text(format!("  {}", shown.otherwise), Role::Dim)),
    }
    for (y, line) in area.rows().zip(lines) {
        line.draw(paint.brush(), y, buffer);
    }
}

/// As many rows of the value as fit, with the selected member in the middle.
fn value_lines(
    paint: &Paint,
    shown: &Shown,
    value: &Value,
    place: &Place,
    area: Rect,
) -> Vec<Line> {
    let (room, wide) = (area.height.saturating_sub(1).into(), area.width.into());
    let mut folds = Folds::default();
    folds.open_below(value, &Place::default(), UNFOLDED);
    let tree = Tree::new(value, &folds, &shown.marks);
    if tree.is_empty() {
        let (text, role) = super::data_line::preview(value, wide);
        return vec![Line::new().gap(2).text(text, role)];
    }
    let len = tree.len();
    let here = tree.row_of(place).filter(|_| !place.0.is_empty());
    let top = here.map_or(0, |row| row.saturating_sub(room / 2));
    let top = top.min(len.saturating_sub(room));
    let nodes = tree.rows(top, room).into_iter().enumerate();
    nodes
        .map(|(row, node)| match len.saturating_sub(top + row) {
            rows if row + 1 == room && rows > 1 => Line::new()
                .gap(2)
                .text(format!("{rows} more rows"), Role::Dim),
            _ => {
                let is_here = here == Some(top + row);
                node_line(paint, shown.part, &node, wide).selected(is_here, false)
            }
        })
        .collect()
}

/// Rows about how the value was produced: the field, its expressions, and notes.
fn how(paint: &Paint, listed: &Listed, place: &Place, room: usize) -> Vec<Line> {
    let block = &listed.block;
    let stands = block::view_of(paint, block.part)
        .and_then(|view| view.span)
        .and_then(|span| {
            let file = paint.definition.sources.get(span.source)?;
            let line = paint.definition.sources.line(span)?;
            Some(format!("{}:{line}", file.name.rsplit('/').next()?))
        })
        .unwrap_or_default();
    let said = block.expression.as_deref().unwrap_or(match block.part {
        Part::Stage(Stage::Input) => "the input of the state",
        Part::Stage(Stage::Result) => "raw result of the state",
        Part::Stage(Stage::AfterResultPath) => "no ResultPath: the result replaces the input",
        Part::Stage(Stage::Output) => "no OutputPath: the whole value is passed on",
        Part::Stage(_) => "no field: the value is passed on unchanged",
        Part::Error => "the current error",
        Part::Variables => "the variables that were assigned so far",
        Part::Context => "the object that $$ refers to",
    });
    let mut lines = vec![
        Line::new()
            .text(" how: ", Role::Title)
            .text(said, Role::Path)
            .text(" ", Role::Text)
            .rule(Role::Border)
            .right(format!(" {stands}"), Role::Dim),
    ];
    if let Some(template) = template(paint, block.part) {
        lines.extend(how::fields(paint, template, block.value.as_ref(), room));
        lines.extend(how::path_steps(paint, block.part, template, place, room));
    }
    // There is room here for the size of every value; the list of stages shows only the size of large values.
    let value = block.value.as_ref().filter(|_| block.part != Part::Error);
    let small = value.filter(|value| block::size_share(value).is_none());
    let size_notes = small.map_or_else(Vec::new, |value| block::size_notes(paint, value));
    for note in block.notes.iter().chain(&size_notes) {
        let text = format!("{label} {text}", label = note.label, text = note.text);
        for piece in wrapped(&words(paint.glyphs, text.trim()), room.saturating_sub(4)) {
            lines.push(
                Line::new()
                    .cell(note.sign, 2, note.role)
                    .text(piece, note.role),
            );
        }
    }
    lines
}
