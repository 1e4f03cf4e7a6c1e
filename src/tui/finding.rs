//! Prepares the findings of `check` for the screen: for the list of findings, the states in the graph and the header.

use super::theme::Role;
use super::whereabouts::lost_at;
use crate::definition::{Definition, LintRule, StateId};
use crate::interpreter::{Fault, Stage};
use crate::json::{Pointer, Step, Text};
use crate::session::origin::{Found, Holder};
use crate::session::view::{EndView, RunStatus, View};
use crate::session::{Session, Sought, Stop};
use crate::source::{Diagnostic, FindingGroup, Severity, SourceMap, Span, counted, grouped};
use crate::wording;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The text at the end of a run names one finding, and after it at most this many other findings.
const OTHERS: usize = 2;
/// At most this many members of the run's output are traced to the fields that wrote them.
const MEMBERS: usize = 24;
/// Maximum number of events that the search for the field that wrote one member may run again.
const SEARCHED: usize = 1_000;
/// Names of the rules about text that was probably meant to be evaluated. That text may also be the reason why a task
/// failed.
const TEXT: [&str; 3] = ["no-dollar", "half-jsonata", "mixed"];
/// Names of the rules about Retry and Catch whose findings name an error.
const HANDLING: [&str; 4] = [COVERED, "unknown-error", "unhandleable", "never-raised"];
/// The rule about a retrier or catcher whose error names are already matched by an earlier entry.
const COVERED: &str = "covered";
/// Errors that a state raises because of its own definition, not because of a task.
const OWN: [&str; 8] = [
    "States.Runtime",
    "States.ParameterPathFailure",
    "States.QueryEvaluationError",
    "States.IntrinsicFailure",
    "States.ResultPathMatchFailure",
    "States.NoChoiceMatched",
    "States.ItemReaderFailed",
    "States.ResultWriterFailed",
];

/// The findings of `check` for the text in the source pane, and which of them matter to the run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    rows: Vec<FindingRow>,
    /// Highest severity of the warnings and errors of each state.
    states: HashMap<StateId, Severity>,
    /// Errors and warnings with a location.
    noted: Vec<Noted>,
    /// Source spans of the fields that wrote the output of a finished run. The two numbers say for which run, and for
    /// how many of its events, the spans were found.
    output: Option<((u32, u64), Vec<Span>)>,
    /// Index of the finding that explains why the run failed, or that explains the current error.
    explaining: Option<usize>,
    /// For a finished run, indices of the findings about states that ran, the most relevant first. The boolean is true
    /// if the first of these findings is about an error of the run or about its output.
    concerning: (Vec<usize>, bool),
}

/// An error or warning and its location.
#[derive(Clone, Debug)]
pub struct Noted {
    span: Span,
    /// The line in which the location begins.
    line: usize,
    /// Message of the diagnostic.
    pub message: String,
    /// Text to show: the name of the rule and the message.
    pub said: String,
}

/// One row of the list of findings: a finding, with the number of its repetitions and of its consequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    /// The severity of the finding: error, warning or note.
    pub severity: Severity,
    /// Name of the rule; empty if there is none.
    pub rule: &'static str,
    /// The problem, as a sentence.
    pub message: String,
    /// How to fix the problem.
    pub help: Option<String>,
    /// Line of the source where the finding is, counted from 1.
    pub line: Option<usize>,
    /// Span of the source text that the finding is about.
    pub span: Option<Span>,
    /// Location in the definition, as a path of field names with slashes.
    pub location: String,
    /// The innermost state that contains this location.
    pub state: Option<StateId>,
    /// Another state that the problem affects, such as a state that reads a wrong value.
    pub reader: Option<StateId>,
    /// Number of other places in the source with the same finding.
    pub more: usize,
    /// Number of findings that are consequences of this one.
    pub follows: usize,
    /// For a finding about text that was meant to be evaluated: this text, in quotes.
    literal: Option<String>,
    /// Names of the errors that the finding is about.
    errors: Vec<Text>,
}

