//! Checks for numbers that `&` joins to a text which is later used as a number.

use super::Checker;
use super::variable::Use;
use crate::definition::rule::{Severities, rules};

rules! {
    JOINED = 95, "joined-numbers", "JOINED_NUMBERS", Severities::WARNING,
        "a variable that & joins to a text is read as a number";
}

impl<'d> Checker<'d> {
    pub(super) fn joined_numbers(&mut self, reads: &[Use<'d>], writes: &[Use<'d>]) {
        for write in writes.iter().filter(|write| write.in_jsonata) {
            let Some(tree) = write.tree.filter(|tree| tree.joins_values()) else {
                continue;
            };
            let is_number = |read: &&Use<'d>| {
                read.name == write.name
                    && read.scope == write.scope
                    && (read.tree).is_some_and(|tree| tree.reads_number(&read.name))
            };
            let Some(read) = reads.iter().find(is_number) else {
                continue;
            };
            let reader = self.name_of(read.state);
            let message = format!(
                "{} is a text, as & joins texts, but \"{reader}\" reads ${} as a number",
                tree.text(),
                write.name
            );
            let help = "+ adds numbers; $number(...) makes one of a text";
            self.report(JOINED, message, write.place.value(), help);
        }
    }
}
