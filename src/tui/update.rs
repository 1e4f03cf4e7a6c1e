//! Executes the actions from the table of actions, whether they come from keys, the prompt or scripts.

use super::action::{Action, Does, Pane};
use super::app::{App, scene};
use super::model::{Play, Queued};
use super::pane::{BreakpointRow, Paint, Row};
use super::panes::Panes;
use super::prompt::{self, Order};
use crate::definition::StateId;
use crate::interpreter::{Answer, Outcome};
use crate::session::grammar::{self, TypedCommand};
use crate::session::{Command, Direction, Landmark};

type Done = Result<(), String>;

impl App {
    /// Executes an action with its argument; the error is a sentence for the user.
    pub(super) fn act(&mut self, order: &Order) -> Done {
        let argument = order.argument.as_str();
        if let Some(tour) = &mut self.model.tour {
            tour.note(order.action);
        }
        if order.action == Action::FrameDown && self.selects_child() {
            return self.open_row();
        }
        match order.action.does() {
            Does::Once(command) => {
                if order.action == Action::Now
                    && let Some(asked) = &mut self.model.asked
                {
                    asked.return_to();
                }
                return self.does(command.clone());
            }
            Does::Counted(command) => return self.repeat(command.clone(), argument),
            Does::Move(motion) => {
                self.motion(motion);
                return Ok(());
            }
            Does::FrontEnd => {}
        }
        let typed = TypedCommand {
            name: order.action.entry().map_or("", |entry| entry.name),
            bang: order.bang,
            argument,
        };
        if let Some(command) = typed.command(&self.session, self.shown_source()) {
            return self.does(command?);
        }
        match order.action {
            Action::Pause => {
                self.queue.clear();
                self.does(Command::Pause)
            }
            Action::Until => self.until(),
            Action::Recording => self.show_recording(),
            Action::Coverage => self.coverage(argument),
            Action::FrameBack => match self.model.frame_before.take() {
                Some(frame) => {
                    self.model.frame_before = self.view.frames.last().map(|frame| frame.frame);
                    self.does(Command::Focus(frame))
                }
                None => Err("no stop has moved the focus to another frame".into()),
            },
            Action::Break => self.toggle_break(),
            Action::EditBreak => self.edit_break(),
            Action::StopOn => self.stop_on(argument),
            Action::Remove => self.remove(),
            Action::Toggle => self.toggle(),
            Action::Watch => self.watch(),
            Action::Print => self.print(argument),
            Action::WhoWrote => self.who_wrote(argument),
            Action::Edit => self.edit(argument),
            Action::Answer => self.answer(argument),
            Action::Items => self.show_items(argument),
            Action::Fail => self.fail(argument),
            Action::NeverAnswer => {
                let answer = Answer::of(Outcome::Never);
                self.does(Command::Answer(self.task()?.id, answer))
            }
            Action::Play => self.play(argument),
            Action::Speed => {
                let factor = factor(argument)?;
                match &mut self.model.play {
                    Some(play) => play.factor = factor,
                    None => self.model.play = Some(Play::starting(factor)),
                }
                Ok(())
            }
            Action::Cases if argument.is_empty() => self.pick_case(),
            Action::Cases => self.choose_case(argument),
            Action::Machines if argument.is_empty() => self.pick_machine(),
            Action::Machines => self.machine_named(argument),
            Action::Executions => self.executions(argument),
            Action::Hold => self.hold(argument),
            Action::Goto => self.goto(argument),
            Action::Input if argument.is_empty() && !self.setup.origin.inputs.is_empty() => {
                self.pick_input()
            }
            Action::Input => self.take_input(argument),
            Action::Tour => self.tour(argument),
            Action::Reload => {
                self.reload();
                Ok(())
            }
            Action::CopyValue => self.copy_value(),
            Action::CopyPath => self.copy_path(),
            _ => self.act_on_screen(order),
        }
    }

    /// True if the state pane has the focus and an item or a branch is selected in it.
    fn selects_child(&self) -> bool {
        let is_child = matches!(self.selected_row(), Some(Row::Item(_) | Row::Lane(_)));
        self.model.focus == Pane::State && is_child
    }

    /// The row selected in the state pane.
    pub(super) fn selected_row(&self) -> Option<Row> {
        self.look(Pane::State, |panes, paint| panes.state.selected(paint))
    }

    /// The event selected in the timeline.
    pub(super) fn selected_event(&self) -> u64 {
        self.look(Pane::Timeline, |panes, paint| {
            panes.timeline.selected(paint)
        })
    }

    /// Calls `look` with the panes and with the drawing context of `pane`, and returns its result.
    pub(super) fn look<R>(&self, pane: Pane, look: impl FnOnce(&Panes, &Paint) -> R) -> R {
        scene!(self, scene);
        let paint = scene.paint_in(&self.model, &self.layout, pane);
        look(&self.model.panes, &paint)
    }

    /// Like [`Self::look`], but `change` may change the panes.
    pub(super) fn change<R>(
        &mut self,
        pane: Pane,
        change: impl FnOnce(&mut Panes, &Paint) -> R,
    ) -> R {
        scene!(self, scene);
        let paint = scene.paint_in(&self.model, &self.layout, pane);
        change(&mut self.model.panes, &paint)
    }

