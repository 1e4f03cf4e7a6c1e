//! Lowers the tree with source ranges to typed states: parses every field, compiles every path and template, and
//! resolves every transition.

mod choice;
mod error;
mod fields;
mod map;
mod path;
pub(in crate::definition) mod rules;
mod state;
#[cfg(test)]
#[expect(clippy::expect_used, reason = "tests")]
mod tests;

use self::state::StateReader;
use super::field::FieldSpec;
use super::rule::LintRule;
use super::{
    Definition, MachineType, QueryLanguage, Scope, ScopeId, State, StateId, StateKind, StatePath,
    Target, Transition,
};
use crate::json::Text;
use crate::source::dsl::{GeneratedKind, generated};
use crate::source::{Diagnostics, Member, Node, SourceMap, Span, did_you_mean, nearest};
use rules::{
    REQUIRED, SCOPE, START_AT, START_AT_PLACEHOLDER, STATES, STATES_PLACEHOLDER, TARGET,
    TARGET_PLACEHOLDER, VALUE,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The rules that are checked while a definition is parsed.
pub(super) const RULES: &[&[LintRule]] = &[rules::RULES];

/// Lowers as much of a definition as possible, and continues after every error.
#[must_use]
pub fn lower(node: Arc<Node>, sources: Arc<SourceMap>, name: &str) -> (Definition, Diagnostics) {
    let mut lowering = Lowering::new(&node, &sources);
    lowering.machine();
    let Lowering {
        states,
        scopes,
        found,
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
    (definition, found)
}

/// The valid types, in the order in which AWS lists them if `Type` is invalid.
pub(super) const TYPES: &str = "[Task, Wait, Pass, Succeed, Fail, Choice, Parallel, Map]";

/// Maximum number of unknown names for which a similar one is searched.
pub(super) const MISSING: usize = 20;

/// True if a text contains a `${...}` that is filled in later, so that nothing is known about it yet.
pub(super) fn is_opaque(text: &str) -> bool {
    text.split_once("${")
        .is_some_and(|(_, rest)| rest.contains('}'))
}

/// True if a value is a template function (`Ref`, `Fn::GetAtt`), which stands for text.
pub(super) fn is_reference(node: &Node) -> bool {
    matches!(node.members(), Some([only]) if &*only.key.text == "Ref" || only.key.text.starts_with("Fn::"))
}

/// True if the value is filled in later: a text with a placeholder, or a template function.
pub(super) fn is_filled_later(node: &Node) -> bool {
    is_reference(node) || node.as_str().is_some_and(is_opaque)
}

/// True if a text is a JSONata expression.
pub(super) fn is_jsonata(text: &str) -> bool {
    text.len() >= 4 && text.starts_with("{%") && text.ends_with("%}")
}

pub(super) fn text_of(node: &Node, name: &str) -> Option<Text> {
    node.get(name)
        .and_then(Node::string)
        .map(|string| string.text.clone())
}

/// Maximum number of members that are compared with each other instead of using a map.
const FEW: usize = 12;

/// The members of an object in the order of the text. Of members with the same name, only the last one is included.
pub(super) fn last_members(node: &Node) -> Vec<&Member> {
    let members = node.members().unwrap_or_default();
    if members.len() <= FEW {
        // Comparing a few names is faster than building a map.
        let mut rest = members;
        let mut last = Vec::with_capacity(members.len());
        while let Some((member, after)) = rest.split_first() {
            if after.iter().all(|other| other.key.text != member.key.text) {
                last.push(member);
            }
            rest = after;
        }
        return last;
    }
    let mut last: HashMap<&str, usize> = HashMap::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        last.insert(&member.key.text, index);
    }
    members
        .iter()
        .enumerate()
        .filter(|(index, member)| last.get(&*member.key.text) == Some(index))
        .map(|(_, member)| member)
        .collect()
}

/// The objects inside a state that contain scopes, each with its location relative to the state's.
pub(super) fn inner_scopes(state: &Node) -> Vec<(&Node, String)> {
    let branches = state.get("Branches").and_then(Node::items);
    let branches = branches.unwrap_or_default().iter().enumerate();
    let branches = branches.map(|(index, branch)| (branch, format!("Branches[{index}]")));
    let processors = ["ItemProcessor", "Iterator"].iter();
    let processors = processors.filter_map(|name| Some((state.get(name)?, name.to_string())));
    branches.chain(processors).collect()
}

/// The rules that are broken if no state has a name, and if the name is a placeholder.
type Naming = [LintRule; 2];
const START: Naming = [START_AT, START_AT_PLACEHOLDER];
/// For `Next` and `Default`.
const TRANSITION: Naming = [TARGET, TARGET_PLACEHOLDER];

/// A scope that has been found but not parsed yet.
pub(super) struct Pending<'n> {
    pub(super) id: ScopeId,
    pub(super) node: &'n Node,
    pub(super) prefix: String,
}

