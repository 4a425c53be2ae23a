//! The reducer of a conversation in a state.

use superstep_core::error::Failure;
use superstep_engine::typed::{Reduced, Reducer, Undo};
use superstep_model::{
    Body, Message,
    message::{ToolReply, ToolStatus},
};

/// Adds messages to a `Vec<Message>`; one whose id is there replaces that one.
///
/// Every tool call in it has a result: when somebody speaks before the calls of the model are
/// answered, they are closed as not made. Providers refuse conversations with calls left open, and
/// a model must not think they happened.
#[derive(Clone, Copy, Debug)]
pub struct Chat;

impl Reducer<Vec<Message>> for Chat {
    type Write = Vec<Message>;

    fn reduce(current: &mut Vec<Message>, write: Vec<Message>) -> Result<Reduced, Failure> {
        let mut reduced = Reduced::Extended;
        for message in write {
            let known = message.id.as_ref().and_then(|id| {
                let same = |other: &&mut Message| other.id.as_ref() == Some(id);
                current.iter_mut().rev().find(same)
            });
            if let Some(known) = known {
                *known = message;
                reduced = Reduced::Replaced;
                continue;
            }
            if !matches!(message.body, Body::Tool(_)) {
                let closing = closing(current);
                if !closing.is_empty() {
                    current.extend(closing);
                    reduced = Reduced::Replaced;
                }
            }
            current.push(message);
        }
        Ok(reduced)
    }

    fn try_reduce(
        current: &mut Vec<Message>,
        write: Vec<Message>,
    ) -> Result<Undo<Vec<Message>>, Failure> {
        let before = current.clone();
        Self::reduce(current, write)?;
        Ok(Box::new(move |current| *current = before))
    }
}

/// Results for the calls that have none.
fn closing(messages: &[Message]) -> Vec<Message> {
    let mut answered = Vec::new();
    let mut last = messages.iter().rev();
    let reply = loop {
        match last.next().map(|message| &message.body) {
            Some(Body::Tool(reply)) => answered.push(&reply.tool_call_id),
            Some(Body::Model(reply)) => break reply,
            _ => return Vec::new(),
        }
    };
    let made = reply.tool_calls.iter().map(|call| (&call.id, &call.name));
    let invalid = reply.invalid_tool_calls.iter();
    let all = made.chain(invalid.map(|call| (&call.id, &call.name)));
    let open = all.filter(|(id, _)| !answered.contains(id));
    open.map(|(id, name)| {
        Message::from(ToolReply {
            tool_call_id: id.clone(),
            name: name.clone(),
            content: "this call was not made: the conversation went on without it".into(),
            status: ToolStatus::Error,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use superstep_model::{Reply, ToolCall};

    use super::*;

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| ToolCall {
            id: (*id).to_owned(),
            name: "t".into(),
            args: serde_json::Map::new(),
        };
        Reply {
            tool_calls: ids.iter().map(call).collect(),
            ..Reply::default()
        }
        .into()
    }

    fn result(id: &str) -> Message {
        ToolReply {
            tool_call_id: id.into(),
            name: "t".into(),
            content: "done".into(),
            status: ToolStatus::Success,
        }
        .into()
    }

    fn texts(messages: &[Message]) -> Vec<String> {
        messages.iter().map(Message::text).collect()
    }

    #[test]
    fn plain_additions_are_stored_as_such() {
        let mut chat = vec![Message::user("a")];
        let reduced = Chat::reduce(&mut chat, vec![calls(&["1", "2"])]).ok();
        assert_eq!(reduced, Some(Reduced::Extended));
        let reduced = Chat::reduce(&mut chat, vec![result("2"), result("1")]).ok();
        assert_eq!(reduced, Some(Reduced::Extended));
        let reduced = Chat::reduce(&mut chat, vec![Message::model("so")]).ok();
        assert_eq!(reduced, Some(Reduced::Extended));
        assert_eq!(texts(&chat), ["a", "", "done", "done", "so"]);
    }

    #[test]
    fn open_calls_are_closed_when_somebody_speaks() {
        let mut chat = vec![Message::user("a"), calls(&["1", "2", "3"]), result("2")];
        let reduced = Chat::reduce(&mut chat, vec![Message::user("stop")]).ok();
        assert_eq!(reduced, Some(Reduced::Replaced));
        let closed: Vec<_> = chat
            .iter()
            .filter_map(|message| match &message.body {
                Body::Tool(reply) => Some((&*reply.tool_call_id, reply.status)),
                _ => None,
            })
            .collect();
        let expected = [
            ("2", ToolStatus::Success),
            ("1", ToolStatus::Error),
            ("3", ToolStatus::Error),
        ];
        assert_eq!(closed, expected);
        assert_eq!(chat.last().map(Message::text).as_deref(), Some("stop"));
    }

    #[test]
    fn a_message_with_a_known_id_replaces_it() {
        let mut chat = vec![Message::user("a").with_id("1"), Message::model("b")];
        let reduced = Chat::reduce(&mut chat, vec![Message::user("c").with_id("1")]).ok();
        assert_eq!(reduced, Some(Reduced::Replaced));
        assert_eq!(texts(&chat), ["c", "b"]);
    }

    #[test]
    fn a_try_leaves_nothing_behind() {
        let mut chat = vec![Message::user("a"), calls(&["1"])];
        let undo = Chat::try_reduce(&mut chat, vec![Message::user("b")]).ok();
        assert_eq!(chat.len(), 4);
        if let Some(undo) = undo {
            undo(&mut chat);
        }
        assert_eq!(chat.len(), 2);
    }
}
