//! Describes a state's retriers, catchers and attempts: which retrier or catcher handles the error, and why.

use super::explain::no_place;
use super::{machine_limit, retries_used, wait_cut_short};
use crate::definition::{Definition, Jitter, QueryLanguage, ResultPath, Retrier, State, StateKind};
use crate::interpreter::{
    Fault, Frame, Handled, Machine, Millis, Phase, Timer, delay_millis, is_hidden, matches, whole,
};
use crate::json::Text;
use crate::query::Profile;
use crate::session::in_state::InState;
use crate::session::note::{duration, spent_retrier};
use crate::session::tally::once_over;
use crate::session::view::{AttemptView, CatcherView, HandlingView, RetrierView, StateStatus};
use crate::session::visit_view::Follows;
use crate::source::Span;

/// Retriers, catchers and attempts of a frame's current state.
pub(in crate::session) fn handling(at: InState<'_>) -> HandlingView {
    let (machine, frame) = (at.machine, at.frame);
    let failed = frame.visit.failed_catcher();
    // An error that a catcher itself raises is not matched against other catchers.
    let fault = at.fault().filter(|_| failed.is_none());
    // After the end of the run, no deadline is pending.
    let timer = |wanted: Timer| machine.due(frame.id, wanted).filter(|_| at.runs());
    let attempts = frame.visit.attempts.iter().map(|attempt| {
        let over = (!at.runs()).then(|| machine.now());
        AttemptView {
            number: attempt.number,
            started: attempt.started,
            took: (attempt.ended.or(over)).map(|ended| ended.saturating_sub(attempt.started)),
            error: attempt.error.clone(),
            status: match (&attempt.error, attempt.ended) {
                (Some(_), _) => StateStatus::ErrorRaised,
                // An attempt of a Map counts as failed if the Map continued only because the user ignored its failures.
                (None, Some(_)) if went_on(frame, attempt.number) => StateStatus::Failed,
                (None, Some(_)) => StateStatus::Succeeded,
                (None, None) => once_over(machine, StateStatus::Running),
            },
        }
    });
    HandlingView {
        retriers: retriers(at, fault),
        catchers: catchers(at, (fault, failed)),
        near: fault.and_then(|fault| nearly_taken(at.state, fault, machine.profile())),
        attempts: attempts.collect(),
        timeout_at: timer(Timer::Timeout),
        heartbeat_at: timer(Timer::HeartbeatTimeout),
    }
}

/// True if the Map, in this attempt, continued only because the user ignored its failures.
fn went_on(frame: &Frame, attempt: u32) -> bool {
    let group = frame.visit.group.as_ref();
    attempt == frame.visit.attempt && group.is_some_and(|group| group.went_on)
}

fn retriers(at: InState<'_>, fault: Option<&Fault>) -> Vec<RetrierView> {
    let (machine, state, visit) = (at.machine, at.state, &at.frame.visit);
    let cut = wait_cut_short(machine, at.frame);
    let took = match visit.handled {
        Some(Handled::Retrier(index)) => Some(index as usize),
        _ => None,
    };
    let handlers = fault.map(|fault| Handlers::retriers(state, fault, machine.profile()));
    let first = handlers.as_ref().and_then(Handlers::first);
    let late = late_retry(at, fault);
    let nearest = fault.and_then(|fault| nearest_retrier(state, fault, machine.profile()));
    let rows = state.retry.iter().enumerate().map(|(place, retrier)| {
        let used = visit.retriers.get(place).cloned().unwrap_or_default();
        let left = used.used < retrier.max_attempts;
        let is_next = took.is_none() && first == Some(place) && left;
        let takes = took == Some(place) || is_next;
        let mut why = (handlers.as_ref()).map_or_else(String::new, |all| all.why(place));
        if first == Some(place) && !left && took != Some(place) {
            why.push_str(&format!(", {}", used_up(retrier, used.used)));
        }
        if let Some(late) = late.as_ref().filter(|_| takes) {
            why.push_str(&format!("; {late}"));
        }
        let delay = whole(delay_millis(retrier, used.used));
        RetrierView {
            is_close: nearest.is_some_and(|(nearest, ..)| nearest == place),
            errors: retrier.error_equals.clone(),
            used: retries_used(machine, at.frame, place, used.used),
            max: retrier.max_attempts,
            back_off: back_off(retrier),
            // After the end of the run, no retry follows.
            next: (is_next && at.runs() && late.is_none()).then_some(delay),
            waited: used.waited,
            waits: took == Some(place) && visit.phase == Phase::Parked && at.runs(),
            cut_short: cut
                .as_ref()
                .filter(|(at, _)| *at == place)
                .map(|(_, waited)| *waited),
            takes,
            why,
            span: named_at(
                machine.definition(),
                retrier.span,
                handlers.as_ref().map_or("", |all| all.name(place)),
            ),
        }
    });
    rows.collect()
}

