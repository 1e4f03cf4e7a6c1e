//! Runs an execution to its end on its own thread, and answers its tasks or waits for their external answers.
//!
//! A task is answered by the first of these sources that has an answer:
//!
//! 1. The sources of every run: JSONata evaluation, files given at the start, the test case of the mock file, targets.
//! 2. This server: it starts child executions, passes on the task tokens that a task sends back, and performs the other
//!    operations of `aws-sdk:sfn`.
//! 3. A worker of the activity, or any client that sends the task's token.
//! 4. The `--unmocked` option.

use super::api::Api;
use super::desk::{Desk, Given};
use super::execution::{Execution, Message};
use super::published::{End, Published, broken};
use crate::definition::{Integration, StateKind};
use crate::interpreter::{Answer, Ask, AskId, Millis, Outcome, Run, Status, Want};
use crate::session::answerer::{Answerer, Repeats, Sources};
use crate::session::no_answer::NoAnswer;
use crate::session::unattended::{Happened, Unattended};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use std::{io, thread};

/// Maximum number of states and retries per execution.
const MOST_STEPS: u64 = 10_000_000;
/// Number of steps between two checks for messages.
const STEPS_BETWEEN_MAILS: u32 = 1000;

/// The data with which a thread runs an execution, or continues it after a redrive.
pub(super) struct Beginning {
    pub(super) run: Run,
    pub(super) answerer: Answerer,
    /// Number of events in the history before the last redrive; 0 without a redrive.
    pub(super) events_before: i64,
}

/// Starts the thread of an execution.
pub(super) fn begin(
    api: &Arc<Api>,
    execution: &Arc<Execution>,
    beginning: Beginning,
) -> io::Result<()> {
    let (api, execution) = (Arc::clone(api), Arc::clone(execution));
    let thread = thread::Builder::new().name("execution".to_string());
    let limit = api.options.memory_limit;
    thread
        .spawn(move || {
            let Beginning {
                run,
                answerer,
                events_before,
            } = beginning;
            let start = run.header.start_time;
            Runner {
                clock: Clock::new(api.options.realtime),
                run: Unattended::start(Arc::new(run), answerer, limit),
                open: Vec::new(),
                calling: None,
                early: Vec::new(),
                children: 0,
                published: Published::new(&api, &execution, events_before, start),
                desk: Desk { api, execution },
            }
            .drive();
        })
        .map(|_| ())
}

/// The virtual clock of a run, and how it relates to real time.
#[derive(Clone, Debug)]
struct Clock {
    begun: Instant,
    /// Speed of the virtual clock relative to real time; `None` if the clock jumps to the next deadline.
    factor: Option<f64>,
    /// The real and the virtual time at which tasks began to wait for external answers; `None` if no task waits. While
    /// tasks wait, a clock without a factor runs in real time.
    outside: Option<(Instant, Millis)>,
}

impl Clock {
    fn new(factor: Option<f64>) -> Self {
        Self {
            begun: Instant::now(),
            factor,
            outside: None,
        }
    }

    /// The virtual time up to which the run may advance.
    fn until(&self) -> Millis {
        match (self.factor, self.outside) {
            (Some(factor), _) => millis(self.begun.elapsed().mul_f64(factor)),
            (None, Some((since, at))) => at.saturating_add(millis(since.elapsed())),
            (None, None) => Millis::MAX,
        }
    }

    /// The real time at which a virtual time is reached; `None` if no real time has to pass.
    fn moment(&self, due: Millis) -> Option<Instant> {
        let after = |since: Instant, wait: Duration| since.checked_add(wait);
        match (self.factor, self.outside) {
            (Some(factor), _) => {
                let wait = Duration::from_millis(due).div_f64(factor);
                after(self.begun, wait)
            }
            (None, Some((since, at))) => {
                after(since, Duration::from_millis(due.saturating_sub(at)))
            }
            (None, None) => None,
        }
    }

    /// Sets whether tasks wait for external answers; `now` is the virtual time.
    fn set_outside(&mut self, is_working: bool, now: Millis) {
        match (is_working, self.outside) {
            (true, None) => self.outside = Some((Instant::now(), now)),
            (false, _) => self.outside = None,
            (true, Some(_)) => {}
        }
    }
}

fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

/// A task that waits for an answer; a client sends the answer with the task's token.
struct Open {
    ask: AskId,
    token: String,
    /// Virtual time of the call.
    called: Millis,
    /// Times at which heartbeats arrived, in milliseconds of virtual time since the call.
    beats: Vec<Millis>,
}

/// Runs an execution on its own thread.
struct Runner {
    desk: Desk,
    run: Unattended,
    clock: Clock,
    open: Vec<Open>,
    /// The task whose target is being called, with the task token.
    calling: Option<(AskId, String)>,
    /// Messages for the task in `calling` that arrived before the call of its target ended.
    early: Vec<Message>,
    /// Number of tasks that wait for a later answer of this server, such as the end of a child execution.
    children: usize,
    published: Published,
}

