//! Limits on values: AWS's limits, and the debugger's own limits. Also watches the memory of a run.

use super::ask::{Outcome, Want};
use super::children::{Group, GroupWork};
use super::event::{FrameId, Millis, Stage};
use super::fault::{Difference, Fault, Origin};
use super::frame::{Frame, Timer};
use super::machine::Machine;
use super::reason::{PAYLOAD_LIMIT, Reason, TooLarge, VARIABLES_LIMIT};
use super::run::MAX_DEPTH;
use super::stage::Done;
use super::visit::StateVisit;
use crate::definition::{Integration, State, StateKind};
use crate::json::{Footprint, Text, Value};
use crate::query::{MAX_VALUE, Profile};

impl Machine {
    /// Checks AWS's size limits for variables: the limits for one variable, for all variables of one Assign, and for
    /// all variables of the execution.
    pub(super) fn check_variables(&self, frame: &Frame, assigned: &[(Text, Value)]) -> Done {
        if assigned.is_empty() {
            return Ok(());
        }
        let limit = PAYLOAD_LIMIT;
        let sizes = assigned.iter().map(|(_, value)| value.size());
        let total: u64 = sizes.fold(0, u64::saturating_add);
        let all = frame.variables.size().saturating_add(total);
        let exceeded =
            if let Some((name, _)) = assigned.iter().find(|(_, value)| value.size() > limit) {
                TooLarge::Variable(name.clone())
            } else if total > limit {
                TooLarge::Assign
            } else if all > VARIABLES_LIMIT {
                TooLarge::Variables
            } else {
                return Ok(());
            };
        if self.profile() == Profile::Spec {
            self.diverge(Difference::VariablesTooLarge);
            return Ok(());
        }
        let reason = Reason::TooLarge(exceeded);
        Err(self.own_fault(frame.id, reason, Some(Stage::Output)))
    }

    /// Checks a value against the debugger's own limits of size and nesting depth.
    pub(super) fn check_bounds(&self, value: &Value, name: &str, stage: Stage) -> Done {
        let most = self.run().header.max_value;
        if value.depth() <= MAX_DEPTH && self.fits(value.size()) {
            return Ok(());
        }
        let reason = Reason::TooLarge(TooLarge::Value {
            of: name.into(),
            bytes: value.size(),
            depth: value.depth(),
            most: (most, MAX_DEPTH),
        });
        let mut fault = Fault::raised(self.profile(), reason, None);
        fault.aws = None;
        Err((fault, Some(stage)))
    }

    /// Checks AWS's size limit for payloads. The error of a payload that is too large can be caught only if the payload
    /// is a task's result.
    pub(super) fn check_payload(
        &self,
        id: FrameId,
        state: &State,
        value: &Value,
        stage: Stage,
    ) -> Done {
        if value.size() <= PAYLOAD_LIMIT {
            return Ok(());
        }
        if self.profile() == Profile::Spec {
            // The difference is reported only for the state in which the value becomes too large, not for states that
            // pass it on.
            let grew = self.frame(id).is_some_and(|frame| {
                let small = |stage: Stage| {
                    let size = frame.visit.data.get(stage).map_or(0, Value::size);
                    size <= PAYLOAD_LIMIT
                };
                let is_reported = matches!(state.kind, StateKind::Task(_)) && stage > Stage::Result;
                small(Stage::Input) && (!is_reported || small(Stage::Result))
            });
            if grew {
                self.diverge(match stage {
                    Stage::Result => Difference::ResultTooLarge,
                    _ => Difference::OutputTooLarge,
                });
            }
            return Ok(());
        }
        let is_result = stage == Stage::Result;
        let by = match &state.kind {
            StateKind::Task(task) if is_result => match &task.integration {
                Integration::Service { service, .. } => service.clone(),
                _ => task.resource.clone(),
            },
            _ => state.name.clone(),
        };
        let reason = Reason::TooLarge(TooLarge::Payload { by, is_result });
        let mut fault = Fault::raised(self.profile(), reason, None);
        if !is_result {
            fault.origin = Origin::Runtime;
        }
        Err((fault, Some(stage)))
    }
}

