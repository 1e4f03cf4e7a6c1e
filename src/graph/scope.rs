//! Combines the scopes of a machine into one drawing: a Parallel or Map is one box of its scope, with its branches side
//! by side, or in rows if that is too wide.

use super::fit::Fitter;
use super::layered::cells;
use super::model::{EdgeRoute, Layout, Node, NodeBox, Options, Point, Separator};
use super::sketch::Sketch;
use crate::definition::{Definition, StateId};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Lays out a definition.
#[must_use]
pub fn layout(definition: &Definition, options: &Options) -> Layout {
    layout_sketch(&Sketch::of(definition), options)
}

/// Lays out a sketch.
#[must_use]
pub fn layout_sketch(sketch: &Sketch, options: &Options) -> Layout {
    let whole = Fitter::new(sketch, options).whole();
    let mut out = Layout {
        frames: options.boxes,
        width: whole.width,
        height: whole.height,
        cuts: whole.cuts,
        ..Layout::default()
    };
    let mut queue: VecDeque<(Rc<Drawn>, Point, Option<StateId>)> = VecDeque::new();
    queue.push_back((whole, Point::default(), None));
    while let Some((part, origin, parent)) = queue.pop_front() {
        let Drawn {
            boxes,
            mut inner,
            edges,
            ..
        } = Rc::unwrap_or_clone(part);
        for mut item in boxes {
            shift(&mut item, origin);
            item.parent = parent;
            if let Node::State(id) = item.node
                && let Some(inner) = inner.remove(&id)
            {
                // The content is below the title and centred.
                let corner = Point {
                    x: item.rect.x + 1 + (item.rect.w - 2 - inner.width) / 2,
                    y: item.rect.y + cells(item.lines.len()),
                };
                for line in inner.separators {
                    out.separators.push(Separator {
                        from: moved(line.from, corner),
                        to: moved(line.to, corner),
                    });
                }
                for (part, at) in inner.parts {
                    queue.push_back((part, moved(at, corner), Some(id)));
                }
            }
            out.by_node.insert(item.node, out.boxes.len());
            out.boxes.push(item);
        }
        for mut edge in edges {
            out.undrawn += usize::from(edge.path.is_empty());
            for point in &mut edge.path {
                *point = moved(*point, origin);
            }
            if let Some(label) = &mut edge.label {
                label.x += origin.x;
                label.y += origin.y;
            }
            let index = out.edges.len();
            out.leaving.entry(edge.from).or_default().push(index);
            out.entering.entry(edge.to).or_default().push(index);
            out.edges.push(edge);
        }
    }
    out
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
    item.tag = item.tag.map(|(at, tag)| (moved(at, by), tag));
    for area in [&mut item.badge, &mut item.notes].into_iter().flatten() {
        area.x += by.x;
        area.y += by.y;
    }
}

/// One scope, laid out at its own origin.
#[derive(Clone, Default)]
pub(super) struct Drawn {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) boxes: Vec<NodeBox>,
    pub(super) inner: BTreeMap<StateId, Inner>,
    pub(super) edges: Vec<EdgeRoute>,
    /// Number of shortened names.
    pub(super) cuts: usize,
}

/// The content of a state's box, at its own origin.
#[derive(Clone)]
pub(super) struct Inner {
    pub(super) parts: Vec<(Rc<Drawn>, Point)>,
    pub(super) separators: Vec<Separator>,
    pub(super) width: i32,
    pub(super) height: i32,
    /// Number of shortened names.
    pub(super) cuts: usize,
}

impl Inner {
    /// Arranges branches in rows, with a blank around each and separators in between.
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

    /// Cost for comparing alternatives, most important part first: columns beyond the limit, shortened names, rows.
    pub(super) fn cost(&self, limit: i32) -> (i32, usize, i32) {
        ((self.width - limit).max(0), self.cuts, self.height)
    }
}

/// Distributes `room` columns among branches in a row; branches that need less than an equal share keep their width.
pub(super) fn shares(widths: &[i32], room: i32) -> Vec<i32> {
    let mut order: Vec<(i32, usize)> = widths.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut out = vec![0; widths.len()];
    let mut left = room;
    let mut count = i32::try_from(widths.len()).unwrap_or(i32::MAX);
    for (width, place) in order {
        let own = width.min(left / count.max(1)).max(1);
        if let Some(slot) = out.get_mut(place) {
            *slot = own;
        }
        left -= own;
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
