//! Fits the drawing of each scope (a list of states) into a width, inner scopes first. A row of boxes that is too wide
//! is made narrower by several kinds of changes, the mildest first.

use super::frame::{settle, width};
use super::label::{Placed, Wanted, place_labels};
use super::layered::{Graph, Layered, cells, order};
use super::model::{EdgeRoute, Label, NodeBox, Options, Point};
use super::narrowing::{Manner, Relief, labelled};
use super::net::nets;
use super::place::{Bounds, align, needed, place};
use super::plan::{Bundle, Drawn, Inner, Plan, inner_scopes, shares};
use super::rank::{Budget, Ranks, rank};
use super::route::{Routed, route};
use super::sketch::Sketch;
use crate::definition::StateId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Maximum nesting depth at which a scope is fitted into a width. Deeper scopes are drawn without wrapping or
/// shortening.
const DEEPEST: usize = 24;
/// Maximum number of layout attempts for all scopes together. After that, each scope keeps its first layout.
const PATIENCE: usize = 600;
/// Maximum number of attempts to make the rows of one scope fit.
const ATTEMPTS: usize = 80;
/// Maximum area of a drawing, in cells. If a drawing is larger, it is laid out again, with routes for fewer of its
/// lines.
const MAX_AREA: i64 = 8_000_000;
/// Columns to the left of every box in the drawing of a run. They show the symbols for the current state and a
/// breakpoint.
const MARGIN: i32 = 2;

/// Lays out the scopes of a sketch so that each fits a given width.
pub(super) struct Fitter<'a> {
    pub(super) sketch: &'a Sketch,
    pub(super) options: &'a Options,
    known: HashMap<(usize, Option<i32>), Rc<Drawn>>,
    spent: usize,
}

impl<'a> Fitter<'a> {
    pub(super) fn new(sketch: &'a Sketch, options: &'a Options) -> Self {
        Self {
            sketch,
            options,
            known: HashMap::new(),
            spent: 0,
        }
    }

    /// Lays out the whole machine.
    pub(super) fn whole(mut self) -> Rc<Drawn> {
        for scope in scopes_outer_first(self.sketch, self.options)
            .into_iter()
            .rev()
        {
            let drawn = self.natural(scope);
            self.known.insert((scope, None), Rc::new(drawn));
        }
        self.drawn(0, self.options.width, 0)
    }

    fn bounds(&self, limit: Option<i32>) -> Bounds {
        Bounds {
            limit,
            margin: if self.options.live { MARGIN } else { 0 },
        }
    }

    /// Returns the drawing of a scope: at most `limit` cells wide if this is possible, otherwise as narrow as possible.
    fn drawn(&mut self, scope: usize, limit: Option<i32>, depth: usize) -> Rc<Drawn> {
        if let Some(known) = self.known.get(&(scope, limit)) {
            return known.clone();
        }
        let natural = self.known.get(&(scope, None)).cloned().unwrap_or_default();
        let (Some(wanted), true) = (limit, depth <= DEEPEST) else {
            return natural;
        };
        if natural.width <= wanted {
            return natural;
        }
        let (mut best, is_divided) = self.fitted(scope, wanted, depth, Manner::default());
        let usual = crossings(&natural.edges);
        for manner in [Manner::InOrder, Manner::Late] {
            let lines = crossings(&best.edges);
            if !is_divided || lines <= usual || self.spent > PATIENCE {
                break;
            }
            let (other, _) = self.fitted(scope, wanted, depth, manner);
            let cost = |drawn: &Drawn| ((drawn.width - wanted).max(0), drawn.cuts);
            if crossings(&other.edges) < lines && cost(&other) <= cost(&best) {
                best = other;
            }
        }
        let drawn = Rc::new(best);
        self.known.insert((scope, limit), drawn.clone());
        drawn
    }

    /// Returns the plan of a scope: its boxes and lines with their texts. Inner scopes have the width that they need
    /// without wrapping or shortening.
    fn planned(&mut self, scope: usize, depth: usize) -> Plan {
        let mut plan = Plan::of(self.sketch, scope, self.options);
        for (node, id) in plan.groups(self.sketch, self.options) {
            let inner = self.inner(id, None, depth);
            plan.put_inner(node, inner);
        }
        plan
    }

