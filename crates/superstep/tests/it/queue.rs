//! Runs of a typed graph in the queue of its saver: what they bring along, and who answers.

use serde::{Deserialize, Serialize};
use superstep::{
    Context, RunOptions, RunStatus,
    dynamic::Worker,
    prelude::*,
    runs::{EnqueueRun, OnBusy},
    schedules::CronSchedule,
    schemars::JsonSchema,
};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Order {
    item: String,
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
    item: String,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(crate = "superstep::schemars")]
struct Buyer {
    name: String,
}

async fn pay(
    order: Snap<Order>,
    buyer: Context<Buyer>,
    ctx: Ctx,
) -> Result<OrderUpdate, NodeError> {
    let item = order.item.clone();
    let may = ctx.ask(MayPay { item })?;
    let line = format!("{} pays {}: {may}", buyer.name, order.item);
    Ok(Order::update().push_log(line))
}

fn graph() -> Graph<Order, Node> {
    Graph::<Order, Node>::builder()
        .name("orders")
        .saver(saver())
        .context::<Buyer>()
        .node(Node::Pay, pay)
        .start(Node::Pay)
        .finish(Node::Pay)
        .build()
        .unwrap()
}

fn of(name: &str) -> Buyer {
    let name = name.to_owned();
    Buyer { name }
}

fn worker(graph: &Graph<Order, Node>) -> Worker {
    Worker::new([graph.dynamic().clone()], RunOptions::default()).unwrap()
}

#[tokio::test]
async fn a_queued_run_has_its_context_and_is_answered_through_the_queue() {
    let graph = graph();
    let (worker, anns) = (worker(&graph), graph.with_context(of("ann")));
    let run = anns.enqueue("t", Order::update().item("a lamp"));
    assert_eq!(run.await.unwrap().status(), RunStatus::Queued);
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();

    let asks = graph.state("t").await.unwrap().asks;
    let ask = asks.first().unwrap();
    assert_eq!(ask.question::<MayPay>().unwrap().item, "a lamp");
    let yes = ask.answer::<MayPay>(&true).unwrap();
    let answer = anns.to_queue_answer("t", [yes]).unwrap();
    let answered = anns.enqueue_run(answer).await.unwrap();
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    let log = graph.state("t").await.unwrap().state.log.clone();
    assert_eq!(log, ["ann pays a lamp: true"]);
    let record = graph.find_run(answered.id).await.unwrap().unwrap();
    assert_eq!(record.status(), RunStatus::Done);
}

#[tokio::test]
async fn a_run_without_the_context_that_nodes_take_is_not_queued() {
    let graph = graph();
    let error = graph.enqueue("t", Order::update()).await.unwrap_err();
    assert!(error.to_string().contains("context"), "{error}");
    assert!(worker(&graph).work_once().await.unwrap().is_none());
}

#[tokio::test]
async fn a_queued_run_that_was_changed_does_what_it_says_on_a_busy_thread() {
    let graph = graph().with_context(of("bob"));
    let first = graph.enqueue("t", Order::update().item("a lamp"));
    let first = first.await.unwrap();
    let run = graph.to_queue("t", Order::update().item("a vase")).unwrap();
    let refused = graph.enqueue_run(EnqueueRun {
        on_busy: OnBusy::Reject,
        ..run.clone()
    });
    assert_eq!(refused.await.unwrap_err().code(), "SS2001");
    let second = graph.enqueue_run(EnqueueRun {
        on_busy: OnBusy::Interrupt,
        ..run
    });
    second.await.unwrap();
    let first = graph.find_run(first.id).await.unwrap().unwrap();
    assert_eq!(first.status(), RunStatus::Cancelled);
    let worker = worker(&graph);
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    assert_eq!(graph.state("t").await.unwrap().state.item, "a vase");
    // One that continues the thread finds the question still open.
    let resumed = graph.to_queue_resume("t").unwrap();
    graph.enqueue_run(resumed).await.unwrap();
    let worked = worker.work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap().asks.len(), 1);
}

#[tokio::test]
async fn a_schedule_of_a_typed_graph_has_its_input_and_a_wrong_one_is_refused() {
    let graph = graph();
    let daily = CronSchedule::new("daily", "0 8 * * *");
    let stored = graph.schedule(daily, Order::update().item("bread"));
    let stored = stored.await.unwrap();
    assert!(stored.next.is_some());
    let known = graph.schedules().await.unwrap();
    assert_eq!(known, [stored]);
    let input = serde_json::to_value(&known[0].input).unwrap();
    assert!(input.to_string().contains("bread"), "{input}");
    let wrong = CronSchedule::new("wrong", "61 8 * * *");
    let error = graph.schedule(wrong, Order::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1111");
    assert!(graph.unschedule("daily").await.unwrap());
    assert!(!graph.unschedule("daily").await.unwrap());
}
