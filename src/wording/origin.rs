//! Sentences about origins of values.

use super::absent::barred;
use super::failure_cause::led_by;
use super::failure_cause::{chosen, oddity};
use super::written_place::{
    VALUE, branch_of, field_name, its, line_number, line_of, name_at, name_of, of_input, of_items,
    placed, shown,
};
use crate::definition::{Definition, QueryLanguage, StateId, StateKind};
use crate::interpreter::Stage;
use crate::json::{Step, Text, Value};
use crate::query::{Unevaluated, abridged};
use crate::session::note::duration;
use crate::session::origin::{
    Answered, Holder, How, LeftBy, Note, Origin, Root, Site, Took, WAIT_FIELDS, Write,
};
use crate::session::{AnsweredBy, Phrase};
use crate::source::in_line;

/// Describes the point with the index `place` in the chain of a value's origin. The first points are the fields that
/// wrote the value; the last is the root, where the value comes from in the end.
#[must_use]
pub fn stop(origin: &Origin, place: usize, definition: &Definition) -> Phrase {
    let said = chosen_or_made(origin, place, definition);
    let failed = origin.failed.as_ref().and_then(|write| write.why_failed());
    let lacked = origin.lacked.as_ref();
    match (lacked.and_then(|absent| barred(absent, definition)), failed) {
        (Some(barred), _) if place == 0 => Phrase::from(format!("{barred}; ")).join(said),
        // The reason for the failure comes last, because the user had it on the screen when asking for the origin.
        (_, Some(why)) if place == 0 && !origin.writes.is_empty() => {
            let line = failed_line(origin, definition);
            said.may(format!("; {}{line}", why.trim_end_matches('.')), 2)
        }
        _ => said,
    }
}

fn chosen_or_made(origin: &Origin, place: usize, definition: &Definition) -> Phrase {
    let Some(lead) = &origin.chosen else {
        return made(origin, place, definition);
    };
    let reached_by = match lead.by {
        LeftBy::Catcher(..) => format!("reached by {catcher}", catcher = led_by(lead, definition)),
        LeftBy::Rule(_) | LeftBy::Default => {
            format!("chosen by {rule}", rule = led_by(lead, definition))
        }
    };
    match place < origin.writes.len() {
        true => made(origin, place, definition).and(format!("; {reached_by}")),
        false => {
            let state = name_of(definition, lead.target);
            format!("{state} was {reached_by}").into()
        }
    }
}

fn made(origin: &Origin, place: usize, definition: &Definition) -> Phrase {
    let from_source = from(&origin.root, definition);
    let of = || placed(&origin.of, origin.state, definition);
    let Some(write) = origin.writes.get(place) else {
        let said = match (&origin.root, origin.writes.is_empty()) {
            (Root::Input(site), true) if site.at == origin.of.at => {
                format!(
                    "{path} is unchanged from the execution's input",
                    path = of()
                )
            }
            (Root::Led(_, lead), _) => {
                let (root, transition) = (root(&origin.root, definition), led_by(lead, definition));
                format!("{root}; reached by {transition}")
            }
            _ if origin.failure().is_some() => failed(origin, definition),
            _ => match origin.writes.iter().find(|write| write.reads.len() > 1) {
                Some(write) => {
                    let count = write.reads.len();
                    let first = write.reads.first();
                    let first = first.map_or_else(String::new, |site| {
                        placed(site, Some(write.state), definition)
                    });
                    format!("value 1 of {count}: {first} comes {from_source}")
                }
                None => format!("{path} comes {from_source}", path = of()),
            },
        };
        return said.into();
    };
    let field = match origin.root {
        // The text names the states that took the time, which says more than the time itself. So the value is left out.
        Root::Clock(_) if place + 1 == origin.writes.len() => {
            let mut write = write.clone();
            write.values.clear();
            written(&write, definition)
        }
        _ => written(write, definition),
    };
    if let Some(failure) = origin
        .writes
        .iter()
        .skip(place + 1)
        .find_map(Write::why_failed)
    {
        // A later field in the chain failed, so the text also says why.
        return Phrase::from(field).may(format!("; from the error: {failure}"), 1);
    }
    match (&origin.root, write.reads.as_slice()) {
        (Root::Literal(_) | Root::Function(_), []) => field.into(),
        (Root::Clock(_), []) => Phrase::from(field).may(format!("; {from_source}"), 1),
        (Root::Nothing { .. }, []) => format!("{}; {field}", root(&origin.root, definition)).into(),
        (Root::Fields(_), _) if place + 1 == origin.writes.len() => {
            Phrase::from(field).and(format!("; {}", fields(write, literals_of(origin))))
        }
        _ if write.reads.len() > 1 && !is_fields(origin, write) => {
            let values = listed(write, definition);
            Phrase::from(field).may(format!("; made from {values}"), 1)
        }
        // The next field in the chain is not described here, because the text about the key that leads there describes
        // it.
        _ if place + 1 < origin.writes.len() => field.into(),
        _ if matches!(origin.root, Root::Fields(_)) => field.into(),
        _ => Phrase::from(field).may(format!("; {from_source}"), 1),
    }
}

