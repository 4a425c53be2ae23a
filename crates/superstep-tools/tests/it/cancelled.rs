//! Runs that are cancelled in the middle of a call of a model or of a tool.

use std::{
    future::pending,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::json;
use superstep::{
    Event, MemorySaver, Modes, Res, RunId, RunStatus, Saver,
    future::BoxFuture,
    model::{Caps, Deltas, Message, Model, ModelError, ModelId, Request},
    prelude::*,
    sqlite::Database,
    tools::{Agent, AgentNode, AgentState, Policy, ToolCtx, ToolError, Tools, agent::say},
};
use tokio::sync::Notify;

use crate::fixture::{FnModel, calls, text};

/// Looks for something, in a process that never ends.
#[tool(read)]
async fn look_for_ever(ctx: ToolCtx) -> Result<String, ToolError> {
    let mut command = tokio::process::Command::new("sleep");
    let mut child = command.arg("3600").kill_on_drop(true).spawn()?;
    ctx.emit(json!({ "process": child.id() })).await;
    child.wait().await?;
    Ok("found".into())
}

#[derive(Default)]
struct Sent(AtomicUsize);

/// Sends many letters, and stops when it is told to.
#[tool(write)]
async fn send_many(sent: Res<Sent>, ctx: ToolCtx) -> Result<String, ToolError> {
    sent.0.0.fetch_add(1, Ordering::SeqCst);
    ctx.emit(json!({ "run": ctx.run_id().map(|id| id.to_string()) }))
        .await;
    ctx.cancelled().await;
    assert!(ctx.is_cancelled());
    Ok("sent one of many".into())
}

fn agent(tools: Tools, call: &str) -> Graph<AgentState, AgentNode> {
    agent_on(MemorySaver::default(), tools, call)
}

fn agent_on(saver: impl Saver, tools: Tools, call: &str) -> Graph<AgentState, AgentNode> {
    let lines = vec![calls(&[(call, json!({}))]), text("well then")];
    let policy = Policy::default().allow("send_many");
    let agent = Agent::new(FnModel::lines(lines))
        .tools(tools)
        .policy(policy);
    let graph = agent.graph().saver(saver).build().unwrap();
    graph.with_options(|options| options.modes = Modes::CUSTOM)
}

async fn emitted(running: &mut superstep::Running<AgentState, AgentNode>) -> serde_json::Value {
    while let Some(event) = running.events.next().await {
        if let Event::Custom(data) = event {
            return data.to_json();
        }
    }
    panic!("the run ended before its tool said something")
}

#[cfg(target_os = "linux")]
fn is_alive(process: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_of_a_tool_ends_with_its_run() {
    let tools = Tools::builder().tool(LookForEver).build().unwrap();
    let graph = agent(tools, "look_for_ever");
    let mut running = graph
        .start("t", say(Message::user("find it")))
        .await
        .unwrap();
    let process = emitted(&mut running).await["process"].as_u64().unwrap();
    assert!(is_alive(process));
    running.cancel("the user left");
    let error = running.await.err().unwrap();
    assert_eq!(error.code(), "SS1113");
    while is_alive(process) {
        tokio::task::yield_now().await;
    }
}

/// Who knows no more than the file and the id of a run, as another process does.
async fn cancel_elsewhere(file: &Path, run: RunId) {
    let tools = Tools::builder().build().unwrap();
    let there = Database::open(file).unwrap();
    let graph = agent_on(there.saver(), tools, "nothing");
    assert!(graph.cancel(run, "the user left").await.unwrap());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_of_a_tool_ends_when_its_run_is_cancelled_by_id_through_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let tools = Tools::builder().tool(LookForEver).build().unwrap();
    let database = Database::open(&file).unwrap();
    let graph = agent_on(database.saver(), tools, "look_for_ever");
    let running = graph.start("t", say(Message::user("find it"))).await;
    let mut running = running.unwrap();
    let process = emitted(&mut running).await["process"].as_u64().unwrap();
    assert!(is_alive(process));
    cancel_elsewhere(&file, running.id).await;
    assert_eq!(running.await.err().unwrap().code(), "SS1113");
    while is_alive(process) {
        tokio::task::yield_now().await;
    }
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Cancelled);
}

#[tokio::test]
async fn a_tool_that_is_told_says_how_far_it_came_and_is_not_called_again() {
    let sent = Arc::new(Sent::default());
    let tools = Tools::builder()
        .tool(SendMany)
        .shared(sent.clone())
        .build()
        .unwrap();
    let graph = agent(tools, "send_many");
    let mut running = graph
        .start("t", say(Message::user("send them")))
        .await
        .unwrap();
    let run = emitted(&mut running).await;
    assert_eq!(run["run"], running.id.to_string());
    running.cancel("enough");
    assert_eq!(running.await.err().unwrap().code(), "SS1113");
    let outcome = graph.resume("t").await.unwrap();
    let said: Vec<String> = outcome.state().messages.iter().map(Message::text).collect();
    assert_eq!(said[2..], ["sent one of many", "well then"]);
    assert_eq!(sent.0.load(Ordering::SeqCst), 1);
}

/// A model that never answers.
struct Silent {
    id: ModelId,
    asked: Notify,
    waiting: AtomicUsize,
}

struct Waiting<'a>(&'a Silent);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Model for Silent {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        Caps::local()
    }

    fn stream<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let _waiting = Waiting(self);
            self.asked.notify_one();
            pending().await
        })
    }
}

fn silent() -> Arc<Silent> {
    Arc::new(Silent {
        id: ModelId::new("test", "silent"),
        asked: Notify::new(),
        waiting: AtomicUsize::new(0),
    })
}

#[tokio::test]
async fn a_call_of_a_model_ends_when_its_run_is_cancelled_by_id_through_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let (model, database) = (silent(), Database::open(&file).unwrap());
    let agent = Agent::new(model.clone()).graph().saver(database.saver());
    let graph = agent.build().unwrap();
    let running = graph.start("t", say(Message::user("hello"))).await.unwrap();
    model.asked.notified().await;
    cancel_elsewhere(&file, running.id).await;
    assert_eq!(running.await.err().unwrap().code(), "SS1113");
    assert_eq!(model.waiting.load(Ordering::SeqCst), 0);
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Cancelled);
}

#[tokio::test]
async fn a_call_of_a_model_ends_with_its_run() {
    let model = silent();
    let agent = Agent::new(model.clone());
    let graph = agent.graph().saver(MemorySaver::default()).build().unwrap();
    let running = graph.start("t", say(Message::user("hello"))).await.unwrap();
    model.asked.notified().await;
    running.cancel("the user left");
    assert_eq!(running.await.err().unwrap().code(), "SS1113");
    assert_eq!(model.waiting.load(Ordering::SeqCst), 0);
    assert_eq!(graph.state("t").await.unwrap().next.len(), 1);
}
