//! The result of `lambda:invoke`.

use crate::definition::{CallPattern, Integration, State, StateKind};

/// Members of the result of `lambda:invoke`; what the function returned is in its Payload.
pub(super) const ENVELOPE: [&str; 5] = [
    "ExecutedVersion",
    "Payload",
    "SdkHttpMetadata",
    "SdkResponseMetadata",
    "StatusCode",
];

/// Whether a state invokes a function by `lambda:invoke` and waits for the result.
pub(super) fn is_invocation(state: &State) -> bool {
    let StateKind::Task(task) = &state.kind else {
        return false;
    };
    matches!(
        &task.integration,
        Integration::Service { service, pattern: CallPattern::RequestResponse, .. } if &**service == "lambda"
    )
}
