//! Combines the drawings of all scopes (lists of states) into the drawing of the machine. In the drawing of a scope, a
//! Parallel or Map state is one box; its content is inserted there.

use super::fit::Fitter;
use super::layered::cells;
use super::model::{Layout, Node, NodeBox, Options, Point, Separator};
use super::plan::Drawn;
use super::sketch::Sketch;
use crate::definition::{Definition, StateId};
use std::collections::VecDeque;
use std::rc::Rc;

/// Returns the drawing of a definition.
#[must_use]
pub fn layout(definition: &Definition, options: &Options) -> Layout {
    layout_sketch(&Sketch::of(definition), options)
}

/// Returns the drawing of a sketch.
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
