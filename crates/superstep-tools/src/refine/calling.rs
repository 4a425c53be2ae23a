//! The calls of a refining analysis: counted, as spans of the step they are part of, with tools where there are any.

use std::sync::Mutex;

use serde::de::DeserializeOwned;
use superstep_core::{future::BoxFuture, sync::lock};
use superstep_engine::{OpenSpan, typed::Ctx, typed::NodeError};
use superstep_model::{
    Cached, ErrorKind, Finish, Message, Model, ModelError, ModelLayer, Reply, Request, Schema,
    ToolChoice, structured_within,
};

use super::{
    config::{Form, Refine},
    state::{LookedUp, Spending},
};
use crate::{execute::execute, traced};

/// A malformed grade is asked for once more.
pub(super) const RETRIES: u32 = 1;

/// The last line of a text that a limit ended early.
pub const CUT_OFF: &str = "*The reply was cut off here: it reached its length limit.*";

/// The text of a reply. One that was cut off says so: it is saved, read and graded as it is.
fn whole_or_marked(reply: &Reply) -> String {
    let text = reply.content.text();
    let is_cut = reply
        .answered
        .as_ref()
        .is_some_and(|it| it.finish == Finish::Length);
    if !is_cut || text.trim().is_empty() {
        return text;
    }
    let fences = text.lines().filter(|it| it.trim_start().starts_with("```"));
    let end = match fences.count() % 2 {
        0 => "",
        _ => "\n```",
    };
    format!("{}{end}\n\n{CUT_OFF}", text.trim_end())
}

/// The model of one step of the analysis.
pub(super) struct Caller<'a> {
    refine: &'a Refine,
    ctx: &'a Ctx,
    span: &'a OpenSpan,
    spent: Mutex<Spending>,
    looked_up: Mutex<Vec<LookedUp>>,
}

/// Why a call gave nothing.
pub(super) enum Failed {
    /// A budget is used up: what there is must do.
    Budget,
    /// The reply cannot be read as data.
    Unfit,
    /// The model failed.
    Model(ModelError),
    /// Anything else ends the task.
    Other(NodeError),
}

impl<'a> Caller<'a> {
    pub(super) fn new(refine: &'a Refine, ctx: &'a Ctx, span: &'a OpenSpan) -> Self {
        Self {
            refine,
            ctx,
            span,
            spent: Mutex::default(),
            looked_up: Mutex::default(),
        }
    }

    /// What its calls took so far.
    pub(super) fn spent(&self) -> Spending {
        *lock(&self.spent)
    }

    /// What its tools found so far.
    pub(super) fn looked_up(&self) -> Vec<LookedUp> {
        lock(&self.looked_up).clone()
    }

    /// A text. The model may look things up first, a few times.
    pub(super) async fn text(&self, messages: Vec<Message>) -> Result<String, Failed> {
        let tools = self.refine.tools.specs();
        let mut request = Request {
            cached: match tools.is_empty() {
                true => Cached::Instructions,
                false => Cached::Conversation,
            },
            tools,
            max_tokens: self.refine.config.max_tokens,
            ..Request::new(messages)
        };
        let mut turns = 0;
        loop {
            if turns >= self.refine.config.tool_turns {
                request.tool_choice = ToolChoice::None;
            }
            let reply = Model::invoke(self, &request).await.map_err(Failed::from)?;
            let calls = match turns < self.refine.config.tool_turns {
                true => reply.tool_calls.clone(),
                false => Vec::new(),
            };
            if calls.is_empty() || self.refine.tools.is_empty() {
                return Ok(whole_or_marked(&reply));
            }
            turns += 1;
            let mut said = reply;
            // Calls that cannot be read have no results, and providers want one for each.
            said.invalid_tool_calls.clear();
            request.messages.push(said.into());
            for call in &calls {
                let Refine { tools, policy, .. } = self.refine;
                let result = execute(self.ctx, tools, policy, call, &request.messages).await;
                let result = result.map_err(Failed::Other)?;
                lock(&self.looked_up).push(LookedUp {
                    wanted: format!("{} {}", call.name, serde_json::json!(call.args)),
                    found: result.text(),
                });
                request.messages.push(result);
            }
        }
    }

    /// A text that is made of a form.
    pub(super) async fn filled(
        &self,
        messages: Vec<Message>,
        form: &dyn Form,
    ) -> Result<String, Failed> {
        let schema = form.schema();
        let schema =
            schema.map_err(|error| Failed::Other(NodeError::msg(error.to_string()).permanent()))?;
        let filled: serde_json::Value = self.data(messages, &schema).await?;
        Ok(form.text(&filled))
    }

    /// Data of that shape.
    pub(super) async fn data<T: DeserializeOwned>(
        &self,
        messages: Vec<Message>,
        schema: &Schema,
    ) -> Result<T, Failed> {
        let request = Request {
            max_tokens: self.refine.config.max_tokens,
            temperature: Some(0.0),
            ..Request::new(messages)
        };
        let reply = structured_within::<T>(self, request, schema, RETRIES).await;
        reply.map(|reply| reply.value).map_err(Failed::from)
    }
}

impl ModelLayer for Caller<'_> {
    fn inner(&self) -> &dyn Model {
        &*self.refine.model
    }

    fn invoke<'b>(&'b self, request: &'b Request) -> BoxFuture<'b, Result<Reply, ModelError>> {
        Box::pin(async move {
            let model = &*self.refine.model;
            self.ctx.check_budget()?;
            let span = traced::begin_within(self.span, model, request).await;
            let replied = traced::call(&span, model.invoke(request)).await;
            span.end(|| traced::span_end(&replied)).await;
            let reply = replied?;
            let mut spent = lock(&self.spent);
            *spent += Spending::of(&reply);
            drop(spent);
            Ok(reply)
        })
    }
}

impl Failed {
    /// The error of the task that ends with it.
    pub(super) fn error(self) -> NodeError {
        match self {
            Self::Budget => NodeError::msg("the budget is used up").permanent(),
            Self::Unfit => NodeError::msg("the model did not fill its form in").permanent(),
            Self::Model(error) => error.into(),
            Self::Other(error) => error,
        }
    }
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        match error.kind() {
            ErrorKind::Budget { .. } => Self::Budget,
            ErrorKind::Unfit { .. } => Self::Unfit,
            _ => Self::Model(error),
        }
    }
}
