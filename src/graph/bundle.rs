//! The lines of a scope: links between the same two boxes share one.
//!
//! It must not know where boxes stand.

use super::model::{EdgeKind, Glyphs, Node};
use super::sketch::{Sketch, SketchScope};
use super::telling::{Said, told_apart};
use std::collections::BTreeMap;

/// How long labels may be, the longest first; shorter ones only where there is no room.
pub(super) const LENGTHS: [i32; 4] = [40, 24, 14, 8];

/// The links that one line represents.
pub(super) struct Bundle {
    pub(super) from: Node,
    pub(super) to: Node,
    said: Said,
    /// Its label at each of [`LENGTHS`].
    labels: [String; 4],
}

impl Bundle {
    fn new(from: Node, to: Node, kinds: Vec<EdgeKind>) -> Self {
        Self {
            from,
            to,
            said: Said {
                texts: Vec::new(),
                kinds,
            },
            labels: Default::default(),
        }
    }

    /// Why it is taken.
    pub(super) fn kinds(&self) -> &[EdgeKind] {
        &self.said.kinds
    }

    /// Whether its links are those of catchers; such a line has no other links.
    pub(super) fn catches(&self) -> bool {
        self.said.kinds.iter().all(|kind| kind.is_catch())
    }

    /// The label, by index of [`LENGTHS`].
    pub(super) fn label(&self, length: usize) -> &str {
        self.labels.get(length).map_or("", String::as_str)
    }
}

/// The lines of a scope, with labels of the first so many [`LENGTHS`]; the links of catchers never share a line with
/// others.
pub(super) fn bundles(
    sketch: &Sketch,
    scope: &SketchScope,
    outermost: bool,
    lengths: usize,
    glyphs: Glyphs,
) -> Vec<Bundle> {
    let mut out: Vec<Bundle> = Vec::new();
    if let (true, Some(start)) = (outermost, scope.start) {
        out.push(Bundle::new(
            Node::Start,
            Node::State(start),
            vec![EdgeKind::Start],
        ));
    }
    for id in &scope.states {
        let links = sketch.state(*id).map_or(&[][..], |state| &state.links);
        let first = out.len();
        let mut known: BTreeMap<(Node, bool), usize> = BTreeMap::new();
        for link in links {
            let to = match link.to {
                Some(state) => Node::State(state),
                None if outermost => Node::End,
                None => continue,
            };
            let at = *known.entry((to, link.kind.is_catch())).or_insert(out.len());
            if at == out.len() {
                out.push(Bundle::new(Node::State(*id), to, Vec::new()));
            }
            if let Some(bundle) = out.get_mut(at) {
                bundle.said.kinds.push(link.kind);
                let text = link
                    .label
                    .iter()
                    .filter(|text| !bundle.said.texts.contains(text));
                let text: Vec<String> = text.cloned().collect();
                bundle.said.texts.extend(text);
            }
        }
        name(out.get_mut(first..).unwrap_or_default(), lengths, glyphs);
    }
    out
}

/// Gives the lines of one state their labels.
fn name(lines: &mut [Bundle], lengths: usize, glyphs: Glyphs) {
    if lines.iter().all(|line| line.said.texts.is_empty()) {
        return;
    }
    let said: Vec<Said> = lines.iter().map(|line| line.said.clone()).collect();
    for (place, most) in LENGTHS.into_iter().enumerate().take(lengths) {
        for (line, text) in lines.iter_mut().zip(told_apart(&said, most, glyphs)) {
            if let Some(label) = line.labels.get_mut(place) {
                *label = text;
            }
        }
    }
}

/// Labels of lines that are shorter or longer than their own, made when one is wanted.
pub(super) struct Other<'a> {
    lines: &'a [Bundle],
    glyphs: Glyphs,
    /// Those of the lines of one box, by the first of them and the index of the length that they are shorter than.
    known: BTreeMap<(usize, usize), Vec<Vec<String>>>,
    /// The whole ones, by the first line of the box.
    whole: BTreeMap<usize, Vec<String>>,
}

impl<'a> Other<'a> {
    pub(super) fn of(lines: &'a [Bundle], glyphs: Glyphs) -> Self {
        Self {
            lines,
            glyphs,
            known: BTreeMap::new(),
            whole: BTreeMap::new(),
        }
    }

    /// The labels of a line at all [`LENGTHS`] before this one, the whole one first.
    pub(super) fn longer(&mut self, arc: usize, length: usize) -> Vec<String> {
        let (lines, glyphs) = (self.lines, self.glyphs);
        let Some(line) = lines.get(arc) else {
            return Vec::new();
        };
        let (first, said) = self.siblings(line, arc);
        let whole = self.whole.entry(first);
        let whole = whole.or_insert_with(|| told_apart(&said, i32::MAX, glyphs));
        let whole = whole.get(arc - first).cloned().into_iter();
        let mut all: Vec<String> = whole
            .chain(line.labels.iter().take(length).cloned())
            .collect();
        all.dedup();
        all.retain(|text| text.len() > line.label(length).len());
        all
    }

    /// The first line of the box that a line leaves, and what its lines say: they stand together.
    fn siblings(&self, line: &Bundle, arc: usize) -> (usize, Vec<Said>) {
        let same = |other: &&Bundle| other.from == line.from;
        let before = self.lines.iter().take(arc).rev().take_while(same).count();
        let own = self.lines.iter().skip(arc - before).take_while(same);
        (arc - before, own.map(|line| line.said.clone()).collect())
    }

    /// The labels of a line at all [`LENGTHS`] after this one, told apart from those of the other lines of its box.
    pub(super) fn shorter(&mut self, arc: usize, length: usize) -> Vec<String> {
        let (lines, glyphs) = (self.lines, self.glyphs);
        let Some(line) = lines.get(arc) else {
            return Vec::new();
        };
        let rest = line.labels.iter().skip(length + 1);
        if rest.clone().all(|text| !text.is_empty()) {
            return rest.cloned().collect();
        }
        let (first, said) = self.siblings(line, arc);
        let all = self.known.entry((first, length)).or_insert_with(|| {
            let mut all = vec![Vec::new(); said.len()];
            for most in LENGTHS.into_iter().skip(length + 1) {
                for (own, text) in all.iter_mut().zip(told_apart(&said, most, glyphs)) {
                    own.push(text);
                }
            }
            all
        });
        all.get(arc - first).cloned().unwrap_or_default()
    }
}
