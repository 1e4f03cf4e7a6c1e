//! Draws the layout as SVG.

use super::model::{BoxType, EdgeRoute, Layout, NodeBox, Point};
use crate::json::{visible, xml};
use std::fmt::Write as _;

/// Tone of a box or line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Neutral: nothing has run.
    #[default]
    Plain,
    /// Not reached or not taken.
    Dim,
    /// Completed or taken.
    Ok,
    /// Running.
    Running,
    /// Waiting for time or an answer.
    Waiting,
    /// Exited through a catcher.
    Caught,
    /// Failed, or has a current error.
    Failed,
}

impl Tone {
    fn ink(self) -> &'static str {
        match self {
            Self::Plain => "#3b4252",
            Self::Dim => "#9aa2b1",
            Self::Ok => "#2e8b57",
            Self::Running => "#2f6fd0",
            Self::Waiting => "#b07d10",
            Self::Caught => "#a03fb0",
            Self::Failed => "#c23b3b",
        }
    }

    fn paper(self) -> &'static str {
        match self {
            Self::Plain | Self::Dim => "#ffffff",
            Self::Ok => "#e7f6ec",
            Self::Running => "#e6effc",
            Self::Waiting => "#fdf4dc",
            Self::Caught => "#f7e9fa",
            Self::Failed => "#fdeaea",
        }
    }
}

const WIDE: i32 = 9;
const HIGH: i32 = 18;

