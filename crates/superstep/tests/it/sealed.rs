//! Fields that only nodes write, and questions whose graph was edited.

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    CheckpointRef,
    dynamic::{DynUpdate, Output, state::Depth},
    prelude::*,
};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Refund {
    order: String,
    #[reduce(Append)]
    #[state(sealed)]
    approved: Vec<String>,
    #[reduce(Append)]
    paid: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Inner {
    Review,
    Pay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Outer {
    Handle,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Approve {
    order: String,
}

async fn review(state: Snap<Refund>, ctx: Ctx) -> Result<RefundUpdate, NodeError> {
    let order = state.order.clone();
    let is_approved = ctx.ask(Approve {
        order: order.clone(),
    })?;
    let approved = is_approved.then_some(order);
    Ok(Refund::update().approved(approved.into_iter().collect::<Vec<_>>()))
}

async fn pay(state: Snap<Refund>) -> RefundUpdate {
    Refund::update().paid(state.approved.clone())
}

fn inner() -> Graph<Refund, Inner> {
    Graph::builder()
        .node(Inner::Review, review)
        .node(Inner::Pay, pay)
        .start(Inner::Review)
        .edge(Inner::Review, Inner::Pay)
        .finish(Inner::Pay)
        .build()
        .unwrap()
}

fn outer() -> Graph<Refund, Outer> {
    Graph::builder()
        .saver(saver())
        .subgraph(
            Outer::Handle,
            &inner(),
            |state: &Refund| Refund::update().order(state.order.clone()),
            |done: &Refund| Refund::update().paid(done.paid.clone()),
        )
        .start(Outer::Handle)
        .finish(Outer::Handle)
        .build()
        .unwrap()
}

/// The graph inside, as it waits for its answer.
async fn inside(graph: &Graph<Refund, Outer>) -> CheckpointRef {
    let thread = "t".into();
    let state = graph.dynamic().state(&thread, None, Depth::Subgraphs);
    let state = state.await.unwrap();
    let below = state.tasks[0].state.as_ref().unwrap();
    let superstep::dynamic::SubState::Snapshot(below) = below else {
        panic!("{below:?}")
    };
    CheckpointRef {
        namespace: below.namespace.clone(),
        ..CheckpointRef::default()
    }
}

fn edit(values: serde_json::Value, node: &str) -> DynUpdate {
    DynUpdate {
        output: Output::Update(values.into()),
        as_node: Some(node.into()),
    }
}

#[tokio::test]
async fn a_sealed_field_is_written_by_nodes_alone() {
    let graph = outer();
    let forged = Refund::update().order("7").approved(["7".to_owned()]);
    let refused = graph.run("t", forged.clone()).await.unwrap_err();
    assert_eq!(refused.code(), "SS1122", "{refused}");
    assert!(refused.to_string().contains("`approved`"), "{refused}");
    let waiting = graph.run("t", Refund::update().order("7")).await.unwrap();
    let ask = waiting.ask::<Approve>().unwrap();
    let refused = graph.update_state("t", forged, None).await.unwrap_err();
    assert_eq!(refused.code(), "SS1122", "{refused}");
    // Nor inside of the graph that decides, in the name of the node that asks.
    let (at, thread) = (inside(&graph).await, "t".into());
    let update = edit(json!({"approved": ["7"]}), "review");
    let refused = graph.dynamic().update_state(&thread, Some(&at), update);
    assert_eq!(refused.await.unwrap_err().code(), "SS1122");
    // The question is as open as before.
    let done = graph.answer("t", [ask.answer(true)]).await.unwrap();
    assert_eq!(done.done().unwrap().paid, ["7"]);
}

#[tokio::test]
async fn an_edit_inside_a_subgraph_closes_the_questions_that_it_asked() {
    for by_id in [true, false] {
        let graph = outer();
        let waiting = graph.run("t", Refund::update().order("7")).await.unwrap();
        let ask = waiting.ask::<Approve>().unwrap();
        let (at, thread) = (inside(&graph).await, "t".into());
        let update = edit(json!({"order": "8"}), "__start__");
        let dynamic = graph.dynamic();
        dynamic
            .update_state(&thread, Some(&at), update)
            .await
            .unwrap();
        assert_eq!(graph.state("t").await.unwrap().asks, []);
        let refused = match by_id {
            true => graph.answer("t", [ask.answer(true)]).await,
            false => graph.answer_only("t", true).await,
        };
        assert_eq!(refused.unwrap_err().code(), "SS1105", "by id: {by_id}");
        // It asks again, about what it holds now.
        let again = graph.resume("t").await.unwrap();
        let again = again.ask::<Approve>().unwrap();
        assert_eq!(again.question.order, "8");
        let done = graph.answer("t", [again.answer(true)]).await.unwrap();
        assert_eq!(done.done().unwrap().paid, ["8"]);
    }
}
