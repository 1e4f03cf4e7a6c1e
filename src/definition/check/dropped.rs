//! Checks for states that drop data which a later state reads.

use super::flow::FAR;
use super::invocation::ENVELOPE;
use super::lost::{DroppedRead, read_behind};
use super::reach::closure;
use super::shape::{Maker, Part, Shape};
use super::shapes::{Shapes, first_name};
use super::{Checker, StateAt};
use crate::definition::inputs::reads;
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::definition::{
    CallPattern, Catcher, Integration, LintRule, PathField, QueryLanguage, ResultPath, State,
    StateId, StateKind, Target, Transition,
};
use crate::json::{Step, Text};
use crate::query::{Path, Template};
use crate::source::Span;

rules! {
    DROPPED = 81, "dropped", "DROPPED_AND_READ", Severities::WARNING,
        "a state replaces its input, and a later one reads what was in it" {
            PERHAPS_DROPPED = Severities::INFO, "where a function could put it into its result";
        };
}

/// Members of the input that are lost when the result replaces the input.
enum Dropped {
    /// These members.
    These(Vec<Text>),
    /// Every member but these.
    AllBut(Vec<Text>),
    /// Every member except those whose names start with a capital letter, as in a service's response.
    AllButAnswer,
}

/// Description of a result that replaces the input.
struct Replaced {
    dropped: Dropped,
    /// Description of the result for the message.
    what: &'static str,
    rule: LintRule,
}

