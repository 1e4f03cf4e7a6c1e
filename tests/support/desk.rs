//! Drives the front end on the files of a folder or on a copy of them: presses keys and reads the screen.

#![allow(clippy::expect_used, reason = "a test that fails panics")]

use asldbg::launch::{LaunchConfig, Project};
use asldbg::session::Session;
use asldbg::tui::input::Input;
use asldbg::tui::keymap::Key;
use asldbg::tui::layout::Place;
use asldbg::tui::model::Model;
use asldbg::tui::{App, Effect, Setup, screen};
use libtest_mimic::Failed;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::layout::Rect;
use std::path::{Path, PathBuf};

/// The folders of `tests/faults` with the names of their definitions, in order.
#[allow(dead_code, reason = "not every suite goes through them")]
pub(crate) fn faults() -> Vec<(PathBuf, String)> {
    let paths = super::files("tests/faults", "").into_iter();
    let folders = paths.filter(|path| path.is_dir());
    folders.map(|path| (path.clone(), name_of(&path))).collect()
}

/// The folder of the samples with the name of each definition, in order.
#[allow(dead_code, reason = "not every suite goes through them")]
pub(crate) fn samples() -> Vec<(PathBuf, String)> {
    let names = super::files("samples", ".asl.json")
        .into_iter()
        .filter_map(|path| {
            let name = name_of(&path);
            let name = name.strip_suffix(".asl.json")?;
            Some((path.parent()?.to_owned(), name.to_owned()))
        });
    names.collect()
}

#[allow(dead_code, reason = "not every suite goes through them")]
fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

/// Copies a folder with its contents.
fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let copy = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy_all(&path, &copy)?,
            false => drop(std::fs::copy(&path, &copy)?),
        }
    }
    Ok(())
}

/// A setup that draws with characters of ASCII.
pub(crate) fn plain() -> Setup {
    Setup {
        ascii: true,
        ..Setup::default()
    }
}

/// The front end with an open definition.
pub(crate) struct Desk {
    app: App,
    terminal: Terminal<TestBackend>,
    definition: PathBuf,
    /// The copy of the folder; `None` if the files themselves are open.
    copy: Option<PathBuf>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        drop(self.copy.take().map(std::fs::remove_dir_all));
    }
}

impl Desk {
    pub(crate) fn open(
        folder: &Path,
        name: &str,
        (columns, rows): (u16, u16),
    ) -> Result<Self, Failed> {
        Self::with(folder, name, (columns, rows), plain())
    }

    /// Opens a copy of the folder with this setup of the front end.
    pub(crate) fn with(
        folder: &Path,
        name: &str,
        (columns, rows): (u16, u16),
        setup: Setup,
    ) -> Result<Self, Failed> {
        let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
        let folder_name = format!(
            "asldbg-fault-{name}-{columns}-{}-{thread}",
            std::process::id()
        );
        let copy = std::env::temp_dir().join(folder_name);
        copy_all(folder, &copy)?;
        let definition = copy.join(format!("{name}.asl.json"));
        Self::on(definition, Some(copy), (columns, rows), setup)
    }

    /// Opens the files themselves instead of a copy; for a suite that changes no files.
    #[allow(dead_code, reason = "not every suite leaves the files alone")]
    pub(crate) fn in_place(
        folder: &Path,
        name: &str,
        size: (u16, u16),
        setup: Setup,
    ) -> Result<Self, Failed> {
        Self::on(folder.join(format!("{name}.asl.json")), None, size, setup)
    }

    fn on(
        definition: PathBuf,
        copy: Option<PathBuf>,
        (columns, rows): (u16, u16),
        setup: Setup,
    ) -> Result<Self, Failed> {
        let config = LaunchConfig {
            fresh: true,
            ..LaunchConfig::of(&definition)
        };
        let mut project = Project::open(config).map_err(|error| error.to_string())?;
        let begun = project.begin().map_err(|error| error.to_string())?;
        let setup = Setup {
            origin: begun.origin,
            workspace: Box::new(project),
            ..setup
        };
        let mut desk = Self {
            app: App::new(begun.session, setup, Model::default()),
            terminal: Terminal::new(TestBackend::new(columns, rows))?,
            definition,
            copy,
        };
        desk.settle();
        Ok(desk)
    }

    /// Lets the front end finish its work, and draws the screen.
    pub(crate) fn settle(&mut self) {
        self.work();
        self.draw();
        // Drawing may start more work.
        for _ in 0..1_000 {
            if !self.work() {
                return;
            }
            self.draw();
        }
        panic!("the program never settles");
    }

