//! Evaluates template functions (`Ref`, `Fn::Sub`, `Fn::Join`, …) to text. A function whose value is not known becomes
//! a placeholder.

use crate::json::{Text, Value, one_line, parse};
use crate::source::node::Woven;
use crate::source::placeholder::{Values, Whole, placeholders, substitute_within, unresolved};
use crate::source::{Member, Node, NodeKind, Span, StringNode};
use std::cell::Cell;

/// Maximum length of a chain of conditions in which each condition refers to the next one.
const MAX_CONDITIONS: usize = 16;
/// Maximum number of times that conditions are evaluated for one definition. A condition that is evaluated because
/// another one refers to it is counted, too.
const MAX_ASKED: usize = 100_000;
/// Maximum number of bytes that the functions in one definition may produce.
const MAX_WOVEN: usize = 16 << 20;

/// Evaluates the functions of a template. Contains everything that their values depend on.
pub(super) struct Functions<'v> {
    /// Values set by the user. They take precedence over all others.
    set: &'v Values,
    /// Defaults of the template's parameters.
    parameters: &'v Values,
    /// The template, which contains the mappings and conditions.
    template: Option<&'v Node>,
    left: Cell<usize>,
    /// Number of conditions that are being evaluated: the first one, the one that it refers to, and so on.
    depth: Cell<usize>,
    asked: Cell<usize>,
}

/// The name and the argument of a function call. A call is an object with a single member.
pub(super) fn call(node: &Node) -> Option<(&str, &Node)> {
    match node.members()? {
        [only] if &*only.key.text == "Ref" || only.key.text.starts_with("Fn::") => {
            Some((&only.key.text, &only.value))
        }
        _ => None,
    }
}

impl<'v> Functions<'v> {
    pub(super) fn new(set: &'v Values, parameters: &'v Values, template: Option<&'v Node>) -> Self {
        Self {
            set,
            parameters,
            template,
            left: Cell::new(MAX_WOVEN),
            depth: Cell::new(0),
            asked: Cell::new(0),
        }
    }

    /// The value of the parameter, pseudo parameter or placeholder `name`, if it is known.
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

    /// Replaces functions in the tree with text. Removes members whose value is `AWS::NoValue`.
    pub(super) fn resolve(&self, node: &Node) -> Node {
        if let Some((name, argument)) = call(node) {
            if let Some(branch) = self.branch(name, argument) {
                return self.resolve(branch);
            }
            let span = node.span;
            let kind = NodeKind::String(self.text(node).string(span));
            return Node { span, kind };
        }
        let kind = match &node.kind {
            NodeKind::Array(items) => {
                let kept = items.iter().filter(|item| !self.is_nothing(item));
                NodeKind::Array(kept.map(|item| self.resolve(item)).collect())
            }
            NodeKind::Object(members) => {
                let kept = members
                    .iter()
                    .filter(|member| !self.is_nothing(&member.value));
                let resolved = kept.map(|Member { key, value }| Member {
                    key: key.clone(),
                    value: self.resolve(value),
                });
                NodeKind::Object(resolved.collect())
            }
            kind => kind.clone(),
        };
        let span = node.span;
        Node { span, kind }
    }

    /// The text of a node: the string itself, the text to which the function in the node is evaluated, or any other
    /// value as JSON.
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
            "Fn::FindInMap" => self.find_in_map(argument).map(|value| {
                let text = self.text(value).text;
                self.put(woven, &text, span);
            }),
            "Fn::If" => self
                .decided(argument)
                .map(|branch| woven.join(&self.text(branch))),
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

    /// The argument of `Fn::GetAtt` in the form `Resource.Attribute`.
    fn attribute(&self, argument: &Node) -> Option<String> {
        if let Some(name) = argument.as_str() {
            return Some(name.to_string());
        }
        let parts = argument.items()?.iter();
        let parts: Vec<String> = parts.map(|part| self.plain(part)).collect();
        Some(parts.join("."))
    }

    /// The text of a node, without characters that would end or damage the name of a placeholder.
    fn plain(&self, node: &Node) -> String {
        let text = self.text(node).text.replace("${", "");
        text.replace(['}', '{', '"', '\n'], "")
    }

