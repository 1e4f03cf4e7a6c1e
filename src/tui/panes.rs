//! The panes together: every one is drawn, named, moved in and clicked through one dispatcher.

use super::action::Pane;
use super::finding::{FindingRow, said_of};
use super::pane::search::{holds, next_match};
use super::pane::{
    BreakpointsPane, DataPane, DataSearch, GraphPane, Match, OutlinePane, Paint, SourcePane,
    StatePane, Surface, TimelinePane,
};
use super::theme::Role;
use crate::definition::StateId;

/// The panes.
#[derive(Clone, Debug, Default)]
pub struct Panes {
    /// 1
    pub graph: GraphPane,
    /// 1, where there is no room for boxes.
    pub outline: OutlinePane,
    /// 2
    pub source: SourcePane,
    /// 3
    pub data: DataPane,
    /// 4
    pub timeline: TimelinePane,
    /// 5
    pub state: StatePane,
    /// 6
    pub breakpoints: BreakpointsPane,
}

impl Panes {
    /// A pane.
    pub fn pane(&mut self, pane: Pane, paint: &Paint) -> &mut dyn Surface {
        match pane {
            Pane::Graph if paint.outline => &mut self.outline,
            Pane::Graph => &mut self.graph,
            Pane::Source => &mut self.source,
            Pane::Data => &mut self.data,
            Pane::Timeline => &mut self.timeline,
            Pane::State => &mut self.state,
            Pane::Breakpoints => &mut self.breakpoints,
        }
    }

    /// Finds the next or previous match of a text and selects it.
    pub fn find(&mut self, pane: Pane, paint: &Paint, wanted: &str, forward: bool) -> Found {
        let found = match pane {
            Pane::Data => {
                let begun = self.data.begin_find(paint, wanted, forward);
                return begun.map_or(Found::Nowhere, |search| Found::Begun(Box::new(search)));
            }
            Pane::Source => self.source.find(&paint.text, wanted, forward),
            Pane::Graph => {
                let from = self.selected_state(paint).map_or(0, |id| id.0 as usize);
                let lower = wanted.to_lowercase();
                let paths = || paint.definition.states.iter().map(|state| &*state.path.0);
                let hits = paths().enumerate().filter(|(_, path)| holds(path, &lower));
                let hits: Vec<usize> = hits.map(|(place, _)| place).collect();
                next_match(&hits, from, forward).map(|(numbers, place)| {
                    let state = u32::try_from(place).unwrap_or(u32::MAX);
                    self.select_state(paint, StateId(state));
                    Match::new(numbers, paths().nth(place).unwrap_or_default(), wanted)
                })
            }
            Pane::Timeline | Pane::State | Pane::Breakpoints => return Found::AmongEvents,
        };
        found.map_or(Found::Nowhere, Found::Here)
    }

    /// What `check` found at the cursor in the text, or what is selected in the list of findings.
    #[must_use]
    pub fn found(&self, pane: Pane, paint: &Paint) -> Option<(String, Role)> {
        match pane {
            Pane::Source => self.source.diagnostic(&paint.text).map(said_of),
            Pane::Breakpoints => self.breakpoints.finding(paint).map(FindingRow::said),
            _ => None,
        }
    }

    /// The state that is selected in the graph.
    #[must_use]
    pub fn selected_state(&self, paint: &Paint) -> Option<StateId> {
        if paint.outline {
            self.outline.selected(paint)
        } else {
            self.graph.selected(paint)
        }
    }

    /// Selects a state in the graph.
    pub fn select_state(&mut self, paint: &Paint, state: StateId) {
        self.graph.select(paint, state);
        self.outline.select(paint, state);
    }

    /// Goes back to following the run everywhere.
    pub fn follow(&mut self) {
        let lists: [&mut dyn Surface; 5] = [
            &mut self.graph,
            &mut self.outline,
            &mut self.timeline,
            &mut self.source,
            &mut self.breakpoints,
        ];
        lists.into_iter().for_each(Surface::follow);
    }
}

/// Where a text was looked for.
#[derive(Debug)]
pub enum Found {
    /// In the pane: it is selected.
    Here(Match),
    /// It is not there.
    Nowhere,
    /// The value may be large: this is to be gone on with.
    Begun(Box<DataSearch>),
    /// The pane shows what happened: the run's events are what has to be looked through.
    AmongEvents,
}
