//! Parses `--task`, which consists of a pattern for tasks and the target that answers them.

use super::aws::{Aws, account, refusal};
use super::http::{Address, Guess};
use super::program::find_program;
use super::request::{fits, function, names, task_of};
use crate::definition::{Definition, Integration, State, Task};
use crate::json::Value;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Maximum number of simultaneous calls of a target.
const MOST: usize = 16;

/// The configured targets with their patterns, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    rules: Vec<Rule>,
}

/// A pattern for tasks, with the target that answers them.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pattern: String,
    pub(super) target: Target,
    /// The target as the user wrote it.
    pub(super) text: String,
}

/// A target that answers tasks.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Http(Address),
    /// The program with its arguments.
    Program(PathBuf, Vec<String>),
    /// The `aws` program, which calls the task's action.
    Aws(Aws),
}

/// The reason why a `--task` value is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unread {
    /// The text does not have the form `PATTERN=TARGET`.
    #[error("write the target as PATTERN=TARGET, for example ChargeCard=http://127.0.0.1:9001")]
    NoPair,
    /// The address is invalid.
    #[error("{0} is not a URL of the form http://HOST:PORT/PATH")]
    NoAddress(String),
    /// The protocol is not supported.
    #[error("{0} cannot be called directly; name a program that calls this URL, for example curl")]
    Protocol(String),
    /// The user gave options for `aws`, but no target is `aws`.
    #[error(
        "the options after -- are for aws, but no --task option names aws; add an option, for example --task 'dynamodb:*=aws'"
    )]
    NoAws,
    /// There is no program with this name.
    #[error("the program {0} was not found")]
    NoProgram(String),
    /// The command line contains a quotation mark without its closing counterpart.
    #[error("a quote is not closed in {0}")]
    Quote(String),
}

impl Targets {
    /// Parses values of the form `PATTERN=TARGET`.
    ///
    /// # Errors
    /// If one of the values is invalid.
    pub fn parse(texts: &[String]) -> Result<Self, Unread> {
        let rules = texts.iter().map(|text| Rule::parse(text));
        let rules = rules.collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }

    /// Adds options to every target that is `aws`.
    ///
    /// # Errors
    /// If no target is `aws`.
    pub fn with_options(mut self, options: &[String]) -> Result<Self, Unread> {
        let aws = self
            .rules
            .iter_mut()
            .filter_map(|rule| match &mut rule.target {
                Target::Aws(aws) => Some(aws),
                _ => None,
            });
        let mut is_meant = options.is_empty();
        for aws in aws {
            aws.options.extend(options.iter().cloned());
            is_meant = true;
        }
        is_meant.then_some(self).ok_or(Unread::NoAws)
    }

    /// The AWS accounts that calls may reach because their target is `aws` without the option `--endpoint-url`. Returns
    /// the pattern of each of these targets, with the account and region or, if they cannot be determined, with the
    /// error message of `aws`.
    pub fn accounts(&self) -> impl Iterator<Item = (String, Result<String, String>)> {
        self.rules.iter().filter_map(|rule| match &rule.target {
            Target::Aws(aws) if !aws.has_endpoint() => Some((rule.pattern.clone(), account(aws))),
            _ => None,
        })
    }

    /// Appends other targets. They have lower priority, because the first matching pattern decides.
    #[must_use]
    pub fn then(mut self, others: Self) -> Self {
        self.rules.extend(others.rules);
        self
    }

    /// True if there are no targets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The first rule whose pattern matches the task of a state and whose target can answer this task.
    pub(super) fn rule(&self, state: &State, input: Option<&Value>) -> Option<&Rule> {
        let task = task_of(state)?;
        let can = |rule: &&Rule| rule.means(state, input) && rule.refusal(task).is_none();
        self.rules.iter().find(can)
    }

    /// A sentence about each target, for use before the definition is known.
    pub fn named(&self) -> impl Iterator<Item = String> {
        let rules = self.rules.iter();
        rules.map(|rule| {
            let (task, target) = (&rule.pattern, &rule.text);
            format!("{task} is answered by {target}")
        })
    }

    /// Returns a sentence for each state whose task matches a pattern: which target answers the task, or why the target
    /// of the pattern cannot answer it. Also returns a sentence for each pattern that matches no task.
    #[must_use]
    pub fn sentences(&self, definition: &Definition) -> Vec<String> {
        let states = || definition.states.iter();
        let named = |state: &State| {
            let name = &state.name;
            if let Some(Rule { text: target, .. }) = self.rule(state, None) {
                return Some(format!("{name} is answered by {target}"));
            }
            let task = task_of(state)?;
            let rule = self.rules.iter().find(|rule| rule.means(state, None));
            let why = rule?.refusal(task)?;
            Some(format!("{name}: {why}"))
        };
        // Some tasks get the name of their function only from the input of the call, so a pattern without a match may
        // still match them.
        let is_open = states().filter_map(task_of).any(|task| {
            matches!(&task.integration, Integration::Service { service, .. } if &**service == "lambda")
                && function(task, None).is_none()
        });
        let is_idle = |rule: &&Rule| !is_open && !states().any(|state| rule.means(state, None));
        let idle = self.rules.iter().filter(is_idle);
        let idle = idle.map(|rule| format!("no task matches {pattern}", pattern = rule.pattern));
        states().filter_map(named).chain(idle).collect()
    }
}

impl Rule {
    /// Maximum number of simultaneous calls to the target. An emulator of Lambda's runtime can only process one call at
    /// a time.
    pub(super) fn most(&self) -> usize {
        match &self.target {
            Target::Http(address) if address.guesses() => 1,
            _ => MOST,
        }
    }

    /// True if the pattern matches the task of a state; `input` is the input of the call, if known.
    fn means(&self, state: &State, input: Option<&Value>) -> bool {
        let names = task_of(state).map(|task| names(state, task, input));
        let mut names = names.iter().flatten();
        names.any(|name| fits(&self.pattern, name))
    }

    /// The reason why the target cannot answer this task; `None` if it can.
    fn refusal(&self, task: &Task) -> Option<&'static str> {
        match self.target {
            Target::Aws(_) => refusal(task),
            _ => None,
        }
    }

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
        let (words, is_closed) = words(text);
        if !is_closed {
            return Err(Unread::Quote(text.to_string()));
        }
        let mut words = words.into_iter();
        let name = words.next().ok_or(Unread::NoPair)?;
        if name.contains("://") || guess == Guess::Error {
            return Err(Unread::Protocol(address.to_string()));
        }
        let is_aws = Path::new(&name)
            .file_stem()
            .is_some_and(|file| file == "aws");
        let program = find_program(&name).ok_or(Unread::NoProgram(name))?;
        let options = words.collect();
        Ok(match is_aws {
            true => Self::Aws(Aws { program, options }),
            false => Self::Program(program, options),
        })
    }
}

/// Splits a command line into words at spaces outside quotes (`"` or `'`); the second value is false if a quote is not
/// closed.
#[must_use]
pub fn words(text: &str) -> (Vec<String>, bool) {
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
    words.extend(word);
    (words, quote.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_by_blanks_but_within_quotes() {
        assert_eq!(words("a  b").0, ["a", "b"]);
        assert_eq!(words("'a b' \"c 'd\" ''").0, ["a b", "c 'd", ""]);
        assert!(!words("'a").1);
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
            ("a='x", Unread::Quote("'x".into())),
        ] {
            assert_eq!(Rule::parse(text).map(|_| ()), Err(wanted), "{text}");
        }
    }
}
