//! Tasks that are undone when something fails later, and ways on which one is left as it is.
//!
//! Which state undoes which is told by their names: `BookHotel` and `CancelHotel`, `TakePayment` and `RefundPayment`.
//!
//! It must not know how a way came to be gone.

use super::search::Ended;
use super::step::steps;
use super::walk::End;
use crate::definition::{Definition, StateId};
use crate::interpreter::Outcome;

/// Words that say that something is taken back.
const UNDO: [&str; 18] = [
    "cancel",
    "refund",
    "release",
    "undo",
    "rollback",
    "revert",
    "compensate",
    "void",
    "unreserve",
    "restore",
    "return",
    "reverse",
    "credit",
    "unlock",
    "remove",
    "delete",
    "free",
    "withdraw",
];
/// Pairs that need no common word besides: what is done, and what takes it back.
const PAIRS: [(&str, &str); 14] = [
    ("charge", "refund"),
    ("pay", "refund"),
    ("payment", "refund"),
    ("capture", "refund"),
    ("authorize", "void"),
    ("allocate", "release"),
    ("hold", "release"),
    ("create", "delete"),
    ("add", "remove"),
    ("reserve", "release"),
    ("lock", "unlock"),
    ("acquire", "release"),
    ("debit", "credit"),
    ("book", "cancel"),
];
/// What is taken, and what gives it back whatever comes of the work between.
const LOANS: [(&str, &str); 16] = [
    ("lock", "unlock"),
    ("acquire", "release"),
    ("create", "delete"),
    ("create", "terminate"),
    ("create", "destroy"),
    ("launch", "terminate"),
    ("provision", "deprovision"),
    ("start", "stop"),
    ("open", "close"),
    ("mount", "unmount"),
    ("attach", "detach"),
    ("disable", "enable"),
    ("enable", "disable"),
    ("pause", "resume"),
    ("suspend", "resume"),
    ("allocate", "release"),
];
/// Words that say nothing of what a state is about.
const EMPTY: [&str; 8] = ["the", "a", "all", "task", "state", "for", "of", "to"];

/// A task that succeeded, the state that would undo it, and the place of the run on which it was not entered.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// The task.
    pub done: StateId,
    /// What undoes it elsewhere.
    pub undo: StateId,
    /// The run, by its place.
    pub run: usize,
    /// Whether it is given back when all goes well, not taken back when something fails.
    pub is_loan: bool,
}

/// Each pair of states once, with the run of which the fewest things are other than usual.
#[must_use]
pub fn skipped(definition: &Definition, ends: &[Ended]) -> Vec<Skipped> {
    let mut found: Vec<Skipped> = Vec::new();
    for (done, undo) in pairs(definition) {
        let both = |end: &&Ended| has_done(end, done) && entered(end, undo);
        if !ends.iter().any(|end| both(&end)) {
            continue;
        }
        let left = ends.iter().enumerate().filter(|(_, end)| {
            // Only what went wrong has to be undone.
            let other = steps(&end.way).iter().any(|step| step.error().is_some());
            let came = matches!(end.end, End::Failed(_) | End::TimedOut(_)) || was_caught(end);
            other
                && came
                && has_done(end, done)
                && !entered(end, undo)
                && !undoing_failed(end, undo)
        });
        let handled = left.filter(|(_, end)| goes_on_as_failed(ends, end, done, undo));
        if let Some((run, _)) =
            handled.min_by_key(|(_, end)| (end.deviations, steps(&end.way).len()))
        {
            found.push(Skipped {
                done,
                undo,
                run,
                is_loan: false,
            });
        }
    }
    for (done, undo) in loans(definition) {
        let known = found.iter().any(|one| (one.done, one.undo) == (done, undo));
        if let Some(run) = kept(ends, done, undo).filter(|_| !known) {
            found.push(Skipped {
                done,
                undo,
                run,
                is_loan: true,
            });
        }
    }
    found
}

