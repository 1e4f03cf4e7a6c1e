//! Shows what a JSONata expression read of the state's input and result, below the expression.

use super::Paint;
use super::data_line::preview;
use crate::interpreter::Stage;
use crate::json::{Pointer, Step};
use crate::query::jsonata::{self, Tree};

/// Maximum number of values to list.
const MOST: usize = 6;
/// Maximum width of a value, in columns.
const VALUE: usize = 40;

/// `$states.input.sku = nothing`, in the order of the text; empty for an expression that is only a path.
pub(super) fn read(paint: &Paint, field: &str) -> Vec<String> {
    let Some(text) = jsonata::inner(field) else {
        return Vec::new();
    };
    let paths = Tree::parse(text).map(|tree| tree.root().paths());
    let told = paths.unwrap_or_default().into_iter().filter_map(|names| {
        let [states, document, names @ ..] = names.as_slice() else {
            return None;
        };
        let stage = match (states.as_str(), document.as_str()) {
            ("states", "input") => Stage::Input,
            ("states", "result") => Stage::Result,
            _ => return None,
        };
        let mut stages = paint.view.data.stages.iter();
        let whole = stages.find(|view| view.stage == stage)?.value.as_ref()?;
        let steps = names.iter().map(|name| Step::Member(name.as_str().into()));
        let at = Pointer(steps.collect());
        // Names apply to every item of an array, so there is no single value.
        let is_through = (0..at.0.len()).any(|count| {
            let above = Pointer(at.0.get(..count).unwrap_or_default().to_vec());
            above.get(whole).is_some_and(|value| value.is_array())
        });
        let path = format!(
            "$states.{document}{}",
            at.to_string().trim_start_matches('$')
        );
        match at.get(whole) {
            _ if is_through => None,
            Some(_) if path == text.trim() => None,
            Some(value) => Some(format!("{path} = {}", preview(value, VALUE).0)),
            None => Some(format!("{path} = nothing")),
        }
    });
    told.take(MOST).collect()
}
