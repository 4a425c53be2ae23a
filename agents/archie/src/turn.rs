//! A turn of the conversation: the model reads, looks up what it needs, replies, and has its citations checked.

mod calls;
mod checked;

use std::sync::Arc;

use superstep::{
    Ctx, NodeError,
    model::{Body, Message, Reply},
    tools::{Tools, guided::Profile},
};

use crate::{
    citation,
    documents::{
        DocumentSet,
        select::{Excerpt, Lines, Wanted, select},
    },
    error::{Error, ErrorKind},
    lookup,
    progress::{About, Notice, Progress},
    prompts::Stage,
    request::{Rest, StageRequest},
    services::{Services, blocking},
    state::{Analysis, AnalysisUpdate},
    usage::Spent,
};
use calls::Calls;

/// What a person says, and what it is said to.
pub(crate) struct UserMessage<'a> {
    pub(crate) stage: Stage,
    pub(crate) text: &'a str,
    pub(crate) memory: &'a str,
    pub(crate) set: &'a Arc<DocumentSet>,
}

/// A turn of the conversation: the message of the person and the reply of the model.
pub(crate) struct ModelTurn {
    pub(crate) text: String,
    said: Message,
    reply: Reply,
    id: Option<String>,
    spent: Vec<Spent>,
    pub(crate) notices: Vec<Notice>,
}

impl Services {
    /// Calls the model with what the person says, and streams the reply.
    pub(crate) async fn converse(
        &self,
        ctx: &Ctx,
        state: &Analysis,
        said: UserMessage<'_>,
    ) -> Result<ModelTurn, NodeError> {
        if ctx.attempt() > 1 {
            let attempt = ctx.attempt();
            ctx.emit(Progress::Again { attempt }).await;
        }
        let UserMessage { stage, set, .. } = said;
        let shown = self.shown(state, &said).await?;
        let is_all = set.left == 0
            && shown.len() == set.documents.len()
            && shown.iter().all(Excerpt::is_whole);
        let (access, tools) = match (is_all, self.looks_up(stage)) {
            (true, _) => (Rest::None, Tools::default()),
            (false, false) => (Rest::OutOfReach, Tools::default()),
            (false, true) => {
                let tokens = self.document_tokens();
                (Rest::LookedUp(tokens), lookup::tools(set, tokens)?)
            }
        };
        let request = StageRequest {
            stage,
            profile: self.profile(stage),
            set,
            shown: &shown,
            access,
            memory: said.memory,
            history: &state.analysis_history,
            said: said.text,
            today: self.settings.surroundings.day(),
            limits: self.limits(stage),
        };
        let (mut request, skipped) = request.request(&self.settings);
        request.tools = tools.specs();
        let mut calls = Calls {
            ctx,
            model: &**self.models.of(stage.node()),
            tools,
            stage,
            turn: state.turn() + 1,
            spent: Vec::new(),
            notices: Vec::new(),
        };
        if skipped > 0 {
            let why = format!("the model cannot read all: {skipped} old entries were left out");
            calls.notices.push(Notice::new(About::Reply, why));
        }
        let message = calls.reply(&mut request).await?;
        let text = calls.whole(&mut request, &message).await;
        let text = text.trim().to_owned();
        if text.is_empty() {
            let limit = request.max_tokens.filter(|_| calls::is_cut(&message));
            return Err(Error::from(ErrorKind::EmptyReply { limit }).into());
        }
        let cites = !set.documents.is_empty() && self.profile(stage) == Profile::Strong;
        let text = match cites {
            true => calls.with_checked_citations(request, text, set).await,
            false => text,
        };
        for notice in &calls.notices {
            ctx.emit(Progress::Notice(notice.clone())).await;
        }
        let Calls { spent, notices, .. } = calls;
        let id = message.id.clone();
        let mut reply = match message.body {
            Body::Model(reply) => reply,
            _ => Reply::default(),
        };
        // Calls of tools are in the trace, as thoughts are: neither is part of what was said.
        reply.tool_calls.clear();
        reply.invalid_tool_calls.clear();
        reply.reasoning.clear();
        reply.content = text.as_str().into();
        Ok(ModelTurn {
            text,
            said: Message::user(said.text).with_id(ctx.idempotency_key("said")),
            reply,
            id,
            spent,
            notices,
        })
    }

    /// What of the documents the model is shown: what was cited last, and what is close to the message and the goal. For a
    /// result it is all that was cited, and what is close to anything that the person said.
    async fn shown(
        &self,
        state: &Analysis,
        said: &UserMessage<'_>,
    ) -> Result<Vec<Excerpt>, NodeError> {
        let room = self.room(said.stage);
        let history = &state.analysis_history;
        let goal = history.first().map(Message::text);
        let replies = history.iter().rev().filter(|it| it.reply().is_some());
        let (replies, message): (Vec<String>, String) = match said.stage {
            Stage::Final | Stage::Revise => {
                let person = history.iter().filter(|it| it.reply().is_none());
                let mut words: Vec<String> = person.map(Message::text).collect();
                words.push(said.text.to_owned());
                (replies.map(Message::text).collect(), words.join("\n"))
            }
            _ => (
                replies.take(1).map(Message::text).collect(),
                said.text.to_owned(),
            ),
        };
        let set = said.set.clone();
        blocking(move |_| {
            let cited = replies.iter().flat_map(|text| citation::citations(text));
            let cited: Vec<Lines> = cited
                .filter_map(|it| citation::lines(&it, &set).ok())
                .collect();
            let wanted = Wanted {
                message: &message,
                goal: goal.as_deref().unwrap_or_default(),
                cited: &cited,
            };
            select(&set.documents, &wanted, room)
        })
        .await
    }
}

impl ModelTurn {
    /// The same turn with another text in the history.
    #[must_use]
    pub(crate) fn saying(mut self, text: String) -> Self {
        self.reply.content = text.as_str().into();
        self.text = text;
        self
    }

    /// The turn as an update: two entries of the history and what they cost.
    pub(crate) fn update(self) -> AnalysisUpdate {
        let mut reply = Message::from(self.reply);
        reply.id = self.id;
        Analysis::update()
            .analysis_history(vec![self.said, reply])
            .usage(self.spent)
            .notices(self.notices)
    }
}