    /// Does the front end's pending pieces of work, jobs and rewrites of files until none is left; returns true if
    /// there were any.
    fn work(&mut self) -> bool {
        let mut worked = self.app.is_busy();
        for _ in 0..100_000 {
            if !self.app.slice() {
                break;
            }
        }
        while let Some(job) = self.app.job() {
            job.run();
            self.app.input(Input::Read);
            while self.app.slice() {}
            worked = true;
        }
        for effect in self.app.effects() {
            if let Effect::Rewrite(file, text) = effect {
                assert!(self.copy.is_some(), "{} is no copy", file.display());
                std::fs::write(file, text).expect("written");
                self.app.input(Input::FileChanged);
                worked = true;
            }
        }
        worked
    }

    pub(crate) fn draw(&mut self) {
        self.terminal
            .draw(|frame| self.app.draw(frame))
            .expect("drawn");
    }

    /// Presses a key, or types a command and presses Enter; nothing is drawn before the last key.
    pub(crate) fn press(&mut self, key: &str) {
        if key.len() > 1 && key.starts_with(':') {
            for letter in key.chars() {
                // A blank in a command is written as an underscore.
                let blank = letter == '_';
                self.key(&if blank {
                    "Space".to_owned()
                } else {
                    letter.to_string()
                });
            }
            self.key("Enter");
        } else {
            self.key(key);
        }
        self.settle();
    }

    /// Presses a key without drawing the screen.
    pub(crate) fn key(&mut self, name: &str) {
        let key: Key = name
            .parse()
            .unwrap_or_else(|_| panic!("no key is named {name}"));
        self.app.input(Input::Key(key.event()));
    }

    /// Runs a command line, given without the `:` before it.
    #[allow(dead_code, reason = "not every suite runs any")]
    pub(crate) fn command(&mut self, line: &str) {
        self.app.line(line.trim_start_matches(':'));
        self.settle();
    }

    pub(crate) fn reload(&mut self, change: &str) {
        let (from, to) = change.split_once(" => ").expect("FROM => TO");
        let text = std::fs::read_to_string(&self.definition).expect("the definition");
        assert!(text.contains(from), "{from} is not in the definition");
        std::fs::write(&self.definition, text.replacen(from, to, 1)).expect("written");
        self.app.input(Input::FileChanged);
        self.settle();
    }

    pub(crate) fn session(&self) -> &Session {
        self.app.session()
    }

    /// Number of recorded events, and the number of the current one.
    pub(crate) fn events(&self) -> (u64, u64) {
        let session = self.app.session();
        (session.event_count(), session.event_number())
    }

    pub(crate) fn text(&self) -> String {
        screen::text(self.terminal.backend().buffer())
    }

    /// The positions of the panes.
    #[allow(dead_code, reason = "not every suite asks for them")]
    pub(crate) fn places(&self) -> &[Place] {
        &self.app.layout().panes
    }

    /// The rows of an area of the screen.
    #[allow(dead_code, reason = "not every suite asks for them")]
    pub(crate) fn rows_of(&self, area: Rect) -> Vec<String> {
        let buffer = self.terminal.backend().buffer();
        let [width, left, right] = [buffer.area.width, area.left(), area.right()].map(usize::from);
        let rows = buffer.content.chunks(width.max(1));
        let rows = rows.skip(area.top().into()).take(area.height.into());
        let row = |cells: &[Cell]| {
            let mut text = String::new();
            for cell in cells.get(left..right).unwrap_or_default() {
                text.push_str(cell.symbol());
            }
            text
        };
        rows.map(row).collect()
    }

    /// The first and the last row of the screen.
    #[allow(dead_code, reason = "not every suite asks for them")]
    pub(crate) fn edges(&self) -> [String; 2] {
        let area = self.terminal.backend().buffer().area;
        [0, area.height - 1].map(|y| {
            self.rows_of(Rect {
                y,
                height: 1,
                ..area
            })
            .concat()
        })
    }

    /// The area of the tour on the screen.
    #[allow(dead_code, reason = "not every suite asks for it")]
    pub(crate) fn tour(&self) -> Rect {
        self.app.layout().tour
    }

    /// The model, which has the progress of the tour.
    #[allow(dead_code, reason = "not every suite asks for it")]
    pub(crate) fn model(&self) -> &Model {
        self.app.model()
    }

    /// The text of the banner.
    #[allow(dead_code, reason = "not every suite asks for it")]
    pub(crate) fn banner(&self) -> String {
        self.rows_of(self.app.layout().banner).join(" ")
    }
}
