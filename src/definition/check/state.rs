//! Names of states, what follows a state, and what ends one.
//!
//! It must not know the other fields of a state.

use super::{Checker, StateAt};
use crate::definition::lower::{is_opaque, opening};
use crate::query::Profile;
use crate::source::Node;
use std::collections::HashMap;

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
                self.error(
                    12,
                    "a state needs a name",
                    state.name_span,
                    &*state.location,
                    "give it one of 1 to 80 characters",
                );
            } else if length > NAME {
                let message = format!("the name has {length} characters, more than {NAME}");
                let help = "shorten it to 80 characters";
                if length > OLD_NAME || self.profile == Profile::Aws {
                    self.error(12, message, state.name_span, &*state.location, help);
                } else {
                    self.warn(12, message, state.name_span, &*state.location, help);
                }
            }
            match first.get(&*state.name) {
                None => {
                    first.insert(&state.name, state.name_span);
                }
                Some(other) => {
                    let message = format!("State name \"{}\" is used more than once", state.name);
                    let diagnostic = crate::source::Diagnostic::error(super::rules::code(11), 11, message)
                        .at(state.name_span, &*state.location)
                        .related(*other, "the first one")
                        .help("names are unique in the whole machine, those inside Map and Parallel included");
                    self.report(diagnostic);
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
                    self.warn(
                        19,
                        "End: false says nothing",
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
                self.error(
                    17,
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
        self.error(
            17,
            "This object should have only one of the following fields: [Next, End]",
            opening(at.node),
            &*at.state.location,
            "say which state follows with Next, or write End: true",
        );
    }

    /// What a Fail says of itself.
    pub(super) fn fail(&mut self, at: StateAt<'_>) {
        if let Some(error) = at.get("Error") {
            let name = error.as_str().unwrap_or_default();
            if name.starts_with("States.") && !is_opaque(name) {
                self.warn(
                    67,
                    "names that begin with States. are reserved",
                    error.span,
                    at.at("Error"),
                    "choose a name of your own",
                );
            }
        } else if at.get("ErrorPath").is_none() {
            self.note(
                78,
                "a Fail without an Error cannot be told apart by Retry and Catch",
                opening(at.node),
                &*at.state.location,
                "add an Error",
            );
        }
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
                let diagnostic = crate::source::Diagnostic::error(
                    "DUPLICATE_LABEL_NAME",
                    55,
                    format!("Label \"{label}\" is used more than once"),
                )
                .at(value.span, at.at("Label"))
                .related(*other, "the first one")
                .help("labels are unique in the whole machine");
                self.report(diagnostic);
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
            self.error(55, message, value.span, at.at("Label"), "shorten it");
        } else if let Some((place, c)) = bad {
            let span = value.inner_span(place..place + c.len_utf8());
            let message = format!("a Label holds no {c:?}");
            self.error(
                55,
                message,
                span,
                at.at("Label"),
                "use letters, digits, '-' and '_'",
            );
        }
    }
}
