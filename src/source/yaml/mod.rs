//! Parses YAML text to a tree whose nodes have source ranges. Aliases and merge keys are expanded. Tags become the
//! template functions that they abbreviate.

mod emit;
mod place;
mod scalar;

pub use emit::to_yaml;

use super::json::duplicate_key;
use super::{
    Diagnostic, Diagnostics, Key, MAX_DEPTH, Member, Node, NodeKind, SourceFile, SourceId, Span,
};
use crate::json::Text;
use place::{Lines, plain};
use saphyr_parser::{Event, Parser, ScanError, Tag};
use std::collections::{HashMap, HashSet};

/// Maximum size of a YAML text in bytes.
pub const MAX_YAML_BYTES: usize = 4 << 20;
/// Maximum number of nodes that anchors, aliases and merge keys may add.
const MAX_COPIES: usize = 250_000;
/// Maximum number of nodes in the text.
const MAX_NODES: usize = 1_000_000;
/// Maximum number of warnings that are reported for one text.
const MAX_WARNINGS: usize = 100;

const INVALID: &str = "INVALID_YAML";

/// Parses the first document of a YAML text. Returns `None` if the text cannot be parsed; a diagnostic then explains
/// why and where.
#[must_use]
pub fn parse_yaml(file: &SourceFile, id: SourceId) -> (Option<Node>, Diagnostics) {
    let mut reader = YamlReader {
        id,
        text: &file.text,
        lines: Lines::new(&file.text),
        stack: Vec::new(),
        depth: 0,
        anchors: HashMap::new(),
        copies: 0,
        nodes: 0,
        last: 0,
        root: None,
        diagnostics: Vec::new(),
    };
    let node = reader.read();
    (node, reader.diagnostics)
}

/// A node that is completely read, with the number of nodes in it (`count`) and how deeply they are nested (`height`).
#[derive(Clone)]
struct Built {
    node: Node,
    count: usize,
    height: usize,
}

/// A mapping or sequence that is being read.
struct Frame<'t> {
    start: usize,
    anchor: usize,
    tag: Option<Tagged<'t>>,
    count: usize,
    height: usize,
    kind: FrameKind,
}

enum FrameKind {
    Sequence(Vec<Node>),
    Mapping {
        members: Vec<Member>,
        /// The values of merge keys (`<<`), each with the number of members that precede the key.
        merged: Vec<(usize, Node)>,
        key: Option<MapKey>,
    },
}

enum MapKey {
    Name(Key),
    Merge,
}

/// A tag as written, with its offset in the text.
#[derive(Clone, Copy)]
struct Tagged<'t> {
    text: &'t str,
    at: usize,
}

/// Returned as the error if parsing cannot continue. The diagnostic for the user has been added before.
struct Stop;

struct YamlReader<'t> {
    id: SourceId,
    text: &'t str,
    lines: Lines<'t>,
    stack: Vec<Frame<'t>>,
    /// Number of mappings and sequences that have begun and not ended. An object that a tag creates is counted, too.
    depth: usize,
    anchors: HashMap<usize, Built>,
    copies: usize,
    /// Number of nodes that the parser has started to read.
    nodes: usize,
    /// Byte offset at which the node that was read last ends.
    last: usize,
    root: Option<Node>,
    diagnostics: Diagnostics,
}

impl<'t> YamlReader<'t> {
    fn read(&mut self) -> Option<Node> {
        if self.text.trim().is_empty() {
            self.refuse(0..self.text.len(), "the text is empty");
            return None;
        }
        if self.text.len() > MAX_YAML_BYTES {
            let length = self.text.len();
            let message = format!(
                "the text has {length} bytes, but asldbg reads at most {MAX_YAML_BYTES} bytes of YAML"
            );
            self.refuse(0..1, message);
            return None;
        }
        if let Some(at) = place::control(self.text) {
            self.refuse(at..at + 1, "YAML allows no control characters");
            return None;
        }
        let mut parser = Parser::new_from_str(self.text);
        let mut documents = 0;
        while let Some(next) = parser.next_event() {
            match next {
                Err(error) => {
                    self.syntax(&error);
                    return None;
                }
                Ok((Event::DocumentStart(_), span)) => {
                    if self.root.as_ref().is_some_and(|root| !root.is_null()) {
                        let at = self.lines.byte(span.start);
                        self.warn(
                            at..at,
                            "asldbg reads only the first YAML document of the text",
                            None,
                        );
                        break;
                    }
                    documents += 1;
                    if documents > 64 {
                        break;
                    }
                }
                Ok((event, span)) => {
                    if self.event(event, span).is_err() {
                        return None;
                    }
                }
            }
        }
        if self.root.is_none() {
            self.refuse(0..self.text.len(), "the text contains no value");
        }
        self.root.take()
    }

