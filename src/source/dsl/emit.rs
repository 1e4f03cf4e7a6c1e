//! Links the states of a program to their successors, checks the links, and emits the syntax tree of a definition. Each
//! node has a source range in the program. States that the compiler generated can be recognized in the tree.

use super::ast::{
    Block, Catch, Choice, MAX_FINDINGS, Machine, State, StatementKind, array, brief, error,
    from_to, made, member, node, object,
};
use crate::json::Text;
use crate::source::{
    Diagnostic, Diagnostics, Member, Node, NodeKind, Severity, Span, did_you_mean,
};
use std::collections::{HashMap, HashSet, VecDeque};

/// Returns the tree of the definition that a program describes.
pub(super) fn emit(machine: &Machine) -> Node {
    let mut members = machine.fields.clone();
    let first = machine.states.first();
    let place = first.map_or(machine.span, |state| state.head);
    members.extend(level(&machine.states, place, machine.span));
    object(members, machine.span)
}

/// The members `StartAt` and `States` for the states of a machine, a branch or an iterator.
fn level(states: &[State], head: Span, span: Span) -> Vec<Member> {
    let linked = link(states);
    let (name, place) = linked.first().map_or((Text::from(""), head), |first| {
        (first.name.clone(), first.role.state().head)
    });
    let states = linked.iter().map(state).collect();
    vec![
        member("StartAt", head, made(&name, place)),
        member("States", head, object(states, span)),
    ]
}

/// The object for a branch or an iterator.
fn machine(block: &Block, head: Span) -> Node {
    let members = level(&block.states, head, block.span);
    object(members, from_to(head, block.span))
}

/// A state as a member of `States`. A generated state has the source range of the written state that it belongs to.
fn state(linked: &Linked<'_>) -> Member {
    let state = linked.role.state();
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
    member(linked.name.clone(), state.head, object(members, state.span))
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
            let list = branches.iter();
            let list = list
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
            members.push(member("Next", head, made(label, *place)));
        }
        _ => members.extend(follow(head, next)),
    }
    members
}

/// The member `Next` if there is a next state, otherwise the member `End`.
fn follow(head: Span, next: Option<&Text>) -> Option<Member> {
    Some(match next {
        Some(next) => member("Next", head, made(next, head)),
        None => member("End", head, node(NodeKind::Bool(true), head)),
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

/// The member `Next` with the name of a block's first state; `None` if the block is empty.
fn first(block: &Block, head: Span) -> Option<Member> {
    let state = block.states.first()?;
    Some(member("Next", head, made(&state.name, head)))
}

fn choices(state: &State, choice: &Choice, next: Option<&Text>) -> Vec<Member> {
    let rules = choice.clauses.iter().map(|clause| {
        let mut members = clause.rule.clone();
        members.extend(first(&clause.block, clause.head));
        object(members, clause.head)
    });
    let (place, target) = match &choice.otherwise {
        Some((word, block)) => (*word, block.states.first().map(|state| state.name.clone())),
        None => (state.head, next.cloned()),
    };
    let target = target.unwrap_or_else(|| default_name(state));
    vec![
        member("Choices", state.head, array(rules.collect(), state.span)),
        member("Default", place, made(&target, place)),
    ]
}

/// A state with its name and successor.
struct Linked<'m> {
    pub name: Text,
    /// The role of the state: written in the program, or generated.
    pub role: Role<'m>,
    /// Name of the next state; `None` if no state follows.
    pub next: Option<Text>,
}

/// The role of a linked state: written in the program, or generated for a state of the program.
#[derive(Clone, Copy)]
enum Role<'m> {
    /// A state written in the source.
    Written(&'m State),
    /// A generated state that leads from the end of a `while` back to its condition.
    Loop(&'m State),
    /// A generated state that is entered if no rule of a Choice matches and no state follows the Choice.
    Default(&'m State),
}

impl<'m> Role<'m> {
    /// The state in the program: the written state itself, or the state for which this state was generated.
    pub fn state(self) -> &'m State {
        match self {
            Self::Written(state) | Self::Loop(state) | Self::Default(state) => state,
        }
    }

    fn written(self) -> Option<&'m State> {
        match self {
            Self::Written(state) => Some(state),
            Self::Loop(_) | Self::Default(_) => None,
        }
    }
}

/// Returns the states of a machine, branch or iterator in order, each with its next state. States in the blocks of an
/// `if` or a `catch`, for example, are included.
fn link(states: &[State]) -> Vec<Linked<'_>> {
    let mut out = Vec::new();
    link_block(states, None, &mut out);
    out
}

/// Name of the generated state that is entered if no rule matches.
fn default_name(state: &State) -> Text {
    format!("{}Default", state.name).into()
}

fn link_block<'m>(states: &'m [State], end: Option<&Text>, out: &mut Vec<Linked<'m>>) {
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
            link_block(&catch.block.states, next, out);
        }
        if let Some(choice) = choice {
            link_choices(state, choice, next, out);
        }
    }
}

