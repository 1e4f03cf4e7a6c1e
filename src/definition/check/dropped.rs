//! Checks for states that drop data which a later state reads.

use super::facts::{Facts, HashSet, Read};
use super::reach::{FAR, assigned_name};
use super::shape::{Maker, Part, Shape, names};
use super::shapes::{ENVELOPE, Known, Shapes, after};
use super::{Checker, StateAt};
use crate::definition::lower::{last_members, opening};
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::scope::tested_for_presence;
use crate::definition::{
    CallPattern, Definition, Integration, LintRule, PathField, ResultPath, Source, Stage, StateId,
    StateKind, Target, Transition, reach,
};
use crate::json::{Step, Text};
use crate::query::{Profile, Template};
use crate::source::Span;
use std::collections::VecDeque;

lint_rules! {
    DROPPED = 81, "dropped", "DROPPED_AND_READ", Severities::WARNING,
        "a state replaces its input, and a later state reads a member of that input" {
            PERHAPS_DROPPED = Severities::INFO, "if the state's function may return that member in its result";
        };
}

/// Help that says how a state keeps its input in addition to its result.
const BESIDE_RESULT: &str =
    "a ResultPath such as $.result keeps the input; the result is then read from $.result";

/// A result that replaces the input of its state.
struct Replaced {
    /// Description of the result for the message.
    result: &'static str,
    rule: LintRule,
    /// Returns true if the result has, or may have, a member with the given name.
    has: fn(&str) -> bool,
    /// Names of the members that the input is known to have. Only reads of these members are reported. `None` if every
    /// read of a member that the result lacks is reported.
    only: Option<Vec<Text>>,
}

impl<'d> Checker<'d> {
    pub(super) fn dropped(&mut self, at: StateAt<'d>, shapes: &Shapes) {
        let state = at.state;
        if at.is_jsonata() {
            return;
        }
        if let Transition::Next(Target {
            state: Some(next), ..
        }) = &state.transition
        {
            match passes_on(at, shapes) {
                Some((field, names)) => {
                    let span = at.get(field).map_or(state.name_span, opening);
                    let by = (format!("\"{}\"", state.name), BESIDE_RESULT);
                    self.dropped_before(at, *next, names, by, (span, at.at(field)));
                }
                None => self.replaced(at, *next, shapes),
            }
        }
        for (index, catcher) in state.catch.iter().enumerate() {
            let next = catcher.next.as_ref().and_then(|next| next.state);
            if let (Some(next), ResultPath::Replace) = (next, &catcher.result_path) {
                let place = (catcher.span.opening(), at.at(&format!("Catch[{index}]")));
                let by = (
                    format!("Catch[{index}] of \"{}\"", state.name),
                    "a ResultPath such as $.error keeps the input; the error is then read from $.error",
                );
                let kept = vec!["Error".into(), "Cause".into()];
                self.dropped_before(at, next, kept, by, place);
            }
        }
    }

    /// Reports a later read of a member that `maker`, a state or a catcher, drops. `maker` passes on only the members
    /// `kept`.
    fn dropped_before(
        &mut self,
        at: StateAt<'d>,
        next: StateId,
        kept: Vec<Text>,
        (maker, help): (String, &str),
        place: (Span, String),
    ) {
        let kept_members = kept.join(", ");
        // Searches are cached, because many catchers may lead to the same state.
        let key = (next, kept_members.clone());
        let read = self.searched.get(&key).copied();
        let read =
            read.unwrap_or_else(|| self.read_after(at, next, &mut |_, name| kept.contains(name)));
        self.searched.insert(key, read);
        let kept_members = if kept_members.is_empty() {
            "nothing"
        } else {
            &kept_members
        };
        let passes = format!("{maker} passes on only {kept_members}");
        self.dropped_read(DROPPED, (&passes, help), place, read);
    }

