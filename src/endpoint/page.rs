//! Pages of a list: a response has at most `maxResults` items and a token for the rest.

use super::error::{Answered, ApiError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Default number of items per page.
const USUAL: usize = 100;

/// A requested page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    from: usize,
    size: usize,
}

impl Page {
    /// Parses `maxResults` and `nextToken`. `list` names the list and its other arguments; a token is valid only for
    /// the same list and arguments.
    pub(super) fn new(size: Option<i64>, token: Option<&str>, list: &str) -> Answered<Self> {
        let size = size.and_then(|size| usize::try_from(size).ok());
        let from = token.map_or(Ok(0), |token| from_token(token, list))?;
        Ok(Self {
            from,
            size: size.filter(|size| *size > 0).unwrap_or(USUAL),
        })
    }

    /// The items of the page, and the token of the next one.
    pub(super) fn of<T>(
        self,
        items: impl Iterator<Item = T>,
        list: &str,
    ) -> (Vec<T>, Option<String>) {
        let mut rest = items.skip(self.from);
        let page: Vec<T> = rest.by_ref().take(self.size).collect();
        let next = rest.next().map(|_| {
            let from = self.from.saturating_add(page.len());
            STANDARD.encode(format!("{from} {:x}", digest(list)))
        });
        (page, next)
    }
}

fn from_token(token: &str, list: &str) -> Answered<usize> {
    let text = STANDARD.decode(token).ok();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let parts = text.as_deref().and_then(|text| text.split_once(' '));
    let (from, of) = parts.ok_or(ApiError::InvalidToken)?;
    match from.parse() {
        Ok(from) if of == format!("{:x}", digest(list)) => Ok(from),
        _ => Err(ApiError::InvalidToken),
    }
}

fn digest(list: &str) -> u64 {
    use std::hash::BuildHasher as _;
    foldhash::fast::FixedState::default().hash_one(list)
}
