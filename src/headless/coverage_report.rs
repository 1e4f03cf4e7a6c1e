//! Prints coverage, or writes it to a file, in the requested format.

use super::output::{self, Refusal};
use crate::coverage::{self, Covered};
use crate::json::{escaped, one_line};
use crate::source::store::{self, Readers, Replace};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Output format of coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoverageFormat {
    /// A table, and the points that were not reached.
    #[default]
    Text,
    /// A table like `Text`, and every line of the sources.
    Source,
    /// An lcov tracefile.
    Lcov,
    /// Cobertura XML.
    Cobertura,
    /// An HTML page.
    Html,
    /// One JSON object.
    Json,
}

impl CoverageFormat {
    /// Default name of the output file; `None` if the format is printed by default.
    fn file(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::Source => None,
            Self::Lcov => Some("lcov.info"),
            Self::Cobertura => Some("coverage.xml"),
            Self::Html => Some("coverage.html"),
            Self::Json => Some("coverage.json"),
        }
    }
}

/// The requested coverage report.
#[derive(Clone, Debug, Default)]
pub struct CoverageOptions {
    /// The format.
    pub format: CoverageFormat,
    /// The output file; `-` is standard output.
    pub file: Option<PathBuf>,
    /// Minimum coverage in percent.
    pub least: Option<f64>,
}

/// Prints or writes the report; returns whether the minimum coverage was reached.
///
/// # Errors
/// If the report cannot be written.
pub fn report_coverage(all: &[Covered], options: &CoverageOptions) -> Result<bool, Refusal> {
    let text = match options.format {
        CoverageFormat::Text => coverage::table(all),
        CoverageFormat::Source => {
            let sources: Vec<String> = all.iter().map(coverage::source_lines).collect();
            format!("{}\n{}", coverage::table(all), sources.join("\n"))
        }
        CoverageFormat::Lcov => coverage::lcov(all),
        CoverageFormat::Cobertura => coverage::cobertura(all, now()),
        CoverageFormat::Html => coverage::html(all),
        CoverageFormat::Json => format!("{}\n", escaped(&one_line(&coverage::json(all)))),
    };
    let named = options.file.as_deref();
    match named.or_else(|| options.format.file().map(Path::new)) {
        Some(file) if file != Path::new("-") => {
            let written = store::write(file, text.as_bytes(), Replace::Unread, Readers::Default);
            written.map_err(|error| Refusal::new(error.to_string()))?;
            output::warn(&format!("coverage is in {}", file.display()));
        }
        _ => output::print(&text)?,
    }
    let percent = coverage::total(all).percent();
    match options.least {
        Some(least) if percent < least => {
            output::warn(&format!(
                "coverage is {percent:.1}%, below the {least}% that --min-coverage asks for"
            ));
            Ok(false)
        }
        _ => Ok(true),
    }
}

/// The current time in milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
}
