//! Checks for states that drop data which a later state reads.

use super::facts::{Facts, HashSet, Read};
use super::reach::FAR;
use super::shape::{Maker, Part, Shape, names};
use super::shapes::{ENVELOPE, Known, Shapes, after};
use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::scope::tested_for_presence;
use crate::definition::{
    CallPattern, Definition, Integration, LintRule, PathField, QueryLanguage, ResultPath, State,
    StateId, StateKind, Target, Transition, reach,
};
use crate::json::{Step, Text};
use crate::query::{Profile, Template};
use crate::source::Span;
use std::cell::RefCell;
use std::collections::VecDeque;

lint_rules! {
    DROPPED = 81, "dropped", "DROPPED_AND_READ", Severities::WARNING,
        "a state replaces its input, and a later state reads a member of that input" {
            PERHAPS_DROPPED = Severities::INFO, "if a function may return it in its result";
        };
}

/// How a state keeps its input beside its result.
const BESIDE_RESULT: &str =
    "a ResultPath such as $.result keeps the input; the result is then read from $.result";

/// A state or a catcher that passes on only some members.
struct Dropper {
    /// Name for the message.
    name: String,
    help: &'static str,
}

/// A result that replaces the input of its state.
struct Replaced {
    /// Description of the result for the message.
    what: &'static str,
    rule: LintRule,
    /// True for a member that the result has or may have.
    has: fn(&str) -> bool,
    /// Names of the input's members, if the result may have members with any other name.
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
            match output_names(state) {
                Some(names) => {
                    let field = ["ResultSelector", "Result", "Parameters"]
                        .into_iter()
                        .find(|name| at.get(name).is_some())
                        .unwrap_or("Type");
                    let span = at.get(field).map_or(state.name_span, opening);
                    let by = Dropper {
                        name: format!("\"{}\"", at.state.name),
                        help: BESIDE_RESULT,
                    };
                    self.dropped_before(at, *next, names, &by, (span, at.at(field)));
                }
                None => self.replaced(at, *next, shapes),
            }
        }
        for (index, catcher) in state.catch.iter().enumerate() {
            let next = catcher.next.as_ref().and_then(|next| next.state);
            if let (Some(next), ResultPath::Replace) = (next, &catcher.result_path) {
                let place = (catcher.span.opening(), at.at(&format!("Catch[{index}]")));
                let by = Dropper {
                    name: format!("Catch[{index}] of \"{}\"", at.state.name),
                    help: "a ResultPath such as $.error keeps the input; the error is then read from $.error",
                };
                let kept = vec!["Error".into(), "Cause".into()];
                self.dropped_before(at, next, kept, &by, place);
            }
        }
    }

    fn dropped_before(
        &mut self,
        at: StateAt<'d>,
        next: StateId,
        kept: Vec<Text>,
        by: &Dropper,
        place: (Span, String),
    ) {
        let only = kept.join(", ");
        // Searches are cached, because many catchers may lead to the same handler.
        let key = (next, only.clone());
        let found = self.searched.get(&key).copied();
        let found =
            found.unwrap_or_else(|| self.read_after(at, next, &|_, name| kept.contains(name)));
        self.searched.insert(key, found);
        let Some(read) = found else { return };
        let only = if only.is_empty() { "nothing" } else { &only };
        let passes = format!("{} passes on only {only}", by.name);
        self.dropped_read(DROPPED, (&passes, by.help), place, read);
    }

    /// Reports a result without ResultPath that replaces members of the input which a later state reads.
    fn replaced(&mut self, at: StateAt<'d>, next: StateId, shapes: &Shapes) {
        let Some(replaced) = replaced_by(at, shapes) else {
            return;
        };
        let Replaced {
            what,
            rule,
            has,
            only,
        } = &replaced;
        // If the next state reads a member that no earlier state had, the member is probably meant to be one of the
        // result.
        let read = self.read_after(at, next, &|_, name| has(name));
        let read = read.filter(|read| only.is_none() || *rule == DROPPED && read.0 != next);
        let read = read.or_else(|| {
            let only = only.as_ref()?;
            // If a state that reads a member leads back to this one, the member may come from the result.
            let returned = RefCell::new(HashSet::default());
            let may = |id, name: &Text| {
                let is_returned = returned.borrow().contains(name)
                    || self.leads(id, at.id) && returned.borrow_mut().insert(name.clone());
                has(name) || !only.contains(name) || is_returned
            };
            self.read_after(at, next, &may)
        });
        let Some(read) = read else { return };
        let how = match at.get("ResultPath") {
            None => "has no ResultPath",
            Some(_) => "has the ResultPath $",
        };
        self.replacing.insert(at.id);
        let replaces = format!("\"{}\" {how}: {what} replaces its input", at.state.name);
        let (span, location) = at.name();
        let place = (span, location.to_string());
        self.dropped_read(*rule, (&replaces, BESIDE_RESULT), place, read);
    }

    /// The nearest read of a member that `at` dropped, and the state with this read. The search starts at `next`.
    fn read_after(
        &self,
        at: StateAt<'d>,
        next: StateId,
        may: &dyn Fn(StateId, &Text) -> bool,
    ) -> Option<(StateId, &'d Read<'d>)> {
        let by = Maker {
            state: at.id,
            part: Part::Field("ResultPath"),
        };
        self.read_behind(next, Shape::object([], by), by, may)
    }

    /// The nearest state that reads a member which an object lacks, and the read. `by` created the object, and `next`
    /// is entered with it. Members for which `may` is true count as present.
    fn read_behind(
        &self,
        next: StateId,
        object: Shape,
        by: Maker,
        may: &dyn Fn(StateId, &Text) -> bool,
    ) -> Option<(StateId, &'d Read<'d>)> {
        let mut seen = HashSet::from_iter([next]);
        let mut waiting = VecDeque::from([(next, Known::of(object))]);
        while let Some((id, known)) = waiting.pop_front() {
            let Some(at) = self.state_at(id) else {
                continue;
            };
            let is_lost =
                matches!(&known.input, Shape::Object { makers, .. } if makers.contains(&by));
            if at.is_jsonata() || seen.len() > FAR || !is_lost {
                continue;
            }
            let asked = tested_for_presence(at.state).into_iter().filter_map(names);
            let input = asked.fold(known.input.clone(), |input, names| input.asked(&names));
            let lacks = |name: &Text| {
                let lack = input.lack(std::slice::from_ref(name));
                lack.is_some_and(|lack| lack.makers.contains(&by)) && !may(id, name)
            };
            let mut reads = at.reads().iter();
            if let Some(read) = reads.find(|read| read.needs().is_some_and(lacks)) {
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

    /// True if one state leads to another. The search is limited.
    fn leads(&self, from: StateId, to: StateId) -> bool {
        let mut looked_at = 0;
        let reached: HashSet<StateId> = reach([from], |id| {
            looked_at += 1;
            let next = if looked_at > FAR { &[] } else { self.next(id) };
            next.iter().copied()
        });
        reached.contains(&to)
    }

    fn dropped_read(
        &mut self,
        rule: LintRule,
        (but, help): (&str, &str),
        (span, location): (Span, String),
        (reader, read): (StateId, &Read<'_>),
    ) {
        self.missing.insert(reader);
        let Some(reader) = self.definition.state(reader) else {
            return;
        };
        let message = format!("\"{}\" reads {}, but {but}", reader.name, read.path);
        self.report(rule, message, (span, &location), help);
        self.related(reader.name_span, "it is read here");
    }
}

fn replaced_by(at: StateAt<'_>, shapes: &Shapes) -> Option<Replaced> {
    let state = at.state;
    let whole = matches!(state.output_path, PathField::Whole);
    let replaces = matches!(state.result_path, ResultPath::Replace);
    if !replaces || state.template("ResultSelector").is_some() {
        return None;
    }
    let sure = |what, has| Replaced {
        what,
        rule: DROPPED,
        has,
        only: None,
    };
    let array = || Some(sure("the array of its results", |_| false)).filter(|_| whole);
    // A function's result probably lacks the input's members that were not passed to the function. This is only a
    // guess, because the result of a function is not known statically.
    let guess = |passed: Vec<Text>| {
        let mut known = known(at, shapes);
        known.retain(|name| !passed.contains(name));
        Some(Replaced {
            what: "the function's result, to which that was not passed,",
            rule: PERHAPS_DROPPED,
            has: |_| false,
            only: Some(known),
        })
    };
    let parameters = || state.template("Parameters");
    let task = match &state.kind {
        StateKind::Parallel { .. } => return array(),
        StateKind::Map(map) if map.writer.is_none() => return array(),
        StateKind::Task(task) => task,
        _ => return None,
    };
    match &task.integration {
        Integration::Service {
            pattern: CallPattern::Callback,
            ..
        } => None,
        Integration::Service { service, .. } if &**service == "lambda" => {
            let payload =
                matches!(&state.output_path, PathField::Path(path) if path.text() == "$.Payload");
            match payload {
                true => guess(passed_to_function(parameters()?)?),
                false => whole.then(|| Replaced {
                    only: Some(known(at, shapes)),
                    ..sure("the envelope that lambda:invoke returns", |name| {
                        ENVELOPE.contains(&name)
                    })
                }),
            }
        }
        // The members of a response start with a capital letter.
        Integration::Service { .. } if whole => Some(sure("the service's answer", |name| {
            name.starts_with(|first: char| first.is_uppercase())
        })),
        Integration::Lambda if whole => guess(passed(parameters()?, 0)?),
        _ => None,
    }
}

/// The names that `lambda:invoke` passes to the function; `None` if the whole input is passed.
fn passed_to_function(parameters: &Template) -> Option<Vec<Text>> {
    let names = parameters.names().unwrap_or_default();
    names
        .iter()
        .any(|name| &**name == "Payload")
        .then(|| passed(parameters, 1))?
}

/// The computed names at a given depth of a template; `None` if one of their values is the whole input.
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

/// The members that the input of a state certainly has: those that earlier states read or made, and those that the
/// state itself reads.
fn known(at: StateAt<'_>, shapes: &Shapes) -> Vec<Text> {
    let needed = at.reads().iter().filter_map(Read::needs).cloned();
    shapes
        .input(at.id)
        .names()
        .into_iter()
        .chain(needed)
        .collect()
}

/// The members of a state's output, if they are known statically and do not depend on the input.
fn output_names(state: &State) -> Option<Vec<Text>> {
    let plain = matches!(state.output_path, PathField::Whole)
        && matches!(state.result_path, ResultPath::Replace)
        && state.language == QueryLanguage::JsonPath;
    match &state.kind {
        _ if !plain => None,
        StateKind::Pass {
            result: Some(result),
        } => {
            let members = result.as_object()?.members().iter();
            Some(members.map(|(name, _)| name.clone()).collect())
        }
        StateKind::Pass { result: None } => state.template("Parameters")?.names(),
        StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Map(_) => {
            state.template("ResultSelector")?.names()
        }
        _ => None,
    }
}

/// A path that selects nothing, because an earlier state dropped the data.
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
    /// Returns the nearest state, starting with `next`, that reads one of the members `dropped` from its input, if
    /// `next` is entered without them.
    #[must_use]
    pub fn read_of_dropped(&self, next: StateId, dropped: Vec<Text>) -> Option<DroppedRead> {
        let by = Maker {
            state: next,
            part: Part::Envelope,
        };
        let facts = Facts::of(self);
        let checker = Checker::new(self, &facts, Profile::Aws);
        let object = Shape::without(dropped, by);
        let (state, read) = checker.read_behind(next, object, by, &|_, _| false)?;
        Some(DroppedRead {
            state,
            path: read.path.as_str().into(),
            span: read.span,
        })
    }
}
