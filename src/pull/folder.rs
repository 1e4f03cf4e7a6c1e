//! Writes a fetched execution to a folder: the JSON that AWS returned, in files with names that `asldbg` recognizes.

use super::arn::Arn;
use super::fetched::Fetched;
use crate::headless::Refusal;
use crate::history::redact::Redaction;
use crate::json::{Value, escaped, parse, pretty};
use crate::source::store::{self, FolderDraft, Readers, Replace};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Writes fetched data to the target folder and, if the user wants it, redacts them.
pub(super) struct Folder {
    into: Option<PathBuf>,
    replace: Replace,
    redaction: Option<Redaction>,
}

impl Folder {
    /// Creates the writer of a folder; nothing is written yet.
    ///
    /// # Errors
    /// If a redaction pattern is invalid.
    pub(super) fn new(
        into: Option<PathBuf>,
        replace: Replace,
        redact: &[String],
    ) -> Result<Self, Refusal> {
        let redaction = match redact {
            [] => None,
            patterns => Some(Redaction::of(patterns).map_err(Refusal::new)?),
        };
        Ok(Self {
            into,
            replace,
            redaction,
        })
    }

    /// Checks that the target folder does not exist yet or may be replaced; called before anything is fetched.
    ///
    /// # Errors
    /// If the folder exists already and must not be replaced.
    pub(super) fn look(&mut self, arn: &Arn) -> Result<(), Refusal> {
        let target = self.target(arn);
        let there = std::fs::symlink_metadata(&target).is_ok();
        match there && self.replace == Replace::Nothing {
            true => Err(Refusal::new(format!(
                "{folder} already exists; --replace fetches its files again, --into FOLDER writes to another folder",
                folder = target.display()
            ))),
            false => Ok(()),
        }
    }

    /// Writes everything that was fetched; writes the history last. Returns the path of the history.
    ///
    /// # Errors
    /// If a file cannot be written; in this case the folder stays as it was.
    pub(super) fn write(&mut self, fetched: &Fetched) -> Result<PathBuf, Refusal> {
        if let Some(redaction) = &mut self.redaction {
            for execution in fetched.all() {
                documents(execution)
                    .iter()
                    .for_each(|document| redaction.learn(document));
            }
        }
        let (target, name) = (self.target(&fetched.arn), self.name(&fetched.arn));
        let draft = FolderDraft::begin(&target, self.replace);
        let mut draft = draft.map_err(|error| Refusal::new(error.to_string()))?;
        self.write_one(fetched, Path::new(""), &name, &mut draft)?;
        draft
            .finish()
            .map_err(|error| Refusal::new(error.to_string()))?;
        Ok(target.join(format!("{name}.history.json")))
    }

