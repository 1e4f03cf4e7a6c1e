//! The guided tour that `asldbg tour` starts: ten steps on a sample definition. Each step waits until the user has done
//! its task.

use super::action::Action;
use crate::interpreter::Stage;
use crate::session::Stop;
use crate::session::view::{RunStatus, View};

/// A step of the tour.
struct Step {
    title: &'static str,
    /// The user's task.
    task: &'static str,
    /// The lesson of the step, shown once the user has done the task.
    seen: &'static str,
    /// Commands that bring a fresh run to the start of the step.
    begin: &'static [&'static str],
    /// A function that returns true if the user has done the task.
    is_done: fn(&Now) -> bool,
}

/// Facts that decide whether a step is done.
struct Now<'a> {
    /// Actions of the user since the start of the step.
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

/// The steps of the tour, in order.
static STEPS: [Step; 10] = [
    Step {
        title: "Run",
        task: "Press c: the run continues to its next stop.",
        seen: "An error that nothing catches stopped the run. The banner above names the missing value and the state that dropped the value.",
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
        task: "Press j until paid is selected, then Enter to open the value. Esc closes the value again.",
        seen: "Enter showed the value in full, and the field that produced the value. y copies a value, = evaluates an expression, w watches an expression.",
        begin: &["step 3"],
        is_done: |now| now.did(Action::Activate),
    },
    Step {
        title: "Find the origin",
        task: "Press c to run into the error again, then W.",
        seen: "W went back to the moment of the loss: Refund has no ResultPath, so its result replaced everything, even customer.",
        begin: &["step 3"],
        is_done: |now| now.did(Action::WhoWrote) && now.is_past() && now.state == "Refund",
    },
    Step {
        title: "Back",
        task: "Press N to go back to the previous state. A capital letter goes back, the small letter goes forward (n N, s S, c C).",
        seen: "Nothing was run again: all events are recorded, so looking back is free. H returns to the last event.",
        begin: &["continue", "who"],
        is_done: |now| now.did(Action::ReverseNext) && now.is_past(),
    },
    Step {
        title: "A breakpoint",
        task: "Press b here at Refund, r to restart, and c to run to the breakpoint.",
        seen: "The run stopped as it entered Refund, before the call. B gives a breakpoint a condition, b removes the breakpoint.",
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
        task: "To see a run in which more was paid, press r, s three times, j to select paid, e, type 400, and press Enter.",
        seen: "The run continues with 400. The header counts your edits; your files are not changed.",
        begin: &["break Refund", "continue", "step 3"],
        is_done: |now| now.did(Action::Edit) && now.view.header.touched.1 > 0,
    },
    Step {
        title: "Answer a task",
        task: "Press c: a refund of 400 needs approval, and Approve has no answer. m opens the form, Enter answers.",
        seen: "Repeated runs use the same answer. :write case NAME keeps the answer in the mock file.",
        begin: &[
            "break Refund",
            "step 3",
            "edit {\"paid\": 400, \"item\": \"lamp\"}",
        ],
        is_done: |now| now.did(Action::Answer) && now.view.tasks.is_empty(),
    },
    Step {
        title: "Reload after a fix",
        task: "Refund lacks a ResultPath. :tour fix adds the field to the file (or press E and add the field yourself). Then press c until the end.",
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

/// A tour in progress.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    /// Index of the current step; equal to the number of steps once the tour is finished.
    pub(super) step: usize,
    /// Actions of the user since the start of the step.
    acted: Vec<Action>,
    /// True while the app runs the commands that bring the run to the start of the step. These commands are not the
    /// user's.
    leads: bool,
}

impl Tour {
    /// Title of the current step, such as `Tour 2 of 10: Step`.
    #[must_use]
    pub fn title(&self) -> String {
        match STEPS.get(self.step) {
            Some(step) => format!("Tour {} of {}: {}", self.step + 1, STEPS.len(), step.title),
            None => "Tour: the end".to_owned(),
        }
    }

    /// The text about what the user has just learned: the lesson of the previous step; for the first step, an
    /// introduction.
    #[must_use]
    pub fn seen(&self) -> &'static str {
        let before = self.step.checked_sub(1).and_then(|step| STEPS.get(step));
        before.map_or(
            "The tour has ten steps of about a minute each. You debug a copy of a small workflow that refunds a returned lamp.",
            |step| step.seen,
        )
    }

    /// The user's next task.
    #[must_use]
    pub fn task(&self) -> &'static str {
        STEPS.get(self.step).map_or(END, |step| step.task)
    }

    /// Starts a step; the caller then executes the commands from [`Self::begin`].
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

    /// Commands that bring a fresh run to the start of the current step.
    pub(super) fn begin(&self) -> &'static [&'static str] {
        STEPS.get(self.step).map_or(&[], |step| step.begin)
    }

    /// If the task is done, continues with the next step of the tour. `state` is the name of the state at the cursor.
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
