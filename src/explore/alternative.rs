//! Alternative answers to a request: each error, no answer at all, each value that a rule tests for.

use super::step::Step;
use super::world::{World, can_time_out};
use crate::interpreter::{Answer, Ask, Millis, Outcome, Want};
use crate::json::Value;

/// An alternative answer.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The answer.
    pub answer: Answer,
    /// True if it repeats the outcome of the previous attempt and therefore does not count as another deviation.
    pub same: bool,
}

/// The alternative answers to a request; `last` is the answer to the previous attempt.
#[must_use]
pub fn alternatives(
    world: &World,
    ask: &Ask,
    usual: &Answer,
    last: Option<&Step>,
    now: Millis,
) -> Vec<Alternative> {
    let mut all = Vec::new();
    let Want::Call { .. } = ask.want else {
        values(world, ask, usual, &mut all);
        return all;
    };
    let failed = last.and_then(Step::error);
    if let (Some(before), Some(last)) = (&failed, last) {
        all.push(Alternative {
            answer: last.answer.clone(),
            same: true,
        });
        if ask.key.attempt > 2 {
            return all;
        }
        errors(world, ask, usual, Some(before), now, &mut all);
        return all;
    }
    values(world, ask, usual, &mut all);
    errors(world, ask, usual, None, now, &mut all);
    all
}

fn errors(
    world: &World,
    ask: &Ask,
    usual: &Answer,
    without: Option<&str>,
    now: Millis,
    all: &mut Vec<Alternative>,
) {
    let errors = world.errors.get(ask.state.0 as usize);
    for (name, cause) in errors.into_iter().flatten() {
        if without == Some(&**name) {
            continue;
        }
        let mut answer = Answer::failure(name.clone(), cause.clone());
        // As late as the usual answer, but before the timeout.
        answer.took = if usual.took < in_time(ask, now) {
            usual.took
        } else {
            0
        };
        all.push(Alternative {
            answer,
            same: false,
        });
    }
    if can_time_out(ask) && without != Some("States.Timeout") {
        all.push(Alternative {
            answer: Answer::of(Outcome::Never),
            same: false,
        });
    }
}

/// Duration that a request can take without timing out.
fn in_time(ask: &Ask, now: Millis) -> Millis {
    match &ask.want {
        Want::Call {
            timeout_at,
            heartbeat,
            ..
        } => {
            let left = timeout_at.map(|at| at.saturating_sub(now));
            left.into_iter().chain(*heartbeat).min().unwrap_or(u64::MAX)
        }
        _ => u64::MAX,
    }
}

fn values(world: &World, ask: &Ask, usual: &Answer, all: &mut Vec<Alternative>) {
    let mut add = |value: Value| {
        let mut answer = usual.clone();
        answer.outcome = Outcome::Success(value);
        let known = all.iter().any(|one| one.answer.outcome == answer.outcome);
        if !known && answer.outcome != usual.outcome {
            all.push(Alternative {
                answer,
                same: false,
            });
        }
    };
    for answer in world.returns(ask.state) {
        if let Outcome::Success(value) = &answer.outcome {
            add(value.clone());
        }
    }
    let Outcome::Success(value) = &usual.outcome else {
        return;
    };
    let name = world.result_name(ask.state);
    let given = world.is_given(ask.state);
    for value in world.constants.variants(value, name.as_ref(), given) {
        add(value);
    }
    if let (Want::Read { .. }, Some(items)) = (&ask.want, value.as_array()) {
        add(Value::array(Vec::new()));
        add(Value::array(items.iter().take(1).cloned().collect()));
    }
}