    fn event(&mut self, event: Event<'_>, span: saphyr_parser::Span) -> Result<(), Stop> {
        let start = self.lines.byte(span.start);
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let message = format!("the text contains more than {MAX_NODES} values");
            self.refuse(start..start + 1, message);
            return Err(Stop);
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, start, anchor, tag.is_some())
            }
            Event::SequenceStart(anchor, tag) => self.open(
                start,
                anchor,
                tag.as_deref(),
                FrameKind::Sequence(Vec::new()),
            ),
            Event::MappingStart(anchor, tag) => {
                let kind = FrameKind::Mapping {
                    members: Vec::new(),
                    merged: Vec::new(),
                    key: None,
                };
                self.open(start, anchor, tag.as_deref(), kind)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if matches!(self.text.as_bytes().get(start), Some(b']' | b'}'))
                    && span.end != span.start
                {
                    self.last = start + 1;
                }
                self.close()
            }
            Event::Alias(anchor) => self.alias(anchor, start),
            _ => Ok(()),
        }
    }

    fn open(
        &mut self,
        start: usize,
        anchor: usize,
        tag: Option<&Tag>,
        kind: FrameKind,
    ) -> Result<(), Stop> {
        let tag = tag.and_then(|_| self.tag_at(start));
        self.depth += level(tag);
        if self.depth > MAX_DEPTH {
            let message = format!("the text is nested more than {MAX_DEPTH} levels deep");
            self.refuse(start..start + 1, message);
            return Err(Stop);
        }
        self.last = self.last.max(start);
        self.stack.push(Frame {
            start,
            anchor,
            tag,
            count: 1,
            height: 0,
            kind,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.stack.pop() else {
            return Ok(());
        };
        self.depth = self.depth.saturating_sub(level(frame.tag));
        let kind = match frame.kind {
            FrameKind::Sequence(items) => NodeKind::Array(items),
            FrameKind::Mapping {
                members, merged, ..
            } => {
                self.duplicates(&members);
                NodeKind::Object(if merged.is_empty() {
                    members
                } else {
                    self.merge(members, merged)
                })
            }
        };
        let node = Node {
            span: self.span(frame.start..self.last.max(frame.start)),
            kind,
        };
        let built = Built {
            node,
            count: frame.count,
            height: frame.height + 1,
        };
        self.finish(built, frame.anchor, frame.tag)
    }

    /// Completes a node: applies its tag, stores it under its anchor and adds it to its parent.
    fn finish(
        &mut self,
        mut built: Built,
        anchor: usize,
        tag: Option<Tagged<'t>>,
    ) -> Result<(), Stop> {
        if let Some(tag) = tag {
            built = self.tagged(built, tag);
        }
        if anchor > 0 {
            self.copy(built.count, built.node.span)?;
            self.anchors.insert(anchor, built.clone());
        }
        self.attach(built)
    }

    fn attach(&mut self, built: Built) -> Result<(), Stop> {
        let Built {
            node,
            count,
            height,
        } = built;
        let Some(frame) = self.stack.last_mut() else {
            if self.root.is_none() || self.root.as_ref().is_some_and(Node::is_null) {
                self.root = Some(node);
            }
            return Ok(());
        };
        frame.count += count;
        frame.height = frame.height.max(height);
        match &mut frame.kind {
            FrameKind::Sequence(items) => items.push(node),
            FrameKind::Mapping {
                members,
                merged,
                key,
            } => match key.take() {
                Some(MapKey::Name(name)) => members.push(Member {
                    key: name,
                    value: node,
                }),
                Some(MapKey::Merge) => merged.push((members.len(), node)),
                None => {
                    let text = match node.string() {
                        Some(string) => string.text.clone(),
                        None => {
                            let range = node.span.range();
                            let raw = self.text.get(range.clone()).unwrap_or("");
                            let text = raw.chars().take(80).collect::<String>();
                            self.refuse(range, "a key must be text").help =
                                Some("text that begins with {, [ or * needs quotes".to_string());
                            text.into()
                        }
                    };
                    self.key(MapKey::Name(Key {
                        text,
                        span: node.span,
                    }));
                }
            },
        }
        Ok(())
    }

    /// True if the next node is the name of a member: a mapping is being read, and no name waits for its value.
    fn wants_key(&self) -> bool {
        matches!(
            self.stack.last().map(|frame| &frame.kind),
            Some(FrameKind::Mapping { key: None, .. })
        )
    }

    fn key(&mut self, name: MapKey) {
        if let Some(FrameKind::Mapping { key, .. }) =
            self.stack.last_mut().map(|frame| &mut frame.kind)
        {
            *key = Some(name);
        }
    }

    fn alias(&mut self, anchor: usize, start: usize) -> Result<(), Stop> {
        let rest = self.text.get(start + 1..).unwrap_or("");
        let mut parts = rest.split(|c: char| c.is_whitespace() || ",[]{}".contains(c));
        let name = parts.next().unwrap_or("");
        self.last = start + 1 + name.len();
        let Some(built) = self.anchors.get(&anchor) else {
            let message = format!("the alias *{name} is inside the value of its own anchor");
            self.refuse(start..self.last, message);
            return Err(Stop);
        };
        let deep = self.depth + built.height > MAX_DEPTH;
        let (count, built) = (built.count, (!deep).then_some(built.node.span));
        let span = self.span(start..self.last);
        if built.is_none() {
            let message = format!(
                "the text is nested more than {MAX_DEPTH} levels deep through the alias *{name}"
            );
            self.refuse(span.range(), message);
            return Err(Stop);
        }
        self.copy(count, span)?;
        match self.anchors.get(&anchor).cloned() {
            Some(built) => self.attach(built),
            None => Ok(()),
        }
    }

    /// Adds `count` to the number of nodes that anchors and aliases have copied. Stops parsing if the number is too
    /// high.
    fn copy(&mut self, count: usize, span: Span) -> Result<(), Stop> {
        self.copies = self.copies.saturating_add(count);
        if self.copies <= MAX_COPIES {
            return Ok(());
        }
        let message = format!("anchors and aliases produce more than {MAX_COPIES} nodes");
        self.refuse(span.range(), message).help = Some(
            "an alias that contains aliases grows with every level; write the value out"
                .to_string(),
        );
        Err(Stop)
    }

    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.id, range)
    }

    fn syntax(&mut self, error: &ScanError) {
        let at = self.lines.byte(*error.marker());
        let (message, help) = plain(error.info());
        let end = self.text.get(at..).and_then(|rest| rest.chars().next());
        let end = at + end.map_or(0, char::len_utf8);
        let diagnostic = self.refuse(at..end, message);
        diagnostic.help = help.map(str::to_string);
    }

    fn refuse(
        &mut self,
        range: std::ops::Range<usize>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let mut range = range;
        range.end = range.end.min(self.text.len());
        range.start = range.start.min(range.end);
        let diagnostic = Diagnostic::error(INVALID, 1, message);
        let diagnostic = diagnostic.at(self.span(range), "").blocking();
        if self.diagnostics.len() > 2 * MAX_WARNINGS {
            self.diagnostics.truncate(2 * MAX_WARNINGS);
        }
        self.diagnostics.push(diagnostic);
        let last = self.diagnostics.len() - 1;
        #[expect(
            clippy::indexing_slicing,
            reason = "the index exists, because a finding was added to the list just before"
        )]
        &mut self.diagnostics[last]
    }

    fn warn(&mut self, range: std::ops::Range<usize>, message: &str, help: Option<&str>) {
        if self.diagnostics.len() > MAX_WARNINGS {
            return;
        }
        let mut diagnostic = Diagnostic::warning(INVALID, 1, message).at(self.span(range), "");
        diagnostic.help = help.map(str::to_string);
        self.diagnostics.push(diagnostic);
    }
}

