//! Sentences that explain why a value is missing.

use super::written_place::{self, VALUE, line_of, name_at, name_of, shown};
use crate::definition::{Definition, QueryLanguage, StateId, StateKind, Unit};
use crate::interpreter::Stage;
use crate::json::Step;
use crate::query::abridged;
use crate::session::Phrase;
use crate::session::origin::{Absence, Absent, Drop, Holder, Reach, Site, Withheld};

/// A sentence that explains why a value is missing, such as `$.a was never there`. It consists of the path of a value,
/// a connecting word, and a statement about this value.
pub struct Missing {
    /// The path with which the sentence begins: the path of the missing value, or of the value that should contain it.
    place: String,
    joint: Joint,
    rest: Phrase,
}

/// The word or sign that follows the path in a [`Missing`], before the statement about the value at this path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// The word `was`: `$.a was never there`.
    Was,
    /// The word `is` after the path of the value that should contain the missing value: `$.a is now at $.b since event
    /// 7`.
    OtherIs,
    /// The word `is` after the path of the missing value: `$fee is not set yet`.
    Is,
    /// A colon: `$.a: Shape has it`.
    Colon,
}

impl Missing {
    /// The path with which the sentence begins: the path of the missing value, or of the value that should contain it.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The whole sentence.
    #[must_use]
    pub fn whole(&self) -> Phrase {
        let joint = match self.joint {
            Joint::Was => " was ",
            Joint::Is | Joint::OtherIs => " is ",
            Joint::Colon => ": ",
        };
        Phrase::from(format!("{}{joint}", self.place)).join(self.rest.clone())
    }

    /// The sentence without the path at its beginning, such as `never there`. `None` if the sentence does not begin
    /// with the path of the missing value, or if this path is not `path`.
    #[must_use]
    pub fn after(&self, path: Option<&str>) -> Option<Phrase> {
        path.filter(|path| **path == *self.place)?;
        match self.joint {
            Joint::Was | Joint::Is | Joint::Colon => Some(self.rest.clone()),
            Joint::OtherIs => None,
        }
    }

    /// Like [`Self::after`], but as a full sentence: `It was never there`.
    #[must_use]
    pub fn about_it(&self, path: Option<&str>) -> Option<Phrase> {
        let rest = self.after(path)?;
        Some(match self.joint {
            Joint::Was => Phrase::from("It was ").join(rest),
            Joint::Is | Joint::OtherIs => Phrase::from("It is ").join(rest),
            Joint::Colon => rest,
        })
    }
}

/// The parts of a sentence that may be omitted, each with a number: `WHEN` for the event, `BESIDE` for an additional
/// fact, `WHY` for the reason. A part with a higher number is omitted earlier.
const WHEN: u8 = 3;
const BESIDE: u8 = 2;
const WHY: u8 = 1;