    pub(super) fn does(&mut self, command: Command) -> Done {
        self.apply(command);
        Ok(())
    }

    fn repeat(&mut self, command: Command, argument: &str) -> Done {
        let count = prompt::count(argument)?;
        for _ in 1..count {
            self.queue.push_front(Queued::Repeat(command.clone()));
        }
        self.does(command)
    }

    /// Runs to the selected state. If the timeline has the focus, travels to the selected event instead. If the graph
    /// has the focus, travels to the last visit of the selected state, if there is one.
    fn until(&mut self) -> Done {
        if self.model.focus == Pane::Timeline {
            return self.travel_to_selected();
        }
        let state = self.selected_state().ok_or("no state is selected")?;
        if self.model.focus == Pane::Graph
            && let Some(event) = self.visit_before(state)
        {
            self.does(Command::Travel(event))?;
            self.show_state(state);
            return Ok(());
        }
        self.does(Command::RunTo(state))
    }

    /// Travels to the event selected in the timeline.
    pub(super) fn travel_to_selected(&mut self) -> Done {
        self.does(Command::Travel(self.selected_event()))
    }

    /// The state with this name.
    pub(super) fn state_named(&self, name: &str) -> Result<StateId, String> {
        grammar::state_named(name, self.session.definition())
    }

    /// The state selected in the focused pane.
    pub(super) fn selected_state(&self) -> Option<StateId> {
        match self.model.focus {
            Pane::Graph => self.look(Pane::Graph, |panes, paint| panes.graph.selected(paint)),
            Pane::Source => {
                let (source, line) = self.model.panes.source.selected();
                let file = self.session.sources().get(source)?;
                let bytes = file.line_range(line)?;
                let indent = file.line(line).len() - file.line(line).trim_start().len();
                let at = bytes.start + indent;
                let mut states = self.session.definition().states.iter().enumerate();
                // Of all states whose name or object is on the selected line, the innermost is taken.
                states
                    .rfind(|(_, state)| {
                        state.span.source == source
                            && state.name_span.range().start <= at
                            && at < state.span.range().end
                    })
                    .and_then(|(place, _)| u32::try_from(place).ok().map(StateId))
            }
            Pane::Timeline => {
                let event = self.selected_event();
                let mut rows = self.session.rows(event..event.saturating_add(1));
                rows.pop()?.state
            }
            _ => self.view.data.state.or(self.view.current),
        }
    }

    fn toggle(&mut self) -> Done {
        if let Some(play) = self.model.play {
            self.model.play = Some(Play {
                paused: !play.paused,
                next: std::time::Instant::now(),
                ..play
            });
            return Ok(());
        }
        match (self.model.focus, self.selected_breakpoint_row()) {
            (Pane::Breakpoints, Some(BreakpointRow::Breakpoint(id))) => {
                self.apply(Command::SwitchBreak(id));
            }
            (Pane::Data | Pane::Graph, _) => self.fold(),
            _ => {}
        }
        Ok(())
    }

    fn play(&mut self, argument: &str) -> Done {
        let factor = if argument.is_empty() {
            1.0
        } else {
            factor(argument)?
        };
        self.model.play = match self.model.play {
            Some(_) if argument.is_empty() => None,
            _ => Some(Play::starting(factor)),
        };
        Ok(())
    }

    /// Goes to what the row selected in the state pane is about, such as an item, a branch or an event.
    pub(super) fn open_row(&mut self) -> Done {
        let (row, frame, span) = self.look(Pane::State, |panes, paint| {
            let pane = &panes.state;
            (pane.selected(paint), pane.frame(paint), pane.span(paint))
        });
        match row {
            Some(Row::Item(index)) => match self.session.error_of_child(index) {
                Some(event) => self.does(Command::Travel(event)),
                None => self.does(Command::EnterItem(index)),
            },
            Some(Row::Event(event)) => self.does(Command::Travel(event)),
            Some(Row::Lane(index)) => match (frame, self.session.error_of_child(index)) {
                (Some(frame), _) => self.does(Command::Focus(frame)),
                (None, Some(event)) => self.does(Command::Travel(event)),
                // The branch has ended or has not started. `EnterItem` shows the events that were recorded for it.
                (None, None) => self.does(Command::EnterItem(index)),
            },
            Some(Row::Attempt(number)) => self.does(Command::Seek(
                Landmark::Attempt(number),
                Direction::Backward,
            )),
            Some(Row::LeftOut(_, Some(by))) => match self.left_last(by) {
                Some(event) => self.does(Command::Travel(event)),
                None => Err("the event is too far back in the run to be shown".into()),
            },
            Some(
                Row::Retrier(_)
                | Row::Catcher(_)
                | Row::Rule(_)
                | Row::Test(..)
                | Row::LeftOut(_, None),
            ) => {
                let span = span.ok_or("the selected row has no line in the source")?;
                self.model.panes.source.select(self.session.sources(), span);
                self.model.focus_on(Pane::Source);
                Ok(())
            }
            None => Err("no row is selected".into()),
        }
    }
}

fn factor(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|factor| (0.05..=100.0).contains(factor))
        .ok_or_else(|| format!("{text} is not a speed from 0.05 to 100"))
}
