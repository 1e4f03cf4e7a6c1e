//! The data pane: values of the state's stages, with changes, losses and errors.

mod find;
mod origin_place;
mod whole;

pub use self::find::{DataSearch, Looked};
use super::block::{Block, Listed, Part, Plan, opened, state_of, wrap_notes};
use super::data_line::{indent, node_line, title_line};
use super::folds::{Folds, Hop, Marks, Place};
use super::line::Line;
use super::list::{moved, say};
use super::pipeline::{blocks, expression_at, template};
use super::stages;
use super::tree::{Fold, Row};
use super::{Click, Level, Motion, Paint, Surface};
use crate::definition::StateId;
use crate::json::{Pointer, Value, diff};
use crate::tui::fit::{clip, width, words};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of differences to mark in a value.
const CHANGES: usize = 500;
/// The differences of a block are computed again when its base value changes. A base value of up to this many bytes
/// counts as unchanged if it is equal, a larger one only if it is the same object.
const COMPARED: u64 = 64 << 10;
/// Maximum number of containers to unfold at once.
const UNFOLDED: usize = 4000;
/// Number of rows of a value to fetch at a time.
const FETCHED: usize = 64;

/// The selected value of the data pane.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// The block that contains the selected value.
    pub part: Part,
    /// Position of the selected value within the block's value. For a row inside JSON text, the position of the string
    /// that contains this text.
    pub pointer: Pointer,
    /// The value at this position.
    pub value: Value,
    /// Path of the selected value as text, such as `$.order.id`, `$name.x` or `$$.State.Name`.
    pub path: String,
    /// The expression that produced the value, if the value comes from a payload template.
    pub expression: Option<String>,
}

type DrawnAt = Option<(u32, u64, Option<StateId>)>;
type Compared = (Value, Value, Rc<Marks>);

/// The data pane.
#[derive(Clone, Debug, Default)]
pub struct DataPane {
    /// Run, event and state that the pane showed when it was last drawn. If one of them has changed, the selection is
    /// reset and the pane scrolls to the most important block.
    drawn_at: DrawnAt,
    /// The number of the last `LedTo` (a place to which the user has followed an origin) that the pane has selected. A
    /// new number means that the user has followed another origin.
    led_to: Option<u64>,
    selection: Option<(Part, Place)>,
    /// True if the user has selected a row here since the pane last changed to another run, event or state.
    chosen: bool,
    top: usize,
    height: usize,
    width: usize,
    /// Number of rows hidden above and below the visible ones.
    hidden: (usize, usize),
    folds: HashMap<(Option<StateId>, Part), Rc<Folds>>,
    /// The blocks that are open by default; the boolean is true if only the block's first level is open. Computed again
    /// when the current event, the size of the pane or the level of detail changes.
    opened: HashMap<Part, bool>,
    opened_for: Option<(DrawnAt, usize, Level, bool)>,
    /// True if the pane has two columns: a list of stages, and the values before and after the selected stage.
    beside: bool,
    diff_off: bool,
    compared: HashMap<Part, Compared>,
}

impl DataPane {
    fn plan(&mut self, paint: &Paint) -> Plan {
        let state = paint.view.data.state;
        let mut listed: Vec<Listed> = blocks(paint)
            .into_iter()
            .map(|mut block| {
                wrap_notes(paint, &mut block, self.width);
                let marks = self.marks(&block);
                let folds = self.folds.get(&(state, block.part)).cloned();
                let folds = folds.unwrap_or_default();
                let mut listed = Listed {
                    block,
                    marks,
                    folds,
                    open: false,
                    shallow: false,
                    tree: 0,
                    start: 0,
                };
                listed.measure();
                listed
            })
            .collect();
        let wanted = (self.drawn_at, self.height, paint.level, self.beside);
        if self.opened_for != Some(wanted) {
            self.opened_for = Some(wanted);
            self.opened = if self.beside {
                HashMap::new()
            } else {
                let asked = self.selection.as_ref().map(|(part, _)| *part);
                opened(&mut listed, self.height, asked)
            };
        }
        for listed in &mut listed {
            let said = listed.folds.get(&Place::default());
            let shallow = self.opened.get(&listed.block.part).copied();
            listed.set(said.unwrap_or(shallow.is_some()), shallow != Some(false));
        }
        let mut start = 0;
        for listed in &mut listed {
            listed.start = start;
            start += listed.rows();
        }
        Plan {
            blocks: listed,
            len: start,
        }
    }

