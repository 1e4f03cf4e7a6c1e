//! Checks the names of variables, where they are visible and how they are used. Finds variables that are read too
//! early.

use super::facts::{Facts, HashMap, HashSet};
use super::located::Located;
use super::reach::{assigned_name, assigns};
use super::{Checker, StateAt};
use crate::definition::lower::MISSING;
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::scope::tested_for_presence;
use crate::definition::{Definition, LintRule, ScopeId, StateId, reach};
use crate::query::jsonata::{self, Tree};
use crate::query::{Profile, Root};
use crate::source::{Span, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};

lint_rules! {
    ASSIGN = 68, "assign", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "a variable's name is not allowed, or belongs to an outer scope" {
        SHADOWING = Severities::WARNING, "if the outer scope assigns the variable only later";
    };
    VARIABLE = 69, "variable", "VARIABLE", Severities::WARNING,
        "a variable is read, but no earlier state assigns it; or a variable is assigned, but never read" {
            OUTSIDE = Severities::ERROR, "if a distributed Map separates the read from the assignment";
        };
    OLD_VALUE = 90, "old-value", "OLD_VALUE", Severities::INFO,
        "a state reads a variable that it also sets, and sees the old value";
    JOINED = 95, "joined-numbers", "JOINED_NUMBERS", Severities::WARNING,
        "a variable is read as a number, but its value is text that & joined";
}

/// Label for an assignment of a variable in a diagnostic.
const SET_HERE: &str = "the variable is set here";
/// Maximum length of a variable name.
const NAME: usize = 80;

/// A use of a variable in a state.
struct Use<'d> {
    pub(super) name: String,
    /// The value in the definition that reads the variable, or that is assigned to it.
    pub(super) place: Located<'d>,
    pub(super) scope: ScopeId,
    pub(super) state: StateId,
    pub(super) in_jsonata: bool,
    /// The syntax tree of the value, if it is a JSONata expression.
    pub(super) tree: Option<&'d Tree>,
}

