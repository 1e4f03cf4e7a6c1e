//! Members that a state reads and that nothing it can get has: what made the data left them out.
//!
//! It must not know how the inputs of states are worked out: `Shapes` does.

use super::evaluated::evaluated;
use super::shape::{Lack, Maker, Part, Shape};
use super::shapes::{Shapes, names};
use super::{Checker, StateAt};
use crate::definition::PathField;
use crate::definition::inputs::tested_for_presence;
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::json::Text;
use crate::query::jsonata::{inner, paths};
use crate::source::{Node, Span, nearest};
use std::collections::HashSet;

rules! {
    LEFT_OUT = 88, "left-out", "LEFT_OUT", Severities::WARNING,
        "a state reads a member of its input that what makes the input leaves out on every way there";
}

/// Fields of a state in JSONPath in which `$` is its input after InputPath.
const OF_INPUT: [&str; 12] = [
    "CausePath",
    "Choices",
    "ErrorPath",
    "HeartbeatSecondsPath",
    "ItemSelector",
    "ItemsPath",
    "MaxConcurrencyPath",
    "SecondsPath",
    "TimeoutSecondsPath",
    "TimestampPath",
    "ToleratedFailureCountPath",
    "ToleratedFailurePercentagePath",
];
/// So many members are named of an object.
const NAMED: usize = 8;

/// A place of its input that a state reads.
struct Read {
    names: Vec<Text>,
    /// As written.
    path: String,
    span: Span,
    location: String,
    /// Whether the state asks if it is there.
    asks: bool,
}

impl<'d> Checker<'d> {
    pub(super) fn left_out(&mut self) {
        let shapes = Shapes::of(self.definition, &self.states);
        let mut told: HashSet<(String, Vec<Text>)> = HashSet::new();
        for at in self.states.clone() {
            // Of what is dropped and read that is said already.
            if self.missing.contains(&at.id) {
                continue;
            }
            let input = shapes.input(at.id);
            for read in reads(at) {
                let Some(lack) = input.lack(&read.names) else {
                    continue;
                };
                let lacked = read.names.get(..lack.steps).unwrap_or_default().to_vec();
                let had = |maker: &&Maker| shapes.input(maker.state).lack(&lacked).is_none();
                let blamed = lack.makers.iter().find(had).or(lack.makers.first());
                if let Some(maker) = blamed
                    && told.insert((format!("{maker:?}"), lacked))
                {
                    self.read_of_left_out((at, input), &read, &lack, *maker);
                }
            }
        }
    }

    fn read_of_left_out(
        &mut self,
        (at, input): (StateAt<'d>, &Shape),
        read: &Read,
        lack: &Lack<'_>,
        maker: Maker,
    ) {
        let place = self.places.get(&maker.state);
        let Some(by) = place.and_then(|place| self.states.get(*place).copied()) else {
            return;
        };
        let does = match read.asks {
            true => "asks for",
            false => "reads",
        };
        let (what, span) = part(by, maker.part);
        let batch = maker.part == Part::Field("ItemBatcher");
        let of = by.state.name.as_ref();
        let has = listed(&lack.members);
        let makes = match batch {
            true => format!("a batch of \"{of}\" has only {has}"),
            false => format!("{what} of \"{of}\" leaves it out"),
        };
        let reader = &at.state.name;
        let message = format!("\"{reader}\" {does} {}, but {makes}", read.path);
        let name = lack
            .steps
            .checked_sub(1)
            .and_then(|last| read.names.get(last));
        let near = name.and_then(|name| nearest(name, lack.members.iter().map(|name| &***name)));
        let elsewhere = name.and_then(|name| input.elsewhere(name));
        let here = batch || near.is_some() || elsewhere.is_some();
        let root = if at.is_jsonata() {
            "$states.input"
        } else {
            "$"
        };
        let help = match (elsewhere, near) {
            (Some(names), _) => format!("there is {root}.{}", names.join(".")),
            (None, Some(near)) => format!("did you mean \"{near}\"?"),
            (None, None) if batch => format!("the items of a batch are in {root}.Items"),
            (None, None) => format!("pass it on there: by then there is only {has}"),
        };
        let found = self.found(LEFT_OUT, message).help(help);
        self.add(match here {
            true => found
                .at(read.span, read.location.as_str())
                .related(span, "it is made here"),
            false => found
                .at(span, by.state.location.as_ref())
                .related(read.span, "it is read here"),
        });
    }
}

/// What a part of a state is called, and where it stands.
fn part(at: StateAt<'_>, part: Part) -> (String, Span) {
    let item = |list: &str, place: usize| {
        let items = at.get(list).and_then(Node::items);
        let node = items.and_then(|items| items.get(place));
        let span = node.map_or(at.state.name_span, opening);
        (format!("{list}[{place}]"), span)
    };
    match part {
        Part::Field(name) => {
            let member = at.node.member(name);
            let span = member.map_or(at.state.name_span, |member| member.key.span);
            (name.to_string(), span)
        }
        Part::Rule(place) => item("Choices", place),
        Part::Catcher(place) => item("Catch", place),
    }
}

fn listed(members: &[&Text]) -> String {
    let names: Vec<&str> = members.iter().take(NAMED).map(|name| &***name).collect();
    match members.len() {
        0 => "nothing".to_string(),
        count if count > NAMED => format!("{} and {} more", names.join(", "), count - NAMED),
        _ => names.join(", "),
    }
}

/// What a state reads of its raw input.
fn reads(at: StateAt<'_>) -> Vec<Read> {
    match at.is_jsonata() {
        true => reads_in_jsonata(at),
        false => reads_in_jsonpath(at),
    }
}

fn reads_in_jsonata(at: StateAt<'_>) -> Vec<Read> {
    let mut found = Vec::new();
    for expression in super::jsonata::expressions(at) {
        let Some(text) = expression.node.as_str().and_then(inner) else {
            continue;
        };
        for path in paths(text) {
            let [states, input, names @ ..] = path.as_slice() else {
                continue;
            };
            if states != "states" || input != "input" || names.is_empty() {
                continue;
            }
            let path = format!("$states.input.{}", names.join("."));
            found.push(Read {
                names: names.iter().map(|name| name.as_str().into()).collect(),
                asks: text.contains(&format!("$exists({path})")),
                path,
                span: expression.node.span,
                location: expression.location.clone(),
            });
        }
    }
    found
}

fn reads_in_jsonpath(at: StateAt<'_>) -> Vec<Read> {
    let state = at.state;
    let moved = !matches!(state.input_path, PathField::Whole);
    let asked: HashSet<&str> = tested_for_presence(state)
        .iter()
        .map(|path| path.text())
        .collect();
    let mut found = Vec::new();
    for one in evaluated(at) {
        let of_input = match (moved, state.parameters.is_some()) {
            (true, _) => one.field == "InputPath",
            (false, true) => one.field == "Parameters",
            (false, false) => one.field == "Parameters" || OF_INPUT.contains(&one.field),
        };
        if !of_input {
            continue;
        }
        for path in one.expression.paths() {
            let Some(names) = names(path).filter(|names| !names.is_empty()) else {
                continue;
            };
            found.push(Read {
                names,
                path: path.text().to_string(),
                span: one.member.value.span,
                location: one.location.clone(),
                asks: asked.contains(path.text()),
            });
        }
    }
    // What is read first is told first.
    found.sort_by_key(|read| read.span.start);
    found
}
