//! The order of a state's stages and its work (ASL-SEMANTICS 4.1).

use super::event::Stage;
use super::visit::Phase;
use crate::definition::{StageGroup, State};

/// Returns what a frame does after `stage` of its state is complete: the next stage, or the work if the result comes
/// next.
pub(super) fn phase_after(stage: Stage, state: Option<&State>) -> Phase {
    let next = state.and_then(|state| state.stage_after(stage));
    match (stage, next) {
        (Stage::AfterItemReader, _) => Phase::Read,
        (Stage::AfterBatchInput | Stage::AfterItemSelector, _) => Phase::Batch,
        // The items are read when the work begins.
        (_, Some(Stage::AfterItemReader)) => Phase::Stage(Stage::AfterItemsPath),
        (_, Some(next)) if next.group() == StageGroup::Effective => Phase::Stage(next),
        _ if stage < Stage::Result => Phase::Work,
        (_, Some(next)) => Phase::Stage(next),
        (_, None) => Phase::Exit,
    }
}
