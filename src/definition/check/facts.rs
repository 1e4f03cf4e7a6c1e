//! Scopes and states of the definition with their objects, and facts about states that several rules need: the strings
//! that a state evaluates and the values that it reads. Each fact is computed when a rule first needs it.

use super::located::Located;
use super::shape::names;
use crate::definition::field::{self, FieldSpec, STATE_TYPES};
use crate::definition::lower::opening;
use crate::definition::scope::tested_for_presence;
use crate::definition::{
    Comparator, Definition, PathField, QueryLanguage, Scope, Source, Stage, State, StateId,
    StateKind,
};
use crate::json::{Step, Text};
use crate::query::jsonata::{JsonataError, Tree, inner};
use crate::query::{Call, Expression, Path, Root};
use crate::source::{Node, Span};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// A scope (a list of states) with the object of the definition that it was parsed from.
#[derive(Clone, Copy)]
pub(super) struct ScopeAt<'d> {
    pub(super) scope: &'d Scope,
    pub(super) node: &'d Node,
}

/// A state, with the object of the definition that it was parsed from.
#[derive(Clone, Copy)]
pub(super) struct StateAt<'d> {
    pub(super) id: StateId,
    pub(super) state: &'d State,
    pub(super) node: &'d Node,
    pub(super) facts: &'d StateFacts<'d>,
}

impl<'d> StateAt<'d> {
    /// The value of the state's field `Type`; `None` if it is not a valid type.
    pub(super) fn kind(&self) -> Option<&'d str> {
        let name = self.node.get("Type")?.as_str()?;
        STATE_TYPES.contains(&name).then_some(name)
    }

    pub(super) fn at(&self, field: &str) -> String {
        [&*self.state.location, "/", field].concat()
    }

    pub(super) fn get(&self, field: &str) -> Option<&'d Node> {
        self.node.get(field)
    }

    /// The object of the state.
    pub(super) fn object(&self) -> Located<'d> {
        Located::root(self.node, &self.state.location)
    }

    /// The value of the state's field `name`, with its location.
    pub(super) fn field(&self, name: &str) -> Option<Located<'d>> {
        let member = self.node.member(name)?;
        Some(Located::of(member, &self.state.location))
    }

    /// The items of the state's field `name` if the value is an array, such as `Retry`.
    pub(super) fn entries(&self, name: &str) -> Vec<Located<'d>> {
        self.field(name).map_or(Vec::new(), |field| field.items())
    }

    /// Span of the state's name, and the location of the state.
    pub(super) fn name(&self) -> (Span, &'d str) {
        (self.state.name_span, &self.state.location)
    }

    /// Span of the beginning of the state's object, and the location of the state.
    pub(super) fn start(&self) -> (Span, &'d str) {
        (opening(self.node), &self.state.location)
    }

    /// Name of the field with the arguments of a Task's call: `Parameters` or `Arguments`.
    pub(super) fn arguments(&self) -> &'static str {
        match self.is_jsonata() {
            true => "Arguments",
            false => "Parameters",
        }
    }

    pub(super) fn is_jsonata(&self) -> bool {
        self.state.language == QueryLanguage::Jsonata
    }
}

/// Facts about each state of a definition, such as the values that the state reads, for the rules of `check`.
pub(super) struct Facts<'d>(Vec<StateFacts<'d>>);

/// Facts about one state, for the rules of `check`. Each list is computed when a rule first reads it.
#[derive(Default)]
pub(super) struct StateFacts<'d> {
    pub(super) evaluated: OnceCell<Vec<Evaluated<'d>>>,
    pub(super) expressions: OnceCell<Vec<Found<'d>>>,
    pub(super) reads: OnceCell<Vec<Read<'d>>>,
}

impl<'d> Facts<'d> {
    pub(super) fn of(definition: &Definition) -> Self {
        let facts = definition.state_ids().map(|_| StateFacts::default());
        Self(facts.collect())
    }

    pub(super) fn get(&self, id: StateId) -> Option<&StateFacts<'d>> {
        self.0.get(id.0 as usize)
    }
}

