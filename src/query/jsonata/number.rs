//! Formats numbers like JSONata.

/// A finite number as JavaScript prints it: with the fewest digits that identify it.
#[must_use]
pub fn js_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_string();
    }
    if (1e-6..1e21).contains(&number.abs()) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => text,
    }
}

/// A finite number as `$string` prints it: a fraction has at most 15 significant digits.
#[must_use]
pub fn number_text(number: f64) -> String {
    if number.fract() == 0.0 {
        return js_text(number);
    }
    js_text(format!("{number:.14e}").parse().unwrap_or(number))
}
