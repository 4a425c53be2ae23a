//! The two nodes of an agent: one calls the model, one makes a call.

use std::ops::ControlFlow;

use superstep_engine::typed::{Command, Ctx, Input, NodeError, Res, Snap};
use superstep_model::{
    Cached, Finish, Message, Request, ToolCall, history, message::ToolStatus, structured_json,
};

use super::{
    config::Agent,
    conversation::{Conversation, Progress},
    hook::HookCtx,
    state::AgentNode,
    team::{Member, Team},
    turn::{MAX_SAME_CALLS, REPAIRS, Turn, detect_loop, since_user},
};
use crate::{
    error::ToolsError, execute::execute, stream_reply::stream_reply, tool::reply, traced::Traced,
};

pub(super) async fn call_model<S: Conversation>(
    state: Snap<S>,
    team: Res<Team<S>>,
    ctx: Ctx,
) -> Result<Command<S, AgentNode>, NodeError> {
    let messages = state.messages();
    let member = at_work(&team, messages)?;
    let agent = &member.agent;
    // Counted in the conversation: whoever speaks, through whichever door, begins anew.
    let said = since_user(messages);
    let replies = || {
        said.iter()
            .rev()
            .filter(|message| message.reply().is_some())
    };
    let turns = count(replies());
    if turns >= agent.max_turns {
        return Err(ToolsError::turn_limit(turns).into());
    }
    if let Some((tool, times)) = detect_loop(messages, MAX_SAME_CALLS) {
        return Err(ToolsError::repeated_calls(tool, times).into());
    }
    let invalid =
        |message: &&Message| matches!(Turn::classify(message, &agent.tools), Turn::Repair { .. });
    let repairs = count(replies().take_while(invalid));

    let at = HookCtx {
        state: &*state,
        ctx: &ctx,
        member: &member.name,
    };
    let mut added = Vec::new();
    if let Some(summaries) = &agent.summaries {
        added.extend(summaries.of(&ctx, &agent.model, messages).await?);
    }
    let (message, is_answer) = spoken(agent, &at, messages, &added).await?;
    let turn = match is_answer {
        true => Turn::Say(Finish::Stop),
        false => Turn::classify(&message, &agent.tools),
    };
    added.push(message);

    let progress = |repairs, finish| Progress {
        turns: turns.saturating_add(1),
        repairs,
        finish,
    };
    let update = |added, progress| Command::update(S::noted(S::said(added), progress));
    match turn {
        Turn::Say(finish) => Ok(update(added, progress(0, Some(finish)))),
        Turn::Call { calls, refused } => {
            added.extend(refused);
            let command = update(added, progress(0, None));
            Ok(calls.iter().fold(command, |command, call| {
                command.and_send(AgentNode::Tool, call)
            }))
        }
        Turn::Repair { why, .. } if repairs >= REPAIRS => {
            Err(ToolsError::unusable(repairs, &why).into())
        }
        Turn::Repair {
            messages: repair, ..
        } => {
            added.extend(repair);
            let command = update(added, progress(repairs + 1, None));
            Ok(command.and_goto(AgentNode::Model))
        }
    }
}

/// What the model says now, and whether it is the answer in the form that was asked for.
async fn spoken<S: Conversation>(
    agent: &Agent<S>,
    at: &HookCtx<'_, S>,
    messages: &[Message],
    summary: &[Message],
) -> Result<(Message, bool), NodeError> {
    let mut request = request(agent, at, messages, summary)?;
    for hook in &agent.hooks {
        if let ControlFlow::Break(message) = hook.before_model(at, &mut request).await? {
            let id = at.ctx.idempotency_key("reply");
            return Ok((message.with_id(id), false));
        }
    }
    // Without tools there is nothing to do before the answer.
    let mut is_answer = agent.answer.is_some() && request.tools.is_empty();
    let mut message = match is_answer {
        true => answer(agent, at, request).await?,
        false => {
            let message = stream_reply(at.ctx, &agent.model, &request).await?;
            let turn = Turn::classify(&message, &agent.tools);
            is_answer = agent.answer.is_some() && matches!(turn, Turn::Say(Finish::Stop));
            match is_answer {
                true => {
                    request.messages.push(message);
                    answer(agent, at, request).await?
                }
                false => message,
            }
        }
    };
    for hook in &agent.hooks {
        hook.after_model(at, &mut message).await?;
    }
    Ok((message, is_answer))
}

/// The request of the next call: instructions, and the conversation as far as the model reads it.
fn request<S: Conversation>(
    agent: &Agent<S>,
    at: &HookCtx<'_, S>,
    messages: &[Message],
    summary: &[Message],
) -> Result<Request, NodeError> {
    let mut said = match summary.is_empty() {
        true => history::view(messages),
        false => history::view(&[messages, summary].concat()),
    };
    if let Some(most) = agent.trim {
        said = history::trim(&said, most);
    }
    let system = match &agent.instructions {
        Some(instructions) => Some(Message::system(instructions(at)?)),
        None => None,
    };
    let tools = agent.tools.specs();
    Ok(Request {
        // A model with tools is called again and again with what it has read and a little more.
        cached: match tools.is_empty() {
            true => Cached::Instructions,
            false => Cached::Conversation,
        },
        tools,
        max_tokens: agent.max_tokens,
        ..Request::new(system.into_iter().chain(said))
    })
}

/// The answer as data, in a message of its own.
async fn answer<S: Conversation>(
    agent: &Agent<S>,
    at: &HookCtx<'_, S>,
    request: Request,
) -> Result<Message, NodeError> {
    let Some(schema) = &agent.answer else {
        return Err(NodeError::msg("the agent's answers are no data").permanent());
    };
    let traced = Traced {
        model: &agent.model,
        ctx: at.ctx,
    };
    let answer = structured_json(&traced, request, schema).await?;
    let mut message = superstep_model::Reply {
        content: answer.value.to_string().into(),
        ..answer.reply
    };
    // Where a tool stood in for the schema, its call is the answer and asks for nothing.
    message.tool_calls.clear();
    message.invalid_tool_calls.clear();
    let id = at.ctx.idempotency_key("reply");
    Ok(Message::from(message).with_id(id))
}

pub(super) async fn call_tool<S: Conversation>(
    Input(call): Input<ToolCall>,
    state: Snap<S>,
    team: Res<Team<S>>,
    ctx: Ctx,
) -> Result<Command<S, AgentNode>, NodeError> {
    let member = at_work(&team, state.messages())?;
    let agent = &member.agent;
    let at = HookCtx {
        state: &*state,
        ctx: &ctx,
        member: &member.name,
    };
    let mut result = None;
    for hook in &agent.hooks {
        if let ControlFlow::Break(why) = hook.before_tool(&at, &call).await? {
            result = Some(Message::from(reply(&call, ToolStatus::Error, why.into())));
            break;
        }
    }
    let mut result = match result {
        Some(refused) => refused,
        None => execute(&ctx, &agent.tools, &agent.policy, &call, state.messages()).await?,
    };
    for hook in &agent.hooks {
        hook.after_tool(&at, &call, &mut result).await?;
    }
    let result = result.with_id(ctx.idempotency_key("result"));
    Ok(Command::update(S::said(vec![result])))
}

fn at_work<'a, S: Conversation>(
    team: &'a Team<S>,
    messages: &[Message],
) -> Result<&'a Member<S>, NodeError> {
    let nobody = || NodeError::msg("the team has no members").permanent();
    team.active(messages).ok_or_else(nobody)
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
