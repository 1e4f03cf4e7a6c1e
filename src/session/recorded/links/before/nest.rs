//! Finds the parent of each frame whose first events are missing: the frame that contains the enclosing Parallel or
//! Map. The scope of the frame shows the enclosing state; the parent must also have been active long enough.
//!
//! A frame can be inside another frame only if the work of the other frame ended later. The frames that ended last have
//! the fewest possible parents, so their parents are chosen first.

use super::{Before, DEEPEST, Lane, MOST_FREE, Under};
use crate::definition::{Integration, ScopeId, State, StateKind};
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;
use crate::session::recorded::frame::Owner;
use std::cmp::Reverse;

impl Before<'_> {
    /// Finds the parents of all frames except the outermost frame, and then the names of the frames' states.
    /// `root_scope` is the scope of the outermost frame.
    pub(super) fn nest(&mut self, root_scope: ScopeId) {
        for at in 0..self.lanes.len() {
            self.set_scope(at);
        }
        self.learn();
        // First marks the aborted frames, because they were active until their abort event.
        let left = (0..self.events.len())
            .filter(|place| !self.stop(*place, false))
            .collect::<Vec<_>>();
        self.learn();
        let mut free = self.free();
        free.extend(self.root);
        free.sort_by_key(|at| self.lanes.get(*at).map(|lane| lane.last));
        // Limits the nesting depth, because events that contradict one another can name a state that contains itself.
        let mut levels = 0;
        while let Some(at) = free.pop() {
            let Some(lane) = self.lanes.get(at).filter(|lane| lane.parent.is_none()) else {
                continue;
            };
            if self.definition.is_some() && lane.scope == Some(root_scope) {
                self.root.get_or_insert(at);
            } else if let Some(owner) = self.owner_of(at) {
                // The frame was taken for the outermost frame because its error ended the execution, but the frame has
                // an enclosing state.
                self.root = self.root.filter(|root| *root != at);
                let made = self.put_into(at, &owner);
                levels = made.map_or(0, |_| levels + 1);
                free.extend(made.filter(|_| levels < DEEPEST));
            }
        }
        for place in left.into_iter().take(MOST_FREE) {
            self.stop(place, true);
        }
        self.join_unknown();
        self.number_items();
        if let Some(root) = self.root.and_then(|root| self.lane(root)) {
            root.scope.get_or_insert(root_scope);
        }
        let mut all: Vec<usize> = (0..self.lanes.len()).collect();
        all.sort_by_key(|at| self.depth(*at));
        for at in all {
            self.set_scope(at);
            self.set_name(at);
        }
    }

    /// If no event names the state `under` of a frame, gives this state the name of the first state in the definition
    /// that fits.
    fn set_name(&mut self, at: usize) {
        let known = || {
            let definition = self.definition?;
            let lane = self.lanes.get(at)?;
            let under = lane.under.as_ref().filter(|under| under.name.is_none())?;
            let is_child = |child: &&Lane, of: usize| child.parent == Some(of);
            let owner = lane.parent.and_then(|parent| {
                let parent = self.lanes.get(parent)?;
                let (scope, name) = (parent.scope?, parent.names.first()?);
                definition.state(self.outline.state(scope, name)?)
            });
            let siblings = lane.parent.into_iter().flat_map(|parent| {
                let lanes = self.lanes.iter();
                lanes.filter(move |lane| is_child(lane, parent))
            });
            let taken: Vec<ScopeId> = siblings.filter_map(|lane| lane.scope).collect();
            let is_scope = |scope: ScopeId| match (lane.scope, owner) {
                (Some(known), _) => known == scope,
                (None, Some(owner)) => owner.inner().contains(&scope) && !taken.contains(&scope),
                (None, None) => false,
            };
            let mut fitting = definition.states.iter().filter(|state| {
                let mut children = self.lanes.iter().filter(|lane| is_child(lane, at));
                is_scope(state.scope)
                    && *state.type_name() == *under.type_name
                    && self.calls(at, state)
                    && children.all(|child| {
                        let scope = child.scope;
                        scope.is_none_or(|scope| state.inner().contains(&scope))
                    })
            });
            let state = fitting.next()?;
            let guess = fitting.next().and(lane.first);
            Some((state.scope, state.name.clone(), guess))
        };
        if let Some((scope, name, guess)) = known()
            && let Some(lane) = self.lane(at)
        {
            lane.scope = Some(scope);
            self.name(at, &name);
            let first = self.guess.into_iter().chain(guess).min();
            self.guess = first;
        }
    }

    /// False if the frame `at` is in a Task whose recorded call differs from the call that `state` makes. The Task is
    /// then not `state`.
    fn calls(&self, at: usize, state: &State) -> bool {
        let StateKind::Task(task) = &state.kind else {
            return true;
        };
        let first = self.lanes.get(at).and_then(|lane| lane.first);
        let Some(event) = first.and_then(|first| self.events.get(first)) else {
            return true;
        };
        let mut events = (0..)
            .zip(&self.lane_of)
            .filter(|(_, lane)| **lane == Some(at));
        let scheduled = events.find_map(|(place, _): (usize, _)| {
            let event = self.events.get(place)?;
            (event.kind == Some(EventKind::TaskScheduled)).then_some(event)
        });
        if !scheduled.is_none_or(|event| self.passes(event, state)) {
            return false;
        }
        let is_activity = task.integration == Integration::Activity;
        let is_function = task.integration == Integration::Lambda;
        match &*event.type_name {
            name if name.starts_with("Activity") => is_activity,
            name if name.starts_with("LambdaFunction") => is_function,
            name if name.starts_with("Task") => !is_activity && !is_function,
            _ => true,
        }
    }

    /// True if the constants in Parameters or Arguments of a Task are in the input of a recorded call.
    fn passes(&self, event: &RecordedEvent, state: &State) -> bool {
        let node = self
            .definition
            .and_then(|definition| definition.node_of(state));
        let given = ["Parameters", "Arguments"];
        let members = given.iter().find_map(|name| node?.get(name)?.members());
        let Some(passed) = event.data.value() else {
            return true;
        };
        let mut constants = members.into_iter().flatten().filter_map(|member| {
            let text = member.value.as_str()?;
            let is_constant = !member.key.text.ends_with(".$") && !text.contains(['{', '$']);
            is_constant.then_some((&*member.key.text, text))
        });
        constants.all(|(name, text)| {
            passed
                .get(name)
                .is_none_or(|value| value.as_str() == Some(text))
        })
    }

    fn free(&self) -> Vec<usize> {
        let lanes = self.lanes.iter().enumerate();
        let free = lanes.filter(|(at, lane)| lane.parent.is_none() && self.root != Some(*at));
        free.map(|(at, _)| at).collect()
    }

    /// Sets the scope of a frame, if it is unknown: the scope that contains the known states of the frame, or the
    /// ItemProcessor of the frame's Map.
    fn set_scope(&mut self, at: usize) {
        let Some(lane) = self.lanes.get(at).filter(|lane| lane.scope.is_none()) else {
            return;
        };
        let of_map = || {
            let (_, map) = lane.item.as_ref()?;
            let mut states = self.definition?.states.iter();
            let map = states.find(|state| state.name == *map)?;
            map.inner().first().copied()
        };
        let scope = self.outline.scope_of(&lane.names).or_else(of_map);
        if let Some(lane) = self.lane(at) {
            lane.scope = scope;
        }
    }

    /// Records, for the scope of each frame, which Parallel or Map contains the scope, if the events show this.
    fn learn(&mut self) {
        for at in 0..self.lanes.len() {
            let Some(lane) = self.lanes.get(at) else {
                continue;
            };
            let parent = lane.parent.and_then(|parent| self.lanes.get(parent));
            let by_under = parent
                .filter(|_| !lane.is_later)
                .and_then(|parent| parent.under.as_ref())
                .map(|under| (under.type_name.clone(), under.name.clone()));
            let owner = map_of(lane).or(by_under).or_else(|| lane.of.clone());
            let (map, parent) = (lane.item.as_ref().map(|(_, map)| map.clone()), lane.parent);
            if let (Some(scope), Some(owner), None) = (lane.scope, owner, self.definition) {
                self.outline.learn(scope, owner);
            }
            // An event about an item contains the name of the Map.
            if let (Some(map), Some(parent)) = (map, parent) {
                self.name(parent, &map);
            }
        }
    }

    /// Type and name of the Parallel or Map that contains a frame; `None` if it is not known.
    fn owner_of(&self, at: usize) -> Option<Owner> {
        let lane = self.lanes.get(at)?;
        map_of(lane)
            .or_else(|| self.outline.owner(lane.scope?).cloned())
            .or_else(|| {
                // If two states were entered after the same event, each starts a branch of a Parallel.
                let is_beside = self.beside(at).is_some();
                is_beside.then(|| (Text::from("Parallel"), None))
            })
    }

    /// Another frame whose start follows the same missing event.
    fn beside(&self, at: usize) -> Option<usize> {
        let begins = |lane: &Lane| {
            let kind = lane.first.and_then(|first| self.events.get(first)?.kind);
            lane.after.filter(|_| {
                matches!(
                    kind,
                    Some(EventKind::StateEntered | EventKind::IterationStarted)
                )
            })
        };
        let after = begins(self.lanes.get(at)?)?;
        let mut lanes = self.lanes.iter().enumerate();
        let beside = lanes.find(|(other, lane)| *other != at && begins(lane) == Some(after));
        beside.map(|(other, _)| other)
    }

    /// Sets the parent of a frame to a frame that is in the enclosing state `owner`. If there is no such frame, adds a
    /// frame and returns it.
    fn put_into(&mut self, at: usize, owner: &Owner) -> Option<usize> {
        let lane = self.lanes.get(at)?;
        let (type_name, name) = owner;
        let beside = self.beside(at);
        let is_owner = |other: &usize| {
            // In each attempt, a Parallel or Map runs each branch or item only once.
            let is_child =
                |child: &&Lane| child.parent == Some(*other) && child.is_beside(lane.last);
            let mut children = self.lanes.iter().filter(is_child);
            let is_taken = match &lane.item {
                Some(item) => children.any(|child| child.item.as_ref() == Some(item)),
                None if &**type_name == "Map" => false,
                None => children.any(|child| child.scope.is_some() && child.scope == lane.scope),
            };
            self.lanes.get(*other).is_some_and(|lane| {
                lane.under.as_ref().is_some_and(|under| {
                    let named = under.name.is_none() || name.is_none() || under.name == *name;
                    under.type_name == *type_name && named
                })
            }) && !is_taken
        };
        let fits = |other: &usize| self.is_open_for(at, *other) && is_owner(other);
        let known = beside.and_then(|beside| self.lanes.get(beside)?.parent);
        let known = known.filter(fits);
        let existing = known.or_else(|| {
            let lanes = (0..self.lanes.len()).filter(fits);
            lanes.min_by_key(|other| {
                let closed = self.lanes.get(*other).and_then(|lane| lane.closed);
                let closed = closed.unwrap_or(usize::MAX);
                (closed < lane.until, closed)
            })
        });
        // In Step Functions Local, a branch can continue after its Parallel has failed and been left.
        let late = |other: &usize| {
            let is_named = self.lanes.get(*other).is_some_and(|lane| {
                let under = lane.under.as_ref();
                name.is_some() && under.is_some_and(|under| under.name == *name)
            });
            is_named && is_owner(other) && self.top(*other) != at
        };
        let existing = existing.or_else(|| (0..self.lanes.len()).find(late));
        let (last, until) = (lane.last, lane.until);
        let existing = existing.or_else(|| self.put_into_left(at, owner));
        let parent = existing.unwrap_or_else(|| {
            let under = Under {
                type_name: type_name.clone(),
                name: name.clone(),
                begun: true,
                ..Under::default()
            };
            self.begin_under(under, last)
        });
        let is_whole = beside.is_some() && self.lanes.get(at).is_some_and(Lane::is_entered);
        if let Some(lane) = self.lane(at) {
            lane.parent = Some(parent);
            lane.is_whole |= is_whole;
        }
        if let Some(lane) = self.lane(parent) {
            lane.last = lane.last.max(last);
            lane.until = lane.until.max(until);
            if let Some(under) = &mut lane.under {
                under.begun = true;
            }
        }
        if let Some(name) = name {
            self.name(parent, name);
        }
        self.set_scope(parent);
        existing.is_none().then_some(parent)
    }

    /// Looks for a frame that had left the enclosing state `owner` before the recorded events begin. If there is one,
    /// records this in the frame and returns it as the parent.
    fn put_into_left(&mut self, at: usize, owner: &Owner) -> Option<usize> {
        let (type_name, Some(name)) = owner else {
            return None;
        };
        let first = self.lanes.get(at)?.first?;
        let is_it = |lane: &Lane| {
            let has_it = |scope| self.outline.state(scope, name).is_some();
            let is_later = lane.first.is_some_and(|begun| begun > first);
            lane.is_entered() && !lane.is_whole && is_later && lane.scope.is_some_and(has_it)
        };
        let parent = self.lanes.iter().position(is_it)?;
        let lane = self.lane(parent).filter(|_| parent != at)?;
        lane.names.insert(0, name.clone());
        lane.under = Some(Under {
            type_name: type_name.clone(),
            name: Some(name.clone()),
            begun: true,
            ended: true,
            left: true,
            ..Under::default()
        });
        Some(parent)
    }

    /// Sets the name of the state in `under` of a frame, if it is unknown.
    fn name(&mut self, at: usize, name: &Text) {
        if let Some(lane) = self.lane(at)
            && let Some(under) = &mut lane.under
            && under.name.is_none()
        {
            under.name = Some(name.clone());
            lane.names.insert(0, name.clone());
        }
    }

    /// True if the frame `other` was in a Parallel or Map, and was still in it after the last event of the frame `at`.
    fn is_open_for(&self, at: usize, other: usize) -> bool {
        let last = self.lanes.get(at).map_or(0, |lane| lane.last);
        let is_open = self.lanes.get(other).is_some_and(|lane| {
            let under = lane.under.as_ref();
            under.is_some_and(|under| matches!(&*under.type_name, "Parallel" | "Map"))
                && lane.closed.is_none_or(|closed| closed > last)
        });
        is_open && self.top(other) != at
    }

    /// Marks the frame that an abort event belongs to as aborted. If there is no such frame, adds a frame if `adds` is
    /// set; otherwise returns false.
    fn stop(&mut self, place: usize, adds: bool) -> bool {
        let Some(event) = self.events.get(place).filter(|event| event.is_abort()) else {
            return true;
        };
        let is_new = |lane: &Lane| {
            let begun = lane.first.is_none_or(|first| first < place);
            begun && !lane.is_over
        };
        let type_name = match event.kind {
            Some(EventKind::TaskAborted) => "Task",
            Some(EventKind::WaitAborted) => "Wait",
            Some(EventKind::ParallelAborted) => "Parallel",
            Some(EventKind::MapAborted) => "Map",
            Some(EventKind::IterationAborted) => return self.stop_item(place, is_new, adds),
            _ => return true,
        };
        let is_it = |lane: &Lane| lane.is_in(type_name) && !lane.is_stopped && is_new(lane);
        let near = self.lane_of.get(place).copied().flatten();
        let near = near.filter(|near| self.lanes.get(*near).is_some_and(is_it));
        let stopped = near.or_else(|| self.lanes.iter().position(is_it));
        let stopped = stopped.or_else(|| {
            let under = Under {
                type_name: type_name.into(),
                begun: type_name != "Wait",
                ..Under::default()
            };
            adds.then(|| self.begin_under(under, place))
        });
        if let Some(lane) = stopped.and_then(|at| self.lane(at)) {
            (lane.is_stopped, lane.until) = (true, place);
        }
        stopped.is_some()
    }

    /// Like `stop`, for an event about an aborted item. Marks a frame that is known to be the item, otherwise a frame
    /// that can be the item, otherwise a new frame.
    fn stop_item(&mut self, place: usize, is_new: impl Fn(&Lane) -> bool, adds: bool) -> bool {
        let Some(event) = self.events.get(place) else {
            return true;
        };
        let map = event.name.clone();
        let item = (event.index.unwrap_or(0), map.clone().unwrap_or_default());
        let is_child = |lane: &Lane| {
            let parent = lane.parent.and_then(|parent| self.lanes.get(parent));
            let under = parent.and_then(|parent| parent.under.as_ref());
            !lane.is_later
                && under.is_some_and(|under| {
                    &*under.type_name == "Map" && (under.name.is_none() || under.name == map)
                })
        };
        let lanes = || self.lanes.iter();
        let stopped = lanes()
            .position(|lane| lane.item.as_ref() == Some(&item) && is_new(lane))
            .or_else(|| {
                let is_it = |lane: &Lane| lane.item.is_none() && is_new(lane) && is_child(lane);
                lanes().position(is_it)
            })
            .or_else(|| {
                let is_it = |(at, lane): &(usize, &Lane)| {
                    let free = lane.parent.is_none() && lane.item.is_none() && lane.is_stopped;
                    let owner = || self.owner_of(*at).is_none_or(|(_, name)| name == map);
                    free && self.root != Some(*at) && is_new(lane) && owner()
                };
                let aborted = lanes().enumerate().filter(is_it);
                let last = aborted.max_by_key(|(_, lane)| lane.until);
                last.map(|(at, _)| at)
            });
        let lane = Lane {
            last: place,
            ..Lane::default()
        };
        let stopped = stopped.or_else(|| adds.then(|| self.begin(lane)));
        let Some(stopped) = stopped else { return false };
        if let Some(lane) = self.lane(stopped) {
            (lane.item, lane.is_over, lane.until) = (Some(item), true, place);
        }
        self.set_scope(stopped);
        let is_free = self
            .lanes
            .get(stopped)
            .is_some_and(|lane| lane.parent.is_none());
        if adds && is_free {
            let mut made = self.put_into(stopped, &("Map".into(), map));
            for _ in 0..DEEPEST {
                let owner = made.and_then(|at| Some((at, self.owner_of(at)?)));
                made = owner.and_then(|(at, owner)| self.put_into(at, &owner));
            }
        }
        true
    }

    /// Sets the parents of the frames whose enclosing state is unknown. The parent of each is the innermost frame that
    /// was in a Parallel or Map long enough. Also determines the outermost frame.
    fn join_unknown(&mut self) {
        let mut left = self.free();
        if let ([only], None) = (&left[..], self.root) {
            self.root = Some(*only);
            return;
        }
        left.retain(|at| {
            let owners = (0..self.lanes.len()).filter(|other| self.is_open_for(*at, *other));
            let until = self.lanes.get(*at).map_or(0, |lane| lane.until);
            let best = owners.max_by_key(|owner| {
                let lane = self.lanes.get(*owner);
                let is_parallel = lane
                    .and_then(|lane| lane.under.as_ref())
                    .is_some_and(|under| &*under.type_name == "Parallel");
                let closed = lane.and_then(|lane| lane.closed).unwrap_or(usize::MAX);
                // Prefers a frame whose Parallel or Map ended after the last sign that the inner frame was active.
                (
                    closed >= until,
                    is_parallel,
                    self.depth(*owner),
                    Reverse(closed),
                )
            });
            if let Some(lane) = self.lanes.get_mut(*at) {
                lane.parent = best;
            }
            best.is_none()
        });
        left.extend(self.root);
        if let [only] = left[..] {
            self.root = Some(only);
            return;
        }
        // Several frames are left, which ran in parallel: adds an outermost frame that is in a Parallel.
        let under = Under {
            type_name: "Parallel".into(),
            begun: true,
            ..Under::default()
        };
        let root = self.begin_under(under, self.events.len());
        for at in left {
            if let Some(lane) = self.lane(at) {
                lane.parent = Some(root);
            }
        }
        self.root = Some(root);
    }

    /// Gives an index to each item whose index no event shows.
    fn number_items(&mut self) {
        for at in 0..self.lanes.len() {
            let Some(lane) = self.lanes.get(at).filter(|lane| lane.item.is_none()) else {
                continue;
            };
            let Some(parent) = lane.parent.filter(|_| !lane.is_later) else {
                continue;
            };
            let under = self.lanes.get(parent).and_then(|lane| lane.under.as_ref());
            let Some(map) = under.filter(|under| &*under.type_name == "Map") else {
                continue;
            };
            let last = lane.last;
            let children = self
                .lanes
                .iter()
                .filter(|lane| lane.parent == Some(parent) && lane.is_beside(last));
            let taken: Vec<u32> = children
                .filter_map(|lane| lane.item.as_ref().map(|(index, _)| *index))
                .collect();
            let index = (0..).find(|index| !taken.contains(index)).unwrap_or(0);
            let item = (index, map.name.clone().unwrap_or_default());
            if let Some(lane) = self.lane(at) {
                lane.item = Some(item);
            }
        }
    }

    fn depth(&self, mut at: usize) -> usize {
        let mut depth = 0;
        while let Some(parent) = self.lanes.get(at).and_then(|lane| lane.parent) {
            (at, depth) = (parent, depth + 1);
            if depth > DEEPEST {
                break;
            }
        }
        depth
    }
}

impl Lane {
    /// True if the frame had started by the event with the index `place`. A frame without a recorded start had started
    /// before all events.
    fn is_beside(&self, place: usize) -> bool {
        !self.is_whole || self.first.is_none_or(|first| first <= place)
    }

    /// True if the first recorded event of the frame is the entry of a state, and the frame is not known to be an item.
    fn is_entered(&self) -> bool {
        self.under.is_none() && self.item.is_none()
    }
}

/// The Map that a frame is an item of; `None` if the frame is not known to be an item.
fn map_of(lane: &Lane) -> Option<Owner> {
    let (_, map) = lane.item.as_ref()?;
    Some((Text::from("Map"), Some(map.clone())))
}
