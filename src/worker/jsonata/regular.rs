//! Matches regular expressions as JavaScript does, by backtracking. Each search step is charged to the account.

use super::account::{Account, MEMORY, Outcome, bound};
use super::regular_syntax::{Part, Set, read, upper, word};
use crate::query::jsonata::Failure;

/// Number of search steps that count as one step of an evaluation.
const STEPS: usize = 2;
/// Maximum number of backtracking points.
const MOST_WAYS: usize = 1 << 20;
/// Maximum number of instructions of a pattern.
const LONGEST: usize = 1 << 16;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Regular {
    code: Vec<Do>,
    /// Number of capturing groups.
    groups: usize,
    registers: usize,
    fold: bool,
    lines: bool,
    line_ends: Set,
    word: Set,
}

/// An instruction of a compiled regular expression.
#[derive(Debug)]
enum Do {
    /// Consumes one code unit that is in the set, forward (`true`) or backward.
    Unit(Set, bool),
    /// Consumes as many code units in the set as possible, between a minimum and a maximum number. Backtracking gives
    /// them back one by one.
    Run(Set, usize, usize),
    Start,
    End,
    Boundary(bool),
    Back(usize, bool),
    Save(usize),
    /// Continues at the first target; if the match fails from there, continues at the second.
    Split(usize, usize),
    Jump(usize),
    /// Begins a loop: sets its number of iterations to 0.
    Count(usize),
    /// Starts another iteration of the loop or leaves the loop.
    Loop {
        counter: usize,
        least: u32,
        most: u32,
        greedy: bool,
        out: usize,
    },
    /// Begins an iteration of a loop and clears the captures of its groups.
    Enter(usize, (usize, usize)),
    /// Ends an iteration of a loop. Beyond the minimum number of iterations, an iteration must have consumed a
    /// character.
    Leave(usize, u32, usize),
    Around {
        wanted: bool,
        out: usize,
    },
    Matched,
}

/// A backtracking entry: an alternative to try or a change to undo.
enum Way {
    Go(usize, usize),
    Less {
        next: usize,
        least: usize,
        place: usize,
    },
    Slot(usize, Option<usize>),
    Register(usize, usize),
}

/// Start and end of a match and of its groups, in code units.
type Places = Vec<Option<(usize, usize)>>;

impl Regular {
    /// Compiles a regular expression with the flags `i` and `m`.
    pub(super) fn new(text: &str, flags: &str) -> Outcome<Self> {
        let invalid = |why: &str| {
            let words = format!("Invalid regular expression: /{text}/{flags}g: {why}");
            Failure::Thrown(words.into())
        };
        let (part, groups) = read(text).map_err(invalid)?;
        let mut made = Self {
            code: Vec::new(),
            groups,
            registers: 0,
            fold: flags.contains('i'),
            lines: flags.contains('m'),
            line_ends: line_ends(),
            word: word(),
        };
        made.compile(&part, true);
        made.code.push(Do::Matched);
        if made.code.len() > LONGEST {
            return Err(invalid("Regular expression too large"));
        }
        Ok(made)
    }

    fn compile(&mut self, part: &Part, forward: bool) {
        if self.code.len() > LONGEST {
            return;
        }
        match part {
            Part::Empty => {}
            Part::Unit(set) => self.code.push(Do::Unit(set.clone(), forward)),
            Part::Start => self.code.push(Do::Start),
            Part::End => self.code.push(Do::End),
            Part::Boundary(wanted) => self.code.push(Do::Boundary(*wanted)),
            Part::Back(number) => self.code.push(Do::Back(*number, forward)),
            Part::Group(number, inner) => {
                let (first, last) = (number * 2, number * 2 + 1);
                let (first, last) = if forward {
                    (first, last)
                } else {
                    (last, first)
                };
                self.code.push(Do::Save(first));
                self.compile(inner, forward);
                self.code.push(Do::Save(last));
            }
            Part::All(parts) if forward => {
                for part in parts {
                    self.compile(part, forward);
                }
            }
            Part::All(parts) => {
                for part in parts.iter().rev() {
                    self.compile(part, forward);
                }
            }
            Part::Either(ways) => self.either(ways, forward),
            Part::Repeat {
                part,
                least,
                most,
                greedy,
                groups,
            } => {
                if let (Part::Unit(set), true, true) = (&**part, forward, *greedy) {
                    let (least, most) = (*least as usize, *most as usize);
                    self.code.push(Do::Run(set.clone(), least, most));
                    return;
                }
                self.repeat(part, (*least, *most), *greedy, *groups, forward);
            }
            Part::Around {
                part,
                ahead,
                wanted,
            } => {
                let place = self.code.len();
                self.code.push(Do::Matched);
                self.compile(part, *ahead);
                self.code.push(Do::Matched);
                let out = self.code.len();
                self.put(
                    place,
                    Do::Around {
                        wanted: *wanted,
                        out,
                    },
                );
            }
        }
    }

    fn put(&mut self, place: usize, made: Do) {
        if let Some(instruction) = self.code.get_mut(place) {
            *instruction = made;
        }
    }

