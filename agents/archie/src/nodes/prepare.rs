//! Node `analysis_prepare`: the next question or proposal or, once approved, the analysis.

use superstep::{Ctx, NodeError, Res, Snap, Store};

use crate::{
    documents::DocumentStore,
    prompts::Stage,
    request::StageRequest,
    services::Services,
    state::{Analysis, AnalysisUpdate},
};

pub(crate) async fn analysis_prepare(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let stage = match (state.approved, state.analysis_history.is_empty()) {
        (true, _) => Stage::Final,
        (false, true) => Stage::Initial,
        (false, false) => Stage::Followup,
    };
    let set = DocumentStore(&*store).document_set(&state.inputs).await?;
    let request = StageRequest {
        memory: &state.system_context,
        ..StageRequest::new(&set, &state.user_input, stage)
    };
    let turn = services.call_model(&ctx, &state, request).await?;
    let text = turn.text.clone();
    let update = turn.update();
    Ok(match stage {
        Stage::Final => update
            .analysis_output(Some(text))
            .current_analysis_query(None),
        _ => update.current_analysis_query(Some(text)),
    })
}
