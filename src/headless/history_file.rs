//! Writes a run's history to a file in AWS's format.

use super::output::Refusal;
use super::run::Observer;
use crate::history::{self, Recording};
use crate::interpreter::{Event, Machine};
use crate::json::Value;
use crate::session::recorded::{Follower, RecordedRun};
use crate::source::store::{Draft, Replace};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A history that is being written; dropped without being finished, it leaves no file.
pub(super) struct HistoryFile {
    target: PathBuf,
    recording: Recording<Draft>,
    repeated: Option<Repeated>,
}

/// The events of a run that repeats a recorded execution. While the run agrees with the recording, the recorded events
/// are written.
struct Repeated {
    follower: Follower,
    /// The run's own events with their numbers.
    own: Vec<(u64, Value)>,
    number: u64,
}

impl Repeated {
    /// The events in the order of AWS's ids; if the run differs from the recording, in the order of the run.
    fn events(self) -> Vec<Value> {
        let follower = self.follower;
        if follower.difference().is_some() {
            return self.own.into_iter().map(|(_, event)| event).collect();
        }
        let run = follower.run();
        let places = self
            .own
            .iter()
            .filter_map(|(number, _)| follower.place_of(*number));
        let mut places: Vec<usize> = places.collect();
        places.sort_unstable();
        let events = places.into_iter().filter_map(|place| run.event(place));
        events.map(|event| event.raw.clone()).collect()
    }
}

impl HistoryFile {
    /// Starts a file. If the run repeats a recorded execution, its events get the recorded ids and times.
    pub(super) fn create(
        target: &Path,
        repeats: Option<&Arc<RecordedRun>>,
    ) -> Result<Self, Refusal> {
        let draft = Draft::begin(target, Replace::Unread);
        let draft = draft.map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Self {
            target: target.to_path_buf(),
            recording: Recording::new(draft),
            repeated: repeats.map(|run| Repeated {
                follower: Follower::new(Arc::clone(run)),
                own: Vec::new(),
                number: 0,
            }),
        })
    }

    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        for event in self
            .repeated
            .take()
            .map(Repeated::events)
            .unwrap_or_default()
        {
            let noted = self.recording.note_value(&event);
            noted.map_err(|error| unwritten(&self.target, &error))?;
        }
        let whole = self.recording.finish();
        let draft = whole.map_err(|error| unwritten(&self.target, &error))?;
        draft
            .finish()
            .map_err(|error| Refusal::new(error.to_string()))
    }
}

impl Observer for HistoryFile {
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal> {
        if let Some(repeated) = &mut self.repeated {
            repeated.number += 1;
            repeated.follower.follow(repeated.number, machine, event);
            if let Some(value) = history::event(machine, event) {
                repeated.own.push((repeated.number, value));
            }
            return Ok(());
        }
        let noted = self.recording.note(machine, event);
        noted.map_err(|error| unwritten(&self.target, &error))
    }
}

fn unwritten(target: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!("cannot write {}: {error}", target.display()))
}
