//! Checks for reads of members that the data of a state never has. Either an earlier state left the member out, or the
//! data is the response of a service, or the envelope in which `lambda:invoke` returns a function's result.

use super::facts::{Document, HashSet, Read};
use super::reach::Flow;
use super::shape::{Lack, Maker, Part, Shape};
use super::shapes::{Shapes, answering};
use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{ResultPath, Source, Stage, StateId};
use crate::json::{Pointer, Step, Text};
use crate::source::{Node, Span, did_you_mean, nearest};
use std::collections::VecDeque;

lint_rules! {
    LEFT_OUT = 88, "left-out", "LEFT_OUT", Severities::WARNING,
        "a state reads a member that its input lacks on every path to the state";
    ANSWER = 97, "answer", "NOT_IN_ANSWER", Severities::WARNING,
        "a ResultSelector or Output reads a member from a service's result that only the state's input has";
    NOT_RETURNED = 105, "not-returned", "NOT_RETURNED", Severities::WARNING,
        "a state reads a member that the service's result never has" {
            NEW_RESULT = Severities::ON_AWS, "if the member may be newer than asldbg's catalogue of AWS services";
        };
    PAYLOAD = 80, "payload", "ENVELOPE", Severities::WARNING, "a read of lambda:invoke's result skips the member Payload";
}

/// Maximum number of member names that a message lists.
const NAMED: usize = 8;
/// Maximum number of states that a message lists.
const MAKERS: usize = 3;

