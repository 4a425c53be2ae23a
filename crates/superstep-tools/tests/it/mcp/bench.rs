//! A fake server as a child process, and single calls of its tools through an agent.

use std::{path::PathBuf, time::Duration};

use serde_json::{Value as Json, json};
use superstep::{
    MemorySaver,
    model::{Body, message::ToolStatus},
    prelude::*,
    tools::{
        Agent, AgentNode, AgentState, Approval, Capabilities, OutcomeQuestion, Tools,
        agent::say,
        mcp::{Client, Command, Server},
    },
};
use tempfile::TempDir;

use crate::fixture::{FnModel, calls, text};

/// Where a fake server writes down what it did.
pub(crate) struct Ledger(TempDir);

impl Ledger {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("ledger")
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path()).unwrap_or_default();
        text.lines().map(Into::into).collect()
    }

    /// A server whose tools read, so that nobody is asked.
    pub(crate) fn reading(&self, modes: &[&str]) -> Server {
        Server {
            capabilities: Capabilities::READ,
            ..self.server(modes)
        }
    }

    /// A server as it comes: its tools are taken for the worst.
    pub(crate) fn server(&self, modes: &[&str]) -> Server {
        let ledger = self.path().to_string_lossy().into_owned();
        let modes = modes.iter().map(|mode| (*mode).to_owned());
        let args = std::iter::once(ledger).chain(modes);
        let program = env!("CARGO_BIN_EXE_superstep-fake-mcp");
        Server::new("fake", Command::new(program, args))
    }
}

/// A client whose server was approved as it is.
pub(crate) async fn approved(server: Server) -> Client {
    let client = server.connect().await.unwrap();
    client.approve(&client.fingerprint()).unwrap();
    client
}

pub(crate) fn tools(client: &Client) -> Tools {
    let tools = client.tools().unwrap().into_iter();
    let builder = tools.fold(Tools::builder(), |all, tool| all.dyn_tool(tool));
    builder.build().unwrap()
}

/// How a call ended for the model, or for a person.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    Said(String),
    Failed(String),
    Unknown(String),
}

/// Makes one call with the tools as they are, with approval where it takes one.
pub(crate) async fn call(client: &Client, tool: &str, args: Json) -> End {
    call_of(&tools(client), tool, args).await
}

pub(crate) async fn call_of(tools: &Tools, tool: &str, args: Json) -> End {
    let model = FnModel::lines(vec![calls(&[(tool, args)]), text("so")]);
    let graph = Agent::new(model)
        .tools(tools.clone())
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap();
    let said = say(superstep::model::Message::user("go"));
    let mut outcome = graph.run("t", said).await.unwrap();
    while let Outcome::Waiting { asks, .. } = &outcome {
        if asks[0].is::<OutcomeQuestion>() {
            let question = asks[0].question::<OutcomeQuestion>().unwrap();
            return End::Unknown(question.description);
        }
        let digest = asks[0].question::<Approval>().unwrap().digest;
        let accept = json!({"type": "accept", "digest": digest});
        outcome = graph.answer("t", [(asks[0].id, accept)]).await.unwrap();
    }
    ended(&graph).await
}

async fn ended(graph: &Graph<AgentState, AgentNode>) -> End {
    let state = graph.state("t").await.unwrap().state;
    let mut replies = state.messages.iter().filter_map(|it| match &it.body {
        Body::Tool(reply) => Some(reply),
        _ => None,
    });
    let reply = replies.next_back().expect("a result");
    match reply.status {
        ToolStatus::Success => End::Said(reply.content.text()),
        ToolStatus::Error => End::Failed(reply.content.text()),
    }
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let looked = tokio::time::timeout(Duration::from_secs(20), async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    });
    assert!(looked.await.is_ok(), "{what}");
}

pub(crate) fn said(text: &str) -> End {
    End::Said(text.into())
}

impl End {
    pub(crate) fn failed_with(&self, words: &str) -> bool {
        matches!(self, Self::Failed(why) if why.contains(words))
    }

    pub(crate) fn unknown_with(&self, words: &str) -> bool {
        matches!(self, Self::Unknown(why) if why.contains(words))
    }
}
