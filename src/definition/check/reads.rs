//! Finds the places of its documents that a state reads, with the position of each read in the text.

use super::StateAt;
use super::facts::{Document, Evaluated, Read};
use super::hashed::HashSet;
use super::shapes::names;
use crate::definition::inputs::tested_for_presence;
use crate::definition::{PathField, Source, Stage};
use crate::json::{Step, Text};
use crate::query::Root;

impl<'d> StateAt<'d> {
    /// The paths that the state reads in its documents, in source order.
    pub(super) fn reads(&self) -> &'d [Read<'d>] {
        self.facts.reads.get_or_init(|| reads(*self))
    }
}

/// The reads of a state, in the order of the text.
pub(super) fn reads(at: StateAt<'_>) -> Vec<Read<'_>> {
    match at.is_jsonata() {
        true => in_jsonata(at),
        false => in_jsonpath(at),
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
            found.push(Read {
                document,
                selected: Vec::new(),
                names: names.iter().map(|name| name.as_str().into()).collect(),
                steps: names
                    .iter()
                    .map(|name| Step::Member(name.as_str().into()))
                    .collect(),
                root: format!("${}", root.join(".")),
                asks: asked.contains(&path),
                path: format!("${}", path.join(".")),
                of_item: (expression.place.location).starts_with(&at.at("ItemSelector")),
                place: expression.place.clone(),
                in_jsonata: true,
            });
        }
    }
    found
}

fn in_jsonpath(at: StateAt<'_>) -> Vec<Read<'_>> {
    let state = at.state;
    let selected = match &state.input_path {
        PathField::Whole => Some(Vec::new()),
        PathField::Path(path) => names(path),
        PathField::Null => None,
    };
    let asked: HashSet<&str> = tested_for_presence(state)
        .iter()
        .map(|path| path.text())
        .collect();
    let mut found = Vec::new();
    for one in at.evaluated() {
        let document = document(at, one);
        for path in one.expression.paths() {
            let (document, selected) = match (path.root(), document) {
                (Root::Data, Source::Stage(Stage::AfterInputPath)) => {
                    (Document::Made(document), selected.clone())
                }
                (Root::Data, _) => (Document::Made(document), Some(Vec::new())),
                (Root::Context, _) => (Document::Context, Some(Vec::new())),
                (Root::Variable(_), _) => (Document::Variable, Some(Vec::new())),
            };
            let steps = path.leading_steps();
            let names = steps.iter().map_while(|step| match step {
                Step::Member(name) => Some(name.clone()),
                Step::Item(_) => None,
            });
            let names: Vec<Text> = names.collect();
            let Some(selected) = selected else {
                continue;
            };
            if names.is_empty() {
                continue;
            }
            found.push(Read {
                document,
                selected,
                names,
                steps,
                root: match path.root() {
                    Root::Data => "$".to_string(),
                    Root::Context => "$$".to_string(),
                    Root::Variable(name) => format!("${name}"),
                },
                path: path.text().to_string(),
                place: one.place.clone(),
                asks: asked.contains(path.text()),
                of_item: one.field == "ItemSelector",
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
        let holds = written.start <= span.start && span.end <= written.end;
        holds.then_some((written.end - written.start, step))
    });
    let innermost = around.min_by_key(|(length, _)| *length);
    let step = innermost.map_or_else(|| at.state.step_within(one.field), |(_, step)| Some(step));
    step.map_or(Source::Stage(Stage::AfterInputPath), |step| step.dollar)
}
