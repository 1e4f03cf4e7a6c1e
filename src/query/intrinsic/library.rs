//! The intrinsic functions of Step Functions.

use super::format;
use super::function::{Built, Failure, Function, Outcome, Parameter, function};
use crate::json::{Number, Step, Text, Value, count, one_line, parse};
use crate::query::error::in_aws_words;
use crate::query::{Bindings, Divergence, Profile};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Maximum length of a text for `States.Hash` and the Base64 functions, in UTF-16 units.
const CHARACTERS: usize = 10_000;
/// Maximum number of items that `ArrayRange` returns.
const RANGE: i128 = 1_000;

/// All intrinsic functions.
pub const FUNCTIONS: &[Function] = &[
    function("States.Format", (1, None), &[Parameter::Text], formatted),
    function(
        "States.StringToJson",
        (1, Some(1)),
        &[Parameter::Text],
        string_to_json,
    ),
    function("States.JsonToString", (1, Some(1)), &[], json_to_string),
    function("States.Array", (0, None), &[], array).built_as(array_built),
    function(
        "States.ArrayPartition",
        (2, Some(2)),
        &[Parameter::Array, Parameter::Number],
        array_partition,
    )
    .built_as(partition_built),
    function(
        "States.ArrayContains",
        (2, Some(2)),
        &[Parameter::Array],
        array_contains,
    ),
    function(
        "States.ArrayRange",
        (3, Some(3)),
        &[Parameter::Number, Parameter::Number, Parameter::Number],
        array_range,
    ),
    function(
        "States.ArrayGetItem",
        (2, Some(2)),
        &[Parameter::Array, Parameter::Number],
        array_get_item,
    )
    .built_as(item_built),
    function(
        "States.ArrayLength",
        (1, Some(1)),
        &[Parameter::Array],
        array_length,
    ),
    function(
        "States.ArrayUnique",
        (1, Some(1)),
        &[Parameter::Array],
        array_unique,
    )
    .built_as(unique_built),
    function(
        "States.Base64Encode",
        (1, Some(1)),
        &[Parameter::Text],
        base64_encode,
    ),
    function(
        "States.Base64Decode",
        (1, Some(1)),
        &[Parameter::Text],
        base64_decode,
    ),
    function(
        "States.Hash",
        (2, Some(2)),
        &[Parameter::Any, Parameter::Text],
        hashed,
    ),
    function(
        "States.JsonMerge",
        (3, Some(3)),
        &[Parameter::Object, Parameter::Object],
        json_merge,
    )
    .built_as(merge_built),
    function(
        "States.MathRandom",
        (2, Some(3)),
        &[Parameter::Number, Parameter::Number, Parameter::Number],
        math_random,
    ),
    function(
        "States.MathAdd",
        (2, Some(2)),
        &[Parameter::Number, Parameter::Number],
        math_add,
    ),
    function(
        "States.StringSplit",
        (2, Some(2)),
        &[Parameter::Text, Parameter::Text],
        string_split,
    ),
    function("States.UUID", (0, Some(0)), &[], uuid_v4),
];

/// Returns the arguments if there are exactly `N` of them; fails otherwise.
fn exactly<const N: usize>(arguments: &[Value]) -> Result<&[Value; N], Failure> {
    arguments.try_into().map_err(|_| Failure::Arguments)
}

fn text(value: &Value) -> Result<&str, Failure> {
    value.as_str().ok_or(Failure::Arguments)
}

fn short_text(value: &Value) -> Result<&str, Failure> {
    let text = text(value)?;
    // The limit counts UTF-16 units. A text never has more UTF-16 units than bytes.
    if text.len() > CHARACTERS && text.encode_utf16().count() > CHARACTERS {
        return Err(Failure::Arguments);
    }
    Ok(text)
}

fn items(value: &Value) -> Result<&[Value], Failure> {
    value.as_array().ok_or(Failure::Arguments)
}

/// Rounds a number to an integer like Java: halves are rounded up.
fn integer(value: &Value) -> Result<i64, Failure> {
    let number = value.as_number().ok_or(Failure::Arguments)?;
    if let Some(int) = number.as_i64() {
        return Ok(int);
    }
    let real = number.as_f64();
    let below = real.floor();
    let rounded = if real - below >= 0.5 {
        below + 1.0
    } else {
        below
    };
    Number::from_f64(rounded)
        .and_then(|number| number.as_i64())
        .ok_or(Failure::Arguments)
}

