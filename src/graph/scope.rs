//! Lays out each scope on its own, inner ones first, and combines them: a Parallel or Map is one box of its scope.
//!
//! It must not know glyphs or the status of a run.

use super::checked_index::cells;
use super::label::{Wanted, joined, place_labels};
use super::layered::{Arc, Graph, Layered, Size};
use super::model::{
    BoxType, Boxes, EdgeKind, EdgeRoute, Glyphs, Label, Layout, Node, NodeBox, Options, Point,
    Rect, Separator,
};
use super::route::Routed;
use super::sketch::{Sketch, SketchScope, SketchState};
use super::wording::{cut_middle, width};
use super::{align, net, order, place, rank, route};
use crate::definition::{Definition, StateId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Lays out a definition.
#[must_use]
pub fn layout(definition: &Definition, options: &Options) -> Layout {
    layout_sketch(&Sketch::of(definition), options)
}

/// Lays out a sketch.
#[must_use]
pub fn layout_sketch(sketch: &Sketch, options: &Options) -> Layout {
    let order = scopes_outer_first(sketch, options);
    let mut drawn: BTreeMap<usize, Drawn> = BTreeMap::new();
    for scope in order.iter().rev() {
        if let Some(item) = sketch.scopes.get(*scope) {
            let done = draw(sketch, item, *scope == 0, options, &drawn);
            drawn.insert(*scope, done);
        }
    }
    let mut out = Layout {
        frames: options.boxes,
        ..Layout::default()
    };
    if let Some(first) = drawn.get(&0) {
        out.width = first.width;
        out.height = first.height;
    }
    let mut queue = VecDeque::from([(0usize, Point::default(), None)]);
    while let Some((scope, origin, parent)) = queue.pop_front() {
        let Some(part) = drawn.remove(&scope) else {
            continue;
        };
        for mut item in part.boxes {
            shift(&mut item, origin);
            item.parent = parent;
            if item.group
                && let Node::State(id) = item.node
            {
                let inner = inner_scopes(sketch, id, options);
                open(&item, id, inner, &drawn, &mut out.separators, &mut queue);
            }
            out.by_node.insert(item.node, out.boxes.len());
            out.boxes.push(item);
        }
        for mut edge in part.edges {
            out.undrawn += usize::from(edge.path.is_empty());
            for point in &mut edge.path {
                *point = moved(*point, origin);
            }
            if let Some(label) = &mut edge.label {
                label.x += origin.x;
                label.y += origin.y;
            }
            out.edges.push(edge);
        }
    }
    out
}

/// Places the scopes of a group side by side in its box.
fn open(
    item: &NodeBox,
    id: StateId,
    inner: &[usize],
    drawn: &BTreeMap<usize, Drawn>,
    separators: &mut Vec<Separator>,
    queue: &mut VecDeque<(usize, Point, Option<StateId>)>,
) {
    let parts: Vec<(usize, &Drawn)> = (inner.iter())
        .filter_map(|scope| Some((*scope, drawn.get(scope)?)))
        .collect();
    let spare = item.rect.w - 2 - inside(parts.iter().map(|(_, part)| part.width));
    let mut x = item.rect.x + 1 + spare / 2 + 1;
    for (place, (scope, part)) in parts.iter().enumerate() {
        if place > 0 {
            separators.push(Separator {
                x: x - 2,
                top: item.rect.y + 1,
                bottom: item.rect.bottom() - 1,
            });
        }
        let y = item.rect.y + 1;
        queue.push_back((*scope, Point { x, y }, Some(id)));
        x += part.width + 3;
    }
}

/// Width of scopes placed side by side, with a blank around each and a separator between them.
fn inside(widths: impl Iterator<Item = i32>) -> i32 {
    widths.map(|width| width + 3).sum::<i32>() - 1
}

fn moved(point: Point, by: Point) -> Point {
    Point {
        x: point.x + by.x,
        y: point.y + by.y,
    }
}

fn shift(item: &mut NodeBox, by: Point) {
    item.rect.x += by.x;
    item.rect.y += by.y;
    item.label_at = moved(item.label_at, by);
    item.status_at = item.status_at.map(|at| moved(at, by));
    if let Some(badge) = &mut item.badge {
        badge.x += by.x;
        badge.y += by.y;
    }
}

/// The scopes that are drawn inside a state.
fn inner_scopes<'a>(sketch: &'a Sketch, id: StateId, options: &Options) -> &'a [usize] {
    if options.folded.contains(&id) {
        return &[];
    }
    sketch.state(id).map_or(&[], |state| &state.scopes)
}