/// The run that keeps what was taken and fails, where no run that succeeds keeps it.
fn kept(ends: &[Ended], done: StateId, undo: StateId) -> Option<usize> {
    let mut given_back = false;
    for end in ends.iter().filter(|end| matches!(end.end, End::Succeeded)) {
        if has_done(end, done) {
            if !entered(end, undo) {
                return None;
            }
            given_back = true;
        }
    }
    let fails = |end: &Ended| {
        matches!(end.end, End::Failed(_) | End::TimedOut(_))
            && has_done(end, done)
            && !entered(end, undo)
    };
    let kept = ends.iter().enumerate().filter(|(_, end)| fails(end));
    let (run, _) = kept.min_by_key(|(_, end)| (end.deviations, steps(&end.way).len()))?;
    given_back.then_some(run)
}

/// Tasks that take something, and those that give the same back.
fn loans(definition: &Definition) -> Vec<(StateId, StateId)> {
    let named = named(definition);
    let mut found = Vec::new();
    for (undo, undoing) in &named {
        for (done, doing) in &named {
            let pair = LOANS.iter().any(|(take, give)| {
                let has = |words: &[String], word: &str| words.iter().any(|own| own == word);
                let shared = undoing.iter().any(|word| word != give && has(doing, word));
                has(doing, take) && has(undoing, give) && (shared || undoing.len() == 1)
            });
            if pair && done != undo {
                found.push((*done, *undo));
            }
        }
    }
    found
}

/// Whether the run went where runs go that undo the task: it ended at the same state, and failed after the task.
fn goes_on_as_failed(ends: &[Ended], end: &Ended, done: StateId, undo: StateId) -> bool {
    let way = steps(&end.way);
    let at = way
        .iter()
        .position(|step| step.state == done && succeeded(step));
    let after = at.is_some_and(|at| way.iter().skip(at + 1).any(|step| step.error().is_some()));
    // Branches that ran beside it count, whichever answered first.
    let beside = way
        .iter()
        .any(|step| step.error().is_some() && step.state != done);
    let same = ends
        .iter()
        .any(|other| other.last == end.last && has_done(other, done) && entered(other, undo));
    same && (after || beside)
}

fn was_caught(end: &Ended) -> bool {
    matches!(end.end, End::Succeeded)
}

fn succeeded(step: &super::step::Step) -> bool {
    matches!(step.answer.outcome, Outcome::Success(_))
}

fn has_done(end: &Ended, state: StateId) -> bool {
    steps(&end.way)
        .iter()
        .any(|step| step.state == state && succeeded(step))
}

fn undoing_failed(end: &Ended, undo: StateId) -> bool {
    steps(&end.way)
        .iter()
        .any(|step| step.state == undo && !succeeded(step))
}

fn entered(end: &Ended, state: StateId) -> bool {
    let word = end.visited.get(state.0 as usize / 64);
    word.is_some_and(|word| word & (1 << (state.0 % 64)) != 0)
}

/// The words of a name: `BookHotel`, `book-hotel` and `Book hotel` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() {
            before = ' ';
            continue;
        }
        let begins = !before.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        match words.last_mut() {
            Some(word) if !begins => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().collect()),
        }
        before = c;
    }
    words.retain(|word| !EMPTY.contains(&word.as_str()));
    words
}

/// The tasks, with the words of their names.
fn named(definition: &Definition) -> Vec<(StateId, Vec<String>)> {
    let ids = definition.state_ids();
    ids.filter_map(|id| {
        let state = definition.state(id)?;
        super::world::task(definition, id)?;
        Some((id, words(&state.name)))
    })
    .collect()
}

fn pairs(definition: &Definition) -> Vec<(StateId, StateId)> {
    let named = named(definition);
    let mut found = Vec::new();
    for (undo, undoing) in &named {
        let Some(verb) = undoing.iter().find(|word| UNDO.contains(&word.as_str())) else {
            continue;
        };
        for (done, doing) in &named {
            if done == undo || doing.iter().any(|word| UNDO.contains(&word.as_str())) {
                continue;
            }
            let shared = undoing
                .iter()
                .any(|word| word != verb && doing.contains(word));
            let pair = undoing.len() == 1
                && PAIRS
                    .iter()
                    .any(|(one, other)| other == verb && doing.iter().any(|word| word == one));
            if shared || pair {
                found.push((*done, *undo));
            }
        }
    }
    found
}
