//! For a missing value: finds the field that dropped it or did not pass it on, and its new position if the field moved
//! it.

use super::document::{present, value_at};
use super::history::{Moment, Past};
use super::{Holder, Hop, Site};
use crate::definition::{Owner, Source, StateId};
use crate::interpreter::Stage;
use crate::json::{Pointer, Step, Text, Value};
use crate::session::place::{Drop, Passed, Withheld};
use crate::session::values_read::collect;
use crate::source::Span;

/// Returns the place at the same position in the data that this stage replaced, such as the previous stage. If the
/// field of the stage had passed the value on unchanged, the value would come from there.
pub(super) fn identity(past: &Past<'_>, site: &Site, run: Moment<'_>) -> Option<Site> {
    let Holder::Stage(stage) = site.holder else {
        return None;
    };
    let frame = run.machine.frame(site.frame)?;
    let state = past.state(frame.visit.state)?;
    let step = state.step_by(stage, frame.visit.way())?;
    match (step.replaces().next()?, site.at.0.as_slice()) {
        (Source::Stage(before), _) => Some(site.held_by(Holder::Stage(present(frame, before)))),
        (Source::Item, [Step::Item(index), rest @ ..]) if frame.visit.selected().is_none() => {
            let item = site.held_by(Holder::Item(u32::try_from(*index).ok()?));
            Some(item.at(Pointer(rest.to_vec())))
        }
        (Source::Item, _) => Some(site.held_by(Holder::Item(frame.visit.selected()?))),
        _ => None,
    }
}

/// Describes how the value that is missing at a place was dropped, if an earlier place has the value.
pub(super) fn dropped(past: &Past<'_>, site: &Site, hop: &Hop, run: Moment<'_>) -> Option<Drop> {
    let mut before: Vec<Site> = identity(past, site, run).into_iter().collect();
    let state = run.machine.frame(site.frame)?.visit.state;
    if let Hop::Missing(loss) = hop {
        before.extend(loss.before.iter().cloned());
        if let Some(lineage) = past.timeline().lineage(site.frame)
            && loss.state != state
            && let Some(parent) = lineage.parent
        {
            before.push(Site {
                event: site.event,
                frame: parent,
                holder: Holder::Item(lineage.index),
                at: site.at.clone(),
            });
        }
    }
    let mut before = before.into_iter();
    let was = before.find(|before| value_at(before, run.machine).is_some())?;
    Some(drop_of(past, (site, was), hop, run, None))
}

/// Describes how the missing value was dropped. The value existed at the place `was`; `now` is its new position, if a
/// field moved it.
pub(super) fn drop_of(
    past: &Past<'_>,
    (site, was): (&Site, Site),
    hop: &Hop,
    run: Moment<'_>,
    now: Option<Pointer>,
) -> Drop {
    let by = leaving_out(past, site, hop, run);
    let (written, _) = text_of(past, by.state, &by.field);
    Drop {
        by,
        written,
        was,
        now,
    }
}

/// Maximum number of values to examine in the search for a moved value.
const LOOKED_AT: usize = 2_000;
/// Maximum number of values to check that equal the missing value. Any of them may be the moved value.
const EQUAL: usize = 8;

/// If the field moved the missing value: its new position in the field's output, and the value. If `below` is not
/// empty, looks only for what is at the position `below` inside the value.
pub(super) fn moved(
    past: &Past<'_>,
    site: &Site,
    was: &Site,
    below: &[Step],
    run: Moment<'_>,
) -> Option<(Pointer, Value)> {
    let was = was.at(super::joined(&was.at.0, below));
    let value = value_at(&was, run.machine)?;
    let whole = value_at(&site.at(Pointer::root()), run.machine)?;
    let mut equal = Vec::new();
    let mut left = LOOKED_AT;
    collect(&whole, &mut |at, candidate| {
        if *candidate == value {
            equal.push(at.clone());
        }
        left -= 1;
        left > 0 && equal.len() < EQUAL
    });
    let is_it = |at: &Pointer| {
        let Hop::Written(write) = past.hop(&site.at(at.clone()), Some(run)) else {
            return false;
        };
        matches!(write.reads.as_slice(), [read] if read.frame == was.frame && read.holder == was.holder && read.at == was.at)
    };
    equal.into_iter().find(is_it).map(|at| (at, value))
}

