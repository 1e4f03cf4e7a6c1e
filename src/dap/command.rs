//! The commands of the debug console: a table of all commands, the parsing of a console line, and the texts that tell
//! the user the outcome of a command.

use super::message::Refusal;
use crate::definition::Definition;
use crate::session::grammar::TypedCommand;
use crate::session::{Output, Refused, Reply};
use crate::source::did_you_mean;
use crate::wording::{self, Way, Weight};

macro_rules! commands {
    ($($what:ident $name:literal [$($word:literal)*] $argument:literal $help:literal;)*) => {
        /// Identifies a command of the debug console.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum What { $(#[doc = concat!("The command `", $name, "`.")] $what),* }

        impl What {
            /// Name under which the user types the command.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$what => $name),* }
            }
        }

        /// All commands of the debug console, each with its names, its argument and its help text.
        pub static TABLE: &[Entry] = &[$(Entry {
            what: What::$what,
            name: $name,
            words: &[$($word),*],
            argument: $argument,
            help: $help,
        }),*];
    };
}

/// A command of the debug console, as an entry of [`TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Identifies the command.
    pub what: What,
    /// Name of the command.
    pub name: &'static str,
    /// Other names under which the user can type the command, such as abbreviations.
    pub words: &'static [&'static str],
    /// Syntax of the command's argument, for the help text; empty if the command has no argument.
    pub argument: &'static str,
    /// One sentence that says what the command does.
    pub help: &'static str,
}

commands! {
    Continue "continue" ["c" "cont" "run"] "[COUNT]" "run to the next stop";
    Next "next" ["n"] "[COUNT]" "run to the next state, over Map and Parallel";
    Step "step" ["s"] "[COUNT]" "run to the next stage, or into the first iteration or branch, or a child execution";
    Finish "finish" ["f" "fin"] "[COUNT]" "run to the end of this iteration or branch; at the top level, to the end of this state";
    ReverseContinue "reverse-continue" ["rc" "C"] "[COUNT]" "go back to the previous stop";
    ReverseNext "reverse-next" ["rn" "N"] "[COUNT]" "go back to the previous state";
    ReverseStep "reverse-step" ["rs" "S"] "[COUNT]" "go back to the previous stage";
    ReverseFinish "reverse-finish" ["rf" "F"] "[COUNT]" "go back to the start of this iteration, branch or state";
    Until "until" ["u" "run-to" "t" "advance"] "STATE|EVENT" "run until a state is entered, or travel to a recorded event";
    Pause "pause" ["interrupt"] "" "pause the run";
    Restart "restart" ["r" "rerun"] "[!]" "run again from the start with the same answers; restart! drops the answers";
    Redo "redo" ["R"] "" "go back to where this state was entered and run from there again";
    Goto "goto" ["g" "jump"] "STATE [INPUT]" "begin a run at this state, with this input: JSON or a file";
    Input "input" [] "FILE|JSON" "begin a run with another input";
    Profile "profile" [] "spec|aws" "choose whether to follow spec or AWS where they differ, and replay the run";
    IgnoreFailures "keep-going" [] "" "in a fork, run every item of the failed Map, which AWS would not do";
    Now "now" [] "" "go to the last recorded event";
    NextAttempt "next-attempt" [] "" "go to the next attempt or outcome of an item";
    PreviousAttempt "previous-attempt" [] "" "go to the previous attempt or outcome of an item";
    PreviousStage "previous-stage" [] "" "look at the previous stage without running anything";
    NextStage "next-stage" [] "" "look at the next recorded stage without running anything";
    PreviousState "previous-state" [] "" "look at the previous state without running anything";
    NextState "next-state" [] "" "look at the next recorded state without running anything";
    PreviousEvent "previous-event" [] "" "look at the previous event without running anything";
    NextEvent "next-event" [] "" "look at the next recorded event without running anything";
    Event "event" ["ev" "travel"] "N" "look at the event with this number";
    FrameUp "up" [] "" "focus the enclosing frame";
    FrameDown "down" [] "" "focus an item or a branch: the first that is running, else the first that failed";
    PreviousSibling "previous-sibling" [] "" "focus the previous iteration or branch";
    NextSibling "next-sibling" [] "" "focus the next iteration or branch";
    FrameBack "frame-back" [] "" "return to the frame that had the focus before a stop moved the focus to another frame";
    Break "break" ["b" "br"] "WHERE [if COND] [hits N] [log TEXT]" "set or clear a breakpoint: STATE, LINE, FILE:LINE, STATE[ITEM], error MOMENT PATTERN, data PATH";
    TemporaryBreak "tbreak" ["tb"] "WHERE [if COND]" "set a breakpoint that is removed after its first stop";
    Delete "delete" ["del" "clear"] "[N]" "remove the breakpoint with this number, or all";
    Enable "enable" [] "N" "enable the breakpoint with this number";
    Disable "disable" [] "N" "disable the breakpoint with this number";
    StopOn "stop-on" ["catch"] "[MOMENT [on|off]]" "list or choose what stops the run: an error that is raised, retried, caught or uncaught, or a difference between the profiles";
    Answer "answer" [] "JSON [took SECONDS] [beats SECONDS,…] [for state|for resource|where EXPR]" "answer the waiting task with a result; \"beats 8,16\" sends heartbeats 8 and 16 seconds after the call";
    Fail "fail" [] "ERROR [CAUSE]" "answer the waiting task with an error";
    NeverAnswer "never" ["time-out"] "" "leave the waiting task without an answer, so that it times out";
    Edit "edit" ["set"] "PATH JSON" "replace a value of a stage and continue from there in a new run";
    Print "print" ["p"] "EXPR" "evaluate an expression on the state's input";
    WhoWrote "who" ["who-wrote"] "[PATH]" "go to the origin of the value at a path; without a path, go further back, or at an error, go to where the missing value was lost";
    Why "why" [] "" "show why the error was raised, and why each retrier and catcher matches the error or not";
    Watch "watch" ["display"] "EXPR" "watch an expression";
    Unwatch "unwatch" ["undisplay"] "[N|EXPR]" "remove a watch";
    Items "items" [] "[PATH]" "list the items of the Map with their status and, if a path is given, the value at this path";
    Info "info" ["i"] "[breakpoints|watches|frames|tasks|stops|findings]" "list breakpoints, watches, frames, tasks, stops, or the findings of check";
    States "states" ["outline"] "[TEXT]" "list the states whose names contain a text";
    Cases "case" ["cases"] "[NAME]" "use another test case of the mock file and start again";
    Machines "machine" ["machines"] "[NAME]" "list the other state machines in the file";
    Write "write" ["w"] "case NAME|test NAME|input" "write the answers as a test case into the mock file, the outcome as a test, or the run's input beside the definition (write! replaces an existing one)";
    Script "source" [] "FILE" "run the commands of a file";
    Reload "reload" [] "" "read the definition again";
    Help "help" ["h"] "[COMMAND]" "list the commands";
    Quit "quit" ["q" "exit" "q!" "quit!"] "" "end the session";
}

