//! Breakpoints as the client sets them: a list of lines for each source, a list of state names, and a list of exception
//! filters. A new list replaces the previous one.

use super::adapter::DIFFERS;
use super::debuggee::{Debuggee, LineList, OF_SESSION};
use super::message::{Outbox, Refusal};
use super::protocol::{
    Breakpoint, FunctionBreakpoint, SetBreakpointsArguments, SetExceptionBreakpointsArguments,
    SetFunctionBreakpointsArguments, Source, SourceBreakpoint,
};
use crate::definition::State;
use crate::session::grammar::parse_moment;
use crate::session::reply::Resolved;
use crate::session::view::BreakpointView;
use crate::session::{
    self, Command, ErrorFilter, ErrorMoment, Location, Reply, Switch, check_condition_at,
    pattern_fits,
};
use std::sync::Arc;
use std::vec::IntoIter;

/// Returns the commands that remove all breakpoints and error filters, so that none of these can stop the run.
pub(super) fn nothing_stops() -> [Command; 2] {
    [
        Command::RemoveAllBreaks,
        Command::SetErrorFilters(Vec::new(), Switch::Off),
    ]
}

/// Parses a hit condition (`N`, `>= N` or `> N`) and returns the number of the first hit that stops the run.
pub(super) fn hit_count(text: Option<&str>) -> Result<u64, String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(0);
    };
    let (number, more) = match (text.strip_prefix(">="), text.strip_prefix('>')) {
        (Some(number), _) => (number, 0),
        (None, Some(number)) => (number, 1),
        (None, None) => (text, 0),
    };
    let number = number.trim().parse::<u64>();
    number
        .map(|number| number.saturating_add(more))
        .map_err(|_| {
            format!(
                "\"{text}\" is not a hit count: write N or >= N to stop from the Nth hit on, or > N to stop after the Nth hit"
            )
        })
}

/// Trims a condition or a log message; `None` if it is blank.
pub(super) fn text(given: Option<&String>) -> Option<crate::json::Text> {
    let given = given
        .map(|text| text.trim())
        .filter(|text| !text.is_empty());
    given.map(Into::into)
}

impl Debuggee {
    /// Sets the breakpoints on the lines of one source; they replace all earlier ones of this source.
    pub fn set_breakpoints(
        &mut self,
        arguments: SetBreakpointsArguments,
        out: &mut Outbox,
    ) -> Vec<Breakpoint> {
        let lines = arguments.lines.unwrap_or_default().into_iter();
        let plain = lines.map(|line| SourceBreakpoint {
            line,
            ..SourceBreakpoint::default()
        });
        let wanted = arguments.breakpoints.unwrap_or_else(|| plain.collect());
        let source = arguments.source;
        let reported = self.set_lines(&source, &wanted, out);
        let place = |source: &Source| (source.path.clone(), source.source_reference);
        let lists = &mut self.lists.lines;
        lists.retain(|list| place(&list.source) != place(&source));
        if !wanted.is_empty() {
            lists.push(LineList {
                source,
                wanted,
                reported: reported.clone(),
            });
        }
        let enters = self.is_broken_into();
        self.session.set_enters_children(enters);
        reported
    }

    fn set_lines(
        &mut self,
        source: &Source,
        wanted: &[SourceBreakpoint],
        out: &mut Outbox,
    ) -> Vec<Breakpoint> {
        let Some(id) = self.find_source(source) else {
            let why = "this file is not part of the definition being debugged";
            let all = wanted.iter().map(|_| self.lists.unverified(why, "pending"));
            return all.collect();
        };
        let sources = Arc::clone(self.session.sources());
        let mut problems = Vec::new();
        let mut taken = Vec::new();
        for point in wanted {
            let hits = hit_count(point.hit_condition.as_deref());
            problems.push(hits.clone().err());
            if let (Ok(hit_count), false) = (hits, self.manner.no_debug) {
                let line = self.client.own_line(point.line);
                let text_of_line = sources.get(id).map_or("", |file| file.line(line));
                let column = point.column;
                let column = column.map(|column| self.client.character(column, text_of_line));
                taken.push(session::SourceBreakpoint {
                    condition: text(point.condition.as_ref()),
                    hit_count,
                    log_message: text(point.log_message.as_ref()),
                    ..session::Breakpoint::at((line, column))
                });
            }
        }
        let mut resolved = self.set_all(Command::SetBreakpoints(id, taken), out);
        let points = problems.into_iter().map(|problem| match problem {
            Some(why) => self.lists.unverified(why, "failed"),
            None => match resolved.next() {
                Some(point) => self.resolved(&point),
                None => self.lists.without_debugging(),
            },
        });
        points.collect()
    }

    /// Applies a command that sets a list of breakpoints, and returns the breakpoints that the session made of the
    /// list.
    fn set_all(&mut self, command: Command, out: &mut Outbox) -> IntoIter<Resolved> {
        match self.apply(command, out) {
            Ok(Reply::Breakpoints(all)) => all.into_iter(),
            _ => Vec::new().into_iter(),
        }
    }

