//! Data that a state throws away and a later one reads.
//!
//! It must not know how the search goes: the definition's `read_of_dropped` does.

use super::flow::Flow;
use super::invocation::ENVELOPE;
use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::definition::{
    CallPattern, Dropped, DroppedRead, Integration, LintRule, PathField, ResultPath, State,
    StateId, StateKind, Target, Transition,
};
use crate::json::{Step, Text};
use crate::query::Template;
use crate::source::Span;

rules! {
    DROPPED = 81, "dropped", "DROPPED_AND_READ", Severities::WARNING,
        "a state replaces its input, and a later one reads what was in it" {
            PERHAPS_DROPPED = Severities::INFO, "where a function could put it into its result";
        };
}

/// What the result of a state in place of its input drops.
struct Replaced {
    dropped: Dropped,
    /// What is known of the result.
    what: &'static str,
    rule: LintRule,
}

impl Checker<'_> {
    pub(super) fn dropped(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let state = at.state;
        if at.is_jsonata() {
            return;
        }
        if let Transition::Next(next) = &state.transition {
            match self.definition.output_names(state) {
                Some(names) => {
                    let field = ["ResultSelector", "Result", "Parameters"]
                        .into_iter()
                        .find(|name| at.get(name).is_some())
                        .unwrap_or("Type");
                    let span = at.get(field).map_or(state.name_span, opening);
                    self.dropped_before(next, names, span, at.at(field));
                }
                None => self.replaced(at, next, flow),
            }
        }
        for (place, catcher) in state.catch.iter().enumerate() {
            if let (Some(next), Some(names)) = (&catcher.next, catcher.output_names()) {
                let location = at.at(&format!("Catch[{place}]"));
                let span = Span {
                    end: catcher.span.end.min(catcher.span.start.saturating_add(1)),
                    ..catcher.span
                };
                self.dropped_before(next, names, span, location);
            }
        }
    }

    fn dropped_before(&mut self, next: &Target, kept: Vec<Text>, span: Span, location: String) {
        let only = kept.join(", ");
        let Some(start) = next.state else { return };
        // Many catchers lead to one handler.
        let key = (start, only.clone());
        let found = match self.searched.get(&key) {
            Some(found) => found.clone(),
            None => {
                let found = self.read_behind(next, Dropped::AllBut(kept));
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

    /// A result without ResultPath, of which the text tells what it cannot hold.
    fn replaced(&mut self, at: StateAt<'_>, next: &Target, flow: &Flow<'_>) {
        let Some(replaced) = self.replaced_by(at, flow) else {
            return;
        };
        let Some(read) = self.read_behind(next, replaced.dropped) else {
            return;
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

    fn replaced_by(&self, at: StateAt<'_>, flow: &Flow<'_>) -> Option<Replaced> {
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
                    let known = self.known(at, flow);
                    if payload {
                        let passed = passed_to_function(state.template("Parameters")?)?;
                        return Some(guess(known, &passed));
                    }
                    whole.then(|| self.by_envelope(at, known))
                }
                Integration::Service { .. } if whole => {
                    sure(Dropped::AllButAnswer(Vec::new()), "the service's answer")
                }
                Integration::Lambda if whole => {
                    let passed = passed(state.template("Parameters")?, 0)?;
                    Some(guess(self.known(at, flow), &passed))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The envelope holds nothing of the input. What the next state reads and nothing before did may be meant to be the
    /// function's: the rule about envelopes says that.
    fn by_envelope(&self, at: StateAt<'_>, mut known: Vec<Text>) -> Replaced {
        let next = match &at.state.transition {
            Transition::Next(next) => next.state,
            _ => None,
        };
        let envelope = || ENVELOPE.into_iter().map(Text::from).collect();
        let read = next.and_then(|next| {
            self.definition
                .read_of_dropped(next, Dropped::AllBut(envelope()))
        });
        let dropped = match read {
            Some(read) if Some(read.state) != next => Dropped::AllBut(envelope()),
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

    fn known(&self, at: StateAt<'_>, flow: &Flow<'_>) -> Vec<Text> {
        self.definition
            .known_in_input(at.state, at.id, &|id| flow.before(id).to_vec())
    }

    fn read_behind(&self, next: &Target, dropped: Dropped) -> Option<DroppedRead> {
        self.definition.read_of_dropped(next.state?, dropped)
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

/// What a function drops that was not given it: whether its result holds it all the same, the text does not tell.
fn guess(mut known: Vec<Text>, passed: &[Text]) -> Replaced {
    known.retain(|name| !passed.contains(name));
    Replaced {
        dropped: Dropped::These(known),
        what: "the function's result, to which that was not passed,",
        rule: PERHAPS_DROPPED,
    }
}

/// The names of what `lambda:invoke` passes to the function; `None` where that is the whole input.
fn passed_to_function(parameters: &Template) -> Option<Vec<Text>> {
    let names = parameters.names().unwrap_or_default();
    names
        .iter()
        .any(|name| &**name == "Payload")
        .then(|| passed(parameters, 1))?
}

/// The names at a depth of a template whose values are computed; `None` where one of them is the whole input.
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
