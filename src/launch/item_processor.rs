//! Extracts the item processor of a Map as a state machine, which its child executions run.

use super::config::LaunchConfig;
use super::error::LaunchError;
use super::load::Loaded;
use super::open::open;
use super::project::Project;
use super::value::Given;
use crate::json::{Text, Value, pretty};
use std::path::PathBuf;
use std::sync::Arc;

/// Loads the item processor of a Map as a state machine; `None` if the definition has no such Map.
///
/// # Errors
/// If the definition cannot be read, or something in it prevents a run.
pub fn item_processor(config: &LaunchConfig, map: &str) -> Result<Option<Loaded>, LaunchError> {
    let whole = open(&config.program)?.readable()?.to_value();
    let Some((name, processor)) = find(&whole, map) else {
        return Ok(None);
    };
    let mut members: Vec<(Text, Value)> = Vec::new();
    if let Some(language) = whole.get("QueryLanguage") {
        members.push(("QueryLanguage".into(), language.clone()));
    }
    let own = processor.as_object().map(crate::json::Object::members);
    let own = own.unwrap_or_default().iter();
    members.extend(
        own.filter(|(name, _)| &**name != "ProcessorConfig")
            .cloned(),
    );
    let mut config = config.clone();
    let file = config.program.file.display().to_string();
    config.program.file = PathBuf::from(format!("{file} > {name}"));
    config.program.text = Some(Arc::from(pretty(&Value::object(members))));
    config.program.state_machine = None;
    config.history = None;
    config.input = Some(Given::Json("{}".to_string()));
    Project::open(config)?.load().map(Some)
}

/// Finds the Map with a name or label; returns its name and item processor.
fn find<'v>(machine: &'v Value, map: &str) -> Option<(&'v str, &'v Value)> {
    let states = machine.get("States")?.as_object()?.members();
    states.iter().find_map(|(name, state)| {
        let processor = state.get("ItemProcessor").or_else(|| state.get("Iterator"));
        let label = state.get("Label").and_then(Value::as_str);
        if let Some(processor) = processor {
            let is_it = label.map_or(&**name == map, |label| label == map);
            return match is_it {
                true => Some((&**name, processor)),
                false => find(processor, map),
            };
        }
        let branches = state.get("Branches").and_then(Value::as_array);
        let mut branches = branches.unwrap_or_default().iter();
        branches.find_map(|branch| find(branch, map))
    })
}
