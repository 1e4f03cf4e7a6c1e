//! Coverage as one self-contained HTML file: the counts of reached points, and the graph of each definition beside its
//! text.

use super::coverage::{Covered, FileLines, GROUPS, Tally, lines, total};
use super::point::{Kind, Point, edge_of, points};
use crate::graph::{EdgeRoute, Layout, Node, NodeBox, Options, layout};
use crate::json::xml;
use std::fmt::Write as _;

const STYLE: &str = include_str!("html.css");
/// Width and height in pixels of one character cell of the drawn graph.
const CELL: (i32, i32) = (8, 18);

/// Returns the page with the coverage of all these definitions.
#[must_use]
pub fn html(all: &[Covered]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>Coverage</title>\n<style>\n{STYLE}</style>\n<h1>Coverage {percent:.1}%</h1>\n",
        percent = total(all).percent()
    );
    summary(&mut out, all);
    out.push_str("<p class=\"key\">each line or state: <b class=\"yes\">fully reached</b> <b class=\"part\">partly reached</b> <b class=\"none\">not reached</b></p>\n");
    for (place, covered) in all.iter().enumerate() {
        let _ = writeln!(
            out,
            "<h2 id=\"m{place}\">{title} · {percent:.1}%</h2>\n<div class=\"side\">",
            title = xml(&title(covered)),
            percent = covered.coverage.tally(&covered.definition).percent()
        );
        graph(&mut out, covered);
        for file in lines(covered) {
            source(&mut out, covered, &file);
        }
        out.push_str("</div>\n");
    }
    out.push_str("</html>\n");
    out
}

fn title(covered: &Covered) -> String {
    format!("{} — {}", covered.definition.name, covered.file())
}

fn summary(out: &mut String, all: &[Covered]) {
    out.push_str("<table class=\"sum\"><tr><th>definition");
    for group in GROUPS {
        let _ = write!(out, "<th>{group}");
    }
    out.push_str("<th>all</tr>\n");
    let mut row = |name: &str, tally: &Tally| {
        let _ = write!(out, "<tr><td>{name}");
        for group in GROUPS {
            match tally.of(group) {
                (_, 0) => out.push_str("<td>–"),
                (reached, count) => {
                    let _ = write!(out, "<td>{reached}/{count}");
                }
            }
        }
        let _ = writeln!(out, "<td>{:.1}%</tr>", tally.percent());
    };
    for (place, covered) in all.iter().enumerate() {
        let name = format!("<a href=\"#m{place}\">{}</a>", xml(&title(covered)));
        row(&name, &covered.coverage.tally(&covered.definition));
    }
    if all.len() > 1 {
        row("all", &total(all));
    }
    out.push_str("</table>\n");
}

/// CSS class for a box or a line: it says whether all, some or none of its points were reached.
fn class(points: impl IntoIterator<Item = u64>) -> &'static str {
    let (mut some, mut left) = (false, false);
    for hits in points {
        some |= hits > 0;
        left |= hits == 0;
    }
    match (some, left) {
        (true, false) => "yes",
        (true, true) => "part",
        (false, _) => "none",
    }
}

fn source(out: &mut String, covered: &Covered, file: &FileLines) {
    out.push_str("<div class=\"source\"><table>\n");
    let mut marks = file.lines.iter().peekable();
    for number in 1..=file.file.line_count() {
        let text = xml(file.file.line(number));
        let Some(line) = marks.next_if(|line| line.number == number) else {
            let _ = writeln!(
                out,
                "<tr><td class=\"hits\"><td class=\"no\">{number}<td>{text}</tr>"
            );
            continue;
        };
        let class = class(line.points.iter().map(|(_, hits)| *hits));
        let left = line.points.iter().filter(|(_, hits)| *hits == 0);
        let left = left.map(|(point, _)| match point.kind {
            Kind::Entered => "never entered".to_string(),
            _ => point.text(&covered.definition),
        });
        let left: Vec<String> = left.collect();
        let missing = match left.is_empty() {
            true => String::new(),
            false => format!("not: {}", left.join(", ")),
        };
        let _ = writeln!(
            out,
            "<tr class=\"{class}\"><td class=\"hits\">{hits}×<td class=\"no\">{number}<td>{text}<span class=\"what\">{missing}</span></tr>",
            hits = line.hits,
            missing = xml(&missing)
        );
    }
    out.push_str("</table></div>\n");
}