    /// Lays out a scope without a limit on its width: every name and label is in one line. The inner scopes must be
    /// laid out before.
    fn natural(&mut self, scope: usize) -> Drawn {
        let mut plan = self.planned(scope, 0);
        let (graph, boxes) = plan.graph(self.sketch, self.options);
        let ranks = Ranks::of(&graph);
        let bounds = self.bounds(None);
        let mut budget = Budget::default();
        loop {
            let mut layered = rank(&graph, &ranks, budget);
            order(&mut layered);
            let routed = placed(&mut layered, &graph, bounds);
            let area = i64::from(routed.width) * i64::from(routed.height);
            match budget.smaller() {
                Some(smaller) if area > MAX_AREA => budget = smaller,
                _ => {
                    // The pane may be wider than the drawing. Only labels of the outermost scope may extend into the
                    // free columns.
                    let free = self.options.width.filter(|_| scope == 0).unwrap_or(0);
                    return self.finished(plan, boxes, &layered, routed, None, free);
                }
            }
        }
    }

    /// Lays out a scope in a limited width. A row that is too wide is changed step by step until it fits. `manner` says
    /// how to divide a rank into rows. Also returns true if a rank was divided.
    fn fitted(&mut self, scope: usize, limit: i32, depth: usize, manner: Manner) -> (Drawn, bool) {
        self.spent += 1;
        let mut plan = self.planned(scope, depth);
        let bounds = self.bounds(Some(limit));
        let (mut graph, mut boxes) = plan.graph(self.sketch, self.options);
        let mut ranks = Ranks::of(&graph);
        let mut layered = ordered(&graph, &ranks, None);
        let mut order = layered.ranks.clone();
        let mut was_divided = false;
        for _ in 0..ATTEMPTS {
            nets(&mut layered, &graph, bounds.margin);
            let mut is_relieved = false;
            let mut is_divided = false;
            let labelled = labelled(&layered);
            for (place, row) in order.iter().enumerate() {
                let excess = needed(&layered, row, bounds) - limit;
                if excess <= 0 || is_divided {
                    continue;
                }
                let mut relief = Relief {
                    plan: &mut plan,
                    layered: &layered,
                    boxes: &boxes,
                    ranks: &mut ranks,
                    row: place,
                    labelled: labelled.get(place).map_or(&[], |labels| labels),
                    excess,
                    limit,
                    sketch: self.sketch,
                    options: self.options,
                    manner,
                };
                let relief_found = relief.find();
                if let Some((node, id, room)) = relief_found.squeeze {
                    let inner = self.inner(id, Some(room), depth + 1);
                    plan.squeezed(node, inner);
                }
                is_relieved |= relief_found.is_any;
                is_divided |= relief_found.is_divided;
            }
            if !is_relieved {
                break;
            }
            was_divided |= is_divided;
            (graph, boxes) = plan.graph(self.sketch, self.options);
            let known = (!is_divided).then_some(&*order);
            layered = ordered(&graph, &ranks, known);
            order.clone_from(&layered.ranks);
        }
        if plan.cuts > 0 && self.widen(&mut plan, &layered, &order, bounds) {
            (graph, boxes) = plan.graph(self.sketch, self.options);
            layered = ordered(&graph, &ranks, Some(&order));
            nets(&mut layered, &graph, bounds.margin);
        }
        if lengthen(&mut plan, &layered, &order, bounds) {
            (graph, boxes) = plan.graph(self.sketch, self.options);
            layered = ordered(&graph, &ranks, Some(&order));
        }
        let routed = placed(&mut layered, &graph, bounds);
        let drawn = self.finished(plan, boxes, &layered, routed, Some(limit), limit);
        (drawn, was_divided)
    }

    /// In each row of boxes that is narrower than the limit, gives the free width to shortened names. Returns true if
    /// any name got more width.
    fn widen(
        &self,
        plan: &mut Plan,
        layered: &Layered,
        order: &[Vec<usize>],
        bounds: Bounds,
    ) -> bool {
        let mut is_any = false;
        for row in order {
            let spare = bounds.limit.unwrap_or(0) - needed(layered, row, bounds);
            let forms = plan.forms.iter_mut().enumerate();
            let mut cut: Vec<_> = forms
                .filter(|(node, form)| form.room.is_some() && row.contains(node))
                .collect();
            let share = spare / cells(cut.len()).max(1);
            for (_, form) in cut.iter_mut().filter(|_| share > 0) {
                form.room = form.room.map(|room| room + share);
                is_any = true;
            }
        }
        is_any
    }

