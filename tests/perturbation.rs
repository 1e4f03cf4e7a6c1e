//! Where values come from, held by perturbation: random machines of both languages are run, the origin of the values
//! shown is asked for, and what it ends in is changed: the value has to change. Of what is missing, what was dropped is
//! put back where it was dropped: it has to be there.
//!
//! `ORIGIN_CASES=500 cargo test --test perturbation -- --nocapture` tries more machines and prints the figures.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::Definition;
use asldbg::interpreter::{EventKind, FrameId, Header, Stage};
use asldbg::json::{Pointer, Step, Value};
use asldbg::query::Profile;
use asldbg::session::origin::{Absence, Found, Holder, Origin, Root, Site};
use asldbg::session::{Command, Session, Sought};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use support::{Random, Tell as _, answers, definition, go, session};

/// A machine with its input and the lists of answers of its tasks.
#[derive(Clone)]
struct Case {
    text: String,
    input: Json,
    answers: BTreeMap<String, Vec<Json>>,
    seed: u64,
}

impl Case {
    /// Run to its end.
    fn run(&self) -> Option<Session> {
        let (definition, found) = definition("case", &self.text);
        if found.iter().any(|one| one.blocking) {
            return None;
        }
        let definition: Arc<Definition> = definition?;
        let input = support::value(&self.input.to_string());
        let mut header = Header::new(input, Profile::Spec);
        header.seed = self.seed;
        let lists = serde_json::to_value(&self.answers).unwrap();
        let mut session = session(&definition, header, answers(&lists));
        go(&mut session);
        Some(session)
    }
}

struct Maker<'r> {
    random: &'r mut Random,
    answers: BTreeMap<String, Vec<Json>>,
    count: usize,
}

/// What every document between states holds.
const KEPT: [&str; 4] = ["n", "text", "list", "inner"];

