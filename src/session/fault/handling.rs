//! Retriers, catchers and attempts as text: which one handles the error, and why.

use super::explain::no_place;
use super::limit::{machine_limit, retries_used, wait_cut_short};
use crate::definition::{Definition, Jitter, QueryLanguage, ResultPath, Retrier, State, StateKind};
use crate::interpreter::{
    Fault, Frame, Handled, Machine, Millis, Phase, Status, Timer, catcher_for, delay_millis,
    is_hidden, matches, retrier_for, takes,
};
use crate::json::Text;
use crate::query::Profile;
use crate::session::note::{duration, spent_retrier};
use crate::session::tally::once_over;
use crate::session::view::{AttemptView, CatcherView, HandlingView, RetrierView, StateStatus};
use crate::session::visit_view::Follows;
use crate::source::Span;

/// Retriers, catchers and attempts of a frame's current state.
pub(in crate::session) fn handling(
    machine: &Machine,
    frame: &Frame,
    state: &State,
) -> HandlingView {
    let failed = frame.visit.failed_catcher();
    // An error that a catcher itself raises is not matched against other catchers.
    let fault = frame.visit.fault.as_ref().filter(|_| failed.is_none());
    let fault = fault.map(|(fault, _)| fault);
    // After the end of the run, nothing is next and no deadline is pending.
    let runs = matches!(machine.status(), Status::Running);
    let timer = |wanted: Timer| frame_timer(machine, frame, wanted);
    HandlingView {
        retriers: retriers(machine, frame, state, fault),
        catchers: catchers(machine, frame, state, (fault, failed)),
        near: fault.and_then(|fault| nearly_taken(state, fault, machine.profile())),
        attempts: frame
            .visit
            .attempts
            .iter()
            .map(|attempt| AttemptView {
                number: attempt.number,
                started: attempt.started,
                took: attempt
                    .ended
                    .or((!runs).then(|| machine.now()))
                    .map(|ended| ended.saturating_sub(attempt.started)),
                error: attempt.error.clone(),
                status: match (&attempt.error, attempt.ended) {
                    (Some(_), _) => StateStatus::ErrorRaised,
                    // A Map that continued only because the user ignored its failures counts as failed.
                    (None, Some(_)) if went_on(frame, attempt.number) => StateStatus::Failed,
                    (None, Some(_)) => StateStatus::Succeeded,
                    (None, None) => once_over(machine, StateStatus::Running),
                },
            })
            .collect(),
        timeout_at: timer(Timer::Timeout).filter(|_| runs),
        heartbeat_at: timer(Timer::HeartbeatTimeout).filter(|_| runs),
    }
}

/// True if an attempt continued despite failures that would have ended it.
fn went_on(frame: &Frame, attempt: u32) -> bool {
    let group = frame.visit.group.as_ref();
    attempt == frame.visit.attempt && group.is_some_and(|group| group.went_on)
}

fn frame_timer(machine: &Machine, frame: &Frame, wanted: Timer) -> Option<u64> {
    machine
        .timers(frame.id)
        .iter()
        .find(|(_, timer)| *timer == wanted)
        .map(|(due, _)| *due)
}

