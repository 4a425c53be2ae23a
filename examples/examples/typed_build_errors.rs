//! A graph with mistakes does not build, and says all of them at once.
//!
//! What nodes take is known when the graph is built, so a missing service or payload is found before
//! anything runs. Other mistakes do not even compile: an edge to something that is no node, a node
//! that takes or returns what it cannot. This prints
//!
//! ```text
//! [SS4002] node `flight` is defined twice
//! [SS4015] node `insure` leads nowhere: add an edge, a route, commands or the end
//! [SS4014] node `museum` has no function
//! [SS4013] node `cancel` cannot be reached from the start
//! [SS4017] node `car` takes input `u32` but is reached by an edge, not a send
//! [SS4016] node `pay` takes resource `typed_build_errors::Bank`, which the graph does not have
//! [SS4019] node `insure` takes the store, which the graph does not have
//! [SS4018] a join into `pay` waits for `hotel`, which may be skipped
//! [SS4018] a join into `pay` waits for `flight`, which may be skipped
//! 9 mistakes
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Input, Store, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Trip {
    #[reduce(Append)]
    bookings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Plan,
    Flight,
    Hotel,
    Car,
    Pay,
    Insure,
    Museum,
    Cancel,
}

/// A service that somebody forgot to give to the graph.
struct Bank;

async fn book() -> TripUpdate {
    Trip::update().bookings(["booked"])
}

async fn pay(_bank: Res<Bank>) {}

async fn car(Input(_days): Input<u32>) {}

async fn insure(_memory: Store) {}

fn main() -> Result<(), Box<dyn Error>> {
    let built = Graph::<Trip, Node>::builder()
        .node(Node::Plan, book)
        .node(Node::Flight, book)
        .node(Node::Flight, book)
        .node(Node::Hotel, book)
        .node(Node::Car, car)
        .node(Node::Pay, pay)
        .node(Node::Insure, insure)
        .node(Node::Cancel, book)
        .start(Node::Plan)
        .edge(Node::Plan, Node::Car)
        .edge(Node::Plan, Node::Museum)
        .edge(Node::Plan, Node::Insure)
        .route(Node::Plan, &[Node::Flight, Node::Hotel], |trip| {
            let planned = trip.bookings.is_empty();
            Some(if planned { Node::Flight } else { Node::Hotel })
        })
        .join(&[Node::Flight, Node::Hotel], Node::Pay)
        .finish(Node::Pay)
        .finish(Node::Car)
        .finish(Node::Museum)
        .finish(Node::Cancel)
        .build();

    let Err(errors) = built else {
        return Err("this graph should not build".into());
    };
    println!("{errors}");
    println!("{} mistakes", errors.0.len());
    let forgotten = BuildError::Missing("museum".into());
    if !errors.0.contains(&forgotten) {
        return Err("the museum should be among the mistakes".into());
    }
    Ok(())
}
