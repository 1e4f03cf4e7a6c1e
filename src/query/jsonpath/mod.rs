//! A JSONPath as Step Functions interprets it. It is compiled once and then evaluated on the data, the context object
//! or a variable.

mod aws;
mod explain;
mod filter;
mod parse;
mod select;
mod token;

pub use aws::FilterTest;
pub use token::OnAws;

use self::aws::{Failure, Selection};
use self::select::{Cursor, Located, TooMuch, Walk, apply, merged, split_names};
use self::token::Token;
use super::trace::{Provenance, Recorder, Role};
use super::{Bindings, Divergence, Evaluate, Profile, QueryError, Root, SyntaxError};
use crate::json::{Pointer, Step, Text, Value};
use std::ops::Range;
use std::sync::Arc;

/// One step of a path: which values it selects from a value.
#[derive(Clone, Debug)]
enum Selector {
    Name(Text),
    Index(i64),
    /// Several names. At the end of a path, they select one object with these members; elsewhere, the value of each
    /// name.
    Names(Arc<[Text]>),
    Indexes(Arc<[i64]>),
    Slice(Option<i64>, Option<i64>),
    All,
    /// Every object and array at any depth; the next step is applied to each of them.
    Descend,
    /// Selects the items of an array that pass the filter, or an object that itself passes the filter.
    Filter(Arc<filter::Filter>),
    /// Selects an object that passes the filter, and nothing else. A filter after [`Selector::Descend`] has this
    /// meaning.
    FilterEach(Arc<filter::Filter>),
}

/// A property of the items in the list that a path returns, derived from the text of the path alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// The items must be objects, because a filter tests their members.
    Objects,
    /// Values of the member with this name, read from several objects.
    Members(Text),
}

/// A compiled path. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Path {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: Text,
    root: Root,
    steps: Vec<Selector>,
    ranges: Vec<Range<usize>>,
    definite: bool,
    /// The steps as AWS reads them.
    tokens: Vec<Token>,
    on_aws: token::Parts,
    /// True if the path is definite and AWS reads one of its steps differently from the specification.
    read_otherwise: bool,
}

