//! Checks for loops that, after their first iteration, only a failure can end: they never change the data that decides
//! whether the loop continues. Also checks for polling loops that fill the event history.

use super::facts::HashSet;
use super::reach::{Flow, assigned_name, assigns};
use super::shape::{members, names};
use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{
    CallPattern, Catcher, Comparator, Comparison, Integration, MachineType, PathField, ResultPath,
    Rule, StateId, StateKind, Target, Test, Transition, WaitUntil, reach,
};
use crate::json::Text;
use crate::query::jsonata::{self, Form, Made, Tree};
use crate::query::{Path, Root};
use crate::source::Node;

lint_rules! {
    NEVER_LEAVES = 89, "never-leaves", "NEVER_LEAVES", Severities::WARNING,
        "the Choice rule that ends a loop tests a value that nothing in the loop changes";
    FILLS_HISTORY = 108, "full-history", "FULL_HISTORY", Severities::INFO,
        "a polling loop has no counter, so the execution fails when its event history is full";
}

/// Maximum number of events in the history of an execution. An execution that reaches the limit fails.
const HISTORY: u64 = 25_000;

/// The data that an iteration of a loop may change.
#[derive(Default)]
struct Changes {
    /// True if an iteration may change the whole input of the states.
    everything: bool,
    /// The places in the input that an iteration changes, each as the member names that lead to it. Everything below
    /// such a place is changed, too.
    places: Vec<Vec<Text>>,
    variables: HashSet<Text>,
}

/// A value that a test reads.
enum Asked {
    /// A place in the state's input: the member names on the path to it. Without names, the whole input.
    Data(Vec<Text>),
    Variable(Text),
    /// A value that may differ each time the test reads it, such as the current time.
    Varying,
}

impl<'d> Checker<'d> {
    pub(super) fn loops(&mut self, flow: &Flow<'d>) {
        let rounds = self.rounds(flow);
        if rounds.is_empty() {
            return;
        }
        // The states from which a Fail state can be reached, and the states from which another end can be reached.
        let to_end = |fails: bool| {
            let ends = self.states.iter().filter(|at| at.state.is_terminal());
            let ends = ends.filter(|at| matches!(at.state.kind, StateKind::Fail(_)) == fails);
            reach(ends.map(|at| at.id), |id| flow.before(id).iter().copied())
        };
        let (failing, ending): (HashSet<_>, HashSet<_>) = (to_end(true), to_end(false));
        let only_fails = |id: StateId| failing.contains(&id) && !ending.contains(&id);
        for round in rounds {
            self.unleft(&round, &only_fails);
            self.fills(&round);
        }
    }

    /// The loops of the definition. A loop is a group of states, each of which can be reached from each of the others.
    fn rounds(&self, flow: &Flow<'d>) -> Vec<Vec<StateId>> {
        // Kosaraju's algorithm: takes the states in the reverse of the order in which a depth-first search finishes
        // them. The loop of a state consists of all states from which this state can be reached and that are in no
        // earlier loop.
        let mut taken: HashSet<StateId> = HashSet::default();
        let mut rounds = Vec::new();
        for last in self.finished().into_iter().rev() {
            let mut round = Vec::new();
            let mut waiting = vec![last];
            while let Some(id) = waiting.pop() {
                if taken.insert(id) {
                    round.push(id);
                    waiting.extend(flow.before(id));
                }
            }
            if round.len() > 1 || self.next(last).any(|next| next == last) {
                rounds.push(round);
            }
        }
        rounds
    }

    /// All states, in the order in which a depth-first search finishes them.
    fn finished(&self) -> Vec<StateId> {
        let mut seen: HashSet<StateId> = HashSet::default();
        let mut finished = Vec::new();
        for at in &self.states {
            let mut waiting = vec![(at.id, false)];
            while let Some((id, done)) = waiting.pop() {
                if done {
                    finished.push(id);
                } else if seen.insert(id) {
                    waiting.push((id, true));
                    waiting.extend(self.next(id).map(|next| (next, false)));
                }
            }
        }
        finished
    }

