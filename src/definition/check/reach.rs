//! The transitions of a definition, and checks of the paths through a list of states: missing ends, states that never
//! lead to an end, and unreachable states. For an unreachable state, the mistake that makes it unreachable is found.

use super::facts::{HashMap, HashSet, ScopeAt};
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::lower::{MISSING, is_filled_later, is_opaque, misspelt, opening};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{StateId, StateKind, Target, reach};
use crate::source::{Node, Span, nearest};
use std::collections::BTreeMap;

lint_rules! {
    UNREACHABLE = 8, "unreachable", "MISSING_TRANSITION_TARGET", Severities::ERROR, "a state cannot be reached" {
        BEHIND_LOOP = Severities::REFUSED_BY_AWS, "if the state follows an endless loop in a program of the SFN DSL (a .sfn file)";
    };
    NO_END = 9, "no-end", "MISSING_END_STATE", Severities::ERROR, "a States object has no End, Succeed or Fail";
    ENDLESS = 10, "endless", "ENDLESS_LOOP", Severities::WARNING, "no path from a state leads to an end";
    NESTING = 76, "nesting", "TOO_DEEPLY_NESTED", Severities::WARNING,
        "Maps and Parallels are nested deeper than AWS is known to accept";
}

/// Nesting depth of Maps and Parallels that AWS certainly accepts; AWS does not document its limit.
const NESTED: usize = 10;

impl<'d> Checker<'d> {
    /// Reports each scope (list of states) at which the nesting of Maps and Parallels becomes too deep.
    pub(super) fn nesting(&mut self, at: ScopeAt<'_>) {
        let owner = at
            .scope
            .owner
            .and_then(|owner| self.definition.state(owner));
        let depth = owner.map_or(0, |owner| 1 + self.definition.outer(owner.scope).len());
        if depth == NESTED + 1 {
            let message = format!("these states are inside {depth} nested Maps and Parallels");
            let help = "AWS refuses a definition that is nested too deeply: move the inner part to a separate state machine";
            let place = (opening(at.node), &*at.scope.location);
            self.report(NESTING, message, place, help);
        }
    }

    pub(super) fn reach(&mut self, at: ScopeAt<'_>, flow: &Flow<'d>) {
        let Some(start) = &at.scope.start_at else {
            return;
        };
        if at.node.get("States").is_none_or(is_filled_later) {
            return;
        }
        let states = self.states_of(at.scope);
        let ends = |state: &StateAt<'_>| state.kind().is_some() && state.state.is_terminal();
        if !states.iter().any(ends) {
            // A state without a valid type, or with a misspelt End, may be the intended end.
            let slips = states.iter().copied();
            let mut slip = slips.filter_map(|slip| no_type(slip).or_else(|| no_end(slip)));
            let place = (opening(at.node), &*at.scope.location);
            let help = "end the workflow with End: true, a Succeed or a Fail";
            self.report(NO_END, "Workflow has no terminal state", place, help);
            self.following(slip.next());
            return;
        }
        let reached: HashSet<StateId> = reach(start.state, |id| self.next(id));
        // If the next state is a placeholder, or a state has no valid type, it is not known which states follow.
        let is_unknown = |state: &StateAt<'_>| {
            let mut targets = state.state.targets();
            state.kind().is_none() || targets.any(|target| is_opaque(&target.name))
        };
        let reaches = |state: &&StateAt<'_>| reached.contains(&state.id);
        if !states.iter().filter(reaches).any(is_unknown)
            && !states.iter().all(|state| reaches(&state))
        {
            let misled = self.misled(at, &reached);
            for state in states.iter().filter(|state| !reaches(state)) {
                let message = format!(
                    "State \"{name}\" is not reachable.",
                    name = state.state.name
                );
                let help = "no Next, Default or Catch leads to this state";
                self.report(UNREACHABLE, message, state.name(), help);
                self.following(misled.get(&state.id).copied());
            }
        }
        self.endless(&states, &reached, flow);
    }

    /// Reports states from which no end can be reached.
    fn endless(&mut self, states: &[StateAt<'_>], reached: &HashSet<StateId>, flow: &Flow<'d>) {
        // A transition to a state that does not exist is reported by another check. Here, the transition counts as an
        // exit.
        let exits = states.iter().filter(|at| {
            let nowhere = at.state.targets().next().is_none();
            let unknown = at.state.targets().any(|target| target.state.is_none());
            nowhere || unknown || at.kind().is_none() || at.state.is_terminal()
        });
        let exits = exits.map(|at| at.id);
        let leaving: HashSet<StateId> = reach(exits, |id| flow.before(id).iter().copied());
        let mut states = states.iter();
        let trapped = states.find(|at| reached.contains(&at.id) && !leaving.contains(&at.id));
        if let Some(at) = trapped {
            let message = format!(
                "no path from \"{state}\" leads to an end",
                state = at.state.name
            );
            let help = "give the loop a way out, such as a Choice";
            self.report(ENDLESS, message, at.name(), help);
        }
    }
}

