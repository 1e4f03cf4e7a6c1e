//! Functions that Step Functions adds to JSONata, and those of JSONata that must not be as they are: the clock and chance.
//!
//! It must not know which expression calls.

use super::guard;
use crate::json::parse as parse_json;
use crate::query::{digest, format_timestamp};
use jsonata_core::evaluator::{Evaluator, EvaluatorError};
use jsonata_core::value::JValue;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::cell::Cell;
use std::rc::Rc;

/// Random numbers of one request: the same seed gives the same numbers.
pub(super) struct Draws {
    seed: u64,
    drawn: Cell<u64>,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            drawn: Cell::new(0),
        }
    }

    fn bits(&self) -> u64 {
        let drawn = self.drawn.get();
        self.drawn.set(drawn.wrapping_add(1));
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_word_pos(u128::from(drawn) * 2);
        rng.next_u64()
    }
}

/// A number from 0 to below 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Puts the functions into an evaluator.
pub(super) fn register(
    evaluator: &mut Evaluator,
    draws: &Rc<Draws>,
    now: i64,
) -> Result<(), EvaluatorError> {
    evaluator.register_fn("partition", partition)?;
    evaluator.register_fn("range", range)?;
    evaluator.register_fn("hash", hash)?;
    evaluator.register_fn("parse", parse)?;
    let own = Rc::clone(draws);
    evaluator.register_fn("uuid", move |args: &[JValue]| uuid(&own, args))?;
    let own = Rc::clone(draws);
    evaluator.register_fn_override("random", move |args: &[JValue]| random(&own, args))?;
    let own = Rc::clone(draws);
    evaluator.register_fn_override("shuffle", move |args: &[JValue]| shuffle(&own, args))?;
    evaluator.register_fn_override("eval", |_: &[JValue]| {
        Err(thrown("T1006: Attempted to invoke a non-function"))
    })?;
    evaluator.register_fn_override("millis", move |_: &[JValue]| Ok(JValue::from(now)))?;
    evaluator.register_fn_override("now", move |args: &[JValue]| now_text(now, args))?;
    guard::register(evaluator)
}

pub(super) fn thrown(message: &str) -> EvaluatorError {
    EvaluatorError::EvaluationError(message.to_string())
}

fn wrong_argument(place: usize, name: &str) -> EvaluatorError {
    thrown(&format!(
        "T0410: Argument {place} of function \"{name}\" does not match function signature"
    ))
}

/// An integer argument.
#[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
fn integer(args: &[JValue], place: usize, name: &str) -> Result<i64, EvaluatorError> {
    let number = args.get(place).and_then(JValue::as_f64);
    number
        .filter(|number| number.fract() == 0.0 && number.abs() < 9.0e15)
        .map(|number| number as i64)
        .ok_or_else(|| wrong_argument(place + 1, name))
}

fn partition(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "partition";
    let items = match args.first() {
        Some(JValue::Undefined) => return Ok(JValue::Undefined),
        Some(JValue::Array(items)) => items.iter().cloned().collect::<Vec<_>>(),
        // A sequence of one is its item.
        Some(other) if args.len() == 2 => vec![other.clone()],
        _ => return Err(wrong_argument(1, NAME)),
    };
    let size = usize::try_from(integer(args, 1, NAME)?)
        .ok()
        .filter(|size| *size > 0)
        .ok_or_else(|| wrong_argument(2, NAME))?;
    let chunks = items.chunks(size);
    Ok(JValue::array(
        chunks.map(|chunk| JValue::array(chunk.to_vec())).collect(),
    ))
}

/// Most numbers of a `$range`.
const LONGEST_RANGE: usize = 1000;

fn range(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "range";
    let (first, last) = (integer(args, 0, NAME)?, integer(args, 1, NAME)?);
    let step = integer(args, 2, NAME)?;
    if step == 0 {
        return Err(wrong_argument(3, NAME));
    }
    let mut numbers = Vec::new();
    let mut at = first;
    while if step > 0 { at <= last } else { at >= last } {
        if numbers.len() >= LONGEST_RANGE {
            return Err(thrown(&format!(
                "D2014: The size of the sequence allocated by the function $range must not exceed {LONGEST_RANGE}"
            )));
        }
        numbers.push(JValue::from(at));
        at = at.saturating_add(step);
    }
    // As any sequence: none is nothing, one is its item.
    Ok(JValue::sequence(numbers).unwrap_sequence())
}

fn hash(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "hash";
    if args.first().is_none_or(JValue::is_undefined) {
        return Ok(JValue::Undefined);
    }
    let text = args
        .first()
        .and_then(JValue::as_str)
        .ok_or_else(|| wrong_argument(1, NAME))?;
    let algorithm = args
        .get(1)
        .and_then(JValue::as_str)
        .ok_or_else(|| wrong_argument(2, NAME))?;
    digest(text, algorithm)
        .map(JValue::from)
        .ok_or_else(|| wrong_argument(2, NAME))
}

fn parse(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "parse";
    if args.first().is_none_or(JValue::is_undefined) {
        return Ok(JValue::Undefined);
    }
    let text = args
        .first()
        .and_then(JValue::as_str)
        .ok_or_else(|| wrong_argument(1, NAME))?;
    match parse_json(text) {
        Ok(value) => Ok(super::value::to_engine(&value)),
        Err(error) => Err(thrown(&format!(
            "D3030: cannot parse the text as JSON: {error}"
        ))),
    }
}

fn uuid(draws: &Draws, args: &[JValue]) -> Result<JValue, EvaluatorError> {
    if !args.is_empty() {
        return Err(wrong_argument(1, "uuid"));
    }
    let bits = (u128::from(draws.bits()) << 64) | u128::from(draws.bits());
    let uuid = uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid();
    Ok(JValue::from(uuid.to_string()))
}

fn random(draws: &Draws, args: &[JValue]) -> Result<JValue, EvaluatorError> {
    let bits = match args.first() {
        None => draws.bits(),
        Some(_) => {
            let seed = integer(args, 0, "random")?;
            ChaCha8Rng::seed_from_u64(seed.cast_unsigned()).next_u64()
        }
    };
    Ok(JValue::from(fraction(bits)))
}

fn shuffle(draws: &Draws, args: &[JValue]) -> Result<JValue, EvaluatorError> {
    let mut left = match args.first() {
        None | Some(JValue::Undefined) => return Ok(JValue::Undefined),
        Some(JValue::Array(items)) => items.iter().cloned().collect::<Vec<_>>(),
        Some(other) => vec![other.clone()],
    };
    let mut items = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let count = u64::try_from(left.len()).unwrap_or(u64::MAX);
        let place = usize::try_from(draws.bits() % count).unwrap_or(0);
        items.push(left.swap_remove(place));
    }
    Ok(JValue::array(items))
}

fn now_text(now: i64, args: &[JValue]) -> Result<JValue, EvaluatorError> {
    if args.is_empty() {
        return Ok(JValue::from(format_timestamp(now)));
    }
    let mut all = vec![JValue::from(now)];
    all.extend(args.iter().cloned());
    guard::call("fromMillis", &all)
}
