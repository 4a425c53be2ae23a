//! The assistant as a graph of two levels.
//!
//! ```text
//! start ─► triage_router ─┬─ respond ─► response_agent ─┬─► next_mail ─► end, or triage_router
//!                         ├─ notify ─► triage_interrupt_handler ─┬─► response_agent
//!                         └─ ignore ─► mark_as_read_node ─► next_mail
//!
//! response_agent:
//! start ─► llm_call ─► interrupt_handler (one per call) ──► settle_decisions
//!             ▲                                                   │ one task each
//!             │        turn_end ◄── make_call, update_memory ◄────┘
//!             └───────────┤  └─► make_call (calls that waited for others)
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
//! | the rest of `interrupt_handler` | [`ReplyNode::SettleDecisions`], [`ReplyNode::MakeCall`], [`ReplyNode::UpdateMemory`], [`ReplyNode::TurnEnd`] | what was decided is done, one durable task per call |
//! | no route of its own | [`ReplyNode::AskPerson`] | the model is at its wits' end |
//! | no route of its own | [`TopNode::NextMail`] | mail that came while questions were open |
//! | `State.email_input` | [`MailState::email_input`] ([`EmailInput`]) | the mail |
//! | `State.classification_decision` | [`MailState::classification_decision`] ([`Class`]) | its class |
//! | `MessagesState.messages` | [`MailState::messages`] | the conversation with the model |
//! | `RouterSchema` | `Routed` in `triage` | reasoning and class |
//! | `UserPreferences` | `Wording` in `memory` | thoughts and a note |
//! | `get_memory`, `update_memory` | [`Memory`](crate::Memory) | notes |
//! | `write_email`, `send_email_tool` | [`SEND`](crate::tools::SEND) | a reply |
//! | `HumanInterrupt`, `HumanResponse` | [`Item`](crate::Item), [`Answer`](crate::Answer) | questions and answers |
//!
//! Calls are parsed, journaled, looked up and asked about by `superstep::tools`; `review` adds the
//! modes, `tools` the mailbox and the calendar.
//!
//! A small model is asked for less: the program decides what comes next and says so as calls of the same tools
//! (`guided`, and the module `small`).
//!
//! Nothing of a turn is done before all of it has been decided; answers may come one by one. Then
//! each approved call is a task of its own, so that none is made again because of another. The calendar comes first, then
//! mail to others, then the reply: mail that rests on a call that was not made is withdrawn (`order`). An approval
//! is for the mode and the thread it was given in: a run in the other mode, or of a copy of the thread,
//! makes nothing of it, and asks again.

mod decide;
mod dispatch;
mod execute;
mod guided;
mod learn;
pub(crate) mod order;
mod respond;
mod review;
mod triage;
mod turn;

pub(crate) use triage::begin;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep::{
    Backends, BuildErrors, Failure, Graph, NodeOptions, Nodes, RetryPolicy, State,
    model::{Message, ToolCall},
    tools::{Chat, Decision, Terms},
};

use crate::{
    Judgement, MailError, MailId, Mode, class::Class, input::EmailInput,
    memory::feedback::FeedbackItem, services::Services,
};

/// The state of a thread of mails.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct MailState {
    /// The mail that is looked at.
    pub email_input: Option<EmailInput>,
    /// What is to be done about it.
    pub classification_decision: Option<Class>,
    /// Why, as the model put it.
    pub reasoning: Option<String>,
    /// What else was found when it was sorted.
    pub judgement: Option<Judgement>,
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
    /// The mailbox that its mail came from, by the address of its owner.
    #[state(sealed)]
    pub account: Option<String>,
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
    /// Continues with mail that came meanwhile.
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
    /// How many replies in a row were invalid.
    pub misses: u32,
    /// Why a person has to help.
    pub stuck: Option<String>,
    /// What was decided about calls.
    #[reduce(Append)]
    #[state(sealed)]
    pub(crate) decided: Vec<Decided>,
    /// The ids of calls that were approved and then left by a person who was asked again.
    #[reduce(Append)]
    #[state(sealed)]
    pub left: Vec<String>,
    /// How many messages there were when a person last helped.
    pub reviewed: usize,
    /// Whether a person wants nothing done about the mail.
    pub ignored: bool,
    /// What people should know.
    #[reduce(Append)]
    pub remarks: Vec<String>,
    /// What was found when the mail was sorted.
    pub judgement: Option<Judgement>,
    /// What the program keeps of a mail that a small model helps with.
    #[state(sealed)]
    pub(crate) small: Option<guided::Handling>,
    /// The mailbox that the mail came from.
    #[state(sealed)]
    pub(crate) account: Option<String>,
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
    MakeCall,
    /// What a person did is learnt.
    UpdateMemory,
    /// The turn is over.
    TurnEnd,
    /// The model cannot continue.
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
    /// What the calendar had at the time of the meeting when it was proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<String>,
}

/// What was decided about a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Decided {
    turn: u32,
    place: usize,
    #[serde(rename = "act")]
    decision: Decision,
    /// When: a reply carries this date, whenever it is sent.
    at: Timestamp,
    /// The conflicts of a meeting that the person was shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<String>,
    /// It allows nothing on other terms.
    #[serde(flatten)]
    terms: Terms,
}

