//! Finds out whether an expression used only some items of an array, so that a note can say this.

use super::Note;
use super::document::Code;
use super::provenance::Walk;
use crate::json::{Pointer, Step};
use crate::query::Expression;
use crate::query::jsonata::Form;
use crate::query::trace::{Act, Provenance, Spot};
use std::collections::HashSet;
use std::ops::Range;

impl Walk<'_> {
    /// A note on the first member that the expression read from several items, but that only some of the items have.
    /// `part` limits the search to a byte range of the expression. Lookups in conditions do not count, because they are
    /// meant to select.
    pub(super) fn gap(&self, part: Option<&Range<usize>>) -> Option<Note> {
        let is_inside = |act: &Act| {
            let range = self.node(act.node.node).map(|node| &node.range);
            let both = part.zip(range);
            both.is_none_or(|(part, range)| part.start <= range.start && range.end <= part.end)
        };
        self.trace.acts.iter().find_map(|act| {
            let miss = act.miss.as_ref()?;
            let name = match miss.steps.first()? {
                Step::Member(name) => Some(name.clone()),
                Step::Item(_) => return None,
            };
            let is_gap = (1..miss.of).contains(&miss.without);
            (is_gap && is_inside(act) && !self.trace.decides(act)).then(|| Note::Fewer {
                without: name,
                kept: (miss.of - miss.without) as usize,
                of: miss.of as usize,
            })
        })
    }

    /// A note on how many items of an array a path or filter selected, unless it selected all.
    pub(super) fn kept(&self, from: &Provenance, act: Option<u32>, code: Code<'_>) -> Option<Note> {
        let selects = match code {
            Code::Path(_) | Code::Expression(Expression::Path(_)) => true,
            Code::Expression(Expression::Intrinsic(_)) => false,
            Code::Jsonata(_) => match &self.node_of(act?)?.form {
                Form::Path(_) => true,
                Form::Function { name, .. } => name == "filter",
                _ => false,
            },
        };
        let Provenance::Built(parts) = from else {
            return None;
        };
        let spots = parts.iter().map(|part| match part {
            (Step::Item(_), Provenance::Copy(spot)) => Some(spot),
            _ => None,
        });
        let spots: Vec<&Spot> = spots.collect::<Option<_>>().filter(|_| selects)?;
        let first = spots.first()?;
        let differs = |place: &usize| {
            let step = first.at.0.get(*place);
            spots.iter().any(|spot| spot.at.0.get(*place) != step)
        };
        let last_item = || {
            let mut steps = first.at.0.iter();
            steps.rposition(|step| matches!(step, Step::Item(_)))
        };
        let place = (0..first.at.0.len()).find(differs).or_else(last_item)?;
        let array = Pointer(first.at.0.get(..place)?.to_vec());
        let array = self.documents.place(&first.base, array);
        let of = self.documents.value_at(&array)?.as_array()?.len();
        let items: HashSet<&Step> = spots
            .iter()
            .filter_map(|spot| spot.at.0.get(place))
            .collect();
        let kept = items.len();
        (kept < of).then_some(Note::Fewer {
            without: None,
            kept,
            of,
        })
    }
}
