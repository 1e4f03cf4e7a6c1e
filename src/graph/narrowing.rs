//! Changes that make a row of boxes narrower, mildest first: labels on their lines instead of beside them, names in
//! several lines, fewer boxes in the row, narrower content of boxes, shorter labels, and finally shortened names.

use super::frame::{Form, LEAST, LINES, name_lines, shown_name, widest, width};
use super::layered::{CheckedIndex, Face, Layered, cells};
use super::model::{BoxType, NodeBox, Options};
use super::plan::{LENGTHS, Plan};
use super::rank::Ranks;
use super::sketch::Sketch;
use crate::definition::StateId;

/// Minimum width that is requested for the content of a box, in columns.
const NARROWEST: i32 = 12;

/// The changes that made a row of boxes narrower.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Relieved {
    /// True if there was any change.
    pub(super) is_any: bool,
    /// True if boxes were moved to other rows.
    pub(super) is_divided: bool,
    /// A box whose content should be made narrower: index of the box, its state, and the new width of the content.
    pub(super) squeeze: Option<(usize, StateId, i32)>,
}

impl Relieved {
    fn done() -> Self {
        Self {
            is_any: true,
            ..Self::default()
        }
    }
}

/// A row of boxes that is too wide, and the data that may be changed to make it narrower.
pub(super) struct Relief<'a> {
    pub(super) plan: &'a mut Plan,
    pub(super) layered: &'a Layered,
    pub(super) boxes: &'a [NodeBox],
    pub(super) ranks: &'a mut Ranks,
    /// Index of the row of boxes in [`Layered::ranks`].
    pub(super) row: usize,
    /// The lines (arcs) whose labels make the row wider.
    pub(super) labelled: &'a [usize],
    /// Number of columns by which the row is too wide.
    pub(super) excess: i32,
    /// Maximum width of the row, in columns.
    pub(super) limit: i32,
    pub(super) sketch: &'a Sketch,
    pub(super) options: &'a Options,
    pub(super) manner: Manner,
}

/// For each row of boxes, the lines (arcs) whose labels make the row wider.
pub(super) fn labelled(layered: &Layered) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); layered.ranks.len()];
    for (arc, first) in layered.first.iter().enumerate() {
        let hop = first.and_then(|first| layered.hops.get(first));
        let Some(hop) = hop.filter(|hop| hop.label > 0) else {
            continue;
        };
        let end = match hop.to.face {
            Face::Top => hop.to,
            Face::Bottom => hop.from,
        };
        let rank = layered.vertices.get(end.vertex).map(|vertex| vertex.rank);
        if let Some(arcs_of_rank) = rank.and_then(|rank| out.get_mut(rank)) {
            arcs_of_rank.push(arc);
        }
    }
    out
}

/// How a rank that is too wide is divided into several rows of boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Manner {
    /// Boxes from which no line leads down to another box go to the upper rows.
    #[default]
    EndsFirst,
    /// The boxes go to the rows in their order in the rank.
    InOrder,
    /// Like `InOrder`, but a rank is divided only if names in three lines and short labels do not make it narrow
    /// enough.
    Late,
}

