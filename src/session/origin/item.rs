//! One step back from the start of a branch or an item, out of its frame: to what the Parallel or Map made it of.
//!
//! It must not know how a frame goes on.

use super::document::{Documents, present};
use super::expression::FieldAt;
use super::past::Past;
use super::stage::At;
use super::{Gathered, Holder, Hop, Root, Site};
use crate::definition::{StageStep, StateId, StateKind};
use crate::interpreter::{Frame, GroupWork, Item, Machine, Stage};
use crate::json::{Pointer, Step, Value};

impl Past<'_> {
    /// Back from the input of a frame's first state; `event` is the one at which the frame began.
    pub(super) fn start_hop(&self, site: &Site, event: u64, run: Option<&Machine>) -> Hop {
        let Some(lineage) = self.timeline().lineage(site.frame) else {
            return Hop::Root(Root::Unknown);
        };
        let owner = lineage.owner.and_then(|id| Some((id, self.state(id)?)));
        let (Some(parent), Some((id, state))) = (self.parent(site.frame), owner) else {
            return Hop::Root(Root::Unknown);
        };
        let map = match &state.kind {
            StateKind::Map(map) => map,
            _ => {
                let stage = Stage::AfterArguments;
                return Hop::To(Site::stage(event, parent, stage, site.at.clone()));
            }
        };
        if site.event != event {
            return Hop::To(Site {
                event,
                ..site.clone()
            });
        }
        let Some(run) = run else {
            return Hop::Need(event);
        };
        let Some(frame) = run.frame(parent) else {
            return Hop::Root(Root::Unknown);
        };
        let around = Around { run, frame, id };
        match &map.batcher {
            Some(_) => self.batch_hop(site, &site.at.0, &around, lineage.index),
            None => self.selector_hop(site, &around, lineage.index, &site.at.0),
        }
    }

    /// Back from a place in the input of an item: `rest` leads there from what ItemSelector made.
    fn selector_hop(&self, site: &Site, around: &Around<'_>, index: u32, rest: &[Step]) -> Hop {
        let Around { run, frame, id, .. } = around;
        let item = Site {
            event: site.event,
            frame: frame.id,
            holder: Holder::Item(index),
            at: Pointer(rest.to_vec()),
        };
        let step = self
            .state(*id)
            .and_then(|state| Some((state, state.step(Stage::AfterItemSelector)?)));
        let Some((state, step)) = step else {
            return Hop::To(item);
        };
        let held = Site {
            frame: frame.id,
            ..site.clone()
        };
        let mut documents = Documents::of_step(self, run, frame, &held, step);
        documents.item = item_of(frame, index);
        let made = state.compiled(step.field).and_then(|compiled| {
            let field = FieldAt::by(self, *id, step);
            field.evaluated(self, site.clone(), (compiled, rest), &documents)
        });
        made.unwrap_or(Hop::To(item))
    }

    /// Back from a stage at which a Map makes the input of its items.
    pub(super) fn item_stage_hop(&self, at: &At<'_>, step: &StageStep) -> Hop {
        let around = Around {
            run: at.machine,
            frame: at.frame,
            id: at.id,
        };
        let selected = at
            .frame
            .visit
            .group
            .as_ref()
            .and_then(|group| group.selected);
        let place = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let stage = step.stage().unwrap_or(Stage::Input);
        match (stage, at.site.at.0.as_slice()) {
            (Stage::AfterItemReader | Stage::AfterBatchInput, rest) => {
                self.payload_hop(&at.to, &around, stage, rest)
            }
            (Stage::AfterItemSelector, [Step::Item(index), rest @ ..]) if selected.is_none() => {
                self.selector_hop(&at.to, &around, place(*index), rest)
            }
            (Stage::AfterItemSelector, rest) if selected.is_some() => {
                self.selector_hop(&at.to, &around, selected.unwrap_or_default(), rest)
            }
            (Stage::AfterItemBatcher, [Step::Item(index), rest @ ..]) => {
                self.batch_hop(&at.to, rest, &around, place(*index))
            }
            _ => {
                let made = at.frame.visit.data.get(stage);
                let count = made.and_then(Value::as_array).map_or(0, <[Value]>::len);
                let first = at.to.at(Pointer(vec![Step::Item(0)]));
                let one = (count > 0).then_some(Gathered {
                    index: 0,
                    site: first,
                    odd: None,
                });
                Hop::Root(Root::Children {
                    to: at.to.clone(),
                    state: at.id,
                    count,
                    one: one.map(Box::new),
                })
            }
        }
    }

    /// Back from what a member of a field of a Map made.
    fn payload_hop(&self, site: &Site, around: &Around<'_>, stage: Stage, rest: &[Step]) -> Hop {
        let state = self.state(around.id);
        let Some((state, step)) = state.and_then(|state| Some((state, state.step(stage)?))) else {
            return Hop::Root(Root::Unknown);
        };
        let field = FieldAt::by(self, around.id, step);
        let held = Site {
            frame: around.frame.id,
            ..site.clone()
        };
        let documents = Documents::of_step(self, around.run, around.frame, &held, step);
        let made = state
            .compiled(step.field)
            .and_then(|compiled| field.evaluated(self, site.clone(), (compiled, rest), &documents));
        made.unwrap_or_else(|| field.missing(site.clone(), Vec::new()))
    }

    /// Back from a place in a batch: `rest` leads there.
    fn batch_hop(&self, site: &Site, rest: &[Step], around: &Around<'_>, index: u32) -> Hop {
        let Around { frame, id, .. } = around;
        match rest {
            [Step::Member(name), rest @ ..] if &**name == "BatchInput" => {
                self.payload_hop(site, around, Stage::AfterBatchInput, rest)
            }
            [Step::Member(name), Step::Item(place), rest @ ..] if &**name == "Items" => {
                let before = items_before(frame, index);
                let own = u32::try_from(*place).unwrap_or(u32::MAX);
                self.selector_hop(site, around, before.saturating_add(own), rest)
            }
            _ => {
                let items = Site::stage(
                    site.event,
                    frame.id,
                    present(frame, Stage::AfterItemsPath),
                    Pointer::root(),
                );
                FieldAt::of(self, *id, "ItemBatcher").made(site.clone(), items)
            }
        }
    }

    /// Back from an item to its place among the items.
    pub(super) fn item_hop(&self, site: &Site, index: u32, frame: &Frame) -> Hop {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let items = site.held_by(Holder::Stage(present(frame, Stage::AfterItemsPath)));
        match work_of(frame) {
            Some(GroupWork::Members(object)) => {
                let Some((name, _)) = object.members().get(place) else {
                    return Hop::Root(Root::Unknown);
                };
                let rest = match site.at.0.split_first() {
                    Some((Step::Member(part), rest)) if &**part == "Value" => rest,
                    Some(_) => return Hop::Root(Root::Unknown),
                    None => &[],
                };
                let steps = super::joined(&[Step::Member(name.clone())], rest);
                Hop::To(items.at(steps))
            }
            _ => Hop::To(items.at(super::joined(&[Step::Item(place)], &site.at.0))),
        }
    }
}

/// The Map around an item.
struct Around<'a> {
    run: &'a Machine,
    frame: &'a Frame,
    id: StateId,
}

/// What the items of the Map that a frame is in are taken from, before they are put into batches.
fn work_of(frame: &Frame) -> Option<GroupWork> {
    GroupWork::of(frame.visit.data.get(Stage::AfterItemsPath)?)
}

/// An item of the Map that a frame is in, as its ItemSelector sees it.
pub(super) fn item_of(frame: &Frame, index: u32) -> Option<Item> {
    work_of(frame)?.item(index)
}

/// How many items are in the batches before one.
fn items_before(frame: &Frame, batch: u32) -> u32 {
    let batches = frame.visit.batches().and_then(Value::as_array);
    let batches = batches.into_iter().flat_map(|batches| batches.iter());
    let counts = batches.take(batch as usize).map(|batch| {
        let items = batch.get("Items").and_then(Value::as_array);
        items.map_or(0, <[Value]>::len)
    });
    u32::try_from(counts.sum::<usize>()).unwrap_or(u32::MAX)
}
