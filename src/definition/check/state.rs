//! Names of states, what follows a state, and what ends one.
//!
//! It must not know the other fields of a state.

use super::{Checker, StateAt};
use crate::definition::lower::{is_opaque, misspelt, opening};
use crate::definition::rule::{Severities, rules};
use crate::definition::{MapMode, StateKind, WaitUntil};
use crate::source::Node;
use std::collections::HashMap;

rules! {
    DUPLICATE_STATE = 11, "duplicate-state", "DUPLICATE_STATE_NAME", Severities::ERROR, "two states have the same name" {
        DUPLICATE_IN_PROGRAM = Severities::REFUSED_BY_AWS, "where a program was compiled";
    };
    STATE_NAME = 12, "state-name", "INVALID_STATE_NAME", Severities::ERROR, "a state's name is empty, or longer than 128 characters" {
        LONG_STATE_NAME = Severities::REFUSED_BY_AWS, "where it has 81 to 128 characters";
    };
    NEXT_END = 17, "next-end", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "both of Next and End, or neither";
    END_FALSE = 19, "end-false", "END_FALSE", Severities::WARNING, "End: false has no effect";
    LABEL = 55, "label", "INVALID_LABEL_NAME", Severities::ERROR, "a Label is too long, or has characters that are not allowed" {
        DUPLICATE_LABEL("DUPLICATE_LABEL_NAME") = Severities::ERROR, "where it stands twice";
    };
    LONG_WAIT = 91, "long-wait", "LONG_WAIT", Severities::WARNING, "a Wait lasts longer than the machine may";
    RESERVED_ERROR = 67, "reserved-error", "RESERVED_ERROR", Severities::WARNING, "a Fail uses a reserved error name";
    ANONYMOUS_FAIL = 78, "anonymous-fail", "ANONYMOUS_FAIL", Severities::INFO, "a Fail without an Error";
}

/// The longest name that AWS takes, and the longest of any edition.
const NAME: usize = 80;
const OLD_NAME: usize = 128;

