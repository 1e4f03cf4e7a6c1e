//! Human-readable coverage: a table of definitions with the points that were not reached, and annotated source lines.

use super::coverage::percent;
use super::line::lines;
use super::point::points;
use super::{Covered, Tally, total};
use crate::json::Lines;

/// Returns a table with one row per definition, followed by the points that were not reached, state by state.
#[must_use]
pub fn table(all: &[Covered]) -> String {
    let names: Vec<String> = all.iter().map(name).collect();
    let widest = names.iter().map(|name| name.chars().count()).max();
    let width = widest.unwrap_or(0).max("coverage".len());
    let mut out = Lines::default();
    let titles = ["states", "transitions", "retriers", "maps", "branches"];
    let cells = |cells: [String; 5]| cells.map(|cell| format!("  {cell:>11}")).concat();
    let head = cells(titles.map(str::to_string));
    out.add(format!("{:width$}{head}     all", "coverage"));
    let mut row = |name: &str, tally: &Tally| {
        let cells = cells(titles.map(|title| match tally.of(title) {
            (_, 0) => "–".to_string(),
            (reached, count) => format!("{reached}/{count}"),
        }));
        let percent = tally.percent();
        out.add(format!("{name:width$}{cells}  {percent:>5.1}%"));
    };
    for (name, one) in names.iter().zip(all) {
        row(name, &one.coverage.tally(&one.definition));
    }
    if all.len() > 1 {
        row("all", &total(all));
    }
    for (name, one) in names.iter().zip(all) {
        missing(&mut out, name, one);
    }
    out.into()
}

/// Name of a definition in the table: its file, followed by its own name if the file name does not contain it.
fn name(one: &Covered) -> String {
    let definition = &one.definition;
    let file = definition.sources.files().first();
    let file = file.map_or("", |file| &*file.name);
    let own = &*definition.name;
    match file.contains(own) {
        true => file.to_string(),
        false => format!("{file} > {own}"),
    }
}

fn missing(out: &mut Lines, name: &str, one: &Covered) {
    let (definition, coverage) = (&one.definition, &one.coverage);
    if percent(coverage.tally(definition).sum()) >= 100.0 {
        return;
    }
    out.add("");
    out.add(format!("not reached in {name}:"));
    let all = points(definition);
    for id in definition.state_ids() {
        let Some(state) = definition.state(id) else {
            continue;
        };
        let own = all.iter().filter(|point| point.state == id);
        let left: Vec<_> = own.filter(|point| coverage.hits(**point) == 0).collect();
        let Some(first) = left.first() else {
            continue;
        };
        let line = definition.sources.place(first.span(definition));
        let line = line.map_or(0, |place| place.line);
        let entered = super::Point {
            state: id,
            kind: super::Kind::Entered,
        };
        let what = if coverage.hits(entered) == 0 {
            "never entered".to_string()
        } else {
            let texts: Vec<String> = left.iter().map(|point| point.text(definition)).collect();
            texts.join(", ")
        };
        out.add(format!("  line {line:>4}  {}: {what}", state.path));
    }
}

/// The source with the count of each line; `!` marks lines of which nothing was reached, `~` those reached in part.
#[must_use]
pub fn source_lines(one: &Covered) -> String {
    let mut out = Lines::default();
    for file in lines(one) {
        out.add(&*file.file.name);
        let mut marks = file.lines.iter().peekable();
        for number in 1..=file.file.line_count() {
            let text = file.file.line(number).replace('\t', "    ");
            let mark = marks.next_if(|line| line.number == number);
            let (count, sign) = match mark {
                None => (String::new(), ' '),
                Some(line) if line.is_whole() => (line.hits.to_string(), ' '),
                Some(line) if line.hits == 0 => ("0".to_string(), '!'),
                Some(line) => (line.hits.to_string(), '~'),
            };
            out.add(format!("{count:>6} {sign} {number:>5} | {text}"));
        }
    }
    out.into()
}
