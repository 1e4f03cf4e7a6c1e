//! The state pane: information that only this type of state has, such as the item table of a Map. Also the answers that
//! the user may give to a request.

use crate::definition::{Integration, Map, State, StateKind, Transition};
use crate::interpreter::{
    AskId, Fault, Frame, Group, Handled, Machine, Origin, Outcome, Phase, SlotView, Stage, Timer,
    Want,
};
use crate::json::{Text, Value};
use crate::service::Call;
use crate::session::answerer::Answerer;
use crate::session::breakpoint::Location;
use crate::session::breakpoints::Breakpoints;
use crate::session::choice::RuleView;
use crate::session::fault::{handling, machine_limit, what_follows};
use crate::session::in_state::InState;
use crate::session::no_items::of_frame;
use crate::session::place::WAIT_FIELDS;
use crate::session::service_response;
use crate::session::tally::once_over;
use crate::session::view::{
    AnswerOffer, ITEM_ROWS, ItemStanding, ItemView, LaneView, StatePane, StateStatus,
};
use crate::session::watches::{ItemTable, holds_text};
use crate::session::written::field_text;

/// The field that sets the duration or end of a Wait, with its text.
fn wait_field(machine: &Machine, state: &State) -> Option<Text> {
    let field = WAIT_FIELDS.iter().find_map(|name| state.field(name))?;
    let text = field_text(machine.definition(), field.value)?;
    Some(format!("{} {text}", field.name).into())
}

/// The state pane for the state that a frame is in.
pub(super) fn state_pane(
    machine: &Machine,
    frame: &Frame,
    (items, rules): (&ItemTable, &[RuleView]),
    breakpoints: &Breakpoints,
) -> StatePane {
    let Some(at) = InState::of(machine, frame) else {
        return StatePane::Nothing;
    };
    let state = at.state;
    match &state.kind {
        StateKind::Task(_) => StatePane::Task(handling(at)),
        StateKind::Choice(_) => StatePane::Choice(rules.to_vec()),
        StateKind::Wait(how) => {
            let due = machine.due(frame.id, Timer::Wake);
            let over = frame.visit.data.get(Stage::Output).is_some();
            let begun = frame.visit.no_wait.as_deref().cloned();
            let forecast = match due {
                Some(due) => Some((due, begun)),
                None if over => Some((machine.now(), begun)),
                None if frame.visit.fault.is_some() => None,
                None => machine.wait_forecast(frame, how),
            };
            let (until, no_wait) = forecast.map_or((None, None), |(due, why)| (Some(due), why));
            let date = until.map(|until| machine.run().time_text(until).into());
            StatePane::Wait {
                since: frame.visit.entered_at,
                until,
                date,
                written: wait_field(machine, state),
                no_wait,
                cut: machine_limit(machine).filter(|cut| until.is_some_and(|end| cut.at < end)),
            }
        }
        StateKind::Parallel { branches } => {
            let branches = u32::try_from(branches.len()).unwrap_or(u32::MAX);
            let lanes = (0..branches).map(|index| lane(machine, frame, index));
            StatePane::Parallel {
                lanes: lanes.collect(),
                handling: handling(at),
            }
        }
        StateKind::Map(map) => item_table(at, map, items, breakpoints),
        StateKind::Pass { .. } | StateKind::Succeed | StateKind::Fail(_) => StatePane::Nothing,
    }
}

/// A branch or item of the state that a frame is in, as a row.
fn lane(machine: &Machine, frame: &Frame, index: u32) -> LaneView {
    let group = frame.visit.group.as_ref();
    let slot = group.and_then(|group| group.slots.get(index));
    let live = group.and_then(|group| machine.frame(group.live_child(index)?));
    LaneView {
        index,
        frame: live.map(|child| child.id),
        state: live.map(|child| child.visit.state),
        inner: None,
        status: slot_status(machine, slot, live),
        error: slot.and_then(slot_error),
    }
}

/// Status of a frame that runs a branch or item.
fn frame_status(machine: &Machine, frame: &Frame) -> StateStatus {
    let kind = machine
        .definition()
        .state(frame.visit.state)
        .map(|state| &state.kind);
    match (frame.visit.phase, kind, &frame.visit.handled) {
        (Phase::Parked, _, Some(Handled::Retrier(_))) => StateStatus::Retrying,
        (Phase::Parked, Some(StateKind::Task(_)), _) => {
            let answered = frame
                .visit
                .call
                .as_ref()
                .is_some_and(|call| call.answer.is_some());
            match answered {
                true => StateStatus::Waiting,
                false => StateStatus::Asking,
            }
        }
        (Phase::Parked, Some(StateKind::Wait(_)), _) => StateStatus::Waiting,
        (Phase::Handle | Phase::Fail, ..) => StateStatus::ErrorRaised,
        _ => StateStatus::Running,
    }
}

