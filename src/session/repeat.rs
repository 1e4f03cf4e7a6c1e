//! Methods of a session whose run repeats a recorded execution.

use super::answers::{RecordedAnswers, RecordedItems};
use super::recorded::{FirstDifference, Follower, RecordedRun};
use super::session::Session;
use super::stop_condition::Stop;
use super::view::{DataView, RecordedView};
use crate::interpreter::{Course, Event, Stage};
use crate::json::is_not_recorded;
use std::sync::Arc;

/// A recorded execution, prepared to be repeated with a definition.
#[derive(Clone, Debug)]
pub struct Repetition {
    /// Events of the execution, by frame.
    pub run: Arc<RecordedRun>,
    /// Times of the execution, and values that cannot be computed again.
    pub course: Arc<Course>,
    /// Answers to the tasks of the execution.
    pub answers: Arc<RecordedAnswers>,
    /// Answers to the tasks in items of DISTRIBUTED Maps.
    pub items: Arc<RecordedItems>,
}

impl Session {
    /// Compares a new event of the run with the recorded execution. Returns a stop at the first difference. Also
    /// returns a stop when the run first continues after the last recorded event.
    pub(super) fn follow_recording(&mut self, number: u64, event: &Event) -> Option<Stop> {
        let follower = self.repeated.as_mut()?;
        let machine = &self.recording.head.machine;
        let was_known = follower.is_within();
        let differs = follower.follow(number, machine, event);
        if let Some(difference) = follower.difference().filter(|_| differs) {
            return Some(Stop::Recorded(Arc::clone(difference)));
        }
        let left = was_known && !follower.is_within();
        left.then(|| Stop::NotRecorded(follower.last_id()))
    }

    /// Takes a recorded execution that was read again and may have new events. The caller must then reload its
    /// definition.
    pub fn take_recording(&mut self, now: Repetition) {
        let Some(before) = self.recorded().map(|run| run.recorded().count()) else {
            return;
        };
        let is_at_end = self.recording.past.is_none();
        self.replay.goes_on = is_at_end && now.run.recorded().count() > before;
        self.setup.header.course = Some(now.course);
        self.setup.recorded = Arc::clone(&now.answers);
        self.setup.recorded_items = Arc::clone(&now.items);
        self.answering.answerer.set_recorded(now.answers, now.items);
        self.repeated = Some(Follower::new(now.run));
    }

    /// Checks at the end of the run whether the recorded execution has more events.
    pub(super) fn follow_end(&mut self) {
        let number = self.recording.head.events;
        if let Some(follower) = &mut self.repeated {
            follower.finish(number);
        }
    }

    /// Starts the comparison with the recorded execution from the beginning, because the run starts again.
    pub(super) fn follow_again(&mut self) {
        if let Some(follower) = &mut self.repeated {
            *follower = Follower::new(Arc::clone(follower.run()));
        }
    }

    /// Forgets which recorded events matched events of the run after this event, because these events of the run are
    /// discarded.
    pub(super) fn unfollow_after(&mut self, number: u64) {
        if let Some(follower) = &mut self.repeated {
            follower.rewind(number);
        }
    }

    /// The recorded execution that the run repeats.
    #[must_use]
    pub fn recorded(&self) -> Option<&Arc<RecordedRun>> {
        self.repeated.as_ref().map(Follower::run)
    }

    /// The first difference between the run and the recorded execution.
    #[must_use]
    pub fn first_difference(&self) -> Option<&Arc<FirstDifference>> {
        self.repeated.as_ref().and_then(Follower::difference)
    }

    /// Parses the number of an event, or AWS's id of an event, such as `#41`.
    ///
    /// # Errors
    /// If there is no such event; the text says which events there are.
    pub fn event_named(&self, text: &str) -> Result<u64, String> {
        let Some(id) = text.strip_prefix('#') else {
            let last = self.event_count();
            let event = text.parse::<u64>();
            return event.map_err(|_| {
                format!("there is no such event: the recorded events have the numbers 0 to {last}")
            });
        };
        let number = id
            .parse::<u32>()
            .map_err(|_| format!("#{id} is not an event id of AWS's history"))?;
        let event = self.event_of_id(number);
        event.ok_or_else(|| format!("the run has not reached AWS's event #{number} yet"))
    }

    /// The event of the run that matches AWS's event with this id. If there is none, the event that matches the next
    /// higher id, provided that the run repeats a recorded execution.
    #[must_use]
    pub fn event_of_id(&self, id: u32) -> Option<u64> {
        match &self.repeated {
            Some(follower) => follower.number_of(id),
            None => (1..=self.recording.timeline.len()).find(|number| {
                let event = self.recording.timeline.get(*number);
                event.is_some_and(|event| event.history_id == id)
            }),
        }
    }

    /// AWS's id of an event. If the run repeats an execution, the id in the recorded execution; otherwise `history_id`.
    pub(super) fn aws_id(&self, number: u64, history_id: u32) -> u32 {
        match &self.repeated {
            Some(follower) => follower.id_of(number).unwrap_or(0),
            None => history_id,
        }
    }

    /// AWS's id of the last event before or at the cursor that has such an id.
    pub(super) fn aws_id_at(&self, number: u64, history_id: u32) -> u32 {
        let Some(follower) = &self.repeated else {
            return history_id;
        };
        let numbers = (1..=number).rev().take(64);
        numbers
            .filter_map(|number| follower.id_of(number))
            .next()
            .unwrap_or(0)
    }

    /// True if the input of the repeated execution was not recorded and the user gave no input.
    fn lacks_recorded_input(&self) -> bool {
        let input = &self.setup.header.input;
        let is_empty = input
            .as_object()
            .is_some_and(|input| input.members().is_empty());
        if is_not_recorded(input) {
            return true;
        }
        let run = self.repeated.as_ref().map(Follower::run);
        is_empty && run.is_some_and(|run| !run.has_input())
    }

    /// If the input was not recorded and an empty object is used in its place, notes this in the view.
    pub(super) fn mark_unknown(&self, data: &mut DataView) {
        if !self.lacks_recorded_input() {
            return;
        }
        let input = &self.setup.header.input;
        for stage in &mut data.stages {
            if stage.stage == Stage::Input
                && stage.value.as_ref().is_some_and(|value| value.same(input))
            {
                stage.loss = (!is_not_recorded(input))
                    .then(|| "the input was not recorded: an empty object is used".to_string());
            }
        }
    }

    pub(super) fn recorded_view(&self) -> Option<RecordedView> {
        let follower = self.repeated.as_ref()?;
        let course = self.setup.header.course.as_ref();
        Some(RecordedView {
            is_skeleton: course.is_some_and(|course| course.over.is_some()) && !self.setup.follows,
            follows: self.setup.follows,
            difference: follower.difference().cloned(),
            rest: Arc::clone(follower.rest()),
            marks: Arc::clone(follower.marks()),
            lacks_input: self.lacks_recorded_input(),
            count: follower.count(),
            events: follower.run().recorded().count(),
        })
    }
}
