//! A Reference Path: a path to exactly one place, where a value can be written.

use super::scan::Scanner;
use super::trace::Provenance;
use super::{QueryError, SyntaxError};
use crate::json::{Pointer, Step, Text, Value};
use std::sync::Arc;

/// Maximum number of steps. A value nested more deeply cannot be represented.
const STEPS: usize = 1_000;

/// A compiled Reference Path on `$`. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferencePath {
    text: Text,
    steps: Arc<[Step]>,
}

impl ReferencePath {
    /// Compiles `$…`.
    ///
    /// # Errors
    /// If `text` is not a Reference Path. The message is AWS's message, if that is known.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        parse(text)
            .map(|steps| Self {
                text: text.into(),
                steps: steps.into(),
            })
            .map_err(|mut error| {
                error.message = format!(
                    "Value is not a Reference Path: {reason}",
                    reason = error.message
                );
                error
            })
    }

    /// The path as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The steps from the root.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns a copy of `into` with `value` at this path; missing objects along the path are created.
    ///
    /// # Errors
    /// If a value along the path is not an object, or not an array with the required index.
    pub fn insert(&self, into: &Value, value: Value) -> Result<Value, QueryError> {
        insert(Some(into), &self.steps, value).map_err(|found| QueryError::ResultPath {
            path: self.text.clone(),
            found,
        })
    }

    /// Returns the provenance (where its parts come from) of the value that [`Self::insert`] returns, from the
    /// provenance of both arguments.
    #[must_use]
    pub fn provenance(&self, into: Provenance, value: Provenance) -> Provenance {
        match &*self.steps {
            [] => value,
            steps => Provenance::Inserted {
                into: Box::new(into),
                at: Pointer(steps.to_vec()),
                value: Box::new(value),
            },
        }
    }
}

fn insert(into: Option<&Value>, steps: &[Step], value: Value) -> Result<Value, &'static str> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(value);
    };
    match (step, into) {
        (Step::Member(name), None) => {
            let child = insert(None, rest, value)?;
            Ok(Value::object(vec![(name.clone(), child)]))
        }
        (Step::Member(name), Some(Value::Object(object))) => {
            let child = insert(object.get(name), rest, value)?;
            Ok(Value::Object(Arc::new(object.with(name, child))))
        }
        (Step::Item(place), Some(Value::Array(array))) => {
            let old = array.items().get(*place).ok_or("a shorter array")?;
            let child = insert(Some(old), rest, value)?;
            let mut items = array.items().to_vec();
            if let Some(slot) = items.get_mut(*place) {
                *slot = child;
            }
            Ok(Value::array(items))
        }
        (_, None) => Err("nothing"),
        (_, Some(value)) => Err(value.type_name()),
    }
}

fn parse(text: &str) -> Result<Vec<Step>, SyntaxError> {
    let mut scanner = Scanner::new(text);
    if !scanner.eat("$") {
        let error = scanner.error("Reference path didn't start with '$'");
        return Err(error.help(format!("write $.{text}")));
    }
    let mut steps = Vec::new();
    while let Some(c) = scanner.peek() {
        if steps.len() >= STEPS {
            return Err(scanner.error(format!("the path has more than {STEPS} steps")));
        }
        match c {
            '.' => {
                scanner.bump();
                if scanner.peek() == Some('[') {
                    continue;
                }
                steps.push(Step::Member(name(&mut scanner)?.into()));
            }
            '[' => steps.push(bracket(&mut scanner)?),
            '$' => return Err(scanner.error("the path cannot refer to the Context Object")),
            c if steps.is_empty() && (c.is_alphabetic() || c == '_') => {
                return Err(scanner
                    .error("the path cannot refer to a variable")
                    .help(format!("write $.{}", scanner.rest())));
            }
            _ => return Err(scanner.error("'.' or '[' is expected")),
        }
    }
    Ok(steps)
}

