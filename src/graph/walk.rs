//! Keyboard navigation from box to box in a drawing.

use super::model::{Layout, Node, NodeBox, Rect};
use crate::definition::StateId;

/// Direction of a move in the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `k`
    Up,
    /// `j`
    Down,
    /// `h`
    Left,
    /// `l`
    Right,
}

impl Layout {
    /// The state reached from `from`: inside a group the nearest one on the same level, at the edge of a group the next
    /// one outside, and down from a group's title its first state.
    #[must_use]
    pub fn next_in(&self, direction: Direction, from: StateId) -> Option<StateId> {
        let mut here = self.box_of(from)?;
        if direction == Direction::Down && here.group {
            let inner = self.boxes.iter().filter(|item| item.parent == Some(from));
            let first = inner.min_by_key(|item| (item.rect.y, item.rect.x));
            if let Some(state) = first.and_then(state_of) {
                return Some(state);
            }
        }
        // At most one iteration per nesting level.
        for _ in 0..=self.boxes.len() {
            let near = (self.boxes.iter())
                .filter(|item| item.parent == here.parent && item.node != here.node)
                .filter_map(|item| Some((self.distance(direction, here, item)?, state_of(item)?)))
                .min();
            if let Some((_, state)) = near {
                return Some(state);
            }
            let parent = here.parent?;
            if direction == Direction::Up {
                return Some(parent);
            }
            here = self.box_of(parent)?;
        }
        None
    }

    /// Distance from `from` to `to` in this direction; `None` if `to` is not in that direction.
    fn distance(&self, direction: Direction, from: &NodeBox, to: &NodeBox) -> Option<i64> {
        let (a, b) = (from.rect, to.rect);
        let (ahead, aside) = match direction {
            Direction::Down => (b.y - a.bottom(), columns_apart(a, b)),
            Direction::Up => (a.y - b.bottom(), columns_apart(a, b)),
            Direction::Right => (b.x - a.right(), 6 * rows_apart(a, b)),
            Direction::Left => (a.x - b.right(), 6 * rows_apart(a, b)),
        };
        if ahead <= 0 {
            return None;
        }
        let vertical = matches!(direction, Direction::Up | Direction::Down);
        let far = i64::from(aside) + i64::from(ahead) * if vertical { 4 } else { 1 };
        let joined = self.edges_between(from.node, to.node).next().is_some()
            || self.edges_between(to.node, from.node).next().is_some();
        let middle = i64::from((2 * a.x + a.w - 2 * b.x - b.w).abs() / 8);
        Some((if joined { far / 4 } else { far }) * 64 + if vertical { middle } else { 0 })
    }
}

fn state_of(item: &NodeBox) -> Option<StateId> {
    match item.node {
        Node::State(state) => Some(state),
        Node::Start | Node::End => None,
    }
}

fn columns_apart(a: Rect, b: Rect) -> i32 {
    (b.x - a.right()).max(a.x - b.right()).max(0)
}

fn rows_apart(a: Rect, b: Rect) -> i32 {
    (b.y - a.bottom()).max(a.y - b.bottom()).max(0)
}
