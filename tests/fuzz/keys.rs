//! Fuzzes the real front end on a screen in memory with keys, resizes, clicks, pastes and changes of the file.
//!
//! A text is a script of lines: `key K…`, `type TEXT`, `line TEXT`, `paste TEXT`, `size W H`, `mouse KIND X Y`, `save
//! SAMPLE`, `cut N`; any other line is typed.

use super::mutate::Stock;
use super::support::{read, root};
use asldbg::launch::{LaunchConfig, Project};
use asldbg::tui::input::Input;
use asldbg::tui::keymap::Key;
use asldbg::tui::model::Model;
use asldbg::tui::{App, Effect, Setup, screen};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of script lines to play.
const STEPS: usize = 40;
/// Maximum number of times that the app works for a few milliseconds after a script line. An endless run continues
/// after the next lines.
const SLICES: usize = 20;

const SAMPLES: [&str; 6] = ["order", "fanout", "saga", "readings", "nested", "cart"];

/// A temporary folder for each thread.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("asldbg-keys-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Copies a definition and the files next to it; deletes files that an earlier script wrote.
    fn fresh(&self, name: &str) -> PathBuf {
        for entry in std::fs::read_dir(&self.0).unwrap() {
            let path = entry.unwrap().path();
            drop(std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path)));
        }
        for part in ["input", "mock"] {
            let beside = read(format!("samples/{name}.{part}.json"));
            std::fs::write(self.0.join(format!("fuzz.{part}.json")), beside).unwrap();
        }
        let file = self.0.join("fuzz.asl.json");
        std::fs::write(&file, text_of(name)).unwrap();
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

thread_local! {
    static FOLDER: RefCell<Folder> = RefCell::new(Folder::new());
}

fn text_of(name: &str) -> String {
    read(format!("samples/{name}.asl.json"))
}

pub(crate) fn stock() -> Stock {
    let mut seeds = Vec::new();
    for script in read("tests/tui/keys.txt").split("\n## ") {
        let steps = script.lines().skip(1);
        let steps = steps.filter(|line| !line.starts_with("see ") && !line.starts_with("not "));
        let steps = steps.filter(|line| !line.starts_with("effect ") && !line.is_empty());
        // Lines that contain a path are left out: they name files of the repository, which the fuzzer must not change.
        let steps = steps.filter(|line| !line.contains('/'));
        seeds.push(steps.map(|line| format!("{line}\n")).collect());
    }
    let more = [
        "size 80 24\nkey n n c\nsize 20 5\nkey s s\nsize 1 1\nsize 300 90\nkey c\n",
        "mouse down 10 10\nmouse up 12 10\nmouse drag 30 20\nmouse scroll 40 20\nkey c\nmouse down 100 5\n",
        "key c\nsave fanout\nkey c\nsave saga\nkey Ctrl-r\nkey C\ncut 400\nkey c\nsave order\n",
        "key c\nkey e\ntype {\"a\": 1}\nkey Enter\nkey c\nkey Esc\npaste {\"b\": [1,2,3]}\n",
        "key W\nkey H\nkey t\nkey Tab\nkey Enter\nkey +\nkey -\nkey Space\nkey ?\nkey Esc\n",
    ];
    seeds.extend(more.map(str::to_string));
    Stock::new(seeds, "keys")
}

struct Played {
    app: App,
    terminal: Terminal<TestBackend>,
    file: PathBuf,
}

pub(crate) fn play(script: &str) -> bool {
    FOLDER.with_borrow(|folder| {
        let name = SAMPLES[script.len() % SAMPLES.len()];
        let file = folder.fresh(name);
        let config = LaunchConfig {
            fresh: true,
            ..LaunchConfig::of(&file)
        };
        let mut project = Project::open(config).unwrap();
        let begun = project.begin().unwrap();
        let setup = Setup {
            workspace: Box::new(project),
            origin: begun.origin,
            ascii: script.len().is_multiple_of(5),
            ..Setup::default()
        };
        let mut played = Played {
            app: App::new(begun.session, setup, Model::default()),
            terminal: Terminal::new(TestBackend::new(100, 30)).unwrap(),
            file,
        };
        played.settle();
        played.draw();
        let mut pressed = false;
        for line in script.lines().take(STEPS) {
            pressed |= played.step(line);
            played.draw();
        }
        pressed
    })
}

