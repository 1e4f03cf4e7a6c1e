//! The origin that a person asked for, and how far it was followed: the places it leads to, and the way back.

use super::origin::Search;
use super::place::{Holder, Onward, Origin, Root, Site};
use super::stop::Stop;
use crate::interpreter::{FrameId, Stage};
use crate::source::Span;
use std::sync::Arc;

/// What is under way.
#[derive(Clone, Debug)]
pub(super) enum Seeking {
    /// The search.
    Search(Box<Search>),
    /// The way to an event, where this frame is the focus.
    Way(u64, FrameId),
}

/// An origin that was asked for, and how far it was followed.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    /// The run that it is of.
    pub run: u32,
    /// Where it was first asked for.
    pub start: Mark,
    /// Why the run stood there.
    pub stood: Stop,
    /// What was found; `None` for a value that is missing, and on the way back.
    pub origin: Option<Arc<Origin>>,
    /// The place that the cursor was led to last.
    pub mark: Mark,
    /// Which of the origin's stops that is.
    pub stop: usize,
    pub number: u64,
    /// What else is to be followed, the next one last.
    pub others: Vec<Onward>,
    /// What is followed now, beside what was asked about.
    pub onward: Option<Onward>,
    /// Every place that was, or will be, followed.
    pub known: Vec<Site>,
}

impl Trail {
    /// Remembers what a chain leaves aside: what a task was asked comes after everything else.
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

/// A place to stand at.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub site: Site,
    pub span: Option<Span>,
}

/// The places that an origin leads to, one after the other: its writes, its root where that can be seen, the Choice.
pub(super) fn stops(origin: &Origin) -> Vec<Mark> {
    let writes = origin.writes.iter().enumerate();
    let writes = writes.map(|(place, write)| match origin.root {
        // Of a value made of parts, one of them is asked about next.
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

/// Whether a person means the place that the cursor was led to; one block may stand for both ends of a state.
pub(super) fn same_place(mark: &Site, site: &Site) -> bool {
    let shown = |holder: &Holder| match holder {
        Holder::Stage(Stage::AfterResultPath) => Holder::Stage(Stage::Output),
        other => other.clone(),
    };
    shown(&mark.holder) == shown(&site.holder) && mark.at == site.at
}
