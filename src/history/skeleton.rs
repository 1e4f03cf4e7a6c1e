//! Reconstructs a definition from the events of an execution: the states, their types and order, and the transitions
//! that the execution took.

use crate::interpreter::EventKind;
use crate::json::{Text, Value, pretty};
use crate::session::recorded::{RecordedEvent, RecordedFrame, RecordedRun, Visit};

/// The `Comment` of a reconstructed definition.
const COMMENT: &str = "Made from the events of a recorded execution: states, types, order and edges are as recorded; conditions, paths and parameters are unknown.";

/// Returns the text of the reconstructed definition.
#[must_use]
pub fn skeleton(events: &[RecordedEvent]) -> String {
    let run = RecordedRun::link_alone(events.to_vec());
    let mut members = vec![("Comment".into(), Value::from(COMMENT))];
    members.extend(scope(&run, &[0]));
    pretty(&Value::object(members))
}

type Members = Vec<(Text, Value)>;

/// Reconstructs `StartAt` and `States` of a list of states. `frames` has the index of each recorded frame, that is, of
/// each recorded execution of the list.
fn scope(run: &RecordedRun, frames: &[usize]) -> Members {
    let all: Vec<(usize, &RecordedFrame)> = frames
        .iter()
        .filter_map(|place| Some((*place, run.frames.get(*place)?)))
        .collect();
    let mut names: Vec<&Text> = Vec::new();
    for visit in all.iter().flat_map(|(_, frame)| &frame.visits) {
        if !names.contains(&&visit.name) {
            names.push(&visit.name);
        }
    }
    let Some(first) = names.first() else {
        let end = vec![
            ("Type".into(), Value::from("Pass")),
            ("End".into(), Value::Bool(true)),
        ];
        let only: Text = "(nothing recorded)".into();
        let states = Value::object(vec![(only.clone(), Value::object(end))]);
        return vec![
            ("StartAt".into(), Value::String(only)),
            ("States".into(), states),
        ];
    };
    let states = names
        .iter()
        .map(|name| ((*name).clone(), state(run, &all, name)));
    vec![
        ("StartAt".into(), Value::String((*first).clone())),
        ("States".into(), Value::object(states.collect())),
    ]
}

/// Reconstructs the definition of a state, with a transition to each state that followed it in one of the recorded
/// frames.
fn state(run: &RecordedRun, frames: &[(usize, &RecordedFrame)], name: &Text) -> Value {
    let mut visits: Vec<(usize, usize, &Visit, Option<&Visit>)> = Vec::new();
    for (place, frame) in frames {
        for (at, visit) in frame
            .visits
            .iter()
            .enumerate()
            .filter(|(_, visit)| visit.name == *name)
        {
            visits.push((*place, at, visit, frame.visits.get(at + 1)));
        }
    }
    let type_name = visits
        .first()
        .map_or_else(|| "Pass".into(), |(_, _, visit, _)| visit.type_name.clone());
    let mut members: Members = vec![("Type".into(), Value::String(type_name.clone()))];
    let (mut next, mut caught): (Vec<Text>, Vec<Text>) = (Vec::new(), Vec::new());
    let mut tries = 0;
    for (_, _, visit, follower) in &visits {
        tries = tries.max(visit.attempts.len());
        let Some(follower) = follower else { continue };
        let list = if is_caught(run, visit) {
            &mut caught
        } else {
            &mut next
        };
        if !list.contains(&follower.name) {
            list.push(follower.name.clone());
        }
    }
    match &*type_name {
        "Task" => members.push(("Resource".into(), Value::string(resource(run, &visits)))),
        "Wait" => members.push(("Seconds".into(), Value::from(waited(run, &visits)))),
        "Fail" => members.extend(failure(run, &visits)),
        "Parallel" => members.push(("Branches".into(), branches(run, &visits))),
        "Map" => members.push(("ItemProcessor".into(), processor(run, &visits))),
        "Choice" => {
            members.push(("QueryLanguage".into(), Value::from("JSONata")));
            members.push(("Choices".into(), choices(&next)));
        }
        _ => {}
    }
    if matches!(&*type_name, "Task" | "Parallel" | "Map") {
        if tries > 1 {
            let most = i64::try_from(tries - 1).unwrap_or(1);
            members.push((
                "Retry".into(),
                Value::array(vec![Value::object(vec![
                    (
                        "ErrorEquals".into(),
                        Value::array(vec![Value::from("States.ALL")]),
                    ),
                    ("MaxAttempts".into(), Value::from(most)),
                ])]),
            ));
        }
        if !caught.is_empty() {
            let catchers = caught.iter().map(|next| {
                Value::object(vec![
                    (
                        "ErrorEquals".into(),
                        Value::array(vec![Value::from("States.ALL")]),
                    ),
                    ("Next".into(), Value::String(next.clone())),
                ])
            });
            members.push(("Catch".into(), Value::array(catchers.collect())));
        }
    }
    match (&*type_name, next.into_iter().next()) {
        ("Succeed" | "Fail", _) => {}
        ("Choice", first) => {
            let first = first.unwrap_or_else(|| name.clone());
            members.push(("Default".into(), Value::String(first)));
        }
        (_, Some(next)) => members.push(("Next".into(), Value::String(next))),
        (_, None) => members.push(("End".into(), Value::Bool(true))),
    }
    Value::object(members)
}

