//! Compensation: for each task that another task undoes in some runs, finds runs that should undo the task but do not.
//!
//! The names of two tasks tell whether one undoes the other: `BookHotel` and `CancelHotel`, `TakePayment` and
//! `RefundPayment`.

use super::walk::{End, Ended};
use crate::definition::{Definition, StateId};
use crate::interpreter::Outcome;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Words that, in the name of a task, show that the task undoes the work of another task.
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
/// Pairs of (action, reversal). A task whose name is only the reversal undoes any task whose name contains the action.
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
/// Pairs of (acquire, release). A resource has to be released even if no error occurs.
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
/// Maximum number of comparisons between two tasks' names.
const MOST_TRIES: usize = 200_000;
/// Maximum number of pairs (a task, and the task that undoes it) for which the runs are examined.
const MOST_PAIRS: usize = 5_000;
/// Words that are ignored when names are compared.
const EMPTY: [&str; 8] = ["the", "a", "all", "task", "state", "for", "of", "to"];

/// A task, the task that undoes it, and what the runs show about both.
#[derive(Debug)]
pub struct Pair {
    /// The task whose work the task `undo` undoes.
    pub done: StateId,
    /// The task that undoes the work of the task `done`.
    pub undo: StateId,
    /// True if a resource is acquired, which every run has to release. False if an action is done, which only a run
    /// with a failure has to undo.
    pub is_loan: bool,
    /// The states at which those runs ended that undid the work of the task `done`.
    undone_at: HashSet<Option<StateId>>,
    /// True if at least one successful run undid the work of the task `done`.
    is_given_back: bool,
    /// True if at least one successful run left the work of the task `done` as it was.
    is_kept: bool,
    /// The simplest run that should undo the task but does not: its sort key, and its index in the list of runs.
    pub skips: Option<((u32, usize), usize)>,
}

/// Returns the tasks that at least one run should have undone but did not. Each is paired with the task that undoes it.
#[must_use]
pub fn skipped(definition: &Definition, ends: &[Ended]) -> Vec<Pair> {
    let names = Names::of(definition);
    let undone = names.pairs(undoes).into_iter().map(|pair| (pair, false));
    let lent = names.pairs(gives_back).into_iter().map(|pair| (pair, true));
    let pairs = undone.chain(lent).map(|((done, undo), is_loan)| Pair {
        done,
        undo,
        is_loan,
        undone_at: HashSet::new(),
        is_given_back: false,
        is_kept: false,
        skips: None,
    });
    let mut pairs: Vec<Pair> = pairs.collect();
    let mut by_task: Vec<Vec<usize>> = vec![Vec::new(); definition.states.len()];
    for (place, pair) in pairs.iter().enumerate() {
        if let Some(places) = by_task.get_mut(pair.done.0 as usize) {
            places.push(place);
        }
    }
    let mut each = |act: fn(&mut Pair, usize, &Course<'_>)| {
        for (run, end) in ends.iter().enumerate() {
            let course = Course::of(run, end);
            for (state, at) in &course.done {
                let places = by_task.get(state.0 as usize).into_iter().flatten();
                for place in places {
                    if let Some(pair) = pairs.get_mut(*place) {
                        act(pair, *at, &course);
                    }
                }
            }
        }
    };
    each(Pair::note);
    each(Pair::look);
    let mut known = HashSet::new();
    pairs.retain(|pair| pair.skips.is_some() && known.insert((pair.done, pair.undo)));
    pairs
}

impl Pair {
    /// Records whether the task was undone in a run, and at which state this run ended. Called in the first pass, for
    /// each run in which the task succeeded.
    fn note(&mut self, _: usize, course: &Course<'_>) {
        let end = course.end;
        let is_undone = entered(end, self.undo);
        if is_undone {
            self.undone_at.insert(end.last);
        }
        let succeeds = matches!(end.end, End::Succeeded);
        self.is_given_back |= succeeds && is_undone;
        self.is_kept |= succeeds && !is_undone;
    }

    /// Keeps a run if it should have undone the task but did not. Called in the second pass, for each run in which the
    /// task succeeded; `at` is the index of the task's answer in the run.
    fn look(&mut self, at: usize, course: &Course<'_>) {
        let is_first = |(key, _): &_| course.end.key() < *key;
        if self.is_skipped_by(at, course) && self.skips.as_ref().is_none_or(is_first) {
            self.skips = Some((course.end.key(), course.run));
        }
    }

    /// True if the run should undo the task, but does not. For a resource: the run fails without releasing the
    /// resource, although every successful run releases it. For an action: something failed, and other runs that end at
    /// the same state undo the action.
    fn is_skipped_by(&self, at: usize, course: &Course<'_>) -> bool {
        let end = course.end;
        if entered(end, self.undo) {
            return false;
        }
        let fails = matches!(end.end, End::Failed(_) | End::TimedOut(_));
        if self.is_loan {
            return fails && self.is_given_back && !self.is_kept;
        }
        let after = course.last_failure.is_some_and(|failure| failure > at);
        // A failure of another state counts even if it came before the task's answer: that state and the task may be in
        // parallel branches.
        let beside = course.failed.iter().any(|state| *state != self.done);
        let is_end = fails || matches!(end.end, End::Succeeded);
        is_end && self.undone_at.contains(&end.last) && (after || beside)
    }
}