impl Findings {
    /// Makes the findings from the diagnostics of the text in the source pane. The findings refer to states only if
    /// `in_force` is true, which means that the run's definition was made from this text.
    #[must_use]
    pub fn of(
        diagnostics: &[Diagnostic],
        sources: &SourceMap,
        definition: &Definition,
        in_force: bool,
    ) -> Self {
        let ids = || definition.state_ids().filter(|_| in_force);
        let all = || ids().filter_map(|id| Some((id, definition.state(id)?)));
        let locations: HashMap<&str, StateId> =
            all().map(|(id, state)| (&*state.location, id)).collect();
        let names: HashMap<Span, StateId> =
            all().map(|(id, state)| (state.name_span, id)).collect();
        let rows = grouped(diagnostics).into_iter().map(|group| {
            let FindingGroup {
                first,
                same,
                follows,
            } = group;
            let rule = LintRule::of(first.rule).map_or("", |rule| rule.name);
            let written = first.span.filter(|_| in_force && TEXT.contains(&rule));
            let written = written.and_then(|span| definition.node.at(span));
            let literal = written.and_then(|node| node.as_str());
            FindingRow {
                severity: first.severity,
                literal: literal.map(|text| format!("\"{text}\"")),
                errors: match first.span.filter(|_| HANDLING.contains(&rule)) {
                    Some(span) => errors_at(definition, rule, span),
                    None => Vec::new(),
                },
                rule,
                message: first.message.clone() + &first.also(sources),
                help: first.help.clone(),
                line: first.span.and_then(|span| sources.line(span)),
                span: first.span,
                location: first.location.clone(),
                state: state_at(&first.location, &locations),
                reader: (first.related.iter()).find_map(|(span, _)| names.get(span).copied()),
                more: same.len(),
                follows: follows.len(),
            }
        });
        let mut states: HashMap<StateId, Severity> = HashMap::new();
        let mut noted = Vec::new();
        for problem in diagnostics
            .iter()
            .filter(|problem| problem.severity > Severity::Info)
        {
            if let Some(state) = state_at(&problem.location, &locations) {
                let worst = states.entry(state).or_insert(problem.severity);
                *worst = problem.severity.max(*worst);
            }
            let line = problem.span.and_then(|span| sources.line(span));
            if let Some((span, line)) = problem.span.zip(line) {
                let rule = LintRule::of(problem.rule).map_or(problem.code, |rule| rule.name);
                noted.push(Noted {
                    span,
                    line,
                    said: format!("{rule}: {}", problem.message),
                    message: problem.message.clone(),
                });
            }
        }
        Self {
            rows: rows.collect(),
            states,
            noted,
            ..Self::default()
        }
    }

    /// Determines which finding explains the error at the cursor, and which findings matter to a finished run.
    pub(super) fn note(&mut self, session: &Session, view: &View) {
        self.note_output(session, view);
        self.explaining = self.explain(view, session.definition());
        self.concerning = view
            .end
            .as_ref()
            .map_or_else(Default::default, |end| self.tell(view, end));
    }

    /// At the end of a run that succeeded, finds the fields that wrote the output. These fields only serve to rank the
    /// findings about states that ran, so nothing is done if there are fewer than two.
    fn note_output(&mut self, session: &Session, view: &View) {
        let here = (view.header.run, view.header.event_count);
        self.output.take_if(|(known, _)| *known != here);
        let RunStatus::Succeeded { output } = &view.header.status else {
            return;
        };
        if self.output.is_some() || view.end.is_none() || self.telling(view).nth(1).is_none() {
            return;
        }
        let members = output
            .as_object()
            .map_or(&[][..], |output| output.members());
        let mut spans = Vec::new();
        for (name, _) in members.iter().take(MEMBERS) {
            let at = Pointer(vec![Step::Member(name.clone())]);
            let sought = Sought::At(Holder::Stage(Stage::Output), at);
            if let Ok(Some(Found::Origin(origin))) = session.origin(sought, SEARCHED) {
                spans.extend(origin.writes.iter().filter_map(|write| write.span));
            }
        }
        self.output = Some((here, spans));
    }

