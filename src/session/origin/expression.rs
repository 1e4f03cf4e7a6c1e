//! Describes how a field produced a part of its value, as a write: by a literal, a path, an expression or a template.

use super::document::{Code, Documents, items, member_named, named as named_by, value_at};
use super::history::Past;
use super::provenance::{Sources, made};
use super::{Holder, Hop, How, Loss, Note, Root, Site, Write};
use crate::definition::{Compiled, Field, Owner, PathField, StageStep, StateId};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::trace::{Base, Provenance, Spot, Trace};
use crate::query::{Expression, Maker, Unevaluated};
use crate::session::values_read::collect;
use crate::session::written::{inner, node_in};
use crate::source::Span;
use std::ops::Range;

/// Maximum number of values to search for texts that look as if they were meant to be evaluated.
const TEXTS_SEARCHED: usize = 2_000;
/// Maximum number of texts to list that look as if they were meant to be evaluated.
const TEXTS: usize = 2;

/// A field of a state, as the writer of a value.
pub(super) struct FieldAt {
    pub state: StateId,
    pub name: Text,
    /// Location of the field's value.
    pub span: Option<Span>,
}

impl FieldAt {
    /// Returns the field with this name of a state. The state may lack the field; `span` is then `None`.
    pub fn of(past: &Past<'_>, state: StateId, name: &str) -> Self {
        let field = past.state(state).and_then(|state| state.field(name));
        Self {
            state,
            name: name.into(),
            span: field.map(|field: &Field| field.value),
        }
    }

    /// The field that a step of the state evaluates. If the field is absent, `span` is the location of the Choice rule,
    /// catcher or object that could contain the field.
    pub fn by(past: &Past<'_>, state: StateId, step: &StageStep) -> Self {
        let owner = step.field.owner;
        let around = || {
            let state = past.state(state).filter(|_| owner != Owner::State)?;
            let node = past.definition.node_of(state)?;
            owner.node(node).map(|node| node.span)
        };
        Self {
            state,
            name: step.field.to_string().into(),
            span: step.written.or_else(around),
        }
    }

