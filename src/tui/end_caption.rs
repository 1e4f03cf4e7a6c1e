//! Texts about a finished run (its output, or its error and the location of the error), about errors during the run,
//! and about how the run spent its time.

use super::fit::Piece;
use super::whereabouts::{HEADLINE, MISSING, arose, missing, name, touched};
use crate::definition::Definition;
use crate::interpreter::Fault;
use crate::json::{Value, one_line};
use crate::session::Phrase;
use crate::session::note::{duration, own_words};
use crate::session::view::View;
use crate::source::{counted, in_line};
use crate::wording;

/// Maximum size of an output that the banner shows, in bytes; larger outputs are shown only in the data pane.
const SHORT: u64 = 60;

/// Text for a run that succeeded: its output if that is short, and a note if AWS would have made the run fail.
pub(super) fn succeeded(
    view: &View,
    definition: &Definition,
    output: &Value,
    findings: Vec<String>,
) -> Vec<Piece> {
    let output = match output.size() > SHORT {
        true => format!("{size} bytes of output", size = output.size()),
        false => one_line(output),
    };
    let count = view.header.event_count;
    let run_on = view.end.iter().flat_map(|end| &end.run_on);
    let run_on: Vec<String> = run_on
        .map(|row| {
            format!(
                "{}, {}",
                row.map,
                wording::items_failed(row.failed, row.all, row.unit)
            )
        })
        .collect();
    let (head, brief) = match run_on.is_empty() {
        true => (
            format!("Run succeeded in {count} events: {output}."),
            "Run succeeded".to_owned(),
        ),
        false => {
            let failed_maps = run_on.join("; ");
            let summary =
                format!("Run continued although AWS would have failed it: {failed_maps}.");
            (format!("{summary} {count} events: {output}."), summary)
        }
    };
    let by_default = view.end.as_ref();
    let by_default = by_default.and_then(|end| wording::by_default(end, definition));
    let by_default = by_default.unwrap_or_default();
    vec![
        Piece::new(head, 3).or(brief, 0),
        Piece::of(&no_items(view, definition), 1, MISSING),
        Piece::cut(&misfit(view, definition), 1, MISSING),
        findings_piece(findings, 2),
        Piece::cut(&by_default, 1, MISSING),
        Piece::new(by_hand(view), 2),
    ]
}

/// Text about the findings. `forms` are versions of the text, the longest first. If space is short, versions with a
/// high number are dropped first; `last` is this number for the shortest version.
fn findings_piece(forms: Vec<String>, last: u8) -> Piece {
    let count = forms.len();
    let forms = forms.into_iter().enumerate();
    forms.fold(Piece::default(), |piece, (place, text)| {
        piece.or(text, if place + 1 == count { last } else { 6 })
    })
}

/// Text about the first Map that had no items, such as `Bill (line 7) had no items: $.orders[?(@.open==true)] finds
/// nothing`.
fn no_items(view: &View, definition: &Definition) -> Phrase {
    let rows = view.end.as_ref().map_or(&[][..], |end| &end.no_items);
    let Some((first, others)) = rows.split_first() else {
        return Phrase::default();
    };
    let line = in_line(first.line);
    let map = name(definition, Some(first.state));
    let unit = definition.unit(first.state);
    let none = Phrase::from(format!("{map}{line} had ")).join(wording::no_items(&first.why, unit));
    match others.len() {
        0 => none,
        more => none.may(
            format!(
                "; {maps} had no items either",
                maps = counted(more, "other Map")
            ),
            2,
        ),
    }
}

/// Text about the first Choice with a rule that cannot match, such as `Pay? (line 30): a rule cannot match: $.n ("5") >
/// 1: the value is a string, ...`.
fn misfit(view: &View, definition: &Definition) -> String {
    let rows = view.end.as_ref().map_or(&[][..], |end| &end.misfits);
    let Some((first, others)) = rows.split_first() else {
        return String::new();
    };
    let state = name(definition, Some(first.state));
    let misfit = wording::misfit(&state, first.line, &first.why);
    match others.len() {
        0 => misfit,
        more => format!(
            "{misfit}; such a rule is also in {choices}",
            choices = counted(more, "more Choice")
        ),
    }
}

