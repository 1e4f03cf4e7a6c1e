//! Stepping back: to the latest earlier event at which the same rule would have stopped.

use crate::interpreter::{EventKind, FrameId};
use crate::session::goal::{BackRule, Goal, Rule, fits, is_start_of_child};
use crate::session::session::Session;
use crate::session::stop::Stop;
use crate::session::stop_condition::Verdict;
use crate::session::sweep::{Sweep, Swept};

impl Session {
    pub(in crate::session) fn look_back(&mut self, before: u64, rule: BackRule) {
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
            BackRule::Frame(frame, Rule::End)
                if event.frame == frame
                    && is_start_of_child(event.kind)
                    && self.first_entry(number).is_some() =>
            {
                let entry = self.first_entry(number).unwrap_or(number);
                self.stepper.focus = frame;
                self.travel(entry, Stop::Step);
            }
            BackRule::Frame(frame, rule)
                if event.frame == frame && is_start_of_child(event.kind) =>
            {
                // The frame started here; earlier events belong to its parent.
                self.stepper.goal = further(self.around(frame, rule));
            }
            BackRule::Frame(frame, rule) if event.frame == frame && fits(rule, &event) => {
                self.stepper.focus = frame;
                self.travel(number, Stop::Step);
            }
            BackRule::Stops => {
                match self
                    .breakpoints
                    .may_stop_at(number, &event, &self.setup.definition)
                {
                    Verdict::Stop(stop) => {
                        self.stepper.focus = event.frame;
                        self.travel(number, stop);
                    }
                    Verdict::No => self.stepper.goal = further(rule),
                    Verdict::Unseen => {
                        let data = self.breakpoints.data_seen(self.stepper.focus);
                        self.stepper.sweep = Some(Sweep::up_to(&self.recording, number, data));
                        self.stepper.goal = Some(Goal::Sweep);
                    }
                }
            }
            BackRule::Frame(..) => self.stepper.goal = further(rule),
        }
    }

    /// Applies a rule to the parent frame. For the outermost frame, which has no start event, a rule for the frame's
    /// end becomes one for states.
    pub(in crate::session) fn around(&self, frame: FrameId, rule: Rule) -> BackRule {
        let lineage = self.recording.timeline.lineage(frame);
        let parent = lineage
            .and_then(|lineage| lineage.parent)
            .unwrap_or(FrameId(0));
        match rule {
            Rule::End if parent == FrameId(0) => BackRule::Frame(parent, Rule::State),
            other => BackRule::Frame(parent, other),
        }
    }

    /// Entry of the first state in the frame that started with an event, if it is before the cursor.
    fn first_entry(&self, began: u64) -> Option<u64> {
        let frame = self.recording.timeline.get(began)?.frame;
        let entered = |number: &u64| {
            let event = self.recording.timeline.get(*number);
            event.is_some_and(|event| event.frame == frame && event.kind == EventKind::StateEntered)
        };
        (began..self.snapshot().events).find(entered)
    }

    /// Replays one event of the range being searched. At its end, travels to the latest stop found, or continues the
    /// search before the range.
    pub(in crate::session) fn sweep_on(&mut self) {
        let Some(sweep) = &mut self.stepper.sweep else {
            return self.stop_at(Stop::Travel);
        };
        match sweep.walk(&self.recording, &self.breakpoints, &*self.setup.server) {
            Swept::More => {}
            Swept::Found(number, frame, stop) => {
                self.stepper.sweep = None;
                self.stepper.focus = frame;
                self.travel(number, stop);
            }
            Swept::Nothing(before) => {
                self.stepper.sweep = None;
                self.stepper.goal = Some(Goal::Back {
                    before,
                    rule: BackRule::Stops,
                });
            }
        }
    }
}
