//! Statements about a run: sentences with parts that may be omitted. Each statement has a code that stays the same when
//! the wording changes.

use std::fmt;

/// A statement about a run: a sentence and its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Code in lower-case letters with hyphens: `path-finds-nothing`.
    pub code: &'static str,
    /// Name of the error that the sentence explains; shown before the sentence.
    pub error: Option<String>,
    /// The sentence.
    pub says: Phrase,
}

impl Finding {
    /// Creates a finding.
    #[must_use]
    pub fn new(code: &'static str, says: impl Into<Phrase>) -> Self {
        Self {
            code,
            error: None,
            says: says.into(),
        }
    }

    /// Creates a finding about an error with this name.
    #[must_use]
    pub fn of_error(code: &'static str, error: impl Into<String>, says: impl Into<Phrase>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::new(code, says)
        }
    }

    /// The name of the error, if any, followed by the sentence.
    #[must_use]
    pub fn whole(&self) -> Phrase {
        match &self.error {
            None => self.says.clone(),
            Some(error) if self.says.is_empty() => error.as_str().into(),
            Some(error) => Phrase::from(format!("{error}: ")).join(self.says.clone()),
        }
    }

    /// True if the name of this error is shown before the sentence.
    #[must_use]
    pub fn names(&self, error: &str) -> bool {
        self.error.as_deref() == Some(error)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole().fmt(out)
    }
}

/// A sentence with optional parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The parts of the sentence, each with a number. To shorten the sentence, parts with the highest number are
    /// omitted first; parts with the number 0 are never omitted.
    parts: Vec<(String, u8)>,
}

impl Phrase {
    /// Appends a part that is never omitted.
    #[must_use]
    pub fn and(self, text: impl Into<String>) -> Self {
        self.may(text, 0)
    }

    /// Appends a part that may be omitted; parts with a higher `rank` are omitted before parts with a lower one.
    #[must_use]
    pub fn may(mut self, text: impl Into<String>, rank: u8) -> Self {
        self.parts.push((text.into(), rank));
        self
    }

    /// Appends another phrase.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// True if the sentence has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|(text, _)| text.is_empty())
    }

    /// The sentence without all parts that may be omitted.
    #[must_use]
    pub fn brief(&self) -> String {
        self.up_to(0)
    }

    /// Removes the full stop at the end.
    #[must_use]
    pub fn without_stop(mut self) -> Self {
        if let Some((text, _)) = self.parts.last_mut() {
            text.truncate(text.trim_end_matches('.').len());
        }
        self
    }

    /// All versions of the sentence, from the longest (with all parts) to the shortest.
    #[must_use]
    pub fn forms(&self) -> Vec<String> {
        let mut ranks: Vec<u8> = self.parts.iter().map(|(_, rank)| *rank).collect();
        ranks.push(0);
        ranks.sort_unstable();
        ranks.dedup();
        let ranks = ranks.into_iter().rev();
        ranks.map(|most| self.up_to(most)).collect()
    }

    fn up_to(&self, most: u8) -> String {
        let parts = self.parts.iter().filter(|(_, rank)| *rank <= most);
        parts.map(|(text, _)| text.as_str()).collect()
    }
}

impl<T: Into<String>> From<T> for Phrase {
    fn from(text: T) -> Self {
        Self::default().and(text)
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts
            .iter()
            .try_for_each(|(text, _)| write!(out, "{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_left_out_by_rank() {
        let phrase = Phrase::default()
            .may("at event 5: ", 2)
            .and("dropped by Store")
            .may(", line 9", 1);
        let forms = [
            "at event 5: dropped by Store, line 9",
            "dropped by Store, line 9",
            "dropped by Store",
        ];
        assert_eq!(phrase.forms(), forms);
        assert_eq!(phrase.to_string(), forms[0]);
    }
}
