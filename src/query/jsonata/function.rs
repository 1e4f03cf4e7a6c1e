//! The names of the built-in functions, and signatures such as `<s-n?:s>`.

/// Functions that Step Functions adds to those of JSONata.
pub const ADDED: [&str; 5] = ["hash", "parse", "partition", "range", "uuid"];

/// Functions of JSONata that are available in Step Functions.
pub const FUNCTIONS: [&str; 64] = [
    "abs",
    "append",
    "assert",
    "average",
    "base64decode",
    "base64encode",
    "boolean",
    "ceil",
    "clone",
    "contains",
    "count",
    "decodeUrl",
    "decodeUrlComponent",
    "distinct",
    "each",
    "encodeUrl",
    "encodeUrlComponent",
    "error",
    "exists",
    "filter",
    "floor",
    "formatBase",
    "formatInteger",
    "formatNumber",
    "fromMillis",
    "join",
    "keys",
    "length",
    "lookup",
    "lowercase",
    "map",
    "match",
    "max",
    "merge",
    "millis",
    "min",
    "not",
    "now",
    "number",
    "pad",
    "parseInteger",
    "power",
    "random",
    "reduce",
    "replace",
    "reverse",
    "round",
    "shuffle",
    "sift",
    "single",
    "sort",
    "split",
    "spread",
    "sqrt",
    "string",
    "substring",
    "substringAfter",
    "substringBefore",
    "sum",
    "toMillis",
    "trim",
    "type",
    "uppercase",
    "zip",
];

/// True if a built-in function has this name.
#[must_use]
pub fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name) || ADDED.contains(&name)
}

/// The signature of a function: which arguments it accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The accepted types, one letter each: `snm` accepts a string, a number or an undefined value.
    pub types: String,
    /// True if the parameter is an array; a single value is then wrapped in an array.
    pub list: bool,
    /// The type letter of the array's items, if the signature gives one.
    pub items: Option<char>,
    /// Number of arguments that the parameter accepts.
    pub count: Count,
}

/// Number of arguments that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Exactly one.
    One,
    /// Zero or one.
    Optional,
    /// Zero or one. If the argument is omitted, the function gets the context value (`$`) instead.
    Context,
    /// One or more.
    Repeated,
}

impl Signature {
    /// Parses a signature in angle brackets.
    ///
    /// # Errors
    /// The error code and message if JSONata rejects the signature.
    pub fn parse(text: &str) -> Result<Self, (&'static str, &'static str)> {
        let inner = text
            .trim()
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        let mut letters = inner.unwrap_or_default().chars().peekable();
        let mut parameters: Vec<Parameter> = Vec::new();
        while let Some(letter) = letters.next() {
            let (types, parametrized) = match letter {
                ':' => break,
                's' | 'n' | 'b' | 'l' | 'o' => (format!("{letter}m"), false),
                'a' => ("asnblfom".to_string(), true),
                'f' => ("f".to_string(), true),
                'j' => ("asnblom".to_string(), false),
                'x' => ("asnblfom".to_string(), false),
                '(' => {
                    let mut choice: String = letters.by_ref().take_while(|c| *c != ')').collect();
                    if choice.contains('<') {
                        let message =
                            "Choice groups containing parameterized types are not supported";
                        return Err(("S0402", message));
                    }
                    choice.push('m');
                    (choice, false)
                }
                _ => continue,
            };
            let mut items = None;
            if letters.peek() == Some(&'<') {
                if !parametrized {
                    let message = "Type parameters can only be applied to functions and arrays";
                    return Err(("S0401", message));
                }
                letters.next();
                if letter == 'a' {
                    items = letters.peek().copied();
                }
                let mut open = 1;
                while open > 0 {
                    match letters.next() {
                        Some('<') => open += 1,
                        Some('>') => open -= 1,
                        Some(_) => {}
                        None => break,
                    }
                }
            }
            let count = match letters.peek() {
                Some('?') => Count::Optional,
                Some('+') => Count::Repeated,
                Some('-') => Count::Context,
                _ => Count::One,
            };
            if count != Count::One {
                letters.next();
            }
            parameters.push(Parameter {
                types,
                list: letter == 'a',
                items,
                count,
            });
        }
        Ok(Self { parameters })
    }
}
