//! Node `analysis_prepare`: the next turn of the conversation or, once approved, the result, or a changed result.

use std::{collections::BTreeSet, sync::Arc};

use superstep::{Ctx, NodeError, Res, Snap, Store, model::Message, tools::guided::Profile};

use crate::{
    citation,
    documents::{DocumentSet, DocumentStore},
    explain,
    progress::{About, Notice, Progress},
    prompts::Stage,
    services::Services,
    small,
    state::{Analysis, AnalysisUpdate},
    turn::UserMessage,
};

/// The line between what changes and the changed result.
const CHANGED: &str = "=== result ===";

pub(crate) async fn analysis_prepare(
    state: Snap<Analysis>,
    services: Res<Services>,
    store: Store,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let is_first = state.analysis_history.is_empty();
    let stage = match (state.approved, &state.analysis_output) {
        (true, _) => Stage::Final,
        (false, Some(_)) => Stage::Revise,
        (false, None) if is_first => Stage::Initial,
        (false, None) => Stage::Followup,
    };
    let set = DocumentStore(&*store).document_set(&state.inputs).await?;
    // A question about a result is no sentence to sort.
    if services.profile(stage) == Profile::Small
        && stage != Stage::Revise
        && let Some(update) = small::turn(&state, &set, &services, stage, &ctx).await?
    {
        return Ok(update);
    }
    let set = Arc::new(set);
    let said = UserMessage {
        stage,
        text: &state.user_input,
        memory: &state.system_context,
        set: &set,
    };
    let mut turn = services.converse(&ctx, &state, said).await?;
    let result = match stage {
        Stage::Final => Some(turn.text.clone()),
        Stage::Revise => match changed(&turn.text) {
            Some((what, result)) => {
                let text = format!("{what}\n\n{result}");
                turn = turn.saying(text.trim().to_owned());
                Some(result)
            }
            None => None,
        },
        _ => None,
    };
    let notice = result.as_ref().and_then(|it| unsupported(it, &state, &set));
    if let Some(notice) = notice {
        ctx.emit(Progress::Notice(notice.clone())).await;
        turn.notices.push(notice);
    }
    let text = turn.text.clone();
    let update = turn.update();
    Ok(match (result, stage) {
        (Some(result), _) => update
            .analysis_output(Some(result))
            .current_analysis_query(None),
        (None, Stage::Revise) => update.current_analysis_query(None),
        (None, _) => update.current_analysis_query(Some(text)),
    })
}

/// What changes, and the changed result, if a reply has one.
fn changed(reply: &str) -> Option<(String, String)> {
    let at = reply.lines().position(|line| line.trim() == CHANGED)?;
    let what: Vec<&str> = reply.lines().take(at).collect();
    let result: Vec<&str> = reply.lines().skip(at + 1).collect();
    let [what, result] = [what, result].map(|lines| lines.join("\n").trim().to_owned());
    (!result.is_empty()).then_some((what, result))
}

/// The figures of a result that neither the person nor a document has: of a large folder only documents that were cited
/// count, as any figure is somewhere.
fn unsupported(text: &str, state: &Analysis, set: &DocumentSet) -> Option<Notice> {
    let replies = state
        .analysis_history
        .iter()
        .filter(|it| it.reply().is_some());
    let replies = replies.map(Message::text).chain([text.to_owned()]);
    let cited: BTreeSet<usize> = replies
        .flat_map(|reply| citation::citations(&reply))
        .filter_map(|it| Some(citation::lines(&it, set).ok()?.document))
        .collect();
    if set.documents.is_empty() {
        return None;
    }
    let documents = cited.iter().filter_map(|it| set.documents.get(*it));
    let some = DocumentSet {
        documents: documents.cloned().collect(),
        left: 0,
    };
    let (set, of) = match some.documents.is_empty() {
        true => (set, "document"),
        false => (&some, "cited document"),
    };
    let is_figure = |item: &str| item.bytes().any(|byte| byte.is_ascii_digit());
    let found = explain::traces(text, state, set).into_iter();
    let found = found.filter(|it| it.origins.is_empty() && is_figure(&it.item));
    let found: Vec<String> = found.map(|it| it.item).take(10).collect();
    let why = format!(
        "figures that are in no {of} and that you did not name: {}",
        found.join(", ")
    );
    (!found.is_empty()).then(|| Notice::new(About::Reply, why))
}
