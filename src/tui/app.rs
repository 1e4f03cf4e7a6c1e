//! The terminal front end as a value: [`App`] takes inputs, returns effects for its caller to carry out, and draws the
//! screen on request. It owns no terminal, thread or file.

use super::action::{Action, Pane};
use super::executions::Executions;
use super::finding::Findings;
use super::input::{Input, Signal};
use super::keymap::Keymap;
use super::layout::Layout;
use super::model::{Model, Play, Queued};
use super::pane::{DrawingRequest, Text};
use super::panes::Searching;
use super::popup::{Dialog, Reply};
use super::prompt::Order;
use super::reached::Reached;
use super::reading::Reading;
use super::theme::{Role, Theme};
use super::view;
use crate::interpreter::Millis;
use crate::launch::{Door, Origin, Workspace};
use crate::session::view::{EventRow, RunStatus, View};
use crate::session::{Command, Direction, Outer, Progress, Refused, Session, Stop};
use crate::source::SourceMap;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum time for which the run advances before inputs are handled again. It is shorter than the time between two
/// drawings of the screen, so keys are handled promptly.
pub(super) const SLICE: Duration = Duration::from_millis(8);

/// Something that the caller of [`App`] has to do, such as quitting or writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Put a text into the clipboard.
    Copy(String),
    /// Open a file in the user's editor.
    Edit {
        /// The file to open in the editor.
        file: PathBuf,
        /// The line that the editor goes to, starting at 1.
        line: usize,
    },
    /// Suspend the program: the shell gets the terminal back until the user lets the program continue.
    Suspend,
    /// Enable or disable mouse events.
    Mouse(bool),
    /// Redraw everything.
    Redraw,
    /// Compute a drawing of the graph in the background; send the drawing back as an input.
    LayOut(Box<DrawingRequest>),
    /// Write the contents of the screen to a file.
    WriteScreen(PathBuf),
    /// Write a text to a new file.
    WriteText(PathBuf, String),
    /// Replace the text of a file.
    Rewrite(PathBuf, String),
    /// Start recording the screen to this file; `None` stops recording.
    Record(Option<PathBuf>),
    /// Watch these files for changes from now on, and no others.
    Watch(Vec<PathBuf>),
    /// Run the background job that [`App::job`] returns.
    Read,
    /// Save the user's settings for the next session.
    Keep,
    /// Quit.
    Quit,
}

/// Settings from the caller.
#[derive(Default)]
pub struct Setup {
    /// Theme.
    pub theme: Theme,
    /// True if only ASCII characters are drawn.
    pub ascii: bool,
    /// Key bindings.
    pub keymap: Keymap,
    /// The files that the run was started from, the test cases, and questions and notes for the user.
    pub origin: Origin,
    /// Reads and writes the files of the session: reloads the definition, reads another definition or input that the
    /// user chooses, and saves settings and test cases.
    pub workspace: Box<dyn Workspace>,
    /// Commands to execute at the start.
    pub script: Vec<String>,
    /// Speed at which the run is played from the start; `None` if it is not played.
    pub play: Option<f64>,
    /// Speed of the run's clock relative to real time; `None` if waits of the run take no real time.
    pub realtime: Option<f64>,
    /// Queue of the executions that clients start on the API server of `--listen`; `None` without this server.
    pub door: Option<Door>,
    /// True if the program was started as `asldbg tour`.
    pub tour: bool,
    /// Runs the test case that is being debugged and returns its result. Called each time the definition was reloaded.
    pub verdict: Option<Verdict>,
}

/// Runs a test case and returns its result as a sentence.
pub type Verdict = Arc<dyn Fn() -> String + Send + Sync>;

/// Panics. Developer builds offer this as the command `:panic`, to test that a panic restores the real terminal.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "the command is meant to panic")]
fn panic_on_purpose() {
    panic!("the command :panic panics on purpose");
}

/// The terminal front end.
pub struct App {
    pub(super) session: Session,
    /// Which states and transitions the test cases reach; `None` while the screen does not show this coverage.
    pub(super) reached: Option<Reached>,
    /// Sessions of the parent executions, if the user stepped into a child execution.
    pub(super) outer: Outer,
    pub(super) model: Model,
    pub(super) setup: Setup,
    pub(super) view: View,
    pub(super) last: Option<EventRow>,
    pub(super) layout: Layout,
    pub(super) queue: VecDeque<Queued>,
    pub(super) effects: Vec<Effect>,
    /// While the run waits in real time: the real time at which the run continues, and the same moment on the run's
    /// clock.
    pub(super) wake: Option<(Instant, Millis)>,
    /// The search in progress; any key cancels the search.
    pub(super) search: Option<Searching>,
    /// The findings for the text in the source pane.
    pub(super) findings: Findings,
    /// The text that [`Self::findings`] are about.
    found_in: Option<Arc<SourceMap>>,
    /// Executions that clients started on the API server of `--listen`.
    pub(super) executions: Executions,
    /// State of the background job that reads files, such as a definition to load.
    pub(super) reading: Reading<Self>,
}