/// Default memory limit of a run, in bytes.
pub const MAX_MEMORY: u64 = 512 << 20;

/// Memory that the program uses before it runs anything, in bytes; added to the measured memory.
const PROGRAM: u64 = 14 << 20;
/// The maximum size of a single value is at most the run's memory limit divided by this number.
const SHARE: u64 = 8;
/// Minimum number of machine steps between two measurements of the memory.
const STEPS: u64 = 1024;
/// The number of machine steps until the next measurement, for each value that the last measurement visited. Faster
/// growth is detected by the size of new values and the number of new frames.
const WALK: u64 = 4;
/// Allocator overhead per allocation, in bytes.
const OVERHEAD: usize = 32;
/// Minimum number of new frames that causes another measurement.
const FRAMES: u64 = 256;

/// Maximum size of a single value, in bytes of compact JSON, if the run may use `limit` bytes of memory.
#[must_use]
pub fn largest_value(limit: u64) -> u64 {
    MAX_VALUE.min(limit / SHARE)
}

/// Watches the memory of one run. Measures the machine only now and then to keep the cost low.
#[derive(Clone, Debug)]
pub struct MemoryWatch {
    /// Memory limit in bytes, including the program's own memory.
    limit: u64,
    /// Memory limit for values, in bytes.
    most: u64,
    /// Memory of the machine at the last measurement, in bytes.
    measured: u64,
    /// Number of machine steps left until the next measurement.
    steps: u64,
    /// The next measurement is due once the machine has produced this many bytes of values in total.
    made: u64,
    /// The next measurement is due once the machine has this many live frames.
    frames: u64,
}

impl MemoryWatch {
    /// Creates a watch for a run that may use `limit` bytes, including the program's own memory.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        let largest = largest_value(limit);
        // Reserves memory for the values of an evaluation, less a tenth of the limit: a run may exceed its limit by
        // that much.
        let evaluated = (largest + largest / 2).saturating_sub(limit / 10);
        Self {
            limit,
            most: (limit - PROGRAM.min(limit / 4)).saturating_sub(evaluated),
            measured: 0,
            steps: 0,
            made: 0,
            frames: 0,
        }
    }

    /// The memory limit in bytes, including the program's own memory.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// True if the run uses more memory than the limit: the memory of `machine`, and `beside` bytes of the run that are
    /// outside of the machine. Must be called at each step.
    pub fn is_over(&mut self, machine: &Machine, beside: u64) -> bool {
        if machine.has_outgrown() {
            return true;
        }
        let due =
            self.steps == 0 || machine.made() >= self.made || machine.live_frames() >= self.frames;
        if due {
            self.measure(machine);
        } else {
            self.steps -= 1;
        }
        if self.measured.saturating_add(beside) <= self.most {
            return false;
        }
        // The machine may now use less memory than at the last measurement.
        if !due {
            self.measure(machine);
        }
        self.measured.saturating_add(beside) > self.most
    }

    fn measure(&mut self, machine: &Machine) {
        let footprint = machine.footprint();
        self.measured = footprint.bytes();
        self.steps = STEPS.max(footprint.visited().saturating_mul(WALK));
        self.made = machine.made().saturating_add(self.most / 8);
        // Nested Maps create many frames with few values, so the number of frames is limited, too: new frames may use
        // at most half of the remaining memory before the next measurement.
        let live = machine.live_frames();
        let each = (self.measured / live.max(1)).max(size_of::<Frame>() as u64);
        let left = self.most.saturating_sub(self.measured);
        self.frames = live.saturating_add((left / 2 / each).max(FRAMES));
    }
}

