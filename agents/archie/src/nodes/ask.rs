//! Answers one question, with what is remembered and the documents if there are any.

use superstep::{Ctx, NodeError, Res, Snap, Store};

use super::extraction::recall;
use crate::{
    desk::Desk,
    documents::Keep,
    prompts::Stage,
    state::{Analysis, AnalysisUpdate},
};

pub(crate) async fn ask(
    state: Snap<Analysis>,
    desk: Res<Desk>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let documents = Keep(&*store).documents(&state.inputs).await?;
    let (memory, notices) = recall(&state, &desk, &ctx).await?;
    let spoken = desk
        .speak(
            &ctx,
            &state,
            &documents,
            &memory,
            &state.user_input,
            Stage::Ask,
        )
        .await?;
    let text = spoken.text.clone();
    let mut all = spoken.notices();
    all.extend(notices);
    Ok(spoken
        .update()
        .notices(all)
        .system_context(memory)
        .analysis_output(Some(text)))
}
