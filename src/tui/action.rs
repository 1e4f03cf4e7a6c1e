//! The single table of all user actions. For each action: name, aliases, keys, a one-sentence description, when the
//! footer offers the action, and who performs the action.
//!
//! The footer, the help, the completion and the documentation are generated from this table.

use super::pane::Motion;
use crate::session::view::{RunStatus, View};
use crate::session::{Command, Direction, Landmark};
use Direction::{Backward, Forward};
use Does::{Counted, Move, Once};
use Offer::{Always, Asking, Behind, Going, In, Never, Past, Running, Stopped};
use Pane::{Breakpoints, Data, Graph, Source, State, Timeline};
use std::fmt::Write as _;

/// A pane that can have the focus. The title of each pane shows its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    /// Pane 1: the states and the transitions between them.
    Graph,
    /// Pane 2: the text of the definition.
    Source,
    /// Pane 3: the values of the state's stages.
    #[default]
    Data,
    /// Pane 4: the recorded events.
    Timeline,
    /// Pane 5: details of the current state.
    State,
    /// Pane 6: breakpoints, watches and other lists.
    Breakpoints,
}

impl Pane {
    /// All panes, by number.
    pub const ALL: [Self; 6] = [
        Self::Graph,
        Self::Source,
        Self::Data,
        Self::Timeline,
        Self::State,
        Self::Breakpoints,
    ];

    /// Panes at the bottom of a screen that is large enough to show all panes, from left to right.
    pub const LOWER: [Self; 3] = [Self::Timeline, Self::Breakpoints, Self::State];

    /// Panes that share one area as tabs on a screen of medium size.
    pub const TABBED: [Self; 3] = [Self::State, Self::Breakpoints, Self::Source];

    /// Number of the pane on the screen, starting at 1.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Name of the pane.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "Graph",
            Self::Source => "Source",
            Self::Data => "Data",
            Self::Timeline => "Timeline",
            Self::State => "State",
            Self::Breakpoints => "Breakpoints",
        }
    }

    /// Name of the pane if there is little room: for a tab, or a border that has tabs.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Breakpoints => "Breaks",
            other => other.name(),
        }
    }

    /// True if the pane may be shown as a tab.
    #[must_use]
    pub fn can_be_a_tab(self) -> bool {
        !matches!(self, Self::Graph | Self::Timeline)
    }

    /// The pane with this number or name, given as text.
    #[must_use]
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pane| {
            pane.name().eq_ignore_ascii_case(word) || pane.number().to_string() == word
        })
    }
}

/// A section of the help; each action belongs to one of the sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Actions that let the run continue.
    Run,
    /// Actions that go back or inspect recorded events.
    Time,
    /// Breakpoints and other stops.
    Stop,
    /// Actions on values and answers.
    Data,
    /// Moving in a pane.
    Move,
    /// The contents and appearance of the screen.
    Screen,
    /// Everything else.
    Other,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Self; 7] = [
        Self::Run,
        Self::Time,
        Self::Stop,
        Self::Data,
        Self::Move,
        Self::Screen,
        Self::Other,
    ];

    /// Heading of the group.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Run",
            Self::Time => "Go back, look around",
            Self::Stop => "Stops and breakpoints",
            Self::Data => "Values and answers",
            Self::Move => "Move in a pane",
            Self::Screen => "Screen contents",
            Self::Other => "Everything else",
        }
    }
}

/// The condition for offering an action in the footer. The action's key works regardless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offer {
    /// The action is always offered.
    Always,
    /// While the run stands still: it is stopped, has ended, or has not started.
    Stopped,
    /// While the run stands still and can continue.
    Going,
    /// While there are recorded events before the shown event.
    Behind,
    /// While the run advances.
    Running,
    /// While a task of the run waits for an answer.
    Asking,
    /// While the user looks back: the shown event is not the last recorded one.
    Past,
    /// While one of these panes has the focus.
    In(&'static [Pane]),
    /// The footer never offers the action; help and completion list it.
    Never,
}

