//! Orders of the user that change only the screen, not the run: focus, sizes, scrolling, popups, prompts.

use super::data::{AT_ONCE, place_of};
use crate::definition::StateId;
use crate::launch::Workspace;
use crate::session::view::StatePane;
use crate::session::{Command, Sought, origin};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Effect};
use crate::tui::caption;
use crate::tui::keymap::Key;
use crate::tui::model::{PromptKind, Queued};
use crate::tui::pane::{BreakpointRow, Level, Motion, Part, Tab};
use crate::tui::popup::help::Help;
use crate::tui::popup::picker::{Item, Picker};
use crate::tui::popup::whole::{self, Whole};
use crate::tui::popup::{Quit, Reply};
use crate::tui::prompt::{self, Order};
use crate::tui::theme::{Role, Theme};
use crate::wording;
use std::path::PathBuf;

/// Maximum number of commands that wait in the queue.
const MOST_QUEUED: usize = 20_000;

type Done = Result<(), String>;

impl App {
    /// Executes an order of the user that does not affect the run.
    pub(in crate::tui) fn act_on_screen(&mut self, order: &Order) -> Done {
        let argument = order.argument.as_str();
        if let Some(pane) = order.action.pane() {
            self.model.focus_on(pane);
            return Ok(());
        }
        match order.action {
            Action::FocusNext => self.model.focus_on(self.model.neighbour(true)),
            Action::FocusPrevious => self.model.focus_on(self.model.neighbour(false)),
            Action::Focus => {
                let pane =
                    Pane::find(argument).ok_or_else(|| format!("no pane is named {argument}"))?;
                self.model.focus_on(pane);
            }
            Action::Zoom => self.model.zoom = !self.model.zoom,
            Action::WholeBanner => self.model.whole_banner = !self.model.whole_banner,
            Action::Grow | Action::Shrink if self.model.focus == Pane::Graph => {
                let graph = &mut self.model.panes.graph;
                let detail = graph.turn_detail(order.action == Action::Grow);
                self.model
                    .say(format!("graph detail: {detail}"), Role::Info);
            }
            Action::Grow => self.model.sizes.grow(self.model.focus, 1),
            Action::Shrink => self.model.sizes.grow(self.model.focus, -1),
            Action::ResetSizes => {
                self.model.sizes = crate::tui::layout::Sizes::default();
                self.model.panes.graph.fit_detail();
            }
            Action::View => self.toggle_view(),
            Action::Level => self.level(argument)?,
            Action::Diff => self.model.panes.data.toggle_diff(),
            Action::Unfold => {
                self.change(Pane::Data, |panes, paint| panes.data.unfold_all(paint));
            }
            Action::Activate => return self.activate(),
            Action::Open => self.pick_state(argument),
            Action::Show => {
                let state = self.state_named(argument)?;
                self.show_state(state);
            }
            Action::Info => self.info(argument)?,
            Action::Findings => self.info("findings")?,
            Action::Find if argument.is_empty() => {
                self.model.ask(PromptKind::Find, "");
            }
            Action::Find => {
                self.model.wanted = argument.to_owned();
                return self.find(true);
            }
            Action::FindNext => return self.find(true),
            Action::FindPrevious => return self.find(false),
            Action::Theme => self.theme(argument)?,
            Action::Write => return self.write(argument, order.bang),
            Action::Record => {
                let file = (!argument.is_empty()).then(|| PathBuf::from(argument));
                self.effects.push(Effect::Record(file));
            }
            Action::Script => self.script(argument)?,
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Mouse => {
                let on = switched(argument, self.model.mouse)?;
                self.model.mouse = on;
                self.effects.push(Effect::Mouse(on));
                self.inform(match on {
                    true => "mouse on; Shift-drag selects text",
                    false => "mouse off",
                });
            }
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Interrupt => self.interrupt(),
            Action::Close => self.close(),
            Action::Prompt => self.model.ask(PromptKind::Command, ""),
            Action::Help => self.help(argument)?,
            Action::Quit => self.quit(order.bang),
            Action::Editor => return self.editor(),
            _ => return Err("this command cannot be used here".into()),
        }
        Ok(())
    }

    pub(in crate::tui) fn motion(&mut self, motion: Motion) {
        let pane = self.model.focus;
        self.change(pane, |panes, paint| {
            panes.pane(pane).motion(paint, motion);
        });
    }

    pub(in crate::tui) fn fold(&mut self) {
        let pane = self.model.focus;
        self.change(pane, |panes, paint| {
            panes.pane(pane).toggle_fold(paint);
        });
    }

