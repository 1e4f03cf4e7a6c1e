//! Fields of a Task that read in the answer of a service what only the state's input has.
//!
//! It must not know what is sent to a service.

use super::evaluated::evaluated;
use super::shape::Shape;
use super::shapes::{Shapes, members};
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, ResultPath, StateKind};
use crate::json::{Step, Text};
use crate::query::Root;
use crate::query::jsonata::{inner, paths};
use crate::source::Span;
use std::collections::HashSet;

rules! {
    ANSWER = 97, "answer", "NOT_IN_ANSWER", Severities::WARNING,
        "a ResultSelector or Output reads in a service's answer what only the state's input has";
}

/// What the answer of an HTTP endpoint is put into.
const HTTP: [&str; 4] = ["Headers", "ResponseBody", "StatusCode", "StatusText"];

impl<'d> Checker<'d> {
    pub(super) fn answers(&mut self, shapes: &Shapes) {
        for at in self.states.clone() {
            let StateKind::Task(task) = &at.state.kind else {
                continue;
            };
            let Integration::Service {
                service,
                api,
                pattern: CallPattern::RequestResponse,
            } = &task.integration
            else {
                continue;
            };
            // What lambda:invoke returns has a rule of its own.
            if &**service == "lambda" {
                continue;
            }
            let is_http = &**service == "http";
            let known = known_in_input(at, shapes.input(at.id));
            for (names, path, span, location) in read_of_answer(at) {
                let Some(name) = names.first() else { continue };
                let lacks = match is_http {
                    true => !HTTP.contains(&&**name),
                    // The names of all services begin with a capital.
                    false => name.starts_with(|first: char| first.is_lowercase()),
                };
                if !lacks || !known.contains(name) {
                    continue;
                }
                let message = format!(
                    "{path} looks for {name} in the answer of {service}:{api}: it is in the state's input"
                );
                let help = match at.is_jsonata() {
                    true => format!("write $states.input.{}", names.join(".")),
                    false if !matches!(at.state.result_path, ResultPath::Replace) => format!(
                        "its ResultPath keeps the input: read $.{} in a later state",
                        names.join(".")
                    ),
                    false => format!(
                        "keep the input with a ResultPath such as $.result, and read $.{} in a later state",
                        names.join(".")
                    ),
                };
                self.report(ANSWER, message, span, location, help);
            }
        }
    }
}

/// The members that the input has, as what makes it or what the state itself reads of it says.
fn known_in_input(at: StateAt<'_>, input: &Shape) -> HashSet<Text> {
    let reads = super::reads::reads(at).into_iter();
    let read = reads.filter(|read| read.selected == 0 && !read.asks);
    let mut known: HashSet<Text> = read
        .filter_map(|read| read.names.into_iter().next())
        .collect();
    if let Shape::Object { members, .. } = input {
        known.extend(members.keys().cloned());
    }
    known
}

/// The places of its answer that a state reads: their names, as written, and where.
fn read_of_answer(at: StateAt<'_>) -> Vec<(Vec<Text>, String, Span, String)> {
    let mut found = Vec::new();
    if at.is_jsonata() {
        for one in super::jsonata::expressions(at) {
            let text = one.node.as_str().and_then(inner).unwrap_or_default();
            for path in paths(text) {
                if let [states, result, names @ ..] = path.as_slice()
                    && states == "states"
                    && result == "result"
                {
                    let names = names.iter().map(|name| name.as_str().into()).collect();
                    let written = format!("${}", path.join("."));
                    found.push((names, written, one.node.span, one.location.clone()));
                }
            }
        }
        return found;
    }
    for one in evaluated(at) {
        if one.field != "ResultSelector" {
            continue;
        }
        for path in one.expression.paths() {
            let steps: Vec<Step> = path.leading_names();
            let names = members(&steps).filter(|_| *path.root() == Root::Data);
            if let Some(names) = names {
                let span = one.member.value.span;
                found.push((names, path.text().to_string(), span, one.location.clone()));
            }
        }
    }
    found
}