/// A string that is evaluated.
pub(super) struct Evaluated<'d> {
    /// The field of the state that contains the string at any depth.
    pub(super) field: &'d str,
    pub(super) place: Located<'d>,
    pub(super) expression: Expression,
    /// The document that `$` refers to in this string.
    document: Source,
}

impl Evaluated<'_> {
    /// Span of a byte range of the text. If the whole text is a path, the span of the whole string.
    pub(super) fn span_of(&self, range: Range<usize>) -> Span {
        match &self.expression {
            Expression::Path(_) => self.place.node.span,
            Expression::Intrinsic(_) => self.place.node.inner_span(range),
        }
    }

    /// The calls in the expression, including nested ones.
    pub(super) fn calls(&self) -> Vec<Call<'_>> {
        match &self.expression {
            Expression::Path(_) => Vec::new(),
            Expression::Intrinsic(intrinsic) => intrinsic.calls(),
        }
    }

    /// The name of the object member whose value is this string, without the ending `.$`.
    pub(super) fn name(&self) -> &str {
        let written = self.place.name();
        written.strip_suffix(".$").unwrap_or(written)
    }
}

/// A use of the value at a path in a JSONPath state: the path, and the user of the value.
pub(super) struct Used<'d> {
    pub(super) path: &'d Path,
    pub(super) by: User<'d>,
    /// The document that `$` refers to in the path.
    pub(super) document: Source,
    span: Span,
    location: Cow<'d, str>,
}

/// The comparator, field or call that uses the value at a path.
pub(super) enum User<'d> {
    Comparator(Comparator),
    /// The field whose text is the path.
    Field(&'d Evaluated<'d>),
    /// The call that has the path as an argument: the string with the call, the call, and the index of the argument.
    Argument(&'d Evaluated<'d>, Rc<Call<'d>>, usize),
}

impl Used<'_> {
    pub(super) fn place(&self) -> (Span, &str) {
        (self.span, &self.location)
    }
}

/// The uses of paths in a state.
pub(super) fn uses(at: StateAt<'_>) -> Vec<Used<'_>> {
    let mut uses = Vec::new();
    if let StateKind::Choice(choice) = &at.state.kind {
        for comparison in choice.rules.iter().flat_map(|rule| rule.test.comparisons()) {
            uses.extend(comparison.paths().map(|path| Used {
                path,
                by: User::Comparator(comparison.comparator),
                document: Source::Stage(Stage::AfterInputPath),
                span: comparison.span.opening(),
                location: at.at("Choices").into(),
            }));
        }
    }
    for comparison in at.evaluated() {
        let document = comparison.document;
        let mut add = |path, by, span| {
            uses.push(Used {
                path,
                by,
                document,
                span,
                location: comparison.place.location.as_str().into(),
            });
        };
        if let Expression::Path(path) = &comparison.expression {
            add(path, User::Field(comparison), comparison.place.node.span);
        }
        for call in comparison.calls().into_iter().map(Rc::new) {
            for (index, argument) in call.arguments.iter().enumerate() {
                if let Some(path) = argument.path {
                    let span = comparison.place.node.inner_span(argument.range.clone());
                    add(
                        path,
                        User::Argument(comparison, Rc::clone(&call), index),
                        span,
                    );
                }
            }
        }
    }
    uses
}

/// A JSONata expression, with its location in the definition.
pub(super) struct Found<'d> {
    pub(super) place: Located<'d>,
    pub(super) tree: Result<Tree, JsonataError>,
    /// Members of `$states` that this expression may read besides `input` and `context`.
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

/// The document, variable or context object from which a value is read.
#[derive(Clone, PartialEq)]
pub(super) enum Document {
    Made(Source),
    Context,
    Variable(Text),
}

/// A path in a state, by which the state reads a value from a document.
pub(super) struct Read<'d> {
    pub(super) document: Document,
    /// The names in InputPath, if the path starts from the value that InputPath selects. Otherwise empty.
    pub(super) selected: Vec<Text>,
    /// The member names at the beginning of the path, up to the first step of another kind.
    pub(super) names: Vec<Text>,
    /// The names and indexes at the beginning of the path, below its root.
    pub(super) steps: Vec<Step>,
    /// The root of the path: `$`, `$states.input`, `$name`.
    pub(super) root: String,
    /// The path as written.
    pub(super) path: String,
    pub(super) place: &'d Located<'d>,
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
    /// True if the state reads a document that it created itself, such as its result.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.document, Document::Made(_)) && !self.is_of_input()
    }

    /// True if the state reads its input, before or after InputPath.
    pub(super) fn is_of_input(&self) -> bool {
        matches!(self.document, Document::Made(Source::Stage(stage)) if stage <= Stage::AfterInputPath)
    }

    /// True if the path is a definite JSONPath that starts at the state's raw input, and not at an item of a Map.
    pub(super) fn is_of_raw_input(&self) -> bool {
        let is_whole = self.selected.is_empty() && !self.of_item;
        self.is_of_input() && self.is_definite && is_whole
    }

    /// The member of the raw input that this read needs. `None` if the read is not in JSONPath, or does not start at
    /// the raw input.
    pub(super) fn needs(&self) -> Option<&Text> {
        self.names.first().filter(|_| self.is_of_raw_input())
    }

    /// The names on the path from the state's raw input to the value: first those in InputPath, then the first `steps`
    /// names of the path.
    pub(super) fn in_input(&self, steps: usize) -> Vec<Text> {
        let steps_of_name = self.names.iter().take(steps);
        self.selected.iter().chain(steps_of_name).cloned().collect()
    }
}

