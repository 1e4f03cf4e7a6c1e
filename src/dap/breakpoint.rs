//! Breakpoints as the client sets them: lists of lines, of names and of exception filters; each list replaces the
//! previous one.

use super::breakpoint_list::{LineList, OF_SESSION};
use super::capabilities::DIFFERS;
use super::debuggee::Debuggee;
use super::outbox::Outbox;
use super::protocol::{
    Breakpoint, BreakpointsBody, FunctionBreakpoint, SetBreakpointsArguments,
    SetExceptionBreakpointsArguments, SetFunctionBreakpointsArguments, Source, SourceBreakpoint,
};
use super::refusal::Refusal;
use crate::session::grammar::parse_moment;
use crate::session::reply::Resolved;
use crate::session::view::BreakpointView;
use crate::session::{
    self, Command, ErrorFilter, ErrorMoment, Location, Reply, Switch, check_condition_at,
    pattern_fits,
};
use std::sync::Arc;

/// Commands that make no breakpoint and no error stop the run.
pub(super) fn nothing_stops() -> [Command; 2] {
    [
        Command::RemoveAllBreaks,
        Command::SetErrorFilters(Vec::new(), Switch::Off),
    ]
}

/// Parses a hit condition (`N`, `>= N` or `> N`) to the first hit that stops.
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
                "\"{text}\" is not a hit count: N and >= N stop from the Nth hit on, > N after it"
            )
        })
}

/// A condition or log message; `None` if it is blank.
pub(super) fn text(given: Option<&String>) -> Option<crate::json::Text> {
    let given = given
        .map(|text| text.trim())
        .filter(|text| !text.is_empty());
    given.map(Into::into)
}

impl Debuggee {
    /// Sets the breakpoints on lines of a source.
    pub fn set_breakpoints(
        &mut self,
        arguments: SetBreakpointsArguments,
        out: &mut Outbox,
    ) -> BreakpointsBody {
        let lines = arguments.lines.unwrap_or_default().into_iter();
        let plain = lines.map(|line| SourceBreakpoint {
            line,
            ..SourceBreakpoint::default()
        });
        let wanted = arguments.breakpoints.unwrap_or_else(|| plain.collect());
        let told = self.set_lines(&arguments.source, &wanted, out);
        let same = |list: &LineList| {
            list.source.path == arguments.source.path
                && list.source.source_reference == arguments.source.source_reference
        };
        self.lists.lines.retain(|list| !same(list));
        if !wanted.is_empty() {
            self.lists.lines.push(LineList {
                source: arguments.source,
                wanted,
                told: told.clone(),
            });
        }
        let enters = self.is_broken_into();
        self.session.set_enters_children(enters);
        BreakpointsBody { breakpoints: told }
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
        let mut places = Vec::new();
        let mut taken = Vec::new();
        for one in wanted {
            let hits = hit_count(one.hit_condition.as_deref());
            places.push(hits.clone().map(|_| ()));
            if let (Ok(hit_count), false) = (hits, self.manner.no_debug) {
                let line = self.client.own_line(one.line);
                let text_of_line = sources.get(id).map_or("", |file| file.line(line));
                let column = one.column;
                taken.push(session::SourceBreakpoint {
                    line,
                    column: column.map(|column| self.client.character(column, text_of_line)),
                    condition: text(one.condition.as_ref()),
                    hit_count,
                    log_message: text(one.log_message.as_ref()),
                    once: false,
                });
            }
        }
        let reply = self.apply(Command::SetBreakpoints(id, taken), out);
        let mut resolved = match reply {
            Ok(Reply::Breakpoints(all)) => all.into_iter(),
            _ => Vec::new().into_iter(),
        };
        places
            .into_iter()
            .map(|place| match place {
                Err(why) => self.lists.unverified(why, "failed"),
                Ok(()) => match resolved.next() {
                    Some(one) => self.resolved(&one),
                    None => self.lists.unverified(
                        "this run was launched without debugging (noDebug)",
                        "failed",
                    ),
                },
            })
            .collect()
    }

