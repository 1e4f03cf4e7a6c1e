//! Statistics of the tests that change a value to check which other values come from it.

use asldbg::session::origin::Root;
use std::collections::BTreeMap;

/// Counts of the machines and values that were tried, and of the results.
#[derive(Default, Debug)]
pub struct Figures {
    pub machines: usize,
    pub leaves: usize,
    pub roots: BTreeMap<&'static str, usize>,
    pub confirmed: usize,
    /// Number of copied values that became exactly the new value after the value they come from was changed.
    pub exact: usize,
    /// Number of computed values that did not change although every operand was changed, one at a time.
    pub unmoved: usize,
    /// Number of scalar values that come from the cause of a failure, such as the error messages that asldbg writes.
    pub failed: usize,
    /// Number of values whose origin cannot be changed from outside, such as the context object or an error raised by
    /// the engine.
    pub fixed: usize,
    pub missing: usize,
    pub dropped: usize,
    pub restored: usize,
    pub never: usize,
}

impl Figures {
    /// All counts in one line: `machines 8, leaves tried 787, chains that end in a root 787 (answer 288, ...), ...`.
    pub fn line(&self) -> String {
        let roots = self.roots.iter();
        let roots: Vec<String> = roots
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        format!(
            "machines {}, leaves tried {}, chains that end in a root {} ({}), {} of them what something failed for, changed \
             with it {} ({} exactly as it), with no one operand {}, cannot be changed from \
             outside {}; missing paths {}, never there {}, dropped {}, there again when put back {}",
            self.machines,
            self.leaves,
            self.roots.values().sum::<usize>(),
            roots.join(", "),
            self.failed,
            self.confirmed,
            self.exact,
            self.unmoved,
            self.fixed,
            self.missing,
            self.never,
            self.dropped,
            self.restored,
        )
    }
}

/// Names the kind of a root. A root is the source that a value first comes from, such as the input or an answer.
pub fn kind(root: &Root) -> &'static str {
    match root {
        Root::Input(_) => "input",
        Root::Answer(_) => "answer",
        Root::Literal(_) | Root::Led(..) => "literal",
        Root::Function(_) => "function",
        Root::Nothing { .. } => "nothing",
        Root::Fields(_) => "fields",
        Root::Context(_) => "context",
        Root::Clock(_) => "clock",
        Root::Fault(_) => "fault",
        Root::Children { .. } => "children",
        Root::Edit(_) => "edit",
        Root::Recorded(_) => "recorded",
        Root::Unknown => "unknown",
    }
}