    /// Lays out the content of a state's box, in the width `limit` if this is possible.
    fn inner(&mut self, id: StateId, limit: Option<i32>, depth: usize) -> Inner {
        let scopes: Vec<usize> = inner_scopes(self.sketch, id, self.options)
            .iter()
            .copied()
            .filter(|scope| self.known.contains_key(&(*scope, None)))
            .collect();
        let natural: Vec<Rc<Drawn>> = (scopes.iter())
            .map(|scope| self.drawn(*scope, None, depth))
            .collect();
        let widths: Vec<i32> = natural.iter().map(|part| part.width).collect();
        let side_by_side = Inner::of(vec![natural]);
        let Some(limit) = limit.filter(|limit| side_by_side.width > *limit) else {
            return side_by_side;
        };
        // First attempt: each branch may be as wide as the box, and the branches go into as many rows as needed.
        let mut rows: Vec<Vec<Rc<Drawn>>> = Vec::new();
        let mut left = 0;
        for scope in &scopes {
            let part = self.drawn(*scope, Some(limit - 2), depth);
            match rows.last_mut() {
                Some(row) if part.width + 3 <= left => {
                    left -= part.width + 3;
                    row.push(part);
                }
                _ => {
                    left = limit - part.width - 2;
                    rows.push(vec![part]);
                }
            }
        }
        let mut best = Inner::of(rows);
        let count = scopes.len();
        if count < 2 || self.spent > PATIENCE {
            return best;
        }
        // Further attempts: narrower branches, first all in one row, then in two rows.
        for in_a_row in [count, count.div_ceil(2)] {
            let mut rows = Vec::new();
            for (scopes, widths) in scopes.chunks(in_a_row).zip(widths.chunks(in_a_row)) {
                let between = 3 * i32::try_from(scopes.len()).unwrap_or(0) - 1;
                let room = limit - between;
                let shares = shares(widths, room);
                if shares.iter().any(|share| *share < 14) {
                    break;
                }
                let parts = scopes.iter().zip(shares);
                rows.push(
                    parts
                        .map(|(scope, share)| self.drawn(*scope, Some(share), depth))
                        .collect(),
                );
            }
            if rows.iter().map(Vec::len).sum::<usize>() == count {
                let other = Inner::of(rows);
                if other.cost(limit) < best.cost(limit) {
                    best = other;
                }
            }
        }
        best
    }

    /// Positions the boxes and labels, and combines them with the routes of the lines into the drawing of the scope.
    fn finished(
        &self,
        mut plan: Plan,
        mut boxes: Vec<NodeBox>,
        layered: &Layered,
        mut routed: Routed,
        limit: Option<i32>,
        free: i32,
    ) -> Drawn {
        let wanted = plan.wanted();
        // If the drawing is wider than the limit, the labels may use the full width of the drawing.
        let limit = limit.map(|limit| limit.max(routed.width));
        let labels = place_labels(&mut routed, &wanted, limit, free);
        let mut texts: BTreeMap<usize, Label> = BTreeMap::new();
        for (wanted, placed) in wanted.iter().zip(labels) {
            if let Some(Placed { at, text, form }) = placed {
                let whole = wanted.forms.first().filter(|_| form > 0).cloned();
                let Point { x, y } = at;
                texts.insert(wanted.arc, Label { x, y, text, whole });
            }
        }
        for (place, (item, rect)) in boxes.iter_mut().zip(&routed.boxes).enumerate() {
            // Many lines at the border of a box can make it wider than its shortened name needs. Then more of the name
            // is shown.
            if let Some(wider) = plan.rewrapped(place, item, *rect, self.sketch, self.options) {
                *item = wider;
            }
            settle(item, *rect, self.options);
        }
        let mut edges = Vec::new();
        let paths = routed.paths.into_iter().zip(layered.back.iter().copied());
        for ((arc, bundle), (path, back)) in plan.bundles.iter().enumerate().zip(paths) {
            edges.extend(routes(bundle, texts.remove(&arc), path, back));
        }
        let inner = plan.take_inner();
        let cuts = plan.cuts + inner.values().map(|inner| inner.cuts).sum::<usize>();
        Drawn {
            width: routed.width.max(3),
            height: routed.height.max(1),
            boxes,
            inner,
            edges,
            cuts,
        }
    }
}

