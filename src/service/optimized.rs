//! The table of optimized integrations, and of what SDK integrations cannot call.

use super::model::{Kind, Member, Need};
use std::sync::OnceLock;

const OPTIMIZED: &str = include_str!("optimized.txt");
const EXCEPTIONS: &str = include_str!("exceptions.txt");

/// A service with optimized integrations.
#[derive(Debug)]
pub(super) struct Optimized {
    /// Its name in a Resource: `events`.
    pub name: &'static str,
    /// Its name in the catalogue: `eventbridge`; "-" if it has no API of its own.
    pub service: &'static str,
    /// Prefixes of the names of its errors; none if they are not known.
    pub prefixes: Vec<&'static str>,
    /// Names of errors without their prefix that AWS documents for it; none if those of the API are.
    pub errors: Vec<&'static str>,
    pub actions: Vec<OptimizedAction>,
}

/// One of its actions.
#[derive(Debug)]
pub(super) struct OptimizedAction {
    pub name: &'static str,
    /// The patterns that it supports, a letter for each.
    pub patterns: &'static str,
    /// Service and action of the API behind it; `None` if it has none.
    pub model: Option<(&'static str, &'static str)>,
    /// Parameters beside those of the API.
    pub parameters: Vec<Member>,
    /// True if the API's parameters are replaced, not extended.
    pub replaces: bool,
    /// True if there may be further parameters.
    pub open: bool,
    /// Members of the result if they are not those of the API's.
    pub result: Option<Vec<Member>>,
    /// What `.sync` returns.
    pub job: Option<Job>,
}

/// What an integration returns that waits for a job.
#[derive(Debug)]
pub(super) struct Job {
    /// True if that is recorded, false if it is only likely.
    pub is_sure: bool,
    /// The action of the same API that describes the job.
    pub action: &'static str,
    /// The member of its result that is returned, of a list one item; `None` for the whole result.
    pub member: Option<&'static str>,
}

/// Every service with optimized integrations.
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

/// The service of a name with optimized integrations.
pub(super) fn optimized_service(name: &str) -> Option<&'static Optimized> {
    optimized().iter().find(|one| one.name == name)
}

/// True if Step Functions cannot call an action of the API.
pub(super) fn is_refused(service: &str, action: &str) -> bool {
    lines(EXCEPTIONS).any(|line| {
        let mut words = line.split(' ');
        words.next() == Some(service) && words.any(|word| word == action)
    })
}

/// True if AWS documents the service, but has closed it.
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

/// A line before and after a sign.
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
