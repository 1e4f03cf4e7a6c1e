//! Places that a chain of writes does not follow, although the value depends on them: further values that a field read,
//! values that a condition read, the input of a task, and an item of a Map. The user can ask for the origin of each.

use super::chain::{Oddity, Origin, Root, Write};
use super::site::Site;
use crate::definition::StateId;

/// A place whose origin the user can ask for after a chain has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Onward {
    /// The place whose origin the user can ask for.
    pub site: Site,
    /// The state that read or wrote the value at the place.
    pub state: StateId,
    /// How the place relates to the value that was asked about.
    pub why: Why,
}

/// How a place relates to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// One of the values that a field read to produce a value of the chain.
    Part {
        /// Position of this value among the values that the field read, starting at 1.
        number: usize,
        /// Number of values that the field read.
        count: usize,
        /// True if the values are the same member of several items. The chain of each value then resembles the chain of
        /// the first value.
        is_like_first: bool,
        /// How the value differs from all others, if it is the only one that does.
        odd: Option<Oddity>,
    },
    /// A part of the value that a separate expression in the field wrote.
    Field,
    /// A value that a condition read. This condition selected the expression that produced the value of the chain.
    Condition,
    /// The caught error or the tested value that made the run go to the state that wrote the value.
    Lead,
    /// The input of the task or ItemReader whose answer is the root of the chain.
    Asked,
    /// An item or branch whose result is part of the value.
    Item {
        /// Index of the item or branch.
        index: u32,
        /// How the result differs from all others, if it is the only one that does.
        odd: Option<Oddity>,
    },
}

impl Origin {
    /// Places whose origin the user can ask for after the chain has ended, in the order in which to offer them.
    #[must_use]
    pub fn onwards(&self) -> Vec<Onward> {
        let fields = matches!(self.root, Root::Fields(_));
        let all = self.failed.iter().map(|write| &**write).chain(&self.writes);
        let count = all.clone().count();
        let mut onwards = Vec::new();
        if let Some(last) = self.writes.last().filter(|_| fields) {
            let reads = last.reads.iter();
            onwards.extend(reads.map(|site| Onward::new(site, last.state, Why::Field)));
        }
        if let Root::Children {
            state,
            one: Some(example),
            ..
        } = &self.root
        {
            let (index, odd) = (example.index, example.odd);
            onwards.push(Onward::new(&example.site, *state, Why::Item { index, odd }));
        }
        for (place, write) in all.enumerate() {
            if !(fields && place + 1 == count) {
                onwards.extend(write.parts());
            }
            let read = write
                .conditions
                .iter()
                .flat_map(|condition| &condition.reads);
            onwards.extend(read.map(|site| Onward::new(site, write.state, Why::Condition)));
        }
        let led = match &self.root {
            Root::Led(_, lead) => Some(lead),
            _ => None,
        };
        let lead = led.or(self.chosen.as_ref());
        onwards.extend(lead.map(|lead| Onward::new(&lead.to, lead.state, Why::Lead)));
        onwards
    }

    /// If the chain ends at an answer: the input of the request that was answered.
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

    /// True if the place is a member of one of several items, and its chain resembles the chain of the first item.
    #[must_use]
    pub fn is_like_first(&self) -> bool {
        matches!(self.why, Why::Part { is_like_first, .. } if is_like_first)
    }
}

impl Write {
    /// Places that the value was produced from, except the first, which the chain follows. The place whose value
    /// differs from all others comes first.
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
