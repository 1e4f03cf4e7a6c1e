//! Builds the blocks of the data pane: a block for each stage of a state, with the stage's value and the value to
//! compare it with.

use super::block::{Block, Note, Part, plain_block, state_of};
use super::line::span_of_time;
use super::{Level, Paint, block};
use crate::definition::{Make, Owner, StageGroup, State, StateKind};
use crate::interpreter::Stage;
use crate::json::{Step, Text, Value};
use crate::session::origin::Holder;
use crate::session::view::{FaultView, RunStatus, StageView};
use crate::source::Node;
use crate::tui::theme::Role;

/// Two values larger than this, in bytes, count as equal only if they are the same object.
const COMPARED: u64 = 64 << 10;

/// Title for the stages that a Map produces for each item; the pane shows one item at a time.
const EACH_ITEM: &str = "Each item";

const GROUPS: [(StageGroup, &str); 5] = [
    (StageGroup::Input, "Input"),
    (StageGroup::Effective, "Effective input"),
    (StageGroup::Item, EACH_ITEM),
    (StageGroup::Result, "Result"),
    (StageGroup::Output, "Effective output"),
];

/// The blocks of the data pane at the chosen level of detail, in order.
pub(super) fn blocks(paint: &Paint) -> Vec<Block> {
    let data = &paint.view.data;
    let mut blocks = Vec::new();
    if data.state.is_none() {
        return blocks;
    }
    let fault_at = data.fault.as_ref().map(|fault| {
        let stage = fault.stage.unwrap_or(Stage::Result);
        (fault, data.stage(stage).map(|view| view.stage))
    });
    let mut fault_shown = false;
    for (kind, group) in GROUPS {
        let stages = data.stages.iter();
        let present: Vec<&StageView> = stages.filter(|view| view.stage.group() == kind).collect();
        let shown = choose(paint, &present, fault_at.and_then(|(_, stage)| stage));
        let count = shown.len();
        for (place, view) in shown.into_iter().enumerate() {
            let heads = if kind == StageGroup::Result {
                place == 0
            } else {
                place + 1 == count
            };
            let heads = heads && kind != StageGroup::Item;
            let mut block = stage_block(paint, view, heads.then_some(group));
            if let Some((fault, Some(stage))) = fault_at
                && stage == view.stage
                && view.value.is_none()
            {
                put_fault(&mut block, paint, fault);
                fault_shown = true;
            }
            blocks.push(block);
        }
    }
    if let Some((fault, _)) = fault_at
        && !fault_shown
    {
        let mut block = plain_block(Part::Error, "Error", None);
        put_fault(&mut block, paint, fault);
        let output = Part::Stage(Stage::Output);
        let end = blocks.iter().position(|block| block.part == output);
        blocks.insert(end.unwrap_or(blocks.len()), block);
    }
    for block in &mut blocks {
        let value = block.value.as_ref().filter(|_| block.part != Part::Error);
        if let Some(value) = value.filter(|value| block::size_share(value).is_some()) {
            block.notes.extend(block::size_notes(paint, value));
        }
    }
    join_quiet(paint, &mut blocks);
    add_scopes(paint, &mut blocks);
    blocks
}

/// The stages of a group, such as the effective input, that get blocks at the current level of detail.
fn choose<'v>(
    paint: &Paint,
    present: &[&'v StageView],
    fault_at: Option<Stage>,
) -> Vec<&'v StageView> {
    let ends = |stage: Stage| matches!(stage, Stage::Input | Stage::Output);
    if paint.level == Level::Info {
        let shown = present.iter().copied();
        let is_shown = |view: &&StageView| ends(view.stage) || fault_at == Some(view.stage);
        return shown.filter(is_shown).collect();
    }
    if paint.level == Level::Trace {
        return present.to_vec();
    }
    let now = paint.view.data.now;
    let mut shown: Vec<&StageView> = present
        .iter()
        .filter(|view| {
            ends(view.stage)
                || view.stage == Stage::Result
                || view.expression.is_some()
                || now == Some(view.stage)
                || fault_at == Some(view.stage)
                || (view.stage == Stage::AfterItemsPath && block::reads_items(paint))
        })
        .copied()
        .collect();
    // Without an OutputPath, the output equals the stage before it, so only one of these two stages has a block.
    if let [before, output] = shown.as_slice()
        && before.stage == Stage::AfterResultPath
        && output.stage == Stage::Output
        && output.expression.is_none()
        && fault_at != Some(before.stage)
    {
        let only_before = output.value.is_none() && before.value.is_some();
        shown.remove(usize::from(only_before));
    }
    if shown.is_empty() {
        shown.extend(present.last().copied());
    }
    // The stage after InputPath gets a block in three cases: the run is at this stage, the run failed in it, or no
    // later stage of the group is shown.
    let last = shown.last().map(|view| view.stage);
    shown.retain(|view| {
        view.stage != Stage::AfterInputPath
            || last == Some(view.stage)
            || [now, fault_at].contains(&Some(view.stage))
    });
    shown
}

