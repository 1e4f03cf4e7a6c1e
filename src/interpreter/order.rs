//! The order of the stages: which ones a state has, and what follows each (ASL-SEMANTICS 4.1).
//!
//! It must not know how a stage is computed.

use super::event::Stage;
use super::visit::Phase;
use crate::definition::{QueryLanguage, State, StateKind};

/// The stages that a state has, in order.
#[must_use]
pub fn stages_of(state: &State) -> Vec<Stage> {
    let mut stages = common_stages(state).to_vec();
    if let StateKind::Map(map) = &state.kind {
        let own = [
            (Stage::AfterItemReader, map.reader.is_some()),
            (Stage::AfterBatchInput, map.batch_input().is_some()),
            (Stage::AfterItemSelector, map.has_selector()),
            (Stage::AfterItemBatcher, map.batcher.is_some()),
        ];
        stages.extend(
            own.into_iter()
                .filter(|(_, is)| *is)
                .map(|(stage, _)| stage),
        );
        stages.sort_unstable();
    }
    stages
}

/// Those that all states of its type have in its language.
fn common_stages(state: &State) -> &'static [Stage] {
    use Stage::{
        AfterArguments, AfterInputPath, AfterItemsPath, AfterParameters, AfterResultPath,
        AfterResultSelector, Input, Output, Result,
    };
    if state.language == QueryLanguage::Jsonata {
        return match &state.kind {
            StateKind::Task(_) | StateKind::Parallel { .. } => {
                &[Input, AfterArguments, Result, Output]
            }
            StateKind::Map(_) => &[Input, AfterItemsPath, Result, Output],
            StateKind::Fail(_) => &[Input],
            _ => &[Input, Output],
        };
    }
    match &state.kind {
        StateKind::Task(_) | StateKind::Parallel { .. } => &[
            Input,
            AfterInputPath,
            AfterParameters,
            Result,
            AfterResultSelector,
            AfterResultPath,
            Output,
        ],
        StateKind::Map(_) => &[
            Input,
            AfterInputPath,
            AfterItemsPath,
            Result,
            AfterResultSelector,
            AfterResultPath,
            Output,
        ],
        StateKind::Pass { .. } => &[
            Input,
            AfterInputPath,
            AfterParameters,
            Result,
            AfterResultPath,
            Output,
        ],
        StateKind::Choice(_) | StateKind::Wait(_) | StateKind::Succeed => {
            &[Input, AfterInputPath, Output]
        }
        StateKind::Fail(_) => &[Input],
    }
}

/// What a frame does after a stage was put in place by hand.
pub(super) fn phase_after(stage: Stage, state: Option<&State>) -> Phase {
    match stage {
        Stage::Input => first_phase(state),
        Stage::AfterInputPath => after_input_path(state.map(|state| &state.kind)),
        Stage::AfterItemReader => Phase::Read,
        Stage::AfterBatchInput | Stage::AfterItemSelector => Phase::Batch,
        Stage::AfterItemsPath
        | Stage::AfterItemBatcher
        | Stage::AfterParameters
        | Stage::AfterArguments => Phase::Work,
        Stage::Result => after_result(state),
        Stage::AfterResultSelector => Phase::ResultPath,
        Stage::AfterResultPath => Phase::OutputPath,
        Stage::Output => Phase::Exit,
    }
}

fn first_phase(state: Option<&State>) -> Phase {
    let kind = state.map(|state| &state.kind);
    if matches!(kind, Some(StateKind::Fail(_)) | None) {
        Phase::Work
    } else if is_jsonata(state) {
        match kind {
            // JSONata has no Parameters; a Pass computes its Output alone.
            Some(StateKind::Pass { .. }) => Phase::Work,
            kind => after_input_path(kind),
        }
    } else {
        Phase::InputPath
    }
}

fn is_jsonata(state: Option<&State>) -> bool {
    state.is_some_and(|state| state.language == QueryLanguage::Jsonata)
}

fn after_input_path(kind: Option<&StateKind>) -> Phase {
    match kind {
        Some(StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Pass { .. }) => {
            Phase::Parameters
        }
        Some(StateKind::Map(_)) => Phase::ItemsPath,
        _ => Phase::Work,
    }
}

fn after_result(state: Option<&State>) -> Phase {
    match state.map(|state| &state.kind) {
        _ if is_jsonata(state) => Phase::OutputPath,
        Some(StateKind::Pass { .. }) => Phase::ResultPath,
        Some(StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Map(_)) => {
            Phase::ResultSelector
        }
        _ => Phase::OutputPath,
    }
}
