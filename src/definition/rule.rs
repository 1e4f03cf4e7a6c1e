//! What a rule of `check` is, and how bad it is to break it under each profile.
//!
//! It must not know any rule: each part of reading and checking declares its own with `rules!`.

use crate::query::Profile;
use crate::source::{Diagnostic, Severity};

/// A rule of `check`, or an exception to one: the same rule with another severity or code under a condition.
///
/// Findings are made from it, so that what `check` says cannot differ from the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LintRule {
    /// Its number, as diagnostics carry it; an exception has the number of its rule.
    pub number: u8,
    /// Its short name, by which its findings can be left away.
    pub name: &'static str,
    /// The code of its diagnostics: AWS's where AWS has one, else our own in the same form.
    pub code: &'static str,
    /// How bad it is to break it, under each profile.
    pub severity: Severities,
    /// What it finds; of an exception, where it holds.
    pub summary: &'static str,
    /// Whether it is the rule itself or an exception to it.
    pub standing: Standing,
}

/// Whether an entry of the table is a rule or an exception to the rule before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The rule itself.
    Rule,
    /// What holds instead of it under a condition.
    Exception,
}

/// How bad it is to break a rule, by profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Severities {
    /// Under `--profile aws`.
    pub aws: Severity,
    /// Under `--profile spec`.
    pub spec: Severity,
}

impl Severities {
    /// The language refuses it.
    pub(super) const ERROR: Self = Self::both(Severity::Error);
    /// It is probably not meant.
    pub(super) const WARNING: Self = Self::both(Severity::Warning);
    /// It is worth knowing.
    pub(super) const INFO: Self = Self::both(Severity::Info);
    /// The language allows it and AWS refuses it.
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

/// Declares rules as constants, and `RULES`, the part of the table that they are.
///
/// A line: constant, number, name, code, severities, what it finds. In braces after it its exceptions: constant,
/// its code in parentheses where that differs, severities, where it holds.
macro_rules! rules {
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
        /// The rules that are declared here, each before its exceptions.
        pub(in $crate::definition) const RULES: &[$crate::definition::rule::LintRule] = &[$($rule, $($($other,)+)?)+];
    };
}
pub(super) use rules;

impl LintRule {
    /// How bad it is to break it under a profile.
    #[must_use]
    pub fn severity(&self, profile: Profile) -> Severity {
        match profile {
            Profile::Aws => self.severity.aws,
            Profile::Spec => self.severity.spec,
        }
    }

    /// A finding of it, without place or help.
    pub(super) fn found(&self, profile: Profile, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.severity(profile), self.code, self.number, message)
    }

    /// A finding of reading, which no profile concerns.
    pub(super) fn found_reading(&self, message: impl Into<String>) -> Diagnostic {
        debug_assert_eq!(
            self.severity.aws, self.severity.spec,
            "reading knows no profile, and {} depends on it",
            self.name
        );
        self.found(Profile::Aws, message)
    }

    /// Makes a finding of a rule one of its exception.
    pub(super) fn restate(&self, found: &mut Diagnostic, profile: Profile) {
        debug_assert_eq!(self.number, found.rule, "an exception to another rule");
        found.severity = self.severity(profile);
        found.code = self.code;
    }
}
