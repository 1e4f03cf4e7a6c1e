//! Extracts from a recorded execution what a run needs to repeat it: answers, times, and values that differ in each
//! execution.

use super::event::{Names, Part, Payload, RecordedEvent, Unrepeatable as Marked};
use super::frame::{RecordedFrame, RecordedRun, Visit};
use crate::definition::{
    Definition, Fail, MapMode, PathField, QueryLanguage, ResultPath, State, StateId, StateKind,
};
use crate::interpreter::{
    Answer, Course, EventKind, Fault, Followed, MapRun, MapRunOutcome, Origin, Outcome, Passage,
    Reason, Status, Unrepeatable, Work,
};
use crate::json::{Pointer, Text, Value, not_recorded};
use crate::session::answers::{RecordedAnswer, RecordedAnswers};
use std::sync::Arc;

impl RecordedRun {
    /// The answers to all calls, by request key. A call whose answer was not recorded has no entry, unless its state
    /// discards the answer.
    #[must_use]
    pub fn answers(&self, definition: &Definition) -> RecordedAnswers {
        self.answers_with(|visit| {
            let state = visit.state.and_then(|state| definition.state(state));
            state
                .filter(|state| drops_result(state))
                .map(|_| not_recorded())
        })
    }

    /// Like [`Self::answers`], for a run that follows the recorded events. An answer that was not recorded is replaced
    /// by a marker value.
    #[must_use]
    pub fn answers_followed(&self) -> RecordedAnswers {
        self.answers_with(|_| Some(not_recorded()))
    }

    /// The answers to all calls. `unknown` returns the value to use for an answer that was not recorded, or `None` for
    /// no answer.
    fn answers_with(&self, unknown: impl Fn(&Visit) -> Option<Value>) -> RecordedAnswers {
        let mut answers = RecordedAnswers::new();
        for frame in &self.frames {
            let visits = frame.visits.iter();
            for visit in visits.filter(|visit| &*visit.type_name == "Task") {
                for attempt in 0..visit.attempts.len() {
                    let number = u32::try_from(attempt + 1).unwrap_or(u32::MAX);
                    let answer = self.answer(frame, visit, attempt, unknown(visit).as_ref());
                    if let Some((key, answer)) = visit.key(frame, number).zip(answer) {
                        answers.insert(key, answer);
                    }
                }
            }
        }
        answers
    }

    /// The answer that the attempt with this index (from 0) of a task got. If the answer was not recorded, returns
    /// `unknown` as its value, or no answer if `unknown` is `None`.
    fn answer(
        &self,
        frame: &RecordedFrame,
        visit: &Visit,
        attempt: usize,
        unknown: Option<&Value>,
    ) -> Option<RecordedAnswer> {
        let tried = visit.attempts.get(attempt)?;
        let begun = tried.begun?;
        let asked = self.event(begun)?;
        let outcome = match tried.ended.and_then(|ended| self.event(ended)) {
            Some(event) if event.kind == Some(EventKind::TaskSucceeded) => {
                Outcome::Success(event.data.value().or_else(|| unknown.cloned())?)
            }
            Some(event) => failure(event),
            None if self.was_cut_short(frame) => Outcome::Never,
            None => return None,
        };
        // The time of the first attempt counts from the entry of the state; the time of a retry counts from the start
        // of the retry.
        let from = match attempt {
            0 => visit.entered.unwrap_or(begun),
            _ => begun,
        };
        let ended = tried.ended.and_then(|ended| self.time(ended));
        let took = ended
            .zip(self.time(from))
            .map(|(to, from)| to.saturating_sub(from));
        let answer = Answer {
            took: took.unwrap_or(0),
            ..Answer::of(outcome)
        };
        Some(RecordedAnswer {
            input: asked.data.value(),
            answer,
        })
    }

    /// The times of events, and the values that differ in each execution, for a run of this definition that repeats the
    /// execution.
    #[must_use]
    pub fn course(&self, definition: &Definition) -> Course {
        self.course_with(definition, false)
    }

    /// Like [`Self::course`], for a run that follows the recorded events instead of evaluating its definition. Such a
    /// run is used if the definition was generated from the events, or if data were not recorded.
    #[must_use]
    pub fn course_followed(&self, definition: &Definition) -> Course {
        self.course_with(definition, true)
    }