/// Links the states in the blocks of a Choice.
fn link_choices<'m>(
    state: &'m State,
    choice: &'m Choice,
    next: Option<&Text>,
    out: &mut Vec<Linked<'m>>,
) {
    for clause in &choice.clauses {
        let states = &clause.block.states;
        if choice.again && !ends(states) {
            let name: Text = format!("{}Loop", state.name).into();
            link_block(states, Some(&name), out);
            out.push(Linked {
                name,
                role: Role::Loop(state),
                next: Some(state.name.clone()),
            });
        } else {
            link_block(states, next, out);
        }
    }
    if let Some((_, otherwise)) = &choice.otherwise {
        link_block(&otherwise.states, next, out);
    }
}

/// True if the last state of a block is a `Succeed` or `Fail` state.
fn ends(states: &[State]) -> bool {
    let last = states.last();
    last.is_some_and(|state| matches!(state.kind, StatementKind::Terminal(_)))
}

/// Maximum length of a state name in characters.
const NAME: usize = 128;

/// If a machine, branch or iterator has more state names than this, no similar name is suggested for a missing one.
const SIMILAR: usize = 2000;

/// Maximum number of missing targets that get a suggestion.
const HELPED: usize = 50;

/// Checks the state names and the `goto` targets in the machine and in each branch and iterator.
pub(super) fn check(machine: &Machine, diagnostics: &mut Diagnostics) {
    let errors = diagnostics
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let mut report = Report {
        places: errors.filter_map(|error| Some(error.span?.start)).collect(),
        count: 0,
        diagnostics,
    };
    let mut levels: VecDeque<&[State]> = VecDeque::from([&*machine.states]);
    let mut jumps = Vec::new();
    let mut everywhere: HashMap<Text, Span> = HashMap::new();
    while let Some(level) = levels.pop_front() {
        let linked = link(level);
        let names = names(&linked, &mut report);
        for state in linked.iter().filter_map(|state| state.role.written()) {
            levels.extend(nested(state));
            jumps.extend(lost(state, &names, jumps.len() < HELPED));
        }
        everywhere.extend(names);
    }
    if machine.lost {
        return;
    }
    for (label, mut wrong) in jumps {
        if let Some(elsewhere) = everywhere.get(label) {
            wrong = wrong
                .related(*elsewhere, "the state with this name is in another branch")
                .help(
                    "a goto can lead only to states of its own branch, iterator or outermost level",
                );
        }
        report.add(wrong);
    }
}

/// For a `goto` to a state that is not in the same machine, branch or iterator: its label and the error. `None` for any
/// other state.
fn lost<'m>(
    state: &'m State,
    names: &HashMap<Text, Span>,
    help: bool,
) -> Option<(&'m Text, Diagnostic)> {
    let StatementKind::Goto(label, place) = &state.kind else {
        return None;
    };
    if names.contains_key(label) {
        return None;
    }
    let text = format!(
        "there is no state \"{name}\" that the goto can lead to",
        name = brief(label)
    );
    let mut wrong = error(*place, text);
    if help && label.len() > 2 && names.len() <= SIMILAR {
        let mut known: Vec<&str> = names.keys().map(|name| &**name).collect();
        known.sort_unstable();
        wrong.help = did_you_mean(label, known);
    }
    Some((label, wrong))
}

/// Collects diagnostics, at most one for each place.
struct Report<'f> {
    places: HashSet<u32>,
    count: usize,
    diagnostics: &'f mut Diagnostics,
}

impl Report<'_> {
    /// Adds a diagnostic unless there is already one for its place or the limit is reached.
    fn add(&mut self, new: Diagnostic) {
        let place = new.span.map_or(0, |span| span.start);
        if self.count < MAX_FINDINGS && self.places.insert(place) {
            self.count += 1;
            self.diagnostics.push(new);
        }
    }
}

/// The states of each branch of a `parallel`, or of the iterator of a `map`.
fn nested(state: &State) -> Vec<&[State]> {
    match &state.kind {
        StatementKind::Parallel(branches) => {
            let branches = branches.iter();
            branches.map(|branch| &*branch.block.states).collect()
        }
        StatementKind::Map(iterator) => vec![&*iterator.block.states],
        _ => Vec::new(),
    }
}