fn name(scanner: &mut Scanner<'_>) -> Result<String, SyntaxError> {
    let mut name = String::new();
    let start = scanner.at();
    while let Some(c) = scanner.peek() {
        match c {
            '.' | '[' => break,
            '\\' => {
                scanner.bump();
                match scanner.escape(|c| c) {
                    Some(c) => name.push(c),
                    None => {
                        return Err(scanner.error("a character is missing after the backslash"));
                    }
                }
            }
            '(' => return Err(scanner.error("the path cannot call a function")),
            '*' => return Err(several(scanner, c)),
            '@' | ',' | ':' | '?' | ')' | ']' => {
                return Err(scanner
                    .error(format!("'{c}' is not allowed in a name"))
                    .help(format!("write \\{c} or use bracket notation")));
            }
            c if c.is_whitespace() => {
                return Err(scanner
                    .error("a name after a dot cannot contain a space")
                    .help("use bracket notation: ['a name']"));
            }
            c => {
                name.push(c);
                scanner.bump();
            }
        }
    }
    if scanner.at() == start {
        return Err(if scanner.peek() == Some('.') {
            several(scanner, '.')
        } else {
            scanner.error("a name is missing after the dot")
        });
    }
    Ok(name)
}

fn several(scanner: &Scanner<'_>, c: char) -> SyntaxError {
    let step = if c == '.' { "'..'" } else { "'*'" };
    scanner.error(format!(
        "the path must select one place, but {step} can select several"
    ))
}

