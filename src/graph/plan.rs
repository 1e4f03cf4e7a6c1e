//! The plan of one scope before its layout: its boxes and lines, and the text in which each name and label is shown.
//! Links (transitions) between the same two boxes share one line. The content of a box is laid out before the scope
//! that contains the box.

use super::distinct_labels::{Said, told_apart};
use super::frame::{Form, sized, width};
use super::layered::{Arc, Graph, Size};
use super::model::{EdgeKind, EdgeRoute, Glyphs, Node, NodeBox, Options, Point, Rect, Separator};
use super::sketch::{Sketch, SketchScope};
use crate::definition::StateId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The boxes and lines of a scope (a list of states) before layout, and the forms in which names and labels are shown.
pub(super) struct Plan {
    nodes: Vec<Node>,
    root: Option<usize>,
    pub(super) bundles: Vec<Bundle>,
    /// For every line, the indices of its two boxes.
    ends: Vec<(usize, usize)>,
    /// For every line, true if the layout reserves space for the line's label.
    kept: Vec<bool>,
    /// For every line, true if its label is to be on the line instead of beside it.
    pub(super) on_line: Vec<bool>,
    /// For every line, the index of the label's shown text in the list of its possible texts.
    pub(super) said: Vec<usize>,
    pub(super) forms: Vec<Form>,
    /// For each box with inner states, its laid-out content, and true if the content cannot be made narrower.
    inner: BTreeMap<usize, (Inner, bool)>,
    /// Number of names that are shown shortened.
    pub(super) cuts: usize,
}

/// If a scope has more lines than this, its labels are at most `LENGTHS[1]` cells wide from the start. Otherwise,
/// fitting wide rows would take too long.
const MANY: usize = 2_000;

impl Plan {
    /// Makes the plan of the scope with the index `place`: each name in one line, each label in its longest allowed
    /// text. The content of boxes is added later.
    pub(super) fn of(sketch: &Sketch, place: usize, options: &Options) -> Self {
        let none = SketchScope::default();
        let scope = sketch.scopes.get(place).unwrap_or(&none);
        let outermost = place == 0;
        let mut bundles = bundles(sketch, scope, outermost, options.glyphs);
        let mut nodes: Vec<Node> = scope.states.iter().map(|id| Node::State(*id)).collect();
        if outermost && scope.start.is_some() {
            nodes.insert(0, Node::Start);
        }
        if bundles.iter().any(|bundle| bundle.to == Node::End) {
            nodes.push(Node::End);
        }
        let mut index = BTreeMap::new();
        for (place, node) in nodes.iter().enumerate() {
            index.entry(*node).or_insert(place);
        }
        bundles.retain(|bundle| index.contains_key(&bundle.from) && index.contains_key(&bundle.to));
        let of = |node: &Node| index.get(node).copied().unwrap_or(0);
        let ends: Vec<(usize, usize)> = (bundles.iter())
            .map(|bundle| (of(&bundle.from), of(&bundle.to)))
            .collect();
        let mut catches: BTreeMap<Node, usize> = BTreeMap::new();
        for bundle in bundles.iter().filter(|bundle| bundle.catches()) {
            *catches.entry(bundle.from).or_default() += 1;
        }
        let longest = usize::from(bundles.len() > MANY);
        // Space is reserved for the label of a catcher's line only if several lines of catchers leave the same box.
        let kept = bundles.iter().map(|bundle| {
            let alone = catches.get(&bundle.from).is_none_or(|lines| *lines < 2);
            let is_told = !bundle.forms.is_empty();
            is_told && (!alone || !bundle.catches())
        });
        let root = match scope.start {
            Some(_) if outermost => Some(0),
            Some(start) => index.get(&Node::State(start)).copied(),
            None => None,
        };
        Self {
            root,
            ends,
            kept: kept.collect(),
            on_line: vec![false; bundles.len()],
            said: bundles.iter().map(|bundle| bundle.form(longest)).collect(),
            forms: vec![Form::default(); nodes.len()],
            inner: BTreeMap::new(),
            cuts: 0,
            bundles,
            nodes,
        }
    }

    /// The boxes whose states contain drawn states, each with its state.
    pub(super) fn groups(&self, sketch: &Sketch, options: &Options) -> Vec<(usize, StateId)> {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter_map(|(place, node)| match node {
                Node::State(id) if !inner_scopes(sketch, *id, options).is_empty() => {
                    Some((place, *id))
                }
                _ => None,
            })
            .collect()
    }

