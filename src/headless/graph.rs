//! Prints the picture of a definition: drawn with characters, or as Mermaid or DOT text.
//!
//! It must not know how boxes are placed.

use super::output::{self, Refusal};
use crate::definition::Definition;
use crate::graph::{Glyphs, Options, dot, layout, mermaid, text};

/// How the picture is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphFormat {
    /// Drawn with characters.
    #[default]
    Text,
    /// As a Mermaid flowchart.
    Mermaid,
    /// As Graphviz's DOT.
    Dot,
}

/// Prints the picture; names and labels of a drawing that is wider than `width` are cut.
///
/// # Errors
/// Where standard output cannot be written.
pub fn graph(
    definition: &Definition,
    format: GraphFormat,
    ascii: bool,
    width: Option<u16>,
) -> Result<(), Refusal> {
    let picture = match format {
        GraphFormat::Mermaid => mermaid(definition),
        GraphFormat::Dot => dot(definition),
        GraphFormat::Text => drawing(definition, ascii, width),
    };
    output::print(&format!("{}\n", picture.trim_end_matches('\n')))
}

/// How far names and labels are cut, the first being the longest.
const CUTS: [(i32, i32); 5] = [(28, 24), (22, 16), (16, 10), (12, 6), (8, 3)];

fn drawing(definition: &Definition, ascii: bool, width: Option<u16>) -> String {
    let glyphs = if ascii {
        Glyphs::Ascii
    } else {
        Glyphs::Unicode
    };
    let mut drawn = String::new();
    let mut undrawn = 0;
    for (max_name, max_label) in CUTS {
        let options = Options {
            max_name,
            max_label,
            glyphs,
            ..Options::default()
        };
        let drawing = layout(definition, &options);
        undrawn = drawing.undrawn;
        drawn = text(&drawing, glyphs);
        let columns = drawn.lines().map(|line| line.chars().count()).max();
        let fits = width.is_none_or(|width| columns <= Some(usize::from(width)));
        if fits {
            break;
        }
    }
    if undrawn > 0 {
        output::warn(&format!(
            "{undrawn} lines are left out: the drawing would be too large with them; --format dot has them all"
        ));
    }
    drawn
}