    /// Writes the description and the history again, for an execution that was running and has new data.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub(super) fn update(&mut self, fetched: &Fetched) -> Result<(), Refusal> {
        let (target, name) = (self.target(&fetched.arn), self.name(&fetched.arn));
        if let Some(redaction) = &mut self.redaction {
            documents(fetched)
                .iter()
                .for_each(|document| redaction.learn(document));
        }
        let mut files = Vec::new();
        if let Some(description) = &fetched.description {
            files.push((format!("{name}.execution.json"), self.text(description)));
        }
        files.push((format!("{name}.history.json"), self.text(&history(fetched))));
        for (file, text) in files {
            let file = target.join(file);
            store::write(&file, text.as_bytes(), Replace::Regular, Readers::Default)
                .map_err(|error| Refusal::new(error.to_string()))?;
        }
        Ok(())
    }

    /// The summary of the fetched execution, with redacted values.
    pub(super) fn seen(&mut self, fetched: &Fetched) -> String {
        let mut seen = Fetched::new(&fetched.arn);
        seen.events.clone_from(&fetched.events);
        seen.description = fetched
            .description
            .as_ref()
            .map(|description| self.replaced(description));
        seen.summary()
    }

    /// Returns a sentence about the fetched execution with its values redacted.
    pub(super) fn redacted(&mut self, sentence: &str) -> String {
        match &mut self.redaction {
            Some(redaction) => redaction.replace_text(sentence),
            None => sentence.to_string(),
        }
    }

    fn write_one(
        &mut self,
        fetched: &Fetched,
        folder: &Path,
        name: &str,
        draft: &mut FolderDraft,
    ) -> Result<(), Refusal> {
        let mut write = |file: &Path, text: &str| {
            let written = draft.write(file, text.as_bytes());
            written.map_err(|error| Refusal::new(error.to_string()))
        };
        if let Some(definition) = &fetched.definition {
            let text = self.definition(definition);
            write(&folder.join(format!("{name}.asl.json")), &text)?;
        }
        if let Some(description) = &fetched.description {
            let text = self.text(description);
            write(&folder.join(format!("{name}.execution.json")), &text)?;
        }
        let within = folder.join(format!("{name}.children"));
        let mut names = BTreeSet::new();
        for run in &fetched.map_runs {
            let arn = run
                .get("mapRunArn")
                .and_then(Value::as_str)
                .unwrap_or("map-run");
            let child_name = arn.splitn(7, ':').nth(6).unwrap_or(arn);
            let child_name = child_name
                .split_once('/')
                .map_or(child_name, |(_, label)| label)
                .replace(':', "-");
            let child_name = self.redacted(&child_name);
            let child_name = unique(file_name(&child_name), arn, &mut names);
            let text = self.text(run);
            write(&within.join(format!("{child_name}.map-run.json")), &text)?;
        }
        for child in &fetched.children {
            let child_name = unique(self.name(&child.arn), &child.arn.text, &mut names);
            self.write_one(child, &within, &child_name, draft)?;
        }
        let text = self.text(&history(fetched));
        let written = draft.write(
            &folder.join(format!("{name}.history.json")),
            text.as_bytes(),
        );
        written.map_err(|error| Refusal::new(error.to_string()))
    }

    /// The text to write to a file for a JSON document: redacted if the user wants it, with terminal control characters
    /// escaped.
    fn text(&mut self, document: &Value) -> String {
        let text = pretty(&self.replaced(document));
        escaped(&text).into_owned() + "\n"
    }

    /// The text to write for the definition: redacted if the user wants it, otherwise as AWS returned it, but with
    /// terminal control characters escaped.
    fn definition(&mut self, text: &str) -> String {
        match (parse(text), &self.redaction) {
            (Ok(document), Some(_)) => self.text(&document),
            (Err(_), Some(_)) => self.redacted(text),
            _ => escaped(text).into_owned(),
        }
    }

    fn replaced(&mut self, document: &Value) -> Value {
        match &mut self.redaction {
            Some(redaction) => redaction.replace(document),
            None => document.clone(),
        }
    }

    fn target(&mut self, arn: &Arn) -> PathBuf {
        match &self.into {
            Some(folder) => folder.clone(),
            None => self.name(arn).into(),
        }
    }

    fn name(&mut self, arn: &Arn) -> String {
        file_name(&self.redacted(&arn.name))
    }
}

/// All documents of an execution that will be written. The redaction collects the values to redact from these documents
/// before it changes any of them.
fn documents(fetched: &Fetched) -> Vec<Value> {
    let definition = fetched
        .definition
        .as_deref()
        .and_then(|text| parse(text).ok());
    let mut documents = vec![history(fetched)];
    documents.extend(fetched.description.clone());
    documents.extend(definition);
    documents.extend(fetched.map_runs.iter().cloned());
    documents.push(Value::string(fetched.arn.text.as_str()));
    documents
}

/// The history, as if AWS had returned it in a single page: in the form of `aws stepfunctions get-execution-history` or
/// `aws logs filter-log-events`.
fn history(fetched: &Fetched) -> Value {
    Value::object(vec![(
        "events".into(),
        Value::array(fetched.events.clone()),
    )])
}

/// Converts a name from a response to a valid file name. If the name is not valid or is too long, replaces characters,
/// shortens it, and adds a digest that makes the file name unique.
fn file_name(name: &str) -> String {
    let longest = 120;
    if store::is_file_name(name) && name.len() <= longest {
        return name.to_string();
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let plain: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .take(longest)
        .collect();
    let plain = plain.trim_start_matches(['.', '-', '_']);
    format!("execution-{plain}-{}", digest(name))
}

fn unique(name: String, arn: &str, names: &mut BTreeSet<String>) -> String {
    // Names are compared in lower case, because some file systems ignore case.
    match names.insert(name.to_lowercase()) {
        true => name,
        false => format!("{name}-{}", digest(arn)),
    }
}

/// The first eight hexadecimal digits of a text's digest.
fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        assert_eq!(file_name("run-1"), "run-1");
        for name in [
            "../x",
            "/etc/passwd",
            "-rf",
            ".hidden",
            "",
            "a\u{1b}b",
            &"x".repeat(300),
        ] {
            let made = file_name(name);
            assert!(store::is_file_name(&made), "{name:?}: {made}");
            assert!(made.len() < 150, "{made}");
        }
        assert_ne!(file_name("a/b"), file_name("a:b"));
        let mut names = BTreeSet::new();
        assert_eq!(unique("A".into(), "arn:1", &mut names), "A");
        assert!(unique("a".into(), "arn:2", &mut names).starts_with("a-"));
    }
}
