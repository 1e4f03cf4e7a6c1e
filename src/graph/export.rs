//! Exports a state machine to Mermaid, Graphviz and SVG.

use super::model::{BoxType, EdgeKind, EdgeRoute, Layout, NodeBox, Point};
use super::sketch::{Link, Sketch, SketchState};
use crate::definition::{Definition, StateId};
use crate::json::{visible, xml};
use std::fmt::Write as _;

/// One element of the exported text: a state, or the beginning or end of a scope (a list of states).
enum Item<'s> {
    /// The beginning of a scope inside a state (a branch or an item processor), with the index of the scope. The last
    /// number is the index of the branch, if the state has several branches.
    Open(&'s SketchState, usize, Option<usize>),
    State(StateId, &'s SketchState),
    Close,
}

/// Lists the elements of the exported text in order, each with its indentation. The content of a state directly follows
/// the state.
fn items(sketch: &Sketch) -> Vec<(String, Item<'_>)> {
    let mut listed = vec![false; sketch.scopes.len()];
    let mut states = |scope: usize| {
        let is_new = (listed.get_mut(scope)).is_some_and(|listed| !std::mem::replace(listed, true));
        let scope = sketch.scopes.get(scope).filter(|_| is_new).into_iter();
        let ids = scope.flat_map(|scope| scope.states.iter().rev());
        ids.filter_map(|id| Some(Item::State(*id, sketch.state(*id)?)))
    };
    let (mut out, mut depth) = (Vec::new(), 1usize);
    let mut stack: Vec<Item<'_>> = states(0).collect();
    while let Some(item) = stack.pop() {
        if matches!(item, Item::Close) {
            depth = depth.saturating_sub(1);
        }
        let indent = "  ".repeat(depth.min(40));
        match item {
            Item::State(_, state) => {
                for (place, inner) in state.scopes.iter().enumerate().rev() {
                    let branch = (state.scopes.len() > 1).then_some(place);
                    stack.extend([Item::Close, Item::Open(state, *inner, branch)]);
                }
            }
            Item::Open(_, inner, _) => {
                depth += 1;
                stack.extend(states(inner));
            }
            Item::Close => {}
        }
        out.push((indent, item));
    }
    out
}

/// Returns the state machine as a Mermaid flowchart.
#[must_use]
pub fn mermaid(definition: &Definition) -> String {
    mermaid_of(&Sketch::of(definition))
}

/// Returns a Mermaid flowchart that is styled: `class` gives the class of a state, and `styles` the style of each
/// class.
#[must_use]
pub fn mermaid_with(
    definition: &Definition,
    class: &dyn Fn(StateId) -> Option<&'static str>,
    styles: &[(&str, &str)],
) -> String {
    let mut out = mermaid(definition);
    for (name, style) in styles {
        let _ = writeln!(out, "  classDef {name} {style}");
    }
    for id in definition.state_ids() {
        if let Some(class) = class(id) {
            let _ = writeln!(out, "  class s{} {class}", id.0);
        }
    }
    out
}

/// Returns the state machine as a graph in the DOT language of Graphviz.
#[must_use]
pub fn dot(definition: &Definition) -> String {
    dot_of(&Sketch::of(definition))
}

fn mermaid_of(sketch: &Sketch) -> String {
    let mut out = String::from("flowchart TD\n");
    if let Some(start) = sketch.scopes.first().and_then(|scope| scope.start) {
        let _ = writeln!(out, "  start([\"start\"]) --> s{}", start.0);
    }
    for (indent, item) in items(sketch) {
        match item {
            Item::Open(state, inner, branch) => {
                let branch = branch.map_or_else(String::new, |place| format!(" [{place}]"));
                let name = mermaid_text(&format!("{}{branch}", state.name));
                let _ = writeln!(out, "{indent}subgraph g{inner}[\"{name}\"]");
            }
            Item::Close => {
                let _ = writeln!(out, "{indent}end");
            }
            Item::State(id, state) => {
                let (open, close) = match state.kind {
                    BoxType::Choice => ("{\"", "\"}"),
                    BoxType::Succeed | BoxType::Fail => ("([\"", "\"])"),
                    BoxType::Wait => ("(\"", "\")"),
                    BoxType::Parallel | BoxType::Map => ("[[\"", "\"]]"),
                    _ => ("[\"", "\"]"),
                };
                let name = mermaid_text(&state.name);
                let _ = writeln!(out, "{indent}s{}{open}{name}{close}", id.0);
                for scope in &state.scopes {
                    let _ = writeln!(out, "{indent}s{} -.- g{scope}", id.0);
                }
            }
        }
    }
    for (from, link) in links(sketch) {
        let arrow = if link.kind.is_catch() { "-.->" } else { "-->" };
        let text = match &link.label {
            Some(label) => format!("|\"{}\"|", mermaid_text(&label.whole())),
            None => String::new(),
        };
        let to = match link.to {
            Some(to) => format!("s{}", to.0),
            None => "finish([\"end\"])".to_string(),
        };
        let _ = writeln!(out, "  s{} {arrow}{text} {to}", from.0);
    }
    out
}

/// All transitions, each with the state where it starts. Transitions to the end of an inner scope are omitted.
fn links(sketch: &Sketch) -> impl Iterator<Item = (StateId, &Link)> {
    let first = sketch.scopes.first();
    let is_first = move |id| first.is_some_and(|scope| scope.states.contains(&id));
    (0u32..)
        .zip(&sketch.states)
        .flat_map(|(index, state)| state.links.iter().map(move |link| (StateId(index), link)))
        .filter(move |(from, link)| link.to.is_some() || is_first(*from))
}

/// Escapes a text for use in quotes in Mermaid: every character with a meaning in Mermaid becomes an entity.
fn mermaid_text(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' | '{' | '}' | '[' | ']' | '(' | ')' | '|'
            | ';' | '%' | '$' | '*' | '_' | '~' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn dot_of(sketch: &Sketch) -> String {
    let mut out = String::from(
        "digraph machine {\n  compound=true;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n",
    );
    if let Some(start) = sketch.scopes.first().and_then(|scope| scope.start) {
        let _ = writeln!(
            out,
            "  start [shape=oval];\n  start -> s{state};",
            state = start.0
        );
    }
    if links(sketch).any(|(_, link)| link.to.is_none()) {
        out.push_str("  end [shape=oval];\n");
    }
    for (indent, item) in items(sketch) {
        match item {
            Item::Open(_, inner, branch) => {
                let scope = branch.and_then(|_| sketch.scopes.get(inner));
                let start = scope.and_then(|scope| sketch.state(scope.start?));
                let label =
                    start.map_or_else(String::new, |state| format!("branch {}", state.name));
                let _ = writeln!(out, "{indent}subgraph cluster_{inner} {{");
                let _ = writeln!(out, "{indent}  label=\"{label}\"; style=dashed;");
            }
            Item::Close => {
                let _ = writeln!(out, "{indent}}}");
            }
            Item::State(id, state) => {
                let looks = match state.kind {
                    BoxType::Choice => ", shape=diamond, style=solid",
                    BoxType::Succeed => ", shape=oval",
                    BoxType::Fail => ", shape=octagon, style=solid",
                    BoxType::Parallel | BoxType::Map => ", peripheries=2, style=solid",
                    _ => "",
                };
                let name = dot_text(&state.name);
                let _ = writeln!(out, "{indent}s{} [label=\"{name}\"{looks}];", id.0);
            }
        }
    }
    for (from, state) in (0u32..).zip(&sketch.states) {
        for scope in &state.scopes {
            if let Some(start) = sketch.scopes.get(*scope).and_then(|scope| scope.start) {
                let _ = writeln!(
                    out,
                    "  s{from} -> s{start} [style=dotted, arrowhead=none, lhead=cluster_{scope}];",
                    start = start.0
                );
            }
        }
    }
    for (from, link) in links(sketch) {
        let to = match link.to {
            Some(to) => format!("s{}", to.0),
            None => "end".to_string(),
        };
        let mut looks = Vec::new();
        if let Some(label) = &link.label {
            looks.push(format!("label=\"{}\"", dot_text(&label.whole())));
        }
        if matches!(link.kind, EdgeKind::Catch(_)) {
            looks.push("style=dashed".to_string());
        }
        let _ = writeln!(out, "  s{} -> {to} [{}];", from.0, looks.join(", "));
    }
    out.push_str("}\n");
    out
}

fn dot_text(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// The outcome of a state or transition in a run, which the colour of its box or line shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Neutral: the drawing shows no run. Also for the start and end marks, and for the line from the start mark.
    #[default]
    Plain,
    /// The state was not reached or was aborted, or the transition was not taken.
    Dim,
    /// The state has completed, or the transition was taken.
    Ok,
    /// The state is running.
    Running,
    /// The state waits for a time or for an answer.
    Waiting,
    /// The state was left through a catcher, or the transition of a catcher was taken.
    Caught,
    /// The state failed, or has a current error.
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

/// Returns the drawing as SVG on a white background. `of_box` and `of_edge` give the tone, which sets the colour.
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
            "<path d=\"M{x1} {y1}L{x2} {y2}\" stroke=\"#9aa2b1\" stroke-dasharray=\"2 4\" fill=\"none\"/>",
            x1 = from.x,
            y1 = from.y,
            x2 = to.x,
            y2 = to.y
        );
    }
    // The lines of taken transitions are drawn last, on top of the others.
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
            let wide = super::frame::width(text) * WIDE;
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
    let wide = super::frame::width(text) * WIDE;
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{wide}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{ink}\"{more}>{text}</text>",
        text = escaped(text)
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
            "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" rx=\"{round}\" fill=\"{paper}\" stroke=\"{ink}\" stroke-width=\"{thick}\"><title>{name}</title></rect>",
            x = first.x,
            y = first.y,
            name = escaped(&item.lines.join(" "))
        );
    }
    if item.group {
        // The title of a box with content is on its upper border. Its background hides the border there.
        let text = item.lines.first().map_or("", String::as_str);
        let begin = item.label_at.x - if item.mark.is_some() { 2 } else { 0 };
        let cells = item.label_at.x - begin + super::frame::width(text) + 2;
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
        let wide = (super::frame::width(tag) + 1) * WIDE;
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
        cover(corner, (super::frame::width(&text) * WIDE, HIGH), out);
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

#[cfg(test)]
mod tests {
    use super::super::clause::Clause;
    use super::super::sketch::{SketchScope, SketchState};
    use super::*;

    fn sketch() -> Sketch {
        let state = |name: &str, kind, links: Vec<Link>, scopes| SketchState {
            name: name.to_string(),
            kind,
            links,
            scopes,
            ..SketchState::default()
        };
        let link = |to, kind, label: Option<&str>| Link {
            to,
            kind,
            label: label.map(Clause::names),
            line: None,
        };
        let states = vec![
            state(
                "All \"orders\" [x]",
                BoxType::Map,
                vec![
                    link(Some(StateId(1)), EdgeKind::Next, None),
                    link(Some(StateId(2)), EdgeKind::Catch(0), Some("ALL")),
                ],
                vec![1],
            ),
            state(
                "Ok",
                BoxType::Task,
                vec![link(None, EdgeKind::End, None)],
                vec![],
            ),
            state("Bad", BoxType::Fail, vec![], vec![]),
            state(
                "Pay",
                BoxType::Task,
                vec![link(None, EdgeKind::End, None)],
                vec![],
            ),
        ];
        let scope = |ids: &[u32]| SketchScope {
            start: ids.first().map(|id| StateId(*id)),
            states: ids.iter().map(|id| StateId(*id)).collect(),
        };
        Sketch {
            scopes: vec![scope(&[0, 1, 2]), scope(&[3])],
            states,
        }
    }

    #[test]
    fn mermaid_escapes_and_nests() {
        let expected = [
            "flowchart TD",
            "  start([\"start\"]) --> s0",
            "  s0[[\"All #34;orders#34; #91;x#93;\"]]",
            "  s0 -.- g1",
            "  subgraph g1[\"All #34;orders#34; #91;x#93;\"]",
            "    s3[\"Pay\"]",
            "  end",
            "  s1[\"Ok\"]",
            "  s2([\"Bad\"])",
            "  s0 --> s1",
            "  s0 -.->|\"ALL\"| s2",
            "  s1 --> finish([\"end\"])",
            "",
        ];
        assert_eq!(mermaid_of(&sketch()), expected.join("\n"));
    }

    #[test]
    fn dot_escapes_and_nests() {
        let drawn = dot_of(&sketch());
        assert!(drawn.contains("s0 [label=\"All \\\"orders\\\" [x]\", peripheries=2"));
        assert!(drawn.contains("  subgraph cluster_1 {"));
        assert!(drawn.contains("s0 -> s2 [label=\"ALL\", style=dashed];"));
        assert_eq!(drawn.matches('{').count(), drawn.matches('}').count());
    }
}
