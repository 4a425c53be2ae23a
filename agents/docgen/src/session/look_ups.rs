//! An answer to a question about a code base by a model that may look things up first.

use superstep::model::{
    Cached, Content, Message, Model, ModelError, Reply, Request, ToolChoice, ToolReply,
    message::ToolStatus,
};

use crate::{
    library::{Library, MOST_CHARACTERS},
    tools::{ENOUGH, Sought, Wanted},
};

/// How often the model may look things up before it must answer.
const TURNS: usize = 6;

/// How many characters all look-ups may give.
const MOST: usize = 10 * MOST_CHARACTERS;

/// The last reply of the model: the one without a look-up.
pub(super) async fn answered<M: Model>(
    model: &M,
    messages: [Message; 2],
    library: &Library,
) -> Result<Reply, ModelError> {
    let mut request = Request {
        tools: Sought::ALL.map(Sought::spec).to_vec(),
        cached: Cached::Conversation,
        ..Request::new(messages)
    };
    let (mut left, mut turns) = (MOST, 0);
    loop {
        let is_last = turns >= TURNS;
        if is_last {
            request.tool_choice = ToolChoice::None;
        }
        let mut reply = model.invoke(&request).await?;
        if is_last || reply.tool_calls.is_empty() {
            return Ok(reply);
        }
        turns += 1;
        // Calls that cannot be read have no results, and providers want one for each.
        reply.invalid_tool_calls.clear();
        let calls = reply.tool_calls.clone();
        request.messages.push(reply.into());
        for call in &calls {
            let what = Sought::ALL.into_iter().find(|it| it.name() == call.name);
            let wanted = match what {
                Some(what) => Wanted::read(what, &call.args).map_err(|why| why.join("; ")),
                None => Err(format!("there is no tool {}", call.name)),
            };
            let (status, found) = match wanted {
                Ok(wanted) => (ToolStatus::Success, wanted.found(library)),
                Err(why) => (ToolStatus::Error, why),
            };
            let found = match left.checked_sub(found.len()) {
                Some(rest) => {
                    left = rest;
                    found
                }
                None => ENOUGH.to_owned(),
            };
            let message = Message::from(ToolReply {
                tool_call_id: call.id.clone(),
                name: call.name.clone(),
                content: Content::Text(found),
                status,
            });
            request.messages.push(message);
        }
    }
}
