//! Reduces a definition to its states, their transitions and their calls, and removes the fields that read or create
//! data.

use super::field_value::{Jsonata, PathField, ResultPath};
use super::model::{Catcher, Definition, FailText, QueryLanguage, State, StateKind, WaitUntil};
use super::step_table::steps_of;
use super::{Choice, Map, Task};

impl Definition {
    /// Returns this definition without the fields that read or create data, for a run that repeats a recorded
    /// execution. Texts, spans and the tests of rules are kept, so that the definition is displayed as written.
    #[must_use]
    pub fn outline(&self) -> Self {
        let mut outline = self.clone();
        outline.timeout_seconds = None;
        for state in &mut outline.states {
            clear(state);
            if let Some(node) = self.node_of(state) {
                state.steps = steps_of(state, node);
            }
        }
        outline
    }
}

fn clear(state: &mut State) {
    state.language = QueryLanguage::JsonPath;
    state.input_path = PathField::Whole;
    state.output_path = PathField::Whole;
    state.result_path = ResultPath::Replace;
    state.templates.clear();
    state.jsonata = Jsonata::default();
    state.catch.iter_mut().for_each(clear_catcher);
    match &mut state.kind {
        StateKind::Task(task) => clear_task(task),
        StateKind::Choice(choice) => clear_choice(choice),
        StateKind::Wait(until) => *until = WaitUntil::Seconds(0),
        StateKind::Fail(fail) => {
            let written = |text: &Option<FailText>| match text {
                Some(FailText::Constant(_)) => text.clone(),
                _ => None,
            };
            (fail.error, fail.cause) = (written(&fail.error), written(&fail.cause));
        }
        StateKind::Map(map) => clear_map(map),
        StateKind::Pass { .. } | StateKind::Succeed | StateKind::Parallel { .. } => {}
    }
}

fn clear_catcher(catcher: &mut Catcher) {
    catcher.result_path = ResultPath::Replace;
    catcher.assign = None;
    catcher.jsonata = Jsonata::default();
}

fn clear_task(task: &mut Task) {
    (task.timeout, task.heartbeat, task.credentials) = (None, None, None);
}

fn clear_choice(choice: &mut Choice) {
    for rule in &mut choice.rules {
        rule.assign = None;
        rule.jsonata = Jsonata::default();
    }
}

fn clear_map(map: &mut Map) {
    map.items_path = PathField::Whole;
    (map.items, map.item_selector, map.jsonata_selector) = (None, None, None);
    (map.max_concurrency, map.tolerated_failure_count) = (None, None);
    map.tolerated_failure_percentage = None;
    (map.reader, map.batcher, map.writer) = (None, None, None);
}
