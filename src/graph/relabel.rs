//! Labels of a finished drawing for a run: the lines that come first have the room that the labels of the others give up.
//!
//! It must not know why a line comes first, nor change where boxes and lines are.

use super::label::Ground;
use super::model::{EdgeKind, EdgeRoute, Label, Layout, Node, Point, Rect};
use super::wording::width;
use std::collections::BTreeMap;

/// A line whose label comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// Where it comes from.
    pub from: Node,
    /// Why it is taken.
    pub kind: EdgeKind,
    /// Of a catcher the name that its label begins with.
    pub name: Option<String>,
}

/// Labels instead of those of the drawing, by the edge that has it; `None` where one gave way.
pub type Labels = BTreeMap<(Node, EdgeKind), Option<Label>>;

/// The edges that share a line, by index of the first of them.
type Lines = BTreeMap<(Node, Node, bool), usize>;

fn line_of(edge: &EdgeRoute) -> (Node, Node, bool) {
    (edge.from, edge.to, edge.kind.is_catch())
}

/// What the labels of lines that come first are, and of those that give way to them, within these rows.
#[must_use]
pub fn relabelled(layout: &Layout, first: &[First], rows: (i32, i32)) -> Labels {
    let is_seen = |edge: &EdgeRoute| {
        let along = || edge.path.iter().map(|at| at.y);
        along().min().is_some_and(|least| least <= rows.1)
            && along().max().is_some_and(|most| most >= rows.0)
    };
    let mut lines = Lines::new();
    for (index, edge) in layout.edges.iter().enumerate() {
        lines.entry(line_of(edge)).or_insert(index);
    }
    let mut wanted: Vec<(usize, Vec<String>)> = Vec::new();
    for one in first {
        let mut own = layout.edges_from(one.from);
        let Some(edge) = own.find(|edge| edge.kind == one.kind) else {
            continue;
        };
        let holder = lines.get(&line_of(edge)).copied();
        let holder = holder.and_then(|at| Some((at, layout.edges.get(at)?)));
        let Some((at, holder)) = holder.filter(|(_, holder)| is_seen(holder)) else {
            continue;
        };
        let forms = forms_of(holder, one.name.as_deref());
        let now = holder.label.as_ref().map(|label| label.text.trim());
        if !forms.is_empty() && forms.first().map(String::as_str) != now {
            wanted.push((at, forms));
        }
    }
    if wanted.is_empty() {
        return Labels::new();
    }
    let mut room = Room::new(layout, &lines, rows, &wanted);
    for (at, forms) in wanted {
        room.place(at, &forms);
    }
    room.settle()
}

/// What a label may say: with a name, that one and how many there are besides.
fn forms_of(edge: &EdgeRoute, name: Option<&str>) -> Vec<String> {
    let (Some(name), Some(whole)) = (name, edge.forms.first()) else {
        return edge.forms.clone();
    };
    let others = whole.split(',').filter(|own| own.trim() != name).count();
    match others {
        0 => vec![whole.clone()],
        others => vec![format!("{name}, +{others}")],
    }
}

/// Where labels stand, while they are moved.
struct Room<'l> {
    layout: &'l Layout,
    /// Lines, boxes and labels.
    all: Ground,
    /// The same without the labels that may give way.
    firm: Ground,
    /// Those labels, by index of their edge.
    soft: BTreeMap<usize, Label>,
    out: Labels,
    gone: Vec<usize>,
}

impl<'l> Room<'l> {
    fn new(
        layout: &'l Layout,
        lines: &Lines,
        rows: (i32, i32),
        wanted: &[(usize, Vec<String>)],
    ) -> Self {
        let arcs = layout.edges.iter().filter_map(|edge| {
            let arc = lines.get(&line_of(edge)).copied()?;
            Some((arc, edge.path.as_slice()))
        });
        let firm = Ground::of(arcs, &rims(layout), rows, layout.width);
        let mut all = firm.clone();
        let mut soft = BTreeMap::new();
        for (index, edge) in layout.edges.iter().enumerate() {
            let is_wanted = wanted.iter().any(|(at, _)| *at == index);
            let label = edge.label.as_ref().filter(|label| {
                let is_in = rows.0 <= label.y && label.y <= rows.1;
                is_in && !is_wanted
            });
            if let Some(label) = label {
                all.take(start(label), width(&label.text));
                soft.insert(index, label.clone());
            }
        }
        Self {
            layout,
            all,
            firm,
            soft,
            out: Labels::new(),
            gone: Vec::new(),
        }
    }

    /// Gives a line the longest label that has a place: where nothing stands, else where others give way.
    fn place(&mut self, at: usize, forms: &[String]) {
        let Some(edge) = self.layout.edges.get(at) else {
            return;
        };
        let found = forms.iter().find_map(|form| {
            let free = spot(&self.all, at, edge, form);
            free.or_else(|| spot(&self.firm, at, edge, form))
        });
        let now = edge.label.as_ref().map(|label| label.text.trim());
        let is_new = |found: &(Point, String)| Some(found.1.trim()) != now;
        let Some((point, text)) = found.filter(is_new) else {
            // The label that it had stays.
            if let Some(label) = &edge.label {
                self.all.take(start(label), width(&label.text));
                self.firm.take(start(label), width(&label.text));
            }
            return;
        };
        let (begin, end) = (point.x - 2, point.x + width(&text) + 1);
        let in_the_way = self.soft.iter().filter(|(_, label)| {
            let last = label.x + width(&label.text) - 1;
            label.y == point.y && label.x <= end && last >= begin
        });
        let gone: Vec<usize> = in_the_way.map(|(index, _)| *index).collect();
        for index in gone {
            if let Some(label) = self.soft.remove(&index) {
                self.all.leave(start(&label));
                self.gone.push(index);
            }
        }
        self.all.take(point, width(&text));
        self.firm.take(point, width(&text));
        let whole = edge.forms.first().filter(|whole| **whole != text.trim());
        let label = Label {
            x: point.x,
            y: point.y,
            whole: whole.cloned(),
            text,
        };
        self.out.insert((edge.from, edge.kind), Some(label));
    }

