//! What the client is told without having asked.

use super::types::{Breakpoint, Source};
use serde::Serialize;

/// An event with what comes with it.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", content = "body", rename_all = "camelCase")]
pub enum Event {
    /// Breakpoints can be set.
    Initialized,
    /// The run stopped.
    Stopped(Stopped),
    /// It goes on, and no request said so.
    #[serde(rename_all = "camelCase")]
    Continued {
        thread_id: i64,
        all_threads_continued: bool,
    },
    /// The execution ended.
    #[serde(rename_all = "camelCase")]
    Exited { exit_code: i64 },
    /// There is nothing more to debug.
    Terminated,
    /// A branch or item began or ended.
    #[serde(rename_all = "camelCase")]
    Thread {
        reason: &'static str,
        thread_id: i64,
    },
    /// Something to read.
    Output(Output),
    /// A breakpoint is another than before.
    Breakpoint {
        reason: &'static str,
        breakpoint: Breakpoint,
    },
    /// A text came, changed or went.
    LoadedSource {
        reason: &'static str,
        source: Source,
    },
    /// What was asked for before is no longer so.
    Invalidated { areas: Vec<&'static str> },
    /// Something takes long.
    #[serde(rename_all = "camelCase")]
    ProgressStart {
        progress_id: String,
        title: String,
        cancellable: bool,
    },
    /// It is still under way.
    #[serde(rename_all = "camelCase")]
    ProgressUpdate {
        progress_id: String,
        message: String,
    },
    /// It is over.
    #[serde(rename_all = "camelCase")]
    ProgressEnd { progress_id: String },
}

/// Of `stopped`.
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

/// Of `output`.
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
