//! The run in words: what it is doing, why it stopped, what happened last.
//!
//! It must not know where the words are put.

use super::action::Action;
use super::end_caption;
use super::finding::Findings;
use super::fit::{Piece, width};
use super::glyph::Glyphs;
use super::keymap::Keymap;
use super::led_caption::{led, led_spent, led_way};
use super::sentence::{as_sentence, told};
use super::theme::Role;
use super::whereabouts::{
    HEADLINE, MISSING, arose, generated, is_in_focus, line_of, missing, name, place_at, place_of,
};
use crate::definition::Definition;
use crate::interpreter::{EventKind, Millis, OnAws};
use crate::query::Profile;
use crate::session::{ErrorMoment, EventNote};

use crate::session::stop::Stop;
use crate::session::view::{EventDetail, EventRow, Forecast, RunStatus, StateStatus, View};
use crate::wording;
use unicode_width::UnicodeWidthStr as _;

/// `+MM:SS.mmm`, hours where there are some.
#[must_use]
pub fn clock(time: Millis) -> String {
    let (seconds, millis) = (time / 1_000, time % 1_000);
    let (minutes, second) = (seconds / 60, seconds % 60);
    if minutes < 60 {
        format!("+{minutes:02}:{second:02}.{millis:03}")
    } else {
        format!(
            "+{}:{:02}:{second:02}.{millis:03}",
            minutes / 60,
            minutes % 60
        )
    }
}

/// `spec`, `aws`.
#[must_use]
pub fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Spec => "spec",
        Profile::Aws => "aws",
    }
}

/// What the run is doing: a word, its sign and its role.
#[must_use]
pub fn status(status: &RunStatus, glyphs: &Glyphs) -> (&'static str, &'static str, Role) {
    let sign = |status| glyphs.status(status).trim_end();
    match status {
        RunStatus::Ready => ("READY", sign(StateStatus::NotReached), Role::Info),
        RunStatus::Running => ("RUNNING", sign(StateStatus::Running), Role::Running),
        RunStatus::Paused(Stop::Error(..)) => {
            ("PAUSED", sign(StateStatus::ErrorRaised), Role::Raised)
        }
        RunStatus::Paused(Stop::Ask(_)) => ("PAUSED", sign(StateStatus::Asking), Role::Asking),
        RunStatus::Paused(Stop::Stuck) => ("STUCK", sign(StateStatus::Failed), Role::Failed),
        RunStatus::Paused(_) => ("PAUSED", glyphs.here.trim_end(), Role::Current),
        RunStatus::Past => ("PAST", if glyphs.ascii { "<<" } else { "◀" }, Role::Info),
        RunStatus::Succeeded { .. } => ("SUCCEEDED", sign(StateStatus::Succeeded), Role::Ok),
        RunStatus::Failed(_) => ("FAILED", sign(StateStatus::Failed), Role::Failed),
        RunStatus::TimedOut => ("TIMED_OUT", sign(StateStatus::Failed), Role::Failed),
    }
}

/// Why it stands, in two or three words, and the name of the error where it stands at one or ended with one.
#[must_use]
pub fn reason(view: &View) -> (String, Option<&str>) {
    let named = |name: &'_ str| !name.is_empty();
    let stop = match &view.header.status {
        RunStatus::Paused(stop) => stop,
        RunStatus::Failed(fault) => {
            return (String::new(), Some(fault.name()).filter(|name| named(name)));
        }
        _ => return (String::new(), None),
    };
    let words = match stop {
        Stop::Start => "start".into(),
        Stop::Step => "step".into(),
        Stop::Breakpoint(id) => format!("breakpoint {}", id.0),
        Stop::Error(moment, _) => format!("error {moment}"),
        Stop::Ask(_) => "waiting for answer".into(),
        Stop::Child(_) => "child execution".into(),
        Stop::ProfilesDiffer(_) => on_aws(view).unwrap_or_else(|| "AWS differs".into()),
        Stop::Recorded(_) => "first difference".into(),
        Stop::NotRecorded(_) => "not recorded".into(),
        Stop::Target => "arrived".into(),
        Stop::Pause => "paused".into(),
        Stop::Travel => "travelled".into(),
        Stop::Reload(Some(_)) => "reloaded, differs".into(),
        Stop::Reload(None) => "reloaded".into(),
        Stop::Memory(_) => "memory limit".into(),
        Stop::Stuck => "never answers".into(),
        Stop::End => "end".into(),
    };
    let name = match stop {
        Stop::Error(_, name) => Some(name.as_ref()),
        Stop::ProfilesDiffer(_) => {
            let raised = view.raised.as_ref().map(|raised| &raised.fault);
            raised
                .or(view.data.fault.as_ref())
                .map(|own| own.fault.name())
        }
        _ => None,
    };
    (words, name.filter(|name| named(name)))
}

