//! The assistant as a graph of two levels.
//!
//! ```text
//! start ─► triage_router ─┬─ respond ─► response_agent ─┬─► next_mail ─► end, or triage_router
//!                         ├─ notify ─► triage_interrupt_handler ─┬─► response_agent
//!                         └─ ignore ─► mark_as_read_node ─► next_mail
//!
//! response_agent:
//! start ─► llm_call ─► interrupt_handler (one task a call) ─► settle_decisions
//!             ▲                                                   │ one task each
//!             │        turn_end ◄── tool_call, update_memory ◄────┘
//!             └───────────┤
//!                         ├─ Done ─► mark_as_read_node ─► end
//!                         └─ ignored ─► end
//! ```
//!
//! | name in the source document | here | what it does |
//! |---|---|---|
//! | `triage_router` | [`TopNode::TriageRouter`] | sorts a mail: respond, notify, ignore |
//! | `triage_interrupt_handler` | [`TopNode::TriageInterruptHandler`] | shows a mail of class notify |
//! | `response_agent` | [`TopNode::ResponseAgent`] | the graph below |
//! | `mark_as_read_node` | [`TopNode::MarkAsReadNode`], [`ReplyNode::MarkAsReadNode`] | notes that a mail was read |
//! | `llm_call` | [`ReplyNode::LlmCall`] | the model speaks, and must call a tool |
//! | `interrupt_handler` | [`ReplyNode::InterruptHandler`] | asks about one call, and does nothing else |
//! | the rest of `interrupt_handler` | [`ReplyNode::SettleDecisions`], [`ReplyNode::ToolCall`], [`ReplyNode::UpdateMemory`], [`ReplyNode::TurnEnd`] | what was decided is done, one durable task a call |
//! | no route of its own | [`ReplyNode::AskPerson`] | the model is at its wits' end |
//! | no route of its own | [`TopNode::NextMail`] | mail that came while questions were open |
//! | `State.email_input` | [`MailState::email_input`] ([`EmailInput`]) | the mail |
//! | `State.classification_decision` | [`MailState::classification_decision`] ([`Class`]) | its class |
//! | `MessagesState.messages` | [`MailState::messages`] | the conversation with the model |
//! | `RouterSchema` | `Routed` in `triage` | reasoning and class |
//! | `UserPreferences` | `Wording` in `memory` | thoughts and a note |
//! | `get_memory`, `update_memory` | [`Memory`] | notes |
//! | `write_email`, `send_email_tool` | [`SEND`](crate::tools::SEND) | a reply |
//! | `HumanInterrupt`, `HumanResponse` | [`Item`](crate::Item), [`Answer`](crate::Answer) | questions and answers |
//!
//! Nothing of a turn is done before all of it has been decided; answers may come one by one. Then
//! each approved call is a task of its own, so that none is made again because of another. An approval
//! is for the mode it was given in: a run in the other one makes nothing of it, and asks again.

mod again;
mod decide;
mod meet;
mod perform;
mod respond;
mod send;
mod settle;
mod triage;

pub(crate) use triage::begin;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use superstep::{
    Backends, BuildErrors, Coded, Ctx, ErrorKind, Failure, Graph, NodeError, NodeOptions, Nodes,
    RetryPolicy, SpanEnd, SpanError, SpanKind, State,
    model::{Message, Model, Request, Schema, ToolCall, structured},
    tools::Chat,
};

use crate::{
    Calendar, MailError, MailId, Mailbox, Memory, Mode,
    inbox::Act,
    input::EmailInput,
    memory::act::HumanAct,
    prompt::person,
    queue::Queue,
    settings::{Settings, Zone},
    tools::Desk,
};

/// What is to be done about a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Nothing.
    Ignore,
    /// It is answered.
    Respond,
    /// Its owner is told.
    Notify,
}

/// The state of a thread of mails.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct MailState {
    /// The mail that is looked at.
    pub email_input: Option<EmailInput>,
    /// What is to be done about it.
    pub classification_decision: Option<Class>,
    /// Why, as the model put it.
    pub reasoning: Option<String>,
    /// The conversation with the model.
    #[reduce(Chat)]
    pub messages: Vec<Message>,
    /// The mails of the thread that were or are looked at.
    #[reduce(Append)]
    pub handled: Vec<MailId>,
    /// The mails of the thread that nothing is left to do about.
    #[reduce(Append)]
    pub finished: Vec<MailId>,
    /// What people should know: notes that were not changed, and why.
    #[reduce(Append)]
    pub remarks: Vec<String>,
}

