//! When a typed run is stored: before the next step, while it runs, or at its end.
//!
//! `Sync` stores each step before the next one starts. `Async` stores the same steps behind the run, so that a crash may
//! cost the newest ones. `Exit` stores the end alone, and nothing if the process dies in the middle, unless an effect
//! (`ctx.once`) needs the steps it stands on. This prints
//!
//! ```text
//! a run that ends
//!   Sync: 5 checkpoints, the newest ["packed", "weighed", "shipped"]
//!   Async: 5 checkpoints, the newest ["packed", "weighed", "shipped"]
//!   Exit: 1 checkpoints, the newest ["packed", "weighed", "shipped"]
//! a run that is cut short while it ships
//!   Sync: stored ["packed", "weighed"], next [Ship]
//!   Exit: stored [], next []
//! one that is cut short there, after an effect
//!   Sync: stored ["packed", "weighed"], next [Ship]
//!   Exit: stored ["packed", "weighed"], next [Ship]
//! ```

use std::{error::Error, future::pending, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep::{Durability, prelude::*};
use tokio::sync::Notify;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Parcel {
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Pack,
    Weigh,
    Ship,
}

/// What the last node does; a service that nodes share.
enum Courier {
    Comes,
    Never(Notify),
    NeverAfterLabel(Notify),
}

#[node(Parcel, Node)]
async fn ship(ctx: Ctx, courier: Res<Courier>) -> Result<ParcelUpdate, NodeError> {
    let crash = match &*courier {
        Courier::Comes => return Ok(Parcel::update().push_log("shipped")),
        Courier::Never(crash) => crash,
        Courier::NeverAfterLabel(crash) => {
            ctx.once("label", || async { Ok(()) }).await?;
            crash
        }
    };
    crash.notify_one();
    pending().await
}

fn parcels(courier: &Arc<Courier>) -> Result<Graph<Parcel, Node>, BuildErrors> {
    Graph::<Parcel, Node>::builder()
        .saver(MemorySaver::new())
        .shared(courier.clone())
        .node(Node::Pack, || async { Parcel::update().push_log("packed") })
        .node(Node::Weigh, || async {
            Parcel::update().push_log("weighed")
        })
        .node(Node::Ship, ship)
        .start(Node::Pack)
        .edge(Node::Pack, Node::Weigh)
        .edge(Node::Weigh, Node::Ship)
        .finish(Node::Ship)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("a run that ends");
    for (durability, checkpoints) in [
        (Durability::Sync, 5),
        (Durability::Async, 5),
        (Durability::Exit, 1),
    ] {
        let graph = parcels(&Courier::Comes.into())?;
        let durable = graph.with_options(|options| options.durability = durability);
        durable.run("t", Parcel::update()).await?;
        let history = graph.history("t").await?;
        let newest = &history.first().ok_or("there is one")?.state.log;
        println!(
            "  {durability:?}: {} checkpoints, the newest {newest:?}",
            history.len()
        );
        if history.len() != checkpoints {
            return Err(format!("{checkpoints} checkpoints were expected").into());
        }
    }
    println!("a run that is cut short while it ships");
    cut_short(|| Courier::Never(Notify::new()), 0).await?;
    println!("one that is cut short there, after an effect");
    cut_short(|| Courier::NeverAfterLabel(Notify::new()), 2).await
}

/// Drops a run in its last node, as a crash would, and shows what is stored; `at_exit` is how many lines `Exit` leaves.
async fn cut_short(courier: fn() -> Courier, at_exit: usize) -> Result<(), Box<dyn Error>> {
    for (durability, lines) in [(Durability::Sync, 2), (Durability::Exit, at_exit)] {
        let courier = Arc::new(courier());
        let graph = parcels(&courier)?;
        let durable = graph.with_options(|options| options.durability = durability);
        let crash = match &*courier {
            Courier::Never(crash) | Courier::NeverAfterLabel(crash) => crash.notified(),
            Courier::Comes => return Err("this courier comes".into()),
        };
        tokio::select! {
            _ = durable.run("t", Parcel::update()) => return Err("no crash".into()),
            () = crash => {}
        }
        let stored = graph.state("t").await?;
        let (log, next) = (&stored.state.log, &stored.next);
        println!("  {durability:?}: stored {log:?}, next {next:?}");
        if log.len() != lines {
            return Err(format!("{lines} lines should be stored").into());
        }
    }
    Ok(())
}
