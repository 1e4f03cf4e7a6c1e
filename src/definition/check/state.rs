//! Checks the names of states, their transitions and ends, and the restrictions of EXPRESS workflows.

use super::facts::HashMap;
use super::located::Located;
use super::map::processor;
use super::{Checker, StateAt};
use crate::definition::lower::{is_opaque, misspelt};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{CallPattern, Integration, LintRule, MachineType, StateKind, WaitUntil};
use crate::source::Span;

lint_rules! {
    DUPLICATE_STATE = 11, "duplicate-state", "DUPLICATE_STATE_NAME", Severities::ERROR, "two states have the same name" {
        DUPLICATE_IN_PROGRAM = Severities::REFUSED_BY_AWS, "if the definition was compiled from a program";
    };
    STATE_NAME = 12, "state-name", "INVALID_STATE_NAME", Severities::ERROR, "a state's name is empty, or longer than 128 characters" {
        LONG_STATE_NAME = Severities::REFUSED_BY_AWS, "if the name has 81 to 128 characters";
    };
    NEXT_END = 17, "next-end", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a state has both Next and End, or neither";
    END_FALSE = 19, "end-false", "END_FALSE", Severities::WARNING, "End: false has no effect";
    LABEL = 55, "label", "INVALID_LABEL_NAME", Severities::ERROR, "a Label is too long, or has characters that are not allowed" {
        DUPLICATE_LABEL("DUPLICATE_LABEL_NAME") = Severities::ERROR, "if two Maps have the same Label";
    };
    LONG_WAIT = 91, "long-wait", "LONG_WAIT", Severities::WARNING, "a Wait lasts longer than the machine's TimeoutSeconds";
    RESERVED_ERROR = 67, "reserved-error", "RESERVED_ERROR", Severities::WARNING, "a Fail uses a reserved error name";
    ANONYMOUS_FAIL = 78, "anonymous-fail", "ANONYMOUS_FAIL", Severities::INFO, "a Fail has no Error";
    EXPRESS = 29, "express", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS,
        "an EXPRESS workflow has a .sync, .waitForTaskToken or activity task, or a DISTRIBUTED Map" {
            ENDLESS_WAIT = Severities::WARNING, "if a Wait is longer than the workflow may last";
        };
}

/// Maximum length of a state name on AWS, and in any edition of the specification.
const NAME: usize = 80;
const OLD_NAME: usize = 128;

