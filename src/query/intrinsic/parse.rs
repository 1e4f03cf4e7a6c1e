//! Parses the text of a call into a tree of functions and arguments.

use super::format;
use super::function::Function;
use super::library::FUNCTIONS;
use crate::json::{Number, Value};
use crate::query::scan::{Scanner, nearest};
use crate::query::{Path, SyntaxError};
use std::ops::Range;

/// Maximum nesting depth of calls.
const NESTED: usize = 10;

/// Parses all of `text` as one call.
pub(super) fn whole(text: &str) -> Result<CallNode, SyntaxError> {
    let mut scanner = Scanner::new(text);
    let call = call(&mut scanner, 1)?;
    scanner.blanks();
    if !scanner.is_done() {
        let start = scanner.at();
        scanner.eat_while(|_| true);
        return Err(scanner.error_since(start, "Nothing can follow the function call"));
    }
    Ok(call)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_')
}

fn call(scanner: &mut Scanner<'_>, depth: usize) -> Result<CallNode, SyntaxError> {
    let start = scanner.at();
    let name = scanner.eat_while(is_name);
    let after_name = scanner.at();
    if name.is_empty() {
        return Err(scanner.error("A path or an intrinsic function is expected"));
    }
    if scanner.peek() != Some('(') {
        let error = scanner.error_since(start, "A path or an intrinsic function is expected");
        scanner.blanks();
        return Err(if scanner.peek() == Some('(') {
            SyntaxError::new(
                "No space is allowed between a function and its '('",
                after_name..scanner.at(),
            )
        } else if FUNCTIONS.iter().any(|function| function.name == name) {
            error.help(format!("write {name}(…)"))
        } else {
            error
        });
    }
    let function = find(name).map_err(|error| error.shifted(start))?;
    if depth > NESTED {
        return Err(scanner.error_since(
            start,
            format!("Intrinsic functions can be nested at most {NESTED} levels deep"),
        ));
    }
    scanner.bump();
    let mut arguments = Vec::new();
    let mut template = None;
    scanner.blanks();
    if !scanner.eat(")") {
        loop {
            scanner.blanks();
            let argument_start = scanner.at();
            let (kind, raw) = argument(scanner, depth)?;
            if let (Some(raw), "States.Format", true) = (raw, function.name, arguments.is_empty()) {
                template = Some(format::Template::parse(raw));
            }
            arguments.push(Argument {
                range: argument_start..scanner.at(),
                kind,
            });
            scanner.blanks();
            if scanner.eat(",") {
                continue;
            }
            if scanner.eat(")") {
                break;
            }
            return Err(match scanner.peek() {
                None => scanner
                    .error_since(start, "The function call is not closed")
                    .help("add )"),
                Some(_) => scanner.error("',' or ')' is expected"),
            });
        }
    }
    Ok(CallNode {
        function,
        range: start..scanner.at(),
        arguments,
        template,
    })
}

fn find(name: &str) -> Result<&'static Function, SyntaxError> {
    FUNCTIONS
        .iter()
        .find(|function| function.name == name)
        .ok_or_else(|| {
            let error = SyntaxError::new(
                format!("{name} is not an intrinsic function"),
                0..name.len(),
            );
            let full = if name.starts_with("States.") {
                name.to_string()
            } else {
                format!("States.{name}")
            };
            let names = || FUNCTIONS.iter().map(|function| function.name);
            let by_case = names().find(|known| known.eq_ignore_ascii_case(&full));
            match nearest(name, names()).or(by_case) {
                Some(known) => error.help(format!("did you mean {known}?")),
                None => error,
            }
        })
}

