//! Tests with hostile text in all fields of a view and of a definition that may contain text from data.

use super::sample::Scene;
use crate::json::{Text, Value};
use crate::session::Finding;
use crate::session::view::{Follows, Forecast, StatePane as Content, When};

/// Text that controls a terminal, or has no width, double width or an extreme length.
pub(super) const HOSTILE: [&str; 8] = [
    "\u{1b}[2J\u{1b}]52;c;eA==\u{7}",
    "\u{9b}31m\u{85}\u{0}\r\n\t",
    "\u{202e}evil\u{2066}\u{200f}",
    "a\u{200b}b\u{feff}c\u{ad}d",
    "漢字かな混じり文\u{1f600}",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\u{e0041}\u{1f468}\u{200d}\u{1f469}\u{1f1e9}\u{1f1ea}",
    "",
];

pub(super) fn hostile(scene: &mut Scene) {
    let long = "k".repeat(10_000);
    let text = |place: usize| -> Text { HOSTILE[place % 8].into() };
    let mut members: Vec<(Text, Value)> = (0..8)
        .map(|place| (text(place), Value::String(text(place))))
        .collect();
    members.push((long.as_str().into(), Value::string(long.as_str())));
    members.push((
        "deep".into(),
        Value::array(vec![Value::object(members.clone())]),
    ));
    let value = Value::object(members);
    let view = &mut scene.view;
    for stage in &mut view.data.stages {
        stage.value = Some(value.clone());
        stage.expression = Some(HOSTILE[0].repeat(3));
        stage.loss = Some(HOSTILE[2].to_owned());
    }
    view.data.variables = vec![(text(0), value.clone()), (text(4), value.clone())];
    view.data.context = value.clone();
    view.data.forecast = HOSTILE
        .iter()
        .map(|text| Forecast {
            when: When::Now,
            follows: Follows::plain(*text),
        })
        .collect();
    if let Some(fault) = &mut view.data.fault {
        fault.fault.error = Some(text(0));
        fault.fault.cause = Some(text(1));
        fault.because = HOSTILE
            .iter()
            .map(|text| Finding::new("hostile", *text))
            .collect();
        fault.aws = Some(HOSTILE[0].to_owned());
    }
    for (place, watch) in view.watches.iter_mut().enumerate() {
        watch.text = text(place);
        watch.value = Ok(value.clone());
        watch.was = Some(Err(HOSTILE[place % 8].to_owned()));
    }
    for (place, point) in view.breakpoints.iter_mut().enumerate() {
        point.breakpoint.at = crate::session::Location::Data(text(place));
        point.breakpoint.condition = Some(text(place + 1));
        point.breakpoint.log_message = Some(text(place + 2));
    }
    for (place, state) in scene.definition.states.iter_mut().enumerate() {
        state.name = text(place);
        state.path.0 = text(place);
    }
    if let Content::Task(handling) = &mut view.state {
        for (place, retrier) in handling.retriers.iter_mut().enumerate() {
            retrier.errors = vec![text(place), text(place + 4)];
            retrier.why = HOSTILE[place].to_owned();
            retrier.back_off = HOSTILE[place + 1].to_owned();
            (retrier.used, retrier.max) = (u64::MAX, 99_999_999);
        }
    }
    scene.view.frames[0].name = HOSTILE[1].to_owned();
}