    fn marks(&mut self, block: &Block) -> Rc<Marks> {
        let (Some(base), Some(value)) = (&block.base, &block.value) else {
            return Rc::default();
        };
        if self.diff_off || base.same(value) {
            return Rc::default();
        }
        if let Some((old, new, marks)) = self.compared.get(&block.part)
            && (old.same(base) || base.size() <= COMPARED && old == base)
            && new.same(value)
        {
            return marks.clone();
        }
        let has_removals = block.notes.iter().any(|note| note.role == Role::Removed);
        let marks = Rc::new(Marks::new(&diff(base, value, CHANGES), base, has_removals));
        let compared = (base.clone(), value.clone(), marks.clone());
        self.compared.insert(block.part, compared);
        marks
    }

    fn selected_row(&self, plan: &Plan) -> usize {
        let selected = self.selection.as_ref();
        let row = selected.and_then(|(part, place)| plan.row_of(*part, place));
        row.or_else(|| Some(plan.first()?.start)).unwrap_or(0)
    }

    /// Records the run, event and state that the pane shows. If they have changed, resets the selection and returns
    /// true.
    fn note_position(&mut self, paint: &Paint) -> bool {
        let header = &paint.view.header;
        let position = Some((header.run, header.event, paint.view.data.state));
        let moved = self.drawn_at != position;
        if moved {
            self.drawn_at = position;
            self.selection = None;
            self.chosen = false;
            self.note_end(paint);
        }
        self.note_origin(paint, moved);
        moved
    }

    /// Indices of the visible rows: the rows that scroll, and titles that always stay visible above and below them.
    fn window(&mut self, plan: &Plan, height: usize, moved: bool) -> Vec<usize> {
        if plan.len <= height {
            self.top = 0;
            return (0..plan.len).collect();
        }
        let sections = plan.blocks.iter().filter(|listed| listed.block.section);
        let titles: Vec<usize> = sections.map(|listed| listed.start).collect();
        let pinned = titles.len() + 5 <= height;
        // If `top` is the first scrolling row, two groups of titles stay visible above this row: the titles of earlier
        // sections, and the title of the stage to which this row belongs.
        let heads = |top: usize| -> Vec<usize> {
            let sections = titles.iter().copied().filter(|row| pinned && *row < top);
            let title = plan.at(top).map(|(listed, _)| listed.start);
            let title = title.filter(|title| *title < top && height > 3);
            let stage = title.filter(|title| !pinned || !titles.contains(title));
            sections.chain(stage).collect()
        };
        let split = |top: usize| -> (usize, usize, usize) {
            let above = heads(top).len();
            let mut below = 0;
            loop {
                let room = height.saturating_sub(above + below);
                let beyond = titles.len() - titles.partition_point(|row| *row < top + room);
                if beyond <= below || !pinned {
                    return (above, room, below);
                }
                below += 1;
            }
        };
        let mut top = self.top.min(plan.len.saturating_sub(1));
        let mut show = |row: usize| {
            top = top.min(row);
            for _ in 0..titles.len() + 2 {
                let (_, room, _) = split(top);
                if row >= top + room.max(1) {
                    top = row + 1 - room.max(1);
                }
            }
        };
        if moved && let Some(listed) = plan.first() {
            show((listed.start + listed.rows()).saturating_sub(1));
            show(listed.start);
        }
        show(self.selected_row(plan));
        // Scrolls up while there would be blank rows below the last row.
        while top > 0 {
            let (_, room, _) = split(top - 1);
            if top - 1 + room < plan.len {
                break;
            }
            top -= 1;
        }
        self.top = top;
        let (_, room, below) = split(top);
        let tail = titles.iter().skip(titles.len() - below).copied();
        let rows = heads(top).into_iter().chain((top..plan.len).take(room));
        rows.chain(tail).collect()
    }

    fn list_area(&self, area: Rect) -> Rect {
        match self.beside {
            true => stages::split(area).0,
            false => area,
        }
    }

    fn fold_of(&self, plan: &Plan, row: usize) -> Fold {
        let Some((listed, inner)) = plan.at(row) else {
            return Fold::Leaf;
        };
        match inner {
            0 => listed.fold(),
            _ => listed
                .tree()
                .filter(|_| inner <= listed.tree)
                .and_then(|tree| tree.rows(inner - 1, 1).pop())
                .map_or(Fold::Leaf, |node| node.fold),
        }
    }

    /// Folds the row. If the row is already folded or cannot be folded, selects its parent.
    fn fold(&mut self, paint: &Paint, plan: &Plan, row: usize) {
        if self.fold_of(plan, row) == Fold::Open {
            self.set_fold(paint, plan, row, false);
            return;
        }
        let Some((part, mut place)) = plan.spot(row) else {
            return;
        };
        place.0.pop();
        if place.0.last() == Some(&Hop::Text) {
            place.0.pop();
        }
        self.selection = Some((part, place));
    }