/// Span of the diagnostic about a missing or invalid type; `None` if the type of the state is valid.
fn no_type(at: StateAt<'_>) -> Option<Span> {
    match (at.kind(), at.get("Type")) {
        (Some(_), _) => None,
        (None, Some(value)) => Some(value.span),
        (None, None) => Some(misspelt(at.node, &["Type"]).map_or(opening(at.node), |slip| slip.0)),
    }
}

/// Span of the diagnostic about a state whose End is misspelt; `None` for any other state.
fn no_end(at: StateAt<'_>) -> Option<Span> {
    misspelt(at.node, &["End"])
        .filter(|_| at.get("Next").is_none() && at.get("End").is_none())
        .map(|slip| slip.0)
}

/// The fields that determine the next state.
const LEADING: [&str; 4] = ["Next", "End", "Choices", "Default"];

impl Checker<'_> {
    /// For each unreachable state that a mistake in `StartAt` or in another state makes unreachable: the span of the
    /// diagnostic about this mistake.
    fn misled(&self, at: ScopeAt<'_>, reached: &HashSet<StateId>) -> HashMap<StateId, Span> {
        let states = self.states_of(at.scope).into_iter();
        let names = states.map(|state| (&*state.state.name, state.id));
        let mut search = Search {
            names: names.collect(),
            asked: 0,
            led: HashMap::default(),
            blind: None,
        };
        let mut seen = reached.clone();
        let mut waiting: Vec<StateId> = reached.iter().copied().collect();
        waiting.sort_unstable_by_key(|id| std::cmp::Reverse(id.0));
        if let Some(start) = &at.scope.start_at {
            let begun = search.follow(start);
            self.lead(begun, &mut seen, &mut waiting, &mut search);
        }
        while let Some(id) = waiting.pop() {
            let Some(state) = self.state_at(id) else {
                continue;
            };
            for target in state.state.targets() {
                let followed = search.follow(target);
                self.lead(followed, &mut seen, &mut waiting, &mut search);
            }
            let slip = misspelt(state.node, &LEADING);
            for (place, name) in slip.iter().flat_map(|(place, value)| {
                let names = named_by(value).into_iter();
                names.map(move |name| (*place, name))
            }) {
                let followed = search.names.get(name).map(|id| (place, *id));
                self.lead(followed, &mut seen, &mut waiting, &mut search);
            }
            // The successors of a state without a valid type are not known.
            if let Some(place) = no_type(state) {
                search.blind.get_or_insert(place);
            }
            if leads_nowhere(state) && slip.is_none_or(|(_, value)| named_by(value).is_empty()) {
                let place = slip.map_or_else(|| opening(state.node), |slip| slip.0);
                search.blind.get_or_insert(place);
            }
        }
        let Search { mut led, blind, .. } = search;
        if let Some(blind) = blind {
            for at in self.states_of(at.scope) {
                if !seen.contains(&at.id) {
                    led.insert(at.id, blind);
                }
            }
        }
        led
    }

    /// Records the states that would be reachable without a mistake. `followed` is the span of the mistake, and the
    /// state to which the transition was meant to lead; this state and its successors are recorded. Does nothing if
    /// `followed` is `None`.
    fn lead(
        &self,
        followed: Option<(Span, StateId)>,
        seen: &mut HashSet<StateId>,
        waiting: &mut Vec<StateId>,
        search: &mut Search<'_>,
    ) {
        let Some((place, first)) = followed else {
            return;
        };
        let mut new = vec![first];
        while let Some(id) = new.pop() {
            if seen.insert(id) {
                search.led.insert(id, place);
                waiting.push(id);
                new.extend(self.next(id));
            }
        }
    }
}

