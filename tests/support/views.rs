//! What a session shows at each event, and that it shows the same when one comes back.

use super::{Random, command};
use asldbg::interpreter::{Event, FrameId};
use asldbg::session::view::{RunStatus, View};
use asldbg::session::{Command, Direction, Progress, Session};

/// What a view says of the run itself, not of how one came there.
pub(crate) fn plain(mut view: View) -> View {
    view.header.event_count = 0;
    view.header.status = RunStatus::Ready;
    view.watches.clear();
    view
}

pub(crate) fn look_at(session: &mut Session, event: &Event) {
    let live = session.machine().frame(event.frame).is_some();
    session.apply(Command::Focus(if live { event.frame } else { FrameId(0) }));
}

/// Runs a session to its end event by event, and keeps each view from the second event on.
pub(crate) fn walk(session: &mut Session) -> Vec<View> {
    let mut views = Vec::new();
    let first = *session.event(2).unwrap();
    look_at(session, &first);
    views.push(plain(session.view()));
    session.apply(Command::Continue(Direction::Forward));
    loop {
        let before = session.event_count();
        let progress = session.advance(1);
        if session.event_count() > before {
            let event = *session.event(session.event_count()).unwrap();
            look_at(session, &event);
            views.push(plain(session.view()));
        }
        if progress == Progress::Idle {
            return views;
        }
        assert!(session.event_count() < 20_000, "it does not end");
    }
}

pub(crate) fn differing(before: &View, now: &View) -> String {
    let pairs = [
        (
            "header",
            format!("{:?}", before.header),
            format!("{:?}", now.header),
        ),
        (
            "current",
            format!("{:?}", before.current),
            format!("{:?}", now.current),
        ),
        (
            "span",
            format!("{:?}", before.current_span),
            format!("{:?}", now.current_span),
        ),
        (
            "states",
            format!("{:?}", before.states),
            format!("{:?}", now.states),
        ),
        (
            "edges",
            format!("{:?}", before.edges),
            format!("{:?}", now.edges),
        ),
        (
            "data",
            format!("{:?}", before.data),
            format!("{:?}", now.data),
        ),
        (
            "state",
            format!("{:?}", before.state),
            format!("{:?}", now.state),
        ),
        (
            "frames",
            format!("{:?}", before.frames),
            format!("{:?}", now.frames),
        ),
        (
            "tasks",
            format!("{:?}", before.tasks),
            format!("{:?}", now.tasks),
        ),
    ];
    let found = pairs.into_iter().find(|(_, before, now)| before != now);
    found.map_or_else(String::new, |(name, before, now)| {
        format!("{name}:\n  first {before}\n  again {now}")
    })
}

pub(crate) fn check_views(name: &str, session: &mut Session, random: &mut Random) {
    let views = walk(session);
    let count = session.event_count();
    assert_eq!(views.len() as u64 + 1, count, "{name}");
    // Backwards one by one (every one of a short run), then some at random.
    let step = if count > 400 { 7 } else { 1 };
    let mut targets: Vec<u64> = (2..=count).rev().step_by(step).collect();
    targets.extend((0..10).map(|_| 2 + random.below(count as usize - 1) as u64));
    for target in targets {
        command(session, Command::Travel(target));
        let event = *session.event(target).unwrap();
        look_at(session, &event);
        let now = plain(session.view());
        let before = &views[target as usize - 2];
        assert!(
            *before == now,
            "{name}: event {target} of {count}: {}",
            differing(before, &now)
        );
    }
}
