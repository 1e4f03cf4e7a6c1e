//! Checks retriers and catchers: names that match nothing or that the called service never raises, and entries without
//! effect.

use super::facts::HashMap;
use super::left_out::joined;
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::lower::rules::RETRIER;
use crate::definition::lower::{is_jsonata, is_opaque};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{Jitter, Retrier};
use crate::service::{Call, NeverRaised};
use crate::source::{Node, Span, did_you_mean};

lint_rules! {
    STATES_ALL = 60, "states-all", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "States.ALL is not alone in its list, or not in the last entry";
    COVERED = 61, "covered", "ERROR_COVERED", Severities::WARNING, "an earlier entry of Retry or Catch already handles an error name";
    UNKNOWN_ERROR = 62, "unknown-error", "UNKNOWN_ERROR", Severities::WARNING,
        "an error name is unknown, although the name begins with States. or a similar spelling";
    UNHANDLEABLE = 63, "unhandleable", "CANNOT_BE_HANDLED", Severities::WARNING, "Retry or Catch names an error that cannot be handled" {
        NOT_ON_AWS = Severities::ON_AWS, "if the specification allows the error to be handled, but AWS does not";
    };
    NEARLY_RAISED = 92, "nearly-raised", "NEARLY_RAISED", Severities::WARNING,
        "a Fail state inside the Parallel or Map spells an error name differently";
    NO_EFFECT = 65, "no-effect", "NO_EFFECT", Severities::WARNING, "a retrier's field has no effect";
    LONG_RETRY = 66, "long-retry", "LONG_RETRY", Severities::INFO, "retrying can take longer than the machine's TimeoutSeconds";
    NEVER_RAISED = 104, "never-raised", "ERROR_NEVER_RAISED",
        Severities::ON_AWS, "Retry or Catch names an error that the task never raises" {
            OTHER_SERVICE = Severities::INFO, "if the error belongs to another service";
        };
}

const ALL: &str = "States.ALL";
const TASK_FAILED: &str = "States.TaskFailed";
const DATA_LIMIT: &str = "States.DataLimitExceeded";
/// Help for an error that cannot be handled.
const FAILS: &str = "no Retry or Catch matches this error: the execution fails";
/// Error names defined by the language that a Retry or Catch may handle.
const KNOWN: [&str; 16] = [
    ALL,
    TASK_FAILED,
    "States.Timeout",
    "States.HeartbeatTimeout",
    "States.Permissions",
    "States.ResultPathMatchFailure",
    "States.ParameterPathFailure",
    "States.QueryEvaluationError",
    "States.BranchFailed",
    "States.NoChoiceMatched",
    "States.IntrinsicFailure",
    "States.ExceedToleratedFailureThreshold",
    "States.ItemReaderFailed",
    "States.ResultWriterFailed",
    "States.Runtime",
    DATA_LIMIT,
];

/// The error names that the check of a Retry or Catch has seen so far. Each name has the index of its retrier or
/// catcher, and its location.
type Seen<'n> = HashMap<&'n str, (usize, Span)>;

/// An error name that never matches, because an earlier error name already handles the same errors.
struct Taken<'n> {
    name: Located<'n>,
    /// The earlier name.
    by: &'n str,
    /// True if both names are in the same `ErrorEquals`.
    in_same_list: bool,
    /// Location of the earlier name.
    at: Span,
}

impl Taken<'_> {
    fn text(&self) -> &str {
        self.name.text().unwrap_or_default()
    }
}

impl<'d> Checker<'d> {
    pub(super) fn errors(&mut self, at: StateAt<'d>) {
        if !matches!(at.kind(), Some("Task" | "Parallel" | "Map")) {
            return;
        }
        for field in ["Retry", "Catch"] {
            let entries = at.entries(field);
            let mut seen: Seen<'_> = HashMap::default();
            for (index, entry) in entries.iter().enumerate() {
                let last = index + 1 == entries.len();
                self.error_names((index, entry), last, &mut seen);
                if field == "Retry" {
                    self.evaluated_retry(at, entry);
                }
            }
        }
        self.nearly_raised(at);
        self.data_limit(at);
        let entries = at.entries("Retry");
        for retrier in &at.state.retry {
            let entry = entries.iter().find(|entry| entry.node.span == retrier.span);
            if let Some(entry) = entry {
                self.retrier(retrier, entry);
            }
        }
        self.longest(at, &at.state.retry);
    }

