//! An execution that is debugged in this process: the front end runs it, and this server answers its tasks and
//! publishes its progress.

use super::checked::MachineArn;
use super::desk::{Desk, Given};
use super::execution::Message;
use super::published::{End, Published};
use super::reply::sdk_operation;
use crate::definition::{CallPattern, Integration, StateKind, Task};
use crate::interpreter::{
    Answer, Ask, AskId, AskKey, Calling, Event, Looked, Machine, Millis, Outcome, Serve, Served,
    Status, Want,
};
use crate::json::{Text, Value};
use crate::launch::Client;
use crate::query::jsonata::Evaluation;
use crate::session::execution::{Callback, Execution as Described, Start};
use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long `call_soon` waits for an answer before it returns `Served::Later`. The caller then asks again.
const SOON: Duration = Duration::from_millis(4);

/// Describes, for the user, who sends the answer of a task that has a task token.
const TOKEN_HOLDER: &str = "a client with the task token";

/// Answers what a debugged execution asks for (evaluations, files and answers of tasks), and publishes its events.
#[derive(Debug)]
pub(super) struct Debugged {
    /// Answers requests to evaluate expressions, to read or write files, and to call external targets.
    server: Arc<dyn Serve>,
    desk: Desk,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    published: Published,
    /// For each event of the session that added history events or Map Runs for clients: the event's number in the
    /// session, and how many history events and Map Runs had been published before it. After a fork, these counts tell
    /// what to withdraw.
    marks: Vec<(u64, (usize, usize))>,
    /// Virtual time of the last event.
    now: Millis,
    /// Tasks that wait for an answer, oldest first.
    open: Vec<Open>,
    /// True if the end of the execution has been published. Events that happen in the session afterwards, for example
    /// in a fork, are not published.
    is_over: bool,
}

/// A task whose answer arrives later: from a target, from a client that has the task token, or from this server.
#[derive(Debug)]
struct Open {
    ask: AskId,
    key: AskKey,
    state: Text,
    /// Describes, for the user, who sends the answer.
    target: Text,
    since: Instant,
    token: Option<String>,
    /// True while the task's target is being called.
    is_calling: bool,
    /// Time limits of the task, in milliseconds since the call.
    timeout: Option<Millis>,
    heartbeat: Option<Millis>,
    beats: Vec<Millis>,
    answer: Option<Answer>,
}

impl Open {
    fn new(machine: &Machine, ask: &Ask, target: &str) -> Self {
        let state = machine.definition().state(ask.state);
        let (timeout_at, heartbeat) = match &ask.want {
            Want::Call {
                timeout_at,
                heartbeat,
                ..
            } => (*timeout_at, *heartbeat),
            _ => (None, None),
        };
        Self {
            ask: ask.id,
            key: ask.key.clone(),
            state: state.map_or_else(|| "".into(), |state| state.name.clone()),
            target: target.into(),
            since: Instant::now(),
            token: None,
            is_calling: false,
            timeout: timeout_at.map(|at| at.saturating_sub(machine.now())),
            heartbeat,
            beats: Vec::new(),
            answer: None,
        }
    }

    fn is_for(&self, ask: &Ask) -> bool {
        self.ask == ask.id && self.key == ask.key
    }

