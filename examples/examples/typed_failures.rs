//! What a typed node may do about failures: try again, give up in time, hand over to a handler, use an old result.
//!
//! A weather service fails twice and then answers; another one never does, and its handler says so and goes to the
//! report. Asked once more, the first answers from the cache. This prints
//!
//! ```text
//! run 1: ["rain, at attempt 3", "no tides: ran longer than 20ms", "report"]
//! run 2: ["rain, at attempt 3", "no tides: ran longer than 20ms", "report"]
//! the weather service was asked 3 times
//! ```

use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{
    CachePolicy, Command, Failed, MemoryCache, RetryOn, RetryPolicy, Timeouts, prelude::*,
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Day {
    place: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Weather,
    Tides,
    Report,
}

static ASKED: AtomicU32 = AtomicU32::new(0);

#[node(Day, Node)]
async fn weather(day: Snap<Day>, ctx: Ctx) -> Result<DayUpdate, NodeError> {
    ASKED.fetch_add(1, Ordering::SeqCst);
    if ctx.attempt() < 3 {
        return Err(NodeError::msg(format!("{} does not answer", day.place)));
    }
    Ok(Day::update().log([format!("rain, at attempt {}", ctx.attempt())]))
}

/// Waits for a service that is gone.
#[node(Day, Node)]
async fn tides() -> DayUpdate {
    std::future::pending().await
}

async fn without_tides(failed: Failed<Node>) -> Command<Day, Node> {
    let why = failed.error.message.trim_start_matches("[SS1106] ");
    Day::update()
        .log([format!("no tides: {why}")])
        .goto(Node::Report)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let patient = NodeOptions::default()
        .retry(RetryPolicy {
            initial: Duration::from_millis(1),
            jitter: Duration::ZERO,
            on: RetryOn::Any,
            ..RetryPolicy::default()
        })
        .cache(CachePolicy::default());
    let hasty = NodeOptions::default()
        .timeouts(Timeouts {
            run: Some(Duration::from_millis(20)),
            ..Timeouts::default()
        })
        .on_error(without_tides);
    let graph = Graph::<Day, Node>::builder()
        .saver(MemorySaver::new())
        .cache(MemoryCache::default())
        .node_with(Node::Weather, weather, patient)
        .node_with(Node::Tides, tides, hasty)
        .node(Node::Report, || async { Day::update().log(["report"]) })
        .start(Node::Weather)
        .edge(Node::Weather, Node::Tides)
        // A handler takes the place of its node, and the node's edges do not fire: it says where to go.
        .may_goto(Node::Tides, &[Node::Report])
        .finish(Node::Report)
        .build()?;

    for run in 1..=2 {
        let thread = format!("day {run}");
        let outcome = graph.run(thread, Day::update().place("Lisbon")).await?;
        println!("run {run}: {:?}", outcome.state().log);
    }
    let asked = ASKED.load(Ordering::SeqCst);
    println!("the weather service was asked {asked} times");
    match asked {
        3 => Ok(()),
        _ => Err("the second run uses the result of the first".into()),
    }
}
