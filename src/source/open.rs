//! Opens a file that contains a definition. The kind of the document is detected from its content, and never from the
//! name of the file.

use super::load::LoadError;
use super::placeholder::{self, Values, Whole, substitute};
use super::template::{
    Candidate, DocumentKind, Form, TemplateReader, contents, find, relocated, resolve_functions,
};
use super::{
    Diagnostic, Diagnostics, Node, SourceFile, SourceId, SourceMap, Span, did_you_mean, is_program,
    parse_json, read_tree,
};
use crate::json::{Text, Value, pretty};
use std::collections::HashMap;

/// The user's choices for a document: a state machine to select, and values of placeholders.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Name of the state machine to select if the document contains several.
    pub state_machine: Option<String>,
    /// Values of placeholders. If a name is repeated, its first value is used.
    pub set: Vec<(String, Value)>,
}

/// A state machine in a document.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Name of the state machine in the document, such as the logical name of a resource.
    pub name: Text,
    /// The name in the properties of the state machine, if that name differs from the name in the document.
    pub label: Option<Text>,
    /// Source range of the state machine.
    pub span: Span,
    /// Workflow type (STANDARD or EXPRESS), if the document specifies it.
    pub workflow: Option<Text>,
    /// The definition; `None` if it cannot be parsed or if another machine was selected.
    pub node: Option<Node>,
    /// Diagnostics from parsing the definition.
    pub diagnostics: Diagnostics,
}

/// The result of opening a file: its state machines, and the selected definition.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Kind of the document.
    pub kind: DocumentKind,
    /// The state machines in the document; empty if the file itself is a definition.
    pub machines: Vec<Machine>,
    /// The selected definition, or the only one. `None` if there is no definition, or if none of several has been
    /// selected.
    pub node: Option<Node>,
    /// Diagnostics from parsing the definition in `node`; empty if none of several has been selected.
    pub diagnostics: Diagnostics,
    /// The file that was opened, followed by the files that it refers to.
    pub sources: SourceMap,
    /// Name of the definition in the document, if there is one.
    pub name: Option<Text>,
    /// Workflow type of the machine, if the document specifies it.
    pub workflow: Option<Text>,
}

impl Opened {
    /// True if the file contains several state machines and none was selected.
    #[must_use]
    pub fn is_choice(&self) -> bool {
        self.name.is_none() && self.machines.len() > 1 && self.diagnostics.is_empty()
    }
}

/// Opens a file. `files` reads the files that the opened file refers to; their paths are relative to its folder.
#[must_use]
pub fn parse(
    file: SourceFile,
    files: &dyn Fn(&str) -> Result<SourceFile, LoadError>,
    wish: &Wish,
) -> Opened {
    let set: Values = wish.set.iter().cloned().collect();
    let sources = SourceMap::of(file.clone());
    let id = SourceId(0);
    if file.text.trim().is_empty() {
        let span = Span::new(id, 0..file.text.len());
        let diagnostics = vec![empty(&file.text).at(span, "")];
        return Opened::bare(DocumentKind::Other, None, diagnostics, sources);
    }
    let program = is_program(&file.text);
    if !program && let Some(diagnostic) = foreign(&file.text) {
        let span = Span::new(id, 0..file.line(1).len());
        return Opened::bare(
            DocumentKind::Other,
            None,
            vec![diagnostic.at(span, "")],
            sources,
        );
    }
    let (root, diagnostics) = read_tree(&file, id, &set);
    let Some(root) = root else {
        let kind = if program {
            DocumentKind::Dsl
        } else {
            DocumentKind::Other
        };
        return Opened::bare(kind, None, diagnostics, sources);
    };
    if program {
        return Opened::bare(DocumentKind::Dsl, Some(root), diagnostics, sources);
    }
    let mut reader = TemplateReader::new(files, &set, sources);
    document(root, diagnostics, &mut reader, &set, wish)
}

impl Opened {
    fn bare(
        kind: DocumentKind,
        node: Option<Node>,
        diagnostics: Diagnostics,
        sources: SourceMap,
    ) -> Self {
        Self {
            kind,
            machines: Vec::new(),
            node,
            diagnostics,
            sources,
            name: None,
            workflow: None,
        }
    }
}

