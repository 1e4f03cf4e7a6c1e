//! Travels to the origin of a value: searches for the origin, travels to the event that the search found, and travels
//! back to the event at which the user asked.

use crate::definition::StateId;
use crate::interpreter::{FrameId, Stage};
use crate::json::Pointer;
use crate::query::{Evaluate as _, Path, Root as PathRoot};
use crate::session::origin::{
    AT_A_STOP, Absence, Absent, Found, Holder, LedTo, Onward, Past, Search, Site, split,
};
use crate::session::reply::{Output, Refused, Reply, Sought};
use crate::session::session::{Causes, Session};
use crate::session::snapshot::Approach;
use crate::session::stepper::{Goal, Mark, Seeking, Trail, same_place, stops};
use crate::session::stop_condition::Stop;
use crate::source::Span;
use std::sync::Arc;
/// Maximum number of values whose origins are searched for after an expression failed; the expression may have read
/// more values.
const READ: usize = 4;

impl Session {
    /// Starts to search for the origin of a value. If an earlier search led to the place of this value, continues that
    /// search.
    pub(in crate::session) fn seek_origin(&mut self, sought: Sought) -> Result<Reply, Refused> {
        let site = self.sought_site(sought)?;
        let trail = self.trail.take();
        let trail = trail.filter(|trail| trail.run == self.recording.number);
        // The value may have gone missing before the cursor, but the command `Now` leads back to the cursor.
        let mut start = self.mark_here(&site, None);
        let mut stood = self.stepper.stop.clone();
        let mut number = 0;
        if let Some(trail) = trail {
            number = trail.number;
            let is_same_visit =
                trail.mark.site.event == site.event && trail.mark.site.frame == site.frame;
            if is_same_visit {
                (start, stood) = (trail.start.clone(), trail.stood.clone());
            }
            if is_same_visit && trail.origin.is_some() && same_place(&trail.mark.site, &site) {
                let origin = trail.origin.as_ref();
                let over = origin.filter(|origin| trail.stop + 1 >= origin.stops());
                match over.and_then(|origin| origin.lacks()) {
                    // The chain of origins ends here, so now searches for the reason why there is no value.
                    Some(lacks) => {
                        let site = lacks.on(site.event);
                        let trail = Trail {
                            origin: None,
                            stop: 0,
                            ..trail
                        };
                        return Ok(self.search(trail, site));
                    }
                    None => return Ok(self.follow(trail)),
                }
            }
        }
        let trail = Trail {
            run: self.recording.number,
            start,
            stood,
            origin: None,
            mark: Mark {
                site: site.clone(),
                span: None,
            },
            stop: 0,
            number,
            others: Vec::new(),
            onward: None,
            known: vec![site.clone()],
        };
        Ok(self.search(trail, site))
    }

    /// Returns the place `site`, moved to the focus frame and to the event of the cursor, with the source location
    /// `span`.
    fn mark_here(&self, site: &Site, span: Option<Span>) -> Mark {
        let site = Site {
            frame: self.stepper.focus,
            ..site.on(self.snapshot().events)
        };
        Mark { site, span }
    }

    fn search(&mut self, trail: Trail, site: Site) -> Reply {
        self.trail = Some(trail);
        let search = self.search_at(site);
        self.start(Seeking::Search(Box::new(search)));
        Reply::Begun
    }

    fn start(&mut self, seeking: Seeking) {
        self.stepper.seeking = Some(Box::new(seeking));
        self.stepper.goal = Some(Goal::Origin);
    }

    /// A search for the origin of the value at a place. The place belongs to the event of the cursor or to an earlier
    /// event.
    fn search_at(&self, site: Site) -> Search {
        let now = self.snapshot();
        let then = Some(site.event).filter(|event| *event != now.events);
        let then = then.and_then(|event| self.repeated_up_to(event));
        Search::begin(site, then.as_ref().unwrap_or(now))
    }

    /// Finds the origin of a value, or why the value is missing; the current event stays the same. Repeats at most
    /// `most` events of the run, and returns `None` if the origin is not found within them.
    ///
    /// # Errors
    /// The reason why the origin of this value cannot be searched.
    pub fn origin(&self, sought: Sought, most: usize) -> Result<Option<Found>, Refused> {
        let mut search = self.search_at(self.sought_site(sought)?);
        let past = self.past();
        Ok((0..most).find_map(|_| search.advance(&past)))
    }

