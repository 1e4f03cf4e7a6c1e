//! Words of one line of JSON, YAML or the SFN DSL, with the roles that they are shown in.
//!
//! It must not know colours, nor lines before or after.

use super::highlight::Language;
use super::theme::Role;
use std::ops::Range;

/// Parts of a line in order, without gaps; neighbours have different roles.
#[must_use]
pub(super) fn parts(language: Language, line: &str) -> Vec<(Range<usize>, Role)> {
    let mut lexer = Lexer {
        line,
        at: 0,
        parts: Vec::new(),
    };
    match language {
        Language::Json => lexer.json(),
        Language::Yaml => lexer.yaml(),
        Language::Dsl => lexer.dsl(),
    }
    lexer.parts
}

/// Words of the SFN DSL.
const WORDS: &[&str] = &[
    "Pass",
    "Success",
    "Fail",
    "Wait",
    "Lambda",
    "Activity",
    "Arn",
    "if",
    "elif",
    "else",
    "while",
    "switch",
    "case",
    "default",
    "parallel",
    "map",
    "goto",
    "transform",
    "error",
    "retry",
    "catch",
    "iterator",
    "data",
    "parameters",
    "input",
    "result",
    "output",
    "timeout",
    "heartbeat",
    "version",
    "items_path",
    "max_concurrency",
    "and",
    "or",
    "not",
    "true",
    "false",
    "null",
];
const LITERALS: &[&str] = &["true", "false", "null"];

struct Lexer<'t> {
    line: &'t str,
    at: usize,
    parts: Vec<(Range<usize>, Role)>,
}

/// What stands at a place: so many bytes with this role.
type Word = Option<(usize, Role)>;

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.line.get(self.at..).unwrap_or("")
    }

    fn before(&self) -> Option<char> {
        self.line.get(..self.at)?.chars().next_back()
    }

    /// The next `length` bytes have this role.
    fn push(&mut self, length: usize, role: Role) {
        let end = self.at + length;
        match self.parts.last_mut() {
            Some((last, before)) if *before == role => last.end = end,
            _ => self.parts.push((self.at..end, role)),
        }
        self.at = end;
    }

    /// Takes words as `word` finds them until the line ends; what is none has the role `other`.
    fn each(&mut self, other: Role, word: impl Fn(&Self) -> Word) {
        while let Some(c) = self.rest().chars().next() {
            let (length, role) = word(self).unwrap_or((c.len_utf8(), other));
            self.push(length, role);
        }
    }

    fn json(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let word = self.json_word();
            if word.is_none() && c == '"' {
                self.json_string();
                continue;
            }
            let (length, role) = word.unwrap_or((c.len_utf8(), Role::Text));
            self.push(length, role);
        }
    }

    fn json_word(&self) -> Word {
        let rest = self.rest();
        if rest.starts_with("//") {
            return Some((rest.len(), Role::Dim));
        }
        if let Some(inner) = rest.strip_prefix("/*") {
            let length = inner.find("*/").map_or(rest.len(), |end| end + 4);
            return Some((length, Role::Dim));
        }
        if let Some(length) = quoted(rest, '"', true) {
            let after = rest.get(length..).unwrap_or("").trim_start();
            return after.starts_with(':').then_some((length, Role::Key));
        }
        let number = json_number(rest).map(|length| (length, Role::Number));
        let literal = || self.one_of(LITERALS, Role::Keyword);
        let sign = || rest.starts_with(['[', ']', '{', '}', ',', ':']);
        number
            .or_else(literal)
            .or_else(|| sign().then_some((1, Role::Punctuation)))
    }

    /// A string that is no key, to its quote or the end of the line.
    fn json_string(&mut self) {
        self.push(1, Role::String);
        while let Some(c) = self.rest().chars().next() {
            if c == '"' {
                self.push(1, Role::String);
                return;
            }
            let (length, role) = self.in_string().unwrap_or((c.len_utf8(), Role::String));
            self.push(length, role);
        }
    }

    fn in_string(&self) -> Word {
        let rest = self.rest();
        if let Some(escaped) = rest.strip_prefix('\\') {
            let c = escaped.chars().next()?;
            return Some((1 + c.len_utf8(), Role::Intrinsic));
        }
        let expression = rest.starts_with("{%") || rest.starts_with("%}");
        function(rest)
            .or_else(|| Some((path(rest, true)?, Role::Path)))
            .or_else(|| expression.then_some((2, Role::Punctuation)))
    }

    fn yaml(&mut self) {
        self.each(Role::Text, Self::yaml_word);
    }

    fn yaml_word(&self) -> Word {
        let rest = self.rest();
        let space = rest.chars().next().filter(|c| c.is_whitespace());
        let comment = space.map_or(self.at == 0, |_| true)
            && rest
                .get(space.map_or(0, char::len_utf8)..)
                .is_some_and(|rest| rest.starts_with('#'));
        if comment {
            return Some((rest.len(), Role::Dim));
        }
        let text = quoted(rest, '"', true).or_else(|| quoted(rest, '\'', false));
        let bare = || Some(run(rest, |c| is_word(c) || "$.-".contains(c))).filter(|at| *at > 0);
        if let Some(length) = text.or_else(bare) {
            let after = rest.get(length..).unwrap_or("").trim_start();
            let value = after.strip_prefix(':');
            if value.is_some_and(|value| value.chars().next().is_none_or(char::is_whitespace)) {
                return Some((length, Role::Key));
            }
        }
        if let Some(length) = text {
            return Some((length, Role::String));
        }
        let path = path(rest, false).filter(|length| {
            let dollars = rest.len() - rest.trim_start_matches('$').len();
            *length > dollars.min(2)
        });
        function(rest)
            .or_else(|| path.map(|length| (length, Role::Path)))
            .or_else(|| self.apart(decimal(rest, true)?, Role::Number))
            .or_else(|| {
                let literals = LITERALS.iter();
                let word = literals.filter(|word| rest.starts_with(**word));
                self.apart(word.map(|word| word.len()).next()?, Role::Keyword)
            })
            .or_else(|| {
                let tag = rest.strip_prefix('!')?;
                let length = run(tag, |c| c.is_ascii_alphabetic() || c == ':');
                (length > 0).then_some((1 + length, Role::Key))
            })
    }

    /// The next bytes, where neither side of them goes on like a plain scalar.
    fn apart(&self, length: usize, role: Role) -> Word {
        let goes_on = |c: char| is_word(c) || c == '.' || c == '-';
        let after = self.rest().get(length..)?.chars().next();
        let apart = !self.before().is_some_and(goes_on) && !after.is_some_and(goes_on);
        apart.then_some((length, role))
    }

    fn dsl(&mut self) {
        self.each(Role::Text, Self::dsl_word);
    }

    fn dsl_word(&self) -> Word {
        let rest = self.rest();
        if rest.starts_with('#') {
            return Some((rest.len(), Role::Dim));
        }
        let text = quoted(rest, '"', true).or_else(|| quoted(rest, '\'', true));
        text.map(|length| (length, Role::String))
            .or_else(|| function(rest))
            .or_else(|| Some((path(rest, false)?, Role::Path)))
            .or_else(|| self.one_of(WORDS, Role::Key))
            .or_else(|| {
                let whole = self.bounded(decimal(rest, false)?, Role::Number);
                whole.or_else(|| self.bounded(run(rest, |c| c.is_ascii_digit()), Role::Number))
            })
    }

    /// The next bytes, where a word begins and ends there.
    fn bounded(&self, length: usize, role: Role) -> Word {
        let after = self.rest().get(length..)?.chars().next();
        let bounded = !self.before().is_some_and(is_word) && !after.is_some_and(is_word);
        bounded.then_some((length, role))
    }

    fn one_of(&self, words: &[&str], role: Role) -> Word {
        let length = run(self.rest(), is_word);
        let word = self.rest().get(..length)?;
        words.contains(&word).then_some(())?;
        self.bounded(length, role)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Bytes of the characters from the start on that are of a kind.
fn run(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is(c)).unwrap_or(text.len())
}

