//! The main loop: waits for an input, handles it, advances the run for a few milliseconds and draws the screen. It is
//! idle while nothing happens.

use super::app::{App, Effect, Setup};
use super::command::launch::{Keeper, Kept};
use super::guard::{Guard, Screen, Watcher, restored};
use super::input::{Ending, Input, Inputs, Signal};
use super::model::Model;
use super::pane::DrawingRequest;
use super::reading::Job;
use super::record::Recorder;
use super::{editor, screen};
use crate::launch::{OwnWrites, Watch, watch};
use crate::session::Session;
use crate::source::store::{self, Readers, Replace, StoreError};
use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::Size;
use std::io::{self, IsTerminal as _};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum size of a screen that is drawn, in cells; each cell takes some hundred bytes.
const MOST_CELLS: u32 = 4 << 20;

/// Interval between two drawings of the screen while the run is in progress.
const FRAME: Duration = Duration::from_millis(33);

/// How long the loop waits for a background job before it shows a message; most jobs finish within this time.
const AT_ONCE: Duration = Duration::from_millis(20);

/// Maximum time for the loop to end after a signal asked it to end.
const PATIENCE: Duration = Duration::from_millis(300);
/// Additional time for saving the user's settings after the loop has ended.
const PATIENCE_WHILE_KEEPING: Duration = Duration::from_secs(3);
/// Maximum time to reset the terminal modes.
const PATIENCE_WITH_TERMINAL: Duration = Duration::from_millis(100);

/// The reason why the front end failed.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// Standard input or output is not a terminal.
    #[error("the debugger needs a terminal; without a terminal, use `asldbg run`")]
    NoTerminal,
    /// The terminal reported an error.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[source] io::Error),
    /// Drawing the screen failed for this reason.
    #[error("the screen cannot be drawn: {0}")]
    Draw(String),
    /// The terminal reports a screen with this number of columns and rows, which is more than the program can draw.
    #[error("the terminal reports {0}x{1} cells, more than the maximum of {MOST_CELLS}")]
    TooLarge(u16, u16),
}

/// Options of the front end.
#[derive(Default)]
pub struct Options {
    /// Settings of the app.
    pub setup: Setup,
    /// Initial state of the screen, such as focus and level of detail.
    pub model: Model,
    /// Editor command, in which `{file}` and `{line}` are replaced. If `None`, `$VISUAL` or `$EDITOR` is used.
    pub editor: Option<String>,
    /// True if the editor has its own window, so that the loop does not wait for the editor's end.
    pub editor_detached: bool,
    /// A function that returns true if the current panic will be caught. The terminal modes then stay set.
    pub panic_is_caught: Option<fn() -> bool>,
}

/// How the front end ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user quit.
    Quit,
    /// The operating system asked the program to end, or the terminal is gone.
    Signal(Ending),
}

/// Operations outside the program that the loop needs, such as the clipboard and the editor.
pub trait Host {
    /// Puts a text into the clipboard.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Opens a file in an editor, at a line; returns a message for the user, if any.
    ///
    /// # Errors
    /// If the terminal modes cannot be reset or set again.
    fn edit(&mut self, file: &Path, line: usize) -> io::Result<Option<String>>;
    /// Suspends the program until the shell continues it.
    ///
    /// # Errors
    /// If the terminal modes cannot be reset or set again.
    fn suspend(&mut self) -> io::Result<()>;
    /// Lets the terminal send mouse events to the program, or not.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    fn mouse(&mut self, on: bool) -> io::Result<()>;
    /// Watches these files instead of the previous ones; returns a message if the files cannot be watched.
    fn watch(&mut self, files: &[PathBuf]) -> Option<String>;
    /// Sets all terminal modes again after another program suspended and continued this program.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    fn retake(&mut self) -> io::Result<()>;
    /// Saves the user's settings; failures are ignored.
    fn keep(&mut self, kept: Kept);
}

/// The host that the program uses: the operating system and the terminal.
struct Outside {
    guard: Guard<Screen>,
    editor: Option<String>,
    editing: editor::Running,
    detached: bool,
    own_writes: OwnWrites,
    inputs: Sender<Input>,
    watching: Option<Watch>,
    keeper: Keeper,
}