/// Location of the name in ErrorEquals that matches the error. If no name matches, location of the whole ErrorEquals.
pub(in crate::session) fn named_at(definition: &Definition, handler: Span, matched: &str) -> Span {
    let node = definition.node.at(handler);
    let Some(names) = node.and_then(|node| node.get("ErrorEquals")) else {
        return handler;
    };
    let mut each = names.items().unwrap_or_default().iter();
    let name = each.find(|name| name.as_str() == Some(matched));
    name.unwrap_or(names).span
}

/// For an error that is retried: the index of the retrier, the number of the retry, and the time at which the retry is
/// due. The frame may already wait for this retry.
fn next_retry(at: InState<'_>, fault: &Fault) -> Option<(usize, u64, Millis)> {
    let machine = at.machine;
    match (
        at.frame.visit.handled,
        machine.due(at.frame.id, Timer::Retry),
    ) {
        (Some(Handled::Retrier(place)), Some(due)) => {
            Some((place as usize, at.used(place as usize), due))
        }
        _ => at.retrier(fault).map(|(place, delay)| {
            let due = machine.now().saturating_add(whole(delay));
            (place, at.used(place) + 1, due)
        }),
    }
}

/// Says that the execution's time limit ends the run before the next retry; `None` if there is no retry, or if it is
/// due in time.
fn late_retry(at: InState<'_>, fault: Option<&Fault>) -> Option<String> {
    let (.., due) = next_retry(at, fault?)?;
    beyond_limit(at.machine, due)
}

/// True if the frame retries after the error, or already waits for the retry, and the retry is due before the
/// execution's time limit.
pub(in crate::session) fn is_retried(at: InState<'_>, fault: &Fault) -> bool {
    let is_own = at.frame.visit.failed_catcher().is_none();
    let due = next_retry(at, fault).map(|(.., due)| due);
    due.is_some_and(|due| is_own && beyond_limit(at.machine, due).is_none())
}

fn catchers(at: InState<'_>, (fault, failed): (Option<&Fault>, Option<usize>)) -> Vec<CatcherView> {
    let (machine, state) = (at.machine, at.state);
    let is_late = late_retry(at, fault).is_some();
    let handlers = fault.map(|fault| Handlers::catchers(state, fault, machine.profile()));
    let first = handlers.as_ref().and_then(Handlers::first);
    let retried = fault.is_some_and(|fault| next_retry(at, fault).is_some());
    let rows = state.catch.iter().enumerate().map(|(place, catcher)| {
        let name = handlers.as_ref().map_or("", |all| all.name(place));
        let why = match &handlers {
            None if failed == Some(place) => {
                "caught the error, but the catcher's own error was not caught".to_string()
            }
            None => String::new(),
            Some(_) if first == Some(place) && retried && is_late => {
                format!("matches ({name}), but the run ends before the last retry")
            }
            Some(_) if first == Some(place) && retried => {
                format!("catches {name} after the retries")
            }
            Some(handlers) => handlers.why(place),
        };
        let no_place = no_place(catcher, at.frame).filter(|_| first == Some(place));
        let why = match no_place {
            Some(reason) => format!("{why}, but the catcher fails: {reason}"),
            None => why,
        };
        CatcherView {
            errors: catcher.error_equals.clone(),
            next: catcher
                .next
                .as_ref()
                .map_or_else(|| "?".into(), |next| next.name.clone()),
            result_path: match state.language {
                QueryLanguage::Jsonata if catcher.jsonata.output.is_some() => "Output".into(),
                _ => result_path_text(&catcher.result_path),
            },
            takes: first == Some(place) && !is_late,
            matched: (!name.is_empty()).then(|| name.into()),
            why,
            span: named_at(at.definition(), catcher.span, name),
        }
    });
    rows.collect()
}

pub(in crate::session) fn result_path_text(path: &ResultPath) -> Text {
    match path {
        ResultPath::Replace => "$".into(),
        ResultPath::Discard => "null".into(),
        ResultPath::Insert(reference) => reference.text().into(),
    }
}