/// Builds the scene, which is everything that drawing needs. The macro borrows only some fields of the app, so that the
/// model can still be borrowed mutably.
macro_rules! scene {
    ($app:ident, $scene:ident) => {
        let rows = |numbers: std::ops::Range<u64>| $app.session.rows(numbers);
        let execution = $app.executions.heading();
        let $scene = $crate::tui::view::Scene {
            view: &$app.view,
            definition: $app.session.definition(),
            text: $crate::tui::app::text(&$app.session, &$app.setup.origin, &$app.outer),
            execution: execution.as_deref(),
            child_of: $app
                .outer
                .sessions()
                .next_back()
                .map(|around| &*around.definition().name),
            rows: &rows,
            last: $app.last.as_ref(),
            brush: $crate::tui::border::Brush {
                theme: &$app.setup.theme,
                glyphs: $crate::tui::glyph::Glyphs::of($app.setup.ascii),
            },
            keymap: &$app.setup.keymap,
            busy: $app.is_running(),
            rest: $app.session.rests().map(|(_, due)| due),
            findings: &$app.findings,
            reached: $app
                .reached
                .as_ref()
                .filter(|reached| reached.is_of($app.session.definition())),
        };
    };
}
pub(super) use scene;

/// The definition's text for the source pane.
pub(super) fn text<'a>(session: &'a Session, origin: &'a Origin, outer: &Outer) -> Text<'a> {
    Text {
        machine: origin.machine.as_deref().filter(|_| outer.is_empty()),
        sources: session.sources(),
        diagnostics: session.diagnostics(),
        in_force: Arc::ptr_eq(session.sources(), &session.definition().sources),
    }
}

impl App {
    /// Creates the front end.
    #[must_use]
    pub fn new(session: Session, setup: Setup, mut model: Model) -> Self {
        if let Some(factor) = setup.play {
            model.present = true;
            model.play = Some(Play::starting(factor));
        }
        let view = session.view();
        let mut app = Self {
            view,
            last: None,
            layout: Layout::of(Rect::new(0, 0, 80, 24), model.wish()),
            queue: VecDeque::new(),
            effects: Vec::new(),
            wake: None,
            search: None,
            findings: Findings::default(),
            reached: None,
            found_in: None,
            reading: Reading::default(),
            executions: Executions::default(),
            session,
            outer: Outer::default(),
            model,
            setup,
        };
        if app.setup.realtime.is_some() {
            app.session.hold_clock();
        }
        app.refresh();
        app.say_origin();
        let watched = app.setup.origin.watched.clone();
        if !watched.is_empty() {
            app.effects.push(Effect::Watch(watched));
        }
        app.ask();
        app
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The state of the front end.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The layout of the screen when it was last drawn.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Takes a new view of the run from the session, and updates the findings and the event at the cursor.
    pub(super) fn refresh(&mut self) {
        let before = std::mem::replace(&mut self.view, self.session.view());
        // The counts of taken edges are about the frame in focus. Counts of two different frames cannot be compared.
        if before.header.frame == self.view.header.frame {
            self.note_way(&before.edges);
        }
        let sources = self.session.sources();
        let found_in = self.found_in.as_ref();
        if !found_in.is_some_and(|known| Arc::ptr_eq(known, sources)) {
            let definition = self.session.definition();
            let in_force = Arc::ptr_eq(sources, &definition.sources);
            let diagnostics = self.session.diagnostics();
            self.findings = Findings::of(diagnostics, sources, definition, in_force);
            self.found_in = Some(Arc::clone(sources));
        }
        self.findings.note(&self.session, &self.view);
        let event = self.view.header.event;
        self.last = if event == 0 {
            None
        } else {
            self.session.rows(event..event.saturating_add(1)).pop()
        };
    }

    /// Handles an input.
    pub fn input(&mut self, input: Input) {
        match input {
            Input::Key(key) => self.key(&key),
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Paste(text) => self.paste(&text),
            Input::Resize(..) => self.effects.push(Effect::Redraw),
            Input::FileChanged if self.reading.is_open() => self.reading.changed = true,
            Input::FileChanged if self.executions.shows_foreign() => {
                self.executions.is_file_changed = true;
            }
            Input::FileChanged => self.reload(),
            Input::Read => self.take_read(),
            Input::Visitors => self.let_in(),
            Input::Signal(Signal::End(_)) | Input::Closed => self.effects.push(Effect::Quit),
            Input::Signal(Signal::Interrupt) => self.interrupt(),
            Input::Signal(Signal::Stop) => self.effects.push(Effect::Suspend),
            Input::Signal(Signal::Continue) => self.effects.push(Effect::Redraw),
            Input::Drawing(drawing) => self.model.panes.graph.put_drawing(&drawing),
            Input::Deadline => self.beat(),
        }
        self.tour_on();
        if self.model.message.is_none() {
            self.say_reading();
        }
    }

    /// Takes the effects that were requested since the last call.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn key(&mut self, key: &KeyEvent) {
        self.search = None;
        let action = self.setup.keymap.action(key);
        if action == Some(Action::Interrupt) {
            self.interrupt();
            return;
        }
        if action == Some(Action::Suspend) {
            self.effects.push(Effect::Suspend);
            return;
        }
        let is_alone = self.model.popup.is_none() && self.model.prompt.is_none();
        if is_alone && key.code == KeyCode::Esc && self.give_up_reading() {
            return;
        }
        if let Some(popup) = &mut self.model.popup {
            let reply = popup.key(key);
            self.reply(reply);
        } else if self.model.prompt.is_some() {
            self.prompt_key(key);
        } else if let Some(action) = action {
            self.model.message = None;
            self.order(&Order::plain(action));
        } else if let KeyCode::Char(typed) = key.code {
            let help = self.setup.keymap.shown(Action::Help);
            self.model.say(
                format!("the key {typed} does nothing; {help} shows the keys"),
                Role::Dim,
            );
        }
    }

