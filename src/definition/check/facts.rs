//! Facts about states that several rules need. Each fact is computed when it is first needed.

use super::located::Located;
use crate::definition::{Definition, Source, Stage, State, StateId};
use crate::json::{Step, Text};
use crate::query::jsonata::{JsonataError, Tree, inner};
use crate::query::{Call, Expression, Path, Root};
use crate::source::Span;
use std::cell::OnceCell;
use std::ops::Range;

/// The facts of every state of a definition.
pub(super) struct Facts<'d>(Vec<StateFacts<'d>>);

/// The facts of one state.
#[derive(Default)]
pub(super) struct StateFacts<'d> {
    pub(super) evaluated: OnceCell<Vec<Evaluated<'d>>>,
    pub(super) expressions: OnceCell<Vec<Found<'d>>>,
    pub(super) reads: OnceCell<Vec<Read<'d>>>,
    next: OnceCell<Vec<StateId>>,
}

impl<'d> Facts<'d> {
    pub(super) fn of(definition: &Definition) -> Self {
        Self(
            definition
                .state_ids()
                .map(|_| StateFacts::default())
                .collect(),
        )
    }

    /// The possible successors of a state.
    pub(super) fn next(&self, definition: &Definition, id: StateId) -> &[StateId] {
        let Some(facts) = self.get(id) else {
            return &[];
        };
        facts.next.get_or_init(|| {
            let state = definition.state(id);
            let targets = state.into_iter().flat_map(State::targets);
            targets.filter_map(|target| target.state).collect()
        })
    }

    pub(super) fn get(&self, id: StateId) -> Option<&StateFacts<'d>> {
        self.0.get(id.0 as usize)
    }
}

/// A string that is evaluated.
pub(super) struct Evaluated<'d> {
    /// The field of the state that contains the string, at any depth.
    pub(super) field: &'d str,
    pub(super) place: Located<'d>,
    pub(super) expression: Expression,
}

impl Evaluated<'_> {
    /// The paths, each with its place. If the whole string is a path, its place is that of the string.
    pub(super) fn paths(&self) -> Vec<(Span, &Path)> {
        let node = self.place.node;
        match &self.expression {
            Expression::Path(path) => vec![(node.span, path)],
            Expression::Intrinsic(intrinsic) => {
                let paths = intrinsic.located_paths().into_iter();
                paths
                    .map(|(range, path)| (node.inner_span(range), path))
                    .collect()
            }
        }
    }

    /// The calls in the expression, including nested ones.
    pub(super) fn calls(&self) -> Vec<Call<'_>> {
        match &self.expression {
            Expression::Path(_) => Vec::new(),
            Expression::Intrinsic(intrinsic) => intrinsic.calls(),
        }
    }

    /// The name under which the value is stored.
    pub(super) fn name(&self) -> &str {
        let written = self.place.name();
        written.strip_suffix(".$").unwrap_or(written)
    }
}

/// An expression with its place.
pub(super) struct Found<'d> {
    pub(super) place: Located<'d>,
    pub(super) tree: Result<Tree, JsonataError>,
    /// Members of `$states` that are available here besides `input` and `context`.
    pub(super) also: &'static [&'static str],
}

impl Found<'_> {
    /// Span and text of a byte range of the expression.
    pub(super) fn part(&self, range: &Range<usize>) -> (Span, &str) {
        let text = self.place.text().unwrap_or_default();
        let rest = text.strip_prefix("{%").unwrap_or(text);
        let before = text.len() - rest.trim_start().len();
        let whole = inner(text).map_or(0, str::len);
        if range.is_empty() || range.end > whole {
            return self.place.value();
        }
        let span = self
            .place
            .node
            .inner_span(before + range.start..before + range.end);
        (span, &self.place.location)
    }
}

/// The document that a read refers to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Document {
    Made(Source),
    Context,
    Variable,
}

/// A read of a place in a document.
pub(super) struct Read<'d> {
    pub(super) document: Document,
    /// The names that InputPath selects first, if the read starts from the result of InputPath.
    pub(super) selected: Vec<Text>,
    /// The names at the beginning of the path.
    pub(super) names: Vec<Text>,
    /// The names and indexes at the beginning of the path, below its root.
    pub(super) steps: Vec<Step>,
    /// The root of the path: `$`, `$states.input`, `$name`.
    pub(super) root: String,
    /// The path as written.
    pub(super) path: String,
    pub(super) place: Located<'d>,
    /// Span of the path; in JSONata, of the whole expression.
    pub(super) span: Span,
    /// True if the path is in JSONPath and selects a single value.
    pub(super) is_definite: bool,
    /// True if the read only tests whether the value exists.
    pub(super) asks: bool,
    /// True if the read is part of an ItemSelector.
    pub(super) of_item: bool,
    /// True if the read is in a JSONata expression.
    pub(super) in_jsonata: bool,
}

impl Read<'_> {
    /// True if this reads the input of the state.
    pub(super) fn is_of_input(&self) -> bool {
        matches!(self.document, Document::Made(Source::Stage(stage)) if stage <= Stage::AfterInputPath)
    }

    /// True if this is a definite JSONPath that reads the state's raw input, and not an item of a Map.
    pub(super) fn is_of_raw_input(&self) -> bool {
        let is_whole = self.selected.is_empty() && !self.of_item;
        self.is_of_input() && self.is_definite && is_whole
    }

    /// The member of the raw input that this read needs, if it is in JSONPath.
    pub(super) fn needs(&self) -> Option<&Text> {
        self.names.first().filter(|_| self.is_of_raw_input())
    }

    /// The variable that is read, if any.
    pub(super) fn variable(&self) -> Option<Root> {
        let name = self.root.strip_prefix('$')?;
        (self.document == Document::Variable).then(|| Root::Variable(name.into()))
    }

    /// The first `steps` names, preceded by those that InputPath selects, so that they are relative to the state's raw
    /// input.
    pub(super) fn in_input(&self, steps: usize) -> Vec<Text> {
        let own = self.names.iter().take(steps);
        self.selected.iter().chain(own).cloned().collect()
    }
}
