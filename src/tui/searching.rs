//! A search in progress.

use super::event_search::EventSearch;
use super::pane::DataSearch;

/// A search in progress.
pub(super) enum Searching {
    /// Among the recorded events.
    Events(EventSearch),
    /// In the values of the data pane.
    Data(Box<DataSearch>),
}
