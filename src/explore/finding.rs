//! What an exploration found wrong, each with the shortest way that shows it.
//!
//! It must not know how a finding is printed.

use super::compensation::skipped;
use super::grow::is_lost;
use super::search::{Ended, Seen};
use super::step::{Way, steps};
use super::walk::{DataFault, End};
use super::world::{UNNAMED, World, around};
use crate::coverage::{Kind, Point, points};
use crate::definition::{Definition, State, StateId, StateKind, Test};
use crate::interpreter::{Edge, Fault, Origin};
use crate::json::{Text, Value};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Probably not meant.
    Warning,
    /// A way on which the workflow dies of itself.
    Error,
}

impl Level {
    /// `ERROR`, `WARNING`, `INFO`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
            Self::Info => "INFO",
        }
    }
}

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// What a later state reads was there, and a catcher's output left it out.
    DataLost,
    /// A state cannot make anything of the data that it gets.
    DataFault,
    /// A value or a container is too large.
    DataLimit,
    /// A Choice has no rule for a value.
    NoChoice,
    /// An execution that never ends.
    Endless,
    /// What was done is not undone.
    Compensation,
    /// Retries that cannot end in the machine's timeout.
    RetryTimeout,
    /// An error that nothing catches.
    Uncaught,
    /// A retrier, catcher or rule that nothing reaches.
    Unreached,
}

impl FindingKind {
    /// The kind as programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DataLost => "data-lost",
            Self::DataFault => "data-fault",
            Self::DataLimit => "data-limit",
            Self::NoChoice => "no-choice",
            Self::Endless => "endless",
            Self::Compensation => "compensation",
            Self::RetryTimeout => "retry-timeout",
            Self::Uncaught => "uncaught",
            Self::Unreached => "unreached",
        }
    }
}

/// Something found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// How bad.
    pub level: Level,
    /// The state that it is about.
    pub state: StateId,
    /// Where it stands.
    pub span: Span,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What was answered on the shortest way that shows it; `None` where no way does.
    pub way: Option<Way>,
    /// The input on that way, where it is not the usual one.
    pub input: Option<Value>,
}

/// All findings, the worst first; and how many faults were left out, as made-up data may be to blame.
#[must_use]
pub fn findings(world: &World, seen: &Seen) -> (Vec<Finding>, usize) {
    let mut judge = Judge {
        world,
        definition: &world.run.definition,
        seen,
        found: Vec::new(),
        doubtful: 0,
    };
    for fault in &seen.faults {
        judge.data(fault);
    }
    judge.endless();
    judge.compensation();
    judge.timeouts();
    judge.uncaught();
    judge.unreached();
    let mut found = judge.found;
    found.sort_by_key(|one| (std::cmp::Reverse(one.level), one.kind, one.state));
    (found, judge.doubtful)
}

struct Judge<'j> {
    world: &'j World,
    definition: &'j Definition,
    seen: &'j Seen,
    found: Vec<Finding>,
    doubtful: usize,
}

