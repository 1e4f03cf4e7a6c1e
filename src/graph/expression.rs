//! Reads a written condition as comparisons, where it consists of such.
//!
//! It must not know the language beyond its brackets, quotes and the words between comparisons.

use super::clause::Clause;

/// The comparisons of a text whose words are parted by one blank; a text without parts where it is anything else.
pub(super) fn read(text: &str) -> Clause {
    parts(text, 0).unwrap_or_else(|| Clause::Text(text.to_owned()))
}

/// Brackets are opened at most so often.
const DEEPEST: usize = 4;

fn parts(text: &str, depth: usize) -> Option<Clause> {
    let bare = text.trim();
    if bare.is_empty() || depth > DEEPEST {
        return None;
    }
    let open = Open::of(bare)?;
    if let Some(inside) = open.within_brackets(bare) {
        return parts(inside, depth + 1);
    }
    // `or` binds less than `and`.
    for (word, list) in [
        ("or", Clause::Any as fn(_) -> _),
        ("and", Clause::All as fn(_) -> _),
    ] {
        let own = open.split(bare, word);
        if own.len() > 1 {
            let own: Option<Vec<Clause>> =
                own.into_iter().map(|part| parts(part, depth + 1)).collect();
            return own.map(list);
        }
    }
    if let Some(rest) = bare
        .strip_prefix("$not(")
        .and_then(|rest| rest.strip_suffix(')'))
        && Open::of(rest).is_some()
    {
        return parts(rest, depth + 1).map(Clause::denied);
    }
    Some(
        open.comparison(bare)
            .unwrap_or_else(|| match is_path(bare) {
                true => Clause::Is {
                    name: bare.to_owned(),
                    sign: String::new(),
                    value: String::new(),
                },
                false => Clause::Text(bare.to_owned()),
            }),
    )
}

/// Which bytes of a text stand outside of quotes and brackets.
struct Open(Vec<bool>);

impl Open {
    /// `None` where brackets do not match, or where something binds less than `or`.
    fn of(text: &str) -> Option<Self> {
        let mut out = Vec::with_capacity(text.len());
        let mut depth = 0usize;
        let mut quote = None;
        let mut is_escaped = false;
        let mut before = ' ';
        for c in text.chars() {
            let is_open = depth == 0 && quote.is_none();
            out.extend(std::iter::repeat_n(is_open, c.len_utf8()));
            match quote {
                Some(mark) => {
                    if c == mark && !is_escaped {
                        quote = None;
                    }
                    is_escaped = c == '\\' && !is_escaped;
                }
                None => match c {
                    '"' | '\'' | '`' => quote = Some(c),
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.checked_sub(1)?,
                    '?' | ';' if is_open => return None,
                    '=' if is_open && before == ':' => return None,
                    // A comment, or a pattern with quotes or brackets of its own.
                    '*' if before == '/' => return None,
                    '/' if before == '(' || before == ',' => return None,
                    _ => {}
                },
            }
            before = if c == ' ' { before } else { c };
        }
        (depth == 0 && quote.is_none()).then_some(Self(out))
    }

    fn is_open(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or(false)
    }

    /// What stands between brackets that are around all of it.
    fn within_brackets<'a>(&self, text: &'a str) -> Option<&'a str> {
        let inside = text.strip_prefix('(')?.strip_suffix(')')?;
        let is_around = (1..text.len().saturating_sub(1)).all(|at| !self.is_open(at));
        // The closing bracket itself counts as inside.
        (is_around && Self::of(inside).is_some()).then_some(inside)
    }

    /// The parts between a word that stands by itself.
    fn split<'a>(&self, text: &'a str, word: &str) -> Vec<&'a str> {
        let mut out = Vec::new();
        let mut begin = 0;
        for (at, _) in text.match_indices(word) {
            let end = at + word.len();
            let bytes = text.as_bytes();
            let apart =
                |byte: Option<&u8>, marks: &[u8]| byte.is_some_and(|byte| marks.contains(byte));
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            if self.is_open(at) && apart(before, b" )]\"'") && apart(bytes.get(end), b" ($\"'") {
                out.extend(text.get(begin..at));
                begin = end;
            }
        }
        out.extend(text.get(begin..));
        out
    }

    /// A text with one sign of comparison.
    fn comparison(&self, text: &str) -> Option<Clause> {
        if text.contains("~>") {
            return None;
        }
        let mut found: Option<(usize, &str)> = None;
        for sign in SIGNS {
            for (at, _) in text.match_indices(sign) {
                let is_part =
                    found.is_some_and(|(other, longer)| at >= other && at < other + longer.len());
                if !self.is_open(at) || is_part {
                    continue;
                }
                if found.is_some() {
                    return None;
                }
                found = Some((at, sign));
            }
        }
        let (at, sign) = found?;
        let (name, value) = (text.get(..at)?.trim(), text.get(at + sign.len()..)?.trim());
        (!value.is_empty()).then(|| Clause::Is {
            name: name.to_owned(),
            sign: sign.trim().to_owned(),
            value: value.to_owned(),
        })
    }
}