impl Host for Outside {
    fn copy(&mut self, text: &str) -> io::Result<()> {
        use crossterm::clipboard::CopyToClipboard;
        crossterm::execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    fn edit(&mut self, file: &Path, line: usize) -> io::Result<Option<String>> {
        let command = match editor::command(self.editor.as_deref(), file, line) {
            Ok(command) => command,
            Err(problem) => return Ok(Some(problem)),
        };
        if self.detached {
            return Ok(editor::start(&command).err());
        }
        let edit = || editor::wait(&command, &self.editing).err();
        self.guard.released(|| restored(edit))
    }

    fn suspend(&mut self) -> io::Result<()> {
        use signal_hook::consts::SIGTSTP;
        self.guard
            .released(|| signal_hook::low_level::emulate_default_handler(SIGTSTP))?
    }

    fn mouse(&mut self, on: bool) -> io::Result<()> {
        self.guard.mouse(on)
    }

    fn watch(&mut self, files: &[PathBuf]) -> Option<String> {
        // If the files cannot be watched, Ctrl-r still reloads the definition.
        self.watching = None;
        let inputs = self.inputs.clone();
        let news = move || inputs.send(Input::FileChanged).is_ok();
        match watch(files, &self.own_writes, news) {
            Ok(watch) => self.watching = Some(watch),
            Err(error) => {
                return Some(format!(
                    "asldbg cannot watch the file for changes ({error}); Ctrl-r reads the file again"
                ));
            }
        }
        None
    }

    fn retake(&mut self) -> io::Result<()> {
        self.guard.released(|| ())
    }

    fn keep(&mut self, kept: Kept) {
        self.keeper.keep(kept);
    }
}

/// Debugs a session in the terminal until the user quits.
///
/// # Errors
/// If there is no terminal, or the terminal fails.
pub fn run(session: Session, options: Options) -> Result<Ended, TuiError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal);
    }
    match debug(session, options) {
        // If standard output is no longer a terminal, errors are expected, even at the start, and are not reported.
        Err(_) if !io::stdout().is_terminal() => Ok(Ended::Signal(Ending::HANG_UP)),
        ended => ended,
    }
}

/// Sets the terminal modes, runs the loop and resets the modes.
fn debug(session: Session, options: Options) -> Result<Ended, TuiError> {
    let mut inputs = Inputs::default();
    let model = options.model;
    // Signals are handled from here on, before any mode is set. Otherwise, a signal could end the program without
    // resetting the modes.
    let last_resort = LastResort::default();
    let listener = last_resort.clone();
    inputs
        .listen_to_signals(move |ending| listener.await_end(ending))
        .map_err(TuiError::Terminal)?;
    if let Ok((columns, rows)) = crossterm::terminal::size() {
        bearable(columns, rows)?;
    }
    let guard = Guard::take(Screen, model.mouse).map_err(TuiError::Terminal)?;
    last_resort.arm(guard.watcher());
    guard.on_panic(options.panic_is_caught.unwrap_or(|| false));
    inputs.listen_to_terminal().map_err(TuiError::Terminal)?;
    let backend = CrosstermBackend::new(io::BufWriter::with_capacity(1 << 16, io::stdout()));
    // The terminal object is never dropped: its `drop` would show the cursor, and would panic if the terminal is gone.
    // The guard shows the cursor instead.
    let mut terminal = ManuallyDrop::new(Terminal::new(backend).map_err(TuiError::Terminal)?);
    let mut outside = Outside {
        guard,
        editor: options.editor,
        editing: last_resort.editing.clone(),
        detached: options.editor_detached,
        own_writes: options.setup.workspace.own_writes(),
        inputs: inputs.sender(),
        watching: None,
        keeper: Keeper::default(),
    };
    if let Some(door) = &options.setup.door {
        let sender = inputs.sender();
        door.on_ring(move || {
            // Sending fails if the loop has ended. Nothing needs the input then.
            let _ = sender.send(Input::Visitors);
        });
    }
    let mut app = App::new(session, options.setup, model);
    let ended = go(&mut app, &mut terminal, &inputs, &mut outside);
    last_resort.ends();
    outside.keeper.keep(app.kept());
    outside.keeper.finish();
    let given = outside.guard.give().map_err(TuiError::Terminal);
    match ended {
        // If the terminal is gone, errors are expected and not reported.
        Ok(Ended::Signal(_)) => ended,
        _ if !io::stdout().is_terminal() => Ok(Ended::Signal(Ending::HANG_UP)),
        _ => given.and(ended),
    }
}

/// Ends the program if a signal asked it to end and the loop does not react.
#[derive(Clone, Default)]
struct LastResort {
    /// True once the loop has ended by itself. The program then only has to save the settings.
    ended: Arc<AtomicBool>,
    watcher: Arc<OnceLock<Watcher<Screen>>>,
    /// The editor that uses the terminal while the loop waits for it.
    editing: editor::Running,
}

impl LastResort {
    fn arm(&self, watcher: Watcher<Screen>) {
        // The watcher is set only once, when the loop starts.
        let _ = self.watcher.set(watcher);
    }

