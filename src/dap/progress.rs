//! Progress of a long run.

use super::debuggee::{Debuggee, Phase};
use super::outbox::Outbox;
use super::protocol::Event;
use super::refusal::Refusal;
use crate::session::Command;

fn id(number: u64) -> String {
    format!("run-{number}")
}

impl Debuggee {
    /// Reports progress while the run is in progress.
    pub fn beat(&mut self, out: &mut Outbox) {
        if !matches!(self.phase, Phase::Running(_)) || !self.client.progress {
            return;
        }
        let number = match self.progress.shown {
            Some(number) => number,
            None => {
                self.progress.last += 1;
                let number = self.progress.last;
                self.progress.shown = Some(number);
                out.event(Event::ProgressStart {
                    progress_id: id(number),
                    title: format!("Running {}", self.session.definition().name),
                    cancellable: true,
                });
                number
            }
        };
        out.event(Event::ProgressUpdate {
            progress_id: id(number),
            message: format!("{} events", self.session.event_count()),
        });
    }

    /// Ends the progress after the run has stopped.
    pub fn end_progress(&mut self, out: &mut Outbox) {
        if let Some(number) = self.progress.shown.take() {
            out.event(Event::ProgressEnd {
                progress_id: id(number),
            });
        }
    }

    /// Handles a request to cancel the progress.
    pub fn cancel(&mut self, wanted: &str, out: &mut Outbox) -> Result<(), Refusal> {
        let shown = self.progress.shown.map(id);
        if shown.as_deref() != Some(wanted) {
            return Err(Refusal::new(format!(
                "there is no progress \"{wanted}\" now"
            )));
        }
        self.queue.clear();
        self.apply(Command::Pause, out).map(|_| ())
    }
}
