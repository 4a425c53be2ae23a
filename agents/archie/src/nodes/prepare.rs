//! Node `analysis_prepare`: the next question or proposal or, once approved, the analysis.

use superstep::{Ctx, NodeError, Res, Snap, Store, tools::guided::Profile};

use crate::{
    documents::{DocumentSet, DocumentStore},
    explain,
    progress::{About, Notice, Progress},
    prompts::Stage,
    request::StageRequest,
    services::Services,
    small,
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
    if services.profile(stage) == Profile::Small
        && let Some(update) = small::turn(&state, &set, &services, stage, &ctx).await?
    {
        return Ok(update);
    }
    let request = StageRequest {
        memory: &state.system_context,
        ..StageRequest::new(&set, &state.user_input, stage)
    };
    let mut turn = services.call_model(&ctx, &state, request).await?;
    let text = turn.text.clone();
    if stage == Stage::Final
        && let Some(notice) = unsupported(&text, &state, &set)
    {
        ctx.emit(Progress::Notice(notice.clone())).await;
        turn.notices.push(notice);
    }
    let update = turn.update();
    Ok(match stage {
        Stage::Final => update
            .analysis_output(Some(text))
            .current_analysis_query(None),
        _ => update.current_analysis_query(Some(text)),
    })
}

/// The figures of a result that neither a document nor anybody in the conversation has.
fn unsupported(text: &str, state: &Analysis, set: &DocumentSet) -> Option<Notice> {
    if set.documents.is_empty() {
        return None;
    }
    let is_figure = |item: &str| item.bytes().any(|byte| byte.is_ascii_digit());
    let found = explain::traces(text, state, set).into_iter();
    let found = found.filter(|it| it.origins.is_empty() && is_figure(&it.item));
    let found: Vec<String> = found.map(|it| it.item).take(10).collect();
    let why = format!(
        "figures that are in no document and that you did not name: {}",
        found.join(", ")
    );
    (!found.is_empty()).then(|| Notice::new(About::Reply, why))
}
