//! Assigns every box to a rank, and divides every line into hops that lead from one rank to the next. Where a line
//! passes through a rank, a bend connects two of its hops.

use super::layered::{CheckedIndex, Class, Face, Graph, Hop, Layered, Role, Terminal, Vertex};
use std::collections::HashMap;

/// Limits on the size of all routes of a drawing together. Lines that would exceed a limit get no route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Maximum number of bends. A bend is the point where a line passes through a rank.
    bends: usize,
    /// Maximum number of ranks that the lines pass through, summed over all lines. Where several lines share a bend,
    /// the rank counts once for each line.
    passed: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bends: 40_000,
            passed: 8_000_000,
        }
    }
}

impl Budget {
    /// An eighth of this budget, for a new attempt; `None` if the budget already allows no bends.
    pub(super) fn smaller(self) -> Option<Self> {
        (self.bends > 0).then_some(Self {
            bends: self.bends / 8,
            passed: self.passed / 8,
        })
    }
}

/// The rank of every box, and for every arc (line) whether it is a back arc, which leads back to an earlier box. If a
/// rank is divided into rows of boxes, every row counts as a rank of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    pub(super) of: Vec<usize>,
    /// For every box, the index of its row within its rank; 0 if the rank is not divided into rows. The number in the
    /// field `of`, minus this index, is the first row of the rank.
    pub(super) row: Vec<usize>,
    back: Vec<bool>,
}

impl Ranks {
    /// Finds the back arcs (lines to earlier boxes), and assigns every box a rank.
    pub(super) fn of(graph: &Graph) -> Self {
        let back = back_arcs(graph);
        let of = longest_paths(graph, &back);
        Self {
            row: vec![0; of.len()],
            of,
            back,
        }
    }

    /// All boxes of the rank to which a row of boxes belongs; `rank` is the index of this row. A rank that is not
    /// divided consists of one row.
    pub(super) fn of_same(&self, rank: usize) -> Vec<usize> {
        let node = (0..self.of.len()).find(|node| self.of.at(*node) == rank);
        let wanted = node.map(|node| self.first(node));
        let all = 0..self.of.len();
        all.filter(|node| Some(self.first(*node)) == wanted)
            .collect()
    }

    /// Divides one rank into rows of boxes, and moves the ranks below it down. `boxes` lists every box of the rank with
    /// the index of its new row.
    pub(super) fn divide(&mut self, boxes: &[(usize, usize)]) {
        let Some(base) = boxes.first().map(|(node, _)| self.first(*node)) else {
            return;
        };
        let rows = |rows: &mut dyn Iterator<Item = usize>| rows.max().unwrap_or(0);
        let before = rows(&mut boxes.iter().map(|(node, _)| self.row.at(*node)));
        let now = rows(&mut boxes.iter().map(|(_, row)| *row));
        for rank in &mut self.of {
            if *rank > base + before {
                *rank = *rank + now - before;
            }
        }
        for (node, row) in boxes {
            self.of.put(*node, base + row);
            self.row.put(*node, *row);
        }
    }

    /// The first row of the rank that contains the box.
    fn first(&self, node: usize) -> usize {
        self.of.at(node) - self.row.at(node)
    }

    /// The last row of the rank that contains the box.
    fn last_row(&self, node: usize) -> usize {
        let first = self.first(node);
        let all = (0..self.of.len()).filter(|other| self.first(*other) == first);
        all.map(|other| self.of.at(other)).max().unwrap_or(first)
    }
}

/// Returns the scope as boxes and bends in ranks, with the hops (parts of lines) that connect them. A line that exceeds
/// the budget gets no hops.
pub(super) fn rank(graph: &Graph, ranks: &Ranks, budget: Budget) -> Layered {
    let back = ranks.back.clone();
    let weights = weights(graph, &back, &ranks.of);
    let routed = within(graph, &back, &ranks.of, &weights, budget);
    let mut out = Builder {
        layered: Layered {
            vertices: (graph.sizes.iter().zip(&ranks.of))
                .map(|(size, rank)| Vertex {
                    rank: *rank,
                    real: true,
                    height: size.h,
                    ..Vertex::default()
                })
                .collect(),
            back,
            ..Layered::default()
        },
        bends: HashMap::new(),
        stems: HashMap::new(),
        known: HashMap::new(),
        weight: 0,
    };
    for index in 0..graph.arcs.len() {
        out.weight = weights.at(index);
        let (stem, first) = match routed.at(index) {
            true => out.arc(graph, ranks, index),
            false => (Vec::new(), None),
        };
        out.layered.stems.push(stem);
        out.layered.first.push(first);
    }
    let mut layered = out.layered;
    layered.ranks = initial_order(graph, &layered);
    layered.number();
    layered
}

