//! State machines that exist from the start, created from files and folders.

use super::api::Api;
use super::machine::type_name;
use super::machines::Create;
use crate::headless::Refusal;
use crate::json::pretty;
use crate::launch::{Opened, Program, definitions_in, open_all};
use crate::source::template::DocumentKind;

impl Api {
    /// Creates the state machines of a file or folder. Returns a sentence for each one that AWS would reject.
    ///
    /// # Errors
    /// If a file given by name cannot be read.
    pub(super) fn preload(&self, program: &Program) -> Result<Vec<String>, Refusal> {
        let mut problems = Vec::new();
        if !program.file.is_dir() {
            for opened in open_all(program)? {
                problems.extend(self.add(&opened));
            }
            return Ok(problems);
        }
        for choice in definitions_in(&program.file) {
            let program = Program {
                file: choice.file,
                state_machine: choice.machine,
                ..program.clone()
            };
            match open_all(&program) {
                Ok(all) => problems.extend(all.iter().filter_map(|opened| self.add(opened))),
                Err(error) => problems.push(error.to_string()),
            }
        }
        Ok(problems)
    }

    /// Creates a state machine; returns the reason if it cannot be created.
    fn add(&self, opened: &Opened) -> Option<String> {
        let name = opened.name();
        let node = match opened.readable() {
            Ok(node) => node,
            Err(error) => return Some(error.to_string()),
        };
        let written = opened.sources.get(node.span.source).map(|file| &file.text);
        let is_plain = opened.kind == DocumentKind::Definition;
        let written = written.filter(|text| is_plain && crate::json::parse(text).is_ok());
        let text = match written {
            Some(text) => text.to_string(),
            None => pretty(&node.to_value()),
        };
        let kind = self.options.checking.machine_type;
        let kind = type_name(kind.or(opened.machine_type).unwrap_or_default());
        let role = format!("arn:aws:iam::{}:role/{name}", self.options.account);
        let created = self.create_state_machine(Create::of(name.clone(), text, role, kind));
        match created {
            Ok(_) => {
                let arn = self.identity().arn("stateMachine", &name);
                self.store().preloaded.insert(arn);
                None
            }
            Err(error) => Some(format!("{name}: {error}")),
        }
    }
}