/// Who performs an action: the session, a pane or the front end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Does {
    /// The session executes this command.
    Once(&'static Command),
    /// The session executes this command as many times as the number says that the user types after it.
    Counted(&'static Command),
    /// The selection in the focused pane moves.
    Move(Motion),
    /// The front end performs the action, with the typed argument or with the selected row or value.
    FrontEnd,
}

macro_rules! actions {
    ($($action:ident $group:ident $offer:expr, $name:literal [$($word:literal)*] [$($key:literal)*] $argument:literal $label:literal $help:literal $(=> $does:expr)?;)*) => {
        /// An action of the user. Each action has a row in the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action { $(#[doc = concat!("The command `", $name, "`.")] $action),* }

        /// The table of all actions, in the order of the footer.
        pub static TABLE: &[Entry] = &[$(Entry {
            action: Action::$action,
            group: Group::$group,
            offer: $offer,
            name: $name,
            words: &[$($word),*],
            keys: &[$($key),*],
            argument: $argument,
            label: $label,
            help: $help,
            does: [$($does,)? Does::FrontEnd][0],
        }),*];
    };
}

/// A row of the table of actions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The action.
    pub action: Action,
    /// The section of the help that lists the action.
    pub group: Group,
    /// Condition for offering the action in the footer.
    pub offer: Offer,
    /// Name: typed after `:` and used in key bindings.
    pub name: &'static str,
    /// Other names of the action, which may be typed instead.
    pub words: &'static [&'static str],
    /// The keys that trigger the action unless the user binds other keys.
    pub keys: &'static [&'static str],
    /// Syntax of the argument, as shown in the help; empty if the action takes no argument.
    pub argument: &'static str,
    /// Text for the footer: one or two words.
    pub label: &'static str,
    /// One sentence that says what the action does.
    pub help: &'static str,
    /// Who performs the action.
    pub does: Does,
}

impl Entry {
    /// True if `word` is the action's name or an alias.
    #[must_use]
    pub fn is_named(&self, word: &str) -> bool {
        self.name == word || self.words.contains(&word)
    }
}

impl Action {
    /// Row of the action in the table.
    #[must_use]
    pub fn entry(self) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.action == self)
    }

    /// Who performs the action.
    #[must_use]
    pub fn does(self) -> Does {
        self.entry().map_or(Does::FrontEnd, |entry| entry.does)
    }

    /// The pane that the action focuses; `None` if the action's name is not `focus-` followed by the name of a pane.
    #[must_use]
    pub fn pane(self) -> Option<Pane> {
        Pane::find(self.entry()?.name.strip_prefix("focus-")?)
    }

    /// The action with this name or alias.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let by = |is: &dyn Fn(&Entry) -> bool| TABLE.iter().find(|entry| is(entry));
        by(&|entry| entry.is_named(word)).map(|entry| entry.action)
    }
}

