//! One scope before layout: its boxes with the form of their names, its lines with the form of their labels.

use super::bundle::{Bundle, bundles};
use super::frame::{Form, sized};
use super::inner::Inner;
use super::layered::{Arc, Graph, Size};
use super::model::{Node, NodeBox, Options, Rect};
use super::sketch::{Sketch, SketchScope};
use super::wording::width;
use crate::definition::StateId;
use std::collections::BTreeMap;

/// A scope with the forms of its names and labels.
pub(super) struct Plan {
    nodes: Vec<Node>,
    root: Option<usize>,
    pub(super) bundles: Vec<Bundle>,
    /// For every line, the indices of its two boxes.
    ends: Vec<(usize, usize)>,
    /// For every line, true if the layout reserves space for its label.
    kept: Vec<bool>,
    /// For every line, true if its label is on the line.
    pub(super) on_line: Vec<bool>,
    /// For every line, the form of its label.
    pub(super) said: Vec<usize>,
    pub(super) forms: Vec<Form>,
    /// Content of boxes, with true if it cannot be made narrower.
    inner: BTreeMap<usize, (Inner, bool)>,
    /// Number of shortened names.
    pub(super) cuts: usize,
}

/// With more lines than this, labels start in their second length, because fitting wide rows would take too long.
const MANY: usize = 2_000;

impl Plan {
    /// Plans a scope with everything in its longest form; the content of boxes is added later.
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
        // The label of a catcher's line is needed only if several catchers' lines leave the same box.
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

    /// The boxes with content.
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

    /// The state that a box represents.
    pub(super) fn state(&self, node: usize) -> Option<StateId> {
        match self.nodes.get(node) {
            Some(Node::State(id)) => Some(*id),
            _ => None,
        }
    }

    /// Sets the content of a box.
    pub(super) fn put_inner(&mut self, node: usize, inner: Inner) {
        if !inner.parts.is_empty() {
            self.inner.insert(node, (inner, false));
        }
    }

    /// Replaces the content of a box by a narrower form; if it is not narrower, the current one is final.
    pub(super) fn squeezed(&mut self, node: usize, inner: Inner) {
        if let Some((before, is_last)) = self.inner.get_mut(&node) {
            *is_last = inner.width >= before.width;
            if !*is_last {
                *before = inner;
            }
        }
    }

    /// Width of a box's content, and true if it cannot be made narrower.
    pub(super) fn inside(&self, node: usize) -> Option<(i32, bool)> {
        let (inner, is_last) = self.inner.get(&node)?;
        Some((inner.width, *is_last))
    }

    /// Takes the content of all boxes, by state.
    pub(super) fn take_inner(&mut self) -> BTreeMap<StateId, Inner> {
        let all = std::mem::take(&mut self.inner);
        all.into_iter()
            .filter_map(|(node, (inner, _))| Some((self.state(node)?, inner)))
            .collect()
    }

    /// The label of a line, whether space is reserved for it, and whether that is on the line.
    pub(super) fn label(&self, arc: usize) -> Option<(&str, bool, bool)> {
        let bundle = self.bundles.get(arc)?;
        let text = bundle.text(self.form(arc));
        let kept = self.kept.get(arc).copied().unwrap_or(false);
        let on_line = self.on_line.get(arc).copied().unwrap_or(false);
        (!text.is_empty()).then_some((text, kept, on_line))
    }

    /// The form of a line's label.
    pub(super) fn form(&self, arc: usize) -> usize {
        self.said.get(arc).copied().unwrap_or(0)
    }

    /// The box with a less shortened name, if it got more width than it needed and does not become higher.
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

    /// The graph for the layout, and the boxes with their sizes.
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

/// The scopes that are drawn inside a state.
pub(super) fn inner_scopes<'a>(sketch: &'a Sketch, id: StateId, options: &Options) -> &'a [usize] {
    if options.folded.contains(&id) {
        return &[];
    }
    sketch.state(id).map_or(&[], |state| &state.scopes)
}
