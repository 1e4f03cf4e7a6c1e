//! Tests of evaluations that take long: the session asks again and again for the result, and never blocks.

use super::*;
use asldbg::interpreter::{Ask, AskId, Looked, Serve, Served, Want};
use asldbg::query::jsonata::Evaluation;
use asldbg::session::{Progress, Sought};
use asldbg::worker::Worker;
use std::collections::HashMap;
use std::sync::Mutex;

/// Evaluates slowly: returns the result of an evaluation when it is requested for the third time, and the trace of an
/// evaluation (`look`) when it is requested for the second time.
#[derive(Debug, Default)]
struct Slow {
    worker: Worker,
    asked: Mutex<HashMap<AskId, u32>>,
    looked: Mutex<bool>,
}

impl Serve for Slow {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        self.worker.serve(ask)
    }

    fn serve_soon(&self, ask: &Ask) -> Served {
        let mut asked = self.asked.lock().unwrap();
        let times = asked.entry(ask.id).or_default();
        *times += 1;
        if matches!(ask.want, Want::Evaluate(_)) && *times < 3 {
            return Served::Later;
        }
        *times = 0;
        self.serve(ask).map_or(Served::Not, Served::Now)
    }

    fn look(&self, evaluation: &Arc<Evaluation>) -> Looked {
        let mut looked = self.looked.lock().unwrap();
        *looked = !*looked;
        match *looked {
            true => Looked::Later,
            false => self.worker.look(evaluation),
        }
    }
}

const LOOP: &str = r#"{"QueryLanguage": "JSONata", "StartAt": "Count", "States": {
    "Count": {"Type": "Pass", "Output": {"n": "{% $states.input.n + 1 %}"}, "Next": "More"},
    "More": {"Type": "Choice", "Default": "Both", "Choices": [{"Condition": "{% $states.input.n < 20 %}", "Next": "Count"}]},
    "Both": {"Type": "Parallel", "End": true, "Branches": [
        {"StartAt": "A", "States": {"A": {"Type": "Pass", "Output": "{% $states.input.n * 2 %}", "End": true}}},
        {"StartAt": "B", "States": {"B": {"Type": "Pass", "Output": "{% $states.input.n * 3 %}", "End": true}}}]}}}"#;

fn session_with(server: Arc<dyn Serve>) -> Session {
    let header = Header::new(value(r#"{"n": 0}"#), Profile::Aws);
    let mut session = Session::new(Setup::new(good("loop", LOOP), header, server));
    support::never_stop(&mut session);
    session
}

#[test]
fn a_run_with_slow_evaluations_is_the_same_run() {
    let mut quick = session_with(Arc::new(Worker::new()));
    let mut slow = session_with(Arc::new(Slow::default()));
    assert_eq!(go(&mut quick), Stop::End);
    assert_eq!(go(&mut slow), Stop::End);
    assert_eq!(events(&slow), events(&quick));
    assert_eq!(output(&slow), "[40,60]");
    let count = slow.event_count();
    for at in [count / 2, 3, count - 1, 2] {
        command(&mut slow, Command::Travel(at));
        command(&mut quick, Command::Travel(at));
        assert_eq!(plain(slow.view()), plain(quick.view()), "at {at}");
    }
    command(&mut slow, Command::Now);
    assert!(matches!(
        slow.reload(good("loop", LOOP), Vec::new()),
        Ok(Reply::Reloaded { errors: 0 })
    ));
    slow.settle();
    assert_eq!(*slow.stop(), Stop::Reload(None));
    assert_eq!(events(&slow), events(&quick));
    let changed = LOOP.replace("* 3", "* 4");
    drop(slow.reload(good("loop", &changed), Vec::new()));
    slow.settle();
    assert!(matches!(slow.stop(), Stop::Reload(Some(_))));
}

#[test]
fn a_slow_evaluation_leaves_the_keys_working() {
    let mut session = session_with(Arc::new(Slow::default()));
    session.tell(Command::Continue(ON));
    let mut paused = 0;
    for _ in 0..500 {
        let before = session.event_count();
        let progress = session.advance_while(|| false);
        if progress == Progress::Idle {
            break;
        }
        if session.event_count() == before && paused < 3 {
            // Pausing during an evaluation is a regular stop.
            session.tell(Command::Pause);
            assert_eq!(*session.stop(), Stop::Pause);
            assert!(session.view().tasks.is_empty());
            session.tell(Command::Continue(ON));
            paused += 1;
        }
    }
    assert_eq!(paused, 3);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "[40,60]");
    // A restart abandons a pending evaluation.
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    session.tell(Command::Continue(ON));
    while session.event_count() < 4 {
        session.advance_while(|| false);
    }
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "[40,60]");
}

#[test]
fn a_reload_can_be_paused_in_the_middle() {
    let mut session = session_with(Arc::new(Worker::new()));
    assert_eq!(go(&mut session), Stop::End);
    drop(session.reload(good("loop", LOOP), Vec::new()));
    session.advance(30);
    assert!(session.is_busy());
    session.tell(Command::Pause);
    assert_eq!(*session.stop(), Stop::Pause);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "[40,60]");
}

/// The messages that explain where values come from. Each has a flag, which is true if the explanation can be
/// continued.
fn origins(session: &mut Session) -> Vec<(String, bool)> {
    let outputs = session.take_outputs().into_iter();
    let explained = outputs.map(|output| match output {
        Output::Origin { origin, place, .. } => {
            let text = asldbg::wording::stop(&origin, place, session.definition());
            (text.to_string(), place + 1 < origin.stops())
        }
        other => panic!("{other:?}"),
    });
    explained.collect()
}

#[test]
fn who_wrote_a_value_is_looked_for_in_slices() {
    let mut session = session_with(Arc::new(Slow::default()));
    assert_eq!(go(&mut session), Stop::End);
    let (both, _) = entered(&session, "Both");
    command(&mut session, Command::Travel(both));
    assert_eq!(
        session.tell(Command::SeekOrigin(Sought::Path("$.n".into()))),
        Reply::Begun
    );
    assert!(session.is_busy());
    session.settle();
    let expected = "n = {% $states.input.n + 1 %}, Output of Count, line 2; $states.input.n was 19";
    assert_eq!(origins(&mut session), [(expected.to_owned(), true)]);
    assert!(session.view().header.event < both);
    command(&mut session, Command::Travel(2));
    let sought = Sought::Path("$.n".into());
    command(&mut session, Command::SeekOrigin(sought));
    let expected = "$states.input.n of Count is unchanged from the execution's input";
    assert_eq!(origins(&mut session), [(expected.to_owned(), false)]);
}
