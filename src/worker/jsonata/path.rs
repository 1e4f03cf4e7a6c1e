//! Evaluates paths. Each step is applied to every item of the previous step's result. Steps can also filter, sort or
//! group items, or bind names; values together with their bound names are rows.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Items, List};
use super::evaluate::{Run, comparable_bytes};
use super::function::Frame;
use super::number::{at, index, is_place, literal_place};
use super::plan::{Direction, Form, Node, Pair, Path, Stage, Step, StepForm, evaluates_once};
use super::rows::{Flow, Start, first_rows};
use crate::json;
use crate::query::trace::Role;
use std::cmp::Ordering;
use std::rc::Rc;

impl Run {
    pub(super) fn path(
        &mut self,
        path: &Path,
        group: Option<&[Pair]>,
        input: &Datum,
        frame: &Frame,
    ) -> Outcome {
        let mut flow = Flow::Value(input.clone());
        for (place, step) in path.steps.iter().enumerate() {
            // A first step that produces rows, and whose node a path evaluates only once, is evaluated for the whole
            // input.
            if let (0, true, StepForm::Map(node)) = (place, step.rows, &step.form)
                && evaluates_once(node)
            {
                let made = self.with_rows(node, input, frame)?;
                let from = if step.focus.is_none() {
                    made
                } else {
                    input.clone()
                };
                flow = Flow::Rows(first_rows(node, step, &from, Start::Step));
                continue;
            }
            let start = if place == 0 { Start::Path } else { Start::Step };
            flow = match flow {
                Flow::Value(value) if !step.rows => {
                    let value = self.step(step, &value, Place::of(place, &path.steps), frame)?;
                    if value.is_nothing() || matches!(&value, Datum::List(list) if list.is_empty())
                    {
                        flow = Flow::Value(value);
                        break;
                    }
                    match value {
                        Datum::Rows(rows) => Flow::Rows(Rc::unwrap_or_clone(rows)),
                        value => Flow::Value(value),
                    }
                }
                before => Flow::Rows(self.row_step(step, before, start, frame)?),
            };
        }
        let mut value = match flow {
            Flow::Rows(rows) if path.rows && group.is_none() => {
                return Ok(Datum::Rows(Rc::new(rows)));
            }
            Flow::Rows(rows) => {
                if let Some(pairs) = group {
                    return self.grouped_rows(pairs, &rows, frame);
                }
                let mut items = Items::default();
                for row in rows {
                    self.account.push(&mut items, row.value)?;
                }
                self.account.sequence(items)?
            }
            Flow::Value(value) => value,
        };
        if path.keep {
            value = kept(value);
        }
        match group {
            Some(pairs) => self.grouped(pairs, &value, frame),
            None => Ok(value),
        }
    }

    /// Evaluates a step, which binds no names, for each item of a value.
    fn step(&mut self, step: &Step, value: &Datum, place: Place, frame: &Frame) -> Outcome {
        let node = match &step.form {
            StepForm::Sort(terms) => {
                let sorted = self.sorted(terms, value, frame)?;
                return self.staged(step, sorted, frame);
            }
            StepForm::Map(node) => node,
        };
        if place.first && evaluates_once(node) {
            let value = self.with_rows(node, value, frame)?;
            return Ok(match value {
                // A result that is not a list counts only in the last step of the path or before a sort; elsewhere it
                // is dropped.
                Datum::List(_) | Datum::Rows(_) => value,
                other if place.last || place.before_sort => other,
                _ => Datum::Nothing,
            });
        }
        let whole =
            place.first && matches!(node.form, Form::Input | Form::Root | Form::Variable(_));
        let single;
        let items = match value {
            Datum::List(list) if !whole => &list[..],
            Datum::Nothing if !place.first => &[],
            other => {
                single = [other.clone()];
                &single[..]
            }
        };
        let mut results = Items::default();
        for item in items {
            let made = self.mapped(node, item, frame)?;
            let made = self.staged(step, made, frame)?;
            if !made.is_nothing() {
                self.account.push(&mut results, made)?;
            }
        }
        if results.len() < items.len() {
            self.note_missing(node, items.iter());
        }
        self.collected(results, place.last)
    }

