//! The trail back to a value's origin, as requested by the user: its stops, how far it was followed, and how to return.

use super::origin::Search;
use super::place::{Holder, Onward, Origin, Root, Site};
use super::stop::Stop;
use crate::interpreter::{FrameId, Stage};
use crate::source::Span;
use std::sync::Arc;

/// The current phase: a search, or the travel to its result.
#[derive(Clone, Debug)]
pub(super) enum Seeking {
    /// The search.
    Search(Box<Search>),
    /// Travel to an event, with this frame as the focus.
    Way(u64, FrameId),
}

/// An origin that the user asked for, and how far it was followed.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    /// Number of the run.
    pub run: u32,
    /// The place at which the user first asked.
    pub start: Mark,
    /// Reason for the stop there.
    pub stood: Stop,
    /// The origin found; `None` for a missing value, and on the way back.
    pub origin: Option<Arc<Origin>>,
    /// The place to which the cursor last travelled.
    pub mark: Mark,
    /// Index of the stop that the cursor is at.
    pub stop: usize,
    pub number: u64,
    /// Places still to be followed, the next one last.
    pub others: Vec<Onward>,
    /// The place that is being followed, other than the one asked about.
    pub onward: Option<Onward>,
    /// All places that were or will be followed.
    pub known: Vec<Site>,
}

impl Trail {
    /// Remembers the places that a chain does not follow; the input of a task comes last.
    pub fn remember(&mut self, origin: &Origin) {
        let mut own = origin.onwards();
        own.retain(|one| {
            let is_new = !self.known.contains(&one.site);
            if is_new {
                self.known.push(one.site.clone());
            }
            is_new
        });
        self.others.extend(own.into_iter().rev());
        if let Some(asked) = origin.asked().filter(|one| !self.known.contains(&one.site)) {
            self.known.push(asked.site.clone());
            self.others.insert(0, asked);
        }
    }
}

/// A place for the cursor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub site: Site,
    pub span: Option<Span>,
}

/// The stops of an origin: its writes, its root if it can be shown, and the Choice.
pub(super) fn stops(origin: &Origin) -> Vec<Mark> {
    let writes = origin.writes.iter().enumerate();
    let writes = writes.map(|(place, write)| match origin.root {
        // For a value made of parts, the next origin to follow is that of one of the parts.
        Root::Fields(_) if place + 1 == origin.writes.len() => write.part(),
        _ => &write.to,
    });
    let chosen = origin.chosen.iter().map(|lead| &lead.to);
    let sites = writes.chain(origin.root.site()).chain(chosen);
    let marks = sites.enumerate().map(|(stop, site)| Mark {
        site: site.clone(),
        span: origin.span(stop),
    });
    marks.collect()
}

/// True if both are the same place for the user; one block may be shown for both ends of a state.
pub(super) fn same_place(mark: &Site, site: &Site) -> bool {
    let shown = |holder: &Holder| match holder {
        Holder::Stage(Stage::AfterResultPath) => Holder::Stage(Stage::Output),
        other => other.clone(),
    };
    shown(&mark.holder) == shown(&site.holder) && mark.at == site.at
}