    /// Converts a breakpoint from the session's type to the protocol's type.
    pub fn resolved(&mut self, resolved: &Resolved) -> Breakpoint {
        let message = resolved.unverified.as_ref().map(crate::wording::unverified);
        let Some(id) = resolved.id else {
            return self.lists.unverified(message.unwrap_or_default(), "failed");
        };
        let place = resolved.span.and_then(|span| self.place_of(span));
        let (source, line) = place.unzip();
        Breakpoint {
            id: Some(self.lists.number(id)),
            verified: resolved.unverified.is_none(),
            reason: message.as_ref().map(|_| "failed"),
            message,
            source,
            line,
        }
    }

    /// Sets the breakpoints that the client requested by the names of states; they replace all earlier ones.
    pub fn set_function_breakpoints(
        &mut self,
        arguments: SetFunctionBreakpointsArguments,
        out: &mut Outbox,
    ) -> Vec<Breakpoint> {
        let reported = self.set_names(&arguments.breakpoints, out);
        self.lists.names = arguments.breakpoints;
        self.lists.reported.clone_from(&reported);
        reported
    }

    fn set_names(&mut self, wanted: &[FunctionBreakpoint], out: &mut Outbox) -> Vec<Breakpoint> {
        let mut counts = Vec::new();
        let mut all = Vec::new();
        for point in wanted {
            let hits = hit_count(point.hit_condition.as_deref());
            let names = match (&hits, self.manner.no_debug) {
                (Ok(_), false) => self.states_named(&point.name),
                _ => Vec::new(),
            };
            let hit_count = hits.clone().unwrap_or(0);
            counts.push(hits.map(|_| names.len()));
            all.extend(names.into_iter().map(|state| session::StateBreakpoint {
                condition: text(point.condition.as_ref()),
                hit_count,
                ..session::Breakpoint::at(state)
            }));
        }
        let mut resolved = self.set_all(Command::SetStateBreakpoints(all), out);
        self.lists.by_name.clear();
        let mut reported = Vec::new();
        for (point, count) in wanted.iter().zip(counts) {
            let of_name = *count.as_ref().unwrap_or(&0);
            let of_name: Vec<Resolved> = resolved.by_ref().take(of_name).collect();
            let is_set = |point: &&Resolved| point.unverified.is_none();
            let matched = of_name.iter().filter(is_set).count();
            let first = of_name.iter().find(is_set).or(of_name.first());
            reported.push(match (first, count) {
                (_, Err(why)) => self.lists.unverified(why, "failed"),
                (None, Ok(_)) if self.manner.no_debug => self.lists.without_debugging(),
                (None, Ok(_)) => {
                    let why = format!("no state is named {name}", name = point.name);
                    self.lists.unverified(why, "failed")
                }
                (Some(first), Ok(_)) => {
                    let mut shown = self.resolved(first);
                    for id in of_name.iter().filter_map(|point| point.id) {
                        self.lists.by_name.insert(id);
                        self.lists.shown.insert(id, shown.id.unwrap_or(0));
                    }
                    if matched > 1 {
                        shown.message = Some(format!("{matched} states have this name"));
                    }
                    shown
                }
            });
        }
        reported
    }

    /// Returns the paths of the states that `name` stands for. If it contains `*`, which matches any characters, these
    /// are all states whose name or path matches. Otherwise it is the state with this path or, if there is none, the
    /// first state with this name.
    fn states_named(&self, name: &str) -> Vec<crate::json::Text> {
        let (definition, name) = (self.session.definition(), name.trim());
        let path = |state: &State| state.path.0.clone();
        if !name.contains('*') {
            let state = definition.find_by_name(name);
            let state = state.and_then(|id| definition.state(id));
            return state.into_iter().map(path).collect();
        }
        let fits =
            |state: &&State| pattern_fits(name, &state.name) || pattern_fits(name, &state.path.0);
        definition.states.iter().filter(fits).map(path).collect()
    }

    /// Sets the exception filters: which errors stop the run, and whether differences between AWS and the specification
    /// do.
    pub fn set_exception_breakpoints(
        &mut self,
        arguments: &SetExceptionBreakpointsArguments,
        out: &mut Outbox,
    ) -> Result<Vec<Breakpoint>, Refusal> {
        let plain = arguments.filters.iter().map(|name| (name.as_str(), None));
        let options = arguments.filter_options.iter();
        let narrow =
            options.map(|filter| (filter.filter_id.as_str(), text(filter.condition.as_ref())));
        let mut filters = Vec::new();
        let mut differs = Switch::Off;
        let mut reported = Vec::new();
        for (name, condition) in plain.chain(narrow) {
            let mut shown = Breakpoint {
                verified: true,
                ..Breakpoint::default()
            };
            if name == DIFFERS {
                differs = Switch::On;
            } else {
                let moment = parse_moment(name).map_err(Refusal::new)?;
                let filter = filter(moment, condition.as_deref());
                let at = Location::Error(moment, "*".into());
                match self.readable(filter.condition.as_deref(), &at) {
                    Ok(()) => filters.push(filter),
                    Err(why) => shown = self.lists.unverified(why, "failed"),
                }
            }
            reported.push(shown);
        }
        if !self.manner.no_debug {
            let wanted = Command::SetErrorFilters(filters.clone(), differs);
            self.apply(wanted, out)?;
            self.lists.filters = Some((filters, differs));
        }
        Ok(reported)
    }

