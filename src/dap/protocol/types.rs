//! Types that several messages share.

use serde::{Deserialize, Serialize};

/// A source of frames and breakpoints: a file, or a text that only the adapter has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// Short name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// If above 0, the `source` request returns the text for this reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
    /// Human-readable origin of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A breakpoint that was set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Id of the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// True if the breakpoint can stop the run.
    pub verified: bool,
    /// Message about the breakpoint, such as the reason why it cannot stop the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The source that contains the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Line of the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// `pending` or `failed` if the breakpoint is not verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// A possible location of a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BreakpointLocation {
    /// The line.
    pub line: i64,
}

/// A thread: the execution, a branch or an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// Id of the thread.
    pub id: i64,
    /// Name of the thread.
    pub name: String,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The line; 0 without a source.
    pub line: i64,
    /// The column; 0 without a source.
    pub column: i64,
    /// Last line of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// Last column of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
    /// True if `restartFrame` supports the frame.
    pub can_restart: bool,
    /// How to show the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}

/// A group of values of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Name of the scope.
    pub name: String,
    /// How to show the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    /// Reference for the `variables` request.
    pub variables_reference: i64,
    /// Number of named variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// Number of indexed variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
    /// True if the scope is large or expensive to request.
    pub expensive: bool,
    /// The source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Line in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// A named value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// Type of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// How to show the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<VariablePresentationHint>,
    /// Expression that evaluates to the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// Reference for the `variables` request; 0 if the value has no children.
    pub variables_reference: i64,
    /// Number of named children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// Number of indexed children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
}

/// How to show a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VariablePresentationHint {
    /// Kind of the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Attributes of the variable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<&'static str>,
}

/// A state at which a run can begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GotoTarget {
    /// Id of the target.
    pub id: i64,
    /// Name of the target.
    pub label: String,
    /// Line of the target.
    pub line: i64,
}

/// A branch or item that can be stepped into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepInTarget {
    /// Id of the target.
    pub id: i64,
    /// Name of the target.
    pub label: String,
}

/// A completion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompletionItem {
    /// The text to show and insert.
    pub label: String,
    /// Description of the completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Type of the completion: `function`, `value`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    /// Column at which to insert the completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// Number of characters to replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
}