pub(super) struct Lowering<'n> {
    pub(super) root: &'n Node,
    pub(super) sources: &'n SourceMap,
    pub(super) language: QueryLanguage,
    /// The names of all states at any depth.
    pub(super) names: HashSet<&'n str>,
    pub(super) states: Vec<State>,
    pub(super) scopes: Vec<Scope>,
    pending: Vec<Pending<'n>>,
    missing: usize,
    /// The first place of each name that no state has.
    first_missing: HashMap<String, Span>,
    /// The states that the DSL compiler generated, by location.
    generated: HashMap<String, GeneratedKind>,
    pub(super) found: Diagnostics,
}

impl<'n> Lowering<'n> {
    pub(super) fn new(root: &'n Node, sources: &'n SourceMap) -> Self {
        Self {
            root,
            sources,
            language: match root.get("QueryLanguage").and_then(Node::as_str) {
                None | Some("JSONPath") => QueryLanguage::JsonPath,
                Some(_) => QueryLanguage::Jsonata,
            },
            names: all_names(root),
            states: Vec::new(),
            scopes: Vec::new(),
            pending: Vec::new(),
            missing: 0,
            first_missing: HashMap::new(),
            generated: (generated(root).into_iter())
                .map(|one| (one.location, one.kind))
                .collect(),
            found: Vec::new(),
        }
    }