fn retriers(
    machine: &Machine,
    frame: &Frame,
    state: &State,
    fault: Option<&Fault>,
) -> Vec<RetrierView> {
    let profile = machine.profile();
    let visit = &frame.visit;
    let runs = matches!(machine.status(), Status::Running);
    let cut = wait_cut_short(machine, frame).map(|cut| (cut.retrier as usize, cut.waited));
    let took = match frame.visit.handled {
        Some(Handled::Retrier(index)) => Some(index as usize),
        _ => None,
    };
    let first = fault.and_then(|fault| {
        state
            .retry
            .iter()
            .position(|one| takes(&one.error_equals, fault, profile))
    });
    let rows = state.retry.iter().enumerate().map(|(place, retrier)| {
        let used = frame.visit.retriers.get(place).cloned().unwrap_or_default();
        let left = used.used < retrier.max_attempts;
        let is_next = took.is_none() && first == Some(place) && left;
        let why = match (fault, first) {
            (None, _) => String::new(),
            (Some(fault), Some(first))
                if first < place && takes(&retrier.error_equals, fault, profile) =>
            {
                let by = state.retry.get(first).map(|one| &one.error_equals);
                taken_before("Retry", first, by, fault, profile)
            }
            (Some(fault), Some(first)) if first == place && !left && took != Some(place) => {
                spent(place, retrier, used.used, fault, profile)
            }
            (Some(fault), _) => reason(&retrier.error_equals, fault, profile),
        };
        let late =
            late_retry(machine, frame, state, fault).filter(|_| is_next || took == Some(place));
        let delay = whole(delay_millis(retrier, used.used));
        let why = match &late {
            Some(late) => format!("{why}; the retry {late}"),
            None => why,
        };
        let nearest = fault.and_then(|fault| nearest_retrier(state, fault, profile));
        RetrierView {
            is_close: nearest.is_some_and(|(nearest, ..)| nearest == place),
            errors: retrier.error_equals.clone(),
            used: retries_used(machine, frame, place, used.used),
            max: retrier.max_attempts,
            back_off: back_off(retrier),
            // After the end of the run, nothing is next.
            next: (is_next && runs && late.is_none()).then_some(delay),
            waited: used.waited,
            waits: took == Some(place) && visit.phase == Phase::Parked && runs,
            cut_short: cut
                .as_ref()
                .filter(|(at, _)| *at == place)
                .map(|(_, waited)| *waited),
            takes: took == Some(place) || is_next,
            why,
            span: named_at(
                machine.definition(),
                retrier.span,
                fault.map_or("", |fault| matched(&retrier.error_equals, fault, profile)),
            ),
        }
    });
    rows.collect()
}

/// Location of the ErrorEquals of a retrier or catcher, or of the name in it that matched, because each name may be on
/// its own line.
pub(in crate::session) fn named_at(definition: &Definition, handler: Span, matched: &str) -> Span {
    let node = definition.node.at(handler);
    let Some(names) = node.and_then(|node| node.get("ErrorEquals")) else {
        return handler;
    };
    let mut each = names.items().unwrap_or_default().iter();
    let own = each.find(|name| name.as_str() == Some(matched));
    own.unwrap_or(names).span
}

/// A note that the execution's time limit leaves no time for the retry that would follow or that is being waited for.
fn late_retry(
    machine: &Machine,
    frame: &Frame,
    state: &State,
    fault: Option<&Fault>,
) -> Option<String> {
    if let Some(due) = frame_timer(machine, frame, Timer::Retry) {
        return beyond_limit(machine, due);
    }
    let used = &frame.visit.retriers;
    let (_, delay) = retrier_for(&state.retry, used, fault?, machine.profile())?;
    beyond_limit(machine, machine.now().saturating_add(whole(delay)))
}

/// True if an error leads to a retry, or one is being waited for, and the execution's time limit leaves time for it.
pub(in crate::session) fn is_retried(
    machine: &Machine,
    frame: &Frame,
    state: &State,
    fault: &Fault,
) -> bool {
    let waits = frame_timer(machine, frame, Timer::Retry).is_some();
    let (used, profile) = (&frame.visit.retriers, machine.profile());
    let taken = || retrier_for(&state.retry, used, fault, profile).is_some();
    let is_to_come = waits || frame.visit.failed_catcher().is_none() && taken();
    is_to_come && late_retry(machine, frame, state, Some(fault)).is_none()
}