/// Text about a failed run: its error, then the line in which the missing value was lost, or the earlier error that led
/// to the Fail state.
pub(super) fn failed(
    view: &View,
    definition: &Definition,
    fault: &Fault,
    findings: Vec<String>,
) -> Vec<Piece> {
    let missing = missing(view, definition);
    let (_, shown) = arose(view, definition);
    let path = shown.and_then(|shown| shown.misses.as_deref());
    let missing = missing.map(|missing| missing.about_it(path).unwrap_or_else(|| missing.whole()));
    let led = view.led.as_ref().map(|_| led(view, definition));
    let exceeded = || Some(exceeded(view, definition, fault)?.into());
    let why = led.or(missing).or_else(exceeded).unwrap_or_default();
    let head = Phrase::from("Run failed: ").join(failure(view, definition, fault));
    let whole = Piece::new(head.to_string(), 5);
    let head = match why.brief().is_empty() {
        true => whole.or(head.brief(), 0).cut_to(HEADLINE + 30),
        false => {
            let (place, _) = arose(view, definition);
            let error = fault.name();
            let named = format!("Run failed: {place}: {error}");
            whole.or(head.brief(), 3).or(named, 0).cut_to(HEADLINE)
        }
    };
    vec![
        head,
        Piece::of(&why, 2, MISSING),
        Piece::new(by_hand(view), 4),
        findings_piece(findings, 6),
    ]
}

/// Text about a Map in which too many items failed, such as `Too many items failed; the last,
/// PushPrices[0] WriteChannel (line 71), failed with States.ParameterPathFailure`.
fn exceeded(view: &View, definition: &Definition, fault: &Fault) -> Option<String> {
    let row = view.end.as_ref()?.exceeded.as_ref()?;
    let line = in_line(row.line);
    let state = name(definition, row.state);
    let place = format!("{} {state}{line}", row.frame);
    let named = fault.name() == "States.ExceedToleratedFailureThreshold";
    named.then(|| {
        let (place, error) = (place.trim(), &row.error);
        format!("Too many items failed; the last, {place}, failed with {error}")
    })
}

/// Text about the error with which the run failed: its location and explanation, if these are known; otherwise its name
/// and cause.
fn failure(view: &View, definition: &Definition, fault: &Fault) -> Phrase {
    let (place, shown) = arose(view, definition);
    let Some(shown) = shown.filter(|shown| shown.fault.name() == fault.name()) else {
        return match own_words(fault) {
            words if words.is_empty() => fault.name().into(),
            words => format!("{}: {words}", fault.name()).into(),
        };
    };
    let why = shown.finding.whole().without_stop();
    let text = Phrase::from(format!("{place}: ")).join(why);
    match shown.finding.names(fault.name()) || fault.name().is_empty() {
        true => text,
        false => text.and(format!(". {}", fault.name())),
    }
}

/// Text that counts the answers and edits by the user, such as `1 answer typed`; empty if there are none.
fn by_hand(view: &View) -> String {
    let end = view.end.as_ref();
    let by_hand = end.and_then(|end| touched((end.answers, end.edits)));
    by_hand.unwrap_or_default()
}

/// Text for a run that timed out: the time limit, the frames that were waiting, and the states that took most of the
/// time.
pub(super) fn timed_out(view: &View) -> Vec<Piece> {
    let Some(timeout) = view.end.as_ref().and_then(|end| end.timeout.as_ref()) else {
        return vec![Piece::new(
            "Run timed out: its TimeoutSeconds have passed",
            0,
        )];
    };
    let limit = wording::timed_out_by(timeout);
    let head = format!("Run timed out: {limit}");
    let spent = timeout.spent.first().map_or_else(String::new, |spent| {
        let (state, time) = (&spent.state, duration(spent.time));
        format!("Most time was spent in {state}: {time}")
    });
    vec![Piece::cut(&head, 0, HEADLINE + 30), Piece::new(spent, 2)]
}

/// Text about the error that led to the shown Fail state, such as `Led here by Quote (line 16): $.address finds
/// nothing: dropped by ...`.
pub(super) fn led(view: &View, definition: &Definition) -> Phrase {
    let Some(led) = &view.led else {
        return Phrase::default();
    };
    let (_, fault) = arose(view, definition);
    let said = fault.map_or_else(String::new, |fault| fault.finding.to_string());
    wording::led_here(led, definition, &said)
}

/// Text about the catcher and the states that led to the Fail state, such as `Caught by Catch[0] of Quote, line 18, via
/// TellSupport`.
pub(super) fn led_way(view: &View, definition: &Definition) -> String {
    let led = view.led.as_ref();
    led.map_or_else(String::new, |led| {
        as_sentence(&wording::led_caught(led, definition))
    })
}

/// Text that says why the error that led to the Fail state was not retried, such as `Not retried: Retry[1], line 139,
/// is for BedLocked`.
pub(super) fn led_no_retry(view: &View) -> String {
    let reason = view.led.as_ref().and_then(wording::no_retry);
    reason.map_or_else(String::new, |reason| format!("Not retried: {reason}"))
}

/// The text with its first letter capitalized.
pub(super) fn as_sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