    fn elapsed(&self) -> Millis {
        Millis::try_from(self.since.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    /// True if the machine still waits for the task.
    fn is_needed(&self, machine: &Machine) -> bool {
        machine.ask(self.ask).is_some_and(|ask| ask.key == self.key)
    }

    /// Records a message for the task: its answer or a heartbeat.
    fn hear(&mut self, message: Message) {
        match message {
            Message::Answer(_, outcome, took) => {
                self.answer = Some(Answer {
                    outcome,
                    took: took.unwrap_or_else(|| self.elapsed()),
                    heartbeats: std::mem::take(&mut self.beats),
                });
            }
            Message::Heartbeat(_) => self.beats.push(self.elapsed()),
        }
    }

    /// Returns the answer if it has arrived. If a time limit is exceeded, returns `Outcome::Never` with the heartbeats
    /// so far.
    fn due(&mut self) -> Option<Answer> {
        if let Some(answer) = self.answer.take() {
            return Some(answer);
        }
        let last = self.beats.last().copied().unwrap_or(0);
        let silent = self.heartbeat.map(|limit| last.saturating_add(limit));
        let limit = self.timeout.into_iter().chain(silent).min()?;
        (self.elapsed() >= limit).then(|| Answer {
            heartbeats: std::mem::take(&mut self.beats),
            ..Answer::of(Outcome::Never)
        })
    }
}

/// The Task state that made a request, with the task's input and token; `None` if the request is not a call of a task.
fn task_of<'m>(
    machine: &'m Machine,
    ask: &'m Ask,
) -> Option<(&'m Task, &'m Value, Option<&'m str>)> {
    let Want::Call { input, token, .. } = &ask.want else {
        return None;
    };
    match &machine.definition().state(ask.state)?.kind {
        StateKind::Task(task) => Some((task, input, token.as_deref())),
        _ => None,
    }
}

impl Desk {
    /// True if the answer of the task comes through this server: from the server itself, or from a client or worker
    /// that has the task token.
    fn serves(&self, task: &Task, input: &Value, token: Option<&str>) -> bool {
        if token.is_some() {
            return true;
        }
        if Start::of(task).is_some() {
            let described = Described::requested(input, "", 0);
            let resolved =
                MachineArn::parse(&described.machine).and_then(|arn| self.api.resolve(arn));
            return resolved.is_ok();
        }
        if let Some(callback) = Callback::of(task, input) {
            return self.api.tasks().waiting(&callback.token).is_ok();
        }
        match &task.integration {
            Integration::Service { service, api, .. } => sdk_operation(service, api).is_some(),
            Integration::Activity => self.api.tasks().activities.contains_key(&*task.resource),
            _ => false,
        }
    }
}

/// Describes, for the user, who sends the answer for which a task waits.
fn waited_for(task: &Task, given: &Given) -> String {
    match given {
        Given::Token(_) if task.integration == Integration::Activity => {
            "a worker of the activity".to_string()
        }
        Given::Token(_) => TOKEN_HOLDER.to_string(),
        Given::Now(_) | Given::Missing(_) | Given::Later => {
            "the execution that the task started".to_string()
        }
    }
}

impl Debugged {
    pub(super) fn new(server: Arc<dyn Serve>, desk: Desk, events_before: i64, start: i64) -> Self {
        let published = Published::new(&desk.api, &desk.execution, events_before, start);
        Self {
            server,
            desk,
            state: Mutex::new(State {
                published,
                marks: Vec::new(),
                now: 0,
                open: Vec::new(),
                is_over: false,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives each message in the inbox to the task that it is for: `open`, or another waiting task. A message for a
    /// task that no longer waits is dropped.
    fn hand_out(&self, open: &mut Open) {
        let inbox = std::mem::take(&mut self.desk.execution.progress().inbox);
        let mut state = self.state();
        for message in inbox {
            let ask = message.ask();
            let mut all = std::iter::once(&mut *open).chain(&mut state.open);
            if let Some(open) = all.find(|open| open.ask == ask) {
                open.hear(message);
            }
        }
    }

    fn close(&self, open: impl IntoIterator<Item = Open>) {
        for token in open.into_iter().filter_map(|open| open.token) {
            self.desk.api.tasks().close(&token);
        }
    }

    /// Starts to wait for the answer of a task. Returns `Err` if there is nothing to wait for: with the answer if it is
    /// known already, with `Served::Not` if this server does not answer the task.
    fn begin(&self, machine: &Machine, ask: &Ask) -> Result<Open, Served> {
        let (task, input, token) = task_of(machine, ask).ok_or(Served::Not)?;
        // Drop messages for an earlier task with the same number.
        let mut progress = self.desk.execution.progress();
        progress.inbox.retain(|message| message.ask() != ask.id);
        drop(progress);
        if self.server.calls(machine, ask) {
            let mut open = Open::new(machine, ask, TOKEN_HOLDER);
            open.is_calling = true;
            let is_callback = task.pattern() == Some(CallPattern::Callback);
            if let Some(token) = token.filter(|_| is_callback) {
                self.desk.open(ask.id, token);
                open.token = Some(token.to_string());
            }
            return Ok(open);
        }
        let given = self
            .desk
            .of_task(ask, task, input, token)
            .ok_or(Served::Not)?;
        let mut open = Open::new(machine, ask, &waited_for(task, &given));
        match given {
            Given::Now(answer) => return Err(Served::Now(answer)),
            Given::Missing(why) => {
                return Err(Served::Now(Answer::failure("States.Runtime", why)));
            }
            Given::Token(token) => open.token = Some(token),
            // A child execution sends no heartbeats.
            Given::Later => open.heartbeat = None,
        }
        Ok(open)
    }
}

impl Serve for Debugged {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        self.server.serve(ask)
    }

    fn serve_soon(&self, ask: &Ask) -> Served {
        self.server.serve_soon(ask)
    }

    fn calls(&self, machine: &Machine, ask: &Ask) -> bool {
        let is_served = |(task, input, token)| self.desk.serves(task, input, token);
        self.server.calls(machine, ask) || task_of(machine, ask).is_some_and(is_served)
    }

    fn is_calling(&self, _: &Machine, ask: &Ask) -> bool {
        self.state().open.iter().any(|open| open.is_for(ask))
    }

    fn calls_several(&self) -> bool {
        true
    }

    fn takes_tokens(&self) -> bool {
        true
    }

    fn calling(&self) -> Option<Calling> {
        self.server.calling().or_else(|| {
            let state = self.state();
            state.open.first().map(|open| Calling {
                state: open.state.clone(),
                target: open.target.clone(),
                since: open.elapsed(),
                others: state.open.len() - 1,
            })
        })
    }

    fn call_soon(&self, machine: &Machine, ask: &Ask) -> Served {
        let mut state = self.state();
        let left: Vec<Open> = state
            .open
            .extract_if(.., |open| !open.is_needed(machine))
            .collect();
        let place = state.open.iter().position(|open| open.is_for(ask));
        let open = place.map(|place| state.open.remove(place));
        let place = place.unwrap_or(state.open.len());
        drop(state);
        self.close(left);
        let mut open = match open {
            Some(open) => open,
            None => match self.begin(machine, ask) {
                Ok(open) => open,
                Err(served) => return served,
            },
        };
        if open.is_calling {
            match self.server.call_soon(machine, ask) {
                Served::Now(answer)
                    if open.token.is_some() && matches!(answer.outcome, Outcome::Success(_)) =>
                {
                    open.is_calling = false;
                }
                Served::Later => {
                    self.state().open.insert(place, open);
                    return Served::Later;
                }
                served => {
                    self.close([open]);
                    return served;
                }
            }
        }
        let execution = &self.desk.execution;
        if open.answer.is_none() {
            execution.wait_for_mail(Some(Instant::now() + SOON));
        }
        execution.has_mail.store(false, Ordering::Release);
        self.hand_out(&mut open);
        match open.due() {
            Some(answer) => {
                self.close([open]);
                Served::Now(answer)
            }
            None => {
                self.state().open.insert(place, open);
                Served::Later
            }
        }
    }

    fn abandon(&self, machine: &Machine, ask: &Ask) {
        self.server.abandon(machine, ask);
        // Only a call of a target is abandoned. A client that has the task token, or a child execution that was
        // started, may still answer.
        let mut state = self.state();
        state
            .open
            .retain(|open| !(open.is_calling && open.is_for(ask)));
    }

    fn look(&self, evaluation: &Arc<Evaluation>) -> Looked {
        self.server.look(evaluation)
    }

    fn happened(&self, number: u64, machine: &Machine, event: &Event) {
        let mut state = self.state();
        if state.is_over {
            return;
        }
        // If the run was forked or restarted, some of the published events no longer exist in the run. They are
        // withdrawn.
        while let Some((_, lengths)) = state.marks.pop_if(|(marked, _)| *marked >= number) {
            state.published.take_back(lengths);
        }
        let lengths = state.published.lengths();
        state.published.note(machine, event);
        if lengths != state.published.lengths() {
            state.marks.push((number, lengths));
        }
        state.now = machine.now();
        // If the user has answered a task in the debugger, answers with the token of this task are rejected from now
        // on.
        let is_answered = |open: &mut Open| machine.ask(open.ask).is_none();
        self.close(state.open.extract_if(.., is_answered));
        if *machine.status() != Status::Running {
            state.is_over = true;
            let end = state.published.ended(machine);
            let now = machine.now();
            let status = machine.status();
            state.published.finish(end, status, now, &self.desk.api);
        }
    }

    fn discard(&self, what: Box<dyn Any + Send>) {
        self.server.discard(what);
    }
}

impl Client for Debugged {
    fn status(&self) -> &'static str {
        self.desk.execution.progress().standing.word()
    }

    fn stop_if_asked(&self) -> bool {
        let stop = self.desk.execution.progress().stop.take();
        let Some(stop) = stop else {
            return false;
        };
        let mut state = self.state();
        if std::mem::replace(&mut state.is_over, true) {
            return false;
        }
        let end = End::aborted(stop);
        let open = std::mem::take(&mut state.open);
        let now = state.now;
        state
            .published
            .finish(end, &Status::Running, now, &self.desk.api);
        drop(state);
        self.close(open);
        true
    }
}