    fn course_with(&self, definition: &Definition, follows: bool) -> Course {
        let marked = Marked::of(definition);
        let mut course = Course::default();
        let times = (0..self.events.len()).filter_map(|place| self.time(place));
        let over = times.max().unwrap_or(0).saturating_add(1);
        if follows {
            course.over = Some(over);
            course.ends_there = !self.is_whole;
            course.end = self.end().filter(|_| !self.is_whole).and_then(ending);
        }
        let visits = self.frames.iter().map(|frame| frame.visits.len());
        course.visits.reserve(visits.sum());
        for (place, frame) in self.frames.iter().enumerate() {
            if frame.parent.is_some() {
                let key = &frame.key;
                let begins = self.other_start(frame, definition).filter(|_| follows);
                let ended = self.item_end(frame).filter(|_| follows);
                let stopped = frame.aborted.then_some(over);
                (course.begins).extend(begins.map(|first| (key.clone(), first)));
                (course.ended).extend(ended.map(|end| (key.clone(), end)));
                (course.stopped).extend(stopped.map(|over| (key.clone(), over)));
            }
            for (at, visit) in frame.visits.iter().enumerate() {
                let Some(key) = visit.key(frame, 0) else {
                    continue;
                };
                let names = visit.state.and_then(|state| marked.get(state));
                let state = visit.state.and_then(|state| definition.state(state));
                let mut passage = self.passage(visit, names);
                passage.input = self.given_input(frame, at, &marked);
                passage.map_run = state.and_then(|state| self.map_run(place, at, visit, state));
                if follows {
                    self.follow(&mut passage, (place, at), (frame, visit), state);
                }
                course.visits.insert(key, passage);
            }
        }
        course
    }

    /// The first state of a recorded frame, if it is not the StartAt of its scope.
    fn other_start(&self, frame: &RecordedFrame, definition: &Definition) -> Option<StateId> {
        let first = frame.visits.first()?.state?;
        let scope = frame.scope.and_then(|scope| definition.scope(scope));
        let start = scope.and_then(|scope| scope.start_at.as_ref());
        start
            .is_none_or(|start| start.state != Some(first))
            .then_some(first)
    }

    /// Copies the data, attempts, errors and next state of a visit from the recorded events. `place` is the index of
    /// the visit's recorded frame, and the index of the visit in that recorded frame.
    fn follow(
        &self,
        passage: &mut Passage,
        place: (usize, usize),
        (frame, visit): (&RecordedFrame, &Visit),
        state: Option<&State>,
    ) {
        let whole = |place: Option<usize>| {
            let data = &self.event(place?)?.data;
            let unknown = || (*data == Payload::Unknown).then(not_recorded);
            Some(Unrepeatable {
                value: data.value().or_else(unknown)?,
                names: Arc::default(),
                whole: true,
            })
        };
        let begun = visit.attempts.iter().map(|attempt| attempt.begun);
        let last = begun.clone().next_back().flatten();
        passage.input = whole(visit.entered);
        passage.calls = begun.map(whole).collect();
        passage.output = whole(visit.exited);
        let (_, at) = place;
        let fault = self.own_fault(frame, at, state);
        passage.followed = Some(Box::new(Followed {
            next: frame.visits.get(at + 1).map(|next| next.name.clone()),
            tries: visit.attempts.len(),
            items: last.and_then(|last| self.event(last)?.length),
            is_open: visit.exited.is_none() && fault.is_none(),
            leaves: self.leaves_failed(frame, at).is_some(),
            works: self.works(place, visit),
            work_fault: self.work_fault(visit),
            fault,
            evaluations: self.evaluations(frame, visit).count(),
        }));
    }

