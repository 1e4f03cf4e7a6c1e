//! The rules of a Choice: their tests, the values that were compared, and the test that decided which rule was
//! followed.

mod condition;
mod misfit;
mod rule_view;
mod rules;

pub use condition::{Reason, reason};
pub use misfit::{Misfit, misfits};
pub use rule_view::{Compared, Joint, OperandView, RuleView, Side, joined};
pub(super) use rules::{forecast, rules};
