//! Watch expressions with their values at the last two stops.

use super::reply::{Refused, Reply};
use super::view::WatchView;
use crate::json::{Text, Value};

/// Watches in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Watches(Vec<Watch>);

/// A watch expression.
#[derive(Clone, Debug)]
struct Watch {
    text: Text,
    /// Value at the current stop, or why there is none.
    now: Result<Value, String>,
    /// Value at the previous stop.
    was: Result<Value, String>,
}

impl Watches {
    /// Adds a watch with its current value.
    pub fn add(&mut self, text: Text, value: Result<Value, String>) -> Reply {
        self.0.push(Watch {
            text: text.clone(),
            now: value.clone(),
            was: value.clone(),
        });
        Reply::Watched { text, value }
    }

    /// Records the values at a stop; the values recorded before are kept as those of the previous stop.
    pub fn sample(&mut self, values: impl FnOnce(&[&str]) -> Vec<Result<Value, String>>) {
        let texts: Vec<&str> = self.texts().map(|text| &**text).collect();
        let values = values(&texts);
        for (watch, value) in self.0.iter_mut().zip(values) {
            watch.was = std::mem::replace(&mut watch.now, value);
        }
    }

    /// Removes a watch.
    pub fn remove(&mut self, place: usize) -> Result<Reply, Refused> {
        if place >= self.0.len() {
            return Err(Refused::NoWatch(place));
        }
        self.0.remove(place);
        Ok(Reply::Done)
    }

    /// The watch expressions.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().map(|watch| &watch.text)
    }

    /// The watches for display.
    pub fn views(&self) -> Vec<WatchView> {
        let views = self.0.iter().map(|watch| WatchView {
            text: watch.text.clone(),
            value: watch.now.clone(),
            was: (watch.was != watch.now).then(|| watch.was.clone()),
        });
        views.collect()
    }
}
