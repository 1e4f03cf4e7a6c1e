//! `asldbg tour`: ten steps on a sample, each of which waits until the user has done it.

use super::action::{Action, refused};
use super::app::{App, Effect};
use super::theme::Role;
use super::update::Queued;
use super::whereabouts::name;
use crate::interpreter::Stage;
use crate::session::Stop;
use crate::session::view::{RunStatus, View};

/// A step of the tour.
struct Step {
    title: &'static str,
    /// The user's task.
    task: &'static str,
    /// The lesson of the step, shown once it is done.
    seen: &'static str,
    /// Commands that lead to the start of the step from a fresh run.
    begin: &'static [&'static str],
    /// Returns true if the step is done.
    is_done: fn(&Now) -> bool,
}

/// Facts that decide whether a step is done.
struct Now<'a> {
    /// Actions since the start of the step.
    acted: &'a [Action],
    /// Name of the state at the cursor.
    state: &'a str,
    view: &'a View,
}

impl Now<'_> {
    fn did(&self, action: Action) -> bool {
        self.acted.contains(&action)
    }

    fn has_result(&self) -> bool {
        self.state == "FindOrder" && self.view.data.value(Stage::Result).is_some()
    }

    fn is_past(&self) -> bool {
        self.view.header.status == RunStatus::Past
    }

    fn has_failed(&self, state: &str) -> bool {
        self.state == state && self.view.data.fault.is_some()
    }
}

/// The steps, in order.
static STEPS: [Step; 10] = [
    Step {
        title: "Run",
        task: "Press c: the run continues to its next stop.",
        seen: "An error stopped the run, because nothing catches it. The banner above says what is missing, and which state dropped it.",
        begin: &[],
        is_done: |now| now.has_failed("TellCustomer"),
    },
    Step {
        title: "Step",
        task: "Press r to restart, then s three times: s runs a state stage by stage.",
        seen: "Pane 3 gained a section at each stage: input, effective input, and the result of the task, which comes from a mock file.",
        begin: &["continue"],
        is_done: |now| now.did(Action::Step) && now.has_result(),
    },
    Step {
        title: "Look at data",
        task: "Press j to reach paid, then Enter to open it. Esc closes it again.",
        seen: "The value in full, and the field that produced it. y copies a value, = evaluates an expression on it, w watches it.",
        begin: &["step 3"],
        is_done: |now| now.did(Action::Activate),
    },
    Step {
        title: "Where from?",
        task: "Press c to run into the error again, then W.",
        seen: "W went back to that moment: Refund has no ResultPath, so its result replaced everything, even customer.",
        begin: &["step 3"],
        is_done: |now| now.did(Action::WhoWrote) && now.is_past() && now.state == "Refund",
    },
    Step {
        title: "Back",
        task: "Press N: back to the previous state. A capital letter goes back, the small letter forward (n N, s S, c C).",
        seen: "Nothing ran again: all events are recorded, so looking back is free. H returns to the last event.",
        begin: &["continue", "who"],
        is_done: |now| now.did(Action::ReverseNext) && now.is_past(),
    },
    Step {
        title: "A breakpoint",
        task: "Press b here at Refund, r to restart, and c to run to the breakpoint.",
        seen: "The run stopped as it entered Refund, before the call. B gives a breakpoint a condition, b removes it.",
        begin: &["continue", "who", "reverse-next"],
        is_done: |now| {
            matches!(
                now.view.header.status,
                RunStatus::Paused(Stop::Breakpoint(_))
            )
        },
    },
    Step {
        title: "A retry",
        task: "Press s three times: the call of Refund fails.",
        seen: "The banner says what follows: Retry[0] waits 2 s and calls again. The clock is virtual, so you do not wait.",
        begin: &["break Refund", "continue"],
        is_done: |now| now.has_failed("Refund"),
    },
    Step {
        title: "Edit a value",
        task: "What if more had been paid? Press r, s three times, j to reach paid, e, type 400, Enter.",
        seen: "The run continues with 400. The header counts your edits; your files are not changed.",
        begin: &["break Refund", "continue", "step 3"],
        is_done: |now| now.did(Action::Edit) && now.view.header.touched.1 > 0,
    },
    Step {
        title: "Answer a task",
        task: "Press c: a refund of 400 needs approval, and Approve has no answer. m opens the form, Enter answers.",
        seen: "Repeated runs use the same answer. :write case NAME keeps it in the mock file.",
        begin: &[
            "break Refund",
            "step 3",
            "edit {\"paid\": 400, \"item\": \"lamp\"}",
        ],
        is_done: |now| now.did(Action::Answer) && now.view.tasks.is_empty(),
    },
    Step {
        title: "Reload after a fix",
        task: "Refund lacks a ResultPath. :tour fix adds it to the file (or press E and add it yourself). Then press c until the end.",
        seen: "The saved file was loaded into the same run, with your edit and your answer, and now the run succeeds.",
        begin: &[
            "break Refund",
            "step 3",
            "edit {\"paid\": 400, \"item\": \"lamp\"}",
            "continue",
            "answer {}",
        ],
        is_done: |now| matches!(now.view.header.status, RunStatus::Succeeded { .. }),
    },
];

const END: &str = "This was the tour. asldbg FILE opens your own workflow, ? lists the keys, : finds commands; q quits.";

/// Progress of the tour.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    /// Index of the step; the number of steps at the end.
    pub(super) step: usize,
    /// Actions since the start of the step.
    acted: Vec<Action>,
    /// True while commands lead to the start of the step.
    leads: bool,
}