    fn error_names<'n>(
        &mut self,
        (index, entry): (usize, &Located<'n>),
        last: bool,
        seen: &mut Seen<'n>,
    ) {
        let Some(list) = entry.get("ErrorEquals") else {
            return;
        };
        let names = list.items();
        let mut taken: Vec<Taken<'n>> = Vec::new();
        for name_node in &names {
            let Some(name) = name_node.text().filter(|name| !is_opaque(name)) else {
                continue;
            };
            if name == ALL && (names.len() > 1 || !last) {
                let message = "States.ALL must appear alone and at end of list";
                let place = (name_node.node.span, list.location.as_str());
                let help = "put States.ALL alone into the last entry";
                self.report(STATES_ALL, message, place, help);
            }
            if let Some((by, (first, at))) = covered(name, index, seen) {
                taken.push(Taken {
                    name: name_node.clone(),
                    by,
                    in_same_list: first == index,
                    at,
                });
            }
            seen.entry(name).or_insert((index, name_node.node.span));
            self.error_name(name, name_node);
        }
        self.covered_names(entry.node, &taken, names.len());
    }

    /// Reports the error names `taken` of one retrier or catcher: earlier names already handle all errors that these
    /// names match. `of` is the number of names in the retrier or catcher.
    fn covered_names(&mut self, item: &Node, taken: &[Taken<'_>], of: usize) {
        let Some(first) = taken.first() else {
            return;
        };
        let names: Vec<&str> = taken.iter().map(Taken::text).collect();
        let count = taken.len();
        let names = joined(&names);
        let is_general = |taken: &Taken<'_>| taken.by == TASK_FAILED && taken.text() != TASK_FAILED;
        let message = match taken.iter().all(is_general) {
            true => format!("{TASK_FAILED} in an earlier entry already handles {names}"),
            false if taken.iter().all(|taken| taken.in_same_list) => {
                format!("this list already contains {names}")
            }
            false => format!("an earlier entry already handles {names}"),
        };
        let whole = count == of;
        let never = match whole {
            true => ", so this entry is never used",
            false => "",
        };
        let attempts = item.get("MaxAttempts").and_then(Node::as_number);
        let covered = match (whole, count) {
            (true, _) => "this entry",
            (false, 1) => "this name",
            (false, _) => "these names",
        };
        let or_remove = match attempts.is_some_and(|attempts| attempts.to_string() == "0") {
            // With MaxAttempts 0, the retrier is there to prevent retries of these errors, so removing it is no
            // solution.
            true => String::new(),
            false => format!(", or remove {covered}"),
        };
        let message = format!("{message}{never}");
        let help = format!("move {covered} above the earlier entry{or_remove}");
        self.report(COVERED, message, first.name.value(), help);
        self.related(first.at, "the error is handled here");
    }

    fn error_name(&mut self, name: &str, at: &Located<'_>) {
        if name == "States.Runtime" {
            let message = format!("no Retry or Catch can handle {name}");
            return self.report(UNHANDLEABLE, message, at.value(), FAILS);
        }
        let on_aws = match name {
            "States.ParameterPathFailure" | "States.IntrinsicFailure" => {
                Some("on AWS, this error is States.Runtime, which cannot be handled")
            }
            "States.BranchFailed" => Some(
                "on AWS, a branch's error keeps its own name and never becomes States.BranchFailed",
            ),
            _ => None,
        };
        if let Some(message) = on_aws {
            let help = format!(
                "{name} exists only in the specification: on AWS, this entry matches no error"
            );
            self.report(NOT_ON_AWS, message, at.value(), help);
        }
        if is_of_language(name) {
            return;
        }
        // A name that a Fail state of the same machine raises can be caught, even if it is reserved.
        if self.raised(name) {
            return;
        }
        let is_alike = name.starts_with("State") && name.contains('.');
        let near = match is_alike || is_reserved(name) {
            true => did_you_mean(name, KNOWN),
            false => None,
        };
        if is_reserved(name) || near.is_some() {
            let help = near.unwrap_or_else(|| match name.starts_with("States.Http.") {
                true => {
                    "write States.Http.StatusCode. followed by three digits, or States.Http.Socket"
                        .to_string()
                }
                false => "error names that begin with States. are reserved".to_string(),
            });
            let message = format!("{name} is not an error of the States Language");
            self.report(UNKNOWN_ERROR, message, at.value(), help);
        }
    }

    /// True if a Fail state of the machine raises the error.
    fn raised(&mut self, name: &str) -> bool {
        let raised = self.raised.get_or_insert_with(|| {
            let fails = self.states.iter().filter(|at| at.kind() == Some("Fail"));
            let errors = fails.filter_map(|at| at.get("Error").and_then(Node::as_str));
            errors.collect()
        });
        raised.contains(name)
    }

    /// Reports `States.DataLimitExceeded` in a Retry or Catch that can never handle this error. It can be handled only
    /// if a task returns a result that is too large, in the state itself or inside it, or if a Fail raises the error.
    /// Any other value that is too large ends the execution.
    fn data_limit(&mut self, at: StateAt<'d>) {
        let mut names = handled(at);
        names.retain(|name| name.text() == Some(DATA_LIMIT));
        if names.is_empty() || self.raised(DATA_LIMIT) {
            return;
        }
        let mut open = vec![at];
        while let Some(state) = open.pop() {
            if state.kind() == Some("Task") {
                return;
            }
            open.extend(self.inside(state));
        }
        let message = format!(
            "{DATA_LIMIT} cannot be handled here, because no task inside this state returns a result"
        );
        for name in &names {
            self.report(UNHANDLEABLE, message.clone(), name.value(), FAILS);
        }
    }

    /// Compares the error names that Fail states inside a branch or item raise with the names that this state handles.
    /// Reports a raised name that differs from a handled name only in case or punctuation, if no Fail raises the
    /// handled name.
    fn nearly_raised(&mut self, at: StateAt<'_>) {
        let names = handled(at);
        let names: Vec<&str> = names.iter().filter_map(Located::text).collect();
        let inner = self.inside(at).into_iter();
        for fail in inner.filter(|inner| !names.is_empty() && inner.kind() == Some("Fail")) {
            let raised = fail.field("Error");
            let is_name = |error: &&str| !is_opaque(error) && !is_jsonata(error);
            let Some(error) = raised
                .as_ref()
                .and_then(|raised| raised.text().filter(is_name))
            else {
                continue;
            };
            let sound = sounds(error);
            let mut near = names.iter().filter(|name| sounds(name) == sound);
            if let (Some(raised), Some(near)) = (&raised, near.next())
                && !names.contains(&error)
                && !self.raised(near)
            {
                let state = &at.state.name;
                let message =
                    format!("\"{error}\" is raised here, but \"{state}\" handles \"{near}\"");
                let help = "error names must match exactly";
                self.report(NEARLY_RAISED, message, raised.value(), help);
                self.related(at.state.name_span, "the raised error is not handled here");
            }
        }
    }

    /// Reports expressions in a retrier, whose numbers must be constants in both languages.
    fn evaluated_retry(&mut self, at: StateAt<'_>, entry: &Located<'_>) {
        for (name, wanted) in [
            ("IntervalSeconds", "Integer"),
            ("MaxAttempts", "Integer"),
            ("MaxDelaySeconds", "Integer"),
            ("BackoffRate", "Number"),
        ] {
            let value = entry.get(name).filter(|_| at.is_jsonata());
            // In a JSONPath state, the parser has already reported the expression.
            if let Some(value) = value
                && value.text().is_some_and(is_jsonata)
            {
                let help = "a retrier's numbers are not evaluated: write the number itself";
                let message = format!("Expected value of type {wanted}");
                self.report(RETRIER, message, value.value(), help);
            }
        }
    }

    fn retrier(&mut self, retrier: &Retrier, entry: &Located<'_>) {
        let (attempts, interval) = (retrier.max_attempts, retrier.interval_seconds);
        let delay = retrier.max_delay_seconds.filter(|delay| *delay <= interval);
        let idle = attempts == 0 && retrier.jitter == Jitter::Full;
        for (name, message, help) in [
            (
                "MaxDelaySeconds",
                delay.map(|delay| {
                    format!(
                        "MaxDelaySeconds {delay} is not greater than IntervalSeconds {interval}"
                    )
                }),
                "every delay is the same, so BackoffRate has no effect",
            ),
            (
                "BackoffRate",
                (attempts <= 1)
                    .then(|| format!("BackoffRate has no effect with MaxAttempts {attempts}")),
                "BackoffRate applies only from the second retry on",
            ),
            (
                "JitterStrategy",
                idle.then(|| "JitterStrategy has no effect with MaxAttempts 0".to_string()),
                "remove it",
            ),
        ] {
            if let Some((message, field)) = message.zip(entry.get(name)) {
                self.report(NO_EFFECT, message, field.value(), help);
            }
        }
    }

    /// Reports retriers whose maximum total delay is longer than the timeout of the machine.
    fn longest(&mut self, at: StateAt<'_>, retriers: &[Retrier]) {
        let Some(timeout) = self.definition.deadline_seconds() else {
            return;
        };
        let total: f64 = retriers.iter().map(waiting).sum();
        if total > timeout as f64
            && let Some(field) = at.field("Retry")
        {
            let message = format!(
                "the waits before retries can take {total:.0} s in total, which is longer than the machine's limit of {timeout} s"
            );
            let help = shorter(retriers, timeout as f64)
                .unwrap_or_else(|| "lower MaxAttempts, or set MaxDelaySeconds".to_string());
            let help = match self.definition.timeout_seconds {
                Some(_) => {
                    format!("{help}; or raise TimeoutSeconds of the machine well above {total:.0}")
                }
                None => help,
            };
            self.report(LONG_RETRY, message, field.key(), help);
            self.related_timeout();
        }
    }
}

/// True if the language defines the error, or if a call of an HTTP endpoint can raise it.
fn is_of_language(name: &str) -> bool {
    match name.strip_prefix("States.Http.") {
        Some("Socket") => true,
        Some(status) => status.strip_prefix("StatusCode.").is_some_and(|code| {
            code.len() == 3 && code.chars().all(|digit| digit.is_ascii_digit())
        }),
        None => KNOWN.contains(&name),
    }
}

/// True if the name begins with `States.`, in upper or lower case. The language reserves such names.
fn is_reserved(name: &str) -> bool {
    name.get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case("States."))
}

