//! Going back: the latest earlier event at which the same rule would have stopped.
//!
//! It must not know how a run goes on.

use super::breakpoint::{ErrorMoment, Location};
use super::expression;
use super::session::Session;
use super::snapshot::{Repeated, Snapshot};
use super::stepping::{BackRule, Goal, fits, is_start_of_child};
use super::stop::Stop;
use super::stop_condition::{error_name, pattern_fits, stands_at};
use crate::interpreter::{Event, EventKind, FrameId};

/// A stretch of the record that is walked again once, so that each condition in it is asked where it stood.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    snapshot: Snapshot,
    /// The event that it begins at.
    from: u64,
    /// The last event of it.
    until: u64,
    /// The latest stop so far.
    found: Option<(u64, FrameId, Stop)>,
}

/// Whether running would have stopped at an event.
enum Verdict {
    No,
    Stop(Stop),
    /// A condition, an error or a difference decides: the run as it was then has to be seen.
    Unseen,
}

impl Session {
    pub(super) fn look_back(&mut self, before: u64, rule: BackRule) {
        let Some(number) = before.checked_sub(1).filter(|number| *number > 0) else {
            self.travel(2.min(self.recording.timeline.len()), Stop::Start);
            return;
        };
        let Some(event) = self.recording.timeline.get(number).copied() else {
            return self.stop_at(Stop::Travel);
        };
        let further = |rule| {
            Some(Goal::Back {
                before: number,
                rule,
            })
        };
        match rule {
            BackRule::Frame(frame, rule)
                if event.frame == frame && is_start_of_child(event.kind) =>
            {
                // The frame began here: what is before it belongs to its parent.
                let parent = self
                    .recording
                    .timeline
                    .lineage(frame)
                    .and_then(|lineage| lineage.parent)
                    .unwrap_or(FrameId(0));
                self.stepper.goal = further(BackRule::Frame(parent, rule));
            }
            BackRule::Frame(frame, rule) if event.frame == frame && fits(rule, &event) => {
                self.stepper.focus = frame;
                self.travel(number, Stop::Step);
            }
            BackRule::Stops => match self.stop_back_at(number, &event, None) {
                Verdict::Stop(stop) => {
                    self.stepper.focus = event.frame;
                    self.travel(number, stop);
                }
                Verdict::No => self.stepper.goal = further(rule),
                Verdict::Unseen => self.sweep(number),
            },
            BackRule::Frame(..) => self.stepper.goal = further(rule),
        }
    }

    /// Begins to walk the stretch up to an event again.
    fn sweep(&mut self, until: u64) {
        let snapshot = if until == self.recording.head.events {
            self.recording.head.clone()
        } else {
            self.recording.kept_before(until)
        };
        self.stepper.sweep = Some(Sweep {
            from: snapshot.events,
            snapshot,
            until,
            found: None,
        });
        self.stepper.goal = Some(Goal::Sweep);
    }

    /// One event of that stretch; at its end the latest stop in it is travelled to, or the search goes on before it.
    pub(super) fn sweep_on(&mut self) {
        let Some(mut sweep) = self.stepper.sweep.take() else {
            return self.stop_at(Stop::Travel);
        };
        let number = sweep.snapshot.events;
        if let Some(event) = self.recording.timeline.get(number).copied()
            && let Verdict::Stop(stop) = self.stop_back_at(number, &event, Some(&sweep.snapshot))
        {
            sweep.found = Some((number, event.frame, stop));
        }
        let server = &*self.setup.server;
        let more = number < sweep.until;
        if more && sweep.snapshot.repeat(&self.recording.log, server) != Repeated::End {
            self.stepper.sweep = Some(sweep);
            return;
        }
        match sweep.found {
            Some((number, frame, stop)) => {
                self.stepper.focus = frame;
                self.travel(number, stop);
            }
            None => {
                self.stepper.goal = Some(Goal::Back {
                    before: sweep.from,
                    rule: BackRule::Stops,
                });
            }
        }
    }

    /// Whether running would have stopped at a recorded event; `then` is the run as it was there.
    fn stop_back_at(&self, number: u64, event: &Event, then: Option<&Snapshot>) -> Verdict {
        let candidates = self.breakpoints.placed.iter().filter(|placed| {
            placed.enabled
                && placed.breakpoint.log_message.is_none()
                && placed.had_enough(number)
                && stands_at(&self.setup.definition, &placed.breakpoint.at, event)
        });
        for placed in candidates {
            let plain = placed.breakpoint.condition.is_none()
                && !matches!(placed.breakpoint.at, Location::Error(..));
            if plain {
                return Verdict::Stop(Stop::Breakpoint(placed.id));
            }
            let Some(snapshot) = then else {
                return Verdict::Unseen;
            };
            let Some(frame) = snapshot.machine.frame(event.frame) else {
                continue;
            };
            let fits_error = match &placed.breakpoint.at {
                Location::Error(_, pattern) => {
                    let name = error_name(&snapshot.machine, event);
                    pattern_fits(pattern, name.as_deref().unwrap_or(""))
                }
                _ => true,
            };
            let condition = placed.breakpoint.condition.as_deref().unwrap_or("true");
            if fits_error
                && expression::condition(&snapshot.machine, frame, condition, &*self.setup.server)
                    .unwrap_or(true)
            {
                return Verdict::Stop(Stop::Breakpoint(placed.id));
            }
        }
        match then {
            _ if !self.may_be_trouble(event) => Verdict::No,
            None => Verdict::Unseen,
            Some(snapshot) => match self.trouble_stop(&snapshot.machine, event) {
                Some(stop) => Verdict::Stop(stop),
                None => Verdict::No,
            },
        }
    }

    /// Whether an event is of a kind that stops a run as an error or a difference of the profiles.
    fn may_be_trouble(&self, event: &Event) -> bool {
        let on = |moment| self.breakpoints.moments.contains(&moment);
        let differs = self.breakpoints.differences;
        (differs && event.diverges)
            || match event.kind {
                EventKind::ErrorRaised => {
                    differs || on(ErrorMoment::Raised) || on(ErrorMoment::Uncaught)
                }
                EventKind::RetryScheduled => on(ErrorMoment::Retried),
                EventKind::Caught => on(ErrorMoment::Caught),
                _ => false,
            }
    }
}
