//! Functions that Step Functions adds to JSONata or replaces, for example for the clock and random numbers.

use super::account::{MEMORY, Outcome, bound, thrown};
use super::builtin::wrong_argument;
use super::datum::Datum;
use super::evaluate::Run;
use super::text::argument;
use super::value;
use crate::json::parse as parse_json;
use crate::query::digest;
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use std::cell::Cell;

/// Maximum number of values of a `$range`. The number was measured on AWS.
const LONGEST_RANGE: u64 = 360_145;

/// State that the functions of a request share: the time and the random numbers. The same seed always produces the same
/// numbers.
pub(super) struct Service {
    /// The current time, in milliseconds since 1970.
    pub now: i64,
    seed: u64,
    /// Number of random numbers that have been drawn.
    drawn: Cell<u64>,
}

impl Service {
    pub(super) fn new(now: i64, seed: u64) -> Self {
        let drawn = Cell::new(0);
        Self { now, seed, drawn }
    }

    /// The current time in milliseconds since 1970, as a number of JSONata.
    #[expect(
        clippy::cast_precision_loss,
        reason = "53 bits hold the milliseconds of 285,000 years"
    )]
    pub(super) fn millis(&self) -> f64 {
        self.now as f64
    }

    /// The next random bits.
    fn bits(&self) -> u64 {
        let drawn = self.drawn.get();
        self.drawn.set(drawn.wrapping_add(1));
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_word_pos(u128::from(drawn) * 2);
        rng.next_u64()
    }
}

/// A number in the range from 0 to below 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// The first number that AWS's generator, `java.util.Random`, produces for a seed.
fn seeded(seed: i64) -> f64 {
    const FACTOR: u64 = 0x5_DEEC_E66D;
    const MASK: u64 = (1 << 48) - 1;
    let first = (seed.cast_unsigned() ^ FACTOR) & MASK;
    let next = |state: u64| state.wrapping_mul(FACTOR).wrapping_add(11) & MASK;
    let (high, low) = (next(first), next(next(first)));
    fraction((((high >> 22) << 27) + (low >> 21)) << 11)
}

/// An integer argument; AWS truncates fractions. `None` if it is missing.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float that is too large becomes the largest integer"
)]
fn integer(given: &[Datum], place: usize, name: &str) -> Outcome<Option<i64>> {
    match argument(given, place) {
        Datum::Nothing => Ok(None),
        Datum::Number(number, _) => Ok(Some(*number as i64)),
        _ => wrong_argument(place + 1, name),
    }
}

/// Rejects arguments after the last one that a function accepts.
fn at_most(given: &[Datum], most: usize, name: &str) -> Outcome<()> {
    if given.len() > most {
        return wrong_argument(most + 1, name);
    }
    Ok(())
}

/// Returns the argument without a copy, because values never change.
pub(super) fn clone(_: &mut Run, given: &[Datum]) -> Outcome {
    Ok(argument(given, 0).clone())
}

pub(super) fn partition(run: &mut Run, given: &[Datum]) -> Outcome {
    const NAME: &str = "partition";
    at_most(given, 2, NAME)?;
    let items = match given.first() {
        None => return wrong_argument(1, NAME),
        Some(Datum::Nothing) => return Ok(Datum::Nothing),
        Some(Datum::Null(_)) => {
            return thrown("T0412: Argument 1 of function \"partition\" must be an array");
        }
        // A function that returns a single item returns it without a list, so a value that is not a list counts as a
        // list of one.
        Some(value) => value.items(),
    };
    let size = integer(given, 1, NAME)?;
    let Ok(size) = usize::try_from(size.unwrap_or(i64::MAX)) else {
        return thrown("D3137: Second argument must be zero or greater");
    };
    if size == 0 || items.is_empty() {
        return Ok(Datum::Nothing);
    }
    let mut parts = run.account.items(items.len().div_ceil(size))?;
    for chunk in items.chunks(size) {
        let mut part = run.account.items(chunk.len())?;
        run.account.take(1)?;
        run.account.extend(&mut part, chunk)?;
        let part = run.account.list(part)?;
        parts.push(part);
    }
    run.account.list(parts)
}