actions! {
    Pause Run Running, "pause" ["interrupt"] ["p" "F6"] "" "pause" "pause the run";
    Continue Run Going, "continue" ["c" "cont" "run"] ["c" "F5"] "[COUNT]" "continue" "run to the next stop" => Counted(&Command::Continue(Forward));
    Next Run Going, "next" ["n"] ["n" "F10"] "[COUNT]" "next state" "run to the next state, stepping over Map and Parallel" => Counted(&Command::Next(Forward));
    Step Run Going, "step" ["s"] ["s" "F11"] "[COUNT]" "step" "run to the next stage, or into the first iteration, the first branch or a child execution" => Counted(&Command::Step(Forward));
    Finish Run Going, "finish" ["f" "fin"] ["f" "Shift-F11"] "[COUNT]" "finish" "run to the end of this iteration or branch; at the top level, to the end of this state" => Counted(&Command::Finish(Forward));
    ReverseContinue Time Behind, "reverse-continue" ["rc" "C"] ["C"] "[COUNT]" "previous stop" "go back to the previous stop" => Counted(&Command::Continue(Backward));
    ReverseNext Time Never, "reverse-next" ["rn" "N"] ["N"] "[COUNT]" "previous state" "go back to the previous state" => Counted(&Command::Next(Backward));
    ReverseStep Time Never, "reverse-step" ["rs" "S"] ["S"] "[COUNT]" "step back" "go back to the previous stage" => Counted(&Command::Step(Backward));
    ReverseFinish Time Never, "reverse-finish" ["rf" "F"] ["F"] "[COUNT]" "back to start" "go back to the start of this iteration, branch or state" => Counted(&Command::Finish(Backward));
    Answer Data Asking, "answer" [] ["m"] "[JSON] [took SECONDS] [beats SECONDS,…] [for state|for resource|where EXPR]" "answer task" "answer the waiting task with a result, an error or only heartbeats (\"beats 8,16\": 8 and 16 seconds after the call), or change an answer that has not arrived yet; the answer applies to this attempt, or to all similar attempts from now on";
    Now Time Past, "now" [] ["H"] "" "last event" "go to the last recorded event; after the key W, return to the event at which W was first pressed" => Once(&Command::Now);
    Break Stop Stopped, "break" ["b" "br"] ["b" "F9"] "[WHERE] [if COND] [hits N] [log TEXT]" "break" "set or clear a breakpoint at STATE, LINE, FILE:LINE, STATE[ITEM], at an error with \"error MOMENT PATTERN\", or at a value with \"data PATH\"";
    Until Run Going, "until" ["u" "run-to" "t" "advance"] ["t" "Ctrl-F10"] "[STATE|EVENT]" "run to selection" "run until the selected state is entered, or travel to the selected event";
    StopOn Stop Stopped, "stop-on" ["catch"] ["x"] "[MOMENT [on|off|NAMES]]" "error stops" "choose which errors stop the run: raised, retried, caught or uncaught errors, or a difference between the profiles; \"raised Payment.*\" stops only at raised errors whose names match Payment.*";
    Edit Data In(&[Data]), "edit" ["set"] ["e"] "[JSON]" "edit value" "replace the selected value and continue from that stage in a new run";
    Watch Data Stopped, "watch" ["display"] ["w"] "[EXPR]" "watch" "watch an expression";
    WhoWrote Data In(&[Data, State]), "who" ["who-wrote"] ["W"] "[PATH]" "where from" "go to the origin of the selected value; repeat to go further back";
    Print Data In(&[Data]), "print" ["p"] ["="] "EXPR" "evaluate" "evaluate an expression on the state's input";
    Toggle Screen In(&[Breakpoints, Data, Graph]), "toggle" [] ["Space"] "" "toggle" "enable or disable the selected breakpoint, or fold or unfold the selected value; during playback, pause or resume";
    Remove Stop In(&[Breakpoints]), "remove" [] ["Del" "Backspace"] "" "remove" "remove the selected breakpoint, watch or answer rule";
    EditBreak Stop In(&[Breakpoints, Source]), "edit-break" [] ["B"] "" "edit breakpoint" "edit the condition, hit count and message of a breakpoint";
    Activate Screen In(&[Data, Timeline, State, Breakpoints, Graph]), "open" [] ["Enter"] "" "open" "show the selected value in full, or go to the selected event, error, attempt, item or frame, or to the selected state's text";
    Open Screen Never, "states" ["outline"] ["o"] "[TEXT]" "find state" "find a state by a few letters of its name";
    CopyValue Data In(&[Data, Source]), "copy" ["yank"] ["y"] "" "copy value" "copy the selected value";
    CopyPath Data In(&[Data]), "copy-path" [] ["Y"] "" "copy path" "copy the path of the selected value, or the name of the selected state";
    Unfold Screen In(&[Data]), "unfold" [] ["O"] "" "unfold all" "unfold everything below the selected value";
    Diff Screen In(&[Data]), "diff" [] ["D"] "" "diff" "show or hide the changes from stage to stage";
    Level Screen In(&[Data]), "level" [] ["i"] "[info|debug|trace]" "level" "choose how much detail of the stages is shown: INFO, DEBUG or TRACE";
    View Screen In(&[Graph, Timeline]), "view" [] ["v"] "" "view" "switch the graph between boxes and outline, or the timeline between states, events and table";
    Editor Screen In(&[Source]), "editor" [] ["E" "Ctrl-e"] "" "editor" "open this line in $VISUAL or $EDITOR";
    Restart Run Stopped, "restart" ["r" "rerun"] ["r" "Ctrl-Shift-F5"] "[!]" "restart" "run again from the start with the same answers; restart! drops the answers";
    Redo Run Never, "redo" ["R"] ["R"] "" "redo state" "go back to the entry of this state and run the state again" => Once(&Command::RedoState);
    NextAttempt Time Never, "next-attempt" [] ["a"] "" "next attempt" "go to the next attempt, or to the next outcome of an item" => Once(&Command::Attempt(Forward));
    PreviousAttempt Time Never, "previous-attempt" [] ["A"] "" "previous attempt" "go to the previous attempt, or to the previous outcome of an item" => Once(&Command::Attempt(Backward));
    PreviousStage Time Past, "previous-stage" [] ["["] "" "previous stage" "show the previous stage without running anything" => Once(&Command::Seek(Landmark::Stage, Backward));
    NextStage Time Past, "next-stage" [] ["]"] "" "next stage" "show the next recorded stage without running anything" => Once(&Command::Seek(Landmark::Stage, Forward));
    PreviousState Time Never, "previous-state" [] ["{"] "" "show previous" "show the previous state without running anything" => Once(&Command::Seek(Landmark::State, Backward));
    NextState Time Never, "next-state" [] ["}"] "" "show next" "show the next recorded state without running anything" => Once(&Command::Seek(Landmark::State, Forward));
    PreviousEvent Time Past, "previous-event" [] ["<"] "" "previous event" "show the previous event without running anything" => Once(&Command::Seek(Landmark::Event, Backward));
    NextEvent Time Past, "next-event" [] [">"] "" "next event" "show the next recorded event without running anything" => Once(&Command::Seek(Landmark::Event, Forward));
    Event Time Never, "event" ["ev" "travel"] [] "N|#ID" "event" "show the event with this number, or the AWS event with this id";
    Recording Time Never, "recording" ["aws"] [] "" "AWS's events" "list the AWS events of the recorded execution that the run repeats, and show the first difference";
    FrameUp Time Never, "up" [] ["u"] "" "outer frame" "focus the enclosing frame" => Once(&Command::FrameUp);
    FrameDown Time Never, "down" [] ["d"] "" "inner frame" "focus an item or a branch: the first that is running, otherwise the first that failed; in the state pane, the selected item or branch" => Once(&Command::FrameDown);
    PreviousSibling Time Never, "previous-sibling" [] ["("] "" "previous sibling" "focus the previous iteration or branch; if that iteration or branch has ended, go to its visit of the same state" => Once(&Command::Sibling(Backward));
    NextSibling Time Never, "next-sibling" [] [")"] "" "next sibling" "focus the next iteration or branch; if that iteration or branch has ended, go to its visit of the same state" => Once(&Command::Sibling(Forward));
    FrameBack Time Never, "frame-back" [] ["'"] "" "previous frame" "return to the frame that had the focus before a stop moved the focus to another frame";
    TemporaryBreak Stop Never, "tbreak" ["tb"] [] "WHERE [if COND]" "break once" "set a breakpoint that is removed after its first stop";
    Delete Stop Never, "delete" ["del" "clear"] [] "[N]" "delete" "remove the breakpoint with this number, or all breakpoints";
    Enable Stop Never, "enable" [] [] "N" "enable" "enable the breakpoint with this number";
    Disable Stop Never, "disable" [] [] "N" "disable" "disable the breakpoint with this number";
    Unwatch Data Never, "unwatch" ["undisplay"] [] "[N|EXPR]" "unwatch" "remove a watch";
    Fail Data Never, "fail" [] [] "ERROR [CAUSE]" "fail task" "answer the waiting task with an error";
    Items Screen Never, "items" [] [] "[PATH]" "items" "in the state pane, show the value of a path in the input of each item of a Map; / then shows only the items that contain a text";
    IgnoreFailures Run Never, "keep-going" [] [] "" "keep going" "in a fork, run every item of the failed Map, although AWS would stop the Map" => Once(&Command::IgnoreFailures);
    NeverAnswer Data Never, "never" ["time-out"] [] "" "never answer" "leave the waiting task without an answer, so that it times out";
    Info Screen Never, "info" ["i"] [] "[breakpoints|watches|frames|tasks|findings|stops]" "info" "show a list in the breakpoints pane, or which errors stop the run";
    Findings Screen Never, "findings" [] ["I"] "" "findings" "list the findings of check, beginning with the finding that explains the error";
    Show Screen Never, "show" [] [] "STATE" "show" "show a state in the graph and the source without running anything";
    Find Screen Always, "find" [] ["/"] "[TEXT]" "find" "find a text in the pane in focus";
    FindNext Screen Never, "find-next" [] ["."] "" "next match" "go to the next match";
    FindPrevious Screen Never, "find-previous" [] [","] "" "previous match" "go to the previous match";
    Focus Screen Never, "focus" ["pane"] [] "PANE" "focus" "focus a pane";
    FocusGraph Screen Never, "focus-graph" [] ["1"] "" "graph" "focus the graph";
    FocusSource Screen Never, "focus-source" [] ["2"] "" "source" "focus the source";
    FocusData Screen Never, "focus-data" [] ["3"] "" "data" "focus the data";
    FocusTimeline Screen Never, "focus-timeline" [] ["4"] "" "timeline" "focus the timeline";
    FocusState Screen Never, "focus-state" [] ["5"] "" "state" "focus the state pane";
    FocusBreakpoints Screen Never, "focus-breakpoints" ["focus-points"] ["6"] "" "breakpoints" "focus the breakpoints";
    FocusNext Screen Always, "focus-next" [] ["Tab"] "" "next pane" "focus the next pane";
    FocusPrevious Screen Never, "focus-previous" [] ["Shift-Tab"] "" "previous pane" "focus the previous pane";
    Zoom Screen Always, "zoom" [] ["z"] "" "zoom" "show only the pane in focus, or all panes again";
    WholeBanner Screen Never, "whole-banner" [] ["Z"] "" "whole banner" "show or hide a third row of the banner";
    Grow Screen Never, "grow" [] ["+"] "" "grow" "make the pane in focus larger; in the graph, show more of each state";
    Shrink Screen Never, "shrink" [] ["-"] "" "shrink" "make the pane in focus smaller; in the graph, show less of each state, down to an overview";
    ResetSizes Screen Never, "reset-sizes" [] ["0"] "" "reset sizes" "reset the sizes of all panes, and show as much of the graph as fits";
    Up Move Never, "cursor-up" [] ["k" "Up"] "" "up" "move one row up" => Move(Motion::Up);
    Down Move Never, "cursor-down" [] ["j" "Down"] "" "down" "move one row down" => Move(Motion::Down);
    Left Move Never, "cursor-left" [] ["h" "Left"] "" "left" "move left, or fold" => Move(Motion::Left);
    Right Move Never, "cursor-right" [] ["l" "Right"] "" "right" "move right, or unfold" => Move(Motion::Right);
    PageUp Move Never, "page-up" [] ["PgUp" "Ctrl-b"] "" "page up" "move one page up" => Move(Motion::PageUp);
    PageDown Move Never, "page-down" [] ["PgDn" "Ctrl-f"] "" "page down" "move one page down" => Move(Motion::PageDown);
    HalfUp Move Never, "half-page-up" [] ["Ctrl-u"] "" "half a page up" "move half a page up" => Move(Motion::HalfUp);
    HalfDown Move Never, "half-page-down" [] ["Ctrl-d"] "" "half a page down" "move half a page down" => Move(Motion::HalfDown);
    Home Move Never, "top" [] ["g" "Home"] "" "top" "move to the first row" => Move(Motion::Home);
    End Move Never, "bottom" [] ["G" "End"] "" "bottom" "move to the last row" => Move(Motion::End);
    Play Run Never, "play" [] [] "[FACTOR]" "play" "step automatically, FACTOR times as fast as normal; a second \"play\" stops the playback";
    Speed Run Never, "speed" [] [] "FACTOR" "speed" "set the playback speed";
    Goto Run Never, "goto" ["g" "jump"] [] "STATE [INPUT]" "goto" "start a run at this state, with this input: JSON or a file";
    Input Run Never, "input" [] [] "[FILE|JSON]" "input" "start a run with another input; without FILE or JSON, choose a file from the folder events/ beside the definition";
    Profile Run Never, "profile" [] [] "spec|aws" "profile" "choose whether the run follows the specification (spec) or AWS (aws) where they differ, and repeat the run";
    Cases Other Never, "case" ["cases"] [] "[NAME]" "test case" "switch to another test case of the mock file and restart";
    Machines Other Never, "machine" ["machines"] [] "[NAME]" "state machine" "open another state machine of the file, or another file of the folder";
    Executions Other Never, "executions" ["clients"] ["X"] "[NAME]" "executions" "with --listen: list the executions that clients started, and open one of these executions; the others continue to their next stops";
    Hold Other Never, "hold" [] [] "[on|off]" "hold others" "with --listen: pause all executions except the one on the screen, and new executions at their start; \"hold off\", or a second \"hold\", resumes these executions";
    Theme Screen Never, "theme" ["colours"] [] "NAME" "theme" "switch to another theme";
    Write Other Never, "write" ["w"] [] "case NAME | default NAME | test NAME | input | screen FILE | graph FILE" "write" "write the answers into the mock file as a test case (with \"default\": as the case for runs that name no case), the outcome of the run as a test or its input beside the definition (\"write!\" replaces an existing case, test or input), the screen as text or .svg, or the graph of the run as text, .svg or .mmd";
    Coverage Other Never, "coverage" [] [] "[NAME|off]" "coverage" "colour the graph and the source lines by coverage of the test cases whose names contain NAME; \"coverage off\", or a second \"coverage\", colours the graph and the lines by the run again";
    Record Other Never, "record" [] [] "[FILE.cast]" "record" "record the screen as an asciinema recording; without a file name, stop recording";
    Tour Other Never, "tour" [] [] "[N|fix|off]" "tour" "in the tour: restart this step, go to step N, let asldbg write the fix of the final step, or leave the tour";
    Script Other Never, "source" [] [] "FILE" "script" "run the commands in a file";
    Reload Other Never, "reload" [] ["Ctrl-r"] "" "reload" "read the definition again";
    Redraw Other Never, "redraw" [] ["Ctrl-l"] "" "redraw" "draw the whole screen again";
    Mouse Other Never, "mouse" [] ["M"] "[on|off]" "mouse" "enable or disable mouse clicks and the wheel; while they are enabled, Shift-drag selects text";
    Suspend Other Never, "suspend" [] ["Ctrl-z"] "" "suspend" "suspend asldbg and return to the shell; the shell command fg resumes asldbg";
    Interrupt Other Never, "ctrl-c" [] ["Ctrl-c"] "" "pause or quit" "pause a run in progress; otherwise, press twice within 2 s to quit";
    Close Other Never, "close" [] ["Esc"] "" "close" "close the message, popup or zoom; if none is open, abandon a call in progress";
    Prompt Other Always, "prompt" [] [":"] "" "command" "type a command by its name or by words of its description; Tab completes";
    Help Other Always, "help" ["h"] ["?" "F1"] "[COMMAND]" "help" "show the keys of this pane, followed by all keys; the key / filters the list; \"help COMMAND\" or \"help KEY\" explains one command";
    Quit Other Always, "quit" ["q" "exit" "q!" "quit!"] ["q"] "[!]" "quit" "close the popup or zoom; if none is open, quit, but ask for confirmation first if a run is unfinished";
}

