//! Node `ask`: answers one question from memory and, if there are any, the documents.

use std::sync::Arc;

use superstep::{Ctx, NodeError, Res, Snap, Store};

use super::recall::recall;
use crate::{
    documents::DocumentStore,
    error::Error,
    prompts::Stage,
    services::Services,
    state::{Analysis, AnalysisUpdate},
    turn::UserMessage,
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
    let said = UserMessage {
        stage: Stage::Ask,
        text: &state.user_input,
        memory: &memory,
        set: &Arc::new(set),
    };
    let mut turn = services.converse(&ctx, &state, said).await?;
    turn.notices.extend(notices);
    let text = turn.text.clone();
    Ok(turn
        .update()
        .system_context(memory)
        .analysis_output(Some(text)))
}
