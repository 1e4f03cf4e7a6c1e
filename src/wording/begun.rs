//! Sentences about how a run was started.

use crate::launch::Note;
use crate::session::Restored;

/// `3 points, 1 watch restored`; `None` if nothing was restored.
#[must_use]
pub fn restored(restored: Restored) -> Option<String> {
    let parts = [
        (restored.points, "point", "points"),
        (restored.watches, "watch", "watches"),
        (restored.answers, "answer", "answers"),
    ];
    let parts = parts.iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, one, many)| format!("{number} {}", if *number == 1 { one } else { many }))
        .collect();
    (!parts.is_empty()).then(|| format!("{} restored", parts.join(", ")))
}

/// A note on how a run was started; `input` says how to give an input in the front end.
#[must_use]
pub fn note(note: &Note, input: &str) -> Option<String> {
    match note {
        Note::Several { place, count } => {
            Some(format!("{} contains {count} definitions", place.display()))
        }
        Note::Skipped(text) | Note::Recording(text) | Note::Target(text) | Note::Test(text) => {
            Some(text.clone())
        }
        Note::Listening(address) => Some(format!(
            "listening at http://{address}: executions started there open here"
        )),
        Note::NoInput { reads } => {
            let shown: Vec<&str> = reads.iter().take(6).map(String::as_str).collect();
            let more = if reads.len() > shown.len() {
                " …"
            } else {
                ""
            };
            let reads = shown.join(", ");
            Some(format!(
                "no input was found, so it is {{}}, but the definition reads {reads}{more}; {input}"
            ))
        }
        Note::Restored(all) => restored(*all),
    }
}
