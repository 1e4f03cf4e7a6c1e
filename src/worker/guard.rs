//! Built-in functions whose arguments can bring the engine down, checked before they are called.
//!
//! It must not know limits of time; those hold for every function.

use super::function::thrown;
use jsonata_core::evaluator::{Context, Evaluator, EvaluatorError};
use jsonata_core::parser::parse;
use jsonata_core::value::JValue;

/// Most characters that `$pad` fills up to.
const WIDEST: f64 = 1_000_000.0;
/// Most bytes of a picture.
const LONGEST_PICTURE: usize = 1000;
/// Most bytes that `$replace` may come to.
const LARGEST_REPLACEMENT: usize = 64 << 20;

/// Replaces the built-ins by ones that look at their arguments first.
pub(super) fn register(evaluator: &mut Evaluator) -> Result<(), EvaluatorError> {
    evaluator.register_fn_override("pad", |args: &[JValue]| {
        let wide = args.iter().filter_map(JValue::as_f64);
        if wide
            .into_iter()
            .any(|width| width.is_nan() || width.abs() > WIDEST)
        {
            return Err(thrown("D3141: the width of $pad is too large"));
        }
        call("pad", args)
    })?;
    evaluator.register_fn_override("formatInteger", |args: &[JValue]| {
        finite(args)?;
        call("formatInteger", args)
    })?;
    evaluator.register_fn_override("replace", |args: &[JValue]| {
        let length = |place: usize| args.get(place).and_then(JValue::as_str).map_or(0, str::len);
        if length(0).saturating_mul(length(2)) > LARGEST_REPLACEMENT {
            return Err(thrown("D3141: the result of $replace would be too large"));
        }
        call("replace", args)
    })?;
    evaluator.register_fn_override("fromMillis", |args: &[JValue]| {
        finite(args)?;
        let mut args = args.to_vec();
        if let Some(JValue::Number(millis)) = args.first_mut() {
            *millis = millis.trunc();
        }
        call("fromMillis", &args)
    })?;
    for name in ["parseInteger", "toMillis"] {
        evaluator.register_fn_override(name, move |args: &[JValue]| {
            finite(args)?;
            call(name, args)
        })?;
    }
    Ok(())
}

/// Numbers are finite and of a size that can be spelt; pictures are short.
fn finite(args: &[JValue]) -> Result<(), EvaluatorError> {
    for (place, arg) in args.iter().enumerate() {
        match arg {
            JValue::Number(number) if !number.is_finite() => {
                return Err(thrown("D1001: Number out of range: Infinity"));
            }
            JValue::Number(number) if number.abs() > 1e21 => {
                return Err(thrown("D1001: Number out of range"));
            }
            JValue::String(text) if place > 0 && text.len() > LONGEST_PICTURE => {
                return Err(thrown("D3132: the picture is too long"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Calls the built-in itself, in an evaluator without our functions.
pub(super) fn call(name: &str, args: &[JValue]) -> Result<JValue, EvaluatorError> {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let mut context = Context::new();
    let mut text = format!("${name}(");
    for (place, (own, arg)) in NAMES.iter().zip(args).enumerate() {
        context.bind((*own).to_string(), arg.clone());
        if place > 0 {
            text.push(',');
        }
        text.push('$');
        text.push_str(own);
    }
    text.push(')');
    let tree = parse(&text).map_err(|error| thrown(&error.to_string()))?;
    Evaluator::with_context(context).evaluate(&tree, &JValue::Undefined)
}
