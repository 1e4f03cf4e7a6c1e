//! Tests the origins of values by perturbation: random machines in both languages are run, and the origin of the
//! displayed values is requested. An origin leads back to a root, such as a member of the input; if the root is
//! changed, the displayed value must change. For a missing value, the dropped data is restored where it was dropped;
//! the value must then exist.
//!
//! `ORIGIN_CASES=500 cargo test --test perturbation -- --nocapture` tries more machines and prints statistics.
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
use asldbg::session::origin::{Absence, Found, Holder, How, Origin, Root, Site};
use asldbg::session::{Command, Session, Sought};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use support::figures::{Figures, kind};
use support::places::{entered, held_at, holders, leaves, travel};
use support::traced::{Maker, aim_catchers};
use support::{Random, answers, definition, go, session};

/// A machine, with its input and the lists of answers for its tasks.
#[derive(Clone)]
struct Case {
    text: String,
    input: Json,
    answers: BTreeMap<String, Vec<Json>>,
    seed: u64,
}

impl Case {
    /// Runs the case to its end.
    fn run(&self) -> Option<Session> {
        let (definition, found) = definition("case", &self.text);
        if found.iter().any(|diagnostic| diagnostic.blocking) {
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

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed + 1);
    let list: Vec<Json> = (0..1 + random.below(3))
        .map(|place| json!({ "id": format!("i{place}"), "v": 3 * place }))
        .collect();
    let input = json!({ "n": random.below(10), "text": "two words", "list": list,
        "inner": { "flag": true, "deep": { "x": 4 } } });
    let length = 3 + random.below(4);
    let mut maker = Maker::new(&mut random);
    let mut scope = maker.scope(length, 0);
    aim_catchers(&mut scope);
    Case {
        text: serde_json::to_string_pretty(&scope).unwrap(),
        input,
        answers: maker.answers,
        seed,
    }
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

/// Changes the root of an origin in a copy of the case; `None` if the root cannot be changed from outside.
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
        Root::Literal(span) | Root::Led(span, _) => {
            let range = (*span)?.range();
            let text = case.text.get(range.clone())?;
            let new = match serde_json::from_str::<Json>(text) {
                Ok(value) => another(&value, variant).to_string(),
                Err(_) if text.starts_with("States.") || text.contains('$') => {
                    let digit = text.find(|c: char| c.is_ascii_digit())?;
                    format!("{}9{}", &text[..digit], &text[digit..])
                }
                // The root is a text inside an expression.
                Err(_) if text.starts_with('\'') => format!("'~{}", &text[1..]),
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

/// A copy of a value in which every number is 1000. A filter in a path may select this large number.
fn large(value: &Json) -> Json {
    match value {
        Json::Number(_) => json!(1000),
        Json::Array(items) => items.iter().map(large).collect(),
        Json::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (name.clone(), large(value)));
            Json::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// Replacements that are tried for a value that caused a failure.
fn instead(value: &Json) -> [Json; INSTEAD] {
    [
        large(value),
        json!(0),
        json!("x"),
        json!("1"),
        json!("{}"),
        json!([1]),
        json!(vec![0; 12]),
        json!({}),
        json!(true),
        json!([]),
        json!(1),
    ]
}

/// Number of replacements that `instead` returns.
const INSTEAD: usize = 11;

/// Replaces the root of a failure in a copy of the case: a value by another value, or an error by a result. Returns
/// `None` if the root cannot be changed from outside.
fn mended(case: &Case, root: &Root, variant: usize) -> Option<Case> {
    let mut other = case.clone();
    let place = |whole: &mut Json, at: &Pointer| -> Option<()> {
        let mut place = whole;
        for step in &at.0 {
            place = match step {
                Step::Member(name) => place.get_mut(&**name)?,
                Step::Item(index) => place.get_mut(*index)?,
            };
        }
        *place = instead(place)[variant].clone();
        Some(())
    };
    match root {
        Root::Input(site) => place(&mut other.input, &site.at)?,
        Root::Answer(answered) => {
            let (name, number) = answered.mocked.clone()?;
            let list = other.answers.get_mut(&*name)?;
            let good = list.iter().find(|answer| answer.get("Return").is_some());
            let good = good?.clone();
            let answer = list.get_mut(number as usize)?;
            match answer.get_mut("Return") {
                Some(given) => place(given, &answered.to.at)?,
                None => *answer = good,
            }
        }
        Root::Literal(span) | Root::Led(span, _) => {
            let range = (*span)?.range();
            let quoted = case.text.as_bytes().get(range.start - 1) == Some(&b'"');
            let range = match quoted {
                true => range.start - 1..range.end + 1,
                false => range,
            };
            let value = serde_json::from_str(case.text.get(range.clone())?).unwrap_or_default();
            let put = &instead(&value)[variant];
            other.text.replace_range(range, &put.to_string());
        }
        Root::Function(_) => other.seed += 77,
        _ => return None,
    }
    Some(other)
}

/// A root, true if the root caused a failure, and the values in the run that come from the root.
type Decided = (Root, bool, Vec<Chain>);

/// A place in a run that contains a value, and what is known about how this value comes from its root.
struct Chain {
    of: Site,
    value: Value,
    /// If the root caused a failure: the place that the failed field read.
    read: Option<Site>,
    /// True if the value was copied from its root without any change.
    is_copy: bool,
    /// Further places that were read on the way from the root to the value, including those that conditions read.
    others: Vec<Site>,
}

impl Chain {
    fn new(origin: &Origin, value: Value) -> Self {
        let writes = &origin.writes;
        let reads = writes.iter().flat_map(|write| write.reads.iter().skip(1));
        let conditions = writes.iter().flat_map(|write| &write.conditions);
        let asked = conditions.flat_map(|condition| &condition.reads);
        let failure = origin.failure();
        Self {
            of: origin.of.clone(),
            value,
            read: failure.and_then(|write| write.reads.first().cloned()),
            is_copy: writes
                .iter()
                .all(|write| write.how == How::Copied && write.conditions.is_empty()),
            others: reads.chain(asked).cloned().collect(),
        }
    }

    fn held(&self, session: &mut Session) -> Option<Value> {
        let Site {
            event,
            frame,
            holder,
            at,
        } = &self.of;
        held_at(session, *event, *frame, holder, at)
    }
}

/// The value of a root in the input or in an answer; `None` for other roots.
fn value_of(case: &Case, root: &Root) -> Option<Value> {
    let found = match root {
        Root::Input(site) => case.input.pointer(&json_pointer(&site.at)),
        Root::Answer(answered) => {
            let (name, number) = answered.mocked.clone()?;
            let answer = case
                .answers
                .get(&*name)?
                .get(number as usize)?
                .get("Return")?;
            answer.pointer(&json_pointer(&answered.to.at))
        }
        _ => None,
    };
    found.map(|value| support::value(&value.to_string()))
}

fn json_pointer(at: &Pointer) -> String {
    let steps = at.0.iter().map(|step| match step {
        Step::Member(name) => format!("/{name}"),
        Step::Item(index) => format!("/{index}"),
    });
    steps.collect()
}

/// True if the value of a chain changes when one of the other values that were read along the chain is changed.
fn changes_with_others(case: &Case, session: &mut Session, chain: &Chain) -> bool {
    chain.others.iter().take(20).any(|other| {
        travel(session, other.event, other.frame);
        let sought = Sought::At(other.holder.clone(), other.at.clone());
        let Ok(Some(Found::Origin(origin))) = session.origin(sought, 100_000) else {
            return false;
        };
        (0..3).any(|variant| {
            let run = changed(case, &origin.root, variant).and_then(|other| other.run());
            run.is_some_and(|mut run| chain.held(&mut run).as_ref() != Some(&chain.value))
        })
    })
}

/// At most `most` random events at which values are examined: exits of states, stages, starts of items, errors.
fn moments(session: &Session, random: &mut Random, most: usize) -> Vec<u64> {
    let all: Vec<u64> = (1..=session.event_count())
        .filter(|number| {
            matches!(
                session.event(*number).unwrap().kind,
                EventKind::StateExited
                    | EventKind::IterationStarted
                    | EventKind::Assigned
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
    let mut by_root: HashMap<String, Decided> = HashMap::new();
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
                let failed = origin.failure().is_some();
                figures.failed += usize::from(failed);
                let chain = Chain::new(&origin, value.clone());
                let Origin { root, .. } = *origin;
                // Only a failure may have the whole result of branches or items as its root.
                let whole = matches!(root, Root::Children { .. }) && !failed;
                if matches!(root, Root::Unknown) || whole {
                    panic!(
                        "seed {seed}: event {event} {holder:?} {at} = {value} ends in {root:?}\n{}",
                        case.text
                    );
                }
                let key = format!("{failed} {root:?}");
                let entry = by_root.entry(key);
                let entry = entry.or_insert_with(|| (root, failed, Vec::new()));
                entry.2.push(chain);
            }
        }
        missing(&case, &mut session, (event, frame), &mut random, figures);
    }
    for (root, failed, mut places) in by_root.into_values() {
        for variant in 0..if failed { INSTEAD } else { 3 } {
            let other = match failed {
                true => mended(&case, &root, variant),
                false => changed(&case, &root, variant),
            };
            let Some(other) = other else {
                assert!(
                    matches!(
                        root,
                        Root::Context(_)
                            | Root::Clock(_)
                            | Root::Fault(_)
                            | Root::Answer(_)
                            | Root::Nothing { .. }
                    ) || failed && matches!(root, Root::Fields(_) | Root::Children { .. }),
                    "seed {seed}: {root:?} cannot be changed\n{}",
                    case.text
                );
                figures.fixed += places.len();
                places.clear();
                break;
            };
            let Some(mut other_run) = other.run() else {
                continue;
            };
            places.retain(|chain| {
                let new = chain.held(&mut other_run);
                let differs = new.as_ref() != Some(&chain.value);
                figures.confirmed += usize::from(differs);
                // The change of the root may make the run take another path through the machine.
                let same_way = other_run.event(chain.of.event) == session.event(chain.of.event);
                let exact =
                    value_of(&other, &root).filter(|_| chain.is_copy && same_way && !failed);
                if let (Some(exact), true) = (exact, differs) {
                    figures.exact += 1;
                    assert_eq!(
                        new.as_ref(),
                        Some(&exact),
                        "seed {seed}: {:?} of {root:?}\n{}",
                        chain.of,
                        case.text
                    );
                }
                !differs
            });
            if places.is_empty() {
                break;
            }
        }
        // If the cause of a failure is computed from the root, perhaps no change of the root prevents the failure. Then
        // at least the value that the failed field read must change.
        for variant in 0..if failed { 3 } else { 0 } {
            let run = changed(&case, &root, variant).and_then(|other| other.run());
            let Some(mut other_run) = run else { continue };
            places.retain(|Chain { read, .. }| {
                let Some(Site {
                    event,
                    frame,
                    holder,
                    at,
                }) = read
                else {
                    return true;
                };
                let old = held_at(&mut session, *event, *frame, holder, at);
                let new = held_at(&mut other_run, *event, *frame, holder, at);
                figures.confirmed += usize::from(old != new);
                old == new
            });
        }
        // For a computed value, changing a single operand may have no effect, for example in `a or b` if both are true.
        let computed = |chain: &Chain| !chain.is_copy;
        let unmoved: Vec<Chain> = places.extract_if(.., |chain| computed(chain)).collect();
        for chain in unmoved {
            match changes_with_others(&case, &mut session, &chain) {
                true => figures.confirmed += 1,
                false => figures.unmoved += 1,
            }
        }
        if let Some(Chain {
            of: site, value, ..
        }) = places.first()
        {
            panic!(
                "seed {seed}: {value} at event {} {:?} {} stays as it is where {root:?} is changed\n{}\n{}",
                site.event, site.holder, site.at, case.text, case.input
            );
        }
    }
}

/// Asks for the origin of a missing member. If a field dropped the member, restores it there; it must then exist.
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
    travel(session, event, frame);
    let Some(was) = was else { return };
    // A later field may drop the restored value again. The value is then restored after that field instead.
    let mut to = dropped.by.to.clone();
    for _ in 0..8 {
        let mut fork = case.run().unwrap();
        travel(&mut fork, to.event, to.frame);
        let Holder::Stage(stage) = to.holder else {
            panic!("{dropped:?}");
        };
        let stage = match stage {
            Stage::AfterItemSelector => {
                to = entered(&mut fork, &to);
                Stage::Input
            }
            stage => stage,
        };
        let edit = Command::Edit {
            stage,
            at: to.at.clone(),
            value: was.clone(),
        };
        if fork.apply(edit).is_err() {
            return;
        }
        go(&mut fork);
        // An edit takes effect from the next event on.
        let seen = event.max(to.event + 1);
        if held_at(&mut fork, seen, frame, &holder, &at).is_some() {
            figures.restored += 1;
            return;
        }
        let again = fork.origin(Sought::At(holder.clone(), at.clone()), 100_000);
        let next = match again {
            Ok(Some(Found::Absent(absent))) => match absent.absence {
                Absence::Dropped(dropped) => dropped.by.to,
                other => panic!("{name} at event {event}: {other:?}\n{}", case.text),
            },
            other => panic!("{name} at event {event}: {other:?}\n{}", case.text),
        };
        assert!(
            next.event > to.event,
            "{next:?} is not after {to:?}\n{}",
            case.text
        );
        to = next;
    }
    panic!(
        "{name} at event {event} is dropped again and again\n{}",
        case.text
    );
}

#[test]
fn what_a_chain_ends_in_decides_the_value() {
    let cases = std::env::var("ORIGIN_CASES").ok();
    let cases: u64 = cases.and_then(|text| text.parse().ok()).unwrap_or(8);
    let first: u64 = std::env::var("ORIGIN_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let mut figures = Figures::default();
    for seed in first..first + cases {
        try_one(seed, &mut figures);
    }
    println!("{}", figures.line());
    assert!(
        cases < 8 || figures.leaves > 20 * cases as usize,
        "{figures:?}"
    );
    assert_eq!(
        figures.leaves,
        figures.confirmed + figures.fixed + figures.unmoved
    );
    assert!(figures.unmoved * 100 <= figures.leaves, "{figures:?}");
    assert!(cases < 8 || figures.exact > 0, "{figures:?}");
    assert_eq!(figures.dropped, figures.restored);
}