/// The sentence that explains why a value is missing.
#[must_use]
pub fn absent(absent: &Absent, definition: &Definition) -> Missing {
    let site = absent.of.at(absent.missing.clone());
    let shown = |site: &Site| shown(site, absent.state, definition);
    let place = shown(&site);
    if let Absence::Dropped(drop) = &absent.absence
        && let Some(now) = &drop.now
    {
        let new_path = shown(&absent.of.at(now.clone()));
        let event = since(drop, definition);
        return Missing {
            place: shown(&absent.of),
            joint: Joint::OtherIs,
            rest: format!("now at {new_path} since {event}").into(),
        };
    }
    let (joint, mut rest) = match &absent.absence {
        Absence::Dropped(drop) => (Joint::Was, dropped(drop, definition)),
        Absence::Withheld(withheld) => {
            return Missing {
                place,
                joint: Joint::Colon,
                rest: self::withheld(withheld, definition),
            };
        }
        Absence::Never => match &absent.of.holder {
            Holder::Variable(_) if absent.missing.0.is_empty() => unset(absent, definition),
            _ => match barred(absent, definition) {
                Some(barred) => (Joint::Colon, barred.into()),
                None => (Joint::Was, "never there".into()),
            },
        },
    };
    if let Some(map) = item_of(absent, definition) {
        rest = rest.and(format!("; ItemSelector of {map} can pass the value on"));
    }
    if let Some((state, span)) = absent.unrun {
        let state_and_line = name_at(definition, state, Some(span));
        rest = rest.may(
            format!("; {state_and_line}, which would write the value, did not run"),
            BESIDE,
        );
    }
    if let Some((state, span)) = absent.discarded {
        let state = name_of(definition, state);
        let at_line = line_of(definition, span);
        rest = rest.and(format!(
            "; the result of {state} has the value, but ResultPath null{at_line}, drops the result"
        ));
    }
    if let Some((count, all, map)) = absent.items
        && count > 0
    {
        let map = name_of(definition, map);
        let have = if count == 1 { "has" } else { "have" };
        rest = rest.may(
            format!("; {count} of {all} items of {map} {have} the value"),
            BESIDE,
        );
    }
    let dropped = matches!(absent.absence, Absence::Dropped(_));
    if let Some(place_of_value) = other(absent, definition) {
        let rest = rest.may(place_of_value, BESIDE);
        return Missing { place, joint, rest };
    }
    match (&absent.nearest, &absent.elsewhere) {
        _ if dropped => {}
        (Some(near), _) => {
            let mut at = absent.missing.clone();
            at.0.pop();
            let near = at.child(Step::Member(near.clone()));
            let path = shown(&site.at(near));
            rest = rest.may(format!("; the most similar path is {path}"), BESIDE);
        }
        (None, Some((None, at))) => {
            let similar_path = shown(&site.at(at.clone()));
            rest = rest.may(format!("; there is {similar_path}"), BESIDE);
        }
        (None, Some((Some(state), at))) => {
            let input = Site {
                holder: Holder::Stage(Stage::Input),
                at: at.clone(),
                ..site
            };
            let path = written_place::shown(&input, Some(*state), definition);
            let state = name_of(definition, *state);
            rest = rest.may(format!("; the input of {state} has {path}"), BESIDE);
        }
        (None, None) => {}
    }
    Missing { place, joint, rest }
}

/// Name of the enclosing Map, if the state reads the Map's item from the context object and does not find the item.
fn item_of(absent: &Absent, definition: &Definition) -> Option<String> {
    let asks = matches!(absent.missing.0.first(), Some(Step::Member(name)) if &**name == "Map");
    let map = definition.map_around(absent.state?)?;
    (asks && absent.of.holder == Holder::Context).then(|| map.label().into_owned())
}

/// A text such as `; $states.result.Payload.price exists`, if the value is missing from the state's input but exists in
/// its result, or the other way round.
fn other(absent: &Absent, definition: &Definition) -> Option<String> {
    let (state, stage) = absent.other?;
    let state = definition.state(state)?;
    let rest = absent.of.at.to_string();
    let path = rest.trim_start_matches('$');
    Some(match (state.language, stage) {
        (QueryLanguage::Jsonata, Stage::Result) => format!("; $states.result{path} exists"),
        (QueryLanguage::Jsonata, _) => format!("; $states.input{path} exists"),
        (QueryLanguage::JsonPath, Stage::Result) => return None,
        (QueryLanguage::JsonPath, _) => format!(
            "; the input of {state} has ${path}, but the result does not",
            state = state.label()
        ),
    })
}

/// Says which field does not pass the value on: `channel is in 9 of 9 items, but ItemSelector of PushPrices, line
/// 24, does not pass the value on`, `Shape has $.total, but its Parameters, line 7, does not pass the value on`.
fn withheld(withheld: &Withheld, definition: &Definition) -> Phrase {
    let Withheld { by, was, items } = withheld;
    let event = format!(" (event {event})", event = by.to.event);
    let said = match items {
        Some((count, all)) => {
            let path = was.at.to_string();
            let path = path.strip_prefix("$.").unwrap_or(&path);
            let state_and_line = name_at(definition, by.state, by.span);
            format!(
                "{path} is in {count} of {all} items, but {field} of {state_and_line}, does not pass the value on",
                field = by.field
            )
        }
        // The path is written as the state `by.state` would write it.
        None => {
            let path = shown(was, Some(by.state), definition);
            let state = name_of(definition, by.state);
            let at_line = line_of(definition, by.span);
            format!(
                "{state} has {path}, but its {field}{at_line}, does not pass the value on",
                field = by.field
            )
        }
    };
    Phrase::from(said).may(event, WHEN)
}

