//! Types of the Debug Adapter Protocol 1.68, as its published schema defines them: the arguments of requests, and the
//! types that several messages share. Most members that the adapter does not use are left out.
//!
//! An argument that a client omits gets its default. Unknown arguments are ignored.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A text that stack frames and breakpoints refer to: a file, or a text that only the adapter has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// Name that the client shows for the source, such as the name of the file.
    pub name: Option<String>,
    /// Path or URI of the file; `None` if the source is not a file.
    pub path: Option<String>,
    /// If above 0, the number by which the client requests the text of the source.
    pub source_reference: Option<i64>,
    /// A short text for the user about where the source comes from.
    pub origin: Option<String>,
}

/// A breakpoint as the adapter reports it to the client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Id by which later events refer to the breakpoint.
    pub id: Option<i64>,
    /// True if the breakpoint can stop the run.
    pub verified: bool,
    /// A sentence for the user about the breakpoint, such as why it cannot stop the run.
    pub message: Option<String>,
    /// The source that contains the breakpoint.
    pub source: Option<Source>,
    /// Line of the breakpoint in the source.
    pub line: Option<i64>,
    /// Why the breakpoint cannot stop the run: `pending` or `failed`. `None` if it can.
    pub reason: Option<&'static str>,
}

/// A stack frame: an entry of the stack of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Number by which the client refers to the stack frame, until the run continues.
    pub id: i64,
    /// Name that the client shows for the stack frame, such as the name of a state.
    pub name: String,
    /// The source that contains the stack frame's code; `None` if there is none.
    pub source: Option<Source>,
    /// Line where the stack frame's code starts; 0 without a source.
    pub line: i64,
    /// Column where the stack frame's code starts; 0 without a source.
    pub column: i64,
    /// Line where the stack frame's code ends.
    pub end_line: Option<i64>,
    /// Column where the stack frame's code ends.
    pub end_column: Option<i64>,
    /// True if the client can send `restartFrame` for the stack frame, which executes its state again.
    pub can_restart: bool,
    /// How the client shows the stack frame: `label` for text without code, `subtle` for a less important one.
    pub presentation_hint: Option<&'static str>,
}

/// Arguments of `initialize`, the first request: properties of the client.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InitializeArguments {
    /// True if the client gives the first line the number 1, false if 0. Missing means true.
    pub lines_start_at1: Option<bool>,
    /// True if the client gives the first column the number 1, false if 0. Missing means true.
    pub columns_start_at1: Option<bool>,
    /// Format of the paths in messages: `path` or `uri`.
    pub path_format: Option<String>,
    /// True if the client can show the types of variables.
    pub supports_variable_type: bool,
    /// True if the client requests the items of a large array in pages, not all at once.
    pub supports_variable_paging: bool,
    /// True if the client can show the progress of a long run.
    pub supports_progress_reporting: bool,
    /// True if the client supports the `invalidated` event, which says that shown data must be requested again.
    pub supports_invalidated_event: bool,
}

/// Arguments of `setBreakpoints`, which sets all line breakpoints of one source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetBreakpointsArguments {
    /// The source whose breakpoints to set.
    pub source: Source,
    /// All breakpoints of the source; earlier ones that are not in this list are removed.
    pub breakpoints: Option<Vec<SourceBreakpoint>>,
    /// Lines of all breakpoints of the source. Older clients send this in place of `breakpoints`.
    pub lines: Option<Vec<i64>>,
}

/// A line breakpoint that the client requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceBreakpoint {
    /// Line on which to set the breakpoint.
    pub line: i64,
    /// Column at which to set the breakpoint; `None` for the whole line.
    pub column: Option<i64>,
    /// Condition that must be true for the breakpoint to stop the run.
    pub condition: Option<String>,
    /// The first hit that stops the run, such as `3` or `>= 3` for the third.
    pub hit_condition: Option<String>,
    /// Message to print at each hit; the breakpoint then does not stop the run.
    pub log_message: Option<String>,
}

/// Arguments of `setFunctionBreakpoints`, which sets all breakpoints on state names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetFunctionBreakpointsArguments {
    /// All breakpoints on state names; earlier ones that are not in this list are removed.
    pub breakpoints: Vec<FunctionBreakpoint>,
}

/// A breakpoint on a state, given by its name. The protocol calls it a function breakpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionBreakpoint {
    /// Name of the state. `*` stands for any characters, so several states may match.
    pub name: String,
    /// Condition that must be true for the breakpoint to stop the run.
    pub condition: Option<String>,
    /// The first hit that stops the run, such as `3` or `>= 3` for the third.
    pub hit_condition: Option<String>,
}

/// Arguments of `setExceptionBreakpoints`, which says at which errors the run stops.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptionBreakpointsArguments {
    /// Ids of the exception filters that are on without a condition.
    pub filters: Vec<String>,
    /// The exception filters that are on, each with its condition if it has one.
    pub filter_options: Vec<ExceptionFilterOptions>,
}

/// An exception filter that the user has switched on, with the condition that the user typed, if any.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionFilterOptions {
    /// Id of the exception filter.
    pub filter_id: String,
    /// The condition that the user typed, such as a pattern for error names; `None` if there is none.
    pub condition: Option<String>,
}

/// Arguments of `dataBreakpointInfo`, which asks whether a value can have a data breakpoint.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpointInfoArguments {
    /// Number of the scope or value that contains the variable; `None` if `name` is an expression.
    pub variables_reference: Option<i64>,
    /// Name of the variable, or an expression if `variables_reference` is missing.
    pub name: String,
}