impl Checker<'_> {
    pub(super) fn dropped(&mut self, at: StateAt<'_>, shapes: &Shapes) {
        let state = at.state;
        if at.is_jsonata() {
            return;
        }
        if let Transition::Next(next) = &state.transition {
            match output_names(state) {
                Some(names) => {
                    let field = ["ResultSelector", "Result", "Parameters"]
                        .into_iter()
                        .find(|name| at.get(name).is_some())
                        .unwrap_or("Type");
                    let span = at.get(field).map_or(state.name_span, opening);
                    self.dropped_before(at, next, names, (span, at.at(field)));
                }
                None => self.replaced(at, next, shapes),
            }
        }
        for (place, catcher) in state.catch.iter().enumerate() {
            if let (Some(next), Some(names)) = (&catcher.next, error_names(catcher)) {
                let location = at.at(&format!("Catch[{place}]"));
                let span = Span {
                    end: catcher.span.end.min(catcher.span.start.saturating_add(1)),
                    ..catcher.span
                };
                self.dropped_before(at, next, names, (span, location));
            }
        }
    }

    fn dropped_before(
        &mut self,
        at: StateAt<'_>,
        next: &Target,
        kept: Vec<Text>,
        (span, location): (Span, String),
    ) {
        let only = kept.join(", ");
        let Some(start) = next.state else { return };
        // Many catchers may lead to the same handler.
        let key = (start, only.clone());
        let found = match self.searched.get(&key) {
            Some(found) => found.clone(),
            None => {
                let found = self.read_behind(at, next, &Dropped::AllBut(kept));
                self.searched.insert(key, found.clone());
                found
            }
        };
        let Some(read) = found else { return };
        let only = if only.is_empty() { "nothing" } else { &only };
        let message = format!(
            "{} reads {}, but this passes on only {only}",
            self.quoted(read.state),
            read.path
        );
        self.dropped_read(DROPPED, message, span, location, &read);
    }

    /// Reports a result without ResultPath that replaces members of the input which a later state reads.
    fn replaced(&mut self, at: StateAt<'_>, next: &Target, shapes: &Shapes) {
        let Some(mut replaced) = self.replaced_by(at, shapes) else {
            return;
        };
        let read = loop {
            let Some(read) = self.read_behind(at, next, &replaced.dropped) else {
                return;
            };
            let path = Path::parse(&read.path).ok();
            match (
                &mut replaced.dropped,
                path.and_then(|path| first_name(&path)),
            ) {
                // If the reading state leads back to this one, the member may come from the result.
                (Dropped::These(names), Some(name)) if self.leads(read.state, at.id) => {
                    names.retain(|own| *own != name);
                }
                _ => break read,
            }
        };
        let reader = self.quoted(read.state);
        let how = match at.get("ResultPath") {
            None => "has no ResultPath",
            Some(_) => "has the ResultPath $",
        };
        let message = format!(
            "{reader} reads {}, but \"{}\" {how}: {} replaces its input",
            read.path, at.state.name, replaced.what
        );
        self.replacing.insert(at.id);
        let location = at.state.location.to_string();
        self.dropped_read(replaced.rule, message, at.state.name_span, location, &read);
    }

    fn replaced_by(&self, at: StateAt<'_>, shapes: &Shapes) -> Option<Replaced> {
        let state = at.state;
        let whole = matches!(state.output_path, PathField::Whole);
        let replaces = matches!(state.result_path, ResultPath::Replace);
        if !replaces || state.template("ResultSelector").is_some() {
            return None;
        }
        let sure = |dropped, what| {
            Some(Replaced {
                dropped,
                what,
                rule: DROPPED,
            })
        };
        match &state.kind {
            StateKind::Parallel { .. } if whole => {
                sure(Dropped::AllBut(Vec::new()), "the array of its results")
            }
            StateKind::Map(map) if whole && map.writer.is_none() => {
                sure(Dropped::AllBut(Vec::new()), "the array of its results")
            }
            StateKind::Task(task) => match &task.integration {
                Integration::Service {
                    pattern: CallPattern::Callback,
                    ..
                } => None,
                Integration::Service { service, .. } if &**service == "lambda" => {
                    let payload = matches!(&state.output_path, PathField::Path(path) if path.text() == "$.Payload");
                    let known = known(at, shapes);
                    if payload {
                        let passed = passed_to_function(state.template("Parameters")?)?;
                        return Some(guess(known, &passed));
                    }
                    whole.then(|| self.by_envelope(at, known))
                }
                Integration::Service { .. } if whole => {
                    sure(Dropped::AllButAnswer, "the service's answer")
                }
                Integration::Lambda if whole => {
                    let passed = passed(state.template("Parameters")?, 0)?;
                    Some(guess(known(at, shapes), &passed))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The members that the envelope of `lambda:invoke` drops. If the next state reads a member that no earlier state
    /// had, the member may be meant to be the function's; that case is left to the rule about envelopes.
    fn by_envelope(&self, at: StateAt<'_>, mut known: Vec<Text>) -> Replaced {
        let envelope = || Dropped::AllBut(ENVELOPE.into_iter().map(Text::from).collect());
        let read = match &at.state.transition {
            Transition::Next(next) => self
                .read_behind(at, next, &envelope())
                .filter(|read| Some(read.state) != next.state),
            _ => None,
        };
        let dropped = match read {
            Some(_) => envelope(),
            _ => {
                known.retain(|name| !ENVELOPE.contains(&&**name));
                Dropped::These(known)
            }
        };
        Replaced {
            dropped,
            what: "the envelope that lambda:invoke returns",
            rule: DROPPED,
        }
    }

    fn read_behind(
        &self,
        at: StateAt<'_>,
        next: &Target,
        dropped: &Dropped,
    ) -> Option<DroppedRead> {
        let is_answer = matches!(dropped, Dropped::AllButAnswer);
        let by = Maker {
            state: at.id,
            part: Part::Field("ResultPath"),
        };
        let object = match dropped {
            Dropped::These(names) => Shape::without(names.clone(), by),
            Dropped::AllBut(names) => {
                Shape::object(names.iter().map(|name| (name.clone(), Shape::Anything)), by)
            }
            Dropped::AllButAnswer => Shape::object([], by),
        };
        let may = |name: &Text| is_answer && name.starts_with(|first: char| first.is_uppercase());
        read_behind((self.definition, self.facts), next.state?, object, by, &may)
    }

    /// True if one state leads to another. The search is limited.
    fn leads(&self, from: StateId, to: StateId) -> bool {
        let mut looked_at = 0;
        let reached = closure([from], |id| {
            looked_at += 1;
            match looked_at > FAR {
                true => &[],
                false => self.next(id),
            }
        });
        reached.contains(&to)
    }

    fn quoted(&self, id: StateId) -> String {
        let state: Option<&State> = self.definition.state(id);
        format!("\"{}\"", state.map_or("?", |state| &*state.name))
    }

    fn dropped_read(
        &mut self,
        rule: LintRule,
        message: String,
        span: Span,
        location: String,
        read: &DroppedRead,
    ) {
        self.missing.insert(read.state);
        let mut diagnostic = self
            .found(rule, message)
            .at(span, location)
            .help("a ResultPath such as $.result keeps the input beside the result");
        if let Some(reader) = self.definition.state(read.state) {
            diagnostic = diagnostic.related(reader.name_span, "it is read here");
        }
        self.add(diagnostic);
    }
}

/// The members that were not passed to a function, so its result probably lacks them. This is only a guess,
/// because the result of a function is not known statically.
fn guess(mut known: Vec<Text>, passed: &[Text]) -> Replaced {
    known.retain(|name| !passed.contains(name));
    Replaced {
        dropped: Dropped::These(known),
        what: "the function's result, to which that was not passed,",
        rule: PERHAPS_DROPPED,
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
    let own = reads(at.state).into_iter().filter_map(first_name);
    shapes.input(at.id).names().into_iter().chain(own).collect()
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

/// The members of a catcher's output, if that is only the error.
fn error_names(catcher: &Catcher) -> Option<Vec<Text>> {
    matches!(catcher.result_path, ResultPath::Replace).then(|| vec!["Error".into(), "Cause".into()])
}