fn catchers(
    machine: &Machine,
    frame: &Frame,
    state: &State,
    (fault, failed): (Option<&Fault>, Option<usize>),
) -> Vec<CatcherView> {
    let (definition, profile) = (machine.definition(), machine.profile());
    let is_late = late_retry(machine, frame, state, fault).is_some();
    let first = fault.and_then(|fault| catcher_for(&state.catch, fault, profile));
    let waits = frame_timer(machine, frame, Timer::Retry).is_some();
    let retried = fault.is_some_and(|fault| {
        waits || retrier_for(&state.retry, &frame.visit.retriers, fault, profile).is_some()
    });
    let rows = state.catch.iter().enumerate().map(|(place, catcher)| {
        let why = match (fault, first) {
            (None, _) if failed == Some(place) => {
                "caught the error, but failed itself, which is not caught".to_string()
            }
            (None, _) => String::new(),
            (Some(fault), Some(first))
                if first < place && takes(&catcher.error_equals, fault, profile) =>
            {
                let by = state.catch.get(first).map(|one| &one.error_equals);
                taken_before("Catch", first, by, fault, profile)
            }
            (Some(fault), Some(first)) if first == place && retried => {
                let name = matched(&catcher.error_equals, fault, profile);
                match is_late {
                    true => format!("matches ({name}), but the run ends before the retries do"),
                    false => format!("catches it ({name}) after the retries"),
                }
            }
            (Some(fault), _) => reason(&catcher.error_equals, fault, profile),
        };
        let no_place = no_place(catcher, frame).filter(|_| first == Some(place));
        let why = match no_place {
            Some(no_place) => format!("{why}, but fails: {no_place}"),
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
            matched: fault.and_then(|fault| {
                let name = matched(&catcher.error_equals, fault, profile);
                (!name.is_empty()).then(|| name.into())
            }),
            why,
            span: named_at(
                definition,
                catcher.span,
                fault.map_or("", |fault| matched(&catcher.error_equals, fault, profile)),
            ),
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

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a delay is positive and below 2^53"
)]
fn whole(millis: f64) -> u64 {
    millis.round() as u64
}

/// Consequence of an error with this name: a retry, a catcher, or the end.
pub(in crate::session) fn what_follows(
    machine: &Machine,
    frame: &Frame,
    state: &State,
    fault: &Fault,
) -> Follows {
    let profile = machine.profile();
    let retriers = || state.retry.iter().map(|one| &one.error_equals);
    if let Some(place) = frame.visit.failed_catcher() {
        let fails = fails(machine, frame, fault);
        return Follows::plain(format!("not caught: Catch[{place}] itself failed; {fails}"));
    }
    if let Some((place, delay)) = retrier_for(&state.retry, &frame.visit.retriers, fault, profile) {
        let used = frame.visit.retriers.get(place).map_or(0, |one| one.used);
        let max = state.retry.get(place).map_or(0, |one| one.max_attempts);
        let delay = whole(delay);
        let next = used + 1;
        let due = machine.now().saturating_add(delay);
        let over = passed_over("Retry", place, retriers(), fault, profile);
        let (text, why) = match beyond_limit(machine, due) {
            Some(limit) => ("would be too late".to_owned(), format!("it {limit}")),
            None => (format!("in {}", duration(delay)), String::new()),
        };
        let over = over.map_or_else(String::new, |over| format!("; {over}"));
        return Follows {
            text: format!("retry {next}/{max} {text}{over}"),
            why,
            ..Follows::default()
        };
    }
    let spent = spent_retrier(frame, state, fault, profile).map(|place| {
        let used = frame.visit.retriers.get(place).map_or(0, |one| one.used);
        let retrier = state.retry.get(place);
        let why = retrier.map(|retrier| spent(place, retrier, used, fault, profile));
        let over = passed_over("Retry", place, retriers(), fault, profile);
        why.into_iter().chain(over).collect::<Vec<_>>().join("; ")
    });
    let (text, why) = match catcher_for(&state.catch, fault, profile) {
        Some(place) => {
            let catcher = state.catch.get(place);
            let name = name_of(state, place, fault, profile);
            match catcher.and_then(|one| no_place(one, frame)) {
                Some(why) => (format!("Catch[{place}] ({name}) catches it and fails"), why),
                None => {
                    let next = catcher.and_then(|one| one.next.as_ref());
                    let next = next.map_or("?", |next| &next.name);
                    let catchers = state.catch.iter().map(|one| &one.error_equals);
                    let over = passed_over("Catch", place, catchers, fault, profile);
                    let over = over.map_or_else(String::new, |over| format!("; {over}"));
                    (
                        format!("Catch[{place}] ({name}) → {next}{over}"),
                        String::new(),
                    )
                }
            }
        }
        None => {
            let fails = fails(machine, frame, fault);
            (format!("not caught: {fails}"), String::new())
        }
    };
    let close = || {
        let (place, _, name) = nearest_retrier(state, fault, profile)?;
        Some(format!("Retry[{place}] {}", is_for(name, fault)))
    };
    Follows {
        spent: spent.or_else(close).unwrap_or_default(),
        text,
        why,
    }
}

/// For a retry that the execution's time limit leaves no time for: `would come 68 min into the run; TimeoutSeconds
/// 3600, line 4, ends the run before`.
pub(in crate::session) fn beyond_limit(machine: &Machine, due: Millis) -> Option<String> {
    let limit = machine_limit(machine).filter(|limit| limit.at < due)?;
    let at = duration(due);
    let ends = match limit.line {
        Some(line) => format!("TimeoutSeconds {}, line {line},", limit.at / 1000),
        None => "the limit of an EXPRESS execution".to_owned(),
    };
    Some(format!(
        "would start {at} into the run, but {ends} ends the run earlier"
    ))
}

/// `; Catch[2] would match, Catch[1] comes first`, if a later retrier or catcher contains the error's exact name.
fn passed_over<'n>(
    what: &str,
    first: usize,
    mut names: impl Iterator<Item = &'n Vec<Text>>,
    fault: &Fault,
    profile: Profile,
) -> Option<String> {
    let own = |names: &Vec<Text>| names.iter().any(|name| &**name == fault.name());
    let by_name = names.nth(first).is_some_and(own);
    let later = names.position(|names| own(names) && takes(names, fault, profile));
    later.filter(|_| !by_name).map(|later| {
        let later = first + 1 + later;
        format!("{what}[{later}] would match, but {what}[{first}] comes first")
    })
}

/// Consequence of an error that the frame does not catch: `item 3 fails, ImportEach tolerates it`.
fn fails(machine: &Machine, frame: &Frame, fault: &Fault) -> String {
    let parent = frame.parent.and_then(|id| machine.frame(id));
    let around = parent.and_then(|parent| {
        let state = machine.definition().state(parent.visit.state)?;
        Some((parent, state))
    });
    let Some((parent, state)) = around else {
        return "the run fails".to_string();
    };
    let outside = taken_outside(machine, parent, state, fault).unwrap_or_default();
    let StateKind::Map(map) = &state.kind else {
        let name = machine.definition().branch(state, frame.index);
        let name = name.map_or_else(|| frame.index.to_string(), str::to_owned);
        return format!("branch {name} fails{outside}");
    };
    let group = parent.visit.group.as_ref();
    let tolerance = match machine.failure_of(parent.id, fault.clone()) {
        None if group.is_some_and(|group| group.ignores_failures) => {
            format!(", but {} was told to continue", state.name)
        }
        None => format!(", which {} tolerates", state.name),
        Some(_) if group.is_some_and(|group| group.tolerates_any()) => {
            format!(", more than {} tolerates", state.name)
        }
        Some(_) => String::new(),
    };
    format!("{} {} fails{tolerance}{outside}", map.unit(), frame.index)
}

/// `; SetUp: Catch[1] (States.ALL) → Later`, if an ancestor frame retries or catches the failure of a child of
/// `frame`.
fn taken_outside(machine: &Machine, frame: &Frame, state: &State, fault: &Fault) -> Option<String> {
    let fault = machine.failure_of(frame.id, fault.clone())?;
    let profile = machine.profile();
    let retried = retrier_for(&state.retry, &frame.visit.retriers, &fault, profile).is_some();
    if retried || catcher_for(&state.catch, &fault, profile).is_some() {
        let follows = what_follows(machine, frame, state, &fault);
        return Some(format!("; {}: {follows}", state.name));
    }
    let parent = machine.frame(frame.parent?)?;
    let state = machine.definition().state(parent.visit.state)?;
    taken_outside(machine, parent, state, &fault)
}

/// The name in ErrorEquals that matches an error.
fn matched<'n>(names: &'n [Text], fault: &Fault, profile: Profile) -> &'n str {
    let name = names.iter().find(|name| matches(name, fault, profile));
    name.map_or("", |name| name)
}