/// Parses an argument. For a string, also returns the raw text between the quotes.
fn argument<'t>(
    scanner: &mut Scanner<'t>,
    depth: usize,
) -> Result<(ArgumentKind, Option<&'t str>), SyntaxError> {
    let start = scanner.at();
    let kind = match scanner.peek() {
        Some('\'') => {
            let (text, raw) = string(scanner)?;
            return Ok((ArgumentKind::Literal(Value::string(text)), Some(raw)));
        }
        Some('"') => {
            return Err(scanner
                .error("A string must be in single quotes")
                .help("write '…'"));
        }
        Some('$') => {
            let text = path_text(scanner);
            ArgumentKind::Path(Path::parse(text).map_err(|error| error.shifted(start))?)
        }
        Some(c) if c == '-' || c.is_ascii_digit() => {
            let text = scanner
                .eat_while(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
            match Number::parse(text) {
                Some(number) => ArgumentKind::Literal(Value::Number(number)),
                None => {
                    let message = format!("'{text}' is not a JSON number");
                    return Err(scanner.error_since(start, message));
                }
            }
        }
        Some(c) if is_name(c) => {
            let mut ahead = scanner.clone();
            let word = ahead.eat_while(is_name);
            let literal = match word {
                "null" => Some(Value::Null),
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            };
            match literal {
                Some(value) => {
                    *scanner = ahead;
                    ArgumentKind::Literal(value)
                }
                None => ArgumentKind::Call(call(scanner, depth + 1)?),
            }
        }
        Some(_) => {
            return Err(scanner.error("A string, a number, a path or a function is expected"));
        }
        None => return Err(scanner.error("An argument is missing").help("add )")),
    };
    Ok((kind, None))
}

/// Parses a string in quotes. Returns its value, in which escapes are resolved, and the raw text between the quotes.
fn string<'t>(scanner: &mut Scanner<'t>) -> Result<(String, &'t str), SyntaxError> {
    let start = scanner.at();
    scanner.bump();
    let inside = scanner.at();
    let mut text = String::new();
    loop {
        match scanner.bump() {
            Some('\'') => {
                let end = scanner.at().saturating_sub(1);
                return Ok((text, scanner.slice(inside..end)));
            }
            Some('\\') => match scanner.bump() {
                Some(c @ ('\'' | '{' | '}' | '\\')) => text.push(c),
                Some(character) => {
                    let begin = scanner.at().saturating_sub(1 + character.len_utf8());
                    return Err(scanner
                        .error_since(
                            begin,
                            format!("\\{character} is not an escape of an intrinsic function"),
                        )
                        .help(r"the escapes are \' \{ \} \\"));
                }
                None => break,
            },
            Some(c) => text.push(c),
            None => break,
        }
    }
    Err(scanner
        .error_since(start, "The string is not closed")
        .help("add '"))
}

/// Consumes the text of a path up to the `,` or `)` that ends it.
fn path_text<'t>(scanner: &mut Scanner<'t>) -> &'t str {
    let start = scanner.at();
    let mut open = 0_usize;
    while let Some(c) = scanner.peek() {
        match c {
            ',' | ')' if open == 0 => break,
            c if c.is_whitespace() && open == 0 => break,
            '[' | '(' => open += 1,
            ']' | ')' => open = open.saturating_sub(1),
            '\\' => {
                scanner.bump();
            }
            '\'' | '"' if open > 0 => {
                let mut quoted = scanner.clone();
                quoted.bump();
                if quoted.quoted(c).is_ok() {
                    *scanner = quoted;
                    continue;
                }
            }
            _ => {}
        }
        scanner.bump();
    }
    scanner.slice(start..scanner.at())
}

#[derive(Debug)]
pub(super) struct CallNode {
    pub(super) function: &'static Function,
    pub(super) range: Range<usize>,
    pub(super) arguments: Vec<Argument>,
    /// The parsed template, if the first argument of `States.Format` is a literal.
    pub(super) template: Option<Result<format::Template, format::Unmatched>>,
}

#[derive(Debug)]
pub(super) struct Argument {
    pub(super) range: Range<usize>,
    pub(super) kind: ArgumentKind,
}

#[derive(Debug)]
pub(super) enum ArgumentKind {
    Literal(Value),
    Path(Path),
    Call(CallNode),
}
