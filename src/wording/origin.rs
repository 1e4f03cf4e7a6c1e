//! Where a value comes from, or why it is missing, in words.
//!
//! It must not know keys, colours or widths.

use crate::definition::{Definition, QueryLanguage, StateId, StateKind, Unit};
use crate::interpreter::Stage;
use crate::json::{Pointer, Step, Text};
use crate::query::abridged;
use crate::session::origin::{
    Absence, Absent, Answered, Drop, Holder, Lead, LeftBy, Note, Origin, Reach, Root, Site,
    Withheld, Write,
};
use crate::session::{AnsweredBy, Led, Raised};
use crate::source::Span;

/// Bytes of a value in a sentence.
const VALUE: usize = 60;

/// Where a value comes from, as told at one stop of the way: the writes are the first stops, the root is the last.
#[must_use]
pub fn stop(origin: &Origin, place: usize, definition: &Definition) -> String {
    let told = told(origin, place, definition);
    let failed = origin.failed.as_ref().and_then(|write| write.why_failed());
    match (origin.lacked.as_ref().and_then(|one| barred(one)), failed) {
        (Some(barred), _) if place == 0 => format!("{barred}; {told}"),
        // Why it failed is told at the end again: one has left the place where it stands.
        (_, Some(why)) if place == 0 && !origin.writes.is_empty() => format!("{why}; {told}"),
        _ => told,
    }
}

/// What the next press follows: `follows $.order`, `goes on with $.keep`.
pub(super) fn onwards(origin: &Origin, next: &Site) -> String {
    let next = match next.holder {
        Holder::Error => "the next error".to_string(),
        _ => shown(next),
    };
    match origin.root {
        Root::Fields(_) => format!("follows {next}"),
        _ => format!("goes on with {next}"),
    }
}

fn told(origin: &Origin, place: usize, definition: &Definition) -> String {
    let Some(lead) = &origin.chosen else {
        return made(origin, place, definition);
    };
    let by = led_by(lead, definition);
    match place < origin.writes.len() {
        true => format!("{}; chosen by {by}", made(origin, place, definition)),
        false => format!("{} was chosen by {by}", name_of(definition, lead.target)),
    }
}

fn made(origin: &Origin, place: usize, definition: &Definition) -> String {
    let root = match (&origin.root, origin.writes.last()) {
        (Root::Fields(literals), Some(last)) => fields(&last.reads, *literals),
        (other, _) => root(other, definition),
    };
    let Some(write) = origin.writes.get(place) else {
        return match (&origin.root, origin.writes.is_empty()) {
            (Root::Input(site), true) if site.at == origin.of.at => {
                format!(
                    "{} is unchanged from the execution's input",
                    shown(&origin.of)
                )
            }
            (Root::Led(_, lead), _) => {
                format!("{root}; what led there: {}", led_by(lead, definition))
            }
            _ if origin.failure().is_some() => failed(origin, definition),
            _ => match origin.writes.iter().find_map(several) {
                Some(count) => format!(
                    "{}: the first of {count} values comes from {root}",
                    shown(&origin.of)
                ),
                None => format!("{} comes from {root}", shown(&origin.of)),
            },
        };
    };
    let told = written(write, definition);
    if let Some(failure) = origin
        .writes
        .iter()
        .skip(place + 1)
        .find_map(Write::why_failed)
    {
        // What is written on from here is the error itself.
        return format!("{told}; from the error: {failure}");
    }
    match (&origin.root, write.reads.as_slice()) {
        (Root::Literal(_), []) => told,
        (Root::Function(_), []) => told,
        (Root::Nothing { .. }, []) => format!("{root}; {told}"),
        (Root::Fields(_), _) if place + 1 == origin.writes.len() => {
            format!("{told}; made from {root}")
        }
        _ => match origin
            .writes
            .iter()
            .skip(place)
            .find(|one| several(one).is_some() && !is_fields(origin, one))
        {
            Some(_) if write.reads.len() > 1 => {
                format!(
                    "{told}; made from {}, the first from {root}",
                    listed(&write.reads)
                )
            }
            Some(later) => {
                let count = later.reads.len();
                let all = listed(&later.reads);
                format!("{told}; made from {count} values, {all}: the first from {root}")
            }
            None => format!("{told}; from {root}"),
        },
    }
}

/// Whether the values that a write names are its fields, none of which is followed before the others.
fn is_fields(origin: &Origin, write: &Write) -> bool {
    let last = origin.writes.last().is_some_and(|last| last == write);
    last && matches!(origin.root, Root::Fields(_))
}

/// So many places that a value was made from are named.
const NAMED: usize = 3;

