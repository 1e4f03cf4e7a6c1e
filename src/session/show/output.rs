//! What the fields of a state made and left out: the Output and Assign that took effect, members that nothing reads, single
//! results without an array.
//!
//! It must not know how a value is shown.

use super::data::{field_text, names};
use super::gap;
use crate::definition::{Definition, Jsonata, Map, State, StateKind};
use crate::interpreter::{Edge, Frame, Handled, Machine, Stage};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::{Root, Template, jsonata};
use crate::source::{Node, Span};

/// The rule, the catcher or the state itself, whichever decides what goes out: its node, and its fields in JSONata.
fn deciding<'d>(
    definition: &'d Definition,
    state: &'d State,
    frame: &Frame,
) -> Option<(Option<&'d Node>, &'d Jsonata)> {
    let node = |span: Span| definition.node.at(span);
    match (frame.visit.handled, frame.visit.edge, &state.kind) {
        (Some(Handled::Catcher(place)), ..) => {
            let catcher = state.catch.get(place as usize)?;
            Some((node(catcher.span), &catcher.jsonata))
        }
        (_, Some(Edge::Rule(place)), StateKind::Choice(choice)) => {
            let rule = choice.rules.get(place as usize)?;
            Some((node(rule.span), &rule.jsonata))
        }
        _ => Some((node(state.span), &state.jsonata)),
    }
}

/// Where the Assign stands that took effect as the state was left.
pub(super) fn assign(definition: &Definition, state: &State, frame: &Frame) -> Option<Span> {
    // An Assign that is evaluated with the Output takes effect behind it.
    if frame.visit.assigned.is_empty() || !frame.has_assigned() {
        return None;
    }
    let (node, _) = deciding(definition, state, frame)?;
    Some(node?.get("Assign")?.span)
}

/// `Choices[1].Output 2 fields`: the Output of the rule that was taken, and where it stands.
pub(super) fn of_rule(
    definition: &Definition,
    state: &State,
    frame: &Frame,
) -> Option<(String, Span)> {
    let (Some(Edge::Rule(place)), StateKind::Choice(_)) = (frame.visit.edge, &state.kind) else {
        return None;
    };
    let (node, _) = deciding(definition, state, frame)?;
    let span = node?.get("Output")?.span;
    let text = field_text(definition, span)?;
    Some((format!("Choices[{place}].Output {text}"), span))
}

/// The members that nothing reads, of a stage that is made anew of the one before it.
pub(super) fn unread(state: &State, frame: &Frame, stage: Stage) -> Option<Vec<Text>> {
    let data = &frame.visit.data;
    let made = names(data.get(stage)?);
    let (before, read) = match stage {
        Stage::AfterParameters => {
            let read = read_by(state.parameters.as_ref()?)?;
            (data.get(Stage::AfterInputPath)?, read)
        }
        Stage::AfterResultSelector => {
            let read = read_by(state.result_selector.as_ref()?)?;
            (data.get(Stage::Result)?, read)
        }
        Stage::AfterArguments => {
            let read = read_by_jsonata(state.jsonata.arguments.as_ref()?)?;
            (data.get(Stage::Input)?, read)
        }
        _ => return None,
    };
    let left = names(before).into_iter();
    // A member of the same name stands there as one that changed.
    Some(
        left.filter(|name| !read.contains(name) && !made.contains(name))
            .collect(),
    )
}

/// The members of the input that a state in JSONata does not pass on, and whether an Output says so.
pub(super) fn left_out(
    definition: &Definition,
    state: &State,
    frame: &Frame,
) -> Option<(bool, Vec<Text>)> {
    let works = matches!(
        state.kind,
        StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Map(_)
    );
    let (_, fields) = deciding(definition, state, frame)?;
    let read = match &fields.output {
        Some(template) => read_by_jsonata(template)?,
        None if works => Vec::new(),
        None => return None,
    };
    let kept = names(frame.visit.data.get(Stage::Output)?);
    let mut left = names(frame.visit.data.get(Stage::Input)?);
    left.retain(|name| !read.contains(name) && !kept.contains(name));
    Some((fields.output.is_some(), left))
}

/// The members of the document that a template reads; `None` where it may read them all.
fn read_by(template: &Template) -> Option<Vec<Text>> {
    let mut read = Vec::new();
    for (_, expression) in template.expressions() {
        for path in expression.paths() {
            if !matches!(path.root(), Root::Data) {
                continue;
            }
            match path.names().as_deref().map(<[_]>::first) {
                Some(Some(Step::Member(name))) => read.push(name.clone()),
                // The whole document, or a path that may read anything.
                _ => return None,
            }
        }
    }
    Some(read)
}

/// The members of `$states.input` that a template reads; `None` where it may read them all.
fn read_by_jsonata(template: &jsonata::Template) -> Option<Vec<Text>> {
    let mut read = Vec::new();
    for expression in template.expressions() {
        for path in jsonata::paths(&expression.text) {
            let [first, rest @ ..] = path.as_slice() else {
                continue;
            };
            match rest {
                _ if first != "states" => {}
                [input, member, ..] if input == "input" => read.push(member.as_str().into()),
                [other, ..] if other != "input" => {}
                _ => return None,
            }
        }
    }
    Some(read)
}

