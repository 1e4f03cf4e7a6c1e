//! Sentences about what ended a run that timed out.

use crate::session::note::duration;
use crate::session::view::{SpentView, TimeoutView};

/// Text such as `TimeoutSeconds 1500 of the machine (line 5) passed`.
fn limit_passed(timeout: &TimeoutView) -> String {
    limit(timeout, " of the machine")
}

/// `TimeoutSeconds 1500 (line 5) passed`, if it is clear that this is the execution's limit.
#[must_use]
pub fn limit_in_short(timeout: &TimeoutView) -> String {
    limit(timeout, "")
}

fn limit(timeout: &TimeoutView, whose: &str) -> String {
    match (timeout.seconds, timeout.line) {
        (Some(seconds), Some(line)) => {
            format!("TimeoutSeconds {seconds}{whose} (line {line}) passed")
        }
        (Some(seconds), None) => format!("TimeoutSeconds {seconds}{whose} passed"),
        (None, _) => "the five minutes of an EXPRESS execution passed".to_owned(),
    }
}

/// The limit, the waiting frames, and how the time was spent.
#[must_use]
pub fn timed_out(timeout: &TimeoutView) -> String {
    let spent: Vec<String> = timeout.spent.iter().map(spent).collect();
    let spent = match spent.is_empty() {
        true => String::new(),
        false => format!(" The time went to {}.", spent.join(", ")),
    };
    let catch = match &timeout.not_caught {
        Some(_) => " A state machine's timeout cannot be caught.",
        None => "",
    };
    format!("{}{catch}{spent}", timed_out_by(timeout))
}

/// The limit and the waiting frames.
#[must_use]
pub fn timed_out_by(timeout: &TimeoutView) -> String {
    let limit = limit_passed(timeout);
    let others = match timeout.others {
        0 => String::new(),
        1 => "; 1 more was waiting".to_owned(),
        others => format!("; {others} more were waiting"),
    };
    let waiting = match timeout.waiting.is_empty() {
        true => String::new(),
        false => format!(" while {}{others}", timeout.waiting.join("; ")),
    };
    format!("{limit}{waiting}.")
}

/// A note that the execution's time limit ends or ended a Wait.
#[must_use]
pub fn cut_wait(line: Option<usize>, at: &str, is_over: bool) -> String {
    let ends = if is_over { "ended" } else { "ends" };
    match line {
        Some(line) => format!("the machine's TimeoutSeconds (line {line}) {ends} it at {at}"),
        None => format!("the limit of an EXPRESS execution {ends} it at {at}"),
    }
}

fn spent(spent: &SpentView) -> String {
    let waiting = match spent.between_tries {
        0 => String::new(),
        waited => format!(" ({} of it waiting for retries)", duration(waited)),
    };
    format!("{} {}{waiting}", spent.state, duration(spent.time))
}

/// The reason why no more items run at once, such as `MaxConcurrency 2, line 19`.
#[must_use]
pub fn concurrency(field: Option<&str>, at_once: u32, line: Option<usize>) -> String {
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    match field {
        Some(field) if field.ends_with("Path") => format!("{field} is {at_once}{line}"),
        Some(field) => format!("{field} {at_once}{line}"),
        None => format!("at most {at_once} run at once"),
    }
}