impl Played {
    fn input(&mut self, input: Input) {
        self.app.input(input);
        self.settle();
    }

    /// Lets the app work for a few milliseconds, at most `SLICES` times, and completes its jobs and layouts.
    fn settle(&mut self) {
        for _ in 0..SLICES {
            if !self.app.slice() {
                break;
            }
        }
        let mut effects = self.app.effects();
        while let Some(job) = self.app.job() {
            job.run();
            self.app.input(Input::Read);
            effects.extend(self.app.effects());
        }
        for effect in effects {
            if let Effect::LayOut(request) = effect {
                self.app.input(Input::Drawing(request.make()));
            }
        }
    }

    /// Draws, and checks that no control character is on the screen.
    fn draw(&mut self) {
        self.terminal.draw(|frame| self.app.draw(frame)).unwrap();
        let shown = screen::text(self.terminal.backend().buffer());
        assert!(
            shown.chars().all(|c| c == '\n' || !c.is_control()),
            "{shown:?}"
        );
    }

    fn typed(&mut self, text: &str) {
        for c in text.chars().take(60) {
            self.input(Input::Key(KeyEvent::new(
                KeyCode::Char(c),
                KeyModifiers::NONE,
            )));
        }
    }

    /// Plays a line of a script; returns false if the line is not a known step.
    fn step(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut numbers = rest.split(' ').filter_map(|word| word.parse::<u16>().ok());
        let mut next = || numbers.next().unwrap_or(1);
        match word {
            "key" => {
                for key in rest
                    .split(' ')
                    .take(6)
                    .filter_map(|key| key.parse::<Key>().ok())
                {
                    self.input(Input::Key(key.event()));
                }
            }
            "line" => {
                let colon = ":".parse::<Key>().unwrap();
                let enter = "Enter".parse::<Key>().unwrap();
                self.input(Input::Key(colon.event()));
                self.typed(rest);
                self.input(Input::Key(enter.event()));
            }
            "paste" => self.input(Input::Paste(rest.to_owned())),
            "size" => {
                let (width, height) = (next().clamp(1, 300), next().clamp(1, 100));
                self.terminal.backend_mut().resize(width, height);
                self.input(Input::Resize(width, height));
            }
            "mouse" => {
                let kind = match rest.split(' ').next() {
                    Some("up") => MouseEventKind::Up(MouseButton::Left),
                    Some("drag") => MouseEventKind::Drag(MouseButton::Left),
                    Some("right") => MouseEventKind::Down(MouseButton::Right),
                    Some("scroll") => MouseEventKind::ScrollDown,
                    _ => MouseEventKind::Down(MouseButton::Left),
                };
                let (column, row) = (next(), next());
                let modifiers = KeyModifiers::NONE;
                self.input(Input::Mouse(MouseEvent {
                    kind,
                    column,
                    row,
                    modifiers,
                }));
            }
            "save" if root().join(format!("samples/{rest}.asl.json")).is_file() => {
                self.write(&text_of(rest));
            }
            "cut" => {
                let text = std::fs::read_to_string(&self.file).unwrap_or_default();
                let end = text
                    .char_indices()
                    .map(|(at, _)| at)
                    .nth(usize::from(next()));
                self.write(&text[..end.unwrap_or(text.len())]);
            }
            _ => {
                self.typed(line);
                return false;
            }
        }
        true
    }

    fn write(&mut self, text: &str) {
        std::fs::write(&self.file, text).unwrap();
        self.input(Input::FileChanged);
    }
}
