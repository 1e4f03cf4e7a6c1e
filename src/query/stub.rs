//! stub
use super::Bindings;
use crate::json::{Step, Text, Value};
#[derive(Clone, Debug)]
pub struct SyntaxError {
    pub message: String,
    pub range: std::ops::Range<usize>,
    pub help: Option<String>,
}
#[derive(Clone, Debug, PartialEq)]
pub enum QueryError {
    Other(String),
}
impl QueryError {
    pub fn reason(&self) -> String {
        match self {
            Self::Other(t) => t.clone(),
        }
    }
    pub fn spec_name(&self) -> &'static str {
        "x"
    }
}
#[derive(Clone, Debug)]
pub enum Root {
    Data,
    Context,
    Variable(Text),
}
#[derive(Clone, Debug)]
pub struct Path {
    text: Text,
}
impl Path {
    pub fn parse(text: &str) -> Result<Path, SyntaxError> {
        Ok(Path { text: text.into() })
    }
    pub fn text(&self) -> &str {
        &self.text
    }
    pub fn is_definite(&self) -> bool {
        true
    }
    pub fn is_reference(&self) -> bool {
        true
    }
    pub fn is_identity(&self) -> bool {
        true
    }
    pub fn eval(&self, b: &dyn Bindings) -> Result<Value, QueryError> {
        Ok(b.data().clone())
    }
}
#[derive(Clone, Debug)]
pub struct ReferencePath {
    text: Text,
}
impl ReferencePath {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Ok(Self { text: text.into() })
    }
    pub fn steps(&self) -> &[Step] {
        &[]
    }
    pub fn text(&self) -> &str {
        &self.text
    }
    pub fn insert(&self, _: &Value, value: Value) -> Result<Value, QueryError> {
        Ok(value)
    }
}
#[derive(Clone, Debug)]
pub enum Expression {
    Path(Path),
}
impl Expression {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Path::parse(text).map(Self::Path)
    }
    pub fn eval(&self, b: &dyn Bindings) -> Result<Value, QueryError> {
        Ok(b.data().clone())
    }
    pub fn text(&self) -> &str {
        ""
    }
}
#[derive(Clone, Debug)]
pub struct Template;
#[derive(Clone, Debug)]
pub struct TemplateError {
    pub at: crate::json::Pointer,
    pub error: SyntaxError,
}
impl Template {
    pub fn compile(_: &Value) -> (Template, Vec<TemplateError>) {
        (Template, vec![])
    }
    pub fn eval(&self, b: &dyn Bindings) -> Result<Value, QueryError> {
        Ok(b.data().clone())
    }
}
#[derive(Clone, Debug)]
pub struct Pattern;
impl Pattern {
    pub fn parse(_: &str) -> Result<Self, SyntaxError> {
        Ok(Pattern)
    }
    pub fn matches(&self, _: &str) -> bool {
        true
    }
}
pub fn format_timestamp(_: i64) -> String {
    String::new()
}
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant;
impl Instant {
    pub fn millis(&self) -> i64 {
        0
    }
}
pub fn parse_timestamp(_: &str) -> Option<Instant> {
    None
}
impl QueryError {
    pub fn in_field(self, _: &Text, _: &Value) -> Self {
        self
    }
}
