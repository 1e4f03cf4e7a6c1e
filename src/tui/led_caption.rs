//! Describes the way to a Fail state in parts of a sentence: where the error arose, why it was not handled there, and
//! the path to the Fail state.

use super::sentence::as_sentence;
use super::whereabouts::arose;
use crate::definition::Definition;
use crate::session::Phrase;
use crate::session::view::View;
use crate::wording;

/// `Led here by Quote (line 16): $.address finds nothing: dropped by ...`: what led to the shown Fail state.
pub(super) fn led(view: &View, definition: &Definition) -> Phrase {
    let Some(led) = &view.led else {
        return Phrase::default();
    };
    let (_, fault) = arose(view, definition);
    let said = fault.map_or_else(String::new, |fault| fault.finding.to_string());
    wording::led_here(led, definition, &said)
}

/// `Caught by Catch[0] of Quote, line 18, via TellSupport`: the path to the Fail state.
pub(super) fn led_way(view: &View, definition: &Definition) -> String {
    let led = view.led.as_ref();
    led.map_or_else(String::new, |led| {
        as_sentence(&wording::led_caught(led, definition))
    })
}

/// `Not retried: Retry[1], line 139, is for BedLocked`: of the error that led there.
pub(super) fn led_no_retry(view: &View) -> String {
    let why = view.led.as_ref().and_then(wording::no_retry);
    why.map_or_else(String::new, |why| format!("Not retried: {why}"))
}