    /// Converts a breakpoint of the session to the protocol's type.
    pub fn resolved(&mut self, resolved: &Resolved) -> Breakpoint {
        let Some(id) = resolved.id else {
            let why = resolved.unverified.as_ref().map(crate::wording::unverified);
            return self.lists.unverified(why.unwrap_or_default(), "failed");
        };
        let place = resolved.span.and_then(|span| self.place_of(span));
        let (source, line) = place.unzip();
        Breakpoint {
            id: Some(self.lists.number(id)),
            verified: resolved.unverified.is_none(),
            message: resolved.unverified.as_ref().map(crate::wording::unverified),
            reason: resolved.unverified.as_ref().map(|_| "failed"),
            source,
            line,
        }
    }

    /// Sets the breakpoints on states, given by name.
    pub fn set_function_breakpoints(
        &mut self,
        arguments: SetFunctionBreakpointsArguments,
        out: &mut Outbox,
    ) -> BreakpointsBody {
        let told = self.set_names(&arguments.breakpoints, out);
        self.lists.names = arguments.breakpoints;
        self.lists.told.clone_from(&told);
        BreakpointsBody { breakpoints: told }
    }

    fn set_names(&mut self, wanted: &[FunctionBreakpoint], out: &mut Outbox) -> Vec<Breakpoint> {
        let mut counts = Vec::new();
        let mut all = Vec::new();
        for one in wanted {
            let hits = hit_count(one.hit_condition.as_deref());
            let names = match (&hits, self.manner.no_debug) {
                (Ok(_), false) => self.states_named(&one.name),
                _ => Vec::new(),
            };
            let hit_count = hits.clone().unwrap_or(0);
            counts.push(hits.map(|_| names.len()));
            all.extend(names.into_iter().map(|state| session::StateBreakpoint {
                state,
                condition: text(one.condition.as_ref()),
                hit_count,
            }));
        }
        let reply = self.apply(Command::SetStateBreakpoints(all), out);
        let mut resolved = match reply {
            Ok(Reply::Breakpoints(all)) => all.into_iter(),
            _ => Vec::new().into_iter(),
        };
        self.lists.by_name.clear();
        let mut told = Vec::new();
        for (one, count) in wanted.iter().zip(counts) {
            let own: Vec<Resolved> = match &count {
                Ok(count) => resolved.by_ref().take(*count).collect(),
                Err(_) => Vec::new(),
            };
            let set = own.iter().filter(|one| one.unverified.is_none()).count();
            let first = own.iter().find(|one| one.unverified.is_none());
            told.push(match (first.or(own.first()), count) {
                (_, Err(why)) => self.lists.unverified(why, "failed"),
                (None, Ok(_)) => {
                    let why = match self.manner.no_debug {
                        true => "this run was launched without debugging (noDebug)".to_string(),
                        false => format!("no state is named {}", one.name),
                    };
                    self.lists.unverified(why, "failed")
                }
                (Some(first), Ok(_)) => {
                    let mut shown = self.resolved(first);
                    for id in own.iter().filter_map(|one| one.id) {
                        self.lists.by_name.insert(id);
                        self.lists.shown.insert(id, shown.id.unwrap_or(0));
                    }
                    if set > 1 {
                        shown.message = Some(format!("{set} states"));
                    }
                    shown
                }
            });
        }
        told
    }

    /// Paths of the states that a name matches; `*` matches any characters.
    fn states_named(&self, name: &str) -> Vec<crate::json::Text> {
        let definition = self.session.definition();
        if !name.contains('*') {
            let found = definition.find_by_name(name.trim());
            let state = found.and_then(|id| definition.state(id));
            return state
                .map(|state| state.path.0.clone())
                .into_iter()
                .collect();
        }
        let states = definition.states.iter();
        states
            .filter(|state| {
                pattern_fits(name.trim(), &state.name) || pattern_fits(name.trim(), &state.path.0)
            })
            .map(|state| state.path.0.clone())
            .collect()
    }

