//! A search that is under way.

use super::event_search::EventSearch;
use super::pane::DataSearch;

/// A search that is under way.
pub(super) enum Searching {
    /// Among the recorded events.
    Events(EventSearch),
    /// In the values of the data pane.
    Data(Box<DataSearch>),
}
