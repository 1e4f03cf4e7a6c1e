//! Types of the Debug Adapter Protocol 1.68, as its published schema defines them: the arguments of requests, and types
//! that several messages share. Contains only those parts that the adapter uses.
//!
//! If a client omits an argument, the argument gets its default. Unknown arguments are ignored.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A source text that frames and breakpoints refer to: a file, or a text that only the adapter has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// Short name.
    pub name: Option<String>,
    /// Path of the file.
    pub path: Option<String>,
    /// If above 0, a number for the source; the request `source` with this number returns the text.
    pub source_reference: Option<i64>,
    /// Human-readable origin of the source.
    pub origin: Option<String>,
}

/// A breakpoint that was set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Id of the breakpoint.
    pub id: Option<i64>,
    /// True if the breakpoint can stop the run.
    pub verified: bool,
    /// Message about the breakpoint, such as the reason why it cannot stop the run.
    pub message: Option<String>,
    /// The source that contains the breakpoint.
    pub source: Option<Source>,
    /// Line of the breakpoint.
    pub line: Option<i64>,
    /// `pending` or `failed` if the breakpoint is not verified.
    pub reason: Option<&'static str>,
}

/// A stack frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Id, valid until the run continues.
    pub id: i64,
    /// Name of the frame.
    pub name: String,
    /// The source.
    pub source: Option<Source>,
    /// The line; 0 without a source.
    pub line: i64,
    /// The column; 0 without a source.
    pub column: i64,
    /// Last line of the range.
    pub end_line: Option<i64>,
    /// Last column of the range.
    pub end_column: Option<i64>,
    /// True if `restartFrame` supports the frame.
    pub can_restart: bool,
    /// How to show the frame.
    pub presentation_hint: Option<&'static str>,
}

/// Arguments of `initialize`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InitializeArguments {
    /// True if lines start at 1, which is the default.
    pub lines_start_at1: Option<bool>,
    /// True if columns start at 1, which is the default.
    pub columns_start_at1: Option<bool>,
    /// Format of paths: `path` or `uri`.
    pub path_format: Option<String>,
    /// True if the client supports types of variables.
    pub supports_variable_type: bool,
    /// True if the client requests large values in pages.
    pub supports_variable_paging: bool,
    /// True if the client shows progress.
    pub supports_progress_reporting: bool,
    /// True if the client supports the `invalidated` event.
    pub supports_invalidated_event: bool,
}

/// Arguments of `setBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetBreakpointsArguments {
    /// The source of the breakpoints.
    pub source: Source,
    /// All breakpoints in the source.
    pub breakpoints: Option<Vec<SourceBreakpoint>>,
    /// Lines of the breakpoints, as older clients send them.
    pub lines: Option<Vec<i64>>,
}

/// A breakpoint on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceBreakpoint {
    /// The line.
    pub line: i64,
    /// The column, if any.
    pub column: Option<i64>,
    /// Stop only if this condition is true.
    pub condition: Option<String>,
    /// Stop only from this hit on, such as `3` or `>= 3`.
    pub hit_condition: Option<String>,
    /// Print this message instead of stopping.
    pub log_message: Option<String>,
}

/// Arguments of `setFunctionBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetFunctionBreakpointsArguments {
    /// All function breakpoints.
    pub breakpoints: Vec<FunctionBreakpoint>,
}

/// A breakpoint on a state, given by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionBreakpoint {
    /// Name of the state; `*` matches any characters.
    pub name: String,
    /// Stop only if this condition is true.
    pub condition: Option<String>,
    /// Stop only from this hit on, such as `3` or `>= 3`.
    pub hit_condition: Option<String>,
}

/// Arguments of `setExceptionBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptionBreakpointsArguments {
    /// Ids of filters.
    pub filters: Vec<String>,
    /// Filters with conditions.
    pub filter_options: Vec<ExceptionFilterOptions>,
}

/// A filter with a condition.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionFilterOptions {
    /// Id of the filter.
    pub filter_id: String,
    /// Condition of the filter.
    pub condition: Option<String>,
}