    /// Findings about states that ran, with their indices. Leaves out the findings of rules that never explain why a
    /// run failed.
    fn telling<'f>(&'f self, view: &'f View) -> impl Iterator<Item = (usize, &'f FindingRow)> {
        let ran = |state| view.of_state(state).is_some_and(|row| row.visits > 0);
        let all = self.rows.iter().enumerate();
        all.filter(move |(_, row)| !row.is_general() && row.state.is_some_and(ran))
    }

    /// The first error or warning whose location begins in this line and overlaps `span`.
    #[must_use]
    pub fn at(&self, line: usize, span: Span) -> Option<&Noted> {
        let mut noted = self.noted.iter();
        noted.find(|noted| noted.line == line && noted.span.overlaps(span))
    }

    /// All findings, the most severe first.
    #[must_use]
    pub fn rows(&self) -> &[FindingRow] {
        &self.rows
    }

    /// Number of errors and warnings, without counting repetitions.
    #[must_use]
    pub fn problems(&self) -> usize {
        let all = self.rows.iter();
        all.filter(|row| row.severity > Severity::Info).count()
    }

    /// Highest severity of a state's warnings and errors.
    #[must_use]
    pub fn of_state(&self, state: StateId) -> Option<Severity> {
        self.states.get(&state).copied()
    }

    /// Number of findings with this severity, including repetitions.
    fn count(&self, severity: Severity) -> usize {
        let rows = self.rows.iter().filter(|row| row.severity == severity);
        rows.map(|row| row.more + 1).sum()
    }

    /// Text with the number of findings of each of these severities, such as `1 error, 2 warnings, 8 notes`; empty if
    /// there are none.
    fn counted(&self, severities: &[Severity]) -> String {
        let counts = severities.iter().filter_map(|severity| {
            let word = match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "note",
            };
            match self.count(*severity) {
                0 => None,
                count => Some(counted(count, word)),
            }
        });
        counts.collect::<Vec<_>>().join(", ")
    }

    /// Summary of the errors and warnings: a text with their number, the line if there is only one, and the highest
    /// severity; `None` if there are none.
    fn worst(&self) -> Option<(String, Option<usize>, Severity)> {
        let text = self.counted(&[Severity::Error, Severity::Warning]);
        let worst = self.rows.first().filter(|_| !text.is_empty())?;
        let count = self.count(Severity::Error) + self.count(Severity::Warning);
        Some((text, worst.line.filter(|_| count == 1), worst.severity))
    }

    /// Text for the header. Refers to the finding that explains the failure of the run; if there is none, says how many
    /// errors and warnings there are and where one of them is. Ends with `key`, which lists all findings.
    #[must_use]
    pub fn header_part(
        &self,
        view: &View,
        definition: &Definition,
        key: &str,
    ) -> Option<(String, Role)> {
        let key = match key {
            "" => String::new(),
            key => format!(" ({key})"),
        };
        if let Some(row) = self.explaining.and_then(|place| self.rows.get(place)) {
            // A wide screen does not need this text, because its banner says that the value was lost in this line.
            let lost = lost_at(view).and_then(|span| definition.sources.line(span));
            if !key.is_empty() && lost.is_some() && lost == row.line {
                return None;
            }
            let finding = row.place();
            return Some((format!("see {finding}{key}"), Role::Warning));
        }
        let (problems, line, severity) = self.worst()?;
        let current = self.on_the_way(view).filter(|row| row.line.is_some());
        let text = match (current, line) {
            (Some(row), _) => format!("{problems}: {finding}", finding = row.place()),
            (None, Some(line)) => format!("{problems}, line {line}"),
            (None, None) => problems,
        };
        Some((text + &key, finding_role(severity)))
    }

    /// The first error or warning about the current state, or about another state whose problem affects the current
    /// state. `None` if the run has ended or is at an error.
    fn on_the_way(&self, view: &View) -> Option<&FindingRow> {
        let goes_well = view.end.is_none() && view.data.fault.is_none();
        let current = view.current.filter(|_| goes_well)?;
        let mut rows = self.rows.iter();
        rows.find(|row| {
            let about = [row.reader, row.state].contains(&Some(current));
            about && row.severity > Severity::Info && !row.is_general()
        })
    }

    /// True if a finding explains why the run failed, or explains the current error.
    #[must_use]
    pub fn is_explaining(&self) -> bool {
        self.explaining.is_some()
    }

    /// Index of the finding that explains why the run failed, or that explains the current error.
    fn explain(&self, view: &View, definition: &Definition) -> Option<usize> {
        let status = &view.header.status;
        if *status == RunStatus::TimedOut {
            return self.rows.iter().position(|row| row.rule == "long-retry");
        }
        let current = view.data.fault.as_ref().map(|shown| &shown.fault);
        let fault: &Fault = match status {
            RunStatus::Failed(fault) => fault,
            RunStatus::Paused(Stop::Error(..) | Stop::ProfilesDiffer(_)) | RunStatus::Past => {
                current?
            }
            _ => return None,
        };
        // Explains the error that was raised first: the error that led to the Fail state or, if there is none, the
        // error inside the state that caused the shown error. If there is neither, explains the shown error.
        let caught = view.led.as_ref().and_then(|led| led.raised.as_deref());
        let raised = caught.or(view.raised.as_ref());
        let (fault, state) = match raised {
            Some(raised) => (&raised.fault.fault, raised.state),
            None => (fault, view.data.state.or(view.current)?),
        };
        let shown = raised.map(|raised| &raised.fault);
        let shown = shown.or(view.data.fault.as_ref());
        let passed = shown.and_then(|shown| Some(shown.no_retry.as_ref()?.1));
        let at_passed = passed.and_then(|passed| {
            self.of_handling(|row| row.span.is_some_and(|span| span.overlaps(passed)))
        });
        if let Some(place) = at_passed.or_else(|| self.on_handling(state, fault.name())) {
            return Some(place);
        }
        let is_of_definition = OWN.contains(&fault.name());
        let can = |row: &FindingRow| match is_of_definition {
            true => !row.is_general(),
            false => TEXT.contains(&row.rule),
        };
        let place = |is: &dyn Fn(&FindingRow) -> bool| {
            let mut rows = self.rows.iter();
            rows.position(|row| can(row) && is(row))
        };
        place(&|row| row.reader == Some(state))
            .or_else(|| {
                place(&|row| row.state == Some(state) && !row.is_beside(fault.reason.location()))
            })
            .or_else(|| {
                place(&|row| {
                    let mut makers = view.made_by.iter().flatten();
                    makers.any(|maker| Some(*maker) == row.state)
                })
            })
            .or_else(|| self.left_as_text(view, definition))
    }

    /// Index of a finding about text that was not evaluated, provided that the text about the current error quotes that
    /// text.
    fn left_as_text(&self, view: &View, definition: &Definition) -> Option<usize> {
        let shown = view.data.fault.iter().flat_map(|shown| &shown.because);
        let raised = view.raised.iter().flat_map(|raised| &raised.fault.because);
        let led = view.led.as_ref();
        let led = led.map(|led| wording::led(led, definition).to_string());
        let because = shown.chain(raised).map(ToString::to_string);
        let said: Vec<String> = because.chain(led).collect();
        self.rows.iter().position(|row| {
            let ran = row.state.and_then(|state| view.of_state(state));
            ran.is_some_and(|state| state.visits > 0)
                && (row.literal.as_ref())
                    .is_some_and(|literal| said.iter().any(|text| text.contains(literal)))
        })
    }

    /// Index of a finding about the Retry or Catch of this state, if the finding is about the error with this name.
    fn on_handling(&self, state: StateId, error: &str) -> Option<usize> {
        let is_named = |row: &FindingRow| row.errors.iter().any(|name| **name == *error);
        self.of_handling(|row| row.state == Some(state) && is_named(row))
    }

    /// Index of the first finding about Retry or Catch for which `is_it` is true.
    fn of_handling(&self, is_it: impl Fn(&FindingRow) -> bool) -> Option<usize> {
        let mut rows = self.rows.iter();
        rows.position(|row| HANDLING.contains(&row.rule) && is_it(row))
    }

    /// Index of the finding that the header or the banner refers to.
    #[must_use]
    pub fn leading(&self) -> Option<usize> {
        self.explaining.or(self.concerning.0.first().copied())
    }

    /// Ranks the findings of a finished run: returns the indices of those about states that ran, the most relevant
    /// first. The boolean is true if the first of these findings is about an error of the run or about its output.
    fn tell(&self, view: &View, end: &EndView) -> (Vec<usize>, bool) {
        let mut errors = end.errors.iter();
        let of_error = errors.find_map(|row| self.on_handling(row.state?, &row.error));
        let made = self.output.as_ref();
        let made = made.map_or(&[][..], |(_, spans)| spans);
        let is_in_output = |row: &FindingRow| {
            let span = row.span;
            span.is_some_and(|span| made.iter().any(|field| field.overlaps(span)))
        };
        let ranked = self.telling(view);
        let ranked =
            ranked.map(|(place, row)| (Some(place) != of_error, !is_in_output(row), place));
        let mut ranked: Vec<(bool, bool, usize)> = ranked.collect();
        ranked.sort_unstable();
        let matters = ranked.first().is_some_and(|first| !first.0 || !first.1);
        (
            ranked.into_iter().map(|(.., place)| place).collect(),
            matters,
        )
    }

    /// Text about the findings for the end of a run, in several lengths, the longest first. Describes a finding about
    /// an error of the run or its output, if there is one. Otherwise, counts all findings and names the first ones
    /// about states that ran.
    #[must_use]
    pub fn at_end(&self) -> Vec<String> {
        let (indices, matters) = &self.concerning;
        let rows = indices.iter().filter_map(|place| self.rows.get(*place));
        let mut rows: Vec<&FindingRow> = rows.collect();
        rows.dedup_by_key(|row| row.place());
        let Some((first, others)) = rows.split_first() else {
            return Vec::new();
        };
        if *matters {
            let alike = others.iter().filter(|row| row.rule == first.rule);
            let lines: Vec<String> = alike
                .filter_map(|row| Some(row.line?.to_string()))
                .collect();
            let also = match lines.is_empty() {
                true => String::new(),
                false => format!(" (also {lines})", lines = lines.join(", ")),
            };
            let place = format!("{}{also}", first.place());
            return vec![format!("{place}: {}", first.message), place];
        }
        let problems = self.counted(&[Severity::Error, Severity::Warning, Severity::Info]);
        let form = |said: &str, others: &[&FindingRow]| {
            let mut places = format!("{}{said}", first.place());
            for row in others {
                let _ = write!(places, "; {}", row.place());
            }
            format!("{problems}: see {places} (:info findings lists all)")
        };
        let said = format!(": {}", first.message);
        let others = others.get(..OTHERS).unwrap_or(others);
        let mut forms = vec![
            form(&said, others),
            form(&said, &[]),
            form("", others),
            form("", &[]),
            format!("{problems}: see {finding}", finding = first.place()),
        ];
        forms.dedup();
        forms
    }
}