impl Maker<'_> {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("S{}", self.count)
    }

    fn scope(&mut self, length: usize, depth: usize) -> Json {
        let names: Vec<String> = (0..length).map(|_| self.name()).collect();
        let mut states = serde_json::Map::new();
        for (place, name) in names.iter().enumerate() {
            let next = names.get(place + 1);
            let made = self.state(name, next, depth);
            states.insert(name.clone(), made);
        }
        json!({ "StartAt": names[0], "States": states })
    }

    fn state(&mut self, name: &str, next: Option<&String>, depth: usize) -> Json {
        let jsonata = self.random.one_in(3);
        let kind = self.random.below(if depth < 2 { 9 } else { 6 });
        let mut state = match (jsonata, kind) {
            (false, 0) => self.shape(name),
            (false, 1) => json!({ "Type": "Pass", "Result": { "lit": [1, { "k": "x" }], "n": 7 },
                "ResultPath": format!("$.r{name}") }),
            (false, 2 | 3) => self.task(name),
            (false, 4) => {
                json!({ "Type": "Pass", "InputPath": "$.inner", "ResultPath": format!("$.p{name}") })
            }
            (false, 5) => self.choice(next),
            (false, 6 | 7) => self.map(name, depth),
            (false, _) => self.parallel(name, depth),
            (true, 0 | 4) => self.jsonata_pass(),
            (true, 1 | 2 | 3) => self.jsonata_task(name),
            (true, 5) => json!({ "Type": "Pass", "Assign": { "v": "{% $states.input.text %}" } }),
            (true, 6 | 7) => self.jsonata_map(depth),
            (true, _) => self.jsonata_pass(),
        };
        if jsonata {
            state["QueryLanguage"] = json!("JSONata");
        }
        if state["Type"] != "Choice" {
            match next {
                Some(next) => state["Next"] = json!(next),
                None => state["End"] = json!(true),
            }
        }
        state
    }

    /// What every state may be sure of goes on, besides what is new.
    fn kept(&self) -> serde_json::Map<String, Json> {
        let kept = KEPT.iter();
        kept.map(|name| (format!("{name}.$"), json!(format!("$.{name}"))))
            .collect()
    }

    fn shape(&mut self, name: &str) -> Json {
        let mut fields = self.kept();
        let more = [
            ("fmt.$", json!("States.Format('{}-{}', $.text, $.n)")),
            ("lit", json!({ "k": 5, "s": ["x", true] })),
            ("sum.$", json!("States.MathAdd($.n, 3)")),
            ("first.$", json!("States.ArrayGetItem($.list, 0)")),
            ("ids.$", json!("$.list[*].id")),
            ("big.$", json!("$.list[?(@.v > 4)].id")),
            ("last.$", json!("$.list[-1].id")),
            (
                "deep",
                json!({ "x.$": "$.inner.deep.x", "list.$": "States.Array($.n, $.text)" }),
            ),
            ("who.$", json!("$$.Execution.Input.text")),
            ("uuid.$", json!("States.UUID()")),
            ("split.$", json!("States.StringSplit($.text, ' ')")),
        ];
        for (field, value) in more {
            if self.random.one_in(3) {
                fields.insert(field.into(), value);
            }
        }
        let mut state = json!({ "Type": "Pass", "Parameters": fields });
        match self.random.below(3) {
            0 => state["ResultPath"] = json!(format!("$.s{name}")),
            1 => {
                state["Assign"] = json!({ "v.$": "$.text", "w.$": "$.inner" });
            }
            _ => {}
        }
        state
    }

    fn task(&mut self, name: &str) -> Json {
        let answer = |number: usize| {
            json!({ "Return": { "id": format!("{name}-{number}"), "n": 10 + number, "text": "t",
                "list": [{ "id": "q", "v": number }], "inner": { "deep": { "x": number } } } })
        };
        let mut list: Vec<Json> = (0..12).map(answer).collect();
        let mut state =
            json!({ "Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:f" });
        match self.random.below(4) {
            0 => {
                list[0] = json!({ "Throw": { "Error": "Made.Busy", "Cause": "at first" } });
                state["Retry"] = json!([{ "ErrorEquals": ["Made.Busy"], "MaxAttempts": 3 }]);
            }
            1 => {
                list[0] = json!({ "Throw": { "Error": "Made.Refused", "Cause": "no" } });
                let path = ["$.err", "$.inner.err"][self.random.below(2)];
                state["Catch"] =
                    json!([{ "ErrorEquals": ["States.ALL"], "ResultPath": path, "Next": "" }]);
            }
            _ => {}
        }
        self.answers.insert(name.into(), list);
        if self.random.one_in(2) {
            state["Parameters"] = json!({ "a.$": "$.n", "b": { "c.$": "$.inner" }, "d": "lit" });
        }
        if self.random.one_in(2) {
            state["ResultSelector"] = json!({ "rid.$": "$.id", "n.$": "$.n", "all.$": "$",
                "text": "sel", "list.$": "$.list", "inner.$": "$.inner", "fix": 3 });
        }
        match self.random.below(4) {
            0 => {}
            1 => state["ResultPath"] = Json::Null,
            _ => state["ResultPath"] = json!(format!("$.t{name}")),
        }
        state
    }

    fn choice(&mut self, next: Option<&String>) -> Json {
        match next {
            None => json!({ "Type": "Pass" }),
            Some(next) => json!({ "Type": "Choice", "Default": next,
                "Choices": [{ "Variable": "$.n", "NumericGreaterThan": 4, "Next": next }] }),
        }
    }

    fn map(&mut self, name: &str, depth: usize) -> Json {
        let length = 1 + self.random.below(2);
        let mut state =
            json!({ "Type": "Map", "ItemsPath": "$.list", "ResultPath": format!("$.m{name}") });
        let mut selector = self.kept();
        selector.insert("item.$".into(), json!("$$.Map.Item.Value"));
        selector.insert("id.$".into(), json!("$$.Map.Item.Value.id"));
        selector.insert("index.$".into(), json!("$$.Map.Item.Index"));
        state["ItemSelector"] = selector.into();
        let mut processor = self.scope(length, depth + 1);
        if self.random.one_in(4) {
            processor["ProcessorConfig"] =
                json!({ "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" });
            if self.random.one_in(2) {
                let one = json!({ "Type": "Pass", "End": true });
                processor = json!({ "StartAt": format!("B{name}"), "States": { format!("B{name}"): one },
                    "ProcessorConfig": processor["ProcessorConfig"] });
                state["ItemBatcher"] =
                    json!({ "MaxItemsPerBatch": 2, "BatchInput": { "t.$": "$.text" } });
            }
        }
        state["ItemProcessor"] = processor;
        state
    }

    fn parallel(&mut self, name: &str, depth: usize) -> Json {
        let branches = [self.scope(1, depth + 1), self.scope(2, depth + 1)];
        json!({ "Type": "Parallel", "Branches": branches, "ResultPath": format!("$.pa{name}") })
    }

    fn jsonata_kept(&self) -> serde_json::Map<String, Json> {
        let kept = KEPT.iter();
        kept.map(|name| {
            (
                name.to_string(),
                json!(format!("{{% $states.input.{name} %}}")),
            )
        })
        .collect()
    }

    fn jsonata_pass(&mut self) -> Json {
        if self.random.one_in(4) {
            let output = "{% $merge([$states.input, { 'j': $states.input.text & 'x' }]) %}";
            return json!({ "Type": "Pass", "Output": output });
        }
        let mut fields = self.jsonata_kept();
        let more = [
            ("ids", json!("{% $states.input.list.id %}")),
            ("big", json!("{% $states.input.list[v > 4].id %}")),
            ("total", json!("{% $sum($states.input.list.v) %}")),
            (
                "deep",
                json!({ "x": "{% $states.input.inner.deep.x + 1 %}", "lit": "y" }),
            ),
            ("upper", json!("{% $uppercase($states.input.text) %}")),
            (
                "obj",
                json!("{% {'a': $states.input.n, 'b': [$states.input.text, 1]} %}"),
            ),
            ("from", json!("{% $states.context.Execution.Input.text %}")),
            ("random", json!("{% $random() %}")),
        ];
        for (field, value) in more {
            if self.random.one_in(3) {
                fields.insert(field.into(), value);
            }
        }
        json!({ "Type": "Pass", "Output": fields })
    }

    fn jsonata_task(&mut self, name: &str) -> Json {
        let mut state = self.task(name);
        let object = state.as_object_mut().unwrap();
        for field in ["Parameters", "ResultSelector", "ResultPath"] {
            object.remove(field);
        }
        let mut output = self.jsonata_kept();
        output.insert("got".into(), json!("{% $states.result %}"));
        output.insert("gotn".into(), json!("{% $states.result.n * 2 %}"));
        state["Arguments"] = json!({ "a": "{% $states.input.n %}", "b": "lit" });
        if self.random.one_in(4) {
            state["Assign"] = json!({ "w": "{% $states.result.inner %}" });
        }
        state["Output"] = output.into();
        if state.get("Catch").is_some() {
            let mut output = self.jsonata_kept();
            output.insert("e".into(), json!("{% $states.errorOutput.Cause %}"));
            state["Catch"] =
                json!([{ "ErrorEquals": ["States.ALL"], "Output": output, "Next": "" }]);
        }
        state
    }

    fn jsonata_map(&mut self, depth: usize) -> Json {
        let mut selector = self.jsonata_kept();
        selector.insert("item".into(), json!("{% $states.context.Map.Item.Value %}"));
        let mut output = self.jsonata_kept();
        output.insert("done".into(), json!("{% $states.result.n %}"));
        json!({ "Type": "Map", "Items": "{% $states.input.list %}", "ItemSelector": selector,
            "ItemProcessor": self.scope(1, depth + 1), "Output": output })
    }
}

