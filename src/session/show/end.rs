//! The summary of a finished run: its errors and their outcomes, failed items, and the user's answers and edits.

use super::standing::inner_frame;
use crate::definition::{Definition, State, Unit};
use crate::interpreter::{Event, EventKind, Frame, FrameId, Millis, Origin, Reason, Status};
use crate::json::{Text, bare};
use crate::session::Raised;
use crate::session::event_row::{EndedBy, RetryWait, cut_short};
use crate::session::fault::{THROWN_AT_ONCE, limit_passed, named_at, no_retry};
use crate::session::finding::Finding;
use crate::session::note::{EXCEEDED, EventNote, duration, own_words};
use crate::session::place::TOLERANCES;
use crate::session::session::Session;
use crate::session::view::{Became, DataView, EndView, ErrorRow, RunOn};
use crate::session::written::{inner, pointer_of};
use crate::source::{Node, Span, in_line};
use std::collections::HashMap;

/// Maximum number of errors to list.
pub(super) const LISTED: usize = 200;

impl Session {
    /// The summary of a finished run; `None` while the run continues or the cursor is before its end. `data` is the
    /// data view of the shown state. `raised` is the error inside a branch or item that caused the state's error.
    pub(super) fn end_view(&self, data: &DataView, raised: Option<&Raised>) -> Option<EndView> {
        let snapshot = self.snapshot();
        let machine = &snapshot.machine;
        if self.recording.past.is_some() || matches!(machine.status(), Status::Running) {
            return None;
        }
        let mut end = self.errors();
        let (answers, edits) = self.recording.log.touched(snapshot.applied);
        (end.answers, end.edits) = (answers, edits);
        self.left_out(&mut end);
        self.note_differing(&mut end);
        let focus = self.focus_frame().map(|frame| frame.id);
        let shown = data.fault.as_ref();
        let decisive = match raised {
            Some(raised) => (end.errors.iter()).position(|row| row.number == raised.number),
            None => end.errors.iter().rposition(|row| {
                let is_last = matches!(row.became, Became::Failed | Became::CutShort(_));
                is_last && Some(row.frame_id) == focus && shown.is_some()
            }),
        };
        let row = match decisive {
            Some(place) => Some(end.errors.remove(place)),
            // The error that failed the run is not among the listed errors.
            None => raised.and_then(|raised| self.row_of(raised)),
        };
        end.errors.sort_by_key(|row| row.became.rank());
        let fault = raised.map(|raised| &raised.fault).or(shown);
        if let (Some(mut row), Some(fault)) = (row, fault) {
            // The row of an error shows the line of the field that failed; the row of a retry that was cut short shows
            // the line of the state.
            let span = fault.span.filter(|_| row.became == Became::Failed);
            let line = span.and_then(|span| self.setup.definition.sources.line(span));
            row.line = line.or(row.line);
            let finding = fault.finding.to_string();
            let named = finding.strip_prefix(&*row.error);
            let reason = named.map_or(&*finding, |rest| rest.trim_start_matches([':', ' ']));
            row.reason = reason.to_string();
            end.errors.insert(0, row);
        }
        let led = self.causes().and_then(|causes| causes.led.as_deref());
        if let Some(caught) = led.and_then(|led| led.raised.as_ref())
            && let Some(place) = (end.errors.iter()).position(|row| row.number == caught.number)
        {
            // The error that led to the Fail state is listed right after the Fail state's own error.
            let row = end.errors.remove(place);
            end.errors.insert(1.min(end.errors.len()), row);
        }
        if matches!(machine.status(), Status::TimedOut) {
            end.timeout = Some(self.timeout_view(machine));
        }
        Some(end)
    }

    /// Row for the error that the run failed with.
    fn row_of(&self, raised: &Raised) -> Option<ErrorRow> {
        let timeline = &self.recording.timeline;
        let (event, note) = (timeline.get(raised.number)?, timeline.note(raised.number)?);
        Some(ErrorRow {
            became: Became::Failed,
            ..self.error_row(raised.number, event, note)
        })
    }