    /// For each attempt of a Map or Parallel: the time at which the attempt ended, and the number of failed branches or
    /// items after which it failed.
    fn works(&self, owner: (usize, usize), visit: &Visit) -> Vec<Work> {
        if !visit.is_group() {
            return Vec::new();
        }
        let attempt_of = |frame: &RecordedFrame| {
            let last = frame.key.rounds.last();
            last.map_or(1, |(_, attempt)| *attempt as usize)
        };
        let frames = self.frames.iter();
        let frames = frames.filter(|frame| frame.parent == Some(owner));
        let frames: Vec<&RecordedFrame> = frames.collect();
        let last = visit.attempts.len();
        // In Step Functions Local, a branch can continue after its Parallel has failed. The last attempt then ends with
        // the last event of this branch.
        let late = (frames.iter())
            .filter(|frame| !frame.aborted && attempt_of(frame) == last)
            .filter_map(|frame| frame.events.last().copied())
            .filter(|end| visit.failed && visit.worked.is_some_and(|worked| *end > worked))
            .max();
        let works = (1..=last).map(|attempt| {
            let has_failed = |frame: &&&RecordedFrame| {
                let end = || self.item_end(frame);
                attempt_of(frame) == attempt && end().is_some_and(|(_, is_good)| !is_good)
            };
            let failed = frames.iter().filter(has_failed).count();
            let failed = u32::try_from(failed).unwrap_or(u32::MAX);
            let late = late.filter(|_| attempt == last);
            let next = visit.attempts.get(attempt).and_then(|next| next.begun);
            let over = next.or(late).or(visit.worked).or(visit.exited);
            Work {
                over: over.and_then(|place| self.time(place)),
                fails_after: (attempt < last || visit.failed)
                    .then(|| late.map_or(failed.max(1), |_| u32::MAX)),
            }
        });
        works.collect()
    }

    /// Time at which an item of a Map ended, and true if the item succeeded.
    fn item_end(&self, frame: &RecordedFrame) -> Option<(u64, bool)> {
        let mut events = frame.events.iter().rev();
        events.find_map(|place| match self.event(*place)?.kind {
            Some(EventKind::IterationSucceeded) => Some((self.time(*place)?, true)),
            Some(EventKind::IterationFailed) => Some((self.time(*place)?, false)),
            _ => None,
        })
    }

    /// True if a Task, Parallel or Map was left before its work began. A catcher must then have handled an error of a
    /// field.
    #[must_use]
    pub fn fails_before_work(&self, visit: &Visit) -> bool {
        let works = &*visit.type_name == "Task" || visit.is_group();
        let whole = visit.entered.zip(visit.exited);
        works
            && visit.attempts.is_empty()
            && whole.is_some_and(|(entered, exited)| self.is_unbroken(entered, exited))
    }

    /// The error that occurred before a state's work began. Takes the error from the event of a failed expression, or
    /// from the error output that the catcher passed on.
    fn fault_before_work(&self, frame: &RecordedFrame, visit: &Visit) -> Option<Fault> {
        let failed = self.evaluations(frame, visit).last();
        let failed = failed.map(|event| event.fault(Origin::Interpreter));
        let caught = || {
            let exited = self.event(visit.exited?)?;
            Some(fault_in(&exited.data.value().unwrap_or_default()))
        };
        failed.or_else(caught)
    }

