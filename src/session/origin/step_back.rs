//! One step of the search for the origin of a value: from a place in a run back to where the value there comes from.

use super::document::{present, value_at};
use super::history::{Before, Moment, Past};
use super::{Holder, Hop, How, Root, Site};
use crate::definition::{PathField, QueryLanguage, ResultPath, State, StateKind};
use crate::interpreter::{Edge, FrameId, Machine, Phase, Stage};
use crate::json::{Pointer, Step};

impl Past<'_> {
    /// Finds where the value at a place comes from: an earlier place, a field that wrote it, or a root. `run` is the
    /// run directly after the place's event, if available.
    pub(super) fn hop(&self, site: &Site, run: Option<Moment<'_>>) -> Hop {
        match &site.holder {
            Holder::Stage(Stage::Input) => self.input_hop(site, run),
            Holder::Stage(stage) => {
                if *stage == Stage::Output
                    && let Some(to) = self.passed(site)
                {
                    return Hop::To(to);
                }
                match run.map(|run| (run, run.machine.frame(site.frame))) {
                    None => Hop::Need(site.event),
                    Some((run, Some(frame))) => {
                        let made = self.stage_hop(site, *stage, run, frame);
                        self.at_event(site, present(frame, *stage), made, run)
                    }
                    Some((_, None)) => Hop::Root(Root::Unknown),
                }
            }
            Holder::Error => match run.map(|run| (run, run.machine.frame(site.frame))) {
                None => Hop::Need(site.event),
                Some((run, Some(frame))) => self.error_hop(site, run, frame),
                Some((_, None)) => Hop::Root(Root::Unknown),
            },
            Holder::Variable(name) => self.variable_hop(site, name, run),
            Holder::Context => self.context_hop(site),
            Holder::Item(index) => match run.map(|run| run.machine.frame(site.frame)) {
                None => Hop::Need(site.event),
                Some(Some(frame)) => self.item_hop(site, *index, frame),
                Some(None) => Hop::Root(Root::Unknown),
            },
        }
    }

    /// Corrects the result `made` of a step back from a stage. If the run took the value from a recorded execution, the
    /// result is this root. If the step needs a trace that was not recorded, it first goes to the event that produced
    /// the stage, because then no later evaluation has to be traced.
    fn at_event(&self, site: &Site, stage: Stage, made: Hop, run: Moment<'_>) -> Hop {
        let event = || self.made(site, stage);
        if self.is_recorded(site, &made, run.machine) {
            return Hop::Root(Root::Recorded(site.on(event())));
        }
        match made {
            Hop::Look(frame, after) if event() != site.event && !run.has_seen(frame, after) => {
                Hop::To(site.held_by(Holder::Stage(stage)).on(event()))
            }
            made => made,
        }
    }

    /// True if the run took the value from the recorded execution that it repeats. The value then differs from the
    /// value at the place from which it should have been copied.
    fn is_recorded(&self, site: &Site, made: &Hop, machine: &Machine) -> bool {
        let from = match made {
            Hop::To(to) => Some(to),
            Hop::Written(write) if write.how == How::Copied => match write.reads.as_slice() {
                [read] => Some(read),
                _ => None,
            },
            _ => None,
        };
        let from = from.filter(|from| from.frame == site.frame && from.event == site.event);
        machine.repeats_execution()
            && from.is_some_and(|from| value_at(from, machine) != value_at(site, machine))
    }

    /// One step back in the search for a missing value. If the state discards its result, first requests the run at the
    /// exit of the state, because the search examines the result.
    pub(super) fn lost_hop(&self, site: &Site, run: Option<Moment<'_>>) -> Hop {
        let at_exit = site.holder == Holder::Stage(Stage::Output) && run.is_none();
        match at_exit && self.discards(site) {
            true => Hop::Need(site.event),
            false => self.hop(site, run),
        }
    }

    /// True if the frame's state discards its result because its ResultPath is null.
    fn discards(&self, site: &Site) -> bool {
        let visit = self.visit(site.frame, site.event);
        let state = visit.and_then(|visit| self.state(visit.state));
        state.is_some_and(|state| {
            state.language == QueryLanguage::JsonPath
                && matches!(state.result_path, ResultPath::Discard)
        })
    }

    /// One step back in the search for an origin: goes from a state's raw input to the output of the previous state,
    /// or, for the first state of a frame, to the data with which the frame was started.
    fn input_hop(&self, site: &Site, run: Option<Moment<'_>>) -> Hop {
        // If the frame has not entered its current state yet, the last state that it entered is an earlier one.
        let frame = run.and_then(|run| run.machine.frame(site.frame));
        let fresh = frame.is_some_and(|frame| frame.visit.phase == Phase::Enter);
        let visit = self.visit(site.frame, site.event).filter(|_| !fresh);
        let entered = visit.map_or(site.event, |visit| visit.entered);
        let edited = self.edits(site.frame, entered, site.event);
        if touches(edited, Stage::Input, &site.at) {
            return Hop::Root(Root::Edit(site.clone()));
        }
        // The previous state is the state of the last exit event before the entry. If the frame has not entered its
        // state yet, it is the state of the frame's last exit event.
        match self.before(site.frame, entered) {
            Before::State(event, ..) => Hop::To(Site::stage(
                event,
                site.frame,
                Stage::Output,
                site.at.clone(),
            )),
            Before::Began(event) => self.start_hop(site, event, run),
            Before::Beginning => {
                let first = self.first_entered(site.frame, site.event);
                // If the first state has been left, the value at the place is the value that the state passed on, so
                // the place keeps its event.
                let is_left = matches!(self.before(site.frame, site.event), Before::State(..));
                let event = first.filter(|_| !is_left).unwrap_or(site.event);
                Hop::Root(Root::Input(site.on(event)))
            }
        }
    }

    /// The same position in the raw input, if the definition alone shows that the state passes the value there on to
    /// its output.
    fn passed(&self, site: &Site) -> Option<Site> {
        let visit = self.visit(site.frame, site.event)?;
        let state = self.state(visit.state)?;
        let edge = visit.left?;
        let passes = !self.recording.head.machine.repeats_execution()
            && passes(state, edge, &site.at)
            && !self.is_edited(site.frame, visit.entered, site.event);
        passes.then(|| site.held_by(Holder::Stage(Stage::Input)))
    }

    /// The frame that contains the Parallel or Map which started this frame.
    pub(super) fn parent(&self, frame: FrameId) -> Option<FrameId> {
        self.timeline().parent(frame)
    }
}

