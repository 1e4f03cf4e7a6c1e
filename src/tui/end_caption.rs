//! What a run that is over came to, in words: its output or its failure with where that arose, its errors, where its time
//! went.

use super::action::Action;
use super::fit::Piece;
use super::led_caption::led;
use super::sentence::told;
use super::whereabouts::{HEADLINE, MISSING, arose, missing, name, touched};
use crate::definition::Definition;
use crate::interpreter::Fault;
use crate::json::{Value, one_line};
use crate::session::note::own_words;
use crate::session::view::View;
use crate::wording;

/// An output of more bytes is read in the data pane: the message keeps to one row of a wide screen.
const SHORT: u64 = 60;

/// That it succeeded, with its output where that is short; that it went on where AWS would have failed.
pub(super) fn succeeded(
    view: &View,
    definition: &Definition,
    output: &Value,
    (room, found): (usize, Vec<String>),
    key: &dyn Fn(Action) -> String,
) -> String {
    let output = match output.size() > SHORT {
        true => format!("{} bytes of output", output.size()),
        false => one_line(output),
    };
    let count = view.header.event_count;
    let run_on = view.end.iter().flat_map(|end| &end.run_on);
    let run_on: Vec<String> = run_on
        .map(|one| {
            format!(
                "{}, {}",
                one.map,
                wording::items_failed(one.failed, one.all, one.unit)
            )
        })
        .collect();
    let head = match run_on.is_empty() {
        true => format!("Run succeeded in {count} events: {output}."),
        false => format!(
            "Run went on although AWS would have failed it: {}. {count} events: {output}.",
            run_on.join("; ")
        ),
    };
    // Why nothing fits stands in the state pane, too.
    let none = |is_long| no_items(view, definition, is_long);
    told(
        vec![
            Piece::new(head, 0),
            Piece::new(none(true), 7).or(none(false), 0),
            Piece::new(tally(view), 0),
            found_piece(found, 0),
            Piece::new(ways_on(key), 0),
        ],
        room,
    )
}

/// What `check` found, in its forms; the shortest has a rank of its own.
fn found_piece(found: Vec<String>, last: u8) -> Piece {
    let count = found.len();
    let forms = found.into_iter().enumerate();
    forms.fold(Piece::default(), |piece, (place, text)| {
        piece.or(text, if place + 1 == count { last } else { 6 })
    })
}

/// `Bill (line 7) had no items: $.orders[?(@.open==true)] finds nothing`: the first Map that had none.
fn no_items(view: &View, definition: &Definition, is_long: bool) -> String {
    let rows = view.end.as_ref().map_or(&[][..], |end| &end.no_items);
    let Some((first, others)) = rows.split_first() else {
        return String::new();
    };
    let line = first
        .line
        .map_or_else(String::new, |line| format!(" (line {line})"));
    let mut why = first.why.clone();
    if !is_long && !why.why.is_empty() {
        why.why = "see the state pane".into();
    }
    let why = wording::no_items(&why, definition.unit(first.state));
    let more = match others.len() {
        0 => String::new(),
        more => format!("; {more} more without"),
    };
    let map = name(definition, Some(first.state));
    format!("{map}{line} had {why}{more}")
}

/// What it failed with, and where what it missed was lost, or what led to the Fail state that it failed in.
pub(super) fn failed(
    view: &View,
    definition: &Definition,
    fault: &Fault,
    (room, found): (usize, Vec<String>),
    key: &dyn Fn(Action) -> String,
) -> String {
    let missing = missing(view, definition);
    let (_, own) = arose(view, definition);
    let path = own.and_then(|fault| fault.misses.as_deref());
    let missing = missing.map_or_else(String::new, |missing| {
        missing.about_it(path).unwrap_or_else(|| missing.whole())
    });
    let missing = match exceeded(view, definition, fault) {
        Some(exceeded) if missing.is_empty() => exceeded,
        _ => missing,
    };
    let missing = match led(view, definition) {
        led if led.is_empty() => missing,
        led => led,
    };
    let head = format!("Run failed: {}", failure(view, definition, fault));
    let spent = spent(view);
    // Why it was not tried again matters more than how many errors there were, which the state pane says.
    let counts = if spent.is_empty() || tells_more(view) {
        0
    } else {
        4
    };
    told(
        vec![
            Piece::cut(&head, 0, HEADLINE + 30),
            Piece::cut(&missing, 2, MISSING),
            Piece::new(spent, 0),
            Piece::new(tally(view), counts),
            found_piece(found, 6),
            // The keys stand below, too.
            Piece::new(ways_on(key), 5),
        ],
        room,
    )
}