/// A catcher leads where the state does.
fn aim_catchers(scope: &mut Json) {
    for state in scope["States"].as_object_mut().unwrap().values_mut() {
        let next = state.get("Next").cloned();
        if let Some(catchers) = state.get_mut("Catch") {
            match next {
                Some(next) => catchers[0]["Next"] = next,
                None => {
                    state.as_object_mut().unwrap().remove("Catch");
                }
            }
        }
        if let Some(processor) = state.get_mut("ItemProcessor") {
            aim_catchers(processor);
        }
        for branch in state
            .get_mut("Branches")
            .and_then(Json::as_array_mut)
            .into_iter()
            .flatten()
        {
            aim_catchers(branch);
        }
    }
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed + 1);
    let list: Vec<Json> = (0..1 + random.below(3))
        .map(|place| json!({ "id": format!("i{place}"), "v": 3 * place }))
        .collect();
    let input = json!({ "n": random.below(10), "text": "two words", "list": list,
        "inner": { "flag": true, "deep": { "x": 4 } } });
    let length = 3 + random.below(4);
    let mut maker = Maker {
        random: &mut random,
        answers: BTreeMap::new(),
        count: 0,
    };
    let mut scope = maker.scope(length, 0);
    aim_catchers(&mut scope);
    Case {
        text: serde_json::to_string_pretty(&scope).unwrap(),
        input,
        answers: maker.answers,
        seed,
    }
}

