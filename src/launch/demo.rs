//! The samples that are embedded in the program, each as the configuration of a run: the demo and the workflow of the
//! tour. The workflow is written to files, because a step of the tour changes the definition.

use super::config::{LaunchConfig, Program};
use super::error::LaunchError;
use super::value::Given;
use crate::source::store::{self, Readers, Replace};
use std::path::Path;

/// The configuration of the demo: an embedded definition with its input and mock file.
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
        // A fixed start time, so that the sample looks the same each time.
        start_time: Some("1970-01-01T00:00:00Z".to_string()),
        fresh: true,
        ..LaunchConfig::default()
    }
}

/// Writes the workflow of the tour to a folder and returns its configuration.
///
/// # Errors
/// If the files cannot be written.
pub fn tour(folder: &Path) -> Result<LaunchConfig, LaunchError> {
    let files = [
        ("tour.asl.json", include_str!("../../samples/tour.asl.json")),
        (
            "tour.input.json",
            include_str!("../../samples/tour.input.json"),
        ),
        (
            "tour.mock.json",
            include_str!("../../samples/tour.mock.json"),
        ),
    ];
    for (name, text) in files {
        let file = folder.join(name);
        store::write(&file, text.as_bytes(), Replace::Regular, Readers::Default)?;
    }
    Ok(LaunchConfig {
        fresh: true,
        ..LaunchConfig::of(folder.join("tour.asl.json"))
    })
}
