//! The functions of templates (`Ref`, `Fn::Sub`, `Fn::Join`, …): as text where they are known, else as placeholders.
//!
//! It must not know what the text is used for.

use crate::json::{Text, Value, one_line};
use crate::source::placeholder::{Values, Woven, placeholders};
use crate::source::{Member, Node, NodeKind, Span, StringNode};

/// How many bytes the functions of one definition may make.
const MAX_WOVEN: usize = 16 << 20;

/// What the functions of a template are evaluated with.
pub(super) struct Functions<'v> {
    /// What the user set: before everything else.
    pub(super) set: &'v Values,
    /// Defaults of the template's parameters.
    pub(super) parameters: &'v Values,
    left: std::cell::Cell<usize>,
}

/// The only member of an object that calls a function.
pub(super) fn call(node: &Node) -> Option<(&str, &Node)> {
    match node.members()? {
        [only] if &*only.key.text == "Ref" || only.key.text.starts_with("Fn::") => {
            Some((&only.key.text, &only.value))
        }
        _ => None,
    }
}

impl<'v> Functions<'v> {
    pub(super) fn new(set: &'v Values, parameters: &'v Values) -> Self {
        Self {
            set,
            parameters,
            left: std::cell::Cell::new(MAX_WOVEN),
        }
    }

    /// The value of a name, where it is known now.
    fn known(&self, name: &str) -> Option<Value> {
        let value = self.set.get(name).or_else(|| self.parameters.get(name));
        value.cloned().or_else(|| {
            Some(Value::string(match name {
                "AWS::Partition" => "aws",
                "AWS::URLSuffix" => "amazonaws.com",
                _ => return None,
            }))
        })
    }

    fn shown(&self, name: &str) -> Text {
        match self.known(name) {
            Some(Value::String(text)) => text,
            Some(value) => one_line(&value).into(),
            None => format!("${{{name}}}").into(),
        }
    }

