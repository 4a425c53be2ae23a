//! Durable functions in a typed node: what was done before a failure is not done again.
//!
//! A node fetches three pages at once, adds them up in a task that calls a task, and then fails the first time. The
//! second attempt takes the stored results. This prints
//!
//! ```text
//! fetched 3 pages, attempt 2: 60 words
//! ```

use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{Call, RetryOn, RetryPolicy, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Site {
    words: u64,
    attempt: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Count,
}

static FETCHED: AtomicU32 = AtomicU32::new(0);

fn fetch() -> Call<u64, u64> {
    Call::new("fetch", |_ctx, page: u64| async move {
        FETCHED.fetch_add(1, Ordering::SeqCst);
        Ok(page * 10)
    })
}

/// A task that calls another one.
fn fetch_all() -> Call<Vec<u64>, u64> {
    Call::new("fetch all", |ctx, pages: Vec<u64>| async move {
        let fetch = fetch();
        let fetching: Vec<_> = pages
            .into_iter()
            .map(|page| ctx.call(&fetch, page))
            .collect();
        let mut words = 0;
        for page in fetching {
            words += page.await?;
        }
        Ok(words)
    })
}

#[node(Site, Node)]
async fn count(ctx: Ctx) -> Result<SiteUpdate, NodeError> {
    let words = ctx.call(&fetch_all(), vec![1, 2, 3]).await?;
    if ctx.attempt() == 1 {
        return Err(NodeError::msg("the node fails after all pages are there"));
    }
    Ok(Site::update().words(words).attempt(ctx.attempt()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let again = NodeOptions::default().retry(RetryPolicy {
        initial: Duration::from_millis(1),
        jitter: Duration::ZERO,
        on: RetryOn::Any,
        ..RetryPolicy::default()
    });
    let graph = Graph::<Site, Node>::builder()
        .saver(MemorySaver::new())
        .node_with(Node::Count, count, again)
        .start(Node::Count)
        .finish(Node::Count)
        .build()?;
    let outcome = graph.run("t", Site::default()).await?;
    let site = outcome.done().ok_or("nothing is left to run")?;
    let fetched = FETCHED.load(Ordering::SeqCst);
    println!(
        "fetched {fetched} pages, attempt {}: {} words",
        site.attempt, site.words
    );
    match (fetched, site.words, site.attempt) {
        (3, 60, 2) => Ok(()),
        _ => Err("each page is fetched once".into()),
    }
}
