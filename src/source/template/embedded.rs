//! Converts the definition of a state machine to a tree. A document can contain the definition as an object, as a text,
//! or as the name of a separate file.

use super::function::{Functions, call, fill};
use super::{Candidate, DocumentKind, Form, lost};
use crate::json::{Text, Value};
use crate::source::load::LoadError;
use crate::source::node::relocate;
use crate::source::placeholder::{Values, Whole, substitute};
use crate::source::{
    Diagnostic, Diagnostics, Member, Node, NodeKind, SourceFile, SourceId, SourceMap, Span,
    StringNode, read_tree,
};
use std::cell::Cell;
use std::collections::HashMap;

/// Maximum number of files that a document may include.
const MAX_FILES: usize = 64;

/// Maximum memory, in bytes, that the files included in one document may use. The limit is lower in the unit tests, so
/// that a test can reach it.
const MOST_INCLUDED: usize = if cfg!(test) { 32 << 20 } else { 256 << 20 };
/// Estimated memory, in bytes, of one value in a parsed file.
const VALUE: usize = 128;

const UNREADABLE: &str = "UNREADABLE_DEFINITION";

/// Reads the definitions of the state machines that a document, such as a CloudFormation template, contains.
pub(in crate::source) struct TemplateReader<'f> {
    files: &'f dyn Fn(&str) -> Result<SourceFile, LoadError>,
    set: &'f Values,
    pub(in crate::source) sources: SourceMap,
    loaded: HashMap<String, SourceId>,
    /// Estimated memory, in bytes, of all files parsed until now. A file that is parsed several times is counted each
    /// time.
    parsed: Cell<usize>,
}

/// The result of parsing: a tree, if there is one, and diagnostics.
type Read = (Option<Node>, Diagnostics);

impl<'f> TemplateReader<'f> {
    pub(in crate::source) fn new(
        files: &'f dyn Fn(&str) -> Result<SourceFile, LoadError>,
        set: &'f Values,
        sources: SourceMap,
    ) -> Self {
        Self {
            files,
            set,
            sources,
            loaded: HashMap::new(),
            parsed: Cell::new(0),
        }
    }

    /// The workflow type (STANDARD or EXPRESS) of a state machine in the document `root`, if the document specifies it.
    pub(in crate::source) fn workflow(
        &self,
        root: &Node,
        kind: DocumentKind,
        candidate: &Candidate<'_>,
    ) -> (Option<Text>, Diagnostics) {
        let Some(node) = candidate.workflow.filter(|node| !node.is_null()) else {
            return (None, Vec::new());
        };
        let text = match call(node) {
            Some(_) => {
                let parameters = parameters(root, kind);
                Functions::new(self.set, &parameters, Some(root))
                    .text(node)
                    .text
            }
            None => node.as_str().unwrap_or_default().into(),
        };
        match &*text {
            "STANDARD" | "EXPRESS" => (Some(text.into()), Vec::new()),
            later if later.contains("${") => (None, Vec::new()),
            _ => {
                let message = "the type of the state machine must be STANDARD or EXPRESS";
                let warning = Diagnostic::warning("MACHINE_TYPE", 0, message)
                    .at(node.span, "")
                    .help("the machine is treated as STANDARD; --type sets another type");
                (None, vec![warning])
            }
        }
    }

