//! Paths in the tests that AWS reads differently from the specification.

/// Paths with AWS's result.
pub(super) const OTHERWISE: &[(&str, &str)] = &[
    (
        r#"$.a.b[-1]"#,
        r#"Invalid path '$.a.b[-1]' : Index out of bounds when evaluating path $['a']['b'][-1]"#,
    ),
    (
        r#"$.a.b[-1].c"#,
        r#"Invalid path '$.a.b[-1].c' : Index out of bounds when evaluating path $['a']['b'][-1]"#,
    ),
    (
        r#"$["a"].b[1]"#,
        r#"Invalid path '$["a"].b[1]' : Could not analyze path component: ["a"]"#,
    ),
    (
        r#"$['Test\"q']"#,
        r#"Invalid path '$['Test\"q']' : No results for path: $['Test\"q']"#,
    ),
    (
        r#"$['\ud800\udf46']"#,
        r#"Invalid path '$['\ud800\udf46']' : No results for path: $['\ud800\udf46']"#,
    ),
    (r#"$.users[?(@.status == 0 || @.n == "c")].n"#, r#"["a"]"#),
    (r#"$.users[?(!(@.status == 0))].n"#, r#"[]"#),
    (r#"$.users[?(@.status != 0)].n"#, r#"["b"]"#),
    (
        r#"$.users[?(@.status == '0')]"#,
        r#"[{"n":"a","status":0,"t":[1]}]"#,
    ),
    (
        r#"$.users[?(@.status < 'x')]"#,
        r#"Invalid path '$.users[?(@.status < 'x')]' : Character x is neither a decimal digit number, decimal point, nor "e" notation exponential mark."#,
    ),
    (
        r#"$.users[?(@.t[?(@ == 1)])].n"#,
        r#"Invalid path '$.users[?(@.t[?(@ == 1)])].n' : the predicate path is not definite"#,
    ),
    (
        r#"$.limit[?(@.x)]"#,
        r#"Invalid path '$.limit[?(@.x)]' : Filter: [?] can not be applied to primitives. Current context is: 1"#,
    ),
    (r#"$[?(@.a == 'é\n"q')].a"#, r#"[]"#),
    (
        r#"$.a['x','y'].z"#,
        r#"Invalid path '$.a['x','y'].z' : Missing property in path $['a']"#,
    ),
    (
        r#"$.a[1,7,-2]"#,
        r#"Invalid path '$.a[1,7,-2]' : Index out of bounds when evaluating path $['a'][7]"#,
    ),
    (
        r#"$.vals[-3:-1]"#,
        r#"Invalid path '$.vals[-3:-1]' : Index out of bounds when evaluating path $['vals'][-3]"#,
    ),
    (r#"$[*]['x','y']"#, r#"[{"x":1,"y":2},{"x":4},{}]"#),
    (
        r#"$['q','p'].v"#,
        r#"Invalid path '$['q','p'].v' : Multi properties can only be used as path leafs: $['q', 'p']"#,
    ),
    (
        r#"$.a[3].b"#,
        r#"Invalid path '$.a[3].b' : Index out of bounds when evaluating path $['a'][3]"#,
    ),
    (
        r#"$.a[-2]"#,
        r#"Invalid path '$.a[-2]' : Index out of bounds when evaluating path $['a'][-2]"#,
    ),
    (
        r#"$['x]y']"#,
        r#"Invalid path '$['x]y']' : Multi properties can only be used as path leafs: $[]"#,
    ),
    (r#"$['x[@ = 1]']"#, "{}"),
    (
        r#"$['can\'t']"#,
        r#"Invalid path '$['can\'t']' : No results for path: $['can\']"#,
    ),
    (r#"$.v[?(@.n == 010)].n"#, r#"["010",10]"#),
    (
        r#"$.a[ * ]"#,
        r#"Invalid path '$.a[ * ]' : Could not analyze path component: [ * ]"#,
    ),
    (
        r#"$.a"#,
        r#"Invalid path '$.a' : Property ['a'] not found in path $"#,
    ),
    (
        r#"$.a['x','y']"#,
        r#"Invalid path '$.a['x','y']' : Property ['x', 'y'] not found in path $['a']"#,
    ),
];