fn stage_block(paint: &Paint, view: &StageView, group: Option<&str>) -> Block {
    let data = &paint.view.data;
    let before = data.stages.iter();
    let before = before
        .take_while(|earlier| earlier.stage != view.stage)
        .last();
    let name = match group {
        Some(group) if paint.level == Level::Trace => {
            let stage = view.stage.name();
            if group.eq_ignore_ascii_case(stage) || view.stage == Stage::Output {
                group.to_owned()
            } else {
                format!("{stage} ({group})", group = group.to_lowercase())
            }
        }
        Some(group) => group.to_owned(),
        None if paint.level == Level::Trace => view.stage.name().to_owned(),
        None => block::item_name(paint, view).unwrap_or_else(|| view.stage.name().to_owned()),
    };
    let mut written = match view.stage {
        Stage::Input => block::item_field(paint),
        Stage::Result if data.answer.is_some() => answer(paint),
        _ => expression_of(paint, view),
    };
    let mut loss: Vec<&String> = view.loss.iter().collect();
    let mut merged_in = false;
    if view.stage == Stage::Output && paint.level != Level::Trace {
        // At this level of detail, the stage after ResultPath may have no block, so the output shows the expression and
        // the loss of that stage.
        if let Some(merged) = data.stage(Stage::AfterResultPath)
            && view.expression.is_none()
        {
            written = expression_of(paint, merged);
            merged_in = true;
            let more = merged.loss.iter();
            loss.extend(more.filter(|text| view.loss.as_ref() != Some(text)));
        }
    }
    let same = match (&view.value, before.and_then(|before| before.value.as_ref())) {
        (Some(value), Some(before)) => {
            // A result is called unchanged only if the state passes its input on, as a Pass state without a Result
            // does.
            let passes = view.stage != Stage::Result || is_passed_on(paint, view);
            passes && !merged_in && equal(value, before)
        }
        _ => false,
    };
    let selects = view.expression.is_some();
    let step = state_of(paint).and_then(|state| state.step(view.stage));
    let base = match (view.stage.group(), step) {
        (StageGroup::Output, _) if view.stage == Stage::Output && selects && !data.caught => None,
        (StageGroup::Output, _) => Some(Stage::Input),
        // A template builds a new value, which is compared with the value that the template reads.
        (StageGroup::Effective | StageGroup::Result, Some(step))
            if step.make != Make::Path
                && view.stage != Stage::AfterItemsPath
                && step.otherwise == Some(step.dollar) =>
        {
            step.reads().filter(|_| step.make != Make::Literal)
        }
        _ => None,
    };
    let base = base.and_then(|stage| data.value(stage).cloned());
    let base = base.map(|base| without_read(base, view));
    let now = data.now == Some(view.stage);
    let mut block = plain_block(Part::Stage(view.stage), &name, view.value.clone());
    block.section = group.is_some();
    block.expression = written;
    block.base = base;
    block.here = now;
    let loss = loss.into_iter();
    let loss = loss.map(|text| Note::new("-", text.clone(), Role::Removed));
    block.notes = loss.chain(remarks(&view.remarks)).collect();
    block.open = (group.is_some() && !same) || now || !view.remarks.is_empty();
    block.rank = match view.stage {
        _ if now => 1,
        // The output of a catcher is important: it contains the error and may lack members of the input.
        Stage::AfterResultPath | Stage::Output if data.caught => 1,
        // The output of a successful run is the result of the run, so it is important.
        Stage::Output if matches!(paint.view.header.status, RunStatus::Succeeded { .. }) => 1,
        // A stage with remarks is important, because the remarks are shown below it.
        _ if !view.remarks.is_empty() => 2,
        Stage::Result | Stage::AfterResultSelector => 2,
        Stage::Output => 3,
        Stage::AfterParameters | Stage::AfterArguments => 4,
        Stage::Input => 5,
        Stage::AfterItemSelector => 4,
        _ => 6,
    };
    if view.value.is_none() {
        let words = match data.caught && view.stage != Stage::Output {
            true => "value not kept",
            false => data.to_come.word(view.stage),
        };
        block.remark = Some((words.to_owned(), Role::NotReached));
        block.notes.extend(block::item_fields(paint, view));
    } else if same && view.stage != Stage::Input {
        let from = match paint.level {
            Level::Trace => before.map(|before| before.stage.name()),
            _ => unchanged_since(&data.stages, view.stage),
        };
        block.remark = from.map(|stage| (format!("same as {stage}"), Role::Dim));
        block.quiet = !now && block.notes.is_empty() && paint.level != Level::Trace;
    }
    block
}

