//! Calls the configured targets of tasks. Each call has its own thread, so that the run does not block.

use super::answer::{of_program, of_reply, overdue};
use super::program::{Room, run};
use super::request::Request;
use super::rule::{Rule, Target, Targets};
use super::watch::Watch;
use super::{LARGEST, aws};
use crate::interpreter::{
    Answer, Ask, AskId, AskKey, Calling, Looked, Machine, Outcome, Run, Serve, Served,
};
use crate::json::Text;
use crate::query::jsonata::Evaluation;
use std::any::Any;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long `call_soon` waits for an answer before it returns `Served::Later`. The run then asks again.
const SOON: Duration = Duration::from_millis(4);

/// Answers tasks by calling the configured targets; passes all other requests on to `server`.
#[derive(Debug)]
pub struct Caller {
    server: Arc<dyn Serve>,
    targets: Targets,
    /// Calls that have not been answered yet, oldest first.
    open: Mutex<Vec<Open>>,
}

/// A call in progress.
#[derive(Debug)]
struct Open {
    run: Arc<Run>,
    id: AskId,
    key: AskKey,
    state: Text,
    target: Text,
    watch: Watch,
    answer: Receiver<Answer>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.watch.end();
    }
}

impl Caller {
    /// Returns a [`Serve`] that calls the targets for tasks and passes all other requests on to `server`. If there are
    /// no targets, returns `server` itself.
    #[must_use]
    pub fn before(server: Arc<dyn Serve>, targets: &Targets) -> Arc<dyn Serve> {
        if targets.is_empty() {
            return server;
        }
        Arc::new(Self {
            server,
            targets: targets.clone(),
            open: Mutex::default(),
        })
    }
}

impl Caller {
    fn open(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Starts a call; returns `None` if the request is not from a task or no thread can be started.
    fn begin(rule: &Rule, machine: &Machine, ask: &Ask) -> Option<Self> {
        let request = Request::of(machine, ask)?;
        let watch = Watch::new(request.patience);
        let (done, answer) = channel();
        let target = Text::from(rule.text.as_str());
        let (rule, watch_of_call) = (rule.clone(), watch.clone());
        let thread = thread::Builder::new().name("task".to_string());
        thread
            .spawn(move || {
                let outcome = call(&rule, &request, &watch_of_call);
                // A call takes at least one millisecond of virtual time. Otherwise, other calls at the same virtual
                // time could depend on the answer of this call.
                let took = u64::try_from(watch_of_call.took().as_millis())
                    .unwrap_or(0)
                    .max(1);
                watch_of_call.end();
                let answer = match outcome {
                    Some(outcome) => Answer {
                        took,
                        ..Answer::of(outcome)
                    },
                    // The task has a time limit. It passes on the virtual clock, too, and the task then times out
                    // without an answer.
                    None if request.patience.is_some() => Answer::of(Outcome::Never),
                    None => Answer {
                        took,
                        ..Answer::of(overdue(&request.called))
                    },
                };
                // The receiver may be gone.
                let _ = done.send(answer);
            })
            .ok()?;
        Some(Self {
            run: Arc::clone(machine.run()),
            id: ask.id,
            key: ask.key.clone(),
            state: machine
                .definition()
                .state(ask.state)
                .map_or_else(|| "".into(), |state| state.name.clone()),
            target,
            watch,
            answer,
        })
    }

    fn is_for(&self, machine: &Machine, ask: &Ask) -> bool {
        self.id == ask.id && self.key == ask.key && Arc::ptr_eq(&self.run, machine.run())
    }

    /// True if the run still waits for the answer of this call. Also true if `machine` belongs to another run than the
    /// call.
    fn is_needed(&self, machine: &Machine) -> bool {
        let ask = machine.ask(self.id);
        !Arc::ptr_eq(&self.run, machine.run()) || ask.is_some_and(|ask| ask.key == self.key)
    }
}

fn unmade() -> Answer {
    Answer::failure("States.TaskFailed", "the call could not be made")
}

/// Calls the target; returns `None` if the call takes too long.
fn call(rule: &Rule, request: &Request, watch: &Watch) -> Option<Outcome> {
    match &rule.target {
        Target::Http(address) => {
            let function = match &request.called {
                super::request::Called::Function { name, .. } => Some(name.as_str()),
                super::request::Called::Resource(_) => None,
            };
            let reply = match address.path(function) {
                Some(path) => address.post(&path, &request.body, watch),
                None => Err(super::http::Failed::Broken(
                    "the URL for the call cannot contain the name of the function".to_string(),
                )),
            };
            of_reply(&request.called, &rule.text, address.guesses(), reply)
        }
        Target::Aws(aws) => aws::call(aws, &rule.text, request, watch),
        Target::Program(file, arguments) => {
            let mut command = Command::new(file);
            command
                .args(arguments)
                .envs(request.environment.iter().cloned());
            let room = Room {
                limit: LARGEST,
                is_over: &|| false,
            };
            let ended = run(command, &request.body, &room, watch);
            of_program(&request.called, &rule.text, ended)
        }
    }
}

impl Serve for Caller {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        self.server.serve(ask)
    }

    fn serve_soon(&self, ask: &Ask) -> Served {
        self.server.serve_soon(ask)
    }

    fn calls(&self, machine: &Machine, ask: &Ask) -> bool {
        let state = machine.definition().state(ask.state);
        let input = crate::session::answerer::asked_with(&ask.want);
        state.is_some_and(|state| self.targets.rule(state, input).is_some())
    }

    fn is_calling(&self, machine: &Machine, ask: &Ask) -> bool {
        self.open().iter().any(|open| open.is_for(machine, ask))
    }

    fn calling(&self) -> Option<Calling> {
        let open = self.open();
        let first = open.first()?;
        Some(Calling {
            state: first.state.clone(),
            target: match first.watch.progress() {
                Some(progress) => format!("{}: {progress}", first.target).into(),
                None => first.target.clone(),
            },
            since: u64::try_from(first.watch.took().as_millis()).unwrap_or(0),
            others: open.len() - 1,
        })
    }

    fn call_soon(&self, machine: &Machine, ask: &Ask) -> Served {
        let mut all = self.open();
        all.retain(|open| open.is_needed(machine));
        let place = all.iter().position(|open| open.is_for(machine, ask));
        let open = match place {
            Some(place) => all.remove(place),
            None => {
                let state = machine.definition().state(ask.state);
                let input = crate::session::answerer::asked_with(&ask.want);
                let Some(rule) = state.and_then(|state| self.targets.rule(state, input)) else {
                    return Served::Not;
                };
                let is_same = |open: &&Open| *open.target == *rule.text && !open.watch.is_over();
                if all.iter().filter(is_same).count() >= rule.most() {
                    return Served::Later;
                }
                match Open::begin(rule, machine, ask) {
                    Some(open) => open,
                    None => return Served::Now(unmade()),
                }
            }
        };
        match open.answer.recv_timeout(SOON) {
            Ok(answer) => Served::Now(answer),
            Err(RecvTimeoutError::Timeout) => {
                let place = place.unwrap_or(all.len());
                all.insert(place, open);
                Served::Later
            }
            Err(RecvTimeoutError::Disconnected) => Served::Now(unmade()),
        }
    }

    fn abandon(&self, machine: &Machine, ask: &Ask) {
        self.open().retain(|open| !open.is_for(machine, ask));
    }

    fn calls_several(&self) -> bool {
        true
    }

    fn look(&self, evaluation: &Arc<Evaluation>) -> Looked {
        self.server.look(evaluation)
    }

    fn discard(&self, what: Box<dyn Any + Send>) {
        self.server.discard(what);
    }
}