fn bracket(scanner: &mut Scanner<'_>) -> Result<Step, SyntaxError> {
    let start = scanner.at();
    scanner.bump();
    scanner.blanks();
    let step = match scanner.peek() {
        Some(quote @ ('\'' | '"')) => {
            scanner.bump();
            Step::Member(scanner.quoted(quote)?.into())
        }
        Some(c) if c.is_ascii_digit() => {
            let number_start = scanner.at();
            let digits = scanner.eat_while(|c| c.is_ascii_digit());
            match digits
                .parse::<i32>()
                .ok()
                .and_then(|n| usize::try_from(n).ok())
            {
                Some(index) => Step::Item(index),
                None => return Err(scanner.error_since(number_start, "the index is too large")),
            }
        }
        Some('-') => return Err(scanner.error("the index cannot be negative")),
        Some('*') => return Err(several(scanner, '*')),
        Some('?') => return Err(scanner.error("the path cannot contain a filter")),
        _ => return Err(scanner.error("a quoted name or an index is expected after '['")),
    };
    scanner.blanks();
    match scanner.peek() {
        Some(']') => {
            scanner.bump();
            Ok(step)
        }
        Some(',' | ':') => Err(scanner
            .error("the path must select one place, but a list or a slice can select several")),
        Some(_) => Err(scanner.error("']' is expected")),
        None => Err(scanner
            .error_since(start, "the bracket is not closed")
            .help("add ]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{one_line, parse as json};

    #[test]
    fn steps() {
        fn check(text: &str, expected: &str) {
            let shown = match ReferencePath::parse(text) {
                Ok(path) => path
                    .steps()
                    .iter()
                    .map(|step| match step {
                        Step::Member(name) => name.to_string(),
                        Step::Item(index) => format!("#{index}"),
                    })
                    .collect::<Vec<_>>()
                    .join(" | "),
                Err(error) => {
                    assert!(text.get(error.range.clone()).is_some(), "{text} {error:?}");
                    let message = error
                        .message
                        .strip_prefix("Value is not a Reference Path: ");
                    format!("error: {}", message.expect("AWS's words first"))
                }
            };
            assert_eq!(shown, expected, "{text}");
        }
        check("$", "");
        check("$.store.book", "store | book");
        check(r"$.store\.book", "store.book");
        check(r"$.\stor\e.boo\k", "store | book");
        check("$.store.book.title", "store | book | title");
        check(r"$.foo.\.bar", "foo | .bar");
        check(r"$.foo\@bar.baz\[\[.\?pretty", "foo@bar | baz[[ | ?pretty");
        check(r"$.&Ж中.\uD800\uDF46", "&Ж中 | \u{10346}");
        check("$.&Ж中.\u{10346}", "&Ж中 | \u{10346}");
        check(
            "$.ledgers.branch[0].pending.count",
            "ledgers | branch | #0 | pending | count",
        );
        check("$.ledgers.branch[0]", "ledgers | branch | #0");
        check(
            "$.ledgers[0][22][315].foo",
            "ledgers | #0 | #22 | #315 | foo",
        );
        check("$['store']['book']", "store | book");
        check("$['store'][0]['book']", "store | #0 | book");
        check("$.error-info", "error-info");
        check(r#"$["a"][ 'b\'c' ]"#, "a | b'c");
        check("", "error: Reference path didn't start with '$'");
        check("a.b", "error: Reference path didn't start with '$'");
        check("$$.a", "error: the path cannot refer to the Context Object");
        check("$name.a", "error: the path cannot refer to a variable");
        check(
            "$.a..b",
            "error: the path must select one place, but '..' can select several",
        );
        check(
            "$..b",
            "error: the path must select one place, but '..' can select several",
        );
        check(
            "$.*",
            "error: the path must select one place, but '*' can select several",
        );
        check(
            "$.a[*]",
            "error: the path must select one place, but '*' can select several",
        );
        check("$.a[-1]", "error: the index cannot be negative");
        check(
            "$.a[0,1]",
            "error: the path must select one place, but a list or a slice can select several",
        );
        check(
            "$.a[0:1]",
            "error: the path must select one place, but a list or a slice can select several",
        );
        check("$.a[?(@.x)]", "error: the path cannot contain a filter");
        check("$.a.length()", "error: the path cannot call a function");
        check("$.a@b", "error: '@' is not allowed in a name");
        check("$.a:b", "error: ':' is not allowed in a name");
        check("$.a b", "error: a name after a dot cannot contain a space");
        check("$.", "error: a name is missing after the dot");
        check(
            "$.a[",
            "error: a quoted name or an index is expected after '['",
        );
        check("$.a[0", "error: the bracket is not closed");
        check("$.a['x", "error: The quoted text is not closed");
        check("$.a[99999999999]", "error: the index is too large");
        check("$.a\\", "error: a character is missing after the backslash");
    }

    #[test]
    fn writes() {
        fn check(into: &str, path: &str, expected: &str) {
            let into = json(into).expect("json");
            let path = ReferencePath::parse(path).expect("path");
            let shown = match path.insert(&into, Value::from(6)) {
                Ok(value) => one_line(&value),
                Err(error) => format!("{}: {}", error.spec_name(), error.reason()),
            };
            assert!(
                shown == expected
                    || shown.starts_with(&format!("{expected}:"))
                    || shown.contains(&format!("the value to write into is {expected}, but")),
                "{path:?} gave {shown}, not {expected}"
            );
        }
        check("{}", "$", "6");
        check(
            r#"{"master":{"detail":[1,2,3]}}"#,
            "$.master.detail",
            r#"{"master":{"detail":6}}"#,
        );
        check(
            r#"{"master":{"detail":[1,2,3]}}"#,
            "$.master.result.sum",
            r#"{"master":{"detail":[1,2,3],"result":{"sum":6}}}"#,
        );
        check(r#"{"a":[1,{"b":2}]}"#, "$.a[1].b", r#"{"a":[1,{"b":6}]}"#);
        check(r#"{"a":[1]}"#, "$.a[0]", r#"{"a":[6]}"#);
        check(r#"{"a":[1]}"#, "$.a[1]", "States.ResultPathMatchFailure");
        check(r#"{"a":[1]}"#, "$.a[1]", "a shorter array");
        check(r#""foo""#, "$.x", "string");
        check(r#"{"a":null}"#, "$.a.b", "null");
        check("[1]", "$.x", "array");
        check("{}", "$.a[0]", "nothing");
        check("{}", "$['a b'].c", r#"{"a b":{"c":6}}"#);
    }
}