/// True if the result is the unchanged effective input, as for a Pass state without a Result.
fn is_passed_on(paint: &Paint, view: &StageView) -> bool {
    let is_pass = |state: &State| matches!(state.kind, StateKind::Pass { result: None });
    view.stage == Stage::Result && state_of(paint).is_some_and(is_pass)
}

/// Combines adjacent blocks that change nothing and have no remarks into one block, with the names of all of them.
fn join_quiet(paint: &Paint, blocks: &mut Vec<Block>) {
    let led_to = paint.view.led_to.as_ref().map(|led| &led.holder);
    let is_led_to = |block: &Block| match (block.part, led_to) {
        (Part::Stage(stage), Some(Holder::Stage(led_stage))) => stage == *led_stage,
        _ => false,
    };
    blocks.dedup_by(|block, above| {
        let joins = above.quiet && block.quiet && !is_led_to(above) && !is_led_to(block);
        if joins {
            let name = match block.part {
                Part::Stage(Stage::Output) => "output".to_owned(),
                _ => block.name.to_lowercase(),
            };
            above.name = format!("{}, {name}", above.name);
        }
        joins
    });
}

/// Name of the earliest stage whose value was the same as the value of `stage` and did not change in between.
fn unchanged_since(stages: &[StageView], stage: Stage) -> Option<&'static str> {
    let until = stages.iter().position(|view| view.stage == stage)?;
    let mut back = stages.get(..until)?.iter().rev();
    let mut from = back.next()?;
    for before in back {
        match (&before.value, &from.value) {
            // The result of a task is never the same data as its input, even if the values are equal.
            _ if from.stage == Stage::Result => break,
            (Some(value), Some(later)) if equal(value, later) => from = before,
            _ => break,
        }
    }
    let is_effective = |stage: Stage| stage.group() == StageGroup::Effective;
    Some(match from.stage {
        Stage::Input => "input",
        Stage::Result => "result",
        Stage::AfterResultPath => "before OutputPath",
        earliest if is_effective(earliest) && !is_effective(stage) => "effective input",
        earliest => earliest.name(),
    })
}

/// True if both values are equal; large values count as equal only if they are the same object.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    left.same(right) || (left.size() == right.size() && left.size() <= COMPARED && left == right)
}

/// Returns `base`, the value to compare a stage with. If the stage builds a new value, leaves out the members of `base`
/// that the stage's field reads and that are not in the new value: they were used, so they do not count as lost.
fn without_read(base: Value, view: &StageView) -> Value {
    let (Some(unread), Some(before)) = (&view.unread, base.as_object()) else {
        return base;
    };
    let is_in_value = |name: &Text| {
        let value = view.value.as_ref();
        value.is_some_and(|value| value.get(name).is_some())
    };
    let members = before.members().iter();
    let kept = members.filter(|(name, _)| unread.contains(name) || is_in_value(name));
    Value::object(kept.cloned().collect())
}

/// Text about the task's answer: the source of the answer, and how long the task took.
fn answer(paint: &Paint) -> Option<String> {
    let answer = paint.view.data.answer.as_ref()?;
    let source = crate::wording::answered_by(answer.by, answer.mocked.as_ref());
    Some(match answer.took {
        Some(took) => format!("{source}, {duration}", duration = span_of_time(took)),
        None => source,
    })
}

/// Text of the field that produces a stage, such as `InputPath $.order`.
fn expression_of(paint: &Paint, view: &StageView) -> Option<String> {
    let expression = view.expression.as_ref()?;
    let of_rule = expression.starts_with("Choices[");
    if (paint.view.data.caught || of_rule) && view.stage == Stage::Output {
        return Some(expression.clone());
    }
    let field = field_of(paint, view.stage)?;
    Some(format!("{field} {expression}"))
}

/// Name of the field that produces a stage.
fn field_of(paint: &Paint, stage: Stage) -> Option<&'static str> {
    let field = state_of(paint)?.step(stage)?.field;
    Some(match field.owner {
        // For a field inside an ItemReader, shows the name `ItemReader`, because the text beside the name is the
        // location of the data and not the field's own value.
        Owner::Reader => field.outermost(),
        _ => field.name,
    })
}

