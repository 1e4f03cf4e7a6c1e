//! A person's editor, started only when a person asks for it.
//!
//! It must not know the terminal's modes.

use std::path::Path;
use std::process::{Command, Stdio};

/// A program with its arguments.
pub type Words = Vec<String>;

/// The command that opens `file` at `line`: `template` with `{file}` and `{line}` filled in, else `$VISUAL`, else `$EDITOR`.
///
/// # Errors
/// Where no editor is set.
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
        .ok_or("set $VISUAL or $EDITOR to use this")?;
    Ok(fill(&text, &file.display().to_string(), line))
}

fn fill(text: &str, file: &str, line: usize) -> Words {
    let words = split(text);
    let has_file = words.iter().any(|word| word.contains("{file}"));
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
        return filled;
    }
    match name.as_str() {
        "code" | "codium" | "cursor" => {
            filled.extend(["--goto".to_owned(), format!("{file}:{line}")])
        }
        "hx" | "helix" | "subl" | "zed" => filled.push(format!("{file}:{line}")),
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "joe"
        | "ne" => {
            filled.extend([format!("+{line}"), file.to_owned()]);
        }
        _ => filled.push(file.to_owned()),
    }
    filled
}

/// Words of a command, with `"` and `'` around those with blanks.
fn split(text: &str) -> Words {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut open = false;
    for c in text.chars() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                open = true;
            }
            (None, _) if c.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            _ => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

fn build(words: &Words) -> Result<Command, String> {
    let (program, arguments) = words.split_first().ok_or("the editor's command is empty")?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// Runs it on this terminal and waits.
///
/// # Errors
/// Where it cannot be started or fails.
pub fn wait(words: &Words) -> Result<(), String> {
    let status = build(words)?
        .status()
        .map_err(|error| refused(words, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the editor ended with {status}"))
    }
}

/// Starts it without the terminal and does not wait.
///
/// # Errors
/// Where it cannot be started.
pub fn start(words: &Words) -> Result<(), String> {
    let mut child = build(words)?
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| refused(words, &error))?;
    // Somebody has to take note of its end, or it stays in the table of processes.
    std::thread::spawn(move || child.wait());
    Ok(())
}

fn refused(words: &Words, error: &std::io::Error) -> String {
    format!(
        "cannot start {}: {error}",
        words.first().map_or("", String::as_str)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_get_the_line_as_they_like_it() {
        let line = |text: &str| fill(text, "a b.json", 7).join("|");
        assert_eq!(line("nvim"), "nvim|+7|a b.json");
        assert_eq!(line("/usr/bin/vim -f"), "/usr/bin/vim|-f|+7|a b.json");
        assert_eq!(line("code --wait"), "code|--wait|--goto|a b.json:7");
        assert_eq!(line("ed"), "ed|a b.json");
        assert_eq!(
            line("nvim --server '/tmp/my socket' --remote +{line} {file}"),
            "nvim|--server|/tmp/my socket|--remote|+7|a b.json"
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let words = vec!["asldbg-no-such-editor".to_owned()];
        assert!(wait(&words).is_err_and(|text| text.contains("asldbg-no-such-editor")));
        assert!(wait(&Vec::new()).is_err());
    }
}
