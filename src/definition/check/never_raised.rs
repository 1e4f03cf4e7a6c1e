//! Checks the ErrorEquals of a Task for names that its service never raises.

use super::error::is_of_language;
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::lower::is_opaque;
use crate::definition::rule::{Severities, rules};
use crate::service::{Call, NeverRaised};

rules! {
    NEVER_RAISED = 104, "never-raised", "ERROR_NEVER_RAISED",
        Severities::ON_AWS, "an error name that the task never raises" {
            OTHER_SERVICE = Severities::INFO, "where it is a name of another service";
        };
}

impl Checker<'_> {
    pub(super) fn never_raised(&mut self, at: StateAt<'_>, call: &Call) {
        let entries = ["Retry", "Catch"]
            .into_iter()
            .flat_map(|field| at.entries(field));
        for list in entries.filter_map(|entry| entry.get("ErrorEquals")) {
            for place in list.items() {
                let name = place.text().filter(|name| !is_opaque(name));
                if let Some(name) = name
                    && let Some(why) = call.never_raises(name)
                {
                    self.never(call, name, &place, why);
                }
            }
        }
    }

    fn never(&mut self, call: &Call, name: &str, place: &Located<'_>, why: NeverRaised) {
        let prefix = call.prefixes.first().copied().unwrap_or_default();
        let with_prefix = format!(
            "this task raises errors whose names begin with \"{prefix}.\", never \"{name}\""
        );
        let language = format!("States.{name}");
        let (rule, message, help) = match why {
            NeverRaised::Bare(_) if is_of_language(&language) => (
                NEVER_RAISED,
                with_prefix,
                format!("did you mean \"{language}\"?"),
            ),
            NeverRaised::Bare(None) => (
                NEVER_RAISED,
                with_prefix,
                format!("write the name with its prefix, \"{prefix}.{name}\", or remove it"),
            ),
            NeverRaised::Bare(Some(meant)) | NeverRaised::Prefix(meant) => (
                NEVER_RAISED,
                with_prefix,
                format!("did you mean \"{meant}\"?"),
            ),
            NeverRaised::Name(meant) => (
                NEVER_RAISED,
                format!("the service has no error \"{name}\""),
                format!("did you mean \"{meant}\"?"),
            ),
            NeverRaised::OtherService => (
                OTHER_SERVICE,
                with_prefix,
                "remove it: it matches nothing here".to_string(),
            ),
        };
        self.report(rule, message, place.value(), help);
    }
}