/// For every arc, true if it is a back arc. A depth-first search follows the arcs from box to box; an arc is a back arc
/// if it leads to a box that is on the current path of the search.
fn back_arcs(graph: &Graph) -> Vec<bool> {
    let count = graph.sizes.len();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut entered = vec![false; count];
    for (index, arc) in graph.arcs.iter().enumerate() {
        if let Some(list) = out.get_mut(arc.from) {
            list.push(index);
        }
        if arc.from != arc.to {
            entered.put(arc.to, true);
        }
    }
    let mut back = vec![false; graph.arcs.len()];
    // State of each box in the search: 0 if not seen, 1 if on the current path, 2 if done.
    let mut state = vec![0u8; count];
    let heads = (0..count).filter(|node| !entered.at(*node));
    for root in graph.root.into_iter().chain(heads).chain(0..count) {
        if state.at(root) != 0 {
            continue;
        }
        state.put(root, 1);
        let mut stack = vec![(root, 0usize)];
        while let Some((node, next)) = stack.last_mut() {
            let arc = out.get(*node).and_then(|list| list.get(*next)).copied();
            *next += 1;
            let Some(index) = arc else {
                state.put(*node, 2);
                stack.pop();
                continue;
            };
            let to = graph.arcs.get(index).map_or(0, |arc| arc.to);
            match state.at(to) {
                0 => {
                    state.put(to, 1);
                    stack.push((to, 0));
                }
                1 => back.put(index, true),
                _ => {}
            }
        }
    }
    back
}

fn longest_paths(graph: &Graph, back: &[bool]) -> Vec<usize> {
    let count = graph.sizes.len();
    let mut waiting = vec![0usize; count];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (arc, back) in graph.arcs.iter().zip(back) {
        if !back && arc.from < count && arc.to < count {
            waiting.put(arc.to, waiting.at(arc.to) + 1);
            if let Some(list) = out.get_mut(arc.from) {
                list.push(arc.to);
            }
        }
    }
    let mut ranks = vec![0usize; count];
    let mut ready: Vec<usize> = (0..count).filter(|node| waiting.at(*node) == 0).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(node) = ready.pop() {
        order.push(node);
        for to in out.get(node).map_or(&[][..], |list| list) {
            ranks.put(*to, ranks.at(*to).max(ranks.at(node) + 1));
            waiting.put(*to, waiting.at(*to).saturating_sub(1));
            if waiting.at(*to) == 0 {
                ready.push(*to);
            }
        }
    }
    // A box that cannot be reached from the first box gets the rank directly above its uppermost successor.
    let mut reached = vec![false; count];
    let mut stack: Vec<usize> = graph.root.into_iter().collect();
    while let Some(node) = stack.pop() {
        if !std::mem::replace(reached.get_mut(node).unwrap_or(&mut true), true) {
            stack.extend(out.get(node).map_or(&[][..], |list| list));
        }
    }
    for node in order.into_iter().rev().filter(|node| !reached.at(*node)) {
        let next = out.get(node).map_or(&[][..], |list| list);
        if let Some(nearest) = next.iter().map(|to| ranks.at(*to)).min() {
            ranks.put(node, nearest.saturating_sub(1));
        }
    }
    ranks
}

/// Weight of the arcs of the trunk: the longest path from the first box, drawn as the straight middle of the drawing.
const TRUNK: i32 = 512;

