//! Stopping a typed graph between steps: a limit by count, a drain that a node or a service asks for. Nothing is lost.
//!
//! A count to ten is stopped three times; each time the run ends with an error that says why, the record of the run says
//! so too, and `resume` continues from there. A service that shuts down drains all runs that share its request.
//! This prints
//!
//! ```text
//! [SS1102] the limit of 4 steps ran out (step 5, thread `t`): 4, next [Count], status failed
//! [SS1103] stopped between steps: a pause after seven (step 8, thread `t`): 7, next [Count], status drained
//! [SS1103] stopped between steps: a shutdown (step 8, thread `t`): 7, next [Count], status drained
//! done: 10
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Drain, RunStatus, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Counter {
    #[reduce(Sum)]
    n: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Count,
}

#[node(Counter, Node)]
async fn count(counter: Snap<Counter>, ctx: Ctx) -> CounterUpdate {
    if counter.n == 6 {
        ctx.drain("a pause after seven");
    }
    Counter::update().n(1)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Counter, Node>::builder()
        .saver(MemorySaver::new())
        .node(Node::Count, count)
        .start(Node::Count)
        .route(Node::Count, &[Node::Count], |counter| {
            (counter.n < 10).then_some(Node::Count)
        })
        .build()?;

    let limited = graph.with_options(|options| options.limit = 4);
    let four = stopped(&graph, limited.run("t", Counter::update()).await).await?;
    let seven = stopped(&graph, graph.resume("t").await).await?;

    // What a service does when it is told to stop: all runs with these options end after their step.
    let drain = Drain::default();
    let service = graph.with_options(|options| options.drain = drain.clone());
    drain.request("a shutdown");
    let still = stopped(&graph, service.resume("t").await).await?;
    drain.clear();

    let ten = service.resume("t").await?.done().ok_or("nothing asks")?;
    println!("done: {}", ten.n);
    match (four, seven, still, ten.n) {
        (4, 7, 7, 10) => Ok(()),
        _ => Err("each run should continue where the one before was stopped".into()),
    }
}

/// Shows how a run was stopped and what is stored, and returns the count.
async fn stopped(
    graph: &Graph<Counter, Node>,
    ended: Result<Outcome<Counter>, superstep::Error>,
) -> Result<u32, Box<dyn Error>> {
    let error = ended.err().ok_or("the run should be stopped")?;
    let stored = graph.state("t").await?;
    let status: RunStatus = graph.status("t").await?;
    let (n, next) = (stored.state.n, stored.next);
    println!("{error}: {n}, next {next:?}, status {status}");
    Ok(n)
}
