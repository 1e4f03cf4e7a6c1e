//! Expressions of every language with a few letters changed: each is refused, fails or gives a value, soon and in
//! bounds. `PROPTEST_CASES` says how many of each.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::json::Value;
use asldbg::query::jsonata::Failure;
use asldbg::query::{Bindings, Expression, Profile, ReferencePath};
use asldbg::worker::Evaluator;
use proptest::prelude::*;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use support::expression::{cases, result};
use support::value;

/// Longer than anything that ends takes, on a machine that is busy as well.
const HANGS: Duration = Duration::from_secs(5);
/// Bytes that no value of these small documents comes to.
const LARGE: u64 = 64 << 20;

/// Pieces that mutations put in.
const PIECES: [&str; 38] = [
    "$",
    "$$",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "function($x){",
    "~>",
    ":=",
    "..",
    "%",
    "@$a",
    "#$i",
    "1e308",
    "/a+/",
    "`",
    "null",
    "$states.input",
    "é",
    "$string(",
    "$..*",
    "['a','b']",
    "[?(@.x == 1)]",
    "[-1:]",
    "[0,1]",
    "$$.Map.Item",
    "States.Array(",
    "States.Format('{}', ",
    "\\'",
    "\\",
    "9999999999999999999",
    "-0.0",
    "\u{202e}",
    ", ",
];

/// Paths and calls of intrinsic functions.
const PATHS: [&str; 44] = [
    "$",
    "$.a.b[0]",
    "$.a.b[-1]",
    "$.a.b[0:2]",
    "$.a.b[1:-1]",
    "$.a.b[0,2]",
    "$['a']['b']",
    "$['a','n']",
    "$.a.*",
    "$..x",
    "$..[0]",
    "$..*",
    "$.l[?(@.x > 1)]",
    "$.l[?(@.x == 'one' && @.y != null)].y",
    "$.l[?(@.x <= $.n || !@.y)]",
    "$.l[?(@ == 1)]",
    "$.[?(@.x)]",
    "$.store\\.book",
    "$.error-info",
    "$$.Execution.Name",
    "$v.items[1:]",
    "$v",
    "States.Format('{} of {}', $.a.b[0], 'x\\'y')",
    "States.Format('\\{{}\\}', States.JsonToString($))",
    "States.StringToJson('{\"a\":[1,2]}')",
    "States.JsonToString($.l)",
    "States.Array(1, 'a', null, true, $.n, States.Array())",
    "States.ArrayPartition($.a.b, 2)",
    "States.ArrayContains($.a.b, 1)",
    "States.ArrayRange(0, 999, 1)",
    "States.ArrayRange(10, -10, -3)",
    "States.ArrayGetItem($.a.b, 1)",
    "States.ArrayLength($.l)",
    "States.ArrayUnique($.l)",
    "States.Base64Encode('text')",
    "States.Base64Decode('dGV4dA==')",
    "States.Hash($.t, 'SHA-256')",
    "States.JsonMerge($.a, $.o, false)",
    "States.JsonMerge($.a, $.o, true)",
    "States.MathRandom(1, 9, 5)",
    "States.MathAdd($.n, -1.5)",
    "States.StringSplit($.t, ' ,')",
    "States.UUID()",
    "States.Array(States.Array(States.Array(States.Array($))))",
];

/// A seed with one to four changes.
fn mutated(seeds: Vec<String>) -> impl Strategy<Value = String> {
    let change = (any::<u16>(), any::<u16>(), 0..4_u8, 0..PIECES.len());
    (
        prop::sample::select(seeds),
        prop::collection::vec(change, 1..5),
    )
        .prop_map(|(seed, changes)| {
            let mut letters: Vec<char> = seed.chars().collect();
            for (from, length, kind, piece) in changes {
                let at = usize::from(from) % (letters.len() + 1);
                let end = (at + usize::from(length) % 6).min(letters.len());
                match kind {
                    0 => drop(letters.drain(at..end)),
                    1 => {
                        let copy: Vec<char> = letters[at..end].to_vec();
                        letters.splice(at..at, copy);
                    }
                    2 => drop(letters.splice(at..end, PIECES[piece].chars())),
                    _ => drop(letters.splice(at..at, PIECES[piece].chars())),
                }
            }
            letters.into_iter().collect()
        })
}

fn jsonata() -> Vec<String> {
    let files = ["language.txt", "service.txt"];
    let all = files.iter().flat_map(|file| cases(file));
    all.map(|(expression, _)| expression).collect()
}

fn paths() -> Vec<String> {
    PATHS.iter().map(|path| (*path).to_string()).collect()
}

/// As many cases as `PROPTEST_CASES` says, else 2,000.
fn config() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = asked.and_then(|count| count.parse().ok()).unwrap_or(2000);
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What the paths are evaluated on.
struct Document {
    data: Value,
    profile: Profile,
}

impl Bindings for Document {
    fn data(&self) -> &Value {
        &self.data
    }

    fn context(&self) -> Value {
        value(r#"{"Execution":{"Name":"run"},"Map":{"Item":{"Index":0,"Value":1}}}"#)
    }

    fn variable(&self, name: &str) -> Option<Value> {
        (name == "v").then(|| value(r#"{"items":[1,2,3]}"#))
    }

    fn random(&self) -> u64 {
        7
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}

static SHARED: Mutex<Option<Evaluator>> = Mutex::new(None);

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutated_jsonata_ends(text in mutated(jsonata())) {
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let evaluator = shared.get_or_insert_with(Evaluator::new);
        let began = Instant::now();
        let result = result(evaluator, &text);
        prop_assert!(began.elapsed() < HANGS, "{}", text);
        match result {
            Ok(Ok(value)) => prop_assert!(value.size() < LARGE, "{}", text),
            Ok(Err(Failure::Overdue(_))) => *shared = None,
            _ => {}
        }
    }

    #[test]
    fn mutated_paths_and_intrinsics_end(text in mutated(paths())) {
        let document = r#"{"a":{"b":[1,2,{"x":"y"}]},"l":[{"x":1},{"x":2,"y":null},"one",1],"n":3,"o":{"a":{"c":1}},"t":"one, two","store.book":1,"error-info":2}"#;
        let began = Instant::now();
        if let Ok(expression) = Expression::parse(&text) {
            for profile in [Profile::Spec, Profile::Aws] {
                let document = Document { data: value(document), profile };
                if let Ok(found) = expression.eval(&document) {
                    prop_assert!(found.size() < LARGE, "{}", text);
                }
                let _ = expression.explain(&document);
            }
        }
        if let Ok(path) = ReferencePath::parse(&text) {
            let _ = path.insert(&value(document), Value::Null);
        }
        prop_assert!(began.elapsed() < HANGS, "{}", text);
    }
}