    /// The state that a box represents; `None` for a start or end mark.
    pub(super) fn state(&self, node: usize) -> Option<StateId> {
        match self.nodes.get(node) {
            Some(Node::State(id)) => Some(*id),
            _ => None,
        }
    }

    /// Stores the laid-out content of a box.
    pub(super) fn put_inner(&mut self, node: usize, inner: Inner) {
        if !inner.parts.is_empty() {
            self.inner.insert(node, (inner, false));
        }
    }

    /// Replaces the content of a box by a narrower layout. If the new layout is not narrower, keeps the current content
    /// and records that it cannot be made narrower.
    pub(super) fn squeezed(&mut self, node: usize, inner: Inner) {
        if let Some((before, is_last)) = self.inner.get_mut(&node) {
            *is_last = inner.width >= before.width;
            if !*is_last {
                *before = inner;
            }
        }
    }

    /// Width of a box's content, and true if the content cannot be made narrower; `None` for a box without content.
    pub(super) fn inside(&self, node: usize) -> Option<(i32, bool)> {
        let (inner, is_last) = self.inner.get(&node)?;
        Some((inner.width, *is_last))
    }

    /// Removes the content of all boxes from the plan and returns it, by state.
    pub(super) fn take_inner(&mut self) -> BTreeMap<StateId, Inner> {
        let all = std::mem::take(&mut self.inner);
        all.into_iter()
            .filter_map(|(node, (inner, _))| Some((self.state(node)?, inner)))
            .collect()
    }

    /// The label of a line, true if space is reserved for the label, and true if the label is on the line; `None`
    /// without a label.
    pub(super) fn label(&self, arc: usize) -> Option<(&str, bool, bool)> {
        let bundle = self.bundles.get(arc)?;
        let text = bundle.text(self.form(arc));
        let kept = self.kept.get(arc).copied().unwrap_or(false);
        let on_line = self.on_line.get(arc).copied().unwrap_or(false);
        (!text.is_empty()).then_some((text, kept, on_line))
    }

    /// The index of a label's shown text in the list of its possible texts.
    pub(super) fn form(&self, arc: usize) -> usize {
        self.said.get(arc).copied().unwrap_or(0)
    }

    /// If the layout made a box wider than planned, returns the box with more of its shortened name. `None` if there is
    /// no extra width, or if the box would become larger.
    pub(super) fn rewrapped(
        &mut self,
        place: usize,
        item: &NodeBox,
        at: Rect,
        sketch: &Sketch,
        options: &Options,
    ) -> Option<NodeBox> {
        let form = self.forms.get(place).copied()?;
        let (room, spare) = (form.room?, at.w - item.rect.w);
        let inner = self.inner.get(&place);
        let inner = inner.map(|(inner, _)| (inner.width, inner.height));
        let form = Form {
            room: Some(room + spare),
            ..form
        };
        let (wider, is_cut) = sized(sketch, item.node, form, inner, options);
        if spare < 1 || wider.rect.w > at.w || wider.rect.h > item.rect.h {
            return None;
        }
        self.cuts -= usize::from(!is_cut).min(self.cuts);
        Some(wider)
    }

    /// Returns the input of the layout (sizes of boxes, and lines between them), and the boxes with their sizes.
    pub(super) fn graph(&mut self, sketch: &Sketch, options: &Options) -> (Graph, Vec<NodeBox>) {
        let mut boxes = Vec::with_capacity(self.nodes.len());
        self.cuts = 0;
        for (place, node) in self.nodes.iter().enumerate() {
            let form = self.forms.get(place).copied().unwrap_or_default();
            let inner = self.inner.get(&place).map(|(inner, _)| inner);
            let inner = inner.map(|inner| (inner.width, inner.height));
            let (item, is_cut) = sized(sketch, *node, form, inner, options);
            self.cuts += usize::from(is_cut);
            boxes.push(item);
        }
        let sizes = boxes.iter().map(|item| Size {
            w: item.rect.w,
            h: item.rect.h,
        });
        let arcs = self.bundles.iter().enumerate().map(|(arc, bundle)| {
            let (from, to) = self.ends.get(arc).copied().unwrap_or_default();
            let label = self.label(arc).filter(|(_, kept, _)| *kept);
            Arc {
                from,
                to,
                catch: bundle.catches(),
                label: label.map_or(0, |(text, _, _)| width(text)),
                on_line: label.is_some_and(|(_, _, on_line)| on_line),
            }
        });
        let graph = Graph {
            sizes: sizes.collect(),
            arcs: arcs.collect(),
            root: self.root,
        };
        (graph, boxes)
    }
}

