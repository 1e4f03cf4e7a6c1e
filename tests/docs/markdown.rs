//! Splits a Markdown page into the parts that tests use.

/// A part of a page that a test executes or checks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A fenced block: the words after the opening fence, and its lines.
    Block { info: String, lines: Vec<String> },
    /// A row of a table whose first column is headed "Press": the keys, and the texts that must then be on the screen.
    Press {
        keys: Vec<String>,
        seen: Vec<String>,
    },
}

/// Splits a page into its parts.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines();
    let mut in_press = false;
    while let Some(line) = lines.next() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            let block = lines
                .by_ref()
                .take_while(|line| line.trim() != "```")
                .map(str::to_owned);
            parts.push(Part::Block {
                info: info.to_owned(),
                lines: block.collect(),
            });
        } else if let Some(row) = line.strip_prefix('|') {
            let (first, rest) = row.split_once('|').unwrap_or((row, ""));
            if first.trim() == "Press" {
                in_press = true;
            } else if in_press && !first.trim().starts_with("---") {
                parts.push(Part::Press {
                    keys: between(first, "`"),
                    seen: between(rest, "**"),
                });
            }
        } else {
            in_press = false;
        }
    }
    parts
}

/// The texts that stand between two occurrences of `mark`: for `**`, the bold texts.
fn between(text: &str, mark: &str) -> Vec<String> {
    let pieces = text.split(mark).skip(1).step_by(2);
    pieces.map(str::to_owned).collect()
}

/// Lines outside of fenced blocks.
fn prose(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let outside = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        !in_block && !is_fence
    });
    outside.collect()
}

/// The targets of the links and pictures of a page.
pub(crate) fn links(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            targets.push(target.to_owned());
        }
    }
    targets
}

/// The anchors that GitHub gives the headings of a page.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    });
    anchors.collect()
}