/// Returns the drawing on a white background, with tones for its boxes and lines.
#[must_use]
pub fn svg(
    layout: &Layout,
    of_box: &dyn Fn(&NodeBox) -> Tone,
    of_edge: &dyn Fn(&EdgeRoute) -> Tone,
) -> String {
    let (width, height) = ((layout.width + 2) * WIDE, (layout.height + 2) * HIGH);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for item in layout.boxes.iter() {
        frame(item, of_box(item), &mut out);
    }
    for line in &layout.separators {
        let (from, to) = (middle(line.from), middle(line.to));
        let _ = writeln!(
            out,
            "<path d=\"M{} {}L{} {}\" stroke=\"#9aa2b1\" stroke-dasharray=\"2 4\" fill=\"none\"/>",
            from.x, from.y, to.x, to.y
        );
    }
    // Taken lines are drawn on top of the others.
    let is_quiet = |edge: &&EdgeRoute| matches!(of_edge(edge), Tone::Plain | Tone::Dim);
    let (quiet, lit): (Vec<&EdgeRoute>, Vec<&EdgeRoute>) = layout.edges.iter().partition(is_quiet);
    for edge in quiet.into_iter().chain(lit) {
        way(edge, of_edge(edge), &mut out);
    }
    for edge in &layout.edges {
        if let Some(label) = &edge.label {
            let text = label.text.trim();
            let at = Point {
                x: label.x + i32::from(label.text.starts_with(' ')),
                y: label.y,
            };
            let (x, y) = ((at.x + 1) * WIDE, (at.y + 1) * HIGH);
            let wide = super::wording::width(text) * WIDE;
            cover((x, y + 2), (wide, HIGH - 4), &mut out);
            words(at, text, of_edge(edge).ink(), "", &mut out);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Centre of a cell, in pixels.
fn middle(at: Point) -> Point {
    Point {
        x: (at.x + 1) * WIDE + WIDE / 2,
        y: (at.y + 1) * HIGH + HIGH / 2,
    }
}

/// Draws a background that hides the lines behind a text.
fn cover((x, y): (i32, i32), (wide, high): (i32, i32), out: &mut String) {
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" fill=\"#ffffff\"/>"
    );
}

fn escaped(text: &str) -> String {
    xml(&visible(text))
}

fn words(at: Point, text: &str, ink: &str, more: &str, out: &mut String) {
    let (x, y) = ((at.x + 1) * WIDE, (at.y + 1) * HIGH + HIGH - 5);
    let wide = super::wording::width(text) * WIDE;
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{wide}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{ink}\"{more}>{}</text>",
        escaped(text)
    );
}

fn frame(item: &NodeBox, tone: Tone, out: &mut String) {
    let first = middle(Point {
        x: item.rect.x,
        y: item.rect.y,
    });
    let last = middle(Point {
        x: item.rect.right(),
        y: item.rect.bottom(),
    });
    let (wide, high) = (last.x - first.x, last.y - first.y);
    let ink = tone.ink();
    if item.kind != BoxType::Mark {
        let round = match item.kind {
            BoxType::Succeed | BoxType::Fail => 9,
            BoxType::Choice => 0,
            _ => 4,
        };
        let paper = if item.group { "none" } else { tone.paper() };
        let thick = if item.group { "2.5" } else { "1.5" };
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{wide}\" height=\"{high}\" rx=\"{round}\" fill=\"{paper}\" stroke=\"{ink}\" stroke-width=\"{thick}\"><title>{}</title></rect>",
            first.x,
            first.y,
            escaped(&item.lines.join(" "))
        );
    }
    if item.group {
        // The title covers a part of the frame.
        let text = item.lines.first().map_or("", String::as_str);
        let begin = item.label_at.x - if item.mark.is_some() { 2 } else { 0 };
        let cells = item.label_at.x - begin + super::wording::width(text) + 2;
        let corner = (begin * WIDE, (item.label_at.y + 1) * HIGH);
        cover(corner, (cells * WIDE, HIGH), out);
    }
    if let Some(mark) = item.mark {
        let at = Point {
            x: item.label_at.x - 2,
            ..item.label_at
        };
        words(at, &mark.to_string(), "#9aa2b1", "", out);
    }
    for (y, line) in (item.label_at.y..).zip(&item.lines) {
        let at = Point { y, ..item.label_at };
        words(at, line, ink, " font-weight=\"600\"", out);
    }
    if let Some((at, tag)) = item.tag {
        let wide = (super::wording::width(tag) + 1) * WIDE;
        let corner = (at.x * WIDE + WIDE / 2, (at.y + 1) * HIGH);
        cover(corner, (wide, HIGH), out);
        words(at, tag, "#9aa2b1", "", out);
    }
    if let (Some(badge), Some(retries)) = (item.badge, item.retries) {
        let at = Point {
            x: badge.x,
            y: badge.y,
        };
        let text = format!("↻{}", retries.min(9_999));
        let corner = ((at.x + 1) * WIDE, (at.y + 1) * HIGH);
        cover(corner, (super::wording::width(&text) * WIDE, HIGH), out);
        words(at, &text, ink, "", out);
    }
}

fn way(edge: &EdgeRoute, tone: Tone, out: &mut String) {
    let points: Vec<Point> = edge.path.iter().map(|at| middle(*at)).collect();
    let Some(first) = points.first() else {
        return;
    };
    let mut path = format!("M{} {}", first.x, first.y);
    for point in points.iter().skip(1) {
        let _ = write!(path, "L{} {}", point.x, point.y);
    }
    let dashes = if edge.kind.is_catch() {
        " stroke-dasharray=\"5 4\""
    } else {
        ""
    };
    let ink = tone.ink();
    let thick = match tone {
        Tone::Plain | Tone::Dim => "1.2",
        _ => "2.2",
    };
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{thick}\" stroke-linejoin=\"round\"{dashes}/>"
    );
    let [.., before, end] = points.as_slice() else {
        return;
    };
    let (dx, dy) = ((end.x - before.x).signum(), (end.y - before.y).signum());
    let (back_x, back_y) = (end.x - dx * 9, end.y - dy * 9);
    let _ = writeln!(
        out,
        "<path d=\"M{} {}L{} {}L{} {}Z\" fill=\"{ink}\"/>",
        end.x,
        end.y,
        back_x + dy * 4,
        back_y + dx * 4,
        back_x - dy * 4,
        back_y - dx * 4
    );
}