/// `$.net, $rates.DE and 2 more`.
fn listed(reads: &[Site]) -> String {
    let named: Vec<String> = reads.iter().take(NAMED).map(shown).collect();
    match (named.split_last(), reads.len().checked_sub(NAMED)) {
        (Some((last, before)), None | Some(0)) if !before.is_empty() => {
            format!("{} and {last}", before.join(", "))
        }
        (_, Some(more)) if more > 0 => format!("{} and {more} more", named.join(", ")),
        _ => named.join(", "),
    }
}

/// `$.head.city and a literal`: what stands in the fields of a value.
fn fields(reads: &[Site], literals: usize) -> String {
    match literals {
        0 => listed(reads),
        1 => format!("{} and a literal", listed(reads)),
        many => format!("{} and {many} literals", listed(reads)),
    }
}

/// `States.MathAdd wants a number, but $.text is a string; made from the execution's input, $.text`: what an error ends in.
fn failed(origin: &Origin, definition: &Definition) -> String {
    let root = root(&origin.root, definition);
    let why = origin
        .failure()
        .and_then(Write::why_failed)
        .unwrap_or_default();
    format!("{why}; made from {root}")
}

/// `$.order.refund is null`: what would be the parent of what is missing, and has no members.
fn barred(absent: &Absent) -> Option<String> {
    let (_, value) = absent.above.as_ref()?;
    let parent = shown(&absent.barred()?);
    Some(format!("{parent} is {}", abridged(value, VALUE)))
}

/// How many values an expression was made of, where it is not one.
fn several(write: &Write) -> Option<usize> {
    Some(write.reads.len()).filter(|count| *count > 1)
}

/// `plan = $.account.plan, ItemSelector of RenewEach, line 73`.
fn written(write: &Write, definition: &Definition) -> String {
    // Why a field failed often begins with its expression.
    let told = |text: &&Text| write.why_failed().is_none_or(|why| !why.contains(&***text));
    let expression = write.expression.as_ref().filter(told);
    let name = match (&write.member, expression) {
        (Some(member), Some(expression)) => format!("{member} = {expression}, "),
        (Some(member), None) => format!("{member}, "),
        (None, _) => String::new(),
    };
    let whole = match (&write.member, expression) {
        (None, Some(expression)) => format!(" {expression}"),
        _ => String::new(),
    };
    let literal = match (&write.expression, write.reads.is_empty()) {
        (None, true) => "written as a literal in ",
        _ => "",
    };
    let state = name_of(definition, write.state);
    let line = line_of(definition, write.span);
    let batch = match (&*write.field, &write.member, &write.expression) {
        ("ItemBatcher", None, None) => "a batch of items, made by ",
        _ => literal,
    };
    let picked = match (write.picked, write.reads.first()) {
        (true, Some(read)) if !names(write, read) => format!(": it is {}", shown(read)),
        _ => String::new(),
    };
    let note = match &write.note {
        Some(Note::Failed(why)) => format!(": {why}"),
        Some(Note::NoItems) => ": there were no items".to_string(),
        None => String::new(),
    };
    format!(
        "{name}{batch}{}{whole} of {state}{line}{picked}{note}",
        write.field
    )
}

/// Whether an expression's text names the place that it read.
fn names(write: &Write, read: &Site) -> bool {
    let path = shown(read);
    let path = path.trim_start_matches('$');
    write
        .expression
        .as_ref()
        .is_some_and(|text| text.contains(path))
}

/// What a chain of writes ends in.
fn root(root: &Root, definition: &Definition) -> String {
    match root {
        Root::Input(site) => format!("the execution's input, {}", site.at),
        Root::Answer(answered) => answer(answered, definition),
        Root::Literal(span) => format!("a literal{}", line_of(definition, *span)),
        Root::Led(span, lead) => {
            let state = name_of(definition, lead.target);
            match span {
                Some(_) => format!("a literal in {state}{}", line_of(definition, *span)),
                None => state,
            }
        }
        Root::Function(name) => format!("{name}"),
        Root::Nothing {
            path, elsewhere, ..
        } => match elsewhere {
            Some(at) => format!("{path} finds nothing; there is {at}"),
            None => format!("{path} finds nothing"),
        },
        Root::Context(at) if at.0.is_empty() => "outside the run".to_string(),
        Root::Context(at) => format!("the context object, ${at}"),
        Root::Fault(site) => format!("the error raised at event {}", site.event),
        Root::Children { state, .. } => {
            format!(
                "what {} collected from its children",
                name_of(definition, *state)
            )
        }
        Root::Fields(_) => "several values".to_string(),
        Root::Edit(site) => format!("an edit of {} by hand", shown(site)),
        Root::Unknown => "an unknown place".to_string(),
    }
}

