//! The current activity of a session: the goal of a step, the focus frame, the limit of the virtual clock, the search
//! backwards for a stop, and the trail from a value to its origin.

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

/// The current activity of the session.
#[derive(Debug)]
pub(super) struct Stepper {
    /// The frame that steps apply to.
    pub focus: FrameId,
    /// The goal of the command in progress; `None` if no command is in progress.
    pub goal: Option<Goal>,
    /// The range of events that a backward step replays to find a stop.
    pub sweep: Option<Sweep>,
    /// The search for an origin, or the travel to the place that the search found.
    pub seeking: Option<Box<Seeking>>,
    /// Reason for the current or last stop.
    pub stop: Stop,
    pub clock: Clock,
    /// True to enter every child execution that a task starts, not only when stepping by stages.
    pub enters_children: bool,
}

impl Stepper {
    /// True if the step in progress stops at each stage and enters child executions.
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

/// The goal of the command in progress.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// Run until an event of this frame matches the rule. If the frame ends before that, the goal moves to the parent
    /// frame.
    Frame { frame: FrameId, rule: Rule },
    /// Run until a stop.
    Continue,
    /// Run until the run enters this state. If the run ends without entering the state, travel back to this event.
    Enter(StateId, u64),
    /// Travel to a recorded event, and stop there for this reason.
    Travel(u64, Stop),
    /// Travel to a recorded event, and fork there: discard all later events.
    Redo(u64),
    /// Travel to a recorded event, then run all items of this frame's Map, whatever fails.
    IgnoreFailures(u64, FrameId),
    /// Travel back to the latest event that matches the rule and comes before event `before`.
    Back { before: u64, rule: BackRule },
    /// Search a range of recorded events by replaying them.
    Sweep,
    /// Travel to the origin of a value.
    Origin,
    /// Repeat the run up to this event after a reload.
    Repeat(u64),
}

/// Which event of the focus frame ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Any event at which a step by stages stops.
    Stage,
    /// An event at which the frame enters a state.
    State,
    /// The end of the frame.
    End,
    /// An event at which the frame leaves a state. Replaces `End` in the outermost frame.
    Exit,
    /// The end of an attempt, or of an item.
    Attempt,
}

/// Which event a backward step searches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackRule {
    /// An event that matches the rule, in this frame or in one of its ancestors.
    Frame(FrameId, Rule),
    /// An event at which a forward run would have stopped.
    Stops,
}

impl Goal {
    /// True if the goal may need new events: if the cursor reaches the last recorded event first, the run continues.
    pub(super) fn is_onwards(&self) -> bool {
        matches!(
            self,
            Self::Frame { .. } | Self::Continue | Self::Enter(..) | Self::Repeat(_)
        )
    }
}

/// True if an event of the focus frame ends a step with this rule.
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
            // Each of these happens together with another event, and the step stops at that other event.
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

/// The limit up to which the virtual clock may advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clock {
    /// Without limit: the run does not really wait, and deadlines pass at once.
    #[default]
    Free,
    /// Up to this time.
    Held {
        /// The time up to which the clock may advance.
        until: Millis,
        /// The deadline for which the run is waiting.
        due: Option<Millis>,
    },
}

impl Clock {
    /// A clock that must not advance beyond this time.
    pub fn held_at(now: Millis) -> Self {
        Self::Held {
            until: now,
            due: None,
        }
    }

    /// True if the front end controls how far the clock advances.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The deadline for which the run is waiting, if any.
    pub fn due(self) -> Option<Millis> {
        match self {
            Self::Free => None,
            Self::Held { due, .. } => due,
        }
    }

    /// The time up to which a step may advance the clock.
    pub fn horizon(self) -> Millis {
        match self {
            Self::Free => Millis::MAX,
            Self::Held { until, .. } => until,
        }
    }

    /// Lets the clock advance up to this time.
    pub fn let_pass(&mut self, to: Millis) {
        if let Self::Held { until, due } = self {
            *until = to.max(*until);
            if due.is_some_and(|due| due <= *until) {
                *due = None;
            }
        }
    }

    /// If the front end controls the clock, makes the run wait for a deadline. Returns true if the run waits.
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

/// A range of recorded events that a backward step replays to find the latest stop.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    snapshot: Snapshot,
    /// First event of the range.
    from: u64,
    /// Last event of the range.
    until: u64,
    /// The latest stop found so far: its event, frame and reason.
    latest: Option<(u64, FrameId, Stop)>,
    /// Values that the data breakpoints had at the last event; `None` if there are no data breakpoints.
    data: Option<DataSeen>,
}

