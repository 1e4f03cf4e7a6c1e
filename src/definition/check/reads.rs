//! Which places of its input a state reads, each with where it stands.
//!
//! It must not know what the input has.

use super::StateAt;
use super::evaluated::evaluated;
use super::shapes::members;
use crate::definition::PathField;
use crate::definition::field::FieldSpec;
use crate::definition::inputs::tested_for_presence;
use crate::json::{Step, Text};
use crate::query::jsonata::{asked, inner, paths};
use crate::query::{Path, Root};
use crate::source::Span;
use std::collections::HashSet;

/// A place of its raw input that a state reads.
pub(super) struct Read {
    pub(super) names: Vec<Text>,
    /// So many of the names the InputPath of the state selects before.
    pub(super) selected: usize,
    /// As written.
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) location: String,
    /// Whether the state asks if it is there.
    pub(super) asks: bool,
    /// Whether it makes an item of a Map.
    pub(super) of_item: bool,
    /// Whether it is written in JSONata.
    pub(super) in_jsonata: bool,
}

/// What a state reads of its raw input.
pub(super) fn reads(at: StateAt<'_>) -> Vec<Read> {
    match at.is_jsonata() {
        true => in_jsonata(at),
        false => in_jsonpath(at),
    }
}

fn in_jsonata(at: StateAt<'_>) -> Vec<Read> {
    let mut found = Vec::new();
    for expression in super::jsonata::expressions(at) {
        let Some(text) = expression.node.as_str().and_then(inner) else {
            continue;
        };
        let asked = asked(text);
        for path in paths(text) {
            let [states, input, names @ ..] = path.as_slice() else {
                continue;
            };
            if states != "states" || input != "input" || names.is_empty() {
                continue;
            }
            found.push(Read {
                names: names.iter().map(|name| name.as_str().into()).collect(),
                selected: 0,
                asks: asked.contains(&path),
                path: format!("$states.input.{}", names.join(".")),
                span: expression.node.span,
                of_item: expression.location.starts_with(&at.at("ItemSelector")),
                location: expression.location.clone(),
                in_jsonata: true,
            });
        }
    }
    found
}

fn in_jsonpath(at: StateAt<'_>) -> Vec<Read> {
    let state = at.state;
    let selected = match &state.input_path {
        PathField::Whole => Some(Vec::new()),
        PathField::Path(path) => path
            .names()
            .filter(|_| *path.root() == Root::Data)
            .and_then(|names| members(&names)),
        PathField::Null => None,
    };
    let asked: HashSet<&str> = tested_for_presence(state)
        .iter()
        .map(|path| path.text())
        .collect();
    let mut found = Vec::new();
    for one in evaluated(at) {
        let spec = FieldSpec::of_state(one.field);
        let before = match (one.field, &selected) {
            ("InputPath", _) => &[],
            // `$` is what they make.
            (field, _) if state.template("Parameters").is_some() && field != "Parameters" => {
                continue;
            }
            _ if spec.is_some_and(FieldSpec::reads_other_data) => continue,
            (_, Some(selected)) => selected.as_slice(),
            (_, None) => continue,
        };
        for path in one.expression.paths() {
            let own = leading(path);
            if own.is_empty() {
                continue;
            }
            found.push(Read {
                names: [before, &own].concat(),
                selected: before.len(),
                path: path.text().to_string(),
                span: one.member.value.span,
                location: one.location.clone(),
                asks: asked.contains(path.text()),
                of_item: one.field == "ItemSelector",
                in_jsonata: false,
            });
        }
    }
    // What is read first is told first.
    found.sort_by_key(|read| read.span.start);
    found
}

/// The names with which a path of the data begins.
fn leading(path: &Path) -> Vec<Text> {
    let steps = match path.root() {
        Root::Data => path.leading_names(),
        _ => Vec::new(),
    };
    let names = steps.into_iter().map_while(|step| match step {
        Step::Member(name) => Some(name),
        Step::Item(_) => None,
    });
    names.collect()
}
