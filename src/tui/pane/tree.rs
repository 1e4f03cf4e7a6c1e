//! A JSON value as rows, flattened only where it is looked at.
//!
//! It must not know stages or panes.