    /// What gave way stands elsewhere, shorter if it must.
    fn settle(mut self) -> Labels {
        for at in std::mem::take(&mut self.gone) {
            let Some(edge) = self.layout.edges.get(at) else {
                continue;
            };
            let found = (edge.forms.iter()).find_map(|form| spot(&self.all, at, edge, form));
            let label = found.map(|(point, text)| {
                self.all.take(point, width(&text));
                let whole = edge.forms.first().filter(|whole| **whole != text.trim());
                Label {
                    x: point.x,
                    y: point.y,
                    whole: whole.cloned(),
                    text,
                }
            });
            self.out.insert((edge.from, edge.kind), label);
        }
        self.out
    }
}

fn start(label: &Label) -> Point {
    Point {
        x: label.x,
        y: label.y,
    }
}

/// Boxes, of one with an inside its frame alone, and the lines between branches.
fn rims(layout: &Layout) -> Vec<Rect> {
    let mut out = Vec::new();
    for item in &layout.boxes {
        let rect = item.rect;
        if !item.group {
            out.push(rect);
            continue;
        }
        let level = Rect { h: 1, ..rect };
        let upright = Rect { w: 1, ..rect };
        out.extend([level, upright]);
        out.push(Rect {
            y: rect.bottom(),
            ..level
        });
        out.push(Rect {
            x: rect.right(),
            ..upright
        });
    }
    out.extend(layout.separators.iter().map(|line| Rect {
        x: line.from.x,
        y: line.from.y,
        w: line.to.x - line.from.x + 1,
        h: line.to.y - line.from.y + 1,
    }));
    out
}

/// Where a text stands by its line, and the text as it stands there: beside an upright part, upon it, in a level part.
fn spot(ground: &Ground, arc: usize, edge: &EdgeRoute, text: &str) -> Option<(Point, String)> {
    let long = width(text);
    let head = edge.head().map(|(at, _)| at.y);
    let parts = || edge.path.iter().zip(edge.path.iter().skip(1));
    let upright = || {
        let own = parts().filter(|(from, to)| from.x == to.x);
        own.flat_map(|(from, to)| {
            let rows = from.y.min(to.y) + 1..from.y.max(to.y);
            rows.rev().map(|y| Point { x: from.x, y })
        })
        .filter(|at| ground.is_own(arc, at.x, at.y))
    };
    let beside = |at: Point, must_be_apart: bool| {
        let spots = [at.x + 2, at.x - 1 - long].map(|x| Point { x, y: at.y });
        spots.into_iter().find(|spot| {
            let is_clear = !must_be_apart || ground.is_apart(at.x, *spot, long);
            ground.free(spot.x, spot.y, long) && is_clear
        })
    };
    let upon = |at: Point| {
        let spot = ground.upon(arc, at, long).filter(|_| Some(at.y) != head)?;
        let is_clear = !ground.is_drawn(spot.y, spot.x - 1, spot.x - 1)
            && !ground.is_drawn(spot.y, spot.x + long, spot.x + long);
        is_clear.then_some(spot)
    };
    let found = upright().find_map(|at| beside(at, true).or_else(|| upon(at)));
    let found = found.or_else(|| upright().find_map(|at| beside(at, false)));
    if let Some(spot) = found {
        return Some((spot, text.to_owned()));
    }
    let spaced = format!(" {text} ");
    if let Some(spot) = ground.within(arc, &edge.path, width(&spaced)) {
        return Some((spot, spaced));
    }
    // Of a part that is no longer than it nothing remains but its ends.
    let spot = ground.within(arc, &edge.path, long).or_else(|| {
        let inner = ground.within(arc, &edge.path, long - 2)?;
        let x = inner.x - 1;
        Some(Point { x, ..inner })
    })?;
    Some((spot, text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::StateId;
    use crate::graph::{Clause, Link, Options, Sketch, SketchScope, SketchState, layout_sketch};

    #[test]
    fn a_catcher_that_was_taken_names_the_error_that_matched() {
        let link = |to, kind, label: Option<&str>| Link {
            to: Some(StateId(to)),
            kind,
            label: label.map(Clause::names),
        };
        let state = |name: &str, links| SketchState {
            name: name.to_owned(),
            links,
            ..SketchState::default()
        };
        let catch = EdgeKind::Catch(0);
        let pay = vec![
            link(1, EdgeKind::Next, None),
            link(2, catch, Some("Payment.Declined, Payment.Expired, Timeout")),
        ];
        let sketch = Sketch {
            scopes: vec![SketchScope {
                start: Some(StateId(0)),
                states: (0..3).map(StateId).collect(),
            }],
            states: vec![
                state("Pay", pay),
                state("Ship", vec![]),
                state("Sorry", vec![]),
            ],
        };
        let drawing = layout_sketch(&sketch, &Options::default());
        let from = Node::State(StateId(0));
        let said = |name: &str| {
            let first = First {
                from,
                kind: catch,
                name: Some(name.to_owned()),
            };
            let labels = relabelled(&drawing, &[first], (0, drawing.height - 1));
            let own = labels.get(&(from, catch)).cloned().flatten();
            own.map(|label| label.text.trim().to_owned())
        };
        assert_eq!(said("Timeout").as_deref(), Some("Timeout, +2"));
        assert_eq!(
            said("Payment.Declined").as_deref(),
            Some("Payment.Declined, +2")
        );
    }
}
