//! Functions that Step Functions adds to JSONata, and those of JSONata that must not be as they are: the clock and chance.
//!
//! It must not know which expression calls.

use super::{guard, url};
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

/// The first number of AWS's generator for a seed: that of `java.util.Random`.
fn seeded(seed: i64) -> f64 {
    const FACTOR: u64 = 0x5_DEEC_E66D;
    const MASK: u64 = (1 << 48) - 1;
    let first = (seed.cast_unsigned() ^ FACTOR) & MASK;
    let next = |state: u64| state.wrapping_mul(FACTOR).wrapping_add(11) & MASK;
    let (high, low) = (next(first), next(next(first)));
    fraction((((high >> 22) << 27) + (low >> 21)) << 11)
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
    // Values do not change: a clone is the value.
    evaluator.register_fn("clone", |args: &[JValue]| {
        Ok(args.first().cloned().unwrap_or(JValue::Undefined))
    })?;
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
    url::register(evaluator)?;
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

/// A whole number out of an argument: fractions are cut off, as AWS does; `None` where none is given.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float that is too large becomes the largest integer"
)]
fn integer(args: &[JValue], place: usize, name: &str) -> Result<Option<i64>, EvaluatorError> {
    match args.get(place) {
        None | Some(JValue::Undefined) => Ok(None),
        Some(JValue::Number(number)) => Ok(Some(*number as i64)),
        Some(_) => Err(wrong_argument(place + 1, name)),
    }
}

/// Refuses arguments after the last that a function takes.
fn at_most(args: &[JValue], most: usize, name: &str) -> Result<(), EvaluatorError> {
    if args.len() > most {
        return Err(wrong_argument(most + 1, name));
    }
    Ok(())
}

fn partition(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "partition";
    at_most(args, 2, NAME)?;
    let items = match args.first() {
        None => return Err(wrong_argument(1, NAME)),
        Some(JValue::Undefined) => return Ok(JValue::Undefined),
        Some(JValue::Null) => {
            return Err(thrown(
                "T0412: Argument 1 of function \"partition\" must be an array",
            ));
        }
        Some(JValue::Array(items)) => items.iter().cloned().collect::<Vec<_>>(),
        // A sequence of one is its item.
        Some(other) => vec![other.clone()],
    };
    let size = integer(args, 1, NAME)?;
    let Ok(size) = usize::try_from(size.unwrap_or(i64::MAX)) else {
        return Err(thrown("D3137: Second argument must be zero or greater"));
    };
    if size == 0 || items.is_empty() {
        return Ok(JValue::Undefined);
    }
    let chunks = items.chunks(size);
    Ok(JValue::array(
        chunks.map(|chunk| JValue::array(chunk.to_vec())).collect(),
    ))
}

/// What AWS says of a value that is too large to be held.
pub(super) const MEMORY: &str =
    "Expression evaluation memory limit exceeded: Check for excessive memory usage";
/// Most numbers of a `$range`: AWS holds no more.
const LONGEST_RANGE: u64 = 360_145;

fn range(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "range";
    at_most(args, 3, NAME)?;
    if args.len() < 2 {
        return Err(wrong_argument(args.len() + 1, NAME));
    }
    let (Some(first), Some(last), Some(step)) = (
        integer(args, 0, NAME)?,
        integer(args, 1, NAME)?,
        integer(args, 2, NAME)?,
    ) else {
        return Ok(JValue::Undefined);
    };
    if step == 0 || (last.saturating_sub(first)).signum() == -step.signum() {
        return Ok(JValue::Undefined);
    }
    let count = first.abs_diff(last) / step.unsigned_abs() + 1;
    if count > LONGEST_RANGE {
        return Err(thrown(MEMORY));
    }
    let numbers = (0..i64::try_from(count).unwrap_or(0))
        .map(|place| JValue::from(first.saturating_add(step.saturating_mul(place))));
    // As any sequence: one is its item.
    Ok(JValue::sequence(numbers.collect()).unwrap_sequence())
}

fn hash(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "hash";
    at_most(args, 2, NAME)?;
    let mut texts = Vec::new();
    for (place, arg) in args.iter().enumerate() {
        match arg {
            JValue::Undefined => return Ok(JValue::Undefined),
            JValue::String(text) => texts.push(text),
            _ => return Err(wrong_argument(place + 1, NAME)),
        }
    }
    let [text, algorithm] = texts.as_slice() else {
        return Ok(JValue::Undefined);
    };
    digest(text, algorithm).map(JValue::from).ok_or_else(|| {
        thrown(&format!(
            "D3137: Unknown hash algorithm \"{algorithm}\": MD5, SHA-1, SHA-256, SHA-384 and SHA-512 are known"
        ))
    })
}

fn parse(args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAME: &str = "parse";
    at_most(args, 1, NAME)?;
    let text = match args.first() {
        None | Some(JValue::Undefined) => return Ok(JValue::Undefined),
        Some(JValue::String(text)) => text,
        Some(_) => return Err(wrong_argument(1, NAME)),
    };
    let value =
        parse_json(text).map_err(|error| thrown(&format!("D3137: Invalid JSON: {error}")))?;
    Ok(super::value::to_engine(&value))
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
    at_most(args, 1, "random")?;
    let drawn = match integer(args, 0, "random")? {
        None => fraction(draws.bits()),
        Some(seed) => seeded(seed),
    };
    Ok(JValue::from(drawn))
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