/// The letters and digits of a name, in lower case. Names with an equal result differ only in case or punctuation.
fn sounds(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Suggests a change to the retrier with the longest delay that keeps the total delay of all retriers within `seconds`.
fn shorter(retriers: &[Retrier], seconds: f64) -> Option<String> {
    let all = || retriers.iter().map(waiting).enumerate();
    let (place, _) = all().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let longest = retriers.get(place)?;
    let others = all().filter(|(other, _)| *other != place);
    let others: f64 = others.map(|(_, waits)| waits).sum();
    let after = |change: &dyn Fn(&mut Retrier)| {
        let mut changed = longest.clone();
        change(&mut changed);
        others + waiting(&changed)
    };
    let attempts = longest.max_attempts;
    let even = after(&|changed| changed.backoff_rate = 1.0);
    if longest.backoff_rate > 1.0 && even <= seconds {
        // `MaxDelaySeconds`, which limits the growing delays, is another solution, if it is enough without other
        // changes.
        let most = ((seconds - others) / attempts as f64).floor();
        let limited = after(&|changed| changed.max_delay_seconds = Some(most as u64));
        let also = match most > longest.interval_seconds as f64 && limited <= seconds {
            true => format!(
                "; with MaxDelaySeconds {most}, the wait is {limited:.0} s, which leaves {left:.0} s for everything else",
                left = seconds - limited
            ),
            false => String::new(),
        };
        return Some(format!(
            "with BackoffRate 1.0, the wait for {attempts} retries is {even:.0} s, which leaves {left:.0} s for everything else{also}",
            left = seconds - even
        ));
    }
    let fewer = |attempts: u64| after(&|changed| changed.max_attempts = attempts);
    let attempts = (1..attempts.min(10_000)).rev();
    let (attempts, waits) = (attempts.map(|attempts| (attempts, fewer(attempts))))
        .find(|(_, waits)| *waits <= seconds)?;
    Some(format!(
        "with MaxAttempts {attempts}, the wait is {waits:.0} s, which leaves {left:.0} s for everything else",
        left = seconds - waits
    ))
}

/// The earlier name that already handles the error `name`. Also returns the index of the earlier name's retrier or
/// catcher, and the earlier name's location.
fn covered<'n>(name: &'n str, entry: usize, seen: &Seen<'_>) -> Option<(&'n str, (usize, Span))> {
    let spared = matches!(name, ALL | "States.Timeout" | "States.HeartbeatTimeout");
    let general = seen.get(TASK_FAILED);
    let general = general.filter(|(first, _)| *first < entry && !spared);
    let same = seen.get(name).map(|first| (name, *first));
    same.or_else(|| general.map(|first| (TASK_FAILED, *first)))
}

