//! The types that several messages have in common.

use serde::{Deserialize, Serialize};

/// A text that frames and breakpoints stand in: a file, or a text that the adapter has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// Its short name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where it is above 0, the text is had by `source` under this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
    /// Where the text comes from, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A breakpoint as it was set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Whether it can stop.
    pub verified: bool,
    /// Why it cannot, or what there is to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The text it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// `pending` or `failed`, where it is not verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// A place where a breakpoint could stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BreakpointLocation {
    /// The line.
    pub line: i64,
}

/// Something that runs side by side with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Its number, until the run goes on.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The line; 0 without a source.
    pub line: i64,
    /// The column; 0 without a source.
    pub column: i64,
    /// Where the text ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The column there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
    /// Whether `restartFrame` takes it.
    pub can_restart: bool,
    /// How it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}

/// Values of a frame that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Its name.
    pub name: String,
    /// How it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    /// What `variables` gives its values for.
    pub variables_reference: i64,
    /// How many named values it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// How many numbered values it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
    /// Whether it is large.
    pub expensive: bool,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// A value with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// Its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// How it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<VariablePresentationHint>,
    /// What `evaluate` gives it for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// What `variables` gives its parts for; 0 where it has none.
    pub variables_reference: i64,
    /// How many named parts it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<i64>,
    /// How many numbered parts it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<i64>,
}

/// How a variable is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VariablePresentationHint {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// What holds for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<&'static str>,
}

/// A place where a run can begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GotoTarget {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub label: String,
    /// Its line.
    pub line: i64,
}

/// A place that can be stepped into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepInTarget {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub label: String,
}

/// A way to complete what is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompletionItem {
    /// What is shown, and put in.
    pub label: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// `function`, `value`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    /// Where it is put in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// How many characters it takes the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i64>,
}