    /// The last event, up to the cursor, that raised an error of the branch or item `index` of the focus frame. If the
    /// error came from a frame further inside, the event at which the innermost frame raised the error.
    #[must_use]
    pub fn error_of_child(&self, index: u32) -> Option<u64> {
        let parent = self.focus_frame()?.id;
        let timeline = &self.recording.timeline;
        let cursor = self.snapshot().events;
        let notes = timeline
            .notes()
            .rev()
            .skip_while(|(number, _)| *number > cursor);
        let mut raised = notes.filter_map(|(number, _)| {
            let event = timeline.get(number)?;
            let lineage = timeline.lineage(event.frame)?;
            let is_child = lineage.parent == Some(parent) && lineage.index == index;
            (is_child && event.kind == EventKind::ErrorRaised).then_some(number)
        });
        let number = raised.next()?;
        let child = timeline.get(number)?.frame;
        Some(self.raised_innermost(child, number))
    }

    /// The errors in order, each with its outcome. An error that fails a branch or item and then the Parallel or Map
    /// around it counts once.
    fn errors(&self) -> EndView {
        let parent_of = |frame: FrameId| self.recording.timeline.parent(frame);
        let mut end = EndView::default();
        let mut open: HashMap<FrameId, usize> = HashMap::new();
        let mut rows: Vec<ErrorRow> = Vec::new();
        let mut failures = Failures::default();
        // True if the row's error made a branch or an item of the frame fail.
        let is_inner = |row: &ErrorRow, frame: FrameId| {
            row.became == Became::Failed && parent_of(row.frame_id) == Some(frame)
        };
        for (number, note) in self.recording.timeline.notes() {
            let Some(event) = self.recording.timeline.get(number) else {
                continue;
            };
            self.note_remark(&mut end, (number, event), note);
            match event.kind {
                EventKind::ErrorRaised => {
                    let is_carried =
                        |row: &ErrorRow| row.error == named(note) && is_inner(row, event.frame);
                    let carried = rows.iter().rposition(is_carried);
                    // If several items failed with this error, takes the row of the last one.
                    let place = match carried {
                        Some(place) => {
                            if let Some(row) = rows.get_mut(place) {
                                row.frame_id = event.frame;
                            }
                            place
                        }
                        None => {
                            let exceeds = &*named(note) == EXCEEDED;
                            let mut inner = rows.iter().rev().filter(|_| exceeds);
                            let inner = inner.find(|row| is_inner(row, event.frame));
                            end.exceeded = inner.cloned().or(end.exceeded.take());
                            end.raised += 1;
                            self.note_overtaken(&mut rows, open.get(&event.frame), event, note);
                            if rows.len() >= LISTED {
                                continue;
                            }
                            rows.push(self.error_row(number, event, note));
                            rows.len() - 1
                        }
                    };
                    open.insert(event.frame, place);
                }
                EventKind::RetryScheduled => {
                    let became = match cut_short(&self.recording, (number, event), u64::MAX) {
                        Some(cut) => {
                            end.cut_short += 1;
                            Became::CutShort(self.cut_words(event.arg, cut))
                        }
                        None => {
                            end.retried += 1;
                            let delay = match note {
                                EventNote::Delay(millis) => duration(*millis),
                                _ => String::new(),
                            };
                            let retrier = event.arg;
                            Became::Retried(format!("Retry[{retrier}] after {delay}"))
                        }
                    };
                    failures.settle(event.frame);
                    become_of(&mut rows, &open, event.frame, became);
                }
                EventKind::Caught => {
                    end.caught += 1;
                    let became = Became::Caught(self.catch_words(event, note));
                    failures.settle(event.frame);
                    become_of(&mut rows, &open, event.frame, became);
                }
                EventKind::Uncaught => become_of(&mut rows, &open, event.frame, Became::Failed),
                EventKind::IterationFailed | EventKind::BranchFailed => {
                    let is_item = event.kind == EventKind::IterationFailed;
                    let unit = is_item.then(|| self.unit(event));
                    if failures.take(event.frame, parent_of(event.frame), unit) == Some(Unit::Item)
                    {
                        end.items_failed += 1;
                    }
                }
                EventKind::StateExited => {
                    let EventNote::ItemsFailed {
                        failed,
                        all,
                        is_ignored,
                    } = note
                    else {
                        continue;
                    };
                    let state = event.state.and_then(|id| self.setup.definition.state(id));
                    let map = state.map_or_else(|| "?".into(), |map| map.name.clone());
                    let why = match is_ignored {
                        true => {
                            format!("you let {map} continue after failures, which AWS does not do")
                        }
                        false => {
                            let limits = state.map(|map| tolerance(&self.setup.definition, map));
                            let limits = limits.unwrap_or_default();
                            format!("{map} tolerates the failure{limits}")
                        }
                    };
                    for row in rows.iter_mut().filter(|row| is_inner(row, event.frame)) {
                        row.became = Became::Tolerated(why.clone());
                    }
                    let tolerated = failures.settle(event.frame);
                    match is_ignored {
                        true => end.run_on.push(RunOn {
                            map,
                            unit: self.unit(event),
                            failed: *failed,
                            all: *all,
                        }),
                        false => end.tolerated += tolerated,
                    }
                }
                _ => {}
            }
        }
        end.errors = rows;
        end
    }