fn scopes_outer_first(sketch: &Sketch, options: &Options) -> Vec<usize> {
    let mut out = vec![0];
    let mut seen = BTreeSet::from([0]);
    let mut next = 0;
    while let Some(scope) = out.get(next).and_then(|scope| sketch.scopes.get(*scope)) {
        next += 1;
        for id in &scope.states {
            for inner in inner_scopes(sketch, *id, options) {
                if sketch.scopes.len() > *inner && seen.insert(*inner) {
                    out.push(*inner);
                }
            }
        }
    }
    out
}

/// One scope, laid out at its own origin.
struct Drawn {
    width: i32,
    height: i32,
    boxes: Vec<NodeBox>,
    edges: Vec<EdgeRoute>,
}

/// The links that one line represents.
struct Bundle {
    from: Node,
    to: Node,
    kinds: Vec<EdgeKind>,
    texts: Vec<String>,
}

impl Bundle {
    /// Whether its links are those of catchers; such a line has no other links.
    fn catches(&self) -> bool {
        self.kinds.iter().all(|kind| kind.is_catch())
    }
}

fn draw(
    sketch: &Sketch,
    scope: &SketchScope,
    outermost: bool,
    options: &Options,
    drawn: &BTreeMap<usize, Drawn>,
) -> Drawn {
    let bundles = bundle(sketch, scope, outermost);
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
    let mut boxes: Vec<NodeBox> = (nodes.iter())
        .map(|node| empty_box(sketch, *node, options, drawn))
        .collect();
    let mut graph = Graph {
        sizes: (boxes.iter())
            .map(|item| Size {
                w: item.rect.w,
                h: item.rect.h,
            })
            .collect(),
        arcs: Vec::new(),
        root: match scope.start {
            Some(_) if outermost => Some(0),
            Some(start) => index.get(&Node::State(start)).copied(),
            None => None,
        },
    };
    let mut bundles: Vec<Bundle> = bundles;
    bundles.retain(|bundle| index.contains_key(&bundle.from) && index.contains_key(&bundle.to));
    let mut wanted = Vec::new();
    let mut catches: BTreeMap<Node, usize> = BTreeMap::new();
    for bundle in bundles.iter().filter(|bundle| bundle.catches()) {
        *catches.entry(bundle.from).or_default() += 1;
    }
    // Whether the label must say which catcher a line belongs to.
    let several_catchers =
        |bundle: &Bundle| catches.get(&bundle.from).is_some_and(|lines| *lines > 1);
    for (arc, bundle) in bundles.iter().enumerate() {
        let text = joined(&bundle.texts, options.max_label, options.glyphs);
        let catch = bundle.catches();
        let kept = !text.is_empty() && (!catch || several_catchers(bundle));
        graph.arcs.push(Arc {
            from: index.get(&bundle.from).copied().unwrap_or(0),
            to: index.get(&bundle.to).copied().unwrap_or(0),
            catch,
            label: if kept { width(&text) } else { 0 },
        });
        if !text.is_empty() {
            wanted.push(Wanted { arc, text, kept });
        }
    }
    let (layered, mut routed) = routed(&graph);
    let labels = place_labels(&mut routed, &wanted, options.glyphs);
    for (item, rect) in boxes.iter_mut().zip(&routed.boxes) {
        settle(item, *rect, options);
    }
    let mut texts: BTreeMap<usize, Label> = BTreeMap::new();
    for (wanted, label) in wanted.iter().zip(labels) {
        if let Some((Point { x, y }, text)) = label {
            texts.insert(wanted.arc, Label { x, y, text });
        }
    }
    let mut edges = Vec::new();
    let paths = routed.paths.into_iter().zip(layered.back.iter().copied());
    for ((arc, bundle), (path, back)) in bundles.into_iter().enumerate().zip(paths) {
        for kind in bundle.kinds {
            edges.push(EdgeRoute {
                from: bundle.from,
                to: bundle.to,
                kind,
                label: texts.remove(&arc),
                path: path.clone(),
                back,
            });
        }
    }
    Drawn {
        width: routed.width.max(3),
        height: routed.height.max(1),
        boxes,
        edges,
    }
}

/// Largest area of a drawing, in cells; beyond it, lines are omitted.
const MAX_AREA: i64 = 8_000_000;

/// Ranks, columns and rows, with fewer lines if the drawing would otherwise be too large.
fn routed(graph: &Graph) -> (Layered, Routed) {
    let mut budget = rank::Budget::default();
    loop {
        let mut layered = rank::rank(graph, budget);
        order::order(&mut layered);
        net::nets(&mut layered, graph);
        place::place(&mut layered);
        align::align(&mut layered);
        let routed = route::route(&layered);
        let area = i64::from(routed.width) * i64::from(routed.height);
        match budget.smaller() {
            Some(smaller) if area > MAX_AREA => budget = smaller,
            _ => return (layered, routed),
        }
    }
}

