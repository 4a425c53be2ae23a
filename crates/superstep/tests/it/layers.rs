//! The typed and the dynamic layer in one program: all of both can be imported together.

#![allow(
    unused_imports,
    reason = "what is tested is that the names do not collide"
)]

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use superstep::{
    Ask, Checkpoint, Command, Ctx, Event, EventStream, Follow, Graph, GraphBuilder, NodeOptions,
    Nodes, Outcome, Reducer, RunEvents, RunOptions, RunOutcome, Running, Snap, State, Update,
    dynamic::{
        DynAsk, DynCommand, DynCtx, DynEvent, DynEventStream, DynFollow, DynGraph, DynGraphBuilder,
        DynNodeOptions, DynOutcome, DynReducer, DynRunEvents, DynRunOutcome, DynRunning, DynUpdate,
        Halt, Node, START, Send,
    },
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Count {
    n: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    Add,
}

async fn add(count: Snap<Count>, _: Ctx) -> CountUpdate {
    Count::update().n(count.n + 1)
}

async fn add_json(ctx: DynCtx) -> Result<Json, Halt> {
    let n = ctx.get("n").as_i64().unwrap_or_default();
    Ok(json!({ "n": n + 1 }))
}

#[tokio::test]
async fn both_layers_are_used_side_by_side() -> Result<(), Box<dyn std::error::Error>> {
    let typed: Graph<Count, Step> = Graph::<Count, Step>::builder()
        .saver(superstep::MemorySaver::default())
        .node(Step::Add, add)
        .start(Step::Add)
        .finish(Step::Add)
        .build()?;
    let outcome: Outcome<Count> = typed.run("a", Count::update().n(1)).await?;
    assert_eq!(outcome.state().n, 2);

    let dynamic: DynGraph = DynGraphBuilder::new()
        .last_value("n")
        .node("add", add_json)
        .edge(START, "add")
        .build()?;
    let options = RunOptions::default();
    let outcome: DynOutcome = dynamic.invoke(json!({ "n": 1 }), &options).await?;
    assert_eq!(serde_json::to_value(&outcome)?["output"], json!({ "n": 2 }));
    Ok(())
}

#[tokio::test]
async fn a_router_may_return_what_a_channel_holds_as_a_key_of_its_map() {
    use superstep::dynamic::END;

    async fn paint(_: DynCtx) -> Result<Json, Halt> {
        Ok(json!({ "done": "painted" }))
    }
    let graph = DynGraphBuilder::new()
        .last_value("topic")
        .last_value("done")
        .node("look", |_: DynCtx| async { Ok::<_, Halt>(()) })
        .node("paint", paint)
        .edge(START, "look")
        .route_map("look", [("art", "paint"), ("none", END)], |state| {
            state.get("topic")
        })
        .build()
        .unwrap();
    for (topic, done) in [("art", Some("painted")), ("none", None)] {
        let input = json!({ "topic": topic });
        let options = RunOptions::default();
        let outcome = graph.invoke(input, &options).await.unwrap();
        let output = outcome.output.unwrap();
        assert_eq!(output.get("done").and_then(|done| done.as_str()), done);
    }
}