impl Tour {
    /// Title such as `2 of 10: Step`.
    #[must_use]
    pub fn title(&self) -> String {
        match STEPS.get(self.step) {
            Some(step) => format!("Tour {} of {}: {}", self.step + 1, STEPS.len(), step.title),
            None => "Tour: the end".to_owned(),
        }
    }

    /// The lesson of the previous step; for the first step, an introduction.
    #[must_use]
    pub fn seen(&self) -> &'static str {
        let before = self.step.checked_sub(1).and_then(|step| STEPS.get(step));
        before.map_or(
            "Ten steps of a minute each, on a copy of a small workflow: a returned lamp is refunded.",
            |step| step.seen,
        )
    }

    /// The user's next task.
    #[must_use]
    pub fn task(&self) -> &'static str {
        STEPS.get(self.step).map_or(END, |step| step.task)
    }

    /// Starts a step; the commands from [`Self::begin`] lead to its start.
    pub(super) fn at(step: usize) -> Self {
        Self {
            step,
            acted: Vec::new(),
            leads: true,
        }
    }

    /// Number of steps.
    pub(super) fn len() -> usize {
        STEPS.len()
    }

    /// Commands that lead to the start of the step from a fresh run.
    pub(super) fn begin(&self) -> &'static [&'static str] {
        STEPS.get(self.step).map_or(&[], |step| step.begin)
    }

    /// Continues with the next step if this one is done; `state` is the name of the state at the cursor.
    pub(super) fn go_on(&mut self, state: &str, view: &View) {
        let now = Now {
            acted: &self.acted,
            state,
            view,
        };
        let is_done = STEPS
            .get(self.step)
            .is_some_and(|step| (step.is_done)(&now));
        if is_done && !self.leads {
            self.step += 1;
        }
        if is_done || std::mem::take(&mut self.leads) {
            self.acted.clear();
        }
    }

    /// Records an action of the user.
    pub(super) fn note(&mut self, action: Action) {
        if !self.acted.contains(&action) {
            self.acted.push(action);
        }
    }
}

/// The definition's text before and after the fix in the last step.
const FIX: [&str; 2] = [
    "      \"Retry\": [",
    "      \"ResultPath\": \"$.refund\",\n      \"Retry\": [",
];

impl App {
    /// `:tour`: starts a step again, starts another one, leaves the tour, or writes the tour's fix.
    pub(in crate::tui) fn tour(&mut self, argument: &str) -> Result<(), String> {
        if !self.setup.tour {
            return Err("the tour needs its own workflow: start it with asldbg tour".into());
        }
        let now = self.model.tour.as_ref().map_or(0, |tour| tour.step + 1);
        let step = match argument {
            "off" => {
                self.model.tour = None;
                self.model.say(":tour returns to the tour", Role::Info);
                return Ok(());
            }
            "fix" => return self.fix(),
            "" => now.clamp(1, Tour::len()),
            number => number
                .parse()
                .ok()
                .filter(|number| (1..=Tour::len()).contains(number))
                .ok_or("tour 1 to tour 10, tour fix, or tour off")?,
        };
        if self.fixed().is_none() {
            return Err("the workflow is already fixed: asldbg tour starts over".into());
        }
        let tour = Tour::at(step - 1);
        if !self.view.breakpoints.is_empty() {
            self.queue.push_back(Queued::Line("delete".into()));
        }
        let begin = tour.begin();
        self.model.tour = Some(tour);
        let restart = (self.view.header.event > 2).then_some(&"restart!");
        let lines = [&"focus data"].into_iter().chain(restart).chain(begin);
        let lines = lines.map(|line| Queued::Line((*line).to_owned()));
        self.queue.extend(lines);
        Ok(())
    }

    /// The definition with the fix applied; `None` if it already is.
    fn fixed(&self) -> Option<String> {
        let text = &self.session.sources().files().first()?.text;
        let [before, after] = FIX;
        (!text.contains("$.refund")).then(|| text.replacen(before, after, 1))
    }

    fn fix(&mut self) -> Result<(), String> {
        let file = self.setup.origin.file.clone().ok_or("there is no file")?;
        let text = self.fixed().ok_or("the workflow is already fixed")?;
        // The breakpoints of earlier steps would stop the run before its end.
        if !self.view.breakpoints.is_empty() {
            self.delete("")?;
        }
        self.effects.push(Effect::Rewrite(file, text));
        Ok(())
    }

    /// Continues with the next step of the tour once the current one is done.
    pub(in crate::tui) fn tour_on(&mut self) {
        let is_open = self.model.popup.is_some() || self.model.prompt.is_some();
        if is_open || self.is_at_work() || self.reading.is_open() {
            return;
        }
        if let Some(tour) = &mut self.model.tour {
            let state = name(self.session.definition(), self.view.current);
            tour.go_on(&state, &self.view);
        }
    }
}

impl App {
    /// Why a command currently has no effect; `None` if it has one.
    pub(in crate::tui) fn hindrance(&self, action: Action) -> Option<&'static str> {
        let tells = |is: bool, why| is.then_some(why);
        let origin = &self.setup.origin;
        match action {
            Action::Cases => tells(origin.cases.is_empty(), "no mock file has test cases"),
            Action::Machines => tells(
                self.setup.workspace.choices().is_empty(),
                "there is no other definition",
            ),
            Action::FrameBack => tells(
                self.model.frame_before.is_none(),
                "no stop has moved the focus",
            ),
            Action::Tour => tells(!self.setup.tour, "asldbg tour starts it"),
            Action::Speed => tells(self.model.play.is_none(), "the run is not being played"),
            _ => refused(action, &self.view, self.is_running()),
        }
    }
}
