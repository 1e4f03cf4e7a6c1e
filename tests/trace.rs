//! Tests of traces of evaluations: where each part of a value comes from (`tests/trace/*.txt`). A trace must be
//! complete: changing anything that it does not list has no effect on the value.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::json::{Pointer, Step, Value};
use asldbg::query::jsonata::{Evaluation, Traced};
use asldbg::query::trace::{Base, Provenance, Role, Spot, Trace};
use asldbg::query::{Bindings, Evaluate, Expression, Profile, QueryError, ReferencePath, Template};
use asldbg::worker::Evaluator;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use support::expression::{cases, evaluation};
use support::stored;

fn look(evaluator: &Evaluator, evaluation: &Evaluation) -> Traced {
    let evaluation = Arc::new(evaluation.clone());
    loop {
        if let Some(traced) = evaluator.look(&evaluation) {
            return traced.into_iter().next().unwrap();
        }
    }
}

/// A place in the documents that an expression reads, as text, for example `$.a[0]`.
fn place(spot: &Spot) -> String {
    let root = match &spot.base {
        Base::Data => "$".to_string(),
        Base::Context => "$$".to_string(),
        Base::Variable(name) => format!("${name}"),
        Base::States(name) => format!("${name}$"),
    };
    let at = spot.at.to_string();
    format!("{root}{}", at.strip_prefix('$').unwrap())
}

/// Writes a provenance (where a value comes from) as text, such as the place of a copied value, `literal`, or
/// `made(...)` with the operands. An operand that only decides which value results begins with `if`; a value from a
/// callback begins with the number of the call. `around` has the indices of the enclosing acts.
fn shown(trace: &Trace, from: &Provenance, around: &[u32]) -> String {
    let part = |part: &Provenance| shown(trace, part, around);
    match from {
        Provenance::Copy(spot) => place(spot),
        Provenance::Literal(_) => "literal".to_string(),
        Provenance::Unknown => "unknown".to_string(),
        Provenance::Reads(spots) => {
            let spots: Vec<String> = spots.iter().map(place).collect();
            format!("reads({})", spots.join(", "))
        }
        Provenance::Built(parts) => {
            let parts = parts.iter().map(|(step, from)| match step {
                Step::Member(name) => format!("{name}: {}", part(from)),
                Step::Item(_) => part(from),
            });
            format!("[{}]", parts.collect::<Vec<_>>().join(", "))
        }
        Provenance::Inserted { into, at, value } => {
            format!("{} with {at} = {}", part(into), part(value))
        }
        Provenance::Same(index) | Provenance::Made(index) if around.contains(index) => {
            "call".to_string()
        }
        Provenance::Made(index) => made(trace, *index, around),
        Provenance::Same(index) => {
            let around = [around, &[*index]].concat();
            shown(trace, &trace.act(*index).unwrap().from, &around)
        }
    }
}

fn made(trace: &Trace, index: u32, around: &[u32]) -> String {
    let around = [around, &[index]].concat();
    let operands = trace.below(index).map(|(_, act)| {
        let from = shown(trace, &act.from, &around);
        match act.role {
            Role::Operand => from,
            Role::Decides => format!("if {from}"),
            Role::Callback(number) => format!("{number}: {from}"),
        }
    });
    format!("made({})", operands.collect::<Vec<_>>().join(", "))
}

