//! Determines each state's successor, and places the states of nested blocks after the state that contains them.

use super::ast::{Choice, State, StatementKind};
use crate::json::Text;

/// A state with its name and successor.
pub(super) struct Linked<'m> {
    pub name: Text,
    /// The origin of the state.
    pub role: Role<'m>,
    /// Name of the next state; `None` if the machine ends here.
    pub next: Option<Text>,
}

/// The origin of a linked state.
#[derive(Clone, Copy)]
pub(super) enum Role<'m> {
    /// A state written in the source.
    Written(&'m State),
    /// A generated state that leads from the end of a `while` back to it.
    Loop(&'m State),
    /// A generated state that is the target of a Choice, at the end of a level, if no rule matches.
    Default(&'m State),
}

impl<'m> Role<'m> {
    /// The written state, or the one for which this state was generated.
    pub fn state(self) -> &'m State {
        match self {
            Self::Written(state) | Self::Loop(state) | Self::Default(state) => state,
        }
    }
}

/// Links the states of a level, including its nested blocks, in order.
pub(super) fn link(states: &[State]) -> Vec<Linked<'_>> {
    let mut out = Vec::new();
    block(states, None, &mut out);
    out
}

/// Name of the generated state for the case that no rule matches.
pub(super) fn default_name(state: &State) -> Text {
    format!("{}Default", state.name).into()
}

fn block<'m>(states: &'m [State], end: Option<&Text>, out: &mut Vec<Linked<'m>>) {
    let following = states.iter().skip(1).map(|state| Some(&state.name));
    for (state, next) in states.iter().zip(following.chain([end])) {
        let role = Role::Written(state);
        out.push(Linked {
            name: state.name.clone(),
            role,
            next: next.cloned(),
        });
        let choice = match &state.kind {
            StatementKind::Choice(choice) => Some(choice),
            _ => None,
        };
        if choice.is_some_and(|choice| choice.otherwise.is_none()) && next.is_none() {
            out.push(Linked {
                name: default_name(state),
                role: Role::Default(state),
                next: None,
            });
        }
        for catch in &state.catch {
            block(&catch.block.states, next, out);
        }
        if let Some(choice) = choice {
            choices(state, choice, next, out);
        }
    }
}

/// The blocks of a Choice.
fn choices<'m>(
    state: &'m State,
    choice: &'m Choice,
    next: Option<&Text>,
    out: &mut Vec<Linked<'m>>,
) {
    for clause in &choice.clauses {
        let states = &clause.block.states;
        if choice.again && !ends(states) {
            let name: Text = format!("{}Loop", state.name).into();
            block(states, Some(&name), out);
            out.push(Linked {
                name,
                role: Role::Loop(state),
                next: Some(state.name.clone()),
            });
        } else {
            block(states, next, out);
        }
    }
    if let Some((_, otherwise)) = &choice.otherwise {
        block(&otherwise.states, next, out);
    }
}

/// True if the last state of a block ends the machine.
fn ends(states: &[State]) -> bool {
    let last = states.last();
    last.is_some_and(|state| matches!(state.kind, StatementKind::Terminal(_)))
}
