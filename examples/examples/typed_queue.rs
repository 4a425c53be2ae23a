//! A queue of runs of a typed graph, in a file: who accepts work does not do it, and workers come and go.
//!
//! Three messages of one thread and one of another wait when the worker comes; runs of one thread go one after the
//! other. A message that comes in place of others has those that wait cancelled. This prints
//!
//! ```text
//! 4 runs wait
//! ann: ["one", "two", "three"], for the shop
//! bob: ["hello"], for the shop
//! the fourth is cancelled, the fifth is done
//! ann: ["one", "two", "three", "five"], for the shop
//! a schedule is stored: every weekday at half past eight
//! nothing waits
//! ```

use std::{error::Error, path::Path};

use serde::{Deserialize, Serialize};
use superstep::{
    Context, RunOptions, RunStatus,
    dynamic::Worker,
    prelude::*,
    runs::{EnqueueRun, OnBusy},
    schedules::CronSchedule,
    sqlite::Database,
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Inbox {
    text: String,
    of: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Keep,
}

/// The context of a run goes with it into the queue.
#[derive(Clone, Serialize, Deserialize)]
struct Tenant {
    name: String,
}

#[node(Inbox, Node)]
async fn keep(inbox: Snap<Inbox>, tenant: Context<Tenant>) -> InboxUpdate {
    Inbox::update()
        .of(tenant.name.clone())
        .push_log(inbox.text.clone())
}

fn inbox(database: &Database) -> Result<Graph<Inbox, Node>, BuildErrors> {
    Graph::<Inbox, Node>::builder()
        .name("inbox")
        .saver(database.saver())
        .node(Node::Keep, keep)
        .start(Node::Keep)
        .finish(Node::Keep)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    accept_and_work(&folder.path().join("queue.db")).await
}

async fn accept_and_work(file: &Path) -> Result<(), Box<dyn Error>> {
    let name = "the shop".to_owned();
    let graph = inbox(&Database::open(file)?)?.with_context(Tenant { name });
    for (thread, text) in [
        ("ann", "one"),
        ("ann", "two"),
        ("bob", "hello"),
        ("ann", "three"),
    ] {
        graph.enqueue(thread, Inbox::update().text(text)).await?;
    }
    println!("4 runs wait");

    // A worker of any process; it knows the graph, and the run brings the rest.
    let workers = inbox(&Database::open(file)?)?;
    let worker = Worker::new([workers.dynamic().clone()], RunOptions::default())?;
    while let Some(worked) = worker.work_once().await? {
        worked.outcome?;
    }
    show(&graph, "ann").await?;
    show(&graph, "bob").await?;

    let fourth = graph.enqueue("ann", Inbox::update().text("four")).await?;
    let fifth = EnqueueRun {
        on_busy: OnBusy::Interrupt,
        ..graph.to_queue("ann", Inbox::update().text("five"))?
    };
    let fifth = graph.enqueue_run(fifth).await?;
    while let Some(worked) = worker.work_once().await? {
        worked.outcome?;
    }
    let status = |run: superstep::RunRecord| run.status();
    let fourth = graph.find_run(fourth.id).await?.map(status);
    let fifth = graph.find_run(fifth.id).await?.map(status);
    if (fourth, fifth) != (Some(RunStatus::Cancelled), Some(RunStatus::Done)) {
        return Err("the fifth comes in place of the fourth".into());
    }
    println!("the fourth is cancelled, the fifth is done");
    show(&graph, "ann").await?;

    let weekdays = CronSchedule::new("morning", "30 8 * * MON-FRI");
    let stored = graph.schedule(weekdays, Inbox::update().text("good morning"));
    if stored.await?.next.is_some() {
        println!("a schedule is stored: every weekday at half past eight");
    }
    graph.unschedule("morning").await?;
    if worker.work_once().await?.is_none() {
        println!("nothing waits");
    }
    Ok(())
}

async fn show(graph: &Graph<Inbox, Node>, thread: &str) -> Result<(), superstep::Error> {
    let inbox = graph.state(thread).await?.state;
    println!("{thread}: {:?}, for {}", inbox.log, inbox.of);
    Ok(())
}
