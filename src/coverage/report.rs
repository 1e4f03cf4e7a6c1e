//! Coverage as a table for people, and for other programs as JSON, an lcov tracefile and Cobertura XML.

use super::coverage::{Covered, FileLines, GROUPS, Line, Tally, lines, percent, total};
use super::point::{Kind, points};
use crate::json::{Lines, Number, Text, Value, count, xml};
use std::fmt::Write as _;

/// Returns a table with one row per definition, followed by the points that were not reached, state by state.
#[must_use]
pub fn table(all: &[Covered]) -> String {
    let names: Vec<String> = all.iter().map(name).collect();
    let widest = names.iter().map(|name| name.chars().count()).max();
    let width = widest.unwrap_or(0).max("coverage".len());
    let mut out = Lines::default();
    let cells = |cells: [String; 5]| cells.map(|cell| format!("  {cell:>11}")).concat();
    let head = cells(GROUPS.map(str::to_string));
    out.add(format!("{:width$}{head}     all", "coverage"));
    let mut row = |name: &str, tally: &Tally| {
        let cells = cells(GROUPS.map(|group| match tally.of(group) {
            (_, 0) => "–".to_string(),
            (reached, count) => format!("{reached}/{count}"),
        }));
        let percent = tally.percent();
        out.add(format!("{name:width$}{cells}  {percent:>5.1}%"));
    };
    for (name, covered) in names.iter().zip(all) {
        row(name, &covered.coverage.tally(&covered.definition));
    }
    if all.len() > 1 {
        row("all", &total(all));
    }
    for (name, covered) in names.iter().zip(all) {
        missing(&mut out, name, covered);
    }
    out.into()
}

/// Name of a definition in the table: the name of its file. The name of the machine follows if the file name does not
/// contain it.
fn name(covered: &Covered) -> String {
    let (file, machine) = (covered.file(), &*covered.definition.name);
    match file.contains(machine) {
        true => file.to_string(),
        false => format!("{file} > {machine}"),
    }
}

fn missing(out: &mut Lines, name: &str, covered: &Covered) {
    let (definition, coverage) = (&covered.definition, &covered.coverage);
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
        let left = all.iter().filter(|point| point.state == id);
        let left: Vec<_> = left.filter(|point| coverage.hits(**point) == 0).collect();
        let Some(first) = left.first() else { continue };
        let line = definition.sources.place(first.span(definition));
        let line = line.map_or(0, |place| place.line);
        let texts = left.iter().map(|point| point.text(definition));
        let missing = match coverage.entered(id) {
            0 => "never entered".to_string(),
            _ => texts.collect::<Vec<_>>().join(", "),
        };
        out.add(format!("  line {line:>4}  {}: {missing}", state.path));
    }
}