    /// If a catcher raised this error while it handled an earlier error, sets the outcome of the earlier error to
    /// `Overtaken`.
    fn note_overtaken(
        &self,
        rows: &mut [ErrorRow],
        open: Option<&usize>,
        event: &Event,
        note: &EventNote,
    ) {
        let row = open.and_then(|place| rows.get_mut(*place));
        let row = row.filter(|row| {
            let is_open = matches!(row.became, Became::Raised);
            is_open && (row.state, row.frame_id) == (event.state, event.frame)
        });
        if let Some(row) = row {
            let error = named(note);
            row.became = Became::Overtaken(format!("the catcher failed: {error}"));
        }
    }

    /// For a Map that exceeded its tolerance, a text such as `Last failure: PushPrices[0] WriteChannel (line 71):
    /// $.price finds nothing`.
    pub(super) fn last_failed(&self, frame: &Frame) -> Option<Finding> {
        let (fault, _) = frame.visit.fault.as_ref()?;
        let exceeds = fault.name() == EXCEEDED && fault.origin == Origin::Interpreter;
        let (_, number) = self
            .raised_in_child(frame.id, self.snapshot().events)
            .filter(|_| exceeds)?;
        let timeline = &self.recording.timeline;
        let row = self.error_row(number, timeline.get(number)?, timeline.note(number)?);
        let state = self.setup.definition.state(row.state?)?;
        let line = in_line(row.line);
        let (frame, name, error) = (row.frame, &state.name, row.error);
        let says = format!("Last failure: {frame} {name}{line}: {error}");
        Some(Finding::new("last-failed", says))
    }

    /// The unit that the event's Map processes: items or batches.
    fn unit(&self, event: &Event) -> Unit {
        let map = event.state;
        map.map_or(Unit::Item, |id| self.setup.definition.unit(id))
    }

    /// A sentence on a retry that did not happen, such as `Retry[0] waited 1 min of 8 min and did not retry, because
    /// Enrich[1] failed first`.
    fn cut_words(&self, retrier: u32, cut: RetryWait) -> String {
        let ending = match cut.by {
            EndedBy::Timeout => "the machine timed out".to_owned(),
            EndedBy::End => "the run ended".to_owned(),
            EndedBy::Sibling(frame) => {
                let frame = self.frame_name(frame);
                format!("{frame} failed")
            }
        };
        let (whole, waited) = (duration(cut.whole), duration(cut.passed));
        format!(
            "Retry[{retrier}] waited {waited} of {whole} and did not retry, because {ending} first"
        )
    }

    /// Time between an event and the event before it in the same frame.
    fn waited(&self, number: u64, event: &Event) -> Millis {
        let mut events = self
            .recording
            .timeline
            .backwards(event.frame, number.saturating_sub(1));
        // Skips TaskTimedOut, because it comes directly before the error that it raises.
        let before = events.find(|(_, before)| before.kind != EventKind::TaskTimedOut);
        before.map_or(0, |(_, before)| event.time.saturating_sub(before.time))
    }

    fn error_row(&self, number: u64, event: &Event, note: &EventNote) -> ErrorRow {
        let state = event.state.and_then(|id| self.setup.definition.state(id));
        let (fault, spent) = match note {
            EventNote::Raised { fault, spent } => (Some(&**fault), *spent),
            _ => (None, None),
        };
        let missed = fault.and_then(|fault| fault.reason.missed());
        let limit = state.zip(fault).and_then(|(state, fault)| {
            let (text, span) = limit_passed(&self.setup.definition, state, fault, None)?;
            // The answer itself may be a timeout that came at once. In this case, no limit passed.
            let is_at_once = *fault.reason == Reason::Answer && self.waited(number, event) == 0;
            Some(match is_at_once {
                true => (THROWN_AT_ONCE.to_owned(), None),
                false => (text, Some(span)),
            })
        });
        let no_retry = state.zip(fault).and_then(|(state, fault)| {
            let profile = self.snapshot().machine.profile();
            let spent = spent.map(|place| place as usize);
            let (said, _) = no_retry((&self.setup.definition, profile), state, fault, spent)?;
            Some(said)
        });
        let (reason, span) = match (state, missed) {
            _ if limit.is_some() => limit.unwrap_or_default(),
            (Some(state), Some((path, field))) => {
                let node = self.setup.definition.node_of(state);
                let span = node.and_then(|node| written_at(node, path, field));
                (format!("{path} finds nothing"), span)
            }
            _ => {
                let reason = fault.map(|fault| fault.reason.innermost());
                let at = || {
                    let at = pointer_of(reason?.location()?);
                    inner(self.setup.definition.node_of(state?)?, &at)
                };
                let of_field = || Some(state?.field(reason?.field()?.name)?.value);
                let span = at().or_else(of_field);
                (fault.map(own_words).unwrap_or_default(), span)
            }
        };
        let sources = &self.setup.definition.sources;
        ErrorRow {
            number,
            time: event.time,
            state: event.state,
            line: sources
                .line(span)
                .or_else(|| sources.line(state.map(|state| state.name_span))),
            frame: inner_frame(&self.recording, event.frame),
            frame_id: event.frame,
            error: named(note),
            reason,
            no_retry,
            became: Became::Raised,
        }
    }