/// The weight of every arc: how important it is that its line is straight. Of the arcs that leave a box, the one that
/// begins the longest path gets the greatest weight; back arcs and arcs of catchers get the least.
fn weights(graph: &Graph, back: &[bool], ranks: &[usize]) -> Vec<i32> {
    let count = graph.sizes.len();
    let mut order: Vec<usize> = (0..graph.arcs.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(ranks.at(graph.arcs.at(*index).from)));
    let mut to_come = vec![0usize; count];
    let mut best: Vec<Option<(usize, usize)>> = vec![None; count];
    for index in order {
        let arc = graph.arcs.at(index);
        if back.at(index) {
            continue;
        }
        let far = to_come.at(arc.to) + 1;
        if !arc.catch {
            to_come.put(arc.from, to_come.at(arc.from).max(far));
            let better = match best.at(arc.from) {
                Some((other, known)) => far > known || (far == known && index < other),
                None => true,
            };
            if better {
                best.put(arc.from, Some((index, far)));
            }
        }
    }
    // The trunk begins at the first box, and leaves every box by the arc that begins the longest path.
    let mut trunk = vec![false; graph.arcs.len()];
    let mut next = graph.root.and_then(|root| best.at(root));
    while let Some((index, _)) = next {
        if std::mem::replace(trunk.get_mut(index).unwrap_or(&mut true), true) {
            break;
        }
        next = best.at(graph.arcs.at(index).to);
    }
    let weight = |(index, arc): (usize, &super::layered::Arc)| match best.at(arc.from) {
        _ if trunk.at(index) => TRUNK,
        Some((main, _)) if main == index => 8,
        _ if arc.catch || back.at(index) => 1,
        _ => 2,
    };
    graph.arcs.iter().enumerate().map(weight).collect()
}

/// For every arc, true if it gets a route. If the budget does not suffice for all arcs, the arcs of the longest path
/// get a route first, then the arcs that pass through the fewest ranks.
fn within(
    graph: &Graph,
    back: &[bool],
    ranks: &[usize],
    weights: &[i32],
    budget: Budget,
) -> Vec<bool> {
    let span = |arc: &super::layered::Arc| {
        let (from, to) = (ranks.at(arc.from), ranks.at(arc.to));
        from.abs_diff(to).saturating_sub(1)
    };
    let passed: usize = graph.arcs.iter().map(span).sum();
    if passed <= budget.bends.min(budget.passed) {
        return vec![true; graph.arcs.len()];
    }
    let mut order: Vec<usize> = (0..graph.arcs.len()).collect();
    order.sort_by_key(|index| {
        let arc = graph.arcs.at(*index);
        let trunk = weights.at(*index) == TRUNK;
        (!trunk, span(&arc), *index)
    });
    let mut routed = vec![false; graph.arcs.len()];
    // For each box and class of lines: of the lines to the box that already get a route, the greatest number of ranks
    // that one line passes through. Further lines to the box share the bends of that line, so they add no bends in
    // these ranks, except one for a label.
    let mut joined: HashMap<(usize, Class), usize> = HashMap::new();
    let (mut bends, mut passed) = (0, 0);
    for index in order {
        let arc = graph.arcs.at(index);
        let class = class_of(&arc, back.at(index));
        let far = joined.entry((arc.to, class)).or_default();
        let label_row = usize::from(arc.label > 0);
        bends += span(&arc).saturating_sub(*far) + label_row.min(span(&arc));
        passed += span(&arc);
        if bends > budget.bends || passed > budget.passed {
            break;
        }
        *far = span(&arc).max(*far);
        routed.put(index, true);
    }
    routed
}

fn class_of(arc: &super::layered::Arc, back: bool) -> Class {
    match (back, arc.catch) {
        (true, _) => Class::Back,
        (false, true) => Class::Catch,
        (false, false) => Class::Plain,
    }
}

struct Builder {
    layered: Layered,
    /// The bend that lines to the same box share at a rank. The key is the box, the class of the lines, and the rank.
    bends: HashMap<(usize, Class, usize), usize>,
    /// The bend that lines from the same box share at a rank. The key is the box, the class of the lines, and the rank.
    stems: HashMap<(usize, Class, usize), usize>,
    known: HashMap<(Terminal, Terminal, Class), usize>,
    /// Weight of the arc for which hops are being created.
    weight: i32,
}

