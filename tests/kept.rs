//! Tests of breakpoints, watches and typed answers that are saved for the next session, of runs that begin at another
//! state than the first, and of a paused clock.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::StatePath;
use asldbg::interpreter::{Answer, Header};
use asldbg::query::Profile;
use asldbg::session::{
    Breakpoint, Command, Direction, ErrorMoment, Location, Part, Progress, Refused, Session, Setup,
    Stop, Switch,
};
use std::sync::Arc;
use support::{Sample, Tell as _, command, events, go, sample, trace, value};

const ON: Direction = Direction::Forward;

/// Creates a session on the sample. No source answers its tasks.
fn unanswered(sample: &Sample) -> Session {
    Session::new(Setup::new(
        Arc::clone(&sample.definition),
        Header::new(sample.input.clone(), Profile::Spec),
        Arc::new(asldbg::worker::Worker::new()),
    ))
}

#[test]
fn what_was_set_up_is_kept_and_had_again() {
    let sample = sample("order");
    let mut session = sample.session(Profile::Spec);
    let path = |name: &str| StatePath(name.into());
    let all = [
        Location::State(path("Ship")),
        Location::Item(path("Ship"), 3),
        Location::Part(path("Ship"), Part::Field("ResultPath".into())),
        Location::Part(path("ChargeCard"), Part::Retrier(1)),
        Location::Part(path("ChargeCard"), Part::Catcher(0)),
        Location::Part(path("InStock?"), Part::Rule(0)),
        Location::Part(path("InStock?"), Part::Default),
        Location::Error(ErrorMoment::Caught, "Payment.*".into()),
        Location::Data("$.payment".into()),
    ];
    for at in all {
        command(
            &mut session,
            Command::Break(Breakpoint {
                condition: Some("attempt >= 2".into()),
                hit_count: 3,
                log_message: Some("{$.order}".into()),
                ..Breakpoint::at(at)
            }),
        );
    }
    let once = Breakpoint {
        once: true,
        ..Breakpoint::at(Location::State(path("Ship")))
    };
    command(&mut session, Command::Break(once));
    let second = session.view().breakpoints[1].id;
    command(&mut session, Command::EnableBreak(second, Switch::Off));
    command(&mut session, Command::Watch("$.order.id".into()));
    let saved = session.saved().expect("something");
    let mut other = sample.session(Profile::Spec);
    assert_eq!(other.saved(), None);
    let restored = other.restore(&saved);
    assert_eq!(
        (restored.points, restored.watches, restored.answers),
        (9, 1, 0)
    );
    assert_eq!(
        asldbg::wording::restored(restored).as_deref(),
        Some("9 points, 1 watch restored")
    );
    assert_eq!(other.saved(), Some(saved));
    for odd in [
        "7",
        r#"{"points": [1, {}, {"error": "x"}], "watches": [{}], "answers": [{}]}"#,
    ] {
        assert!(other.restore(&value(odd)).is_nothing());
    }
}

#[test]
fn typed_answers_come_again_next_time() {
    let sample = sample("order");
    let mut session = unanswered(&sample);
    let mut given = 0;
    while let Stop::Ask(ask) = go(&mut session) {
        let answer = if given == 1 {
            Answer {
                took: 1500,
                ..Answer::failure("Payment.Throttled", "")
            }
        } else {
            Answer::success(value(r#"{"receiptId": "r", "Payload": {"tracking": 1}}"#))
        };
        command(&mut session, Command::Answer(ask, answer));
        given += 1;
    }
    assert!(given > 2);
    let mut other = unanswered(&sample);
    let restored = other.restore(&session.saved().expect("answers"));
    assert_eq!(restored.answers, given);
    go(&mut other);
    assert_eq!(events(&session), events(&other));
}

#[test]
fn answers_of_a_run_that_was_given_up_are_offered_again_and_not_given() {
    let sample = sample("order");
    let mut session = unanswered(&sample);
    let Stop::Ask(first) = go(&mut session) else {
        panic!("a task is asked for")
    };
    let asked = session.view().header.event;
    let typed = Answer::failure("Payment.Declined", "typed");
    command(&mut session, Command::Answer(first, typed.clone()));
    go(&mut session);
    command(&mut session, Command::Travel(asked));
    let other = Answer::success(value("{}"));
    command(&mut session, Command::RedoState);
    let Stop::Ask(again) = go(&mut session) else {
        panic!("it is asked again")
    };
    let offered = |session: &Session, ask| session.offer(ask).and_then(|offer| offer.before);
    assert_eq!(offered(&session, again), Some(typed.clone()));
    // The saved answer is offered in the next session.
    let mut later = unanswered(&sample);
    later.restore(&session.saved().expect("an answer"));
    let Stop::Ask(later_ask) = go(&mut later) else {
        panic!("it is asked again")
    };
    assert_eq!(offered(&later, later_ask), Some(typed));
    // Another answer to the same call replaces the saved one.
    command(&mut session, Command::Answer(again, other.clone()));
    let saved = session.saved().expect("an answer").to_string();
    assert!(!saved.contains("Declined"), "{saved}");
}

#[test]
fn a_run_begins_elsewhere_and_says_where_it_cannot() {
    let sample = sample("nested");
    let mut session = sample.session(Profile::Spec);
    let at = |session: &Session, name: &str| session.definition().find_by_name(name);
    let start_at = at(&session, "Send");
    command(
        &mut session,
        Command::Begin {
            start_at,
            input: Some(value(r#"{"pages": 1}"#)),
        },
    );
    assert_eq!(trace(&session), ["Send"]);
    assert!(matches!(go(&mut session), Stop::End));
    let inner = at(&session, "Translate");
    let refused = session.apply(Command::Begin {
        start_at: inner,
        input: None,
    });
    assert_eq!(refused, Err(Refused::InsideGroup("Translate".into())));
}

#[test]
fn a_held_clock_rests_before_each_deadline() {
    let sample = sample("order");
    let mut free = sample.session(Profile::Spec);
    go(&mut free);
    let mut session = sample.session(Profile::Spec);
    session.hold_clock();
    session.tell(Command::Continue(ON));
    let mut rests = 0;
    loop {
        session.settle();
        let Some((now, due)) = session.rests() else {
            break;
        };
        assert!(due > now && !session.is_busy());
        assert_eq!(session.advance(10), Progress::Idle);
        session.let_pass(due);
        rests += 1;
    }
    assert!(rests >= 4, "{rests}");
    assert_eq!(events(&free), events(&session));
    // Moving over recorded events does not wait for the clock.
    go_back(&mut session);
    assert_eq!(session.rests(), None);
}

fn go_back(session: &mut Session) {
    session.tell(Command::Travel(2));
    session.settle();
    session.tell(Command::Now);
    session.settle();
}