    /// The definition of a state machine in the document `root`.
    pub(in crate::source) fn machine(
        &mut self,
        root: &Node,
        kind: DocumentKind,
        candidate: &Candidate<'_>,
    ) -> Read {
        let parameters = parameters(root, kind);
        let functions = Functions::new(self.set, &parameters, Some(root));
        let mut values = self.set.clone();
        let substitutions = candidate.substitutions.and_then(Node::members);
        for Member { key, value } in substitutions.unwrap_or_default() {
            let value = match call(value) {
                Some(_) => Value::string(functions.text(value).text),
                None => functions.resolve(value).to_value(),
            };
            values.add(&key.text, value);
        }
        let (node, mut diagnostics) = match candidate.form {
            Form::Missing => {
                let message = format!(
                    "the state machine {name} has no definition",
                    name = candidate.name
                );
                let help = "the machine has neither Definition, DefinitionString, DefinitionUri nor DefinitionS3Location";
                return (None, refusal(candidate.span, message, help));
            }
            Form::File(node) => self.file(node, &functions, &values),
            Form::Written(node) => self.written(node, kind, &functions, &values),
        };
        if let (DocumentKind::Template, Form::Written(node)) = (kind, candidate.form) {
            diagnostics.extend(lost(root, candidate, node));
        }
        let node = match kind {
            DocumentKind::Serverless => node.map(|node| fill(node, root, self.set)),
            _ => node,
        };
        let node = node.map(|node| substitute(node, &values, Whole::Text));
        (node, diagnostics)
    }

    fn written(
        &mut self,
        node: &Node,
        kind: DocumentKind,
        functions: &Functions<'_>,
        values: &Values,
    ) -> Read {
        if kind == DocumentKind::Serverless
            && let Some((tree, diagnostics)) = self.include(node, values)
        {
            return (tree.map(|tree| functions.resolve(&tree)), diagnostics);
        }
        match call(node) {
            Some(("Fn::Transform", argument)) => {
                let location = argument.path(&["Parameters", "Location"]);
                return self.file(location.unwrap_or(argument), functions, values);
            }
            Some(("Fn::ToJsonString", argument)) => {
                return (Some(functions.resolve(argument)), Vec::new());
            }
            Some(_) => {
                let text = functions.text(node).string(node.span);
                return text_tree(&text, node.span, values);
            }
            None => {}
        }
        match node.string() {
            Some(string) => text_tree(string, node.span, values),
            None if kind == DocumentKind::Description || kind == DocumentKind::Terraform => {
                (Some(node.clone()), Vec::new())
            }
            None => (Some(functions.resolve(node)), Vec::new()),
        }
    }

    /// Reads a definition from a separate file.
    fn file(&mut self, node: &Node, functions: &Functions<'_>, values: &Values) -> Read {
        let key = node.get("Key").or_else(|| node.get("S3Key"));
        let text = match (key, node.members()) {
            (Some(key), _) => functions.text(key).text,
            (None, Some(_)) if call(node).is_none() => {
                let message = "the name of the definition's file must be text";
                let help = "open the file of the definition itself";
                return (None, refusal(node.span, message, help));
            }
            _ => functions.text(node).text,
        };
        let read_result = match key.is_some() || text.starts_with("s3://") {
            true => self.asset(&text, node.span),
            false => self.named(&text, node.span),
        };
        match read_result {
            Ok(id) => {
                let (tree, read_result) = self.parsed(id, values);
                (tree.map(|tree| functions.resolve(&tree)), read_result)
            }
            Err(read_result) => (None, vec![*read_result]),
        }
    }

    /// Finds the local copy of a definition that is stored in S3. The tools that create templates often leave such a
    /// copy next to the template.
    fn asset(&mut self, key: &str, span: Span) -> Result<SourceId, Box<Diagnostic>> {
        let name = key.rsplit('/').next().unwrap_or(key);
        for name in [name.to_string(), format!("asset.{name}")] {
            if let Ok(id) = self.named(&name, span) {
                return Ok(id);
            }
        }
        let message = format!("the definition is in S3 (\"{key}\"), which asldbg cannot access");
        let help = format!(
            "open the definition's file itself, or put the file beside the template as {name}"
        );
        Err(Box::new(error(span, message).help(help)))
    }

