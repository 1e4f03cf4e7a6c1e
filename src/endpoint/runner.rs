//! Runs an execution to its end on its own thread, and waits for external answers.

use super::api::Api;
use super::clock::Clock;
use super::desk::Desk;
use super::execution::{Execution, Message};
use super::published::{End, Published, broken};
use super::standing::Standing;
use crate::interpreter::{Answer, AskId, Millis, Outcome, Run, Status};
use crate::json::Text;
use crate::session::answerer::Answerer;
use crate::session::unattended::{Happened, Unattended};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// Maximum number of states and retries per execution.
const MOST_STEPS: u64 = 10_000_000;
/// Number of steps between two checks for messages.
const STEPS_BETWEEN_MAILS: u32 = 1000;

/// Start of an execution's run.
pub(super) struct Beginning {
    pub(super) run: Run,
    pub(super) answerer: Answerer,
    /// Number of AWS's events from an earlier run, before a redrive.
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

/// A task that waits for an external answer.
pub(super) struct Open {
    pub(super) ask: AskId,
    pub(super) token: String,
    /// Virtual time of the call.
    called: Millis,
    /// Virtual times of heartbeats, relative to the call.
    beats: Vec<Millis>,
}

/// The run of an execution.
pub(super) struct Runner {
    pub(super) desk: Desk,
    pub(super) run: Unattended,
    clock: Clock,
    pub(super) open: Vec<Open>,
    /// The task whose target is being called with its token.
    pub(super) calling: Option<(AskId, String)>,
    /// Messages that were sent with the task token before the call ended.
    pub(super) early: Vec<Message>,
    /// Number of child executions that tasks are waiting for.
    pub(super) children: usize,
    pub(super) published: Published,
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
                Happened::NoAnswer(ask, why) => self.answer(&ask, why),
                Happened::Stuck => {
                    self.wait();
                    until_mail = 0;
                }
                Happened::TooLarge => {
                    let limit = self.desk.api.options.memory_limit >> 20;
                    return broken(format!("its values take more than {limit} MiB of memory"));
                }
                Happened::Done => return self.published.ended(self.run.machine()),
            }
            self.note_call();
            if self.run.is_awaiting() {
                until_mail = 0;
            }
            if self.run.steps() > MOST_STEPS {
                return broken(format!("it entered more than {MOST_STEPS} states"));
            }
            // Due steps run before messages are read, so that an execution that is stopped has advanced as far as
            // possible.
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

    /// Processes messages; returns the end of the run if it has to stop.
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
        let (error, cause) = stop?;
        Some(End {
            standing: Standing::Aborted,
            output: None,
            error: error.map(Text::from),
            cause: cause.map(Text::from),
            event: Some("ExecutionAborted"),
        })
    }

    pub(super) fn take(&mut self, message: Message) {
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

    /// Lets a task wait for an external answer.
    pub(super) fn hold(&mut self, ask: AskId, token: String) {
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

    /// Virtual time that has passed for external work, if the run was ended from outside.
    fn elapsed(&self) -> Millis {
        match self.clock.until() {
            Millis::MAX => 0,
            until if self.run.machine().status() == &Status::Running => until,
            _ => 0,
        }
    }
}
