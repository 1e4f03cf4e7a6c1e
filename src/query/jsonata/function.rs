//! The names of the built-in functions, JSONata's own and those that Step Functions adds.
//!
//! It must not know what they do.

/// The functions that Step Functions adds.
pub const ADDED: [&str; 5] = ["hash", "parse", "partition", "range", "uuid"];

/// JSONata's functions that are available in Step Functions.
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

/// Whether there is such a function.
#[must_use]
pub fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name) || ADDED.contains(&name)
}
