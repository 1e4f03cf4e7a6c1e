//! The findings of an exploration, each with the shortest run that shows it.

use super::compensation::skipped;
use super::grow::{is_lost, path_of};
use super::moment::{Course, Step};
use super::search::Seen;
use super::walk::{DataFault, End, Ended};
use super::world::{World, around};
use crate::coverage::{Kind, Point};
use crate::definition::{Definition, Map, Quantity, State, StateId, StateKind};
use crate::interpreter::{Fault, Origin, Reason};
use crate::json::Text;
use crate::source::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something that is useful to know.
    Info,
    /// Something in the definition that is probably unintended.
    Warning,
    /// The workflow fails because of a mistake in the definition.
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

/// Category of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A state reads data that the input of an earlier, failed state contained, but that the output of that state's
    /// catcher omits.
    DataLost,
    /// A state cannot process its input.
    DataFault,
    /// A value, or the number of items in an array, exceeds a limit.
    DataLimit,
    /// A Choice has no rule for a value.
    NoChoice,
    /// An execution that never ends.
    Endless,
    /// An action is not undone after a failure.
    Compensation,
    /// The execution times out although every answer is the usual one.
    Timeout,
    /// Retries that cannot finish within the machine's timeout.
    RetryTimeout,
    /// A comparison that can never be true for the type or the format of its value.
    Misfit,
    /// Text that was probably meant as a path or an expression, but is not evaluated.
    Text,
    /// An error that no catcher catches, so that the execution fails.
    Uncaught,
    /// A retrier, catcher or rule that is never reached.
    Unreached,
}

impl FindingKind {
    /// The name of the category in machine-readable output.
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

/// A finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The category of the finding.
    pub kind: FindingKind,
    /// The severity of the finding.
    pub level: Level,
    /// The state at fault.
    pub state: StateId,
    /// The part of the definition's text that the finding is about.
    pub span: Span,
    /// The problem, as a sentence.
    pub message: String,
    /// The shortest run that shows the finding; `None` if the finding does not come from a run.
    pub course: Option<Course>,
    /// The data of the run `course` that were made up: the input, or the results of some states.
    pub made_up: Vec<String>,
}

