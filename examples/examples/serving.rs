//! Runs as a service holds them: started, followed by their id, cancelled, cut short and recovered.
//!
//! All of it is in a file, as another process would find it. This prints
//!
//! ```text
//! order 1 is running
//!   Pack is done
//!   Ship is done
//!   ended: Done
//! order 2 sleeps for 24 hours
//! order 2 is cancelled
//! order 3 was cut short
//! order 3 continues: ["packed a vase", "shipped"]
//! ```

use std::{
    env,
    error::Error,
    fs,
    path::Path,
    process,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use superstep::{Event, LogItem, Modes, RunId, RunStatus, prelude::*, sqlite::Database};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Order {
    item: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Pack,
    Ship,
}

#[node(Order, Node)]
async fn pack(order: Snap<Order>) -> OrderUpdate {
    Order::update().log([format!("packed {}", order.item)])
}

/// Waits for the courier, who takes a day for big things. The timer is durable.
#[node(Order, Node)]
async fn ship(order: Snap<Order>, ctx: Ctx) -> Result<OrderUpdate, NodeError> {
    let wait = match order.item.as_str() {
        "a piano" => Duration::from_secs(24 * 3600),
        _ => Duration::from_millis(200),
    };
    ctx.sleep(wait).await?;
    Ok(Order::update().log(["shipped"]))
}

fn orders(database: &Database) -> Result<Graph<Order, Node>, BuildErrors> {
    let graph = Graph::<Order, Node>::builder()
        .name("orders")
        .saver(database.saver())
        .node(Node::Pack, pack)
        .node(Node::Ship, ship)
        .start(Node::Pack)
        .edge(Node::Pack, Node::Ship)
        .finish(Node::Ship)
        .build()?;
    Ok(graph.with_options(|options| options.log = Modes::UPDATES))
}

/// What a client that has the id of a run is shown, wherever it asks.
async fn follow(graph: &Graph<Order, Node>, run: RunId) -> Result<(), Box<dyn Error>> {
    let mut reader = graph.follow_run(run, None, Modes::UPDATES);
    while let Some((_cursor, item)) = reader.next().await? {
        match item {
            LogItem::Event(Event::Update { node, .. }) => println!("  {node:?} is done"),
            LogItem::Ended(ending) => println!("  ended: {ending:?}"),
            _ => {}
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("superstep-orders-{}", process::id()));
    fs::create_dir_all(&folder)?;
    let ended = serve(&folder).await;
    fs::remove_dir_all(&folder)?;
    ended
}

async fn serve(folder: &Path) -> Result<(), Box<dyn Error>> {
    let database = Database::open(folder.join("orders.db"))?;
    let graph = orders(&database)?;

    // The id is all a client needs; nobody has to hold the run.
    let run = graph
        .start("order 1", Order::update().item("a lamp"))
        .await?
        .id;
    println!("order 1 is {}", graph.status("order 1").await?);
    follow(&graph, run).await?;

    let running = graph
        .start("order 2", Order::update().item("a piano"))
        .await?;
    let run = running.id;
    if let Outcome::Sleeping { until, .. } = running.await? {
        let hours = until.duration_since(SystemTime::now())?.as_secs_f64() / 3600.0;
        println!("order 2 sleeps for {:.0} hours", hours);
    }
    graph.cancel(run, "the customer left").await?;
    println!("order 2 is {}", graph.status("order 2").await?);

    // A run that its caller drives ends with its caller, as all runs end with their process.
    let cut = graph.run("order 3", Order::update().item("a vase"));
    if tokio::time::timeout(Duration::from_millis(100), cut)
        .await
        .is_ok()
    {
        return Err("the courier was too fast".into());
    }
    if graph.status("order 3").await? == RunStatus::Interrupted {
        println!("order 3 was cut short");
    }
    for running in graph.resume_interrupted().await?.started {
        let thread = running.thread.clone();
        println!("{thread} continues: {:?}", running.await?.state().log);
    }
    Ok(())
}
