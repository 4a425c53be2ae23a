//! Node `build_context`: writes a context document from the documents and the memory.

use std::sync::Arc;

use superstep::{Ctx, NodeError, Res, Snap, Store, tools::guided::Profile};

use crate::{
    documents::DocumentStore,
    error::Error,
    prompts::Stage,
    services::Services,
    small,
    state::{Analysis, AnalysisUpdate},
    turn::UserMessage,
};

pub(crate) async fn build_context(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let set = DocumentStore(&*store).document_set(&state.inputs).await?;
    if set.documents.is_empty() && state.system_context.is_empty() {
        // A model that has nothing to go by makes something up.
        return Err(Error::settings("there is nothing to make a context document of").into());
    }
    if services.profile(Stage::Context) == Profile::Small
        && let Some(update) = small::turn(&state, &set, &services, Stage::Context, &ctx).await?
    {
        return Ok(update);
    }
    let name = state.context_name.as_deref().unwrap_or("the system");
    let said = match state.user_input.as_str() {
        "" => format!("The system: {name}"),
        words => format!("The system: {name}\n\n{words}"),
    };
    let said = UserMessage {
        stage: Stage::Context,
        text: &said,
        memory: &state.system_context,
        set: &Arc::new(set),
    };
    let turn = services.converse(&ctx, &state, said).await?;
    let text = turn.text.clone();
    Ok(turn.update().analysis_output(Some(text)))
}