/// Rounds to a Java `int`; fails if the number is out of range.
fn java_int(value: &Value) -> Result<i64, Failure> {
    let int = integer(value)?;
    i32::try_from(int)
        .map(i64::from)
        .map_err(|_| Failure::Arguments)
}

/// The compact JSON text of a value.
fn json_text(value: &Value, bindings: &dyn Bindings) -> Outcome {
    match bindings.fits(value.size()) {
        true => Ok(Value::string(one_line(value))),
        false => Err(Failure::Arguments),
    }
}

fn formatted(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let (template, values) = arguments.split_first().ok_or(Failure::Arguments)?;
    let template = format::Template::parse(text(template)?);
    format::fill(template.as_ref(), values, bindings)
}

fn string_to_json(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [value] = exactly(arguments)?;
    let text = text(value)?;
    match text.trim() {
        "" => Ok(Value::Null),
        "-0" => Ok(Value::from(0)),
        _ => parse(text).map_err(|error| {
            Failure::Message(format!(
                "Cannot convert String to Json in States.StringToJson, caused by: {error}",
                error = in_aws_words(text, &error)
            ))
        }),
    }
}

fn json_to_string(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let [value] = exactly(arguments)?;
    json_text(value, bindings)
}

fn array(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    Ok(Value::array(arguments.to_vec()))
}

fn array_built(arguments: &[Value]) -> Option<Built> {
    let items = (0..arguments.len()).map(|place| Built::Part(place, Vec::new()));
    Some(Built::Array(items.collect()))
}

fn array_partition(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [array, size] = exactly(arguments)?;
    match usize::try_from(integer(size)?) {
        Ok(size) if size > 0 => Ok(Value::array(
            items(array)?
                .chunks(size)
                .map(|chunk| Value::array(chunk.to_vec()))
                .collect(),
        )),
        _ => Err(Failure::Arguments),
    }
}

fn partition_built(arguments: &[Value]) -> Option<Built> {
    let [array, size] = exactly(arguments).ok()?;
    let size = usize::try_from(integer(size).ok()?).ok()?.max(1);
    let places: Vec<usize> = (0..items(array).ok()?.len()).collect();
    let chunks = places.chunks(size).map(items_built);
    Some(Built::Array(chunks.collect()))
}

/// Describes an array that contains the items of the first argument at the indexes `places`.
fn items_built(places: &[usize]) -> Built {
    let items = places
        .iter()
        .map(|place| Built::Part(0, vec![Step::Item(*place)]));
    Built::Array(items.collect())
}

fn array_contains(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let [array, wanted] = exactly(arguments)?;
    if !bindings.fits(wanted.size()) {
        return Err(Failure::Arguments);
    }
    Ok(Value::Bool(items(array)?.contains(wanted)))
}

fn array_range(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [first, last, step] = exactly(arguments)?;
    let (first, last, step) = (integer(first)?, integer(last)?, integer(step)?);
    if step == 0 {
        return Err(Failure::Arguments);
    }
    let (wide_first, wide_step) = (i128::from(first), i128::from(step));
    let steps = (i128::from(last) - wide_first) / wide_step;
    let forward = (last >= first) == (step > 0) || last == first;
    let length = if forward { steps + 1 } else { 0 };
    if length > RANGE {
        return Err(Failure::Arguments);
    }
    Ok(Value::array(
        (0..length)
            .filter_map(|place| i64::try_from(wide_first + place * wide_step).ok())
            .map(Value::from)
            .collect(),
    ))
}

fn array_get_item(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let [array, index] = exactly(arguments)?;
    let number = index.as_number().ok_or(Failure::Arguments)?;
    // The item of an empty array is null for every non-negative index.
    if items(array)?.is_empty() && number.as_f64() >= 0.0 {
        return Ok(Value::Null);
    }
    let item = place_of(index).and_then(|place| items(array).ok()?.get(place).cloned());
    if item.is_some() && number.as_i64().is_none() && bindings.profile() == Profile::Spec {
        bindings.diverges(Divergence::FractionalIndex);
        return Err(Failure::Arguments);
    }
    item.ok_or(Failure::Arguments)
}

