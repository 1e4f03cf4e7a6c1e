//! The panes together: every one is drawn, named, moved in and clicked through one dispatcher.
//!
//! It must not know where a pane stands on the screen, nor which key was pressed.

use super::action::Pane;
use super::finding::{FindingRow, said_of};
use super::layout::{Heights, Needs};
use super::pane::source::{SourcePane, Text};
use super::pane::timeline::Rows;
use super::pane::{
    BreakpointsPane, Click, DataPane, DataSearch, GraphPane, Match, Motion, OutlinePane, Paint,
    StatePane, TimelinePane,
};
use super::theme::Role;
use crate::definition::StateId;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

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

/// What a pane needs besides its [`Paint`].
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// What all need.
    pub paint: Paint<'a>,
    /// The text.
    pub text: Text<'a>,
    /// The events.
    pub rows: &'a Rows<'a>,
    /// Whether the graph has no room for boxes.
    pub outline: bool,
    /// Whether the pane is the only one on the screen.
    pub alone: bool,
}

impl Panes {
    /// Draws a pane inside `area`.
    pub fn draw(&mut self, pane: Pane, material: Material, area: Rect, buffer: &mut Buffer) {
        let paint = &material.paint;
        match pane {
            Pane::Graph if material.outline => self.outline.draw(paint, area, buffer),
            Pane::Graph => self.graph.draw(paint, area, buffer),
            Pane::Source => self.source.draw(paint, &material.text, area, buffer),
            Pane::Data => self.data.draw(paint, area, material.alone, buffer),
            Pane::Timeline => self.timeline.draw(paint, material.rows, area, buffer),
            Pane::State => self.state.draw(paint, area, buffer),
            Pane::Breakpoints => self.breakpoints.draw(paint, area, buffer),
        }
    }

    /// The titles of a pane.
    #[must_use]
    pub fn title(&self, pane: Pane, material: Material) -> (String, String) {
        let paint = &material.paint;
        match pane {
            Pane::Graph if material.outline => self.outline.title(paint),
            Pane::Graph => self.graph.title(paint),
            Pane::Source => self.source.title(paint, &material.text),
            Pane::Data => self.data.title(paint),
            Pane::Timeline => self.timeline.title(paint),
            Pane::State => self.state.title(paint),
            Pane::Breakpoints => self.breakpoints.title(paint),
        }
    }

    /// How many rows of a pane are not seen, above and below those that are, as last drawn.
    #[must_use]
    pub fn hidden(&self, pane: Pane) -> (usize, usize) {
        match pane {
            Pane::Data => self.data.hidden(),
            Pane::State => self.state.hidden(),
            Pane::Breakpoints => self.breakpoints.hidden(),
            // Line numbers, a slider and what runs out of a drawing say it there.
            Pane::Graph | Pane::Source | Pane::Timeline => (0, 0),
        }
    }

    /// How many columns the panes of the lower band need for what they would show.
    #[must_use]
    pub fn needs(&mut self, material: Material) -> Needs {
        let paint = &material.paint;
        Needs {
            timeline: self.timeline.need(paint, material.rows),
            state: self.state.need(paint),
            breakpoints: self.breakpoints.need(paint),
            tabs: self.breakpoints.tabs_need(paint),
            bare: self.breakpoints.is_bare(paint),
        }
    }

    /// How many rows the data and the state pane below it have in so many columns, where `data` is what the data has by
    /// default, of `total` for both.
    #[must_use]
    pub fn heights(&self, material: Material, columns: u16, [data, total]: [u16; 2]) -> Heights {
        let paint = &material.paint;
        let inner = |outer: u16| outer.saturating_sub(2);
        let [usual, whole] = [data, total].map(|rows| self.data.rows(paint, columns, inner(rows)));
        Heights {
            usual: data,
            data: 2 + usual.all,
            whole: 2 + whole.all,
            cut: whole.of_cause.saturating_sub(usual.of_cause),
            state: 2 + self.state.rows_in(paint, columns),
            keeps: match self.state.decides(paint) {
                true => total.saturating_sub(data),
                false => 0,
            },
            says_more: self.state.says_more(paint),
        }
    }

    /// Moves in a pane.
    pub fn motion(&mut self, pane: Pane, material: Material, motion: Motion) {
        let paint = &material.paint;
        match pane {
            Pane::Graph if material.outline => self.outline.motion(paint, motion),
            Pane::Graph => self.graph.motion(paint, motion),
            Pane::Source => self.source.motion(&material.text, motion),
            Pane::Data => self.data.motion(paint, motion),
            Pane::Timeline => self.timeline.motion(paint, motion),
            Pane::State => self.state.motion(paint, motion),
            Pane::Breakpoints => self.breakpoints.motion(paint, motion),
        }
    }