    /// Reports a loop in which every exit, apart from failures, depends on data that the loop does not change.
    fn unleft(&mut self, round: &[StateId], only_fails: &dyn Fn(StateId) -> bool) {
        let states = round.iter().filter_map(|id| self.state_at(*id));
        let states: Vec<StateAt<'d>> = states.collect();
        let inside: HashSet<StateId> = round.iter().copied().collect();
        let mut changes = Changes::default();
        for at in &states {
            changes.of_state(*at, &inside);
        }
        let mut first: Option<Unchanging<'d>> = None;
        for at in &states {
            let leaves = |id: StateId| !inside.contains(&id) && !only_fails(id);
            let is_way_out = |target: &Target| target.state.is_none_or(leaves);
            let StateKind::Choice(choice) = &at.state.kind else {
                if at.state.targets().any(is_way_out) || at.state.is_terminal() {
                    return;
                }
                continue;
            };
            let by_default = choice.default.as_ref().is_none_or(is_way_out);
            let rules = choice.rules.iter().enumerate();
            let out = |rule: &Rule| rule.next.as_ref().is_none_or(is_way_out);
            for (place, rule) in rules.filter(|(_, rule)| by_default || out(rule)) {
                let Some(asked) = changes.leave(&rule.test) else {
                    return;
                };
                let unchanging = Unchanging {
                    at: *at,
                    place,
                    asked,
                    stays: !out(rule),
                };
                let worse = first
                    .as_ref()
                    .is_none_or(|first| unchanging.key() < first.key());
                if worse {
                    first = Some(unchanging);
                }
            }
        }
        if let Some(unchanging) = first {
            self.unchanging(&unchanging, &changes);
        }
    }

    /// Reports a polling loop, which waits in each iteration, if it has a single path and does not count its
    /// iterations. The message says after how many iterations the event history is full.
    fn fills(&mut self, round: &[StateId]) {
        let states = round.iter().filter_map(|id| self.state_at(*id));
        let states: Vec<StateAt<'d>> = states.collect();
        // If there are several tasks, a task may count the iterations.
        let is_task = |at: &&StateAt<'_>| matches!(at.state.kind, StateKind::Task(_));
        if states.iter().filter(is_task).count() > 1 {
            return;
        }
        let (mut events, mut seconds) = (0, 0_u64);
        let mut first: Option<StateAt<'d>> = None;
        for at in &states {
            let next = at.state.next_targets().filter_map(|target| target.state);
            let mut next: Vec<StateId> = next.collect();
            next.retain(|id| round.contains(id));
            next.dedup();
            let made = events_of(&at.state.kind).filter(|_| next.len() == 1);
            let Some(made) = made.filter(|_| !counts(&at.state.kind)) else {
                return;
            };
            events += made;
            if let StateKind::Wait(wait) = &at.state.kind {
                let WaitUntil::Seconds(waited) = wait else {
                    return;
                };
                seconds = seconds.saturating_add(*waited);
                first = first.filter(|first| first.id < at.id).or(Some(*at));
            }
        }
        let (Some(first), true) = (first, self.definition.machine_type == MachineType::Standard)
        else {
            return;
        };
        let laps = HISTORY.div_ceil(events);
        let whole = seconds.saturating_mul(laps);
        let timeout = self.definition.timeout_seconds;
        if timeout.is_some_and(|limit| limit <= whole) {
            return;
        }
        let duration = match whole {
            0..5_400 => format!("{} min", whole.div_ceil(60)),
            5_400..172_800 => format!("{} h", (whole + 1_800) / 3_600),
            _ => format!("{} days", (whole + 43_200) / 86_400),
        };
        let iterations = match laps / 1_000 {
            0 => laps.to_string(),
            many => format!("{many},{:03}", laps % 1_000),
        };
        let message = format!(
            "the history is full after at most {iterations} iterations of this loop (about {duration}): each iteration adds {events} events, and an execution fails at 25,000 events"
        );
        let place = (first.state.name_span, &*first.state.location);
        let help = "limit the number of iterations, or continue in a new execution";
        self.report(FILLS_HISTORY, message, place, help);
    }

