//! Finds the compiled form of a field's value, given the object that contains the field and the field's name.

use super::{
    FailText, Field, FieldAt, Map, MaxItems, Owner, PathField, Payload, Quantity, QueryLanguage,
    ResultPath, State, StateKind, Test, WaitUntil,
};
use crate::json::{Pointer, Value};
use crate::query::{Evaluate, Expression, Path, Template, jsonata};
use std::sync::Arc;

/// The compiled form of a field that produces a value.
#[derive(Clone, Copy, Debug)]
pub enum Compiled<'s> {
    /// The path in `InputPath`, `OutputPath` or `ItemsPath`; the field may also be `null` or absent.
    Select(&'s PathField),
    /// A path that selects a number or a time, as in `SecondsPath`.
    Path(&'s Path),
    /// A path or an intrinsic function.
    Expression(&'s Expression),
    /// A payload template.
    Template(&'s Template),
    /// Data that contains JSONata expressions.
    Jsonata(&'s jsonata::Template),
    /// A single JSONata expression.
    Evaluated(&'s Arc<jsonata::Expression>),
    /// `ResultPath`: the place at which the state inserts its result into its input.
    Insert(&'s ResultPath),
    /// A literal value in the definition.
    Literal(&'s Value),
    /// The test of a Choice rule.
    Test(&'s Test),
}

impl<'s> Compiled<'s> {
    /// This form as a value that JSONPath evaluates: a path, an intrinsic function or a payload template. `None` for
    /// every other form.
    #[must_use]
    pub fn evaluated(self) -> Option<&'s dyn Evaluate> {
        match self {
            Self::Select(PathField::Path(path)) | Self::Path(path) => Some(path),
            Self::Expression(expression) => Some(expression),
            Self::Template(template) => Some(template),
            _ => None,
        }
    }

    /// The expressions of a JSONPath field, in the order of their evaluation, each with its position in the field. The
    /// position is `None` for an expression that is the whole field.
    #[must_use]
    pub fn expressions(self) -> Vec<(Option<Pointer>, Expression)> {
        match self {
            Self::Select(PathField::Path(path)) | Self::Path(path) => {
                vec![(None, Expression::Path(path.clone()))]
            }
            Self::Expression(expression) => vec![(None, expression.clone())],
            Self::Template(template) => {
                let all = template.expressions().into_iter();
                all.map(|(at, expression)| (Some(at), expression.clone()))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

impl State {
    /// The field that limits the concurrency of a Map to `at_once`: a field with this constant, or one whose value is
    /// only known during the run. `None` if there is no such field.
    #[must_use]
    pub fn concurrency_field(&self, at_once: u32) -> Option<&Field> {
        let StateKind::Map(map) = &self.kind else {
            return None;
        };
        match map.max_concurrency.as_ref()? {
            Quantity::Constant(most) if *most != u64::from(at_once) => None,
            Quantity::Path(_) => self.field("MaxConcurrencyPath"),
            _ => self.field("MaxConcurrency"),
        }
    }

    /// The payload template of a field in JSONPath mode, such as `Parameters`, `ResultSelector` or `Assign`. `None` for
    /// the templates that are stored in the state's `kind`, such as ItemSelector.
    #[must_use]
    pub fn template(&self, name: &str) -> Option<&Template> {
        let mut templates = self.templates.iter();
        templates
            .find(|(key, _)| *key == name)
            .map(|(_, template)| template)
    }

    /// The compiled form of a field that produces a value; `None` if the field is missing or could not be parsed.
    #[must_use]
    pub fn compiled(&self, field: FieldAt) -> Option<Compiled<'_>> {
        match (field.owner, field.name, &self.kind) {
            (Owner::State, name, _) => self.compiled_own(name),
            (Owner::Rule(index), name, _) => {
                let rule = self.rule(index)?;
                match name {
                    "Output" => rule.jsonata.output.as_ref().map(Compiled::Jsonata),
                    "Assign" => either(&rule.assign, &rule.jsonata.assign),
                    _ => Some(Compiled::Test(&rule.test)),
                }
            }
            (Owner::Catcher(index), name, _) => {
                let catcher = self.catch.get(index as usize)?;
                match name {
                    "ResultPath" => Some(Compiled::Insert(&catcher.result_path)),
                    "Output" => catcher.jsonata.output.as_ref().map(Compiled::Jsonata),
                    _ => either(&catcher.assign, &catcher.jsonata.assign),
                }
            }
            (_, _, StateKind::Map(map)) => map.compiled(field),
            _ => None,
        }
    }

    fn compiled_own(&self, name: &str) -> Option<Compiled<'_>> {
        use Compiled::{Insert, Literal, Select};
        match (name, &self.kind) {
            ("InputPath", _) => Some(Select(&self.input_path)),
            ("OutputPath", _) => Some(Select(&self.output_path)),
            ("ResultPath", _) => Some(Insert(&self.result_path)),
            ("Parameters" | "ItemSelector", StateKind::Map(map)) => {
                either(&map.item_selector, &map.jsonata_selector)
            }
            ("Arguments", _) => self.jsonata.arguments.as_ref().map(Compiled::Jsonata),
            ("Output", _) => self.jsonata.output.as_ref().map(Compiled::Jsonata),
            ("Assign", _) if self.language == QueryLanguage::Jsonata => {
                self.jsonata.assign.as_ref().map(Compiled::Jsonata)
            }
            ("Result", StateKind::Pass { result }) => result.as_ref().map(Literal),
            ("ItemsPath", StateKind::Map(map)) => Some(Select(&map.items_path)),
            ("Items", StateKind::Map(map)) => map.items.as_ref().map(Compiled::Jsonata),
            _ => {
                let template = self.template(name).map(Compiled::Template);
                template.or_else(|| self.compiled_for_work(name))
            }
        }
    }

    fn compiled_for_work(&self, name: &str) -> Option<Compiled<'_>> {
        let plain = name.strip_suffix("Path").unwrap_or(name);
        match (plain, &self.kind) {
            ("TimeoutSeconds", StateKind::Task(task)) => number(&task.timeout),
            ("HeartbeatSeconds", StateKind::Task(task)) => number(&task.heartbeat),
            ("Credentials", StateKind::Task(task)) => payload(&task.credentials),
            ("MaxConcurrency", StateKind::Map(map)) => number(&map.max_concurrency),
            ("ToleratedFailureCount", StateKind::Map(map)) => number(&map.tolerated_failure_count),
            ("ToleratedFailurePercentage", StateKind::Map(map)) => {
                number(&map.tolerated_failure_percentage)
            }
            ("Seconds" | "Timestamp", StateKind::Wait(until)) => match until {
                WaitUntil::SecondsPath(path) | WaitUntil::TimestampPath(path) => {
                    Some(Compiled::Path(path))
                }
                WaitUntil::SecondsBy(expression) | WaitUntil::TimestampBy(expression) => {
                    Some(Compiled::Evaluated(expression))
                }
                WaitUntil::Seconds(_) | WaitUntil::Timestamp(_) | WaitUntil::Nothing => None,
            },
            ("Error", StateKind::Fail(fail)) => text(&fail.error),
            ("Cause", StateKind::Fail(fail)) => text(&fail.cause),
            _ => None,
        }
    }
}

impl Map {
    fn compiled(&self, field: FieldAt) -> Option<Compiled<'_>> {
        match field.owner {
            Owner::Reader => payload(&self.reader.as_ref()?.arguments),
            Owner::Writer => payload(&self.writer.as_ref()?.arguments),
            Owner::Batcher => {
                let batcher = self.batcher.as_ref()?;
                match field.name {
                    "BatchInput" => payload(&batcher.input),
                    "MaxItemsPerBatch" | "MaxItemsPerBatchPath" => number(&batcher.max_items),
                    _ => number(&batcher.max_bytes),
                }
            }
            Owner::ReaderConfig => match self.reader.as_ref()?.max_items.as_ref()? {
                MaxItems::Computed(Quantity::Path(path)) => Some(Compiled::Path(path)),
                MaxItems::Computed(Quantity::Expression(expression)) => {
                    Some(Compiled::Evaluated(expression))
                }
                MaxItems::Computed(Quantity::Constant(_)) | MaxItems::Constant(_) => None,
            },
            Owner::State | Owner::Rule(_) | Owner::Retrier(_) | Owner::Catcher(_) => None,
        }
    }
}

/// The compiled form of a field of a rule or a catcher, such as `Assign`: a payload template in JSONPath mode, a
/// JSONata template in JSONata mode.
fn either<'s>(
    template: &'s Option<Template>,
    jsonata: &'s Option<jsonata::Template>,
) -> Option<Compiled<'s>> {
    let template = template.as_ref().map(Compiled::Template);
    template.or(jsonata.as_ref().map(Compiled::Jsonata))
}

fn number<T>(quantity: &Option<Quantity<T>>) -> Option<Compiled<'_>> {
    match quantity.as_ref()? {
        Quantity::Constant(_) => None,
        Quantity::Path(path) => Some(Compiled::Path(path)),
        Quantity::Expression(expression) => Some(Compiled::Evaluated(expression)),
    }
}

fn payload(payload: &Option<Payload>) -> Option<Compiled<'_>> {
    Some(match payload.as_ref()? {
        Payload::Template(template) => Compiled::Template(template),
        Payload::Jsonata(template) => Compiled::Jsonata(template),
    })
}

fn text(text: &Option<FailText>) -> Option<Compiled<'_>> {
    match text.as_ref()? {
        FailText::Constant(_) => None,
        FailText::Expression(expression) => Some(Compiled::Expression(expression)),
        FailText::Jsonata(expression) => Some(Compiled::Evaluated(expression)),
    }
}
