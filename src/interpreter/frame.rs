//! One run of a scope: which one, for which item, with which variables, and the state it is in.
//!
//! It must not know what a visit of a state goes through.

use super::children::Item;
use super::difference::Difference;
use super::event::{FrameId, Millis};
use super::fault::Fault;
use super::variable::Variables;
use super::visit::StateVisit;
use crate::definition::ScopeId;
use crate::json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// One run of a scope.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its id.
    pub id: FrameId,
    /// The frame whose Parallel or Map started it; `None` for the machine's own.
    pub parent: Option<FrameId>,
    /// Its branch or item index, from 0; 0 for the machine's own.
    pub index: u32,
    /// The scope.
    pub scope: ScopeId,
    /// The Map item that it runs for.
    pub item: Option<Item>,
    /// How the child execution began that it is.
    pub(super) execution: Option<Begun>,
    /// Whether it runs in a child execution of a DISTRIBUTED Map: AWS keeps its events in a history of its own.
    pub in_child_execution: bool,
    /// Variables that can be read.
    pub variables: Arc<Variables>,
    /// How often each state of the scope was entered by this frame, by its place in the scope.
    pub(super) visit_counts: Vec<u32>,
    /// The last history id of this strand.
    pub last_id: u32,
    /// What the last event of this frame with `diverges` was about.
    pub difference: Option<Difference>,
    /// Its deadlines in the machine's queue.
    pub(super) timers: Vec<(Millis, Timer)>,
    /// The last error that a catcher took: a Fail state may hand its cause on.
    pub(super) caught: Option<Box<Fault>>,
    /// The state it is in, and all that is known of this visit of it.
    pub visit: StateVisit,
}

impl Frame {
    /// The frame with the variables that the fields of its state read: those from before its Assign.
    #[must_use]
    pub fn before_assign(&self) -> Cow<'_, Self> {
        match &self.visit.read {
            None => Cow::Borrowed(self),
            Some(variables) => Cow::Owned(Self {
                variables: Arc::clone(variables),
                ..self.clone()
            }),
        }
    }

    /// Whether the Assign of its state has taken effect.
    #[must_use]
    pub fn has_assigned(&self) -> bool {
        self.visit.read.is_some()
    }

    /// Whether it is in the first state that it enters, or begins with it: the input of that is that of the branch or item.
    #[must_use]
    pub fn is_in_first_visit(&self) -> bool {
        let visits = self.visit_counts.iter();
        visits.map(|count| u64::from(*count)).sum::<u64>() <= 1
    }
}

/// How a child execution began: what `Execution` of its context object is made of.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// When, on the virtual clock.
    pub(super) at: Millis,
    /// Its input.
    pub(super) input: Value,
}

/// A deadline of a frame; at the same time the earlier kind wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Timer {
    /// The answer arrives.
    Completion,
    /// A heartbeat arrives; its place in the answer's list.
    Heartbeat(u32),
    /// A Wait ends.
    Wake,
    /// A state is entered, as late as it was where the run was recorded.
    Entry,
    /// A Map Run ends of which only that was recorded.
    MapRun,
    /// A retry begins.
    Retry,
    /// HeartbeatSeconds pass.
    HeartbeatTimeout,
    /// TimeoutSeconds pass.
    Timeout,
    /// The execution's TimeoutSeconds pass.
    Execution,
    /// The work of the Map or Parallel of a frame is over where it was recorded; the number is the less, the later the
    /// frame began.
    Work(u32),
    /// The execution ends as it did where it was recorded.
    Recorded,
}
