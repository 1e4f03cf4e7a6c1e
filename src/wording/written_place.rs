//! Names of places in a run, as a state would write them: `$states.input.order`, `$.order`.

use crate::definition::{Definition, Make, QueryLanguage, State, StateId};
use crate::interpreter::Stage;
use crate::json::{Pointer, Step};
use crate::session::Raised;
use crate::session::origin::{Holder, Site};
use crate::source::{Span, in_line};

/// The path of a place, as the state would write it.
pub(super) fn shown(site: &Site, state: Option<StateId>, definition: &Definition) -> String {
    let state = state.and_then(|id| definition.state(id));
    let language = state.map_or(definition.language, |state| state.language);
    let rest = rest(&site.at);
    match (&site.holder, language) {
        (Holder::Variable(name), _) => format!("${name}{rest}"),
        (Holder::Stage(stage), QueryLanguage::Jsonata) => {
            format!("{}{rest}", document(*stage, state))
        }
        (Holder::Error, QueryLanguage::Jsonata) => format!("$states.errorOutput{rest}"),
        (Holder::Context, QueryLanguage::Jsonata) => format!("$states.context{rest}"),
        (Holder::Item(_), QueryLanguage::Jsonata) => {
            format!("$states.context.Map.Item.Value{rest}")
        }
        (Holder::Stage(Stage::AfterResultSelector), QueryLanguage::JsonPath)
            if site.at.0.is_empty() =>
        {
            "$result".to_owned()
        }
        (Holder::Stage(Stage::Result), QueryLanguage::JsonPath) => format!("$result{rest}"),
        (Holder::Error, QueryLanguage::JsonPath) => format!("$error{rest}"),
        (Holder::Context, QueryLanguage::JsonPath) => format!("$${rest}"),
        (Holder::Item(_), QueryLanguage::JsonPath) => format!("$$.Map.Item.Value{rest}"),
        (Holder::Stage(_), QueryLanguage::JsonPath) => site.at.to_string(),
    }
}

/// A place with the name of its state: `$.order of Price`, `the input of Price`, `Parameters.sku of Price`.
pub(super) fn placed(site: &Site, state: Option<StateId>, definition: &Definition) -> String {
    let of = state.and_then(|id| definition.state(id));
    let (Some(of), false) = (of, matches!(site.holder, Holder::Variable(_))) else {
        return shown(site, state, definition);
    };
    let path = match (whole(site, of), made_by(site, of)) {
        (Some(stage), _) => format!("the {stage}"),
        (None, Some(field)) => format!("{field}{}", rest(&site.at)),
        (None, None) => shown(site, state, definition),
    };
    let branch = state.map(|state| branch_of(site, state, definition));
    let (branch, state) = (branch.unwrap_or_default(), of.label());
    format!("{path}{branch} of {state}")
}

/// The branch that a place belongs to, such as ` (branch Ship)`, if the place is in the result of a Parallel; otherwise
/// empty.
pub(super) fn branch_of(site: &Site, state: StateId, definition: &Definition) -> String {
    let (Holder::Stage(Stage::Result), [Step::Item(index), ..]) = (&site.holder, &*site.at.0)
    else {
        return String::new();
    };
    let branch = definition.state(state).zip(u32::try_from(*index).ok());
    let name = branch.and_then(|(state, index)| definition.branch(state, index));
    name.map_or_else(String::new, |name| format!(" (branch {name})"))
}

/// Names a place in a text that has already named its state: `its input`, `$.order`.
pub(super) fn its(site: &Site, state: StateId, definition: &Definition) -> String {
    let id = state;
    let state = definition.state(id);
    let made = || made_by(site, state?).filter(|_| site.at.0.is_empty());
    match state.and_then(|state| whole(site, state)).or_else(made) {
        Some(stage) => format!("its {stage}"),
        None => shown(site, Some(id), definition),
    }
}

/// Name of a whole stage that no field produces: `input`, `result`.
fn whole(site: &Site, state: &State) -> Option<&'static str> {
    if !site.at.0.is_empty() || made_by(site, state).is_some() {
        return None;
    }
    match site.holder {
        Holder::Error => Some("error"),
        Holder::Stage(Stage::AfterItemsPath) => Some("items"),
        Holder::Stage(Stage::Result | Stage::AfterResultSelector) => Some("result"),
        Holder::Stage(Stage::Output | Stage::AfterResultPath) => Some("output"),
        Holder::Stage(
            Stage::Input | Stage::AfterInputPath | Stage::AfterParameters | Stage::AfterArguments,
        ) => Some("input"),
        _ => None,
    }
}

