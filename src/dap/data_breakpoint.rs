//! Data breakpoints, which stop the run when a value changes: decides which values can have one, and sets them.

use super::breakpoint::{hit_count, text};
use super::debuggee::{Debuggee, Placed};
use super::handle::{Container, ScopeKind};
use super::message::{Outbox, Refusal};
use super::protocol::{
    Breakpoint, DataBreakpoint, DataBreakpointInfoArguments, SetDataBreakpointsArguments,
};
use crate::query::Expression;
use crate::session::{self, BreakpointId, Command, Location, Reply};
use serde_json::{Value, json};

impl Debuggee {
    /// Says whether a variable or expression can have a data breakpoint. If so, returns the data id with which the
    /// client sets it.
    pub fn data_breakpoint_info(
        &mut self,
        arguments: &DataBreakpointInfoArguments,
    ) -> Result<Value, Refusal> {
        self.standing()?;
        let path = match arguments.variables_reference {
            Some(reference) if reference > 0 => {
                let is_error = |container: &Container| {
                    matches!(container, Container::Scope(_, ScopeKind::Error))
                };
                let node = match is_error(self.handles.container(reference)?) {
                    true => None,
                    false => self.node_named(reference, &arguments.name)?,
                };
                node.and_then(|node| node.expression)
            }
            _ => Some(arguments.name.clone()),
        };
        let none = |why: &str| Ok(json!({"dataId": null, "description": why}));
        let Some(path) = path else {
            return none(&format!(
                "{name} is not a value in the run's data",
                name = arguments.name
            ));
        };
        // Data that passes between states is written as `$`: the output of one state is the input of the next. So both
        // `$input` and `$output` become `$`.
        let path = match path.strip_prefix("$input").or(path.strip_prefix("$output")) {
            Some(rest) => format!("${rest}"),
            None => path,
        };
        if ["$effective", "$result", "$error"]
            .iter()
            .any(|stage| path.starts_with(stage))
        {
            let why =
                "only variables and the data that passes between states can have a data breakpoint";
            return none(why);
        }
        if let Err(error) = Expression::parse(&path) {
            return none(&error.message);
        }
        Ok(json!({
            "dataId": path, "description": format!("{path} changes"), "accessTypes": ["write"],
            "canPersist": true,
        }))
    }

    /// Sets the data breakpoints of this request. A breakpoint that was set before and is not in the request is
    /// removed.
    pub fn set_data_breakpoints(
        &mut self,
        arguments: SetDataBreakpointsArguments,
        out: &mut Outbox,
    ) -> Result<Vec<Breakpoint>, Refusal> {
        let mut before = std::mem::take(&mut self.lists.data);
        let mut reported = Vec::new();
        for wanted in arguments.breakpoints {
            let is_same = |placed: &Placed| placed.wanted == wanted && placed.id.is_some();
            let same = before.iter().position(is_same);
            let placed = match same {
                Some(place) => {
                    let same = before.remove(place);
                    reported.push(verified(same.shown));
                    same
                }
                None => {
                    let (breakpoint, id) = self.set_data(&wanted, out)?;
                    let shown = breakpoint.id;
                    reported.push(breakpoint);
                    Placed { wanted, id, shown }
                }
            };
            self.lists.data.push(placed);
        }
        for id in before.into_iter().filter_map(|placed| placed.id) {
            // The user may already have removed this breakpoint by a console command. The session then refuses to
            // remove it again, which does no harm.
            drop(self.apply(Command::RemoveBreak(id), out));
        }
        Ok(reported)
    }

    fn set_data(
        &mut self,
        wanted: &DataBreakpoint,
        out: &mut Outbox,
    ) -> Result<(Breakpoint, Option<BreakpointId>), Refusal> {
        let hits = hit_count(wanted.hit_condition.as_deref());
        let path = Expression::parse(&wanted.data_id).map_err(|error| error.message);
        let hit_count = match (hits, path) {
            (Ok(hits), Ok(_)) => hits,
            (Err(why), _) | (_, Err(why)) => {
                return Ok((self.lists.unverified(why, "failed"), None));
            }
        };
        if self.manner.no_debug {
            return Ok((self.lists.without_debugging(), None));
        }
        let at = Location::Data(wanted.data_id.as_str().into());
        let condition = text(wanted.condition.as_ref());
        if let Err(why) = self.readable(condition.as_deref(), &at) {
            return Ok((self.lists.unverified(why, "failed"), None));
        }
        let breakpoint = session::Breakpoint {
            condition,
            hit_count,
            ..session::Breakpoint::at(at)
        };
        match self.apply(Command::Break(breakpoint), out)? {
            Reply::Breakpoint(resolved) => {
                let id = resolved.id.map(|id| self.lists.number(id));
                Ok((verified(id), resolved.id))
            }
            _ => Ok((
                self.lists
                    .unverified("the data breakpoint could not be set", "failed"),
                None,
            )),
        }
    }

    /// Sets the client's data breakpoints again, after the session was replaced by another one. Removes breakpoints
    /// that this session already had on the same data. The client keeps its ids of the breakpoints.
    pub fn set_data_again(&mut self, out: &mut Outbox) {
        let all = std::mem::take(&mut self.lists.data);
        for placed in all {
            let at = Location::Data(placed.wanted.data_id.as_str().into());
            let points = self.session.view().breakpoints.into_iter();
            let stale = points.filter(|point| point.breakpoint.at == at);
            for point in stale.collect::<Vec<_>>() {
                drop(self.apply(Command::RemoveBreak(point.id), out));
            }
            let id = self
                .set_data(&placed.wanted, out)
                .ok()
                .and_then(|(_, id)| id);
            if let (Some(id), Some(shown)) = (id, placed.shown) {
                self.lists.shown.insert(id, shown);
            }
            self.lists.data.push(Placed { id, ..placed });
        }
    }
}

/// Describes, for the client, a data breakpoint that is set. `id` is the id that the client uses.
fn verified(id: Option<i64>) -> Breakpoint {
    Breakpoint {
        id,
        verified: true,
        ..Breakpoint::default()
    }
}