/// `AWS: States.Runtime`: what an error is called there, or that there is none.
fn on_aws(view: &View) -> Option<String> {
    let raised = view.raised.as_ref().map(|raised| &raised.fault);
    let fault = &raised.or(view.data.fault.as_ref())?.fault;
    Some(match fault.aws.as_ref()? {
        OnAws::Fault { error, .. } if **error != *fault.name() => format!("AWS: {error}"),
        OnAws::Fault { handled: true, .. } => "AWS: can be caught".to_owned(),
        OnAws::Fault { handled: false, .. } => "AWS: cannot be caught".to_owned(),
        OnAws::GoesOn(_) => "AWS: no error".to_owned(),
    })
}

/// One sentence on where the run stands in about `room` cells, what matters most first, and its role.
#[must_use]
pub fn sentence(
    view: &View,
    definition: &Definition,
    last: Option<&EventRow>,
    keymap: &Keymap,
    findings: &Findings,
    room: usize,
) -> (String, Role) {
    let state = name(definition, view.current);
    let header = &view.header;
    let key = |action| keymap.shown(action).unwrap_or_default();
    let happened = happened(last, definition);
    match &header.status {
        RunStatus::Ready | RunStatus::Paused(Stop::Start) => (
            format!(
                "{} is ready at {state}: {} steps, {} goes to the next state, {} to the next stop.",
                header.machine,
                key(Action::Step),
                key(Action::Next),
                key(Action::Continue)
            ),
            Role::Info,
        ),
        RunStatus::Running => (
            format!("running; {} or Ctrl-C pauses", key(Action::Pause)),
            Role::Running,
        ),
        RunStatus::Past if is_error(view, last) => {
            let number = format!("Event {} of {}: ", header.event, header.event_count);
            let error = view.data.fault.as_ref().map_or("", |own| own.fault.name());
            let room = room.saturating_sub(number.width());
            let text = error_sentence(view, definition, ErrorMoment::Raised, error, room);
            (number + &text, Role::Raised)
        }
        RunStatus::Past => (
            format!(
                "Event {} of {}: {happened}. {} {} {} step through what was recorded, {} goes to now.",
                header.event,
                header.event_count,
                key(Action::Next),
                key(Action::Step),
                key(Action::Continue),
                key(Action::Now)
            ),
            Role::Info,
        ),
        RunStatus::Succeeded { output } => {
            let is_run_on = view.end.as_ref().is_some_and(|end| !end.run_on.is_empty());
            let role = if is_run_on { Role::Warning } else { Role::Ok };
            let found = findings.at_end(view);
            (
                end_caption::succeeded(view, definition, output, (room, found), &key),
                role,
            )
        }
        RunStatus::Failed(fault) => (
            {
                // The header names the one that explains it.
                let explained = findings.explaining(view, definition).is_some();
                let mut found = findings.at_end(view);
                if explained {
                    found.clear();
                }
                end_caption::failed(view, definition, fault, (room, found), &key)
            },
            Role::Failed,
        ),
        RunStatus::TimedOut => (end_caption::timed_out(view), Role::Failed),
        RunStatus::Paused(stop) => paused(stop, view, definition, room, &state, last, &key),
    }
}

