//! Fields of a Task that read in the answer of a service what only the state's input has.
//!
//! It must not know what is sent to a service.

use super::reads::{Read, reads};
use super::shape::Shape;
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, ResultPath, StateKind};

rules! {
    ANSWER = 97, "answer", "NOT_IN_ANSWER", Severities::WARNING,
        "a ResultSelector or Output reads in a service's answer what only the state's input has";
}

/// What the answer of an HTTP endpoint is put into.
const HTTP: [&str; 4] = ["Headers", "ResponseBody", "StatusCode", "StatusText"];

impl Checker<'_> {
    /// A read of a result that is a service's answer.
    pub(super) fn read_of_answer(&mut self, at: StateAt<'_>, read: &Read, input: &Shape) {
        let StateKind::Task(task) = &at.state.kind else {
            return;
        };
        let Integration::Service {
            service,
            api,
            pattern: CallPattern::RequestResponse,
        } = &task.integration
        else {
            return;
        };
        let Some(name) = read.names.first() else {
            return;
        };
        let lacks = match &**service {
            // What lambda:invoke returns has a rule of its own.
            "lambda" => false,
            "http" => !HTTP.contains(&&**name),
            // The names of all services begin with a capital.
            _ => name.starts_with(|first: char| first.is_lowercase()),
        };
        // What makes the input says that it is there, or the state itself, which reads it.
        let is_known = || {
            let mut own = reads(at).into_iter();
            let is_it =
                |own: Read| own.is_of_input() && !own.asks && own.in_input(1).first() == Some(name);
            input.names().contains(name) || own.any(is_it)
        };
        if !lacks || !is_known() {
            return;
        }
        let (path, names) = (&read.path, read.names.join("."));
        let message = format!(
            "{path} looks for {name} in the answer of {service}:{api}: it is in the state's input"
        );
        let help = match &at.state.result_path {
            _ if read.in_jsonata => format!("write $states.input.{names}"),
            ResultPath::Replace => format!(
                "keep the input with a ResultPath such as $.result, and read $.{names} in a later state"
            ),
            _ => format!("its ResultPath keeps the input: read $.{names} in a later state"),
        };
        self.report(ANSWER, message, read.span, read.location.as_str(), help);
    }
}