impl Decided {
    fn is_approved(&self) -> bool {
        matches!(
            self.decision,
            Decision::Direct | Decision::Accept | Decision::Edit(_)
        )
    }
}

/// A call that is to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Job {
    call: ToolCall,
    at: Timestamp,
    /// The conflicts of a meeting that the person was shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<String>,
    /// The terms it was approved on.
    #[serde(flatten)]
    terms: Terms,
}

/// What people did in a turn that one note can learn from.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Feedback {
    topic: crate::Topic,
    #[serde(rename = "acts")]
    items: Vec<FeedbackItem>,
}

/// Builds the graph.
pub(crate) fn build(
    services: &Arc<Services>,
    backends: Backends,
) -> Result<Graph<MailState, TopNode>, BuildErrors> {
    let response_agent = response_agent(services)?;
    let after = services.clone();
    Graph::<MailState, TopNode>::builder()
        .name("email_assistant")
        .effects(superstep::tools::past_effects)
        .check_input(given)
        .backends(backends)
        .shared(services.clone())
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
                    .judgement(state.judgement.clone())
                    .account(state.account.clone())
                    .inherited(state.messages.len())
            },
            move |reply: &ReplyState| triage::answered(reply, &after),
        )
        .start(TopNode::TriageRouter)
        .may_goto(
            TopNode::TriageRouter,
            &[
                TopNode::ResponseAgent,
                TopNode::TriageInterruptHandler,
                TopNode::MarkAsReadNode,
                TopNode::NextMail,
            ],
        )
        .may_goto(
            TopNode::TriageInterruptHandler,
            &[
                TopNode::ResponseAgent,
                TopNode::MarkAsReadNode,
                TopNode::NextMail,
            ],
        )
        .may_goto(
            TopNode::ResponseAgent,
            &[TopNode::MarkAsReadNode, TopNode::NextMail],
        )
        .edge(TopNode::MarkAsReadNode, TopNode::NextMail)
        .may_goto(TopNode::NextMail, &[TopNode::TriageRouter])
        .finish(TopNode::NextMail)
        .build()
}

/// Refuses an input without a mail, which the graph would have nothing to do with.
fn given(input: &Json) -> Result<(), Failure> {
    match input.get("email_input") {
        None | Some(Json::Null) => Err(MailError::NoMail.failure()),
        Some(_) => Ok(()),
    }
}

fn response_agent(services: &Arc<Services>) -> Result<Graph<ReplyState, ReplyNode>, BuildErrors> {
    use ReplyNode::{
        AskPerson, InterruptHandler, LlmCall, MakeCall, MarkAsReadNode, SettleDecisions, TurnEnd,
        UpdateMemory,
    };
    Graph::<ReplyState, ReplyNode>::builder()
        .name("response_agent")
        .effects(superstep::tools::past_effects)
        .nested()
        .shared(services.clone())
        .node(LlmCall, respond::llm_call)
        .node(InterruptHandler, decide::interrupt_handler)
        .node(SettleDecisions, dispatch::settle_decisions)
        .node_with(MakeCall, execute::make_call, patient())
        .node_with(UpdateMemory, dispatch::update_memory, patient())
        .node(TurnEnd, respond::turn_end)
        .node(AskPerson, respond::ask_person)
        .node_with(MarkAsReadNode, respond::mark_as_read, patient())
        .start(LlmCall)
        .may_goto(LlmCall, &[LlmCall, AskPerson, MarkAsReadNode])
        .may_send(LlmCall, &[InterruptHandler])
        .edge(InterruptHandler, SettleDecisions)
        .may_goto(SettleDecisions, &[TurnEnd])
        .may_send(SettleDecisions, &[MakeCall, UpdateMemory])
        .edge(MakeCall, TurnEnd)
        .edge(UpdateMemory, TurnEnd)
        .may_goto(TurnEnd, &[LlmCall, MarkAsReadNode, AskPerson, TurnEnd])
        .may_send(TurnEnd, &[MakeCall])
        .may_goto(AskPerson, &[LlmCall])
        .finish(TurnEnd)
        .finish(AskPerson)
        .finish(MarkAsReadNode)
        .build()
}

/// The id of the message in which a model reads a mail.
fn opening_id(mail: &MailId) -> String {
    format!("mail/{}", mail.0)
}

/// For nodes whose failures may pass.
fn patient<S: State, N: Nodes>() -> NodeOptions<S, N> {
    NodeOptions::default().retry(RetryPolicy::default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_decided_before_decisions_had_a_mode_and_a_thread_is_for_a_dry_run_of_none() {
        let at = "2026-11-02T10:00:00Z";
        let call = json!({"id": "1", "name": "send_email_tool", "args": {}});
        let decided = json!({"turn": 1, "place": 0, "act": {"type": "accept"}, "at": at});
        let decided: Decided = serde_json::from_value(decided).unwrap();
        let job = json!({"call": call, "at": at});
        let job: Job = serde_json::from_value(job).unwrap();
        let pending = json!({"turn": 1, "place": 0, "call": call});
        let pending: Pending = serde_json::from_value(pending).unwrap();
        let none = Terms {
            mode: Mode::Dry,
            scope: None,
        };
        assert_eq!((&decided.terms, &job.terms), (&none, &none));
        assert_eq!(pending.mode, Mode::Dry);
    }
}
