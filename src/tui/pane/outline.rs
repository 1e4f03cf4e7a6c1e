//! The states as an indented list, and texts about states and edges for both views of the graph pane.

use super::breakpoints::{breakpoint_mark, finding_mark};
use super::line::{Line, clock, count, span_of_time};
use super::list::{List, Rows};
use super::{Click, Motion, Paint, Surface};
use crate::definition::{State, StateId, StateKind, Target, Transition};
use crate::graph::{OutlineRow, outline};
use crate::interpreter::{Edge, Millis};
use crate::session::Stop;
use crate::session::view::{RunStatus, StatePane, StateStatus, StateView, TaskView};
use crate::source::Node;
use crate::tui::fit::{clip, width};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The rows of the list for a definition, kept until the definition changes.
#[derive(Clone, Debug)]
struct Cache {
    of: Arc<Node>,
    rows: Arc<[OutlineRow]>,
}

/// The graph pane's view as an indented list.
#[derive(Clone, Debug, Default)]
pub struct OutlinePane {
    cache: Option<Cache>,
    drawn_at: Option<StateId>,
    list: List<StateId>,
    folded: BTreeSet<StateId>,
}

impl OutlinePane {
    /// The states that are not inside a folded container.
    fn shown(&mut self, paint: &Paint) -> Vec<OutlineRow> {
        if self.drawn_at != paint.view.current {
            self.drawn_at = paint.view.current;
            self.list.reset();
        }
        let node = &paint.definition.node;
        let kept = self.cache.as_ref();
        let kept = kept.filter(|cache| Arc::ptr_eq(&cache.of, node));
        let rows = match kept {
            Some(cache) => cache.rows.clone(),
            None => {
                let rows: Arc<[OutlineRow]> = outline(paint.definition).into();
                self.cache = Some(Cache {
                    of: node.clone(),
                    rows: rows.clone(),
                });
                rows
            }
        };
        let mut hidden_below = None;
        let shown = rows.iter().filter(|row| {
            if hidden_below.is_some_and(|depth| row.depth > depth) {
                return false;
            }
            hidden_below = self.folded.contains(&row.state).then_some(row.depth);
            true
        });
        shown.copied().collect()
    }

    fn rows<'p>(&mut self, paint: &'p Paint<'p>, cells: usize) -> Rows<'p, StateId> {
        let shown = self.shown(paint);
        let mut rows = Rows::new(paint.glyphs, cells);
        if shown.is_empty() {
            rows.note(0, "no states", Role::Dim);
        }
        // If the selected state is inside a folded container, the innermost visible container around it is selected
        // instead.
        let seen = |state| visible(paint, &shown, state);
        if let Some(state) = self.list.selection().and_then(|state| seen(*state)) {
            self.list.select(state);
        }
        rows.start_at(paint.view.current.and_then(seen));
        let names = shown.iter().map(|row| {
            let state = paint.definition.state(row.state);
            let name_width = state.map_or(0, |state| width(&state.name));
            let mark = if is_group(paint, row.state) { 2 } else { 0 };
            name_width + row.depth * 2 + mark
        });
        let names = names.max().unwrap_or(0).min(cells / 2);
        for row in shown {
            let is_folded = self.folded.contains(&row.state);
            rows.later(row.state, move || line(paint, row, is_folded, names, cells));
        }
        rows
    }

    /// The state that the user selected, otherwise the current state of the run.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<StateId> {
        let unmoved = self.drawn_at == paint.view.current;
        let selected = self.list.selection().copied().filter(|_| unmoved);
        let is_defined = |state: &StateId| paint.definition.state(*state).is_some();
        selected.filter(is_defined).or(paint.view.current)
    }

    /// Selects a state and shows it.
    pub fn select(&mut self, paint: &Paint, state: StateId) {
        self.shown(paint);
        self.list.select(state);
        for state in paint.definition.around(state) {
            self.folded.remove(&state);
        }
    }
}

