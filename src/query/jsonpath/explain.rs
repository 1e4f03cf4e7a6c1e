//! Reports how a path was evaluated: the value after each step and, if the path failed, what exists at the failed
//! place.

use super::select::{apply, definite, merged};
use super::{Path, Root, Selector};
use crate::json::{Pointer, Text, Value};
use crate::query::nearest::nearest;
use crate::query::there::There;
use crate::query::{Bindings, Profile};

/// Maximum number of values listed for a step.
const SHOWN: usize = 1_000;

/// The step-by-step evaluation of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathExplanation {
    /// The value that the path starts from; `None` if the variable has no value.
    pub root: Option<Value>,
    /// The steps in order. Steps after a failed one have no value.
    pub steps: Vec<PathStep>,
    /// The deepest place reached by the definite steps at the beginning of the path.
    pub deepest: Pointer,
    /// Description of the data where the first missing step was expected.
    pub there: Option<There>,
    /// If a name is missing: the most similar name that exists there.
    pub nearest: Option<Text>,
    /// Number of matching values.
    pub count: usize,
    /// True if the result is a list even for a single match.
    pub list: bool,
}

/// One step of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct PathStep {
    /// The step as written: `.Payload`, `[0]`, `..`.
    pub text: Text,
    /// The value after the step; from the first indefinite step on, a list of at most 1,000 values.
    pub value: Option<Value>,
    /// Number of values after the step.
    pub count: usize,
}

impl Path {
    /// Evaluates the path and reports each step.
    #[must_use]
    pub fn explain(&self, bindings: &dyn Bindings) -> PathExplanation {
        let root = match self.root() {
            Root::Data => Some(bindings.data().clone()),
            Root::Context => Some(bindings.context()),
            Root::Variable(name) => bindings.variable(name),
        };
        let mut told = PathExplanation {
            root: root.clone(),
            steps: Vec::new(),
            deepest: Pointer::root(),
            there: None,
            nearest: None,
            count: 0,
            list: !self.is_definite(),
        };
        if let (Profile::Aws, Some(root)) = (bindings.profile(), &root) {
            self.explain_as_aws(root, bindings, &mut told);
            return told;
        }
        let mut found: Vec<&Value> = root.iter().collect();
        let steps = &self.inner.steps;
        let mut single = true;
        for (place, step) in steps.iter().enumerate() {
            let text: Text = self
                .inner
                .ranges
                .get(place)
                .and_then(|range| self.text().get(range.clone()))
                .unwrap_or("")
                .into();
            if place + 1 == steps.len()
                && let Selector::Names(names) = step
            {
                let objects: Vec<Value> = found
                    .iter()
                    .filter_map(|value| merged(value, names))
                    .collect();
                if objects.is_empty() {
                    told.breaks(found.first().copied(), step);
                }
                told.count = objects.len();
                told.steps.push(PathStep {
                    text,
                    count: objects.len(),
                    value: if single {
                        objects.into_iter().next()
                    } else {
                        Some(Value::array(objects.into_iter().take(SHOWN).collect()))
                    },
                });
                return told;
            }
            let before = found.first().copied();
            found = root
                .as_ref()
                .and_then(|root| apply(step, &found, root, bindings).ok())
                .unwrap_or_default();
            let one = matches!(step, Selector::Name(_) | Selector::Index(_));
            single = single && one;
            if found.is_empty() {
                told.breaks(before, step);
            } else if single {
                told.deepest
                    .0
                    .extend(before.and_then(|value| definite(step, value)));
            }
            told.steps.push(PathStep {
                text,
                count: found.len(),
                value: if single {
                    found.first().copied().cloned()
                } else {
                    let shown = found.iter().take(SHOWN).copied().cloned().collect();
                    Some(Value::array(shown))
                },
            });
        }
        told.count = found.len();
        told
    }
}

impl Path {
    fn text_of(&self, place: usize) -> Text {
        let range = self.inner.ranges.get(place);
        let text = range.and_then(|range| self.text().get(range.clone()));
        text.unwrap_or("").into()
    }

    /// Explains the path as AWS reads it: each prefix of the path is evaluated as a path.
    fn explain_as_aws(&self, root: &Value, bindings: &dyn Bindings, told: &mut PathExplanation) {
        let inner = &*self.inner;
        let most = bindings.selects_at_most();
        let mut before = vec![root.clone()];
        let mut single = true;
        told.count = 1;
        for (place, step) in inner.steps.iter().enumerate() {
            let text = self.text_of(place);
            let tokens = inner.tokens.get(..=place).unwrap_or_default();
            if matches!(step, Selector::Descend) && place + 1 < inner.steps.len() {
                single = false;
                told.steps.push(PathStep {
                    text,
                    value: None,
                    count: told.count,
                });
                continue;
            }
            let found = super::aws::select(tokens, false, root, most).unwrap_or_default();
            single = single
                && matches!(
                    step,
                    Selector::Name(_) | Selector::Index(_) | Selector::Names(_)
                );
            if found.is_empty() {
                // The step counts as missing as soon as one value lacks it.
                let own = inner.tokens.get(place..=place).unwrap_or_default();
                let fails = |value: &&Value| {
                    let found = super::aws::select(own, false, value, most);
                    found.unwrap_or_default().is_empty()
                };
                told.breaks(before.iter().find(fails).or(before.first()), step);
            } else if single {
                told.deepest
                    .0
                    .extend(before.first().and_then(|value| definite(step, value)));
            }
            told.count = found.len();
            told.steps.push(PathStep {
                text,
                count: found.len(),
                value: match single {
                    true => found.first().cloned(),
                    false => Some(Value::array(found.iter().take(SHOWN).cloned().collect())),
                },
            });
            before = found;
        }
    }
}

impl PathExplanation {
    /// Records what exists in place of `step`; only the first call has an effect.
    fn breaks(&mut self, at: Option<&Value>, step: &Selector) {
        let (None, Some(at)) = (&self.there, at) else {
            return;
        };
        self.there = Some(There::of(at));
        if let (Selector::Name(name), Some(object)) = (step, at.as_object()) {
            let known = object.members().iter().map(|(name, _)| &**name);
            self.nearest = nearest(name, known).map(Text::from);
        }
    }
}
