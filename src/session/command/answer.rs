//! Answers the requests of a session's run: applies and logs the answers that the answerer has, and leaves the other
//! requests to the user.

use crate::definition::StateId;
use crate::interpreter::{Answer, Ask, AskId, Millis, Want};
use crate::json::Text;
use crate::session::answerer::{AnswerRule, Decision, asked_with, was_stopped};
use crate::session::child::{Asked, Child, Turn};
use crate::session::log::{AnsweredBy, EntryKind};
use crate::session::no_answer::{ChildProblem, NoAnswer, Remark};
use crate::session::reply::{Output, Reach, Refused, Reply};
use crate::session::session::Session;
use crate::session::stop_condition::Stop;

impl Session {
    /// Answers a request without the user, if any source has an answer, or starts to compute the answer.
    pub(in crate::session) fn answer_by_itself(&mut self, ask: &Ask) -> Asked {
        self.lend_answer(&ask.key);
        let server = &self.setup.server;
        let is_called = server.is_calling(&self.recording.head.machine, ask);
        let answerer = &mut self.answering.answerer;
        let decision = answerer.decide(&self.recording.head.machine, ask);
        self.say_remarks();
        let head = &mut self.recording.head;
        match decision {
            Decision::Later if self.answering.answerer.calls_beside(&head.machine, ask) => {
                head.calling.push_back(ask.clone());
                Asked::Called(is_called)
            }
            Decision::Later => {
                head.pending = Some(ask.clone());
                Asked::Begun
            }
            Decision::Serve(answer) => {
                self.serve(ask, answer);
                Asked::Answered
            }
            Decision::Answer(answer, by) => {
                self.say_asked_otherwise(ask, by);
                self.give(ask.id, answer, by);
                Asked::Answered
            }
            Decision::Start(request) if self.steps_into(&request) => {
                self.recording.head.pending = Some(ask.clone());
                self.stop_at(Stop::Child(ask.id));
                Asked::Begun
            }
            Decision::Start(request) => {
                let child =
                    Child::begin(*request, &self.answering.answerer, self.setup.memory_limit);
                self.answering.child = Some((ask.id, child));
                Asked::Begun
            }
            Decision::NoAnswer(why) => {
                self.say_why(&why);
                Asked::Open
            }
        }
    }

    /// Warns that a mocked answer may belong to another call: the mock file selects answers by the number of the call,
    /// and after a reload this call has another input.
    fn say_asked_otherwise(&mut self, ask: &Ask, by: AnsweredBy) {
        let input = asked_with(&ask.want);
        let is_changed = input.is_some_and(|input| self.replay.is_asked_otherwise(&ask.key, input));
        let state = self.setup.definition.state(ask.state);
        let mock = state.and_then(|state| self.answering.answerer.mocked_call(state, &ask.key));
        if is_changed
            && by == AnsweredBy::Mock
            && let Some((response, number)) = mock
        {
            let state = ask.key.path.clone();
            self.put(Output::Remark(Remark::MockedAlike {
                state,
                response,
                number,
            }));
        }
    }

    fn say_remarks(&mut self) {
        for remark in self.answering.answerer.take_remarks() {
            self.put(Output::Remark(remark));
        }
    }

    /// Tells the user why a request stays open, unless the reason is just that no source has an answer.
    fn say_why(&mut self, why: &NoAnswer) {
        if !matches!(why, NoAnswer::Nowhere | NoAnswer::Unread) {
            self.put(Output::NoAnswer(why.clone()));
        }
    }

    /// Performs a step of the running child execution.
    pub(in crate::session) fn step_child(&mut self) {
        let Some((ask, child)) = &mut self.answering.child else {
            return;
        };
        let ask = *ask;
        let turn = child.step();
        let steps = self.answering.child_steps.saturating_add(child.steps());
        let most = self.setup.max_child_steps;
        let turn = match turn {
            Turn::Going if steps <= most => return,
            Turn::Going => Turn::NoAnswer(NoAnswer::of_child(ChildProblem::TooLong(most))),
            over => over,
        };
        let notes = child.take_notes();
        self.answering.child = None;
        self.answering.child_steps = steps;
        for note in notes {
            self.put(Output::Remark(note));
        }
        match turn {
            Turn::Going => {}
            Turn::Ended(answer) => self.give(ask, answer, AnsweredBy::Child),
            Turn::NoAnswer(why) => self.child_came_to_nothing(ask, why),
        }
    }

    fn child_came_to_nothing(&mut self, ask: AskId, why: NoAnswer) {
        let machine = &self.recording.head.machine;
        let Some(ask) = machine.ask(ask).cloned() else {
            return;
        };
        let given = self.answering.answerer.unmocked(machine, &ask, why);
        self.say_remarks();
        match given {
            Ok(answer) => self.give(ask.id, answer, AnsweredBy::Unmocked),
            Err(why) => {
                self.say_why(&why);
                if self.leave_open(&ask) {
                    self.forget_comparison();
                }
            }
        }
    }

    /// Applies an answer of the server, which evaluates expressions and reads and writes files. Logs the answer if the
    /// server might answer differently in a later run.
    fn serve(&mut self, ask: &Ask, answer: Answer) {
        // An evaluation always gives the same result, except if the time limit stopped it.
        let is_evaluation = matches!(ask.want, Want::Evaluate(_));
        if !is_evaluation || was_stopped(&answer.outcome) != Some(false) {
            self.recording.note(EntryKind::Served {
                ask: ask.id,
                key: ask.key.clone(),
                want: ask.want.clone(),
                answer: answer.clone(),
            });
        }
        self.recording.head.machine.answer(ask.id, answer);
    }

