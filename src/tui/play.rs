//! Advances a run without key presses. Playback performs steps at regular intervals. A run that waits for a deadline in
//! real time continues when the deadline has come.

use super::app::App;
use super::model::{Play, Travel};
use crate::definition::StateId;
use crate::interpreter::{Edge, EventKind, Millis};
use crate::session::view::RunStatus;
use crate::session::{Command, Direction, Stop};
use std::time::{Duration, Instant};

/// Maximum real time to wait for one deadline, in milliseconds: 30 days.
const MOST_REST: Millis = 30 * 24 * 3_600_000;

impl App {
    /// True if the run is in progress, even if the run waits for a deadline.
    #[must_use]
    pub(super) fn is_running(&self) -> bool {
        self.session.is_busy() || self.session.rests().is_some()
    }

    /// True if the run has not ended yet.
    #[must_use]
    pub(super) fn is_unfinished(&self) -> bool {
        let count = self.view.header.event_count;
        let last = self.session.rows(count..count.saturating_add(1)).pop();
        count > 0
            && !last.is_some_and(|row| {
                matches!(
                    row.kind,
                    EventKind::ExecutionSucceeded
                        | EventKind::ExecutionFailed
                        | EventKind::ExecutionTimedOut
                )
            })
    }

    /// If the run waits for a deadline, records the real time at which the run has to continue.
    pub(super) fn note_rest(&mut self) {
        let factor = self.setup.realtime.unwrap_or(1.0);
        self.wake = self.session.rests().map(|(now, due)| {
            let virtual_time = Duration::from_millis(due.saturating_sub(now).min(MOST_REST));
            (
                Instant::now() + virtual_time.div_f64(factor.max(0.001)),
                due,
            )
        });
    }

    /// Real time at which the next [`Input::Deadline`](super::input::Input::Deadline) is needed; `None` if none is
    /// needed.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let is_idle = !self.is_at_work() && !self.is_running();
        let play = self.model.play.filter(|play| !play.paused && is_idle);
        let step = play.map(|play| play.due());
        let wake = self.session.rests().and(self.wake).map(|(at, _)| at);
        let other = self.executions.deadline();
        wake.or(step).into_iter().chain(other).min()
    }

    /// Performs the next step of playback, or continues a run whose deadline has come.
    pub(super) fn beat(&mut self) {
        if self.session.rests().is_some() {
            if let Some((_, due)) = self.wake.take_if(|(at, _)| *at <= Instant::now()) {
                self.session.let_pass(due);
            }
            return;
        }
        let Some(play) = self.model.play.filter(|play| !play.paused) else {
            return;
        };
        // Before the next step is due, only the animation advances, so there is nothing to do here.
        if play.travel.is_some() && play.next > Instant::now() {
            return;
        }
        match &self.view.header.status {
            status if status.is_over() && self.outer.is_empty() => {
                self.model.play = None;
                return;
            }
            RunStatus::Paused(Stop::Ask(_) | Stop::Memory(_) | Stop::Stuck) => {
                self.model.play = Some(Play {
                    paused: true,
                    ..play
                });
                return;
            }
            _ => {}
        }
        self.model.play = Some(Play {
            next: Instant::now() + Play::BEAT.div_f64(play.factor.clamp(0.05, 100.0)),
            travel: None,
            ..play
        });
        self.apply(Command::Step(Direction::Forward));
    }

    /// During playback, records the edge by which the last step left a state, so that the edge can be animated.
    pub(super) fn note_way(&mut self, before: &[(StateId, Edge, u32)]) {
        let Some(play) = self.model.play.as_mut().filter(|play| !play.paused) else {
            return;
        };
        if let Some((from, edge)) = gone(before, &self.view.edges) {
            let since = Instant::now();
            play.travel = Some(Travel { from, edge, since });
        }
    }
}

/// The only edge that was taken exactly once more in `now` than in `before`; `None` if there is no such edge, or if
/// there are several.
fn gone(before: &[(StateId, Edge, u32)], now: &[(StateId, Edge, u32)]) -> Option<(StateId, Edge)> {
    let mut more = now.iter().filter(|(from, edge, times)| {
        let known = before
            .iter()
            .find(|known| (known.0, known.1) == (*from, *edge));
        known.map_or(0, |known| known.2) + 1 == *times
    });
    let (from, edge, _) = more.next()?;
    more.next().is_none().then_some((*from, *edge))
}
