//! Renders diagnostics as text: either in the style of rustc, with excerpts of the source, or each on one line.

use super::{Diagnostic, Severity, SourceFile, SourceMap};
use crate::json::visible;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::borrow::Cow;
use std::ops::Range;

/// Style of rendered diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With colours.
    Coloured,
    /// Plain text.
    Plain,
}

/// Renders one diagnostic with its source lines.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    render_with(diagnostic, &[], sources, style)
}

/// Renders a diagnostic with its source lines, followed by notes.
#[must_use]
pub fn render_with(
    diagnostic: &Diagnostic,
    notes: &[String],
    sources: &SourceMap,
    style: Style,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO.with_name("note"),
    };
    // Text from a definition must not contain characters that control a terminal.
    let message = visible(&diagnostic.message);
    let mut group = level
        .primary_title(&*message)
        .id(diagnostic.code)
        .elements(std::iter::empty::<annotate_snippets::Element<'_>>());
    let related = diagnostic.related.iter();
    let labels: Vec<_> = related.map(|(_, label)| visible(label)).collect();
    let file = diagnostic.span.and_then(|span| sources.get(span.source));
    let excerpts = file.map_or_else(Vec::new, |file| excerpts(diagnostic, file));
    for excerpt in &excerpts {
        let mut snippet = Snippet::source(&*excerpt.text)
            .path(&*excerpt.path)
            .line_start(excerpt.line);
        for (range, related) in &excerpt.marks {
            let label = related.and_then(|index| labels.get(index));
            snippet = snippet.annotation(match label {
                None => AnnotationKind::Primary.span(range.clone()),
                Some(label) => AnnotationKind::Context.span(range.clone()).label(&**label),
            });
        }
        group = group.element(snippet);
    }
    let help = diagnostic.help.as_deref().map(visible);
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(&**help));
    }
    let notes: Vec<_> = notes.iter().map(|note| visible(note)).collect();
    for note in &notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    let renderer = match style {
        Style::Coloured => Renderer::styled().decor_style(DecorStyle::Ascii),
        Style::Plain => Renderer::plain().decor_style(DecorStyle::Ascii),
    };
    let text = renderer.render(&[group]);
    excerpts
        .iter()
        .fold(text, |text, excerpt| excerpt.with_place(text))
}

/// Renders a diagnostic on one line: `file:line:column: severity[CODE]: message; help`.
#[must_use]
pub fn short(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = diagnostic.span.and_then(|span| {
        let file = sources.get(span.source)?;
        let place = file.place(span.start as usize);
        Some(format!("{}:{}:{}: ", file.name, place.line, place.column))
    });
    let file = || Some(format!("{}: ", sources.files().first()?.name));
    let place = place.or_else(file).unwrap_or_default();
    let severity = diagnostic.severity.to_string().to_lowercase();
    let help = diagnostic.help.as_ref().map(|help| format!("; {help}"));
    let help = help.unwrap_or_default();
    let (code, message) = (diagnostic.code, &diagnostic.message);
    let also = diagnostic.also(sources);
    visible(&format!("{place}{severity}[{code}]: {message}{also}{help}")).into_owned()
}

/// A related place that is farther than this from the main place, in lines or in bytes, gets an excerpt of its own.
const FAR_LINES: usize = 200;
const FAR_BYTES: usize = 20_000;
/// Maximum length, in bytes, of a line that is shown completely. If a line is longer, only the text near the marked
/// places is shown.
const LONG: usize = 2_000;
/// Bytes shown on either side of a marked place in a long line. This is more than a terminal is wide.
const AROUND: usize = 300;

/// A part of a file that is shown, and the places that are marked in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt<'t> {
    text: Cow<'t, str>,
    /// Number of the first line, from 1.
    line: usize,
    /// The file name. If the beginning of the line was cut off, a unique text instead, which is later replaced with the
    /// file name.
    path: Cow<'t, str>,
    /// The byte ranges to mark in `text`, each with the index of its place in `Diagnostic::related`, or `None` for the
    /// main place.
    marks: Vec<(Range<usize>, Option<usize>)>,
    /// If the beginning of a line was cut off: the file name, and the number of characters that were cut off.
    cut: Option<(&'t str, usize)>,
}