    fn either(&mut self, ways: &[Part], forward: bool) {
        let mut ends = Vec::new();
        for (place, way) in ways.iter().enumerate() {
            if place + 1 == ways.len() {
                self.compile(way, forward);
                break;
            }
            let split = self.code.len();
            self.code.push(Do::Matched);
            self.compile(way, forward);
            ends.push(self.code.len());
            self.code.push(Do::Matched);
            let next = self.code.len();
            self.put(split, Do::Split(split + 1, next));
        }
        let out = self.code.len();
        for end in ends {
            self.put(end, Do::Jump(out));
        }
    }

    fn repeat(
        &mut self,
        part: &Part,
        (least, most): (u32, u32),
        greedy: bool,
        groups: (usize, usize),
        forward: bool,
    ) {
        // One register for the number of iterations, one for the position at which the iteration began.
        let counter = self.registers;
        self.registers += 2;
        self.code.push(Do::Count(counter));
        let top = self.code.len();
        self.code.push(Do::Matched);
        self.code.push(Do::Enter(counter, groups));
        self.compile(part, forward);
        self.code.push(Do::Leave(counter, least, top));
        let out = self.code.len();
        self.put(
            top,
            Do::Loop {
                counter,
                least,
                most,
                greedy,
                out,
            },
        );
    }

    /// Finds the first match from a position on.
    pub(super) fn search(
        &self,
        units: &[u16],
        from: usize,
        account: &mut Account,
    ) -> Outcome<Option<Places>> {
        let mut search = Search {
            regular: self,
            units,
            slots: vec![None; (self.groups + 1) * 2],
            registers: vec![0; self.registers],
            steps: 0,
            account,
        };
        for start in from..=units.len() {
            if let (Some(Do::Unit(set, true)), Some(unit)) = (self.code.first(), units.get(start))
                && !set.fits(*unit, self.fold)
            {
                search.step()?;
                continue;
            }
            if let Some(end) = search.run(0, start)? {
                let mut places = vec![Some((start, end))];
                for pair in search.slots.chunks(2).skip(1) {
                    places.push(match pair {
                        [Some(start), Some(end)] => Some((*start, *end)),
                        _ => None,
                    });
                }
                return Ok(Some(places));
            }
        }
        Ok(None)
    }

    fn is_word(&self, units: &[u16], place: Option<usize>) -> bool {
        let unit = place.and_then(|place| units.get(place));
        unit.is_some_and(|unit| self.word.fits(*unit, false))
    }

    fn ends_line(&self, unit: Option<&u16>) -> bool {
        self.lines && unit.is_some_and(|unit| self.line_ends.fits(*unit, false))
    }
}

struct Search<'s> {
    regular: &'s Regular,
    units: &'s [u16],
    slots: Vec<Option<usize>>,
    registers: Vec<usize>,
    steps: usize,
    account: &'s mut Account,
}

