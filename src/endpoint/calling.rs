//! Tokens of tasks whose targets are called: a target may send the token back before the call ends.

use super::runner::Runner;
use crate::interpreter::{AskId, Want};

impl Runner {
    /// Opens the token of a task when its target is called, because the target may send it back at once.
    pub(super) fn note_call(&mut self) {
        let now = self.run.pending().and_then(|ask| match &ask.want {
            Want::Call { token, .. } => Some((ask.id, token.as_ref()?.to_string())),
            _ => None,
        });
        if now == self.calling {
            return;
        }
        if let Some((ask, token)) = self.calling.take()
            && !self.open.iter().any(|open| open.ask == ask)
        {
            self.desk.api.tasks().close(&token);
            self.early.clear();
        }
        if let Some((ask, token)) = &now {
            self.desk.open(*ask, token);
        }
        self.calling = now;
    }

    /// The target took the token of a task, which waits for what the token brings.
    pub(super) fn wait_for_token(&mut self, ask: AskId, token: &str) {
        self.hold(ask, token.to_string());
        self.calling = None;
        for message in std::mem::take(&mut self.early) {
            self.take(message);
        }
    }
}
