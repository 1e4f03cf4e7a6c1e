//! The state pane: details that depend on the type of the state, such as retriers, catchers, rules, items or a
//! deadline.

use super::block::state_of;
use super::end_line::{end_lines, left_out_lines, went_well};
use super::handling_line::handling_lines;
use super::line::{count, span_of_time};
use super::list::List;
use super::rule_line::{choice_lines, deciding, to_be_taken};
use super::state_line::{Row, StateRows, difference_lines};
use super::state_line::{
    detail_lines, item_lines, lane_lines, not_entered, summary_lines, wait_lines,
};
use super::task_line::next_answer;
use super::{Click, Motion, Paint, Surface};
use crate::definition::{StateId, Unit};
use crate::interpreter::FrameId;
use crate::session::view::{HandlingView, OperandView, RetrierView, StatePane as Content, reason};
use crate::source::Span;
use crate::tui::fit::clip;
use crate::tui::theme::Role;
use crate::wording;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The state pane.
#[derive(Clone, Debug, Default)]
pub struct StatePane {
    of: Option<StateId>,
    list: List<Row>,
    /// True if not all rules of a Choice fit, so that the less important rules take one row each.
    folded: bool,
}

impl StatePane {
    fn note_position(&mut self, paint: &Paint) {
        let state = paint.view.data.state;
        if self.of != state {
            self.of = state;
            self.list.reset();
        }
    }