/// Result of examining one event of the range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Swept {
    /// The range has more events.
    More,
    /// The range is finished. The latest stop is at this event of this frame.
    Found(u64, FrameId, Stop),
    /// The range is finished without a stop; the search continues with the events before this event.
    Nothing(u64),
}

impl Sweep {
    /// The range from the last checkpoint up to an event. With data breakpoints, the range may begin at an earlier
    /// checkpoint, because a change is only seen in comparison with the value before.
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
            latest: None,
            data,
        }
    }

    /// Examines the current event of the range and moves to the next.
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
                self.latest = Some((number, event.frame, stop));
            }
        }
        let more = number < self.until;
        if more && self.snapshot.repeat(&recording.log, server) != Repeated::End {
            return Swept::More;
        }
        match self.latest.take() {
            Some((number, frame, stop)) => Swept::Found(number, frame, stop),
            // A data breakpoint compares the value with the value before the event. For the first event of this range,
            // only the earlier range knows the value before, so the earlier range examines that event too.
            None => Swept::Nothing(self.from + u64::from(self.data.is_some())),
        }
    }
}

/// The two phases of going to an origin: the search, then the travel to the place that the search found.
#[derive(Clone, Debug)]
pub(super) enum Seeking {
    /// The search for the origin is in progress.
    Search(Box<Search>),
    /// The search is done: the cursor travels to this event, where this frame gets the focus.
    Way(u64, FrameId),
}

/// A value whose origin the user asked for, and the part of its chain of origins that the user has visited.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    /// Number of the run in which the user asked. It is 0 once the user has asked to return to the place `start`.
    pub run: u32,
    /// The place where the user asked first.
    pub start: Mark,
    /// Reason for which the run had stopped at the place where the user asked first.
    pub stood: Stop,
    /// The origin that was found; `None` if the value is missing, or if the user has asked to return to the place
    /// `start`.
    pub origin: Option<Arc<Origin>>,
    /// The place to which the cursor travelled last.
    pub mark: Mark,
    /// Index of the place in the chain at which the cursor is.
    pub stop: usize,
    pub number: u64,
    /// Further values whose chains can be followed, the next one last.
    pub others: Vec<Onward>,
    /// The value whose chain is being followed, if it is not the value the user asked about.
    pub onward: Option<Onward>,
    /// All values whose chains were followed or are in `others`.
    pub known: Vec<Site>,
}

impl Trail {
    /// Adds to `others` the values that a chain read but does not follow. The input of a task is to be followed last.
    pub fn remember(&mut self, origin: &Origin) {
        let mut values = origin.onwards();
        values.retain(|value| {
            let is_new = !self.known.contains(&value.site);
            if is_new {
                self.known.push(value.site.clone());
            }
            is_new
        });
        self.others.extend(values.into_iter().rev());
        let asked = origin.asked();
        if let Some(asked) = asked.filter(|value| !self.known.contains(&value.site)) {
            self.known.push(asked.site.clone());
            self.others.insert(0, asked);
        }
    }
}

/// A place to which the cursor can travel, with the source text to highlight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub site: Site,
    pub span: Option<Span>,
}

/// The places of a chain of origins, in the order in which the user visits them: first the writes, from the last to the
/// first; then the root, where the earliest write took its value from, if it is a place in the run; then the transition
/// of the Choice or catcher that led to a literal.
pub(super) fn stops(origin: &Origin) -> Vec<Mark> {
    let writes = origin.writes.iter().enumerate();
    let writes = writes.map(|(place, write)| match origin.root {
        // The earliest write, which is the last in `writes`, assembled the value from several others. The place to
        // visit is one of those, so that its origin can be followed next.
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

/// True if the user sees both places as the same, because AfterResultPath and Output may be shown as one stage.
pub(super) fn same_place(mark: &Site, site: &Site) -> bool {
    let shown = |holder: &Holder| match holder {
        Holder::Stage(Stage::AfterResultPath) => Holder::Stage(Stage::Output),
        other => other.clone(),
    };
    shown(&mark.holder) == shown(&site.holder) && mark.at == site.at
}