    /// Reserves an entry for a scope and adds it to the scopes that are still to be parsed.
    pub(super) fn scope(
        &mut self,
        node: &'n Node,
        owner: Option<StateId>,
        index: u32,
        location: String,
        prefix: String,
    ) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        self.scopes.push(Scope {
            owner,
            index,
            span: node.span,
            location: location.into(),
            comment: text_of(node, "Comment"),
            start_at: None,
            states: Vec::new(),
        });
        self.pending.push(Pending { id, node, prefix });
        id
    }

    /// Parses the name of a state and finds the state in the scope.
    pub(super) fn target(
        &mut self,
        value: &Node,
        names: &HashMap<&'n str, StateId>,
        location: &str,
        naming: Naming,
    ) -> Option<Target> {
        let Some(name) = value.string().map(|string| string.text.clone()) else {
            let message = "Expected value of type String";
            let help = "it names a state of the same States object";
            self.blocking(VALUE, message, (value.span, location), help);
            return None;
        };
        let state = names.get(&*name).copied();
        if state.is_none() {
            self.missing_target(value, &name, names, location, naming);
        }
        Some(Target {
            name,
            state,
            span: value.span,
        })
    }

    /// Reports an error because of which the definition cannot be run.
    fn blocking(
        &mut self,
        rule: LintRule,
        message: impl Into<String>,
        (span, location): (Span, &str),
        help: &str,
    ) {
        let diagnostic = rule.found_reading(message).at(span, location);
        self.found.push(diagnostic.help(help).blocking());
    }

    fn missing_target(
        &mut self,
        value: &Node,
        name: &str,
        names: &HashMap<&'n str, StateId>,
        location: &str,
        [missing, placeholder]: Naming,
    ) {
        if is_opaque(name) {
            let message = format!("the target {name} is a placeholder");
            let help = "give the placeholder a value to go on from here";
            return self.blocking(placeholder, message, (value.span, location), help);
        }
        let elsewhere = self.names.contains(name);
        let rule = if elsewhere { SCOPE } else { missing };
        let mut diagnostic = rule
            .found_reading(format!("Missing 'Next' target: {name}"))
            .at(value.span, location)
            .blocking()
            .following(self.first_missing.get(name).copied());
        self.first_missing
            .entry(name.to_string())
            .or_insert(value.span);
        diagnostic.help = if elsewhere {
            Some("transitions stay inside one States object".to_string())
        } else {
            self.missing += 1;
            let mut known: Vec<&str> = Vec::new();
            if self.missing <= MISSING {
                known.extend(names.keys());
                known.sort_unstable();
            }
            did_you_mean(name, known)
                .or_else(|| Some("name a state of the same States object".to_string()))
        };
        self.found.push(diagnostic);
    }

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
            .help("States holds the states by name, StartAt names the first one");
        match owner {
            None => diagnostic.blocking = true,
            Some(owner) => {
                if let Some(state) = self.states.get_mut(owner.0 as usize) {
                    state.broken.get_or_insert_with(|| message.into());
                }
            }
        }
        self.found.push(diagnostic);
    }

    fn check_states(&mut self, states: &Node, location: &str, owner: Option<StateId>) {
        let at = format!("{location}/States");
        if is_filled_later(states) {
            let message = "the states are a placeholder";
            let mut diagnostic = STATES_PLACEHOLDER
                .found_reading(message)
                .at(states.span, at)
                .help("give the placeholder a value to run this");
            match owner.and_then(|owner| self.states.get_mut(owner.0 as usize)) {
                None => diagnostic.blocking = true,
                Some(state) => {
                    state.broken.get_or_insert_with(|| message.into());
                }
            }
            self.found.push(diagnostic);
            return;
        }
        let (message, help) = match states.members() {
            None => (
                "Expected value of type Object",
                "States is an object that holds the states by name",
            ),
            Some([]) => ("Value cannot be empty", "States needs at least one state"),
            Some(_) => return,
        };
        self.blocking(STATES, message, (states.span, &at), help);
    }
}

/// Span of the beginning of an object, so that a diagnostic does not mark all of it.
pub(super) fn opening(node: &Node) -> Span {
    node.span.opening()
}

/// The names of all states at any depth.
fn all_names(root: &Node) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut scopes = vec![root];
    while let Some(scope) = scopes.pop() {
        let states = scope.get("States").and_then(Node::members);
        for member in states.unwrap_or_default() {
            names.insert(&*member.key.text);
            let inner = inner_scopes(&member.value).into_iter();
            scopes.extend(inner.map(|(node, _)| node));
        }
    }
    names
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

/// An object that is being parsed, with the locations of its fields.
#[derive(Clone, Copy)]
pub(super) struct Object<'n, 'p> {
    pub(super) node: &'n Node,
    pub(super) location: &'p str,
}

impl<'n, 'p> Object<'n, 'p> {
    fn new(node: &'n Node, location: &'p str) -> Self {
        Self { node, location }
    }

    fn get(&self, name: &str) -> Option<&'n Node> {
        self.node.get(name)
    }

    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.location)
    }

    /// The name of the field that is present; the second one if neither is.
    fn first_of(&self, [first, second]: [&'static str; 2]) -> &'static str {
        match self.get(first) {
            Some(_) => first,
            None => second,
        }
    }
}

/// The first member that is not a known field but has a name similar to one in `wanted`. Returns its span and value.
pub(super) fn misspelt<'d>(node: &'d Node, wanted: &[&str]) -> Option<(Span, &'d Node)> {
    let members = node.members().unwrap_or_default().iter();
    let mut unknown = members.filter(|member| FieldSpec::of_state(&member.key.text).is_none());
    let found = unknown.find(|member| nearest(&member.key.text, wanted.iter().copied()).is_some());
    found.map(|member| (member.key.span, &member.value))
}
