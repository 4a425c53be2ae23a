//! What a tool gets from its agent: for whom it works, and what it may do besides.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Caller, Context, MemorySaver, MemoryStore, Store,
    model::Message,
    prelude::*,
    store::{Namespace, PutOptions, TtlOnRead},
    tools::{Agent, AgentNode, AgentState, Tool, ToolCtx, ToolError, Tools, agent::say},
};

use crate::fixture::{FnModel, calls, text};

#[derive(Clone, Serialize, Deserialize)]
struct User {
    name: String,
}

/// Remembers a fact about the user.
#[tool(write)]
async fn remember(
    /// The fact.
    fact: String,
    user: Context<User>,
    store: Store,
    state: Snap<AgentState>,
    ctx: ToolCtx,
) -> Result<String, ToolError> {
    ctx.heartbeat();
    let facts = Namespace::new(["facts", &user.name])?;
    let value = json!({"fact": fact, "heard": state.messages.len(), "attempt": ctx.attempt()});
    store
        .put(&facts, "latest", value, PutOptions::default())
        .await?;
    Ok(format!(
        "remembered in `{}`",
        ctx.thread().map(ToString::to_string).unwrap_or_default()
    ))
}

/// Lists the orders of the user.
#[tool(pure)]
async fn list_orders(
    /// Whose orders the model would like to see.
    user: String,
    caller: Caller,
) -> Result<String, ToolError> {
    let own = caller.owner().unwrap_or("nobody");
    Ok(format!("orders of {own}, not of {user}"))
}