/// The keys by group, as a Markdown table for the documentation.
#[must_use]
pub fn keys_markdown() -> String {
    let bound = |entry: &&Entry| !entry.keys.is_empty();
    table_markdown("| Key | Command | What it does |", bound, |entry, keys| {
        format!("| {keys} | {} | {} |", code(entry.name), cell(entry.help))
    })
}

/// Every command by group, as a Markdown table for the documentation.
#[must_use]
pub fn commands_markdown() -> String {
    table_markdown(
        "| Command | Key | What it does |",
        |_| true,
        |entry, keys| {
            let command = cell(&format!("{} {}", entry.name, entry.argument));
            format!(
                "| {} | {keys} | {} |",
                code(command.trim_end()),
                cell(entry.help)
            )
        },
    )
}

/// A Markdown table with one row for each entry of [`TABLE`] that `is_wanted` accepts. `row` formats an entry and its
/// keys as a row.
fn table_markdown(
    header: &str,
    is_wanted: impl Fn(&&Entry) -> bool,
    row: impl Fn(&Entry, &str) -> String,
) -> String {
    let mut text = format!("{header}\n|---|---|---|\n");
    for group in Group::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| **{}** | | |", group.title());
        let entries = TABLE.iter().filter(|entry| entry.group == group);
        for entry in entries.filter(&is_wanted) {
            let keys: Vec<String> = entry.keys.iter().map(|key| code(key)).collect();
            let _ = writeln!(text, "{}", row(entry, &keys.join(" ")));
        }
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn code(text: &str) -> String {
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// Why the session would refuse the action's command now; `None` if the session would accept the command.
pub(super) fn refused(action: Action, view: &View, busy: bool) -> Option<&'static str> {
    let header = &view.header;
    let over = header.status.is_over();
    let tells = |is: bool, why| is.then_some(why);
    match action {
        Action::Pause => tells(!busy, "nothing is running"),
        _ if busy && matches!(action.does(), Once(_) | Counted(_)) => Some("pause the run first"),
        Action::Continue | Action::Next | Action::Step | Action::Finish => {
            tells(over, "the run is over")
        }
        // Event 1 starts the run, and event 2 enters the first state. Commands that go back never go further than event
        // 2.
        Action::ReverseContinue
        | Action::ReverseNext
        | Action::ReverseStep
        | Action::ReverseFinish
        | Action::PreviousState
        | Action::PreviousStage
        | Action::PreviousEvent => tells(header.event <= 2, "there is no earlier event"),
        Action::Now | Action::NextState | Action::NextStage | Action::NextEvent => tells(
            header.status != RunStatus::Past,
            "this is the last recorded event",
        ),
        Action::FrameUp => tells(view.frames.len() < 2, "this is the outermost frame"),
        Action::Fail | Action::NeverAnswer => {
            let none = view.tasks.is_empty() && view.held.is_empty();
            tells(none, "no task is waiting for an answer")
        }
        Action::Delete | Action::Enable | Action::Disable => {
            tells(view.breakpoints.is_empty(), "no breakpoint is set")
        }
        Action::Unwatch => tells(view.watches.is_empty(), "no watch is set"),
        Action::Recording => tells(
            view.recorded.is_none(),
            "this run does not repeat a recorded execution",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn names_words_and_keys_mean_one_thing() {
        let mut names: HashMap<&str, Action> = HashMap::new();
        let mut keys: HashMap<&str, Action> = HashMap::new();
        for entry in TABLE {
            assert_eq!(
                names.insert(entry.name, entry.action),
                None,
                "{}",
                entry.name
            );
            for key in entry.keys {
                assert_eq!(keys.insert(key, entry.action), None, "{key}");
            }
            assert!(!entry.help.ends_with('.') && !entry.help.is_empty());
        }
        // An alias may be the beginning of another name, but it must not equal the name or an alias of another action.
        let mut words: HashMap<&str, Action> = names.clone();
        for entry in TABLE {
            for word in entry.words {
                if let Some(other) = words.insert(word, entry.action) {
                    assert_eq!(other, entry.action, "{word}");
                }
            }
        }
    }

    #[test]
    fn every_action_is_reachable_by_a_word() {
        for entry in TABLE {
            assert_eq!(Action::named(entry.name), Some(entry.action));
            assert_eq!(entry.action.entry(), Some(entry));
        }
    }

    #[test]
    fn the_markdown_has_a_row_for_each() {
        let text = commands_markdown();
        assert_eq!(
            text.lines().count(),
            2 + Group::ALL.len() + TABLE.len(),
            "{text}"
        );
        assert!(text.contains("| `continue [COUNT]` | `c` `F5` | run to the next stop |"));
        assert!(keys_markdown().contains("| `c` `F5` | `continue` | run to the next stop |"));
        assert!(!keys_markdown().contains("|  |"));
    }
}