/// Names the next point in the chain of a value's origin: `goes to Output of Quote, line 9`. Does not name the root,
/// because the description of the current point already names it.
pub(super) fn next_stop(origin: &Origin, place: usize, definition: &Definition) -> String {
    match origin.writes.get(place + 1) {
        Some(write) => {
            let state_and_line = name_at(definition, write.state, write.span);
            format!("goes to {field} of {state_and_line}", field = write.field)
        }
        None if place + 1 < origin.stops() => match &origin.root {
            Root::Answer(answered) => format!("goes to event {event}", event = answered.to.event),
            _ => "goes to the origin".to_owned(),
        },
        None => "shows why the value is missing".to_owned(),
    }
}

/// The line of the field that failed: ` (line 12)`.
fn failed_line(origin: &Origin, definition: &Definition) -> String {
    let span = origin.failure().and_then(|write| write.span);
    in_line(definition.sources.line(span))
}

fn literals_of(origin: &Origin) -> usize {
    match origin.root {
        Root::Fields(literals) => literals,
        _ => 0,
    }
}

/// Says where a value comes from in the end: `from the answer of Price`, `from nothing: $states.input.sum finds
/// nothing`.
fn from(root: &Root, definition: &Definition) -> String {
    let origin = self::root(root, definition);
    match root {
        Root::Nothing { .. } => format!("from nothing: {origin}"),
        _ => format!("from {origin}"),
    }
}

/// True if `write` is the last field in the chain of an origin and made the value from several others. The user then
/// selects which of them to follow.
fn is_fields(origin: &Origin, write: &Write) -> bool {
    let last = origin.writes.last().is_some_and(|last| last == write);
    last && matches!(origin.root, Root::Fields(_))
}

/// Maximum number of values that a sentence names as those from which another value was computed.
const NAMED: usize = 3;
/// Maximum number of items whose values a sentence lists.
const VALUES: usize = 8;
/// Maximum length of each listed value, in bytes.
const EACH: usize = 20;

/// The values from which a field was computed, such as `$.net (12) and $rates.DE (0.19)`, `3 values of $.lines[*].total
/// (12, 4, -5)`.
fn listed(write: &Write, definition: &Definition) -> String {
    let reads = &write.reads;
    if let (Some(items), Some(first)) = (&write.items, reads.first()) {
        let path = of_items(first, write.state, definition);
        let mut values: Vec<(&Site, &Option<Value>)> = reads.iter().zip(&write.values).collect();
        values.sort_by_key(|(site, _)| indices(site));
        let is_plain = values
            .iter()
            .all(|(_, value)| value.as_ref().is_none_or(is_scalar));
        let values = values.into_iter().take(VALUES);
        let values = values.filter_map(|(_, value)| value.as_ref());
        let values: Vec<String> = values.map(|value| abridged(value, EACH)).collect();
        let more = match reads.len().saturating_sub(VALUES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let odd = items.odd.and_then(|odd| {
            let site = reads.get(odd.index)?;
            let item = indices(site).into_iter().map(|index| format!("[{index}]"));
            let (item, oddity) = (item.collect::<String>(), oddity(odd.what));
            Some(format!("; {item} is {oddity}"))
        });
        let odd = odd.unwrap_or_default();
        let values = values.join(", ");
        let count = reads.len();
        return match is_plain {
            true => format!("{count} values of {path} ({values}{more}{odd})"),
            false => format!("{count} values of {path}"),
        };
    }
    let named = reads.iter().enumerate().take(NAMED);
    let mut named: Vec<String> = named
        .map(|(place, site)| with_value(site, write.values.get(place), write.state, definition))
        .collect();
    match reads.len().saturating_sub(NAMED) {
        0 => {}
        more => named.push(format!("{more} more")),
    }
    and(&named)
}

/// Joins names: `a, b and c`.
fn and(names: &[String]) -> String {
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{names} and {last}", names = before.join(", "))
        }
        _ => names.concat(),
    }
}

/// Name of the first value from which a field was computed.
fn first(write: &Write, definition: &Definition) -> String {
    let first = write.reads.first();
    first.map_or_else(String::new, |site| its(site, write.state, definition))
}

