//! Model-based tests of sessions with random commands: steps in both directions, travel, edits, typed answers,
//! breakpoints, reloads and restarts. These properties must always hold:
//!
//! - The view of an event does not depend on how it was reached, unless something before it was changed.
//! - No command loses a typed answer, except a fresh restart and an answer for all calls of a function or resource.
//! - A refused command changes nothing.
//! - The run does not exceed its memory limit.
//!
//! `CASES=250 cargo test --release --test model -- --nocapture` tries more sessions and prints statistics.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::interpreter::{Answer, Event, FrameId, Header, Stage};
use asldbg::json::{Pointer, Value};
use asldbg::query::Profile;
use asldbg::session::view::View;
use asldbg::session::{
    Breakpoint, BreakpointId, Command, Direction, ErrorMoment, Landmark, Location, Reach, Restart,
    Session, Setup, Sought, Stop, Switch,
};
use asldbg::worker::{Files, Worker};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::views::{differing, look_at, plain};
use support::{Random, answers, definition, events, random_machine, value};

/// Number of commands for each session.
const COMMANDS: usize = 60;
/// Maximum number of events of a run.
const EVENTS: u64 = 2_000;
/// Memory limit of a session's run in bytes.
const MEMORY: u64 = 64 << 20;

/// A session under test, with the views and answers that later commands must preserve.
struct Subject {
    name: String,
    session: Session,
    texts: Vec<String>,
    events: Vec<Event>,
    /// The first view seen of each event, by the number of the event.
    views: BTreeMap<u64, View>,
    /// The answers that the user typed and that the session must keep.
    typed: Vec<Value>,
    /// The number of the last event when the user last gave an answer. While this event is still the last one, its view
    /// changes with the answer, so the view is not compared.
    answered: u64,
    done: Vec<String>,
}

/// Statistics of all sessions.
#[derive(Default)]
struct Tally {
    commands: AtomicU64,
    refused: AtomicU64,
    compared: AtomicU64,
    answers: AtomicU64,
    reloads: AtomicU64,
}

fn both(random: &mut Random) -> Direction {
    match random.one_in(2) {
        true => Direction::Forward,
        false => Direction::Backward,
    }
}