    /// The events that report failed expressions (EvaluationFailed) during a visit.
    fn evaluations<'r>(
        &'r self,
        frame: &'r RecordedFrame,
        visit: &'r Visit,
    ) -> impl Iterator<Item = &'r RecordedEvent> {
        let from = visit.entered.unwrap_or(0);
        let to = visit.exited.unwrap_or(usize::MAX);
        let inside = frame
            .events
            .iter()
            .filter(move |place| (from..to).contains(place));
        let events = inside.filter_map(|place| self.event(*place));
        events.filter(|event| event.kind == Some(EventKind::EvaluationFailed))
    }

    /// The error of a failed Map or Parallel: the error output that its catcher passed on, or the error that ended the
    /// execution.
    fn work_fault(&self, visit: &Visit) -> Option<Fault> {
        if !visit.failed {
            return None;
        }
        let exited = visit.exited.and_then(|place| self.event(place));
        let Some(exited) = exited else {
            let end = self
                .end()
                .filter(|end| end.error.is_some() || end.cause.is_some());
            return end.map(|end| end.fault(Origin::Task));
        };
        Some(fault_in(&exited.data.value()?))
    }

    /// If a frame left its last state although the task of this state had failed: the event of the failure. No catcher
    /// can have handled the failure, so the events contradict one another.
    pub(crate) fn leaves_failed(&self, frame: &RecordedFrame, at: usize) -> Option<&RecordedEvent> {
        let visit = frame.visits.get(at)?;
        let exited = visit.exited?;
        let is_last = at + 1 == frame.visits.len() && !frame.aborted;
        let succeeded = |end: &RecordedEvent| &*end.type_name == "ExecutionSucceeded";
        let is_over = match frame.parent {
            None => self.end().is_some_and(succeeded),
            Some(_) => frame.ended,
        };
        let is_whole = self.is_unbroken(exited, self.events.len().saturating_sub(1));
        let failed = self.event(visit.attempts.last()?.ended?)?;
        let has_failed = failed.kind != Some(EventKind::TaskSucceeded);
        (is_last && is_over && is_whole && has_failed).then_some(failed)
    }

    /// The error that a state itself raised, outside of its task, branches and items. Either a catcher handled the
    /// error before the work began, or the error ended the execution.
    fn own_fault(&self, frame: &RecordedFrame, at: usize, state: Option<&State>) -> Option<Fault> {
        let visit = frame.visits.get(at)?;
        if self.fails_before_work(visit) {
            return self.fault_before_work(frame, visit);
        }
        let is_last = at + 1 == frame.visits.len() && visit.exited.is_none();
        let ended = visit
            .attempts
            .last()
            .and_then(|attempt| self.event(attempt.ended?));
        let failed = ended.is_some_and(|event| event.kind != Some(EventKind::TaskSucceeded));
        let last = self.event(*frame.events.last()?)?;
        let end = self.events.iter().find(|event| {
            event.previous == Some(last.id) && event.error.is_some() && event.kind != last.kind
        });
        let end = end.or_else(|| Some(last).filter(|last| last.is_end() && last.error.is_some()));
        // The error of a task, or of a branch or item of a Parallel or Map, is not an error of the state itself.
        let has_worked = !visit.attempts.is_empty();
        let by_group = visit.failed && visit.is_group();
        let by_work = failed || by_group && has_worked;
        // A Fail state that has Error or Cause computes the error again in the run, so it does not need the recorded
        // error.
        let says = |fail: &Fail| fail.error.is_some() || fail.cause.is_some();
        let kind = state.map(|state| &state.kind);
        let is_fail = &*visit.type_name == "Fail";
        let by_itself = matches!(kind, Some(StateKind::Fail(fail)) if says(fail));
        let end = end.filter(|_| is_last && !by_work && !(is_fail && by_itself))?;
        let ends_all = ["States.Runtime", "States.DataLimitExceeded"];
        let ends_all = end
            .error
            .as_deref()
            .is_some_and(|error| ends_all.contains(&error));
        Some(end.fault(match (is_fail, ends_all) {
            (true, _) => Origin::Fail,
            (_, true) => Origin::Runtime,
            _ => Origin::Interpreter,
        }))
    }

    fn passage(&self, visit: &Visit, names: Option<&Names>) -> Passage {
        let time = |place: Option<usize>| place.and_then(|place| self.time(place));
        let entered = visit.entered.and_then(|place| self.event(place));
        let begun = visit.attempts.iter().map(|attempt| attempt.begun);
        let mut passage = Passage {
            entered: time(visit.entered),
            entered_id: entered.map_or(0, RecordedEvent::aws_id),
            attempts: begun.clone().map(time).collect(),
            left: time(visit.exited),
            ..Passage::default()
        };
        let Some(names) = names else { return passage };
        let given = |place: Option<usize>, part: Part| self.given(place?, names.get(&part)?);
        passage.calls = begun.map(|place| given(place, Part::Call)).collect();
        passage.output = given(visit.exited, Part::Output);
        let exited = visit.exited.and_then(|place| self.event(place));
        let assigned = exited.and_then(|event| event.assigned.as_ref()?.as_object());
        let members = assigned.map(|object| object.members()).unwrap_or_default();
        let is_named = |name: &Text| {
            let mut names = names
                .get(&Part::Assigned)
                .into_iter()
                .flat_map(|all| &**all);
            names.any(|known| known.is_empty() || known == name)
        };
        let members = members.iter().filter(|(name, _)| is_named(name));
        passage.assigned = members.cloned().collect();
        passage
    }

    /// The recorded data of an event. A run takes the members with these names from this data.
    fn given(&self, place: usize, names: &Arc<[Text]>) -> Option<Unrepeatable> {
        Some(Unrepeatable {
            value: self.event(place)?.data.value()?,
            names: Arc::clone(names),
            whole: false,
        })
    }

    /// The recorded input of an item's first state. A run takes from this input the members of ItemSelector whose
    /// values differ in each execution.
    fn given_input(
        &self,
        frame: &RecordedFrame,
        at: usize,
        marked: &Marked,
    ) -> Option<Unrepeatable> {
        let (owner, visit) = frame.parent.filter(|_| at == 0)?;
        let map = self.frames.get(owner)?.visits.get(visit)?.state?;
        let names = marked.get(map)?.get(&Part::Items)?;
        self.given(frame.visits.first()?.entered?, names)
    }

    /// The outcome of a DISTRIBUTED Map whose child executions were not recorded, because they have separate histories.
    fn map_run(&self, place: usize, at: usize, visit: &Visit, state: &State) -> Option<MapRun> {
        let StateKind::Map(map) = &state.kind else {
            return None;
        };
        let begun = visit.attempts.last()?.begun?;
        let has_children = self
            .frames
            .iter()
            .any(|frame| frame.parent == Some((place, at)));
        let has_runs = visit
            .state
            .is_some_and(|state| self.item_runs.contains(&state));
        if map.mode != MapMode::Distributed || has_children || has_runs {
            return None;
        }
        let (started, ended) = visit.map_run;
        started?;
        let end = ended.and_then(|ended| self.event(ended));
        let outcome = match end {
            Some(event) if event.kind == Some(EventKind::MapRunFailed) => Some(
                MapRunOutcome::Failure(event.fault(match event.error.as_deref() {
                    Some("States.Runtime") => Origin::Runtime,
                    _ => Origin::Task,
                })),
            ),
            _ => {
                let exited = visit.exited.and_then(|exited| self.event(exited));
                exited
                    .and_then(|event| event.data.value())
                    .map(|output| result_in(output, state))
            }
        };
        let started = self.event(begun);
        Some(MapRun {
            length: started.and_then(|event| event.length).unwrap_or(0),
            ended: ended.or(visit.exited).and_then(|ended| self.time(ended)),
            outcome,
        })
    }
}