    /// Reports a result that replaces the input, although a later state reads members of that input.
    fn replaced(&mut self, at: StateAt<'d>, next: StateId, shapes: &Shapes) {
        let Some(replaced) = replaced_by(at, shapes) else {
            return;
        };
        let Replaced {
            result,
            rule,
            has,
            only,
        } = &replaced;
        // If the next state reads a member that the input is not known to have, the author probably expects this member
        // in the result.
        let read = self.read_after(at, next, &mut |_, name| has(name));
        let read = read.filter(|read| only.is_none() || *rule == DROPPED && read.0 != next);
        let read = read.or_else(|| {
            let only = only.as_ref()?;
            // If the run can return from the reading state to this state, the member may come from an earlier result of
            // this state.
            let mut returned = HashSet::default();
            self.read_after(at, next, &mut |id, name| {
                let is_returned = returned.contains(name)
                    || self.leads(id, at.id) && returned.insert(name.clone());
                has(name) || !only.contains(name) || is_returned
            })
        });
        if read.is_some() {
            self.replacing.insert(at.id);
        }
        let result_path = match at.get("ResultPath") {
            None => "no ResultPath",
            Some(_) => "the ResultPath $",
        };
        let state = &at.state.name;
        let replaces = format!("\"{state}\" has {result_path}, so {result} replaces its input");
        let place = (at.state.name_span, at.state.location.to_string());
        self.dropped_read(*rule, (&replaces, BESIDE_RESULT), place, read);
    }

    /// The nearest read of a member that `at` dropped, with the state that contains the read. The search starts at the
    /// state `next`. A member does not count as dropped if `may` returns true for it.
    fn read_after(
        &self,
        at: StateAt<'d>,
        next: StateId,
        may: &mut dyn FnMut(StateId, &Text) -> bool,
    ) -> Option<(StateId, &'d Read<'d>)> {
        let by = Maker {
            state: at.id,
            part: Part::Field("ResultPath"),
        };
        self.read_behind(next, Shape::object([], by), by, may)
    }

    /// The nearest read of a member that `object` lacks, with the state that contains the read. The search starts at
    /// the state `next`, whose input is `object`. `by` created the object. A member counts as present if `may` returns
    /// true for it.
    fn read_behind(
        &self,
        next: StateId,
        object: Shape,
        by: Maker,
        may: &mut dyn FnMut(StateId, &Text) -> bool,
    ) -> Option<(StateId, &'d Read<'d>)> {
        let mut seen = HashSet::from_iter([next]);
        let mut waiting = VecDeque::from([(next, Known::of(object))]);
        while let Some((id, known)) = waiting.pop_front() {
            let Some(at) = self.state_at(id) else {
                continue;
            };
            let is_lost =
                matches!(&known.input, Shape::Object(object) if object.makers.contains(&by));
            if at.is_jsonata() || seen.len() > FAR || !is_lost {
                continue;
            }
            let asked = tested_for_presence(at.state).into_iter().filter_map(names);
            let input = asked.fold(known.input.clone(), |input, names| input.asked(&names));
            let mut lacks = |name: &Text| {
                let lack = input.lack(std::slice::from_ref(name));
                lack.is_some_and(|lack| lack.makers.contains(&by)) && !may(id, name)
            };
            let mut reads = at.reads().iter();
            if let Some(read) = reads.find(|read| read.needs().is_some_and(&mut lacks)) {
                return Some((id, read));
            }
            for (next, known) in after(at, &known) {
                if seen.insert(next) {
                    waiting.push_back((next, known));
                }
            }
        }
        None
    }

    /// True if a search along the transitions gets from the state `from` to the state `to`. The search examines a
    /// limited number of states.
    fn leads(&self, from: StateId, to: StateId) -> bool {
        let mut looked_at = 0;
        let reached: HashSet<StateId> = reach([from], |id| {
            looked_at += 1;
            let is_near = looked_at <= FAR;
            self.next(id).filter(move |_| is_near)
        });
        reached.contains(&to)
    }