    fn toggle_view(&mut self) {
        let focus = self.model.focus;
        self.change(focus, |panes, paint| match focus {
            Pane::Timeline => panes.timeline.toggle_view(),
            _ => panes.graph.toggle_view(paint),
        });
    }

    fn level(&mut self, argument: &str) -> Done {
        self.model.level = match argument.to_ascii_lowercase().as_str() {
            "" => self.model.level.next(),
            "info" => Level::Info,
            "debug" => Level::Debug,
            "trace" => Level::Trace,
            level => {
                return Err(format!(
                    "no level is named {level}; use info, debug or trace"
                ));
            }
        };
        let level = self.model.level.name();
        self.model.say(format!("detail level: {level}"), Role::Info);
        Ok(())
    }

    /// Opens a popup with the selected value in full.
    fn open_value(&mut self) -> Done {
        let opened = self.look(Pane::Data, |panes, paint| panes.data.whole(paint));
        let (title, mut parts) = opened.ok_or("no value is selected in the data pane")?;
        if let Some(text) = self.origin_of_selected() {
            let above = parts.iter().position(|part| part.heading == "Source");
            let origin = whole::Part::new("Origin", text, Role::Text);
            parts.insert(above.unwrap_or(parts.len()), origin);
        }
        let mut popup = Whole::new(title, parts);
        if let Some(selected) = self.selected_data()
            && let Some((holder, at)) = place_of(&selected)
        {
            popup = popup.with_places(holder, at, &selected.value);
        }
        self.open(popup);
        Ok(())
    }

    /// Text that says where the selected value comes from; `None` if a short search does not find its origin.
    fn origin_of_selected(&self) -> Option<String> {
        let (holder, at) = place_of(&self.selected_data()?)?;
        let definition = self.session.definition();
        match self
            .session
            .origin(Sought::At(holder, at), AT_ONCE)
            .ok()??
        {
            origin::Found::Origin(origin) => {
                Some(wording::stop(&origin, 0, definition).to_string())
            }
            origin::Found::Absent(absent) => {
                Some(wording::absent(&absent, definition).whole().to_string())
            }
            origin::Found::NoLack => None,
        }
    }

    /// Handles Enter: opens or goes to what is selected in the focused pane.
    fn activate(&mut self) -> Done {
        match self.model.focus {
            Pane::Graph => self.open_state(),
            Pane::Source => {
                let state = self.selected_state();
                self.show_state(state.ok_or("no state is defined at this line")?);
                self.model.focus_on(Pane::Graph);
                Ok(())
            }
            Pane::Data => {
                let error = self.selected_data().is_some_and(|selected| {
                    selected.part == Part::Error && selected.pointer.0.is_empty()
                });
                match error && self.session.missing().is_some() {
                    true => self.does(Command::SeekOrigin(Sought::Missing)),
                    false => self.open_value(),
                }
            }
            Pane::Timeline => self.travel_to_selected(),
            Pane::State => self.open_row(),
            Pane::Breakpoints => match self.selected_breakpoint_row() {
                Some(row) => self.open_breakpoint(row),
                None => Err("no row is selected in the breakpoints pane".into()),
            },
        }
    }

    /// Goes to the last visit of the state that is selected in the graph. If the state is drawn folded, unfolds it
    /// instead.
    fn open_state(&mut self) -> Done {
        let state = self
            .selected_state()
            .ok_or("no state is selected; select a state in the graph or in the source")?;
        if self.is_folded(state) {
            self.fold();
            return Ok(());
        }
        let Some(event) = self.visit_before(state) else {
            self.model.focus_on(Pane::Source);
            self.show_state(state);
            self.say_not_reached(state);
            return Ok(());
        };
        self.does(Command::Travel(event))?;
        self.show_state(state);
        Ok(())
    }