/// True if a sentence can show the value, because it is neither an object nor an array.
fn is_scalar(value: &Value) -> bool {
    value.as_object().is_none() && value.as_array().is_none()
}

/// The path of a value that a field read, followed by the value: `$.net (12)`.
fn with_value(
    site: &Site,
    value: Option<&Option<Value>>,
    state: StateId,
    definition: &Definition,
) -> String {
    let name = its(site, state, definition) + &branch_of(site, state, definition);
    match value {
        Some(Some(value)) if is_scalar(value) => {
            format!("{name} ({value})", value = abridged(value, EACH))
        }
        Some(None) => format!("{name} (nothing)"),
        _ => name,
    }
}

/// The array indices in the path of a value.
fn indices(site: &Site) -> Vec<usize> {
    let steps = site.at.0.iter();
    let items = steps.filter_map(|step| match step {
        Step::Item(index) => Some(*index),
        Step::Member(_) => None,
    });
    items.collect()
}

/// Lists the members of an object that separate expressions or literals produced: `its fields are id, head.city and a
/// literal`.
fn fields(write: &Write, literals: usize) -> String {
    let mut named: Vec<String> = write.reads.iter().take(NAMED).map(field_name).collect();
    match write.reads.len().saturating_sub(NAMED) {
        0 => {}
        more => named.push(format!("{more} more")),
    }
    match literals {
        0 => {}
        1 => named.push("a literal".to_owned()),
        count => named.push(format!("{count} literals")),
    }
    match named.len() {
        1 => format!("its field is {field}", field = and(&named)),
        _ => format!("its fields are {fields}", fields = and(&named)),
    }
}

/// Describes the last point in the chain of an error's origin: the reason for the error, and where the value that
/// caused the error comes from. An example is `States.MathAdd needs a number, but $.text is a string; the value comes
/// from the execution's input, $.text`.
fn failed(origin: &Origin, definition: &Definition) -> String {
    let from_source = from(&origin.root, definition);
    let why = origin
        .failure()
        .and_then(Write::why_failed)
        .unwrap_or_default();
    let error = why.trim_end_matches('.');
    let in_line = failed_line(origin, definition);
    let write = origin.failure();
    let read = write.and_then(|write| Some((write.reads.first()?, write)));
    match (&origin.root, read) {
        // The field read the errors of failed items. These errors are not values of the Map, so they have no path
        // there.
        (
            _,
            Some((
                Site {
                    holder: Holder::Error,
                    ..
                },
                _,
            )),
        ) => format!("{error}{in_line}; the error comes {from_source}"),
        (_, Some((_, write))) => {
            let value = first(write, definition);
            format!("{error}{in_line}; {value} comes {from_source}")
        }
        (Root::Literal(_), None) => format!("{error}{in_line}"),
        (_, None) => format!("{error}{in_line}; the value comes {from_source}"),
    }
}

/// Describes the field that wrote a value, such as `plan = $.account.plan, ItemSelector of RenewEach, line 73`.
fn written(write: &Write, definition: &Definition) -> String {
    // If the reason for the failure already contains the expression, the expression is left out.
    let is_new = |text: &&Text| write.why_failed().is_none_or(|why| !why.contains(&***text));
    let expression = write.expression.as_ref().filter(is_new);
    let branch = match write.reads.as_slice() {
        [read] => branch_of(read, write.state, definition),
        _ => String::new(),
    };
    let member = match (&write.member, expression) {
        (Some(member), Some(expression)) => format!("{member} = {expression}{branch}, "),
        (Some(member), None) => format!("{member}, "),
        (None, _) => String::new(),
    };
    let expression = match (&write.member, expression) {
        (None, Some(expression)) => format!(" {expression}{branch}"),
        _ => String::new(),
    };
    let literal = match (&write.expression, write.reads.is_empty()) {
        (None, true) if matches!(write.note, None | Some(Note::NoItems)) => {
            "written as a literal in "
        }
        _ => "",
    };
    let state = name_of(definition, write.state);
    let at_line = line_of(definition, write.span);
    let made_by = match (&*write.field, &write.member, &write.expression) {
        ("ItemBatcher", None, None) => "a batch of items, made by ",
        _ => literal,
    };
    let picked = match (write.how, write.reads.as_slice()) {
        (How::Computed, [read]) => match write.values.first() {
            Some(Some(value)) => {
                let (path, value) = (its(read, write.state, definition), abridged(value, EACH));
                format!("; {path} was {value}")
            }
            _ => String::new(),
        },
        (How::Picked(among), [read, ..]) if !names(write, read, definition) => {
            let item = indices(read).pop().zip(among);
            let item = item.map_or_else(String::new, |(item, all)| {
                format!(", item [{item}] of {all}")
            });
            let path = shown(read, Some(write.state), definition);
            format!(": the value is {path}{item}")
        }
        _ => String::new(),
    };
    let note = match &write.note {
        Some(Note::Failed(error)) => format!(": {error}"),
        Some(Note::NoItems) => ": there were no items".to_string(),
        Some(Note::LeftAsText(text, kind)) => left_as_text(text, *kind, write),
        Some(Note::Fewer {
            without: None,
            kept,
            of: all,
        }) => format!(": only {kept} of {all} items were kept"),
        Some(Note::Fewer {
            without: Some(member),
            kept,
            of: all,
        }) => format!(": only {kept} of {all} items have {member}"),
        Some(Note::Replaces(old)) => format!(": {path} was {old} before", path = write.to.at),
        Some(Note::Earlier(variable, new)) => {
            let is_it = |site: &Site| site.holder == Holder::Variable(variable.clone());
            let read = write.reads.iter().position(is_it);
            let was = read.and_then(|place| write.values.get(place)?.as_ref());
            let was = was.filter(|was| is_scalar(was));
            let was = was.map_or("has its old value".to_owned(), |was| {
                format!("is still {old}", old = abridged(was, EACH))
            });
            format!(": ${variable} {was} here; the same Assign sets ${variable} to {new}")
        }
        None => String::new(),
    };
    let chosen = chosen(&write.conditions, definition);
    let chosen = chosen.map_or_else(String::new, |condition| format!("; {condition}"));
    format!(
        "{member}{made_by}{field}{expression} of {state}{at_line}{picked}{note}{chosen}",
        field = write.field
    )
}

