//! Measures the drawings of many definitions at different widths: names, labels, crossings, rows.
//!
//! The definitions are those in the folder `ASLDBG_DEFINITIONS`; by default, the samples and the broken workflows.
//! `cargo test --test graph_room -- --nocapture` prints the table. `ASLDBG_COUNTS=FILE` writes a line for each drawing
//! to FILE. `ASLDBG_COUNTED=FILE` compares the numbers of crossings and rows with a FILE that another build wrote for
//! the same definitions.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

use asldbg::definition::{Definition, StateId};
use asldbg::graph::{
    Boxes, Cell, Clause, EdgeKind, EdgeRoute, Label, Layout, NORTH, Node, NodeBox, Options, SOUTH,
    Sketch, layout,
};
use asldbg::json::visible;
use asldbg::launch::{Checking, Program, open_all};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr as _;

/// An edge that passes through a cell of the drawing: the edge's source and target, and the directions in which the
/// edge leaves the cell.
type Passage = (Node, Node, u8);

const WIDTHS: [Option<u16>; 6] = [Some(48), Some(78), Some(118), Some(158), Some(238), None];

/// What was measured in the drawings at one width.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    names: usize,
    whole: usize,
    cut_with_room: usize,
    alike: usize,
    crossings: usize,
    rows: usize,
    too_wide: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.names += other.names;
        self.whole += other.whole;
        self.cut_with_room += other.cut_with_room;
        self.alike += other.alike;
        self.crossings += other.crossings;
        self.rows += other.rows;
        self.too_wide += other.too_wide;
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let other = [
            ".input.json",
            ".mock.json",
            ".context.json",
            ".expected.json",
        ];
        if path.is_dir() {
            out.extend(files(&path));
        } else if [".json", ".yaml", ".yml", ".sfn"]
            .iter()
            .any(|end| name.ends_with(end))
            && !other.iter().any(|end| name.ends_with(end))
        {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn definitions() -> Vec<(String, Definition)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = std::env::var_os("ASLDBG_DEFINITIONS").map_or_else(
        || vec![root.join("samples"), root.join("tests/faults")],
        |folder| vec![PathBuf::from(folder)],
    );
    let mut out = Vec::new();
    for file in folders.iter().flat_map(|folder| files(folder)) {
        let Ok(opened) = open_all(&Program::of(&file)) else {
            continue;
        };
        let name = file.file_name().unwrap().to_string_lossy().to_string();
        for opened in opened {
            if let Ok((definition, _)) = opened.lower(&Checking::default()) {
                out.push((name.clone(), definition));
            }
        }
    }
    assert!(!out.is_empty(), "no definition in {folders:?}");
    out
}

/// True if the box shows the complete name, possibly on several lines.
fn is_whole(item: &NodeBox, name: &str) -> bool {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    bare(&item.lines.concat()) == bare(&visible(name))
}

/// Number of lines from the same state that have indistinguishable labels.
fn alike(layout: &Layout) -> usize {
    let mut out = 0;
    let mut labels: BTreeMap<Node, BTreeMap<Vec<(i32, i32)>, String>> = BTreeMap::new();
    for edge in &layout.edges {
        let path = edge.path.iter().map(|point| (point.x, point.y)).collect();
        let text = labels
            .entry(edge.from)
            .or_default()
            .entry(path)
            .or_default();
        if let Some(label) = &edge.label {
            text.push_str(label.text.trim());
        }
    }
    for lines in labels.values().filter(|lines| lines.len() > 1) {
        let texts: Vec<&String> = lines.values().filter(|text| !text.is_empty()).collect();
        let distinct: BTreeSet<&String> = texts.iter().copied().collect();
        out += texts.len() - distinct.len();
    }
    out
}

/// Number of cells in which two lines cross that have neither their source nor their target in common.
fn crossings(layout: &Layout) -> usize {
    let mut cells: HashMap<(i32, i32), Vec<Passage>> = HashMap::new();
    for edge in &layout.edges {
        for cell in edge.cells() {
            let lines = cells.entry((cell.x, cell.y)).or_default();
            lines.push((edge.from, edge.to, cell.dirs));
        }
    }
    let crossed = |lines: &&Vec<Passage>| {
        lines.iter().any(|(from, to, dirs)| {
            let unrelated = |(other_from, other_to, other): &Passage| {
                from != other_from && to != other_to && dirs & other == 0
            };
            lines.iter().any(unrelated)
        })
    };
    cells.values().filter(crossed).count()
}

