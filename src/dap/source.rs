//! The source texts of a definition, as the client sees them. A source is a file, or a text that the client requests by
//! a number.

use super::debuggee::Debuggee;
use super::handle::place_of;
use super::message::{Outbox, Refusal};
use super::protocol::{BreakpointLocationsArguments, Source, SourceArguments};
use crate::definition::StateId;
use crate::session::Location;
use crate::session::breakpoint::location_of_line;
use crate::source::{SourceFile, SourceId, Span};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Maximum number of lines that one `breakpointLocations` request examines.
const LINES: usize = 10_000;

/// The absolute path of a file, without symbolic links if the file exists.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_path_buf())
}

impl Debuggee {
    /// Describes the source text with this id as the protocol's `Source`; `None` if there is no such text.
    pub fn source_of(&self, id: SourceId) -> Option<Source> {
        let file = self.session.sources().get(id)?;
        Some(self.source_view(id, file))
    }

    /// Describes a source text as the protocol's `Source`. The text may belong to the session of a parent execution.
    pub fn source_view(&self, id: SourceId, file: &SourceFile) -> Source {
        let path = Path::new(&*file.name);
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = Some(name.to_string_lossy().into_owned());
        if file.derived {
            return Source {
                name,
                source_reference: Some(i64::from(id.0).saturating_add(1)),
                origin: Some("formatted by asldbg".to_string()),
                path: None,
            };
        }
        Source {
            name,
            path: Some(self.client.path(&absolute(path))),
            ..Source::default()
        }
    }

    /// Finds the source text that the client's `Source` refers to, by its number or its path; `None` if the definition
    /// has no such text.
    pub fn find_source(&self, source: &Source) -> Option<SourceId> {
        let files = self.session.sources().files();
        let place = match (source.source_reference, &source.path) {
            (Some(reference), _) if reference > 0 => {
                let place = place_of(reference)?;
                (place < files.len()).then_some(place)
            }
            (_, Some(path)) => {
                let path = absolute(&self.client.own_path(path));
                files
                    .iter()
                    .position(|file| !file.derived && absolute(Path::new(&*file.name)) == path)
            }
            _ => None,
        };
        place
            .and_then(|place| u16::try_from(place).ok())
            .map(SourceId)
    }

    /// The source text of a span, and the line where the span starts, both as the client expects them.
    pub fn place_of(&self, span: Span) -> Option<(Source, i64)> {
        let file = self.session.sources().get(span.source)?;
        let line = self.client.line(file.place(span.start as usize).line);
        Some((self.source_view(span.source, file), line))
    }

    /// Returns all source texts of the definition.
    pub fn loaded_sources(&self) -> Vec<Source> {
        let files = (0_u16..).zip(self.session.sources().files());
        let sources = files.map(|(id, file)| self.source_view(SourceId(id), file));
        sources.collect()
    }

    /// Reports all source texts to the client. `reason` is the protocol's word: `new` or `changed`.
    pub fn tell_sources(&self, reason: &str, out: &mut Outbox) {
        for source in self.loaded_sources() {
            out.event("loadedSource", json!({"reason": reason, "source": source}));
        }
    }

    /// Handles `source`: returns the text of a source.
    pub fn source(&self, arguments: &SourceArguments) -> Result<Value, Refusal> {
        let named = arguments.source.clone().unwrap_or_default();
        let reference = named.source_reference.filter(|reference| *reference > 0);
        let wanted = Source {
            source_reference: Some(reference.unwrap_or(arguments.source_reference)),
            ..named
        };
        let id = self.find_source(&wanted);
        let file = id.and_then(|id| self.session.sources().get(id));
        let file = file.ok_or_else(|| Refusal::new("this source does not exist"))?;
        let mime_type = file.derived.then_some("application/json");
        Ok(json!({"content": &*file.text, "mimeType": mime_type}))
    }

    /// Handles `breakpointLocations`: returns those lines of the requested range on which breakpoints can be set.
    pub fn breakpoint_locations(&self, arguments: &BreakpointLocationsArguments) -> Value {
        let Some(id) = self.find_source(&arguments.source) else {
            return json!({"breakpoints": []});
        };
        let first = self.client.own_line(arguments.line).max(1);
        let last = arguments.end_line;
        let last = last.map_or(first, |line| self.client.own_line(line));
        let file = self.session.sources().get(id);
        let count = file.map_or(0, SourceFile::line_count);
        let lines = (first..=last.min(count)).take(LINES);
        let lines = lines.filter(|line| {
            location_of_line(self.session.definition(), id, *line, None)
                .is_some_and(|(_, of_point)| of_point == *line)
        });
        let locations = lines.map(|line| json!({"line": self.client.line(line)}));
        json!({"breakpoints": locations.collect::<Vec<_>>()})
    }

    /// The state whose definition contains the line, and the line where the state's name is.
    pub fn state_at(&self, source: &Source, line: i64) -> Option<(StateId, i64)> {
        let id = self.find_source(source)?;
        let definition = self.session.definition();
        let (at, _) = location_of_line(definition, id, self.client.own_line(line), None)?;
        let (Location::State(path) | Location::Part(path, _)) = at else {
            return None;
        };
        let state = definition.find(&path)?;
        let span = definition.state(state)?.name_span;
        let place = self.session.sources().place(span)?;
        Some((state, self.client.line(place.line)))
    }
}
