//! Numeric indexes into lists: negative ones count from the end, fractions are rounded down.

use super::datum::Datum;
use super::plan::{Form, Node};

/// The index, if the predicate is a literal number.
pub(super) fn literal_place(predicate: &Node) -> Option<f64> {
    match &predicate.form {
        Form::Literal(Datum::Number(number, _)) => Some(*number),
        _ => None,
    }
}

/// The item at an index; negative indexes count from the end.
pub(super) fn at<T>(items: &[T], place: f64) -> Option<&T> {
    let count = place_count(items.len());
    let mut place = place.floor();
    if place < 0.0 {
        place += count;
    }
    (place >= 0.0 && place < count)
        .then(|| items.get(super::number::index(place)))
        .flatten()
}

/// True if a number refers to index `place` in a list of `count` items.
pub(super) fn is_place(number: f64, place: usize, count: usize) -> bool {
    let mut number = number.floor();
    if number < 0.0 {
        number += place_count(count);
    }
    number == place_count(place)
}

pub(super) fn place_number(place: usize) -> Datum {
    Datum::number(place_count(place))
}

#[expect(clippy::cast_precision_loss, reason = "lists are shorter than 2^53")]
fn place_count(count: usize) -> f64 {
    count as f64
}
