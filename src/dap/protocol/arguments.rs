//! What comes with requests.
//!
//! What a client leaves out has its default; what is not known is not read.

use super::types::Source;
use serde::Deserialize;
use serde_json::Value;

/// Of `initialize`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InitializeArguments {
    /// Whether lines count from 1; they do where it is not said.
    pub lines_start_at1: Option<bool>,
    /// Whether columns do.
    pub columns_start_at1: Option<bool>,
    /// `path` or `uri`.
    pub path_format: Option<String>,
    /// Whether variables may have types.
    pub supports_variable_type: bool,
    /// Whether large values are asked for in parts.
    pub supports_variable_paging: bool,
    /// Whether progress is shown.
    pub supports_progress_reporting: bool,
    /// Whether `invalidated` is understood.
    pub supports_invalidated_event: bool,
}

/// Of `setBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetBreakpointsArguments {
    /// The text.
    pub source: Source,
    /// All breakpoints in it.
    pub breakpoints: Option<Vec<SourceBreakpoint>>,
    /// Their lines, as older clients have it.
    pub lines: Option<Vec<i64>>,
}

/// A breakpoint on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceBreakpoint {
    /// The line.
    pub line: i64,
    /// The column in it, where one is meant.
    pub column: Option<i64>,
    /// Stops only where this holds.
    pub condition: Option<String>,
    /// Stops only from this hit on.
    pub hit_condition: Option<String>,
    /// Does not stop but says this.
    pub log_message: Option<String>,
}

/// Of `setFunctionBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetFunctionBreakpointsArguments {
    /// All of them.
    pub breakpoints: Vec<FunctionBreakpoint>,
}

/// A breakpoint on a state by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionBreakpoint {
    /// The state's name; `*` stands for anything.
    pub name: String,
    /// As of [`SourceBreakpoint`].
    pub condition: Option<String>,
    /// As of [`SourceBreakpoint`].
    pub hit_condition: Option<String>,
}

/// Of `setExceptionBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptionBreakpointsArguments {
    /// Names of filters.
    pub filters: Vec<String>,
    /// Filters with conditions.
    pub filter_options: Vec<ExceptionFilterOptions>,
}

/// A filter with a condition.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionFilterOptions {
    /// The filter.
    pub filter_id: String,
    /// Its condition.
    pub condition: Option<String>,
}

/// Of `dataBreakpointInfo`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpointInfoArguments {
    /// Where the variable is a part of.
    pub variables_reference: Option<i64>,
    /// The variable, or an expression.
    pub name: String,
}

/// Of `setDataBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetDataBreakpointsArguments {
    /// All of them.
    pub breakpoints: Vec<DataBreakpoint>,
}

/// A breakpoint on a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpoint {
    /// What `dataBreakpointInfo` named it.
    pub data_id: String,
    /// As of [`SourceBreakpoint`].
    pub condition: Option<String>,
    /// As of [`SourceBreakpoint`].
    pub hit_condition: Option<String>,
}

/// Of `breakpointLocations`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BreakpointLocationsArguments {
    /// The text.
    pub source: Source,
    /// The first line.
    pub line: i64,
    /// The last line; the first where it is not given.
    pub end_line: Option<i64>,
}

/// Of `next`, `stepIn`, `stepOut`, `stepBack`, `continue`, `reverseContinue`, `pause`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StepArguments {
    /// The thread.
    pub thread_id: i64,
    /// Whether only that thread is to go on.
    pub single_thread: bool,
    /// Which of the places that `stepInTargets` gave.
    pub target_id: Option<i64>,
    /// `statement`, `line` or `instruction`.
    pub granularity: Option<String>,
}

/// Of `stackTrace`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTraceArguments {
    /// The thread.
    pub thread_id: i64,
    /// The first frame wanted.
    pub start_frame: Option<i64>,
    /// So many of them; all where it is 0 or not given.
    pub levels: Option<i64>,
}

/// Of `scopes`, `restartFrame` and `stepInTargets`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameArguments {
    /// The frame.
    pub frame_id: i64,
}

/// Of `variables`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VariablesArguments {
    /// What the values are a part of.
    pub variables_reference: i64,
    /// `indexed` or `named` ones alone.
    pub filter: Option<String>,
    /// The first one wanted.
    pub start: Option<i64>,
    /// So many of them; all where it is 0 or not given.
    pub count: Option<i64>,
}

/// Of `setVariable`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetVariableArguments {
    /// What the variable is a part of.
    pub variables_reference: i64,
    /// Its name.
    pub name: String,
    /// What it becomes.
    pub value: String,
}

/// Of `setExpression`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExpressionArguments {
    /// What names the value.
    pub expression: String,
    /// What it becomes.
    pub value: String,
    /// The frame.
    pub frame_id: Option<i64>,
}

/// Of `evaluate`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvaluateArguments {
    /// What is evaluated.
    pub expression: String,
    /// The frame.
    pub frame_id: Option<i64>,
    /// `watch`, `hover`, `repl`, `clipboard`, `variables`.
    pub context: Option<String>,
    /// The line where it stands, where it is one of a text.
    pub line: Option<i64>,
    /// The column where it stands.
    pub column: Option<i64>,
    /// The text in which it stands.
    pub source: Option<Source>,
}

/// Of `completions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompletionsArguments {
    /// What is typed.
    pub text: String,
    /// Where the cursor stands.
    pub column: i64,
    /// In which line of it.
    pub line: Option<i64>,
}

/// Of `exceptionInfo`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ThreadArguments {
    /// The thread.
    pub thread_id: i64,
}

/// Of `gotoTargets`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GotoTargetsArguments {
    /// The text.
    pub source: Source,
    /// The line.
    pub line: i64,
}

/// Of `goto`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GotoArguments {
    /// The thread.
    pub thread_id: i64,
    /// What `gotoTargets` numbered it.
    pub target_id: i64,
}

/// Of `source`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceArguments {
    /// The text.
    pub source: Option<Source>,
    /// Its number.
    pub source_reference: i64,
}

/// Of `restart`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RestartArguments {
    /// What `launch` would have now.
    pub arguments: Option<Value>,
}

/// Of `cancel`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelArguments {
    /// The progress that is not wanted any longer.
    pub progress_id: Option<String>,
}