    /// Gives an answer to the interpreter at the last event of the timeline, and adds the answer to the log.
    pub(in crate::session) fn give(&mut self, id: AskId, answer: Answer, by: AnsweredBy) {
        let machine = &self.recording.head.machine;
        let Some(ask) = machine.ask(id).or_else(|| machine.held(id)).cloned() else {
            return;
        };
        let head = &mut self.recording.head;
        self.setup.server.abandon(&head.machine, &ask);
        head.pending.take_if(|pending| pending.id == id);
        head.calling.retain(|calling| calling.id != id);
        let child = self.answering.child.as_ref();
        if child.is_some_and(|(asked, _)| *asked == id) {
            self.answering.child = None;
        }
        let Some(input) = asked_with(&ask.want).cloned() else {
            return;
        };
        self.recording.note(EntryKind::Answer {
            ask: id,
            state: self.bare_name(ask.state),
            key: ask.key,
            input,
            answer: answer.clone(),
            by,
        });
        self.recording.head.machine.answer(id, answer);
    }

    pub(in crate::session) fn bare_name(&self, state: StateId) -> Text {
        let state = self.setup.definition.state(state);
        state.map_or_else(|| "".into(), |state| state.name.clone())
    }

    /// Gives up waiting for all calls in flight. The user then has to answer their tasks. Returns the request of the
    /// first of these tasks.
    pub(in crate::session) fn abandon_calls(&mut self) -> Option<AskId> {
        let (head, server) = (&mut self.recording.head, &self.setup.server);
        let machine = &head.machine;
        let pending = head.pending.take_if(|ask| server.is_calling(machine, ask));
        let calling = pending.into_iter().chain(std::mem::take(&mut head.calling));
        let calling = calling.inspect(|ask| server.abandon(machine, ask));
        calling.map(|ask| ask.id).min()
    }

    /// Forgets the results of real calls that the focus frame's state made, because the user wants to run the state
    /// again.
    pub(in crate::session) fn forget_calls(&mut self) {
        let machine = &self.recording.head.machine;
        let frame = machine.frame(self.stepper.focus);
        let state = frame.and_then(|frame| self.setup.definition.state(frame.visit.state));
        if let Some(path) = state.map(|state| state.path.0.clone()) {
            self.answering.answerer.earlier_mut().forget_calls(&path);
        }
    }

    /// Keeps the answers of the user and of child executions, for requests with the same keys in the next run.
    pub(in crate::session) fn remember_answers(&mut self) {
        let earlier = self.answering.answerer.earlier_mut();
        earlier.remember(&self.recording.log);
    }

    pub(in crate::session) fn answer_by_person(
        &mut self,
        ask: AskId,
        answer: Answer,
    ) -> Result<Reply, Refused> {
        let machine = &self.snapshot().machine;
        if machine.ask(ask).or_else(|| machine.held(ask)).is_none() {
            return Err(Refused::NotAsked);
        }
        self.fork();
        self.give_anew(ask, answer);
        self.stepper.stop = Stop::Step;
        Ok(Reply::Answered)
    }

    /// Applies an answer of the user. If the task has already waited, the times in the answer count from the current
    /// time of the run.
    fn give_anew(&mut self, id: AskId, mut answer: Answer) {
        let machine = &self.recording.head.machine;
        if let Some(held) = machine.held(id) {
            let (passed, came) = machine.so_far(held);
            let later = |after: &Millis| after.saturating_add(passed);
            let beats = came
                .iter()
                .copied()
                .chain(answer.heartbeats.iter().map(later));
            answer.heartbeats = beats.collect();
            answer.took = later(&answer.took);
        }
        self.give(id, answer, AnsweredBy::Person);
    }

    /// Answers a request and all others that `reach` selects, whether they are open now or made later.
    pub(in crate::session) fn answer_all(
        &mut self,
        ask: AskId,
        answer: &Answer,
        reach: &Reach,
    ) -> Result<Reply, Refused> {
        let machine = &self.snapshot().machine;
        let Some(ask) = machine.ask(ask).or_else(|| machine.held(ask)).cloned() else {
            return Err(Refused::NotAsked);
        };
        let server = &*self.setup.server;
        let rule = match AnswerRule::new(machine, &ask, reach, answer.clone(), server) {
            Ok(rule) => rule,
            Err(problem) => return Err(Refused::Condition(problem)),
        };
        self.fork();
        let (machine, answerer) = (&self.recording.head.machine, &self.answering.answerer);
        let open: Vec<AskId> = machine
            .open_asks()
            .chain(machine.held(ask.id))
            .filter(|ask| answerer.would_answer(&rule, machine, ask))
            .map(|ask| ask.id)
            .collect();
        let count = open.len();
        for id in open {
            self.give_anew(id, answer.clone());
        }
        let definition = &self.setup.definition;
        let text = rule.text(definition);
        self.answering.answerer.add_rule(definition, rule);
        self.stepper.stop = Stop::Step;
        Ok(Reply::AnsweredAll { count, rule: text })
    }

    /// Removes a rule that answers requests; requests that the rule has answered stay answered.
    pub(in crate::session) fn forget_answer_rule(
        &mut self,
        place: usize,
    ) -> Result<Reply, Refused> {
        let rule = self.answering.answerer.remove_rule(place);
        let rule = rule.ok_or(Refused::NoAnswerRule(place))?;
        let rule = rule.text(&self.setup.definition);
        Ok(Reply::RuleGone { rule })
    }
}