/// The scopes (branches or item processor) that are drawn inside a state; none if the state is folded.
pub(super) fn inner_scopes<'a>(sketch: &'a Sketch, id: StateId, options: &Options) -> &'a [usize] {
    if options.folded.contains(&id) {
        return &[];
    }
    sketch.state(id).map_or(&[], |state| &state.scopes)
}

/// Maximum widths of labels, in cells, in the order in which they are tried.
pub(super) const LENGTHS: [i32; 5] = [72, 40, 24, 14, 8];

/// The links (transitions) that share one line of the drawing.
pub(super) struct Bundle {
    pub(super) from: Node,
    pub(super) to: Node,
    said: Said,
    /// Possible texts of the line's label, from the complete text to the shortest. Each is narrower than the one
    /// before.
    pub(super) forms: Vec<String>,
    /// Number of texts, at the start of `forms`, that say more than a number of parts or line numbers.
    telling: usize,
}

/// Maximum width, in cells, of a label text that exceeds the length limit. Such a text is used if all shorter texts
/// contain only numbers.
const FAR: i32 = 40;

/// If the length limit is below this width, in cells, no label text that exceeds the limit is used.
const LEAST_TOLD: i32 = 24;

impl Bundle {
    fn new(from: Node, to: Node, kinds: Vec<EdgeKind>) -> Self {
        Self {
            from,
            to,
            said: Said {
                kinds,
                ..Said::default()
            },
            forms: Vec::new(),
            telling: 0,
        }
    }

    /// The kinds of the links that share the line.
    pub(super) fn kinds(&self) -> &[EdgeKind] {
        &self.said.kinds
    }

    /// True if all links of the line belong to catchers. Links of catchers never share a line with other links.
    pub(super) fn catches(&self) -> bool {
        self.said.kinds.iter().all(|kind| kind.is_catch())
    }

    /// The index of the longest label text that fits the limit `LENGTHS[length]`, or of the shortest text if none fits.
    /// If this text contains only numbers, the shortest text that says more is used instead, unless it is wider than
    /// [`FAR`] or the limit is below [`LEAST_TOLD`].
    pub(super) fn form(&self, length: usize) -> usize {
        let most = LENGTHS.get(length).copied().unwrap_or(0);
        let first = self.forms.iter().position(|form| width(form) <= most);
        let first = first.unwrap_or(self.forms.len().saturating_sub(1));
        let telling_form = self
            .telling
            .checked_sub(1)
            .filter(|telling_form| *telling_form < first);
        let telling_form = telling_form
            .filter(|telling_form| most >= LEAST_TOLD && width(self.text(*telling_form)) <= FAR);
        telling_form.unwrap_or(first)
    }

    /// The label text with this index.
    pub(super) fn text(&self, form: usize) -> &str {
        self.forms.get(form).map_or("", String::as_str)
    }
}

/// Groups the links of a scope by the line that they share. Links of catchers never share a line with other links.
pub(super) fn bundles(
    sketch: &Sketch,
    scope: &SketchScope,
    outermost: bool,
    glyphs: Glyphs,
) -> Vec<Bundle> {
    let mut out: Vec<Bundle> = Vec::new();
    if let (true, Some(start)) = (outermost, scope.start) {
        out.push(Bundle::new(
            Node::Start,
            Node::State(start),
            vec![EdgeKind::Start],
        ));
    }
    for id in &scope.states {
        let links = sketch.state(*id).map_or(&[][..], |state| &state.links);
        let first = out.len();
        let mut known: BTreeMap<(Node, bool), usize> = BTreeMap::new();
        for link in links {
            let to = match link.to {
                Some(state) => Node::State(state),
                None if outermost => Node::End,
                None => continue,
            };
            let at = *known.entry((to, link.kind.is_catch())).or_insert(out.len());
            if at == out.len() {
                out.push(Bundle::new(Node::State(*id), to, Vec::new()));
            }
            if let Some(bundle) = out.get_mut(at) {
                bundle.said.kinds.push(link.kind);
                bundle.said.lines.extend(link.line);
                let clauses = &mut bundle.said.clauses;
                let clause = link.label.iter().filter(|label| !clauses.contains(label));
                let clause: Vec<_> = clause.cloned().collect();
                clauses.extend(clause);
            }
        }
        name(out.get_mut(first..).unwrap_or_default(), glyphs);
    }
    out
}

