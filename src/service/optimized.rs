//! The table of optimized integrations, and the differences between SDK integrations and the API models.

use super::model::{Kind, Member, Need};
use std::sync::OnceLock;

const OPTIMIZED: &str = include_str!("optimized.txt");
const EXCEPTIONS: &str = include_str!("exceptions.txt");

/// A service with optimized integrations.
#[derive(Debug)]
pub(super) struct Optimized {
    /// Name in a Resource: `events`.
    pub name: &'static str,
    /// Name in the catalogue: `eventbridge`; "-" if the integration has no API model.
    pub service: &'static str,
    /// Prefixes of the service's error names; empty if they are not known.
    pub prefixes: Vec<&'static str>,
    /// Error names, without their prefix, that AWS documents for the integration; empty if they are the errors of the
    /// API.
    pub errors: Vec<&'static str>,
    pub actions: Vec<OptimizedAction>,
}

/// An action of an optimized integration.
#[derive(Debug)]
pub(super) struct OptimizedAction {
    pub name: &'static str,
    /// The letters of the supported service integration patterns.
    pub patterns: &'static str,
    /// Service and action of the underlying API; `None` if there is none.
    pub model: Option<(&'static str, &'static str)>,
    /// Parameters in addition to those of the API.
    pub parameters: Vec<Member>,
    /// True if `parameters` replace those of the API.
    pub replaces: bool,
    /// True if the action may accept more parameters than those listed.
    pub open: bool,
    /// Members of the result; `None` if they are those of the API.
    pub result: Option<Vec<Member>>,
    /// The result with the pattern `.sync`; `None` if there is no such pattern.
    pub job: Option<Job>,
}

/// The result of an integration that waits for a job.
#[derive(Debug)]
pub(super) struct Job {
    /// True if the result was observed on AWS; false if it is an assumption.
    pub is_sure: bool,
    /// The API action that describes the job.
    pub action: &'static str,
    /// The member of the action's result that the integration returns; if the member is a list, the integration returns
    /// one of its items. `None` if the integration returns the whole result.
    pub member: Option<&'static str>,
}

/// All services with optimized integrations.
pub(super) fn optimized() -> &'static [Optimized] {
    static TABLE: OnceLock<Vec<Optimized>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: Vec<Optimized> = Vec::new();
        for line in lines(OPTIMIZED) {
            match line.strip_prefix('[') {
                Some(head) => table.extend(read_service(head.trim_end_matches(']'))),
                None => {
                    let Some(last) = table.last_mut() else {
                        continue;
                    };
                    match line.strip_prefix('!') {
                        Some(errors) => last.errors.extend(errors.trim_start().split(' ')),
                        None => last.actions.extend(read_action(line, last.service)),
                    }
                }
            }
        }
        table
    })
}

/// The service with optimized integrations that has this name.
pub(super) fn optimized_service(name: &str) -> Option<&'static Optimized> {
    optimized().iter().find(|service| service.name == name)
}

/// True if Step Functions cannot call this API action.
pub(super) fn is_refused(service: &str, action: &str) -> bool {
    lines(EXCEPTIONS).any(|line| {
        let mut words = line.split(' ');
        words.next() == Some(service) && words.any(|word| word == action)
    })
}

/// The API model's name for an error with this error code; the code itself if no other name is known.
pub(super) fn error_name<'c>(service: &str, code: &'c str) -> &'c str {
    let named = |word: &'static str| word.strip_prefix(code)?.strip_prefix('=');
    lines(EXCEPTIONS)
        .filter_map(|line| line.split_once(' ').filter(|(of, _)| *of == service))
        .find_map(|(_, words)| words.split(' ').find_map(named))
        .unwrap_or(code)
}

/// True if AWS still documents the service but has shut it down.
pub(super) fn is_closed(service: &str) -> bool {
    lines(EXCEPTIONS).any(|line| line == service)
}

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn read_service(head: &'static str) -> Option<Optimized> {
    let mut words = head.split(' ');
    Some(Optimized {
        name: words.next()?,
        service: words.next()?,
        prefixes: words.collect(),
        errors: Vec::new(),
        actions: Vec::new(),
    })
}

fn read_action(line: &'static str, service: &'static str) -> Option<OptimizedAction> {
    let (line, job) = cut(line, "=>");
    let (head, result) = cut(line, "->");
    let mut words = head.split(' ');
    let name = words.next()?;
    let mut action = OptimizedAction {
        name,
        patterns: words.next()?,
        model: Some((service, name)),
        parameters: Vec::new(),
        replaces: true,
        open: false,
        result: result.map(|result| result.split(' ').map(read_member).collect()),
        job: job.map(read_job),
    };
    for word in words {
        match (word, word.strip_prefix('=')) {
            (_, Some("-")) => action.model = None,
            (_, Some(model)) => {
                action.model = Some(model.split_once(':').unwrap_or((service, model)));
            }
            ("+", _) => action.replaces = false,
            ("...", _) => action.open = true,
            _ => action.parameters.push(read_member(word)),
        }
    }
    action.replaces &= !action.parameters.is_empty();
    Some(action)
}

/// Splits a line at the first `sign`, if the line contains it, and trims both parts.
fn cut(line: &'static str, sign: &str) -> (&'static str, Option<&'static str>) {
    match line.split_once(sign) {
        Some((before, after)) => (before.trim_end(), Some(after.trim_start())),
        None => (line, None),
    }
}

fn read_job(text: &'static str) -> Job {
    let sure = text.strip_suffix('?');
    let text = sure.unwrap_or(text);
    let (action, member) = match text.split_once('.') {
        Some((action, member)) => (action, Some(member)),
        None => (text, None),
    };
    Job {
        is_sure: sure.is_none(),
        action,
        member,
    }
}

fn read_member(word: &'static str) -> Member {
    let (name, kind) = word.split_once(':').unwrap_or((word, ""));
    let required = name.strip_suffix('!');
    let name = required.unwrap_or(name);
    Member {
        sdk: name,
        plain: name,
        kind: match kind {
            "text" => Kind::Text,
            "number" => Kind::Float,
            "boolean" => Kind::Boolean,
            _ => Kind::Any,
        },
        need: match required {
            Some(_) => Need::Required,
            None => Need::Optional,
        },
    }
}