impl<'j> Judge<'j> {
    fn state(&self, id: StateId) -> Option<&'j State> {
        self.definition.state(id)
    }

    fn path(&self, id: StateId) -> &'j str {
        self.state(id).map_or("", |state| &*state.path.0)
    }

    fn tell(
        &mut self,
        kind: FindingKind,
        level: Level,
        state: StateId,
        message: String,
        way: Option<(&Way, &Option<Value>)>,
    ) {
        let span = self
            .state(state)
            .map_or_else(Span::default, |state| state.name_span);
        self.found.push(Finding {
            kind,
            level,
            state,
            span,
            message,
            way: way.map(|(way, _)| way.clone()),
            input: way.and_then(|(_, input)| input.clone()),
        });
    }

    /// Whether nothing on a way was made up.
    fn is_given(&self, way: &Way) -> bool {
        let own = steps(way);
        !self.world.input_made
            && own
                .iter()
                .all(|step| step.error().is_some() || self.world.is_given(step.state))
    }

    fn data(&mut self, fault: &DataFault) {
        let state = fault.state;
        let name = self.path(state);
        let (error, cause) = (fault.fault.name(), fault.fault.cause_text());
        let way = Some((&fault.way, &fault.input));
        let usual = fault.input.is_none() && steps(&fault.way).iter().all(|step| !step.other);
        if error == "States.DataLimitExceeded" {
            let text = format!("{name} fails with {error}: {cause}");
            self.tell(FindingKind::DataLimit, Level::Error, state, text, way);
            return;
        }
        if error == "States.ExceedToleratedFailureThreshold" {
            return;
        }
        let is_choice = matches!(self.state(state).map(|state| &state.kind), Some(StateKind::Choice(choice)) if choice.default.is_none());
        if is_choice && !cause.contains("'$") {
            let given = self.is_given(&fault.way);
            let level = if usual && given {
                Level::Error
            } else {
                Level::Warning
            };
            let text = format!("no rule of {name} matches, and it has no Default: {error}");
            self.tell(FindingKind::NoChoice, level, state, text, way);
            return;
        }
        if let Some((catcher, path)) = is_lost(self.world, fault) {
            let text = format!(
                "{name} reads {path}, which {} had when it failed: the output of its catcher leaves it out",
                self.path(catcher)
            );
            self.tell(FindingKind::DataLost, Level::Error, state, text, way);
            return;
        }
        if !self.is_given(&fault.way) {
            // Nothing that a later answer could give would help: what was given is to blame.
            if self.world.input_made || !cause.contains("'$") || cause.contains("'$$") {
                self.doubtful += 1;
                return;
            }
            let text = format!(
                "{name} finds nothing on this way: {error}: {}",
                first_line(cause)
            );
            self.tell(FindingKind::DataFault, Level::Error, state, text, way);
            return;
        }
        let when = if usual {
            "with the usual answers"
        } else {
            "on this way"
        };
        let text = format!("{name} fails {when}: {error}: {}", first_line(cause));
        self.tell(FindingKind::DataFault, Level::Error, state, text, way);
    }

    fn endless(&mut self) {
        let runs = self.seen.ends.iter();
        let long = runs.filter(|end| matches!(end.end, End::TooLong));
        let long = long.filter_map(|end| Some((end.last?, &end.way)));
        let loops = self.seen.endless.iter();
        let loops = loops.filter_map(|(states, way)| Some((*states.first()?, way)));
        let candidates: Vec<(StateId, &Way)> = long.chain(loops).collect();
        for (state, way) in candidates {
            let told = self.found.iter();
            let mut told = told.filter(|one| one.kind == FindingKind::Endless);
            if leads_out(self.definition, state) || told.any(|one| one.state == state) {
                continue;
            }
            let text = format!(
                "no way leads from {} to an end: the execution goes on for ever",
                self.path(state)
            );
            self.tell(
                FindingKind::Endless,
                Level::Error,
                state,
                text,
                Some((way, &None)),
            );
        }
    }

    fn compensation(&mut self) {
        for one in skipped(self.definition, &self.seen.ends) {
            let Some(end) = self.seen.ends.get(one.run) else {
                continue;
            };
            let text = format!(
                "{} succeeded, and is not undone by {} as on other ways that fail",
                self.path(one.done),
                self.path(one.undo)
            );
            let way = Some((&end.way, &end.input));
            self.tell(
                FindingKind::Compensation,
                Level::Warning,
                one.done,
                text,
                way,
            );
        }
    }

    /// Executions that time out while something is tried again.
    fn timeouts(&mut self) {
        let Some(limit) = self.definition.timeout_seconds else {
            return;
        };
        let runs = self.seen.ends.iter();
        let timed_out = runs.filter(|end| matches!(end.end, End::TimedOut));
        let mut first: BTreeMap<StateId, &Ended> = BTreeMap::new();
        for end in timed_out {
            let way = steps(&end.way);
            let Some(last) = way.last().filter(|step| step.error().is_some()) else {
                continue;
            };
            let retries = self
                .state(last.state)
                .is_some_and(|state| !state.retry.is_empty());
            if !retries {
                continue;
            }
            let known = first.entry(last.state).or_insert(end);
            if (end.deviations, way.len()) < (known.deviations, steps(&known.way).len()) {
                *known = end;
            }
        }
        for (state, end) in first {
            let text = format!(
                "the retries of {} do not end within TimeoutSeconds {limit} of the machine: no catcher is asked",
                self.path(state)
            );
            let way = Some((&end.way, &end.input));
            self.tell(FindingKind::RetryTimeout, Level::Warning, state, text, way);
        }
    }

    fn uncaught(&mut self) {
        let mut all: BTreeMap<StateId, (BTreeSet<Text>, &Ended)> = BTreeMap::new();
        for end in &self.seen.ends {
            let End::Failed(fault) = &end.end else {
                continue;
            };
            let Some(state) = end.raised.filter(|_| is_from_outside(fault)).or_else(|| {
                let tolerance = fault.name() == "States.ExceedToleratedFailureThreshold";
                end.last.filter(|_| tolerance)
            }) else {
                continue;
            };
            let (names, known) = all.entry(state).or_insert_with(|| (BTreeSet::new(), end));
            names.insert(fault.name().into());
            if (end.deviations, steps(&end.way).len()) < (known.deviations, steps(&known.way).len())
            {
                *known = end;
            }
        }
        let mut plain: Vec<(StateId, &Ended)> = Vec::new();
        for (state, (names, end)) in all {
            let mut around = around(self.definition, state).into_iter();
            let catches = around.any(|id| self.state(id).is_some_and(|one| !one.catch.is_empty()));
            let named = |name: &Text| !matches!(&**name, UNNAMED | "States.Timeout");
            if !catches && !names.iter().any(named) {
                plain.push((state, end));
                continue;
            }
            let level = if catches { Level::Warning } else { Level::Info };
            let names: Vec<String> = names
                .iter()
                .map(|name| match &**name {
                    UNNAMED => "an error that nobody names".to_string(),
                    name => name.to_string(),
                })
                .collect();
            let text = format!(
                "nothing catches {} of {}: the execution fails",
                names.join(", "),
                self.path(state)
            );
            let way = Some((&end.way, &end.input));
            self.tell(FindingKind::Uncaught, level, state, text, way);
        }
        // Tasks that leave all errors to whoever started the execution are told of together.
        if let Some((state, end)) = plain.first() {
            let names: Vec<&str> = plain.iter().map(|(id, _)| self.path(*id)).collect();
            let text = format!(
                "no catcher is for errors and timeouts of {}: the execution fails",
                names.join(", ")
            );
            let way = Some((&end.way, &end.input));
            self.tell(FindingKind::Uncaught, Level::Info, *state, text, way);
        }
    }

    /// Retriers and catchers that no error comes to; rules too, where all data was given.
    fn unreached(&mut self) {
        if self.seen.bound.is_some() {
            return;
        }
        let hits = |point: Point| self.seen.coverage.hits(point);
        let mut told = Vec::new();
        for point in points(self.definition) {
            let Some(state) = self.state(point.state) else {
                continue;
            };
            let entered = Point {
                kind: Kind::Entered,
                ..point
            };
            if hits(point) > 0 || hits(entered) == 0 {
                continue;
            }
            let (what, names, before) = match point.kind {
                Kind::Retried(index) => {
                    let names = state.retry.get(index as usize).map(|one| &one.error_equals);
                    ("Retry", names, index)
                }
                Kind::Left(Edge::Catch(index)) => {
                    let names = state.catch.get(index as usize).map(|one| &one.error_equals);
                    ("Catch", names, index)
                }
                Kind::Left(Edge::Rule(index)) if self.all_given() => {
                    let text = format!(
                        "nothing that was tried makes Choices[{index}] of {} match",
                        state.path
                    );
                    let plain = matches!(&state.kind, StateKind::Choice(choice)
                        if choice.rules.get(index as usize).is_some_and(|rule| matches!(rule.test, Test::Compare(_))));
                    let level = if plain { Level::Warning } else { Level::Info };
                    told.push((level, point, text));
                    continue;
                }
                _ => continue,
            };
            // What the interpreter alone gives is not tried.
            let names = names.map(Vec::as_slice).unwrap_or_default();
            let tried = |name: &Text| {
                !name.starts_with("States.")
                    || matches!(&**name, "States.ALL" | "States.TaskFailed")
            };
            if !names.iter().any(tried) {
                continue;
            }
            let level = if before > 0 {
                Level::Warning
            } else {
                Level::Info
            };
            let why = match before {
                0 => "nothing inside it fails so".to_string(),
                _ => "what stands before it takes them".to_string(),
            };
            let text = format!(
                "no error comes to {what}[{before}] of {} ({}): {why}",
                state.path,
                names.join(", ")
            );
            told.push((level, point, text));
        }
        for (level, point, text) in told {
            self.tell(FindingKind::Unreached, level, point.state, text, None);
            if let Some(last) = self.found.last_mut() {
                last.span = point.span(self.definition);
            }
        }
    }

    fn all_given(&self) -> bool {
        let mut states = self.definition.state_ids();
        !self.world.input_made
            && states.all(|id| {
                let entered = Point {
                    state: id,
                    kind: Kind::Entered,
                };
                super::world::task(self.definition, id).is_none()
                    || self.world.is_given(id)
                    || self.seen.coverage.hits(entered) == 0
            })
    }
}

/// Whether an error came from a task, not from the workflow itself.
fn is_from_outside(fault: &Fault) -> bool {
    matches!(
        fault.origin,
        Origin::Task | Origin::Timeout | Origin::Heartbeat
    )
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_string(),
    }
}

/// Whether the text of the definition leads from a state to an end of its scope, errors left aside.
fn leads_out(definition: &Definition, from: StateId) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(id) = open.pop() {
        let Some(state) = definition.state(id) else {
            continue;
        };
        if state.is_terminal() {
            return true;
        }
        let next = state.targets().filter_map(|target| target.state);
        open.extend(next.filter(|id| seen.insert(*id)));
    }
    false
}
