//! Thinks: what to ask next, or, once the person has approved, the analysis itself.

use superstep::{Ctx, NodeError, Res, Snap, Store};

use crate::{
    desk::Desk,
    documents::Keep,
    prompts::Stage,
    state::{Analysis, AnalysisUpdate},
    talk::Talk,
};

pub(crate) async fn analysis_prepare(
    state: Snap<Analysis>,
    desk: Res<Desk>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let stage = match (state.approved, state.analysis_history.is_empty()) {
        (true, _) => Stage::Final,
        (false, true) => Stage::Initial,
        (false, false) => Stage::Followup,
    };
    let shelf = Keep(&*store).shelf(&state.inputs).await?;
    let talk = Talk {
        memory: &state.system_context,
        ..Talk::new(&shelf, &state.user_input, stage)
    };
    let spoken = desk.speak(&ctx, &state, talk).await?;
    let text = spoken.text.clone();
    let update = spoken.update();
    Ok(match stage {
        Stage::Final => update
            .analysis_output(Some(text))
            .current_analysis_query(None),
        _ => update.current_analysis_query(Some(text)),
    })
}
