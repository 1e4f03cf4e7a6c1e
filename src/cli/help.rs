//! Prints the documentation, whose pages are embedded in the program, as text for a terminal. Also creates the Markdown
//! table of options.

use super::options::Arguments;
use crate::headless::{self, Refusal};
use crate::source::did_you_mean;
use clap::{Arg, ArgAction, CommandFactory as _};
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

/// Prints a page, the options of a command, a rule of `check`, or the list of pages. One word of a page's name is
/// enough to find the page.
///
/// # Errors
/// If no page, command or rule has this name.
pub(super) fn print(topic: Option<&str>) -> Result<ExitCode, Refusal> {
    let text = match topic {
        None => list(),
        Some(topic) => page(topic)
            .or_else(|| options(topic))
            .or_else(|| page_with(topic))
            .or_else(|| rule(topic))
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

/// The first page whose name contains a word, in the singular or the plural.
fn page_with(word: &str) -> Option<String> {
    let has_word = |path: &str| {
        let mut words = short(path).split('-');
        words.any(|part| part == word || part.strip_suffix('s') == Some(word))
    };
    let page = PAGES.iter().find(|(path, _)| has_word(path))?;
    Some(plain(page.1))
}

/// The table rows about a rule of `check`, from the documentation page `rules`; `None` if no rule has this name.
fn rule(name: &str) -> Option<String> {
    let (_, page) = PAGES.iter().find(|(path, _)| short(path) == "rules")?;
    let name_in = |row: &str| row.split('|').nth(2).map(|cell| cell.trim().to_owned());
    let mut rows = page.lines();
    let rule = rows.find(|row| name_in(row) == Some(format!("`{name}`")))?;
    // After the row of a rule come the rows of its exceptions, such as other severities in special cases. Their name
    // column is empty.
    let cases = rows.take_while(|row| name_in(row).is_some_and(|name| name.is_empty()));
    let mut text = format!(
        "A rule of `asldbg check`: number, name, code, severities under aws and under spec, and what the rule finds\n\n| |\n{rule}\n"
    );
    cases.for_each(|case| text.extend([case, "\n"]));
    text.push_str(
        "\n`--allow NAME` ignores the findings of a rule; `asldbg help rules` lists all rules.\n",
    );
    Some(plain(&text))
}

fn options(topic: &str) -> Option<String> {
    let mut command = Arguments::command();
    // Fills in the full names and the usage lines of the subcommands.
    command.build();
    let subcommand = command.find_subcommand_mut(topic)?;
    Some(subcommand.render_long_help().to_string())
}

fn unknown(topic: &str) -> Refusal {
    let command = Arguments::command();
    let commands = command.get_subcommands().map(clap::Command::get_name);
    let names = PAGES.iter().map(|(path, _)| short(path)).chain(commands);
    let suggestion = did_you_mean(topic, names).map(|text| format!("; {text}"));
    let suggestion = suggestion.unwrap_or_default();
    Refusal::new(format!(
        "no page, command or rule is named {topic}{suggestion} (`asldbg help` lists the pages)"
    ))
}

/// Every option of every command as a Markdown table.
#[must_use]
pub fn options_markdown() -> String {
    let mut command = Arguments::command();
    command.build();
    let mut rows: Vec<(String, Vec<String>, String)> = Vec::new();
    let mut add = |name: &str, args: Vec<&Arg>| {
        for arg in args {
            let (spelling, meaning) = (spelling(arg), meaning(arg));
            let row = rows
                .iter_mut()
                .find(|(known, _, same)| *known == spelling && *same == meaning);
            match row {
                Some((_, commands, _)) => commands.push(name.to_string()),
                None => rows.push((spelling, vec![name.to_string()], meaning)),
            }
        }
    };
    add("debug", listed(&command));
    for sub in command.get_subcommands() {
        add(sub.get_name(), listed(sub));
    }
    let mut text = String::from("| option | of | meaning |\n|---|---|---|\n");
    for (option, commands, meaning) in rows {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {option} | {commands} | {meaning} |",
            commands = commands.join(", ")
        );
    }
    text
}

fn listed(command: &clap::Command) -> Vec<&Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_positional() && !["help", "version"].contains(&arg.get_id().as_str()))
        .collect()
}

