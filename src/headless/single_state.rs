//! Builds a definition in which one state can be run alone.

use crate::source::{Key, Member, Node, NodeKind, OffsetMap, Span, StringNode};

/// Wraps a state into a state machine.
pub(super) fn wrapped(state: &Node, name: &str) -> Node {
    let span = state.span;
    let key = |text: &str| Key {
        text: text.into(),
        span,
    };
    let string = |text: &str| Node {
        span,
        kind: NodeKind::String(StringNode {
            text: text.into(),
            map: OffsetMap::plain(span),
        }),
    };
    let object = |members: Vec<Member>| Node {
        span,
        kind: NodeKind::Object(members),
    };
    let states = object(vec![Member {
        key: key(name),
        value: state.clone(),
    }]);
    object(vec![
        Member {
            key: key("StartAt"),
            value: string(name),
        },
        Member {
            key: key("States"),
            value: states,
        },
    ])
}

/// The tree without the `Retry` of the state at `place`.
pub(super) fn without_retry(node: &Node, place: Option<Span>) -> Node {
    let kind = match &node.kind {
        NodeKind::Object(members) => {
            let here = Some(node.span) == place && node.get("Type").is_some();
            let kept = members
                .iter()
                .filter(|member| !(here && &*member.key.text == "Retry"));
            NodeKind::Object(
                kept.map(|member| Member {
                    key: member.key.clone(),
                    value: without_retry(&member.value, place),
                })
                .collect(),
            )
        }
        NodeKind::Array(items) => NodeKind::Array(
            items
                .iter()
                .map(|item| without_retry(item, place))
                .collect(),
        ),
        kind => kind.clone(),
    };
    Node {
        span: node.span,
        kind,
    }
}