/// Computes the possible label texts of the lines that leave one state.
fn name(lines: &mut [Bundle], glyphs: Glyphs) {
    if lines.iter().all(|line| line.said.clauses.is_empty()) {
        return;
    }
    let said: Vec<Said> = (lines.iter_mut())
        .map(|line| std::mem::take(&mut line.said))
        .collect();
    let forms = told_apart(&said, glyphs);
    for (line, (said, forms)) in lines.iter_mut().zip(said.into_iter().zip(forms)) {
        line.telling = forms.iter().filter(|form| !said.is_number(form)).count();
        line.said = said;
        line.forms = forms;
    }
}

/// The drawing of one scope. Its coordinates start at its top left corner.
#[derive(Clone, Default)]
pub(super) struct Drawn {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) boxes: Vec<NodeBox>,
    pub(super) inner: BTreeMap<StateId, Inner>,
    pub(super) edges: Vec<EdgeRoute>,
    /// Number of names that are shown shortened.
    pub(super) cuts: usize,
}

/// The content of a state's box. Its coordinates start at the top left corner of the content.
#[derive(Clone)]
pub(super) struct Inner {
    pub(super) parts: Vec<(Rc<Drawn>, Point)>,
    pub(super) separators: Vec<Separator>,
    pub(super) width: i32,
    pub(super) height: i32,
    /// Number of names that are shown shortened.
    pub(super) cuts: usize,
}

impl Inner {
    /// Arranges branches in rows, with a blank around each branch and separators between the branches.
    pub(super) fn of(rows: Vec<Vec<Rc<Drawn>>>) -> Self {
        let wide = |row: &Vec<Rc<Drawn>>| row.iter().map(|part| part.width + 3).sum::<i32>() - 1;
        let mut out = Self {
            parts: Vec::new(),
            separators: Vec::new(),
            width: rows.iter().map(wide).max().unwrap_or(0),
            height: 0,
            cuts: 0,
        };
        for (place, row) in rows.into_iter().enumerate() {
            if place > 0 {
                let y = out.height;
                out.separators.push(Separator {
                    from: Point { x: 0, y },
                    to: Point {
                        x: out.width - 1,
                        y,
                    },
                });
                out.height += 1;
            }
            let y = out.height;
            let tall = row.iter().map(|part| part.height).max().unwrap_or(1);
            let mut x = 1 + (out.width - wide(&row)) / 2;
            for (column, part) in row.into_iter().enumerate() {
                if column > 0 {
                    out.separators.push(Separator {
                        from: Point { x: x - 2, y },
                        to: Point {
                            x: x - 2,
                            y: y + tall - 1,
                        },
                    });
                }
                let next = x + part.width + 3;
                out.cuts += part.cuts;
                out.parts.push((part, Point { x, y }));
                x = next;
            }
            out.height += tall;
        }
        out
    }

    /// Cost of an arrangement of branches, to compare it with another one. The most important part is first: columns
    /// beyond the limit, number of shortened names, number of rows of cells.
    pub(super) fn cost(&self, limit: i32) -> (i32, usize, i32) {
        ((self.width - limit).max(0), self.cuts, self.height)
    }
}

/// Distributes `room` columns among the branches beside each other. A branch that is narrower than an equal part keeps
/// its width; the wider branches divide the rest equally.
pub(super) fn shares(widths: &[i32], room: i32) -> Vec<i32> {
    let mut order: Vec<(i32, usize)> = widths.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut out = vec![0; widths.len()];
    let mut left = room;
    let mut count = i32::try_from(widths.len()).unwrap_or(i32::MAX);
    for (width, place) in order {
        let share = width.min(left / count.max(1)).max(1);
        if let Some(slot) = out.get_mut(place) {
            *slot = share;
        }
        left -= share;
        count -= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_branches_leave_their_room_to_wide_ones() {
        assert_eq!(shares(&[10, 50, 20], 60), [10, 30, 20]);
        assert_eq!(shares(&[50, 50], 60), [30, 30]);
    }
}
