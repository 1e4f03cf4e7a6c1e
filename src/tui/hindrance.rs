//! Reasons why a command currently has no effect, so that it is not offered or is offered with the reason.

use super::action::{Action, Does};
use crate::session::view::{RunStatus, View};

/// Why the session would refuse a command now; `None` if it would not.
pub(super) fn refused(action: Action, view: &View, busy: bool) -> Option<&'static str> {
    let header = &view.header;
    let over = matches!(
        header.status,
        RunStatus::Succeeded { .. } | RunStatus::Failed(_) | RunStatus::TimedOut
    );
    let tells = |is: bool, why| is.then_some(why);
    match action {
        Action::Pause => tells(!busy, "nothing runs"),
        _ if busy && !matches!(action.does(), Does::FrontEnd) => Some("the run goes on: pause it"),
        Action::Continue | Action::Next | Action::Step | Action::Finish => {
            tells(over, "the run is over")
        }
        // The first two events are the start and the entry of the first state.
        Action::ReverseContinue
        | Action::ReverseNext
        | Action::ReverseStep
        | Action::ReverseFinish
        | Action::PreviousState
        | Action::PreviousStage
        | Action::PreviousEvent => tells(header.event <= 2, "nothing ran before this"),
        Action::Now | Action::NextState | Action::NextStage | Action::NextEvent => tells(
            header.status != RunStatus::Past,
            "this is the last recorded event",
        ),
        Action::FrameUp => tells(view.frames.len() < 2, "no frame is around this one"),
        Action::Fail | Action::NeverAnswer => {
            let none = view.tasks.is_empty() && view.held.is_empty();
            tells(none, "no task waits for an answer")
        }
        Action::Delete | Action::Enable | Action::Disable => {
            tells(view.breakpoints.is_empty(), "there is no breakpoint")
        }
        Action::Unwatch => tells(view.watches.is_empty(), "there is no watch"),
        Action::Recording => tells(view.recorded.is_none(), "the run repeats no recording"),
        _ => None,
    }
}
