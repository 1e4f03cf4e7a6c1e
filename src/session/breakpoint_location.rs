//! Which breakpoint a line of the source means, and where a breakpoint stands in the text.
//!
//! It must not know what stops.

use super::breakpoint::{Location, Part};
use crate::definition::field::{Effect, FieldSpec};
use crate::definition::{Definition, State, StateId, StateKind};
use crate::source::{SourceId, Span};

/// The breakpoint that a line (from 1) of a source means, and the line it stands on: the nearest earlier one of the
/// same state where the line itself has nothing that happens.
#[must_use]
pub fn location_of_line(
    definition: &Definition,
    source: SourceId,
    line: usize,
) -> Option<(Location, usize)> {
    let file = definition.sources.get(source)?;
    let range = file.line_range(line)?;
    let state = state_at(definition, source, range)?;
    let best = parts(state)
        .into_iter()
        // A value of a template may stand in another file than the state that it is put into.
        .filter(|(_, span)| span.source == source)
        .map(|(part, span)| (part, file.place(span.start as usize).line))
        .filter(|(_, own)| *own <= line)
        .max_by_key(|(_, own)| *own);
    let name_line = file.place(state.name_span.start as usize).line;
    Some(match best {
        Some((Some(part), own)) if own > name_line || own == line && name_line != line => {
            (Location::Part(state.path.clone(), part), own)
        }
        _ => (Location::State(state.path.clone()), name_line),
    })
}

/// The innermost state whose text touches a range of a source.
fn state_at(
    definition: &Definition,
    source: SourceId,
    range: std::ops::Range<usize>,
) -> Option<&State> {
    let touches = |state: &&State| {
        let (from, to) = (state.name_span.start as usize, state.span.end as usize);
        state.span.source == source && from < range.end && range.start < to
    };
    definition
        .states
        .iter()
        .filter(touches)
        .min_by_key(|state| state.span.end - state.span.start)
}

/// The parts of a state at which something happens, with where they stand.
fn parts(state: &State) -> Vec<(Option<Part>, Span)> {
    let mut parts: Vec<(Option<Part>, Span)> = Vec::new();
    for field in &state.fields {
        let spec = FieldSpec::of_state(&field.name);
        let part = match spec.map(|spec| spec.effect) {
            Some(Effect::Default) => Some(Part::Default),
            // What is no field of the language does nothing either, but a person may mean it.
            Some(Effect::Nothing) => None,
            _ => Some(Part::Field(field.name.clone())),
        };
        parts.push((part, field.key));
    }
    parts.extend(
        (0_u32..)
            .zip(&state.retry)
            .map(|(index, one)| (Some(Part::Retrier(index)), one.span)),
    );
    parts.extend(
        (0_u32..)
            .zip(&state.catch)
            .map(|(index, one)| (Some(Part::Catcher(index)), one.span)),
    );
    if let StateKind::Choice(choice) = &state.kind {
        parts.extend(
            (0_u32..)
                .zip(&choice.rules)
                .map(|(index, rule)| (Some(Part::Rule(index)), rule.span)),
        );
    }
    parts
}

/// Where a breakpoint stands: its state and span; `None` where it stands on no state, or the state is gone.
#[must_use]
pub fn span_of(definition: &Definition, at: &Location) -> Option<(StateId, Span)> {
    let path = match at {
        Location::State(path) | Location::Part(path, _) | Location::Item(path, _) => path,
        Location::Error(..) | Location::Data(_) => return None,
    };
    let id = definition.find(path)?;
    let state = definition.state(id)?;
    let span = match at {
        Location::Part(_, part) => part_span(state, part).unwrap_or(state.name_span),
        _ => state.name_span,
    };
    Some((id, span))
}

/// Where a part of a state stands.
#[must_use]
pub fn part_span(state: &State, part: &Part) -> Option<Span> {
    match part {
        Part::Field(name) => state.field(name).map(|field| field.key),
        Part::Default => state.field_with(Effect::Default).map(|field| field.key),
        Part::Retrier(index) => state.retry.get(*index as usize).map(|one| one.span),
        Part::Catcher(index) => state.catch.get(*index as usize).map(|one| one.span),
        Part::Rule(index) => match &state.kind {
            StateKind::Choice(choice) => choice.rules.get(*index as usize).map(|rule| rule.span),
            _ => None,
        },
    }
}
