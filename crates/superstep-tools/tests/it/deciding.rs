//! A graph that decides on all calls of a turn before it makes any.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Command, Input, MemorySaver, RetryOn,
    model::{Message, ToolCall},
    prelude::*,
    tools::{
        Approval, Chat, Decision, Lost, Next, Policy, Reviewer, Tools, decide, make, past_effects,
    },
};

use crate::fixture::{Ledger, SendText, to_dana};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Turn {
    #[reduce(Append)]
    decided: Vec<(ToolCall, Decision)>,
    #[reduce(Chat)]
    messages: Vec<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    Plan,
    Decide,
    Dispatch,
    Make,
}

async fn plan() -> Command<Turn, Step> {
    ["one", "two"].iter().fold(Command::end(), |command, text| {
        let call = ToolCall {
            id: (*text).into(),
            name: "send_text".into(),
            args: to_dana(text).as_object().cloned().unwrap(),
        };
        command.and_send(Step::Decide, &call)
    })
}

async fn decide_call(
    Input(call): Input<ToolCall>,
    tools: Res<Tools>,
    ctx: Ctx,
) -> Result<TurnUpdate, NodeError> {
    let checked = tools.parse(&call).map_err(NodeError::msg)?;
    let decided = decide(&ctx, &tools, &Policy::default(), checked, &[]).await?;
    Ok(Turn::update().decided([(decided.checked.call, decided.decision)]))
}

async fn dispatch(state: Snap<Turn>) -> Command<Turn, Step> {
    let made = state
        .decided
        .iter()
        .filter(|(_, it)| it.refusal().is_none());
    made.fold(Command::end(), |command, (call, _)| {
        command.and_send(Step::Make, call)
    })
}

struct Never;

impl Reviewer for Never {
    fn lost(&mut self, _: &Ctx, _: &ToolCall, lost: &Lost) -> Result<Next, NodeError> {
        Err(NodeError::msg(lost.known()))
    }
}

async fn make_call(
    Input(call): Input<ToolCall>,
    tools: Res<Tools>,
    ctx: Ctx,
) -> Result<TurnUpdate, NodeError> {
    let checked = tools.parse(&call).map_err(NodeError::msg)?;
    let message = make(&ctx, &tools, &checked, &mut Never).await?;
    Ok(Turn::update().messages(vec![message]))
}

#[tokio::test]
async fn nothing_of_a_turn_is_made_before_all_of_it_is_decided() {
    let ledger = Arc::new(Ledger::default());
    let tools = Tools::builder().tool(SendText).shared(ledger.clone());
    let graph = Graph::<Turn, Step>::builder()
        .name("turn")
        .saver(Arc::new(MemorySaver::default()))
        .resource(tools.build().unwrap())
        .node(Step::Plan, plan)
        .node(Step::Decide, decide_call)
        .node(Step::Dispatch, dispatch)
        .node(Step::Make, make_call)
        .start(Step::Plan)
        .may_send(Step::Plan, &[Step::Decide])
        .edge(Step::Decide, Step::Dispatch)
        .may_send(Step::Dispatch, &[Step::Make])
        .finish(Step::Make)
        .build()
        .unwrap();
    graph.run("t", Turn::update()).await.unwrap();
    let asks = graph.state("t").await.unwrap().asks;
    assert_eq!(asks.len(), 2);
    let digest = |at: usize| asks[at].question::<Approval>().unwrap().digest;
    let accept = json!({"type": "accept", "digest": digest(0)});
    graph.answer("t", [(asks[0].id, accept)]).await.unwrap();
    assert!(ledger.sent().is_empty(), "the other one is not decided");
    let action = json!({"action": "send_text", "args": to_dana("changed")});
    let edit = json!({"type": "edit", "args": action, "digest": digest(1)});
    let outcome = graph.answer("t", [(asks[1].id, edit)]).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    let mut sent = ledger.sent();
    sent.sort();
    assert_eq!(sent, ["dana: changed", "dana: one"]);
}

/// Makes all calls that were decided on in one task, which fails once at its end.
async fn make_all(
    Input(all): Input<Vec<ToolCall>>,
    tools: Res<Tools>,
    ctx: Ctx,
) -> Result<TurnUpdate, NodeError> {
    let mut messages = Vec::new();
    for call in &all {
        let checked = tools.parse(call).map_err(NodeError::msg)?;
        messages.push(make(&ctx, &tools, &checked, &mut Never).await?);
    }
    match ctx.attempt() {
        1 => Err(NodeError::msg("once more")),
        _ => Ok(Turn::update().messages(messages)),
    }
}

#[tokio::test]
async fn one_task_makes_several_calls_each_once() {
    let ledger = Arc::new(Ledger::default());
    let tools = Tools::builder().tool(SendText).shared(ledger.clone());
    let plan = || async {
        let calls = ["one", "two"].map(|text| ToolCall {
            id: text.into(),
            name: "send_text".into(),
            args: to_dana(text).as_object().cloned().unwrap(),
        });
        Command::<Turn, Step>::end().and_send(Step::Make, &calls.to_vec())
    };
    let again = NodeOptions::default().retry(RetryPolicy {
        initial: Duration::ZERO,
        jitter: Duration::ZERO,
        on: RetryOn::Any,
        ..RetryPolicy::default()
    });
    let graph = Graph::<Turn, Step>::builder()
        .saver(MemorySaver::default())
        .resource(tools.build().unwrap())
        .effects(past_effects)
        .node(Step::Plan, plan)
        .node(Step::Decide, || async {})
        .node(Step::Dispatch, || async {})
        .node_with(Step::Make, make_all, again)
        .start(Step::Plan)
        .start(Step::Decide)
        .start(Step::Dispatch)
        .may_send(Step::Plan, &[Step::Make])
        .finish(Step::Decide)
        .finish(Step::Dispatch)
        .finish(Step::Make)
        .build()
        .unwrap();
    let run = graph.start("t", Turn::update()).await.unwrap();
    let id = run.id;
    let outcome = run.await.unwrap();
    assert_eq!(ledger.sent(), ["dana: one", "dana: two"]);
    let texts: Vec<String> = outcome.state().messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["sent to dana", "sent to dana"]);
    let effects = graph.dynamic().effects_of_run(id).await.unwrap();
    assert_eq!(effects.len(), 2, "{effects:?}");
}
