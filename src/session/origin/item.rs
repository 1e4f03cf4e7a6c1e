//! Steps of the search for an origin that go back from the input of a branch or item to the data of the Parallel or Map
//! that started it.

use super::document::{Documents, present};
use super::expression::FieldAt;
use super::history::{Moment, Past};
use super::stage::At;
use super::{Gathered, Holder, Hop, Root, Site};
use crate::definition::{StageStep, StateId, StateKind};
use crate::interpreter::{EventKind, Frame, GroupWork, Stage};
use crate::json::{Pointer, Step, Value};

impl Past<'_> {
    /// One step back in the search for an origin: goes from the input of a branch or item to the data that it was made
    /// from. `event` is the event that started the branch or item.
    pub(super) fn start_hop(&self, site: &Site, event: u64, run: Option<Moment<'_>>) -> Hop {
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
            return Hop::To(site.on(event));
        }
        let Some(run) = run else {
            return Hop::Need(event);
        };
        let Some(frame) = run.machine.frame(parent) else {
            return Hop::Root(Root::Unknown);
        };
        match &map.batcher {
            Some(_) => self.batch_hop(site, &site.at.0, (frame, id), lineage.index),
            None => self.selector_hop(site, (frame, id), lineage.index, &site.at.0),
        }
    }

    /// One step back: goes from a position in an item's input to the output of ItemSelector, or, without an
    /// ItemSelector, to the item. `rest` is the position within the output or the item.
    fn selector_hop(
        &self,
        site: &Site,
        (frame, id): (&Frame, StateId),
        index: u32,
        rest: &[Step],
    ) -> Hop {
        let step = self
            .state(id)
            .and_then(|state| state.step(Stage::AfterItemSelector));
        let stage = Stage::AfterItemSelector;
        let made = self.backwards(frame.id, site.event).find(|(_, event)| {
            event.kind == EventKind::Stage(stage) && [index, u32::MAX].contains(&event.arg)
        });
        match (step, made) {
            (Some(_), Some((event, made))) => {
                let item = (made.arg == u32::MAX).then_some(Step::Item(index as usize));
                let head: Vec<Step> = item.into_iter().collect();
                Hop::To(Site::stage(
                    event,
                    frame.id,
                    stage,
                    super::joined(&head, rest),
                ))
            }
            _ => Hop::To(Site {
                event: site.event,
                frame: frame.id,
                holder: Holder::Item(index),
                at: Pointer(rest.to_vec()),
            }),
        }
    }

    /// One step back in the search for an origin: goes from a stage in which a Map produces the inputs of its items
    /// (ItemReader, ItemSelector or ItemBatcher) to the values that the stage read.
    pub(super) fn item_stage_hop(&self, at: &At<'_>, step: &StageStep) -> Hop {
        let selected = at.frame.visit.selected();
        let stage = step.stage().unwrap_or(Stage::Input);
        match (stage, at.site.at.0.as_slice()) {
            (Stage::AfterItemReader | Stage::AfterBatchInput, rest) => {
                let made = self.of_item(at, step, None, rest);
                made.unwrap_or_else(|| FieldAt::by(self, at.id, step).missing(Vec::new(), None))
            }
            (Stage::AfterItemSelector, rest) if selected.is_some() => {
                self.selected(at, step, selected.unwrap_or_default(), rest)
            }
            (Stage::AfterItemSelector, [Step::Item(index), rest @ ..]) => {
                self.selected(at, step, place(*index), rest)
            }
            (Stage::AfterItemBatcher, [Step::Item(index), rest @ ..]) => {
                self.batch_hop(&at.to, rest, (at.frame, at.id), place(*index))
            }
            _ => {
                let made = at.frame.visit.data.get(stage);
                let count = made.and_then(Value::as_array).map_or(0, <[Value]>::len);
                let first = at.to.at(Pointer(vec![Step::Item(0)]));
                let example = (count > 0).then_some(Gathered {
                    index: 0,
                    site: first,
                    odd: None,
                });
                Hop::Root(Root::Children {
                    to: at.to.clone(),
                    state: at.id,
                    count,
                    one: example.map(Box::new),
                })
            }
        }
    }

    /// One step back: goes from the output of ItemSelector for the item with this index to the values that ItemSelector
    /// read.
    fn selected(&self, at: &At<'_>, step: &StageStep, index: u32, rest: &[Step]) -> Hop {
        let item = at
            .site
            .held_by(Holder::Item(index))
            .at(Pointer(rest.to_vec()));
        self.of_item(at, step, Some(index), rest)
            .unwrap_or(Hop::To(item))
    }

    /// One step back: goes from the value of a Map's field to the values that the field read. `index` is the
    /// `Map.Item.Index` of the context object, or `None` outside of an item.
    fn of_item(
        &self,
        at: &At<'_>,
        step: &StageStep,
        index: Option<u32>,
        rest: &[Step],
    ) -> Option<Hop> {
        let mut documents = Documents::of_step(self, at.run, at.frame, at.site, step);
        documents.made = at.to.event;
        documents.item = index.and_then(|index| at.frame.visit.items()?.item(index));
        let field = FieldAt::by(self, at.id, step);
        let compiled = at.state.compiled(step.field)?;
        field.evaluated(self, at.to.clone(), (compiled, rest), &documents)
    }

    /// One step back: goes from the position `rest` in a batch of items to the item or the BatchInput that is there, or
    /// to ItemBatcher if the position is not inside one of them.
    fn batch_hop(
        &self,
        site: &Site,
        rest: &[Step],
        (frame, id): (&Frame, StateId),
        index: u32,
    ) -> Hop {
        let stage = |stage: Stage, at: &[Step]| {
            let at = Pointer(at.to_vec());
            Site::stage(site.event, frame.id, present(frame, stage), at)
        };
        match rest {
            [Step::Member(name), rest @ ..] if &**name == "BatchInput" => {
                Hop::To(stage(Stage::AfterBatchInput, rest))
            }
            [Step::Member(name), Step::Item(item), rest @ ..] if &**name == "Items" => {
                let before = items_before(frame, index);
                self.selector_hop(site, (frame, id), before.saturating_add(place(*item)), rest)
            }
            _ => {
                let items = stage(Stage::AfterItemsPath, &[]);
                FieldAt::of(self, id, "ItemBatcher").made(site.clone(), items)
            }
        }
    }

    /// One step back in the search for an origin: goes from an item of a Map to its position in the array or object of
    /// items.
    pub(super) fn item_hop(&self, site: &Site, index: u32, frame: &Frame) -> Hop {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let items = site.held_by(Holder::Stage(present(frame, Stage::AfterItemsPath)));
        match frame.visit.items() {
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

fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Number of items in the batches before the batch with this index.
fn items_before(frame: &Frame, batch: u32) -> u32 {
    let batches = frame.visit.batches().and_then(Value::as_array);
    let batches = batches.into_iter().flat_map(|batches| batches.iter());
    let counts = batches.take(batch as usize).map(|batch| {
        let items = batch.get("Items").and_then(Value::as_array);
        items.map_or(0, <[Value]>::len)
    });
    u32::try_from(counts.sum::<usize>()).unwrap_or(u32::MAX)
}
