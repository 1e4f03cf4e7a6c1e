//! Prints the graph of a definition: drawn with characters, or as Mermaid, DOT or SVG.

use super::output::{self, Refusal};
use crate::definition::Definition;
use crate::graph::{Glyphs, Layout, Options, Tone, dot, layout, mermaid, svg, text};

/// Output format of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphFormat {
    /// Drawn with characters.
    #[default]
    Text,
    /// A Mermaid flowchart.
    Mermaid,
    /// Graphviz DOT.
    Dot,
    /// An SVG image.
    Svg,
}

/// Prints the graph. A row that is wider than `width` is split, and names are wrapped and, as a last resort, cut.
///
/// # Errors
/// If writing to standard output fails.
pub fn graph(
    definition: &Definition,
    format: GraphFormat,
    ascii: bool,
    width: Option<u16>,
) -> Result<(), Refusal> {
    let picture = match format {
        GraphFormat::Mermaid => mermaid(definition),
        GraphFormat::Dot => dot(definition),
        GraphFormat::Text => text(&drawing(definition, ascii, width), glyphs(ascii)),
        GraphFormat::Svg => {
            let drawing = drawing(definition, false, width);
            svg(&drawing, &|_| Tone::Plain, &|_| Tone::Plain)
        }
    };
    output::print(&format!("{}\n", picture.trim_end_matches('\n')))
}

fn glyphs(ascii: bool) -> Glyphs {
    if ascii {
        Glyphs::Ascii
    } else {
        Glyphs::Unicode
    }
}

fn drawing(definition: &Definition, ascii: bool, width: Option<u16>) -> Layout {
    let options = Options {
        width: width.map(i32::from),
        glyphs: glyphs(ascii),
        ..Options::default()
    };
    let drawing = layout(definition, &options);
    if drawing.undrawn > 0 {
        output::warn(&format!(
            "{} lines are left out: the drawing would be too large with them; --format dot has them all",
            drawing.undrawn
        ));
    }
    drawing
}