impl Search<'_> {
    fn step(&mut self) -> Outcome<()> {
        self.steps += 1;
        if self.steps >= STEPS {
            self.steps = 0;
            self.account.take(1)?;
        }
        Ok(())
    }

    fn slot(&mut self, ways: &mut Vec<Way>, slot: usize, value: Option<usize>) {
        if let Some(old) = self.slots.get_mut(slot) {
            ways.push(Way::Slot(slot, *old));
            *old = value;
        }
    }

    fn register(&mut self, ways: &mut Vec<Way>, register: usize, value: usize) {
        if let Some(old) = self.registers.get_mut(register) {
            ways.push(Way::Register(register, *old));
            *old = value;
        }
    }

    fn counted(&self, register: usize) -> usize {
        self.registers.get(register).copied().unwrap_or(0)
    }

    /// The next code unit, or the previous one if going backward, and the position after it.
    fn unit(&self, at: usize, forward: bool) -> Option<(u16, usize)> {
        let (place, next) = if forward {
            (at, at + 1)
        } else {
            (at.checked_sub(1)?, at - 1)
        };
        Some((*self.units.get(place)?, next))
    }

    /// Runs the instructions from index `code` on. Returns the end of the match.
    fn run(&mut self, code: usize, start: usize) -> Outcome<Option<usize>> {
        let regular = self.regular;
        let mut ways: Vec<Way> = Vec::new();
        let (mut code, mut at) = (code, start);
        loop {
            self.step()?;
            if ways.len() > MOST_WAYS {
                return bound(MEMORY);
            }
            let next = match regular.code.get(code) {
                None | Some(Do::Matched) => return Ok(Some(at)),
                Some(Do::Unit(set, forward)) => match self.unit(at, *forward) {
                    Some((unit, next)) if set.fits(unit, regular.fold) => Some((code + 1, next)),
                    _ => None,
                },
                Some(Do::Run(set, least, most)) => {
                    self.several(&mut ways, code, at, set, *least, *most)?
                }
                Some(Do::Start) => {
                    let before = at.checked_sub(1).and_then(|place| self.units.get(place));
                    (at == 0 || regular.ends_line(before)).then_some((code + 1, at))
                }
                Some(Do::End) => {
                    let end = at == self.units.len() || regular.ends_line(self.units.get(at));
                    end.then_some((code + 1, at))
                }
                Some(Do::Boundary(wanted)) => {
                    let before = regular.is_word(self.units, at.checked_sub(1));
                    let after = regular.is_word(self.units, Some(at));
                    ((before != after) == *wanted).then_some((code + 1, at))
                }
                Some(Do::Back(number, forward)) => {
                    self.again(*number, at, *forward)?.map(|at| (code + 1, at))
                }
                Some(Do::Save(slot)) => {
                    self.slot(&mut ways, *slot, Some(at));
                    Some((code + 1, at))
                }
                Some(Do::Split(first, second)) => {
                    ways.push(Way::Go(*second, at));
                    Some((*first, at))
                }
                Some(Do::Jump(there)) => Some((*there, at)),
                Some(Do::Count(counter)) => {
                    self.register(&mut ways, *counter, 0);
                    Some((code + 1, at))
                }
                Some(Do::Loop {
                    counter,
                    least,
                    most,
                    greedy,
                    out,
                }) => {
                    let count = self.counted(*counter);
                    if count < *least as usize {
                        Some((code + 1, at))
                    } else if count >= *most as usize {
                        Some((*out, at))
                    } else if *greedy {
                        ways.push(Way::Go(*out, at));
                        Some((code + 1, at))
                    } else {
                        ways.push(Way::Go(code + 1, at));
                        Some((*out, at))
                    }
                }
                Some(Do::Enter(counter, (first, end))) => {
                    let count = self.counted(*counter);
                    self.register(&mut ways, *counter, count + 1);
                    self.register(&mut ways, *counter + 1, at);
                    for slot in first * 2..end * 2 {
                        self.slot(&mut ways, slot, None);
                    }
                    Some((code + 1, at))
                }
                Some(Do::Leave(counter, least, top)) => {
                    let beyond = self.counted(*counter) > *least as usize;
                    let empty = self.counted(*counter + 1) == at;
                    (!(beyond && empty)).then_some((*top, at))
                }
                Some(Do::Around { wanted, out }) => {
                    let before = self.slots.clone();
                    let is_match = self.run(code + 1, at)?.is_some();
                    if is_match && *wanted {
                        let after = std::mem::replace(&mut self.slots, before);
                        for (slot, value) in after.into_iter().enumerate() {
                            self.slot(&mut ways, slot, value);
                        }
                    } else {
                        self.slots = before;
                    }
                    (is_match == *wanted).then_some((*out, at))
                }
            };
            match next.or_else(|| self.back(&mut ways)) {
                Some((next, place)) => (code, at) = (next, place),
                None => return Ok(None),
            }
        }
    }

    fn several(
        &mut self,
        ways: &mut Vec<Way>,
        code: usize,
        at: usize,
        set: &Set,
        least: usize,
        most: usize,
    ) -> Outcome<Option<(usize, usize)>> {
        let rest = self.units.get(at..).unwrap_or_default().iter();
        let fold = self.regular.fold;
        let fitting = rest.take(most).take_while(|unit| set.fits(**unit, fold));
        let count = fitting.count();
        self.account.take(count / 32)?;
        if count < least {
            return Ok(None);
        }
        if count > least {
            ways.push(Way::Less {
                next: code + 1,
                least: at + least,
                place: at + count,
            });
        }
        Ok(Some((code + 1, at + count)))
    }

    /// Matches the same text that a group captured.
    fn again(&mut self, number: usize, at: usize, forward: bool) -> Outcome<Option<usize>> {
        let start = self.slots.get(number * 2).copied().flatten();
        let end = self.slots.get(number * 2 + 1).copied().flatten();
        let (Some(start), Some(end)) = (start, end) else {
            return Ok(Some(at));
        };
        let length = end.saturating_sub(start);
        self.account.take(length / 32)?;
        let first = match forward {
            true => at,
            false => match at.checked_sub(length) {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let fold = self.regular.fold;
        let (Some(captured), Some(compared)) = (
            self.units.get(start..end),
            self.units.get(first..first + length),
        ) else {
            return Ok(None);
        };
        let same = captured
            .iter()
            .zip(compared)
            .all(|(a, b)| a == b || fold && upper(*a) == upper(*b));
        Ok(same.then_some(if forward { at + length } else { first }))
    }

    /// Pops the next alternative to try.
    fn back(&mut self, ways: &mut Vec<Way>) -> Option<(usize, usize)> {
        loop {
            match ways.pop()? {
                Way::Go(code, at) => return Some((code, at)),
                Way::Less { next, least, place } => {
                    let place = place - 1;
                    if place > least {
                        ways.push(Way::Less { next, least, place });
                    }
                    return Some((next, place));
                }
                Way::Slot(slot, value) => {
                    if let Some(old) = self.slots.get_mut(slot) {
                        *old = value;
                    }
                }
                Way::Register(register, value) => {
                    if let Some(old) = self.registers.get_mut(register) {
                        *old = value;
                    }
                }
            }
        }
    }
}

/// Line terminators, which `.` does not match.
pub(super) fn line_ends() -> Set {
    Set::of(vec![10..=10, 13..=13, 0x2028..=0x2029])
}