/// `Catch[0] of Quote, line 18 (States.Runtime)`, `rule 1 of Paid?, line 30`: by what a Fail state was come to.
fn led_by(lead: &Lead, definition: &Definition) -> String {
    let state = name_of(definition, lead.state);
    let line = line_of(definition, lead.span);
    match &lead.by {
        LeftBy::Catcher(place, error) => {
            let error = error.as_deref().unwrap_or("an error without a name");
            format!("Catch[{place}] of {state}{line} ({error})")
        }
        LeftBy::Rule(place) => format!("rule {place} of {state}{line}"),
        LeftBy::Default => format!("Default of {state}{line}"),
    }
}

/// Who gave an answer: `mock Declined #1`, `typed`.
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
        (Some(AnsweredBy::Child | AnsweredBy::Stale), _) => "a child execution".to_string(),
        (None, _) => "read by the program".to_string(),
    }
}

fn answer(answered: &Answered, definition: &Definition) -> String {
    let state = name_of(definition, answered.state);
    let by = answered_by(answered.by, answered.mocked.as_ref());
    let at = &answered.to.at;
    format!(
        "the answer of {state}, {at} ({by}), event {}",
        answered.to.event
    )
}

/// `ProcessParcels[27] QuoteInsurance (line 43)`: where an error arose that another state took over.
#[must_use]
pub fn raised_at(raised: &Raised, definition: &Definition) -> String {
    let state = definition.state(raised.state);
    let own = state.map(|state| state.name_span);
    let place = raised.fault.span.or(own);
    let place = place.and_then(|span| definition.sources.place(span));
    let line = place.map_or_else(String::new, |place| format!(" (line {})", place.line));
    let made = state.and_then(|state| state.generated);
    let made = made.map_or_else(String::new, |kind| format!(" ({})", kind.caption()));
    let name = state.map_or("?", |state| &state.name);
    match raised.frame.as_str() {
        "main" => format!("{name}{made}{line}"),
        frame => format!("{frame} {name}{made}{line}"),
    }
}

/// `QuoteShipping (line 16): $.address finds nothing`, `Default of HowBad?, line 32`: what led to a Fail state.
#[must_use]
pub fn led(led: &Led, definition: &Definition) -> String {
    match &led.raised {
        Some(raised) => {
            let place = raised_at(raised, definition);
            format!("{place}: {}", raised.fault.headline)
        }
        None => {
            let by = led_by(&led.lead, definition);
            match &led.compared {
                Some(value) => {
                    let place = shown(&led.lead.to);
                    format!("{by}: {place} is {}", abridged(value, VALUE))
                }
                None => by,
            }
        }
    }
}

/// Why a value is missing.
#[must_use]
pub fn absent(absent: &Absent, definition: &Definition) -> String {
    let site = Site {
        at: absent.missing.clone(),
        ..absent.of.clone()
    };
    let place = shown(&site);
    let mut told = match &absent.absence {
        Absence::Dropped(drop) => format!("{place} {}", dropped(drop, definition)),
        Absence::Withheld(one) => return format!("{place}: {}", withheld(one, definition)),
        Absence::Never => match &absent.of.holder {
            Holder::Variable(_) if absent.missing.0.is_empty() => {
                format!("{place} was never set: {}", unset(absent, definition))
            }
            _ => match barred(absent) {
                Some(barred) => format!("{place}: {barred}"),
                None => format!("{place} was never there"),
            },
        },
    };
    if let Some((state, span)) = absent.unrun {
        let state = name_of(definition, state);
        let line = line_of(definition, Some(span));
        told.push_str(&format!("; {state}{line}, would write it, and did not run"));
    }
    if let Some((state, span)) = absent.discarded {
        let state = name_of(definition, state);
        let line = line_of(definition, span);
        told.push_str(&format!(
            "; the result of {state} has it, and ResultPath null{line}, drops that"
        ));
    }
    if let Some((with, all, map)) = absent.items
        && with > 0
    {
        let map = name_of(definition, map);
        told.push_str(&format!("; {with} of {all} items of {map} have it"));
    }
    let dropped = matches!(absent.absence, Absence::Dropped(_));
    if let (true, Some(last)) = (dropped, absent.also.first()) {
        let state = name_of(definition, last.state);
        let line = line_of(definition, last.span);
        told.push_str(&format!(
            "; {} of {state}{line}, leaves it out too",
            last.field
        ));
    }
    if let Some(other) = other(absent, definition) {
        told.push_str(&other);
        return told;
    }
    match (&absent.nearest, &absent.elsewhere) {
        _ if dropped => {}
        (Some(near), _) => {
            let mut at = absent.missing.clone();
            at.0.pop();
            let near = at.child(Step::Member(near.clone()));
            told.push_str(&format!(
                "; the nearest is {}",
                shown(&Site { at: near, ..site })
            ));
        }
        (None, Some((None, at))) => {
            told.push_str(&format!(
                "; there is {}",
                shown(&Site {
                    at: at.clone(),
                    ..site
                })
            ));
        }
        (None, Some((Some(state), at))) => {
            let state = name_of(definition, *state);
            told.push_str(&format!("; the input of {state} has {at}"));
        }
        (None, None) => {}
    }
    told
}