impl Machine {
    /// The memory that the machine uses: live frames with their values, results of branches or items, and open
    /// requests. Visits all of these values.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add(&self.run().header.input);
        for frame in self.frames() {
            add_frame(&mut footprint, frame);
        }
        if let super::Status::Succeeded(output) = self.status() {
            footprint.add(output);
        }
        footprint
    }
}

fn add_frame(footprint: &mut Footprint, frame: &Frame) {
    let counts = frame.visit_counts.capacity() * size_of::<u32>();
    let timers = frame.timers.capacity() * size_of::<(Millis, Timer)>();
    // Each frame is a separate allocation and has an entry in the machine's queue of frames.
    let frame_bytes = size_of::<Frame>() + counts + timers + 4 * OVERHEAD;
    footprint.add_bytes(frame_bytes as u64);
    for (name, value) in frame.variables.own() {
        footprint.add_text(name);
        footprint.add(value);
    }
    let item = frame.item.as_ref().map(|item| &item.value);
    let began = frame.execution.as_ref().map(|begun| &begun.input);
    for value in item.into_iter().chain(began) {
        footprint.add(value);
    }
    add_visit(footprint, &frame.visit);
}

fn add_visit(footprint: &mut Footprint, visit: &StateVisit) {
    let named = visit.assigned.iter().chain(&visit.field_values);
    for value in visit.data.iter().chain(named.map(|(_, value)| value)) {
        footprint.add(value);
    }
    for result in visit.evaluated.iter().flatten().flatten() {
        footprint.add(result);
    }
    if let Some(group) = &visit.group {
        add_group(footprint, group);
    }
    if let Some(batching) = &visit.batching {
        for value in batching.selected.iter().chain(&batching.input) {
            footprint.add(value);
        }
    }
    if let Some(call) = &visit.call {
        call.ask.want.add_to(footprint);
        if let Some(answer) = &call.answer {
            answer.outcome.add_to(footprint);
        }
    }
    if let Some(evaluation) = &visit.evaluation {
        evaluation.ask.want.add_to(footprint);
    }
}

fn add_group(footprint: &mut Footprint, group: &Group) {
    match &group.work {
        GroupWork::Branches(input) => footprint.add(input),
        GroupWork::Items(items) => footprint.add(&Value::Array(items.clone())),
        GroupWork::Members(members) => footprint.add(&Value::Object(members.clone())),
    }
    let live = group.live.capacity() * size_of::<(u32, FrameId)>();
    let inputs = group.inputs.capacity() * size_of::<Value>();
    let group_bytes = size_of::<Group>() + live + inputs + 3 * OVERHEAD;
    footprint.add_bytes(group_bytes as u64);
    group.slots.add_to(footprint);
    for input in &group.inputs {
        footprint.add(input);
    }
}

impl Want {
    /// Adds the memory used by the request.
    pub fn add_to(&self, footprint: &mut Footprint) {
        match self {
            Self::Call { input, .. } => footprint.add(input),
            Self::Read { arguments, .. } => footprint.add(arguments),
            Self::Write {
                arguments,
                succeeded,
                failed,
                ..
            } => {
                for value in [arguments, succeeded, failed] {
                    footprint.add(value);
                }
            }
            Self::Evaluate(evaluation) => {
                for (_, value) in evaluation.states.iter().chain(&evaluation.variables) {
                    footprint.add(value);
                }
            }
        }
    }
}