    fn ends(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Waits until the loop has had time to end. If terminal modes are still set after that, resets them and ends the
    /// program.
    fn await_end(&self, ending: Ending) {
        thread::sleep(PATIENCE);
        // If the loop waits for an editor, the editor is ended, so that the loop can continue.
        for force in [editor::Force::Ask, editor::Force::Kill] {
            if self.editing.end(force) {
                thread::sleep(PATIENCE);
            }
        }
        if self.ended.load(Ordering::Relaxed) {
            thread::sleep(PATIENCE_WHILE_KEEPING);
        }
        let Some(watcher) = self.watcher.get().cloned() else {
            return;
        };
        // If no terminal mode is set any more, the loop has reset the terminal and will end the program.
        if !watcher.holds_modes() {
            return;
        }
        // Resets the modes on another thread, so that a terminal that accepts no output cannot delay the end of the
        // program.
        let (done, given) = channel();
        let giving = thread::Builder::new().spawn(move || {
            watcher.give();
            done.send(())
        });
        if giving.is_ok() {
            let _ = given.recv_timeout(PATIENCE_WITH_TERMINAL);
        }
        store::abandon();
        std::process::exit(i32::from(ending.status()));
    }
}

/// Returns an error if the screen is too large to be drawn.
fn bearable(columns: u16, rows: u16) -> Result<(), TuiError> {
    match u32::from(columns) * u32::from(rows) > MOST_CELLS {
        true => Err(TuiError::TooLarge(columns, rows)),
        false => Ok(()),
    }
}

/// Size of the screen; an error if the screen is too large to be drawn.
fn size_of<B: Backend>(terminal: &Terminal<B>) -> Result<Size, TuiError> {
    let size = terminal.size();
    let size = size.map_err(|error| TuiError::Draw(error.to_string()))?;
    bearable(size.width, size.height)?;
    Ok(size)
}

/// Runs the main loop, with any kind of terminal and host, until the front end ends.
///
/// # Errors
/// If the screen or the host fails.
pub fn go<B: Backend>(
    app: &mut App,
    terminal: &mut Terminal<B>,
    inputs: &Inputs,
    host: &mut dyn Host,
) -> Result<Ended, TuiError> {
    let mut drawn: Option<Instant> = None;
    // True if executions of clients have changed since the screen was last drawn. The next drawing shows all these
    // changes.
    let mut is_news = false;
    let mut recorder: Option<Recorder> = None;
    // The effects of the start, such as watching files, are performed at once and do not wait for a key.
    if perform_all(app, terminal, inputs, host, &mut recorder)? {
        return Ok(Ended::Quit);
    }
    loop {
        let waits = is_news || app.is_busy();
        let due = !waits || drawn.is_none_or(|at| at.elapsed() >= FRAME);
        if due {
            is_news = false;
            size_of(terminal)?;
            let shown = terminal
                .draw(|frame| app.draw(frame))
                .map_err(|error| TuiError::Draw(error.to_string()))?;
            let recorded = recorder
                .as_mut()
                .map(|recorder| recorder.frame(shown.buffer));
            if let Some(Err(error)) = recorded {
                recorder = None;
                app.warn(&format!("the recording of the screen ends here: {error}"));
            }
            drawn = Some(Instant::now());
            if perform_all(app, terminal, inputs, host, &mut recorder)? {
                return Ok(Ended::Quit);
            }
        }
        let patience = if app.is_busy() {
            Some(Duration::ZERO)
        } else if is_news {
            drawn.map(|at| FRAME.saturating_sub(at.elapsed()))
        } else {
            app.deadline()
                .map(|at| at.saturating_duration_since(Instant::now()))
        };
        let input = match inputs.next(patience) {
            Some(input) => Some(input),
            None if is_news || app.is_busy() => None,
            None => Some(Input::Deadline),
        };
        if let Some(input) = &input {
            if *input == Input::Signal(Signal::Continue) {
                host.retake().map_err(TuiError::Terminal)?;
            }
            app.input(input.clone());
            match input {
                Input::Visitors => is_news = true,
                _ => drawn = None,
            }
        }
        // One call of `slice` completes most commands, so the run has usually stopped when the next typed key is
        // handled. Runs in the background do not advance until the screen shows the effect of the last key.
        if app.is_at_work() || (drawn.is_some() && app.is_busy()) {
            app.slice();
        }
        if perform_all(app, terminal, inputs, host, &mut recorder)? {
            return Ok(match input {
                Some(Input::Signal(Signal::End(ending))) => Ended::Signal(ending),
                Some(Input::Closed) => Ended::Signal(Ending::HANG_UP),
                _ => Ended::Quit,
            });
        }
        // From here on, the next key may be read. One of the effects performed above may have started an editor, which
        // had to read the keys itself.
        if let Some(input) = &input {
            inputs.done(input);
        }
    }
}

/// Performs all effects that the app has requested. Returns true if one of them is to quit.
fn perform_all<B: Backend>(
    app: &mut App,
    terminal: &mut Terminal<B>,
    inputs: &Inputs,
    host: &mut dyn Host,
    recorder: &mut Option<Recorder>,
) -> Result<bool, TuiError> {
    // `Terminal::clear` would ask the terminal for the cursor position, and the answer would go to the thread that
    // reads keys.
    let clear = |terminal: &mut Terminal<B>| {
        let size = size_of(terminal)?;
        let resized = terminal.resize(size.into());
        resized.map_err(|error| TuiError::Draw(error.to_string()))
    };
    for effect in app.effects() {
        match effect {
            Effect::Quit => return Ok(true),
            Effect::LayOut(request) => lay_out(*request, inputs.sender()),
            Effect::Read => {
                if let Some(job) = app.job() {
                    read(job, inputs.sender()).map_err(TuiError::Terminal)?;
                    app.await_read(AT_ONCE);
                }
            }
            Effect::Record(file) => record(file, app, recorder),
            Effect::Keep => host.keep(app.kept()),
            Effect::Copy(text) => host.copy(&text).map_err(TuiError::Terminal)?,
            Effect::Mouse(on) => host.mouse(on).map_err(TuiError::Terminal)?,
            Effect::Redraw => clear(terminal)?,
            Effect::Suspend => {
                host.suspend().map_err(TuiError::Terminal)?;
                clear(terminal)?;
            }
            Effect::Edit { file, line } => {
                let problem = host.edit(&file, line).map_err(TuiError::Terminal)?;
                problem.into_iter().for_each(|problem| app.warn(&problem));
                clear(terminal)?;
            }
            Effect::Watch(files) => {
                let problem = host.watch(&files);
                problem.into_iter().for_each(|problem| app.warn(&problem));
            }
            Effect::WriteScreen(file) => {
                let frame = terminal
                    .draw(|frame| app.draw(frame))
                    .map_err(|error| TuiError::Draw(error.to_string()))?;
                let written = screen::write(frame.buffer, &file);
                say_written(app, written, &file);
            }
            Effect::WriteText(file, text) => {
                let (nothing, readers) = (Replace::Nothing, Readers::Default);
                let written = store::write(&file, text.as_bytes(), nothing, readers);
                say_written(app, written, &file);
            }
            Effect::Rewrite(file, text) => {
                let (regular, readers) = (Replace::Regular, Readers::Default);
                let written = store::write(&file, text.as_bytes(), regular, readers);
                if let Err(error) = written {
                    app.warn(&error.to_string());
                }
            }
        }
    }
    Ok(false)
}

fn say_written(app: &mut App, written: Result<(), StoreError>, file: &Path) {
    match written {
        Ok(()) => app.inform(&format!("wrote {file}", file = file.display())),
        Err(error) => app.warn(&error.to_string()),
    }
}

/// Starts a recording of the screen, or ends the recording in progress.
fn record(file: Option<PathBuf>, app: &mut App, recorder: &mut Option<Recorder>) {
    match file {
        None if recorder.take().is_some() => app.inform("the recording of the screen is written"),
        None => app.warn(
            "the screen is not being recorded; type \"record FILE.cast\" to start a recording",
        ),
        Some(_) if recorder.is_some() => {
            app.warn(
                "the screen is already being recorded; type \"record\" without a file name to stop",
            );
        }
        Some(file) => match Recorder::begin(&file) {
            Ok(begun) => {
                *recorder = Some(begun);
                app.inform(&format!(
                    "recording the screen into {file}",
                    file = file.display()
                ));
            }
            Err(error) => app.warn(&format!(
                "cannot record the screen into {file}: {error}",
                file = file.display()
            )),
        },
    }
}

/// Runs a job on a separate thread, because it may wait for a slow disk.
fn read(job: Job<App>, inputs: Sender<Input>) -> io::Result<()> {
    let reader = thread::Builder::new().name("reader".into());
    reader
        .spawn(move || {
            job.run();
            // Sending fails if the loop has ended. Nothing needs the result then.
            let _ = inputs.send(Input::Read);
        })
        .map(drop)
}

/// Makes a drawing of the graph on a separate thread. If no thread can be started, makes the drawing at once.
fn lay_out(request: DrawingRequest, inputs: Sender<Input>) {
    let (sent, answers) = (request.clone(), inputs.clone());
    let made = move || {
        // Sending fails if the loop has ended. Nothing needs the drawing then.
        let _ = answers.send(Input::Drawing(sent.make()));
    };
    if thread::Builder::new()
        .name("graph".into())
        .spawn(made)
        .is_err()
    {
        let _ = inputs.send(Input::Drawing(request.make()));
    }
}