/// The assignments of each variable, by scope and name.
type Writers<'u, 'd> = HashMap<(ScopeId, &'u str), Vec<&'u Use<'d>>>;

impl<'d> Use<'d> {
    /// Key of the variable: its scope and name.
    pub(super) fn variable(&self) -> (ScopeId, &str) {
        (self.scope, &self.name)
    }

    fn of(at: StateAt<'d>, name: &str, place: Located<'d>) -> Self {
        Self {
            name: name.to_string(),
            tree: at.tree(place.node),
            place,
            scope: at.state.scope,
            state: at.id,
            in_jsonata: at.is_jsonata(),
        }
    }
}

impl<'d> Checker<'d> {
    pub(super) fn variables(&mut self) {
        let mut writes = Vec::new();
        let mut reads = Vec::new();
        for at in self.states.clone() {
            for assign in assigns(at) {
                for member in assign.members() {
                    let name = match at.is_jsonata() {
                        true => member.name(),
                        false => assigned_name(member.name()),
                    };
                    let location = assign.location.clone();
                    let place = Located { location, ..member };
                    if self.variable_name(name, place.key()) {
                        writes.push(Use::of(at, name, place));
                    }
                }
            }
            read_in(at, &mut reads);
        }
        let mut writers: Writers<'_, 'd> = HashMap::default();
        for write in &writes {
            writers.entry(write.variable()).or_default().push(write);
        }
        self.shadowing(&writes, &writers);
        self.joined_numbers(&reads, &writes);
        self.unread(&writes, &reads);
        // A name of a built-in function is not reported as an unknown variable: if no state assigns it, it means the
        // function.
        reads.retain(|read| !(read.in_jsonata && jsonata::is_function(&read.name)));
        self.unassigned(&reads, &writes, &writers);
        self.unset(&reads, &writers);
    }

    /// Checks the name of a variable. Returns true if it is valid.
    fn variable_name(&mut self, name: &str, place: (Span, &str)) -> bool {
        let message = if name.is_empty() {
            "a variable needs a name".to_string()
        } else if name == "states" {
            "the variable name \"states\" is reserved".to_string()
        } else if name.chars().count() > NAME {
            format!("the variable's name has more than {NAME} characters")
        } else if name.contains(['.', '[']) {
            "only a whole variable can be assigned, not a part of it".to_string()
        } else if !is_identifier(name) {
            format!("\"{name}\" is not a valid name for a variable")
        } else {
            return true;
        };
        let help = "a variable's name is a letter or _, followed by letters, digits and _";
        self.report(ASSIGN, message, place, help);
        false
    }

    fn shadowing(&mut self, writes: &[Use<'d>], writers: &Writers<'_, 'd>) {
        // For each variable, the states that may run after it was assigned.
        let mut after: HashMap<(ScopeId, &str), HashSet<StateId>> = HashMap::default();
        for write in writes {
            let outer = self.definition.outer(write.scope).into_iter();
            let mut outer = outer.filter(|outer| !outer.is_cut_off);
            let outer_variable = outer.find_map(|outer| {
                let name = (outer.scope, write.name.as_str());
                Some((name, outer.around, writers.get(&name)?))
            });
            let Some((variable, around, writers)) = outer_variable else {
                continue;
            };
            let name = &write.name;
            let after = after.entry(variable).or_insert_with(|| {
                let next = writers.iter().flat_map(|writer| self.next(writer.state));
                reach(next, |id| self.next(id))
            });
            let (rule, message) = match after.contains(&around) {
                true => (
                    ASSIGN,
                    format!(
                        "${name} belongs to an outer scope, whose variables cannot be assigned here"
                    ),
                ),
                false => (
                    SHADOWING,
                    format!("${name} is also assigned in an outer scope"),
                ),
            };
            let help = "choose another name, and pass the value to the outer scope in the result";
            self.report(rule, message, write.place.key(), help);
            if let Some(outer) = writers.first() {
                self.related(outer.place.key().0, SET_HERE);
            }
        }
    }

    /// Reports a read of a variable. The diagnostic also points to an assignment of this variable.
    fn read_and_set(
        &mut self,
        rule: LintRule,
        message: String,
        (read, write): (&Use<'d>, &Use<'d>),
        help: &str,
    ) {
        self.report(rule, message, read.place.value(), help);
        self.related(write.place.key().0, SET_HERE);
    }

    fn unassigned(&mut self, reads: &[Use<'d>], writes: &[Use<'d>], writers: &Writers<'_, 'd>) {
        let mut known: Vec<&str> = writers.keys().map(|(_, name)| *name).collect();
        known.sort_unstable();
        let mut elsewhere: HashMap<&str, &Use<'d>> = HashMap::default();
        for write in writes {
            elsewhere.entry(&write.name).or_insert(write);
        }
        let mut missing = 0;
        for read in reads {
            let name = read.name.as_str();
            let has = |scope: ScopeId| writers.contains_key(&(scope, name));
            if has(read.scope) {
                continue;
            }
            let mut outer = self.definition.outer(read.scope).into_iter();
            let outer_scope = outer.find(|outer| has(outer.scope));
            if let Some(outer) = outer_scope {
                let writer = writers.get(&(outer.scope, name));
                if let Some(write) = writer.and_then(|all| all.first())
                    && outer.is_cut_off
                {
                    let message = format!(
                        "${name} is assigned outside the distributed Map, whose iterations cannot read it"
                    );
                    let help = "pass the value to the iterations with ItemSelector";
                    self.read_and_set(OUTSIDE, message, (read, write), help);
                }
            } else if let Some(write) = elsewhere.get(name) {
                // The variable is assigned only inside branches or items, and the read is not in any of them.
                let setter = self.name_of(write.state);
                let message = format!(
                    "${name} is never set in this scope: \"{setter}\" sets it inside a Map or Parallel, where nothing outside can read it"
                );
                let help = "pass the value out in the output of the branch or item, and read it from the result";
                self.read_and_set(VARIABLE, message, (read, write), help);
            } else {
                missing += 1;
                let known = known.iter().copied().filter(|_| missing <= MISSING);
                let help = did_you_mean(name, known).unwrap_or_else(|| {
                    "assign the variable with Assign in an earlier state".to_string()
                });
                let message = format!("${name} is never assigned in this scope");
                self.report(VARIABLE, message, read.place.value(), help);
            }
        }
    }

    fn unread(&mut self, writes: &[Use<'d>], reads: &[Use<'d>]) {
        let names: HashSet<&str> = reads.iter().map(|read| read.name.as_str()).collect();
        let mut reported = HashSet::default();
        for write in writes {
            if !names.contains(write.name.as_str()) && reported.insert(write.name.as_str()) {
                let message = format!("${name} is assigned but never read", name = write.name);
                let help = "read the variable, or remove it";
                self.report(VARIABLE, message, write.place.key(), help);
            }
        }
    }
}

/// Collects the variables that the paths or expressions of a state read.
fn read_in<'d>(at: StateAt<'d>, reads: &mut Vec<Use<'d>>) {
    for expression in at.expressions() {
        let names = (expression.tree.as_ref()).map(|tree| tree.free_names(tree.root()));
        for name in names.unwrap_or_default() {
            reads.push(Use::of(at, &name, expression.place.clone()));
        }
    }
    for expression in at.evaluated() {
        for path in expression.expression.paths() {
            if let Root::Variable(name) = path.root() {
                reads.push(Use::of(at, name, expression.place.clone()));
            }
        }
    }
}

/// The variables that each state reads, by the name of the state.
#[must_use]
pub fn variables_read(definition: &Definition) -> BTreeMap<String, BTreeSet<String>> {
    let facts = Facts::of(definition);
    let checker = Checker::new(definition, &facts, Profile::Aws);
    let mut reads = Vec::new();
    for at in &checker.states {
        read_in(*at, &mut reads);
    }
    let mut by_state: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for read in reads {
        let state = definition.state(read.state).map(|state| &state.name);
        let is_function = read.in_jsonata && jsonata::is_function(&read.name);
        if let Some(state) = state.filter(|_| !is_function) {
            let names = by_state.entry(state.to_string()).or_default();
            names.insert(read.name);
        }
    }
    by_state
}

/// True if a variable may have this name.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    is_identifier(name) && name != "states" && name.chars().count() <= NAME
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}