    /// One step back in the search for an origin: finds how the field produced the position `rest` of its value. `None`
    /// if the field evaluates nothing.
    pub fn evaluated(
        &self,
        past: &Past<'_>,
        to: Site,
        (compiled, rest): (Compiled<'_>, &[Step]),
        documents: &Documents<'_>,
    ) -> Option<Hop> {
        let code = match compiled {
            Compiled::Template(template) => {
                let made = (|at: &[Step]| template.maker(at), rest);
                return Some(self.template(past, to, made, documents, Code::Expression));
            }
            Compiled::Jsonata(template) => {
                let made = (|at: &[Step]| template.maker(at), rest);
                return Some(self.template(past, to, made, documents, |expression| {
                    Code::Jsonata(expression)
                }));
            }
            Compiled::Literal(_) => {
                return Some(self.literal(past, to, &Pointer(rest.to_vec())));
            }
            Compiled::Select(PathField::Path(path)) | Compiled::Path(path) => Code::Path(path),
            Compiled::Expression(expression) => Code::Expression(expression),
            Compiled::Evaluated(expression) => Code::Jsonata(expression),
            Compiled::Select(PathField::Whole | PathField::Null)
            | Compiled::Insert(_)
            | Compiled::Test(_) => return None,
        };
        Some(self.computed(past, to, (&Pointer::root(), code), (rest, rest), documents))
    }

    pub fn write(&self, to: Site) -> Write {
        Write {
            to,
            state: self.state,
            field: self.name.clone(),
            member: None,
            expression: None,
            span: self.span,
            reads: Vec::new(),
            how: How::Copied,
            values: Vec::new(),
            items: None,
            conditions: Vec::new(),
            note: None,
        }
    }

    /// A write that copies the value at a path.
    pub fn copied(&self, to: Site, text: &str, reads: Vec<Site>) -> Hop {
        Hop::Written(Box::new(Write {
            expression: Some(text.into()),
            reads,
            ..self.write(to)
        }))
    }

    /// A write that produces the value from a single place, without an expression.
    pub fn made(&self, to: Site, read: Site) -> Hop {
        Hop::Written(Box::new(Write {
            reads: vec![read],
            ..self.write(to)
        }))
    }

    /// A write of a literal at a position in the field.
    pub fn literal(&self, past: &Past<'_>, to: Site, written: &Pointer) -> Hop {
        let node = self.span.and_then(|span| past.node(span));
        let text = node.and_then(|node| node_in(node, written)?.as_str());
        let left = text.and_then(|text| Some((text, Unevaluated::of(text)?)));
        let write = Write {
            note: left.map(|(text, kind)| Note::LeftAsText(text.into(), kind)),
            ..self.write_inside(past, to, written)
        };
        let root = Root::Literal(write.span);
        Hop::Last(Box::new(write), root)
    }

    /// The result of a step back if the field's value has nothing at the position. `before` are places in earlier data
    /// that may have the value, and `beside` is a member with the missing name that the field did not read.
    pub fn missing(&self, before: Vec<Site>, beside: Option<Site>) -> Hop {
        Hop::Missing(Box::new(Loss {
            state: self.state,
            field: self.name.clone(),
            before,
            beside,
        }))
    }

    /// A write at a position in the field's value.
    fn write_inside(&self, past: &Past<'_>, to: Site, written: &Pointer) -> Write {
        Write {
            member: member(written),
            span: self.inside(past, written),
            ..self.write(to)
        }
    }

    /// Source location of the text that is at a position in the field's value.
    fn inside(&self, past: &Past<'_>, written: &Pointer) -> Option<Span> {
        let field = self.span?;
        let node = past.node(field).and_then(|node| inner(node, written));
        node.or(Some(field))
    }

    /// Describes how an expression of the field produced a part of the value. The part is at position `whole` in the
    /// field's value and at position `rest` in the expression's value.
    fn computed(
        &self,
        past: &Past<'_>,
        to: Site,
        (written, code): (&Pointer, Code<'_>),
        (whole, rest): (&[Step], &[Step]),
        documents: &Documents<'_>,
    ) -> Hop {
        let none = Trace::default();
        let (trace, from) = match documents.trace(code, (whole, rest)) {
            Ok(Some(traced)) => traced,
            Ok(None) => (&none, Provenance::Reads(named_by(code))),
            Err(unseen) => return unseen.into(),
        };
        let made = made(documents, code, (trace, from), rest);
        if matches!(made.sources, Sources::LeftOut) {
            let beside = rest
                .last()
                .and_then(|last| beside(documents, &trace.reads(), last));
            let before = vec![documents.site.at(to.at.clone())];
            return self.missing(before, beside);
        }
        let mut write = Write {
            expression: Some(text_of(code)),
            conditions: made.way.conditions,
            note: made.note,
            ..self.write_inside(past, to, written)
        };
        if let Code::Jsonata(expression) = code {
            let text = &expression.text;
            let span = |range: &Range<usize>| self.part_of(past, written, text, range.clone());
            for (condition, range) in write.conditions.iter_mut().zip(&made.way.asked) {
                condition.span = span(range);
            }
            if let Some(part) = &made.way.part {
                write.expression = text.get(part.clone()).map(Into::into);
                write.span = span(part);
                let inner = rest.get(..made.way.inside).unwrap_or_default();
                write.member = member(&super::joined(&written.0, inner));
            }
        }
        match made.sources {
            Sources::Read(mut reads, how) => {
                write.items = items(documents, &reads);
                if write.items.is_none() {
                    // The search continues with a text that was probably meant to be evaluated, if there is such a
                    // text.
                    reads.sort_by_key(|site| !is_left_as_text(site, documents));
                }
                let values = reads.iter().map(|site| documents.value_at(site));
                write.values = values.collect();
                (write.reads, write.how) = (reads, how);
                Hop::Written(Box::new(write))
            }
            Sources::Parts(steps, literals) => {
                let parts = steps
                    .into_iter()
                    .map(|step| write.to.at(write.to.at.child(step)));
                write.reads = parts.collect();
                match (write.reads.as_slice(), literals) {
                    ([only], 0) => Hop::To(only.clone()),
                    _ => Hop::Last(Box::new(write), Root::Fields(literals)),
                }
            }
            Sources::Nothing(base, at) => {
                let root = nothing(documents, &base, at, write.to.event);
                Hop::Last(Box::new(write), root)
            }
            Sources::None | Sources::LeftOut => {
                let root = match is_drawn(code) {
                    Some(function) if matches!(&*function, "$now" | "$millis") => {
                        past.clock(&write.to, Root::Function(function))
                    }
                    Some(function) => Root::Function(function),
                    None => Root::Literal(write.span),
                };
                Hop::Last(Box::new(write), root)
            }
        }
    }

    /// Source location of a part of an expression; `range` is the part's byte range in the text `whole`.
    fn part_of(
        &self,
        past: &Past<'_>,
        written: &Pointer,
        whole: &str,
        range: Range<usize>,
    ) -> Option<Span> {
        let node = past
            .node(self.span?)
            .and_then(|node| node_in(node, written));
        let span = node.and_then(|node| {
            let begins = node.as_str()?.find(whole)?;
            Some(node.inner_span(begins + range.start..begins + range.end))
        });
        span.or_else(|| self.inside(past, written))
    }

    /// Describes how a template produced the part of its value at the position `whole`. `maker` returns the expression
    /// or literal in the template that produces a position.
    fn template<'c, E: 'c>(
        &self,
        past: &Past<'_>,
        to: Site,
        (maker, whole): (impl Fn(&[Step]) -> Maker<'c, E>, &[Step]),
        documents: &Documents<'_>,
        code: impl Fn(&'c E) -> Code<'c>,
    ) -> Hop {
        match maker(whole) {
            Maker::Literal { written } => {
                let reads = left_as_text(&to, documents, whole, &maker);
                if reads.is_empty() || reads.contains(&to) {
                    return self.literal(past, to, &written);
                }
                // Names the texts that were probably meant to be evaluated. The other literals at the position are only
                // counted.
                let literals = value_at(&to, documents.machine).map_or(0, |value| scalars(&value));
                let literals = literals.saturating_sub(reads.len());
                let write = Write {
                    reads,
                    ..self.write_inside(past, to, &written)
                };
                Hop::Last(Box::new(write), Root::Fields(literals))
            }
            Maker::Expression {
                written,
                expression,
                rest,
            } => {
                let code = (&written, code(expression));
                self.computed(past, to, code, (whole, &rest), documents)
            }
            Maker::Fields {
                written,
                expressions,
                literals,
            } => {
                // Each expression wrote a separate part. Texts that were probably meant to be evaluated come first.
                let texts = left_as_text(&to, documents, whole, &maker);
                let literals = literals.saturating_sub(texts.len());
                let parts = expressions.iter();
                let parts = parts.map(|(at, _)| to.at(super::joined(&to.at.0, &at.0)));
                let reads: Vec<Site> = texts.into_iter().chain(parts).collect();
                if let ([only], 0) = (reads.as_slice(), literals) {
                    return Hop::To(only.clone());
                }
                let write = Write {
                    reads,
                    ..self.write_inside(past, to, &written)
                };
                let root = match write.reads.is_empty() {
                    true => Root::Literal(write.span),
                    false => Root::Fields(literals),
                };
                Hop::Last(Box::new(write), root)
            }
            Maker::Nothing => {
                let before = vec![documents.site.at(to.at.clone())];
                // Searches the expressions in the closest enclosing object first and then those in the objects around
                // it, because the closest ones are the most informative.
                let Some((last, above)) = whole.split_last() else {
                    return self.missing(before, None);
                };
                let mut beside = None;
                for count in (0..=above.len()).rev() {
                    let Maker::Fields { expressions, .. } =
                        maker(above.get(..count).unwrap_or_default())
                    else {
                        continue;
                    };
                    let mut spots = Vec::new();
                    for (_, expression) in expressions {
                        match documents.spots(code(expression)) {
                            Ok(read) => spots.extend(read),
                            Err(unseen) => return unseen.into(),
                        }
                    }
                    beside = self::beside(documents, &spots, last);
                    if beside.is_some() {
                        break;
                    }
                }
                self.missing(before, beside)
            }
        }
    }
}

/// Number of strings, numbers, booleans and nulls in a value.
fn scalars(value: &Value) -> usize {
    let mut count = 0;
    collect(value, &mut |_, value| {
        count += usize::from(value.as_object().is_none() && !value.is_array());
        count < TEXTS_SEARCHED
    });
    count
}

/// Lists the literals that look as if they were meant to be evaluated, in the value at the place `to`. This value is at
/// the position `rest` in the template's value; `maker` returns the part of the template that produces a position.
fn left_as_text<'c, E: 'c>(
    to: &Site,
    documents: &Documents<'_>,
    rest: &[Step],
    maker: &impl Fn(&[Step]) -> Maker<'c, E>,
) -> Vec<Site> {
    let Some(value) = value_at(to, documents.machine) else {
        return Vec::new();
    };
    let (mut left, mut texts) = (TEXTS_SEARCHED, Vec::new());
    collect(&value, &mut |at, value| {
        left -= 1;
        let is_left = matches!(value, Value::String(text) if Unevaluated::of(text).is_some());
        if is_left && matches!(maker(&super::joined(rest, &at.0).0), Maker::Literal { .. }) {
            texts.push(to.at(super::joined(&to.at.0, &at.0)));
        }
        left > 0 && texts.len() < TEXTS
    });
    texts
}

/// True if the value at a place is a text that looks as if it was meant to be evaluated.
fn is_left_as_text(site: &Site, documents: &Documents<'_>) -> bool {
    let value = value_at(site, documents.machine);
    matches!(value, Some(Value::String(text)) if Unevaluated::of(&text).is_some())
}

/// A member with this name that the expressions do not read, next to or above the members that they read.
fn beside(documents: &Documents<'_>, reads: &[Spot], name: &Step) -> Option<Site> {
    let Step::Member(_) = name else {
        return None;
    };
    let deepest = reads.iter().map(|read| read.at.0.len()).max()?;
    (1..=deepest).find_map(|up| {
        reads.iter().find_map(|read| {
            let above = read.at.0.get(..read.at.0.len().checked_sub(up)?)?;
            let at = super::joined(above, std::slice::from_ref(name));
            let is_read = |spot: &Spot| spot.base == read.base && at.0.starts_with(&spot.at.0);
            let place = documents.place(&read.base, at.clone());
            let is_other_place = place.holder != Holder::Context
                && !reads.iter().any(is_read)
                && at.get(&documents.value(&read.base)?).is_some();
            is_other_place.then_some(place)
        })
    })
}

/// The root (the end of a chain of writes) to report if a document has no value at a position. Contains the path of
/// another member of the same name, if there is one.
pub(super) fn nothing(documents: &Documents<'_>, base: &Base, at: Pointer, event: u64) -> Root {
    let whole = documents.value(base);
    let elsewhere = match at.0.last() {
        Some(Step::Member(name)) => whole.and_then(|whole| member_named(&whole, name, None)),
        _ => None,
    };
    let written = |at: &Pointer| {
        let names = at.to_string();
        let names = names.trim_start_matches('$');
        let text = match base {
            Base::Data => format!("${names}"),
            Base::Context => format!("$states.context{names}"),
            Base::Variable(name) => format!("${name}{names}"),
            Base::States(name) => format!("$states.{name}{names}"),
        };
        Text::from(text)
    };
    let (path, elsewhere) = (written(&at), elsewhere.as_ref().map(written));
    Root::Nothing {
        at: documents.place(base, at).on(event),
        path,
        elsewhere,
    }
}

/// For an expression with a function that returns a different value each time, such as `States.UUID`: the function's
/// name.
fn is_drawn(code: Code<'_>) -> Option<Text> {
    match code {
        Code::Path(_) | Code::Expression(Expression::Path(_)) => None,
        Code::Expression(Expression::Intrinsic(intrinsic)) => {
            let calls = intrinsic.calls();
            let mut names = calls.iter().map(|call| call.function.name);
            let name = names.find(|name| matches!(*name, "States.UUID" | "States.MathRandom"))?;
            Some(name.into())
        }
        Code::Jsonata(expression) => expression.parsed()?.root().drawn().map(Into::into),
    }
}

fn text_of(code: Code<'_>) -> Text {
    match code {
        Code::Path(path) => path.text().into(),
        Code::Expression(expression) => expression.text().into(),
        Code::Jsonata(expression) => format!("{{% {} %}}", expression.text).into(),
    }
}

/// Name of the member that a position in a template produces, without the suffix `.$`.
pub(super) fn member(written: &Pointer) -> Option<Text> {
    if written.0.is_empty() {
        return None;
    }
    let mut made = written.clone();
    if let Some(Step::Member(name)) = made.0.last_mut()
        && let Some(plain) = name.strip_suffix(".$")
    {
        *name = plain.into();
    }
    let text = made.to_string();
    let text = text.strip_prefix("$").unwrap_or(&text);
    Some(text.strip_prefix('.').unwrap_or(text).into())
}