impl Surface for OutlinePane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let rows = self.rows(paint, area.width.into());
        let brush = (paint.brush(), paint.focused);
        self.list.draw(rows, brush, area, buffer);
    }

    fn title(&self, paint: &Paint) -> (String, String) {
        (
            "States".to_owned(),
            state_title(paint, self.selected(paint)),
        )
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        let rows = self.rows(paint, self.list.width);
        let selected = self.list.selected(&rows);
        match (motion, selected) {
            (Motion::Left, Some(state)) => {
                let folds = is_group(paint, state) && self.folded.insert(state);
                let around = paint.definition.around(state).next().filter(|_| !folds);
                self.list.select(around.unwrap_or(state));
            }
            (Motion::Right, Some(state)) => drop(self.folded.remove(&state)),
            _ => self.list.motion(&rows, motion),
        }
    }

    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        let rows = self.rows(paint, area.width.into());
        let Some(state) = self.list.click(&rows, area, at.y) else {
            return Click::Nothing;
        };
        let mut shown = self.shown(paint).into_iter();
        let hit = shown.find(|row| row.state == state);
        let fold = hit.map(|row| before_fold(&row, area.width.into()));
        if is_group(paint, state) && fold == Some(usize::from(at.x - area.x)) {
            self.toggle_fold(paint);
            return Click::Folded;
        }
        Click::State(state)
    }

    fn toggle_fold(&mut self, paint: &Paint) {
        let Some(state) = self.selected(paint) else {
            return;
        };
        if !self.folded.remove(&state) {
            self.folded.insert(state);
        }
    }

    fn follow(&mut self) {
        self.list.reset();
    }
}

pub(super) fn is_group(paint: &Paint, state: StateId) -> bool {
    let state = paint.definition.state(state);
    state.is_some_and(|state| !state.inner().is_empty())
}

/// The state itself if it is in the list, otherwise the innermost container around it that is in the list.
fn visible(paint: &Paint, shown: &[OutlineRow], state: StateId) -> Option<StateId> {
    let mut all = std::iter::once(state).chain(paint.definition.around(state));
    all.find(|state| shown.iter().any(|row| row.state == *state))
}

/// Number of cells in a row before its fold mark, the symbol that shows whether the row is folded.
fn before_fold(row: &OutlineRow, cells: usize) -> usize {
    let branch = row.branch.filter(|_| row.first);
    let branch = branch.map_or(0, |branch| branch.to_string().len() + 3);
    6 + (row.depth * 2).min(cells / 3) + branch
}

/// Row of a state with its type, next state and status.
fn line(paint: &Paint, row: OutlineRow, is_folded: bool, names: usize, cells: usize) -> Line {
    let glyphs = paint.glyphs;
    let Some(state) = paint.definition.state(row.state) else {
        return Line::new();
    };
    let view = paint.view.of_state(row.state);
    let view = view.cloned().unwrap_or_default();
    let here = paint.view.current == Some(row.state);
    let reached = paint.reached.map(|reached| reached.state(row.state));
    let (sign, status) = paint.mark_of(row.state);
    let name = if here {
        Role::Title
    } else if view.status == StateStatus::NotReached {
        status
    } else {
        Role::Text
    };
    let (mark, mark_role) = point_mark(paint, row.state);
    let fold = match (state.inner().is_empty(), is_folded) {
        (true, _) => "",
        (false, true) => glyphs.folded,
        (false, false) => glyphs.unfolded,
    };
    let mut line = Line::new()
        .cell(if here { glyphs.here } else { "" }, 2, Role::Mark)
        .cell(mark, 1, mark_role)
        .cell(sign, 3, status)
        .gap((row.depth * 2).min(cells / 3));
    if let Some(branch) = row.branch.filter(|_| row.first) {
        line = line.text(format!("[{branch}] "), Role::Dim);
    }
    if !fold.is_empty() {
        line = line.cell(fold, 2, Role::Text);
    }
    if cells >= 44 {
        let used = (row.depth * 2).min(cells / 3) + if fold.is_empty() { 0 } else { 2 };
        line = line
            .cell(&*state.name, names.saturating_sub(used).max(8) + 2, name)
            .text(state.caption(), Role::Dim);
        let ways = ways_on(paint, state, row.state);
        for (place, (text, role)) in ways.into_iter().enumerate() {
            let before = match place {
                0 => format!(" {} ", glyphs.arrow),
                _ => ", ".to_owned(),
            };
            line = line.text(before, Role::Dim).text(text, role);
        }
    } else {
        line = line.text(state.label(), name);
    }
    if row.unreachable {
        line = line.text("  unreachable", Role::Warning);
    }
    if let Some(coverage) = reached {
        return line.right(format!("{share}  ", share = coverage.share.words()), status);
    }
    let badge = badge(paint, &view);
    if cells < 44 || view.status == StateStatus::NotReached {
        return line.right(badge, status);
    }
    let took = view.took.filter(|took| *took > 0).map(span_of_time);
    let mut parts = vec![status_word(paint, view.status).to_owned()];
    parts.extend(took);
    parts.extend(Some(badge).filter(|badge| !badge.is_empty()));
    line.right(parts.join("  "), status)
}