/// Traces the expression in each line of a file, and compares the trace with the expected one.
fn check(file: &str, mut trace: impl FnMut(&str) -> String) {
    let path = support::root().join("tests/trace").join(file);
    let lines = support::read(&path);
    let found = lines.lines().map(|line| match line.split_once(" ⇒ ") {
        Some((expression, _)) if !line.starts_with('#') => {
            format!("{expression} ⇒ {}\n", trace(expression))
        }
        _ => format!("{line}\n"),
    });
    stored::whole(path, &found.collect::<String>()).unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// A whole trace as text: where the result comes from, then the lookups that failed.
fn whole(trace: &Trace) -> String {
    let misses = trace.acts.iter().filter_map(|act| act.miss.as_ref());
    let misses = misses.map(|miss| match miss.spot() {
        Some(spot) => format!(
            "; {} is missing in {} of {}",
            place(&spot),
            miss.without,
            miss.of
        ),
        None => format!(
            "; {:?} is missing in {} of {}",
            miss.steps, miss.without, miss.of
        ),
    });
    shown(trace, &trace.result, &[]) + &misses.collect::<String>()
}

#[test]
fn jsonata_values_have_their_places() {
    let evaluator = Evaluator::new();
    check("jsonata.txt", |expression| {
        whole(&look(&evaluator, &evaluation(expression).unwrap()).trace)
    });
}

/// Changes every scalar of a value, except those at or below a listed place. `way` selects the kind of change.
fn changed(value: &Value, spot: &Spot, listed: &[Spot], way: usize) -> Value {
    let contains = |other: &Spot| other.base == spot.base && spot.at.0.starts_with(&other.at.0);
    if listed.iter().any(contains) {
        return value.clone();
    }
    match value {
        Value::Object(object) => {
            let members = object.members().iter().map(|(name, member)| {
                let spot = spot.below(&[Step::Member(name.clone())]);
                (name.clone(), changed(member, &spot, listed, way))
            });
            Value::object(members.collect())
        }
        Value::Array(array) => {
            let items = array.items().iter().enumerate().map(|(place, item)| {
                let spot = spot.below(&[Step::Item(place)]);
                changed(item, &spot, listed, way)
            });
            Value::array(items.collect())
        }
        scalar => match (way, scalar) {
            (0, Value::Number(_)) => Value::from(-17),
            (0, _) => Value::from("changed"),
            (1, Value::Bool(flag)) => Value::Bool(!flag),
            (1, Value::Null) => Value::from(1),
            (1, _) => Value::Null,
            (_, Value::String(_)) => Value::from(987_654_321),
            _ => Value::from("z"),
        },
    }
}

/// The documents that an expression can read, by name.
#[derive(Clone)]
struct Documents {
    data: Value,
    all: Vec<(Base, Value)>,
    profile: Profile,
}

impl Documents {
    fn get(&self, base: &Base) -> Option<&Value> {
        let found = self.all.iter().find(|(key, _)| key == base);
        found.map(|(_, value)| value)
    }

    fn of(evaluation: &Evaluation) -> Self {
        let states = evaluation.states.iter();
        let states = states.map(|(name, value)| (Base::of_states(name), value.clone()));
        let variables = evaluation.variables.iter();
        let variables =
            variables.map(|(name, value)| (Base::Variable(name.clone()), value.clone()));
        Self {
            data: Value::Null,
            all: states.chain(variables).collect(),
            profile: evaluation.profile,
        }
    }

    fn changed(&self, listed: &[Spot], way: usize) -> Self {
        let all = self.all.iter().map(|(base, value)| {
            (
                base.clone(),
                changed(value, &Spot::root(base.clone()), listed, way),
            )
        });
        let all: Vec<(Base, Value)> = all.collect();
        let data = all.iter().find(|(base, _)| *base == Base::Data);
        Self {
            data: data.map_or(Value::Null, |(_, value)| value.clone()),
            all: all.clone(),
            profile: self.profile,
        }
    }

    fn into_request(self, evaluation: &Evaluation) -> Evaluation {
        let mut request = evaluation.clone();
        for (name, value) in &mut request.states {
            *value = self.get(&Base::of_states(name)).unwrap().clone();
        }
        for (name, value) in &mut request.variables {
            *value = self.get(&Base::Variable(name.clone())).unwrap().clone();
        }
        request
    }
}

impl Bindings for Documents {
    fn data(&self) -> &Value {
        &self.data
    }

    fn context(&self) -> Value {
        self.get(&Base::Context).unwrap().clone()
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.get(&Base::Variable(name.into())).cloned()
    }

    fn random(&self) -> u64 {
        7
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}

/// Describes the errors in a trace: a copy that differs from its source, or a place that is not listed although a
/// change there affects the value. Empty if there are no errors. `again` evaluates with other documents.
fn wrong(
    text: &str,
    (value, trace): (&Value, &Trace),
    documents: &Documents,
    again: impl Fn(Documents) -> Option<Value>,
) -> String {
    let mut wrong = String::new();
    each_part(value, &mut Pointer::root(), &mut |at, part| {
        if let Provenance::Copy(spot) = trace.at(&at.0) {
            let held = documents
                .get(&spot.base)
                .and_then(|whole| spot.at.get(whole));
            if held.map(float) != Some(float(part)) {
                wrong += &format!(
                    "{text}\n    {at} is no copy of {}: {held:?}\n",
                    place(&spot)
                );
            }
        }
    });
    let listed = trace.reads();
    for way in 0..3 {
        let after = again(documents.changed(&listed, way));
        if after.as_ref().map(float) != Some(float(value)) {
            let listed: Vec<String> = listed.iter().map(place).collect();
            wrong += &format!(
                "{text}\n    reads {}\n    {value}\n    {after:?}\n",
                listed.join(" ")
            );
            break;
        }
    }
    wrong
}

/// The errors in the trace of a JSONata expression; empty if there are none.
fn wrong_jsonata(evaluator: &Evaluator, text: &str, request: &Evaluation) -> String {
    let plain = evaluator.evaluate(request).remove(0);
    let Traced { value, trace } = look(evaluator, request);
    if value != plain {
        return format!("{text}\n    traced {value:?}\n    plain  {plain:?}\n");
    }
    let Ok(value) = value else {
        return String::new();
    };
    wrong(text, (&value, &trace), &Documents::of(request), |other| {
        evaluator
            .evaluate(&other.into_request(request))
            .remove(0)
            .ok()
    })
}

/// The value as text, with numbers as JSONata prints them.
fn float(value: &Value) -> String {
    value.to_serde().to_string()
}

fn each_part(value: &Value, at: &mut Pointer, each: &mut dyn FnMut(&Pointer, &Value)) {
    each(at, value);
    let parts: Vec<(Step, &Value)> = match value {
        Value::Object(object) => {
            let members = object.members().iter();
            members
                .map(|(name, member)| (Step::Member(name.clone()), member))
                .collect()
        }
        Value::Array(array) => {
            let items = array.items().iter().enumerate();
            items
                .map(|(place, item)| (Step::Item(place), item))
                .collect()
        }
        _ => Vec::new(),
    };
    for (step, part) in parts {
        at.0.push(step);
        each_part(part, at, each);
        at.0.pop();
    }
}

#[test]
fn jsonata_traces_are_complete() {
    let evaluator = Evaluator::new();
    let mut all = String::new();
    let mut count = 0;
    let lines = support::read("tests/trace/jsonata.txt");
    let case_lines = lines
        .lines()
        .filter_map(|line| line.split_once(" ⇒ "))
        .map(|(text, _)| text.to_string());
    let known = ["language.txt", "service.txt", "aws.txt"].map(cases);
    let known = known.into_iter().flatten().map(|(text, _)| text);
    // Omits the longest ranges, which are traced in the same way as short ones.
    let known = known.filter(|text| !text.contains("[1..87378"));
    for text in case_lines.chain(known) {
        if let Ok(request) = evaluation(&text) {
            all += &wrong_jsonata(&evaluator, &text, &request);
            count += 1;
        }
    }
    assert!(all.is_empty(), "\n{all}");
    assert!(count >= 250, "{count} expressions");
}

/// Evaluates a path, a call of an intrinsic function, or a template given as JSON text. A ResultPath may follow after
/// the word `into`.
fn jsonpath(text: &str, bindings: &Documents) -> (Result<Value, QueryError>, Trace) {
    if let Some((text, path)) = text.split_once(" into ") {
        let path = ReferencePath::parse(path).unwrap();
        let (value, mut trace) = jsonpath(text, bindings);
        let value = value.and_then(|value| path.insert(bindings.data(), value));
        let input = Provenance::Copy(Spot::root(Base::Data));
        trace.result = path.provenance(input, trace.result);
        return (value, trace);
    }
    if text.starts_with(['{', '[']) {
        Template::compile(&support::value(text)).0.trace(bindings)
    } else {
        Expression::parse(text).unwrap().trace(bindings)
    }
}

fn jsonpath_documents(profile: Profile) -> Documents {
    let Evaluation {
        states, variables, ..
    } = evaluation("1").unwrap();
    let states = states.into_iter().map(|(name, value)| match &*name {
        "input" => (Base::Data, value),
        _ => (Base::of_states(&name), value),
    });
    let variables = variables
        .into_iter()
        .map(|(name, value)| (Base::Variable(name), value));
    let all: Vec<(Base, Value)> = states.chain(variables).collect();
    let documents = Documents {
        data: Value::Null,
        all,
        profile,
    };
    documents.changed(
        &documents
            .all
            .iter()
            .map(|(base, _)| Spot::root(base.clone()))
            .collect::<Vec<_>>(),
        0,
    )
}

#[test]
fn jsonpath_values_have_their_places_in_both_profiles() {
    let both = [Profile::Spec, Profile::Aws].map(jsonpath_documents);
    let mut all = String::new();
    check("jsonpath.txt", |text| {
        let traces = both.each_ref().map(|documents| {
            let (value, trace) = jsonpath(text, documents);
            if let Ok(value) = &value {
                all += &wrong(text, (value, &trace), documents, |other| {
                    jsonpath(text, &other).0.ok()
                });
            }
            whole(&trace)
        });
        let [spec, aws] = traces;
        if spec == aws {
            spec
        } else {
            format!("{spec} | aws: {aws}")
        }
    });
    assert!(all.is_empty(), "\n{all}");
}

/// Expressions with paths, operators, constructors and functions.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "1",
        "'x'",
        "$v",
        "$states.input.n",
        "$states.input.name",
        "$states.input.none",
        "$states.input.missing",
        "$states.input.list",
        "$states.input.list[-1]",
        "$states.input.orders",
        "$states.input.orders.price",
        "$states.input.orders[quantity > 1].id",
        "$states.input.orders^(>price)",
        "$states.input.orders{id: quantity}",
        "$states.input.orders@$o.{'id': $o.id, 'n': $v}",
    ]);
    let leaf = leaf.prop_map(str::to_string);
    leaf.prop_recursive(4, 32, 3, |inner| {
        let shapes = select(vec![
            "(A) & (B)",
            "(A) = (B)",
            "(A) in (B)",
            "(A) and (B)",
            "(A) or $exists(B)",
            "(A) ?: (B)",
            "$exists(A) ? (B) : (C)",
            "[A, B]",
            "[A][0]",
            "(A)[$ = (B)]",
            "{'a': A, 'b': {'c': B}, 'd': C}",
            "{'a': A, 'b': B}.(b)",
            "($x := A; $y := [$x, B]; {'x': $x, 'y': $y, 'first': $y[0]})",
            "$map(A, function($e, $i) { [$e, $i, B] })",
            "$filter(A, function($e) { $e = (B) })",
            "$reduce([A], function($a, $e) { [$a, $e] })",
            "$sort([A, B], function($l, $r) { $string($l) > $string($r) })",
            "$append(A, B)",
            "$reverse([A, B])",
            "$distinct([A, B, A])",
            "$zip([A], [B])",
            "$partition([A, B, C], 2)",
            "$merge([{'a': A}, {'a': B, 'b': C}])",
            "$each({'a': A, 'b': B}, function($m, $k) { {$k: $m} })",
            "$sift({'a': A, 'b': B}, function($m) { $exists(C) and $m != (C) })",
            "$lookup({'a': A, 'x': B}, $string(C))",
            "$max([$count(A), $count(B)])",
            "$string(A) ~> $uppercase",
            "$replace($string(A), /[0-9]/, function($m) { $m.match & $string(B) })",
            "{'a': A, 'b': B} ~> |$|{'a': C}, ['b']|",
            "(function($f) { $f(A) })(function($e) { {'e': $e, 'b': B} })",
            "$count([1..$count(A)])",
        ]);
        let parts = (inner.clone(), inner.clone(), inner);
        (shapes, parts).prop_map(|(shape, (a, b, c))| {
            shape.chars().fold(String::new(), |mut text, sign| {
                match sign {
                    'A' => text += &a,
                    'B' => text += &b,
                    'C' => text += &c,
                    other => text.push(other),
                }
                text
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(support::cases(80)))]
    #[test]
    fn jsonata_traces_of_any_expression_are_complete(text in expressions()) {
        let evaluator = Evaluator::new();
        let request = evaluation(&text).unwrap();
        let wrong = wrong_jsonata(&evaluator, &text, &request);
        prop_assert!(wrong.is_empty(), "\n{wrong}");
    }
}