/// Maximum total delay of a retrier in seconds.
fn waiting(retrier: &Retrier) -> f64 {
    let cap = retrier.max_delay_seconds;
    let cap = cap.map_or(f64::INFINITY, |cap| cap as f64);
    let mut delay = retrier.interval_seconds as f64;
    let mut total = 0.0;
    for _ in 0..retrier.max_attempts.min(10_000) {
        total += delay.min(cap);
        delay *= retrier.backoff_rate.max(1.0);
        if !total.is_finite() {
            break;
        }
    }
    total
}

impl Checker<'_> {
    pub(super) fn never_raised(&mut self, at: StateAt<'_>, call: &Call) {
        for place in handled(at) {
            let name = place.text().filter(|name| !is_opaque(name));
            if let Some(name) = name
                && let Some(why) = call.never_raises(name)
            {
                self.never(call, name, &place, why);
            }
        }
    }

    fn never(&mut self, call: &Call, name: &str, place: &Located<'_>, why: NeverRaised) {
        let prefix = call.prefixes.first().copied().unwrap_or_default();
        let states_error = format!("States.{name}");
        let message = match why {
            NeverRaised::Name(_) => format!("the called service has no error \"{name}\""),
            _ => format!(
                "this task raises errors whose names begin with \"{prefix}.\", never \"{name}\""
            ),
        };
        let (rule, help) = match why {
            NeverRaised::Bare(_) if is_of_language(&states_error) => {
                (NEVER_RAISED, format!("did you mean \"{states_error}\"?"))
            }
            NeverRaised::Bare(None) => (
                NEVER_RAISED,
                format!("write the name with its prefix, \"{prefix}.{name}\", or remove the name"),
            ),
            NeverRaised::Bare(Some(meant))
            | NeverRaised::Prefix(meant)
            | NeverRaised::Name(meant) => (NEVER_RAISED, format!("did you mean \"{meant}\"?")),
            NeverRaised::OtherService => (
                OTHER_SERVICE,
                "remove the name: it matches no error of this task".to_string(),
            ),
        };
        self.report(rule, message, place.value(), help);
    }
}

/// The error names in the retriers and catchers of a state.
fn handled(at: StateAt<'_>) -> Vec<Located<'_>> {
    let entries = ["Retry", "Catch"].into_iter();
    let entries = entries.flat_map(|field| at.entries(field));
    let lists = entries.filter_map(|entry| entry.get("ErrorEquals"));
    lists.flat_map(|list| list.items()).collect()
}