/// The error in an error output that a catcher passed on.
fn fault_in(output: &Value) -> Fault {
    let text = |name: &str| output.get(name)?.as_str().map(Text::from);
    let reason = Reason::Recorded { read: None };
    Fault::outside(Origin::Task, reason, text("Error"), text("Cause"))
}

/// Status of a run after the last recorded event; `None` if the execution was aborted.
fn ending(end: &RecordedEvent) -> Option<Status> {
    Some(match end.kind? {
        EventKind::ExecutionSucceeded => {
            Status::Succeeded(end.data.value().unwrap_or_else(not_recorded))
        }
        EventKind::ExecutionTimedOut => Status::TimedOut,
        EventKind::ExecutionFailed => Status::Failed(end.fault(Origin::Runtime)),
        _ => return None,
    })
}

/// True if a state discards the answer of its task and no field reads the answer. The answer then does not affect the
/// run.
fn drops_result(state: &State) -> bool {
    let reads = state.template("ResultSelector").is_some() || state.template("Assign").is_some();
    state.language == QueryLanguage::JsonPath
        && matches!(state.result_path, ResultPath::Discard)
        && !reads
}

/// The outcome of a Map Run whose state has this output. If the state's fields allow it, derives the result of the Map
/// Run from the output, otherwise contains the output.
fn result_in(output: Value, state: &State) -> MapRunOutcome {
    let plain = state.language == QueryLanguage::JsonPath
        && state.template("ResultSelector").is_none()
        && matches!(state.output_path, PathField::Whole);
    let result = match &state.result_path {
        _ if !plain => None,
        ResultPath::Replace => Some(output.clone()),
        ResultPath::Discard => None,
        ResultPath::Insert(reference) => {
            let at = Pointer(reference.steps().to_vec());
            at.get(&output).cloned()
        }
    };
    match result {
        Some(result) => MapRunOutcome::Result(result),
        None => MapRunOutcome::Output(output),
    }
}

fn failure(event: &RecordedEvent) -> Outcome {
    let error = match event.kind {
        Some(EventKind::TaskTimedOut) => Some(
            event
                .error
                .clone()
                .unwrap_or_else(|| "States.Timeout".into()),
        ),
        _ => event.error.clone(),
    };
    Outcome::Failure {
        error,
        cause: event.cause.clone(),
    }
}
