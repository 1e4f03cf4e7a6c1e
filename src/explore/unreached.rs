//! Findings about retriers, catchers and rules that are never reached, about comparisons that cannot match, and about
//! text that was meant as a path or an expression.

use super::finding::{FindingKind, Judge, Level};
use super::moment::Why;
use super::world::{around, task};
use crate::coverage::{Kind, Point, points};
use crate::definition::{StateId, StateKind, Test};
use crate::interpreter::Edge;
use crate::json::Text;

/// The rules of `check` about text that was meant as a path or an expression but is not evaluated.
const TEXT_RULES: [&str; 4] = ["no-dollar", "static-result", "half-jsonata", "mixed"];

/// The rules of `check` about retriers, catchers and Choice rules that cannot be reached because earlier entries match
/// first.
const COVER_RULES: [&str; 2] = ["covered", "covered-rule"];

impl Judge<'_> {
    /// Reports comparisons that cannot match data from the user.
    pub(super) fn misfits(&mut self) {
        for notice in &self.seen.noticed {
            let Why::Misfit { text, is_null } = &notice.why else {
                continue;
            };
            let level = if *is_null {
                Level::Info
            } else {
                Level::Warning
            };
            let rule = self.rule(notice.state, notice.rule);
            let text = format!(
                "{rule} cannot match the data that the rule reads: {reason}",
                reason = text
            );
            let (state, way) = (notice.state, Some(&notice.course));
            self.tell(FindingKind::Misfit, level, state, text, way);
            self.at_point(notice.state, Kind::Left(Edge::Rule(notice.rule)));
        }
    }

    /// Formats `the rule of InStock?, line 37`.
    fn rule(&self, state: StateId, rule: u32) -> String {
        let (state, at_line) = (self.path(state), self.line(state, rule));
        format!("the rule of {state}{at_line}")
    }

    /// Formats `, line 37`: the line of a rule in the definition.
    fn line(&self, state: StateId, rule: u32) -> String {
        let kind = Kind::Left(Edge::Rule(rule));
        let span = Point { state, kind }.span(self.definition);
        let line = self.definition.sources.line(span);
        line.map_or_else(String::new, |line| format!(", line {line}"))
    }

    /// True if, in some run, the rule matched but an earlier rule was taken.
    fn is_late(&self, state: StateId, rule: u32) -> bool {
        let mut noticed = self.seen.noticed.iter();
        noticed.any(|notice| {
            matches!(notice.why, Why::Late(_)) && (notice.state, notice.rule) == (state, rule)
        })
    }

    /// Reports rules that match in some run but are never taken, because an earlier rule matches too.
    fn late(&mut self) {
        for notice in &self.seen.noticed {
            let kind = Kind::Left(Edge::Rule(notice.rule));
            let state = notice.state;
            let Why::Late(by) = notice.why else {
                continue;
            };
            if self.seen.coverage.hits(Point { state, kind }) > 0 {
                continue;
            }
            let text = format!(
                "{rule} is never taken, because the earlier rule{at_line} matches in the same cases",
                rule = self.rule(state, notice.rule),
                at_line = self.line(state, by)
            );
            let way = Some(&notice.course);
            self.tell(FindingKind::Unreached, Level::Warning, state, text, way);
            self.at_point(state, kind);
        }
    }

    /// Reports what `check` finds in states that a run reaches: text that was meant as a path, and rules that cannot be
    /// reached.
    pub(super) fn texts(&mut self) {
        let mut reported: Vec<StateId> = Vec::new();
        for diagnostic in self.checked {
            let mut rules = crate::definition::rules().iter();
            let rule = rules.find(|rule| {
                rule.number == diagnostic.rule
                    && (TEXT_RULES.contains(&rule.name) || COVER_RULES.contains(&rule.name))
            });
            let (Some(rule), Some(span)) = (rule, diagnostic.span) else {
                continue;
            };
            let inside = self.definition.state_ids().filter_map(|id| {
                let around = self.state(id)?.span;
                around
                    .holds(span)
                    .then_some((around.end - around.start, id))
            });
            // Of all states that contain the diagnostic, the innermost one is reported.
            let Some((_, state)) = inside.min() else {
                continue;
            };
            let kind = match TEXT_RULES.contains(&rule.name) {
                true => FindingKind::Text,
                false => FindingKind::Unreached,
            };
            let mut known = self.findings.iter();
            if known.any(|diagnostic| diagnostic.kind == kind && diagnostic.state == state) {
                continue;
            }
            if reported.contains(&state) || !self.is_entered(state) {
                continue;
            }
            reported.push(state);
            let text = format!("{}: {}", self.path(state), diagnostic.message);
            let way = self.seen.asked.get(&state);
            self.tell(kind, Level::Warning, state, text, way);
            self.at(span);
        }
    }

    /// Reports retriers and catchers that no error reaches. Also reports Choice rules that are never taken, but only if
    /// all data came from the user.
    pub(super) fn unreached(&mut self) {
        if self.seen.bound.is_some() {
            return;
        }
        self.late();
        let hits = |point: Point| self.seen.coverage.hits(point);
        let mut findings = Vec::new();
        for point in points(self.definition) {
            let Some(state) = self.state(point.state) else {
                continue;
            };
            let is_entered = self.is_entered(point.state);
            if hits(point) > 0 || !is_entered || !self.is_asked(point.state) {
                continue;
            }
            let (field, names, index) = match point.kind {
                Kind::Retried(index) => {
                    let retrier = state.retry.get(index as usize);
                    ("Retry", retrier.map(|retrier| &retrier.error_equals), index)
                }
                Kind::Left(Edge::Catch(index)) => {
                    let catcher = state.catch.get(index as usize);
                    ("Catch", catcher.map(|catcher| &catcher.error_equals), index)
                }
                Kind::Left(Edge::Rule(index)) if self.is_late(point.state, index) => continue,
                Kind::Left(Edge::Rule(index)) if self.all_given() => {
                    let rule = self.rule(point.state, index);
                    let text = format!("none of the tried inputs and answers makes {rule} match");
                    let plain = matches!(&state.kind, StateKind::Choice(choice)
                        if choice.rules.get(index as usize).is_some_and(|rule| matches!(rule.test, Test::Compare(_))));
                    let level = if plain { Level::Warning } else { Level::Info };
                    findings.push((level, point, text));
                    continue;
                }
                _ => continue,
            };
            // The search does not try errors that only the interpreter raises, so catchers for these errors are not
            // reported.
            let names = names.map(Vec::as_slice).unwrap_or_default();
            let is_wide = |name: &Text| matches!(&**name, "States.ALL" | "States.TaskFailed");
            let tried = |name: &Text| {
                let is_raised = || self.world.raises(point.state, name);
                !name.starts_with("States.") || is_wide(name) || is_raised()
            };
            if !names.iter().any(tried) {
                continue;
            }
            let is_foreign =
                |name: &Text| !name.starts_with("States.") && !self.world.raises(point.state, name);
            let is_alone = matches!(state.kind, StateKind::Task(_));
            let is_never = is_alone && names.iter().all(is_foreign);
            let level = match index > 0 || is_never {
                true => Level::Warning,
                false => Level::Info,
            };
            let reason = match index {
                _ if is_never => "the called service raises no such error".to_string(),
                0 => "nothing inside the state fails with such an error".to_string(),
                _ => "an earlier entry handles these errors".to_string(),
            };
            let text = format!(
                "no error reaches {field}[{index}] of {state} ({errors}), because {reason}",
                state = state.path,
                errors = names.join(", ")
            );
            findings.push((level, point, text));
        }
        for (level, point, text) in findings {
            self.tell(FindingKind::Unreached, level, point.state, text, None);
            self.at_point(point.state, point.kind);
        }
    }

    /// True if the state and all tasks inside it made requests. If some did not, made-up data may have caused an
    /// earlier failure.
    fn is_asked(&self, state: StateId) -> bool {
        let mut ids = self.definition.state_ids();
        ids.all(|id| {
            task(self.definition, id).is_none()
                || !around(self.definition, id).contains(&state)
                || self.seen.asked.contains_key(&id)
        })
    }

    fn all_given(&self) -> bool {
        let mut states = self.definition.state_ids();
        !self.world.input_made
            && states.all(|id| {
                task(self.definition, id).is_none()
                    || self.world.is_given(id)
                    || !self.is_entered(id)
            })
    }

    fn is_entered(&self, state: StateId) -> bool {
        let kind = Kind::Entered;
        self.seen.coverage.hits(Point { state, kind }) > 0
    }
}