/// Says that a value is a text that was not evaluated, such as `: the text "$.order.id" was not evaluated: is .$
/// missing?`
fn left_as_text(text: &Text, kind: Unevaluated, write: &Write) -> String {
    let text = abridged(&Value::String(text.clone()), VALUE);
    let reason = match kind {
        _ if &*write.field == "Result" => "nothing in a Result is evaluated".to_owned(),
        kind => format!("{}?", kind.question()),
    };
    format!(": the text {text} was not evaluated: {reason}")
}

/// True if the text of the expression that wrote a value contains the path of `read`, a place that the expression read.
fn names(write: &Write, read: &Site, definition: &Definition) -> bool {
    let path = shown(read, Some(write.state), definition);
    let path = path.trim_start_matches('$');
    write
        .expression
        .as_ref()
        .is_some_and(|text| text.contains(path))
}

/// Where a value comes from in the end: the root of its chain.
fn root(root: &Root, definition: &Definition) -> String {
    match root {
        Root::Input(site) => {
            let place = match site.at.0.is_empty() {
                true => String::new(),
                false => format!(", {}", of_input(&site.at, definition)),
            };
            format!("the execution's input{place}")
        }
        Root::Answer(answered) => answer(answered, definition),
        Root::Literal(span) => {
            format!("a literal{at_line}", at_line = line_of(definition, *span))
        }
        Root::Led(span, lead) => {
            let state = name_of(definition, lead.target);
            match span {
                Some(_) => {
                    let at_line = line_of(definition, *span);
                    format!("a literal in {state}{at_line}")
                }
                None => state,
            }
        }
        Root::Function(name) => format!("{name}"),
        Root::Nothing {
            path, elsewhere, ..
        } => match elsewhere {
            Some(similar_path) => format!("{path} finds nothing; there is {similar_path}"),
            None => format!("{path} finds nothing"),
        },
        Root::Context(at) if at.0.is_empty() => "outside the run".to_string(),
        Root::Context(at) => {
            let path = at.to_string();
            let path = path.trim_start_matches('$');
            match definition.language {
                QueryLanguage::Jsonata => format!("the context object, $states.context{path}"),
                QueryLanguage::JsonPath => format!("the context object, $${path}"),
            }
        }
        Root::Clock(took) => {
            let states: Vec<String> = took
                .iter()
                .map(|took| took_time(took, definition))
                .collect();
            format!("the clock, after {states}", states = states.join(", "))
        }
        Root::Fault(site) => format!("the error raised at event {event}", event = site.event),
        Root::Children {
            to, state, count, ..
        } => {
            let items = children(definition, *state, *count);
            let state = name_of(definition, *state);
            match to.holder {
                Holder::Stage(Stage::Result) => {
                    format!("the results that {state} collected from its {items}")
                }
                _ => format!("the input that {state} made for its {items}"),
            }
        }
        Root::Fields(_) => "several fields".to_string(),
        Root::Edit(site) => {
            let path = shown(site, None, definition);
            format!("an edit of {path} by hand")
        }
        Root::Recorded(site) => {
            format!("the recorded execution, event {event}", event = site.event)
        }
        Root::Unknown => "an unknown place".to_string(),
    }
}

