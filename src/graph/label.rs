//! Positions the label of each line, beside the line or on it. A label never covers anything but its own line.

use super::frame::width;
use super::model::{Point, Rect};
use super::route::Routed;
use std::collections::{BTreeMap, HashMap};

/// A label to be positioned.
pub(super) struct Wanted<'a> {
    /// Index of the line that the label belongs to.
    pub(super) arc: usize,
    /// The forms (possible texts) of the label, the complete text first.
    pub(super) forms: &'a [String],
    /// Index, in `forms`, of the text for which the layout has reserved space. Longer texts are only tried at the end.
    pub(super) form: usize,
    /// True if the layout reserved space for the label.
    pub(super) kept: bool,
    /// True if the reserved space is on the line, not beside it.
    pub(super) on_line: bool,
}

/// A label with its position.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) at: Point,
    /// The text as shown.
    pub(super) text: String,
    /// Index of the text in the label's list of possible texts.
    pub(super) form: usize,
}

/// Used in place of the index of a line, for a cell that several lines use.
const SEVERAL: usize = usize::MAX;

/// Maximum number of columns that are searched along a horizontal part of a line for a label, from the corner where the
/// part begins.
const FAR: i32 = 1_000;

/// Number of columns next to a label in which no other line should be. A closer label would seem to belong to that
/// line.
const FAR_LINE: i32 = 3;

/// Divides a row or column of cells among the lines in it. Returns ranges of cells that do not overlap, sorted. Each
/// has its first cell, last cell and line (arc); a range that several lines use has [`SEVERAL`] in place of the line.
fn owned(parts: &mut [(i32, i32, usize)]) -> Vec<(i32, i32, usize)> {
    parts.sort_unstable();
    let mut out: Vec<(i32, i32, usize)> = Vec::new();
    for (first, last, arc) in parts.iter().copied() {
        let Some(before) = out.last().copied().filter(|before| first <= before.1) else {
            out.push((first, last, arc));
            continue;
        };
        // The parts are sorted by their first cell, so this part can overlap only the last of the ranges that were
        // found so far.
        let mut rest = Vec::new();
        while let Some(part) = out.pop_if(|part| part.1 >= first) {
            rest.push(part);
        }
        for (from, to, cell_owner) in rest.into_iter().rev() {
            if from < first {
                out.push((from, first - 1, cell_owner));
            }
            let owner = if cell_owner == arc { arc } else { SEVERAL };
            out.push((from.max(first), to.min(last), owner));
            if to > last {
                out.push((last + 1, to, cell_owner));
            }
        }
        let end = before.1;
        if last > end {
            out.push((end + 1, last, arc));
        }
    }
    out
}

/// Positions every label in its longest form that fits; returns `None` for a label without room. Labels with reserved
/// space come first. At the end, shortened labels are lengthened, up to the column `free` if the drawing is narrower.
pub(super) fn place_labels(
    routed: &mut Routed,
    wanted: &[Wanted<'_>],
    limit: Option<i32>,
    free: i32,
) -> Vec<Option<Placed>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut ground = Ground::new(routed, limit.unwrap_or(i32::MAX / 2));
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|index| wanted.get(*index).is_none_or(|item| !item.kept));
    let mut out = vec![None; wanted.len()];
    for index in order.iter().copied() {
        let Some(item) = wanted.get(index) else {
            continue;
        };
        let path = routed.paths.get(item.arc).map_or(&[][..], |path| path);
        let beside = routed.beside.get(item.arc).copied().flatten();
        let mut forms = item.forms.iter().enumerate().skip(item.form);
        let placed_form = forms.find_map(|(form, text)| {
            let (at, text) = ground.spot(item, path, beside, text)?;
            Some(Placed { at, text, form })
        });
        if let Some(placed) = &placed_form {
            ground.take(placed.at, width(&placed.text));
            routed.width = routed.width.max(placed.at.x + width(&placed.text));
        }
        if let Some(slot) = out.get_mut(index) {
            *slot = placed_form;
        }
    }
    // From here on, labels may extend into the free columns to the right of the drawing.
    ground.limit = routed.width.max(free);
    for index in order {
        let (Some(item), Some(Some(placed))) = (wanted.get(index), out.get_mut(index)) else {
            continue;
        };
        let longer = item.forms.iter().take(placed.form).enumerate();
        ground.leave(placed.at);
        let mut grown = longer.filter_map(|(form, text)| {
            let (at, text) = ground.grown(item.arc, placed, text)?;
            Some(Placed { at, text, form })
        });
        if let Some(grown) = grown.next() {
            *placed = grown;
        }
        ground.take(placed.at, width(&placed.text));
        routed.width = routed.width.max(placed.at.x + width(&placed.text));
    }
    out
}

