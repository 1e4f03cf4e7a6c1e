//! Explains the values that a state's fields produced: the effective Output and Assign, the input of a Map's items,
//! members that no field reads, and single results that are not in an array.

use crate::definition::{
    Compiled, Definition, FieldAt, Make, Map, Owner, PathField, Quantity, Source, State, StateKind,
};
use crate::interpreter::{Frame, Stage};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::jsonata::Tree;
use crate::query::{Root, Template, jsonata};
use crate::session::fault;
use crate::session::in_state::InState;
use crate::session::no_items::selected;
use crate::session::values_read::names;
use crate::session::written::{field_text, pointer_of};
use crate::source::{Node, Span};

/// Location of the Assign that took effect when the state was left.
pub(super) fn assign(state: &State, frame: &Frame) -> Option<Span> {
    // An Assign that is evaluated together with Output takes effect only after the Output.
    if frame.visit.assigned.is_empty() || !frame.has_assigned() {
        return None;
    }
    state.assign_by(frame.visit.way())?.written
}

/// The Output of the Choice rule that matched, as text, and its location: `Choices[1].Output 2 fields`.
pub(super) fn of_rule(
    definition: &Definition,
    state: &State,
    frame: &Frame,
) -> Option<(String, Span)> {
    let step = state.step_by(Stage::Output, frame.visit.way())?;
    let is_of_rule = matches!(step.field.owner, Owner::Rule(_));
    let span = step.written.filter(|_| is_of_rule)?;
    let text = field_text(definition, span)?;
    Some((format!("{} {text}", step.field), span))
}

/// If a field builds the value of its stage only from the previous stage: names of the members of the previous stage
/// that the field does not read.
pub(super) fn unread(state: &State, frame: &Frame, stage: Stage) -> Option<Vec<Text>> {
    let step = state.step(stage).filter(|_| stage != Stage::Output)?;
    let is_built = matches!(step.make, Make::Template | Make::Jsonata) && step.written.is_some();
    let is_anew = is_built && step.replaces().eq([step.dollar]);
    left_out(state, frame, stage).filter(|_| is_anew)
}

/// Names of the members that were lost when the value of a stage replaced earlier data: the field of the stage does not
/// read them, and the new value does not have them. `None` if the field may read all members.
pub(super) fn left_out(state: &State, frame: &Frame, stage: Stage) -> Option<Vec<Text>> {
    let value = frame.visit.data.get(stage);
    let value = value.filter(|_| stage != Stage::AfterItemsPath)?;
    let step = state.step_by(stage, frame.visit.way())?;
    let replaced = step.replaces().next()?;
    let read = match state.compiled(step.field) {
        None | Some(Compiled::Insert(_) | Compiled::Select(PathField::Null)) => Vec::new(),
        Some(Compiled::Select(PathField::Path(path))) => match path.names()?.into_iter().next() {
            Some(Step::Member(name)) => vec![name],
            _ => Vec::new(),
        },
        Some(Compiled::Template(template)) => read_by(template, replaced)?,
        Some(Compiled::Jsonata(template)) => read_by_jsonata(template, replaced)?,
        Some(_) => return None,
    };
    let document = match replaced {
        Source::Item => {
            let group = frame.visit.group.as_ref()?;
            group.work.item(group.selected?)?.value
        }
        replaced => frame.visit.document(replaced)?,
    };
    let (kept, mut left) = (names(value), names(&document));
    left.retain(|name| !read.contains(name) && !kept.contains(name));
    Some(left)
}

/// The JSONata template that produced a stage, and its field. If a catcher or rule led out of the state, the template
/// of that catcher or rule.
fn output_of<'s>(
    state: &'s State,
    frame: &Frame,
    stage: Stage,
) -> Option<(FieldAt, &'s jsonata::Template)> {
    let step = state.step_by(stage, frame.visit.way())?;
    match state.compiled(step.field)? {
        Compiled::Jsonata(template) => Some((step.field, template)),
        _ => None,
    }
}

