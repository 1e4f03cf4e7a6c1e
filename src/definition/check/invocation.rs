//! The result of `lambda:invoke`.

use crate::definition::{CallPattern, Integration, State, StateKind};

/// Members of the result of `lambda:invoke`. The function's own result is in `Payload`.
pub(super) const ENVELOPE: [&str; 5] = [
    "ExecutedVersion",
    "Payload",
    "SdkHttpMetadata",
    "SdkResponseMetadata",
    "StatusCode",
];

/// True if the state calls `lambda:invoke` and waits for its response.
pub(super) fn is_invocation(state: &State) -> bool {
    let StateKind::Task(task) = &state.kind else {
        return false;
    };
    matches!(
        &task.integration,
        Integration::Service { service, pattern: CallPattern::RequestResponse, .. } if &**service == "lambda"
    )
}