fn slot_status(machine: &Machine, slot: Option<SlotView<'_>>, live: Option<&Frame>) -> StateStatus {
    match (slot, live) {
        (_, Some(child)) => once_over(machine, frame_status(machine, child)),
        (Some(SlotView::Succeeded(_)), _) => StateStatus::Succeeded,
        (Some(SlotView::Failed(_)), _) => StateStatus::Failed,
        (Some(SlotView::Aborted), _) => StateStatus::Aborted,
        (Some(SlotView::Live), _) => once_over(machine, StateStatus::Running),
        (Some(SlotView::Pending) | None, _) => StateStatus::NotReached,
    }
}

fn slot_error(slot: SlotView<'_>) -> Option<Text> {
    match slot {
        SlotView::Failed(output) => Some(
            output
                .value()
                .get("Error")
                .and_then(Value::as_str)
                .unwrap_or("an error without a name")
                .into(),
        ),
        _ => None,
    }
}

/// The state pane of the Map that a frame is in. Its item table has only the items that match the filter of `table`,
/// the most important items first.
fn item_table(
    at: InState<'_>,
    map: &Map,
    table: &ItemTable,
    breakpoints: &Breakpoints,
) -> StatePane {
    let (machine, frame) = (at.machine, at.frame);
    let group = frame.visit.group.as_deref();
    let over = !at.runs();
    let summary = group.map(|group| summary(group, over)).unwrap_or_default();
    let rows = group
        .map(|group| rows_of(group, &table.filter, over))
        .unwrap_or_default();
    let fitting = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let items = group.map(|group| {
        let shown = rows.iter().take(ITEM_ROWS);
        shown
            .map(|(_, index)| {
                let slot = group.slots.get(*index);
                let item = group.work.item(*index);
                ItemView {
                    lane: lane(machine, frame, *index),
                    column: (item.as_ref())
                        .and_then(|item| table.beside(machine, frame, map, item)),
                    item: item.map(|item| item.value).unwrap_or_default(),
                    tries: group.slots.retries(*index).saturating_add(1),
                    result: slot.and_then(|slot| match slot {
                        SlotView::Succeeded(output) => Some(output.value()),
                        _ => None,
                    }),
                    point: point_on_item(at.state, *index, breakpoints),
                }
            })
            .collect()
    });
    StatePane::Map {
        items: items.unwrap_or_default(),
        summary,
        total: group.map_or(0, |group| group.total),
        fitting: (!table.filter.is_empty()).then_some(fitting),
        filter: table.filter.clone(),
        column: table.heading(map),
        no_items: of_frame(at),
        handling: handling(at),
    }
}

/// Sort key and index of each item to show; failed items have the smallest key and come first. With a filter, lists
/// only items that match it.
fn rows_of(group: &Group, filter: &str, over: bool) -> Vec<(u8, u32)> {
    let mut rows: Vec<(u8, u32)> = Vec::new();
    let slots = &group.slots;
    if filter.is_empty() {
        let failed = slots.among(|tally| tally.failed > 0);
        let live = slots.among(|tally| tally.live > 0);
        let others = slots.among(|_| true);
        let of = |(index, slot)| (rank(slot), index);
        rows.extend(failed.map(of).filter(|row| row.0 == 0).take(ITEM_ROWS));
        rows.extend(live.map(of).filter(|row| row.0 == 1).take(ITEM_ROWS));
        rows.extend(others.map(of).filter(|row| row.0 > 1).take(ITEM_ROWS));
    } else {
        for (index, slot) in slots.among(|_| true) {
            if fits(group, (index, slot), filter, over) {
                rows.push((rank(slot), index));
            }
        }
    }
    rows.sort_unstable();
    rows
}

/// Breakpoint on an item: true if enabled, false if disabled, `None` if the item has no breakpoint.
fn point_on_item(map: &State, index: u32, breakpoints: &Breakpoints) -> Option<bool> {
    let mut points = breakpoints.placed.iter();
    let point = points.find(|placed| match &placed.breakpoint.at {
        Location::Item(path, item) => *item == index && *path == map.path,
        _ => false,
    });
    point.map(|placed| placed.enabled)
}

fn rank(slot: SlotView<'_>) -> u8 {
    match slot {
        SlotView::Failed(_) => 0,
        SlotView::Live => 1,
        SlotView::Aborted => 2,
        SlotView::Succeeded(_) => 3,
        SlotView::Pending => 4,
    }
}

/// Status of an item. If the run is over (`over`), an item that was still running was cut short.
fn standing(slot: SlotView<'_>, over: bool) -> ItemStanding {
    match slot {
        SlotView::Failed(_) => ItemStanding::Failed(slot_error(slot).unwrap_or_default()),
        SlotView::Live if over => ItemStanding::CutShort,
        SlotView::Live => ItemStanding::Running,
        SlotView::Aborted => ItemStanding::Aborted,
        SlotView::Succeeded(_) => ItemStanding::Ok,
        SlotView::Pending => ItemStanding::NotBegun,
    }
}