impl Path {
    /// Compiles `$…`, `$$…` or `$name…`.
    ///
    /// # Errors
    /// If `text` is not a path that Step Functions accepts.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let (root, parsed) = parse::path(text)?;
        let (steps, ranges): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
        let last = steps.len().saturating_sub(1);
        let definite = steps.iter().enumerate().all(|(place, step)| match step {
            Selector::Name(_) | Selector::Index(_) => true,
            Selector::Names(_) => place == last,
            _ => false,
        });
        let tokens = token::tokens(&steps, &ranges, text);
        let on_aws = token::parts(&steps, &tokens, &ranges, text);
        let read_otherwise = token::read_otherwise(&tokens, &steps);
        Ok(Self {
            inner: Arc::new(Inner {
                tokens,
                on_aws,
                read_otherwise,
                text: text.into(),
                root,
                steps,
                ranges,
                definite,
            }),
        })
    }

    /// The path as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The root of the path.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.inner.root
    }

    /// True if the path denotes a single value; otherwise its result is a list.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        self.inner.definite
    }

    /// True if every step is a name or an index.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        self.inner
            .steps
            .iter()
            .all(|step| matches!(step, Selector::Name(_) | Selector::Index(_)))
    }

    /// True if the path is just `$`.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.inner.root == Root::Data && self.inner.steps.is_empty()
    }

    /// The name at the end of the path, if the path consists of names and non-negative indexes.
    #[must_use]
    pub fn last_name(&self) -> Option<Text> {
        match self.names()?.pop()? {
            Step::Member(name) => Some(name),
            Step::Item(_) => None,
        }
    }

    /// The steps, if all of them are names or non-negative indexes.
    #[must_use]
    pub fn names(&self) -> Option<Vec<Step>> {
        self.inner.steps.iter().map(plain).collect()
    }

    /// The names and non-negative indexes at the beginning of the path.
    #[must_use]
    pub fn leading_steps(&self) -> Vec<Step> {
        let steps = self.inner.steps.iter().map_while(plain);
        steps.collect()
    }

    /// Returns the path without the indexes directly after a filter or a slice, and the first of these indexes. AWS
    /// applies an index there to each match, not to the list of matches.
    #[must_use]
    pub fn without_index_in_matches(&self) -> (String, Option<i64>) {
        let inner = &*self.inner;
        let (mut text, mut first, mut after_several) = (inner.text.to_string(), None, false);
        let mut taken = Vec::new();
        for (step, range) in inner.steps.iter().zip(&inner.ranges) {
            match step {
                Selector::Filter(_) | Selector::Slice(..) => after_several = true,
                Selector::Index(index) if after_several => {
                    first.get_or_insert(*index);
                    taken.push(range.clone());
                }
                _ => after_several = false,
            }
        }
        for range in taken.into_iter().rev() {
            text.replace_range(range, "");
        }
        (text, first)
    }

    /// Byte range of each step in the text.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.inner.ranges
    }

    /// If the step with the index `step` is a filter, returns its tests that compare a member with a literal. The list
    /// is empty if an item can pass the filter without passing all tests.
    #[must_use]
    pub fn filter_tests(&self, step: usize) -> Option<&[FilterTest]> {
        match self.inner.steps.get(step)? {
            Selector::Filter(filter) | Selector::FilterEach(filter) => Some(&filter.tests),
            _ => None,
        }
    }

    /// The kind of the items in the list that the path returns; `None` if the path returns a single value, or if the
    /// kind is not known.
    #[must_use]
    pub fn gathered(&self) -> Option<Gathered> {
        match self.inner.steps.last()? {
            _ if self.is_definite() => None,
            Selector::Filter(filter) | Selector::FilterEach(filter) => {
                filter.asks_for_members().then_some(Gathered::Objects)
            }
            Selector::Name(name) => Some(Gathered::Members(name.clone())),
            _ => None,
        }
    }

    /// The parts that AWS reads differently, each with its byte range in the text.
    #[must_use]
    pub fn on_aws(&self) -> &[(Range<usize>, OnAws)] {
        &self.inner.on_aws
    }

    fn follow(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        match &self.inner.root {
            Root::Data => self.eval_on_data(bindings, recorder),
            Root::Context => {
                let mut names = [""; 3];
                let names = self.inner.leading_names(&mut names);
                if names.first() == Some(&"Map") {
                    bindings.diverges(Divergence::MapItemInside);
                }
                let plain = self.inner.definite && !self.inner.read_otherwise && recorder.is_none();
                if plain && let Some(value) = self.inner.in_context(names, bindings) {
                    return Ok(value);
                }
                let context = match names.first().filter(|_| plain) {
                    Some(member) => bindings.context_with(member, names.get(1).copied()),
                    None => bindings.context(),
                };
                self.eval_on(&context, bindings, recorder)
            }
            Root::Variable(name) => match bindings.variable(name) {
                Some(value) => self.eval_on(&value, bindings, recorder),
                None => {
                    self.note_no_document(recorder);
                    Err(QueryError::Variable { name: name.clone() })
                }
            },
        }
    }

    /// Evaluates the steps on the document. AWS applies no path to null: this was observed for payload templates and
    /// Choice states, and is assumed for the other fields, IsPresent and the arguments of intrinsic functions.
    fn eval_on_data(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        let document = bindings.data();
        if matches!(document, Value::Null) {
            if bindings.profile() == Profile::Aws {
                self.note_no_document(recorder);
                let path = self.inner.text.clone();
                return Err(QueryError::NullDocument { path });
            }
            bindings.diverges(Divergence::NullDocument);
        }
        self.eval_on(document, bindings, recorder)
    }

    /// Evaluates the steps on the value `root`, and ignores which document the path names (`$`, `$$` or a variable).
    fn eval_on(
        &self,
        root: &Value,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        let inner = &*self.inner;
        if bindings.profile() == Profile::Aws {
            return self.eval_as_aws(root, bindings, recorder);
        }
        let selected = self.eval_as_specified(root, bindings, recorder);
        if (!inner.definite || inner.read_otherwise)
            && !inner.tells_itself()
            && differ(&selected, &self.eval_as_aws(root, bindings, None))
        {
            bindings.diverges(Divergence::Path);
        }
        selected
    }

    fn eval_as_aws(
        &self,
        root: &Value,
        bindings: &dyn Bindings,
        mut recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        let inner = &*self.inner;
        if inner.definite && !inner.read_otherwise {
            let mut at = recorder.is_some().then(Vec::new);
            if let Walk::One(value) = select::walk(&inner.steps, root, at.as_mut()) {
                if let (Some(recorder), Some(at)) = (recorder, at) {
                    recorder.result(Provenance::Copy(self.spot(Pointer(at))));
                }
                return Ok(value.clone());
            }
        }
        let mut selection = Selection::new(&inner.tokens, root, bindings.selects_at_most());
        let done = selection.run(&inner.tokens, inner.definite, root);
        if let Some(recorder) = &mut recorder {
            self.note_selection(&selection, recorder);
        }
        let mut values = selection.selected.into_iter().map(|(_, value)| value);
        match done {
            Ok(()) if inner.definite => Ok(values.next().unwrap_or(Value::Null)),
            Ok(()) => Ok(Value::array(values.collect())),
            Err(Failure::TooMuch) => Err(QueryError::TooMuch {
                path: inner.text.clone(),
            }),
            Err(Failure::Missing(why) | Failure::Unfit(why)) => Err(QueryError::NoMatch {
                path: inner.text.clone(),
                root: inner.root.clone(),
                why,
            }),
        }
    }

    fn eval_as_specified(
        &self,
        root: &Value,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        let inner = &*self.inner;
        if inner.definite {
            let mut at = recorder.is_some().then(Vec::new);
            let walk = select::walk(&inner.steps, root, at.as_mut());
            if let (Some(recorder), Some(at)) = (recorder, at) {
                let at = Pointer(at);
                match &walk {
                    Walk::One(_) => recorder.result(Provenance::Copy(self.spot(at))),
                    Walk::Merged(object) => recorder.result(self.merged_from(&at, object)),
                    Walk::Missing(place) => recorder.misses(self.miss(at, *place)),
                }
            }
            return match walk {
                Walk::One(value) => Ok(value.clone()),
                Walk::Merged(value) => Ok(value),
                Walk::Missing(place) => Err(self.no_match(place, root)),
            };
        }
        let values = match recorder {
            None => self.list(root, root, bindings, None).map(|values| {
                let values = values.into_iter().map(|(_, value)| value);
                values.collect()
            }),
            Some(recorder) => {
                let start = Located::root(root);
                let located = self.list(start, root, bindings, Some(&mut *recorder));
                located.map(|located| {
                    let at =
                        |(at, value): &(Located<'_>, Value)| self.selected(&at.pointer(), value);
                    recorder.result(Provenance::items(located.iter().map(at)));
                    located.into_iter().map(|(_, value)| value).collect()
                })
            }
        };
        values
            .map(Value::array)
            .map_err(|TooMuch| QueryError::TooMuch {
                path: inner.text.clone(),
            })
    }

    /// The values that the path selects. The steps may be of any kind.
    fn list<'v, C: Cursor<'v>>(
        &self,
        start: C,
        root: &Value,
        bindings: &dyn Bindings,
        mut recorder: Option<&mut Recorder>,
    ) -> Result<Vec<(C, Value)>, TooMuch> {
        let (steps, names) = split_names(&self.inner.steps);
        let mut selected = vec![start];
        for (place, step) in steps.iter().enumerate() {
            let next = apply(step, &selected, root, bindings)?;
            if let Some(recorder) = &mut recorder {
                self.note_step(place, &selected, recorder);
            }
            selected = next;
        }
        let values = selected.into_iter().filter_map(|at| {
            let value = match names {
                None => at.value().clone(),
                Some(names) => merged(at.value(), names).filter(|object| object.size() > 2)?,
            };
            Some((at, value))
        });
        Ok(values.collect())
    }

    /// Returns AWS's error for a definite path that found no value at the step with the index `place`.
    #[cold]
    fn no_match(&self, place: usize, root: &Value) -> QueryError {
        let steps = &self.inner.steps;
        let before = steps.get(..place).unwrap_or_default();
        let beyond_the_end = matches!(
            (steps.get(place), select::walk(before, root, None)),
            (Some(Selector::Index(_)), Walk::One(Value::Array(_)))
        );
        let parent_missing = place + 1 < steps.len() && !beyond_the_end;
        let shown = if parent_missing {
            steps.get(..=place).unwrap_or_default()
        } else {
            steps
        };
        QueryError::NoMatch {
            path: self.inner.text.clone(),
            root: self.inner.root.clone(),
            why: match parent_missing {
                true => format!("Missing property in path {path}", path = normalized(shown)),
                false => format!("No results for path: {path}", path = normalized(shown)),
            },
        }
    }
}