impl Runner {
    fn drive(&mut self) {
        let end = self.run_on();
        for open in std::mem::take(&mut self.open) {
            self.desk.api.tasks().close(&open.token);
        }
        if let Some((_, token)) = self.calling.take() {
            self.desk.api.tasks().close(&token);
        }
        let now = self.run.machine().now().max(self.elapsed());
        let (status, api) = (self.run.machine().status(), &self.desk.api);
        self.published.finish(end, status, now, api);
    }

    fn run_on(&mut self) -> End {
        let mut until_mail = STEPS_BETWEEN_MAILS;
        loop {
            match self.run.step_until(self.clock.until()) {
                Happened::Event(event) => self.published.note(self.run.machine(), &event),
                Happened::Nothing => {}
                Happened::NoAnswer(ask, why) => {
                    if let Some(end) = self.answer(&ask, why) {
                        return end;
                    }
                }
                Happened::Stuck => {
                    self.wait();
                    until_mail = 0;
                }
                Happened::TooLarge => {
                    let limit = self.desk.api.options.memory_limit >> 20;
                    return broken(format!(
                        "the execution's values take more than {limit} MiB of memory"
                    ));
                }
                Happened::Done => return self.published.ended(self.run.machine()),
            }
            self.note_call();
            if self.run.is_awaiting() {
                until_mail = 0;
            }
            if self.run.steps() > MOST_STEPS {
                return broken(format!(
                    "the execution entered more than {MOST_STEPS} states"
                ));
            }
            // Steps that are due are executed first; messages are read afterwards. A stopped execution has therefore
            // advanced as far as its clock allows.
            if until_mail > 0 {
                until_mail -= 1;
                continue;
            }
            until_mail = STEPS_BETWEEN_MAILS;
            if self.desk.execution.has_mail.swap(false, Ordering::AcqRel)
                && let Some(end) = self.read_mail()
            {
                return end;
            }
        }
    }