/// Commands of the terminal UI that the debug console rejects because they affect only the screen. The `focus-…`
/// commands are rejected, too.
const SCREEN: [&str; 52] = [
    "executions",
    "clients",
    "hold",
    "coverage",
    "recording",
    "aws",
    "record",
    "toggle",
    "remove",
    "edit-break",
    "open",
    "copy",
    "yank",
    "copy-path",
    "unfold",
    "diff",
    "level",
    "view",
    "editor",
    "show",
    "findings",
    "find",
    "find-next",
    "find-previous",
    "focus",
    "pane",
    "whole-banner",
    "zoom",
    "grow",
    "shrink",
    "reset-sizes",
    "cursor-up",
    "cursor-down",
    "cursor-left",
    "cursor-right",
    "page-up",
    "page-down",
    "half-page-up",
    "half-page-down",
    "top",
    "bottom",
    "play",
    "speed",
    "theme",
    "colours",
    "redraw",
    "mouse",
    "suspend",
    "tour",
    "ctrl-c",
    "close",
    "prompt",
];

/// The result of parsing a line of the debug console that is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A command that [`TABLE`] contains.
    Command {
        /// Identifies the command.
        what: What,
        /// True if `!` follows the command's name, as in `write! input`.
        bang: bool,
        /// The text after the command's name; empty if there is none.
        argument: String,
    },
    /// A command that only affects the screen of the terminal UI, by its name. The debug console rejects it.
    Screen(String),
    /// A command that does not exist. The text says so, and suggests a command with a similar name, or else `help`.
    Unknown(String),
}

/// A command that waits in a queue until the run has stopped.
#[derive(Clone, Debug)]
pub(super) enum Queued {
    /// Apply this session command again, because the user gave a count, such as `next 3`.
    Repeat(crate::session::Command),
    /// Execute this line of a script, or this command of the launch configuration.
    Line(String),
}

/// Parses a line that the user typed in the debug console; `None` if the line is an expression, not a command.
#[must_use]
pub fn given(line: &str) -> Option<Given> {
    let line = line.trim();
    let (line, meant) = match line.strip_prefix(':') {
        Some(rest) => (rest.trim_start(), true),
        None => (line, false),
    };
    let TypedCommand {
        name,
        bang,
        argument,
    } = TypedCommand::of(line);
    let mut entries = TABLE.iter();
    if let Some(entry) = entries.find(|entry| entry.name == name || entry.words.contains(&name)) {
        return Some(Given::Command {
            what: entry.what,
            bang,
            argument: argument.to_string(),
        });
    }
    if name.starts_with("focus-") || SCREEN.contains(&name) {
        return Some(Given::Screen(name.to_string()));
    }
    meant.then(|| {
        let advice = did_you_mean(name, TABLE.iter().map(|entry| entry.name));
        let advice = advice.unwrap_or_else(|| "\"help\" lists all commands".to_string());
        Given::Unknown(format!("no command is named {name}; {advice}"))
    })
}

/// Text that tells the user the outcome of a command; `None` if the outcome needs no text.
pub(super) fn reply_text(reply: &Reply) -> Option<String> {
    match reply {
        Reply::Watched {
            text,
            value: Ok(value),
        } => Some(format!("{text} = {}", crate::query::abridged(value, 1000))),
        _ => wording::reply(reply, &command_for),
    }
}

/// Converts the session's reason for refusing a command to a [`Refusal`] with a sentence for the user.
pub(super) fn refusal(refused: &Refused) -> Refusal {
    Refusal::new(wording::refused(refused, &command_for).0)
}

/// Returns the protocol's category for an output of the session, and the text to show for this output.
pub(super) fn output_text(output: &Output, definition: &Definition) -> (&'static str, String) {
    let (text, weight) = wording::output(output, definition, &command_for);
    let category = match weight {
        Weight::Info => "console",
        Weight::Warning => "important",
    };
    (category, text)
}

fn command_for(way: Way) -> String {
    let name = match way {
        Way::GoOn => "continue, next and step",
        Way::Step => "step and next",
        Way::Restart => "restart",
        Way::ReverseContinue => "stepping back",
        Way::Follow => "the command \"who\"",
        Way::Return => "the command \"now\"",
        Way::TakeBack => "",
        Way::Answer => "answer",
        Way::GiveMachine => "\"children\" of the launch configuration",
    };
    name.to_owned()
}