    fn set_fold(&mut self, paint: &Paint, plan: &Plan, row: usize, open: bool) {
        if let Some((part, place)) = plan.spot(row) {
            self.folds_of(paint, part).set(&place, open);
            self.reveal(paint, part, place);
        }
    }

    /// Records which places in the value of this block the user has folded or unfolded.
    fn folds_of(&mut self, paint: &Paint, part: Part) -> &mut Folds {
        let key = (paint.view.data.state, part);
        Rc::make_mut(self.folds.entry(key).or_default())
    }

    /// Selects a place in the value of a block, and unfolds everything around it.
    fn reveal(&mut self, paint: &Paint, part: Part, place: Place) {
        self.folds_of(paint, part).open_above(&place);
        self.selection = Some((part, place));
    }

    /// True if the user has selected a row here since the pane last changed to another run, event or state.
    #[must_use]
    pub fn is_chosen(&self, paint: &Paint) -> bool {
        let mut pane = self.clone();
        pane.note_position(paint);
        pane.chosen
    }

    /// The blocks with their rows, and the index of the selected row.
    fn planned(&self, paint: &Paint) -> (Plan, usize) {
        self.clone().now(paint)
    }

    /// Like [`Self::planned`], but first records which run, event and state the pane shows.
    fn now(&mut self, paint: &Paint) -> (Plan, usize) {
        self.note_position(paint);
        let plan = self.plan(paint);
        let row = self.selected_row(&plan);
        (plan, row)
    }

    /// Identifies the block of the selected row, if this block has a value. Takes less time than [`Self::selected`].
    #[must_use]
    pub fn part(&self, paint: &Paint) -> Option<Part> {
        let (plan, row) = self.planned(paint);
        let block = &plan.at(row)?.0.block;
        block.value.as_ref()?;
        Some(block.part)
    }

    /// The value that the selected row shows, with its path; `None` if the row shows no value.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<Selected> {
        let (plan, row) = self.planned(paint);
        let (part, place) = plan.spot(row)?;
        let listed = plan.listed(part)?;
        let root = listed.block.value.as_ref()?;
        let place = place.of_value();
        let value = place.get(root)?;
        let pointer = place.pointer();
        let text = pointer.to_string();
        let rest = text.strip_prefix('$').unwrap_or(&text);
        let mut path = match part {
            Part::Variables => format!("${}", rest.strip_prefix('.').unwrap_or(rest)),
            Part::Context => format!("$${rest}"),
            Part::Stage(_) | Part::Error => text,
        };
        if place.is_in_text() {
            let inner = place.0.iter().rev().take_while(|hop| **hop != Hop::Text);
            let inner: Vec<Hop> = inner.cloned().collect();
            let inner_path = Place(inner.into_iter().rev().collect()).pointer();
            path = format!("States.StringToJson({path}) {inner_path}");
        }
        let expression = template(paint, part)
            .and_then(|template| expression_at(template, &pointer.0))
            .map(str::to_owned);
        Some(Selected {
            part,
            pointer,
            value,
            path,
            expression,
        })
    }

    /// Unfolds the selected value and all values inside it.
    pub fn unfold_all(&mut self, paint: &Paint) {
        let (plan, row) = self.now(paint);
        let spot = plan.spot(row).zip(plan.at(row));
        if let Some(((part, place), (listed, _))) = spot
            && let Some(value) = &listed.block.value
        {
            let folds = self.folds_of(paint, part);
            folds.open_below(value, &place, UNFOLDED);
            self.reveal(paint, part, place);
        }
    }

    /// Shows or hides the differences between the values of stages.
    pub fn toggle_diff(&mut self) {
        self.diff_off = !self.diff_off;
    }

    /// Selects the title of the next block if `forward` is true, otherwise of the previous one.
    pub fn stage(&mut self, paint: &Paint, forward: bool) {
        let (plan, row) = self.now(paint);
        let mut titles = plan.blocks.iter();
        let next = if forward {
            titles.find(|listed| listed.start > row)
        } else {
            titles.rev().find(|listed| listed.start < row)
        };
        if let Some(listed) = next {
            self.selection = Some((listed.block.part, Place::default()));
            self.chosen = true;
        }
    }
}