    /// Searches for the error that the focus frame received from a branch or item, and for the events that led to the
    /// error.
    pub(in crate::session) fn note_raised(&mut self) {
        self.causes = Causes::at(self.here());
        self.causes.raised = self.taken_over().map(Box::new);
        self.causes.led = self.leads().map(Box::new);
    }

    /// Like [`Self::note_raised`]. Also searches for the reason why a value is missing, and for the states that wrote
    /// the values that were read.
    pub(in crate::session) fn note_causes(&mut self) {
        self.note_raised();
        // A task's error comes from the task's answer, so the origin of the error is outside the run. The reason can be
        // inside the run only if a value that was computed from the answer is missing.
        let made_of_answer = |stage: &Option<Stage>| {
            matches!(stage, Some(Stage::AfterResultSelector | Stage::Output))
        };
        let failed = self.focus_frame().is_some_and(|frame| {
            let visit = &frame.visit;
            visit.fault.as_ref().is_some_and(|(_, stage)| {
                visit.call.is_none() || visit.failed_at().is_some() || made_of_answer(stage)
            })
        });
        if failed {
            let (_, frame) = self.causes.at;
            self.causes.missing = match self.at_a_stop(Search::lack(frame, self.snapshot())) {
                Some(Found::Absent(absent)) => Some(absent),
                _ => None,
            };
            self.causes.made_by = self.makers();
        }
    }

    /// For each value that the failed expression of a frame read: the states whose fields wrote the value, latest
    /// first. Only contains states that a short search finds.
    fn makers(&self) -> Vec<Vec<StateId>> {
        let (snapshot, (event, frame)) = (self.snapshot(), self.causes.at);
        let origin_of = |site| match self.at_a_stop(Search::begin(site, snapshot)) {
            Some(Found::Origin(origin)) => Some(origin),
            _ => None,
        };
        let failed = origin_of(Site::error(event, frame)).and_then(|origin| origin.failed);
        let reads = failed.map(|write| write.reads).unwrap_or_default();
        let origins = reads.into_iter().take(READ).map(origin_of);
        let writers = origins.map(|origin| {
            let writes = origin.into_iter().flat_map(|origin| origin.writes);
            writes.map(|write| write.state).collect()
        });
        writers.collect()
    }

    /// Result of a search with at most [`AT_A_STOP`] steps, the limit for a search at each stop of a run; `None` if the
    /// steps do not suffice.
    pub(in crate::session) fn at_a_stop(&self, mut search: Search) -> Option<Found> {
        let past = self.past();
        (0..AT_A_STOP).find_map(|_| search.advance(&past))
    }

    /// The causes found at the last stop, if the cursor and the focus have not moved since.
    pub(in crate::session) fn causes(&self) -> Option<&Causes> {
        Some(&self.causes).filter(|causes| causes.at == self.here())
    }

    /// Why a value is missing, if the cursor is at an error of the focus frame that the missing value caused.
    #[must_use]
    pub fn missing(&self) -> Option<&Absent> {
        self.causes()?.missing.as_deref()
    }