/// True if an item's status, input or output contains the text of the filter.
fn fits(group: &Group, (index, slot): (u32, SlotView<'_>), filter: &str, over: bool) -> bool {
    let gave = match slot {
        SlotView::Succeeded(output) | SlotView::Failed(output) => {
            holds_text(&output.value(), filter)
        }
        _ => false,
    };
    let item = || group.work.item(index).map(|item| item.value);
    gave || standing(slot, over).words().to_lowercase().contains(filter)
        || index.to_string() == filter
        || item().is_some_and(|item: Value| holds_text(&item, filter))
}

fn summary(group: &Group, over: bool) -> Vec<(ItemStanding, u32)> {
    let mut summary: Vec<(ItemStanding, u32)> = Vec::new();
    let mut note =
        |item: ItemStanding, count: u32| match summary.iter_mut().find(|(known, _)| *known == item)
        {
            Some((_, sum)) => *sum += count,
            None => summary.push((item, count)),
        };
    // There may be a million items, so the counts come from the tally of all items, and only failed and aborted items
    // are examined one by one.
    let tally = group.slots.tally();
    let rare = group.slots.among(|tally| tally.failed + tally.aborted > 0);
    for (_, slot) in rare {
        if matches!(slot, SlotView::Failed(_) | SlotView::Aborted) {
            note(standing(slot, over), 1);
        }
    }
    for (item, count) in [
        (ItemStanding::Ok, tally.succeeded),
        (standing(SlotView::Live, over), tally.live),
        (ItemStanding::NotBegun, tally.pending),
    ] {
        if count > 0 {
            note(item, count);
        }
    }
    summary.sort_by_key(|(item, _)| match item {
        ItemStanding::Ok => 0,
        ItemStanding::Failed(_) | ItemStanding::Aborted => 1,
        ItemStanding::Running | ItemStanding::CutShort => 2,
        ItemStanding::NotBegun => 3,
    });
    summary
}

/// Errors that are offered for every task. In addition, the errors that the task's Retry and Catch name, and the errors
/// that its service can raise, are offered.
const USUAL: [&str; 3] = ["States.TaskFailed", "States.Timeout", "States.Permissions"];
/// Service and API of a task whose Resource is the ARN of a Lambda function.
const LAMBDA: (&str, &str) = ("lambda", "invoke");

/// Returns the answers that the user may give to a request.
pub(super) fn offer(machine: &Machine, answerer: &Answerer, ask: AskId) -> Option<AnswerOffer> {
    let held = machine.held(ask);
    let ask = machine.ask(ask).or(held)?;
    let frame = machine.frame(ask.frame)?;
    let at = InState::of(machine, frame)?;
    let state = at.state;
    let shaped = match (&state.kind, &ask.want) {
        (StateKind::Task(task), Want::Call { input, .. }) => {
            service_response::offered(task, input, machine.definition())
        }
        (_, Want::Read { .. }) => Value::array(Vec::new()),
        _ => return None,
    };
    // If the user replaces an answer that the task already has, does not offer that answer again.
    let before = answerer.offered(&ask.key).filter(|_| held.is_none());
    let result = match before.map(|answer| &answer.outcome) {
        Some(Outcome::Success(result)) => result.clone(),
        _ => {
            let reads = state.template("ResultSelector");
            reads.map_or(shaped.clone(), |reads| {
                service_response::with_reads(&shaped, reads)
            })
        }
    };
    let task = match &state.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    };
    let raised = match task.map(|task| (&task.integration, task.call())) {
        Some((Integration::Lambda, _)) => Call::find(LAMBDA.0, LAMBDA.1)
            .map(|call| call.raised())
            .ok(),
        Some((_, call)) => call.map(Call::raised),
        None => None,
    };
    let raised = raised.unwrap_or_default();
    let mut names: Vec<Text> = Vec::new();
    let named = state.retry.iter().flat_map(|retrier| &retrier.error_equals);
    let named = named
        .chain(state.catch.iter().flat_map(|catcher| &catcher.error_equals))
        .cloned();
    let wildcard = |name: &Text| {
        matches!(
            &**name,
            "States.ALL" | "States.Runtime" | "States.BranchFailed"
        )
    };
    for name in named
        .filter(|name| !wildcard(name))
        .chain(USUAL.map(Text::from))
        .chain(raised.into_iter().map(Text::from))
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let errors = names.into_iter().map(|name| {
        let mut fault = Fault::task(name.clone(), "");
        if &*name == "States.Timeout" {
            fault.origin = Origin::Timeout;
        }
        let follows = what_follows(at, &fault);
        (name, follows.to_string())
    });
    let then = match &state.transition {
        Transition::Next(next) => format!("→ {}", next.name),
        _ => "→ end".to_string(),
    };
    Some(AnswerOffer {
        ask: ask.id,
        state: ask.state,
        whole: task.and_then(service_response::whole),
        result,
        before: before.cloned(),
        errors: errors.collect(),
        then,
        heartbeat: match &ask.want {
            Want::Call { heartbeat, .. } => *heartbeat,
            _ => None,
        },
    })
}
