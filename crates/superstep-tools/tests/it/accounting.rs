//! Calls of models in the trace of a run, and within its budget.

use superstep::{
    Modes, RunOptions,
    model::{self, Content, Reply, Usage},
    prelude::*,
    runs::Allowance,
    tools::{Agent, AgentNode, AgentState},
    trace::{RunTree, View},
};
use superstep_fake_providers::openai;
use superstep_loopback::{Answer, Server};

/// Says something, for 12 tokens.
fn said() -> Answer {
    let reply = Reply {
        content: Content::from("Hello."),
        usage: Some(Usage {
            input: 10,
            output: 2,
            ..Usage::default()
        }),
        ..Reply::default()
    };
    Answer::events(&openai::stream("m", &reply))
}

async fn agent(server: &Server, saver: &MemorySaver) -> Graph<AgentState, AgentNode> {
    let name = format!("openai@{}:m", server.address());
    let agent = Agent::new(model::open(&name).await.unwrap());
    agent.graph().saver(saver.clone()).build().unwrap()
}

#[tokio::test]
async fn a_provider_gets_the_span_that_the_trace_shows() {
    let server = Server::start([said(), said()]).await.unwrap();
    let saver = MemorySaver::new();
    let graph = agent(&server, &saver).await;
    graph.prompt("quiet", "Hi!").await.unwrap();
    let traced = graph.with_options(|options: &mut RunOptions| options.log = Modes::TRACE);
    traced.prompt("t", "Hi!").await.unwrap();
    let requests = server.requests();
    // A run that nobody traces passes nothing on.
    assert_eq!(requests[0].header("traceparent"), None);
    let tree = RunTree::read(&saver, "t", &View::default()).await.unwrap();
    let run = &tree.runs[0];
    let call = &run.root.children[0].children[0];
    let place = format!("00-{:032x}-{}-01", run.trace, call.id);
    assert_eq!(requests[1].header("traceparent"), Some(&*place));
}

#[tokio::test]
async fn a_call_beyond_the_budget_of_the_thread_is_not_made() {
    let server = Server::start([said(), said()]).await.unwrap();
    let saver = MemorySaver::new();
    let limit =
        |tokens| move |options: &mut RunOptions| options.budget.thread = Allowance::tokens(tokens);
    let graph = agent(&server, &saver).await.with_options(limit(12));
    graph.prompt("t", "Hi!").await.unwrap();
    // Another process counts on.
    let graph = agent(&server, &saver).await;
    let error = graph
        .with_options(limit(12))
        .prompt("t", "And?")
        .await
        .unwrap_err();
    assert_eq!(error.code(), "SS5014");
    assert!(
        error
            .to_string()
            .contains("12 tokens of 12 tokens of the thread"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
    // With more of it the thread continues where it stopped.
    let outcome = graph.with_options(limit(100)).resume("t").await.unwrap();
    assert_eq!(outcome.text().unwrap(), "Hello.");
}
