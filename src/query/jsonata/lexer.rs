//! Splits an expression into tokens.

use super::limit::JsonataError;
use std::fmt;
use std::ops::Range;

/// Operators and brackets, longer ones first.
const SIGNS: [&str; 34] = [
    "**", "??", "?:", ":=", "!=", "<=", ">=", "~>", "..", "(", ")", "[", "]", "{", "}", ",", ";",
    ":", "?", "|", ".", "+", "-", "*", "/", "%", "=", "<", ">", "&", "^", "#", "@", "λ",
];

/// Operators, brackets and separators after which a value may begin. A slash after one of them starts a regular
/// expression.
const BEFORE_VALUE: [&str; 20] = [
    "(", "[", "{", ",", ";", ":", "=", "!=", "<", "<=", ">", ">=", "+", "-", "&", "?", "~>", ":=",
    "??", "?:",
];

/// The smallest part of an expression's text that has a meaning: a literal, a name, a sign or the end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Text(String),
    Number(f64),
    Regex {
        pattern: String,
        flags: String,
    },
    /// A name, possibly in backquotes.
    Name(String),
    /// `true`, `false`, `null`, `undefined` or `function`.
    Word(&'static str),
    /// A variable without its `$`; empty for `$`.
    Variable(String),
    /// `$$`
    Root,
    Sign(&'static str),
    End,
}

impl Token {
    /// True if the token is this sign, one of [`SIGNS`].
    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self, Self::Sign(known) if *known == sign)
    }

    fn is_before_value(&self) -> bool {
        match self {
            Self::Sign(sign) => BEFORE_VALUE.contains(sign),
            Self::Name(name) => matches!(name.as_str(), "and" | "or" | "in"),
            _ => false,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Name(text) | Self::Variable(text) => write!(out, "{text:?}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Regex { pattern, flags } => write!(out, "/{pattern}/{flags}"),
            Self::Word("function") => out.write_str("\"function\""),
            Self::Word(word) => out.write_str(word),
            Self::Root => out.write_str("\"$$\""),
            Self::Sign(sign) => write!(out, "\"{sign}\""),
            Self::End => out.write_str("\"(end)\""),
        }
    }
}

/// Reads tokens one by one.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// True if a slash starts a regular expression here.
    value_may_begin: bool,
}

