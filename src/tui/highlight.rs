//! Syntax highlighting: splits the source lines that are shown into ranges, each with the style role for its text.

use super::theme::Role;
use crate::source::dsl::long_strings;
use crate::source::{SourceFile, is_program};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxDefinition, SyntaxSet};

/// Maximum number of bytes to highlight in one line. The limit is needed because the whole file may be a single line.
const LONGEST: usize = 4_000;
/// Maximum number of highlighted lines in the cache.
const KEPT: usize = 4_096;

/// Language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// JSON, with comments.
    Json,
    /// YAML.
    Yaml,
    /// The SFN DSL, an older textual language for state machines.
    Dsl,
}

impl Language {
    /// Language of a text, determined from its first character and the file name.
    #[must_use]
    pub fn of(name: &str, text: &str) -> Self {
        let first = text
            .lines()
            .map(str::trim_start)
            .find(|line| !line.is_empty() && !line.starts_with("//"));
        let name = name.to_ascii_lowercase();
        match first {
            Some(line) if line.starts_with(['{', '[', '/']) => Self::Json,
            _ if is_program(text) => Self::Dsl,
            _ if name.ends_with(".yaml") || name.ends_with(".yml") => Self::Yaml,
            _ if name.ends_with(".json") => Self::Json,
            _ => Self::Yaml,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Dsl => "dsl",
        }
    }
}

// In these syntaxes, no construct spans several lines, so each line can be highlighted separately.
const JSON: &str = r##"%YAML 1.2
---
name: json
scope: source.json
contexts:
  main:
    - match: '//.*$|/\*.*?(\*/|$)'
      scope: comment.line
    - match: '"(?:[^"\\]|\\.)*"(?=\s*:)'
      scope: entity.key
    - match: '"'
      push: string
    - match: '-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?'
      scope: constant.numeric
    - match: '\b(?:true|false|null)\b'
      scope: constant.language
    - match: '[\[\]{},:]'
      scope: punctuation
  string:
    - meta_scope: string.quoted
    - match: '"|$'
      pop: true
    - match: '\\.'
      scope: constant.character
    - match: 'States\.[A-Za-z0-9]+(?=\()'
      scope: support.function
    - match: '\$\$?(?:[A-Za-z_][\w-]*)?(?:\.\.?[\w*-]+|\[[^\]"]*\])*'
      scope: variable.path
    - match: '\{%|%\}'
      scope: punctuation.expression
"##;

const YAML: &str = r##"%YAML 1.2
---
name: yaml
scope: source.yaml
contexts:
  main:
    - match: '(?:^|\s)#.*$'
      scope: comment.line
    - match: '(?:"(?:[^"\\]|\\.)*"|''[^'']*''|[\w$.-]+)(?=\s*:(?:\s|$))'
      scope: entity.key
    - match: '"(?:[^"\\]|\\.)*"|''[^'']*'''
      scope: string.quoted
    - match: 'States\.[A-Za-z0-9]+(?=\()'
      scope: support.function
    - match: '\$\$?(?:\.\.?[\w*-]+|\[[^\]]*\])+'
      scope: variable.path
    - match: '(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.-])'
      scope: constant.numeric
    - match: '(?<![\w.-])(?:true|false|null)(?![\w.-])'
      scope: constant.language
    - match: '![A-Za-z:]+'
      scope: keyword.tag
"##;

const DSL: &str = r##"%YAML 1.2
---
name: dsl
scope: source.dsl
contexts:
  main:
    - match: '#.*$'
      scope: comment.line
    - match: '"(?:[^"\\]|\\.)*"|''(?:[^''\\]|\\.)*'''
      scope: string.quoted
    - match: 'States\.[A-Za-z0-9]+(?=\()'
      scope: support.function
    - match: '\$\$?(?:\.\.?[\w*-]+|\[[^\]]*\])*'
      scope: variable.path
    - match: '\b(?:Pass|Success|Fail|Wait|Lambda|Activity|Arn|if|elif|else|while|switch|case|default|parallel|map|goto|transform|error|retry|catch|iterator|data|parameters|input|result|output|timeout|heartbeat|version|items_path|max_concurrency|and|or|not|true|false|null)\b'
      scope: keyword.word
    - match: '\b\d+(?:\.\d+)?\b'
      scope: constant.numeric
"##;

struct Scopes {
    set: SyntaxSet,
    roles: Vec<(Scope, Role)>,
}

