//! Checks that need linked states: duplicate names, names that are too long, and missing targets.

use super::ast::{Machine, State, StatementKind};
use super::diagnostic::{MAX_FINDINGS, brief, error};
use super::link::{Linked, Role, link};
use crate::json::Text;
use crate::source::{Diagnostic, Diagnostics, Severity, Span, did_you_mean};
use std::collections::{HashMap, HashSet, VecDeque};

/// Maximum length of a state name in characters.
const NAME: usize = 128;

/// Maximum number of names among which a similar one is searched for.
const SIMILAR: usize = 2000;

/// Maximum number of missing targets that get a suggestion.
const HELPED: usize = 50;

/// A goto whose target is not in its level.
struct Jump {
    label: Text,
    place: Span,
    near: Option<String>,
}

/// Checks every level of a machine.
pub(super) fn check(machine: &Machine, found: &mut Diagnostics) {
    let mut report = Report {
        places: found
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .filter_map(|one| Some(one.span?.start))
            .collect(),
        count: 0,
        found,
    };
    let mut levels: VecDeque<&[State]> = VecDeque::from([&*machine.states]);
    let mut jumps = Vec::new();
    let mut everywhere: HashMap<Text, Span> = HashMap::new();
    while let Some(level) = levels.pop_front() {
        let linked = link(level);
        let names = names(&linked, &mut report);
        for state in linked.iter().filter_map(written) {
            levels.extend(inner(state));
            jumps.extend(lost(state, &names, jumps.len() < HELPED));
        }
        everywhere.extend(names);
    }
    if machine.lost {
        return;
    }
    for jump in jumps {
        let text = format!("there is no state \"{}\" to go to", brief(&jump.label));
        let mut wrong = error(jump.place, text);
        wrong.help = jump.near;
        if let Some(other) = everywhere.get(&jump.label) {
            wrong = wrong
                .related(*other, "this one is in another branch")
                .help("a goto leads only to states of its own branch, iterator or outermost level");
        }
        report.add(wrong);
    }
}

/// Returns the jump if the state is a goto whose target is not in its level.
fn lost(state: &State, names: &HashMap<Text, Span>, help: bool) -> Option<Jump> {
    let StatementKind::Goto(label, place) = &state.kind else {
        return None;
    };
    if names.contains_key(label) {
        return None;
    }
    let mut near = None;
    if help && label.len() > 2 && names.len() <= SIMILAR {
        let mut known: Vec<&str> = names.keys().map(|name| &**name).collect();
        known.sort_unstable();
        near = did_you_mean(label, known);
    }
    Some(Jump {
        label: label.clone(),
        place: *place,
        near,
    })
}

/// Collects diagnostics, at most one per place.
struct Report<'f> {
    places: HashSet<u32>,
    count: usize,
    found: &'f mut Diagnostics,
}

impl Report<'_> {
    /// Adds a diagnostic unless there is already one for its place or the limit is reached.
    fn add(&mut self, new: Diagnostic) {
        let place = new.span.map_or(0, |span| span.start);
        if self.count < MAX_FINDINGS && self.places.insert(place) {
            self.count += 1;
            self.found.push(new);
        }
    }
}

fn written<'m>(linked: &Linked<'m>) -> Option<&'m State> {
    match linked.role {
        Role::Written(state) => Some(state),
        _ => None,
    }
}

/// The nested levels inside a state.
fn inner(state: &State) -> Vec<&[State]> {
    match &state.kind {
        StatementKind::Parallel(branches) => branches
            .iter()
            .map(|branch| &*branch.block.states)
            .collect(),
        StatementKind::Map(iterator) => vec![&*iterator.block.states],
        _ => Vec::new(),
    }
}

/// The names of a level, each with the range of its first occurrence.
fn names(linked: &[Linked<'_>], report: &mut Report<'_>) -> HashMap<Text, Span> {
    let mut names: HashMap<Text, Span> = HashMap::new();
    for one in linked {
        let place = one.role.state().head;
        if one.name.chars().count() > NAME {
            report.add(too_long(one, place));
        }
        let Some(first) = names.get(&one.name).copied() else {
            names.insert(one.name.clone(), place);
            continue;
        };
        let clash = error(
            place,
            format!("two states are named \"{}\"", brief(&one.name)),
        )
        .related(first, "the other one")
        .help("name one of them with a docstring below its first line");
        report.add(clash);
    }
    names
}

fn too_long(one: &Linked<'_>, place: Span) -> Diagnostic {
    let whose = match one.role {
        Role::Written(_) => "the name of this state",
        Role::Loop(_) => "the name of this state with \"Loop\" behind it",
        Role::Default(_) => "the name of this state with \"Default\" behind it",
    };
    error(place, format!("{whose} has more than {NAME} characters"))
        .help("shorten the first line of its docstring")
}