/// Maximum total number of states visited by the searches for states that run before another state.
const MOST: usize = 2_000_000;

/// For each state, the states that can run before it is entered for the first time. Also counts the visited states.
#[derive(Default)]
struct Earlier {
    known: HashMap<StateId, Option<HashSet<StateId>>>,
    looked_at: usize,
}

impl<'d> Checker<'d> {
    fn unset(&mut self, reads: &[Use<'d>], writers: &Writers<'_, 'd>) {
        let mut earlier = Earlier::default();
        let mut reported: HashSet<(StateId, &str)> = HashSet::default();
        for read in reads {
            if reported.contains(&(read.state, read.name.as_str())) {
                continue;
            }
            let mut same_state = writers.get(&read.variable()).into_iter().flatten();
            let same_state = same_state.find(|write| write.state == read.state);
            let is_reported = match self.only_later(read, writers, &mut earlier) {
                Some(write) => {
                    self.not_set_yet(read, write);
                    true
                }
                None => same_state.is_some_and(|write| self.old_value(read, write)),
            };
            if is_reported {
                reported.insert((read.state, read.name.as_str()));
            }
        }
    }

    /// One of the assignments of a variable, if all of them run after the read, and the read fails without the
    /// variable. Otherwise `None`.
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
                let same_state = all.iter().find(|write| write.state == at);
                later = later.or(Some(*same_state.unwrap_or(first)));
            }
        }
        later.filter(|_| self.needs(read))
    }

    /// The states of the list `scope` that can run before its state `at` is entered for the first time. `None` if `at`
    /// is unreachable, or if all searches together have already visited too many states.
    fn earlier<'e>(
        &self,
        at: StateId,
        scope: ScopeId,
        earlier: &'e mut Earlier,
    ) -> Option<&'e HashSet<StateId>> {
        if !earlier.known.contains_key(&at) {
            let start = self.definition.scope(scope)?.start_at.as_ref()?.state;
            let reached = (earlier.looked_at < MOST)
                .then(|| reach(start, |id| self.next(id).filter(move |_| id != at)));
            earlier.looked_at += reached.as_ref().map_or(0, HashSet::len);
            let before = reached.and_then(|mut reached| reached.remove(&at).then_some(reached));
            earlier.known.insert(at, before);
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
                "${name} is not set yet here: Assign of \"{setter}\" sets it only for later states"
            ),
            false => {
                format!("${name} is not set yet here: \"{setter}\", which sets it, runs later")
            }
        };
        let help = "write the value itself here, or assign the variable in an earlier state";
        self.read_and_set(VARIABLE, message, (read, write), help);
    }

    /// Reports a read in the state that assigns the variable, if the author may expect the new value there. Returns
    /// true if the read was reported.
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
        let is_reported = match field {
            "Output" => true,
            // An assignment that copies or extends the variable's old value reads the old value on purpose.
            "Assign" => !copies && !is_own,
            "Arguments" => {
                let made = text(write);
                let variables = write.tree.map(|tree| tree.variables(tree.root()));
                let counts = variables.is_some_and(|all| all.contains(&read.name.as_str().into()));
                !made.is_empty() && !counts && !made.contains("$states.result")
            }
            _ => false,
        };
        if is_reported {
            let message = format!(
                "${name} still has its old value here: Assign of this state sets the new value only for later states",
                name = read.name
            );
            let help = "to get the new value, write its expression here too, or read the variable in a later state";
            self.read_and_set(OLD_VALUE, message, (read, write), help);
        }
        is_reported
    }

    fn joined_numbers(&mut self, reads: &[Use<'d>], writes: &[Use<'d>]) {
        for write in writes.iter().filter(|write| write.in_jsonata) {
            let Some(tree) = write.tree.filter(|tree| tree.joins_values()) else {
                continue;
            };
            let is_number = |read: &&Use<'d>| {
                read.name == write.name
                    && read.scope == write.scope
                    && (read.tree).is_some_and(|tree| tree.reads_number(&read.name))
            };
            let Some(read) = reads.iter().find(is_number) else {
                continue;
            };
            let reader = self.name_of(read.state);
            let message = format!(
                "{expression} is text, because & joins texts, but \"{reader}\" reads ${name} as a number",
                expression = tree.text(),
                name = write.name
            );
            let help = "use + to add numbers, and $number(...) to convert text";
            self.report(JOINED, message, write.place.value(), help);
            self.related(read.place.node.span, "the variable is read here");
        }
    }
}
