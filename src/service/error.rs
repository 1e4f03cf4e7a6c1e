//! Determines which error names a call can raise.

use super::call::Call;
use super::catalogue::services;
use super::model::Naming;
use super::optimized::optimized;
use crate::source::nearest;

/// Errors that services raise although their models do not list them.
const UNLISTED: [&str; 8] = [
    "AccessDeniedException",
    "ExpiredTokenException",
    "InternalServerException",
    "SdkClientException",
    "ServiceUnavailableException",
    "ThrottlingException",
    "TooManyRequestsException",
    "ValidationException",
];

/// The reason why a call never raises an error, with the name that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub enum NeverRaised {
    /// The name has no prefix.
    Bare(Option<String>),
    /// The prefix does not belong to this kind of integration.
    Prefix(String),
    /// The prefix belongs to another service.
    OtherService,
    /// The service has no error with this name.
    Name(String),
}

impl Call {
    /// Returns why the call never raises an error with this name; `None` if it may.
    ///
    /// Names defined by the language, which begin with `States.`, are not checked.
    #[must_use]
    pub fn never_raises(&self, name: &str) -> Option<NeverRaised> {
        let own = self.prefixes.first()?;
        // Callbacks and Lambda functions may raise errors with any name.
        let is_free = self.naming == Naming::Optimized && self.service == "lambda";
        if self.pattern == "waitForTaskToken" || name.starts_with("States.") {
            return None;
        }
        let with_prefix = |rest: &str| {
            let meant = self.meant_error(rest).unwrap_or_else(|| rest.to_string());
            format!("{own}.{meant}")
        };
        let Some((prefix, rest)) = name.split_once('.') else {
            let looks_like_one = name.ends_with("Exception") || self.meant_error(name).is_some();
            return (!is_free)
                .then(|| NeverRaised::Bare(looks_like_one.then(|| with_prefix(name))));
        };
        if self.prefixes.contains(&prefix) {
            let meant = self.meant_error(rest)?;
            return Some(NeverRaised::Name(format!("{own}.{meant}")));
        }
        let is_other = is_prefix(prefix);
        if self.is_misspelt(prefix)
            || !is_other && nearest(prefix, self.prefixes.iter().copied()).is_some()
        {
            return Some(NeverRaised::Prefix(with_prefix(rest)));
        }
        (is_other && !is_free).then_some(NeverRaised::OtherService)
    }

    /// Names of errors that the call is known to raise.
    #[must_use]
    pub fn raised(&self) -> Vec<String> {
        let Some(prefix) = self.prefixes.first() else {
            return Vec::new();
        };
        let general = (self.naming == Naming::Sdk).then(|| format!("{prefix}Exception"));
        let known = match self.recorded.is_empty() {
            true => &self.action_errors,
            false => &self.recorded,
        };
        let names = known.iter().map(|name| (*name).to_string()).chain(general);
        names.map(|name| format!("{prefix}.{name}")).collect()
    }

    /// The error that an unknown name probably means. Only SDK integrations have a complete list of errors.
    fn meant_error(&self, name: &str) -> Option<String> {
        let general = self
            .prefixes
            .first()
            .map(|prefix| format!("{prefix}Exception"));
        let general = general.as_deref().into_iter().chain(["SdkClientException"]);
        let known = || self.errors.iter().copied().chain(general.clone());
        if self.naming != Naming::Sdk || UNLISTED.contains(&name) || known().any(|one| one == name)
        {
            return None;
        }
        let with_suffix = format!("{}Exception", name.trim_end_matches("Fault"));
        let by_suffix = known().find(|one| one.eq_ignore_ascii_case(&with_suffix));
        by_suffix
            .or_else(|| nearest(name, known()))
            .or_else(|| nearest(&with_suffix, known()))
            .map(str::to_string)
    }

    /// True if the prefix differs only in case from one of the call's, or belongs to another kind of integration of the
    /// same service.
    fn is_misspelt(&self, prefix: &str) -> bool {
        let is_own = |other: &str| {
            self.prefixes
                .iter()
                .any(|own| own.eq_ignore_ascii_case(other))
        };
        let of_table = optimized().iter().filter(|one| match self.naming {
            Naming::Sdk => one.service == self.service,
            Naming::Optimized => one.name == self.service,
        });
        let mut others = of_table.flat_map(|one| {
            let sdk = services().iter().filter(|of| of.name == one.service);
            let names = [one.name, one.service].into_iter();
            one.prefixes
                .iter()
                .copied()
                .chain(names)
                .chain(sdk.map(|of| of.prefix))
        });
        is_own(prefix)
            || prefix.eq_ignore_ascii_case(self.service)
            || others.any(|other| other.eq_ignore_ascii_case(prefix))
    }
}

/// True if it is the prefix of some service's error names.
fn is_prefix(prefix: &str) -> bool {
    services().iter().any(|one| one.prefix == prefix)
        || optimized().iter().any(|one| one.prefixes.contains(&prefix))
}
