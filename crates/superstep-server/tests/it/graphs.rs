//! The graphs that the tests host.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Backends, Schemas,
    dynamic::{self, DynCtx, DynGraphBuilder, DynReducer, Halt, START, Unknown},
    prelude::*,
    schemars::{self, JsonSchema},
};
use superstep_server::Server;
use tokio::sync::Semaphore;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
pub(crate) struct Draft {
    pub(crate) topic: String,
    pub(crate) draft: String,
    #[reduce(Append)]
    pub(crate) log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub(crate) enum Step {
    Write,
    Review,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
pub(crate) struct Publish {
    pub(crate) draft: String,
}

/// Writes a draft, and asks whether to publish it.
pub(crate) fn hitl() -> Graph<Draft, Step> {
    let write = |state: Snap<Draft>| async move {
        Draft::update()
            .draft(format!("Draft about {}", state.topic))
            .log(["written".to_owned()])
    };
    let review = |state: Snap<Draft>, ctx: Ctx| async move {
        let draft = state.draft.clone();
        let ok = ctx.ask(Publish { draft })?;
        Ok::<_, NodeError>(Draft::update().log([format!("published: {ok}")]))
    };
    Graph::<Draft, Step>::builder()
        .name("hitl")
        .node(Step::Write, write)
        .node(Step::Review, review)
        .start(Step::Write)
        .edge(Step::Write, Step::Review)
        .finish(Step::Review)
        .build()
        .unwrap()
}

/// Counts to one, or fails if it is told to.
pub(crate) fn one() -> dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("chain1")
        .last_value("x")
        .node("count", |ctx: DynCtx| async move {
            let x: i64 = ctx.read("x")?;
            if x < 0 {
                return Err(Halt::from(superstep::Failure::new("ValueError", "boom")));
            }
            Ok::<_, Halt>(json!({ "x": x + 1 }))
        })
        .edge(START, "count")
        .build()
        .unwrap()
}

/// Answers with a message, and says what it does.
pub(crate) fn chat() -> dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("chat")
        .reduce("messages", DynReducer::Messages(Unknown::Refuse), json!([]))
        .node("speak", |ctx: DynCtx| async move {
            ctx.emit(json!({ "progress": "speaking" })).await;
            let answer = json!({ "type": "ai", "content": "hello", "id": "m1" });
            Ok::<_, Halt>(json!({ "messages": [answer] }))
        })
        .edge(START, "speak")
        .build()
        .unwrap()
}

/// Waits in its only node until it is let go, and notes when it is dropped there.
pub(crate) fn gate(gate: &Arc<Gate>) -> dynamic::DynGraph {
    let gate = gate.clone();
    DynGraphBuilder::new()
        .name("gate")
        .last_value("x")
        .node("wait", move |_: DynCtx| {
            let gate = gate.clone();
            async move {
                let left = Left(gate.clone());
                gate.entered.add_permits(1);
                gate.open.acquire().await.unwrap().forget();
                std::mem::forget(left);
                Ok::<_, Halt>(json!({ "x": 1 }))
            }
        })
        .edge(START, "wait")
        .build()
        .unwrap()
}

/// A graph of two nodes between two nodes of another.
pub(crate) fn nested() -> dynamic::DynGraph {
    let nothing = |_: DynCtx| async { Ok::<_, Halt>(()) };
    let child = DynGraphBuilder::new()
        .last_value("x")
        .node("a", nothing)
        .node("b", nothing)
        .edge(START, "a")
        .edge("a", "b")
        .build()
        .unwrap();
    DynGraphBuilder::new()
        .name("nested")
        .last_value("x")
        .node("before", nothing)
        .subgraph("child", child, dynamic::DynNodeOptions::default())
        .node("after", nothing)
        .edge(START, "before")
        .edge("before", "child")
        .edge("child", "after")
        .build()
        .unwrap()
}

/// Where runs wait.
pub(crate) struct Gate {
    pub(crate) entered: Semaphore,
    pub(crate) open: Semaphore,
    pub(crate) left: Semaphore,
}

impl Gate {
    pub(crate) fn shut() -> Arc<Self> {
        let none = || Semaphore::new(0);
        Arc::new(Self {
            entered: none(),
            open: none(),
            left: none(),
        })
    }
}

struct Left(Arc<Gate>);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.left.add_permits(1);
    }
}

pub(crate) fn memory() -> Backends {
    Backends::in_memory()
}

/// A server with both graphs.
pub(crate) fn server(backends: Backends) -> Server {
    Server::on(backends)
        .graph("hitl", &hitl())
        .dynamic("one", &one(), Schemas::default())
}
