//! Tests that a long run works in short pieces, because a front end handles keys only between two pieces.

use super::*;
use std::time::Duration;

/// Number of events recorded before the run is paused; the environment variable `LONG` increases it for measurements.
fn length() -> u64 {
    let given = std::env::var("LONG").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(60_000)
}

/// Processor time used by this thread; `None` if the system does not report it.
fn worked() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// The longest duration of a call so far, and a description of this call.
#[derive(Default)]
struct Longest(Duration, String);

impl Longest {
    fn time<T>(&mut self, what: &str, work: impl FnOnce() -> T) -> T {
        let before = worked();
        let done = work();
        if let (Some(before), Some(after)) = (before, worked()) {
            let took = after.saturating_sub(before);
            if took > self.0 {
                (self.0, self.1) = (took, what.to_owned());
            }
            if std::env::var_os("LONG").is_some() && took > Duration::from_millis(5) {
                eprintln!("{took:?}: {what}");
            }
        }
        done
    }

    /// Continues until the run has this number of events, or stops.
    fn run(&mut self, session: &mut Session, what: &str, events: u64) {
        while session.is_busy() && session.event_count() < events {
            self.time(what, || session.advance(64));
        }
    }
}

fn text(comment: &str) -> String {
    format!(
        r#"{{"StartAt": "A", "States": {{
            "A": {{"Type": "Pass", {comment} "Parameters": {{"a.$": "States.UUID()"}}, "Next": "B"}},
            "B": {{"Type": "Task", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:f", "Next": "A"}}}}}}"#
    )
}

#[test]
fn no_step_takes_long_after_a_long_run() {
    let definition = good("loop", &text(""));
    let header = Header::new(value("{}"), Profile::Spec);
    let mut setup = Setup::new(definition, header, Arc::new(asldbg::worker::Worker::new()));
    setup.unmocked = Unmocked::Echo;
    let mut session = Session::new(setup);
    support::never_stop(&mut session);
    let mut longest = Longest::default();
    longest.time("continue", || session.tell(Command::Continue(ON)));
    longest.run(&mut session, "run", length());
    longest.time("pause", || session.tell(Command::Pause));
    let before = session.event_count();
    // Reloads an equivalent definition, so the whole run is repeated.
    let same = good("loop", &text(r#""Comment": "x","#));
    let reply = longest.time("reload", || session.reload(same, Vec::new()));
    assert!(matches!(reply, Ok(Reply::Reloaded { .. })));
    longest.run(&mut session, "repeat", u64::MAX);
    assert_eq!(session.event_count(), before);
    // Reloads again while the run is being repeated; this repetition is abandoned halfway.
    let other = good("loop", &text(r#""Comment": "y","#));
    longest
        .time("reload again", || session.reload(other, Vec::new()))
        .unwrap();
    longest.run(&mut session, "repeat again", before / 2);
    longest.time("pause again", || session.tell(Command::Pause));
    longest.time("travel", || session.tell(Command::Travel(9)));
    longest.run(&mut session, "travel", u64::MAX);
    let stage = Stage::Input;
    let (at, value) = (Pointer::root(), value(r#"{"n": 1}"#));
    longest.time("edit", || session.tell(Command::Edit { stage, at, value }));
    longest.time("continue again", || session.tell(Command::Continue(ON)));
    longest.run(&mut session, "run again", before / 2);
    longest.time("pause at last", || session.tell(Command::Pause));
    longest.time("view", || session.view());
    longest.time("restart", || {
        session.tell(Command::Restart(Restart::KeepAnswers))
    });
    let Longest(took, what) = longest;
    assert!(took < Duration::from_millis(20), "{what} took {took:?}");
}
