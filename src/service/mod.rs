//! AWS services as Tasks call them: actions, parameters, results and errors.
//!
//! The names come from the catalogue, which `tools/services/catalogue.py` creates from the PyPI package botocore, and
//! from two small tables that are maintained by hand. The part of the catalogue for a service is read when a Task first
//! refers to the service. Lengths and ranges are only known for results.

mod call;
mod catalogue;
mod model;
mod name;
mod optimized;
mod value;

pub use call::{Call, Unknown};
pub use catalogue::{Service, date, edition, service, services};
pub use model::{Kind, Member, Model, Naming, Need, Scalar, Shape};
pub use name::{NeverRaised, command_name};
pub use value::{FieldValidation, Members, mock_fault, sample, start_fault};

#[cfg(test)]
mod tests;