    /// The place in the focus frame, at the cursor, from which the search for an origin starts.
    fn sought_site(&self, sought: Sought) -> Result<Site, Refused> {
        let frame = self.focus_frame().ok_or(Refused::NothingRan)?;
        let event = self.snapshot().events;
        let (holder, at) = match sought {
            Sought::At(holder, at) => (holder, at),
            Sought::State(state) => {
                let output = self.past().output_of(state, event);
                return output.ok_or(Refused::NotReached(state));
            }
            Sought::Missing => {
                let known = self.missing().map(|absent| absent.of.clone());
                return known.ok_or(Refused::NothingMissing);
            }
            Sought::Path(ref text) | Sought::Read(ref text) => {
                let is_read = matches!(sought, Sought::Read(_));
                // Fields read the values that variables had before the state's own Assign.
                let before = frame.before_assign();
                let frame = if is_read { &*before } else { frame };
                let refused = |problem: String| Refused::Expression {
                    text: text.clone(),
                    problem,
                };
                let (holder, rest) = split(text);
                let path = Path::parse(&rest).map_err(|error| refused(error.message))?;
                let machine = &self.snapshot().machine;
                let place = |data: &crate::json::Value| {
                    let (_, trace) = path.trace(&machine.inspect(frame, data));
                    path.names().map_or_else(|| trace.reached(), Pointer)
                };
                if !path.is_definite() {
                    return Err(refused(
                        "the path can select several values; give the path of a single value"
                            .to_string(),
                    ));
                }
                let reached = |stage: &Stage| frame.visit.data.get(*stage).is_some();
                let last = [Stage::Output, Stage::AfterResultPath];
                let last = last.into_iter().find(|stage| !is_read && reached(stage));
                let last = last.unwrap_or(match is_read && reached(&Stage::AfterInputPath) {
                    true => Stage::AfterInputPath,
                    false => Stage::Input,
                });
                match (holder, path.root()) {
                    (Some(Holder::Stage(Stage::Result)), _) if !reached(&Stage::Result) => {
                        let state = machine.definition().state(frame.visit.state);
                        let name = state.map_or("the state", |state| &*state.name);
                        return Err(refused(format!("{name} has no result at this event")));
                    }
                    (None, PathRoot::Variable(name)) if &**name == "states" => {
                        return Err(refused(
                            "$states has input, result, errorOutput and context; write $output for a state's output"
                                .to_owned(),
                        ));
                    }
                    (Some(Holder::Stage(stage)), _) => {
                        let held = frame.visit.data.latest(stage);
                        (Holder::Stage(stage), place(&held))
                    }
                    (Some(holder), _) => (holder, place(&crate::json::Value::Null)),
                    (None, PathRoot::Data) => {
                        let held = frame.visit.data.latest(last);
                        (Holder::Stage(last), place(&held))
                    }
                    (None, PathRoot::Context) => (Holder::Context, place(&Default::default())),
                    (None, PathRoot::Variable(name)) => {
                        let at = place(&Default::default());
                        let holder = Holder::Variable(name.clone());
                        if is_read {
                            return Ok(self.past().read_at(frame.id, event, holder, at));
                        }
                        (holder, at)
                    }
                }
            }
        };
        Ok(Site {
            event,
            frame: frame.id,
            holder,
            at,
        })
    }

    /// Processes one event of the search, or of the travel to the place that the search found.
    pub(in crate::session) fn seek_origin_on(&mut self) {
        let Some(mut seeking) = self.stepper.seeking.take() else {
            return self.stop_at(Stop::Travel);
        };
        match &mut *seeking {
            Seeking::Search(search) => match search.advance(&self.past()) {
                Some(result) => self.take_found(result),
                None => self.stepper.seeking = Some(seeking),
            },
            Seeking::Way(event, frame) => {
                let (event, frame) = (*event, *frame);
                match self.recording.approach(event, &*self.setup.server) {
                    Approach::Nearer => self.stepper.seeking = Some(seeking),
                    Approach::There | Approach::Lost => self.stand_at(frame),
                }
            }
        }
    }

