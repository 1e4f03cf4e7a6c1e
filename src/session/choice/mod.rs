//! The rules of a Choice: their tests, the values that were compared, and the test that decided.

mod condition;
mod current_choice;
mod misfit;
mod order;
mod reason;
mod rule_view;
mod rules;

pub(super) use condition::Weighed;
pub(super) use current_choice::{looked_at, weighed};
pub use misfit::{Misfit, misfits};
pub use reason::{Reason, reason};
pub use rule_view::{Compared, Joint, OperandView, RuleView, Side, joined};
pub use rules::misfit;
pub(super) use rules::{forecast, rules};
