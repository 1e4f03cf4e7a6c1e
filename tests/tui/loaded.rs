//! Loads the definitions of the scripts, and the child machine that tasks may execute.

use asldbg::definition::{diagnose, lower};
use asldbg::launch::Reloaded;
use asldbg::query::Profile;
use asldbg::session::execution::{ChildMachine, Children};
use asldbg::source::{SourceFile, SourceId, SourceMap, parse_json};
use std::sync::Arc;

/// The child machine `kid` if the definition names it; otherwise none.
pub fn children(text: &str) -> Arc<Children> {
    let kid = || ChildMachine {
        name: "kid".into(),
        definition: load(include_str!("../dap/kid.asl.json")).definition,
        case: None,
        cases: Vec::new(),
    };
    let starts_it = text.contains("stateMachine:kid");
    Arc::new(Children {
        machines: starts_it.then(kid).into_iter().collect(),
    })
}

/// Loads a definition.
pub fn load(text: &str) -> Reloaded {
    let file = SourceFile::new("order.asl.json", text);
    let (node, mut diagnostics) = parse_json(&file, SourceId(0));
    let node = node.expect("json");
    let (definition, found) = lower(Arc::new(node), Arc::new(SourceMap::of(file)), "order");
    diagnostics.extend(found);
    let diagnostics = diagnose(&definition, &diagnostics, Profile::Spec);
    Reloaded {
        definition: Arc::new(definition),
        diagnostics,
        children: Arc::default(),
        recorded: None,
    }
}
