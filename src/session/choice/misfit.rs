//! Finds comparisons of a Choice that cannot be true for the data that the Choice received.

use super::rules::misfit;
use crate::definition::{Choice, Comparator, Comparison, Test};
use crate::interpreter::{Edge, Frame, FrameBindings, Machine, Stage, compare, evaluated};
use crate::json::Value;
use crate::query::Evaluate as _;
use crate::query::jsonata::{Compared, Form, Operator, Tree};
use crate::query::{Bindings as _, abridged};
use crate::session::values_read::differing;
use crate::source::with_article;

/// A comparison that is false only because the value has an unexpected type or spelling, which may be a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Index of the rule that contains the comparison.
    pub rule: u32,
    /// Text with both values, and the reason why the comparison is false.
    pub text: String,
    /// True if the value is null, and the rule does not test with IsPresent that the value exists. The null may then
    /// mean a missing value.
    pub is_null: bool,
}

/// For a Choice that a frame has just evaluated: the comparisons that are false because of the type or spelling of a
/// value.
#[must_use]
pub fn misfits(machine: &Machine, frame: &Frame, choice: &Choice) -> Vec<Misfit> {
    Asked {
        machine,
        frame,
        choice,
    }
    .misfits()
}

/// A Choice that a frame has just evaluated, with the machine that ran the frame.
struct Asked<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
    choice: &'a Choice,
}