impl Inner {
    /// Fills `names` with the member names at the beginning of the path. Returns the part of `names` that was filled.
    fn leading_names<'n, 's>(&'s self, names: &'n mut [&'s str; 3]) -> &'n [&'s str] {
        let mut count = 0;
        for (slot, step) in names.iter_mut().zip(&self.steps) {
            let Selector::Name(name) = step else { break };
            *slot = name;
            count += 1;
        }
        names.get(..count).unwrap_or_default()
    }

    /// The value in the context object, if the value is available without building the whole context object.
    fn in_context(&self, names: &[&str], bindings: &dyn Bindings) -> Option<Value> {
        let (used, value) = bindings.context_at(names)?;
        match select::walk(self.steps.get(used..)?, &value, None) {
            Walk::One(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// True if a step of the path reports, when it is evaluated, whether its result differs on AWS.
    fn tells_itself(&self) -> bool {
        self.steps.iter().any(|step| match step {
            Selector::Slice(from, to) => from.is_some() && to.is_some(),
            Selector::Filter(filter) => filter.names_bare,
            _ => false,
        })
    }
}

/// The step, if it is a name or a non-negative index.
fn plain(step: &Selector) -> Option<Step> {
    match step {
        Selector::Name(name) => Some(Step::Member(name.clone())),
        Selector::Index(index) => usize::try_from(*index).ok().map(Step::Item),
        _ => None,
    }
}

/// True if a path's result by the specification differs from its result on AWS. Two failures count as equal.
fn differ(left: &Result<Value, QueryError>, right: &Result<Value, QueryError>) -> bool {
    match (left, right) {
        (Ok(left), Ok(right)) => left != right,
        (Err(_), Err(_)) => false,
        _ => true,
    }
}

/// Evaluates the path; an indefinite path always returns an array. In the record, the path has the node number 0, and
/// its steps have the numbers from 1.
impl Evaluate for Path {
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        let Some(recorder) = recorder else {
            return self.follow(bindings, None);
        };
        let act = recorder.begin(1 + self.inner.steps.len(), Role::Operand);
        let result = self.follow(bindings, Some(recorder));
        recorder.end(act, result.as_ref().ok());
        result
    }
}

/// Paths are equal if their texts are equal.
impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.inner.text == other.inner.text
    }
}

impl Eq for Path {}

/// Returns the text of definite steps as AWS prints them: `$['a'][0]`.
fn normalized(steps: &[Selector]) -> String {
    let mut out = String::from("$");
    for step in steps {
        match step {
            Selector::Name(name) => out.push_str(&format!("['{name}']")),
            Selector::Index(index) => out.push_str(&format!("[{index}]")),
            Selector::Names(names) => {
                let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
                out.push_str(&format!("[{}]", quoted.join(",")));
            }
            _ => out.push_str("[*]"),
        }
    }
    out
}

#[cfg(test)]
mod tests;