impl Outcome {
    /// Adds the memory used by the answer.
    pub fn add_to(&self, footprint: &mut Footprint) {
        match self {
            Self::Success(value) => footprint.add(value),
            Self::Failure { error, cause } => {
                for text in [error, cause].into_iter().flatten() {
                    footprint.add_text(text);
                }
            }
            Self::Never => {}
            Self::Evaluated(results) => {
                for result in results.iter().flatten() {
                    footprint.add(result);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::lower;
    use crate::interpreter::{Header, Run, Step};
    use crate::json::parse;
    use crate::query::Profile;
    use crate::source::{SourceFile, SourceId, SourceMap, parse_json};
    use std::sync::Arc;

    fn start(text: &str, input: &str) -> Machine {
        let file = SourceFile::new("a.asl.json", text);
        let (node, _) = parse_json(&file, SourceId(0));
        let node = Arc::new(node.expect("JSON"));
        let definition = lower(node, Arc::new(SourceMap::of(file)), "a").0;
        let input = parse(input).expect("JSON");
        let run = Run::new(Arc::new(definition), Header::new(input, Profile::Spec));
        Machine::start(Arc::new(run))
    }

    /// Steps the machine until the watch reports an excess. Returns the number of steps, or `None` if the run ends
    /// first.
    fn over(machine: &mut Machine, watch: &mut MemoryWatch) -> Option<u64> {
        for events in 1..1_000_000 {
            if machine.step(u64::MAX) == Step::Done {
                return None;
            }
            if watch.is_over(machine, 0) {
                return Some(events);
            }
        }
        None
    }

    const GROWS: &str = r#"{"StartAt": "A", "States": {
        "A": {"Type": "Pass", "Parameters": {"l.$": "States.Array($.l, $.n)", "n.$": "States.MathAdd($.n, 1)"}, "Next": "B"},
        "B": {"Type": "Choice", "Choices": [{"Variable": "$.n", "NumericLessThan": 900, "Next": "A"}], "Default": "C"},
        "C": {"Type": "Succeed"}}}"#;

    #[test]
    fn a_value_that_grows_is_told() {
        let begin = r#"{"l": [], "n": 0}"#;
        let mut machine = start(GROWS, begin);
        assert!(over(&mut machine, &mut MemoryWatch::new(50_000)).is_some());
        let mut machine = start(GROWS, begin);
        let mut watch = MemoryWatch::new(MAX_MEMORY);
        assert_eq!(over(&mut machine, &mut watch), None);
        assert!(machine.footprint().bytes() > 100_000);
    }

    #[test]
    fn frames_that_multiply_are_measured_in_time() {
        let map = |name: &str, inner: &str| {
            format!(
                r#"{{"StartAt": "{name}", "States": {{"{name}": {{"Type": "Map", "ItemsPath": "$.a", "ItemSelector": {{"a.$": "$.a"}}, "ItemProcessor": {inner}, "End": true}}}}}}"#
            )
        };
        let pass = r#"{"StartAt": "P", "States": {"P": {"Type": "Pass", "End": true}}}"#;
        let names = ["A", "B", "C", "D", "E", "F"].iter();
        let text = names.fold(pass.to_string(), |inner, name| map(name, &inner));
        let mut machine = start(&text, r#"{"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}"#);
        let limit = 8 << 20;
        assert!(over(&mut machine, &mut MemoryWatch::new(limit)).is_some());
        let held = machine.footprint().bytes();
        assert!(held < limit + limit / 10, "{held}");
    }

    #[test]
    fn the_results_of_children_count() {
        let text = r#"{"StartAt": "M", "States": {"M": {"Type": "Map", "End": true, "ItemProcessor": {
            "StartAt": "P", "States": {"P": {"Type": "Pass", "Result": {"made": "anew"}, "End": true}}}}}}"#;
        let items = Value::array((0..20_000_i64).map(Value::from).collect()).to_string();
        let mut machine = start(text, &items);
        let before = machine.footprint().bytes();
        // A quarter of the limit is reserved for the program itself.
        let limit = (before + 100_000) * 4 / 3;
        assert!(over(&mut machine, &mut MemoryWatch::new(limit)).is_some());
    }

    #[test]
    fn what_is_kept_beside_the_machine_counts_and_may_be_given_back() {
        let mut machine = start(GROWS, r#"{"l": [], "n": 0}"#);
        let mut watch = MemoryWatch::new(100_000);
        assert!(!watch.is_over(&machine, 50_000));
        assert!(watch.is_over(&machine, 100_000));
        assert!(matches!(machine.step(u64::MAX), Step::Event(_)));
        assert!(!watch.is_over(&machine, 10_000));
    }
}