/// What is held at a place, right after an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    event: u64,
    frame: FrameId,
    holder: String,
    at: Pointer,
}

fn holders(session: &Session, frame: FrameId) -> Vec<(Holder, Value)> {
    let Some(frame) = session.machine().frame(frame) else {
        return Vec::new();
    };
    let mut held = Vec::new();
    for stage in Stage::ALL {
        if let Some(value) = frame.visit.data.get(stage) {
            held.push((Holder::Stage(stage), value.clone()));
        }
    }
    for (name, value) in frame.variables.all() {
        held.push((Holder::Variable(name), value));
    }
    if let Some((fault, _)) = &frame.visit.fault {
        held.push((Holder::Error, fault.error_output()));
    }
    held
}

fn leaves(value: &Value, at: &Pointer, found: &mut Vec<(Pointer, Value)>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object.members() {
                leaves(value, &at.child(Step::Member(name.clone())), found);
            }
        }
        Value::Array(array) => {
            for (place, value) in array.items().iter().enumerate() {
                leaves(value, &at.child(Step::Item(place)), found);
            }
        }
        _ => found.push((at.clone(), value.clone())),
    }
}

fn travel(session: &mut Session, event: u64, frame: FrameId) {
    if session.view().header.event != event {
        session.tell(Command::Travel(event));
        session.settle();
    }
    if session.machine().frame(frame).is_some() {
        drop(session.apply(Command::Focus(frame)));
    }
}

fn held_at(
    session: &mut Session,
    event: u64,
    frame: FrameId,
    holder: &Holder,
    at: &Pointer,
) -> Option<Value> {
    travel(session, event, frame);
    let held = holders(session, frame);
    let (_, value) = held.into_iter().find(|(own, _)| own == holder)?;
    at.get(&value).cloned()
}

fn another(value: &Json, variant: usize) -> Json {
    match (value, variant) {
        (Json::Null, _) => json!("~"),
        (Json::Bool(flag), _) => json!(!flag),
        (Json::Number(number), _) => match (number.as_i64(), variant) {
            (Some(whole), 0) => json!(whole + 1),
            (Some(whole), 1) => json!(-whole - 1),
            (Some(whole), _) => json!(whole * 1000 + 1),
            (None, _) => json!(number.as_f64().unwrap() / 2.0),
        },
        (Json::String(text), 0) => json!(format!("~{text}~")),
        (Json::String(_), _) => json!(""),
        (Json::Array(items), 0) => {
            let items = items.iter().cloned();
            json!(items.chain([Json::Null]).collect::<Vec<_>>())
        }
        (Json::Array(_), _) => json!([]),
        (Json::Object(members), 0) => {
            let mut members = members.clone();
            members.insert("~".into(), Json::Null);
            json!(members)
        }
        (Json::Object(_), _) => json!({}),
    }
}

