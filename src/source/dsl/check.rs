//! Checks what can be seen only in linked states: names that clash, names that are too long, targets that are not there.
//!
//! It must not know fields.

use super::ast::{Kind, Machine, State};
use super::error;
use super::link::{Linked, Role, link};
use crate::json::Text;
use crate::source::{Diagnostics, Span, did_you_mean};
use std::collections::{HashMap, VecDeque};

/// Longest name of a state, in characters.
const NAME: usize = 128;

/// Checks every level of a machine.
pub(super) fn check(machine: &Machine, found: &mut Diagnostics) {
    let mut levels: VecDeque<&[State]> = VecDeque::from([&*machine.states]);
    let mut jumps = Vec::new();
    let mut everywhere: HashMap<Text, Span> = HashMap::new();
    while let Some(level) = levels.pop_front() {
        let linked = link(level);
        let names = names(&linked, found);
        for state in linked.iter().filter_map(written) {
            levels.extend(inner(state));
            if let Kind::Goto(label, place) = &state.kind
                && !names.contains_key(label)
            {
                let near = did_you_mean(label, names.keys().map(|name| &**name));
                jumps.push((label, *place, near));
            }
        }
        everywhere.extend(names);
    }
    if machine.lost {
        return;
    }
    for (label, place, near) in jumps {
        let mut wrong = error(place, format!("there is no state \"{label}\" to go to"));
        wrong.help = near;
        if let Some(other) = everywhere.get(label) {
            wrong = wrong
                .related(*other, "this one is in another branch")
                .help("a goto leads only to states of its own branch, iterator or outermost level");
        }
        found.push(wrong);
    }
}

fn written<'m>(linked: &Linked<'m>) -> Option<&'m State> {
    match linked.role {
        Role::Written(state) => Some(state),
        _ => None,
    }
}

/// The levels inside a state.
fn inner(state: &State) -> Vec<&[State]> {
    match &state.kind {
        Kind::Parallel(branches) => branches
            .iter()
            .map(|branch| &*branch.block.states)
            .collect(),
        Kind::Map(iterator) => vec![&*iterator.block.states],
        _ => Vec::new(),
    }
}

/// The names of a level, each with where it stands first.
fn names(linked: &[Linked<'_>], found: &mut Diagnostics) -> HashMap<Text, Span> {
    let mut names: HashMap<Text, Span> = HashMap::new();
    for one in linked {
        let place = one.role.state().head;
        if one.name.chars().count() > NAME {
            found.push(too_long(one, place));
        }
        let Some(first) = names.get(&one.name).copied() else {
            names.insert(one.name.clone(), place);
            continue;
        };
        let said = found
            .iter()
            .any(|other| other.span.is_some_and(|span| span.start == place.start));
        if !said {
            found.push(
                error(place, format!("two states are named \"{}\"", one.name))
                    .related(first, "the other one")
                    .help("name one of them with a docstring below its first line"),
            );
        }
    }
    names
}

fn too_long(one: &Linked<'_>, place: Span) -> crate::source::Diagnostic {
    let text = match one.role {
        Role::Written(_) => format!("the name of this state has more than {NAME} characters"),
        _ => format!("the name made for \"{}\" has more than {NAME} characters", one.name),
    };
    error(place, text).help("shorten the first line of its docstring")
}
