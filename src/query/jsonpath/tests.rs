//! Tests that paths select the right values, one behaviour per line.

use super::*;
use crate::json::{one_line, parse as json};
use crate::query::tests::Fixture;
use proptest::prelude::*;

/// Paths that AWS reads differently from the specification, each with AWS's result after a tab.
const OTHERWISE: &str = include_str!("otherwise.txt");

fn shown(path: &str, bindings: &Fixture) -> String {
    match Path::parse(path) {
        Err(error) => {
            assert!(
                path.get(error.range.clone()).is_some(),
                "{path}: {:?}",
                error.range
            );
            format!("error: {}", error.message)
        }
        Ok(path) => match path.eval(bindings) {
            Ok(value) => one_line(&value),
            Err(error) => error.reason(),
        },
    }
}

/// Asserts that `path`, evaluated on `data`, has the expected value in both profiles.
fn check(data: &str, path: &str, expected: &str) {
    assert_eq!(shown(path, &Fixture::new(data)), expected, "{path} (spec)");
    let mut otherwise = OTHERWISE.lines().filter_map(|line| line.split_once('\t'));
    let expected = otherwise
        .find(|(key, _)| *key == path)
        .map_or(expected, |(_, aws)| aws);
    assert_eq!(shown(path, &Fixture::aws(data)), expected, "{path} (aws)");
}

