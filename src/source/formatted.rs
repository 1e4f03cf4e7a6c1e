//! Reformats a definition that a tool wrote on one line, with one member per line.

use super::{Diagnostic, Diagnostics, Node, SourceFile, SourceId, SourceMap, Span, parse_json};
use crate::json::pretty;
use std::collections::HashMap;

/// Maximum length of a line that is readable without reformatting, in characters.
const LONG: usize = 120;

/// Reformats a tree into a new source text with the name `name`, if its original text is too dense to read. Also
/// returns the diagnostics with their places moved to the new text. `None` if the original text is readable.
#[must_use]
pub fn formatted(
    node: &Node,
    found: &[Diagnostic],
    sources: &mut SourceMap,
    name: &str,
) -> Option<(Node, Diagnostics)> {
    if !is_dense(node, sources) {
        return None;
    }
    let file = SourceFile::derived(name, &pretty(&node.to_value()));
    let id = SourceId(u16::try_from(sources.files().len()).ok()?);
    let (made, _) = parse_json(&file, id);
    let made = made?;
    let mut places = Vec::new();
    pairs(node, &made, &mut places);
    sources.add(file);
    // Ranges are either nested or disjoint, so the last one that begins before a place is the smallest that may contain
    // it.
    places.sort_by_key(|(old, _)| (old.source, old.start, std::cmp::Reverse(old.end)));
    let found = found.iter().map(|found| moved(found, &places)).collect();
    Some((made, found))
}

/// True if several states share a line that is long.
fn is_dense(node: &Node, sources: &SourceMap) -> bool {
    let Some(states) = node.get("States").and_then(Node::members) else {
        return false;
    };
    let mut lines: HashMap<(SourceId, usize), usize> = HashMap::new();
    for state in states {
        // Trees without text, which template functions can produce, have no place.
        let Some(place) = sources.place(state.key.span) else {
            return false;
        };
        *lines
            .entry((state.key.span.source, place.line))
            .or_default() += 1;
    }
    let is_long = |(source, line): &(SourceId, usize)| {
        let file = sources.get(*source);
        file.is_some_and(|file| file.line(*line).chars().count() > LONG)
    };
    let one = states.len() == 1
        && sources.place(node.span).map(|place| place.line)
            == states
                .first()
                .and_then(|state| sources.place(state.key.span))
                .map(|place| place.line);
    let shared = lines.len() * 2 <= states.len();
    (one || shared) && lines.keys().any(is_long)
}

/// Pairs the ranges of nodes and keys in one tree with the corresponding ranges in another tree of the same shape.
fn pairs(old: &Node, new: &Node, places: &mut Vec<(Span, Span)>) {
    places.push((old.span, new.span));
    let members = old.members().unwrap_or_default();
    for (at, after) in new.members().unwrap_or_default().iter().enumerate() {
        let name = &after.key.text;
        // Members are usually in the same order. Searching for each of them would be slow in a large object.
        let same = members.get(at).filter(|before| before.key.text == *name);
        if let Some(before) = same.or_else(|| old.member(name)) {
            places.push((before.key.span, after.key.span));
            pairs(&before.value, &after.value, places);
        }
    }
    let items = old.items().unwrap_or_default().iter();
    for (before, after) in items.zip(new.items().unwrap_or_default()) {
        pairs(before, after, places);
    }
}

/// Moves the ranges of a diagnostic to the other text. A range without a counterpart is kept.
fn moved(found: &Diagnostic, places: &[(Span, Span)]) -> Diagnostic {
    let place = |span: Span| {
        let begun =
            places.partition_point(|(old, _)| (old.source, old.start) <= (span.source, span.start));
        let mut before = places.get(..begun).unwrap_or_default().iter().rev();
        let smallest = before.find(|(old, _)| old.source == span.source && span.end <= old.end);
        smallest.map_or(span, |(_, new)| *new)
    };
    let mut found = found.clone();
    found.span = found.span.map(place);
    for span in found
        .related
        .iter_mut()
        .map(|(span, _)| span)
        .chain(&mut found.follows)
    {
        *span = place(*span);
    }
    found
}
