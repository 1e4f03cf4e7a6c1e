//! A frame: one execution of a scope (a list of states), with its variables and current state.

use super::children::Item;
use super::event::{FrameId, Millis};
use super::fault::{Difference, Fault};
use super::visit::StateVisit;
use crate::definition::ScopeId;
use crate::json::{Text, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// One execution of a scope (a list of states): the machine itself, a branch or an iteration.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The frame's id.
    pub id: FrameId,
    /// The frame whose Parallel or Map started this frame; `None` for the top-level frame.
    pub parent: Option<FrameId>,
    /// Branch or item index, from 0; 0 for the top-level frame.
    pub index: u32,
    /// The scope that the frame executes.
    pub scope: ScopeId,
    /// The Map item that the frame processes, if it is an iteration.
    pub item: Option<Item>,
    /// Start time and input of the child execution, if this frame is the outermost frame of one.
    pub(super) execution: Option<Begun>,
    /// True if the frame belongs to a child execution of a DISTRIBUTED Map, whose events AWS writes to a separate
    /// history.
    pub in_child_execution: bool,
    /// The variables that the frame can read.
    pub variables: Arc<Variables>,
    /// The number of times that the frame has entered each state, by the position of the state in its scope.
    pub(super) visit_counts: Vec<u32>,
    /// History id of the last event of this frame, which becomes the `previousEventId` of the next event.
    pub last_id: u32,
    /// How AWS differs at the last event of this frame whose `diverges` is true.
    pub difference: Option<Difference>,
    /// The frame's deadlines, which are also in the machine's queue of deadlines.
    pub(super) timers: Vec<(Millis, Timer)>,
    /// The last error that was caught. A Fail state may pass on the cause of that error.
    pub(super) caught: Option<Box<Fault>>,
    /// The frame's visit to its current state.
    pub visit: StateVisit,
}

impl Frame {
    /// Returns the frame as the fields of its current state see it: with the variables before the state's Assign.
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

    /// True if the Assign of the current state has taken effect.
    #[must_use]
    pub fn has_assigned(&self) -> bool {
        self.visit.read.is_some()
    }

    /// True if the frame has entered at most one state. The input of that state is the input of the branch or item.
    #[must_use]
    pub fn is_in_first_visit(&self) -> bool {
        let visits = self.visit_counts.iter();
        visits.map(|count| u64::from(*count)).sum::<u64>() <= 1
    }
}

/// The start of a child execution. The member `Execution` of its context object is made from these values.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// Start time on the virtual clock.
    pub(super) at: Millis,
    /// The execution's input.
    pub(super) input: Value,
}

/// A deadline of a frame. If two deadlines are due at the same time, the kind that is listed first takes effect first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Timer {
    /// The answer of a task arrives.
    Completion,
    /// A heartbeat arrives. The number is the heartbeat's index in the answer's list.
    Heartbeat(u32),
    /// A Wait ends.
    Wake,
    /// A state is entered, at the time at which the recorded execution entered the state.
    Entry,
    /// A recorded Map Run ends. Its child executions were not recorded.
    MapRun,
    /// A retry begins.
    Retry,
    /// The HeartbeatSeconds of a task have passed without a heartbeat.
    HeartbeatTimeout,
    /// The TimeoutSeconds of a task have passed.
    Timeout,
    /// The execution's TimeoutSeconds have passed.
    Execution,
    /// The recorded end of a Map or Parallel. Of several ends at the same time, the one with the lowest number comes
    /// first: the one whose frame began last.
    Work(u32),
    /// The whole execution ends as recorded.
    Recorded,
}

/// The variables of a scope, with access to the variables of the enclosing scopes.
#[derive(Debug, Default, PartialEq)]
pub struct Variables {
    outer: Option<Arc<Variables>>,
    inner: Vec<(Text, Value)>,
}

impl Variables {
    /// The variables of the outermost scope, which has no enclosing scope.
    #[must_use]
    pub fn new(inner: Vec<(Text, Value)>) -> Self {
        Self { outer: None, inner }
    }

    /// An empty scope of variables, nested in `outer`.
    #[must_use]
    pub fn inside(outer: &Arc<Self>) -> Self {
        Self {
            outer: Some(Arc::clone(outer)),
            inner: Vec::new(),
        }
    }

    /// Returns the value of a variable; inner scopes shadow outer ones.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.inner.iter().find(|(known, _)| &**known == name) {
            Some((_, value)) => Some(value),
            None => self.outer.as_ref()?.get(name),
        }
    }

    /// Returns a copy of these variables after the variables in `assigned` were set.
    #[must_use]
    pub fn with(&self, assigned: &[(Text, Value)]) -> Self {
        let mut inner = self.inner.clone();
        for (name, value) in assigned {
            match inner.iter_mut().find(|(known, _)| known == name) {
                Some(slot) => slot.1 = value.clone(),
                None => inner.push((name.clone(), value.clone())),
            }
        }
        Self {
            outer: self.outer.clone(),
            inner,
        }
    }

    /// Total size in bytes of all variables, including the variables of enclosing scopes.
    #[must_use]
    pub fn size(&self) -> u64 {
        let outer = self.outer.as_ref().map_or(0, |outer| outer.size());
        let sizes = self.inner.iter().map(|(_, value)| value.size());
        sizes.fold(outer, u64::saturating_add)
    }

    /// The variables of this scope, without the variables of enclosing scopes.
    #[must_use]
    pub fn own(&self) -> &[(Text, Value)] {
        &self.inner
    }

    /// All visible variables, outermost scope first; an inner variable hides an outer one of the same name.
    #[must_use]
    pub fn all(&self) -> Vec<(Text, Value)> {
        let mut all = self
            .outer
            .as_ref()
            .map_or_else(Vec::new, |outer| outer.all());
        all.retain(|(name, _)| !self.inner.iter().any(|(key, _)| key == name));
        all.extend(self.inner.iter().cloned());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_not_listed() {
        let variable = |name: &str, value: i64| (Text::from(name), Value::from(value));
        let outer = Arc::new(Variables::new(vec![variable("v", 1), variable("w", 2)]));
        let inner = Variables::inside(&outer).with(&[variable("v", 3)]);
        assert_eq!(inner.all(), [variable("w", 2), variable("v", 3)]);
        assert_eq!(inner.get("v"), Some(&Value::from(3)));
        assert_eq!(outer.all(), [variable("v", 1), variable("w", 2)]);
    }
}