/// Converts a number to an index; AWS truncates fractions.
fn place_of(index: &Value) -> Option<usize> {
    let number = index.as_number()?;
    let whole = match number.as_i64() {
        Some(whole) => whole,
        None => Number::from_f64(number.as_f64().trunc())?.as_i64()?,
    };
    usize::try_from(whole).ok()
}

fn item_built(arguments: &[Value]) -> Option<Built> {
    let [array, index] = exactly(arguments).ok()?;
    let place = place_of(index).filter(|place| array.item(*place).is_some())?;
    Some(Built::Part(0, vec![Step::Item(place)]))
}

fn array_length(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [array] = exactly(arguments)?;
    Ok(count(items(array)?.len()))
}

fn array_unique(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let [array] = exactly(arguments)?;
    if !bindings.fits(array.size()) {
        return Err(Failure::Arguments);
    }
    let items = items(array)?;
    let kept = unique_places(items)
        .into_iter()
        .filter_map(|place| items.get(place).cloned());
    Ok(Value::array(kept.collect()))
}

/// Returns the index of each item that differs from all earlier items.
fn unique_places(items: &[Value]) -> Vec<usize> {
    let mut seen: HashMap<u64, Vec<&Value>> = HashMap::new();
    let first = items.iter().enumerate().filter(|(_, item)| {
        let alike = seen.entry(hash(item)).or_default();
        let known = alike.contains(item);
        if !known {
            alike.push(*item);
        }
        !known
    });
    first.map(|(place, _)| place).collect()
}

fn unique_built(arguments: &[Value]) -> Option<Built> {
    let places = unique_places(arguments.first()?.as_array()?);
    Some(items_built(&places))
}

fn base64_encode(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [value] = exactly(arguments)?;
    Ok(Value::string(STANDARD.encode(short_text(value)?)))
}

fn base64_decode(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [value] = exactly(arguments)?;
    STANDARD
        .decode(short_text(value)?)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map(Value::string)
        .ok_or(Failure::Arguments)
}

fn hashed(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let [value, algorithm] = exactly(arguments)?;
    // A value that is not a string is hashed as its JSON text; null cannot be hashed.
    let data = match value {
        Value::Null => return Err(Failure::Arguments),
        Value::String(_) => value.clone(),
        _ => json_text(value, bindings)?,
    };
    digest(short_text(&data)?, text(algorithm)?)
        .map(Value::string)
        .ok_or(Failure::Arguments)
}

fn json_merge(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let [first, second, deep] = exactly(arguments)?;
    let (Value::Object(_), Value::Object(_)) = (first, second) else {
        return Err(Failure::Arguments);
    };
    match (deep, bindings.profile()) {
        (Value::Bool(false), _) => Ok(merged(first, second, false)),
        (Value::Bool(true), Profile::Spec) => {
            bindings.diverges(Divergence::DeepMerge);
            Ok(merged(first, second, true))
        }
        (Value::Bool(true), Profile::Aws) => Err(Failure::Arguments),
        (_, Profile::Spec) => {
            bindings.diverges(Divergence::MergeFlag);
            Err(Failure::Arguments)
        }
        (_, Profile::Aws) => Ok(merged(first, second, false)),
    }
}

/// Merges two objects. If `deep` is true, a member that is an object in both is merged in the same way.
fn merged(first: &Value, second: &Value, deep: bool) -> Value {
    let (Value::Object(a), Value::Object(b)) = (first, second) else {
        return second.clone();
    };
    if Arc::ptr_eq(a, b) {
        return first.clone();
    }
    let mut members: Vec<(Text, Value)> = a.members().to_vec();
    for (name, value) in b.members() {
        let value = match a.get(name) {
            Some(old) if deep => merged(old, value, true),
            _ => value.clone(),
        };
        members.push((name.clone(), value));
    }
    Value::object(members)
}

fn merge_built(arguments: &[Value]) -> Option<Built> {
    let [first, second, deep] = exactly(arguments).ok()?;
    merged_built(first, second, *deep == Value::Bool(true), &[])
}