/// Bytes of a text in quotes that ends on the line.
fn quoted(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut chars = text.strip_prefix(quote)?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if escapes => drop(chars.next()),
            _ if c == quote => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// `States.Name` before its parenthesis.
fn function(text: &str) -> Word {
    let name = text.strip_prefix("States.")?;
    let length = run(name, |c| c.is_ascii_alphanumeric());
    let called = length > 0 && name.get(length..)?.starts_with('(');
    called.then_some(("States.".len() + length, Role::Intrinsic))
}

/// Bytes of a path; in a JSON string it may name a variable, and ends before a quote.
fn path(text: &str, in_json: bool) -> Option<usize> {
    let mut rest = text.strip_prefix('$')?;
    rest = rest.strip_prefix('$').unwrap_or(rest);
    if in_json && rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        rest = rest.get(run(rest, |c| is_word(c) || c == '-')..)?;
    }
    while let Some(after) = path_step(rest, in_json) {
        rest = after;
    }
    Some(text.len() - rest.len())
}

/// What follows the step that a text begins with.
fn path_step(text: &str, in_json: bool) -> Option<&str> {
    if let Some(name) = text.strip_prefix('.') {
        let name = name.strip_prefix('.').unwrap_or(name);
        let length = run(name, |c| is_word(c) || c == '*' || c == '-');
        return name.get(length..).filter(|_| length > 0);
    }
    let inside = text.strip_prefix('[')?;
    let end = inside.find(|c| c == ']' || in_json && c == '"')?;
    inside.get(end..)?.strip_prefix(']')
}

fn digits(text: &str) -> Option<usize> {
    Some(run(text, |c| c.is_ascii_digit())).filter(|length| *length > 0)
}

/// `12`, `12.5`, where it may, `-12`.
fn decimal(text: &str, signed: bool) -> Option<usize> {
    let sign = usize::from(signed && text.starts_with('-'));
    let whole = sign + digits(text.get(sign..)?)?;
    let fraction = text
        .get(whole..)
        .and_then(|rest| digits(rest.strip_prefix('.')?));
    Some(whole + fraction.map_or(0, |length| length + 1))
}

fn json_number(text: &str) -> Option<usize> {
    let length = decimal(text, true)?;
    let exponent = text.get(length..).and_then(|rest| {
        let rest = rest.strip_prefix(['e', 'E'])?;
        let sign = usize::from(rest.starts_with(['+', '-']));
        Some(1 + sign + digits(rest.get(sign..)?)?)
    });
    Some(length + exponent.unwrap_or(0))
}