/// Arguments of `setDataBreakpoints`, which sets all data breakpoints.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetDataBreakpointsArguments {
    /// All data breakpoints; earlier ones that are not in this list are removed.
    pub breakpoints: Vec<DataBreakpoint>,
}

/// A data breakpoint, which stops the run when a value changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpoint {
    /// Id of the value, which `dataBreakpointInfo` returned.
    pub data_id: String,
    /// Condition that must be true for the breakpoint to stop the run.
    pub condition: Option<String>,
    /// The first hit that stops the run, such as `3` or `>= 3` for the third.
    pub hit_condition: Option<String>,
}

/// Arguments of `breakpointLocations`, which asks on which lines breakpoints can be set.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BreakpointLocationsArguments {
    /// The source in which to look for lines.
    pub source: Source,
    /// The first line to examine.
    pub line: i64,
    /// The last line to examine; if missing, only the first line is examined.
    pub end_line: Option<i64>,
}

/// Arguments of `next`, `stepIn`, `stepOut`, `stepBack`, `continue`, `reverseContinue` and `pause`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StepArguments {
    /// Id of the thread to step or continue.
    pub thread_id: i64,
    /// True if only this thread should continue. The adapter always continues all threads.
    pub single_thread: bool,
    /// For `stepIn`, the id of the branch or item to step into, which `stepInTargets` returned.
    pub target_id: Option<i64>,
    /// Size of the step. With `instruction`, `next` and `stepBack` take small steps inside a state; with any other
    /// value, they step by whole states.
    pub granularity: Option<String>,
}

/// Arguments of `stackTrace`, which requests the stack frames of a thread.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTraceArguments {
    /// Id of the thread whose stack frames to return.
    pub thread_id: i64,
    /// Index of the first stack frame to return; the innermost has index 0.
    pub start_frame: Option<i64>,
    /// Maximum number of stack frames to return; 0 or missing means all.
    pub levels: Option<i64>,
}

/// Arguments of `scopes`, `restartFrame` and `stepInTargets`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameArguments {
    /// Id of the stack frame that the request is about.
    pub frame_id: i64,
}

/// Arguments of `variables`, which requests the children of a scope or value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VariablesArguments {
    /// Number of the scope or value whose children to return.
    pub variables_reference: i64,
    /// Which children to return: `indexed` for items only, `named` for the others only; missing means all.
    pub filter: Option<String>,
    /// Index of the first child to return.
    pub start: Option<i64>,
    /// Maximum number of children to return; 0 or missing means all.
    pub count: Option<i64>,
}

/// Arguments of `setVariable`, which changes a value that the client shows as a variable.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetVariableArguments {
    /// Number of the scope or value that contains the variable.
    pub variables_reference: i64,
    /// Name of the variable within its scope or value.
    pub name: String,
    /// The new value, as the JSON text that the user typed.
    pub value: String,
}

/// Arguments of `setExpression`, which changes the value of an expression.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExpressionArguments {
    /// The expression whose value to change.
    pub expression: String,
    /// The new value, as the JSON text that the user typed.
    pub value: String,
    /// Id of the stack frame in which to evaluate the expression; if missing, the frame that has the focus is used.
    pub frame_id: Option<i64>,
}

/// Arguments of `evaluate`, which evaluates an expression or executes a console command.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvaluateArguments {
    /// The expression to evaluate, or a line typed in the debug console.
    pub expression: String,
    /// Id of the stack frame in which to evaluate the expression; if missing, the frame that has the focus is used.
    pub frame_id: Option<i64>,
    /// Where the client uses the result: `watch`, `hover`, `repl` (the debug console), `clipboard` or `variables`.
    pub context: Option<String>,
    /// Line of the expression in `source`, for a hover.
    pub line: Option<i64>,
    /// Column of the expression in `source`, for a hover.
    pub column: Option<i64>,
    /// Source that contains the expression, for a hover.
    pub source: Option<Source>,
}

/// Arguments of `completions`, which requests completions of text in the debug console.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompletionsArguments {
    /// The text that the user has typed so far, which may have several lines.
    pub text: String,
    /// Column of the cursor in its line.
    pub column: i64,
    /// Line of the cursor within `text`; missing means the first line.
    pub line: Option<i64>,
}

/// Arguments of `exceptionInfo`, which requests details of the error in a thread.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ThreadArguments {
    /// Id of the thread in which the error was raised.
    pub thread_id: i64,
}

/// Arguments of `gotoTargets`, which asks at which states on a line a run can begin.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GotoTargetsArguments {
    /// The source that contains the line.
    pub source: Source,
    /// The line in which to look for a state.
    pub line: i64,
}

/// Arguments of `goto`, which begins a run at a state.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GotoArguments {
    /// Id of the thread to move; the adapter does not use it, because a new run begins.
    pub thread_id: i64,
    /// Id of the state to begin at, which `gotoTargets` returned.
    pub target_id: i64,
}

/// Arguments of `source`, which requests the text of a source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceArguments {
    /// The source whose text to return.
    pub source: Option<Source>,
    /// Number of the source, for older clients, which do not send `source`; 0 if there is none.
    pub source_reference: i64,
}

/// Arguments of `restart`, which begins the run again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RestartArguments {
    /// The arguments that `launch` would get now. They differ from those of the first launch if the user has changed
    /// the launch configuration.
    pub arguments: Option<Value>,
}

/// Arguments of `cancel`, with which the client cancels a long run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelArguments {
    /// Id of the progress display of the run to cancel, from the event `progressStart`.
    pub progress_id: Option<String>,
}
