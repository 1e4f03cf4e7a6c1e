//! What a person wrote for `--task`: which tasks, and who answers them.

use super::http::{Address, Guess};
use super::pattern::{fits, function, names, task_of};
use crate::definition::{Definition, Integration, State};
use crate::json::Value;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Whom a person named for tasks, in the order in which they were named.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    rules: Vec<Rule>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pattern: String,
    pub(super) target: Target,
    /// As it was written.
    pub(super) text: String,
}

/// Who answers.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Http(Address),
    /// The program with its arguments.
    Program(PathBuf, Vec<String>),
}

/// Why a text names nobody.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unread {
    /// It has not two parts.
    #[error("write it as PATTERN=TARGET: ChargeCard=http://127.0.0.1:9001")]
    NoPair,
    /// It is no address.
    #[error("{0} is no address of the form http://HOST:PORT/PATH")]
    NoAddress(String),
    /// A protocol that is not spoken.
    #[error("{0} cannot be called; give a program that calls it, for example curl")]
    Protocol(String),
    /// The program `aws`, which does not read JSON.
    #[error(
        "aws does not read a task's input from standard input; give a program that calls aws, or an address"
    )]
    Aws,
    /// No file of the program's name.
    #[error("there is no program {0}")]
    NoProgram(String),
    /// A quote is not closed.
    #[error("a quote is not closed in {0}")]
    Quote(String),
}

impl Targets {
    /// Reads what was written for each, as `PATTERN=TARGET`.
    ///
    /// # Errors
    /// Why one of them names nobody.
    pub fn parse(texts: &[String]) -> Result<Self, Unread> {
        let rules = texts.iter().map(|text| Rule::parse(text));
        let rules = rules.collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }

    /// These, and after them others.
    #[must_use]
    pub fn then(mut self, others: Self) -> Self {
        self.rules.extend(others.rules);
        self
    }

    /// Whether nobody is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Who answers the task of a state, if somebody is named for it.
    pub(super) fn rule(&self, state: &State, input: Option<&Value>) -> Option<&Rule> {
        let names = names(state, task_of(state)?, input);
        let is_meant = |rule: &&Rule| names.iter().any(|name| fits(&rule.pattern, name));
        self.rules.iter().find(is_meant)
    }

    /// A sentence for each target, for definitions that are not known yet.
    pub fn named(&self) -> impl Iterator<Item = String> {
        let rules = self.rules.iter();
        rules.map(|rule| format!("{} is answered by {}", rule.pattern, rule.text))
    }

    /// Which states of a definition are answered by whom, a sentence each, and which patterns mean none of them.
    #[must_use]
    pub fn told(&self, definition: &Definition) -> Vec<String> {
        let states = || definition.states.iter();
        let named = |state: &State| {
            let rule = self.rule(state, None)?;
            let text = &rule.text;
            Some(format!("{} is answered by {text}", state.name))
        };
        // The name of a function may be known only when it is called.
        let is_open = states().filter_map(task_of).any(|task| {
            matches!(&task.integration, Integration::Service { service, .. } if &**service == "lambda")
                && function(task, None).is_none()
        });
        let idle = self.rules.iter().filter(|rule| {
            let means = |state: &State| {
                task_of(state).is_some_and(|task| {
                    let names = names(state, task, None);
                    names.iter().any(|name| fits(&rule.pattern, name))
                })
            };
            !is_open && !states().any(means)
        });
        let idle = idle.map(|rule| format!("no task is called {}", rule.pattern));
        states().filter_map(named).chain(idle).collect()
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self, Unread> {
        let (pattern, target) = text.split_once('=').ok_or(Unread::NoPair)?;
        let (pattern, target) = (pattern.trim(), target.trim());
        if pattern.is_empty() || target.is_empty() {
            return Err(Unread::NoPair);
        }
        Ok(Self {
            pattern: pattern.to_string(),
            target: Target::parse(target)?,
            text: target.to_string(),
        })
    }
}

impl Target {
    fn parse(text: &str) -> Result<Self, Unread> {
        let (guess, address) = match text.strip_prefix("rie:") {
            Some(address) => (Guess::Error, address),
            None => (Guess::ByPath, text),
        };
        if address.starts_with("http://") {
            let read = Address::parse(address, guess);
            return read
                .map(Self::Http)
                .ok_or_else(|| Unread::NoAddress(address.to_string()));
        }
        if address.contains("://") || guess == Guess::Error {
            return Err(Unread::Protocol(address.to_string()));
        }
        let mut words = words(text)?.into_iter();
        let name = words.next().ok_or(Unread::NoPair)?;
        if Path::new(&name)
            .file_name()
            .is_some_and(|file| file == "aws")
        {
            return Err(Unread::Aws);
        }
        let program = found(&name).ok_or(Unread::NoProgram(name))?;
        Ok(Self::Program(program, words.collect()))
    }
}

/// The words of a command line: parted by blanks, but within quotes.
fn words(text: &str) -> Result<Vec<String>, Unread> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for sign in text.chars() {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (None, '"' | '\'') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, _) if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    if quote.is_some() {
        return Err(Unread::Quote(text.to_string()));
    }
    words.extend(word);
    Ok(words)
}

/// The file of a program: as its path says, else in the absolute folders of PATH.
fn found(name: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return std::path::absolute(name).ok().filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_by_blanks_but_within_quotes() {
        assert_eq!(words("a  b").unwrap(), ["a", "b"]);
        assert_eq!(words("'a b' \"c 'd\" ''").unwrap(), ["a b", "c 'd", ""]);
        assert!(words("'a").is_err());
    }

    #[test]
    fn what_names_nobody_is_refused() {
        for (text, wanted) in [
            ("Charge", Unread::NoPair),
            ("=http://127.0.0.1", Unread::NoPair),
            ("Charge=", Unread::NoPair),
            ("a=http://", Unread::NoAddress("http://".into())),
            ("a=https://x", Unread::Protocol("https://x".into())),
            ("a=ftp://x", Unread::Protocol("ftp://x".into())),
            ("a=rie:x", Unread::Protocol("x".into())),
            ("a=./no/such", Unread::NoProgram("./no/such".into())),
            ("a=aws --profile x", Unread::Aws),
            ("a='x", Unread::Quote("'x".into())),
        ] {
            assert_eq!(Rule::parse(text).map(|_| ()), Err(wanted), "{text}");
        }
    }
}
