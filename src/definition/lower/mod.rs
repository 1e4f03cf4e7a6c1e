//! Lowers a definition's syntax tree to typed states: parses every field, compiles every path and template, and finds
//! the target of every transition.

mod choice;
mod error;
mod fields;
mod lowering;
mod map;
mod path;
pub(in crate::definition) mod rules;
mod state;
#[cfg(test)]
#[expect(clippy::expect_used, reason = "tests")]
mod tests;

use self::lowering::{Lowering, Pending, START};
pub(super) use self::lowering::{
    MISSING, inner_scopes, is_filled_later, is_jsonata, is_opaque, is_reference, last_members,
    misspelt, opening, text_of,
};
use self::state::StateReader;
use super::rule::LintRule;
use super::{
    Definition, MachineType, QueryLanguage, State, StateId, StateKind, StatePath, Transition,
};
use crate::source::{Diagnostics, Member, Node, SourceMap};
use rules::{REQUIRED, STATES, STATES_PLACEHOLDER};
use std::collections::HashMap;
use std::sync::Arc;

/// The rules that are checked while a definition is parsed.
pub(super) const RULES: &[&[LintRule]] = &[rules::RULES];

/// Lowers a definition. After an error, lowering continues with the rest of the definition.
#[must_use]
pub fn lower(node: Arc<Node>, sources: Arc<SourceMap>, name: &str) -> (Definition, Diagnostics) {
    let mut lowering = Lowering::new(&node, &sources);
    lowering.machine();
    let Lowering {
        states,
        scopes,
        findings,
        language,
        ..
    } = lowering;
    let timeout_seconds = node
        .get("TimeoutSeconds")
        .and_then(Node::as_number)
        .and_then(|number| u64::try_from(number.as_i64()?).ok());
    let definition = Definition {
        name: name.into(),
        machine_type: MachineType::default(),
        sources,
        comment: text_of(&node, "Comment"),
        language,
        timeout_seconds,
        scopes,
        states,
        node,
    };
    (definition, findings)
}

impl<'n> Lowering<'n> {
    fn machine(&mut self) {
        if self.root.members().is_none() {
            let message = "Definition must be a valid JSON object";
            let help = "a definition is an object with StartAt and States";
            self.blocking(REQUIRED, message, (self.root.span, ""), help);
        }
        self.scope(self.root, None, 0, String::new(), String::new());
        while let Some(pending) = self.pending.pop() {
            let before = self.pending.len();
            self.read_scope(&pending);
            if let Some(new) = self.pending.get_mut(before..) {
                new.reverse();
            }
        }
    }

    fn read_scope(&mut self, pending: &Pending<'n>) {
        let node = pending.node;
        let scope = self.scopes.get(pending.id.0 as usize);
        debug_assert!(
            scope.is_some(),
            "{:?} was made before it was pending",
            pending.id
        );
        let (location, owner) = scope.map_or_else(Default::default, |scope| {
            (scope.location.to_string(), scope.owner)
        });
        if node.members().is_some() {
            self.required(node, &location, owner);
        }
        let states = node.get("States");
        if let Some(states) = states {
            self.check_states(states, &location, owner);
        }
        let members = states.map(last_members).unwrap_or_default();
        let mut names: HashMap<&str, StateId> = HashMap::with_capacity(members.len());
        let mut ids = Vec::with_capacity(members.len());
        for member in &members {
            let id = StateId(u32::try_from(self.states.len()).unwrap_or(u32::MAX));
            names.insert(&member.key.text, id);
            ids.push(id);
            let mut state = blank(member, pending, &location);
            state.generated = self.generated.get(&*state.location).copied();
            self.states.push(state);
        }
        let start_at = node
            .get("StartAt")
            .filter(|_| !states.is_some_and(is_filled_later))
            .and_then(|value| self.target(value, &names, &format!("{location}/StartAt"), START));
        if let Some(scope) = self.scopes.get_mut(pending.id.0 as usize) {
            scope.start_at = start_at;
            scope.states.clone_from(&ids);
        }
        for (id, member) in ids.into_iter().zip(members) {
            let Some(state) = self.states.get(id.0 as usize).cloned() else {
                debug_assert!(false, "{id:?} was made before its fields are read");
                continue;
            };
            let reader = StateReader {
                lowering: self,
                names: &names,
                id,
                node: &member.value,
                state,
            };
            let done = reader.read();
            if let Some(place) = self.states.get_mut(id.0 as usize) {
                *place = done;
            }
        }
    }

    fn required(&mut self, node: &Node, location: &str, owner: Option<StateId>) {
        let missing: Vec<&str> = ["States", "StartAt"]
            .into_iter()
            .filter(|name| node.member(name).is_none())
            .collect();
        if missing.is_empty() {
            return;
        }
        let message = format!("These fields are required: [{}]", missing.join(", "));
        let at = if location.is_empty() { "/" } else { location };
        let mut diagnostic = REQUIRED
            .found_reading(message.as_str())
            .at(opening(node), at)
            .help("States contains the states by name, and StartAt names the first state");
        match owner {
            None => diagnostic.blocking = true,
            Some(owner) => {
                if let Some(state) = self.states.get_mut(owner.0 as usize) {
                    state.broken.get_or_insert_with(|| message.into());
                }
            }
        }
        self.findings.push(diagnostic);
    }

    fn check_states(&mut self, states: &Node, location: &str, owner: Option<StateId>) {
        let at = format!("{location}/States");
        if is_filled_later(states) {
            let message = "States is a placeholder";
            let mut diagnostic = STATES_PLACEHOLDER
                .found_reading(message)
                .at(states.span, at)
                .help("give the placeholder a value to run this definition");
            match owner.and_then(|owner| self.states.get_mut(owner.0 as usize)) {
                None => diagnostic.blocking = true,
                Some(state) => {
                    state.broken.get_or_insert_with(|| message.into());
                }
            }
            self.findings.push(diagnostic);
            return;
        }
        let (message, help) = match states.members() {
            None => (
                "Expected value of type Object",
                "States is an object that contains the states by name",
            ),
            Some([]) => ("Value cannot be empty", "States needs at least one state"),
            Some(_) => return,
        };
        self.blocking(STATES, message, (states.span, &at), help);
    }
}

fn blank(member: &Member, pending: &Pending<'_>, location: &str) -> State {
    State {
        name: member.key.text.clone(),
        path: StatePath(format!("{}{}", pending.prefix, member.key.text).into()),
        scope: pending.id,
        generated: None,
        location: format!("{location}/States/{}", member.key.text).into(),
        name_span: member.key.span,
        span: member.value.span,
        comment: None,
        language: QueryLanguage::JsonPath,
        fields: Vec::new(),
        input_path: Default::default(),
        result_path: Default::default(),
        output_path: Default::default(),
        templates: Vec::new(),
        jsonata: Default::default(),
        transition: Transition::None,
        retry: Vec::new(),
        catch: Vec::new(),
        kind: StateKind::Pass { result: None },
        steps: Default::default(),
        broken: None,
    }
}
