//! Reload after a file was saved: the run is repeated, breakpoints move with their states, and the run stops at the
//! first difference.

use super::debuggee::{Debuggee, Phase};
use super::outbox::Outbox;
use super::protocol::Event;
use super::run_reason::Aim;
use super::wording;
use std::path::PathBuf;

impl Debuggee {
    /// Reloads the definition.
    pub fn reload(&mut self, out: &mut Outbox) {
        if self.phase == Phase::Ended {
            return;
        }
        let reloaded = match self.workspace().reload() {
            Ok(reloaded) => reloaded,
            Err(problem) => {
                out.output("important", &format!("reload: {problem}"));
                return;
            }
        };
        for file in reloaded.definition.sources.named() {
            let path = PathBuf::from(&*file.name);
            if !self.origin.watched.contains(&path) {
                self.origin.watched.push(path);
                self.watch_again = true;
            }
        }
        self.leave_children(out);
        self.session.set_children(reloaded.children);
        if let Some(recorded) = reloaded.recorded {
            self.session.take_recording(recorded);
        }
        let result = self
            .session
            .reload(reloaded.definition, reloaded.diagnostics);
        self.tell_outputs(out);
        self.handles.clear();
        match result {
            Err(refused) => {
                out.output("important", &wording::refused(&refused));
                self.tell_findings(out);
            }
            Ok(reply) => {
                if let Some(text) = wording::reply(&reply) {
                    out.say(&text);
                }
                self.tell_findings(out);
                self.move_lists(out);
                for source in self.loaded_sources().sources {
                    out.event(Event::LoadedSource {
                        reason: "changed",
                        source,
                    });
                }
                if self.phase != Phase::Configuring {
                    self.phase = Phase::Running(Aim::Reload);
                }
            }
        }
    }

    /// Reports that previously sent data is no longer valid.
    pub fn invalidate(&self, areas: &[&'static str], out: &mut Outbox) {
        if self.client.invalidated {
            out.event(Event::Invalidated {
                areas: areas.to_vec(),
            });
        }
    }
}
