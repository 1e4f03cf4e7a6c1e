//! Finds many strings in a text in linear time (Aho-Corasick automaton). Strings and text are compared without their
//! JSON escapes (see `Plain`), so a string is also found inside JSON that is quoted several times.

use std::collections::HashMap;
use std::ops::Range;

/// Minimum length of a string without escapes, in code units; a shorter string would match everywhere by chance.
const SHORTEST: usize = 2;

/// An automaton that finds strings: a trie of their plain forms (see [`Plain`]), with a suffix node for each node.
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
    /// Index of the suffix node: the node of the longest proper suffix of this node's text that is in the trie.
    suffix: usize,
    /// The longest string that ends at this node: its length in code units, and its number. `None` if no string ends
    /// here.
    text: Option<(usize, usize)>,
}

impl Finder {
    /// Builds a finder for these strings; each string has a number, by which `find` reports it.
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

    /// Sets the suffix node of each node, from the root outwards: the suffix node is closer to the root, so it is
    /// already set.
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

    /// The node for the text of the node `at` followed by `unit`; if the trie lacks this text, the node of its longest
    /// suffix.
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

    /// For each position of the text at which a string ends, returns the byte range and the number of the longest
    /// string that ends there.
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

/// The plain form of a text: backslashes are removed, a control character is replaced by the letter of its escape (a
/// line feed by `n`), and each `uXXXX` is replaced by its code unit. For example, `a"ü`, `a\"\u00fc` and `a\\\"\\u00FC`
/// have the same plain form. Texts that differ only in their escapes cannot be distinguished.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// UTF-16 code units.
    units: Vec<u16>,
    /// For each code unit, the index of its first byte in the text; the backslashes before it belong to the unit.
    starts: Vec<usize>,
    /// Length of the text in bytes.
    len: usize,
}

impl Plain {
    pub(super) fn of(text: &str) -> Self {
        let mut plain = Self {
            len: text.len(),
            ..Self::default()
        };
        let mut escape = None;
        for (at, c) in text.char_indices() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let start = escape.unwrap_or(at);
                escape = (!plain.push(*unit, start)).then_some(start);
            }
        }
        plain
    }

    pub(super) fn units(&self) -> &[u16] {
        &self.units
    }

    /// The byte range in the text for a range of code units.
    pub(super) fn bytes(&self, units: Range<usize>) -> Range<usize> {
        let start = |unit| self.starts.get(unit).copied().unwrap_or(self.len);
        start(units.start)..start(units.end)
    }

    /// Appends a code unit that begins at the byte `start`. Returns false for a backslash, which is not appended,
    /// because it belongs to the next unit.
    fn push(&mut self, mut unit: u16, mut start: usize) -> bool {
        loop {
            let letter = match unit {
                0x5c => return false,
                0x08 => b'b',
                0x09 => b't',
                0x0a => b'n',
                0x0c => b'f',
                0x0d => b'r',
                _ => 0,
            };
            self.units
                .push(if letter == 0 { unit } else { letter.into() });
            self.starts.push(start);
            let Some((before, escape)) = self.units.split_last_chunk() else {
                return true;
            };
            let Some(escaped) = escaped(*escape) else {
                return true;
            };
            let before = before.len();
            unit = escaped;
            start = self.starts.get(before).copied().unwrap_or(start);
            self.units.truncate(before);
            self.starts.truncate(before);
        }
    }
}

/// The code unit of an escape `uXXXX`.
fn escaped(escape: [u16; 5]) -> Option<u16> {
    let [u, digits @ ..] = escape;
    let digit = |unit: u16| char::from_u32(unit.into())?.to_digit(16);
    let value = digits
        .into_iter()
        .try_fold(0, |value, unit| Some(value << 4 | digit(unit)?));
    let is_escape = u == u16::from(b'u');
    value
        .filter(|_| is_escape)
        .and_then(|value| value.try_into().ok())
}