fn paused(
    stop: &Stop,
    view: &View,
    definition: &Definition,
    room: usize,
    state: &str,
    last: Option<&EventRow>,
    key: &dyn Fn(Action) -> String,
) -> (String, Role) {
    let happened = &*happened(last, definition);
    let follows = follows(view);
    let forecast = match follows.as_str() {
        "" => String::new(),
        text => format!(". {}", as_sentence(text)),
    };
    match stop {
        Stop::Error(moment, error) => (
            error_sentence(view, definition, *moment, error, room),
            Role::Raised,
        ),
        Stop::Ask(_) => {
            let others = match view.tasks.len() {
                0 | 1 => String::new(),
                count => format!(" (idle: {count} tasks pending)"),
            };
            let answer = key(Action::Answer);
            let waits = match &view.recorded {
                Some(_) => format!("The answer to {state} was not recorded"),
                None => format!("{state} waits for an answer"),
            };
            let text = format!("{waits}{others}: {answer} gives a result or an error.");
            (text, Role::Asking)
        }
        Stop::ProfilesDiffer(text) => {
            // The field that is worked on is what AWS takes otherwise.
            let (at, fault) = arose(view, definition);
            let here = view.current_span.filter(|_| fault.is_none());
            let text = format!("AWS differs here: {text}");
            if let Some(fault) = fault {
                let said = (&*fault.headline, fault.misses.as_deref());
                let mut pieces = lost(view, definition, &at, said).to_vec();
                pieces.push(Piece::new(text, 0));
                return (told(pieces, room), Role::Warning);
            }
            let at = match (here, last) {
                (Some(_), None) => place_at(view, definition, here),
                (Some(_), Some(row)) if is_in_focus(view, row) => place_at(view, definition, here),
                (Some(_), Some(row)) => place_of(definition, row),
                (None, _) => at,
            };
            (format!("{at}: {text}"), Role::Warning)
        }
        Stop::NotRecorded(id) => {
            let text =
                format!("Nothing was recorded after #{id}: what comes from here on is computed");
            (text, Role::Warning)
        }
        Stop::Recorded(found) => {
            let own = last.filter(|row| row.number == found.number);
            let line = own.and_then(|row| line_of(definition, row.state));
            let text = format!("Differs from the recording at {}", found.text_at(line));
            (text, Role::Changed)
        }
        Stop::Breakpoint(id) => {
            let at = view
                .breakpoints
                .iter()
                .find(|point| point.id == *id)
                .map_or_else(String::new, |point| {
                    format!(", {}", wording::location(&point.breakpoint.at))
                });
            (
                format!("Breakpoint {}{at}: {happened}{forecast}", id.0),
                Role::Breakpoint,
            )
        }
        Stop::Memory(bytes) => {
            let text = format!(
                "The run and its record take {} MiB, the limit, so it stops here: raise --max-memory, or use asldbg run. {} goes back, {} runs it again.",
                bytes >> 20,
                key(Action::ReverseContinue),
                key(Action::Restart)
            );
            (text, Role::Failed)
        }
        Stop::Stuck => {
            let back = key(Action::ReverseContinue);
            let text = format!(
                "The run is stuck: {state} never answers and has no timeout. {back} goes back."
            );
            (text, Role::Failed)
        }
        Stop::Reload(Some(event)) => {
            let back = view.breakpoints.iter().rfind(|point| point.breakpoint.once);
            let back = back.map_or_else(String::new, |point| {
                let on = key(Action::Continue);
                format!(
                    ". {on} goes on to {}, where you were",
                    wording::location(&point.breakpoint.at)
                )
            });
            (
                format!(
                    "Run {} differs at event {event}: {}{back}",
                    view.header.run,
                    match view.header.differs.is_empty() {
                        true => happened.to_owned(),
                        false => format!(
                            "{}: {}",
                            name(definition, view.current),
                            view.header.differs
                        ),
                    }
                ),
                Role::Changed,
            )
        }
        Stop::Reload(None) => (
            "Reloaded: the same up to here; what comes now may differ.".into(),
            Role::Info,
        ),
        _ if view.data.fault.is_some() => {
            let fault = view.data.fault.as_ref();
            let error = fault.map_or("", |fault| fault.fault.name());
            (
                error_sentence(view, definition, ErrorMoment::Raised, error, room),
                Role::Raised,
            )
        }
        _ => (format!("{happened}{forecast}"), Role::Text),
    }
}

/// What would follow, in the forecast's words.
fn follows(view: &View) -> String {
    let first = view.data.forecast.first();
    first.map(Forecast::sentence).unwrap_or_default()
}