    fn dropped_read(
        &mut self,
        rule: LintRule,
        (but, help): (&str, &str),
        (span, location): (Span, String),
        read: Option<(StateId, &Read<'_>)>,
    ) {
        let Some((reader, read)) = read.and_then(|(id, read)| Some((self.state_at(id)?, read)))
        else {
            return;
        };
        self.missing.insert(reader.id);
        let reader = reader.state;
        let message = format!("\"{}\" reads {}, but {but}", reader.name, read.path);
        self.report(rule, message, (span, &location), help);
        self.related(reader.name_span, "the member is read here");
    }
}

fn replaced_by(at: StateAt<'_>, shapes: &Shapes) -> Option<Replaced> {
    let state = at.state;
    let whole = matches!(state.output_path, PathField::Whole);
    let replaces = matches!(state.result_path, ResultPath::Replace);
    if !replaces || state.template("ResultSelector").is_some() {
        return None;
    }
    let sure = |result, has| Replaced {
        result,
        rule: DROPPED,
        has,
        only: None,
    };
    // A function's result probably lacks the input's members that were not passed to the function. This is only a
    // guess, because the result of a function is not known statically.
    let guess = |passed: Vec<Text>| {
        let mut known = known(at, shapes);
        known.retain(|name| !passed.contains(name));
        Replaced {
            result: "the result of the function, which never received that member,",
            rule: PERHAPS_DROPPED,
            has: |_| false,
            only: Some(known),
        }
    };
    let task = match &state.kind {
        StateKind::Task(task) => task,
        StateKind::Map(map) if map.writer.is_some() => return None,
        StateKind::Map(_) | StateKind::Parallel { .. } if whole => {
            return Some(sure("the array of results", |_| false));
        }
        _ => return None,
    };
    let parameters = || state.template("Parameters");
    match &task.integration {
        Integration::Service {
            pattern: CallPattern::Callback,
            ..
        } => None,
        Integration::Service { service, .. } if &**service == "lambda" => {
            match &state.output_path {
                PathField::Whole => Some(Replaced {
                    only: Some(known(at, shapes)),
                    ..sure("the envelope that lambda:invoke returns", |name| {
                        ENVELOPE.contains(&name)
                    })
                }),
                PathField::Path(path) if path.text() == "$.Payload" => {
                    let names = parameters()?.names()?;
                    let is_passed = names.iter().any(|name| &**name == "Payload");
                    passed(parameters()?, 1).filter(|_| is_passed).map(guess)
                }
                _ => None,
            }
        }
        // The members of a response start with a capital letter.
        Integration::Service { .. } if whole => Some(sure("the service's result", |name| {
            name.starts_with(|first: char| first.is_uppercase())
        })),
        Integration::Lambda if whole => passed(parameters()?, 0).map(guess),
        _ => None,
    }
}

/// The names of those members of a template, at nesting depth `depth`, whose values are computed or contain computed
/// values. `None` if one of the computed values is the whole input.
fn passed(template: &Template, depth: usize) -> Option<Vec<Text>> {
    let mut names = Vec::new();
    for (place, expression) in template.expressions() {
        if expression.paths().iter().any(|path| path.is_identity()) {
            return None;
        }
        if let Some(Step::Member(name)) = place.0.get(depth) {
            names.push(name.strip_suffix(".$").unwrap_or(name).into());
        }
    }
    Some(names)
}

/// The members that the input of a state has, judging by its known shape and by the members that the state itself
/// reads.
fn known(at: StateAt<'_>, shapes: &Shapes) -> Vec<Text> {
    let needed = at.reads().iter().filter_map(Read::needs).cloned();
    let names = shapes.input(at.id).names().into_iter();
    names.chain(needed).collect()
}

/// The field that alone determines the output of a state, and the names of the output's members. `None` if there is no
/// such field, or if the names are not known statically.
fn passes_on(at: StateAt<'_>, shapes: &Shapes) -> Option<(&'static str, Vec<Text>)> {
    let Shape::Object(output) = shapes.documents(at).get(Source::Stage(Stage::Output)) else {
        return None;
    };
    let maker = output.makers.first().filter(|maker| maker.state == at.id)?;
    let Part::Field(field @ ("ResultSelector" | "Result" | "Parameters")) = maker.part else {
        return None;
    };
    let names = last_members(at.get(field)?).into_iter();
    let names = names.map(|member| assigned_name(&member.key.text).into());
    let replaces = matches!(at.state.result_path, ResultPath::Replace);
    replaces.then(|| (field, names.collect()))
}

/// A path that selects nothing because an earlier state dropped the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRead {
    /// The state that contains the path.
    pub state: StateId,
    /// The path as written.
    pub path: Text,
    /// Span of the path.
    pub span: Span,
}

impl Definition {
    /// Assumes that the state `next` is entered without the members `dropped` in its input. Returns the nearest state
    /// that reads one of these members, if any. The search starts with `next` itself.
    #[must_use]
    pub fn read_of_dropped(&self, next: StateId, dropped: Vec<Text>) -> Option<DroppedRead> {
        let by = Maker {
            state: next,
            part: Part::Envelope,
        };
        let facts = Facts::of(self);
        let checker = Checker::new(self, &facts, Profile::Aws);
        let object = Shape::without(dropped, by);
        let (state, read) = checker.read_behind(next, object, by, &mut |_, _| false)?;
        Some(DroppedRead {
            state,
            path: read.path.as_str().into(),
            span: read.span,
        })
    }
}
