//! Finds what led to the Fail state that ended a run, branch or item: the error that was caught before, traced to
//! where it was first raised.

use super::fault_view::Led;
use super::origin::{Lead, LeftBy, value_at};
use super::session::Session;
use crate::definition::StateKind;
use crate::interpreter::FrameId;
use crate::json::Value;

/// Maximum number of Fail states to follow; a Fail state may fail a branch whose error is then caught.
const DEEPEST: usize = 2;

impl Session {
    /// Finds what led to the Fail state in the focus frame, or to the inner one that raised its error.
    pub(super) fn note_led(&mut self) {
        let found = self.leads();
        let here = self.here();
        self.led = found.map(|led| (here, Box::new(led)));
    }

    /// The transition or error that led to the Fail state in the focus frame or inside it.
    pub(super) fn led(&self) -> Option<Led> {
        let here = self.here();
        let noted = self.led.as_ref().filter(|(at, _)| *at == here);
        noted.map(|(_, led)| (**led).clone())
    }

    /// Frame and event that raised the shown error.
    fn raising(&self) -> Option<(FrameId, u64)> {
        if let Some(raised) = self.raised() {
            let event = self.recording.timeline.get(raised.number)?;
            return Some((event.frame, raised.number));
        }
        let frame = self.focus_frame()?;
        let state = self.setup.definition.state(frame.visit.state)?;
        let fails = matches!(state.kind, StateKind::Fail(_)) && frame.visit.fault.is_some();
        fails.then(|| (frame.id, self.snapshot().events))
    }

    fn leads(&self) -> Option<Led> {
        let past = self.past();
        let (frame, number) = self.raising()?;
        let mut lead = past.led_by(frame, number)?;
        for _ in 0..DEEPEST {
            let LeftBy::Catcher(..) = lead.by else {
                return Some(Led {
                    compared: self.compared(&lead),
                    lead,
                    raised: None,
                });
            };
            let (frame, number) = self.raised_first(lead.to.frame, lead.to.event)?;
            match past.led_by(frame, number) {
                Some(further) => lead = further,
                None => {
                    let raised = self.raised_again(frame, number).map(Box::new);
                    return Some(Led {
                        lead,
                        raised,
                        compared: None,
                    });
                }
            }
        }
        None
    }

    fn compared(&self, lead: &Lead) -> Option<Value> {
        let run = self.repeated_up_to(lead.to.event)?;
        let value = value_at(&lead.to, &run.machine);
        value.filter(|_| !lead.to.at.0.is_empty())
    }

    /// Frame and event that first raised an error, which the frame may have received from a branch or item.
    fn raised_first(&self, frame: FrameId, number: u64) -> Option<(FrameId, u64)> {
        let run = self.repeated_up_to(number)?;
        let (fault, _) = run.machine.frame(frame)?.visit.fault.as_ref()?;
        match fault.from_branch {
            true => self.raised_in_child(frame, number),
            false => Some((frame, number)),
        }
    }
}
