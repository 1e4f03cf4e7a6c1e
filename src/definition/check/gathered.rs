//! Checks for paths that collect arrays, so that a function processes an array of arrays instead of their items.

use crate::definition::LintRule;
use crate::definition::rule::{Severities, rules};
use crate::json::{Value, one_line};
use crate::query::{Call, Gathered, Path};

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
    does: Does,
}

enum Does {
    LookFor,
    Count,
    Compare,
    Divide,
}

/// The parts of a diagnostic.
pub(super) struct Told {
    pub(super) rule: LintRule,
    pub(super) message: String,
    pub(super) help: String,
    /// Label for the place that reads the value, if it was named in another place.
    pub(super) read: &'static str,
}

/// How a call in `text` processes the items of the argument at `place`; `None` if it does not process that argument.
pub(super) fn searches(text: &str, call: &Call<'_>, place: usize) -> Option<Search> {
    if place > 0 {
        return None;
    }
    let does = match call.function.name {
        "States.ArrayContains" => Does::LookFor,
        "States.ArrayLength" => Does::Count,
        "States.ArrayUnique" => Does::Compare,
        "States.ArrayPartition" => Does::Divide,
        _ => return None,
    };
    let second = call.arguments.get(1);
    let made = second.and_then(|(range, _)| text.get(range.clone()));
    let sought = match (&does, second.and_then(|(_, value)| *value)) {
        (Does::LookFor, _) if made.is_some_and(|made| made.starts_with("States.Array")) => {
            return None;
        }
        (Does::LookFor, Some(Value::Array(_) | Value::Object(_))) => return None,
        (Does::LookFor, Some(value)) => Some(one_line(value)),
        _ => None,
    };
    Some(Search { sought, does })
}

/// The diagnostic for a path whose items a function processes, if there is a problem.
pub(super) fn told_of_items(
    path: &Path,
    function: &str,
    search: &Search,
    reader: &str,
) -> Option<Told> {
    let text = path.text();
    let sought = search.sought.as_deref().unwrap_or("its value");
    match path.gathered()? {
        Gathered::Objects => match (&search.does, &search.sought) {
            (Does::LookFor, Some(sought)) => Some(Told {
                rule: SEVERAL,
                message: format!(
                    "{function}{reader} never finds {sought}: {text} gives an array of objects"
                ),
                help: format!("name the member to look at: {text}.name"),
                read: "it is searched here",
            }),
            _ => None,
        },
        Gathered::Members(name) if is_plural(&name) => {
            let (rule, does) = match search.does {
                Does::LookFor => (
                    SEVERAL,
                    format!("looks for {sought} among those arrays, not among their items"),
                ),
                Does::Count => (
                    COUNTED_ARRAYS,
                    "counts those arrays, not their items".to_owned(),
                ),
                Does::Compare => (
                    COUNTED_ARRAYS,
                    "compares those arrays, not their items".to_owned(),
                ),
                Does::Divide => (
                    COUNTED_ARRAYS,
                    "divides those arrays into groups, not their items".to_owned(),
                ),
            };
            Some(Told {
                rule,
                message: format!(
                    "{text} gives an array of every \"{name}\" that it finds: where that is an array itself, {function}{reader} {does}"
                ),
                help: format!("for the items themselves write {text}[*]"),
                read: "its items are needed here",
            })
        }
        Gathered::Members(_) => None,
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
