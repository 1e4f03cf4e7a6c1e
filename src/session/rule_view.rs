//! A rule of a Choice as a view shows it, with what its tests came to.
//!
//! It must not know colours, glyphs, widths or keys.

use crate::json::Text;
use crate::source::Span;

/// One rule of a Choice.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleView {
    /// `None` for Default.
    pub index: Option<u32>,
    /// Its tests, outermost first; one for a rule that is a single comparison.
    pub operands: Vec<OperandView>,
    /// What came of it: `true`, `false`, an error's text; `None` where it was not asked yet.
    pub result: Option<Result<bool, String>>,
    /// Whether it was asked: those after the match were not, `result` then says what it would have been.
    pub asked: bool,
    /// Whether a rule before it decides, so that it is never reached.
    pub after: bool,
    /// Whether it is the one that was taken.
    pub taken: bool,
    /// Whether it stands for a Default that is not written: where it leads is an error.
    pub absent: bool,
    /// Where it leads.
    pub next: Text,
    /// Where it stands.
    pub span: Option<Span>,
}

impl RuleView {
    /// The rule on one line: `$.qty (2) > 0 and not $.vip (true) = true`.
    #[must_use]
    pub fn text(&self) -> String {
        joined(&self.operands)
    }
}

impl RuleView {
    /// The test to ask about: the one that decided, else the first that looks at a value.
    #[must_use]
    pub fn telling(&self) -> Option<&OperandView> {
        let tests = || self.operands.iter().filter(|one| !one.paths.is_empty());
        let decides = |one: &&OperandView| !one.after && one.result == self.result;
        tests()
            .find(|one| one.why.is_some() && !one.after)
            .or_else(|| tests().find(decides))
            .or_else(|| tests().next())
    }
}

/// A test with those inside it, on one line.
fn joined(operands: &[OperandView]) -> String {
    let Some((first, inside)) = operands.split_first() else {
        return String::new();
    };
    let starts = inside.iter().enumerate();
    let starts = starts.filter(|(_, one)| one.depth == first.depth + 1);
    let starts: Vec<usize> = starts.map(|(place, _)| place).collect();
    let ends = starts.iter().skip(1).copied().chain([inside.len()]);
    let parts = starts.iter().zip(ends);
    let parts = parts.filter_map(|(from, to)| Some(joined(inside.get(*from..to)?)));
    let parts: Vec<String> = parts.collect();
    match (first.text.split_once(':'), parts.as_slice()) {
        (_, []) => first.text.clone(),
        (Some(("Not", _)), [only]) => format!("not ({only})"),
        (Some(("Or", _)), many) => many.join(" or "),
        (_, many) => many.join(" and "),
    }
}

/// One test of a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperandView {
    /// 0 for the rule itself, one more inside each And, Or and Not.
    pub depth: u32,
    /// In words with the values compared: `$.qty (2) > 0`.
    pub text: String,
    /// What came of it, or would come; `None` where that is not known.
    pub result: Option<Result<bool, String>>,
    /// Why it came out so, where the values alone do not say it.
    pub why: Option<String>,
    /// Whether one before it among the same decides, so that it is not asked.
    pub after: bool,
    /// The paths of the values that it looks at, as far as each leads to a single place.
    pub paths: Vec<String>,
}
