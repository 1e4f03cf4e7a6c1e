//! What a chain of writes leaves aside: what else its values were made of, what a condition read, what a task was asked, and
//! the item of a Map; each has a chain of its own.

use super::chain::{Origin, Root, Write};
use super::odd::Oddity;
use super::site::Site;
use crate::definition::StateId;

/// A place that is followed when a chain has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Onward {
    /// The place.
    pub site: Site,
    /// The state that it is in.
    pub state: StateId,
    /// What it is to the value that was asked about.
    pub why: Why,
}

/// What a place is to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// One of the values that it was made of.
    Part {
        /// Which of them, from 1.
        number: usize,
        /// Of how many.
        count: usize,
        /// Whether it is the same member of another item: its chain is like that of the first.
        is_like_first: bool,
        /// What it alone is.
        odd: Option<Oddity>,
    },
    /// A field of it.
    Field,
    /// What a condition read that chose it.
    Condition,
    /// What led to the state that it is written in: a matter of its own.
    Lead,
    /// What was asked for it.
    Asked,
    /// An item or a branch whose result is in it.
    Item {
        /// Its index.
        index: u32,
        /// What it alone is.
        odd: Option<Oddity>,
    },
}

impl Origin {
    /// What is followed when its chain has ended, in that order.
    #[must_use]
    pub fn onwards(&self) -> Vec<Onward> {
        let fields = matches!(self.root, Root::Fields(_));
        let all = self.failed.iter().map(|write| &**write).chain(&self.writes);
        let count = all.clone().count();
        let mut found = Vec::new();
        if let Some(last) = self.writes.last().filter(|_| fields) {
            let own = last.reads.iter().map(|site| Onward {
                site: site.clone(),
                state: last.state,
                why: Why::Field,
            });
            found.extend(own);
        }
        if let Root::Children {
            state,
            one: Some(one),
            ..
        } = &self.root
        {
            found.push(Onward {
                site: one.site.clone(),
                state: *state,
                why: Why::Item {
                    index: one.index,
                    odd: one.odd,
                },
            });
        }
        for (place, write) in all.enumerate() {
            if !(fields && place + 1 == count) {
                found.extend(write.parts());
            }
            let read = write.conditions.iter().flat_map(|one| &one.reads);
            found.extend(read.map(|site| Onward {
                site: site.clone(),
                state: write.state,
                why: Why::Condition,
            }));
        }
        let led = match &self.root {
            Root::Led(_, lead) => Some(lead),
            _ => None,
        };
        found.extend(led.or(self.chosen.as_ref()).map(|lead| Onward {
            site: lead.to.clone(),
            state: lead.state,
            why: Why::Lead,
        }));
        found
    }

    /// What the task was asked in whose answer it ends.
    #[must_use]
    pub fn asked(&self) -> Option<Onward> {
        let Root::Answer(answered) = &self.root else {
            return None;
        };
        Some(Onward {
            site: answered.asked.clone()?,
            state: answered.state,
            why: Why::Asked,
        })
    }
}

impl Onward {
    /// Whether its chain is like that of the first of its kind.
    #[must_use]
    pub fn is_like_first(&self) -> bool {
        matches!(
            self.why,
            Why::Part {
                is_like_first: true,
                ..
            }
        )
    }
}

impl Write {
    /// What it was made of beside the first, the odd one before the others.
    fn parts(&self) -> Vec<Onward> {
        let count = self.reads.len();
        let odd = |place: usize| {
            let odd = self.items.as_ref()?.odd?;
            (odd.index == place).then_some(odd.what)
        };
        let mut parts: Vec<Onward> = Vec::new();
        for (place, site) in self.reads.iter().enumerate().skip(1) {
            let part = Onward {
                site: site.clone(),
                state: self.state,
                why: Why::Part {
                    number: place + 1,
                    count,
                    is_like_first: self.items.is_some(),
                    odd: odd(place),
                },
            };
            match odd(place) {
                Some(_) => parts.insert(0, part),
                None => parts.push(part),
            }
        }
        parts
    }
}