struct Search<'n> {
    names: BTreeMap<&'n str, StateId>,
    /// Number of searches so far for a state name that is similar to a name that no state has.
    asked: usize,
    led: HashMap<StateId, Span>,
    /// Span of the first mistake from which the intended state cannot be guessed.
    blind: Option<Span>,
}

impl Search<'_> {
    /// The state that is probably meant by the target, if the target does not exist, with the span of the target.
    /// `None` if the target exists, or if no similar state name is found.
    fn follow(&mut self, target: &Target) -> Option<(Span, StateId)> {
        if target.state.is_some() {
            return None;
        }
        self.asked += 1;
        let known = self.names.keys().copied().filter(|_| self.asked <= MISSING);
        let near = nearest(&target.name, known);
        let id = near.and_then(|name| self.names.get(name)).copied();
        if id.is_none() {
            self.blind.get_or_insert(target.span);
        }
        id.map(|id| (target.span, id))
    }
}

/// The state names in the value of a field that determines the next state: the text itself, or the Next of each rule.
fn named_by(value: &Node) -> Vec<&str> {
    let rules = value.items().unwrap_or_default().iter();
    let next = rules.filter_map(|rule| rule.get("Next")?.as_str());
    value.as_str().into_iter().chain(next).collect()
}

/// True if a state has no next state although it needs one.
fn leads_nowhere(at: StateAt<'_>) -> bool {
    let named = at.state.targets().next().is_some();
    let ends = at.state.is_terminal() || at.get("End").is_some();
    let has_rules = matches!(at.state.kind, StateKind::Choice(_)) && at.get("Choices").is_some();
    at.kind().is_some() && !named && !ends && !has_rules
}

/// Maximum number of states that a search along transitions examines. The limit keeps searches short in definitions of
/// many thousands of states. States farther apart are assumed to have nothing to do with each other.
pub(super) const FAR: usize = 200;

/// The transitions and assignments of a definition.
pub(super) struct Flow<'d> {
    /// The predecessors of each state, in the order of the text.
    before: HashMap<StateId, Vec<StateId>>,
    /// Every variable that a state assigns.
    assigned: HashSet<&'d str>,
}

impl<'d> Flow<'d> {
    pub(super) fn of(states: &[StateAt<'d>]) -> Self {
        let mut flow = Self {
            before: HashMap::default(),
            assigned: HashSet::default(),
        };
        for at in states {
            for target in at.state.targets().filter_map(|target| target.state) {
                flow.before.entry(target).or_default().push(at.id);
            }
            for assign in assigns(*at) {
                let members = assign.node.members().unwrap_or_default().iter();
                let names = members.map(|member| assigned_name(&member.key.text));
                flow.assigned.extend(names);
            }
        }
        flow
    }

    /// The predecessors of a state.
    pub(super) fn before(&self, id: StateId) -> &[StateId] {
        self.before.get(&id).map_or(&[], Vec::as_slice)
    }

    /// True if a text is a variable that some state assigns, or a path into one: `$total`, `$order.lines[0].sku`.
    pub(super) fn is_variable(&self, text: &str) -> bool {
        let whole = text.strip_prefix('$').unwrap_or_default();
        let end = whole.find(['.', '[']).unwrap_or(whole.len());
        let (name, path) = whole.split_at(end);
        let plain = |letter: char| letter.is_alphanumeric() || "_.[]".contains(letter);
        self.assigned.contains(name) && path.chars().all(plain) && !path.ends_with('.')
    }

    /// True if some state assigns the variable.
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        self.assigned.contains(name)
    }
}

/// The Assign objects of a state, of its rules and of its catchers.
pub(super) fn assigns(at: StateAt<'_>) -> Vec<Located<'_>> {
    let inner = ["Choices", "Catch"]
        .into_iter()
        .flat_map(|field| at.entries(field));
    let owners = std::iter::once(at.object()).chain(inner);
    owners.filter_map(|owner| owner.get("Assign")).collect()
}

/// The name of the variable that a member of an Assign object sets.
pub(super) fn assigned_name(written: &str) -> &str {
    written.strip_suffix(".$").unwrap_or(written)
}
