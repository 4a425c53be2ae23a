//! Secrets in what tools give back reach no model, no log, no archive and no reader, in whatever form.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    MemorySaver, Modes,
    model::{Content, Message, Part},
    prelude::*,
    text::{REDACTED, Redactor},
    tools::{
        Agent, AgentNode, AgentState, Policy, Tool, ToolCtx, ToolError, ToolOutput, Tools,
        agent::say,
    },
};

use crate::fixture::{FnModel, calls, text};

/// Known to the agent by its value.
const KNOWN: &str = "correct \"horse\" battery/staple";

/// Known by its shape.
const SHAPED: &str = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";

/// A picture, and what a server says beside it.
#[tool(read)]
async fn picture(
    /// What is written beside it.
    beside: String,
) -> Result<ToolOutput, ToolError> {
    let part = |text: String| Part::Text { text };
    let image = Part::Image {
        media_type: "image/png".into(),
        data: "AAAA".into(),
    };
    let parts = vec![
        part(beside.replace("KEY", KNOWN)),
        image,
        part(SHAPED.into()),
    ];
    Ok(Content::Parts(parts).into())
}

/// Data with a key that is a number, and one with escapes.
#[tool(read, json)]
async fn data() -> Result<serde_json::Value, ToolError> {
    Ok(json!({"token": 4_711_471_147_u64, "credentials": ["four", "seven"], "note": KNOWN}))
}

/// Fails, and says too much.
#[tool(read)]
async fn fails() -> Result<String, ToolError> {
    let pad = "x".repeat((16 << 10) - 10);
    Err(ToolError::Failed(format!("{pad}{KNOWN} and {SHAPED}")))
}

/// Gives a key that the limit of an output would cut in two.
#[tool(read)]
async fn long() -> Result<String, ToolError> {
    let pad = "x".repeat((256 << 10) - 12);
    Ok(format!("{pad}{KNOWN}"))
}

/// Tells readers what it does.
#[tool(read)]
async fn tells(ctx: ToolCtx) -> Result<String, ToolError> {
    ctx.emit(json!({"at": format!("https://x.example/?q={KNOWN}"), "password": "four"}))
        .await;
    Ok("done".into())
}

/// Panics with a key in its last words.
#[tool(read)]
async fn breaks() -> Result<String, ToolError> {
    panic!("cannot reach https://x.example/{SHAPED}: {KNOWN}")
}

fn graph(tool: impl Tool + 'static, args: serde_json::Value) -> Graph<AgentState, AgentNode> {
    let redactor = Redactor::default().with_secret(&KNOWN.into()).unwrap();
    let name = tool.spec().name.clone();
    let tools = Tools::builder()
        .tool(tool)
        .redactor(Arc::new(redactor))
        .build()
        .unwrap();
    Agent::new(FnModel::lines(vec![calls(&[(&*name, args)]), text("done")]))
        .tools(tools)
        .policy(Policy::default())
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap()
        .with_options(|options| options.log = Modes::ALL)
}

/// All that anybody can read of a run.
async fn everything(graph: &Graph<AgentState, AgentNode>) -> String {
    let mut stream = graph.stream("t", say(Message::user("go")));
    let mut seen = String::new();
    while let Some(event) = stream.next().await {
        seen.push_str(&format!("{event:?}\n"));
    }
    match stream.outcome().await {
        Ok(outcome) => seen.push_str(&format!("{outcome:?}\n")),
        Err(error) => seen.push_str(&format!("{error:?} {error}\n")),
    }
    let mut log = graph.follow("t", None, Modes::ALL);
    while let Some(item) = log.next_stored().await.unwrap() {
        seen.push_str(&format!("{item:?}\n"));
    }
    let state = graph.state("t").await.unwrap();
    seen.push_str(&format!("{:?}", *state.state));
    let mut file = Vec::new();
    let archive = graph.export_thread("t").await.unwrap();
    archive.write(&mut file).unwrap();
    seen + &String::from_utf8(file).unwrap()
}

fn holds_no_secret(seen: &str) {
    assert!(seen.contains(REDACTED), "{seen}");
    for part in ["horse", "battery", "4711471147", "seven", "sk-proj-abc"] {
        assert!(!seen.contains(part), "{part} in {seen}");
    }
}

#[tokio::test]
async fn text_beside_a_picture_is_redacted() {
    let args = json!({"beside": "the key is KEY"});
    let graph = graph(Picture, args);
    let seen = everything(&graph).await;
    holds_no_secret(&seen);
    assert!(seen.contains("AAAA"), "the picture stays");
}

#[tokio::test]
async fn data_is_redacted_as_data() {
    holds_no_secret(&everything(&graph(Data, json!({}))).await);
}

#[tokio::test]
async fn failures_are_redacted_before_they_are_cut() {
    holds_no_secret(&everything(&graph(Fails, json!({}))).await);
    holds_no_secret(&everything(&graph(Long, json!({}))).await);
}

#[tokio::test]
async fn what_a_tool_emits_is_redacted() {
    let seen = everything(&graph(Tells, json!({}))).await;
    holds_no_secret(&seen);
    assert!(!seen.contains("\"four\""), "{seen}");
}

#[tokio::test]
async fn the_last_words_of_a_tool_that_panics_are_redacted() {
    holds_no_secret(&everything(&graph(Breaks, json!({}))).await);
}
