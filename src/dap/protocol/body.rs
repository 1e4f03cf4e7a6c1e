//! What comes with responses.

use super::types::{
    Breakpoint, BreakpointLocation, CompletionItem, GotoTarget, Scope, Source, StackFrame,
    StepInTarget, Thread, Variable,
};
use serde::Serialize;

/// What the adapter can do.
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

/// A moment of errors that can stop.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionBreakpointsFilter {
    /// Its name in requests.
    pub filter: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Whether it stops at first.
    pub default: bool,
    /// Whether it takes a condition.
    pub supports_condition: bool,
    /// What the condition may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition_description: Option<&'static str>,
}

/// Of everything that sets breakpoints.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BreakpointsBody {
    pub breakpoints: Vec<Breakpoint>,
}

/// Of `breakpointLocations`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BreakpointLocationsBody {
    pub breakpoints: Vec<BreakpointLocation>,
}

/// Of `dataBreakpointInfo`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpointInfoBody {
    /// What `setDataBreakpoints` calls it; `null` where it cannot stop.
    pub data_id: Option<String>,
    /// In words.
    pub description: String,
    /// How it can be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub access_types: Vec<&'static str>,
    /// Whether it may be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_persist: Option<bool>,
}

/// Of `threads`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ThreadsBody {
    pub threads: Vec<Thread>,
}

/// Of `stackTrace`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTraceBody {
    pub stack_frames: Vec<StackFrame>,
    pub total_frames: i64,
}

/// Of `scopes`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScopesBody {
    pub scopes: Vec<Scope>,
}

/// Of `variables`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct VariablesBody {
    pub variables: Vec<Variable>,
}

/// Of `evaluate`.
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

/// Of `setVariable` and `setExpression`.
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

/// Of `continue`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContinueBody {
    pub all_threads_continued: bool,
}

/// Of `exceptionInfo`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionInfoBody {
    pub exception_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub break_mode: &'static str,
    pub details: ExceptionDetails,
}

/// More of an error.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub type_name: String,
    pub evaluate_name: &'static str,
    pub stack_trace: String,
}

/// Of `gotoTargets`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GotoTargetsBody {
    pub targets: Vec<GotoTarget>,
}

/// Of `stepInTargets`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StepInTargetsBody {
    pub targets: Vec<StepInTarget>,
}

/// Of `completions`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CompletionsBody {
    pub targets: Vec<CompletionItem>,
}

/// Of `loadedSources`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoadedSourcesBody {
    pub sources: Vec<Source>,
}

/// Of `source`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceBody {
    pub content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<&'static str>,
}

/// Of a request that was not done.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorBody {
    pub error: ErrorMessage,
}

/// Why a request was not done.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorMessage {
    pub id: i64,
    pub format: String,
    pub show_user: bool,
}
