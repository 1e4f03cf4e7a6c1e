//! Orders about the recorded execution that the run repeats.

use crate::query::abridged;
use crate::session::recorded::{Payload, RecordedRun};
use crate::tui::app::App;
use crate::tui::popup::Popup;
use crate::tui::popup::whole::{Part, Whole};
use crate::tui::theme::Role;

type Done = Result<(), String>;

impl App {
    /// Shows AWS's events of the recorded execution, with marks on those that the run does not have.
    pub(in crate::tui) fn show_recording(&mut self) -> Done {
        let nothing = "this run does not repeat a recorded execution (--history FILE)";
        let run = self.session.recorded().ok_or(nothing)?;
        let met = self
            .view
            .recorded
            .as_ref()
            .map_or(0, |recorded| recorded.count);
        let difference = self.session.first_difference();
        let mut parts = Vec::new();
        if let Some(found) = difference {
            parts.push(text_part("First difference", found.text(), Role::Changed));
            parts.push(text_part("On AWS", found.there.clone(), Role::Text));
            parts.push(text_part("Here", found.here.clone(), Role::Text));
        }
        let text = recording_text(run, difference.and_then(|found| found.event));
        parts.push(text_part("AWS's events", text, Role::Text));
        let title = format!(
            "the recorded execution: {met} of {} events repeated",
            run.recorded().count()
        );
        self.open(Popup::Whole(Whole::new(title, parts)));
        Ok(())
    }
}

fn text_part(heading: &'static str, text: String, role: Role) -> Part {
    Part {
        heading,
        text,
        role,
    }
}

/// Maximum number of events to list.
const LISTED: usize = 30_000;
/// Maximum length of a value in the list.
const VALUE: usize = 160;

/// AWS's events, one per line: id, time, type, state, data.
fn recording_text(run: &RecordedRun, differs: Option<u32>) -> String {
    let mut text = String::new();
    for (place, event) in run.recorded().take(LISTED) {
        let mark = if differs == Some(event.id) { ">" } else { " " };
        let time = match (run.has_times, run.time(place)) {
            (true, Some(time)) => crate::tui::caption::clock(time),
            _ => String::new(),
        };
        let state = run.state_at(place).map_or("", |name| name);
        let data = match &event.data {
            Payload::Absent => event.error.as_deref().unwrap_or("").to_owned(),
            Payload::Unknown => "(not recorded)".to_owned(),
            data => data
                .value()
                .map_or_else(String::new, |value| abridged(&value, VALUE)),
        };
        let line = format!(
            "{mark} #{:<5} {time:<12} {} {state} {data}\n",
            event.id, event.type_name
        );
        text.push_str(&line);
    }
    text
}
