//! Texts about locations of breakpoints.

use crate::session::{Location, Part};

/// A breakpoint's location, with its kind if the location does not show it.
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

/// The location alone: path and part of a state, moment and pattern of errors, path of data.
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
