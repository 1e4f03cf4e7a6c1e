//! Finds many strings in a text, each in its plain form, in linear time (Aho-Corasick automaton).

use super::plain::Plain;
use std::collections::HashMap;
use std::ops::Range;

/// Minimum length of a plain form; a shorter one would match everywhere by chance.
const SHORTEST: usize = 2;

/// A trie of the plain forms.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    nodes: Vec<Node>,
    children: HashMap<(usize, u16), usize, foldhash::fast::RandomState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    parent: usize,
    unit: u16,
    depth: usize,
    /// Node of the longest proper suffix of this node's text that is in the trie.
    suffix: usize,
    /// Length in units and number of the longest string that ends here.
    text: Option<(usize, usize)>,
}

impl Finder {
    /// Builds a finder for strings with their numbers.
    pub(super) fn of<'t>(texts: impl Iterator<Item = (usize, &'t str)>) -> Self {
        let mut finder = Self {
            nodes: vec![Node::default()],
            children: HashMap::default(),
        };
        for (number, text) in texts {
            let plain = Plain::of(text);
            if plain.units().len() >= SHORTEST {
                finder.insert(plain.units(), number);
            }
        }
        finder.link();
        finder
    }

    fn insert(&mut self, units: &[u16], number: usize) {
        let mut at = 0;
        for (before, unit) in units.iter().enumerate() {
            let new = self.nodes.len();
            let child = *self.children.entry((at, *unit)).or_insert(new);
            if child == new {
                self.nodes.push(Node {
                    parent: at,
                    unit: *unit,
                    depth: before + 1,
                    ..Node::default()
                });
            }
            at = child;
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.text.get_or_insert((units.len(), number));
        }
    }

    /// Sets each node's suffix node, which is always less deep.
    fn link(&mut self) {
        let mut order: Vec<usize> = (1..self.nodes.len()).collect();
        order.sort_by_key(|at| self.node(*at).depth);
        for at in order {
            let node = self.node(at);
            let suffix = match node.depth {
                1 => 0,
                _ => self.after(self.node(node.parent).suffix, node.unit),
            };
            let inherited = self.node(suffix).text;
            if let Some(node) = self.nodes.get_mut(at) {
                node.suffix = suffix;
                node.text = node.text.or(inherited);
            }
        }
    }

    fn node(&self, at: usize) -> Node {
        self.nodes.get(at).copied().unwrap_or_default()
    }

    /// The node reached from another one by a unit.
    fn after(&self, mut at: usize, unit: u16) -> usize {
        loop {
            if let Some(child) = self.children.get(&(at, unit)) {
                return *child;
            }
            if at == 0 {
                return 0;
            }
            at = self.node(at).suffix;
        }
    }

    /// For each position at which a string ends, the byte range of the longest such string, and its number.
    pub(super) fn find(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        if self.children.is_empty() {
            return Vec::new();
        }
        let plain = Plain::of(text);
        let mut at = 0;
        let places = plain.units().iter().enumerate().filter_map(|(end, unit)| {
            at = self.after(at, *unit);
            let (units, number) = self.node(at).text?;
            Some((
                plain.bytes((end + 1).saturating_sub(units)..end + 1),
                number,
            ))
        });
        places.collect()
    }
}
