//! Finds the test of a Choice that explains the transition, and the value that the test reads.

use super::history::Past;
use super::led_by::{named, place_at};
use super::{Holder, Lead, LeftBy};
use crate::definition::{QueryLanguage, State};
use crate::json::Pointer;
use crate::query::Path;
use crate::query::jsonata::Tree;
use crate::session::choice::{looked_at, reason};
use crate::session::place::DecidingTest;

impl Past<'_> {
    /// Adds the explaining test and the value that it reads to a transition; returns the transition unchanged if
    /// evaluating the Choice would take long.
    pub(super) fn told(&self, lead: Lead) -> Lead {
        let Some((test, place)) = self.decided(&lead) else {
            return lead;
        };
        let mut lead = lead;
        if let Some((holder, at)) = place {
            (lead.to.holder, lead.to.at) = (holder, at);
        }
        lead.test = Some(test);
        lead
    }

    fn decided(&self, lead: &Lead) -> Option<(DecidingTest, Option<(Holder, Pointer)>)> {
        if matches!(lead.by, LeftBy::Catcher(..)) {
            return None;
        }
        let run = self.repeated_up_to(lead.to.event)?;
        let (frame, head) = (run.machine.frame(lead.to.frame)?, &self.recording.head);
        let rules = looked_at(&run.machine, frame, &head.machine, self.server);
        let taken = rules.iter().position(|rule| rule.taken)?;
        let reason = reason(&rules, taken)?;
        let is_before = lead.by != LeftBy::Default && reason.place != taken;
        let test = DecidingTest {
            said: reason.said().map(|said| said.as_str().into()),
            before: reason.rule.index.filter(|_| is_before),
            span: reason.test.span.or(reason.rule.span),
        };
        let path = reason.test.paths.first();
        let place = path.and_then(|path| place_of(self.state(lead.state)?, path));
        Some((test, place))
    }
}

/// The place that a path in a test reads; `None` if the text is not a path.
fn place_of(state: &State, path: &str) -> Option<(Holder, Pointer)> {
    match state.language {
        QueryLanguage::JsonPath => Some(place_at(state, &Path::parse(path).ok()?)),
        QueryLanguage::Jsonata => {
            let paths = Tree::parse(path).ok()?.root().paths();
            paths.iter().find_map(|names| named(names))
        }
    }
}