/// True if there is free space beside a box, so that the box could be `missing` cells wider.
fn has_room(layout: &Layout, item: &NodeBox, missing: i32, width: Option<i32>) -> bool {
    let Some(width) = width else { return true };
    let (top, bottom) = (item.rect.y, item.rect.bottom());
    let mut taken: BTreeSet<i32> = BTreeSet::new();
    let (mut low, mut high) = (0, width - 1);
    if let Some(outer) = item.parent.and_then(|parent| layout.box_of(parent)) {
        (low, high) = (outer.rect.x + 1, outer.rect.right() - 1);
    }
    for other in layout.boxes.iter().filter(|other| other.node != item.node) {
        let rect = other.rect;
        let around = rect.x <= item.rect.x && rect.right() >= item.rect.right();
        if rect.y <= bottom && rect.bottom() >= top && !around {
            taken.extend(rect.x..=rect.right());
        }
    }
    for edge in &layout.edges {
        for cell in edge
            .cells()
            .filter(|cell| cell.y >= top && cell.y <= bottom)
        {
            taken.insert(cell.x);
        }
        if let Some(label) = edge
            .label
            .as_ref()
            .filter(|label| label.y >= top && label.y <= bottom)
        {
            taken.extend(label.x..label.x + label.text.chars().count() as i32);
        }
    }
    let left = (low..item.rect.x)
        .rev()
        .take_while(|x| !taken.contains(x))
        .count() as i32;
    let right = (item.rect.right() + 1..=high)
        .take_while(|x| !taken.contains(x))
        .count() as i32;
    (left - 3).max(0) + (right - 3).max(0) >= missing
}

fn count(definition: &Definition, layout: &Layout, width: Option<i32>) -> Count {
    let mut out = Count {
        rows: layout.height as usize,
        crossings: crossings(layout),
        alike: alike(layout),
        too_wide: usize::from(width.is_some_and(|width| layout.width > width)),
        ..Count::default()
    };
    for (place, state) in definition.states.iter().enumerate() {
        let name = state.label();
        out.names += 1;
        let Some(item) = layout.box_of(StateId(place as u32)) else {
            continue;
        };
        if is_whole(item, &name) {
            out.whole += 1;
        } else {
            let missing = name.chars().count() as i32 - item.lines.concat().chars().count() as i32;
            out.cut_with_room += usize::from(has_room(layout, item, missing.max(1), width));
        }
    }
    out
}

fn drawing(definition: &Definition, width: Option<i32>) -> Layout {
    layout(
        definition,
        &Options {
            width,
            ..Options::default()
        },
    )
}

/// Minimum percentage of names that are shown in full, by width.
const WHOLE: [f64; 6] = [85.0, 95.0, 98.0, 99.0, 99.0, 100.0];
/// Numbers of rows and crossings by width, from the file that another build wrote.
fn before() -> Option<[(usize, usize); 6]> {
    let file = std::env::var_os("ASLDBG_COUNTED")?;
    let mut out = [(0, 0); 6];
    for line in std::fs::read_to_string(file).expect("readable").lines() {
        let numbers: Vec<usize> = line
            .split('\t')
            .skip(1)
            .map(|part| part.parse().unwrap())
            .collect();
        let of = |width: &Option<u16>| width.map_or(0, usize::from) == numbers[0];
        let place = WIDTHS.iter().position(of).expect("a width");
        out[place].0 += numbers[6];
        out[place].1 += numbers[5];
    }
    Some(out)
}

