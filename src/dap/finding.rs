//! Reports the diagnostics of a definition as output, each with its location.

use super::debuggee::Debuggee;
use super::outbox::Outbox;
use super::protocol::{Event, Output};
use crate::definition::LintRule;
use crate::source::{Diagnostic, Severity, short};

/// Maximum number of diagnostics to report.
const TOLD: usize = 200;

impl Debuggee {
    /// Reports the diagnostics.
    pub fn tell_findings(&self, out: &mut Outbox) {
        let found = self.session.diagnostics();
        for one in found.iter().take(TOLD) {
            out.event(self.finding(one));
        }
        if found.len() > TOLD {
            let more = found.len() - TOLD;
            out.say(&format!("{more} more findings; asldbg check lists them"));
        }
    }

    fn finding(&self, found: &Diagnostic) -> Event {
        let rule = LintRule::of(found.rule);
        let rule = rule.map_or_else(String::new, |rule| format!(" [{}]", rule.name));
        let sources = self.session.sources();
        let file = found.span.and_then(|span| sources.get(span.source));
        let place = file.zip(found.span);
        let place = place.map(|(file, span)| self.client.place(file, span.start as usize));
        let (line, column) = place.unzip();
        Event::Output(Output {
            category: match found.severity {
                Severity::Error => "stderr",
                _ => "console",
            },
            output: format!("{}{rule}\n", short(found, sources)),
            source: found.span.and_then(|span| self.source_of(span.source)),
            line,
            column,
        })
    }
}