/// `; $states.result.Payload.price is there`: the other document of the state that has what is missing.
fn other(absent: &Absent, definition: &Definition) -> Option<String> {
    let (state, stage) = absent.other?;
    let state = definition.state(state)?;
    let rest = absent.of.at.to_string();
    let rest = rest.trim_start_matches('$');
    Some(match (state.language, stage) {
        (QueryLanguage::Jsonata, Stage::Result) => format!("; $states.result{rest} is there"),
        (QueryLanguage::Jsonata, _) => format!("; $states.input{rest} is there"),
        (QueryLanguage::JsonPath, Stage::Result) => return None,
        (QueryLanguage::JsonPath, _) => format!(
            "; the input of {} has ${rest}, the result does not",
            state.label()
        ),
    })
}

/// `channel is in 9 of 9 items; ItemSelector of PushPrices, line 24, does not pass it`.
fn withheld(withheld: &Withheld, definition: &Definition) -> String {
    let Withheld { by, was, items } = withheld;
    let path = shown(was);
    let has = match items {
        Some((with, all)) => {
            let path = path.strip_prefix("$.").unwrap_or(&path);
            format!("{path} is in {with} of {all} items")
        }
        None => format!("{path} is there"),
    };
    let state = name_of(definition, by.state);
    let line = line_of(definition, by.span);
    format!("{has}; {} of {state}{line}, does not pass it", by.field)
}

/// `Assign of SetFee, line 14, sets it, and has not run`: what would set a variable that nothing has set.
fn unset(absent: &Absent, definition: &Definition) -> String {
    let Some(assigned) = &absent.assigned else {
        return "no Assign sets it".to_string();
    };
    let state = name_of(definition, assigned.state);
    let line = line_of(definition, Some(assigned.span));
    let why = match assigned.reach {
        Reach::Seen => "sets it, and has not run",
        Reach::Later => "sets it from the next state on",
        Reach::CutOff => "sets it, but a DISTRIBUTED Map does not see variables of outside",
        Reach::Inside(owner) => match definition.state(owner).map(|state| &state.kind) {
            Some(StateKind::Map(map)) => match map.unit() {
                Unit::Item => "sets it, but what is assigned inside an item stays there",
                Unit::Batch => "sets it, but what is assigned inside a batch stays there",
            },
            _ => "sets it, but what is assigned inside a branch stays there",
        },
    };
    let others = match assigned.others {
        0 => String::new(),
        1 => "; one more Assign sets it".to_string(),
        many => format!("; {many} more Assigns set it"),
    };
    format!("Assign of {state}{line}, {why}{others}")
}

/// `was there until event 20: dropped by SaveOrder, line 39: no ResultPath, so the result replaces everything`.
fn dropped(drop: &Drop, definition: &Definition) -> String {
    let state = name_of(definition, drop.state);
    let line = line_of(definition, drop.span);
    let (owner, field) = match drop.field.split_once('.') {
        Some((owner, field)) => (Some(owner), field),
        None => (None, &*drop.field),
    };
    let what = match (owner, field) {
        (Some(owner), _) if owner.starts_with("Catch") => "{Error, Cause}",
        _ => "the result",
    };
    let why = match (field, &drop.written) {
        ("ResultPath" | "Output", None) => {
            format!("no {field}, so {what} replaces everything")
        }
        ("ResultPath", Some(text)) => format!("ResultPath {text}, so {what} replaces everything"),
        ("InputPath" | "OutputPath" | "ItemsPath", Some(text)) => {
            format!("{field} {text} leaves it out")
        }
        _ => format!("{field} leaves it out"),
    };
    let owner = owner.map_or_else(String::new, |owner| format!("{owner} of "));
    format!(
        "was there until event {}: dropped by {owner}{state}{line}: {why}",
        drop.to.event
    )
}

fn name_of(definition: &Definition, id: StateId) -> String {
    definition
        .state(id)
        .map_or_else(|| "?".to_string(), |state| state.label().into_owned())
}

fn line_of(definition: &Definition, span: Option<Span>) -> String {
    let place = span.and_then(|span| definition.sources.place(span));
    place.map_or_else(String::new, |place| format!(", line {}", place.line))
}

/// A place as a person would type it.
fn shown(site: &Site) -> String {
    let rest = |at: &Pointer| at.to_string().trim_start_matches('$').to_string();
    match &site.holder {
        Holder::Stage(Stage::Result) => format!("$result{}", rest(&site.at)),
        Holder::Error => format!("$error{}", rest(&site.at)),
        Holder::Variable(name) => format!("${name}{}", rest(&site.at)),
        Holder::Context => format!("${}", site.at),
        Holder::Stage(_) | Holder::Item(_) => site.at.to_string(),
    }
}