/// Arguments of `dataBreakpointInfo`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpointInfoArguments {
    /// Reference of the variable's container.
    pub variables_reference: Option<i64>,
    /// Name of the variable, or an expression.
    pub name: String,
}

/// Arguments of `setDataBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetDataBreakpointsArguments {
    /// All data breakpoints.
    pub breakpoints: Vec<DataBreakpoint>,
}

/// A breakpoint on a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpoint {
    /// Id that `dataBreakpointInfo` returned.
    pub data_id: String,
    /// Stop only if this condition is true.
    pub condition: Option<String>,
    /// Stop only from this hit on, such as `3` or `>= 3`.
    pub hit_condition: Option<String>,
}

/// Arguments of `breakpointLocations`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BreakpointLocationsArguments {
    /// The source to search.
    pub source: Source,
    /// The first line.
    pub line: i64,
    /// The last line; defaults to the first.
    pub end_line: Option<i64>,
}

/// Arguments of `next`, `stepIn`, `stepOut`, `stepBack`, `continue`, `reverseContinue` and `pause`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StepArguments {
    /// The thread.
    pub thread_id: i64,
    /// True if only this thread should continue.
    pub single_thread: bool,
    /// A target that `stepInTargets` returned.
    pub target_id: Option<i64>,
    /// Granularity of the step: `statement`, `line` or `instruction`.
    pub granularity: Option<String>,
}

/// Arguments of `stackTrace`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTraceArguments {
    /// The thread.
    pub thread_id: i64,
    /// Index of the first frame to return.
    pub start_frame: Option<i64>,
    /// Number of frames to return; all if 0 or missing.
    pub levels: Option<i64>,
}

/// Arguments of `scopes`, `restartFrame` and `stepInTargets`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameArguments {
    /// The frame.
    pub frame_id: i64,
}

/// Arguments of `variables`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VariablesArguments {
    /// Reference of the container.
    pub variables_reference: i64,
    /// Return only `indexed` or only `named` variables.
    pub filter: Option<String>,
    /// Index of the first variable to return.
    pub start: Option<i64>,
    /// Number of variables to return; all if 0 or missing.
    pub count: Option<i64>,
}

/// Arguments of `setVariable`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetVariableArguments {
    /// Reference of the variable's container.
    pub variables_reference: i64,
    /// Name of the variable.
    pub name: String,
    /// The new value.
    pub value: String,
}

/// Arguments of `setExpression`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExpressionArguments {
    /// The expression to assign to.
    pub expression: String,
    /// The new value.
    pub value: String,
    /// The frame in which to evaluate.
    pub frame_id: Option<i64>,
}

/// Arguments of `evaluate`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvaluateArguments {
    /// The expression.
    pub expression: String,
    /// The frame in which to evaluate.
    pub frame_id: Option<i64>,
    /// Context of the request: `watch`, `hover`, `repl`, `clipboard` or `variables`.
    pub context: Option<String>,
    /// Line of the expression, if it is from a source.
    pub line: Option<i64>,
    /// Column of the expression.
    pub column: Option<i64>,
    /// Source that contains the expression.
    pub source: Option<Source>,
}

/// Arguments of `completions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompletionsArguments {
    /// The text typed so far.
    pub text: String,
    /// Column of the cursor.
    pub column: i64,
    /// Line of the cursor within the text.
    pub line: Option<i64>,
}

/// Arguments of `exceptionInfo`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ThreadArguments {
    /// The thread.
    pub thread_id: i64,
}

/// Arguments of `gotoTargets`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GotoTargetsArguments {
    /// The source.
    pub source: Source,
    /// The line.
    pub line: i64,
}

/// Arguments of `goto`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GotoArguments {
    /// The thread.
    pub thread_id: i64,
    /// Id that `gotoTargets` returned.
    pub target_id: i64,
}

/// Arguments of `source`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceArguments {
    /// The source to return.
    pub source: Option<Source>,
    /// Reference of the source.
    pub source_reference: i64,
}

/// Arguments of `restart`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RestartArguments {
    /// The present arguments of `launch`, which may have changed since the launch.
    pub arguments: Option<Value>,
}

/// Arguments of `cancel`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelArguments {
    /// Id of the progress to cancel.
    pub progress_id: Option<String>,
}