    /// Records for the trace how many of a step's input values lack the member that the step names.
    pub(super) fn note_missing<'d>(
        &mut self,
        node: &Node,
        items: impl ExactSizeIterator<Item = &'d Datum>,
    ) {
        if let (Form::Member(name), Some(tracer)) = (&node.form, &mut self.tracer) {
            let count = items.len();
            let lacks = |item: &&Datum| match item {
                Datum::Record(record, _) => record.get(name).is_none(),
                Datum::List(_) => false,
                _ => true,
            };
            let mut without = items.filter(lacks);
            if let Some(first) = without.next() {
                let step = json::Step::Member((&**name).into());
                tracer.misses(first, step, without.count() + 1, count);
            }
        }
    }

    /// Evaluates the expression of a step for one item of the step's input.
    pub(super) fn mapped(&mut self, node: &Node, item: &Datum, frame: &Frame) -> Outcome {
        if let Form::Member(name) = &node.form
            && let Datum::Record(record, _) = item
        {
            self.account.take(1)?;
            self.leaf()?;
            return Ok(record.get(name).cloned().unwrap_or_default());
        }
        self.with_rows(node, item, frame)
    }

    fn staged(&mut self, step: &Step, mut value: Datum, frame: &Frame) -> Outcome {
        for stage in &step.stages {
            if let Stage::Filter(predicate) = stage {
                value = self.filtered(predicate, value, frame)?;
            }
        }
        Ok(value)
    }

    /// Combines the results that a step has for its items into one list. Results that are lists are replaced by their
    /// items, unless they have the flag `whole`.
    fn collected(&mut self, results: Items, last: bool) -> Outcome {
        if let [Datum::List(list)] = &results[..] {
            if last && !list.sequence {
                return Ok(Datum::List(list.clone()));
            }
            if !list.whole {
                return Ok(Datum::List(list.as_sequence()));
            }
        }
        if let [Datum::Rows(rows)] = &results[..] {
            return Ok(Datum::Rows(Rc::clone(rows)));
        }
        let flat = |item: &Datum| matches!(item, Datum::List(list) if !list.whole);
        if !results.iter().any(flat) {
            return self.account.sequence(results);
        }
        let mut items = Items::default();
        for result in results.iter() {
            match result {
                Datum::List(list) if !list.whole => self.account.extend(&mut items, list)?,
                other => self.account.push(&mut items, other.clone())?,
            }
        }
        self.account.sequence(items)
    }

    /// The items that a predicate selects: those for which it is true, or those whose indexes it returns.
    pub(super) fn filtered(&mut self, predicate: &Node, value: Datum, frame: &Frame) -> Outcome {
        if let Datum::Rows(rows) = &value {
            let rows = self.filtered_rows(predicate, rows, frame)?;
            return Ok(Datum::Rows(Rc::new(rows)));
        }
        let nothing = [Datum::Nothing];
        let items = match &value {
            Datum::Nothing => &nothing[..],
            other => other.items(),
        };
        if let Some(place) = literal_place(predicate) {
            return Ok(match at(items, place) {
                None | Some(Datum::Nothing) => {
                    if let (Some(tracer), true) = (&mut self.tracer, place >= 0.0) {
                        let step = json::Step::Item(index(place));
                        tracer.misses(&value, step, 1, 1);
                    }
                    Datum::Nothing
                }
                Some(Datum::List(list)) => Datum::List(list.clone()),
                Some(item) => {
                    let mut passed = Items::default();
                    passed.push(item.clone());
                    self.account.sequence(passed)?
                }
            });
        }
        let mut passed = Items::default();
        for (place, item) in items.iter().enumerate() {
            let selector = self.value(predicate, item, frame)?;
            for _ in 0..self.selected(&selector, place, items.len())? {
                if !item.is_nothing() {
                    self.account.push(&mut passed, item.clone())?;
                }
            }
        }
        if let (Some(tracer), true) = (&mut self.tracer, passed.is_empty()) {
            tracer.reads(&value, Role::Operand);
        }
        self.account.sequence(passed)
    }

    /// Number of times that the value of a predicate selects an item of a list. `place` is the item's index; a
    /// predicate that is a list of indexes can contain it several times.
    pub(super) fn selected(
        &mut self,
        selector: &Datum,
        place: usize,
        count: usize,
    ) -> Outcome<usize> {
        match selector {
            Datum::Number(number, _) => Ok(usize::from(is_place(*number, place, count))),
            Datum::List(list) if list.iter().all(|item| matches!(item, Datum::Number(_, _))) => {
                self.account.take(list.len() / 4)?;
                let hits = list.iter().filter(
                    |item| matches!(item, Datum::Number(number, _) if is_place(*number, place, count)),
                );
                Ok(hits.count())
            }
            other => self.account.truth(other).map(usize::from),
        }
    }

    /// The member with this name of a record. For a list, the members of all its items.
    pub(super) fn member(&mut self, input: &Datum, name: &str) -> Outcome {
        match input {
            Datum::Record(record, _) => Ok(record.get(name).cloned().unwrap_or_default()),
            Datum::List(list) => {
                let mut values = Items::default();
                for item in list.iter() {
                    self.account.take(1)?;
                    let made = match item {
                        Datum::List(_) => self.deeper(|run| run.member(item, name))?,
                        other => self.member(other, name)?,
                    };
                    // If the result for an item is a list, its items are added, not the list.
                    match made {
                        Datum::Nothing => {}
                        Datum::List(more) => self.account.extend(&mut values, &more)?,
                        other => self.account.push(&mut values, other)?,
                    }
                }
                if values.is_empty() {
                    return Ok(Datum::Nothing);
                }
                self.account.sequence(values)
            }
            _ => Ok(Datum::Nothing),
        }
    }

    pub(super) fn wildcard(&mut self, input: &Datum) -> Outcome {
        let mut values = Items::default();
        let mut lists = false;
        match input {
            Datum::Record(record, _) => {
                for member in record.members().values() {
                    lists |= self.flattened(member, &mut values)?;
                }
            }
            Datum::List(list) => {
                for item in list.iter() {
                    lists |= self.flattened(item, &mut values)?;
                }
            }
            _ => return Ok(Datum::Nothing),
        }
        if lists {
            return self.account.list(values);
        }
        self.account.sequence(values)
    }

    fn flattened(&mut self, value: &Datum, values: &mut Items) -> Outcome<bool> {
        self.account.take(1)?;
        match value {
            Datum::List(list) => {
                for item in list.iter() {
                    self.flattened(item, values)?;
                }
                Ok(true)
            }
            other => {
                self.account.push(values, other.clone())?;
                Ok(false)
            }
        }
    }

    pub(super) fn descendants(&mut self, input: &Datum) -> Outcome {
        let mut values = Items::default();
        self.descend(input, &mut values)?;
        if let [only] = &values[..] {
            return Ok(only.clone());
        }
        self.account.sequence(values)
    }

    fn descend(&mut self, value: &Datum, values: &mut Items) -> Outcome<()> {
        self.account.take(1)?;
        match value {
            Datum::Nothing => {}
            Datum::List(list) => {
                for item in list.iter() {
                    self.descend(item, values)?;
                }
            }
            Datum::Record(record, _) => {
                self.account.push(values, value.clone())?;
                for member in record.members().values() {
                    self.descend(member, values)?;
                }
            }
            other => self.account.push(values, other.clone())?,
        }
        Ok(())
    }

    /// Sorts items by the keys that the terms compute: by the first key, and if the keys are equal by the next one.
    pub(super) fn sorted(
        &mut self,
        terms: &[(Node, Direction)],
        value: &Datum,
        frame: &Frame,
    ) -> Outcome {
        if let Datum::Rows(rows) = value {
            let rows = self.sorted_rows(terms, rows, frame)?;
            return Ok(Datum::Rows(Rc::new(rows)));
        }
        let items = value.items();
        let mut keys = Vec::new();
        for item in items {
            keys.push(self.sort_keys(terms, item, frame)?);
        }
        if items.len() < 2 {
            return match value {
                Datum::List(list) => Ok(Datum::List(list.as_sequence())),
                Datum::Nothing => Ok(Datum::Nothing),
                other => {
                    let mut only = Items::default();
                    only.push(other.clone());
                    self.account.sequence(only)
                }
            };
        }
        let order = self.order(terms, &keys)?;
        let mut sorted = self.account.items(items.len())?;
        for item in order.into_iter().filter_map(|place| items.get(place)) {
            sorted.push(item.clone());
        }
        self.account.list(sorted)
    }

    pub(super) fn sort_keys(
        &mut self,
        terms: &[(Node, Direction)],
        item: &Datum,
        frame: &Frame,
    ) -> Outcome<Items> {
        let mut keys = Items::default();
        for (term, _) in terms {
            let key = self.value(term, item, frame)?;
            self.account.push(&mut keys, key)?;
        }
        Ok(keys)
    }

    /// Returns the indexes of the items in sorted order. `keys` has the keys of each item, one per term. All keys of a
    /// term must be numbers, or all must be text.
    pub(super) fn order(
        &mut self,
        terms: &[(Node, Direction)],
        keys: &[Items],
    ) -> Outcome<Vec<usize>> {
        let places = (0..keys.len()).collect();
        self.merge_sorted(places, &mut |run, left, right| {
            let (Some(left), Some(right)) = (keys.get(left), keys.get(right)) else {
                return Ok(false);
            };
            for ((left, right), (_, direction)) in left.iter().zip(right.iter()).zip(terms) {
                run.account.scan(comparable_bytes(left, right))?;
                let ordering = match (left, right) {
                    (Datum::Nothing, Datum::Nothing) => continue,
                    (Datum::Nothing, _) => return Ok(true),
                    (_, Datum::Nothing) => return Ok(false),
                    (Datum::Number(left, _), Datum::Number(right, _)) => {
                        left.partial_cmp(right).unwrap_or(Ordering::Equal)
                    }
                    (Datum::Text(left, _), Datum::Text(right, _)) => (**left).cmp(&**right),
                    (Datum::Number(_, _) | Datum::Text(_, _), Datum::Number(_, _) | Datum::Text(_, _)) => {
                                                let (left, right) = (run.shown_in_error(left), run.shown_in_error(right));
                        return thrown(format!(
                            "T2007: Type mismatch when comparing values {left} and {right} in order-by clause"
                        ));
                    }
                    _ => {
                        return thrown(
                            "T2008: The expressions within an order-by clause must evaluate to numeric or string values",
                        );
                    }
                };
                let ordering = match direction {
                    Direction::Ascending => ordering,
                    Direction::Descending => ordering.reverse(),
                };
                if ordering.is_ne() {
                    return Ok(ordering.is_gt());
                }
            }
            Ok(false)
        })
    }

    /// Sorts indexes; equal ones keep their order. `after` tells whether the first index belongs after the second.
    pub(super) fn merge_sorted(
        &mut self,
        mut places: Vec<usize>,
        after: &mut dyn FnMut(&mut Self, usize, usize) -> Outcome<bool>,
    ) -> Outcome<Vec<usize>> {
        if places.len() < 2 {
            return Ok(places);
        }
        self.account.take(places.len() / 8)?;
        self.account.room(places.len() * 16)?;
        let right = places.split_off(places.len() / 2);
        let left = self.merge_sorted(places, after)?;
        let right = self.merge_sorted(right, after)?;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
            if after(self, *first, *second)? {
                merged.extend(right.next());
            } else {
                merged.extend(left.next());
            }
        }
        merged.extend(left);
        merged.extend(right);
        Ok(merged)
    }
}

/// The position of a step in its path: flags for the first step, for the last step, and for a step before a sort.
#[derive(Clone, Copy)]
struct Place {
    first: bool,
    last: bool,
    before_sort: bool,
}

impl Place {
    fn of(place: usize, steps: &[Step]) -> Self {
        let next = steps.get(place + 1).map(|step| &step.form);
        Self {
            first: place == 0,
            last: next.is_none(),
            before_sort: matches!(next, Some(StepForm::Sort(_))),
        }
    }
}

fn kept(value: Datum) -> Datum {
    let mut list = match value {
        Datum::Nothing => return Datum::Nothing,
        Datum::List(list) if !list.whole || list.sequence => list,
        other => {
            let mut items = Items::default();
            items.push(other);
            let mut list = List::new(items);
            list.sequence = true;
            list
        }
    };
    list.keep = true;
    Datum::List(list)
}
