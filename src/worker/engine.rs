//! The engine on its thread: compiled expressions, bindings, limits that it keeps itself.
//!
//! It must not know the clock of the wall, nor who waits for it.

use super::context::pass_context;
use super::function::{Draws, MEMORY, register};
use super::message::reference_words;
use super::named::named;
use super::value::{Documents, from_engine};
use crate::json::{Text, Value};
use crate::query::jsonata::{Evaluated, Evaluation, Expression, Failure};
use jsonata_core::ast::AstNode;
use jsonata_core::evaluator::{CancelToken, Context, Evaluator, EvaluatorError, EvaluatorOptions};
use jsonata_core::parser::parse;
use jsonata_core::value::{JMap, JValue, with_stack};
use std::collections::HashMap;
use std::rc::Rc;

/// So many compiled expressions are kept.
const KEPT: usize = 4096;
/// Milliseconds after which the engine ends an evaluation by itself.
pub(super) const TIMEOUT: u64 = 1000;
/// Levels of evaluation.
const DEPTH: usize = 3000;
/// Items of one sequence.
const SEQUENCE: usize = 1_000_000;

/// Compiled expressions and converted documents; lives and dies with its thread.
#[derive(Default)]
pub(super) struct Engine {
    trees: HashMap<Text, Rc<AstNode>>,
    documents: Documents,
}

impl Engine {
    /// The results of a request, as far as it says.
    pub(super) fn evaluate(
        &mut self,
        evaluation: &Evaluation,
        cancel: &CancelToken,
    ) -> Vec<Evaluated> {
        let draws = Rc::new(Draws::new(evaluation.seed));
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        for expression in &evaluation.expressions {
            let result = self.one(evaluation, expression, cancel, &draws);
            let enough = evaluation.until_true
                && (result.is_err() || matches!(result, Ok(Value::Bool(true))));
            results.push(result);
            if enough {
                break;
            }
        }
        results
    }

    fn one(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
        cancel: &CancelToken,
        draws: &Rc<Draws>,
    ) -> Evaluated {
        let tree = self.tree(&expression.text)?;
        if let Some(found) = named(&tree, evaluation) {
            return found;
        }
        let context = self.context(evaluation, expression);
        let options = EvaluatorOptions {
            timeout_ms: Some(TIMEOUT),
            cancel: Some(cancel.clone()),
            max_stack_depth: Some(DEPTH),
            max_sequence_length: Some(SEQUENCE),
        };
        let mut evaluator = Evaluator::with_options(context, options);
        register(&mut evaluator, draws, evaluation.now)
            .map_err(|error| failure(&error, &expression.text))?;
        let value = evaluator
            .evaluate(&tree, &JValue::Undefined)
            .map_err(|error| failure(&error, &expression.text))?;
        from_engine(&value)
    }

    fn tree(&mut self, text: &Text) -> Result<Rc<AstNode>, Failure> {
        if let Some(tree) = self.trees.get(text) {
            return Ok(Rc::clone(tree));
        }
        let mut tree = parse(text).map_err(|error| Failure::Thrown(error.to_string().into()))?;
        pass_context(&mut tree);
        if self.trees.len() >= KEPT {
            with_stack(|| self.trees.clear());
        }
        let tree = Rc::new(tree);
        self.trees.insert(text.clone(), Rc::clone(&tree));
        Ok(tree)
    }

    fn context(&mut self, evaluation: &Evaluation, expression: &Expression) -> Context {
        let reads = &expression.reads;
        let mut context = Context::new();
        let states: JMap = evaluation
            .states
            .iter()
            .filter(|(name, _)| reads.reads(name))
            .map(|(name, value)| (name.to_string(), self.documents.get(value)))
            .collect();
        context.bind("states".to_string(), JValue::Object(Rc::new(states)));
        for (name, value) in &evaluation.variables {
            if reads.variables.contains(name) {
                context.bind(name.to_string(), self.documents.get(value));
            }
        }
        context
    }
}

fn failure(error: &EvaluatorError, expression: &str) -> Failure {
    let message = error.message();
    match error.code() {
        // Ended by time or from outside: not a property of the expression alone.
        Some("D1012" | "U1003") => {
            Failure::Overdue("Expression evaluation timeout: Check for infinite loop".into())
        }
        Some("D1011" | "U1001") => Failure::Bound(
            "Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive."
                .into(),
        ),
        _ if message == MEMORY => Failure::Bound(message.into()),
        _ => Failure::Thrown(reference_words(message, expression).into()),
    }
}