fn change(value: &mut Json, at: &Pointer, variant: usize) -> bool {
    let mut place = value;
    for step in &at.0 {
        let next = match step {
            Step::Member(name) => place.get_mut(&**name),
            Step::Item(index) => place.get_mut(*index),
        };
        match next {
            Some(next) => place = next,
            None => return false,
        }
    }
    *place = another(place, variant);
    true
}

/// The case with the root of a chain changed; `None` where that cannot be done from outside.
fn changed(case: &Case, root: &Root, variant: usize) -> Option<Case> {
    let mut other = case.clone();
    match root {
        Root::Input(site) => change(&mut other.input, &site.at, variant).then_some(other),
        Root::Answer(answered) => {
            let (name, number) = answered.mocked.clone()?;
            let answer = other.answers.get_mut(&*name)?.get_mut(number as usize)?;
            let kind = if answer.get("Throw").is_some() {
                "Throw"
            } else {
                "Return"
            };
            change(answer.get_mut(kind)?, &answered.to.at, variant).then_some(other)
        }
        Root::Literal(span) => {
            let range = (*span)?.range();
            let text = case.text.get(range.clone())?;
            let new = match serde_json::from_str::<Json>(text) {
                Ok(value) => another(&value, variant).to_string(),
                Err(_) if text.starts_with("States.") || text.starts_with("{%") => {
                    let digit = text.find(|c: char| c.is_ascii_digit())?;
                    format!("{}9{}", &text[..digit], &text[digit..])
                }
                Err(_) => format!("~{text}~"),
            };
            other.text.replace_range(range, &new);
            Some(other)
        }
        Root::Function(_) => {
            other.seed += 77;
            Some(other)
        }
        _ => None,
    }
}

#[derive(Default, Debug)]
struct Figures {
    machines: usize,
    leaves: usize,
    roots: BTreeMap<&'static str, usize>,
    confirmed: usize,
    missing: usize,
    dropped: usize,
    restored: usize,
    never: usize,
}

fn kind(root: &Root) -> &'static str {
    match root {
        Root::Input(_) => "input",
        Root::Answer(_) => "answer",
        Root::Literal(_) => "literal",
        Root::Function(_) => "function",
        Root::Context(_) => "context",
        Root::Fault(_) => "fault",
        Root::Children { .. } => "children",
        Root::Edit(_) => "edit",
        Root::Unknown => "unknown",
    }
}

