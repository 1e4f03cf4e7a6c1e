//! Saves the user's settings for a definition as JSON and restores them in the next session: breakpoints, watches and
//! typed answers.

use super::answerer::{Earlier, TypedAnswer};
use super::answers::{RecordedAnswer, read_answer};
use super::breakpoint::{Breakpoint, ErrorMoment, Location, Part};
use super::breakpoints::Breakpoints;
use super::record::answer_value;
use super::watches::Watches;
use crate::definition::StatePath;
use crate::interpreter::{Answer, AskKey};
use crate::json::{Text, Value};

/// Numbers of settings, by kind, that were restored from an earlier session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Number of breakpoints.
    pub points: usize,
    /// Number of watches.
    pub watches: usize,
    /// Number of typed answers.
    pub answers: usize,
}

/// Maximum number of items of each kind to save.
const MOST: usize = 1000;

/// Breakpoints, watches and the user's answers; `None` if there are none.
pub(super) fn saved(
    breakpoints: &Breakpoints,
    watches: &Watches,
    typed: Vec<TypedAnswer>,
) -> Option<Value> {
    let points: Vec<Value> = breakpoints
        .placed
        .iter()
        .filter(|placed| !placed.breakpoint.once)
        .take(MOST)
        .map(|placed| point_value(&placed.breakpoint, placed.enabled))
        .collect();
    let watches: Vec<Value> = watches
        .texts()
        .take(MOST)
        .map(|text| Value::string(text.clone()))
        .collect();
    let answers: Vec<Value> = typed.into_iter().take(MOST).map(typed_value).collect();
    if points.is_empty() && watches.is_empty() && answers.is_empty() {
        return None;
    }
    Some(Value::object(vec![
        ("points".into(), Value::array(points)),
        ("watches".into(), Value::array(watches)),
        ("answers".into(), Value::array(answers)),
    ]))
}

/// Restores breakpoints and returns their number. Leaves out breakpoints that are invalid.
pub(super) fn restore_breakpoints(saved: &Value, breakpoints: &mut Breakpoints) -> usize {
    let points = list(saved, "points").filter_map(point);
    let mut count = 0;
    for (breakpoint, enabled) in points {
        breakpoints.add(breakpoint);
        if let (Some(placed), false) = (breakpoints.placed.last_mut(), enabled) {
            placed.enabled = false;
        }
        count += 1;
    }
    count
}

/// The saved watch expressions.
pub(super) fn watched(saved: &Value) -> impl Iterator<Item = Text> {
    list(saved, "watches").filter_map(|value| value.as_str().map(Text::from))
}

/// Restores the user's answers and returns their number. Leaves out answers that are invalid.
pub(super) fn restore_answers(saved: &Value, earlier: &mut Earlier) -> usize {
    let mut count = 0;
    for value in list(saved, "answers") {
        let Some((key, input, answer)) = answer(value) else {
            continue;
        };
        let input = Some(input);
        let recorded = RecordedAnswer { input, answer };
        if value.get("aside").is_some() {
            earlier.restore_aside(key, recorded);
        } else {
            earlier.restore(key, recorded);
            count += 1;
        }
    }
    count
}

fn list<'s>(saved: &'s Value, name: &str) -> impl Iterator<Item = &'s Value> {
    let items = saved.get(name).and_then(Value::as_array);
    items.unwrap_or_default().iter().take(MOST)
}

fn typed_value(typed: TypedAnswer) -> Value {
    let TypedAnswer {
        key,
        input,
        answer,
        is_aside,
    } = typed;
    let indices = key
        .indices
        .iter()
        .map(|index| Value::from(i64::from(*index)));
    let number = |number: u32| Value::from(i64::from(number));
    let rounds = key
        .rounds
        .iter()
        .map(|(visit, attempt)| Value::array(vec![number(*visit), number(*attempt)]));
    let mut members: Vec<(Text, Value)> = vec![
        ("state".into(), Value::string(key.path)),
        ("indices".into(), Value::array(indices.collect())),
        ("rounds".into(), Value::array(rounds.collect())),
        ("visit".into(), Value::from(i64::from(key.visit))),
        ("attempt".into(), Value::from(i64::from(key.attempt))),
        ("input".into(), input),
        ("answer".into(), answer_value(&answer)),
    ];
    if is_aside {
        members.push(("aside".into(), Value::from(true)));
    }
    Value::object(members)
}