impl Checker<'_> {
    /// Length of names, and that no two states have the same.
    pub(super) fn names(&mut self) {
        let mut first: HashMap<&str, crate::source::Span> = HashMap::new();
        for at in self.states.clone() {
            let state = at.state;
            let length = state.name.chars().count();
            if length == 0 {
                self.report(
                    STATE_NAME,
                    "a state needs a name",
                    state.name_span,
                    &*state.location,
                    "give it one of 1 to 80 characters",
                );
            } else if length > NAME {
                let message = format!("the name has {length} characters, more than {NAME}");
                let rule = if length > OLD_NAME {
                    STATE_NAME
                } else {
                    LONG_STATE_NAME
                };
                let help = "shorten it to 80 characters";
                self.report(rule, message, state.name_span, &*state.location, help);
            }
            match first.get(&*state.name) {
                None => {
                    first.insert(&state.name, state.name_span);
                }
                Some(other) => {
                    let message = format!("State name \"{}\" is used more than once", state.name);
                    let diagnostic = self.found(DUPLICATE_STATE, message)
                        .at(state.name_span, &*state.location)
                        .related(*other, "the first one")
                        .help("names must be unique in the whole state machine, inside Map and Parallel too");
                    self.add(diagnostic);
                }
            }
        }
    }

    /// Exactly one of `Next` and `End`.
    pub(super) fn transition(&mut self, at: StateAt<'_>) {
        if !matches!(
            at.kind(),
            Some("Task" | "Pass" | "Wait" | "Parallel" | "Map")
        ) {
            return;
        }
        let end = at.node.member("End");
        let next = at.node.member("Next");
        let false_end = end.filter(|member| member.value.as_bool() == Some(false));
        match (next, end) {
            (Some(_), Some(_)) | (None, Some(_)) if false_end.is_some() => {
                if let Some(end) = false_end {
                    let help = "leave End out where there is a Next";
                    self.report(
                        END_FALSE,
                        "End: false has no effect",
                        end.value.span,
                        at.at("End"),
                        help,
                    );
                }
                if next.is_none() {
                    self.needs_one(at);
                }
            }
            (Some(next), Some(end)) => {
                let late = if next.key.span.start > end.key.span.start {
                    next
                } else {
                    end
                };
                self.report(
                    NEXT_END,
                    "There should only be one of the following fields: [Next, End]",
                    late.key.span,
                    &*at.state.location,
                    "remove Next or End",
                );
            }
            (None, None) => self.needs_one(at),
            _ => {}
        }
    }

    fn needs_one(&mut self, at: StateAt<'_>) {
        let message = "This object should have only one of the following fields: [Next, End]";
        let slip = misspelt(at.node, &["Next", "End"]);
        let diagnostic = self
            .found(NEXT_END, message)
            .at(opening(at.node), &*at.state.location)
            .help("say which state follows with Next, or write End: true")
            .following(slip.map(|slip| slip.0));
        self.add(diagnostic);
    }

    /// A Wait during which the machine's time runs out.
    pub(super) fn wait(&mut self, at: StateAt<'_>) {
        let (StateKind::Wait(WaitUntil::Seconds(seconds)), Some(timeout)) =
            (&at.state.kind, self.definition.timeout_seconds)
        else {
            return;
        };
        if *seconds > timeout
            && let Some(value) = at.get("Seconds")
        {
            let message =
                format!("the machine times out after {timeout} s, before this wait is over");
            let help =
                format!("shorten it, or raise TimeoutSeconds of the machine above {seconds}");
            self.report(LONG_WAIT, message, value.span, at.at("Seconds"), help);
        }
    }

    /// What a Fail says of itself.
    pub(super) fn fail(&mut self, at: StateAt<'_>) {
        if let Some(error) = at.get("Error") {
            let name = error.as_str().unwrap_or_default();
            if name.starts_with("States.") && !is_opaque(name) {
                self.report(
                    RESERVED_ERROR,
                    "names that begin with States. are reserved",
                    error.span,
                    at.at("Error"),
                    "choose a name of your own",
                );
            }
        } else if at.get("ErrorPath").is_none() {
            let message = match self.is_handled(at) {
                true => "a Fail without an Error cannot be told apart by Retry and Catch",
                false => "a Fail without an Error: the execution fails without an error name",
            };
            self.report(
                ANONYMOUS_FAIL,
                message,
                opening(at.node),
                &*at.state.location,
                "add an Error",
            );
        }
    }

    /// Whether a Retry or Catch can see the error of a state: of the children of a distributed Map none sees any.
    fn is_handled(&self, at: StateAt<'_>) -> bool {
        let mut scope = self.definition.scope(at.state.scope);
        while let Some(owner) = scope.and_then(|scope| scope.owner) {
            let Some(owner) = self.definition.state(owner) else {
                return false;
            };
            let is_cut =
                matches!(&owner.kind, StateKind::Map(map) if map.mode == MapMode::Distributed);
            if is_cut || !owner.retry.is_empty() || !owner.catch.is_empty() {
                return !is_cut;
            }
            scope = self.definition.scope(owner.scope);
        }
        false
    }

    /// Labels of Maps: their form, and that no two are the same.
    pub(super) fn labels(&mut self) {
        let mut first: HashMap<String, crate::source::Span> = HashMap::new();
        for at in self.states.clone() {
            let Some(value) = at.get("Label").filter(|_| at.kind() == Some("Map")) else {
                continue;
            };
            let Some(label) = value.as_str().filter(|text| !is_opaque(text)) else {
                continue;
            };
            self.label(at, value, label);
            if let Some(other) = first.get(label) {
                let message = format!("Label \"{label}\" is used more than once");
                let diagnostic = self
                    .found(DUPLICATE_LABEL, message)
                    .at(value.span, at.at("Label"))
                    .related(*other, "the first one")
                    .help("labels must be unique in the whole state machine");
                self.add(diagnostic);
            } else {
                first.insert(label.to_string(), value.span);
            }
        }
    }

    fn label(&mut self, at: StateAt<'_>, value: &Node, label: &str) {
        let length = label.chars().count();
        let bad = label.char_indices().find(|(_, c)| {
            c.is_whitespace() || c.is_control() || "?*<>{}[]:;,\\|^~$#%&`\"".contains(*c)
        });
        if length == 0 || length > 40 {
            let message = format!("a Label has 1 to 40 characters, this one has {length}");
            self.report(LABEL, message, value.span, at.at("Label"), "shorten it");
        } else if let Some((place, c)) = bad {
            let span = value.inner_span(place..place + c.len_utf8());
            let message = format!("a Label cannot contain {c:?}");
            self.report(
                LABEL,
                message,
                span,
                at.at("Label"),
                "use letters, digits, '-' and '_'",
            );
        }
    }
}
