//! Lint rules with their severity under each profile, and the table of all of them, which the documentation prints and
//! `--allow` uses.

use super::{check, lower};
use crate::query::Profile;
use crate::source::{Diagnostic, Severity, did_you_mean};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::OnceLock;

/// A lint rule, or an exception to one: the same rule with another severity or code under some condition.
///
/// Diagnostics are created from it, so that they always agree with the table of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LintRule {
    /// The number of the rule, which diagnostics refer to. An exception has the number of its rule.
    pub number: u8,
    /// Short name, by which the diagnostics of the rule can be suppressed.
    pub name: &'static str,
    /// The code of its diagnostics: AWS's code if there is one; otherwise ours, in the same style.
    pub code: &'static str,
    /// Severity under each profile.
    pub severity: Severities,
    /// Description of what the rule finds; for an exception, the condition under which it applies.
    pub summary: &'static str,
    /// Tells if this is the rule itself or an exception to it.
    pub standing: Standing,
}

/// Distinguishes rules from exceptions to the rule before them in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The rule itself.
    Rule,
    /// An exception that replaces the rule under a condition.
    Exception,
}

/// Severity of a rule under each profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Severities {
    /// Under `--profile aws`.
    pub aws: Severity,
    /// Under `--profile spec`.
    pub spec: Severity,
}

impl Severities {
    /// The language forbids it.
    pub(super) const ERROR: Self = Self::both(Severity::Error);
    /// It is probably a mistake.
    pub(super) const WARNING: Self = Self::both(Severity::Warning);
    /// It is useful to know.
    pub(super) const INFO: Self = Self::both(Severity::Info);
    /// It is probably a mistake on AWS; elsewhere it is only useful to know.
    pub(super) const ON_AWS: Self = Self {
        aws: Severity::Warning,
        spec: Severity::Info,
    };
    /// The language allows it, but AWS refuses it.
    pub(super) const REFUSED_BY_AWS: Self = Self {
        aws: Severity::Error,
        spec: Severity::Warning,
    };

    const fn both(severity: Severity) -> Self {
        Self {
            aws: severity,
            spec: severity,
        }
    }
}

/// Declares rules as constants, together with `RULES`, the list of them.
///
/// Each line has a constant, a number, a name, a code, severities and a description. It may be followed by exceptions
/// in braces: a constant, the code in parentheses if it differs, severities, and the condition.
macro_rules! lint_rules {
    ($($rule:ident = $number:literal, $name:literal, $code:literal, $severity:expr, $summary:literal
        $({ $($other:ident $(($other_code:literal))? = $other_severity:expr, $condition:literal;)+ })?;)+) => {
        $(
            #[doc = concat!("Rule ", $number, ": ", $summary, ".")]
            pub(in $crate::definition) const $rule: $crate::definition::rule::LintRule = $crate::definition::rule::LintRule {
                number: $number,
                name: $name,
                code: $code,
                severity: $severity,
                summary: $summary,
                standing: $crate::definition::rule::Standing::Rule,
            };
            $($(
                #[doc = concat!("Exception to rule ", $number, ": ", $condition, ".")]
                pub(in $crate::definition) const $other: $crate::definition::rule::LintRule = $crate::definition::rule::LintRule {
                    $(code: $other_code,)?
                    severity: $other_severity,
                    summary: $condition,
                    standing: $crate::definition::rule::Standing::Exception,
                    ..$rule
                };
            )+)?
        )+
        /// The rules declared here, each before its exceptions.
        pub(in $crate::definition) const RULES: &[$crate::definition::rule::LintRule] = &[$($rule, $($($other,)+)?)+];
    };
}
pub(super) use lint_rules;

impl LintRule {
    /// Severity under a profile.
    #[must_use]
    pub fn severity(&self, profile: Profile) -> Severity {
        match profile {
            Profile::Aws => self.severity.aws,
            Profile::Spec => self.severity.spec,
        }
    }

    /// Creates a diagnostic of this rule, without a place or help.
    pub(super) fn found(&self, profile: Profile, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.severity(profile), self.code, self.number, message)
    }

    /// Creates a diagnostic while a definition is parsed, for a rule whose severity does not depend on the profile.
    pub(super) fn found_reading(&self, message: impl Into<String>) -> Diagnostic {
        debug_assert_eq!(
            self.severity.aws, self.severity.spec,
            "reading knows no profile, and {} depends on it",
            self.name
        );
        self.found(Profile::Aws, message)
    }

    /// Changes a diagnostic of a rule into one of this exception to the rule.
    pub(super) fn restate(&self, found: &mut Diagnostic, profile: Profile) {
        debug_assert_eq!(self.number, found.rule, "an exception to another rule");
        found.severity = self.severity(profile);
        found.code = self.code;
    }
}

/// Every rule by number, each before its exceptions.
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

/// Rules whose diagnostics do not explain why a run failed: they also apply to successful runs, or only AWS itself
/// refuses what they report.
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

/// Rules whose diagnostics are suppressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(BTreeSet<u8>);

impl Allowed {
    /// Adds a rule by its name or its number.
    ///
    /// # Errors
    /// A message with the most similar name, if there is no such rule.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        let found = rules()
            .iter()
            .find(|rule| rule.name == name || rule.number.to_string() == name);
        match found {
            Some(rule) => {
                self.0.insert(rule.number);
                Ok(())
            }
            None => {
                let near = did_you_mean(name, rules().iter().map(|rule| rule.name));
                let near = near.unwrap_or_else(|| {
                    "check prints a rule's name beside the code, as no-default".to_string()
                });
                Err(format!("there is no rule \"{name}\"; {near}"))
            }
        }
    }

    /// True if a diagnostic is suppressed.
    #[must_use]
    pub fn hides(&self, found: &Diagnostic) -> bool {
        self.0.contains(&found.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_number_and_a_name_are_those_of_one_rule() {
        let own = || {
            rules()
                .iter()
                .filter(|rule| rule.standing == Standing::Rule)
        };
        let (mut numbers, mut names) = (HashSet::new(), HashSet::new());
        for rule in own() {
            assert!(numbers.insert(rule.number), "rule {} twice", rule.number);
            assert!(names.insert(rule.name), "{} twice", rule.name);
        }
    }

    #[test]
    fn an_exception_differs_from_its_rule() {
        let mut rule: Option<&LintRule> = None;
        for one in rules() {
            match one.standing {
                Standing::Rule => rule = Some(one),
                Standing::Exception => {
                    let rule = rule
                        .filter(|rule| rule.number == one.number)
                        .expect("a rule before it");
                    assert!(
                        (rule.severity, rule.code) != (one.severity, one.code),
                        "{}: {}",
                        rule.name,
                        one.summary
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