/// `QuoteInsurance (line 154): $.parcel.insuredCents finds nothing. States.Runtime: not caught: the run fails. ...`
fn error_sentence(
    view: &View,
    definition: &Definition,
    moment: ErrorMoment,
    error: &str,
    room: usize,
) -> String {
    let (place, fault) = arose(view, definition);
    let headline = fault.map_or_else(|| error.to_owned(), |fault| fault.headline.clone());
    let follows = match (moment, follows(view)) {
        (ErrorMoment::Caught, _) => caught(view),
        (_, text) => text,
    };
    // What follows is of the state that took the error over.
    let follows = match (&view.raised, follows.is_empty()) {
        (Some(_), false) => format!("{}: {follows}", name(definition, view.data.state)),
        _ => follows,
    };
    let follows = match (headline.starts_with(error), follows.is_empty()) {
        (_, true) => String::new(),
        (true, false) => as_sentence(&follows),
        (false, false) => format!("{error}: {follows}"),
    };
    let misses = fault.and_then(|fault| fault.misses.as_deref());
    let [head, missing] = lost(view, definition, &place, (&headline, misses));
    let why = fault.map_or(&[][..], |fault| &fault.explanation).iter();
    let why: Vec<&str> = why
        .map(String::as_str)
        .filter(|why| !head.text().contains(why))
        .collect();
    // Why, and by which way, stand in the data, too: each is told whole or not at all.
    let pieces = vec![
        head,
        missing,
        Piece::new(led(view, definition), 0),
        Piece::new(led_spent(view), 4),
        Piece::new(led_way(view, definition), 5),
        Piece::new(follows, 0),
        Piece::new(why.join("; "), 6),
    ];
    told(pieces, room)
}

/// What an error is about, and where what it missed was lost: what is missing matters more than what there is instead.
fn lost(
    view: &View,
    definition: &Definition,
    place: &str,
    (headline, misses): (&str, Option<&str>),
) -> [Piece; 2] {
    let missing = missing(view, definition);
    // `$.x finds nothing`, and of the same path: `$.x was never there`.
    let rest = missing.as_ref().and_then(|missing| missing.after(misses));
    let (head, missing) = match rest {
        Some(rest) => (format!("{place}: {headline}: {rest}"), String::new()),
        None => (
            format!("{place}: {headline}"),
            missing.map(|missing| missing.whole()).unwrap_or_default(),
        ),
    };
    [
        Piece::cut(&head, 0, width(place) + HEADLINE),
        Piece::cut(&missing, 2, MISSING),
    ]
}

/// `Catch[1] (States.ALL) → OpenCase`: which catcher took the error, and by which name.
fn caught(view: &View) -> String {
    let catchers = view.state.handling().map_or(&[][..], |own| &own.catchers);
    let mut taker = catchers.iter().enumerate().filter(|(_, one)| one.takes);
    taker.next().map_or_else(String::new, |(place, catcher)| {
        let name = catcher.matched.as_ref();
        let name = name.map_or_else(String::new, |name| format!(" ({name})"));
        format!("caught by Catch[{place}]{name} → {}", catcher.next)
    })
}

/// Whether the last event raised the error that the view has.
fn is_error(view: &View, last: Option<&EventRow>) -> bool {
    view.data.fault.is_some() && last.is_some_and(|row| row.kind == EventKind::ErrorRaised)
}

fn happened(last: Option<&EventRow>, definition: &Definition) -> String {
    let Some(row) = last else {
        return "nothing has happened yet".to_owned();
    };
    let mut words = vec![wording::title(row), wording::detail(row)];
    words.retain(|word| !word.is_empty());
    let words = words.join(" ");
    if row.state.is_none() {
        return words;
    }
    let state = name(definition, row.state) + &generated(definition, row.state);
    match row.kind {
        EventKind::Heartbeat => format!("{state} sent a heartbeat"),
        EventKind::WaitStarted if let EventDetail::Note(EventNote::NoWait(why)) = &row.detail => {
            format!("{state}: {}", wording::no_wait(why))
        }
        EventKind::StateEntered | EventKind::StateExited | EventKind::WaitStarted => {
            format!("{state} {words}")
        }
        _ => format!("{state}: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_read_well() {
        assert_eq!(clock(6_412), "+00:06.412");
        assert_eq!(clock(3_600_000 * 30), "+30:00:00.000");
        assert!(clock(u64::MAX).ends_with(".615"));
    }
}