fn put_fault(block: &mut Block, paint: &Paint, view: &FaultView) {
    let fault = &view.fault;
    block.part = Part::Error;
    block.section = true;
    block.base = None;
    block.open = true;
    block.rank = 0;
    // This is the value that a catcher receives.
    block.value = Some(fault.error_output());
    let attempt = match paint.view.data.attempt {
        0 | 1 => String::new(),
        number => format!("attempt {number}  "),
    };
    block.remark = Some((format!("{attempt}!! ERROR"), Role::Error));
    let finding = view.finding.to_string();
    let why = view.because.iter().map(ToString::to_string);
    let why = why.filter(|text| !finding.contains(text.trim_end_matches('.')));
    block
        .notes
        .extend(why.map(|text| Note::new("", text, Role::Text)));
    // AWS's event is mentioned only at level TRACE, because the event's id appears only in the raw Cause, which is
    // shown only at this level.
    let entered = view.entered.iter().filter(|_| paint.level == Level::Trace);
    block.notes.extend(entered.map(|(id, number)| {
        let text =
            format!("AWS's event #{id} is event {number} here (:event #{id} goes to the event)");
        Note::new("#", text, Role::Dim)
    }));
    let aws = view.aws.iter();
    let aws = aws.map(|text| Note::new("!", text.clone(), Role::Warning));
    block.notes.extend(aws);
}

fn remarks(said: &[String]) -> impl Iterator<Item = Note> {
    said.iter()
        .map(|text| Note::new("", text.clone(), Role::Info))
}

fn add_scopes(paint: &Paint, blocks: &mut Vec<Block>) {
    let data = &paint.view.data;
    if paint.level >= Level::Debug && !data.variables.is_empty() {
        let value = Value::object(data.variables.clone());
        let mut block = plain_block(Part::Variables, "Variables", Some(value));
        // At an event that assigned variables, the variables are the most important block.
        let is_assigned = data.now.is_none() && data.assign.is_some();
        block.rank = if is_assigned { 1 } else { 8 };
        block.open |= is_assigned;
        if !data.assign_remarks.is_empty() {
            block.notes.extend(remarks(&data.assign_remarks));
            block.open = true;
            block.rank = 2;
        }
        blocks.push(block);
    }
    if paint.level == Level::Trace {
        if data.variables.is_empty() {
            let mut block = plain_block(Part::Variables, "Variables", None);
            block.remark = Some(("none".to_owned(), Role::Dim));
            blocks.push(block);
        }
        let mut block = plain_block(Part::Context, "Context $$", Some(data.context.clone()));
        block.rank = 9;
        block.open = false;
        blocks.push(block);
    }
}

/// The payload template that produces a stage or the variables; `None` if no template does.
pub(super) fn template<'p>(paint: &Paint<'p>, part: Part) -> Option<&'p Node> {
    if part == Part::Stage(Stage::Input) {
        let item = paint.view.data.item.as_ref()?;
        return paint.definition.node.at(item.span);
    }
    let span = match part {
        Part::Stage(stage) => {
            let step = state_of(paint)?.step(stage)?;
            let view = paint.view.data.stage(stage)?;
            let is_template = matches!(step.make, Make::Template | Make::Jsonata);
            view.expression.as_ref().filter(|_| is_template)?;
            view.span?
        }
        Part::Variables => paint.view.data.assign?,
        _ => return None,
    };
    paint.definition.node.at(span)
}

/// The expression at a position of a template; `None` if the template has a literal there.
pub(super) fn expression_at<'n>(template: &'n Node, steps: &[Step]) -> Option<&'n str> {
    let node = node_at(template, steps)?;
    let is_path = match steps.last() {
        // A member whose name is written without the suffix `.$` is a literal, even if its text looks like a path.
        Some(Step::Member(name)) => !is_member(template, steps, name),
        _ => false,
    };
    node.as_str()
        .filter(|text| is_path || text.trim_start().starts_with("{%"))
}

/// True if the template writes the last name of a position without the suffix `.$`.
fn is_member(template: &Node, steps: &[Step], name: &str) -> bool {
    let parent = steps
        .split_last()
        .and_then(|(_, above)| node_at(template, above));
    parent.is_none_or(|parent| parent.get(&format!("{name}.$")).is_none())
}

/// The node at a position of a template. The last name may be written with the suffix `.$`.
pub(super) fn node_at<'n>(template: &'n Node, steps: &[Step]) -> Option<&'n Node> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(template);
    };
    match step {
        Step::Member(name) => {
            if rest.is_empty()
                && let Some(node) = template.get(&format!("{name}.$"))
            {
                return Some(node);
            }
            node_at(template.get(name)?, rest)
        }
        Step::Item(index) => node_at(template.items()?.get(*index)?, rest),
    }
}
