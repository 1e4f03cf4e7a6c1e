//! AWS services as Tasks call them: actions, parameters, results and errors.
//!
//! The names come from the catalogue, which `tools/services/catalogue.py` creates from the PyPI package botocore, and
//! from two small tables that are maintained by hand. A service's part of the catalogue is read when a Task first
//! refers to it. Lengths and ranges are only known for results.

mod block;
mod call;
mod catalogue;
mod command;
mod error;
mod mock;
mod model;
mod optimized;
mod sample;
mod start;

pub use call::{Call, Unknown};
pub use catalogue::{Service, date, edition, service, services};
pub use command::command_name;
pub use error::NeverRaised;
pub use mock::{FieldValidation, mock_fault};
pub use model::{Kind, Member, Model, Naming, Need, Scalar, Shape};
pub use sample::{Members, sample};
pub use start::start_fault;

#[cfg(test)]
mod tests;
