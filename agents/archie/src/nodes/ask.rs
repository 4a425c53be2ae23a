//! Answers one question, with what is remembered and the documents if there are any.

use superstep::{Ctx, NodeError, Res, Snap, Store};

use super::extraction::recall;
use crate::{
    desk::Desk,
    documents::Keep,
    error::Error,
    prompts::Stage,
    state::{Analysis, AnalysisUpdate},
    talk::Talk,
};

pub(crate) async fn ask(
    state: Snap<Analysis>,
    desk: Res<Desk>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    if state.user_input.is_empty() {
        return Err(Error::settings("there is no question").into());
    }
    let shelf = Keep(&*store).shelf(&state.inputs).await?;
    let (memory, notices) = recall(&state, &desk, &ctx).await?;
    let talk = Talk {
        memory: &memory,
        ..Talk::new(&shelf, &state.user_input, Stage::Ask)
    };
    let mut spoken = desk.speak(&ctx, &state, talk).await?;
    spoken.notices.extend(notices);
    let text = spoken.text.clone();
    Ok(spoken
        .update()
        .system_context(memory)
        .analysis_output(Some(text)))
}
