//! Orders of the user for the graph that do not change the run: go to the event at which a state ran, write the drawing
//! to a file, show the coverage by test cases instead of the run.

use crate::coverage::edge_of;
use crate::definition::{StateId, StateKind};
use crate::graph::{EdgeRoute, Node, NodeBox, Options, Tone, layout, mermaid_with, svg, text_with};
use crate::interpreter::{Edge, EventKind};
use crate::session::view::{EventRow, StateStatus};
use crate::testing::reached_by_tests;
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Effect};
use crate::tui::glyph::Glyphs;
use crate::tui::reached::Reached;
use crate::tui::theme::Role;
use crate::tui::whereabouts;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of events to search backwards, for example for the last entry of a state.
const FAR: u64 = 500_000;
/// Number of events to read at once during this search.
const CHUNK: u64 = 1_000;

/// Styles of the classes in a Mermaid flowchart.
const STYLES: [(&str, &str); 5] = [
    ("ok", "fill:#e7f6ec,stroke:#2e8b57"),
    ("running", "fill:#e6effc,stroke:#2f6fd0"),
    ("waiting", "fill:#fdf4dc,stroke:#b07d10"),
    ("caught", "fill:#f7e9fa,stroke:#a03fb0"),
    ("failed", "fill:#fdeaea,stroke:#c23b3b"),
];

fn tone(status: StateStatus) -> Tone {
    match status {
        StateStatus::NotReached | StateStatus::Aborted => Tone::Dim,
        StateStatus::Running => Tone::Running,
        StateStatus::Succeeded => Tone::Ok,
        StateStatus::Retrying | StateStatus::Waiting | StateStatus::Asking => Tone::Waiting,
        StateStatus::Caught => Tone::Caught,
        StateStatus::ErrorRaised | StateStatus::Failed | StateStatus::TimedOut => Tone::Failed,
    }
}

fn class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain | Tone::Dim => None,
        Tone::Ok => Some("ok"),
        Tone::Running => Some("running"),
        Tone::Waiting => Some("waiting"),
        Tone::Caught => Some("caught"),
        Tone::Failed => Some("failed"),
    }
}

impl App {
    /// The event at which the run last entered a state. If the cursor is at an entry of this state, the entry before
    /// it.
    pub(in crate::tui) fn visit_before(&self, state: StateId) -> Option<u64> {
        let header = &self.view.header;
        let entered =
            |row: &EventRow| row.state == Some(state) && row.kind == EventKind::StateEntered;
        // At an entry of the state, searches only the events before the cursor; otherwise, searches all recorded
        // events.
        let here = self.last.as_ref().is_some_and(entered);
        let end = if here {
            header.event
        } else {
            header.event_count + 1
        };
        let before = self.last_before(end, &entered);
        // If there is no earlier entry, returns the entry at the cursor.
        before.or(here.then_some(header.event))
    }

    /// For a definition with exactly one Map: the last event, up to the cursor, at which this Map started or ended.
    /// `None` if the definition has several Maps or no Map, or if there is no such event.
    pub(in crate::tui) fn only_map(&self) -> Option<u64> {
        let definition = self.session.definition();
        let is_map = |id: &StateId| {
            let state = definition.state(*id);
            state.is_some_and(|state| matches!(state.kind, StateKind::Map(_)))
        };
        let mut maps = definition.state_ids().filter(is_map);
        let map = maps.next().filter(|_| maps.next().is_none())?;
        self.last_before(self.view.header.event + 1, &|row| {
            let kinds = [
                EventKind::MapStarted,
                EventKind::MapSucceeded,
                EventKind::MapFailed,
            ];
            row.state == Some(map) && kinds.contains(&row.kind)
        })
    }

    /// Number of the last event that decided which transition left a state: a choice or a caught error. If no event
    /// decided it, the number of the event at which the state was last left.
    pub(in crate::tui) fn left_last(&self, state: StateId) -> Option<u64> {
        let end = self.view.header.event_count + 1;
        let last = |decides: &dyn Fn(EventKind) -> bool| {
            self.last_before(end, &|row| row.state == Some(state) && decides(row.kind))
        };
        let decided = last(&|kind| matches!(kind, EventKind::Chosen | EventKind::Caught));
        decided.or_else(|| last(&|kind| kind == EventKind::StateExited))
    }

    /// The last event before `end` for which `holds` is true. Searches at most [`FAR`] events.
    fn last_before(&self, mut end: u64, holds: &dyn Fn(&EventRow) -> bool) -> Option<u64> {
        let least = end.saturating_sub(FAR);
        while end > least {
            let begin = end.saturating_sub(CHUNK).max(least);
            let rows = self.session.rows(begin..end);
            if let Some(row) = rows.iter().rev().find(|row| holds(row)) {
                return Some(row.number);
            }
            end = begin;
        }
        None
    }