/// Number of path steps from the state to the value of a field.
fn above(field: FieldAt) -> usize {
    pointer_of(&field.aws()).0.len()
}

/// Names of the members that a template reads from a document (an item, or `$`); `None` if it may read all of them.
fn read_by(template: &Template, document: Source) -> Option<Vec<Text>> {
    let above: &[&str] = match document {
        Source::Item => &["Map", "Item", "Value"],
        _ => &[],
    };
    let mut read = Vec::new();
    for (_, expression) in template.expressions() {
        for path in expression.paths() {
            match (path.root(), document) {
                (Root::Context, Source::Item) => {}
                (Root::Data, document) if document != Source::Item => {}
                _ => continue,
            }
            let names = path.names()?;
            let mut common = names.iter().zip(above);
            if !common
                .all(|(step, name)| matches!(step, Step::Member(member) if **member == **name))
            {
                continue;
            }
            match names.get(above.len())? {
                Step::Member(name) => read.push(name.clone()),
                // This path may read any member.
                Step::Item(_) => return None,
            }
        }
    }
    Some(read)
}

/// Names of the members that a template reads from `$states.input`. `None` if it may read all of them, or if `document`
/// is not a stage.
fn read_by_jsonata(template: &jsonata::Template, document: Source) -> Option<Vec<Text>> {
    matches!(document, Source::Stage(_)).then_some(())?;
    let mut read = Vec::new();
    for expression in template.expressions() {
        for path in expression.parsed()?.root().paths() {
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

/// Remarks on the value of a stage: one sentence for each single result that is not in an array, and for each missing
/// member.
pub(super) fn remarks(at: InState<'_>, stage: Stage) -> Vec<String> {
    let made = output_of(at.state, at.frame, stage).zip(at.frame.visit.data.get(stage));
    let Some(((field, template), value)) = made else {
        return Vec::new();
    };
    let above = above(field);
    let mut said = of_template(template, above, value);
    said.extend(gaps(at, (template, above), |at| {
        Pointer(at.to_vec()).get(value).cloned()
    }));
    said
}

/// Remarks on the variables of the Assign that took effect when the state was left.
pub(super) fn assign_remarks(at: InState<'_>) -> Vec<String> {
    let (frame, state) = (at.frame, at.state);
    let step = state.assign_by(frame.visit.way());
    let step = step.filter(|_| frame.has_assigned());
    let made = step.and_then(|step| Some((step.field, state.compiled(step.field)?)));
    match made {
        Some((field, Compiled::Jsonata(template))) => {
            let value = |at: &[Step]| {
                let (Step::Member(name), rest) = at.split_first()? else {
                    return None;
                };
                Pointer(rest.to_vec())
                    .get(frame.variables.get(name)?)
                    .cloned()
            };
            gaps(at, (template, above(field)), value)
        }
        _ => Vec::new(),
    }
}

/// One sentence for each expression that filters an array, or that maps over an array in which some items lack a value.
/// `value` returns the value at a position in the output.
fn gaps(
    InState { machine, frame, .. }: InState<'_>,
    (template, above): (&jsonata::Template, usize),
    value: impl Fn(&[Step]) -> Option<Value>,
) -> Vec<String> {
    let said = template.expressions().iter().filter_map(|expression| {
        let steps = pointer_of(&expression.location).0;
        let at = steps.get(above..)?;
        let (field, tree) = (field_name(at), expression.parsed()?);
        fault::remark(machine, frame, tree, &field).or_else(|| {
            let count = value(at)?.as_array()?.len();
            let selected = selected(machine, frame, tree, count)?;
            Some(format!("{field} {selected}"))
        })
    });
    said.collect()
}

/// Name of an output field in a sentence, such as `a.b`; `the value` for the whole value.
fn field_name(at: &[Step]) -> String {
    match at {
        [] => "the value".to_owned(),
        _ => {
            let place = Pointer(at.to_vec()).to_string();
            place.trim_start_matches("$.").to_owned()
        }
    }
}

/// Remarks on the item input that ItemSelector produced, while the item is in its first state.
pub(super) fn item_remarks(map: &Map, input: Option<&Value>) -> Vec<String> {
    match (&map.jsonata_selector, input) {
        (Some(selector), Some(input)) if map.batcher.is_none() => of_template(selector, 1, input),
        _ => Vec::new(),
    }
}

/// Remarks on the expressions of a template, one sentence each; `above` is the number of path steps from the state to
/// the template.
fn of_template(template: &jsonata::Template, above: usize, value: &Value) -> Vec<String> {
    let said = template.expressions().iter().flat_map(|expression| {
        let steps = pointer_of(&expression.location).0;
        let at = steps.get(above..);
        let tree = expression.parsed();
        let single = at.and_then(|at| single(tree?, at, value));
        let unmade = at.and_then(|at| Some(unmade(tree?, at, value)));
        single.into_iter().chain(unmade.into_iter().flatten())
    });
    said.collect()
}

/// Remarks on members that an expression names but its result lacks, because the values of the members do not exist.
fn unmade(tree: &Tree, at: &[Step], value: &Value) -> Vec<String> {
    let Some(value) = Pointer(at.to_vec()).get(value) else {
        return Vec::new();
    };
    let members = tree.left_out(value).into_iter();
    let said = members.map(|member| {
        let name = Pointer(at.to_vec()).to_string();
        let name = match name.trim_start_matches('$').trim_start_matches('.') {
            "" => member.name,
            above => format!("{above}.{}", member.name),
        };
        let reason = match member.path {
            Some(path) => format!("{path} finds nothing"),
            None => "the expression has no value".to_owned(),
        };
        match member.of {
            (missing, all) if missing == all => format!("{name} is left out because {reason}"),
            (missing, all) => {
                format!("{name} is left out of {missing} of {all} objects because {reason}")
            }
        }
    });
    said.collect()
}

/// Remark on an expression that returned a single value, although it returns an array if there are several values.
fn single(tree: &Tree, at: &[Step], value: &Value) -> Option<String> {
    let place = Pointer(at.to_vec());
    let value = place.get(value)?;
    if matches!(value, Value::Array(_) | Value::Null) {
        return None;
    }
    let jsonata::Made::Each(selector, _) = tree.made() else {
        return None;
    };
    let name = field_name(at);
    Some(format!(
        "{selector} found one value, so {name} is that value and not an array; {{% [ … ] %}} keeps the array"
    ))
}

/// Short text after the name of a stage's field: the resource that ItemReader reads, or the size of a batch.
pub(super) fn in_short(definition: &Definition, state: &State, stage: Stage) -> Option<String> {
    let StateKind::Map(map) = &state.kind else {
        return None;
    };
    match stage {
        Stage::AfterItemReader => {
            let resource = &map.reader.as_ref()?.resource;
            let short = resource.rsplit(":::").next().unwrap_or(resource);
            Some(short.to_owned())
        }
        Stage::AfterItemBatcher => {
            let batcher = map.batcher.as_ref()?;
            let node = definition.node.at(state.field("ItemBatcher")?.value)?;
            let limits = [
                ("MaxItemsPerBatch", &batcher.max_items),
                ("MaxInputBytesPerBatch", &batcher.max_bytes),
            ];
            let limits = limits.into_iter().filter_map(|(name, limit)| {
                Some(format!(
                    "{name} {}",
                    limit_text(node, name, limit.as_ref()?)
                ))
            });
            Some(limits.collect::<Vec<_>>().join(", "))
        }
        _ => None,
    }
}

fn limit_text(node: &Node, name: &str, limit: &Quantity<u64>) -> String {
    match limit {
        Quantity::Constant(number) => number.to_string(),
        Quantity::Path(path) => path.text().to_string(),
        Quantity::Expression(_) => node
            .get(name)
            .and_then(Node::as_str)
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Index of the item whose input is shown at a stage; `None` if the stage shows all items, or none yet.
pub(super) fn item_at(frame: &Frame, stage: Stage) -> Option<u32> {
    let group = frame.visit.group.as_ref()?;
    group.selected.filter(|_| stage == Stage::AfterItemSelector)
}