/// True if one of the user's edits affects the value at a position of a stage.
pub(super) fn touches<'e>(
    mut edits: impl Iterator<Item = (Stage, &'e Pointer)>,
    stage: Stage,
    at: &Pointer,
) -> bool {
    edits.any(|(edited_stage, edited)| edited_stage == stage && are_related(&edited.0, &at.0))
}

/// True if the positions are equal, or one contains the other.
pub(super) fn are_related(left: &[Step], right: &[Step]) -> bool {
    left.starts_with(right) || right.starts_with(left)
}

/// True if a state, on the transition `edge`, copies the value at `at` in its raw input to the same position in its
/// output.
fn passes(state: &State, edge: Edge, at: &Pointer) -> bool {
    let whole = |path: &PathField| matches!(path, PathField::Whole);
    let around = |path: &ResultPath| match path {
        ResultPath::Replace => false,
        ResultPath::Discard => true,
        ResultPath::Insert(path) => !are_related(path.steps(), &at.0),
    };
    if state.language == QueryLanguage::Jsonata {
        let works = matches!(
            state.kind,
            StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Map(_)
        );
        let output = match (edge, &state.kind) {
            (Edge::Catch(_), _) => return false,
            (Edge::Rule(rule), StateKind::Choice(choice)) => {
                let rule = choice.rules.get(rule as usize);
                rule.is_none_or(|rule| rule.jsonata.output.is_some())
            }
            _ => state.jsonata.output.is_some(),
        };
        return !works && !output;
    }
    if let Edge::Catch(place) = edge {
        let catcher = state.catch.get(place as usize);
        return catcher.is_some_and(|catcher| around(&catcher.result_path));
    }
    whole(&state.output_path)
        && match &state.kind {
            StateKind::Choice(_) | StateKind::Wait(_) | StateKind::Succeed => {
                whole(&state.input_path)
            }
            StateKind::Fail(_) => false,
            StateKind::Pass { result: None } if state.template("Parameters").is_none() => {
                around(&state.result_path)
                    || whole(&state.input_path) && matches!(state.result_path, ResultPath::Replace)
            }
            _ => around(&state.result_path),
        }
}