/// Style role in which a finding of this severity is shown.
#[must_use]
pub fn finding_role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Info,
    }
}

/// Says a diagnostic in one sentence; also returns the style role for it.
#[must_use]
pub fn said_of(diagnostic: &Diagnostic) -> (String, Role) {
    let rule = LintRule::of(diagnostic.rule).map_or(diagnostic.code, |rule| rule.name);
    let help = diagnostic.help.as_deref();
    sentence(diagnostic.severity, rule, &diagnostic.message, help)
}

fn sentence(severity: Severity, rule: &str, message: &str, help: Option<&str>) -> (String, Role) {
    let help = help.map_or_else(String::new, |help| format!("; {help}"));
    let text = format!("{severity} {rule}: {message}{help}");
    (text, finding_role(severity))
}

impl FindingRow {
    /// The finding's rule and line, such as `no-dollar, line 29`.
    fn place(&self) -> String {
        let rule = self.rule;
        match self.line {
            Some(line) => format!("{rule}, line {line}"),
            None => rule.to_owned(),
        }
    }

    fn is_general(&self) -> bool {
        LintRule::is_general(self.rule)
    }

    /// True if the finding is about one member of a field, but the expression that failed (`failed` is its location) is
    /// in another member of that field.
    fn is_beside(&self, failed: Option<&str>) -> bool {
        let failed = failed.and_then(|at| at.split_once('/'));
        let Some((field, member)) = failed else {
            return false;
        };
        let found_at = self.location.split_once(&format!("/{field}/"));
        found_at.is_some_and(|(_, found_at)| found_at != member)
    }