    /// Loads a file that the document names, and returns its id. Each file is read only once.
    fn named(&mut self, path: &str, span: Span) -> Result<SourceId, Box<Diagnostic>> {
        let path = below(path).map_err(|reason| {
            let message = format!("the definition's file \"{path}\" cannot be read: {reason}");
            let help = "asldbg reads only files below the template's folder; open the definition's file itself";
            Box::new(error(span, message).help(help))
        })?;
        if let Some(id) = self.loaded.get(&path) {
            return Ok(*id);
        }
        if self.loaded.len() >= MAX_FILES {
            let message = format!("the document refers to more than {MAX_FILES} files");
            return Err(Box::new(error(span, message)));
        }
        let file = (self.files)(&path).map_err(|why| {
            let help = "paths are relative to the template's folder";
            Box::new(error(span, why.to_string()).help(help))
        })?;
        let id = self.sources.add(file);
        self.loaded.insert(path, id);
        Ok(id)
    }

    fn parsed(&self, id: SourceId, values: &Values) -> Read {
        let Some(file) = self.sources.get(id) else {
            return (None, Vec::new());
        };
        if self.parsed.get() > MOST_INCLUDED {
            let limit = MOST_INCLUDED >> 20;
            let message = format!(
                "the included files take more than {limit} MiB of memory; a file counts each time that it is included"
            );
            return (None, vec![error(Span::new(id, 0..0), message)]);
        }
        let (node, diagnostics) = read_tree(&file.clone(), id, values);
        let nodes = node.as_ref().map_or(0, Node::count);
        let memory = file.text.len() + nodes * VALUE;
        self.parsed.set(self.parsed.get().saturating_add(memory));
        (node, diagnostics)
    }

    /// The value of the text `${file(PATH):KEY}`, a variable of the Serverless Framework; `None` for any other text.
    fn include(&mut self, node: &Node, values: &Values) -> Option<Read> {
        let text = node.as_str()?.trim();
        let inner = text.strip_prefix("${file(")?.strip_suffix('}')?;
        let (path, rest) = inner.split_once(')')?;
        let id = match self.named(path.trim(), node.span) {
            Ok(id) => id,
            Err(diagnostic) => return Some((None, vec![*diagnostic])),
        };
        let (mut tree, mut diagnostics) = self.parsed(id, values);
        let keys = rest.split(',').next().unwrap_or("");
        for key in keys.trim_start_matches(':').split('.').map(str::trim) {
            if key.is_empty() {
                continue;
            }
            let Some(inner) = tree.as_ref().map(|tree| tree.get(key).cloned()) else {
                break;
            };
            if inner.is_none() {
                let message = format!("{file} has no \"{key}\"", file = path.trim());
                diagnostics.push(error(node.span, message));
            }
            tree = inner;
        }
        Some((tree, diagnostics))
    }

    /// Reads the files from which a configuration of the Serverless Framework includes state machines, and inserts
    /// their contents.
    pub(in crate::source) fn serverless(&mut self, root: Node) -> (Node, Diagnostics) {
        let mut diagnostics = Vec::new();
        let root = self.at(
            root,
            "stepFunctions",
            &mut diagnostics,
            |reader, node, diagnostics| {
                reader.at(node, "stateMachines", diagnostics, Self::machines)
            },
        );
        (root, diagnostics)
    }

    /// Combines the state machines of a configuration into one object. They are in an object, or in a list of files
    /// that contain such objects.
    fn machines(&mut self, node: Node, diagnostics: &mut Diagnostics) -> Node {
        let span = node.span;
        let mut all = Vec::new();
        let parts = match node.kind {
            NodeKind::Array(items) => items,
            kind => vec![Node { span, kind }],
        };
        for part in parts {
            let part = self.included(part, diagnostics);
            if let NodeKind::Object(members) = part.kind {
                for Member { key, value } in members {
                    let value = self.included(value, diagnostics);
                    all.push(Member { key, value });
                }
            }
        }
        Node {
            span,
            kind: NodeKind::Object(all),
        }
    }

    /// The content of the file that the node includes. If the node includes no file, the node itself.
    fn included(&mut self, node: Node, diagnostics: &mut Diagnostics) -> Node {
        match self.include(&node, &Values::default()) {
            Some((tree, more)) => {
                diagnostics.extend(more);
                tree.unwrap_or(node)
            }
            None => node,
        }
    }

