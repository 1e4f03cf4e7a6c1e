//! Data that a state throws away and a later one reads.
//!
//! It must not know how the search goes: the definition's `read_of_dropped` does.

use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::definition::{Dropped, Target, Transition};
use crate::json::Text;
use crate::source::Span;

rules! {
    DROPPED = 81, "dropped", "DROPPED_AND_READ", Severities::WARNING,
        "a state replaces its input, and a later one reads what was in it";
}

impl Checker<'_> {
    pub(super) fn dropped(&mut self, at: StateAt<'_>) {
        let state = at.state;
        if at.is_jsonata() {
            return;
        }
        if let Transition::Next(next) = &state.transition
            && let Some(names) = self.definition.output_names(state)
        {
            let field = ["ResultSelector", "Result", "Parameters"]
                .into_iter()
                .find(|name| at.get(name).is_some())
                .unwrap_or("Type");
            let span = at.get(field).map_or(state.name_span, opening);
            self.dropped_before(next, names, span, at.at(field));
        }
        for (place, catcher) in state.catch.iter().enumerate() {
            if let (Some(next), Some(names)) = (&catcher.next, catcher.output_names()) {
                let location = at.at(&format!("Catch[{place}]"));
                let span = Span {
                    end: catcher.span.end.min(catcher.span.start.saturating_add(1)),
                    ..catcher.span
                };
                self.dropped_before(next, names, span, location);
            }
        }
    }

    fn dropped_before(&mut self, next: &Target, kept: Vec<Text>, span: Span, location: String) {
        let only = kept.join(", ");
        let read = next
            .state
            .and_then(|next| self.definition.read_of_dropped(next, Dropped::AllBut(kept)));
        let Some(read) = read else { return };
        let reader = self.definition.state(read.state);
        let name = reader.map_or("?", |reader| &*reader.name);
        self.report(
            DROPPED,
            format!(
                "\"{name}\" reads {}, but only {} goes on from here",
                read.path,
                if only.is_empty() { "nothing" } else { &only }
            ),
            span,
            location,
            "a ResultPath such as $.result keeps the input beside the result",
        );
    }
}
