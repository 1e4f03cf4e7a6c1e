//! The activity in progress: the goal and the rule of a step, the focus frame, the clock's limit, the replay that looks
//! back for a stop, and the trail back to a value's origin.

use super::breakpoints::Breakpoints;
use super::breakpoints::DataSeen;
use super::origin::Search;
use super::place::{Holder, Onward, Origin, Root, Site};
use super::snapshot::{Recording, Repeated, Snapshot};
use super::stop_condition::{Stop, Verdict};
use crate::definition::StateId;
use crate::interpreter::{Event, EventKind, FrameId, Millis, Serve, Stage};
use crate::source::Span;
use std::sync::Arc;

/// State of stepping.
#[derive(Debug)]
pub(super) struct Stepper {
    /// The frame that steps apply to.
    pub focus: FrameId,
    /// The goal; `None` while nothing is in progress.
    pub goal: Option<Goal>,
    /// The range that a backward search replays.
    pub sweep: Option<Sweep>,
    /// The search for an origin, and the travel there.
    pub seeking: Option<Box<Seeking>>,
    /// Reason for the current or last stop.
    pub stop: Stop,
    pub clock: Clock,
    /// True to step into every child execution that a task starts, even when not stepping by stages.
    pub enters_children: bool,
}

impl Stepper {
    /// True if each stage stops and child executions are entered.
    pub fn is_stepping(&self) -> bool {
        matches!(
            self.goal,
            Some(Goal::Frame {
                rule: Rule::Stage,
                ..
            })
        )
    }
}

impl Default for Stepper {
    fn default() -> Self {
        Self {
            focus: FrameId(0),
            goal: None,
            sweep: None,
            seeking: None,
            stop: Stop::Start,
            clock: Clock::Free,
            enters_children: false,
        }
    }
}

/// The goal of what is in progress.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// Run until an event of the frame matches the rule; when the frame ends, its parent replaces it.
    Frame { frame: FrameId, rule: Rule },
    /// Run until a stop.
    Continue,
    /// Run until a state is entered; if it is not entered, go back to this event.
    Enter(StateId, u64),
    /// Travel to a recorded event.
    Travel(u64, Stop),
    /// Travel to a recorded event, then discard everything after it.
    Redo(u64),
    /// Travel to a recorded event, then run all items of this frame's Map, whatever fails.
    IgnoreFailures(u64, FrameId),
    /// Go back to the latest matching event before this one.
    Back { before: u64, rule: BackRule },
    /// Search a range of the recording by replaying it.
    Sweep,
    /// Travel to the origin of a value.
    Origin,
    /// Repeat the run up to this event after a reload.
    Repeat(u64),
}

/// The rule by which an event of the focus frame ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every event that is worth a stop.
    Stage,
    /// The entry of a state.
    State,
    /// The end of the frame.
    End,
    /// The exit of the state, for the outermost frame.
    Exit,
    /// The end of an attempt or item.
    Attempt,
}

/// The event that a backward step searches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackRule {
    /// An event of this frame or one of its ancestors.
    Frame(FrameId, Rule),
    /// An event at which running would have stopped.
    Stops,
}

impl Goal {
    /// True if the goal continues the run at its end.
    pub(super) fn is_onwards(&self) -> bool {
        matches!(
            self,
            Self::Frame { .. } | Self::Continue | Self::Enter(..) | Self::Repeat(_)
        )
    }
}

/// True if an event of the focus frame matches a rule.
pub(super) fn fits(rule: Rule, event: &Event) -> bool {
    match rule {
        Rule::State => matches!(event.kind, EventKind::StateEntered),
        Rule::Exit => matches!(event.kind, EventKind::StateExited),
        Rule::End => false,
        Rule::Attempt => matches!(
            event.kind,
            EventKind::TaskSucceeded | EventKind::TaskFailed | EventKind::TaskTimedOut
        ),
        Rule::Stage => match event.kind {
            EventKind::Stage(_) => event.written,
            // These occur together with another event, at which a step stops.
            EventKind::TaskStarted
            | EventKind::TaskSubmitted
            | EventKind::TaskSucceeded
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Uncaught
            | EventKind::ExecutionStarted => false,
            _ => true,
        },
    }
}

/// How far the clock may advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clock {
    /// Without limit: deadlines pass at once.
    #[default]
    Free,
    /// Up to this time.
    Held {
        /// The time.
        until: Millis,
        /// The deadline that the run is waiting for.
        due: Option<Millis>,
    },
}

impl Clock {
    /// A clock that may not advance beyond this time.
    pub fn held_at(now: Millis) -> Self {
        Self::Held {
            until: now,
            due: None,
        }
    }

    /// True if the clock is controlled from outside.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The deadline that the run is waiting for.
    pub fn due(self) -> Option<Millis> {
        match self {
            Self::Free => None,
            Self::Held { due, .. } => due,
        }
    }

    /// The time up to which a step may advance.
    pub fn horizon(self) -> Millis {
        match self {
            Self::Free => Millis::MAX,
            Self::Held { until, .. } => until,
        }
    }

    /// Lets the clock advance to a time.
    pub fn let_pass(&mut self, to: Millis) {
        if let Self::Held { until, due } = self {
            *until = to.max(*until);
            if due.is_some_and(|due| due <= *until) {
                *due = None;
            }
        }
    }