impl<'d> Checker<'d> {
    pub(super) fn left_out(&mut self, shapes: &Shapes, flow: &Flow<'d>) {
        let mut reported: HashSet<(String, Vec<Text>)> = HashSet::default();
        for at in self.states.clone() {
            let documents = shapes.documents(at);
            for read in at.reads() {
                let Some(document) = documents.read(read) else {
                    continue;
                };
                self.read_into_text(read, document);
                self.text_taken_for_number(at, read, document);
                let Some(lack) = document.lack(&read.names) else {
                    if read.document == Document::Made(Source::Stage(Stage::Result)) {
                        self.read_for_input(at, read, shapes.input(at.id));
                    }
                    continue;
                };
                let part = Part::Field("InputPath");
                let input_path = Maker { state: at.id, part };
                let all = lack.makers.iter().filter(|maker| **maker != input_path);
                let lacked = read.in_input(lack.steps);
                let had = |maker: &Maker| shapes.input(maker.state).lack(&lacked).is_none();
                let had_it = all.clone().find(|maker| had(maker));
                let Some(first) = had_it.or(all.clone().next()).copied() else {
                    continue;
                };
                let others = all.filter(|maker| {
                    maker.is_another_way(first) || maker.state != first.state && had(maker)
                });
                let others = others.copied().filter(|maker| *maker != first);
                let mut makers: Vec<Maker> = std::iter::once(first).chain(others).collect();
                match (first.part, &read.document) {
                    (Part::Answer, _) if !self.missing.contains(&at.id) || !read.is_of_input() => {
                        let input = shapes.input(at.id);
                        self.missed_in_answer(at, first, (read, &lack), input);
                    }
                    // Not reported: a read of a member that a service's response lacks, if the state's read of dropped
                    // data has already been reported. Also not reported: reads of members of other data that a
                    // variable or an error output lacks.
                    (Part::Answer, _)
                    | (_, Document::Variable(_) | Document::Made(Source::Error)) => {}
                    (Part::Envelope, _) => {
                        makers.retain(|maker| maker.part == Part::Envelope);
                        let mut replacing = makers.iter().map(|maker| maker.state);
                        // If the envelope of `lambda:invoke` replaces data that a later state reads, this has already
                        // been reported.
                        if !replacing.any(|state| self.replacing.contains(&state)) {
                            self.missed_in_envelope(&makers, &lacked, read);
                        }
                    }
                    (Part::Callback, _) => self.missed_in_callback(&lack, read),
                    // Reads of dropped data have already been reported.
                    _ if reported.insert((format!("{first:?}"), lacked.clone()))
                        && !self.missing.contains(&at.id) =>
                    {
                        let last = self.last_with(first.state, &lacked, (shapes, flow));
                        let lost = last.map(Some).or(had_it.is_none().then_some(None));
                        self.read_of_left_out((at, document), read, &lack, (&makers, lost));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Finds the nearest state before `from` that reads the member at the path `names` from its input. Returns this
    /// state if it, or a state between it and `from`, replaces its input; otherwise `None`.
    fn last_with(
        &self,
        from: StateId,
        names: &[Text],
        (shapes, flow): (&Shapes, &Flow<'_>),
    ) -> Option<StateId> {
        let mut seen = HashSet::from_iter([from]);
        let mut waiting = VecDeque::from([(from, false)]);
        while let Some((id, is_replaced)) = waiting.pop_front() {
            let at = self.state_at(id)?;
            let has = shapes.input(id).lack(names).is_none();
            let reads_it = |read: &Read<'_>| {
                read.is_of_input() && read.in_input(read.names.len()).starts_with(names)
            };
            if has && at.reads().iter().any(reads_it) {
                return is_replaced.then_some(id);
            }
            for before in flow.before(id) {
                if seen.insert(*before) {
                    let replaces = self.state_at(*before).is_some_and(replaces);
                    waiting.push_back((*before, is_replaced || replaces));
                }
            }
        }
        None
    }

    /// Reports a read of a member that is missing in the data that the parts of states in `makers` create. `last` is
    /// the last state that had the member. `last` is `Some(None)` if that state is not known, and `None` if the input
    /// of a maker has the member, so that the maker can pass it on.
    fn read_of_left_out(
        &mut self,
        (at, input): (StateAt<'d>, &Shape),
        read: &Read<'_>,
        lack: &Lack<'_>,
        (makers, last): (&[Maker], Option<Option<StateId>>),
    ) {
        let made = makers.iter().filter_map(|maker| {
            let by = self.state_at(maker.state)?;
            let (part_name, span) = part(by, maker.part);
            Some((by, part_name, span))
        });
        let made: Vec<(StateAt<'d>, String, Span)> = made.collect();
        let Some((by, _, span)) = made.first().cloned() else {
            return;
        };
        let reads = match read.asks {
            true => "asks for",
            false => "reads",
        };
        let mut parts = makers.iter().map(|maker| maker.part);
        let batch = parts.any(|part| part == Part::Field("ItemBatcher"));
        let members = listed(&lack.members);
        let reader = &at.state.name;
        let path = &read.path;
        let parts = made.iter();
        let parts = parts
            .map(|(by, part_name, _)| format!("{part_name} of \"{state}\"", state = by.state.name));
        let fields = all_of(parts);
        let message = match (batch, made.len()) {
            (true, _) => format!(
                "\"{reader}\" {reads} {path}, but a batch of \"{map}\" has only {members}",
                map = by.state.name
            ),
            (false, 1) => format!("\"{reader}\" {reads} {path}, but {fields} leaves it out"),
            (false, _) => format!("\"{reader}\" {reads} {path}, but {fields} leave it out"),
        };
        let name = read.names.get(lack.steps - 1);
        let near = name.and_then(|name| nearest(name, lack.members.iter().map(|name| &***name)));
        let elsewhere = name.and_then(|name| input.elsewhere(name));
        let is_at_read = batch || read.of_item || near.is_some() || elsewhere.is_some();
        let root = match (read.in_jsonata, read.is_of_input()) {
            (true, true) => "$states.input",
            (true, false) => "$states.result",
            (false, _) => "$",
        };
        let help = match (elsewhere, near) {
            (None, _) if read.of_item => {
                let item = match read.in_jsonata {
                    true => "$states.context.Map.Item.Value",
                    false => "$$.Map.Item.Value",
                };
                format!(
                    "if the item has this member, read {item}.{names}",
                    names = read.names.join(".")
                )
            }
            (Some(names), _) => format!("there is {root}.{}", names.join(".")),
            (None, Some(near)) => format!("did you mean \"{near}\"?"),
            (None, None) if batch => format!("the items of a batch are in {root}.Items"),
            (None, None) => {
                let last = last.map(|last| last.and_then(|id| self.definition.state(id)));
                match last {
                    None => {
                        format!(
                            "the output of this field has only {members}: let the field pass the missing member on, too"
                        )
                    }
                    Some(Some(state)) => format!(
                        "the input of this state has only {members}; \"{state}\" is the last state whose input has the missing member: store the member in a variable there, with Assign",
                        state = state.name
                    ),
                    Some(None) => {
                        format!(
                            "the state's input lacks the member, too: that input has only {members}"
                        )
                    }
                }
            }
        };
        if is_at_read {
            self.report(LEFT_OUT, message, read.place.value(), help);
            self.related(span, "the data that lacks the member is made here");
        } else {
            self.report(LEFT_OUT, message, (span, &by.state.location), help);
            self.related(read.place.node.span, "the missing member is read here");
        }
        for (_, _, span) in made.iter().skip(1) {
            self.related(*span, "the member is left out here, too");
        }
    }
}

impl Maker {
    /// True if both makers are catchers, or both are envelopes of `lambda:invoke` results.
    fn is_another_way(self, other: Self) -> bool {
        matches!(
            (self.part, other.part),
            (Part::Catcher(_), Part::Catcher(_)) | (Part::Envelope, Part::Envelope)
        )
    }
}

/// True if the result of a state replaces its input.
fn replaces(at: StateAt<'_>) -> bool {
    let works = matches!(at.kind(), Some("Task" | "Map" | "Parallel"));
    works
        && match at.is_jsonata() {
            true => at.get("Output").is_none(),
            false => matches!(at.state.result_path, ResultPath::Replace),
        }
}

/// The name of a part of a state (such as a field or a catcher) for a message, and the span of this part.
fn part(at: StateAt<'_>, part: Part) -> (String, Span) {
    let item = |list: &str, place: u32| {
        let items = at.get(list).and_then(Node::items);
        let node = items.and_then(|items| items.get(place as usize));
        let span = node.map_or(at.state.name_span, opening);
        (format!("{list}[{place}]"), span)
    };
    match part {
        Part::Field(name) => {
            let member = at.node.member(name);
            let span = member.map_or(at.state.name_span, |member| member.key.span);
            (name.to_string(), span)
        }
        Part::Rule(place) => item("Choices", place),
        Part::Catcher(place) => item("Catch", place),
        Part::Envelope => ("the envelope".to_string(), at.state.name_span),
        Part::Answer | Part::Callback => ("the answer".to_string(), at.state.name_span),
        Part::Path(span) | Part::Sequence(_, span) => (String::new(), span),
    }
}

pub(super) fn listed(members: &[&Text]) -> String {
    let names: Vec<&str> = members.iter().take(NAMED).map(|name| &***name).collect();
    match members.len() {
        0 => "nothing".to_string(),
        count if count > NAMED => format!("{} and {} more", names.join(", "), count - NAMED),
        _ => names.join(", "),
    }
}

/// The first few names and the number of the others, as a list for a message.
fn all_of(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(MAKERS);
    if more > 0 {
        names.truncate(MAKERS - 1);
        names.push(format!("{} more", more + 1));
    }
    joined(&names)
}

/// The names as a list: `a, b and c`.
pub(super) fn joined<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// The members of a response of `http:invoke`.
const HTTP: [&str; 4] = ["Headers", "ResponseBody", "StatusCode", "StatusText"];

impl Checker<'_> {
    /// Reports a read of a member that the response of a service lacks. `maker` identifies the state that called the
    /// service.
    fn missed_in_answer(
        &mut self,
        at: StateAt<'_>,
        maker: Maker,
        (read, lack): (&Read<'_>, &Lack<'_>),
        input: &Shape,
    ) {
        let by = self.definition.state(maker.state);
        let call = by.and_then(|by| Some((by, answering(by)?)));
        let (Some((by, (service, api))), Some(name)) = (call, read.names.get(lack.steps - 1))
        else {
            return;
        };
        let is_own = read.is_own();
        if read.asks || is_own && self.read_for_input(at, read, input) {
            return;
        }
        let message = match is_own {
            true => format!("{service}:{api} returns no {name}"),
            false => format!(
                "{service}:{api} of \"{state}\" returns no {name}",
                state = by.name
            ),
        };
        let (rule, help) = match did_you_mean(name, lack.members.iter().map(|name| &***name)) {
            Some(help) => (NOT_RETURNED, help),
            None => {
                let members = listed(&lack.members);
                (NEW_RESULT, format!("the result has only {members}"))
            }
        };
        self.report(rule, message, read.place.value(), help);
        if !is_own {
            self.related(by.name_span, "the result is returned here");
        }
    }

    /// Reports a read from the result of a service that was probably meant as a read from the state's input. This is
    /// the case if the service's response lacks the member and the input has it. Returns true if the read was reported.
    fn read_for_input(&mut self, at: StateAt<'_>, read: &Read<'_>, input: &Shape) -> bool {
        let (Some((service, api)), Some(name)) = (answering(at.state), read.names.first()) else {
            return false;
        };
        let lacks = match service {
            // Another rule checks the result of `lambda:invoke`.
            "lambda" => false,
            "http" => !HTTP.contains(&&**name),
            // In the responses of all other services, the names of members start with a capital letter.
            _ => name.starts_with(|first: char| first.is_lowercase()),
        };
        // The input must be known to have the member: an earlier state created the member, or this state reads it from
        // the input.
        let is_known = || {
            let mut reads = at.reads().iter();
            let is_it = |reads: &Read<'_>| {
                reads.is_of_input() && !reads.asks && reads.in_input(1).first() == Some(name)
            };
            input.names().contains(name) || reads.any(is_it)
        };
        if !lacks || !is_known() {
            return false;
        }
        let (path, names) = (&read.path, read.names.join("."));
        let message = format!(
            "{path} looks for {name} in the result of {service}:{api}, but {name} is in the state's input"
        );
        let help = match &at.state.result_path {
            _ if read.in_jsonata => format!("write $states.input.{names}"),
            ResultPath::Replace => format!(
                "keep the input with a ResultPath such as $.result, and read $.{names} in a later state"
            ),
            _ => format!("the state's ResultPath keeps the input: read $.{names} in a later state"),
        };
        self.report(ANSWER, message, read.place.value(), help);
        true
    }
}

impl<'d> Checker<'d> {
    /// Reports a read that expects the `lambda:invoke` envelope in the result of a callback, which has no envelope.
    fn missed_in_callback(&mut self, lack: &Lack<'_>, read: &Read<'_>) {
        let (before, after) = read.names.split_at(lack.steps.min(read.names.len()));
        let Some((name, outer)) = before.split_last().filter(|_| !read.asks) else {
            return;
        };
        let message = format!(
            "a result sent with a task token has no lambda:invoke envelope and therefore no {name}"
        );
        let names: Vec<&str> = outer.iter().chain(after).map(|name| &**name).collect();
        let root = std::iter::once(read.root.as_str());
        let inside: Vec<&str> = root.chain(names).collect();
        let help = match &**name {
            "Payload" => format!("write {}", inside.join(".")),
            _ => "the result is exactly what the function sent with SendTaskSuccess".to_string(),
        };
        self.report(PAYLOAD, message, read.place.value(), &*help);
    }

    /// Reports a read of a member that the envelopes returned by the states in `makers` lack.
    fn missed_in_envelope(&mut self, makers: &[Maker], lacked: &[Text], read: &Read<'_>) {
        let Some((name, outer)) = lacked.split_last() else {
            return;
        };
        if !read.is_of_input() {
            let message = format!("lambda:invoke returns an envelope that has no {name}");
            let help = match read.in_jsonata {
                true => format!(
                    "the function's return value is in Payload: read $states.result.Payload.{name}"
                ),
                false => "the function's return value is in Payload: read $.Payload, or set ResultSelector or OutputPath; a ResultPath also keeps the input".to_string(),
            };
            return self.report(PAYLOAD, message, read.place.value(), help);
        }
        let made = makers.iter().filter_map(|maker| self.state_at(maker.state));
        let made: Vec<StateAt<'d>> = made.collect();
        let states = all_of(made.iter().map(|at| format!("\"{}\"", at.state.name)));
        let of_context = !read.in_jsonata && read.path.starts_with("$.Map.Item");
        let message = match of_context {
            true => format!(
                "{path} looks for Map in the state's input, which has no member Map",
                path = read.path
            ),
            false => format!("lambda:invoke of {states} returns an envelope that has no {name}"),
        };
        let inside = [outer, &["Payload".into(), name.clone()]].concat();
        let makers = match made.len() {
            1 => states,
            _ => "each of these states".to_string(),
        };
        let payload = match read.in_jsonata {
            true => format!("$states.input.{}", inside.join(".")),
            false => Pointer(inside.into_iter().map(Step::Member).collect()).to_string(),
        };
        let replaces = |at: &StateAt<'_>| matches!(at.state.result_path, ResultPath::Replace);
        let field = match read.in_jsonata {
            true => "an Output",
            // An OutputPath is not suggested if it would remove other data.
            false if !made.iter().all(replaces) => "a ResultSelector",
            false => "a ResultSelector or OutputPath",
        };
        let had = |at: &&StateAt<'_>| {
            let is_it = |read: &Read<'_>| read.is_of_input() && read.names.starts_with(lacked);
            at.is_jsonata() && at.reads().iter().any(is_it)
        };
        let help = if of_context {
            format!("the context object is $$: write ${path}", path = read.path)
        } else if let Some(at) = made.iter().find(had) {
            let state = &at.state.name;
            format!(
                "\"{state}\" reads {name} from its own input, which the envelope replaces: keep {name} with Assign or an Output of \"{state}\"; the function's return value is {payload}"
            )
        } else {
            format!(
                "the function's return value is in Payload: read {payload}, or give {makers} {field}"
            )
        };
        self.report(PAYLOAD, message, read.place.value(), help);
        for at in made.iter().filter(|_| made.len() > 1) {
            self.related(
                at.state.name_span,
                "this state returns the whole response of the call, not only its Payload",
            );
        }
    }
}
