//! Orders of the user for values: watch, evaluate, edit, answer, copy.

use crate::definition::{Make, QueryLanguage, StageStep, StateKind};
use crate::interpreter::{Answer, Ask, Outcome, Stage, Want};
use crate::json::{Pointer, Step, Value, one_line, parse, pretty};
use crate::session::grammar::parse_answer;
use crate::session::origin::{Found, Holder, Root};
use crate::session::view::{RunStatus, StatePane, TaskView};
use crate::session::{Command, Direction, Landmark, Sought, word_of};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Effect};
use crate::tui::model::{PromptKind, Queued};
use crate::tui::pane::{BreakpointRow, Part, Row, Selected};
use crate::tui::popup::answer::AnswerForm;
use crate::tui::popup::editor::{EditForm, LONGEST};
use crate::tui::subject::{Asked, Odd, Subject, subject};
use crate::tui::theme::Role;
use crate::tui::whereabouts::name;

/// Maximum number of events to repeat when searching for the origin of a value before the user has asked for this
/// origin.
pub(super) const AT_ONCE: usize = 2_000;

/// Maximum number of bytes to copy: the terminal receives them and puts them into the clipboard.
const MOST_COPIED: usize = 1 << 20;

type Done = Result<(), String>;

/// The stage, variable or other value that contains the selected value, and the position of the selected value inside
/// it.
pub(super) fn place_of(selected: &Selected) -> Option<(Holder, Pointer)> {
    let at = selected.pointer.clone();
    Some(match selected.part {
        Part::Stage(stage) => (Holder::Stage(stage), at),
        Part::Error => (Holder::Error, at),
        Part::Context => (Holder::Context, at),
        Part::Variables => match at.0.split_first()? {
            (Step::Member(name), rest) => (Holder::Variable(name.clone()), Pointer(rest.to_vec())),
            (Step::Item(_), _) => return None,
        },
    })
}

/// The result of the command `who`, which asks for the origin of a value, in a pane other than the data pane.
enum Who {
    /// The caller still has to ask for the origin of this value.
    Of(Sought),
    /// The caller has nothing more to do: the origin has been asked for, or a queued command will ask for it once the
    /// cursor has moved to another event.
    Asked,
}

impl App {
    /// The expression in the definition that produced the selected value. If there is none, an expression with which
    /// the user can read the value.
    fn field_or_path(&self, selected: &Selected) -> String {
        match &selected.expression {
            Some(written) if matches!(selected.part, Part::Stage(_)) => written.clone(),
            _ => self.expression(selected),
        }
    }

    /// An expression with which the user can read the selected value, such as `$` with a path; it also names the stage
    /// if needed.
    fn expression(&self, selected: &Selected) -> String {
        let is_reached = |stage| self.view.data.value(stage).is_some();
        let word = match selected.part {
            Part::Stage(Stage::Input | Stage::Output) => None,
            Part::Stage(stage) => word_of(stage, is_reached),
            Part::Error => Some("$error"),
            _ => None,
        };
        match word.zip(selected.path.strip_prefix('$')) {
            Some((word, rest)) => format!("{word}{rest}"),
            None => selected.path.clone(),
        }
    }

    /// The stage whose value `$` means in the JSONPath field that produced the selected stage; the selected stage
    /// itself if no path or template produced it. `None` if no stage is selected, in JSONata, or if `$` means no stage.
    pub(in crate::tui) fn stage_read(&self, part: Part) -> Option<Stage> {
        let Part::Stage(stage) = part else {
            return None;
        };
        let state = self.session.definition().state(self.view.data.state?)?;
        let is_jsonata = state.language == QueryLanguage::Jsonata;
        let step = state.step(stage);
        let step = step.filter(|step| matches!(step.make, Make::Path | Make::Template));
        let read = step.map_or(Some(stage), StageStep::reads);
        read.filter(|_| !is_jsonata)
    }

    /// The selection in the data pane.
    pub(in crate::tui) fn selected_data(&self) -> Option<Selected> {
        self.look(Pane::Data, |panes, paint| panes.data.selected(paint))
    }

    /// The subject that the key `W` explains: an unusual event, the comparison of a Choice, or the selected value. A
    /// comparison that reads no value is not explained; the selected value is explained instead.
    fn subject(&self) -> Subject {
        self.look(Pane::Data, |panes, paint| {
            match subject(paint.view, panes.data.is_chosen(paint)) {
                Subject::Test if panes.state.test(paint).is_none() => Subject::Selected,
                subject => subject,
            }
        })
    }

