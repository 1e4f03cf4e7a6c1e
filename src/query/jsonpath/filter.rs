//! A filter `[?(…)]`. This module parses the filter and checks its limits; the crate `serde_json_path` evaluates it.
//! The crate only determines which items pass: the results are our own values.
//!
//! Only text that was generated here may be passed to the crate, and the crate's values must never be used as results.

use super::Selector;
use super::aws::{Criteria, Criterion, Expected, FilterPath, FilterTest, Test};
use super::parse::{Steps, steps};
use super::select::TooMuch;
use super::token::{OnAws, Parts, parts, tokens};
use crate::json::{Number, Text, Value};
use crate::query::scan::Scanner;
use crate::query::{SyntaxError, fenced};
use serde_json_path::JsonPath;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum length of a filter in bytes.
const LENGTH: usize = 4096;
/// Maximum nesting depth of parentheses.
const DEPTH: usize = 64;
/// Maximum nesting depth of filters. The limit is low because `serde_json_path` parses each level twice.
const NESTED: usize = 4;
/// Maximum size, in bytes, of the JSON that is converted to `serde_json` values for one evaluation.
const CONVERTED: u64 = 64 << 20;
/// Maximum size in bytes of a document that is cached for the next evaluation.
const KEPT: u64 = 4 << 20;

/// A compiled filter.
pub(super) struct Filter {
    /// The expression in RFC 9535 syntax, with the document available as `$["d"]`.
    expression: String,
    path: JsonPath,
    /// True if the filter contains a path that starts from the document (`$`).
    pub(super) names_root: bool,
    /// True if the filter tests an item itself (`@`) and not only parts of the item.
    pub(super) names_bare: bool,
    /// The filter as AWS evaluates it.
    pub(super) criteria: Arc<Criteria>,
    /// The parts of the filter that AWS reads differently from the specification.
    pub(super) on_aws: Parts,
    /// The tests that compare a member with a literal. Only filled if an item must pass all tests of the filter.
    pub(super) tests: Vec<FilterTest>,
    last: Mutex<Option<Converted>>,
}

/// The document that the filter was last applied to, converted for `serde_json_path`.
struct Converted {
    candidates: Value,
    root: Value,
    document: serde_json::Value,
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Filter({})", self.expression)
    }
}

impl Filter {
    /// Parses the filter including its parentheses, inside `nested` enclosing filters.
    pub(super) fn parse(scanner: &mut Scanner<'_>, nested: usize) -> Result<Self, SyntaxError> {
        let start = scanner.at();
        if nested >= NESTED {
            return Err(scanner.error(format!(
                "Filters can be nested at most {NESTED} levels deep"
            )));
        }
        let mut reader = FilterReader {
            scanner,
            out: String::new(),
            nested,
            depth: 0,
            names_root: false,
            names_bare: false,
            groups: vec![Vec::new()],
            never: 0,
            on_aws: Parts::new(),
            tests: Vec::new(),
            joins_all: true,
        };
        reader.parentheses()?;
        let FilterReader {
            out: expression,
            names_root,
            names_bare,
            groups,
            on_aws,
            mut tests,
            joins_all,
            ..
        } = reader;
        tests.retain(|_| joins_all);
        let criteria = Arc::new(Criteria {
            groups,
            bare: names_bare,
        });
        if scanner.at() - start > LENGTH {
            return Err(
                scanner.error_since(start, format!("A filter can have at most {LENGTH} bytes"))
            );
        }
        let text = format!("$[\"c\"][?{expression}]");
        match fenced(|| JsonPath::parse(&text)) {
            Some(Ok(path)) => Ok(Self {
                expression,
                path,
                names_root,
                names_bare,
                criteria,
                on_aws,
                tests,
                last: Mutex::new(None),
            }),
            _ => Err(scanner.error_since(start, "asldbg cannot parse the filter")),
        }
    }

    /// True if the filter reads members of the item, and never the item (`@`) itself.
    pub(super) fn asks_for_members(&self) -> bool {
        !self.names_bare && self.expression.contains('@')
    }

