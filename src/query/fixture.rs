//! Bindings for the tests of this layer.

use super::{Bindings, Profile};
use crate::json::{Value, parse};
use std::cell::Cell;

pub(super) struct Fixture {
    data: Value,
    profile: Profile,
    random: Cell<u64>,
}

impl Fixture {
    pub(super) fn new(data: &str) -> Self {
        Self {
            data: parse(data).expect("json"),
            profile: Profile::Spec,
            random: Cell::new(0),
        }
    }

    pub(super) fn of(data: Value) -> Self {
        Self {
            data,
            profile: Profile::Spec,
            random: Cell::new(0),
        }
    }

    pub(super) fn aws(data: &str) -> Self {
        Self {
            profile: Profile::Aws,
            ..Self::new(data)
        }
    }
}

impl Bindings for Fixture {
    fn data(&self) -> &Value {
        &self.data
    }

    fn context(&self) -> Value {
        parse(r#"{"Execution":{"Input":{"a":1}},"Map":{"Item":{"Index":4}}}"#).expect("json")
    }

    fn variable(&self, name: &str) -> Option<Value> {
        match name {
            "order" => parse(r#"{"items":[7,8,9]}"#).ok(),
            "nothing" => Some(Value::Null),
            "größe" => Some(Value::from(3)),
            _ => None,
        }
    }

    fn random(&self) -> u64 {
        let next = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(next);
        next
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}