#[test]
fn definite() {
    let data = r#"{"a":{"b":[10,20,{"c":null}]},"error-info":1,"1st":2,"x@y":3,"a/b":4,"s.t":5,"Ж中":6,"Test\"q":7,"":8,"𐍆":9}"#;
    check("5", "$", "5");
    check(data, "$.a.b[0]", "10");
    check(data, "$.a.b[-1]", r#"{"c":null}"#);
    check(data, "$.a.b[-1].c", "null");
    check(data, "$.a.b[(@.length-2)]", "20");
    check(data, "$['a']['b'][ 1 ]", "20");
    check(data, r#"$["a"].b[1]"#, "20");
    check(data, "$.['a'].b.[1]", "20");
    check(data, "$.error-info", "1");
    check(data, "$.1st", "2");
    check(data, "$.x@y", "3");
    check(data, "$.a/b", "4");
    check(data, r"$.s\.t", "5");
    check(data, "$.Ж中", "6");
    check(data, r#"$['Test\"q']"#, "7");
    check(data, r#"$.Test"q"#, "7");
    check(data, "$['']", "8");
    check(data, r"$['\ud800\udf46']", "9");
    check(data, "$['1st','no','x@y']", r#"{"1st":2,"x@y":3}"#);
    check(data, "$['no','none']", "{}");
    check("{}", "$$.Map.Item.Index", "4");
    check(
        "{}",
        "$$",
        r#"{"Execution":{"Input":{"a":1}},"Map":{"Item":{"Index":4}}}"#,
    );
    check("{}", "$order.items[1]", "8");
    check("{}", "$order.items[1:]", "[8,9]");
    check("{}", "$nothing", "null");
    check("{}", "$größe", "3");
}

#[test]
fn what_means_nothing_is_passed_over() {
    let data = r#"{"a":[1,2,3,4],"k":{"k":5},"b":6,"x]y":7,"can't":8,"v":[{"n":"010"},{"n":10}]}"#;
    check(data, "$.a[0:3:2]", "[1,2,3]");
    check(data, "$.a[3:0:-1]", "[]");
    check(data, "$.a[1:3,0]", "[2,3]");
    check(data, "$.a[1:3:]", "[2,3]");
    check(data, "$...k", r#"[{"k":5},5]"#);
    check(data, "$['a', ,'b',]", r#"{"a":[1,2,3,4],"b":6}"#);
    check(data, "$['k'.'b']", r#"{"k":{"k":5},"b":6}"#);
    check(data, "$['x]y']", "7");
    check(
        data,
        "$['x[@ = 1]']",
        "Invalid path '$['x[@ = 1]']' : No results for path: $['x[@ = 1]']",
    );
    check(data, r"$['can\'t']", "8");
    check(data, "$.v[?(@.n == 010)].n", "[10]");
    check(data, "$.a[ * ]", "[1,2,3,4]");
}

#[test]
fn missing() {
    check(
        "{}",
        "$.NoSuchInputPath",
        "Invalid path '$.NoSuchInputPath' : No results for path: $['NoSuchInputPath']",
    );
    check(
        "{}",
        "$.no.such.result.path",
        "Invalid path '$.no.such.result.path' : Missing property in path $['no']",
    );
    check(
        r#"{"a":[1]}"#,
        "$.a[3].b",
        "Invalid path '$.a[3].b' : No results for path: $['a'][3]['b']",
    );
    check(
        r#"{"a":[1]}"#,
        "$.a[-2]",
        "Invalid path '$.a[-2]' : No results for path: $['a'][-2]",
    );
    let message = shown("$.a", &Fixture::new("null"));
    assert_eq!(message, "Invalid path '$.a' : No results for path: $['a']");
    let message = shown("$.a", &Fixture::aws("null"));
    assert_eq!(
        message,
        "Unable to apply Path transformation to null or empty input."
    );
    check(
        r#"{"a":1}"#,
        "$.a['x','y']",
        "Invalid path '$.a['x','y']' : No results for path: $['a']['x','y']",
    );
    check(
        "{}",
        "$$.X.Y",
        "Invalid path '$$.X.Y' : Missing property in path $['X']",
    );
    check(
        "{}",
        "$unknown.a",
        "The variable '$unknown' has not been assigned a value",
    );
}

#[test]
fn indefinite() {
    for path in [
        "$[*]",
        "$.items[*]",
        "$.items[1:]",
        "$.items[:1].x",
        "$.item.items[1:5]",
        "$..x",
        "$.a[0,1]",
        "$.a[?(@.x)]",
        "$.a['x','y'].z",
        "$..['a','b']",
    ] {
        check("{}", path, "[]");
    }
    check(r#"{"a":[1,2,3,4]}"#, "$.a[0,1]", "[1,2]");
    check(r#"{"a":[1,2]}"#, "$.a[1,7,-2]", "[2,1]");
    check(r#"{"items":[7]}"#, "$.items[0]", "7");
    check(r#"{"items":[7]}"#, "$.items[0:1]", "[7]");
    let vals = r#"{"vals":[0,10,20,30,40,50]}"#;
    check(vals, "$.vals[-3:]", "[30,40,50]");
    check(vals, "$.vals[2:]", "[20,30,40,50]");
    check(vals, "$.vals[:2]", "[0,10]");
    check(vals, "$.vals[:-4]", "[0,10]");
    check(vals, "$.vals[1:3]", "[10,20]");
    check(vals, "$.vals[-3:-1]", "[30,40]");
    check(vals, "$.vals[4:2]", "[]");
    check(r#"{"a":{"x":1,"y":[2]}}"#, "$.a.*", "[1,[2]]");
    check(r#"{"a":{"x":1,"y":[2]}}"#, "$.a[*]", "[1,[2]]");
    check(
        r#"[{"x":1,"y":2,"z":3},{"x":4},{"q":5}]"#,
        "$[*]['x','y']",
        r#"[{"x":1,"y":2},{"x":4}]"#,
    );
    check(r#"{"p":{"v":1},"q":{"v":2}}"#, "$['q','p'].v", "[2,1]");
    check(
        r#"{"x":1,"a":{"x":2,"b":[{"x":3}]},"c":{"x":4}}"#,
        "$..x",
        "[1,2,3,4]",
    );
    check(r#"{"a":[[1],2]}"#, "$..[0]", "[[1],1]");
    check(r#"{"a":[1]}"#, "$..*", "[[1],1]");
}

#[test]
fn profiles_differ() {
    let data = r#"{"vals":[0,10,20,30],"mixed":[1,{"a":1},"x"]}"#;
    for (path, spec, aws) in [
        ("$.vals[1:-1]", "[10,20]", "[]"),
        (
            "$.vals[-2:2]",
            "[]",
            "Invalid path '$.vals[-2:2]' : Index out of bounds when evaluating path $['vals'][-2]",
        ),
        ("$.vals[1:2000000000]", "[10,20,30]", "[10,20,30]"),
        ("$.mixed[?(@ == 1)]", "[1]", "[]"),
    ] {
        assert_eq!(shown(path, &Fixture::new(data)), spec, "{path}");
        assert_eq!(shown(path, &Fixture::aws(data)), aws, "{path}");
    }
}

#[test]
fn filters() {
    let users = r#"{"users":[{"n":"a","status":0,"t":[1]},{"n":"b","status":1.0},{"n":"c"},5],"limit":1,"one":{"x":1}}"#;
    check(
        users,
        "$.users[?(@.status == 0)]",
        r#"[{"n":"a","status":0,"t":[1]}]"#,
    );
    check(users, "$.users[?(@.status==1)].n", r#"["b"]"#);
    check(users, "$.users[?(@.status == $.limit)].n", r#"["b"]"#);
    check(
        users,
        "$.users[?(@.status >= 0 && @.n != 'a')].n",
        r#"["b"]"#,
    );
    check(
        users,
        "$.users[?(@.status == 0 || @.n == \"c\")].n",
        r#"["a","c"]"#,
    );
    check(users, "$.users[?(!@.status && @.n)].n", r#"["c"]"#);
    check(users, "$.users[?(!(@.status == 0))].n", r#"["b","c"]"#);
    check(users, "$.users[?(@.status != 0)].n", r#"["b","c"]"#);
    check(users, "$.users[?(@.status == '0')]", "[]");
    check(users, "$.users[?(@.status < 'x')]", "[]");
    check(users, "$.users[?(@.status == null)]", "[]");
    check(users, "$.users[?(@.t[0] == 1)].n", r#"["a"]"#);
    check(users, "$.users[?(@['n'] == 'a')].n", r#"["a"]"#);
    check(users, "$.users[?(@.t[?(@ == 1)])].n", r#"["a"]"#);
    check(users, "$.one[?(@.x == 1)]", r#"[{"x":1}]"#);
    check(users, "$.one[?(@.x == 2)]", "[]");
    check(users, "$.limit[?(@.x)]", "[]");
    check(users, "$..[?(@.status == 0)].n", r#"["a"]"#);
    let years = r#"[{"name":"a","year":1999},{"name":"b","year":2001}]"#;
    check(
        years,
        "$[?(@.year <= 1999)]",
        r#"[{"name":"a","year":1999}]"#,
    );
    check(years, "$.[?(@.year < 2000)].name", r#"["a"]"#);
    check(
        r#"[{"error-info":1.50}]"#,
        "$[?(@.error-info>1)]",
        r#"[{"error-info":1.50}]"#,
    );
    check(
        r#"[{"a":"it's"},{"a":"é\n\"q"}]"#,
        r"$[?(@.a == 'it\'s')].a",
        r#"["it's"]"#,
    );
    check(
        r#"[{"a":"it's"},{"a":"é\n\"q"}]"#,
        r#"$[?(@.a == 'é\n"q')].a"#,
        r#"["é\n\"q"]"#,
    );
    check(
        r#"[{"a":"Receipt"},{"a":"Bill"}]"#,
        "$[?(@.a==Receipt)]",
        r#"[{"a":"Receipt"}]"#,
    );
    check(
        r#"[{"a":true},{"a":false}]"#,
        "$[?(@.a == true)]",
        r#"[{"a":true}]"#,
    );
    check("{}", "$$.Map[?(@.Index == $.Map.Item.Index)]", r#"[]"#);
    check(
        "{}",
        "$$.Map.Item[?(@.Index == $.Map.Item.Index)]",
        r#"[{"Index":4}]"#,
    );
}

#[test]
fn filters_see_each_new_document() {
    let path = Path::parse("$.a[?(@.x == $.y)].x").expect("path");
    for (data, expected) in [
        (r#"{"y":1,"a":[{"x":1},{"x":2}]}"#, "[1]"),
        (r#"{"y":2,"a":[{"x":1},{"x":2}]}"#, "[2]"),
    ] {
        let fixture = Fixture::new(data);
        for _ in 0..2 {
            assert_eq!(
                path.eval(&fixture).map(|v| one_line(&v)).as_deref(),
                Ok(expected)
            );
        }
    }
}

#[test]
fn indexes_in_matches() {
    fn check(path: &str, expected: (&str, Option<i64>)) {
        let path = Path::parse(path).expect(path);
        let (text, index) = path.without_index_in_matches();
        assert_eq!((&*text, index), expected);
    }
    check("$.a[0].b", ("$.a[0].b", None));
    check("$.a[?(@.b)].c", ("$.a[?(@.b)].c", None));
    check("$.a[?(@.b)][2].c", ("$.a[?(@.b)].c", Some(2)));
    check("$.a[0:2][1][0].c[3]", ("$.a[0:2].c[3]", Some(1)));
    check("$.a[*][0]", ("$.a[*][0]", None));
}

#[test]
fn refused() {
    fn check(path: &str, expected: &str, range: Range<usize>) {
        let error = Path::parse(path).expect_err(path);
        assert!(
            error.message.contains(expected) && error.range == range,
            "{path}: {error:?}"
        );
    }
    let many = format!("$[?({}@.a{})]", "(".repeat(70), ")".repeat(70));
    let nested = "$[?(@".to_string() + &"[?(@".repeat(5);
    let long = format!("$[?(@.a == '{}')]", "x".repeat(5000));
    check("", "begin with '$'", 0..0);
    check(" $.a", "begin with '$'", 0..1);
    check("a", "begin with '$'", 0..1);
    check("$.", "name is missing", 2..2);
    check("$..", "name is missing", 3..3);
    check("$....a", "between the dots", 3..4);
    check("$.a b", "space", 3..4);
    check("$ .a", "cannot continue", 1..2);
    check("$.a[", "not closed", 3..4);
    check("$.a[0", "not closed", 3..5);
    check("$.a[]", "empty", 3..5);
    check("$.a[x]", "name or an index", 4..5);
    check("$.a['x", "quoted text is not closed", 4..6);
    check(r"$['\u", "quoted text is not closed", 2..5);
    check("$.a[0]b", "cannot continue", 6..7);
    check("$.a[:]", "start or an end", 4..5);
    check("$.a[99999999999]", "too large", 4..15);
    check("$.a[(@.length+1)]", "expression as an index", 4..5);
    check("$.a[(@.x-1)]", "expression as an index", 4..5);
    check("$.a.length()", "path function length()", 4..12);
    check("$.*x", "can follow '*'", 3..4);
    check("$.a[?@.x]", "parentheses", 5..6);
    check("$.a[?(@.x =~ /a/)]", "operator '=~'", 10..12);
    check("$.a[?(@.x in ['a'])]", "operator 'in'", 10..12);
    check("$.a[?(@.x nin ['a'])]", "operator 'nin'", 10..13);
    check("$.a[?(@.x subsetof ['a'])]", "operator 'subsetof'", 10..18);
    check("$.a[?(@.x === 1)]", "operator '==='", 10..13);
    check("$.a[?(@.x = 1)]", "not a comparison", 10..11);
    check("$.a[?(@.x == )]", "path or a value", 13..14);
    check("$.a[?(@.x == 0-1)]", "not a JSON number", 13..16);
    check("$.a[?(true)]", "test a path", 6..10);
    check("$.a[?(@.x == @.y[*])]", "select exactly one value", 13..19);
    check("$.a[?(@.x[-1] == 1)]", "negative index", 6..13);
    check("$.a[?(!@.x == 1)]", "cannot negate", 6..13);
    check("$.a[?(@.x", "not closed", 5..9);
    check("$.a[?(@.x)", "not closed", 3..10);
    check("$.a[?(@.x.size() == 1)]", "path function size()", 10..16);
    check(&many, "nested at most", 67..68);
    check(&nested, "nested at most", 19..20);
    check(&long, "at most", 3..5014);
}

#[test]
fn kinds() {
    for (path, definite, reference) in [
        ("$", true, true),
        ("$.a['b'][0][-1]", true, true),
        ("$['a','b']", true, false),
        ("$['a','b'].c", false, false),
        ("$.a[0,1]", false, false),
        ("$.a[1:]", false, false),
        ("$.a[*]", false, false),
        ("$..a", false, false),
        ("$.a[?(@.b)]", false, false),
    ] {
        let path = Path::parse(path).expect(path);
        assert_eq!(
            (path.is_definite(), path.is_reference()),
            (definite, reference),
            "{path:?}"
        );
    }
    assert!(Path::parse("$").is_ok_and(|path| path.is_identity()));
    assert!(Path::parse("$$").is_ok_and(|path| !path.is_identity()));
    let names = |path| Path::parse(path).expect(path).names();
    assert_eq!(
        names("$.a[0]"),
        Some(vec![Step::Member("a".into()), Step::Item(0)])
    );
    assert_eq!(names("$.a[-1]"), None);
}

#[test]
fn counts_and_misses() {
    fn check(data: &str, path: &str, expected: &str) {
        let (fixture, path) = (Fixture::new(data), Path::parse(path).expect("path"));
        let steps = path.ranges().iter().enumerate();
        let steps = steps.map(|(place, range)| {
            let count = path.count(place + 1, &fixture);
            format!("{} {count}", &path.text()[range.clone()])
        });
        let steps: Vec<String> = steps.collect();
        let (_, trace) = path.trace(&fixture);
        let miss = trace.acts[0].miss.as_ref().map(|miss| &miss.steps);
        let shown = format!("{}; {} {miss:?}", steps.join("; "), trace.reached());
        assert_eq!(shown, expected, "{path:?}");
    }
    check(
        r#"{"a":{"Payload":[1]}}"#,
        "$.a.Payload[-1]",
        ".a 1; .Payload 1; [-1] 1; $.a.Payload[0] None",
    );
    check(
        r#"{"a":{"Payload":[1]}}"#,
        "$.a.payload.x",
        r#".a 1; .payload 0; .x 0; $.a Some([Member("payload"), Member("x")])"#,
    );
    check(
        r#"{"a":[1,2]}"#,
        "$.a[2]",
        ".a 1; [2] 0; $.a Some([Item(2)])",
    );
    check(
        r#"{"a":"x"}"#,
        "$.a.b",
        r#".a 1; .b 0; $.a Some([Member("b")])"#,
    );
    check(
        r#"{"a":[{"b":1},{"c":2}]}"#,
        "$.a[*].b",
        r#".a 1; [*] 2; .b 1; $.a[1] Some([Member("b")])"#,
    );
    check("{}", "$unknown.a", ".a 0; $ Some([])");
}

#[test]
fn a_wide_and_deep_document_is_walked_without_recursion() {
    let mut deep = Value::from(1);
    for _ in 0..999 {
        deep = Value::object(vec![("a".into(), deep)]);
    }
    let fixture = Fixture::of(deep);
    let path = Path::parse("$..a").expect("path");
    let value = path.eval(&fixture).expect("value");
    assert_eq!(value.as_array().map(<[Value]>::len), Some(999));
    let path = Path::parse("$[?(@..a == $.a)]").map(|_| ());
    assert!(path.is_err(), "not one value");
    let path = Path::parse("$[?(@..b || @.a.a || $.a)].a").expect("path");
    assert!(path.eval(&fixture).is_ok_and(|value| value.depth() > 990));
    let mut doubled = Value::object(vec![("x".into(), Value::from(1))]);
    for _ in 0..60 {
        doubled = Value::array(vec![doubled.clone(), doubled]);
    }
    let mut fixture = Fixture::of(doubled);
    fixture.selects = 100_000;
    for path in ["$..x", "$[?(@.x)]"] {
        let path = Path::parse(path).expect("path");
        assert!(matches!(
            path.eval(&fixture),
            Err(QueryError::TooMuch { .. })
        ));
    }
}

#[test]
fn the_worst_filter_is_read_quickly() {
    let inner = format!("{}@.a{}", "(".repeat(60), ")".repeat(60));
    let mut filter = inner.clone();
    for _ in 0..3 {
        filter = format!("!({filter} || !@[?({inner} && {filter})])");
        if filter.len() > 3_000 {
            break;
        }
    }
    let path = Path::parse(&format!("$[?({filter})]")).map_err(|error| error.message);
    assert!(path.is_ok_and(|path| path.eval(&Fixture::new("[[{}],{}]")).is_ok()));
}

#[test]
fn expressions_can_be_shared_among_threads() {
    fn check<T: Send + Sync>() {}
    check::<crate::query::Expression>();
    check::<crate::query::Template>();
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let scalar = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-9_i64..9).prop_map(Into::into),
        "[a-c]{0,2}".prop_map(Into::into),
    ];
    scalar.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec(("[a-d]", inner), 0..4)
                .prop_map(|members| { serde_json::Value::Object(members.into_iter().collect()) }),
        ]
    })
}

/// Paths with the same meaning in Step Functions and in RFC 9535.
fn shared_path() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        "\\.[a-d]",
        "\\['[a-d]'\\]",
        "\\[-?[0-3]\\]",
        Just("[*]".to_string()),
        Just(".*".to_string()),
        "\\.\\.[a-d]",
        Just("..*".to_string()),
        "\\.\\.\\[[0-2]\\]",
        "\\[[0-2],[0-2]\\]",
        "\\[-?[0-3]:\\]",
        "\\[:-?[0-3]\\]",
        "\\[-?[0-3]:-?[0-3]\\]",
    ];
    prop::collection::vec(step, 0..5).prop_map(|steps| {
        format!("${}", steps.concat())
            .replace("[-0", "[0")
            .replace(":-0", ":0")
    })
}

proptest! {
    #[test]
    fn agrees_with_rfc_9535(document in value(), text in shared_path()) {
        let path = Path::parse(&text).map_err(|e| TestCaseError::fail(e.message))?;
        let theirs = serde_json_path::JsonPath::parse(&text)
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
        let theirs: Vec<Value> = theirs
            .query(&document)
            .all()
            .into_iter()
            .map(|value| Value::from(value.clone()))
            .collect();
        let fixture = Fixture::of(Value::from(document));
        match path.eval(&fixture) {
            Ok(ours) if path.is_definite() => prop_assert_eq!(vec![ours], theirs),
            Ok(ours) => prop_assert_eq!(ours.as_array(), Some(theirs.as_slice())),
            Err(_) => prop_assert!(theirs.is_empty()),
        }
    }

    #[test]
    fn nothing_panics(text in "\\$[$a.\\[\\]'\"\\\\u*?()@=!<>&|:,0-9 é\u{10346}-]{0,24}") {
        if let Ok(path) = Path::parse(&text) {
            let fixture = Fixture::of(json(r#"{"a":[{"a":1},[0,"é"]],"u":{"a":null}}"#).expect("json"));
            let _ = path.eval(&fixture);
            let _ = path.trace(&fixture);
            let _ = path.count(path.ranges().len(), &fixture);
        }
    }

    #[test]
    fn filters_do_not_panic(text in "[@$.a\\[\\]'\"\\\\*?()=!<>&|,0-9 é-]{0,24}") {
        if let Ok(path) = Path::parse(&format!("$.a[?({text})]")) {
            let fixture = Fixture::new(r#"{"a":[{"a":1},[0,"é"]],"u":{"a":null}}"#);
            let _ = path.eval(&fixture);
        }
    }

    #[test]
    fn any_text_gives_a_range_within_it(text in any::<String>()) {
        for text in [text.clone(), format!("${text}"), format!("$.{text}"), format!("$['{text}")] {
            if let Err(error) = Path::parse(&text) {
                prop_assert!(text.get(error.range).is_some());
            }
            if let Err(error) = crate::query::ReferencePath::parse(&text) {
                prop_assert!(text.get(error.range).is_some());
            }
        }
    }
}