/// Explains why a variable has no value: `never set: Assign of SetFee, line 14, would set the variable, but has not
/// run`.
fn unset(absent: &Absent, definition: &Definition) -> (Joint, Phrase) {
    let Some(assigned) = &absent.assigned else {
        return (Joint::Was, "never set: no Assign sets the variable".into());
    };
    let (joint, problem, why) = match assigned.reach {
        Reach::Seen => (
            Joint::Was,
            "never set",
            "would set the variable, but has not run",
        ),
        Reach::Later => (
            Joint::Is,
            "not set yet",
            "sets the variable only for later states",
        ),
        Reach::CutOff => (
            Joint::Is,
            "not visible here",
            "sets the variable, but a DISTRIBUTED Map cannot read outer variables",
        ),
        Reach::Inside(owner) => (
            Joint::Is,
            "not visible here",
            match definition.state(owner).map(|state| &state.kind) {
                Some(StateKind::Map(map)) => match map.unit() {
                    Unit::Item => "sets the variable only inside the item",
                    Unit::Batch => "sets the variable only inside the batch",
                },
                _ => "sets the variable only inside the branch",
            },
        ),
    };
    let state_and_line = name_at(definition, assigned.state, Some(assigned.span));
    let others = match assigned.others {
        0 => String::new(),
        1 => "; one more Assign sets the variable".to_string(),
        count => format!("; {count} more Assigns set the variable"),
    };
    let rest = Phrase::from(format!("{problem}: Assign of {state_and_line}"));
    let rest = rest.may(format!(", {why}"), WHY).may(others, BESIDE);
    (joint, rest)
}

/// Says which event and field moved a value to another place: `event 20: OutputPath $.stay of Store, line 101`.
fn since(drop: &Drop, definition: &Definition) -> String {
    let by = &drop.by;
    let state_and_line = name_at(definition, by.state, by.span);
    let field = match &drop.written {
        Some(text) if !text.starts_with(['{', '[']) || text.starts_with("{%") => {
            format!("{} {text}", by.field)
        }
        _ => by.field.to_string(),
    };
    format!(
        "event {event}: {field} of {state_and_line}",
        event = by.to.event
    )
}

/// Says which event and field dropped a value: `there before event 20: dropped by SaveOrder, line 39: no ResultPath, so
/// the result replaces everything`.
fn dropped(drop: &Drop, definition: &Definition) -> Phrase {
    let by = &drop.by;
    let state_and_line = name_at(definition, by.state, by.span);
    let (catcher, field) = match by.field.split_once('.') {
        Some((catcher, field)) => (Some(catcher), field),
        None => (None, &*by.field),
    };
    let result = match (catcher, field) {
        (Some(catcher), _) if catcher.starts_with("Catch") => "{Error, Cause}",
        (None, "ResultPath") if selects(by.state, definition) => "the ResultSelector's result",
        _ => "the result",
    };
    let why = match (field, &drop.written) {
        ("ResultPath", Some(path)) if &**path != "$" => {
            format!("ResultPath {path}, so {result} replaces the value at this path")
        }
        ("ResultPath" | "Output", None) => {
            format!("no {field}, so {result} replaces everything")
        }
        ("ResultPath", Some(path)) => format!("ResultPath {path}, so {result} replaces everything"),
        ("InputPath" | "OutputPath" | "ItemsPath", Some(path)) => {
            format!("{field} {path} leaves the value out")
        }
        _ => format!("{field} leaves the value out"),
    };
    let catcher = catcher.map_or_else(String::new, |catcher| format!("{catcher} of "));
    Phrase::default()
        .may(
            format!("there before event {event}: ", event = by.to.event),
            WHEN,
        )
        .and(format!("dropped by {catcher}{state_and_line}"))
        .may(format!(": {why}"), WHY)
}

/// True if a state has a ResultSelector, which makes the state's result.
fn selects(state: StateId, definition: &Definition) -> bool {
    let state = definition.state(state);
    state.is_some_and(|state| state.field("ResultSelector").is_some())
}

/// Describes the value that should contain the missing value, such as `$.order.refund is null`, if it is neither an
/// object nor an array.
pub(super) fn barred(absent: &Absent, definition: &Definition) -> Option<String> {
    let (_, value) = absent.above.as_ref()?;
    let parent = shown(&absent.barred()?, absent.state, definition);
    Some(format!(
        "{parent} is {value}",
        value = abridged(value, VALUE)
    ))
}
