//! Emits linked states as the tree of a definition. Every node has the source range that it comes from.

use super::ast::{Block, Catch, Choice, Machine, State, StatementKind};
use super::build::{array, boolean, from_to, made, member, object};
use super::link::{Linked, Role, default_name, link};
use crate::json::Text;
use crate::source::{Member, Node, Span};

/// The tree of a state machine.
pub(super) fn emit(machine: &Machine) -> Node {
    let mut members = machine.fields.clone();
    let first = machine.states.first();
    let place = first.map_or(machine.span, |state| state.head);
    members.extend(level(&machine.states, place, machine.span));
    object(members, machine.span)
}

/// `StartAt` and `States` of a level.
fn level(states: &[State], head: Span, span: Span) -> Vec<Member> {
    let linked = link(states);
    let (name, place) = linked.first().map_or((Text::from(""), head), |first| {
        (first.name.clone(), first.role.state().head)
    });
    let states = linked.iter().map(state).collect();
    vec![
        member("StartAt", head, made(name, place)),
        member("States", head, object(states, span)),
    ]
}

/// A branch or an iterator.
fn machine(block: &Block, head: Span) -> Node {
    let members = level(&block.states, head, block.span);
    object(members, from_to(head, block.span))
}

/// A state as a member of `States`. A generated state has the source range of the state for which it was generated.
fn state(linked: &Linked<'_>) -> Member {
    let own = linked.role.state();
    let members = match linked.role {
        Role::Written(state) => written(state, linked.next.as_ref()),
        Role::Loop(state) => {
            let kind = member("Type", state.head, made("Pass", state.head));
            let mut members = vec![kind];
            members.extend(follow(state.head, linked.next.as_ref()));
            members
        }
        Role::Default(state) => vec![member("Type", state.head, made("Succeed", state.head))],
    };
    member(linked.name.clone(), own.head, object(members, own.span))
}

fn written(state: &State, next: Option<&Text>) -> Vec<Member> {
    let head = state.head;
    let name = match &state.kind {
        StatementKind::Plain(name) | StatementKind::Terminal(name) => name,
        StatementKind::Choice(_) => "Choice",
        StatementKind::Parallel(_) => "Parallel",
        StatementKind::Map(_) => "Map",
        StatementKind::Goto(..) => "Pass",
    };
    let mut members = vec![member("Type", head, made(name, head))];
    members.extend(state.fields.iter().cloned());
    match &state.kind {
        StatementKind::Choice(choice) => members.extend(choices(state, choice, next)),
        StatementKind::Parallel(branches) => {
            let list = branches
                .iter()
                .map(|branch| machine(&branch.block, branch.head))
                .collect();
            members.push(member("Branches", head, array(list, state.span)));
        }
        StatementKind::Map(iterator) => {
            let inner = machine(&iterator.block, iterator.head);
            members.push(member("Iterator", iterator.head, inner));
        }
        _ => {}
    }
    members.extend(list("Retry", state.retry.clone()));
    members.extend(list("Catch", state.catch.iter().map(catcher).collect()));
    match &state.kind {
        StatementKind::Choice(_) | StatementKind::Terminal(_) => {}
        StatementKind::Goto(label, place) => {
            members.push(member("Next", head, made(label.clone(), *place)));
        }
        _ => members.extend(follow(head, next)),
    }
    members
}

/// `Next` if there is a next state, otherwise `End`.
fn follow(head: Span, next: Option<&Text>) -> Option<Member> {
    Some(match next {
        Some(next) => member("Next", head, made(next.clone(), head)),
        None => member("End", head, boolean(true, head)),
    })
}

fn list(name: &'static str, items: Vec<Node>) -> Option<Member> {
    let (first, last) = (items.first()?.span, items.last()?.span);
    Some(member(name, first, array(items, from_to(first, last))))
}

fn catcher(catch: &Catch) -> Node {
    let mut members = catch.fields.clone();
    members.extend(first(&catch.block, catch.head));
    object(members, catch.head)
}

/// `Next` to the first state of a block.
fn first(block: &Block, head: Span) -> Option<Member> {
    let state = block.states.first()?;
    Some(member("Next", head, made(state.name.clone(), head)))
}

fn choices(state: &State, choice: &Choice, next: Option<&Text>) -> Vec<Member> {
    let rules = choice
        .clauses
        .iter()
        .map(|clause| {
            let mut members = clause.rule.clone();
            members.extend(first(&clause.block, clause.head));
            object(members, clause.head)
        })
        .collect();
    let (place, target) = match &choice.otherwise {
        Some((word, block)) => (*word, block.states.first().map(|state| state.name.clone())),
        None => (state.head, next.cloned()),
    };
    let target = target.unwrap_or_else(|| default_name(state));
    vec![
        member("Choices", state.head, array(rules, state.span)),
        member("Default", place, made(target, place)),
    ]
}
