//! Starts the user's editor, only on request. A file name can never act as an option or a shell command.

use crate::json::visible;
use crate::target::words;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// A program to start, followed by its arguments.
pub type Words = Vec<String>;

/// The command that opens `file` at `line`. It is `template` with `{file}` and `{line}` replaced; without a template,
/// `$VISUAL` or else `$EDITOR`.
///
/// # Errors
///
/// If no editor is configured, or the file name cannot be passed on safely.
pub fn command(template: Option<&str>, file: &Path, line: usize) -> Result<Words, String> {
    let variable = |name| {
        std::env::var(name)
            .ok()
            .filter(|text: &String| !text.trim().is_empty())
    };
    let given = template.map(str::to_owned);
    let text = given
        .or_else(|| variable("VISUAL"))
        .or_else(|| variable("EDITOR"))
        .ok_or("no editor is configured: set $VISUAL or $EDITOR")?;
    fill(&text, &plain_path(file)?, line)
}

/// The absolute path of the file, which begins with `/`. An editor can thus not mistake the path for an option (`-`) or
/// a command (`+`).
fn plain_path(file: &Path) -> Result<String, String> {
    let whole = std::path::absolute(file).map_err(|error| {
        format!(
            "the path of {file} was not found: {error}",
            file = file.display()
        )
    })?;
    match whole.to_str() {
        Some(path) if visible(path) == path => Ok(path.to_owned()),
        _ => {
            let path = visible(&whole.to_string_lossy()).into_owned();
            Err(format!(
                "the name of {path} has characters that cannot be passed to an editor: rename the file"
            ))
        }
    }
}

/// True if no character of a text has a special meaning in a shell or in an editor's arguments.
fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || "/._-+=@%,:".contains(c))
}

fn fill(text: &str, file: &str, line: usize) -> Result<Words, String> {
    let (words, _) = words(text);
    let has_file = words.iter().any(|word| word.contains("{file}"));
    let is_program = |word: &String| {
        word.contains("{file}") && !is_plain(&word.replace("{file}", "").replace("{line}", ""))
    };
    if words.iter().any(is_program) && !is_plain(file) {
        return Err(format!(
            "asldbg did not run the editor's command, because the command could misread part of the file name {file}; write {{file}} as a separate argument of the command"
        ));
    }
    let program = words.first().map_or("", String::as_str);
    let name = program.rsplit('/').next().unwrap_or(program).to_owned();
    let mut filled: Words = words
        .iter()
        .map(|word| {
            word.replace("{line}", &line.to_string())
                .replace("{file}", file)
        })
        .collect();
    if has_file {
        return Ok(filled);
    }
    match name.as_str() {
        "code" | "codium" | "cursor" => {
            filled.extend(["--goto".to_owned(), format!("{file}:{line}")])
        }
        "hx" | "helix" | "subl" | "zed" => filled.push(format!("{file}:{line}")),
        "vi" | "vim" | "nvim" | "view" | "gvim" | "nano" | "emacsclient" => {
            filled.extend([format!("+{line}"), "--".to_owned(), file.to_owned()]);
        }
        "emacs" | "kak" | "micro" | "joe" | "ne" => {
            filled.extend([format!("+{line}"), file.to_owned()]);
        }
        _ => filled.push(file.to_owned()),
    }
    Ok(filled)
}

fn build(words: &Words) -> Result<Command, String> {
    let (program, arguments) = words.split_first().ok_or("the editor's command is empty")?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// The editor that is running on this terminal, if any; another thread can end it.
#[derive(Clone, Debug, Default)]
pub struct Running(Arc<Mutex<Option<Pid>>>);

/// How to end the process of an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// Ask the editor to end, so that it can clean up.
    Ask,
    /// End the editor immediately.
    Kill,
}

impl Running {
    fn set(&self, process: Option<Pid>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = process;
    }

    /// Ends the running editor; returns false if no editor is running.
    pub fn end(&self, force: Force) -> bool {
        let process = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let signal = match force {
            Force::Ask => Signal::TERM,
            Force::Kill => Signal::KILL,
        };
        process.is_some_and(|process| kill_process(process, signal).is_ok())
    }
}

/// Runs the editor on this terminal and waits for its end.
///
/// # Errors
/// If the editor cannot be started or fails.
pub fn wait(words: &Words, running: &Running) -> Result<(), String> {
    let mut child = build(words)?
        .spawn()
        .map_err(|error| refused(words, &error))?;
    running.set(Some(Pid::from_child(&child)));
    let status = child.wait();
    running.set(None);
    let status = status.map_err(|error| refused(words, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the editor ended with {status}"))
    }
}

/// Starts the editor without the terminal and does not wait.
///
/// # Errors
/// If the editor cannot be started.
pub fn start(words: &Words) -> Result<(), String> {
    let mut child = build(words)?
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| refused(words, &error))?;
    // Waits for the editor's end in the background, so that no zombie process remains.
    std::thread::spawn(move || child.wait());
    Ok(())
}

fn refused(words: &Words, error: &std::io::Error) -> String {
    let program = words.first().map_or("", String::as_str);
    format!("cannot start the editor {program}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_get_the_line_as_they_like_it() {
        let line = |text: &str| fill(text, "/a b.json", 7).expect("plain").join("|");
        assert_eq!(line("nvim"), "nvim|+7|--|/a b.json");
        assert_eq!(line("/usr/bin/vim -f"), "/usr/bin/vim|-f|+7|--|/a b.json");
        assert_eq!(line("emacs"), "emacs|+7|/a b.json");
        assert_eq!(line("code --wait"), "code|--wait|--goto|/a b.json:7");
        assert_eq!(line("ed"), "ed|/a b.json");
        assert_eq!(
            line("nvim --server '/tmp/my socket' --remote +{line} {file}"),
            "nvim|--server|/tmp/my socket|--remote|+7|/a b.json"
        );
        assert_eq!(line("code -g {file}:{line}"), "code|-g|/a b.json:7");
    }

    #[test]
    fn a_name_is_never_more_than_a_name() {
        for name in ["+!touch x", "-c", "--cmd=x", "+q", "-"] {
            let path = plain_path(Path::new(name)).expect("a path");
            assert!(path.starts_with('/') && path.ends_with(name), "{path}");
        }
        for name in ["a\u{1b}[31m", "a\nb", "a\u{202e}b"] {
            assert!(plain_path(Path::new(name)).is_err_and(|text| !text.contains(name)));
        }
        let shell = "sh -c 'vi {file}'";
        assert_eq!(
            fill(shell, "/a.json", 7).map(|words| words.join("|")),
            Ok("sh|-c|vi /a.json".to_owned())
        );
        for name in ["/a;touch x", "/$(x)", "/a b", "/a'b", "/a\"b", "/a`x`"] {
            assert!(fill(shell, name, 7).is_err(), "{name}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let words = vec!["asldbg-no-such-editor".to_owned()];
        assert!(
            wait(&words, &Running::default())
                .is_err_and(|text| text.contains("asldbg-no-such-editor"))
        );
        assert!(wait(&Vec::new(), &Running::default()).is_err());
    }
}
