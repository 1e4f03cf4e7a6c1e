//! Events that are sent to the client.

use super::types::{Breakpoint, Source};
use serde::Serialize;

/// An event and its body.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", content = "body", rename_all = "camelCase")]
pub enum Event {
    /// Breakpoints can be set now.
    Initialized,
    /// The run has stopped.
    Stopped(Stopped),
    /// The run continues without a request of the client.
    #[serde(rename_all = "camelCase")]
    Continued {
        thread_id: i64,
        all_threads_continued: bool,
    },
    /// The execution has ended.
    #[serde(rename_all = "camelCase")]
    Exited { exit_code: i64 },
    /// The debug session has ended.
    Terminated,
    /// A branch or item has started or ended.
    #[serde(rename_all = "camelCase")]
    Thread {
        reason: &'static str,
        thread_id: i64,
    },
    /// Text to show to the user.
    Output(Output),
    /// A breakpoint has changed.
    Breakpoint {
        reason: &'static str,
        breakpoint: Breakpoint,
    },
    /// A source was added, changed or removed.
    LoadedSource {
        reason: &'static str,
        source: Source,
    },
    /// Previously sent data of these areas is no longer valid.
    Invalidated { areas: Vec<&'static str> },
    /// A long operation has started.
    #[serde(rename_all = "camelCase")]
    ProgressStart {
        progress_id: String,
        title: String,
        cancellable: bool,
    },
    /// The long operation is still in progress.
    #[serde(rename_all = "camelCase")]
    ProgressUpdate {
        progress_id: String,
        message: String,
    },
    /// The long operation has ended.
    #[serde(rename_all = "camelCase")]
    ProgressEnd { progress_id: String },
}

/// Body of `stopped`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    pub reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub all_threads_stopped: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hit_breakpoint_ids: Vec<i64>,
}

/// Body of `output`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    pub category: &'static str,
    pub output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
}
