//! Checks for paths that collect arrays, so that a function processes an array of arrays instead of their items.

use super::Checker;
use crate::definition::rule::{Severities, rules};
use crate::json::{Value, one_line};
use crate::query::{Call, Gathered, Path};
use crate::source::Diagnostic;

rules! {
    SEVERAL = 84, "several-values", "SEVERAL_VALUES", Severities::WARNING,
        "a path with a filter, a wildcard or a slice gives an array where one value is needed, or an array of arrays where their items are; an index behind a filter" {
            COUNTED_ARRAYS = Severities::INFO, "where a function counts or divides such an array";
        };
}

/// How a function processes the items of its array.
pub(super) struct Search {
    /// The text or number that the function searches for, if it is a literal.
    sought: Option<String>,
    /// What the search does with items that are arrays; `None` if it looks at their items too.
    does: Option<&'static str>,
}

/// A diagnostic without its place, with the label of the place that reads the value, if that is another one.
pub(super) type Told = (Diagnostic, &'static str);

/// How a call in `text` processes the items of the argument at `place`; `None` if it does not process that argument.
pub(super) fn searches(text: &str, call: &Call<'_>, place: usize) -> Option<Search> {
    if place > 0 {
        return None;
    }
    let does = match call.function.name {
        "States.ArrayContains" => None,
        "States.ArrayLength" => Some("counts those arrays, not their items"),
        "States.ArrayUnique" => Some("compares those arrays, not their items"),
        "States.ArrayPartition" => Some("divides those arrays into groups, not their items"),
        _ => return None,
    };
    let second = call.arguments.get(1).filter(|_| does.is_none());
    let made = second.and_then(|argument| text.get(argument.range.clone()));
    let sought = second.and_then(|argument| argument.literal);
    let is_array = made.is_some_and(|made| made.starts_with("States.Array"));
    if is_array || matches!(sought, Some(Value::Array(_) | Value::Object(_))) {
        return None;
    }
    let sought = sought.map(one_line);
    Some(Search { sought, does })
}

impl Checker<'_> {
    /// The diagnostic for a path whose items a function processes, if there is a problem.
    pub(super) fn told_of_items(
        &self,
        path: &Path,
        function: &str,
        search: &Search,
        reader: &str,
    ) -> Option<Told> {
        let text = path.text();
        let Gathered::Members(name) = path.gathered()? else {
            let sought = search.sought.as_ref()?;
            let message = format!(
                "{function}{reader} never finds {sought}: {text} gives an array of objects"
            );
            let help = format!("name the member to look at: {text}.name");
            let found = self.found(SEVERAL, message).help(help);
            return Some((found, "it is searched here"));
        };
        let sought = search.sought.as_deref().unwrap_or("its value");
        let (rule, does) = match search.does {
            None => (
                SEVERAL,
                &*format!("looks for {sought} among those arrays, not among their items"),
            ),
            Some(does) => (COUNTED_ARRAYS, does),
        };
        let message = format!(
            "{text} gives an array of every \"{name}\" that it finds: where that is an array itself, {function}{reader} {does}"
        );
        let help = format!("for the items themselves write {text}[*]");
        let found = self.found(rule, message).help(help);
        is_plural(&name).then_some((found, "its items are needed here"))
    }
}

/// True if the name is probably that of an array.
fn is_plural(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let singular = ["ss", "us", "is", "as"];
    let list = ["list", "array", "items"];
    let is_list = list.iter().any(|end| name.ends_with(end));
    is_list || name.ends_with('s') && !singular.iter().any(|end| name.ends_with(end))
}