fn spelling(arg: &Arg) -> String {
    let mut names = Vec::new();
    if let Some(short) = arg.get_short() {
        names.push(format!("-{short}"));
    }
    if let Some(long) = arg.get_long() {
        names.push(format!("--{long}"));
    }
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let value = arg
        .get_value_names()
        .filter(|_| takes_value)
        .map(|names| names.join(" "));
    let value = match value {
        Some(value) if arg.is_require_equals_set() => format!("[={value}]"),
        Some(value) => format!(" {value}"),
        None => String::new(),
    };
    format!("`{}{value}`", names.join(", ")).replace('|', "\\|")
}

fn meaning(arg: &Arg) -> String {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    if takes_value && !possible.is_empty() {
        text += &format!(": {}", possible.join(", "));
    }
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    if takes_value && !defaults.is_empty() {
        text += &format!(" [default: {}]", defaults.join(", "));
    }
    text.replace('|', "\\|").replace('\n', " ")
}

/// Maximum line width in columns; code is never wrapped.
const WIDTH: usize = 80;

/// Converts a page to plain text: wraps paragraphs, writes the cells of a table row below each other, omits pictures
/// and comments, and shows links to other pages as help topics.
fn plain(markdown: &str) -> String {
    let mut page = Page::default();
    for line in markdown.lines() {
        page.add(line);
    }
    page.end_block();
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    /// Words of the current paragraph, list item or quote.
    block: String,
    in_code: bool,
    in_header: bool,
}