    /// Text such as `caught → CancelTrip: Catch[1] of BookTrip (States.TaskFailed), line 55`.
    fn catch_words(&self, event: &Event, note: &EventNote) -> String {
        let state = event.state.and_then(|id| self.setup.definition.state(id));
        let catcher = state.and_then(|state| state.catch.get(event.arg as usize));
        let (Some(state), Some(catcher)) = (state, catcher) else {
            return "caught".to_string();
        };
        let EventNote::Caught { name, next, .. } = note else {
            return "caught".to_string();
        };
        let definition = &self.setup.definition;
        let span = named_at(definition, catcher.span, name);
        let line = definition.sources.line(span);
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        let (place, state) = (event.arg, &state.name);
        format!("caught → {next}: Catch[{place}] of {state} ({name}){line}")
    }
}

/// Text on the fields of a Map that allow failed items: `: ToleratedFailurePercentage 20, line 48`.
fn tolerance(definition: &Definition, map: &State) -> String {
    let limits = TOLERANCES.into_iter().filter_map(|name| {
        let field = map.field(name)?;
        let value = bare(&definition.node.at(field.value)?.to_value());
        let line = definition.sources.line(field.value)?;
        Some(format!("{name} {value}, line {line}"))
    });
    let limits: Vec<String> = limits.collect();
    match limits.is_empty() {
        true => String::new(),
        false => format!(": {}", limits.join("; ")),
    }
}

fn become_of(
    rows: &mut [ErrorRow],
    open: &HashMap<FrameId, usize>,
    frame: FrameId,
    became: Became,
) {
    if let Some(row) = open.get(&frame).and_then(|place| rows.get_mut(*place)) {
        row.became = became;
    }
}

/// Name of a raised error.
fn named(note: &EventNote) -> Text {
    let error = note.error().cloned();
    error.unwrap_or_else(|| "an error without a name".into())
}

/// Location of a path that found nothing, in the text of a field.
fn written_at(node: &Node, path: &str, field: Option<&str>) -> Option<Span> {
    node.walk().into_iter().find_map(|(member, node)| {
        let member = member?;
        let is_field = field.is_none_or(|field| *field == *member.key.text);
        let is_it = is_field && node.as_str() == Some(path);
        is_it.then_some(member.key.span)
    })
}

/// Counts the failures that no state has handled yet, by the frame whose Parallel or Map state received them.
#[derive(Default)]
pub(super) struct Failures {
    open: HashMap<FrameId, u64>,
}

impl Failures {
    /// Records that an item failed, or a branch if `unit` is `None`. Returns the unit to count, item or batch; `None`
    /// for a branch, or if a failure inside the item was counted already.
    pub(super) fn take(
        &mut self,
        child: FrameId,
        parent: Option<FrameId>,
        unit: Option<Unit>,
    ) -> Option<Unit> {
        let inner = self.open.remove(&child).unwrap_or(0);
        let counted = unit.filter(|_| inner == 0);
        let all = inner + u64::from(counted.is_some());
        if let Some(parent) = parent.filter(|_| all > 0) {
            *self.open.entry(parent).or_default() += all;
        }
        counted
    }

    /// Records that a frame continued in spite of failures in its Parallel or Map state, and returns the number of
    /// those failures.
    pub(super) fn settle(&mut self, frame: FrameId) -> u64 {
        self.open.remove(&frame).unwrap_or(0)
    }
}