    /// The rows of the pane, for the width at the last draw.
    fn rows<'p>(&self, paint: &Paint<'p>) -> StateRows<'p> {
        self.made(paint, self.list.width)
    }

    fn made<'p>(&self, paint: &Paint<'p>, cells: usize) -> StateRows<'p> {
        let mut rows = StateRows::new(paint.glyphs, cells);
        let view = paint.view;
        // After the end of the run, the first row of the summary is selected by default.
        rows.start_at(taken(&view.state).filter(|_| view.end.is_none()));
        let recorded = view.recorded.as_ref();
        if let Some(difference) = recorded.and_then(|recorded| recorded.difference.as_ref())
            && view.header.event >= difference.number
        {
            difference_lines(paint, difference, &mut rows);
        }
        if let Some(end) = &view.end {
            end_lines(paint, end, &mut rows);
        }
        let plain = match &view.state {
            Content::Nothing => true,
            Content::Task(handling) => is_plain(handling),
            _ => false,
        };
        let state = view.data.state.and_then(|id| paint.definition.state(id));
        // After the summary of the run, the rows about the state need a heading, unless they begin with a heading
        // anyway.
        let is_alike = plain || matches!(view.state, Content::Wait { .. });
        if let Some(state) = state.filter(|_| is_alike && view.end.is_some()) {
            rows.title(&state.name, "");
        }
        // For a state without retriers and catchers, the detail rows below already say that the state was not entered.
        if view.data.state.is_some() && view.data.visit.is_none() && !plain {
            rows.note(0, not_entered(paint), Role::Dim);
        }
        match &view.state {
            Content::Nothing => match state {
                None => rows.note(0, "not reached", Role::Dim),
                Some(state) => detail_lines(paint, state, &mut rows),
            },
            Content::Task(handling) => {
                if let Some(mock) = &view.to_come.next {
                    next_answer(paint, mock, &mut rows);
                }
                handling_lines(paint, handling, &mut rows);
                if let Some(state) = state.filter(|_| is_plain(handling)) {
                    detail_lines(paint, state, &mut rows);
                }
            }
            Content::Choice(rules) => {
                if rules.is_empty() {
                    rows.note(0, "no rules", Role::Dim);
                }
                let selected = match self.list.selection() {
                    Some(Row::Rule(place) | Row::Test(place, _)) => Some(*place),
                    _ => None,
                };
                choice_lines(paint, rules, (selected, self.folded), &mut rows);
            }
            Content::Wait { .. } => wait_lines(paint, &view.state, &mut rows),
            Content::Parallel { lanes, handling } => {
                if lanes.is_empty() {
                    rows.note(0, "no branch has started", Role::Dim);
                }
                lane_lines(paint, lanes, &mut rows);
                handling_lines(paint, handling, &mut rows);
            }
            Content::Map {
                items,
                summary,
                total,
                fitting,
                filter,
                column,
                no_items,
                handling,
            } => {
                let unit = unit(paint);
                if let Some(none) = no_items {
                    // After the end of the run, the banner explains why there are no items.
                    let text = match view.end {
                        Some(_) => format!("no {items}", items = unit.plural()),
                        None => wording::no_items(none, unit).to_string(),
                    };
                    rows.note(0, &text, Role::Warning);
                } else if items.is_empty() && summary.is_empty() {
                    rows.note(0, &format!("no {unit} has started"), Role::Dim);
                } else {
                    summary_lines(paint, summary, unit.counted(*total), &mut rows);
                }
                if let Some(fitting) = fitting {
                    let items = unit.counted(*total);
                    let text = format!(
                        "{fitting} of {items} contain \"{filter}\"; / without a text shows all"
                    );
                    rows.note(0, &text, Role::Dim);
                }
                if let Some(expression) = column {
                    rows.note(0, &format!("with {expression}"), Role::Dim);
                }
                item_lines(paint, items, *total, &mut rows);
                let all = fitting.unwrap_or(*total) as usize;
                if items.len() < all {
                    let more = all - items.len();
                    let text = format!("and {more} more, not listed; / filters");
                    rows.note(2, &text, Role::Dim);
                }
                handling_lines(paint, handling, &mut rows);
            }
        }
        // If the run failed, the failed state is more important than the states that were not reached, so the rows
        // about unreached states come last.
        if let Some(end) = view.end.as_ref().filter(|_| !went_well(paint)) {
            left_out_lines(paint, end, &mut rows);
        }
        rows
    }

    /// The selected row.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<Row> {
        match self.of == paint.view.data.state {
            true => self.list.selected(&self.rows(paint)),
            // The user selected the row in another state, so in this state the default row is selected.
            false => List::default().selected(&self.rows(paint)),
        }
    }

    /// Frame of the selected item or branch, while it is running.
    #[must_use]
    pub fn frame(&self, paint: &Paint) -> Option<FrameId> {
        match (self.selected(paint)?, &paint.view.state) {
            (Row::Item(index), Content::Map { items, .. }) => {
                items
                    .iter()
                    .find(|item| item.lane.index == index)?
                    .lane
                    .frame
            }
            (Row::Lane(index), Content::Parallel { lanes, .. }) => {
                lanes.iter().find(|lane| lane.index == index)?.frame
            }
            _ => None,
        }
    }

    /// The test of a Choice for which the user can ask where the tested value comes from: the selected test, or the
    /// most informative test of the selected rule.
    #[must_use]
    pub fn test<'v>(&self, paint: &Paint<'v>) -> Option<&'v OperandView> {
        let Content::Choice(rules) = &paint.view.state else {
            return None;
        };
        let explaining = match self.selected(paint)? {
            // For Default, the tests of the rules explain why Default was followed.
            Row::Rule(place) if rules.get(place)?.index.is_none() => {
                Some(reason(rules, place)?.test)
            }
            Row::Rule(place) => rules.get(place)?.telling(),
            Row::Test(place, test) => rules.get(place)?.operands.get(test),
            _ => None,
        };
        explaining.filter(|test| !test.paths.is_empty())
    }

    /// Selects this row; the selection is valid while the pane shows `state`.
    pub fn select(&mut self, state: Option<StateId>, row: Row) {
        *self = Self::default();
        self.of = state;
        self.list.select(row);
    }

    /// Location of the selected row in the source.
    #[must_use]
    pub fn span(&self, paint: &Paint) -> Option<Span> {
        let handling = match &paint.view.state {
            Content::Task(handling)
            | Content::Parallel { handling, .. }
            | Content::Map { handling, .. } => Some(handling),
            _ => None,
        };
        match (self.selected(paint)?, &paint.view.state) {
            (Row::Retrier(place), _) => Some(handling?.retriers.get(place)?.span),
            (Row::Catcher(place), _) => Some(handling?.catchers.get(place)?.span),
            (Row::Rule(place), Content::Choice(rules)) => rules.get(place)?.span,
            (Row::Test(place, test), Content::Choice(rules)) => {
                let rule = rules.get(place)?;
                rule.operands.get(test)?.span.or(rule.span)
            }
            (Row::LeftOut(state, _), _) => Some(paint.definition.state(state)?.name_span),
            _ => None,
        }
    }
}