/// The delays of a retrier as text, such as `2 s × 2.0, at most 60 s, jitter`.
fn back_off(retrier: &Retrier) -> String {
    let mut text = format!("{} s × {}", retrier.interval_seconds, retrier.backoff_rate);
    if let Some(cap) = retrier.max_delay_seconds {
        text.push_str(&format!(", at most {cap} s"));
    }
    if retrier.jitter == Jitter::Full {
        text.push_str(", jitter");
    }
    text
}

/// The consequence of an error: a retry, a transition by a catcher, or the end of the frame.
pub(in crate::session) fn what_follows(at: InState<'_>, fault: &Fault) -> Follows {
    let (machine, frame, state) = (at.machine, at.frame, at.state);
    let (definition, profile) = (machine.definition(), machine.profile());
    if let Some(place) = frame.visit.failed_catcher() {
        let failure = fails(at, fault);
        return Follows::plain(format!(
            "not caught, because Catch[{place}] itself failed; {failure}"
        ));
    }
    if let Some((place, number, due)) = next_retry(at, fault) {
        let max = state
            .retry
            .get(place)
            .map_or(0, |retrier| retrier.max_attempts);
        let over = Handlers::retriers(state, fault, profile).passed_over(place);
        let (when, why) = match beyond_limit(machine, due) {
            Some(limit) => ("would be too late".to_owned(), limit),
            None => {
                let wait = duration(due.saturating_sub(machine.now()));
                (format!("in {wait}"), String::new())
            }
        };
        return Follows {
            text: format!("retry {number}/{max} {when}{over}"),
            why,
            ..Follows::default()
        };
    }
    let catchers = Handlers::catchers(state, fault, profile);
    let (text, why) = match catchers.first() {
        Some(place) => {
            let (catcher, name) = (state.catch.get(place), catchers.name(place));
            match catcher.and_then(|catcher| no_place(catcher, frame)) {
                Some(why) => (
                    format!("Catch[{place}] ({name}) catches the error, but fails"),
                    why,
                ),
                None => {
                    let next = catcher.and_then(|catcher| catcher.next.as_ref());
                    let next = next.map_or("?", |next| &next.name);
                    let over = catchers.passed_over(place);
                    let text = format!("Catch[{place}] ({name}) → {next}{over}");
                    (text, String::new())
                }
            }
        }
        None => {
            let failure = fails(at, fault);
            (format!("not caught: {failure}"), String::new())
        }
    };
    let spent = spent_retrier(at, fault);
    let spent = no_retry((definition, profile), state, fault, spent);
    Follows {
        spent: spent.map_or_else(String::new, |(said, _)| said),
        text,
        why,
    }
}

/// For a retry that is due after the execution's timeout: `the retry would start 68 min into the run, but
/// TimeoutSeconds 3600, line 4, ends the run earlier`.
fn beyond_limit(machine: &Machine, due: Millis) -> Option<String> {
    let limit = machine_limit(machine).filter(|limit| limit.at < due)?;
    let at = duration(due);
    let limit = match limit.line {
        Some(line) => {
            let seconds = limit.at / 1000;
            format!("TimeoutSeconds {seconds}, line {line},")
        }
        None => "the time limit of an EXPRESS execution".to_owned(),
    };
    Some(format!(
        "the retry would start {at} into the run, but {limit} ends the run earlier"
    ))
}

/// All retriers or all catchers of a state, and the error that is matched against them.
struct Handlers<'h> {
    /// `Retry` or `Catch`.
    list: &'static str,
    /// `ErrorEquals` of each retrier or catcher.
    errors: Vec<&'h [Text]>,
    fault: &'h Fault,
    profile: Profile,
}

impl<'h> Handlers<'h> {
    fn retriers(state: &'h State, fault: &'h Fault, profile: Profile) -> Self {
        let errors = state.retry.iter().map(|retrier| &*retrier.error_equals);
        Self {
            list: "Retry",
            errors: errors.collect(),
            fault,
            profile,
        }
    }

    fn catchers(state: &'h State, fault: &'h Fault, profile: Profile) -> Self {
        let errors = state.catch.iter().map(|catcher| &*catcher.error_equals);
        Self {
            list: "Catch",
            errors: errors.collect(),
            ..Self::retriers(state, fault, profile)
        }
    }