/// Texts for the progress of a state, from the longest to the shortest: `2/3` for a retry, `97/100` for the items of a
/// Map, `12/40 in 3 runs` if the Map ran several times, `retried 2×`, `×4` for several visits.
pub(super) fn badges(paint: &Paint, view: &StateView) -> Vec<String> {
    let retry = paint.glyphs.retry;
    if let Some((used, max)) = view.retries {
        return vec![format!("{retry}{used}/{max}"), retry.to_owned()];
    }
    if let Some((done, all)) = view.progress {
        let progress = format!("{done}/{all}");
        let counted = match view.runs {
            0 | 1 => progress.clone(),
            runs => format!("{progress} in {runs} runs"),
        };
        let in_runs = match view.runs {
            0 | 1 => progress,
            runs => format!("{progress} {times}", times = times(paint, runs)),
        };
        let share = format!("{}%", u128::from(done) * 100 / u128::from(all.max(1)));
        if view.items_failed > 0 {
            let mut texts = with_failed(paint, &counted, in_runs, view.items_failed);
            texts.push(share);
            return texts;
        }
        return match done == all && view.runs < 2 {
            true => vec![format!("{counted} done"), in_runs, share],
            false => vec![counted, in_runs, share],
        };
    }
    if view.retried > 0 {
        let count = view.retried;
        let long = format!("retried {count}{times}", times = paint.glyphs.times);
        let short = format!("{retry}{count}");
        return vec![long, short, retry.to_owned()];
    }
    let sign = paint.glyphs.status(StateStatus::Running);
    match (view.live, view.visits) {
        (2.., _) => vec![
            format!("{visits} running", visits = view.live),
            format!("{sign}{}", view.live),
        ],
        (_, 2..) if view.failures > 0 => {
            let times = times(paint, view.visits);
            with_failed(paint, &times.clone(), times, view.failures)
        }
        (_, 2..) => vec![times(paint, view.visits)],
        _ => Vec::new(),
    }
}

/// Texts for the badge of a Map with failed items, in order of preference. All but the last include the number of
/// failed items.
fn with_failed(paint: &Paint, long: &str, short: String, failed: u32) -> Vec<String> {
    let sign = paint.glyphs.status(StateStatus::Failed).trim_end();
    let failures = format!("{sign}{failed}");
    let long = format!("{long}, {failed} failed");
    vec![long, format!("{short} {failures}"), failures, short]
}

/// Text for the number of visits: `×4`.
pub(super) fn times(paint: &Paint, visits: u32) -> String {
    format!("{}{visits}", paint.glyphs.times)
}

/// The longest badge.
pub(super) fn badge(paint: &Paint, view: &StateView) -> String {
    badges(paint, view).into_iter().next().unwrap_or_default()
}

/// The longest badge that fits into `room` cells; empty if none does.
pub(super) fn short_badge(paint: &Paint, view: &StateView, room: usize) -> String {
    let mut all = badges(paint, view).into_iter();
    all.find(|text| width(text) <= room).unwrap_or_default()
}

/// Symbol of a breakpoint on a state, preferably of an enabled breakpoint. If the state has no breakpoint, symbol of a
/// finding.
pub(super) fn point_mark(paint: &Paint, state: StateId) -> (&'static str, Role) {
    let points = &paint.view.breakpoints;
    let mut on_state = points.iter().filter(|point| point.state == Some(state));
    let enabled = on_state.clone().find(|point| point.enabled);
    match enabled.or_else(|| on_state.next()) {
        Some(point) => breakpoint_mark(paint.glyphs, point),
        None => match paint.findings.of_state(state) {
            Some(severity) => finding_mark(severity, paint.glyphs),
            None => ("", Role::Text),
        },
    }
}

/// Time on the virtual clock at which a waiting state stops waiting; `None` if the time is not known or the state does
/// not wait.
fn until(paint: &Paint, state: StateId, status: StateStatus) -> Option<Millis> {
    let view = paint.view;
    match &view.state {
        _ if status != StateStatus::Waiting => None,
        // The execution's time limit may end the wait earlier.
        StatePane::Wait { until, cut, .. } if view.current == Some(state) => {
            cut.map(|cut| cut.at).or(*until)
        }
        _ => {
            let held = view.held.iter().filter(|task| task.ask.state == state);
            held.filter_map(TaskView::until).min()
        }
    }
}