    /// Replaces the value of the member `name` of an object, if the object has it. If the value includes a file, the
    /// content of the file is inserted; then `change` is applied.
    fn at(
        &mut self,
        node: Node,
        name: &str,
        diagnostics: &mut Diagnostics,
        change: impl Fn(&mut Self, Node, &mut Diagnostics) -> Node,
    ) -> Node {
        node.with_children(|key, value| match key {
            Some(key) if &*key.text == name => {
                let value = self.included(value, diagnostics);
                change(self, value, diagnostics)
            }
            _ => value,
        })
    }
}

/// The values that a template defines for its placeholders: the default values of its parameters. A parameter whose
/// value AWS looks up in Systems Manager is left out.
fn parameters(root: &Node, kind: DocumentKind) -> Values {
    let mut values = Values::default();
    if kind != DocumentKind::Template {
        return values;
    }
    let parameters = root.get("Parameters").and_then(Node::members);
    for parameter in parameters.unwrap_or_default() {
        let kind = parameter.value.get("Type").and_then(Node::as_str);
        let elsewhere = kind.is_some_and(|kind| kind.starts_with("AWS::SSM"));
        match parameter.value.get("Default") {
            Some(default) if !elsewhere && default.as_str() != Some("") => {
                values.add(&parameter.key.text, default.to_value());
            }
            _ => {}
        }
    }
    values
}

/// Parses a definition that the document contains as text.
fn text_tree(string: &StringNode, span: Span, values: &Values) -> Read {
    let begins = string.text.trim_start();
    if begins.is_empty() {
        let help = "a definition is an object with StartAt and States";
        return (None, refusal(span, "the definition is an empty text", help));
    }
    if !begins.starts_with(['{', '[', '/']) && crate::source::placeholder::is_one(begins.trim_end())
    {
        let message = format!(
            "the definition is the placeholder {name}",
            name = begins.trim_end()
        );
        let help = "set the placeholder's text with --set NAME=VALUE, or open the definition's file itself";
        return (None, refusal(span, message, help));
    }
    relocated(string, |file| read_tree(file, SourceId(0), values))
}

/// Parses a text that is a string in another text. The source ranges of the result refer to the outer text.
pub(in crate::source) fn relocated(
    string: &StringNode,
    read: impl Fn(&SourceFile) -> Read,
) -> Read {
    let (node, mut diagnostics) = read(&SourceFile::new("", &string.text));
    for diagnostic in &mut diagnostics {
        diagnostic.relocate(|span| string.map.span(span.range()));
    }
    (node.map(|node| relocate(node, &string.map)), diagnostics)
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    let error = Diagnostic::error(UNREADABLE, 0, message);
    error.at(span, "").blocking()
}

fn refusal(span: Span, message: impl Into<String>, help: &str) -> Diagnostics {
    vec![error(span, message).help(help)]
}

/// Removes `.` and `..` from a relative path. Fails if the path is not relative, or if it leads out of the document's
/// folder.
fn below(path: &str) -> Result<String, &'static str> {
    let path = path.trim();
    if path.contains("${") {
        return Err("the path contains a placeholder without a value");
    }
    if path.contains("://") {
        return Err("the path is not a local file");
    }
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with(['/', '\\', '~']) || drive {
        return Err("the path is not relative to the template's folder");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("the path is outside the template's folder");
                }
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() || path.contains('\0') {
        return Err("the path is not the name of a file");
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn paths_stay_below() {
        assert_eq!(below("./a/../b/c.json").as_deref(), Ok("b/c.json"));
        for path in [
            "../a",
            "a/../../b",
            "/etc/passwd",
            "C:\\x",
            "s3://b/k",
            "",
            "~/x",
            "${A}",
        ] {
            assert!(below(path).is_err(), "{path}");
        }
    }
}
