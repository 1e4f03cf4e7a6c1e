//! Sentences about what led to the Fail state that ended a run. Also texts on the value whose origin the user can
//! follow next, and on the conditions that selected a part of an expression.

use super::absent;
use super::event::branch;
use super::written_place::{
    VALUE, field_name, line_of, name_at, name_of, placed, raised_at, shown,
};
use crate::definition::{Definition, StateId, StateKind};
use crate::interpreter::{Origin, Stage};
use crate::json::Value;
use crate::query::abridged;
use crate::session::note::own_words;
use crate::session::origin::{Between, Condition, Holder, Lead, LeftBy, Oddity, Onward, Why};
use crate::session::{Led, Phrase, Raised};
use crate::source::Span;

/// Maximum number of states to name between the Choice or catcher and the Fail state.
const NAMED: usize = 4;

/// Says what led to a Fail state: `Led here by Quote (line 16): $.address finds nothing: dropped by ...`. `said` is the
/// text about the Fail state. If `said` already describes the error that led to the Fail state, the sentence only says
/// where that error was raised.
#[must_use]
pub fn led_here(by: &Led, definition: &Definition, said: &str) -> Phrase {
    let missing = by
        .raised
        .as_ref()
        .and_then(|raised| raised.missing.as_deref());
    let missing = missing.map(|missing| absent(missing, definition));
    let headline = match &by.raised {
        Some(raised) if raised.fault.finding.to_string() == said => {
            let state_and_line = raised_at(raised, definition);
            format!("the same error from {state_and_line}").into()
        }
        Some(raised) if has_cause_of(said, raised) => {
            let (state, error) = (raised_at(raised, definition), raised.fault.fault.name());
            format!("{state}: {error}, with the same cause").into()
        }
        _ => led(by, definition),
    };
    let path = by
        .raised
        .as_ref()
        .and_then(|raised| raised.fault.misses.as_deref());
    let here = Phrase::from("Led here by ").join(headline);
    let Some(missing) = missing else {
        return here;
    };
    match missing.after(path) {
        Some(rest) => here.and(": ").join(rest),
        None => here.and(". ").join(missing.whole()),
    }
}

/// True if `said`, the text about a Fail state, already contains the cause of the error that led to this state.
fn has_cause_of(said: &str, raised: &Raised) -> bool {
    let fault = &raised.fault.fault;
    let cause = own_words(fault);
    fault.origin == Origin::Task && !cause.is_empty() && said.ends_with(&cause)
}

/// The cause that led to a Fail state: `QuoteShipping (line 16): $.address finds nothing`, `Default of HowBad?, line
/// 32`.
#[must_use]
pub fn led(led: &Led, definition: &Definition) -> Phrase {
    let said = test(&led.lead, definition);
    let by = left_by(&led.lead, definition);
    match (&led.raised, &led.compared) {
        (Some(raised), _) => {
            let state = raised_at(raised, definition);
            format!("{state}: {finding}", finding = raised.fault.finding).into()
        }
        (None, _) if !said.to_string().is_empty() => Phrase::from(by).join(said),
        (None, Some(value)) => {
            let path = shown(&led.lead.to, Some(led.lead.state), definition);
            let value = abridged(value, VALUE);
            Phrase::from(by).may(format!(": {path} is {value}"), 1)
        }
        (None, None) => by.into(),
    }
}

/// The path to a Fail state: `caught by Catch[0] of QuoteShipping, line 18, via TellSupport, Default of HowBad?, line
/// 31`. Empty if only a Choice rule led there.
#[must_use]
pub fn led_way(led: &Led, definition: &Definition) -> String {
    let way = led_caught(led, definition);
    match no_retry(led) {
        Some(not_retried) if matches!(led.lead.by, LeftBy::Catcher(..)) => {
            format!("{not_retried}; {way}")
        }
        _ => way,
    }
}

/// Like [`led_way`], but does not say why the error was not retried.
#[must_use]
pub fn led_caught(led: &Led, definition: &Definition) -> String {
    let lead = &led.lead;
    match (&lead.by, &lead.after) {
        (LeftBy::Catcher(place, _), _) => {
            let catcher = catcher(*place, lead, definition);
            let via_states = via(lead, definition);
            format!("caught by {catcher}{via_states}")
        }
        (_, Some(_)) => {
            format!(
                "reached{after_catcher}",
                after_catcher = after(lead, definition)
            )
        }
        (_, None) => String::new(),
    }
}

/// Why the error that led to a Fail state was not retried, if a retrier is the reason.
#[must_use]
pub fn no_retry(led: &Led) -> Option<&str> {
    let (said, _) = led.raised.as_ref()?.fault.no_retry.as_ref()?;
    Some(said)
}