impl Builder {
    /// Creates the hops of an arc, which lead from rank to rank. Returns the hops of its stem (the beginning that it
    /// shares with other arcs from the same box; often empty) and the first hop after the stem.
    fn arc(&mut self, graph: &Graph, ranks: &Ranks, index: usize) -> (Vec<usize>, Option<usize>) {
        let Some(arc) = graph.arcs.get(index).copied() else {
            return (Vec::new(), None);
        };
        if arc.from >= graph.sizes.len() || arc.to >= graph.sizes.len() {
            return (Vec::new(), None);
        }
        let (high, low) = (ranks.of.at(arc.from), ranks.of.at(arc.to));
        let class = class_of(&arc, self.layered.back.at(index));
        let divided =
            ranks.row.at(arc.to) > 0 && low - ranks.row.at(arc.to) <= ranks.last_row(arc.from) + 1;
        if divided && arc.label > 0 && class != Class::Back && low > high + 1 {
            return self.stemmed(arc, class, high, low);
        }
        let first = self.ways(arc, class, high, low);
        self.mark(first, arc);
        (Vec::new(), Some(first))
    }

    /// Creates the hops of an arc that shares its hops, except the last, with other arcs from the same box. Returns the
    /// shared hops (the stem) and the last hop.
    fn stemmed(
        &mut self,
        arc: super::layered::Arc,
        class: Class,
        high: usize,
        low: usize,
    ) -> (Vec<usize>, Option<usize>) {
        let mut stem = Vec::new();
        let mut at = port(arc.from, Face::Bottom, Role::Port);
        for rank in high + 1..low {
            let next = self.layered.vertices.len();
            let bend = *self.stems.entry((arc.from, class, rank)).or_insert(next);
            if bend == next {
                self.layered.vertices.push(Vertex {
                    rank,
                    ..Vertex::default()
                });
            }
            let to = port(bend, Face::Top, Role::Thru);
            stem.push(self.hop(at, to, rank - 1, class, 0));
            at = port(bend, Face::Bottom, Role::Thru);
        }
        let to = port(arc.to, Face::Top, Role::Port);
        let hop = self.hop(at, to, low - 1, class, arc.label);
        self.mark(hop, arc);
        (stem, Some(hop))
    }

    /// Records on a hop that the arc's label is on the line, if this is so.
    fn mark(&mut self, hop: usize, arc: super::layered::Arc) {
        if let Some(hop) = self.layered.hops.get_mut(hop) {
            hop.on_line |= arc.on_line && arc.label > 0;
        }
    }

    fn ways(&mut self, arc: super::layered::Arc, class: Class, high: usize, low: usize) -> usize {
        if arc.from == arc.to {
            let from = port(arc.from, Face::Bottom, Role::Port);
            let to = port(arc.to, Face::Bottom, Role::Into);
            return self.hop(from, to, high, Class::Back, arc.label);
        }
        let is_back = class == Class::Back;
        let (out, into) = match is_back {
            true => (Face::Top, Face::Bottom),
            false => (Face::Bottom, Face::Top),
        };
        let mut at = match is_back {
            true => {
                let number = u32::try_from(arc.to).unwrap_or(u32::MAX);
                port(arc.from, out, Role::Out(number))
            }
            false => port(arc.from, out, Role::Port),
        };
        let ranks: Vec<usize> = match is_back {
            true => (low + 1..high).rev().collect(),
            false => (high + 1..low).collect(),
        };
        let mut first = None;
        let mut before: Option<usize> = None;
        // A hop leads to the bend at each of these ranks. `None` stands for the last hop, which leads to the box.
        for rank in ranks.into_iter().map(Some).chain([None]) {
            let has_own_bend = !is_back && arc.label > 0 && rank == Some(high + 1);
            let bend = rank.map(|rank| (self.bend(arc.to, class, rank, has_own_bend), rank));
            let (to, below) = match bend {
                Some(((bend, _), rank)) => (port(bend, into, Role::Thru), rank),
                None if is_back => (port(arc.to, into, Role::Into), low),
                None => (port(arc.to, into, Role::Port), low),
            };
            let channel = if is_back {
                below
            } else {
                below.saturating_sub(1)
            };
            let label = if first.is_none() { arc.label } else { 0 };
            let hop = self.hop(at, to, channel, class, label);
            if let Some(bend) = before.and_then(|bend| self.layered.vertices.get_mut(bend)) {
                bend.next = Some(hop);
            }
            first = first.or(Some(hop));
            // If an earlier line created the bend, it also created the hops from the bend to the box.
            let Some(((bend, true), _)) = bend else { break };
            before = Some(bend);
            at = port(bend, out, Role::Thru);
        }
        first.unwrap_or_default()
    }

