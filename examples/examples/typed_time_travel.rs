//! The history of a typed thread: who made each checkpoint and when, a replay, and a fork with another choice.
//!
//! This prints
//!
//! ```text
//! first: 3 nights at Rome Inn
//! the checkpoint before `Book` was made by the run of ann
//! again from there: 3 nights at Rome Inn
//! with another city: 3 nights at Porto Inn
//! 3 branches end in the history
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::prelude::*;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Trip {
    city: String,
    hotel: String,
    plan: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Choose,
    Book,
    Write,
}

async fn book(trip: Snap<Trip>) -> TripUpdate {
    Trip::update().hotel(format!("{} Inn", trip.city))
}

async fn write(trip: Snap<Trip>) -> TripUpdate {
    Trip::update().plan(format!("3 nights at {}", trip.hotel))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Trip, Node>::builder()
        .saver(MemorySaver::new())
        .node(Node::Choose, || async { Trip::update().city("Rome") })
        .node(Node::Book, book)
        .node(Node::Write, write)
        .start(Node::Choose)
        .edge(Node::Choose, Node::Book)
        .edge(Node::Book, Node::Write)
        .finish(Node::Write)
        .build()?;

    let by_ann = graph.with_options(|options| options.metadata = json!({ "user": "ann" }).into());
    let first = by_ann.run("trip", Trip::default()).await?;
    println!("first: {}", first.state().plan);

    let history = graph.history("trip").await?;
    let before = history.iter().find(|step| step.next == [Node::Book]);
    let before = before.ok_or("there is such a checkpoint")?;
    let user = before.metadata.get("user").and_then(|user| user.as_str());
    println!(
        "the checkpoint before `Book` was made by the run of {}",
        user.unwrap_or("nobody")
    );
    let at = before.id.ok_or("it has an id")?;

    let again = graph.at(at).resume("trip").await?;
    println!("again from there: {}", again.state().plan);

    let choice = Trip::update().city("Porto");
    let there = graph.at(at);
    let edited = there
        .update_state("trip", choice, Some(Node::Choose))
        .await?;
    let forked = graph.at(edited).resume("trip").await?;
    println!("with another city: {}", forked.state().plan);

    let history = graph.history("trip").await?;
    let ends = history.iter().filter(|step| step.is_done()).count();
    println!("{ends} branches end in the history");
    let is_dated = history.iter().all(|step| step.created.is_some());
    match ends == 3 && is_dated && user == Some("ann") {
        true => Ok(()),
        false => Err("all branches are kept, with their time and their run".into()),
    }
}