fn document(
    root: Node,
    mut file_diagnostics: Diagnostics,
    reader: &mut TemplateReader<'_>,
    set: &Values,
    wish: &Wish,
) -> Opened {
    // In this case, the file is a JSON string whose text is a definition or an AWS response.
    if let Some(string) = root.string()
        && string.text.trim_start().starts_with('{')
    {
        let (node, more) = relocated(string, |file| read_tree(file, SourceId(0), set));
        file_diagnostics.extend(more);
        return match node {
            Some(node) if node.string().is_none() => {
                document(node, file_diagnostics, reader, set, wish)
            }
            node => Opened::bare(DocumentKind::Other, node, file_diagnostics, take(reader)),
        };
    }
    let (root, more) = match find(&root).0 {
        DocumentKind::Serverless => reader.serverless(root),
        _ => (root, Vec::new()),
    };
    file_diagnostics.extend(more);
    let (kind, candidates) = find(&root);
    match kind {
        DocumentKind::Definition => {
            let whole = Whole::Bare(&reader.sources);
            let node = substitute(resolve_functions(root, set, &reader.sources), set, whole);
            file_diagnostics.extend(placeholder::note(&node));
            return Opened::bare(kind, Some(node), file_diagnostics, take(reader));
        }
        _ if candidates.is_empty() => {
            file_diagnostics.push(nothing(kind, &root));
            return Opened::bare(kind, None, file_diagnostics, take(reader));
        }
        _ => {}
    }
    let chosen = match choose(&candidates, wish.state_machine.as_deref(), kind) {
        Ok(chosen) => chosen,
        Err(message) => {
            file_diagnostics.retain(|diagnostic| diagnostic.blocking);
            let none = Diagnostic::error("NO_DEFINITION", 0, message);
            file_diagnostics.push(none.at(root.span.opening(), "").blocking());
            None
        }
    };
    let failed = file_diagnostics
        .iter()
        .any(|diagnostic| diagnostic.code == "NO_DEFINITION");
    let mut machines = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        let (workflow, more) = reader.workflow(&root, kind, candidate);
        let wanted = chosen.is_none_or(|chosen| chosen == index) && !failed;
        let (node, mut diagnostics) = match wanted {
            true => reader.machine(&root, kind, candidate),
            false => (None, Vec::new()),
        };
        let concerns =
            |diagnostic: &&Diagnostic| diagnostic.blocking || within(diagnostic.span, candidate);
        let mut machine_diagnostics: Diagnostics =
            file_diagnostics.iter().filter(concerns).cloned().collect();
        machine_diagnostics.extend(more);
        machine_diagnostics.append(&mut diagnostics);
        machine_diagnostics.extend(node.as_ref().and_then(placeholder::note));
        machines.push(Machine {
            name: candidate.name.clone(),
            label: candidate.label.clone(),
            span: candidate.span,
            workflow,
            node,
            diagnostics: if wanted {
                machine_diagnostics
            } else {
                Vec::new()
            },
        });
    }
    let machine = chosen.and_then(|index| machines.get(index));
    Opened {
        kind,
        node: machine.and_then(|machine| machine.node.clone()),
        diagnostics: match machine {
            Some(machine) => machine.diagnostics.clone(),
            None if failed => file_diagnostics,
            None => Vec::new(),
        },
        name: machine.map(|machine| machine.name.clone()),
        workflow: machine.and_then(|machine| machine.workflow.clone()),
        sources: take(reader),
        machines,
    }
}

fn take(reader: &mut TemplateReader<'_>) -> SourceMap {
    std::mem::take(&mut reader.sources)
}

/// True if the source range of a diagnostic lies within this state machine.
fn within(span: Option<Span>, candidate: &Candidate<'_>) -> bool {
    let inside = |outer: Span| span.is_some_and(|span| outer.holds(span));
    let written = match candidate.form {
        Form::Written(node) => inside(node.span),
        _ => false,
    };
    written || inside(candidate.span)
}

