//! Variables of the Serverless Framework (`${self:custom.x}`, `${opt:stage, 'dev'}`) whose values are in the configuration itself.
//!
//! It must not know the environment or any file: a variable that depends on them stays a placeholder.

use crate::json::{Value, one_line, parse};
use crate::source::Node;
use crate::source::placeholder::{Values, Whole, placeholders, substitute_within, unresolved};

/// Depth to which variables in the values of variables are followed.
const MAX_ROUNDS: usize = 6;
/// Limit of the bytes that they add: the size of a definition on AWS.
const MAX_ADDED: usize = 1 << 20;

/// The tree with the values of the variables that `root`, the configuration, knows, or that are set.
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
    /// The first of the alternatives that has a value; it may hold variables itself.
    fn value(&self, name: &str) -> Option<Value> {
        name.split(',').find_map(|one| self.one(one.trim()))
    }

    fn one(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.set.get(name) {
            // What stands in the configuration has a type, what comes from outside is text.
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
            // Only a number or a truth value needs no quotes.
            None => parse(name).ok().filter(|value| value.as_str().is_none()),
        }
    }

    /// The framework's default stage.
    fn stage(&self) -> Option<Value> {
        let set = self.set.get("opt:stage").cloned();
        set.or_else(|| self.written("provider.stage"))
            .or_else(|| Some(Value::string("dev")))
    }

    /// The value at a path of the configuration.
    fn written(&self, path: &str) -> Option<Value> {
        let mut found = self.root;
        for key in path.split('.') {
            found = match found.items() {
                Some(items) => items.get(key.parse::<usize>().ok()?)?,
                None => found.get(key)?,
            };
        }
        let value = found.to_value();
        // A value that refers to itself would never end.
        let own = format!("self:{path}");
        let text = one_line(&value);
        let names_itself = placeholders(&text).any(|(_, name)| name.contains(&own));
        (!names_itself).then_some(value)
    }
}
