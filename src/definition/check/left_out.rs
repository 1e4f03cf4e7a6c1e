//! Members that a state reads and that nothing it can get has: what made the data left them out.
//!
//! It must not know how the inputs of states are worked out: `Shapes` does.

use super::reads::{Read, reads};
use super::shape::{Lack, Maker, Part, Shape};
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::json::Text;
use crate::source::{Node, Span, nearest};
use std::collections::HashSet;

rules! {
    LEFT_OUT = 88, "left-out", "LEFT_OUT", Severities::WARNING,
        "a state reads a member of its input that what makes the input leaves out on every way there";
}

/// So many members are named of an object.
const NAMED: usize = 8;

impl<'d> Checker<'d> {
    pub(super) fn left_out(&mut self) {
        let shapes = Shapes::of(self.definition, &self.states, &self.replacing);
        let mut told: HashSet<(String, Vec<Text>)> = HashSet::new();
        for at in self.states.clone() {
            let input = shapes.input(at.id);
            for read in reads(at) {
                let Some(lack) = input.lack(&read.names) else {
                    continue;
                };
                // What the InputPath does not find, it alone is told of.
                if lack.steps <= read.selected {
                    continue;
                }
                let lacked = read.names.get(..lack.steps).unwrap_or_default().to_vec();
                let had = |maker: &&Maker| shapes.input(maker.state).lack(&lacked).is_none();
                let Some(maker) = lack.makers.iter().find(had).or(lack.makers.first()) else {
                    continue;
                };
                if maker.part == Part::Envelope {
                    self.missed_in(maker.state, &lacked, &read);
                // Of what is dropped and read that is said already.
                } else if !self.missing.contains(&at.id)
                    && told.insert((format!("{maker:?}"), lacked))
                {
                    self.read_of_left_out((at, input), &read, &lack, *maker);
                }
            }
        }
    }

    fn read_of_left_out(
        &mut self,
        (at, input): (StateAt<'d>, &Shape),
        read: &Read,
        lack: &Lack<'_>,
        maker: Maker,
    ) {
        let place = self.places.get(&maker.state);
        let Some(by) = place.and_then(|place| self.states.get(*place).copied()) else {
            return;
        };
        let does = match read.asks {
            true => "asks for",
            false => "reads",
        };
        let (what, span) = part(by, maker.part);
        let batch = maker.part == Part::Field("ItemBatcher");
        let of = by.state.name.as_ref();
        let has = listed(&lack.members);
        let makes = match batch {
            true => format!("a batch of \"{of}\" has only {has}"),
            false => format!("{what} of \"{of}\" leaves it out"),
        };
        let reader = &at.state.name;
        let message = format!("\"{reader}\" {does} {}, but {makes}", read.path);
        let name = lack
            .steps
            .checked_sub(1)
            .and_then(|last| read.names.get(last));
        let near = name.and_then(|name| nearest(name, lack.members.iter().map(|name| &***name)));
        let elsewhere = name.and_then(|name| input.elsewhere(name));
        let here = batch || read.of_item || near.is_some() || elsewhere.is_some();
        let root = if at.is_jsonata() {
            "$states.input"
        } else {
            "$"
        };
        let help = match (elsewhere, near) {
            (None, _) if read.of_item => {
                let item = match read.in_jsonata {
                    true => "$states.context.Map.Item.Value",
                    false => "$$.Map.Item.Value",
                };
                let own = read.names.get(read.selected..).unwrap_or_default();
                format!("if the item has it, it is {item}.{}", own.join("."))
            }
            (Some(names), _) => format!("there is {root}.{}", names.join(".")),
            (None, Some(near)) => format!("did you mean \"{near}\"?"),
            (None, None) if batch => format!("the items of a batch are in {root}.Items"),
            (None, None) => format!("pass it on there: what it passes on has only {has}"),
        };
        let found = self.found(LEFT_OUT, message).help(help);
        self.add(match here {
            true => found
                .at(read.span, read.location.as_str())
                .related(span, "it is made here"),
            false => found
                .at(span, by.state.location.as_ref())
                .related(read.span, "it is read here"),
        });
    }
}

/// What a part of a state is called, and where it stands.
fn part(at: StateAt<'_>, part: Part) -> (String, Span) {
    let item = |list: &str, place: usize| {
        let items = at.get(list).and_then(Node::items);
        let node = items.and_then(|items| items.get(place));
        let span = node.map_or(at.state.name_span, opening);
        (format!("{list}[{place}]"), span)
    };
    match part {
        Part::Envelope => ("the envelope".to_string(), at.state.name_span),
        Part::Field(name) => {
            let member = at.node.member(name);
            let span = member.map_or(at.state.name_span, |member| member.key.span);
            (name.to_string(), span)
        }
        Part::Rule(place) => item("Choices", place),
        Part::Catcher(place) => item("Catch", place),
    }
}

fn listed(members: &[&Text]) -> String {
    let names: Vec<&str> = members.iter().take(NAMED).map(|name| &***name).collect();
    match members.len() {
        0 => "nothing".to_string(),
        count if count > NAMED => format!("{} and {} more", names.join(", "), count - NAMED),
        _ => names.join(", "),
    }
}