type Visits<'r> = [(usize, usize, &'r Visit, Option<&'r Visit>)];

/// True if the state failed during the visit and was therefore left through a catcher.
fn is_caught(run: &RecordedRun, visit: &Visit) -> bool {
    let ended = visit.attempts.last().and_then(|attempt| attempt.ended);
    let failed = ended
        .and_then(|place| run.event(place))
        .is_some_and(|event| {
            matches!(
                event.kind,
                Some(EventKind::TaskFailed | EventKind::TaskTimedOut)
            )
        });
    failed || visit.failed || run.fails_before_work(visit)
}

fn choices(next: &[Text]) -> Value {
    let rules = next.iter().map(|next| {
        Value::object(vec![
            ("Condition".into(), Value::from("{% 'not recorded' %}")),
            ("Next".into(), Value::String(next.clone())),
        ])
    });
    Value::array(rules.collect())
}

fn resource(run: &RecordedRun, visits: &Visits) -> String {
    let mut begun = visits.iter().flat_map(|(_, _, visit, _)| &visit.attempts);
    let scheduled = begun.find_map(|attempt| {
        let begun = run.event(attempt.begun?)?;
        begun.resource.is_some().then_some(begun)
    });
    match scheduled.map(|event| (&event.resource_type, &event.resource)) {
        Some((Some(kind), Some(resource))) => format!("arn:aws:states:::{kind}:{resource}"),
        Some((None, Some(resource))) => resource.to_string(),
        _ => "arn:aws:lambda:us-east-1:000000000000:function:unknown".to_string(),
    }
}

fn waited(run: &RecordedRun, visits: &Visits) -> i64 {
    let first = visits.iter().find_map(|(_, _, visit, _)| {
        let (from, to) = (run.time(visit.entered?)?, run.time(visit.exited?)?);
        i64::try_from(to.saturating_sub(from) / 1000).ok()
    });
    first.filter(|_| run.has_times).unwrap_or(0)
}

fn failure(run: &RecordedRun, visits: &Visits) -> Members {
    let failed = visits.iter().find_map(|(_, _, visit, _)| {
        let entered = run.event(visit.entered?)?.id;
        let mut later = run.events.iter().filter(|event| event.id > entered);
        later.find(|event| event.error.is_some() || event.cause.is_some())
    });
    let part = |name: &str, text: Option<&Text>| {
        text.map(|text| (name.into(), Value::String(text.clone())))
    };
    let parts = [
        part("Error", failed.and_then(|event| event.error.as_ref())),
        part("Cause", failed.and_then(|event| event.cause.as_ref())),
    ];
    parts.into_iter().flatten().collect()
}

/// Lists the branches or items that these visits of a Map or Parallel state started: for each, its index in the state
/// and the index of its recorded frame.
fn started(run: &RecordedRun, visits: &Visits) -> Vec<(u32, usize)> {
    let frames = run.frames.iter().enumerate();
    let started = frames.filter(|(_, frame)| {
        visits
            .iter()
            .any(|(place, at, ..)| frame.parent == Some((*place, *at)))
    });
    started
        .filter_map(|(place, frame)| Some((*frame.key.indices.last()?, place)))
        .collect()
}

fn branches(run: &RecordedRun, visits: &Visits) -> Value {
    let started = started(run, visits);
    let most = started.iter().map(|(index, _)| *index).max().unwrap_or(0);
    let branches = (0..=most).map(|index| {
        let branch_frames: Vec<usize> = started
            .iter()
            .filter(|(at, _)| *at == index)
            .map(|(_, place)| *place)
            .collect();
        Value::object(scope(run, &branch_frames))
    });
    Value::array(branches.collect())
}

fn processor(run: &RecordedRun, visits: &Visits) -> Value {
    let started = started(run, visits);
    let iteration_frames: Vec<usize> = started.iter().map(|(_, place)| *place).collect();
    let is_run = visits
        .iter()
        .any(|(_, _, visit, _)| visit.map_run.0.is_some());
    let mode = if is_run { "DISTRIBUTED" } else { "INLINE" };
    let mut config = vec![("Mode".into(), Value::from(mode))];
    if is_run {
        config.push(("ExecutionType".into(), Value::from("STANDARD")));
    }
    let mut members = vec![("ProcessorConfig".into(), Value::object(config))];
    members.extend(scope(run, &iteration_frames));
    Value::object(members)
}