    /// Says the finding in one sentence; also returns the style role for it.
    #[must_use]
    pub fn said(&self) -> (String, Role) {
        sentence(
            self.severity,
            self.rule,
            &self.message,
            self.help.as_deref(),
        )
    }
}

/// Names of the errors that a finding at this location is about: the one name written there, or all names of the
/// retrier or catcher there if the finding may be about any of them.
fn errors_at(definition: &Definition, rule: &str, span: Span) -> Vec<Text> {
    let name = definition.node.at(span).and_then(|node| node.as_str());
    if let Some(name) = name.filter(|_| rule != COVERED) {
        return vec![name.into()];
    }
    let states = definition.states.iter();
    let retriers = states.clone().flat_map(|state| &state.retry);
    let retriers = retriers.map(|retrier| (retrier.span, &retrier.error_equals));
    let catchers = states.flat_map(|state| &state.catch);
    let catchers = catchers.map(|catcher| (catcher.span, &catcher.error_equals));
    let entry = retriers
        .chain(catchers)
        .find(|(entry, _)| entry.overlaps(span));
    entry.map_or(Vec::new(), |(_, names)| names.clone())
}

/// The innermost state that contains a location.
fn state_at(location: &str, states: &HashMap<&str, StateId>) -> Option<StateId> {
    let mut rest = location;
    loop {
        if let Some(state) = states.get(rest) {
            return Some(*state);
        }
        let end = rest.rfind(['/', '['])?;
        rest = rest.get(..end)?;
    }
}