    /// The retriers or catchers whose ErrorEquals has a name similar to the error's name, as pairs of the index and the
    /// similar name. Empty if a retrier or catcher matches the error.
    fn near(&self) -> impl Iterator<Item = (usize, &'h str)> {
        let is_open = !is_hidden(self.fault) && self.first().is_none();
        let all = self.errors.iter().enumerate().filter(move |_| is_open);
        all.filter_map(|(place, names)| Some((place, near(names, self.fault)?)))
    }

    /// The first name that matches the error in the ErrorEquals of the retrier or catcher at the index `place`; empty
    /// if no name matches.
    fn name(&self, place: usize) -> &'h str {
        let mut names = self.errors.get(place).into_iter().flat_map(|all| *all);
        let name = names.find(|name| matches(name, self.fault, self.profile));
        name.map_or("", |name| name)
    }

    /// Index of the first retrier or catcher that matches the error.
    fn first(&self) -> Option<usize> {
        (0..self.errors.len()).find(|place| !self.name(*place).is_empty())
    }

    /// A text such as `; Catch[2] would match, but Catch[1] comes first`, if a later retrier or catcher has the error's
    /// exact name; otherwise empty.
    fn passed_over(&self, first: usize) -> String {
        let is_own = |place: &usize| {
            let names = self.errors.get(*place).copied().unwrap_or_default();
            names.iter().any(|name| **name == *self.fault.name()) && !self.name(*place).is_empty()
        };
        let later = (first + 1..self.errors.len()).find(is_own);
        match later.filter(|_| !is_own(&first)) {
            Some(later) => {
                let list = self.list;
                format!("; {list}[{later}] would match, but {list}[{first}] comes first")
            }
            None => String::new(),
        }
    }

    /// Why the ErrorEquals of the retrier or catcher at the index `place` matches the error, or why it does not.
    fn why(&self, place: usize) -> String {
        let (error, name) = (shown(self.fault), self.name(place));
        let names = self.errors.get(place).copied().unwrap_or_default();
        match (self.first(), near(names, self.fault)) {
            _ if is_hidden(self.fault) => format!("{error} can never be retried or caught"),
            (Some(first), _) if first < place && !name.is_empty() => {
                let (list, name) = (self.list, self.name(first));
                format!("would match, but {list}[{first}] ({name}) comes first")
            }
            _ if !name.is_empty() => format!("matches ({name})"),
            (_, Some("States.TaskFailed")) if names.len() == 1 => {
                format!("States.TaskFailed does not match {error}")
            }
            (_, Some(near)) => {
                format!("{error} is not in ErrorEquals; the closest name is {near}")
            }
            (_, None) => format!("{error} is not in ErrorEquals"),
        }
    }
}

/// The consequence of an error that the frame does not catch: `item 3 fails, which ImportEach tolerates`.
fn fails(at: InState<'_>, fault: &Fault) -> String {
    let Some(around) = at.around() else {
        return "the run fails".to_string();
    };
    let (machine, index, owner) = (at.machine, at.frame.index, &around.state.name);
    let outside = taken_outside(around, fault).unwrap_or_default();
    let StateKind::Map(map) = &around.state.kind else {
        let name = machine.definition().branch(around.state, index);
        let name = name.map_or_else(|| index.to_string(), str::to_owned);
        return format!("branch {name} fails{outside}");
    };
    let group = around.frame.visit.group.as_ref();
    let tolerance = match machine.failure_of(around.frame.id, fault.clone()) {
        None if group.is_some_and(|group| group.ignores_failures) => {
            format!(", but you let {owner} continue")
        }
        None => format!(", which {owner} tolerates"),
        Some(_) if group.is_some_and(|group| group.tolerates_any()) => {
            format!(", which is more than {owner} tolerates")
        }
        Some(_) => String::new(),
    };
    format!(
        "{unit} {index} fails{tolerance}{outside}",
        unit = map.unit()
    )
}

/// A text such as `; SetUp: Catch[1] (States.ALL) → Later`, if the frame `at`, or a frame around it, retries or catches
/// the failure of a branch or item.
fn taken_outside(at: InState<'_>, fault: &Fault) -> Option<String> {
    let fault = at.machine.failure_of(at.frame.id, fault.clone())?;
    if at.retrier(&fault).is_some() || at.catcher(&fault).is_some() {
        let follows = what_follows(at, &fault);
        return Some(format!("; {state}: {follows}", state = at.state.name));
    }
    taken_outside(at.around()?, &fault)
}

