//! The workflow of the tour, written to files because a step of the tour changes the definition.

use super::config::LaunchConfig;
use super::error::LaunchError;
use crate::source::store::{self, Readers, Replace};
use std::path::Path;

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