/// The parts of lines that are drawn in one row of cells.
#[derive(Clone, Debug, Default)]
struct Row {
    /// Horizontal parts, left to right, without overlaps. Each has its first column, last column and line (arc).
    level: Vec<(i32, i32, usize)>,
    /// Vertical parts, left to right, each column once. Each has its column and line (arc).
    upright: Vec<(i32, usize)>,
}

/// Everything that is drawn so far, and that a label must not cover.
struct Ground {
    lines: Vec<Row>,
    /// For each row, the first and last column of every box and text in it.
    rows: HashMap<i32, Vec<(i32, i32)>>,
    /// Column before which all texts must end.
    limit: i32,
}

impl Ground {
    fn new(routed: &Routed, limit: i32) -> Self {
        let mut level: BTreeMap<i32, Vec<(i32, i32, usize)>> = BTreeMap::new();
        let mut upright: BTreeMap<i32, Vec<(i32, i32, usize)>> = BTreeMap::new();
        for (arc, path) in routed.paths.iter().enumerate() {
            for (from, to) in path.iter().zip(path.iter().skip(1)) {
                let (lines, line, a, b) = if from.x == to.x {
                    (&mut upright, from.x, from.y, to.y)
                } else {
                    (&mut level, from.y, from.x, to.x)
                };
                let parts = lines.entry(line).or_default();
                parts.push((a.min(b), a.max(b), arc));
            }
        }
        let count = usize::try_from(routed.height).unwrap_or(0);
        let mut lines: Vec<Row> = vec![Row::default(); count];
        let mut row_at = |y: i32, put: &mut dyn FnMut(&mut Row)| {
            let row = usize::try_from(y).ok();
            if let Some(row) = row.and_then(|row| lines.get_mut(row)) {
                put(row);
            }
        };
        for (y, mut parts) in level {
            row_at(y, &mut |row| row.level = owned(&mut parts));
        }
        for (x, mut parts) in upright {
            for (first, last, arc) in owned(&mut parts) {
                for y in first..=last {
                    row_at(y, &mut |row| row.upright.push((x, arc)));
                }
            }
        }
        let mut rows: HashMap<i32, Vec<(i32, i32)>> = HashMap::new();
        for Rect { x, y, w, h } in &routed.boxes {
            for row in *y..y + h {
                rows.entry(row).or_default().push((*x, x + w - 1));
            }
        }
        Self { lines, rows, limit }
    }

    /// The first and last column of every box and label in a row.
    fn taken(&self, y: i32) -> &[(i32, i32)] {
        self.rows.get(&y).map_or(&[], Vec::as_slice)
    }

    fn row(&self, y: i32) -> Option<&Row> {
        let row = usize::try_from(y).ok();
        row.and_then(|row| self.lines.get(row))
    }

    /// True if any line has a part in this row between these columns, inclusive.
    fn is_drawn(&self, y: i32, first: i32, last: i32) -> bool {
        let Some(row) = self.row(y) else {
            return false;
        };
        let level = row.level.partition_point(|(_, end, _)| *end < first);
        let upright = row.upright.partition_point(|(x, _)| *x < first);
        row.level.get(level).is_some_and(|part| part.0 <= last)
            || row.upright.get(upright).is_some_and(|part| part.0 <= last)
    }

