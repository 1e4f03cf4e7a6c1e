//! Reasons why an execution cannot be fetched.

use super::complaint::{Complaint, Kind};
use crate::json::on_line;

/// The reason why an execution cannot be fetched.
pub(super) enum Trouble {
    /// An error of `aws`.
    Aws(Complaint),
    /// A sentence, with optional advice.
    Told(String, Option<String>),
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Aws(complaint)
    }
}

impl Trouble {
    /// The complete message: what failed, and why; each line is escaped by [`on_line`].
    pub(super) fn told(&self, undone: &str) -> String {
        match self {
            Self::Aws(complaint) => complaint.told(undone),
            Self::Told(why, way_out) => {
                let why = format!("{undone}: {why}");
                let way_out = way_out.as_ref();
                let way_out = way_out.map(|text| format!("\n  {}", on_line(text)));
                on_line(&why).into_owned() + &way_out.unwrap_or_default()
            }
        }
    }

    /// True if nothing else can be fetched either.
    pub(super) fn is_general(&self) -> bool {
        matches!(self, Self::Aws(complaint) if complaint.kind == Kind::Everything)
    }
}
