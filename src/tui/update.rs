//! Does what the table says: one function for keys, the prompt and scripts.
//!
//! It must not know which key was pressed.

use super::action::{Action, Pane};
use super::app::{App, Effect, Queued, play, scene};
use super::model::{Play, PromptKind};
use super::pane::{Part, Point, Row};
use super::popup::Popup;
use super::popup::answer::{AnswerForm, seconds};
use super::popup::edit::EditForm;
use super::popup::editor::LONGEST;
use super::popup::point::PointForm;
use super::popup::stops::Stops;
use super::prompt::{self, Order, Place};
use super::theme::Role;
use crate::definition::StateId;
use crate::interpreter::{Answer, Ask, EventKind, Outcome, Want};
use crate::json::{Value, one_line, parse, pretty};
use crate::query::Profile;
use crate::session::view::EventRow;
use crate::session::{Breakpoint, BreakpointId, Command, Direction, Location, Restart, Switch};
use Direction::{Backward, Forward};

/// So many events are looked through for the next stage or state.
const FAR: u64 = 200_000;

type Done = Result<(), String>;

impl App {
    /// Does an order; the error is a sentence for the person.
    pub(super) fn act(&mut self, order: &Order) -> Done {
        let argument = order.argument.as_str();
        match order.action {
            Action::Continue => self.repeat(Command::Continue(Forward), argument),
            Action::Next => self.repeat(Command::Next(Forward), argument),
            Action::Step => self.repeat(Command::Step(Forward), argument),
            Action::Finish => self.repeat(Command::Finish(Forward), argument),
            Action::ReverseContinue => self.repeat(Command::Continue(Backward), argument),
            Action::ReverseNext => self.repeat(Command::Next(Backward), argument),
            Action::ReverseStep => self.repeat(Command::Step(Backward), argument),
            Action::ReverseFinish => self.repeat(Command::Finish(Backward), argument),
            Action::Pause => {
                self.queue.clear();
                self.does(Command::Pause)
            }
            Action::Now => self.does(Command::Now),
            Action::Until => self.until(argument),
            Action::Restart if order.bang => self.does(Command::Restart(Restart::Fresh)),
            Action::Restart => self.does(Command::Restart(Restart::KeepAnswers)),
            Action::Redo => self.does(Command::RedoState),
            Action::NextAttempt => self.does(Command::Attempt(Forward)),
            Action::PreviousAttempt => self.does(Command::Attempt(Backward)),
            Action::PreviousStage => self.seek(Backward, is_stage),
            Action::NextStage => self.seek(Forward, is_stage),
            Action::PreviousState => self.seek(Backward, is_entry),
            Action::NextState => self.seek(Forward, is_entry),
            Action::PreviousEvent => self.travel(self.view.header.event.checked_sub(1)),
            Action::NextEvent => self.travel(self.view.header.event.checked_add(1)),
            Action::Event => self.travel(argument.parse().ok()),
            Action::FrameUp => self.does(Command::FrameUp),
            Action::FrameDown => self.does(Command::FrameDown),
            Action::PreviousSibling => self.does(Command::Sibling(Backward)),
            Action::NextSibling => self.does(Command::Sibling(Forward)),
            Action::FrameBack => match self.model.frame_before.take() {
                Some(frame) => {
                    self.model.frame_before = self.view.frames.last().map(|frame| frame.frame);
                    self.does(Command::Focus(frame))
                }
                None => Err("no stop has moved the focus".into()),
            },
            Action::Break => self.set_break(argument, false),
            Action::TemporaryBreak => self.set_break(argument, true),
            Action::EditBreak => self.edit_break(),
            Action::Delete => self.delete(argument),
            Action::Enable => self.switch(argument, Switch::On),
            Action::Disable => self.switch(argument, Switch::Off),
            Action::StopOn => self.stop_on(argument),
            Action::Remove => self.remove(),
            Action::Toggle => self.toggle(),
            Action::Watch => self.watch(argument),
            Action::Unwatch => self.unwatch(argument),
            Action::Print => self.print(argument),
            Action::WhoWrote => self.who_wrote(argument),
            Action::Edit => self.edit(argument),
            Action::Answer => self.answer(argument),
            Action::Fail => self.fail(argument),
            Action::NeverAnswer => {
                let ask = self.task()?.id;
                let answer = Answer {
                    outcome: Outcome::Never,
                    took: 0,
                    heartbeats: Vec::new(),
                };
                self.does(Command::Answer(ask, answer))
            }
            Action::Play => self.play(argument),
            Action::Speed => {
                let factor = factor(argument)?;
                match &mut self.model.play {
                    Some(play) => play.factor = factor,
                    None => self.model.play = Some(play(factor)),
                }
                Ok(())
            }
            Action::Profile => {
                let profile = match argument {
                    "spec" => Profile::Spec,
                    "aws" => Profile::Aws,
                    _ => return Err("profile spec, or profile aws".into()),
                };
                self.does(Command::SetProfile(profile))
            }
            Action::Cases if argument.is_empty() => {
                self.pick_case("");
                Ok(())
            }
            Action::Cases => {
                self.choose_case(argument);
                Ok(())
            }
            Action::Reload => {
                self.reload();
                Ok(())
            }
            Action::CopyValue => self.copy_value(),
            Action::CopyPath => self.copy_path(),
            _ => self.act_on_screen(order),
        }
    }