impl Restored {
    /// True if nothing was restored.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

fn point_value(breakpoint: &Breakpoint, enabled: bool) -> Value {
    let text = |text: &Text| Value::string(text.clone());
    let number = |number: u32| Value::from(i64::from(number));
    let mut members: Vec<(Text, Value)> = Vec::new();
    let mut put = |name: &str, value: Value| members.push((name.into(), value));
    match &breakpoint.at {
        Location::State(path) => put("state", text(&path.0)),
        Location::Item(path, index) => {
            put("state", text(&path.0));
            put("item", number(*index));
        }
        Location::Part(path, part) => {
            put("state", text(&path.0));
            match part {
                Part::Field(name) => put("field", text(name)),
                Part::Retrier(index) => put("retrier", number(*index)),
                Part::Catcher(index) => put("catcher", number(*index)),
                Part::Rule(index) => put("rule", number(*index)),
                Part::Default => put("default", Value::from(true)),
            }
        }
        Location::Error(moment, pattern) => {
            put("error", Value::string(moment.to_string()));
            put("pattern", text(pattern));
        }
        Location::Data(path) => put("data", text(path)),
    }
    if let Some(condition) = &breakpoint.condition {
        put("if", text(condition));
    }
    if breakpoint.hit_count > 0 {
        let hits = i64::try_from(breakpoint.hit_count).unwrap_or(i64::MAX);
        put("hits", Value::from(hits));
    }
    if let Some(message) = &breakpoint.log_message {
        put("log", text(message));
    }
    if !enabled {
        put("off", Value::from(true));
    }
    Value::object(members)
}

fn point(value: &Value) -> Option<(Breakpoint, bool)> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(Text::from);
    let index = |name: &str| value.get(name).and_then(whole);
    let at = if let Some(path) = text("state") {
        let path = StatePath(path);
        if let Some(item) = index("item") {
            Location::Item(path, item)
        } else {
            let part = text("field")
                .map(Part::Field)
                .or_else(|| index("retrier").map(Part::Retrier))
                .or_else(|| index("catcher").map(Part::Catcher))
                .or_else(|| index("rule").map(Part::Rule))
                .or_else(|| value.get("default").map(|_| Part::Default));
            match part {
                Some(part) => Location::Part(path, part),
                None => Location::State(path),
            }
        }
    } else if let Some(word) = text("error") {
        let moment = ErrorMoment::ALL
            .into_iter()
            .find(|moment| moment.to_string() == *word)?;
        Location::Error(moment, text("pattern")?)
    } else {
        Location::Data(text("data")?)
    };
    let breakpoint = Breakpoint {
        condition: text("if"),
        hit_count: index("hits").map_or(0, u64::from),
        log_message: text("log"),
        ..Breakpoint::at(at)
    };
    Some((breakpoint, value.get("off").is_none()))
}

fn whole(value: &Value) -> Option<u32> {
    value.as_number()?.as_i64()?.try_into().ok()
}

fn answer(value: &Value) -> Option<(AskKey, Value, Answer)> {
    let indices = value.get("indices")?.as_array()?;
    let rounds = value.get("rounds")?.as_array()?.iter().map(|pair| {
        let [visit, attempt] = pair.as_array()? else {
            return None;
        };
        Some((whole(visit)?, whole(attempt)?))
    });
    let key = AskKey {
        path: value.get("state")?.as_str()?.into(),
        indices: indices.iter().map(whole).collect::<Option<_>>()?,
        rounds: rounds.collect::<Option<_>>()?,
        visit: whole(value.get("visit")?)?,
        attempt: whole(value.get("attempt")?)?,
    };
    let answer = read_answer(value.get("answer")?)?;
    Some((key, value.get("input")?.clone(), answer))
}