impl<'d> StateAt<'d> {
    /// The paths and intrinsic calls of a state in JSONPath.
    pub(super) fn evaluated(&self) -> &'d [Evaluated<'d>] {
        self.facts.evaluated.get_or_init(|| evaluated(*self))
    }
}

/// Returns every string of a JSONPath state that is evaluated. Strings that do not parse are left out.
fn evaluated(at: StateAt<'_>) -> Vec<Evaluated<'_>> {
    let mut evaluated = Vec::new();
    if at.is_jsonata() {
        return evaluated;
    }
    let fields = at.object().members().into_iter();
    let mut waiting: Vec<_> = fields.map(|field| (field.name(), false, field)).collect();
    while let Some((field, in_template, place)) = waiting.pop() {
        let name = place.name();
        if !in_template && field::is_any(name, FieldSpec::is_unread) {
            continue;
        }
        if let Some(text) = place.text() {
            let is_path = !in_template && (name.ends_with("Path") || name == "Variable");
            if (is_path || name.ends_with(".$"))
                && let Ok(expression) = Expression::parse(text)
            {
                evaluated.push(Evaluated {
                    document: document(at, field, place.node.span),
                    field,
                    place,
                    expression,
                });
            }
            continue;
        }
        let in_template = in_template || field::is_any(name, FieldSpec::is_template);
        // An array item has no member name, and so no name that ends in `.$`. A text in an array is therefore not
        // evaluated.
        let is_array = place.node.items().is_some();
        let inner = place.inner().into_iter();
        let inner = inner.filter(|inner| !is_array || inner.text().is_none());
        waiting.extend(inner.map(|inner| (field, in_template, inner)));
    }
    evaluated
}

impl<'d> StateAt<'d> {
    /// The paths that the state reads in its documents, in source order.
    pub(super) fn reads(&self) -> &'d [Read<'d>] {
        self.facts.reads.get_or_init(|| match self.is_jsonata() {
            true => in_jsonata(*self),
            false => in_jsonpath(*self),
        })
    }
}

