//! The lists of breakpoints that the client sent.

use super::outbox::Outbox;
use super::protocol::{
    Breakpoint, DataBreakpoint, Event, FunctionBreakpoint, Source, SourceBreakpoint,
};
use crate::session::{BreakpointId, ErrorFilter, Switch};
use std::collections::{BTreeMap, BTreeSet};

/// First id for breakpoints that the session does not have.
const UNSET: i64 = 1 << 30;

/// The breakpoints of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct LineList {
    pub(super) source: Source,
    pub(super) wanted: Vec<SourceBreakpoint>,
    /// The breakpoints as last reported to the client.
    pub(super) told: Vec<Breakpoint>,
}

/// All lists of the client.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) lines: Vec<LineList>,
    pub(super) names: Vec<FunctionBreakpoint>,
    /// The breakpoints on names as last reported to the client.
    pub(super) told: Vec<Breakpoint>,
    /// Breakpoints of the session that the client knows by another id.
    pub(super) shown: BTreeMap<BreakpointId, i64>,
    /// Breakpoints that were set by name.
    pub(super) by_name: BTreeSet<BreakpointId>,
    pub(super) filters: Option<(Vec<ErrorFilter>, Switch)>,
    pub data: DataList,
    pub(super) unset: i64,
    /// Offset added to the session's ids, because every session starts with id 1.
    pub(super) base: i64,
}

/// Number of ids reserved for each session.
pub(super) const OF_SESSION: i64 = 1 << 20;

impl Lists {
    /// Removes all breakpoints.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The sources in which a breakpoint is requested.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.lines.iter().map(|list| &list.source)
    }

    /// The client's id of a breakpoint of the session.
    pub fn shown_id(&self, id: BreakpointId) -> i64 {
        let shown = self.shown.get(&id).copied();
        shown.unwrap_or_else(|| self.number(id))
    }

    /// Sets the client's id of a breakpoint of the session.
    pub fn show_as(&mut self, id: BreakpointId, shown: i64) {
        self.shown.insert(id, shown);
    }

    /// An id that is unique among all sessions.
    pub fn number(&self, id: BreakpointId) -> i64 {
        self.base.saturating_add(i64::from(id.0))
    }

    /// True if the breakpoint was set by name.
    pub fn is_by_name(&self, id: BreakpointId) -> bool {
        self.by_name.contains(&id)
    }

    /// A new id for a breakpoint that the session does not have.
    pub(super) fn next_unset(&mut self) -> i64 {
        self.unset = self.unset.saturating_add(1);
        UNSET.saturating_add(self.unset)
    }

    /// Reports the breakpoints that changed, under the ids that the client knows.
    pub(super) fn retell(
        &mut self,
        before: &[Breakpoint],
        now: Vec<Breakpoint>,
        out: &mut Outbox,
    ) -> Vec<Breakpoint> {
        let told = before.iter().zip(now).map(|(before, mut now)| {
            if let (Some(known), Some(fresh)) = (before.id, now.id)
                && known != fresh
            {
                for shown in self.shown.values_mut().filter(|shown| **shown == fresh) {
                    *shown = known;
                }
                if let Ok(id) = u32::try_from(fresh.saturating_sub(self.base)) {
                    self.shown.insert(BreakpointId(id), known);
                }
                now.id = Some(known);
            }
            if now != *before {
                out.event(Event::Breakpoint {
                    reason: "changed",
                    breakpoint: now.clone(),
                });
            }
            now
        });
        told.collect()
    }

    /// A breakpoint that currently cannot stop the run.
    pub fn unverified(&mut self, why: impl Into<String>, reason: &'static str) -> Breakpoint {
        Breakpoint {
            id: Some(self.next_unset()),
            verified: false,
            message: Some(why.into()),
            reason: Some(reason),
            ..Breakpoint::default()
        }
    }
}

/// The client's data breakpoints, each with the session's breakpoint.
#[derive(Clone, Debug, Default)]
pub(super) struct DataList {
    pub(super) placed: Vec<Placed>,
}

/// A data breakpoint of the client.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) wanted: DataBreakpoint,
    /// Id of the session's breakpoint; `None` if the session has none.
    pub(super) id: Option<BreakpointId>,
    /// The client's id of the breakpoint.
    pub(super) shown: Option<i64>,
}
