//! The Markdown table of command-line options, generated from the same definitions as the help.

use super::options::Arguments;
use clap::{Arg, ArgAction, CommandFactory as _};
use std::fmt::Write as _;

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
    for (spelling, commands, meaning) in rows {
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {spelling} | {} | {meaning} |", commands.join(", "));
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

#[cfg(test)]
mod tests {
    use super::options_markdown;

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
}