    /// The name of the placeholder that replaces a function which only AWS can evaluate.
    fn name(&self, function: &str, argument: &Node) -> String {
        let words: Vec<String> = match argument.items() {
            Some(items) => items.iter().take(4).map(|item| self.plain(item)).collect(),
            None => vec![self.plain(argument)],
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

    /// Appends a part of a text that contains no placeholders. In this part, `${!X}` is the escaped form of `${X}`.
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
        for (index, item) in self.list(list)?.iter().enumerate() {
            if index > 0 && !between.text.is_empty() && self.charge(between.text.len()) {
                woven.put(&between.text, separator.span);
            }
            woven.join(item);
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
        woven.join(self.list(list)?.get(index)?);
        Some(())
    }

    /// The items of a list as texts, if all of them are known.
    fn list(&self, node: &Node) -> Option<Vec<Woven>> {
        if let Some(items) = node.items() {
            let items = items.iter().filter(|item| !self.is_nothing(item));
            return Some(items.map(|item| self.text(item)).collect());
        }
        let (separator, text) = match call(node)? {
            ("Fn::Split", argument) => {
                let [separator, text] = argument.items()? else {
                    return None;
                };
                (separator.as_str()?, self.text(text).text)
            }
            // The default value of a list parameter is a single text in which commas separate the items.
            ("Ref", name) => (",", self.known(name.as_str()?)?.as_str()?.to_string()),
            ("Fn::FindInMap", argument) => return self.list(self.find_in_map(argument)?),
            ("Fn::If", argument) => return self.list(self.decided(argument)?),
            _ => return None,
        };
        if separator.is_empty() || is_open(&text) || !self.charge(text.len()) {
            return None;
        }
        let parts = text.split(separator).map(|part| {
            let mut woven = Woven::default();
            woven.put(part, node.span);
            woven
        });
        Some(parts.collect())
    }

    /// The value that `Fn::FindInMap` with this argument finds in the template's mappings; `None` if there is none.
    fn find_in_map(&self, argument: &Node) -> Option<&'v Node> {
        let [map, first, second, ..] = argument.items()? else {
            return None;
        };
        let mut entry = self.template?.get("Mappings")?;
        for key in [map, first, second] {
            entry = entry.get(&self.text(key).text)?;
        }
        // A mapping may contain only texts and lists of texts. A function in an entry could refer to the mapping again,
        // and its evaluation would never end.
        let is_plain = |node: &Node| node.members().is_none() && node.items().is_none();
        let items = entry.items();
        let holds = is_plain(entry) || items.is_some_and(|items| items.iter().all(is_plain));
        holds.then_some(entry)
    }

    /// The value in `Fn::If` that the condition selects. `None` if it is not known whether the condition is true.
    fn decided<'n>(&self, argument: &'n Node) -> Option<&'n Node> {
        let [name, yes, no] = argument.items()? else {
            return None;
        };
        Some(if self.named(name)? { yes } else { no })
    }

    /// True or false: the value of the template's condition with this name. `None` if it cannot be determined.
    fn named(&self, name: &Node) -> Option<bool> {
        let condition = self.template?.get("Conditions")?.get(name.as_str()?)?;
        let (depth, asked) = (self.depth.get(), self.asked.get());
        if depth >= MAX_CONDITIONS || asked >= MAX_ASKED {
            return None;
        }
        self.depth.set(depth + 1);
        self.asked.set(asked + 1);
        let holds = self.condition(condition);
        self.depth.set(depth);
        holds
    }

    fn condition(&self, node: &Node) -> Option<bool> {
        let [only] = node.members()? else {
            return None;
        };
        let argument = &only.value;
        let items = argument.items().unwrap_or_default();
        let mut values = items.iter().map(|item| self.condition(item));
        match &*only.key.text {
            "Condition" => self.named(argument),
            "Fn::Not" => values.next().flatten().map(|holds| !holds),
            "Fn::And" if argument.items().is_some() => {
                values.try_fold(true, |all, condition| Some(all & condition?))
            }
            "Fn::Or" if argument.items().is_some() => {
                values.try_fold(false, |any, condition| Some(any | condition?))
            }
            "Fn::Equals" => {
                let [left, right] = items else {
                    return None;
                };
                let (left, right) = (self.text(left).text, self.text(right).text);
                (!is_open(&left) && !is_open(&right)).then_some(left == right)
            }
            _ => None,
        }
    }

    /// The branch of `Fn::If` to show. If the condition is known, this is the branch that it selects. If not, it is the
    /// only branch that is not `AWS::NoValue`. If both have values, it is the first that is neither text nor a
    /// function.
    fn branch<'n>(&self, name: &str, argument: &'n Node) -> Option<&'n Node> {
        let [_, yes, no] = argument.items()? else {
            return None;
        };
        if name != "Fn::If" {
            return None;
        }
        let is_tree = |node: &&Node| call(node).is_none() && node.string().is_none();
        let only = match (self.is_nothing(yes), self.is_nothing(no)) {
            (true, false) => Some(no),
            (false, true) => Some(yes),
            _ => None,
        };
        self.decided(argument)
            .or(only)
            .or_else(|| [yes, no].into_iter().find(is_tree))
    }

    /// True if the value is `AWS::NoValue`, with which a template omits a member.
    fn is_nothing(&self, node: &Node) -> bool {
        match call(node) {
            Some(("Ref", name)) => name.as_str() == Some("AWS::NoValue"),
            Some(("Fn::If", argument)) => self
                .decided(argument)
                .is_some_and(|branch| self.is_nothing(branch)),
            _ => false,
        }
    }
}