/// Returns the excerpts of a file for a diagnostic. The first one shows the main place and the related places near it.
/// Each distant place has an excerpt of its own.
fn excerpts<'t>(diagnostic: &Diagnostic, file: &'t SourceFile) -> Vec<Excerpt<'t>> {
    let Some(span) = diagnostic.span else {
        return Vec::new();
    };
    let extent = whole(span.range(), &file.text);
    let mut shown = vec![(extent.clone(), vec![(extent.clone(), None)])];
    for (index, (related_span, _)) in diagnostic.related.iter().enumerate() {
        if related_span.source != span.source {
            continue;
        }
        let range = whole(related_span.range(), &file.text);
        match shown.first_mut() {
            Some((extent, marks)) if is_near(file, extent, &range) => {
                *extent = extent.start.min(range.start)..extent.end.max(range.end);
                marks.push((range, Some(index)));
            }
            _ => shown.push((range.clone(), vec![(range, Some(index))])),
        }
    }
    let numbered = shown.into_iter().enumerate();
    let excerpt = |(number, (extent, marks))| Excerpt::new(file, number, extent, marks);
    numbered.map(excerpt).collect()
}

fn is_near(file: &SourceFile, span: &Range<usize>, other: &Range<usize>) -> bool {
    let line = |range: &Range<usize>| file.line_at(range.start);
    line(span).abs_diff(line(other)) <= FAR_LINES && span.start.abs_diff(other.start) <= FAR_BYTES
}

impl<'t> Excerpt<'t> {
    fn new(
        file: &'t SourceFile,
        number: usize,
        extent: Range<usize>,
        marks: Vec<(Range<usize>, Option<usize>)>,
    ) -> Self {
        let text = &*file.text;
        let (first, last) = (file.line_at(extent.start), file.line_at(extent.end));
        let line = |line: usize| file.line_range(line).unwrap_or(text.len()..text.len());
        let mut bytes = line(first).start..line(last).end;
        let mut cut = None;
        if first == last && bytes.len() > LONG {
            let start = whole(extent.start.saturating_sub(AROUND)..extent.end, text).start;
            let end = whole(extent.start..extent.end.saturating_add(AROUND), text).end;
            if start > bytes.start {
                let before = text.get(bytes.start..start).unwrap_or_default();
                cut = Some((&*file.name, before.chars().count()));
            }
            bytes = start.max(bytes.start)..end.min(bytes.end);
        }
        let is_behind = marks.iter().any(|(range, _)| range.start >= text.len());
        let shown = text.get(bytes.clone()).unwrap_or_default();
        Self {
            // If a place is after the final line break, an empty last line is added to mark it.
            text: match is_behind && text.ends_with('\n') {
                true => Cow::Owned(format!("{shown} ")),
                false => Cow::Borrowed(shown),
            },
            line: first,
            path: match &cut {
                None => visible(&file.name),
                Some(_) => Cow::Owned(format!("\u{f8ff}{number}\u{f8ff}")),
            },
            marks: marks
                .into_iter()
                .map(|(range, related)| {
                    let start = range.start.saturating_sub(bytes.start);
                    let end = range.end.saturating_sub(bytes.start);
                    (start..end, related)
                })
                .collect(),
            cut,
        }
    }

    /// Puts the file name into the rendered text, and corrects the column so that it counts from the beginning of the
    /// uncut line.
    fn with_place(&self, text: String) -> String {
        let Some((name, characters)) = self.cut else {
            return text;
        };
        let place = text.split_once(&*self.path).and_then(|(before, rest)| {
            let mut numbers = rest.strip_prefix(':')?.splitn(2, ':');
            let (line, rest) = (numbers.next()?, numbers.next()?);
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let column = rest.strip_suffix(after)?;
            let column = column.parse::<usize>().ok()? + characters;
            let name = visible(name);
            Some(format!("{before}{name}:{line}:{column}{after}"))
        });
        debug_assert!(
            place.is_some(),
            "the message has no position FILE:LINE:COLUMN: {text}"
        );
        place.unwrap_or(text)
    }
}