pub(super) fn range(run: &mut Run, given: &[Datum]) -> Outcome {
    const NAME: &str = "range";
    at_most(given, 3, NAME)?;
    if given.len() < 2 {
        return wrong_argument(given.len() + 1, NAME);
    }
    let (Some(first), Some(last), Some(step)) = (
        integer(given, 0, NAME)?,
        integer(given, 1, NAME)?,
        integer(given, 2, NAME)?,
    ) else {
        return Ok(Datum::Nothing);
    };
    if step == 0 || (last.saturating_sub(first)).signum() == -step.signum() {
        return Ok(Datum::Nothing);
    }
    let count = (first.abs_diff(last) / step.unsigned_abs()).saturating_add(1);
    if count > LONGEST_RANGE {
        return bound(MEMORY);
    }
    let mut numbers = run.account.items(usize::try_from(count).unwrap_or(0))?;
    #[expect(clippy::cast_precision_loss, reason = "numbers of JSONata are floats")]
    for place in 0..i64::try_from(count).unwrap_or(0) {
        let number = first.saturating_add(step.saturating_mul(place));
        numbers.push(Datum::number(number as f64));
    }
    // As with any sequence, a single item is unwrapped.
    Ok(run.account.sequence(numbers)?.unwrapped())
}

pub(super) fn hash(run: &mut Run, given: &[Datum]) -> Outcome {
    const NAME: &str = "hash";
    at_most(given, 2, NAME)?;
    for (place, value) in given.iter().enumerate() {
        match value {
            Datum::Nothing => return Ok(Datum::Nothing),
            Datum::Text(_, _) => {}
            _ => return wrong_argument(place + 1, NAME),
        }
    }
    let [Datum::Text(text, _), Datum::Text(algorithm, _)] = given else {
        return Ok(Datum::Nothing);
    };
    run.account.scan(text.len().saturating_mul(4))?;
    match digest(text, algorithm) {
        Some(digest) => run.account.text(digest),
        None => thrown(format!(
            "D3137: Unknown hash algorithm \"{}\": MD5, SHA-1, SHA-256, SHA-384 and SHA-512 are known",
            algorithm.chars().take(40).collect::<String>()
        )),
    }
}

pub(super) fn parse(run: &mut Run, given: &[Datum]) -> Outcome {
    const NAME: &str = "parse";
    at_most(given, 1, NAME)?;
    let text = match argument(given, 0) {
        Datum::Nothing => return Ok(Datum::Nothing),
        Datum::Text(text, _) => text,
        _ => return wrong_argument(1, NAME),
    };
    run.account.scan(text.len().saturating_mul(8))?;
    // In the worst case each byte becomes a value, both in the parsed tree and in the result.
    run.account.room(text.len().saturating_mul(24))?;
    match parse_json(text) {
        Ok(parsed) => value::from_json(&parsed, &mut run.account),
        Err(error) => thrown(format!("D3137: Invalid JSON: {error}")),
    }
}

pub(super) fn uuid(run: &mut Run, given: &[Datum]) -> Outcome {
    if !given.is_empty() {
        return wrong_argument(1, "uuid");
    }
    let service = &run.service;
    let bits = (u128::from(service.bits()) << 64) | u128::from(service.bits());
    let uuid = uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid();
    run.account.text(uuid.to_string())
}

pub(super) fn random(run: &mut Run, given: &[Datum]) -> Outcome {
    at_most(given, 1, "random")?;
    Ok(Datum::number(match integer(given, 0, "random")? {
        None => fraction(run.service.bits()),
        Some(seed) => seeded(seed),
    }))
}

pub(super) fn shuffle(run: &mut Run, given: &[Datum]) -> Outcome {
    let all = argument(given, 0);
    if all.is_nothing() {
        return Ok(Datum::Nothing);
    }
    let count = all.items().len();
    run.account.take(count)?;
    let mut left = run.account.items(count)?;
    run.account.extend(&mut left, all.items())?;
    let mut end = count;
    let mut shuffled = run.account.items(count)?;
    while end > 0 {
        let place = run.service.bits() % u64::try_from(end).unwrap_or(u64::MAX);
        let place = usize::try_from(place).unwrap_or(0);
        let left = left.all_mut();
        end -= 1;
        left.swap(place, end);
        if let Some(item) = left.get_mut(end) {
            shuffled.push(std::mem::take(item));
        }
    }
    run.account.list(shuffled)
}
