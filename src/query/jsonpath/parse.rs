//! Parses the text of a path into its steps.

use super::filter::Filter;
use super::{Root, Selector};
use crate::json::Text;
use crate::query::SyntaxError;
use crate::query::scan::Scanner;
use std::ops::Range;
use std::sync::Arc;

/// Steps with their byte ranges.
pub(super) type Steps = Vec<(Selector, Range<usize>)>;

/// Maximum number of steps.
const STEPS: usize = 1_000;

/// Parses all of `text`. Trailing spaces are ignored, because AWS's library drops them.
pub(super) fn path(text: &str) -> Result<(Root, Steps), SyntaxError> {
    let mut scanner = Scanner::new(text.trim_end_matches(' '));
    if !scanner.eat("$") {
        return Err(scanner.error("A path must begin with '$'"));
    }
    let root = match scanner.peek() {
        Some('$') => {
            scanner.bump();
            Root::Context
        }
        Some(c) if c.is_alphabetic() || c == '_' => Root::Variable(
            scanner
                .eat_while(|c| c.is_alphanumeric() || c == '_')
                .into(),
        ),
        _ => Root::Data,
    };
    let steps = steps(&mut scanner, None)?;
    Ok((root, steps))
}

/// Parses steps up to the end of the text. `within` is the nesting depth if the path is inside a filter; parsing then
/// ends at the first character that does not belong to a step.
pub(super) fn steps(
    scanner: &mut Scanner<'_>,
    within: Option<usize>,
) -> Result<Steps, SyntaxError> {
    let mut steps = Steps::new();
    loop {
        let start = scanner.at();
        if steps.len() > STEPS {
            return Err(scanner.error(format!("A path can have at most {STEPS} steps")));
        }
        let selector = match scanner.peek() {
            None => return Ok(steps),
            Some('[') => bracket(scanner, within)?,
            Some('.') => {
                scanner.bump();
                if scanner.eat(".") {
                    steps.push((Selector::Descend, start..scanner.at()));
                    let start = scanner.at();
                    // A third dot is ignored, as in AWS's library.
                    if scanner.starts(".") && !scanner.starts("..") {
                        scanner.bump();
                    }
                    let selector = match after_dot(scanner, within)? {
                        Selector::Filter(filter) => Selector::FilterEach(filter),
                        other => other,
                    };
                    steps.push((selector, start..scanner.at()));
                    continue;
                }
                after_dot(scanner, within)?
            }
            Some(_) if within.is_some() => return Ok(steps),
            Some(character) => {
                return Err(scanner
                    .error(format!("A path cannot continue with '{character}'"))
                    .help("each step of a path begins with '.' or '['"));
            }
        };
        steps.push((selector, start..scanner.at()));
    }
}

fn blank(scanner: &Scanner<'_>) -> SyntaxError {
    let next = scanner.rest().trim_start().chars().next();
    if next.is_some_and(|c| "+-*/%&=<>!|?".contains(c)) {
        return scanner
            .error("A path cannot contain a calculation or a comparison")
            .help("use an intrinsic function such as States.MathAdd, or JSONata");
    }
    scanner
        .error("A name after a dot cannot contain a space")
        .help("use bracket notation: ['a name']")
}

fn after_dot(scanner: &mut Scanner<'_>, within: Option<usize>) -> Result<Selector, SyntaxError> {
    match scanner.peek() {
        Some('[') => return bracket(scanner, within),
        Some('.') => return Err(scanner.error("A name is missing between the dots")),
        Some('*') => {
            scanner.bump();
            return match scanner.peek() {
                Some('.' | '[') | None => Ok(Selector::All),
                Some(c) if within.is_some() && ends_name_in_filter(c) => Ok(Selector::All),
                Some(_) => Err(scanner.error("Only '.' or '[' can follow '*'")),
            };
        }
        _ => {}
    }
    let start = scanner.at();
    let name = name(scanner, within.is_some())?;
    if name.is_empty() && start == scanner.at() {
        return Err(scanner.error("A name is missing after the dot"));
    }
    if scanner.peek() == Some('(') {
        return Err(function(scanner, start, &name));
    }
    Ok(Selector::Name(name.into()))
}

fn function(scanner: &mut Scanner<'_>, start: usize, name: &str) -> SyntaxError {
    scanner.eat_while(|c| c != ')');
    scanner.bump();
    let error = scanner.error_since(
        start,
        format!("Step Functions does not support the path function {name}()"),
    );
    match name {
        "length" | "size" => error.help("use States.ArrayLength"),
        _ => error,
    }
}

fn ends_name_in_filter(c: char) -> bool {
    c.is_whitespace() || matches!(c, ')' | ']' | '=' | '!' | '<' | '>' | '&' | '|' | ',' | '~')
}

fn name(scanner: &mut Scanner<'_>, in_filter: bool) -> Result<String, SyntaxError> {
    let mut name = String::new();
    while let Some(c) = scanner.peek() {
        match c {
            '.' | '[' | '(' => break,
            '\\' => {
                scanner.bump();
                match scanner.escape(|c| c) {
                    Some(c) => name.push(c),
                    None => {
                        return Err(scanner.error("A character is missing after the backslash"));
                    }
                }
            }
            c if in_filter && ends_name_in_filter(c) => break,
            c if c.is_whitespace() => return Err(blank(scanner)),
            c => {
                name.push(c);
                scanner.bump();
            }
        }
    }
    Ok(name)
}

