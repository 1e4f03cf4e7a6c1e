//! Compensation: tasks that another state undoes after a later failure, and runs in which it does not.
//!
//! State names tell which state undoes which: `BookHotel` and `CancelHotel`, `TakePayment` and `RefundPayment`.

use super::walk::{End, Ended};
use crate::definition::{Definition, StateId};
use crate::interpreter::Outcome;

/// Words for undoing something.
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
/// Pairs of an action and its reversal that need no other word in common.
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
/// Pairs of acquiring and releasing, where the release is expected whatever happens in between.
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
/// Words that say nothing about a state's subject.
const EMPTY: [&str; 8] = ["the", "a", "all", "task", "state", "for", "of", "to"];

/// A task that succeeded, and a run in which the state that undoes it was not entered.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// The task.
    pub done: StateId,
    /// The state that undoes it in other runs.
    pub undo: StateId,
    /// Index of the run.
    pub run: usize,
    /// True for a resource that is released even if all goes well; false for an action that is undone only after a
    /// failure.
    pub is_loan: bool,
}

/// Returns each task that some run leaves undone once, with the run that has the fewest deviations.
#[must_use]
pub fn skipped(definition: &Definition, ends: &[Ended]) -> Vec<Skipped> {
    let mut found: Vec<Skipped> = Vec::new();
    for (done, undo) in pairs(definition) {
        let both = |end: &&Ended| has_done(end, done) && entered(end, undo);
        if !ends.iter().any(|end| both(&end)) {
            continue;
        }
        let left = ends.iter().enumerate().filter(|(_, end)| {
            // Only runs with a failure need compensation.
            let other = end.course.steps().iter().any(|step| step.error().is_some());
            let came = matches!(end.end, End::Failed(_) | End::TimedOut(_)) || was_caught(end);
            other
                && came
                && has_done(end, done)
                && !entered(end, undo)
                && !undoing_failed(end, undo)
        });
        let handled = left.filter(|(_, end)| goes_on_as_failed(ends, end, done, undo));
        if let Some((run, _)) = handled.min_by_key(|(_, end)| end.key()) {
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

/// The failed run that does not release the resource, if all successful runs release it.
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
    let (run, _) = kept.min_by_key(|(_, end)| end.key())?;
    given_back.then_some(run)
}

/// Pairs of tasks that acquire and release the same resource.
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

/// True if the run ended at the same state as runs that undo the task, and something failed after it.
fn goes_on_as_failed(ends: &[Ended], end: &Ended, done: StateId, undo: StateId) -> bool {
    let way = end.course.steps();
    let at = way
        .iter()
        .position(|step| step.state == done && succeeded(step));
    let after = at.is_some_and(|at| way.iter().skip(at + 1).any(|step| step.error().is_some()));
    // Parallel branches count as well, whichever was answered first.
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
    end.course
        .steps()
        .iter()
        .any(|step| step.state == state && succeeded(step))
}

fn undoing_failed(end: &Ended, undo: StateId) -> bool {
    end.course
        .steps()
        .iter()
        .any(|step| step.state == undo && !succeeded(step))
}

fn entered(end: &Ended, state: StateId) -> bool {
    let word = end.visited.get(state.0 as usize / 64);
    word.is_some_and(|word| word & (1 << (state.0 % 64)) != 0)
}

/// The words of a name; `BookHotel`, `book-hotel` and `Book hotel` have the same.
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

/// The tasks with the words of their names.
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
