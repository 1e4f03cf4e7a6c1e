//! Answers that come in pages, bounded in number and size.
//!
//! It must not know what the items are.

use super::aws::Aws;
use super::complaint::Complaint;
use crate::json::{Text, Value};

/// The most bytes of items that are kept of one question.
pub(super) const LARGEST: u64 = 512 << 20;
/// The most pages that are asked for.
const MOST: usize = 20_000;

/// A question whose answer has pages.
pub(super) struct Question<'q> {
    pub service: &'q str,
    pub operation: &'q str,
    /// The member of the answer that holds the items.
    pub member: &'q str,
    pub input: Vec<(Text, Value)>,
}

/// Whether more pages are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Page,
    Enough,
}

impl Question<'_> {
    /// All items; `heed` sees those that there are after each page and may say that they are enough.
    ///
    /// # Errors
    /// What `aws` complains of, or that the pages do not end.
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
                return Err(Complaint::unreadable("the same page comes again and again"));
            }
            token = next.cloned();
        }
        Err(Complaint::unreadable(&format!(
            "it has more than {MOST} pages"
        )))
    }
}