/// The lines of a scope: links between the same two boxes share a line, except those of catchers.
fn bundle(sketch: &Sketch, scope: &SketchScope, outermost: bool) -> Vec<Bundle> {
    let mut out: Vec<Bundle> = Vec::new();
    if let (true, Some(start)) = (outermost, scope.start) {
        out.push(Bundle {
            from: Node::Start,
            to: Node::State(start),
            kinds: vec![EdgeKind::Start],
            texts: Vec::new(),
        });
    }
    for id in &scope.states {
        let links = sketch.state(*id).map_or(&[][..], |state| &state.links);
        let mut known: BTreeMap<(Node, bool), usize> = BTreeMap::new();
        for link in links {
            let to = match link.to {
                Some(state) => Node::State(state),
                None if outermost => Node::End,
                None => continue,
            };
            let at = *known.entry((to, link.kind.is_catch())).or_insert(out.len());
            if at == out.len() {
                out.push(Bundle {
                    from: Node::State(*id),
                    to,
                    kinds: Vec::new(),
                    texts: Vec::new(),
                });
            }
            if let Some(bundle) = out.get_mut(at) {
                bundle.kinds.push(link.kind);
                bundle.texts.extend(link.label.clone());
            }
        }
    }
    out
}

/// A box with its size but without a position.
fn empty_box(
    sketch: &Sketch,
    node: Node,
    options: &Options,
    drawn: &BTreeMap<usize, Drawn>,
) -> NodeBox {
    let blank = SketchState::default();
    let (state, kind, name) = match node {
        Node::Start => (&blank, BoxType::Mark, "( start )"),
        Node::End => (&blank, BoxType::Mark, "( end )"),
        Node::State(id) => {
            let state = sketch.state(id).unwrap_or(&blank);
            (state, state.kind, state.name.as_str())
        }
    };
    let name = cut_middle(name, options.max_name.max(9), options.glyphs);
    let label = match kind.mark(options.glyphs) {
        Some(mark) => format!("{mark} {name}"),
        None => name,
    };
    let inner: Vec<&Drawn> = match node {
        Node::State(id) => (inner_scopes(sketch, id, options).iter())
            .filter_map(|scope| drawn.get(scope))
            .collect(),
        _ => Vec::new(),
    };
    let group = !inner.is_empty();
    let badge = badge_width(state, options);
    let room = if badge > 0 { badge + 1 } else { 0 };
    let status = status_width(options);
    let text = status + width(&label) + room;
    let (w, h) = if group {
        let tall = inner.iter().map(|part| part.height).max().unwrap_or(1);
        let wide = inside(inner.iter().map(|part| part.width));
        ((text + 6).max(wide + 2), tall + 2)
    } else if kind == BoxType::Mark {
        (width(&label), 1)
    } else if options.boxes == Boxes::Line {
        (text + 2, 1)
    } else {
        (text + 4, 3)
    };
    NodeBox {
        node,
        rect: Rect { x: 0, y: 0, w, h },
        label,
        label_at: Point::default(),
        status_at: None,
        badge: (badge > 0).then_some(Rect {
            w: badge,
            h: 1,
            ..Rect::default()
        }),
        retries: state.retries,
        kind,
        group,
        parent: None,
    }
}

/// Width of `✓ ` or `ok `, in cells.
fn status_width(options: &Options) -> i32 {
    match (options.live, options.glyphs) {
        (false, _) => 0,
        (true, Glyphs::Unicode) => 2,
        (true, Glyphs::Ascii) => 3,
    }
}

/// Width of `↻2/3`, `97/100`, or without a run `↻3`, in cells.
fn badge_width(state: &SketchState, options: &Options) -> i32 {
    let retries = state.retries.map_or(0, |count| {
        let digits = cells(count.to_string().len().min(4));
        if options.live {
            2 + 2 * digits
        } else {
            1 + digits
        }
    });
    let items = if options.live && state.kind == BoxType::Map {
        7
    } else {
        0
    };
    retries.max(items)
}

/// Sets the position of a box and of the texts in it.
fn settle(item: &mut NodeBox, rect: Rect, options: &Options) {
    item.rect = rect;
    if item.kind == BoxType::Mark {
        let x = rect.x + (rect.w - width(&item.label)) / 2;
        item.label_at = Point { x, y: rect.y };
        return;
    }
    let (margin, row) = match (item.group, options.boxes) {
        (true, _) => (3, 0),
        (false, Boxes::Line) => (1, 0),
        (false, Boxes::Frame) => (2, 1),
    };
    let y = rect.y + row;
    let mut x = rect.x + margin;
    if options.live {
        item.status_at = Some(Point { x, y });
        x += status_width(options);
    }
    let room = item.badge.map_or(0, |badge| badge.w + 1);
    let text = width(&item.label);
    if !item.group {
        x += (rect.right() - margin + 1 - x - text - room).max(0) / 2;
    }
    item.label_at = Point { x, y };
    if let Some(badge) = &mut item.badge {
        badge.x = x + text + 1;
        badge.y = y;
    }
}
