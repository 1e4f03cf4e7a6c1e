//! Why an execution cannot be fetched.
//!
//! It must not know what was asked.

use super::complaint::{Complaint, Kind};
use crate::json::on_line;

/// Why an execution cannot be had.
pub(super) enum Trouble {
    /// What `aws` complains of.
    Aws(Complaint),
    /// A sentence, perhaps with a way out.
    Told(String, Option<String>),
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Aws(complaint)
    }
}

impl Trouble {
    /// What could not be done, and why; each line passed [`on_line`].
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

    /// Whether nothing else can be had either.
    pub(super) fn is_general(&self) -> bool {
        matches!(self, Self::Aws(complaint) if complaint.kind == Kind::Everything)
    }
}