/// The nodes of the upper level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum TopNode {
    /// Sorts a mail.
    TriageRouter,
    /// Shows a mail that needs no answer.
    TriageInterruptHandler,
    /// Handles a mail with a model and its tools.
    ResponseAgent,
    /// Notes that a mail was read.
    MarkAsReadNode,
    /// Goes on with mail that came meanwhile.
    NextMail,
}

/// The state of the handling of one mail.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct ReplyState {
    /// The mail.
    pub email_input: Option<EmailInput>,
    /// The conversation.
    #[reduce(Chat)]
    pub messages: Vec<Message>,
    /// How many messages the conversation began with.
    pub inherited: usize,
    /// How often the model spoke.
    pub turn: u32,
    /// How often it spoke since a person helped.
    pub spent: u32,
    /// How many replies in a row were of no use.
    pub misses: u32,
    /// Why a person has to help.
    pub stuck: Option<String>,
    /// What was decided about calls.
    #[reduce(Append)]
    pub(crate) decided: Vec<Decided>,
    /// Whether a person wants nothing done about the mail.
    pub ignored: bool,
    /// What people should know.
    #[reduce(Append)]
    pub remarks: Vec<String>,
}

/// The nodes of the handling of one mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum ReplyNode {
    /// The model speaks.
    LlmCall,
    /// A person is asked about one call.
    InterruptHandler,
    /// What was decided becomes tasks.
    SettleDecisions,
    /// One approved call is made.
    ToolCall,
    /// What a person did is learnt.
    UpdateMemory,
    /// The turn is over.
    TurnEnd,
    /// The model cannot go on.
    AskPerson,
    /// The mail was read.
    MarkAsReadNode,
}

/// A call of a turn, by its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pending {
    turn: u32,
    place: usize,
    call: ToolCall,
    /// The mode that the question about it names.
    #[serde(default)]
    mode: Mode,
}

/// What was decided about a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Decided {
    turn: u32,
    place: usize,
    act: Act,
    /// When: a reply carries this date, whenever it is sent.
    at: Timestamp,
    /// In which mode: it allows nothing in another one.
    #[serde(default)]
    mode: Mode,
}

/// A call that is to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Job {
    call: ToolCall,
    at: Timestamp,
    /// The mode it was approved in.
    #[serde(default)]
    mode: Mode,
}

/// What is to be learnt of a turn about one topic.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lesson {
    topic: crate::Topic,
    acts: Vec<HumanAct>,
}

/// What the nodes work with.
pub(crate) struct Office {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) mailbox: Arc<dyn Mailbox>,
    pub(crate) calendar: Arc<dyn Calendar>,
    pub(crate) settings: Settings,
    pub(crate) zone: Zone,
    pub(crate) memory: Memory,
    pub(crate) queue: Queue,
}

impl Office {
    fn owner(&self) -> String {
        person(self.mailbox.owner())
    }

    fn desk<'a>(&'a self, input: &'a EmailInput) -> Desk<'a> {
        Desk {
            owner: self.mailbox.owner(),
            zone: &self.zone,
            input,
        }
    }

