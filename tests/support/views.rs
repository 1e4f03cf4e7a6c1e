//! Checks what a session shows at each event, and that it shows the same after going back to an event.

use super::{Random, Tell as _, command};
use asldbg::interpreter::{Event, EventKind, FrameId, Status};
use asldbg::session::view::{RunStatus, View};
use asldbg::session::{Command, Direction, Progress, Session};
use std::collections::HashSet;
use std::fmt::Debug;
use std::mem::{Discriminant, discriminant};

/// Removes from a view everything that depends on the way in which the event was reached, not on the run.
pub(crate) fn plain(mut view: View) -> View {
    view.header.event_count = 0;
    view.header.status = RunStatus::Ready;
    view.watches.clear();
    view.missing = None;
    view.made_by.clear();
    view.raised = None;
    view.led = None;
    // These fields depend on the latest calls and answers at the end of the recording, not on the current event.
    view.to_come = Default::default();
    view.has_answer = false;
    view
}

pub(crate) fn look_at(session: &mut Session, event: &Event) {
    let live = session.machine().frame(event.frame).is_some();
    drop(session.apply(Command::Focus(if live { event.frame } else { FrameId(0) })));
}

/// Runs a session to its end event by event; collects each view from the second event on.
pub(crate) fn walk(session: &mut Session) -> Vec<View> {
    let mut views = Vec::new();
    let first = *session.event(2).unwrap();
    look_at(session, &first);
    views.push(plain(session.view()));
    session.tell(Command::Continue(Direction::Forward));
    loop {
        let before = session.event_count();
        let progress = session.advance(1);
        if session.event_count() > before {
            let event = *session.event(session.event_count()).unwrap();
            look_at(session, &event);
            views.push(plain(session.view()));
        }
        if progress == Progress::Idle {
            // The session looks for some facts only when the run has stopped.
            if let Some(last) = views.last_mut() {
                *last = plain(session.view());
            }
            return views;
        }
        assert!(session.event_count() < 20_000, "it does not end");
    }
}

/// Returns the part of a view that is compared.
type Part = fn(&View) -> &dyn Debug;

pub(crate) fn differing(before: &View, now: &View) -> String {
    let parts: [(&str, Part); 9] = [
        ("header", |view| &view.header),
        ("current", |view| &view.current),
        ("span", |view| &view.current_span),
        ("states", |view| &view.states),
        ("edges", |view| &view.edges),
        ("data", |view| &view.data),
        ("state", |view| &view.state),
        ("frames", |view| &view.frames),
        ("tasks", |view| &view.tasks),
    ];
    let mut parts_before_and_after = parts.into_iter().map(|(name, part)| {
        let (before, now) = (format!("{:?}", part(before)), format!("{:?}", part(now)));
        (name, before, now)
    });
    let found = parts_before_and_after.find(|(_, before, now)| before != now);
    found.map_or_else(String::new, |(name, before, now)| {
        format!("{name}:\n  first {before}\n  again {now}")
    })
}

pub(crate) fn check_views(name: &str, session: &mut Session, random: &mut Random) {
    let views = walk(session);
    let count = session.event_count();
    assert_eq!(views.len() as u64 + 1, count, "{name}");
    // First the events backwards (all events of a short run, every seventh of a long one), then ten random events.
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

/// How runs ended, and which kinds of events occurred.
#[derive(Default)]
pub(crate) struct Tally {
    /// Number of runs that succeeded, failed, timed out, got stuck.
    pub(crate) ends: [usize; 4],
    pub(crate) kinds: HashSet<Discriminant<EventKind>>,
}

impl Tally {
    pub(crate) fn count(&mut self, session: &mut Session) {
        command(session, Command::Now);
        let all = super::events(session);
        self.kinds
            .extend(all.iter().map(|event| discriminant(&event.kind)));
        self.ends[match session.machine().status() {
            Status::Succeeded(_) => 0,
            Status::Failed(_) => 1,
            Status::TimedOut => 2,
            Status::Running => 3,
        }] += 1;
    }
}

/// Checks that AWS's event ids increase from 1 without a gap.
pub(crate) fn check_history_ids(events: &[Event], context: &str) {
    let ids: Vec<u32> = events
        .iter()
        .map(|event| event.history_id)
        .filter(|id| *id > 0)
        .collect();
    assert!(
        ids.iter().copied().eq(1..=ids.len() as u32),
        "{ids:?}: {context}"
    );
}
