//! Analyses on a small model: it sorts sentences, and the program quotes them.
//!
//! Documents are cut into sentences and items with their headings and lines. One call for each chooses its label; what is
//! open is found by rule too ([`label`]). The sections of the result are quotes with their sources ([`sections`]), so that every
//! number and name is in the document it is cited from. Nothing is weighed: that is said, and the person is asked.

mod label;
mod sections;

use superstep::{
    Ctx, NodeError,
    model::Message,
    tools::{
        Traced,
        guided::{Passage, passages},
    },
};

use crate::{
    counted::Counted,
    documents::{
        DocumentSet,
        select::{Wanted, select},
    },
    fact::{Fact, Label},
    progress::{About, Notice, Progress},
    prompts::Stage,
    services::Services,
    state::{Analysis, AnalysisUpdate},
};

/// How many passages are sorted. More would take a model on a slow machine too long.
const MOST: usize = 120;

/// A turn of an analysis on a small model: facts first, then what the person says, then the result. Nothing for a thread without
/// documents, which is a conversation like others.
pub(crate) async fn turn(
    state: &Analysis,
    set: &DocumentSet,
    services: &Services,
    stage: Stage,
    ctx: &Ctx,
) -> Result<Option<AnalysisUpdate>, NodeError> {
    if set.documents.is_empty() {
        return Ok(None);
    }
    let mut update = Analysis::update();
    // They are read once for each analysis.
    let is_first = state.facts.is_none();
    let facts = match state.facts.clone() {
        Some(facts) => facts,
        None => {
            let found = facts(state, set, services, stage, ctx).await?;
            update = update.usage(found.spent).notices(found.notices);
            found.facts
        }
    };
    let (said, text) = match stage {
        Stage::Final => {
            let text = sections::analysis(&facts, state);
            update = update
                .analysis_output(Some(text.clone()))
                .current_analysis_query(None);
            (state.user_input.clone(), text)
        }
        Stage::Context => {
            let name = state.context_name.as_deref().unwrap_or("the system");
            let text = sections::context(&facts, name);
            update = update.analysis_output(Some(text.clone()));
            (format!("The system: {name}"), text)
        }
        _ => {
            let text = sections::question(&facts, state, is_first);
            update = update.current_analysis_query(Some(text.clone()));
            (state.user_input.clone(), text)
        }
    };
    let said = Message::user(said).with_id(ctx.idempotency_key("said"));
    let reply = Message::model(text).with_id(ctx.idempotency_key("reply"));
    ctx.emit_message(&reply).await?;
    Ok(Some(
        update.facts(facts).analysis_history(vec![said, reply]),
    ))
}

struct Sorted {
    facts: Vec<Fact>,
    spent: Vec<crate::usage::Spent>,
    notices: Vec<Notice>,
}

/// The facts of the documents, in their order.
async fn facts(
    state: &Analysis,
    set: &DocumentSet,
    services: &Services,
    stage: Stage,
    ctx: &Ctx,
) -> Result<Sorted, NodeError> {
    let wanted = Wanted {
        message: &state.user_input,
        ..Wanted::default()
    };
    let mut all: Vec<(String, Passage)> = Vec::new();
    for excerpt in select(&set.documents, &wanted, services.room(stage)) {
        let Some(document) = set.documents.get(excerpt.document) else {
            continue;
        };
        for piece in &excerpt.pieces {
            let passages = passages(&piece.text).into_iter().map(|mut passage| {
                passage.line += piece.first - 1;
                (document.path.clone(), passage)
            });
            all.extend(passages);
        }
    }
    let (taken, left) = (all.len().min(MOST), all.len().saturating_sub(MOST));
    ctx.emit(Progress::Sorting { passages: taken }).await;
    let mut notices = Vec::new();
    if left > 0 {
        let why = format!(
            "{left} sentences behind the first {MOST} were not looked at: the model is small"
        );
        notices.push(Notice::new(About::Documents, why));
    }
    for notice in &notices {
        ctx.emit(Progress::Notice(notice.clone())).await;
    }
    let model = Traced {
        model: services.models.of(stage.node()),
        ctx,
    };
    let model = Counted::new(&model, stage);
    let guide = label::guide()?;
    let mut facts = Vec::with_capacity(taken);
    for (document, passage) in all.into_iter().take(MOST) {
        ctx.heartbeat();
        let is_open = label::is_open(&passage);
        let label = match is_open {
            true => Label::Open,
            false => label::of(&guide, &model, &passage).await?,
        };
        facts.push(Fact {
            document,
            line: passage.line,
            heading: passage.heading,
            text: passage.text,
            label,
            by_rule: is_open,
        });
    }
    Ok(Sorted {
        facts,
        spent: model.spent().into_iter().collect(),
        notices,
    })
}
