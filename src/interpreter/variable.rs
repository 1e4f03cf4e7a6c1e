//! Variables of a scope and of its enclosing scopes.

use crate::json::{Text, Value};
use std::sync::Arc;

/// The variables of a scope, with access to those of its enclosing scopes.
#[derive(Debug, Default, PartialEq)]
pub struct Variables {
    outer: Option<Arc<Variables>>,
    own: Vec<(Text, Value)>,
}

impl Variables {
    /// The outermost scope, with these variables.
    #[must_use]
    pub fn new(own: Vec<(Text, Value)>) -> Self {
        Self { outer: None, own }
    }

    /// An empty scope nested in `outer`.
    #[must_use]
    pub fn inside(outer: &Arc<Self>) -> Self {
        Self {
            outer: Some(Arc::clone(outer)),
            own: Vec::new(),
        }
    }

    /// Returns the value of a variable; inner scopes shadow outer ones.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let own = self
            .own
            .iter()
            .find(|(known, _)| &**known == name)
            .map(|(_, value)| value);
        own.or_else(|| self.outer.as_ref().and_then(|outer| outer.get(name)))
    }

    /// Returns a copy of the scope with these variables assigned.
    #[must_use]
    pub fn with(&self, assigned: &[(Text, Value)]) -> Self {
        let mut own = self.own.clone();
        for (name, value) in assigned {
            match own.iter_mut().find(|(known, _)| known == name) {
                Some(slot) => slot.1 = value.clone(),
                None => own.push((name.clone(), value.clone())),
            }
        }
        Self {
            outer: self.outer.clone(),
            own,
        }
    }

    /// Total size of all values in bytes, including those of enclosing scopes.
    #[must_use]
    pub fn size(&self) -> u64 {
        let outer = self.outer.as_ref().map_or(0, |outer| outer.size());
        self.own
            .iter()
            .fold(outer, |sum, (_, value)| sum.saturating_add(value.size()))
    }

    /// The scope's own variables, without those of enclosing scopes.
    #[must_use]
    pub fn own(&self) -> &[(Text, Value)] {
        &self.own
    }

    /// All visible variables, outermost scope first; an inner variable hides an outer one of the same name.
    #[must_use]
    pub fn all(&self) -> Vec<(Text, Value)> {
        let mut all = self
            .outer
            .as_ref()
            .map(|outer| outer.all())
            .unwrap_or_default();
        all.retain(|(name, _)| !self.own.iter().any(|(own, _)| own == name));
        all.extend(self.own.iter().cloned());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_not_listed() {
        let one = |name: &str, value: i64| (Text::from(name), Value::from(value));
        let outer = Arc::new(Variables::new(vec![one("v", 1), one("w", 2)]));
        let inner = Variables::inside(&outer).with(&[one("v", 3)]);
        assert_eq!(inner.all(), [one("w", 2), one("v", 3)]);
        assert_eq!(inner.get("v"), Some(&Value::from(3)));
        assert_eq!(outer.all(), [one("v", 1), one("w", 2)]);
    }
}