impl Checker<'_> {
    /// Checks the length of state names, and that they are unique.
    pub(super) fn names(&mut self) {
        let mut first: HashMap<&str, Span> = HashMap::default();
        for at in self.states.clone() {
            let name = &*at.state.name;
            let length = name.chars().count();
            if length == 0 {
                let help = "give the state a name of 1 to 80 characters";
                self.report(STATE_NAME, "a state needs a name", at.name(), help);
            } else if length > NAME {
                let message = format!("the state's name has {length} characters, more than {NAME}");
                let rule = match length > OLD_NAME {
                    true => STATE_NAME,
                    false => LONG_STATE_NAME,
                };
                self.report(
                    rule,
                    message,
                    at.name(),
                    "shorten the name to 80 characters",
                );
            }
            let help = "state names must be unique in the whole state machine, also inside Map and Parallel";
            let rule = (DUPLICATE_STATE, "State name", help);
            self.again(&mut first, name, at.name(), rule);
        }
    }

    /// Reports `name` (the name of a state or the label of a Map) if `first` already contains this name; otherwise adds
    /// the name to `first`.
    fn again<'n>(
        &mut self,
        first: &mut HashMap<&'n str, Span>,
        name: &'n str,
        (span, location): (Span, &str),
        (rule, kind, help): (LintRule, &str, &str),
    ) {
        if let Some(earlier) = first.get(name).copied() {
            let message = format!("{kind} \"{name}\" is used more than once");
            self.report(rule, message, (span, location), help);
            self.related(earlier, "the name is first used here");
        } else {
            first.insert(name, span);
        }
    }

    /// Checks that a state has exactly one of `Next` and `End`.
    pub(super) fn transition(&mut self, at: StateAt<'_>) {
        if !matches!(
            at.kind(),
            Some("Task" | "Pass" | "Wait" | "Parallel" | "Map")
        ) {
            return;
        }
        let (next, end) = (at.field("Next"), at.field("End"));
        if let Some(end) = end.as_ref().filter(|end| end.node.as_bool() == Some(false)) {
            let help = "omit End if the state has a Next";
            self.report(END_FALSE, "End: false has no effect", end.value(), help);
            if next.is_none() {
                self.needs_one(at);
            }
            return;
        }
        match (next, end) {
            (Some(next), Some(end)) => {
                let late = std::cmp::max_by_key(next.key().0, end.key().0, |key| key.start);
                let message = "There should only be one of the following fields: [Next, End]";
                let place = (late, &*at.state.location);
                self.report(NEXT_END, message, place, "remove Next or End");
            }
            (None, None) => self.needs_one(at),
            _ => {}
        }
    }

    fn needs_one(&mut self, at: StateAt<'_>) {
        let message = "This object should have only one of the following fields: [Next, End]";
        let help = "name the next state with Next, or write End: true";
        self.report(NEXT_END, message, at.start(), help);
        self.following(misspelt(at.node, &["Next", "End"]).map(|slip| slip.0));
    }

    /// Reports a Wait that is longer than the machine's timeout, or than the maximum duration of an EXPRESS execution.
    pub(super) fn wait(&mut self, at: StateAt<'_>) {
        let (StateKind::Wait(WaitUntil::Seconds(seconds)), Some(field)) =
            (&at.state.kind, at.field("Seconds"))
        else {
            return;
        };
        let timeout = self.definition.timeout_seconds;
        let is_express = self.definition.machine_type == MachineType::Express;
        if let Some(timeout) = timeout.filter(|timeout| seconds > timeout) {
            let message =
                format!("the machine times out after {timeout} s, before this wait is over");
            let help =
                format!("shorten the wait, or raise TimeoutSeconds of the machine above {seconds}");
            self.report(LONG_WAIT, message, field.value(), help);
            self.related_timeout();
        } else if is_express && *seconds >= MachineType::EXPRESS_SECONDS {
            let limit = MachineType::EXPRESS_SECONDS;
            let message =
                format!("an EXPRESS execution ends after {limit} s, before this wait is over");
            let help = "shorten the wait, or create the state machine with type STANDARD";
            self.report(ENDLESS_WAIT, message, field.value(), help);
        }
    }

    /// Lets the last diagnostic also point to the machine's TimeoutSeconds.
    pub(super) fn related_timeout(&mut self) {
        if let Some(node) = self.definition.node.get("TimeoutSeconds") {
            self.related(node.span, "the machine's TimeoutSeconds");
        }
    }

    /// Checks the error name of a Fail state: that the state has one, and that the name is not reserved.
    pub(super) fn fail(&mut self, at: StateAt<'_>) {
        if let Some(error) = at.field("Error") {
            let name = error.text().unwrap_or_default();
            if name.starts_with("States.") && !is_opaque(name) {
                let message = "error names that begin with States. are reserved";
                let help = "choose an error name that does not begin with States.";
                self.report(RESERVED_ERROR, message, error.value(), help);
            }
        } else if at.get("ErrorPath").is_none() {
            let message = match self.is_handled(at) {
                true => {
                    "without an Error, Retry and Catch cannot distinguish this Fail from others"
                }
                false => "this Fail has no Error, so the execution fails without an error name",
            };
            self.report(ANONYMOUS_FAIL, message, at.start(), "add an Error");
        }
    }

    /// True if a Retry or Catch can handle the error of a state. Errors inside the child executions of a distributed
    /// Map are not visible outside.
    fn is_handled(&self, at: StateAt<'_>) -> bool {
        let outer = self.definition.outer(at.state.scope).into_iter();
        let outer = outer.take_while(|outer| !outer.is_cut_off);
        let mut around = outer.filter_map(|outer| self.definition.state(outer.around));
        around.any(|state| !(state.retry.is_empty() && state.catch.is_empty()))
    }

    /// Checks the format of Map labels, and that they are unique.
    pub(super) fn labels(&mut self) {
        let mut first: HashMap<&str, Span> = HashMap::default();
        for at in self.states.clone() {
            let Some(field) = at.field("Label").filter(|_| at.kind() == Some("Map")) else {
                continue;
            };
            let Some(label) = field.text().filter(|text| !is_opaque(text)) else {
                continue;
            };
            self.label(&field, label);
            let help = "labels must be unique in the whole state machine";
            let rule = (DUPLICATE_LABEL, "Label", help);
            self.again(&mut first, label, field.value(), rule);
        }
    }

    fn label(&mut self, field: &Located<'_>, label: &str) {
        let length = label.chars().count();
        let bad = label.char_indices().find(|(_, character)| {
            character.is_whitespace()
                || character.is_control()
                || "?*<>{}[]:;,\\|^~$#%&`\"".contains(*character)
        });
        if length == 0 || length > 40 {
            let message = format!("a Label has 1 to 40 characters, but this Label has {length}");
            self.report(LABEL, message, field.value(), "shorten it");
        } else if let Some((place, character)) = bad {
            let span = field.node.inner_span(place..place + character.len_utf8());
            let message = format!("a Label cannot contain {character:?}");
            let help = "use letters, digits, '-' and '_'";
            self.report(LABEL, message, (span, &field.location), help);
        }
    }
}