    /// Handles Enter on a row of the breakpoints pane: opens what the row shows.
    fn open_breakpoint(&mut self, row: BreakpointRow) -> Done {
        match row {
            BreakpointRow::Breakpoint(_) => return self.act(&Order::plain(Action::EditBreak)),
            BreakpointRow::Frame(frame) => self.apply(Command::Focus(frame)),
            BreakpointRow::Task(_) => return self.act(&Order::plain(Action::Answer)),
            BreakpointRow::Watch(place) => {
                let watch = self.view.watches.get(place);
                let text = watch.map_or_else(String::new, |watch| watch.text.to_string());
                self.model.ask(PromptKind::Evaluate, &text);
                self.prompt_changed();
            }
            BreakpointRow::AnswerRule(place) => {
                let rule = self.view.answer_rules.get(place);
                let task = rule.map_or("", |rule| &rule.what);
                let says = format!(
                    "{task} will always get this answer from now on; the key Del removes the answer"
                );
                self.model.say(says, Role::Info);
            }
            BreakpointRow::Held(ask) => {
                let held = self.view.held.iter().find(|task| task.ask.id == ask);
                let says = match held.and_then(|task| task.answer_at) {
                    Some(at) => format!(
                        "the task will be answered at {time}",
                        time = caption::clock(at)
                    ),
                    None => "the task will never be answered, so the task will time out".to_owned(),
                };
                self.model.say(says, Role::Info);
            }
            BreakpointRow::Mock(place) => {
                let mock = self.view.to_come.entries.get(place);
                let definition = self.session.definition();
                let state = mock.and_then(|mock| definition.find_by_name(&mock.entry));
                let several = "this answer applies to every state that calls the resource, so asldbg has no single state to show";
                self.show_state(state.ok_or(several)?);
            }
            BreakpointRow::Finding(place) => return self.open_finding(place),
        }
        Ok(())
    }

    /// Goes to the line of the finding with this index in the source, and to the finding's state in the graph.
    fn open_finding(&mut self, place: usize) -> Done {
        let row = self.findings.rows().get(place);
        let (state, span) = row.map_or((None, None), |row| (row.state, row.span));
        if let Some(state) = state {
            self.show_state(state);
        }
        let span = span.ok_or("the selected finding has no line in the source")?;
        self.model.panes.source.select(self.session.sources(), span);
        self.model.focus_on(Pane::Source);
        Ok(())
    }

    /// Selects a state in the graph and shows its lines in the source pane.
    pub(in crate::tui) fn show_state(&mut self, state: StateId) {
        self.change(Pane::Graph, |panes, paint| {
            panes.graph.select(paint, state);
            if let Some(state) = paint.definition.state(state) {
                panes
                    .source
                    .select(&paint.definition.sources, state.name_span);
            }
        });
    }

    fn pick_state(&mut self, typed: &str) {
        let definition = self.session.definition();
        let items = definition
            .state_ids()
            .filter_map(|id| {
                let state = definition.state(id)?;
                Some(Item::new(&state.path.0, state.caption(), Reply::Goto(id)))
            })
            .collect();
        self.open(Picker::new("Find a state", items, typed));
    }

    fn info(&mut self, argument: &str) -> Done {
        let tab = match argument {
            "" | "breakpoints" | "break" | "b" => Tab::Break,
            "watches" | "watch" | "display" => Tab::Watch,
            "frames" | "stack" => Tab::Frames,
            "tasks" => Tab::Tasks,
            "mocks" => Tab::Mocks,
            "findings" | "found" | "check" => Tab::Findings,
            "stops" => return self.act(&Order::plain(Action::StopOn)),
            name => {
                return Err(format!(
                    "no list is named {name}; use breakpoints, watches, frames, tasks, mocks, findings or stops"
                ));
            }
        };
        self.model.panes.breakpoints.show(tab);
        self.model.focus_on(Pane::Breakpoints);
        Ok(())
    }

    /// True if the state pane has the focus and lists the items of a Map. The command for finding text then filters the
    /// items.
    pub(in crate::tui) fn shows_items(&self) -> bool {
        self.model.focus == Pane::State && matches!(self.view.state, StatePane::Map { .. })
    }

    pub(in crate::tui) fn find(&mut self, forward: bool) -> Done {
        let wanted = self.model.wanted.clone();
        if self.shows_items() {
            return self.does(Command::FilterItems(wanted.into()));
        }
        if wanted.is_empty() {
            return Err("no text has been searched for yet; press / to search".into());
        }
        let focus = self.model.focus;
        let search = self.change(focus, |panes, paint| {
            panes.find(focus, paint, &wanted, forward)
        });
        self.search = Some(search);
        self.search_on();
        Ok(())
    }

    fn theme(&mut self, argument: &str) -> Done {
        if let Some(theme) = Theme::named(argument) {
            self.setup.theme = theme;
            return Ok(());
        }
        if !argument.contains(['.', '/']) {
            let names: Vec<&str> = Theme::names().collect();
            let names = names.join(", ");
            return Err(format!(
                "no theme is named {argument}; the themes are {names}"
            ));
        }
        let file = argument.to_owned();
        self.with_text(argument, move |app, text| {
            app.setup.theme =
                Theme::parse(&file, text).map_err(|error| format!("{file}: {error}"))?;
            Ok(())
        });
        Ok(())
    }