fn bracket(scanner: &mut Scanner<'_>, within: Option<usize>) -> Result<Selector, SyntaxError> {
    let start = scanner.at();
    scanner.bump();
    scanner.blanks();
    let selector = match scanner.peek() {
        Some('\'' | '"') => names(scanner)?,
        Some('*') => {
            scanner.bump();
            Selector::All
        }
        Some('?') => {
            scanner.bump();
            scanner.blanks();
            if scanner.peek() != Some('(') {
                return Err(scanner
                    .error("A filter's expression must be in parentheses")
                    .help("write [?(@.name == 'value')]"));
            }
            Selector::Filter(Arc::new(Filter::parse(
                scanner,
                within.map_or(0, |n| n + 1),
            )?))
        }
        Some('(') => from_the_end(scanner)?,
        Some(c) if c.is_ascii_digit() || c == '-' || c == ':' => numbers(scanner)?,
        Some(']') => {
            scanner.bump();
            return Err(scanner.error_since(start, "The brackets are empty"));
        }
        Some(_) => {
            let word = scanner.eat_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            let error =
                scanner.error_since(start + 1, "A name or an index is expected in the brackets");
            return Err(if word.is_empty() {
                error
            } else {
                error.help(format!("quote the name: ['{word}']"))
            });
        }
        None => return Err(scanner.error_since(start, "The bracket is not closed")),
    };
    scanner.blanks();
    if !scanner.eat("]") {
        return Err(match scanner.peek() {
            None => scanner
                .error_since(start, "The bracket is not closed")
                .help("add ]"),
            Some(_) => scanner.error("']' is expected"),
        });
    }
    Ok(selector)
}

fn names(scanner: &mut Scanner<'_>) -> Result<Selector, SyntaxError> {
    let mut names: Vec<Text> = Vec::new();
    loop {
        scanner.blanks();
        match scanner.peek() {
            Some(quote @ ('\'' | '"')) => {
                scanner.bump();
                names.push(scanner.quoted(quote)?.into());
            }
            _ => return Err(scanner.error("A quoted name is expected")),
        }
        // Text between names is ignored, as in AWS's library.
        scanner.eat_while(|c| !matches!(c, '\'' | '"' | ']'));
        if matches!(scanner.peek(), None | Some(']')) {
            break;
        }
    }
    Ok(match names.as_slice() {
        [name] => Selector::Name(name.clone()),
        _ => Selector::Names(names.into()),
    })
}

/// Parses `(@.length-1)`, the only kind of expression accepted as an index.
fn from_the_end(scanner: &mut Scanner<'_>) -> Result<Selector, SyntaxError> {
    let refused = |scanner: &Scanner<'_>| {
        scanner
            .error("Step Functions does not support an expression as an index")
            .help("count from the end of the array with [-1]")
    };
    let error = refused(scanner);
    if !scanner.eat("(@.length") {
        return Err(error);
    }
    scanner.blanks();
    if scanner.peek() != Some('-') {
        return Err(error);
    }
    let back = number(scanner)?.filter(|back| *back < 0);
    scanner.blanks();
    match back.filter(|_| scanner.eat(")")) {
        Some(back) => Ok(Selector::Index(back)),
        None => Err(error),
    }
}

fn numbers(scanner: &mut Scanner<'_>) -> Result<Selector, SyntaxError> {
    let first = number(scanner)?;
    scanner.blanks();
    if scanner.peek() == Some(':') {
        let colon = scanner.at();
        scanner.bump();
        scanner.blanks();
        let last = number(scanner)?;
        scanner.blanks();
        if first.is_none() && last.is_none() {
            return Err(scanner
                .error_since(colon, "A slice needs a start or an end")
                .help("use [*] for all items"));
        }
        // The step of a slice is ignored, as in AWS's library, and so is anything after it.
        if matches!(scanner.peek(), Some(':' | ',')) {
            scanner.eat_while(|c| c.is_ascii_digit() || matches!(c, ':' | ',' | '-' | ' '));
        }
        return Ok(Selector::Slice(first, last));
    }
    let Some(first) = first else {
        return Err(scanner.error("An index is expected"));
    };
    let mut indexes = vec![first];
    while scanner.eat(",") {
        scanner.blanks();
        match number(scanner)? {
            Some(index) => indexes.push(index),
            None => return Err(scanner.error("An index is expected")),
        }
        scanner.blanks();
    }
    Ok(match indexes.as_slice() {
        [index] => Selector::Index(*index),
        _ => Selector::Indexes(indexes.into()),
    })
}

fn number(scanner: &mut Scanner<'_>) -> Result<Option<i64>, SyntaxError> {
    let start = scanner.at();
    let negative = scanner.eat("-");
    let digits = scanner.eat_while(|c| c.is_ascii_digit());
    if digits.is_empty() {
        return if negative {
            Err(scanner.error("A digit is expected after '-'"))
        } else {
            Ok(None)
        };
    }
    // On AWS, indexes are Java integers.
    match digits.parse::<i32>() {
        Ok(number) => Ok(Some(if negative {
            -i64::from(number)
        } else {
            i64::from(number)
        })),
        Err(_) => Err(scanner.error_since(start, "The index is too large")),
    }
}
