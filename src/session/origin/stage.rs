//! Steps of the search for an origin that go back from a stage of a state to the earlier stage or the answer that the
//! stage was produced from.

use super::document::{Documents, present, value_at};
use super::expression::FieldAt;
use super::history::{Moment, Past};
use super::step_back::{are_related, touches};
use super::{Gathered, Holder, Hop, Note, Root, Site, Write};
use crate::definition::{
    Compiled, Make, PathField, ResultPath, Source, StageGroup, State, StateId, StateKind,
};
use crate::interpreter::{EventKind, Frame, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::abridged;
use crate::session::place::odd;

/// A place in a stage of a state, with the run and the state, as the start of one step back.
pub(super) struct At<'a> {
    pub site: &'a Site,
    /// The same place, directly after the event that produced its value.
    pub to: Site,
    pub run: Moment<'a>,
    pub frame: &'a Frame,
    pub id: StateId,
    pub state: &'a State,
}

impl At<'_> {
    fn back(&self, stage: Stage) -> Site {
        let stage = present(self.frame, stage);
        self.site.held_by(Holder::Stage(stage))
    }

    /// The same position in another part of the frame's data: in an earlier stage or in the error.
    fn source(&self, source: Source) -> Site {
        match source {
            Source::Error => self.site.held_by(Holder::Error),
            Source::Stage(stage) => self.back(stage),
            Source::Item | Source::Answer | Source::Variable => self.back(Stage::Input),
        }
    }
}

impl Past<'_> {
    pub(super) fn stage_hop(
        &self,
        site: &Site,
        stage: Stage,
        run: Moment<'_>,
        frame: &Frame,
    ) -> Hop {
        let id = frame.visit.state;
        let Some(state) = self.state(id) else {
            return Hop::Root(Root::Unknown);
        };
        let held = present(frame, stage);
        let site = &site.held_by(Holder::Stage(held));
        if held == Stage::Input {
            return Hop::To(site.clone());
        }
        let to = site.on(self.made(site, held));
        if self.is_edited(site.frame, 0, site.event) {
            let visit = self.visit(site.frame, site.event);
            let from = visit.map_or(0, |visit| visit.attempt);
            if touches(self.edits(site.frame, from, site.event), held, &site.at) {
                return Hop::Root(Root::Edit(to));
            }
        }
        let at = At {
            site,
            to,
            run,
            frame,
            id,
            state,
        };
        match held {
            Stage::Result => self.result(&at),
            _ => self.made_stage(&at, held),
        }
    }

    fn made_stage(&self, at: &At<'_>, stage: Stage) -> Hop {
        let Some(step) = at.state.step_by(stage, at.frame.visit.way()) else {
            return Hop::Root(Root::Unknown);
        };
        if step.make == Make::Read {
            return self.read(at);
        }
        if stage.group() == StageGroup::Item || stage == Stage::AfterItemReader {
            return self.item_stage_hop(at, step);
        }
        let otherwise = || {
            let source = step.otherwise.map(|source| at.source(source));
            source.map_or(Hop::Root(Root::Unknown), Hop::To)
        };
        let Some(compiled) = at.state.compiled(step.field) else {
            return otherwise();
        };
        let field = FieldAt::by(self, at.id, step);
        match compiled {
            Compiled::Insert(path) => merged(at, path, &field, at.source(step.dollar)),
            Compiled::Select(PathField::Null) => match at.site.at.0.is_empty() {
                true => field.literal(self, at.to.clone(), &Pointer::root()),
                false => field.missing(vec![at.source(step.dollar)], None),
            },
            _ => {
                let mut documents = Documents::of_step(self, at.run, at.frame, at.site, step);
                documents.made = at.to.event;
                let made = (compiled, &*at.site.at.0);
                let made = field.evaluated(self, at.to.clone(), made, &documents);
                made.unwrap_or_else(otherwise)
            }
        }
    }

    /// One step back in the search for an origin: goes from the result of a state to the answer of a Task, or to the
    /// outputs of branches or items.
    fn result(&self, at: &At<'_>) -> Hop {
        match &at.state.kind {
            StateKind::Pass { .. } => self.made_stage(at, Stage::Result),
            StateKind::Task(_) => self.read(at),
            StateKind::Map(map)
                if map
                    .writer
                    .as_ref()
                    .is_some_and(|writer| writer.resource.is_some()) =>
            {
                self.read(at)
            }
            StateKind::Map(map) if map.writer.is_some() => self.gathered(at),
            StateKind::Map(_) if self.had_no_items(at) => self.no_items(at),
            StateKind::Map(_) | StateKind::Parallel { .. } => match at.site.at.0.split_first() {
                Some((Step::Item(index), rest)) => self.child_hop(at, *index, rest),
                _ => self.gathered(at),
            },
            _ => Hop::Root(Root::Unknown),
        }
    }

    /// True if the result of a Map is an empty array, because the Map had no items.
    fn had_no_items(&self, at: &At<'_>) -> bool {
        let result = at.frame.visit.data.get(Stage::Result);
        result
            .and_then(Value::as_array)
            .is_some_and(<[Value]>::is_empty)
    }

    /// One step back: goes from the empty result of a Map to the field that provided no items.
    fn no_items(&self, at: &At<'_>) -> Hop {
        let items = at.back(Stage::AfterItemsPath).at(Pointer::root());
        let made = self.stage_hop(&items, Stage::AfterItemsPath, at.run, at.frame);
        let noted = |mut write: Box<Write>| {
            write.to = at.to.clone();
            write.note = Some(Note::NoItems);
            write
        };
        let written = |reads: Site| {
            let name = match at.state.field("ItemReader") {
                Some(_) => "ItemReader",
                None => "ItemsPath",
            };
            let mut field = FieldAt::of(self, at.id, name);
            field.span = field.span.or(Some(at.state.name_span));
            Box::new(Write {
                reads: vec![reads],
                ..field.write(at.to.clone())
            })
        };
        match made {
            Hop::Written(write) => Hop::Written(noted(write)),
            Hop::Last(write, root) => Hop::Last(noted(write), root),
            Hop::Look(..) => made,
            Hop::To(site) => Hop::Written(noted(written(site))),
            _ => Hop::Written(noted(written(items))),
        }
    }

    fn gathered(&self, at: &At<'_>) -> Hop {
        let results = at.frame.visit.data.get(Stage::Result);
        let results = results.and_then(Value::as_array).unwrap_or_default();
        let is_failed = |index: &usize| {
            let child = self.child(at.site.frame, number(*index), at.to.event);
            child.is_some_and(|(_, ended)| self.has_failed(ended))
        };
        let failed = (0..results.len().min(FAILED)).find(is_failed);
        let odd = odd(&results.iter().collect::<Vec<_>>()).filter(|_| failed.is_none());
        let index = failed.or(odd.map(|odd| odd.index)).unwrap_or(0);
        let example = self.child_site(at, index, &[]).map(|site| Gathered {
            index: number(index),
            site,
            odd: odd.map(|odd| odd.what),
        });
        Hop::Root(Root::Children {
            to: at.to.clone(),
            state: at.id,
            count: results.len(),
            one: example.map(Box::new),
        })
    }

    /// Ends the search: the value comes from the answer to the state's request.
    fn read(&self, at: &At<'_>) -> Hop {
        let key = at.run.machine.key(at.frame);
        Hop::Root(Root::Answer(self.answered(
            at.to.clone(),
            at.id,
            (at.frame, &key),
        )))
    }

    /// One step back: goes from an item of the result to the branch or item that produced it. `rest` is the position
    /// inside the item of the result.
    fn child_hop(&self, at: &At<'_>, index: usize, rest: &[Step]) -> Hop {
        let site = self.child_site(at, index, rest);
        site.map_or_else(|| self.gathered(at), Hop::To)
    }

    /// True if the branch or item that ended with this event failed.
    fn has_failed(&self, ended: u64) -> bool {
        self.timeline()
            .get(ended)
            .is_some_and(|event| event.kind.fails_frame())
    }

    /// The place in the output (or in the error, if it failed) of the branch or item that produced the result with this
    /// index.
    fn child_site(&self, at: &At<'_>, index: usize, rest: &[Step]) -> Option<Site> {
        let (child, ended) = self.child(at.site.frame, number(index), at.to.event)?;
        let at = Pointer(rest.to_vec());
        if self.has_failed(ended) {
            return Some(self.uncaught(child, ended).at(at));
        }
        let last = (self.timeline()).last_of(child, ended, EventKind::StateExited);
        Some(Site::stage(last.unwrap_or(ended), child, Stage::Output, at))
    }
}

