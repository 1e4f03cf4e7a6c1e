//! Analyses which source files import each other, and the import cycles.
//!
//! A name that is re-exported counts as imported from the file that defines it. Methods are ignored.

use super::codes;
use std::collections::{BTreeMap, BTreeSet};

/// The path of a module within the crate.
type Module = Vec<String>;

/// An imported name of a `use` item: its path, and the name under which it is imported; `None` for `*`.
struct Use {
    path: Vec<String>,
    name: Option<String>,
    is_public: bool,
}

struct Source {
    place: String,
    uses: Vec<Use>,
    /// The code of the file without its `use` items.
    code: String,
    /// Names of the items that the file defines.
    items: BTreeSet<String>,
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The tokens of the code: words, `::`, and every other character except spaces.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match is_name(first) {
            true => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            false if rest.starts_with("::") => 2,
            false => first.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    tokens
}

/// Parses the `use` tree that begins at a token, up to its `;`, `,` or `}`. Returns the index after the tree.
fn tree(tokens: &[&str], mut at: usize, prefix: &[String], uses: &mut Vec<Use>) -> usize {
    let mut path = prefix.to_vec();
    let mut put = |path: Vec<String>, name: Option<String>| {
        uses.push(Use {
            path,
            name,
            is_public: false,
        });
    };
    while let Some(token) = tokens.get(at) {
        match *token {
            "::" => at += 1,
            "*" => {
                put(path, None);
                return at + 1;
            }
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = tree(tokens, at, &path, uses);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            name => {
                at += 1;
                if name != "self" || path.is_empty() {
                    path.push(name.trim_start_matches("r#").to_string());
                }
                if tokens.get(at) == Some(&"::") {
                    continue;
                }
                let mut last = path.last().cloned();
                if tokens.get(at) == Some(&"as") {
                    last = tokens.get(at + 1).map(|name| (*name).to_string());
                    at += 2;
                }
                put(path, last);
                return at;
            }
        }
    }
    at
}

/// Separates the `use` items from the other code.
fn read(place: &str, code: &str) -> Source {
    const ITEMS: [&str; 9] = [
        "struct",
        "enum",
        "union",
        "trait",
        "type",
        "fn",
        "const",
        "static",
        "macro_rules",
    ];
    let all = tokens(code);
    let (mut uses, mut rest, mut items, mut at) = (Vec::new(), Vec::new(), BTreeSet::new(), 0);
    while let Some(token) = all.get(at) {
        if *token == "use" {
            let first = uses.len();
            at = tree(&all, at + 1, &[], &mut uses);
            let is_public = matches!(rest.last(), Some(&"pub" | &")"));
            uses.iter_mut()
                .skip(first)
                .for_each(|leaf| leaf.is_public = is_public);
        } else if *token == "pub" && all.get(at + 1) == Some(&"(") {
            // The path in a visibility such as `pub(in …)` is not an import.
            rest.push("pub");
            at += all[at..]
                .iter()
                .position(|token| *token == ")")
                .map_or(1, |n| n + 1);
        } else {
            if ITEMS.contains(token) {
                items.extend(all.get(at + 1).map(|name| (*name).to_string()));
            }
            rest.push(token);
            at += 1;
        }
    }
    Source {
        place: place.to_string(),
        uses,
        code: rest.join(" "),
        items,
    }
}

struct Crate(BTreeMap<Module, Source>);

impl Crate {
    fn read() -> Self {
        let module = |place: &str| -> Module {
            let stem = place.trim_end_matches(".rs");
            let parts = stem.split('/').map(str::to_string);
            parts
                .filter(|part| part != "mod" && part != "lib")
                .collect()
        };
        let codes = codes().iter().filter(|(place, _)| *place != "main.rs");
        Self(
            codes
                .map(|(place, code)| (module(place), read(place, code)))
                .collect(),
        )
    }

