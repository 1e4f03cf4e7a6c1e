//! Prints a definition, whatever it was written in, as ASL in JSON or YAML.
//!
//! It must not know what the definition means.

use super::output::{self, Refusal};
use crate::json::pretty;
use crate::source::Node;
use crate::source::yaml::to_yaml;

/// Prints the tree as JSON, the order of members kept.
///
/// # Errors
/// Where standard output cannot be written.
pub fn convert(node: &Node) -> Result<(), Refusal> {
    output::print_json(&pretty(&node.to_value()))
}

/// Prints the tree as YAML, the order of members kept.
///
/// # Errors
/// Where standard output cannot be written.
pub fn convert_to_yaml(node: &Node) -> Result<(), Refusal> {
    output::print(&to_yaml(&node.to_value()))
}
