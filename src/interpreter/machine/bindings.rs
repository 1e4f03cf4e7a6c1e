//! What an expression may read of a machine.
//!
//! It must not know which expression asks.

use super::Machine;
use crate::interpreter::children::Item;
use crate::interpreter::context::{context, context_at, context_with, inside_iteration};
use crate::interpreter::difference::Difference;
use crate::interpreter::frame::Frame;
use crate::interpreter::run::random_bits;
use crate::json::Value;
use crate::query::{Bindings, Divergence, Profile};
use std::cell::{Cell, OnceCell};

/// Largest number of values that a step of a path may select for showing: a person waits for it.
const SHOWN: usize = 500_000;

impl Machine {
    /// What an expression of a frame's state may read, with this `$`.
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

    /// The same for showing: random numbers are drawn beside the machine's own, which stay where they are.
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

/// What an expression may read: the machine's frame, and a document as `$`.
#[derive(Debug)]
pub struct FrameBindings<'m> {
    machine: &'m Machine,
    frame: &'m Frame,
    data: &'m Value,
    item: Option<&'m Item>,
    /// The context object with the item alone: templates ask for its parts one after the other.
    with_item: OnceCell<Value>,
    /// The next draw of its own; `None` where the machine's are used.
    draws: Option<Cell<u64>>,
}

impl<'m> FrameBindings<'m> {
    /// Index of the Map item in the context object.
    pub(in crate::interpreter) fn item(&self) -> Option<u32> {
        self.item.map(|item| item.index)
    }

    /// The same with a Map item in the context object.
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

    fn selects_at_most(&self) -> usize {
        match self.draws {
            None => 10_000_000,
            Some(_) => SHOWN,
        }
    }

    fn diverges(&self, divergence: Divergence) {
        // An ItemSelector has the item before it; looking again tells nothing.
        let is_own = divergence == Divergence::MapItemInside
            && (self.item.is_some() || !inside_iteration(self.machine, self.frame));
        if self.draws.is_none() && !is_own {
            self.machine.diverge(Difference::Query(divergence));
        }
    }
}