/// The names of the linked states, each with the range of its first occurrence. Reports names that are repeated or too
/// long.
fn names(linked: &[Linked<'_>], report: &mut Report<'_>) -> HashMap<Text, Span> {
    let mut names: HashMap<Text, Span> = HashMap::new();
    for state in linked {
        let place = state.role.state().head;
        if state.name.chars().count() > NAME {
            report.add(too_long(state, place));
        }
        let Some(first) = names.get(&state.name).copied() else {
            names.insert(state.name.clone(), place);
            continue;
        };
        let text = format!("two states are named \"{name}\"", name = brief(&state.name));
        let clash = error(place, text).related(first, "the other state with this name");
        report.add(clash.help("name one of the states with a docstring below its first line"));
    }
    names
}

fn too_long(state: &Linked<'_>, place: Span) -> Diagnostic {
    let name = match state.role {
        Role::Written(_) => "the name of this state",
        Role::Loop(_) => "the name of this state with \"Loop\" appended",
        Role::Default(_) => "the name of this state with \"Default\" appended",
    };
    error(place, format!("{name} has more than {NAME} characters"))
        .help("shorten the first line of the state's docstring")
}

/// The reason why a state was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedKind {
    /// The jump from the end of a `while` back to its condition: "loop back".
    Loop,
    /// The state that is entered if no rule of a Choice matches and no state follows the Choice: "no branch taken".
    Default,
    /// A `goto`, which becomes a Pass state that leads to the target.
    Goto,
}

impl GeneratedKind {
    /// Describes the state in two or three words.
    #[must_use]
    pub fn caption(self) -> &'static str {
        match self {
            Self::Loop => "loop back",
            Self::Default => "no branch taken",
            Self::Goto => "goto",
        }
    }
}

/// A state of a compiled definition that the program does not contain as a state: the compiler added it, or it was made
/// from a `goto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Slash path in the definition: `/States/P/Branches[1]/States/XLoop`.
    pub location: String,
    /// Name of the state.
    pub name: Text,
    /// The reason why the state was generated.
    pub kind: GeneratedKind,
    /// Range of the source line that the state belongs to: the line of the `while`, the Choice or the `goto`.
    pub span: Span,
}

/// True if the tree was compiled from a DSL program. In no other tree do the names `StartAt` and `States` have the same
/// span.
#[must_use]
pub fn is_compiled(root: &Node) -> bool {
    let place = |name| root.member(name).map(|member| member.key.span);
    place("StartAt").is_some() && place("StartAt") == place("States")
}

/// The generated states of a compiled program; empty for any other tree.
#[must_use]
pub fn generated(root: &Node) -> Vec<Generated> {
    let mut generated_states = Vec::new();
    if !is_compiled(root) {
        return generated_states;
    }
    let mut levels = vec![(root, String::new())];
    while let Some((level, location)) = levels.pop() {
        let states = level.get("States").and_then(Node::members).unwrap_or(&[]);
        let mut choices: HashMap<&str, Span> = HashMap::new();
        for member in states {
            let (name, state) = (&member.key.text, &member.value);
            let state_location = format!("{location}/States/{name}");
            if state.get("Type").and_then(Node::as_str) == Some("Choice") {
                choices.insert(name, state.span);
            }
            if let Some(kind) = kind(name, state, member.key.span, &choices) {
                generated_states.push(Generated {
                    location: state_location.clone(),
                    name: name.clone(),
                    kind,
                    span: member.key.span,
                });
            }
            levels.extend(inner(state, &state_location));
        }
    }
    generated_states
}

/// The branches or the iterator inside a state, as objects with `States`, each with its location.
fn inner<'n>(state: &'n Node, location: &str) -> Vec<(&'n Node, String)> {
    let branches = state.get("Branches").and_then(Node::items).unwrap_or(&[]);
    let branches = branches.iter().enumerate();
    let branches =
        branches.map(|(index, branch)| (branch, format!("{location}/Branches[{index}]")));
    let iterator = state.get("Iterator");
    let iterator = iterator.map(|inner| (inner, format!("{location}/Iterator")));
    branches.chain(iterator).collect()
}

/// The reason why a state was generated; `None` if the author wrote the state. The spans show this: a state that was
/// generated for a Choice has the span of the Choice. A state that was generated for a `goto` has the span of its
/// `Next` within its first line.
fn kind(
    name: &str,
    state: &Node,
    head: Span,
    choices: &HashMap<&str, Span>,
) -> Option<GeneratedKind> {
    let shares = |ending: &str| {
        let choice = name.strip_suffix(ending)?;
        (choices.get(choice) == Some(&state.span)).then_some(())
    };
    let next = state.get("Next").map(|next| next.span);
    match state.get("Type").and_then(Node::as_str)? {
        "Pass" if shares("Loop").is_some() => Some(GeneratedKind::Loop),
        "Succeed" if shares("Default").is_some() => Some(GeneratedKind::Default),
        "Pass" if next.is_some_and(|next| head.start < next.start && next.end <= head.end) => {
            Some(GeneratedKind::Goto)
        }
        _ => None,
    }
}