    /// Sets the errors to stop on.
    pub fn set_exception_breakpoints(
        &mut self,
        arguments: SetExceptionBreakpointsArguments,
        out: &mut Outbox,
    ) -> Result<BreakpointsBody, Refusal> {
        let plain = arguments.filters.iter().map(|name| (name.as_str(), None));
        let options = arguments.filter_options.iter();
        let narrow = options.map(|one| (one.filter_id.as_str(), text(one.condition.as_ref())));
        let mut filters = Vec::new();
        let mut differs = Switch::Off;
        let mut told = Vec::new();
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
            told.push(shown);
        }
        if !self.manner.no_debug {
            let wanted = Command::SetErrorFilters(filters.clone(), differs);
            self.apply(wanted, out)?;
            self.lists.filters = Some((filters, differs));
        }
        Ok(BreakpointsBody { breakpoints: told })
    }

    /// Checks a breakpoint's condition; the error is a sentence that says why it cannot be parsed.
    pub fn readable(&self, condition: Option<&str>, at: &Location) -> Result<(), String> {
        let definition = self.session.definition();
        condition.map_or(Ok(()), |text| {
            check_condition_at(text, Some(at), definition)
        })
    }

    /// Sets all lists in a session that does not have them yet; reports the breakpoints that changed.
    pub fn set_lists_again(&mut self, out: &mut Outbox) {
        self.lists.shown.clear();
        self.lists.by_name.clear();
        self.lists.base = self.lists.base.saturating_add(OF_SESSION);
        let mut lists = std::mem::take(&mut self.lists.lines);
        for list in &mut lists {
            let told = self.set_lines(&list.source, &list.wanted, out);
            list.told = self.lists.retell(&list.told, told, out);
        }
        self.lists.lines = lists;
        self.set_names_again(out);
        if let Some((filters, differs)) = self.lists.filters.clone() {
            // Error filters are never refused.
            drop(self.apply(Command::SetErrorFilters(filters, differs), out));
        }
        self.set_data_again(out);
    }

    /// Updates the lists after the text changed: breakpoints move with their states; reports those on other lines.
    pub fn move_lists(&mut self, out: &mut Outbox) {
        let points = self.session.view().breakpoints;
        let mut lists = std::mem::take(&mut self.lists.lines);
        for list in &mut lists {
            for (wanted, told) in list.wanted.iter_mut().zip(&list.told) {
                if let Some(line) = self.line_now(&points, told) {
                    wanted.line = line;
                }
            }
            let told = self.set_lines(&list.source, &list.wanted, out);
            list.told = self.lists.retell(&list.told, told, out);
        }
        self.lists.lines = lists;
        self.set_names_again(out);
    }

    fn set_names_again(&mut self, out: &mut Outbox) {
        let names = self.lists.names.clone();
        let told = self.set_names(&names, out);
        let before = std::mem::take(&mut self.lists.told);
        self.lists.told = self.lists.retell(&before, told, out);
    }

    /// Current line of a breakpoint, if the session has it.
    fn line_now(&self, points: &[BreakpointView], told: &Breakpoint) -> Option<i64> {
        let mut points = points.iter();
        let point = points.find(|point| Some(self.lists.shown_id(point.id)) == told.id)?;
        let (_, line) = self.place_of(point.span?)?;
        Some(line)
    }
}

/// The condition after the word `if`.
fn after_if(text: &str) -> Option<&str> {
    let (word, condition) = text.trim_start().split_once(char::is_whitespace)?;
    (word == "if").then(|| condition.trim())
}

/// An error filter from what the user typed as its condition: error names, a condition, or both.
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
        moment,
        pattern: pattern.map(Into::into),
        condition: condition.map(Into::into),
    }
}