/// The transition that led to a state, such as `rule of Paid?, line 30`, and the states that ran in between:
/// `Catch[0] of Quote, line 18 (States.Runtime), via TellSupport`.
pub(super) fn led_by(lead: &Lead, definition: &Definition) -> String {
    let by = left_by(lead, definition);
    match lead.by {
        LeftBy::Catcher(..) => {
            let passed = lead.no_retry.as_ref();
            let passed = passed.map_or_else(String::new, |(reason, _)| {
                format!("; not retried: {reason}")
            });
            format!("{by}{}{passed}", via(lead, definition))
        }
        LeftBy::Rule(_) | LeftBy::Default => {
            let (after, test) = (after(lead, definition), test(lead, definition));
            format!("{by}{after}{test}")
        }
    }
}

/// The test that best explains the result of a Choice: `; line 36: $.qty ("2") > 1 is false: the value is a string,
/// ...`. Empty if the value that the test reads is explanation enough.
fn test(lead: &Lead, definition: &Definition) -> Phrase {
    let test = lead.test.as_ref();
    let Some((test, comparison)) = test.and_then(|test| Some((test, test.said.as_ref()?))) else {
        return Phrase::default();
    };
    let at_line = line_of(definition, test.span);
    let rule = match test.before {
        Some(_) => format!("; an earlier rule{at_line}"),
        None if at_line == line_of(definition, lead.span) => String::new(),
        None => at_line.replacen(',', ";", 1),
    };
    Phrase::default().may(format!("{rule}: {comparison}"), 1)
}

fn left_by(lead: &Lead, definition: &Definition) -> String {
    match &lead.by {
        LeftBy::Catcher(place, error) => {
            let error = error.as_deref().unwrap_or("an error without a name");
            format!("{} ({error})", catcher(*place, lead, definition))
        }
        by => rule(by, (lead.state, lead.span), definition),
    }
}

/// A catcher with its state and line, such as `Catch[0] of Quote, line 18`.
fn catcher(index: u32, lead: &Lead, definition: &Definition) -> String {
    let state_and_line = name_at(definition, lead.state, lead.span);
    format!("Catch[{index}] of {state_and_line}")
}

/// A Choice rule with its state and line, such as `rule of Paid?, line 30`.
fn rule(by: &LeftBy, (state, span): (StateId, Option<Span>), definition: &Definition) -> String {
    let choice = name_at(definition, state, span);
    match by {
        LeftBy::Rule(index) if line_of(definition, span).is_empty() => {
            format!("rule {index} of {choice}")
        }
        LeftBy::Rule(_) => format!("rule of {choice}"),
        LeftBy::Catcher(..) | LeftBy::Default => format!("Default of {choice}"),
    }
}

/// The states on the way to a Fail state: `, via TellSupport, Default of HowBad?, line 31`. If there are many states,
/// names only the Choices and the last states, and counts the others.
fn via(lead: &Lead, definition: &Definition) -> String {
    let spare = lead.way.len().saturating_sub(NAMED);
    let (early, late) = lead.way.split_at(spare);
    let chosen = early.iter().filter(|between| between.by.is_some());
    let named = chosen
        .chain(late)
        .map(|between| self::between(between, definition));
    let named: Vec<String> = named.collect();
    let more = match lead.way.len() - named.len() {
        0 => String::new(),
        count => format!("{count} more states, "),
    };
    match named.is_empty() {
        true => String::new(),
        false => format!(", via {more}{states}", states = named.join(", ")),
    }
}

fn between(between: &Between, definition: &Definition) -> String {
    match &between.by {
        Some((by, span)) => rule(by, (between.state, *span), definition),
        None => name_of(definition, between.state),
    }
}

/// The catcher that led to a Choice: ` after Catch[0] of Quote, line 18 (States.Runtime)`.
fn after(lead: &Lead, definition: &Definition) -> String {
    let after = lead.after.as_ref();
    after.map_or_else(String::new, |lead| {
        format!(" after {catcher}", catcher = left_by(lead, definition))
    })
}

/// Maximum number of conditions that a sentence lists as reasons for one value.
const CONDITIONS: usize = 2;

/// Says which value is followed next in the search for an origin: `follows $.order`, `follows the caught error`.
pub(super) fn next(onward: &Onward, definition: &Definition) -> String {
    let path = placed(&onward.site, Some(onward.state), definition);
    match onward.why {
        Why::Field => format!("follows {field}", field = field_name(&onward.site)),
        Why::Part { odd, .. } => format!("follows {path}{oddity}", oddity = alone(odd)),
        Why::Condition => format!("follows {path}, which the condition read"),
        Why::Lead if onward.site.holder == Holder::Error => "follows the caught error".to_owned(),
        Why::Lead => format!("follows {path}"),
        Why::Asked => format!("follows {request}", request = asked(onward, definition)),
        Why::Item { odd, .. } => {
            let (item, oddity) = (item(onward, definition), alone(odd));
            format!("follows {item}{oddity}")
        }
    }
}