fn in_jsonata(at: StateAt<'_>) -> Vec<Read<'_>> {
    let mut reads = Vec::new();
    for expression in at.expressions() {
        let Ok(tree) = &expression.tree else {
            continue;
        };
        let (text, asked) = (tree.text(), tree.asked());
        for path in tree.root().paths() {
            let [first, second, ..] = path.as_slice() else {
                continue;
            };
            let document = match (first.as_str(), second.as_str()) {
                ("states", "input") => Document::Made(Source::Stage(Stage::Input)),
                ("states", "result") => Document::Made(Source::Stage(Stage::Result)),
                ("states", "errorOutput") => Document::Made(Source::Error),
                ("states", "context") => Document::Context,
                ("states", _) => continue,
                // The expression may define the name itself. The name is then not a variable of the machine.
                _ if text.contains(":=") || text.contains("function") => continue,
                (name, _) => Document::Variable(name.into()),
            };
            let length = 1 + usize::from(first == "states");
            let (root, names) = path.split_at(length);
            if names.is_empty() {
                continue;
            }
            let step = |name: &String| Step::Member(name.as_str().into());
            reads.push(Read {
                document,
                selected: Vec::new(),
                names: names.iter().map(|name| name.as_str().into()).collect(),
                steps: names.iter().map(step).collect(),
                root: format!("${}", root.join(".")),
                asks: asked.contains(&path),
                path: format!("${}", path.join(".")),
                of_item: (expression.place.location).starts_with(&at.at("ItemSelector")),
                place: &expression.place,
                span: expression.place.node.span,
                is_definite: false,
                in_jsonata: true,
            });
        }
    }
    reads
}

fn in_jsonpath(at: StateAt<'_>) -> Vec<Read<'_>> {
    let selected = match &at.state.input_path {
        PathField::Whole => Some(Vec::new()),
        PathField::Path(path) => names(path),
        PathField::Null => None,
    };
    let asked = tested_for_presence(at.state).into_iter();
    let asked: HashSet<&str> = asked.map(Path::text).collect();
    let mut reads = Vec::new();
    for expression in at.evaluated() {
        let document = expression.document;
        for (range, path) in expression.expression.located_paths() {
            let (document, root) = match path.root() {
                Root::Data => (Document::Made(document), "$".to_string()),
                Root::Context => (Document::Context, "$$".to_string()),
                Root::Variable(name) => (Document::Variable(name.clone()), format!("${name}")),
            };
            let selected = match document {
                Document::Made(Source::Stage(Stage::AfterInputPath)) => selected.clone(),
                _ => Some(Vec::new()),
            };
            let steps = path.leading_steps();
            let Some(selected) = selected.filter(|_| !steps.is_empty()) else {
                continue;
            };
            let names = steps.iter().map_while(|step| match step {
                Step::Member(name) => Some(name.clone()),
                Step::Item(_) => None,
            });
            reads.push(Read {
                document,
                selected,
                names: names.collect(),
                steps,
                root,
                path: path.text().to_string(),
                place: &expression.place,
                span: expression.place.node.inner_span(range),
                asks: asked.contains(path.text()),
                of_item: expression.field == "ItemSelector",
                is_definite: path.is_definite(),
                in_jsonata: false,
            });
        }
    }
    // Diagnostics are reported in the order of the text.
    reads.sort_by_key(|read| read.place.node.span.start);
    reads
}

/// Returns the document that `$` refers to in the expression at `span`. The expression is inside `field`, a field of
/// the state; the innermost field around the expression determines the document.
fn document(at: StateAt<'_>, field: &str, span: Span) -> Source {
    let mut innermost = None;
    // A Choice may have thousands of steps. Comparing spans is fast, so they are compared before the field names.
    for step in at.state.steps.iter() {
        if let Some(written) = step.written
            && written.holds(span)
            && step.field.outermost() == field
        {
            let length = written.end - written.start;
            if innermost.is_none_or(|(shortest, _)| length < shortest) {
                innermost = Some((length, step));
            }
        }
    }
    let step = innermost.map_or_else(|| at.state.step_within(field), |(_, step)| Some(step));
    step.map_or(Source::Stage(Stage::AfterInputPath), |step| step.dollar)
}

/// A map with a fast hash.
pub(super) type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
/// A set with a fast hash.
pub(super) type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;
