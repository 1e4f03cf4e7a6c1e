//! Pages of lists and histories: a response has at most `maxResults` items and a token for the next page.

use super::checked::Checks;
use super::execution::Progress;
use super::reply::{Answered, ApiError};
use crate::json::{Value, one_line};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::hash::BuildHasher as _;

/// Default number of items per page.
const USUAL: usize = 100;

/// The fields of a request that select a page.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Paging {
    max_results: Option<i64>,
    next_token: Option<String>,
}

/// The page that a request asks for: the index of its first item, and its maximum number of items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    from: usize,
    size: usize,
    /// Digest of the list's name; a token is valid only for the list whose digest it contains.
    list: u64,
}

impl Paging {
    /// The page that a request selects. `list` names the list and the arguments that select its items; a token is valid
    /// only for a request with the same `list`.
    pub(super) fn page(&self, list: &str) -> Answered<Page> {
        self.checked_page(Checks::default(), 1024, list)
    }

    /// Like `page`, but also reports the violations in `checks`, and accepts tokens of up to `longest` characters.
    pub(super) fn checked_page(
        &self,
        checks: Checks,
        longest: usize,
        list: &str,
    ) -> Answered<Page> {
        let (size, token) = (self.max_results, self.next_token.as_deref());
        checks
            .number("maxResults", size, 0, 1000)
            .length_within("nextToken", token, 1, longest)
            .done()?;
        let size = size.and_then(|size| usize::try_from(size).ok());
        let list = foldhash::fast::FixedState::default().hash_one(list);
        Ok(Page {
            from: token.map_or(Ok(0), |token| from_token(token, list))?,
            size: size.filter(|size| *size > 0).unwrap_or(USUAL),
            list,
        })
    }
}

impl Page {
    /// The items of this page, from all items of the list, and the token of the next page if there is one.
    pub(super) fn of<T>(self, items: impl Iterator<Item = T>) -> (Vec<T>, Option<String>) {
        let mut rest = items.skip(self.from);
        let page: Vec<T> = rest.by_ref().take(self.size).collect();
        let next = rest.next().map(|_| {
            let from = self.from.saturating_add(page.len());
            STANDARD.encode(format!("{from} {:x}", self.list))
        });
        (page, next)
    }
}

fn from_token(token: &str, list: u64) -> Answered<usize> {
    let text = STANDARD.decode(token).ok();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let parts = text.as_deref().and_then(|text| text.split_once(' '));
    let (from, of) = parts.ok_or(ApiError::InvalidToken)?;
    match from.parse() {
        Ok(from) if of == format!("{list:x}") => Ok(from),
        _ => Err(ApiError::InvalidToken),
    }
}

/// Members to omit from an event if the request excludes execution data.
const DATA: [&str; 5] = [
    "input",
    "output",
    "parameters",
    "cause",
    "assignedVariables",
];

/// The events of a page of the history, and the token of the next page.
pub(super) fn page_of_events(
    progress: &Progress,
    page: Page,
    reverse: bool,
) -> (Vec<Value>, Option<String>) {
    let shown = progress.events.iter().enumerate();
    let shown = shown.filter(|(place, _)| !progress.hidden.contains(place));
    let events = shown.map(|(_, event)| event.clone());
    match reverse {
        true => page.of(events.rev()),
        false => page.of(events),
    }
}

/// Body of the response of GetExecutionHistory.
pub(super) fn body_of_events(events: &[Value], next: Option<&str>, with_data: bool) -> String {
    let texts: Vec<String> = events
        .iter()
        .map(|event| match with_data {
            true => one_line(event),
            false => one_line(&without_data(event)),
        })
        .collect();
    let next = next.map_or_else(String::new, |next| format!(",\"nextToken\":\"{next}\""));
    format!("{{\"events\":[{}]{next}}}", texts.join(","))
}

/// A copy of an event without the members in `DATA`.
fn without_data(event: &Value) -> Value {
    let Value::Object(object) = event else {
        return event.clone();
    };
    let members = object.members().iter().map(|(name, member)| match member {
        Value::Object(details) => {
            let kept = details.members().iter().cloned();
            let kept = kept.filter(|(name, _)| !DATA.contains(&&**name));
            (name.clone(), Value::object(kept.collect()))
        }
        other => (name.clone(), other.clone()),
    });
    Value::object(members.collect())
}