/// Single results that came without an array, and members that were left out, one sentence each.
pub(super) fn remarks(
    machine: &Machine,
    state: &State,
    frame: &Frame,
    stage: Stage,
) -> Vec<String> {
    let (items, selector) = match &state.kind {
        StateKind::Map(map) => (map.items.as_ref(), map.jsonata_selector.as_ref()),
        _ => (None, None),
    };
    let (template, above) = match (stage, frame.visit.handled, frame.visit.edge) {
        (Stage::AfterArguments, ..) => (state.jsonata.arguments.as_ref(), 1),
        (Stage::AfterItemsPath, ..) => (items, 1),
        (Stage::AfterItemSelector, ..) => (selector, 1),
        (Stage::Output, Some(Handled::Catcher(place)), _) => {
            let catcher = state.catch.get(place as usize);
            (catcher.and_then(|one| one.jsonata.output.as_ref()), 3)
        }
        (Stage::Output, _, Some(Edge::Rule(place))) => {
            let rule = match &state.kind {
                StateKind::Choice(choice) => choice.rules.get(place as usize),
                _ => None,
            };
            (rule.and_then(|one| one.jsonata.output.as_ref()), 3)
        }
        (Stage::Output, ..) => (state.jsonata.output.as_ref(), 1),
        _ => (None, 1),
    };
    let (Some(template), Some(value)) = (template, frame.visit.data.get(stage)) else {
        return Vec::new();
    };
    let mut said = of_template(template, above, value);
    said.extend(gaps(machine, frame, template, above));
    said
}

/// What is said of the variables that the Assign sets which took effect as the state was left.
pub(super) fn assign_remarks(machine: &Machine, state: &State, frame: &Frame) -> Vec<String> {
    let definition = machine.definition();
    let deciding = deciding(definition, state, frame).filter(|_| frame.has_assigned());
    let Some(template) = deciding.and_then(|(_, fields)| fields.assign.as_ref()) else {
        return Vec::new();
    };
    let first = template.expressions().first();
    let steps = first.map(|first| super::explain::pointer_of(&first.location).0);
    let is_assign = |step: &Step| matches!(step, Step::Member(name) if &**name == "Assign");
    match steps.and_then(|steps| steps.iter().position(is_assign)) {
        Some(at) => gaps(machine, frame, template, at + 1),
        None => Vec::new(),
    }
}

/// Of the expressions of a template that go through arrays, where some items have nothing there, one sentence each.
fn gaps(
    machine: &Machine,
    frame: &Frame,
    template: &jsonata::Template,
    above: usize,
) -> Vec<String> {
    let said = template.expressions().iter().filter_map(|expression| {
        let steps = super::explain::pointer_of(&expression.location).0;
        let field = field_name(steps.get(above..)?);
        gap::remark(machine, frame, &expression.text, &field)
    });
    said.collect()
}

/// `a.b`, as a sentence names a field of what is made; `this` for all of it.
fn field_name(at: &[Step]) -> String {
    match at {
        [] => "this".to_owned(),
        _ => {
            let place = Pointer(at.to_vec()).to_string();
            place.trim_start_matches("$.").to_owned()
        }
    }
}

/// What is said of the input of an item that ItemSelector made, while the item is in its first state.
pub(super) fn item_remarks(map: &Map, input: Option<&Value>) -> Vec<String> {
    match (&map.jsonata_selector, input) {
        (Some(selector), Some(input)) if map.batcher.is_none() => of_template(selector, 1, input),
        _ => Vec::new(),
    }
}

/// Of the expressions of a template, whose locations begin with so many names of fields, one sentence each.
fn of_template(template: &jsonata::Template, above: usize, value: &Value) -> Vec<String> {
    let said = template.expressions().iter().flat_map(|expression| {
        let steps = super::explain::pointer_of(&expression.location).0;
        let at = steps.get(above..);
        let single = at.and_then(|at| single(&expression.text, at, value));
        let unmade = at.map(|at| unmade(&expression.text, at, value));
        single.into_iter().chain(unmade.into_iter().flatten())
    });
    said.collect()
}

/// What is said of the members that an expression writes and its value has not.
fn unmade(text: &str, at: &[Step], value: &Value) -> Vec<String> {
    let Some(value) = Pointer(at.to_vec()).get(value) else {
        return Vec::new();
    };
    let members = jsonata::left_out(text, value).into_iter();
    let said = members.map(|member| {
        let name = Pointer(at.to_vec()).to_string();
        let name = match name.trim_start_matches('$').trim_start_matches('.') {
            "" => member.name,
            above => format!("{above}.{}", member.name),
        };
        let why = match member.path {
            Some(path) => format!("{path} finds nothing"),
            None => "its expression gives nothing".to_owned(),
        };
        match member.of {
            (missing, all) if missing == all => format!("{name} is left out: {why}"),
            (missing, all) => format!("{name} is left out of {missing} of {all}: {why} there"),
        }
    });
    said.collect()
}

/// What is said of an expression that found one value where it finds an array of several.
fn single(text: &str, at: &[Step], value: &Value) -> Option<String> {
    let place = Pointer(at.to_vec());
    let found = place.get(value)?;
    if matches!(found, Value::Array(_) | Value::Null) {
        return None;
    }
    let what = jsonata::gives_single(text)?;
    let name = field_name(at);
    Some(format!(
        "{what} gave one value: {name} is that value, not an array of one; {{% [ … ] %}} keeps the array"
    ))
}
