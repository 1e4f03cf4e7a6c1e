//! Reads of a service's response that look for members which only the state's input has.

use super::facts::{Document, Read};
use super::left_out::listed;
use super::shape::{Lack, Maker, Shape};
use super::shapes::answering;
use super::{Checker, StateAt};
use crate::definition::ResultPath;
use crate::definition::rule::{Severities, rules};
use crate::source::did_you_mean;

rules! {
    ANSWER = 97, "answer", "NOT_IN_ANSWER", Severities::WARNING,
        "a ResultSelector or Output reads in a service's answer what only the state's input has";
    NOT_RETURNED = 105, "not-returned", "NOT_RETURNED", Severities::WARNING,
        "a state reads in the answer of a service what that never has" {
            NEW_RESULT = Severities::ON_AWS, "where the action may return it since the catalogue was made";
        };
}

/// The members of a response of `http:invoke`.
const HTTP: [&str; 4] = ["Headers", "ResponseBody", "StatusCode", "StatusText"];

impl Checker<'_> {
    /// Reports a read of a member that a service's response lacks; `makers` are the states that called the service.
    pub(super) fn missed_in_answer(
        &mut self,
        at: StateAt<'_>,
        makers: &[Maker],
        (read, lack): (&Read<'_>, &Lack<'_>),
        input: &Shape,
    ) {
        let by = makers.first().and_then(|maker| self.state_at(maker.state));
        let call = by.and_then(|by| Some((by.state, answering(by.state)?)));
        let (Some((by, (service, api))), Some(name)) = (call, read.names.get(lack.steps - 1))
        else {
            return;
        };
        let is_own = matches!(read.document, Document::Made(_)) && !read.is_of_input();
        if read.asks || is_own && self.read_for_input(at, read, input) {
            return;
        }
        let message = match is_own {
            true => format!("{service}:{api} returns no {name}"),
            false => format!("{service}:{api} of \"{}\" returns no {name}", by.name),
        };
        let (rule, help) = match did_you_mean(name, lack.members.iter().map(|name| &***name)) {
            Some(help) => (NOT_RETURNED, help),
            None => {
                let has = listed(&lack.members);
                let what = if is_own { "it returns" } else { "comes here" };
                (NEW_RESULT, format!("what {what} has only {has}"))
            }
        };
        self.report(rule, message, read.place.value(), help);
    }

    /// Reports a read of the result, if the result is a service's response and the member is in the state's input.
    /// Returns true if it was reported.
    pub(super) fn read_for_input(
        &mut self,
        at: StateAt<'_>,
        read: &Read<'_>,
        input: &Shape,
    ) -> bool {
        let (Some((service, api)), Some(name)) = (answering(at.state), read.names.first()) else {
            return false;
        };
        let lacks = match service {
            // The result of `lambda:invoke` has a rule of its own.
            "lambda" => false,
            "http" => !HTTP.contains(&&**name),
            // The members of all other services start with a capital letter.
            _ => name.starts_with(|first: char| first.is_lowercase()),
        };
        // The member must be known to exist: either the states before made it, or this state itself reads it from its
        // input.
        let is_known = || {
            let mut own = at.reads().iter();
            let is_it = |own: &Read<'_>| {
                own.is_of_input() && !own.asks && own.in_input(1).first() == Some(name)
            };
            input.names().contains(name) || own.any(is_it)
        };
        if !lacks || !is_known() {
            return false;
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
        self.report(ANSWER, message, read.place.value(), help);
        true
    }
}