/// What stands between two sides, longer signs first.
const SIGNS: [&str; 9] = ["!=", "<=", ">=", "=", "<", ">", " in ", " ~ ", " is "];

/// Whether it is a path: a root and names, nothing computed.
pub(super) fn is_path(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('$') else {
        return false;
    };
    let rest = rest.strip_prefix('$').unwrap_or(rest);
    let mut quote = None;
    let mut before = ' ';
    rest.chars().all(|c| {
        let is_fine = match quote {
            Some(mark) => {
                if c == mark {
                    quote = None;
                }
                true
            }
            None => match c {
                '\'' | '"' | '`' => {
                    quote = Some(c);
                    matches!(before, '[' | '.')
                }
                '-' => before.is_alphanumeric() || before == '[',
                '*' => matches!(before, '.' | '*'),
                c => c.is_alphanumeric() || "_.[]".contains(c),
            },
        };
        before = c;
        is_fine
    }) && quote.is_none()
}

/// Where the names of a path begin: its root is the first.
fn segments(path: &str) -> Vec<usize> {
    let mut out = vec![0];
    let mut quote = None;
    for (at, c) in path.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '.') => out.push(at + 1),
            (None, '[') if at > 0 => out.push(at),
            _ => {}
        }
    }
    out
}

/// The last so many names of a path; all of it where it has no more.
pub(super) fn tail(path: &str, names: usize) -> &str {
    let all = segments(path);
    let begin = all.len().checked_sub(names).and_then(|at| all.get(at));
    begin.and_then(|at| path.get(*at..)).unwrap_or(path)
}

/// How many names of a path say something by themselves.
pub(super) fn telling(path: &str) -> usize {
    let most = segments(path).len();
    if path.chars().count() <= 9 {
        return most;
    }
    let says = |names: &usize| {
        let text = tail(path, *names);
        !text.starts_with('[') && text.chars().count() > 2
    };
    (1..=most).find(says).unwrap_or(most)
}

/// How many names a path has, its root included.
pub(super) fn count(path: &str) -> usize {
    segments(path).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_parts() {
        for (text, expected) in [
            (
                "$a = 1 and ($b > 2 or $c)",
                "All([$a = 1, Any([$b > 2, $c])])",
            ),
            ("$a and $b or $c", "Any([All([$a, $b]), $c])"),
            ("($a = 'x or y')", "$a = 'x or y'"),
            (
                "$not($exists($states.input.or))",
                "Not($exists($states.input.or))",
            ),
            ("$not($a = 1)", "$a != 1"),
            ("$a ? $b : $c and $d", "\"$a ? $b : $c and $d\""),
            ("$f($a and $b) = 1", "$f($a and $b) = 1"),
            ("$order = 1", "$order = 1"),
            ("$match($a, /x(/) and $b", "\"$match($a, /x(/) and $b\""),
            ("($a) and ($b)", "All([$a, $b])"),
        ] {
            assert_eq!(shown(&read(text)), expected, "{text}");
        }
    }

    fn shown(clause: &Clause) -> String {
        let all = |parts: &[Clause]| parts.iter().map(shown).collect::<Vec<_>>().join(", ");
        match clause {
            Clause::All(parts) => format!("All([{}])", all(parts)),
            Clause::Any(parts) => format!("Any([{}])", all(parts)),
            Clause::Not(part) => format!("Not({})", shown(part)),
            Clause::Text(text) if text.split_whitespace().any(|word| word == "and") => {
                format!("{text:?}")
            }
            other => other.whole(),
        }
    }

    #[test]
    fn paths_have_names() {
        assert_eq!(tail("$.a['b.c'].d", 2), "['b.c'].d");
        assert_eq!(telling("$.QualityResults[0]['check_status']"), 3);
        assert_eq!(telling("$.execution.status.S"), 2);
        assert!(is_path("$a.b[-1].**.name"));
        assert!(is_path("$.delay-seconds") && is_path("$$.Task.Token"));
        assert!(!is_path("$a - $b") && !is_path("$count($a)") && !is_path("$a.b&$c"));
    }
}
