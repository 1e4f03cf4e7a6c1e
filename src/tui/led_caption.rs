//! What led to a Fail state, as parts of the sentence about it: where it arose, why it was not handled there, by which way it
//! came.

use super::sentence::as_sentence;
use super::whereabouts::arose;
use crate::definition::Definition;
use crate::session::origin::LeftBy;
use crate::session::view::View;
use crate::wording;

/// `Led here by Quote (line 16): $.address finds nothing: dropped by ...`: what led to the Fail state that is looked at.
pub(super) fn led(view: &View, definition: &Definition) -> String {
    let Some(led) = &view.led else {
        return String::new();
    };
    let (_, fault) = arose(view, definition);
    let said = fault.map_or("", |fault| &fault.headline);
    wording::led_here(led, definition, said)
}

/// `Caught by Catch[0] of Quote, line 18, via TellSupport`: how it led there.
pub(super) fn led_way(view: &View, definition: &Definition) -> String {
    let led = view.led.as_ref();
    led.map_or_else(String::new, |led| {
        as_sentence(&wording::led_caught(led, definition))
    })
}

/// `Retry[1], line 17 (States.Timeout), used up: 2 of 2`: why that error was not tried again, or nearly caught.
pub(super) fn led_spent(view: &View) -> String {
    let led = view.led.as_ref();
    let led = led.filter(|led| matches!(led.lead.by, LeftBy::Catcher(..)));
    let spent = led.and_then(wording::spent);
    spent.map_or_else(String::new, str::to_owned)
}
