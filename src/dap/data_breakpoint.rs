//! Data breakpoints: which values support them, and which are set.

use super::breakpoint::{hit_count, text};
use super::breakpoint_list::Placed;
use super::debuggee::Debuggee;
use super::handle::{Container, ScopeKind};
use super::outbox::Outbox;
use super::protocol::{
    Breakpoint, BreakpointsBody, DataBreakpoint, DataBreakpointInfoArguments,
    DataBreakpointInfoBody, SetDataBreakpointsArguments,
};
use super::refusal::Refusal;
use super::scope::Part;
use crate::json::Step;
use crate::query::Expression;
use crate::session::{self, BreakpointId, Command, Location, Reply};

impl Debuggee {
    /// Says whether a variable or expression supports a data breakpoint, and returns its data id.
    pub fn data_breakpoint_info(
        &mut self,
        arguments: &DataBreakpointInfoArguments,
    ) -> Result<DataBreakpointInfoBody, Refusal> {
        self.standing()?;
        let path = match arguments.variables_reference {
            Some(reference) if reference > 0 => self.expression_of(reference, &arguments.name)?,
            _ => Some(arguments.name.clone()),
        };
        let none = |why: String| DataBreakpointInfoBody {
            description: why,
            ..DataBreakpointInfoBody::default()
        };
        let Some(path) = path else {
            let why = format!("{} is not a value in the run's data", arguments.name);
            return Ok(none(why));
        };
        // The input of a state is the output of the previous one, so both are the same data.
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
            return Ok(none(why.to_string()));
        }
        if let Err(error) = Expression::parse(&path) {
            return Ok(none(error.message));
        }
        Ok(DataBreakpointInfoBody {
            description: format!("{path} changes"),
            data_id: Some(path),
            access_types: vec!["write"],
            can_persist: Some(true),
        })
    }

    /// The expression that evaluates to a part of a container.
    fn expression_of(&mut self, reference: i64, name: &str) -> Result<Option<String>, Refusal> {
        let expression = match self.handles.container(reference)?.clone() {
            Container::Scope(frame, kind) => {
                let parts = self.scope_parts(frame, kind)?;
                let node = parts.into_iter().find_map(|part| match part {
                    Part::Value(own, node) if own == name && kind != ScopeKind::Error => Some(node),
                    _ => None,
                });
                node.and_then(|node| node.expression)
            }
            Container::Value(node) | Container::Range(node, ..) => {
                let step = match node.value.is_array() {
                    true => name.parse().ok().map(Step::Item),
                    false => Some(Step::Member(name.into())),
                };
                let child = step.map(|step| node.child(step, crate::json::Value::Null));
                child.and_then(|child| child.expression)
            }
        };
        Ok(expression)
    }

    /// Sets the data breakpoints, replacing all previous ones.
    pub fn set_data_breakpoints(
        &mut self,
        arguments: SetDataBreakpointsArguments,
        out: &mut Outbox,
    ) -> Result<BreakpointsBody, Refusal> {
        let mut before = std::mem::take(&mut self.lists.data.placed);
        let mut told = Vec::new();
        for wanted in arguments.breakpoints {
            let same = before
                .iter()
                .position(|own| own.wanted == wanted && own.id.is_some());
            let placed = match same {
                Some(place) => {
                    let own = before.remove(place);
                    told.push(Breakpoint {
                        id: own.shown,
                        verified: true,
                        ..Breakpoint::default()
                    });
                    own
                }
                None => {
                    let (breakpoint, id) = self.set_data(&wanted, out)?;
                    let shown = breakpoint.id;
                    told.push(breakpoint);
                    Placed { wanted, id, shown }
                }
            };
            self.lists.data.placed.push(placed);
        }
        for id in before.into_iter().filter_map(|own| own.id) {
            // A command may have removed the breakpoint already.
            drop(self.apply(Command::RemoveBreak(id), out));
        }
        Ok(BreakpointsBody { breakpoints: told })
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
            return Ok((
                self.lists.unverified(
                    "this run was launched without debugging (noDebug)",
                    "failed",
                ),
                None,
            ));
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
            Reply::Breakpoint(resolved) => Ok((self.verified(resolved.id), resolved.id)),
            _ => Ok((self.lists.unverified("it could not be set", "failed"), None)),
        }
    }

    /// Sets the data breakpoints in another session, which may have had them before; the client's ids are kept.
    pub fn set_data_again(&mut self, out: &mut Outbox) {
        let placed = std::mem::take(&mut self.lists.data.placed);
        for own in placed {
            let at = Location::Data(own.wanted.data_id.as_str().into());
            let points = self.session.view().breakpoints.into_iter();
            let stale = points.filter(|point| point.breakpoint.at == at);
            for point in stale.collect::<Vec<_>>() {
                drop(self.apply(Command::RemoveBreak(point.id), out));
            }
            let id = self.set_data(&own.wanted, out).ok().and_then(|(_, id)| id);
            if let (Some(id), Some(shown)) = (id, own.shown) {
                self.lists.show_as(id, shown);
            }
            self.lists.data.placed.push(Placed { id, ..own });
        }
    }

    fn verified(&self, id: Option<BreakpointId>) -> Breakpoint {
        Breakpoint {
            id: id.map(|id| self.lists.number(id)),
            verified: true,
            ..Breakpoint::default()
        }
    }
}