fn name_of<'s>(state: &'s State, catcher: usize, fault: &Fault, profile: Profile) -> &'s str {
    let catcher = state.catch.get(catcher);
    catcher.map_or("", |catcher| matched(&catcher.error_equals, fault, profile))
}

/// Text for a retrier or catcher after the one that handles the error, such as `would match; taken by Retry[1]
/// (States.TaskFailed)`.
fn taken_before(
    what: &str,
    first: usize,
    names: Option<&Vec<Text>>,
    fault: &Fault,
    profile: Profile,
) -> String {
    let name = names.map_or("", |names| matched(names, fault, profile));
    format!("would match, but {what}[{first}] ({name}) comes first")
}

/// Text for a retrier without attempts left, such as `Retry[1] matches (States.TaskFailed), used up: 1 of 1`.
fn spent(place: usize, retrier: &Retrier, used: u64, fault: &Fault, profile: Profile) -> String {
    let name = matched(&retrier.error_equals, fault, profile);
    match retrier.max_attempts {
        0 => format!("Retry[{place}] matches ({name}), MaxAttempts 0: never retries"),
        max => format!("Retry[{place}] matches ({name}), used up: {used} of {max}"),
    }
}

/// Why an error was not retried, if a retrier explains it: the retrier matches but has no attempts left (`Retry[1],
/// line 48 (States.Timeout), used up: 2 of 2`), or it names a similar error (`Retry[1], line 139, is for BedLocked`).
/// Also returns the location of that name.
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
    let name = matched(&retrier.error_equals, fault, profile);
    let span = named_at(definition, retrier.span, name);
    let line = line(span);
    let names = state.retry.iter().map(|one| &one.error_equals);
    let over = passed_over("Retry", place, names, fault, profile);
    let why = match retrier.max_attempts {
        0 => "MaxAttempts 0: never retries".to_owned(),
        max => format!("used up: {max} of {max}"),
    };
    let over = over.map_or_else(String::new, |over| format!("; {over}"));
    Some((format!("Retry[{place}]{line} ({name}), {why}{over}"), span))
}

