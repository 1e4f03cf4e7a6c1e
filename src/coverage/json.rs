//! Coverage as one JSON value, for other programs.

use super::coverage::Tally;
use super::point::points;
use super::{Covered, total};
use crate::json::{Number, Value};

/// Coverage in the form `{"percent", "states": {"reached", "all"}, ..., "files": [{"file", "machine", "percent", ...,
/// "points": [...]}]}`.
#[must_use]
pub fn json(all: &[Covered]) -> Value {
    let mut members = tally(&total(all));
    let files = all.iter().map(file).collect();
    members.push(("files".into(), Value::array(files)));
    Value::object(members)
}

fn file(one: &Covered) -> Value {
    let definition = &one.definition;
    let name = definition.sources.files().first();
    let name = name.map_or("", |file| &*file.name);
    let mut members = vec![
        ("file".into(), Value::from(name)),
        ("machine".into(), Value::String(definition.name.clone())),
    ];
    members.extend(tally(&one.coverage.tally(definition)));
    let points = points(definition).into_iter().map(|point| {
        let state = definition.state(point.state);
        let path = state.map_or("", |state| &*state.path.0);
        let place = definition.sources.place(point.span(definition));
        Value::object(vec![
            ("state".into(), Value::from(path)),
            ("group".into(), Value::from(point.kind.group())),
            ("what".into(), Value::string(point.text(definition))),
            ("line".into(), count(place.map_or(0, |place| place.line))),
            (
                "hits".into(),
                Value::from(i64::try_from(one.coverage.hits(point)).unwrap_or(i64::MAX)),
            ),
        ])
    });
    members.push(("points".into(), Value::array(points.collect())));
    Value::object(members)
}

fn tally(tally: &Tally) -> Vec<(crate::json::Text, Value)> {
    let percent = Number::parse(&format!("{:.2}", tally.percent()));
    let mut members = vec![("percent".into(), percent.map_or(Value::Null, Value::Number))];
    members.extend(tally.groups().map(|(group, reached, all)| {
        let counts = vec![
            ("reached".into(), count(reached)),
            ("all".into(), count(all)),
        ];
        (group.into(), Value::object(counts))
    }));
    members
}

fn count(number: usize) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}