    /// True if this line, and no other line, is drawn in the cell.
    fn is_own(&self, arc: usize, x: i32, y: i32) -> bool {
        let Some(row) = self.row(y) else {
            return false;
        };
        let level = row.level.partition_point(|(_, end, _)| *end < x);
        let level = row.level.get(level).filter(|part| part.0 <= x);
        let upright = row.upright.binary_search_by_key(&x, |part| part.0).ok();
        let upright = upright.and_then(|place| row.upright.get(place));
        match (level.map(|part| part.2), upright.map(|part| part.1)) {
            (None, None) => false,
            (level, upright) => {
                level.is_none_or(|known| known == arc) && upright.is_none_or(|owner| owner == arc)
            }
        }
    }

    /// Marks the cells of a text, and one cell on each side of the text, as occupied.
    fn take(&mut self, at: Point, length: i32) {
        let row = self.rows.entry(at.y).or_default();
        row.push((at.x - 1, at.x + length));
    }

    /// Marks the cells of the text that begins at this cell as free again.
    fn leave(&mut self, at: Point) {
        if let Some(row) = self.rows.get_mut(&at.y) {
            row.retain(|(first, _)| *first != at.x - 1);
        }
    }

    /// True if `length` cells from column `x` on, and the adjacent cells on both sides, are empty.
    fn free(&self, x: i32, y: i32, length: i32) -> bool {
        let (first, last) = (x, x + length - 1);
        let row = self.taken(y);
        x >= 0
            && last < self.limit
            && row.iter().all(|(a, b)| *b + 1 < first || *a > last + 1)
            && !self.is_drawn(y, first - 1, last + 1)
    }

    /// The position of a longer text that replaces the label, and the text to show. The text extends into the cells
    /// beside the label. These must be empty, or contain only the label's own line.
    fn grown(&self, arc: usize, label: &Placed, text: &str) -> Option<(Point, String)> {
        let text = match label.text.starts_with(' ') {
            true => format!(" {text} "),
            false => text.to_owned(),
        };
        let (y, long) = (label.at.y, width(&text));
        let (first, last) = (label.at.x, label.at.x + width(&label.text) - 1);
        let row = self.taken(y);
        let is_free = |x: i32| {
            let level = !self.is_drawn(y, x, x) || self.is_level(arc, x, y);
            level && x >= 0 && row.iter().all(|(a, b)| x < *a || x > *b)
        };
        // One cell more than needed is examined on each side, so that the text never hides the end of its line.
        let most = long - (last - first);
        let reach = |step: i32, from: i32| {
            let mut cells = (1..=most).take_while(|far| is_free(from + step * far));
            cells.by_ref().last().unwrap_or(0)
        };
        let (left, right) = (reach(-1, first), reach(1, last));
        let right = right.min(self.limit - last);
        // The outermost of these cells is not used: it stays blank or shows the line.
        let left = if first - left == 0 { left } else { left - 1 };
        let (left, right) = (left.max(0), (right - 1).max(0));
        let missing = long - (last - first + 1);
        if missing > left + right {
            return None;
        }
        // The new text is centred on the old one if there is room on both sides, and is shifted to the free side
        // otherwise.
        let half = missing / 2;
        let shift = half.clamp((missing - right).max(0), left);
        let x = first - shift;
        Some((Point { x, y }, text))
    }

    /// True if the cell contains a horizontal part of this line, and nothing of other lines or of vertical parts.
    fn is_level(&self, arc: usize, x: i32, y: i32) -> bool {
        let is_upright = self
            .row(y)
            .is_some_and(|row| row.upright.binary_search_by_key(&x, |part| part.0).is_ok());
        !is_upright && self.is_own(arc, x, y)
    }

    /// The position of a text that is centred on a cell of its line; `None` if the text would cover anything else.
    fn upon(&self, arc: usize, at: Point, length: i32) -> Option<Point> {
        let x = at.x - length / 2;
        let row = self.taken(at.y);
        let apart = row.iter().all(|(a, b)| *b + 1 < x || *a > x + length);
        let alone = (at.x == x || !self.is_drawn(at.y, x, at.x - 1))
            && (x + length - 1 == at.x || !self.is_drawn(at.y, at.x + 1, x + length - 1));
        let inside = x >= 0 && x + length <= self.limit;
        (inside && apart && alone && self.is_own(arc, at.x, at.y)).then_some(Point { x, y: at.y })
    }