    /// Shows a message that a state was not reached and, while the run has not ended, which key runs to the state.
    pub(in crate::tui) fn say_not_reached(&mut self, state: StateId) {
        let view = self.view.of_state(state);
        if view.is_some_and(|view| view.visits > 0) || self.view.header.event_count > FAR {
            return;
        }
        let state = whereabouts::name(self.session.definition(), Some(state));
        let key = self.setup.keymap.shown(Action::Until);
        let text = match self.is_unfinished() {
            true => format!("{state} has not been reached yet; {key} runs to this state"),
            false => format!("the run did not reach {state}"),
        };
        self.model.say(text, Role::Info);
    }

    /// True if a state is drawn folded.
    pub(in crate::tui) fn is_folded(&mut self, state: StateId) -> bool {
        self.change(Pane::Graph, |panes, paint| {
            panes.graph.is_folded(paint, state)
        })
    }

    /// Writes the drawing of the run at the cursor to a file, in the format that the file's extension names.
    pub(in crate::tui) fn write_graph(&mut self, file: &Path) {
        let definition = self.session.definition();
        let ending = file
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        let glyphs = Glyphs::of(self.setup.ascii);
        let characters = glyphs.characters();
        let text = match ending.as_deref() {
            Some("mmd" | "mermaid") => mermaid_with(
                definition,
                &|id| class(tone(self.view.status_of(id))),
                &STYLES,
            ),
            Some("svg") => {
                let drawing = layout(definition, &Options::default());
                svg(&drawing, &|item| self.box_tone(item), &self.edge_tones())
            }
            _ => {
                let options = Options {
                    live: true,
                    glyphs: characters,
                    ..Options::default()
                };
                let sign = |item: &NodeBox| match item.node {
                    Node::State(id) => glyphs.status(self.view.status_of(id)),
                    Node::Start | Node::End => "",
                };
                text_with(&layout(definition, &options), characters, &sign)
            }
        };
        self.effects.push(Effect::WriteText(file.to_owned(), text));
    }

    fn box_tone(&self, item: &NodeBox) -> Tone {
        match item.node {
            Node::State(id) => tone(self.view.status_of(id)),
            Node::Start | Node::End => Tone::Plain,
        }
    }

    fn edge_tones(&self) -> impl Fn(&EdgeRoute) -> Tone + '_ {
        let taken = self.view.edges.iter().filter(|(_, _, times)| *times > 0);
        let taken = taken.map(|(from, edge, _)| (*from, *edge));
        let taken: HashSet<(StateId, Edge)> = taken.collect();
        move |edge| {
            let Some(kind) = edge_of(edge.kind) else {
                return Tone::Plain;
            };
            let is_taken = matches!(edge.from, Node::State(from) if taken.contains(&(from, kind)));
            match (is_taken, edge.kind.is_catch()) {
                (true, true) => Tone::Caught,
                (true, false) => Tone::Ok,
                (false, _) => Tone::Dim,
            }
        }
    }

    /// Shows the coverage by the test cases whose names contain `argument`. Hides it if `argument` is `off`, or if
    /// `argument` is empty and coverage is already shown.
    pub(in crate::tui) fn coverage(&mut self, argument: &str) -> Result<(), String> {
        if argument == "off" || argument.is_empty() && self.reached.is_some() {
            self.reached = None;
            return Ok(());
        }
        let file = self.setup.origin.file.clone();
        let file = file.ok_or("test cases are read from the folder of the definition's file, but this definition was not read from a file")?;
        let (filter, definition) = (argument.to_owned(), Arc::clone(self.session.definition()));
        let tested = Arc::clone(&definition);
        let work =
            move |_: &mut dyn crate::launch::Workspace| reached_by_tests(&tested, &file, &filter);
        self.read("the test cases", work, move |app, reached| match reached {
            Err(problem) => app.done(Err(problem)),
            Ok(reached) => {
                let shown = Reached::of(&definition, &reached.coverage, reached.cases);
                let limit = if reached.cut { " (only the first test cases were run)" } else { "" };
                let text = format!(
                    "{cases} reached {percent:.1} % of the definition{limit}; marks: + fully reached, ~ partly reached, - not reached; a second \"coverage\" hides the marks",
                    cases = shown.cases,
                    percent = shown.percent
                );
                app.reached = Some(shown);
                app.model.say(text, Role::Info);
            }
        });
        Ok(())
    }
}
