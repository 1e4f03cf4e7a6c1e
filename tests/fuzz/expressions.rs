//! Seeds for fuzzing: paths, calls of intrinsic functions and JSONata expressions, and the documents on which the paths
//! are evaluated.

use super::support::expression::cases;
use super::support::value;
use asldbg::json::Value;
use asldbg::query::{Bindings, Profile};

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

pub(crate) fn paths() -> Vec<String> {
    PATHS.iter().map(|path| (*path).to_string()).collect()
}

pub(crate) fn jsonata_seeds() -> Vec<String> {
    let files = ["language.txt", "service.txt"];
    let all = files.iter().flat_map(|file| cases(file));
    all.map(|(expression, _)| expression).collect()
}

/// A document that paths are evaluated on.
pub(crate) struct Document {
    pub(crate) data: Value,
    pub(crate) profile: Profile,
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