    /// A position for a label near its line, and the text to show there. If the layout reserved no space, a label on a
    /// horizontal part of the line gets a blank on each side.
    fn spot(
        &self,
        item: &Wanted<'_>,
        path: &[Point],
        beside: Option<Point>,
        text: &str,
    ) -> Option<(Point, String)> {
        let kept = beside.filter(|_| item.kept);
        let upon = kept.filter(|_| item.on_line);
        if let Some(spot) = upon.and_then(|at| self.upon(item.arc, at, width(text))) {
            return Some((spot, text.to_owned()));
        }
        if !item.kept {
            let spaced = format!(" {text} ");
            if let Some(spot) = self.within(item.arc, path, width(&spaced)) {
                return Some((spot, spaced));
            }
        }
        let spot = self.find(item.arc, path, kept, width(text))?;
        Some((spot, text.to_owned()))
    }

    fn find(
        &self,
        arc: usize,
        path: &[Point],
        beside: Option<Point>,
        length: i32,
    ) -> Option<Point> {
        let right = |at: Point| Point { x: at.x + 2, ..at };
        let left = |at: Point| Point {
            x: at.x - 1 - length,
            ..at
        };
        let free = |spot: &Point| self.free(spot.x, spot.y, length);
        let label_place = match beside {
            Some(at) => {
                // If several lines enter a box beside each other, the space for the label of an inner line is one row
                // higher.
                let above = Point { y: at.y - 1, ..at };
                let spots = [right(at), left(at), right(above), left(above)];
                let apart = |spot: &&Point| free(spot) && self.is_apart(at.x, **spot, length);
                let spot = spots.iter().find(apart);
                spot.or_else(|| spots.iter().find(|spot| free(spot)))
                    .copied()
            }
            None => self.within(arc, path, length),
        };
        label_place.or_else(|| self.along(arc, path, length))
    }

    /// True if a text beside a line is closer to this line than to any other line.
    fn is_apart(&self, line: i32, at: Point, length: i32) -> bool {
        let (first, last) = (at.x, at.x + length - 1);
        match line < first {
            true => !self.is_drawn(at.y, last + 1, last + FAR_LINE),
            false => !self.is_drawn(at.y, first - FAR_LINE, first - 1),
        }
    }

    /// A position for a text beside a vertical part of its line, preferably near the target. If there is none, a
    /// position on a horizontal part.
    fn along(&self, arc: usize, path: &[Point], length: i32) -> Option<Point> {
        let segments = path.iter().copied().zip(path.iter().copied().skip(1));
        for (from, to) in segments.filter(|(from, to)| from.x == to.x).take(64) {
            let rows = from.y.min(to.y)..=from.y.max(to.y);
            for y in rows.rev().take(64) {
                let x = from.x;
                if !self.is_own(arc, x, y) {
                    continue;
                }
                for x in [x + 2, x - 1 - length] {
                    if self.free(x, y, length) {
                        return Some(Point { x, y });
                    }
                }
            }
        }
        self.within(arc, path, length)
    }

    /// A position for a text on a horizontal part of its line that no other line uses. The line stays visible on both
    /// sides of the text.
    fn within(&self, arc: usize, path: &[Point], length: i32) -> Option<Point> {
        let segments = path.iter().copied().zip(path.iter().copied().skip(1));
        for (from, to) in segments.filter(|(from, to)| from.y == to.y).take(64) {
            let (step, y) = ((to.x - from.x).signum(), from.y);
            let mut run = 0;
            for far in 1..(to.x - from.x).abs().min(FAR) {
                let x = from.x + step * far;
                run = if self.is_own(arc, x, y) { run + 1 } else { 0 };
                if run < length + 2 {
                    continue;
                }
                let x = if step > 0 { x - length } else { x + 1 };
                let row = self.taken(y);
                if row.iter().all(|(a, b)| *b + 1 < x || *a > x + length) {
                    return Some(Point { x, y });
                }
            }
        }
        None
    }
}
