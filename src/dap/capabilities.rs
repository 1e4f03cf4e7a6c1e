//! Capabilities of the adapter.

use super::protocol::{Capabilities, ExceptionBreakpointsFilter};
use crate::session::ErrorMoment;

/// The exception filter that stops where AWS and the ASL specification differ.
pub(super) const DIFFERS: &str = "differs";

/// Returns all capabilities.
pub(super) fn capabilities() -> Capabilities {
    Capabilities {
        supports_configuration_done_request: true,
        supports_function_breakpoints: true,
        supports_conditional_breakpoints: true,
        supports_hit_conditional_breakpoints: true,
        supports_evaluate_for_hovers: true,
        exception_breakpoint_filters: filters(),
        supports_step_back: true,
        supports_set_variable: true,
        supports_restart_frame: true,
        supports_goto_targets_request: true,
        supports_step_in_targets_request: true,
        supports_completions_request: true,
        completion_trigger_characters: vec![" ", ":"],
        supports_restart_request: true,
        supports_exception_info_request: true,
        support_terminate_debuggee: true,
        supports_loaded_sources_request: true,
        supports_log_points: true,
        supports_set_expression: true,
        supports_terminate_request: true,
        supports_data_breakpoints: true,
        supports_cancel_request: true,
        supports_breakpoint_locations_request: true,
        supports_clipboard_context: true,
        supports_stepping_granularity: true,
        supports_exception_filter_options: true,
        // The virtual clock is shared by all threads, so no thread can run alone.
        supports_single_thread_execution_requests: false,
    }
}

fn filters() -> Vec<ExceptionBreakpointsFilter> {
    let mut filters: Vec<_> = ErrorMoment::ALL.into_iter().map(filter).collect();
    filters.push(ExceptionBreakpointsFilter {
        filter: DIFFERS,
        label: "AWS differs",
        description: "Stops where AWS does not do what the specification says",
        default: true,
        supports_condition: false,
        condition_description: None,
    });
    filters
}

fn filter(moment: ErrorMoment) -> ExceptionBreakpointsFilter {
    let (filter, label, description) = match moment {
        ErrorMoment::Raised => (
            "raised",
            "Error raised",
            "Stops when an error is raised, before Retry and Catch",
        ),
        ErrorMoment::Retried => (
            "retried",
            "Error retried",
            "Stops when a retrier takes an error",
        ),
        ErrorMoment::Caught => ("caught", "Error caught", "Stops when an error is caught"),
        ErrorMoment::Uncaught => (
            "uncaught",
            "Error uncaught",
            "Stops when an error is not caught",
        ),
    };
    ExceptionBreakpointsFilter {
        filter,
        label,
        description,
        default: moment == ErrorMoment::Uncaught,
        supports_condition: true,
        condition_description: Some(
            "An error name, with * for anything (Payment.*), a condition (attempt >= 2), or both (Payment.* if attempt >= 2)",
        ),
    }
}
