//! Items of a Map in JSONata that are one item, not an array of one, where a filter or a map finds a single one.
//!
//! It must not know what an expression comes to.

use super::flow::{FAR, Flow};
use super::{Checker, StateAt};
use crate::definition::StateId;
use crate::definition::rule::{Severities, rules};
use crate::query::jsonata::{gives_single, inner, member_gives_single};
use crate::source::{Node, Span};
use std::collections::HashSet;

rules! {
    SINGLE_ITEM = 85, "single-item", "SINGLE_ITEM", Severities::WARNING,
        "a filter or a map of JSONata gives the Items of a Map: a single result comes without an array";
}

impl<'d> Checker<'d> {
    pub(super) fn single_items(&mut self, at: StateAt<'d>, flow: &Flow<'d>) {
        let Some(items) = at.get("Items").filter(|_| at.is_jsonata()) else {
            return;
        };
        let Some(text) = items.as_str().and_then(inner) else {
            return;
        };
        if let Some(what) = gives_single(text) {
            self.single_item(what, items, at.at("Items"), at, None);
        } else if let Some(name) = text.strip_prefix("$states.input.").and_then(first_name) {
            for (what, node, location) in self.outputs(at, name, flow) {
                self.single_item(what, node, location, at, Some(items.span));
            }
        } else if let Some(name) = text.strip_prefix('$').and_then(first_name) {
            for (node, location) in flow.assigned(name) {
                if let Some(what) = node.as_str().and_then(inner).and_then(gives_single) {
                    self.single_item(what, node, location.clone(), at, Some(items.span));
                }
            }
        }
    }

    fn single_item(
        &mut self,
        what: &str,
        node: &'d Node,
        location: String,
        at: StateAt<'d>,
        read: Option<Span>,
    ) {
        let message = format!(
            "where {what} finds a single value, \"{}\" gets that value as its Items, not an array of one; of an object it takes the members",
            at.state.name
        );
        let help = match node.as_str().and_then(inner) {
            Some(text) if text.len() < 60 && gives_single(text).is_some() => {
                format!("write it in brackets: {{% [{text}] %}}")
            }
            _ => "write the expression in brackets: {% [ … ] %}".to_string(),
        };
        let mut diagnostic = self
            .found(SINGLE_ITEM, message)
            .at(node.span, location)
            .help(help);
        if let Some(read) = read {
            diagnostic = diagnostic.related(read, "here they are the Items");
        }
        self.add(diagnostic);
    }

    /// What gives a single value as the member of this name in the Output of each state whose output a state gets.
    fn outputs(&self, at: StateAt<'d>, name: &str, flow: &Flow<'d>) -> Vec<Single<'d>> {
        let mut found = Vec::new();
        let mut seen: HashSet<StateId> = HashSet::from([at.id]);
        let mut waiting = vec![at.id];
        while let Some(id) = waiting.pop() {
            // The first state of a branch gets what its Parallel gets.
            waiting.extend(self.branches_of(id));
            for earlier in flow.before(id) {
                let place = self.places.get(earlier);
                let Some(one) = place.and_then(|place| self.states.get(*place)) else {
                    continue;
                };
                if seen.len() > FAR || !seen.insert(*earlier) || !one.is_jsonata() {
                    continue;
                }
                match one.get("Output") {
                    Some(output) => found.extend(single_member(*one, output, name)),
                    None if one.state.kind.passes_input() => waiting.push(*earlier),
                    None => {}
                }
            }
        }
        found
    }

    /// The Parallel whose input a state gets as the first of a branch.
    fn branches_of(&self, id: StateId) -> Option<StateId> {
        let scope = self
            .definition
            .scope(self.definition.state(id)?.scope)
            .filter(|scope| scope.start_at.as_ref().and_then(|start| start.state) == Some(id))?;
        let owner = self.states.get(*self.places.get(&scope.owner?)?)?;
        let passes = owner.kind() == Some("Parallel") && owner.get("Arguments").is_none();
        passes.then_some(owner.id)
    }
}

/// What gives a single value, in which text, and where that stands.
type Single<'d> = (&'static str, &'d Node, String);

/// Whether a member of an Output may be a single value: one that is written, or one of an object that an expression makes.
fn single_member<'d>(one: StateAt<'d>, output: &'d Node, name: &str) -> Option<Single<'d>> {
    if let Some(member) = output.get(name) {
        let what = gives_single(member.as_str().and_then(inner)?)?;
        return Some((what, member, one.at(&format!("Output/{name}"))));
    }
    let what = member_gives_single(output.as_str().and_then(inner)?, name)?;
    Some((what, output, one.at("Output")))
}

/// The first name of a path of plain names: what stands behind it is read of each item, and of a single one once.
fn first_name(path: &str) -> Option<&str> {
    let mut names = path.split('.');
    let first = names.next()?;
    (is_name(&first) && names.all(|name| is_name(&name))).then_some(first)
}

fn is_name(text: &&str) -> bool {
    let mut letters = text.chars();
    let first = letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_');
    first && letters.all(|c| c.is_alphanumeric() || c == '_')
}