impl Surface for DataPane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        self.beside = paint.alone && area.width >= stages::WIDE && area.height >= 12;
        let whole = area;
        let area = self.list_area(whole);
        self.height = usize::from(area.height);
        self.width = usize::from(area.width);
        let moved = self.note_position(paint);
        let plan = self.plan(paint);
        self.hidden = (0, 0);
        if plan.blocks.is_empty() {
            let words = "no state entered yet: s steps into the first state";
            return say(paint, area, buffer, words);
        }
        let rows = self.window(&plan, self.height, moved);
        let selected = self.selected_row(&plan);
        let pinned = rows.iter().filter(|row| **row < self.top).count();
        let above = self.top.saturating_sub(pinned);
        self.hidden = (above, plan.len.saturating_sub(rows.len() + above));
        let mut nodes = Nodes::default();
        for (y, row) in area.rows().zip(rows) {
            let line = line_of(paint, &plan, row, usize::from(area.width), &mut nodes);
            line.selected(row == selected, paint.focused)
                .draw(paint.brush(), y, buffer);
            if row == selected {
                let sign = clip(paint.glyphs.here, 2, paint.glyphs);
                let style = paint.brush().style(Role::Mark);
                buffer.set_stringn(y.x, y.y, sign, usize::from(y.width.min(2)), style);
            }
        }
        if self.beside
            && let Some((listed, _)) = plan.at(selected)
        {
            let spot = plan.spot(selected);
            let place = spot.map_or_else(Place::default, |(_, place)| place.of_value());
            stages::draw(paint, listed, &place, stages::split(whole).1, buffer);
        }
    }

    fn title(&self, paint: &Paint) -> (String, String) {
        let data = &paint.view.data;
        let name = state_of(paint).map_or_else(String::new, |state| {
            format!("  {}", clip(&state.name, 40, paint.glyphs))
        });
        let attempt = match data.attempt {
            0 | 1 => String::new(),
            number => format!("  attempt {number}"),
        };
        let plain = if self.diff_off { "diff off  " } else { "" };
        let right = format!("{plain}{}", paint.level.name());
        (format!("Data{name}{attempt}"), right)
    }

    fn hidden(&self) -> (usize, usize) {
        self.hidden
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        let (plan, row) = self.now(paint);
        self.chosen = true;
        match motion {
            Motion::Left => self.fold(paint, &plan, row),
            Motion::Right => match self.fold_of(&plan, row) {
                Fold::Closed => self.set_fold(paint, &plan, row, true),
                Fold::Open => self.selection = plan.spot(row + 1),
                Fold::Leaf => {}
            },
            _ => {
                let page = self.height.saturating_sub(4);
                self.selection = plan.spot(moved(motion, row, plan.len, page));
            }
        }
    }

    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        let area = self.list_area(area);
        if !area.contains(at) {
            return Click::Nothing;
        }
        self.height = usize::from(area.height);
        let moved = self.note_position(paint);
        let plan = self.plan(paint);
        let rows = self.window(&plan, self.height, moved);
        let Some(row) = rows.get(usize::from(at.y - area.y)).copied() else {
            return Click::Nothing;
        };
        let Some((part, place)) = plan.spot(row) else {
            return Click::Nothing;
        };
        let depth = place.depth();
        self.selection = Some((part, place));
        self.chosen = true;
        let mark = indent(depth, usize::from(area.width));
        if usize::from(at.x - area.x).abs_diff(mark) <= 1 && self.fold_of(&plan, row) != Fold::Leaf
        {
            self.toggle_fold(paint);
            return Click::Folded;
        }
        Click::Selected
    }

    fn toggle_fold(&mut self, paint: &Paint) {
        let (plan, row) = self.now(paint);
        match self.fold_of(&plan, row) {
            Fold::Leaf => {}
            fold => self.set_fold(paint, &plan, row, fold == Fold::Closed),
        }
    }
}

/// Some consecutive rows of a value, which were fetched together; `from` is the index of the first.
#[derive(Default)]
struct Nodes {
    from: usize,
    rows: Vec<Row>,
}

fn line_of(paint: &Paint, plan: &Plan, row: usize, cells: usize, nodes: &mut Nodes) -> Line {
    let Some((listed, inner)) = plan.at(row) else {
        return Line::new();
    };
    if inner == 0 {
        return title_line(paint, listed, cells);
    }
    if inner <= listed.tree
        && let Some(tree) = listed.tree()
    {
        let fetched = row.checked_sub(nodes.from);
        if fetched.is_none_or(|place| place >= nodes.rows.len()) {
            let left = (listed.tree + 1 - inner).min(FETCHED);
            *nodes = Nodes {
                from: row,
                rows: tree.rows(inner - 1, left),
            };
        }
        return match nodes.rows.get(row - nodes.from) {
            Some(node) => node_line(paint, listed.block.part, node, cells),
            None => Line::new(),
        };
    }
    let below = inner - 1 - listed.tree;
    let Some(note) = listed.block.notes.get(below) else {
        return Line::new();
    };
    let role = note.role;
    let line = Line::new().cell(note.sign, 2, role).gap(2);
    let labels = listed.block.notes.iter().map(|note| width(&note.label));
    match labels.max().unwrap_or(0) {
        0 => line,
        label => line.cell(&note.label, label + 2, Role::Dim),
    }
    .text(words(paint.glyphs, &note.text), role)
}