/// Text that precedes the description of a point in the chain of a value's origin, such as `value 2 of 3: `. `is_first`
/// is true for the first point of the chain.
pub(super) fn head(onward: &Onward, is_first: bool, definition: &Definition) -> String {
    match onward.why {
        Why::Part {
            number, count, odd, ..
        } => format!("value {number} of {count}{oddity}: ", oddity = alone(odd)),
        Why::Asked if is_first => format!("{request}: ", request = asked(onward, definition)),
        Why::Item { odd, .. } => format!("{}{}: ", item(onward, definition), alone(odd)),
        Why::Field | Why::Condition | Why::Lead | Why::Asked => String::new(),
    }
}

/// How a value differs from the values that are listed with it, such as `, the only string`; empty if it does not
/// differ.
fn alone(odd: Option<Oddity>) -> String {
    match odd {
        Some(what) => format!(", {}", oddity(what)),
        None => String::new(),
    }
}

/// How a value differs from the values that are listed with it, such as `the only string`.
pub(super) fn oddity(what: Oddity) -> String {
    match what {
        Oddity::Type(json_type) => format!("the only {json_type}"),
        Oddity::Members => "the only value with these members".to_owned(),
    }
}

/// Names the data with which a task was called, such as `the request of Price (Parameters, line 8)`.
fn asked(onward: &Onward, definition: &Definition) -> String {
    let state = definition.state(onward.state);
    let field = |name: &str| {
        let field = state?.field(name)?;
        Some(format!("{name}{}", line_of(definition, Some(field.value))))
    };
    let field = match onward.site.holder {
        Holder::Stage(Stage::AfterParameters) => field("Parameters"),
        Holder::Stage(Stage::AfterArguments) => field("Arguments"),
        Holder::Stage(Stage::AfterInputPath) => field("InputPath"),
        Holder::Stage(Stage::AfterItemReader) => field("ItemReader"),
        _ => None,
    };
    let field = field.unwrap_or_else(|| "the input".to_owned());
    let name = name_of(definition, onward.state);
    format!("the request of {name} ({field})")
}

/// Names the item or branch in which an origin is followed further, such as `item 2` or `branch FindBed`.
fn item(onward: &Onward, definition: &Definition) -> String {
    let Why::Item { index, .. } = onward.why else {
        return String::new();
    };
    match definition.state(onward.state).map(|state| &state.kind) {
        Some(StateKind::Map(map)) => format!("{} {index}", map.unit()),
        _ => branch(Some(onward.state), index, definition),
    }
}

/// The conditions that selected the part of an expression that gave the value: `$p > 10 (line 24:31) is true: $p is
/// 60`.
pub(super) fn chosen(conditions: &[Condition], definition: &Definition) -> Option<String> {
    let first = conditions.iter().take(CONDITIONS).enumerate();
    let first: Vec<String> = first
        .map(|(place, condition)| match place {
            0 => condition_of(condition, definition),
            _ => format!("{} {}", condition.text, outcome(condition)),
        })
        .collect();
    let more = match conditions.len().saturating_sub(CONDITIONS) {
        0 => String::new(),
        1 => ", after one more condition".to_owned(),
        more => format!(", after {more} more conditions"),
    };
    let first = first.join(", after ");
    (!conditions.is_empty()).then(|| format!("{first}{more}"))
}

fn condition_of(condition: &Condition, definition: &Definition) -> String {
    let place = condition
        .span
        .and_then(|span| definition.sources.place(span));
    let at_line = place.map_or_else(String::new, |place| {
        let (line, column) = (place.line, place.column);
        format!(" (line {line}:{column})")
    });
    let compared: Vec<String> = condition
        .compared
        .iter()
        .map(|(text, value)| match value {
            Some(value) => format!("{text} is {value}", value = abridged(value, VALUE)),
            None => format!("{text} finds nothing"),
        })
        .collect();
    let compared = match compared.is_empty() {
        true => String::new(),
        false => format!(": {}", compared.join(", ")),
    };
    let (text, outcome) = (&condition.text, outcome(condition));
    format!("{text}{at_line} {outcome}{compared}")
}

/// Says whether a condition is true, such as `is true` or `is "a", a non-empty string, which counts as true`.
fn outcome(condition: &Condition) -> String {
    let is_true = condition.holds;
    let Some(value) = &condition.value else {
        return format!("finds nothing, which counts as {is_true}");
    };
    let text = abridged(value, VALUE);
    let kind = match (value, is_true) {
        (Value::Bool(_), _) => return format!("is {text}"),
        (Value::Null, _) => "",
        (Value::Number(_), true) => ", a number other than 0",
        (Value::Number(_), false) => ", a number",
        (Value::String(_), true) => ", a non-empty string",
        (Value::String(_), false) => ", an empty string",
        (Value::Array(_), true) => ", an array with a true item",
        (Value::Array(_), false) => ", an array without a true item",
        (Value::Object(_), true) => ", a non-empty object",
        (Value::Object(_), false) => ", an empty object",
    };
    format!("is {text}{kind}, which counts as {is_true}")
}
