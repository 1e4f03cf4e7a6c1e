//! Renders diagnostics as text, either in the style of rustc or on one line each.

use super::excerpt::excerpts;
use super::{Diagnostic, Severity, SourceMap};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

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
    let message = visible(&diagnostic.message);
    let mut group = level
        .primary_title(message.as_str())
        .id(diagnostic.code)
        .elements(std::iter::empty::<annotate_snippets::Element<'_>>());
    let labels: Vec<String> = diagnostic
        .related
        .iter()
        .map(|(_, label)| visible(label))
        .collect();
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
                Some(label) => AnnotationKind::Context
                    .span(range.clone())
                    .label(label.as_str()),
            });
        }
        group = group.element(snippet);
    }
    let help = diagnostic.help.as_deref().map(visible);
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let notes: Vec<String> = notes.iter().map(|note| visible(note)).collect();
    for note in &notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let renderer = match style {
        Style::Coloured => Renderer::styled().decor_style(DecorStyle::Ascii),
        Style::Plain => Renderer::plain().decor_style(DecorStyle::Ascii),
    };
    let text = renderer.render(&[group]);
    excerpts.iter().fold(text, |text, one| one.with_place(text))
}

/// Renders a diagnostic on one line: `file:line:column: severity[CODE]: message; help`.
#[must_use]
pub fn short(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = diagnostic.span.and_then(|span| {
        let file = sources.get(span.source)?;
        let place = file.place(span.start as usize);
        Some(format!("{}:{}:{}: ", file.name, place.line, place.column))
    });
    let place = place
        .or_else(|| {
            sources
                .files()
                .first()
                .map(|file| format!("{}: ", file.name))
        })
        .unwrap_or_default();
    let severity = diagnostic.severity.to_string().to_lowercase();
    let help = diagnostic
        .help
        .as_ref()
        .map(|help| format!("; {help}"))
        .unwrap_or_default();
    visible(&format!(
        "{place}{severity}[{}]: {}{}{help}",
        diagnostic.code,
        diagnostic.message,
        diagnostic.also(sources)
    ))
}

/// Replaces control, bidi and zero-width characters with symbols, so that text in a definition cannot control a
/// terminal.
fn visible(text: &str) -> String {
    crate::json::visible(text).into_owned()
}
