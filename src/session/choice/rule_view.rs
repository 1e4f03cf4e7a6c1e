//! A rule of a Choice and the results of its tests, as front ends show them.

use crate::json::Text;
use crate::source::Span;
use std::fmt;

/// Maximum length of a value in the text of a rule, in bytes.
pub(super) const VALUE: usize = 400;
/// Maximum length of a value in a sentence about a test, in bytes.
pub(super) const BRIEF: usize = 40;

/// A rule of a Choice, or its Default.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleView {
    /// Index of the rule; `None` for Default.
    pub index: Option<u32>,
    /// Tests of the rule, outermost first; a rule that is a single comparison has one test.
    pub operands: Vec<OperandView>,
    /// Result: `true`, `false` or the text of an error; `None` if the rule has not been evaluated yet.
    pub result: Option<Result<bool, String>>,
    /// True if the Choice evaluated the rule. Otherwise, `result` is the result that the rule would have.
    pub asked: bool,
    /// True if an earlier rule already decides what the Choice does. This rule is then never evaluated.
    pub after: bool,
    /// True if the Choice followed this rule.
    pub taken: bool,
    /// True if this row is not a rule, but says that the Choice has no Default. If no rule matches, the Choice raises
    /// an error.
    pub absent: bool,
    /// Name of the state that the rule leads to. If `absent` is true, the name of the error.
    pub next: Text,
    /// Location of the rule.
    pub span: Option<Span>,
}

impl RuleView {
    /// The rule on one line: `$.qty (2) > 0 and not $.vip (true) = true`.
    #[must_use]
    pub fn text(&self) -> String {
        joined(&self.operands, &|test| test.text.clone())
    }
}

impl RuleView {
    /// Returns for each test whether it decides the rule's result. In an And that is false, the false tests decide; in
    /// an Or that is true, the true tests; after an error, the failed tests. The tests that contain a deciding test
    /// decide too.
    #[must_use]
    pub fn decisive(&self) -> Vec<bool> {
        // For each enclosing test, the result that a test inside must have in order to decide; `None` if every test
        // decides.
        let mut around: Vec<Option<Result<bool, ()>>> = Vec::new();
        let mut given_way: Option<u32> = None;
        let tests = self.operands.iter().map(|operand| {
            around.truncate(operand.depth as usize);
            given_way = given_way.filter(|depth| operand.depth > *depth);
            let wanted = around.last().copied().flatten();
            let gives_way = match (&operand.result, wanted) {
                (Some(Ok(result)), Some(wanted)) => wanted != Ok(*result),
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

/// Writes a test and the tests inside it on one line. The test is the first of `operands`, and the tests inside it
/// follow. `text` writes a test that contains no other tests.
#[must_use]
pub fn joined(operands: &[OperandView], text: &dyn Fn(&OperandView) -> String) -> String {
    let Some((first, inside)) = operands.split_first() else {
        return String::new();
    };
    let starts = inside.iter().enumerate();
    let starts = starts.filter(|(_, operand)| operand.depth == first.depth + 1);
    let starts: Vec<usize> = starts.map(|(place, _)| place).collect();
    let ends = starts.iter().skip(1).copied().chain([inside.len()]);
    let parts = starts.iter().zip(ends);
    let parts = parts.filter_map(|(from, to)| {
        let part = inside.get(*from..to)?;
        let (operand, said) = (part.first()?, joined(part, text));
        let is_mixed =
            matches!(operand.joint, Joint::All | Joint::Any) && operand.joint != first.joint;
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

/// How a test joins the results of the tests that it contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// The test does not contain other tests.
    #[default]
    None,
    /// And: all tests inside must be true.
    All,
    /// Or: one of the tests inside must be true.
    Any,
    /// Not: the single test inside must be false.
    Not,
}

/// A test of a rule: a comparison, a JSONata condition, or an And, Or or Not of other tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperandView {
    /// Nesting depth: 0 for the outermost test, one more inside each And, Or and Not.
    pub depth: u32,
    /// How the tests inside this test are joined.
    pub joint: Joint,
    /// The test as text with the compared values: `$.qty (2) > 0`.
    pub text: String,
    /// Both sides of the comparison; `None` if the test is not a comparison.
    pub compared: Option<Compared>,
    /// Result in the run; if the run did not evaluate the test, the result that it would have. `None` if unknown.
    pub result: Option<Result<bool, String>>,
    /// Why the test has this result; `None` if the values alone show the reason.
    pub why: Option<String>,
    /// True if an earlier test of the same And or Or already decides the result. This test is then not evaluated.
    pub after: bool,
    /// Paths of the values that the test reads; only paths that select a single value. The path that `why` is about
    /// comes first.
    pub paths: Vec<String>,
    /// Location of the test in the source, if known more precisely than the location of the rule.
    pub span: Option<Span>,
}

impl OperandView {
    /// Creates a test of which only the text is known.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }

    /// The test and its result as a sentence. If the values alone do not show the reason, it follows: `$.qty ("2") > 0
    /// is false: the value is a string, ...`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let test = match &self.compared {
            Some(compared) => compared.to_string(),
            None => self.text.clone(),
        };
        match (&self.why, &self.result) {
            (Some(why), Some(Ok(result))) => match why.strip_prefix(&format!("{result}: ")) {
                Some(reason) => format!("{test} is {result}: {reason}"),
                None => format!("{test}: {why}"),
            },
            (Some(why), _) => format!("{test}: {why}"),
            (None, Some(Ok(result))) => format!("{test} is {result}"),
            (None, Some(Err(problem))) => format!("{test}: {problem}"),
            (None, None) => test,
        }
    }
}

/// A comparison: its two sides and its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The value that is tested.
    pub left: Side,
    /// The operator: `=`, `<=`, `matches`.
    pub sign: String,
    /// The value that the left side is compared with.
    pub right: Side,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.sign, self.right)
    }
}

/// One side of a comparison: `$.qty (2)`, `5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Source text of this side of the comparison.
    pub written: String,
    /// Value of this side of the comparison, shortened if long; `None` for a literal.
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