    /// Makes the run wait for a deadline if the clock is controlled from outside; returns whether it waits.
    pub fn rest(&mut self, deadline: Millis) -> bool {
        match self {
            Self::Free => false,
            Self::Held { due, .. } => {
                *due = Some(deadline);
                true
            }
        }
    }
}

/// The range of events that is searched for a stop when going back.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    snapshot: Snapshot,
    /// First event of the range.
    from: u64,
    /// Last event of the range.
    until: u64,
    /// The latest stop so far.
    found: Option<(u64, FrameId, Stop)>,
    /// Values that data breakpoints last read; `None` if there are none.
    data: Option<DataSeen>,
}

/// Result of one event of the range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Swept {
    /// There are more events.
    More,
    /// The last event was examined; the latest stop is at this event of this frame.
    Found(u64, FrameId, Stop),
    /// The last event was examined and there is no stop; the range starts at this event.
    Nothing(u64),
}

impl Sweep {
    /// The range from the last checkpoint up to an event. With data breakpoints, it starts earlier, because a change
    /// is detected by comparing with the previous value.
    pub fn up_to(recording: &Recording, until: u64, data: Option<DataSeen>) -> Self {
        let first = match data {
            Some(_) => until.saturating_sub(1),
            None => until,
        };
        let snapshot = if first == recording.head.events {
            recording.head.clone()
        } else {
            recording.kept_before(first, None)
        };
        Self {
            from: snapshot.events,
            snapshot,
            until,
            found: None,
            data,
        }
    }

    /// Examines one event and moves to the next.
    pub fn walk(
        &mut self,
        recording: &Recording,
        breakpoints: &Breakpoints,
        server: &dyn Serve,
    ) -> Swept {
        let number = self.snapshot.events;
        if let Some(event) = recording.timeline.get(number) {
            let machine = &self.snapshot.machine;
            let changed = self.data.as_mut();
            let changed = changed.map(|data| breakpoints.changed(data, event, machine, server));
            let changed = changed.unwrap_or_default();
            let verdict = breakpoints.would_stop_at(number, event, machine, (server, &changed));
            if let Verdict::Stop(stop) = verdict {
                self.found = Some((number, event.frame, stop));
            }
        }
        let more = number < self.until;
        if more && self.snapshot.repeat(&recording.log, server) != Repeated::End {
            return Swept::More;
        }
        match self.found.take() {
            Some((number, frame, stop)) => Swept::Found(number, frame, stop),
            // A change by the first event shows only in comparison with the event before it.
            None => Swept::Nothing(self.from + u64::from(self.data.is_some())),
        }
    }
}

/// The current phase: a search, or the travel to its result.
#[derive(Clone, Debug)]
pub(super) enum Seeking {
    /// The search.
    Search(Box<Search>),
    /// Travel to an event, with this frame as the focus.
    Way(u64, FrameId),
}

/// An origin that the user asked for, and how far it was followed.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    /// Number of the run.
    pub run: u32,
    /// The place at which the user first asked.
    pub start: Mark,
    /// Reason for the stop there.
    pub stood: Stop,
    /// The origin found; `None` for a missing value, and on the way back.
    pub origin: Option<Arc<Origin>>,
    /// The place to which the cursor last travelled.
    pub mark: Mark,
    /// Index of the stop that the cursor is at.
    pub stop: usize,
    pub number: u64,
    /// Places still to be followed, the next one last.
    pub others: Vec<Onward>,
    /// The place that is being followed, other than the one asked about.
    pub onward: Option<Onward>,
    /// All places that were or will be followed.
    pub known: Vec<Site>,
}

impl Trail {
    /// Remembers the places that a chain does not follow; the input of a task comes last.
    pub fn remember(&mut self, origin: &Origin) {
        let mut own = origin.onwards();
        own.retain(|one| {
            let is_new = !self.known.contains(&one.site);
            if is_new {
                self.known.push(one.site.clone());
            }
            is_new
        });
        self.others.extend(own.into_iter().rev());
        if let Some(asked) = origin.asked().filter(|one| !self.known.contains(&one.site)) {
            self.known.push(asked.site.clone());
            self.others.insert(0, asked);
        }
    }
}

/// A place for the cursor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub site: Site,
    pub span: Option<Span>,
}

/// The stops of an origin: its writes, its root if it can be shown, and the Choice.
pub(super) fn stops(origin: &Origin) -> Vec<Mark> {
    let writes = origin.writes.iter().enumerate();
    let writes = writes.map(|(place, write)| match origin.root {
        // For a value made of parts, the next origin to follow is that of one of the parts.
        Root::Fields(_) if place + 1 == origin.writes.len() => write.part(),
        _ => &write.to,
    });
    let chosen = origin.chosen.iter().map(|lead| &lead.to);
    let sites = writes.chain(origin.root.site()).chain(chosen);
    let marks = sites.enumerate().map(|(stop, site)| Mark {
        site: site.clone(),
        span: origin.span(stop),
    });
    marks.collect()
}

/// True if the user sees both places as the same, because AfterResultPath and Output may share a block.
pub(super) fn same_place(mark: &Site, site: &Site) -> bool {
    let shown = |holder: &Holder| match holder {
        Holder::Stage(Stage::AfterResultPath) => Holder::Stage(Stage::Output),
        other => other.clone(),
    };
    shown(&mark.holder) == shown(&site.holder) && mark.at == site.at
}