/// Why a retrier that matches an error does not retry: `used up: 1 of 1`.
fn used_up(retrier: &Retrier, used: u64) -> String {
    match retrier.max_attempts {
        0 => "MaxAttempts is 0: no retries".to_owned(),
        max => format!("used up: {used} of {max}"),
    }
}

/// If a retrier is the reason why an error was not retried: a text about the retrier, and the location of the name in
/// its ErrorEquals. Either the retrier matches the error but has no attempts left (`Retry[1], line 48 (States.Timeout),
/// used up: 2 of 2`), or the retrier names a similar error (`Retry[1], line 139, is for BedLocked`).
pub(in crate::session) fn no_retry(
    (definition, profile): (&Definition, Profile),
    state: &State,
    fault: &Fault,
    spent: Option<usize>,
) -> Option<(String, Span)> {
    let line = |span: Span| {
        let line = definition.sources.line(span);
        line.map_or_else(String::new, |line| format!(", line {line}"))
    };
    let Some(place) = spent else {
        let (place, retrier, name) = nearest_retrier(state, fault, profile)?;
        let span = named_at(definition, retrier.span, name);
        let (line, is_for) = (line(span), is_for(name, fault));
        return Some((format!("Retry[{place}]{line}, {is_for}"), span));
    };
    let retrier = state.retry.get(place)?;
    let retriers = Handlers::retriers(state, fault, profile);
    let (name, over) = (retriers.name(place), retriers.passed_over(place));
    let span = named_at(definition, retrier.span, name);
    let (line, why) = (line(span), used_up(retrier, retrier.max_attempts));
    Some((format!("Retry[{place}]{line} ({name}), {why}{over}"), span))
}

/// Says which errors a retrier is for: `is for BedLocked` or `is for States.TaskFailed, which excludes States.Timeout`.
fn is_for(name: &str, fault: &Fault) -> String {
    match name {
        "States.TaskFailed" => format!(
            "is for {name}, which excludes {error}",
            error = shown(fault)
        ),
        name if name.eq_ignore_ascii_case(fault.name()) => {
            format!("is for {name}, which differs only in upper and lower case")
        }
        _ => format!("is for {name}"),
    }
}

/// For an error that no retrier matches: the first retrier that names a similar error, with its index and that name.
fn nearest_retrier<'s>(
    state: &'s State,
    fault: &'s Fault,
    profile: Profile,
) -> Option<(usize, &'s Retrier, &'s str)> {
    let retriers = Handlers::retriers(state, fault, profile);
    let mut near = retriers.near();
    let (place, name) =
        near.find(|(_, name)| *name != "States.TaskFailed" || fault.name() == "States.Timeout")?;
    Some((place, state.retry.get(place)?, name))
}

/// For an error that no retrier or catcher matches: the error's name, and the most similar name in an ErrorEquals.
fn nearly_taken(state: &State, fault: &Fault, profile: Profile) -> Option<(Text, Text)> {
    let retriers = Handlers::retriers(state, fault, profile);
    let catchers = Handlers::catchers(state, fault, profile);
    let is_taken = retriers.first().or(catchers.first()).is_some();
    let mut near = retriers.near().chain(catchers.near());
    let (_, name) = near.find(|(_, name)| !is_taken && *name != "States.TaskFailed")?;
    Some((fault.error.clone()?, name.into()))
}

/// For an ErrorEquals that does not match the error: the name in it that is most similar to the error's name.
fn near<'n>(names: &'n [Text], fault: &Fault) -> Option<&'n str> {
    match names {
        [only] if &**only == "States.TaskFailed" => Some(only),
        _ => {
            let typed = fault.name();
            // Names that differ by a prefix or an ending, such as `X.RequestInProgress` and
            // `X.RequestInProgressException`, differ too much to count as typing mistakes, but are similar all the
            // same.
            let bare = typed.split_once('.').map_or("", |(_, bare)| bare);
            let longer =
                |name: &str| typed.starts_with(name) || name.starts_with(typed) || bare == name;
            let longer = names.iter().find(|name| !typed.is_empty() && longer(name));
            let near = crate::source::nearest(typed, names.iter().map(|name| &**name));
            near.or(longer.map(|name| &**name))
        }
    }
}

/// Name of an error, as sentences show it.
fn shown(fault: &Fault) -> &str {
    fault.error.as_deref().unwrap_or("an error without a name")
}
