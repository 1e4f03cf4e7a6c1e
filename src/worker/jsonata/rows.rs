//! Rows: values of a path together with the names that its steps have bound.

use super::account::Outcome;
use super::datum::{Datum, Letters, Names, Row};
use super::evaluate::{Group, Run, duplicate};
use super::function::Frame;
use super::number::{at, literal_place, place_number};
use super::plan::{Direction, Form, Node, Pair, Stage, Step, StepForm};
use indexmap::IndexMap;
use std::rc::Rc;

/// Says which value the first rows are made from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Start {
    /// The rows are made from the input of the path.
    Path,
    /// The rows are made from the result of a step.
    Step,
}

/// The values or rows that the steps so far have produced.
pub(super) enum Flow {
    Value(Datum),
    Rows(Vec<Row>),
}

impl Run {
    /// A scope in which the names of a row are bound.
    fn row_frame(&mut self, row: &Row, frame: &Frame) -> Outcome<Frame> {
        if row.names.bound.is_empty() {
            return Ok(frame.clone());
        }
        let inner = frame.inner();
        for (name, value) in &row.names.bound {
            self.bind(&inner, name, value.clone())?;
        }
        Ok(inner)
    }

    pub(super) fn row_step(
        &mut self,
        step: &Step,
        before: Flow,
        start: Start,
        frame: &Frame,
    ) -> Outcome<Vec<Row>> {
        let rows = match (&step.form, before) {
            (StepForm::Sort(terms), Flow::Rows(rows)) => self.sorted_rows(terms, &rows, frame)?,
            (StepForm::Sort(terms), Flow::Value(value)) => {
                let sorted = self.sorted(terms, &value, frame)?;
                let mut rows = Vec::new();
                for (place, item) in sorted.items().iter().enumerate() {
                    let mut row = Row {
                        value: item.clone(),
                        names: Rc::default(),
                    };
                    self.name_index(step, &mut row, place)?;
                    rows.push(row);
                }
                rows
            }
            (StepForm::Map(node), before) => {
                let before = match before {
                    Flow::Rows(rows) => rows,
                    Flow::Value(value) => first_rows(node, step, &value, start),
                };
                self.mapped_rows(step, node, before, frame)?
            }
        };
        self.staged_rows(step, rows, frame)
    }

    fn name_index(&mut self, step: &Step, row: &mut Row, place: usize) -> Outcome<()> {
        if let Some(name) = &step.index {
            row.names = self.named(&row.names, name, place_number(place))?;
        }
        Ok(())
    }

    fn named(&mut self, names: &Rc<Names>, name: &Letters, value: Datum) -> Outcome<Rc<Names>> {
        self.account.take(2)?;
        self.account.room(names.bound.len() * 48)?;
        Ok(Rc::new(names.with(name, value)))
    }

    fn mapped_rows(
        &mut self,
        step: &Step,
        node: &Node,
        before: Vec<Row>,
        frame: &Frame,
    ) -> Outcome<Vec<Row>> {
        let mut rows = Vec::new();
        self.note_missing(node, before.iter().map(|row| &row.value));
        for from in before {
            let inner = self.row_frame(&from, frame)?;
            let made = self.mapped(node, &from.value, &inner)?;
            if let Datum::Rows(more) = &made {
                for row in more.iter() {
                    let mut names = Rc::clone(&from.names);
                    for (name, value) in &row.names.bound {
                        names = self.named(&names, name, value.clone())?;
                    }
                    self.add_row(&mut rows, row.value.clone(), names)?;
                }
                continue;
            }
            for (place, item) in made.items().iter().enumerate() {
                if item.is_nothing() {
                    continue;
                }
                let mut row = Row {
                    value: item.clone(),
                    names: Rc::clone(&from.names),
                };
                if let Some(name) = &step.focus {
                    row.names = self.named(&row.names, name, item.clone())?;
                    row.value = from.value.clone();
                }
                self.name_index(step, &mut row, place)?;
                if let Some(name) = &step.ancestor {
                    row.names = self.named(&row.names, name, from.value.clone())?;
                }
                self.add_row(&mut rows, row.value, row.names)?;
            }
        }
        Ok(rows)
    }

    fn add_row(&mut self, rows: &mut Vec<Row>, value: Datum, names: Rc<Names>) -> Outcome<()> {
        self.account.take(1)?;
        if rows.len() >= 1024 && rows.len().is_power_of_two() {
            self.account.room(rows.len() * size_of::<Row>() * 2)?;
        }
        rows.push(Row { value, names });
        Ok(())
    }

