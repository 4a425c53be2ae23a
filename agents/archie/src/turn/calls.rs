//! The calls of one turn: the loop of look-ups, and the continuation of a reply that was cut.

use serde_json::{Map, Value as Json};
use superstep::{
    Ctx, NodeError,
    model::{Body, Finish, Label, Message, Model, Request, ToolCall, ToolChoice},
    tools::{Policy, Tools, Turn, execute, stream_reply},
};

use crate::{
    progress::{About, Notice, Progress},
    prompts::Stage,
    usage::Spent,
};

/// How often the model may look things up before it must answer.
const MOST_ROUNDS: usize = 12;

/// How often a reply that was cut is continued.
const MOST_CONTINUED: usize = 3;

const CONTINUE: &str = "Your reply was cut off at its length limit. Continue exactly where it ends, with the next character. Repeat nothing.";

/// The calls of a turn.
pub(super) struct Calls<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) model: &'a dyn Model,
    pub(super) tools: Tools,
    pub(super) stage: Stage,
    pub(super) turn: usize,
    pub(super) spent: Vec<Spent>,
    pub(super) notices: Vec<Notice>,
}

impl Calls<'_> {
    /// A reply in words, after as many look-ups as it takes. What is looked up is added to the request.
    pub(super) async fn reply(&mut self, request: &mut Request) -> Result<Message, NodeError> {
        for _ in 0..MOST_ROUNDS {
            let message = self.once(request).await?;
            let (calls, refused) = match Turn::classify(&message, &self.tools) {
                _ if self.tools.is_empty() => return Ok(message),
                Turn::Say(_) => return Ok(message),
                Turn::Call { calls, refused } => (calls, refused),
                Turn::Repair { messages, .. } => (Vec::new(), messages),
            };
            request.messages.push(message);
            for call in &calls {
                self.ctx.emit(looked_up(call)).await;
                let policy = Policy::default();
                let found = execute(self.ctx, &self.tools, &policy, call, &request.messages);
                let found = found.await?;
                request.messages.push(found);
            }
            request.messages.extend(refused);
        }
        request.tool_choice = ToolChoice::None;
        self.once(request).await
    }

    /// One call.
    async fn once(&mut self, request: &Request) -> Result<Message, NodeError> {
        let message = stream_reply(self.ctx, self.model, request).await?;
        if let Body::Model(reply) = &message.body {
            self.spent.push(Spent::on(reply, self.stage, self.turn));
        }
        Ok(message)
    }

    /// The text of a reply, continued if it was cut. If it cannot be continued, what there is stays.
    pub(super) async fn whole(&mut self, request: &mut Request, message: &Message) -> String {
        let mut text = message.text();
        if text.trim().is_empty() || !is_cut(message) {
            return text;
        }
        request.tool_choice = ToolChoice::None;
        let mut last = message.clone();
        for _ in 0..MOST_CONTINUED {
            if self.model.caps().small {
                break;
            }
            request.messages.push(Message::model(last.text()));
            // The words of the program, not the person's.
            let more = Message::user(CONTINUE).labeled(Label::Model);
            request.messages.push(more);
            let Ok(more) = self.once(request).await else {
                break;
            };
            text.push_str(&more.text());
            if !is_cut(&more) {
                return text;
            }
            last = more;
        }
        self.note("the reply was cut at the limit of tokens");
        text
    }

    pub(super) fn note(&mut self, why: impl std::fmt::Display) {
        self.notices.push(Notice::new(About::Reply, why));
    }
}

/// Whether a reply ended at a limit of tokens.
pub(super) fn is_cut(reply: &Message) -> bool {
    let answered = reply.reply().and_then(|reply| reply.answered.as_ref());
    answered.is_some_and(|it| it.finish == Finish::Length)
}

/// A look-up, for people.
fn looked_up(call: &ToolCall) -> Progress {
    let text = |args: &Map<String, Json>, key: &str| {
        let value = args.get(key).map(|value| match value {
            Json::String(text) => text.clone(),
            value => value.to_string(),
        });
        value.unwrap_or_default()
    };
    let args = &call.args;
    Progress::LookedUp {
        tool: call.name.clone(),
        what: match call.name.as_str() {
            "search" => text(args, "text"),
            _ => match text(args, "from").as_str() {
                "" => text(args, "document"),
                from => format!("{}:{from}", text(args, "document")),
            },
        },
    }
}
