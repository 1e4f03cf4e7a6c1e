//! Evaluates JSONata within budgets: steps, bytes and depth are charged in advance, so that no expression can run away.
//!
//! The crate `jsonata-core` parses an expression, and its tree is lowered to a plan of our own. Of the crate's
//! functions, only those are used that are sure to terminate: formatting of numbers and dates, numbers as text, base64.

mod account;
mod builtin;
mod calendar;
mod call;
mod collection;
mod datum;
mod engine;
mod evaluate;
mod frame;
mod function;
mod higher;
mod lower;
mod message;
mod moment;
mod moment_picture;
mod named;
mod number;
mod numeral;
mod path;
mod pattern;
mod picture;
mod place;
mod plan;
mod regular;
mod regular_syntax;
mod rows;
mod service;
mod signature;
mod spots;
mod text;
mod tracer;
mod url;
mod value;

pub(super) use engine::Engine;
