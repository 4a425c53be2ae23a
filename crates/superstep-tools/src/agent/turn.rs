//! Classification of a model's reply: an answer, calls, or invalid.

use superstep_model::{
    Body, Finish, InvalidCall, Label, Message, ToolCall, history,
    message::{ToolReply, ToolStatus},
};

use crate::{tool::reply, toolbox::Tools};

/// How often in a row a model may repair a reply.
pub const REPAIRS: u32 = 2;

/// How often a model may make the same calls in a row.
pub const MAX_SAME_CALLS: usize = 4;

/// What a reply asks for.
#[derive(Debug, PartialEq)]
pub enum Turn {
    /// Nothing: it is the answer.
    Say(Finish),
    /// Calls, and results of those that cannot be made.
    Call {
        /// The calls that can be made.
        calls: Vec<ToolCall>,
        /// What the model reads about the others.
        refused: Vec<Message>,
    },
    /// It is invalid: the model gets a message to repair it.
    Repair {
        /// What the model reads.
        messages: Vec<Message>,
        /// What is wrong, for people.
        why: String,
    },
}

impl Turn {
    /// Classifies a message of a model that has these tools.
    pub fn classify(message: &Message, tools: &Tools) -> Self {
        let Some(said) = message.reply() else {
            return Self::Say(Finish::Stop);
        };
        let mut calls = Vec::new();
        let mut refused: Vec<ToolReply> = said.invalid_tool_calls.iter().map(unreadable).collect();
        for call in &said.tool_calls {
            match tools.parse(call) {
                Ok(_) => calls.push(call.clone()),
                Err(why) => refused.push(reply(call, ToolStatus::Error, why.into())),
            }
        }
        let finish = said.answered.as_ref().map(|it| it.finish.clone());
        let finish = finish.unwrap_or_default();
        let held_back = matches!(finish, Finish::Refusal | Finish::Filtered);
        if calls.is_empty() && refused.is_empty() {
            if said.content.is_empty() && !held_back {
                let nudge = "the last reply was empty; answer, or call a tool";
                return Self::Repair {
                    // The agent's words, not the user's.
                    messages: vec![Message::user(nudge).labeled(Label::Model)],
                    why: format!("it is empty ({finish:?})"),
                };
            }
            return Self::Say(finish);
        }
        if calls.is_empty() {
            let why = refused.iter().map(|reply| reply.content.text());
            let why = why.collect::<Vec<_>>().join("; ");
            let messages = refused.into_iter().map(Message::from).collect();
            return Self::Repair { messages, why };
        }
        let refused = refused.into_iter().map(Message::from).collect();
        Self::Call { calls, refused }
    }
}

fn unreadable(call: &InvalidCall) -> ToolReply {
    ToolReply {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content: format!("the arguments are not a JSON object: {}", call.error).into(),
        status: ToolStatus::Error,
    }
}

/// What was said since the user, or anybody else from outside, spoke last.
pub(super) fn since_user(messages: &[Message]) -> &[Message] {
    let from_outside = |message: &Message| {
        let is_user = matches!(message.body, Body::User { .. });
        is_user && message.label() != Label::Model && !history::is_summary(message)
    };
    let last = messages.iter().rposition(from_outside);
    last.and_then(|at| messages.get(at + 1..))
        .unwrap_or(messages)
}

/// The tool whose same calls the model made again and again, if it did so `most` times or more.
pub(super) fn detect_loop(messages: &[Message], most: usize) -> Option<(&str, usize)> {
    let replies = since_user(messages).iter().rev().filter_map(Message::reply);
    let mut turns = replies.map(|said| &said.tool_calls);
    let last = turns.next().filter(|calls| !calls.is_empty())?;
    let alike = |calls: &&Vec<ToolCall>| {
        let same =
            |(one, other): (&ToolCall, &ToolCall)| one.name == other.name && one.args == other.args;
        calls.len() == last.len() && calls.iter().zip(last).all(same)
    };
    let times = 1 + turns.take_while(alike).count();
    let tool = last.first().map(|call| call.name.as_str())?;
    (times >= most).then_some((tool, times))
}
