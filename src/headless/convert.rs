//! Prints a definition or a recorded execution of any format as JSON or YAML, or as a graph.

use super::output::{self, Refusal, warn};
use crate::definition::Definition;
use crate::graph::{Glyphs, Layout, Options, Tone, dot, layout, mermaid, svg, text};
use crate::history::import::{Imported, import, is_history};
use crate::history::redact::Redaction;
use crate::json::{Value, parse};
use crate::launch::{self, Program};
use crate::source::load;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads a file: returns the tree of a definition, or the events of a recorded execution in AWS's format.
///
/// # Errors
/// If the file cannot be read, or is neither a definition nor a recorded execution.
pub fn document(program: &Program) -> Result<Value, Refusal> {
    let file = program.file.as_path();
    if file == Path::new("-") {
        let text = load::load_argument(file).map_err(|error| Refusal::new(error.to_string()))?;
        if is_history(text.text.as_bytes()) {
            return recorded(import(text.text.as_bytes()), Path::new("standard input"));
        }
        return definition(&Program {
            file: PathBuf::from("standard input"),
            text: Some(Arc::from(&*text.text)),
            ..program.clone()
        });
    }
    if !launch::is_history_file(file) {
        return definition(program);
    }
    if let Ok(text) = load::load(file)
        && let Ok(document) = parse(&text.text)
    {
        // The document already has AWS's format. Its members other than the events are kept.
        return Ok(document);
    }
    recorded(Ok(launch::read_history(file)?), file)
}

/// Replaces, in a document, the values that the `--redact` patterns select.
///
/// # Errors
/// If a pattern is invalid.
pub fn redacted(document: Value, patterns: &[String]) -> Result<Value, Refusal> {
    if patterns.is_empty() {
        return Ok(document);
    }
    let mut redaction = Redaction::of(patterns).map_err(Refusal::new)?;
    redaction.learn(&document);
    Ok(redaction.replace(&document))
}

fn definition(program: &Program) -> Result<Value, Refusal> {
    Ok(launch::open(program)?.readable()?.to_value())
}

/// The events of one execution in a file, in AWS's format: the last execution that failed, or the last one if none
/// failed.
fn recorded(imported: Result<Imported, String>, file: &Path) -> Result<Value, Refusal> {
    let refused = |why: String| Refusal::new(format!("{}: {why}", file.display()));
    let imported = imported.map_err(refused)?;
    for note in &imported.notes {
        warn(&format!("{}: {note}", file.display()));
    }
    if imported.executions.len() > 1 {
        let count = imported.executions.len();
        warn(&format!(
            "{file} contains {count} executions; only the last execution that failed is converted, or the last execution if none failed",
            file = file.display()
        ));
    }
    let events = imported.executions.first().map(|first| &first.events);
    let events = events.into_iter().flatten();
    let events = events.map(|event| event.raw.clone()).collect();
    Ok(Value::object(vec![("events".into(), Value::array(events))]))
}

/// Output format of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum GraphFormat {
    /// Drawn with characters.
    #[default]
    Text,
    /// A Mermaid flowchart.
    Mermaid,
    /// Graphviz's DOT.
    Dot,
    /// A picture in SVG.
    Svg,
}

/// Prints the graph. A row of states that is wider than `width` is split. Long names are wrapped, and cut if they are
/// still too long.
///
/// # Errors
/// If writing to standard output fails.
pub fn graph(
    definition: &Definition,
    format: GraphFormat,
    ascii: bool,
    width: Option<u16>,
) -> Result<(), Refusal> {
    let glyphs = if ascii {
        Glyphs::Ascii
    } else {
        Glyphs::Unicode
    };
    let picture = match format {
        GraphFormat::Mermaid => mermaid(definition),
        GraphFormat::Dot => dot(definition),
        GraphFormat::Text => text(&drawing(definition, glyphs, width), glyphs),
        GraphFormat::Svg => {
            let drawing = drawing(definition, Glyphs::Unicode, width);
            svg(&drawing, &|_| Tone::Plain, &|_| Tone::Plain)
        }
    };
    output::print(&format!("{}\n", picture.trim_end_matches('\n')))
}

fn drawing(definition: &Definition, glyphs: Glyphs, width: Option<u16>) -> Layout {
    let options = Options {
        width: width.map(i32::from),
        glyphs,
        ..Options::default()
    };
    let drawing = layout(definition, &options);
    if drawing.undrawn > 0 {
        output::warn(&format!(
            "{count} lines of the graph are not drawn, because the drawing would be too large; --format dot prints all lines",
            count = drawing.undrawn
        ));
    }
    drawing
}