/// Word for the status of a state at the current event. A task is called `asking` only if the run has stopped to wait
/// for the task's answer.
pub(super) fn status_word(paint: &Paint, status: StateStatus) -> &'static str {
    match (status, &paint.view.header.status) {
        (StateStatus::Asking, RunStatus::Paused(Stop::Ask(_))) => paint.glyphs.word(status),
        (StateStatus::Asking, _) => "called",
        (StateStatus::Running, RunStatus::Past) => "entered",
        (status, _) => paint.glyphs.word(status),
    }
}

/// Title of the graph pane: the full name and status of the selected state, or the number of states if none is
/// selected.
pub(super) fn state_title(paint: &Paint, state: Option<StateId>) -> String {
    let shown = state.and_then(|id| paint.definition.state(id));
    match state.zip(shown) {
        Some((id, state)) => {
            let view = paint.view.of_state(id).cloned().unwrap_or_default();
            let name = clip(&state.name, 60, paint.glyphs);
            let until = until(paint, id, view.status).map_or_else(String::new, |at| {
                format!(" until {time}", time = clock(at).trim_end_matches(".000"))
            });
            let visits = match view.visits {
                0 | 1 => String::new(),
                many => format!(" {}", times(paint, many)),
            };
            let status = status_word(paint, view.status);
            format!("{name}{visits}  {status}{until}")
        }
        None => count(paint.definition.states.len(), "state"),
    }
}

/// Maximum number of edges of a state that are listed.
const MOST_WAYS: usize = 50;

/// A token that moves along an edge during playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// The state that the token comes from.
    pub from: StateId,
    /// The edge on which the token moves; it begins at the state `from`.
    pub edge: Edge,
    /// Fraction of the edge that the token has passed, 0 to 1.
    pub way: f64,
}

/// The edges that the run took, and the edge that the current Choice has decided to take. While coverage is shown, the
/// edges that test cases took, instead.
pub(super) fn taken_edges(paint: &Paint) -> HashSet<(StateId, Edge)> {
    if let Some(reached) = paint.reached {
        return reached.edges().clone();
    }
    let edges = paint.view.edges.iter().filter(|(_, _, times)| *times > 0);
    let edges = edges.map(|(from, edge, _)| (*from, *edge));
    edges.chain(decided(paint)).collect()
}

/// The edge that the current Choice has decided to take; `None` if it has not decided.
pub(super) fn decided(paint: &Paint) -> Option<(StateId, Edge)> {
    let StatePane::Choice(rules) = &paint.view.state else {
        return None;
    };
    let taken = rules.iter().find(|rule| rule.taken)?;
    let edge = taken.index.map_or(Edge::Default, Edge::Rule);
    Some((paint.view.current?, edge))
}

/// Texts for the edges of a state, each with its style role: `Ship`, `rule:37 Ship`, `default Refund`, `catch:44
/// NotifyDeclined`.
pub(super) fn ways_on(paint: &Paint, state: &State, id: StateId) -> Vec<(String, Role)> {
    let was_taken = |edge: Edge| {
        let taken =
            |(from, way, times): &(StateId, Edge, u32)| (*from, *way) == (id, edge) && *times > 0;
        paint.view.edges.iter().any(taken) || decided(paint) == Some((id, edge))
    };
    let mut out = Vec::new();
    let mut way = |edge: Edge, word: String, target: Option<&Target>| {
        if let Some(target) = target {
            let role = match (was_taken(edge), edge) {
                (true, Edge::Catch(_)) => Role::Caught,
                (true, _) => Role::EdgeTaken,
                (false, _) => Role::Dim,
            };
            out.push((format!("{word}{}", target.name), role));
        }
    };
    if let Transition::Next(target) = &state.transition {
        way(Edge::Next, String::new(), Some(target));
    }
    if let StateKind::Choice(choice) = &state.kind {
        for (index, rule) in (0u32..).zip(&choice.rules).take(MOST_WAYS) {
            let word = format!("rule{line} ", line = paint.line_of(Some(rule.span)));
            way(Edge::Rule(index), word, rule.next.as_ref());
        }
        let default = choice.default.as_ref();
        way(Edge::Default, "default ".to_owned(), default);
    }
    for (index, catcher) in (0u32..).zip(&state.catch).take(MOST_WAYS) {
        let word = format!("catch{line} ", line = paint.line_of(Some(catcher.span)));
        way(Edge::Catch(index), word, catcher.next.as_ref());
    }
    out
}
