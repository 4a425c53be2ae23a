//! Schemas of a graph, and answers that are checked without a run.

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    prelude::*,
    schemars::{self, JsonSchema},
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
struct Order {
    /// What is ordered.
    item: String,
    approved: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Approve,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Decision {
    approve: bool,
    /// At most 200 characters.
    why: String,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = Decision)]
struct MayOrder {
    item: String,
}

/// A type without a schema.
#[derive(Debug, Serialize, Deserialize)]
struct Plain(u8);

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = Plain)]
struct HowMany {}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct User {
    name: String,
}

async fn approve(order: Snap<Order>, ctx: Ctx) -> Result<OrderUpdate, NodeError> {
    if order.item == "many" {
        ctx.ask(HowMany {})?;
    }
    let decision = ctx.ask(MayOrder {
        item: order.item.clone(),
    })?;
    Ok(Order::update().approved(decision.approve))
}

fn graph() -> Graph<Order, Node> {
    let builder = Graph::<Order, Node>::builder()
        .saver(MemorySaver::default())
        .context::<User>()
        .asks::<MayOrder>()
        .asks::<HowMany>()
        .node(Node::Approve, approve)
        .start(Node::Approve)
        .finish(Node::Approve);
    let name = "eva".to_owned();
    builder.build().unwrap().with_context(User { name })
}

#[test]
fn a_graph_shows_the_schemas_of_its_types() {
    let schemas = graph().schemas();
    let state = schemas.state.unwrap();
    assert_eq!(state["required"], json!(["item"]));
    assert_eq!(
        state["properties"]["item"]["description"],
        "What is ordered."
    );
    let input = schemas.input.unwrap();
    assert!(input.get("required").is_none() && input["properties"] == state["properties"]);
    assert_eq!(
        schemas.context.unwrap()["properties"]["name"]["type"],
        "string"
    );
    assert_eq!(schemas.answers["how_many"], None, "its type has no schema");
    let answer = schemas.answers["may_order"].as_ref().unwrap();
    assert_eq!(answer["required"], json!(["approve", "why"]));
}

#[tokio::test]
async fn a_question_carries_the_schema_of_its_answer() {
    let graph = graph();
    let outcome = graph.run("t", Order::update().item("tea")).await.unwrap();
    let ask = &outcome.asks()[0];
    assert_eq!(ask.schema, graph.schemas().answers["may_order"]);
    assert_eq!(graph.state("t").await.unwrap().asks[0].schema, ask.schema);
}

#[tokio::test]
async fn an_answer_is_checked_without_a_run() {
    let graph = graph();
    let outcome = graph.run("t", Order::update().item("tea")).await.unwrap();
    let id = outcome.asks()[0].id;
    let before = graph.history("t").await.unwrap().len();

    let wrong = graph
        .check_answer("t", id, &json!({"approve": "yes"}))
        .await
        .unwrap_err();
    assert_eq!(wrong.code(), "SS1015");
    let said = wrong.to_string();
    assert!(
        said.contains("/approve") && said.contains("why"),
        "all that is wrong: {said}"
    );
    graph
        .check_answer("t", id, &json!({"approve": true, "why": "thirst"}))
        .await
        .unwrap();
    let unknown: superstep::AskId = "0".repeat(32).parse().unwrap();
    let error = graph
        .check_answer("t", unknown, &json!(1))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "SS1105");

    assert_eq!(
        graph.history("t").await.unwrap().len(),
        before,
        "nothing was written"
    );
    let done = graph
        .answer("t", [(id, json!({"approve": true, "why": "thirst"}))])
        .await
        .unwrap();
    assert_eq!(done.state().approved, Some(true));
}

#[tokio::test]
async fn an_answer_without_a_schema_is_checked_by_its_type() {
    let graph = graph();
    let outcome = graph.run("t", Order::update().item("many")).await.unwrap();
    let id = outcome.asks()[0].id;
    let error = graph.check_answer("t", id, &json!(1000)).await.unwrap_err();
    assert_eq!(error.code(), "SS1015");
    graph.check_answer("t", id, &json!(100)).await.unwrap();
}
