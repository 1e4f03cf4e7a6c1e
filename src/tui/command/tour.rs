//! Orders of the user for the tour, the tour's progress, and the reasons why a command would have no effect now.

use crate::session::Command;
use crate::tui::action::{Action, refused};
use crate::tui::app::{App, Effect};
use crate::tui::model::Queued;
use crate::tui::theme::Role;
use crate::tui::tour::Tour;
use crate::tui::whereabouts::name;

/// A part of the tour's definition, before and after the fix that the user makes in the last step.
const FIX: [&str; 2] = [
    "      \"Retry\": [",
    "      \"ResultPath\": \"$.refund\",\n      \"Retry\": [",
];

impl App {
    /// Performs the command `:tour`. Depending on the argument, it starts the current or another step, leaves the tour,
    /// or writes the fix into the definition.
    pub(in crate::tui) fn tour(&mut self, argument: &str) -> Result<(), String> {
        if !self.setup.tour {
            return Err("the tour needs its own workflow: start the tour with asldbg tour".into());
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
                .ok_or("type \"tour N\" with N from 1 to 10, \"tour fix\" or \"tour off\"")?,
        };
        if self.fixed().is_none() {
            return Err(
                "the workflow is already fixed; to start the tour again, quit and run: asldbg tour"
                    .into(),
            );
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

    /// The definition's text with the tour's fix applied; `None` if the fix is already there.
    fn fixed(&self) -> Option<String> {
        let text = &self.session.sources().files().first()?.text;
        let [before, after] = FIX;
        (!text.contains("$.refund")).then(|| text.replacen(before, after, 1))
    }

    fn fix(&mut self) -> Result<(), String> {
        let file = self.setup.origin.file.clone().ok_or(
            "the workflow of the tour was not read from a file, so asldbg cannot write the fix",
        )?;
        let text = self.fixed().ok_or("the workflow is already fixed")?;
        // Breakpoints of earlier steps would stop the run before its end.
        if !self.view.breakpoints.is_empty() {
            self.apply(Command::RemoveAllBreaks);
        }
        self.effects.push(Effect::Rewrite(file, text));
        Ok(())
    }

    /// Continues with the next step of the tour if the task of the current step is done.
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

    /// The reason why a command would have no effect now; `None` if the command would have an effect.
    pub(in crate::tui) fn hindrance(&self, action: Action) -> Option<&'static str> {
        let tells = |is: bool, why| is.then_some(why);
        let origin = &self.setup.origin;
        match action {
            Action::Cases => tells(origin.cases.is_empty(), "no mock file has test cases"),
            Action::Machines => tells(
                self.setup.workspace.choices().is_empty(),
                "this file contains no other definition",
            ),
            Action::FrameBack => tells(
                self.model.frame_before.is_none(),
                "no stop has moved the focus to another frame",
            ),
            Action::Tour => tells(!self.setup.tour, "start the tour with asldbg tour"),
            Action::Speed => tells(
                self.model.play.is_none(),
                "the run is not being played back",
            ),
            _ => refused(action, &self.view, self.is_running()),
        }
    }
}