    fn staged_rows(&mut self, step: &Step, mut rows: Vec<Row>, frame: &Frame) -> Outcome<Vec<Row>> {
        for stage in &step.stages {
            match stage {
                Stage::Filter(predicate) => rows = self.filtered_rows(predicate, &rows, frame)?,
                Stage::Index(name) => {
                    for (place, row) in rows.iter_mut().enumerate() {
                        row.names = self.named(&row.names, name, place_number(place))?;
                    }
                }
            }
        }
        Ok(rows)
    }

    pub(super) fn filtered_rows(
        &mut self,
        predicate: &Node,
        rows: &[Row],
        frame: &Frame,
    ) -> Outcome<Vec<Row>> {
        if let Some(place) = literal_place(predicate) {
            return Ok(at(rows, place).cloned().into_iter().collect());
        }
        let mut passed = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let inner = self.row_frame(row, frame)?;
            let selector = self.value(predicate, &row.value, &inner)?;
            for _ in 0..self.selected(&selector, place, rows.len())? {
                self.add_row(&mut passed, row.value.clone(), Rc::clone(&row.names))?;
            }
        }
        Ok(passed)
    }

    pub(super) fn sorted_rows(
        &mut self,
        terms: &[(Node, Direction)],
        rows: &[Row],
        frame: &Frame,
    ) -> Outcome<Vec<Row>> {
        let mut keys = Vec::new();
        for row in rows {
            let inner = self.row_frame(row, frame)?;
            keys.push(self.sort_keys(terms, &row.value, &inner)?);
        }
        let order = self.order(terms, &keys)?;
        let sorted = order.into_iter().filter_map(|place| rows.get(place));
        Ok(sorted.cloned().collect())
    }

    /// Groups rows into a record. The name of each pair is evaluated for each row, and the rows with the same name are
    /// merged: their values become a list, as do the values of each bound name.
    pub(super) fn grouped_rows(&mut self, pairs: &[Pair], rows: &[Row], frame: &Frame) -> Outcome {
        let mut groups: IndexMap<Letters, (usize, Vec<Row>)> = IndexMap::new();
        for row in rows {
            let inner = self.row_frame(row, frame)?;
            for (place, (name, _)) in pairs.iter().enumerate() {
                let Some(name) = self.group_name(name, &row.value, &inner)? else {
                    continue;
                };
                let (first_place, group) =
                    groups.entry(name.clone()).or_insert((place, Vec::new()));
                if *first_place != place {
                    return duplicate(&name);
                }
                self.add_row(group, row.value.clone(), Rc::clone(&row.names))?;
            }
        }
        let mut members = IndexMap::new();
        for (name, (place, group)) in groups {
            let Some((_, value)) = pairs.get(place) else {
                continue;
            };
            let row = self.merged(&group)?;
            let inner = self.row_frame(&row, frame)?;
            let value = self.value(value, &row.value, &inner)?;
            if !value.is_nothing() {
                members.insert(name, value);
            }
        }
        self.account.record(members)
    }

    fn merged(&mut self, rows: &[Row]) -> Outcome<Row> {
        let mut value: Option<Group> = None;
        let mut names: IndexMap<Letters, Group> = IndexMap::new();
        for row in rows {
            match &mut value {
                None => value = Some(Group::One(row.value.clone())),
                Some(group) => group.add(&row.value, &mut self.account)?,
            }
            for (name, bound) in &row.names.bound {
                match names.get_mut(&**name) {
                    None => drop(names.insert(name.clone(), Group::One(bound.clone()))),
                    Some(group) => group.add(bound, &mut self.account)?,
                }
            }
        }
        let mut bound = Rc::new(Names::default());
        for (name, group) in names {
            let value = group.value(&mut self.account)?;
            bound = self.named(&bound, &name, value)?;
        }
        Ok(Row {
            value: value.map_or(Ok(Datum::Nothing), |group| group.value(&mut self.account))?,
            names: bound,
        })
    }
}

/// The first rows of a path: one row per item. If the path begins with a variable, the variable's value is a single
/// row.
pub(super) fn first_rows(node: &Node, step: &Step, value: &Datum, start: Start) -> Vec<Row> {
    let row = |value: &Datum| Row {
        value: value.clone(),
        names: Rc::default(),
    };
    let whole = start == Start::Path
        && step.focus.is_none()
        && matches!(node.form, Form::Input | Form::Root | Form::Variable(_));
    match value {
        Datum::List(list) if !whole => list.iter().map(row).collect(),
        // A path that begins with a variable needs no input.
        other => vec![row(other)],
    }
}
