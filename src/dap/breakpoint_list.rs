//! The lists of breakpoints that a client sent.

use super::outbox::Outbox;
use super::protocol::{
    Breakpoint, DataBreakpoint, Event, FunctionBreakpoint, Source, SourceBreakpoint,
};
use crate::session::{BreakpointId, ErrorFilter, Switch};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of breakpoints that the session does not have begin here.
const UNSET: i64 = 1 << 30;

/// One list of the client.
#[derive(Clone, Debug, Default)]
pub(super) struct LineList {
    pub(super) source: Source,
    pub(super) wanted: Vec<SourceBreakpoint>,
    /// What the client was told of each.
    pub(super) told: Vec<Breakpoint>,
}

/// All lists of the client.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub(super) lines: Vec<LineList>,
    pub(super) names: Vec<FunctionBreakpoint>,
    /// What the client was told of each name.
    pub(super) told: Vec<Breakpoint>,
    /// The breakpoints of the session that the client knows by another number.
    pub(super) shown: BTreeMap<BreakpointId, i64>,
    /// Those that were set by a name.
    pub(super) by_name: BTreeSet<BreakpointId>,
    pub(super) filters: Option<(Vec<ErrorFilter>, Switch)>,
    pub data: DataList,
    pub(super) unset: i64,
    /// What is added to the session's numbers: another session begins with 1 again.
    pub(super) base: i64,
}

/// So many numbers a session has for itself.
pub(super) const OF_SESSION: i64 = 1 << 20;

impl Lists {
    /// Nothing is to stop.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The texts in which a breakpoint is asked for.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.lines.iter().map(|list| &list.source)
    }

    /// The number by which the client knows a breakpoint of the session.
    pub fn shown_id(&self, id: BreakpointId) -> i64 {
        let shown = self.shown.get(&id).copied();
        shown.unwrap_or_else(|| self.number(id))
    }

    /// The client knows a breakpoint of the session by this number.
    pub fn show_as(&mut self, id: BreakpointId, shown: i64) {
        self.shown.insert(id, shown);
    }

    /// A number of this session as no other session has it.
    pub fn number(&self, id: BreakpointId) -> i64 {
        self.base.saturating_add(i64::from(id.0))
    }

    /// Whether it was set by a name.
    pub fn is_by_name(&self, id: BreakpointId) -> bool {
        self.by_name.contains(&id)
    }

    /// A number for one that the session does not have.
    pub(super) fn next_unset(&mut self) -> i64 {
        self.unset = self.unset.saturating_add(1);
        UNSET.saturating_add(self.unset)
    }

    /// Tells which breakpoints are others than before, under the numbers that the client knows.
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

    /// One that cannot stop as things are.
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

/// The list of the client, with the breakpoints of the session.
#[derive(Clone, Debug, Default)]
pub(super) struct DataList {
    pub(super) placed: Vec<Placed>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) wanted: DataBreakpoint,
    /// That of the session; `None` where it has none.
    pub(super) id: Option<BreakpointId>,
    /// The number by which the client knows it.
    pub(super) shown: Option<i64>,
}
