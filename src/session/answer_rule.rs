//! Answers of a person: to one question, or to every question of a state, of a resource, of some items, from now on.
//!
//! It must not know how an answer is typed.

use super::command::Reach;
use super::expression;
use super::log::AnsweredBy;
use super::session::Session;
use super::stop::Stop;
use super::view::AnswerRuleView;
use crate::definition::{StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskId, AskKey, Want};
use crate::json::Text;

/// One answer for many questions.
#[derive(Clone, Debug)]
pub(super) struct AnswerRule {
    scope: Scope,
    answer: Answer,
}

/// Which questions.
#[derive(Clone, Debug)]
enum Scope {
    State(StatePath),
    Resource(Text),
    Items(StatePath, Text),
}

impl Session {
    pub(super) fn answer_by_person(&mut self, ask: AskId, answer: Answer) {
        if self.snapshot().machine.ask(ask).is_none() {
            return self.refuse("this task does not wait for an answer here");
        }
        self.fork();
        self.give(ask, answer, AnsweredBy::Person);
        self.stepper.stop = Stop::Step;
        self.say("answered: n, s or c go on with it");
    }

    /// Answers every open question that is reached as this one is, and each that comes.
    pub(super) fn answer_all(&mut self, ask: AskId, answer: &Answer, reach: &Reach) {
        let Some(ask) = self.snapshot().machine.ask(ask).cloned() else {
            return self.refuse("this task does not wait for an answer here");
        };
        let Some(scope) = self.scope(&ask, reach) else {
            return self.refuse("only a Task has a Resource; answer this state instead");
        };
        if let Scope::Items(_, condition) = &scope {
            let machine = &self.snapshot().machine;
            let frame = machine.frame(ask.frame);
            let fits = frame
                .map(|frame| expression::condition(machine, frame, condition, &*self.setup.server));
            if let Some(Err(problem)) = fits {
                return self.refuse(problem);
            }
        }
        self.fork();
        let open: Vec<Ask> = self.recording.head.machine.open_asks().cloned().collect();
        let open: Vec<AskId> = open
            .iter()
            .filter(|ask| self.reaches(&scope, ask))
            .map(|ask| ask.id)
            .collect();
        let count = open.len();
        for id in open {
            self.give(id, answer.clone(), AnsweredBy::Person);
        }
        // What was answered otherwise in earlier runs is not taken any more.
        let old = self
            .answering
            .known
            .keys()
            .filter(|key| self.is_of(&scope, key));
        let old: Vec<AskKey> = old.cloned().collect();
        for key in old {
            self.answering.known.remove(&key);
        }
        self.say(format!(
            "{count} answered, and {} from now on; Del in the tasks takes it back",
            self.scope_text(&scope)
        ));
        self.answering.rules.push(AnswerRule {
            scope,
            answer: answer.clone(),
        });
        self.stepper.stop = Stop::Step;
    }

    /// Takes an answer for many back; what it has answered stays answered.
    pub(super) fn forget_answer_rule(&mut self, place: usize) {
        if place < self.answering.rules.len() {
            let gone = self.answering.rules.remove(place);
            let text = self.scope_text(&gone.scope);
            self.say(format!("{text}: no longer answered from now on"));
        }
    }

    /// The latest answer for many that is for this question.
    pub(super) fn rule_for(&self, ask: &Ask) -> Option<Answer> {
        let mut latest = self.answering.rules.iter().rev();
        let found = latest.find(|answer_rules| self.reaches(&answer_rules.scope, ask))?;
        Some(found.answer.clone())
    }

    /// Answers for many, as shown.
    pub(super) fn answer_rule_views(&self) -> Vec<AnswerRuleView> {
        let views = self
            .answering
            .rules
            .iter()
            .map(|answer_rules| AnswerRuleView {
                what: self.scope_text(&answer_rules.scope),
                answer: answer_rules.answer.clone(),
            });
        views.collect()
    }

    fn scope(&self, ask: &Ask, reach: &Reach) -> Option<Scope> {
        let state = self.setup.definition.state(ask.state)?;
        Some(match reach {
            Reach::State => Scope::State(state.path.clone()),
            Reach::Items(condition) => Scope::Items(state.path.clone(), condition.clone()),
            Reach::Resource => match &ask.want {
                Want::Call { resource, .. } => Scope::Resource(resource.clone()),
                _ => return None,
            },
        })
    }

    fn scope_text(&self, scope: &Scope) -> String {
        let definition = &self.setup.definition;
        let name = |path: &StatePath| {
            let state = definition.find(path).and_then(|id| definition.state(id));
            state.map_or_else(|| path.0.to_string(), |state| state.name.to_string())
        };
        match scope {
            Scope::State(path) => name(path),
            Scope::Resource(resource) => format!("every {resource}"),
            Scope::Items(path, condition) => format!("{} where {condition}", name(path)),
        }
    }

    /// Whether an answer for many is for a question.
    fn reaches(&self, scope: &Scope, ask: &Ask) -> bool {
        if !self.is_of(scope, &ask.key) {
            return false;
        }
        let Scope::Items(_, condition) = scope else {
            return true;
        };
        let machine = &self.recording.head.machine;
        machine.frame(ask.frame).is_some_and(|frame| {
            expression::condition(machine, frame, condition, &*self.setup.server).unwrap_or(false)
        })
    }

    /// Whether questions of that name are of the state or resource.
    fn is_of(&self, scope: &Scope, key: &AskKey) -> bool {
        match scope {
            Scope::State(path) | Scope::Items(path, _) => path.0 == key.path,
            Scope::Resource(resource) => {
                let definition = &self.setup.definition;
                let id = definition.find(&StatePath(key.path.clone()));
                let state = id.and_then(|id| definition.state(id));
                matches!(state.map(|state| &state.kind), Some(StateKind::Task(task)) if task.resource == *resource)
            }
        }
    }
}
