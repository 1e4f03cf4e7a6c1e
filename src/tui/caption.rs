//! Texts about the run: its status, why it stopped, what happened last, what will follow.

use super::action::Action;
use super::end_caption;
use super::end_caption::{as_sentence, led, led_no_retry, led_way};
use super::finding::Findings;
use super::fit::{Piece, width};
use super::glyph::Glyphs;
use super::keymap::Keymap;
use super::theme::Role;
use super::whereabouts::{
    HEADLINE, MISSING, arose, generated, is_in_focus, line_of, lost_at, missing, name, place_at,
    place_of,
};
use crate::definition::Definition;
use crate::interpreter::{EventKind, Millis};
use crate::query::Profile;
use crate::session::view::{
    EventDetail, EventRow, FaultView, Forecast, RunStatus, StateStatus, View,
};
use crate::session::{ErrorMoment, EventNote, Phrase, Stop};
use crate::wording;

/// A time as `+MM:SS.mmm`, with hours if there are any.
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

/// Name of a profile: `spec`, `aws`.
#[must_use]
pub fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Spec => "spec",
        Profile::Aws => "aws",
    }
}

/// Word and symbol with which the header shows the status of the run, and the style role in which it draws them.
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

/// Sentences for the banner about where the run is, the most important first, with the style role for drawing them.
#[derive(Clone, Debug)]
pub struct Said {
    /// The sentences.
    pub(super) pieces: Vec<Piece>,
    /// Style role in which the sentences are drawn.
    pub(super) role: Role,
}

impl Said {
    pub(super) fn plain(text: impl Into<String>, role: Role) -> Self {
        let text: String = text.into();
        Self {
            pieces: vec![Piece::cut(&text, 0, HEADLINE)],
            role,
        }
    }

    pub(super) fn new(pieces: Vec<Piece>, role: Role) -> Self {
        Self { pieces, role }
    }
}

/// Text for the banner: the position of the run and the reason for the stop. `is_beside` is true if the state pane is
/// visible; the text then leaves out the rules, retriers and catchers that this pane describes.
#[must_use]
pub fn sentence(
    view: &View,
    definition: &Definition,
    last: Option<&EventRow>,
    keymap: &Keymap,
    findings: &Findings,
    is_beside: bool,
) -> Said {
    let state = name(definition, view.current);
    let header = &view.header;
    let key = |action| keymap.shown(action);
    match &header.status {
        RunStatus::Ready | RunStatus::Paused(Stop::Start) => {
            let machine = &header.machine;
            Said::plain(format!("{machine} is ready at {state}"), Role::Info)
        }
        RunStatus::Running => {
            let key = key(Action::Pause);
            Said::plain(format!("Running; {key} or Ctrl-C pauses"), Role::Running)
        }
        RunStatus::Past if is_error(view, last) => raised(view, definition, None, is_beside),
        RunStatus::Past => {
            let (next_key, back_key) = (key(Action::Next), key(Action::ReverseNext));
            let now_key = key(Action::Now);
            let ways = format!(
                "{next_key} and {back_key} go from state to state, {now_key} goes to the last event"
            );
            let pieces = vec![
                Piece::cut(&happened(last, definition), 0, HEADLINE),
                Piece::new(as_sentence(&follows(view)), 5),
                Piece::new(ways, 6),
            ];
            Said::new(pieces, Role::Info)
        }
        RunStatus::Succeeded { output } => {
            let is_run_on = view.end.as_ref().is_some_and(|end| !end.run_on.is_empty());
            let role = if is_run_on { Role::Warning } else { Role::Ok };
            let forms = findings.at_end();
            Said::new(
                end_caption::succeeded(view, definition, output, forms),
                role,
            )
        }
        RunStatus::Failed(fault) => {
            // If a finding explains the failure, the header already names it, so the banner mentions no findings.
            let forms = match findings.is_explaining() {
                true => Vec::new(),
                false => findings.at_end(),
            };
            let pieces = end_caption::failed(view, definition, fault, forms);
            Said::new(pieces, Role::Failed)
        }
        RunStatus::TimedOut => Said::new(end_caption::timed_out(view), Role::Failed),
        RunStatus::Paused(stop) => paused(stop, view, definition, &state, last, (&key, is_beside)),
    }
}

