//! Tests of sessions: samples run to their ends, going back and forth, forks, breakpoints, watches, unanswered tasks.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod back;
mod breakpoints;
mod edits;
mod long;
mod maps;
mod memory;
mod pending;
mod samples;
mod steps;

use asldbg::definition::{Definition, StatePath};
use asldbg::interpreter::{Answer, Event, EventKind, FrameId, Header, Outcome, Stage, Status};
use asldbg::json::{Pointer, Step, Value};
use asldbg::query::Profile;
use asldbg::session::reply::{LogPoint, Resolved, Unverified};
use asldbg::session::view::{StatePane, StateStatus, View};
use asldbg::session::{
    Breakpoint, BreakpointId, Command, Direction, ErrorFilter, ErrorMoment, Landmark, Location,
    Output, Part, Reach, Refused, Reply, Restart, Session, Setup, SourceBreakpoint,
    StateBreakpoint, Stop, Switch, Unmocked,
};
use asldbg::source::SourceId;
use asldbg::source::load::{load, load_below};
use asldbg::source::open::{Wish, parse};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use support::views::{Tally, check_history_ids, check_views, differing, look_at, plain};
use support::{
    Random, Tell as _, cases, command, events, go, good, random_machine, sample, samples, session,
    state_of, trace, value,
};

const BACK: Direction = Direction::Backward;
const ON: Direction = Direction::Forward;

struct Subject {
    name: String,
    definition: Arc<Definition>,
    made: random_machine::Made,
    profile: Profile,
}

impl Subject {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed + 1);
        let made = random_machine::machine(&mut random);
        let text = serde_json::to_string_pretty(&made.definition).unwrap();
        let profile = if seed.is_multiple_of(2) {
            Profile::Spec
        } else {
            Profile::Aws
        };
        Self {
            name: format!("made with seed {seed}: {text}"),
            definition: good("made", &text),
            made,
            profile,
        }
    }

    fn session(&self) -> Session {
        let mut header = Header::new(value(&self.made.input.to_string()), self.profile);
        header.seed = 7;
        let mut setup = Setup::new(
            Arc::clone(&self.definition),
            header,
            Arc::new(asldbg::worker::Worker::new()),
        );
        setup.mock = support::endless_answers(&self.made.answers);
        setup.unmocked = Unmocked::Echo;
        let mut session = Session::new(setup);
        support::never_stop(&mut session);
        session
    }
}

/// The event number of every stop when a command is repeated from start to end.
fn stops(session: &mut Session, wish: &Command) -> Vec<u64> {
    let mut events = vec![session.view().header.event];
    loop {
        let stop = command(session, wish.clone());
        events.push(session.view().header.event);
        if stop == Stop::End {
            return events;
        }
        assert!(events.len() < 5000, "{wish:?} does not end");
    }
}

fn path(text: &str) -> StatePath {
    StatePath(text.into())
}

/// The number of the first event that enters a state, and this event.
fn entered(session: &Session, name: &str) -> (u64, Event) {
    let all = events(session);
    let place = all.iter().position(|event| {
        event.kind == EventKind::StateEntered && state_of(session, event) == name
    });
    let place = place.unwrap_or_else(|| panic!("{name} is not entered"));
    (place as u64 + 1, all[place])
}

fn output(session: &Session) -> String {
    match session.machine().status() {
        Status::Succeeded(output) => output.to_string(),
        other => format!("{other:?}"),
    }
}

/// A session with these states, beginning with the first one, that stops only at the end.
fn over(states: &serde_json::Value, input: &str) -> Session {
    let first = states.as_object().unwrap().keys().next().unwrap();
    let text = json!({ "StartAt": first, "States": states }).to_string();
    session(
        &good("over", &text),
        Header::new(value(input), Profile::Spec),
        None,
    )
}
