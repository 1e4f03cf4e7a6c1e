//! Data shared while a definition is parsed: the states and scopes (lists of states) found so far, the state names, and
//! the objects being parsed. Also tests for texts whose value is filled in later.

use super::rules::{SCOPE, START_AT, START_AT_PLACEHOLDER, TARGET, TARGET_PLACEHOLDER, VALUE};
use crate::definition::field::FieldSpec;
use crate::definition::rule::LintRule;
use crate::definition::{QueryLanguage, Scope, ScopeId, State, StateId, Target};
use crate::json::Text;
use crate::source::dsl::{GeneratedKind, generated};
use crate::source::{Diagnostics, Member, Node, SourceMap, Span, did_you_mean, nearest};
use std::collections::{HashMap, HashSet};

/// The valid types, in the order in which AWS lists them if `Type` is invalid.
pub(in crate::definition) const TYPES: &str =
    "[Task, Wait, Pass, Succeed, Fail, Choice, Parallel, Map]";

/// Maximum number of names that no state has for which a similar state name is searched.
pub(in crate::definition) const MISSING: usize = 20;

/// True if a text contains a placeholder `${...}`. Deployment replaces the placeholder, so the final text is not known.
pub(in crate::definition) fn is_opaque(text: &str) -> bool {
    text.split_once("${")
        .is_some_and(|(_, rest)| rest.contains('}'))
}

/// True if a value is a function of a CloudFormation template (`Ref`, `Fn::GetAtt`), which stands for text.
pub(in crate::definition) fn is_reference(node: &Node) -> bool {
    matches!(node.members(), Some([only]) if &*only.key.text == "Ref" || only.key.text.starts_with("Fn::"))
}

/// True if the value is known only later: a text with a placeholder, or a template function.
pub(in crate::definition) fn is_filled_later(node: &Node) -> bool {
    is_reference(node) || node.as_str().is_some_and(is_opaque)
}

/// True if a text is a JSONata expression.
pub(in crate::definition) fn is_jsonata(text: &str) -> bool {
    text.len() >= 4 && text.starts_with("{%") && text.ends_with("%}")
}

pub(in crate::definition) fn text_of(node: &Node, name: &str) -> Option<Text> {
    node.get(name)
        .and_then(Node::string)
        .map(|string| string.text.clone())
}

/// Maximum number of members for which every name is compared with every other name. For more members, a map is built.
const FEW: usize = 12;

/// The members of an object, in the order of the text. If several members have the same name, only the last one.
pub(in crate::definition) fn last_members(node: &Node) -> Vec<&Member> {
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

/// The objects inside a state that contain further states: the branches and the item processor. Each comes with its
/// location relative to the state.
pub(in crate::definition) fn inner_scopes(state: &Node) -> Vec<(&Node, String)> {
    let branches = state.get("Branches").and_then(Node::items);
    let branches = branches.unwrap_or_default().iter().enumerate();
    let branches = branches.map(|(index, branch)| (branch, format!("Branches[{index}]")));
    let processors = ["ItemProcessor", "Iterator"].iter();
    let processors = processors.filter_map(|name| Some((state.get(name)?, name.to_string())));
    branches.chain(processors).collect()
}

/// Two lint rules for a field that names a state: the first is for a name that no state has, the second for a
/// placeholder instead of a name.
pub(super) type Naming = [LintRule; 2];
pub(super) const START: Naming = [START_AT, START_AT_PLACEHOLDER];
/// The rules for a bad state name in `Next` and `Default`.
pub(super) const TRANSITION: Naming = [TARGET, TARGET_PLACEHOLDER];

/// A scope (a list of states) that has been found but not parsed yet.
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
    pub(super) pending: Vec<Pending<'n>>,
    pub(super) missing: usize,
    /// Names in fields such as `Next` that no state has, each with the span at which it was first found.
    pub(super) first_missing: HashMap<String, Span>,
    /// The states that the DSL compiler generated, by location.
    pub(super) generated: HashMap<String, GeneratedKind>,
    pub(super) findings: Diagnostics,
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
                .map(|exception| (exception.location, exception.kind))
                .collect(),
            findings: Vec::new(),
        }
    }

    /// Adds a scope (a list of states), still without its states, to the definition, and to the scopes that are still
    /// to be parsed.
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

    /// Parses the state name in the field, and finds the state with this name in `names`. Reports a name that no state
    /// has.
    pub(super) fn target(
        &mut self,
        value: &Node,
        names: &HashMap<&'n str, StateId>,
        location: &str,
        naming: Naming,
    ) -> Option<Target> {
        let Some(name) = value.string().map(|string| string.text.clone()) else {
            let message = "Expected value of type String";
            let help = "the value must name a state of the same States object";
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

    /// Reports an error that prevents the definition from being run.
    pub(super) fn blocking(
        &mut self,
        rule: LintRule,
        message: impl Into<String>,
        (span, location): (Span, &str),
        help: &str,
    ) {
        let diagnostic = rule.found_reading(message).at(span, location);
        self.findings.push(diagnostic.help(help).blocking());
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
            let message = format!("the state name {name} is a placeholder");
            let help = "give the placeholder a value, so that a run can continue from here";
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
            Some("a transition must stay inside its States object".to_string())
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
        self.findings.push(diagnostic);
    }
}

/// Span of the beginning of an object, so that a diagnostic does not mark the whole object.
pub(in crate::definition) fn opening(node: &Node) -> Span {
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

/// An object that is being parsed, with the locations of its fields.
#[derive(Clone, Copy)]
pub(super) struct Object<'n, 'p> {
    pub(super) node: &'n Node,
    pub(super) location: &'p str,
}

impl<'n, 'p> Object<'n, 'p> {
    pub(super) fn new(node: &'n Node, location: &'p str) -> Self {
        Self { node, location }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.node.get(name)
    }

    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.location)
    }

    /// Of two field names, the one whose field is present in the object; the second if neither is.
    pub(super) fn first_of(&self, [first, second]: [&'static str; 2]) -> &'static str {
        match self.get(first) {
            Some(_) => first,
            None => second,
        }
    }
}

/// The first member whose name is similar to a name in `wanted`, but is not itself the name of a known field. Returns
/// the span of the member's name, and the member's value.
pub(in crate::definition) fn misspelt<'d>(
    node: &'d Node,
    wanted: &[&str],
) -> Option<(Span, &'d Node)> {
    let members = node.members().unwrap_or_default().iter();
    let mut unknown = members.filter(|member| FieldSpec::of_state(&member.key.text).is_none());
    let slip = unknown.find(|member| nearest(&member.key.text, wanted.iter().copied()).is_some());
    slip.map(|member| (member.key.span, &member.value))
}