/// Selects a machine and returns its index: the machine that the user named or, if the user named none, the only
/// machine. `None` if there are several to select from.
fn choose(
    candidates: &[Candidate<'_>],
    requested: Option<&str>,
    kind: DocumentKind,
) -> Result<Option<usize>, String> {
    let Some(requested) = requested else {
        return Ok((candidates.len() == 1).then_some(0));
    };
    let by_name = |candidate: &Candidate<'_>| &*candidate.name == requested;
    let by_label = |candidate: &Candidate<'_>| candidate.label.as_deref() == Some(requested);
    let place = candidates.iter().position(by_name);
    let place = place.or_else(|| candidates.iter().position(by_label));
    // In an AWS response, the only machine is accepted even under another name.
    if place.is_some() || (kind == DocumentKind::Description && candidates.len() == 1) {
        return Ok(place.or(Some(0)));
    }
    let names: Vec<&str> = candidates
        .iter()
        .map(|candidate| &*candidate.name)
        .collect();
    let near = did_you_mean(requested, names.iter().copied());
    let suggestion = near.map(|near| format!("; {near}")).unwrap_or_default();
    Err(format!(
        "there is no state machine \"{requested}\"; the file contains {names}{suggestion}",
        names = names.join(", ")
    ))
}

/// The error for a text without content. AWS distinguishes blank text from empty text.
fn empty(text: &str) -> Diagnostic {
    let code = match text {
        "" => "MISSING_DESCRIPTION",
        _ => "SCHEMA_VALIDATION_FAILED",
    };
    Diagnostic::error(code, 2, "Definition must be a valid JSON object")
        .help("the text is empty; a definition is an object with StartAt and States")
        .blocking()
}

/// Reports that the document contains no definition, and describes its contents.
fn nothing(kind: DocumentKind, root: &Node) -> Diagnostic {
    let (message, help) = match kind {
        DocumentKind::Template => (
            contents(root),
            "asldbg looked for a resource of type AWS::Serverless::StateMachine or AWS::StepFunctions::StateMachine",
        ),
        DocumentKind::Serverless => (
            "the configuration has no state machines".to_string(),
            "asldbg looked for stepFunctions.stateMachines and for resources of type AWS::StepFunctions::StateMachine",
        ),
        DocumentKind::Terraform => (
            "the output of terraform show contains no resource aws_sfn_state_machine".to_string(),
            "asldbg looked in values, planned_values and resources, which terraform show -json prints",
        ),
        _ => (
            contents(root),
            "asldbg looked for StartAt and States, and for templates, configurations and AWS responses that contain a definition",
        ),
    };
    Diagnostic::error(
        "NO_DEFINITION",
        0,
        format!("no definition was found: {message}"),
    )
    .at(root.span.opening(), "")
    .help(help)
    .blocking()
}

/// The error for a document in an unsupported language, with the tool that converts it; `None` for any other text.
fn foreign(text: &str) -> Option<Diagnostic> {
    const TERRAFORM: &str = "run `terraform show -json > state.json`, which contains the deployed definition, and open that file";
    const CDK: &str = "run `cdk synth` and open the template in cdk.out";
    // Only lines without indentation are examined, because a template may contain a program in another language.
    let lines = || text.lines().take(2000);
    let any =
        |starts: &[&str]| lines().any(|line| starts.iter().any(|start| line.starts_with(start)));
    let hcl = [
        "resource \"",
        "data \"",
        "module \"",
        "provider \"",
        "variable \"",
        "output \"",
        "terraform {",
        "locals {",
    ];
    let script = [
        "import {",
        "import * as ",
        "import type ",
        "export class ",
        "export default ",
        "export const ",
        "const ",
        "module.exports",
        "\"use strict\"",
        "'use strict'",
        "#!/usr/bin/env node",
    ];
    let python = ["from aws_cdk", "import aws_cdk", "#!/usr/bin/env python"];
    let (content, run) = if text.trim_start().starts_with(['{', '[']) {
        return None;
    } else if any(&hcl) && text.contains('{') {
        ("a Terraform configuration", TERRAFORM)
    } else if any(&python) {
        ("a program in Python", CDK)
    } else if any(&script) && text.contains([';', '(', '\'']) {
        ("a program in TypeScript or JavaScript", CDK)
    } else {
        return None;
    };
    let message = format!("the text is {content}, which asldbg cannot read");
    let diagnostic = Diagnostic::error("NO_DEFINITION", 0, message);
    Some(diagnostic.help(run).blocking())
}

/// Maximum length, in characters, of a line that is readable without reformatting.
const LONG: usize = 120;

/// Reformats a tree into a new source text that is called `name`, if the original text is too dense to read. Also
/// returns the diagnostics, whose source ranges now refer to the new text. `None` if the original text can be read.
#[must_use]
pub fn formatted(
    node: &Node,
    diagnostics: &[Diagnostic],
    sources: &mut SourceMap,
    name: &str,
) -> Option<(Node, Diagnostics)> {
    if !is_dense(node, sources) {
        return None;
    }
    let file = SourceFile::derived(name, &pretty(&node.to_value()));
    let id = SourceId(u16::try_from(sources.files().len()).ok()?);
    let (made, _) = parse_json(&file, id);
    let made = made?;
    let mut places = Vec::new();
    pairs(node, &made, &mut places);
    sources.add(file);
    // Two source ranges are either nested or disjoint. Therefore, of the ranges that contain a place, the one that
    // begins last is the smallest.
    places.sort_by_key(|(old, _)| (old.source, old.start, std::cmp::Reverse(old.end)));
    let moved = diagnostics
        .iter()
        .map(|diagnostic| moved(diagnostic, &places));
    Some((made, moved.collect()))
}

/// True if the states are too dense to read: a line contains at least two states on average, and a line is long. A
/// single state is too dense if it begins on the first line of the definition and this line is long.
fn is_dense(node: &Node, sources: &SourceMap) -> bool {
    let Some(states) = node.get("States").and_then(Node::members) else {
        return false;
    };
    let mut lines: HashMap<(SourceId, usize), usize> = HashMap::new();
    for state in states {
        // A tree that template functions produced may have no source text, and then its nodes have no place.
        let Some(place) = sources.place(state.key.span) else {
            return false;
        };
        *lines
            .entry((state.key.span.source, place.line))
            .or_default() += 1;
    }
    let is_long = |(source, line): &(SourceId, usize)| {
        let file = sources.get(*source);
        file.is_some_and(|file| file.line(*line).chars().count() > LONG)
    };
    let line = |span: Span| sources.place(span).map(|place| place.line);
    let has_one = match states {
        [state] => line(node.span) == line(state.key.span),
        _ => false,
    };
    let shared = lines.len() * 2 <= states.len();
    (has_one || shared) && lines.keys().any(is_long)
}

/// Collects pairs of source ranges: each range of a node or key in the old tree, with the corresponding range in the
/// new tree. Both trees have the same values.
fn pairs(old: &Node, new: &Node, places: &mut Vec<(Span, Span)>) {
    places.push((old.span, new.span));
    let members = old.members().unwrap_or_default();
    for (at, after) in new.members().unwrap_or_default().iter().enumerate() {
        let name = &after.key.text;
        // The members are usually in the same order in both trees. In a large object, a search by name would be slow.
        let same = members.get(at).filter(|before| before.key.text == *name);
        if let Some(before) = same.or_else(|| old.member(name)) {
            places.push((before.key.span, after.key.span));
            pairs(&before.value, &after.value, places);
        }
    }
    let items = old.items().unwrap_or_default().iter();
    for (before, after) in items.zip(new.items().unwrap_or_default()) {
        pairs(before, after, places);
    }
}

/// Moves a diagnostic to the new text. A range of the diagnostic that has no counterpart there is kept.
fn moved(diagnostic: &Diagnostic, places: &[(Span, Span)]) -> Diagnostic {
    let place = |span: Span| {
        let begun =
            places.partition_point(|(old, _)| (old.source, old.start) <= (span.source, span.start));
        let mut before = places.get(..begun).unwrap_or_default().iter().rev();
        let smallest = before.find(|(old, _)| old.source == span.source && span.end <= old.end);
        smallest.map_or(span, |(_, new)| *new)
    };
    let mut diagnostic = diagnostic.clone();
    diagnostic.relocate(place);
    diagnostic
}
