//! The lines of a scope: links between the same two boxes share one line.

use super::distinct_labels::{Said, told_apart};
use super::model::{EdgeKind, Glyphs, Node};
use super::sketch::{Sketch, SketchScope};
use super::wording::width;
use std::collections::BTreeMap;

/// Maximum lengths of labels, in the order in which they are tried; shorter ones are used only to save space.
pub(super) const LENGTHS: [i32; 5] = [72, 40, 24, 14, 8];

/// The links that share one line.
pub(super) struct Bundle {
    pub(super) from: Node,
    pub(super) to: Node,
    said: Said,
    /// Forms of its label, from the complete one to the shortest; each is narrower than the one before.
    pub(super) forms: Vec<String>,
    /// Number of forms that say more than a number.
    telling: usize,
}

/// Maximum width of a form that is kept only because it says more than a number.
const FAR: i32 = 40;

/// Minimum length limit at which an informative form is preferred to one with only a number.
const LEAST_TOLD: i32 = 24;

impl Bundle {
    fn new(from: Node, to: Node, kinds: Vec<EdgeKind>) -> Self {
        Self {
            from,
            to,
            said: Said {
                kinds,
                ..Said::default()
            },
            forms: Vec::new(),
            telling: 0,
        }
    }

    /// The kinds of its links.
    pub(super) fn kinds(&self) -> &[EdgeKind] {
        &self.said.kinds
    }

    /// True if all links of the line are those of catchers. Links of catchers never share a line with other links.
    pub(super) fn catches(&self) -> bool {
        self.said.kinds.iter().all(|kind| kind.is_catch())
    }

    /// The index of the longest form that fits the limit, otherwise of the shortest; `length` is an index of
    /// [`LENGTHS`]. If only a form with a number fits, the shortest informative form is used unless it is far too wide
    /// or the limit is low.
    pub(super) fn form(&self, length: usize) -> usize {
        let most = LENGTHS.get(length).copied().unwrap_or(0);
        let first = self.forms.iter().position(|form| width(form) <= most);
        let first = first.unwrap_or(self.forms.len().saturating_sub(1));
        let told = self.telling.checked_sub(1).filter(|told| *told < first);
        let told = told.filter(|told| most >= LEAST_TOLD && width(self.text(*told)) <= FAR);
        told.unwrap_or(first)
    }

    /// The label in a given form.
    pub(super) fn text(&self, form: usize) -> &str {
        self.forms.get(form).map_or("", String::as_str)
    }
}

/// Groups the links of a scope into lines. Links of catchers never share a line with other links.
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
                bundle.said.lines.extend(link.line);
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

/// Sets the labels of the lines that leave one state.
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