/// In each row of boxes that is narrower than the limit, lengthens labels that were shortened. Returns true if any
/// label is longer now.
fn lengthen(plan: &mut Plan, layered: &Layered, order: &[Vec<usize>], bounds: Bounds) -> bool {
    let mut is_any = false;
    for (row, labelled) in order.iter().zip(labelled(layered)) {
        let mut spare = bounds.limit.unwrap_or(0) - needed(layered, row, bounds);
        if spare <= 0 {
            continue;
        }
        for arc in labelled {
            let now = plan.form(arc);
            let Some(bundle) = plan.bundles.get(arc).filter(|_| now > 0) else {
                continue;
            };
            let grown = |form: usize| width(bundle.text(form)) - width(bundle.text(now));
            let Some(form) = (0..now).find(|form| grown(*form) <= spare) else {
                continue;
            };
            spare -= grown(form);
            if let Some(said) = plan.said.get_mut(arc) {
                *said = form;
                is_any = true;
            }
        }
    }
    is_any
}

/// Returns one edge for each transition that shares a line. All these edges have the same route; the first of them has
/// the label.
fn routes(
    bundle: &Bundle,
    mut label: Option<Label>,
    path: Vec<Point>,
    back: bool,
) -> impl Iterator<Item = EdgeRoute> {
    let (from, to) = (bundle.from, bundle.to);
    bundle.kinds().iter().map(move |kind| EdgeRoute {
        from,
        to,
        kind: *kind,
        label: label.take(),
        path: path.clone(),
        back,
    })
}

/// Positions a scope whose vertices are in order: assigns columns to the boxes, and rows and routes to the lines.
fn placed(layered: &mut Layered, graph: &Graph, bounds: Bounds) -> Routed {
    nets(layered, graph, bounds.margin);
    place(layered, bounds);
    align(layered, bounds.limit);
    route(layered)
}

/// Builds the ranks of a graph. Within each rank, the vertices (boxes and bends of lines) are in the order `known`, or
/// in the best order that is found if `known` is `None`.
fn ordered(graph: &Graph, ranks: &Ranks, known: Option<&[Vec<usize>]>) -> Layered {
    let mut layered = rank(graph, ranks, Budget::default());
    match known {
        None => order(&mut layered),
        Some(known) => {
            layered.ranks = known.to_vec();
            layered.number();
        }
    }
    layered
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

/// Converts the labels of a plan into the input of the label placement.
impl Plan {
    fn wanted(&self) -> Vec<Wanted<'_>> {
        let lines = self.bundles.iter().enumerate();
        lines
            .filter_map(|(arc, bundle)| {
                let (_, kept, on_line) = self.label(arc)?;
                Some(Wanted {
                    arc,
                    forms: &bundle.forms,
                    form: self.form(arc),
                    kept,
                    on_line,
                })
            })
            .collect()
    }
}

/// Number of rows in a band. [`crossings`] divides a drawing into bands. To save time, it compares a horizontal part of
/// a line only with the vertical parts in the same band.
const BAND: i32 = 64;

/// Number of cells in which two edges cross. Two edges with the same source or the same target do not count.
pub(super) fn crossings(edges: &[EdgeRoute]) -> usize {
    // For each band, the vertical parts of edges in it, sorted by column. Each has its column, first row, last row and
    // edge.
    let mut upright: BTreeMap<i32, Vec<(i32, i32, i32, usize)>> = BTreeMap::new();
    for (place, edge) in edges.iter().enumerate() {
        for (a, b) in parts(&edge.path).filter(|(a, b)| a.x == b.x) {
            let (top, bottom) = (a.y.min(b.y), a.y.max(b.y));
            for band in top.div_euclid(BAND)..=bottom.div_euclid(BAND) {
                let lines = upright.entry(band).or_default();
                lines.push((a.x, top, bottom, place));
            }
        }
    }
    upright.values_mut().for_each(|lines| lines.sort_unstable());
    let mut cells = BTreeSet::new();
    for edge in edges {
        for (a, b) in parts(&edge.path).filter(|(a, b)| a.y == b.y) {
            let (low, high) = (a.x.min(b.x), a.x.max(b.x));
            let upright = upright.get(&a.y.div_euclid(BAND));
            let upright = upright.map_or(&[][..], |lines| lines);
            let first = upright.partition_point(|(x, ..)| *x <= low);
            let beside = upright.iter().skip(first).take_while(|(x, ..)| *x < high);
            let across = beside.filter(|(_, top, bottom, _)| *top < a.y && a.y < *bottom);
            let unrelated = across.filter(|(.., other)| {
                let other = edges.get(*other);
                other.is_some_and(|other| other.from != edge.from && other.to != edge.to)
            });
            cells.extend(unrelated.map(|(x, ..)| (*x, a.y)));
        }
    }
    cells.len()
}

fn parts(path: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    path.iter().copied().zip(path.iter().copied().skip(1))
}