/// `Retry[1], line 48 (States.Timeout), used up: 2 of 2`: why what failed was not tried again.
fn spent(view: &View) -> String {
    let own = match (&view.led, &view.raised) {
        (Some(led), _) => wording::spent(led),
        (None, Some(raised)) => raised.fault.spent.as_deref(),
        (None, None) => view
            .data
            .fault
            .as_ref()
            .and_then(|own| own.spent.as_deref()),
    };
    own.unwrap_or_default().to_owned()
}

/// Whether the tally tells more than how many errors there were.
fn tells_more(view: &View) -> bool {
    let end = view.end.as_ref();
    end.is_some_and(|end| {
        (end.answers, end.edits) != (0, 0) || (end.items_failed, end.batches_failed) != (0, 0)
    })
}

/// `Too many failed, last PushPrices[0] WriteChannel (line 71) failed with States.ParameterPathFailure`.
fn exceeded(view: &View, definition: &Definition, fault: &Fault) -> Option<String> {
    let row = view.end.as_ref()?.exceeded.as_ref()?;
    let line = row
        .line
        .map_or_else(String::new, |line| format!(" (line {line})"));
    let state = name(definition, row.state);
    let place = format!("{} {state}{line}", row.frame);
    let named = fault.name() == "States.ExceedToleratedFailureThreshold";
    named.then(|| {
        format!(
            "Too many failed, last {} failed with {}",
            place.trim(),
            row.error
        )
    })
}

fn ways_on(key: &dyn Fn(Action) -> String) -> String {
    let (again, back) = (key(Action::Restart), key(Action::ReverseNext));
    format!("{again} runs it again, {back} goes back.")
}

/// What a run failed with: the place and the reason where the view has them, else name and cause.
fn failure(view: &View, definition: &Definition, fault: &Fault) -> String {
    let (place, own) = arose(view, definition);
    let own = own.filter(|own| own.fault.name() == fault.name());
    let text = match own {
        Some(own) if own.headline.starts_with(fault.name()) => {
            format!("{place}: {}", own.headline)
        }
        Some(own) => {
            let why = own.headline.trim_end_matches('.');
            format!("{place}: {why}. {}", fault.name())
        }
        None => match own_words(fault) {
            words if words.is_empty() => fault.name().to_owned(),
            words => format!("{}: {words}", fault.name()),
        },
    };
    text.trim_end_matches('.').to_owned()
}

/// `2 errors raised, 1 retried, 1 caught; 1 answer typed.`
fn tally(view: &View) -> String {
    let Some(end) = &view.end else {
        return String::new();
    };
    let errors = match end.raised {
        0 => "No error was raised".to_owned(),
        1 => "1 error raised".to_owned(),
        many => format!("{many} errors raised"),
    };
    let mut parts = vec![errors];
    parts.extend(end.handled());
    match end.items_failed {
        0 => {}
        1 => parts.push("1 item failed".to_owned()),
        many => parts.push(format!("{many} items failed")),
    }
    match end.batches_failed {
        0 => {}
        1 => parts.push("1 batch failed".to_owned()),
        many => parts.push(format!("{many} batches failed")),
    }
    match end.tolerated {
        0 => {}
        all if all == end.items_failed + end.batches_failed => {
            let whole = match all {
                1 => "tolerated",
                2 => "both tolerated",
                _ => "all tolerated",
            };
            parts.push(whole.to_owned());
        }
        some => parts.push(format!("{some} of them tolerated")),
    }
    let touched = touched((end.answers, end.edits));
    let touched = touched.map_or_else(String::new, |text| format!("; {text}"));
    format!("{}{touched}.", parts.join(", "))
}

/// What ended a run that timed out, who was waiting, and what the time went to.
pub(super) fn timed_out(view: &View) -> String {
    let Some(timeout) = view.end.as_ref().and_then(|end| end.timeout.as_ref()) else {
        return "Run timed out: its TimeoutSeconds passed.".to_owned();
    };
    format!("Run timed out: {}", wording::timed_out(timeout))
}