/// True if a text contains a placeholder. The value of the text is then not completely known.
fn is_open(text: &str) -> bool {
    placeholders(text).next().is_some()
}

/// Maximum number of rounds in which variables are replaced. A further round replaces variables in the values that were
/// inserted in the round before.
const MAX_ROUNDS: usize = 6;
/// Maximum number of bytes that the values of variables may add. A definition on AWS may not be larger than this.
const MAX_ADDED: usize = 1 << 20;

/// Replaces variables of the Serverless Framework. Their values come from the user or from the configuration `root`.
pub(super) fn fill(mut node: Node, root: &Node, set: &Values) -> Node {
    let variables = Variables { root, set };
    let mut left = MAX_ADDED;
    for _ in 0..MAX_ROUNDS {
        let mut values = Values::default();
        for (name, _) in unresolved(&node) {
            if let Some(value) = variables.value(&name) {
                values.add(&name, value);
            }
        }
        let before = left;
        node = substitute_within(node, &values, Whole::Value, &mut left);
        if left == before {
            break;
        }
    }
    node
}

struct Variables<'n> {
    root: &'n Node,
    set: &'n Values,
}

impl Variables<'_> {
    /// The value of a variable. `name` may list alternatives, separated by commas; the first one that has a value is
    /// used. The value itself may contain variables.
    fn value(&self, name: &str) -> Option<Value> {
        name.split(',')
            .find_map(|part| self.alternative(part.trim()))
    }

    fn alternative(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.set.get(name) {
            // A `self:` variable stands for a value in the configuration, which may be of any type. All other variables
            // stand for text.
            let typed = value.as_str().filter(|_| name.starts_with("self:"));
            let typed = typed.and_then(|text| parse(text).ok());
            return Some(typed.unwrap_or_else(|| value.clone()));
        }
        let unquoted = |quote| name.strip_prefix(quote)?.strip_suffix(quote);
        if let Some(text) = unquoted('\'').or_else(|| unquoted('"')) {
            return Some(Value::string(text));
        }
        match name.split_once(':') {
            Some(("self", path)) => self.written(path),
            Some(("sls", "stage")) => self.stage(),
            Some(("aws", "region")) => match self.set.get("AWS::Region") {
                Some(region) => Some(region.clone()),
                None => self.written("provider.region"),
            },
            Some(("aws", "accountId")) => self.set.get("AWS::AccountId").cloned(),
            Some(_) => None,
            // A literal without quotes has a value only if it is a number or a boolean.
            None => parse(name).ok().filter(|value| value.as_str().is_none()),
        }
    }

    /// The value of the variable `sls:stage`: the user's value of `opt:stage`, the stage in the configuration, or the
    /// default of the Serverless Framework.
    fn stage(&self) -> Option<Value> {
        let set = self.set.get("opt:stage").cloned();
        set.or_else(|| self.written("provider.stage"))
            .or_else(|| Some(Value::string("dev")))
    }

    /// The value at a path in the configuration; `None` if there is none, or if the value contains a variable for the
    /// same path.
    fn written(&self, path: &str) -> Option<Value> {
        let mut node = self.root;
        for key in path.split('.') {
            node = match node.items() {
                Some(items) => items.get(key.parse::<usize>().ok()?)?,
                None => node.get(key)?,
            };
        }
        let value = node.to_value();
        // If a value contained its own variable, the replacement would never end.
        let self_reference = format!("self:{path}");
        let text = one_line(&value);
        let names_itself = placeholders(&text).any(|(_, name)| name.contains(&self_reference));
        (!names_itself).then_some(value)
    }
}
