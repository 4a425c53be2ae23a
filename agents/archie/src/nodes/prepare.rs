//! Node `analysis_prepare`: the next question or proposal or, once approved, the analysis.

use superstep::{
    Ctx, NodeError, Res, Snap, Store,
    tools::guided::{Profile, Sources},
};

use crate::{
    documents::{DocumentSet, DocumentStore},
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
    let mut sources = Sources::of(set.documents.iter().map(|it| it.text.as_str()));
    for message in &state.analysis_history {
        if matches!(message.body, superstep::model::Body::User { .. }) {
            sources.add(&message.text());
        }
    }
    sources.add(&state.user_input);
    // Points are numbered.
    let unnumbered = text.lines().map(|line| {
        let bare = line.trim_start();
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let rest = bare.get(digits..).unwrap_or_default();
        rest.strip_prefix(". ")
            .or_else(|| rest.strip_prefix(") "))
            .filter(|_| digits > 0)
            .unwrap_or(bare)
    });
    let unnumbered: Vec<&str> = unnumbered.collect();
    let mut found = sources.unsupported_figures(&unnumbered.join("\n"));
    found.dedup();
    found.truncate(10);
    let why = format!(
        "figures that are in no document and that you did not name: {}",
        found.join(", ")
    );
    (!found.is_empty()).then(|| Notice::new(About::Reply, why))
}
