//! What nodes work with besides the state: the model, the settings, and how they speak.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use superstep::{
    Ctx, NodeError,
    model::{Body, Finish, Message, Model},
    tools::converse,
};

use crate::{
    documents::Document,
    error::{Error, ErrorKind},
    prompts::Stage,
    settings::{Settings, USUAL_DOCUMENT_TOKENS},
    state::{Analysis, AnalysisUpdate},
    talk,
    told::{About, Notice, Told},
    usage::Spent,
};

/// The model and the settings.
pub(crate) struct Desk {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) settings: Settings,
}

/// What the model said.
pub(crate) struct Spoken {
    pub(crate) text: String,
    said: Message,
    reply: Message,
    spent: Spent,
    notice: Option<Notice>,
}

impl Desk {
    /// How many tokens of documents the model gets.
    pub(crate) fn document_tokens(&self) -> usize {
        let context = self.model.caps().context;
        let half = context.and_then(|tokens| usize::try_from(tokens / 2).ok());
        let chosen = self.settings.document_tokens.or(half);
        chosen.unwrap_or(USUAL_DOCUMENT_TOKENS)
    }

    /// Has the model answer what the person says.
    pub(crate) async fn speak(
        &self,
        ctx: &Ctx,
        state: &Analysis,
        documents: &[Document],
        memory: &str,
        said: &str,
        stage: Stage,
    ) -> Result<Spoken, NodeError> {
        if ctx.attempt() > 1 {
            let attempt = ctx.attempt();
            ctx.emit(Told::Again { attempt }).await;
        }
        let history = &state.analysis_history;
        let request = talk::request(&self.settings, documents, memory, history, said, stage);
        let mut reply = converse(ctx, &self.model, &request).await?;
        let text = reply.text().trim().to_owned();
        if text.is_empty() {
            return Err(Error::from(ErrorKind::SaidNothing).into());
        }
        let mut spent = Spent::default();
        let mut notice = None;
        if let Body::Model(reply) = &mut reply.body {
            spent = Spent::on(reply, stage, state.turn() + 1);
            if reply
                .answered
                .as_ref()
                .is_some_and(|it| it.finish == Finish::Length)
            {
                let why = "the reply was cut at the limit of tokens";
                notice = Some(Notice::new(About::Reply, why));
            }
            // No tool was offered, and thoughts are in the trace: neither is part of what was said.
            reply.tool_calls.clear();
            reply.invalid_tool_calls.clear();
            reply.reasoning.clear();
        }
        if let Some(notice) = &notice {
            ctx.emit(Told::Notice(notice.clone())).await;
        }
        Ok(Spoken {
            text,
            said: Message::user(said).with_id(ctx.key("said")),
            reply,
            spent,
            notice,
        })
    }
}

impl Spoken {
    /// What went wrong with it.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        Vec::from_iter(self.notice.clone())
    }

    /// The turn as an update: two entries of the history and what they cost.
    pub(crate) fn update(self) -> AnalysisUpdate {
        Analysis::update()
            .analysis_history(vec![self.said, self.reply])
            .usage(vec![self.spent])
            .notices(Vec::from_iter(self.notice))
    }
}

/// Runs work that blocks. It is told to stop when nobody waits for it any more.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<T, NodeError> {
    let stop = Arc::new(AtomicBool::new(false));
    let _guard = Guard(stop.clone());
    Ok(tokio::task::spawn_blocking(move || work(&stop)).await?)
}

struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