    /// The module that defines the item with this path, as seen from the module `from`; `None` for items of other
    /// crates.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let source = self.0.get(from)?;
        let (first, _) = path.split_first().filter(|_| depth < 16)?;
        let up = path.iter().take_while(|part| *part == "super").count();
        let child = |module: &Module, name: &String| {
            let below: Module = module.iter().chain([name]).cloned().collect();
            self.0.contains_key(&below).then_some(below)
        };
        let (mut at, mut rest) = match first.as_str() {
            "crate" => (Module::new(), path.get(1..)?),
            "self" => (from.clone(), path.get(1..)?),
            "super" => (
                from[..from.len().saturating_sub(up)].to_vec(),
                path.get(up..)?,
            ),
            _ if child(from, first).is_some() => (from.clone(), path),
            _ => {
                let named =
                    |leaf: &&Use| leaf.name.as_ref() == Some(first) && leaf.path[0] != *first;
                let alias = source.uses.iter().find(named)?;
                let whole = [&alias.path, path.get(1..)?].concat();
                return self.resolve(from, &whole, depth + 1);
            }
        };
        while let Some((name, behind)) = rest.split_first() {
            if let Some(below) = child(&at, name) {
                (at, rest) = (below, behind);
                continue;
            }
            let source = self.0.get(&at)?;
            if source.items.contains(name) {
                return Some(at);
            }
            if let Some(alias) = source
                .uses
                .iter()
                .find(|leaf| leaf.name.as_ref() == Some(name))
            {
                let whole = [&alias.path, behind].concat();
                return self.resolve(&at, &whole, depth + 1);
            }
            let globs = source.uses.iter().filter(|leaf| leaf.name.is_none());
            let mut targets = globs.filter_map(|leaf| self.resolve(&at, &leaf.path, depth + 1));
            let defines =
                |module: &Module| self.0.get(module).is_some_and(|it| it.items.contains(name));
            return Some(targets.find(defines).unwrap_or(at));
        }
        Some(at)
    }

    /// The modules that a module imports from. A re-export counts only if the module itself uses the name.
    fn imports(&self, module: &Module, source: &Source) -> BTreeSet<Module> {
        let words: Vec<&str> = source.code.split(' ').collect();
        let uses = source.uses.iter().filter(|leaf| {
            let is_used = |name: &String| words.contains(&name.as_str());
            !leaf.is_public || leaf.name.as_ref().is_some_and(is_used)
        });
        let mut paths: Vec<Vec<String>> = uses.map(|leaf| leaf.path.clone()).collect();
        for (at, word) in words.iter().enumerate() {
            let begins = at == 0 || words[at - 1] != "::";
            if begins && words.get(at + 1) == Some(&"::") && word.starts_with(is_name) {
                let mut path = vec![(*word).to_string()];
                let mut at = at + 1;
                while words.get(at) == Some(&"::")
                    && words.get(at + 1).is_some_and(|w| w.starts_with(is_name))
                {
                    path.push(words[at + 1].to_string());
                    at += 2;
                }
                let is_path = ["crate", "self", "super"].contains(word);
                let below: Module = module.iter().chain([&path[0]]).cloned().collect();
                if is_path || self.0.contains_key(&below) {
                    paths.push(path);
                }
            }
        }
        let targets = paths
            .iter()
            .filter_map(|path| self.resolve(module, path, 0));
        targets
            .filter(|target| target != module && !target.is_empty())
            .collect()
    }
}

/// The files that each file imports from, by path below `src`.
pub fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let sources = Crate::read();
    (sources.0.iter())
        .map(|(module, source)| {
            let all = sources.imports(module, source);
            let all = all.iter().map(|at| sources.0[at].place.clone()).collect();
            (source.place.clone(), all)
        })
        .collect()
}

/// The import cycles: sets of files that import each other, directly or through other files.
pub fn circles() -> Vec<BTreeSet<String>> {
    let imports = imports();
    let reached: BTreeMap<&String, BTreeSet<&String>> = (imports.keys())
        .map(|start| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![start]);
            while let Some(at) = open.pop() {
                open.extend(imports[at].iter().filter(|next| reached.insert(*next)));
            }
            (start, reached)
        })
        .collect();
    let mut circles: Vec<BTreeSet<String>> = Vec::new();
    for (start, all) in &reached {
        let circle: BTreeSet<String> = (all.iter())
            .filter(|at| reached[**at].contains(start))
            .map(|at| (*at).clone())
            .collect();
        if circle.len() > 1 && circle.first() == Some(*start) {
            circles.push(circle);
        }
    }
    circles
}