/// The number of levels by which a mapping or sequence increases the depth: 1, or 2 if it has a tag, because a tag may
/// add an object around it.
fn level(tag: Option<Tagged<'_>>) -> usize {
    if tag.is_some() { 2 } else { 1 }
}

fn leaf(node: Node) -> Built {
    Built {
        node,
        count: 1,
        height: 0,
    }
}

impl YamlReader<'_> {
    /// Reports each name that occurs twice in an object. The diagnostic shows both occurrences.
    pub(super) fn duplicates(&mut self, members: &[Member]) {
        let mut seen: HashMap<&str, Span> = HashMap::with_capacity(members.len());
        for member in members {
            let Some(first) = seen.insert(&member.key.text, member.key.span) else {
                continue;
            };
            if self.diagnostics.len() > MAX_WARNINGS {
                return;
            }
            let Key { text, span } = &member.key;
            let duplicate = duplicate_key(INVALID, text, *span, first);
            self.diagnostics.push(duplicate);
        }
    }

    /// Replaces each merge key by the members of the mappings that are its value. If a name occurs several times, the
    /// object's own member takes precedence, then the first merged member.
    pub(super) fn merge(
        &mut self,
        members: Vec<Member>,
        merged: Vec<(usize, Node)>,
    ) -> Vec<Member> {
        let names = members.iter().map(|member| member.key.text.clone());
        let mut known: HashSet<Text> = names.collect();
        let mut all = Vec::with_capacity(members.len());
        let mut members = members.into_iter();
        let mut taken = 0;
        for (place, node) in merged {
            all.extend(members.by_ref().take(place.saturating_sub(taken)));
            taken = place;
            let span = node.span;
            let list = match node.kind {
                NodeKind::Array(items) => items,
                kind => vec![Node { span, kind }],
            };
            for item in list {
                if let NodeKind::Object(inner) = item.kind {
                    let fresh = inner.into_iter();
                    all.extend(fresh.filter(|member| known.insert(member.key.text.clone())));
                } else {
                    self.refuse(
                        item.span.range(),
                        "the value of the merge key << must be an object or a list of objects",
                    );
                }
            }
        }
        all.extend(members);
        all
    }
}

#[cfg(test)]
mod tests;
