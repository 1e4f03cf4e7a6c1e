//! The parser of JSONata expressions. It is a precedence-climbing parser: operators are ordered by their binding power.

use super::binding::{
    can_be_called, has_group, is_group_path, misplaced, name_step, resolve, step_has_group,
    steps_before_last,
};
use super::function::Signature;
use super::lexer::{Lexer, Token};
use super::limit::{DEEPEST, JsonataError, LONGEST, too_deep, with_stack};
use super::tree::{Binding, Form, Node, Operator, Pair, Stage, Step, Tree};
use std::ops::Range;

impl Tree {
    /// Parses an expression without its delimiters.
    ///
    /// # Errors
    /// If the text does not parse.
    pub fn parse(text: &str) -> Result<Self, JsonataError> {
        parse(text).map(|root| Self::new(text, root))
    }
}

/// Parses an expression, and returns the root of a tree whose nodes have no numbers yet.
fn parse(text: &str) -> Result<Node, JsonataError> {
    if text.len() > LONGEST {
        let message = format!("the expression is longer than {LONGEST} bytes");
        return Err(JsonataError::new("U1002", message, 0..text.len()));
    }
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text, 0),
        token: Token::End,
        at: 0..0,
        end: 0,
        depth: 0,
        literal_step: None,
    };
    parser.advance()?;
    let mut root = parser.expression(0)?;
    if parser.token != Token::End {
        return parser.fail("S0201", &format!("Syntax error: {}", parser.token));
    }
    if let Some(error) = parser.literal_step {
        return Err(error);
    }
    resolve(&mut root, text)?;
    match misplaced(&root, text) {
        Some(error) => Err(error),
        None => Ok(root),
    }
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The current token and its byte range.
    token: Token,
    at: Range<usize>,
    /// Byte offset at which the previous token ends.
    end: usize,
    depth: usize,
    /// The error for a literal in a place where a path needs a step. It is only reported if no syntax error follows.
    literal_step: Option<JsonataError>,
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<(), JsonataError> {
        self.advance_to(false)
    }

    /// Advances to the next token. With `divides`, a slash is read as a division and not as the start of a regular
    /// expression.
    fn advance_to(&mut self, divides: bool) -> Result<(), JsonataError> {
        self.end = self.at.end;
        (self.token, self.at) = self.lexer.next(divides)?;
        Ok(())
    }

    fn expect(&mut self, sign: &str) -> Result<(), JsonataError> {
        if self.token.is(sign) {
            return self.advance();
        }
        if self.token == Token::End {
            let message = format!("Expected \"{sign}\" before end of expression");
            return self.fail("S0203", &message);
        }
        let message = format!("Expected \"{sign}\", got {}", self.token);
        self.fail("S0202", &message)
    }

    /// Creates an error at the end of the current token, or at the end of the text.
    fn fail<T>(&self, code: &'static str, message: &str) -> Result<T, JsonataError> {
        let end = match self.token {
            Token::End => self.text.len(),
            _ => self.at.end,
        };
        self.fail_before(end, code, message)
    }

    /// Creates an error at the character before byte `end`.
    fn fail_before<T>(
        &self,
        end: usize,
        code: &'static str,
        message: &str,
    ) -> Result<T, JsonataError> {
        let before = self.text.get(..end).unwrap_or_default();
        let start = before.char_indices().next_back().map_or(0, |(at, _)| at);
        Err(JsonataError::new(code, message, start..end))
    }

    /// Creates a node from `start` to the end of the previous token.
    fn node(&self, start: usize, form: Form) -> Node {
        Node::new(start..self.end, form)
    }

    fn deeper(&mut self) -> Result<(), JsonataError> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(too_deep("parsing expression", self.text)),
            false => Ok(()),
        }
    }

    /// Parses an expression whose operators have at least the binding power `least`.
    fn expression(&mut self, least: u8) -> Result<Node, JsonataError> {
        let depth = self.depth;
        self.deeper()?;
        let parsed = with_stack(|| {
            let mut node = self.operand()?;
            while let Some((left, right)) = self.power().filter(|(left, _)| *left >= least) {
                node = self.operator((left, right), node)?;
                self.deeper()?;
            }
            Ok(node)
        });
        self.depth = depth;
        parsed
    }

    /// Left and right binding power of the current token; `None` if it is not an operator.
    fn power(&self) -> Option<(u8, u8)> {
        match &self.token {
            Token::Name(name) if matches!(name.as_str(), "and" | "or" | "in") => {
                Operator::of(name).map(|(_, power)| power)
            }
            Token::Sign(sign) => match *sign {
                "." => Some((75, 85)),
                "[" | "(" | "{" | "^" | "#" | "@" => Some((80, 81)),
                "?" => Some((20, 21)),
                sign => Operator::of(sign).map(|(_, power)| power),
            },
            _ => None,
        }
    }

    fn operand(&mut self) -> Result<Node, JsonataError> {
        let start = self.at.start;
        let token = std::mem::replace(&mut self.token, Token::End);
        let begins = matches!(token, Token::Sign("(" | "[" | "{" | "-"));
        let is_value = !matches!(token, Token::End | Token::Sign(_));
        let known = ["(", "[", "{", "|", "-", "*", "**", "%", "λ"];
        if !is_value && !known.iter().any(|sign| token.is(sign)) {
            self.token = token;
            return match self.token {
                Token::End => self.fail("S0207", "Unexpected end of expression"),
                _ => self.fail(
                    "S0211",
                    &format!(
                        "The symbol {} cannot be used as a unary operator",
                        self.token
                    ),
                ),
            };
        }
        self.advance_to(begins)?;
        let form = match token {
            Token::Text(text) => Form::Text(text),
            Token::Number(number) => Form::Number(number),
            Token::Regex { pattern, flags } => Form::Regex { pattern, flags },
            Token::Variable(name) => Form::Variable(name),
            Token::Root => Form::Root,
            Token::Name(name) => self.name(start, name),
            Token::Word("true") => Form::Bool(true),
            Token::Word("false") => Form::Bool(false),
            Token::Word("null") => Form::Null,
            Token::Word("function") | Token::Sign("λ") if self.token.is("(") => self.lambda()?,
            Token::Word(name @ "function") | Token::Sign(name @ "λ") => {
                self.name(start, name.to_string())
            }
            Token::Sign("(") if self.token.is(")") => {
                self.advance()?;
                Form::Nothing
            }
            Token::Sign("(") => Form::Block(self.block()?),
            Token::Sign("[") => Form::Array(self.items("]")?),
            Token::Sign("{") => Form::Object(self.pairs()?),
            Token::Sign("|") => self.transform()?,
            Token::Sign("-") => Form::Negate(Box::new(self.expression(70)?)),
            Token::Sign("*") => Form::Wildcard,
            Token::Sign("**") => Form::Descendants,
            Token::Sign("%") => Form::Parent(0),
            Token::Word(_) | Token::Sign(_) | Token::End => Form::Nothing,
        };
        Ok(self.node(start, form))
    }

    fn name(&self, start: usize, name: String) -> Form {
        let name = self.node(start, Form::Name(name));
        Form::Path(vec![Step::new(name)])
    }

    /// Parses the contents of parentheses and the closing parenthesis.
    fn block(&mut self) -> Result<Vec<Node>, JsonataError> {
        let mut parts = Vec::new();
        while !self.token.is(")") {
            parts.push(self.expression(0)?);
            if !self.token.is(";") {
                break;
            }
            self.advance()?;
        }
        self.expect(")")?;
        Ok(parts)
    }

    /// Parses a list of parts separated by commas, up to and including the closing bracket.
    fn list<T>(
        &mut self,
        close: &str,
        part: impl Fn(&mut Self) -> Result<T, JsonataError>,
    ) -> Result<Vec<T>, JsonataError> {
        let mut parts = Vec::new();
        if !self.token.is(close) {
            parts.push(part(self)?);
            while self.token.is(",") {
                self.advance()?;
                parts.push(part(self)?);
            }
        }
        self.expect(close)?;
        Ok(parts)
    }

    /// Parses array items or the arguments of a call, up to and including the closing bracket.
    fn items(&mut self, close: &str) -> Result<Vec<Node>, JsonataError> {
        self.list(close, |parser| {
            let start = parser.at.start;
            if close == ")" && parser.token.is("?") {
                parser.advance()?;
                return Ok(parser.node(start, Form::Placeholder));
            }
            parser.expression(0)
        })
    }

    /// Parses key-value pairs and the closing brace.
    fn pairs(&mut self) -> Result<Vec<Pair>, JsonataError> {
        self.list("}", |parser| {
            let key = parser.expression(0)?;
            parser.expect(":")?;
            Ok((key, parser.expression(0)?))
        })
    }

    fn transform(&mut self) -> Result<Form, JsonataError> {
        let location = Box::new(self.expression(0)?);
        self.expect("|")?;
        let update = Box::new(self.expression(0)?);
        let mut delete = None;
        if self.token.is(",") {
            self.advance()?;
            delete = Some(Box::new(self.expression(0)?));
        }
        self.expect("|")?;
        Ok(Form::Transform {
            location,
            update,
            delete,
        })
    }

    fn lambda(&mut self) -> Result<Form, JsonataError> {
        self.advance()?;
        let parameters = self.list(")", |parser| {
            let Token::Variable(name) = &parser.token else {
                let message =
                    "Parameter of function definition must be a variable name (start with $)";
                return parser.fail_before(parser.end, "S0208", message);
            };
            let name = name.clone();
            parser.advance()?;
            Ok(name)
        })?;
        let signature = match self.token.is("<") {
            true => Some(self.signature()?),
            false => None,
        };
        self.expect("{")?;
        let body = Box::new(self.expression(0)?);
        self.expect("}")?;
        Ok(Form::Lambda {
            parameters,
            signature,
            body,
        })
    }

    fn signature(&mut self) -> Result<Signature, JsonataError> {
        let mut text = String::new();
        let mut depth = 0_usize;
        while self.token != Token::End {
            match &self.token {
                Token::Sign("<") => depth += 1,
                Token::Sign(">") => depth -= 1,
                Token::Sign("-" | "+" | ":" | "?" | "?:" | "(" | ")") | Token::Name(_) => {}
                symbol => {
                    let message = format!("The symbol {symbol} cannot be used in a signature");
                    return self.fail("S0211", &message);
                }
            }
            text.push_str(self.text.get(self.at.clone()).unwrap_or_default());
            self.advance()?;
            if depth == 0 {
                break;
            }
        }
        Signature::parse(&text).or_else(|(code, message)| self.fail_before(self.end, code, message))
    }

    /// Parses the operator that follows `left`, together with its other operands.
    fn operator(&mut self, power: (u8, u8), mut left: Node) -> Result<Node, JsonataError> {
        let start = left.range.start;
        let Token::Sign(sign) = self.token else {
            return self.binary(power.1, left);
        };
        // A group `{…}` stays at the end of a path: what the operator appends to the path is inserted before the group.
        let mut group = None;
        if matches!(sign, "." | "[" | "(" | "^" | "#" | "@")
            && let Form::Group(input, pairs) = &mut left.form
            && is_group_path(input)
        {
            let input = std::mem::take(&mut **input);
            group = Some(std::mem::take(pairs));
            left = input;
        }
        let mut node = match sign {
            "." => self.dot(left)?,
            "[" => self.predicate(left)?,
            "(" => {
                self.advance()?;
                let arguments = self.items(")")?;
                self.call(left, arguments)?
            }
            "?" => self.conditional(left)?,
            "{" => {
                if has_group(&left) {
                    let message = "Each step can only have one grouping expression";
                    return self.fail("S0210", message);
                }
                self.advance()?;
                let pairs = self.pairs()?;
                self.node(start, Form::Group(Box::new(left), pairs))
            }
            "#" | "@" => {
                self.advance()?;
                let Token::Variable(name) = &self.token else {
                    let message = format!("Expected a variable reference after {sign}");
                    return self.fail_before(self.end, "S0214", &message);
                };
                let binding = match sign {
                    "@" => Binding::Focus(name.clone()),
                    _ => Binding::Index(name.clone()),
                };
                self.advance()?;
                self.node(start, Form::Bound(Box::new(left), binding))
            }
            "^" => self.sort(left)?,
            _ => return self.binary(power.1, left),
        };
        if let Some(pairs) = group {
            node = self.node(start, Form::Group(Box::new(node), pairs));
        }
        Ok(node)
    }

    fn binary(&mut self, least: u8, left: Node) -> Result<Node, JsonataError> {
        let written = self.text.get(self.at.clone()).unwrap_or_default();
        let Some((operator, _)) = Operator::of(written.trim_matches('`')) else {
            return self.fail("S0201", &format!("Syntax error: {}", self.token));
        };
        self.advance()?;
        let right = self.expression(least)?;
        let start = left.range.start;
        let form = Form::Binary(operator, Box::new(left), Box::new(right));
        Ok(self.node(start, form))
    }

    fn dot(&mut self, left: Node) -> Result<Node, JsonataError> {
        let start = left.range.start;
        self.advance()?;
        let step_start = self.at.start;
        let mut steps = left.into_steps();
        if self.token.is("[") {
            self.advance_to(true)?;
            let items = self.items("]")?;
            steps.push(Step::new(self.node(step_start, Form::ArrayStep(items))));
        } else if self.token.is("(") {
            self.advance_to(true)?;
            let parts = self.block()?;
            steps.push(Step::new(self.node(step_start, Form::Block(parts))));
        } else {
            steps.extend(self.expression(85)?.into_steps());
        }
        for step in &mut steps {
            if let Some((literal, range)) = name_step(&mut step.node) {
                let message = format!(
                    "The literal value {literal} cannot be used as a step within a path expression"
                );
                let error = JsonataError::new("S0213", message, range);
                self.literal_step.get_or_insert(error);
                break;
            }
        }
        Ok(self.node(start, Form::Path(steps)))
    }

    fn predicate(&mut self, left: Node) -> Result<Node, JsonataError> {
        let start = left.range.start;
        self.advance()?;
        let keeps = self.token.is("]");
        if !keeps && step_has_group(&left) {
            let message = "A predicate cannot follow a grouping expression in a step";
            return self.fail_before(self.end, "S0209", message);
        }
        let stage = match keeps {
            true => Stage::KeepArray,
            false => Stage::Filter(self.expression(0)?),
        };
        self.expect("]")?;
        let mut steps = left.into_steps();
        if let Some(last) = steps.last_mut() {
            last.stages.push(stage);
        }
        Ok(self.node(start, Form::Path(steps)))
    }

    fn conditional(&mut self, left: Node) -> Result<Node, JsonataError> {
        let start = left.range.start;
        self.advance()?;
        let then = Box::new(self.expression(0)?);
        let mut otherwise = None;
        if self.token.is(":") {
            self.advance()?;
            otherwise = Some(Box::new(self.expression(0)?));
        }
        let form = Form::Conditional {
            condition: Box::new(left),
            then,
            otherwise,
        };
        Ok(self.node(start, form))
    }

    fn sort(&mut self, left: Node) -> Result<Node, JsonataError> {
        let start = left.range.start;
        self.advance()?;
        self.expect("(")?;
        let mut terms = Vec::new();
        loop {
            let ascending = !self.token.is(">");
            if self.token.is("<") || !ascending {
                self.advance()?;
            }
            terms.push((self.expression(0)?, ascending));
            if !self.token.is(",") {
                break;
            }
            self.advance()?;
        }
        self.expect(")")?;
        Ok(self.node(start, Form::Sort(Box::new(left), terms)))
    }

    /// Builds a call of `left`, the expression before the parentheses. If `left` is a path, the call becomes the last
    /// step of the path.
    fn call(&self, mut left: Node, arguments: Vec<Node>) -> Result<Node, JsonataError> {
        let start = left.range.start;
        let mut before = steps_before_last(&mut left);
        let call_start = left.range.start;
        let form = match self.function(left, arguments) {
            Ok(form) => form,
            Err(arguments) => {
                let is_partial = (arguments.iter()).any(|node| node.form == Form::Placeholder);
                let (code, message) = match is_partial {
                    true => ("T1008", "Attempted to partially apply a non-function"),
                    false => ("T1006", "Attempted to invoke a non-function"),
                };
                return self.fail_before(self.end, code, message);
            }
        };
        let call = self.node(call_start, form);
        if before.is_empty() {
            return Ok(call);
        }
        before.push(Step::new(call));
        Ok(self.node(start, Form::Path(before)))
    }

    /// Builds a call of `left`, which is an operand or a single path step. If `left` cannot be a function, gives the
    /// arguments back as the error.
    fn function(&self, mut left: Node, arguments: Vec<Node>) -> Result<Form, Vec<Node>> {
        if let Form::Path(steps) = &mut left.form
            && let [step] = steps.as_mut_slice()
            && step.stages.is_empty()
        {
            let is_quoted = self.is_quoted(&step.node);
            match &mut step.node.form {
                Form::Name(_) if is_quoted => {}
                Form::Name(name) => {
                    return Ok(Form::Function {
                        name: std::mem::take(name),
                        arguments,
                        is_variable: false,
                    });
                }
                _ => left = std::mem::take(&mut step.node),
            }
        }
        if let Form::Variable(name) = &mut left.form {
            return Ok(Form::Function {
                name: std::mem::take(name),
                arguments,
                is_variable: true,
            });
        }
        if !can_be_called(&left) {
            return Err(arguments);
        }
        self.quote_again(&mut left);
        Ok(Form::Call(Box::new(left), arguments))
    }

    fn is_quoted(&self, node: &Node) -> bool {
        let before = self.text.get(node.range.clone()).unwrap_or_default();
        before.starts_with(['"', '\''])
    }

    /// Changes the quoted name of a called step, as in `"name"(…)`, back to a string literal: no function has a quoted
    /// name.
    fn quote_again(&self, node: &mut Node) {
        let is_quoted = self.is_quoted(node);
        match &mut node.form {
            Form::Bound(inner, _) => self.quote_again(inner),
            Form::Path(steps) => {
                if let [step] = steps.as_mut_slice() {
                    self.quote_again(&mut step.node);
                }
            }
            Form::Name(name) if is_quoted => node.form = Form::Text(std::mem::take(name)),
            _ => {}
        }
    }
}