    /// What a click in a pane hits; selecting and folding is done at once.
    pub fn click(&mut self, pane: Pane, material: Material, area: Rect, at: Position) -> Click {
        let (paint, column, row) = (&material.paint, at.x, at.y);
        match pane {
            Pane::Graph if material.outline => self.outline.click(paint, area, column, row),
            Pane::Graph => self.graph.click(paint, area, column, row),
            Pane::Source => self.source.click(&material.text, area, column, row),
            Pane::Data => self.data.click(paint, area, column, row),
            Pane::Timeline => self.timeline.click(paint, area, column, row),
            Pane::State => self.state.click(paint, area, column, row),
            Pane::Breakpoints => self.breakpoints.click(paint, area, column, row),
        }
    }

    /// Moves what a pane shows by rows, down where they are positive; where nothing scrolls, the selection moves.
    pub fn scroll(&mut self, pane: Pane, material: Material, rows: i32) {
        match pane {
            Pane::Source => self.source.scroll(&material.text, rows),
            Pane::Graph if !material.outline => self.graph.pan(0, rows),
            Pane::Graph | Pane::Data | Pane::Timeline | Pane::State | Pane::Breakpoints => {
                let motion = if rows < 0 { Motion::Up } else { Motion::Down };
                for _ in 0..rows.abs() {
                    self.motion(pane, material, motion);
                }
            }
        }
    }

    /// Folds or unfolds what is selected in a pane.
    pub fn toggle_fold(&mut self, pane: Pane, material: Material) {
        let paint = &material.paint;
        match pane {
            Pane::Data => self.data.toggle_fold(paint),
            Pane::Graph if material.outline => self.outline.toggle_fold(paint),
            Pane::Graph => self.graph.toggle_fold(paint),
            Pane::Source | Pane::Timeline | Pane::State | Pane::Breakpoints => {}
        }
    }

    /// Finds the next or previous match of a text and selects it.
    pub fn find(&mut self, pane: Pane, material: Material, wanted: &str, forward: bool) -> Found {
        let paint = &material.paint;
        let found = match pane {
            Pane::Data => {
                let begun = self.data.begin_find(paint, wanted, forward);
                return begun.map_or(Found::Nowhere, |search| Found::Begun(Box::new(search)));
            }
            Pane::Source => self.source.find(&material.text, wanted, forward),
            Pane::Graph => {
                let from = self.selected_state(material).map_or(0, |id| id.0 as usize);
                let state = state_after(paint, from, wanted, forward);
                state.map(|state| {
                    self.select_state(paint, state);
                    match_of_state(paint, state, wanted)
                })
            }
            Pane::Timeline | Pane::State | Pane::Breakpoints => return Found::AmongEvents,
        };
        found.map_or(Found::Nowhere, Found::Here)
    }

    /// What `check` found at the cursor in the text, or what is selected in the list of findings.
    #[must_use]
    pub fn found(&self, pane: Pane, paint: &Paint, text: &Text) -> Option<(String, Role)> {
        match pane {
            Pane::Source => self.source.diagnostic(text).map(said_of),
            Pane::Breakpoints => self.breakpoints.finding(paint).map(FindingRow::said),
            _ => None,
        }
    }

    /// The state that is selected in the graph.
    #[must_use]
    pub fn selected_state(&self, material: Material) -> Option<StateId> {
        if material.outline {
            self.outline.selected(&material.paint)
        } else {
            self.graph.selected(&material.paint)
        }
    }

    /// Selects a state in the graph.
    pub fn select_state(&mut self, paint: &Paint, state: StateId) {
        self.graph.select(paint, state);
        self.outline.select(paint, state);
    }

    /// Goes back to following the run everywhere.
    pub fn follow(&mut self) {
        self.graph.follow();
        self.outline.follow();
        self.timeline.follow();
        self.source.follow();
        self.breakpoints.follow();
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

/// Which of the states that hold a text one is.
fn match_of_state(paint: &Paint, state: StateId, wanted: &str) -> Match {
    let lower = wanted.to_lowercase();
    let paths = paint.definition.states.iter().map(|state| &*state.path.0);
    let hits = paths
        .enumerate()
        .filter(|(_, path)| path.to_lowercase().contains(&lower));
    let (before, after): (Vec<_>, Vec<_>) = hits.partition(|(place, _)| *place < state.0 as usize);
    let numbers = (before.len() + 1, before.len() + after.len());
    let path = after.first().map_or("", |(_, path)| path);
    Match::new(numbers, path, wanted)
}

/// The next or previous state whose path holds a text, round and round.
fn state_after(paint: &Paint, from: usize, wanted: &str, forward: bool) -> Option<StateId> {
    let states = &paint.definition.states;
    let count = states.len();
    let lower = wanted.to_lowercase();
    (1..=count).find_map(|step| {
        let place = if forward {
            from + step
        } else {
            from + 2 * count - step
        };
        let place = place % count.max(1);
        let hit = states.get(place)?.path.0.to_lowercase().contains(&lower);
        hit.then(|| u32::try_from(place).ok().map(StateId))
            .flatten()
    })
}
