//! Services that nodes use besides the state: the model, the settings, and model calls.

use superstep::{
    Ctx, NodeError,
    fs::{StopFlag, StopOnDrop},
    model::{Body, Finish, Message, NodeModels, Usage},
    tools::{guided::Profile, stream_reply},
};

use crate::{
    error::{Error, ErrorKind},
    progress::{About, Notice, Progress},
    prompts::Stage,
    request::StageRequest,
    settings::{Settings, USUAL_DOCUMENT_TOKENS},
    state::{Analysis, AnalysisUpdate},
    usage::Spent,
};

/// The model and the settings.
pub(crate) struct Services {
    pub(crate) models: NodeModels,
    pub(crate) settings: Settings,
}

/// A turn of the conversation: the message of the person and the reply of the model.
pub(crate) struct ModelTurn {
    pub(crate) text: String,
    said: Message,
    reply: Message,
    spent: Spent,
    pub(crate) notices: Vec<Notice>,
}

impl Services {
    /// How many tokens the model can read and write in all, if that is known.
    pub(crate) fn context(&self) -> Option<usize> {
        usize::try_from(self.models.context()?).ok()
    }

    /// How the model of a stage is asked.
    pub(crate) fn profile(&self, stage: Stage) -> Profile {
        let by_model = || Profile::of(self.models.of(stage.node()).caps());
        self.settings.profile.unwrap_or_else(by_model)
    }

    /// How many tokens of documents the model gets: what was chosen, or three eighths of what it
    /// can read, which leaves a quarter for the reply and as much for the conversation.
    pub(crate) fn document_tokens(&self) -> usize {
        let part = self.context().map(|tokens| tokens / 8 * 3);
        let usual = part.unwrap_or(usize::MAX).min(USUAL_DOCUMENT_TOKENS);
        self.settings.document_tokens.unwrap_or(usual)
    }

    /// Calls the model with what the person says, and streams the reply.
    pub(crate) async fn call_model(
        &self,
        ctx: &Ctx,
        state: &Analysis,
        request: StageRequest<'_>,
    ) -> Result<ModelTurn, NodeError> {
        if ctx.attempt() > 1 {
            let attempt = ctx.attempt();
            ctx.emit(Progress::Again { attempt }).await;
        }
        let StageRequest { said, stage, .. } = request;
        let request = StageRequest {
            history: &state.analysis_history,
            context: self.context(),
            ..request
        };
        let (mut request, skipped) = request.request(&self.settings);
        let model = self.models.of(stage.node());
        let mut notices = Vec::new();
        let mut reply = stream_reply(ctx, model, &request).await?;
        let mut lost = None;
        if is_cut(&reply) && reply.text().trim().is_empty() && !model.caps().small {
            // Thoughts may have used up the limit; the same call would end the same way.
            lost = usage_of(&reply);
            request.max_tokens = request.max_tokens.map(|limit| limit.saturating_mul(4));
            let why =
                "the reply was cut before its first word; it was asked for again with more room";
            notices.push(Notice::new(About::Reply, why));
            reply = stream_reply(ctx, model, &request).await?;
        }
        let text = reply.text().trim().to_owned();
        if text.is_empty() {
            let limit = request.max_tokens.filter(|_| is_cut(&reply));
            return Err(Error::from(ErrorKind::EmptyReply { limit }).into());
        }
        let is_cut = is_cut(&reply);
        let mut spent = Spent::default();
        if skipped > 0 {
            let why = format!("the model cannot read all: {skipped} old entries were left out");
            notices.push(Notice::new(About::Reply, why));
        }
        if let Body::Model(reply) = &mut reply.body {
            if let (Some(lost), Some(usage)) = (lost, &mut reply.usage) {
                *usage += lost;
            }
            spent = Spent::on(reply, stage, state.turn() + 1);
            if is_cut {
                let why = "the reply was cut at the limit of tokens";
                notices.push(Notice::new(About::Reply, why));
            }
            // No tool was offered, and thoughts are in the trace: neither is part of what was said.
            reply.tool_calls.clear();
            reply.invalid_tool_calls.clear();
            reply.reasoning.clear();
        }
        for notice in &notices {
            ctx.emit(Progress::Notice(notice.clone())).await;
        }
        Ok(ModelTurn {
            text,
            said: Message::user(said).with_id(ctx.idempotency_key("said")),
            reply,
            spent,
            notices,
        })
    }
}

/// Whether a reply ended at a limit of tokens.
fn is_cut(reply: &Message) -> bool {
    match &reply.body {
        Body::Model(reply) => {
            let answered = reply.answered.as_ref();
            answered.is_some_and(|it| it.finish == Finish::Length)
        }
        _ => false,
    }
}

fn usage_of(reply: &Message) -> Option<Usage> {
    match &reply.body {
        Body::Model(reply) => reply.usage,
        _ => None,
    }
}

impl ModelTurn {
    /// The turn as an update: two entries of the history and what they cost.
    pub(crate) fn update(self) -> AnalysisUpdate {
        Analysis::update()
            .analysis_history(vec![self.said, self.reply])
            .usage(vec![self.spent])
            .notices(self.notices)
    }
}

/// Runs blocking work on a thread of its own. Dropping the future sets its stop flag.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&StopFlag) -> T + Send + 'static,
) -> Result<T, NodeError> {
    let waiting = StopOnDrop::default();
    let stop = waiting.flag();
    Ok(tokio::task::spawn_blocking(move || work(&stop)).await?)
}