impl<'t> Lexer<'t> {
    /// Creates a lexer that starts at byte `at`, where a value may begin.
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            at,
            value_may_begin: true,
        }
    }

    /// Returns the next token with its byte range. If `divides` is true, a slash is always read as a division.
    pub(super) fn next(&mut self, divides: bool) -> Result<(Token, Range<usize>), JsonataError> {
        self.skip()?;
        let start = self.at;
        let token = self.token(divides)?;
        self.value_may_begin = token.is_before_value();
        Ok((token, start..self.at))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips whitespace and comments.
    fn skip(&mut self) -> Result<(), JsonataError> {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            let Some(comment) = rest.strip_prefix("/*") else {
                return Ok(());
            };
            let Some(end) = comment.find("*/") else {
                return self.fail("S0106", "Unclosed comment", self.at..self.at + 2);
            };
            self.at += end + 4;
        }
    }

    fn token(&mut self, divides: bool) -> Result<Token, JsonataError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        match first {
            '"' | '\'' => return self.quoted(first).map(Token::Text),
            '`' => return self.backquoted(),
            '0'..='9' => return self.number(),
            '$' => {
                self.at += 1;
                return Ok(match self.word() {
                    "$" => Token::Root,
                    name => Token::Variable(name.to_string()),
                });
            }
            '/' if self.value_may_begin && !divides => return self.regex(),
            _ => {}
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.at += sign.len();
            return Ok(Token::Sign(sign));
        }
        if !first.is_alphabetic() && first != '_' {
            let range = self.at..self.at + first.len_utf8();
            return self.fail("S0204", &format!("Unknown operator: {first}"), range);
        }
        let word = self.word();
        let words = ["true", "false", "null", "undefined", "function"];
        Ok(match words.into_iter().find(|known| *known == word) {
            Some(word) => Token::Word(word),
            None => Token::Name(word.to_string()),
        })
    }

    /// Reads a word of letters, digits, `_` and `$`.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end =
            rest.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$'));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += word.len();
        word
    }

    fn backquoted(&mut self) -> Result<Token, JsonataError> {
        let inside = self.rest().get(1..).unwrap_or_default();
        let Some((name, _)) = inside.split_once('`') else {
            let message = "Quoted property name must be terminated with a backquote (`)";
            return self.fail("S0105", message, self.at..self.at + 1);
        };
        self.at += name.len() + 2;
        Ok(Token::Name(name.to_string()))
    }

    fn number(&mut self) -> Result<Token, JsonataError> {
        let rest = self.rest();
        let digits_at = |at: usize| {
            let after = rest.get(at..).unwrap_or_default();
            after.bytes().take_while(u8::is_ascii_digit).count()
        };
        let mut end = match rest.starts_with('0') {
            true => 1,
            false => digits_at(0),
        };
        let decimals = digits_at(end + 1);
        if rest.get(end..).is_some_and(|rest| rest.starts_with('.')) && decimals > 0 {
            end += 1 + decimals;
        }
        let exponent = rest
            .get(end..)
            .and_then(|rest| rest.strip_prefix(['e', 'E']));
        if let Some(exponent) = exponent {
            let start = end + 1 + usize::from(exponent.starts_with(['+', '-']));
            if digits_at(start) > 0 {
                end = start + digits_at(start);
            }
        }
        let written = rest.get(..end).unwrap_or_default();
        let range = self.at..self.at + end;
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.at = range.end;
                Ok(Token::Number(number))
            }
            _ => self.fail("S0102", &format!("Number out of range: {written}"), range),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, JsonataError> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let plain = rest.find([quote, '\\']).unwrap_or(rest.len());
            text.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            let mut letters = self.rest().chars();
            match (letters.next(), letters.next()) {
                (Some('\\'), Some(escape)) => {
                    self.at += 1;
                    text.push(self.escaped(escape)?);
                }
                (Some(end), _) if end == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                _ => {
                    let message = "String literal must be terminated by a matching quote";
                    return self.fail("S0101", message, start..start + 1);
                }
            }
        }
    }

    /// The character that an escape stands for; `escape` is the character after the backslash.
    fn escaped(&mut self, escape: char) -> Result<char, JsonataError> {
        let range = self.at..self.at + escape.len_utf8();
        self.at = range.end;
        let letter = match escape {
            '"' | '\\' | '/' => escape,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => match self.unicode() {
                Some(letter) => letter,
                None => {
                    let message = "The escape sequence \\u must be followed by 4 hex digits";
                    return self.fail("S0104", message, range);
                }
            },
            _ => {
                let message = format!("Unsupported escape sequence: \\{escape}");
                return self.fail("S0103", &message, range);
            }
        };
        Ok(letter)
    }

    /// Reads the character of a `\u` escape with four hexadecimal digits, or of a surrogate pair of two such escapes.
    fn unicode(&mut self) -> Option<char> {
        let high = self.hexadecimal()?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high);
        }
        self.rest().strip_prefix("\\u")?;
        self.at += 2;
        let low = self.hexadecimal()?;
        let is_low = (0xdc00..0xe000).contains(&low);
        let code = 0x1_0000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?;
        char::from_u32(code).filter(|_| is_low)
    }

    fn hexadecimal(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        self.at += 4;
        let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| all)
    }

    /// Reads a regular expression, which ends at the first slash outside brackets.
    fn regex(&mut self) -> Result<Token, JsonataError> {
        let rest = self.rest();
        let mut depth = 0_i64;
        let mut is_escaped = false;
        for (at, letter) in rest.char_indices().skip(1) {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                '/' if depth == 0 => {
                    self.at += at + 1;
                    let after = self.rest();
                    let end = after.find(|letter: char| !letter.is_alphabetic());
                    let flags = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
                    self.at += flags.len();
                    return Ok(Token::Regex {
                        pattern: rest.get(1..at).unwrap_or_default().to_string(),
                        flags: flags.to_string(),
                    });
                }
                _ => {}
            }
        }
        let message = "No terminating / in regular expression";
        self.fail("S0302", message, self.at..self.at + 1)
    }

    fn fail<T>(
        &self,
        code: &'static str,
        message: &str,
        range: Range<usize>,
    ) -> Result<T, JsonataError> {
        Err(JsonataError::new(code, message, range))
    }
}
