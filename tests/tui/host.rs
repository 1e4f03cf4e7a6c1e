//! Runs the front end's loop with a host that only records the requests it receives.

use super::Screen;
use asldbg::tui::Kept;
use asldbg::tui::input::{Ending, Input, Inputs, Signal};
use asldbg::tui::keymap::Key;
use asldbg::tui::run::{Ended, Host, go};
use std::path::{Path, PathBuf};

#[derive(Default)]
struct Fake(Vec<String>);

impl Host for Fake {
    fn copy(&mut self, text: &str) -> std::io::Result<()> {
        self.0.push(format!("copy {text}"));
        Ok(())
    }
    fn edit(&mut self, file: &Path, line: usize) -> std::io::Result<Option<String>> {
        let name = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        self.0.push(format!("edit {name}:{line}"));
        Ok(Some("no editor here".into()))
    }
    fn suspend(&mut self) -> std::io::Result<()> {
        self.0.push("suspend".into());
        Ok(())
    }
    fn mouse(&mut self, on: bool) -> std::io::Result<()> {
        self.0.push(format!("mouse {on}"));
        Ok(())
    }
    fn watch(&mut self, files: &[PathBuf]) -> Option<String> {
        self.0.push(format!("watch {}", files.len()));
        None
    }
    fn retake(&mut self) -> std::io::Result<()> {
        self.0.push("retake".into());
        Ok(())
    }
    fn keep(&mut self, _: Kept) {
        self.0.push("keep".into());
    }
}

#[test]
fn the_loop_ends_by_key_and_by_signal() {
    let looped = |inputs: &[Input]| {
        let mut screen = Screen::new(Some("Happy"));
        let channel = Inputs::default();
        for input in inputs {
            channel.sender().send(input.clone()).expect("sent");
        }
        let mut host = Fake::default();
        let ended = go(&mut screen.app, &mut screen.terminal, &channel, &mut host);
        (ended.expect("no error"), host.0.join(", "))
    };
    let key = |text: &str| Input::Key(text.parse::<Key>().expect("a key").event());
    let keys = |text: &str| text.split(' ').map(key).collect::<Vec<_>>();
    assert_eq!(
        looped(&keys("n 2 E M Ctrl-z 3 q y")),
        (
            Ended::Quit,
            "edit order.asl.json:5, mouse true, suspend".into()
        )
    );
    assert_eq!(
        looped(&[Input::Signal(Signal::End(Ending::by(libc::SIGTERM)))]),
        (Ended::Signal(Ending::by(libc::SIGTERM)), String::new())
    );
    assert_eq!(looped(&[Input::Closed]).0, Ended::Signal(Ending::HANG_UP));
    assert_eq!(looped(&keys("Ctrl-c Ctrl-c")).0, Ended::Quit);
    assert_eq!(
        looped(&[
            Input::Signal(Signal::Continue),
            Input::Signal(Signal::End(Ending::by(libc::SIGQUIT)))
        ])
        .1,
        "retake"
    );
}