fn paused(
    stop: &Stop,
    view: &View,
    definition: &Definition,
    state: &str,
    last: Option<&EventRow>,
    (key, is_beside): (&dyn Fn(Action) -> String, bool),
) -> Said {
    let happened = happened(last, definition);
    let forecast = || Piece::new(as_sentence(&follows(view)), 5);
    let why = || Piece::new(as_sentence(&why_follows(view, is_beside)), 6);
    match stop {
        Stop::Error(moment, error) => raised(view, definition, Some((*moment, error)), is_beside),
        Stop::Ask(_) => {
            let waiting_tasks = match view.tasks.len() {
                0 | 1 => String::new(),
                count => format!(" ({count} tasks are waiting)"),
            };
            let key = key(Action::Answer);
            let text = match &view.recorded {
                Some(_) => format!(
                    "The answer to {state} was not recorded{waiting_tasks}: press {key} to enter a result or an error."
                ),
                None => format!(
                    "{state} waits for an answer{waiting_tasks}: press {key} to enter a result or an error."
                ),
            };
            Said::plain(text, Role::Asking)
        }
        Stop::ProfilesDiffer(difference) => {
            // If the current state has an error, the sentences also say where the error was raised. Otherwise, the text
            // names the location at which the run is.
            let (place, fault) = arose(view, definition);
            let here = view.current_span.filter(|_| fault.is_none());
            let text = format!("AWS differs here: {difference}");
            if let Some(fault) = fault {
                let mut pieces = lost(view, definition, &place, fault).to_vec();
                pieces.push(Piece::new(text, 0));
                return Said::new(pieces, Role::Warning);
            }
            let place = match (here, last) {
                (Some(_), None) => place_at(view, definition, here),
                (Some(_), Some(row)) if is_in_focus(view, row) => place_at(view, definition, here),
                (Some(_), Some(row)) => place_of(definition, row),
                (None, _) => place,
            };
            Said::plain(format!("{place}: {text}"), Role::Warning)
        }
        Stop::NotRecorded(id) => {
            let text = format!(
                "Nothing was recorded after event #{id}: from here on, the run is simulated"
            );
            Said::plain(text, Role::Warning)
        }
        Stop::Recorded(difference) => {
            let row = last.filter(|row| row.number == difference.number);
            let line = row.and_then(|row| line_of(definition, row.state));
            let difference = difference.text_at(line);
            let text = format!("The run differs from the recorded execution at {difference}");
            Said::plain(text, Role::Changed)
        }
        Stop::Breakpoint(id) => {
            let point = view.breakpoints.iter().find(|point| point.id == *id);
            let place = point.map_or_else(String::new, |point| {
                format!(", {}", wording::location(&point.breakpoint.at))
            });
            let number = id.0;
            let head = Piece::new(format!("Breakpoint {number}{place}: {happened}"), 0);
            Said::new(vec![head, forecast(), why()], Role::Breakpoint)
        }
        Stop::Memory(bytes) => {
            let mebibytes = bytes >> 20;
            let text = format!(
                "The run stops here because it reached its memory limit of {mebibytes} MiB: raise --max-memory, or use asldbg run"
            );
            Said::plain(text, Role::Failed)
        }
        Stop::Stuck => {
            let text = format!("The run is stuck: {state} never answers and has no timeout");
            Said::plain(text, Role::Failed)
        }
        Stop::Reload(Some(event)) => {
            let back = view.breakpoints.iter().rfind(|point| point.breakpoint.once);
            let back = back.map_or_else(String::new, |point| {
                let key = key(Action::Continue);
                let place = wording::location(&point.breakpoint.at);
                format!("{key} continues to {place}, where you were before the reload")
            });
            let difference = match view.header.differs.is_empty() {
                true => happened,
                false => format!(
                    "{}: {}",
                    name(definition, view.current),
                    view.header.differs
                ),
            };
            let run = view.header.run;
            let head = format!("Run {run} differs at event {event}: {difference}");
            let pieces = vec![Piece::new(head, 0), Piece::new(back, 2)];
            Said::new(pieces, Role::Changed)
        }
        Stop::Reload(None) => Said::plain(
            "Reloaded: the events up to here are the same; later events may differ",
            Role::Info,
        ),
        _ if view.data.fault.is_some() => raised(view, definition, None, is_beside),
        _ => {
            let pieces = vec![Piece::new(happened, 0), forecast(), why()];
            Said::new(pieces, Role::Text)
        }
    }
}

