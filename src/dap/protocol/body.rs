//! Bodies of responses.

use super::types::{
    Breakpoint, BreakpointLocation, CompletionItem, GotoTarget, Scope, Source, StackFrame,
    StepInTarget, Thread, Variable,
};
use serde::Serialize;

/// Capabilities of the adapter.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the protocol has it so")]
pub struct Capabilities {
    pub supports_configuration_done_request: bool,
    pub supports_function_breakpoints: bool,
    pub supports_conditional_breakpoints: bool,
    pub supports_hit_conditional_breakpoints: bool,
    pub supports_evaluate_for_hovers: bool,
    pub exception_breakpoint_filters: Vec<ExceptionBreakpointsFilter>,
    pub supports_step_back: bool,
    pub supports_set_variable: bool,
    pub supports_restart_frame: bool,
    pub supports_goto_targets_request: bool,
    pub supports_step_in_targets_request: bool,
    pub supports_completions_request: bool,
    pub completion_trigger_characters: Vec<&'static str>,
    pub supports_restart_request: bool,
    pub supports_exception_info_request: bool,
    pub support_terminate_debuggee: bool,
    pub supports_loaded_sources_request: bool,
    pub supports_log_points: bool,
    pub supports_set_expression: bool,
    pub supports_terminate_request: bool,
    pub supports_data_breakpoints: bool,
    pub supports_cancel_request: bool,
    pub supports_breakpoint_locations_request: bool,
    pub supports_clipboard_context: bool,
    pub supports_stepping_granularity: bool,
    pub supports_exception_filter_options: bool,
    pub supports_single_thread_execution_requests: bool,
}

/// An exception filter: a moment in the handling of errors at which the run can stop.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionBreakpointsFilter {
    /// Id of the filter in requests.
    pub filter: &'static str,
    /// Human-readable name.
    pub label: &'static str,
    /// Help text of the filter.
    pub description: &'static str,
    /// True if the filter is enabled by default.
    pub default: bool,
    /// True if the filter supports a condition.
    pub supports_condition: bool,
    /// Help text about the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition_description: Option<&'static str>,
}

/// Body of all responses to requests that set breakpoints.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BreakpointsBody {
    pub breakpoints: Vec<Breakpoint>,
}

/// Body of `breakpointLocations`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BreakpointLocationsBody {
    pub breakpoints: Vec<BreakpointLocation>,
}

/// Body of `dataBreakpointInfo`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpointInfoBody {
    /// Id for `setDataBreakpoints`; `null` if no data breakpoint is possible.
    pub data_id: Option<String>,
    /// Description of the data.
    pub description: String,
    /// Kinds of access that can stop the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access_types: Vec<&'static str>,
    /// True if the client may keep the breakpoint across sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_persist: Option<bool>,
}

/// Body of `threads`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ThreadsBody {
    pub threads: Vec<Thread>,
}

/// Body of `stackTrace`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTraceBody {
    pub stack_frames: Vec<StackFrame>,
    pub total_frames: i64,
}

/// Body of `scopes`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScopesBody {
    pub scopes: Vec<Scope>,
}

/// Body of `variables`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct VariablesBody {
    pub variables: Vec<Variable>,
}

/// Body of `evaluate`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvaluateBody {
    pub result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    pub variables_reference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
}

/// Body of `setVariable` and `setExpression`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetValueBody {
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    pub variables_reference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
}

/// Body of `continue`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueBody {
    pub all_threads_continued: bool,
}

/// Body of `exceptionInfo`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionInfoBody {
    pub exception_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub break_mode: &'static str,
    pub details: ExceptionDetails,
}

/// Details of an exception.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub type_name: String,
    pub evaluate_name: &'static str,
    pub stack_trace: String,
}

/// Body of `gotoTargets`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GotoTargetsBody {
    pub targets: Vec<GotoTarget>,
}

/// Body of `stepInTargets`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StepInTargetsBody {
    pub targets: Vec<StepInTarget>,
}

/// Body of `completions`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CompletionsBody {
    pub targets: Vec<CompletionItem>,
}

/// Body of `loadedSources`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoadedSourcesBody {
    pub sources: Vec<Source>,
}

/// Body of `source`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceBody {
    pub content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<&'static str>,
}

/// Body of an error response.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorBody {
    pub error: ErrorMessage,
}

/// The reason why a request failed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorMessage {
    pub id: i64,
    pub format: String,
    pub show_user: bool,
}