/// The events at which values are looked at: exits, starts of items, errors; a few of them.
fn moments(session: &Session, random: &mut Random, most: usize) -> Vec<u64> {
    let all: Vec<u64> = (1..=session.event_count())
        .filter(|number| {
            matches!(
                session.event(*number).unwrap().kind,
                EventKind::StateExited
                    | EventKind::IterationStarted
                    | EventKind::Stage(_)
                    | EventKind::ErrorRaised
                    | EventKind::Caught
            )
        })
        .collect();
    let mut chosen: Vec<u64> = (0..most).map(|_| all[random.below(all.len())]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn try_one(seed: u64, figures: &mut Figures) {
    let case = case(seed);
    let Some(mut session) = case.run() else {
        panic!("seed {seed}: {}", case.text);
    };
    figures.machines += 1;
    let mut random = Random::new(seed + 7);
    let mut by_root: HashMap<String, (Root, Vec<(Site, Value)>)> = HashMap::new();
    for event in moments(&session, &mut random, 6) {
        let frame = session.event(event).unwrap().frame;
        travel(&mut session, event, frame);
        for (holder, value) in holders(&session, frame) {
            let mut found = Vec::new();
            leaves(&value, &Pointer::root(), &mut found);
            for (at, value) in found {
                if !random.one_in(3) {
                    continue;
                }
                figures.leaves += 1;
                let sought = Sought::At(holder.clone(), at.clone());
                let origin = match session.origin(sought, 100_000) {
                    Ok(Some(Found::Origin(origin))) => origin,
                    other => panic!(
                        "seed {seed}: event {event} {holder:?} {at}: {other:?}\n{}",
                        case.text
                    ),
                };
                *figures.roots.entry(kind(&origin.root)).or_default() += 1;
                let Origin { of, root, .. } = origin;
                if matches!(root, Root::Unknown | Root::Children { .. }) {
                    panic!(
                        "seed {seed}: event {event} {holder:?} {at} = {value} ends in {root:?}\n{}",
                        case.text
                    );
                }
                let key = format!("{root:?}");
                let entry = by_root.entry(key).or_insert_with(|| (root, Vec::new()));
                entry.1.push((of, value));
            }
        }
        missing(&case, &mut session, (event, frame), &mut random, figures);
    }
    for (root, mut places) in by_root.into_values() {
        for variant in 0..3 {
            let Some(other) = changed(&case, &root, variant) else {
                assert!(
                    matches!(root, Root::Context(_) | Root::Fault(_) | Root::Answer(_)),
                    "seed {seed}: {root:?} cannot be changed\n{}",
                    case.text
                );
                places.clear();
                break;
            };
            let Some(mut other_run) = other.run() else {
                continue;
            };
            places.retain(|(site, value)| {
                let new = held_at(
                    &mut other_run,
                    site.event,
                    site.frame,
                    &site.holder,
                    &site.at,
                );
                let differs = new.as_ref() != Some(value);
                figures.confirmed += usize::from(differs);
                !differs
            });
            if places.is_empty() {
                break;
            }
        }
        if let Some((site, value)) = places.first() {
            panic!(
                "seed {seed}: {value} at event {} {:?} {} stays as it is where {root:?} is changed\n{}\n{}",
                site.event, site.holder, site.at, case.text, case.input
            );
        }
    }
}

/// Asks for members that were there at other times.
fn missing(
    case: &Case,
    session: &mut Session,
    (event, frame): (u64, FrameId),
    random: &mut Random,
    figures: &mut Figures,
) {
    let names = [
        "fmt", "lit", "sum", "ids", "deep", "err", "item", "j", "got", "total", "upper", "text",
        "r1", "sS1", "tS2", "nothing",
    ];
    let document = holders(session, frame)
        .into_iter()
        .rfind(|(holder, _)| matches!(holder, Holder::Stage(Stage::Input | Stage::Output)));
    let Some((holder, value)) = document else {
        return;
    };
    let name = names[random.below(names.len())];
    if value.get(name).is_some() || value.as_object().is_none() {
        return;
    }
    let at = Pointer(vec![Step::Member(name.into())]);
    figures.missing += 1;
    let found = session.origin(Sought::At(holder.clone(), at.clone()), 100_000);
    let Ok(Some(Found::Absent(absent))) = found else {
        panic!("{found:?}");
    };
    let Absence::Dropped(dropped) = &absent.absence else {
        figures.never += 1;
        return;
    };
    figures.dropped += 1;
    let was = held_at(
        session,
        dropped.was.event,
        dropped.was.frame,
        &dropped.was.holder,
        &dropped.was.at,
    );
    let Holder::Stage(stage) = dropped.to.holder else {
        panic!("{dropped:?}");
    };
    if let Some(was) = was {
        let mut fork = case.run().unwrap();
        travel(&mut fork, dropped.to.event, dropped.to.frame);
        let edit = Command::Edit {
            stage,
            at: dropped.to.at.clone(),
            value: was,
        };
        if fork.apply(edit).is_ok() {
            go(&mut fork);
            let there = held_at(&mut fork, event, frame, &holder, &at);
            assert!(
                there.is_some(),
                "{name} at event {event}: {dropped:?}\n{}",
                case.text
            );
            figures.restored += 1;
        }
    }
    travel(session, event, frame);
}

#[test]
fn what_a_chain_ends_in_decides_the_value() {
    let cases = std::env::var("ORIGIN_CASES").ok();
    let cases: u64 = cases.and_then(|text| text.parse().ok()).unwrap_or(25);
    let first: u64 = std::env::var("ORIGIN_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let mut figures = Figures::default();
    for seed in first..first + cases {
        try_one(seed, &mut figures);
    }
    println!("{figures:#?}");
    assert!(cases < 10 || figures.leaves > 20 * cases as usize, "{figures:?}");
}
