//! The user's commands for breakpoints and for stops at errors.

use crate::session::{Breakpoint, Command, Location, grammar};
use crate::source::SourceId;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::pane::{BreakpointRow, Row};
use crate::tui::popup::breakpoint::{BreakpointForm, Stops};

type Done = Result<(), String>;

impl App {
    /// Sets or clears a breakpoint at the selection in the focused pane.
    pub(in crate::tui) fn toggle_break(&mut self) -> Done {
        if self.model.focus == Pane::Source {
            let (source, line) = self.model.panes.source.selected();
            return self.does(Command::ToggleBreakLine(source, line));
        }
        if self.model.focus == Pane::Breakpoints
            && let Some(BreakpointRow::Breakpoint(id)) = self.selected_breakpoint_row()
        {
            return self.does(Command::SwitchBreak(id));
        }
        if let Some(item) = self.selected_item() {
            return self.does(Command::ToggleBreakAt(item));
        }
        let state = self
            .selected_state()
            .ok_or("no state is selected; select a state in the graph or in the source")?;
        self.does(Command::ToggleBreak(state))
    }

    /// The file that a typed line number refers to: the file in the source pane if that file defines states, otherwise
    /// the definition's own file.
    pub(in crate::tui) fn shown_source(&self) -> SourceId {
        let (shown, _) = self.model.panes.source.selected();
        let definition = self.session.definition();
        let states = &mut definition.states.iter();
        if states.any(|state| state.span.source == shown) {
            shown
        } else {
            definition.node.span.source
        }
    }

    pub(in crate::tui) fn edit_break(&mut self) -> Done {
        let point = if self.model.focus == Pane::Breakpoints {
            match self.selected_breakpoint_row() {
                Some(BreakpointRow::Breakpoint(id)) => {
                    self.view.breakpoints.iter().find(|point| point.id == id)
                }
                _ => None,
            }
        } else if self.model.focus == Pane::Source {
            let (source, line) = self.model.panes.source.selected();
            let file = self.session.sources().get(source);
            let bytes = file.and_then(|file| file.line_range(line));
            self.view.breakpoints.iter().find(|point| {
                point.span.zip(bytes.as_ref()).is_some_and(|(span, bytes)| {
                    span.source == source && bytes.contains(&(span.start as usize))
                })
            })
        } else {
            let state = self.selected_state();
            let mut points = self.view.breakpoints.iter();
            points.find(|point| point.state.is_some() && point.state == state)
        };
        let form = match point {
            Some(point) => BreakpointForm::edit(point),
            None => {
                let state = self
                    .selected_state()
                    .ok_or("no state is selected; select a state in the graph or in the source")?;
                let definition = self.session.definition();
                let path = definition.state(state).map(|state| state.path.clone());
                BreakpointForm::new(Breakpoint::at(Location::State(path.ok_or(
                    "no state is selected; select a state in the graph or in the source",
                )?)))
            }
        };
        self.open(form);
        Ok(())
    }

    pub(in crate::tui) fn selected_breakpoint_row(&self) -> Option<BreakpointRow> {
        self.look(Pane::Breakpoints, |panes, paint| {
            panes.breakpoints.selected(paint)
        })
    }

    pub(in crate::tui) fn stop_on(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            let stops = Stops::new(self.session.stops_on(), self.session.stops_on_difference());
            self.open(stops);
            return Ok(());
        }
        let command = grammar::parse_stop_on(
            argument,
            &self.session.stops_on(),
            self.session.stops_on_difference(),
        )?;
        let names = matches!(command, Command::Break(_));
        self.apply(command);
        if !names {
            self.say_stops();
        }
        Ok(())
    }

    /// Shows a message that lists the errors that stop the run.
    fn say_stops(&mut self) {
        let kinds = self.session.stops_on();
        let mut kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        if self.session.stops_on_difference() {
            kinds.push("difference between the profiles".to_owned());
        }
        let text = match kinds.is_empty() {
            true => "errors do not stop the run now".to_owned(),
            false => format!("the run stops at: {stops}", stops = kinds.join(", ")),
        };
        self.inform(&text);
    }

    /// The location of a breakpoint at the item that is selected in the state pane; `None` if another pane has the
    /// focus.
    fn selected_item(&self) -> Option<Location> {
        let row = self.selected_row();
        let map = self.session.definition().state(self.view.data.state?)?;
        match row {
            Some(Row::Item(index)) if self.model.focus == Pane::State => {
                Some(Location::Item(map.path.clone(), index))
            }
            _ => None,
        }
    }

    pub(in crate::tui) fn remove(&mut self) -> Done {
        let row = self.selected_breakpoint_row();
        match row.filter(|_| self.model.focus == Pane::Breakpoints) {
            Some(BreakpointRow::Breakpoint(id)) => self.does(Command::RemoveBreak(id)),
            Some(BreakpointRow::Watch(place)) => self.does(Command::Unwatch(place)),
            Some(BreakpointRow::AnswerRule(place)) => self.does(Command::ForgetAnswer(place)),
            _ => Err("select a breakpoint, a watch or an answer in the breakpoints pane".into()),
        }
    }
}