/// Describes the field that did not pass the missing member on: the object that the field read has the member, but the
/// result of the field does not.
pub(super) fn withheld(
    past: &Past<'_>,
    site: &Site,
    hop: &Hop,
    run: Moment<'_>,
) -> Option<Withheld> {
    let Hop::Missing(loss) = hop else {
        return None;
    };
    let was = loss.beside.clone()?;
    let items = match was.holder {
        Holder::Item(_) => {
            let items = run.machine.frame(was.frame)?.visit.items()?;
            let count = items.count();
            let with = (0..count).filter_map(|index| items.item(index));
            let with = with.filter(|item| was.at.get(&item.value).is_some());
            Some((with.count(), count as usize))
        }
        _ => None,
    };
    Some(Withheld {
        by: leaving_out(past, site, hop, run),
        was,
        items,
    })
}

/// The field whose output lacks the value that is missing at a place.
pub(super) fn leaving_out(past: &Past<'_>, site: &Site, hop: &Hop, run: Moment<'_>) -> Passed {
    let named = match hop {
        Hop::Written(write) => Some((write.state, write.field.clone())),
        Hop::Last(write, _) => Some((write.state, write.field.clone())),
        Hop::Missing(loss) => Some((loss.state, loss.field.clone())),
        _ => None,
    };
    let (state, field) = named.unwrap_or_else(|| {
        let state = run.machine.frame(site.frame).map(|frame| frame.visit.state);
        (state.unwrap_or(StateId(0)), replacing(past, site, run))
    });
    let to = site.on(match &site.holder {
        Holder::Stage(stage) => past.made(site, *stage),
        _ => site.event,
    });
    let (_, span) = text_of(past, state, &field);
    Passed {
        to,
        state,
        field,
        span,
    }
}

/// Name of the field (ResultPath or Output) because of which the result replaced the input. If the field is absent, its
/// default has this effect.
fn replacing(past: &Past<'_>, site: &Site, run: Moment<'_>) -> Text {
    let step = run.machine.frame(site.frame).and_then(|frame| {
        let state = past.state(frame.visit.state)?;
        let way = frame.visit.way();
        let merged = state.step(Stage::AfterResultPath);
        let merged = merged.filter(|_| way == Owner::State);
        merged.or(state.step_by(Stage::Output, way))
    });
    step.map_or("ResultPath".into(), |step| step.field.to_string().into())
}

/// Text and location of a field. If the field is absent, only the location of the catcher or state that could have it.
fn text_of(past: &Past<'_>, id: StateId, name: &str) -> (Option<Text>, Option<Span>) {
    let Some(state) = past.state(id) else {
        return (None, None);
    };
    let mut steps = state.steps.iter();
    let step = steps.find(|step| step.field.to_string() == name);
    let written = step.and_then(|step| step.written);
    let field = || state.field(name).map(|field| field.value);
    let Some(span) = written.or_else(field) else {
        let owner = step.map(|step| step.field.owner);
        let owner = owner.filter(|owner| *owner != Owner::State);
        let around = owner.and_then(|owner| owner.node(past.definition.node_of(state)?));
        // If ResultPath is absent, the value of ResultSelector replaces the input, so ResultSelector is shown.
        let made = state.field("ResultSelector");
        let made = made.filter(|_| name == "ResultPath");
        let span = made.map_or(state.name_span, |field| field.value);
        return (None, Some(around.map_or(span, |node| node.span)));
    };
    let text = past.node(span).map(|node| match node.as_str() {
        Some(text) => text.into(),
        None => crate::query::abridged(&node.to_value(), 60).into(),
    });
    (text, Some(span))
}
