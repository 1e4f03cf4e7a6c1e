//! Markdown as plain text for a terminal.

/// Maximum line width in columns; code is never wrapped.
const WIDTH: usize = 80;

/// Converts a page to plain text: wraps paragraphs, writes the cells of a table row below each other, omits pictures
/// and comments, and shows links to other pages as help topics.
pub(super) fn plain(markdown: &str) -> String {
    let mut page = Page::default();
    for line in markdown.lines() {
        page.add(line);
    }
    page.end_block();
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    /// Words of the current paragraph, list item or quote.
    block: String,
    in_code: bool,
    in_header: bool,
}

impl Page {
    fn add(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            self.end_block();
            self.in_code = !self.in_code;
        } else if self.in_code {
            self.line(&format!("    {line}"));
        } else if let Some(row) = trimmed.strip_prefix('|') {
            self.end_block();
            self.row(row);
        } else if trimmed.is_empty() {
            self.end_block();
            self.in_header = true;
            if !self.text.ends_with("\n\n") {
                self.text.push('\n');
            }
        } else if let Some(title) = trimmed.strip_prefix('#') {
            self.end_block();
            self.line(&linked(title.trim_start_matches('#').trim_start()));
        } else if !trimmed.starts_with("<!--") && !trimmed.starts_with("![") {
            if is_item(trimmed) {
                self.end_block();
            }
            if self.block.is_empty() {
                let indent = line.len() - trimmed.len();
                self.block.push_str(&" ".repeat(indent));
            } else {
                self.block.push(' ');
            }
            self.block.push_str(trimmed);
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes a table row: the last cell on lines below the others, which are names or values.
    fn row(&mut self, row: &str) {
        let row = row.trim_end().trim_end_matches('|').replace("\\|", "\u{1}");
        let cells = row.split('|').map(|cell| cell.trim().replace('\u{1}', "|"));
        let mut cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
        let is_ruler = cells.iter().all(|cell| cell.trim_matches('-').is_empty());
        // Column headings are useless when each row is written as a block.
        if std::mem::take(&mut self.in_header) || is_ruler {
            return;
        }
        let last = cells.pop().unwrap_or_default();
        if !cells.is_empty() {
            self.line(&linked(&cells.join("  ")));
        }
        let indent = if cells.is_empty() { "" } else { "    " };
        self.wrap(&linked(&last), indent, indent);
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let text = block.trim_start();
        let first = " ".repeat(block.len() - text.len());
        let rest = format!("{first}{}", if is_item(text) { "  " } else { "" });
        self.wrap(&linked(text), &first, &rest);
    }

    fn wrap(&mut self, text: &str, first: &str, rest: &str) {
        let mut line = first.to_owned();
        let mut width = line.len();
        for (place, word) in text.split_whitespace().enumerate() {
            let long = word.chars().count();
            if place > 0 && width + 1 + long > WIDTH {
                self.line(&line);
                rest.clone_into(&mut line);
                width = line.len();
            } else if place > 0 {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += long;
        }
        self.line(&line);
    }
}

/// True for an item of a list, whether numbered or not.
fn is_item(text: &str) -> bool {
    let mark = text.split(' ').next().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    mark == "-" || mark.strip_suffix('.').is_some_and(is_number)
}

/// Removes `**`, and replaces each link by its text, followed by its target if the text does not contain it.
fn linked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after
            .split_once("](")
            .and_then(|(words, after)| Some((words, after.split_once(')')?)));
        match link {
            Some((words, (target, after))) if !words.contains(']') => {
                out.push_str(before);
                out.push_str(words);
                let page = target.split('#').next().unwrap_or_default();
                let page = page.strip_suffix(".md").map(|page| page.rsplit('/').next());
                match page.flatten() {
                    Some(page) if words.contains(page) => {}
                    Some(page) => out.push_str(&format!(" (asldbg help {page})")),
                    None if target.starts_with("http") => out.push_str(&format!(" ({target})")),
                    None => {}
                }
                rest = after;
            }
            _ => {
                out.push_str(before);
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.replace("**", "")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_page_is_text() {
        let page = "# Title\n\nSome **bold** words and [another page](mocks.md#part),\nwhich go on.\n\n\
            - item [debug](debug.md) [n]\n  more\n\n<!-- keys -->\n\n| Key | What |\n|---|---|\n| `a` | x \\| y |\n\n\
            ```sh\nasldbg  a | b\n```\n";
        assert_eq!(
            plain(page),
            "Title\n\nSome bold words and another page (asldbg help mocks), which go on.\n\n\
             - item debug [n] more\n\n`a`\n    x | y\n\n    asldbg  a | b\n"
        );
    }

    #[test]
    fn lines_are_wrapped() {
        let page = "- ".to_owned() + &"word ".repeat(40);
        assert!(plain(&page).lines().all(|line| line.len() <= 80));
        assert!(plain(&page).contains("\n  word"));
    }
}