#[test]
fn names_stand_whole_where_there_is_room() {
    let definitions = definitions();
    let mut each = String::new();
    let mut wrong = Vec::new();
    let before = before();
    // Total number of crossings at all widths: in this build, and in the other build.
    let mut lines = (0, 0);
    let mut rows = Vec::new();
    let states: usize = definitions
        .iter()
        .map(|(_, definition)| definition.states.len())
        .sum();
    println!("{} definitions, {states} states", definitions.len());
    println!("width  names whole   cut with room  alike  crossings   rows  too wide");
    for (place, width) in WIDTHS.into_iter().enumerate() {
        let width = width.map(i32::from);
        let mut all = Count::default();
        for (name, definition) in &definitions {
            let made = drawing(definition, width);
            let counts = count(definition, &made, width);
            let _ = writeln!(
                each,
                "{name}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                width.unwrap_or(0),
                counts.names,
                counts.whole,
                counts.cut_with_room,
                counts.alike,
                counts.crossings,
                counts.rows,
                made.width
            );
            all.add(counts);
        }
        let share = 100.0 * all.whole as f64 / all.names as f64;
        let shown = width.map_or("-".to_owned(), |width| width.to_string());
        println!(
            "{shown:>5}  {share:>9.2} %  {:>13}  {:>5}  {:>9}  {:>5}  {:>8}",
            all.cut_with_room, all.alike, all.crossings, all.rows, all.too_wide
        );
        let mut must = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("at {shown} columns: {what}"));
            }
        };
        must(share >= WHOLE[place], "too many names are cut");
        must(all.cut_with_room == 0, "a name is cut whose row has room");
        must(all.alike == 0, "labels of siblings read alike");
        if let Some(before) = before {
            let (former, crossings) = before[place];
            must(
                2 * all.rows <= 3 * former,
                "more than half as many rows again",
            );
            lines = (lines.0 + all.crossings, lines.1 + crossings);
        }
        rows.push(all.rows);
    }
    // The last width is unlimited, so no graph is wrapped at it. At every other width, the drawings may have at most
    // 1.5 times as many rows as at the last one.
    let most = 3 * rows.last().copied().unwrap_or(0) / 2;
    if rows.iter().any(|rows| *rows > most) {
        wrong.push("more than half as many rows again".to_owned());
    }
    if lines.0 > lines.1 {
        wrong.push(format!("{} crossings, {} before", lines.0, lines.1));
    }
    if let Some(file) = std::env::var_os("ASLDBG_COUNTS") {
        std::fs::write(file, each).expect("writable");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What was measured about the labels in the drawings at one width.
#[derive(Clone, Copy, Debug, Default)]
struct Labels {
    lines: usize,
    missing: usize,
    cut: usize,
    /// Number of labels that are cut although there is room for the whole text.
    cut_with_room: usize,
    numbered: usize,
}

/// Groups of labelled edges that are drawn as one line.
fn labelled(layout: &Layout) -> Vec<Vec<&EdgeRoute>> {
    let mut lines: BTreeMap<_, Vec<&EdgeRoute>> = BTreeMap::new();
    for edge in &layout.edges {
        if matches!(
            edge.kind,
            EdgeKind::Rule(_) | EdgeKind::Default | EdgeKind::Catch(_)
        ) {
            let path: Vec<_> = edge.path.iter().map(|at| (at.x, at.y)).collect();
            let line = (edge.from, edge.to, edge.kind.is_catch(), path);
            lines.entry(line).or_default().push(edge);
        }
    }
    lines.into_values().collect()
}

/// Number of cells that a label could grow into: empty cells next to it, and horizontal parts of its own line.
fn room_beside(layout: &Layout, edge: &EdgeRoute, label: &Label, width: i32) -> i32 {
    let y = label.y;
    let (mut low, mut high) = (0, width - 1);
    let parent = match edge.from {
        Node::State(state) => layout.box_of(state).and_then(|item| item.parent),
        _ => None,
    };
    if let Some(outer) = parent.and_then(|parent| layout.box_of(parent)) {
        (low, high) = (outer.rect.x + 1, outer.rect.right() - 1);
    }
    let mut taken: BTreeSet<i32> = BTreeSet::new();
    for item in &layout.boxes {
        let rect = item.rect;
        let is_around = rect.x < low && rect.right() > high;
        if y >= rect.y && y <= rect.bottom() && !is_around {
            taken.extend(rect.x..=rect.right());
        }
    }
    for separator in &layout.separators {
        if (separator.from.y..=separator.to.y).contains(&y) {
            taken.extend(separator.from.x..=separator.to.x);
        }
    }
    for other in &layout.edges {
        let is_taken = |cell: &Cell| {
            let is_level = cell.dirs & (NORTH | SOUTH) == 0;
            cell.y == y && !(is_level && other.path == edge.path)
        };
        taken.extend(other.cells().filter(is_taken).map(|cell| cell.x));
        if let Some(text) = other
            .label
            .as_ref()
            .filter(|text| text.y == y && text.x != label.x)
        {
            taken.extend(text.x..text.x + text.text.width() as i32);
        }
    }
    let end = label.x + label.text.width() as i32;
    let left = (low..label.x)
        .rev()
        .take_while(|x| !taken.contains(x))
        .count() as i32;
    let right = (end..=high).take_while(|x| !taken.contains(x)).count() as i32;
    // Two cells on each side are not counted, because the gap to a neighbour may need them.
    (left - 2).max(0) + (right - 2).max(0)
}

/// Describes the part of a label that contradicts the full text of its edges; `None` if there is none.
fn untrue(sketch: &Sketch, line: &[&EdgeRoute], label: &Label) -> Option<String> {
    let Node::State(from) = line[0].from else {
        return None;
    };
    let kinds: BTreeSet<EdgeKind> = line.iter().map(|edge| edge.kind).collect();
    let links = sketch.state(from)?.links.iter();
    let clauses: Vec<&Clause> = links
        .filter(|link| kinds.contains(&link.kind))
        .filter_map(|link| link.label.as_ref())
        .collect();
    let text = label.text.trim();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for clause in &clauses {
        if let Clause::Names(known_names) = clause {
            names.extend(known_names.iter().map(String::as_str));
        }
    }
    let is_numbered = |text: &str| {
        let first = text.split(' ').next().unwrap_or_default();
        ["line", "lines", "catch", "catches"].contains(&first)
    };
    if line[0].kind.is_catch() && !is_numbered(text) {
        let wrong = |part: &&str| !names.contains(part) && !part.starts_with('+');
        if let Some(part) = text.split(", ").find(wrong) {
            return Some(format!("{part:?} is no name of an error in {text:?}"));
        }
    }
    let quotes = text.matches('"').count();
    if !line[0].kind.is_catch() && quotes % 2 == 1 && !text.contains('\\') {
        return Some(format!("a constant is cut in {text:?}"));
    }
    let is_marked = ["+", "…", "any of ", "all of ", "rule", "catch", "line"];
    let is_marked_first = ["= ", "!= ", "< ", "> ", "<= ", ">= ", "~ "];
    let is_told = is_marked.iter().any(|mark| text.contains(mark))
        || is_marked_first.iter().any(|sign| text.starts_with(sign));
    if label.whole.is_some() && !is_told {
        return Some(format!("nothing tells that {text:?} is cut"));
    }
    None
}

#[test]
fn labels_are_cut_only_where_there_is_no_room() {
    let only = std::env::var("ASLDBG_LABELS")
        .ok()
        .and_then(|width| width.parse::<i32>().ok());
    let mut wrong = Vec::new();
    println!("boxes  width  labels  missing  cut  though the whole fits  by number");
    let definitions = definitions();
    for boxes in [Boxes::Frame, Boxes::Line] {
        for width in [238, 158, 118, 98, 78, 60, 48] {
            let mut all = Labels::default();
            for (name, definition) in &definitions {
                let sketch = Sketch::of(definition);
                let made = layout(
                    definition,
                    &Options {
                        width: Some(width),
                        live: true,
                        boxes,
                        ..Options::default()
                    },
                );
                for line in labelled(&made) {
                    all.lines += 1;
                    let label_at = line
                        .iter()
                        .find_map(|edge| Some((*edge, edge.label.as_ref()?)));
                    let Some((edge, label)) = label_at else {
                        all.missing += 1;
                        if only == Some(width) {
                            println!("{name} {:?} {:?} has no label", line[0].from, line[0].kind);
                        }
                        continue;
                    };
                    if let Some(what) = untrue(&sketch, &line, label) {
                        wrong.push(format!("{name}, {boxes:?} in {width}: {what}"));
                    }
                    let Some(whole) = &label.whole else { continue };
                    all.cut += 1;
                    let text = label.text.trim();
                    let numbers = ["line", "rule", "catch"];
                    all.numbered += usize::from(numbers.iter().any(|word| text.starts_with(word)));
                    let room = room_beside(&made, edge, label, width.max(made.width));
                    let fits = room >= (whole.width() - text.width()) as i32;
                    if fits {
                        all.cut_with_room += 1;
                        wrong.push(format!(
                            "{name}, {boxes:?} in {width}: {text:?} has room for {whole:?}"
                        ));
                    }
                    if only == Some(width) {
                        println!("{name} {:?}: {text:?} of {whole:?}, {room} free", edge.kind);
                    }
                }
            }
            println!(
                "{boxes:?}  {width:>5}  {:>6}  {:>7}  {:>3}  {:>21}  {:>9}",
                all.lines, all.missing, all.cut, all.cut_with_room, all.numbered
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// First and last column of a label, without surrounding spaces.
fn columns(label: &Label) -> (i32, i32) {
    let blanks = label.text.len() - label.text.trim_start().len();
    let first = label.x + blanks as i32;
    (first, first + label.text.trim().width() as i32 - 1)
}

#[test]
fn labels_of_two_lines_never_read_as_one() {
    let mut wrong = Vec::new();
    let (mut pairs, mut labels, mut unclear) = (0, 0, 0);
    for (name, definition) in &definitions() {
        for boxes in [Boxes::Frame, Boxes::Line] {
            for width in [238, 158, 118, 98, 78, 60, 48, 31] {
                let options = Options {
                    width: Some(width),
                    live: true,
                    boxes,
                    ..Options::default()
                };
                let made = layout(definition, &options);
                let mut rows: BTreeMap<i32, Vec<(i32, i32, &str)>> = BTreeMap::new();
                let mut lines: BTreeMap<i32, Vec<(i32, &EdgeRoute)>> = BTreeMap::new();
                for edge in &made.edges {
                    for cell in edge.cells() {
                        lines.entry(cell.y).or_default().push((cell.x, edge));
                    }
                }
                for edge in &made.edges {
                    let Some(label) = &edge.label else { continue };
                    let (first, last) = columns(label);
                    let text = label.text.trim();
                    rows.entry(label.y).or_default().push((first, last, text));
                    let far = |part: &(i32, &EdgeRoute)| (first - part.0).max(part.0 - last).max(0);
                    let row = lines.get(&label.y).map_or(&[][..], |row| row);
                    let is_own = |other: &EdgeRoute| other.path == edge.path;
                    let nearest = row.iter().filter(|part| is_own(part.1)).map(far).min();
                    let other = row.iter().filter(|part| !is_own(part.1)).map(far).min();
                    let is_unclear =
                        nearest.is_none_or(|nearest| other.is_some_and(|far| far <= nearest));
                    labels += 1;
                    unclear += usize::from(is_unclear);
                    if is_unclear && std::env::var_os("ASLDBG_UNCLEAR").is_some() {
                        println!("{name}, {boxes:?} in {width}: {text:?} {nearest:?} {other:?}");
                    }
                }
                for row in rows.values_mut() {
                    row.sort_unstable();
                    for pair in row.windows(2) {
                        pairs += 1;
                        let ((_, end, text), (begin, _, other)) = (pair[0], pair[1]);
                        if begin - end < 3 {
                            wrong.push(format!("{name}, {boxes:?} in {width}: {text:?} {other:?}"));
                        }
                    }
                }
            }
        }
    }
    println!(
        "{pairs} pairs of labels side by side, {} too near",
        wrong.len()
    );
    println!("{unclear} of {labels} labels are as near to another line as to their own");
    if unclear * 100 > labels {
        wrong.push(format!(
            "{unclear} of {labels} labels might be another line's"
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
