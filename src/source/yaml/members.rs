//! The members of a mapping: duplicate names and merge keys.

use super::{INVALID, MAX_WARNINGS, YamlReader};
use crate::json::Text;
use crate::source::{Diagnostic, Member, Node, NodeKind, Span};
use std::collections::{HashMap, HashSet};

impl YamlReader<'_> {
    /// Reports duplicate names with both positions.
    pub(super) fn duplicates(&mut self, members: &[Member]) {
        let mut seen: HashMap<&str, Span> = HashMap::with_capacity(members.len());
        for member in members {
            let Some(first) = seen.insert(&member.key.text, member.key.span) else {
                continue;
            };
            if self.found.len() > MAX_WARNINGS {
                return;
            }
            let message = format!("duplicate key \"{}\"", member.key.text);
            self.found.push(
                Diagnostic::error(INVALID, 1, message)
                    .at(member.key.span, "")
                    .related(first, "first written here")
                    .help("rename one of them or take it out; the last one would win"),
            );
        }
    }

    /// Returns the members with merge keys expanded. Explicit members take precedence over merged ones, and earlier
    /// merges over later ones.
    pub(super) fn merge(
        &mut self,
        members: Vec<Member>,
        merged: Vec<(usize, Node)>,
    ) -> Vec<Member> {
        let mut known: HashSet<Text> = members
            .iter()
            .map(|member| member.key.text.clone())
            .collect();
        let mut all = Vec::with_capacity(members.len());
        let mut members = members.into_iter();
        let mut taken = 0;
        for (place, node) in merged {
            all.extend(members.by_ref().take(place.saturating_sub(taken)));
            taken = place;
            let span = node.span;
            let list = match node.kind {
                NodeKind::Array(items) => items,
                kind => vec![Node { span, kind }],
            };
            for item in list {
                if let NodeKind::Object(inner) = item.kind {
                    let fresh = inner.into_iter();
                    all.extend(fresh.filter(|member| known.insert(member.key.text.clone())));
                } else {
                    self.refuse(
                        item.span.range(),
                        "the merge key << takes an object or a list of objects",
                    );
                }
            }
        }
        all.extend(members);
        all
    }
}
