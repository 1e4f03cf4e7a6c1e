//! Paginated responses, with limits on number and size.

use super::aws::Aws;
use super::complaint::Complaint;
use crate::json::{Text, Value};

/// Maximum size of the items of one request, in bytes.
pub(super) const LARGEST: u64 = 512 << 20;
/// Maximum number of pages to fetch.
const MOST: usize = 20_000;

/// A request with a paginated response.
pub(super) struct Question<'q> {
    pub service: &'q str,
    pub operation: &'q str,
    /// The member of the response that has the items.
    pub member: &'q str,
    pub input: Vec<(Text, Value)>,
}

/// Tells if more pages should be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Page,
    Enough,
}

impl Question<'_> {
    /// Fetches all items; `heed` is called with the items so far after each page and may stop early.
    ///
    /// # Errors
    /// If `aws` reports an error, or the pages do not end.
    pub(super) fn ask(
        &self,
        aws: &Aws,
        mut heed: impl FnMut(&[Value]) -> Next,
    ) -> Result<Vec<Value>, Complaint> {
        let (mut items, mut size) = (Vec::new(), 0_u64);
        let mut token: Option<Value> = None;
        for _ in 0..MOST {
            let mut input = self.input.clone();
            input.extend(
                token
                    .iter()
                    .map(|token| ("nextToken".into(), token.clone())),
            );
            let answer = aws.call(self.service, self.operation, input)?;
            let page = answer.get(self.member).and_then(Value::as_array);
            let page = page.ok_or_else(|| {
                Complaint::unreadable(&format!("it has no list `{}`", self.member))
            })?;
            if let Some(wrong) = page.iter().find(|item| item.as_object().is_none()) {
                let kind = wrong.type_name();
                return Err(Complaint::unreadable(&format!(
                    "`{}` holds a {kind}",
                    self.member
                )));
            }
            size += page.iter().map(Value::size).sum::<u64>();
            if size > LARGEST {
                return Err(Complaint::too_large(LARGEST));
            }
            items.extend(page.iter().cloned());
            let next = answer
                .get("nextToken")
                .filter(|token| token.as_str().is_some());
            if heed(&items) == Next::Enough || next.is_none() {
                return Ok(items);
            }
            if next == token.as_ref() {
                return Err(Complaint::unreadable(
                    "the same page is returned repeatedly",
                ));
            }
            token = next.cloned();
        }
        Err(Complaint::unreadable(&format!(
            "it has more than {MOST} pages"
        )))
    }
}