    fn unchanging(&mut self, unchanging: &Unchanging<'d>, changes: &Changes) {
        let at = unchanging.at;
        let rules = at.get("Choices").and_then(Node::items).unwrap_or_default();
        let Some(rule) = rules.get(unchanging.place) else {
            return;
        };
        let mut fields = ["Variable", "Condition"].into_iter();
        let member = fields.find_map(|name| rule.member(name));
        let span = member.map_or_else(|| opening(rule), |member| member.value.span);
        let (effect, consequence) = match unchanging.stays {
            true => ("stays in", "once the rule is true, it stays true"),
            false => ("leaves", "once the rule is false, it stays false"),
        };
        let value = &unchanging.asked;
        let message = format!(
            "this rule {effect} the loop, but nothing in the loop changes {value}: {consequence}"
        );
        let changed: Vec<String> = changes.named(at.is_jsonata());
        let help = match changed.is_empty() {
            true => "let a state of the loop write this value".to_string(),
            false => format!(
                "the loop changes only {places}",
                places = changed.join(", ")
            ),
        };
        let location = format!("{}[{}]", at.at("Choices"), unchanging.place);
        self.report(NEVER_LEAVES, message, (span, &location), help);
    }
}

/// A rule of a Choice in a loop whose test has the same result in every iteration of the loop.
struct Unchanging<'d> {
    at: StateAt<'d>,
    place: usize,
    /// The data that the rule tests, as written.
    asked: String,
    /// True if the rule leads back into the loop, so that the run leaves the loop only if the rule does not match.
    stays: bool,
}

impl Unchanging<'_> {
    /// Sort key for choosing the rule to report. Rules that continue the loop come first; apart from that, the order of
    /// the text applies.
    fn key(&self) -> (bool, StateId, usize) {
        (!self.stays, self.at.id, self.place)
    }
}

impl Changes {
    fn of_state(&mut self, at: StateAt<'_>, inside: &HashSet<StateId>) {
        let state = at.state;
        for assign in assigns(at) {
            let members = assign.node.members().unwrap_or_default().iter();
            let names = members.map(|member| assigned_name(&member.key.text).into());
            self.variables.extend(names);
        }
        let stays = |next: &Option<Target>| {
            let id = next.as_ref().and_then(|next| next.state);
            id.is_some_and(|id| inside.contains(&id))
        };
        for (place, catcher) in state.catch.iter().enumerate() {
            if stays(&catcher.next) {
                self.of_catcher(at, place, catcher);
            }
        }
        let passes = state.kind.passes_input() && state.template("Parameters").is_none();
        if at.is_jsonata() {
            let rules = at.get("Choices").and_then(Node::items).unwrap_or_default();
            let outputs = rules.iter().chain([at.node]);
            let outputs: Vec<&Node> = outputs.filter_map(|node| node.get("Output")).collect();
            self.everything |= outputs.is_empty() && !passes;
            for output in outputs {
                self.of_output(at, output);
            }
            return;
        }
        let whole = |field: &PathField| matches!(field, PathField::Whole);
        let works = !matches!(state.kind, StateKind::Choice(_) | StateKind::Wait(_));
        if !whole(&state.output_path) || (passes && !whole(&state.input_path)) {
            self.everything = true;
        }
        if works && matches!(state.transition, Transition::Next(_)) {
            self.written(&state.result_path, passes);
        }
    }

    fn of_catcher(&mut self, at: StateAt<'_>, place: usize, catcher: &Catcher) {
        if !at.is_jsonata() {
            return self.written(&catcher.result_path, false);
        }
        let catchers = at.get("Catch").and_then(Node::items).unwrap_or_default();
        let catcher = catchers.get(place);
        match catcher.and_then(|catcher| catcher.get("Output")) {
            Some(output) => self.of_output(at, output),
            None => self.everything = true,
        }
    }

    fn written(&mut self, path: &ResultPath, same: bool) {
        match path {
            ResultPath::Discard => {}
            ResultPath::Replace => self.everything |= !same,
            ResultPath::Insert(path) => match members(path.steps()) {
                Some(place) => self.place(place),
                None => self.everything = true,
            },
        }
    }

    /// Records which places of the input are overwritten by an Output in JSONata.
    fn of_output(&mut self, at: StateAt<'_>, output: &Node) {
        let is_input = |made: &Made| matches!(made, Made::Input(names) if names.is_empty());
        let made = at.tree(output).map_or(Made::Anything, Tree::made);
        let parts = match &made {
            Made::Merged(parts) => parts.as_slice(),
            made => std::slice::from_ref(made),
        };
        let over = parts.split_first().filter(|(first, _)| is_input(first));
        let Some((_, over)) = over else {
            self.everything = true;
            return;
        };
        for part in over {
            match part {
                Made::Object(members) => {
                    let names = members.iter().map(|(name, _)| vec![name.clone()]);
                    names.for_each(|place| self.place(place));
                }
                _ => self.everything = true,
            }
        }
    }