impl Relief<'_> {
    /// Finds the next change that makes the row narrower and applies it.
    pub(super) fn find(&mut self) -> Relieved {
        let boxes = self.boxes_here();
        if self.shorten_labels(1) || self.labels_upon_lines() {
            return Relieved::done();
        }
        for lines in 2..=LINES {
            if self.wraps(&boxes, lines, true) {
                return Relieved::done();
            }
        }
        let group = self.widest_group(&boxes);
        if let (Some(relieved), true) = (group, boxes.len() < 2) {
            return relieved;
        }
        if self.shorten_labels(2) {
            return Relieved::done();
        }
        let is_late = self.manner == Manner::Late;
        if is_late && (self.wraps(&boxes, LINES, false) || self.shorten_labels(3)) {
            return Relieved::done();
        }
        if boxes.len() > 1 && self.divide() {
            return Relieved {
                is_any: true,
                is_divided: true,
                squeeze: None,
            };
        }
        if self.wraps(&boxes, LINES, false) {
            return Relieved::done();
        }
        if let Some(relieved) = group {
            return relieved;
        }
        for length in 3..LENGTHS.len() {
            if self.shorten_labels(length) {
                return Relieved::done();
            }
        }
        Relieved {
            is_any: self.cut(&boxes),
            ..Relieved::default()
        }
    }

    /// The boxes in the row.
    fn boxes_here(&self) -> Vec<usize> {
        let row = self.layered.ranks.get(self.row).map_or(&[][..], |row| row);
        let vertices = row.iter().copied();
        vertices
            .filter(|vertex| *vertex < self.boxes.len())
            .collect()
    }

    /// If a label beside its line makes the row wider, moves all labels in the row onto their lines. Returns true if
    /// any was moved.
    fn labels_upon_lines(&mut self) -> bool {
        let arcs = self.labelled;
        let reaches = |arc: &usize| {
            let hop = self.layered.first.get(*arc).copied().flatten();
            let Some(hop) = hop.and_then(|hop| self.layered.hops.get(hop)) else {
                return false;
            };
            let end = self.layered.vertices.at(hop.to.vertex);
            let beyond = end.reach_right > end.right || !end.real;
            hop.to.face == Face::Top && !hop.on_line && beyond
        };
        if !arcs.iter().any(reaches) {
            return false;
        }
        let mut is_any = false;
        for arc in arcs {
            if let Some(on_line) = self.plan.on_line.get_mut(*arc) {
                is_any |= !std::mem::replace(on_line, true);
            }
        }
        is_any
    }

    /// The current width of a box's name, and the width that the name would have if it were written in `form`.
    fn width_in(&self, node: usize, form: Form) -> Option<(i32, i32)> {
        let item = self.boxes.get(node)?;
        let id = self.plan.state(node)?;
        if item.kind == BoxType::Mark {
            return None;
        }
        let name = shown_name(self.sketch, id, self.options);
        let (lines, _) = name_lines(&name, form, self.options.glyphs);
        let (now, then) = (widest(&item.lines), widest(&lines));
        match self.plan.inside(node) {
            // A box is at least as wide as its content. So only the columns by which its name exceeds the content can
            // be saved.
            Some((inside, _)) => {
                let beyond = item.rect.w - 2 - inside;
                (beyond > 0).then_some((now, then.max(now - beyond)))
            }
            None => Some((now, then)),
        }
    }

    /// Wraps names into at most `lines` lines until the row fits. Begins with the names that need the fewest lines and,
    /// among these, with those that save the most columns. With `enough`, wraps no name if the row would still be too
    /// wide.
    fn wraps(&mut self, boxes: &[usize], lines: usize, enough: bool) -> bool {
        let mut gains: Vec<(i32, usize, usize)> = Vec::new();
        for node in boxes {
            let form = self.plan.forms.get(*node).copied().unwrap_or_default();
            if form.lines >= lines || form.room.is_some() {
                continue;
            }
            for lines in form.lines + 1..=lines {
                let Some((now, then)) = self.width_in(*node, Form { lines, room: None }) else {
                    break;
                };
                if now > then {
                    gains.push((now - then, *node, lines));
                }
            }
        }
        // For each box, the greatest number of columns that wrapping its name can save.
        let mut most: std::collections::BTreeMap<usize, i32> = std::collections::BTreeMap::new();
        for (gain, node, _) in &gains {
            let largest = most.entry(*node).or_default();
            *largest = (*largest).max(*gain);
        }
        if gains.is_empty() || (enough && most.values().sum::<i32>() < self.excess) {
            return false;
        }
        gains.sort_by_key(|(gain, node, lines)| (*lines, -gain, *node));
        let mut done: std::collections::BTreeMap<usize, i32> = std::collections::BTreeMap::new();
        for (gain, node, lines) in gains {
            if done.values().sum::<i32>() >= self.excess {
                break;
            }
            done.insert(node, gain);
            if let Some(form) = self.plan.forms.get_mut(node) {
                form.lines = lines;
            }
        }
        true
    }

    /// Requests a narrower content for the widest box whose content can be made narrower; `None` if there is none.
    fn widest_group(&self, boxes: &[usize]) -> Option<Relieved> {
        let open = boxes.iter().filter_map(|node| {
            let (wide, is_last) = self.plan.inside(*node)?;
            let whole = self.boxes.get(*node)?.rect.w;
            (!is_last && wide > NARROWEST && wide + 2 >= whole).then_some((wide, *node))
        });
        let (wide, node) = open.max()?;
        let id = self.plan.state(node)?;
        Some(Relieved {
            is_any: true,
            is_divided: false,
            squeeze: Some((node, id, (wide - self.excess).max(NARROWEST))),
        })
    }

    /// Shortens labels to the width `LENGTHS[length]` until the row fits, starting with the label that saves the most
    /// columns. Returns true if a label in the row could be shortened.
    fn shorten_labels(&mut self, length: usize) -> bool {
        let mut gains = Vec::new();
        for arc in self.labelled.iter().copied() {
            let Some(bundle) = self.plan.bundles.get(arc) else {
                continue;
            };
            let (now, then) = (self.plan.form(arc), bundle.form(length));
            let gain = width(bundle.text(now)) - width(bundle.text(then));
            if then > now && gain > 0 {
                gains.push((gain, arc, then));
            }
        }
        gains.sort_by_key(|(gain, arc, _)| (-gain, *arc));
        let mut missing = self.excess;
        let is_any = !gains.is_empty();
        for (gain, arc, then) in gains {
            if missing <= 0 {
                break;
            }
            missing -= gain;
            if let Some(form) = self.plan.said.get_mut(arc) {
                *form = then;
            }
        }
        is_any
    }

    /// Distributes the boxes of the rank over one more row, or over more if needed. Returns true if a box changed its
    /// row.
    fn divide(&mut self) -> bool {
        let mut all = self.ranks.of_same(self.row);
        let rows = 1 + all
            .iter()
            .map(|node| self.ranks.row.at(*node))
            .max()
            .unwrap_or(0);
        if all.len() <= rows {
            return false;
        }
        // Boxes without successors go to the upper rows, because they have no lines that would have to pass the lower
        // rows.
        let mut goes_on = vec![false; self.boxes.len()];
        for hop in self
            .layered
            .hops
            .iter()
            .filter(|hop| hop.from.face == Face::Bottom)
        {
            goes_on.put(hop.from.vertex, hop.from.vertex != hop.to.vertex);
        }
        let key = |node: &usize| {
            (
                goes_on.at(*node) && self.manner == Manner::EndsFirst,
                self.ranks.row.at(*node),
                self.layered.place(*node),
            )
        };
        all.sort_by_key(key);
        let wide = |node: &usize| {
            let item = self.layered.vertices.at(*node);
            item.reach_left + item.reach_right + 4
        };
        let total: i32 = all.iter().map(wide).sum();
        let least = usize::try_from((total / self.limit.max(1)).max(0)).unwrap_or(0);
        let wanted = (rows + 1).max(least.min(rows + 3)).min(all.len());
        let share = total / cells(wanted) + 1;
        let mut divided = Vec::new();
        let (mut row, mut used) = (0, 0);
        let count = all.len();
        for (place, node) in all.into_iter().enumerate() {
            let node_width = wide(&node);
            let rest = count - place;
            let must = rest == wanted - row - 1;
            if row + 1 < wanted && used > 0 && (must || used + node_width / 2 > share) {
                row += 1;
                used = 0;
            }
            used += node_width;
            divided.push((node, row));
            // Each row now has fewer boxes, so every name is put in one line again.
            if let Some(form) = self.plan.forms.get_mut(node) {
                *form = Form::default();
            }
        }
        let is_new = divided
            .iter()
            .any(|(node, row)| self.ranks.row.at(*node) != *row);
        if is_new {
            self.ranks.divide(&divided);
        }
        is_new
    }

    /// Limits the widest names of the row to a common width with which the row fits. Returns true if the width of a
    /// name was limited.
    fn cut(&mut self, boxes: &[usize]) -> bool {
        let mut widths: Vec<(i32, usize)> = Vec::new();
        for node in boxes {
            let form = self.plan.forms.get(*node).copied().unwrap_or_default();
            if let Some((now, _)) = self.width_in(*node, form) {
                widths.push((now, *node));
            }
        }
        let total: i32 = widths.iter().map(|(width, _)| *width).sum();
        let wanted = total - self.excess;
        let least: i32 = widths.iter().map(|(width, _)| *width.min(&LEAST)).sum();
        if least > wanted {
            // The row would be too wide even if all names had their minimum width, so no name is shortened.
            return false;
        }
        let most = widths.iter().map(|(width, _)| *width).max().unwrap_or(0);
        let fits = |room: &i32| {
            widths
                .iter()
                .map(|(width, _)| *width.min(room))
                .sum::<i32>()
                <= wanted
        };
        let room = (LEAST..most).rev().find(fits).unwrap_or(LEAST);
        let mut is_any = false;
        for (width, node) in widths {
            if let Some(form) = self.plan.forms.get_mut(node).filter(|_| width > room) {
                *form = Form {
                    lines: LINES,
                    room: Some(room),
                };
                is_any = true;
            }
        }
        is_any
    }
}