    fn does(&mut self, command: Command) -> Done {
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

    fn until(&mut self, argument: &str) -> Done {
        if let Ok(event) = argument.parse() {
            return self.travel(Some(event));
        }
        let state = if !argument.is_empty() {
            self.state_named(argument)?
        } else if self.model.focus == Pane::Timeline {
            scene!(self, scene);
            let material = scene.material(&self.model, &self.layout, Pane::Timeline);
            let event = self.model.panes.timeline.selected(&material.paint);
            return self.travel(Some(event));
        } else {
            self.selected_state().ok_or("no state is selected")?
        };
        self.does(Command::RunTo(state))
    }

    fn travel(&mut self, event: Option<u64>) -> Done {
        let count = self.view.header.event_count;
        match event.filter(|event| *event <= count) {
            Some(event) => self.does(Command::Travel(event)),
            None => Err(format!("the recorded events are 0 to {count}")),
        }
    }

    /// Goes to the nearest recorded event of the focus frame that `is` wanted; runs nothing.
    fn seek(&mut self, direction: Direction, is: fn(EventKind) -> bool) -> Done {
        let (event, count) = (self.view.header.event, self.view.header.event_count);
        let frame = self.view.frames.last().map(|frame| frame.frame);
        let wanted =
            |row: &EventRow| is(row.kind) && frame.is_none_or(|frame| frame == row.frame_id);
        let mut at = event;
        let mut found = None;
        while found.is_none() && at.abs_diff(event) < FAR {
            let range = match direction {
                Forward => {
                    at.saturating_add(1)..at.saturating_add(257).min(count.saturating_add(1))
                }
                Backward => at.saturating_sub(256).max(1)..at,
            };
            if range.is_empty() {
                break;
            }
            at = match direction {
                Forward => range.end - 1,
                Backward => range.start,
            };
            let rows = self.session.rows(range);
            found = match direction {
                Forward => rows.iter().find(|row| wanted(row)),
                Backward => rows.iter().rev().find(|row| wanted(row)),
            }
            .map(|row| row.number);
        }
        match (found, direction) {
            (Some(number), _) => self.does(Command::Travel(number)),
            (None, Backward) => self.does(Command::Travel(0)),
            (None, Forward) => Err("nothing more is recorded in this frame; s and n go on".into()),
        }
    }

    /// The state that a person means by its name.
    pub(super) fn state_named(&self, name: &str) -> Result<StateId, String> {
        let definition = self.session.definition();
        definition.find_by_name(name).ok_or_else(|| {
            let names = definition.states.iter().map(|state| &*state.name);
            match crate::source::did_you_mean(name, names) {
                Some(near) => format!("no state is named {name}; {near}"),
                None => format!("no state is named {name}"),
            }
        })
    }

    /// The state that is selected in the pane in focus.
    pub(super) fn selected_state(&self) -> Option<StateId> {
        scene!(self, scene);
        let material = scene.material(&self.model, &self.layout, self.model.focus);
        match self.model.focus {
            Pane::Graph => self.model.panes.selected_state(material),
            Pane::Source => {
                let (source, line) = self.model.panes.source.selected();
                let file = scene.text.sources.get(source)?;
                let bytes = file.line_range(line)?;
                let indent = file.line(line).len() - file.line(line).trim_start().len();
                let at = bytes.start + indent;
                let states = scene.definition.states.iter().enumerate();
                // The innermost state whose name or object is on the line.
                states
                    .filter(|(_, state)| {
                        state.span.source == source
                            && state.name_span.range().start <= at
                            && at < state.span.range().end
                    })
                    .next_back()
                    .and_then(|(place, _)| u32::try_from(place).ok().map(StateId))
            }
            Pane::Timeline => {
                let event = self.model.panes.timeline.selected(&material.paint);
                self.session
                    .rows(event..event.saturating_add(1))
                    .pop()?
                    .state
            }
            _ => self.view.data.state.or(self.view.current),
        }
    }

    fn set_break(&mut self, argument: &str, once: bool) -> Done {
        if argument.is_empty() && !once {
            if self.model.focus == Pane::Source {
                let (_, line) = self.model.panes.source.selected();
                return self.does(Command::ToggleBreakLine(line));
            }
            if self.model.focus == Pane::Points
                && let Some(Point::Breakpoint(id)) = self.selected_point()
            {
                return self.toggle_point(id);
            }
            let state = self.selected_state().ok_or("no state is selected")?;
            return self.does(Command::ToggleBreak(state));
        }
        let typed = prompt::parse_break(argument, self.session.definition())?;
        let location = match &typed.place {
            Place::At(location) => location.clone(),
            Place::Line(line) => {
                let known: Vec<BreakpointId> =
                    self.view.breakpoints.iter().map(|point| point.id).collect();
                self.apply(Command::ToggleBreakLine(*line));
                let made = self
                    .view
                    .breakpoints
                    .iter()
                    .find(|point| !known.contains(&point.id));
                let Some((id, at)) = made.map(|point| (point.id, point.breakpoint.at.clone()))
                else {
                    return Ok(());
                };
                if typed.condition.is_none() && typed.hits == 0 && typed.log.is_none() && !once {
                    return Ok(());
                }
                self.apply(Command::RemoveBreak(id));
                at
            }
        };
        self.does(Command::Break(typed.breakpoint(location, once)))
    }

    fn edit_break(&mut self) -> Done {
        let point = if self.model.focus == Pane::Points {
            match self.selected_point() {
                Some(Point::Breakpoint(id)) => {
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
            self.view
                .breakpoints
                .iter()
                .find(|point| point.state.is_some() && point.state == state)
        };
        let form = match point {
            Some(point) => PointForm::edit(point),
            None => {
                let state = self.selected_state().ok_or("no state is selected")?;
                let definition = self.session.definition();
                let path = definition.state(state).map(|state| state.path.clone());
                PointForm::new(Breakpoint::at(Location::State(
                    path.ok_or("no state is selected")?,
                )))
            }
        };
        self.open(Popup::Point(form));
        Ok(())
    }

    pub(super) fn selected_point(&self) -> Option<Point> {
        scene!(self, scene);
        let material = scene.material(&self.model, &self.layout, Pane::Points);
        self.model.panes.points.selected(&material.paint)
    }

    fn breakpoint(&self, argument: &str) -> Result<BreakpointId, String> {
        let id = argument.trim().parse::<u32>().map(BreakpointId);
        id.ok()
            .filter(|id| self.view.breakpoints.iter().any(|point| point.id == *id))
            .ok_or_else(|| format!("no breakpoint has the number {argument}"))
    }

    fn delete(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            let ids: Vec<BreakpointId> =
                self.view.breakpoints.iter().map(|point| point.id).collect();
            for id in ids {
                self.apply(Command::RemoveBreak(id));
            }
            return Ok(());
        }
        let id = self.breakpoint(argument)?;
        self.does(Command::RemoveBreak(id))
    }

    fn switch(&mut self, argument: &str, switch: Switch) -> Done {
        let id = self.breakpoint(argument)?;
        self.does(Command::EnableBreak(id, switch))
    }

    pub(super) fn toggle_point(&mut self, id: BreakpointId) -> Done {
        let on = self
            .view
            .breakpoints
            .iter()
            .any(|point| point.id == id && point.enabled);
        self.does(Command::EnableBreak(
            id,
            if on { Switch::Off } else { Switch::On },
        ))
    }

    fn stop_on(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            let stops = Stops::new(self.session.stops_on(), self.session.stops_on_difference());
            self.open(Popup::Stops(stops));
            return Ok(());
        }
        let (word, rest) = argument.split_once(' ').unwrap_or((argument, ""));
        let wanted = match rest.trim() {
            "" => None,
            "on" => Some(Switch::On),
            "off" => Some(Switch::Off),
            other => return Err(format!("{other} is neither on nor off")),
        };
        let flip = |is_on: bool| wanted.unwrap_or(if is_on { Switch::Off } else { Switch::On });
        if word == "difference" {
            let switch = flip(self.session.stops_on_difference());
            return self.does(Command::StopOnDifference(switch));
        }
        let moment = prompt::parse_moment(word)?;
        let switch = flip(self.session.stops_on().contains(&moment));
        self.does(Command::StopOn(moment, switch))
    }

    fn remove(&mut self) -> Done {
        match self.selected_point() {
            Some(Point::Breakpoint(id)) if self.model.focus == Pane::Points => {
                self.does(Command::RemoveBreak(id))
            }
            Some(Point::Watch(place)) if self.model.focus == Pane::Points => {
                self.does(Command::Unwatch(place))
            }
            _ => Err("select a breakpoint or a watch in the points pane".into()),
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
        match self.model.focus {
            Pane::Points => match self.selected_point() {
                Some(Point::Breakpoint(id)) => self.toggle_point(id),
                _ => Ok(()),
            },
            Pane::Data | Pane::Graph => {
                self.fold();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What is selected in the data pane.
    pub(super) fn selected_data(&self) -> Option<super::pane::Selected> {
        scene!(self, scene);
        let material = scene.material(&self.model, &self.layout, Pane::Data);
        self.model.panes.data.selected(&material.paint)
    }

    fn watch(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            let path = self
                .selected_data()
                .map_or_else(|| "$.".to_owned(), |selected| selected.path);
            self.model.ask(PromptKind::Watch, &path);
            return Ok(());
        }
        self.does(Command::Watch(argument.into()))
    }

    fn unwatch(&mut self, argument: &str) -> Done {
        let watches = &self.view.watches;
        let place = match argument.parse::<usize>() {
            Ok(number) => number.checked_sub(1).filter(|place| *place < watches.len()),
            Err(_) if argument.is_empty() => watches.len().checked_sub(1),
            Err(_) => watches.iter().position(|watch| &*watch.text == argument),
        };
        let place = place.ok_or_else(|| format!("no watch is {argument}"))?;
        self.does(Command::Unwatch(place))
    }

    fn print(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            let path = self
                .selected_data()
                .map_or_else(|| "$".to_owned(), |selected| selected.path);
            self.model.ask(PromptKind::Evaluate, &path);
            self.prompt_changed();
            return Ok(());
        }
        let value = self.session.evaluate(argument)?;
        let text = format!("{argument} = {} ({})", shown(&value), value.type_name());
        self.model.say(text, Role::Text);
        Ok(())
    }

    fn who_wrote(&mut self, argument: &str) -> Done {
        let path = if argument.is_empty() {
            self.selected_data()
                .ok_or("select a value in the data pane")?
                .path
        } else {
            argument.to_owned()
        };
        let event = self
            .session
            .writer_of(&path)
            .ok_or_else(|| format!("{path} is as it was in the execution's input"))?;
        self.apply(Command::Travel(event));
        let row = self.session.rows(event..event.saturating_add(1)).pop();
        let by = row.map_or_else(String::new, |row| {
            let state = super::caption::name(self.session.definition(), row.state);
            format!(" by {state}, {}", row.title)
        });
        let back = self.setup.keymap.shown(Action::Now).unwrap_or_default();
        self.model.say(
            format!("{path} written at event {event}{by}; {back} returns"),
            Role::Info,
        );
        Ok(())
    }

    fn edit(&mut self, argument: &str) -> Done {
        let selected = self
            .selected_data()
            .ok_or("select a value in the data pane")?;
        let Part::Stage(stage) = selected.part else {
            return Err("only values of the pipeline can be edited".into());
        };
        if !argument.is_empty() {
            let value = parse(argument).map_err(|error| format!("not JSON: {error}"))?;
            return self.does(Command::Edit {
                stage,
                at: selected.pointer,
                value,
            });
        }
        if selected.value.size() > LONGEST {
            return Err("this value is too large to edit here; select a part of it".into());
        }
        self.open(Popup::Edit(Box::new(EditForm::new(
            stage,
            selected.pointer,
            &selected.value,
        ))));
        Ok(())
    }

    /// The task that an answer is for: the selected one, that of the state looked at, else the first.
    fn task(&self) -> Result<Ask, String> {
        let selected = match self.selected_point() {
            Some(Point::Task(ask)) if self.model.focus == Pane::Points => Some(ask),
            _ => None,
        };
        let state = self.selected_state();
        let tasks = &self.view.tasks;
        tasks
            .iter()
            .find(|ask| Some(ask.id) == selected)
            .or_else(|| tasks.iter().find(|ask| Some(ask.state) == state))
            .or_else(|| {
                tasks
                    .iter()
                    .find(|ask| Some(ask.state) == self.view.current)
            })
            .or_else(|| tasks.first())
            .cloned()
            .ok_or_else(|| "no task waits for an answer".into())
    }

    fn answer(&mut self, argument: &str) -> Done {
        let ask = self.task()?;
        if !argument.is_empty() {
            let (text, took) = match argument.rsplit_once(" took ") {
                Some((text, took)) => (text, seconds(took)?),
                None => (argument, 0),
            };
            let value = parse(text).map_err(|error| format!("not JSON: {error}"))?;
            return self.does(Command::Answer(
                ask.id,
                Answer {
                    took,
                    ..Answer::success(value)
                },
            ));
        }
        let offer = self
            .session
            .offer(ask.id)
            .ok_or("this task takes no answer now")?;
        let state = super::caption::name(self.session.definition(), Some(ask.state));
        self.open(Popup::Answer(Box::new(AnswerForm::new(offer, &state))));
        Ok(())
    }

    fn fail(&mut self, argument: &str) -> Done {
        let ask = self.task()?;
        let (error, cause) = argument.split_once(' ').unwrap_or((argument, ""));
        if error.is_empty() {
            return Err("fail with which error? fail ERROR [CAUSE]".into());
        }
        self.does(Command::Answer(
            ask.id,
            Answer::failure(error, cause.trim()),
        ))
    }

    fn play(&mut self, argument: &str) -> Done {
        let factor = if argument.is_empty() {
            1.0
        } else {
            factor(argument)?
        };
        self.model.play = match self.model.play {
            Some(_) if argument.is_empty() => None,
            _ => Some(play(factor)),
        };
        Ok(())
    }

    fn copy_value(&mut self) -> Done {
        let text = match self.model.focus {
            Pane::Source => {
                let (source, line) = self.model.panes.source.selected();
                let file = self.session.sources().get(source);
                file.map(|file| file.line(line).trim().to_owned())
            }
            Pane::Points => match self.selected_point() {
                Some(Point::Task(id)) => self
                    .view
                    .tasks
                    .iter()
                    .find(|ask| ask.id == id)
                    .and_then(token),
                Some(Point::Watch(place)) => {
                    let watch = self.view.watches.get(place);
                    watch.and_then(|watch| watch.value.as_ref().ok()).map(raw)
                }
                _ => None,
            },
            Pane::Graph => return self.copy_path(),
            _ => self.selected_data().map(|selected| raw(&selected.value)),
        };
        self.copy(text)
    }

    fn copy_path(&mut self) -> Done {
        let text = if self.model.focus == Pane::Data {
            self.selected_data().map(|selected| selected.path)
        } else {
            let state = self.selected_state();
            let definition = self.session.definition();
            state
                .and_then(|id| definition.state(id))
                .map(|state| state.path.to_string())
        };
        self.copy(text)
    }

    fn copy(&mut self, text: Option<String>) -> Done {
        let text = text.ok_or("nothing is selected")?;
        self.model
            .say(format!("copied {} bytes", text.len()), Role::Info);
        self.effects.push(Effect::Copy(text));
        Ok(())
    }

    /// Goes to what is selected in the state pane.
    pub(super) fn open_row(&mut self) -> Done {
        let (row, frame, span) = {
            scene!(self, scene);
            let material = scene.material(&self.model, &self.layout, Pane::State);
            let pane = &self.model.panes.state;
            (
                pane.selected(&material.paint),
                pane.frame(&material.paint),
                pane.span(&material.paint),
            )
        };
        match row {
            Some(Row::Lane(_) | Row::Item(_)) => match frame {
                Some(frame) => self.does(Command::Focus(frame)),
                None => Err("it does not run now; go back to when it did".into()),
            },
            Some(Row::Attempt(number)) => self.find_attempt(number),
            Some(Row::Retrier(_) | Row::Catcher(_) | Row::Rule(_)) => {
                let span = span.ok_or("it has no place in the text")?;
                self.model.panes.source.select(self.session.sources(), span);
                self.model.focus_on(Pane::Source);
                Ok(())
            }
            None => Err("nothing is selected".into()),
        }
    }

    /// Travels to the end of an attempt of the state looked at.
    fn find_attempt(&mut self, number: u32) -> Done {
        let title = format!("attempt {number}");
        let state = self.view.data.state;
        let mut end = self.view.header.event.saturating_add(1);
        let far = end.saturating_sub(FAR).max(1);
        while end > far {
            let start = end.saturating_sub(256).max(1);
            let rows = self.session.rows(start..end);
            let found = rows
                .iter()
                .rev()
                .find(|row| row.state == state && row.title == title);
            if let Some(row) = found {
                let number = row.number;
                return self.does(Command::Travel(number));
            }
            end = start;
        }
        Err(format!(
            "attempt {number} is not in the recorded events before this one"
        ))
    }
}

fn is_stage(kind: EventKind) -> bool {
    is_entry(kind)
        || matches!(
            kind,
            EventKind::Stage(_)
                | EventKind::Chosen
                | EventKind::TaskSucceeded
                | EventKind::TaskFailed
                | EventKind::TaskTimedOut
                | EventKind::ErrorRaised
                | EventKind::RetryScheduled
                | EventKind::Caught
                | EventKind::StateExited
        )
}

fn is_entry(kind: EventKind) -> bool {
    matches!(kind, EventKind::StateEntered)
}

fn factor(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|factor| (0.05..=100.0).contains(factor))
        .ok_or_else(|| format!("{text} is not a speed from 0.05 to 100"))
}

/// A value on one line, not longer than is read.
pub(super) fn shown(value: &Value) -> String {
    if value.size() > 4_000 {
        format!("{} of {} bytes", value.type_name(), value.size())
    } else {
        one_line(value)
    }
}

/// A value as it is copied: text as it is, everything else as JSON.
fn raw(value: &Value) -> String {
    value.as_str().map_or_else(|| pretty(value), str::to_owned)
}

fn token(ask: &Ask) -> Option<String> {
    let Want::Call { token, .. } = &ask.want;
    token.as_ref().map(ToString::to_string)
}