    /// Processes the messages for the execution. If a client asked to stop the execution, returns the end of the run.
    fn read_mail(&mut self) -> Option<End> {
        let (mail, stop) = {
            let mut progress = self.desk.execution.progress();
            (std::mem::take(&mut progress.inbox), progress.stop.take())
        };
        for message in mail {
            let calling = self.calling.as_ref().map(|(ask, _)| *ask);
            match message {
                Message::Answer(ask, ..) | Message::Heartbeat(ask) if Some(ask) == calling => {
                    self.early.push(message);
                }
                message => self.take(message),
            }
        }
        stop.map(End::aborted)
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Answer(ask, outcome, took) => {
                let Some(place) = self.open.iter().position(|open| open.ask == ask) else {
                    self.children = self.children.saturating_sub(1);
                    let answer = Answer {
                        took: took.unwrap_or(0),
                        ..Answer::of(outcome)
                    };
                    return self.run.machine_mut().answer(ask, answer);
                };
                let open = self.open.swap_remove(place);
                let answer = Answer {
                    outcome,
                    took: self.since(&open),
                    heartbeats: open.beats,
                };
                if self.run.machine().held(ask).is_some() {
                    self.run.machine_mut().answer(ask, answer);
                }
                self.set_clock();
            }
            Message::Heartbeat(ask) => {
                let Some(place) = self.open.iter().position(|open| open.ask == ask) else {
                    return;
                };
                let (is_held, passed) = match self.open.get(place) {
                    Some(open) => (self.run.machine().held(ask).is_some(), self.since(open)),
                    None => return,
                };
                if let Some(open) = self.open.get_mut(place).filter(|_| is_held) {
                    open.beats.push(passed);
                    let answer = Answer {
                        heartbeats: open.beats.clone(),
                        ..Answer::of(Outcome::Never)
                    };
                    self.run.machine_mut().answer(ask, answer);
                }
            }
        }
    }

    /// Virtual time since a task was called.
    fn since(&self, open: &Open) -> Millis {
        let now = match self.clock.until() {
            Millis::MAX => self.run.machine().now(),
            until => until,
        };
        now.saturating_sub(open.called)
    }

    /// Makes a task wait for the answer that is sent with its token.
    fn hold(&mut self, ask: AskId, token: String) {
        self.run
            .machine_mut()
            .answer(ask, Answer::of(Outcome::Never));
        self.open.push(Open {
            ask,
            token,
            called: self.run.machine().now(),
            beats: Vec::new(),
        });
        self.set_clock();
    }

    fn set_clock(&mut self) {
        let now = self.run.machine().now();
        self.clock.set_outside(!self.open.is_empty(), now);
    }

    /// Waits for the next deadline or message.
    fn wait(&mut self) {
        let machine = self.run.machine();
        let is_held = |open: &Open| machine.held(open.ask).is_some();
        let (held, gone) = std::mem::take(&mut self.open)
            .into_iter()
            .partition::<Vec<Open>, _>(is_held);
        self.open = held;
        if !gone.is_empty() {
            for open in gone {
                self.desk.api.tasks().close(&open.token);
            }
            return self.set_clock();
        }
        // The virtual clock stands still while a child execution runs.
        let due = self.run.machine().next_deadline();
        let due = due.filter(|_| self.children == 0);
        let until = due.and_then(|due| self.clock.moment(due));
        self.desk.execution.wait_for_mail(until);
    }

    /// Virtual time from the start until now, including time for external work; 0 if the run has ended by itself, or if
    /// its waits take no real time.
    fn elapsed(&self) -> Millis {
        match self.clock.until() {
            Millis::MAX => 0,
            until if self.run.machine().status() == &Status::Running => until,
            _ => 0,
        }
    }

    /// Accepts the token of a task as soon as its target is called, because the target may send the token back at once.
    fn note_call(&mut self) {
        let now = self.run.pending().and_then(|ask| match &ask.want {
            Want::Call { token, .. } => Some((ask.id, token.as_ref()?.to_string())),
            _ => None,
        });
        if now == self.calling {
            return;
        }
        if let Some((ask, token)) = self.calling.take()
            && !self.open.iter().any(|open| open.ask == ask)
        {
            self.desk.api.tasks().close(&token);
            self.early.clear();
        }
        if let Some((ask, token)) = &now {
            self.desk.open(*ask, token);
        }
        self.calling = now;
    }

    /// Makes a task wait for the answer that will be sent with its token. Called after the task's target has received
    /// the token.
    fn wait_for_token(&mut self, ask: AskId, token: &str) {
        self.hold(ask, token.to_string());
        self.calling = None;
        for message in std::mem::take(&mut self.early) {
            self.take(message);
        }
    }

    /// Answers a request for which the run has no answer, or arranges for a later answer. Returns the end of the run if
    /// the run cannot continue.
    fn answer(&mut self, ask: &Ask, why: NoAnswer) -> Option<End> {
        let machine = self.run.machine();
        let state = machine.definition().state(ask.state);
        if let (Want::Call { token, .. }, NoAnswer::Token) = (&ask.want, &why)
            && let Some(token) = token
        {
            self.wait_for_token(ask.id, token);
            return None;
        }
        let answer = match (state.map(|state| &state.kind), &ask.want, &why) {
            (Some(StateKind::Task(task)), Want::Call { input, token, .. }, NoAnswer::Nowhere) => {
                if task.integration == Integration::Activity {
                    // This is done before the task is scheduled, because a worker may then take it at once.
                    self.published.show_when_taken(ask);
                }
                self.desk.of_task(ask, task, input, token.as_deref())
            }
            _ => None,
        };
        match answer {
            Some(Given::Now(answer)) => self.run.machine_mut().answer(ask.id, answer),
            Some(Given::Token(token)) => self.hold(ask.id, token),
            Some(Given::Later) => self.children += 1,
            Some(Given::Missing(why)) => {
                let name = state.map_or("", |state| &*state.name);
                return Some(self.published.unscheduled(ask.id, name, &why));
            }
            None => {
                let answer = self.unmocked(ask, why);
                self.run.machine_mut().answer(ask.id, answer);
            }
        }
        None
    }

    /// Answers a task according to the `--unmocked` option.
    fn unmocked(&self, ask: &Ask, why: NoAnswer) -> Answer {
        let machine = self.run.machine();
        let server = Arc::clone(&self.desk.api.worker);
        let sources = Sources {
            unmocked: self.desk.api.options.unmocked,
            ..Sources::default()
        };
        let is_nowhere = why == NoAnswer::Nowhere;
        let mut answerer = Answerer::new(server, Repeats::Never, sources);
        match answerer.unmocked(machine, ask, why) {
            Ok(mut answer) => {
                let state = machine.definition().state(ask.state);
                if let (Outcome::Failure { cause, .. }, Some(state), true) =
                    (&mut answer.outcome, state, is_nowhere)
                {
                    *cause = Some(self.no_answer(&state.name).into());
                }
                answer
            }
            Err(why) => Answer::failure("States.Runtime", why.to_string()),
        }
    }

    /// Cause of the failure of a task without an answer; says how to start the execution with a test case.
    fn no_answer(&self, state: &str) -> String {
        let execution = &self.desk.execution;
        let mock = self.desk.api.mock().ok().flatten();
        let machine = [&*execution.of.name];
        let cases = mock.as_ref().and_then(|mock| mock.file.cases(&machine));
        let why = match (&execution.test_case, cases.unwrap_or_default()) {
            (Some(case), _) => format!("the test case {case} has no answer for this state"),
            (None, [first, rest @ ..]) => {
                let others = rest.iter().map(|case| format!(", or #{}", case.name));
                let (arn, others) = (&execution.of.machine, others.collect::<String>());
                let first = &first.name;
                format!(
                    "the execution was started without a test case; start it as {arn}#{first}{others}"
                )
            }
            (None, []) => {
                "the mock file (--mock) has no test case for this state machine".to_string()
            }
        };
        format!("no answer for {state}: {why}")
    }
}
