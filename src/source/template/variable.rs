//! Variables of the Serverless Framework (`${self:custom.x}`, `${opt:stage, 'dev'}`) whose values are in the
//! configuration itself.

use crate::json::{Value, one_line, parse};
use crate::source::Node;
use crate::source::placeholder::{Values, Whole, placeholders, substitute_within, unresolved};

/// Maximum depth to which variables inside the values of variables are replaced.
const MAX_ROUNDS: usize = 6;
/// Maximum number of bytes that the values may add, which is the maximum size of a definition on AWS.
const MAX_ADDED: usize = 1 << 20;

/// Replaces the variables whose values are in the configuration `root` or are set by the user.
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
    /// The value of the first alternative that has one. The value may contain variables, too.
    fn value(&self, name: &str) -> Option<Value> {
        name.split(',').find_map(|one| self.one(one.trim()))
    }

    fn one(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.set.get(name) {
            // A `self:` variable is part of the configuration and has a type there; all other variables are text.
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
            // A literal without quotes can only be a number or a boolean.
            None => parse(name).ok().filter(|value| value.as_str().is_none()),
        }
    }

    /// The value of the variable for the stage, with the framework's default.
    fn stage(&self) -> Option<Value> {
        let set = self.set.get("opt:stage").cloned();
        set.or_else(|| self.written("provider.stage"))
            .or_else(|| Some(Value::string("dev")))
    }

    /// The value at a path in the configuration.
    fn written(&self, path: &str) -> Option<Value> {
        let mut found = self.root;
        for key in path.split('.') {
            found = match found.items() {
                Some(items) => items.get(key.parse::<usize>().ok()?)?,
                None => found.get(key)?,
            };
        }
        let value = found.to_value();
        // Replacing a value that refers to itself would never end.
        let own = format!("self:{path}");
        let text = one_line(&value);
        let names_itself = placeholders(&text).any(|(_, name)| name.contains(&own));
        (!names_itself).then_some(value)
    }
}
