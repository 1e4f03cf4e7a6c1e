//! The values of a machine that an expression can read.

use super::Machine;
use crate::interpreter::children::Item;
use crate::interpreter::context::{context, context_at, context_with, inside_iteration};
use crate::interpreter::difference::Difference;
use crate::interpreter::frame::Frame;
use crate::interpreter::run::random_bits;
use crate::json::Value;
use crate::query::{Bindings, Divergence, Profile};
use std::cell::{Cell, OnceCell};

/// Maximum number of values that one step of a path may select for display, because the user waits for the result.
const SHOWN: usize = 500_000;

impl Machine {
    /// Bindings for an expression of a frame's state, with this value as `$`.
    #[must_use]
    pub fn bindings<'m>(&'m self, frame: &'m Frame, data: &'m Value) -> FrameBindings<'m> {
        FrameBindings {
            machine: self,
            frame,
            data,
            item: None,
            with_item: OnceCell::new(),
            draws: None,
        }
    }

    /// Like `bindings`, but for display: random numbers do not advance the machine's own sequence.
    #[must_use]
    pub fn inspect<'m>(&'m self, frame: &'m Frame, data: &'m Value) -> FrameBindings<'m> {
        FrameBindings {
            machine: self,
            frame,
            data,
            item: None,
            with_item: OnceCell::new(),
            draws: Some(Cell::new(self.draws.get())),
        }
    }
}

/// The values that an expression can read: those of a frame of the machine, and a document as `$`.
#[derive(Debug)]
pub struct FrameBindings<'m> {
    machine: &'m Machine,
    frame: &'m Frame,
    data: &'m Value,
    item: Option<&'m Item>,
    /// The context object with only the item, cached because templates read its parts one after another.
    with_item: OnceCell<Value>,
    /// The next random draw for display; `None` to use the machine's own draws.
    draws: Option<Cell<u64>>,
}

impl<'m> FrameBindings<'m> {
    /// Index of the Map item in the context object.
    pub(in crate::interpreter) fn item(&self) -> Option<u32> {
        self.item.map(|item| item.index)
    }

    /// Returns the bindings with a Map item in the context object.
    #[must_use]
    pub fn for_item(mut self, item: &'m Item) -> Self {
        self.item = Some(item);
        self.with_item = OnceCell::new();
        self
    }
}

impl Bindings for FrameBindings<'_> {
    fn data(&self) -> &Value {
        self.data
    }

    fn context(&self) -> Value {
        context(self.machine, self.frame, self.item)
    }

    fn context_with(&self, member: &str, inner: Option<&str>) -> Value {
        if member != "Map" {
            return context_with(self.machine, self.frame, self.item, (member, inner));
        }
        let make = || context_with(self.machine, self.frame, self.item, (member, None));
        self.with_item.get_or_init(make).clone()
    }

    fn context_at(&self, names: &[&str]) -> Option<(usize, Value)> {
        context_at(self.machine, self.frame, self.item, names)
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.frame.variables.get(name).cloned()
    }

    fn random(&self) -> u64 {
        match &self.draws {
            None => self.machine.random(),
            Some(draws) => {
                let draw = draws.get();
                draws.set(draw.wrapping_add(1));
                random_bits(self.machine.run.header.seed, draw)
            }
        }
    }

    fn profile(&self) -> Profile {
        self.machine.profile()
    }

    fn fits(&self, size: u64) -> bool {
        match &self.draws {
            None => self.machine.fits(size),
            // Values that are only displayed do not count as outgrown.
            Some(_) => size <= self.machine.run().header.max_value,
        }
    }

    fn selects_at_most(&self) -> usize {
        match self.draws {
            None => 10_000_000,
            Some(_) => SHOWN,
        }
    }

    fn diverges(&self, divergence: Divergence) {
        // An ItemSelector has an item of its own on AWS too, and evaluating again for display must not report a
        // difference.
        let is_own = divergence == Divergence::MapItemInside
            && (self.item.is_some() || !inside_iteration(self.machine, self.frame));
        if self.draws.is_none() && !is_own {
            self.machine.diverge(Difference::Query(divergence));
        }
    }
}
