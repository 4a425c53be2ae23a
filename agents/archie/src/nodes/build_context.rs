//! Writes a document about a system, made of its documents and of what is remembered.

use superstep::{Ctx, NodeError, Res, Snap, Store};

use crate::{
    desk::Desk,
    documents::Keep,
    error::Error,
    prompts::Stage,
    state::{Analysis, AnalysisUpdate},
    talk::Talk,
};

pub(crate) async fn build_context(
    state: Snap<Analysis>,
    desk: Res<Desk>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let shelf = Keep(&*store).shelf(&state.inputs).await?;
    if shelf.documents.is_empty() && state.system_context.is_empty() {
        // A model that has nothing to go by makes something up.
        return Err(Error::settings("there is nothing to make a context document of").into());
    }
    let name = state.context_name.as_deref().unwrap_or("the system");
    let said = match state.user_input.as_str() {
        "" => format!("The system: {name}"),
        words => format!("The system: {name}\n\n{words}"),
    };
    let talk = Talk {
        memory: &state.system_context,
        ..Talk::new(&shelf, &said, Stage::Context)
    };
    let spoken = desk.speak(&ctx, &state, talk).await?;
    let text = spoken.text.clone();
    Ok(spoken.update().analysis_output(Some(text)))
}