struct Shop(&'static str);

/// Lists what it has of its agent.
#[tool(pure)]
async fn list_present(
    /// A word.
    word: Option<String>,
    shop: Option<Res<Shop>>,
    user: Option<Context<User>>,
    store: Option<Store>,
) -> Result<String, ToolError> {
    let found = [
        word,
        shop.map(|shop| shop.0.0.to_owned()),
        user.map(|user| user.name.clone()),
        store.map(|_| "store".to_owned()),
    ];
    Ok(found.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = String)]
struct Which {
    of: Vec<String>,
}

/// Finds out which city is meant.
#[tool(pure)]
async fn which_city(ctx: ToolCtx) -> Result<String, ToolError> {
    ctx.ask(Which {
        of: vec!["Rome, Italy".into(), "Rome, Georgia".into()],
    })
}

/// Asks in the middle of a change.
#[tool(write, idempotent)]
async fn change_and_ask(ctx: ToolCtx) -> Result<String, ToolError> {
    ctx.ask(Which { of: Vec::new() })
}

/// Reads a number from a file.
#[tool(read)]
async fn read_number(
    /// The file.
    path: String,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let number: i64 = std::fs::read_to_string(path)?.trim().parse()?;
    Ok(number.to_string())
}

/// Refuses everything, in words.
#[tool(pure)]
async fn refuse() -> Result<String, String> {
    Err("not on a Sunday".into())
}

/// Sends something, and does not look at what comes of it.
#[tool(send)]
async fn send_carelessly() -> Result<String, ToolError> {
    Err(std::io::Error::other("connection reset"))?;
    Ok(String::new())
}

fn agent(
    tools: Tools,
    lines: Vec<Vec<superstep::model::Delta>>,
) -> superstep::GraphBuilder<AgentState, AgentNode> {
    let policy = superstep::tools::Policy::default()
        .allow("remember")
        .allow("change_and_ask");
    let agent = Agent::new(FnModel::lines(lines))
        .tools(tools)
        .policy(policy);
    agent.graph().saver(MemorySaver::default())
}

fn last_result(outcome: &Outcome<AgentState>) -> String {
    let messages = &outcome.state().messages;
    messages
        .iter()
        .rev()
        .nth(1)
        .map(Message::text)
        .unwrap_or_default()
}

#[tokio::test]
async fn a_tool_knows_for_whom_it_works() {
    let tools = Tools::builder().tool(Remember).build().unwrap();
    let store = Arc::new(MemoryStore::default());
    let lines = vec![
        calls(&[("remember", json!({"fact": "likes figs"}))]),
        text("noted"),
    ];
    let graph = agent(tools, lines).store(store.clone()).build().unwrap();
    for name in ["ann", "bob"] {
        let user = User { name: name.into() };
        let outcome = graph
            .with_context(user)
            .run(name, say(Message::user("I like figs")))
            .await;
        assert_eq!(
            last_result(&outcome.unwrap()),
            format!("remembered in `{name}`")
        );
    }
    use superstep::store::Store as _;
    for name in ["ann", "bob"] {
        let facts = Namespace::new(["facts", name]).unwrap();
        let item = store
            .get(&facts, "latest", TtlOnRead::default())
            .await
            .unwrap();
        let expected = json!({"fact": "likes figs", "heard": 2, "attempt": 1});
        assert_eq!(item.map(|item| item.value), Some(expected));
    }
}

#[tokio::test]
async fn a_tool_works_for_the_caller_whomever_the_model_and_the_context_name() {
    let tools = Tools::builder().tool(ListOrders).build().unwrap();
    let lines = vec![
        calls(&[("list_orders", json!({"user": "ann"}))]),
        text("done"),
    ];
    let graph = agent(tools, lines).build().unwrap();
    let bob = graph
        .for_caller(Caller::new("bob"))
        .with_context(json!({"caller": {"owner": "ann"}, "owner": "ann"}));
    let outcome = bob.run("t", say(Message::user("I am ann"))).await.unwrap();
    assert_eq!(last_result(&outcome), "orders of bob, not of ann");
    // A model cannot give what comes from the agent.
    let forged = json!({"user": "ann", "caller": {"owner": "ann"}});
    assert!(ListOrders.parse(forged.as_object().unwrap()).is_err());
}

#[test]
fn a_model_sees_only_what_it_gives() {
    let parameters = &Remember.spec().parameters;
    let names: Vec<_> = parameters["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["fact"]);
}

#[test]
fn a_graph_without_the_store_that_a_tool_takes_is_not_built() {
    let tools = Tools::builder().tool(Remember).build().unwrap();
    let errors = agent(tools, Vec::new()).build().err().unwrap();
    assert!(errors.to_string().contains("store"), "{errors}");
}

#[tokio::test]
async fn a_tool_takes_what_its_agent_has_as_an_option_and_none_otherwise() {
    let lines = || {
        vec![
            calls(&[("list_present", json!({"word": "has"}))]),
            text("done"),
        ]
    };
    let bare = Tools::builder().tool(ListPresent).build().unwrap();
    let graph = agent(bare.clone(), lines()).build().unwrap();
    let outcome = graph.run("t", say(Message::user("go"))).await.unwrap();
    assert_eq!(last_result(&outcome), "has");

    let tools = Tools::builder().service(Shop("shop")).tool(ListPresent);
    let graph = agent(tools.build().unwrap(), lines()).store(MemoryStore::default());
    let user = User { name: "ann".into() };
    let graph = graph.build().unwrap().with_context(user);
    let outcome = graph.run("t", say(Message::user("go"))).await.unwrap();
    assert_eq!(last_result(&outcome), "has shop ann store");

    let graph = agent(bare, lines()).build().unwrap().with_context(7);
    let error = graph.run("t", say(Message::user("go"))).await.unwrap_err();
    assert!(
        error.to_string().contains("the context of the run"),
        "{error}"
    );
    let parameters = &ListPresent.spec().parameters["properties"];
    assert_eq!(parameters.as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_for_nobody_stops_before_anything_is_done() {
    let tools = Tools::builder().tool(Remember).build().unwrap();
    let lines = vec![calls(&[("remember", json!({"fact": "x"}))])];
    let graph = agent(tools, lines)
        .store(MemoryStore::default())
        .build()
        .unwrap();
    let error = graph.run("t", say(Message::user("go"))).await.unwrap_err();
    assert!(
        error.to_string().contains("the context of the run"),
        "{error}"
    );
}

#[tokio::test]
async fn a_tool_that_changes_nothing_may_ask() {
    let tools = Tools::builder().tool(WhichCity).build().unwrap();
    let lines = vec![calls(&[("which_city", json!({}))]), text("done")];
    let graph = agent(tools, lines).build().unwrap();
    let outcome = graph
        .run("t", say(Message::user("weather in Rome?")))
        .await
        .unwrap();
    let ask = outcome.ask::<Which>().unwrap();
    assert_eq!(ask.question.of.len(), 2);
    let outcome = graph
        .answer("t", [ask.answer("Rome, Georgia".into())])
        .await
        .unwrap();
    assert_eq!(last_result(&outcome), "Rome, Georgia");
}

#[tokio::test]
async fn a_tool_that_changes_something_may_not_ask() {
    let tools = Tools::builder().tool(ChangeAndAsk).build().unwrap();
    let graph = agent(tools, vec![calls(&[("change_and_ask", json!({}))])])
        .build()
        .unwrap();
    let error = graph.run("t", say(Message::user("go"))).await.unwrap_err();
    assert!(
        error.to_string().contains("may not ask while it runs"),
        "{error}"
    );
}

#[tokio::test]
async fn any_error_of_a_tool_that_changes_nothing_is_told_to_the_model() {
    let tools = Tools::builder()
        .tool(ReadNumber)
        .tool(Refuse)
        .build()
        .unwrap();
    let lines = vec![
        calls(&[("read_number", json!({"path": "/nowhere/at/all"}))]),
        calls(&[("refuse", json!({}))]),
        text("well"),
    ];
    let graph = agent(tools, lines).build().unwrap();
    let outcome = graph.run("t", say(Message::user("go"))).await.unwrap();
    let said: Vec<_> = outcome.state().messages.iter().map(Message::text).collect();
    assert!(
        said[2].starts_with("the call failed: No such file"),
        "{said:?}"
    );
    assert_eq!(said[4], "the call failed: not on a Sunday");
}

#[tokio::test]
async fn an_error_passed_on_by_a_tool_that_sends_leaves_its_outcome_unknown() {
    let tools = Tools::builder().tool(SendCarelessly).build().unwrap();
    let graph = agent(
        tools,
        vec![calls(&[("send_carelessly", json!({}))]), text("ok")],
    )
    .build()
    .unwrap();
    let outcome = graph.run("t", say(Message::user("go"))).await.unwrap();
    let question: superstep::tools::Approval = outcome.asks()[0].question().unwrap();
    let accept = json!({"type": "accept", "digest": question.digest});
    let outcome = graph
        .answer("t", [(outcome.asks()[0].id, accept)])
        .await
        .unwrap();
    let ask = outcome.ask::<superstep::tools::OutcomeQuestion>().unwrap();
    assert!(
        ask.question.description.contains("connection reset"),
        "{}",
        ask.question.description
    );
}