/// Widens a range so that it begins and ends between characters, because the renderer rejects a range that divides a
/// character. Also limits the range to the text.
fn whole(range: Range<usize>, text: &str) -> Range<usize> {
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let start = range.start.min(text.len());
    let start = (0..=start).rev().find(boundary).unwrap_or(0);
    let end = range.end.clamp(start, text.len());
    let end = (end..=text.len()).find(boundary).unwrap_or(text.len());
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Severity, SourceId, SourceMap, Span, Style, render};

    fn finding(at: Range<usize>) -> Diagnostic {
        let span = Span::new(SourceId(0), at);
        Diagnostic::new(Severity::Error, "CODE", 0, "a message").at(span, "")
    }

    fn shown_bytes(finding: &Diagnostic, file: &SourceFile) -> usize {
        let excerpts = excerpts(finding, file);
        excerpts.iter().map(|excerpt| excerpt.text.len()).sum()
    }

    #[test]
    fn what_is_shown_does_not_grow_with_the_text() {
        for text in [
            "\"state\": {},\n".repeat(100_000),
            "\"state\": {},".repeat(100_000),
        ] {
            let file = SourceFile::new("f.json", &text);
            let middle = text.len() / 2;
            let single = finding(middle..middle + 5);
            assert!(shown_bytes(&single, &file) <= 2 * AROUND + 5);
            let far = single
                .clone()
                .related(Span::new(SourceId(0), 3..6), "the first one");
            assert!(shown_bytes(&far, &file) <= 4 * AROUND + 8);
            let near = single.related(
                Span::new(SourceId(0), middle - 1_000..middle - 990),
                "the first one",
            );
            assert!(shown_bytes(&near, &file) <= 2 * AROUND + 1_200);
        }
    }

    /// The renderer's output if it gets the whole text instead of excerpts.
    fn from_all(finding: &Diagnostic, file: &SourceFile) -> String {
        use annotate_snippets::renderer::DecorStyle;
        use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
        let span = whole(finding.span.expect("a place").range(), &file.text);
        let text = if span.start >= file.text.len() && file.text.ends_with('\n') {
            format!("{} ", file.text)
        } else {
            file.text.to_string()
        };
        let mut snippet = Snippet::source(text)
            .path(&*file.name)
            .annotation(AnnotationKind::Primary.span(span));
        for (related_span, label) in &finding.related {
            let range = whole(related_span.range(), &file.text);
            snippet = snippet.annotation(AnnotationKind::Context.span(range).label(&**label));
        }
        let title = Level::ERROR.primary_title("a message").id("CODE");
        let renderer = Renderer::plain().decor_style(DecorStyle::Ascii);
        renderer.render(&[title.element(snippet)])
    }

    #[test]
    fn an_excerpt_is_drawn_as_the_whole_text_is() {
        let lines: String = (0..60)
            .map(|n| format!("    \"é{n}\": {{ \"a\": [{n}] }},\r\n"))
            .collect();
        let line: String = (0..400)
            .map(|n| format!("\"é{n}\": {{ \"a\": [{n}] }},"))
            .collect();
        for text in [&*lines, &*line, "", "a", "a\n", "\n\n"] {
            let file = SourceFile::new("f.json", text);
            let sources = SourceMap::of(file.clone());
            for step in 0..=13 {
                let at = text.len() * step / 13;
                for length in [0, 1, 4, 90, 700] {
                    let alone = finding(at..(at + length).min(text.len()));
                    let before =
                        Span::new(SourceId(0), at.saturating_sub(150)..at.saturating_sub(145));
                    let related = alone.clone().related(before, "the other one");
                    for finding in [alone, related] {
                        assert_eq!(
                            render(&finding, &sources, Style::Plain),
                            from_all(&finding, &file),
                            "{finding:?}"
                        );
                    }
                }
            }
        }
    }
}
