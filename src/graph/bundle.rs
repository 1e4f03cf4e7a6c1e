//! The lines of a scope: links between the same two boxes share one.
//!
//! It must not know where boxes stand.

use super::model::{EdgeKind, Glyphs, Node};
use super::sketch::{Sketch, SketchScope};
use super::telling::{Said, told_apart};
use super::wording::width;
use std::collections::BTreeMap;

/// How long labels may be, the longest first; shorter ones only where there is no room.
pub(super) const LENGTHS: [i32; 5] = [72, 40, 24, 14, 8];

/// The links that one line represents.
pub(super) struct Bundle {
    pub(super) from: Node,
    pub(super) to: Node,
    said: Said,
    /// What its label may say, the whole first, each form narrower than the one before.
    pub(super) forms: Vec<String>,
    /// How many of them tell more than a number.
    telling: usize,
}

/// Beyond so many cells a form is too wide to be kept for what it tells.
const FAR: i32 = 40;

/// The least number of cells at which labels that fit it otherwise tell more than a number.
const LEAST_TOLD: i32 = 24;

impl Bundle {
    fn new(from: Node, to: Node, kinds: Vec<EdgeKind>) -> Self {
        Self {
            from,
            to,
            said: Said {
                clauses: Vec::new(),
                kinds,
            },
            forms: Vec::new(),
            telling: 0,
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

    /// The form of its label that has so many cells at most, else the narrowest; by index of [`LENGTHS`]. Where only a
    /// number has so few, the narrowest that tells more is taken, unless that is far too wide or cells are scarce.
    pub(super) fn form(&self, length: usize) -> usize {
        let most = LENGTHS.get(length).copied().unwrap_or(0);
        let first = self.forms.iter().position(|form| width(form) <= most);
        let first = first.unwrap_or(self.forms.len().saturating_sub(1));
        let told = self.telling.checked_sub(1).filter(|told| *told < first);
        let told = told.filter(|told| most >= LEAST_TOLD && width(self.text(*told)) <= FAR);
        told.unwrap_or(first)
    }

    /// The label in a form.
    pub(super) fn text(&self, form: usize) -> &str {
        self.forms.get(form).map_or("", String::as_str)
    }
}

/// The lines of a scope; the links of catchers never share a line with others.
pub(super) fn bundles(
    sketch: &Sketch,
    scope: &SketchScope,
    outermost: bool,
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
                let clauses = &mut bundle.said.clauses;
                let clause = link.label.iter().filter(|label| !clauses.contains(label));
                let clause: Vec<_> = clause.cloned().collect();
                clauses.extend(clause);
            }
        }
        name(out.get_mut(first..).unwrap_or_default(), glyphs);
    }
    out
}

/// Gives the lines of one state their labels.
fn name(lines: &mut [Bundle], glyphs: Glyphs) {
    if lines.iter().all(|line| line.said.clauses.is_empty()) {
        return;
    }
    let said: Vec<Said> = (lines.iter_mut())
        .map(|line| std::mem::take(&mut line.said))
        .collect();
    let forms = told_apart(&said, glyphs);
    for (line, (said, forms)) in lines.iter_mut().zip(said.into_iter().zip(forms)) {
        line.telling = forms.iter().filter(|form| !said.is_number(form)).count();
        line.said = said;
        line.forms = forms;
    }
}
