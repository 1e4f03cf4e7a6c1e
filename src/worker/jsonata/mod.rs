//! JSONata, evaluated within budgets: steps, bytes and depth are counted before they are taken, so that no expression can run away.
//!
//! It must not know threads, nor who asks.
//!
//! The text of an expression is parsed by the crate `jsonata-core`, and its tree lowered to a plan of our own; of the crate's
//! functions only those are used that are sure to end: pictures of numbers and dates, texts of numbers, base64.

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