    /// Indexes of the items of `candidates` (an array) that pass, with `root` as `$`.
    pub(super) fn passing(&self, candidates: &Value, root: &Value) -> Result<Vec<usize>, TooMuch> {
        let root = if self.names_root { root } else { &Value::Null };
        let size = candidates.size().saturating_add(root.size());
        if size > CONVERTED {
            return Err(TooMuch);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let converted = convert(last.take(), candidates, root);
        let passing = fenced(|| {
            self.path
                .query_located(&converted.document)
                .locations()
                .filter_map(|location| location.last()?.as_index())
                .collect()
        })
        .unwrap_or_default();
        if size <= KEPT {
            *last = Some(converted);
        }
        Ok(passing)
    }
}

fn convert(last: Option<Converted>, candidates: &Value, root: &Value) -> Converted {
    let keeps_root = |last: &Converted| {
        last.root.same(root) || matches!((&last.root, root), (Value::Null, Value::Null))
    };
    let mut converted = match last {
        Some(last) if keeps_root(&last) => last,
        _ => Converted {
            candidates: Value::Null,
            root: root.clone(),
            document: serde_json::json!({ "c": null, "d": root.to_serde() }),
        },
    };
    if !converted.candidates.same(candidates) {
        if let Some(slot) = converted.document.get_mut("c") {
            *slot = candidates.to_serde();
        }
        converted.candidates = candidates.clone();
    }
    converted
}

/// One side of a comparison.
enum Operand {
    /// A literal as written, with its value.
    Literal(Text, Value),
    Path {
        /// The names on the path from an item, if the path consists of names only.
        member: Option<Vec<Text>>,
        single: bool,
        from_end: bool,
        path: FilterPath,
    },
}

impl Operand {
    fn into_aws(self) -> Expected {
        match self {
            Self::Literal(written, _) => Expected::literal(&written),
            Self::Path { path, .. } => Expected::Path(path),
        }
    }
}

/// Parses a filter and rewrites it in the syntax of RFC 9535.
struct FilterReader<'s, 't> {
    scanner: &'s mut Scanner<'t>,
    out: String,
    nested: usize,
    depth: usize,
    names_root: bool,
    names_bare: bool,
    /// The tests in the order of the text. Parentheses are ignored; each `||` begins a new group of tests.
    groups: Vec<Vec<Criterion>>,
    /// Number of open parentheses, at the current position, that are negated with `!`.
    never: usize,
    on_aws: Parts,
    tests: Vec<FilterTest>,
    /// True if an item must pass all tests, which is the case if the filter has no `||` and no negation.
    joins_all: bool,
}

const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
const WORDS: [&str; 9] = [
    "in", "nin", "subsetof", "anyof", "noneof", "size", "empty", "contains", "type",
];

impl FilterReader<'_, '_> {
    fn parentheses(&mut self) -> Result<(), SyntaxError> {
        let start = self.scanner.at();
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.scanner.error(format!(
                "Parentheses can be nested at most {DEPTH} levels deep"
            )));
        }
        self.scanner.bump();
        self.out.push('(');
        self.either()?;
        self.scanner.blanks();
        if !self.scanner.eat(")") {
            return Err(match self.scanner.peek() {
                None => self
                    .scanner
                    .error_since(start, "The parenthesis is not closed")
                    .help("add )"),
                Some(_) => self.scanner.error("'&&', '||' or ')' is expected"),
            });
        }
        self.out.push(')');
        self.depth -= 1;
        Ok(())
    }

    fn either(&mut self) -> Result<(), SyntaxError> {
        self.both()?;
        loop {
            self.scanner.blanks();
            if !self.scanner.eat("||") {
                return Ok(());
            }
            self.out.push_str(" || ");
            self.groups.push(Vec::new());
            self.joins_all = false;
            self.both()?;
        }
    }

    fn both(&mut self) -> Result<(), SyntaxError> {
        self.test()?;
        loop {
            self.scanner.blanks();
            if !self.scanner.eat("&&") {
                return Ok(());
            }
            self.out.push_str(" && ");
            self.test()?;
        }
    }

    fn test(&mut self) -> Result<(), SyntaxError> {
        self.scanner.blanks();
        match self.scanner.peek() {
            Some('(') => self.parentheses(),
            Some('!') => self.negation(),
            _ => self.comparison(),
        }
    }

    fn negation(&mut self) -> Result<(), SyntaxError> {
        let start = self.scanner.at();
        self.scanner.bump();
        self.scanner.blanks();
        self.joins_all = false;
        self.out.push('!');
        match self.scanner.peek() {
            Some('(') => {
                self.never += 1;
                let done = self.parentheses();
                self.never -= 1;
                self.on_aws
                    .push((start..self.scanner.at(), OnAws::Negation));
                done
            }
            Some('@' | '$') => {
                let tested = self.operand()?;
                self.scanner.blanks();
                match self.operator()? {
                    None => {
                        self.criterion(tested.into_aws(), Test::Exists(false));
                        Ok(())
                    }
                    Some(_) => Err(self
                        .scanner
                        .error_since(start, "'!' cannot negate a comparison without parentheses")
                        .help("put the comparison in parentheses: !(…)")),
                }
            }
            _ => Err(self
                .scanner
                .error("A path or a parenthesis is expected after '!'")),
        }
    }

    fn comparison(&mut self) -> Result<(), SyntaxError> {
        let start = self.scanner.at();
        let left = self.operand()?;
        let after = self.scanner.at();
        self.scanner.blanks();
        let Some(operator) = self.operator()? else {
            return match left {
                Operand::Path { .. } => {
                    self.criterion(left.into_aws(), Test::Exists(true));
                    Ok(())
                }
                Operand::Literal(..) => Err(SyntaxError::new(
                    "A filter must test a path or compare a value with a path",
                    start..after,
                )),
            };
        };
        self.out.push(' ');
        self.out.push_str(operator);
        self.out.push(' ');
        self.scanner.blanks();
        let right_start = self.scanner.at();
        let right = self.operand()?;
        let right_end = self.scanner.at();
        for (operand, range) in [(&left, start..after), (&right, right_start..right_end)] {
            match operand {
                Operand::Path { single: false, .. } => {
                    return Err(SyntaxError::new(
                        "A path in a comparison must select exactly one value",
                        range,
                    ));
                }
                Operand::Path { from_end: true, .. } => {
                    return Err(SyntaxError::new(
                        "A path in a comparison cannot have a negative index",
                        range,
                    ));
                }
                _ => {}
            }
        }
        if let (
            Operand::Path {
                member: Some(member),
                ..
            },
            Operand::Literal(_, wanted),
        ) = (&left, &right)
        {
            self.tests.push(FilterTest {
                member: member.clone(),
                operator,
                wanted: wanted.clone(),
            });
        }
        self.criterion(left.into_aws(), Test::Compare(operator, right.into_aws()));
        Ok(())
    }

    fn criterion(&mut self, left: Expected, test: Test) {
        let test = match self.never {
            0 => test,
            _ => Test::Never,
        };
        if let Some(group) = self.groups.last_mut() {
            group.push(Criterion { left, test });
        }
    }

    fn operator(&mut self) -> Result<Option<&'static str>, SyntaxError> {
        let start = self.scanner.at();
        for (written, help) in [
            ("===", Some("write ==")),
            ("!==", Some("write !=")),
            ("=~", None),
        ] {
            if self.scanner.eat(written) {
                let error = self.unsupported(start, written);
                return Err(match help {
                    Some(help) => error.help(help),
                    None => error,
                });
            }
        }
        for operator in COMPARISONS {
            if self.scanner.eat(operator) {
                return Ok(Some(operator));
            }
        }
        match self.scanner.peek() {
            Some('=') => Err(self
                .scanner
                .error("'=' is not a comparison operator")
                .help("write ==")),
            Some(c) if c.is_alphabetic() => {
                let word = self.scanner.eat_while(char::is_alphanumeric);
                Err(if WORDS.contains(&word.to_lowercase().as_str()) {
                    self.unsupported(start, word)
                } else {
                    self.scanner
                        .error_since(start, "A comparison operator is expected")
                })
            }
            _ => Ok(None),
        }
    }

    fn unsupported(&self, start: usize, operator: &str) -> SyntaxError {
        self.scanner.error_since(
            start,
            format!("Step Functions does not support the filter operator '{operator}'"),
        )
    }

    fn operand(&mut self) -> Result<Operand, SyntaxError> {
        let start = self.scanner.at();
        match self.scanner.peek() {
            Some(c @ ('@' | '$')) => {
                self.scanner.bump();
                let steps = steps(self.scanner, Some(self.nested))?;
                self.path(c == '$', &steps);
                let single = steps
                    .iter()
                    .all(|(step, _)| matches!(step, Selector::Name(_) | Selector::Index(_)));
                let from_end = steps
                    .iter()
                    .any(|(step, _)| matches!(step, Selector::Index(index) if *index < 0));
                let names = steps.iter().map(|(step, _)| match step {
                    Selector::Name(name) => Some(name.clone()),
                    _ => None,
                });
                let names: Option<Vec<Text>> = names.collect();
                let member = names.filter(|names| c == '@' && !names.is_empty());
                let (selectors, ranges): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
                let text = self.scanner.text();
                let tokens = tokens(&selectors, &ranges, text);
                self.on_aws
                    .extend(parts(&selectors, &tokens, &ranges, text));
                let path = FilterPath {
                    from_root: c == '$',
                    tokens,
                    definite: single,
                };
                Ok(Operand::Path {
                    member,
                    single,
                    from_end,
                    path,
                })
            }
            Some(quote @ ('\'' | '"')) => {
                self.scanner.bump();
                let text = self.scanner.quoted(quote)?;
                self.text(&text);
                if quote == '"' {
                    let range = start..self.scanner.at();
                    self.on_aws.push((range, OnAws::DoubleQuotes));
                }
                Ok(self.literal(start, Value::string(text)))
            }
            Some(c) if c == '-' || c.is_ascii_digit() => {
                let number = self
                    .scanner
                    .eat_while(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
                // Leading zeros are ignored, as in Jayway JsonPath, the library that AWS uses.
                let unsigned = number.trim_start_matches('-').trim_start_matches('0');
                let sign = if number.starts_with('-') { "-" } else { "" };
                let zero = if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
                    ""
                } else {
                    "0"
                };
                let plain = format!("{sign}{zero}{unsigned}");
                let Some(meant) = Number::parse(&plain).filter(|_| !number.starts_with("--"))
                else {
                    let message = format!("'{number}' is not a JSON number");
                    return Err(self.scanner.error_since(start, message));
                };
                self.out.push_str(&plain);
                Ok(self.literal(start, Value::Number(meant)))
            }
            Some(c) if c.is_alphabetic() => {
                let word = self.scanner.eat_while(|c| c.is_alphanumeric() || c == '_');
                match word {
                    "true" | "false" | "null" => self.out.push_str(word),
                    // Some published definitions omit the quotes around a string.
                    _ => self.text(word),
                }
                let meant = match word {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "null" => Value::Null,
                    _ => Value::from(word),
                };
                Ok(self.literal(start, meant))
            }
            Some('/') => Err(self
                .scanner
                .error("Step Functions does not support regular expressions in filters")),
            Some('[' | '{') => Err(self
                .scanner
                .error("Step Functions does not support arrays and objects in filters")),
            _ => Err(self.scanner.error("A path or a value is expected")),
        }
    }

    /// Creates the literal from `start` to the current position.
    fn literal(&self, start: usize, meant: Value) -> Operand {
        Operand::Literal(self.scanner.slice(start..self.scanner.at()).into(), meant)
    }

    fn path(&mut self, from_root: bool, steps: &Steps) {
        if from_root {
            self.names_root = true;
            self.out.push_str("$[\"d\"]");
        } else {
            self.names_bare |= steps.is_empty();
            self.out.push('@');
        }
        for (step, _) in steps {
            match step {
                Selector::Descend => {
                    self.out.push_str("..");
                    continue;
                }
                Selector::Name(name) => {
                    self.out.push('[');
                    self.text(name);
                }
                Selector::Names(names) => {
                    for (place, name) in names.iter().enumerate() {
                        self.out.push(if place == 0 { '[' } else { ',' });
                        self.text(name);
                    }
                }
                Selector::Index(index) => self.out.push_str(&format!("[{index}")),
                Selector::Indexes(indexes) => {
                    for (place, index) in indexes.iter().enumerate() {
                        self.out.push(if place == 0 { '[' } else { ',' });
                        self.out.push_str(&index.to_string());
                    }
                }
                Selector::Slice(from, to) => {
                    let show = |end: &Option<i64>| end.map(|n| n.to_string()).unwrap_or_default();
                    self.out.push_str(&format!("[{}:{}", show(from), show(to)));
                }
                Selector::All => self.out.push_str("[*"),
                Selector::Filter(filter) | Selector::FilterEach(filter) => {
                    self.names_root |= filter.names_root;
                    self.out.push_str("[?");
                    self.out.push_str(&filter.expression);
                }
            }
            self.out.push(']');
        }
    }

    /// Appends a string in the syntax of `serde_json_path`: only quotes, backslashes and control characters are
    /// escaped.
    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                c if u32::from(c) < 0x20 => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
