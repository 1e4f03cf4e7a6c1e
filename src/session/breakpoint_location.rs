//! Maps source lines to breakpoint locations, and breakpoint locations to spans.

use super::breakpoint::{Location, Part};
use crate::definition::field::{Effect, FieldSpec};
use crate::definition::{
    Definition, Make, Makes, Owner, QueryLanguage, Stage, State, StateId, StateKind,
};
use crate::source::{SourceId, Span};

/// The breakpoint location for a line (from 1) of a source, and its actual line: if nothing happens on the line
/// itself, the nearest earlier one of the same state. A column (in characters, from 1) selects one of several
/// locations on a line: the last one that begins at or before it.
#[must_use]
pub fn location_of_line(
    definition: &Definition,
    source: SourceId,
    line: usize,
    column: Option<usize>,
) -> Option<(Location, usize)> {
    let file = definition.sources.get(source)?;
    let range = file.line_range(line)?;
    let until = match column {
        None => range.end,
        Some(column) => {
            let before = file.line(line).chars().take(column.max(1));
            range.start + before.map(char::len_utf8).sum::<usize>()
        }
    };
    let at_column =
        column.and_then(|_| state_at(definition, source, until.saturating_sub(1)..until));
    let state = at_column.or_else(|| state_at(definition, source, range))?;
    let best = parts(state)
        .into_iter()
        // A value that is substituted from a template may be in another file than its state.
        .filter(|(_, span)| span.source == source)
        .map(|(part, span)| (part, span.start as usize))
        .filter(|(_, start)| *start < until || file.place(*start).line < line)
        .map(|(part, start)| (part, file.place(start).line, start))
        .filter(|(_, own, _)| *own <= line)
        // The last line is used; on it, the last field only if a column selects it.
        .max_by_key(|(_, own, start)| (*own, column.map(|_| *start)));
    let name_start = state.name_span.start as usize;
    let name_line = file.place(name_start).line;
    let is_meant = |own: usize, start: usize| match column {
        None => own > name_line || own == line && name_line != line,
        Some(_) => start > name_start,
    };
    Some(match best {
        Some((Some(part), own, start)) if is_meant(own, start) => {
            (Location::Part(state.path.clone(), part), own)
        }
        _ => (Location::State(state.path.clone()), name_line),
    })
}

/// The innermost state whose text overlaps a range of a source.
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

/// The stage that a field of a JSONPath state reads as `$`; `None` for other states, and for fields that read no
/// stage.
pub(super) fn stage_read(definition: &Definition, own: StateId, at: &Location) -> Option<Stage> {
    let Location::Part(path, part) = at else {
        return None;
    };
    let state = definition.state(own)?;
    if state.path != *path || state.language != QueryLanguage::JsonPath {
        return None;
    }
    let step = match part {
        Part::Field(name) => state.step_within(name)?,
        Part::Rule(index) => {
            let owner = Owner::Rule(*index);
            let mut steps = state.steps.iter();
            steps.find(|step| step.field.owner == owner && step.makes == Makes::Test)?
        }
        Part::Retrier(_) | Part::Catcher(_) | Part::Default => return None,
    };
    match step.make {
        // The path says where to write, so its value exists only afterwards.
        Make::Insert => step.stage(),
        Make::Literal => None,
        _ => step.reads(),
    }
}

/// The parts of a state at which something happens, with their locations.
fn parts(state: &State) -> Vec<(Option<Part>, Span)> {
    let mut parts: Vec<(Option<Part>, Span)> = Vec::new();
    for field in &state.fields {
        let spec = FieldSpec::of_state(&field.name);
        let part = match spec.map(|spec| spec.effect) {
            Some(Effect::Default) => Some(Part::Default),
            // An unknown field has no effect, but the user may set a breakpoint on its line.
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

/// State and span of a breakpoint; `None` if the breakpoint is not on a state, or the state no longer exists.
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

/// Span of a part of a state.
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