    /// Checks whether the condition of a breakpoint at `at` can be parsed. The error is a sentence that says why not.
    pub fn readable(&self, condition: Option<&str>, at: &Location) -> Result<(), String> {
        let definition = self.session.definition();
        condition.map_or(Ok(()), |text| {
            check_condition_at(text, Some(at), definition)
        })
    }

    /// Sets all breakpoints of the client again, after the session was replaced by another one. Reports each breakpoint
    /// on a line or name that differs from the last report about it.
    pub fn set_lists_again(&mut self, out: &mut Outbox) {
        self.lists.shown.clear();
        self.lists.by_name.clear();
        self.lists.base = self.lists.base.saturating_add(OF_SESSION);
        self.set_lines_and_names_again(out, |_, _| None);
        if let Some((filters, differs)) = self.lists.filters.clone() {
            // The session never refuses error filters, so the result is ignored.
            drop(self.apply(Command::SetErrorFilters(filters, differs), out));
        }
        self.set_data_again(out);
    }

    /// Moves each breakpoint to the new line of its state, after the text of the definition has changed. Reports the
    /// breakpoints whose line changed.
    pub fn move_lists(&mut self, out: &mut Outbox) {
        let points = self.session.view().breakpoints;
        self.set_lines_and_names_again(out, |debuggee, reported| {
            debuggee.line_now(&points, reported)
        });
    }

    /// Sets all breakpoints on lines and on names again. For each breakpoint on a line, `line_now` returns the line on
    /// which to set it; `None` means that the line stays the same.
    fn set_lines_and_names_again(
        &mut self,
        out: &mut Outbox,
        line_now: impl Fn(&Self, &Breakpoint) -> Option<i64>,
    ) {
        let mut lists = std::mem::take(&mut self.lists.lines);
        for list in &mut lists {
            for (wanted, reported) in list.wanted.iter_mut().zip(&list.reported) {
                wanted.line = line_now(self, reported).unwrap_or(wanted.line);
            }
            let reported = self.set_lines(&list.source, &list.wanted, out);
            list.reported = self.lists.retell(&list.reported, reported, out);
        }
        self.lists.lines = lists;
        let names = self.lists.names.clone();
        let reported = self.set_names(&names, out);
        let before = std::mem::take(&mut self.lists.reported);
        self.lists.reported = self.lists.retell(&before, reported, out);
    }

    /// The current line of a breakpoint; `None` if the session does not have the breakpoint. `reported` is the
    /// breakpoint as last reported to the client.
    fn line_now(&self, points: &[BreakpointView], reported: &Breakpoint) -> Option<i64> {
        let mut points = points.iter();
        let point = points.find(|point| Some(self.lists.shown_id(point.id)) == reported.id)?;
        let (_, line) = self.place_of(point.span?)?;
        Some(line)
    }
}

/// The rest of a text that begins with the word `if`; `None` if it does not begin with this word.
fn after_if(text: &str) -> Option<&str> {
    let (word, condition) = text.trim_start().split_once(char::is_whitespace)?;
    (word == "if").then(|| condition.trim())
}

/// Parses what the user typed for an exception filter: a pattern for error names, a condition, or a pattern followed by
/// `if` and a condition.
fn filter(moment: ErrorMoment, typed: Option<&str>) -> ErrorFilter {
    let is_pattern = |text: &str| {
        !text.is_empty()
            && !text.starts_with('$')
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || "._*-:".contains(c))
            && !matches!(text, "true" | "false")
    };
    let (pattern, condition) = match typed {
        None => (None, None),
        Some(text) if is_pattern(text) => (Some(text), None),
        Some(text) => match text.trim().split_once(char::is_whitespace) {
            Some(("if", condition)) => (None, Some(condition.trim())),
            Some((pattern, rest)) if is_pattern(pattern) => match after_if(rest) {
                Some(condition) => (Some(pattern), Some(condition)),
                None => (None, Some(text.trim())),
            },
            _ => (None, Some(text.trim())),
        },
    };
    ErrorFilter {
        condition: condition.map(Into::into),
        ..session::Breakpoint::at((moment, pattern.map(Into::into)))
    }
}
