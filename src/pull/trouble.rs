//! Why an execution cannot be fetched.
//!
//! It must not know what was asked.

use super::complaint::{Complaint, Kind};

/// Why an execution cannot be had.
pub(super) enum Trouble {
    /// What `aws` complains of.
    Aws(Complaint),
    /// A sentence with a way out.
    Told(String),
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Aws(complaint)
    }
}

impl Trouble {
    /// What could not be done, and why.
    pub(super) fn told(&self, undone: &str) -> String {
        match self {
            Self::Aws(complaint) => complaint.told(undone),
            Self::Told(why) => format!("{undone}: {why}"),
        }
    }

    /// Whether nothing else can be had either.
    pub(super) fn is_general(&self) -> bool {
        matches!(self, Self::Aws(complaint) if complaint.kind == Kind::Everything)
    }
}
