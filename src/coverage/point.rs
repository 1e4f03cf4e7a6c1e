//! The points of a definition that a run can reach, and the location of each point in the source text.

use crate::definition::{Definition, Map, Owner, State, StateId, StateKind, Transition};
use crate::graph::EdgeKind;
use crate::interpreter::Edge;
use crate::source::Span;

/// Number of items that a Map processed, as none, one or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Count {
    /// The Map processed no items.
    None,
    /// The Map processed one item.
    One,
    /// The Map processed two or more items.
    Several,
}

impl Count {
    /// Returns none, one or several for a number of items.
    #[must_use]
    pub fn of(items: u32) -> Self {
        match items {
            0 => Self::None,
            1 => Self::One,
            _ => Self::Several,
        }
    }
}

/// Something in a definition that a run can reach, such as a state or a transition. Points are sorted by state, then by
/// position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The state to which the point belongs.
    pub state: StateId,
    /// The kind of point: the entry into this state, a transition, a retrier, ...
    pub kind: Kind,
}

/// The kinds of points of a state: everything that a run can reach there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The state was entered.
    Entered,
    /// The state was left by this transition.
    Left(Edge),
    /// The retrier with this index matched an error and the state was retried.
    Retried(u32),
    /// The retrier with this index matched an error but had no attempts left.
    UsedUp(u32),
    /// The Map processed this many items: none, one or several.
    Items(Count),
    /// An item of a Map failed.
    ItemFailed,
    /// A Map succeeded although items had failed, because it tolerates failures.
    Tolerated,
    /// The branch with this index of a Parallel state was started.
    Branch(u32),
}

impl Kind {
    /// The group to which the point belongs: `states`, `transitions`, `retriers`, `maps` or `branches`.
    #[must_use]
    pub fn group(self) -> &'static str {
        match self {
            Self::Entered => "states",
            Self::Left(_) => "transitions",
            Self::Retried(_) | Self::UsedUp(_) => "retriers",
            Self::Items(_) | Self::ItemFailed | Self::Tolerated => "maps",
            Self::Branch(_) => "branches",
        }
    }
}

impl Point {
    /// Short description of the point for reports, such as `Default → Ship`.
    #[must_use]
    pub fn text(&self, definition: &Definition) -> String {
        let state = definition.state(self.state);
        match self.kind {
            Kind::Entered => "entered".to_string(),
            Kind::Left(edge) => {
                let to = state.map(|state| target(state, edge)).unwrap_or_default();
                match edge {
                    Edge::Next => format!("Next {to}"),
                    Edge::Rule(index) => format!("Choices[{index}] {to}"),
                    Edge::Default => format!("Default {to}"),
                    Edge::Catch(index) => format!("Catch[{index}] {to}"),
                    Edge::End => "end".to_string(),
                }
            }
            Kind::Retried(index) => format!("Retry[{index}] used"),
            Kind::UsedUp(index) => format!("all attempts of Retry[{index}] used"),
            Kind::Items(Count::None) => "no items".to_string(),
            Kind::Items(Count::One) => "one item".to_string(),
            Kind::Items(Count::Several) => "several items".to_string(),
            Kind::ItemFailed => "an item failed".to_string(),
            Kind::Tolerated => "failures tolerated".to_string(),
            Kind::Branch(index) => format!("Branches[{index}]"),
        }
    }

    /// Location of the point in the source text.
    #[must_use]
    pub fn span(&self, definition: &Definition) -> Span {
        let Some(state) = definition.state(self.state) else {
            return Span::default();
        };
        let field = |name: &str| state.field(name).map(|field| field.key);
        let point_span = match self.kind {
            Kind::Entered => None,
            Kind::Left(edge) => match edge {
                Edge::Next => field("Next"),
                Edge::End => field("End"),
                Edge::Default => field("Default"),
                Edge::Rule(_) | Edge::Catch(_) => state.part_span(edge.owner()),
            },
            Kind::Retried(index) | Kind::UsedUp(index) => state.part_span(Owner::Retrier(index)),
            Kind::Items(_) | Kind::ItemFailed => {
                field("ItemProcessor").or_else(|| field("Iterator"))
            }
            Kind::Tolerated => {
                let mut fields = state.fields.iter();
                let field = fields.find(|field| field.name.starts_with("Tolerated"));
                field.map(|field| field.key)
            }
            Kind::Branch(index) => {
                let scope = state.inner().get(index as usize);
                let scope = scope.and_then(|scope| definition.scope(*scope));
                scope.map(|scope| scope.span)
            }
        };
        point_span.unwrap_or(state.name_span)
    }
}

/// The target state of a transition, formatted as `→ Ship`.
fn target(state: &State, edge: Edge) -> String {
    let target = edge.target(state);
    target.map_or_else(String::new, |target| format!("→ {}", target.name))
}

/// All points of a definition, state by state.
#[must_use]
pub fn points(definition: &Definition) -> Vec<Point> {
    let mut all = Vec::new();
    for id in definition.state_ids() {
        if let Some(state) = definition.state(id) {
            let kinds = kinds(state).into_iter();
            all.extend(kinds.map(|kind| Point { state: id, kind }));
        }
    }
    all
}

fn kinds(state: &State) -> Vec<Kind> {
    let mut kinds = vec![Kind::Entered];
    let index = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    match &state.transition {
        Transition::Next(_) => kinds.push(Kind::Left(Edge::Next)),
        Transition::End => kinds.push(Kind::Left(Edge::End)),
        Transition::None => {}
    }
    match &state.kind {
        StateKind::Choice(choice) => {
            let rules = (0..choice.rules.len()).map(|place| Kind::Left(Edge::Rule(index(place))));
            kinds.extend(rules);
            kinds.extend(choice.default.as_ref().map(|_| Kind::Left(Edge::Default)));
        }
        StateKind::Parallel { branches } => {
            kinds.extend((0..branches.len()).map(|place| Kind::Branch(index(place))));
        }
        StateKind::Map(map) => kinds.extend(of_map(map)),
        _ => {}
    }
    for (place, retrier) in state.retry.iter().enumerate() {
        // A retrier with MaxAttempts 0 never retries; it only keeps later retriers from matching.
        if retrier.max_attempts > 0 {
            kinds.push(Kind::Retried(index(place)));
        }
        kinds.push(Kind::UsedUp(index(place)));
    }
    let catchers = 0..state.catch.len();
    kinds.extend(catchers.map(|place| Kind::Left(Edge::Catch(index(place)))));
    kinds.sort_unstable();
    kinds
}

fn of_map(map: &Map) -> Vec<Kind> {
    let mut kinds = vec![
        Kind::Items(Count::None),
        Kind::Items(Count::One),
        Kind::Items(Count::Several),
        Kind::ItemFailed,
    ];
    if map.tolerated_failure_count.is_some() || map.tolerated_failure_percentage.is_some() {
        kinds.push(Kind::Tolerated);
    }
    kinds
}

/// The transition that an edge of the graph stands for; `None` for the edge from the graph's start to the first state.
#[must_use]
pub fn edge_of(drawn: EdgeKind) -> Option<Edge> {
    Some(match drawn {
        EdgeKind::Start => return None,
        EdgeKind::Next => Edge::Next,
        EdgeKind::Rule(index) => Edge::Rule(index),
        EdgeKind::Default => Edge::Default,
        EdgeKind::End => Edge::End,
        EdgeKind::Catch(index) => Edge::Catch(index),
    })
}
