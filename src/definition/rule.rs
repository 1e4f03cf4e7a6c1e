//! A lint rule, with its severity under each profile.

use crate::query::Profile;
use crate::source::{Diagnostic, Severity};

/// A lint rule, or an exception to a lint rule. Under some condition, an exception gives the rule's diagnostics another
/// severity or code.
///
/// The checks create their diagnostics from rules, so that these diagnostics always agree with the table of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LintRule {
    /// The number of the rule, which diagnostics refer to. An exception has the number of its rule.
    pub number: u8,
    /// Short name of the rule, by which a user can suppress its diagnostics.
    pub name: &'static str,
    /// The code of the rule's diagnostics: AWS's code if AWS has one; otherwise a code of this project in the same
    /// style.
    pub code: &'static str,
    /// Severity under each profile.
    pub severity: Severities,
    /// Description of the mistakes that the rule finds; for an exception, the condition under which the exception
    /// applies.
    pub summary: &'static str,
    /// The kind of this entry: a rule, or an exception to a rule.
    pub standing: Standing,
}

/// The kind of an entry in the table of rules: a rule, or an exception to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The entry is a rule.
    Rule,
    /// The entry is an exception to the nearest rule above it in the table. It replaces that rule under a condition.
    Exception,
}

/// The severities of a rule's diagnostics, one for each profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Severities {
    /// The severity under `--profile aws`.
    pub aws: Severity,
    /// The severity under `--profile spec`.
    pub spec: Severity,
}

impl Severities {
    /// An error: the language forbids the construct that the rule finds.
    pub(super) const ERROR: Self = Self::both(Severity::Error);
    /// A warning: the finding is probably a mistake.
    pub(super) const WARNING: Self = Self::both(Severity::Warning);
    /// A note: the finding is useful to know.
    pub(super) const INFO: Self = Self::both(Severity::Info);
    /// A warning on AWS, where the finding is probably a mistake; a note under the specification.
    pub(super) const ON_AWS: Self = Self {
        aws: Severity::Warning,
        spec: Severity::Info,
    };
    /// An error on AWS, which refuses the construct; a warning under the specification, which allows it.
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

/// Declares each rule and exception as a constant, and `RULES`, which lists all of them.
///
/// A rule is declared by a constant, a number, a name, a code, severities and a description. Exceptions to the rule may
/// follow in braces. An exception is declared by a constant, its code in parentheses if it differs from the rule's
/// code, severities, and the condition.
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
        /// The rules declared here, each followed by its exceptions.
        pub(in $crate::definition) const RULES: &[$crate::definition::rule::LintRule] = &[$($rule, $($($other,)+)?)+];
    };
}
pub(super) use lint_rules;

impl LintRule {
    /// The severity of this rule's diagnostics under a profile.
    #[must_use]
    pub fn severity(&self, profile: Profile) -> Severity {
        match profile {
            Profile::Aws => self.severity.aws,
            Profile::Spec => self.severity.spec,
        }
    }

    /// Creates a diagnostic of this rule, without a span or help.
    pub(super) fn finding(&self, profile: Profile, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.severity(profile), self.code, self.number, message)
    }

    /// Creates a diagnostic of this rule while a definition is parsed, when the profile is not known. The rule's
    /// severity must be the same under both profiles.
    pub(super) fn found_reading(&self, message: impl Into<String>) -> Diagnostic {
        debug_assert_eq!(
            self.severity.aws,
            self.severity.spec,
            "a definition is parsed without a profile, but rule {name} depends on the profile",
            name = self.name
        );
        self.finding(Profile::Aws, message)
    }

    /// Gives a diagnostic of a rule the severity and code of this exception to the rule.
    pub(super) fn restate(&self, finding: &mut Diagnostic, profile: Profile) {
        debug_assert_eq!(
            self.number, finding.rule,
            "the exception belongs to another rule"
        );
        finding.severity = self.severity(profile);
        finding.code = self.code;
    }
}
