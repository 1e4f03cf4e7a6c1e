//! Checks for variables that are read too early: nothing has assigned them yet, or only the same state does.

use super::Checker;
use super::hashed::{HashMap, HashSet};
use super::reach::closure;
use super::variable::{Use, VARIABLE, Writers};
use crate::definition::inputs::tested_for_presence;
use crate::definition::rule::{Severities, rules};
use crate::definition::{ScopeId, StateId};
use crate::query::Root;

rules! {
    OLD_VALUE = 90, "old-value", "OLD_VALUE", Severities::INFO,
        "a state reads a variable that it sets itself: it sees the value from before";
}

/// Maximum total number of states visited to find which states run before others.
const MOST: usize = 2_000_000;

/// The states that can run before each state is entered for the first time.
#[derive(Default)]
struct Earlier {
    known: HashMap<StateId, Option<HashSet<StateId>>>,
    looked_at: usize,
}

impl<'d> Checker<'d> {
    pub(super) fn unset(&mut self, reads: &[Use<'d>], writers: &Writers<'_, 'd>) {
        let mut earlier = Earlier::default();
        let mut told: HashSet<(StateId, &str)> = HashSet::default();
        for read in reads {
            if told.contains(&(read.state, read.name.as_str())) {
                continue;
            }
            let mut own = writers.get(&read.variable()).into_iter().flatten();
            let own = own.find(|write| write.state == read.state);
            let said = match self.only_later(read, writers, &mut earlier) {
                Some(write) => {
                    self.not_set_yet(read, write);
                    true
                }
                None => own.is_some_and(|write| self.old_value(read, write)),
            };
            if said {
                told.insert((read.state, read.name.as_str()));
            }
        }
    }

    /// An assignment of a variable that the read needs, if all of its assignments come later.
    fn only_later<'u>(
        &self,
        read: &Use<'d>,
        writers: &Writers<'u, 'd>,
        earlier: &mut Earlier,
    ) -> Option<&'u Use<'d>> {
        let outer = self.definition.outer(read.scope).into_iter();
        let outer = outer.take_while(|outer| !outer.is_cut_off);
        let outer = outer.map(|outer| (outer.scope, outer.around));
        let mut later = None;
        for (scope, at) in std::iter::once((read.scope, read.state)).chain(outer) {
            let all = writers.get(&(scope, read.name.as_str()));
            let all = all.map(Vec::as_slice).unwrap_or_default();
            if let Some(first) = all.first() {
                let before = self.earlier(at, scope, earlier)?;
                if all.iter().any(|write| before.contains(&write.state)) {
                    return None;
                }
                let own = all.iter().find(|write| write.state == at);
                later = later.or(Some(*own.unwrap_or(first)));
            }
        }
        later.filter(|_| self.needs(read))
    }

    /// The states of a scope that can run before the state `at` is entered for the first time; `None` if `at` is
    /// unreachable, or if finding out would take too long.
    fn earlier<'e>(
        &self,
        at: StateId,
        scope: ScopeId,
        earlier: &'e mut Earlier,
    ) -> Option<&'e HashSet<StateId>> {
        if !earlier.known.contains_key(&at) {
            let start = self.definition.scope(scope)?.start_at.as_ref()?.state;
            let reached = (earlier.looked_at < MOST).then(|| {
                closure(start, |id| match id == at {
                    true => &[],
                    false => self.next(id),
                })
            });
            earlier.looked_at += reached.as_ref().map_or(0, HashSet::len);
            let found = reached.and_then(|mut reached| reached.remove(&at).then_some(reached));
            earlier.known.insert(at, found);
        }
        earlier.known.get(&at)?.as_ref()
    }

    fn needs(&self, read: &Use<'d>) -> bool {
        match read.place.expression() {
            _ if read.in_jsonata => read.tree.is_some_and(|tree| tree.needs(&read.name)),
            _ => self.definition.state(read.state).is_none_or(|state| {
                let asked = tested_for_presence(state);
                let is_it =
                    |root: &Root| matches!(root, Root::Variable(name) if **name == *read.name);
                !asked.iter().any(|path| is_it(path.root()))
            }),
        }
    }

    fn not_set_yet(&mut self, read: &Use<'d>, write: &Use<'d>) {
        let setter = self.name_of(write.state);
        let name = &read.name;
        let message = match write.state == read.state {
            true => format!(
                "${name} is not set yet here: \"{setter}\" itself sets it, for the states after it"
            ),
            false => format!("${name} is not set yet here: \"{setter}\" sets it, and runs later"),
        };
        let help = "write the value itself here, or assign it in an earlier state";
        self.read_and_set(VARIABLE, message, (read, write), help);
    }

    /// Reports a read in the same state that assigns the variable, if the read may be meant to get the new value.
    /// Returns true if it was reported.
    fn old_value(&mut self, read: &Use<'d>, write: &Use<'d>) -> bool {
        let Some(owner) = write.place.location.strip_suffix("/Assign") else {
            return false;
        };
        let Some(field) = read.place.location.strip_prefix(owner) else {
            return false;
        };
        let mut words = field.split('/').skip(1);
        let field = words.next().unwrap_or_default();
        let text = |used: &Use<'d>| used.place.expression().unwrap_or("");
        let copies = text(read).trim_start_matches('$') == read.name;
        let is_own = words.next().is_some_and(|name| {
            let name = name.split('[').next().unwrap_or(name);
            name.strip_suffix(".$").unwrap_or(name) == write.name
        });
        let told = match field {
            "Output" => true,
            // An assignment that copies or extends the old value is meant to read it.
            "Assign" => !copies && !is_own,
            "Arguments" => {
                let made = text(write);
                let variables = write.tree.map(|tree| tree.variables(tree.root()));
                let counts = variables.is_some_and(|all| all.contains(&read.name.as_str().into()));
                !made.is_empty() && !counts && !made.contains("$states.result")
            }
            _ => false,
        };
        if told {
            let message = format!(
                "${} has its value from before here: Assign of this state sets it for the states after it",
                read.name
            );
            let help =
                "where the new value is meant, write it here too, or read it in a later state";
            self.read_and_set(OLD_VALUE, message, (read, write), help);
        }
        told
    }
}