fn scopes() -> &'static Scopes {
    static SCOPES: OnceLock<Scopes> = OnceLock::new();
    SCOPES.get_or_init(|| {
        let mut builder = syntect::parsing::SyntaxSetBuilder::new();
        for text in [JSON, YAML, DSL] {
            if let Ok(syntax) = SyntaxDefinition::load_from_str(text, false, None) {
                builder.add(syntax);
            }
        }
        let roles = [
            ("comment", Role::Dim),
            ("keyword", Role::Key),
            ("entity.key", Role::Key),
            ("constant.numeric", Role::Number),
            ("constant.language", Role::Keyword),
            ("constant.character", Role::Intrinsic),
            ("support.function", Role::Intrinsic),
            ("variable.path", Role::Path),
            ("punctuation", Role::Punctuation),
            ("string", Role::String),
        ];
        Scopes {
            set: builder.build(),
            roles: roles
                .into_iter()
                .filter_map(|(name, role)| Scope::new(name).ok().map(|scope| (scope, role)))
                .collect(),
        }
    })
}

/// Byte ranges of a line with their style roles, in order and without gaps. They end at the maximum length.
pub type Parts = Arc<[(Range<usize>, Role)]>;

/// Highlights lines, and keeps the results in a cache.
#[derive(Clone, Debug, Default)]
pub struct Highlighter {
    file: Option<Known>,
    lines: HashMap<(Language, u64), Parts>,
}

/// A file's text and what highlighting needs to know about all of it. Kept until the text changes.
#[derive(Clone, Debug)]
struct Known {
    text: Arc<str>,
    language: Language,
    /// Byte ranges of the strings that span several lines, in order. Only the SFN DSL has them.
    long: Vec<Range<usize>>,
}

impl Known {
    fn of(file: &SourceFile) -> Self {
        let language = Language::of(&file.name, &file.text);
        Self {
            text: Arc::clone(&file.text),
            language,
            long: match language {
                Language::Dsl => long_strings(&file.text),
                Language::Json | Language::Yaml => Vec::new(),
            },
        }
    }
}

impl Highlighter {
    /// Highlighted ranges of one line of a file; lines are counted from 1.
    pub fn line_of(&mut self, file: &SourceFile, line: usize) -> Parts {
        let same = |known: &Known| Arc::ptr_eq(&known.text, &file.text);
        let known = match self.file.take().filter(same) {
            Some(known) => known,
            None => Known::of(file),
        };
        let text = file.line(line);
        let parts = self.line(known.language, text);
        let bytes = file.line_range(line).unwrap_or_default();
        let first = known.long.partition_point(|range| range.end <= bytes.start);
        let here = known.long.get(first..).unwrap_or_default().iter();
        let inside: Vec<Range<usize>> = here
            .take_while(|range| range.start < bytes.start + text.len())
            .map(|range| {
                let end = range.end.min(bytes.start + text.len());
                range.start.saturating_sub(bytes.start)..end - bytes.start
            })
            .collect();
        self.file = Some(known);
        if inside.is_empty() {
            return parts;
        }
        with_strings(text, &parts, &inside)
    }

    /// Highlighted ranges of a line of text in this language.
    pub fn line(&mut self, language: Language, text: &str) -> Parts {
        let key = (language, fingerprint(text));
        if let Some(parts) = self.lines.get(&key) {
            return parts.clone();
        }
        if self.lines.len() >= KEPT {
            self.lines.clear();
        }
        let parts: Parts = parts(language, text).into();
        self.lines.insert(key, parts.clone());
        parts
    }
}

/// Highlighted ranges of a line in which the ranges `strings` get the role of a string. These ranges belong to strings
/// that span several lines.
fn with_strings(text: &str, parts: &[(Range<usize>, Role)], strings: &[Range<usize>]) -> Parts {
    let (mut parts, mut strings) = (parts.iter().peekable(), strings.iter().peekable());
    let mut role_at = |at: usize| {
        while parts.next_if(|(range, _)| range.end <= at).is_some() {}
        while strings.next_if(|range| range.end <= at).is_some() {}
        if strings.peek().is_some_and(|range| range.contains(&at)) {
            return Role::String;
        }
        let part = parts.peek().filter(|(range, _)| range.contains(&at));
        part.map_or(Role::Text, |(_, role)| *role)
    };
    let mut out: Vec<(Range<usize>, Role)> = Vec::new();
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        let (role, end) = (role_at(at), at + c.len_utf8());
        match out.last_mut() {
            Some((last, before)) if *before == role => last.end = end,
            _ => out.push((at..end, role)),
        }
    }
    out.into()
}

fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn parts(language: Language, text: &str) -> Vec<(Range<usize>, Role)> {
    let scopes = scopes();
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let read = text.get(..end).unwrap_or("");
    let Some(syntax) = scopes.set.find_syntax_by_name(language.name()) else {
        return vec![(0..end, Role::Text)];
    };
    let Ok(ops) = ParseState::new(syntax).parse_line(read, &scopes.set) else {
        return vec![(0..end, Role::Text)];
    };
    let mut parts: Vec<(Range<usize>, Role)> = Vec::new();
    let mut stack = ScopeStack::new();
    let mut at = 0;
    let mut push = |range: Range<usize>, stack: &ScopeStack| {
        if range.is_empty() {
            return;
        }
        let role = stack
            .as_slice()
            .iter()
            .rev()
            .find_map(|scope| {
                let known = scopes.roles.iter();
                known
                    .clone()
                    .find(|(prefix, _)| prefix.is_prefix_of(*scope))
                    .map(|(_, role)| *role)
            })
            .unwrap_or(Role::Text);
        match parts.last_mut() {
            Some((last, before)) if *before == role && last.end == range.start => {
                last.end = range.end;
            }
            _ => parts.push((range, role)),
        }
    };
    for (offset, op) in ops {
        push(at..offset, &stack);
        at = offset.max(at);
        if stack.apply(&op).is_err() {
            break;
        }
    }
    push(at..end, &stack);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: Language, text: &str) -> Vec<(String, Role)> {
        Highlighter::default()
            .line(language, text)
            .iter()
            .filter_map(|(range, role)| Some((text.get(range.clone())?.trim().to_owned(), *role)))
            .filter(|(text, _)| !text.is_empty())
            .collect()
    }

    #[test]
    fn json_words_have_their_roles() {
        let parts = shown(
            Language::Json,
            r#"  "id.$": "States.Format('{}', $.order.id)", "n": 1.5, "b": true // why"#,
        );
        for (text, role) in [
            ("\"id.$\"", Role::Key),
            ("States.Format", Role::Intrinsic),
            ("$.order.id", Role::Path),
            ("1.5", Role::Number),
            ("true", Role::Keyword),
            ("// why", Role::Dim),
        ] {
            assert!(
                parts.contains(&(text.to_owned(), role)),
                "{text}: {parts:?}"
            );
        }
    }

    #[test]
    fn yaml_and_dsl_read() {
        let yaml = shown(Language::Yaml, "  Resource: $.a.b # why");
        assert_eq!(yaml.first(), Some(&("Resource".to_owned(), Role::Key)));
        assert!(yaml.contains(&("$.a.b".to_owned(), Role::Path)));
        let dsl = shown(Language::Dsl, "if '$.n' > 3: # why");
        assert_eq!(dsl.first(), Some(&("if".to_owned(), Role::Key)));
        assert!(dsl.contains(&("'$.n'".to_owned(), Role::String)));
    }

    #[test]
    fn parts_have_no_gap_and_odd_text_does_no_harm() {
        for text in ["\"abc", "漢\"\\", "", "{\"é\":[1,-,\"\\u12\"]}", "$$$[[["] {
            for language in [Language::Json, Language::Yaml, Language::Dsl] {
                let parts = parts(language, text);
                let mut at = 0;
                for (range, _) in &parts {
                    assert_eq!(range.start, at, "{text} {parts:?}");
                    assert!(text.get(range.clone()).is_some());
                    at = range.end;
                }
                assert_eq!(at, text.len());
            }
        }
        assert_eq!(
            parts(Language::Json, &"é".repeat(9_000))
                .last()
                .map(|(range, _)| range.end),
            Some(LONGEST)
        );
    }

    #[test]
    fn strings_go_over_lines() {
        let file = SourceFile::new(
            "x.json",
            "Pass()\n  \"\"\"if\n  not 5\"\"\" data:\n    'a'\n",
        );
        let mut highlighter = Highlighter::default();
        let mut shown = |line| {
            let text = file.line(line);
            let parts = highlighter.line_of(&file, line);
            let parts = parts
                .iter()
                .map(|(range, role)| format!("{role:?} {}", &text[range.clone()]));
            parts.collect::<Vec<_>>().join("|")
        };
        assert_eq!(shown(2), "Text   |String \"\"\"if");
        assert_eq!(shown(3), "String   not 5\"\"\"|Text  |Key data|Text :");
        assert_eq!(shown(4), "Text     |String 'a'");
    }

    #[test]
    fn languages_are_told_by_their_text() {
        assert_eq!(Language::of("x.yaml", "\n{\"a\":1}"), Language::Json);
        assert_eq!(Language::of("x.yaml", "StartAt: A"), Language::Yaml);
        assert_eq!(
            Language::of("x.sfn", "Pass()\n    \"\"\"A\"\"\"\n"),
            Language::Dsl
        );
    }
}