impl Subject {
    fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed + 1);
        let made = match random.one_in(2) {
            true => random_machine::machine(random),
            false => random_machine::rich(random),
        };
        let text = serde_json::to_string_pretty(&made.definition).unwrap();
        let (parsed, _) = definition("made", &text);
        let profile = match random.one_in(2) {
            true => Profile::Spec,
            false => Profile::Aws,
        };
        let header = Header::new(value(&made.input.to_string()), profile);
        let worker = Worker::with_files(Files::default());
        let mut setup = Setup::new(parsed.unwrap(), header, Arc::new(worker));
        setup.memory_limit = MEMORY;
        // In half of the sessions, a mock file answers the tasks; in the others, the user does.
        if random.one_in(2) {
            setup.mock = answers(&made.answers);
        }
        let other =
            serde_json::to_string_pretty(&random_machine::machine(random).definition).unwrap();
        let texts = vec![
            text.clone(),
            text.replace("Made.Busy", "Made.Rare"),
            other,
            "{".into(),
        ];
        Self {
            name: format!("seed {seed}"),
            session: Session::new(setup),
            texts,
            events: Vec::new(),
            views: BTreeMap::new(),
            typed: Vec::new(),
            answered: 0,
            done: Vec::new(),
        }
    }

    fn event(&self) -> u64 {
        self.session.view().header.event
    }

    fn command(&self, random: &mut Random) -> Command {
        let count = self.session.event_count();
        let states: Vec<_> = self.session.definition().state_ids().collect();
        let any = value(random.of::<&str>(&[
            "{}",
            "[]",
            "null",
            "7",
            r#"{"n": 3, "list": [1, 2], "text": "x"}"#,
        ]));
        let path: &str = random.of::<&str>(&[
            "$",
            "$.n",
            "$.list[0]",
            "$.none",
            "$$.Execution.Name",
            "{% $states.input %}",
            "$.[",
        ]);
        let state = *random.of(&states);
        let ask = match self.session.stop() {
            Stop::Ask(ask) | Stop::Child(ask) => Some(*ask),
            _ => None,
        };
        if let (Some(ask), true) = (ask, random.one_in(2)) {
            let answer = match random.below(4) {
                0 => Answer::failure("Made.Busy", "typed"),
                1 => Answer {
                    took: 1500,
                    ..Answer::success(any)
                },
                _ => Answer::success(any),
            };
            return match random.below(5) {
                0 => Command::AnswerAll(ask, answer, Reach::State),
                1 => Command::AnswerAll(ask, answer, Reach::Resource),
                _ => Command::Answer(ask, answer),
            };
        }
        match random.below(34) {
            0..=3 => Command::Step(both(random)),
            4..=6 => Command::Next(both(random)),
            7 => Command::Finish(both(random)),
            8..=10 => Command::Continue(both(random)),
            11 => Command::Attempt(both(random)),
            12 => Command::RunTo(state),
            13..=16 => Command::Travel(random.below(count as usize + 2) as u64),
            17 => {
                let landmarks = [
                    Landmark::Stage,
                    Landmark::State,
                    Landmark::Error,
                    Landmark::Event,
                    Landmark::Attempt(1),
                ];
                Command::Seek(*random.of(&landmarks), both(random))
            }
            18 => Command::SeekOrigin(Sought::Path(path.into())),
            19 => Command::Now,
            20 => Command::Restart(*random.of(&[
                Restart::KeepAnswers,
                Restart::KeepAnswers,
                Restart::Fresh,
            ])),
            21 => Command::RedoState,
            22 => Command::IgnoreFailures,
            23 => Command::EnterItem(random.below(3) as u32),
            24 => Command::Edit {
                stage: *random.of(&Stage::ALL),
                at: Pointer::default(),
                value: any,
            },
            25 => match random.below(4) {
                0 => Command::FrameUp,
                1 => Command::FrameDown,
                2 => Command::Focus(FrameId(random.below(4) as u32)),
                _ => Command::Sibling(both(random)),
            },
            26 => Command::ToggleBreak(state),
            27 => Command::Break(Breakpoint {
                condition: random.one_in(2).then(|| "attempt >= 1".into()),
                ..Breakpoint::at(Location::Data(path.into()))
            }),
            28 => match random.below(3) {
                0 => Command::RemoveAllBreaks,
                1 => Command::RemoveBreak(BreakpointId(random.below(4) as u32)),
                _ => Command::SwitchBreak(BreakpointId(random.below(4) as u32)),
            },
            29 => Command::StopOn(
                *random.of(&ErrorMoment::ALL),
                *random.of(&[Switch::On, Switch::Off]),
            ),
            30 => Command::Watch(path.into()),
            31 => Command::Unwatch(random.below(3)),
            32 => Command::SetProfile(*random.of(&[Profile::Spec, Profile::Aws])),
            _ => Command::Begin {
                start_at: random.one_in(2).then_some(state),
                input: random.one_in(2).then_some(any),
            },
        }
    }

    fn step(&mut self, random: &mut Random, tally: &Tally) {
        if random.one_in(25) {
            self.reload(random, tally);
            return;
        }
        let command = self.command(random);
        self.done.push(format!("{command:?}"));
        let at = self.event();
        // The last event whose recorded view remains valid. Some commands make all views invalid, others the views from
        // the current event on, and most commands no view.
        let kept = match &command {
            Command::Restart(_)
            | Command::SetProfile(_)
            | Command::Begin { .. }
            | Command::IgnoreFailures => 0,
            Command::Edit { .. }
            | Command::Answer(..)
            | Command::AnswerAll(..)
            | Command::RedoState => at.saturating_sub(1),
            _ => u64::MAX,
        };
        let answered = matches!(command, Command::Answer(..) | Command::AnswerAll(..));
        // Only these two commands may remove typed answers: a fresh restart, and an answer for all calls of a function
        // or resource, which replaces them.
        let forgets = matches!(
            command,
            Command::Restart(Restart::Fresh) | Command::AnswerAll(..)
        );
        let before = (
            self.event(),
            self.session.event_count(),
            self.session.saved(),
            self.session.stop().clone(),
        );
        let came = self.session.apply(command);
        tally.commands.fetch_add(1, Ordering::Relaxed);
        if came.is_err() {
            tally.refused.fetch_add(1, Ordering::Relaxed);
            let now = (
                self.event(),
                self.session.event_count(),
                self.session.saved(),
                self.session.stop().clone(),
            );
            assert_eq!(
                before, now,
                "{}: a refused command changed something: {:#?}",
                self.name, self.done
            );
            return;
        }
        self.session.advance(EVENTS);
        drop(self.session.apply(Command::Pause));
        self.session.settle();
        self.views.retain(|event, _| *event <= kept);
        if forgets {
            self.typed.clear();
        }
        self.check(answered, tally);
    }

    fn reload(&mut self, random: &mut Random, tally: &Tally) {
        let place = random.below(self.texts.len());
        self.done.push(format!("reload {place}"));
        let (Some(definition), found) = definition("made", &self.texts[place]) else {
            return;
        };
        drop(self.session.reload(definition, found));
        self.session.advance(EVENTS);
        drop(self.session.apply(Command::Pause));
        self.session.settle();
        self.views.clear();
        tally.reloads.fetch_add(1, Ordering::Relaxed);
        self.check(false, tally);
    }

    fn typed_now(&self) -> Vec<Value> {
        let saved = self.session.saved();
        let list = saved
            .as_ref()
            .and_then(|saved| saved.get("answers")?.as_array());
        list.unwrap_or_default().to_vec()
    }

    fn check(&mut self, answered: bool, tally: &Tally) {
        self.session.take_outputs();
        let now = events(&self.session);
        let same = self
            .events
            .iter()
            .zip(&now)
            .take_while(|(was, is)| was == is)
            .count() as u64;
        self.views.retain(|event, _| *event <= same);
        self.events = now;
        if answered {
            self.answered = self.session.event_count();
        }
        let count = self.session.event_count();
        if self.event() < count || self.answered != count {
            self.compare(tally);
        }
        let typed = self.typed_now();
        for earlier in &self.typed {
            // Another answer to the same ask replaces the earlier one.
            let is_same = |other: &Value| {
                ["state", "indices", "rounds", "visit", "attempt"]
                    .iter()
                    .all(|name| earlier.get(name) == other.get(name))
            };
            assert!(
                typed.iter().any(is_same),
                "{}: lost {earlier}: {:#?}",
                self.name,
                self.done
            );
        }
        tally
            .answers
            .fetch_max(typed.len() as u64, Ordering::Relaxed);
        self.typed = typed;
    }

    /// Compares the view of the current event with the view that was recorded when the run first showed this event.
    fn compare(&mut self, tally: &Tally) {
        let at = self.event();
        assert!(at <= self.session.event_count());
        let Some(event) = self.session.event(at).copied() else {
            return;
        };
        look_at(&mut self.session, &event);
        let view = self.session.view();
        if view.led_to.is_some() {
            // This view highlights the field that a value comes from, unlike the recorded one, so it is not compared.
            return;
        }
        let mut view = plain(view);
        // Breakpoints, answer rules and the number of the run may change while the event stays the same.
        view.breakpoints.clear();
        view.answer_rules.clear();
        view.header.run = 0;
        // Changes by the user are shown for the whole run, also at earlier events.
        view.header.touched = (0, 0);
        view.header.not_aws = false;
        match self.views.get(&at) {
            None => drop(self.views.insert(at, view)),
            Some(before) => {
                tally.compared.fetch_add(1, Ordering::Relaxed);
                assert!(
                    *before == view,
                    "{}: event {at}: {}\n{:#?}",
                    self.name,
                    differing(before, &view),
                    self.done
                );
            }
        }
    }
}

fn session(seed: u64, tally: &Tally) {
    let mut subject = Subject::new(seed);
    let random = &mut Random::new(seed.wrapping_mul(31) + 7);
    for _ in 0..COMMANDS {
        subject.step(random, tally);
    }
}

#[test]
fn whatever_a_person_does() {
    let cases = u64::from(support::cases(75));
    let from = std::env::var("MODEL_FROM").ok();
    let from: u64 = from.and_then(|text| text.parse().ok()).unwrap_or(0);
    let tally = Tally::default();
    let bad = (from..from + cases).filter(|seed| {
        let came = std::panic::catch_unwind(|| session(*seed, &tally));
        came.is_err()
    });
    let bad: Vec<u64> = bad.collect();
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "{cases} sessions, {} commands, {} of them refused, {} views seen again the same, {} reloads, up to {} typed answers",
        of(&tally.commands),
        of(&tally.refused),
        of(&tally.compared),
        of(&tally.reloads),
        of(&tally.answers),
    );
    assert_eq!(bad, [0; 0], "seeds of sessions");
    assert!(of(&tally.compared) > cases, "views are compared");
}