    /// Opens the prompt in which the user types a watch. The prompt already contains an expression for the selected
    /// value.
    pub(in crate::tui) fn watch(&mut self) -> Done {
        let selected = self.selected_data();
        let path = selected.map_or_else(|| "$".to_owned(), |data| self.expression(&data));
        self.model.ask(PromptKind::Watch, &path);
        self.prompt_changed();
        Ok(())
    }

    pub(in crate::tui) fn print(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            let selected = self.selected_data();
            let path = selected.map_or_else(|| "$".to_owned(), |data| self.field_or_path(&data));
            self.model.ask(PromptKind::Evaluate, &path);
            self.prompt_changed();
            return Ok(());
        }
        let value = self.session.evaluate(argument)?;
        let value_type = value.type_name();
        let text = format!("{argument} = {value} ({value_type})", value = shown(&value));
        self.model.say(text, Role::Text);
        Ok(())
    }

    /// Goes to the origin of a value and focuses the data pane, so that the user can ask for the next origin there.
    fn seek(&mut self, sought: Sought) -> Done {
        self.does(Command::SeekOrigin(sought))?;
        self.model.focus_on(Pane::Data);
        Ok(())
    }

    /// Queues the command `who`. Once the cursor has moved to another event, that command asks for the origin of the
    /// selected value.
    fn ask_there(&mut self) {
        self.model.focus_on(Pane::Data);
        self.queue.push_front(Queued::Line("who".to_owned()));
    }

    pub(in crate::tui) fn who_wrote(&mut self, argument: &str) -> Done {
        if !argument.is_empty() {
            return self.seek(Sought::Path(argument.into()));
        }
        let asked = match self.model.focus {
            Pane::State => self.who_wrote_row()?,
            Pane::Timeline => self.who_wrote_event()?,
            Pane::Source => self.who_wrote_line(),
            Pane::Breakpoints => self.who_wrote_watch(),
            _ => None,
        };
        match asked {
            Some(Who::Asked) => return Ok(()),
            Some(Who::Of(sought)) => return self.seek(sought),
            None => {}
        }
        let here = self.view.data.state;
        let state = self.selected_state().filter(|state| Some(*state) != here);
        if let Some(state) = state.filter(|_| self.model.focus == Pane::Graph) {
            return self.seek(Sought::State(state));
        }
        match self.subject() {
            Subject::Odd(event, odd) => {
                self.does(Command::Travel(event))?;
                // The state pane lists the comparisons that did not match. There the user can ask for the origin of
                // each compared value.
                if odd == Odd::Default {
                    self.model.focus_on(Pane::State);
                    return Ok(());
                }
                self.ask_there();
                return Ok(());
            }
            Subject::Test => return self.who_wrote_operand(),
            Subject::Selected => {}
        }
        let Some(selected) = self.selected_data() else {
            if self.view.header.status == RunStatus::TimedOut {
                return self.does(Command::Seek(Landmark::State, Direction::Backward));
            }
            return Err("select a row with a value in the data pane".into());
        };
        // If the error about a missing value is selected, the user wants the origin of the missing value, not of the
        // error.
        if selected.part == Part::Error && self.session.missing().is_some() {
            return self.does(Command::SeekOrigin(Sought::Missing));
        }
        // The previous question may have led to a variable for which the data pane has no row to select. If no value is
        // selected now, the question is about that variable.
        let led = self.view.led_to.as_ref();
        let led = led.filter(|led| matches!(led.holder, Holder::Variable(_)));
        let (holder, at) = place_of(&selected)
            .or_else(|| led.map(|led| (led.holder.clone(), led.at.clone())))
            .ok_or("select a variable in the data pane")?;
        self.does(Command::SeekOrigin(Sought::At(holder, at)))
    }

    /// Handles the command `who` for the row that is selected in the state pane. For a retrier or catcher, returns its
    /// error, whose origin the caller then asks for. For a rule, asks for the origin of a value that the rule compares.
    /// For any other row, goes to the event of the row and asks there.
    fn who_wrote_row(&mut self) -> Result<Option<Who>, String> {
        let row = self.selected_row();
        let error = self.view.data.fault.is_some();
        match row {
            Some(Row::Rule(_) | Row::Test(..)) => {
                self.who_wrote_operand()?;
                Ok(Some(Who::Asked))
            }
            Some(Row::Retrier(_) | Row::Catcher(_)) if error => {
                Ok(Some(Who::Of(match self.session.missing().is_some() {
                    true => Sought::Missing,
                    false => Sought::At(Holder::Error, Pointer::default()),
                })))
            }
            Some(
                Row::Item(_)
                | Row::Lane(_)
                | Row::Attempt(_)
                | Row::Event(_)
                | Row::LeftOut(_, Some(_)),
            ) => {
                self.open_row()?;
                self.ask_there();
                Ok(Some(Who::Asked))
            }
            Some(Row::Retrier(_) | Row::Catcher(_)) => Err(
                "this retrier or catcher has not handled an error, so there is nothing to explain"
                    .into(),
            ),
            Some(Row::LeftOut(..)) => {
                Err("no other state explains why this state was not reached".into())
            }
            None => Ok(None),
        }
    }

    /// Handles the command `who` for the event that is selected in the timeline: goes to this event, and asks there for
    /// the origin of the selected value.
    fn who_wrote_event(&mut self) -> Result<Option<Who>, String> {
        let event = self.selected_event();
        if event == self.view.header.event {
            self.model.focus_on(Pane::Data);
            return Ok(None);
        }
        self.does(Command::Travel(event))?;
        self.ask_there();
        Ok(Some(Who::Asked))
    }

    /// Handles the command `who` for the selected line of the source: asks for the origin of a value. If the line is a
    /// field of the state at the cursor, this is the value that the field produced; if the line is in another state,
    /// the output of that state.
    fn who_wrote_line(&self) -> Option<Who> {
        // If the previous question led to this line, the next question is about the value found there, not about the
        // line.
        let state = self
            .selected_state()
            .filter(|_| self.view.led_to.is_none())?;
        if Some(state) != self.view.data.state {
            return Some(Who::Of(Sought::State(state)));
        }
        let (source, line) = self.model.panes.source.selected();
        let sources = self.session.sources();
        let state = self.session.definition().state(state)?;
        let stages = self.view.data.stages.iter().rev();
        let mut made = stages.filter(|view| view.value.is_some());
        let stage = made.find(|view| {
            let span = state.written(view.stage);
            let place = span.filter(|span| span.source == source);
            place.and_then(|span| sources.line(span)) == Some(line)
        });
        let holder = Holder::Stage(stage?.stage);
        Some(Who::Of(Sought::At(holder, Pointer::default())))
    }

    /// Handles the command `who` for the selected watch: asks for the origin of the value of its expression.
    fn who_wrote_watch(&self) -> Option<Who> {
        let Some(BreakpointRow::Watch(place)) = self.selected_breakpoint_row() else {
            return None;
        };
        let watch = self.view.watches.get(place)?;
        Some(Who::Of(Sought::Path(watch.text.clone())))
    }

    /// Handles the command `who` for a rule in the state pane: asks for the origin of the first value that the deciding
    /// comparison reads. Called again for the same rule, asks for the origin of the next value that this comparison
    /// reads.
    fn who_wrote_operand(&mut self) -> Done {
        let (row, mut paths) = self.look(Pane::State, |panes, paint| {
            let test = panes.state.test(paint);
            let test =
                test.ok_or("select a value in the data pane, or a rule that compares a value")?;
            let row = panes
                .state
                .selected(paint)
                .ok_or("select a rule in the state pane")?;
            Ok::<_, String>((row, test.paths.clone()))
        })?;
        // Values that are written in the definition come last, because their origin tells the user little.
        paths.sort_by_cached_key(|path| self.is_literal(path));
        let here = (self.view.header.event, row);
        let asked = Asked::next(self.model.asked.take(), here, &paths);
        let path = paths.get(asked.place).map_or("", String::as_str);
        let sought = Sought::Read(path.into());
        self.seek(sought)?;
        self.model.asked = Some(asked);
        Ok(())
    }

    /// True if the value at a path of the state's data is written literally in the definition.
    fn is_literal(&self, path: &str) -> bool {
        let origin = self.session.origin(Sought::Read(path.into()), AT_ONCE);
        matches!(origin, Ok(Some(Found::Origin(origin))) if matches!(origin.root, Root::Literal(_)))
    }

    /// Evaluates an expression for each item of the Map in the state pane, and shows the values as a column.
    pub(in crate::tui) fn show_items(&mut self, argument: &str) -> Done {
        let is_map = matches!(self.view.state, StatePane::Map { .. });
        if let Some(event) = self.only_map().filter(|_| !is_map) {
            self.does(Command::Travel(event))?;
        } else if !is_map {
            let state = name(self.session.definition(), self.view.data.state);
            return Err(match self.view.frames.len() {
                0 | 1 => {
                    format!("{state} is not a Map, and only a Map has items: press o to find a Map")
                }
                _ => {
                    format!(
                        "{state} is not a Map, and only a Map has items: press u for the enclosing Map"
                    )
                }
            });
        }
        let text = (!argument.is_empty()).then(|| argument.into());
        self.does(Command::Items(text))?;
        self.model.focus_on(Pane::State);
        Ok(())
    }

    pub(in crate::tui) fn edit(&mut self, argument: &str) -> Done {
        let selected = self
            .selected_data()
            .ok_or("select a value in the data pane")?;
        let Part::Stage(stage) = selected.part else {
            let key = self.setup.keymap.shown(Action::WhoWrote);
            return Err(match selected.part {
                Part::Variables => format!(
                    "variables cannot be edited: press {key} to go to the Assign that set the variable, and edit a value that this Assign reads"
                ),
                _ => "only values in the stages of a state can be edited".to_owned(),
            });
        };
        if !argument.is_empty() {
            let value =
                parse(argument).map_err(|error| format!("the new value is not JSON: {error}"))?;
            return self.does(Command::Edit {
                stage,
                at: selected.pointer,
                value,
            });
        }
        if selected.value.size() > LONGEST {
            return Err(
                "this value is too large to edit; select a smaller part of the value".into(),
            );
        }
        self.open(EditForm::new(stage, selected.pointer, &selected.value));
        Ok(())
    }

    /// The task that the user means to answer: the selected task; otherwise a task of the shown frame and state;
    /// otherwise any other task.
    pub(in crate::tui) fn task(&self) -> Result<Ask, String> {
        let selected = match self.selected_breakpoint_row() {
            Some(BreakpointRow::Task(ask)) if self.model.focus == Pane::Breakpoints => Some(ask),
            _ => None,
        };
        let state = self.selected_state();
        let frame = self.view.frames.last().map(|frame| frame.frame);
        let is_own = |ask: &&Ask| Some(ask.state) == state && Some(ask.frame) == frame;
        let best = |tasks: &[TaskView]| {
            let all = || tasks.iter().map(|task| &task.ask);
            all()
                .find(|ask| Some(ask.id) == selected)
                .or_else(|| all().find(is_own))
                .or_else(|| all().find(|ask| Some(ask.state) == state))
                .or_else(|| all().find(|ask| Some(ask.state) == self.view.current))
                .or_else(|| all().next())
                .cloned()
        };
        // If no task waits for an answer, chooses a task whose answer is known but has not arrived yet, because that
        // answer can still be changed.
        best(&self.view.tasks)
            .or_else(|| best(&self.view.held))
            .ok_or_else(|| "no task is waiting for an answer".into())
    }

    /// True if the state at the cursor is a Task that has not made its call yet.
    fn comes_to_a_call(&self) -> bool {
        let data = &self.view.data;
        let definition = self.session.definition();
        let state = data.state.and_then(|id| definition.state(id));
        let is_task = state.is_some_and(|state| matches!(state.kind, StateKind::Task(_)));
        let is_over = self.view.header.status.is_over();
        is_task && !is_over && data.fault.is_none() && data.value(Stage::Result).is_none()
    }

    pub(in crate::tui) fn answer(&mut self, argument: &str) -> Done {
        let held = match self.selected_breakpoint_row() {
            Some(BreakpointRow::Held(ask)) if self.model.focus == Pane::Breakpoints => Some(ask),
            _ => None,
        };
        // A typed answer goes to a task that still waits, if there is one. Without a typed answer, a form opens. The
        // form shows which task it answers, so it may also replace an answer of the selected task that has not arrived
        // yet.
        let held = held.filter(|_| argument.is_empty());
        let held = held.and_then(|ask| self.view.held.iter().find(|task| task.ask.id == ask));
        let ask = match (held, self.task()) {
            (Some(task), _) => task.ask.clone(),
            (None, Ok(ask)) => ask,
            // First runs up to the call of the task. The queued line then answers this call.
            (None, Err(_)) if self.comes_to_a_call() => {
                let line = format!("answer {argument}");
                self.queue.push_front(Queued::Line(line));
                return self.does(Command::Step(Direction::Forward));
            }
            (None, Err(problem)) => return Err(problem),
        };
        if !argument.is_empty() {
            let typed = parse_answer(argument)?;
            return self.does(match typed.reach {
                None => Command::Answer(ask.id, typed.answer),
                Some(reach) => Command::AnswerAll(ask.id, typed.answer, reach),
            });
        }
        let mut offer = self
            .session
            .offer(ask.id)
            .ok_or("this task cannot be answered now")?;
        // The form initially contains the answer that the mock file would give next.
        let next = self.view.to_come.next.as_ref();
        let next = next.filter(|_| self.view.data.state == Some(ask.state));
        if let (None, Some(answer)) = (&offer.before, next.and_then(|next| next.answer.clone())) {
            if let Outcome::Success(result) = &answer.outcome {
                offer.result = result.clone();
            }
            offer.before = Some(answer);
        }
        let state = name(self.session.definition(), Some(ask.state));
        // If the task is in an item or branch, the title of the form names that item or branch.
        let title = match self.session.frame_name(ask.frame) {
            main if main == "main" => state,
            frame => format!("{state} of {frame}"),
        };
        self.open(AnswerForm::new(offer, &title));
        Ok(())
    }

    pub(in crate::tui) fn fail(&mut self, argument: &str) -> Done {
        let ask = self.task()?;
        let (error, cause) = argument.split_once(' ').unwrap_or((argument, ""));
        if error.is_empty() {
            return Err(
                "the name of the error is missing: type \"fail ERROR\" or \"fail ERROR CAUSE\""
                    .into(),
            );
        }
        self.does(Command::Answer(
            ask.id,
            Answer::failure(error, cause.trim()),
        ))
    }

    pub(in crate::tui) fn copy_value(&mut self) -> Done {
        let text = match self.model.focus {
            Pane::Source => {
                let (source, line) = self.model.panes.source.selected();
                let file = self.session.sources().get(source);
                file.map(|file| file.line(line).trim().to_owned())
            }
            Pane::Breakpoints => match self.selected_breakpoint_row() {
                Some(BreakpointRow::Task(id)) => {
                    let task = self.view.tasks.iter().find(|task| task.ask.id == id);
                    task.and_then(|task| token(&task.ask))
                }
                Some(BreakpointRow::Watch(place)) => {
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

    pub(in crate::tui) fn copy_path(&mut self) -> Done {
        let text = if self.model.focus == Pane::Data {
            self.selected_data().map(|selected| selected.path)
        } else {
            let definition = self.session.definition();
            let state = self.selected_state().and_then(|id| definition.state(id));
            state.map(|state| state.path.to_string())
        };
        self.copy(text)
    }

    pub(in crate::tui) fn copy(&mut self, text: Option<String>) -> Done {
        let text = text.ok_or("nothing is selected that can be copied")?;
        if text.len() > MOST_COPIED {
            let (bytes, most) = (text.len(), MOST_COPIED >> 20);
            return Err(format!(
                "the text has {bytes} bytes, but at most {most} MiB can be copied"
            ));
        }
        let copied = format!("copied {bytes} bytes", bytes = text.len());
        self.model.say(copied, Role::Info);
        self.effects.push(Effect::Copy(text));
        Ok(())
    }
}

/// A value on one line; of a long value, only the type and size.
pub(in crate::tui) fn shown(value: &Value) -> String {
    if value.size() > 4_000 {
        let (value_type, size) = (value.type_name(), value.size());
        format!("{value_type} of {size} bytes")
    } else {
        one_line(value)
    }
}

/// Text that is copied to the clipboard for a value: a string without its quotes, any other value as JSON.
pub(in crate::tui) fn raw(value: &Value) -> String {
    value.as_str().map_or_else(|| pretty(value), str::to_owned)
}

fn token(ask: &Ask) -> Option<String> {
    match &ask.want {
        Want::Call { token, .. } => token.as_ref().map(ToString::to_string),
        _ => None,
    }
}