    async fn mark_read(&self, input: Option<&EmailInput>) -> Result<(), NodeError> {
        let Some(input) = input.filter(|_| !self.settings.dry_run) else {
            return Ok(());
        };
        match self.mailbox.mark_read(&input.id).await {
            // Somebody moved or deleted it: then it was seen.
            Ok(()) | Err(MailError::Missing { .. }) => Ok(()),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// Builds the graph.
pub(crate) fn build(
    office: &Arc<Office>,
    backends: Backends,
) -> Result<Graph<MailState, TopNode>, BuildErrors> {
    let response_agent = response_agent(office)?;
    let after = office.clone();
    Graph::<MailState, TopNode>::builder()
        .name("email_assistant")
        .backends(backends)
        .shared(office.clone())
        .node(TopNode::TriageRouter, triage::router)
        .node(TopNode::TriageInterruptHandler, triage::interrupt_handler)
        .node_with(TopNode::MarkAsReadNode, triage::mark_as_read, patient())
        .node_with(TopNode::NextMail, triage::next_mail, patient())
        .subgraph(
            TopNode::ResponseAgent,
            &response_agent,
            |state: &MailState| {
                ReplyState::update()
                    .email_input(state.email_input.clone())
                    .messages(state.messages.clone())
                    .inherited(state.messages.len())
            },
            move |reply: &ReplyState| triage::answered(reply, &after),
        )
        .start(TopNode::TriageRouter)
        .commands(
            TopNode::TriageRouter,
            &[
                TopNode::ResponseAgent,
                TopNode::TriageInterruptHandler,
                TopNode::MarkAsReadNode,
                TopNode::NextMail,
            ],
        )
        .commands(
            TopNode::TriageInterruptHandler,
            &[
                TopNode::ResponseAgent,
                TopNode::MarkAsReadNode,
                TopNode::NextMail,
            ],
        )
        .commands(
            TopNode::ResponseAgent,
            &[TopNode::MarkAsReadNode, TopNode::NextMail],
        )
        .edge(TopNode::MarkAsReadNode, TopNode::NextMail)
        .commands(TopNode::NextMail, &[TopNode::TriageRouter])
        .build()
}

fn response_agent(office: &Arc<Office>) -> Result<Graph<ReplyState, ReplyNode>, BuildErrors> {
    use ReplyNode::{
        AskPerson, InterruptHandler, LlmCall, MarkAsReadNode, SettleDecisions, ToolCall, TurnEnd,
        UpdateMemory,
    };
    Graph::<ReplyState, ReplyNode>::builder()
        .name("response_agent")
        .nested()
        .shared(office.clone())
        .node(LlmCall, respond::llm_call)
        .node(InterruptHandler, decide::interrupt_handler)
        .node(SettleDecisions, settle::settle_decisions)
        .node_with(ToolCall, perform::tool_call, patient())
        .node_with(UpdateMemory, settle::update_memory, patient())
        .node(TurnEnd, respond::turn_end)
        .node(AskPerson, respond::ask_person)
        .node_with(MarkAsReadNode, respond::mark_as_read, patient())
        .start(LlmCall)
        .commands(LlmCall, &[LlmCall, AskPerson, MarkAsReadNode])
        .sends(LlmCall, &[InterruptHandler])
        .edge(InterruptHandler, SettleDecisions)
        .commands(SettleDecisions, &[TurnEnd])
        .sends(SettleDecisions, &[ToolCall, UpdateMemory])
        .edge(ToolCall, TurnEnd)
        .edge(UpdateMemory, TurnEnd)
        .commands(TurnEnd, &[LlmCall, MarkAsReadNode, AskPerson])
        .commands(AskPerson, &[LlmCall])
        .finish(MarkAsReadNode)
        .build()
}

/// For nodes whose failures may pass.
fn patient<S: State, N: Nodes>() -> NodeOptions<S, N> {
    NodeOptions::default().retry(RetryPolicy::default())
}

/// A failure of a mailbox or a calendar that ends the run; the thread is kept.
fn failed(error: &MailError) -> NodeError {
    let coded = Coded {
        code: error.code(),
        hint: Some(error.hint()),
        transient: error.may_pass(),
    };
    NodeError::failed(Failure {
        transient: coded.transient,
        coded: Some(Box::new(coded)),
        ..Failure::new("MailError", error.to_string())
    })
}

/// Whether a process ended while an effect was under way.
fn is_unknown(error: &NodeError) -> bool {
    let unknown = |kind: &ErrorKind| matches!(kind, ErrorKind::UnknownOutcome { .. });
    error.error().is_some_and(|error| unknown(&error.kind))
}

/// Asks a model for data, and tells about it in the run's trace.
async fn data<T: serde::de::DeserializeOwned>(
    ctx: &Ctx,
    model: &dyn Model,
    request: Request,
    schema: &Schema,
) -> Result<T, NodeError> {
    let asked = || superstep::Value::from(serde_json::to_value(&request).unwrap_or_default());
    let span = ctx.span(SpanKind::Model, &model.id().name, asked).await;
    let fitted = structured::<T>(model, request.clone(), schema).await;
    span.end(|| match &fitted {
        Ok(fitted) => {
            let said = serde_json::to_value(&fitted.reply).unwrap_or_default();
            SpanEnd::from(superstep::Value::from(said))
        }
        Err(error) => SpanError::new(error.code(), error).into(),
    })
    .await;
    Ok(fitted?.value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_decided_before_decisions_had_a_mode_is_taken_for_a_dry_run() {
        let at = "2026-11-02T10:00:00Z";
        let call = json!({"id": "1", "name": "send_email_tool", "args": {}});
        let decided = json!({"turn": 1, "place": 0, "act": {"type": "accept"}, "at": at});
        let decided: Decided = serde_json::from_value(decided).unwrap();
        let job = json!({"call": call, "at": at});
        let job: Job = serde_json::from_value(job).unwrap();
        let pending = json!({"turn": 1, "place": 0, "call": call});
        let pending: Pending = serde_json::from_value(pending).unwrap();
        assert_eq!(
            (decided.mode, job.mode, pending.mode),
            (Mode::Dry, Mode::Dry, Mode::Dry)
        );
    }
}
