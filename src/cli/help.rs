//! `asldbg help`: the pages of `docs/`, embedded in the program, as text for a terminal.

use super::markdown_text::plain;
use super::options::Arguments;
use crate::headless::{self, Refusal};
use crate::source::did_you_mean;
use clap::CommandFactory as _;
use std::fmt::Write as _;
use std::process::ExitCode;

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        /// The pages of the documentation, in reading order: the path under `docs/` without `.md`, and the text.
        pub const PAGES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../docs/", $name, ".md")))),*
        ];
    };
}

pages![
    "tutorial",
    "debug",
    "mocks-and-answers",
    "recorded-executions",
    "tests-and-explore",
    "editors",
    "endpoint",
    "ci",
    "files-and-limits",
    "reference/options",
    "reference/keys",
    "reference/commands",
    "reference/rules",
    "reference/editions",
    "reference/settings",
    "reference/themes",
    "architecture",
    "glossary",
];

/// Prints a page, the options of a command, or the list of pages.
///
/// # Errors
/// If there is neither a page nor a command of this name.
pub(super) fn print(topic: Option<&str>) -> Result<ExitCode, Refusal> {
    let text = match topic {
        None => list(),
        Some(topic) => page(topic)
            .or_else(|| options(topic))
            .ok_or_else(|| unknown(topic))?,
    };
    headless::print(&text).map(|()| ExitCode::SUCCESS)
}

/// The last part of a page's path, which the user types as the topic.
fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn list() -> String {
    let mut text = String::from("Pages, each shown by `asldbg help NAME`:\n\n");
    for (path, content) in PAGES {
        let title = content.lines().next().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  {:<20} {}",
            short(path),
            title.trim_start_matches('#').trim_start()
        );
    }
    text.push_str("\n`asldbg help COMMAND` shows the options of a command, `asldbg --help` the list of commands.\n");
    text
}

fn page(topic: &str) -> Option<String> {
    let topic = topic.trim_end_matches(".md");
    let page = PAGES
        .iter()
        .find(|(path, _)| *path == topic || short(path) == topic)?;
    Some(plain(page.1))
}

fn options(topic: &str) -> Option<String> {
    let mut command = Arguments::command();
    // This completes the names and usage lines of the subcommands.
    command.build();
    let found = command.find_subcommand_mut(topic)?;
    Some(found.render_long_help().to_string())
}

fn unknown(topic: &str) -> Refusal {
    let command = Arguments::command();
    let commands = command.get_subcommands().map(clap::Command::get_name);
    let names = PAGES.iter().map(|(path, _)| short(path)).chain(commands);
    let hint = did_you_mean(topic, names);
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    Refusal::new(format!(
        "no page and no command is named {topic}{hint} (`asldbg help` lists the pages)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_shown_by_its_short_name() {
        for (path, content) in PAGES {
            let title = content
                .lines()
                .next()
                .unwrap()
                .trim_start_matches('#')
                .trim_start();
            let shown = page(short(path)).unwrap();
            assert!(shown.starts_with(title), "{path}: {shown}");
            assert!(list().contains(title));
        }
    }

    #[test]
    fn help_of_a_command_begins_as_in_the_list_of_commands() {
        for command in Arguments::command().get_subcommands() {
            let about = command.get_about().unwrap().to_string();
            let shown = options(command.get_name()).unwrap();
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(shown.starts_with(&about), "{about}: {shown}");
        }
    }

    #[test]
    fn a_command_is_a_topic_and_an_unknown_topic_is_refused() {
        assert!(options("explore").unwrap().contains("--depth"));
        assert!(page("explore").is_none());
        assert!(print(Some("tutoriel")).is_err());
    }
}