/// Like [`merged`], but returns how the merged object is composed of parts of the two arguments. `at` is the path from
/// the root of each argument to the object that is merged.
fn merged_built(first: &Value, second: &Value, deep: bool, at: &[Step]) -> Option<Built> {
    let (first, second) = (first.as_object()?, second.as_object()?);
    let below = |name: &Text| [at, &[Step::Member(name.clone())]].concat();
    let argument_value = |argument: usize| {
        move |(name, _): &(Text, Value)| (name.clone(), Built::Part(argument, below(name)))
    };
    let mut members: Vec<(Text, Built)> = first.members().iter().map(argument_value(0)).collect();
    for (name, value) in second.members() {
        let both = first.get(name).filter(|_| deep);
        let merged = both.and_then(|old| merged_built(old, value, true, &below(name)));
        members.push((
            name.clone(),
            merged.unwrap_or_else(|| Built::Part(1, below(name))),
        ));
    }
    Some(Built::Object(members))
}

fn math_random(arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
    let (first, last, seed) = match arguments {
        [first, last] => (first, last, None),
        [first, last, seed] => (first, last, Some(seed)),
        _ => return Err(Failure::Arguments),
    };
    let (first, last) = (java_int(first)?, java_int(last)?);
    if first >= last {
        return Err(Failure::Arguments);
    }
    let bits = match seed {
        Some(seed) => {
            let seed = u64::from_le_bytes(integer(seed)?.to_le_bytes());
            ChaCha8Rng::seed_from_u64(seed).next_u64()
        }
        None => bindings.random(),
    };
    let within = (u128::from(bits) * u128::from(last.abs_diff(first))) >> 64;
    let within = i64::try_from(within).map_err(|_| Failure::Arguments)?;
    Ok(Value::from(first.saturating_add(within)))
}

fn math_add(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [a, b] = exactly(arguments)?;
    Ok(Value::from(java_int(a)? + java_int(b)?))
}

fn string_split(arguments: &[Value], _: &dyn Bindings) -> Outcome {
    let [value, separators] = exactly(arguments)?;
    let (value, separators) = (text(value)?, text(separators)?);
    Ok(Value::array(
        value
            .split(|c| separators.contains(c))
            .filter(|piece| !piece.is_empty())
            .map(Value::from)
            .collect(),
    ))
}

fn uuid_v4(_: &[Value], bindings: &dyn Bindings) -> Outcome {
    let bits = (u128::from(bindings.random()) << 64) | u128::from(bindings.random());
    let id = uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid();
    Ok(Value::string(id.to_string()))
}

/// The digest of `text` in lower-case hexadecimal; `None` for an algorithm that `States.Hash` does not support.
#[must_use]
pub fn digest(text: &str, algorithm: &str) -> Option<String> {
    fn hex<D: Digest>(text: &str) -> String {
        D::digest(text.as_bytes())
            .iter()
            .fold(String::new(), |mut out, byte| {
                let _ = write!(out, "{byte:02x}");
                out
            })
    }
    match algorithm {
        "MD5" => Some(hex::<Md5>(text)),
        "SHA-1" => Some(hex::<Sha1>(text)),
        "SHA-256" => Some(hex::<Sha256>(text)),
        "SHA-384" => Some(hex::<Sha384>(text)),
        "SHA-512" => Some(hex::<Sha512>(text)),
        _ => None,
    }
}

/// The MD5 digest of `bytes` in lower-case hexadecimal.
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> String {
    let digest = Md5::digest(bytes);
    digest.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A hash that is equal for equal values: numbers are hashed by value, and the order of members does not matter.
fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Null => 0_u8.hash(&mut hasher),
        Value::Bool(flag) => flag.hash(&mut hasher),
        Value::Number(number) => (number.as_f64() + 0.0).to_bits().hash(&mut hasher),
        Value::String(text) => text.hash(&mut hasher),
        Value::Array(array) => {
            1_u8.hash(&mut hasher);
            for item in array.items() {
                hash(item).hash(&mut hasher);
            }
        }
        Value::Object(object) => {
            2_u8.hash(&mut hasher);
            let members = object.members().iter().fold(0_u64, |sum, (name, member)| {
                let mut member_hasher = DefaultHasher::new();
                name.hash(&mut member_hasher);
                hash(member).hash(&mut member_hasher);
                sum.wrapping_add(member_hasher.finish())
            });
            members.hash(&mut hasher);
        }
    }
    hasher.finish()
}
