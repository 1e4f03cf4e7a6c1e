//! Where a breakpoint is.

use crate::session::{Location, Part};

/// Where a breakpoint stands, with what kind of place it is where the place alone does not say so.
#[must_use]
pub fn location(location: &Location) -> String {
    let kind = match location {
        Location::State(_) => "state ",
        Location::Error(..) => "error ",
        Location::Data(_) => "data ",
        Location::Part(..) | Location::Item(..) => "",
    };
    format!("{kind}{}", place(location))
}

/// The place alone: a state's path and what of it, a moment and a pattern, a path of data.
#[must_use]
pub fn place(location: &Location) -> String {
    match location {
        Location::State(path) => path.to_string(),
        Location::Part(path, part) => match part {
            Part::Field(name) => format!("{path} {name}"),
            Part::Retrier(index) => format!("{path} Retry[{index}]"),
            Part::Catcher(index) => format!("{path} Catch[{index}]"),
            Part::Rule(index) => format!("{path} rule {index}"),
            Part::Default => format!("{path} Default"),
        },
        Location::Item(path, index) => format!("{path}[{index}]"),
        Location::Error(moment, pattern) => format!("{moment} {pattern}"),
        Location::Data(path) => format!("{path} changes"),
    }
}