/// The field of a state that produced the stage to which a place belongs; `None` if no field computed this stage.
fn made_by(site: &Site, state: &State) -> Option<&'static str> {
    let Holder::Stage(stage) = site.holder else {
        return None;
    };
    let step = state.step(stage)?;
    let is_made = matches!(step.make, Make::Template | Make::Jsonata | Make::Batch);
    (is_made && step.written.is_some()).then_some(step.field.name)
}

/// One path for the same place in all items of an array: `$states.input.orders.total`, `$.orders[*].total`.
pub(super) fn of_items(site: &Site, state: StateId, definition: &Definition) -> String {
    let language = definition.state(state).map(|state| state.language);
    let is_jsonata = language == Some(QueryLanguage::Jsonata);
    let steps = site.at.0.iter();
    let steps: Vec<String> = steps
        .filter(|step| !is_jsonata || matches!(step, Step::Member(_)))
        .map(|step| match step {
            Step::Item(_) => "[*]".to_owned(),
            member => rest(&Pointer(vec![member.clone()])),
        })
        .collect();
    let root = site.at(Pointer::root());
    format!(
        "{}{}",
        shown(&root, Some(state), definition),
        steps.concat()
    )
}

/// The path of a place in the execution's input, as the first state would write it.
pub(super) fn of_input(at: &Pointer, definition: &Definition) -> String {
    let scope = definition.scopes.first();
    let first = scope.and_then(|scope| scope.start_at.as_ref()?.state);
    let first = first.and_then(|id| definition.state(id));
    match first.map_or(definition.language, |state| state.language) {
        QueryLanguage::Jsonata => format!("$states.input{}", rest(at)),
        QueryLanguage::JsonPath => at.to_string(),
    }
}

fn rest(at: &Pointer) -> String {
    at.to_string().trim_start_matches('$').to_owned()
}

/// The name of a stage in a JSONata state: a variable such as `$states.input`, otherwise the field that produces the
/// stage.
fn document(stage: Stage, state: Option<&State>) -> &'static str {
    match stage {
        Stage::Input | Stage::AfterInputPath => "$states.input",
        Stage::Result => "$states.result",
        _ => {
            let step = state.and_then(|state| state.step(stage));
            step.map_or(stage.name(), |step| step.field.name)
        }
    }
}

/// Maximum length of a value in a sentence, in bytes.
pub(super) const VALUE: usize = 60;

/// A field in the value of a template, such as `head.city`.
pub(super) fn field_name(site: &Site) -> String {
    let at = site.at.to_string();
    at.trim_start_matches('$')
        .trim_start_matches('.')
        .to_owned()
}

/// Where an error was first raised: `ProcessParcels[27] QuoteInsurance (line 43)`.
#[must_use]
pub fn raised_at(raised: &Raised, definition: &Definition) -> String {
    let state = definition.state(raised.state);
    let name_span = state.map(|state| state.name_span);
    let in_line = in_line(definition.sources.line(raised.fault.span.or(name_span)));
    let made = state.and_then(|state| state.generated);
    let made = made.map_or_else(String::new, |kind| format!(" ({})", kind.caption()));
    let name = state.map_or("?", |state| &state.name);
    match raised.frame.as_str() {
        "main" => format!("{name}{made}{in_line}"),
        frame => format!("{frame} {name}{made}{in_line}"),
    }
}

pub(super) fn name_of(definition: &Definition, id: StateId) -> String {
    definition
        .state(id)
        .map_or_else(|| "?".to_string(), |state| state.label().into_owned())
}

/// A state with the line of this span: `Pay, line 44`.
pub(super) fn name_at(definition: &Definition, id: StateId, span: Option<Span>) -> String {
    name_of(definition, id) + &line_of(definition, span)
}

/// The line of a span: `, line 44`; empty without a span.
pub(super) fn line_of(definition: &Definition, span: Option<Span>) -> String {
    line_number(definition, span).map_or_else(String::new, |line| format!(", {line}"))
}

/// The line of a span: `line 44`.
pub(super) fn line_number(definition: &Definition, span: Option<Span>) -> Option<String> {
    Some(format!("line {}", definition.sources.line(span)?))
}
