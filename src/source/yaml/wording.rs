//! Rewords the errors of the YAML parser, and adds advice.

/// Rewords an error of the YAML parser. Returns the message and advice.
pub(super) fn plain(info: &str) -> (String, Option<&'static str>) {
    const INDENT: &str = "compare the indentation of this line with the lines above it";
    let known: &[(&str, &str, Option<&'static str>)] = &[
        (
            "recursion limit exceeded",
            "brackets nested more than 255 deep",
            None,
        ),
        (
            "tab",
            "a tab stands where only spaces may indent",
            Some("indent with spaces"),
        ),
        (
            "mapping values are not allowed",
            "a \": \" stands where no key can begin",
            Some("put text that holds \": \" in quotes, or look at the indentation of the line"),
        ),
        (
            "invalid indentation in quoted",
            "the quotes are not closed before a line that is indented less",
            Some("close the quotes, or indent the lines of the text"),
        ),
        (
            "invalid indentation",
            "the line is indented less than what it belongs to",
            Some(INDENT),
        ),
        (
            "wrongly indented",
            "the line is indented less than the text block it belongs to",
            Some(INDENT),
        ),
        (
            "did not find expected key",
            "no key begins here: the line does not fit those above it",
            Some(INDENT),
        ),
        (
            "did not find expected '-'",
            "no \"- \" begins here: the line does not fit those above it",
            Some(INDENT),
        ),
        (
            "block sequence entries are not allowed",
            "a \"- \" stands where no list can begin",
            Some(INDENT),
        ),
        (
            "mapping keys are not allowed",
            "a \"? \" stands where no key can begin",
            Some(INDENT),
        ),
        (
            "simple key expect",
            "a key without \":\"",
            Some("write NAME: VALUE, or indent the text that goes on"),
        ),
        (
            "unknown anchor",
            "no anchor of this name stands before the alias",
            Some("text that begins with * needs quotes"),
        ),
        (
            "unexpected end of stream",
            "the quotes are not closed",
            None,
        ),
        (
            "trailing content",
            "text stands after the closing quotes",
            Some("double the quotes that belong to the text"),
        ),
        (
            "unexpected character",
            "",
            Some("text that begins with %, @ or ` needs quotes"),
        ),
        (
            "unknown escape",
            "a \\ that begins no escape, in double quotes",
            Some("write \\\\, or use single quotes"),
        ),
        (
            "comment intercepting",
            "a comment stands inside text of several lines",
            None,
        ),
        (
            "expected ',' or '}'",
            "neither \",\" nor \"}\" comes next",
            None,
        ),
        (
            "expected ',' or ']'",
            "neither \",\" nor \"]\" comes next",
            None,
        ),
        (
            "<document start>",
            "text stands after the end of the document",
            Some(INDENT),
        ),
        ("expected node content", "no value begins here", None),
    ];
    let hit = known.iter().find(|(part, ..)| info.contains(part));
    match hit {
        Some((_, "", help)) => (info.replace('`', "'"), *help),
        Some((_, message, help)) => ((*message).to_string(), *help),
        None => (info.to_string(), None),
    }
}