    fn charge(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The tree with functions as text; members that are `AWS::NoValue` are gone.
    pub(super) fn resolve(&self, node: &Node) -> Node {
        if let Some((name, argument)) = call(node) {
            if let Some(branch) = branch(name, argument) {
                return self.resolve(branch);
            }
            return Node {
                span: node.span,
                kind: NodeKind::String(self.text(node).string(node.span)),
            };
        }
        let kind = match &node.kind {
            NodeKind::Array(items) => NodeKind::Array(
                items
                    .iter()
                    .filter(|item| !is_nothing(item))
                    .map(|item| self.resolve(item))
                    .collect(),
            ),
            NodeKind::Object(members) => NodeKind::Object(
                members
                    .iter()
                    .filter(|member| !is_nothing(&member.value))
                    .map(|member| Member {
                        key: member.key.clone(),
                        value: self.resolve(&member.value),
                    })
                    .collect(),
            ),
            kind => kind.clone(),
        };
        Node {
            span: node.span,
            kind,
        }
    }

    /// A text, or a function, as text.
    pub(super) fn text(&self, node: &Node) -> Woven {
        let mut woven = Woven::default();
        if let Some(string) = node.string() {
            self.written(&mut woven, string);
            return woven;
        }
        match call(node) {
            Some((name, argument)) => self.call(&mut woven, name, argument, node.span),
            None => {
                let text = one_line(&self.resolve(node).to_value());
                self.put(&mut woven, &text, node.span);
            }
        }
        woven
    }

    fn put(&self, woven: &mut Woven, text: &str, span: Span) {
        if self.charge(text.len()) {
            woven.put(text, span);
        }
    }

    fn written(&self, woven: &mut Woven, string: &StringNode) {
        if self.charge(string.text.len()) {
            woven.written(&string.text, &string.map, 0..string.text.len());
        }
    }

    fn call(&self, woven: &mut Woven, name: &str, argument: &Node, span: Span) {
        let done = match name {
            "Ref" => argument
                .as_str()
                .map(|name| self.put(woven, &self.shown(name), span)),
            "Fn::GetAtt" => self
                .attribute(argument)
                .map(|name| self.put(woven, &self.shown(&name), span)),
            "Fn::Sub" => self.sub(woven, argument),
            "Fn::Join" => self.join(woven, argument),
            "Fn::Select" => self.select(woven, argument),
            "Fn::ToJsonString" => {
                let text = one_line(&self.resolve(argument).to_value());
                self.put(woven, &text, span);
                Some(())
            }
            _ => None,
        };
        if done.is_none() {
            self.put(woven, &self.shown(&self.name(name, argument)), span);
        }
    }

    /// `Resource.Attribute`.
    fn attribute(&self, argument: &Node) -> Option<String> {
        if let Some(name) = argument.as_str() {
            return Some(name.to_string());
        }
        let parts: Vec<String> = argument
            .items()?
            .iter()
            .map(|part| plain(&self.text(part).text))
            .collect();
        Some(parts.join("."))
    }

    /// The name of a placeholder for a function that only AWS can evaluate.
    fn name(&self, function: &str, argument: &Node) -> String {
        let words: Vec<String> = match argument.items() {
            Some(items) => items
                .iter()
                .take(4)
                .map(|item| plain(&self.text(item).text))
                .collect(),
            None => vec![plain(&self.text(argument).text)],
        };
        let words: String = words.join(".").chars().take(200).collect();
        let function = function.trim_start_matches("Fn::");
        match function {
            "ImportValue" if !words.is_empty() => words,
            "Transform" => "Transform".to_string(),
            _ => format!("{function}.{words}"),
        }
    }

    fn sub(&self, woven: &mut Woven, argument: &Node) -> Option<()> {
        let (text, map) = match argument.items() {
            Some(items) => (items.first()?.string()?, items.get(1)),
            None => (argument.string()?, None),
        };
        let mut done = 0;
        for (range, name) in placeholders(&text.text) {
            let given = map.and_then(|map| map.get(name));
            let value = match (self.set.get(name), given) {
                (None, Some(given)) => self.text(given).text.into(),
                _ => self.shown(name),
            };
            if !self.charge(value.len()) {
                break;
            }
            let Some(before) = text.text.get(done..range.start) else {
                continue;
            };
            self.between(woven, text, before, done);
            woven.put(&value, text.map.span(range.clone()));
            done = range.end;
        }
        let rest = text.text.get(done..).unwrap_or("");
        self.between(woven, text, rest, done);
        Some(())
    }

    /// Text between placeholders: `${!X}` stands for `${X}` there.
    fn between(&self, woven: &mut Woven, text: &StringNode, part: &str, from: usize) {
        let mut done = 0;
        for (at, _) in part.match_indices("${!") {
            let end = at + 2;
            woven.written(&text.text, &text.map, from + done..from + end);
            done = end + 1;
        }
        woven.written(&text.text, &text.map, from + done..from + part.len());
    }

    fn join(&self, woven: &mut Woven, argument: &Node) -> Option<()> {
        let [separator, list] = argument.items()? else {
            return None;
        };
        let between = separator.string()?;
        for (index, item) in list.items()?.iter().enumerate() {
            if index > 0 && !between.text.is_empty() && self.charge(between.text.len()) {
                woven.put(&between.text, separator.span);
            }
            woven.join(&self.text(item));
        }
        Some(())
    }

    fn select(&self, woven: &mut Woven, argument: &Node) -> Option<()> {
        let [index, list] = argument.items()? else {
            return None;
        };
        let index: usize = match index.as_number().and_then(crate::json::Number::as_i64) {
            Some(index) => usize::try_from(index).ok()?,
            None => index.as_str()?.parse().ok()?,
        };
        woven.join(&self.text(list.items()?.get(index)?));
        Some(())
    }
}

/// Text as part of the name of a placeholder.
fn plain(text: &str) -> String {
    text.replace("${", "").replace(['}', '{', '"', '\n'], "")
}

/// The branch of `Fn::If` to show: the first one that is more than text.
fn branch<'n>(name: &str, argument: &'n Node) -> Option<&'n Node> {
    let [_, yes, no] = argument.items()? else {
        return None;
    };
    if name != "Fn::If" {
        return None;
    }
    let is_tree = |node: &&Node| call(node).is_none() && node.string().is_none();
    let only = match (is_nothing(yes), is_nothing(no)) {
        (true, false) => Some(no),
        (false, true) => Some(yes),
        _ => None,
    };
    only.or_else(|| [yes, no].into_iter().find(is_tree))
}

fn is_nothing(node: &Node) -> bool {
    matches!(call(node), Some(("Ref", name)) if name.as_str() == Some("AWS::NoValue"))
}
