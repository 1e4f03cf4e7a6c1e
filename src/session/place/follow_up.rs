//! Places that a chain of writes does not follow: other values that were read, what a condition read, the input of a
//! task, and the item of a Map; each has its own chain.

use super::chain::{Oddity, Origin, Root, Write};
use super::site::Site;
use crate::definition::StateId;

/// A further place to follow after a chain has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Onward {
    /// The place.
    pub site: Site,
    /// The state of the place.
    pub state: StateId,
    /// How the place relates to the value that was asked about.
    pub why: Why,
}

/// How a place relates to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// One of the values that the value was produced from.
    Part {
        /// Number of the value, starting at 1.
        number: usize,
        /// Number of all values.
        count: usize,
        /// True if the place is the same member of another item, so that its chain is like that of the first.
        is_like_first: bool,
        /// The property that distinguishes the value from all others.
        odd: Option<Oddity>,
    },
    /// A field of the value.
    Field,
    /// A value that the condition read which selected the value's expression.
    Condition,
    /// The transition to the state in which the value is written; a separate question.
    Lead,
    /// The input of the request.
    Asked,
    /// An item or branch whose result is part of the value.
    Item {
        /// Index of the item or branch.
        index: u32,
        /// The property that distinguishes the result from all others.
        odd: Option<Oddity>,
    },
}

impl Origin {
    /// Places to follow after the chain has ended, in order.
    #[must_use]
    pub fn onwards(&self) -> Vec<Onward> {
        let fields = matches!(self.root, Root::Fields(_));
        let all = self.failed.iter().map(|write| &**write).chain(&self.writes);
        let count = all.clone().count();
        let mut found = Vec::new();
        if let Some(last) = self.writes.last().filter(|_| fields) {
            let reads = last.reads.iter();
            found.extend(reads.map(|site| Onward::new(site, last.state, Why::Field)));
        }
        if let Root::Children {
            state,
            one: Some(one),
            ..
        } = &self.root
        {
            let (index, odd) = (one.index, one.odd);
            found.push(Onward::new(&one.site, *state, Why::Item { index, odd }));
        }
        for (place, write) in all.enumerate() {
            if !(fields && place + 1 == count) {
                found.extend(write.parts());
            }
            let read = write.conditions.iter().flat_map(|one| &one.reads);
            found.extend(read.map(|site| Onward::new(site, write.state, Why::Condition)));
        }
        let led = match &self.root {
            Root::Led(_, lead) => Some(lead),
            _ => None,
        };
        let lead = led.or(self.chosen.as_ref());
        found.extend(lead.map(|lead| Onward::new(&lead.to, lead.state, Why::Lead)));
        found
    }

    /// Input of the task whose answer the chain ends in.
    #[must_use]
    pub fn asked(&self) -> Option<Onward> {
        let Root::Answer(answered) = &self.root else {
            return None;
        };
        let asked = answered.asked.as_ref()?;
        Some(Onward::new(asked, answered.state, Why::Asked))
    }
}

impl Onward {
    fn new(site: &Site, state: StateId, why: Why) -> Self {
        Self {
            site: site.clone(),
            state,
            why,
        }
    }

    /// True if the chain is like that of the first place of its kind.
    #[must_use]
    pub fn is_like_first(&self) -> bool {
        matches!(self.why, Why::Part { is_like_first, .. } if is_like_first)
    }
}

impl Write {
    /// Places that the value was produced from other than the first, the odd one before the others.
    fn parts(&self) -> Vec<Onward> {
        let count = self.reads.len();
        let odd = |place: usize| {
            let odd = self.items.as_ref()?.odd?;
            (odd.index == place).then_some(odd.what)
        };
        let mut parts: Vec<Onward> = Vec::new();
        for (place, site) in self.reads.iter().enumerate().skip(1) {
            let why = Why::Part {
                number: place + 1,
                count,
                is_like_first: self.items.is_some(),
                odd: odd(place),
            };
            let part = Onward::new(site, self.state, why);
            match odd(place) {
                Some(_) => parts.insert(0, part),
                None => parts.push(part),
            }
        }
        parts
    }
}