fn graph(out: &mut String, covered: &Covered) {
    let drawing = layout(&covered.definition, &Options::default());
    let (width, height) = ((drawing.width + 2) * CELL.0, (drawing.height + 2) * CELL.1);
    let _ = writeln!(
        out,
        "<div class=\"graph\"><svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Graph of {name}\">",
        name = xml(&covered.definition.name)
    );
    shapes(out, covered, &drawing);
    out.push_str("</svg></div>\n");
}

fn shapes(out: &mut String, covered: &Covered, drawing: &Layout) {
    let points = points(&covered.definition);
    // Boxes that contain other boxes are drawn first. Otherwise, they would cover the boxes inside them.
    for item in drawing.boxes.iter().filter(|item| item.group) {
        node(out, covered, &points, item);
    }
    for edge in drawing.edges.iter().filter(|edge| !edge.path.is_empty()) {
        route(out, covered, edge);
    }
    for item in drawing.boxes.iter().filter(|item| !item.group) {
        node(out, covered, &points, item);
    }
    for label in drawing.edges.iter().filter_map(|edge| edge.label.as_ref()) {
        let (x, y) = ((label.x + 1) * CELL.0, (label.y + 1) * CELL.1 + 13);
        let text = xml(&label.text);
        let _ = writeln!(
            out,
            "<text class=\"label\" x=\"{x}\" y=\"{y}\">{text}</text>"
        );
    }
}

fn node(out: &mut String, covered: &Covered, points: &[Point], item: &NodeBox) {
    let class = match item.node {
        Node::State(id) => {
            let points = points.iter().filter(|point| point.state == id);
            class(points.map(|point| covered.coverage.hits(*point)))
        }
        Node::Start | Node::End => "plain",
    };
    let group = if item.group { " group" } else { "" };
    let rect = item.rect;
    let _ = writeln!(
        out,
        "<rect class=\"{class}{group}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>",
        x = (rect.x + 1) * CELL.0,
        y = (rect.y + 1) * CELL.1 + 1,
        width = rect.w * CELL.0,
        height = rect.h * CELL.1 - 2
    );
    let left = (item.label_at.x + 1) * CELL.0;
    let top = (item.label_at.y + 1) * CELL.1 + 13;
    if let Some(mark) = item.mark {
        let left = left - 2 * CELL.0;
        let _ = writeln!(out, "<text x=\"{left}\" y=\"{top}\">{mark}</text>");
    }
    let mut top = top;
    for line in &item.lines {
        let text = xml(line);
        let _ = writeln!(out, "<text x=\"{left}\" y=\"{top}\">{text}</text>");
        top += CELL.1;
    }
}

fn route(out: &mut String, covered: &Covered, edge: &EdgeRoute) {
    let taken = match (edge.from, edge_of(edge.kind)) {
        (Node::State(state), Some(way)) => {
            let kind = Kind::Left(way);
            let hits = covered.coverage.hits(Point { state, kind });
            if hits > 0 { "yes" } else { "none" }
        }
        _ => "plain",
    };
    let dashed = if edge.kind.is_catch() { " catch" } else { "" };
    let corners = edge.path.iter().map(|corner| {
        let x = (corner.x + 1) * CELL.0 + CELL.0 / 2;
        let y = (corner.y + 1) * CELL.1 + CELL.1 / 2;
        format!("{x},{y}")
    });
    let corners: Vec<String> = corners.collect();
    let _ = writeln!(
        out,
        "<polyline class=\"{taken}{dashed}\" points=\"{corners}\"/>",
        corners = corners.join(" ")
    );
}