/// Text such as `is for BedLocked`, `is for States.TaskFailed, which excludes States.Timeout`.
fn is_for(name: &str, fault: &Fault) -> String {
    match name {
        "States.TaskFailed" => format!("is for {name}, which excludes {}", shown(fault)),
        _ => format!("is for {name}"),
    }
}

/// For an error that no retrier matches: the retrier that names a similar error, with that name.
fn nearest_retrier<'s>(
    state: &'s State,
    fault: &Fault,
    profile: Profile,
) -> Option<(usize, &'s Retrier, &'s str)> {
    let taken = |one: &Retrier| takes(&one.error_equals, fault, profile);
    if is_hidden(fault) || state.retry.iter().any(taken) {
        return None;
    }
    let mut retriers = state.retry.iter().enumerate();
    retriers.find_map(|(place, retrier)| {
        let name = near(&retrier.error_equals, fault)?;
        let is_close = name != "States.TaskFailed" || fault.name() == "States.Timeout";
        is_close.then_some((place, retrier, name))
    })
}

/// For an error that no retrier or catcher matches: the closest name in their ErrorEquals.
fn nearly_taken(state: &State, fault: &Fault, profile: Profile) -> Option<(Text, Text)> {
    let retried = state.retry.iter().map(|retrier| &retrier.error_equals);
    let lists: Vec<_> = retried
        .chain(state.catch.iter().map(|catcher| &catcher.error_equals))
        .collect();
    if is_hidden(fault) || lists.iter().any(|names| takes(names, fault, profile)) {
        return None;
    }
    let mut near = lists.iter().filter_map(|names| near(names, fault));
    let name = near.find(|name| *name != "States.TaskFailed")?;
    Some((fault.error.clone()?, name.into()))
}

/// The name in a list that is close to an error that the list does not match.
fn near<'n>(names: &'n [Text], fault: &Fault) -> Option<&'n str> {
    match names {
        [only] if &**only == "States.TaskFailed" => Some(only),
        _ => {
            let typed = fault.name();
            // `X.RequestInProgress` for `X.RequestInProgressException`, or without the prefix: not close enough to be
            // a typing mistake.
            let bare = typed.split_once('.').map_or("", |(_, bare)| bare);
            let longer =
                |name: &str| typed.starts_with(name) || name.starts_with(typed) || bare == name;
            let longer = names.iter().find(|name| !typed.is_empty() && longer(name));
            let near = crate::source::nearest(typed, names.iter().map(|name| &**name));
            near.or(longer.map(|name| &**name))
        }
    }
}

/// One sentence that says why a list of names matches an error, or why not.
fn reason(names: &[Text], fault: &Fault, profile: Profile) -> String {
    if is_hidden(fault) {
        return format!("{} is never retried or caught", shown(fault));
    }
    if let Some(name) = names.iter().find(|name| matches(name, fault, profile)) {
        return format!("matches ({name})");
    }
    match (names, near(names, fault)) {
        ([only], _) if &**only == "States.TaskFailed" => {
            format!("States.TaskFailed does not match {}", shown(fault))
        }
        (_, Some(near)) => {
            format!(
                "{} is not in ErrorEquals; the closest is {near}",
                shown(fault)
            )
        }
        (_, None) => format!("{} is not in ErrorEquals", shown(fault)),
    }
}

fn shown(fault: &Fault) -> &str {
    fault.error.as_deref().unwrap_or("an error without a name")
}
