//! Exports a state machine to Mermaid and Graphviz.

use super::model::{BoxType, EdgeKind};
use super::sketch::{Link, Sketch};
use crate::definition::{Definition, StateId};
use crate::json::visible;
use std::fmt::Write as _;

/// A part of the output, in writing order.
enum Item {
    Open(StateId, usize),
    State(StateId),
    Close,
}

/// Lists the scopes; each state is directly followed by its inner scopes.
fn items(sketch: &Sketch) -> Vec<Item> {
    let mut out = Vec::new();
    let mut listed = vec![false; sketch.scopes.len()];
    let mut stack: Vec<Item> = Vec::new();
    let mut scope = Some(0usize);
    loop {
        if let Some(index) = scope.take()
            && let Some(flag) = listed.get_mut(index)
            && !std::mem::replace(flag, true)
            && let Some(item) = sketch.scopes.get(index)
        {
            stack.extend(item.states.iter().rev().map(|id| Item::State(*id)));
        }
        match stack.pop() {
            Some(Item::State(id)) => {
                out.push(Item::State(id));
                let scopes = sketch.state(id).map_or(&[][..], |state| &state.scopes);
                for inner in scopes.iter().rev() {
                    stack.push(Item::Close);
                    stack.push(Item::Open(id, *inner));
                }
            }
            Some(Item::Open(id, inner)) => {
                out.push(Item::Open(id, inner));
                scope = Some(inner);
            }
            Some(Item::Close) => out.push(Item::Close),
            None => return out,
        }
    }
}

/// Returns a Mermaid flowchart.
#[must_use]
pub fn mermaid(definition: &Definition) -> String {
    mermaid_of(&Sketch::of(definition))
}

/// Returns a Mermaid flowchart with a class for each state, and the definitions of the classes.
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

/// Returns a graph in the DOT language.
#[must_use]
pub fn dot(definition: &Definition) -> String {
    dot_of(&Sketch::of(definition))
}

pub(super) fn mermaid_of(sketch: &Sketch) -> String {
    let mut out = String::from("flowchart TD\n");
    let mut depth = 1usize;
    if let Some(start) = sketch.scopes.first().and_then(|scope| scope.start) {
        let _ = writeln!(out, "  start([\"start\"]) --> s{}", start.0);
    }
    for item in items(sketch) {
        let indent = "  ".repeat(depth.min(40));
        match item {
            Item::Open(id, inner) => {
                let state = sketch.state(id);
                let name = state.map_or("", |state| state.name.as_str());
                let places = state.map_or(&[][..], |state| &state.scopes);
                let branch = match places.iter().position(|scope| *scope == inner) {
                    Some(place) if places.len() > 1 => format!(" [{place}]"),
                    _ => String::new(),
                };
                let name = mermaid_text(&format!("{name}{branch}"));
                let _ = writeln!(out, "{indent}subgraph g{inner}[\"{name}\"]");
                depth += 1;
            }
            Item::Close => {
                depth = depth.saturating_sub(1);
                let _ = writeln!(out, "{}end", "  ".repeat(depth.min(40)));
            }
            Item::State(id) => {
                let Some(state) = sketch.state(id) else {
                    continue;
                };
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
            None if first_scope(sketch, from) => "finish([\"end\"])".to_string(),
            None => continue,
        };
        let _ = writeln!(out, "  s{} {arrow}{text} {to}", from.0);
    }
    out
}

fn links(sketch: &Sketch) -> impl Iterator<Item = (StateId, &Link)> {
    (0u32..)
        .zip(&sketch.states)
        .flat_map(|(index, state)| state.links.iter().map(move |link| (StateId(index), link)))
}

fn first_scope(sketch: &Sketch, id: StateId) -> bool {
    (sketch.scopes.first()).is_some_and(|scope| scope.states.contains(&id))
}

/// Escapes text in quotes: every character with a meaning in Mermaid becomes an entity.
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

pub(super) fn dot_of(sketch: &Sketch) -> String {
    let mut out = String::from(
        "digraph machine {\n  compound=true;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n",
    );
    if let Some(start) = sketch.scopes.first().and_then(|scope| scope.start) {
        let _ = writeln!(out, "  start [shape=oval];\n  start -> s{};", start.0);
    }
    if links(sketch).any(|(from, link)| link.to.is_none() && first_scope(sketch, from)) {
        out.push_str("  end [shape=oval];\n");
    }
    let mut depth = 1usize;
    for item in items(sketch) {
        let indent = "  ".repeat(depth.min(40));
        match item {
            Item::Open(id, inner) => {
                let state = sketch.state(id);
                let places = state.map_or(&[][..], |state| &state.scopes);
                let label = match places.iter().position(|scope| *scope == inner) {
                    Some(_) if places.len() > 1 => {
                        let start = sketch.scopes.get(inner).and_then(|scope| scope.start);
                        let start = start.and_then(|id| sketch.state(id));
                        start.map_or_else(String::new, |state| format!("branch {}", state.name))
                    }
                    _ => String::new(),
                };
                let _ = writeln!(out, "{indent}subgraph cluster_{inner} {{");
                let _ = writeln!(out, "{indent}  label=\"{label}\"; style=dashed;");
                depth += 1;
            }
            Item::Close => {
                depth = depth.saturating_sub(1);
                let _ = writeln!(out, "{}}}", "  ".repeat(depth.min(40)));
            }
            Item::State(id) => {
                let Some(state) = sketch.state(id) else {
                    continue;
                };
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
                    "  s{from} -> s{} [style=dotted, arrowhead=none, lhead=cluster_{scope}];",
                    start.0
                );
            }
        }
    }
    for (from, link) in links(sketch) {
        let to = match link.to {
            Some(to) => format!("s{}", to.0),
            None if first_scope(sketch, from) => "end".to_string(),
            None => continue,
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
