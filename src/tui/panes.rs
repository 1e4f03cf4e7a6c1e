//! The set of all panes. Drawing, titles, motions, clicks and searches reach the panes through it.

use super::action::Pane;
use super::finding::{FindingRow, said_of};
use super::pane::search::{holds, next_match};
use super::pane::{
    BreakpointsPane, DataPane, DataSearch, GraphPane, Looked, Match, Paint, SourcePane, StatePane,
    Surface, TimelinePane,
};
use super::theme::Role;
use crate::definition::{Definition, StateId};
use crate::session::Session;
use crate::session::view::EventRow;
use crate::wording;

/// The six panes of the screen.
#[derive(Clone, Debug, Default)]
pub struct Panes {
    /// Pane 1: the definition as a graph.
    pub graph: GraphPane,
    /// Pane 2: the source text of the definition.
    pub source: SourcePane,
    /// Pane 3: the values of the state at the cursor.
    pub data: DataPane,
    /// Pane 4: the events of the run.
    pub timeline: TimelinePane,
    /// Pane 5: details of the state at the cursor.
    pub state: StatePane,
    /// Pane 6: lists, such as those of breakpoints, tasks and findings.
    pub breakpoints: BreakpointsPane,
}

impl Panes {
    /// The pane behind the interface that all panes implement.
    pub fn pane(&mut self, pane: Pane) -> &mut dyn Surface {
        match pane {
            Pane::Graph => &mut self.graph,
            Pane::Source => &mut self.source,
            Pane::Data => &mut self.data,
            Pane::Timeline => &mut self.timeline,
            Pane::State => &mut self.state,
            Pane::Breakpoints => &mut self.breakpoints,
        }
    }

    /// Selects the next or previous match of a text in a pane. If the search may take long, only begins the search.
    pub(super) fn find(
        &mut self,
        pane: Pane,
        paint: &Paint,
        wanted: &str,
        forward: bool,
    ) -> Searching {
        let matched = match pane {
            Pane::Data => match self.data.begin_find(paint, wanted, forward) {
                Some(search) => return Searching::Data(Box::new(search)),
                None => None,
            },
            Pane::Source => self.source.find(&paint.text, wanted, forward),
            Pane::Graph => {
                let from = self.graph.selected(paint).map_or(0, |id| id.0 as usize);
                let lower = wanted.to_lowercase();
                let paths = || paint.definition.states.iter().map(|state| &*state.path.0);
                let hits = paths().enumerate().filter(|(_, path)| holds(path, &lower));
                let hits: Vec<usize> = hits.map(|(place, _)| place).collect();
                next_match(&hits, from, forward).map(|(numbers, place)| {
                    let state = u32::try_from(place).unwrap_or(u32::MAX);
                    self.graph.select(paint, StateId(state));
                    Match::new(numbers, paths().nth(place).unwrap_or_default(), wanted)
                })
            }
            Pane::Timeline | Pane::State | Pane::Breakpoints => {
                let from = self.timeline.selected(paint);
                return Searching::Events(EventSearch {
                    wanted: wanted.to_owned(),
                    forward,
                    from,
                    pane,
                    matches: Vec::new(),
                    next: 1,
                });
            }
        };
        Searching::Done(matched.map_or(Looked::Nowhere, Looked::Here))
    }

    /// The text and style role of a finding: in the source pane, the finding at the cursor; in the list of findings,
    /// the selected one. `None` if there is no such finding, or in another pane.
    #[must_use]
    pub fn finding(&self, pane: Pane, paint: &Paint) -> Option<(String, Role)> {
        match pane {
            Pane::Source => self.source.diagnostic(&paint.text).map(said_of),
            Pane::Breakpoints => self.breakpoints.finding(paint).map(FindingRow::said),
            _ => None,
        }
    }

    /// Makes all panes follow the run again, after the user scrolled or selected something.
    pub fn follow(&mut self) {
        let lists: [&mut dyn Surface; 4] = [
            &mut self.graph,
            &mut self.timeline,
            &mut self.source,
            &mut self.breakpoints,
        ];
        lists.into_iter().for_each(Surface::follow);
    }
}

/// Number of events that one call of [`EventSearch::look`] searches.
const AT_ONCE: u64 = 2_000;

/// A search of the recorded events, in progress.
pub(super) struct EventSearch {
    pub(super) wanted: String,
    pub(super) forward: bool,
    /// Number of the event that was selected when the search started.
    pub(super) from: u64,
    /// The pane in which the search started.
    pub(super) pane: Pane,
    /// Numbers of the matching events that the search has found so far.
    matches: Vec<u64>,
    /// Number of the next event to examine.
    next: u64,
}

impl EventSearch {
    /// Searches the next [`AT_ONCE`] events for the text; returns whether there are more events to search.
    pub(super) fn look(&mut self, session: &Session) -> bool {
        let wanted = self.wanted.to_lowercase();
        let definition = session.definition();
        let last = session.event_count();
        let end = last
            .saturating_add(1)
            .min(self.next.saturating_add(AT_ONCE));
        let rows = session.rows(self.next..end).into_iter();
        let holding = rows.filter(|row| text_of(row, definition).to_lowercase().contains(&wanted));
        self.matches.extend(holding.map(|row| row.number));
        self.next = end;
        end <= last
    }

    /// The match to select: the next one in the search direction, which wraps around; `None` if there is no match.
    /// Returns its index together with the number of matches, its event number, and the event numbers of all matches.
    pub(super) fn result(&self) -> Option<((usize, usize), u64, Vec<u64>)> {
        let (numbers, event) = next_match(&self.matches, self.from, self.forward)?;
        Some((numbers, event, self.matches.clone()))
    }
}

fn text_of(row: &EventRow, definition: &Definition) -> String {
    let state = row.state.and_then(|id| definition.state(id));
    let state = state.map_or("", |state| &*state.path.0);
    let (title, detail) = (wording::title(row, definition), wording::detail(row));
    [state, &title, &detail, &row.frame].join(" ")
}

/// A search that may be in progress, or the result of a search that has ended.
pub(super) enum Searching {
    /// A search of the recorded events is in progress.
    Events(EventSearch),
    /// A search of the values in the data pane is in progress.
    Data(Box<DataSearch>),
    /// The search has ended with this result.
    Done(Looked),
}