impl<'d> Checker<'d> {
    /// Checks the whole machine if its type is EXPRESS.
    pub(super) fn express(&mut self) {
        if self.definition.machine_type != MachineType::Express {
            return;
        }
        for at in self.states.clone() {
            self.express_state(at, "create the state machine with type STANDARD");
            self.express_map(at);
        }
    }

    /// Checks the states of a distributed Map whose child executions are of type EXPRESS.
    pub(super) fn express_children(&mut self, at: StateAt<'d>) {
        let config = processor(at).and_then(|processor| processor.get("ProcessorConfig"));
        let kind = config.and_then(|config| config.get("ExecutionType"));
        let kind = kind.and_then(|kind| kind.text());
        // If the machine itself is of type EXPRESS, these states have already been checked.
        if kind != Some("EXPRESS") || self.definition.machine_type == MachineType::Express {
            return;
        }
        let mut waiting = self.inside(at);
        while let Some(inner) = waiting.pop() {
            self.express_state(inner, "set ExecutionType to STANDARD");
            waiting.extend(self.inside(inner));
        }
    }

    fn express_state(&mut self, at: StateAt<'_>, help: &str) {
        let StateKind::Task(task) = &at.state.kind else {
            return;
        };
        let message = match (&task.integration, task.pattern()) {
            (Integration::Activity, _) => "Express state machine does not support Activity ARN",
            (_, Some(CallPattern::RunJob)) => {
                "Express state machine does not support '.sync' service integration"
            }
            (_, Some(CallPattern::Callback)) => {
                "Express state machine does not support '.waitForTaskToken' service integration "
            }
            _ => return,
        };
        if let Some(resource) = at.field("Resource") {
            self.report(EXPRESS, message, resource.value(), help);
        }
    }

    fn express_map(&mut self, at: StateAt<'_>) {
        if let Some(processor) = processor(at).filter(|_| at.state.is_distributed()) {
            let config = processor.get("ProcessorConfig");
            let mode = config.and_then(|config| config.get("Mode"));
            let span = mode.map_or(at.node.span, |mode| mode.node.span);
            let location = format!("{}/ProcessorConfig/Mode", processor.location);
            let message = "Express state machine does not support a DISTRIBUTED Map";
            let help = "set Mode to INLINE, or create the state machine with type STANDARD";
            self.report(EXPRESS, message, (span, &location), help);
        }
    }
}