/// Text about an error. If the run stopped at an error, `stop` is that error; if `stop` is `None`, the text is about
/// the error in the data pane.
fn raised(
    view: &View,
    definition: &Definition,
    stop: Option<(ErrorMoment, &str)>,
    is_beside: bool,
) -> Said {
    let shown = view.data.fault.as_ref();
    let shown = shown.map_or("", |shown| shown.fault.name());
    let error = stop.unwrap_or((ErrorMoment::Raised, shown));
    let pieces = error_sentence(view, definition, error, is_beside);
    Said::new(pieces, Role::Raised)
}

/// The reason for the forecast, which says how the run would continue. Empty if the state pane is visible, because that
/// pane shows the reason.
fn why_follows(view: &View, is_beside: bool) -> String {
    let first = view.data.forecast.first().filter(|_| !is_beside);
    let follows = first.map(|first| &first.follows);
    let parts = follows.map(|follows| [&*follows.spent, &*follows.why]);
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("; ")
}

/// Text of the forecast: how the run would continue.
fn follows(view: &View) -> String {
    let first = view.data.forecast.first();
    first.map(Forecast::sentence).unwrap_or_default()
}

/// Text about an error, such as `QuoteInsurance (line 154): $.parcel.insuredCents finds nothing. States.Runtime: not
/// caught: the run fails. ...`
fn error_sentence(
    view: &View,
    definition: &Definition,
    (moment, error): (ErrorMoment, &str),
    is_beside: bool,
) -> Vec<Piece> {
    let (place, fault) = arose(view, definition);
    let is_named = fault.is_none_or(|fault| fault.finding.names(error));
    let forecast = match (moment, follows(view)) {
        (ErrorMoment::Caught, _) => caught(view),
        (_, text) => text,
    };
    // The forecast is about the state that handles the error. If another state raised the error, the forecast begins
    // with the name of the handling state.
    let forecast = match (&view.raised, forecast.is_empty()) {
        (Some(_), false) => {
            let state = name(definition, view.data.state);
            format!("{state}: {forecast}")
        }
        _ => forecast,
    };
    let forecast = match (is_named || error.is_empty(), forecast.is_empty()) {
        (_, true) => String::new(),
        (true, false) => as_sentence(&forecast),
        (false, false) => format!("{error}: {forecast}"),
    };
    let [head, missing] = match fault {
        Some(fault) => lost(view, definition, &place, fault),
        None => [Piece::new(format!("{place}: {error}"), 0), Piece::default()],
    };
    let no_retry = match fault.and_then(|fault| fault.no_retry.as_ref()) {
        Some((reason, _)) if view.led.is_none() => format!("Not retried: {reason}"),
        _ => led_no_retry(view),
    };
    vec![
        head,
        missing,
        Piece::of(&led(view, definition), 1, MISSING),
        match view.led {
            Some(_) => Piece::new(no_retry.clone(), 5),
            None => Piece::cut(&no_retry, 1, MISSING),
        },
        // If space is short, the text about the catcher is dropped before the reason why the error was not retried,
        // which is more useful.
        Piece::new(
            led_way(view, definition),
            if no_retry.is_empty() { 5 } else { 7 },
        ),
        // In a Fail state, the earlier error that led to this state is more useful than the forecast that the run
        // fails.
        Piece::new(forecast, if view.led.is_some() { 8 } else { 3 }),
        Piece::new(as_sentence(&why_follows(view, is_beside)), 6),
    ]
}

