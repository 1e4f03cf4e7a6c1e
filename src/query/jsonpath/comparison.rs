//! The comparisons of members with literals in a filter.

use crate::json::{Text, Value};

/// A comparison in a filter between a member of the item and a literal.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterTest {
    /// The names on the path to the member.
    pub member: Vec<Text>,
    /// `==`, `!=`, `<=`, `>=`, `<` or `>`.
    pub operator: &'static str,
    /// The literal.
    pub wanted: Value,
}

#[cfg(test)]
mod tests {
    use crate::query::Path;

    #[test]
    fn a_filter_tells_what_it_compares_members_with() {
        for (path, wanted) in [
            ("$.orders[?(@.open==true)]", "open == true"),
            (
                "$.o[?(@.a.b >= 2 && @.c != 'x && y')]",
                "a.b >= 2; c != \"x && y\"",
            ),
            ("$.o[?(@.note == 'it\\'s')]", "note == \"it's\""),
            ("$.o[?((@.a == 1) && @.b)]", "a == 1"),
            ("$.o[?(@.a == EU)]", "a == \"EU\""),
            ("$.o[?(@.a == null || @.b == 1)]", ""),
            ("$.o[?(!(@.a == 1))]", ""),
            ("$.o[?(@.a == $.b)]", ""),
            ("$.o[?(@[0] == 1)]", ""),
        ] {
            let path = Path::parse(path).unwrap();
            let tests = path.filter_tests(1).unwrap().iter();
            let tests = tests.map(|test| {
                let member: Vec<&str> = test.member.iter().map(|name| &**name).collect();
                format!("{} {} {}", member.join("."), test.operator, test.wanted)
            });
            let shown: Vec<String> = tests.collect();
            assert_eq!(shown.join("; "), wanted, "{}", path.text());
        }
        assert!(Path::parse("$.o[0]").unwrap().filter_tests(1).is_none());
    }
}
