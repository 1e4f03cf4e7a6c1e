//! Finds the places of its documents that a state reads, with the position of each read in the text.

use super::StateAt;
use super::facts::{Document, Evaluated, Facts, Read};
use super::hashed::HashSet;
use super::shapes::names;
use crate::definition::inputs::tested_for_presence;
use crate::definition::{Definition, PathField, Source, Stage};
use crate::json::Step;
use crate::query::Root;

impl Definition {
    /// The definite paths that the states in the machine's own scope read from `$`, in the order of the text and
    /// without duplicates.
    #[must_use]
    pub fn input_paths(&self) -> Vec<String> {
        let facts = Facts::of(self);
        let mut found: Vec<String> = Vec::new();
        let states = self.scopes.iter().take(1).flat_map(|scope| &scope.states);
        for at in states.filter_map(|id| StateAt::of(self, &facts, *id)) {
            for read in at.reads().iter().filter(|read| read.is_of_raw_input()) {
                if !found.contains(&read.path) {
                    found.push(read.path.clone());
                }
            }
        }
        found
    }
}

impl<'d> StateAt<'d> {
    /// The paths that the state reads in its documents, in source order.
    pub(super) fn reads(&self) -> &'d [Read<'d>] {
        self.facts.reads.get_or_init(|| match self.is_jsonata() {
            true => in_jsonata(*self),
            false => in_jsonpath(*self),
        })
    }
}

fn in_jsonata(at: StateAt<'_>) -> Vec<Read<'_>> {
    let mut found = Vec::new();
    for expression in at.expressions() {
        let Ok(tree) = &expression.tree else {
            continue;
        };
        let (text, asked) = (tree.text(), tree.asked());
        for path in tree.root().paths() {
            let [first, second, ..] = path.as_slice() else {
                continue;
            };
            let document = match (first.as_str(), second.as_str()) {
                ("states", "input") => Document::Made(Source::Stage(Stage::Input)),
                ("states", "result") => Document::Made(Source::Stage(Stage::Result)),
                ("states", "errorOutput") => Document::Made(Source::Error),
                ("states", "context") => Document::Context,
                ("states", _) => continue,
                // The expression itself may bind the name.
                _ if text.contains(":=") || text.contains("function") => continue,
                _ => Document::Variable,
            };
            let length = 1 + usize::from(first == "states");
            let (root, names) = path.split_at(length);
            if names.is_empty() {
                continue;
            }
            let step = |name: &String| Step::Member(name.as_str().into());
            found.push(Read {
                document,
                selected: Vec::new(),
                names: names.iter().map(|name| name.as_str().into()).collect(),
                steps: names.iter().map(step).collect(),
                root: format!("${}", root.join(".")),
                asks: asked.contains(&path),
                path: format!("${}", path.join(".")),
                of_item: (expression.place.location).starts_with(&at.at("ItemSelector")),
                place: expression.place.clone(),
                span: expression.place.node.span,
                is_definite: false,
                in_jsonata: true,
            });
        }
    }
    found
}

fn in_jsonpath(at: StateAt<'_>) -> Vec<Read<'_>> {
    let selected = match &at.state.input_path {
        PathField::Whole => Some(Vec::new()),
        PathField::Path(path) => names(path),
        PathField::Null => None,
    };
    let asked: HashSet<&str> = tested_for_presence(at.state)
        .iter()
        .map(|path| path.text())
        .collect();
    let mut found = Vec::new();
    for one in at.evaluated() {
        let document = document(at, one);
        for (range, path) in one.expression.located_paths() {
            let (document, root) = match path.root() {
                Root::Data => (Document::Made(document), "$".to_string()),
                Root::Context => (Document::Context, "$$".to_string()),
                Root::Variable(name) => (Document::Variable, format!("${name}")),
            };
            let selected = match document {
                Document::Made(Source::Stage(Stage::AfterInputPath)) => selected.clone(),
                _ => Some(Vec::new()),
            };
            let steps = path.leading_steps();
            let Some(selected) = selected.filter(|_| !steps.is_empty()) else {
                continue;
            };
            let names = steps.iter().map_while(|step| match step {
                Step::Member(name) => Some(name.clone()),
                Step::Item(_) => None,
            });
            found.push(Read {
                document,
                selected,
                names: names.collect(),
                steps,
                root,
                path: path.text().to_string(),
                place: one.place.clone(),
                span: one.place.node.inner_span(range),
                asks: asked.contains(path.text()),
                of_item: one.field == "ItemSelector",
                is_definite: path.is_definite(),
                in_jsonata: false,
            });
        }
    }
    // Diagnostics are reported in the order of the text.
    found.sort_by_key(|read| read.place.node.span.start);
    found
}

/// The document that `$` refers to in an expression, which depends on the innermost field that contains it.
pub(super) fn document(at: StateAt<'_>, one: &Evaluated<'_>) -> Source {
    let span = one.place.node.span;
    let own = at.state.steps.iter();
    let own = own.filter(|step| step.field.outermost() == one.field);
    let around = own.filter_map(|step| {
        let written = step.written?;
        (written.holds(span)).then_some((written.end - written.start, step))
    });
    let innermost = around.min_by_key(|(length, _)| *length);
    let step = innermost.map_or_else(|| at.state.step_within(one.field), |(_, step)| Some(step));
    step.map_or(Source::Stage(Stage::AfterInputPath), |step| step.dollar)
}
