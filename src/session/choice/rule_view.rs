//! A rule of a Choice as a view shows it, with what its tests came to.

use crate::json::Text;
use crate::source::Span;
use std::fmt;

/// Longest value in a rule, in bytes.
pub(super) const VALUE: usize = 400;
/// Longest value of a test in a sentence, in bytes.
pub(super) const BRIEF: usize = 40;

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
        joined(&self.operands, &|one| one.text.clone())
    }
}

impl RuleView {
    /// Which of its tests decide what came of it: of an And that is false those that are false, of an Or that is true
    /// those that are true, of either that failed those that failed, with the tests that they stand in.
    #[must_use]
    pub fn decisive(&self) -> Vec<bool> {
        // What a test has to have come to, to decide those around it; `None` where all do.
        let mut around: Vec<Option<Result<bool, ()>>> = Vec::new();
        let mut given_way: Option<u32> = None;
        let tests = self.operands.iter().map(|operand| {
            around.truncate(operand.depth as usize);
            given_way = given_way.filter(|depth| operand.depth > *depth);
            let wanted = around.last().copied().flatten();
            let gives_way = match (&operand.result, wanted) {
                (Some(Ok(own)), Some(wanted)) => wanted != Ok(*own),
                (Some(Err(_)), Some(_)) => operand.after,
                _ => false,
            };
            if given_way.is_none() && gives_way {
                given_way = Some(operand.depth);
            }
            around.push(match (operand.joint, &operand.result) {
                (Joint::All, Some(Ok(false))) => Some(Ok(false)),
                (Joint::Any, Some(Ok(true))) => Some(Ok(true)),
                (Joint::All | Joint::Any, Some(Err(_))) => Some(Err(())),
                _ => None,
            });
            given_way.is_none()
        });
        tests.collect()
    }
}

/// A test with those inside it, on one line, each as `text` has it.
#[must_use]
pub fn joined(operands: &[OperandView], text: &dyn Fn(&OperandView) -> String) -> String {
    let Some((first, inside)) = operands.split_first() else {
        return String::new();
    };
    let starts = inside.iter().enumerate();
    let starts = starts.filter(|(_, one)| one.depth == first.depth + 1);
    let starts: Vec<usize> = starts.map(|(place, _)| place).collect();
    let ends = starts.iter().skip(1).copied().chain([inside.len()]);
    let parts = starts.iter().zip(ends);
    let parts = parts.filter_map(|(from, to)| {
        let part = inside.get(*from..to)?;
        let (own, said) = (part.first()?, joined(part, text));
        let is_mixed = matches!(own.joint, Joint::All | Joint::Any) && own.joint != first.joint;
        let has_others = starts.len() > 1;
        Some(match is_mixed && has_others {
            true => format!("({said})"),
            false => said,
        })
    });
    let parts: Vec<String> = parts.collect();
    match (first.joint, parts.as_slice()) {
        (_, []) => text(first),
        (Joint::Not, [only]) => format!("not ({only})"),
        (Joint::Any, many) => many.join(" or "),
        (_, many) => many.join(" and "),
    }
}

/// How the tests inside of one are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// There are none.
    #[default]
    None,
    /// And.
    All,
    /// Or.
    Any,
    /// Not, of a single one.
    Not,
}

/// One test of a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperandView {
    /// 0 for the rule itself, one more inside each And, Or and Not.
    pub depth: u32,
    /// How those inside of it are joined.
    pub joint: Joint,
    /// In words with the values compared: `$.qty (2) > 0`.
    pub text: String,
    /// What it compares, where it is a comparison of two.
    pub compared: Option<Compared>,
    /// What came of it, or would come; `None` where that is not known.
    pub result: Option<Result<bool, String>>,
    /// Why it came out so, where the values alone do not say it.
    pub why: Option<String>,
    /// Whether one before it among the same decides, so that it is not asked.
    pub after: bool,
    /// The paths of the values that it looks at, as far as each leads to a single place; the one that `why` is about first.
    pub paths: Vec<String>,
    /// Where it stands, where that is known of it apart from its rule.
    pub span: Option<Span>,
}

impl OperandView {
    /// `$.qty ("2") > 0 is false: the value is a string, ...`: what it came to, and why where its values do not say it.
    #[must_use]
    pub fn sentence(&self) -> String {
        let test = match &self.compared {
            Some(Compared { left, sign, right }) => format!("{left} {sign} {right}"),
            None => self.text.clone(),
        };
        match (&self.why, &self.result) {
            (Some(why), Some(Ok(held))) => match why.strip_prefix(&format!("{held}: ")) {
                Some(why) => format!("{test} is {held}: {why}"),
                None => format!("{test}: {why}"),
            },
            (Some(why), _) => format!("{test}: {why}"),
            (None, Some(Ok(held))) => format!("{test} is {held}"),
            (None, Some(Err(why))) => format!("{test}: {why}"),
            (None, None) => test,
        }
    }
}

/// Both sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// What is looked at.
    pub left: Side,
    /// `=`, `<=`, `matches`.
    pub sign: String,
    /// What it is compared with.
    pub right: Side,
}

/// One side of a comparison: `$.qty (2)`, `5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// As it is written.
    pub written: String,
    /// What it comes to, long values cut; `None` for a literal.
    pub value: Option<String>,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{} ({value})", self.written),
            None => f.write_str(&self.written),
        }
    }
}
