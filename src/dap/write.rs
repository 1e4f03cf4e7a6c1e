//! Writes the current run to files: as a mock test case, as a test, or its input.

use super::debuggee::Debuggee;
use super::listing::Said;
use super::refusal::Refusal;
use crate::launch::{LaunchError, NewCase, Workspace as _};
use crate::session::{CaseRefused, ExistingCase};
use crate::testing;

impl Debuggee {
    /// `case NAME`, `test NAME`, `input`
    pub(super) fn write(&mut self, argument: &str, replaces: bool) -> Said {
        let existing = match replaces {
            true => ExistingCase::IsReplaced,
            false => ExistingCase::Stays,
        };
        match argument.split_once(' ') {
            Some(("case", name)) => self.write_case(name.trim(), existing),
            Some(("test", name)) => self.write_test(name.trim(), existing),
            None if argument == "input" => self.write_input(existing),
            Some(("screen" | "graph", _)) => Err("there is no screen here to write".into()),
            _ => Err("write case NAME, write test NAME or write input".into()),
        }
    }

    fn write_case(&mut self, name: &str, existing: ExistingCase) -> Said {
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err("write case NAME".into());
        }
        let answers = self.session.answers();
        if answers.is_empty() {
            return Err("nothing was answered in this run yet".into());
        }
        let machine = self.session.definition().name.to_string();
        let case = NewCase {
            machine: &machine,
            name,
            answers: &answers,
            existing,
        };
        let written = self.project.write_case(&case);
        let file = written.map_err(|error| {
            let refused = matches!(error, LaunchError::CaseRefused(CaseRefused::Exists(_)));
            let way_out = format!("; write! case {name} replaces it");
            Refusal::new(error.brief() + if refused { &way_out } else { "" })
        })?;
        if !self.origin.cases.iter().any(|case| case == name) {
            self.origin.cases.push(name.to_string());
        }
        Ok(format!("written to {} as {name}", file.display()))
    }

    fn write_test(&mut self, name: &str, existing: ExistingCase) -> Said {
        let definition = self.origin.file.as_deref();
        let own = self.project.own_writes();
        let written = testing::write_run(&self.session, definition, name, existing, &own);
        let file = written.map_err(Refusal::new)?;
        Ok(format!(
            "written: {} now expects what happened here",
            file.display()
        ))
    }

    fn write_input(&mut self, existing: ExistingCase) -> Said {
        let input = self.session.machine().run().header.input.clone();
        let written = self.project.write_input(&input, existing);
        let file = written.map_err(|error| match error {
            LaunchError::InputExists(_) => {
                Refusal::new(format!("{}; write! input replaces it", error.brief()))
            }
            _ => Refusal::new(error.brief()),
        })?;
        Ok(format!("wrote {}", file.display()))
    }
}