    /// Reads a file in the background, and then calls `then` with the text of the file.
    fn with_text(
        &mut self,
        file: &str,
        then: impl FnOnce(&mut Self, &str) -> Done + Send + 'static,
    ) {
        let path = PathBuf::from(file);
        let work = move |workspace: &mut dyn Workspace| workspace.text(&path);
        self.read(file, work, |app, file| {
            let file = file.map_err(|error| error.brief());
            let done = file.and_then(|file| then(app, &file.text));
            app.done(done);
        });
    }

    fn write(&mut self, argument: &str, bang: bool) -> Done {
        match argument.split_once(' ') {
            Some(("case", name)) => self.write_case(name.trim(), bang),
            Some(("default", name)) => self.write_default_case(name.trim()),
            None if argument == "input" => self.write_input(bang),
            Some(("test", name)) => self.write_test(name.trim(), bang),
            Some(("screen", file)) if !file.trim().is_empty() => {
                self.effects
                    .push(Effect::WriteScreen(PathBuf::from(file.trim())));
                Ok(())
            }
            Some(("graph", file)) if !file.trim().is_empty() => {
                self.write_graph(&PathBuf::from(file.trim()));
                Ok(())
            }
            _ => Err(
                "after \"write\", type case NAME, default NAME, test NAME, input, screen FILE (.txt or .svg) or graph FILE (.txt, .svg or .mmd)"
                    .into(),
            ),
        }
    }

    fn script(&mut self, argument: &str) -> Done {
        self.with_text(argument, |app, text| {
            let count = text.lines().count();
            if app.queue.len().saturating_add(count) > MOST_QUEUED {
                return Err(format!(
                    "more than {MOST_QUEUED} commands are queued, so asldbg does not run the script; perhaps the script runs itself"
                ));
            }
            for line in text.lines().rev() {
                app.queue.push_front(Queued::Line(line.to_owned()));
            }
            Ok(())
        });
        Ok(())
    }

    fn help(&mut self, argument: &str) -> Done {
        let only = match argument {
            "" => None,
            word => {
                let key = word.parse::<Key>().ok();
                let key = key.and_then(|key| self.setup.keymap.action(&key.event()));
                let unknown = || prompt::unknown(word);
                Some(key.or_else(|| Action::named(word)).ok_or_else(unknown)?)
            }
        };
        let help = Help::new(self.model.focus, &self.setup.keymap, only);
        let glyphs = crate::tui::glyph::Glyphs::of(self.setup.ascii);
        let help = match only {
            None => help.with_legend(glyphs),
            Some(_) => help,
        };
        self.open(help);
        Ok(())
    }

    /// Closes the message and the explanation in the banner. If there is neither, ends the zoom. If the screen is not
    /// zoomed either, stops the calls in progress.
    fn close(&mut self) {
        let (message, explained) = (self.model.message.take(), self.model.explained.take());
        if message.is_some() || explained.is_some() {
            return;
        }
        if !std::mem::take(&mut self.model.zoom) && self.view.header.calling.is_some() {
            self.order(&Order::plain(Action::Pause));
        }
    }

    fn quit(&mut self, bang: bool) {
        if bang || !(self.model.zoom || self.is_unfinished()) {
            self.effects.push(Effect::Quit);
        } else if self.model.zoom {
            self.model.zoom = false;
        } else {
            self.open(Quit);
        }
    }

    fn editor(&mut self) -> Done {
        let (source, line) = self.model.panes.source.selected();
        let shown = self.session.sources().get(source);
        let derived = shown.is_some_and(|file| file.derived);
        // The shown text may exist only in the program, because it was formatted. The editor then opens the original
        // file.
        let line = if derived { 1 } else { line };
        let file = self.setup.origin.file.clone();
        let opened = file.filter(|_| source.0 == 0 || derived);
        let file = opened
            .or_else(|| shown.map(|file| PathBuf::from(&*file.name)))
            .filter(|file| self.setup.workspace.has_file(file))
            .ok_or("the source was not read from a file, so no editor can open the source")?;
        self.effects.push(Effect::Edit { file, line });
        Ok(())
    }

    /// Shows a warning.
    pub fn warn(&mut self, text: &str) {
        self.model.say(text, Role::Warning);
    }

    /// Shows a message.
    pub fn inform(&mut self, text: &str) {
        self.model.say(text, Role::Info);
    }
}

/// The new state of a switch: `on` or `off` as in the argument; if the argument is empty, the opposite of `now`.
pub(super) fn switched(argument: &str, now: bool) -> Result<bool, String> {
    match argument {
        "" => Ok(!now),
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{argument} is neither on nor off; type on or off")),
    }
}
