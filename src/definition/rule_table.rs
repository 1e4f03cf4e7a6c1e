//! The table of all lint rules, which the documentation prints and `--allow` uses.

use super::rule::{LintRule, Severities, Standing};
use super::{check, lower};
use crate::source::{Diagnostic, did_you_mean};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::OnceLock;

/// Every rule by number, each followed by its exceptions.
#[doc = include_str!("../../docs/reference/rules.md")]
#[must_use]
pub fn rules() -> &'static [LintRule] {
    static TABLE: OnceLock<Vec<LintRule>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let parts = lower::RULES.iter().chain(check::RULES);
        let mut table: Vec<LintRule> = parts.copied().flatten().copied().collect();
        table.sort_by_key(|rule| rule.number);
        table
    })
}

/// A Markdown table of all rules, for the documentation.
#[must_use]
pub fn rules_markdown() -> String {
    let mut text = String::from(
        "| Rule | Name | Code | `aws` | `spec` | What it finds |\n|---|---|---|---|---|---|\n",
    );
    for rule in rules() {
        let Severities { aws, spec } = rule.severity;
        let (number, summary) = (rule.number, rule.summary.replace('|', "\\|"));
        let (name, code) = (rule.name, rule.code);
        let line = match rule.standing {
            Standing::Rule => {
                format!("| {number} | `{name}` | `{code}` | {aws} | {spec} | {summary} |")
            }
            Standing::Exception => format!("| | | `{code}` | {aws} | {spec} | … {summary} |"),
        };
        writeln!(text, "{line}").unwrap_or_default();
    }
    text
}

/// Names of rules whose diagnostics do not explain why a run failed: they also apply to successful runs, or they report
/// something that only AWS itself refuses.
const GENERAL: [&str; 15] = [
    "no-timeout",
    "arn",
    "no-parameters",
    "unknown-parameter",
    "missing-parameter",
    "parameter-type",
    "parameter-value",
    "inline",
    "inline-limits",
    "size",
    "deprecated",
    "version",
    "anonymous-fail",
    "no-heartbeat",
    "reserved-error",
];
impl LintRule {
    /// True if the diagnostics of the rule with this name do not explain why a run failed.
    #[must_use]
    pub fn is_general(name: &str) -> bool {
        GENERAL.contains(&name)
    }

    /// The rule with a number; `None` for 0, which is not a rule.
    #[must_use]
    pub fn of(number: u8) -> Option<&'static Self> {
        rules().iter().find(|rule| rule.number == number)
    }
}

/// The rules whose diagnostics are suppressed, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(BTreeSet<u8>);

impl Allowed {
    /// Suppresses the diagnostics of the rule with this name or number.
    ///
    /// # Errors
    /// A message that suggests the most similar name, if there is no such rule.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        let rule = rules()
            .iter()
            .find(|rule| rule.name == name || rule.number.to_string() == name);
        match rule {
            Some(rule) => {
                self.0.insert(rule.number);
                Ok(())
            }
            None => {
                let hint = did_you_mean(name, rules().iter().map(|rule| rule.name));
                let hint = hint.unwrap_or_else(|| {
                    "asldbg check prints the name of each rule, such as no-default, beside the rule's code"
                        .to_string()
                });
                Err(format!("there is no rule \"{name}\"; {hint}"))
            }
        }
    }

    /// True if a diagnostic is suppressed.
    #[must_use]
    pub fn hides(&self, finding: &Diagnostic) -> bool {
        self.0.contains(&finding.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_number_and_a_name_are_those_of_one_rule() {
        let plain_rules = || {
            rules()
                .iter()
                .filter(|rule| rule.standing == Standing::Rule)
        };
        let (mut numbers, mut names) = (HashSet::new(), HashSet::new());
        for rule in plain_rules() {
            assert!(numbers.insert(rule.number), "rule {} twice", rule.number);
            assert!(names.insert(rule.name), "{} twice", rule.name);
        }
    }

    #[test]
    fn an_exception_differs_from_its_rule() {
        let mut rule: Option<&LintRule> = None;
        for entry in rules() {
            match entry.standing {
                Standing::Rule => rule = Some(entry),
                Standing::Exception => {
                    let rule = rule
                        .filter(|rule| rule.number == entry.number)
                        .expect("a rule before it");
                    assert!(
                        (rule.severity, rule.code) != (entry.severity, entry.code),
                        "{}: {}",
                        rule.name,
                        entry.summary
                    );
                }
            }
        }
    }

    #[test]
    fn what_reading_finds_is_the_same_under_every_profile() {
        for rule in lower::RULES.iter().copied().flatten() {
            let checked = ["intrinsic", "retrier", "value"].contains(&rule.name);
            let same = rule.severity.aws == rule.severity.spec;
            assert!(
                same || checked && rule.standing == Standing::Exception,
                "{rule:?}"
            );
        }
    }
}
