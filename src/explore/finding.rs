//! What an exploration found wrong, each with the shortest way that shows it.
//!
//! It must not know how a finding is printed.

use super::compensation::skipped;
use super::grow::{is_lost, path_of};
use super::search::{Ended, Seen};
use super::step::{Way, steps};
use super::walk::{DataFault, End};
use super::world::{UNNAMED, World, around};
use crate::definition::{Definition, Map, Quantity, State, StateId, StateKind};
use crate::interpreter::{Fault, Origin, Reason};
use crate::json::{Text, Value};
use crate::source::{Diagnostic, Span};
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
    /// With the usual answers, time runs out.
    Timeout,
    /// Retries that cannot end in the machine's timeout.
    RetryTimeout,
    /// A comparison that cannot hold for what is compared.
    Misfit,
    /// A path or an expression that stays text.
    Text,
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
            Self::Timeout => "timeout",
            Self::RetryTimeout => "retry-timeout",
            Self::Misfit => "misfit",
            Self::Text => "text",
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
    /// What nobody gave of what that way goes by: the input, results of states.
    pub made_up: Vec<String>,
}

/// All findings, the worst first; and how many faults were left out, as made-up data may be to blame.
#[must_use]
pub fn findings(world: &World, seen: &Seen, checked: &[Diagnostic]) -> (Vec<Finding>, usize) {
    let mut judge = Judge {
        world,
        definition: &world.run.definition,
        seen,
        checked,
        found: Vec::new(),
        doubtful: 0,
    };
    for fault in &seen.faults {
        judge.data(fault);
    }
    judge.usual_end();
    judge.overdue();
    judge.endless();
    judge.polls();
    judge.compensation();
    judge.timeouts();
    judge.uncaught();
    judge.misfits();
    judge.unreached();
    judge.texts();
    let mut found = judge.found;
    found.sort_by_key(|one| (std::cmp::Reverse(one.level), one.kind, one.state));
    (found, judge.doubtful)
}

/// Goes through what was seen, and says what is wrong with it.
pub(super) struct Judge<'j> {
    pub(super) world: &'j World,
    pub(super) definition: &'j Definition,
    pub(super) seen: &'j Seen,
    /// What `check` says of the definition.
    pub(super) checked: &'j [Diagnostic],
    pub(super) found: Vec<Finding>,
    pub(super) doubtful: usize,
}

impl<'j> Judge<'j> {
    pub(super) fn state(&self, id: StateId) -> Option<&'j State> {
        self.definition.state(id)
    }

    pub(super) fn path(&self, id: StateId) -> &'j str {
        self.state(id).map_or("", |state| &*state.path.0)
    }

    pub(super) fn tell(
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
        let made_up = way.map(|(way, input)| self.made_up(way, input.as_ref()));
        self.found.push(Finding {
            made_up: made_up.unwrap_or_default(),
            kind,
            level,
            state,
            span,
            message,
            way: way.map(|(way, _)| way.clone()),
            input: way.and_then(|(_, input)| input.clone()),
        });
    }

    /// What of a way was made up, as nobody gave it.
    fn made_up(&self, way: &Way, input: Option<&Value>) -> Vec<String> {
        let input = (self.world.input_made && input.is_none()).then(|| "the input".to_string());
        let mut all: Vec<String> = input.into_iter().collect();
        for step in steps(way) {
            let text = format!("the result of {}", self.path(step.state));
            let is_made = step.error().is_none() && !self.world.is_given(step.state);
            if is_made && !all.contains(&text) {
                all.push(text);
            }
        }
        all
    }

    /// Whether nothing on a way was made up.
    pub(super) fn is_given(&self, way: &Way) -> bool {
        let own = steps(way);
        !self.world.input_made
            && own
                .iter()
                .all(|step| step.error().is_some() || self.world.is_given(step.state))
    }

    /// A fault of the data, at its line.
    fn data(&mut self, fault: &DataFault) {
        let known = self.found.len();
        self.data_of(fault);
        if let Some(span) = fault.span {
            self.found
                .iter_mut()
                .skip(known)
                .for_each(|one| one.span = span);
        }
    }

    fn data_of(&mut self, fault: &DataFault) {
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
        if is_choice && *fault.fault.reason == Reason::NoRule {
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
            let path = path_of(fault).filter(|path| !path.starts_with("$$"));
            if self.world.input_made || path.is_none() {
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

    fn compensation(&mut self) {
        let late: Vec<StateId> = self.seen.overdue.iter().map(|one| one.state).collect();
        let all = skipped(self.definition, &self.seen.ends).into_iter();
        // What times out with its usual answer has not succeeded.
        for one in all.filter(|one| !late.contains(&one.done)) {
            let Some(end) = self.seen.ends.get(one.run) else {
                continue;
            };
            let (done, undo) = (self.path(one.done), self.path(one.undo));
            let text = match one.is_loan {
                false => format!(
                    "{done} succeeded, and is not undone by {undo} as on other ways that fail"
                ),
                true => format!(
                    "{done} succeeded, and {undo} is not reached as on the ways that succeed: it stays as it is"
                ),
            };
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
            let level = if catches || self.is_passed(state, &names) {
                Level::Warning
            } else {
                Level::Info
            };
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
                "no catcher handles errors and timeouts of {}: the execution fails",
                names.join(", ")
            );
            let way = Some((&end.way, &end.input));
            self.tell(FindingKind::Uncaught, Level::Info, *state, text, way);
        }
    }

    /// Whether a Map lets some items fail, and nothing is there for when more do.
    fn is_passed(&self, state: StateId, names: &BTreeSet<Text>) -> bool {
        let kind = self.state(state).map(|state| &state.kind);
        names.contains("States.ExceedToleratedFailureThreshold")
            && matches!(kind, Some(StateKind::Map(map)) if tolerates(map))
    }
}

/// How much a Map tolerates, as far as the text says.
fn tolerates(map: &Map) -> bool {
    let count = match &map.tolerated_failure_count {
        Some(Quantity::Constant(count)) => *count > 0,
        other => other.is_some(),
    };
    let percentage = match &map.tolerated_failure_percentage {
        Some(Quantity::Constant(percentage)) => *percentage > 0.0 && *percentage < 100.0,
        other => other.is_some(),
    };
    count || percentage
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