/// Maximum number of branches or items to check for a failure.
const FAILED: usize = 1_000;

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// One step back in the search for an origin, from the stage after ResultPath: goes to the result if ResultPath
/// inserted the value at the position, otherwise to the raw input.
fn merged(at: &At<'_>, path: &ResultPath, field: &FieldAt, result: Site) -> Hop {
    let input = at.site.held_by(Holder::Stage(Stage::Input));
    match path {
        ResultPath::Replace => Hop::To(result),
        ResultPath::Discard => Hop::To(input),
        ResultPath::Insert(path) => {
            let place = &at.site.at.0;
            match place.strip_prefix(path.steps()) {
                Some(rest) => {
                    let from = result.at(Pointer(rest.to_vec()));
                    let mut hop = field.copied(at.to.clone(), path.text(), vec![from]);
                    if let Hop::Written(write) = &mut hop {
                        write.note = replaced(at, &input);
                    }
                    hop
                }
                None if are_related(place, path.steps()) => {
                    // ResultPath inserted the result inside the value at this position. The rest of the value comes
                    // from the raw input, if the raw input has a value there.
                    let held = at.frame.visit.data.get(Stage::Input);
                    let was = held.is_some_and(|held| input.at.get(held).is_some());
                    let put = result.at(Pointer::root());
                    let reads = match was {
                        true => vec![input, put],
                        false => vec![put],
                    };
                    field.copied(at.to.clone(), path.text(), reads)
                }
                None => Hop::To(input),
            }
        }
    }
}

/// A note that a ResultPath replaced an existing value at this position. On later visits of the state there is no note,
/// because the state then replaces its own earlier result.
fn replaced(at: &At<'_>, input: &Site) -> Option<Note> {
    let machine = at.run.machine;
    let old = value_at(input, machine)?;
    let is_first = machine.visit_number(at.frame) <= 1;
    let is_other = value_at(at.site, machine).is_some_and(|new| new != old);
    (is_first && is_other).then(|| Note::Replaces(abridged(&old, REPLACED).into()))
}

/// Maximum size in bytes of a replaced value that a note quotes.
const REPLACED: usize = 40;
