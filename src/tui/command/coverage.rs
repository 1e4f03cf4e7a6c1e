//! Shows coverage by test cases in the graph and on source lines, in place of the run.

use crate::testing::reached_by_tests;
use crate::tui::app::App;
use crate::tui::reached::Reached;
use crate::tui::theme::Role;
use std::sync::Arc;

type Done = Result<(), String>;

impl App {
    /// Shows coverage by the cases whose names contain a text; `off`, or no text while it is shown, hides it.
    pub(in crate::tui) fn coverage(&mut self, argument: &str) -> Done {
        if argument == "off" || argument.is_empty() && self.reached.is_some() {
            self.reached = None;
            return Ok(());
        }
        let file = self.setup.origin.file.clone();
        let file = file.ok_or("test cases are read from beside the definition's file, but this definition was not read from a file")?;
        let (filter, definition) = (argument.to_owned(), Arc::clone(self.session.definition()));
        let own = Arc::clone(&definition);
        let work =
            move |_: &mut dyn crate::launch::Workspace| reached_by_tests(&own, &file, &filter);
        self.read("the test cases", work, move |app, reached| match reached {
            Err(problem) => app.done(Err(problem)),
            Ok(reached) => {
                let shown = Reached::of(&definition, &reached.coverage, reached.cases);
                let more = if reached.cut { " (only the first ones)" } else { "" };
                let text = format!(
                    "{} reached {:.1} %{more}; lines: + all, ~ in part, - not reached; coverage again hides them",
                    shown.cases, shown.percent
                );
                app.reached = Some(shown);
                app.model.say(text, Role::Info);
            }
        });
        Ok(())
    }
}
