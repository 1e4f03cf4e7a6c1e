//! The embedded sample, as a regular configuration.

use super::config::{LaunchConfig, Program};
use super::value::Given;

/// The embedded sample with its input and answers.
#[must_use]
pub fn demo() -> LaunchConfig {
    let text = |text: &str| Some(Given::Json(text.to_string()));
    LaunchConfig {
        program: Program {
            text: Some(include_str!("../../samples/demo.asl.json").into()),
            ..Program::of("demo.asl.json")
        },
        input: text(include_str!("../../samples/demo.input.json")),
        mock: text(include_str!("../../samples/demo.mock.json")),
        // The sample looks the same each time.
        start_time: Some("1970-01-01T00:00:00Z".to_string()),
        fresh: true,
        ..LaunchConfig::default()
    }
}