    fn place(&mut self, place: Vec<Text>) {
        if !self.places.contains(&place) {
            self.places.push(place);
        }
    }

    /// The first value that a test reads, as text, if the test has the same result in every iteration. `None` if the
    /// loop changes a value that the test reads, or if the result may change for another reason.
    fn leave(&self, test: &Test) -> Option<String> {
        let asked = match test {
            Test::Condition(expression) => asked_in_jsonata(expression),
            Test::Always(_) | Test::Broken(_) => return None,
            _ => asked(test),
        };
        let first = asked.first()?;
        let same = asked.iter().all(|asked_part| match &asked_part.0 {
            Asked::Varying => false,
            Asked::Variable(name) => !self.variables.contains(name),
            Asked::Data(place) => {
                let meets =
                    |written: &Vec<Text>| written.starts_with(place) || place.starts_with(written);
                !self.everything && !self.places.iter().any(meets)
            }
        });
        same.then(|| first.1.clone())
    }

    /// The changed places and variables, written as paths; at most four.
    fn named(&self, jsonata: bool) -> Vec<String> {
        let root = if jsonata { "$states.input" } else { "$" };
        let mut variables: Vec<String> = (self.variables.iter())
            .map(|name| format!("${name}"))
            .collect();
        variables.sort();
        let places = self.places.iter();
        let places = places.map(|place| format!("{root}.{}", place.join(".")));
        places.chain(variables).take(4).collect()
    }
}

/// The values that a test in JSONPath reads, each with its path as text.
fn asked(test: &Test) -> Vec<(Asked, String)> {
    let paths = test.comparisons().into_iter().flat_map(Comparison::paths);
    let asked = |path: &Path| match path.root() {
        Root::Data => names(path).map_or(Asked::Data(Vec::new()), Asked::Data),
        Root::Variable(name) => Asked::Variable(name.clone()),
        Root::Context => Asked::Varying,
    };
    paths
        .map(|path| (asked(path), path.text().to_string()))
        .collect()
}

/// The values that a JSONata expression reads, each with its path as text.
fn asked_in_jsonata(expression: &jsonata::Expression) -> Vec<(Asked, String)> {
    let Some(root) = expression.parsed().map(Tree::root) else {
        return Vec::new();
    };
    if root.drawn().is_some() {
        return vec![(Asked::Varying, String::new())];
    }
    let mut asked_paths = Vec::new();
    for path in root.paths() {
        let text = format!("${}", path.join("."));
        let path: Vec<Text> = path.iter().map(|name| name.as_str().into()).collect();
        let asked = match path.as_slice() {
            [root, member, names @ ..] if &**root == "states" && &**member == "input" => {
                Asked::Data(names.to_vec())
            }
            [root, ..] if &**root == "states" => Asked::Varying,
            [name, ..] => Asked::Variable(name.clone()),
            [] => Asked::Varying,
        };
        asked_paths.push((asked, text));
    }
    asked_paths
}

/// Number of history events that one visit of a state produces; `None` if the number depends on the data.
fn events_of(kind: &StateKind) -> Option<u64> {
    match kind {
        StateKind::Pass { .. } | StateKind::Wait(_) | StateKind::Choice(_) => Some(2),
        StateKind::Task(task) => Some(match &task.integration {
            Integration::Service { pattern, .. } if *pattern != CallPattern::RequestResponse => 6,
            _ => 5,
        }),
        _ => None,
    }
}

/// True if a Choice compares numbers or times. It may then count the iterations of a loop.
fn counts(kind: &StateKind) -> bool {
    let StateKind::Choice(choice) = kind else {
        return false;
    };
    choice.rules.iter().any(|rule| {
        let mut comparisons = rule.test.comparisons().into_iter();
        let is_order = |node: &jsonata::Node| matches!(&node.form, Form::Binary(operator, ..) if operator.orders());
        let by_condition = |condition: &jsonata::Expression| {
            let mut orders = false;
            let root = condition.parsed().map(Tree::root);
            root.inspect(|root| root.each(&mut |node| orders |= is_order(node)));
            orders
        };
        comparisons.any(|comparison| {
            matches!(
                comparison.comparator,
                Comparator::Numeric(_) | Comparator::Timestamp(_)
            )
        }) || matches!(&rule.test, Test::Condition(condition) if by_condition(condition))
    })
}