    /// The data of the recorded run that a search for an origin reads.
    pub(in crate::session) fn past(&self) -> Past<'_> {
        Past {
            definition: &self.setup.definition,
            recording: &self.recording,
            answerer: &self.answering.answerer,
            server: &*self.setup.server,
        }
    }

    fn stand_at(&mut self, frame: FrameId) {
        if self.snapshot().machine.frame(frame).is_some() {
            self.stepper.focus = frame;
        }
        // After the return to the event at which the user asked for the origin, shows the reason for the stop at that
        // event again.
        let returned = self.trail.as_ref().filter(|trail| trail.run == 0);
        let stood = returned.map_or(Stop::Travel, |trail| trail.stood.clone());
        self.stop_at(if self.is_over() { Stop::End } else { stood });
    }

    fn take_found(&mut self, result: Found) {
        let Some(mut trail) = self.trail.take() else {
            return self.stop_at(Stop::Travel);
        };
        match result {
            Found::Origin(origin) => {
                trail.remember(&origin);
                // The chain of a further item of an array differs from the chain of the first item only in its last
                // place, so travels to the last place at once.
                let is_known = trail.onward.as_ref().is_some_and(Onward::is_like_first);
                trail.stop = match is_known {
                    true => origin.stops().saturating_sub(1),
                    false => 0,
                };
                trail.origin = Some(Arc::new(*origin));
                self.go_to_stop(trail);
            }
            Found::NoLack => self.stop_at(Stop::Travel),
            Found::Absent(absent) if absent.barred().is_some() => {
                let search = Search::behind(absent, self.snapshot());
                self.trail = Some(trail);
                self.stepper.seeking =
                    search.map(|search| Box::new(Seeking::Search(Box::new(search))));
            }
            Found::Absent(absent) => {
                self.put(Output::Absent(absent.clone()));
                let lost = match &absent.absence {
                    Absence::Dropped(drop) => Some((&drop.by.to, drop.by.span)),
                    Absence::Withheld(withheld) => Some((&withheld.by.to, withheld.by.span)),
                    Absence::Never => None,
                };
                match lost {
                    Some((to, span)) => {
                        let mut site = to.clone();
                        match absent.now() {
                            Some(now) => site.at = now.clone(),
                            None => drop(site.at.0.pop()),
                        }
                        trail.mark = Mark { site, span };
                        trail.number += 1;
                        self.go(trail);
                    }
                    // The cursor does not move; the view shows the Assign that would have set the value.
                    None => {
                        if let Some(assigned) = &absent.assigned {
                            trail.mark = self.mark_here(&trail.mark.site, Some(assigned.span));
                            trail.number += 1;
                        }
                        let stood = self.stepper.stop.clone();
                        self.trail = Some(trail);
                        self.stop_at(stood);
                    }
                }
            }
        }
    }

    /// Travels to the next place of a chain of origins.
    fn follow(&mut self, mut trail: Trail) -> Reply {
        trail.stop += 1;
        let is_over = (trail.origin.as_ref()).is_none_or(|origin| trail.stop >= origin.stops());
        let next = trail.others.last().filter(|_| is_over);
        let run = next.and_then(|next| self.repeated_up_to(next.site.event));
        match (run, is_over.then(|| trail.others.pop()).flatten()) {
            (Some(run), Some(next)) => {
                let search = Search::begin(next.site.clone(), &run);
                trail.onward = Some(next);
                self.trail = Some(trail);
                self.start(Seeking::Search(Box::new(search)));
            }
            _ => self.go_to_stop(trail),
        }
        Reply::Begun
    }

    fn go_to_stop(&mut self, mut trail: Trail) {
        let Some(origin) = &trail.origin else {
            return self.stop_at(Stop::Travel);
        };
        let stops = stops(origin);
        let output = Output::Origin {
            origin: Arc::clone(origin),
            place: trail.stop,
            onward: trail.onward.clone(),
            next: trail.others.last().cloned(),
        };
        match stops.get(trail.stop) {
            Some(mark) => {
                trail.mark = mark.clone();
                trail.number += 1;
                self.put(output);
                self.go(trail);
            }
            None => {
                trail.stop = stops.len();
                self.put(output);
                self.trail = Some(trail);
                self.stop_at(Stop::Travel);
            }
        }
    }

    fn go(&mut self, trail: Trail) {
        let way = Seeking::Way(trail.mark.site.event, trail.mark.site.frame);
        self.trail = Some(trail);
        self.start(way);
    }

    /// Travels back to the event at which the user first asked for an origin; without such an event, to the last
    /// recorded event.
    pub(in crate::session) fn return_or_travel_to_now(&mut self) -> Reply {
        let trail = self.trail.take();
        match trail.filter(|trail| trail.run == self.recording.number) {
            Some(mut trail) => {
                trail.mark = trail.start.clone();
                trail.origin = None;
                trail.number += 1;
                let event = trail.mark.site.event;
                self.go(trail);
                // The user is back where they asked for the origin, so the next use of this command leads to the end of
                // the recording.
                if let Some(trail) = &mut self.trail {
                    trail.run = 0;
                }
                Reply::Travels(event)
            }
            None => self.travel(self.recording.timeline.len(), Stop::Travel),
        }
    }

    fn mark(&self) -> Option<(&Trail, &Mark)> {
        let trail = self.trail.as_ref()?;
        let is_of_run = trail.run == self.recording.number || trail.run == 0;
        let site = &trail.mark.site;
        let is_here = self.stepper.goal.is_none()
            && is_of_run
            && trail.number > 0
            && site.event == self.snapshot().events
            && site.frame == self.stepper.focus;
        is_here.then_some((trail, &trail.mark))
    }

    /// The place that the search for an origin led to, if the cursor is there.
    pub(in crate::session) fn led_to(&self) -> Option<LedTo> {
        let (trail, mark) = self.mark()?;
        Some(LedTo {
            holder: mark.site.holder.clone(),
            at: mark.site.at.clone(),
            number: trail.number,
        })
    }

    /// If the cursor is at the place to which the search for an origin led: the source text that produced the value
    /// there, if any.
    pub(in crate::session) fn led_to_span(&self) -> Option<Span> {
        self.mark()?.1.span
    }
}