/// Returns all findings, most severe first. Also returns the number of faults that are not reported because made-up
/// data may have caused them.
#[must_use]
pub fn findings(world: &World, seen: &Seen, checked: &[Diagnostic]) -> (Vec<Finding>, usize) {
    let mut judge = Judge {
        world,
        definition: &world.run.definition,
        seen,
        checked,
        findings: Vec::new(),
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
    let mut findings = judge.findings;
    findings.sort_by_key(|finding| {
        (
            std::cmp::Reverse(finding.level),
            finding.kind,
            finding.state,
        )
    });
    (findings, judge.doubtful)
}

/// Derives findings from the results of a search.
pub(super) struct Judge<'j> {
    pub(super) world: &'j World,
    pub(super) definition: &'j Definition,
    pub(super) seen: &'j Seen,
    /// The diagnostics of `check` for the definition.
    pub(super) checked: &'j [Diagnostic],
    pub(super) findings: Vec<Finding>,
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
        course: Option<&Course>,
    ) {
        let span = self
            .state(state)
            .map_or_else(Span::default, |state| state.name_span);
        let made_up = course.map(|course| self.made_up(course));
        self.findings.push(Finding {
            made_up: made_up.unwrap_or_default(),
            kind,
            level,
            state,
            span,
            message,
            course: course.cloned(),
        });
    }

    /// Sets the location of the most recently added finding to this range of the definition's text.
    pub(super) fn at(&mut self, span: Span) {
        if let Some(last) = self.findings.last_mut() {
            last.span = span;
        }
    }

    /// Sets the location of the most recently added finding to a part of a state, for example to a retrier.
    pub(super) fn at_point(&mut self, state: StateId, kind: Kind) {
        self.at(Point { state, kind }.span(self.definition));
    }

    /// The data of a run that were made up because the user provided none.
    fn made_up(&self, course: &Course) -> Vec<String> {
        let is_made = self.world.input_made && course.input.is_none();
        let mut all = Vec::from_iter(is_made.then(|| "the input".to_string()));
        let mut seen = BTreeSet::new();
        for step in course.steps() {
            let is_made = || step.error().is_none() && !self.world.is_given(step.state);
            if is_made() && seen.insert(step.state) {
                all.push(format!(
                    "the result of {state}",
                    state = self.path(step.state)
                ));
            }
        }
        all
    }

    /// True if no data of a run were made up.
    pub(super) fn is_given(&self, course: &Course) -> bool {
        let is_given = |step: &&Step| step.error().is_some() || self.world.is_given(step.state);
        !self.world.input_made && course.steps().iter().all(is_given)
    }

    /// Reports that a state could not process its data. The finding points to the field that failed, if the field is
    /// known.
    fn data(&mut self, fault: &DataFault) {
        let Some((kind, level, text)) = self.data_of(fault) else {
            return;
        };
        self.tell(kind, level, fault.state, text, Some(&fault.course));
        if let Some(span) = fault.span {
            self.at(span);
        }
    }

    /// The kind, the level and the message of the finding about a fault. `None` if the fault may be due to made-up
    /// data, or if it follows from other errors.
    fn data_of(&mut self, fault: &DataFault) -> Option<(FindingKind, Level, String)> {
        let state = self.path(fault.state);
        let (error, cause) = (fault.fault.name(), fault.fault.cause_text());
        let usual = fault.course.is_usual();
        if error == "States.DataLimitExceeded" {
            let text = format!("{state} fails with {error}: {cause}");
            return Some((FindingKind::DataLimit, Level::Error, text));
        }
        if error == "States.ExceedToleratedFailureThreshold" {
            return None;
        }
        let is_choice = matches!(self.state(fault.state).map(|state| &state.kind), Some(StateKind::Choice(choice)) if choice.default.is_none());
        if is_choice && *fault.fault.reason == Reason::NoRule {
            let given = self.is_given(&fault.course);
            let level = match usual && given {
                true => Level::Error,
                false => Level::Warning,
            };
            let text = format!("no rule of {state} matches, and {state} has no Default: {error}");
            return Some((FindingKind::NoChoice, level, text));
        }
        if let Some((catcher, path)) = is_lost(self.world, fault) {
            let text = format!(
                "{state} reads {path}, which was in the data when {failed} failed, but the output of the catcher of {failed} omits {path}",
                failed = self.path(catcher)
            );
            return Some((FindingKind::DataLost, Level::Error, text));
        }
        if !self.is_given(&fault.course) {
            // If the path still has no value, making up data did not help: the value is missing from the data that the
            // user provided.
            let path = path_of(fault).filter(|path| !path.starts_with("$$"));
            if self.world.input_made || path.is_none() {
                self.doubtful += 1;
                return None;
            }
            let text = format!(
                "in this run, {state} does not find the data that the state reads: {error}: {cause}",
                cause = first_line(cause)
            );
            return Some((FindingKind::DataFault, Level::Error, text));
        }
        let when = match usual {
            true => "in the usual run",
            false => "in this run",
        };
        let cause = first_line(cause);
        let text = format!("{state} fails {when}: {error}: {cause}");
        Some((FindingKind::DataFault, Level::Error, text))
    }

    fn compensation(&mut self) {
        let late: Vec<StateId> = self.seen.overdue.iter().map(|late| late.state).collect();
        let all = skipped(self.definition, &self.seen.ends).into_iter();
        // The tasks in `late` are left out: they timed out, although their usual answers are successes.
        for pair in all.filter(|pair| !late.contains(&pair.done)) {
            let run = pair.skips.map(|(_, run)| run);
            let Some(end) = run.and_then(|run| self.seen.ends.get(run)) else {
                continue;
            };
            let (done, undo) = (self.path(pair.done), self.path(pair.undo));
            let text = match pair.is_loan {
                false => format!(
                    "{done} succeeded, but {undo} does not undo {done}, although {undo} undoes {done} in other runs that fail"
                ),
                true => format!(
                    "{done} succeeded, but {undo} does not run afterwards, although {undo} runs after {done} in runs that succeed; the effect of {done} remains"
                ),
            };
            let (state, way) = (pair.done, Some(&end.course));
            self.tell(FindingKind::Compensation, Level::Warning, state, text, way);
        }
    }

    fn uncaught(&mut self) {
        let mut all: BTreeMap<StateId, (BTreeSet<Text>, &Ended)> = BTreeMap::new();
        for end in &self.seen.ends {
            let End::Failed(fault) = &end.end else {
                continue;
            };
            let name = fault.name();
            let passed = end
                .last
                .filter(|_| name == "States.ExceedToleratedFailureThreshold");
            let raised = end.raised.filter(|_| is_from_outside(fault));
            let Some(state) = raised.or(passed) else {
                continue;
            };
            let (names, known) = all.entry(state).or_insert_with(|| (BTreeSet::new(), end));
            names.insert(name.into());
            if end.key() < known.key() {
                *known = end;
            }
        }
        let mut plain: Vec<(StateId, &Ended)> = Vec::new();
        for (state, (names, end)) in all {
            let mut around = around(self.definition, state).into_iter();
            let catches =
                around.any(|id| self.state(id).is_some_and(|state| !state.catch.is_empty()));
            let named =
                |name: &Text| &**name != "States.Timeout" && !self.world.is_unnamed(state, name);
            if !catches && !names.iter().any(named) {
                plain.push((state, end));
                continue;
            }
            let level = match catches || self.is_passed(state, &names) {
                true => Level::Warning,
                false => Level::Info,
            };
            let named = names.iter();
            let named = named.filter(|name| !self.world.is_unnamed(state, name));
            let named: Vec<&str> = named.map(|name| &**name).collect();
            let other_errors = match (named.len() < names.len(), named.is_empty()) {
                (true, true) => "errors that no Retry or Catch names",
                (true, false) => " and other errors",
                (false, _) => "",
            };
            let text = format!(
                "nothing catches {errors}{other_errors} of {state}, so the execution fails",
                errors = named.join(", "),
                state = self.path(state)
            );
            let way = Some(&end.course);
            self.tell(FindingKind::Uncaught, level, state, text, way);
        }
        // Tasks whose errors nothing handles are reported in a single finding.
        if let Some((state, end)) = plain.first() {
            let names: Vec<&str> = plain.iter().map(|(id, _)| self.path(*id)).collect();
            let text = format!(
                "no catcher handles errors and timeouts of {tasks}, so the execution fails",
                tasks = names.join(", ")
            );
            let way = Some(&end.course);
            self.tell(FindingKind::Uncaught, Level::Info, *state, text, way);
        }
    }

    /// True if a Map tolerates some failed items, and `names` contains the error for too many failed items.
    fn is_passed(&self, state: StateId, names: &BTreeSet<Text>) -> bool {
        let kind = self.state(state).map(|state| &state.kind);
        names.contains("States.ExceedToleratedFailureThreshold")
            && matches!(kind, Some(StateKind::Map(map)) if tolerates(map))
    }
}

/// True if a Map tolerates failures. A tolerance that is computed from data counts as well.
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

/// True if an error came from a task, not from the workflow itself.
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