impl Page {
    fn add(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            self.end_block();
            self.in_code = !self.in_code;
        } else if self.in_code {
            self.line(&format!("    {line}"));
        } else if let Some(row) = trimmed.strip_prefix('|') {
            self.end_block();
            self.row(row);
        } else if trimmed.is_empty() {
            self.end_block();
            self.in_header = true;
            if !self.text.ends_with("\n\n") {
                self.text.push('\n');
            }
        } else if let Some(title) = trimmed.strip_prefix('#') {
            self.end_block();
            self.line(&linked(title.trim_start_matches('#').trim_start()));
        } else if !trimmed.starts_with("<!--") && !trimmed.starts_with("![") {
            if is_item(trimmed) {
                self.end_block();
            }
            if self.block.is_empty() {
                let indent = line.len() - trimmed.len();
                self.block.push_str(&" ".repeat(indent));
            } else {
                self.block.push(' ');
            }
            self.block.push_str(trimmed);
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes a table row as text: the last cell follows on separate lines below the other cells.
    fn row(&mut self, row: &str) {
        let row = row.trim_end().trim_end_matches('|').replace("\\|", "\u{1}");
        let cells = row.split('|').map(|cell| cell.trim().replace('\u{1}', "|"));
        let mut cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
        let is_ruler = cells.iter().all(|cell| cell.trim_matches('-').is_empty());
        // The headings of columns are left out, because the cells are not written in columns.
        if std::mem::take(&mut self.in_header) || is_ruler {
            return;
        }
        let last = cells.pop().unwrap_or_default();
        if !cells.is_empty() {
            self.line(&linked(&cells.join("  ")));
        }
        let indent = if cells.is_empty() { "" } else { "    " };
        self.wrap(&linked(&last), indent, indent);
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let text = block.trim_start();
        let first = " ".repeat(block.len() - text.len());
        let rest = format!("{first}{}", if is_item(text) { "  " } else { "" });
        self.wrap(&linked(text), &first, &rest);
    }

    fn wrap(&mut self, text: &str, first: &str, rest: &str) {
        let mut line = first.to_owned();
        let mut width = line.len();
        for (place, word) in text.split_whitespace().enumerate() {
            let long = word.chars().count();
            if place > 0 && width + 1 + long > WIDTH {
                self.line(&line);
                rest.clone_into(&mut line);
                width = line.len();
            } else if place > 0 {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += long;
        }
        self.line(&line);
    }
}

/// True for an item of a list, whether numbered or not.
fn is_item(text: &str) -> bool {
    let mark = text.split(' ').next().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    mark == "-" || mark.strip_suffix('.').is_some_and(is_number)
}

/// Removes `**`. Replaces a link by its text, followed by its target unless the text contains it. The target is the
/// topic of a page, the path of another file in the repository, or an address.
fn linked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after
            .split_once("](")
            .and_then(|(words, after)| Some((words, after.split_once(')')?)));
        match link {
            Some((words, (target, after))) if !words.contains(']') => {
                out.push_str(before);
                out.push_str(words);
                let path = target.split('#').next().unwrap_or_default();
                let page = path.strip_suffix(".md").map(short);
                let page = page.filter(|page| PAGES.iter().any(|(path, _)| short(path) == *page));
                let file = path.trim_start_matches("../");
                match page {
                    Some(page) if words.contains(page) => {}
                    Some(page) => out.push_str(&format!(" (asldbg help {page})")),
                    None if words.contains(file.trim_end_matches("/README.md")) => {}
                    None => out.push_str(&format!(" ({file})")),
                }
                rest = after;
            }
            _ => {
                out.push_str(before);
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.replace("**", "")
}

#[cfg(test)]
mod tests {
    use super::{options_markdown, plain, *};

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

    #[test]
    fn a_page_is_found_by_a_word_of_its_name_and_a_rule_by_its_name() {
        for (word, title) in [
            ("tests", "Tests, "),
            ("mock", "Mocks "),
            ("limits", "Files "),
        ] {
            assert!(page(word).is_none() && options(word).is_none());
            assert!(page_with(word).unwrap().starts_with(title), "{word}");
        }
        let shown = rule("dropped").unwrap();
        assert!(
            shown.contains("`DROPPED_AND_READ`") && !shown.contains("`discarded`"),
            "{shown}"
        );
        assert!(rule("Name").is_none());
    }

    #[test]
    fn every_option_has_a_row() {
        let table = options_markdown();
        for row in [
            "| `-i, --input FILE\\|JSON\\|-` | debug, run, replay, explore | ",
            "| `--play[=FACTOR]` | debug | ",
            "| `--format FORMAT` | check | ",
            "`spec`, `aws` |",
            "| `--max-steps N` | run | Enter at most N states, counting retries and states of child executions [default: 10000000] |",
        ] {
            assert!(table.contains(row), "{row}\n{table}");
        }
        assert!(
            table
                .lines()
                .all(|line| line.starts_with("| ") || line.starts_with("|---"))
        );
    }

    #[test]
    fn a_page_is_text() {
        let page = "# Title\n\nSome **bold** words and [another page](endpoint.md#part),\nwhich go on.\n\n\
            - item [debug](debug.md) [n]\n  more [a file](../samples/a.json)\n\n<!-- keys -->\n\n| Key | What |\n|---|---|\n| `a` | x \\| y |\n\n\
            ```sh\nasldbg  a | b\n```\n";
        assert_eq!(
            plain(page),
            "Title\n\nSome bold words and another page (asldbg help endpoint), which go on.\n\n\
             - item debug [n] more a file (samples/a.json)\n\n`a`\n    x | y\n\n    asldbg  a | b\n"
        );
    }

    #[test]
    fn lines_are_wrapped() {
        let page = "- ".to_owned() + &"word ".repeat(40);
        assert!(plain(&page).lines().all(|line| line.len() <= 80));
        assert!(plain(&page).contains("\n  word"));
    }
}
