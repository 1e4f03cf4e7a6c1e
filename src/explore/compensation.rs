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
/// Pairs of an action and its reversal that match even if the names share no other word.
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
    let named = named(definition);
    let is_undo = |words: &[String]| words.iter().any(|word| UNDO.contains(&word.as_str()));
    let undone = pairs(&named, is_undo, undoes).into_iter();
    let undone = undone.map(|(done, undo)| (done, undo, false));
    let is_release = |words: &[String]| LOANS.iter().any(|(_, give)| has(words, give));
    let lent = pairs(&named, is_release, gives_back).into_iter();
    let lent = lent.map(|(done, undo)| (done, undo, true));
    let mut found: Vec<Skipped> = Vec::new();
    for (done, undo, is_loan) in undone.chain(lent) {
        let known = found.iter().any(|one| (one.done, one.undo) == (done, undo));
        let run = match is_loan {
            false => not_undone(ends, done, undo),
            true => kept(ends, done, undo),
        };
        found.extend(run.filter(|_| !known).map(|run| Skipped {
            done,
            undo,
            run,
            is_loan,
        }));
    }
    found
}

/// Index of a failed run that did not undo the task `done`, although a similar run undid it.
fn not_undone(ends: &[Ended], done: StateId, undo: StateId) -> Option<usize> {
    if !ends
        .iter()
        .any(|end| has_done(end, done) && entered(end, undo))
    {
        return None;
    }
    let left = ends.iter().enumerate().filter(|(_, end)| {
        let is_end = matches!(end.end, End::Succeeded | End::Failed(_) | End::TimedOut(_));
        // Only runs with a failure need compensation.
        let fails = end.course.steps().iter().any(|step| step.error().is_some());
        fails && is_end && has_done(end, done) && !entered(end, undo)
    });
    let handled = left.filter(|(_, end)| goes_on_as_failed(ends, end, done, undo));
    let (run, _) = handled.min_by_key(|(_, end)| end.key())?;
    Some(run)
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

fn succeeded(step: &super::moment::Step) -> bool {
    matches!(step.answer.outcome, Outcome::Success(_))
}

fn has_done(end: &Ended, state: StateId) -> bool {
    end.course
        .steps()
        .iter()
        .any(|step| step.state == state && succeeded(step))
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

/// Pairs of tasks whose names fit together according to `fits`. The first task of a pair is the one that is undone, the
/// second one has a name for which `may_undo` holds.
fn pairs(
    named: &[(StateId, Vec<String>)],
    may_undo: fn(&[String]) -> bool,
    fits: fn(&[String], &[String]) -> bool,
) -> Vec<(StateId, StateId)> {
    let mut found = Vec::new();
    for (undo, undoing) in named.iter().filter(|(_, words)| may_undo(words)) {
        let fitting = named
            .iter()
            .filter(|(done, doing)| done != undo && fits(doing, undoing));
        found.extend(fitting.map(|(done, _)| (*done, *undo)));
    }
    found
}

/// True if the words of a task's name say that it undoes another task.
fn undoes(doing: &[String], undoing: &[String]) -> bool {
    let is_verb = |word: &&String| UNDO.contains(&word.as_str());
    let Some(verb) = undoing.iter().find(is_verb) else {
        return false;
    };
    let shared = undoing
        .iter()
        .any(|word| word != verb && doing.contains(word));
    let mut verbs = PAIRS.iter().filter(|(_, other)| other == verb);
    let pair = undoing.len() == 1 && verbs.any(|(one, _)| has(doing, one));
    !doing.iter().any(|word| is_verb(&word)) && (shared || pair)
}

/// True if the words of a task's name say that it releases what another task acquires.
fn gives_back(doing: &[String], undoing: &[String]) -> bool {
    LOANS.iter().any(|(take, give)| {
        let shared = undoing.iter().any(|word| word != give && has(doing, word));
        has(doing, take) && has(undoing, give) && (shared || undoing.len() == 1)
    })
}

fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|own| own == word)
}