/// The source text. Each line begins with the number of times that it was reached. `!` marks a line of which no point
/// was reached, `~` a line of which only some points were reached.
#[must_use]
pub fn source_lines(covered: &Covered) -> String {
    let mut out = Lines::default();
    for file in lines(covered) {
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

/// Coverage in the form `{"percent", "states": {"reached", "all"}, ..., "files": [{"file", "machine", "percent", ...,
/// "points": [...]}]}`.
#[must_use]
pub fn json(all: &[Covered]) -> Value {
    let mut members = tally_members(&total(all));
    let files = all.iter().map(file_json).collect();
    members.push(("files".into(), Value::array(files)));
    Value::object(members)
}

fn file_json(covered: &Covered) -> Value {
    let definition = &covered.definition;
    let mut members = vec![
        ("file".into(), Value::from(covered.file())),
        ("machine".into(), Value::String(definition.name.clone())),
    ];
    members.extend(tally_members(&covered.coverage.tally(definition)));
    let points = points(definition).into_iter().map(|point| {
        let state = definition.state(point.state);
        let path = state.map_or("", |state| &*state.path.0);
        let place = definition.sources.place(point.span(definition));
        Value::object(vec![
            ("state".into(), Value::from(path)),
            ("group".into(), Value::from(point.kind.group())),
            ("what".into(), Value::string(point.text(definition))),
            ("line".into(), count(place.map_or(0, |place| place.line))),
            ("hits".into(), count(covered.coverage.hits(point))),
        ])
    });
    members.push(("points".into(), Value::array(points.collect())));
    Value::object(members)
}

fn tally_members(tally: &Tally) -> Vec<(Text, Value)> {
    let percent = Number::parse(&format!("{:.2}", tally.percent()));
    let mut members = vec![("percent".into(), percent.map_or(Value::Null, Value::Number))];
    members.extend(tally.groups().map(|(group, reached, all)| {
        let counts = vec![
            ("reached".into(), count(reached)),
            ("all".into(), count(all)),
        ];
        (group.into(), Value::object(counts))
    }));
    members
}

/// Returns the lcov tracefile.
#[must_use]
pub fn lcov(all: &[Covered]) -> String {
    let mut out = Lines::default();
    for covered in all {
        for file in lines(covered) {
            out.add("TN:");
            out.add(format!("SF:{}", file.file.name));
            functions(&mut out, covered, &file.lines);
            branches(&mut out, covered, &file.lines);
            for line in &file.lines {
                out.add(format!("DA:{},{}", line.number, line.hits));
            }
            let hit = file.lines.iter().filter(|line| line.hits > 0).count();
            out.add(format!("LF:{}", file.lines.len()));
            out.add(format!("LH:{hit}"));
            out.add("end_of_record");
        }
    }
    out.into()
}

fn functions(out: &mut Lines, covered: &Covered, lines: &[Line]) {
    let states = lines.iter().flat_map(|line| {
        let points = line.points.iter();
        let entered = points.filter(|(point, _)| point.kind == Kind::Entered);
        entered.map(|(point, hits)| (line.number, point.state, *hits))
    });
    let states: Vec<_> = states.collect();
    let name = |id| {
        let state = covered.definition.state(id);
        state.map_or_else(String::new, |state| state.path.0.replace(',', " "))
    };
    for (line, state, _) in &states {
        out.add(format!("FN:{line},{}", name(*state)));
    }
    for (_, state, hits) in &states {
        out.add(format!("FNDA:{hits},{}", name(*state)));
    }
    let hit = states.iter().filter(|(_, _, hits)| *hits > 0).count();
    out.add(format!("FNF:{}", states.len()));
    out.add(format!("FNH:{hit}"));
}

fn branches(out: &mut Lines, covered: &Covered, lines: &[Line]) {
    let (mut branches_found, mut hit) = (0, 0);
    for line in lines {
        for (place, (point, hits)) in line.ways().enumerate() {
            let entered = covered.coverage.entered(point.state);
            // In lcov, a dash in place of a count marks the branches of a state that was never entered.
            let taken = match entered {
                0 => "-".to_string(),
                _ => hits.to_string(),
            };
            let (line, state) = (line.number, point.state.0);
            out.add(format!("BRDA:{line},{state},{place},{taken}"));
            branches_found += 1;
            hit += usize::from(*hits > 0);
        }
    }
    out.add(format!("BRF:{branches_found}"));
    out.add(format!("BRH:{hit}"));
}

/// Returns the Cobertura report; `millis` is its creation time in milliseconds since 1970.
#[must_use]
pub fn cobertura(all: &[Covered], millis: u64) -> String {
    let files: Vec<(&Covered, Vec<FileLines>)> = all
        .iter()
        .map(|covered| (covered, lines(covered)))
        .collect();
    let every = files.iter().flat_map(|(_, files)| files);
    let rates = Rates::of(every.flat_map(|file| &file.lines));
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n",
    );
    let _ = writeln!(
        out,
        "<coverage {rates} lines-covered=\"{lines}\" lines-valid=\"{all_lines}\" branches-covered=\"{branches}\" branches-valid=\"{all_branches}\" complexity=\"0\" version=\"{version}\" timestamp=\"{millis}\">",
        rates = rates.text(),
        lines = rates.lines.0,
        all_lines = rates.lines.1,
        branches = rates.ways.0,
        all_branches = rates.ways.1,
        version = env!("CARGO_PKG_VERSION")
    );
    out.push_str("  <sources>\n    <source>.</source>\n  </sources>\n  <packages>\n");
    for (covered, files) in &files {
        let rates = Rates::of(files.iter().flat_map(|file| &file.lines));
        let name = xml(&covered.definition.name);
        let _ = writeln!(
            out,
            "    <package name=\"{name}\" {rates} complexity=\"0\">\n      <classes>",
            rates = rates.text()
        );
        for file in files {
            class(&mut out, covered, file);
        }
        out.push_str("      </classes>\n    </package>\n");
    }
    out.push_str("  </packages>\n</coverage>\n");
    out
}

fn class(out: &mut String, covered: &Covered, file: &FileLines) {
    let rates = Rates::of(&file.lines).text();
    let (name, path) = (xml(&covered.definition.name), xml(&file.file.name));
    let _ = writeln!(
        out,
        "        <class name=\"{name}\" filename=\"{path}\" {rates} complexity=\"0\">\n          <methods>"
    );
    for line in &file.lines {
        for (point, hits) in &line.points {
            let state = covered.definition.state(point.state);
            if let (Kind::Entered, Some(state)) = (point.kind, state) {
                let (name, number) = (xml(&state.path.0), line.number);
                let rate = u8::from(*hits > 0);
                let _ = writeln!(
                    out,
                    "            <method name=\"{name}\" signature=\"{state_type}\" line-rate=\"{rate}\" branch-rate=\"{rate}\" complexity=\"0\"><lines><line number=\"{number}\" hits=\"{hits}\"/></lines></method>",
                    state_type = state.type_name()
                );
            }
        }
    }
    out.push_str("          </methods>\n          <lines>\n");
    for line in &file.lines {
        cobertura_line(out, line);
    }
    out.push_str("          </lines>\n        </class>\n");
}

fn cobertura_line(out: &mut String, line: &Line) {
    let (number, hits) = (line.number, line.hits);
    let ways: Vec<u64> = line.ways().map(|(_, hits)| *hits).collect();
    if ways.is_empty() {
        let _ = writeln!(
            out,
            "            <line number=\"{number}\" hits=\"{hits}\" branch=\"false\"/>"
        );
        return;
    }
    let taken = ways.iter().filter(|hits| **hits > 0).count();
    let share = 100 * taken / ways.len();
    let _ = writeln!(
        out,
        "            <line number=\"{number}\" hits=\"{hits}\" branch=\"true\" condition-coverage=\"{share}% ({taken}/{count})\">\n              <conditions>",
        count = ways.len()
    );
    for (place, hits) in ways.iter().enumerate() {
        let share = if *hits > 0 { 100 } else { 0 };
        let _ = writeln!(
            out,
            "                <condition number=\"{place}\" type=\"jump\" coverage=\"{share}%\"/>"
        );
    }
    out.push_str("              </conditions>\n            </line>\n");
}

/// Counts of the lines and of the branches ([`Line::ways`]) of a report, each as (reached, all).
#[derive(Default)]
struct Rates {
    lines: (usize, usize),
    ways: (usize, usize),
}

impl Rates {
    fn of<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Self {
        let mut rates = Self::default();
        for line in lines {
            rates.lines.0 += usize::from(line.hits > 0);
            rates.lines.1 += 1;
            rates.ways.0 += line.ways().filter(|(_, hits)| *hits > 0).count();
            rates.ways.1 += line.ways().count();
        }
        rates
    }

    fn text(&self) -> String {
        let rate = |pair| percent(pair) / 100.0;
        format!(
            "line-rate=\"{lines:.4}\" branch-rate=\"{branches:.4}\"",
            lines = rate(self.lines),
            branches = rate(self.ways)
        )
    }
}