impl Surface for StatePane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        self.note_position(paint);
        self.folded = false;
        let whole = self.made(paint, area.width.into());
        let fits = whole.len() <= area.height.into();
        self.folded = !fits && matches!(paint.view.state, Content::Choice(_));
        let rows = match self.folded {
            true => self.made(paint, area.width.into()),
            false => whole,
        };
        self.list
            .draw(rows, (paint.brush(), paint.focused), area, buffer);
    }

    fn title(&self, paint: &Paint) -> (String, String) {
        let left = match state_of(paint) {
            Some(state) => {
                let name = clip(&state.name, 32, paint.glyphs);
                format!("{}  {name}", state.caption())
            }
            None => "State".to_owned(),
        };
        let handled = |handling: &HandlingView| {
            let parts = [
                (handling.retriers.len(), "retrier"),
                (handling.catchers.len(), "catcher"),
            ];
            let parts = parts.into_iter().filter(|(number, _)| *number > 0);
            let words: Vec<String> = parts.map(|(number, word)| count(number, word)).collect();
            words.join(", ")
        };
        let right = match &paint.view.state {
            Content::Nothing => String::new(),
            Content::Task(handling) => handled(handling),
            Content::Choice(rules) => {
                let rules = rules.iter().filter(|rule| rule.index.is_some()).count();
                count(rules, "rule")
            }
            Content::Wait {
                no_wait: Some(_), ..
            } => "does not wait".to_owned(),
            Content::Wait { since, until, .. } => until.map_or_else(String::new, |until| {
                span_of_time(until.saturating_sub(*since))
            }),
            Content::Parallel { lanes, .. } => match lanes.len() {
                1 => "1 branch".to_owned(),
                number => format!("{number} branches"),
            },
            Content::Map {
                total: 0,
                no_items: None,
                ..
            } => String::new(),
            Content::Map { total, .. } => unit(paint).counted(*total),
        };
        (left, right)
    }

    fn hidden(&self) -> (usize, usize) {
        self.list.hidden()
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.note_position(paint);
        let rows = self.rows(paint);
        self.list.motion(&rows, motion);
    }

    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        self.note_position(paint);
        let rows = self.rows(paint);
        match self.list.click(&rows, area, at.y) {
            Some(_) => self.frame(paint).map_or(Click::Selected, Click::Frame),
            None => Click::Nothing,
        }
    }
}

/// The unit for which the Map runs its processor: an item, a batch or another element.
fn unit(paint: &Paint) -> Unit {
    let map = paint.view.data.state;
    map.map_or(Unit::Item, |id| paint.definition.unit(id))
}

/// True if the state has no retriers and no catchers.
fn is_plain(handling: &HandlingView) -> bool {
    handling.retriers.is_empty() && handling.catchers.is_empty()
}

fn taken(content: &Content) -> Option<Row> {
    match content {
        Content::Task(handling) => {
            let retrier_of =
                |is: &dyn Fn(&RetrierView) -> bool| handling.retriers.iter().position(is);
            let retrier = retrier_of(&|retrier| retrier.takes)
                .or_else(|| retrier_of(&|retrier| retrier.is_close));
            let catcher = handling.catchers.iter().position(|catcher| catcher.takes);
            retrier.map(Row::Retrier).or(catcher.map(Row::Catcher))
        }
        Content::Choice(rules) => deciding(rules)
            .or_else(|| to_be_taken(rules))
            .map(Row::Rule),
        _ => None,
    }
}