    fn paste(&mut self, text: &str) {
        if let Some(popup) = &mut self.model.popup {
            popup.paste(text);
        } else if let Some(prompt) = &mut self.model.prompt {
            text.chars()
                .take(1)
                .for_each(|first| prompt.give_way(first));
            prompt.line.insert(text);
            self.prompt_changed();
        }
    }

    /// Carries out the reply of a popup to a key.
    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Stay => return,
            Reply::Also(commands) => {
                for command in commands {
                    self.apply(command);
                }
                return;
            }
            _ => self.model.popup = None,
        }
        match reply {
            Reply::Do(commands) => commands.into_iter().for_each(|command| self.apply(command)),
            Reply::Goto(state) => {
                self.show_state(state);
                // The graph pane gets the focus, because the chosen state is now selected in the graph.
                self.model.focus_on(Pane::Graph);
            }
            Reply::Machine(place) => self.choose_machine(place),
            Reply::Ask(begun) => self.model.ask(super::model::PromptKind::Command, begun),
            Reply::Line(line) => self.line(&line),
            Reply::Quit => self.effects.push(Effect::Quit),
            Reply::Stay | Reply::Close | Reply::Also(_) => {}
        }
        self.ask();
    }

    /// Executes an order of the user. If this fails, shows the error as a message.
    pub(super) fn order(&mut self, order: &Order) {
        let done = self.act(order);
        self.done(done);
    }

    /// If an action failed, shows its error as a message and drops the queued commands.
    pub(super) fn done(&mut self, done: Result<(), String>) {
        if let Err(problem) = done {
            self.model.say(problem, Role::Warning);
            self.queue.clear();
        }
    }

    /// Executes a typed line, from `:`, a script or `--ex`.
    pub fn line(&mut self, line: &str) {
        #[cfg(debug_assertions)]
        if line.trim() == "panic" {
            panic_on_purpose();
        }
        match super::prompt::parse(line) {
            Ok(Some(order)) => self.order(&order),
            Ok(None) => {}
            Err(problem) => {
                self.model.say(problem, Role::Warning);
                self.queue.clear();
            }
        }
    }

    /// Applies a command to the session.
    pub(super) fn apply(&mut self, command: Command) {
        if command.moves_cursor() {
            if self.is_running() && !matches!(command, Command::Answer(..) | Command::AnswerAll(..))
            {
                let key = self.setup.keymap.shown(Action::Pause);
                self.model.say(
                    format!("the run is in progress; pause it first with {key}"),
                    Role::Info,
                );
                return;
            }
            self.model.message = None;
            self.model.explained = None;
            self.model.panes.follow();
        }
        let command = match self.leaves_child(&command) {
            true => {
                self.leave_child();
                Command::Step(Direction::Forward)
            }
            false => command,
        };
        let sets_up = command.sets_up();
        let result = self.session.apply(command);
        if sets_up && result.is_ok() {
            self.executions.stop_where(&self.session);
            self.effects.push(Effect::Keep);
        }
        if result == Err(Refused::Outermost) && self.leave_child() {
            return;
        }
        let moved = matches!(result, Ok(crate::session::Reply::Focus(_)));
        self.told(result);
        self.refresh();
        if moved {
            let state = super::whereabouts::name(self.session.definition(), self.view.data.state);
            let frame = &self.view.header.frame;
            let text =
                format!("stepping in {frame}, at {state}; the keys n, s and f now step this frame");
            self.model.say(text, Role::Info);
        }
    }

    /// True if there is work to do before the next input.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.is_at_work() || self.executions.are_busy(Instant::now())
    }

    /// True if the run on the screen has work to do before the next input. Executions in the background do not count.
    pub(super) fn is_at_work(&self) -> bool {
        let waits =
            !self.queue.is_empty() && self.session.rests().is_none() && !self.reading.is_open();
        self.session.is_busy() || waits || self.search.is_some()
    }

    /// Does work for a few milliseconds: advances the search or the run, or executes a queued command. Returns whether
    /// there is more work.
    pub fn slice(&mut self) -> bool {
        if self.search.is_some() {
            self.search_on();
        } else if self.session.is_busy() {
            let before = self.view.frames.last().map(|frame| frame.frame);
            let started = Instant::now();
            let progress = self.session.advance_while(|| started.elapsed() < SLICE);
            let texts = self.outputs();
            self.say_all(texts);
            self.refresh();
            self.note_rest();
            if progress == Progress::Idle && self.wake.is_none() {
                self.model.return_to_asked(&self.view);
                self.stopped(before);
                self.enter_child();
            }
        } else if !self.is_running()
            && !self.reading.is_open()
            && let Some(next) = self.queue.pop_front()
        {
            match next {
                Queued::Repeat(command) => {
                    if self.goes_on(&command) {
                        self.apply(command);
                    } else {
                        self.queue.clear();
                    }
                }
                Queued::Line(line) => self.line(&line),
            }
        }
        self.run_others();
        self.tour_on();
        self.is_busy()
    }

    /// True if `command`, which the user asked to repeat a number of times, should be repeated after the stop that was
    /// just reached.
    fn goes_on(&self, command: &Command) -> bool {
        let passes = matches!(command, Command::Continue(_));
        match &self.view.header.status {
            RunStatus::Paused(stop) => match stop {
                Stop::Breakpoint(_)
                | Stop::Error(..)
                | Stop::ProfilesDiffer(_)
                | Stop::Recorded(_)
                | Stop::NotRecorded(_) => passes,
                Stop::Ask(_)
                | Stop::Child(_)
                | Stop::Pause
                | Stop::Memory(_)
                | Stop::Stuck
                | Stop::End => false,
                _ => true,
            },
            RunStatus::Past | RunStatus::Ready => true,
            _ => false,
        }
    }

    /// Remembers `before`, the frame that had the focus, if the run has now stopped in another frame. A key returns to
    /// the remembered frame.
    fn stopped(&mut self, before: Option<crate::interpreter::FrameId>) {
        let now = self.view.frames.last();
        let elsewhere = matches!(
            &self.view.header.status,
            RunStatus::Paused(Stop::Breakpoint(_) | Stop::Ask(_))
        );
        if let (Some(before), Some(now)) = (before, now)
            && before != now.frame
        {
            self.model.frame_before = Some(before);
            if elsewhere {
                let frame = &now.name;
                let text = format!("switched to {frame}; the key ' returns to the previous frame");
                self.model.say(text, Role::Info);
            }
        }
    }

    /// Handles Ctrl-C, which stops reading files, pauses the run, or closes popup and prompt. Ctrl-C pressed twice
    /// within two seconds quits.
    pub(super) fn interrupt(&mut self) {
        if self.give_up_reading() {
            return;
        }
        if self.is_at_work() || self.is_running() {
            self.queue.clear();
            self.apply(Command::Pause);
            return;
        }
        let now = Instant::now();
        let before = self.model.interrupted;
        let again = before.is_some_and(|at| now.duration_since(at) < Duration::from_secs(2));
        let popup = self.model.popup.as_ref();
        if again || popup.is_some_and(|popup| popup.leaves()) {
            self.effects.push(Effect::Quit);
            return;
        }
        self.model.popup = None;
        self.model.prompt = None;
        self.model.interrupted = Some(now);
        self.ask();
        self.model
            .say("press Ctrl-C again within 2 s to quit", Role::Info);
    }

    /// Draws the whole screen.
    pub fn draw(&mut self, frame: &mut Frame) {
        let mut model = std::mem::take(&mut self.model);
        scene!(self, scene);
        let token = model.play.and_then(|play| play.token(Instant::now()));
        model.panes.graph.put_token(token);
        self.layout = view::arrange(&self.view, &model, frame.area());
        view::draw(&scene, &mut model, &self.layout, frame.buffer_mut());
        let request = model.panes.graph.take_request();
        self.effects
            .extend(request.map(|request| Effect::LayOut(Box::new(request))));
        self.model = model;
    }

    /// Opens a popup.
    pub(super) fn open(&mut self, popup: impl Dialog + 'static) {
        self.model.prompt = None;
        self.model.popup = Some(Box::new(popup));
    }
}
