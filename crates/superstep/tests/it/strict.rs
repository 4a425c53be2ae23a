//! Input that is refused: misspelt, of another type, or while a question is open.

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Command, Context, Input, RunOptions,
    dynamic::{self, DynGraphBuilder, Halt, START},
    prelude::*,
};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Order {
    amount: u32,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Pay,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct MayPay {
    amount: u32,
}

async fn pay(order: Snap<Order>, ctx: Ctx) -> Result<OrderUpdate, NodeError> {
    let amount = order.amount;
    let paid = ctx.ask(MayPay { amount })?;
    Ok(Order::update().log([format!("{amount}: {paid}")]))
}

fn builder() -> superstep::GraphBuilder<Order, Node> {
    Graph::<Order, Node>::builder()
        .saver(saver())
        .node(Node::Pay, pay)
        .start(Node::Pay)
        .finish(Node::Pay)
}

fn strict() -> RunOptions {
    RunOptions {
        strict_input: true,
        ..RunOptions::on("t")
    }
}

#[tokio::test]
async fn strict_input_is_refused_by_name_and_by_type_before_anything_is_stored() {
    let by_option = builder().build().unwrap();
    let by_graph = builder().strict().build().unwrap();
    for (graph, options) in [(by_option, strict()), (by_graph, RunOptions::on("t"))] {
        let dynamic = graph.dynamic();
        let misspelt = json!({"amuont": 7, "log": ["x"], "also": 1});
        let error = dynamic.invoke(misspelt, &options).await.unwrap_err();
        assert_eq!(error.code(), "SS1120");
        assert!(
            error.to_string().contains("`amuont` `also`")
                || error.to_string().contains("`also` `amuont`"),
            "{error}"
        );
        let other = json!({"amount": "seven"});
        let error = dynamic.invoke(other, &options).await.unwrap_err();
        assert_eq!(error.code(), "SS1013", "{error}");
        assert!(error.to_string().contains("`amount`"), "{error}");
        assert_eq!(dynamic.threads().await.unwrap(), []);
        let fine = json!({"amount": 7});
        let outcome = dynamic.invoke(fine, &options).await.unwrap();
        assert_eq!(outcome.asks.len(), 1);
    }
    // Without it, unknown names are ignored as in LangGraph.
    let graph = builder().build().unwrap();
    let options = RunOptions::on("t");
    let lax = graph.dynamic().invoke(json!({"typo": 1}), &options);
    assert_eq!(lax.await.unwrap().asks.len(), 1);
}

#[tokio::test]
async fn in_a_strict_graph_results_of_nodes_name_channels_and_nodes_that_there_are() {
    async fn typo(_: dynamic::DynCtx) -> Result<serde_json::Value, Halt> {
        Ok(json!({"nn": 1}))
    }
    async fn lost(_: dynamic::DynCtx) -> Result<dynamic::DynCommand, Halt> {
        Ok(dynamic::DynCommand::goto("nowhere"))
    }
    let graph = |node: &str| {
        let builder = DynGraphBuilder::new().strict().last_value("n");
        let builder = match node {
            "typo" => builder.node("typo", typo),
            _ => builder.node("lost", lost),
        };
        builder.edge(START, node).build().unwrap()
    };
    for (node, named) in [("typo", "`nn`"), ("lost", "`nowhere`")] {
        let run = graph(node);
        let error = run.invoke(json!({"n": 1}), &RunOptions::default()).await;
        let error = error.unwrap_err();
        assert_eq!(error.code(), "SS1120");
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[tokio::test]
async fn new_input_drops_an_open_question_unless_the_run_must_keep_it() {
    let graph = builder().build().unwrap();
    let asked = graph.run("t", Order::update().amount(7)).await.unwrap();
    let keeps = graph.with_options(|options| options.keep_asks = true);
    let error = keeps.run("t", Order::update().amount(8)).await.unwrap_err();
    assert_eq!(error.code(), "SS1121");
    let still = graph.state("t").await.unwrap();
    assert_eq!(still.asks[0].id, asked.asks()[0].id);
    assert_eq!(still.state.amount, 7);
    let again = graph.run("t", Order::update().amount(8)).await.unwrap();
    assert_ne!(again.asks()[0].id, asked.asks()[0].id);
    let done = keeps.answer_only("t", true).await.unwrap();
    assert_eq!(done.done().unwrap().log, ["8: true"]);
    let next = keeps.run("t", Order::update().amount(9)).await.unwrap();
    assert_eq!(next.asks().len(), 1);
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Outer {
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Top {
    Child,
    Sibling,
}

#[tokio::test]
async fn an_answer_without_an_id_goes_to_the_one_open_question_also_below() {
    let child = Graph::<Order, Node>::builder()
        .nested()
        .node(Node::Pay, pay)
        .start(Node::Pay)
        .finish(Node::Pay)
        .build()
        .unwrap();
    let graph = |sibling_asks: bool| {
        Graph::<Outer, Top>::builder()
            .saver(saver())
            .subgraph(
                Top::Child,
                &child,
                |_| Order::update().amount(7),
                |order| Outer::update().log(order.log.clone()),
            )
            .node(Top::Sibling, move |ctx: Ctx| async move {
                if sibling_asks {
                    ctx.ask(MayPay { amount: 1 })?;
                }
                Ok::<_, NodeError>(())
            })
            .start(Top::Child)
            .start(Top::Sibling)
            .finish(Top::Child)
            .finish(Top::Sibling)
            .build()
            .unwrap()
    };
    let one = graph(false);
    assert_eq!(one.run("t", Outer::update()).await.unwrap().asks().len(), 1);
    let done = one.answer_only("t", true).await.unwrap();
    assert_eq!(done.done().unwrap().log, ["7: true"]);
    let none = one.answer_only("t", true).await.unwrap_err();
    assert_eq!(none.code(), "SS1105");
    let two = graph(true);
    assert_eq!(two.run("t", Outer::update()).await.unwrap().asks().len(), 2);
    let several = two.answer_only("t", true).await.unwrap_err();
    assert_eq!(several.code(), "SS1104");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Work {
    Split,
    Item,
}

#[test]
fn payloads_and_contexts_that_do_not_fit_are_mistakes_of_the_graph() {
    let built = Graph::<Order, Work>::builder()
        .context::<u64>()
        .node(Work::Split, || async {
            Command::<Order, Work>::send(Work::Item, &1_u32)
        })
        .node(
            Work::Item,
            |Input(_): Input<String>, _: Context<String>| async {},
        )
        .start(Work::Split)
        .may_send_as::<u32>(Work::Split, &[Work::Item])
        .finish(Work::Item)
        .build();
    let mistakes = built.err().unwrap().to_string();
    assert!(
        mistakes.contains("[SS4021] node `split` sends `u32`"),
        "{mistakes}"
    );
    assert!(
        mistakes.contains("[SS4022] node `item` takes context"),
        "{mistakes}"
    );
}

#[tokio::test]
async fn any_error_leaves_a_node_by_the_question_mark() {
    fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Err("boxed")?
    }
    async fn failing(order: Snap<Order>) -> Result<(), NodeError> {
        match order.amount {
            1 => Ok(boxed()?),
            2 => Err("a text")?,
            3 => Err(format!("text {}", 3))?,
            4 => Err(std::io::Error::other("disk"))?,
            _ => Ok(()),
        }
    }
    let graph = Graph::<Order, Node>::builder()
        .node(Node::Pay, failing)
        .start(Node::Pay)
        .finish(Node::Pay)
        .build()
        .unwrap();
    let said = ["boxed", "a text", "text 3", "disk"];
    for (amount, said) in (1..).zip(said) {
        let error = graph.run("t", Order::update().amount(amount)).await;
        let error = error.unwrap_err();
        assert_eq!(error.code(), "SS1001");
        assert!(error.to_string().contains(said), "{error}");
    }
}