/// Text about an error, and text about the line in which the missing value was lost. If space is short, the text about
/// that line is kept longest.
fn lost(view: &View, definition: &Definition, place: &str, fault: &FaultView) -> [Piece; 2] {
    let missing = missing(view, definition);
    // If both texts are about the same path, `$.x finds nothing` becomes `$.x was never there`.
    let rest = missing.as_ref();
    let rest = rest.and_then(|missing| missing.after(fault.misses.as_deref()));
    let least = width(place) + HEADLINE;
    if let Some(rest) = rest {
        let head = Phrase::from(format!("{place}: {}: ", fault.finding)).join(rest);
        let line = lost_at(view).and_then(|span| definition.sources.line(span));
        let brief = line
            .zip(fault.misses.as_ref())
            .map(|(line, path)| format!("{place}: {path} was lost in line {line}"));
        let head = match brief {
            Some(brief) => Piece::of(&head, 1, least).or(brief, 0).cut_to(least),
            None => Piece::of(&head, 0, least),
        };
        return [head, Piece::default()];
    }
    let line = lost_at(view).and_then(|span| definition.sources.line(span));
    let is_explained = view.led.is_some() || missing.is_some() || fault.no_retry.is_some();
    let missing = missing.map_or_else(Piece::default, |missing| {
        let piece = Piece::of(&missing.whole(), 1, MISSING);
        match line {
            Some(line) => {
                let path = missing.place();
                piece.or(format!("{path} was lost in line {line}"), 0)
            }
            None => piece,
        }
    });
    let error = fault.fault.name();
    let head = Piece::new(format!("{place}: {}", fault.finding), 5);
    let named = format!("{place}: {}", fault.finding.whole().brief());
    // If the interpreter itself raised the error, the explanation says more than the error's name.
    let is_own = fault.finding.names(error) && error.starts_with("States.");
    let head = match (is_explained, fault.finding.says.brief()) {
        // If the banner has only one row, the text that explains the error is more useful than the error itself.
        (true, _) => head
            .or(named, 3)
            .or(format!("{place}: {error}"), 2)
            .or(place, 0),
        (false, finding) if is_own && !finding.is_empty() => {
            head.or(named, 1).or(format!("{place}: {finding}"), 0)
        }
        _ => head.or(named, 0),
    };
    [head.cut_to(least), missing]
}

/// `Catch[1] (States.ALL) → OpenCase`: the catcher that handled the error, and the name that matched.
fn caught(view: &View) -> String {
    let catchers = view
        .state
        .handling()
        .map_or(&[][..], |handling| &handling.catchers);
    let mut takers = catchers
        .iter()
        .enumerate()
        .filter(|(_, catcher)| catcher.takes);
    takers.next().map_or_else(String::new, |(index, catcher)| {
        let error = catcher.matched.as_ref();
        let error = error.map_or_else(String::new, |error| format!(" ({error})"));
        let state = &catcher.next;
        format!("caught by Catch[{index}]{error} → {state}")
    })
}

/// True if the event at the cursor raised the error that the data pane shows.
fn is_error(view: &View, last: Option<&EventRow>) -> bool {
    view.data.fault.is_some() && last.is_some_and(|row| row.kind == EventKind::ErrorRaised)
}

fn happened(last: Option<&EventRow>, definition: &Definition) -> String {
    let Some(row) = last else {
        return "nothing has happened yet".to_owned();
    };
    let mut parts = vec![wording::title(row, definition), wording::detail(row)];
    parts.retain(|part| !part.is_empty());
    let event = parts.join(" ");
    if row.state.is_none() {
        return event;
    }
    let state = name(definition, row.state) + &generated(definition, row.state);
    match row.kind {
        EventKind::Heartbeat => format!("{state} sent a heartbeat"),
        EventKind::WaitStarted if let EventDetail::Note(EventNote::NoWait(why)) = &row.detail => {
            format!("{state}: {}", wording::no_wait(why))
        }
        EventKind::StateEntered | EventKind::StateExited | EventKind::WaitStarted => {
            format!("{state} {event}")
        }
        _ => format!("{state}: {event}"),
    }
}

/// The text with a full stop at its end, unless it already ends with punctuation.
pub(super) fn as_ended(text: &str) -> String {
    match text.ends_with(['.', '…', '!', '?']) {
        true => text.to_owned(),
        false => format!("{text}."),
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