/// Says how much time a state took, and which field caused this: `Soak 6 min (line 98)`, `Claim 20 min (Retry, line
/// 44)`.
fn took_time(took: &Took, definition: &Definition) -> String {
    let state = definition.state(took.state);
    let state_name = name_of(definition, took.state);
    let fields: &[&str] = match state.map(|state| &state.kind) {
        Some(StateKind::Wait(_)) => &WAIT_FIELDS,
        _ if took.between_tries * 2 >= took.time => &["Retry"],
        _ => &[],
    };
    let field = fields.iter().find_map(|name| state?.field(name));
    let span = field.map_or_else(
        || state.map(|state| state.name_span),
        |field| Some(field.value),
    );
    let mut line = line_number(definition, span).unwrap_or_default();
    if field.is_some_and(|field| &*field.name == "Retry") {
        line.insert_str(0, "Retry, ");
    }
    let time = duration(took.time);
    format!("{state_name} {time} ({line})")
}

/// Source of an answer, such as `mock Declined #1` or `typed`.
#[must_use]
pub fn answered_by(by: Option<AnsweredBy>, mocked: Option<&(Text, u64)>) -> String {
    match (by, mocked) {
        (Some(AnsweredBy::Mock), Some((name, number))) => {
            format!("mock {name} #{number}")
        }
        (Some(AnsweredBy::Mock), None) => "the mock file".to_string(),
        (Some(AnsweredBy::Person), _) => "typed".to_string(),
        (Some(AnsweredBy::Recording), _) => "recorded".to_string(),
        (Some(AnsweredBy::Unmocked), _) => "made up by --unmocked".to_string(),
        (Some(AnsweredBy::Target), _) => "a real call".to_string(),
        (Some(AnsweredBy::Child | AnsweredBy::Stale), _) => "a child execution".to_string(),
        (None, _) => "read by asldbg".to_string(),
    }
}

/// The answer that a value comes from, such as `the answer of Price, $.Payload.price (mock Ok #0), event 20`, `the
/// data read by ItemReader of Import, line 13, event 8`.
fn answer(answered: &Answered, definition: &Definition) -> String {
    let state = name_of(definition, answered.state);
    let event = answered.to.event;
    let by = answered
        .by
        .map(|by| answered_by(Some(by), answered.mocked.as_ref()));
    let attempt = match &answered.attempt {
        (0 | 1, _) => None,
        (number, None) => Some(format!("attempt {number}")),
        (number, Some(error)) => Some(format!("attempt {number} after {error}")),
    };
    let by: Vec<String> = attempt.into_iter().chain(by).collect();
    let source = match by.join(", ") {
        by if by.is_empty() => by,
        by => format!(" ({by})"),
    };
    let is_error = answered.to.holder == Holder::Error;
    let path = match definition.state(answered.state) {
        _ if is_error => match answered.to.at.to_string().strip_prefix("$.") {
            Some(member) => format!(", {member}"),
            None => String::new(),
        },
        Some(state) if state.language == QueryLanguage::Jsonata => {
            let place = shown(&answered.to, Some(answered.state), definition);
            format!(", {place}")
        }
        _ => format!(", {}", answered.to.at),
    };
    let Some(field) = answered.field else {
        return format!("the answer of {state}{path}{source}, event {event}");
    };
    let span = definition
        .state(answered.state)
        .and_then(|state| state.field(field))
        .map(|field| field.key);
    let at_line = line_of(definition, span);
    match (is_error, field) {
        (true, _) => format!("{field} of {state}{at_line}{source}, event {event}"),
        (_, "ItemReader") => {
            format!("the data read by {field} of {state}{at_line}{path}{source}, event {event}")
        }
        _ => {
            format!("the data written by {field} of {state}{at_line}{path}{source}, event {event}")
        }
    }
}

/// The number of items of a Map or branches of a Parallel: `3 items`, `2 branches`.
fn children(definition: &Definition, id: StateId, count: usize) -> String {
    let unit = match definition.state(id).map(|state| &state.kind) {
        Some(StateKind::Map(map)) => Some(map.unit()),
        _ => None,
    };
    match (unit, count) {
        (Some(unit), count) => unit.counted(u32::try_from(count).unwrap_or(u32::MAX)),
        (None, 1) => "only branch".to_owned(),
        (None, count) => format!("{count} branches"),
    }
}
