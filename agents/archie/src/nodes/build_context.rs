//! Node `build_context`: writes a context document from the documents and the memory.

use superstep::{Ctx, NodeError, Res, Snap, Store, tools::guided::Profile};

use crate::{
    documents::DocumentStore,
    error::Error,
    prompts::Stage,
    request::StageRequest,
    services::Services,
    small,
    state::{Analysis, AnalysisUpdate},
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
    let request = StageRequest {
        memory: &state.system_context,
        ..StageRequest::new(&set, &said, Stage::Context)
    };
    let turn = services.call_model(&ctx, &state, request).await?;
    let text = turn.text.clone();
    Ok(turn.update().analysis_output(Some(text)))
}
