//! Node `ask`: answers one question from memory and, if there are any, the documents.

use superstep::{Ctx, NodeError, Res, Snap, Store};

use super::extraction::recall;
use crate::{
    documents::DocumentStore,
    error::Error,
    prompts::Stage,
    request::StageRequest,
    services::Services,
    state::{Analysis, AnalysisUpdate},
};

pub(crate) async fn ask(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    if state.user_input.is_empty() {
        return Err(Error::settings("there is no question").into());
    }
    let set = DocumentStore(&*store).document_set(&state.inputs).await?;
    let (memory, notices) = recall(&state, &services, &*store, &ctx).await?;
    let request = StageRequest {
        memory: &memory,
        ..StageRequest::new(&set, &state.user_input, Stage::Ask)
    };
    let mut turn = services.call_model(&ctx, &state, request).await?;
    turn.notices.extend(notices);
    let text = turn.text.clone();
    Ok(turn
        .update()
        .system_context(memory)
        .analysis_output(Some(text)))
}