    /// Returns the bend at which a line to the box `to` passes through a rank, and true if the bend is new. All lines
    /// of a class to the box share this bend, except a line with `has_own_bend`.
    fn bend(&mut self, to: usize, class: Class, rank: usize, has_own_bend: bool) -> (usize, bool) {
        let key = (to, class, rank);
        if !has_own_bend && let Some(bend) = self.bends.get(&key) {
            return (*bend, false);
        }
        let bend = self.layered.vertices.len();
        self.layered.vertices.push(Vertex {
            rank,
            ..Vertex::default()
        });
        if !has_own_bend {
            self.bends.insert(key, bend);
        }
        (bend, true)
    }

    fn hop(
        &mut self,
        from: Terminal,
        to: Terminal,
        channel: usize,
        class: Class,
        label: i32,
    ) -> usize {
        let weight = self.weight;
        let next = self.layered.hops.len();
        let index = *self.known.entry((from, to, class)).or_insert(next);
        if index == next {
            self.layered.hops.push(Hop {
                from,
                to,
                channel,
                class,
                ..Hop::default()
            });
        }
        if let Some(hop) = self.layered.hops.get_mut(index) {
            hop.weight = hop.weight.max(weight);
            hop.label = hop.label.max(label);
        }
        index
    }
}

fn port(vertex: usize, face: Face, role: Role) -> Terminal {
    Terminal { vertex, face, role }
}

/// An initial order of the vertices in every rank: the order in which a depth-first search along the arcs reaches them.
/// The bends of back arcs are last.
fn initial_order(graph: &Graph, layered: &Layered) -> Vec<Vec<usize>> {
    let count = layered.vertices.len();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for ((arc, first), stem) in graph.arcs.iter().zip(&layered.first).zip(&layered.stems) {
        let mut from = arc.from;
        for hop in stem.iter().chain(first) {
            if let Some(list) = out.get_mut(from) {
                list.push(*hop);
            }
            from = layered.hops.get(*hop).map_or(from, |hop| hop.to.vertex);
        }
    }
    let depth = layered.vertices.iter().map(|v| v.rank + 1).max();
    let mut ranks = vec![Vec::new(); depth.unwrap_or(0)];
    let mut seen = vec![false; count];
    let mut heads = vec![true; count];
    for hop in &layered.hops {
        heads.put(hop.to.vertex, false);
    }
    let heads = (0..count).filter(|vertex| heads.at(*vertex));
    // The bends of back arcs are added last, so they are at the right end of each rank.
    let mut late = Vec::new();
    for root in graph.root.into_iter().chain(heads).chain(0..count) {
        let mut stack = vec![root];
        while let Some(vertex) = stack.pop() {
            let Some(item) = layered.vertices.get(vertex) else {
                continue;
            };
            if std::mem::replace(seen.get_mut(vertex).unwrap_or(&mut true), true) {
                continue;
            }
            let next = item.next.and_then(|hop| layered.hops.get(hop));
            if !item.real && next.is_some_and(|hop| hop.class == Class::Back) {
                late.push((item.rank, vertex));
            } else if let Some(rank) = ranks.get_mut(item.rank) {
                rank.push(vertex);
            }
            let outgoing = out.get(vertex).map_or(&[][..], |list| list);
            let hops = outgoing.iter().rev().copied().chain(item.next);
            stack.extend(
                hops.filter_map(|hop| layered.hops.get(hop))
                    .map(|hop| hop.to.vertex),
            );
        }
    }
    for (rank, vertex) in late {
        if let Some(rank) = ranks.get_mut(rank) {
            rank.push(vertex);
        }
    }
    ranks
}