/// One run: its end, its successful answers and its failures.
struct Course<'e> {
    end: &'e Ended,
    /// Index of the run in the list of runs.
    run: usize,
    /// For each successful answer: the state that got it, and the answer's index in the list of all answers of the run.
    done: Vec<(StateId, usize)>,
    /// Up to two states that had a failed attempt.
    failed: Vec<StateId>,
    /// Index of the last failed answer in the list of all answers of the run.
    last_failure: Option<usize>,
}

impl<'e> Course<'e> {
    fn of(run: usize, end: &'e Ended) -> Self {
        let (mut done, mut failed, mut last_failure) = (Vec::new(), Vec::new(), None);
        for (place, step) in end.course.steps().into_iter().enumerate() {
            match step.answer.outcome {
                Outcome::Success(_) => done.push((step.state, place)),
                Outcome::Failure { .. } | Outcome::Never => {
                    if failed.len() < 2 && !failed.contains(&step.state) {
                        failed.push(step.state);
                    }
                    last_failure = Some(place);
                }
                Outcome::Evaluated(_) => {}
            }
        }
        Self {
            end,
            run,
            done,
            failed,
            last_failure,
        }
    }
}

fn entered(end: &Ended, state: StateId) -> bool {
    let word = end.visited.get(state.0 as usize / 64);
    word.is_some_and(|word| word & (1 << (state.0 % 64)) != 0)
}

/// The words of a state's name: `BookHotel`, `book-hotel` and `Book hotel` have the same words.
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

/// The tasks of a definition, with the words of their names.
struct Names {
    tasks: Vec<(StateId, Vec<String>)>,
    /// For each word, the indices of the tasks whose names contain the word.
    by_word: HashMap<String, Vec<usize>>,
}

impl Names {
    fn of(definition: &Definition) -> Self {
        let ids = definition.state_ids();
        let tasks = ids.filter_map(|id| {
            let state = definition.state(id)?;
            super::world::task(definition, id)?;
            Some((id, words(&state.name)))
        });
        let tasks: Vec<(StateId, Vec<String>)> = tasks.collect();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, (_, words)) in tasks.iter().enumerate() {
            for word in words {
                by_word.entry(word.clone()).or_default().push(place);
            }
        }
        Self { tasks, by_word }
    }

    /// Returns pairs (task to undo, task that undoes it). `fits` decides from the words of both names whether two tasks
    /// are a pair.
    fn pairs(&self, fits: fn(&[String], &[String]) -> bool) -> Vec<(StateId, StateId)> {
        let tries = self.tasks.iter().flat_map(|(undo, undoing)| {
            let words = partners(undoing).into_iter();
            let places = words.filter_map(|word| self.by_word.get(word));
            let places: BTreeSet<usize> = places.flatten().take(MOST_TRIES).copied().collect();
            let tasks = places.into_iter().filter_map(|place| self.tasks.get(place));
            tasks.map(move |(done, doing)| (*done, doing, *undo, undoing))
        });
        let fitting = tries
            .take(MOST_TRIES)
            .filter(|(done, doing, undo, undoing)| done != undo && fits(doing, undoing));
        let pairs = fitting.map(|(done, _, undo, _)| (done, undo));
        pairs.take(MOST_PAIRS).collect()
    }
}

/// Returns words by which to find the tasks that a task with the words `undoing` may undo. The name of each of these
/// tasks contains at least one of the returned words.
fn partners(undoing: &[String]) -> Vec<&str> {
    let verbs = || PAIRS.iter().chain(&LOANS);
    match undoing {
        [only] => verbs()
            .filter(|(_, undo)| undo == only)
            .map(|(done, _)| *done)
            .collect(),
        words => {
            let is_verb =
                |word: &str| UNDO.contains(&word) || verbs().any(|(_, undo)| *undo == word);
            let words = words.iter().map(String::as_str);
            words.filter(|word| !is_verb(word)).collect()
        }
    }
}

/// True if a task with the words `undoing` in its name undoes a task with the words `doing`.
fn undoes(doing: &[String], undoing: &[String]) -> bool {
    let is_verb = |word: &&String| UNDO.contains(&word.as_str());
    let Some(verb) = undoing.iter().find(is_verb) else {
        return false;
    };
    let mut words = undoing.iter();
    let shared = words.any(|word| word != verb && doing.contains(word));
    let mut verbs = PAIRS.iter().filter(|(_, other)| other == verb);
    let pair = undoing.len() == 1 && verbs.any(|(verb, _)| has(doing, verb));
    !doing.iter().any(|word| is_verb(&word)) && (shared || pair)
}

/// True if a task with the words `undoing` in its name releases what a task with the words `doing` acquires.
fn gives_back(doing: &[String], undoing: &[String]) -> bool {
    LOANS.iter().any(|(take, give)| {
        let shared = undoing.iter().any(|word| word != give && has(doing, word));
        has(doing, take) && has(undoing, give) && (shared || undoing.len() == 1)
    })
}

fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}