impl Asked<'_> {
    fn misfits(&self) -> Vec<Misfit> {
        let data = self.frame.visit.data.latest(Stage::AfterInputPath);
        let bindings = self.machine.inspect(self.frame, &data);
        let before = match self.frame.visit.edge {
            Some(Edge::Rule(rule)) => rule as usize,
            _ => self.choice.rules.len(),
        };
        let mut misfits = Vec::new();
        for (index, rule) in (0..).zip(self.choice.rules.iter().take(before)) {
            if let Test::Condition(expression) = &rule.test {
                let tree = expression.tree.as_deref().ok();
                let text = tree.and_then(|tree| self.condition(tree, &bindings));
                misfits.extend(text.map(|text| Misfit {
                    rule: index,
                    text,
                    is_null: false,
                }));
            }
            let mut failed: Vec<&Comparison> = Vec::new();
            let _ = evaluated(&rule.test, &bindings, &mut |test, result| match test {
                Test::Compare(comparison) if *result == Ok(false) => failed.push(comparison),
                _ => {}
            });
            for comparison in failed {
                let Some(value) = comparison.variable.eval(&bindings).ok() else {
                    continue;
                };
                // If another test checks the value's type or handles the value, the author has thought of this case,
                // and the comparison is not reported.
                if self.is_met(comparison, &bindings) {
                    continue;
                }
                let is_null = value == Value::Null && !is_guarded(&rule.test, comparison);
                let text = misfit(comparison, &bindings);
                misfits.extend(text.map(|text| Misfit {
                    rule: index,
                    text,
                    is_null,
                }));
            }
        }
        misfits
    }

    /// Explains why a condition such as `$states.input.flag = true` cannot be true: the value has another type or
    /// spelling. `None` if there is no such explanation.
    fn condition(&self, tree: &Tree, bindings: &FrameBindings<'_>) -> Option<String> {
        // A condition with an `or`, a call or a block may be intended to be false, so it is not explained.
        let mut is_plain = true;
        tree.root().each(&mut |node| {
            is_plain &= !matches!(
                node.form,
                Form::Function { .. }
                    | Form::Call(..)
                    | Form::Block(_)
                    | Form::Binary(Operator::Or, ..)
            );
        });
        if !is_plain {
            return None;
        }
        let rules = self.choice.rules.iter();
        let rules = rules.filter_map(|rule| match &rule.test {
            Test::Condition(expression) => expression.tree.as_deref().ok(),
            _ => None,
        });
        let same: Vec<Value> = rules
            .flat_map(equalities)
            .map(|(_, wanted, _)| wanted)
            .collect();
        for compared in tree.root().compared() {
            let names = compared.left.names();
            if let Some((absent, near)) = names.and_then(|names| self.misnamed(&names, bindings)) {
                let left = tree.text_of(compared.left);
                let (sign, right) = (compared.operator.sign(), tree.text_of(compared.right));
                return Some(format!(
                    "{left} (nothing) {sign} {right}: there is no {absent}, the most similar name is {near}"
                ));
            }
        }
        for (path, wanted, compared) in equalities(tree) {
            let Some(value) = self.named(&path, bindings) else {
                continue;
            };
            if value == Value::Null || same.contains(&value) {
                continue;
            }
            let types = (value.type_name(), wanted.type_name());
            let texts = value.as_str().zip(wanted.as_str());
            let why = match texts.filter(|(left, right)| left != right) {
                Some((left, right)) => differing(left, right),
                None => (types.0 != types.1).then(|| {
                    format!(
                        "{left} never equals {right}",
                        left = with_article(types.0),
                        right = with_article(types.1)
                    )
                }),
            };
            let Some(why) = why else {
                continue;
            };
            return Some(format!(
                "{} ({}) = {}: {why}",
                tree.text_of(compared.left),
                abridged(&value, 60),
                tree.text_of(compared.right)
            ));
        }
        None
    }

    /// The value that a path, such as `$states.input.member` or `$variable.member`, selects. `path` lists the names of
    /// the path without `$`: `states`, `input`, `member`.
    fn named(&self, path: &[&str], bindings: &FrameBindings<'_>) -> Option<Value> {
        let mut steps = path.iter().copied();
        let name = steps.next()?;
        let mut value = match name {
            "states" if steps.next() == Some("input") => self.frame.visit.data.latest(Stage::Input),
            "states" => return None,
            name => bindings.variable(name)?,
        };
        for step in steps {
            value = value.get(step)?.clone();
        }
        Some(value)
    }

    /// The first name of a path that the data does not have, and the most similar name that the data has instead.
    fn misnamed(&self, path: &[&str], bindings: &FrameBindings<'_>) -> Option<(String, String)> {
        let place = (1..=path.len()).find(|end| {
            let begins = path.get(..*end).unwrap_or_default();
            begins != ["states"] && self.named(begins, bindings).is_none()
        })?;
        let (absent, before) = path.get(..place)?.split_last()?;
        let around = self.named(before, bindings)?;
        let members = around.as_object()?.members().iter();
        let near = crate::source::nearest(absent, members.map(|(name, _)| &**name))?;
        Some(((*absent).to_owned(), near.to_owned()))
    }

    /// True if another comparison of the Choice reads the same value and handles it: the other comparison tests the
    /// value's type, is true for the value, or compares values of the value's type.
    fn is_met(&self, comparison: &Comparison, bindings: &FrameBindings<'_>) -> bool {
        let rules = self.choice.rules.iter();
        let mut all = rules.flat_map(|rule| rule.test.comparisons());
        all.any(|other| {
            let is_same = other.variable == comparison.variable && other.span != comparison.span;
            let asks_type = matches!(
                other.comparator,
                Comparator::IsNull
                    | Comparator::IsString
                    | Comparator::IsNumeric
                    | Comparator::IsBoolean
                    | Comparator::IsTimestamp
            );
            let is_for_it = || {
                other.comparator != Comparator::IsPresent
                    && (compare(other, bindings) == Ok(true) || fits(comparison, other, bindings))
            };
            is_same && (asks_type || is_for_it())
        })
    }
}

/// The comparisons of an expression that test whether a path equals a constant string, number or boolean: for each, the
/// names in the path, the constant, and the comparison.
fn equalities(tree: &Tree) -> Vec<(Vec<&str>, Value, Compared<'_>)> {
    let all = tree.root().compared().into_iter().filter_map(|compared| {
        let names = compared.left.names()?;
        let value = compared.value.clone();
        let is_plain = value != Value::Null && value.as_array().is_none();
        (compared.operator == Operator::Equal && is_plain).then_some((names, value, compared))
    });
    all.collect()
}

/// True if the rule requires with IsPresent that the value of the comparison exists. For IsPresent, a null value
/// exists.
fn is_guarded(test: &Test, comparison: &Comparison) -> bool {
    let mut all = test.comparisons().into_iter();
    all.any(|other| {
        other.comparator == Comparator::IsPresent && other.variable == comparison.variable
    })
}

/// True if `other` compares values of another type than `comparison` does, and the value has the type that `other`
/// compares.
fn fits(comparison: &Comparison, other: &Comparison, bindings: &FrameBindings<'_>) -> bool {
    let family = |comparison: &Comparison| std::mem::discriminant(&comparison.comparator);
    family(comparison) != family(other) && misfit(other, bindings).is_none()
}
