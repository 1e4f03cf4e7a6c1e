//! Coverage as Cobertura XML (`coverage-04.dtd`): a definition is a package, a file a class, an alternative a
//! condition.

use super::Covered;
use super::line::{FileLines, Line, lines};
use super::point::Kind;
use crate::json::xml;
use std::fmt::Write as _;

/// Returns the report; `millis` is its creation time in milliseconds since 1970.
#[must_use]
pub fn cobertura(all: &[Covered], millis: u64) -> String {
    let files: Vec<(&Covered, Vec<FileLines>)> = all.iter().map(|one| (one, lines(one))).collect();
    let every = files.iter().flat_map(|(_, files)| files);
    let rates = Rates::of(every.flat_map(|file| &file.lines));
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n",
    );
    let _ = writeln!(
        out,
        "<coverage {} lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" complexity=\"0\" version=\"{}\" timestamp=\"{millis}\">",
        rates.text(),
        rates.lines.0,
        rates.lines.1,
        rates.ways.0,
        rates.ways.1,
        env!("CARGO_PKG_VERSION")
    );
    out.push_str("  <sources>\n    <source>.</source>\n  </sources>\n  <packages>\n");
    for (one, files) in &files {
        let rates = Rates::of(files.iter().flat_map(|file| &file.lines));
        let name = xml(&one.definition.name);
        let _ = writeln!(
            out,
            "    <package name=\"{name}\" {} complexity=\"0\">\n      <classes>",
            rates.text()
        );
        for file in files {
            class(&mut out, one, file);
        }
        out.push_str("      </classes>\n    </package>\n");
    }
    out.push_str("  </packages>\n</coverage>\n");
    out
}

fn class(out: &mut String, one: &Covered, file: &FileLines) {
    let rates = Rates::of(&file.lines).text();
    let (name, path) = (xml(&one.definition.name), xml(&file.file.name));
    let _ = writeln!(
        out,
        "        <class name=\"{name}\" filename=\"{path}\" {rates} complexity=\"0\">\n          <methods>"
    );
    for line in &file.lines {
        for (point, hits) in &line.points {
            let state = one.definition.state(point.state);
            if let (Kind::Entered, Some(state)) = (point.kind, state) {
                let (name, number) = (xml(&state.path.0), line.number);
                let rate = u8::from(*hits > 0);
                let _ = writeln!(
                    out,
                    "            <method name=\"{name}\" signature=\"{}\" line-rate=\"{rate}\" branch-rate=\"{rate}\" complexity=\"0\"><lines><line number=\"{number}\" hits=\"{hits}\"/></lines></method>",
                    state.type_name()
                );
            }
        }
    }
    out.push_str("          </methods>\n          <lines>\n");
    for line in &file.lines {
        self::line(out, line);
    }
    out.push_str("          </lines>\n        </class>\n");
}

fn line(out: &mut String, line: &Line) {
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
        "            <line number=\"{number}\" hits=\"{hits}\" branch=\"true\" condition-coverage=\"{share}% ({taken}/{})\">\n              <conditions>",
        ways.len()
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

/// Number of lines and alternatives, as (reached, all).
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
        let rate = |pair| super::coverage::percent(pair) / 100.0;
        format!(
            "line-rate=\"{:.4}\" branch-rate=\"{:.4}\"",
            rate(self.lines),
            rate(self.ways)
        )
    }
}
